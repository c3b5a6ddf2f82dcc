// Exceptions that several threads hold. The C++ library counts the holders of an exception with atomics of its own,
// which nobody sees; whoever is the last to let go destroys it, and comes after all the others. Those before the last
// are not ordered with each other: what they do to the exception may race ([propagation]). So letting go releases, and
// only the last acquires. To know the last, the runtime counts down in the library's place.
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

// GCC's __cxa_refcounted_exception stands in front of an exception: the number of its holders is its first member.
int* holders_of(void* exception) { return reinterpret_cast<int*>(static_cast<char*>(exception) - 128); }

// A holder fewer. True: it was the last, and the exception is its own to destroy, with the count as it was.
bool lets_go_last(void* exception) {
  if (const Inspection here; here) emit.happens_before(here.thread(), address_of(exception));
  int* holders = holders_of(exception);
  if (__atomic_sub_fetch(holders, 1, __ATOMIC_ACQ_REL) > 0) return false;
  __atomic_store_n(holders, 1, __ATOMIC_RELAXED);
  if (const Inspection here; here) emit.happens_after(here.thread(), address_of(exception));
  return true;
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
void* caught_exception() {
  if (__cxa_get_globals == nullptr) return nullptr;
  auto* header = *static_cast<ExceptionHeader**>(__cxa_get_globals());
  if (header == nullptr) return nullptr;
  if (header->exception_class == kDependentClass) return header->primary;
  return header->exception_class == kPrimaryClass ? header + 1 : nullptr;
}

}  // namespace

// std::exception_ptr::_M_release(): the pointer is the object's only member.
NORN_INTERPOSE_OPTIONAL(void, _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv, (void** self)) {
  if (!has_started() || real__ZNSt15__exception_ptr13exception_ptr10_M_releaseEv == nullptr) return;
  if (*self != nullptr && is_watching() && !lets_go_last(*self)) return;
  real__ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(self);
}

// The library lets go of the exception if no other handler has it. The runtime holds it meanwhile.
NORN_INTERPOSE_OPTIONAL(void, __cxa_end_catch, ()) {
  if (!has_started() || real___cxa_end_catch == nullptr) return;
  void* exception = nullptr;
  if (is_watching() && real__ZNSt15__exception_ptr13exception_ptr10_M_releaseEv != nullptr) {
    exception = caught_exception();
  }
  if (exception != nullptr) __atomic_add_fetch(holders_of(exception), 1, __ATOMIC_RELAXED);
  real___cxa_end_catch();
  if (exception != nullptr && lets_go_last(exception)) {
    real__ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(&exception);
  }
}
