#include "static/order/thread_tree.h"

#include <algorithm>
#include <set>

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "static/order/team_phases.h"
#include "static/program/library_models.h"

namespace norn::statics {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

namespace {

// In a program with more, further threads of one creation and function are one, whoever creates them.
constexpr size_t kMostThreads = 300;
constexpr size_t kMostExecuted = 10000;  // functions, of all threads together

llvm::StringRef called_name(const llvm::Instruction& instruction) {
  const auto* call = dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->isDeclaration() ? callee->getName() : "";
}

}  // namespace

bool Region::has(const llvm::Instruction& instruction) const {
  const auto known = blocks_.find(instruction.getParent());
  if (known == blocks_.end()) return false;
  const auto& [first, last] = known->second;
  const bool before = &instruction != first && instruction.comesBefore(first);
  const bool after = &instruction != last && last->comesBefore(&instruction);
  return !before && !after;
}

void Region::add(const llvm::Instruction& first, const llvm::Instruction& last) {
  const auto [known, fresh] = blocks_.try_emplace(first.getParent(), Range{&first, &last});
  if (fresh) return;
  Range& range = known->second;
  if (&first != range.first && first.comesBefore(range.first)) range.first = &first;
  if (&last != range.last && range.last->comesBefore(&last)) range.last = &last;
}

// Goes through a creator's code from a creation on.
class Threads::Walk final {
 public:
  // From where `child` is created; without one, from `start`.
  Walk(const Threads& threads, const Thread& creator, const llvm::Instruction& start, const Thread* child, bool joins,
       Region& region, bool descendants = false)
      : threads_(threads),
        creator_(creator),
        start_(&start),
        child_(child),
        joins_(joins),
        descendants_(descendants),
        is_task_(child != nullptr && called_name(*child->created) == kForkTask),
        region_(region) {
    in_creator_.insert(creator.functions.begin(), creator.functions.end());
  }
  // Up to what stops it.
  Walk(const Threads& threads, const Thread& creator, const Stops& stops, Region& region)
      : threads_(threads), creator_(creator), child_(nullptr), joins_(true), stops_(&stops), region_(region) {
    in_creator_.insert(creator.functions.begin(), creator.functions.end());
  }

  void run_from(const llvm::Instruction& first) {
    walk_up(first);
    walk_all();
  }

  // Returns whether the creator may end while the thread is alive.
  bool run() {
    const llvm::Instruction* next = start_->getNextNode();
    if (next != nullptr) {
      walk_up(*next);
    } else {
      // If creating it throws, there is none.
      walk_up(cast<llvm::InvokeInst>(start_)->getNormalDest()->front());
    }
    walk_all();
    return ends_;
  }

 private:
  void walk_all() {
    while (!open_.empty()) {
      const llvm::Instruction* at = open_.back();
      open_.pop_back();
      walk_block(*at, true);
    }
  }

  void walk_up(const llvm::Instruction& first) {
    if (!up_.insert(&first).second) return;
    open_.push_back(&first);
  }

  // From `first` to the end of its block; further blocks are left to who called. Returns whether a return was reached.
  void walk_block(const llvm::Instruction& first, bool up) {
    const llvm::BasicBlock* block = first.getParent();
    const llvm::Instruction* at = &first;
    Ways ways;
    for (;; at = at->getNextNode()) {
      if (joins_ && is_join(*at)) {
        region_.add(first, *at);
        return;
      }
      const auto* call = dyn_cast<llvm::CallBase>(at);
      ways = call == nullptr ? Ways{} : passes(*call);
      if (!ways.returns && !ways.unwinds) {
        region_.add(first, *at);
        return;
      }
      if (!ways.returns && !at->isTerminator()) {
        // An exception leaves the function here.
        region_.add(first, *at);
        if (up) return_up(*block->getParent(), false);
        return;
      }
      if (at->isTerminator()) break;
    }
    region_.add(first, *at);
    if (isa<llvm::ReturnInst, llvm::ResumeInst>(at)) {
      if (up) return_up(*block->getParent(), isa<llvm::ReturnInst>(at));
      return;
    }
    for (const llvm::BasicBlock* successor : llvm::successors(block)) {
      if ((joins_ && ends_joins(*block, *successor)) || !ways.leads_to(*at, *successor)) continue;
      if (up) walk_up(successor->front());
    }
  }

