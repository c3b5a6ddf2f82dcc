// OpenMP through OMPT, the interface of LLVM's runtime for tools (OpenMP 5.2, chapter 19).
//
// Every task, implicit or explicit, is a thread of its own for the core, whichever thread runs it: what orders tasks is
// what the program says (docs/design/openmp.md), not who happened to run them. A thread of the host runs one task at a
// time; `OpenMpThread` says which, and what the thread is when it runs none.
#include "runtime/openmp/openmp.h"

#include <link.h>
#include <omp-tools.h>

#include "runtime/control/control.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/interpose.h"
#include "runtime/openmp/openmp_tasks.h"
#include "runtime/process/mode.h"
#include "runtime/process/modules.h"
#include "runtime/reporting/reporter.h"

namespace norn::rt {

constinit CodeRange openmp_code;

namespace {

constexpr norn_site kParallel = library_site("omp parallel");
constexpr norn_site kTeams = library_site("omp teams");
constexpr norn_site kTask = library_site("omp task");

Task* task_of(const ompt_data_t* data) { return data == nullptr ? nullptr : static_cast<Task*>(data->ptr); }

bool has_flag(int flags, unsigned flag) { return (static_cast<unsigned>(flags) & flag) != 0; }

bool is_barrier(ompt_sync_region_t kind) {
  switch (kind) {
    case ompt_sync_region_barrier:
    case ompt_sync_region_barrier_implicit:
    case ompt_sync_region_barrier_explicit:
    case ompt_sync_region_barrier_implementation:
    case ompt_sync_region_barrier_implicit_workshare:
      return true;
    default:
      return false;
  }
}

// Workers stay in it until they are wanted again, or for ever.
bool is_last_barrier(ompt_sync_region_t kind) {
  return kind == ompt_sync_region_barrier_implicit_parallel || kind == ompt_sync_region_barrier_teams;
}

// --- parallel regions ---------------------------------------------------------------------------------------------

void on_parallel_begin(ompt_data_t* /*encountering*/, const ompt_frame_t* /*frame*/, ompt_data_t* parallel,
                       unsigned /*requested*/, int flags, const void* /*code*/) {
  if (is_controlled()) control::unpark_all();
  const Inspection here;
  if (!here) return;
  parallel->ptr = begin_team(*here, has_flag(flags, ompt_parallel_league) ? kTeams : kParallel);
}

void on_parallel_end(ompt_data_t* parallel, ompt_data_t* /*encountering*/, int /*flags*/, const void* /*code*/) {
  const Inspection here;
  if (here && parallel != nullptr && parallel->ptr != nullptr) end_team(*here, *static_cast<Team*>(parallel->ptr));
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* data, unsigned count,
                      unsigned index, int /*flags*/) {
  const Inspection here;
  if (!here) return;
  if (endpoint == ompt_scope_begin) {
    auto* team = parallel == nullptr ? nullptr : static_cast<Team*>(parallel->ptr);
    if (team != nullptr) __atomic_store_n(&team->members, count, __ATOMIC_RELAXED);
    data->ptr = begin_implicit_task(*here, team, index, address_of(__builtin_frame_address(0)));
  } else if (Task* task = task_of(data); task != nullptr) {
    end_implicit_task(*here, *task);
    data->ptr = nullptr;
  }
}

// --- tasks --------------------------------------------------------------------------------------------------------

void on_task_create(ompt_data_t* encountering, const ompt_frame_t* /*frame*/, ompt_data_t* created, int flags,
                    int /*has_dependences*/, const void* /*code*/) {
  const Inspection here;
  Task* parent = task_of(encountering);
  if (!here || parent == nullptr) return;
  const bool waits = has_flag(flags, ompt_task_taskwait);  // taskwait depend(…): no work, only a wait
  Task* task = create_task(*here, *parent, waits, kTask);
  if (!waits) control::work_to_take.fetch_add(1, std::memory_order_relaxed);
  if (task != nullptr) {
    task->is_final = has_flag(flags, ompt_task_final);
    task->is_untied = has_flag(flags, ompt_task_untied);
  }
  created->ptr = task;
}

void on_dependences(ompt_data_t* data, const ompt_dependence_t* dependences, int count) {
  const Inspection here;
  Task* task = task_of(data);
  if (!here || task == nullptr) return;
  for (int i = 0; i < count; ++i) {
    const Address address = address_of(dependences[i].variable.ptr);
    switch (dependences[i].dependence_type) {
      case ompt_dependence_type_in:
        add_dependence(*task, address, DependenceKind::kIn);
        break;
      case ompt_dependence_type_out:
      case ompt_dependence_type_inout:
        add_dependence(*task, address, DependenceKind::kOut);
        break;
      case ompt_dependence_type_mutexinoutset:
        add_dependence(*task, address, DependenceKind::kMutexSet);
        break;
      case ompt_dependence_type_inoutset:
        add_dependence(*task, address, DependenceKind::kSet);
        break;
      case ompt_dependence_type_out_all_memory:
      case ompt_dependence_type_inout_all_memory:
        add_dependence(*task, kAllMemory, DependenceKind::kOut);
        break;
      default:
        break;
    }
  }
}

void switch_tasks(ompt_data_t* prior_data, ompt_task_status_t status, ompt_data_t* next_data) {
  const Inspection here;
  if (!here) return;
  const Address frame = address_of(__builtin_frame_address(0));
  if (Task* prior = task_of(prior_data); prior != nullptr) {
    switch (status) {
      case ompt_task_complete:
      case ompt_task_cancel:
        finish_task(*here, *prior);
        end_task(*here, *prior);
        prior_data->ptr = nullptr;
        break;
      case ompt_task_detach:  // its body is done, its event is not fulfilled
        finish_task(*here, *prior);
        break;
      case ompt_task_early_fulfill:
      case ompt_task_late_fulfill:
        fulfil_task(*here, *prior);
        if (status == ompt_task_late_fulfill) {
          end_task(*here, *prior);
          prior_data->ptr = nullptr;
        }
        break;
      case ompt_taskwait_complete:
        wait_for_dependences(*here, *prior);
        end_task(*here, *prior);
        prior_data->ptr = nullptr;
        return;
      default:  // it goes on later: now another runs on top of it, or, of an untied task, a part is over
        if (prior->below == task_of(next_data)) {
          leave_stack(*here, *prior);
        } else if (Task* other = task_of(next_data); other != nullptr && other->begun) {
          return resume_task(*here, *other, frame);
        }
        break;
    }
  }
  if (next_data == nullptr) return;
  Task* next = task_of(next_data);
  if (next != nullptr && !next->begun) {
    begin_task(*here, *next, frame);
  } else {
    run_task(*here, next);
  }
}

// Who has done a task may go back to a wait that the scheduler does not model.
void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  switch_tasks(prior, status, next);
  const bool done = status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_detach;
  if (done) control::work_to_take.fetch_sub(1, std::memory_order_relaxed);
  if (is_controlled() && done) control::go_outside();
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* /*parallel*/,
                    ompt_data_t* data, const void* /*code*/) {
  const Inspection here;
  Task* task = task_of(data);
  if (!here || task == nullptr) return;
  const bool begins = endpoint == ompt_scope_begin;
  if (is_last_barrier(kind)) {
    if (begins) leave_team(*here, *task);
  } else if (is_barrier(kind)) {
    begins ? enter_barrier(*here, *task) : leave_barrier(*here, *task);
  } else if (kind == ompt_sync_region_taskwait) {
    if (!begins) wait_for_children(*here, *task);
  } else if (kind == ompt_sync_region_taskgroup) {
    begins ? begin_taskgroup(*task) : end_taskgroup(*here, *task);
  }
}

// Waits that are OpenMP's own: whoever waits gives its turn away. Of barriers the scheduler knows who has come, so that
// it knows when nobody else will.
void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* /*parallel*/, ompt_data_t* data,
             const void* /*code*/) {
  if (!is_controlled()) return;
  if (endpoint != ompt_scope_begin) return control::leave_gathering();
  control::Gathering gathering;
  const Task* task = task_of(data);
  if (task != nullptr && task->team != nullptr && (is_barrier(kind) || is_last_barrier(kind))) {
    gathering = {task->team->number, __atomic_load_n(&task->team->members, __ATOMIC_RELAXED),
                 is_last_barrier(kind) && task->index != 0};
  }
  control::go_outside(gathering);
}

