#include "runtime/memory/blocks.h"

#include "base/hash.h"
#include "core/shadow/shadow_word.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/reporting/recording.h"

namespace norn::rt {
namespace {

// --- small blocks ------------------------------------------------------------------------------------------------
//
// One that begins where all do and is not large has its entry where its address says, in a chunk for each 16 KiB of
// memory, found through two directories and never taken away. Nobody needs a lock: who allocates a block writes its
// entry before anybody else can know of it, and who frees it does before the host may give it to others. What others
// look at meanwhile, for a report or a prediction, is one word, or is looked at again.

constexpr uint64_t kSmall = 512;
constexpr Address kAlignment = 16;

struct SmallEntry {
  std::atomic<uint64_t> state;  // a SmallState; 0: none
  std::atomic<uint64_t> maker;  // the thread, and above it the place
};
static_assert(sizeof(SmallEntry) == kAlignment);

struct SmallState {
  uint64_t is_known : 1;
  uint64_t freed : 1;
  uint64_t size : 10;
  uint64_t slot : 16;  // of its birth
  uint64_t time : 22;
  uint64_t quiet : 1;

  static constexpr uint64_t kFreed = 2;
  [[nodiscard]] Epoch birth() const { return {static_cast<Slot>(slot), static_cast<ClockValue>(time)}; }
  [[nodiscard]] uint64_t bits() const { return __builtin_bit_cast(uint64_t, *this); }
  static SmallState of(uint64_t bits) { return __builtin_bit_cast(SmallState, bits); }
};
static_assert(sizeof(SmallState) == 8);
static_assert(ShadowWord::kClockBits <= 22 && kSmall < 1u << 10);

constexpr unsigned kChunkBits = 14;
constexpr unsigned kMiddleBits = 17;
constexpr unsigned kAddressBits = 48;
struct Chunk {
  SmallEntry entries[(1u << kChunkBits) / kAlignment];
};
struct Middle {
  std::atomic<Chunk*> chunks[1u << kMiddleBits];
};
constinit std::atomic<Middle*> small_blocks[1u << (kAddressBits - kChunkBits - kMiddleBits)] = {};

bool may_be_small(Address address) { return address % kAlignment == 0 && address >> kAddressBits == 0; }

// Null: there is none yet.
SmallEntry* small_entry(Address address) {
  const Middle* middle = small_blocks[address >> (kChunkBits + kMiddleBits)].load(std::memory_order_acquire);
  if (middle == nullptr) return nullptr;
  Chunk* chunk = middle->chunks[(address >> kChunkBits) % (1u << kMiddleBits)].load(std::memory_order_acquire);
  return chunk == nullptr ? nullptr : &chunk->entries[address % (1u << kChunkBits) / kAlignment];
}

// Who comes second takes what the first has made.
template <class Table>
Table* make_in(std::atomic<Table*>& place) {
  Table* found = place.load(std::memory_order_acquire);
  if (found != nullptr) return found;
  auto* made = static_cast<Table*>(memory.allocate_zeroed(sizeof(Table)));
  if (made == nullptr || place.compare_exchange_strong(found, made, std::memory_order_acq_rel)) return made;
  memory.release(made, sizeof(Table));
  return found;
}

[[gnu::noinline]] SmallEntry* make_small_entry(Address address) {
  Middle* middle = make_in(small_blocks[address >> (kChunkBits + kMiddleBits)]);
  if (middle == nullptr || make_in(middle->chunks[(address >> kChunkBits) % (1u << kMiddleBits)]) == nullptr) {
    return nullptr;
  }
  return small_entry(address);
}

void add_small(const Block& block) {
  SmallEntry* entry = small_entry(block.address);
  if (entry == nullptr) entry = make_small_entry(block.address);
  if (entry == nullptr) return;
  const SmallState state = {
      1, 0, block.size, block.birth.slot, block.birth.time & ((1u << 22) - 1), block.quiet ? 1u : 0u};
  entry->maker.store(block.thread | uint64_t{block.where} << 32, std::memory_order_release);
  entry->state.store(state.bits(), std::memory_order_release);
}

SmallState small_state(Address address) {
  const SmallEntry* entry = may_be_small(address) ? small_entry(address) : nullptr;
  return SmallState::of(entry == nullptr ? 0 : entry->state.load(std::memory_order_acquire));
}

Block small_block(Address address, const SmallEntry& entry, SmallState state) {
  const uint64_t maker = entry.maker.load(std::memory_order_acquire);
  return {
      address,          state.size,      static_cast<ThreadId>(maker), static_cast<StackId>(maker >> 32), state.birth(),
      state.freed != 0, state.quiet != 0};
}

// One that holds the byte; what lives there now rather than what was freed.
bool find_small(Address byte, Block& found) {
  bool any = false;
  const Address last = byte & ~(kAlignment - 1);
  for (Address back = 0; back <= kSmall && back <= last; back += kAlignment) {
    const Address address = last - back;
    const SmallEntry* entry = may_be_small(address) ? small_entry(address) : nullptr;
    if (entry == nullptr) continue;
    const SmallState state = SmallState::of(entry->state.load(std::memory_order_acquire));
    if (state.is_known == 0 || byte - address >= (state.size == 0 ? 1 : state.size)) continue;
    if (any && (state.freed != 0 || !found.freed)) continue;
    const Block block = small_block(address, *entry, state);
    if (entry->state.load(std::memory_order_acquire) != state.bits()) continue;  // it is another one by now
    found = block;
    any = true;
  }
  return any;
}

// --- the others --------------------------------------------------------------------------------------------------

constexpr unsigned kShards = 64;
constexpr size_t kFirstCapacity = 256;

struct Entry {
  uint64_t address : 48;  // 0: free
  uint64_t slot : 16;     // of its birth
  uint64_t size : 40;
  uint64_t time : 22;
  uint64_t freed : 1;
  uint64_t quiet : 1;
  ThreadId thread;
  StackId where;

