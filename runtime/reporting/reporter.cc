#include "runtime/reporting/reporter.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "base/key_set.h"
#include "report/finding.h"
#include "report/record.h"
#include "report/suppression.h"
#include "report/text_report.h"
#include "runtime/control/slots.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/descriptors.h"
#include "runtime/intercept/hidden.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/signals.h"
#include "runtime/intercept/threads.h"
#include "runtime/memory/blocks.h"
#include "runtime/openmp/openmp.h"
#include "runtime/process/modules.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/findings_file.h"
#include "runtime/reporting/hazards.h"
#include "runtime/reporting/locate.h"

// A place for a debugger to stop at: the thread that is about to make the access calls it for each new race.
NORN_EXPORT __attribute__((noinline)) void __norn_on_report(const char* id) { asm volatile("" : : "r"(id) : "memory"); }

// The program's own, if it has them (<sanitizer/tsan_interface.h>).
extern "C" __attribute__((weak)) void __tsan_on_report(const void* report);
extern "C" __attribute__((weak)) int __tsan_on_finalize(int failed);
extern "C" __attribute__((weak)) const char* __tsan_default_suppressions();

namespace norn::rt {
namespace {

using report::Frame;

constexpr size_t kMaxFrames = 160;
constexpr size_t kMaxLocks = 16;
constexpr size_t kMaxCandidates = size_t{1} << 20;
constexpr size_t kLine = 1 << 17;

// One report at a time is built, here: a thread that finds a race may have little stack.
constinit SpinMutex mutex;
constinit Frame stacks[2][kMaxFrames] = {};
constinit Frame creations[2][kMaxFrames] = {};
constinit Frame allocation[kMaxFrames] = {};
constinit Frame stack_frame = {};
constinit report::LockHeld locks[2][kMaxLocks] = {};
constinit char texts[1 << 14] = {};
constinit TextPool pool(texts, sizeof(texts));
constinit char line_bytes[kLine] = {};

struct Told {
  const report::Rule* rule;  // what suppresses it
  bool told;                 // as text
};
constinit Told* told = nullptr;  // by candidate
constinit report::CountsSinceFork since_fork;
constinit bool finished = false;
constinit report::Rule* rules = nullptr;
alignas(report::Suppressions) constinit char suppressions_bytes[sizeof(report::Suppressions)] = {};
constinit report::Suppressions* suppressions = nullptr;
constinit const char* notes[16] = {};
constinit std::atomic<unsigned> note_count{0};
constinit CurrentReport present;  // under the mutex
NORN_TLS __thread const CurrentReport* reporting = nullptr;

// --- building ----------------------------------------------------------------------------------------------------

Frame frame_of(const norn_site& site) {
  Frame frame;
  if (site.function != nullptr) frame.function = site.function;
  if (site.file != nullptr) frame.file = site.file;
  if (site.directory != nullptr) frame.directory = site.directory;
  frame.line = site.line;
  frame.column = site.column;
  if (const char* path = module_of(&site); path != nullptr) frame.module = path;
  frame.library = (site.flags & NORN_SITE_LIBRARY) != 0;
  return frame;
}

List<Frame> frames_of(Where where, Frame (&frames)[kMaxFrames]) {
  size_t count = 0;
  for_each_site(where, [&](const norn_site& site) {
    frames[count++] = frame_of(site);
    return count < kMaxFrames;
  });
  return {frames, count};
}

// The innermost site of the user's own code; the innermost one if there is none.
const norn_site* own_site(Where where) {
  const norn_site* found = nullptr;
  for_each_site(where, [&](const norn_site& site) {
    if (found == nullptr) found = &site;
    if ((site.flags & NORN_SITE_LIBRARY) != 0) return true;
    found = &site;
    return false;
  });
  return found;
}

const norn_site* innermost_site(Where where) {
  const PlaceNode* at = place_node(where);
  return at == nullptr ? nullptr : at->site.load(std::memory_order_acquire);
}

Text expression_of(Where where) {
  const norn_site* site = own_site(where);
  if (site != nullptr && site->expression != nullptr) return site->expression;
  site = innermost_site(where);
  return site != nullptr && site->expression != nullptr ? Text(site->expression) : Text();
}

Text thread_name(ThreadId id) {
  const ThreadInfo* info = thread_info(id);
  return info == nullptr ? Text() : Text(info->name);
}

// A variable that is known by its address, with what the two threads were doing.
bool locate_variable(Address address, uint64_t size, const report::Access (&accesses)[2], report::Location& location,
                     Frame& frame) {
  if (locate_global(address, size, location, pool)) return true;
  const SeenStack seen[] = {{accesses[0].thread, accesses[0].stack}, {accesses[1].thread, accesses[1].stack}};
  return locate_local(address, size, seen, location, frame, pool);
}

List<report::LockHeld> locks_of(const RacingAccess& racing, const report::Access (&accesses)[2],
                                report::LockHeld (&held)[kMaxLocks]) {
  Locksets& locksets = detector.locksets();
  size_t count = 0;
  for (unsigned i = 0; i < locksets.size(racing.lockset) && count < kMaxLocks; ++i) {
    const LockId lock = locksets.lock_at(racing.lockset, i);
    const LockInfo* info = detector.lock_info(lock);
    if (info == nullptr) continue;
    report::LockHeld& entry = held[count++];
    entry = {};
    entry.address = info->address;
    entry.mode = locksets.mode_at(racing.lockset, i) == LockMode::kShared ? report::HeldMode::kShared
                                                                          : report::HeldMode::kExclusive;
    const Where where =
        detector.lock_taken_at(lock, racing.thread, current_state == nullptr ? nullptr : current_state->core);
    if (const norn_site* site = own_site(where); site != nullptr) entry.taken_at = frame_of(*site);
    report::Location location;
    Frame frame;
    if (locate_variable(info->address, 1, accesses, location, frame)) {
      entry.name = location.name.empty() ? location.object : location.name;
    } else {
      entry.name = expression_of(where);
    }
  }
  return {held, count};
}

void build_access(const RacingAccess& racing, unsigned which, uint64_t common, report::Access& access) {
  access = {};
  access.op = report::op_of(racing.kind);
  const norn_site* site = innermost_site(racing.where);
  access.size = site != nullptr && site->size != 0 ? site->size : common;
  access.thread = racing.thread;
  access.thread_name = thread_name(racing.thread);
  if (const ThreadInfo* info = thread_info(racing.thread); info != nullptr) {
    access.thread_created_at = frames_of(info->created_at, creations[which]);
  }
  access.stack = frames_of(racing.where, stacks[which]);
  access.stack_lost = access.stack.empty();
  if (const norn_site* own = own_site(racing.where); own != nullptr) access.site = frame_of(*own);
  access.expression = expression_of(racing.where);
  access.site_id = place_identity(racing.where);
}

void build_location(const RacingPair& pair, const report::Access (&accesses)[2], report::Location& location) {
  location = {};
  location.address = pair.address;
  location.size = pair.size;
  for (const report::Access& access : accesses) {
    const bool is_one_access = access.size <= 16 && !is_of_block(access.op);
    if (is_one_access && access.size > location.size) location.size = access.size;
  }
  if (locate_hidden(pair.address, location) || locate_file(pair.address, location, pool)) return;
  const bool is_variable = locate_variable(pair.address, location.size, accesses, location, stack_frame);
  // What the two statements call it; a free names the whole block.
  for (const report::Access& access : accesses) {
    if (location.name.empty() && !is_of_block(access.op)) location.name = access.expression;
  }
  if (is_variable) {
    if (location.name.empty()) location.name = location.object;
    if (location.kind == report::LocationKind::kStack) {
      const ThreadId owner = thread_of_stack(pair.address);
      report::belongs_to(location, owner, thread_name(owner));
    }
    return;
  }
  if (Block block; find_block(pair.address, block)) {
    location.kind = report::LocationKind::kHeap;
    location.object_size = block.size;
    location.offset = pair.address - block.address;
    location.allocated_at = frames_of(block.where, allocation);
    report::belongs_to(location, block.thread, thread_name(block.thread));
    return;
  }
  if (const ThreadId owner = thread_of_stack(pair.address); owner != kNoThread) {
    location.kind = report::LocationKind::kStack;
    report::belongs_to(location, owner, thread_name(owner));
  }
}

void build_pair(const RacingPair& pair, report::Race& race) {
  build_access(pair.later, 0, pair.size, race.accesses[0]);
  build_access(pair.earlier, 1, pair.size, race.accesses[1]);
  race.accesses[0].locks = locks_of(pair.later, race.accesses, locks[0]);
  race.accesses[1].locks = locks_of(pair.earlier, race.accesses, locks[1]);
  build_location(pair, race.accesses, race.location);
  report::complete(race);
}

void build_race(const Candidate& candidate, report::Race& race) {
  pool.clear();
  race = {};
  report::describe(candidate, since_fork, race);
  build_pair(candidate.first, race);
}

report::RunSummary summary(int exit_status, bool ended) {
  static constinit report::NamedCount sync[1] = {};
  static constinit Text note_texts[16] = {};
  report::RunSummary run;
  run.program = start.command_count > 0 ? start.command[0] : start.program;
  run.command = {start.command, start.command_count};
  run.front_end = "native";
  run.pid = start.pid;
  run.parent = start.parent;
  run.exit = exit_status;
  run.ended = ended;
  report::describe(since_fork.of(detector.statistics()), start.settings.engine, sync, run);
  if (!ended) return run;  // the rest is for the end, and asks the kernel and the clock, which not every thread may
  run.stats.microseconds = sys::now() - start.time;
  rusage usage{};
  if (!sys::restricted.load(std::memory_order_relaxed) &&
      sys::call(__NR_getrusage, RUSAGE_SELF, sys::as_long(&usage)) == 0) {
    run.stats.peak_rss = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  }
  const unsigned count = note_count.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count && i < 16; ++i) note_texts[i] = notes[i];
  run.notes = {note_texts, count < 16 ? count : 16};
  return run;
}

// --- writing -----------------------------------------------------------------------------------------------------

void append_log(Text text) {
  if (text.empty()) return;
  if (start.settings.log_path.empty() || start.settings.log_path == "stderr" || start.settings.log_path == "stdout") {
    write_all_quietly(start.settings.log_path == "stdout" ? 1 : 2, text.data, text.size);
    return;
  }
  char path[4096 + 16];
  Buffer name(path, sizeof(path) - 1);
  name.sink().put(start.settings.log_path);
  name.sink().put('.');
  name.sink().put(Decimal(start.pid).text());
  path[name.text().size] = '\0';
  int fd = sys::open_file(path, O_WRONLY | O_APPEND | O_CREAT);
  if (fd < 0) {
    // A device, or a directory that cannot be written to.
    Buffer plain(path, sizeof(path) - 1);
    plain.sink().put(start.settings.log_path);
    path[plain.text().size] = '\0';
    fd = sys::open_file(path, O_WRONLY | O_APPEND);
  }
  if (fd < 0) return;
  write_all_quietly(fd, text.data, text.size);
  sys::close_file(fd);
}

// For the text report: the statement itself.
size_t read_source_line(void* /*context*/, const Frame& frame, char* buffer, size_t capacity) {
  static constinit char path[4096] = {};
  static constinit char bytes[1 << 14] = {};
  Buffer name(path, sizeof(path) - 1);
  if (!frame.directory.empty() && !frame.file.starts_with("/")) {
    name.sink().put(frame.directory);
    name.sink().put('/');
  }
  name.sink().put(frame.file);
  path[name.text().size] = '\0';
  if (frame.line == 0 || frame.file.empty() || name.overflowed()) return 0;
  if (sys::restricted.load(std::memory_order_relaxed)) return 0;  // to open a file may end the program
  const int fd = sys::open_file(path, O_RDONLY | O_NONBLOCK);
  if (fd < 0) return 0;
  uint32_t line = 1;
  size_t used = 0;
  bool done = false;
  while (!done) {
    const long got = sys::call(__NR_read, fd, sys::as_long(bytes), sizeof(bytes));
    if (got <= 0) break;
    for (long i = 0; i < got && !done; ++i) {
      if (bytes[i] == '\n') {
        done = line++ == frame.line;
      } else if (line == frame.line) {
        if (used < capacity) buffer[used++] = bytes[i];
      }
    }
  }
  sys::close_file(fd);
  return used;
}

report::TextOptions text_options() {
  report::TextOptions options;
  options.color = start.colour;
  options.base = start.directory;
  options.read_source = &read_source_line;
  options.next = report::Next::kRun;
  return options;
}

// A race that cannot be recorded is told as text, and counted.
void put_race(const report::Race& race) {
  if (records_findings()) {
    const Text line = report::format_race(race, start.pid, line_bytes, sizeof(line_bytes));
    if (!line.empty() && append_finding(line)) return;
    if (!race.suppressed && report::fails(race.detection, start.settings.fail_on)) count_lost_finding(start.pid);
  }
  if (race.suppressed) return;
  Buffer text(line_bytes, sizeof(line_bytes));
  report::render_text(race, summary(0, false), text_options(), text.sink());
  append_log(text.text());
}

// --- flags -----------------------------------------------------------------------------------------------------------

// The pairs of places that were told as flags, and the variables.
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
  if (!flag_variables.add(report::text_hash(name.text())) || number >= kShownFlags) return;
  Buffer text(flag_texts[number], sizeof(flag_texts[number]));
  report::put_flag(flag, text_options(), text.sink());
  shown_flags[number] = text.text();
}

