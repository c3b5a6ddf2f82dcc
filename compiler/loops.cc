#include "compiler/loops.h"

#include <map>
#include <memory>

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/TargetParser/Triple.h"
#include "loops/loop.h"
#include "runtime/abi.h"

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

namespace {

// A way round: a header, and all that leads back to it from one of its latches or from several. LLVM makes one loop of
// all that share a header, and its optimiser makes headers one: `for (;;) { while (!flag); …; flag = 0; }` becomes a
// loop that goes round in two ways, of which one waits and the other writes.
struct Cycle {
  BasicBlock* header;
  std::vector<BasicBlock*> blocks;  // the header first
  llvm::SmallPtrSet<const BasicBlock*, 16> members;

  [[nodiscard]] bool contains(const BasicBlock* block) const { return members.contains(block); }
};

// `last`: null, or a block that is in it whatever leads there.
Cycle cycle_of(BasicBlock* header, llvm::ArrayRef<BasicBlock*> latches, BasicBlock* last = nullptr) {
  Cycle cycle = {header, {header}, {}};
  cycle.members.insert(header);
  if (last != nullptr) {
    cycle.members.insert(last);
    cycle.blocks.push_back(last);
  }
  llvm::SmallVector<BasicBlock*, 8> ahead(latches);
  while (!ahead.empty()) {
    BasicBlock* block = ahead.pop_back_val();
    if (!cycle.members.insert(block).second) continue;
    cycle.blocks.push_back(block);
    for (BasicBlock* before : llvm::predecessors(block)) ahead.push_back(before);
  }
  return cycle;
}

// Innermost first.
std::vector<Cycle> cycles_of(const llvm::LoopInfo& loops) {
  std::vector<Cycle> cycles;
  const llvm::SmallVector<llvm::Loop*, 8> all(loops.getLoopsInPreorder());
  for (llvm::Loop* loop : llvm::reverse(all)) {
    llvm::SmallVector<BasicBlock*, 4> latches;
    loop->getLoopLatches(latches);
    std::vector<Cycle> ways;
    const auto add = [&](Cycle way) {
      if (way.blocks.size() < loop->getNumBlocks()) ways.push_back(std::move(way));
    };
    for (size_t i = 0; latches.size() > 1 && i < latches.size(); ++i) add(cycle_of(loop->getHeader(), latches[i]));
    // Several ways may have been led through one block that does nothing but go back.
    for (BasicBlock* latch : latches) {
      const bool empty = latch->getFirstNonPHIOrDbg() == latch->getTerminator() && latch != loop->getHeader();
      if (!empty || latch->getSinglePredecessor() != nullptr) continue;
      for (BasicBlock* before : llvm::predecessors(latch)) add(cycle_of(loop->getHeader(), before, latch));
    }
    llvm::sort(ways, [](const Cycle& a, const Cycle& b) { return a.blocks.size() < b.blocks.size(); });
    for (Cycle& way : ways) cycles.push_back(std::move(way));
    cycles.push_back(cycle_of(loop->getHeader(), latches));
  }
  return cycles;
}

// One reason to take an edge out of a loop.
struct Reason {
  Value* condition = nullptr;  // null: the guard is not of the kind that can be taken apart
  bool when = true;
};

// `a || b`, wherever the optimiser left it in one branch, is two reasons to leave.
void take_apart(Value* condition, bool when, std::vector<Reason>& reasons, unsigned depth = 0) {
  using namespace llvm::PatternMatch;
  constexpr unsigned kDeepest = 6;
  Value* a = nullptr;
  Value* b = nullptr;
  if (depth < kDeepest) {
    if (match(condition, m_Not(m_Value(a)))) return take_apart(a, !when, reasons, depth + 1);
    if (match(condition, m_Freeze(m_Value(a)))) return take_apart(a, when, reasons, depth + 1);
    const bool either = when ? match(condition, m_LogicalOr(m_Value(a), m_Value(b)))
                             : match(condition, m_LogicalAnd(m_Value(a), m_Value(b)));
    if (either) {
      take_apart(a, when, reasons, depth + 1);
      take_apart(b, when, reasons, depth + 1);
      return;
    }
  }
  reasons.push_back({condition, when});
}

std::vector<Reason> reasons_of(const Instruction& terminator, const BasicBlock* to) {
  std::vector<Reason> reasons;
  if (const auto* branch = dyn_cast<llvm::BranchInst>(&terminator); branch != nullptr && branch->isConditional()) {
    take_apart(branch->getCondition(), branch->getSuccessor(0) == to, reasons);
  } else if (const auto* choice = dyn_cast<llvm::SwitchInst>(&terminator)) {
    reasons.push_back({choice->getCondition(), true});
  }
  return reasons;
}

// A block that does nothing but branch on what its predecessors decided: `a && b` without optimisation is
//
//     left:  br %a, right, joint        joint: %c = phi [false, left], [%b, right]
//     right: br joint                          br %c, body, out
//
// Seen from each predecessor, the branch is its own: `left` goes to `out`, and `right` goes by %b.
struct Joint {
  const llvm::PHINode* phi;
  bool inverted;
};

std::optional<Joint> joint_of(const BasicBlock* block, const Cycle& loop) {
  using namespace llvm::PatternMatch;
  const auto* branch = dyn_cast<llvm::BranchInst>(block->getTerminator());
  if (branch == nullptr || !branch->isConditional() || block == loop.header || !loop.contains(block)) return {};
  Value* condition = branch->getCondition();
  bool inverted = false;
  for (Value* inner = nullptr; match(condition, m_Not(m_Value(inner))); condition = inner) inverted = !inverted;
  const auto* phi = dyn_cast<llvm::PHINode>(condition);
  if (phi == nullptr || phi->getParent() != block) return {};
  for (const Instruction& instruction : *block) {
    if (&instruction == phi || &instruction == branch || match(&instruction, m_Not(m_Value()))) continue;
    if (!isa<llvm::DbgInfoIntrinsic>(instruction)) return {};
  }
  for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
    const Instruction* from = phi->getIncomingBlock(i)->getTerminator();
    const bool own = isa<llvm::BranchInst>(from) && from->getNumSuccessors() == 1;
    if (!loop.contains(from->getParent()) || !(own || isa<llvm::ConstantInt>(phi->getIncomingValue(i)))) return {};
  }
  return Joint{phi, inverted};
}

