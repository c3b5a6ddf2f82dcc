#include "analyze/sync_preserving.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyze/lock_sets.h"
#include "analyze/operations.h"
#include "base/hash.h"

namespace norn::analyze {
namespace {

// Where an event stands in the trace: its timestamp plus one. 0 is before all.
using Position = uint64_t;
using Index = uint32_t;  // of a thread, in the order of appearance
constexpr Position kNever = ~Position{0};

// An event in one word; 0: none.
class At {
 public:
  constexpr At() = default;
  constexpr At(Index thread, Position position) : word_(uint64_t{thread} << kPositionBits | position) {}
  [[nodiscard]] constexpr Index thread() const { return static_cast<Index>(word_ >> kPositionBits); }
  [[nodiscard]] constexpr Position position() const { return word_ & kMostPosition; }
  [[nodiscard]] constexpr bool exists() const { return word_ != 0; }
  constexpr bool operator==(const At&) const = default;

  static constexpr unsigned kPositionBits = 44;
  static constexpr Position kMostPosition = (Position{1} << kPositionBits) - 1;

 private:
  uint64_t word_ = 0;
};

// From acquire to release.
struct Section {
  Position begin = 0;
  Position end = kNever;
  Position oldest = 0;  // where the oldest section begins that was open then
  uint32_t lock = 0;
  uint32_t parent = 0;  // the youngest section that was open then, plus one; 0: none
  StackId where = kNoStack;
  LockMode mode{};
};

struct Held {
  uint32_t lock;
  uint32_t section;  // of the thread's
  unsigned depth;
};

struct Change {
  Position at;
  Position value;
};

struct ThreadState {
  ThreadId id = 0;
  Position last = 0;                         // its last event
  std::vector<Position> clock;               // of each thread: how far it must be, by what this one read and acquired
  std::vector<std::vector<Change>> changes;  // of each entry of the clock, so that it is known for any position
  std::vector<Section> sections;             // in the order of their beginnings
  std::vector<Held> held;                    // in the order of their beginnings
  LockSets::Id lockset = LockSets::kNone;
  uint64_t epoch = 1;             // changes with the clock and with each section that begins
  std::vector<Position> closure;  // the closed set of what it has done, at
  uint64_t closed_epoch = 0;      // this epoch
  bool is_closed = true;          // false: there is none
  unsigned ignored_reads = 0;
  unsigned ignored_writes = 0;
};

struct LockUser {
  Index thread;
  std::vector<uint32_t> sections;
  std::vector<uint32_t> exclusive;  // of these
};

struct Lock {
  Address address = 0;
  At last;  // acquire
  std::vector<LockUser> users;
};

// Eight bytes.
struct Granule {
  At writer;                              // who wrote the bytes of `written` last, if all were written last by one
  At reader;                              // first pass: the last one, if the others come before it
  uint32_t writers = 0;                   // otherwise: where the writers of each byte are
  uint32_t readers = 0;                   // first pass: otherwise, where all are. Second pass: its history
  LockSets::Id locks = LockSets::kEvery;  // first pass: that protect all accesses
  uint8_t written = 0;
  bool is_unordered = false;  // first pass: two accesses conflict that nothing orders but locks
  bool is_plain = false;      // first pass: not all accesses are atomic
};

constexpr unsigned kLeafBits = 9;
constexpr size_t kLeafGranules = size_t{1} << kLeafBits;
struct Leaf {
  std::array<Granule, kLeafGranules> granules;
};

using LeafBits = std::array<uint64_t, kLeafGranules / 64>;
using HotGranules = std::unordered_map<uint64_t, LeafBits>;  // by leaf

// What one thread does in one way, each time.
struct AccessClass {
  Index thread;
  StackId where;
  AccessKind kind;
  uint8_t bytes;
  bool own;
  LockSets::Id lockset;
  uint64_t identity;
  uint64_t epoch;                                  // of the last one
  uint64_t seen = 0;                               // changes of the history that the last one was judged against
  uint32_t most_passed = 0;                        // of `passed`
  std::vector<Position> at;                        // the last one of each epoch
  std::vector<std::pair<Index, uint32_t>> passed;  // how many of them are no races with what that thread does now
};

struct History {
  std::vector<AccessClass> classes;
  uint64_t changes = 0;
  uint64_t before_streak = 0;  // changes before those that `changer` made last
  Index changer = ~Index{0};