void put_flags() {
  const size_t count = flag_variables.size();
  Buffer line(line_bytes, sizeof(line_bytes));
  report::put_flags(count, {shown_flags, count < kShownFlags ? count : kShownFlags}, line.sink());
  append_log(line.text());
}

Told* told_of(const Candidate& candidate) {
  return told == nullptr || candidate.number >= kMaxCandidates ? nullptr : &told[candidate.number];
}

bool is_suppressed(const Candidate& candidate) {
  const Told* entry = told_of(candidate);
  return entry != nullptr && entry->rule != nullptr;
}

uint64_t identity_of(void* /*context*/, Where where) { return place_identity(where); }

// On the thread that found it, inside the core.
void on_candidate(void* /*context*/, const Candidate& candidate) {
  static constinit report::Race race;
  Text suppressed_by;
  {
    const SpinLock lock(mutex);
    if (finished) return;
    build_race(candidate, race);
    Told* entry = told_of(candidate);
    if (entry != nullptr && suppressions != nullptr && entry->rule == nullptr) entry->rule = suppressions->match(race);
    if (entry != nullptr && entry->rule != nullptr) {
      race.suppressed = true;
      race.suppressed_by = entry->rule->name;
    }
    // A prediction may yet be observed: as text it is told at the end.
    const bool tells = records_findings() || race.detection == report::Detection::kObserved;
    if (tells) put_race(race);
    if (entry != nullptr && tells) entry->told = true;
    suppressed_by = race.suppressed_by;
    if (__tsan_on_report != nullptr && suppressed_by.empty()) {
      present = {&candidate, &race};
      reporting = &present;
      __tsan_on_report(reporting);
      reporting = nullptr;
    }
  }
  if (!suppressed_by.empty()) return;
  __norn_on_report(race.id.hex);
  if (start.settings.halt_on_error && report::fails(candidate, start.settings.fail_on)) {
    finish_report(final_status(1));
    if (death_callback != nullptr) death_callback();
    sys::exit_process(final_status(1));
  }
}

}  // namespace

