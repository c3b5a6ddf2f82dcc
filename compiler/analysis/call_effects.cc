#include "compiler/analysis/call_effects.h"

#include <algorithm>

#include "compiler/analysis/library.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace norn::compiler {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// Nobody waits for a store into a variable of the function's own: who does would have to know its address, and to
// pass that on takes a call or another store.
bool is_to_own_variable(const llvm::Value* address) {
  return isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address));
}

Boundary of_intrinsic(const llvm::IntrinsicInst& intrinsic) {
  if (intrinsic.isAssumeLikeIntrinsic() || intrinsic.onlyReadsMemory()) return Boundary::kNone;
  if (const auto* block = dyn_cast<llvm::AnyMemIntrinsic>(&intrinsic)) {
    return is_to_own_variable(block->getRawDest()) ? Boundary::kNone : Boundary::kSignal;
  }
  const bool own = intrinsic.onlyAccessesArgMemory() || intrinsic.onlyAccessesInaccessibleMemory() ||
                   intrinsic.onlyAccessesInaccessibleMemOrArgMem();
  return own ? Boundary::kSignal : Boundary::kFull;
}

}  // namespace

Boundary CallEffects::of(const llvm::CallBase& call) const {
  if (const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&call)) return of_intrinsic(*intrinsic);
  if (call.isInlineAsm()) return Boundary::kFull;
  if (call.doesNotAccessMemory()) return Boundary::kNone;
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return Boundary::kFull;
  if (const auto known = of_function_.find(callee); known != of_function_.end()) return known->second;
  const bool quiet = callee->isDeclaration() && library_role(callee->getName()) == LibraryRole::kLooks;
  return quiet ? Boundary::kNone : Boundary::kFull;
}

Boundary CallEffects::of_instruction(const llvm::Instruction& instruction) const {
  if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) return of(*call);
  if (instruction.isAtomic() || instruction.isVolatile()) return Boundary::kFull;
  if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
    return is_to_own_variable(store->getPointerOperand()) ? Boundary::kNone : Boundary::kSignal;
  }
  return Boundary::kNone;
}

CallEffects::CallEffects(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() && !function.isInterposable() && !function.hasFnAttribute(llvm::Attribute::Naked)) {
      of_function_.try_emplace(&function, Boundary::kNone);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::Function& function : module) {
      const auto known = of_function_.find(&function);
      if (known == of_function_.end() || known->second == Boundary::kFull) continue;
      Boundary effect = known->second;
      for (const llvm::BasicBlock& block : function) {
        for (const llvm::Instruction& instruction : block) effect = std::max(effect, of_instruction(instruction));
      }
      changed |= effect != known->second;
      known->second = effect;
    }
  }
}

}  // namespace norn::compiler
