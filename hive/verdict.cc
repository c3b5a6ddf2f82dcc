#include "hive/verdict.h"

#include <algorithm>
#include <iterator>

namespace norn::hive {
namespace {

constexpr std::string_view kKindNames[] = {"not-seen",       "not-probed", "behaved", "not-aliasing",
                                           "single-context", "context",    "timeout", "no-race",
                                           "race",           "crash",      "hang",    "misbehaved"};
static_assert(std::size(kKindNames) == kResultKinds);
constexpr std::string_view kOrderNames[] = {"none", "primary", "alternate", "both"};

// What each state is to a reader.
struct StateWords {
  State state;
  Verdict verdict;
  std::string_view reason;
};
constexpr StateWords kStateWords[] = {
    {State::kUnknown, Verdict::kUnknown, ""},
    {State::kNotAliasing, Verdict::kLikelyFalsePositive, "not-aliasing"},
    {State::kSingleContext, Verdict::kLikelyFalsePositive, "single-context"},
    {State::kContext, Verdict::kUnknown, "context"},
    {State::kTimeout, Verdict::kLikelyFalsePositive, "timeout"},
    {State::kSynchronized, Verdict::kLikelyFalsePositive, "synchronized"},
    {State::kPrimary, Verdict::kTrueRace, "single-order"},
    {State::kAlternate, Verdict::kTrueRace, "single-order"},
    {State::kBoth, Verdict::kTrueRace, "both-orders"},
    {State::kCrash, Verdict::kTrueRace, "crash"},
    {State::kHang, Verdict::kTrueRace, "hang"},
    {State::kMisbehaved, Verdict::kTrueRace, "misbehaved"},
};
static_assert(std::size(kStateWords) == kStates);
constexpr bool in_order() {
  for (size_t i = 0; i < kStates; ++i)
    if (kStateWords[i].state != static_cast<State>(i)) return false;
  return true;
}
static_assert(in_order());

// The figure. A row is a state, a column a label, in the order of their enumerations.
using enum State;
// clang-format off
constexpr State kTable[kStates][kLabels] = {
    // kNotSeen, kNotAliasing, kSingleContext, kContext, kTimeout, kHighestTimeout,
    //   kNoRace, kPrimary, kAlternate, kCrash, kHang, kMisbehaved
    {kUnknown, kNotAliasing, kSingleContext, kContext, kUnknown, State::kTimeout,
     kSynchronized, kPrimary, kAlternate, kUnknown, kUnknown, kUnknown},
    {kNotAliasing, kNotAliasing, kSingleContext, kContext, kNotAliasing, State::kTimeout,
     kSynchronized, kPrimary, kAlternate, kNotAliasing, kNotAliasing, kNotAliasing},
    {kSingleContext, kSingleContext, kSingleContext, kContext, kSingleContext, State::kTimeout,
     kSynchronized, kPrimary, kAlternate, kSingleContext, kSingleContext, kSingleContext},
    {kContext, kContext, kContext, kContext, kContext, State::kTimeout,
     kSynchronized, kPrimary, kAlternate, kContext, kContext, kContext},
    {State::kTimeout, State::kTimeout, State::kTimeout, State::kTimeout, State::kTimeout, State::kTimeout,
     kSynchronized, kPrimary, kAlternate, State::kTimeout, State::kTimeout, State::kTimeout},
    {kSynchronized, kSynchronized, kSynchronized, kSynchronized, kSynchronized, kSynchronized,
     kSynchronized, kPrimary, kAlternate, kSynchronized, kSynchronized, kSynchronized},
    {kPrimary, kPrimary, kPrimary, kPrimary, kPrimary, kPrimary,
     kPrimary, kPrimary, kBoth, kCrash, kHang, kMisbehaved},
    {kAlternate, kAlternate, kAlternate, kAlternate, kAlternate, kAlternate,
     kAlternate, kBoth, kAlternate, kCrash, kHang, kMisbehaved},
    {kBoth, kBoth, kBoth, kBoth, kBoth, kBoth,
     kBoth, kBoth, kBoth, kCrash, kHang, kMisbehaved},
    // The worst that it does stays.
    {kCrash, kCrash, kCrash, kCrash, kCrash, kCrash,
     kCrash, kCrash, kCrash, kCrash, kCrash, kCrash},
    {kHang, kHang, kHang, kHang, kHang, kHang,
     kHang, kHang, kHang, kCrash, kHang, kHang},
    {kMisbehaved, kMisbehaved, kMisbehaved, kMisbehaved, kMisbehaved, kMisbehaved,
     kMisbehaved, kMisbehaved, kMisbehaved, kCrash, kHang, kMisbehaved},
};
// clang-format on

template <class Kind, size_t size>
std::optional<Kind> find_name(const std::string_view (&names)[size], std::string_view name) {
  const auto* found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<Kind>(found - std::begin(names));
}

}  // namespace

std::string_view name_of(ResultKind kind) { return kKindNames[static_cast<size_t>(kind)]; }
std::optional<ResultKind> result_kind(std::string_view name) { return find_name<ResultKind>(kKindNames, name); }
std::string_view name_of(Order order) { return kOrderNames[static_cast<size_t>(order)]; }
std::optional<Order> order_of(std::string_view name) { return find_name<Order>(kOrderNames, name); }

State next(State state, Label label) { return kTable[static_cast<size_t>(state)][static_cast<size_t>(label)]; }
Verdict verdict_of(State state) { return kStateWords[static_cast<size_t>(state)].verdict; }
std::string_view reason_of(State state) { return kStateWords[static_cast<size_t>(state)].reason; }

std::string_view name_of(Verdict verdict) {
  constexpr std::string_view kNames[] = {"unknown", "likely-false-positive", "true-race"};
  return kNames[static_cast<size_t>(verdict)];
}

State derive(const Evidence& evidence, uint64_t executions) {
  const uint64_t apart = evidence.of(ResultKind::kNotAliasing).count;
  const uint64_t alone = evidence.of(ResultKind::kSingleContext).count;
  const bool often = apart + alone >= executions;
  const Tally& timeouts = evidence.of(ResultKind::kTimeout);
  const bool is_there[kLabels] = {evidence.of(ResultKind::kNotSeen).count > 0,
                                  often && apart > 0,
                                  often && alone > 0,
                                  evidence.of(ResultKind::kContext).count > 0,
                                  timeouts.count > evidence.highest_timeout.count,
                                  evidence.highest_timeout.count > 0,
                                  evidence.of(ResultKind::kNoRace).count > 0,
                                  evidence.primary.count > 0,
                                  evidence.alternate.count > 0,
                                  evidence.of(ResultKind::kCrash).count > 0,
                                  evidence.of(ResultKind::kHang).count > 0,
                                  evidence.of(ResultKind::kMisbehaved).count > 0};
  State state = State::kUnknown;
  for (size_t label = 0; label < kLabels; ++label)
    if (is_there[label]) state = next(state, static_cast<Label>(label));
  return state;
}

uint64_t sites_for(State state, const Evidence& evidence) {
  switch (state) {
    case State::kUnknown:
      return evidence.sites;
    case State::kNotAliasing:
      return evidence.of(ResultKind::kNotAliasing).sites;
    case State::kSingleContext:
      return evidence.of(ResultKind::kSingleContext).sites;
    case State::kContext:
      return evidence.of(ResultKind::kContext).sites;
    case State::kTimeout:
      return evidence.highest_timeout.sites;
    case State::kSynchronized:
      return evidence.of(ResultKind::kNoRace).sites;
    default:
      return evidence.of(ResultKind::kRace).sites;
  }
}

bool is_settled(State state, const Evidence& evidence) {
  return verdict_of(state) == Verdict::kTrueRace && evidence.of(ResultKind::kRace).sites >= 2;
}

}  // namespace norn::hive
