#include "runtime/openmp/openmp_tasks.h"

#include "base/hash.h"
#include "base/sink.h"
#include "core/candidate.h"
#include "norn/site.h"
#include "runtime/hooks/check_state.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/openmp/openmp.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/reporting/recording.h"

namespace norn::rt {
namespace {

// The runtime's own frames between a task and its neighbours on the stack: the task's first frame may begin this much
// above that of the callback which announced it.
constexpr Address kRuntimeFrames = 192;

OpenMpThread* own_thread(ThreadState& state) {
  if (state.openmp == nullptr) {
    state.openmp = memory.create<OpenMpThread>();
    if (state.openmp == nullptr) return nullptr;
    state.openmp->core = state.core;
    state.openmp->id = state.id;
    state.openmp->running = state.running;
  }
  return state.openmp;
}

void release_team(Team& team) {
  if (team.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  for (ReleaseClock* clock : {&team.begin, &team.phases[0], &team.phases[1], &team.ordered}) emit.clock_clear(*clock);
  for (ReleaseClock& clock : team.posts) emit.clock_clear(clock);
  memory.destroy(&team);
}

void release_named(Task& task) {
  while (task.named != nullptr) {
    Named* named = task.named;
    task.named = named->next;
    memory.destroy(named);
  }
}

void release_task(Task& task) {
  if (task.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  emit.clock_clear(task.children);
  emit.clock_clear(task.number);
  while (task.dependences != nullptr) {
    Dependence* dependence = task.dependences;
    task.dependences = dependence->next;
    for (ReleaseClock& clock : dependence->done) emit.clock_clear(clock);
    memory.destroy(dependence);
  }
  if (task.team != nullptr) release_team(*task.team);
  memory.destroy(&task);
}

Task* new_task(Team* team) {
  auto* task = memory.create<Task>();
  if (task == nullptr) return nullptr;
  task->references.store(1, std::memory_order_relaxed);
  task->team = team;
  if (team != nullptr) team->references.fetch_add(1, std::memory_order_relaxed);
  return task;
}

// --- numbers. Regions and tasks come and go by the million; one that ended lends its number to the next of the same
// stack and name: what a report says of the two is the same.

struct FreeNumber {
  ThreadId id;
  FreeNumber* next;
};
struct NumbersOfStack {
  SpinMutex mutex;
  StackId created_at = kNoStack;
  uint32_t role = 0;
  FreeNumber* free = nullptr;
};
constexpr unsigned kEntries = 1024;
constinit NumbersOfStack numbers[kEntries];

// What a thread of the core is there: a task, or a member of a team, or a lane of one.
constexpr uint32_t kTaskRole = 0;
uint32_t member_role(unsigned index) { return (index + 1) * (kLanes + 1); }
uint32_t role_of(const Task& task) { return task.is_implicit ? member_role(task.index) : kTaskRole; }
uint32_t lane_role(const Task& task, unsigned lane) { return role_of(task) + 1 + lane; }

NumbersOfStack& numbers_of(StackId created_at, uint32_t role) {
  return numbers[(hash_half(created_at) ^ role * 0x85ebca6bu) >> 22];
}

ThreadId take_free_number(StackId created_at, uint32_t role) {
  NumbersOfStack& entry = numbers_of(created_at, role);
  const SpinLock lock(entry.mutex);
  FreeNumber* number = entry.free;
  if (number == nullptr || entry.created_at != created_at || entry.role != role) return kNoThread;
  entry.free = number->next;
  const ThreadId id = number->id;
  memory.destroy(number);
  return id;
}

// Where two stacks meet in one entry, the numbers of the first are not used again.
void lend_number(ThreadId id, StackId created_at, uint32_t role) {
  NumbersOfStack& entry = numbers_of(created_at, role);
  const SpinLock lock(entry.mutex);
  if (entry.free != nullptr && (entry.created_at != created_at || entry.role != role)) return;
  auto* number = memory.create<FreeNumber>();
  if (number == nullptr) return;
  entry.created_at = created_at;
  entry.role = role;
  *number = {id, entry.free};
  entry.free = number;
}

// "OpenMP task", "OpenMP task, iterations a", "OpenMP thread 1", "OpenMP 1, iterations c"
void name_thread(ThreadId id, uint32_t role) {
  const unsigned member = role / (kLanes + 1);
  const unsigned lane = role % (kLanes + 1);
  char name[ThreadInfo::kNameSize] = {};
  Buffer buffer(name, sizeof(name) - 1);
  if (member == 0) {
    buffer.sink().put("OpenMP task");
  } else {
    buffer.sink().put(lane == 0 ? "OpenMP thread " : "OpenMP ");
    buffer.sink().put(Decimal(member - 1).text());
  }
  if (lane != 0) {
    buffer.sink().put(", iterations ");
    buffer.sink().put(static_cast<char>('a' + lane - 1));
  }
  set_thread_name(id, name);
}

ThreadId new_thread(StackId created_at, ThreadId parent, uint32_t role) {
  ThreadId id = take_free_number(created_at, role);
  if (id == kNoThread) {
    id = new_thread_number();
    name_thread(id, role);
  }
  if (ThreadInfo* info = thread_info(id); info != nullptr) {
    info->created_at = created_at;
    info->parent = parent;
    info->host = 0;
  }
  return id;
}

void end_thread_of_core(ThreadState& state, Thread& thread, uint32_t role) {
  const ThreadId id = thread.id;
  emit.detach(*state.core, id);
  emit.exit(thread);
  if (const ThreadInfo* info = thread_info(id); info != nullptr) lend_number(id, info->created_at, role);
}

// What a task is for the core just now.
Thread* present(const Task& task) {
  return task.work != nullptr && task.work->present != nullptr ? task.work->present : task.core;
}

bool knows_thread(const Task& task) { return task.knows_thread || (task.work != nullptr && task.work->knows_thread); }

// A task that knows its thread's number comes after those that knew it before, as long as it runs.
void take_number(Task* task) {
  if (task != nullptr && task->core != nullptr && knows_thread(*task))
    emit.clock_acquire(*present(*task), task->carrier->number);
}

void give_number(Task* task) {
  if (task != nullptr && task->core != nullptr && knows_thread(*task))
    emit.clock_release(*present(*task), task->carrier->number);
}

void set_carrier(ThreadId id, ThreadId carrier) {
  if (ThreadInfo* info = thread_info(id); info != nullptr) info->host = carrier;
  record_thread(id);
}

// Who ends is waited for through release clocks alone.
void end_core(ThreadState& state, Task& task) {
  if (task.core == nullptr || !task.owns_core) return;
  end_thread_of_core(state, *task.core, role_of(task));
  task.core = nullptr;
}

void end_lanes(ThreadState& state, Task& task) {
  if (task.work == nullptr) return;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (task.work->lanes[i] != nullptr) end_thread_of_core(state, *task.work->lanes[i], lane_role(task, i));
  }
  memory.destroy(task.work);
  task.work = nullptr;
}

// The stack above `frame` is of others; below it lies what tasks that ran before have left: not the same variables,
// though at the same addresses.
void renew_stack(ThreadState& state, Address frame) {
  const Address end = frame + kRuntimeFrames;
  if (state.lowest_frame != 0 && state.lowest_frame < end) {
    emit.allocate(*state.core, state.lowest_frame, end - state.lowest_frame);
  }
  state.lowest_frame = end;
}

// The call stack from here on.
CallStack calls_from_here(const ThreadState& state) {
  CallStack calls = *state.running;
  if (__norn_stack > calls.begin && __norn_stack <= calls.end) calls.begin = __norn_stack;
  return calls;
}

bool excludes(DependenceKind a, DependenceKind b) {
  if (a != b) return true;
  return a == DependenceKind::kOut;
}

Dependence* find_dependence(Task& parent, Address address) {
  for (Dependence* known = parent.dependences; known != nullptr; known = known->next) {
    if (known->address == address) return known;
  }
  return nullptr;
}

void take_dependence(Thread& core, Dependence& dependence, DependenceKind kind) {
  for (unsigned other = 0; other < kDependenceKinds; ++other) {
    if (excludes(kind, static_cast<DependenceKind>(other))) emit.clock_acquire(core, dependence.done[other]);
  }
}

void take_dependences(Thread& core, Task& task) {
  for (const Named* named = task.named; named != nullptr; named = named->next) {
    if (named->dependence->address != kAllMemory) {
      take_dependence(core, *named->dependence, named->kind);
      if (named->kind == DependenceKind::kMutexSet) {
        emit.lock_acquire(core, address_of(named->dependence), LockMode::kExclusive, LockAttempt::kTry, kNoStack);
      }
    }
    const SpinLock lock(task.parent->dependences_mutex);
    for (Dependence* other = task.parent->dependences; other != nullptr; other = other->next) {
      if (other->address == kAllMemory || named->dependence->address == kAllMemory) {
        take_dependence(core, *other, DependenceKind::kOut);
      }
    }
  }
}

void give_dependences(Thread& core, Task& task) {
  for (const Named* named = task.named; named != nullptr; named = named->next) {
    emit.clock_release(core, named->dependence->done[static_cast<unsigned>(named->kind)]);
    if (named->kind == DependenceKind::kMutexSet) {
      emit.lock_release(core, address_of(named->dependence), LockMode::kExclusive);
    }
  }
}

// All who may wait for the task.
void give_all(Thread& core, Task& task) {
  emit.clock_release(core, task.parent->children);
  if (task.group != nullptr) emit.clock_release(core, task.group->done);
  if (task.team != nullptr) emit.clock_release(core, task.team->phases[task.phase % 2]);
}

Worksharing* worksharing_of(const ThreadState& state) {
  const Task* task = state.openmp == nullptr ? nullptr : state.openmp->task;
  return task == nullptr || task->work == nullptr || !task->work->active ? nullptr : task->work;
}

// Others will work for this iteration, and may do so on what is its thread's own; so may those of the next one. What is
// whose cannot be told from their pairs, so from here on the thread's iterations are one thing after the other.
void put_iterations_in_order(const ThreadState& state) {
  Worksharing* work = worksharing_of(state);
  if (work == nullptr || work->present == nullptr || work->in_order) return;
  work->in_order = true;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (work->used[i]) emit.clock_release(*work->lanes[i], work->end);
  }
  emit.clock_acquire(*work->present, work->end);
}

}  // namespace

void run_task(ThreadState& state, Task* task) {
  OpenMpThread* own = own_thread(state);
  if (own == nullptr) return;
  if (own->task != task) {
    give_number(own->task);
    take_number(task);
  }
  own->task = task;
  const bool has_core = task != nullptr && task->core != nullptr;
  state.core = has_core ? present(*task) : own->core;
  use_check_of(state.core);
  state.running = has_core ? &task->calls : own->running;
  state.id = state.core->id;
}

// --- teams --------------------------------------------------------------------------------------------------------

Team* begin_team(ThreadState& state, const norn_site& construct) {
  auto* team = memory.create<Team>();
  if (team == nullptr || own_thread(state) == nullptr) return nullptr;
  begin_watching();
  static constinit std::atomic<uint64_t> teams{0};
  team->number = teams.fetch_add(1, std::memory_order_relaxed) + 1;
  team->references.store(1, std::memory_order_relaxed);
  team->created_at = stack_id(state, &construct);
  team->parent = state.id;
  for (unsigned i = 0; i < state.core->held_count && i < Team::kMaxLocks; ++i) {
    team->locks[team->lock_count++] = state.core->held[i];
  }
  put_iterations_in_order(state);
  emit.clock_release(*state.core, team->begin);
  return team;
}

void end_team(ThreadState& state, Team& team) {
  for (ReleaseClock& done : team.phases) emit.clock_acquire(*state.core, done);
  release_team(team);
}

Task* begin_implicit_task(ThreadState& state, Team* team, unsigned index, Address frame) {
  OpenMpThread* own = own_thread(state);
  Task* task = new_task(team);
  if (own == nullptr || task == nullptr) return nullptr;
  task->is_implicit = task->begun = true;
  task->frame = frame;
  task->below = own->task;
  task->carrier = task;
  if (state.lowest_frame == 0) state.lowest_frame = frame;
  task->calls = calls_from_here(state);
  if (team == nullptr) {
    task->core = state.core;
  } else {
    const ThreadId id = new_thread(team->created_at, team->parent, member_role(index));
    set_carrier(id, id);
    task->index = index;
    task->core = emit.fork_after(*state.core, team->begin, id);
    task->owns_core = true;
    task->knows_thread = own->block_count == OpenMpThread::kMaxBlocks;
    for (unsigned i = 0; task->core != nullptr && i < team->lock_count; ++i) {
      const Held& held = team->locks[i];
      emit.lock_acquire(*task->core, held.address, held.mode, LockAttempt::kTry, held.taken_at);
    }
  }
  run_task(state, task);
  return task;
}

void leave_team(ThreadState& state, Task& task) {
  if (task.team == nullptr || task.core == nullptr) return;
  end_worksharing(state);
  end_lanes(state, task);
  emit.clock_release(*task.core, task.team->phases[task.phase % 2]);
  give_number(&task);
  end_core(state, task);
  run_task(state, &task);
}

void end_implicit_task(ThreadState& state, Task& task) {
  leave_team(state, task);
  run_task(state, task.below);
  // What the thread itself does later, the destructors of its variables above all, comes after who knew that it was it.
  if (task.team != nullptr && state.openmp != nullptr) emit.clock_acquire(*state.openmp->core, task.number);
  release_task(task);
}

// --- tasks --------------------------------------------------------------------------------------------------------

Task* create_task(ThreadState& state, Task& parent, bool only_waits, const norn_site& construct) {
  OpenMpThread* own = own_thread(state);
  Task* task = new_task(parent.team);
  if (own == nullptr || task == nullptr) return nullptr;
  begin_watching();
  task->parent = &parent;
  parent.references.fetch_add(1, std::memory_order_relaxed);
  task->phase = parent.phase;
  task->group = parent.group;
  task->chunks = parent.chunks;
  // Outside of all regions there is one thread, which does it at once.
  if (only_waits || own->undeferred_by == &parent || parent.is_final || parent.team == nullptr) {
    task->core = state.core;
    task->calls = *state.running;
    return task;
  }
  put_iterations_in_order(state);
  const ThreadId id = new_thread(stack_id(state, &construct), state.id, kTaskRole);
  task->core = emit.fork(*state.core, id);
  task->owns_core = true;
  return task;
}

void add_dependence(Task& task, Address address, DependenceKind kind) {
  if (task.parent == nullptr) return;
  auto* named = memory.create<Named>();
  if (named == nullptr) return;
  const SpinLock lock(task.parent->dependences_mutex);
  Dependence* dependence = find_dependence(*task.parent, address);
  if (dependence == nullptr) {
    dependence = memory.create<Dependence>();
    if (dependence == nullptr) return memory.destroy(named);
    dependence->address = address;
    dependence->next = task.parent->dependences;
    task.parent->dependences = dependence;
  }
  *named = {dependence, kind, task.named};
  task.named = named;
}

void begin_task(ThreadState& state, Task& task, Address frame) {
  task.begun = true;
  if (task.core != nullptr) take_dependences(*task.core, task);
  resume_task(state, task, frame);
}

void resume_task(ThreadState& state, Task& task, Address frame) {
  OpenMpThread* own = own_thread(state);
  if (own == nullptr) return;
  task.below = own->task;
  task.carrier = task.below == nullptr ? nullptr : task.below->carrier;
  task.begun_at = ++own->time;
  if (task.owns_core) {
    task.frame = frame;
    task.calls = calls_from_here(state);
    renew_stack(state, frame);
  }
  run_task(state, &task);
}

void leave_stack(ThreadState& state, Task& task) {
  if (task.owns_core && task.begun) renew_stack(state, task.frame);
}

void wait_for_dependences(ThreadState& state, Task& task) { take_dependences(*state.core, task); }

void finish_task(ThreadState& state, Task& task) {
  if (task.core == nullptr) return;
  if (task.owns_core && task.work != nullptr) {
    end_worksharing(state);  // of a loop that was cancelled
    end_lanes(state, task);
  }
  give_dependences(*task.core, task);
  if (task.owns_core) {
    give_all(*task.core, task);
    give_number(&task);
  }
  leave_stack(state, task);
}

void fulfil_task(ThreadState& state, Task& task) {
  for (const Named* named = task.named; named != nullptr; named = named->next) {
    emit.clock_release(*state.core, named->dependence->done[static_cast<unsigned>(named->kind)]);
  }
  give_all(*state.core, task);
}

void end_task(ThreadState& state, Task& task) {
  OpenMpThread* own = own_thread(state);
  if (own != nullptr && own->task == &task) run_task(state, nullptr);
  end_core(state, task);
  release_named(task);
  Task* parent = task.parent;
  release_task(task);
  if (parent != nullptr) release_task(*parent);
}

// --- worksharing --------------------------------------------------------------------------------------------------

namespace {

// The sum of the number's digits: neighbours, and numbers a power of the base apart, are in different lanes.
unsigned lane_of(uint64_t number) {
  unsigned sum = 0;
  for (; number != 0; number /= kLanes) sum += static_cast<unsigned>(number % kLanes);
  return sum % kLanes;
}

ThreadId new_lane(const Task& task, unsigned index) {
  const ThreadInfo* creation = task.is_implicit ? nullptr : thread_info(task.core->id);
  if (creation == nullptr) return new_thread(task.team->created_at, task.team->parent, lane_role(task, index));
  return new_thread(creation->created_at, creation->parent, lane_role(task, index));
}

// What the work of a construct comes after. What belongs to a thread by its number comes after all that the thread has
// done; what anyone may do only after what all of the team have in common, the last barrier. (A task that knows which
// thread it is on may have done something for this very thread.)
ReleaseClock& beginning_of(const Task& task) {
  if (task.work->is_static || knows_thread(task)) return task.work->begin;
  return task.phase == 0 ? task.team->begin : task.team->phases[(task.phase - 1) % 2];
}

// The lane for the next iteration, which begins in it.
Thread* begin_in_lane(const Task& task, unsigned index) {
  Worksharing& work = *task.work;
  bool first = true;
  for (const bool used : work.used) first = first && !used;
  if (first) emit.clock_release(*task.core, work.begin);
  Thread*& lane = work.lanes[index];
  if (lane == nullptr) {
    const ThreadId id = new_lane(task, index);
    set_carrier(id, task.core->id);
    lane = emit.fork_after(*task.core, beginning_of(task), id);
  } else {
    emit.begin_again(*lane, beginning_of(task));
  }
  for (unsigned i = 0; lane != nullptr && !work.used[index] && i < task.core->held_count; ++i) {
    const Held& held = task.core->held[i];
    emit.lock_acquire(*lane, held.address, held.mode, LockAttempt::kTry, held.taken_at);
  }
  work.used[index] = lane != nullptr;
  return lane;
}

void end_lane(const Task& task, Thread& lane) {
  for (unsigned i = 0; i < task.core->held_count; ++i) {
    emit.lock_release(lane, task.core->held[i].address, task.core->held[i].mode);
  }
  emit.clock_release(lane, task.work->is_static ? task.work->end : task.team->phases[task.phase % 2]);
}

ReleaseClock& post_of(Team& team, const int64_t* iteration, unsigned dimensions) {
  uint64_t hash = 0;
  for (unsigned i = 0; i < dimensions; ++i) hash = hash_next(hash, static_cast<uint64_t>(iteration[i]));
  return team.posts[hash >> 58];
}
static_assert(Team::kPosts == 1 << (64 - 58));

void begin_work(Task& task, Chunks chunks, bool is_static) {
  if (task.team == nullptr || task.core == nullptr) return;
  if (task.work == nullptr) task.work = memory.create<Worksharing>();
  if (task.work == nullptr) return;
  task.work->chunks = chunks;
  task.work->is_static = is_static;
  task.work->active = true;
  task.work->synchronizes = task.work->in_order = false;
}

}  // namespace

void begin_worksharing(ThreadState& state, Chunks chunks, bool is_static) {
  end_worksharing(state);
  Task* task = state.openmp == nullptr ? nullptr : state.openmp->task;
  if (task != nullptr && task->is_implicit) begin_work(*task, chunks, is_static);
}

// An untied task may have got its blocks on another thread. One that is no thread of its own is a part of another, in
// order.
void begin_taskloop(ThreadState& state, Bytes own, uint64_t lower, uint64_t upper) {
  Task* task = state.openmp == nullptr ? nullptr : state.openmp->task;
  if (task == nullptr || !task->owns_core || task->is_untied) return;
  if (task->chunks.chunk(lower) == task->chunks.chunk(upper)) return;
  task->own = own;
  task->knows_thread |= state.openmp->block_count == OpenMpThread::kMaxBlocks && task->carrier != nullptr;
  begin_work(*task, task->chunks, true);
}

void begin_iteration(ThreadState& state, uint64_t number) {
  Worksharing* work = worksharing_of(state);
  if (work == nullptr) return;
  Task& task = *state.openmp->task;
  const uint64_t chunk = work->chunks.chunk(number);
  if (work->present != nullptr) {
    if (chunk == work->chunk || work->in_order) return;
    give_number(&task);
    work->synchronizes |= work->present->sync_events != work->events;
  }
  Thread* lane = begin_in_lane(task, work->synchronizes ? lane_of(chunk) : 0);
  if (lane == nullptr) return;
  work->knows_thread = false;
  work->present = lane;
  work->chunk = chunk;
  take_number(&task);
  work->events = lane->sync_events;
  run_task(state, &task);
}

void end_worksharing(ThreadState& state) {
  Worksharing* work = worksharing_of(state);
  if (work == nullptr) return;
  Task& task = *state.openmp->task;
  if (work->present != nullptr) give_number(&task);
  work->present = nullptr;
  work->active = work->knows_thread = false;
  bool any = false;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (!work->used[i]) continue;
    end_lane(task, *work->lanes[i]);
    work->used[i] = false;
    any = true;
  }
  if (!any) return;
  if (work->is_static) emit.clock_acquire(*task.core, work->end);
  emit.clock_clear(work->begin);
  emit.clock_clear(work->end);
  take_number(&task);
  run_task(state, &task);
}

