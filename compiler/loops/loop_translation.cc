#include "compiler/loops/loop_translation.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

namespace norn::compiler {

using llvm::BasicBlock;
using llvm::CallBase;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::Value;
using loops::Index;
using loops::Kind;
using loops::kNone;

Translation::Translation(const LoopView& view, const Cycle& loop, CallSummaries& summaries,
                         const llvm::TargetLibraryInfoImpl& library)
    : loop_(loop),
      dominators_(view.dominators()),
      layout_(view.function().getParent()->getDataLayout()),
      summaries_(summaries),
      library_(library) {
  // The header is block 0.
  for (BasicBlock* block : loop.blocks) {
    const auto index = static_cast<Index>(numbers_.size());
    numbers_[block] = index;
  }
  collect_writes();
  for (BasicBlock* block : loop.blocks) translate(*block);
  in_condition_ = std::make_unique<bool[]>(values_.size());
  scratch_.resize(loops::scratch_words(form()));
}

loops::Judgement Translation::judge(const BasicBlock* block, const Value* condition) {
  return loops::judge(form(), {numbers_.lookup(block), known(condition)}, scratch_,
                      {in_condition_.get(), values_.size()});
}

Index Translation::location(const Place& place) {
  return locations_.try_emplace(place.text(), static_cast<Index>(locations_.size())).first->second;
}

bool Translation::leaves_after(const BasicBlock* block) const {
  const auto decides = [&](const BasicBlock* exit) -> const llvm::BranchInst* {
    const auto* branch = dyn_cast<llvm::BranchInst>(exit->getTerminator());
    if (branch == nullptr || !branch->isConditional()) return nullptr;
    for (const BasicBlock* before : llvm::predecessors(loop_.header)) {
      if (loop_.contains(before) && !dominators_.dominates(exit, before)) return nullptr;
    }
    return branch;
  };
  constexpr size_t kLargest = 64;  // of the loops that are looked at so closely
  if (loop_.blocks.size() > kLargest) return false;
  for (const BasicBlock* exit : loop_.blocks) {
    const llvm::BranchInst* out = decides(exit);
    for (const unsigned way : {0u, 1u}) {
      if (out == nullptr || loop_.contains(out->getSuccessor(way))) continue;
      for (const BasicBlock* other : loop_.blocks) {
        const auto* branch = dyn_cast<llvm::BranchInst>(other->getTerminator());
        if (branch == nullptr || branch == out || !branch->isConditional()) continue;
        if (branch->getCondition() == out->getCondition() &&
            dominators_.dominates(llvm::BasicBlockEdge(other, branch->getSuccessor(way)), block)) {
          return true;
        }
      }
    }
  }
  return false;
}

void Translation::collect_writes() {
  for (const BasicBlock* block : loop_.blocks) {
    if (leaves_after(block)) {
      for (const Instruction& instruction : *block) {
        if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) left_after_.push_back(store);
      }
      continue;
    }
    for (const Instruction& instruction : *block) {
      if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
        write(store->getPointerOperand());
      } else if (const auto* rmw = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
        if (!is_test_and_set(instruction)) write(rmw->getPointerOperand());
      } else if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
        if (!is_test_and_set(instruction)) write(exchange->getPointerOperand());
      } else if (const auto* block_write = dyn_cast<llvm::AnyMemIntrinsic>(&instruction)) {
        write(block_write->getRawDest());
      } else if (const auto* call = dyn_cast<CallBase>(&instruction)) {
        collect_writes_of(*call);
      }
    }
  }
}

void Translation::write(const Value* address) {
  written_.push_back(location(place_of(address, layout_)));
  objects_written_.insert(llvm::getUnderlyingObject(address, 0));
}

void Translation::collect_writes_of(const CallBase& call) {
  const Summary& callee = summaries_.of(call);
  locks_ |= callee.locks;
  if (is_poll(call, callee)) return;
  for (const PlaceInCaller& there : callee.writes) {
    const PlaceInCaller here = in_caller(there, call, layout_);
    if (here.base == nullptr) continue;
    Place place = place_of(here.base, layout_);
    place.offset += here.offset;
    written_.push_back(location(place));
    objects_written_.insert(llvm::getUnderlyingObject(here.base, 0));
  }
  if (callee.knows_writes) return;
  calls_unknown_ = true;
  for (const Value* argument : call.args()) {
    if (argument->getType()->isPointerTy()) given_away_.push_back({&call, place_of(argument, layout_).base});
  }
}

