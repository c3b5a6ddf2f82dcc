// Hands atomic operations over to the runtime, which does them.
//
//     %v = load atomic i32, ptr %p acquire       →  %v = call i32 @__norn_atomic32_load(ptr %p, i32 ACQUIRE, @site)
//     %o = atomicrmw add ptr %p, i64 1 seq_cst   →  %o = call i64 @__norn_atomic64_fetch_add(%p, 1, SEQ_CST, @site)
//     %r = cmpxchg ptr %p, i8 %e, i8 %d …        →  %o = call i8 @__norn_atomic8_compare_exchange(%p, %e, %d, …, @site)
//                                                   %r = { %o, %o == %e }
//     %o = atomicrmw fmax ptr %p, float %x …     →  a relaxed load and a loop around compare_exchange
//     fence release                              →  call void @__norn_fence(i32 RELEASE, i32 0, @site)
#pragma once

#include <optional>

#include "compiler/emit/hook_calls.h"
#include "compiler/naming/site_table.h"
#include "llvm/IR/Instruction.h"

namespace norn::compiler {

struct AtomicFacts {
  norn_site_kind kind;
  norn_order order;
  llvm::Value* address;  // null: a fence
  uint64_t size;
  bool signal_scope;
};

// What there is to say of an atomic instruction; nothing for any other.
[[nodiscard]] std::optional<AtomicFacts> atomic_facts(const llvm::Instruction& instruction);

// Replaces an instruction for which there are atomic_facts(). `unsampled`: in code that is not looked at.
void lower_atomic(llvm::Instruction& instruction, Hooks& hooks, llvm::Constant* site, bool unsampled);

}  // namespace norn::compiler
