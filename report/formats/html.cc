#include "report/formats/html.h"

#include <fmt/format.h>

#include "base/string_sink.h"
#include "report/function_name.h"
#include "report/markup.h"

namespace norn::report {
namespace {

constexpr const char* kStyle = R"css(
:root { color-scheme: light dark; --paper: #fbfaf8; --card: #fff; --ink: #1d2025; --soft: #6a6f78; --line: #e3e0da;
  --hit: #fdeeea; --mark: #c8402b; --warn: #a86a00; --good: #2e7d4f; --code: #f5f3ef; }
@media (prefers-color-scheme: dark) { :root { --paper: #15171a; --card: #1d2024; --ink: #e4e4e1; --soft: #969ba4;
  --line: #31353b; --hit: #3a2320; --mark: #ff8a73; --warn: #e9b44c; --good: #74c995; --code: #181b1f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
header h1 { font-size: 1.35rem; margin: 0 0 .25rem; }
header p, footer { color: var(--soft); margin: 0; }
header code { color: var(--ink); }
.filter { margin: 1.25rem 0; display: flex; gap: .75rem; }
.filter input { flex: 1; font: inherit; padding: .45rem .7rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--card); color: inherit; }
.race { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; margin: 0 0 1rem; }
.race > summary { cursor: pointer; padding: .8rem 1.1rem; display: flex; gap: .9rem; align-items: baseline;
  flex-wrap: wrap; }
.race > summary h2 { font: 600 1.05rem ui-monospace, monospace; margin: 0; flex: 1; overflow-wrap: anywhere; }
.race .body { padding: 0 1.1rem 1.1rem; }
.standing { font-weight: 600; color: var(--mark); }
.standing.predicted, .standing.static { color: var(--warn); } .soft { color: var(--soft); }
.good { color: var(--good); }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 1rem; }
.access { border: 1px solid var(--line); border-radius: .5rem; min-width: 0; padding: .8rem; }
.access h3 { font-size: .95rem; margin: 0 0 .1rem; } .access p { margin: 0 0 .5rem; color: var(--soft); }
pre, .stack, code { font: 13px/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { margin: 0 0 .6rem; background: var(--code); border-radius: .4rem; padding: .4rem 0; overflow-x: auto; }
pre span { display: block; padding: 0 .7rem; white-space: pre; min-width: max-content; }
pre span::before { content: attr(data-line); display: inline-block; width: 3.2em; color: var(--soft);
  user-select: none; }
pre .hit { background: var(--hit); box-shadow: inset 3px 0 var(--mark); }
.stack { list-style: none; margin: 0; padding: 0; } .stack li { display: flex; gap: 1rem; }
.stack .fn { flex: 1; min-width: 0; overflow-wrap: anywhere; } .stack .at { color: var(--soft); text-align: right;
  overflow-wrap: anywhere; max-width: 55%; }
.stack details summary { color: var(--soft); cursor: pointer; } .stack details { flex: 1; }
.where { margin: .9rem 0 0; } .next code { background: var(--code); padding: .15rem .45rem; border-radius: .3rem; }
footer { margin-top: 2rem; font-size: .9rem; }
@media print { .filter { display: none; } .race { break-inside: avoid; } }
)css";

// Without it the page is the same, only unfiltered.
constexpr const char* kScript = R"js(
const box = document.querySelector('.filter input');
if (box) box.addEventListener('input', () => {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const race of document.querySelectorAll('.race')) {
    const text = race.textContent.toLowerCase();
    race.hidden = !words.every(word => text.includes(word));
  }
});
const open = document.getElementById(location.hash.slice(1));
if (open) open.open = true;
)js";

std::string grouped(uint64_t number) { return std::string(view(Decimal(number, true).text())); }

std::string counted(uint64_t number, const char* word) {
  return fmt::format("{} {}{}", grouped(number), word, number == 1 ? "" : "s");
}

std::string thread_words(uint32_t number, Text name) {
  return name.empty() ? fmt::format("thread {}", number) : fmt::format("thread {} “{}”", number, escaped(name));
}

class HtmlReport {
 public:
  HtmlReport(const Findings& findings, std::string base, SourceFiles& sources)
      : findings_(findings), base_(std::move(base)), sources_(sources) {
    if (!base_.empty() && base_.back() != '/') base_ += '/';
  }

