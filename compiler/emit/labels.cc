#include "compiler/emit/labels.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"

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

}  // namespace norn::compiler