  void change(Index thread) {
    if (changer != thread) {
      changer = thread;
      before_streak = changes;
    }
    ++changes;
  }
  // How many changes there are that a thread did not make itself just now.
  [[nodiscard]] uint64_t news_for(Index thread) const { return changer == thread ? before_streak : changes; }
};

struct PairHash {
  size_t operator()(const std::pair<uint64_t, uint64_t>& pair) const {
    return hash_word(pair.first ^ hash_word(pair.second));
  }
};

// The last that begins at or before the position; null: none does.
template <class Begin>
size_t count_until(size_t size, Position position, Begin begin) {
  size_t low = 0;
  while (low < size) {
    const size_t middle = (low + size) / 2;
    if (begin(middle) <= position) {
      low = middle + 1;
    } else {
      size = middle;
    }
  }
  return low;
}

}  // namespace

class SyncPreserving::Pass {
 public:
  Pass(const Host& host, bool is_first, HotGranules hot)
      : host_(host), is_first_(is_first), hot_(std::move(hot)), writers_(1), readers_(1), histories_(1) {}

  void add(const Event& event, Position position, bool own, bool is_past) {
    if (event.kind == EventKind::kObserveOnly) {
      refusal_ = "sync-preserving must see every access: this is a trace of the sampling profile";
    }
    if (position >= At::kMostPosition) refusal_ = "the trace is too long for sync-preserving";
    if (!refusal_.empty()) return;
    if (event.kind == EventKind::kBenignRange) benign_.emplace_back(event.address, event.address + event.size);
    if (event.thread == kNoThread) {
      for_each_operation(event, [&](const Operation& o) {
        if (o.kind == OperationKind::kRenew && !is_past) renew(o.address, o.size, At());
      });
      return;
    }
    const Index thread = index_of(event.thread);
    if (!refusal_.empty()) return;
    where_ = event.where;
    own_ = own;
    position_ = position;
    ThreadState& state = threads_[thread];
    if (event.kind == EventKind::kIgnoreBegin || event.kind == EventKind::kIgnoreEnd) count_ignored(state, event);

    operations_.clear();
    for_each_operation(event, [&](const Operation& o) { operations_.push_back(o); });
    if (is_past) {
      for (const Operation& o : operations_) apply_lock(thread, o);
      state.last = position;
      return;
    }
    // What the event acquires of others does not come before the event.
    const auto renewal = std::find_if(operations_.begin(), operations_.end(),
                                      [](const Operation& o) { return o.kind == OperationKind::kRenew; });
    for (auto at = operations_.begin(); at != renewal; ++at)
      if (at->races) judge(thread, *at);
    for (auto at = operations_.begin(); at != operations_.end(); ++at) {
      if (at->races && at > renewal) judge(thread, *at);
      apply(thread, *at);
    }
    threads_[thread].last = position;
    const bool is_access =
        std::any_of(operations_.begin(), operations_.end(), [](const Operation& o) { return o.races; });
    ++(is_access ? statistics_.accesses : statistics_.others);
  }

  [[nodiscard]] HotGranules hot_granules() {
    for (auto& [number, leaf] : leaves_)
      for (size_t i = 0; i < kLeafGranules; ++i) note_hot(number << kLeafBits | i, leaf->granules[i]);
    return std::move(hot_);
  }

  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  [[nodiscard]] Statistics statistics() const {
    Statistics all = statistics_;
    all.threads = threads_.size();
    for (const auto& [number, leaf] : leaves_)
      for (const Granule& granule : leaf->granules)
        all.granules += granule.written != 0 || granule.reader.exists() || granule.readers != 0 ? 1 : 0;
    for (const auto& [number, bits] : hot_)
      for (const uint64_t word : bits) all.hot += static_cast<uint64_t>(__builtin_popcountll(word));
    for (const History& history : histories_)
      for (const AccessClass& access : history.classes) all.kept += access.at.size();
    return all;
  }

 private:
  // --- threads and clocks ------------------------------------------------------------------------------------------

