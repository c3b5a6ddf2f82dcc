#include "compiler/loops/loop_calls.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace norn::compiler {

using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

// --- the view ------------------------------------------------------------------------------------------------------

LoopView::LoopView(llvm::Function& function) : seen_(&function) {
  const auto promotable = [](llvm::Function& in) {
    std::vector<llvm::AllocaInst*> found;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(in.getEntryBlock())) {
      auto* local = dyn_cast<llvm::AllocaInst>(&instruction);
      if (local != nullptr && llvm::isAllocaPromotable(local)) found.push_back(local);
    }
    return found;
  };
  if (!promotable(function).empty() && !function.hasFnAttribute(llvm::Attribute::PresplitCoroutine)) {
    llvm::ValueToValueMapTy copies;
    seen_ = llvm::CloneFunction(&function, copies);
    is_copy_ = true;
    for (llvm::BasicBlock& block : function) {
      originals_[copies[&block]] = &block;
      for (llvm::Instruction& instruction : block) {
        if (Value* copy = copies.lookup(&instruction)) originals_[copy] = &instruction;
      }
    }
    llvm::DominatorTree dominators(*seen_);
    llvm::PromoteMemToReg(promotable(*seen_), dominators);
  }
  dominators_ = std::make_unique<llvm::DominatorTree>(*seen_);
  loops_ = std::make_unique<llvm::LoopInfo>(*dominators_);
}

LoopView::~LoopView() {
  loops_.reset();
  dominators_.reset();
  if (is_copy_) seen_->eraseFromParent();
}

llvm::Instruction* LoopView::original(const llvm::Instruction* seen) const {
  if (!is_copy_) return const_cast<llvm::Instruction*>(seen);
  return llvm::cast_or_null<llvm::Instruction>(originals_.lookup(seen));
}

llvm::BasicBlock* LoopView::original(const llvm::BasicBlock* seen) const {
  if (!is_copy_) return const_cast<llvm::BasicBlock*>(seen);
  return llvm::cast_or_null<llvm::BasicBlock>(originals_.lookup(seen));
}

// --- places --------------------------------------------------------------------------------------------------------

namespace {

constexpr unsigned kDeepest = 8;  // words of a place; beyond it a value stands for itself

std::string name_of(const Value* value) { return std::to_string(reinterpret_cast<uintptr_t>(value)); }

std::string words_for(const Value* value, const llvm::DataLayout& layout, unsigned depth);

Place place_at(const Value* address, const llvm::DataLayout& layout, unsigned depth) {
  llvm::APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
  const Value* base = address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  return {words_for(base, layout, depth), offset.getSExtValue()};
}

std::string words_for(const Value* value, const llvm::DataLayout& layout, unsigned depth) {
  if (const auto* number = dyn_cast<llvm::ConstantInt>(value)) return "#" + std::to_string(number->getZExtValue());
  const auto* instruction = dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || depth >= kDeepest) return name_of(value);
  if (const auto* load = dyn_cast<llvm::LoadInst>(instruction)) {
    return "*(" + place_at(load->getPointerOperand(), layout, depth + 1).text() + ")";
  }
  if (isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::BinaryOperator>(instruction)) {
    std::string words = instruction->getOpcodeName();
    for (const Value* operand : instruction->operands()) words += "," + words_for(operand, layout, depth + 1);
    return words + ";";
  }
  return name_of(value);
}

}  // namespace

Place place_of(const Value* address, const llvm::DataLayout& layout) { return place_at(address, layout, 0); }

std::optional<unsigned> loaded_by_assembly(const llvm::CallBase& call) {
  const auto* assembly = dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  if (assembly == nullptr || call.getType()->isVoidTy()) return std::nullopt;
  std::optional<unsigned> found;
  unsigned argument = 0;
  for (const llvm::InlineAsm::ConstraintInfo& constraint : assembly->ParseConstraints()) {
    if (!constraint.hasArg()) continue;
    if (constraint.isIndirect) {
      if (constraint.Type != llvm::InlineAsm::isInput || found || call.getParamElementType(argument) == nullptr) {
        return std::nullopt;
      }
      found = argument;
    }
    ++argument;
  }
  return found;
}

