#include "runtime/reporting/reporter.h"

#include <errno.h>
#include <fcntl.h>

#include "base/key_set.h"
#include "base/text_hash.h"
#include "runtime/control/what_if.h"
#include "runtime/control/written_files.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/inputs/inputs.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/signals.h"
#include "runtime/openmp/openmp.h"
#include "runtime/process/mode.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/findings_file.h"
#include "runtime/reporting/native_front.h"
#include "runtime/reporting/recording.h"

// A place for a debugger to stop at: the thread that is about to make the access calls it for each new race.
NORN_EXPORT __attribute__((noinline)) void __norn_on_report(const char* id) { asm volatile("" : : "r"(id) : "memory"); }

// The program's own, if it has them (<sanitizer/tsan_interface.h>).
extern "C" __attribute__((weak)) void __tsan_on_report(const void* report);
extern "C" __attribute__((weak)) int __tsan_on_finalize(int failed);
extern "C" __attribute__((weak)) const char* __tsan_default_suppressions();

namespace norn::rt {
namespace {

constexpr size_t kMaxCandidates = size_t{1} << 20;

struct Reported {
  const report::Rule* rule;  // what suppresses it
  bool reported;             // as text
};
constinit Reported* reported = nullptr;  // by candidate
constinit CurrentReport present;         // under the mutex
NORN_TLS __thread const CurrentReport* reporting = nullptr;

// --- flags -----------------------------------------------------------------------------------------------------------

// The pairs of places that were reported as flags, and the variables.
constinit KeySet flag_pairs;
constinit KeySet flag_variables;
constexpr size_t kShownFlags = 5;
constinit char flag_texts[kShownFlags][256] = {};
constinit Text shown_flags[kShownFlags] = {};

// For the summary of a program started by hand.
void note_flag(const report::Race& flag) {
  char bytes[256];
  Buffer name(bytes, sizeof(bytes));
  report::put_location_name(flag.location, name.sink());
  const size_t number = flag_variables.size();
  if (!flag_variables.add(text_hash(name.text())) || number >= kShownFlags) return;
  Buffer text(flag_texts[number], sizeof(flag_texts[number]));
  report::put_flag(flag, NativeFront::text_options(), text.sink());
  shown_flags[number] = text.text();
}

void put_flags() {
  const size_t count = flag_variables.size();
  writer.print(
      [&](Sink sink) { report::put_flags(count, {shown_flags, count < kShownFlags ? count : kShownFlags}, sink); });
}

// --- races -----------------------------------------------------------------------------------------------------------

Reported* reported_of(const Candidate& candidate) {
  return reported == nullptr || candidate.number >= kMaxCandidates ? nullptr : &reported[candidate.number];
}

bool is_suppressed(const Candidate& candidate) {
  const Reported* entry = reported_of(candidate);
  return entry != nullptr && entry->rule != nullptr;
}

uint64_t identity_of(void* /*context*/, StackId where) { return stack_identity(where); }

static_assert(static_cast<unsigned>(report::ValueType::kUnsigned) == NORN_VALUE_UNSIGNED &&
              static_cast<unsigned>(report::ValueType::kSigned) == NORN_VALUE_SIGNED &&
              static_cast<unsigned>(report::ValueType::kFloat) == NORN_VALUE_FLOAT &&
              static_cast<unsigned>(report::ValueType::kBool) == NORN_VALUE_BOOL &&
              static_cast<unsigned>(report::ValueType::kChar) == NORN_VALUE_CHAR &&
              static_cast<unsigned>(report::ValueType::kPointer) == NORN_VALUE_POINTER);

// What the access that was caught finds in memory, for a hook stands before its access, and what it is about to write.
// Only of what the program's code accesses itself, as it says how much that is; the library's functions may be done
// with theirs.
void read_values(const RacingPair& pair, report::Access& access) {
  const bool is_plain = pair.later.kind == AccessKind::kRead || pair.later.kind == AccessKind::kWrite;
  const uint64_t size = NativeFront::size_of(pair.later.where);
  if (!is_plain || size != pair.size || (size != 1 && size != 2 && size != 4 && size != 8)) return;
  if (current_state == nullptr || current_state->id != pair.later.thread) return;
  const uint32_t flags = NativeFront::flags_of(pair.later.where);
  access.values.type = static_cast<report::ValueType>(flags >> NORN_SITE_TYPE_AT & NORN_SITE_TYPE_MASK);
  const ThreadState::Written& written = current_state->written;
  if ((flags & NORN_SITE_SAYS_VALUE) != 0 && address_of(written.at) == pair.address) {
    access.values.has_value = true;
    access.values.value = written.value;
  }
  access.values.has_old_value = sys::copy_memory(pair.address, &access.values.old_value, size);
}

// On the thread that found it, inside the core.
void on_candidate(void* /*context*/, const Candidate& candidate) {
  static constinit report::Race race;
  {
    const SpinLock lock(report_mutex);
    if (writer.is_finished()) return;
    writer.build(candidate, race);
    read_values(candidate.first, race.accesses[0]);
    Reported* entry = reported_of(candidate);
    const report::Rule* rule = writer.suppress(race, entry == nullptr ? nullptr : entry->rule);
    if (entry != nullptr) entry->rule = rule;
    // A prediction may yet be observed: as text it is reported at the end.
    const bool reports = records_findings() || race.detection == report::Detection::kObserved;
    if (reports) writer.put(race);
    if (entry != nullptr && reports) entry->reported = true;
    if (rule != nullptr) return;
    if (__tsan_on_report != nullptr) {
      present = {&candidate, &race};
      reporting = &present;
      __tsan_on_report(reporting);
      reporting = nullptr;
    }
  }
  __norn_on_report(race.id.hex);
  if (start.settings.halt_on_error && report::fails(candidate, start.settings.fail_on)) {
    finish_report(final_status(1));
    if (death_callback != nullptr) death_callback();
    sys::exit_process(final_status(1));
  }
}

// What a program started by hand has not said yet.
void print_rest(int exit_status) {
  static constinit report::Race race;
  report::RaceCounts counts;
  for (const Candidate* candidate = detector.candidates().first(); candidate != nullptr;
       candidate = candidate->next.load(std::memory_order_acquire)) {
    if (writer.count_of(*candidate) == 0) continue;
    writer.build(*candidate, race);
    Reported* entry = reported_of(*candidate);
    race.suppressed = is_suppressed(*candidate);
    counts.add(race);
    if (entry != nullptr && entry->reported) continue;
    writer.put(race);
    if (entry != nullptr) entry->reported = true;
  }
  put_flags();
  const bool wants_stats = (start.settings.verbose & options::kVerboseStats) != 0;
  if (counts.total() == 0 && !wants_stats) return;
  writer.print([&](Sink sink) {
    report::render_text_summary(writer.summary(exit_status, true), counts, NativeFront::text_options(), sink);
  });
}

void put_end(int exit_status, bool becomes_another = false) {
  if (records_findings()) {
    writer.put_end(exit_status, becomes_another);
  } else {
    print_rest(exit_status);
  }
}

// --- start -----------------------------------------------------------------------------------------------------------

// Of the file the user gave.
Text rules_text() {
  const Text path = start.settings.suppressions;
  if (path.empty()) return __tsan_default_suppressions == nullptr ? Text() : Text(__tsan_default_suppressions());
  char name[4096];
  Buffer buffer(name, sizeof(name) - 1);
  buffer.sink().put(path);
  name[buffer.text().size] = '\0';
  const int fd = sys::open_file(name, O_RDONLY | O_NONBLOCK);
  if (fd < 0) refuse("cannot read the suppressions ", path);
  constexpr size_t kMaxFile = size_t{1} << 20;
  auto* contents = static_cast<char*>(memory.allocate_forever(kMaxFile));
  const long size = contents == nullptr ? -1 : sys::read_some(fd, contents, kMaxFile);
  sys::close_file(fd);
  if (size < 0) refuse("cannot read the suppressions ", path);
  if (static_cast<size_t>(size) == kMaxFile) refuse("more than 1 MB of suppressions in ", path);
  return {contents, static_cast<size_t>(size)};
}

void read_suppressions() {
  const Text text = rules_text();
  const size_t count = writer.count_rules(text);
  auto* rules = static_cast<report::Rule*>(memory.allocate_forever((count * sizeof(report::Rule) + 16) & ~size_t{15}));
  if (rules == nullptr) refuse("no memory for the suppressions");
  for (size_t i = 0; i < count; ++i) ::new (&rules[i]) report::Rule();
  timespec now{};
  sys::call(__NR_clock_gettime, CLOCK_REALTIME, sys::as_long(&now));
  report::SuppressionError error;
  if (!writer.read_suppressions(text, start.settings.own_rules, rules, static_cast<report::Day>(now.tv_sec / 86400),
                                error)) {
    refuse("suppressions: ", error.message());
  }
}

void put_reason(Sink sink, int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      sink.put("no right to write there");
      break;
    case ENOENT:
      sink.put("there is no such place any more");
      break;
    case ENOSPC:
    case EDQUOT:
      sink.put("the disk is full");
      break;
    case EFBIG:
      sink.put("files may not grow: ulimit -f");
      break;
    case EMFILE:
    case ENFILE:
      sink.put("too many files are open");
      break;
    default:
      sink.put("error ");
      sink.put(Decimal(static_cast<uint64_t>(error)).text());
  }
}

void put_place(Sink sink, const report::Frame& frame) {
  if (frame.file.empty()) {
    sink.put(frame.function);
    return;
  }
  sink.put(report::base_name(frame.file));
  sink.put(':');
  sink.put(Decimal(frame.line).text());
  sink.put("  ");
  sink.put(frame.function);
}

}  // namespace

