// A set of numbers, in a place of its own: what was reported already. Freestanding.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

namespace norn {

class KeySet {
 public:
  // False: it is known already, or there is no more room.
  bool add(uint64_t key) {
    const uint64_t kept = key == 0 ? 1 : key;
    size_t at = static_cast<size_t>(hash_word(kept) >> 32) % kPlaces;
    while (keys_[at] != 0) {
      if (keys_[at] == kept) return false;
      at = (at + 1) % kPlaces;
    }
    if (size_ == kMost) return false;
    keys_[at] = kept;
    ++size_;
    return true;
  }
  void clear() { *this = {}; }
  [[nodiscard]] size_t size() const { return size_; }

 private:
  static constexpr size_t kPlaces = 1024;
  static constexpr size_t kMost = 768;  // so that there is always an end to looking
  uint64_t keys_[kPlaces] = {};
  size_t size_ = 0;
};

}  // namespace norn