void report_flag(const RacingPair& pair) {
  static constinit report::Race flag;
  if (start.settings.flags == options::Flags::kRace) return detector.add_race(pair);
  const SpinLock lock(mutex);
  const uint64_t sites[] = {place_identity(pair.earlier.where), place_identity(pair.later.where)};
  if (finished || !flag_pairs.add(sites[0] * 31 + sites[1])) return;
  pool.clear();
  flag = {};
  flag.is_flag = true;
  flag.id = report::race_id(sites[0], sites[1]);
  flag.detection = report::Detection::kObserved;
  build_pair(pair, flag);
  if (suppressions != nullptr) {
    const report::Rule* rule = suppressions->match(flag);
    flag.suppressed = rule != nullptr;
    if (rule != nullptr) flag.suppressed_by = rule->name;
  }
  if (records_findings()) {
    const Text line = report::format_race(flag, start.pid, line_bytes, sizeof(line_bytes));
    if (!line.empty() && append_finding(line)) return;
  }
  if (!flag.suppressed) note_flag(flag);
}

void report_note(const char* text) {
  const unsigned at = note_count.fetch_add(1, std::memory_order_relaxed);
  if (at < 16) notes[at] = text;
  char bytes[512];
  Buffer line(bytes, sizeof(bytes));
  if (records_findings()) {
    report::write_note(text, start.pid, line.sink());
    if (append_finding(line.text())) return;
    line = Buffer(bytes, sizeof(bytes));
  }
  line.sink().put("norn: ");
  line.sink().put(text);
  line.sink().put('\n');
  append_log(line.text());
}

