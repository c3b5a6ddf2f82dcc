// Signals: handlers run as their thread, never inside the runtime, and a program that a signal ends still reports.
#pragma once

#include <stdint.h>

#include "core/ids.h"
#include "runtime/process/syscalls.h"

namespace norn::rt {

void init_signals();

using SignalMask = uint64_t;  // as the kernel has it

inline void set_signal_mask(SignalMask mask) {
  constexpr long kSetMask = 2;
  sys::call(__NR_rt_sigprocmask, kSetMask, sys::as_long(&mask), 0, sizeof(mask));
}

// Returns the mask there was.
inline SignalMask block_signals() {
  const SignalMask all = ~SignalMask{0};
  SignalMask before = 0;
  constexpr long kSetMask = 2;
  sys::call(__NR_rt_sigprocmask, kSetMask, sys::as_long(&all), sys::as_long(&before), sizeof(all));
  return before;
}

// While one exists, the calling thread gets no signals. Threads it creates begin the same way.
class SignalsBlocked {
 public:
  SignalsBlocked() : before_(block_signals()) {}
  ~SignalsBlocked() { set_signal_mask(before_); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  [[nodiscard]] SignalMask before() const { return before_; }

 private:
  SignalMask before_;
};

// One write(2), whose failure is no signal to the program: nobody reads on the other side, or the file may not grow.
[[nodiscard]] long write_quietly(int fd, const char* data, size_t size);
// All of it, or as much as could be written.
bool write_all_quietly(int fd, const char* data, size_t size);

// What signals that wait to be delivered do to a call that blocks.
enum class Arriving : uint8_t { kNothing, kRestarts, kInterrupts };
// Of those that were sent to the calling thread or to the process, and that `blocked` does not keep back.
[[nodiscard]] Arriving arriving(SignalMask blocked);

// The program has one for it.
[[nodiscard]] bool has_handler(int number);
// Whether the program has a handler that may run at any time: of a signal that is no fault of its own.
[[nodiscard]] bool may_be_interrupted();

// A signal comes after it was sent, in whichever thread it arrives. Before it is sent, to one thread or to the process
// (kNoThread); and when the calling thread has it.
void sending_signal(int number, ThreadId to);
void got_signal(int number);
// The one by which the C library cancels a thread; no program has it.
constexpr int kCancellation = 32;

}  // namespace norn::rt
