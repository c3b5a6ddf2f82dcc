// Making sockets, and who is at the other end.
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/control/control.h"
#include "runtime/inputs/inputs.h"
#include "runtime/intercept/descriptors.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/mode.h"

using namespace norn::rt;

NORN_INTERPOSE(int, socket, (int domain, int type, int protocol)) {
  if (!has_started()) return -1;
  const int made = inputs::domain_of_socket(domain, type);
  const int fd = real_socket(made, type, made == domain ? protocol : 0);
  if (fd >= 0) {
    made_socket(fd);
    inputs::made_socket(fd, domain, made);
  }
  return fd;
}

NORN_INTERPOSE(int, bind, (int fd, const sockaddr* to, socklen_t size)) {
  if (!has_started()) return -1;
  if (int result = 0; inputs::replays_bind(fd, to, size, result)) return result;
  return real_bind(fd, to, size);
}

NORN_INTERPOSE(int, listen, (int fd, int most)) {
  if (!has_started()) return -1;
  const int result = real_listen(fd, most);
  if (result == 0) inputs::listening(fd);
  return result;
}

namespace {

int was_accepted(int listener, int fd, sockaddr* from, socklen_t room, socklen_t* size, const norn_site& site) {
  if (fd < 0) return fd;
  made_socket(fd);
  inputs::accepted(listener, fd, from, room, size);
  took_from_file(listener, site);
  return fd;
}

}  // namespace

NORN_INTERPOSE(int, accept, (int fd, sockaddr* from, socklen_t* size)) {
  if (!has_started()) return -1;
  if (!control::await_input(fd, site_accept)) return -1;
  const socklen_t room = size != nullptr ? *size : 0;
  return was_accepted(fd, real_accept(fd, from, size), from, room, size, site_accept);
}

NORN_INTERPOSE(int, accept4, (int fd, sockaddr* from, socklen_t* size, int flags)) {
  if (!has_started()) return -1;
  if (!control::await_input(fd, site_accept4)) return -1;
  const socklen_t room = size != nullptr ? *size : 0;
  return was_accepted(fd, real_accept4(fd, from, size, flags), from, room, size, site_accept4);
}

NORN_INTERPOSE(int, connect, (int fd, const sockaddr* to, socklen_t size)) {
  if (!has_started()) return -1;
  giving_to_file(fd, site_connect);
  int result = 0;
  if (!inputs::replays_connect(fd, to, size, result)) result = real_connect(fd, to, size);
  // One that will be there is there for what is read from it.
  const int error = errno;
  if (result == 0 || error == EINPROGRESS) inputs::connected(fd, to, size);
  errno = error;
  if (result == 0) took_from_file(fd, site_connect);
  return result;
}

NORN_INTERPOSE(int, getsockname, (int fd, sockaddr* name, socklen_t* size)) {
  if (!has_started()) return -1;
  return inputs::replays_name(fd, false, name, size) ? 0 : real_getsockname(fd, name, size);
}

NORN_INTERPOSE(int, getpeername, (int fd, sockaddr* name, socklen_t* size)) {
  if (!has_started()) return -1;
  return inputs::replays_name(fd, true, name, size) ? 0 : real_getpeername(fd, name, size);
}

NORN_INTERPOSE(int, setsockopt, (int fd, int level, int name, const void* value, socklen_t size)) {
  if (!has_started()) return -1;
  return inputs::replays_option(fd) ? 0 : real_setsockopt(fd, level, name, value, size);
}

NORN_INTERPOSE(int, getsockopt, (int fd, int level, int name, void* value, socklen_t* size)) {
  if (!has_started()) return -1;
  if (level == SOL_SOCKET || !inputs::replays_option(fd)) return real_getsockopt(fd, level, name, value, size);
  if (value != nullptr && size != nullptr) memset(value, 0, *size);
  return 0;
}
