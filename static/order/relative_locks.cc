#include "static/order/relative_locks.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <unordered_map>

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "static/order/wait_conditions.h"
#include "static/program/library_models.h"
#include "static/program/lock_calls.h"

namespace norn::statics {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

namespace {

constexpr size_t kDeepest = 4;      // loads in the name of a place
constexpr unsigned kRounds = 8;     // over recursive functions
constexpr unsigned kMostTimes = 4;  // that one lock is taken

// A root: a value, or an element of an array of which the index is no constant.
struct Root {
  const Value* value = nullptr;
  unsigned array = 0;  // a path
  std::vector<std::pair<const Value*, int64_t>> indices{};
  friend auto operator<=>(const Root&, const Root&) = default;
};

// (((root + offsets[0]) loaded) + offsets[1]) loaded …
struct Path {
  unsigned root = 0;
  std::vector<int64_t> offsets{0};
  friend auto operator<=>(const Path&, const Path&) = default;
};

struct Name {
  bool is_object = false;
  bool is_wait = false;  // no lock: `object` is a cell that was waited for
  Path path{};           // of a place
  ObjectId object = 0;
  int64_t offset = 0;
  friend auto operator<=>(const Name&, const Name&) = default;
};

using Objects = std::vector<std::pair<ObjectId, int64_t>>;

// What calls may give back: of each the places that it may be, as points-to has them, once for all that are alike.
using Releases = std::set<const Objects*>;

bool intersect(const Objects& a, const Objects& b) {
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) return true;
    if (*i < *j) {
      ++i;
    } else {
      ++j;
    }
  }
  return false;
}

}  // namespace

class Locks::Analysis {
 public:
  Analysis(llvm::Module& module, const PointsTo& points_to, const Threads& threads, const Waits& waits)
      : layout_(module.getDataLayout()), points_to_(points_to), threads_(threads), waits_(waits) {
    for (const auto& [instruction, wait] : waits) waiting_.insert(instruction->getFunction());
    find_summaries(module);
    called_.clear();
    summaries_known_ = true;
    for (size_t i = 0; i < threads.all().size(); ++i) find_entries(static_cast<int>(i));
  }

  Lockset held(int thread, const llvm::Instruction& instruction) {
    const llvm::Function& function = *instruction.getFunction();
    const auto& entries = entries_[static_cast<size_t>(thread)];
    const auto entry = entries.find(&function);
    const State& start = entry == entries.end() ? nothing_ : entry->second;
    if (shown_function_ != &function || shown_entry_ != start) {
      shown_function_ = &function;
      shown_entry_ = start;
      shown_ = flow(function, start, nullptr);
      shown_at_.clear();
      for (const llvm::BasicBlock& block : function) {
        const auto known = shown_.find(&block);
        if (known == shown_.end()) continue;
        State state = known->second;
        for (const llvm::Instruction& each : block) {
          shown_at_[&each] = state;
          apply(each, state, nullptr);
        }
      }
    }
    const auto known = shown_at_.find(&instruction);
    Lockset result;
    if (known == shown_at_.end()) return result;
    for (const auto& [name, held] : known->second) result.push_back({name, held.shared, held.taken});
    return result;
  }

  const Lockset& held_around(int thread, const llvm::CallBase& call) {
    const auto known = around_.find({thread, &call});
    if (known != around_.end()) return known->second;
    (void)held(thread, call);  // of all of its function
    for (const llvm::Instruction& instruction : llvm::instructions(*call.getFunction())) {
      const auto* each = dyn_cast<llvm::CallBase>(&instruction);
      if (each == nullptr || points_to_.callees(*each).empty()) continue;
      Lockset& around = around_[{thread, each}];
      const auto state = shown_at_.find(each);
      if (state == shown_at_.end()) continue;
      for (const auto& [name, lock] : state->second) {
        if (!may_be_one_of(lock.may_be, called(*each).releases)) around.push_back({name, lock.shared, lock.taken});
      }
    }
    return around_[{thread, &call}];
  }

