// Keeps most accesses disciplined, so that not every script races: a location is either guarded by a lock, or owned by
// one thread at a time and handed over by whatever synchronizes.
#pragma once

#include <array>
#include <map>
#include <set>
#include <utility>

#include "tests/oracle/dice.h"
#include "tests/oracle/world.h"

namespace norn::oracle::model {

class Discipline {
 public:
  Discipline(Dice& dice, const Plan& plan) : dice_(dice) {
    constexpr std::array<unsigned, 8> kSloppiness = {0, 0, 0, 0, 5, 15, 40, 100};
    sloppiness_ = kSloppiness[dice.below(kSloppiness.size())];
    used_ = 1 + dice.below(kPlaces);
    // Three styles: mostly locks as guards; hand-over by anything; hand-over by locks, which only predicts races.
    uint64_t style = dice.below(3);
    by_locks_ = style == 2;
    for (Place& place : places_) {
      place.guarded = dice.chance(style == 0 ? 70 : 10);
      place.lock = dice.below(plan.locks);
      place.owner = static_cast<uint8_t>(dice.below(plan.threads));
    }
  }

  // Turns a random access into one that this thread may make; false if there is none.
  bool direct(Move& m, const World& world) {
    bool sloppy = dice_.chance(sloppiness_);
    if (sloppy && dice_.chance(30)) return true;
    for (int attempt = 0; attempt < 6; ++attempt) {
      size_t which = dice_.below(used_);
      Place& place = places_[which];
      m.object = static_cast<uint8_t>(which / 2);
      m.offset = static_cast<uint8_t>(which % 2 * 8 + dice_.below(6));  // two places of 8 bytes per region
      m.size = static_cast<uint8_t>(dice_.below(8 - m.offset % 8));
      if (sloppy) return true;
      if (place.guarded) {
        const Lock& l = world.locks()[place.lock];
        if (l.holder == m.thread) return true;
        if (l.sharers.contains(m.thread) && m.kind == MoveKind::kRead) return true;
      } else if (place.owner == m.thread) {
        return true;
      }
    }
    return false;
  }

  // Hands places over along what orders threads. Only a hint: the oracle says what really happened.
  void follow(const Move& m) {
    auto key = [&](char kind) { return std::pair(kind, m.object); };
    switch (m.kind) {
      case MoveKind::kPost:
        return give(m.thread, key('s'));
      case MoveKind::kSemaphoreWait:
        return take(m.thread, key('s'));
      case MoveKind::kHappensBefore:
        return give(m.thread, key('a'));
      case MoveKind::kHappensAfter:
        return take(m.thread, key('a'));
      case MoveKind::kOnceDone:
        return give(m.thread, key('o'));
      case MoveKind::kOnceSeen:
        return take(m.thread, key('o'));
      case MoveKind::kStore:
        if (m.variant % 5 % 2 == 0) give(m.thread, key('f'));
        return;
      case MoveKind::kLoad:
        if (m.variant % 5 != 1 && m.variant % 5 != 4) take(m.thread, key('f'));
        return;
      case MoveKind::kUnlock:
        if (dice_.chance(by_locks_ ? 90 : 20)) give(m.thread, key('m'));
        return;
      case MoveKind::kLock:
        return take(m.thread, key('m'));
      case MoveKind::kExit:
        return give(m.thread, {'t', m.thread});
      case MoveKind::kJoin:
        return take(m.thread, {'t', m.object});
      default:
        return;
    }
  }

  void born(uint8_t parent, uint8_t child) {
    for (Place& place : places_)
      if (place.owner == parent && dice_.chance(40)) place.owner = child;
  }

 private:
  struct Place {
    bool guarded = false;
    size_t lock = 0;
    uint8_t owner = 0;
  };
  static constexpr size_t kPlaces = 2 * kData;
  using Carrier = std::pair<char, uint8_t>;

  void give(uint8_t thread, Carrier carrier) {
    if (by_locks_ && carrier.first != 'm') return;
    for (size_t i = 0; i < kPlaces; ++i)
      if (places_[i].owner == thread && dice_.chance(60)) {
        places_[i].owner = kNobody;
        carried_[carrier].insert(i);
      }
  }
  void take(uint8_t thread, Carrier carrier) {
    for (size_t i : carried_[carrier]) places_[i].owner = thread;
    carried_[carrier].clear();
  }

  Dice& dice_;
  unsigned sloppiness_ = 0;  // percent of accesses that keep to nothing
  size_t used_ = kPlaces;
  bool by_locks_ = false;
  std::array<Place, kPlaces> places_;
  std::map<Carrier, std::set<size_t>> carried_;
};

}  // namespace norn::oracle::model
