#include "report/formats/sarif.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/string_sink.h"
#include "report/json_writer.h"
#include "report/source.h"

namespace norn::report {
namespace {

using Json = nlohmann::ordered_json;

struct SarifRule {
  Standing standing;
  const char* id;
  const char* name;
  const char* level;
  const char* words;
};

// One rule per standing, so that a service can treat them differently.
constexpr SarifRule kRules[] = {
    {Standing::kConfirmed, "norn.race.confirmed", "ConfirmedDataRace", "error",
     "Two threads access the same memory, at least one writes, and a schedule was found that brings them together."},
    {Standing::kObserved, "norn.race.observed", "ObservedDataRace", "error",
     "Two threads accessed the same memory, at least one wrote, and nothing ordered the two accesses."},
    {Standing::kProved, "norn.race.proved", "ProvedDataRace", "error",
     "No execution showed it yet, but one is proved to exist in which nothing orders the two accesses."},
    {Standing::kPredicted, "norn.race.predicted", "PredictedDataRace", "warning",
     "Only the accident of who took a lock first ordered two accesses that share no lock."},
    {Standing::kStatic, "norn.race.static", "StaticDataRace", "note",
     "The program's text alone says that two threads may access the same memory unordered."},
};

size_t rule_index(Standing standing) {
  for (size_t i = 0; i < std::size(kRules); ++i)
    if (kRules[i].standing == standing) return i;
  return 0;
}

struct HazardRule {
  HazardKind kind;
  const char* id;
  const char* name;
  const char* level;  // while it is not confirmed
  const char* title;
  const char* words;
};

// They stand behind those of the races.
constexpr HazardRule kHazardRules[] = {
    {HazardKind::kLockOrder, "norn.lock-order", "LockOrderInversion", "warning", "Lock order inversion",
     "Threads take the same locks in different orders: if each holds one and wants the next, nobody goes on."},
    {HazardKind::kAtomicity, "norn.atomicity", "BrokenAtomicity", "note", "Lock given up between two accesses",
     "A thread accesses a variable in two regions of a lock, and another thread's region may come between them."},
    {HazardKind::kDeadlock, "norn.deadlock", "Deadlock", "error", "Deadlock",
     "Threads waited for each other, or for what nobody was left to do."},
    {HazardKind::kDestroyLocked, "norn.destroy-locked", "DestroyOfLockedMutex", "error", "Destruction of a held lock",
     "A lock was destroyed while it was held."},
    {HazardKind::kUnlockUnlocked, "norn.unlock-unlocked", "UnlockOfUnlockedMutex", "error", "Unlock of a free lock",
     "A lock was unlocked that nobody held."},
    {HazardKind::kUnlockForeign, "norn.unlock-foreign", "UnlockByAnotherThread", "error", "Unlock by another thread",
     "A lock was unlocked by a thread that did not hold it."},
    {HazardKind::kDoubleLock, "norn.double-lock", "DoubleLock", "error", "Double lock",
     "A thread locked a lock that it held and that is not recursive: it waits for itself."},
    {HazardKind::kUseDestroyed, "norn.use-destroyed", "UseOfDestroyedMutex", "error", "Use of a destroyed lock",
     "A lock was used after it was destroyed."},
    {HazardKind::kHeldInWrongContext, "norn.held-in-wrong-context", "MutexHeldInWrongContext", "warning",
     "Lock held in a wrong context", "A lock was held where the program says that none may be."},
    {HazardKind::kThreadLeak, "norn.thread-leak", "ThreadLeak", "warning", "Thread neither joined nor detached",
     "A thread ended that nobody joined or detached: what it took is never given back."},
    {HazardKind::kSignalUnsafe, "norn.signal-unsafe", "SignalUnsafeCall", "warning", "Unsafe call in a signal handler",
     "A signal handler called a function that is not async-signal-safe and that it may have interrupted."},
    {HazardKind::kSignalErrno, "norn.signal-errno", "ErrnoChangedByHandler", "warning", "Handler changes errno",
     "A signal handler changed errno, which the code that it interrupted may be about to look at."},
};

size_t rule_index(HazardKind kind) {
  for (size_t i = 0; i < std::size(kHazardRules); ++i)
    if (kHazardRules[i].kind == kind) return i;
  return 0;
}

// It stands behind all others.
constexpr struct {
  const char* id = "norn.flag";
  const char* name = "FlagNotAtomic";
  const char* level = "note";
  const char* title = "Flag that is not atomic";
  const char* words =
      "A loop of one thread waits until another writes the variable, which is not atomic: the language promises "
      "neither "
      "that the loop will see it nor what is ordered by it.";
} kFlagRule;

// JSON must be UTF-8; names from a program need not be.
std::string clean(std::string_view text) {
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
    for (size_t i = access.thread_created_at.size; i-- > 0;) {
      const bool innermost = i == 0;
      add(access.thread_created_at[i], innermost ? fmt::format("{} is created", thread(access)) : "",
          innermost ? "important" : "unimportant");
    }
    for (size_t i = access.stack.size; i-- > 1;)
      add(access.stack[i], "", access.stack[i].library ? "unimportant" : "important");
    add(site_of(access), sentence(access), "essential");
    return {{"id", fmt::format("{}-thread-{}", number, access.thread)},
            {"message", {{"text", sentence(access)}}},
            {"locations", locations}};
  }

