// What is known of a race besides where it is: its identity, and the facts that detection, confirmation and
// classification add. Views, as all of the model (report/race.h).
#pragma once

#include "base/text.h"
#include "report/race_fwd.h"

namespace norn::report {

// 8 to 16 lower-case hexadecimal digits. Text reports put an R before it.
struct RaceId {
  char hex[17] = {};
  [[nodiscard]] constexpr Text text() const { return Text(hex); }
  friend constexpr bool operator==(const RaceId& a, const RaceId& b) { return a.text() == b.text(); }
};

// What the bytes of a value mean, as the source says it; name_of() has the words.
enum class ValueType : uint8_t { kUnknown, kUnsigned, kSigned, kFloat, kBool, kChar, kPointer };
inline constexpr size_t kValueTypes = 7;

// What an access found in memory and what it writes there, as far as that is known.
struct Values {
  bool has_value = false;
  bool has_old_value = false;
  ValueType type{};        // of both
  uint64_t value = 0;      // what it writes
  uint64_t old_value = 0;  // what was in memory

  [[nodiscard]] constexpr bool known() const { return has_value || has_old_value; }
};

// What is known of a race is kept apart by who says it, and nothing that one says takes away what another saw:
// an observed race that no schedule met stays observed.

// What a detector saw, from the weaker to the stronger: merging two reports of a race keeps the stronger.
enum class Detection : uint8_t {
  kStatic,     // nothing ran: the program's code does not exclude it
  kPredicted,  // only the accident of who took a lock first ordered the two accesses
  kProved,     // a reordering of what the execution did, which the program can do as well, does not order them
  kObserved,   // nothing ordered them in this execution
};

// What one of the two did where they met for the first time in the schedule that a token stands for.
struct MetAccess {
  uint32_t site = 0;  // the low half of its statement's identity
  uint64_t size = 0;
  Values values{};
};

// What the scheduler showed, over all times it tried.
struct Confirmation {
  uint64_t runs = 0;       // tried; 0: nobody has
  uint64_t confirmed = 0;  // in so many of them the two met
  Text token{};            // of a schedule that brings them together, for norn replay; empty if none did
  Text strategy{};         // that chose the schedules, the last time
  bool has_met = false;    // it is known what the two did in the token's schedule:
  MetAccess met[2]{};      // in the order in which they went

  [[nodiscard]] constexpr bool tried() const { return runs > 0; }
  // What another confirmation of the same adds. The later token is the one that a rebuilt program still takes.
  constexpr void add(const Confirmation& later) {
    runs += later.runs;
    confirmed += later.confirmed;
    if (!later.token.empty()) {
      token = later.token;
      has_met = later.has_met;
      for (int i = 0; i < 2; ++i) met[i] = later.met[i];
    }
    if (!later.strategy.empty()) strategy = later.strategy;
  }
};

// What a race does to the program, as classify/ showed it: the latest counts.
struct Classification {
  Text name{};  // "spec-violated", "output-differs", "k-witness-harmless", "single-ordering"; empty: not classified
  Text consequence{};  // "crash", "output"; may be empty
  uint64_t k = 0;      // pairs of runs, one in each order
  Text evidence{};     // a token that replays it; may be empty

  [[nodiscard]] constexpr bool known() const { return !name.empty(); }
};

// Whether some execution has the race, seen or not.
[[nodiscard]] constexpr bool is_certain(Standing standing) { return standing >= Standing::kProved; }

[[nodiscard]] constexpr Standing standing_of(Detection detection, const Confirmation& confirmation) {
  if (confirmation.confirmed > 0) return Standing::kConfirmed;
  constexpr Standing kStandingOf[] = {Standing::kStatic, Standing::kPredicted, Standing::kProved, Standing::kObserved};
  return kStandingOf[static_cast<size_t>(detection)];
}

[[nodiscard]] constexpr Text name_of(Standing standing) {
  constexpr Text kNames[kStandings] = {"static", "predicted", "proved", "observed", "confirmed"};
  return kNames[static_cast<size_t>(standing)];
}
[[nodiscard]] constexpr Text name_of(Detection detection) {
  constexpr Text kNames[] = {"static", "predicted", "proved", "observed"};
  return kNames[static_cast<size_t>(detection)];
}
[[nodiscard]] constexpr Text name_of(ValueType type) {
  constexpr Text kNames[kValueTypes] = {"unknown", "unsigned", "signed", "float", "bool", "char", "pointer"};
  return kNames[static_cast<size_t>(type)];
}

// How many there are, for whoever looks for one by its name.
[[nodiscard]] constexpr size_t count_of(Detection /*detection*/) { return 4; }
[[nodiscard]] constexpr size_t count_of(ValueType /*type*/) { return kValueTypes; }

}  // namespace norn::report
