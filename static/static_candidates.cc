#include "static/static_candidates.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/hash.h"
#include "compiler/analysis/library.h"
#include "compiler/emit/labels.h"
#include "compiler/naming/names.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"
#include "norn/abi.h"
#include "report/race.h"
#include "static/library_accesses.h"
#include "static/library_models.h"

namespace norn::statics {

using llvm::dyn_cast;

namespace {

constexpr uint64_t kEndless = uint64_t{1} << 40;
constexpr size_t kDeepest = 16;         // calls of library code by library code
constexpr size_t kMostStatements = 64;  // that one instruction of it is
constexpr size_t kMostOfObject = 5000;  // candidates on one object; more are not told
constexpr unsigned kMostSteps = 500;    // to find them

bool overlap(int64_t offset_a, uint64_t size_a, int64_t period_a, int64_t offset_b, uint64_t size_b, int64_t period_b) {
  const auto covers = [](uint64_t size, int64_t period) {
    return period != 0 && size >= static_cast<uint64_t>(period);
  };
  if (period_a != 0 && period_b == 0) size_a = kEndless;
  if (period_b != 0 && period_a == 0) size_b = kEndless;
  if (period_a != 0 && period_b != 0 && (covers(size_a, period_a) || covers(size_b, period_b))) return true;
  return offset_a < offset_b + static_cast<int64_t>(size_b) && offset_b < offset_a + static_cast<int64_t>(size_a);
}

bool intersect(const std::set<unsigned>& a, const std::set<unsigned>& b) {
  return std::any_of(a.begin(), a.end(), [&](unsigned each) { return b.contains(each); });
}

// Whether a file of the C++ library is about a state that it shares between threads for its user.
bool is_about_state(llvm::StringRef path) {
  const llvm::StringRef file = llvm::sys::path::filename(path);
  return file == "future" || file == "stop_token";
}

// Whether an object can be freed by a pointer to it: only what was allocated, by a pointer to its beginning, and with
// the size that it has if the call says one (operator delete).
bool may_free(const PointedTo& to, const ObjectInfo& info, uint64_t size) {
  if (info.kind == ObjectKind::kForeign) return true;
  if (info.kind != ObjectKind::kHeap || to.offset != 0) return false;
  const auto* call = dyn_cast<llvm::CallBase>(info.origin);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  if (size == 0 || callee == nullptr || !callee->getName().starts_with("_Zn")) return true;
  const auto* allocated = dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
  return allocated == nullptr || allocated->getZExtValue() == size;
}

}  // namespace

Candidates::Candidates(const Program& program, const PointsTo& points_to, const Threads& threads, const Locks& locks,
                       const Signals& signals)
    : program_(program), points_to_(points_to), threads_(threads), locks_(locks), signals_(signals) {
  if (threads.all().size() < 2) return;
  find_shared();
  by_object_.resize(points_to.objects());
  collect();
  pair_up();
}

Candidates::~Candidates() = default;

// What several threads can reach: what global variables and the arguments of threads lead to.
void Candidates::find_shared() {
  shared_objects_.assign(points_to_.objects(), false);
  std::vector<ObjectId> open;
  const auto add = [&](ObjectId object) {
    if (shared_objects_[object]) return;
    shared_objects_[object] = true;
    open.push_back(object);
  };
  for (ObjectId object = 0; object < points_to_.objects(); ++object) {
    if (points_to_.object(object).kind == ObjectKind::kGlobal) add(object);
  }
  for (const Thread& thread : threads_.all()) {
    if (thread.created == nullptr) continue;
    for (const llvm::Use& argument : thread.created->args()) {
      if (!argument->getType()->isPointerTy()) continue;
      for (const PointedTo& to : points_to_.of(argument.get())) add(to.object);
    }
  }
  while (!open.empty()) {
    const ObjectId object = open.back();
    open.pop_back();
    for (const ObjectId reached : points_to_.reached_from(object)) add(reached);
  }
}

unsigned Candidates::add_statement(Statement statement) {
  const auto [known, fresh] =
      statement_numbers_.try_emplace({statement.identity, statement.site}, static_cast<unsigned>(statements_.size()));
  if (fresh) statements_.push_back(std::move(statement));
  return known->second;
}

// Up from library code, by all who call it in that thread.
void Candidates::climb(int thread, const llvm::Function& function, Statement statement, std::vector<unsigned>& result,
                       unsigned& budget) {
  const Thread& of = threads_.all()[static_cast<size_t>(thread)];
  if (&function == of.root || statement.calls.size() >= kDeepest || result.size() >= kMostStatements || budget == 0) {
    result.push_back(add_statement(std::move(statement)));
    return;
  }
  for (const llvm::CallBase* call : threads_.callers(function)) {
    if (call->getFunction() != of.root && !of.called_by.contains(call->getFunction())) continue;
    if (llvm::is_contained(statement.calls, call)) continue;
    if (budget == 0) break;
    --budget;
    Statement longer = statement;
    longer.calls.push_back(call);
    bool whole = false;
    unsigned own = 0;
    for (const SiteUse& use : Program::uses(*call)) {
      if ((use.flags & compiler::kLabelCall) == 0) continue;
      whole = program_.extend_identity(longer.identity, use.site, own);
      for (const unsigned outer : use.calls) whole = whole || program_.extend_identity(longer.identity, outer, own);
    }
    if (whole) {
      result.push_back(add_statement(std::move(longer)));
    } else {
      climb(thread, *call->getFunction(), std::move(longer), result, budget);
    }
  }
}

std::vector<unsigned> Candidates::statements_of(int thread, const llvm::Instruction& instruction, const SiteUse& use) {
  Statement statement;
  statement.site = use.site;
  if ((use.flags & compiler::kLabelCall) != 0) {
    const llvm::StringRef name = llvm::cast<llvm::CallBase>(instruction).getCalledFunction()->getName();
    statement.of_library = true;
    statement.identity = hash_next(0, report::text_hash(Text(name.data(), name.size())));
    statement.identity ^= statement.identity >> 32;
  }
  unsigned own = 0;
  bool whole = program_.extend_identity(statement.identity, use.site, own);
  for (const unsigned outer : use.calls) whole = whole || program_.extend_identity(statement.identity, outer, own);
  if (whole) return {add_statement(std::move(statement))};
  std::vector<unsigned> result;
  unsigned budget = kMostSteps;
  climb(thread, *instruction.getFunction(), std::move(statement), result, budget);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void Candidates::add_access(int thread, const llvm::Instruction& instruction, const SiteUse& use,
                            const llvm::Value* address, uint64_t size, AccessKind kind) {
  std::vector<PointedTo> shared;
  std::set<ObjectId> whole;
  for (const PointedTo& to : points_to_.of(address)) {
    const ObjectInfo& info = points_to_.object(to.object);
    if (!shared_objects_[to.object] || info.kind == ObjectKind::kFunction || info.kind == ObjectKind::kThread) continue;
    if (info.kind == ObjectKind::kForeign && llvm::cast<llvm::Function>(info.origin)->getName() == "__errno_location")
      continue;
    const auto* global = dyn_cast<llvm::GlobalVariable>(info.origin);
    if (global != nullptr && global->isConstant()) continue;
    if (kind.frees && (!may_free(to, info, size) || !whole.insert(to.object).second)) continue;
    shared.push_back(to);
  }
  if (shared.empty()) return;
  AccessGroup access;
  access.kind = kind;
  access.size = size == 0 || kind.frees ? kEndless : size;
  access.thread = thread;
  access.held = locks_.held(thread, instruction);
  access.guards = locks_.guards(access.held, address);
  access.waited = locks_.waited(access.held);
  signals_.close(access.waited, locks_);
  for (unsigned cell = 0; cell < signals_.cells(); ++cell) {
    if (signals_.precedes(cell, thread, instruction)) access.precedes.insert(cell);
  }
  std::string likeness = std::to_string(thread) + " " + std::to_string(access.size) + (kind.write ? "w" : "r") +
                         (kind.atomic ? "a" : "") + (kind.spins ? "s" : "") + (kind.frees ? "f" : "") +
                         (kind.of_library ? "l" : "") + (kind.of_state ? "t" : "") + " ";
  std::set<std::string> words;
  for (const Locks::Guard& guard : access.guards) {
    words.insert(std::to_string(static_cast<int>(guard.kind)) + ":" + std::to_string(guard.a) + ":" +
                 std::to_string(guard.b) + (guard.shared ? "s" : "x"));
  }
  for (const std::string& word : words) likeness += word + " ";
  for (const unsigned cell : access.waited) likeness += "w" + std::to_string(cell);
  for (const unsigned cell : access.precedes) likeness += "p" + std::to_string(cell);
  for (const int child : threads_.all()[static_cast<size_t>(thread)].children) {
    likeness += threads_.region(child, false).has(instruction) ? "1" : "0";
    likeness += threads_.region(child, true).has(instruction) ? "1" : "0";
  }
  const std::vector<unsigned> statements = statements_of(thread, instruction, use);
  for (const PointedTo& to : shared) {
    access.offset = kind.frees ? 0 : to.offset;
    access.period = kind.frees ? 0 : to.period;
    AccessGroup& group =
        by_object_[to.object]
            .try_emplace(likeness + " " + std::to_string(access.offset) + " " + std::to_string(access.period), access)
            .first->second;
    for (const unsigned statement : statements) group.statements.try_emplace(statement, &instruction);
  }
}

void Candidates::collect() {
  for (size_t number = 0; number < threads_.all().size(); ++number) {
    const auto thread = static_cast<int>(number);
    for (const llvm::Function* function : threads_.all()[number].functions) {
      for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
        const std::vector<SiteUse> uses = Program::uses(instruction);
        if (uses.empty() || !threads_.is_shared_time(thread, instruction)) continue;
        for (const SiteUse& use : uses) {
          const Site& site = program_.sites()[use.site];
          const bool of_library = (site.flags & NORN_SITE_LIBRARY) != 0;
          const bool of_state = of_library && is_about_state(site.file);
          if ((use.flags & compiler::kLabelCall) != 0) {
            const auto& call = llvm::cast<llvm::CallBase>(instruction);
            for (const LibraryAccess& access : library_accesses(call)) {
              AccessKind kind;
              kind.write = access.write;
              kind.frees = access.frees;
              kind.of_library = of_library;
              kind.of_state = of_state;
              add_access(thread, instruction, use, call.getArgOperand(access.argument), access.size, kind);
            }
            continue;
          }
          AccessKind kind;
          kind.write = (use.flags & compiler::kLabelWrites) != 0;
          kind.atomic = (use.flags & compiler::kLabelAtomic) != 0;
          kind.spins = (use.flags & compiler::kLabelSpins) != 0;
          kind.of_library = of_library;
          kind.of_state = of_state;
          add_access(thread, instruction, use, instruction.getOperand(use.operand), use.size, kind);
        }
      }
    }
  }
}

void Candidates::pair_up() {
  std::set<unsigned> sites;
  for (ObjectId object = 0; object < by_object_.size(); ++object) {
    if (by_object_[object].empty()) continue;
    ++shared_.objects;
    for (const auto& [likeness, group] : by_object_[object]) {
      for (const auto& [statement, instruction] : group.statements) sites.insert(statements_[statement].site);
    }
    pair_up(object, by_object_[object]);
  }
  shared_.accesses = sites.size();
  // Of several ways to one pair the likeliest is told.
  const auto key = [&](const StaticCandidate& candidate) {
    const auto id = [&](int side) { return identity(candidate.sides[side]); };
    return std::tuple(candidate.rank, id(0), id(1), candidate.object);
  };
  std::sort(all_.begin(), all_.end(),
            [&](const StaticCandidate& a, const StaticCandidate& b) { return key(a) < key(b); });
  std::set<std::string> known;
  std::erase_if(all_, [&](const StaticCandidate& candidate) {
    const auto id = [&](int side) { return identity(candidate.sides[side]); };
    return !known.insert(report::race_id(id(0), id(1)).hex).second;
  });
}

// What the C++ library allocates for its own communication between threads: the shared state of futures and stop
// tokens, what a thread is given to run. How its own code accesses that is its business.
bool Candidates::is_state_of_library(ObjectId object) const {
  const ObjectInfo& info = points_to_.object(object);
  const auto* call = info.kind == ObjectKind::kHeap ? dyn_cast<llvm::Instruction>(info.origin) : nullptr;
  const llvm::DILocation* at = call == nullptr ? nullptr : call->getDebugLoc().get();
  // Whoever of the library wanted it; names say less than files, of which the library has one for each matter.
  for (; at != nullptr && compiler::is_library_function(at->getScope()->getSubprogram()); at = at->getInlinedAt()) {
    const llvm::StringRef file = llvm::sys::path::filename(at->getFilename());
    if (is_about_state(file) || file == "std_thread.h" || file == "thread" || file == "condition_variable") return true;
  }
  return false;
}

void Candidates::pair_up(ObjectId object, const Groups& groups) {
  const bool of_library = is_state_of_library(object);
  std::set<std::pair<uint64_t, uint64_t>> seen;
  const auto add = [&](const CandidateSide& a, const CandidateSide& b) {
    if (seen.size() >= kMostOfObject || !seen.insert(std::minmax(identity(a), identity(b))).second) return;
    if (seen.size() == kMostOfObject) ++shared_.cut;
    const AccessKind& one = a.group->kind;
    const AccessKind& other = b.group->kind;
    StaticCandidate candidate;
    // A write first, or who waits.
    const bool turn = (other.spins && !one.spins) || (!one.spins && other.write && !one.write);
    candidate.sides[0] = turn ? b : a;
    candidate.sides[1] = turn ? a : b;
    candidate.object = object;
    candidate.offset = a.group->offset;
    candidate.is_flag = one.spins != other.spins && (one.spins ? other.write : one.write);
    candidate.rank = (one.atomic || other.atomic ? 8 : 0) + (!a.group->held.empty() && !b.group->held.empty() ? 4 : 0) +
                     (one.write && other.write ? 0 : 1) + (a.group->period != 0 || b.group->period != 0 ? 2 : 0) +
                     (points_to_.object(object).kind == ObjectKind::kGlobal ? 0 : 1);
    all_.push_back(candidate);
  };
  for (auto one = groups.begin(); one != groups.end(); ++one) {
    const AccessGroup& a = one->second;
    if (a.statements.empty()) continue;
    for (auto other = one; other != groups.end(); ++other) {
      const AccessGroup& b = other->second;
      if (b.statements.empty() || (!a.kind.write && !b.kind.write) || (a.kind.atomic && b.kind.atomic)) continue;
      if (a.kind.of_library && b.kind.of_library && (of_library || a.kind.of_state || b.kind.of_state)) continue;
      if (!overlap(a.offset, a.size, a.period, b.offset, b.size, b.period)) continue;
      if (!threads_.parallel(a.thread, a.first(), b.thread, b.first())) continue;
      if (Locks::protect(a.guards, b.guards)) continue;
      if (intersect(a.precedes, b.waited) || intersect(b.precedes, a.waited)) continue;
      for (const auto& [statement, instruction] : a.statements) {
        if (seen.size() >= kMostOfObject) return;
        for (const auto& [too, where] : b.statements) add({statement, instruction, &a}, {too, where, &b});
      }
    }
  }
}

}  // namespace norn::statics
