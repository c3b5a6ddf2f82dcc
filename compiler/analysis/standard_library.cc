#include "compiler/analysis/standard_library.h"

#include "compiler/naming/names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace norn::compiler {
namespace {

// std::memory_order
enum MemoryOrder : unsigned { kRelaxed = 0, kRelease = 3, kAcquireRelease = 4, kSequential = 5 };

llvm::Value* with_release(llvm::IRBuilder<>& builder, llvm::Value* order) {
  const auto number = [&](MemoryOrder value) { return llvm::ConstantInt::get(order->getType(), value); };
  llvm::Value* acquires_nothing =
      builder.CreateOr(builder.CreateICmpEQ(order, number(kRelaxed)), builder.CreateICmpEQ(order, number(kRelease)));
  llvm::Value* released = builder.CreateSelect(acquires_nothing, number(kRelease), number(kAcquireRelease));
  return builder.CreateSelect(builder.CreateICmpEQ(order, number(kSequential)), order, released);
}

// The function is given the order: whatever it is, the function uses one that releases.
bool release_by_argument(llvm::Function& function) {
  if (function.arg_size() != 2 || !function.getArg(1)->getType()->isIntegerTy()) return false;
  llvm::Argument* order = function.getArg(1);
  llvm::SmallVector<llvm::Use*> uses;
  for (llvm::Use& use : order->uses()) uses.push_back(&use);
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  llvm::Value* released = with_release(builder, order);
  for (llvm::Use* use : uses) use->set(released);
  return !uses.empty();
}

// The function gives the lock up before it waits.
bool release_before_wait(llvm::Function& function) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* called = call == nullptr ? nullptr : call->getCalledFunction();
    if (called == nullptr || !called->getName().contains("9fetch_sub") || call->arg_size() != 3) continue;
    llvm::IRBuilder<> builder(call);
    call->setArgOperand(2, with_release(builder, call->getArgOperand(2)));
    changed = true;
  }
  return changed;
}

// std::_Sp_counted_base::_M_release(), whatever its lock policy.
bool is_release_of_counts(llvm::StringRef name) {
  return name.starts_with("_ZNSt16_Sp_counted_baseI") && name.ends_with("10_M_releaseEv");
}

bool read_second_count(llvm::Function& function) {
  llvm::SmallVector<llvm::LoadInst*> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load != nullptr && load->isAtomic() && load->getType()->isIntegerTy(64)) found.push_back(load);
  }
  for (llvm::LoadInst* load : found) {
    constexpr uint64_t kCountBytes = 4;
    llvm::IRBuilder<> builder(load->getNextNode());
    builder.SetCurrentDebugLocation(load->getDebugLoc());
    llvm::Value* second =
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), load->getPointerOperand(), kCountBytes);
    llvm::LoadInst* count = builder.CreateAlignedLoad(builder.getInt32Ty(), second, llvm::Align(kCountBytes));
    count->setAtomic(load->getOrdering());
  }
  return !found.empty();
}

// What glibc's headers define once more, inline, for optimised code.
bool is_inline_version(const llvm::Function& function) {
  static constexpr llvm::StringLiteral kNames[] = {"getchar", "getline", "putchar", "vprintf"};
  return function.hasAvailableExternallyLinkage() && !function.hasFnAttribute(llvm::Attribute::AlwaysInline) &&
         llvm::is_contained(kNames, function.getName());
}

// What glibc's headers put around a call under _FORTIFY_SOURCE.
bool is_checking_version(const llvm::Function& function) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  // Where clang knows the function itself, that version is `NAME.inline`.
  const bool inline_alone = function.hasAvailableExternallyLinkage() || function.getName().ends_with(".inline");
  return inline_alone && function.hasFnAttribute(llvm::Attribute::AlwaysInline) && subprogram != nullptr &&
         subprogram->getLinkageName().empty() && is_library_function(subprogram);
}

}  // namespace

llvm::PreservedAnalyses StandardLibraryPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = false;
  for (llvm::Function& function : module) {
    const llvm::StringRef name = function.getName();
    if (function.isDeclaration()) continue;
    if (is_inline_version(function)) {
      function.deleteBody();
      changed = true;
    } else if (is_checking_version(function)) {
      changed |= llvm::stripDebugInfo(function);
    } else if (is_release_of_counts(name)) {
      changed |= read_second_count(function);
    } else if (!name.starts_with("_ZNKSt10_Sp_atomicI")) {
      continue;
    } else if (name.ends_with("13_Atomic_count6unlockESt12memory_order")) {
      changed |= release_by_argument(function);
    } else if (name.ends_with("13_Atomic_count14_M_wait_unlockESt12memory_order")) {
      changed |= release_before_wait(function);
    }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace norn::compiler
