#include "core/storage/histories.h"

#include "base/bytes.h"

namespace norn {

bool Histories::init(Arena& arena, unsigned log2_nursery) {
  arena_ = &arena;
  least_ = nursery_ = size_t{1} << log2_nursery;
  areas_ = static_cast<Area*>(arena.allocate_zeroed(kMaxAreas * sizeof(Area)));
  return areas_ != nullptr && add_area(classes_[0]);
}

void Histories::set_bound(size_t bytes) {
  const size_t areas = bytes / (kUnit << kAreaBits);
  bound_ = areas < kLeastBound ? kLeastBound : areas < kMaxAreas ? areas : kMaxAreas;
  space_full();
}

// A full collection for the bound's sake comes no earlier than so much was filled since the last that it was worth it,
// however much still lives.
void Histories::space_full() {
  const size_t cost = cost_ / kAreaUnits;
  const size_t least = used_full_ + (bound_ / 4 > cost ? bound_ / 4 : cost);
  full_at_ = bound_ > least ? bound_ : least;
}

// From the pool, or a new one.
bool Histories::take_area(uint32_t& number) {
  if (pool_ != kNoArea) {
    number = pool_;
    pool_ = areas_[number].next;
    return true;
  }
  number = area_count_.load(std::memory_order_relaxed);
  if (number >= kMaxAreas) return false;
  auto* marks = static_cast<uint64_t*>(arena_->allocate_zeroed(kAreaUnits / 8));
  auto* units = marks == nullptr ? nullptr : static_cast<char*>(arena_->allocate(kUnit << kAreaBits));
  if (units == nullptr) {
    arena_->release(marks, kAreaUnits / 8);
    return false;
  }
  if (number == 0) marks[0] = 1;  // unit 0 is no history
  areas_[number] = {units, marks, kNoArea, 0, false};
  area_count_.store(number + 1, std::memory_order_release);
  return true;
}

// Under the class' lock.
bool Histories::add_area(Class& to) {
  const SpinLock lock(grow_mutex_);
  uint32_t number = 0;
  if (!take_area(number)) return false;
  areas_[number].next = kNoArea;
  if (to.last == kNoArea) {
    to.first = number;
  } else {
    areas_[to.last].next = number;
  }
  to.last = number;
  if (used_.fetch_add(1, std::memory_order_relaxed) + 1 >= full_at_) wants_.store(true, std::memory_order_relaxed);
  return true;
}

bool Histories::find_block(HistoryRoom::Block& block, unsigned size_class) {
  Class& from = classes_[size_class];
  const uint32_t places = kBlockUnits / kSizes[size_class];
  // A block with less free room than an eighth is passed over.
  const uint32_t most = places - places / 8 - (places < 8 ? 1 : 0);
  const SpinLock lock(from.mutex);
  for (;;) {
    if (from.area == kNoArea || from.block == kAreaUnits) {
      uint32_t next = from.area == kNoArea ? from.first : areas_[from.area].next;
      if (next == kNoArea) {
        if (!add_area(from)) {
          failed_.store(true, std::memory_order_relaxed);
          if (failures_.fetch_add(1, std::memory_order_relaxed) >= patience_) {
            wants_.store(true, std::memory_order_relaxed);
          }
          block = {};
          return false;
        }
        next = from.last;
      }
      from.area = next;
      from.block = areas_[next].leaving ? kAreaUnits : 0;
      continue;
    }
    const uint64_t* marks = areas_[from.area].marks + from.block / 64;
    unsigned used = 0;
    for (unsigned i = 0; i < kBlockUnits / 64; ++i) used += static_cast<unsigned>(__builtin_popcountll(marks[i]));
    const uint32_t first = from.area * kAreaUnits + from.block;
    from.block += kBlockUnits;
    if (used > most) continue;
    const size_t filled = filled_.fetch_add(size_t{places - used} * kSizes[size_class], std::memory_order_relaxed);
    if (filled >= nursery_) wants_.store(true, std::memory_order_relaxed);
    block = {first, first + kBlockUnits};
    return true;
  }
}

void Histories::begin_full() {
  const uint32_t areas = area_count_.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < areas; ++i) fill_zero(areas_[i].marks, kAreaUnits / 8);
  areas_[0].marks[0] = 1;
  live_ = 0;
  age_ = static_cast<uint16_t>((age_ + 1) & ~kOld);
}

// Areas in which nothing lives.
void Histories::give_back_empty(Class& from) {
  uint32_t left = from.first;
  from.first = from.last = kNoArea;
  while (left != kNoArea) {
    const uint32_t number = left;
    Area& area = areas_[number];
    left = area.next;
    area.next = kNoArea;
    if (marks_in(number) == 0) {
      area.next = pool_;
      pool_ = number;
      used_.fetch_sub(1, std::memory_order_relaxed);
      continue;
    }
    (from.last == kNoArea ? from.first : areas_[from.last].next) = number;
    from.last = number;
  }
}