  [[nodiscard]] Epoch birth() const { return {static_cast<Slot>(slot), static_cast<ClockValue>(time)}; }
  [[nodiscard]] bool holds(Address at) const { return at >= address && at - address < (size == 0 ? 1 : size); }
};
static_assert(sizeof(Entry) == 24);
static_assert(ShadowWord::kClockBits <= 22);
constexpr uint64_t kMaxSize = (uint64_t{1} << 40) - 1;

struct Shard {
  SpinMutex mutex;
  Entry* entries = nullptr;  // open addressing
  size_t capacity = 0;       // a power of two
  size_t used = 0;
};
constinit Shard shards[kShards];

// The blocks of a page are side by side in one shard, as they are in memory: a program that goes from block to block
// finds their entries in its caches as well.
constexpr unsigned kPageBits = 12;
constexpr unsigned kBlockBits = 4;

uint64_t hash_of_page(Address address) {
  const uint64_t hash = hash_word(address >> kPageBits);
  return hash ^ hash >> 32;
}
Shard& shard_of(Address address) { return shards[hash_of_page(address) % kShards]; }

Entry* slot_for(Entry* entries, size_t capacity, Address address) {
  constexpr uint64_t kBlocks = uint64_t{1} << (kPageBits - kBlockBits);
  for (size_t i = hash_of_page(address) / kShards * kBlocks + (address >> kBlockBits) % kBlocks;; ++i) {
    Entry& entry = entries[i & (capacity - 1)];
    if (entry.address == address || entry.address == 0) return &entry;
  }
}

// Freed blocks are forgotten when the table grows.
bool grow(Shard& shard) {
  size_t living = 0;
  for (size_t i = 0; i < shard.capacity; ++i) {
    living += shard.entries[i].address != 0 && shard.entries[i].freed == 0 ? 1 : 0;
  }
  const size_t capacity = living * 4 < shard.capacity ? shard.capacity
                          : shard.capacity == 0       ? kFirstCapacity
                                                      : shard.capacity * 2;
  auto* entries = static_cast<Entry*>(memory.allocate_zeroed(capacity * sizeof(Entry)));
  if (entries == nullptr) return false;
  for (size_t i = 0; i < shard.capacity; ++i) {
    const Entry& old = shard.entries[i];
    if (old.address != 0 && old.freed == 0) *slot_for(entries, capacity, old.address) = old;
  }
  memory.release(shard.entries, shard.capacity * sizeof(Entry));
  shard.entries = entries;
  shard.capacity = capacity;
  shard.used = living;
  return true;
}

void add(const Entry& added) {
  Shard& shard = shard_of(added.address);
  const SpinLock lock(shard.mutex);
  if (shard.used * 2 >= shard.capacity && !grow(shard)) return;
  Entry* entry = slot_for(shard.entries, shard.capacity, added.address);
  if (entry->address == 0) ++shard.used;
  *entry = added;
}

// What is at exactly this address, freed or not.
bool look_up(Address address, Entry& found) {
  Shard& shard = shard_of(address);
  const SpinLock lock(shard.mutex);
  if (shard.capacity == 0) return false;
  const Entry* entry = slot_for(shard.entries, shard.capacity, address);
  found = *entry;
  return entry->address != 0;
}

bool end(Address address, Entry& ended) {
  Shard& shard = shard_of(address);
  const SpinLock lock(shard.mutex);
  if (shard.capacity == 0) return false;
  Entry* entry = slot_for(shard.entries, shard.capacity, address);
  if (entry->address == 0 || entry->freed != 0) return false;
  ended = *entry;
  entry->freed = 1;
  return true;
}

// --- which block has an address ----------------------------------------------------------------------------------
//
// Blocks are in the table a second time, by a cell of memory: one of 2^k to 2^(k+1) bytes by the number of the cell of
// 2^k bytes that it begins in, where no other such block can begin. An address can be in blocks that begin in its own
// cell and in the two before it.

constinit std::atomic<uint64_t> used_classes{0};

constexpr unsigned class_of(uint64_t size) { return 63 - static_cast<unsigned>(__builtin_clzll(size)); }

// No block has such an address.
Address address_of_cell(unsigned size_class, Address cell) {
  return Address{1} << 47 | Address{size_class} << 41 | cell;
}
bool is_cell(Address address) { return address >> 47 != 0; }

void add_cell(Address address, unsigned size_class) {
  used_classes.fetch_or(uint64_t{1} << size_class, std::memory_order_relaxed);
  Entry cell = {};
  cell.address = address_of_cell(size_class, address >> size_class);
  cell.size = address & ((Address{1} << size_class) - 1);
  add(cell);
}

bool look_up_in_cell(unsigned size_class, Address cell, Entry& found) {
  return look_up(address_of_cell(size_class, cell), found) && look_up((cell << size_class) + found.size, found);
}

// Calls visit(entry) for those that have the byte until it says that this is enough.
template <class Visit>
void visit_large(Address byte, const Visit& visit) {
  Entry entry;
  uint64_t classes = used_classes.load(std::memory_order_relaxed);
  for (; classes != 0; classes &= classes - 1) {
    const auto size_class = static_cast<unsigned>(__builtin_ctzll(classes));
    const Address cell = byte >> size_class;
    for (unsigned before = 0; before < 3 && before <= cell; ++before) {
      if (look_up_in_cell(size_class, cell - before, entry) && entry.holds(byte) && visit(entry)) return;
    }
  }
}

// A bit for each of those that were ever there, by a hash. In the sampling profile most blocks are not known.
constexpr unsigned kFilterBits = 20;
constinit std::atomic<uint64_t> filter[(1u << kFilterBits) / 64] = {};

std::atomic<uint64_t>& filter_of(Address address, uint64_t& bit) {
  const uint64_t at = hash_word(address >> kBlockBits) >> (64 - kFilterBits);
  bit = uint64_t{1} << at % 64;
  return filter[at / 64];
}

bool may_be_large(Address address) {
  uint64_t bit = 0;
  return (filter_of(address, bit).load(std::memory_order_relaxed) & bit) != 0;
}

[[gnu::noinline]] void add_large(const Block& block) {
  uint64_t bit = 0;
  std::atomic<uint64_t>& bits = filter_of(block.address, bit);
  if ((bits.load(std::memory_order_relaxed) & bit) == 0) bits.fetch_or(bit, std::memory_order_relaxed);
  if (SmallEntry* entry = may_be_small(block.address) ? small_entry(block.address) : nullptr; entry != nullptr) {
    entry->state.store(0, std::memory_order_relaxed);
  }
  const uint64_t size = block.size < kMaxSize ? block.size : kMaxSize;
  add({block.address, block.birth.slot, size, block.birth.time & ((1u << 22) - 1), 0, block.quiet ? 1u : 0u,
       block.thread, block.where});
  if (size > kSmall) add_cell(block.address, class_of(size));
}

[[gnu::noinline]] bool end_large(Address address, Block& ended) {
  Entry entry;
  if (!may_be_large(address) || !end(address, entry)) return false;
  ended = {entry.address, entry.size, entry.thread, entry.where, entry.birth(), false, entry.quiet != 0};
  if (entry.size > kSmall) {
    const unsigned size_class = class_of(entry.size);
    end(address_of_cell(size_class, address >> size_class), entry);
  }
  return true;
}

}  // namespace

void add_block(const Block& block) {
  if (is_recording()) [[unlikely]]
    record_block_begin(block);
  if (block.size <= kSmall && may_be_small(block.address)) [[likely]]
    return add_small(block);
  add_large(block);
}

namespace {
bool end_known(Address address, Block& ended) {
  SmallEntry* entry = may_be_small(address) ? small_entry(address) : nullptr;
  if (entry == nullptr) return end_large(address, ended);
  const SmallState state = SmallState::of(entry->state.load(std::memory_order_acquire));
  if (state.is_known == 0 || state.freed != 0) return end_large(address, ended);
  ended = small_block(address, *entry, state);
  entry->state.store(state.bits() | SmallState::kFreed, std::memory_order_release);
  return true;
}
}  // namespace

bool end_block(Address address, Block& ended) {
  if (!end_known(address, ended)) return false;
  if (is_recording()) [[unlikely]]
    record_block_end(address);
  return true;
}

uint64_t size_of_block(Address address) {
  const Inspection here;
  if (const SmallState state = small_state(address); state.is_known != 0 && state.freed == 0) return state.size;
  Entry entry;
  return look_up(address, entry) && entry.freed == 0 ? entry.size : 0;
}

bool find_block(Address address, Block& found) {
  bool any = find_small(address, found);
  for (Shard& shard : shards) {
    const SpinLock lock(shard.mutex);
    for (size_t i = 0; i < shard.capacity; ++i) {
      const Entry& entry = shard.entries[i];
      if (entry.address == 0 || is_cell(entry.address) || !entry.holds(address)) continue;
      if (any && (entry.freed != 0 || !found.freed)) continue;  // what lives there now
      found = {entry.address, entry.size, entry.thread, entry.where, entry.birth(), entry.freed != 0, entry.quiet != 0};
      any = true;
    }
  }
  return any;
}

// Whatever was born then and has the byte is what was allocated there last: if there was an allocation since, no access
// of that moment would be known.
Address fresh_until(Address byte, Epoch birth) {
  const Address last = byte & ~(kAlignment - 1);
  for (Address back = 0; back < kSmall && back <= last; back += kAlignment) {
    const SmallState state = small_state(last - back);
    if (state.is_known == 0 || !(state.birth() == birth)) continue;
    if (byte - (last - back) < (state.size == 0 ? 1 : state.size)) return last - back + state.size;
  }
  Address end = 0;
  visit_large(byte, [&](const Entry& entry) {
    if (!(entry.birth() == birth)) return false;
    end = entry.address + entry.size;
    return true;
  });
  return end;
}

bool look_up_block(Address byte, Block& found) {
  bool any = find_small(byte, found);
  if (any && !found.freed) return true;
  visit_large(byte, [&](const Entry& entry) {
    if (any && entry.freed != 0) return false;
    found.address = entry.address;
    found.size = entry.size;
    found.freed = entry.freed != 0;
    any = true;
    return entry.freed == 0;
  });
  return any;
}

bool block_around(Address byte, Address& begin, Address& end) {
  Block found;
  const bool any = look_up_block(byte, found);
  begin = found.address;
  end = found.address + found.size;
  return any;
}

}  // namespace norn::rt