void know_dimensions(ThreadState& state, unsigned dimensions) {
  if (Worksharing* work = worksharing_of(state); work != nullptr) work->dimensions = dimensions;
}

void post_iteration(ThreadState& state, const int64_t* iteration) {
  const Worksharing* work = worksharing_of(state);
  if (work == nullptr) return;
  emit.clock_release(*state.core, post_of(*state.openmp->task->team, iteration, work->dimensions));
}

void await_iteration(ThreadState& state, const int64_t* iteration) {
  const Worksharing* work = worksharing_of(state);
  if (work == nullptr) return;
  emit.clock_acquire(*state.core, post_of(*state.openmp->task->team, iteration, work->dimensions));
}

// --- waiting ------------------------------------------------------------------------------------------------------

void enter_barrier(ThreadState& state, Task& task) {
  end_worksharing(state);  // of a loop that was cancelled
  if (task.team != nullptr) emit.clock_release(*state.core, task.team->phases[task.phase % 2]);
}

void leave_barrier(ThreadState& state, Task& task) {
  if (task.team == nullptr) return;
  emit.clock_acquire(*state.core, task.team->phases[task.phase % 2]);
  ++task.phase;
}

void wait_for_children(ThreadState& state, Task& task) { emit.clock_acquire(*state.core, task.children); }

