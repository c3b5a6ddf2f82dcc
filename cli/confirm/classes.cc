#include "cli/confirm/classes.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/string_sink.h"
#include "casebook/times.h"
#include "cli/confirm/confirm_options.h"
#include "cli/terminal.h"
#include "report/record_reader.h"

namespace norn::cli {

using classify::Class;
using classify::Classification;

experiment::Verdict confirm_to_classify(const experiment::ConfirmCandidate& candidate, const experiment::Stage& stage,
                                        const experiment::Reference& reference, experiment::ConfirmSettings settings,
                                        experiment::Corpus& corpus) {
  constexpr unsigned kStraight = 10, kOtherWays = 50;
  settings.runs = kStraight;
  settings.more = kOtherWays;
  settings.only_first = true;
  return confirm_in_sight(stage, candidate, reference, settings, corpus);
}

void keep_class(const casebook::KeptRun& run, report::Findings& findings, const Classification& what,
                CasebookFile& casebook, int64_t command) {
  if (what.kind == Class::kNone) return;
  const report::Classification facts{.name = findings.pool.keep(name_of(what.kind)),
                                     .consequence = findings.pool.keep(what.consequence),
                                     .k = what.k,
                                     .evidence = findings.pool.keep(what.evidence)};
  if (!findings.add(what.race, facts)) return;
  report::RaceId id;
  what.race.copy(id.hex, sizeof(id.hex) - 1);
  if (!casebook::keep_classification(run, id, facts))
    complain(fmt::format("{}: {}; norn show will not know the class", run.findings(), std::strerror(errno)));
  if (command == 0) return;
  casebook.attempt([&](casebook::Casebook& kept) {
    kept.add_class(command, what.race, casebook::now(),
                   {.name = std::string(name_of(what.kind)),
                    .consequence = what.consequence,
                    .k = static_cast<int64_t>(what.k),
                    .evidence = what.evidence});
  });
}

std::string summary_of(const std::vector<classify::Classified>& all, size_t inputs, size_t wanted) {
  std::array<size_t, 5> counts = {};
  for (const classify::Classified& one : all) ++counts[static_cast<size_t>(one.classification.kind)];
  std::string words;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const std::string_view name = name_of(static_cast<Class>(i));
    words += fmt::format("{} {} {}", words.empty() ? ":" : ",", counts[i], name.empty() ? "not classified" : name);
  }
  std::string out = fmt::format("norn: {} race{} to classify{}\n", all.size(), all.size() == 1 ? "" : "s", words);
  if (inputs < wanted)
    out +=
        fmt::format("norn: {} of {} inputs; others may do other things: --input=FILE, --args=WORDS\n", inputs, wanted);
  return out;
}

}  // namespace norn::cli
