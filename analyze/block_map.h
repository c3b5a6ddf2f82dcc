// Blocks of the heap, as a trace records them: what runtime/memory/blocks.h is to a running program.
#pragma once

#include <map>

#include "core/ids.h"

namespace norn::analyze {

struct Block {
  Address address = 0;
  uint64_t size = 0;
  ThreadId thread = 0;
  StackId where = kNoStack;
  Epoch birth;
  bool freed = false;
};

class BlockMap {
 public:
  void add(const Block& block) {
    // What was there before is gone, whoever freed it.
    const Address end = block.address + extent(block);
    auto at = blocks_.lower_bound(block.address);
    if (at != blocks_.begin()) {
      const auto before = std::prev(at);
      if (before->second.address + extent(before->second) > block.address) blocks_.erase(before);
    }
    while (at != blocks_.end() && at->first < end) at = blocks_.erase(at);
    blocks_.emplace(block.address, block);
  }
  void end(Address address) {
    if (const auto found = blocks_.find(address); found != blocks_.end()) found->second.freed = true;
  }
  // The block that the byte lies in, or lay in until its memory was used again; null if there is none.
  [[nodiscard]] const Block* find(Address byte) const {
    auto at = blocks_.upper_bound(byte);
    if (at == blocks_.begin()) return nullptr;
    --at;
    return byte - at->first < extent(at->second) ? &at->second : nullptr;
  }

 private:
  static uint64_t extent(const Block& block) { return block.size == 0 ? 1 : block.size; }
  std::map<Address, Block> blocks_;  // none overlaps another
};

}  // namespace norn::analyze
