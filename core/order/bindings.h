// The write/read relation of one condition variable (order.md): bytes, and the releases they are bound to. A byte
// belongs to the newest binding that has it.
//
// Who signals binds the same few words again and again, or a few beside them, and who waits reads them: so bindings are
// found by the grains of 8 bytes that they lie in, and one whose bytes are bound anew is used again where it is.
#pragma once

#include "core/order/clock.h"
#include "core/order/thread.h"

namespace norn {

class Bindings {
 public:
  static constexpr unsigned kMax = 64;
  using Set = uint64_t;  // of bindings, a bit for each

  // Binds the bytes to a release; if it `adds`, to what they were bound to before, too. What that hides entirely goes;
  // if there are too many still, the oldest. False: no memory.
  bool bind(Arena& arena, Bytes run, bool adds, const VectorClocks& release);
  void clear(Arena& arena);

  // Those that bytes of the run belong to.
  [[nodiscard]] Set of(Bytes run) const { return owners(run, touching_of(run)); }
  [[nodiscard]] Bytes bytes(unsigned binding) const { return bytes_[binding]; }
  [[nodiscard]] const VectorClocks& clocks(unsigned binding) const { return *clocks_[binding]; }
  [[nodiscard]] Set all() const { return used_; }
  [[nodiscard]] bool check_invariants() const;

  template <class Visit>
  static void for_each(Set set, Visit visit) {
    for (; set != 0; set &= set - 1) visit(static_cast<unsigned>(__builtin_ctzll(set)));
  }

 private:
  static constexpr Address kGrain = 8;
  static constexpr unsigned kPlaces = 64;
  static constexpr Address kWide = 16 * kGrain;
  [[nodiscard]] static bool is_wide(Bytes run) { return run.end - run.begin > kWide; }
  // By a number of the grain.
  template <class Visit>
  static void for_each_place(Bytes run, Visit visit) {
    for (Address grain = run.begin / kGrain; grain <= (run.end - 1) / kGrain; ++grain) {
      visit(static_cast<unsigned>((grain ^ grain / kPlaces) % kPlaces));
    }
  }
  // Those that share a byte with the run.
  [[nodiscard]] Set touching_of(Bytes run) const {
    Set near = wide_;
    if (is_wide(run)) {
      near = used_;
    } else {
      for_each_place(run, [&](unsigned place) { near |= near_[place]; });
    }
    Set touching = 0;
    for_each(near, [&](unsigned i) { touching |= Set{bytes_[i].overlaps(run)} << i; });
    return touching;
  }
  [[nodiscard]] Set owners(Bytes run, Set touching) const {
    return (touching & (touching - 1)) == 0 ? touching : owners(run, touching, newest_);
  }
  [[nodiscard]] Set owners(Bytes run, Set touching, unsigned newest) const;
  void put(unsigned binding, Bytes run);
  void remove(unsigned binding);
  void link_newest(unsigned binding);
  void unlink(unsigned binding);

  Set used_ = 0;
  Set wide_ = 0;  // those that lie in many grains
  // While any is used: the ends of the row of them all, by age.
  uint8_t newest_ = 0;
  uint8_t oldest_ = 0;
  uint8_t newer_[kMax];
  uint8_t older_[kMax];
  Bytes bytes_[kMax];
  VectorClocks* clocks_[kMax];  // made when first needed; of one that is not used, empty
  Set near_[kPlaces];           // the others, by place
};

}  // namespace norn
