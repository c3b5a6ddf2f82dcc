// Exceptions that several threads hold. The C++ library counts the holders of an exception with atomics of its own,
// which nobody sees; whoever is the last to let go destroys it, and must come after all the others. So letting go is a
// hand-over: it releases, and acquires what those before it released.
#include <stddef.h>
#include <stdint.h>

#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/process/state.h"

using namespace norn;
using namespace norn::rt;

// The C++ library's own; absent in C programs.
extern "C" __attribute__((weak)) void* __cxa_get_globals();

namespace {

void letting_go(const void* exception) {
  if (exception == nullptr || !is_watching()) return;
  const Inspection here;
  if (!here) return;
  emit.happens_after(here.thread(), address_of(exception));
  emit.happens_before(here.thread(), address_of(exception));
}

// The header in front of an exception (Itanium C++ ABI, level II, 2.2.1, with GCC's dependent exceptions).
struct ExceptionHeader {
  void* primary;  // of a dependent exception: the object it was rethrown from; else its type
  void* destructor_or_padding;
  void* unexpected_handler;
  void* terminate_handler;
  ExceptionHeader* next;
  int handler_count;
  int handler_switch;
  const void* action;
  const void* language_data;
  const void* catch_temporary;
  void* adjusted;
  uint64_t exception_class;
  void* cleanup;
  uint64_t private_words[2];
};
static_assert(sizeof(ExceptionHeader) == 112);
constexpr uint64_t kPrimaryClass = 0x474e5543432b2b00;  // "GNUCC++\0"
constexpr uint64_t kDependentClass = kPrimaryClass | 1;

// The exception whose handler ends.
const void* caught_exception() {
  if (__cxa_get_globals == nullptr) return nullptr;
  const auto* header = *static_cast<ExceptionHeader**>(__cxa_get_globals());
  if (header == nullptr) return nullptr;
  if (header->exception_class == kDependentClass) return header->primary;
  return header->exception_class == kPrimaryClass ? header + 1 : nullptr;
}

}  // namespace

NORN_INTERPOSE_OPTIONAL(void, __cxa_end_catch, ()) {
  if (!has_started() || real___cxa_end_catch == nullptr) return;
  if (is_watching()) letting_go(caught_exception());
  real___cxa_end_catch();
}

// std::exception_ptr::_M_release(): the pointer is the object's only member.
NORN_INTERPOSE_OPTIONAL(void, _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv, (void** self)) {
  if (!has_started() || real__ZNSt15__exception_ptr13exception_ptr10_M_releaseEv == nullptr) return;
  letting_go(*self);
  real__ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(self);
}