  void return_up(const llvm::Function& function, bool returns) {
    if (!(returns ? returned_ : unwound_).insert(&function).second) return;
    if (&function == creator_.root && returns) ends_ = true;
    const auto callers = threads_.callers_.find(&function);
    if (callers == threads_.callers_.end()) return;
    for (const llvm::CallBase* call : callers->second) {
      if (!in_creator_.contains(call->getFunction())) continue;
      if (const llvm::Instruction* next = call->getNextNode()) {
        if (returns) {
          walk_up(*next);
        } else {
          return_up(*call->getFunction(), false);
        }
      } else {
        const auto* invoke = cast<llvm::InvokeInst>(call);
        walk_up((returns ? invoke->getNormalDest() : invoke->getUnwindDest())->front());
      }
    }
  }

  // How control comes out of a call with the thread still alive.
  struct Ways {
    bool returns = true;
    bool unwinds = true;
    [[nodiscard]] bool leads_to(const llvm::Instruction& end, const llvm::BasicBlock& next) const {
      const auto* invoke = dyn_cast<llvm::InvokeInst>(&end);
      return invoke == nullptr || (&next == invoke->getNormalDest() ? returns : unwinds);
    }
  };

  // What a call executes meanwhile joins the region.
  Ways passes(const llvm::CallBase& call) {
    const std::vector<const llvm::Function*>& callees = threads_.points_to_.callees(call);
    if (callees.empty()) return {};
    Ways any{false, false};
    for (const llvm::Function* callee : callees) {
      const Ways one = passes(*callee);
      any.returns |= one.returns;
      any.unwinds |= one.unwinds;
    }
    return any;
  }

  Ways passes(const llvm::Function& function) {
    const auto [known, fresh] = passes_.try_emplace(&function, Ways{});
    if (!fresh) return known->second;
    Ways reached{false, false};
    llvm::DenseSet<const llvm::BasicBlock*> seen;
    std::vector<const llvm::BasicBlock*> open{&function.getEntryBlock()};
    seen.insert(open.back());
    while (!open.empty()) {
      const llvm::BasicBlock* block = open.back();
      open.pop_back();
      bool through = true;
      Ways ways;
      const llvm::Instruction* last = block->getTerminator();
      for (const llvm::Instruction& instruction : *block) {
        const auto* call = dyn_cast<llvm::CallBase>(&instruction);
        if (joins_ && is_join(instruction)) {
          through = false;
        } else if (call != nullptr) {
          ways = passes(*call);
          if (!instruction.isTerminator() && ways.unwinds && !call->doesNotThrow()) reached.unwinds = true;
          through = ways.returns || (instruction.isTerminator() && ways.unwinds);
        }
        if (through) continue;
        last = &instruction;
        break;
      }
      region_.add(block->front(), *last);
      if (!through) continue;
      reached.returns |= isa<llvm::ReturnInst>(last);
      reached.unwinds |= isa<llvm::ResumeInst>(last);
      for (const llvm::BasicBlock* successor : llvm::successors(block)) {
        if ((joins_ && ends_joins(*block, *successor)) || !ways.leads_to(*last, *successor)) continue;
        if (seen.insert(successor).second) open.push_back(successor);
      }
    }
    passes_[&function] = reached;
    return reached;
  }

  // The threads whose handle a join may have.
  [[nodiscard]] bool may_join_child(const Value& handle, bool& only) const {
    only = true;
    bool found = false;
    for (const PointedTo& to : threads_.points_to_.of(&handle)) {
      const ObjectInfo& info = threads_.points_to_.object(to.object);
      if (info.kind != ObjectKind::kThread) continue;
      if (info.origin == child_->created) {
        found = true;
      } else {
        only = false;
      }
    }
    return found;
  }

  [[nodiscard]] const llvm::Loop* loop_of(const llvm::Instruction& instruction) const {
    return threads_.loops(*instruction.getFunction()).getLoopFor(instruction.getParent());
  }