  [[nodiscard]] std::vector<Guard> guards(const Lockset& held) const {
    std::vector<Guard> result;
    for (const HeldLock& lock : held) {
      const Name& name = names_[lock.name];
      if (name.is_object) result.push_back({Guard::Kind::kObject, name.object, name.offset, lock.shared, lock.taken});
    }
    return result;
  }

  [[nodiscard]] bool is_object(unsigned name) const { return names_[name].is_object; }

  [[nodiscard]] std::set<unsigned> waited(const Lockset& held) const {
    std::set<unsigned> cells;
    for (const HeldLock& lock : held) {
      if (names_[lock.name].is_wait) cells.insert(names_[lock.name].object);
    }
    return cells;
  }

  std::vector<Guard> guards(const Lockset& held, const Value* address) {
    std::vector<Guard> result;
    const Path place = path_of(address);
    for (const HeldLock& lock : held) {
      const Name name = names_[lock.name];
      if (name.is_wait) continue;
      if (name.is_object) {
        result.push_back({Guard::Kind::kObject, name.object, name.offset, lock.shared, lock.taken});
        continue;
      }
      const std::vector<int64_t>& of = name.path.offsets;
      // Beside it: the same root and loads, another last offset.
      if (name.path.root == place.root && of.size() == place.offsets.size() &&
          std::equal(of.begin(), of.end() - 1, place.offsets.begin()))
        result.push_back({Guard::Kind::kBeside, of.back() - place.offsets.back(), 0, lock.shared, lock.taken});
      // Above it: where the pointer is kept that leads to it, or to the array that it is an element of.
      Path above = place;
      for (unsigned depth = 0; depth < kDeepest; ++depth) {
        if (above.offsets.size() > 1) {
          above.offsets.pop_back();
        } else if (const Root root = roots_[above.root]; root.value == nullptr) {
          above = paths_[root.array];
          continue;
        } else {
          break;
        }
        if (name.path.root == above.root && of.size() == above.offsets.size() &&
            std::equal(of.begin(), of.end() - 1, above.offsets.begin()))
          result.push_back(
              {Guard::Kind::kAbove, of.back() - above.offsets.back(), above.offsets.back(), lock.shared, lock.taken});
      }
    }
    return result;
  }

 private:
  struct Held {
    bool shared;
    const llvm::Instruction* taken;
    const Objects* may_be;
    unsigned times = 1;  // that it was taken, one in the other
    friend bool operator==(const Held& a, const Held& b) { return a.shared == b.shared && a.times == b.times; }
  };
  using State = std::map<unsigned, Held>;  // by name
  using States = std::map<const llvm::BasicBlock*, State>;

  struct Summary {
    State leaves{};       // locked, in the words of its own arguments
    Releases releases{};  // that were not locked by itself
  };

  struct Called {
    Releases releases{};                                                      // of any of them
    std::vector<std::pair<const llvm::Function*, const Summary*>> leaving{};  // if each leaves something locked
  };

  // ---- Places and names -------------------------------------------------------------------------------------------

  unsigned root(Root root) {
    const auto [known, fresh] = root_numbers_.try_emplace(root, static_cast<unsigned>(roots_.size()));
    if (fresh) roots_.push_back(std::move(root));
    return known->second;
  }
  unsigned path_number(const Path& path) {
    const auto [known, fresh] = path_numbers_.try_emplace(path, static_cast<unsigned>(paths_.size()));
    if (fresh) paths_.push_back(path);
    return known->second;
  }
  unsigned name(const Name& name) {
    const auto [known, fresh] = name_numbers_.try_emplace(name, static_cast<unsigned>(names_.size()));
    if (fresh) names_.push_back(name);
    return known->second;
  }

