#include "report/formats/valgrind_xml.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/string_sink.h"
#include "report/json_writer.h"
#include "report/record_reader.h"
#include "report/source.h"
#include "report/words/access_values.h"
#include "report/words/markup.h"
#include "report/words/op_names.h"

namespace norn::report {
namespace {

class XmlReport {
 public:
  explicit XmlReport(const Findings& findings) : findings_(findings) {}

  std::string render(const std::string& version) {
    const RunSummary& run = findings_.run;
    out_ = "<?xml version=\"1.0\"?>\n\n<valgrindoutput>\n\n";
    put("<protocolversion>4</protocolversion>\n<protocoltool>helgrind</protocoltool>\n\n");
    put("<preamble>\n  <line>norn {}, a data-race detector</line>\n  <line>Command: {}</line>\n</preamble>\n\n",
        escaped(version), escaped(run.program));
    put("<pid>{}</pid>\n<ppid>{}</ppid>\n<tool>helgrind</tool>\n\n", run.pid, run.parent);
    put("<args>\n  <vargv>\n    <exe>norn</exe>\n  </vargv>\n  <argv>\n");
    put("    <exe>{}</exe>\n", escaped(run.command.empty() ? run.program : run.command[0]));
    for (size_t i = 1; i < run.command.size; ++i) put("    <arg>{}</arg>\n", escaped(run.command[i]));
    put("  </argv>\n</args>\n\n");
    status("RUNNING", 0);
    for (const Race& race : findings_.races) {
      if (race.suppressed) {
        ++suppressed_[escaped(race.suppressed_by)];
        continue;
      }
      for (const Access& access : race.accesses) announce(access);
      error(race);
    }
    for (const Hazard& hazard : findings_.hazards) error(hazard);
    put("\n");
    status("FINISHED", run.stats.microseconds / 1000);
    put("<errorcounts>\n");
    for (const Race& race : findings_.races) {
      if (!race.suppressed)
        put("  <pair>\n    <count>{}</count>\n    <unique>0x{}</unique>\n  </pair>\n", race.count,
            escaped(race.id.text()));
    }
    for (const Hazard& hazard : findings_.hazards)
      put("  <pair>\n    <count>1</count>\n    <unique>0x{}</unique>\n  </pair>\n", escaped(hazard.id.text()));
    put("</errorcounts>\n\n<suppcounts>\n");
    for (const auto& [name, count] : suppressed_)
      put("  <pair>\n    <count>{}</count>\n    <name>{}</name>\n  </pair>\n", count, name);
    put("</suppcounts>\n\n</valgrindoutput>\n");
    return std::move(out_);
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void status(const char* state, uint64_t milliseconds) {
    const uint64_t seconds = milliseconds / 1000;
    put("<status>\n  <state>{}</state>\n  <time>{:02}:{:02}:{:02}:{:02}.{:03} </time>\n</status>\n\n", state,
        seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60, milliseconds % 1000);
  }

  void frame(const Frame& frame) {
    put("    <frame>\n      <ip>0x{:X}</ip>\n", frame.offset);
    if (!frame.module.empty()) put("      <obj>{}</obj>\n", escaped(frame.module));
    if (!frame.function.empty()) put("      <fn>{}</fn>\n", escaped(frame.function));
    if (!frame.file.empty()) {
      const std::string path = SourceFiles::path(frame);
      const size_t slash = path.rfind('/');
      if (slash != std::string::npos && slash > 0) put("      <dir>{}</dir>\n", escaped(path.substr(0, slash)));
      put("      <file>{}</file>\n", escaped(slash == std::string::npos ? path : path.substr(slash + 1)));
      if (frame.line != 0) put("      <line>{}</line>\n", frame.line);
    }
    put("    </frame>\n");
  }

  // The protocol wants at least one frame.
  void stack(List<Frame> frames, const Frame& site) {
    put("  <stack>\n");
    if (frames.empty()) frame(site);
    for (const Frame& item : frames) frame(item);
    put("  </stack>\n");
  }

  void announce(const Access& access) {
    if (!announced_.insert(access.thread).second) return;
    put("<announcethread>\n  <hthreadid>{}</hthreadid>\n", access.thread);
    if (access.thread_created_at.empty()) {
      put("  <isrootthread></isrootthread>\n");
    } else {
      stack(access.thread_created_at, {});
    }
    put("</announcethread>\n\n");
  }

  // "write (3 → 4) by thread #2 holding audit_mutex"
  static std::string side(const Access& access) {
    std::string words(view(name_of(access.op)));
    if (has_values(access)) words += fmt::format(" ({})", collect([&](Sink sink) { put_values(access, sink); }));
    words += fmt::format(" by thread #{} ", access.thread);
    if (access.locks.empty()) return words + "no locks held";
    words += "holding ";
    for (size_t i = 0; i < access.locks.size; ++i) {
      const LockHeld& lock = access.locks[i];
      words += fmt::format("{}{}", i > 0 ? ", " : "",
                           lock.name.empty() ? fmt::format("lock {:#x}", lock.address) : std::string(view(lock.name)));
    }
    return words;
  }

  // What a schedule showed of it, if one was tried.
  template <class Finding>
  static std::string confirmation(const Finding& finding) {
    if (!finding.confirmation.tried()) return "";
    const Text token = finding.confirmation.token;
    return ", " + collect([&](Sink sink) { put_standing(finding, sink); }) +
           (token.empty() ? "" : fmt::format(" (norn replay {})", escaped(token)));
  }

  // What it does, if somebody looked.
  static std::string classification(const Race& race) {
    const Classification& known = race.classification;
    if (!known.known()) return "";
    return escaped(collect([&](Sink sink) { put_class(race, ", ", sink); })) +
           (known.evidence.empty() ? "" : fmt::format(" (norn replay {})", escaped(known.evidence)));
  }

  void begin_error(const RaceId& id, uint32_t thread, Text name, const char* kind) {
    put("<error>\n  <unique>0x{}</unique>\n  <tid>{}</tid>\n", escaped(id.text()), thread);
    if (!name.empty()) put("  <threadname>{}</threadname>\n", escaped(name));
    put("  <kind>{}</kind>\n", kind);
  }

  // As the protocol's list for helgrind has it.
  static const char* kind_of(HazardKind kind) {
    switch (kind) {
      case HazardKind::kLockOrder:
        return "LockOrder";
      case HazardKind::kUnlockUnlocked:
        return "UnlockUnlocked";
      case HazardKind::kUnlockForeign:
        return "UnlockForeign";
      default:
        return "Misc";
    }
  }

  void error(const Race& race) {
    const Access& first = race.accesses[0];
    const Access& second = race.accesses[1];
    const Location& location = race.location;
    begin_error(race.id, first.thread, first.thread_name, "Race");
    put("  <xwhat>\n    <text>Possible data race during {} of size {} at 0x{:X} by thread #{}</text>\n",
        view(row_of(first.op).valgrind), first.size, location.address, first.thread);
    put("    <hthreadid>{}</hthreadid>\n  </xwhat>\n", first.thread);
    stack(first.stack, site_of(first));
    put("  <xauxwhat>\n    <text>This conflicts with a previous {} of size {} by thread #{}</text>\n",
        view(row_of(second.op).valgrind), second.size, second.thread);
    put("    <hthreadid>{}</hthreadid>\n  </xauxwhat>\n", second.thread);
    stack(second.stack, site_of(second));

    const Text object = location.object.empty() ? location.name : location.object;
    if (location.kind == LocationKind::kHeap) {
      put("  <auxwhat>Address 0x{:x} is {} bytes inside a block of size {} alloc'd</auxwhat>\n", location.address,
          location.offset, location.object_size);
      if (!location.allocated_at.empty()) stack(location.allocated_at, {});
      if (location.has_owner) put("  <auxwhat>Block was alloc'd by thread #{}</auxwhat>\n", location.owner);
    } else if (location.kind == LocationKind::kStack && location.has_owner) {
      put("  <auxwhat>Address 0x{:x} is on thread #{}'s stack</auxwhat>\n", location.address, location.owner);
    } else if (!object.empty()) {
      put("  <auxwhat>Address 0x{:x} is {} bytes inside data symbol \"{}\"</auxwhat>\n", location.address,
          location.offset, escaped(object));
    }
    put("  <auxwhat>norn: {} {}, {}, {}, R{}{}{}</auxwhat>\n", view(name_of(standing_of(race))),
        location.name.empty() ? std::string("race") : "race on " + escaped(location.name), escaped(side(first)),
        escaped(side(second)), escaped(race.id.text()), confirmation(race), classification(race));
    put("</error>\n\n");
  }

  void error(const Hazard& hazard) {
    const HazardStep first = hazard.steps.empty() ? HazardStep{} : hazard.steps[0];
    begin_error(hazard.id, first.thread, first.thread_name, kind_of(hazard.kind));
    put("  <what>{}{}</what>\n", escaped(hazard.title), view(words_of(hazard.kind)));
    if (hazard.steps.empty()) stack({}, {});
    for (size_t i = 0; i < hazard.steps.size; ++i) {
      const HazardStep& step = hazard.steps[i];
      // The first stack belongs to the error itself.
      if (i > 0) put("  <auxwhat>thread #{} {}</auxwhat>\n", step.thread, escaped(step.does));
      stack(step.stack, {});
    }
    if (!hazard.steps.empty())
      put("  <auxwhat>norn: {}, thread #{} {}, R{}{}</auxwhat>\n", view(name_of(standing_of(hazard))),
          hazard.steps[0].thread, escaped(hazard.steps[0].does), escaped(hazard.id.text()), confirmation(hazard));
    put("</error>\n\n");
  }

  const Findings& findings_;
  std::string out_;
  std::set<uint32_t> announced_;
  std::map<std::string, size_t> suppressed_;
};

}  // namespace

std::string render_valgrind_xml(const Findings& findings, const std::string& version) {
  return XmlReport(findings).render(version);
}

}  // namespace norn::report
