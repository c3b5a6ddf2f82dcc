#include "static/points_to/member_pointers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace norn::statics {

using llvm::dyn_cast;
using llvm::Value;

namespace {

bool is_asked_for_virtual(const Value* function) {
  return llvm::any_of(function->users(), [](const llvm::User* user) {
    const auto* masked = dyn_cast<llvm::BinaryOperator>(user);
    if (masked == nullptr || masked->getOpcode() != llvm::Instruction::And) return false;
    const auto* one = dyn_cast<llvm::ConstantInt>(masked->getOperand(1));
    return one != nullptr && one->isOne();
  });
}

// Whether a function that is called comes of a number that may also stand for a virtual one.
bool comes_of_member(const Value* callee, unsigned depth = 0) {
  if (const auto* number = dyn_cast<llvm::IntToPtrInst>(callee)) return is_asked_for_virtual(number->getOperand(0));
  if (depth > 2) return false;
  if (const auto* either = dyn_cast<llvm::PHINode>(callee)) {
    return llvm::any_of(either->incoming_values(),
                        [&](const llvm::Use& value) { return comes_of_member(value.get(), depth + 1); });
  }
  if (const auto* either = dyn_cast<llvm::SelectInst>(callee))
    return comes_of_member(either->getTrueValue(), depth + 1) || comes_of_member(either->getFalseValue(), depth + 1);
  return false;
}

// A pair of words that may be a pointer to a member.
void add_pair(const Value* function, const Value* adjustment, MemberPointers& found) {
  if (const auto* slot = dyn_cast<llvm::ConstantInt>(function)) {
    if (!slot->getType()->isIntegerTy(64) || (slot->getZExtValue() & 7) != 1) return;
    found.slots.insert(slot->getSExtValue() - 1);
  } else {
    const auto* address = dyn_cast<llvm::PtrToIntOperator>(function);
    if (address == nullptr || !llvm::isa<llvm::Function>(address->getPointerOperand()->stripPointerCasts())) return;
  }
  if (const auto* number = dyn_cast<llvm::ConstantInt>(adjustment)) found.adjustments.insert(number->getSExtValue());
}

void read_constant(const llvm::Constant* constant, MemberPointers& found, unsigned depth = 0) {
  if (const auto* pair = dyn_cast<llvm::ConstantStruct>(constant); pair != nullptr && pair->getNumOperands() == 2)
    add_pair(pair->getOperand(0), pair->getOperand(1), found);
  if (!llvm::isa<llvm::ConstantAggregate>(constant) || depth > 8) return;
  for (const llvm::Use& operand : constant->operands())
    read_constant(llvm::cast<llvm::Constant>(operand.get()), found, depth + 1);
}

}  // namespace

MemberStep member_step(const llvm::GEPOperator& step) {
  if (!step.getSourceElementType()->isIntegerTy(8) || step.getNumIndices() != 1) return MemberStep::kNone;
  const Value* index = step.getOperand(1);
  if (llvm::isa<llvm::Constant>(index)) return MemberStep::kNone;
  if (is_asked_for_virtual(index)) return MemberStep::kTable;
  if (const auto* less = dyn_cast<llvm::BinaryOperator>(index);
      less != nullptr && less->getOpcode() == llvm::Instruction::Sub && is_asked_for_virtual(less->getOperand(0)))
    return MemberStep::kTable;
  const bool calls = llvm::any_of(step.users(), [&](const llvm::User* user) {
    const auto* call = dyn_cast<llvm::CallBase>(user);
    return call != nullptr && call->isIndirectCall() && call->arg_size() > 0 &&
           llvm::any_of(call->args(), [&](const llvm::Use& given) { return given.get() == &step; }) &&
           comes_of_member(call->getCalledOperand());
  });
  return calls ? MemberStep::kObject : MemberStep::kNone;
}

MemberPointers member_pointers(const llvm::Module& module) {
  MemberPointers found;
  for (const llvm::GlobalVariable& global : module.globals()) {
    if (global.hasInitializer()) read_constant(global.getInitializer(), found);
  }
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      for (const llvm::Use& operand : instruction.operands()) {
        if (const auto* constant = dyn_cast<llvm::ConstantStruct>(operand.get())) read_constant(constant, found);
      }
      // Stored in two pieces, or given as two arguments.
      if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
        for (const llvm::Instruction& other : *store->getParent()) {
          const auto* second = dyn_cast<llvm::StoreInst>(&other);
          if (second != nullptr && second != store && second->getValueOperand()->getType()->isIntegerTy(64))
            add_pair(store->getValueOperand(), second->getValueOperand(), found);
        }
      }
      if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
        for (unsigned i = 0; i + 1 < call->arg_size(); ++i)
          add_pair(call->getArgOperand(i), call->getArgOperand(i + 1), found);
      }
    }
  }
  // No object is that large, nor is a table.
  const auto is_too_far = [](int64_t bytes) { return bytes < -4096 || bytes > 4096; };
  std::erase_if(found.adjustments, is_too_far);
  std::erase_if(found.slots, is_too_far);
  return found;
}

}  // namespace norn::statics
