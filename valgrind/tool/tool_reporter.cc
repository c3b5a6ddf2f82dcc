// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/tool/tool_reporter.h"

#include "hazards/hazard_listener.h"
#include "options/options.h"
#include "report/findings_writer.h"
#include "report/hazard_draft.h"
#include "valgrind/debug_info/symbols.h"
#include "valgrind/debug_info/variables.h"
#include "valgrind/tool/client.h"
#include "valgrind/tool/guest_stacks.h"
#include "valgrind/tool/private.h"
#include "valgrind/tool/tool_recording.h"
#include "valgrind/tool/tool_state.h"

namespace norn::vg {
namespace {

using report::Frame;

constexpr size_t kMaxCommand = 64;

constinit options::Settings said;
constinit char options_bytes[8192] = {};
constinit char findings_path[4096] = {};
constinit Int findings_fd = -1;

constinit Text command[kMaxCommand] = {};
constinit size_t command_count = 0;
constinit uint64_t start_time = 0;
constinit uint32_t pid = 0;
constinit uint32_t parent = 0;

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

// A symbol says which namespace or class it is of.
bool is_same_variable(Text symbol, Text name) {
  if (name.size > symbol.size) return false;
  return symbol.part(symbol.size - name.size) == name;
}

// What the tool says of a program for its reports (report/findings_writer.h).
struct ToolFront {
  static constexpr Text kName = "valgrind";
  static constexpr size_t kTextBytes = 1 << 18;
  using Block = vg::Block;

  static Detector& detector() { return vg::detector; }
  static const Thread* current_thread() { return current == nullptr ? nullptr : current->core; }
  static report::Process process() {
    return {.program = command_count > 0 ? command[0] : Text("?"),
            .command = {command, command_count},
            .pid = pid,
            .parent = parent,
            .engine = said.engine};
  }
  static List<Frame> frames_of(StackId where, Frame* frames, size_t most, TextPool& pool) {
    return vg::frames_of(where, frames, most, pool);
  }
  static Text expression_of(StackId /*where*/) { return {}; }
  static uint64_t size_of(StackId /*where*/) { return 0; }
  // Only programs built with norn can be steered, and their compiler names statements in another way: by file and line
  // they are found.
  static uint64_t site_id(StackId /*where*/) { return 0; }
  static Text thread_name(::norn::ThreadId id) {
    const ThreadInfo* info = thread_info(id);
    return info == nullptr ? Text() : Text(info->name);
  }
  static StackId created_at(::norn::ThreadId id) {
    const ThreadInfo* info = thread_info(id);
    return info == nullptr ? kNoStack : info->created_at;
  }
  static bool locate_special(Address address, report::Location& location, TextPool& pool) {
    uint64_t fd = 0;
    if (!is_file(address, fd)) return false;
    char bytes[48];
    Buffer name(bytes, sizeof(bytes));
    name.sink().put("file descriptor ");
    name.sink().put(Decimal(fd).text());
    location.name = pool.keep(name.text());
    return true;
  }
  static bool locate_variable(Address address, uint64_t /*size*/, const report::Access (& /*accesses*/)[2],
                              report::Location& location, TextPool& pool) {
    if (Block block; vg::find_block(address, block)) return false;  // debug information need not be asked
    report::Location symbol = location;
    const bool has_symbol = vg::locate_variable(address, symbol, pool);
    location = symbol;
    const bool described = describe_variable(address, location, pool);
    // Valgrind takes an array of clang's for one longer than it is: what lies behind it has a symbol of its own.
    if (described && has_symbol && !is_same_variable(symbol.object, location.object)) location = symbol;
    return has_symbol || described;
  }
  static bool find_block(Address address, Block& block) { return vg::find_block(address, block); }
  static ::norn::ThreadId thread_of_stack(Address address) { return vg::thread_of_stack(address); }
  static Text object_name(Address address, StackId /*where*/, TextPool& pool) {
    if (report::Location location; vg::locate_variable(address, location, pool)) return location.object;
    return pool.keep(Hex(address).text());
  }
  static uint64_t identity_of(StackId where) { return place_identity(where); }
  static void measure(report::Stats& stats) {
    stats.microseconds = now() - start_time;
    stats.peak_rss = peak_memory();
  }
  // The file is opened once: the program may give up the right to do so, and closes only descriptors of its own.
  static bool append(Text line) {
    if (findings_fd < 0) {
      const Int fd = VG_(fd_open)(findings_path, VKI_O_WRONLY | VKI_O_APPEND | VKI_O_CREAT, 0666);
      if (fd < 0) return false;
      findings_fd = out_of_reach(fd);
    }
    return VG_(write)(findings_fd, line.data, static_cast<Int>(line.size)) == static_cast<Int>(line.size);
  }
  static bool append_last(Text line) { return append(line); }
  static void count_lost(const report::Race& /*race*/) {}
  static report::TextOptions text_options() { return {}; }
  static void print(Text text) { VG_(write)(2, text.data, static_cast<Int>(text.size)); }
};

constinit report::FindingsWriter<ToolFront> writer;
constinit report::Rule own_rules[8];

uint64_t identity_of(void* /*context*/, StackId where) { return place_identity(where); }

// Tasks that one thread runs one after the other share what is the thread's own.
bool is_own_of_thread(const RacingPair& pair) {
  const ThreadInfo* earlier = thread_info(pair.earlier.thread);
  const ThreadInfo* later = thread_info(pair.later.thread);
  return earlier != nullptr && later != nullptr && earlier->carrier == later->carrier &&
         is_own_of(earlier->carrier, pair.address);
}

bool is_of_program(void* /*context*/, const RacingPair& pair) {
  if (is_standard_stream(pair.address)) {
    record_benign(pair.address, pair.size);
    return false;
  }
  return !frees_what_was_born(pair) && !is_own_of_thread(pair);
}

// What the access that was caught finds in memory: its instruction comes after the call that emitted it, and no other
// thread runs in between. What it writes and of what type it is, machine code does not say.
void read_value(const RacingPair& pair, report::Access& access) {
  const bool is_plain = pair.later.kind == AccessKind::kRead || pair.later.kind == AccessKind::kWrite;
  const uint64_t size = pair.size;
  if (!is_plain || is_by_call || (size != 1 && size != 2 && size != 4 && size != 8)) return;
  if (current == nullptr || current->core->id != pair.later.thread) return;
  if (!VG_(am_is_valid_for_client)(pair.address, size, VKI_PROT_READ)) return;
  uint64_t value = 0;
  VG_(memcpy)(&value, reinterpret_cast<const void*>(pair.address), size);
  access.values.has_old_value = true;
  access.values.old_value = value;
}

constinit int exit_status = 0;

void on_candidate(void* /*context*/, const Candidate& candidate) {
  static constinit report::Race race;
  if (writer.is_finished()) return;
  writer.build(candidate, race);
  read_value(candidate.first, race.accesses[0]);
  record_variable(race.location);
  writer.suppress(race);
  writer.put(race);
  if (said.halt_on_error && !race.suppressed && report::fails(candidate, said.fail_on)) {
    note_exit_status(1);
    finish_report();
    VG_(exit)(1);
  }
}

void report_lock_order(const hazards::LockEdge* edges, unsigned count) {
  if (!writer.is_finished()) writer.put_lock_order(edges, count);
}

void report_atomicity(const hazards::BrokenRegion& broken) {
  if (!writer.is_finished()) report::put_atomicity(writer, broken);
}

void keep_command() {
  command[command_count++] = VG_(args_the_exename);
  for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)) && command_count < kMaxCommand; ++i) {
    command[command_count++] = *static_cast<HChar**>(VG_(indexXA)(VG_(args_for_client), i));
  }
}

}  // namespace

