#include "compiler/naming/members.h"

#include "llvm/IR/Constants.h"

namespace norn::compiler {

llvm::Constant* emit_members(llvm::Module& module, SiteTable& texts, const std::vector<Leaf>& leaves,
                             llvm::Comdat* comdat) {
  if (leaves.empty()) return texts.text("");
  llvm::Type* pointer = llvm::PointerType::getUnqual(module.getContext());
  llvm::Type* i64 = llvm::Type::getInt64Ty(module.getContext());
  auto* member_type = llvm::StructType::get(module.getContext(), {pointer, i64, i64, i64, i64});
  const auto number = [&](uint64_t value) { return llvm::ConstantInt::get(i64, value); };
  std::vector<llvm::Constant*> members;
  members.reserve(leaves.size());
  for (const Leaf& leaf : leaves) {
    members.push_back(llvm::ConstantStruct::get(
        member_type,
        {texts.text(leaf.path), number(leaf.offset), number(leaf.size), number(leaf.stride), number(leaf.count)}));
  }
  auto* type = llvm::ArrayType::get(member_type, members.size());
  auto* array = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::PrivateLinkage,
                                         llvm::ConstantArray::get(type, members), "norn.members");
  array->setAlignment(llvm::Align(8));
  array->setComdat(comdat);
  return array;
}

}  // namespace norn::compiler
