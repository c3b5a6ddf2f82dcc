// From a candidate to a record of the findings file: all that is the same whoever watches the program. Freestanding.
//
// What differs between front ends is said by one: a struct with these members, all of them static.
//
//   kName                                 what the start record calls the front end
//   kTextBytes                            room for the texts of one report
//   Block                                 a block of the heap: address, size, thread, where (of its allocation)
//   detector()
//   current_thread()                      the calling thread in the core; null: it has none
//   process()                             the program, as a Process
//   frames_of(where, frames, most, pool)  the stack, innermost first
//   expression_of(where)                  what the statement calls the location; may be empty
//   size_of(where)                        how much the statement accesses at once; 0: unknown
//   site_id(where)                        the statement's identity in a rebuilt program; 0: it has none
//   thread_name(thread), created_at(thread)
//   locate_special(address, location, pool)   what is no memory: descriptors, state of the C library
//   locate_variable(address, size, accesses, location, pool)   a variable; `accesses` says what the threads were doing
//   find_block(address, block)
//   thread_of_stack(address)              kNoThread: it is nobody's
//   measure(stats)                        time and memory, at the end of the program
//   object_name(address, where, pool)     what people call the lock or object there; `where` is a statement that uses
//   it identity_of(where)                    the statement's identity among those of this program append(line),
//   append_last(line)       a record goes into the file; false: it cannot be recorded. What comes last may
//                                         use room of its own
//   count_lost(race)                      a race was not recorded
//   text_options(), print(text)           what cannot be recorded is printed
//
// One report at a time: whoever has threads takes a lock around all that builds or writes.
#pragma once

#include <new>

#include "base/key_set.h"
#include "base/text_hash.h"
#include "base/text_pool.h"
#include "core/detector.h"
#include "hazards/lock_order.h"
#include "report/finding.h"
#include "report/lock_order_hazard.h"
#include "report/race_id.h"
#include "report/record.h"
#include "report/suppression.h"
#include "report/text_report.h"
#include "report/words/op_names.h"

namespace norn::report {

// Races of the C++ library that are its own affair. Its headers have the first two; in code that was built without norn
// the others are seen, too.
inline constexpr Text kOwnRules =
    "race_top:^std::ctype<char>::narrow  # reason: a cache, filled with the same values by all (GCC 77704)\n"
    "race_top:^std::ctype<char>::widen  # reason: a cache, filled with the same values by all (GCC 77704)\n"
    "race_top:^std::ctype<char>::_M_narrow_init  # reason: a cache, filled with the same values by all (GCC 77704)\n"
    "race_top:^std::ctype<char>::_M_widen_init  # reason: a cache, filled with the same values by all (GCC 77704)\n";

// What a run's summary says of the program itself.
struct Process {
  Text program{};
  List<Text> command{};
  uint32_t pid = 0;
  uint32_t parent = 0;
  EngineKind engine{};
  Text other_engine{};  // the name of one that is not the core's
};

// The innermost frame of the user's own code; the innermost one if there is none.
[[nodiscard]] constexpr Frame own_frame(List<Frame> frames) {
  for (const Frame& frame : frames)
    if (!frame.library) return frame;
  return frames.empty() ? Frame{} : frames[0];
}

// "bank.c:12", or the function where no line is known.
inline void put_line(const Frame& frame, Sink sink) {
  if (frame.file.empty()) return sink.put(frame.function.empty() ? Text("?") : frame.function);
  sink.put(base_name(frame.file));
  sink.put(':');
  sink.put(Decimal(frame.line).text());
}

template <class Front>
class FindingsWriter {
 public:
  constexpr FindingsWriter() = default;
  FindingsWriter(const FindingsWriter&) = delete;
  FindingsWriter& operator=(const FindingsWriter&) = delete;

  // --- suppressions ------------------------------------------------------------------------------------------------

  // Reads the user's rules and, if `own`, norn's. `rules` has room for count_rules(text) of them and stays.
  [[nodiscard]] static size_t count_rules(Text text) {
    return count_rules_at_most(text) + count_rules_at_most(kOwnRules);
  }
  [[nodiscard]] bool read_suppressions(Text text, bool own, Rule* rules, Day today, SuppressionError& error) {
    suppressions_ = ::new (suppressions_bytes_) Suppressions(rules, count_rules(text), today);
    return suppressions_->parse(text, error) && (!own || suppressions_->parse(kOwnRules, error));
  }
  // The rule that the race falls under, which is said of it; null: none. `known`: it was asked for before.
  const Rule* suppress(Race& race, const Rule* known = nullptr) {
    if (known == nullptr && suppressions_ != nullptr) known = suppressions_->match(race);
    race.suppressed = known != nullptr;
    race.suppressed_by = known != nullptr ? known->name : Text();
    return known;
  }

