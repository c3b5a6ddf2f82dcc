// How a plan of waiting loops gets into the code.
#include "compiler/loops/waiting_loops.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "norn/abi.h"

namespace norn::compiler {

using llvm::BasicBlock;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::Value;

namespace {

constexpr uint64_t kAlignment = 8;

// What an exit waits for, each once.
std::string waited_for(const LoopPlan& plan, const WaitingLoop& loop, LoopEmitter::Namer name) {
  std::vector<std::string> names;
  const auto add = [&](const Instruction& access) {
    std::string text = name(access);
    if (!text.empty() && !llvm::is_contained(names, text)) names.push_back(std::move(text));
  };
  for (const LoopPlan::Read& read : plan.reads) {
    if (read.loop == &loop) add(*read.load);
  }
  for (const LoopPlan::Evaluation& evaluation : plan.evaluations) {
    if (evaluation.loop == &loop) add(*evaluation.instruction);
  }
  for (const LoopPlan::Leave& leave : plan.leaves) {
    if (leave.loop == &loop && leave.wait != nullptr) add(*leave.wait);
  }
  return llvm::join(names, ", ");
}

llvm::GlobalVariable* spinning_variable(llvm::Module& module) {
  constexpr llvm::StringLiteral kName = "__norn_spinning";
  if (auto* known = module.getGlobalVariable(kName)) return known;
  return new llvm::GlobalVariable(module, llvm::PointerType::getUnqual(module.getContext()), false,
                                  llvm::GlobalValue::ExternalLinkage, nullptr, kName, nullptr,
                                  llvm::GlobalValue::InitialExecTLSModel);
}

// After the instruction, wherever control goes on normally.
Instruction* place_after(Instruction* instruction) {
  if (auto* invoke = dyn_cast<llvm::InvokeInst>(instruction)) {
    BasicBlock* normal = invoke->getNormalDest();
    if (normal->getSinglePredecessor() == nullptr) normal = llvm::SplitEdge(invoke->getParent(), normal);
    return &*normal->getFirstInsertionPt();
  }
  return instruction->getNextNode();
}

bool must_stay_last(const Instruction& instruction) {
  const auto* call = dyn_cast<llvm::CallInst>(&instruction);
  return call != nullptr && call->isMustTailCall();
}

}  // namespace

void LoopEmitter::describe(llvm::Function& function, LoopPlan& plan, Namer name, Locator locate) {
  llvm::LLVMContext& context = module_.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* number = llvm::Type::getInt32Ty(context);
  llvm::Type* size = llvm::Type::getInt64Ty(context);
  auto* type = llvm::StructType::get(context, {pointer, pointer, pointer, pointer, number, number, number, number});
  auto* flag_type = llvm::StructType::get(context, {pointer, size});
  const auto variable_of = [&](llvm::Constant* value, llvm::StringRef name) {
    auto* variable =
        new llvm::GlobalVariable(module_, value->getType(), true, llvm::GlobalValue::PrivateLinkage, value, name);
    if (function.hasComdat()) variable->setComdat(function.getComdat());
    return variable;
  };
  for (WaitingLoop& loop : plan.loops) {
    SiteFacts facts;
    facts.kind = NORN_SITE_CALL;
    llvm::Constant* site = sites_.site(function, locate(*loop.at), facts);
    llvm::Constant* flags = llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context));
    if (!loop.flags.empty()) {
      std::vector<llvm::Constant*> all;
      all.reserve(loop.flags.size());
      for (const WaitingLoop::Flag& flag : loop.flags)
        all.push_back(llvm::ConstantStruct::get(flag_type, {flag.address, llvm::ConstantInt::get(size, flag.size)}));
      flags = variable_of(llvm::ConstantArray::get(llvm::ArrayType::get(flag_type, all.size()), all), "norn.flags");
    }
    llvm::GlobalVariable* variable =
        variable_of(llvm::ConstantStruct::get(
                        type, {site, sites_.text(waited_for(plan, loop, name)), sites_.text(loop.graph), flags,
                               llvm::ConstantInt::get(number, loop.kind), llvm::ConstantInt::get(number, loop.blocks),
                               llvm::ConstantInt::get(number, loop.flags.size()), llvm::ConstantInt::get(number, 0)}),
                    "norn.loop");
    variable->setSection("norn_loops");
    variable->setAlignment(llvm::Align(kAlignment));
    loop.constant = variable;
  }
}

LeftBlocks split_leaves(const LoopPlan& plan) {
  LeftBlocks edges;
  for (const LoopPlan::Leave& leave : plan.leaves) {
    BasicBlock*& edge = edges[{leave.from, leave.to}];
    if (edge == nullptr && llvm::is_contained(llvm::successors(leave.from), leave.to) && !leave.to->isEHPad()) {
      edge = llvm::SplitBlockPredecessors(leave.to, {leave.from}, ".norn.left");
    }
  }
  return edges;
}

void LoopEmitter::emit(llvm::Function& function, const LoopPlan& plan) {
  llvm::IRBuilder<> builder(module_.getContext());
  uint32_t part = 0;
  const auto surround = [&](Instruction* instruction, llvm::StringRef begin, llvm::StringRef end, Value* loop,
                            uint32_t word) {
    if (must_stay_last(*instruction)) return;
    builder.SetInsertPoint(instruction);
    builder.CreateCall(hooks_.loop(begin), {loop, builder.getInt32(word)});
    builder.SetInsertPoint(place_after(instruction));
    builder.SetCurrentDebugLocation(instruction->getDebugLoc());
    builder.CreateCall(hooks_.loop(end), {});
  };
  for (const LoopPlan::Evaluation& evaluation : plan.evaluations) {
    surround(evaluation.instruction, "spin_begin", "spin_end", evaluation.loop->constant, ++part);
  }
  for (const LoopPlan::Wait& wait : plan.waits) {
    surround(wait.call, "wait_begin", "wait_end", wait.loop->constant, wait.alone ? 1 : 0);
  }

  // A block's place may have moved: an invoke's edge was split above.
  LeftBlocks edges = split_leaves(plan);
  const llvm::DominatorTree dominators(function);
  for (const LoopPlan::Leave& leave : plan.leaves) {
    if (BasicBlock* edge = edges[{leave.from, leave.to}]) emit_leave(leave, edge, dominators);
  }
}

