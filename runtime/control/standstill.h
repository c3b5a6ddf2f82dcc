// Knowing by its state that a program stands still though threads run.
//
// A thread that waits by looking (spinning, yielding, sleeping, trying a lock) never becomes disabled, so a program of
// which nothing but such threads is left is no deadlock. It is as dead as one if nothing that they look at can change.
// That is known, not guessed, when
//   - each thread that can go on, now or when time passes, came to one place again and again with the same registers
//     and the same stack, and
//   - between these visits nobody changed memory, read a clock, drew a random number, called for a descriptor, created,
//     joined or signalled, or came back from the kernel; writes of what is there already change nothing, nor do writes
//     into a thread's own stack where no other looks; a lock that is taken and given up again is as before, unless
//     somebody tries it without waiting, and
//   - all others wait for ever, and none of them for the kernel or another process, and
//   - no signal has a handler, and no memory is shared with another process.
// A thread that is in the same state, and reads the same, does the same again: for ever.
//
// What cannot be seen: memory that code without hooks changes (a library's own pages are compared, its heap is
// not), and calls of the kernel that no interceptor knows. A loop that counts its rounds is never in the same state
// again: such a program hangs only by the clock (experiment/stage.cc).
//
// Looking costs a hash of the stack at each point. So it begins when nobody has got on for a while, and stops for ever
// longer when it shows nothing. All of it by the thread that has the turn.
#pragma once

#include "base/hash.h"
#include "runtime/control/slots.h"

namespace norn::rt::control {

class Standstill {
 public:
  // Nobody seems to get on.
  void suspect();
  [[nodiscard]] bool is_watching() const { return watching_; }

  // The thread comes to a point or an access. `frame`: this_frame() of the function that the program's code, or the
  // interceptor it called, calls: so that nothing counts of what norn itself has left on the stack.
  void visit(Slot& self, schedule::Op op, uint64_t object, uint64_t frame);
  // It is about to access so many bytes.
  void access(Slot& self, bool writes, uint64_t address, uint64_t size);
  // It takes a lock, and waits for it if need be; or it only tries.
  void takes(uint64_t lock) { taken_ |= bit_of(lock); }
  void tries(Slot& self, uint64_t lock);
  // Something happened that may be different the next time.
  void changed() {
    ++epoch_;
    taken_ = tried_ = 0;
    libraries_ = 0;
  }

  // What the scheduler computed, and above all the time, would be in the holes of the program's next frames, and make
  // its state another one.
  [[gnu::noinline]] static void clear_stack_below();

  // How many threads only look; 0: it is not known that nobody gets on.
  [[nodiscard]] uint32_t pollers();

 private:
  [[nodiscard]] static uint64_t bit_of(uint64_t lock) { return uint64_t{1} << (hash_word(lock) >> 58); }
  void settle(Slot& self);
  // It waits for a lock that who looks takes and gives up again and again: it only was not chosen in between.
  [[nodiscard]] bool waits_for_taken(const Slot& slot) const {
    return slot.status.load(std::memory_order_relaxed) == Status::kWaiting && slot.waiting == Waiting::kLock &&
           (taken_ & bit_of(slot.object)) != 0;
  }

  bool watching_ = false;
  uint64_t epoch_ = 1;  // of what is known: whatever changes ends it
  uint64_t taken_ = 0;  // locks, by a bit of their hash
  uint64_t tried_ = 0;
  uint64_t libraries_ = 0;  // the hash of their pages when all had come round once; 0: not yet
  uint32_t steps_ = 0;      // while it watches
  uint32_t suspicions_ = 0;
  uint32_t until_next_ = 0;  // suspicions that are passed over
  uint32_t asked_ = 0;
};
extern constinit Standstill standstill;

// The caller's frame. Below it the caller has pushed the registers that a call keeps; all others are on the stack
// already if they are of any use to the program.
[[gnu::always_inline]] inline uint64_t this_frame() {
  asm volatile("" : : : "rbx", "r12", "r13", "r14", "r15", "memory");
  return reinterpret_cast<uint64_t>(__builtin_frame_address(0));
}

}  // namespace norn::rt::control
