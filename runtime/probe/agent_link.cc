#include "runtime/probe/agent_link.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <linux/memfd.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "runtime/probe/slots.h"
#include "runtime/probe/stacks.h"
#include "runtime/process/syscalls.h"

namespace norn::probe {
namespace {

namespace sys = rt::sys;

constexpr int kHigh = 900;  // most programs have fewer descriptors, and limits are higher

int number_of(long result) { return sys::failed(result) ? -1 : static_cast<int>(result); }

// The file's build id.
int find_build(dl_phdr_info* info, size_t /*size*/, void* argument) {
  auto* hello = static_cast<wire::Hello*>(argument);
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    const char* end = at + info->dlpi_phdr[i].p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const auto padded = [](size_t size) { return (size + 3) / 4 * 4; };
      const char* name = at + sizeof(*note);
      const char* text = name + padded(note->n_namesz);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
        hello->build_size =
            static_cast<uint8_t>(note->n_descsz < wire::kBuildBytes ? note->n_descsz : wire::kBuildBytes);
        memcpy(hello->build, text, hello->build_size);
        return 1;
      }
      at = text + padded(note->n_descsz);
    }
  }
  return 1;  // the program itself comes first, and is all that is asked for
}

void append(char* to, size_t room, const char* text) {
  const size_t size = strlen(to);
  strncpy(to + size, text, room - size - 1);
}

}  // namespace

const char* variable_of(char* const* environment, const char* name) {
  const size_t size = strlen(name);
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    if (strncmp(*environment, name, size) == 0 && (*environment)[size] == '=') return *environment + size + 1;
  }
  return nullptr;
}

bool AgentLink::open(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path[0] == '\0' || strlen(path) >= sizeof(address.sun_path)) return false;
  strcpy(address.sun_path, path);
  const int made = number_of(sys::call(__NR_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (made < 0) return false;
  // One whose queue is full answers at once that it has no time.
  if (sys::failed(sys::call(__NR_connect, made, sys::as_long(&address), sizeof(address)))) {
    sys::call(__NR_close, made);
    return false;
  }
  const int high = number_of(sys::call(__NR_fcntl, made, F_DUPFD_CLOEXEC, kHigh));
  if (high >= 0) sys::call(__NR_close, made);
  socket_ = high >= 0 ? high : made;
  struct stat about{};
  sys::call(__NR_fstat, socket_, sys::as_long(&about));
  inode_ = about.st_ino;
  return true;
}

// Who listens there could do with this process what it likes without us.
bool AgentLink::is_trusted() const {
  ucred peer{};
  socklen_t size = sizeof(peer);
  const long asked =
      sys::call(__NR_getsockopt, socket_, SOL_SOCKET, SO_PEERCRED, sys::as_long(&peer), sys::as_long(&size));
  const auto own = static_cast<uid_t>(sys::call(__NR_geteuid));
  return !sys::failed(asked) && (peer.uid == 0 || peer.uid == own);
}

bool AgentLink::greet(uint32_t probes) {
  const int shared =
      number_of(sys::call(__NR_memfd_create, sys::as_long("norn-doorbell"), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (shared < 0) return false;
  void* memory = MAP_FAILED;
  const bool sealed = !sys::failed(sys::call(__NR_ftruncate, shared, kDoorbellBytes)) &&
                      !sys::failed(sys::call(__NR_fcntl, shared, F_ADD_SEALS, kDoorbellSeals));
  shares_slots_ = sealed && is_trusted() && share_page(shared);
  if (shares_slots_) {
    memory = &page;
  } else if (sealed) {
    const long mapped = sys::call(__NR_mmap, 0, kDoorbellBytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    if (!sys::failed(mapped)) memory = reinterpret_cast<void*>(mapped);
  }
  bool sent = false;
  if (memory != MAP_FAILED) {
    wire::Hello hello;
    hello.pid = sys::pid();
    hello.probes = probes;
    dl_iterate_phdr(&find_build, &hello);
    put_name(program_name(), hello.program, sizeof(hello.program));
    uint8_t bytes[wire::kLargest];
    iovec part{bytes, wire::write(hello, bytes)};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(rights), &shared, sizeof(int));
    sent = !sys::failed(sys::call(__NR_sendmsg, socket_, sys::as_long(&message), MSG_DONTWAIT | MSG_NOSIGNAL));
    if (sent) {
      doorbell_ = static_cast<Doorbell*>(memory);
    } else if (shares_slots_) {
      own_page();
    } else {
      sys::call(__NR_munmap, sys::as_long(memory), kDoorbellBytes);
    }
  }
  sys::call(__NR_close, shared);
  return sent;
}

bool AgentLink::connect(char* const* environment, uint32_t probes) {
  bool opened = false;
  if (const char* said = variable_of(environment, "NORN_HIVE_SOCKET"); said != nullptr) {
    opened = open(said);
  } else {
    if (const char* runtime = variable_of(environment, "XDG_RUNTIME_DIR"); runtime != nullptr) {
      char path[sizeof(sockaddr_un::sun_path) + 1] = {};
      append(path, sizeof(path), runtime);
      append(path, sizeof(path), "/norn/hive.socket");
      opened = open(path);
    }
    opened = opened || open("/run/norn/hive.socket");
  }
  if (opened && greet(probes)) return true;
  close();
  return false;
}

bool AgentLink::is_ours() const {
  struct stat about{};
  if (socket_ < 0 || sys::failed(sys::call(__NR_fstat, socket_, sys::as_long(&about)))) return false;
  return S_ISSOCK(about.st_mode) && about.st_ino == inode_;
}

// The doorbell stays mapped: another thread may be looking at it.
void AgentLink::forget() {
  if (is_ours()) sys::call(__NR_close, socket_);
  socket_ = -1;
}

void AgentLink::close() { forget(); }

void AgentLink::send_bytes(const uint8_t* bytes, size_t size) {
  if (!is_ours()) {
    socket_ = -1;
    return;
  }
  const long sent =
      sys::call(__NR_sendto, socket_, sys::as_long(bytes), static_cast<long>(size), MSG_DONTWAIT | MSG_NOSIGNAL);
  constexpr long kAgain = -11;
  if (sys::failed(sent) && sent != kAgain && sent != sys::kInterrupted) close();
}

bool AgentLink::receive(wire::Message& message) {
  for (;;) {
    if (!is_ours()) {
      socket_ = -1;
      return false;
    }
    uint8_t bytes[wire::kLargest + 1];
    const long size = sys::call(__NR_recvfrom, socket_, sys::as_long(bytes), sizeof(bytes), MSG_DONTWAIT);
    if (size == sys::kInterrupted) continue;
    constexpr long kAgain = -11;
    if (size == kAgain) return false;
    // Who says something else than this version knows is none (wire.h).
    if (size <= 0 || !wire::read(bytes, static_cast<size_t>(size), message)) {
      close();
      return false;
    }
    return true;
  }
}

void AgentLink::await(unsigned milliseconds) const {
  pollfd wanted{socket_, POLLIN, 0};
  sys::call(__NR_poll, sys::as_long(&wanted), 1, static_cast<long>(milliseconds));
}

}  // namespace norn::probe