constinit void (*death_callback)() = nullptr;

const CurrentReport* current_report() { return reporting; }

Listener report_listener() {
  Listener listener;
  listener.site = &identity_of;
  listener.counts = [](void* /*context*/, const RacingPair& pair) {
    return !frees_what_was_born(pair) && can_race(pair);
  };
  if (start.settings.new_memory) {
    listener.fresh_until = [](void* /*context*/, Address byte, Epoch moment) { return fresh_until(byte, moment); };
  }
  listener.block = [](void* /*context*/, Address byte, Address& begin, Address& end) {
    return block_around(byte, begin, end);
  };
  listener.candidate = &on_candidate;
  listener.note = [](void* /*context*/, const char* text) { report_note(text); };
  return listener;
}

void start_reporter() {
  const Text findings = start.settings.findings;
  const bool for_schedule = !start.settings.outcome.empty();
  if (const int error = findings.empty() ? 0 : open_findings(findings, for_schedule); error != 0) {
    char bytes[4096 + 256];
    Buffer line(bytes, sizeof(bytes));
    line.sink().put("norn: nothing can be recorded in ");
    line.sink().put(findings);
    line.sink().put(" (");
    put_reason(line.sink(), error);
    line.sink().put("): what is found is printed here\n");
    NativeFront::print(line.text());
  }
  reported = static_cast<Reported*>(sys::map(kMaxCandidates * sizeof(Reported)));
  read_suppressions();
  writer.put_start();
}