  Json result(const Hazard& hazard) const {
    const HazardRule& rule = kHazardRules[rule_index(hazard.kind)];
    const char* level = standing_of(hazard) == Standing::kConfirmed ? "error" : rule.level;
    const std::string title = clean(hazard.title) + std::string(view(words_of(hazard.kind)));
    Json json = {{"ruleId", rule.id},
                 {"ruleIndex", std::size(kRules) + rule_index(hazard.kind)},
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
    json["partialFingerprints"]["nornRaceId/v1"] = clean(hazard.id.text());
    json["codeFlows"] = Json::array({{{"message", {{"text", "Each thread up to its part."}}}, {"threadFlows", flows}}});
    json["properties"] = properties(hazard);
    return json;
  }

  Json result(const Race& race) const {
    const SarifRule& rule = kRules[rule_index(standing_of(race))];
    const std::string name = clean(collect([&](Sink sink) { put_location_name(race.location, sink); }));
    const Access& first = race.accesses[0];
    const Access& second = race.accesses[1];
    Json json = {
        {"ruleId", rule.id},
        {"ruleIndex", rule_index(standing_of(race))},
        {"level", rule.level},
        {"message",
         {{"text",
           fmt::format("Data race on {}: {}, and [{}](1).", name, sentence(first), link_text(sentence(second)))}}},
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
    json["partialFingerprints"]["nornRaceId/v1"] = clean(race.id.text());
    json["occurrenceCount"] = race.count > 0 ? race.count : 1;
    json["codeFlows"] = Json::array({{{"message", {{"text", "The two threads, each up to its access."}}},
                                      {"threadFlows", Json::array({thread_flow(first, 1), thread_flow(second, 2)})}}});
    if (race.suppressed)
      json["suppressions"] = Json::array({{{"kind", "external"}, {"justification", clean(race.suppressed_by)}}});
    json["properties"] = properties(race);
    if (race.is_flag) {
      json["ruleId"] = kFlagRule.id;
      json["ruleIndex"] = std::size(kRules) + std::size(kHazardRules);
      json["level"] = kFlagRule.level;
      json["message"]["text"] = fmt::format("{} is used as a flag without being atomic: {}, and [{}](1).", name,
                                            sentence(first), link_text(sentence(second)));
      json["properties"]["standing"] = "flag";
      json["properties"]["why"] = clean(kWhyFlag);
    }
    return json;
  }

 private:
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
    std::string words = fmt::format("{} of {} bytes by {}", view(name_of(access.op)), access.size, thread(access));
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

std::string render_sarif(const Findings& findings, const std::string& version, const std::string& base) {
  const SarifReport report(base);
  Json driver = {{"name", "norn"}, {"version", version}, {"rules", Json::array()}};
  for (const SarifRule& rule : kRules)
    driver["rules"].push_back(
        {{"id", rule.id},
         {"name", rule.name},
         {"shortDescription", {{"text", fmt::format("Data race ({})", view(name_of(rule.standing)))}}},
         {"fullDescription", {{"text", rule.words}}},
         {"defaultConfiguration", {{"level", rule.level}}}});
  for (const HazardRule& rule : kHazardRules)
    driver["rules"].push_back({{"id", rule.id},
                               {"name", rule.name},
                               {"shortDescription", {{"text", rule.title}}},
                               {"fullDescription", {{"text", rule.words}}},
                               {"defaultConfiguration", {{"level", rule.level}}}});
  driver["rules"].push_back({{"id", kFlagRule.id},
                             {"name", kFlagRule.name},
                             {"shortDescription", {{"text", kFlagRule.title}}},
                             {"fullDescription", {{"text", kFlagRule.words}}},
                             {"defaultConfiguration", {{"level", kFlagRule.level}}}});

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
  for (const Race& race : findings.races) sarif_run["results"].push_back(report.result(race));
  for (const Hazard& hazard : findings.hazards) sarif_run["results"].push_back(report.result(hazard));
  for (const Race& flag : findings.flags) sarif_run["results"].push_back(report.result(flag));

  const Json sarif = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", Json::array({sarif_run})}};
  return sarif.dump(2) + "\n";
}

}  // namespace norn::report
