// What a call may mean to other threads: nothing, if what it calls is known and neither synchronizes nor calls what is
// unknown. A module's functions are looked at once, together, before anything is instrumented.
#pragma once

#include "compiler/analysis/coverage.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace norn::compiler {

class CallEffects {
 public:
  explicit CallEffects(const llvm::Module& module);

  [[nodiscard]] Boundary of(const llvm::CallBase& call) const;

 private:
  [[nodiscard]] Boundary of_instruction(const llvm::Instruction& instruction) const;

  // Of functions whose code is the code that will run. Grows while it is computed: recursion alone is no effect.
  llvm::DenseMap<const llvm::Function*, Boundary> of_function_;
};

}  // namespace norn::compiler
