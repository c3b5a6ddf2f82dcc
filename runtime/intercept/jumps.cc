// longjmp and its family. A function of norn's own code puts the stack of calls right when setjmp returns again; code
// that was compiled for ThreadSanitizer relies on us.
#include <setjmp.h>

#include "runtime/hooks/code_sites.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/state.h"

using namespace norn;
using namespace norn::rt;

namespace {

// The stack pointer that the jump goes to, as glibc keeps it on x86-64: rotated, and mixed with a word of the thread.
Address target_of(const __jmp_buf_tag* buffer) {
  constexpr unsigned kStackPointer = 6;
  auto pointer = static_cast<Address>(buffer->__jmpbuf[kStackPointer]);
  asm("ror $0x11, %0\n\txor %%fs:0x30, %0" : "+r"(pointer) : : "cc");
  return pointer;
}

// Functions whose frames lie below are left.
void leave_frames_below(Address target) {
  const ThreadState* state = current_state;
  if (state == nullptr || state->running->foreign == nullptr) return;
  const CallStack& calls = *state->running;
  const norn_site** top = __norn_stack;
  if (top <= calls.begin || top > calls.end) return;
  const Address end = state->fiber != nullptr || state->stack_end == 0 ? ~Address{0} : state->stack_end;
  for (auto slot = static_cast<size_t>(top - calls.begin); slot > 0; --slot) {
    if (!is_foreign(calls, slot - 1)) continue;
    const Address frame = address_of(calls.foreign[slot - 1].returns + 1);  // its stack pointer, between calls
    if (frame < target || frame >= end) continue;  // left, or of a handler on a stack of its own
    __norn_stack = calls.begin + slot;
    return;
  }
}

}  // namespace

// They never return, so the call may stand in a frame that is left with the others.
#define NORN_JUMP(name)                                             \
  NORN_INTERPOSE(void, name, (__jmp_buf_tag * buffer, int value)) { \
    if (!has_started()) return;                                     \
    leave_frames_below(target_of(buffer));                          \
    real_##name(buffer, value);                                     \
  }

NORN_JUMP(longjmp)
NORN_JUMP(_longjmp)
NORN_JUMP(siglongjmp)
NORN_JUMP(__longjmp_chk)
