// What developers see of a version, as JSON: candidates with what is said of them and from what, failures by
// cause.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "hive/store.h"

namespace norn::hive {

// {"true-race": 1, "likely-false-positive": 3, "unknown": 7, "flags": 2}
[[nodiscard]] nlohmann::json verdicts_of(const Fleet& fleet);
// True races first, then what may be one, then the rest.
[[nodiscard]] nlohmann::json candidates_of(Store& store, const std::string& build, int64_t now);
// With its results, the latest first, and the record of what norn static says of it. Null: there is none.
[[nodiscard]] nlohmann::json candidate_of(Store& store, const std::string& build, const std::string& race, int64_t now);
// Crashes, hangs and what users called wrong, those with one kind, signal and innermost frames together.
[[nodiscard]] nlohmann::json failures_of(Store& store, const std::string& build);

}  // namespace norn::hive
