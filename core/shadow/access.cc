// Memory: accesses and atomics.
#include "core/detector.h"
#include "core/shadow/atomic_step.h"

namespace norn {

// --- the state machines: a history for each word ----------------------------------------------------------------

// One access to one word, from load to report; core/engine/engine.h says why this is enough. `set_flags` go into the
// history with it.
void Detector::access_word(Thread& thread, Cell& cell, const WordAccess& access, SpinSignals& signals,
                           uint32_t set_flags) {
  const bool plain_write = access.kind == AccessKind::kWrite || access.kind == AccessKind::kFree;
  uint32_t clear_flags = 0;
  if (plain_write && access.mask == 0xf) clear_flags |= kHasMessage;
  if (access.kind == AccessKind::kFree) clear_flags |= access.mask;

  if (!shadow_.prepare(access.word)) return no_memory_for_shadow();
  FoundRaces races;
  HistoryId before = cell.load(std::memory_order_acquire);
  uint32_t flags = 0;
  uint8_t adds = 0;
  for (;;) {
    flags = before == kUntouched ? 0 : histories_.words(before)[0];
    if ((flags & access.mask & kInSpin) != 0) {
      const unsigned accessed = access.increments ? access.mask
                                                  : MsmEngine::accessed_in_segment(context_, before, thread) |
                                                        spin_bytes_read(thread, access.word);
      adds = static_cast<uint8_t>(access.mask & accessed);
    }
    races.count = 0;
    const HistoryId after = MsmEngine::next(context_, thread, before, access, set_flags, clear_flags, races);
    if (after == before) break;
    const HistoryId found = before;
    if (cell.compare_exchange_weak(before, after, std::memory_order_acq_rel)) {
      thread.stamped = true;
      note_change(access.word, found);
      break;
    }
  }
  if ((flags & kHasMessage) != 0 && plain_write) end_messages(access);
  const auto waited_for = static_cast<uint8_t>(flags & access.mask & kInSpin);
  if (waited_for != 0 && is_write(access.kind) && access.kind != AccessKind::kFree) {
    if (signals.count == SpinSignals::kMax) send(thread, signals);
    const Address granule = access.word & ~(kGranuleBytes - 1);
    const auto shift = static_cast<unsigned>(access.word - granule);
    signals.granules[signals.count++] = {granule, static_cast<uint8_t>(waited_for << shift),
                                         static_cast<uint8_t>((adds & waited_for) << shift)};
  }
  if (races.count != 0) report_races(thread, races);
  if (threadsets_.wants_collection() || histories_.wants_collection()) [[unlikely]]
    collection_wanted_.store(true, std::memory_order_relaxed);
}

// Only some bytes of the word are new: the others keep their past.
void Detector::clear_word(Thread& thread, Cell& cell, Address address, unsigned mask) {
  HistoryId before = cell.load(std::memory_order_acquire);
  HistoryId after = kUntouched;
  do {
    if (before == kUntouched) return;
    uint32_t words[Histories::kMaxWords];
    unsigned n = 0;
    const uint32_t* old = histories_.words(before);
    for (; n < MsmEngine::kHeaderWords; ++n) words[n] = old[n];
    words[0] &= ~(uint32_t{mask} & kInSpin);
    for (unsigned i = n; i < histories_.count(before); i += MsmEngine::kPartWords) {
      const uint32_t kept = (old[i] & 0xf) & ~uint32_t{mask};
      if (kept == 0) continue;
      for (unsigned k = 0; k < MsmEngine::kPartWords; ++k) words[n + k] = old[i + k];
      words[n] = (words[n] & ~0xfu) | kept;
      n += MsmEngine::kPartWords;
    }
    bool empty = n == MsmEngine::kHeaderWords;
    for (unsigned i = 0; i < MsmEngine::kHeaderWords; ++i) empty &= words[i] == 0;
    after = empty || mask == 0xf ? kUntouched : histories_.make(thread.room, words, n);
  } while (!cell.compare_exchange_weak(before, after, std::memory_order_acq_rel));
  note_change(address, kUntouched);
}

// --- all engines -------------------------------------------------------------------------------------------------

void Detector::access_shadow(Thread& thread, Granule& granule, const WordAccess& access, SpinSignals& signals,
                             bool has_message) {
  if (!is_state_machine(options_.engine)) {
    return access_granule(thread, granule, access, signals, has_message ? GranuleFlags::messages(access.mask) : 0);
  }
  for (unsigned word = 0; word < kGranuleBytes / kWordBytes; ++word) {
    WordAccess part = access;
    part.mask = static_cast<uint8_t>(access.mask >> word * kWordBytes & 0xf);
    part.word += word * kWordBytes;
    if (part.mask != 0) access_word(thread, granule.cells[word], part, signals, has_message ? kHasMessage : 0);
  }
}

// All are stamped before any is signalled: who waited for one of the bytes is ordered after the whole access.
void Detector::access_from(Thread& thread, AccessKind kind, Address begin, Address end, StackId where,
                           bool increments) {
  if ((thread.ignoring & (is_write(kind) ? kIgnoreWrites : kIgnoreReads)) != 0) return;
  SpinSignals signals;
  // Whatever of it is handed over is, before any of it is judged.
  bool heeded = is_write(kind) || increments || !may_heed_now(thread);
  // A long range lets collections in between.
  constexpr Address kStride = 1024 * kGranuleBytes;
  for (Address at = begin & ~(kGranuleBytes - 1); at < end;) {
    const Inside inside(*this, thread);
    heed_tick_request(thread);
    for (const Address stop = at + kStride < end ? at + kStride : end; at < stop;) {
      at = renew_run(thread, kind, at, begin, stop, where, increments);
      if (at >= stop) break;
      if (!heeded) {
        const Address from = at > begin ? at : begin;
        heed_range(thread, from, end - from);
        heeded = true;
      }
      Granule* granule = shadow_.granule(at);
      if (granule == nullptr) return no_memory_for_shadow();
      access_shadow(thread, *granule, {kind, mask_in(at, begin, end), where, at, increments}, signals, false);
      at += kGranuleBytes;
    }
  }
  if (signals.count == 0) return;
  const Inside inside(*this, thread);
  send(thread, signals);
}

// Messages belong to the address of their atomic; a plain write over any of its bytes ends one.
void Detector::end_messages(const WordAccess& access) {
  if (options_.sampled) return;  // messages only grow
  constexpr Address kWidestAtomic = 16;
  const Address begin = access.word + static_cast<unsigned>(__builtin_ctz(access.mask));
  const Address end = access.word + 32 - static_cast<unsigned>(__builtin_clz(access.mask));
  for (Address at = begin - (kWidestAtomic - 1); at < end; ++at) {
    auto* object = sync_.find<MessageObject>(at, SyncFamily::kAtomic);
    if (object == nullptr) continue;
    const SpinLock lock(object->mutex);
    if (at + object->size <= begin) continue;
    object->message.clear(arena_);
    object->advance();
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

void Detector::report_races(const Thread& thread, const FoundRaces& races) {
  if (blind_.load(std::memory_order_relaxed)) return;
  for (unsigned i = 0; i < races.count; ++i) {
    RacingPair pair = races.pairs[i];
    if (pair.standing == Standing::kPredicted && options_.handover &&
        writes_forgotten_.load(std::memory_order_relaxed)) {
      continue;
    }
    if (pair.standing == Standing::kPredicted && is_taken_out(thread, pair)) continue;
    if (listener_.counts != nullptr && !listener_.counts(listener_.context, pair)) continue;
    if (pair.standing == Standing::kPredicted && listener_.fresh_until != nullptr &&
        !is_state_machine(options_.engine) && (listener_.pair != nullptr || !candidates_.knows(pair))) {
      report_grown(pair);
    } else {
      report_harmful(pair);
    }
  }
}

// A predicted pair, but for the bytes that were new when the earlier of the two came (order.md, New memory).
void Detector::report_grown(RacingPair pair) {
  const Address end = pair.address + pair.size;
  auto grown_at = [&](Address byte) {
    while (byte < end) {
      const Address until = listener_.fresh_until(listener_.context, byte, pair.earlier_at);
      if (until == 0) break;
      byte = until;
    }
    return byte;
  };
  for (pair.address = grown_at(pair.address); pair.address < end;) {
    Address fresh = pair.address + 1;
    while (fresh < end && grown_at(fresh) == fresh) ++fresh;
    pair.size = static_cast<uint32_t>(fresh - pair.address);
    report_harmful(pair);
    pair.address = grown_at(fresh);
  }
}

// A benign range may cover some of the bytes only.
void Detector::report_harmful(RacingPair pair) {
  if (benign_.load(std::memory_order_relaxed) == nullptr) return candidates_.found(pair);
  const Address end = pair.address + pair.size;
  pair.size = 1;
  for (; pair.address < end; ++pair.address) {
    if (!is_benign(pair)) candidates_.found(pair);
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

// Under the object's lock.
void Detector::learn_message(Thread& thread, const MessageObject& object, MemoryOrder order) {
  Thread::Recent& recent = recent_of(thread, object.address, object.family);
  const uint64_t version = object.present();
  if (recent.known == version) return;
  if (acquires(order)) {
    learn(thread, object.message);
    recent.known = version;
  } else if (recent.remembered != version) {
    if (!thread.remembered.join(arena_, object.message)) no_memory_for_clocks();
    recent.remembered = version;
  }
}

// AtomicStep::renew(), of a granule that has nothing in its list, or (for a read) none. The thread is inside.
template <AccessKind Kind>
bool Detector::renew_atomic(Thread& thread, Granule& granule, Address address, unsigned mask, StackId where,
                            bool increments) {
  const HistoryId list = granule.cells[0].load(std::memory_order_relaxed);
  constexpr bool kWrites = Kind == AccessKind::kAtomicWrite;
  // Those of both words say the same of one; another is for the general way.
  if (list != message_lists_[2] &&
      (kWrites ? list != message_list(GranuleFlags::messages(mask)) || list == kUntouched
               : list != kUntouched && list != message_lists_[0] && list != message_lists_[1])) {
    return false;
  }
  if (!thread.stamped) note_segment(thread);
  if (!thread.stamps_pack || thread.stamps_locks_apart || !ShadowWord::stack_fits(where)) return false;
  const bool follows = kWrites && follows_writes(options_);
  unsigned accessed = increments ? mask : 0;
  if (follows && !increments && thread.spin_word_count != 0) {
    accessed = spin_bytes_read(thread, {Kind, 0, where, address & ~(kGranuleBytes - 1), false});
  }
  if (!AtomicStep::renew<Kind>(thread, granule, list, mask, where, follows, accessed,
                               !kWrites && may_heed_now(thread))) {
    return false;
  }
  thread.stamped = true;
  return true;
}

// An atomic read gives nothing away, and so ends no segment.
void Detector::read_atomically(Thread& thread, Address address, uint64_t size, StackId where) {
  ++thread.accesses;
  if (thread.recording) record(thread, AccessKind::kAtomicRead, address, size);
  if ((thread.ignoring & kIgnoreReads) != 0) return;
  heed_tick_request(thread);
  const bool in_one = address % kGranuleBytes + size <= kGranuleBytes;
  if (in_one && !is_state_machine(options_.engine)) [[likely]] {
    Granule* granule = shadow_.existing_granule(address);
    if (granule != nullptr &&
        renew_atomic<AccessKind::kAtomicRead>(thread, *granule, address,
                                              bytes_in_granule(address, static_cast<unsigned>(size)), where, false)) {
      return;
    }
  }
  if (!in_one && may_heed_now(thread)) heed_range(thread, address, size);
  SpinSignals signals;
  for (Address at = address & ~(kGranuleBytes - 1); at < address + size; at += kGranuleBytes) {
    Granule* granule = shadow_.granule(at);
    if (granule == nullptr) {
      no_memory_for_shadow();
      continue;
    }
    const WordAccess access = {AccessKind::kAtomicRead, mask_in(at, address, address + size), where, at, false};
    const bool known = !is_state_machine(options_.engine) && (is_stamped(thread, *granule, access.kind, access.mask) ||
                                                              is_in_list(thread, *granule, access.kind, access.mask));
    if (!known) access_shadow(thread, *granule, access, signals, false);
  }
}

// The short way of a write. False: it is another case, and nothing was done.
bool Detector::write_atomically(Thread& thread, Address address, uint64_t size, StackId where, bool reads) {
  if (address % kGranuleBytes + size > kGranuleBytes || is_state_machine(options_.engine)) return false;
  Granule* granule = shadow_.existing_granule(address);
  return granule != nullptr &&
         renew_atomic<AccessKind::kAtomicWrite>(thread, *granule, address,
                                                bytes_in_granule(address, static_cast<unsigned>(size)), where, reads);
}

MessageObject* Detector::begin_atomic(Thread& thread, Address address) {
  ++thread.sync_events;
  if (!options_.library) return nullptr;
  auto* object = object_of<MessageObject>(thread, address, SyncFamily::kAtomic);
  if (object == nullptr) {
    no_memory_for_clocks();
    return nullptr;
  }
  object->mutex.lock();
  return object;
}

void Detector::end_atomic(Thread& thread, MessageObject* object, Address address, uint64_t size, AtomicOutcome outcome,
                          StackId where) {
  const bool reads = outcome.kind != EventKind::kAtomicStore;
  const bool writes = outcome.kind != EventKind::kAtomicLoad;
  const bool orders = counts(thread);
  const bool ends_segment = outcome.order != MemoryOrder::kRelaxed && writes;
  if (ends_segment) end_segment(thread);
  if (object != nullptr && reads && orders) learn_message(thread, *object, outcome.order);
  if (!writes) {
    if (object != nullptr) object->mutex.unlock();
    return read_atomically(thread, address, size, where);
  }

  ++thread.accesses;
  if (thread.recording) {
    record(thread, AccessKind::kAtomicWrite, address, size);
    // What reads and writes at once is a write: it is ignored as one.
    if (reads && (thread.ignoring & kIgnoreWrites) == 0) record_in(thread.reads, {address, address + size});
  }
  SpinSignals signals;
  if ((thread.ignoring & kIgnoreWrites) == 0) {
    heed_tick_request(thread);
    if (!write_atomically(thread, address, size, where, reads)) {
      for (Address at = address & ~(kGranuleBytes - 1); at < address + size; at += kGranuleBytes) {
        Granule* granule = shadow_.granule(at);
        if (granule == nullptr) {
          no_memory_for_shadow();
          continue;
        }
        const WordAccess access = {AccessKind::kAtomicWrite, mask_in(at, address, address + size), where, at, reads};
        access_shadow(thread, *granule, access, signals, object != nullptr);
      }
    }
    if (ends_segment && follows_writes(options_)) note_bytes(thread, address, size);
  }
  if (signals.count != 0) send(thread, signals);
  // It may have told others where new memory is. (Not in fewer bytes: most counts are smaller, and frequent.)
  if (size >= sizeof(Address) && outcome.order == MemoryOrder::kRelaxed && thread.gives_birth) tick(thread);

  if (object == nullptr) return;
  if (object->size != size) object->size = static_cast<uint8_t>(size);  // others read what lies beside it
  if (options_.sampled) {
    if (orders) give_to(thread, *object, outcome.order);
    object->mutex.unlock();
    return;
  }
  Clocks& message = object->message;
  // Whether nothing is in it that the thread does not know.
  const bool known = known_of(thread, *object) == object->present();
  const bool gives = orders && (releases(outcome.order) || thread.has_fence);
  if (gives || !reads) object->advance();
  bool complete = true;
  if (!orders) {
    if (!reads) message.clear(arena_);
  } else if (releases(outcome.order)) {
    const Published published = publish_strongly(thread);
    if (reads && !known) {
      complete = message.join(arena_, thread.clocks) && message.raise(arena_, published.slot, published.time);
    } else if (message.is_near() && thread.clocks.is_near() && Clock::is_near(published.slot)) [[likely]] {
      message.full.assign_near(thread.clocks.full, published.slot, published.time);
      message.strong.assign_near(thread.clocks.strong, published.slot, published.time);
    } else {
      complete = message.assign(arena_, thread.clocks) && message.raise(arena_, published.slot, published.time);
    }
    if (!reads || known) known_of(thread, *object) = object->present();
  } else if (thread.has_fence) {
    complete = reads ? message.join(arena_, thread.fence) : message.assign(arena_, thread.fence);
  } else if (!reads) {
    message.clear(arena_);
  }
  if (!complete) no_memory_for_clocks();
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
    const Published published = publish_strongly(thread);
    if (!thread.fence.assign(arena_, thread.clocks)) no_memory_for_clocks();
    add_published(published, thread.fence);
    thread.has_fence = true;
  }
}

}  // namespace norn
