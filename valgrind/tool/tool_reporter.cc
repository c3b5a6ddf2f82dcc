// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/tool/tool_reporter.h"

#include <new>

#include "report/finding.h"
#include "report/record.h"
#include "report/suppression.h"
#include "valgrind/debug_info/symbols.h"
#include "valgrind/debug_info/variables.h"
#include "valgrind/tool/client.h"
#include "valgrind/tool/guest_stacks.h"
#include "valgrind/tool/private.h"

namespace norn::vg {
namespace {

using report::Frame;

constexpr size_t kMaxFrames = 160;
constexpr size_t kMaxLocks = 16;
constexpr size_t kMaxCommand = 64;
constexpr unsigned kMaxNotes = 16;

constinit options::Settings said;
constinit char options_bytes[8192] = {};
constinit char findings_path[4096] = {};
constinit Int findings_fd = -1;

constinit Text command[kMaxCommand] = {};
constinit size_t command_count = 0;
constinit uint64_t start_time = 0;
constinit uint32_t pid = 0;
constinit uint32_t parent = 0;

constinit Frame stacks[2][kMaxFrames] = {};
constinit Frame creations[2][kMaxFrames] = {};
constinit Frame allocation[kMaxFrames] = {};
constinit Frame lock_frames[kMaxFrames] = {};
constinit report::LockHeld locks[2][kMaxLocks] = {};
constinit char texts[1 << 18] = {};
constinit TextPool pool(texts, sizeof(texts));
constinit char line_bytes[1 << 17] = {};

constinit report::CountsSinceFork since_fork;
constinit bool finished = false;
constinit const char* notes[kMaxNotes] = {};
constinit unsigned note_count = 0;

alignas(report::Suppressions) constinit char suppressions_bytes[sizeof(report::Suppressions)] = {};
constinit report::Suppressions* suppressions = nullptr;
// Races of the C++ library that are its own affair.
constexpr Text kOwnRules =
    "race_top:^std::ctype<char>::narrow  # reason: a cache, filled with the same values by all (GCC 77704)\n"
    "race_top:^std::ctype<char>::widen  # reason: a cache, filled with the same values by all (GCC 77704)\n"
    "race_top:^std::ctype<char>::_M_narrow_init  # reason: a cache, filled with the same values by all (GCC 77704)\n"
    "race_top:^std::ctype<char>::_M_widen_init  # reason: a cache, filled with the same values by all (GCC 77704)\n";
constinit report::Rule own_rules[8];

uint64_t now() {
  struct vki_timespec time = {};
  VG_(clock_gettime)(&time, VKI_CLOCK_MONOTONIC);
  return static_cast<uint64_t>(time.tv_sec) * 1000000 + static_cast<uint64_t>(time.tv_nsec) / 1000;
}

// Of the whole process: the tool's memory is what the user pays for, too.
uint64_t peak_memory() {
  char bytes[4096];
  const Int fd = VG_(fd_open)("/proc/self/status", VKI_O_RDONLY, 0);
  if (fd < 0) return 0;
  const Int size = VG_(read)(fd, bytes, sizeof(bytes) - 1);
  VG_(close)(fd);
  if (size <= 0) return 0;
  bytes[size] = '\0';
  const HChar* line = VG_(strstr)(bytes, "VmHWM:");
  if (line == nullptr) return 0;
  uint64_t kilobytes = 0;
  for (line += 6; *line == ' ' || *line == '\t'; ++line) {
  }
  for (; *line >= '0' && *line <= '9'; ++line) kilobytes = kilobytes * 10 + static_cast<uint64_t>(*line - '0');
  return kilobytes << 10;
}

// --- building ----------------------------------------------------------------------------------------------------

Text thread_name(::norn::ThreadId id) {
  const ThreadInfo* info = thread_info(id);
  return info == nullptr ? Text() : Text(info->name);
}

Frame own_frame(List<Frame> frames) {
  for (const Frame& frame : frames)
    if (!frame.library) return frame;
  return frames.empty() ? Frame{} : frames[0];
}

List<report::LockHeld> locks_of(const RacingAccess& racing, report::LockHeld (&held)[kMaxLocks]) {
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
    entry.taken_at =
        own_frame(frames_of(detector.lock_taken_at(lock, racing.thread, current == nullptr ? nullptr : current->core),
                            lock_frames, kMaxFrames, pool));
    report::Location location;
    if (locate_variable(info->address, location, pool)) entry.name = location.object;
  }
  return {held, count};
}

void build_access(const RacingAccess& racing, unsigned which, uint64_t common, report::Access& access) {
  access = {};
  access.op = report::op_of(racing.kind);
  access.size = common;
  access.thread = racing.thread;
  access.thread_name = thread_name(racing.thread);
  if (const ThreadInfo* info = thread_info(racing.thread); info != nullptr) {
    access.thread_created_at = frames_of(info->created_at, creations[which], kMaxFrames, pool);
  }
  access.stack = frames_of(racing.where, stacks[which], kMaxFrames, pool);
  access.stack_lost = access.stack.empty();
  access.site = own_frame(access.stack);
  access.locks = locks_of(racing, locks[which]);
}

// A symbol says which namespace or class it is of.
bool is_same_variable(Text symbol, Text name) {
  if (name.size > symbol.size) return false;
  return symbol.part(symbol.size - name.size) == name;
}

void build_location(const RacingPair& pair, report::Location& location) {
  location = {};
  location.address = pair.address;
  location.size = pair.size;
  if (uint64_t fd = 0; is_file(pair.address, fd)) {
    char bytes[48];
    Buffer name(bytes, sizeof(bytes));
    name.sink().put("file descriptor ");
    name.sink().put(Decimal(fd).text());
    location.name = pool.keep(name.text());
    return;
  }
  if (Block block; find_block(pair.address, block)) {
    location.kind = report::LocationKind::kHeap;
    location.object_size = block.size;
    location.offset = pair.address - block.address;
    location.allocated_at = frames_of(block.where, allocation, kMaxFrames, pool);
    report::belongs_to(location, block.thread, thread_name(block.thread));
    return;
  }
  report::Location symbol = location;
  const bool has_symbol = locate_variable(pair.address, symbol, pool);
  location = symbol;
  const bool described = describe_variable(pair.address, location, pool);
  // Valgrind takes an array of clang's for one longer than it is: what lies behind it has a symbol of its own.
  if (described && has_symbol && !is_same_variable(symbol.object, location.object)) location = symbol;
  if (has_symbol || (described && location.kind == report::LocationKind::kGlobal)) return;
  if (const ::norn::ThreadId owner = thread_of_stack(pair.address); owner != kNoThread) {
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
  build_location(pair, race.location);
  report::complete(race);
}

report::RunSummary summary(int exit_status, bool ended) {
  static constinit report::NamedCount sync[1] = {};
  static constinit Text note_texts[kMaxNotes] = {};
  report::RunSummary run;
  run.program = command_count > 0 ? command[0] : Text("?");
  run.command = {command, command_count};
  run.front_end = "valgrind";
  run.pid = pid;
  run.parent = parent;
  run.exit = exit_status;
  run.ended = ended;
  report::describe(since_fork.of(detector.statistics()), said.engine, sync, run);
  run.stats.microseconds = now() - start_time;
  run.stats.peak_rss = peak_memory();
  for (unsigned i = 0; i < note_count; ++i) note_texts[i] = notes[i];
  run.notes = {note_texts, note_count};
  return run;
}

// --- writing -----------------------------------------------------------------------------------------------------

// Opened once: the program may give up the right to do so, and closes only descriptors of its own.
void append_record(Text line) {
  if (findings_fd < 0) {
    const Int fd = VG_(fd_open)(findings_path, VKI_O_WRONLY | VKI_O_APPEND | VKI_O_CREAT, 0666);
    if (fd < 0) return;
    findings_fd = out_of_reach(fd);
  }
  VG_(write)(findings_fd, line.data, static_cast<Int>(line.size));
}

uint64_t identity_of(void* /*context*/, Where where) { return place_identity(where); }

// Tasks that one thread runs one after the other share what is the thread's own.
bool is_own_of_thread(const RacingPair& pair) {
  const ThreadInfo* earlier = thread_info(pair.earlier.thread);
  const ThreadInfo* later = thread_info(pair.later.thread);
  return earlier != nullptr && later != nullptr && earlier->carrier == later->carrier &&
         is_own_of(earlier->carrier, pair.address);
}

bool is_of_program(void* /*context*/, const RacingPair& pair) {
  return !frees_what_was_born(pair) && !is_standard_stream(pair.address) && !is_own_of_thread(pair);
}

void on_candidate(void* /*context*/, const Candidate& candidate) {
  static constinit report::Race race;
  if (finished) return;
  build_race(candidate, race);
  if (const report::Rule* rule = suppressions->match(race); rule != nullptr) {
    race.suppressed = true;
    race.suppressed_by = rule->name;
  }
  const Text line = report::format_race(race, pid, line_bytes, sizeof(line_bytes));
  if (!line.empty()) append_record(line);
  if (said.halt_on_error && !race.suppressed && report::fails(candidate, said.fail_on)) {
    finish_report(1);
    VG_(exit)(1);
  }
}

void on_note(void* /*context*/, const char* text) {
  if (note_count < kMaxNotes) notes[note_count++] = text;
  char bytes[512];
  Buffer line(bytes, sizeof(bytes));
  report::write_note(text, pid, line.sink());
  append_record(line.text());
}

void write_start_record() {
  Buffer line(line_bytes, sizeof(line_bytes));
  report::write_start(summary(0, false), line.sink());
  append_record(line.text());
}

void write_end(int exit_status) {
  for (const Candidate* candidate = detector.candidates().first(); candidate != nullptr;
       candidate = candidate->next.load(std::memory_order_acquire)) {
    if (since_fork.of(*candidate) == 0) continue;
    report::Race race;
    report::describe(*candidate, since_fork, race);
    Buffer line(line_bytes, sizeof(line_bytes));
    report::write_count(race, pid, line.sink());
    append_record(line.text());
  }
  Buffer line(line_bytes, sizeof(line_bytes));
  report::write_end(summary(exit_status, true), line.sink());
  append_record(line.text());
}

[[noreturn]] void refuse(Text what, Text detail) {
  char bytes[512];
  Buffer line(bytes, sizeof(bytes));
  line.sink().put("norn: ");
  line.sink().put(what);
  line.sink().put(detail);
  line.sink().put("\n");
  VG_(write)(2, line.text().data, static_cast<Int>(line.text().size));
  VG_(exit)(2);
  __builtin_unreachable();
}

void keep_command() {
  command[command_count++] = VG_(args_the_exename);
  for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)) && command_count < kMaxCommand; ++i) {
    command[command_count++] = *static_cast<HChar**>(VG_(indexXA)(VG_(args_for_client), i));
  }
}

}  // namespace