  Path path_of(const Value* value, unsigned depth = 0) {
    value = value->stripPointerCastsAndAliases();
    if (depth < 16) {
      if (const auto* gep = dyn_cast<llvm::GEPOperator>(value); gep != nullptr && !gep->getType()->isVectorTy()) {
        llvm::MapVector<Value*, llvm::APInt> variable;
        llvm::APInt constant(64, 0);
        if (layout_.getIndexTypeSizeInBits(gep->getType()) == 64 &&
            gep->collectOffset(layout_, 64, variable, constant)) {
          Path base = path_of(gep->getPointerOperand(), depth + 1);
          if (variable.empty()) {
            base.offsets.back() += constant.getSExtValue();
            return base;
          }
          Root element;
          element.array = path_number(base);
          for (const auto& [index, scale] : variable) element.indices.emplace_back(index, scale.getSExtValue());
          std::sort(element.indices.begin(), element.indices.end());
          return {root(element), {constant.getSExtValue()}};
        }
      }
      if (const auto* load = dyn_cast<llvm::LoadInst>(value); load != nullptr && load->getType()->isPointerTy()) {
        Path from = path_of(load->getPointerOperand(), depth + 1);
        if (from.offsets.size() < kDeepest) {
          from.offsets.push_back(0);
          return from;
        }
      }
    }
    return {root(Root{value, 0, {}}), {0}};
  }

  const Objects& objects_of(const Value* address) {
    const std::vector<PointedTo>& places = points_to_.of(address);
    const auto [known, fresh] = objects_.try_emplace(&places);
    if (fresh) {
      for (const PointedTo& to : places) known->second.emplace_back(to.object, to.offset);
    }
    return known->second;
  }

  [[nodiscard]] bool may_be_one_of(const Objects* lock, const Releases& releases) {
    return llvm::any_of(releases, [&](const Objects* release) {
      const auto [known, fresh] = intersect_.try_emplace(std::minmax(lock, release), false);
      if (fresh) known->second = intersect(*lock, *release);
      return known->second;
    });
  }

  // Whether there is but one of it.
  [[nodiscard]] bool is_one(const PointedTo& to) const {
    if (to.period != 0) return false;
    const ObjectInfo& info = points_to_.object(to.object);
    if (info.kind == ObjectKind::kGlobal) return true;
    if (info.kind != ObjectKind::kHeap && info.kind != ObjectKind::kStack) return false;
    const auto* instruction = dyn_cast<llvm::Instruction>(info.origin);
    return instruction != nullptr && !info.many && threads_.is_once(*instruction);
  }

  // The names of the lock at an address.
  std::vector<unsigned> names_of(const Value* address) {
    std::vector<unsigned> result;
    Name place;
    place.path = path_of(address);
    result.push_back(name(place));
    const std::vector<PointedTo>& to = points_to_.of(address);
    if (to.size() == 1 && is_one(to.front())) {
      Name object;
      object.is_object = true;
      object.object = to.front().object;
      object.offset = to.front().offset;
      result.push_back(name(object));
    }
    return result;
  }

  // ---- Within a function ------------------------------------------------------------------------------------------

  void take(const Value* address, bool shared, const llvm::Instruction& at, State& state) {
    for (const unsigned name : names_of(address)) {
      const auto [known, fresh] = state.try_emplace(name, Held{shared, &at, &objects_of(address)});
      if (!fresh && !shared) known->second.shared = false;
      if (!fresh && known->second.times < kMostTimes) ++known->second.times;
    }
  }

  void wait_for(unsigned cell, const llvm::Instruction& at, State& state) {
    static const Objects none;
    Name waited;
    waited.is_wait = true;
    waited.object = cell;
    state.try_emplace(name(waited), Held{true, &at, &none});
  }

  void give(const Value* address, State& state, Releases* foreign) {
    const Objects& objects = objects_of(address);
    bool own = false;
    bool still = false;
    for (const unsigned name : names_of(address)) {
      const auto held = state.find(name);
      if (held == state.end()) continue;
      own = true;
      if (--held->second.times > 0) {
        still = true;
      } else {
        state.erase(held);
      }
    }
    if (still) return;  // whoever takes a lock twice has one that lets him, and this one
    std::erase_if(state, [&](const auto& entry) { return may_be_one_of(entry.second.may_be, {&objects}); });
    if (!own && foreign != nullptr && !objects.empty()) foreign->insert(&objects);
  }

