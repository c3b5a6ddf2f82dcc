// Sets of locks, each with a small number; what is asked of them again and again is remembered.
#pragma once

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "core/event.h"

namespace norn::analyze {

class LockSets {
 public:
  using Id = uint32_t;
  static constexpr Id kNone = 0;
  static constexpr Id kEvery = ~Id{0};  // all locks there are

  LockSets() { number({}); }

  [[nodiscard]] Id with(Id set, uint32_t lock, LockMode mode) {
    return remembered(set, entry(lock, mode), with_, [](std::vector<Entry> entries, Entry added) {
      entries.insert(std::lower_bound(entries.begin(), entries.end(), added), added);
      return entries;
    });
  }
  [[nodiscard]] Id without(Id set, uint32_t lock, LockMode mode) {
    return remembered(set, entry(lock, mode), without_, [](std::vector<Entry> entries, Entry removed) {
      std::erase(entries, removed);
      return entries;
    });
  }
  // Whether one lock is in both, at least once exclusively.
  [[nodiscard]] bool protect(Id a, Id b) {
    if (a == kNone || b == kNone) return false;
    const auto [found, is_new] = protect_.emplace(key(std::min(a, b), std::max(a, b)), false);
    if (is_new) {
      for (const Entry mine : sets_[a])
        for (const Entry other : sets_[b])
          found->second = found->second || (mine / 2 == other / 2 && (mine % 2 == 0 || other % 2 == 0));
    }
    return found->second;
  }
  // The locks of the set by which a read, or a write, may be protected from all that hold one of them: as shared ones.
  [[nodiscard]] Id that_protect(Id set, bool writes) {
    return remembered(set, writes ? 1 : 0, protecting_, [](const std::vector<Entry>& entries, Entry is_write) {
      std::vector<Entry> kept;
      for (const Entry each : entries)
        if (is_write == 0 || each % 2 == 0) kept.push_back(each | 1);
      return kept;
    });
  }
  [[nodiscard]] Id common(Id a, Id b) {
    if (a == kEvery || a == b) return b;
    if (a == kNone || b == kNone) return kNone;
    return remembered(a, b, common_, [&](const std::vector<Entry>& entries, Entry /*b*/) {
      std::vector<Entry> both;
      std::set_intersection(entries.begin(), entries.end(), sets_[b].begin(), sets_[b].end(), std::back_inserter(both));
      return both;
    });
  }

 private:
  using Entry = uint32_t;  // twice the lock, plus one if it is shared
  using Answers = std::unordered_map<uint64_t, Id>;
  static Entry entry(uint32_t lock, LockMode mode) { return lock * 2 + (mode == LockMode::kShared ? 1 : 0); }
  static uint64_t key(uint32_t a, uint32_t b) { return uint64_t{a} << 32 | b; }

  template <class Make>
  Id remembered(Id set, Entry other, Answers& answers, Make make) {
    const auto found = answers.find(key(set, other));
    if (found != answers.end()) return found->second;
    const Id made = number(make(sets_[set], other));
    answers.emplace(key(set, other), made);
    return made;
  }
  Id number(std::vector<Entry> entries) {
    const auto [found, is_new] = numbers_.emplace(entries, static_cast<Id>(sets_.size()));
    if (is_new) sets_.push_back(std::move(entries));
    return found->second;
  }

  std::vector<std::vector<Entry>> sets_;
  std::map<std::vector<Entry>, Id> numbers_;
  Answers with_;
  Answers without_;
  Answers protecting_;
  Answers common_;
  std::unordered_map<uint64_t, bool> protect_;
};

}  // namespace norn::analyze
