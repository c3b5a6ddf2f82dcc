#include "hive/assignment.h"

#include <algorithm>
#include <tuple>

#include "base/hash.h"
#include "base/text_hash.h"

namespace norn::hive {
namespace {

// How many times more sites an unknown candidate has than one in this state.
double rarity(State state) {
  switch (state) {
    case State::kContext:
      return 0.5;  // it is about to be decided
    case State::kUnknown:
      return 1;
    default:
      // A likely false positive stays in validation, at a low rate; so does a race that one site saw.
      return verdict_of(state) == Verdict::kTrueRace ? 16 : 4;
  }
}

uint64_t lot(const std::string& site, const std::string& race) {
  return hash_well(text_hash(Text(site.data(), site.size())) * 31 + text_hash(Text(race.data(), race.size())));
}

}  // namespace

std::optional<uint32_t> next_tau(const Policy& policy, uint32_t tau) {
  if (tau >= policy.highest_tau) return std::nullopt;
  const uint64_t longer = policy.steps == TauSteps::kLinear ? uint64_t{tau} + std::max<uint32_t>(policy.tau_step, 1)
                                                            : uint64_t{std::max<uint32_t>(tau, 1)} * 2;
  return static_cast<uint32_t>(std::min<uint64_t>(longer, policy.highest_tau));
}

std::optional<size_t> choose(std::span<const CandidateLoad> candidates, std::span<const Share> shares,
                             const SiteLoad& site) {
  std::optional<size_t> best;
  std::tuple<double, uint64_t> lowest{};
  for (size_t i = 0; i < candidates.size(); ++i) {
    const CandidateLoad& candidate = candidates[i];
    if (candidate.settled || shares[i].dropped || shares[i].saw_race) continue;
    const auto wanted = static_cast<double>((1 + candidate.overdue) * std::max<uint64_t>(candidate.weight, 1));
    double cost = static_cast<double>(1 + candidate.active + shares[i].executions) * rarity(candidate.state) / wanted;
    if (site.burdened) cost *= 1 + 100 * candidate.spent;
    const std::tuple<double, uint64_t> rank{cost, lot(site.site, candidate.race)};
    if (best && lowest <= rank) continue;
    best = i;
    lowest = rank;
  }
  return best;
}

bool is_burdened(const Burden& site, const Burden& all) {
  if (site.executions == 0 || all.executions == 0) return false;
  // Below a tenth of a percent of its time nobody feels it.
  constexpr double kFelt = 0.001;
  const auto share = [](const Burden& burden) {
    return burden.lived == 0 ? 0 : static_cast<double>(burden.spent) / static_cast<double>(burden.lived);
  };
  const auto timeouts = [](const Burden& burden) {
    return static_cast<double>(burden.timeouts) / static_cast<double>(burden.executions);
  };
  return (share(site) > kFelt && share(site) > 2 * share(all)) ||
         (site.timeouts > 2 && timeouts(site) > 2 * timeouts(all));
}

}  // namespace norn::hive