  Index index_of(ThreadId id) {
    if (id == last_id_) return last_index_;
    const auto [found, is_new] = indices_.emplace(id, static_cast<Index>(threads_.size()));
    if (is_new) {
      if (threads_.size() == kMostThreads) {
        refusal_ = "sync-preserving judges traces of at most " + std::to_string(kMostThreads) + " threads";
      }
      threads_.emplace_back().id = id;
    }
    last_id_ = id;
    last_index_ = found->second;
    return last_index_;
  }

  [[nodiscard]] static Position known(const std::vector<Position>& clock, Index thread) {
    return thread < clock.size() ? clock[thread] : 0;
  }
  [[nodiscard]] bool knows(const ThreadState& state, Index self, At what) const {
    return what.thread() == self || known(state.clock, what.thread()) >= what.position();
  }

  // How far `other` must be for what `thread` has done up to the position.
  [[nodiscard]] Position clock_at(Index thread, Index other, Position position) const {
    const ThreadState& state = threads_[thread];
    if (other >= state.changes.size()) return 0;
    const std::vector<Change>& changes = state.changes[other];
    const size_t count = count_until(changes.size(), position, [&](size_t i) { return changes[i].at; });
    return count == 0 ? 0 : changes[count - 1].value;
  }

  void raise(ThreadState& state, Index other, Position value) {
    if (state.clock.size() <= other) {
      state.clock.resize(threads_.size());
      state.changes.resize(threads_.size());
    }
    if (state.clock[other] >= value) return;
    state.clock[other] = value;
    std::vector<Change>& changes = state.changes[other];
    if (!changes.empty() && changes.back().at == position_) {
      changes.back().value = value;
    } else {
      changes.push_back({position_, value});
    }
    ++state.epoch;
  }

  // The thread's event needs another one.
  void depend(Index thread, At on) {
    if (!on.exists() || knows(threads_[thread], thread, on)) return;
    ThreadState& state = threads_[thread];
    const Index from = on.thread();
    const size_t entries = threads_[from].clock.size();
    for (Index other = 0; other < entries; ++other)
      if (other != thread && other != from) raise(state, other, clock_at(from, other, on.position()));
    raise(state, from, on.position());
  }

  void count_ignored(ThreadState& state, const Event& event) {
    const bool begins = event.kind == EventKind::kIgnoreBegin;
    const auto count = [&](unsigned& counter, unsigned what) {
      if ((event.other & what) == 0) return;
      if (begins) ++counter;
      if (!begins && counter > 0) --counter;
    };
    count(state.ignored_reads, kIgnoreReads);
    count(state.ignored_writes, kIgnoreWrites);
  }

  // --- locks -------------------------------------------------------------------------------------------------------

  uint32_t lock_of(Address address) {
    const auto [found, is_new] = lock_numbers_.emplace(address, static_cast<uint32_t>(locks_.size()));
    if (is_new) locks_.emplace_back().address = address;
    return found->second;
  }

  LockUser& user_of(uint32_t lock, Index thread) {
    std::vector<LockUser>& users = locks_[lock].users;
    for (LockUser& user : users)
      if (user.thread == thread) return user;
    return users.emplace_back(LockUser{thread, {}, {}});
  }

  void acquire(Index thread, const Operation& o) {
    ThreadState& state = threads_[thread];
    const uint32_t lock = lock_of(o.address);
    for (Held& held : state.held) {
      if (held.lock != lock) continue;
      ++held.depth;
      return;
    }
    Section section;
    section.begin = position_;
    section.oldest = state.held.empty() ? position_ : state.sections[state.held.front().section].begin;
    section.lock = lock;
    section.parent = state.held.empty() ? 0 : state.held.back().section + 1;
    section.where = where_;
    section.mode = o.mode;
    const auto number = static_cast<uint32_t>(state.sections.size());
    state.sections.push_back(section);
    state.held.push_back({lock, number, 1});
    LockUser& user = user_of(lock, thread);
    user.sections.push_back(number);
    if (o.mode == LockMode::kExclusive) user.exclusive.push_back(number);
    locks_[lock].last = At(thread, position_);
    state.lockset = lock_sets_.with(state.lockset, lock, o.mode);
    ++state.epoch;
  }

