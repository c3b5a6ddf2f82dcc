#include "runtime/openmp_tasks.h"

#include "report/sink.h"
#include "runtime/fast.h"
#include "runtime/openmp.h"
#include "runtime/where.h"

namespace norn::rt {
namespace {

// The runtime's own frames between a task and its neighbours on the stack: the task's first frame may begin this much
// above that of the callback which announced it.
constexpr Address kRuntimeFrames = 192;

OpenMpThread* own_thread(ThreadState& state) {
  if (state.openmp == nullptr) {
    state.openmp = memory.create<OpenMpThread>();
    if (state.openmp == nullptr) return nullptr;
    *state.openmp = {state.core, state.id, state.running, nullptr, false, 0, 0};
  }
  return state.openmp;
}

void release_team(Team& team) {
  if (team.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  for (Message* message : {&team.begin, &team.phases[0], &team.phases[1], &team.ordered}) detector.clear(*message);
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
  detector.clear(task.children);
  detector.clear(task.number);
  while (task.dependences != nullptr) {
    Dependence* dependence = task.dependences;
    task.dependences = dependence->next;
    for (Message& message : dependence->done) detector.clear(message);
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

ThreadId new_thread(Where created_at, ThreadId parent) {
  const ThreadId id = new_thread_number();
  if (ThreadInfo* info = thread_info(id); info != nullptr) {
    info->created_at = created_at;
    info->parent = parent;
  }
  return id;
}

void name_thread(ThreadId id, report::Text words, unsigned number) {
  char name[ThreadInfo::kNameSize] = {};
  report::Buffer buffer(name, sizeof(name) - 1);
  buffer.sink().put(words);
  buffer.sink().put(report::Decimal(number).text());
  set_thread_name(id, name);
}

// A task that knows its thread's number comes after those that knew it before, as long as it runs.
void take_number(Task* task) {
  if (task != nullptr && task->core != nullptr && task->knows_thread) detector.take(*task->core, task->carrier->number);
}

void give_number(Task* task) {
  if (task != nullptr && task->core != nullptr && task->knows_thread) detector.give(*task->core, task->carrier->number);
}

// Who ends is waited for through messages alone.
void end_core(ThreadState& state, Task& task) {
  if (task.core == nullptr || !task.owns_core) return;
  detector.detach(*state.core, task.core->id);
  detector.exit(*task.core);
  task.core = nullptr;
}

// The stack above `frame` is of others; below it lies what tasks that ran before have left: not the same variables,
// though at the same addresses.
void renew_stack(ThreadState& state, Address frame) {
  const Address end = frame + kRuntimeFrames;
  if (state.lowest_frame != 0 && state.lowest_frame < end) {
    detector.allocate(*state.core, state.lowest_frame, end - state.lowest_frame);
  }
  state.lowest_frame = end;
}

void set_host(const Task& task, ThreadId host) {
  if (task.core == nullptr || !task.owns_core) return;
  if (ThreadInfo* info = thread_info(task.core->id); info != nullptr) info->host = host;
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
    if (excludes(kind, static_cast<DependenceKind>(other))) detector.take(core, dependence.done[other]);
  }
}

void take_dependences(Thread& core, Task& task) {
  for (const Named* named = task.named; named != nullptr; named = named->next) {
    if (named->dependence->address != kAllMemory) {
      take_dependence(core, *named->dependence, named->kind);
      if (named->kind == DependenceKind::kMutexSet) {
        detector.lock_acquire(core, address_of(named->dependence), LockMode::kExclusive, kNowhere);
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
    detector.give(core, named->dependence->done[static_cast<unsigned>(named->kind)]);
    if (named->kind == DependenceKind::kMutexSet) {
      detector.lock_release(core, address_of(named->dependence), LockMode::kExclusive);
    }
  }
}

// All who may wait for the task.
void give_all(Thread& core, Task& task) {
  detector.give(core, task.parent->children);
  if (task.group != nullptr) detector.give(core, task.group->done);
  if (task.team != nullptr) detector.give(core, task.team->phases[task.phase % 2]);
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
  state.core = has_core ? task->core : own->core;
  use_check_of(state.core);
  state.running = has_core ? &task->calls : own->running;
  state.id = state.core->id;
}

// --- teams --------------------------------------------------------------------------------------------------------

Team* begin_team(ThreadState& state, const norn_site& construct) {
  auto* team = memory.create<Team>();
  if (team == nullptr || own_thread(state) == nullptr) return nullptr;
  begin_watching();
  team->references.store(1, std::memory_order_relaxed);
  team->created_at = place(state, &construct);
  team->parent = state.id;
  for (unsigned i = 0; i < state.core->held_count && i < Team::kMaxLocks; ++i) {
    team->locks[team->lock_count++] = state.core->held[i];
  }
  detector.give(*state.core, team->begin);
  return team;
}

void end_team(ThreadState& state, Team& team) {
  for (Message& done : team.phases) detector.take(*state.core, done);
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
    const ThreadId id = new_thread(team->created_at, team->parent);
    name_thread(id, "OpenMP thread ", index);
    task->core = detector.fork_after(*state.core, team->begin, id);
    task->owns_core = true;
    set_host(*task, own->id);
    for (unsigned i = 0; task->core != nullptr && i < team->lock_count; ++i) {
      const Held& held = team->locks[i];
      detector.lock_acquire(*task->core, held.address, held.mode, held.taken_at);
    }
  }
  run_task(state, task);
  return task;
}

void leave_team(ThreadState& state, Task& task) {
  if (task.team == nullptr || task.core == nullptr) return;
  detector.give(*task.core, task.team->phases[task.phase % 2]);
  give_number(&task);
  end_core(state, task);
  run_task(state, &task);
}

void end_implicit_task(ThreadState& state, Task& task) {
  leave_team(state, task);
  run_task(state, task.below);
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
  if (only_waits || own->creates_undeferred || parent.is_final) {
    task->core = state.core;
    task->calls = *state.running;
    return task;
  }
  const ThreadId id = new_thread(place(state, &construct), state.id);
  set_thread_name(id, "OpenMP task");
  task->core = detector.fork(*state.core, id);
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
  const OpenMpThread* own = own_thread(state);
  if (own == nullptr) return;
  task.below = own->task;
  set_host(task, own->id);
  task.carrier = task.below == nullptr ? nullptr : task.below->carrier;
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
  give_dependences(*task.core, task);
  if (task.owns_core) {
    give_all(*task.core, task);
    give_number(&task);
  }
  leave_stack(state, task);
}

void fulfil_task(ThreadState& state, Task& task) {
  for (const Named* named = task.named; named != nullptr; named = named->next) {
    detector.give(*state.core, named->dependence->done[static_cast<unsigned>(named->kind)]);
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

// --- waiting ------------------------------------------------------------------------------------------------------

void enter_barrier(ThreadState& state, Task& task) {
  if (task.team != nullptr) detector.give(*state.core, task.team->phases[task.phase % 2]);
}

void leave_barrier(ThreadState& state, Task& task) {
  if (task.team == nullptr) return;
  detector.take(*state.core, task.team->phases[task.phase % 2]);
  ++task.phase;
}

void wait_for_children(ThreadState& state, Task& task) { detector.take(*state.core, task.children); }

void begin_taskgroup(Task& task) {
  auto* group = memory.create<Taskgroup>();
  if (group == nullptr) return;
  group->outer = task.group;
  task.group = group;
}

void end_taskgroup(ThreadState& state, Task& task) {
  Taskgroup* group = task.group;
  if (group == nullptr) return;
  detector.take(*state.core, group->done);
  task.group = group->outer;
  detector.clear(group->done);
  memory.destroy(group);
}

void know_thread_locals(ThreadState& state, Address begin) {
  OpenMpThread* own = own_thread(state);
  if (own == nullptr) return;
  own->own_begin = begin;
  own->own_end = state.thread_pointer;
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
  detector.ignore_begin(*thread_, kIgnoreReads | kIgnoreWrites);
}

Unseen::~Unseen() {
  if (thread_ == nullptr) return;
  if (const Inspection here; here) detector.ignore_end(*thread_, kIgnoreReads | kIgnoreWrites);
}

// Tasks that run on one thread do so one after the other: its thread-local variables are theirs in turn.
bool can_race(const RacingPair& pair) {
  const ThreadState* state = current_state;
  const OpenMpThread* own = state == nullptr ? nullptr : state->openmp;
  if (own == nullptr || pair.address < own->own_begin || pair.address >= own->own_end) return true;
  const ThreadInfo* earlier = thread_info(pair.earlier.thread);
  return earlier == nullptr || earlier->host != own->id;
}

void renewed(void* block, size_t size) {
  if (!is_watching()) return;
  if (const Inspection here; here) detector.allocate(here.thread(), address_of(block), size);
}

void next_task_is_undeferred(bool undeferred) {
  const Inspection here;
  if (!here) return;
  if (OpenMpThread* own = own_thread(*here); own != nullptr) own->creates_undeferred = undeferred;
}

void begin_ordered() {
  const Inspection here;
  if (!here || here->openmp == nullptr || here->openmp->task == nullptr) return;
  if (Team* team = here->openmp->task->team; team != nullptr) detector.take(here.thread(), team->ordered);
}

void end_ordered() {
  const Inspection here;
  if (!here || here->openmp == nullptr || here->openmp->task == nullptr) return;
  if (Team* team = here->openmp->task->team; team != nullptr) detector.give(here.thread(), team->ordered);
}

void thread_number_asked() {
  const Inspection here;
  if (!here || here->openmp == nullptr) return;
  Task* task = here->openmp->task;
  if (task == nullptr || task->carrier == nullptr || task->team == nullptr || task->knows_thread) return;
  task->knows_thread = true;
  take_number(task);
}

}  // namespace norn::rt
