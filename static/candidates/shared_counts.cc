#include "static/candidates/shared_counts.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"

namespace norn::statics {

namespace {

void add_code(const llvm::Instruction& instruction, SharedPointerCode& code) {
  for (const llvm::DILocation* at = instruction.getDebugLoc().get(); at != nullptr; at = at->getInlinedAt()) {
    const llvm::StringRef file = llvm::sys::path::filename(at->getFilename());
    const llvm::StringRef name = at->getScope()->getSubprogram()->getName();
    if (file == "shared_ptr_base.h") {
      code.counts = true;
      code.destroys |= name == "_M_release" || name == "_M_release_last_use" || name == "_M_dispose" ||
                       name == "_M_destroy" || name == "_M_weak_release" || name == "~__shared_count" ||
                       name == "~__weak_count";
    } else if (file == "shared_ptr_atomic.h") {
      code.atomic = true;
      code.locked |= name == "load" || name == "store" || name == "exchange" || name == "swap" || name == "wait" ||
                     name.starts_with("compare_exchange");
    }
  }
}

}  // namespace

SharedPointerCode SharedCounts::code_of(const llvm::Instruction& instruction,
                                        const std::vector<const llvm::CallBase*>& calls) {
  SharedPointerCode code;
  add_code(instruction, code);
  for (const llvm::CallBase* call : calls) add_code(*call, code);
  return code;
}

bool SharedCounts::is_counted(ObjectId object) {
  const auto [known, fresh] = counted_.try_emplace(object, false);
  if (!fresh || points_to_.object(object).kind != ObjectKind::kHeap) return known->second;
  for (const std::vector<ObjectId>* content : points_to_.contents_of(object)) {
    const auto [has, unknown] = has_table_.try_emplace(content, false);
    if (unknown) {
      has->second = llvm::any_of(*content, [&](ObjectId next) {
        const ObjectInfo& info = points_to_.object(next);
        return info.kind == ObjectKind::kGlobal && info.origin->getName().starts_with("_ZTVSt") &&
               info.origin->getName().contains("_Sp_counted_");
      });
    }
    known->second |= has->second;
  }
  return known->second;
}

bool SharedCounts::gives_back(int thread, const llvm::Instruction& instruction, ObjectId object) {
  const auto [known, fresh] = given_back_.try_emplace({thread, &instruction, object}, false);
  if (!fresh) return known->second;
  const auto gives = [&](const llvm::Instruction& each) {
    if (&each == &instruction || !llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::ICmpInst>(each))
      return false;
    SharedPointerCode code;
    add_code(each, code);
    return code.destroys && llvm::any_of(each.operands(), [&](const llvm::Use& operand) {
             return operand->getType()->isPointerTy() && !llvm::isa<llvm::ConstantData>(operand.get()) &&
                    llvm::is_contained(points_to_.objects_at(operand.get()), object);
           });
  };
  Region until;
  threads_.walk_until(thread, instruction, gives, until);
  known->second = true;
  for (const llvm::Instruction& each : llvm::instructions(*threads_.all()[static_cast<size_t>(thread)].root)) {
    if (llvm::isa<llvm::ReturnInst>(each) && until.has(each)) known->second = false;
  }
  return known->second;
}

}  // namespace norn::statics
