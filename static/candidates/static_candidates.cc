#include "static/candidates/static_candidates.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/hash.h"
#include "base/text_hash.h"
#include "compiler/analysis/library.h"
#include "compiler/emit/labels.h"
#include "compiler/naming/names.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/Path.h"
#include "report/race_id.h"
#include "static/program/library_accesses.h"
#include "static/program/library_models.h"

namespace norn::statics {

using llvm::dyn_cast;

namespace {

constexpr uint64_t kEndless = uint64_t{1} << 40;
constexpr size_t kDeepest = 16;         // calls of library code by library code
constexpr size_t kMostStatements = 64;  // that one instruction of it is
constexpr size_t kMostOfObject = 5000;  // candidates on one object; more are not reported
constexpr unsigned kMostSteps = 500;    // to find them
constexpr size_t kMostWays = 64;        // through library code that are reported of two statements of the program
constexpr size_t kMany = 256;           // shared objects that an access tells apart
constexpr int kOrdered = 16;            // added to the rank of what atomics order

bool overlap(int64_t offset_a, uint64_t size_a, int64_t period_a, int64_t offset_b, uint64_t size_b, int64_t period_b) {
  const auto covers = [](uint64_t size, int64_t period) {
    return period != 0 && size >= static_cast<uint64_t>(period);
  };
  if (period_a != 0 && period_b == 0) size_a = kEndless;
  if (period_b != 0 && period_a == 0) size_b = kEndless;
  if (period_a != 0 && period_b != 0 && (covers(size_a, period_a) || covers(size_b, period_b))) return true;
  return offset_a < offset_b + static_cast<int64_t>(size_b) && offset_b < offset_a + static_cast<int64_t>(size_a);
}

// Whether a file of the C++ library is about a state that it shares between threads for its user.
bool is_about_state(llvm::StringRef path) {
  const llvm::StringRef file = llvm::sys::path::filename(path);
  return file == "future" || file == "stop_token";
}

// What a run calls a function of a library: by its name, and operator delete by all functions that libstdc++'s calls,
// the last one first (runtime/memory/new_delete.cc).
llvm::SmallVector<llvm::StringRef, 4> words_of_call(llvm::StringRef symbol) {
  if (symbol.starts_with("__") && symbol.consume_back("_chk")) symbol.consume_front("__");
  if (!symbol.consume_front("__isoc99_")) symbol.consume_front("__isoc23_");
  if (!symbol.consume_front("_Zd")) return {symbol};
  const bool array = symbol.starts_with("a");
  const bool calls_plain = symbol.starts_with("lPvm") || symbol.starts_with("aPvm") || symbol.contains("nothrow");
  llvm::SmallVector<llvm::StringRef, 4> words{"free", "operator delete"};
  if (array) words.push_back("operator delete[]");
  if (calls_plain) words.push_back(array ? "operator delete[]" : "operator delete");
  return words;
}

using Place = std::tuple<std::string, uint32_t, uint32_t>;
Place place_of(const Site& site) { return {site.file, site.line, site.column}; }

// Whether an atomic access orders what it reads after what was done before it was stored, or the other way round.
bool orders(const llvm::Instruction& instruction) {
  using llvm::isAcquireOrStronger, llvm::isReleaseOrStronger;
  if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) return isAcquireOrStronger(load->getOrdering());
  if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) return isReleaseOrStronger(store->getOrdering());
  const auto both = [](llvm::AtomicOrdering order) { return isAcquireOrStronger(order) && isReleaseOrStronger(order); };
  if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction)) return both(update->getOrdering());
  const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
  return exchange != nullptr && both(exchange->getSuccessOrdering()) &&
         isAcquireOrStronger(exchange->getFailureOrdering());
}