void begin_taskgroup(Task& task) {
  auto* group = memory.create<Taskgroup>();
  if (group == nullptr) return;
  group->outer = task.group;
  task.group = group;
}

void end_taskgroup(ThreadState& state, Task& task) {
  Taskgroup* group = task.group;
  if (group == nullptr) return;
  emit.clock_acquire(*state.core, group->done);
  task.group = group->outer;
  emit.clock_clear(group->done);
  memory.destroy(group);
}

void forget_openmp_thread(ThreadState& state) {
  if (state.openmp == nullptr) return;
  run_task(state, nullptr);
  memory.destroy(state.openmp);
  state.openmp = nullptr;
}

// --- asked by the functions that are interposed ---------------------------------------------------------------------

Unseen::Unseen() {
  const Inspection here;
  if (!here) return;
  thread_ = here->core;
  emit.ignore_begin(*thread_, kIgnoreReads | kIgnoreWrites);
}

Unseen::~Unseen() {
  if (thread_ == nullptr) return;
  if (const Inspection here; here) emit.ignore_end(*thread_, kIgnoreReads | kIgnoreWrites);
}

namespace {

// The task whose thread of the core the thread runs as: one that is run at once is a part of another.
const Task& whole_task(const Task& task) {
  const Task* whole = &task;
  while (!whole->is_implicit && !whole->owns_core && whole->parent != nullptr) whole = whole->parent;
  return *whole;
}

bool contains(const Bytes& bytes, Address address) { return address >= bytes.begin && address < bytes.end; }

bool is_own_block(const OpenMpThread& own, const Task& task, Address address) {
  for (unsigned i = 0; i < own.block_count; ++i) {
    const OpenMpThread::Block& block = own.blocks[i];
    if (contains(block.bytes, address)) return task.is_implicit || block.got_at >= task.begun_at;
  }
  return false;
}

}  // namespace