namespace {

void write_start_record() {
  if (!records_findings()) return;
  Buffer line(line_bytes, sizeof(line_bytes));
  report::write_start(summary(0, false), line.sink());
  [[maybe_unused]] const bool done = append_finding(line.text());
}

// Races of the C++ library's headers that are its own affair.
constexpr Text kOwnRules =
    "race_top:^std::ctype<char>::narrow  # reason: a cache, filled with the same values by all (GCC 77704)\n"
    "race_top:^std::ctype<char>::widen  # reason: a cache, filled with the same values by all (GCC 77704)\n";

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
  const size_t count = report::count_rules_at_most(text) + report::count_rules_at_most(kOwnRules);
  rules = static_cast<report::Rule*>(memory.allocate_forever((count * sizeof(report::Rule) + 16) & ~size_t{15}));
  if (rules == nullptr) refuse("no memory for the suppressions");
  for (size_t i = 0; i < count; ++i) ::new (&rules[i]) report::Rule();
  timespec now{};
  sys::call(__NR_clock_gettime, CLOCK_REALTIME, sys::as_long(&now));
  suppressions =
      ::new (suppressions_bytes) report::Suppressions(rules, count, static_cast<report::Day>(now.tv_sec / 86400));
  report::SuppressionError error;
  if (!suppressions->parse(text, error) || (start.settings.own_rules && !suppressions->parse(kOwnRules, error))) {
    refuse("suppressions: ", error.message());
  }
}

