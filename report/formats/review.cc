#include "report/formats/review.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/string_sink.h"
#include "report/record_reader.h"
#include "report/words/access_values.h"
#include "report/words/markup.h"
#include "report/words/op_names.h"

namespace norn::report {
namespace {

struct Place {
  std::string path{};
  uint32_t line = 0;
  uint32_t column = 0;

  [[nodiscard]] std::string words() const {
    return path.empty() ? "an unknown place" : fmt::format("{}:{}", path, line);
  }
};

Place place_of(const Frame& frame, const std::string& base) {
  if (frame.file.empty()) return {};
  std::string path = SourceFiles::path(frame);
  if (!base.empty() && path.starts_with(base + "/")) path.erase(0, base.size() + 1);
  return {std::move(path), frame.line, frame.column};
}

std::string title_of(const Race& race) {
  return fmt::format("race on {}", collect([&](Sink sink) { put_location_name(race.location, sink); }));
}

std::string title_of(const Hazard& hazard) {
  return fmt::format("{}{}", view(hazard.title), view(words_of(hazard.kind)));
}

Place place_of(const Race& race, const std::string& base) { return place_of(site_of(race.accesses[0]), base); }
Place place_of(const Hazard& hazard, const std::string& base) {
  return !hazard.steps.empty() && !hazard.steps[0].stack.empty() ? place_of(hazard.steps[0].stack[0], base) : Place{};
}

// "write (3 → 4) by thread 2 \"teller-2\", no locks held"
std::string words_of(const Access& access) {
  std::string words(view(row_of(access.op).words));
  if (has_values(access)) words += fmt::format(" ({})", collect([&](Sink sink) { put_values(access, sink); }));
  words += fmt::format(" by thread {}", access.thread);
  if (!access.thread_name.empty()) words += fmt::format(" \"{}\"", view(access.thread_name));
  if (access.locks.empty()) return words + ", no locks held";
  words += ", holds ";
  for (size_t i = 0; i < access.locks.size; ++i)
    words += fmt::format("{}{}", i > 0 ? ", " : "",
                         access.locks[i].name.empty() ? fmt::format("lock {:#x}", access.locks[i].address)
                                                      : std::string(view(access.locks[i].name)));
  return words;
}

std::string message_of(const Race& race, const std::string& base) {
  const auto& [now, before] = race.accesses;
  return fmt::format("{} races with {} at {} ({}{}; R{})", words_of(now), words_of(before),
                     place_of(site_of(before), base).words(), collect([&](Sink sink) { put_standing(race, sink); }),
                     collect([&](Sink sink) { put_class(race, "; ", sink); }), view(race.id.text()));
}

std::string message_of(const Hazard& hazard, const std::string& /*base*/) {
  std::string words;
  for (const HazardStep& step : hazard.steps) words += fmt::format("thread {} {}; ", step.thread, view(step.does));
  return fmt::format("{}R{}", words, view(hazard.id.text()));
}

bool is_serious(const Race& race) { return is_certain(standing_of(race)); }
bool is_serious(const Hazard& hazard) { return is_certain(standing_of(hazard)); }

// ---- JUnit ----

template <class Finding>
void put_case(const Finding& finding, std::string_view skipped, const std::string& base, std::string& out) {
  const Place place = place_of(finding, base);
  out += fmt::format("    <testcase classname=\"{}\" name=\"{} (R{})\" file=\"{}\" line=\"{}\">\n",
                     escaped(place.path.empty() ? "norn" : place.path), escaped(title_of(finding)),
                     view(finding.id.text()), escaped(place.path), place.line);
  const std::string standing(view(name_of(standing_of(finding))));
  if (!skipped.empty()) {
    out += fmt::format("      <skipped message=\"{}\"/>\n", escaped(skipped));
  } else {
    out += fmt::format("      <failure type=\"{}\" message=\"{}\">{}: {}</failure>\n", standing,
                       escaped(title_of(finding)), escaped(place.words()), escaped(message_of(finding, base)));
  }
  out += "    </testcase>\n";
}

// ---- GitHub ----

// "Workflow commands for GitHub Actions": what stands for itself in a message, and what more in a property.
std::string escaped_command(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','))) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

template <class Finding>
std::string annotation(const Finding& finding, const std::string& base) {
  const Place place = place_of(finding, base);
  std::string properties;
  if (!place.path.empty()) properties += fmt::format("file={},line={},", escaped_command(place.path, true), place.line);
  if (!place.path.empty() && place.column != 0) properties += fmt::format("col={},", place.column);
  return fmt::format("::{} {}title={}::{}\n", is_serious(finding) ? "error" : "warning", properties,
                     escaped_command(title_of(finding), true), escaped_command(message_of(finding, base), false));
}

