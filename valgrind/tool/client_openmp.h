// SPDX-License-Identifier: GPL-2.0-or-later
// OpenMP in programs as they are: what orders tasks is what the constructs say, as in the native runtime
// (docs/design/openmp.md), emitted by wrappers of libgomp's functions and by OMPT from LLVM's runtime
// (preload_openmp.c). Explicit tasks are threads of their own for the core; a member of a team is its thread, so the
// iterations that one thread runs are in order.
#pragma once

#include "valgrind/tool/tool_state.h"

namespace norn::vg {

struct Team;
struct Task;
enum class DependenceKind : uint8_t { kIn, kOut, kSet, kMutexSet };

// All by the current thread. Where there is no memory for a team or a task there is none, which is told by null.
Team* begin_team(ThreadState& self);
void end_team(ThreadState& self, Team* team);
Task* begin_member(ThreadState& self, Team* team);
void leave_team(Task* member);  // its work is done; the thread may still help others
void end_member(ThreadState& self, Task* member);

// A task of the present one.
struct TaskTraits {
  bool at_once;  // if(0): part of the task that creates it
  bool is_final;
  bool only_waits;  // taskwait depend(…)
};
Task* create_task(ThreadState& self, TaskTraits traits);
void add_dependence(Task* task, Address address, DependenceKind kind);
void begin_task(ThreadState& self, Task* task);
void finish_task(Task* task);                     // its work is done: who waits for it goes on
void fulfil_task(ThreadState& self, Task* task);  // an event was part of its work
void end_task(ThreadState& self, Task* task);
// Its function has returned: it is over, unless an event is part of it that was not fulfilled yet.
void leave_task(ThreadState& self, Task* task);
void set_event(Task* task, Address event);
void fulfil_event(ThreadState& self, Address event);
// A part of an untied task is over, as far as the library knows; its function returns yet.
void end_part(ThreadState& self);
void leave_part(ThreadState& self);
// From here on what the present task creates is part of it (if(0)); or no more.
void create_at_once(ThreadState& self, bool at_once);
void wait_for_dependences(ThreadState& self, Task* task);
// The thread goes on with a task that has begun, or with what it is without one (null).
void run_task(ThreadState& self, Task* task);
Task* present_task(const ThreadState& self);
bool has_begun(const Task& task);
bool is_below(const Task& task, const Task* other);  // it runs on top of the other

void enter_team_barrier(ThreadState& self);
void leave_team_barrier(ThreadState& self);
void wait_for_children(ThreadState& self);
void begin_taskgroup(ThreadState& self);
void end_taskgroup(ThreadState& self);
void begin_ordered(ThreadState& self);
void end_ordered(ThreadState& self);
// The present task asked which thread it runs on, or for what is the thread's own.
void ask_thread(ThreadState& self);

// The thread ends.
void forget_openmp(ThreadState& self);

}  // namespace norn::vg
