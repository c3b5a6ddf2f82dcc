#include "experiment/search/collected.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace norn::experiment {
namespace {

using Json = nlohmann::json;

constexpr unsigned kMostShares = 1'000'000;

std::optional<Harm> harm_named(const std::string& name) {
  for (int harm = 0; harm <= static_cast<int>(Harm::kNone); ++harm)
    if (name_of(static_cast<Harm>(harm)) == name) return static_cast<Harm>(harm);
  return std::nullopt;
}

Verdict verdict_of(const Json& json) {
  Verdict verdict;
  ConfirmCandidate& candidate = verdict.candidate;
  if (!json.at("id").is_null()) candidate.id = json.at("id");
  const std::string kind = json.at("kind");
  candidate.kind = kind == "deadlock"    ? CandidateKind::kDeadlock
                   : kind == "atomicity" ? CandidateKind::kAtomicity
                                         : CandidateKind::kRace;
  candidate.title = json.at("title");
  candidate.places = json.at("places");
  candidate.sites = json.at("sites");
  verdict.runs = json.at("runs");
  verdict.confirmed = json.at("confirmed");
  for (const std::string order : json.at("orders"))
    (order == "ab" ? verdict.first_then_second : verdict.second_then_first) = true;
  for (const Json& seen : json.at("consequences")) {
    const auto harm = harm_named(seen.at("kind"));
    if (harm) verdict.consequences.push_back({{*harm, seen.at("detail")}, seen.at("count"), {}, seen.at("replay")});
  }
  verdict.mean_events = json.at("mean_events");
  verdict.mean_preemptions = json.at("mean_preemptions");
  verdict.pairs = json.at("pairs");
  verdict.came_between = json.at("came_between");
  return verdict;
}

// Of two shares of the same candidate. Consequences are those of the runs that confirmed it, if there are any.
void add(Verdict& sum, const Verdict& other) {
  const auto mean = [&](double a, double b) {
    return (a * sum.runs + b * other.runs) / std::max(1u, sum.runs + other.runs);
  };
  sum.mean_events = mean(sum.mean_events, other.mean_events);
  sum.mean_preemptions = mean(sum.mean_preemptions, other.mean_preemptions);
  if (sum.is_confirmed() != other.is_confirmed()) {
    if (other.is_confirmed()) sum.consequences = other.consequences;
  } else {
    for (const SeenConsequence& seen : other.consequences) {
      const auto same = std::find_if(sum.consequences.begin(), sum.consequences.end(), [&](const SeenConsequence& s) {
        return s.consequence.harm == seen.consequence.harm;
      });
      if (same == sum.consequences.end()) {
        sum.consequences.push_back(seen);
      } else {
        same->count += seen.count;
      }
    }
  }
  std::sort(sum.consequences.begin(), sum.consequences.end(),
            [](const SeenConsequence& a, const SeenConsequence& b) { return a.consequence.harm < b.consequence.harm; });
  sum.runs += other.runs;
  sum.confirmed += other.confirmed;
  sum.first_then_second |= other.first_then_second;
  sum.second_then_first |= other.second_then_first;
  sum.came_between += other.came_between;
  sum.pairs = std::max(sum.pairs, other.pairs);
}

}  // namespace

std::optional<Verdicts> read_verdicts(const std::string& json, std::string& error) {
  try {
    const Json parsed = Json::parse(json);
    Verdicts verdicts;
    verdicts.command = parsed.at("command").get<std::vector<std::string>>();
    for (const Json& verdict : parsed.at("confirm")) verdicts.all.push_back(verdict_of(verdict));
    if (parsed.contains("share")) {
      verdicts.shares.insert(parsed.at("share").at(0).get<unsigned>());
      verdicts.count = parsed.at("share").at(1).get<unsigned>();
      if (verdicts.count > kMostShares || *verdicts.shares.begin() - 1 >= verdicts.count) {
        error = "it is no share of a search";
        return std::nullopt;
      }
    }
    return verdicts;
  } catch (const Json::exception&) {
    error = "these are no verdicts: norn confirm --share=K/N --json=FILE writes them";
    return std::nullopt;
  }
}

std::string add(Verdicts& sum, const Verdicts& other) {
  if (sum.command.empty()) {
    sum.command = other.command;
    sum.count = other.count;
  }
  if (sum.command != other.command) return "it is of another program than the files before it";
  if (sum.count != other.count) return fmt::format("it is one of {} shares, not of {}", other.count, sum.count);
  for (const unsigned share : other.shares)
    if (!sum.shares.insert(share).second) return fmt::format("share {} is there twice", share);
  for (const Verdict& verdict : other.all) {
    const auto same = std::find_if(sum.all.begin(), sum.all.end(), [&](const Verdict& v) {
      return v.candidate.id == verdict.candidate.id && v.candidate.kind == verdict.candidate.kind;
    });
    if (same == sum.all.end()) {
      sum.all.push_back(verdict);
    } else {
      add(*same, verdict);
    }
  }
  return "";
}

std::vector<unsigned> Verdicts::missing() const {
  return count == 1 ? std::vector<unsigned>() : options::missing_shares(shares, count);
}

}  // namespace norn::experiment
