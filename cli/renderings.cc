#include "cli/renderings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "cli/terminal.h"
#include "cli/verb.h"
#include "report/collect.h"
#include "report/html.h"
#include "report/json.h"
#include "report/sarif.h"
#include "report/source.h"
#include "report/valgrind_xml.h"

namespace norn::cli {
namespace {

std::string here() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

report::TextOptions options_of(const TextRendering& rendering, const std::string& base, report::SourceFiles& sources) {
  return {.color = rendering.color,
          .full = rendering.full,
          .width = static_cast<uint32_t>(rendering.width),
          .base = report::text_of(base),
          .read_source = report::SourceFiles::read_line,
          .source_context = &sources,
          .next = rendering.next};
}

bool has_lines(const report::Race& race) {
  return std::any_of(std::begin(race.accesses), std::end(race.accesses),
                     [](const report::Access& access) { return report::site_of(access).line != 0; });
}

// What says little more about bytes that are known to race is told with the first such race: predictions, and, of
// stripped programs, where a pair of places is a pair of addresses, all the others.
class Guests {
 public:
  explicit Guests(const report::Findings& findings) {
    for (const report::Race& race : findings.races) {
      if (race.suppressed || (race.standing != report::Standing::kPredicted && has_lines(race))) continue;
      const auto hosts = [&](const report::Race& other) {
        return &other == &race || (!other.suppressed && other.standing >= report::Standing::kObserved && !has(other) &&
                                   report::lies_in(race.location, other.location));
      };
      const auto host = std::find_if(findings.races.begin(), findings.races.end(), hosts);
      if (&*host == &race) continue;
      of_host_[&*host].push_back(&race);
      guests_.insert(&race);
    }
  }

  [[nodiscard]] bool has(const report::Race& race) const { return guests_.contains(&race); }
  // At most so many of them; the others are counted.
  [[nodiscard]] report::Also of(const report::Race& host, size_t most) const {
    const auto found = of_host_.find(&host);
    if (found == of_host_.end()) return {};
    const size_t shown = std::min(found->second.size(), most);
    return {.races = {found->second.data(), shown}, .left_out = found->second.size() - shown};
  }

