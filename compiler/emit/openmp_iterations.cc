#include "compiler/emit/openmp_iterations.h"

#include <optional>
#include <utility>

#include "compiler/analysis/quiet_loops.h"
#include "compiler/emit/hook_calls.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
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

struct OpenMpHooks {
  llvm::FunctionCallee iteration;
  llvm::FunctionCallee thread_local_taken;
  llvm::FunctionCallee taskloop_begin;
  llvm::FunctionCallee taskloop_end;
};

OpenMpHooks declare_hooks(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* none = llvm::Type::getVoidTy(context);
  llvm::Type* number = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  const auto hook = [&](llvm::StringRef name, llvm::ArrayRef<llvm::Type*> arguments) {
    return declare(module, name, llvm::FunctionType::get(none, arguments, false));
  };
  return {hook("__norn_omp_iteration", {number}), hook("__norn_omp_thread_local", {}),
          hook("__norn_omp_taskloop_begin", {pointer, number, number, number}), hook("__norn_omp_taskloop_end", {})};
}

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

// "iteration <= bound", or of unsigned ones "iteration < bound + 1": the bound.
const llvm::Value* bound_of(const llvm::ICmpInst& compare) {
  const llvm::Value* bound = compare.getOperand(1);
  switch (compare.getPredicate()) {
    case llvm::ICmpInst::ICMP_SLE:
    case llvm::ICmpInst::ICMP_ULE:
      return bound;
    case llvm::ICmpInst::ICMP_ULT: {
      const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(bound);
      return next != nullptr && next->getOpcode() == llvm::Instruction::Add ? next->getOperand(0) : nullptr;
    }
    default:
      return nullptr;
  }
}

// A branch that begins an iteration or ends the loop: the load of the iteration.
llvm::LoadInst* iteration_of(const llvm::BranchInst& branch, const Variables& bounds) {
  const auto* compare = branch.isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch.getCondition()) : nullptr;
  const llvm::Value* bound = compare == nullptr ? nullptr : bound_of(*compare);
  if (bound == nullptr || !bounds.contains(loaded_variable(bound))) return nullptr;
  llvm::Value* compared = compare->getOperand(0);  // a taskloop's bounds may be wider than it
  if (auto* widened = llvm::dyn_cast<llvm::CastInst>(compared)) compared = widened->getOperand(0);
  auto* iteration = llvm::dyn_cast<llvm::LoadInst>(compared);
  return iteration != nullptr && llvm::isa<llvm::AllocaInst>(iteration->getPointerOperand()) ? iteration : nullptr;
}

// Where the begin of an iteration is emitted: at the begin of each, or before the loop, where all may be one.
llvm::Instruction* point_to_emit(llvm::BranchInst& branch, const llvm::LoopInfo& loops, QuietLoops& quiet) {
  const llvm::Loop* loop = loops.getLoopFor(branch.getParent());
  llvm::BasicBlock* before = loop == nullptr ? nullptr : loop->getLoopPredecessor();
  if (before != nullptr && loop->getHeader() == branch.getParent() && quiet.is_quiet(*loop, loops)) {
    return before->getTerminator();
  }
  llvm::BasicBlock* body = branch.getSuccessor(0);
  return &*body->getFirstInsertionPt();
}

void emit_iteration(llvm::BranchInst& branch, llvm::LoadInst& iteration, llvm::Instruction* before,
                    const OpenMpHooks& hooks) {
  llvm::IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(branch.getDebugLoc());
  llvm::Value* number = builder.CreateLoad(iteration.getType(), iteration.getPointerOperand());
  builder.CreateCall(hooks.iteration, {builder.CreateZExtOrTrunc(number, builder.getInt64Ty())});
}

using Loops = llvm::SmallVector<std::pair<llvm::BranchInst*, llvm::LoadInst*>, 2>;

// The branches that begin an iteration of a loop up to one of `bounds`.
Loops loops_up_to(const Variables& bounds, llvm::Function& function) {
  Loops found;
  if (bounds.empty()) return found;
  for (llvm::BasicBlock& block : function) {
    auto* branch = llvm::dyn_cast_or_null<llvm::BranchInst>(block.getTerminator());
    llvm::LoadInst* iteration = branch == nullptr ? nullptr : iteration_of(*branch, bounds);
    if (iteration != nullptr) found.emplace_back(branch, iteration);
  }
  return found;
}

bool emit_iterations(llvm::Function& function, const OpenMpHooks& hooks, QuietLoops& quiet) {
  const Loops found = loops_up_to(upper_bounds(function), function);
  if (found.empty()) return false;
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  llvm::SmallVector<llvm::Instruction*, 2> points;  // found before any call is emitted
  for (const auto& [branch, iteration] : found) points.push_back(point_to_emit(*branch, loops, quiet));
  for (const auto& [loop, point] : llvm::zip_equal(found, points)) {
    emit_iteration(*loop.first, *loop.second, point, hooks);
  }
  return true;
}