void Histories::end(bool full, size_t cost) {
  if (full) {
    live_full_ = live_;
    cost_ = cost;
    // Where more lives, more dies before it becomes old.
    nursery_ = live_ / 2 > least_ ? live_ / 2 : least_;
    for (Class& c : classes_) give_back_empty(c);
    used_full_ = used();
    space_full();
    // Where memory has run out, collections find little; each that was for nothing else makes the next one later.
    constexpr uint32_t kMostPatience = 1u << 20;
    const bool failed = failed_.load(std::memory_order_relaxed);
    patience_ = !failed ? 0 : patience_ < kMostPatience ? 2 * patience_ + 16 : patience_;
    failed_.store(false, std::memory_order_relaxed);
    failures_.store(0, std::memory_order_relaxed);
  }
  // What has become old since the last full collection may be dead by now.
  size_t most = live_full_ / 2 > cost_ ? live_full_ / 2 : cost_;
  if (most < nursery_) most = nursery_;
  wants_full_ = !full && live_ - live_full_ > most;
  for (Class& c : classes_) {
    c.area = kNoArea;
    c.block = 0;
  }
  for (uint32_t i = 0; full && i < area_count_.load(std::memory_order_relaxed); ++i) areas_[i].leaving = false;
  filled_.store(0, std::memory_order_relaxed);
  wants_.store(false, std::memory_order_relaxed);
}

unsigned Histories::marks_in(uint32_t area) const {
  unsigned marks = 0;
  for (unsigned i = 0; i < kAreaUnits / 64; ++i) {
    marks += static_cast<unsigned>(__builtin_popcountll(areas_[area].marks[i]));
  }
  return marks;
}

// How many full collections ago its histories were made, in eighths.
uint8_t Histories::age_of(uint32_t area) const {
  uint64_t sum = 0;
  uint64_t count = 0;
  for (uint32_t group = 0; group < kAreaUnits; group += 64) {
    for (uint64_t left = areas_[area].marks[group / 64]; left != 0; left &= left - 1) {
      const HistoryId id = area * kAreaUnits + group + static_cast<uint32_t>(__builtin_ctzll(left));
      if (id == kUntouched) continue;
      sum += collections_since(id);
      ++count;
    }
  }
  const uint64_t mean = count == 0 ? 0 : sum * 8 / count;
  return static_cast<uint8_t>(mean < 255 ? mean : 255);
}

void Histories::choose_leaving(size_t staying, bool oldest) {
  size_t by_key[256];
  fill_zero(by_key, sizeof by_key);
  // Not the first, which always has something.
  auto for_each_used = [&](auto visit) {
    for (const Class& c : classes_) {
      for (uint32_t i = c.first; i != kNoArea; i = areas_[i].next) {
        if (i != 0) visit(i, kSizes[&c - classes_]);
      }
    }
  };
  for_each_used([&](uint32_t i, uint32_t size) {
    areas_[i].key = oldest ? age_of(i) : static_cast<uint8_t>(255 - marks_in(i) * size / (kAreaUnits / 255 + 1));
    ++by_key[areas_[i].key];
  });
  size_t leaving = used() > staying ? used() - staying : 0;
  unsigned key = 255;
  for (; key > 0 && by_key[key] <= leaving; --key) leaving -= by_key[key];
  for_each_used([&](uint32_t i, uint32_t) {
    areas_[i].leaving = areas_[i].key > key || (areas_[i].key == key && leaving > 0);
    if (areas_[i].key == key && leaving > 0) --leaving;
  });
}

bool Histories::check_invariants() const {
  size_t marked = 0;
  size_t in_classes = 0;
  for (const Class& c : classes_) {
    for (uint32_t area = c.first; area != kNoArea; area = areas_[area].next) {
      ++in_classes;
      if (areas_[area].leaving || (areas_[area].next == kNoArea && area != c.last)) return false;
      for (uint32_t u = 0; u < kAreaUnits; ++u) {
        const HistoryId id = area * kAreaUnits + u;
        if (id == kUntouched || !is_marked(id)) continue;
        const Header* header = at(id);
        if ((header->age & kOld) == 0 || u % kBlockUnits % kSizes[&c - classes_] != 0) return false;
        if (class_of(header->count) != static_cast<unsigned>(&c - classes_)) return false;
        marked += kSizes[&c - classes_];
      }
    }
  }
  size_t in_pool = 0;
  for (uint32_t area = pool_; area != kNoArea; area = areas_[area].next, ++in_pool) {
    if (marks_in(area) != 0) return false;
  }
  return marked == live_ && in_classes == used() && in_classes + in_pool == area_count_.load(std::memory_order_relaxed);
}

}  // namespace norn