const Value* Translation::test_and_set_address(const Instruction& instruction) {
  if (const auto* rmw = dyn_cast<llvm::AtomicRMWInst>(&instruction)) return rmw->getPointerOperand();
  return llvm::cast<llvm::AtomicCmpXchgInst>(instruction).getPointerOperand();
}

bool Translation::is_test_and_set(const Instruction& instruction) const {
  if (const auto* rmw = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    const bool sets = rmw->getOperation() == llvm::AtomicRMWInst::Xchg ||
                      rmw->getOperation() == llvm::AtomicRMWInst::Or || rmw->getOperation() == llvm::AtomicRMWInst::And;
    return sets && !has(rmw->getValOperand());
  }
  const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
  return exchange != nullptr && !has(exchange->getCompareOperand()) && !has(exchange->getNewValOperand());
}

void Translation::translate(const BasicBlock& block) {
  const Index number = numbers_.lookup(&block);
  for (const Instruction& instruction : block) {
    if (!instruction.getType()->isVoidTy()) translate(instruction, number);
  }
  loops::Block out;
  out.first_successor = static_cast<Index>(successors_.size());
  for (const Way& way : ways_from(const_cast<BasicBlock*>(&block), loop_)) {
    const auto found = numbers_.find(way.to);
    successors_.push_back(found == numbers_.end() ? kNone : found->second);
    ++out.successor_count;
    if (way.guard != nullptr) out.guard = index_of(way.guard);
  }
  blocks_.push_back(out);
}

Index Translation::index_of(const Value* value) {
  if (!has(value)) return kNone;
  const auto [found, fresh] = indexes_.try_emplace(value, static_cast<Index>(values_.size()));
  if (fresh) {
    values_.emplace_back();
    instructions_.push_back(llvm::cast<Instruction>(value));
  }
  return found->second;
}

void Translation::translate(const Instruction& instruction, Index block) {
  const Index index = index_of(&instruction);
  std::vector<Index> from;
  loops::Value value = kind_of(instruction, from);
  value.block = block;
  value.first_operand = static_cast<Index>(operands_.size());
  value.operand_count = static_cast<Index>(from.size());
  operands_.insert(operands_.end(), from.begin(), from.end());
  values_[index] = value;
}

void Translation::depend_on(const Value* value, std::vector<Index>& from) {
  if (const Index index = index_of(value); index != kNone) from.push_back(index);
}

loops::Value Translation::kind_of(const Instruction& instruction, std::vector<Index>& from) {
  loops::Value value;
  if (const auto* phi = dyn_cast<llvm::PHINode>(&instruction)) {
    value.kind = Kind::kMerge;
    merge(*phi, from);
  } else if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
    return read(*load, from);
  } else if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) {
    value.kind = is_test_and_set(instruction) ? Kind::kTestAndSet : Kind::kChange;
    if (value.kind == Kind::kTestAndSet) {
      const Value* address = test_and_set_address(instruction);
      value.location = location(place_of(address, layout_));
      depend_on(address, from);
    }
  } else if (const auto* call = dyn_cast<CallBase>(&instruction)) {
    return result(*call, from);
  } else if (const auto* select = dyn_cast<llvm::SelectInst>(&instruction)) {
    select_operands(*select, value, from);
  } else if (instruction.mayReadFromMemory() || isa<llvm::AllocaInst, llvm::LandingPadInst>(instruction)) {
    value.kind = Kind::kChange;
  } else {
    for (const Value* operand : instruction.operands()) depend_on(operand, from);
  }
  return value;
}

void Translation::merge(const llvm::PHINode& phi, std::vector<Index>& from) {
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    if (!loop_.contains(phi.getIncomingBlock(i))) continue;
    const Value* incoming = phi.getIncomingValue(i);
    if (has(incoming)) {
      depend_on(incoming, from);
    } else {
      values_.push_back({Kind::kCompute, numbers_.lookup(phi.getParent()), 0, 0, kNone});
      instructions_.push_back(nullptr);
      from.push_back(static_cast<Index>(values_.size() - 1));
    }
  }
}

void Translation::select_operands(const llvm::SelectInst& select, loops::Value& value, std::vector<Index>& from) {
  if (has(select.getCondition())) {
    value.kind = Kind::kSelect;
    depend_on(select.getCondition(), from);
  } else {
    value.kind = Kind::kMerge;  // never in the header's place: of the block itself
  }
  depend_on(select.getTrueValue(), from);
  depend_on(select.getFalseValue(), from);
}

