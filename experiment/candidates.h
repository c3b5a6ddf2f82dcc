// What is to be confirmed, and where it comes from: the last run, a JSON report, or ThreadSanitizer's text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/race_fwd.h"

namespace norn::experiment {

enum class CandidateKind { kRace, kDeadlock, kAtomicity };

struct ConfirmCandidate {
  std::string id;  // empty: schedules are explored without one
  CandidateKind kind = CandidateKind::kRace;
  std::string sites;              // as the option `sites` has them
  std::string title;              // "race on z"
  std::string places;             // "fig1.c:15 write / fig1.c:11 read"
  report::Detection detection{};  // what was seen of it before it is tried
  bool suppressed = false;
};

[[nodiscard]] std::vector<ConfirmCandidate> candidates_of(const report::Findings& findings);

// What was taken for flags: as races.
[[nodiscard]] std::vector<ConfirmCandidate> flags_of(const report::Findings& findings);

// Of a file with a JSON report of norn or the text of ThreadSanitizer. Nothing and one line in `error` if it is
// neither.
[[nodiscard]] std::optional<std::vector<ConfirmCandidate>> candidates_in_file(const std::string& path,
                                                                              std::string& error);
[[nodiscard]] std::optional<std::vector<ConfirmCandidate>> candidates_in_json(const std::string& text,
                                                                              std::string& error);
[[nodiscard]] std::vector<ConfirmCandidate> candidates_in_tsan_text(const std::string& text);

// Those that were asked for, by id or its beginning. Nothing and one line in `error`, with the near ones, if one is
// unknown or could be several.
[[nodiscard]] std::optional<std::vector<ConfirmCandidate>> choose_candidates(const std::vector<ConfirmCandidate>& all,
                                                                             const std::vector<std::string>& asked,
                                                                             std::string& error);

}  // namespace norn::experiment