  // `foreign`: what is unlocked that was not locked here.
  void apply(const llvm::Instruction& instruction, State& state, Releases* foreign) {
    if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction); load != nullptr && load->isAtomic()) {
      // Of a variable's guard: if it is set, the variable is ready.
      const auto* global = dyn_cast<llvm::GlobalVariable>(load->getPointerOperand()->stripPointerCasts());
      if (global != nullptr && global->getName().starts_with("_ZGV")) take(global, true, instruction, state);
      return;
    }
    const auto* call = dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr) return;
    const llvm::Function* callee = call->getCalledFunction();
    if (const auto wait = waits_.find(call);
        wait != waits_.end() && (callee == nullptr || !waits_by_result(callee->getName())))
      wait_for(wait->second.cell, instruction, state);
    if (callee != nullptr && callee->isDeclaration()) {
      const LockCall lock = lock_call(callee->getName());
      if (lock.action == LockAction::kNone || lock.argument >= call->arg_size()) return;
      const Value* address = call->getArgOperand(lock.argument);
      switch (lock.action) {
        case LockAction::kLock:
        case LockAction::kOnceBegin:
        case LockAction::kGuardBegin:
          return take(address, false, instruction, state);
        case LockAction::kLockShared:
          return take(address, true, instruction, state);
        case LockAction::kUnlock:
          return give(address, state, foreign);
        case LockAction::kOnceEnd:
        case LockAction::kGuardEnd:
          give(address, state, nullptr);
          return take(address, true, instruction, state);
        case LockAction::kTry:  // on the edge
        case LockAction::kTryShared:
        case LockAction::kNone:
          return;
      }
      return;
    }
    apply_callees(*call, state, foreign);
  }

  void apply_callees(const llvm::CallBase& call, State& state, Releases* foreign) {
    if (points_to_.callees(call).empty()) return;
    const Called& called = this->called(call);
    if (!called.releases.empty()) {
      std::erase_if(state, [&](const auto& entry) { return may_be_one_of(entry.second.may_be, called.releases); });
      if (foreign != nullptr) foreign->insert(called.releases.begin(), called.releases.end());
    }
    bool first = true;
    State left;
    for (const auto& [callee, summary] : called.leaving) {
      State here;
      for (const auto& [name, held] : summary->leaves) {
        for (const unsigned own : to_caller(name, call, *callee)) here.try_emplace(own, held);
      }
      if (first) {
        left = std::move(here);
      } else {
        meet(left, here);
      }
      first = false;
    }
    for (const auto& [name, held] : left) state.try_emplace(name, held);
  }

  // What all that a call may call says together; once, when all summaries are known.
  const Called& called(const llvm::CallBase& call) {
    const auto [known, fresh] = called_.try_emplace(&call);
    Called& called = known->second;
    if (!fresh && summaries_known_) return called;
    called = {};
    bool all_leave = true;
    for (const llvm::Function* callee : points_to_.callees(call)) {
      const auto summary = summaries_.find(callee);
      all_leave &= summary != summaries_.end() && !summary->second.leaves.empty();
      if (summary == summaries_.end()) continue;
      called.releases.insert(summary->second.releases.begin(), summary->second.releases.end());
      if (all_leave) called.leaving.emplace_back(callee, &summary->second);
    }
    if (!all_leave) called.leaving.clear();
    return called;
  }

  static bool meet(State& into, const State& other) {
    bool changed = false;
    for (auto at = into.begin(); at != into.end();) {
      const auto same = other.find(at->first);
      if (same == other.end()) {
        at = into.erase(at);
        changed = true;
        continue;
      }
      if (same->second.shared && !at->second.shared) {
        at->second.shared = true;
        changed = true;
      }
      if (same->second.times < at->second.times) {
        at->second.times = same->second.times;
        changed = true;
      }
      ++at;
    }
    return changed;
  }

  // Whether a value is the result of a call that tries, and what of it says that it worked: value == zero.
  static const llvm::CallBase* tried(const Value* value, bool& when_true, unsigned depth = 0) {
    if (depth > 8) return nullptr;
    if (const auto* compare = dyn_cast<llvm::ICmpInst>(value); compare != nullptr && compare->isEquality()) {
      const auto* number = dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
      if (number == nullptr || !number->isZero()) return nullptr;
      const bool equal = compare->getPredicate() == llvm::CmpInst::ICMP_EQ;
      const Value* of = compare->getOperand(0);
      while (isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst, llvm::FreezeInst>(of))
        of = cast<llvm::Instruction>(of)->getOperand(0);
      if (const auto* call = dyn_cast<llvm::CallBase>(of)) {
        const llvm::Function* callee = call->getCalledFunction();
        if (callee == nullptr) return nullptr;
        when_true = equal == gives_zero(callee->getName());
        if (waits_by_result(callee->getName())) return call;
        const LockAction action = lock_call(callee->getName()).action;
        if (action != LockAction::kTry && action != LockAction::kTryShared) return nullptr;
        return call;
      }
      // Of a truth value: it is not so.
      const llvm::CallBase* inner = tried(of, when_true, depth + 1);
      if (inner != nullptr && equal) when_true = !when_true;
      return inner;
    }
    if (isa<llvm::ZExtInst, llvm::TruncInst, llvm::FreezeInst>(value))
      return tried(cast<llvm::Instruction>(value)->getOperand(0), when_true, depth + 1);
    if (const auto* flip = dyn_cast<llvm::BinaryOperator>(value);
        flip != nullptr && flip->getOpcode() == llvm::Instruction::Xor) {
      const auto* number = dyn_cast<llvm::ConstantInt>(flip->getOperand(1));
      if (number == nullptr || number->isZero()) return nullptr;
      const llvm::CallBase* inner = tried(flip->getOperand(0), when_true, depth + 1);
      if (inner != nullptr) when_true = !when_true;
      return inner;
    }
    return nullptr;
  }

  // Of OpenMP's reductions: who is told 1 goes on alone; who is told 2 uses atomics, and then all are told that. And of
  // its sections: each number of one is given to one thread.
  void apply_case(const llvm::SwitchInst& choice, const llvm::BasicBlock& to, State& state) {
    constexpr unsigned kLock = 6;
    const llvm::ConstantInt* number =
        const_cast<llvm::SwitchInst&>(choice).findCaseDest(const_cast<llvm::BasicBlock*>(&to));
    if (number == nullptr) return;
    if (const auto* call = dyn_cast<llvm::CallBase>(choice.getCondition())) {
      const llvm::Function* callee = call->getCalledFunction();
      const bool reduces = callee != nullptr && callee->getName().starts_with("__kmpc_reduce");
      if (reduces && call->arg_size() > kLock && (number->isOne() || number->equalsInt(2)))
        take(call->getArgOperand(kLock), false, *call, state);
      return;
    }
    const auto* section = dyn_cast<llvm::PHINode>(choice.getCondition());
    if (section == nullptr || !llvm::any_of(section->incoming_values(), is_share)) return;
    static const Objects none;
    const auto known = sections_.try_emplace(&to, static_cast<ObjectId>(points_to_.objects() + sections_.size())).first;
    Name own;
    own.is_object = true;
    own.object = known->second;
    state.try_emplace(name(own), Held{false, &choice, &none});
  }

  // Whether a value is where OpenMP says that a thread's share of a loop begins.
  static bool is_share(const Value* value) {
    const auto* load = dyn_cast<llvm::LoadInst>(value);
    const auto* slot = load == nullptr ? nullptr : dyn_cast<llvm::AllocaInst>(load->getPointerOperand());
    return slot != nullptr && llvm::any_of(slot->users(), [](const llvm::User* user) {
             const auto* call = dyn_cast<llvm::CallBase>(user);
             const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
             return callee != nullptr && callee->getName().starts_with("__kmpc_for_static_init");
           });
  }

  void apply_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to, State& state) {
    if (const auto* choice = dyn_cast<llvm::SwitchInst>(from.getTerminator())) return apply_case(*choice, to, state);
    const auto* branch = dyn_cast<llvm::BranchInst>(from.getTerminator());
    if (branch == nullptr || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return;
    if (waiting_.contains(from.getParent())) {
      for (const Value* load : implied_loads(branch->getCondition(), branch->getSuccessor(0) == &to, waits_)) {
        const auto* instruction = cast<llvm::Instruction>(load);
        wait_for(waits_.at(instruction).cell, *instruction, state);
      }
    }
    bool when_true = false;
    const llvm::CallBase* call = tried(branch->getCondition(), when_true);
    if (call == nullptr || (branch->getSuccessor(0) == &to) != when_true) return;
    if (const auto wait = waits_.find(call); wait != waits_.end()) return wait_for(wait->second.cell, *call, state);
    const LockCall lock = lock_call(call->getCalledFunction()->getName());
    take(call->getArgOperand(lock.argument), lock.action == LockAction::kTryShared, *call, state);
  }

  // What is held at the beginning of each block that is reached.
  States flow(const llvm::Function& function, const State& entry, Releases* foreign) {
    States states;
    states[&function.getEntryBlock()] = entry;
    const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function);
    bool changed = true;
    for (unsigned round = 0; changed && round < 50; ++round) {
      changed = false;
      for (const llvm::BasicBlock* block : order) {
        const auto known = states.find(block);
        if (known == states.end()) continue;
        State state = known->second;
        for (const llvm::Instruction& instruction : *block) apply(instruction, state, foreign);
        for (const llvm::BasicBlock* successor : llvm::successors(block)) {
          State there = state;
          apply_edge(*block, *successor, there);
          const auto [old, fresh] = states.try_emplace(successor, there);
          changed |= fresh || meet(old->second, there);
        }
      }
    }
    return states;
  }

  // ---- Between functions ------------------------------------------------------------------------------------------

  // A lock that is held, in the words of a function that is called.
  std::vector<unsigned> to_callee(unsigned held, const llvm::CallBase& call, const llvm::Function& callee) {
    std::vector<unsigned> result;
    const Name lock = names_[held];
    if (lock.is_object || lock.is_wait) return {held};
    const Root root = roots_[lock.path.root];
    if (root.value != nullptr && isa<llvm::GlobalVariable>(root.value)) result.push_back(held);
    for (unsigned i = 0; i < call.arg_size() && i < callee.arg_size(); ++i) {
      if (!call.getArgOperand(i)->getType()->isPointerTy()) continue;
      const Path given = path_of(call.getArgOperand(i));
      const size_t depth = given.offsets.size();
      if (given.root != lock.path.root || lock.path.offsets.size() < depth) continue;
      if (!std::equal(given.offsets.begin(), given.offsets.end() - 1, lock.path.offsets.begin())) continue;
      Name seen;
      seen.path.root = this->root(Root{callee.getArg(i), 0, {}});
      seen.path.offsets.assign(lock.path.offsets.begin() + static_cast<std::ptrdiff_t>(depth) - 1,
                               lock.path.offsets.end());
      seen.path.offsets.front() -= given.offsets.back();
      result.push_back(name(seen));
    }
    return result;
  }

  // And what it left locked, in the caller's.
  std::vector<unsigned> to_caller(unsigned left, const llvm::CallBase& call, const llvm::Function& callee) {
    const Name lock = names_[left];
    if (lock.is_object || lock.is_wait) return {left};
    const Value* value = roots_[lock.path.root].value;
    if (value == nullptr) return {};
    if (isa<llvm::GlobalVariable>(value)) return {left};
    const auto* argument = dyn_cast<llvm::Argument>(value);
    if (argument == nullptr || argument->getParent() != &callee || argument->getArgNo() >= call.arg_size()) return {};
    const Path given = path_of(call.getArgOperand(argument->getArgNo()));
    Name seen;
    seen.path = given;
    seen.path.offsets.back() += lock.path.offsets.front();
    seen.path.offsets.insert(seen.path.offsets.end(), lock.path.offsets.begin() + 1, lock.path.offsets.end());
    if (seen.path.offsets.size() > kDeepest) return {};
    return {name(seen)};
  }

  void find_summaries(llvm::Module& module) {
    // Callees first, where there is no recursion.
    std::vector<const llvm::Function*> order;
    std::set<const llvm::Function*> seen;
    for (const llvm::Function& function : module) {
      if (function.isDeclaration() || seen.contains(&function)) continue;
      std::vector<std::pair<const llvm::Function*, std::vector<const llvm::Function*>>> open;
      const auto enter = [&](const llvm::Function* next) {
        seen.insert(next);
        std::vector<const llvm::Function*> callees;
        for (const llvm::Instruction& instruction : llvm::instructions(*next)) {
          if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
            const auto& of = points_to_.callees(*call);
            callees.insert(callees.end(), of.begin(), of.end());
          }
        }
        open.emplace_back(next, std::move(callees));
      };
      enter(&function);
      while (!open.empty()) {
        auto& [at, callees] = open.back();
        if (callees.empty()) {
          order.push_back(at);
          open.pop_back();
          continue;
        }
        const llvm::Function* next = callees.back();
        callees.pop_back();
        if (!seen.contains(next)) enter(next);
      }
    }
    bool changed = true;
    for (unsigned round = 0; changed && round < kRounds; ++round) {
      changed = false;
      for (const llvm::Function* function : order) changed |= summarize(*function);
    }
  }

  bool touches_locks(const llvm::Function& function) {
    if (waiting_.contains(&function)) return true;
    return llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
      if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) return load->isAtomic();
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) return false;
      const llvm::Function* callee = call->getCalledFunction();
      if (callee != nullptr && callee->isDeclaration()) return lock_call(callee->getName()).action != LockAction::kNone;
      return llvm::any_of(points_to_.callees(*call), [&](const llvm::Function* each) {
        const auto known = summaries_.find(each);
        return known != summaries_.end() && (!known->second.leaves.empty() || !known->second.releases.empty());
      });
    });
  }

  bool summarize(const llvm::Function& function) {
    if (!touches_locks(function)) return false;
    Summary summary;
    const States states = flow(function, {}, &summary.releases);
    bool first = true;
    for (const auto& [block, before] : states) {
      if (!isa<llvm::ReturnInst>(block->getTerminator())) continue;
      State state = before;
      for (const llvm::Instruction& instruction : *block) apply(instruction, state, nullptr);
      if (first) {
        summary.leaves = state;
      } else {
        meet(summary.leaves, state);
      }
      first = false;
    }
    Summary& known = summaries_[&function];
    const bool changed = known.leaves != summary.leaves || known.releases != summary.releases;
    known = std::move(summary);
    return changed;
  }

  void find_entries(int number) {
    const Thread& thread = threads_.all()[static_cast<size_t>(number)];
    // Threads of one function are alike, but the first, of which only a part counts.
    if (entries_.size() <= static_cast<size_t>(number)) entries_.resize(static_cast<size_t>(number) + 1);
    State start;
    if (thread.created != nullptr && !thread.stands_for_others && !waits_.empty()) {
      // What its creator had waited for.
      for (const HeldLock& lock : held(thread.parent, *thread.created)) {
        if (names_[lock.name].is_wait) wait_for(names_[lock.name].object, *lock.taken, start);
      }
    }
    starts_.push_back(start);
    for (int other = 1; number > 0 && other < number; ++other) {
      if (threads_.all()[static_cast<size_t>(other)].root == thread.root &&
          starts_[static_cast<size_t>(other)] == start) {
        entries_[static_cast<size_t>(number)] = entries_[static_cast<size_t>(other)];
        return;
      }
    }
    std::map<const llvm::Function*, State>& entries = entries_[static_cast<size_t>(number)];
    entries[thread.root] = start;
    std::vector<const llvm::Function*> open{thread.root};
    std::set<const llvm::Function*> waiting{thread.root};
    while (!open.empty()) {
      const llvm::Function* function = open.back();
      open.pop_back();
      waiting.erase(function);
      for (const auto& [block, before] : flow(*function, entries[function], nullptr)) {
        State state = before;
        for (const llvm::Instruction& instruction : *block) {
          const auto* call = dyn_cast<llvm::CallBase>(&instruction);
          if (call != nullptr && !points_to_.callees(*call).empty() && threads_.is_shared_time(number, *call)) {
            for (const llvm::Function* callee : points_to_.callees(*call)) {
              State there;
              for (const auto& [name, held] : state) {
                for (const unsigned seen : to_callee(name, *call, *callee)) there.try_emplace(seen, held);
              }
              const auto [old, fresh] = entries.try_emplace(callee, there);
              if ((fresh || meet(old->second, there)) && waiting.insert(callee).second) open.push_back(callee);
            }
          } else if (call != nullptr) {
            // Code that is only executed alone may still call code that is not.
            for (const llvm::Function* callee : points_to_.callees(*call)) {
              if (entries.contains(callee) || alone_.contains({number, callee})) continue;
              alone_.insert({number, callee});
              walk_alone(number, *callee, entries, open, waiting);
            }
          }
          apply(instruction, state, nullptr);
        }
      }
    }
  }

  // From a function that the first thread calls while it is alone: it may create the others itself.
  void walk_alone(int number, const llvm::Function& function, std::map<const llvm::Function*, State>& entries,
                  std::vector<const llvm::Function*>& open, std::set<const llvm::Function*>& waiting) {
    const bool shared = llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
      return isa<llvm::CallBase>(instruction) && threads_.is_shared_time(number, instruction);
    });
    if (shared) {
      if (entries.try_emplace(&function, State{}).second && waiting.insert(&function).second) open.push_back(&function);
      return;
    }
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      for (const llvm::Function* callee : points_to_.callees(*call)) {
        if (entries.contains(callee) || !alone_.insert({number, callee}).second) continue;
        walk_alone(number, *callee, entries, open, waiting);
      }
    }
  }

  const llvm::DataLayout& layout_;
  const PointsTo& points_to_;
  const Threads& threads_;
  const Waits& waits_;
  llvm::DenseSet<const llvm::Function*> waiting_;  // functions that wait for a cell
  std::vector<State> starts_;                      // by thread: what is held when it begins
  std::vector<Root> roots_;
  std::map<Root, unsigned> root_numbers_;
  std::vector<Path> paths_;
  std::map<Path, unsigned> path_numbers_;
  std::vector<Name> names_;
  std::map<Name, unsigned> name_numbers_;
  std::map<const std::vector<PointedTo>*, Objects> objects_;
  std::map<std::pair<const Objects*, const Objects*>, bool> intersect_;
  std::map<const llvm::Function*, Summary> summaries_;
  std::unordered_map<const llvm::CallBase*, Called> called_;
  bool summaries_known_ = false;
  std::vector<std::map<const llvm::Function*, State>> entries_;  // by thread: what is held when it is called
  std::set<std::pair<int, const llvm::Function*>> alone_;
  std::map<std::pair<int, const llvm::CallBase*>, Lockset> around_;
  std::map<const llvm::BasicBlock*, ObjectId> sections_;  // names of what no two threads execute at the same time
  const State nothing_{};
  const llvm::Function* shown_function_ = nullptr;
  State shown_entry_;
  States shown_;
  llvm::DenseMap<const llvm::Instruction*, State> shown_at_;
};