loops::Value Translation::read(const llvm::LoadInst& load, std::vector<Index>& from) {
  loops::Value value;
  const Value* address = load.getPointerOperand();
  const Value* object = llvm::getUnderlyingObject(address, 0);
  depend_on(address, from);
  const auto* global = dyn_cast<llvm::GlobalVariable>(object);
  const bool constant =
      (global != nullptr && global->isConstant()) || load.hasMetadata(llvm::LLVMContext::MD_invariant_load);
  if (constant) return value;
  if (is_own_memory(address) || (global != nullptr && global->isThreadLocal())) {
    if (objects_written_.contains(object)) value.kind = Kind::kChange;
    return value;
  }
  value.kind = Kind::kRead;
  value.location = location(place_of(address, layout_));
  value.reads_atomics = load.isAtomic();
  value.reads_plainly = !load.isAtomic() && !load.isVolatile();
  value.used_otherwise = value.reads_plainly && is_used_otherwise(load);
  return value;
}

bool Translation::is_used_otherwise(const Instruction& read) const {
  constexpr size_t kMost = 64;  // users that are looked at
  // A truth value is a decision, wherever it goes. (The optimiser reads it as a byte that is 0 or 1.)
  if (const llvm::MDNode* range = read.getMetadata(llvm::LLVMContext::MD_range);
      read.getType()->isIntegerTy(1) ||
      (range != nullptr && llvm::getConstantRangeFromMetadata(*range).getUnsignedMax().ule(1))) {
    return false;
  }
  llvm::SmallVector<const Instruction*, 16> ahead = {&read};
  llvm::SmallPtrSet<const Instruction*, 16> seen;
  while (!ahead.empty() && seen.size() < kMost) {
    const Instruction* value = ahead.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const llvm::Use& use : value->uses()) {
      const auto* user = dyn_cast<Instruction>(use.getUser());
      if (user == nullptr) continue;
      if (isa<llvm::ReturnInst>(user)) return true;
      if (const auto* store = dyn_cast<llvm::StoreInst>(user); store != nullptr && store->getValueOperand() == value) {
        if (!is_own_memory(store->getPointerOperand())) return true;
      } else if (isa<llvm::LoadInst, llvm::StoreInst>(user)) {
        if (!loop_.contains(user->getParent())) return true;
      } else if (const auto* call = dyn_cast<CallBase>(user)) {
        if (call->isCallee(&use) || isa<llvm::DbgInfoIntrinsic, llvm::AssumeInst>(call)) continue;
        const bool computes = isa<llvm::IntrinsicInst>(call) && call->doesNotAccessMemory();
        if (!computes) return true;
        ahead.push_back(call);
      } else if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(user)) {
        return true;
      } else if (!isa<llvm::CmpInst>(user) && !user->getType()->isIntegerTy(1) && !user->isTerminator()) {
        // So is what was found out by comparing.
        ahead.push_back(user);
      }
    }
  }
  return false;
}

loops::Value Translation::read(const Value* address, std::vector<Index>& from) {
  loops::Value value;
  depend_on(address, from);
  value.kind = is_own_memory(address) ? Kind::kChange : Kind::kRead;
  value.location = location(place_of(address, layout_));
  return value;
}

bool Translation::is_poll(const CallBase& call, const Summary& callee) const {
  if (callee.kind != CallKind::kEffects || !callee.quiet || callee.quiet->getBitWidth() != width(call)) return false;
  return leaves(call, *callee.quiet) == false &&
         llvm::all_of(callee.loud, [&](const llvm::APInt& loud) { return leaves(call, loud) == true; });
}

unsigned Translation::width(const CallBase& call) {
  return call.getType()->isIntegerTy() ? call.getType()->getIntegerBitWidth() : 0;
}

