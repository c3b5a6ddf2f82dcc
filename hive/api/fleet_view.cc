#include "hive/api/fleet_view.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "hive/api/api_json.h"

namespace norn::hive {
namespace {

using nlohmann::json;

constexpr int64_t kResults = 200;     // that are shown of one candidate
constexpr int64_t kFailures = 5'000;  // that are looked at
constexpr size_t kCauseFrames = 3;    // that make two failures one

json parsed(const std::string& text) {
  json read = json::parse(text, nullptr, false);
  return read.is_object() ? read : json::object();
}

int rank_of(const Candidate& candidate, State state) {
  if (candidate.is_flag) return 3;
  switch (verdict_of(state)) {
    case Verdict::kTrueRace:
      return 0;
    case Verdict::kUnknown:
      return 1;
    default:
      return 2;
  }
}

json with_description(json object, const std::string& source) {
  const json shown = parsed(source);
  for (const char* name : {"variable", "accesses"})
    if (shown.contains(name)) object[name] = shown[name];
  return object;
}

// The innermost frames of its first stack: "bank+0x11d0 bank+0x1310".
std::string cause_of(const json& detail) {
  std::string frames;
  if (!detail.contains("stacks") || detail["stacks"].empty()) return frames;
  for (size_t i = 0; i < detail["stacks"][0].size() && i < kCauseFrames; ++i) {
    const json& frame = detail["stacks"][0][i];
    frames += (i == 0 ? "" : " ") + frame.value("module", "") + "+" + frame.value("offset", "");
  }
  return frames;
}

}  // namespace

json verdicts_of(const Fleet& fleet) {
  std::map<std::string, size_t> counts{{"true-race", 0}, {"likely-false-positive", 0}, {"unknown", 0}, {"flags", 0}};
  for (size_t i = 0; i < fleet.candidates.size(); ++i)
    ++counts[fleet.candidates[i].is_flag ? "flags" : std::string(name_of(verdict_of(fleet.loads[i].state)))];
  return counts;
}

json candidates_of(Store& store, const std::string& build, int64_t now) {
  const Fleet fleet = store.fleet(build, now);
  const std::map<std::string, std::string> sources = store.sources(build);
  std::vector<std::pair<int, size_t>> order;
  for (size_t i = 0; i < fleet.candidates.size(); ++i)
    order.emplace_back(rank_of(fleet.candidates[i], fleet.loads[i].state), i);
  std::sort(order.begin(), order.end());
  json all = json::array();
  for (const auto& [rank, i] : order) {
    const auto source = sources.find(fleet.candidates[i].race);
    all.push_back(with_description(json_of(fleet, i), source == sources.end() ? "{}" : source->second));
  }
  return all;
}

json candidate_of(Store& store, const std::string& build, const std::string& race, int64_t now) {
  const Fleet fleet = store.fleet(build, now);
  const auto found = std::find_if(fleet.candidates.begin(), fleet.candidates.end(),
                                  [&](const Candidate& candidate) { return candidate.race == race; });
  if (found == fleet.candidates.end()) return {};
  const std::map<std::string, std::string> sources = store.sources(build);
  const auto source = sources.find(race);
  const std::string text = source == sources.end() ? "{}" : source->second;
  json object = with_description(json_of(fleet, static_cast<size_t>(found - fleet.candidates.begin())), text);
  const json shown = parsed(text);
  object["source"] = shown.contains("source") ? shown["source"] : json::array();
  object["record"] = parsed(store.record(race));
  json history = json::array();
  for (const StoredResult& result : store.results(build, race, {}, kResults)) history.push_back(json_of(result));
  object["history"] = history;
  return object;
}

json failures_of(Store& store, const std::string& build) {
  struct Group {
    std::string name;
    json failure;
    std::set<std::string> sites, races;
    uint64_t count = 0;
  };
  std::map<std::string, Group> groups;
  const auto results =
      store.results(build, "", {ResultKind::kCrash, ResultKind::kHang, ResultKind::kMisbehaved}, kFailures);
  for (const StoredResult& result : results) {
    if (result.withdrawn) continue;
    const json detail = parsed(result.detail);
    const int64_t signal = detail.value("signal", int64_t{0});
    const std::string cause = cause_of(detail);
    const std::string name = std::string(name_of(result.kind)) + " " + std::to_string(signal) + " " + cause;
    Group& group = groups[name];
    group.name = name;
    if (group.count++ == 0)  // the latest comes first
      group.failure = {
          {"kind", name_of(result.kind)},
          {"signal", signal},
          {"cause", cause},
          {"latest", result.received},
          {"stack", detail.contains("stacks") && !detail["stacks"].empty() ? detail["stacks"][0] : json::array()}};
    group.sites.insert(result.site);
    group.races.insert(result.race);
    group.failure["first"] = result.received;
  }
  std::vector<const Group*> sorted;
  for (auto& [name, group] : groups) {
    group.failure["count"] = group.count;
    group.failure["sites"] = group.sites.size();
    group.failure["races"] = group.races;
    sorted.push_back(&group);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Group* a, const Group* b) { return std::tie(b->count, a->name) < std::tie(a->count, b->name); });
  json all = json::array();
  for (const Group* group : sorted) all.push_back(group->failure);
  return all;
}

}  // namespace norn::hive