// Whether an address is of a variable of which each thread has its own, named where it is accessed.
bool is_own_copy(const llvm::Value* address) {
  for (;;) {
    address = address->stripPointerCastsAndAliases();
    if (const auto* step = dyn_cast<llvm::GEPOperator>(address); step != nullptr && !step->getType()->isVectorTy()) {
      address = step->getPointerOperand();
    } else if (const auto* call = dyn_cast<llvm::IntrinsicInst>(address);
               call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::threadlocal_address) {
      address = call->getArgOperand(0);
    } else {
      const auto* variable = dyn_cast<llvm::GlobalVariable>(address);
      return variable != nullptr && variable->isThreadLocal();
    }
  }
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
    : program_(program),
      points_to_(points_to),
      threads_(threads),
      locks_(locks),
      signals_(signals),
      contexts_(points_to, threads),
      publication_(points_to, threads),
      shares_(threads),
      counts_(points_to, threads) {
  if (threads.all().size() < 2) return;
  find_shared();
  find_apart();
  by_object_.resize(points_to.objects());
  collect();
  pair_up();
}

Candidates::~Candidates() = default;

// What several threads can reach: what global variables, the arguments of threads and libraries lead to.
void Candidates::find_shared() {
  shared_objects_ = points_to_.reached_from(roots([](int) { return true; }));
}

std::vector<ObjectId> Candidates::roots(llvm::function_ref<bool(int)> counts) const {
  std::vector<ObjectId> roots;
  for (ObjectId object = 0; object < points_to_.objects(); ++object) {
    const ObjectKind kind = points_to_.object(object).kind;
    if (kind == ObjectKind::kGlobal || kind == ObjectKind::kForeign) roots.push_back(object);
  }
  for (size_t i = 0; i < threads_.all().size(); ++i) {
    const Thread& thread = threads_.all()[i];
    if (thread.created == nullptr || !counts(static_cast<int>(i))) continue;
    for (const llvm::Use& argument : thread.created->args()) {
      if (!argument->getType()->isPointerTy()) continue;
      for (const ObjectId object : points_to_.objects_at(argument.get())) roots.push_back(object);
    }
  }
  return roots;
}

// What a thread that is many allocates, and gives to nobody but threads that it creates, each such thread has for
// itself: variables of the bodies of parallel loops, what a worker keeps on its stack for its helpers.
void Candidates::find_apart() {
  if (llvm::any_of(threads_.all(), [](const Thread& thread) { return thread.stands_for_others; })) return;
  std::map<const llvm::Function*, std::vector<int>> executed_by;
  for (size_t i = 0; i < threads_.all().size(); ++i) {
    for (const llvm::Function* function : threads_.all()[i].functions)
      executed_by[function].push_back(static_cast<int>(i));
  }
  for (size_t i = 1; i < threads_.all().size(); ++i) {
    const auto many = static_cast<int>(i);
    if (!threads_.all()[i].many) continue;
    // What a task of OpenMP is given it has for itself.
    const llvm::CallBase& created = *threads_.all()[i].created;
    if (created.getCalledFunction() != nullptr && created.getCalledFunction()->getName() == kForkTask) {
      for (const ObjectId object : points_to_.objects_at(created.getArgOperand(1))) {
        if (points_to_.object(object).kind == ObjectKind::kHeap) apart_[object].insert(many);
      }
    }
    const auto is_below = [&](int thread) { return llvm::is_contained(threads_.chain(thread), many); };
    const std::vector<bool> known =
        points_to_.reached_from(roots([&](int thread) { return thread == many || !is_below(thread); }));
    for (ObjectId object = 0; object < points_to_.objects(); ++object) {
      const ObjectInfo& info = points_to_.object(object);
      if (known[object] || !shared_objects_[object]) continue;
      if (info.kind != ObjectKind::kStack && info.kind != ObjectKind::kHeap) continue;
      const auto* instruction = dyn_cast<llvm::Instruction>(info.origin);
      const auto owners = instruction == nullptr ? executed_by.end() : executed_by.find(instruction->getFunction());
      if (owners != executed_by.end() && llvm::all_of(owners->second, is_below)) apart_[object].insert(many);
    }
  }
}

unsigned Candidates::add_statement(Statement statement) {
  const auto [known, fresh] =
      statement_numbers_.try_emplace({statement.identity, statement.site}, static_cast<unsigned>(statements_.size()));
  if (fresh) statements_.push_back(std::move(statement));
  return known->second;
}

void Candidates::add_statement(int thread, Climb climb, StatementObjects& result) {
  ObjectSet objects = std::move(climb.objects);
  if (!climb.all) {
    objects |= contexts_.objects(thread, {climb.arguments, {}});
    if (objects.empty()) return;
  }
  const llvm::Function& root = *threads_.all()[static_cast<size_t>(thread)].root;
  VectorOwner owner;
  if (climb.arguments.empty() && !climb.others.empty()) owner = vector_owner(climb.others.front(), root);
  for (const llvm::Value* other : climb.others) {
    if (vector_owner(other, root) != owner) owner = {};
  }
  std::sort(climb.around.begin(), climb.around.end(),
            [](const HeldLock& a, const HeldLock& b) { return a.name < b.name; });
  const auto [known, fresh] = result.try_emplace(add_statement(std::move(climb.statement)));
  known->second.objects |= objects;
  known->second.all |= climb.all;
  if (fresh) {
    known->second.around = std::move(climb.around);
    known->second.alive = std::move(climb.alive);
    known->second.owner = owner;
  } else {
    // By whichever way it is reached.
    std::erase_if(known->second.around, [&](const HeldLock& lock) { return !llvm::is_contained(climb.around, lock); });
    if (known->second.owner != owner) known->second.owner = {};
    for (size_t i = 0; i < climb.alive.size(); ++i) known->second.alive[i] = known->second.alive[i] || climb.alive[i];
  }
}

// Up from library code, by all who call it in that thread.
void Candidates::climb(int thread, const llvm::Function& function, Climb at, StatementObjects& result,
                       unsigned& budget) {
  const Thread& of = threads_.all()[static_cast<size_t>(thread)];
  const bool is_cut = at.statement.calls.size() >= kDeepest || result.size() >= kMostStatements || budget == 0;
  if (is_cut) cut_ways_.insert(at.statement.site);
  if (&function == of.root || is_cut) return add_statement(thread, std::move(at), result);
  for (const llvm::CallBase* call : threads_.callers(function)) {
    if (call->getFunction() != of.root && !of.called_by.contains(call->getFunction())) continue;
    if (llvm::is_contained(at.statement.calls, call)) continue;
    if (budget == 0) return add_statement(thread, std::move(at), result);  // by whichever way
    --budget;
    Climb longer{at.statement, {}, at.objects, at.around, at.alive, at.others};
    for (size_t i = 0; i < of.children.size(); ++i) {
      const int child = of.children[i];
      if (threads_.leads_to_creation(*call, child)) continue;
      for (const bool without_joins : {false, true}) {
        const size_t number = 2 * i + (without_joins ? 1 : 0);
        longer.alive[number] = longer.alive[number] && threads_.region(child, without_joins).has(*call);
      }
    }
    const auto* called = dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCastsAndAliases());
    for (const llvm::Argument* argument : at.arguments) {
      if ((called != nullptr && called->isDeclaration()) || argument->getArgNo() >= call->arg_size()) {
        longer.objects |= contexts_.objects(thread, {{argument}, {}});
        longer.others.push_back(argument);
        continue;
      }
      const AddressSources given = sources_of(call->getArgOperand(argument->getArgNo()));
      longer.objects |= contexts_.objects(given.others);
      longer.others.append(given.others.begin(), given.others.end());
      for (const llvm::Argument* each : given.arguments) {
        if (!llvm::is_contained(longer.arguments, each)) longer.arguments.push_back(each);
      }
    }
    if (longer.objects.empty() && longer.arguments.empty()) continue;
    longer.statement.calls.push_back(call);
    for (const HeldLock& lock : locks_.held_around(thread, *call)) {
      if (!llvm::is_contained(longer.around, lock)) longer.around.push_back(lock);
    }
    bool whole = false;
    unsigned& own = longer.statement.own;
    for (const SiteUse& use : Program::uses(*call)) {
      if ((use.flags & compiler::kLabelCall) == 0) continue;
      whole = program_.extend_identity(longer.statement.identity, use.site, own);
      for (const unsigned outer : use.calls)
        whole = whole || program_.extend_identity(longer.statement.identity, outer, own);
    }
    if (whole) {
      add_statement(thread, std::move(longer), result);
    } else {
      climb(thread, *call->getFunction(), std::move(longer), result, budget);
    }
  }
}

