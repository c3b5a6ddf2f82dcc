#include "compiler/loops/waiting_loops.h"

#include "compiler/loops/loop_shape.h"
#include "compiler/loops/loop_translation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/Triple.h"
#include "norn/abi.h"

namespace norn::compiler {

using llvm::BasicBlock;
using llvm::CallBase;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::Value;
using loops::Kind;

namespace {

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
          loops::Judgement judgement = translation.judge(block, reason.condition);
          if (judgement.verdict == loops::Verdict::kSpins) {
            // Calls that are not seen hardly write the flag they are to wait for, but an array that a loop goes over is
            // most likely what they work on.
            if (translation.calls_unknown() && sweeps(loop, translation)) judgement.verdict = loops::Verdict::kWritten;
            if (fails(*way.to)) judgement.verdict = loops::Verdict::kFails;
          }
          exits.push_back({way.edge, way.to, reason, judgement, way.reasons.size() > 1, block});
        }
      }
    }
    give_up_by_returning(exits);
    for (const JudgedExit& exit : exits) {
      if (exit.judgement.verdict != loops::Verdict::kSpins || ended_.contains({exit.decided, exit.to})) continue;
      (void)translation.judge(exit.decided, exit.reason.condition);
      spin(loop, exit, translation, !waits.empty());
    }
    for (const JudgedExit& exit : exits) {
      if (exit.judgement.verdict == loops::Verdict::kSpins) ended_.insert({exit.decided, exit.to});
    }
    if (!waits.empty()) wait(loop, exits, waits, translation);
  }

  // Whether control ends in a failure: in a call that does not return, or an exception. The end of a thread or of the
  // process in good order is none.
  static bool fails(const BasicBlock& block, unsigned depth = 0) {
    constexpr unsigned kDeepest = 6;
    for (const Instruction& instruction : block) {
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (call == nullptr || !call->doesNotReturn()) continue;
      const llvm::Function* callee = call->getCalledFunction();
      return callee == nullptr || !ends_in_good_order(callee->getName());
    }
    const Instruction* end = block.getTerminator();
    if (isa<llvm::UnreachableInst, llvm::ResumeInst>(end)) return true;
    if (isa<llvm::ReturnInst>(end) || depth == kDeepest) return false;
    return llvm::all_of(llvm::successors(&block), [&](const BasicBlock* next) { return fails(*next, depth + 1); });
  }

  static bool ends_in_good_order(llvm::StringRef name) {
    constexpr const char* kNames[] = {"exit",      "_exit",   "_Exit",      "quick_exit", "pthread_exit",
                                      "thrd_exit", "longjmp", "siglongjmp", "_longjmp"};
    return llvm::is_contained(kNames, name);
  }

  // A way out that returns a constant, while another goes on behind the loop: who waits does so for the other.
  static void give_up_by_returning(std::vector<JudgedExit>& exits) {
    const auto spins = [](const JudgedExit& exit) { return exit.judgement.verdict == loops::Verdict::kSpins; };
    const bool goes_on = llvm::any_of(
        exits, [&](const JudgedExit& exit) { return spins(exit) && !returns_constant(*exit.from, *exit.to); });
    if (!goes_on) return;
    for (JudgedExit& exit : exits) {
      if (spins(exit) && returns_constant(*exit.from, *exit.to)) exit.judgement.verdict = loops::Verdict::kFails;
    }
  }

  static bool returns_constant(const BasicBlock& from, const BasicBlock& to) {
    constexpr unsigned kFarthest = 8;
    llvm::DenseMap<const Value*, const Value*> came;  // what merges became on the way
    const BasicBlock* before = &from;
    const BasicBlock* block = &to;
    for (unsigned i = 0; i < kFarthest && block != nullptr; ++i) {
      for (const llvm::PHINode& phi : block->phis()) {
        const Value* incoming = phi.getIncomingValueForBlock(before);
        const auto known = came.find(incoming);
        came[&phi] = known == came.end() ? incoming : known->second;
      }
      if (const auto* end = dyn_cast<llvm::ReturnInst>(block->getTerminator())) {
        const Value* value = end->getReturnValue();
        const auto known = came.find(value);
        return value != nullptr && isa<llvm::Constant>(known == came.end() ? value : known->second);
      }
      before = block;
      block = block->getSingleSuccessor();
    }
    return false;
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
    entry.kind = NORN_LOOP_SPIN | (waits ? NORN_LOOP_WAIT : 0u) | (translation.locks() ? NORN_LOOP_LOCKS : 0u);
    entry.blocks = exit.judgement.blocks;
    entry.at = view_.original(exit.decided->getTerminator());

    llvm::DenseSet<const Instruction*> to_callees;
    translation.for_condition([&](const Instruction& instruction, const loops::Value& value) {
      if (value.kind == Kind::kUnresolved) collect_callee(llvm::cast<CallBase>(instruction), to_callees);
    });
    std::vector<const Instruction*> parts;
    translation.for_condition([&](const Instruction& instruction, const loops::Value& value) {
      if (to_callees.contains(&instruction)) return;
      if (plan_part(instruction, value.kind, entry, loop)) parts.push_back(&instruction);
    });
    leave(exit, entry);
    note_increments(parts, translation);
    entry.graph = graph(loop, exit, translation);
    emit_copies(loop, exit, entry, parts);
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

  // A variable whose address is known before the program runs: its writers can be known from the beginning.
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
  void emit_read(Instruction* load, bool sweeps, WaitingLoop& entry) {
    plan_.reads.push_back({load, &entry, sweeps});
    plan_.spin_reads.insert(load);
    if (const auto* plain = dyn_cast<llvm::LoadInst>(load)) {
      add_flag(plain->getPointerOperand(), plain->getType(), entry);
    } else if (const auto& assembly = llvm::cast<CallBase>(*load); const auto operand = loaded_by_assembly(assembly)) {
      add_flag(assembly.getArgOperand(*operand), assembly.getParamElementType(*operand), entry);
    }
  }

  bool plan_part(const Instruction& seen, Kind kind, WaitingLoop& entry, const Cycle& loop) {
    Instruction* instruction = view_.original(&seen);
    if (instruction == nullptr) return false;
    switch (kind) {
      case Kind::kRead: {
        if (instruction->isAtomic()) {
          plan_.evaluations.push_back({instruction, &entry});
        } else {
          emit_read(instruction, innermost_.lookup(seen.getParent()) != &loop, entry);
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
  void emit_copies(const Cycle& loop, const JudgedExit& exit, WaitingLoop& entry,
                   const std::vector<const Instruction*>& parts) {
    const std::vector<CopiedExit> copies = copies_of(loop, exit, parts);
    llvm::DenseSet<const Instruction*> emitted;
    bool by_position = false;
    for (const CopiedExit& copy : copies) {
      leave({copy.block, copy.out, copy.reason, exit.judgement, copy.in_parts, copy.block}, entry);
      for (const Instruction* read : copy.reads) {
        if (emitted.insert(read).second) emit_copy(*read, entry);
      }
      by_position |= copy.reads.empty();
    }
    if (!by_position) return;
    for (const Instruction* part : parts) {
      if (!known_position(*part)) continue;
      for (BasicBlock& block : view_.function()) {
        if (loop.contains(&block)) continue;
        for (Instruction& instruction : block) {
          if (is_copy(instruction, *part) && emitted.insert(&instruction).second) emit_copy(instruction, entry);
        }
      }
    }
  }

  void emit_copy(const Instruction& seen, WaitingLoop& entry) {
    Instruction* instruction = view_.original(&seen);
    if (instruction == nullptr) return;
    const auto* call = dyn_cast<CallBase>(instruction);
    const bool loads = isa<llvm::LoadInst>(instruction) || (call != nullptr && loaded_by_assembly(*call));
    if (loads && !instruction->isAtomic()) {
      emit_read(instruction, false, entry);
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
      const bool in_vain =
          exit.judgement.verdict == loops::Verdict::kTimesOut || exit.judgement.verdict == loops::Verdict::kFails;
      if (exit.judgement.reads_memory && !in_vain) left.push_back(&exit);
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
    for (const Instruction* read : reads) emit_copy(*read, entry);
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
      const char* fill = condition ? ", style=filled" : "";
      text += (llvm::Twine("    ") + node + " [label=\"" + label + "\"" + fill + "];\n").str();
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
