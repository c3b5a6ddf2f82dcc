// How the runtime starts: before the first constructor of the program, by .preinit_array; or by whatever reaches it
// earlier.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "core/detector.h"
#include "hazards/hazard_listener.h"
#include "norn/site.h"
#include "runtime/control/control.h"
#include "runtime/control/what_if.h"
#include "runtime/hooks/check_state.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/inputs/inputs.h"
#include "runtime/intercept/reals.h"
#include "runtime/intercept/signals.h"
#include "runtime/intercept/threading/threads.h"
#include "runtime/memory/allocator_calls.h"
#include "runtime/process/emit.h"
#include "runtime/process/modules.h"
#include "runtime/process/process.h"
#include "runtime/process/serve.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/hazard_reporter.h"
#include "runtime/reporting/recording.h"
#include "runtime/reporting/reporter.h"

extern "C" {
extern char** environ;
extern void* __libc_stack_end;
// The program's own, if it has one (<sanitizer/tsan_interface.h>).
__attribute__((weak)) void __tsan_on_initialize();
}

namespace norn::rt {
namespace {

void remember_program(int argc, char** argv) {
  static constinit char path[4096] = {};
  const long length = sys::call(__NR_readlink, sys::as_long("/proc/self/exe"), sys::as_long(path), sizeof(path) - 1);
  if (length > 0) start.program = {path, static_cast<size_t>(length)};
  static constinit char words[4096] = {};
  static constinit char* pointers[64] = {};
  if (argv == nullptr) {
    // Started by a hook before the loader told anyone the arguments.
    const int fd = sys::open_file("/proc/self/cmdline", O_RDONLY);
    const long size = fd < 0 ? 0 : sys::read_some(fd, words, sizeof(words) - 1);
    if (fd >= 0) sys::close_file(fd);
    argc = 0;
    for (long i = 0; i < size && argc < 63; ++i) {
      if (i == 0 || words[i - 1] == '\0') pointers[argc++] = words + i;
    }
    argv = pointers;
  }
  for (int i = 0; i < argc && start.command_count < 64; ++i) start.command[start.command_count++] = argv[i];
  start.pid = sys::pid();
  start.parent = sys::parent_pid();
  start.time = sys::now();
}

Options core_options(const options::Settings& settings) {
  Options options;
  options.engine = settings.engine;
  options.condition = settings.cv;
  // Until a module uses them (modules.cc), or somebody does: it costs something at every access under a lock.
  options.conditions = false;
  options.spin = false;  // until a module has a loop that spins (loops.cc): it costs something at every lock
  // Who looks for regions that should be one wants to know what may come between them.
  options.handover = settings.handover && (settings.hazards & options::kHazardAtomicity) == 0;
  options.library = settings.lib;
  if (settings.history == options::History::kShort) options.superseded_cap = options::kShortHistory;
  options.memory_limit = size_t{settings.memory_limit} << 20;
  return options;
}

constexpr Text kNoMemory =
    "not enough memory or address space to start; raise the limit (ulimit -v unlimited) and try again";

// The tables take 40 MiB of addresses, most of them never touched; a thread takes 4 and its stack, and the shadow as
// much as the program's own data. With less than this a program would begin and soon be half checked.
bool has_address_space() {
  constexpr rlim_t kLeast = rlim_t{192} << 20;
  rlimit limit{};
  return sys::call(__NR_getrlimit, RLIMIT_AS, sys::as_long(&limit)) != 0 || limit.rlim_cur >= kLeast;
}

// What is asked of the loader: a server asks for all its copies.
void find_everything() {
  static constinit bool found = false;
  if (found) return;
  found = true;
  find_real_functions();
  find_loader();
  find_allocator();
}

bool start_all(int argc, char** argv, char** environment) {
  phase.store(Phase::kStarting, std::memory_order_relaxed);
  core_yield = &sys::yield;
  read_settings(environment);
  remember_program(argc, argv);
  if (!has_address_space()) refuse(kNoMemory);
  Options options = core_options(start.settings);
  options.shadow_at = reserve_shadow();
  if (!init_stack_ids() || !detector.init(options, report_listener())) {
    refuse(kNoMemory);
  }
  if ((start.settings.hazards & options::kHazardLockOrder) != 0) {
    hazard_listener.lock_order.init(detector, memory, &report_lock_order);
  }
  hazard_listener.atomicity.init(detector, memory, &report_atomicity, [](const Thread& /*self*/, Address address) {
    return address >= current_state->stack_begin && address < current_state->stack_end;
  });
  start_recording();
  find_everything();
  const ThreadId id = new_thread_number();
  Thread* core = emit.add_root(id);
  ThreadState* state = core == nullptr ? nullptr : make_state(id, core, main_stack_size());
  if (state == nullptr || thread_info(id) == nullptr || !init_threads()) refuse(kNoMemory);
  state->depth.store(1, std::memory_order_relaxed);
  current_state = state;
  __norn_stack = state->calls.begin;
  start_reporter();
  phase.store(Phase::kReady, std::memory_order_release);
  begin_thread(*state);
  // The first thread's stack grows; what a report asks of it is who it belongs to.
  ThreadInfo* info = thread_info(id);
  info->stack_end = address_of(__libc_stack_end);
  info->stack_begin = info->stack_end - main_stack_size();
  record_thread(id);
  init_signals();
  init_process();
  leave(*state);
  inputs::start_recording(environment);
  control::start();
  start_what_if();
  if (__tsan_on_initialize != nullptr) __tsan_on_initialize();
  return true;
}

void start_early(int argc, char** argv, char** environment) {
  if (phase.load(std::memory_order_relaxed) != Phase::kNotStarted) return;
  if (is_to_serve(environment)) {
    phase.store(Phase::kStarting, std::memory_order_relaxed);
    find_everything();
    serve_forks(environment);
  }
  start_all(argc, argv, environment);
}

__attribute__((section(".preinit_array"), used)) void (*const start_entry)(int, char**, char**) = &start_early;

}  // namespace

bool start_runtime() {
  switch (phase.load(std::memory_order_acquire)) {
    case Phase::kReady:
      return true;
    case Phase::kStarting:
      return false;
    case Phase::kNotStarted:
      break;
  }
  static constinit char bytes[1 << 16] = {};
  static constinit char* variables[1024] = {};
  if (environ != nullptr) return start_all(0, nullptr, environ);
  const int fd = sys::open_file("/proc/self/environ", O_RDONLY);
  const long size = fd < 0 ? 0 : sys::read_some(fd, bytes, sizeof(bytes) - 1);
  if (fd >= 0) sys::close_file(fd);
  unsigned count = 0;
  for (long i = 0; i < size && count < 1023; ++i) {
    if (i == 0 || bytes[i - 1] == '\0') variables[count++] = bytes + i;
  }
  return start_all(0, nullptr, variables);
}

}  // namespace norn::rt
