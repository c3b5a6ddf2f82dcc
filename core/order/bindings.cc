#include "core/order/bindings.h"

namespace norn {

// Of the bindings that touch the run, none of which is newer than `newest`.
Bindings::Set Bindings::owners(Bytes run, Set touching, unsigned newest) const {
  for (unsigned i = newest; touching != 0 && run.begin < run.end; i = older_[i]) {
    const Bytes bytes = bytes_[i];
    if ((touching >> i & 1) == 0) continue;
    touching &= ~(Set{1} << i);
    if (!bytes.overlaps(run)) continue;
    const Set here = Set{1} << i;
    return here | owners({run.begin, bytes.begin}, touching, newest) | owners({bytes.end, run.end}, touching, newest);
  }
  return 0;
}

void Bindings::put(unsigned binding, Bytes run) {
  bytes_[binding] = run;
  used_ |= Set{1} << binding;
  if (is_wide(run)) {
    wide_ |= Set{1} << binding;
  } else {
    for_each_place(run, [&](unsigned place) { near_[place] |= Set{1} << binding; });
  }
}

void Bindings::remove(unsigned binding) {
  used_ &= ~(Set{1} << binding);
  wide_ &= ~(Set{1} << binding);
  if (!is_wide(bytes_[binding])) {
    for_each_place(bytes_[binding], [&](unsigned place) { near_[place] &= ~(Set{1} << binding); });
  }
}

void Bindings::link_newest(unsigned binding) {
  if (used_ == Set{1} << binding) {
    oldest_ = static_cast<uint8_t>(binding);
  } else {
    older_[binding] = newest_;
    newer_[newest_] = static_cast<uint8_t>(binding);
  }
  newest_ = static_cast<uint8_t>(binding);
}

void Bindings::unlink(unsigned binding) {
  if (binding == newest_) {
    newest_ = older_[binding];
  } else if (binding == oldest_) {
    oldest_ = newer_[binding];
  } else {
    older_[newer_[binding]] = older_[binding];
    newer_[older_[binding]] = newer_[binding];
  }
}

bool Bindings::bind(Arena& arena, Bytes run, bool adds, const VectorClocks& release) {
  const Set touching = touching_of(run);
  const Set before = adds ? owners(run, touching) : 0;
  Set hidden = 0;
  for_each(touching, [&](unsigned i) { hidden |= Set{run.begin <= bytes_[i].begin && bytes_[i].end <= run.end} << i; });
  // One that goes makes room.
  const Set going = hidden != 0 ? hidden : used_ == ~Set{0} ? Set{1} << oldest_ : 0;
  const auto at = static_cast<unsigned>(__builtin_ctzll(going != 0 ? going : ~used_));
  if (clocks_[at] == nullptr) clocks_[at] = arena.create<VectorClocks>();
  if (clocks_[at] == nullptr) return false;
  VectorClocks& clocks = *clocks_[at];
  bool complete = (before >> at & 1) != 0 ? clocks.join(arena, release) : clocks.assign(arena, release);
  for_each(before & ~(Set{1} << at), [&](unsigned i) { complete &= clocks.join(arena, *clocks_[i]); });
  for_each(going & ~(Set{1} << at), [&](unsigned i) {
    unlink(i);
    remove(i);
    clocks_[i]->clear(arena);
  });
  if (going == 0) {
    put(at, run);
    link_newest(at);
    return complete;
  }
  if (bytes_[at].begin != run.begin || bytes_[at].end != run.end) {
    remove(at);
    put(at, run);
  }
  if (at == newest_) return complete;
  unlink(at);
  link_newest(at);
  return complete;
}

void Bindings::clear(Arena& arena) {
  for (VectorClocks*& clocks : clocks_) {
    if (clocks == nullptr) continue;
    clocks->clear(arena);
    arena.destroy(clocks);
    clocks = nullptr;
  }
  for_each(used_, [&](unsigned i) { remove(i); });
}

bool Bindings::check_invariants() const {
  Set linked = 0;
  for (unsigned i = newest_; used_ != 0; i = older_[i]) {
    if ((used_ >> i & 1) == 0 || (linked >> i & 1) != 0) return false;
    linked |= Set{1} << i;
    if (i == oldest_) break;
    if (newer_[older_[i]] != i) return false;
  }
  if (linked != used_) return false;
  for (unsigned i = 0; i < kMax; ++i) {
    const bool used = (used_ >> i & 1) != 0;
    if (used && clocks_[i] == nullptr) return false;
    if (!used && clocks_[i] != nullptr && !(clocks_[i]->full.empty() && clocks_[i]->strong.empty())) return false;
    if (((wide_ >> i & 1) != 0) != (used && is_wide(bytes_[i]))) return false;
    Set places = 0;  // kPlaces is no more than it has bits
    if (used && !is_wide(bytes_[i])) for_each_place(bytes_[i], [&](unsigned place) { places |= Set{1} << place; });
    for (unsigned place = 0; place < kPlaces; ++place) {
      if ((near_[place] >> i & 1) != (places >> place & 1)) return false;
    }
  }
  return true;
}

}  // namespace norn
