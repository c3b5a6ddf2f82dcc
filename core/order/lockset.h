// Sets of held locks, interned: a lockset is a number. What is asked of two large ones is cached; where a program holds
// a lock an element, pairs hardly come twice, and two small sets are read sooner than an answer is found.
#pragma once

#include "core/event.h"
#include "core/storage/intern.h"

namespace norn {

static_assert(sizeof(LocksetId) == sizeof(InternTable::Id) && kNoLocks == InternTable::kEmpty);

// All functions: any thread, at any time but during a collection; lock-free.
class Locksets {
 public:
  static constexpr LockId kMaxLock = (1u << 31) - 1;
  static constexpr unsigned kMostLocks = 528;  // in a set: the others are left out

  bool init(Arena& arena);

  // With `lock` in `mode`, in place of any other mode of it. The same set if memory is used up.
  [[nodiscard]] LocksetId with(LocksetId set, LockId lock, LockMode mode);
  [[nodiscard]] LocksetId without(LocksetId set, LockId lock);
  // The set of these locks, as word_of() has them, in any order; puts them into the set's. Of too many, the first.
  [[nodiscard]] LocksetId of(uint32_t* words, unsigned count);
  static uint32_t word_of(LockId lock, LockMode mode) { return lock << 1 | (mode == LockMode::kShared ? 1u : 0u); }

  // Some lock is in both, in at least one of them exclusively: the two holders exclude each other. Constant time
  // when it was asked before.
  [[nodiscard]] bool protects(LocksetId a, LocksetId b);
  // Whatever `a` excludes, `b` excludes too: every lock of a is in b, and as strongly.
  [[nodiscard]] bool weaker_or_same(LocksetId a, LocksetId b) {
    if (a == kNoLocks || a == b) return true;
    return b != kNoLocks && is_weaker(a, b);
  }
  // The same where that takes a few looks. False: it takes more.
  [[nodiscard, gnu::always_inline]] bool find_weaker_or_same(LocksetId a, LocksetId b, bool& answer) const {
    answer = a == kNoLocks || a == b;
    if (answer || b == kNoLocks) return true;
    const unsigned in_a = table_.count(a);  // of few, and only of them, their number: see kHeader
    const unsigned in_b = table_.count(b);
    if (in_b > kFew) return false;
    answer = in_a <= in_b && are_among(FewDescending{table_.words(a), in_a}, FewDescending{table_.words(b), in_b});
    return true;
  }
  // The locks of `candidates` that are also in `held`; for a write only those held exclusively (Eraser's rule for
  // reader/writer locks). The result carries modes of `held`.
  [[nodiscard]] LocksetId intersect(LocksetId candidates, LocksetId held, bool write);
  // What of `held` may protect such an access at all.
  [[nodiscard]] LocksetId usable(LocksetId held, bool write);

  [[nodiscard]] unsigned size(LocksetId set) const {
    const Chunk last = last_of(set);
    return last.before_count + last.count;
  }
  [[nodiscard]] LockId lock_at(LocksetId set, unsigned i) const { return word_at(set, i) >> 1; }
  [[nodiscard]] LockMode mode_at(LocksetId set, unsigned i) const {
    return (word_at(set, i) & 1) != 0 ? LockMode::kShared : LockMode::kExclusive;
  }

  [[nodiscard]] InternTable& table() { return table_; }
  // During a collection of the table: the set's number from now on; kNoLocks if memory ran out.
  [[nodiscard]] LocksetId keep(LocksetId set);
  void forget_answers();

 private:
  // A set is its locks in ascending order, as word_of() has them, so many at a time: sets of many locks that begin
  // alike share what they begin with, and one more lock than before costs one chunk.
  static constexpr unsigned kChunk = 32;
  // What begins a sequence that goes on after another: this word (no lock's), that set, its size, and nothing: so it is
  // longer than one of few locks.
  static constexpr uint32_t kGoesOn = 1;
  static constexpr unsigned kHeader = 4;
  struct Chunk {
    LocksetId before;
    unsigned before_count;
    const uint32_t* words;
    unsigned count;  // 0 only of no locks
  };
  class Descending;

  [[nodiscard]] Chunk last_of(LocksetId set) const;
  [[nodiscard]] uint32_t word_at(LocksetId set, unsigned i) const;
  unsigned copy(LocksetId set, uint32_t* words) const;
  LocksetId make_chunk(LocksetId before, unsigned before_count, const uint32_t* words, unsigned count);
  LocksetId make(const uint32_t* words, unsigned count);

  // One answered question: both ids (30 bits each), the question and the answer; 0 is none.
  static constexpr unsigned kAnswers = 4096;
  enum Question : uint64_t { kProtects = 1, kWeaker = 2 };
  // Sets of no more locks are compared anew each time.
  static constexpr unsigned kFew = 4;
  static_assert(kHeader >= kFew && kChunk > kFew);
  // The words of a set of few, from the last on; of any: Descending.
  struct FewDescending {
    const uint32_t* words;
    unsigned count;

    [[nodiscard]] bool at_end() const { return count == 0; }
    [[nodiscard]] uint32_t word() const { return words[count - 1]; }
    void next() { --count; }
  };
  // Every lock of the one is among the other's, and as strongly.
  template <class Words>
  [[nodiscard, gnu::always_inline]] static bool are_among(Words weaker, Words stronger) {
    for (; !weaker.at_end(); weaker.next()) {
      while (!stronger.at_end() && stronger.word() >> 1 > weaker.word() >> 1) stronger.next();
      if (stronger.at_end() || stronger.word() >> 1 != weaker.word() >> 1) return false;
      if ((stronger.word() & 1) > (weaker.word() & 1)) return false;
    }
    return true;
  }
  bool is_weaker(LocksetId a, LocksetId b);
  template <class Compute>
  bool ask(Question question, LocksetId a, LocksetId b, Compute compute);

  InternTable table_;
  std::atomic<uint64_t>* answers_ = nullptr;
};

}  // namespace norn
