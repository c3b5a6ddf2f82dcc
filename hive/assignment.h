// Who validates what (RaceMob, thesis §3.4): one task a site, chosen when the site asks.
//
// The document's policy: with more sites than candidates each gets one at random; what does not complete goes to more
// sites; with fewer sites some candidates wait for one; a site that spends more on validation than the others, or times
// out more often, gets another task; severity may weigh. Here that is one number for each candidate, its cost (below):
// the site gets the lowest. Equal ones are chosen by a hash of site and candidate, which is random over sites, and the
// same again for the same site.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hive/verdict.h"

namespace norn::hive {

enum class TauSteps : uint8_t { kLinear, kDouble };

struct Policy {
  uint64_t executions = 20;  // that ran both statements, before their not meeting says anything
  uint64_t patience = 3;     // executions of a site without a final result, before it gets another task
  int64_t overdue = 600;     // seconds after which a task that is not complete goes to more sites
  uint32_t tau = 1'000;      // microseconds, at first
  uint32_t tau_step = 50'000;
  uint32_t highest_tau = 200'000;
  TauSteps steps = TauSteps::kLinear;
  bool steer_at_once = false;  // without waiting for context inference
};

// The tau after one that timed out; nothing: it was the highest, and the site drops the task.
[[nodiscard]] std::optional<uint32_t> next_tau(const Policy& policy, uint32_t tau);

// A candidate as the fleet has it.
struct CandidateLoad {
  std::string race;
  State state = State::kUnknown;
  bool settled = false;
  uint64_t active = 0;   // sites that have it as their task
  uint64_t overdue = 0;  // those of them that have had it for too long
  uint64_t weight = 1;   // severity: twice the weight, twice the sites
  double spent = 0;      // share of the time of executions that its validation took, on the mean
};

// What a site did with a candidate so far.
struct Share {
  uint64_t executions = 0;  // that had it as their task
  bool dropped = false;     // at the highest tau
  bool saw_race = false;
};

struct SiteLoad {
  std::string site;
  bool burdened = false;  // spends more, or times out more often, than the others
};

// Which candidate the site gets; nothing: there is none for it. `shares` stand beside the candidates.
[[nodiscard]] std::optional<size_t> choose(std::span<const CandidateLoad> candidates, std::span<const Share> shares,
                                           const SiteLoad& site);

// Whether a site is above the mean by so much that it gets another task. Times in microseconds.
struct Burden {
  uint64_t spent = 0;
  uint64_t lived = 0;
  uint64_t timeouts = 0;
  uint64_t executions = 0;
};
[[nodiscard]] bool is_burdened(const Burden& site, const Burden& all);

}  // namespace norn::hive
