// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/tool/client_openmp.h"

#include "base/hash.h"
#include "core/order/release_clock.h"
#include "core/order/thread.h"
#include "valgrind/tool/guest_stacks.h"

namespace norn::vg {

// One parallel region. What its tasks do between two barriers is a phase; all of it is released into the phase's clock,
// and who leaves the barrier takes it. Two are enough: nobody is in the phase after the next before all have left this
// one.
struct Team {
  ReleaseClock begin;
  ReleaseClock phases[2];
  ReleaseClock ordered;  // from each ordered region, and depend(source), to the next
  uint32_t references;
  static constexpr unsigned kMaxLocks = 8;
  Held locks[kMaxLocks];  // that who encountered the region holds: the team works under them
  unsigned lock_count;
};

namespace {

constexpr unsigned kDependenceKinds = 4;
constexpr Address kAllMemory = 0;

struct Taskgroup {
  ReleaseClock done;
  Taskgroup* outer;
};

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

}  // namespace

struct Task {
  Thread* core;    // null: it is over, or there was none to be had
  bool owns_core;  // a thread of the core of its own
  bool is_final;
  bool has_left;  // its team: its work is done
  bool has_begun;
  bool knows_thread;  // it asked which thread it runs on
  uint32_t phase;     // of its team
  Team* team;         // null: outside of all regions
  Task* parent;       // null: a member
  Task* below;        // what the thread ran before, and will run again
  Taskgroup* group;
  ReleaseClock children;    // that are done
  uint32_t references;      // itself, and its children
  Dependence* dependences;  // of its children
  Named* named;             // by itself
  StackId created_at;
  Address event;  // that is part of it; 0: none
  bool is_left;   // its function has returned
  Task* next_with_event;
  bool has_taken[Team::kMaxLocks];  // of the team's locks, by a member
  Call* calls;                      // where the calls of the thread begin that are below it
};

// What a thread runs.
struct OpenMpThread {
  Thread* core;         // its own
  Call* calls;          // all of them
  Task* task;           // null: nothing of OpenMP's
  Task* at_once_by;     // the task whose children are parts of it just now
  bool part_over;       // of an untied task: its function returns yet
  ReleaseClock number;  // from each task that asked for the thread's number to the next
};

namespace {

constinit Task* with_event = nullptr;  // all of them

OpenMpThread* own_thread(ThreadState& self) {
  if (self.openmp == nullptr) {
    self.openmp = memory.create<OpenMpThread>();
    if (self.openmp == nullptr) return nullptr;
    self.openmp->core = self.core;
    self.openmp->calls = self.calls;
  }
  return self.openmp;
}

void release_team(Team& team) {
  if (--team.references != 0) return;
  for (ReleaseClock* clock : {&team.begin, &team.phases[0], &team.phases[1], &team.ordered}) emit.clock_clear(*clock);
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
  if (--task.references != 0) return;
  emit.clock_clear(task.children);
  release_named(task);
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
  task->references = 1;
  task->team = team;
  if (team != nullptr) ++team->references;
  return task;
}

// --- numbers: a task that is over lends its number to the next one that is created at the same place.

struct FreeNumber {
  ::norn::ThreadId id;
  FreeNumber* next;
};
struct NumbersOfPlace {
  StackId created_at;
  FreeNumber* free;
};
constexpr unsigned kPlaces = 1024;
constinit NumbersOfPlace numbers[kPlaces] = {};

NumbersOfPlace& numbers_of(StackId created_at) { return numbers[hash_half(created_at) >> 22]; }

::norn::ThreadId number_of_task(StackId created_at, ::norn::ThreadId parent) {
  NumbersOfPlace& place = numbers_of(created_at);
  if (FreeNumber* number = place.free; number != nullptr && place.created_at == created_at) {
    place.free = number->next;
    const ::norn::ThreadId id = number->id;
    memory.destroy(number);
    return id;
  }
  const ::norn::ThreadId id = new_thread_number();
  set_thread_name(id, "OpenMP task");
  if (ThreadInfo* info = thread_info(id); info != nullptr) {
    info->created_at = created_at;
    info->parent = parent;
  }
  return id;
}

void lend_number(::norn::ThreadId id, StackId created_at) {
  NumbersOfPlace& place = numbers_of(created_at);
  if (place.free != nullptr && place.created_at != created_at) return;
  auto* number = memory.create<FreeNumber>();
  if (number == nullptr) return;
  place.created_at = created_at;
  *number = {id, place.free};
  place.free = number;
}

// Who ends is waited for through release clocks alone.
void end_core(ThreadState& self, Task& task) {
  if (task.core == nullptr || !task.owns_core) return;
  const ::norn::ThreadId id = task.core->id;
  emit.detach(*self.core, id);
  emit.exit(*task.core);
  task.core = nullptr;
  lend_number(id, task.created_at);
}

// --- dependences

bool excludes(DependenceKind a, DependenceKind b) { return a != b || a == DependenceKind::kOut; }

Dependence* find_dependence(const Task& parent, Address address) {
  Dependence* known = parent.dependences;
  while (known != nullptr && known->address != address) known = known->next;
  return known;
}

void take_dependence(Thread& core, Dependence& dependence, DependenceKind kind) {
  for (unsigned other = 0; other < kDependenceKinds; ++other) {
    if (excludes(kind, static_cast<DependenceKind>(other))) emit.clock_acquire(core, dependence.done[other]);
  }
}

void take_dependences(Thread& core, const Task& task) {
  for (const Named* named = task.named; named != nullptr; named = named->next) {
    if (named->dependence->address != kAllMemory) {
      take_dependence(core, *named->dependence, named->kind);
      if (named->kind == DependenceKind::kMutexSet) {
        emit.lock_acquire(core, reinterpret_cast<Address>(named->dependence), LockMode::kExclusive, LockAttempt::kTry,
                          kNoStack);
      }
    }
    for (Dependence* other = task.parent->dependences; other != nullptr; other = other->next) {
      if (other->address == kAllMemory || named->dependence->address == kAllMemory) {
        take_dependence(core, *other, DependenceKind::kOut);
      }
    }
  }
}

void give_dependences(Thread& core, const Task& task, bool unlocks) {
  for (const Named* named = task.named; named != nullptr; named = named->next) {
    emit.clock_release(core, named->dependence->done[static_cast<unsigned>(named->kind)]);
    if (unlocks && named->kind == DependenceKind::kMutexSet) {
      emit.lock_release(core, reinterpret_cast<Address>(named->dependence), LockMode::kExclusive);
    }
  }
}

// All who may wait for the task.
void give_all(Thread& core, Task& task) {
  emit.clock_release(core, task.parent->children);
  if (task.group != nullptr) emit.clock_release(core, task.group->done);
  if (task.team != nullptr) emit.clock_release(core, task.team->phases[task.phase % 2]);
}

// --- one thread, several tasks

// A task that knows its thread comes after those that knew it before, as long as it runs.
void take_number(OpenMpThread& own, const Task* task) {
  if (task != nullptr && task->core != nullptr && task->knows_thread) emit.clock_acquire(*task->core, own.number);
}

void give_number(OpenMpThread& own, const Task* task) {
  if (task != nullptr && task->core != nullptr && task->knows_thread) emit.clock_release(*task->core, own.number);
}

}  // namespace

void run_task(ThreadState& self, Task* task) {
  OpenMpThread* own = own_thread(self);
  if (own == nullptr) return;
  if (own->task != task) {
    give_number(*own, own->task);
    take_number(*own, task);
  }
  own->task = task;
  const bool has_core = task != nullptr && task->core != nullptr;
  run_as(self, has_core ? *task->core : *own->core);
  self.calls = has_core && task->calls != nullptr && task->calls <= self.top ? task->calls : own->calls;
}

Task* present_task(const ThreadState& self) { return self.openmp == nullptr ? nullptr : self.openmp->task; }
bool has_begun(const Task& task) { return task.has_begun; }
bool is_below(const Task& task, const Task* other) { return task.below == other; }

// --- teams -------------------------------------------------------------------------------------------------------

Team* begin_team(ThreadState& self) {
  auto* team = memory.create<Team>();
  if (team == nullptr || own_thread(self) == nullptr) return nullptr;
  team->references = 1;
  for (unsigned i = 0; i < self.core->held_count && i < Team::kMaxLocks; ++i) {
    team->locks[team->lock_count++] = self.core->held[i];
  }
  emit.clock_release(*self.core, team->begin);
  return team;
}

void end_team(ThreadState& self, Team* team) {
  if (team == nullptr) return;
  for (ReleaseClock& done : team->phases) emit.clock_acquire(*self.core, done);
  release_team(*team);
}

// The thread that encountered the region is a member itself; what it is within, and its locks, it has already.
Task* begin_member(ThreadState& self, Team* team) {
  OpenMpThread* own = own_thread(self);
  Task* member = new_task(team);
  if (own == nullptr || member == nullptr) return nullptr;
  member->has_begun = true;
  member->below = own->task;
  member->core = self.core;
  member->calls = self.calls;
  if (team != nullptr) {
    emit.clock_acquire(*member->core, team->begin);
    for (unsigned i = 0; i < team->lock_count; ++i) {
      const Held& held = team->locks[i];
      bool has = false;
      for (unsigned k = 0; k < member->core->held_count; ++k) has |= member->core->held[k].address == held.address;
      if (has) continue;
      emit.lock_acquire(*member->core, held.address, held.mode, LockAttempt::kTry, held.taken_at);
      member->has_taken[i] = true;
    }
  }
  run_task(self, member);
  return member;
}

void leave_team(Task* member) {
  if (member == nullptr || member->team == nullptr || member->has_left) return;
  member->has_left = true;
  Team& team = *member->team;
  for (unsigned i = 0; i < team.lock_count; ++i) {
    if (member->has_taken[i]) emit.lock_release(*member->core, team.locks[i].address, team.locks[i].mode);
  }
  emit.clock_release(*member->core, team.phases[member->phase % 2]);
}

void end_member(ThreadState& self, Task* member) {
  if (member == nullptr) return;
  leave_team(member);
  run_task(self, member->below);
  release_task(*member);
}

// --- tasks -------------------------------------------------------------------------------------------------------

Task* create_task(ThreadState& self, TaskTraits traits) {
  OpenMpThread* own = own_thread(self);
  Task* parent = present_task(self);
  if (own == nullptr || parent == nullptr) return nullptr;
  Task* task = new_task(parent->team);
  if (task == nullptr) return nullptr;
  task->parent = parent;
  ++parent->references;
  task->phase = parent->phase;
  task->group = parent->group;
  task->is_final = traits.is_final || parent->is_final;
  // Outside of all regions there is one thread.
  if (traits.at_once || own->at_once_by == parent || traits.only_waits || parent->is_final || parent->team == nullptr) {
    task->core = self.core;
    task->calls = self.calls;
    return task;
  }
  task->created_at = place(self, 0);
  const ::norn::ThreadId id = number_of_task(task->created_at, self.core->id);
  task->core = emit.fork(*self.core, id);
  task->owns_core = task->core != nullptr;
  if (task->core != nullptr) prepare_core(*task->core);
  return task;
}

void add_dependence(Task* task, Address address, DependenceKind kind) {
  if (task == nullptr || task->parent == nullptr) return;
  auto* named = memory.create<Named>();
  if (named == nullptr) return;
  Dependence* dependence = find_dependence(*task->parent, address);
  if (dependence == nullptr) {
    dependence = memory.create<Dependence>();
    if (dependence == nullptr) return memory.destroy(named);
    dependence->address = address;
    dependence->next = task->parent->dependences;
    task->parent->dependences = dependence;
  }
  *named = {dependence, kind, task->named};
  task->named = named;
}

void begin_task(ThreadState& self, Task* task) {
  OpenMpThread* own = own_thread(self);
  if (own == nullptr || task == nullptr) return;
  if (!task->has_begun && task->core != nullptr) take_dependences(*task->core, *task);
  task->has_begun = true;
  task->below = own->task;
  if (task->owns_core) {
    task->calls = self.top;
    if (ThreadInfo* info = thread_info(task->core->id); info != nullptr) info->carrier = self.id;
  }
  run_task(self, task);
}

void end_part(ThreadState& self) { self.openmp->part_over = true; }

void leave_part(ThreadState& self) {
  if (self.openmp == nullptr || !self.openmp->part_over) return;
  self.openmp->part_over = false;
  if (const Task* task = self.openmp->task; task != nullptr) run_task(self, task->below);
}

void create_at_once(ThreadState& self, bool at_once) {
  if (OpenMpThread* own = own_thread(self); own != nullptr) own->at_once_by = at_once ? own->task : nullptr;
}

void finish_task(Task* task) {
  if (task == nullptr || task->core == nullptr) return;
  give_dependences(*task->core, *task, true);
  if (task->owns_core) give_all(*task->core, *task);
}

void fulfil_task(ThreadState& self, Task* task) {
  if (task == nullptr) return;
  give_dependences(*self.core, *task, false);
  give_all(*self.core, *task);
}

void end_task(ThreadState& self, Task* task) {
  if (task == nullptr) return;
  if (present_task(self) == task) run_task(self, task->below);
  end_core(self, *task);
  release_named(*task);
  Task* parent = task->parent;
  release_task(*task);
  if (parent != nullptr) release_task(*parent);
}

void leave_task(ThreadState& self, Task* task) {
  finish_task(task);
  if (task == nullptr || task->event == 0) return end_task(self, task);
  task->is_left = true;
  if (present_task(self) == task) run_task(self, task->below);
}

void set_event(Task* task, Address event) {
  if (task == nullptr) return;
  task->event = event;
  task->next_with_event = with_event;
  with_event = task;
}

void fulfil_event(ThreadState& self, Address event) {
  for (Task** at = &with_event; *at != nullptr; at = &(*at)->next_with_event) {
    Task* task = *at;
    if (task->event != event) continue;
    *at = task->next_with_event;
    task->event = 0;
    fulfil_task(self, task);
    if (task->is_left) end_task(self, task);
    return;
  }
}

void wait_for_dependences(ThreadState& self, Task* task) {
  if (task == nullptr) return;
  take_dependences(*self.core, *task);
  give_dependences(*self.core, *task, true);
}

// --- waiting -----------------------------------------------------------------------------------------------------

void enter_team_barrier(ThreadState& self) {
  const Task* task = present_task(self);
  if (task != nullptr && task->team != nullptr) emit.clock_release(*self.core, task->team->phases[task->phase % 2]);
}

void leave_team_barrier(ThreadState& self) {
  Task* task = present_task(self);
  if (task == nullptr || task->team == nullptr) return;
  emit.clock_acquire(*self.core, task->team->phases[task->phase % 2]);
  ++task->phase;
}

void wait_for_children(ThreadState& self) {
  if (Task* task = present_task(self); task != nullptr) emit.clock_acquire(*self.core, task->children);
}

void begin_taskgroup(ThreadState& self) {
  Task* task = present_task(self);
  auto* group = task == nullptr ? nullptr : memory.create<Taskgroup>();
  if (group == nullptr) return;
  group->outer = task->group;
  task->group = group;
}

void end_taskgroup(ThreadState& self) {
  Task* task = present_task(self);
  Taskgroup* group = task == nullptr ? nullptr : task->group;
  if (group == nullptr) return;
  emit.clock_acquire(*self.core, group->done);
  task->group = group->outer;
  emit.clock_clear(group->done);
  memory.destroy(group);
}

void begin_ordered(ThreadState& self) {
  const Task* task = present_task(self);
  if (task != nullptr && task->team != nullptr) emit.clock_acquire(*self.core, task->team->ordered);
}

void end_ordered(ThreadState& self) {
  const Task* task = present_task(self);
  if (task != nullptr && task->team != nullptr) emit.clock_release(*self.core, task->team->ordered);
}

void ask_thread(ThreadState& self) {
  Task* task = present_task(self);
  if (task == nullptr || task->knows_thread || task->team == nullptr) return;
  task->knows_thread = true;
  take_number(*self.openmp, task);
}

void forget_openmp(ThreadState& self) {
  if (self.openmp == nullptr) return;
  run_task(self, nullptr);
  emit.clock_clear(self.openmp->number);
  memory.destroy(self.openmp);
  self.openmp = nullptr;
}

}  // namespace norn::vg
