// The names of the model, for headers that only hand it on. Whoever looks into it includes report/race.h.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace norn::report {

struct Frame;
struct Access;
struct Values;
struct Location;
struct RaceId;
struct Race;
struct Confirmation;
struct Classification;
struct Hazard;
struct RunSummary;
struct Findings;  // record_reader.h
enum class Detection : uint8_t;
enum class HazardKind : uint8_t;
enum class ValueType : uint8_t;

// What an access does. What each reader calls it: report/words/op_names.h.
enum class Op : uint8_t { kRead, kWrite, kAtomicRead, kAtomicWrite, kFree, kAllocation };

// The one word that reports show, from the weakest to the strongest. It is never stored: standing_of() derives it from
// the facts.
enum class Standing : uint8_t { kStatic, kPredicted, kProved, kObserved, kConfirmed };
inline constexpr size_t kStandings = 5;

}  // namespace norn::report
