// Controlled execution: one thread runs at a time, and a strategy (schedule/) says which.
//
// A thread has the *turn* or waits for it. It stops at *points*: before each synchronization operation, atomic, and
// access at a site of interest. There the strategy chooses among the threads that are enabled, and the turn is handed
// over. Real primitives stay in use, by their try-forms: what cannot be had now makes the thread wait, disabled, until
// someone who holds the turn gives it up. So a thread that has the turn never blocks in the C library, and the
// scheduler knows who waits for what: if nobody is enabled and nobody can become so, that is a deadlock.
// docs/design/schedule.md has the whole story.
#pragma once

#include <poll.h>
#include <time.h>

#include "runtime/process/mode.h"
#include "schedule/strategy.h"

namespace norn::rt {

namespace control {

using schedule::Op;

// Nanoseconds of the virtual clock, which stands still while anyone can run.
using Time = uint64_t;
inline constexpr Time kForever = ~Time{0};

// What a thread waits for.
enum class Waiting : uint8_t {
  kNothing,
  kLock,
  kCondition,
  kThread,
  kBarrier,
  kSemaphore,
  kOnce,
  kFutex,
  kTime,
  kFile,     // a descriptor that is not ready; looked at again and again
  kOutsider  // something that another process may do; tried again and again
};
[[nodiscard]] const char* name_of(Waiting waiting);

// What acquire() says when a signal or a cancellation came; of locks it never does.
inline constexpr int kInterruptedCall = -4;

enum class Woken : uint8_t { kWoken, kTimeout, kInterrupted };

// At the runtime's start, inside: reads the settings. The calling thread has the turn.
void start();
// In a forked child: it runs free.
void stop();

// The calling thread has the turn and can be stopped here; if it had lost the turn, it has it back. False: it is inside
// the runtime, or not controlled, and does as if there were no control.
[[nodiscard]] bool active();

// --- points (while active) -----------------------------------------------------------------------------------------

void point(Op op, const volatile void* object, const norn_site* site);
// An access: a point if it is one of interest. `written`: what a write writes; null: its hook does not know.
void access(AccessKind kind, const volatile void* address, size_t size, const norn_site* site,
            const uint64_t* written = nullptr);
// An atomic operation: always a point.
void atomic(const volatile void* address, size_t size, bool writes, const norn_site* site);
// The thread offers its turn.
void yield(const norn_site* site);

// What is about to be done to a lock or the like after its point (standstill.h): it is waited for, or only tried.
void note_taken(const volatile void* lock, Waiting waiting);
void note_tried(const volatile void* lock);

// The same from anywhere: nothing where there is no control.
inline void pass(Op op, const volatile void* object, const norn_site& site) {
  if (!is_controlled() || !active()) return;
  point(op, object, &site);
  if (op == Op::kAcquire) note_tried(object);
}

// --- waiting (while active) ----------------------------------------------------------------------------------------

// Until someone wakes who waits for the object, or it is `until`.
Woken wait(Waiting waiting, const volatile void* object, Time until = kForever);
// The same, for time alone to pass; a point first.
Woken sleep(Time until, const norn_site& site);
// For one of the descriptors to be ready, by looking. They must stay where they are until it returns.
Woken wait_for_files(const pollfd* files, uint32_t count, Time until);
// So that a call on the descriptor does not wait (`events` of poll): false and errno if a signal came first.
[[nodiscard]] bool await_file(int fd, short events, const norn_site& site);
// Writing so much may wait for a reader, who may need the turn.
[[nodiscard]] bool may_wait_to_write(int fd, size_t size);
void wake_all(const volatile void* object);
void wake_one(const volatile void* object);
// From anywhere: the object was given up.
inline void gave_up(const volatile void* object) {
  if (is_controlled() && active()) wake_all(object);
}

[[nodiscard]] uint32_t waiters(const volatile void* object);

// Routines that run once (pthread_once, local statics): whoever comes second waits. From anywhere but the first.
void await_routine(const volatile void* control, Waiting waiting = Waiting::kOnce);
void begin_routine(const volatile void* control);
void end_routine(const volatile void* control);

// Takes what `attempt` takes, which says `busy` while it cannot be had.
template <class Attempt>
int acquire(const volatile void* object, const norn_site* site, Waiting waiting, Time until, int busy, int late,
            Attempt attempt) {
  point(Op::kAcquire, object, site);
  note_taken(object, waiting);
  for (;;) {
    const int result = attempt();
    if (result != busy) return result;
    const Woken woken = wait(waiting, object, until);
    if (woken == Woken::kTimeout) return late;
    if (woken == Woken::kInterrupted) return kInterruptedCall;
  }
}

// The same from anywhere: false and errno if a signal came first.
[[nodiscard]] inline bool await_input(int fd, const norn_site& site) {
  return !is_controlled() || await_file(fd, POLLIN, site);
}

// A barrier that the scheduler does not run itself: it lets its threads go when so many have come.
struct Gathering {
  uint64_t number = 0;  // 0: none
  uint32_t members = 0;
  bool parks = false;  // who waits here stays when all have come, until it is wanted for something new
};
// The thread gives the turn away, and queues for it at its next point. False: there is nothing to give.
bool go_outside(const Gathering& gathering = {});
// By the calling thread, which has left the gathering, though it may not have the turn yet.
void leave_gathering();
// Who is parked may be wanted now.
void unpark_all();
// Pieces of work that somebody who waits at a gathering may take up.
extern constinit std::atomic<uint32_t> work_to_take;
// While one exists the thread is in a call that may block in the kernel: others have the turn.
class Outside {
 public:
  Outside();
  ~Outside();
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

 private:
  bool gave_ = false;
};

// Around a handler of the program: one that interrupted a call in the kernel leaves the turn as it found it.
class Handler {
 public:
  Handler();
  ~Handler();
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;

 private:
  bool was_outside_ = false;
};

// --- threads -------------------------------------------------------------------------------------------------------

inline constexpr uint32_t kNoSlot = ~uint32_t{0};
// A place for a thread that is about to be created; kNoSlot: there are too many.
[[nodiscard]] uint32_t reserve(ThreadId id);
void release(uint32_t slot);
// By the creator: returns when the new thread stands at its beginning.
void created(uint32_t slot);
// By the new thread: returns when it is its turn.
void begin(uint32_t slot);
// By a thread that ends: the turn goes on without it.
void end();
// A signal or a cancellation is on its way to the thread: if it waits, it wakes. A cancellation is also for the next
// wait.
void interrupt(ThreadId id, bool cancels);
// Until the thread has ended.
[[nodiscard]] Woken join(ThreadId id, Time until);
// From now on the C library may create threads that nobody announces (SIGEV_THREAD): that nobody can go on is no
// deadlock.
void expect_callbacks();

// --- time ----------------------------------------------------------------------------------------------------------

[[nodiscard]] Time now();
// What a clock of the system shows now. A thread that only looks at the clock makes it go.
timespec read_clock(clockid_t clock);
// When the clock will show `until`; kForever if it is null.
[[nodiscard]] Time deadline(clockid_t clock, const timespec* until);
[[nodiscard]] Time after(const timespec& duration);

// Numbers that are random for the program and fixed by the seed.
void fill_random(void* bytes, size_t size);
// What was read from a descriptor: if that is /dev/urandom or /dev/random, the same numbers take its place.
void fix_read(int fd, void* bytes, size_t size);

}  // namespace control
}  // namespace norn::rt
