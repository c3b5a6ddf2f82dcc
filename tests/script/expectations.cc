#include "tests/script/expectations.h"

#include <algorithm>
#include <optional>

namespace norn::script {
namespace {

using What = Expectation::What;

bool speaks_of(const Expectation& expectation, EngineKind engine) {
  if (expectation.engine) return *expectation.engine == engine;
  switch (expectation.what) {
    case What::kNone:
      return true;
    case What::kObserved:
      return !is_state_machine(engine);
    case What::kPredicted:
      return predicts(engine);
    case What::kRace:
      return is_state_machine(engine);
  }
  return false;
}

Standing standing_of(What what) { return what == What::kPredicted ? Standing::kPredicted : Standing::kObserved; }

bool covers(const Expectation& expectation, Address byte) {
  return expectation.address <= byte && byte < expectation.address + expectation.size;
}

template <typename Standings>
std::optional<Standing> strongest(const Standings& standings) {
  std::optional<Standing> result;
  for (Standing standing : standings)
    if (!result || *result < standing) result = standing;
  return result;
}

std::string text_of(std::optional<Standing> standing) {
  return standing ? std::string(name_of(*standing)) : std::string("no race");
}

// What was found of what the expectation speaks of: its pair, or else the bytes it covers.
std::optional<Standing> found_standing(const Expectation& expectation, const Findings& found) {
  std::vector<Standing> standings;
  if (expectation.sites) {
    auto [a, b] = *expectation.sites;
    for (const Finding& pair : found.pairs) {
      bool same = (pair.a == a && pair.b == b) || (pair.a == b && pair.b == a);
      bool here = std::any_of(pair.bytes.begin(), pair.bytes.end(), [&](Address x) { return covers(expectation, x); });
      if (same && here) standings.push_back(pair.standing);
    }
  } else {
    for (const auto& [byte, standing] : found.bytes)
      if (covers(expectation, byte)) standings.push_back(standing);
  }
  return strongest(standings);
}

}  // namespace

Findings findings_of(const oracle::Verdict& verdict, std::span<const Event> events, EngineKind engine) {
  bool observed_only = is_by_order_alone(engine);
  Findings found;
  for (const auto& [byte, told] : verdict.bytes)
    if (!observed_only || told.standing == Standing::kObserved) found.bytes[byte] = told.standing;
  for (const oracle::RacingPair& pair : verdict.pairs)
    if (!observed_only || pair.standing == Standing::kObserved)
      found.pairs.push_back({events[pair.first].where, events[pair.second].where, pair.standing, pair.bytes});
  return found;
}

Findings findings_of(const RunResult& result) {
  Findings found;
  found.bytes = result.bytes;
  for (const FoundPair& pair : result.pairs) {
    Finding finding{pair.a, pair.b, pair.standing, {}};
    for (uint32_t i = 0; i < pair.size; ++i) finding.bytes.push_back(pair.address + i);
    found.pairs.push_back(std::move(finding));
  }
  return found;
}

std::vector<std::string> disagreements(const Script& script, EngineKind engine, const Findings& found) {
  std::vector<std::string> all;
  std::string who = std::string(name_of(engine)) + ": ";
  std::vector<const Expectation*> told;
  for (const Expectation& expectation : script.expectations) {
    if (!speaks_of(expectation, engine)) continue;
    std::string where = who + "line " + std::to_string(expectation.line) + ": '" + expectation.text + "', but ";
    if (expectation.what == What::kNone) {
      for (const auto& [byte, standing] : found.bytes)
        if (expectation.anywhere || covers(expectation, byte))
          all.push_back(where + script.place(byte) + " is " + text_of(standing));
      continue;
    }
    told.push_back(&expectation);
    Standing wanted = standing_of(expectation.what);
    auto got = found_standing(expectation, found);
    if (got != wanted) all.push_back(where + "found " + text_of(got));
    if (expectation.exact_bytes && !expectation.sites) {
      for (uint64_t i = 0; i < expectation.size; ++i) {
        auto it = found.bytes.find(expectation.address + i);
        if (it == found.bytes.end() || it->second != wanted)
          all.push_back(where + script.place(expectation.address + i) + " is not");
      }
    }
  }
  for (const auto& [byte, standing] : found.bytes) {
    bool named = std::any_of(told.begin(), told.end(), [&, b = byte, s = standing](const Expectation* e) {
      return covers(*e, b) && s <= standing_of(e->what);
    });
    if (!named) all.push_back(who + script.place(byte) + " is " + text_of(standing) + ", which no line expects");
  }
  return all;
}

}  // namespace norn::script
