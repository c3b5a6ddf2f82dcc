// The library's beginning and its end in a program.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "runtime/intercept/interpose.h"
#include "runtime/intercept/reals.h"
#include "runtime/probe/follow_threads.h"
#include "runtime/probe/misbehaviour.h"
#include "runtime/probe/slots.h"
#include "runtime/probe/validation.h"

using namespace norn::probe;

namespace {

constinit char* const* environment = nullptr;

void after_fork_in_child() { validation.begin_again(); }

// Before any constructor: originals are called through pointers.
void find_originals(int /*count*/, char** /*arguments*/, char** variables) {
  norn::rt::find_real_functions();
  set_armed(false);
  environment = variables;
}
__attribute__((section(".preinit_array"), used)) void (*const at_first)(int, char**, char**) = &find_originals;

// After the constructors of libraries, before those of the program.
__attribute__((constructor(101))) void begin() {
  (void)prepare_threads();
  validation.start(environment);
  pthread_atfork(nullptr, nullptr, &after_fork_in_child);
}

__attribute__((destructor(101))) void end() { validation.finish(norn::probe::wire::End::kExit); }

}  // namespace

NORN_INTERPOSE(void, _exit, (int status)) {
  validation.finish(norn::probe::wire::End::kQuickExit);
  real__exit(status);
}
NORN_INTERPOSE(void, _Exit, (int status)) {
  validation.finish(norn::probe::wire::End::kQuickExit);
  real__Exit(status);
}
NORN_INTERPOSE(void, quick_exit, (int status)) {
  validation.finish(norn::probe::wire::End::kQuickExit);
  real_quick_exit(status);
}
NORN_INTERPOSE(void, abort, ()) {
  if (has_steered()) validation.crash(SIGABRT, reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
  validation.finish(norn::probe::wire::End::kAbort);
  real_abort();
}
