#include "static/candidates/argument_contexts.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "static/program/library_models.h"

namespace norn::statics {

using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

AddressSources sources_of(const Value* address) {
  constexpr size_t kMost = 64;
  AddressSources sources;
  llvm::SmallPtrSet<const Value*, 16> seen;
  llvm::SmallVector<const Value*, 16> open{address};
  while (!open.empty()) {
    const Value* value = open.pop_back_val()->stripPointerCastsAndAliases();
    if (!seen.insert(value).second) continue;
    if (seen.size() > kMost) return {{}, {address}};
    if (const auto* step = dyn_cast<llvm::GEPOperator>(value); step != nullptr && !step->getType()->isVectorTy()) {
      open.push_back(step->getPointerOperand());
    } else if (const auto* phi = dyn_cast<llvm::PHINode>(value)) {
      for (const llvm::Use& each : phi->incoming_values()) open.push_back(each.get());
    } else if (const auto* select = dyn_cast<llvm::SelectInst>(value)) {
      open.push_back(select->getTrueValue());
      open.push_back(select->getFalseValue());
    } else if (const auto* frozen = dyn_cast<llvm::FreezeInst>(value)) {
      open.push_back(frozen->getOperand(0));
    } else if (const auto* argument = dyn_cast<llvm::Argument>(value);
               argument != nullptr && !argument->hasByValAttr()) {
      sources.arguments.push_back(argument);
    } else if (!isa<llvm::ConstantData>(value)) {
      sources.others.push_back(value);
    }
  }
  return sources;
}

ArgumentContexts::ArgumentContexts(const PointsTo& points_to, const Threads& threads)
    : points_to_(points_to), threads_(threads), given_(threads.all().size()) {
  for (size_t i = 0; i < given_.size(); ++i) find(static_cast<int>(i));
}

const ObjectSet& ArgumentContexts::set_of(const Value* pointer) const {
  const std::vector<ObjectId>& objects = points_to_.objects_at(pointer);
  const auto [known, fresh] = sets_.try_emplace(&objects);
  if (fresh) {
    for (const ObjectId object : objects) known->second.set(object);
  }
  return known->second;
}

ObjectSet ArgumentContexts::objects(const llvm::SmallVectorImpl<const Value*>& others) const {
  ObjectSet result;
  for (const Value* other : others) {
    result |= set_of(other);
  }
  return result;
}

ObjectSet ArgumentContexts::objects(int thread, const AddressSources& sources) const {
  ObjectSet result = objects(sources.others);
  const auto& given = given_[static_cast<size_t>(thread)];
  for (const llvm::Argument* argument : sources.arguments) {
    const auto known = given.find(argument);
    if (known != given.end() && !known->second.any) {
      result |= known->second.objects;
    } else {
      result |= set_of(argument);
    }
  }
  return result;
}

bool ArgumentContexts::is_whole(int thread, const AddressSources& sources) const {
  const auto& given = given_[static_cast<size_t>(thread)];
  return llvm::all_of(sources.arguments, [&](const llvm::Argument* argument) {
    const auto known = given.find(argument);
    return known == given.end() || known->second.any;
  });
}

// What a thread begins with is what its creator gives.
void ArgumentContexts::give_root(int thread) {
  const Thread& of = threads_.all()[static_cast<size_t>(thread)];
  const llvm::Function* kind = of.created == nullptr ? nullptr : of.created->getCalledFunction();
  for (const llvm::Argument& parameter : of.root->args()) {
    Given& given = given_[static_cast<size_t>(thread)][&parameter];
    const unsigned number = parameter.getArgNo();
    unsigned from = 0;
    if (kind != nullptr && kind->getName() == kFork && number == 0) from = 1;
    if (kind != nullptr && kind->getName() == kForkTask && number == 1) from = 1;
    if (kind != nullptr && kind->getName() == kForkTeam && number >= 2) from = number + 1;
    if (from == 0 || from >= of.created->arg_size() || of.stands_for_others) {
      given.any = true;
    } else {
      given.objects |= objects(of.parent, sources_of(of.created->getArgOperand(from)));
    }
  }
}

bool ArgumentContexts::give(int thread, const llvm::CallBase& call, const llvm::Function& callee) {
  // A library that calls what it was given gives it anything.
  const auto* called = dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  const bool by_library = called != nullptr && called->isDeclaration();
  bool changed = false;
  for (const llvm::Argument& parameter : callee.args()) {
    Given& given = given_[static_cast<size_t>(thread)][&parameter];
    if (given.any) continue;
    if (by_library || parameter.getArgNo() >= call.arg_size()) {
      given.any = changed = true;
      continue;
    }
    const ObjectSet more = objects(thread, sources_of(call.getArgOperand(parameter.getArgNo())));
    changed |= given_[static_cast<size_t>(thread)][&parameter].objects |= more;
  }
  return changed;
}

void ArgumentContexts::find(int thread) {
  const Thread& of = threads_.all()[static_cast<size_t>(thread)];
  llvm::DenseMap<const llvm::Function*, std::vector<const llvm::CallBase*>> calls;
  llvm::DenseSet<const llvm::Function*> called{of.root};
  auto& given = given_[static_cast<size_t>(thread)];
  for (const llvm::Function* function : of.functions) {
    for (const llvm::Argument& parameter : function->args())
      given.try_emplace(&parameter).first->second.any = points_to_.objects_at(&parameter).size() > kMostObjects;
  }
  give_root(thread);
  for (const llvm::Function* function : of.functions) {
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || points_to_.callees(*call).empty()) continue;
      calls[function].push_back(call);
      for (const llvm::Function* callee : points_to_.callees(*call)) called.insert(callee);
    }
  }
  // Nobody is seen to call a handler.
  for (const llvm::Function* function : of.functions) {
    if (called.contains(function)) continue;
    for (const llvm::Argument& parameter : function->args()) given[&parameter].any = true;
  }
  std::vector<const llvm::Function*> open(of.functions.rbegin(), of.functions.rend());
  llvm::DenseSet<const llvm::Function*> waiting(open.begin(), open.end());
  while (!open.empty()) {
    const llvm::Function* function = open.back();
    open.pop_back();
    waiting.erase(function);
    for (const llvm::CallBase* call : calls[function]) {
      for (const llvm::Function* callee : points_to_.callees(*call)) {
        if (give(thread, *call, *callee) && waiting.insert(callee).second) open.push_back(callee);
      }
    }
  }
}

}  // namespace norn::statics