void write_counts() {
  for (const Candidate* candidate = detector.candidates().first(); candidate != nullptr;
       candidate = candidate->next.load(std::memory_order_acquire)) {
    if (since_fork.of(*candidate) == 0) continue;
    report::Race race;
    report::describe(*candidate, since_fork, race);
    Buffer line(line_bytes, sizeof(line_bytes));
    report::write_count(race, start.pid, line.sink());
    if (!append_finding(line.text())) return;
  }
}

void tell_the_rest(int exit_status) {
  static constinit report::Race race;
  report::RaceCounts counts;
  for (const Candidate* candidate = detector.candidates().first(); candidate != nullptr;
       candidate = candidate->next.load(std::memory_order_acquire)) {
    if (since_fork.of(*candidate) == 0) continue;
    build_race(*candidate, race);
    Told* entry = told_of(*candidate);
    race.suppressed = is_suppressed(*candidate);
    counts.add(race);
    if (entry != nullptr && entry->told) continue;
    put_race(race);
    if (entry != nullptr) entry->told = true;
  }
  put_flags();
  const bool wants_stats = (start.settings.verbose & options::kVerboseStats) != 0;
  if (counts.total() == 0 && !wants_stats) return;
  Buffer text(line_bytes, sizeof(line_bytes));
  report::render_text_summary(summary(exit_status, true), counts, text_options(), text.sink());
  append_log(text.text());
}

// --- hazards ---------------------------------------------------------------------------------------------------------

