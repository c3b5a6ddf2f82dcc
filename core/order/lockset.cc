#include "core/order/lockset.h"

#include "base/hash.h"

namespace norn {

// A set is its locks in ascending order, each lock << 1 | shared.

bool Locksets::init(Arena& arena) {
  answers_ = static_cast<std::atomic<uint64_t>*>(arena.allocate_zeroed(kAnswers * sizeof(uint64_t)));
  return answers_ != nullptr && table_.init(arena, 11, 29);
}

void Locksets::forget_answers() {
  for (unsigned i = 0; i < kAnswers; ++i) answers_[i].store(0, std::memory_order_relaxed);
}

LocksetId Locksets::with(LocksetId set, LockId lock, LockMode mode) {
  uint32_t words[InternTable::kMaxWords];
  const uint32_t word = word_of(lock, mode);
  const unsigned count = table_.count(set);
  if (count + 1 > InternTable::kMaxWords) return set;
  unsigned n = 0;
  bool placed = false;
  for (unsigned i = 0; i < count; ++i) {
    const uint32_t old = table_.words(set)[i];
    if (!placed && old >> 1 >= lock) {
      words[n++] = word;
      placed = true;
    }
    if (old >> 1 != lock) words[n++] = old;
  }
  if (!placed) words[n++] = word;
  const LocksetId made = table_.intern(words, n);
  return made == kNoLocks ? set : made;
}

LocksetId Locksets::without(LocksetId set, LockId lock) {
  uint32_t words[InternTable::kMaxWords];
  const unsigned count = table_.count(set);
  unsigned n = 0;
  for (unsigned i = 0; i < count; ++i) {
    const uint32_t old = table_.words(set)[i];
    if (old >> 1 != lock) words[n++] = old;
  }
  return n == count ? set : table_.intern(words, n);
}

LocksetId Locksets::of(uint32_t* words, unsigned count) {
  for (unsigned i = 1; i < count; ++i) {
    const uint32_t word = words[i];
    unsigned at = i;
    for (; at > 0 && words[at - 1] > word; --at) words[at] = words[at - 1];
    words[at] = word;
  }
  return table_.intern(words, count);
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
    unsigned i = 0;
    unsigned k = 0;
    const unsigned na = table_.count(a);
    const unsigned nb = table_.count(b);
    while (i < na && k < nb) {
      const uint32_t wa = table_.words(a)[i];
      const uint32_t wb = table_.words(b)[k];
      if (wa >> 1 == wb >> 1) {
        if ((wa & wb & 1) == 0) return true;
        ++i;
        ++k;
      } else if (wa < wb) {
        ++i;
      } else {
        ++k;
      }
    }
    return false;
  };
  return table_.count(a) <= kFew && table_.count(b) <= kFew ? compute() : ask(kProtects, a, b, compute);
}

bool Locksets::is_weaker(LocksetId a, LocksetId b) {
  if (bool answer = false; find_weaker_or_same(a, b, answer)) return answer;
  return ask(kWeaker, a, b,
             [&] { return are_among(table_.words(a), table_.count(a), table_.words(b), table_.count(b)); });
}

LocksetId Locksets::intersect(LocksetId candidates, LocksetId held, bool write) {
  uint32_t words[InternTable::kMaxWords];
  unsigned n = 0;
  unsigned k = 0;
  const unsigned nc = table_.count(candidates);
  for (unsigned i = 0; i < table_.count(held); ++i) {
    const uint32_t word = table_.words(held)[i];
    while (k < nc && table_.words(candidates)[k] >> 1 < word >> 1) ++k;
    if (k == nc) break;
    if (table_.words(candidates)[k] >> 1 != word >> 1) continue;
    if (write && (word & 1) != 0) continue;
    words[n++] = word;
  }
  return table_.intern(words, n);
}

LocksetId Locksets::usable(LocksetId held, bool write) { return write ? intersect(held, held, true) : held; }

}  // namespace norn