 private:
  std::map<const report::Race*, std::vector<const report::Race*>> of_host_;
  std::set<const report::Race*> guests_;
};

// One line for all variables that are used as flags.
void put_flags(const report::Findings& findings, const report::TextOptions& options, report::Sink sink) {
  constexpr size_t kShown = 5;
  std::set<std::string> names;
  std::vector<std::string> shown;
  for (const report::Race& flag : findings.flags) {
    if (flag.suppressed) continue;
    const std::string name = report::collect([&](report::Sink out) { put_location_name(flag.location, out); });
    if (names.insert(name).second && shown.size() < kShown)
      shown.push_back(report::collect([&](report::Sink out) { put_flag(flag, options, out); }));
  }
  std::vector<report::Text> first(shown.size());
  std::transform(shown.begin(), shown.end(), first.begin(),
                 [](const std::string& text) { return report::text_of(text); });
  report::put_flags(names.size(), report::list_of(first), sink);
}

}  // namespace

void add_file_option(CLI::App& app, const char* name, std::string& file, bool alone, const char* help) {
  CLI::Option* option = alone ? app.add_flag(fmt::format("--{}{{-}}", name), file, help)
                              : app.add_option(fmt::format("--{}", name), file, help);
  option->type_name("FILE");
}

void RenderingFiles::add_options(CLI::App& app, bool alone) {
  add_file_option(app, "json", json, alone, "write the report as JSON (- is stdout)");
  add_file_option(app, "sarif", sarif, alone, "write it as SARIF 2.1.0, for code scanning");
  add_file_option(app, "xml", xml, alone, "write it as Valgrind's XML, for CI plugins");
  add_file_option(app, "html", html, alone, "write it as a page to read and to send");
}

bool write_file(const std::string& path, const std::string& contents) {
  const bool to_stdout = path == "-";
  std::FILE* file = to_stdout ? stdout : std::fopen(path.c_str(), "wbe");
  bool ok = file != nullptr && std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
  ok = ok && std::fflush(file) == 0;
  const int reason = errno;
  if (file != nullptr && !to_stdout) ok = std::fclose(file) == 0 && ok;
  if (!ok) complain(fmt::format("{}: {}", to_stdout ? "stdout" : path, std::strerror(reason)));
  return ok;
}

bool write_files(const RenderingFiles& files, const report::Findings& findings) {
  bool ok = true;
  report::SourceFiles sources;
  if (!files.json.empty())
    ok = write_file(files.json, report::collect([&](report::Sink sink) {
                      report::render_json(findings.run, report::list_of(findings.races),
                                          report::list_of(findings.hazards), report::list_of(findings.flags), sink);
                    })) &&
         ok;
  if (!files.sarif.empty()) ok = write_file(files.sarif, report::render_sarif(findings, NORN_VERSION, here())) && ok;
  if (!files.xml.empty()) ok = write_file(files.xml, report::render_valgrind_xml(findings, NORN_VERSION)) && ok;
  if (!files.html.empty())
    ok = write_file(files.html, report::render_html(findings, NORN_VERSION, here(), sources)) && ok;
  return ok;
}

std::string text_of_race(const report::Findings& findings, const report::Race& race, const TextRendering& rendering) {
  const std::string base = here();
  report::SourceFiles sources;
  return report::collect(
      [&](report::Sink sink) { report::render_text(race, findings.run, options_of(rendering, base, sources), sink); });
}

std::string text_of_hazard(const report::Hazard& hazard) {
  return report::collect([&](report::Sink sink) { report::render_text(hazard, sink); });
}

std::string text_of_flags(const report::Findings& findings, const TextRendering& rendering) {
  std::string text;
  for (const report::Race& flag : findings.flags)
    if (!flag.suppressed || rendering.suppressed) text += text_of_race(findings, flag, rendering);
  return text;
}

std::string text_of_races(const report::Findings& findings, const TextRendering& rendering) {
  const std::string base = here();
  report::SourceFiles sources;
  const Guests guests(findings);
  size_t predicted = 0;
  std::string text = report::collect([&](report::Sink sink) {
    for (const report::Race& race : findings.races) {
      if ((race.suppressed && !rendering.suppressed) || guests.has(race)) continue;
      if (race.standing == report::Standing::kPredicted && ++predicted > rendering.predicted) continue;
      report::render_text(race, findings.run, options_of(rendering, base, sources), sink,
                          guests.of(race, rendering.predicted));
    }
  });
  if (predicted > rendering.predicted) {
    const size_t left = predicted - rendering.predicted;
    text += fmt::format("norn: {} more predicted race{} not shown; to see: norn show\n\n", left, left == 1 ? "" : "s");
  }
  std::string command;
  for (const report::Text word : findings.run.command) command += fmt::format(" {}", report::view(word));
  for (const report::Hazard& hazard : findings.hazards) {
    text += text_of_hazard(hazard);
    if (rendering.next == report::Next::kConfirm && hazard.kind != report::HazardKind::kDeadlock)
      text += fmt::format("  next: norn confirm R{} --{}\n", report::view(hazard.id.text()), command);
    text += "\n";
  }
  return text;
}

std::string text_of_summary(const report::Findings& findings, const TextRendering& rendering) {
  const std::string base = here();
  report::SourceFiles sources;
  return report::collect([&](report::Sink sink) {
    put_flags(findings, options_of(rendering, base, sources), sink);
    report::render_text_summary(findings.run, findings.counts(), options_of(rendering, base, sources), sink);
  });
}

report::Next next_after(const report::Findings& findings, report::Next otherwise) {
  const bool can_confirm = find_verb("confirm") != nullptr && !(findings.run.front_end == report::Text("valgrind"));
  return can_confirm ? report::Next::kConfirm : otherwise;
}

}  // namespace norn::cli