  // Whether behind it the thread has surely ended.
  [[nodiscard]] bool is_join(const llvm::Instruction& instruction) const {
    if (stops_ != nullptr) return (*stops_)(instruction);
    const llvm::StringRef name = called_name(instruction);
    if (is_task_ && ((name == "__kmpc_omp_taskwait" && !descendants_) || is_barrier(instruction) ||
                     (name == "__kmpc_end_taskgroup" && is_of_group(cast<llvm::CallBase>(instruction)))))
      return true;
    return name == kJoin && joins_here(*cast<llvm::CallBase>(instruction).getArgOperand(0), instruction);
  }

  // Whether a task was created after the group began that ends here.
  [[nodiscard]] bool is_of_group(const llvm::CallBase& end) const {
    const llvm::CallBase& created = *child_->created;
    if (created.getFunction() != end.getFunction()) return false;
    const llvm::DominatorTree dominators(const_cast<llvm::Function&>(*end.getFunction()));
    std::vector<const llvm::Instruction*> marks;  // before the end, the first one first
    for (const llvm::Instruction& each : llvm::instructions(*end.getFunction())) {
      const llvm::StringRef name = called_name(each);
      if ((name == "__kmpc_taskgroup" || name == "__kmpc_end_taskgroup") && dominators.dominates(&each, &end))
        marks.push_back(&each);
    }
    std::sort(marks.begin(), marks.end(), [&](const llvm::Instruction* a, const llvm::Instruction* b) {
      return a != b && dominators.dominates(a, b);
    });
    std::vector<const llvm::Instruction*> open;
    for (const llvm::Instruction* mark : marks) {
      if (called_name(*mark) == "__kmpc_taskgroup") {
        open.push_back(mark);
      } else if (!open.empty()) {
        open.pop_back();
      }
    }
    return !open.empty() && dominators.dominates(open.back(), &created);
  }

  [[nodiscard]] bool joins_here(const Value& handle, const llvm::Instruction& instruction) const {
    bool only = true;
    if (!may_join_child(handle, only) || !only) return false;
    const llvm::Loop* created_in = loop_of(*child_->created);
    if (instruction.getFunction() == child_->created->getFunction()) {
      // Created and joined in each turn, or each but once.
      return created_in == nullptr || created_in->contains(instruction.getParent());
    }
    return created_in == nullptr && threads_.is_once(*child_->created);
  }

