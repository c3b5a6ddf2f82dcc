#include "report/formats/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/string_sink.h"
#include "report/json_writer.h"
#include "report/record_reader.h"
#include "report/source.h"
#include "report/words/access_values.h"
#include "report/words/op_names.h"

namespace norn::report {
namespace {

using Json = nlohmann::ordered_json;

// A kind of finding, so that a service can treat it in its own way.
struct SarifRule {
  const char* id;
  const char* name;
  const char* level;
  const char* precision;  // how likely it is no mistake, in the words of code hosts
  const char* title;
  const char* words;
};

// Those of races, in the order of Standing; of hazards, in the order of HazardKind; of flags.
constexpr SarifRule kRules[] = {
    {"norn.race.static", "StaticDataRace", "note", "low", "Data race (static)",
     "The program's text alone says that two threads may access the same memory unordered."},
    {"norn.race.predicted", "PredictedDataRace", "warning", "medium", "Data race (predicted)",
     "Only the accident of who took a lock first ordered two accesses that share no lock."},
    {"norn.race.proved", "ProvedDataRace", "error", "high", "Data race (proved)",
     "No execution showed it yet, but one is proved to exist in which nothing orders the two accesses."},
    {"norn.race.observed", "ObservedDataRace", "error", "very-high", "Data race (observed)",
     "Two threads accessed the same memory, at least one wrote, and nothing ordered the two accesses."},
    {"norn.race.confirmed", "ConfirmedDataRace", "error", "very-high", "Data race (confirmed)",
     "Two threads access the same memory, at least one writes, and a schedule was found that brings them together."},
    // The level of a hazard is the one while it is not confirmed.
    {"norn.lock-order", "LockOrderInversion", "warning", "medium", "Lock order inversion",
     "Threads take the same locks in different orders: if each holds one and wants the next, nobody goes on."},
    {"norn.atomicity", "BrokenAtomicity", "note", "low", "Lock given up between two accesses",
     "A thread accesses a variable in two regions of a lock, and another thread's region may come between them."},
    {"norn.deadlock", "Deadlock", "error", "very-high", "Deadlock",
     "Threads waited for each other, or for what nobody was left to do."},
    {"norn.destroy-locked", "DestroyOfLockedMutex", "error", "very-high", "Destruction of a held lock",
     "A lock was destroyed while it was held."},
    {"norn.unlock-unlocked", "UnlockOfUnlockedMutex", "error", "very-high", "Unlock of a free lock",
     "A lock was unlocked that nobody held."},
    {"norn.unlock-foreign", "UnlockByAnotherThread", "error", "very-high", "Unlock by another thread",
     "A lock was unlocked by a thread that did not hold it."},
    {"norn.double-lock", "DoubleLock", "error", "very-high", "Double lock",
     "A thread locked a lock that it held and that is not recursive: it waits for itself."},
    {"norn.use-destroyed", "UseOfDestroyedMutex", "error", "very-high", "Use of a destroyed lock",
     "A lock was used after it was destroyed."},
    {"norn.held-in-wrong-context", "MutexHeldInWrongContext", "warning", "very-high", "Lock held in a wrong context",
     "A lock was held where the program says that none may be."},
    {"norn.thread-leak", "ThreadLeak", "warning", "very-high", "Thread neither joined nor detached",
     "A thread ended that nobody joined or detached: what it took is never given back."},
    {"norn.signal-unsafe", "SignalUnsafeCall", "warning", "high", "Unsafe call in a signal handler",
     "A signal handler called a function that is not async-signal-safe and that it may have interrupted."},
    {"norn.signal-errno", "ErrnoChangedByHandler", "warning", "high", "Handler changes errno",
     "A signal handler changed errno, which the code that it interrupted may be about to look at."},
    {"norn.flag", "FlagNotAtomic", "note", "high", "Flag that is not atomic",
     "A loop of one thread waits until another writes the variable, which is not atomic: the language promises neither "
     "that the loop will see it nor what is ordered by it."},
};
static_assert(std::size(kRules) == kStandings + std::size(kHazardWords) + 1);

constexpr size_t rule_of(const Race& race) {
  return race.is_flag ? std::size(kRules) - 1 : static_cast<size_t>(standing_of(race));
}
constexpr size_t rule_of(const Hazard& hazard) { return kStandings + static_cast<size_t>(hazard.kind); }

// Of a stack. GitHub keeps the first 1,000 locations of a result's thread flows, and ours are two stacks. An outer
// frame is left out first.
constexpr size_t kMostFrames = 400;

// JSON must be UTF-8; names from a program need not be.
std::string clean(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f; })) return std::string(text);
  return nlohmann::json::parse(collect([&](Sink sink) { JsonWriter(sink).string(text_of(text)); })).get<std::string>();
}
std::string clean(Text text) { return clean(view(text)); }

