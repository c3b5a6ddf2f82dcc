// norn check: run, confirm what was found, one verdict for each race.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <tuple>

#include "base/string_sink.h"
#include "cli/confirm_options.h"
#include "cli/detection.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "experiment/child.h"
#include "experiment/verdict_text.h"

namespace norn::cli {
namespace {

using experiment::ConfirmCandidate;
using experiment::Harm;
using experiment::Verdict;
using options::FailOn;
using report::Standing;

// Confirmed first, the more harmful the earlier.
bool comes_first(const Verdict& a, const Verdict& b) {
  return std::tuple(!a.is_confirmed(), a.harm(), a.candidate.id) <
         std::tuple(!b.is_confirmed(), b.harm(), b.candidate.id);
}

std::string summary(const std::vector<Verdict>& verdicts, const report::RunSummary& run, size_t accepted) {
  std::string notes = accepted > 0 ? fmt::format("norn: {}\n", accepted_words(accepted)) : "";
  for (const Text note : run.notes) notes += fmt::format("norn: note: {}\n", view(note));
  const auto confirmed =
      std::count_if(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.is_confirmed(); });
  const auto harmful = std::count_if(verdicts.begin(), verdicts.end(),
                                     [](const Verdict& v) { return v.is_confirmed() && v.harm() != Harm::kNone; });
  if (verdicts.empty()) {
    const char* known = !run.checked ? "nothing was checked" : run.ended ? "no races found" : "0 races so far";
    return notes + fmt::format("norn: {}, nothing to confirm\n", known);
  }
  return notes + fmt::format("norn: {} to confirm: {} confirmed, {} of them with consequences; {} not met\n",
                             verdicts.size(), confirmed, harmful, static_cast<long>(verdicts.size()) - confirmed);
}

bool fails(const std::vector<Verdict>& verdicts, const report::Findings& findings, FailOn fail_on) {
  if (fail_on != FailOn::kNone && findings.lost > 0) return true;
  const bool confirmed = findings.deadlocked() || std::any_of(verdicts.begin(), verdicts.end(),
                                                              [](const Verdict& v) { return v.is_confirmed(); });
  switch (fail_on) {
    case FailOn::kNone:
      return false;
    case FailOn::kConfirmed:
      return confirmed;
    case FailOn::kObserved:
      return confirmed || findings.counts()[Standing::kObserved] > 0;
    case FailOn::kAny:
      return confirmed || findings.counts().total() > 0;
  }
  return false;
}

}  // namespace

int check(const Verb& verb, std::vector<std::string> arguments) {
  CLI::App app;
  ConfirmOptions options;
  options.add(app);
  Detection detection;
  // A check is about what can be shown.
  detection.options.set("fail_on", "confirmed");
  experiment::ConfirmSettings settings;
  std::string error;
  detection.accepts = [&](std::string& why) {
    if (!options.resolve(false, settings, why)) return false;
    detection.timeout = settings.timeout;
    return true;
  };
  const auto status = detect(verb, app, std::move(arguments), detection);
  if (status || !detection.findings) return status.value_or(kMisuse);
  report::Findings& findings = *detection.findings;
  const FailOn fail_on = detection.options.settings().fail_on;
  std::vector<ConfirmCandidate> candidates = experiment::candidates_of(findings);
  std::erase_if(candidates, [](const ConfirmCandidate& candidate) { return candidate.suppressed; });
  // Why it stood still, other schedules may show.
  if (detection.end.timed_out) candidates.emplace_back();
  std::vector<Verdict> verdicts;
  if (!candidates.empty()) {
    experiment::Stage stage(detection.program.path, detection.command, detection.options);
    experiment::Reference reference;
    if (!experiment::find_reference(stage, settings, reference, error)) {
      complain(error);
      return kMisuse;
    }
    for (const ConfirmCandidate& candidate : candidates) {
      verdicts.push_back(confirm_in_sight(stage, candidate, reference, settings));
      keep_verdict(detection.kept, findings, verdicts.back(), detection.casebook, detection.run);
    }
  }
  report::sort_for_reading(findings.races);
  std::sort(verdicts.begin(), verdicts.end(), comes_first);
  std::string text;
  for (const report::Hazard& hazard : findings.hazards)
    if (hazard.kind == report::HazardKind::kDeadlock) text += text_of_hazard(hazard);
  for (const Verdict& verdict : verdicts) text += experiment::text_of(verdict, detection.command);
  text += summary(verdicts, findings.run, detection.accepted);
  bool written = true;
  if (detection.output.empty()) {
    std::fputs(text.c_str(), stderr);
  } else {
    written = write_file(detection.output, text);
  }
  written = write_files(detection.files, findings) && written;
  if (detection.race_status != 0 && fails(verdicts, findings, fail_on)) return detection.race_status;
  if (detection.end.signal != 0) experiment::die_by(detection.end.signal);
  return detection.end.exit != 0 || written ? detection.end.exit : kMisuse;
}

}  // namespace norn::cli