  void release(Index thread, const Operation& o) {
    ThreadState& state = threads_[thread];
    const uint32_t lock = lock_of(o.address);
    for (size_t i = 0; i < state.held.size(); ++i) {
      Held& held = state.held[i];
      if (held.lock != lock || --held.depth != 0) continue;
      Section& section = state.sections[held.section];
      section.end = position_;
      state.lockset = lock_sets_.without(state.lockset, lock, section.mode);
      state.held.erase(state.held.begin() + static_cast<ptrdiff_t>(i));
      return;
    }
  }

  void apply_lock(Index thread, const Operation& o) {
    if (o.kind == OperationKind::kAcquire) acquire(thread, o);
    if (o.kind == OperationKind::kRelease) release(thread, o);
  }

  // Calls visit(section) for those that are open when the thread has come to the position, until it says no.
  template <class Visit>
  void for_each_open(Index thread, Position position, Visit visit) const {
    const std::vector<Section>& sections = threads_[thread].sections;
    const size_t count = count_until(sections.size(), position, [&](size_t i) { return sections[i].begin; });
    if (count == 0) return;
    const Position oldest = sections[count - 1].oldest;
    for (size_t at = count; at != 0 && sections[at - 1].begin >= oldest; at = sections[at - 1].parent)
      if (sections[at - 1].end > position && !visit(sections[at - 1])) return;
  }

  // --- closed sets -------------------------------------------------------------------------------------------------

  void include(std::vector<Position>& set, Index thread, Position position) const {
    if (set[thread] >= position) return;
    set[thread] = position;
    const size_t entries = threads_[thread].clock.size();
    for (Index other = 0; other < entries; ++other)
      if (other != thread) set[other] = std::max(set[other], clock_at(thread, other, position));
  }

  // Whether the set has a later section that this one, which is open in it, excludes.
  [[nodiscard]] bool must_end(const Section& section, Index thread, const std::vector<Position>& set) const {
    for (const LockUser& user : locks_[section.lock].users) {
      if (user.thread == thread) continue;
      const std::vector<uint32_t>& excluded = section.mode == LockMode::kExclusive ? user.sections : user.exclusive;
      const std::vector<Section>& sections = threads_[user.thread].sections;
      const size_t count =
          count_until(excluded.size(), set[user.thread], [&](size_t i) { return sections[excluded[i]].begin; });
      if (count != 0 && sections[excluded[count - 1]].begin > section.begin) return true;
    }
    return false;
  }

  // Closes the set. False: it then has more of `thread` than what comes before `limit`; or there is no closed set,
  // because a section that must end never did.
  [[nodiscard]] bool close(std::vector<Position>& set, Index thread, Position limit) {
    ++statistics_.closures;
    for (bool changed = true; changed;) {
      changed = false;
      for (Index each = 0; each < set.size(); ++each) {
        if (set[each] == 0) continue;
        Position end = 0;
        for_each_open(each, set[each], [&](const Section& section) {
          if (!must_end(section, each, set)) return true;
          end = section.end;
          return false;
        });
        if (end == 0) continue;
        if (end == kNever) return false;
        ++statistics_.steps;
        include(set, each, end);
        if (set[thread] >= limit) return false;
        changed = true;
      }
    }
    return true;
  }

  // The closed set of all that the thread has done.
  const std::vector<Position>* closure_of(Index thread) {
    ThreadState& state = threads_[thread];
    state.closure.resize(threads_.size());
    if (state.closed_epoch != state.epoch) {
      for (Index other = 0; other < state.clock.size(); ++other)
        state.closure[other] = std::max(state.closure[other], state.clock[other]);
      state.closure[thread] = position_ - 1;
      state.closed_epoch = state.epoch;
      state.is_closed = state.is_closed && close(state.closure, thread, kNever);
    }
    state.closure[thread] = position_ - 1;
    return state.is_closed ? &state.closure : nullptr;
  }

  // --- memory ------------------------------------------------------------------------------------------------------

  Leaf* find_leaf(uint64_t number) {
    auto& [cached, leaf] = recent_[number % recent_.size()];
    if (leaf != nullptr && cached == number) return leaf;
    const auto found = leaves_.find(number);
    if (found == leaves_.end()) return nullptr;
    cached = number;
    return leaf = found->second.get();
  }
  Leaf& leaf_of(uint64_t number) {
    if (Leaf* found = find_leaf(number); found != nullptr) return *found;
    if (host_.memory_limit != 0 && leaves_.size() * sizeof(Leaf) > host_.memory_limit)
      refusal_ = "this trace needs more memory than --memory-limit allows";
    return *leaves_.emplace(number, std::make_unique<Leaf>()).first->second;
  }

