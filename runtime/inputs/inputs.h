// What comes into the program from outside: written to a file in one run (schedule/input_log.h), and given to it again
// in others, which need no file, client or network then. Interceptors say here what they did, and ask here what to do.
// docs/design/inputs.md has the whole story.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <atomic>

#include "base/text.h"

namespace norn::rt::inputs {

// At most one of the two.
extern constinit bool recording;
extern constinit bool replaying;
inline bool is_concerned() { return __builtin_expect(recording || replaying, false); }

// If the settings ask for it. Recording: when the runtime starts; replaying: when control does.
void start_recording(char** environment);
void start_replaying();
// In the child of a fork: what it gets from outside is neither kept nor replayed.
void stop();

// --- files -----------------------------------------------------------------------------------------------------------

// A path that the program gives to the C library: where to look for it, and what came of it.
class Path {
 public:
  Path(int directory, const char* path, int flags);
  // In place of the program's.
  [[nodiscard]] const char* text() const { return text_; }
  // It was opened, or (`fd` < 0, errno) was not.
  void opened(int fd) const;
  // It was asked for, and was there or not.
  void looked_at(bool is_there) const;
  [[nodiscard]] static int flags_of(const char* mode);  // fopen's

 private:
  static constexpr size_t kRoom = 4096;

  const char* text_;
  int flags_;
  size_t size_ = 0;  // of the path from the root; 0: it does not concern anybody
  char absolute_[kRoom];
  char own_[32];  // the name of a descriptor that stands for it
};
inline constexpr int kLookedAt = -1;  // in place of flags: it is not opened

// --- streams ---------------------------------------------------------------------------------------------------------

// After they happened, in any run.
void read_from(int fd, const iovec* buffers, size_t count, ssize_t size, int error);
inline void read_from(int fd, void* buffer, size_t room, ssize_t size, int error) {
  const iovec one = {buffer, room};
  if (is_concerned()) read_from(fd, &one, 1, size, error);
}
void wrote_to(int fd, ssize_t size);
void closed(int fd);
void duplicated(int from, int to);
void listening(int fd);
void accepted(int listener, int fd, sockaddr* from, socklen_t room, socklen_t* size);
void connected(int fd, const sockaddr* to, socklen_t size);

// In a replay: true, if it is done with what is recorded, and `result` (and errno) is what the call returns.
[[nodiscard]] bool replays_write(int fd, const iovec* buffers, size_t count, ssize_t& result);
[[nodiscard]] inline bool replays_write(int fd, const void* buffer, size_t size, ssize_t& result) {
  const iovec one = {const_cast<void*>(buffer), size};
  return __builtin_expect(replaying, false) && replays_write(fd, &one, 1, result);
}
[[nodiscard]] bool replays_sendfile(int to, int from, off64_t* offset, size_t size, ssize_t& result);
// A socket to others is one that nobody outside can reach.
[[nodiscard]] int domain_of_socket(int domain, int type);
void made_socket(int fd, int asked, int domain);
[[nodiscard]] bool replays_bind(int fd, const sockaddr* to, socklen_t size, int& result);
[[nodiscard]] bool replays_connect(int fd, const sockaddr* to, socklen_t size, int& result);
[[nodiscard]] bool replays_name(int fd, bool of_peer, sockaddr* name, socklen_t* size);
[[nodiscard]] bool replays_option(int fd);

// What stdio does with streams by itself comes to the interceptors, too. False: it cannot be had so.
[[nodiscard]] bool intercept_stdio();

// --- when they come (of a replay; by the scheduler, under its mutex) -------------------------------------------------

// What has come by now: all that the program has done enough for.
void come();
// Nobody can go on but by time that passes: after a while what is next comes all the same. True: something came.
[[nodiscard]] bool come_to_idle();
// Nobody can go on at all: likewise, but now. Does not return if the recorded run was ended from outside here.
[[nodiscard]] bool come_to_stop();

// A signal of another process, in a run that is recorded.
void got_signal(int number);
// The program ends by itself.
void ended();

// The first difference to the recorded run, in words.
void note_difference(Text what, Text detail);

}  // namespace norn::rt::inputs