void report_flag(const RacingPair& pair) {
  static constinit report::Race flag;
  if (start.settings.flags == options::Flags::kRace) return detector.add_race(pair);
  const SpinLock lock(report_mutex);
  const uint64_t sites[] = {stack_identity(pair.earlier.where), stack_identity(pair.later.where)};
  if (writer.is_finished() || !flag_pairs.add(sites[0] * 31 + sites[1])) return;
  writer.build_flag(pair, sites[0], sites[1], flag);
  writer.suppress(flag);
  if (!writer.record(flag) && !flag.suppressed) note_flag(flag);
}

void report_note(const char* text) { writer.put_note(text); }

void report_place(uint32_t identity, const norn_site& site) {
  if (!records_findings()) return;
  char bytes[512];
  char line_of_place[1024];
  Buffer text(bytes, sizeof(bytes));
  put_place(text.sink(), frame_of(site));
  Buffer line(line_of_place, sizeof(line_of_place));
  report::write_place(identity, text.text(), start.pid, line.sink());
  [[maybe_unused]] const bool done = !line.overflowed() && append_finding(line.text());
}

void finish_report(int exit_status) {
  if (sys::pid() != start.pid) return;  // a vfork's child: the memory is its parent's
  if (is_controlled()) control::note_all_written();
  if (inputs::recording) inputs::ended();
  if (asks_what_if && !has_left_out())
    report_note("what_if: nothing was left out, since no lock, barrier or semaphore was used there");
  const RecordingTurn turn;  // what is counted at the end is what was recorded until then
  if (!lock_for_end()) return;
  if (writer.finish()) {
    put_end(exit_status);
    record_end(exit_status);
  }
  report_mutex.unlock();
}

void flush_report() {
  if (sys::pid() != start.pid) return;
  const RecordingTurn turn;
  if (!lock_for_end()) return;
  if (!writer.is_finished()) {
    put_end(0, true);
    record_end(0);
  }
  report_mutex.unlock();
}

void resume_report() {
  if (!records_findings() || sys::pid() != start.pid || writer.is_finished()) return;
  char bytes[128];
  Buffer line(bytes, sizeof(bytes));
  report::write_resumed(start.pid, line.sink());
  [[maybe_unused]] const bool done = append_finding(line.text(), Urgency::kLast);
}

int final_status(int own) {
  if ((records_findings() && !has_lost_silently()) || start.is_child || start.settings.exitcode == 0) return own;
  bool failed = false;
  for (const Candidate* candidate = detector.candidates().first(); candidate != nullptr && !failed;
       candidate = candidate->next.load(std::memory_order_acquire)) {
    failed = !is_suppressed(*candidate) && report::fails(*candidate, start.settings.fail_on);
  }
  if (__tsan_on_finalize != nullptr) failed = __tsan_on_finalize(failed ? 1 : 0) != 0;
  return failed ? static_cast<int>(start.settings.exitcode) : own;
}

void restart_reporter() {
  const uint32_t known = detector.candidates().size();
  for (uint32_t i = 0; reported != nullptr && i < known; ++i) reported[i].reported = false;
  flag_pairs.clear();
  flag_variables.clear();
  writer.restart(known == 0 ? nullptr : static_cast<uint64_t*>(sys::map(known * sizeof(uint64_t))));
}

}  // namespace norn::rt