  // Calls visit(number, granule, bytes) for the granules of a range; those that do not exist yet are made, or left out.
  template <class Visit>
  void for_each_granule(Address address, uint64_t size, bool makes, Visit visit) {
    const uint64_t last = (address + size - 1) >> 3;
    for (uint64_t number = address >> 3; number <= last && refusal_.empty();) {
      Leaf* leaf = makes ? &leaf_of(number >> kLeafBits) : find_leaf(number >> kLeafBits);
      const uint64_t end = std::min(last, number | (kLeafGranules - 1));
      if (leaf == nullptr) {
        number = end + 1;
        continue;
      }
      for (; number <= end; ++number) {
        unsigned bytes = 0xff;
        if (number == address >> 3) bytes &= 0xffu << (address & 7);
        if (number == last) bytes &= 0xffu >> (7 - ((address + size - 1) & 7));
        visit(number, leaf->granules[number & (kLeafGranules - 1)], static_cast<uint8_t>(bytes));
      }
    }
  }
  // As it, where most of the range may be untouched.
  template <class Visit>
  void for_each_known_granule(Address address, uint64_t size, Visit visit) {
    constexpr unsigned kBits = kLeafBits + 3;
    const uint64_t first = address >> kBits;
    const uint64_t last = (address + size - 1) >> kBits;
    if (last - first < leaves_.size()) return for_each_granule(address, size, false, visit);
    for (const auto& [number, leaf] : leaves_) {
      if (number < first || number > last) continue;
      const Address begin = std::max(address, number << kBits);
      const Address end = std::min(address + size, (number + 1) << kBits);
      for_each_granule(begin, end - begin, false, visit);
    }
  }

  template <class Visit>
  void for_each_writer(const Granule& granule, uint8_t bytes, Visit visit) const {
    if (granule.writers == 0) {
      if ((granule.written & bytes) != 0) visit(granule.writer);
      return;
    }
    At before;
    for (unsigned i = 0; i < 8; ++i) {
      const At writer = writers_[granule.writers][i];
      if ((bytes >> i & 1) == 0 || !writer.exists() || writer == before) continue;
      visit(writer);
      before = writer;
    }
  }

  void drop_writers(Granule& granule) {
    if (granule.writers != 0) free_writers_.push_back(granule.writers);
    granule.writers = 0;
  }

  void write(Granule& granule, uint8_t bytes, At writer) {
    if ((granule.written & ~bytes) == 0) {
      drop_writers(granule);
      granule.writer = writer;
      granule.written = bytes;
      return;
    }
    if (granule.writers == 0) {
      if (free_writers_.empty()) {
        free_writers_.push_back(static_cast<uint32_t>(writers_.size()));
        writers_.emplace_back();
      }
      granule.writers = free_writers_.back();
      free_writers_.pop_back();
      for (unsigned i = 0; i < 8; ++i)
        writers_[granule.writers][i] = (granule.written >> i & 1) != 0 ? granule.writer : At();
    }
    for (unsigned i = 0; i < 8; ++i)
      if ((bytes >> i & 1) != 0) writers_[granule.writers][i] = writer;
    granule.written |= bytes;
  }

  // The bytes begin a new life. What was written to them is not there any more, by who renews them.
  void renew(uint64_t number, Granule& granule, uint8_t bytes, At by) {
    const uint8_t overwritten = granule.written & bytes;
    if (is_first_) {
      note_hot(number, granule);
      // What is left of other bytes goes on; that it may race is only more likely to be found by that.
      if (bytes == 0xff) {
        drop_writers(granule);
        drop_readers(granule);
        granule = {};
      }
    } else if (granule.readers != 0) {
      History& history = histories_[granule.readers];
      for (AccessClass& access : history.classes) access.bytes &= static_cast<uint8_t>(~bytes);
      std::erase_if(history.classes, [](const AccessClass& access) { return access.bytes == 0; });
    }
    if (granule.writers != 0) {
      clear_bytes(granule, bytes);
    } else {
      granule.written &= static_cast<uint8_t>(~bytes);
    }
    if (overwritten != 0 && by.exists()) write(granule, overwritten, by);
  }
  void clear_bytes(Granule& granule, uint8_t bytes) {
    for (unsigned i = 0; i < 8; ++i)
      if ((bytes >> i & 1) != 0) writers_[granule.writers][i] = At();
    granule.written &= static_cast<uint8_t>(~bytes);
  }

