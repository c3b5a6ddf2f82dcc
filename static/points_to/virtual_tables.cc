#include "static/points_to/virtual_tables.h"

#include "compiler/analysis/library.h"
#include "compiler/naming/names.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace norn::statics {

using llvm::dyn_cast;

namespace {

bool is_table_store(const llvm::Instruction& instruction) {
  const auto* store = dyn_cast<llvm::StoreInst>(&instruction);
  if (store == nullptr || !store->getValueOperand()->getType()->isPointerTy()) return false;
  const auto* table = dyn_cast<llvm::GlobalVariable>(store->getValueOperand()->stripInBoundsOffsets());
  return table != nullptr && table->getName().starts_with("_ZTV");
}

// Whether the source has it in a destructor's own text.
bool is_in_destructor(const llvm::Instruction& instruction) {
  const llvm::DILocation* at = instruction.getDebugLoc().get();
  const llvm::DISubprogram* function = at == nullptr ? nullptr : at->getScope()->getSubprogram();
  return function != nullptr && function->getName().starts_with("~");
}

// Whether nothing that it calls can ask an object for its table.
bool asks_nobody(const llvm::Instruction& instruction) {
  const auto* call = dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) return true;
  const llvm::Function* callee = call->getCalledFunction();
  return callee != nullptr && callee->isDeclaration() &&
         compiler::library_role(callee->getName()) == compiler::LibraryRole::kAllocates;
}

bool is_overwritten(const llvm::StoreInst& store) {
  constexpr unsigned kFarthest = 500;
  const llvm::Instruction* at = &store;
  for (unsigned steps = 0; steps < kFarthest; ++steps) {
    if (!asks_nobody(*at)) return false;
    if (const auto* invoke = dyn_cast<llvm::InvokeInst>(at)) {
      at = &invoke->getNormalDest()->front();
    } else if (at->isTerminator()) {
      const llvm::BasicBlock* next = at->getParent()->getSingleSuccessor();
      if (next == nullptr) return false;
      at = &next->front();
    } else {
      at = at->getNextNode();
    }
    if (is_table_store(*at) && llvm::cast<llvm::StoreInst>(at)->getPointerOperand()->stripPointerCasts() ==
                                   store.getPointerOperand()->stripPointerCasts())
      return true;
  }
  return false;
}

}  // namespace

bool is_virtual_table(const llvm::GlobalVariable& global) {
  return global.getName().starts_with("_ZTV") || global.getName().starts_with("_ZTC");
}

bool is_virtual_call(const llvm::CallBase& call) {
  const auto* slot = dyn_cast<llvm::LoadInst>(call.getCalledOperand());
  if (slot == nullptr) return false;
  const auto* step = dyn_cast<llvm::GetElementPtrInst>(slot->getPointerOperand());
  const auto* table = dyn_cast<llvm::LoadInst>(step == nullptr ? slot->getPointerOperand() : step->getPointerOperand());
  if (table == nullptr) return false;
  if (const llvm::MDNode* tag = table->getMetadata(llvm::LLVMContext::MD_tbaa)) return tag->isTBAAVtableAccess();
  // Without optimisation loads have no tags; then a slot is an element of an array of pointers. The first slot shows
  // nothing of that: only library code is known to have no other tables.
  const llvm::DILocation* at = call.getDebugLoc().get();
  const llvm::DISubprogram* function = at == nullptr ? nullptr : at->getScope()->getSubprogram();
  if (function == nullptr || function->getUnit() == nullptr ||
      !llvm::dwarf::isCPlusPlus(static_cast<llvm::dwarf::SourceLanguage>(function->getUnit()->getSourceLanguage())))
    return false;
  if (step == nullptr) {
    return compiler::is_library_function(function) && call.arg_size() > 0 &&
           call.getArgOperand(0) == table->getPointerOperand();
  }
  return step->getSourceElementType()->isPointerTy() && step->getNumIndices() == 1 && step->hasAllConstantIndices();
}

llvm::DenseSet<const llvm::StoreInst*> passing_tables(const llvm::Function& function) {
  llvm::DenseSet<const llvm::StoreInst*> passing;
  const bool calls_virtual = llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto* call = dyn_cast<llvm::CallBase>(&instruction);
    return call != nullptr && call->isIndirectCall() && is_in_destructor(instruction);
  });
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!is_table_store(instruction)) continue;
    const auto& store = llvm::cast<llvm::StoreInst>(instruction);
    if ((is_in_destructor(instruction) && !calls_virtual) || is_overwritten(store)) passing.insert(&store);
  }
  return passing;
}

}  // namespace norn::statics