// In a link's text brackets are escaped (SARIF 2.1.0, 3.11.6).
std::string link_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string uri_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~+@").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

class SarifReport {
 public:
  explicit SarifReport(std::string base) : base_(std::move(base)) {
    if (!base_.empty() && base_.back() != '/') base_ += '/';
  }

  Json artifact(const Frame& frame) const {
    const std::string path = SourceFiles::path(frame);
    if (!base_.empty() && path.starts_with(base_))
      return {{"uri", uri_path(path.substr(base_.size()))}, {"uriBaseId", "SRCROOT"}};
    if (path.starts_with("/")) return {{"uri", "file://" + uri_path(path)}};
    return base_.empty() ? Json{{"uri", uri_path(path)}} : Json{{"uri", uri_path(path)}, {"uriBaseId", "SRCROOT"}};
  }

  Json location(const Frame& frame, const std::string& message = {}) const {
    Json json = Json::object();
    if (!frame.file.empty()) {
      json["physicalLocation"]["artifactLocation"] = artifact(frame);
      if (frame.line > 0) {
        json["physicalLocation"]["region"]["startLine"] = frame.line;
        if (frame.column > 0) json["physicalLocation"]["region"]["startColumn"] = frame.column;
      }
    } else if (!frame.module.empty()) {
      // Without debug information the module is all there is; a code host refuses a result without a file and a line.
      json["physicalLocation"] = {{"artifactLocation", artifact({.file = frame.module})},
                                  {"address", {{"relativeAddress", frame.offset}, {"kind", "instruction"}}},
                                  {"region", {{"startLine", 1}}}};
    }
    if (!frame.function.empty()) {
      json["logicalLocations"] = Json::array({{{"fullyQualifiedName", clean(frame.function)}, {"kind", "function"}}});
    } else if (!frame.module.empty()) {
      json["logicalLocations"] = Json::array(
          {{{"fullyQualifiedName", fmt::format("{}+{:#x}", clean(frame.module), frame.offset)}, {"kind", "module"}}});
    }
    if (!message.empty()) json["message"]["text"] = message;
    return json;
  }

  // A thread flow goes forward in time: the outermost call first.
  Json thread_flow(const Access& access, size_t number) const {
    Json locations = Json::array();
    const auto add = [&](const Frame& frame, const std::string& message, const char* importance) {
      locations.push_back({{"location", location(frame, message)}, {"importance", importance}});
    };
    for (size_t i = std::min(access.thread_created_at.size, kMostFrames / 4); i-- > 0;) {
      const bool innermost = i == 0;
      add(access.thread_created_at[i], innermost ? fmt::format("{} is created", thread(access)) : "",
          innermost ? "important" : "unimportant");
    }
    for (size_t i = std::min(access.stack.size, kMostFrames); i-- > 1;)
      add(access.stack[i], "", access.stack[i].library ? "unimportant" : "important");
    add(site_of(access), sentence(access), "essential");
    return {{"id", fmt::format("{}-thread-{}", number, access.thread)},
            {"message", {{"text", sentence(access)}}},
            {"locations", locations}};
  }

  // The innermost frame first.
  Json stack(List<Frame> frames, const Frame& site, const std::string& message) const {
    Json json = {{"message", {{"text", message}}}, {"frames", Json::array()}};
    const auto add = [&](const Frame& frame) {
      Json one = {{"location", location(frame)}};
      if (!frame.module.empty()) one["module"] = clean(base_name(frame.module));
      json["frames"].push_back(one);
    };
    if (frames.empty()) add(site);
    for (size_t i = 0; i < std::min(frames.size, kMostFrames); ++i) add(frames[i]);
    return json;
  }

