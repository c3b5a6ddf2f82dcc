// The check that stands before an access in optimised code, and the call that it mostly saves.
//
//     call void @__norn_read4(ptr %p, ptr @site)
//
// becomes (include/norn/abi.h says what it means; docs/design/fastpath.md why it is enough)
//
//     %fast  = load ptr, ptr @__norn_fast
//     %word = load i64, ptr %fast.granules + 4 * (%p & %fast.mask)
//     %news  = (%word ^ %fast.read) & %fast.read_bits & bits of the bytes
//     the same with %fast.others; %news = the smaller of both        ; (only of fewer than eight bytes)
//     br i1 (%news != 0), label %slow, label %on, !prof !{unlikely}
//   slow:
//     call preserve_mostcc void @__norn_slow_read4(ptr %p, ptr @site)        ; of a write: and what is written
//     br label %on
//   on:
#pragma once

#include "compiler/emit/hook_calls.h"
#include "llvm/IR/IRBuilder.h"

namespace norn::compiler {

// Emits it before the builder's place, which is then after it. What is not known to be aligned makes the call, too, if
// it lies in more granules than it would if it were. `value`: what is written; null: not known.
void emit_inline_check(llvm::IRBuilder<>& builder, Hooks& hooks, llvm::Value* address, uint64_t size, bool write,
                       llvm::Align alignment, llvm::Constant* site, llvm::Value* value = nullptr);

// The arguments of an access's hook.
[[nodiscard]] llvm::SmallVector<llvm::Value*, 3> hook_arguments(llvm::IRBuilder<>& builder, llvm::Value* address,
                                                                uint64_t size, bool write, llvm::Constant* site,
                                                                llvm::Value* value);

}  // namespace norn::compiler