  // Whether control, going from one block to the other, leaves a loop that joins all such threads.
  [[nodiscard]] bool ends_joins(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const {
    if (is_barrier_edge(from, to)) return stops_ != nullptr || is_task_;
    if (child_ == nullptr || !threads_.joining_.contains(from.getParent())) return false;
    const llvm::LoopInfo& loops = threads_.loops(*from.getParent());
    for (const llvm::Loop* loop = loops.getLoopFor(&from); loop != nullptr; loop = loop->getParentLoop()) {
      if (!loop->contains(&to) && !to.isLandingPad() && joins_all(*loop)) return true;
    }
    // A loop that may have no turn at all is entered behind a question.
    const auto* branch = dyn_cast<llvm::BranchInst>(from.getTerminator());
    if (branch == nullptr || !branch->isConditional()) return false;
    const llvm::Loop* around = loops.getLoopFor(&from);
    for (const llvm::BasicBlock* other : branch->successors()) {
      if (other == &to) continue;
      // Perhaps by a block that does nothing else.
      const llvm::BasicBlock* next = other->getSingleSuccessor();
      const bool is_header = loops.isLoopHeader(other);
      const llvm::BasicBlock* entered = is_header || next == nullptr ? other : next;
      const llvm::Loop* loop = loops.getLoopFor(entered);
      if (loop != nullptr && loop->getHeader() == entered && loop->getParentLoop() == around && !loop->contains(&to) &&
          joins_all(*loop))
        return true;
    }
    return false;
  }

  [[nodiscard]] bool joins_all(const llvm::Loop& loop) const {
    const llvm::Loop* created_in = loop_of(*child_->created);
    if (created_in == &loop || (created_in != nullptr && loop.contains(created_in))) return false;
    for (const llvm::BasicBlock* block : loop.blocks()) {
      const auto joins = [&](const Value& handle) {
        bool only = true;
        return may_join_child(handle, only) && (created_in == nullptr || turns_enough(*created_in, loop));
      };
      for (const llvm::Instruction& instruction : *block) {
        if (called_name(instruction) == kJoin && joins(*cast<llvm::CallBase>(instruction).getArgOperand(0)))
          return true;
      }
    }
    return false;
  }

  // False if the number of turns of both is known, and the second has fewer.
  [[nodiscard]] static bool turns_enough(const llvm::Loop& creates, const llvm::Loop& joins) {
    const auto turns = [](const llvm::Loop& loop) -> std::optional<llvm::APInt> {
      llvm::Function& function = *loop.getHeader()->getParent();
      llvm::TargetLibraryInfoImpl implementation;
      llvm::TargetLibraryInfo library(implementation);
      llvm::AssumptionCache assumptions(function);
      llvm::DominatorTree dominators(function);
      llvm::LoopInfo loops(dominators);
      llvm::ScalarEvolution evolution(function, library, assumptions, dominators, loops);
      const auto* count =
          dyn_cast<llvm::SCEVConstant>(evolution.getBackedgeTakenCount(loops.getLoopFor(loop.getHeader())));
      if (count == nullptr) return std::nullopt;
      return count->getAPInt().zextOrTrunc(64);
    };
    const std::optional<llvm::APInt> created = turns(creates);
    const std::optional<llvm::APInt> joined = turns(joins);
    return !created || !joined || joined->uge(*created);
  }

  const Threads& threads_;
  const Thread& creator_;
  const llvm::Instruction* start_ = nullptr;
  const Thread* child_;  // null: nobody joins
  const bool joins_;
  const bool descendants_ = false;  // of a task: those that it creates are to have ended, too
  const bool is_task_ = false;
  const Stops* stops_ = nullptr;
  Region& region_;
  llvm::DenseSet<const llvm::Function*> in_creator_;
  llvm::DenseMap<const llvm::Function*, Ways> passes_;
  llvm::DenseSet<const llvm::Function*> returned_;
  llvm::DenseSet<const llvm::Function*> unwound_;
  llvm::DenseSet<const llvm::Instruction*> up_;
  std::vector<const llvm::Instruction*> open_;
  bool ends_ = false;
};

Threads::Threads(llvm::Module& module, const PointsTo& points_to) : points_to_(points_to) {
  find_callers(module);
  find_threads(module);
  find_regions();
}
Threads::~Threads() = default;

const llvm::LoopInfo& Threads::loops(const llvm::Function& function) const {
  std::unique_ptr<llvm::LoopInfo>& known = loops_[&function];
  if (known == nullptr) {
    const llvm::DominatorTree dominators(const_cast<llvm::Function&>(function));
    known = std::make_unique<llvm::LoopInfo>(dominators);
  }
  return *known;
}

void Threads::find_callers(llvm::Module& module) {
  llvm::DenseSet<std::pair<const llvm::Function*, const llvm::Function*>> callee_seen;
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      const llvm::StringRef name = called_name(*call);
      const bool handles = name == kHandler;
      if (name == kJoin) joining_.insert(&function);
      for (const llvm::Function* callee : points_to_.callees(*call)) {
        if (callee_seen.insert({&function, callee}).second) calls_[&function].emplace_back(callee, call);
        callers_[callee].push_back(call);
        if (handles && !llvm::is_contained(handlers_, callee)) handlers_.push_back(callee);
      }
      if (!points_to_.created(*call).empty()) creations_[&function].push_back(call);
    }
  }
}

void Threads::find_functions(Thread& thread) const {
  llvm::DenseSet<const llvm::Function*> seen{thread.root};
  thread.functions.push_back(thread.root);
  for (const llvm::Function* handler : handlers_) {
    if (seen.insert(handler).second) thread.functions.push_back(handler);
  }
  for (size_t i = 0; i < thread.functions.size(); ++i) {
    const auto calls = calls_.find(thread.functions[i]);
    if (calls == calls_.end()) continue;
    for (const auto& [callee, call] : calls->second) {
      if (!seen.insert(callee).second) continue;
      thread.functions.push_back(callee);
      thread.called_by[callee] = call;
    }
  }
}