  Json result(const Hazard& hazard) const {
    const SarifRule& rule = kRules[rule_of(hazard)];
    const char* level = standing_of(hazard) == Standing::kConfirmed ? "error" : rule.level;
    const std::string title = clean(hazard.title) + std::string(view(words_of(hazard.kind)));
    Json json = {{"ruleId", rule.id},
                 {"ruleIndex", rule_of(hazard)},
                 {"level", level},
                 {"message", {{"text", title + "."}}},
                 {"locations", Json::array()}};
    Json related = Json::array(), flows = Json::array();
    for (size_t i = 0; i < hazard.steps.size; ++i) {
      const HazardStep& step = hazard.steps[i];
      const std::string sentence = fmt::format("{} {}", thread(step.thread, step.thread_name), clean(step.does));
      json["message"]["text"] =
          fmt::format("{}{}{}", json["message"]["text"].get<std::string>(), i == 0 ? " " : "; ", sentence);
      const Json place = location(step.stack.empty() ? Frame{} : step.stack[0], sentence);
      if (i == 0) {
        json["locations"].push_back(place);
      } else {
        related.push_back(place);
        related.back()["id"] = i;
      }
      Json steps = Json::array();
      for (size_t k = step.stack.size; k-- > 1;)
        steps.push_back({{"location", location(step.stack[k])}, {"importance", "important"}});
      steps.push_back({{"location", place}, {"importance", "essential"}});
      flows.push_back({{"id", fmt::format("{}-thread-{}", i + 1, step.thread)},
                       {"message", {{"text", sentence}}},
                       {"locations", steps}});
    }
    if (!related.empty()) json["relatedLocations"] = related;
    json["partialFingerprints"] = fingerprints(hazard.id);
    for (const HazardStep& step : hazard.steps)
      json["stacks"].push_back(stack(step.stack, {}, thread(step.thread, step.thread_name)));
    json["codeFlows"] = Json::array({{{"message", {{"text", "Each thread up to its part."}}}, {"threadFlows", flows}}});
    json["properties"] = properties(hazard);
    return json;
  }

  Json result(const Race& race) const {
    const SarifRule& rule = kRules[rule_of(race)];
    const std::string name = clean(collect([&](Sink sink) { put_location_name(race.location, sink); }));
    const Access& first = race.accesses[0];
    const Access& second = race.accesses[1];
    const std::string title = race.is_flag ? name + " is used as a flag without being atomic" : "Data race on " + name;
    Json json = {
        {"ruleId", rule.id},
        {"ruleIndex", rule_of(race)},
        {"level", level_of(race, rule)},
        {"message",
         {{"text", fmt::format("{}: {}, and [{}](1).", title, sentence(first), link_text(sentence(second)))}}},
        {"locations", Json::array({location(site_of(first))})},
    };
    Json related = location(site_of(second), sentence(second));
    related["id"] = 1;
    json["relatedLocations"] = Json::array({related});
    if (!race.location.allocated_at.empty()) {
      Json allocated = location(race.location.allocated_at[0], "the memory was allocated here");
      allocated["id"] = 2;
      json["relatedLocations"].push_back(allocated);
    }
    json["partialFingerprints"] = fingerprints(race.id);
    json["stacks"] = Json::array(
        {stack(first.stack, site_of(first), sentence(first)), stack(second.stack, site_of(second), sentence(second))});
    json["occurrenceCount"] = race.count > 0 ? race.count : 1;
    json["codeFlows"] = Json::array({{{"message", {{"text", "The two threads, each up to its access."}}},
                                      {"threadFlows", Json::array({thread_flow(first, 1), thread_flow(second, 2)})}}});
    if (race.suppressed)
      json["suppressions"] = Json::array({{{"kind", "external"}, {"justification", clean(race.suppressed_by)}}});
    json["properties"] = properties(race);
    if (race.classification.known()) {
      json["properties"]["class"] = clean(race.classification.name);
      json["properties"]["consequence"] = clean(race.classification.consequence);
      json["properties"]["k"] = race.classification.k;
      json["properties"]["evidence"] = clean(race.classification.evidence);
    }
    if (race.is_flag) {
      json["properties"]["standing"] = "flag";
      json["properties"]["why"] = clean(kWhyFlag);
    }
    return json;
  }

 private:
  // What it does says more than how it was found.
  static const char* level_of(const Race& race, const SarifRule& rule) {
    if (!race.classification.known()) return rule.level;
    if (race.classification.name == Text("spec-violated")) return "error";
    return race.classification.name == Text("output-differs") ? "warning" : "note";
  }

  // GitHub knows results again by the second alone, which it makes of the line if there is none: two races on one line
  // would be one.
  static Json fingerprints(const RaceId& id) {
    return {{"nornRaceId/v1", clean(id.text())}, {"primaryLocationLineHash", clean(id.text()) + ":1"}};
  }