// What the iterations of one task share is the task's own if it lies in its part of the stack or in its own variables,
// or if its thread got the memory itself while it worked in a region (an explicit task: in the task).
bool can_race(const RacingPair& pair) {
  const ThreadState* state = current_state;
  const OpenMpThread* own = state == nullptr ? nullptr : state->openmp;
  if (own == nullptr || own->task == nullptr) return true;
  const ThreadInfo* earlier = thread_info(pair.earlier.thread);
  const ThreadInfo* later = thread_info(pair.later.thread);
  if (earlier == nullptr || later == nullptr || earlier->host == 0 || earlier->host != later->host) return true;
  return !is_own_memory(pair.address);
}

bool is_own_memory(Address address) {
  const ThreadState* state = current_state;
  const OpenMpThread* own = state == nullptr ? nullptr : state->openmp;
  if (own == nullptr || own->task == nullptr) return false;
  const Task& task = whole_task(*own->task);
  const Bytes stack = {address_of(__builtin_frame_address(0)), task.frame + kRuntimeFrames};
  return contains(stack, address) || contains(task.own, address) || is_own_block(*own, task, address);
}

namespace {

// A task whose own memory cannot be told from what others share is judged as a whole.
void be_one(Task& task) {
  if (task.knows_thread) return;
  task.knows_thread = true;
  take_number(&task);
}

}  // namespace