// Handlers of signals and what they call.
std::vector<const llvm::Function*> Threads::handled_functions() const {
  std::vector<const llvm::Function*> open = handlers_;
  llvm::DenseSet<const llvm::Function*> seen(open.begin(), open.end());
  for (size_t i = 0; i < open.size(); ++i) {
    const auto calls = calls_.find(open[i]);
    if (calls == calls_.end()) continue;
    for (const auto& [callee, call] : calls->second) {
      if (seen.insert(callee).second) open.push_back(callee);
    }
  }
  return open;
}

void Threads::find_threads(llvm::Module& module) {
  Thread first;
  first.root = module.getFunction(kMain);
  if (first.root == nullptr || first.root->isDeclaration()) return;
  threads_.push_back(std::move(first));
  size_t executed = 0;
  for (size_t i = 0; i < threads_.size(); ++i) {
    find_functions(threads_[i]);
    executed += threads_[i].functions.size();
    const std::vector<const llvm::Function*> functions = threads_[i].functions;
    for (const llvm::Function* function : functions) {
      const auto creations = creations_.find(function);
      if (creations == creations_.end()) continue;
      for (const llvm::CallBase* call : creations->second) {
        for (const llvm::Function* root : points_to_.created(*call)) {
          // One that creates its own kind is many.
          int same = -1;
          for (int above = static_cast<int>(i); above >= 0; above = threads_[static_cast<size_t>(above)].parent) {
            const Thread& ancestor = threads_[static_cast<size_t>(above)];
            if (ancestor.created == call && ancestor.root == root) same = above;
          }
          const bool is_large = threads_.size() >= kMostThreads || executed >= kMostExecuted;
          if (same < 0 && is_large && called_name(*call) == kFork) {
            for (size_t other = 0; other < threads_.size(); ++other) {
              if (threads_[other].created == call && threads_[other].root == root) same = static_cast<int>(other);
            }
            if (same >= 0) threads_[static_cast<size_t>(same)].stands_for_others = true;
          }
          if (same >= 0) {
            threads_[static_cast<size_t>(same)].many = true;
            continue;
          }
          Thread child;
          child.parent = static_cast<int>(i);
          child.created = call;
          child.root = root;
          child.is_team = called_name(*call) == kForkTeam;
          child.many = child.is_team;
          threads_[i].children.push_back(static_cast<int>(threads_.size()));
          threads_.push_back(std::move(child));
        }
      }
    }
  }
}

void Threads::find_regions() {
  for (size_t i = 0; i < threads_.size(); ++i) {
    const int parent = threads_[i].parent;
    chains_.push_back(parent < 0 ? std::vector<int>{} : chains_[static_cast<size_t>(parent)]);
    chains_.back().push_back(static_cast<int>(i));
  }
  joined_.resize(threads_.size());
  unjoined_.resize(threads_.size());
  deep_.resize(threads_.size());
  for (size_t i = 1; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    if (thread.is_team) continue;
    const Thread& creator = threads_[static_cast<size_t>(thread.parent)];
    thread.outlives = Walk(*this, creator, *thread.created, &thread, true, joined_[i]).run();
    if (called_name(*thread.created) == kForkTask) {
      // A team waits for its tasks, a task does not.
      if (creator.created == nullptr || creator.is_team) thread.outlives = false;
      Walk(*this, creator, *thread.created, &thread, true, deep_[i], true).run();
    }
    Walk(*this, creator, *thread.created, &thread, false, unjoined_[i]).run();
    thread.many |= joined_[i].has(*thread.created);
  }
  // Handlers may run whatever else runs.
  const std::vector<const llvm::Function*> handled = handled_functions();
  for (std::vector<Region>* regions : {&joined_, &unjoined_, &deep_}) {
    for (size_t i = 1; i < threads_.size(); ++i) {
      for (const llvm::Function* function : handled) {
        for (const llvm::BasicBlock& block : *function) (*regions)[i].add(block.front(), block.back());
      }
    }
  }
  phases_.resize(threads_.size());
  for (size_t i = 1; i < threads_.size(); ++i) {
    if (threads_[i].is_team) phases_[i] = std::make_unique<TeamPhases>(*this, static_cast<int>(i));
  }
}

