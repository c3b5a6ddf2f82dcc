#include "static/candidates/left_out.h"

#include "compiler/emit/labels.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace norn::statics {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// What code that is not seen can reach.
class Unseen final {
 public:
  Unseen(const Program& program, const PointsTo& points_to, const Threads& threads,
         const std::vector<Incompleteness>& causes)
      : points_to_(points_to) {
    const bool may_be_anything =
        llvm::any_of(causes, [](const Incompleteness& cause) { return cause.may_be_anything; });
    for (const llvm::Function& function : program.module()) {
      for (const llvm::Instruction& instruction : llvm::instructions(function)) add(instruction, may_be_anything);
    }
    if (may_be_anything) {
      for (ObjectId object = 0; object < points_to.objects(); ++object) {
        if (points_to.object(object).kind == ObjectKind::kGlobal) open_.push_back(object);
      }
      for (const Thread& thread : threads.all()) {
        if (thread.created != nullptr) add_arguments(*thread.created);
      }
    }
    reached_ = points_to.reached_from(std::move(open_));
  }

  [[nodiscard]] bool reaches(ObjectId object) const { return reached_[object]; }

 private:
  void add(const llvm::Value* pointer) {
    const std::vector<ObjectId>& objects = points_to_.objects_at(pointer);
    if (added_.insert(&objects).second) open_.insert(open_.end(), objects.begin(), objects.end());
  }
  void add_arguments(const llvm::CallBase& call) {
    for (const llvm::Use& argument : call.args()) {
      if (!isa<llvm::ConstantData>(argument.get()) && !isa<llvm::MetadataAsValue>(argument.get())) add(argument.get());
    }
  }
  void add(const llvm::Instruction& instruction, bool may_be_anything) {
    // A pointer that is made of a number may be any that was made one.
    if (const auto* number = dyn_cast<llvm::PtrToIntInst>(&instruction)) add(number->getPointerOperand());
    const auto* call = dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || isa<llvm::IntrinsicInst>(call)) return;
    const llvm::Function* callee = call->getCalledFunction();
    const bool unseen = callee == nullptr ? points_to_.callees(*call).empty() : callee->isDeclaration();
    if (call->isInlineAsm() || (may_be_anything && unseen)) add_arguments(*call);
  }

  const PointsTo& points_to_;
  std::vector<bool> reached_;
  std::vector<ObjectId> open_;  // where it begins
  std::set<const std::vector<ObjectId>*> added_;
};

}  // namespace

LeftOut find_left_out(const Program& program, const PointsTo& points_to, const Threads& threads,
                      const Candidates& candidates, const std::vector<Incompleteness>& causes) {
  const Unseen unseen(program, points_to, threads, causes);
  llvm::DenseSet<const llvm::Function*> executed;
  for (const Thread& thread : threads.all()) executed.insert(thread.functions.begin(), thread.functions.end());
  const std::set<unsigned> conflicting = candidates.conflicting_sites();
  const auto may_conflict = [&](const llvm::Instruction& instruction, const SiteUse& use) {
    if (conflicting.contains(use.site) || !executed.contains(instruction.getFunction())) return true;
    const std::vector<ObjectId>& objects = points_to.objects_at(instruction.getOperand(use.operand));
    return objects.empty() || llvm::any_of(objects, [&](ObjectId object) {
             return unseen.reaches(object) || points_to.object(object).kind == ObjectKind::kForeign;
           });
  };
  LeftOut result;
  std::set<uint64_t> kept;
  for (const llvm::Function& function : program.module()) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      for (const SiteUse& use : Program::uses(instruction)) {
        if ((use.flags & (compiler::kLabelCall | compiler::kLabelAtomic)) != 0) continue;
        uint64_t identity = 0;
        unsigned own = 0;
        (void)program.extend_identity(identity, use.site, own);
        const bool stays = (use.flags & compiler::kLabelSpins) != 0 || may_conflict(instruction, use);
        (stays ? kept : result.sites).insert(identity);
      }
    }
  }
  for (const uint64_t identity : kept) result.sites.erase(identity);
  result.accesses = kept.size() + result.sites.size();
  return result;
}

}  // namespace norn::statics