void put_place(Sink sink, const Frame& frame) {
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

// What people call the lock or object at an address.
void put_object(Sink sink, uint64_t address, Where where) {
  report::Location location;
  Frame frame;
  if (locate_global(address, 1, location, pool) || locate_local(address, 1, {}, location, frame, pool)) {
    sink.put(location.name.empty() ? location.object : location.name);
  } else if (const Text expression = expression_of(where); !expression.empty()) {
    sink.put(expression);
  } else {
    sink.put(Hex(address).text());
  }
}

constexpr unsigned kMaxHazards = 256;
constinit report::RaceId hazard_ids[kMaxHazards] = {};
constinit unsigned hazard_count = 0;

// True: it was told before, or there are too many.
bool is_old_hazard(const report::RaceId& id) {
  for (unsigned i = 0; i < hazard_count; ++i) {
    if (hazard_ids[i] == id) return true;
  }
  if (hazard_count == kMaxHazards) return true;
  hazard_ids[hazard_count++] = id;
  return false;
}

void put_line(Sink sink, const norn_site* site) {
  if (site == nullptr || site->file == nullptr) {
    sink.put(site == nullptr ? Text("?") : Text(site->function));
    return;
  }
  sink.put(report::base_name(site->file));
  sink.put(':');
  sink.put(Decimal(site->line).text());
}

// A hazard while it is described. One at a time, under the mutex.
class Draft {
 public:
  explicit Draft(report::HazardKind kind) {
    pool.clear();
    hazard.kind = kind;
  }

  [[nodiscard]] Sink title() { return title_.sink(); }
  [[nodiscard]] Sink places() { return places_.sink(); }
  [[nodiscard]] Sink words() { return words_.sink(); }
  [[nodiscard]] bool is_full() const { return count_ == kMaxSteps; }

  // Whoever does what words() was told since the last step, and where.
  void add_step(ThreadId thread, Where where) {
    const size_t begin = said_;
    said_ = words_.text().size;
    size_t frames = 0;
    for_each_site(where, [&](const norn_site& site) {
      if ((site.flags & NORN_SITE_LIBRARY) == 0) stacks_[count_][frames++] = frame_of(site);
      return frames < kMaxStepFrames;
    });
    steps_[count_] = {thread, thread_name(thread), words_.text().part(begin, said_ - begin), {stacks_[count_], frames}};
    ++count_;
  }
  // What is to be brought together to make it happen.
  void add_site(uint64_t identity) {
    if (site_count_ < kMaxSteps) sites_[site_count_++] = identity;
  }

  void append() {
    hazard.title = title_.text();
    hazard.places = places_.text();
    hazard.sites = {sites_, site_count_};
    hazard.steps = {steps_, count_};
    if (records_findings()) {
      const Text line = report::format_hazard(hazard, start.pid, line_bytes, sizeof(line_bytes));
      if (!line.empty() && append_finding(line)) return;
    }
    Buffer text(line_bytes, sizeof(line_bytes));
    report::render_text(hazard, text.sink());
    append_log(text.text());
  }

  report::Hazard hazard;

 private:
  static constexpr size_t kMaxSteps = 32;
  static constexpr size_t kMaxStepFrames = 32;
  static inline constinit char title_bytes_[512] = {};
  static inline constinit char place_bytes_[512] = {};
  static inline constinit char word_bytes_[1 << 14] = {};
  static inline constinit report::HazardStep steps_[kMaxSteps] = {};
  static inline constinit Frame stacks_[kMaxSteps][kMaxStepFrames] = {};
  static inline constinit uint64_t sites_[kMaxSteps] = {};

  Buffer title_{title_bytes_, sizeof(title_bytes_)};
  Buffer places_{place_bytes_, sizeof(place_bytes_)};
  Buffer words_{word_bytes_, sizeof(word_bytes_)};
  size_t said_ = 0;
  size_t count_ = 0;
  size_t site_count_ = 0;
};

void add_waiter(Draft& draft, const control::Slot& slot) {
  const Where where = slot.state == nullptr ? kNowhere : place_of(*slot.state, slot.top, nullptr);
  Sink words = draft.words();
  words.put("waits for ");
  words.put(control::name_of(slot.waiting));
  if (slot.waiting != control::Waiting::kThread && slot.object != 0) {
    words.put(": ");
    put_object(words, slot.object, where);
  }
  const Thread* core = slot.state == nullptr ? nullptr : slot.state->core;
  for (unsigned i = 0; core != nullptr && i < core->held_count; ++i) {
    const Held& held = core->held[i];
    words.put("; holds ");
    put_object(words, held.address, held.taken_at);
    words.put(", taken at ");
    put_line(words, own_site(held.taken_at));
  }
  draft.add_step(slot.id, where);
}

// Whoever ends the program may be the one who was reporting.
bool lock_for_end() {
  for (unsigned i = 0; i < 100000; ++i) {
    if (mutex.try_lock()) return true;
    sys::yield();
  }
  return false;
}

void write_end(int exit_status, bool becomes_another = false) {
  if (!records_findings()) {
    tell_the_rest(exit_status);
    return;
  }
  write_counts();
  Buffer line(line_bytes, sizeof(line_bytes));
  report::RunSummary run = summary(exit_status, true);
  run.becomes_another = becomes_another;
  report::write_end(run, line.sink());
  [[maybe_unused]] const bool done = append_finding(line.text(), Urgency::kLast);
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
    listener.newborn_until = [](void* /*context*/, Address byte, Moment moment) { return newborn_until(byte, moment); };
  }
  listener.block = [](void* /*context*/, Address byte, Address& begin, Address& end) {
    return block_around(byte, begin, end);
  };
  listener.candidate = &on_candidate;
  listener.note = [](void* /*context*/, const char* text) { report_note(text); };
  return listener;
}