Locks::Locks(llvm::Module& module, const PointsTo& points_to, const Threads& threads, const Waits& waits)
    : analysis_(std::make_unique<Analysis>(module, points_to, threads, waits)) {}
Locks::~Locks() = default;

Lockset Locks::held(int thread, const llvm::Instruction& instruction) const {
  return analysis_->held(thread, instruction);
}
const Lockset& Locks::held_around(int thread, const llvm::CallBase& call) const {
  return analysis_->held_around(thread, call);
}
std::vector<Locks::Guard> Locks::guards(const Lockset& held) const { return analysis_->guards(held); }
bool Locks::is_object(unsigned name) const { return analysis_->is_object(name); }
std::set<unsigned> Locks::waited(const Lockset& held) const { return analysis_->waited(held); }
std::vector<Locks::Guard> Locks::guards(const Lockset& held, const Value* address) const {
  return analysis_->guards(held, address);
}

bool Locks::protect(const std::vector<Guard>& a, const std::vector<Guard>& b) {
  return std::any_of(a.begin(), a.end(), [&](const Guard& one) {
    return std::any_of(b.begin(), b.end(), [&](const Guard& other) {
      return one.kind == other.kind && one.a == other.a && one.b == other.b && !(one.shared && other.shared);
    });
  });
}

}  // namespace norn::statics
