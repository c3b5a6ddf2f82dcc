#include "cli/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "report/record_reader.h"
#include "report/whole_file.h"

namespace norn::cli {

report::Day today() {
  const auto now = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  return static_cast<report::Day>(now.time_since_epoch().count());
}

bool Rules::load(const std::string& path, std::string& error) {
  auto contents = report::read_whole_file(path, error);
  if (!contents) return false;
  File& file = files_.emplace_back(File{path, std::move(*contents), {}, {}});
  file.memory.resize(report::count_rules_at_most(report::text_of(file.contents)));
  report::Suppressions& rules = file.rules.emplace_back(file.memory.data(), file.memory.size(), today());
  report::SuppressionError wrong;
  if (rules.parse(report::text_of(file.contents), wrong)) return true;
  error = fmt::format("{}:{}: {}", path, wrong.line, view(wrong.message()));
  return false;
}

void Rules::apply(report::Findings& findings) {
  const auto apply_to = [&](report::Race& race) {
    for (File& file : files_) {
      // Asked even if the program suppressed it already: the rule's hits count here.
      const report::Rule* rule = file.rules[0].match(race);
      if (rule == nullptr) continue;
      race.suppressed = true;
      race.suppressed_by = findings.pool.keep(view(rule->name));
      break;
    }
  };
  for (report::Race& race : findings.races) apply_to(race);
  for (report::Race& flag : findings.flags) apply_to(flag);
  report::sort_for_reading(findings.races);
}

std::vector<std::string> Rules::account(bool all) const {
  std::vector<std::string> lines;
  for (const File& file : files_) {
    const report::Suppressions& rules = file.rules[0];
    for (const report::Rule& rule : rules.rules()) {
      std::string place = fmt::format("{}:{}: {}", file.path, rule.line, view(rule.name));
      if (!rule.owner.empty()) place += fmt::format(" (owner: {})", view(rule.owner));
      if (rules.expired(rule)) {
        lines.push_back(fmt::format("{} expired on {} and no longer suppresses", place, view(rule.expires_text)));
      } else if (all && rules.stale(rule)) {
        lines.push_back(fmt::format("{} is stale: it matched nothing in this run", place));
      } else if (all && rule.hits > 0) {
        lines.push_back(fmt::format("{} suppressed {} {}", place, rule.hits, rule.hits == 1 ? "race" : "races"));
      }
    }
  }
  return lines;
}

}  // namespace norn::cli
