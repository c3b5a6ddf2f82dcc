#include "runtime/reporter.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "report/finding.h"
#include "report/record.h"
#include "report/suppression.h"
#include "report/text.h"
#include "runtime/blocks.h"
#include "runtime/files.h"
#include "runtime/hazards.h"
#include "runtime/interpose.h"
#include "runtime/locate.h"
#include "runtime/modules.h"
#include "runtime/openmp.h"
#include "runtime/settings.h"
#include "runtime/slots.h"
#include "runtime/syscalls.h"
#include "runtime/threads.h"
#include "runtime/where.h"

// A place for a debugger to stop at: the thread that is about to make the access calls it for each new race.
NORN_EXPORT __attribute__((noinline)) void __norn_on_report(const char* id) { asm volatile("" : : "r"(id) : "memory"); }

namespace norn::rt {
namespace {

using report::Frame;
using report::Text;

constexpr size_t kMaxFrames = 160;
constexpr size_t kMaxLocks = 16;
constexpr size_t kMaxCandidates = size_t{1} << 20;
constexpr size_t kLine = 1 << 17;

// One report at a time is built, here: a thread that finds a race may have little stack.
constinit SpinMutex mutex;
constinit Frame stacks[2][kMaxFrames] = {};
constinit Frame creations[2][kMaxFrames] = {};
constinit Frame allocation[kMaxFrames] = {};
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
constinit int findings_fd = -1;
constinit const char* notes[16] = {};
constinit std::atomic<unsigned> note_count{0};

bool records_findings() { return !start.settings.findings.empty(); }

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

template <class Visit>
void for_each_site(Where where, Visit visit) {
  for (const PlaceNode* at = place_node(where); at != nullptr; at = place_node(at->parent)) {
    for (const norn_site* site = at->site.load(std::memory_order_acquire); site != nullptr; site = site->inlined_at) {
      if (!visit(*site)) return;
    }
  }
}

report::List<Frame> frames_of(Where where, Frame (&frames)[kMaxFrames]) {
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

report::List<report::LockHeld> locks_of(const RacingAccess& racing, report::LockHeld (&held)[kMaxLocks]) {
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
    if (locate_global(info->address, 1, location, pool)) {
      // A class' mutex has members of its own; what people call it is the variable or member it is.
      entry.name = location.offset == 0 || location.name.empty() ? location.object : location.name;
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
  access.locks = locks_of(racing, locks[which]);
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
  if (locate_file(pair.address, location, pool)) return;
  const bool is_global = locate_global(pair.address, location.size, location, pool);
  // What the two statements call it; a free names the whole block.
  for (const report::Access& access : accesses) {
    if (location.name.empty() && !is_of_block(access.op)) location.name = access.expression;
  }
  if (is_global) {
    if (location.name.empty()) location.name = location.object;
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

void build_race(const Candidate& candidate, report::Race& race) {
  pool.clear();
  race = {};
  report::describe(candidate, since_fork, race);
  const RacingPair& pair = candidate.first;
  build_access(pair.later, 0, pair.size, race.accesses[0]);
  build_access(pair.earlier, 1, pair.size, race.accesses[1]);
  build_location(pair, race.accesses, race.location);
  report::complete(race);
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
  run.stats.microseconds = sys::now() - start.time;
  rusage usage{};
  if (sys::call(__NR_getrusage, RUSAGE_SELF, sys::as_long(&usage)) == 0) {
    run.stats.peak_rss = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  }
  const unsigned count = note_count.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count && i < 16; ++i) note_texts[i] = notes[i];
  run.notes = {note_texts, count < 16 ? count : 16};
  return run;
}

// --- writing -----------------------------------------------------------------------------------------------------

void append_record(Text line) {
  if (findings_fd >= 0) {
    sys::write_all(findings_fd, line.data, line.size);
    return;
  }
  // By name each time: the program may close every descriptor it does not know.
  const int fd = sys::open_file(start.settings.findings.data, O_WRONLY | O_APPEND | O_CREAT);
  if (fd < 0) return;
  sys::write_all(fd, line.data, line.size);
  sys::close_file(fd);
}

void append_log(Text text) {
  if (text.empty()) return;
  if (start.settings.log_path.empty() || start.settings.log_path == "stderr" || start.settings.log_path == "stdout") {
    sys::write_all(start.settings.log_path == "stdout" ? 1 : 2, text.data, text.size);
    return;
  }
  char path[4096 + 16];
  report::Buffer name(path, sizeof(path) - 1);
  name.sink().put(start.settings.log_path);
  name.sink().put('.');
  name.sink().put(report::Decimal(start.pid).text());
  path[name.text().size] = '\0';
  int fd = sys::open_file(path, O_WRONLY | O_APPEND | O_CREAT);
  if (fd < 0) {
    // A device, or a directory that cannot be written to.
    report::Buffer plain(path, sizeof(path) - 1);
    plain.sink().put(start.settings.log_path);
    path[plain.text().size] = '\0';
    fd = sys::open_file(path, O_WRONLY | O_APPEND);
  }
  if (fd < 0) return;
  sys::write_all(fd, text.data, text.size);
  sys::close_file(fd);
}

// For the text report: the statement itself.
size_t read_source_line(void* /*context*/, const Frame& frame, char* buffer, size_t capacity) {
  static constinit char path[4096] = {};
  static constinit char bytes[1 << 14] = {};
  report::Buffer name(path, sizeof(path) - 1);
  if (!frame.directory.empty() && !frame.file.starts_with("/")) {
    name.sink().put(frame.directory);
    name.sink().put('/');
  }
  name.sink().put(frame.file);
  path[name.text().size] = '\0';
  if (frame.line == 0 || frame.file.empty() || name.overflowed()) return 0;
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

void put_race(const report::Race& race) {
  if (records_findings()) {
    const Text line = report::format_race(race, start.pid, line_bytes, sizeof(line_bytes));
    if (!line.empty()) append_record(line);
  } else if (!race.suppressed) {
    report::Buffer text(line_bytes, sizeof(line_bytes));
    report::render_text(race, summary(0, false), text_options(), text.sink());
    append_log(text.text());
  }
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
    const bool tells = records_findings() || race.standing == report::Standing::kObserved;
    if (tells) put_race(race);
    if (entry != nullptr && tells) entry->told = true;
    suppressed_by = race.suppressed_by;
  }
  if (!suppressed_by.empty()) return;
  __norn_on_report(race.id.hex);
  if (start.settings.halt_on_error && report::fails(candidate, start.settings.fail_on)) {
    finish_report(final_status(1));
    sys::exit_process(final_status(1));
  }
}

}  // namespace

void report_note(const char* text) {
  const unsigned at = note_count.fetch_add(1, std::memory_order_relaxed);
  if (at < 16) notes[at] = text;
  char bytes[512];
  report::Buffer line(bytes, sizeof(bytes));
  if (records_findings()) {
    report::write_note(text, start.pid, line.sink());
    append_record(line.text());
    return;
  }
  line.sink().put("norn: ");
  line.sink().put(text);
  line.sink().put('\n');
  append_log(line.text());
}

namespace {

void write_start_record() {
  if (!records_findings()) return;
  report::Buffer line(line_bytes, sizeof(line_bytes));
  report::write_start(summary(0, false), line.sink());
  append_record(line.text());
}

// Races of the C++ library's headers that are its own affair.
constexpr Text kOwnRules =
    "race_top:^std::ctype<char>::narrow  # reason: a cache, filled with the same values by all (GCC 77704)\n"
    "race_top:^std::ctype<char>::widen  # reason: a cache, filled with the same values by all (GCC 77704)\n";

// Of the file the user gave.
Text rules_text() {
  const Text path = start.settings.suppressions;
  if (path.empty()) return {};
  char name[4096];
  report::Buffer buffer(name, sizeof(name) - 1);
  buffer.sink().put(path);
  name[buffer.text().size] = '\0';
  const int fd = sys::open_file(name, O_RDONLY);
  if (fd < 0) refuse("cannot read the suppressions ", path);
  constexpr size_t kMaxFile = size_t{1} << 20;
  auto* contents = static_cast<char*>(memory.allocate_forever(kMaxFile));
  const long size = contents == nullptr ? -1 : sys::read_some(fd, contents, kMaxFile);
  sys::close_file(fd);
  if (size < 0) refuse("cannot read the suppressions ", path);
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
  if (!suppressions->parse(text, error) || !suppressions->parse(kOwnRules, error)) {
    refuse("suppressions: ", error.message());
  }
}

void write_counts() {
  for (const Candidate* candidate = detector.candidates().first(); candidate != nullptr;
       candidate = candidate->next.load(std::memory_order_acquire)) {
    if (since_fork.of(*candidate) == 0) continue;
    report::Race race;
    report::describe(*candidate, since_fork, race);
    report::Buffer line(line_bytes, sizeof(line_bytes));
    report::write_count(race, start.pid, line.sink());
    append_record(line.text());
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
  const bool wants_stats = (start.settings.verbose & report::kVerboseStats) != 0;
  if (counts.total() == 0 && !wants_stats) return;
  report::Buffer text(line_bytes, sizeof(line_bytes));
  report::render_text_summary(summary(exit_status, true), counts, text_options(), text.sink());
  append_log(text.text());
}

// --- hazards ---------------------------------------------------------------------------------------------------------

void put_place(report::Sink sink, const Frame& frame) {
  if (frame.file.empty()) {
    sink.put(frame.function);
    return;
  }
  sink.put(report::base_name(frame.file));
  sink.put(':');
  sink.put(report::Decimal(frame.line).text());
  sink.put("  ");
  sink.put(frame.function);
}

// Without the members that only the C library and the C++ library know: "account.lock.__size[]",
// "queue.mutex._M_mutex".
Text without_internals(Text name) {
  for (size_t i = 1; i + 2 < name.size; ++i) {
    if (name[i] != '.' || name[i + 1] != '_') continue;
    if (name[i + 2] == '_' || name[i + 2] == 'M') return name.part(0, i);
  }
  return name;
}

// What people call the lock or object at an address.
void put_object(report::Sink sink, uint64_t address, Where where) {
  report::Location location;
  if (locate_global(address, 1, location, pool)) {
    sink.put(location.name.empty() ? location.object : without_internals(location.name));
  } else if (const Text expression = expression_of(where); !expression.empty()) {
    sink.put(expression);
  } else {
    sink.put(report::Hex(address).text());
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

void put_line(report::Sink sink, const norn_site* site) {
  if (site == nullptr || site->file == nullptr) {
    sink.put(site == nullptr ? Text("?") : Text(site->function));
    return;
  }
  sink.put(report::base_name(site->file));
  sink.put(':');
  sink.put(report::Decimal(site->line).text());
}

// A hazard while it is described. One at a time, under the mutex.
class Draft {
 public:
  explicit Draft(report::HazardKind kind) {
    pool.clear();
    hazard.kind = kind;
  }

  [[nodiscard]] report::Sink title() { return title_.sink(); }
  [[nodiscard]] report::Sink places() { return places_.sink(); }
  [[nodiscard]] report::Sink words() { return words_.sink(); }
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
      if (!line.empty()) append_record(line);
    } else {
      report::Buffer text(line_bytes, sizeof(line_bytes));
      report::render_text(hazard, text.sink());
      append_log(text.text());
    }
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

  report::Buffer title_{title_bytes_, sizeof(title_bytes_)};
  report::Buffer places_{place_bytes_, sizeof(place_bytes_)};
  report::Buffer words_{word_bytes_, sizeof(word_bytes_)};
  size_t said_ = 0;
  size_t count_ = 0;
  size_t site_count_ = 0;
};

void add_waiter(Draft& draft, const control::Slot& slot) {
  const Where where = slot.state == nullptr ? kNowhere : place_of(*slot.state, slot.top, nullptr);
  report::Sink words = draft.words();
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

void write_end(int exit_status) {
  if (!records_findings()) {
    tell_the_rest(exit_status);
    return;
  }
  write_counts();
  report::Buffer line(line_bytes, sizeof(line_bytes));
  report::write_end(summary(exit_status, true), line.sink());
  append_record(line.text());
}

}  // namespace

Listener report_listener() {
  Listener listener;
  listener.site = &identity_of;
  listener.counts = [](void* /*context*/, const RacingPair& pair) { return can_race(pair); };
  listener.newborn_until = [](void* /*context*/, Address byte, Moment moment) { return newborn_until(byte, moment); };
  listener.block = [](void* /*context*/, Address byte, Address& begin, Address& end) {
    return block_around(byte, begin, end);
  };
  listener.candidate = &on_candidate;
  listener.note = [](void* /*context*/, const char* text) { report_note(text); };
  return listener;
}

void start_reporter() {
  const Text findings = start.settings.findings;
  if (findings.starts_with("fd:")) {
    int number = 0;
    for (const char c : findings.part(3)) number = number * 10 + (c - '0');
    const long copy = sys::call(__NR_fcntl, number, F_DUPFD_CLOEXEC, 500);
    findings_fd = sys::failed(copy) ? number : static_cast<int>(copy);
  } else if (!findings.empty()) {
    // As a C string, once: the option's text is not ended by a zero.
    auto* path = static_cast<char*>(memory.allocate(findings.size + 1));
    if (path != nullptr) {
      for (size_t i = 0; i < findings.size; ++i) path[i] = findings[i];
      path[findings.size] = '\0';
      start.settings.findings = {path, findings.size};
    }
  }
  told = static_cast<Told*>(sys::map(kMaxCandidates * sizeof(Told)));
  read_suppressions();
  write_start_record();
}

void report_lock_order(const LockEdge* edges, unsigned count) {
  const SpinLock lock(mutex);
  if (finished) return;
  Draft draft(report::HazardKind::kLockOrder);
  // The same for each beginning of the cycle.
  uint64_t sum = 0;
  uint64_t product = 1;
  draft.title().put("lock order: ");
  for (unsigned i = 0; i < count && !draft.is_full(); ++i) {
    const LockEdge& edge = edges[i];
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

void report_atomicity(const BrokenRegion& broken) {
  const SpinLock lock(mutex);
  if (finished) return;
  Draft draft(report::HazardKind::kAtomicity);
  struct Part {
    const LockedStatement& statement;
    const char* comment;
  };
  const Part parts[] = {{broken.first, "then gives the lock up and takes it again"},
                        {broken.between, "which may come in between"},
                        {broken.second, "as if nothing had happened"}};
  draft.title().put("atomicity of ");
  put_object(draft.title(), broken.address, broken.second.where);
  uint64_t hash = report::text_hash("atomicity");
  for (const Part& part : parts) {
    const LockedStatement& statement = part.statement;
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

void report_place(uint32_t identity, const norn_site& site) {
  if (!records_findings()) return;
  char bytes[512];
  char line_of_place[1024];
  report::Buffer text(bytes, sizeof(bytes));
  put_place(text.sink(), frame_of(site));
  report::Buffer line(line_of_place, sizeof(line_of_place));
  report::write_place(identity, text.text(), start.pid, line.sink());
  if (!line.overflowed()) append_record(line.text());
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
  draft.title().put(report::Decimal(waiting).text());
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
  if (!finished) write_end(0);
  mutex.unlock();
}

int final_status(int own) {
  if (records_findings() || start.is_child || start.settings.exitcode == 0) return own;
  for (const Candidate* candidate = detector.candidates().first(); candidate != nullptr;
       candidate = candidate->next.load(std::memory_order_acquire)) {
    if (!is_suppressed(*candidate) && report::fails(*candidate, start.settings.fail_on)) {
      return static_cast<int>(start.settings.exitcode);
    }
  }
  return own;
}

void restart_reporter() {
  const uint32_t known = detector.candidates().size();
  since_fork.begin(detector.statistics(), detector.candidates(),
                   known == 0 ? nullptr : static_cast<uint64_t*>(sys::map(known * sizeof(uint64_t))));
  for (uint32_t i = 0; told != nullptr && i < known; ++i) told[i].told = false;
  finished = false;
  note_count.store(0, std::memory_order_relaxed);
  write_start_record();
}

}  // namespace norn::rt
