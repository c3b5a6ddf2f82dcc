// What the runtime knows of each thread, and the door between the program and the runtime.
//
// A thread is *inside* while `depth` is 1. Inside, it touches the core and the runtime's own tables; it waits for
// nobody who is outside, calls nothing of the host that can block or call back, and a signal that arrives is kept until
// it leaves (signals.cc). So nothing in the runtime needs to be reentrant, and a fork that has closed the gate and seen
// everybody outside leaves no lock of the runtime taken in the child (process.cc).
#pragma once

#include <signal.h>
#include <stdint.h>

#include <atomic>

#include "core/ids.h"
#include "core/storage/arena.h"

#define NORN_TLS __attribute__((tls_model("initial-exec")))

namespace norn {
class Detector;
struct Thread;
}  // namespace norn
struct norn_region;  // norn/abi.h
struct norn_site;
namespace norn::trace {
struct Stream;
}

namespace norn::rt {

// Kept for ever, by number: reports speak of threads that ended long ago.
struct ThreadInfo {
  static constexpr size_t kNameSize = 28;
  Address stack_begin;
  Address stack_end;
  StackId created_at;
  const void* creator;  // the code that called pthread_create
  ThreadId parent;
  ThreadId host;  // of OpenMP's work: the member of the team that does it
  bool ended;
  char name[kNameSize];
};

struct OnceFrame;
struct OpenMpThread;

struct KeptSignal {
  int number;
  siginfo_t info;
};

// The call stack that belongs to a native stack: of a thread or of a fiber.
struct CallStack {
  const norn_site** begin = nullptr;
  const norn_site** end = nullptr;
  // The stack id of each call that is marked as seen (hooks/stack_ids.cc).
  StackId* stack_ids = nullptr;
  size_t mapped = 0;  // bytes of the calls, guard included

  // Of a slot that is null: a function of code that was made for ThreadSanitizer (hooks/code_sites.h).
  struct Foreign {
    const Address* returns;  // where its calls leave what they return to; null: unknown
    Address entry;           // in its code
  };
  Foreign* foreign = nullptr;  // by slot; null: there are none

  // A call of which the stack id is known has the lowest bit set. Whoever pushes another one there takes the mark away.
  // The second lowest is the program's.
  static constexpr uintptr_t kUnsampled = 2;  // NORN_UNSAMPLED_CALL
  static bool is_seen(const norn_site* call) { return (reinterpret_cast<uintptr_t>(call) & 1) != 0; }
  static const norn_site* seen(const norn_site* call) {
    return reinterpret_cast<const norn_site*>(reinterpret_cast<uintptr_t>(call) | 1);
  }
  static const norn_site* site_of(const norn_site* call) {
    return reinterpret_cast<const norn_site*>(reinterpret_cast<uintptr_t>(call) & ~(1 | kUnsampled));
  }

  [[nodiscard]] bool create(size_t native_stack_bytes);
  [[nodiscard]] bool add_foreign();
  // What a slot was used for before is not known to be true any more.
  void forget_foreign(const norn_site* const* slot) const {
    if (foreign != nullptr && slot >= begin && slot < end) foreign[slot - begin].returns = nullptr;
  }
  void destroy();
};

struct Fiber {
  Thread* core = nullptr;
  CallStack calls;
  const norn_site** top = nullptr;  // while another one runs
  Fiber* next = nullptr;            // idle ones
};

struct ThreadState {
  std::atomic<uint32_t> depth{0};
  uint32_t handlers = 0;          // how many of the program's signal handlers are running, one interrupting the other
  uint32_t outside_handlers = 0;  // of those the ones for signals that the thread did not send itself
  int raising = 0;                // the signal that it sends to itself at this moment
  std::atomic<uint32_t> kept_signals{0};
  Thread* core = nullptr;  // of the fiber that runs on this thread
  ThreadId id = 0;

  // hooks/stack_ids.cc
  struct Prefix {
    const norn_site* site;
    StackId parent;
    StackId stack;
  };
  static constexpr unsigned kMostCalls = 128;  // of a stack id, about
  static constexpr unsigned kCalls = 1024;
  static constexpr unsigned kStackIds = 2048;
  Prefix called[kCalls] = {};        // by call and caller
  Prefix stack_ids[kStackIds] = {};  // by site and caller
  uint32_t unloads = 0;              // how many modules were gone when these were empty

  // The hoisted ranges that it reported, the last of each site (hooks/range_hooks.cc). Each stands as long as the
  // thread's own shadow words do.
  struct HoistedRange {
    const norn_site* site;
    Address first;
    uint64_t count;
    uint64_t step;
    uint64_t size;
    uint64_t memory_changes;
    uint64_t collections;
    Slot slot;
    ClockValue time;
  };
  static constexpr unsigned kRuns = 32;
  HoistedRange runs[kRuns] = {};

