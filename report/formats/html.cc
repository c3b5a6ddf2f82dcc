#include "report/formats/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/string_sink.h"
#include "report/formats/page_template.h"
#include "report/model_writer.h"
#include "report/race_variables.h"
#include "report/record_reader.h"
#include "report/words/access_values.h"
#include "report/words/markup.h"

namespace norn::report {
namespace {

using RecordWriter = ModelWriter<kRecord>;

constexpr uint32_t kAround = 6;  // lines of source before and after a statement
// A page is to be opened by a browser, whatever a program's recursion or its number of races.
constexpr size_t kMostSourceLines = 20000;

// The lines that the page shows, by path.
class PageSources {
 public:
  explicit PageSources(SourceFiles& files) : files_(files) {}

  void add(const Frame& frame) {
    if (frame.library || frame.file.empty() || frame.line == 0 || count_ >= kMostSourceLines) return;
    std::map<uint32_t, std::string>& lines = lines_[SourceFiles::path(frame)];
    if (files_.line(frame, frame.line).empty()) return;
    for (uint32_t number = frame.line > kAround ? frame.line - kAround : 1; number <= frame.line + kAround; ++number) {
      if (lines.contains(number)) continue;
      std::string text = files_.line(frame, number);
      if (number > frame.line && text.empty() && files_.line(frame, number + 1).empty()) break;
      lines.emplace(number, std::move(text));
      ++count_;
    }
  }
  void add(List<Frame> frames) {
    for (const Frame& frame : frames) add(frame);
  }

  void write(JsonWriter& json) const {
    json.begin_object();
    for (const auto& [path, lines] : lines_) {
      if (lines.empty()) continue;
      json.key(text_of(path));
      json.begin_object();
      for (const auto& [number, text] : lines) json.field(Decimal(number).text(), text_of(text));
      json.end_object();
    }
    json.end_object();
  }

 private:
  SourceFiles& files_;
  std::map<std::string, std::map<uint32_t, std::string>> lines_;
  size_t count_ = 0;
};

class PageModel {
 public:
  PageModel(const Findings& findings, const PageFacts& facts, SourceFiles& files, Sink sink)
      : findings_(findings), facts_(facts), sources_(files), json_(sink), record_(json_) {}

  void write() {
    json_.begin_object();
    json_.field("norn", uint64_t{1});
    json_.field("version", text_of(facts_.version));
    json_.field("base", text_of(facts_.base));
    json_.key("run");
    run();
    json_.key("findings");
    json_.begin_array();
    const std::vector<size_t> variables = variables_of(findings_.races);
    for (size_t i = 0; i < findings_.races.size(); ++i) race(findings_.races[i], variables[i]);
    size_t number = findings_.races.size();
    for (const Hazard& each : findings_.hazards) hazard(each, number++);
    const std::vector<size_t> flags = variables_of(findings_.flags);
    for (size_t i = 0; i < findings_.flags.size(); ++i) race(findings_.flags[i], number + flags[i]);
    json_.end_array();
    json_.key("sources");
    sources_.write(json_);
    json_.key("schedules");
    schedules();
    json_.end_object();
  }

 private:
  void text(Text name, const std::string& value) {
    if (!value.empty()) json_.field(name, text_of(value));
  }

  void run() {
    json_.begin_object();
    describe_start(record_, findings_.run);
    describe_end(record_, findings_.run);
    json_.key("complete");
    json_.boolean(findings_.run.ended && findings_.run.checked);
    text("started", facts_.started);
    text("directory", facts_.directory);
    text("build", facts_.build);
    text("commit", facts_.commit);
    json_.end_object();
  }

  // What stands around the record of a race or a hazard.
  template <class Finding>
  void finding(const Finding& one, const std::string& title, Text standing, size_t variable, Text record) {
    const std::string id(view(one.id.text()));
    json_.begin_object();
    json_.field("title", text_of(title));
    json_.field("standing", standing);
    json_.field("words", text_of(collect([&](Sink sink) { put_standing(one, sink); })));
    json_.field("variable", uint64_t{variable});
    values(one);
    json_.key("record");
    json_.begin_object();
    record_.field("record", record);
    describe(record_, one);
    json_.end_object();
    record_.field("confirmation", one.confirmation, kRecord | kAlways);
    if (const PageClass known = class_of(one, id); !known.name.empty()) {
      json_.key("class");
      json_.begin_object();
      text("name", known.name);
      text("consequence", known.consequence);
      json_.field("k", known.k);
      text("evidence", known.evidence);
      json_.end_object();
    }
    if (const auto known = facts_.history.find(id); known != facts_.history.end()) {
      json_.key("history");
      json_.begin_array();
      for (const PageEvent& event : known->second) {
        json_.begin_object();
        text("time", event.time);
        text("words", event.words);
        json_.end_object();
      }
      json_.end_array();
    }
    json_.end_object();
  }