bool is_own_memory(const Value* address) {
  const Value* object = llvm::getUnderlyingObject(address, 0);
  const auto* argument = dyn_cast<llvm::Argument>(object);
  const bool own = isa<llvm::AllocaInst>(object) || (argument != nullptr && argument->hasByValAttr());
  return own && !llvm::PointerMayBeCaptured(object, true, true);
}

PlaceInCaller in_caller(const PlaceInCaller& place, const llvm::CallBase& call, const llvm::DataLayout& layout) {
  const auto* argument = llvm::dyn_cast_or_null<llvm::Argument>(place.base);
  if (argument == nullptr) return place;
  if (argument->getArgNo() >= call.arg_size()) return {};
  const Value* given = call.getArgOperand(argument->getArgNo());
  if (!given->getType()->isPointerTy()) return {};
  llvm::APInt offset(layout.getIndexTypeSizeInBits(given->getType()), 0);
  const Value* base = given->stripAndAccumulateConstantOffsets(layout, offset, true);
  return {base, place.offset + offset.getSExtValue()};
}

// --- calls ---------------------------------------------------------------------------------------------------------

namespace {

std::optional<CallKind> kind_by_name(llvm::StringRef name) {
  for (const loops::KnownCall& named : loops::kKnownCalls) {
    if (name == named.name) return named.kind;
  }
  return std::nullopt;
}

Summary effects() { return {}; }

Summary of_kind(CallKind kind) {
  Summary summary;
  summary.kind = kind;
  summary.knows_writes = true;
  summary.locks = kind == CallKind::kLock || kind == CallKind::kUnlock || kind == CallKind::kTryLock ||
                  kind == CallKind::kWait || kind == CallKind::kUnresolved;
  return summary;
}

void add(std::vector<PlaceInCaller>& places, const PlaceInCaller& place) {
  constexpr size_t kMost = 32;
  for (const PlaceInCaller& known : places) {
    if (known.base == place.base && known.offset == place.offset) return;
  }
  if (places.size() < kMost) places.push_back(place);
}

// What one function does, collected instruction by instruction.
class Summarizer final {
 public:
  Summarizer(CallSummaries& summaries, llvm::Function& function)
      : summaries_(summaries),
        view_(function),
        layout_(function.getParent()->getDataLayout()),
        returns_(!function.getReturnType()->isVoidTy()) {
    summary_.knows_writes = true;
    summary_.locks = false;
    for (llvm::Argument& argument : view_.function().args()) {
      arguments_[&argument] = function.getArg(argument.getArgNo());
    }
  }

  Summary run() {
    for (llvm::BasicBlock& block : view_.function()) {
      if (!view_.dominators().isReachableFromEntry(&block)) continue;
      ++summary_.blocks;
      for (llvm::Instruction& instruction : block) visit(instruction);
    }
    if (reads_only_ && summary_.knows_writes && returns_) {
      summary_.kind = CallKind::kAccessor;
    } else if (reads_only_ && summary_.knows_writes && summary_.writes.empty()) {
      summary_.kind = CallKind::kHarmless;
    } else {
      find_quiet_result();
    }
    return summary_;
  }

