#include "compiler/naming/globals.h"

#include "compiler/naming/expression.h"
#include "compiler/naming/members.h"
#include "compiler/naming/type_layout.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "norn/abi.h"

namespace norn::compiler {
namespace {

class GlobalsTable final {
 public:
  GlobalsTable(llvm::Module& module, SiteTable& texts)
      : module_(module),
        texts_(texts),
        pointer_(llvm::PointerType::getUnqual(module.getContext())),
        i32_(llvm::Type::getInt32Ty(module.getContext())),
        i64_(llvm::Type::getInt64Ty(module.getContext())),
        entry_type_(llvm::StructType::get(
            module.getContext(), {pointer_, i64_, pointer_, pointer_, pointer_, pointer_, i32_, i32_, i32_, i32_})) {}

  bool emit() {
    llvm::SmallVector<llvm::GlobalValue*, 16> entries;
    llvm::SmallVector<llvm::GlobalVariable*, 16> variables;
    for (llvm::GlobalVariable& variable : module_.globals()) variables.push_back(&variable);
    for (llvm::GlobalVariable* variable : variables) {
      if (llvm::GlobalVariable* entry = emit_entry(*variable)) entries.push_back(entry);
    }
    llvm::appendToCompilerUsed(module_, entries);
    return !entries.empty();
  }

 private:
  llvm::GlobalVariable* emit_entry(llvm::GlobalVariable& variable) {
    if (variable.isDeclaration() || variable.isConstant() || variable.hasAvailableExternallyLinkage()) return nullptr;
    if (variable.getAddressSpace() != 0) return nullptr;
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> described;
    variable.getDebugInfo(described);
    if (described.empty() || described.front()->getVariable()->getName().empty()) return nullptr;
    const llvm::DIGlobalVariable* source = described.front()->getVariable();
    const uint64_t size = module_.getDataLayout().getTypeAllocSize(variable.getValueType()).getFixedValue();
    if (size == 0) return nullptr;

    std::string name = global_name(source);
    const llvm::DIType* type = source->getType();
    if (const auto fragment = described.front()->getExpression()->getFragmentInfo()) {
      // The optimiser took the variable to pieces.
      const Part part =
          part_at(type, Bytes{static_cast<int64_t>(fragment->OffsetInBits / 8), {}, fragment->SizeInBits / 8, false});
      name += part.path;
      type = part.type;
    }
    const std::vector<Leaf> leaves = leaves_of(type, kMostMembers);
    const llvm::DIFile* file = source->getFile();
    const std::string path = file == nullptr ? "" : file->getFilename().str();
    const bool relative = !path.empty() && !llvm::sys::path::is_absolute(path);
    llvm::Constant* address = &variable;
    if (variable.isThreadLocal()) address = emit_getter(variable);
    llvm::Constant* contents = llvm::ConstantStruct::get(
        entry_type_,
        {address, number(i64_, size), texts_.text(name), texts_.text(path),
         texts_.text(relative ? file->getDirectory() : ""), emit_members(module_, texts_, leaves, variable.getComdat()),
         number(i32_, leaves.size()), number(i32_, source->getLine()),
         number(i32_, variable.isThreadLocal() ? NORN_GLOBAL_THREAD_LOCAL : 0), number(i32_, 0)});
    auto* entry = new llvm::GlobalVariable(module_, entry_type_, true, llvm::GlobalValue::PrivateLinkage, contents,
                                           "norn.global");
    entry->setSection("norn_globals");
    entry->setAlignment(llvm::Align(8));
    entry->setComdat(variable.getComdat());
    entry->setMetadata(llvm::LLVMContext::MD_associated,
                       llvm::MDNode::get(module_.getContext(), llvm::ValueAsMetadata::get(&variable)));
    return entry;
  }

  llvm::Constant* emit_getter(llvm::GlobalVariable& variable) {
    auto* getter = llvm::Function::Create(llvm::FunctionType::get(pointer_, false), llvm::GlobalValue::PrivateLinkage,
                                          "norn.thread_local", module_);
    getter->addFnAttr(llvm::Attribute::NoUnwind);
    getter->addFnAttr(llvm::Attribute::NoInline);
    if (variable.hasComdat()) getter->setComdat(variable.getComdat());
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module_.getContext(), "", getter));
    builder.CreateRet(builder.CreateThreadLocalAddress(&variable));
    return getter;
  }

  static llvm::Constant* number(llvm::Type* type, uint64_t value) { return llvm::ConstantInt::get(type, value); }

  llvm::Module& module_;
  SiteTable& texts_;
  llvm::PointerType* pointer_;
  llvm::Type* i32_;
  llvm::Type* i64_;
  llvm::StructType* entry_type_;
};

}  // namespace

bool emit_globals(llvm::Module& module, SiteTable& texts) { return GlobalsTable(module, texts).emit(); }

}  // namespace norn::compiler
