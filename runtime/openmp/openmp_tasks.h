// OpenMP's teams and tasks, as threads of the core.
#pragma once

#include "core/order/release_clock.h"
#include "core/order/thread.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/state.h"

namespace norn::rt {

struct Task;

// One parallel region, or one league of teams. What its tasks do between two barriers is a phase. Everything done in a
// phase is released to its clock, and who leaves the barrier acquires it. Two release clocks are enough: nobody is in
// the phase after the next before all have left this one.
struct Team {
  ReleaseClock begin;  // from who encountered the region
  uint64_t number;     // for ever its own
  uint32_t members;    // threads; 0: not known yet
  ReleaseClock phases[2];
  ReleaseClock ordered;  // from each ordered region to the next
  // From depend(source) to depend(sink) of the same iteration. Two that share a clock are ordered once too often.
  static constexpr unsigned kPosts = 64;
  ReleaseClock posts[kPosts];
  std::atomic<uint32_t> references;  // the region, and its tasks
  StackId created_at;
  ThreadId parent;
  static constexpr unsigned kMaxLocks = 8;
  Held locks[kMaxLocks];  // that the encountering task holds: the team works under them
  unsigned lock_count;
};

struct Taskgroup {
  ReleaseClock done;
  Taskgroup* outer;
};

enum class DependenceKind : uint8_t { kIn, kOut, kSet, kMutexSet };
constexpr unsigned kDependenceKinds = 4;
constexpr Address kAllMemory = 0;

// What the children of one task that named this address have done, by how they named it.
struct Dependence {
  Address address;
  ReleaseClock done[kDependenceKinds];
  Dependence* next;
};

struct Named {
  Dependence* dependence;
  DependenceKind kind;
  Named* next;
};

// Iterations, sections and single regions run in lanes: threads of the core that begin after what their implicit task
// did before the construct, and know nothing of each other. Within a lane each iteration begins again after the same
// and knows nothing of those before it; only for others that are ordered after it are these one
// (Detector::begin_again). So one lane is enough until an iteration synchronizes; from then on they are dealt to
// several.
constexpr unsigned kLanes = 8;

// Which iterations of a loop stay together, whatever the number of threads: a chunk is what no schedule divides.
struct Chunks {
  uint64_t size;   // of each, in iterations
  uint64_t first;  // the chunks up to this one are one
  uint64_t last;   // so are those from this one on

  [[nodiscard]] uint64_t chunk(uint64_t iteration) const {
    const uint64_t number = size > 1 ? iteration / size : iteration;
    return number < first ? first : number > last ? last : number;
  }
};
constexpr Chunks kOneChunk = {1, 0, 0};
[[nodiscard]] constexpr Chunks chunks_of(uint64_t size) { return {size, 0, ~uint64_t{0}}; }

struct Worksharing {
  ReleaseClock begin;     // from the task to its lanes
  ReleaseClock end;       // and back
  Thread* lanes[kLanes];  // made when first needed, and used again by the next construct
  bool used[kLanes];      // by this construct
  bool synchronizes;      // some iteration of this construct did
  bool in_order;          // some iteration created tasks or a region: from there on the thread's are in order
  Thread* present;        // null: not in an iteration
  uint64_t chunk;         // the present one
  uint64_t events;        // so many had its lane synchronized when it began
  Chunks chunks;
  bool is_static;  // which iteration is whose is known
  bool active;
  bool knows_thread;    // the present iteration asked which thread it runs on
  unsigned dimensions;  // of ordered(n)
};

struct Task {
  Thread* core;    // null: it has ended, or it never was one
  bool owns_core;  // it is not its parent's
  bool is_implicit;
  bool is_final;
  bool is_untied;
  bool begun;
  bool knows_thread;  // it asked which thread it runs on
  uint32_t phase;     // of its team
  Team* team;         // null: outside of all regions
  Task* parent;       // null: implicit
  Task* below;        // what this thread of the host ran before, and will run again
  Task* carrier;      // the implicit task of the thread that runs it
  Worksharing* work;  // null: none yet
  Chunks chunks;      // of the taskloop it is of, or whose tasks it creates; all zeroes: of none, one chunk
  Bytes own;          // of a taskloop's task: where its own variables are
  uint64_t begun_at;  // by the clock of its thread (OpenMpThread)
  unsigned index;     // implicit: in its team
  Taskgroup* group;
  ReleaseClock children;             // that have completed
  ReleaseClock number;               // implicit: from each task that asked for this thread's number to the next
  std::atomic<uint32_t> references;  // itself, and its children
  SpinMutex dependences_mutex;
  Dependence* dependences;  // of its children
  Named* named;             // by itself
  CallStack calls;          // from its own beginning
  Address frame;            // where its part of the host's stack begins, as long as it has one
};

// What a thread of the host runs, and what it is when it runs nothing of OpenMP's.
struct OpenMpThread {
  Thread* core;
  ThreadId id;
  CallStack* running;
  Task* task;
  Task* undeferred_by;  // the task whose children are run at once just now, as parts of it
  // Blocks of the heap that it got while it worked in a region and did not give back: its own, as far as one can see.
  static constexpr unsigned kMaxBlocks = 128;
  struct Block {
    Bytes bytes;
    uint64_t got_at;
  };
  Block blocks[kMaxBlocks];
  unsigned block_count;
  uint64_t time;  // so many tasks have begun on it
};

// All from inside, on the thread that does it. Null: no memory.
[[nodiscard]] Team* begin_team(ThreadState& state, const norn_site& construct);
void end_team(ThreadState& state, Team& team);
// `team` null: the initial task of a thread.
[[nodiscard]] Task* begin_implicit_task(ThreadState& state, Team* team, unsigned index, Address frame);
void leave_team(ThreadState& state, Task& task);  // its work is done; the thread may still help others
void end_implicit_task(ThreadState& state, Task& task);

[[nodiscard]] Task* create_task(ThreadState& state, Task& parent, bool only_waits, const norn_site& construct);
void add_dependence(Task& task, Address address, DependenceKind kind);
void begin_task(ThreadState& state, Task& task, Address frame);
void resume_task(ThreadState& state, Task& task, Address frame);  // on top of the one that runs
void leave_stack(ThreadState& state, Task& task);
void wait_for_dependences(ThreadState& state, Task& task);
void finish_task(ThreadState& state, Task& task);  // its work is done: who waits for it goes on
void fulfil_task(ThreadState& state, Task& task);  // an event was part of its work
void end_task(ThreadState& state, Task& task);
void run_task(ThreadState& state, Task* task);

void enter_barrier(ThreadState& state, Task& task);
void leave_barrier(ThreadState& state, Task& task);
void wait_for_children(ThreadState& state, Task& task);
void begin_taskgroup(Task& task);
void end_taskgroup(ThreadState& state, Task& task);

// Of the implicit task that runs. `is_static`: afterwards its thread goes on after its iterations; otherwise nobody
// does before the next barrier.
void begin_worksharing(ThreadState& state, Chunks chunks, bool is_static);
// Of a task of a taskloop. `own` is where its own variables are.
void begin_taskloop(ThreadState& state, Bytes own, uint64_t lower, uint64_t upper);
void begin_iteration(ThreadState& state, uint64_t number);
void end_worksharing(ThreadState& state);

void know_dimensions(ThreadState& state, unsigned dimensions);
void post_iteration(ThreadState& state, const int64_t* iteration);
void await_iteration(ThreadState& state, const int64_t* iteration);

void forget_openmp_thread(ThreadState& state);

}  // namespace norn::rt
