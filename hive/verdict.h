// What the hive says of a candidate, from all results that sites sent of it (RaceMob, thesis §3.5).
//
// The figure of that section is a state machine: states are verdicts with their reasons, edges are results. Here it is
// a table, state × result → state (verdict.cc). Results come in any order, from any number of servers, and those of a
// site can be withdrawn; so a verdict is never stored. It is derived each time from what is stored: each kind of result
// that there is goes through the machine once, in the order of the enumeration below.
//
// Deviations. A crash or hang while steering says what a race does, not that there is one: it counts with a race alone.
// Both orders at one site are not enough for a race, as they are in the document, because locks allow both orders; a
// race is what on-demand detection called one. Where the two statements ran often without meeting in one address, or
// in one thread only, the document stays at unknown; here that is a likely false positive with that reason, because
// 53 % of its own candidates ended so.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace norn::hive {

// A result as it is stored. The names are those of the API and of the table `results`.
enum class ResultKind : uint8_t {
  kNotSeen,        // at least one of the two statements did not run
  kNotProbed,      // the build has no probe there
  kBehaved,        // the user said that nothing went wrong
  kNotAliasing,    // both ran, in different threads, and never at one address
  kSingleContext,  // both ran, and never in different threads at one address
  kContext,        // both ran at one address, in different threads
  kTimeout,        // nobody came within tau
  kNoRace,         // what one did was ordered before all other threads
  kRace,           // nothing ordered the two
  kCrash,          // the program crashed after it was steered
  kHang,
  kMisbehaved,  // its user said so
};
inline constexpr size_t kResultKinds = 12;
[[nodiscard]] std::string_view name_of(ResultKind kind);
[[nodiscard]] std::optional<ResultKind> result_kind(std::string_view name);

// Which of the two accesses came first: of a task what is wanted, of a race what was seen.
enum class Order : uint8_t { kNone, kPrimary, kAlternate, kBoth };
[[nodiscard]] std::string_view name_of(Order order);
[[nodiscard]] std::optional<Order> order_of(std::string_view name);

// What labels the machine's edges.
enum class Label : uint8_t {
  kNotSeen,
  kNotAliasing,    // in at least N executions
  kSingleContext,  // likewise
  kContext,
  kTimeout,         // below the highest tau
  kHighestTimeout,  // at it
  kNoRace,
  kPrimary,  // a race in this order
  kAlternate,
  kCrash,
  kHang,
  kMisbehaved,
};
inline constexpr size_t kLabels = 12;

enum class State : uint8_t {
  kUnknown,
  kNotAliasing,
  kSingleContext,
  kContext,  // unknown, but worth detection and steering
  kTimeout,
  kSynchronized,
  kPrimary,
  kAlternate,
  kBoth,
  kCrash,
  kHang,
  kMisbehaved,
};
inline constexpr size_t kStates = 12;

[[nodiscard]] State next(State state, Label label);

enum class Verdict : uint8_t { kUnknown, kLikelyFalsePositive, kTrueRace };
[[nodiscard]] Verdict verdict_of(State state);
[[nodiscard]] std::string_view name_of(Verdict verdict);
// "not-aliasing", "both-orders"; of what is unknown "context" or nothing.
[[nodiscard]] std::string_view reason_of(State state);

// How often a kind of result was stored of a candidate, by sites that are not withdrawn, and by how many of them.
struct Tally {
  uint64_t count = 0;
  uint64_t sites = 0;
};

// All that is stored of a candidate.
struct Evidence {
  std::array<Tally, kResultKinds> kinds{};
  Tally primary{};  // races in this order
  Tally alternate{};
  Tally highest_timeout{};  // at the highest tau
  uint64_t sites = 0;       // that said anything at all
  uint64_t executions = 0;  // distinct

  [[nodiscard]] const Tally& of(ResultKind kind) const { return kinds[static_cast<size_t>(kind)]; }
  [[nodiscard]] Tally& of(ResultKind kind) { return kinds[static_cast<size_t>(kind)]; }
};

// `executions`: how many must have run both statements before their not meeting says anything.
[[nodiscard]] State derive(const Evidence& evidence, uint64_t executions);
// How many sites said what the verdict rests on.
[[nodiscard]] uint64_t sites_for(State state, const Evidence& evidence);

// Whether nothing is left to validate: a race that two sites saw. One that a single site saw may be that site's lie.
[[nodiscard]] bool is_settled(State state, const Evidence& evidence);

}  // namespace norn::hive