  CallStack calls;               // of the thread's own stack
  CallStack* running = nullptr;  // the one in use
  Fiber* fiber = nullptr;        // null: the thread's own stack
  OpenMpThread* openmp = nullptr;
  norn_region* regions = nullptr;  // sampling.cc
  Address lowest_frame = 0;        // below it nothing of its native stack was touched since its tasks were told apart

  static constexpr unsigned kMaxKept = 16;
  KeptSignal kept[kMaxKept];

  trace::Stream* stream = nullptr;  // what it records (reporting/recording.cc)

  // What the access writes that it is about, for its report (hooks/access_hooks.cc); `at` is null where nobody said it.
  struct Written {
    const void* at = nullptr;
    uint64_t value = 0;
  };
  Written written;

  Address last_block = 0;  // what malloc or one of its family gave it last

  uintptr_t pthread = 0;
  Address stack_begin = 0;
  Address stack_end = 0;
  Address thread_pointer = 0;
  int exit_rounds = 0;

  // pthread_once: what the trampoline is to call, and what it is calling (barriers.cc).
  void (*once_routine)() = nullptr;
  void* once_control = nullptr;
  OnceFrame* once_frame = nullptr;

  std::atomic<bool> live{false};
  ThreadState* next = nullptr;  // all there ever were
  ThreadState* next_idle = nullptr;
};

extern constinit Detector detector;
extern constinit Arena memory;  // of the runtime's own tables

extern NORN_TLS __thread ThreadState* current_state;
extern NORN_TLS __thread bool current_ended;  // nothing this thread does counts any more

enum class Phase : uint8_t { kNotStarted, kStarting, kReady };
extern constinit std::atomic<Phase> phase;

// Starts the runtime if it has not started; false while it is starting.
bool start_runtime();

// For the calling thread, which the runtime has not seen before.
ThreadState* adopt_thread();
ThreadState* make_state(ThreadId id, Thread* core, size_t native_stack_bytes);
void release_state(ThreadState& state);
ThreadState* first_state();

ThreadId new_thread_number();
ThreadId thread_numbers();
ThreadInfo* thread_info(ThreadId id);
void set_thread_name(ThreadId id, const char* name);

// Closed by who forks: nobody enters. The fast paths of an access heed it as the detector's gate; close_gate() and
// open_gate() keep the two alike.
extern constinit std::atomic<bool> gate;
// False: it was closed already.
[[nodiscard]] bool close_gate();
void open_gate();
// False: it did not open in time, in a signal handler.
[[nodiscard]] bool wait_at_gate(ThreadState& state);
void deliver_kept_signals(ThreadState& state);

inline void leave(ThreadState& state) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  state.depth.store(0, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (state.kept_signals.load(std::memory_order_relaxed) != 0) [[unlikely]]
    deliver_kept_signals(state);
}

// False: the thread is inside already, in the code that a signal handler interrupted or that called back.
[[nodiscard]] inline bool enter(ThreadState& state) {
  if (state.depth.load(std::memory_order_relaxed) != 0) [[unlikely]]
    return false;
  state.depth.store(1, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  // Whoever closes the gate makes all threads execute a barrier before it looks at their depths.
  if (gate.load(std::memory_order_relaxed)) [[unlikely]]
    return wait_at_gate(state);
  return true;
}

// Does work() as the runtime, by a thread that is the program's: signals are kept meanwhile.
template <class Work>
[[gnu::always_inline]] inline bool do_inside(ThreadState& state, const Work& work) {
  state.depth.store(1, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const bool result = work();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  state.depth.store(0, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return result;
}

// The calling thread, inside, as long as the object lives; null where its events do not count.
class Inspection {
 public:
  Inspection() {
    if (phase.load(std::memory_order_acquire) != Phase::kReady) [[unlikely]] {
      if (!start_runtime()) return;
    }
    begin();
  }
  // For who knows that the runtime has started, because accesses count.
  struct Started {};
  explicit Inspection(Started) { begin(); }
  ~Inspection() {
    if (state_ != nullptr) leave(*state_);
  }
  Inspection(const Inspection&) = delete;
  Inspection& operator=(const Inspection&) = delete;

  explicit operator bool() const { return state_ != nullptr; }
  ThreadState* operator->() const { return state_; }
  ThreadState& operator*() const { return *state_; }
  [[nodiscard]] Thread& thread() const { return *state_->core; }

 private:
  void begin() {
    ThreadState* state = current_state;
    if (state == nullptr) [[unlikely]] {
      state = adopt_thread();
      if (state == nullptr) return;
    }
    if (enter(*state)) state_ = state;
  }

  ThreadState* state_ = nullptr;
};

inline Address address_of(const volatile void* pointer) { return reinterpret_cast<Address>(pointer); }

// Makes sure that the real_… pointers are there. While the runtime starts they may not be.
inline bool has_started() { return phase.load(std::memory_order_acquire) == Phase::kReady || start_runtime(); }

}  // namespace norn::rt
