// Memory: accesses, allocation, atomics.
#include "core/detector.h"

namespace norn {
HistoryId Detector::next_history(Thread& thread, HistoryId before, const WordAccess& access, uint32_t set_flags,
                                 uint32_t clear_flags, FoundRaces& races) {
  return is_state_machine(options_.engine)
             ? MsmEngine::next(context_, thread, before, access, set_flags, clear_flags, races)
             : HybridEngine::next(context_, thread, before, access, set_flags, clear_flags, races);
}

uint8_t Detector::accessed_in_segment(const Thread& thread, HistoryId history, const WordAccess& access) const {
  if (access.increments) return access.mask;
  const unsigned accessed = is_state_machine(options_.engine)
                                ? MsmEngine::accessed_in_segment(context_, history, thread)
                                : HybridEngine::accessed_in_segment(histories_, history, thread);
  return static_cast<uint8_t>(access.mask & (accessed | spin_bytes_read(thread, access.word)));
}

// Accesses like this one change nothing where they find this history, as long as the generation lasts.
void Detector::now_known(Thread& thread, uint32_t generation, HistoryId history, const WordAccess& access) {
  if (history == kUntouched) return;  // no memory: the next one may have more luck
  const bool write = access.kind == AccessKind::kWrite;
  const int table = write || access.kind == AccessKind::kRead ? FastTable::table_of(write, access.mask) : -1;
  if (table < 0) {
    const uint32_t key = known_key(access.kind, access.mask);
    thread.known[known_place(history, key)] = {generation, history, key, 0, history, {}};
    return;
  }
  // The check in the program's code does not record. What this thread holds a record of by its stamp needs no other;
  // a read of what it wrote, say, does.
  if (thread.recording) {
    if (is_state_machine(options_.engine) || !HybridEngine::stamped_alike(histories_, history, thread, access)) return;
  } else if (write && !is_state_machine(options_.engine)) {
    thread.fast.know(static_cast<unsigned>(table) - FastTable::kWrites, generation, history);
  }
  thread.fast.know(static_cast<unsigned>(table), generation, history);
}

HistoryId Detector::own_history(Thread& thread, uint32_t generation, const WordAccess& access) {
  const uint32_t key = known_key(access.kind, access.mask);
  Thread::Own& own = thread.own[(access.where * 0x9e3779b9u ^ key * 0x85ebca6bu) >> 26];
  static_assert(Thread::kOwn == 1u << (32 - 26));
  if (own.generation == generation && own.access == key && own.where == access.where) return own.history;
  const HistoryId made = HybridEngine::alone(histories_, thread, access);
  if (made != kUntouched) own = {generation, key, access.where, made};
  return made;
}

namespace {

// A word's cell, or those of two neighbours that have the same history and are changed at once.
struct CellPair {
  Cell first;
  Cell second;
};

std::atomic<uint64_t>& both(CellPair& pair) { return reinterpret_cast<std::atomic<uint64_t>&>(pair); }
constexpr uint64_t twice(HistoryId id) { return uint64_t{id} << 32 | id; }

// False: two different ones.
bool load_history(Cell& cell, HistoryId& id) {
  id = cell.load(std::memory_order_acquire);
  return true;
}
bool load_history(CellPair& pair, HistoryId& id) {
  const uint64_t found = both(pair).load(std::memory_order_acquire);
  id = static_cast<HistoryId>(found);
  return found == twice(id);
}
bool swap_history(Cell& cell, HistoryId before, HistoryId after) {
  return cell.compare_exchange_strong(before, after, std::memory_order_acq_rel);
}
bool swap_history(CellPair& pair, HistoryId before, HistoryId after) {
  uint64_t expected = twice(before);
  return both(pair).compare_exchange_strong(expected, twice(after), std::memory_order_acq_rel);
}

}  // namespace

// An access that is in no race, to words without flags: most are. False: it is another, and nothing was done.
template <class CellOrPair>
bool Detector::access_simply(Thread& thread, CellOrPair& cell, const WordAccess& access) {
  const uint32_t key = known_key(access.kind, access.mask);
  const uint32_t generation = thread.fast.generation.load(std::memory_order_relaxed);
  HistoryId before = kUntouched;
  for (;;) {
    if (!load_history(cell, before)) return false;
    HistoryId after = kUntouched;
    Thread::Known* learned = nullptr;
    if (before == kUntouched) {
      if (!shadow_.prepare(access.word)) return false;
      after = own_history(thread, generation, access);
    } else {
      const uint32_t* words = histories_.words(before);
      if (words[0] != 0) return false;
      auto outcome = HybridEngine::Outcome::kOther;
      if (histories_.count(before) == HybridEngine::kHeaderWords + HybridEngine::kStampWords) {
        outcome = HybridEngine::after_one(context_, thread, words, access);
      }
      if (outcome == HybridEngine::Outcome::kNothing) {
        now_known(thread, generation, before, access);
        return true;
      }
      if (outcome == HybridEngine::Outcome::kAlone) {
        after = own_history(thread, generation, access);
      } else {
        Thread::Known& known = thread.known[known_place(before, key)];
        if (known.generation == generation && known.history == before && known.access == key &&
            (known.where == access.where || known.next == before)) {
          after = known.next;
        } else {
          FoundRaces races;
          after = HybridEngine::next(context_, thread, before, access, 0, 0, races);
          if (races.count != 0) return false;
          learned = &known;
        }
      }
    }
    if (after == kUntouched) return false;
    if (after != before) {
      if (!swap_history(cell, before, after)) continue;
      thread.stamped = true;
      note_change(access.word, before);
    }
    if (learned != nullptr) *learned = {generation, before, key, access.where, after, {}};
    now_known(thread, generation, after, access);
    return true;
  }
}

// One access to one word, from load to report; core/engine.h says why this is enough. `set_flags` go into the
// history with it.
void Detector::access_inside(Thread& thread, Cell& cell, const WordAccess& access, SpinSignals& signals,
                             uint32_t set_flags) {
  const uint32_t key = known_key(access.kind, access.mask);
  const bool plain_write = access.kind == AccessKind::kWrite || access.kind == AccessKind::kFree;
  uint32_t clear_flags = 0;
  if (plain_write && access.mask == 0xf) clear_flags |= kHasMessage;
  if (access.kind == AccessKind::kFree) clear_flags |= access.mask;

  heed_tick_request(thread);
  const uint32_t generation = thread.fast.generation.load(std::memory_order_relaxed);

  if (!shadow_.prepare(access.word)) return no_memory_for_shadow();
  FoundRaces races;
  HistoryId before = cell.load(std::memory_order_acquire);
  HistoryId after = kUntouched;
  uint32_t flags = 0;
  uint8_t adds = 0;
  for (;;) {
    flags = before == kUntouched ? 0 : histories_.words(before)[0];
    adds = (flags & access.mask & kInSpin) != 0 ? accessed_in_segment(thread, before, access) : uint8_t{0};
    races.count = 0;
    after = next_history(thread, before, access, set_flags, clear_flags, races);
    if (after == before) break;
    const HistoryId found = before;
    if (cell.compare_exchange_weak(before, after, std::memory_order_acq_rel)) {
      thread.stamped = true;
      note_change(access.word, found);
      break;
    }
  }

  // What was found out now holds until this thread's generation changes. Words with flags want to be looked at each
  // time; so do races, which are counted.
  if (flags == 0 && set_flags == 0 && races.count == 0) {
    thread.known[known_place(before, key)] = {generation, before, key, access.where, after, {}};
    if (after == before || !is_state_machine(options_.engine)) now_known(thread, generation, after, access);
  }
  if ((flags & kHasMessage) != 0 && plain_write) end_messages(access);
  const auto waited_for = static_cast<uint8_t>(flags & access.mask & kInSpin);
  if (waited_for != 0 && is_write(access.kind) && access.kind != AccessKind::kFree) {
    if (signals.count == SpinSignals::kMax) send(thread, signals);
    signals.words[signals.count++] = {access.word, waited_for, static_cast<uint8_t>(adds & waited_for)};
  }
  if (races.count != 0) tell(races);
  if (threadsets_.wants_collection()) [[unlikely]]
    collection_wanted_.store(true, std::memory_order_relaxed);
}

// The words of [begin, end) from `first_word` on. All are stamped before any is signalled: who waited for one of them
// is ordered after the whole access.
void Detector::access_from(Thread& thread, AccessKind kind, Address begin, Address end, Address first_word, Where where,
                           bool reads_too) {
  if ((thread.ignoring & (is_write(kind) ? kIgnoreWrites : kIgnoreReads)) != 0) return;
  const bool simple = !is_state_machine(options_.engine);
  SpinSignals signals;
  // A long range lets collections in between.
  constexpr Address kStride = 1024 * kWordBytes;
  for (Address word = first_word; word < end;) {
    const Inside inside(*this, thread);
    heed_tick_request(thread);
    const Address stop = word + kStride;
    while (word < end && word < stop) {
      Cell* cell = shadow_.cell(word);
      if (cell == nullptr) return no_memory_for_shadow();
      if (simple && word % 8 == 0 && begin <= word && word + 8 <= end &&
          access_simply(thread, reinterpret_cast<CellPair&>(*cell), {kind, 0xf, where, word, reads_too})) {
        word += 8;
        continue;
      }
      const WordAccess access = {kind, mask_in(word, begin, end), where, word, reads_too};
      if (!simple || !access_simply(thread, *cell, access)) access_inside(thread, *cell, access, signals);
      word += kWordBytes;
    }
    if (histories_.wants_collection()) [[unlikely]]
      collection_wanted_.store(true, std::memory_order_relaxed);
  }
  if (signals.count == 0) return;
  const Inside inside(*this, thread);
  send(thread, signals);
}

void Detector::clear_cells(Thread& thread, Address begin, Address end) {
  for (Address word = begin & ~(kWordBytes - 1); word < end;) {
    const Leaf* leaf = shadow_.existing_leaf(word);
    const Address leaf_end = (word >> Leaf::kBits << Leaf::kBits) + (Address{1} << Leaf::kBits);
    const Address stop = end < leaf_end ? end : leaf_end;
    for (; leaf != nullptr && word < stop; word += kWordBytes) {
      Cell& cell = leaf->cells[word / kWordBytes % Leaf::kCells];
      if (cell.load(std::memory_order_relaxed) == kUntouched) continue;
      const uint8_t mask = mask_in(word, begin, end);
      if (mask == 0xf) {
        cell.store(kUntouched, std::memory_order_release);
        continue;
      }
      // Only some bytes are new: the others keep their past.
      HistoryId before = cell.load(std::memory_order_acquire);
      HistoryId after = kUntouched;
      do {
        if (before == kUntouched) break;
        uint32_t words[Histories::kMaxWords];
        unsigned n = 0;
        const uint32_t* old = histories_.words(before);
        const bool msm = is_state_machine(options_.engine);
        const unsigned header = msm ? MsmEngine::kHeaderWords : HybridEngine::kHeaderWords;
        const unsigned group = msm ? MsmEngine::kPartWords : HybridEngine::kStampWords;
        const unsigned shift = msm ? 0 : 16;  // where a group's first word has its byte mask
        for (; n < header; ++n) words[n] = old[n];
        words[0] &= ~(uint32_t{mask} & kInSpin);
        for (unsigned i = header; i < histories_.count(before); i += group) {
          const uint32_t kept = (old[i] >> shift & 0xf) & ~uint32_t{mask};
          if (kept == 0) continue;
          for (unsigned k = 0; k < group; ++k) words[n + k] = old[i + k];
          words[n] = (words[n] & ~(0xfu << shift)) | kept << shift;
          n += group;
        }
        bool empty = n == header;
        for (unsigned i = 0; i < header; ++i) empty &= words[i] == 0;
        after = empty ? kUntouched : histories_.make(thread.room, words, n);
      } while (!cell.compare_exchange_weak(before, after, std::memory_order_acq_rel));
      note_change(word, kUntouched);
    }
    word = (stop + kWordBytes - 1) & ~(kWordBytes - 1);
  }
}

void Detector::allocate(Thread& thread, Address address, uint64_t size) {
  if (size == 0) return;
  const Inside inside(*this, thread);
  sync_.remove_range(address, address + size);
  clear_cells(thread, address, address + size);
}

void Detector::forget_accesses(Thread& thread, Address address, uint64_t size) {
  const Inside inside(*this, thread);
  clear_cells(thread, address, address + size);
}

void Detector::free(Thread& thread, Address address, uint64_t size, Where where) {
  if (size == 0) return;
  access(thread, AccessKind::kFree, address, size, where);
  const Inside inside(*this, thread);
  sync_.remove_range(address, address + size);
}

void Detector::reallocate(Thread& thread, Address old, uint64_t old_size, Address fresh, uint64_t fresh_size,
                          Where where) {
  // The allocator's own copying is not the program's: it says nothing of conditions.
  const bool recording = thread.recording;
  thread.recording = false;
  const uint64_t moved = old_size < fresh_size ? old_size : fresh_size;
  if (old == fresh) {
    if (old_size != 0) read(thread, old, old_size, where);
    if (fresh_size > old_size) allocate(thread, old + old_size, fresh_size - old_size);
    if (fresh_size < old_size) free(thread, old + fresh_size, old_size - fresh_size, where);
  } else {
    if (old_size != 0) read(thread, old, old_size, where);
    free(thread, old, old_size, where);
    allocate(thread, fresh, fresh_size);
    if (moved != 0) write(thread, fresh, moved, where);
  }
  thread.recording = recording;
}

// Messages belong to the address of their atomic; a plain write over any of its bytes ends one.
void Detector::end_messages(const WordAccess& access) {
  constexpr Address kWidestAtomic = 16;
  const Address begin = access.word + static_cast<unsigned>(__builtin_ctz(access.mask));
  const Address end = access.word + 32 - static_cast<unsigned>(__builtin_clz(access.mask));
  for (Address at = begin - (kWidestAtomic - 1); at < end; ++at) {
    SyncObject* object = sync_.find(at, SyncFamily::kAtomic);
    if (object == nullptr) continue;
    const SpinLock lock(object->mutex);
    if (at + object->size > begin) object->message.clear(arena_);
  }
}

void Detector::record(Thread& thread, AccessKind kind, Address address, uint64_t size) {
  if (kind == AccessKind::kFree) return;
  if ((thread.ignoring & (is_write(kind) ? kIgnoreWrites : kIgnoreReads)) != 0) return;
  record_in(is_write(kind) ? thread.writes : thread.reads, {address, address + size});
}

void Detector::record_in(AccessRecord*& list, Bytes bytes) {
  if (list == nullptr) list = arena_.create<AccessRecord>();
  if (list != nullptr) list->add(bytes);
}

bool Detector::is_benign(const RacingPair& pair) const {
  const Bytes bytes = {pair.address, pair.address + pair.size};
  for (const BenignRange* r = benign_.load(std::memory_order_acquire); r != nullptr; r = r->next) {
    if (r->bytes.begin <= bytes.begin && bytes.end <= r->bytes.end) return true;
  }
  return false;
}

void Detector::tell(const FoundRaces& races) {
  if (blind_.load(std::memory_order_relaxed)) return;
  for (unsigned i = 0; i < races.count; ++i) {
    RacingPair pair = races.pairs[i];
    if (listener_.counts != nullptr && !listener_.counts(listener_.context, pair)) continue;
    if (benign_.load(std::memory_order_relaxed) == nullptr) {
      candidates_.found(pair);
      continue;
    }
    // A benign range may cover some of the bytes only.
    const Address end = pair.address + pair.size;
    pair.size = 1;
    for (; pair.address < end; ++pair.address) {
      if (!is_benign(pair)) candidates_.found(pair);
    }
  }
}

void Detector::benign_range(Thread& thread, Address address, uint64_t size) {
  const Inside inside(*this, thread);
  auto* range = arena_.create<BenignRange>();
  if (range == nullptr) return;
  range->bytes = {address, address + size};
  range->next = benign_.load(std::memory_order_relaxed);
  while (!benign_.compare_exchange_weak(range->next, range, std::memory_order_acq_rel)) {
  }
}

// --- atomics -----------------------------------------------------------------------------------------------------

SyncObject* Detector::begin_atomic(Thread& thread, Address address) {
  ++thread.sync_events;
  if (!options_.library) return nullptr;
  SyncObject* object = sync_.get(address, SyncFamily::kAtomic);
  if (object == nullptr) {
    no_memory_for_clocks();
    return nullptr;
  }
  object->mutex.lock();
  return object;
}

void Detector::end_atomic(Thread& thread, SyncObject* object, Address address, uint64_t size, AtomicOutcome outcome,
                          Where where) {
  const bool reads = outcome.kind != EventKind::kAtomicStore;
  const bool writes = outcome.kind != EventKind::kAtomicLoad;
  const bool orders = counts(thread);
  if (outcome.order != MemoryOrder::kRelaxed) end_segment(thread);
  if (object != nullptr && reads && orders) {
    if (acquires(outcome.order)) {
      acquire(thread, object->message);
    } else if (!thread.remembered.join(arena_, object->message)) {
      no_memory_for_clocks();
    }
  }

  const AccessKind kind = writes ? AccessKind::kAtomicWrite : AccessKind::kAtomicRead;
  ++thread.accesses;
  if (thread.recording) {
    record(thread, kind, address, size);
    // What reads and writes at once is a write: it is ignored as one.
    if (reads && writes && (thread.ignoring & kIgnoreWrites) == 0) record_in(thread.reads, {address, address + size});
  }
  SpinSignals signals;
  if ((thread.ignoring & (writes ? kIgnoreWrites : kIgnoreReads)) == 0) {
    for (Address word = address & ~(kWordBytes - 1); word < address + size; word += kWordBytes) {
      Cell* cell = shadow_.cell(word);
      if (cell == nullptr) {
        no_memory_for_shadow();
        continue;
      }
      const WordAccess access = {kind, mask_in(word, address, address + size), where, word, reads && writes};
      const uint32_t flags = writes && object != nullptr ? kHasMessage : 0;
      access_inside(thread, *cell, access, signals, flags);
    }
  }
  if (signals.count != 0) send(thread, signals);
  if (histories_.wants_collection()) [[unlikely]]
    collection_wanted_.store(true, std::memory_order_relaxed);

  if (object == nullptr) return;
  if (writes) {
    object->size = static_cast<uint8_t>(size);
    Clocks& message = object->message;
    bool complete = true;
    if (!orders) {
      if (!reads) message.clear(arena_);
    } else if (releases(outcome.order)) {
      const Published published = publish(thread);
      complete = reads ? message.join(arena_, thread.clocks) : message.assign(arena_, thread.clocks);
      complete &= message.raise(arena_, published.slot, published.time);
    } else if (thread.has_fence) {
      complete = reads ? message.join(arena_, thread.fence) : message.assign(arena_, thread.fence);
    } else if (!reads) {
      message.clear(arena_);
    }
    if (!complete) no_memory_for_clocks();
  }
  object->mutex.unlock();
}

void Detector::fence(Thread& thread, MemoryOrder order) {
  const Inside inside(*this, thread);
  if (!begin_sync(thread)) return;
  if (acquires(order)) {
    acquire(thread, thread.remembered);
    thread.remembered.clear(arena_);
  }
  if (releases(order)) {
    const Published published = publish(thread);
    if (!thread.fence.assign(arena_, thread.clocks)) no_memory_for_clocks();
    add_published(published, thread.fence);
    thread.has_fence = true;
  }
}

}  // namespace norn