Candidates::StatementObjects Candidates::statements_of(int thread, const llvm::Instruction& instruction,
                                                       const SiteUse& use, const llvm::Value* address) {
  const AddressSources sources = sources_of(address);
  Climb start{{}, sources.arguments, {}, {}, {}, {}};
  start.others.append(sources.others.begin(), sources.others.end());
  start.alive.assign(2 * threads_.all()[static_cast<size_t>(thread)].children.size(), true);
  start.statement.site = use.site;
  if ((use.flags & compiler::kLabelCall) != 0) {
    const llvm::StringRef name = llvm::cast<llvm::CallBase>(instruction).getCalledFunction()->getName();
    start.statement.of_library = true;
    for (const llvm::StringRef each : words_of_call(name)) {
      start.statement.identity = hash_next(start.statement.identity, text_hash(Text(each.data(), each.size())));
      start.statement.identity ^= start.statement.identity >> 32;
    }
  }
  start.statement.own = use.site;
  unsigned& own = start.statement.own;
  bool whole = program_.extend_identity(start.statement.identity, use.site, own);
  for (const unsigned outer : use.calls)
    whole = whole || program_.extend_identity(start.statement.identity, outer, own);
  StatementObjects result;
  unsigned budget = kMostSteps;
  if (whole) start.all = contexts_.is_whole(thread, sources);
  if (!start.all) start.objects = contexts_.objects(sources.others);
  if (whole) {
    add_statement(thread, std::move(start), result);
  } else {
    climb(thread, *instruction.getFunction(), std::move(start), result, budget);
  }
  return result;
}

