// Worksharing: what the iterations of a loop, the sections of a construct and a single region are to each other.
//
// They may run on different threads even if one thread ran them all, so each is a thread of its own for the core, which
// begins after what its implicit task did before the construct. They share *lanes* (openmp_tasks.h), so that a loop of
// a million costs no more clocks than one of eight.
#include "norn/abi.h"
#include "runtime/intercept/interpose.h"
#include "runtime/openmp/openmp.h"
#include "runtime/openmp/openmp_tasks.h"

namespace norn::rt {
namespace {

// LLVM's ident_t says of which construct a call is (kmp.h, KMP_IDENT_WORK_…).
struct Place {
  int reserved;
  int flags;
};
constexpr int kOfSections = 0x400;

// The schedules that LLVM's compiler and runtime agree on (kmp.h, enum sched_type), without modifiers.
enum class Schedule : int {
  kStaticChunked = 33,
  kStatic = 34,
  kDynamicChunked = 35,
  kOrderedStaticChunked = 65,
  kOrderedStatic = 66,
  kOrderedDynamicChunked = 67,
  kDistributeStaticChunked = 91,
  kDistributeStatic = 92,
};
constexpr int kScheduleModifiers = 3 << 29;

// Iterations of one chunk of a size that the program chose stay together, whatever the number of threads.
bool has_fixed_chunks(Schedule schedule) {
  switch (schedule) {
    case Schedule::kStaticChunked:
    case Schedule::kDynamicChunked:
    case Schedule::kOrderedStaticChunked:
    case Schedule::kOrderedDynamicChunked:
    case Schedule::kDistributeStaticChunked:
      return true;
    default:
      return false;
  }
}

// An iteration belongs to a thread by its number alone: what the thread does afterwards comes after it, barrier or not.
bool is_static(Schedule schedule) {
  switch (schedule) {
    case Schedule::kStatic:
    case Schedule::kStaticChunked:
    case Schedule::kOrderedStatic:
    case Schedule::kOrderedStaticChunked:
    case Schedule::kDistributeStatic:
    case Schedule::kDistributeStaticChunked:
      return true;
    default:
      return false;
  }
}

void begin_loop(const void* at, int schedule, int64_t chunk) {
  const auto kind = static_cast<Schedule>(schedule & ~kScheduleModifiers);
  const bool sections = at != nullptr && (static_cast<const Place*>(at)->flags & kOfSections) != 0;
  const uint64_t size = has_fixed_chunks(kind) && chunk > 1 ? static_cast<uint64_t>(chunk) : 1;
  if (const Inspection here; here) begin_worksharing(*here, chunks_of(size), is_static(kind) && !sections);
}

void end_loop() {
  if (const Inspection here; here) end_worksharing(*here);
}

// How a taskloop says which iterations become one task (kmp.h, __kmpc_taskloop).
enum class Grain : int { kUnsaid = 0, kGrainsize = 1, kTasks = 2 };

// A grain of g, or as many tasks as possible, leaves it open where a task ends: only not before the first g iterations,
// nor within the last.
Chunks chunks_of_taskloop(Grain grain, uint64_t size, uint64_t count) {
  switch (grain) {
    case Grain::kGrainsize:
      if (size <= 1) return chunks_of(1);
      return count / 2 < size ? kOneChunk : Chunks{1, size - 1, count - size};
    case Grain::kTasks:
      return size <= 1 ? kOneChunk : chunks_of(1);
    default:
      return chunks_of(1);
  }
}

// While one exists, the present task makes those of a taskloop.
class TaskloopCreation {
 public:
  TaskloopCreation(bool deferred, Chunks chunks) : undeferred_(!deferred) {
    if (undeferred_) create_undeferred(true);
    const Inspection here;
    if (!here || here->openmp == nullptr || here->openmp->task == nullptr) return;
    creator_ = here->openmp->task;
    before_ = creator_->chunks;
    creator_->chunks = chunks;
  }
  ~TaskloopCreation() {
    if (creator_ != nullptr) creator_->chunks = before_;
    if (undeferred_) create_undeferred(false);
  }
  TaskloopCreation(const TaskloopCreation&) = delete;
  TaskloopCreation& operator=(const TaskloopCreation&) = delete;

 private:
  bool undeferred_;
  Task* creator_ = nullptr;
  Chunks before_ = kOneChunk;
};

}  // namespace
}  // namespace norn::rt

using namespace norn;
using namespace norn::rt;

NORN_EXPORT void __norn_omp_iteration(uint64_t number) {
  const ThreadState* state = current_state;
  if (state == nullptr || state->openmp == nullptr) return;
  const Inspection here{Inspection::Started()};
  if (here) begin_iteration(*here, number);
}

NORN_EXPORT void __norn_omp_taskloop_begin(const void* task, uint64_t size, uint64_t lower, uint64_t upper) {
  const ThreadState* state = current_state;
  if (state == nullptr || state->openmp == nullptr) return;
  const Inspection here{Inspection::Started()};
  if (here) begin_taskloop(*here, {address_of(task), address_of(task) + size}, lower, upper);
}

NORN_EXPORT void __norn_omp_taskloop_end(void) {
  const ThreadState* state = current_state;
  if (state == nullptr || state->openmp == nullptr) return;
  const Inspection here{Inspection::Started()};
  if (here) end_worksharing(*here);
}