 private:
  // Whether others could see that the instruction was executed.
  [[nodiscard]] bool has_effect(const llvm::Instruction& instruction) const {
    const auto is_local = [](const Value* address) {
      return isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address, 0));
    };
    if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) return !is_local(store->getPointerOperand());
    if (const auto* block = dyn_cast<llvm::AnyMemIntrinsic>(&instruction)) return !is_local(block->getRawDest());
    if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
      const Summary& callee = summaries_.of(*call);
      const bool harmless = callee.kind == CallKind::kPure || callee.kind == CallKind::kHarmless ||
                            callee.kind == CallKind::kLock || callee.kind == CallKind::kUnlock ||
                            callee.kind == CallKind::kAccessor;
      return !harmless || !callee.writes.empty();
    }
    return instruction.mayWriteToMemory() && !isa<llvm::FenceInst>(instruction);
  }

  // `if (!there) return 0; …; return 1;`: what it returns says whether it did anything.
  void find_quiet_result() {
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> after_effects;
    llvm::SmallVector<const llvm::BasicBlock*, 16> ahead;
    for (const llvm::BasicBlock& block : view_.function()) {
      const bool effect = llvm::any_of(block, [&](const auto& instruction) { return has_effect(instruction); });
      if (effect) ahead.push_back(&block);
    }
    while (!ahead.empty()) {
      const llvm::BasicBlock* block = ahead.pop_back_val();
      if (!after_effects.insert(block).second) continue;
      for (const llvm::BasicBlock* next : llvm::successors(block)) ahead.push_back(next);
    }
    for (const llvm::BasicBlock& block : view_.function()) {
      const auto* end = dyn_cast<llvm::ReturnInst>(block.getTerminator());
      if (end == nullptr || !view_.dominators().isReachableFromEntry(&block)) continue;
      const bool known =
          end->getReturnValue() != nullptr && add_results(end->getReturnValue(), &block, after_effects, 0);
      if (!known) return summary_.quiet.reset();
    }
    if (summary_.quiet && llvm::is_contained(summary_.loud, *summary_.quiet)) summary_.quiet.reset();
  }

  // `from`: where the value is decided. False: it may be anything.
  bool add_results(const Value* value, const llvm::BasicBlock* from,
                   const llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& after_effects, unsigned depth) {
    constexpr unsigned kDeepestChoice = 4;
    if (const auto* number = dyn_cast<llvm::ConstantInt>(value)) {
      if (after_effects.contains(from)) {
        summary_.loud.push_back(number->getValue());
      } else if (summary_.quiet && *summary_.quiet != number->getValue()) {
        return false;
      } else {
        summary_.quiet = number->getValue();
      }
      return true;
    }
    const auto* phi = dyn_cast<llvm::PHINode>(value);
    if (phi == nullptr || depth == kDeepestChoice) return false;
    // What comes after the choice must not do anything either.
    const bool chooses_last = llvm::none_of(*phi->getParent(), [&](const auto& i) { return has_effect(i); }) &&
                              (phi->getParent() == from || phi->getParent()->getSingleSuccessor() == from);
    if (!chooses_last) return false;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      if (!add_results(phi->getIncomingValue(i), phi->getIncomingBlock(i), after_effects, depth + 1)) return false;
    }
    return true;
  }

  PlaceInCaller place(const Value* address) const {
    llvm::APInt offset(layout_.getIndexTypeSizeInBits(address->getType()), 0);
    const Value* base = address->stripAndAccumulateConstantOffsets(layout_, offset, true);
    if (isa<llvm::GlobalValue>(base)) return {base, offset.getSExtValue()};
    const auto known = arguments_.find(base);
    if (known == arguments_.end()) return {};
    return {known->second, offset.getSExtValue()};
  }

  void write(const Value* address) {
    if (isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address, 0))) return;
    const PlaceInCaller at = place(address);
    if (at.base == nullptr) {
      summary_.knows_writes = false;
    } else {
      add(summary_.writes, at);
    }
    if (at.base == nullptr || isa<llvm::GlobalValue>(at.base)) reads_only_ = false;
  }

  void visit(llvm::Instruction& instruction) {
    if (auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
      if (const PlaceInCaller at = place(load->getPointerOperand()); at.base != nullptr) add(summary_.reads, at);
      note_how_it_reads(*load);
    } else if (auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
      write(store->getPointerOperand());
      if (store->isAtomic()) reads_only_ = false;
    } else if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) {
      update(instruction);
    } else if (auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
      visit_call(*call);
    } else if (instruction.mayWriteToMemory() && !isa<llvm::FenceInst>(instruction)) {
      summary_.knows_writes = false;
      reads_only_ = false;
    }
  }

  void note_how_it_reads(const llvm::LoadInst& load) {
    const Value* object = llvm::getUnderlyingObject(load.getPointerOperand(), 0);
    const auto* variable = dyn_cast<llvm::GlobalVariable>(object);
    if (isa<llvm::AllocaInst>(object) || (variable != nullptr && variable->isConstant())) return;
    summary_.reads_atomics |= load.isAtomic();
    summary_.reads_plainly |= !load.isAtomic() && !load.isVolatile() && !load.getType()->isPointerTy();
  }

  // A test-and-set stores what does not depend on what it finds.
  void update(llvm::Instruction& instruction) {
    const auto fixed = [](const Value* value) { return isa<llvm::Constant, llvm::Argument>(value); };
    const Value* address = nullptr;
    bool test_and_set = false;
    if (const auto* rmw = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      address = rmw->getPointerOperand();
      const bool sets = rmw->getOperation() == llvm::AtomicRMWInst::Xchg ||
                        rmw->getOperation() == llvm::AtomicRMWInst::Or ||
                        rmw->getOperation() == llvm::AtomicRMWInst::And;
      test_and_set = sets && fixed(rmw->getValOperand());
    } else {
      const auto& exchange = llvm::cast<llvm::AtomicCmpXchgInst>(instruction);
      address = exchange.getPointerOperand();
      // What is expected may have been passed by reference.
      const auto* expected = dyn_cast<llvm::LoadInst>(exchange.getCompareOperand());
      test_and_set = fixed(exchange.getNewValOperand()) &&
                     (fixed(exchange.getCompareOperand()) ||
                      (expected != nullptr && place(expected->getPointerOperand()).base != nullptr));
    }
    summary_.updates = true;
    if (const PlaceInCaller at = place(address); at.base != nullptr) {
      add(test_and_set ? summary_.reads : summary_.writes, at);
    } else {
      summary_.knows_writes = false;
    }
    if (!test_and_set) reads_only_ = false;
  }

  void visit_call(llvm::CallBase& call) {
    if (const std::optional<unsigned> operand = loaded_by_assembly(call)) {
      if (const PlaceInCaller at = place(call.getArgOperand(*operand)); at.base != nullptr) add(summary_.reads, at);
      return;
    }
    if (auto* block = dyn_cast<llvm::AnyMemIntrinsic>(&call)) return write(block->getRawDest());
    const Summary& callee = summaries_.of(call);
    switch (callee.kind) {
      case CallKind::kPure:
      case CallKind::kHarmless:
      case CallKind::kLock:
      case CallKind::kUnlock:
        break;
      case CallKind::kAccessor:
        summary_.updates |= callee.updates;
        summary_.blocks += callee.blocks;
        break;
      case CallKind::kTryLock:
      case CallKind::kWait:
      case CallKind::kUnresolved:
      case CallKind::kEffects:
        reads_only_ = false;
        break;
    }
    if (callee.waits && view_.loops().getLoopFor(call.getParent()) == nullptr) {
      summary_.waits = true;
      summary_.condition = in_terms_of_arguments(in_caller(callee.condition, call, layout_));
    }
    summary_.locks |= callee.locks;
    summary_.reads_plainly |= callee.reads_plainly;
    summary_.reads_atomics |= callee.reads_atomics;
    summary_.knows_writes &= callee.knows_writes;
    for (const PlaceInCaller& there : callee.writes) {
      const PlaceInCaller here = in_caller(there, call, layout_);
      if (here.base == nullptr) {
        summary_.knows_writes = false;
      } else if (!isa<llvm::AllocaInst>(llvm::getUnderlyingObject(here.base, 0))) {
        const PlaceInCaller ours = in_terms_of_arguments(here);
        if (ours.base == nullptr) {
          summary_.knows_writes = false;
          reads_only_ = false;
        } else {
          add(summary_.writes, ours);
          if (isa<llvm::GlobalValue>(ours.base)) reads_only_ = false;
        }
      }
    }
    for (const PlaceInCaller& there : callee.reads) {
      const PlaceInCaller ours = in_terms_of_arguments(in_caller(there, call, layout_));
      if (ours.base != nullptr) add(summary_.reads, ours);
    }
  }

  PlaceInCaller in_terms_of_arguments(const PlaceInCaller& place) const {
    if (place.base == nullptr || isa<llvm::GlobalValue>(place.base)) return place;
    const auto known = arguments_.find(place.base);
    if (known == arguments_.end()) return {};
    return {known->second, place.offset};
  }

  CallSummaries& summaries_;
  LoopView view_;
  const llvm::DataLayout& layout_;
  bool returns_;
  bool reads_only_ = true;
  llvm::DenseMap<const Value*, const llvm::Argument*> arguments_;
  Summary summary_;
};

}  // namespace

