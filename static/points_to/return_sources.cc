#include "static/points_to/return_sources.h"

#include <algorithm>
#include <string>

#include "compiler/analysis/library.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace norn::statics {

using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

namespace {

constexpr size_t kMostSources = 64;    // values that are followed back in one function
constexpr size_t kThin = 150;          // instructions of a function whose calls all have objects of their own
constexpr unsigned kMostCallers = 32;  // calls of a larger one that have

// A function of C is an allocator if it says so (malloc, alloc_size), or if its name does and it takes a number.
bool is_named_allocator(const llvm::Function& function) {
  if (function.hasFnAttribute(llvm::Attribute::AllocSize) || function.hasFnAttribute(llvm::Attribute::AllocKind) ||
      function.returnDoesNotAlias())
    return true;
  const std::string name = function.getName().lower();
  if (name.starts_with("_z") || name.find("alloc") == std::string::npos) return false;
  return llvm::any_of(function.args(), [](const llvm::Argument& parameter) {
    return parameter.getType()->isIntegerTy(32) || parameter.getType()->isIntegerTy(64);
  });
}

const llvm::Function* function_called(const llvm::CallBase& call) {
  return dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
}

// Whether one call of its function may execute it again.
bool is_repeated(const llvm::CallBase* call) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> seen;
  llvm::SmallVector<const llvm::BasicBlock*, 16> open{call->getParent()};
  while (!open.empty()) {
    for (const llvm::BasicBlock* next : llvm::successors(open.pop_back_val())) {
      if (next == call->getParent()) return true;
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

size_t callers_of(const llvm::Function& function) {
  return static_cast<size_t>(llvm::count_if(function.uses(), [](const llvm::Use& use) {
    const auto* call = dyn_cast<llvm::CallBase>(use.getUser());
    return call != nullptr && call->isCallee(&use);
  }));
}

using Size = ReturnSources::Size;

// A number as what its function was given, times a constant, plus one. Where it is rounded, or is the larger of two,
// what comes out is at least that.
Size size_of_number(const Value* value, unsigned depth = 0) {
  constexpr int64_t kLargest = int64_t{1} << 32;
  if (const auto* number = dyn_cast<llvm::ConstantInt>(value)) {
    if (number->getBitWidth() > 64 || number->getZExtValue() > static_cast<uint64_t>(kLargest)) return {};
    return {Size::kNone, 1, static_cast<int64_t>(number->getZExtValue())};
  }
  if (const auto* argument = dyn_cast<llvm::Argument>(value)) return {argument->getArgNo(), 1, 0};
  if (depth > 8) return {};
  if (isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst, llvm::FreezeInst>(value))
    return size_of_number(llvm::cast<llvm::Instruction>(value)->getOperand(0), depth + 1);
  const auto larger = [&](const Value* one, const Value* other) -> Size {
    Size a = size_of_number(one, depth + 1);
    Size b = size_of_number(other, depth + 1);
    if (a.parameter == Size::kNone) std::swap(a, b);
    if (a.parameter == Size::kUnknown || b.parameter == Size::kUnknown) return {};
    if (a.parameter == b.parameter && a.times == b.times) return {a.parameter, a.times, std::max(a.plus, b.plus)};
    if (b.parameter != Size::kNone) return {};
    a.plus += b.plus;
    return a;
  };
  if (const auto* select = dyn_cast<llvm::SelectInst>(value))
    return larger(select->getTrueValue(), select->getFalseValue());
  if (const auto* phi = dyn_cast<llvm::PHINode>(value); phi != nullptr && phi->getNumIncomingValues() == 2)
    return larger(phi->getIncomingValue(0), phi->getIncomingValue(1));
  if (const auto* intrinsic = dyn_cast<llvm::CallBase>(value);
      intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::umax)
    return larger(intrinsic->getArgOperand(0), intrinsic->getArgOperand(1));
  const auto* computed = dyn_cast<llvm::BinaryOperator>(value);
  const auto* number = computed == nullptr ? nullptr : dyn_cast<llvm::ConstantInt>(computed->getOperand(1));
  if (number == nullptr || number->getBitWidth() > 64) return {};
  Size size = size_of_number(computed->getOperand(0), depth + 1);
  const int64_t by = number->getSExtValue();
  if (size.parameter == Size::kUnknown) return {};
  switch (computed->getOpcode()) {
    case llvm::Instruction::Add:
      if (by < 0 || by > kLargest) return {};
      size.plus += by;
      return size;
    case llvm::Instruction::And:  // of what was added to before
      return by < 0 && size.plus >= -by - 1 ? size : Size{};
    case llvm::Instruction::Mul:
      if (by <= 0 || by > kLargest || size.times > kLargest || size.plus > kLargest) return {};
      return {size.parameter, size.times * by, size.plus * by};
    case llvm::Instruction::Shl:
      if (by < 0 || by > 16 || size.times > kLargest || size.plus > kLargest) return {};
      return {size.parameter, size.times << by, size.plus << by};
    default:
      return {};
  }
}

// What an allocator that is not seen here is asked for.
Size size_asked(const llvm::CallBase& call) {
  const llvm::Function* callee = function_called(call);
  const llvm::StringRef name = callee == nullptr ? llvm::StringRef() : callee->getName();
  if ((name == "malloc" || name.starts_with("_Znwm") || name.starts_with("_Znam")) && call.arg_size() > 0)
    return size_of_number(call.getArgOperand(0));
  if (name == "realloc" && call.arg_size() == 2) return size_of_number(call.getArgOperand(1));
  if (name == "calloc" && call.arg_size() == 2) {
    Size a = size_of_number(call.getArgOperand(0));
    Size b = size_of_number(call.getArgOperand(1));
    if (a.parameter == Size::kNone) std::swap(a, b);
    constexpr int64_t kMost = 1 << 20;
    if (a.parameter == Size::kUnknown || b.parameter != Size::kNone || b.plus > kMost || a.times > kMost ||
        a.plus > (int64_t{1} << 32))
      return {};
    return {a.parameter, a.times * b.plus, a.plus * b.plus};
  }
  return {};
}

// The size that a call of a function gives it, in terms of the function that it stands in.
Size given(const llvm::CallBase& call, const Size& size) {
  constexpr int64_t kMost = int64_t{1} << 32;
  if (size.parameter == Size::kNone || size.parameter == Size::kUnknown) return size;
  if (size.parameter >= call.arg_size()) return {};
  const Size outer = size_of_number(call.getArgOperand(size.parameter));
  if (outer.parameter == Size::kUnknown || outer.times > kMost / size.times || outer.plus > kMost / size.times)
    return {};
  return {outer.parameter, outer.times * size.times, outer.plus * size.times + size.plus};
}

}  // namespace

int64_t ReturnedSources::size_of(const llvm::CallBase& call, const ReturnSources& sources) {
  const Size size = given(call, sources.size);
  return size.parameter == Size::kNone ? size.plus : -1;
}

// All that it may return has to have it, or, where its name is trusted, one of what it asks others for.
void ReturnedSources::find_size(const llvm::Function& function, ReturnSources& sources,
                                const std::vector<const Value*>& sizes) {
  std::set<Size> all;
  for (const llvm::CallBase* call : sources.allocations) all.insert(size_asked(*call));
  for (const llvm::CallBase* call : sources.wrapped) all.insert(given(*call, of(*function_called(*call))->size));
  for (const Value* value : sizes) all.insert(size_of_number(value));
  if (function.hasFnAttribute(llvm::Attribute::AllocSize)) {
    const auto [bytes, count] = function.getFnAttribute(llvm::Attribute::AllocSize).getAllocSizeArgs();
    if (!count) all = {Size{bytes, 1, 0}};
  }
  if (sources.is_trusted) all.erase(Size{});
  if (all.size() == 1) sources.size = *all.begin();
}

llvm::SmallPtrSet<const llvm::StoreInst*, 4> stores_of_freed(const llvm::Function& function) {
  llvm::SmallPtrSet<const llvm::StoreInst*, 4> found;
  const std::string name = function.getName().lower();
  if (name.starts_with("_z") || name.find("free") == std::string::npos) return found;
  const auto place = [&](const Value* address) {
    llvm::APInt offset(64, 0);
    const Value* base = address->stripAndAccumulateConstantOffsets(function.getParent()->getDataLayout(), offset, true);
    return std::pair(base, offset.getSExtValue());
  };
  for (const llvm::Argument& freed : function.args()) {
    if (!freed.getType()->isPointerTy()) continue;
    // What is kept in memory, and what is put into it.
    llvm::SmallVector<const llvm::StoreInst*, 2> keeps;
    llvm::SmallVector<const llvm::StoreInst*, 2> links;
    for (const llvm::User* user : freed.users()) {
      if (const auto* store = dyn_cast<llvm::StoreInst>(user)) {
        if (store->getValueOperand() == &freed) {
          keeps.push_back(store);
        } else if (store->getValueOperand()->getType()->isPointerTy()) {
          links.push_back(store);
        }
      } else if (const auto* step = dyn_cast<llvm::GEPOperator>(user);
                 step != nullptr && step->hasAllConstantIndices()) {
        for (const llvm::User* of_field : step->users()) {
          const auto* link = dyn_cast<llvm::StoreInst>(of_field);
          if (link != nullptr && link->getPointerOperand() == step && link->getValueOperand()->getType()->isPointerTy())
            links.push_back(link);
        }
      }
    }
    for (const llvm::StoreInst* keep : keeps) {
      for (const llvm::StoreInst* link : links) {
        // The list's head, as it was before.
        const auto* head = dyn_cast<llvm::LoadInst>(link->getValueOperand());
        if (head == nullptr || place(head->getPointerOperand()) != place(keep->getPointerOperand())) continue;
        found.insert(keep);
        found.insert(link);
      }
    }
  }
  return found;
}

bool is_allocation(const llvm::CallBase& call, bool& moves) {
  moves = false;
  const auto* callee = function_called(call);
  if (callee == nullptr || !callee->isDeclaration() || !call.getType()->isPointerTy()) return false;
  const llvm::StringRef name = callee->getName();
  const compiler::LibraryRole role = compiler::library_role(name);
  moves = role == compiler::LibraryRole::kReallocates;
  return moves || role == compiler::LibraryRole::kAllocates;
}

ReturnedSources::ReturnedSources(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() && function.getReturnType()->isPointerTy()) find(function);
  }
}

