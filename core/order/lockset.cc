#include "core/order/lockset.h"

#include "base/bytes.h"
#include "base/hash.h"

namespace norn {

// The words of a set, from the last on.
class Locksets::Descending {
 public:
  Descending(const Locksets& sets, LocksetId set) : sets_(sets), chunk_(sets.last_of(set)) {}

  [[nodiscard]] bool at_end() const { return chunk_.count == 0; }
  [[nodiscard]] uint32_t word() const { return chunk_.words[chunk_.count - 1]; }
  [[nodiscard]] LockId lock() const { return word() >> 1; }
  void next() {
    if (--chunk_.count == 0) chunk_ = sets_.last_of(chunk_.before);
  }

 private:
  const Locksets& sets_;
  Chunk chunk_;
};

bool Locksets::init(Arena& arena) {
  answers_ = static_cast<std::atomic<uint64_t>*>(arena.allocate_zeroed(kAnswers * sizeof(uint64_t)));
  return answers_ != nullptr && table_.init(arena, 11, 29);
}

void Locksets::forget_answers() {
  for (unsigned i = 0; i < kAnswers; ++i) answers_[i].store(0, std::memory_order_relaxed);
}

Locksets::Chunk Locksets::last_of(LocksetId set) const {
  if (set == kNoLocks) return {kNoLocks, 0, nullptr, 0};
  const uint32_t* words = table_.words(set);
  const unsigned count = table_.count(set);
  if (words[0] != kGoesOn) return {kNoLocks, 0, words, count};
  return {words[1], words[2], words + kHeader, count - kHeader};
}

uint32_t Locksets::word_at(LocksetId set, unsigned i) const {
  Chunk chunk = last_of(set);
  while (i < chunk.before_count) chunk = last_of(chunk.before);
  return chunk.words[i - chunk.before_count];  // NOLINT(clang-analyzer-core.NullDereference): i is below size(set)
}

// `words` has room for kMostLocks.
unsigned Locksets::copy(LocksetId set, uint32_t* words) const {
  const unsigned count = size(set);
  for (Chunk chunk = last_of(set); chunk.count != 0; chunk = last_of(chunk.before)) {
    copy_words(words + chunk.before_count, chunk.words, chunk.count);
  }
  return count;
}

LocksetId Locksets::make_chunk(LocksetId before, unsigned before_count, const uint32_t* words, unsigned count) {
  if (before == kNoLocks) return table_.intern(words, count);
  uint32_t buffer[kHeader + kChunk] = {kGoesOn, before, before_count, 0};
  copy_words(buffer + kHeader, words, count);
  return table_.intern(buffer, kHeader + count);
}

// Of words in ascending order.
LocksetId Locksets::make(const uint32_t* words, unsigned count) {
  LocksetId before = kNoLocks;
  unsigned at = 0;
  for (; count - at > kChunk; at += kChunk) {
    before = make_chunk(before, at, words + at, kChunk);
    if (before == kNoLocks) return kNoLocks;
  }
  return make_chunk(before, at, words + at, count - at);
}

LocksetId Locksets::with(LocksetId set, LockId lock, LockMode mode) {
  const uint32_t word = word_of(lock, mode);
  const Chunk last = last_of(set);
  const unsigned count = last.before_count + last.count;
  if (count == kMostLocks) return set;
  uint32_t words[kMostLocks];
  LocksetId made = kNoLocks;
  if (last.count == kChunk && last.words[kChunk - 1] >> 1 < lock) {
    made = make_chunk(set, count, &word, 1);
  } else if (last.count != 0 && last.words[last.count - 1] >> 1 < lock) {
    copy_words(words, last.words, last.count);
    words[last.count] = word;
    made = make_chunk(last.before, last.before_count, words, last.count + 1);
  } else {
    copy(set, words);
    unsigned at = count;
    for (; at > 0 && words[at - 1] >> 1 > lock; --at) words[at] = words[at - 1];
    if (at > 0 && words[at - 1] >> 1 == lock) {  // in another mode: what was moved up goes back
      words[at - 1] = word;
      for (; at < count; ++at) words[at] = words[at + 1];
      made = make(words, count);
    } else {
      words[at] = word;
      made = make(words, count + 1);
    }
  }
  return made == kNoLocks ? set : made;
}

LocksetId Locksets::without(LocksetId set, LockId lock) {
  uint32_t words[kMostLocks];
  const unsigned count = copy(set, words);
  unsigned n = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (words[i] >> 1 != lock) words[n++] = words[i];
  }
  return n == count ? set : make(words, n);
}