namespace {

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

}  // namespace

void start_reporter() {
  const Text findings = start.settings.findings;
  if (const int error = findings.empty() ? 0 : open_findings(findings); error != 0) {
    char bytes[4096 + 256];
    Buffer line(bytes, sizeof(bytes));
    line.sink().put("norn: nothing can be recorded in ");
    line.sink().put(findings);
    line.sink().put(" (");
    put_reason(line.sink(), error);
    line.sink().put("): what is found is printed here\n");
    append_log(line.text());
  }
  told = static_cast<Told*>(sys::map(kMaxCandidates * sizeof(Told)));
  read_suppressions();
  write_start_record();
}

void report_lock_order(const hazards::LockEdge* edges, unsigned count) {
  const SpinLock lock(mutex);
  if (finished) return;
  Draft draft(report::HazardKind::kLockOrder);
  // The same for each beginning of the cycle.
  uint64_t sum = 0;
  uint64_t product = 1;
  draft.title().put("lock order: ");
  for (unsigned i = 0; i < count && !draft.is_full(); ++i) {
    const hazards::LockEdge& edge = edges[i];
    const uint64_t site = place_identity(edge.wants_at);
    sum += site;
    product *= site | 1;
    draft.title().put(i == 0 ? "" : ", ");
    put_object(draft.title(), edge.holds, edge.holds_at);
    draft.places().put(i == 0 ? "" : " / ");
    put_line(draft.places(), own_site(edge.wants_at));
    draft.words().put("holds ");
    put_object(draft.words(), edge.holds, edge.holds_at);
    draft.words().put(" (taken at ");
    put_line(draft.words(), own_site(edge.holds_at));
    draft.words().put(") and takes ");
    put_object(draft.words(), edge.wants, edge.wants_at);
    draft.add_step(edge.thread, edge.wants_at);
    draft.add_site(site);
  }
  draft.hazard.id = report::race_id(sum, product ^ report::text_hash("lock-order"));
  if (!is_old_hazard(draft.hazard.id)) draft.append();
}

void report_atomicity(const hazards::BrokenRegion& broken) {
  const SpinLock lock(mutex);
  if (finished) return;
  Draft draft(report::HazardKind::kAtomicity);
  struct Part {
    const hazards::LockedStatement& statement;
    const char* comment;
  };
  const Part parts[] = {{broken.first, "then gives the lock up and takes it again"},
                        {broken.between, "which may come in between"},
                        {broken.second, "as if nothing had happened"}};
  draft.title().put("atomicity of ");
  put_object(draft.title(), broken.address, broken.second.where);
  uint64_t hash = report::text_hash("atomicity");
  for (const Part& part : parts) {
    const hazards::LockedStatement& statement = part.statement;
    hash = hash * 31 + place_identity(statement.where);
    draft.places().put(&part == parts ? "" : " / ");
    put_line(draft.places(), own_site(statement.where));
    draft.places().put(statement.writes ? " write" : " read");
    draft.words().put(statement.writes ? "writes, " : "reads, ");
    draft.words().put(part.comment);
    draft.add_step(statement.thread, statement.where);
  }
  // Who comes to the first two at once, the first thread by way of the third, can be let through in the harmful order.
  draft.add_site(place_identity(broken.taken_again));
  draft.add_site(place_identity(broken.taken_between));
  draft.add_site(place_identity(broken.first.where));
  draft.hazard.id = report::race_id(hash, place_identity(broken.taken_again));
  if (!is_old_hazard(draft.hazard.id)) draft.append();
}

