#include "compiler/analysis/counting_reads.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace norn::compiler {
namespace {

using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::LoadInst;
using llvm::Value;

// The same address, as far as one block shows: without optimisation a pointer is loaded anew for each use of it.
bool is_same_address(const Value* a, const Value* b, const llvm::DataLayout& layout) {
  if (a == b) return true;
  llvm::APInt offset_a(layout.getIndexTypeSizeInBits(a->getType()), 0);
  llvm::APInt offset_b(layout.getIndexTypeSizeInBits(b->getType()), 0);
  const Value* base_a = a->stripAndAccumulateConstantOffsets(layout, offset_a, true);
  const Value* base_b = b->stripAndAccumulateConstantOffsets(layout, offset_b, true);
  if (offset_a != offset_b) return false;
  if (base_a == base_b) return true;
  const auto* load_a = dyn_cast<LoadInst>(base_a);
  const auto* load_b = dyn_cast<LoadInst>(base_b);
  return load_a != nullptr && load_b != nullptr && isa<llvm::AllocaInst>(load_a->getPointerOperand()) &&
         load_a->getPointerOperand() == load_b->getPointerOperand();
}

bool stores_there(const Instruction& instruction, const LoadInst& load) {
  const auto* store = dyn_cast<llvm::StoreInst>(&instruction);
  return store != nullptr &&
         is_same_address(store->getPointerOperand(), load.getPointerOperand(), load.getModule()->getDataLayout());
}

// The instruction that comes next in any case.
const Instruction* after(const Instruction& instruction) {
  if (!instruction.isTerminator()) return instruction.getNextNode();
  const llvm::BasicBlock* next = instruction.getParent()->getUniqueSuccessor();
  return next == nullptr ? nullptr : &next->front();
}

// Whether what it reads is surely written next: before it is read again, or anything unknown is done.
bool is_written_next(const LoadInst& load) {
  constexpr int kFar = 1000;
  const Instruction* next = after(load);
  for (int i = 0; i < kFar && next != nullptr; ++i, next = after(*next)) {
    if (stores_there(*next, load)) return true;
    const auto* other = dyn_cast<LoadInst>(next);
    if (other != nullptr &&
        is_same_address(other->getPointerOperand(), load.getPointerOperand(), load.getModule()->getDataLayout())) {
      return false;
    }
    if (isa<llvm::CallBase>(next) && !isa<llvm::IntrinsicInst>(next)) return false;
  }
  return false;
}

// Makes a value of values, and does nothing else by them.
bool computes(const Instruction& instruction) {
  if (isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::FreezeInst>(instruction)) return true;
  const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic != nullptr && !intrinsic->mayHaveSideEffects() && !intrinsic->mayReadFromMemory();
}

}  // namespace

bool only_counts(const LoadInst& load) {
  if (load.use_empty()) return true;
  if (!is_written_next(load)) return false;
  llvm::SmallVector<const Instruction*, 8> open = {&load};
  llvm::SmallPtrSet<const Instruction*, 8> seen;
  while (!open.empty()) {
    const Instruction* value = open.pop_back_val();
    for (const llvm::User* user : value->users()) {
      const auto& use = *llvm::cast<Instruction>(user);
      if (computes(use)) {
        if (seen.insert(&use).second) open.push_back(&use);
      } else if (!stores_there(use, load) || llvm::cast<llvm::StoreInst>(use).getPointerOperand() == value) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace norn::compiler