void got_block(ThreadState& state, Address begin, uint64_t size) {
  OpenMpThread& own = *state.openmp;
  if (own.task == nullptr || own.task->team == nullptr) return;
  if (own.block_count < OpenMpThread::kMaxBlocks) {
    own.blocks[own.block_count++] = {{begin, begin + size}, own.time};
  } else if (Task* carrier = own.task->carrier; carrier != nullptr) {
    be_one(*carrier);
    if (own.task->owns_core && own.task->work != nullptr) be_one(*own.task);
  }
}

void gave_block(ThreadState& state, Address begin) {
  OpenMpThread& own = *state.openmp;
  for (unsigned i = own.block_count; i > 0; --i) {
    if (own.blocks[i - 1].bytes.begin != begin) continue;
    own.blocks[i - 1] = own.blocks[--own.block_count];
    return;
  }
}

void renewed(void* block, size_t size) {
  if (!is_watching()) return;
  if (const Inspection here; here) emit.allocate(here.thread(), address_of(block), size);
}

void create_undeferred(bool undeferred) {
  const Inspection here;
  if (!here) return;
  if (OpenMpThread* own = own_thread(*here); own != nullptr) own->undeferred_by = undeferred ? own->task : nullptr;
}

void begin_ordered() {
  const Inspection here;
  if (!here || here->openmp == nullptr || here->openmp->task == nullptr) return;
  if (Team* team = here->openmp->task->team; team != nullptr) emit.clock_acquire(here.thread(), team->ordered);
}

void end_ordered() {
  const Inspection here;
  if (!here || here->openmp == nullptr || here->openmp->task == nullptr) return;
  if (Team* team = here->openmp->task->team; team != nullptr) emit.clock_release(here.thread(), team->ordered);
}

void thread_number_asked() {
  const Inspection here;
  if (!here || here->openmp == nullptr) return;
  Task* task = here->openmp->task;
  if (task == nullptr || task->carrier == nullptr || task->team == nullptr || knows_thread(*task)) return;
  const bool in_iteration = task->work != nullptr && task->work->present != nullptr;
  (in_iteration ? task->work->knows_thread : task->knows_thread) = true;
  take_number(task);
}

}  // namespace norn::rt
