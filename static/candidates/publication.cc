#include "static/candidates/publication.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "static/points_to/return_sources.h"
#include "static/program/library_models.h"

namespace norn::statics {

using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

namespace {

constexpr unsigned kDeepest = 4;    // calls up from the access to the allocation
constexpr size_t kMostUses = 1000;  // of one address

// The one value that an address is a step from.
const Value* base_of(const Value* address) {
  for (;;) {
    address = address->stripPointerCastsAndAliases();
    const auto* step = dyn_cast<llvm::GEPOperator>(address);
    if (step == nullptr || step->getType()->isVectorTy()) return address;
    address = step->getPointerOperand();
  }
}

// Whether control can come from behind one instruction to another without executing `again`.
bool leads_to(const llvm::Instruction& from, const llvm::Instruction& to, const llvm::Instruction* again) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> seen;
  llvm::SmallVector<const llvm::Instruction*, 16> open;
  const auto enter = [&](const llvm::BasicBlock& block) {
    if (seen.insert(&block).second) open.push_back(&block.front());
  };
  const auto leave = [&](const llvm::Instruction& last) {
    for (const llvm::BasicBlock* next : llvm::successors(last.getParent())) enter(*next);
  };
  if (const llvm::Instruction* next = from.getNextNode()) {
    open.push_back(next);
  } else {
    leave(from);
  }
  while (!open.empty()) {
    const llvm::Instruction* at = open.pop_back_val();
    const llvm::BasicBlock* block = at->getParent();
    const bool stops = again != nullptr && again->getParent() == block && !again->comesBefore(at);
    if (to.getParent() == block && !to.comesBefore(at) && (!stops || to.comesBefore(again))) return true;
    if (!stops) leave(*block->getTerminator());
  }
  return false;
}

}  // namespace

bool Publication::is_allocation(const Value& value) const {
  if (isa<llvm::AllocaInst>(value)) return true;
  const auto* call = dyn_cast<llvm::CallBase>(&value);
  if (call == nullptr) return false;
  if (!points_to_.callees(*call).empty()) return call->returnDoesNotAlias() && points_to_.returns_fresh(*call);
  bool moves = false;
  if (statics::is_allocation(*call, moves)) return !moves;
  return llvm::any_of(points_to_.objects_of(&value),
                      [&](ObjectId object) { return points_to_.object(object).kind == ObjectKind::kHeap; }) &&
         points_to_.of(&value).size() == 1;
}

// Whether the address is kept by anything before `before` is executed.
bool Publication::goes_somewhere(const Value& root, const llvm::Instruction& before) const {
  const auto* again = dyn_cast<llvm::Instruction>(&root);
  llvm::SmallPtrSet<const Value*, 16> seen{&root};
  llvm::SmallVector<const Value*, 16> open{&root};
  size_t uses = 0;
  while (!open.empty()) {
    const Value* value = open.pop_back_val();
    for (const llvm::Use& use : value->uses()) {
      if (++uses > kMostUses) return true;
      const auto* user = dyn_cast<llvm::Instruction>(use.getUser());
      if (user == nullptr) return true;
      bool keeps = false;
      bool follow = false;
      if (isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst, llvm::BitCastInst, llvm::AddrSpaceCastInst,
              llvm::FreezeInst>(user)) {
        follow = true;
      } else if (isa<llvm::LoadInst, llvm::ICmpInst, llvm::ReturnInst, llvm::MemIntrinsic>(user)) {
        keeps = false;
      } else if (isa<llvm::StoreInst>(user)) {
        keeps = use.getOperandNo() == 0;
      } else if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(user)) {
        keeps = use.getOperandNo() != 0;
      } else if (const auto* call = dyn_cast<llvm::CallBase>(user)) {
        const llvm::Function* callee = call->getCalledFunction();
        if (call->isArgOperand(&use) && call->doesNotCapture(call->getArgOperandNo(&use))) {
          keeps = false;
        } else if (callee == nullptr || !callee->isDeclaration() || callee->getName().starts_with("__norn_") ||
                   callee->getName() == kForkTeam || callee->getName() == "__cxa_throw") {
          keeps = true;
        } else {
          // What is not modelled keeps nothing, but may return it, or call something with it.
          follow = call->getType()->isPointerTy();
          keeps = !points_to_.callees(*call).empty();
        }
      } else {
        keeps = true;
      }
      if (keeps && leads_to(*user, before, again)) return true;
      if (follow && seen.insert(user).second) open.push_back(user);
    }
  }
  return false;
}

bool Publication::is_unpublished(int thread, const llvm::Instruction& instruction, const Value* address,
                                 unsigned depth) {
  const Value* base = base_of(address);
  if (is_allocation(*base)) {
    const auto [known, fresh] = known_.try_emplace({base, &instruction}, false);
    if (fresh) known->second = !goes_somewhere(*base, instruction);
    return known->second;
  }
  const auto* argument = dyn_cast<llvm::Argument>(base);
  if (argument == nullptr || argument->hasByValAttr() || depth >= kDeepest) return false;
  const Thread& of = threads_.all()[static_cast<size_t>(thread)];
  const llvm::Function& function = *argument->getParent();
  if (&function == of.root || !of.called_by.contains(&function)) return false;
  const auto [known, fresh] = known_.try_emplace({base, &instruction}, false);
  if (fresh) known->second = !goes_somewhere(*base, instruction);
  if (!known->second) return false;
  return llvm::all_of(threads_.callers(function), [&](const llvm::CallBase* call) {
    if (call->getFunction() != of.root && !of.called_by.contains(call->getFunction())) return true;
    const auto* called = dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCastsAndAliases());
    if ((called != nullptr && called->isDeclaration()) || argument->getArgNo() >= call->arg_size()) return false;
    return is_unpublished(thread, *call, call->getArgOperand(argument->getArgNo()), depth + 1);
  });
}

bool Publication::is_unpublished(int thread, const llvm::Instruction& instruction, const Value* address) {
  return is_unpublished(thread, instruction, address, 0);
}

}  // namespace norn::statics