LocksetId Locksets::of(uint32_t* words, unsigned count) {
  if (count > kMostLocks) count = kMostLocks;
  for (unsigned i = 1; i < count; ++i) {
    const uint32_t word = words[i];
    unsigned at = i;
    for (; at > 0 && words[at - 1] > word; --at) words[at] = words[at - 1];
    words[at] = word;
  }
  return make(words, count);
}

LocksetId Locksets::keep(LocksetId set) {
  if (set == kNoLocks) return kNoLocks;
  const uint32_t* words = table_.old_words(set);
  const bool goes_on = words[0] == kGoesOn;
  const LocksetId before = goes_on ? keep(words[1]) : kNoLocks;
  if (goes_on && before == kNoLocks) return kNoLocks;
  return table_.keep(set, [&](uint32_t* copied, unsigned) {
    if (goes_on) copied[1] = before;
  });
}

template <class Compute>
bool Locksets::ask(Question question, LocksetId a, LocksetId b, Compute compute) {
  const uint64_t key = uint64_t{a} << 34 | uint64_t{b} << 4 | question << 1;
  std::atomic<uint64_t>& slot = answers_[hash_word(key) >> 52];
  const uint64_t known = slot.load(std::memory_order_relaxed);
  if ((known & ~uint64_t{1}) == key) return (known & 1) != 0;
  const bool answer = compute();
  slot.store(key | (answer ? 1u : 0u), std::memory_order_relaxed);
  return answer;
}

bool Locksets::protects(LocksetId a, LocksetId b) {
  if (a == kNoLocks || b == kNoLocks) return false;
  if (a > b) {
    const LocksetId swap = a;
    a = b;
    b = swap;
  }
  const auto compute = [&] {
    Descending one(*this, a);
    Descending other(*this, b);
    while (!one.at_end() && !other.at_end()) {
      const LockId lock = one.lock();
      const LockId beside = other.lock();
      if (lock == beside && (one.word() & other.word() & 1) == 0) return true;
      if (lock >= beside) one.next();
      if (beside >= lock) other.next();
    }
    return false;
  };
  // Of one set its first exclusive lock decides: that is no question to remember the answer of.
  if (a == b || (table_.count(a) <= kFew && table_.count(b) <= kFew)) return compute();
  return ask(kProtects, a, b, compute);
}

bool Locksets::is_weaker(LocksetId a, LocksetId b) {
  if (bool answer = false; find_weaker_or_same(a, b, answer)) return answer;
  return ask(kWeaker, a, b, [&] { return are_among(Descending(*this, a), Descending(*this, b)); });
}

LocksetId Locksets::intersect(LocksetId candidates, LocksetId held, bool write) {
  uint32_t words[kMostLocks];
  unsigned first = kMostLocks;
  Descending candidate(*this, candidates);
  for (Descending at(*this, held); !at.at_end(); at.next()) {
    while (!candidate.at_end() && candidate.lock() > at.lock()) candidate.next();
    if (candidate.at_end()) break;
    if (candidate.lock() != at.lock()) continue;
    if (write && (at.word() & 1) != 0) continue;
    words[--first] = at.word();
  }
  return make(words + first, kMostLocks - first);
}

LocksetId Locksets::usable(LocksetId held, bool write) { return write ? intersect(held, held, true) : held; }

}  // namespace norn