  // --- building: what is built holds until the next one is ---------------------------------------------------------

  void build(const Candidate& candidate, Race& race) {
    pool_.clear();
    race = {};
    describe(candidate, since_fork_, race);
    build_pair(candidate.first, race);
  }
  // A pair that is no candidate of the core's, between the two sites.
  void build_pair(const RacingPair& pair, uint64_t earlier, uint64_t later, Detection detection, Race& race) {
    pool_.clear();
    race = {};
    race.id = race_id(earlier, later);
    race.detection = detection;
    build_pair(pair, race);
  }
  // One that is no race but a flag.
  void build_flag(const RacingPair& pair, uint64_t earlier, uint64_t later, Race& flag) {
    build_pair(pair, earlier, later, Detection::kObserved, flag);
    flag.is_flag = true;
  }

  RunSummary summary(int exit_status, bool ended) {
    const Process process = Front::process();
    RunSummary run;
    run.program = process.program;
    run.command = process.command;
    run.front_end = Front::kName;
    run.pid = process.pid;
    run.parent = process.parent;
    run.exit = exit_status;
    run.ended = ended;
    describe(since_fork_.of(Front::detector().statistics()), process.engine, sync_, run);
    if (!process.other_engine.empty()) run.engine = process.other_engine;
    if (!ended) return run;  // the rest is for the end, and asks the kernel and the clock, which not every thread may
    Front::measure(run.stats);
    const unsigned count = note_count_.load(std::memory_order_acquire);
    const unsigned kept = count < kMaxNotes ? count : kMaxNotes;
    for (unsigned i = 0; i < kept; ++i) note_texts_[i] = notes_[i];
    run.notes = {note_texts_, kept};
    return run;
  }

  // How often a candidate was seen by this process.
  [[nodiscard]] uint64_t count_of(const Candidate& candidate) const { return since_fork_.of(candidate); }

  // --- writing -----------------------------------------------------------------------------------------------------

  // False: there is no room for it.
  [[nodiscard]] bool record(const Race& race) {
    const Text line = format_race(race, pid(), line_, sizeof(line_));
    return !line.empty() && Front::append(line);
  }
  // A race that cannot be recorded is printed, and counted.
  void put(const Race& race) {
    if (record(race)) return;
    Front::count_lost(race);
    if (!race.suppressed) print([&](Sink sink) { render_text(race, summary(0, false), Front::text_options(), sink); });
  }
  void put(const Hazard& hazard) {
    const Text line = format_hazard(hazard, pid(), line_, sizeof(line_));
    if (!line.empty() && Front::append(line)) return;
    print([&](Sink sink) { render_text(hazard, sink); });
  }
  // Whether this hazard was not asked for before. False if there are too many, too.
  [[nodiscard]] bool is_new(const RaceId& hazard) { return hazards_.add(text_hash(hazard.text())); }
  // Locks that are taken in different orders: once for the same statements.
  void put_lock_order(const hazards::LockEdge* edges, unsigned count) {
    pool_.clear();
    if (count > kMaxLockSteps) count = kMaxLockSteps;
    for (unsigned i = 0; i < count; ++i) {
      const hazards::LockEdge& edge = edges[i];
      lock_steps_[i] = {.thread = edge.thread,
                        .thread_name = Front::thread_name(edge.thread),
                        .holds = Front::object_name(edge.holds, edge.holds_at, pool_),
                        .holds_at = line_of(edge.holds_at),
                        .wants = Front::object_name(edge.wants, edge.wants_at, pool_),
                        .wants_at = line_of(edge.wants_at),
                        .site = Front::identity_of(edge.wants_at),
                        .stack = own_frames(edge.wants_at, lock_stacks_[i])};
    }
    const Hazard& hazard = lock_order_.describe({lock_steps_, count});
    if (is_new(hazard.id)) put(hazard);
  }
  // The program's own calls that led there, innermost first.
  static constexpr size_t kMaxStepFrames = 32;
  List<Frame> own_frames(StackId where, Frame (&frames)[kMaxStepFrames]) {
    size_t count = 0;
    for (const Frame& frame : frames_of(where, scratch_))
      if (!frame.library && count < kMaxStepFrames) frames[count++] = frame;
    return {frames, count};
  }
  // The line of the program's own statement there.
  Text line_of(StackId where) {
    char bytes[512];
    Buffer line(bytes, sizeof(bytes));
    put_line(own_frame(frames_of(where, scratch_)), line.sink());
    return pool_.keep(line.text());
  }
  // A sentence on how far the report can be trusted. `text` stays. By any thread at any time.
  void put_note(const char* text) {
    const unsigned at = note_count_.fetch_add(1, std::memory_order_relaxed);
    if (at < kMaxNotes) notes_[at] = text;
    char bytes[512];
    Buffer line(bytes, sizeof(bytes));
    write_note(text, pid(), line.sink());
    if (Front::append(line.text())) return;
    line.clear();
    line.sink().put("norn: ");
    line.sink().put(text);
    line.sink().put('\n');
    Front::print(line.text());
  }
  // What is too long to be put together on a stack is printed by way of the line's memory.
  template <class Put>
  void print(Put put) {
    Buffer text(line_, sizeof(line_));
    put(text.sink());
    Front::print(text.text());
  }