// --- taskloop: its loop is in a function of its own, which the entry of the task calls -------------------------------

// What clang gives to that function (CGOpenMPRuntime::emitTaskInit; the order is that of the captured declaration).
constexpr unsigned kTaskArgument = 4;
constexpr unsigned kLowerArgument = 5;
constexpr unsigned kUpperArgument = 6;
constexpr unsigned kTaskloopArguments = 11;

// Where a taskloop's task comes from.
struct TaskAllocation {
  llvm::Value* size;  // with the task's own variables
  llvm::Function* body;
};

// Copying a task's variables calls somebody: what is copied may have memory elsewhere, which is the task's own, too.
bool copies_objects(const llvm::Value* copy) {
  const auto* function = llvm::dyn_cast<llvm::Function>(copy->stripPointerCasts());
  if (function == nullptr) return false;
  for (const llvm::BasicBlock& block : *function) {
    for (const llvm::Instruction& instruction : block) {
      if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)) return true;
    }
  }
  return false;
}

llvm::Function* body_of_task(const llvm::Function& entry) {
  for (const llvm::BasicBlock& block : entry) {
    for (const llvm::Instruction& instruction : block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee != nullptr && !callee->isDeclaration() && callee->arg_size() == kTaskloopArguments) return callee;
    }
  }
  return nullptr;
}

// `call` makes the tasks of a taskloop, if it is one.
std::optional<TaskAllocation> allocation_of(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->getName().starts_with("__kmpc_taskloop")) return std::nullopt;
  if (copies_objects(call.getArgOperand(call.arg_size() - 1))) return std::nullopt;
  const auto* allocation = llvm::dyn_cast<llvm::CallBase>(call.getArgOperand(2)->stripPointerCasts());
  if (allocation == nullptr || allocation->arg_size() < 6) return std::nullopt;
  const auto* entry = llvm::dyn_cast<llvm::Function>(allocation->getArgOperand(5)->stripPointerCasts());
  llvm::Function* body = entry == nullptr ? nullptr : body_of_task(*entry);
  llvm::Value* size = allocation->getArgOperand(3);
  if (body == nullptr || !llvm::isa<llvm::ConstantInt>(size)) return std::nullopt;
  return TaskAllocation{size, body};
}

Variables variables_that_keep(const llvm::Argument& argument) {
  Variables found;
  for (const llvm::User* user : argument.users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store != nullptr && store->getValueOperand() == &argument) found.insert(store->getPointerOperand());
  }
  return found;
}

bool emit_taskloop(const TaskAllocation& task, const OpenMpHooks& hooks) {
  llvm::Function& body = *task.body;
  const Loops loops = loops_up_to(variables_that_keep(*body.getArg(kUpperArgument)), body);
  if (loops.size() != 1) return false;
  const auto& [branch, iteration] = loops.front();
  llvm::BasicBlock* first = branch->getSuccessor(0);
  emit_iteration(*branch, *iteration, &*first->getFirstInsertionPt(), hooks);
  llvm::IRBuilder<> builder(&body.getEntryBlock(), body.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  builder.SetCurrentDebugLocation(branch->getDebugLoc());
  builder.CreateCall(hooks.taskloop_begin,
                     {body.getArg(kTaskArgument), task.size, body.getArg(kLowerArgument), body.getArg(kUpperArgument)});
  llvm::BasicBlock* end = branch->getSuccessor(1);
  builder.SetInsertPoint(end, end->getFirstInsertionPt());
  builder.CreateCall(hooks.taskloop_end);
  return true;
}

bool emit_taskloops(llvm::Function& function, const OpenMpHooks& hooks) {
  llvm::SmallVector<TaskAllocation, 2> found;
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      if (const std::optional<TaskAllocation> task = allocation_of(*call)) found.push_back(*task);
    }
  }
  bool changed = false;
  for (const TaskAllocation& task : found) changed |= emit_taskloop(task, hooks);
  return changed;
}

bool emit_thread_locals(llvm::Function& function, llvm::FunctionCallee hook) {
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
  const OpenMpHooks hooks = declare_hooks(module);
  QuietLoops quiet(module);
  bool changed = false;
  for (llvm::Function& function : module) {
    if (!function.hasFnAttribute(llvm::Attribute::SanitizeThread)) continue;
    changed |= emit_iterations(function, hooks, quiet);
    changed |= emit_taskloops(function, hooks);
    changed |= emit_thread_locals(function, hooks.thread_local_taken);
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace norn::compiler