const std::vector<const llvm::CallBase*>& Threads::callers(const llvm::Function& function) const {
  static const std::vector<const llvm::CallBase*> none;
  const auto known = callers_.find(&function);
  return known == callers_.end() ? none : known->second;
}

const Region& Threads::region(int child, bool without_joins) const {
  const auto number = static_cast<size_t>(child);
  if (!without_joins) return joined_[number];
  const bool is_task = threads_[number].created != nullptr && called_name(*threads_[number].created) == kForkTask;
  return (is_task ? deep_ : unjoined_)[number];
}

bool Threads::stands_for_others(const std::vector<int>& chain) const {
  return std::any_of(chain.begin(), chain.end(),
                     [&](int thread) { return threads_[static_cast<size_t>(thread)].stands_for_others; });
}

// Whether a thread of the chain, from the given one's child on, may live longer than its creator.
bool Threads::outlives_any(const std::vector<int>& chain, size_t from) const {
  for (size_t i = from + 1; i < chain.size(); ++i) {
    if (threads_[static_cast<size_t>(chain[i])].outlives) return true;
  }
  return false;
}

bool Threads::siblings_parallel(const std::vector<int>& a, const std::vector<int>& b, size_t at) const {
  const Thread& one = threads_[static_cast<size_t>(a[at])];
  const Thread& other = threads_[static_cast<size_t>(b[at])];
  // Of several functions that one creation may run, each time one is.
  if (one.created == other.created) return one.many || other.many;
  return region(a[at], outlives_any(a, at)).has(*other.created) || region(b[at], outlives_any(b, at)).has(*one.created);
}

// Whether no two threads of the team at `at` can do these at the same time: tasks and teams within it have ended at the
// next barrier, so each counts as where it is created.
bool Threads::is_apart_in_team(const std::vector<int>& a, const llvm::Instruction& in_a, const std::vector<int>& b,
                               const llvm::Instruction& in_b, size_t at) const {
  const TeamPhases* phases = this->phases(a[at]);
  if (phases == nullptr) return false;
  const auto in_team = [&](const std::vector<int>& chain, const llvm::Instruction& own) -> const llvm::Instruction* {
    for (size_t i = at + 1; i < chain.size(); ++i) {
      const Thread& below = threads_[static_cast<size_t>(chain[i])];
      if (!below.is_team && called_name(*below.created) != kForkTask) return nullptr;
    }
    return at + 1 == chain.size() ? &own : threads_[static_cast<size_t>(chain[at + 1])].created;
  };
  const llvm::Instruction* one = in_team(a, in_a);
  const llvm::Instruction* other = in_team(b, in_b);
  return one != nullptr && other != nullptr && !phases->parallel(*one, *other);
}

bool Threads::parallel(int a, const llvm::Instruction& in_a, int b, const llvm::Instruction& in_b,
                       const std::set<int>* apart, const std::vector<bool>* alive_a,
                       const std::vector<bool>* alive_b) const {
  const std::vector<int>& to_a = chain(a);
  const std::vector<int>& to_b = chain(b);
  if (stands_for_others(to_a) || stands_for_others(to_b)) return true;
  size_t common = 0;
  while (common < to_a.size() && common < to_b.size() && to_a[common] == to_b[common]) {
    if (threads_[static_cast<size_t>(to_a[common])].many && (apart == nullptr || !apart->contains(to_a[common])) &&
        !is_apart_in_team(to_a, in_a, to_b, in_b, common))
      return true;
    ++common;
  }
  if (common == to_a.size() && common == to_b.size()) return false;
  const auto meets = [&](int creator, const llvm::Instruction& in, const std::vector<bool>* alive,
                         const std::vector<int>& to) {
    const bool without_joins = outlives_any(to, common);
    const std::vector<int>& children = threads_[static_cast<size_t>(creator)].children;
    const auto number = static_cast<size_t>(std::find(children.begin(), children.end(), to[common]) - children.begin());
    if (alive != nullptr && !(*alive)[2 * number + (without_joins ? 1 : 0)]) return false;
    return region(to[common], without_joins).has(in);
  };
  if (common == to_a.size()) return meets(a, in_a, alive_a, to_b);
  if (common == to_b.size()) return meets(b, in_b, alive_b, to_a);
  return siblings_parallel(to_a, to_b, common);
}