void read_settings() {
  const HChar* list = VG_(getenv)("NORN_OPTIONS");
  if (list == nullptr) refuse("the tool is started by ", "norn run");
  Buffer kept(options_bytes, sizeof(options_bytes));
  kept.sink().put(list);
  if (kept.overflowed()) refuse("NORN_OPTIONS: ", "the options are too long");
  options::OptionError error;
  if (!options::parse_options(said, kept.text(), error)) refuse("NORN_OPTIONS: ", error.message());
  Buffer path(findings_path, sizeof(findings_path) - 1);
  if (!said.findings.starts_with("/")) {  // the program may change its directory
    path.sink().put(VG_(get_startup_wd)());
    path.sink().put('/');
  }
  path.sink().put(said.findings);
  if (said.findings.empty() || said.findings.starts_with("fd:") || path.overflowed()) {
    refuse("the tool is started by ", "norn run");
  }
}

const options::Settings& settings() { return said; }

Listener report_listener() {
  Listener listener;
  listener.site = &identity_of;
  listener.counts = &is_of_program;
  if (settings().new_memory) {
    listener.newborn_until = [](void* /*context*/, Address byte, Moment moment) { return newborn_until(byte, moment); };
  }
  listener.block = [](void* /*context*/, Address byte, Address& begin, Address& end) {
    Block found;
    if (!find_block(byte, found)) return false;
    begin = found.address;
    end = found.address + found.size;
    return true;
  };
  listener.candidate = &on_candidate;
  listener.note = &on_note;
  return listener;
}