// Of the places that an address may be, those that several threads can reach and write.
const Candidates::SharedPlaces& Candidates::shared_of(const std::vector<PointedTo>& places) {
  const auto [known, fresh] = shared_places_.try_emplace(&places);
  SharedPlaces& found = known->second;
  if (!fresh) return found;
  for (const PointedTo& to : places) {
    const ObjectInfo& info = points_to_.object(to.object);
    if (!shared_objects_[to.object] || info.kind == ObjectKind::kFunction || info.kind == ObjectKind::kThread) continue;
    if (info.kind == ObjectKind::kForeign && llvm::cast<llvm::Function>(info.origin)->getName() == "__errno_location")
      continue;
    const auto* global = dyn_cast<llvm::GlobalVariable>(info.origin);
    if (global != nullptr && global->isConstant()) continue;
    found.places.push_back(to);
    if (found.objects.empty() || found.objects.back() != to.object) found.objects.push_back(to.object);
  }
  if (found.objects.size() > kMany) {
    for (const ObjectId object : found.objects) found.set.set(object);
  }
  return found;
}

void Candidates::add_access(int thread, const llvm::Instruction& instruction, const SiteUse& use,
                            const llvm::Value* address, uint64_t size, AccessKind kind) {
  const SharedPlaces& all = shared_of(points_to_.of(address));
  std::vector<PointedTo> freed;
  if (kind.frees) {
    for (const PointedTo& to : all.places) {
      if (may_free(to, points_to_.object(to.object), size) && (freed.empty() || freed.back().object != to.object))
        freed.push_back(to);
    }
  }
  const std::vector<PointedTo>& shared = kind.frees ? freed : all.places;
  if (shared.empty()) return;
  const bool is_many = all.objects.size() > kMany;
  AccessGroup access;
  access.kind = kind;
  access.size = size == 0 || kind.frees ? kEndless : size;
  access.thread = thread;
  access.kind.own = is_own_copy(address);
  access.share = shares_.of(thread, instruction, address, size);
  access.unpublished = publication_.is_unpublished(thread, instruction, address);
  access.held = locks_.held(thread, instruction);
  for (unsigned cell = 0; cell < signals_.cells(); ++cell) {
    if (signals_.precedes(cell, thread, instruction)) access.precedes.insert(cell);
  }
  for (const int child : threads_.all()[static_cast<size_t>(thread)].children) {
    access.regions.push_back(threads_.region(child, false).has(instruction));
    access.regions.push_back(threads_.region(child, true).has(instruction));
  }
  const StatementObjects statements = statements_of(thread, instruction, use, address);
  // Statements whose callers hold the same are alike.
  using Alike = std::tuple<std::vector<std::pair<unsigned, bool>>, std::vector<bool>, SharedPointerCode, VectorOwner>;
  std::map<Alike, std::vector<unsigned>> alike;
  for (const auto& [statement, reached] : statements) {
    std::vector<std::pair<unsigned, bool>> locks;
    for (const HeldLock& lock : reached.around) locks.emplace_back(lock.name, lock.shared);
    alike[{locks, reached.alive, SharedCounts::code_of(instruction, statements_[statement].calls), reached.owner}]
        .push_back(statement);
  }
  const Lockset own = access.held;
  const std::vector<bool> regions = access.regions;
  for (const auto& [common, members] : alike) {
    access.held = own;
    for (size_t i = 0; i < regions.size(); ++i) access.regions[i] = regions[i] && std::get<1>(common)[i];
    access.kind.pointers = std::get<2>(common);
    access.owner = std::get<3>(common);
    access.guards = locks_.guards(own, address);
    const Lockset& around = statements.at(members.front()).around;
    for (const Locks::Guard& guard : locks_.guards(around)) access.guards.push_back(guard);
    for (const HeldLock& lock : around) {
      if (!llvm::is_contained(access.held, lock)) access.held.push_back(lock);
    }
    access.waited = locks_.waited(access.held);
    signals_.close(access.waited, locks_);
    const std::string likeness = access.likeness();
    ObjectSet some;
    const bool is_any = llvm::any_of(members, [&](unsigned statement) { return statements.at(statement).all; });
    if (is_many && !is_any) {
      for (const unsigned statement : members) some |= statements.at(statement).objects;
      some &= all.set;
    }
    if (is_many && (is_any || some.count() > kMany)) {
      access.offset = 0;
      access.period = 1;
      const auto [cloud, fresh] = clouds_.try_emplace(likeness, Cloud{access, {}, {}});
      if (!is_any || cloud->second.added.insert(&all).second) {
        const ObjectSet& any = is_any ? all.set : some;
        cloud->second.objects |= any;
        in_clouds_ |= any;
      }
      for (const unsigned statement : members) cloud->second.group.statements.try_emplace(statement, &instruction);
      continue;
    }
    const unsigned number = likenesses_.try_emplace(likeness, static_cast<unsigned>(likenesses_.size())).first->second;
    for (const PointedTo& to : shared) {
      AccessGroup* group = nullptr;
      for (const unsigned statement : members) {
        if (!statements.at(statement).has(to.object)) continue;
        if (group == nullptr) {
          access.offset = kind.frees ? 0 : to.offset;
          access.period = kind.frees ? 0 : to.period;
          group = &by_object_[to.object].try_emplace({number, access.offset, access.period}, access).first->second;
        }
        group->statements.try_emplace(statement, &instruction);
      }
    }
  }
}