std::optional<bool> Translation::leaves(const CallBase& call, const llvm::APInt& result) const {
  const Instruction* at = &call;
  llvm::Constant* known = llvm::ConstantInt::get(call.getType(), result);
  for (;;) {
    const Instruction* user = nullptr;
    for (const llvm::User* each : at->users()) {
      const auto* next = llvm::cast<Instruction>(each);
      if (!loop_.contains(next->getParent())) continue;
      if (user != nullptr) return std::nullopt;
      user = next;
    }
    if (user == nullptr) return std::nullopt;
    if (const auto* branch = dyn_cast<llvm::BranchInst>(user)) {
      return !loop_.contains(branch->getSuccessor(known->isOneValue() ? 0 : 1));
    }
    if (!isa<llvm::CmpInst, llvm::CastInst, llvm::BinaryOperator>(user)) return std::nullopt;
    llvm::SmallVector<llvm::Constant*, 2> operands;
    for (Value* operand : user->operands()) {
      auto* constant = operand == at ? known : dyn_cast<llvm::Constant>(operand);
      if (constant == nullptr) return std::nullopt;
      operands.push_back(constant);
    }
    known = isa<llvm::CmpInst>(user)
                ? llvm::ConstantFoldCompareInstOperands(llvm::cast<llvm::CmpInst>(user)->getPredicate(), operands[0],
                                                        operands[1], layout_)
                : llvm::ConstantFoldInstOperands(const_cast<Instruction*>(user), operands, layout_);
    if (known == nullptr || !isa<llvm::ConstantInt>(known)) return std::nullopt;
    at = user;
  }
}

loops::Value Translation::result(const CallBase& call, std::vector<Index>& from) {
  if (const std::optional<unsigned> operand = loaded_by_assembly(call)) {
    return read(call.getArgOperand(*operand), from);
  }
  loops::Value value;
  const Summary& callee = summaries_.of(call);
  for (const Value* argument : call.args()) depend_on(argument, from);
  if (callee.kind == CallKind::kAccessor && !callee.updates) {
    value.reads_plainly = callee.reads_plainly;
    value.reads_atomics = callee.reads_atomics;
    value.used_otherwise = callee.reads_plainly && is_used_otherwise(call);
  }
  if (is_poll(call, callee)) {
    value.kind = Kind::kAccessor;
    if (reads_what_is_written(call, callee)) value.location = something_written();
    return value;
  }
  value.kind = loops::result_of(callee.kind, callee.waits);
  const bool calls_code = value.kind == Kind::kAccessor || value.kind == Kind::kUnresolved;
  if (calls_code && may_change_between(call, callee)) value.location = something_written();
  if (value.kind == Kind::kUnresolved) {
    llvm::LibFunc known;
    const llvm::Function* function = call.getCalledFunction();
    if (function != nullptr && library_.getLibFunc(*function, known)) value.kind = Kind::kChange;
    depend_on(call.getCalledOperand(), from);
  }
  return value;
}

Index Translation::something_written() {
  const Index place = location({"?", 0});
  if (!llvm::is_contained(written_, place)) written_.push_back(place);
  return place;
}

bool Translation::may_change_between(const CallBase& call, const Summary& callee) {
  if (reads_what_is_written(call, callee)) return true;
  // What is passed by reference to be compared with must be set anew each time.
  for (const PlaceInCaller& there : callee.writes) {
    const PlaceInCaller here = in_caller(there, call, layout_);
    if (here.base == nullptr || !is_set_in_loop(here.base)) return true;
  }
  for (const Value* argument : call.args()) {
    if (!argument->getType()->isPointerTy()) continue;
    const std::string base = place_of(argument, layout_).base;
    for (const auto& [other, given] : given_away_) {
      if (other != &call && given == base) return true;
    }
    const Value* object = llvm::getUnderlyingObject(argument, 0);
    if (!has(argument) && callee.kind == CallKind::kAccessor && isa<llvm::AllocaInst>(object) &&
        is_set_in_loop(argument) && callee.writes.empty()) {
      return true;
    }
    // Who is handed what the loop has just put together judges that, and waits for nobody: a comparator.
    if (callee.kind == CallKind::kUnresolved && isa<llvm::AllocaInst>(object) && objects_written_.contains(object)) {
      return true;
    }
  }
  return false;
}

bool Translation::reads_what_is_written(const CallBase& call, const Summary& callee) {
  return llvm::any_of(callee.reads, [&](const PlaceInCaller& there) {
    const PlaceInCaller here = in_caller(there, call, layout_);
    if (here.base == nullptr) return false;
    Place place = place_of(here.base, layout_);
    place.offset += here.offset;
    return llvm::is_contained(written_, location(place));
  });
}

bool Translation::is_set_in_loop(const Value* object) const {
  const Value* base = llvm::getUnderlyingObject(object, 0);
  for (const BasicBlock* block : loop_.blocks) {
    for (const Instruction& instruction : *block) {
      const auto* store = dyn_cast<llvm::StoreInst>(&instruction);
      if (store != nullptr && llvm::getUnderlyingObject(store->getPointerOperand(), 0) == base) return true;
    }
  }
  return false;
}

}  // namespace norn::compiler