void append_hazard(const report::Hazard& hazard) {
  if (finished) return;
  const Text line = report::format_hazard(hazard, pid, line_bytes, sizeof(line_bytes));
  if (!line.empty()) append_record(line);
}

void start_reporter() {
  start_time = now();
  pid = static_cast<uint32_t>(VG_(getpid)());
  parent = static_cast<uint32_t>(VG_(getppid)());
  keep_command();
  suppressions = ::new (suppressions_bytes) report::Suppressions(own_rules, 8, 0);
  report::SuppressionError error;
  const bool parsed = !said.own_rules || suppressions->parse(kOwnRules, error);
  tl_assert(parsed);
  write_start_record();
}

void finish_report(int exit_status) {
  if (finished || static_cast<uint32_t>(VG_(getpid)()) != pid) return;
  finished = true;
  write_end(exit_status);
}

void flush_report() {
  if (!finished && static_cast<uint32_t>(VG_(getpid)()) == pid) write_end(0);
}

void add_note(const char* text) { on_note(nullptr, text); }

void note_unread(const char* file) {
  static constinit char texts_of_notes[4][512] = {};
  static constinit unsigned count = 0;
  if (count >= 4) return;
  char* bytes = texts_of_notes[count];
  Buffer line(bytes, sizeof(texts_of_notes[0]) - 1);
  line.sink().put("Valgrind cannot read all debug information of ");
  line.sink().put(Text(file).part(0, 300));
  line.sink().put(": reports may lack names and lines; build it with -gdwarf-4");
  for (unsigned i = 0; i < count; ++i) {
    if (Text(texts_of_notes[i]) == line.text()) return;
  }
  ++count;
  add_note(bytes);
}

void restart_reporter() {
  parent = pid;
  pid = static_cast<uint32_t>(VG_(getpid)());
  since_fork.begin(
      detector.statistics(), detector.candidates(),
      static_cast<uint64_t*>(memory.allocate_zeroed((detector.candidates().size() + 1) * sizeof(uint64_t))));
  finished = false;
  note_count = 0;
  write_start_record();
}

}  // namespace norn::vg
