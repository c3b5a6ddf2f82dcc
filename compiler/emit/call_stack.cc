#include "compiler/emit/call_stack.h"

#include "compiler/emit/hook_calls.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace norn::compiler {
namespace {

// Under -flto the optimiser runs once more, and knows of functions like malloc that they do not read our stack: the
// stores before a call of them would be dead. What is volatile is not touched, and costs the same instructions.
constexpr bool kVolatile = true;

llvm::GlobalVariable* stack_variable(llvm::Module& module) {
  if (auto* known = module.getGlobalVariable("__norn_stack")) return known;
  auto* variable = new llvm::GlobalVariable(module, llvm::PointerType::getUnqual(module.getContext()), false,
                                            llvm::GlobalValue::ExternalLinkage, nullptr, "__norn_stack", nullptr,
                                            llvm::GlobalValue::InitialExecTLSModel);
  return variable;
}

// The latest place outside all loops that dominates every call.
llvm::Instruction* place_of_load(llvm::Function& function, llvm::ArrayRef<TracedCall> calls) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  llvm::BasicBlock* block = nullptr;
  for (const TracedCall& traced : calls) {
    llvm::BasicBlock* parent = traced.call->getParent();
    if (!dominators.isReachableFromEntry(parent)) continue;
    block = block == nullptr ? parent : dominators.findNearestCommonDominator(block, parent);
  }
  if (block == nullptr) block = &function.getEntryBlock();
  // Before a call that returns twice nothing may be late: what was not yet computed at the first return is not there
  // after the second.
  if (function.callsFunctionThatReturnsTwice()) block = &function.getEntryBlock();
  while (loops.getLoopDepth(block) != 0 || block->isEHPad()) block = dominators.getNode(block)->getIDom()->getBlock();
  if (block == &function.getEntryBlock()) return &*block->getFirstNonPHIOrDbgOrAlloca();
  for (llvm::Instruction& instruction : *block) {
    if (llvm::any_of(calls, [&](const TracedCall& traced) { return traced.call == &instruction; })) return &instruction;
  }
  return block->getTerminator();
}

bool is_hook(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || call->getCalledFunction() == nullptr) return false;
  return call->getCalledFunction()->getName().starts_with(kHookPrefix);
}

// Whether another push follows in the block before anybody can look at the stack.
bool another_push_follows(const llvm::CallBase& call) {
  if (call.hasFnAttr(llvm::Attribute::ReturnsTwice)) return false;
  for (const llvm::Instruction* next = call.getNextNode(); next != nullptr; next = next->getNextNode()) {
    if (is_hook(*next)) return false;
    if (is_traced_call(*next)) return true;
    if (llvm::isa<llvm::CallBase>(next) && !llvm::isa<llvm::IntrinsicInst>(next)) return false;
  }
  return false;
}

}  // namespace

bool is_traced_call(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call) || llvm::isa<llvm::CallBrInst>(call)) return false;
  if (llvm::isa<llvm::InvokeInst>(call)) return true;  // whatever it calls: its landing pad restores
  if (call->isInlineAsm() || call->isMustTailCall() || is_hook(instruction)) return false;
  return !(call->doesNotAccessMemory() && call->doesNotThrow());
}

void trace_calls(llvm::Function& function, llvm::ArrayRef<TracedCall> calls) {
  if (calls.empty()) return;
  llvm::GlobalVariable* stack = stack_variable(*function.getParent());
  llvm::Type* pointer = llvm::PointerType::getUnqual(function.getContext());

  llvm::IRBuilder<> builder(place_of_load(function, calls));
  builder.SetCurrentDebugLocation(llvm::DebugLoc());
  llvm::LoadInst* sp = builder.CreateLoad(pointer, stack, "norn.sp");
  const auto restore = [&](llvm::Instruction* before) {
    builder.SetInsertPoint(before);
    builder.CreateStore(sp, stack, kVolatile);
  };

  for (const auto& [call, site] : calls) {
    builder.SetInsertPoint(call);
    builder.CreateStore(site, sp, kVolatile);
    builder.CreateStore(builder.CreateConstInBoundsGEP1_64(pointer, sp, 1), stack, kVolatile);
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(call)) {
      llvm::BasicBlock* normal = invoke->getNormalDest();
      if (normal->getSinglePredecessor() == nullptr) normal = llvm::SplitEdge(invoke->getParent(), normal);
      restore(&*normal->getFirstInsertionPt());
    } else if (!call->doesNotReturn() && !another_push_follows(*call)) {
      restore(call->getNextNode());
    }
  }
  for (llvm::BasicBlock& block : function) {
    if (block.isLandingPad()) restore(&*block.getFirstInsertionPt());
  }
}

}  // namespace norn::compiler