  void renew(Address address, uint64_t size, At by) {
    for_each_known_granule(
        address, size, [&](uint64_t number, Granule& granule, uint8_t bytes) { renew(number, granule, bytes, by); });
  }

  // --- what an operation does --------------------------------------------------------------------------------------

  void apply(Index thread, const Operation& o) {
    switch (o.kind) {
      case OperationKind::kRead:
        for_each_granule(o.address, o.size, false, [&](uint64_t, Granule& granule, uint8_t bytes) {
          for_each_writer(granule, bytes, [&](At writer) { depend(thread, writer); });
        });
        break;
      case OperationKind::kWrite:
        for_each_granule(o.address, o.size, touches_all(o),
                         [&](uint64_t, Granule& g, uint8_t bytes) { write(g, bytes, At(thread, position_)); });
        break;
      case OperationKind::kRenew:
        for_each_known_granule(o.address, o.size, [&](uint64_t, Granule& granule, uint8_t bytes) {
          for_each_writer(granule, bytes, [&](At writer) { depend(thread, writer); });
        });
        renew(o.address, o.size, At(thread, position_));
        break;
      case OperationKind::kAcquire:
      case OperationKind::kRelease:
        apply_lock(thread, o);
        break;
      case OperationKind::kRefused:
        if (const auto found = lock_numbers_.find(o.address); found != lock_numbers_.end())
          depend(thread, locks_[found->second].last);
        break;
      case OperationKind::kChain: {
        At& last = chains_[o.address];
        depend(thread, last);
        last = At(thread, position_);
        break;
      }
      case OperationKind::kFork: {
        const Index child = index_of(o.other);
        ThreadState& state = threads_[child];
        if (child == thread || state.last != 0) break;  // it was there before
        depend(child, At(thread, position_));
        break;
      }
      case OperationKind::kJoin: {
        const Index child = index_of(o.other);
        if (threads_[child].last != 0) depend(thread, At(child, threads_[child].last));
        break;
      }
      case OperationKind::kAfterAll:
        for (Index other = 0; other < threads_.size(); ++other)
          if (threads_[other].last != 0) depend(thread, At(other, threads_[other].last));
        break;
    }
  }

  void judge(Index thread, const Operation& o) {
    const ThreadState& state = threads_[thread];
    if ((is_read(o.access) ? state.ignored_reads : state.ignored_writes) != 0) return;
    if (is_first_) {
      for_each_granule(o.address, o.size, touches_all(o),
                       [&](uint64_t, Granule& granule, uint8_t) { look(thread, granule, o.access); });
      return;
    }
    if (o.size <= 16) {
      const uint64_t last = (o.address + o.size - 1) >> 3;
      bool any = false;
      for (uint64_t number = o.address >> 3; number <= last; ++number) any = any || is_hot(number);
      if (!any) return;
    }
    const uint64_t identity = host_.identity(where_);
    for_each_granule(o.address, o.size, touches_all(o), [&](uint64_t number, Granule& granule, uint8_t bytes) {
      if (is_hot(number)) judge(thread, number, granule, bytes, o.access, identity);
    });
  }

  // --- first pass: what can race -----------------------------------------------------------------------------------

  void drop_readers(Granule& granule) {
    if (granule.readers != 0) {
      readers_[granule.readers].clear();
      free_readers_.push_back(granule.readers);
    }
    granule.readers = 0;
    granule.reader = At();
  }

