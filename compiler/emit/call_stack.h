// Makes a function record which of its calls it is in (include/norn/abi.h, "Call stacks").
//
//                                   %sp = load ptr, @__norn_stack        ; in a block that dominates all calls
//     call @g()                     store volatile @site, %sp
//                              →    store volatile %sp + 8, @__norn_stack
//                                   call @g()
//                                   store volatile %sp, @__norn_stack
//     invoke @h() unwind %pad       the same, with the last store in the normal successor
//     %pad: landingpad              landingpad; store %sp, @__norn_stack
//
// The load stands outside all loops, but otherwise as late as it can: a function whose fast path makes no call pays
// nothing on it. The store after a call is left out when another call follows in the block before any hook. Calls
// that touch no memory, `musttail` calls, inline assembly, intrinsics and hooks are not calls in this sense.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace norn::compiler {

[[nodiscard]] bool is_traced_call(const llvm::Instruction& instruction);

struct TracedCall {
  llvm::CallBase* call;
  llvm::Constant* site;
};

// `calls` in the order of the function's instructions.
void trace_calls(llvm::Function& function, llvm::ArrayRef<TracedCall> calls);

}  // namespace norn::compiler
