// Loops of OpenMP whose iterations cannot race with each other, and need not be told apart.
//
// Two iterations that one thread ran race if one of them writes what the other accesses, unless it is the thread's own
// stack (docs/design/openmp.md, Iterations). To others they differ by what they synchronize with. So a loop is *quiet*
// if all it writes are variables of the functions that run in it, and nothing in it synchronizes: no atomics, no
// volatile accesses, no calls but of functions for which the same holds, and of the library's mathematics. A read in a
// loop within it may be a wait, so what such a loop reads has to be the functions' own, too.
//
// Asked of clang's own output, before it is optimised: what is emitted into a loop then keeps it from being optimised
// well.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace norn::compiler {

class QuietLoops final {
 public:
  explicit QuietLoops(const llvm::Module& module);

  [[nodiscard]] bool is_quiet(const llvm::Loop& loop, const llvm::LoopInfo& loops);

 private:
  [[nodiscard]] bool is_quiet(const llvm::Function& function);
  [[nodiscard]] bool is_quiet(const llvm::CallBase& call, bool may_wait);
  [[nodiscard]] bool is_quiet(const llvm::Instruction& instruction, bool may_wait);
  [[nodiscard]] bool is_mathematics(const llvm::Function& function) const;

  llvm::TargetLibraryInfoImpl library_list_;
  llvm::TargetLibraryInfo library_;
  llvm::DenseMap<const llvm::Function*, bool> functions_;
};

}  // namespace norn::compiler
