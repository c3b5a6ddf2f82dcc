#include "cli/renderings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "base/string_sink.h"
#include "cli/casebook_file.h"
#include "cli/page_facts.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "options/options.h"
#include "report/formats/html.h"
#include "report/formats/review.h"
#include "report/formats/sarif.h"
#include "report/formats/tsan_text.h"
#include "report/formats/valgrind_xml.h"
#include "report/json.h"
#include "report/race_variables.h"
#include "report/record_reader.h"
#include "report/source.h"

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

// The renderers of whole reports: one row each.
struct Renderer {
  const char* option;
  const char* help;
  std::string (*render)(const report::Findings& findings, const Beside& beside);
};
constexpr Renderer kRenderers[] = {
    {"json", "write the report as JSON (- is stdout)",
     [](const report::Findings& findings, const Beside& /*beside*/) {
       return collect([&](Sink sink) {
         report::render_json(findings.run, report::list_of(findings.races), report::list_of(findings.hazards),
                             report::list_of(findings.flags), sink);
       });
     }},
    {"sarif", "write it as SARIF 2.1.0, for code scanning",
     [](const report::Findings& findings, const Beside& /*beside*/) {
       return report::render_sarif(findings, NORN_VERSION, here());
     }},
    {"xml", "write it as Valgrind's XML, for CI plugins",
     [](const report::Findings& findings, const Beside& /*beside*/) {
       return report::render_valgrind_xml(findings, NORN_VERSION);
     }},
    {"html", "write it as a page to read and to send",
     [](const report::Findings& findings, const Beside& beside) {
       report::SourceFiles sources;
       return report::render_html(findings, page_facts(findings, beside, here()), sources);
     }},
    {"tsan", "write it as ThreadSanitizer's text, for parsers that know that",
     [](const report::Findings& findings, const Beside& /*beside*/) { return report::render_tsan_text(findings); }},
    {"junit", "write it as JUnit's XML, for CI servers",
     [](const report::Findings& findings, const Beside& /*beside*/) { return report::render_junit(findings, here()); }},
    {"github", "write it as annotation lines of GitHub Actions",
     [](const report::Findings& findings, const Beside& /*beside*/) {
       return report::render_annotations(findings, here());
     }},
    {"markdown", "write it as Markdown, for a pull request",
     [](const report::Findings& findings, const Beside& /*beside*/) {
       report::SourceFiles sources;
       return report::render_markdown(findings, here(), sources);
     }},
};

// One report a variable: it tells the first of the variable's races, and the others with it, in a line each. Only the
// text is folded; in all else a race is a pair.
class Guests {
 public:
  explicit Guests(const report::Findings& findings) {
    const std::vector<size_t> variables = report::variables_of(findings.races);
    std::map<size_t, const report::Race*> hosts;  // by variable: suppressed races are nobody's hosts
    for (size_t i = 0; i < findings.races.size(); ++i) {
      const report::Race& race = findings.races[i];
      if (race.suppressed) continue;
      const auto [host, is_first] = hosts.try_emplace(variables[i], &race);
      if (is_first) continue;
      of_host_[host->second].push_back(&race);
      guests_.insert(&race);
    }
    variables_ = hosts.size();
  }

  [[nodiscard]] bool has(const report::Race& race) const { return guests_.contains(&race); }
  [[nodiscard]] size_t variables() const { return variables_; }
  // All that is certain, and at most so many others, which are counted then.
  [[nodiscard]] report::Also of(const report::Race& host, size_t most) const {
    const auto found = of_host_.find(&host);
    if (found == of_host_.end()) return {};
    const std::vector<const report::Race*>& guests = found->second;  // the strongest first
    const auto first_other = std::find_if(guests.begin(), guests.end(),
                                          [](const report::Race* guest) { return !is_certain(standing_of(*guest)); });
    const auto certain = static_cast<size_t>(first_other - guests.begin());
    const size_t shown = certain + std::min(guests.size() - certain, most);
    return {.races = {guests.data(), shown}, .left_out = guests.size() - shown};
  }

 private:
  size_t variables_ = 0;
  std::map<const report::Race*, std::vector<const report::Race*>> of_host_;
  std::set<const report::Race*> guests_;
};

// One line for all variables that are used as flags.
void put_flags(const report::Findings& findings, const report::TextOptions& options, Sink sink) {
  constexpr size_t kShown = 5;
  std::set<std::string> names;
  std::vector<std::string> shown;
  for (const report::Race& flag : findings.flags) {
    if (flag.suppressed) continue;
    const std::string name = collect([&](Sink out) { put_location_name(flag.location, out); });
    if (names.insert(name).second && shown.size() < kShown)
      shown.push_back(collect([&](Sink out) { put_flag(flag, options, out); }));
  }
  std::vector<Text> first(shown.size());
  std::transform(shown.begin(), shown.end(), first.begin(),
                 [](const std::string& text) { return report::text_of(text); });
  report::put_flags(names.size(), report::list_of(first), sink);
}

}  // namespace