namespace {

// What the thread did, and what the other had done.
struct MisuseWords {
  const char* does;
  const char* other;
};
MisuseWords misuse_words(report::HazardKind kind) {
  switch (kind) {
    case report::HazardKind::kDestroyLocked:
      return {"destroys it", "holds it, taken here"};
    case report::HazardKind::kUnlockUnlocked:
      return {"unlocks it", ""};
    case report::HazardKind::kUnlockForeign:
      return {"unlocks it", "holds it, taken here"};
    case report::HazardKind::kDoubleLock:
      return {"locks it", "holds it, taken here"};
    case report::HazardKind::kUseDestroyed:
      return {"uses it", ""};
    case report::HazardKind::kHeldInWrongContext:
      return {"comes to where no lock may be held", "took it here"};
    case report::HazardKind::kThreadLeak:
      return {"created it here", ""};
    case report::HazardKind::kSignalUnsafe:
      return {"calls it in a handler", ""};
    case report::HazardKind::kSignalErrno:
      return {"ran the handler", ""};
    default:
      return {"", ""};
  }
}

}  // namespace

void report_misuse(const Misuse& misuse) {
  const SpinLock lock(mutex);
  if (finished) return;
  const Text kind = report::name_of(misuse.kind);
  const report::RaceId id =
      report::race_id(place_identity(misuse.where), report::text_hash(kind) ^ report::text_hash(misuse.name));
  if (is_old_hazard(id)) return;
  Draft draft(misuse.kind);
  draft.hazard.id = id;
  if (misuse.object != 0) {
    put_object(draft.title(), misuse.object, misuse.other_at != kNowhere ? misuse.other_at : misuse.where);
  } else {
    draft.title().put(misuse.name);
  }
  put_line(draft.places(), own_site(misuse.where));
  const MisuseWords words = misuse_words(misuse.kind);
  draft.words().put(words.does);
  draft.add_step(misuse.thread, misuse.where);
  if (misuse.other != kNoThread && misuse.other_at != kNowhere) {
    draft.words().put(words.other);
    draft.add_step(misuse.other, misuse.other_at);
  }
  draft.append();
}

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

void report_deadlock(const control::Slot* slots, uint32_t count) {
  if (!lock_for_end()) return;
  Draft draft(report::HazardKind::kDeadlock);
  uint32_t waiting = 0;
  uint64_t hash = report::text_hash("deadlock");
  for (uint32_t i = 0; i < count; ++i) {
    const control::Slot& slot = slots[i];
    if (slot.status.load() != control::Status::kWaiting) continue;
    ++waiting;
    hash = hash * 31 + slot.identity;
    if (draft.is_full()) continue;
    const Where where = slot.state == nullptr ? kNowhere : place_of(*slot.state, slot.top, nullptr);
    draft.places().put(waiting == 1 ? "" : " / ");
    put_line(draft.places(), own_site(where));
    add_waiter(draft, slot);
  }
  draft.title().put("deadlock: ");
  draft.title().put(Decimal(waiting).text());
  draft.title().put(waiting == 1 ? " thread waits for what never comes" : " threads wait for what never comes");
  draft.hazard.id = report::race_id(hash, waiting);
  draft.append();
  mutex.unlock();
}

void finish_report(int exit_status) {
  if (sys::pid() != start.pid) return;  // a vfork's child: the memory is its parent's
  if (!lock_for_end()) return;
  if (!finished) {
    finished = true;
    write_end(exit_status);
  }
  mutex.unlock();
}

void flush_report() {
  if (sys::pid() != start.pid || !lock_for_end()) return;
  if (!finished) write_end(0, true);
  mutex.unlock();
}

void resume_report() {
  if (!records_findings() || sys::pid() != start.pid || finished) return;
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
  since_fork.begin(detector.statistics(), detector.candidates(),
                   known == 0 ? nullptr : static_cast<uint64_t*>(sys::map(known * sizeof(uint64_t))));
  for (uint32_t i = 0; told != nullptr && i < known; ++i) told[i].told = false;
  flag_pairs.clear();
  flag_variables.clear();
  finished = false;
  note_count.store(0, std::memory_order_relaxed);
  write_start_record();
}

}  // namespace norn::rt