  void put_start() {
    Buffer line(line_, sizeof(line_));
    write_start(summary(0, false), line.sink());
    [[maybe_unused]] const bool done = Front::append(line.text());
  }
  // How often each race was seen.
  void put_counts() {
    for (const Candidate* candidate = Front::detector().candidates().first(); candidate != nullptr;
         candidate = candidate->next.load(std::memory_order_acquire)) {
      if (count_of(*candidate) == 0) continue;
      Race race;
      describe(*candidate, since_fork_, race);
      Buffer line(line_, sizeof(line_));
      write_count(race, pid(), line.sink());
      if (!Front::append(line.text())) break;
    }
  }
  // That, and how the program ended; before an exec, too.
  void put_end(int exit_status, bool becomes_another = false) {
    put_counts();
    Buffer line(line_, sizeof(line_));
    RunSummary run = summary(exit_status, true);
    run.becomes_another = becomes_another;
    write_end(run, line.sink());
    [[maybe_unused]] const bool done = Front::append_last(line.text());
  }

  // Nothing is built or written from here on. False: so it was already.
  bool finish() {
    if (finished_) return false;
    return finished_ = true;
  }
  [[nodiscard]] bool is_finished() const { return finished_; }

  // In a forked child. `counts` as for CountsSinceFork::begin.
  void restart(uint64_t* counts) {
    since_fork_.begin(Front::detector().statistics(), Front::detector().candidates(), counts);
    finished_ = false;
    note_count_.store(0, std::memory_order_relaxed);
    put_start();
  }

  // For what else is said of the program: texts that hold until the next report is built.
  [[nodiscard]] TextPool& pool() { return pool_; }

 private:
  static constexpr size_t kMaxFrames = 160;
  static constexpr size_t kMaxLocks = 16;
  static constexpr unsigned kMaxNotes = 16;
  static constexpr unsigned kMaxLockSteps = LockOrderDescription::kMaxSteps;
  using Frames = Frame[kMaxFrames];

  [[nodiscard]] static uint32_t pid() { return Front::process().pid; }
  [[nodiscard]] List<Frame> frames_of(StackId where, Frames& frames) {
    return Front::frames_of(where, frames, kMaxFrames, pool_);
  }

  void build_pair(const RacingPair& pair, Race& race) {
    build_access(pair.later, 0, pair.size, race.accesses[0]);
    build_access(pair.earlier, 1, pair.size, race.accesses[1]);
    race.accesses[0].locks = locks_of(pair.later, race.accesses, locks_[0]);
    race.accesses[1].locks = locks_of(pair.earlier, race.accesses, locks_[1]);
    build_location(pair, race.accesses, race.location);
    complete(race);
  }

  void build_access(const RacingAccess& racing, unsigned which, uint64_t common, Access& access) {
    access = {};
    access.op = op_of(racing.kind);
    const uint64_t size = Front::size_of(racing.where);
    access.size = size != 0 ? size : common;
    access.thread = racing.thread;
    access.thread_name = Front::thread_name(racing.thread);
    access.thread_created_at = frames_of(Front::created_at(racing.thread), creations_[which]);
    access.stack = frames_of(racing.where, stacks_[which]);
    access.stack_lost = access.stack.empty();
    access.site = own_frame(access.stack);
    access.expression = Front::expression_of(racing.where);
    access.site_id = Front::site_id(racing.where);
  }