// ---- Markdown ----

// Text in a cell of a table: neither markup nor the end of the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>()#+-!|~").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// Code, whatever backticks it has in it.
std::string fenced(const std::string& text) {
  size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}text\n{}{}\n", fence, text, fence);
}

template <class Finding>
void put_folded(const Finding& finding, const std::string& text, std::string& out) {
  out += fmt::format("\n<details><summary>{} (R{})</summary>\n\n{}\n</details>\n", escaped(title_of(finding)),
                     view(finding.id.text()), fenced(text));
}

}  // namespace

std::string render_junit(const Findings& findings, const std::string& base) {
  std::string cases;
  size_t tests = 0, failures = 0, skipped = 0;
  for (const Race& race : findings.races) {
    const std::string why = race.suppressed    ? fmt::format("suppressed by {}", view(race.suppressed_by))
                            : is_serious(race) ? ""
                                               : "predicted: another schedule may bring the two together";
    put_case(race, why, base, cases);
    ++tests;
    ++(why.empty() ? failures : skipped);
  }
  for (const Hazard& hazard : findings.hazards) {
    const std::string why = is_serious(hazard) ? "" : "another schedule may make a failure of it";
    put_case(hazard, why, base, cases);
    ++tests;
    ++(why.empty() ? failures : skipped);
  }
  if (tests == 0) {
    ++tests;
    const bool complete = findings.run.ended && findings.run.checked;
    cases = complete ? "    <testcase classname=\"norn\" name=\"no races\"/>\n"
                     : "    <testcase classname=\"norn\" name=\"no races\">\n      <skipped message=\"the program was "
                       "not checked to its end\"/>\n    </testcase>\n";
    skipped += complete ? 0 : 1;
  }
  const std::string name = escaped(base_name(findings.run.program));
  const auto seconds = static_cast<double>(findings.run.stats.microseconds) / 1e6;
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"norn: {}\" tests=\"{}\" "
      "failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3f}\">\n{}  </testsuite>\n</testsuites>\n",
      name, tests, failures, skipped, seconds, cases);
}

std::string render_annotations(const Findings& findings, const std::string& base) {
  std::string out;
  for (const Race& race : findings.races)
    if (!race.suppressed) out += annotation(race, base);
  for (const Hazard& hazard : findings.hazards) out += annotation(hazard, base);
  return out;
}

std::string render_markdown(const Findings& findings, const std::string& base, SourceFiles& sources) {
  const RaceCounts counts = findings.counts();
  std::string out = fmt::format("### norn: {} race{} in {}\n", counts.total(), counts.total() == 1 ? "" : "s",
                                cell(view(base_name(findings.run.program))));
  if (counts.total() + findings.hazards.size() > 0)
    out += "\n| standing | what | where | and | id |\n| --- | --- | --- | --- | --- |\n";
  std::string folded;
  const TextOptions options{
      .base = text_of(base), .read_source = SourceFiles::read_line, .source_context = &sources, .next = Next::kNone};
  for (const Race& race : findings.races) {
    if (race.suppressed) continue;
    const auto& [now, before] = race.accesses;
    out +=
        fmt::format("| {}{} | {} | {} {} | {} {} | R{} |\n", view(name_of(standing_of(race))),
                    cell(collect([&](Sink sink) { put_class(race, ", ", sink); })), cell(title_of(race)),
                    cell(place_of(site_of(now), base).words()), view(row_of(now.op).words),
                    cell(place_of(site_of(before), base).words()), view(row_of(before.op).words), view(race.id.text()));
    put_folded(race, collect([&](Sink sink) { render_text(race, findings.run, options, sink); }), folded);
  }
  for (const Hazard& hazard : findings.hazards) {
    out += fmt::format("| {} | {} | {} | | R{} |\n", view(name_of(standing_of(hazard))), cell(title_of(hazard)),
                       cell(view(hazard.places)), view(hazard.id.text()));
    put_folded(hazard, collect([&](Sink sink) { render_text(hazard, sink); }), folded);
  }
  if (counts.suppressed > 0) out += fmt::format("\n{} suppressed or accepted, not counted.\n", counts.suppressed);
  for (const Text note : findings.run.notes) out += fmt::format("\nNote: {}\n", cell(view(note)));
  return out + folded;
}

}  // namespace norn::report
