#include "report/formats/tsan_text.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/string_sink.h"
#include "report/record_reader.h"
#include "report/source.h"

namespace norn::report {
namespace {

// What ThreadSanitizer calls a hazard (ReportTypeString in its tsan_report.cpp).
std::string_view tsan_words_of(HazardKind kind) {
  switch (kind) {
    case HazardKind::kLockOrder:
    case HazardKind::kDeadlock:
      return "lock-order-inversion (potential deadlock)";
    case HazardKind::kAtomicity:
      return "atomicity violation";  // norn's own
    case HazardKind::kDestroyLocked:
      return "destroy of a locked mutex";
    case HazardKind::kUnlockUnlocked:
    case HazardKind::kUnlockForeign:
      return "unlock of an unlocked mutex (or by a wrong thread)";
    case HazardKind::kDoubleLock:
      return "double lock of a mutex";
    case HazardKind::kUseDestroyed:
      return "use of an invalid mutex (e.g. uninitialized or destroyed)";
    case HazardKind::kHeldInWrongContext:
      return "mutex held in the wrong context";
    case HazardKind::kThreadLeak:
      return "thread leak";
    case HazardKind::kSignalUnsafe:
      return "signal-unsafe call inside of a signal";
    case HazardKind::kSignalErrno:
      return "signal handler spoils errno";
  }
  return "";
}

// Lines end where the report says; nothing that the program chose may begin one.
std::string clean(Text text) {
  std::string out(view(text));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return out;
}

class TsanReport {
 public:
  explicit TsanReport(const Findings& findings) : findings_(findings) {}

  std::string render() {
    size_t warnings = 0;
    for (const Race& race : findings_.races) {
      if (race.suppressed || !is_certain(standing_of(race))) continue;
      ++warnings;
      put_race(race);
    }
    for (const Hazard& hazard : findings_.hazards) {
      if (standing_of(hazard) < Standing::kObserved && hazard.kind != HazardKind::kLockOrder) continue;
      ++warnings;
      put_hazard(hazard);
    }
    if (warnings > 0) put("ThreadSanitizer: reported {} warnings\n", warnings);
    return std::move(out_);
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  // norn counts from 1, ThreadSanitizer from T0, which is the main thread.
  static std::string thread(uint32_t number) {
    return number <= 1 ? "main thread" : fmt::format("thread T{}", number - 1);
  }
  static std::string address(uint64_t value) { return fmt::format("{:#014x}", value); }

  static std::string place(const Frame& frame) {
    if (frame.file.empty()) return "<null>";
    std::string words = clean(text_of(SourceFiles::path(frame)));
    if (frame.line != 0) words += fmt::format(":{}", frame.line);
    if (frame.line != 0 && frame.column != 0) words += fmt::format(":{}", frame.column);
    return words;
  }
  static std::string function(const Frame& frame) { return frame.function.empty() ? "<null>" : clean(frame.function); }

  void put_stack(List<Frame> frames, const Frame& site = {}) {
    const List<Frame> alone{&site, site.known() ? size_t{1} : 0};
    size_t number = 0;
    for (const Frame& frame : frames.empty() ? alone : frames) {
      put("    #{} {} {}", number++, function(frame), place(frame));
      if (!frame.module.empty()) put(" ({}+{:#x})", clean(base_name(frame.module)), frame.offset);
      put("\n");
    }
    if (number == 0) put("    [failed to restore the stack]\n");
    put("\n");
  }

  size_t number_of(const LockHeld& lock) {
    return locks_.emplace(lock.name.empty() ? fmt::format("{:#x}", lock.address) : clean(lock.name), locks_.size())
        .first->second;
  }

  void put_access(const Access& access, uint64_t at, bool is_previous) {
    const bool is_atomic = access.op == Op::kAtomicRead || access.op == Op::kAtomicWrite;
    const bool is_read = access.op == Op::kRead || access.op == Op::kAtomicRead;
    std::string does = is_atomic ? (is_read ? "atomic read" : "atomic write") : is_read ? "read" : "write";
    if (!is_previous) does[0] = static_cast<char>(does[0] - 'a' + 'A');
    put("  {}{} of size {} at {} by {}", is_previous ? "Previous " : "", does, access.size, address(at),
        thread(access.thread));
    if (!access.locks.empty()) {
      put(" (mutexes:");
      for (size_t i = 0; i < access.locks.size; ++i)
        put("{} {} M{}", i > 0 ? "," : "", access.locks[i].mode == HeldMode::kShared ? "read" : "write",
            number_of(access.locks[i]));
      put(")");
    }
    put(":\n");
    put_stack(access.stack, access.site);
  }

  void put_location(const Location& location) {
    const uint64_t begin = location.address - location.offset;
    const std::string owner = thread(location.owner);
    switch (location.kind) {
      case LocationKind::kGlobal:
        put("  Location is global '{}' of size {} at {}\n\n",
            clean(location.object.empty() ? location.name : location.object), location.object_size, address(begin));
        break;
      case LocationKind::kHeap:
        put("  Location is heap block of size {} at {} allocated by {}:\n", location.object_size, address(begin),
            location.has_owner ? owner : "main thread");
        put_stack(location.allocated_at);
        break;
      case LocationKind::kStack:
        put("  Location is stack of {}.\n\n", owner);
        break;
      case LocationKind::kTls:
        put("  Location is TLS of {}.\n\n", owner);
        break;
      case LocationKind::kUnknown:
        break;
    }
  }

  void put_locks(const Access& access, std::set<size_t>& shown) {
    for (const LockHeld& lock : access.locks) {
      const size_t number = number_of(lock);
      if (!shown.insert(number).second) continue;
      put("  Mutex M{} ({}) taken at:\n", number, address(lock.address));
      put_stack({}, lock.taken_at);
    }
  }

  void put_thread(const Access& access, std::set<uint32_t>& shown) {
    if (access.thread_created_at.empty() || !shown.insert(access.thread).second) return;
    put("  Thread T{}{} created at:\n", access.thread - 1,
        access.thread_name.empty() ? "" : fmt::format(" '{}'", clean(access.thread_name)));
    put_stack(access.thread_created_at);
  }

  void begin(std::string_view what) {
    put("==================\nWARNING: ThreadSanitizer: {} (pid={})\n", what, findings_.run.pid);
  }
  void end(std::string_view what, const Frame& frame) {
    put("SUMMARY: ThreadSanitizer: {} {} in {}\n==================\n", what, place(frame), function(frame));
  }

  void put_race(const Race& race) {
    begin("data race");
    locks_.clear();
    const auto& [now, before] = race.accesses;
    put_access(now, race.location.address, false);
    put_access(before, race.location.address, true);
    put_location(race.location);
    std::set<size_t> locks;
    std::set<uint32_t> threads;
    for (const Access& access : race.accesses) put_locks(access, locks);
    for (const Access& access : race.accesses) put_thread(access, threads);
    end("data race", site_of(now));
  }

  void put_hazard(const Hazard& hazard) {
    const std::string_view what = tsan_words_of(hazard.kind);
    begin(what);
    for (const HazardStep& step : hazard.steps) {
      put("  {} in {}:\n", clean(step.does), thread(step.thread));
      put_stack(step.stack);
    }
    const bool has_place = !hazard.steps.empty() && !hazard.steps[0].stack.empty();
    end(what, has_place ? hazard.steps[0].stack[0] : Frame{});
  }

  const Findings& findings_;
  std::map<std::string, size_t> locks_;  // of one report, by name
  std::string out_;
};

}  // namespace

std::string render_tsan_text(const Findings& findings) { return TsanReport(findings).render(); }

}  // namespace norn::report
