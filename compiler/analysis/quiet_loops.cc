#include "compiler/analysis/quiet_loops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/Triple.h"

namespace norn::compiler {
namespace {

// A variable of the function itself, or a part of one.
bool is_own(const llvm::Value* address) {
  return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address, /*MaxLookup=*/0));
}

bool is_number(const llvm::Type* type) { return type->isFloatingPointTy() || type->isIntegerTy(); }

}  // namespace

QuietLoops::QuietLoops(const llvm::Module& module)
    : library_list_(llvm::Triple(module.getTargetTriple())), library_(library_list_) {}

bool QuietLoops::is_quiet(const llvm::Loop& loop, const llvm::LoopInfo& loops) {
  return llvm::all_of(loop.blocks(), [&](const llvm::BasicBlock* block) {
    const bool may_wait = loops.getLoopFor(block) != &loop;
    return llvm::all_of(*block, [&](const llvm::Instruction& instruction) { return is_quiet(instruction, may_wait); });
  });
}

bool QuietLoops::is_quiet(const llvm::Function& function) {
  if (is_mathematics(function)) return true;
  if (!function.hasExactDefinition()) return false;
  const auto [known, is_new] = functions_.try_emplace(&function, false);  // one that calls itself is not
  if (!is_new) return known->second;
  const llvm::DominatorTree dominators(const_cast<llvm::Function&>(function));
  const llvm::LoopInfo loops(dominators);
  const bool quiet = llvm::all_of(function, [&](const llvm::BasicBlock& block) {
    const bool may_wait = loops.getLoopFor(&block) != nullptr;
    return llvm::all_of(block, [&](const llvm::Instruction& instruction) { return is_quiet(instruction, may_wait); });
  });
  functions_[&function] = quiet;
  return quiet;
}

// From numbers it makes one. It may set errno, which is the thread's own.
bool QuietLoops::is_mathematics(const llvm::Function& function) const {
  llvm::LibFunc known{};
  return function.getReturnType()->isFloatingPointTy() && library_.getLibFunc(function, known) &&
         llvm::all_of(function.args(), [](const llvm::Argument& argument) { return is_number(argument.getType()); });
}

bool QuietLoops::is_quiet(const llvm::CallBase& call, bool may_wait) {
  if (const auto* copy = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&call)) {
    if (copy->isVolatile() || llvm::isa<llvm::AtomicMemIntrinsic>(copy) || !is_own(copy->getDest())) return false;
    const auto* transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(copy);
    return transfer == nullptr || !may_wait || is_own(transfer->getSource());
  }
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    // Who takes the address of a thread's variable asks which thread it is.
    if (intrinsic->getIntrinsicID() == llvm::Intrinsic::threadlocal_address) return false;
    return intrinsic->isAssumeLikeIntrinsic() || intrinsic->doesNotAccessMemory();
  }
  const llvm::Function* called = call.getCalledFunction();
  // What waits need not be a loop of this function.
  return called != nullptr && is_quiet(*called) && (!may_wait || is_mathematics(*called));
}

bool QuietLoops::is_quiet(const llvm::Instruction& instruction, bool may_wait) {
  if (instruction.isAtomic() || instruction.isVolatile()) return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return is_quiet(*call, may_wait);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return !may_wait || is_own(load->getPointerOperand());
  }
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return is_own(store->getPointerOperand());
  return !instruction.mayReadOrWriteMemory();
}

}  // namespace norn::compiler