  // What this run's findings say, else what the casebook knows.
  PageClass class_of(const Race& one, const std::string& id) const {
    const Classification& own = one.classification;
    if (!own.known()) return class_known(id);
    return {std::string(view(own.name)), std::string(view(own.consequence)), own.k, std::string(view(own.evidence))};
  }
  PageClass class_of(const Hazard& /*one*/, const std::string& id) const { return class_known(id); }
  PageClass class_known(const std::string& id) const {
    const auto known = facts_.classes.find(id);
    return known == facts_.classes.end() ? PageClass{} : known->second;
  }

  // In words, of both sides.
  void values(const Race& one) {
    if (!has_values(one.accesses[0]) && !has_values(one.accesses[1])) return;
    json_.key("values");
    json_.begin_array();
    for (const Access& access : one.accesses)
      json_.string(text_of(collect([&](Sink sink) { put_values(access, sink); })));
    json_.end_array();
  }
  void values(const Hazard& /*one*/) {}

  void race(const Race& one, size_t variable) {
    finding(one, collect([&](Sink sink) { put_location_name(one.location, sink); }),
            one.is_flag ? Text("flag") : name_of(standing_of(one)), variable,
            one.is_flag ? Text("flag") : Text("race"));
    for (const Access& access : one.accesses) {
      sources_.add(site_of(access));
      sources_.add(access.stack);
    }
  }

  void hazard(const Hazard& one, size_t variable) {
    finding(one, fmt::format("{}{}", view(one.title), view(words_of(one.kind))), name_of(standing_of(one)), variable,
            "hazard");
    for (const HazardStep& step : one.steps) sources_.add(step.stack);
  }

  // The number of a text among those of its kind.
  class Numbers {
   public:
    size_t of(const std::string& text) {
      const auto [found, is_new] = numbers_.try_emplace(text, texts_.size());
      if (is_new) texts_.push_back(text);
      return found->second;
    }
    void write(JsonWriter& json) const {
      json.begin_array();
      for (const std::string& text : texts_) json.string(text_of(text));
      json.end_array();
    }

   private:
    std::map<std::string, size_t> numbers_;
    std::vector<std::string> texts_;
  };

  void schedules() {
    json_.begin_object();
    for (const auto& [token, schedule] : facts_.schedules) {
      Numbers operations, places;
      json_.key(text_of(token));
      json_.begin_object();
      json_.field("decisions", schedule.decisions);
      json_.key("steps");
      json_.begin_array();
      for (const PageStep& step : schedule.steps) {
        json_.begin_array();
        json_.number(step.thread);
        json_.number(operations.of(step.operation));
        json_.signed_number(step.place.empty() ? -1 : static_cast<int32_t>(places.of(step.place)));
        json_.string(text_of(step.site == 0 ? std::string() : fmt::format("{:x}", step.site)));
        json_.number(step.enabled);
        json_.end_array();
      }
      json_.end_array();
      json_.key("operations");
      operations.write(json_);
      json_.key("places");
      places.write(json_);
      json_.end_object();
    }
    json_.end_object();
  }

  const Findings& findings_;
  const PageFacts& facts_;
  PageSources sources_;
  JsonWriter json_;
  RecordWriter record_;
};

// In a script element only "</" and "<!--" mean something to a browser: no '<' is left.
std::string without_tags(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string as_text(const Findings& findings, const std::string& base, SourceFiles& sources) {
  const TextOptions options{.width = 120,
                            .base = text_of(base),
                            .read_source = SourceFiles::read_line,
                            .source_context = &sources,
                            .next = Next::kNone};
  return collect([&](Sink sink) {
    for (const Race& race : findings.races)
      if (!race.suppressed) render_text(race, findings.run, options, sink);
    for (const Hazard& hazard : findings.hazards) render_text(hazard, sink);
    render_text_summary(findings.run, findings.counts(), options, sink);
  });
}

// The template's parts that are replaced. Each is there once (html_test.cc).
constexpr std::string_view kTitle = "<title>norn</title>";
constexpr std::string_view kPlain = "<!-- norn: what can be read without scripts -->";
constexpr std::string_view kModel = "id=\"findings\">null</script>";

}  // namespace

std::string render_html(const Findings& findings, const PageFacts& given, SourceFiles& sources) {
  PageFacts facts = given;
  const std::string base = facts.base;
  if (!facts.base.empty() && facts.base.back() != '/') facts.base += '/';
  const uint64_t races = findings.counts().total();
  const std::string title = fmt::format("<title>{} race{} in {}</title>", races, races == 1 ? "" : "s",
                                        escaped(base_name(findings.run.program)));
  const std::string plain =
      fmt::format("<noscript><pre>{}</pre></noscript>", escaped(text_of(as_text(findings, base, sources))));
  const std::string model =
      without_tags(collect([&](Sink sink) { PageModel(findings, facts, sources, sink).write(); }));
  std::string page(page_template());
  // From the back, so that nothing that was put in is looked through.
  const auto replace = [&](std::string_view part, const std::string& with) {
    if (const size_t at = page.rfind(part); at != std::string::npos) page.replace(at, part.size(), with);
  };
  replace(kModel, "id=\"findings\">" + model + "</script>");
  replace(kPlain, plain);
  replace(kTitle, title);
  return page;
}

}  // namespace norn::report