void refuse(Text what, Text detail) {
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

List<Text> command_line() { return {command, command_count}; }

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
    listener.fresh_until = [](void* /*context*/, Address byte, Epoch moment) { return fresh_until(byte, moment); };
  }
  listener.block = [](void* /*context*/, Address byte, Address& begin, Address& end) {
    Block found;
    if (!find_block(byte, found)) return false;
    begin = found.address;
    end = found.address + found.size;
    return true;
  };
  listener.candidate = &on_candidate;
  listener.note = [](void* /*context*/, const char* text) { add_note(text); };
  return listener;
}

void start_reporter() {
  start_time = now();
  pid = static_cast<uint32_t>(VG_(getpid)());
  parent = static_cast<uint32_t>(VG_(getppid)());
  keep_command();
  // The user's rules are applied by whoever reads the file.
  tl_assert(writer.count_rules({}) <= sizeof(own_rules) / sizeof(own_rules[0]));
  report::SuppressionError error;
  const bool parsed = writer.read_suppressions({}, said.own_rules, own_rules, 0, error);
  tl_assert(parsed);
  if ((said.hazards & options::kHazardLockOrder) != 0) {
    hazard_listener.lock_order.init(detector, memory, &report_lock_order);
  }
  if ((said.hazards & options::kHazardAtomicity) != 0) {
    hazard_listener.atomicity.init(detector, memory, &report_atomicity, [](const Thread& /*self*/, Address address) {
      return address >= current->stack_begin && address < current->stack_end;
    });
  }
  writer.put_start();
  if (const char* why = start_recording(); why != nullptr) refuse(why, said.record);
}

void note_exit_status(int status) { exit_status = status; }

void finish_report() {
  if (static_cast<uint32_t>(VG_(getpid)()) != pid || !writer.finish()) return;
  record_end(exit_status);
  writer.put_end(exit_status);
}

void flush_report() {
  if (!writer.is_finished() && static_cast<uint32_t>(VG_(getpid)()) == pid) writer.put_end(0);
}

void add_note(const char* text) { writer.put_note(text); }

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
  restart_recording();
  writer.restart(static_cast<uint64_t*>(memory.allocate_zeroed((detector.candidates().size() + 1) * sizeof(uint64_t))));
}

}  // namespace norn::vg