std::string AccessGroup::likeness() const {
  std::string text = std::to_string(thread) + " " + std::to_string(size) + (kind.write ? "w" : "r") +
                     (kind.atomic ? "a" : "") + (kind.relaxed ? "x" : "") + (kind.spins ? "s" : "") +
                     (kind.frees ? "f" : "") + (kind.of_library ? "l" : "") + (kind.of_state ? "t" : "") +
                     (kind.own ? "o" : "") + (kind.pointers.counts ? "c" : "") + (kind.pointers.destroys ? "d" : "") +
                     (kind.pointers.atomic ? "k" : "") + (kind.pointers.locked ? "K" : "") + (unpublished ? "u" : "") +
                     (share ? share->text() : "") +
                     (owner.place.empty() ? "" : owner.place + "@" + std::to_string(owner.offset)) + " ";
  std::set<std::string> words;
  for (const Locks::Guard& guard : guards) {
    words.insert(std::to_string(static_cast<int>(guard.kind)) + ":" + std::to_string(guard.a) + ":" +
                 std::to_string(guard.b) + (guard.shared ? "s" : "x"));
  }
  for (const std::string& word : words) text += word + " ";
  for (const unsigned cell : waited) text += "w" + std::to_string(cell);
  for (const unsigned cell : precedes) text += "p" + std::to_string(cell);
  for (const bool region : regions) text += region ? "1" : "0";
  return text;
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
          const bool of_library = site.library;
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
          kind.relaxed = kind.atomic && !orders(instruction);
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
  stands_for_.resize(by_object_.size());
  for (ObjectId object = 0; object < by_object_.size(); ++object) {
    stands_for_[object] = object;
    if (by_object_[object].empty()) continue;
    ++shared_.objects;
    stands_for_[object] = first_alike(object);
    if (stands_for_[object] != object) continue;
    for (const auto& [common, group] : by_object_[object]) {
      for (const auto& [statement, instruction] : group.statements) sites.insert(statements_[statement].site);
    }
    pair_up(object, by_object_[object]);
  }
  for (const auto& [likeness, cloud] : clouds_) {
    for (const auto& [statement, instruction] : cloud.group.statements) sites.insert(statements_[statement].site);
  }
  pair_up_clouds();
  shared_.accesses = sites.size();
  shared_.cut = cut_.size();
  shared_.cut_ways = cut_ways_.size();
  drop_published();
  // Of several ways to one pair the likeliest is reported.
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
  // Who reads it looks at two statements of the program once, not for each way through the library.
  std::map<std::pair<Place, Place>, size_t> ways;
  std::erase_if(all_, [&](const StaticCandidate& candidate) {
    const Statement& one = statement(candidate.sides[0]);
    const Statement& other = statement(candidate.sides[1]);
    if (one.own == one.site && other.own == other.site) return false;
    const bool is_more =
        ++ways[std::minmax(place_of(program_.sites()[one.own]), place_of(program_.sites()[other.own]))] > kMostWays;
    if (is_more) ++shared_.ways_left_out;
    return is_more;
  });
  shared_.ordered = static_cast<size_t>(llvm::count_if(
      all_, [](const StaticCandidate& candidate) { return candidate.is_ordered && !candidate.is_flag; }));
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

// The first object to which the same statements do the same, which has the same candidates. One that somebody knows
// alone for a time, or that is counted, is like no other.
ObjectId Candidates::first_alike(ObjectId object) {
  const auto own = apart_.find(object);
  std::vector<uint64_t> words{static_cast<uint64_t>(points_to_.object(object).kind == ObjectKind::kGlobal),
                              static_cast<uint64_t>(is_state_of_library(object))};
  if (own != apart_.end()) words.insert(words.end(), own->second.begin(), own->second.end());
  if (counts_.is_counted(object)) return object;
  for (const auto& [common, group] : by_object_[object]) {
    if (group.unpublished) return object;
    const auto& [number, offset, period] = common;
    words.insert(words.end(), {UINT64_MAX, number, static_cast<uint64_t>(offset), static_cast<uint64_t>(period)});
    for (const auto& [statement, instruction] : group.statements) words.push_back(statement);
  }
  return first_alike_.try_emplace(std::move(words), object).first->second;
}

void Candidates::pair_up(ObjectId object, const Groups& groups) {
  const bool of_library = is_state_of_library(object);
  const auto own = apart_.find(object);
  const std::set<int>* apart = own == apart_.end() ? nullptr : &own->second;
  std::set<std::pair<uint64_t, uint64_t>> seen;
  bool before_publication = false;
  bool ordered = false;
  bool others = true;  // whether there are pairs for which one of these is not so
  const auto add = [&](const CandidateSide& a, const CandidateSide& b) {
    if (seen.size() >= kMostOfObject || !seen.insert(std::minmax(identity(a), identity(b))).second) return;
    if (seen.size() == kMostOfObject) cut_.insert(object);
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
    candidate.is_before_publication = before_publication;
    candidate.is_ordered = ordered;
    candidate.rank = (ordered ? kOrdered : 0) + (one.atomic || other.atomic ? 8 : 0) +
                     (!a.group->held.empty() && !b.group->held.empty() ? 4 : 0) + (one.write && other.write ? 0 : 1) +
                     (a.group->period != 0 || b.group->period != 0 ? 2 : 0) +
                     (points_to_.object(object).kind == ObjectKind::kGlobal ? 0 : 1);
    all_.push_back(candidate);
  };
  const bool counted = counts_.is_counted(object);
  // What a count of references puts in order.
  const auto is_counted = [&](const AccessGroup& a, const AccessGroup& b) {
    if (!counted) return false;
    if (a.kind.of_library && b.kind.of_library && a.kind.pointers.counts && b.kind.pointers.counts) return true;
    const auto comes_first = [&](const AccessGroup& one, const AccessGroup& other) {
      return other.kind.pointers.destroys &&
             (one.kind.pointers.destroys || counts_.gives_back(one.thread, one.first(), object));
    };
    return comes_first(a, b) || comes_first(b, a);
  };
  const auto comes_after = [&](const AccessGroup& a, const AccessGroup& b, bool atomic) {
    return std::any_of(b.precedes.begin(), b.precedes.end(),
                       [&](unsigned cell) { return signals_.is_atomic(cell) == atomic && a.waited.contains(cell); });
  };
  const auto pair = [&](const AccessGroup& a, const AccessGroup& b) {
    if ((!a.kind.write && !b.kind.write) || (a.kind.atomic && b.kind.atomic)) return;
    if ((a.kind.own && b.kind.own) || (a.share && b.share && a.thread == b.thread && a.share->is_apart(*b.share)))
      return;
    if (a.thread == b.thread && a.owner.is_apart(b.owner)) return;
    if (a.kind.of_library && b.kind.of_library && (of_library || a.kind.of_state || b.kind.of_state)) return;
    if (!overlap(a.offset, a.size, a.period, b.offset, b.size, b.period)) return;
    if (!threads_.parallel(a.thread, a.first(), b.thread, b.first(), apart, &a.regions, &b.regions)) return;
    if (Locks::protect(a.guards, b.guards)) return;
    if (a.kind.of_library && b.kind.of_library && a.kind.pointers.locked && b.kind.pointers.locked) return;
    if (comes_after(a, b, false) || comes_after(b, a, false)) return;
    const bool is_ordered = comes_after(a, b, true) || comes_after(b, a, true);
    const bool is_before = a.unpublished || b.unpublished || is_counted(a, b);
    if (is_ordered != ordered || is_before != before_publication) {
      others = true;
      return;
    }
    for (const auto& [statement, instruction] : a.statements) {
      if (seen.size() >= kMostOfObject) return;
      for (const auto& [too, where] : b.statements) add({statement, instruction, &a}, {too, where, &b});
    }
  };
  // What two statements may do at other times, too, counts as that.
  for (const auto& [before, atomic] : {std::pair(false, false), {false, true}, {true, false}, {true, true}}) {
    if (!others) break;
    others = false;
    before_publication = before;
    ordered = atomic;
    for (auto one = groups.begin(); one != groups.end() && seen.size() < kMostOfObject; ++one) {
      for (auto other = one; other != groups.end(); ++other) pair(one->second, other->second);
    }
  }
}

// Whether two groups may be at one place at the same time, one of them writing.
bool Candidates::may_meet(const AccessGroup& a, const AccessGroup& b, const std::set<int>* apart) const {
  return (a.kind.write || b.kind.write) && overlap(a.offset, a.size, a.period, b.offset, b.size, b.period) &&
         threads_.parallel(a.thread, a.first(), b.thread, b.first(), apart, &a.regions, &b.regions);
}

// Pairs of a cloud's accesses with others that may be to the same object: `what` gets one such object, and says whether
// to go on.
template <class Do>
void Candidates::for_meeting_clouds(Do what) const {
  for (auto one = clouds_.begin(); one != clouds_.end(); ++one) {
    const AccessGroup& a = one->second.group;
    for (auto other = one; other != clouds_.end(); ++other) {
      const AccessGroup& b = other->second.group;
      if (!one->second.objects.intersects(other->second.objects) || !may_meet(a, b, nullptr)) continue;
      if (!what(a, b, static_cast<ObjectId>((one->second.objects & other->second.objects).find_first()))) return;
    }
    for (const ObjectId object : one->second.objects) {
      const ObjectId first = stands_for_[object];
      if (first != object && one->second.objects.test(first)) continue;
      for (const auto& [common, b] : by_object_[object]) {
        if (may_meet(a, b, nullptr) && !what(a, b, object)) return;
      }
    }
  }
}

// All clouds together count as one object, of which as many candidates are told as of any: where nothing is known of
// what a pointer points to, more would say no more.
void Candidates::pair_up_clouds() {
  std::set<std::pair<uint64_t, uint64_t>> seen;
  bool unpublished = false;
  const auto pair = [&](const AccessGroup& a, const AccessGroup& b, ObjectId object) {
    if (a.kind.atomic && b.kind.atomic) return true;
    if ((a.kind.own && b.kind.own) || Locks::protect(a.guards, b.guards)) return true;
    if ((a.unpublished || b.unpublished) != unpublished) return true;
    for (const auto& [statement, instruction] : a.statements) {
      for (const auto& [too, where] : b.statements) {
        const CandidateSide one{statement, instruction, &a};
        const CandidateSide other{too, where, &b};
        if (seen.size() >= kMostOfObject) {
          cut_.insert(object);
          return false;
        }
        if (!seen.insert(std::minmax(identity(one), identity(other))).second) continue;
        const bool turn = (b.kind.spins && !a.kind.spins) || (!a.kind.spins && b.kind.write && !a.kind.write);
        StaticCandidate candidate;
        candidate.sides[0] = turn ? other : one;
        candidate.sides[1] = turn ? one : other;
        candidate.object = object;
        candidate.is_flag = a.kind.spins != b.kind.spins && (a.kind.spins ? b.kind.write : a.kind.write);
        candidate.rank = kOrdered - 1;
        all_.push_back(candidate);
      }
    }
    return true;
  };
  // What is done to memory that nobody else knows comes last.
  for (const bool last : {false, true}) {
    unpublished = last;
    for_meeting_clouds(pair);
  }
}

std::set<unsigned> Candidates::conflicting_sites() const {
  std::set<unsigned> sites;
  const auto add = [&](const AccessGroup& group) {
    for (const auto& [statement, instruction] : group.statements) sites.insert(statements_[statement].site);
  };
  for (ObjectId object = 0; object < by_object_.size(); ++object) {
    if (stands_for_[object] != object) continue;
    const auto own = apart_.find(object);
    const Groups& groups = by_object_[object];
    for (auto one = groups.begin(); one != groups.end(); ++one) {
      for (auto other = one; other != groups.end(); ++other) {
        const AccessGroup& a = one->second;
        const AccessGroup& b = other->second;
        if (!may_meet(a, b, own == apart_.end() ? nullptr : &own->second)) continue;
        add(a);
        add(b);
      }
    }
  }
  for_meeting_clouds([&](const AccessGroup& a, const AccessGroup& b, ObjectId /*object*/) {
    add(a);
    add(b);
    return true;
  });
  return sites;
}

// Whether a group accesses where a pointer is kept.
static bool holds(const AccessGroup& group, const PointedTo& holder) {
  constexpr uint64_t kPointer = 8;
  return overlap(group.offset, group.size, group.period, holder.offset, kPointer, holder.period);
}

// Whether a pointer may get from one thread to another through memory, and nothing orders what was done before.
bool Candidates::passes_unordered(const PointedTo& holder,
                                  const std::map<ObjectId, std::vector<const StaticCandidate*>>& alive) const {
  if (cut_.contains(stands_for_[holder.object]) || in_clouds_.test(holder.object)) return true;
  if (const auto known = alive.find(stands_for_[holder.object]); known != alive.end()) {
    for (const StaticCandidate* candidate : known->second) {
      if (!candidate->is_flag &&
          (holds(*candidate->sides[0].group, holder) || holds(*candidate->sides[1].group, holder)))
        return true;
    }
  }
  return llvm::any_of(by_object_[holder.object], [&](const auto& entry) {
    const AccessKind& kind = entry.second.kind;
    return kind.relaxed && !kind.pointers.atomic && holds(entry.second, holder);
  });
}

// What is done before publication is no candidate if all that hold the address pass it on in order. It may be held by
// what was not published itself: then that one's address came in order, too, and so on.
void Candidates::drop_published() {
  std::map<ObjectId, std::vector<const StaticCandidate*>> alive;
  std::map<ObjectId, std::vector<const StaticCandidate*>> before;
  std::set<ObjectId> waiting;
  for (const StaticCandidate& candidate : all_) {
    if (candidate.is_ordered && !candidate.is_before_publication) continue;
    (candidate.is_before_publication ? before : alive)[candidate.object].push_back(&candidate);
    if (candidate.is_before_publication) waiting.insert(candidate.object);
  }
  const std::map<ObjectId, std::vector<PointedTo>> holders = points_to_.holders_of(waiting);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto object = waiting.begin(); object != waiting.end();) {
      const auto known = holders.find(*object);
      const bool unordered = known != holders.end() && llvm::any_of(known->second, [&](const PointedTo& holder) {
                               return passes_unordered(holder, alive);
                             });
      if (!unordered) {
        ++object;
        continue;
      }
      std::vector<const StaticCandidate*>& all = alive[*object];
      all.insert(all.end(), before[*object].begin(), before[*object].end());
      object = waiting.erase(object);
      changed = true;
    }
  }
  // Atomics that pass it on lower the rank.
  const auto by_atomics = [&](ObjectId object) {
    const auto known = holders.find(object);
    return known != holders.end() && llvm::any_of(known->second, [&](const PointedTo& holder) {
             return llvm::any_of(by_object_[holder.object], [&](const auto& entry) {
               const AccessKind& kind = entry.second.kind;
               return kind.atomic && !kind.pointers.atomic && holds(entry.second, holder);
             });
           });
  };
  std::map<ObjectId, bool> lower;
  for (const ObjectId object : waiting) lower[object] = by_atomics(object);
  std::erase_if(all_, [&](StaticCandidate& candidate) {
    const auto known = candidate.is_before_publication ? lower.find(candidate.object) : lower.end();
    if (known == lower.end()) return false;
    if (known->second && !candidate.is_ordered) {
      candidate.is_ordered = true;
      candidate.rank += kOrdered;
    }
    return !known->second;
  });
}

}  // namespace norn::statics