  std::string render(const std::string& version) {
    const RunSummary& run = findings_.run;
    const RaceCounts counts = findings_.counts();
    put("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    put("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    put("<title>{} in {}</title>\n<style>{}</style>\n</head>\n<body>\n", counted(counts.total(), "race"),
        escaped(base_name(run.program)), kStyle);
    put("<header>\n<h1>{}</h1>\n<p><code>{}</code></p>\n<p>", headline(counts) + hazards(), command());
    if (run.stats.threads > 0)
      put("{} by {} in {:.2f} s · ", grouped(run.stats.accesses) + (run.stats.accesses == 1 ? " access" : " accesses"),
          counted(run.stats.threads, "thread"), static_cast<double>(run.stats.microseconds) / 1e6);
    put("engine {}</p>\n", run.engine.empty() ? "unknown" : escaped(run.engine));
    for (const Text& note : run.notes) put("<p>Note: {}</p>\n", escaped(note));
    put("</header>\n");
    if (findings_.races.size() + findings_.hazards.size() + findings_.flags.size() > 1)
      put("<div class=\"filter\"><input type=\"search\" placeholder=\"Filter by variable, file, function, thread, "
          "standing or id\" aria-label=\"Filter races\"></div>\n");
    put("<main>\n");
    // A page with hundreds of races opened at once is no help.
    for (size_t i = 0; i < findings_.races.size(); ++i) race(findings_.races[i], i < 10);
    for (const Hazard& one : findings_.hazards) hazard(one);
    for (const Race& flag : findings_.flags) race(flag, false);
    put("</main>\n<footer>norn {}</footer>\n<script>{}</script>\n</body>\n</html>\n", escaped(version), kScript);
    return std::move(out_);
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  static std::string headline(const RaceCounts& counts) {
    std::string words = counts.total() == 0 ? "<span class=\"good\">No races</span>" : counted(counts.total(), "race");
    const char* before = " — ";
    for (const Standing standing :
         {Standing::kConfirmed, Standing::kObserved, Standing::kProved, Standing::kPredicted, Standing::kStatic}) {
      if (counts[standing] == 0) continue;
      words += fmt::format("{}{} {}", before, grouped(counts[standing]), view(name_of(standing)));
      before = ", ";
    }
    if (counts.suppressed > 0) words += fmt::format("{}{} suppressed", before, grouped(counts.suppressed));
    return words;
  }

  std::string hazards() const {
    return findings_.hazards.empty() ? "" : fmt::format("; {}", counted(findings_.hazards.size(), "other hazard"));
  }

  std::string command() const {
    if (findings_.run.command.empty()) return escaped(findings_.run.program);
    std::string words;
    for (const Text& argument : findings_.run.command) words += (words.empty() ? "" : " ") + escaped(argument);
    return words;
  }

  std::string place(const Frame& frame) const {
    if (frame.file.empty())
      return frame.module.empty() ? "" : fmt::format("{}+{:#x}", escaped(base_name(frame.module)), frame.offset);
    std::string path = SourceFiles::path(frame);
    if (!base_.empty() && path.starts_with(base_)) path.erase(0, base_.size());
    return frame.line == 0 ? escaped(path) : fmt::format("{}:{}", escaped(path), frame.line);
  }

  void snippet(const Frame& site) {
    constexpr uint32_t kAround = 3;
    if (sources_.line(site, site.line).empty()) return;
    put("<pre>");
    for (uint32_t number = site.line > kAround ? site.line - kAround : 1; number <= site.line + kAround; ++number) {
      const std::string text = sources_.line(site, number);
      if (number > site.line && text.empty() && sources_.line(site, number + 1).empty()) break;
      put("<span data-line=\"{}\"{}>{}</span>", number, number == site.line ? " class=\"hit\"" : "", escaped(text));
    }
    put("</pre>\n");
  }

  void frame(const Frame& frame, const char* label = "") {
    const std::string name = collect([&](Sink sink) { put_function(frame.function, 0, sink); });
    put("<li{}><span class=\"fn\">{}{}</span><span class=\"at\">{}</span></li>\n",
        frame.library ? " class=\"soft\"" : "", label, name.empty() ? "(unknown)" : escaped(name), place(frame));
  }

  void stack(List<Frame> frames) {
    size_t at = 0;
    while (at < frames.size) {
      size_t end = at;
      while (end < frames.size && frames[end].library) ++end;
      if (end - at >= 2) {
        put("<li><details><summary>… {} library frames</summary><ul class=\"stack\">\n", end - at);
        for (; at < end; ++at) frame(frames[at]);
        put("</ul></details></li>\n");
      } else {
        frame(frames[at++]);
      }
    }
  }

  void access(const Access& access) {
    const Frame& site = site_of(access);
    put("<section class=\"access\">\n<h3>{}, {} by {}</h3>\n<p>{}", view(name_of(access.op)),
        counted(access.size, "byte"), thread_words(access.thread, access.thread_name),
        access.locks.empty() ? "no locks held" : "holds ");
    for (size_t i = 0; i < access.locks.size; ++i) {
      const LockHeld& lock = access.locks[i];
      put("{}<code>{}</code>{}", i > 0 ? ", " : "",
          lock.name.empty() ? fmt::format("lock {:#x}", lock.address) : escaped(lock.name),
          lock.mode == HeldMode::kShared ? " shared" : "");
      if (lock.taken_at.known()) put(" (taken at {})", place(lock.taken_at));
    }
    if (access.has_value && access.has_old_value) put(" · value {:#x} → {:#x}", access.old_value, access.value);
    if (access.has_value && !access.has_old_value) put(" · value {:#x}", access.value);
    put("</p>\n");
    snippet(site);
    put("<ul class=\"stack\">\n");
    if (access.stack.empty()) frame(site);
    stack(access.stack);
    if (access.stack_lost) put("<li class=\"soft\">the callers are not known</li>\n");
    for (const Frame& created : access.thread_created_at) {
      if (created.library) continue;
      frame(created, "created in ");
      break;
    }
    put("</ul>\n</section>\n");
  }

  void location(const Location& location) {
    const Text object = location.object.empty() ? location.name : location.object;
    put("<p class=\"where\">");
    if (!object.empty()) put("<code>{}</code>: ", escaped(object));
    put("{}", location.kind == LocationKind::kHeap
                  ? fmt::format("heap block of {}", counted(location.object_size, "byte"))
                  : std::string(view(name_of(location.kind))));
    if (location.declared_at.known()) put(" in {}", place(location.declared_at));
    put(", offset {}, address {:#x}", location.offset, location.address);
    if (location.has_owner)
      put(", {} {}", location.kind == LocationKind::kHeap ? "allocated by" : "of",
          thread_words(location.owner, location.owner_name));
    put("</p>\n");
    if (location.kind == LocationKind::kHeap && !location.allocated_at.empty()) {
      put("<ul class=\"stack\">\n");
      stack(location.allocated_at);
      put("</ul>\n");
    }
  }

  void replay(const Confirmation& confirmation) {
    if (!confirmation.token.empty())
      put("<p class=\"soft\">replay: <code>{}</code></p>\n", escaped(confirmation.token));
  }

  void race(const Race& race, bool open) {
    const std::string id = escaped(race.id.text());
    const std::string standing(race.is_flag ? "flag" : view(name_of(standing_of(race))));
    const std::string words = race.is_flag ? standing : collect([&](Sink sink) { put_standing(race, sink); });
    put("<details class=\"race\" id=\"R{}\"{}>\n<summary><h2>{}</h2>", id, open && !race.suppressed ? " open" : "",
        escaped(collect([&](Sink sink) { put_location_name(race.location, sink); })));
    put("<span class=\"standing {}\">{}{}</span><span class=\"soft\">{}</span><a class=\"soft\" href=\"#R{}\">R{}</a>",
        standing, words, race.suppressed ? ", suppressed" : "", counted(race.count, "time"), id, id);
    put("</summary>\n<div class=\"body\">\n<div class=\"pair\">\n");
    for (const Access& one : race.accesses) access(one);
    put("</div>\n");
    location(race.location);
    if (race.is_flag) put("<p class=\"soft\">taken for a flag: {}</p>\n", view(kWhyFlag));
    if (race.suppressed) put("<p class=\"soft\">suppressed by <code>{}</code></p>\n", escaped(race.suppressed_by));
    replay(race.confirmation);
    put("</div>\n</details>\n");
  }

  void hazard(const Hazard& hazard) {
    const std::string id = escaped(hazard.id.text());
    const std::string standing(view(name_of(standing_of(hazard))));
    const std::string words = collect([&](Sink sink) { put_standing(hazard, sink); });
    put("<details class=\"race\" id=\"R{}\" open>\n<summary><h2>{}{}</h2>", id, escaped(hazard.title),
        view(words_of(hazard.kind)));
    put("<span class=\"standing {}\">{}</span><a class=\"soft\" href=\"#R{}\">R{}</a>", standing, words, id, id);
    put("</summary>\n<div class=\"body\">\n<div class=\"pair\">\n");
    for (const HazardStep& step : hazard.steps) {
      put("<section class=\"access\">\n<h3>{}</h3>\n<p>{}</p>\n", thread_words(step.thread, step.thread_name),
          escaped(step.does));
      if (!step.stack.empty()) snippet(step.stack[0]);
      put("<ul class=\"stack\">\n");
      stack(step.stack);
      put("</ul>\n</section>\n");
    }
    put("</div>\n");
    replay(hazard.confirmation);
    put("</div>\n</details>\n");
  }

  const Findings& findings_;
  std::string base_;
  SourceFiles& sources_;
  std::string out_;
};

}  // namespace

std::string render_html(const Findings& findings, const std::string& version, const std::string& base,
                        SourceFiles& sources) {
  return HtmlReport(findings, base, sources).render(version);
}

}  // namespace norn::report