NORN_EXPORT void __norn_omp_thread_local(void) {
  const ThreadState* state = current_state;
  if (state != nullptr && state->openmp != nullptr) thread_number_asked();
}

#define NORN_OPENMP_LOOP(suffix, type, signed_type)                                                           \
  NORN_INTERPOSE_OPTIONAL(void, __kmpc_for_static_init_##suffix,                                              \
                          (void* at, int thread, int schedule, int* last, type* lower, type* upper,           \
                           signed_type* stride, signed_type increment, signed_type chunk)) {                  \
    if (!has_started()) return;                                                                               \
    real___kmpc_for_static_init_##suffix(at, thread, schedule, last, lower, upper, stride, increment, chunk); \
    begin_loop(at, schedule, chunk);                                                                          \
  }                                                                                                           \
  NORN_INTERPOSE_OPTIONAL(                                                                                    \
      void, __kmpc_dispatch_init_##suffix,                                                                    \
      (void* at, int thread, int schedule, type lower, type upper, signed_type stride, signed_type chunk)) {  \
    if (!has_started()) return;                                                                               \
    real___kmpc_dispatch_init_##suffix(at, thread, schedule, lower, upper, stride, chunk);                    \
    begin_loop(at, schedule, chunk);                                                                          \
  }                                                                                                           \
  NORN_INTERPOSE_OPTIONAL(int, __kmpc_dispatch_next_##suffix,                                                 \
                          (void* at, int thread, int* last, type* lower, type* upper, signed_type* stride)) { \
    if (!has_started()) return 0;                                                                             \
    const int more = real___kmpc_dispatch_next_##suffix(at, thread, last, lower, upper, stride);              \
    if (more == 0) end_loop();                                                                                \
    return more;                                                                                              \
  }

NORN_OPENMP_LOOP(4, int32_t, int32_t)
NORN_OPENMP_LOOP(4u, uint32_t, int32_t)
NORN_OPENMP_LOOP(8, int64_t, int64_t)
NORN_OPENMP_LOOP(8u, uint64_t, int64_t)

NORN_INTERPOSE_OPTIONAL(void, __kmpc_for_static_fini, (void* at, int thread)) {
  if (!has_started()) return;
  end_loop();
  real___kmpc_for_static_fini(at, thread);
}

// Who executes it may be anyone.
NORN_INTERPOSE_OPTIONAL(int, __kmpc_single, (void* at, int thread)) {
  if (!has_started()) return 0;
  const int mine = real___kmpc_single(at, thread);
  if (mine == 0) return mine;
  if (const Inspection here; here) {
    begin_worksharing(*here, chunks_of(1), false);
    begin_iteration(*here, 0);
  }
  return mine;
}

NORN_INTERPOSE_OPTIONAL(void, __kmpc_end_single, (void* at, int thread)) {
  if (!has_started()) return;
  end_loop();
  real___kmpc_end_single(at, thread);
}

// --- ordered(n), depend(source) and depend(sink) ------------------------------------------------------------------

NORN_INTERPOSE_OPTIONAL(void, __kmpc_doacross_init, (void* at, int thread, int dimensions, const void* bounds)) {
  if (!has_started()) return;
  real___kmpc_doacross_init(at, thread, dimensions, bounds);
  if (const Inspection here; here) know_dimensions(*here, static_cast<unsigned>(dimensions));
}

NORN_INTERPOSE_OPTIONAL(void, __kmpc_doacross_post, (void* at, int thread, const int64_t* iteration)) {
  if (!has_started()) return;
  if (const Inspection here; here) post_iteration(*here, iteration);
  real___kmpc_doacross_post(at, thread, iteration);
}

NORN_INTERPOSE_OPTIONAL(void, __kmpc_doacross_wait, (void* at, int thread, const int64_t* iteration)) {
  if (!has_started()) return;
  real___kmpc_doacross_wait(at, thread, iteration);
  if (const Inspection here; here) await_iteration(*here, iteration);
}

// --- taskloop -----------------------------------------------------------------------------------------------------

NORN_INTERPOSE_OPTIONAL(void, __kmpc_taskloop,
                        (void* at, int thread, void* task, int deferred, uint64_t* lower, uint64_t* upper,
                         int64_t stride, int nogroup, int grain, uint64_t size, void* copy)) {
  if (!has_started()) return;
  const TaskloopCreation creation(deferred != 0,
                                  chunks_of_taskloop(static_cast<Grain>(grain), size, *upper - *lower + 1));
  real___kmpc_taskloop(at, thread, task, deferred, lower, upper, stride, nogroup, grain, size, copy);
}

// With a modifier: strict.
NORN_INTERPOSE_OPTIONAL(void, __kmpc_taskloop_5,
                        (void* at, int thread, void* task, int deferred, uint64_t* lower, uint64_t* upper,
                         int64_t stride, int nogroup, int grain, uint64_t size, int modifier, void* copy)) {
  if (!has_started()) return;
  const TaskloopCreation creation(deferred != 0, kOneChunk);
  real___kmpc_taskloop_5(at, thread, task, deferred, lower, upper, stride, nogroup, grain, size, modifier, copy);
}
