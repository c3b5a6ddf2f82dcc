#include "compiler/openmp.h"

#include "compiler/hooks.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace norn::compiler {
namespace {

llvm::FunctionCallee declare(llvm::Module& module, llvm::StringRef name, llvm::FunctionType* type) {
  llvm::FunctionCallee hook = module.getOrInsertFunction(name, type);
  if (auto* function = llvm::dyn_cast<llvm::Function>(hook.getCallee())) function->setDoesNotThrow();
  return hook;
}

using Variables = llvm::SmallPtrSet<const llvm::Value*, 4>;

// Which argument of a function of LLVM's OpenMP runtime points to the upper bound it sets; negative: none.
int upper_bound_argument(llvm::StringRef function) {
  if (function.starts_with("__kmpc_for_static_init_")) return 5;
  if (function.starts_with("__kmpc_dispatch_next_")) return 4;
  return -1;
}

Variables upper_bounds(const llvm::Function& function) {
  Variables found;
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call == nullptr || call->getCalledFunction() == nullptr) continue;
      const int argument = upper_bound_argument(call->getCalledFunction()->getName());
      if (argument >= 0) found.insert(call->getArgOperand(static_cast<unsigned>(argument))->stripPointerCasts());
    }
  }
  return found;
}

const llvm::Value* loaded_variable(const llvm::Value* value) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  return load == nullptr ? nullptr : load->getPointerOperand()->stripPointerCasts();
}

// A branch on "iteration <= upper bound": the load of the iteration.
llvm::LoadInst* iteration_of(const llvm::BranchInst& branch, const Variables& bounds) {
  const auto* compare = branch.isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch.getCondition()) : nullptr;
  if (compare == nullptr) return nullptr;
  const llvm::ICmpInst::Predicate predicate = compare->getPredicate();
  if (predicate != llvm::ICmpInst::ICMP_SLE && predicate != llvm::ICmpInst::ICMP_ULE) return nullptr;
  if (!bounds.contains(loaded_variable(compare->getOperand(1)))) return nullptr;
  auto* iteration = llvm::dyn_cast<llvm::LoadInst>(compare->getOperand(0));
  return iteration != nullptr && llvm::isa<llvm::AllocaInst>(iteration->getPointerOperand()) ? iteration : nullptr;
}

bool tell_iterations(llvm::Function& function, llvm::FunctionCallee hook) {
  const Variables bounds = upper_bounds(function);
  if (bounds.empty()) return false;
  bool changed = false;
  for (llvm::BasicBlock& block : function) {
    const auto* branch = llvm::dyn_cast_or_null<llvm::BranchInst>(block.getTerminator());
    llvm::LoadInst* iteration = branch == nullptr ? nullptr : iteration_of(*branch, bounds);
    if (iteration == nullptr) continue;
    llvm::BasicBlock* body = branch->getSuccessor(0);
    llvm::IRBuilder<> builder(body, body->getFirstInsertionPt());
    builder.SetCurrentDebugLocation(branch->getDebugLoc());
    llvm::Value* number = builder.CreateLoad(iteration->getType(), iteration->getPointerOperand());
    builder.CreateCall(hook, {builder.CreateZExtOrTrunc(number, builder.getInt64Ty())});
    changed = true;
  }
  return changed;
}

bool tell_thread_locals(llvm::Function& function, llvm::FunctionCallee hook) {
  llvm::SmallVector<llvm::IntrinsicInst*, 8> found;
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : block) {
      auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::threadlocal_address) found.push_back(call);
    }
  }
  for (llvm::IntrinsicInst* call : found) {
    llvm::IRBuilder<> builder(call->getNextNode());
    builder.SetCurrentDebugLocation(call->getDebugLoc());
    builder.CreateCall(hook);
  }
  return !found.empty();
}

}  // namespace

llvm::PreservedAnalyses OpenMpPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& /*analyses*/) {
  if (module.getModuleFlag("openmp") == nullptr || !is_supported(module)) return llvm::PreservedAnalyses::all();
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* none = llvm::Type::getVoidTy(context);
  const llvm::FunctionCallee iteration =
      declare(module, "__norn_omp_iteration", llvm::FunctionType::get(none, {llvm::Type::getInt64Ty(context)}, false));
  const llvm::FunctionCallee asked = declare(module, "__norn_omp_thread_local", llvm::FunctionType::get(none, false));
  bool changed = false;
  for (llvm::Function& function : module) {
    if (!function.hasFnAttribute(llvm::Attribute::SanitizeThread)) continue;
    changed |= tell_iterations(function, iteration);
    changed |= tell_thread_locals(function, asked);
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace norn::compiler