// Where control goes from a block, joints skipped.
struct Way {
  BasicBlock* to;
  BasicBlock* edge;  // the block that the last edge to it starts from
  Value* guard;      // what decides on it
  std::vector<Reason> reasons;
};

std::vector<Way> ways_from(BasicBlock* block, const Cycle& loop) {
  std::vector<Way> ways;
  Instruction* terminator = block->getTerminator();
  Value* guard = nullptr;
  if (auto* branch = dyn_cast<llvm::BranchInst>(terminator); branch != nullptr && branch->isConditional()) {
    guard = branch->getCondition();
  } else if (auto* choice = dyn_cast<llvm::SwitchInst>(terminator)) {
    guard = choice->getCondition();
  }
  llvm::SmallPtrSet<const BasicBlock*, 4> seen;
  for (BasicBlock* next : llvm::successors(block)) {
    if (!seen.insert(next).second) continue;
    const std::optional<Joint> joint = joint_of(next, loop);
    if (!joint) {
      ways.push_back({next, block, guard, reasons_of(*terminator, next)});
      continue;
    }
    Value* decided = joint->phi->getIncomingValueForBlock(block);
    if (const auto* constant = dyn_cast<llvm::ConstantInt>(decided)) {
      const bool first = constant->isOne() != joint->inverted;
      ways.push_back({next->getTerminator()->getSuccessor(first ? 0 : 1), next, guard, reasons_of(*terminator, next)});
      continue;
    }
    for (const unsigned i : {0u, 1u}) {
      Way way = {next->getTerminator()->getSuccessor(i), next, decided, {}};
      take_apart(decided, (i == 0) != joint->inverted, way.reasons);
      ways.push_back(std::move(way));
    }
  }
  return ways;
}

