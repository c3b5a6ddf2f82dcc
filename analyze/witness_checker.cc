#include "analyze/witness_checker.h"

#include <algorithm>
#include <optional>

namespace norn::analyze {
namespace {

constexpr unsigned kPageBits = 12;

// One of the two accesses.
struct Side {
  uint64_t at = 0;
  ThreadId thread = kNoThread;  // nobody's: it was not met yet
  AccessKind kind{};
};

}  // namespace

struct WitnessChecker::Case {
  Witness witness;
  std::string wrong;
  std::unordered_map<Address, std::vector<Holder>> holders;
  std::unordered_map<ThreadId, uint64_t> left_out;  // the first event of a thread that is not in it
  Side sides[2];

  void fail(const std::string& why, uint64_t at) {
    if (wrong.empty()) wrong = why + " at event " + std::to_string(at);
  }
  [[nodiscard]] bool has(ThreadId thread, uint64_t at) const {
    const auto found = witness.until.find(thread);
    return found != witness.until.end() && at <= found->second;
  }
  [[nodiscard]] bool has(const Done& done) const { return done.thread == kNoThread || has(done.thread, done.at); }
};

WitnessChecker::WitnessChecker(std::vector<Witness> witnesses) {
  for (Witness& witness : witnesses) {
    Case& each = cases_.emplace_back();
    each.sides[0].at = witness.earlier;
    each.sides[1].at = witness.later;
    each.witness = std::move(witness);
  }
}
WitnessChecker::~WitnessChecker() = default;

template <class Visit>
void WitnessChecker::for_each_byte(const Operation& operation, bool makes, Visit visit) {
  const Address first = operation.address;
  const Address end = first + operation.size;
  constexpr Address kPage = Address{1} << kPageBits;
  const auto visit_page = [&](Address number, Page& page) {
    const Address last = std::min(end, (number + 1) << kPageBits);
    for (Address byte = std::max(first, number << kPageBits); byte < last; ++byte) visit(page[byte % kPage]);
  };
  const Address last_number = (end - 1) >> kPageBits;
  if (!makes && last_number - (first >> kPageBits) > pages_.size()) {
    for (auto& [number, page] : pages_)
      if (number >= first >> kPageBits && number <= last_number) visit_page(number, page);
    return;
  }
  for (Address number = first >> kPageBits; number <= last_number; ++number) {
    auto found = pages_.find(number);
    if (found == pages_.end() && makes) found = pages_.emplace(number, Page(kPage)).first;
    if (found != pages_.end()) visit_page(number, found->second);
  }
}

void WitnessChecker::take(Case& each, const Event& event, const Operation& operation, uint64_t at) {
  std::vector<Holder>& holders = each.holders[operation.address];
  for (Holder& holder : holders) {
    if (holder.thread == event.thread) {
      ++holder.depth;
      return;
    }
    if (holder.mode == LockMode::kExclusive || operation.mode == LockMode::kExclusive)
      each.fail("a lock is taken that another thread has", at);
  }
  holders.push_back({event.thread, 1, operation.mode});
}

void WitnessChecker::give_back(Case& each, const Event& event, const Operation& operation) {
  std::vector<Holder>& holders = each.holders[operation.address];
  std::erase_if(holders, [&](Holder& holder) { return holder.thread == event.thread && --holder.depth == 0; });
}

// The event is in the reordering.
void WitnessChecker::select(Case& each, const Event& event, uint64_t at, bool is_past) {
  if (const auto fork = forks_.find(event.thread); fork != forks_.end() && !each.has(fork->second))
    each.fail("a thread runs that was not forked", at);
  for_each_operation(event, [&](const Operation& operation) {
    if (is_past && operation.kind != OperationKind::kAcquire && operation.kind != OperationKind::kRelease) return;
    switch (operation.kind) {
      case OperationKind::kRead:
      case OperationKind::kRenew:
        for_each_byte(operation, false, [&](const Done& writer) {
          if (!each.has(writer)) each.fail("a read finds another value", at);
        });
        break;
      case OperationKind::kWrite:
        break;
      case OperationKind::kAcquire:
        take(each, event, operation, at);
        break;
      case OperationKind::kRelease:
        give_back(each, event, operation);
        break;
      case OperationKind::kRefused:
        if (const auto found = acquired_.find(operation.address); found != acquired_.end() && !each.has(found->second))
          each.fail("a lock refuses that nobody has", at);
        break;
      case OperationKind::kChain:
        if (const auto found = chains_.find(operation.address); found != chains_.end() && !each.has(found->second))
          each.fail("an object is used before it was used", at);
        break;
      case OperationKind::kFork:
        break;
      case OperationKind::kJoin:
        if (const auto found = last_.find(operation.other);
            found != last_.end() && !each.has(found->first, found->second))
          each.fail("a thread is joined that has not ended", at);
        break;
      case OperationKind::kAfterAll:
        for (const auto& [thread, last] : last_)
          if (thread != event.thread && !each.has(thread, last)) each.fail("a thread is left behind", at);
        break;
    }
  });
}

// What later events refer to.
void WitnessChecker::keep(const Event& event, uint64_t at) {
  const Done done{event.thread, at};
  for_each_operation(event, [&](const Operation& operation) {
    switch (operation.kind) {
      case OperationKind::kWrite:
        for_each_byte(operation, touches_all(operation), [&](Done& writer) { writer = done; });
        break;
      case OperationKind::kRenew:
        for_each_byte(operation, false, [&](Done& writer) { writer = writer.thread == kNoThread ? Done{} : done; });
        break;
      case OperationKind::kAcquire:
        acquired_[operation.address] = done;
        break;
      case OperationKind::kChain:
        chains_[operation.address] = done;
        break;
      case OperationKind::kFork:
        if (!last_.contains(operation.other)) forks_[operation.other] = done;
        break;
      case OperationKind::kRead:
      case OperationKind::kRelease:
      case OperationKind::kRefused:
      case OperationKind::kJoin:
      case OperationKind::kAfterAll:
        break;
    }
  });
  if (event.thread != kNoThread) last_[event.thread] = at;
}

void WitnessChecker::add(const Event& event, uint64_t at, bool is_past) {
  for (Case& each : cases_) {
    if (at > each.witness.earlier && at < each.witness.later) {
      for_each_operation(event, [&](const Operation& operation) {
        if (operation.kind == OperationKind::kRenew && each.witness.address - operation.address < operation.size)
          each.fail("the accesses are of different lives of the byte", at);
      });
    }
    if (event.thread == kNoThread || at > each.witness.later) continue;
    if (is_past || each.has(event.thread, at)) {
      if (at == each.witness.earlier || at == each.witness.later) each.fail("an access is done before the race", at);
      select(each, event, at, is_past);
      continue;
    }
    const bool is_next = each.left_out.emplace(event.thread, at).second;
    for (Side& side : each.sides) {
      if (side.at != at) continue;
      if (!is_next) each.fail("an access is not the next event of its thread", at);
      for_each_operation(event, [&](const Operation& operation) {
        const bool is_there = each.witness.address - operation.address < operation.size;
        if (!operation.races || !is_there) return;
        // A reallocation does several things; what writes, conflicts with more.
        if (side.thread == kNoThread || is_write(operation.access)) side.kind = operation.access;
        side.thread = event.thread;
      });
      const auto fork = forks_.find(event.thread);
      if (fork != forks_.end() && !each.has(fork->second)) each.fail("an access is a thread's that was not forked", at);
    }
  }
  if (!is_past) keep(event, at);
}

std::vector<std::string> WitnessChecker::finish() {
  std::vector<std::string> answers;
  for (Case& each : cases_) {
    const Side(&sides)[2] = each.sides;
    if (sides[0].thread == kNoThread || sides[1].thread == kNoThread) {
      each.fail("an access is not there", each.witness.later);
    } else if (sides[0].thread == sides[1].thread || !conflicts(sides[0].kind, sides[1].kind)) {
      each.fail("the accesses do not conflict", each.witness.later);
    }
    answers.push_back(each.wrong);
  }
  return answers;
}

}  // namespace norn::analyze
