#include "classify/judgement.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "classify/comparison.h"

namespace norn::classify {
namespace {

using experiment::Harm;
using experiment::Reference;
using Side = OrderedPair::Side;

struct Seen {
  const OrderedPair* pair;
  Harm given, flipped;
};

bool fails_anyway(const Reference& reference, Harm harm) {
  return std::any_of(reference.failures.begin(), reference.failures.end(),
                     [&](const experiment::Failure& failure) { return failure.consequence.harm == harm; });
}

// One order fails so in some pair, the other in none.
bool is_of_one_order(const std::vector<Seen>& seen, Harm harm) {
  const bool given = std::any_of(seen.begin(), seen.end(), [&](const Seen& one) { return one.given == harm; });
  const bool flipped = std::any_of(seen.begin(), seen.end(), [&](const Seen& one) { return one.flipped == harm; });
  return given != flipped;
}

void suspect_harm(const std::vector<Seen>& seen, const Reference& reference, std::vector<Suspicion>& out) {
  const auto always = [&](Harm harm) {
    return std::all_of(seen.begin(), seen.end(),
                       [&](const Seen& one) { return one.given == harm && one.flipped == harm; });
  };
  for (const Seen& one : seen) {
    const auto suspect = [&](Harm harm, const Side& shows, const Side& other) {
      if (harm == Harm::kNone) return;
      const bool is_the_orders = !one.pair->is_random && one.given != one.flipped;
      const bool counts =
          is_the_orders || is_of_one_order(seen, harm) || (always(harm) && !fails_anyway(reference, harm));
      if (counts) out.push_back({&shows, &other, harm});
    };
    suspect(one.given, one.pair->given, one.pair->flipped);
    suspect(one.flipped, one.pair->flipped, one.pair->given);
  }
}

bool looks_alike(const Visible& a, const Visible& b) { return !difference(a, b); }

void suspect_differences(const std::vector<Seen>& seen, std::vector<Suspicion>& out) {
  std::vector<std::pair<Visible, Visible>> visible;
  visible.reserve(seen.size());
  for (const Seen& one : seen) visible.emplace_back(visible_in(one.pair->given.run), visible_in(one.pair->flipped.run));
  const auto any = [&](const auto& is_it) {
    for (size_t i = 0; i < seen.size(); ++i)
      if (is_it(seen[i], visible[i])) return true;
    return false;
  };
  for (size_t i = 0; i < seen.size(); ++i) {
    const auto& [given, flipped] = visible[i];
    if (seen[i].given != Harm::kNone || seen[i].flipped != Harm::kNone || looks_alike(given, flipped)) continue;
    bool counts = true;
    if (seen[i].pair->is_random) {
      // Something that no run of the other order shows.
      const bool given_is_known = any([&](const Seen& one, const auto& pair) {
        return one.flipped == Harm::kNone && looks_alike(pair.second, given);
      });
      const bool flipped_is_known = any([&](const Seen& one, const auto& pair) {
        return one.given == Harm::kNone && looks_alike(pair.first, flipped);
      });
      counts = !given_is_known || !flipped_is_known;
    } else if (differ_in_order_only(given, flipped)) {
      counts = !any([&](const Seen& one, const auto& pair) {
        return one.given == Harm::kNone && one.flipped == Harm::kNone &&
               (differ_in_order_only(pair.first, given) || differ_in_order_only(pair.second, flipped));
      });
    }
    if (counts) out.push_back({&seen[i].pair->flipped, &seen[i].pair->given, Harm::kNone});
  }
}

}  // namespace

experiment::Consequence harm_of(const StagedRun& run, const Reference& reference) {
  experiment::Consequence consequence = experiment::consequence_of(run, reference);
  if (consequence.harm == Harm::kStatus || consequence.harm == Harm::kOutput) return {};
  return consequence;
}

std::vector<Suspicion> suspicions_in(const std::vector<OrderedPair>& pairs, const Reference& reference) {
  std::vector<Seen> seen;
  seen.reserve(pairs.size());
  for (const OrderedPair& pair : pairs)
    seen.push_back({&pair, harm_of(pair.given.run, reference).harm, harm_of(pair.flipped.run, reference).harm});
  std::vector<Suspicion> out;
  suspect_harm(seen, reference, out);
  suspect_differences(seen, out);
  // Those without chance are easier to follow; they come first in the pairs.
  std::vector<size_t> order(out.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return std::pair(out[a].harm, a) < std::pair(out[b].harm, b); });
  std::vector<Suspicion> sorted;
  sorted.reserve(out.size());
  for (const size_t i : order) sorted.push_back(out[i]);
  return sorted;
}

}  // namespace norn::classify
