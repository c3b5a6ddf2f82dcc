// Where the words of a granule are put when a new one comes (core/shadow/step.h), as tables that the compiler fills in.
#pragma once

#include "core/shadow/granule.h"

namespace norn {

struct PlaceTables : GranuleWords {
  // Which shadow words stay beside a new one: that in its place, which goes to the third; the other; the third, which
  // makes room for that.
  static constexpr unsigned kMineStays = 1, kOtherStays = 2, kThirdStays = 4, kAllStay = 7;
  // What that means for their locks, as bits of the second cell, and by how much these turn.
  struct Moves {
    uint32_t stay, mine, third;
    unsigned mine_by, third_by;
  };
  struct AllMoves {
    Moves of[2][8];

    constexpr AllMoves() : of() {
      for (unsigned place = 0; place < 2; ++place) {
        const unsigned other = 1 - place;
        for (unsigned staying = 0; staying < 8; ++staying) {
          Moves& moves = of[place][staying];
          const auto locks = [&](unsigned bit, unsigned at) {
            return (staying & bit) != 0 ? locks_in(at, LocksCode{0xff}) : 0;
          };
          moves.stay = locks(kOtherStays, other);
          moves.mine = locks(kMineStays, place);
          moves.mine_by = (2 - place) * 8;
          ((staying & kMineStays) != 0 ? moves.third : moves.stay) |= locks(kThirdStays, 2);
          moves.third_by = (32 + other * 8 - 2 * 8) % 32;
        }
      }
    }
  };
  static const AllMoves kMoves;

  // The order of shadow words, without that of a place (or with it in another from now on), and that place as the
  // newest.
  struct OrdersAfter {
    uint8_t of[2][kNoPlace + 1][kNoOrder + 1];

    constexpr OrdersAfter() : of() {
      for (unsigned place = 0; place < 2; ++place) {
        for (unsigned order = 0; order <= kNoOrder; ++order) {
          for (unsigned to = 0; to <= kNoPlace; ++to) of[place][to][order] = after(order, place, to);
        }
      }
    }
    static constexpr uint8_t after(unsigned order, unsigned place, unsigned instead) {
      unsigned result = 0;
      unsigned count = 0;
      for (unsigned i = 0; i < kPlaces; ++i) {
        unsigned at = order >> 2 * i & 3;
        if (at == place) at = instead;
        if (at != kNoPlace) result |= at << 2 * count++;
      }
      result |= place << 2 * count++;
      for (; count < kPlaces; ++count) result |= kNoPlace << 2 * count;
      return static_cast<uint8_t>(result);
    }
  };
  static const OrdersAfter kOrdersAfter;

  // The same of those that stay, as AllMoves has them. 0: there is no room.
  struct OrdersAmong {
    uint8_t of[2][8][kNoOrder + 1];

    constexpr OrdersAmong() : of() {
      for (unsigned place = 0; place < 2; ++place) {
        for (unsigned staying = 0; staying < 8; ++staying) {
          for (unsigned order = 0; order <= kNoOrder; ++order) {
            of[place][staying][order] = staying == kAllStay ? 0 : among(place, staying, order);
          }
        }
      }
    }
    static constexpr uint8_t among(unsigned place, unsigned staying, unsigned order) {
      const bool moves = (staying & kMineStays) != 0;
      unsigned left = 0;
      for (unsigned i = 0; i < kPlaces; ++i) {
        const unsigned at = order >> 2 * i & 3;
        unsigned to = kNoPlace;
        if (at == place && moves) to = 2;
        if (at == 1 - place && (staying & kOtherStays) != 0) to = at;
        if (at == 2 && (staying & kThirdStays) != 0) to = moves ? 1 - place : 2;
        left |= to << 2 * i;
      }
      return OrdersAfter::after(left, place, kNoPlace);
    }
  };
  static const OrdersAmong kOrdersAmong;
};

inline constexpr PlaceTables::OrdersAfter PlaceTables::kOrdersAfter;
inline constexpr PlaceTables::OrdersAmong PlaceTables::kOrdersAmong;
inline constexpr PlaceTables::AllMoves PlaceTables::kMoves;

}  // namespace norn
