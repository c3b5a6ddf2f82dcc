#include "compiler/emit/labels.h"

#include "base/hash.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Metadata.h"
#include "norn/site.h"

namespace norn::compiler {

void attach_labels(llvm::Instruction& instruction, const std::vector<Label>& labels) {
  llvm::LLVMContext& context = instruction.getContext();
  const auto number = [&](unsigned bits, uint64_t value) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::IntegerType::get(context, bits), value));
  };
  llvm::SmallVector<llvm::Metadata*, 2> all;
  for (const Label& label : labels) {
    all.push_back(llvm::MDTuple::get(context, {llvm::ConstantAsMetadata::get(label.site), number(32, label.operand),
                                               number(64, label.size), number(32, label.flags)}));
  }
  instruction.setMetadata(kLabelMetadata, llvm::MDTuple::get(context, all));
}

std::vector<Label> labels_of(const llvm::Instruction& instruction) {
  std::vector<Label> labels;
  const llvm::MDNode* all = instruction.getMetadata(kLabelMetadata);
  if (all == nullptr) return labels;
  for (const llvm::MDOperand& entry : all->operands()) {
    const auto* label = llvm::cast<llvm::MDTuple>(entry.get());
    const auto constant = [&](unsigned i) {
      return llvm::cast<llvm::ConstantAsMetadata>(label->getOperand(i))->getValue();
    };
    const auto number = [&](unsigned i) { return llvm::cast<llvm::ConstantInt>(constant(i))->getZExtValue(); };
    labels.push_back({constant(0), static_cast<unsigned>(number(1)), number(2), static_cast<uint32_t>(number(3))});
  }
  return labels;
}

uint64_t identity_of(const llvm::Constant* site) {
  uint64_t identity = 0;
  while (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(site->stripPointerCasts())) {
    const auto* fields = llvm::cast<llvm::ConstantStruct>(global->getInitializer());
    const auto number = [&](unsigned field) {
      return llvm::cast<llvm::ConstantInt>(fields->getOperand(field))->getZExtValue();
    };
    constexpr unsigned kInlinedAt = 4;
    constexpr unsigned kHash = 7;
    constexpr unsigned kFlags = 11;
    identity = hash_next(identity, number(kHash));
    identity ^= identity >> 32;
    if ((number(kFlags) & NORN_SITE_LIBRARY) == 0) break;
    site = fields->getOperand(kInlinedAt);
  }
  return identity;
}

}  // namespace norn::compiler