  // FastTrack's rules (Flanagan and Freund, PLDI 2009) for the first pair that only locks order, and Eraser's (Savage
  // et al., TOCS 1997) for the locks.
  void look(Index thread, Granule& granule, AccessKind kind) {
    const ThreadState& state = threads_[thread];
    const bool writes = is_write(kind);
    granule.is_plain = granule.is_plain || (kind != AccessKind::kAtomicRead && kind != AccessKind::kAtomicWrite);
    granule.locks = lock_sets_.common(granule.locks, lock_sets_.that_protect(state.lockset, writes));
    if (granule.is_unordered) return;
    bool is_ordered = true;
    for_each_writer(granule, 0xff, [&](At writer) { is_ordered = is_ordered && knows(state, thread, writer); });
    if (writes) {
      if (granule.readers == 0) {
        is_ordered = is_ordered && (!granule.reader.exists() || knows(state, thread, granule.reader));
      } else {
        for (const At reader : readers_[granule.readers]) is_ordered = is_ordered && knows(state, thread, reader);
      }
    }
    if (!is_ordered) {
      granule.is_unordered = true;
      drop_readers(granule);
      return;
    }
    if (writes) return drop_readers(granule);
    const At now(thread, position_);
    if (granule.readers == 0) {
      if (!granule.reader.exists() || knows(state, thread, granule.reader)) {
        granule.reader = now;
        return;
      }
      if (free_readers_.empty()) {
        free_readers_.push_back(static_cast<uint32_t>(readers_.size()));
        readers_.emplace_back();
      }
      granule.readers = free_readers_.back();
      free_readers_.pop_back();
      readers_[granule.readers].push_back(granule.reader);
    }
    std::vector<At>& all = readers_[granule.readers];
    const auto mine = std::find_if(all.begin(), all.end(), [&](At reader) { return reader.thread() == thread; });
    if (mine != all.end()) {
      *mine = now;
    } else {
      all.push_back(now);
    }
  }

  void note_hot(uint64_t number, const Granule& granule) {
    if (!is_first_ || !granule.is_unordered || !granule.is_plain || granule.locks != LockSets::kNone) return;
    hot_[number >> kLeafBits][number % kLeafGranules / 64] |= uint64_t{1} << number % 64;
  }
  [[nodiscard]] bool is_hot(uint64_t number) const {
    const auto found = hot_.find(number >> kLeafBits);
    return found != hot_.end() && (found->second[number % kLeafGranules / 64] >> number % 64 & 1) != 0;
  }

  // --- second pass: what races -------------------------------------------------------------------------------------

  History& history_of(Granule& granule) {
    if (granule.readers == 0) {
      granule.readers = static_cast<uint32_t>(histories_.size());
      histories_.emplace_back();
    }
    return histories_[granule.readers];
  }

  void judge(Index thread, uint64_t number, Granule& granule, uint8_t bytes, AccessKind kind, uint64_t identity) {
    History& history = history_of(granule);
    const ThreadState& state = threads_[thread];
    AccessClass* same = nullptr;
    for (AccessClass& access : history.classes) {
      if (access.thread != thread || access.where != where_ || access.kind != kind || access.bytes != bytes ||
          access.lockset != state.lockset || access.own != own_) {
        continue;
      }
      same = &access;
      break;
    }
    const bool is_news = same == nullptr || same->epoch != state.epoch || same->seen < history.news_for(thread);
    if (is_news) {
      for (AccessClass& earlier : history.classes) judge_against(earlier, thread, number, bytes, kind, identity);
    }
    if (same == nullptr) {
      same = &history.classes.emplace_back(
          AccessClass{thread, where_, kind, bytes, own_, state.lockset, identity, state.epoch, 0, 0, {}, {}});
    }
    // The last one of an epoch is as good as all, unless it was seen to be no race already.
    if (same->epoch == state.epoch && same->at.size() > same->most_passed) {
      same->at.back() = position_;
    } else {
      same->at.push_back(position_);
      same->epoch = state.epoch;
    }
    history.change(thread);
    same->seen = history.changes;
  }

  void judge_against(AccessClass& earlier, Index thread, uint64_t number, uint8_t bytes, AccessKind kind,
                     uint64_t identity) {
    const uint8_t common = earlier.bytes & bytes;
    if (earlier.thread == thread || common == 0 || !conflicts(earlier.kind, kind)) return;
    if (lock_sets_.protect(earlier.lockset, threads_[thread].lockset)) return;
    const auto pair = std::minmax(earlier.identity, identity);
    if (proved_.contains({pair.first, pair.second})) return;
    if (!host_.counts(threads_[earlier.thread].id, threads_[thread].id, own_)) return;
    const std::vector<Position>* closure = closure_of(thread);
    if (closure == nullptr) return;

    auto passed = std::find_if(earlier.passed.begin(), earlier.passed.end(),
                               [&](const auto& entry) { return entry.first == thread; });
    if (passed == earlier.passed.end()) passed = earlier.passed.insert(passed, {thread, 0});
    uint32_t& at = passed->second;
    const auto done =
        count_until(earlier.at.size(), known(*closure, earlier.thread), [&](size_t i) { return earlier.at[i]; });
    at = std::max(at, static_cast<uint32_t>(done));
    for (; at < earlier.at.size(); ++at) {
      const Position before = earlier.at[at] - 1;
      set_ = *closure;
      include(set_, earlier.thread, before);
      if (set_[earlier.thread] > before || !close(set_, earlier.thread, before + 1)) continue;
      report(earlier, earlier.at[at], thread, number, common, kind);
      proved_.insert({pair.first, pair.second});
      break;
    }
    earlier.most_passed = std::max(earlier.most_passed, at);
  }