void LoopEmitter::emit_leave(const LoopPlan::Leave& leave, BasicBlock* edge, const llvm::DominatorTree& dominators) {
  Instruction* at = edge->getTerminator();
  llvm::IRBuilder<> builder(at);
  builder.SetCurrentDebugLocation(leave.from->getTerminator()->getDebugLoc());
  Value* because = builder.getInt32(1);
  if (leave.reason != nullptr && leave.reason->getType()->isIntegerTy(1)) {
    const auto* reason = dyn_cast<Instruction>(leave.reason);
    if (reason == nullptr || dominators.dominates(reason, at)) {
      because = builder.CreateZExt(leave.when ? leave.reason : builder.CreateNot(leave.reason), builder.getInt32Ty());
    }
  }
  if (leave.via != nullptr) {
    llvm::IRBuilder<> joint(leave.from, leave.from->begin());
    llvm::PHINode* came = joint.CreatePHI(joint.getInt32Ty(), 2, "norn.came");
    for (BasicBlock* before : llvm::predecessors(leave.from))
      came->addIncoming(joint.getInt32(before == leave.via), before);
    because = builder.CreateAnd(because, came);
  }
  if (leave.wait == nullptr) {
    builder.CreateCall(hooks_.loop("spin_leave"), {leave.loop->constant, because});
    return;
  }
  Value* condition = nullptr;
  if (const auto* argument = llvm::dyn_cast_or_null<llvm::Argument>(leave.condition.base)) {
    condition = rebuild(leave.wait->getArgOperand(argument->getArgNo()), at, dominators);
  } else if (leave.condition.base != nullptr) {
    condition = const_cast<Value*>(leave.condition.base);
  }
  if (condition != nullptr && leave.condition.offset != 0) {
    condition =
        builder.CreateConstGEP1_64(builder.getInt8Ty(), condition, static_cast<uint64_t>(leave.condition.offset));
  }
  if (condition == nullptr) condition = llvm::ConstantPointerNull::get(builder.getPtrTy());
  builder.CreateCall(hooks_.loop("wait_leave"), {leave.loop->constant, condition, because});
}

// The same value at another place: as it is where it is known there, or computed again from what is. Nothing is read
// that might not be there to be read. Null if it cannot be had.
Value* LoopEmitter::rebuild(Value* value, Instruction* at, const llvm::DominatorTree& dominators, unsigned depth) {
  constexpr unsigned kDeepest = 8;
  auto* instruction = dyn_cast<Instruction>(value);
  if (instruction == nullptr) return value;
  // A local's slot may have changed since, but then the loop's own idea of it has changed too.
  if (dominators.dominates(instruction, at)) return value;
  if (depth == kDeepest || !isa<llvm::LoadInst, llvm::GetElementPtrInst, llvm::CastInst>(instruction)) return nullptr;
  if (const auto* load = dyn_cast<llvm::LoadInst>(instruction)) {
    const Value* object = llvm::getUnderlyingObject(load->getPointerOperand(), 0);
    const bool there = isa<llvm::AllocaInst, llvm::GlobalVariable>(object);
    if (!there || load->isVolatile() || load->isAtomic()) return nullptr;
  }
  Instruction* copy = instruction->clone();
  for (llvm::Use& operand : copy->operands()) {
    Value* known = rebuild(operand, at, dominators, depth + 1);
    if (known == nullptr) {
      copy->deleteValue();
      return nullptr;
    }
    operand = known;
  }
  copy->insertBefore(at);
  if (isa<llvm::LoadInst>(copy)) {
    copy->setMetadata(llvm::LLVMContext::MD_nosanitize, llvm::MDNode::get(copy->getContext(), {}));
  }
  return copy;
}

void LoopEmitter::emit_read(llvm::IRBuilder<>& builder, const LoopPlan& plan, const Instruction* load, Value* address,
                            uint64_t size, llvm::Constant* site) {
  for (const LoopPlan::Read& read : plan.reads) {
    if (read.load != load) continue;
    builder.CreateCall(hooks_.loop("spin_read"), {address, builder.getInt64(size), site, read.loop->constant,
                                                  builder.getInt32(read.sweeps ? 1 : 0)});
  }
}

void LoopEmitter::emit_called_read(llvm::IRBuilder<>& builder, Value* address, uint64_t size, llvm::Constant* site) {
  Instruction* before = &*builder.GetInsertPoint();
  Value* spinning = builder.CreateIsNotNull(builder.CreateLoad(builder.getPtrTy(), spinning_variable(module_)));
  Instruction* then = nullptr;
  Instruction* otherwise = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(spinning, before->getIterator(), &then, &otherwise);
  builder.SetInsertPoint(then);
  builder.SetCurrentDebugLocation(before->getDebugLoc());
  builder.CreateCall(hooks_.loop("spin_called"), {address, builder.getInt64(size), site});
  builder.SetInsertPoint(otherwise);
  builder.SetCurrentDebugLocation(before->getDebugLoc());
}

}  // namespace norn::compiler
