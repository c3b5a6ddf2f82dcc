#include "cli/confirm/known_candidates.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal.h"

namespace norn::cli {
namespace {

using experiment::CandidateKind;
using experiment::ConfirmCandidate;

std::vector<ConfirmCandidate> candidates_of(const report::Findings& findings, bool only_races) {
  std::vector<ConfirmCandidate> out = experiment::candidates_of(findings);
  if (!only_races) return out;
  std::erase_if(out, [](const ConfirmCandidate& candidate) { return candidate.kind != CandidateKind::kRace; });
  const std::vector<ConfirmCandidate> flags = experiment::flags_of(findings);
  out.insert(out.end(), flags.begin(), flags.end());
  return out;
}

// What is known to confirm, and where from. The runs of other programs do not matter, unless there is no other: then
// the last one may have started this program.
std::optional<std::vector<ConfirmCandidate>> known_candidates(const CandidateChoice& choice,
                                                              const std::vector<std::string>& command,
                                                              KnownFindings& kept, std::string& source,
                                                              std::string& error) {
  if (!kept.run) kept.run = casebook::last_run_of(command[0]);
  if (!choice.from.empty()) {
    // What the last run found, too, is known of it afterwards.
    std::string unread;
    if (kept.run) kept.findings = casebook::load_findings(*kept.run, unread);
    source = choice.from;
    return experiment::candidates_in_file(choice.from, error);
  }
  if (!kept.run) kept.run = casebook::find_run(std::nullopt, error);
  if (!kept.run) return std::nullopt;
  source = kept.run->command.empty() ? "the last run" : fmt::format("the last run of {}", kept.run->command[0]);
  if (!kept.findings) kept.findings = casebook::load_findings(*kept.run, error);
  if (!kept.findings) return std::nullopt;
  return candidates_of(*kept.findings, choice.only_races);
}

}  // namespace

std::optional<std::vector<ConfirmCandidate>> find_candidates(
    const CandidateChoice& choice, const std::vector<std::string>& command,
    const std::map<std::string, casebook::Acceptance>& accepted, KnownFindings& kept, std::string& error) {
  std::string source;
  auto known = known_candidates(choice, command, kept, source, error);
  if (!known) return std::nullopt;
  for (ConfirmCandidate& candidate : *known)
    if (accepted.contains(candidate.id)) candidate.suppressed = true;
  if (!choice.all) return experiment::choose_candidates(*known, choice.races, error);
  std::erase_if(*known, [](const ConfirmCandidate& candidate) { return candidate.suppressed; });
  if (known->empty())
    complain(
        fmt::format("nothing to {}: there are no races in {}", choice.only_races ? "classify" : "confirm", source));
  return known;
}

}  // namespace norn::cli