  // Of a race or a hazard: who it is, and the facts.
  template <class Finding>
  static Json properties(const Finding& finding) {
    const Confirmation& confirmation = finding.confirmation;
    Json json = {{"id", clean(finding.id.text())},
                 {"standing", clean(name_of(standing_of(finding)))},
                 {"detection", clean(name_of(finding.detection))}};
    if (confirmation.tried())
      json["confirmation"] = {{"runs", confirmation.runs}, {"confirmed", confirmation.confirmed}};
    if (!confirmation.token.empty()) json["replay"] = clean(confirmation.token);
    return json;
  }

  static std::string thread(uint32_t number, Text name) {
    return name.empty() ? fmt::format("thread {}", number) : fmt::format("thread {} ({})", number, clean(name));
  }
  static std::string thread(const Access& access) { return thread(access.thread, access.thread_name); }

  static std::string sentence(const Access& access) {
    std::string words = fmt::format("{} of {} bytes", view(name_of(access.op)), access.size);
    if (has_values(access)) words += fmt::format(" ({})", collect([&](Sink sink) { put_values(access, sink); }));
    words += " by " + thread(access);
    if (access.locks.empty()) return words + " with no locks held";
    words += " holding ";
    for (size_t i = 0; i < access.locks.size; ++i) {
      const LockHeld& lock = access.locks[i];
      words += fmt::format("{}{}", i > 0 ? ", " : "",
                           lock.name.empty() ? fmt::format("lock {:#x}", lock.address) : clean(lock.name));
    }
    return words;
  }

  std::string base_;
};

}  // namespace

std::string render_sarif(const Findings& findings, const std::string& version, const std::string& base,
                         size_t most_results) {
  const SarifReport report(base);
  Json driver = {{"name", "norn"},
                 {"fullName", "norn " + version},
                 {"version", version},
                 {"semanticVersion", version},
                 {"rules", Json::array()}};
  for (const SarifRule& rule : kRules)
    driver["rules"].push_back(
        {{"id", rule.id},
         {"name", rule.name},
         {"shortDescription", {{"text", std::string(rule.title) + "."}}},
         {"fullDescription", {{"text", rule.words}}},
         {"help",
          {{"text", std::string(rule.words) +
                        " Type norn show with the id for all that is known of it, norn confirm to see whether a "
                        "schedule brings it about, norn accept to silence it with a reason."}}},
         {"defaultConfiguration", {{"level", rule.level}}},
         {"properties",
          {{"tags", {"concurrency", "correctness"}},
           {"precision", rule.precision},
           {"problem.severity", std::string_view(rule.level) == "note" ? "recommendation" : rule.level}}}});

  const RunSummary& run = findings.run;
  Json invocation = {{"executionSuccessful", true}, {"exitCode", run.exit}};
  if (!run.command.empty()) {
    std::string command;
    for (const Text& argument : run.command) command += (command.empty() ? "" : " ") + clean(argument);
    invocation["commandLine"] = command;
  }
  for (const Text& note : run.notes)
    invocation["toolExecutionNotifications"].push_back({{"level", "note"}, {"message", {{"text", clean(note)}}}});

  Json sarif_run = {{"tool", {{"driver", driver}}},
                    {"invocations", Json::array({invocation})},
                    {"columnKind", "unicodeCodePoints"},
                    {"results", Json::array()}};
  if (!base.empty())
    sarif_run["originalUriBaseIds"]["SRCROOT"]["uri"] = "file://" + uri_path(base) + (base.back() == '/' ? "" : "/");
  Json& results = sarif_run["results"];
  size_t left_out = 0;
  const auto add = [&](const auto& finding) {
    if (results.size() == most_results) return void(++left_out);
    results.push_back(report.result(finding));
  };
  // The strongest first.
  std::for_each(findings.races.begin(), findings.races.end(), add);
  std::for_each(findings.hazards.begin(), findings.hazards.end(), add);
  std::for_each(findings.flags.begin(), findings.flags.end(), add);
  if (left_out > 0)
    sarif_run["invocations"][0]["toolExecutionNotifications"].push_back(
        {{"level", "warning"},
         {"message", {{"text", fmt::format("{} more findings were left out: code hosts take no more.", left_out)}}}});

  const Json sarif = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", Json::array({sarif_run})}};
  return sarif.dump(2) + "\n";
}

}  // namespace norn::report