const ReturnSources* ReturnedSources::of(const llvm::Function& function) const {
  const auto known = known_.find(&function);
  return known == known_.end() ? nullptr : &known->second;
}

std::vector<const llvm::Function*> ReturnedSources::trusted() const {
  std::vector<const llvm::Function*> found;
  for (const auto& [function, sources] : known_) {
    if (sources.is_trusted) found.push_back(function);
  }
  std::sort(found.begin(), found.end(), [](const auto* a, const auto* b) { return a->getName() < b->getName(); });
  return found;
}

// Null while it is being looked for: of what calls itself the result is just a value.
const ReturnSources* ReturnedSources::find(const llvm::Function& function) {
  if (const auto known = known_.find(&function); known != known_.end()) return &known->second;
  if (!open_.try_emplace(&function, true).second) return nullptr;
  ReturnSources sources;
  find_in(function, sources);
  return &known_.emplace(&function, std::move(sources)).first->second;
}

void ReturnedSources::find_in(const llvm::Function& function, ReturnSources& sources) {
  std::map<const Value*, int64_t> seen;
  llvm::SmallVector<std::pair<const Value*, int64_t>, 16> open;
  std::vector<const Value*> returned;
  for (const llvm::BasicBlock& block : function) {
    const auto* result = dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (result != nullptr && result->getReturnValue() != nullptr) returned.push_back(result->getReturnValue());
  }
  for (const Value* value : returned) open.emplace_back(value, 0);
  const bool is_named = is_named_allocator(function);
  std::vector<const Value*> asked;  // what allocators behind pointers are asked for
  const auto other = [&](const Value* value, int64_t offset) {
    // The memory of a pool, of a list of what was freed: what it hands out it has once.
    if (const auto* call = dyn_cast<llvm::CallBase>(value); is_named && call != nullptr && call->isIndirectCall()) {
      for (const llvm::Use& given : call->args()) {
        if (given->getType()->isIntegerTy()) asked.push_back(given.get());
      }
    }
    if (is_named && !isa<llvm::Constant>(value) && !isa<llvm::GlobalVariable>(llvm::getUnderlyingObject(value))) {
      sources.fresh.insert(0);
      sources.is_trusted = true;
    } else {
      sources.others.push_back({value, offset});
    }
  };
  while (!open.empty()) {
    auto [value, offset] = open.pop_back_val();
    llvm::APInt steps(64, 0);
    value = value->stripPointerCastsAndAliases();
    if (const auto* step = dyn_cast<llvm::GEPOperator>(value)) {
      if (!step->getType()->isVectorTy() &&
          step->accumulateConstantOffset(function.getParent()->getDataLayout(), steps)) {
        open.emplace_back(step->getPointerOperand(), offset + steps.getSExtValue());
        continue;
      }
    }
    if (isa<llvm::ConstantData>(value)) continue;
    if (const auto [known, first] = seen.try_emplace(value, offset); !first) {
      if (known->second != offset) other(value, offset);
      continue;
    }
    if (seen.size() > kMostSources) {
      sources = {};
      for (const Value* each : returned) sources.others.push_back({each, 0});
      return;
    }
    if (const auto* phi = dyn_cast<llvm::PHINode>(value)) {
      for (const llvm::Use& each : phi->incoming_values()) open.emplace_back(each.get(), offset);
    } else if (const auto* select = dyn_cast<llvm::SelectInst>(value)) {
      open.emplace_back(select->getTrueValue(), offset);
      open.emplace_back(select->getFalseValue(), offset);
    } else if (const auto* frozen = dyn_cast<llvm::FreezeInst>(value)) {
      open.emplace_back(frozen->getOperand(0), offset);
    } else if (const auto* argument = dyn_cast<llvm::Argument>(value);
               argument != nullptr && !argument->hasByValAttr()) {
      sources.parameters.insert({argument->getArgNo(), offset});
    } else if (const auto* call = dyn_cast<llvm::CallBase>(value)) {
      bool moves = false;
      if (is_allocation(*call, moves)) {
        sources.fresh.insert(offset);
        sources.allocations.push_back(call);
        if (moves) open.emplace_back(call->getArgOperand(0), offset);
        continue;
      }
      const auto* callee = function_called(*call);
      const bool is_seen = callee != nullptr && !callee->isDeclaration() &&
                           callee->getFunctionType() == call->getFunctionType() &&
                           callee->getReturnType()->isPointerTy();
      const ReturnSources* inner = is_seen ? find(*callee) : nullptr;
      if (inner == nullptr) {
        other(call, offset);
        continue;
      }
      if (!inner->fresh.empty()) {
        for (const int64_t at : inner->fresh) sources.fresh.insert(at + offset);
        sources.wrapped.push_back(call);
      }
      for (const auto& [number, at] : inner->parameters) open.emplace_back(call->getArgOperand(number), at + offset);
      if (is_named && (!inner->others.empty() || !inner->others_of.empty())) {
        sources.fresh.insert(0);
        sources.is_trusted = true;
      } else if (!inner->others.empty() || !inner->others_of.empty()) {
        sources.others_of.push_back({callee, offset});
      }
    } else {
      other(value, offset);
    }
  }
  if (sources.fresh.empty()) return;
  sources.makes_many = sources.allocations.size() + sources.wrapped.size() > 1 ||
                       llvm::any_of(sources.allocations, is_repeated) ||
                       llvm::any_of(sources.wrapped, [&](const llvm::CallBase* call) {
                         return is_repeated(call) || of(*function_called(*call))->makes_many;
                       });
  if (sources.fresh.size() > 4 ||
      (function.getInstructionCount() > kThin && callers_of(function) > kMostCallers && !sources.is_trusted)) {
    // Its calls have what it allocates together.
    sources = {};
    for (const Value* each : returned) sources.others.push_back({each, 0});
    return;
  }
  for (const llvm::CallBase* call : sources.wrapped) wrapped_.insert(call);
  find_size(function, sources, asked);
}

}  // namespace norn::statics
