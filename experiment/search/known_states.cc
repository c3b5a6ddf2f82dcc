#include "experiment/search/known_states.h"

#include <fmt/format.h>

#include <algorithm>

namespace norn::experiment {
namespace {

using schedule::LogEntry;
using schedule::StateMark;

constexpr size_t kMostPlaces = 1u << 16;
constexpr unsigned kDrawn = 40;            // of which the best is taken
constexpr unsigned kFromTheBeginning = 6;  // one of so many: or all would go on from what the first ones met
constexpr unsigned kMostStale = 8;         // that count
constexpr unsigned kMostTurns = 200;       // on a way back: each takes some characters of a replay token

// A thread's steps in a row, or a pick's answer: "0.12-1.3-p1".
std::string way_of(const std::vector<LogEntry>& log, uint32_t length) {
  std::string way;
  for (uint32_t i = 0; i < length;) {
    if (!way.empty()) way += '-';
    if (log[i].op == LogEntry::kPick) {
      way += fmt::format("p{}", log[i++].thread);
      continue;
    }
    const uint32_t first = i;
    while (i < length && log[i].op != LogEntry::kPick && log[i].thread == log[first].thread) ++i;
    way += fmt::format("{}.{}", log[first].thread, i - first);
  }
  return way;
}

}  // namespace

unsigned KnownStates::add(const std::vector<StateMark>& marks, std::vector<LogEntry> log, bool accesses) {
  std::vector<Place>& places = places_[accesses ? 1 : 0];
  std::unordered_map<uint64_t, uint32_t>& numbers = numbers_[accesses ? 1 : 0];
  const size_t before = places.size();
  const auto kept = std::make_shared<const std::vector<LogEntry>>(std::move(log));
  unsigned turns = 0;
  for (uint32_t i = 0; i < std::min(marks.size(), kept->size()) && turns < kMostTurns; ++i) {
    const bool is_pick = (*kept)[i].op == LogEntry::kPick;
    if (i == 0 || is_pick || (*kept)[i].thread != (*kept)[i - 1].thread) ++turns;
    if (is_pick || marks[i].bits == 0) continue;
    const auto [at, fresh] = numbers.try_emplace(marks[i].place(), static_cast<uint32_t>(places.size()));
    if (fresh && places.size() == kMostPlaces) {
      numbers.erase(at);
      continue;
    }
    if (fresh) places.emplace_back();
    Place& place = places[at->second];
    if (!fresh && place.length <= i) continue;
    place.log = kept;
    place.length = i;
    place.stale = marks[i].stale();
  }
  return static_cast<unsigned>(places.size() - before);
}

KnownStates::Way KnownStates::next(bool accesses) {
  std::vector<Place>& places = places_[accesses ? 1 : 0];
  if (places.empty() || below(kFromTheBeginning) == 0) return {};
  const auto weight = [](const Place& place) {
    return (place.chosen + 1.0) / static_cast<double>(1u << (2 * std::min(place.stale, kMostStale)));
  };
  Place* best = nullptr;
  for (unsigned i = 0; i < kDrawn; ++i) {
    Place& drawn = places[below(places.size())];
    if (best == nullptr || weight(drawn) < weight(*best)) best = &drawn;
  }
  ++best->chosen;
  return way_of(*best->log, best->length);
}

}  // namespace norn::experiment
