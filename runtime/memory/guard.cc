#include "runtime/memory/guard.h"

#include "base/hash.h"
#include "report/race.h"
#include "runtime/control/decisions.h"
#include "runtime/control/interest.h"
#include "runtime/memory/blocks.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/findings_file.h"
#include "runtime/reporting/reporter.h"

namespace norn::rt {

constinit bool guards_memory = false;

namespace {

// Of the blocks that were handed out with a margin.
enum class State : uint8_t { kNone, kLives, kKept, kGone };

// By their addresses, open addressing. Nothing is taken out: an address comes again, or stays as it is.
class Guarded {
 public:
  State state_of(Address block) const {
    if (capacity_ == 0) return State::kNone;
    const uint64_t word = *place_of(words_, capacity_, block);
    return word >> kStateBits == block ? static_cast<State>(word & kStateMask) : State::kNone;
  }
  void set(Address block, State state) {
    if (used_ * 2 >= capacity_ && !grow()) return;
    uint64_t* word = place_of(words_, capacity_, block);
    if (*word == 0) ++used_;
    *word = block << kStateBits | static_cast<uint64_t>(state);
  }

 private:
  static constexpr unsigned kStateBits = 2;
  static constexpr uint64_t kStateMask = 3;
  static constexpr size_t kFirstCapacity = 4096;

  static uint64_t* place_of(uint64_t* words, size_t capacity, Address block) {
    for (size_t i = hash_word(block) >> 20;; ++i) {
      uint64_t& word = words[i & (capacity - 1)];
      if (word == 0 || word >> kStateBits == block) return &word;
    }
  }
  bool grow() {
    const size_t capacity = capacity_ == 0 ? kFirstCapacity : capacity_ * 2;
    auto* words = static_cast<uint64_t*>(memory.allocate_zeroed(capacity * sizeof(uint64_t)));
    if (words == nullptr) return false;
    for (size_t i = 0; i < capacity_; ++i)
      if (words_[i] != 0) *place_of(words, capacity, words_[i] >> kStateBits) = words_[i];
    if (capacity_ != 0) memory.release(words_, capacity_ * sizeof(uint64_t));
    words_ = words;
    capacity_ = capacity;
    return true;
  }

  uint64_t* words_ = nullptr;
  size_t capacity_ = 0;
  size_t used_ = 0;
};

constinit SpinMutex mutex;
constinit Guarded guarded;
constinit uint64_t kept_bytes = 0;
constexpr uint64_t kMostKept = uint64_t{1} << 28;
constinit Address lowest = ~Address{0};
constinit Address highest = 0;

State state_of(Address block) {
  const SpinLock lock(mutex);
  return guarded.state_of(block);
}

[[noreturn]] void end_by_memory_error(Text does, uint64_t size, const norn_site* site, Text where, uint64_t block) {
  schedule::Outcome& outcome = *control::outcome;
  Buffer words(outcome.memory_error, sizeof(outcome.memory_error) - 1);
  words.sink().put(does);
  if (size != 0) {
    words.sink().put(" of ");
    words.sink().put(Decimal(size).text());
    words.sink().put(size == 1 ? Text(" byte") : Text(" bytes"));
  }
  const control::Matched found = control::find_out(*current_state, site);
  if (found.own != nullptr && found.own->file != nullptr) {
    words.sink().put(" at ");
    words.sink().put(report::base_name(found.own->file));
    words.sink().put(":");
    words.sink().put(Decimal(found.own->line).text());
  }
  words.sink().put(where);
  words.sink().put(" a block of ");
  words.sink().put(Decimal(block).text());
  words.sink().put(" bytes");
  outcome.memory_error[words.text().size] = '\0';
  constexpr int kStatus = 1;
  finish_report(kStatus);
  sys::exit_process(kStatus);
}

}  // namespace

void guard_block(Address block) {
  const SpinLock lock(mutex);
  guarded.set(block, State::kLives);
  lowest = block < lowest ? block : lowest;
  Block found;
  const Address end = look_up_block(block, found) ? found.address + found.size + kMargin : block;
  highest = end > highest ? end : highest;
}

bool may_give_back(Address block, const norn_site* site) {
  const State state = state_of(block);
  Block found;
  const bool known = look_up_block(block, found);
  if (state == State::kKept && known) end_by_memory_error("double free", 0, site, " of", found.size);
  if (state != State::kLives) {
    const bool is_inside = known && !found.freed && found.address != block && state_of(found.address) == State::kLives;
    if (is_inside) end_by_memory_error("free", 0, site, " of what is inside", found.size);
    return true;
  }
  const SpinLock lock(mutex);
  const bool keeps = kept_bytes + found.size <= kMostKept;
  guarded.set(block, keeps ? State::kKept : State::kGone);
  kept_bytes += keeps ? found.size : 0;
  return !keeps;
}

void check_memory(bool writes, Address address, uint64_t size, const norn_site* site) {
  if (size == 0 || address < lowest || address >= highest) return;
  const Text does = writes ? Text("write") : Text("read");
  Block found;
  if (look_up_block(address, found)) {
    const State state = state_of(found.address);
    if (found.freed && state == State::kKept) end_by_memory_error(does, size, site, ", after the free of", found.size);
    const bool ends_behind = address + size > found.address + found.size;
    if (!found.freed && state == State::kLives && ends_behind)
      end_by_memory_error(does, size, site, ", beyond the end of", found.size);
    return;
  }
  // In the margin of the block before?
  for (Address back = 1; back <= kMargin && back <= address; ++back) {
    if (!look_up_block(address - back, found)) continue;
    if (!found.freed && state_of(found.address) == State::kLives)
      end_by_memory_error(does, size, site, ", behind", found.size);
    return;
  }
}

}  // namespace norn::rt