void add_file_option(Arguments& app, const char* name, std::string& file, bool alone, const char* help) {
  const std::string names = fmt::format("--{}", name);
  Argument* option = alone ? app.add_flag(names, "-", file, help) : app.add_option(names, file, help);
  option->type_name("FILE");
}

RenderingFiles::RenderingFiles() : paths(std::size(kRenderers)) {}

void RenderingFiles::add_options(Arguments& app, bool alone) {
  for (size_t i = 0; i < paths.size(); ++i)
    add_file_option(app, kRenderers[i].option, paths[i], alone, kRenderers[i].help);
}

bool RenderingFiles::any() const {
  return std::any_of(paths.begin(), paths.end(), [](const std::string& path) { return !path.empty(); });
}

std::string format_names() {
  std::string names = "text";
  for (const Renderer& renderer : kRenderers) names += fmt::format("|{}", renderer.option);
  return names;
}

bool is_format(const std::string& name, std::string& error) {
  const std::string names = format_names();
  if (fmt::format("|{}|", names).find(fmt::format("|{}|", name)) != std::string::npos) return true;
  const Text near = options::nearest_name(text_of(name), text_of(names));
  error = fmt::format("--format={} is not one of {}{}", name,
                      collect([&](Sink sink) { options::put_names(text_of(names), sink); }),
                      near.empty() ? "" : fmt::format("; did you mean {}?", view(near)));
  return false;
}

std::optional<std::string> rendered(const report::Findings& findings, const Beside& beside, const std::string& format) {
  for (const Renderer& renderer : kRenderers)
    if (renderer.option == format) return renderer.render(findings, beside);
  return std::nullopt;
}

bool write_file(const std::string& path, const std::string& contents) {
  const bool to_stdout = path == "-";
  std::FILE* file = to_stdout ? stdout : std::fopen(path.c_str(), "wbe");
  bool ok = file != nullptr && std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
  ok = ok && std::fflush(file) == 0;
  const int reason = errno;
  if (file != nullptr && !to_stdout) ok = std::fclose(file) == 0 && ok;
  if (!ok) complain(fmt::format("{}: {}", to_stdout ? "stdout" : path, std::strerror(reason)));
  if (to_stdout) std::clearerr(stdout);  // it was said
  return ok;
}

bool write_files(const RenderingFiles& files, const report::Findings& findings, const Beside& beside) {
  bool ok = true;
  for (size_t i = 0; i < files.paths.size(); ++i)
    if (!files.paths[i].empty()) ok = write_file(files.paths[i], kRenderers[i].render(findings, beside)) && ok;
  return ok;
}

std::string text_of_race(const report::Findings& findings, const report::Race& race, const TextRendering& rendering) {
  const std::string base = here();
  report::SourceFiles sources;
  return collect(
      [&](Sink sink) { report::render_text(race, findings.run, options_of(rendering, base, sources), sink); });
}

std::string text_of_hazard(const report::Hazard& hazard) {
  return collect([&](Sink sink) { report::render_text(hazard, sink); });
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
  std::string text = collect([&](Sink sink) {
    for (const report::Race& race : findings.races) {
      if ((race.suppressed && !rendering.suppressed) || guests.has(race)) continue;
      if (standing_of(race) == report::Standing::kPredicted && ++predicted > rendering.predicted) continue;
      report::render_text(race, findings.run, options_of(rendering, base, sources), sink,
                          guests.of(race, rendering.predicted));
    }
  });
  if (predicted > rendering.predicted) {
    const size_t left = predicted - rendering.predicted;
    text += fmt::format("norn: {} more predicted race{} not shown; to see: norn show\n\n", left, left == 1 ? "" : "s");
  }
  std::string command;
  for (const Text word : findings.run.command) command += fmt::format(" {}", view(word));
  for (const report::Hazard& hazard : findings.hazards) {
    text += text_of_hazard(hazard);
    if (rendering.next == report::Next::kConfirm && !has_happened(hazard.kind) && hazard.confirmation.token.empty())
      text += fmt::format("  next: norn confirm R{} --{}\n", view(hazard.id.text()), command);
    text += "\n";
  }
  return text;
}

std::string text_of_summary(const report::Findings& findings, const TextRendering& rendering) {
  const std::string base = here();
  report::SourceFiles sources;
  report::RaceCounts counts = findings.counts();
  counts.variables = Guests(findings).variables();
  counts.suppressed -= rendering.accepted;
  counts.accepted = rendering.accepted;
  const std::string words = accepted_words(rendering.accepted, findings.accepted_hazards.size());
  return (words.empty() ? "" : fmt::format("norn: {}\n", words)) + collect([&](Sink sink) {
           put_flags(findings, options_of(rendering, base, sources), sink);
           report::render_text_summary(findings.run, counts, options_of(rendering, base, sources), sink);
         });
}

report::Next next_after(const report::Findings& findings, report::Next otherwise) {
  const bool can_confirm = find_verb("confirm") != nullptr && !(findings.run.front_end == Text("valgrind"));
  return can_confirm ? report::Next::kConfirm : otherwise;
}

}  // namespace norn::cli