  List<LockHeld> locks_of(const RacingAccess& racing, const Access (&accesses)[2], LockHeld (&held)[kMaxLocks]) {
    Detector& detector = Front::detector();
    Locksets& locksets = detector.locksets();
    size_t count = 0;
    for (unsigned i = 0; i < locksets.size(racing.lockset) && count < kMaxLocks; ++i) {
      const LockId lock = locksets.lock_at(racing.lockset, i);
      const LockInfo* info = detector.lock_info(lock);
      if (info == nullptr) continue;
      LockHeld& entry = held[count++];
      entry = {};
      entry.address = info->address;
      entry.mode = locksets.mode_at(racing.lockset, i) == LockMode::kShared ? HeldMode::kShared : HeldMode::kExclusive;
      const StackId where = detector.lock_taken_at(lock, racing.thread, Front::current_thread());
      entry.taken_at = own_frame(frames_of(where, scratch_));
      Location location;
      if (Front::locate_variable(info->address, 1, accesses, location, pool_)) {
        entry.name = location.name.empty() ? location.object : location.name;
      } else {
        entry.name = Front::expression_of(where);
      }
    }
    return {held, count};
  }

  void build_location(const RacingPair& pair, const Access (&accesses)[2], Location& location) {
    location = {};
    location.address = pair.address;
    location.size = pair.size;
    for (const Access& access : accesses) {
      const bool is_one_access = access.size <= 16 && !is_of_block(access.op);
      if (is_one_access && access.size > location.size) location.size = access.size;
    }
    if (Front::locate_special(pair.address, location, pool_)) return;
    const bool is_variable = Front::locate_variable(pair.address, location.size, accesses, location, pool_);
    // What the two statements call it; a free names the whole block.
    for (const Access& access : accesses) {
      if (location.name.empty() && !is_of_block(access.op)) location.name = access.expression;
    }
    if (is_variable) {
      if (location.name.empty()) location.name = location.object;
      if (location.kind == LocationKind::kStack) belongs_to_stack(location);
      return;
    }
    if (typename Front::Block block; Front::find_block(pair.address, block)) {
      location.kind = LocationKind::kHeap;
      location.object_size = block.size;
      location.offset = pair.address - block.address;
      location.allocated_at = frames_of(block.where, allocation_);
      belongs_to(location, block.thread, Front::thread_name(block.thread));
      return;
    }
    belongs_to_stack(location);
  }

  static void belongs_to_stack(Location& location) {
    const ThreadId owner = Front::thread_of_stack(location.address);
    if (owner == kNoThread) return;
    location.kind = LocationKind::kStack;
    belongs_to(location, owner, Front::thread_name(owner));
  }

  // Not on a stack: a thread that finds a race may have little of it. Apart from the rest, as memory that need not be
  // in the program's file; so there is one writer for a front end.
  static inline constinit Frames stacks_[2] = {};
  static inline constinit Frames creations_[2] = {};
  static inline constinit Frames allocation_ = {};
  static inline constinit Frames scratch_ = {};  // for what only one frame, or some, are kept of
  static inline constinit LockHeld locks_[2][kMaxLocks] = {};
  static inline constinit LockOrderDescription lock_order_ = {};
  static inline constinit LockOrderStep lock_steps_[kMaxLockSteps] = {};
  static inline constinit Frame lock_stacks_[kMaxLockSteps][kMaxStepFrames] = {};
  static inline constinit KeySet hazards_ = {};  // that were reported
  static inline constinit char texts_[Front::kTextBytes] = {};
  static inline constinit char line_[1 << 17] = {};

  TextPool pool_{texts_, sizeof(texts_)};
  CountsSinceFork since_fork_;
  bool finished_ = false;
  alignas(Suppressions) char suppressions_bytes_[sizeof(Suppressions)] = {};
  Suppressions* suppressions_ = nullptr;
  const char* notes_[kMaxNotes] = {};
  std::atomic<unsigned> note_count_{0};
  NamedCount sync_[1] = {};
  Text note_texts_[kMaxNotes] = {};
};

}  // namespace norn::report