void on_thread_end(ompt_data_t* /*thread*/) {
  if (const Inspection here; here) forget_openmp_thread(*here);
}

// --- start --------------------------------------------------------------------------------------------------------

template <class Callback>
void listen(ompt_set_callback_t set, ompt_callbacks_t event, Callback* callback) {
  set(event, reinterpret_cast<ompt_callback_t>(callback));
}

int initialize(ompt_function_lookup_t lookup, int /*device*/, ompt_data_t* /*tool*/) {
  const auto set = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
  if (set == nullptr) return 0;
  openmp_code = code_around(reinterpret_cast<const void*>(lookup));
  if (openmp_code.size == 0) return 0;
  listen(set, ompt_callback_parallel_begin, &on_parallel_begin);
  listen(set, ompt_callback_parallel_end, &on_parallel_end);
  listen(set, ompt_callback_implicit_task, &on_implicit_task);
  listen(set, ompt_callback_task_create, &on_task_create);
  listen(set, ompt_callback_task_schedule, &on_task_schedule);
  listen(set, ompt_callback_dependences, &on_dependences);
  listen(set, ompt_callback_sync_region, &on_sync_region);
  listen(set, ompt_callback_sync_region_wait, &on_wait);
  listen(set, ompt_callback_thread_end, &on_thread_end);
  return 1;
}

void finalize(ompt_data_t* /*tool*/) {}

constinit std::atomic<bool> said_unheard{false};

constinit ompt_start_tool_result_t tool = {&initialize, &finalize, {}};

}  // namespace

void note_unheard_runtime(const void* code) {
  if (said_unheard.load(std::memory_order_relaxed) || openmp_code.contains(code)) return;
  if (!lies_in_library(code, "libgomp.so") || said_unheard.exchange(true, std::memory_order_relaxed)) return;
  report_note(
      "libgomp does not tell what it does, so the order of its OpenMP regions is mostly unknown: link with LLVM's "
      "libomp "
      "(norn-cc -fopenmp)");
}

}  // namespace norn::rt

// LLVM's runtime looks for this name. A program that brings a tool of its own keeps it.
extern "C" __attribute__((weak, visibility("default"), used)) ompt_start_tool_result_t* ompt_start_tool(
    unsigned /*version*/, const char* /*runtime*/) {
  return norn::rt::has_started() ? &norn::rt::tool : nullptr;
}