// One of LLVM's loops in the neutral form.
class Translation final {
 public:
  Translation(const LoopView& view, const Cycle& loop, CallSummaries& summaries,
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

  [[nodiscard]] loops::Judgement judge(const BasicBlock* block, const Value* condition) {
    return loops::judge(form(), {numbers_.lookup(block), known(condition)}, scratch_,
                        {in_condition_.get(), values_.size()});
  }

  // Of the last judgement: the instructions that its condition depends on.
  template <class Visit>
  void for_condition(Visit visit) const {
    for (Index i = 0; i < values_.size(); ++i) {
      if (in_condition_[i] && instructions_[i] != nullptr) visit(*instructions_[i], values_[i]);
    }
  }
  [[nodiscard]] bool in_condition(const Instruction& instruction) const {
    const Index index = known(&instruction);
    return index != kNone && in_condition_[index];
  }

  [[nodiscard]] bool calls_unknown() const { return calls_unknown_; }
  // Stores after which the loop is left.
  [[nodiscard]] const std::vector<const llvm::StoreInst*>& left_after() const { return left_after_; }

 private:
  [[nodiscard]] loops::Loop form() const { return {values_, operands_, blocks_, successors_, written_}; }

  [[nodiscard]] Index known(const Value* value) const {
    const auto found = indexes_.find(value);
    return found == indexes_.end() ? kNone : found->second;
  }

  [[nodiscard]] bool has(const Value* value) const {
    const auto* instruction = dyn_cast<Instruction>(value);
    return instruction != nullptr && numbers_.contains(instruction->getParent());
  }

  Index location(const Place& place) {
    return locations_.try_emplace(place.text(), static_cast<Index>(locations_.size())).first->second;
  }

  // Whether the loop is left whenever this block was entered: it is entered for the same reason as an exit that every
  // way round has to pass. (`if (there) take(); …; if (there) break;`, as the optimiser leaves a function inlined.)
  [[nodiscard]] bool leaves_after(const BasicBlock* block) const {
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

  void collect_writes() {
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

  void write(const Value* address) {
    written_.push_back(location(place_of(address, layout_)));
    objects_written_.insert(llvm::getUnderlyingObject(address, 0));
  }

  void collect_writes_of(const CallBase& call) {
    const Summary& callee = summaries_.of(call);
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

  // The memory operand of an atomic that stores the same whatever it finds.
  static const Value* test_and_set_address(const Instruction& instruction) {
    if (const auto* rmw = dyn_cast<llvm::AtomicRMWInst>(&instruction)) return rmw->getPointerOperand();
    return llvm::cast<llvm::AtomicCmpXchgInst>(instruction).getPointerOperand();
  }
  [[nodiscard]] bool is_test_and_set(const Instruction& instruction) const {
    if (const auto* rmw = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      const bool sets = rmw->getOperation() == llvm::AtomicRMWInst::Xchg ||
                        rmw->getOperation() == llvm::AtomicRMWInst::Or ||
                        rmw->getOperation() == llvm::AtomicRMWInst::And;
      return sets && !has(rmw->getValOperand());
    }
    const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
    return exchange != nullptr && !has(exchange->getCompareOperand()) && !has(exchange->getNewValOperand());
  }

  void translate(const BasicBlock& block) {
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

  // The number of a value of the loop; values may be used before they are met.
  Index index_of(const Value* value) {
    if (!has(value)) return kNone;
    const auto [found, fresh] = indexes_.try_emplace(value, static_cast<Index>(values_.size()));
    if (fresh) {
      values_.emplace_back();
      instructions_.push_back(llvm::cast<Instruction>(value));
    }
    return found->second;
  }

  void translate(const Instruction& instruction, Index block) {
    const Index index = index_of(&instruction);
    std::vector<Index> from;
    loops::Value value = kind_of(instruction, from);
    value.block = block;
    value.first_operand = static_cast<Index>(operands_.size());
    value.operand_count = static_cast<Index>(from.size());
    operands_.insert(operands_.end(), from.begin(), from.end());
    values_[index] = value;
  }

  void depend_on(const Value* value, std::vector<Index>& from) {
    if (const Index index = index_of(value); index != kNone) from.push_back(index);
  }

  loops::Value kind_of(const Instruction& instruction, std::vector<Index>& from) {
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

  // What comes round in different ways matters even where it is a constant: which of them tells the way.
  void merge(const llvm::PHINode& phi, std::vector<Index>& from) {
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

  // A select in which the deciding value is of the outside still copies; the judge expects the decision first.
  void select_operands(const llvm::SelectInst& select, loops::Value& value, std::vector<Index>& from) {
    if (has(select.getCondition())) {
      value.kind = Kind::kSelect;
      depend_on(select.getCondition(), from);
    } else {
      value.kind = Kind::kMerge;  // never in the header's place: of the block itself
    }
    depend_on(select.getTrueValue(), from);
    depend_on(select.getFalseValue(), from);
  }

  loops::Value read(const llvm::LoadInst& load, std::vector<Index>& from) {
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
    return value;
  }

  loops::Value read(const Value* address, std::vector<Index>& from) {
    loops::Value value;
    depend_on(address, from);
    value.kind = is_own_memory(address) ? Kind::kChange : Kind::kRead;
    value.location = location(place_of(address, layout_));
    return value;
  }

  // A call that does something only when it says so, and the loop is left then: as long as the loop goes on, it reads.
  [[nodiscard]] bool is_poll(const CallBase& call, const Summary& callee) const {
    if (callee.kind != CallKind::kEffects || !callee.quiet || callee.quiet->getBitWidth() != width(call)) return false;
    return leaves(call, *callee.quiet) == false &&
           llvm::all_of(callee.loud, [&](const llvm::APInt& loud) { return leaves(call, loud) == true; });
  }

  static unsigned width(const CallBase& call) {
    return call.getType()->isIntegerTy() ? call.getType()->getIntegerBitWidth() : 0;
  }

  // Whether the loop is left if the call returns this; nothing if more than that decides.
  [[nodiscard]] std::optional<bool> leaves(const CallBase& call, const llvm::APInt& result) const {
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

  loops::Value result(const CallBase& call, std::vector<Index>& from) {
    if (const std::optional<unsigned> operand = loaded_by_assembly(call)) {
      return read(call.getArgOperand(*operand), from);
    }
    loops::Value value;
    const Summary& callee = summaries_.of(call);
    for (const Value* argument : call.args()) depend_on(argument, from);
    if (is_poll(call, callee)) {
      value.kind = Kind::kAccessor;
      if (reads_what_is_written(call, callee)) value.location = something_written();
      return value;
    }
    switch (callee.kind) {
      case CallKind::kPure:
        break;
      case CallKind::kTryLock:
        value.kind = Kind::kTryLock;
        break;
      case CallKind::kWait:
        value.kind = Kind::kWait;
        break;
      case CallKind::kAccessor:
        value.kind = Kind::kAccessor;
        if (may_change_between(call, callee)) value.location = something_written();
        break;
      case CallKind::kUnresolved: {
        llvm::LibFunc known;
        const llvm::Function* function = call.getCalledFunction();
        const bool of_library = function != nullptr && library_.getLibFunc(*function, known);
        value.kind = of_library ? Kind::kChange : Kind::kUnresolved;
        if (may_change_between(call, callee)) value.location = something_written();
        depend_on(call.getCalledOperand(), from);
        break;
      }
      default:
        value.kind = callee.waits ? Kind::kWait : Kind::kChange;
        break;
    }
    return value;
  }

  // A place that stands for what a call reads and the loop may write.
  Index something_written() {
    const Index place = location({"?", 0});
    if (!llvm::is_contained(written_, place)) written_.push_back(place);
    return place;
  }

  // Whether the loop may change what the call looks at: it writes a place that the call reads, or hands the same object
  // to somebody of whom nothing is known.
  [[nodiscard]] bool may_change_between(const CallBase& call, const Summary& callee) {
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
      if (!has(argument) && callee.kind == CallKind::kAccessor &&
          isa<llvm::AllocaInst>(llvm::getUnderlyingObject(argument, 0)) && is_set_in_loop(argument) &&
          callee.writes.empty()) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool reads_what_is_written(const CallBase& call, const Summary& callee) {
    return llvm::any_of(callee.reads, [&](const PlaceInCaller& there) {
      const PlaceInCaller here = in_caller(there, call, layout_);
      if (here.base == nullptr) return false;
      Place place = place_of(here.base, layout_);
      place.offset += here.offset;
      return llvm::is_contained(written_, location(place));
    });
  }

  [[nodiscard]] bool is_set_in_loop(const Value* object) const {
    const Value* base = llvm::getUnderlyingObject(object, 0);
    for (const BasicBlock* block : loop_.blocks) {
      for (const Instruction& instruction : *block) {
        const auto* store = dyn_cast<llvm::StoreInst>(&instruction);
        if (store != nullptr && llvm::getUnderlyingObject(store->getPointerOperand(), 0) == base) return true;
      }
    }
    return false;
  }

  const Cycle& loop_;
  const llvm::DominatorTree& dominators_;
  const llvm::DataLayout& layout_;
  CallSummaries& summaries_;
  const llvm::TargetLibraryInfoImpl& library_;
  std::vector<const llvm::StoreInst*> left_after_;
  llvm::DenseMap<const BasicBlock*, Index> numbers_;
  llvm::DenseMap<const Value*, Index> indexes_;
  std::map<std::string, Index> locations_;
  llvm::DenseSet<const Value*> objects_written_;
  std::vector<std::pair<const CallBase*, std::string>> given_away_;
  bool calls_unknown_ = false;  // something is called that may write anything
  std::vector<loops::Value> values_;
  std::vector<const Instruction*> instructions_;
  std::vector<Index> operands_;
  std::vector<loops::Block> blocks_;
  std::vector<Index> successors_;
  std::vector<Index> written_;
  std::vector<uint32_t> scratch_;
  std::unique_ptr<bool[]> in_condition_;
};

class Search final {
 public:
  Search(llvm::Function& function, CallSummaries& summaries, llvm::DenseSet<const llvm::Function*>& asked)
      : view_(function),
        layout_(function.getParent()->getDataLayout()),
        summaries_(summaries),
        asked_(asked),
        library_(llvm::Triple(function.getParent()->getTargetTriple())) {}

  LoopPlan run() {
    const std::vector<Cycle> cycles = cycles_of(view_.loops());
    for (const Cycle& cycle : cycles) {
      for (const BasicBlock* block : cycle.blocks) innermost_.try_emplace(block, &cycle);
    }
    // Innermost first: an edge out of several loops ends the waiting of the innermost that waits.
    for (const Cycle& cycle : cycles) visit(cycle);
    for (BasicBlock& block : view_.function()) {
      for (Instruction& instruction : block) {
        if (auto* call = dyn_cast<CallBase>(&instruction); call != nullptr && CallSummaries::is_wait(*call)) {
          decide_on_waiting(*call);
        }
      }
    }
    return std::move(plan_);
  }

 private:
  struct WaitCall {
    const CallBase* call;
    PlaceInCaller condition;  // in the callee's words
  };
  struct JudgedExit {
    BasicBlock* from;
    BasicBlock* to;
    Reason reason;
    loops::Judgement judgement;
    bool in_parts;        // there are other reasons for the same edge
    BasicBlock* decided;  // where it is evaluated: `from`, or what leads to that joint
  };

  void visit(const Cycle& loop) {
    Translation translation(view_, loop, summaries_, library_);
    const std::vector<WaitCall> waits = waits_of(loop);
    std::vector<JudgedExit> exits;
    for (BasicBlock* block : loop.blocks) {
      if (joint_of(block, loop)) continue;
      for (const Way& way : ways_from(block, loop)) {
        if (loop.contains(way.to)) continue;
        for (const Reason& reason : way.reasons) {
          const loops::Judgement judgement = translation.judge(block, reason.condition);
          exits.push_back({way.edge, way.to, reason, judgement, way.reasons.size() > 1, block});
          if (judgement.verdict != loops::Verdict::kSpins) continue;
          // Calls that are not seen hardly write the flag they are to wait for, but an array that a loop goes over is
          // most likely what they work on.
          if (translation.calls_unknown() && sweeps(loop, translation)) {
            exits.back().judgement.verdict = loops::Verdict::kWritten;
          } else if (!ended_.contains({block, way.to})) {
            spin(loop, exits.back(), translation, !waits.empty());
          }
        }
      }
    }
    for (const JudgedExit& exit : exits) {
      if (exit.judgement.verdict == loops::Verdict::kSpins) ended_.insert({exit.decided, exit.to});
    }
    if (!waits.empty()) wait(loop, exits, waits, translation);
  }

  // Whether the condition that was judged last goes over memory: in a loop of its own, or what the optimiser made of
  // one, which is vectors, or reads of several elements of an array.
  bool sweeps(const Cycle& loop, const Translation& translation) const {
    bool found = false;
    llvm::DenseMap<const Value*, unsigned> elements;
    translation.for_condition([&](const Instruction& instruction, const loops::Value& value) {
      if (value.kind != Kind::kRead) return;
      found |= innermost_.lookup(instruction.getParent()) != &loop || instruction.getType()->isVectorTy();
      const Value* address = llvm::getPointerOperand(&instruction);
      const Value* object = address == nullptr ? nullptr : llvm::getUnderlyingObject(address, 0);
      const auto* variable = llvm::dyn_cast_or_null<llvm::GlobalVariable>(object);
      const bool is_array = variable != nullptr && variable->getValueType()->isArrayTy();
      if (is_array) found |= ++elements[object] > 1;
    });
    return found;
  }

  // --- spins -------------------------------------------------------------------------------------------------------

  void spin(const Cycle& loop, const JudgedExit& exit, const Translation& translation, bool waits) {
    WaitingLoop& entry = plan_.loops.emplace_back();
    entry.kind = NORN_LOOP_SPIN | (waits ? NORN_LOOP_WAIT : 0u);
    entry.blocks = exit.judgement.blocks;
    entry.at = view_.original(exit.decided->getTerminator());

    llvm::DenseSet<const Instruction*> to_callees;
    translation.for_condition([&](const Instruction& instruction, const loops::Value& value) {
      if (value.kind == Kind::kUnresolved) collect_callee(llvm::cast<CallBase>(instruction), to_callees);
    });
    std::vector<const Instruction*> parts;
    translation.for_condition([&](const Instruction& instruction, const loops::Value& value) {
      if (to_callees.contains(&instruction)) return;
      if (tell(instruction, value.kind, entry, loop)) parts.push_back(&instruction);
    });
    leave(exit, entry);
    note_increments(parts, translation);
    entry.graph = graph(loop, exit, translation);
    tell_copies(loop, exit, entry, parts);
  }

  void note_increments(const std::vector<const Instruction*>& parts, const Translation& translation) {
    for (const llvm::StoreInst* store : translation.left_after()) {
      const std::string place = place_of(store->getPointerOperand(), layout_).text();
      for (const Instruction* part : parts) {
        const auto* load = dyn_cast<llvm::LoadInst>(part);
        if (load != nullptr && place_of(load->getPointerOperand(), layout_).text() == place) {
          plan_.increments.insert(view_.original(store));
        }
      }
    }
  }

  // How the value of a call's callee is found is no part of what the call says.
  void collect_callee(const CallBase& call, llvm::DenseSet<const Instruction*>& found) {
    const auto* step = dyn_cast<Instruction>(call.getCalledOperand());
    while (step != nullptr && isa<llvm::LoadInst, llvm::GetElementPtrInst, llvm::CastInst>(step) &&
           found.insert(step).second) {
      step = dyn_cast<Instruction>(step->getOperand(0));
      // The object's own address may be read for other reasons too.
      if (step != nullptr && isa<llvm::LoadInst>(step) && !step->hasOneUse()) break;
    }
  }

  // A variable whose address is known before the program runs: who writes it can be told from the beginning.
  void add_flag(const PlaceInCaller& place, uint64_t size, WaitingLoop& entry) {
    auto* variable = llvm::dyn_cast_or_null<llvm::GlobalVariable>(const_cast<Value*>(place.base));
    if (variable == nullptr || variable->isThreadLocal() || variable->hasExternalWeakLinkage()) return;
    llvm::Type* byte = llvm::Type::getInt8Ty(variable->getContext());
    llvm::Type* number = llvm::Type::getInt64Ty(variable->getContext());
    auto* offset = llvm::ConstantInt::getSigned(number, place.offset);
    const WaitingLoop::Flag flag = {
        place.offset == 0 ? variable : llvm::ConstantExpr::getGetElementPtr(byte, variable, offset), size};
    if (!llvm::is_contained(entry.flags, flag)) entry.flags.push_back(flag);
  }

  void add_flag(const Value* address, llvm::Type* type, WaitingLoop& entry) {
    llvm::APInt offset(layout_.getIndexTypeSizeInBits(address->getType()), 0);
    const Value* base = address->stripAndAccumulateConstantOffsets(layout_, offset, true);
    add_flag({base, offset.getSExtValue()}, layout_.getTypeStoreSize(type), entry);
  }

  // A plain load, or one written in assembly.
  void tell_read(Instruction* load, bool sweeps, WaitingLoop& entry) {
    plan_.reads.push_back({load, &entry, sweeps});
    plan_.told.insert(load);
    if (const auto* plain = dyn_cast<llvm::LoadInst>(load)) {
      add_flag(plain->getPointerOperand(), plain->getType(), entry);
    } else {
      const auto& assembly = llvm::cast<CallBase>(*load);
      const unsigned operand = *loaded_by_assembly(assembly);
      add_flag(assembly.getArgOperand(operand), assembly.getParamElementType(operand), entry);
    }
  }

  bool tell(const Instruction& seen, Kind kind, WaitingLoop& entry, const Cycle& loop) {
    Instruction* instruction = view_.original(&seen);
    if (instruction == nullptr) return false;
    switch (kind) {
      case Kind::kRead: {
        if (instruction->isAtomic()) {
          plan_.evaluations.push_back({instruction, &entry});
        } else {
          tell_read(instruction, innermost_.lookup(seen.getParent()) != &loop, entry);
        }
        return true;
      }
      case Kind::kAccessor:
        if (const llvm::Function* callee = llvm::cast<CallBase>(instruction)->getCalledFunction()) {
          const Summary& summary = summaries_.of(*llvm::cast<CallBase>(instruction));
          entry.blocks += summary.blocks;
          asked_.insert(callee);
          // Of how many bytes is not known there; the first is enough to know its writers by.
          for (const PlaceInCaller& there : summary.reads)
            add_flag(in_caller(there, *llvm::cast<CallBase>(instruction), layout_), 1, entry);
        }
        plan_.evaluations.push_back({instruction, &entry});
        return true;
      case Kind::kUnresolved:
      case Kind::kTestAndSet:
      case Kind::kTryLock:
        plan_.evaluations.push_back({instruction, &entry});
        return true;
      default:
        return false;
    }
  }

  void leave(const JudgedExit& exit, WaitingLoop& entry, const WaitCall* wait = nullptr) {
    LoopPlan::Leave leave = {
        view_.original(exit.from), view_.original(exit.to), &entry, nullptr, true, nullptr, nullptr, {}};
    if (exit.decided != exit.from) leave.via = view_.original(exit.decided);
    if (exit.in_parts) {
      auto* condition = dyn_cast<Instruction>(exit.reason.condition);
      leave.reason = condition == nullptr ? nullptr : view_.original(condition);
      leave.when = exit.reason.when;
    }
    if (wait != nullptr) {
      leave.wait = llvm::cast_or_null<CallBase>(view_.original(wait->call));
      leave.condition = wait->condition;
    }
    plan_.leaves.push_back(leave);
  }

  // A first test that stands before the loop, copied there by the optimiser (rotation, peeling) or written there
  // (`if (!flag) do … while (!flag)`): an edge from there past the loop is an exit like its model.
  void tell_copies(const Cycle& loop, const JudgedExit& exit, WaitingLoop& entry,
                   const std::vector<const Instruction*>& parts) {
    const std::vector<CopiedExit> copies = copies_of(loop, exit, parts);
    llvm::DenseSet<const Instruction*> told;
    bool by_position = false;
    for (const CopiedExit& copy : copies) {
      leave({copy.block, copy.out, copy.reason, exit.judgement, copy.in_parts, copy.block}, entry);
      for (const Instruction* read : copy.reads) {
        if (told.insert(read).second) tell_copy(*read, entry);
      }
      by_position |= copy.reads.empty();
    }
    if (!by_position) return;
    for (const Instruction* part : parts) {
      if (!known_position(*part)) continue;
      for (BasicBlock& block : view_.function()) {
        if (loop.contains(&block)) continue;
        for (Instruction& instruction : block) {
          if (is_copy(instruction, *part) && told.insert(&instruction).second) tell_copy(instruction, entry);
        }
      }
    }
  }

  void tell_copy(const Instruction& seen, WaitingLoop& entry) {
    Instruction* instruction = view_.original(&seen);
    if (instruction == nullptr) return;
    const auto* call = dyn_cast<CallBase>(instruction);
    const bool loads = isa<llvm::LoadInst>(instruction) || (call != nullptr && loaded_by_assembly(*call));
    if (loads && !instruction->isAtomic()) {
      tell_read(instruction, false, entry);
    } else {
      plan_.evaluations.push_back({instruction, &entry});
    }
  }

  static bool known_position(const Instruction& instruction) {
    return instruction.getDebugLoc() && instruction.getDebugLoc().getLine() != 0;
  }

  bool is_copy(const Instruction& instruction, const Instruction& model) const {
    if (instruction.getOpcode() != model.getOpcode() || instruction.getDebugLoc() != model.getDebugLoc()) return false;
    if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
      return load->getType() == model.getType() && load->isAtomic() == model.isAtomic();
    }
    if (const auto* call = dyn_cast<CallBase>(&instruction)) {
      return call->getCalledFunction() == llvm::cast<CallBase>(model).getCalledFunction();
    }
    return true;
  }

  struct CopiedExit {
    BasicBlock* block;
    BasicBlock* out;
    Reason reason;
    bool in_parts;
    std::vector<const Instruction*> reads;  // empty: known by their positions
  };
  std::vector<CopiedExit> copies_of(const Cycle& loop, const JudgedExit& exit,
                                    const std::vector<const Instruction*>& parts) {
    std::vector<CopiedExit> copies;
    const Instruction* model = exit.decided->getTerminator();
    const auto* condition = dyn_cast<Instruction>(exit.reason.condition);
    for (BasicBlock& block : view_.function()) {
      if (loop.contains(&block)) continue;
      Instruction* terminator = block.getTerminator();
      if (terminator->getOpcode() != model->getOpcode() || terminator->getNumSuccessors() != 2) continue;
      BasicBlock* out = way_past(block, loop);
      if (out == nullptr) continue;
      const std::vector<Reason> reasons = reasons_of(*terminator, out);
      for (const Reason& reason : reasons) {
        const auto* other = dyn_cast<Instruction>(reason.condition);
        const bool same_branch = known_position(*terminator) && terminator->getDebugLoc() == model->getDebugLoc();
        const bool same_condition = other != nullptr && condition != nullptr && known_position(*other) &&
                                    other->getDebugLoc() == condition->getDebugLoc() &&
                                    other->getOpcode() == condition->getOpcode();
        if (reasons.size() == 1 ? same_branch || same_condition : same_condition) {
          copies.push_back({&block, out, reason, reasons.size() > 1, {}});
        } else if (meet(out, exit.to)) {
          std::vector<const Instruction*> reads;
          find_same_reads(reason.condition, block, parts, reads);
          if (!reads.empty()) copies.push_back({&block, out, reason, reasons.size() > 1, std::move(reads)});
        }
      }
    }
    return copies;
  }

  // Whether both ways lead to one place before anything is decided.
  static bool meet(BasicBlock* a, BasicBlock* b) {
    constexpr unsigned kFarthest = 4;
    llvm::SmallPtrSet<const BasicBlock*, 4> passed;
    for (unsigned i = 0; a != nullptr && i < kFarthest; ++i, a = a->getSingleSuccessor()) passed.insert(a);
    for (unsigned i = 0; b != nullptr && i < kFarthest; ++i, b = b->getSingleSuccessor()) {
      if (passed.contains(b)) return true;
    }
    return false;
  }

  // The reads in `block` that a condition is made of, if they are of places that the exit's condition reads.
  void find_same_reads(const Value* condition, const BasicBlock& block, const std::vector<const Instruction*>& parts,
                       std::vector<const Instruction*>& reads, unsigned depth = 0) const {
    constexpr unsigned kDeepest = 4;
    const auto* instruction = dyn_cast<Instruction>(condition);
    if (instruction == nullptr || instruction->getParent() != &block || depth == kDeepest) return;
    if (const auto* load = dyn_cast<llvm::LoadInst>(instruction)) {
      const std::string place = place_of(load->getPointerOperand(), layout_).text();
      for (const Instruction* part : parts) {
        const auto* model = dyn_cast<llvm::LoadInst>(part);
        if (model != nullptr && place_of(model->getPointerOperand(), layout_).text() == place) {
          reads.push_back(load);
          return;
        }
      }
      return;
    }
    if (isa<llvm::CmpInst, llvm::CastInst, llvm::BinaryOperator, llvm::FreezeInst>(instruction)) {
      for (const Value* operand : instruction->operands()) find_same_reads(operand, block, parts, reads, depth + 1);
    }
  }

  // Where control goes from a branch before the loop if not into it; null if it does not lead there.
  BasicBlock* way_past(BasicBlock& block, const Cycle& loop) {
    BasicBlock* a = block.getTerminator()->getSuccessor(0);
    BasicBlock* b = block.getTerminator()->getSuccessor(1);
    const bool a_in = leads_into(a, &block, loop);
    const bool b_in = leads_into(b, &block, loop);
    if (a_in == b_in) return nullptr;
    return a_in ? b : a;
  }

  static bool leads_into(BasicBlock* from, const BasicBlock* origin, const Cycle& loop) {
    constexpr unsigned kFarthest = 8;
    llvm::SmallPtrSet<const BasicBlock*, 8> exits;
    for (const BasicBlock* block : loop.blocks) {
      for (const BasicBlock* next : llvm::successors(block)) {
        if (!loop.contains(next)) exits.insert(next);
      }
    }
    llvm::SmallVector<BasicBlock*, 8> ahead = {from};
    llvm::SmallPtrSet<const BasicBlock*, 8> seen = {origin};
    while (!ahead.empty() && seen.size() < kFarthest) {
      BasicBlock* block = ahead.pop_back_val();
      if (block == loop.header) return true;
      if (exits.contains(block) || !seen.insert(block).second) continue;
      for (BasicBlock* next : llvm::successors(block)) ahead.push_back(next);
    }
    return false;
  }

  // --- waits -------------------------------------------------------------------------------------------------------

  // The waits that this loop is for: in its own blocks, or in those of a loop inside that nothing but conditions
  // surround (listing 6.5). A loop that takes or gives up locks around an inner one does more than wait.
  std::vector<WaitCall> waits_of(const Cycle& loop) {
    std::vector<WaitCall> found;
    bool locks = false;
    bool only_inside = true;
    for (const BasicBlock* block : loop.blocks) {
      const bool own = innermost_.lookup(block) == &loop;
      for (const Instruction& instruction : *block) {
        const auto* call = dyn_cast<CallBase>(&instruction);
        if (call == nullptr) continue;
        const Summary& callee = summaries_.of(*call);
        if (own && !callee.waits) {
          locks |= callee.kind == CallKind::kLock || callee.kind == CallKind::kUnlock ||
                   callee.kind == CallKind::kTryLock || callee.kind == CallKind::kEffects ||
                   (callee.kind == CallKind::kUnresolved && call->getType()->isVoidTy());
        }
        if (!callee.waits) continue;
        only_inside &= !own;
        found.push_back({call, callee.condition});
      }
    }
    if (only_inside && locks) found.clear();
    return found;
  }

  void wait(const Cycle& loop, const std::vector<JudgedExit>& exits, const std::vector<WaitCall>& waits,
            Translation& translation) {
    std::vector<const JudgedExit*> left;
    for (const JudgedExit& exit : exits) {
      if (exit.judgement.reads_memory && exit.judgement.verdict != loops::Verdict::kTimesOut) left.push_back(&exit);
    }
    // Without a condition in memory nobody says that the wait is over: each wait speaks for itself (figure 6.7).
    if (left.empty()) return;
    WaitingLoop& entry = plan_.loops.emplace_back();
    entry.kind = NORN_LOOP_WAIT;
    entry.blocks = static_cast<unsigned>(loop.blocks.size());
    entry.at = view_.original(left.front()->decided->getTerminator());
    for (const WaitCall& wait_call : waits) {
      auto* call = llvm::cast_or_null<CallBase>(view_.original(wait_call.call));
      if (call == nullptr) continue;
      if (waiting_.insert(call).second) {
        plan_.waits.push_back({call, &entry, only_condition_follows(*wait_call.call, loop, exits, translation)});
      }
    }
    for (const JudgedExit* exit : left) {
      leave(*exit, entry, &waits.front());
      (void)translation.judge(exit->decided, exit->reason.condition);
      std::vector<const Instruction*> parts;
      translation.for_condition(
          [&](const Instruction& instruction, const loops::Value&) { parts.push_back(&instruction); });
      for (const CopiedExit& copy : copies_of(loop, *exit, parts)) {
        leave({copy.block, copy.out, copy.reason, exit->judgement, copy.in_parts, copy.block}, entry, &waits.front());
      }
    }
    (void)translation.judge(left.front()->decided, left.front()->reason.condition);
    entry.graph = graph(loop, *left.front(), translation);
  }

  // Whether the thread goes from the wait to the condition without doing anything on the way that others could see.
  bool only_condition_follows(const CallBase& wait, const Cycle& loop, const std::vector<JudgedExit>& exits,
                              Translation& translation) {
    llvm::DenseSet<const Instruction*> condition;
    for (const JudgedExit& exit : exits) {
      (void)translation.judge(exit.decided, exit.reason.condition);
      translation.for_condition(
          [&](const Instruction& instruction, const loops::Value&) { condition.insert(&instruction); });
    }
    const auto harmless = [&](const Instruction& instruction) {
      if (condition.contains(&instruction)) return true;
      if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) return is_own_memory(store->getPointerOperand());
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (call == nullptr) return !instruction.mayWriteToMemory();
      const Summary& callee = summaries_.of(*call);
      return callee.waits || (callee.kind != CallKind::kEffects && callee.kind != CallKind::kUnresolved);
    };
    llvm::SmallVector<const BasicBlock*, 8> ahead;
    llvm::SmallPtrSet<const BasicBlock*, 8> seen;
    const auto go_on = [&](const BasicBlock* block) {
      for (const BasicBlock* next : llvm::successors(block)) {
        if (loop.contains(next) && next != loop.header && seen.insert(next).second) ahead.push_back(next);
      }
    };
    for (const Instruction* next = wait.getNextNode(); next != nullptr; next = next->getNextNode()) {
      if (!harmless(*next)) return false;
    }
    go_on(wait.getParent());
    while (!ahead.empty()) {
      const BasicBlock* block = ahead.pop_back_val();
      if (block == wait.getParent()) continue;
      for (const Instruction& instruction : *block) {
        if (!harmless(instruction)) return false;
      }
      go_on(block);
    }
    return true;
  }

  // --- decisions to wait -------------------------------------------------------------------------------------------

  // `if (!ready) wait` without a loop, and `if (++count == n) broadcast; else while (…) wait`: who does not wait
  // because of what he read goes on because of who wrote it, as if he had left a loop.
  void decide_on_waiting(CallBase& wait) {
    BasicBlock* decided = wait.getParent();
    BasicBlock* way = decided;
    if (calls_before(wait)) return;
    // The outermost loop that the wait is in and that nothing but conditions is in before it.
    const Cycle* loop = innermost_.lookup(decided);
    if (loop != nullptr && view_.original(wait.getParent()) != nullptr && waits_in(*loop)) way = loop->header;
    constexpr unsigned kFarthest = 4;
    for (unsigned i = 0; i < kFarthest; ++i) {
      decided = only_way_to(way, loop);
      if (decided == nullptr) return;
      if (decided->getTerminator()->getNumSuccessors() > 1) break;
      if (calls_anything(*decided)) return;
      way = decided;
    }
    const auto* branch = dyn_cast<llvm::BranchInst>(decided->getTerminator());
    if (branch == nullptr || !branch->isConditional()) return;
    BasicBlock* out = branch->getSuccessor(branch->getSuccessor(0) == way ? 1 : 0);
    std::vector<const Instruction*> reads;
    if (out == way || !collect_reads(branch->getCondition(), *decided, reads, 0) || reads.empty()) return;
    WaitingLoop& entry = plan_.loops.emplace_back();
    entry.kind = NORN_LOOP_SPIN | NORN_LOOP_WAIT;
    entry.blocks = 1;
    entry.at = view_.original(decided->getTerminator());
    for (const Instruction* read : reads) tell_copy(*read, entry);
    const JudgedExit exit = {decided, out,   {branch->getCondition(), branch->getSuccessor(0) == out},
                             {},      false, decided};
    leave(exit, entry);
  }

  [[nodiscard]] bool waits_in(const Cycle& loop) const {
    return llvm::any_of(loop.blocks, [&](const BasicBlock* block) {
      return llvm::any_of(*block, [&](const Instruction& instruction) {
        const auto* call = llvm::dyn_cast_or_null<CallBase>(view_.original(&instruction));
        return call != nullptr && waiting_.contains(call);
      });
    });
  }

  [[nodiscard]] static bool is_call(const Instruction& instruction) {
    return isa<CallBase>(instruction) && !isa<llvm::IntrinsicInst>(instruction);
  }
  [[nodiscard]] static bool calls_anything(const BasicBlock& block) { return llvm::any_of(block, is_call); }
  [[nodiscard]] static bool calls_before(const CallBase& wait) {
    for (const Instruction& instruction : *wait.getParent()) {
      if (&instruction == &wait) return false;
      if (is_call(instruction)) return true;
    }
    return false;
  }

  // The block that control comes from, if there is only one (outside the loop).
  static BasicBlock* only_way_to(BasicBlock* block, const Cycle* loop) {
    BasicBlock* found = nullptr;
    for (BasicBlock* before : llvm::predecessors(block)) {
      if (loop != nullptr && block == loop->header && loop->contains(before)) continue;
      if (found != nullptr && found != before) return nullptr;
      found = before;
    }
    return found;
  }

  // The reads of shared memory, in this block, that a condition is made of. False: it is made of other things too.
  static bool collect_reads(const Value* condition, const BasicBlock& block, std::vector<const Instruction*>& reads,
                            unsigned depth) {
    constexpr unsigned kDeepest = 6;
    const auto* instruction = dyn_cast<Instruction>(condition);
    if (instruction == nullptr) return true;
    if (depth == kDeepest || instruction->getParent() != &block) return false;
    if (const auto* load = dyn_cast<llvm::LoadInst>(instruction)) {
      if (!is_own_memory(load->getPointerOperand())) reads.push_back(load);
      return true;
    }
    if (!isa<llvm::CmpInst, llvm::CastInst, llvm::BinaryOperator, llvm::FreezeInst>(instruction)) return false;
    return llvm::all_of(instruction->operands(),
                        [&](const Value* operand) { return collect_reads(operand, block, reads, depth + 1); });
  }

  // --- pictures ----------------------------------------------------------------------------------------------------

  // The loop's blocks by their lines; '%' stands for the loop's number.
  std::string graph(const Cycle& loop, const JudgedExit& exit, const Translation& translation) const {
    llvm::DenseMap<const BasicBlock*, unsigned> numbers;
    for (const BasicBlock* block : loop.blocks) {
      const auto number = static_cast<unsigned>(numbers.size());
      numbers[block] = number;
    }
    std::string text;
    for (const BasicBlock* block : loop.blocks) {
      unsigned first = 0;
      unsigned last = 0;
      bool condition = false;
      for (const Instruction& instruction : *block) {
        condition |= translation.in_condition(instruction);
        const unsigned line = instruction.getDebugLoc() ? instruction.getDebugLoc().getLine() : 0;
        if (line == 0) continue;
        first = first == 0 || line < first ? line : first;
        last = line > last ? line : last;
      }
      const std::string node = "n%_" + std::to_string(numbers[block]);
      std::string label = first == 0 ? "" : "line " + std::to_string(first);
      if (last != first) label += " to " + std::to_string(last);
      text += "    " + node + " [label=\"" + label + "\"" + (condition ? ", style=filled" : "") + "];\n";
      for (const BasicBlock* next : llvm::successors(block)) {
        const auto inside = numbers.find(next);
        if (inside != numbers.end()) {
          text += "    " + node + " -> n%_" + std::to_string(inside->second) + ";\n";
        } else if (block == exit.from && next == exit.to) {
          text += "    " + node + " -> left%;\n";
        }
      }
    }
    return text;
  }

  LoopView view_;
  const llvm::DataLayout& layout_;
  CallSummaries& summaries_;
  llvm::DenseSet<const llvm::Function*>& asked_;
  llvm::TargetLibraryInfoImpl library_;
  llvm::DenseSet<std::pair<const BasicBlock*, const BasicBlock*>> ended_;
  llvm::DenseSet<const CallBase*> waiting_;
  llvm::DenseMap<const BasicBlock*, const Cycle*> innermost_;
  LoopPlan plan_;
};

}  // namespace

static bool waits_itself(const llvm::Function& function) {
  return llvm::any_of(function, [](const BasicBlock& block) {
    return llvm::any_of(block, [](const Instruction& instruction) {
      const auto* call = dyn_cast<CallBase>(&instruction);
      return call != nullptr && CallSummaries::is_wait(*call);
    });
  });
}

LoopPlan LoopFinder::find(llvm::Function& function) {
  // Without a way back there is no loop, and most functions have none. A wait may stand alone.
  const llvm::DominatorTree dominators(function);
  if (llvm::LoopInfo(dominators).empty() && !waits_itself(function)) return {};
  return Search(function, summaries_, asked_).run();
}

llvm::DenseSet<const llvm::Function*> LoopFinder::asked_by_conditions(const std::vector<llvm::Function*>& functions) {
  constexpr unsigned kMostBlocks = 7;
  std::vector<const llvm::Function*> ahead(asked_.begin(), asked_.end());
  for (llvm::Function* function : functions) {
    if (function->hasLocalLinkage() && !function->hasAddressTaken()) continue;
    if (function->size() > kMostBlocks || asked_.contains(function)) continue;
    if (summaries_.of(*function).kind == CallKind::kAccessor) ahead.push_back(function);
  }
  llvm::DenseSet<const llvm::Function*> all;
  while (!ahead.empty()) {
    const llvm::Function* function = ahead.back();
    ahead.pop_back();
    if (!all.insert(function).second) continue;
    for (const llvm::BasicBlock& block : *function) {
      for (const Instruction& instruction : block) {
        const auto* call = dyn_cast<CallBase>(&instruction);
        const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
        if (callee != nullptr && !callee->isDeclaration()) ahead.push_back(callee);
      }
    }
  }
  return all;
}

}  // namespace norn::compiler