bool Threads::is_single(int thread) const {
  for (const int each : chain(thread)) {
    const Thread& of = threads_[static_cast<size_t>(each)];
    if (of.many || (of.created != nullptr && !is_once(*of.created))) return false;
  }
  return true;
}

void Threads::walk_after(int thread, const llvm::Instruction& instruction, Region& region) const {
  Walk(*this, threads_[static_cast<size_t>(thread)], instruction, nullptr, false, region).run();
}

bool Threads::leads_to_creation(const llvm::CallBase& call, int child) const {
  const auto [known, fresh] = creators_.try_emplace(child);
  if (fresh) {
    std::vector<const llvm::Function*> open{threads_[static_cast<size_t>(child)].created->getFunction()};
    known->second.insert(open.back());
    while (!open.empty()) {
      const llvm::Function* function = open.back();
      open.pop_back();
      for (const llvm::CallBase* caller : callers(*function)) {
        if (known->second.insert(caller->getFunction()).second) open.push_back(caller->getFunction());
      }
    }
  }
  return llvm::any_of(points_to_.callees(call),
                      [&](const llvm::Function* callee) { return creators_[child].contains(callee); });
}

void Threads::walk_until(int thread, const llvm::Instruction& first, Stops stops, Region& region) const {
  Walk(*this, threads_[static_cast<size_t>(thread)], stops, region).run_from(first);
}

bool Threads::precedes(int a, const llvm::Instruction& in_a, int b, const llvm::Instruction& in_b) const {
  const std::vector<int>& to_a = chain(a);
  const std::vector<int>& to_b = chain(b);
  if (stands_for_others(to_a) || stands_for_others(to_b)) return false;
  size_t common = 0;
  while (common < to_a.size() && common < to_b.size() && to_a[common] == to_b[common]) ++common;
  // Before it created the other, or the thread that did.
  if (common == to_a.size()) return !unjoined_[static_cast<size_t>(to_b[common])].has(in_a);
  // It was created and joined before.
  if (common == to_b.size()) {
    const auto child = static_cast<size_t>(to_a[common]);
    return !outlives_any(to_a, common) && unjoined_[child].has(in_b) && !joined_[child].has(in_b);
  }
  return false;
}

bool Threads::is_shared_time(int thread, const llvm::Instruction& instruction) const {
  if (thread != 0) return true;
  return std::any_of(threads_[0].children.begin(), threads_[0].children.end(), [&](int child) {
    return region(child, outlives_any(chain(child), 1)).has(instruction) || region(child, true).has(instruction);
  });
}

bool Threads::is_once(const llvm::Function& function) const {
  if (function.getName() == kMain) return true;
  const auto [known, fresh] = once_.try_emplace(&function, 0);
  if (!fresh) return known->second == 1;  // recursion: while it is asked, no
  bool once = false;
  const auto callers = callers_.find(&function);
  size_t entries = callers == callers_.end() ? 0 : callers->second.size();
  for (const Thread& thread : threads_) {
    if (thread.created == nullptr || thread.root != &function) continue;
    ++entries;
    once = !thread.many && is_once(*thread.created);
  }
  if (callers != callers_.end() && callers->second.size() == 1) once = is_once(*callers->second.front());
  once = once && entries == 1;
  once_[&function] = once ? 1 : 2;
  return once;
}

bool Threads::is_once(const llvm::Instruction& instruction) const {
  const llvm::Function& function = *instruction.getFunction();
  return loops(function).getLoopFor(instruction.getParent()) == nullptr && is_once(function);
}

}  // namespace norn::statics
