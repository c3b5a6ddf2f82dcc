// Loops with probes, once with and once without them: which one runs is decided when the loop is entered.
//
//     for (i …) { if (p.active) …; a[i] = 0; }   →   if (loop.active) for (i …) { if (p.active) …; a[i] = 0; }
//                                                    else for (i …) a[i] = 0;
//
// A probe that sleeps costs two instructions, which is much where there are few others. Only loops that call nothing
// and synchronize with nobody, with at most one level of loops in them: who is in one is soon through it, and only then
// does a probe in it wake.
#pragma once

#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace norn::compiler {

struct TwoLoops {
  llvm::BranchInst* choice;                              // on a constant, to be replaced: true is the loop with probes
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> blocks;  // of the loop with probes
};

// Whether asking once when the function is entered, and at the end of each iteration of loops with probes that go round
// other loops or call something, is done less often than probes are reached that are not in such a loop (Copies in
// copies.h asks so). By what the compiler takes for likely.
[[nodiscard]] bool is_asked_less_often(llvm::Function& function,
                                       llvm::function_ref<bool(const llvm::Instruction&)> has_probe);

// `has_probe`: of an instruction. It is the original whose blocks are told, so that what is known of its instructions
// stays true; the copies have none.
[[nodiscard]] std::vector<TwoLoops> copy_loops(llvm::Function& function,
                                               llvm::function_ref<bool(const llvm::Instruction&)> has_probe);

}  // namespace norn::compiler
