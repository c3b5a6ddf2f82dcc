#include "core/histories.h"

#include "core/bytes.h"

namespace norn {

bool Histories::init(Arena& arena, unsigned log2_nursery) {
  arena_ = &arena;
  least_ = nursery_ = size_t{1} << log2_nursery;
  areas_ = static_cast<Area*>(arena.allocate_zeroed(kMaxAreas * sizeof(Area)));
  return areas_ != nullptr && add_area(classes_[0]);
}

void Histories::set_limit(size_t bytes) {
  const size_t areas = bytes / (kUnit << kAreaBits);
  area_limit_ = areas < HistoryRoom::kClasses ? HistoryRoom::kClasses
                                              : static_cast<uint32_t>(areas < kMaxAreas ? areas : kMaxAreas);
}

// Under the class' lock.
bool Histories::add_area(Class& to) {
  const SpinLock lock(grow_mutex_);
  const uint32_t number = area_count_.load(std::memory_order_relaxed);
  if (number >= area_limit_) return false;
  auto* marks = static_cast<uint64_t*>(arena_->allocate_zeroed(kAreaUnits / 8));
  auto* units = marks == nullptr ? nullptr : static_cast<char*>(arena_->allocate(kUnit << kAreaBits));
  if (units == nullptr) {
    arena_->release(marks, kAreaUnits / 8);
    return false;
  }
  if (number == 0) marks[0] = 1;  // unit 0 is no history
  areas_[number] = {units, marks, kNoArea};
  if (to.last == kNoArea) {
    to.first = number;
  } else {
    areas_[to.last].next = number;
  }
  to.last = number;
  area_count_.store(number + 1, std::memory_order_release);
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
          wants_.store(true, std::memory_order_relaxed);
          block = {};
          return false;
        }
        next = from.last;
      }
      from.area = next;
      from.block = 0;
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

void Histories::end(bool full, size_t cost) {
  if (full) {
    live_full_ = live_;
    cost_ = cost;
    // Where more lives, more dies before it becomes old.
    nursery_ = live_ / 2 > least_ ? live_ / 2 : least_;
  }
  // What has become old since the last full collection may be dead by now.
  size_t most = live_full_ / 2 > cost_ ? live_full_ / 2 : cost_;
  if (most < nursery_) most = nursery_;
  wants_full_ = !full && live_ - live_full_ > most;
  for (Class& c : classes_) {
    c.area = kNoArea;
    c.block = 0;
  }
  filled_.store(0, std::memory_order_relaxed);
  wants_.store(false, std::memory_order_relaxed);
  failed_.store(false, std::memory_order_relaxed);
}

bool Histories::check_invariants() const {
  size_t marked = 0;
  for (const Class& c : classes_) {
    for (uint32_t area = c.first; area != kNoArea; area = areas_[area].next) {
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
  return marked == live_ && area_count_.load(std::memory_order_relaxed) <= area_limit_;
}

}  // namespace norn
