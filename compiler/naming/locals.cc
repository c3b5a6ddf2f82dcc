#include "compiler/naming/locals.h"

#include "compiler/naming/members.h"
#include "compiler/naming/names.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace norn::compiler {
namespace {

constexpr uint64_t kMark = sizeof(void*);

// What looks for accesses beyond a variable must find its end where it is.
bool knows_its_frame(const llvm::Function& function) {
  for (const auto kind :
       {llvm::Attribute::SanitizeAddress, llvm::Attribute::SanitizeHWAddress, llvm::Attribute::SanitizeMemory,
        llvm::Attribute::SanitizeMemTag, llvm::Attribute::SafeStack, llvm::Attribute::Naked}) {
    if (function.hasFnAttribute(kind)) return true;
  }
  return function.isPresplitCoroutine();
}

bool can_grow(const llvm::AllocaInst& slot) {
  const auto* count = llvm::dyn_cast<llvm::ConstantInt>(slot.getArraySize());
  return slot.isStaticAlloca() && count != nullptr && count->isOne() && !slot.isUsedWithInAlloca() &&
         !slot.isSwiftError() && slot.getAddressSpace() == 0 && !slot.getAllocatedType()->isScalableTy();
}

}  // namespace

std::vector<Local> find_locals(llvm::Function& function, ExpressionNamer& namer,
                               llvm::function_ref<bool(llvm::AllocaInst*)> is_private) {
  std::vector<Local> found;
  if (knows_its_frame(function)) return found;
  for (llvm::Instruction& instruction : function.getEntryBlock()) {
    auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (slot == nullptr || !can_grow(*slot) || is_private(slot)) continue;
    if (std::optional<LocalName> name = namer.local(*slot)) found.push_back({slot, std::move(*name)});
  }
  return found;
}

LocalsTable::LocalsTable(llvm::Module& module, SiteTable& texts) : module_(module), texts_(texts) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* i32 = llvm::Type::getInt32Ty(context);
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  entry_type_ = llvm::StructType::get(context, {pointer, pointer, pointer, pointer, pointer, pointer, i64, i32, i32});
}

llvm::GlobalVariable* LocalsTable::emit_entry(llvm::Function& function, const Local& local, uint64_t size) {
  const llvm::DISubprogram* frame = function.getSubprogram();
  const llvm::DILocalVariable* variable = local.name.variable;
  const llvm::DIFile* file = variable->getFile();
  const std::string path = file == nullptr ? "" : file->getFilename().str();
  const bool relative = !path.empty() && !llvm::sys::path::is_absolute(path);
  auto [known, fresh] = members_.try_emplace(local.name.type);
  if (fresh) {
    const std::vector<Leaf> leaves = leaves_of(local.name.type, kMostMembers);
    known->second = {emit_members(module_, texts_, leaves, nullptr), leaves.size()};
  }
  const auto number = [&](unsigned index, uint64_t value) {
    return llvm::ConstantInt::get(entry_type_->getElementType(index), value);
  };
  llvm::Constant* contents = llvm::ConstantStruct::get(
      entry_type_, {texts_.text(local.name.text), texts_.text(function_name(variable->getScope()->getSubprogram())),
                    texts_.text(frame == nullptr ? function_name(function.getName()) : function_name(frame)),
                    texts_.text(path), texts_.text(relative ? file->getDirectory() : ""), known->second.first,
                    number(6, size), number(7, known->second.second), number(8, variable->getLine())});
  auto* entry =
      new llvm::GlobalVariable(module_, entry_type_, true, llvm::GlobalValue::PrivateLinkage, contents, "norn.local");
  entry->setSection("norn_locals");
  entry->setAlignment(llvm::Align(8));
  entry->setComdat(function.getComdat());
  return entry;
}

void LocalsTable::mark(llvm::Function& function, llvm::ArrayRef<Local> locals) {
  const llvm::DataLayout& layout = module_.getDataLayout();
  llvm::LLVMContext& context = module_.getContext();
  for (const Local& local : locals) {
    llvm::AllocaInst* slot = local.slot;
    const uint64_t size = layout.getTypeAllocSize(slot->getAllocatedType()).getFixedValue();
    if (size == 0) continue;
    llvm::GlobalVariable* entry = emit_entry(function, local, size);
    entries_.push_back(entry);
    const uint64_t mark = llvm::alignTo(size, kMark);
    slot->setAllocatedType(
        llvm::StructType::get(context, {slot->getAllocatedType(), llvm::PointerType::getUnqual(context)}));
    slot->setAlignment(std::max(slot->getAlign(), llvm::Align(kMark)));

    const auto put_mark = [&](llvm::Instruction* before) {
      llvm::IRBuilder<> builder(before);
      builder.SetCurrentDebugLocation(llvm::DebugLoc());
      builder.CreateAlignedStore(entry, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), slot, mark),
                                 llvm::Align(kMark));
    };
    bool lives_always = true;
    llvm::SmallVector<llvm::LifetimeIntrinsic*, 4> lifetimes;
    for (llvm::User* user : slot->users()) {
      if (auto* life = llvm::dyn_cast<llvm::LifetimeIntrinsic>(user)) lifetimes.push_back(life);
    }
    for (llvm::LifetimeIntrinsic* life : lifetimes) {
      life->setArgOperand(0, llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), mark + kMark));
      if (life->getIntrinsicID() != llvm::Intrinsic::lifetime_start) continue;
      lives_always = false;
      put_mark(life->getNextNode());
    }
    if (lives_always) put_mark(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  }
}

void LocalsTable::finish() { llvm::appendToCompilerUsed(module_, entries_); }

}  // namespace norn::compiler