  void report(const AccessClass& earlier, Position at, Index thread, uint64_t number, uint8_t common, AccessKind kind) {
    const auto first = static_cast<unsigned>(__builtin_ctz(common));
    Race race;
    race.address = (number << 3) + first;
    race.size = static_cast<uint32_t>(__builtin_ctz(~(uint32_t{common} >> first)));
    for (const auto& [begin, end] : benign_)
      if (race.address < end && race.address + race.size > begin) return;
    race.earlier = {earlier.kind, threads_[earlier.thread].id, earlier.where, locks_at(earlier.thread, at)};
    race.later = {kind, threads_[thread].id, where_, locks_at(thread, position_)};
    race.witness.earlier = at - 1;
    race.witness.later = position_ - 1;
    race.witness.address = race.address;
    // A position is the timestamp plus one.
    for (Index each = 0; each < set_.size(); ++each)
      if (set_[each] != 0) race.witness.until[threads_[each].id] = set_[each] - 1;
    host_.found(race);
  }

  [[nodiscard]] std::vector<HeldLock> locks_at(Index thread, Position position) const {
    std::vector<HeldLock> locks;
    for_each_open(thread, position, [&](const Section& section) {
      locks.insert(locks.begin(), {locks_[section.lock].address, section.mode, section.where});
      return true;
    });
    return locks;
  }

  const Host& host_;
  const bool is_first_;
  std::string refusal_;
  Statistics statistics_;

  std::vector<ThreadState> threads_;
  std::unordered_map<ThreadId, Index> indices_;
  ThreadId last_id_ = kNoThread;
  Index last_index_ = 0;

  std::vector<Lock> locks_;
  std::unordered_map<Address, uint32_t> lock_numbers_;
  LockSets lock_sets_;
  std::unordered_map<Address, At> chains_;  // who did something to an object last

  HotGranules hot_;
  std::unordered_map<uint64_t, std::unique_ptr<Leaf>> leaves_;
  std::array<std::pair<uint64_t, Leaf*>, 1024> recent_{};
  // Of granules; the first is nobody's.
  std::vector<std::array<At, 8>> writers_;
  std::vector<uint32_t> free_writers_;
  std::vector<std::vector<At>> readers_;
  std::vector<uint32_t> free_readers_;
  std::vector<History> histories_;
  std::unordered_set<std::pair<uint64_t, uint64_t>, PairHash> proved_;
  std::vector<std::pair<Address, Address>> benign_;

  // Of the event that is applied.
  std::vector<Operation> operations_;
  Position position_ = 0;
  StackId where_ = kNoStack;
  bool own_ = false;
  std::vector<Position> set_;
};

SyncPreserving::SyncPreserving(Host host)
    : host_(std::move(host)), pass_(std::make_unique<Pass>(host_, true, HotGranules())) {}
SyncPreserving::~SyncPreserving() = default;

void SyncPreserving::add(const Event& event, uint64_t at, bool own, bool is_past) {
  pass_->add(event, at + 1, own, is_past);
}

void SyncPreserving::begin_second_pass() {
  if (!pass_->refusal().empty()) return;
  HotGranules hot = pass_->hot_granules();
  pass_.reset();
  pass_ = std::make_unique<Pass>(host_, false, std::move(hot));
}

const std::string& SyncPreserving::refusal() const { return pass_->refusal(); }
SyncPreserving::Statistics SyncPreserving::statistics() const { return pass_->statistics(); }

}  // namespace norn::analyze
