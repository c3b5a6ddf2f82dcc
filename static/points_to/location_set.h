// A set of small numbers that lie together in places: words of 64, sorted, in one piece of memory. Unions of large sets
// are what solving constraints takes its time for; a list of chunks (llvm::SparseBitVector) took twice as long.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace norn::statics {

class LocationSet final {
  struct Word {
    uint32_t index;
    uint64_t bits;
  };

 public:
  class Iterator {
   public:
    Iterator(const Word* word, const Word* end) : word_(word), end_(end), left_(word == end ? 0 : word->bits) {}
    unsigned operator*() const { return word_->index * 64 + static_cast<unsigned>(std::countr_zero(left_)); }
    Iterator& operator++() {
      left_ &= left_ - 1;
      if (left_ == 0 && ++word_ != end_) left_ = word_->bits;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return word_ != other.word_ || left_ != other.left_; }

   private:
    const Word* word_;
    const Word* end_;
    uint64_t left_;
  };

  [[nodiscard]] Iterator begin() const { return {words_.data(), words_.data() + words_.size()}; }
  [[nodiscard]] Iterator end() const {
    const Word* end = words_.data() + words_.size();
    return {end, end};
  }
  [[nodiscard]] bool empty() const { return words_.empty(); }
  void clear() { words_.clear(); }
  [[nodiscard]] size_t count() const {
    size_t all = 0;
    for (const Word& word : words_) all += static_cast<size_t>(std::popcount(word.bits));
    return all;
  }
  [[nodiscard]] size_t words() const { return words_.size(); }
  [[nodiscard]] uint64_t hash() const {
    uint64_t all = words_.size();
    for (const Word& word : words_) all = (all ^ word.index ^ word.bits) * 0x9e3779b97f4a7c15u + (all >> 29);
    return all;
  }
  friend bool operator==(const LocationSet& a, const LocationSet& b) {
    return a.words_.size() == b.words_.size() &&
           std::equal(a.words_.begin(), a.words_.end(), b.words_.begin(), [](const Word& one, const Word& other) {
             return one.index == other.index && one.bits == other.bits;
           });
  }
  // Whether it was not there.
  bool insert(unsigned number) {
    const uint32_t index = number / 64;
    const uint64_t bit = uint64_t{1} << (number % 64);
    const auto at = lower_bound(words_.begin(), words_.end(), index);
    if (at == words_.end() || at->index != index) {
      words_.insert(at, {index, bit});
      return true;
    }
    if ((at->bits & bit) != 0) return false;
    at->bits |= bit;
    return true;
  }
  // Behind all that is there.
  void append(uint32_t index, uint64_t bits) { words_.push_back({index, bits}); }
  // Adds what `from` has; `added` becomes what was not there before. Whether there is any.
  bool add(const LocationSet& from, LocationSet& added) {
    added.words_.clear();
    size_t new_words = 0;
    auto at = words_.begin();
    for (const Word& word : from.words_) {
      if (at != words_.end() && at->index < word.index) at = lower_bound(at, words_.end(), word.index);
      if (at == words_.end() || at->index != word.index) {
        ++new_words;
        added.words_.push_back(word);
      } else if (const uint64_t more = word.bits & ~at->bits; more != 0) {
        at->bits |= more;
        added.words_.push_back({word.index, more});
      }
    }
    if (new_words == 0) return !added.words_.empty();
    // From the end, so that nothing is moved twice.
    const auto old = static_cast<std::ptrdiff_t>(words_.size());
    words_.resize(words_.size() + new_words);
    auto source = words_.begin() + old;
    auto target = words_.end();
    for (auto word = added.words_.end(); word != added.words_.begin() && target != source;) {
      --word;
      while (source != words_.begin() && (source - 1)->index > word->index) *--target = *--source;
      const bool was_there = source != words_.begin() && (source - 1)->index == word->index;
      if (!was_there) *--target = *word;
    }
    return true;
  }
  void add(const LocationSet& from) {
    LocationSet added;
    add(from, added);
  }
  [[nodiscard]] bool intersects(const LocationSet& other) const {
    auto at = words_.begin();
    for (const Word& word : other.words_) {
      if (at != words_.end() && at->index < word.index) at = lower_bound(at, words_.end(), word.index);
      if (at == words_.end()) return false;
      if (at->index == word.index && (at->bits & word.bits) != 0) return true;
    }
    return false;
  }
  // Keeps what `other` has, too.
  void intersect(const LocationSet& other) {
    size_t kept = 0;
    auto at = other.words_.begin();
    for (const Word& word : words_) {
      if (at != other.words_.end() && at->index < word.index) at = lower_bound(at, other.words_.end(), word.index);
      if (at == other.words_.end()) break;
      if (at->index == word.index && (at->bits & word.bits) != 0) words_[kept++] = {word.index, at->bits & word.bits};
    }
    words_.resize(kept);
  }
  void remove(const LocationSet& other) {
    size_t kept = 0;
    auto at = other.words_.begin();
    for (const Word& word : words_) {
      if (at != other.words_.end() && at->index < word.index) at = lower_bound(at, other.words_.end(), word.index);
      const uint64_t gone = at != other.words_.end() && at->index == word.index ? at->bits : 0;
      if ((word.bits & ~gone) != 0) words_[kept++] = {word.index, word.bits & ~gone};
    }
    words_.resize(kept);
  }

 private:
  // The first word from there on whose index is not less; it is often near.
  template <class At>
  static At lower_bound(At begin, At end, uint32_t index) {
    for (std::ptrdiff_t step = 1; end - begin > step; step *= 2) {
      if ((begin + step)->index >= index) {
        end = begin + step + 1;
        break;
      }
      begin += step;
    }
    return std::lower_bound(begin, end, index, [](const Word& word, uint32_t wanted) { return word.index < wanted; });
  }

  std::vector<Word> words_;  // none without bits
};

}  // namespace norn::statics