const Summary& CallSummaries::of(const llvm::CallBase& call) {
  const auto named = [&](llvm::StringRef name, const auto& make) -> const Summary& {
    const auto known = named_.find(name);
    return known != named_.end() ? known->second : named_.emplace(name.str(), make()).first->second;
  };
  llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) {
    if (const auto* alias = dyn_cast<llvm::GlobalAlias>(call.getCalledOperand())) {
      callee = llvm::dyn_cast_or_null<llvm::Function>(const_cast<llvm::GlobalObject*>(alias->getAliaseeObject()));
    }
  }
  if (loaded_by_assembly(call)) return named("asm load", [] { return of_kind(CallKind::kHarmless); });
  if (call.isInlineAsm()) {
    // `pause` and its like, by what they say of memory; a compiler's barrier too.
    return named(call.doesNotAccessMemory() || call.arg_size() == 0 ? "asm" : "asm with operands",
                 [&] { return call.arg_size() == 0 ? of_kind(CallKind::kHarmless) : effects(); });
  }
  if (callee == nullptr) {
    return named("?", [] {
      Summary summary = of_kind(CallKind::kUnresolved);
      summary.knows_writes = false;
      return summary;
    });
  }
  if (const std::optional<CallKind> kind = kind_by_name(callee->getName())) {
    return named(callee->getName(), [&] {
      Summary summary = of_kind(*kind);
      summary.waits = *kind == CallKind::kWait;
      if (summary.waits && callee->arg_size() > 0) summary.condition = {callee->getArg(0), 0};
      return summary;
    });
  }
  if (callee->isIntrinsic()) {
    if (callee->doesNotAccessMemory() || callee->onlyAccessesInaccessibleMemory()) {
      return named("pure", [] { return of_kind(CallKind::kPure); });
    }
    switch (callee->getIntrinsicID()) {
      case llvm::Intrinsic::lifetime_start:
      case llvm::Intrinsic::lifetime_end:
      case llvm::Intrinsic::x86_sse2_pause:
      case llvm::Intrinsic::dbg_declare:
      case llvm::Intrinsic::dbg_value:
      case llvm::Intrinsic::invariant_start:
      case llvm::Intrinsic::prefetch:
        return named("harmless", [] { return of_kind(CallKind::kHarmless); });
      default:
        return named("effects", effects);
    }
  }
  if (call.doesNotAccessMemory() && call.doesNotThrow()) return named("pure", [] { return of_kind(CallKind::kPure); });
  if (callee->isDeclaration()) {
    // Of what is elsewhere it may be asked at run time; but what the C library does is known well enough.
    return named("elsewhere", [] {
      Summary summary = of_kind(CallKind::kUnresolved);
      summary.knows_writes = false;
      return summary;
    });
  }
  return of(*callee);
}

bool CallSummaries::is_wait(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && kind_by_name(callee->getName()) == CallKind::kWait;
}

const Summary& CallSummaries::of(llvm::Function& function) {
  constexpr unsigned kDeepestCalls = 24;
  if (const auto known = known_.find(&function); known != known_.end()) return known->second;
  // A recursion finds this until it is known better.
  Summary& summary = known_[&function];
  if (depth_ >= kDeepestCalls || function.isInterposable()) return summary;
  ++depth_;
  Summary found = summarize(function);
  --depth_;
  return known_[&function] = std::move(found);
}

Summary CallSummaries::summarize(llvm::Function& function) {
  constexpr unsigned kLargest = 400;
  if (function.getInstructionCount() > kLargest) return {};
  return Summarizer(*this, function).run();
}

}  // namespace norn::compiler
