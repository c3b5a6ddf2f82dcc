// Reads that only count: their value goes into what is written to the same bytes next, and nowhere else.
//
//     hits++;  total += n;  flags |= 4;      count: whatever was there, the same is done next
//     if (--users == 0)  head = head->next   decide: a branch or an address comes of it
//
// docs/design/order.md, "Handed over", says what depends on it.
#pragma once

#include "llvm/IR/Instructions.h"

namespace norn::compiler {

[[nodiscard]] bool only_counts(const llvm::LoadInst& load);

}  // namespace norn::compiler
