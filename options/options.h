// Every option of a run, as data: one table for the command line (--fail-on=any), for NORN_OPTIONS (fail_on=any), for
// the keys of TSAN_OPTIONS that mean something here, and for the manual. Freestanding.
//
// A list of options is `key=value` joined by ':' or white space (in TSAN_OPTIONS also by ','). A value that has a
// separator in it stands in quotes: 'a:b' or "a:b". A key without a value is a flag that is on. Of a key said twice the
// last one counts. In a key '-' is the same as '_'.
#pragma once

#include "base/sink.h"
#include "core/engine/engines.h"
#include "schedule/strategies.h"

namespace norn::options {

enum class FailOn : uint32_t { kAny, kObserved, kConfirmed, kNone };
enum class ColorMode : uint32_t { kAuto, kAlways, kNever };
enum class Flags : uint32_t { kNote, kRace };
enum class History : uint32_t { kShort, kFull };
inline constexpr unsigned kShortHistory = 2;  // accesses
enum Hazards : uint32_t {
  kHazardLockOrder = 1,
  kHazardAtomicity = 2,
  kHazardMisuse = 4,
  kHazardThreadLeak = 8,
  kHazardSignals = 16,
  kHazardsByDefault = kHazardLockOrder | kHazardMisuse | kHazardThreadLeak | kHazardSignals,
};
enum Verbose : uint32_t { kVerboseSuppressions = 1, kVerboseOptions = 2, kVerboseStats = 4, kVerboseLoops = 8 };

// What the options say. Texts point into the string that was parsed, which must outlive them.
struct Settings {
  EngineKind engine = EngineKind::kHybrid;
  ConditionMode cv = ConditionMode::kWriteRead;
  uint32_t spin = 7;
  bool handover = true;
  History history = History::kShort;
  bool lib = true;
  bool new_memory = true;
  bool own_rules = true;
  Flags flags = Flags::kNote;
  FailOn fail_on = FailOn::kObserved;
  uint32_t exitcode = 66;  // 0: the program's own status is never changed
  bool halt_on_error = false;
  Text findings{};  // a path, or "fd:N"; empty: the program renders text itself
  Text record{};    // a directory for traces; empty: nothing is recorded
  Text suppressions{};
  Text dump_cfg{};
  Text log_path{};  // empty: stderr
  ColorMode color = ColorMode::kAuto;
  uint32_t verbose = 0;                  // a set of Verbose
  uint32_t hazards = kHazardsByDefault;  // a set of Hazards
  uint32_t memory_limit = 0;             // MB of history; 0: as much as the shadow takes
  // Controlled execution (docs/design/schedule.md). Off: the program's threads run as they like.
  schedule::StrategyKind schedule = schedule::StrategyKind::kOff;
  uint32_t seed = 0;
  uint64_t order = 0;  // schedule::Order; 0: none
  Text sites{};        // of the candidate: identities in hex or file@line, joined by ','
  Text outcome{};      // a file for schedule::Outcome
  Text decisions{};    // a file for the log
  Text expected{};     // a log to compare with, and to follow with schedule=replay
  Text guide{};        // of reads-from: its constraints; of frontier: the way back
  Text states{};       // a file for the marks of its states (schedule/state_mark.h)
  Text capture{};      // a file for what is written (schedule/capture.h)
  Text predicate{};    // a file with what must hold (schedule/predicate.h)
  Text predicate_text{};
  Text what_if{};  // locks that are not taken: FILE:LINE, or the name of a function
  uint32_t depth = 3;
  uint32_t length = 1000;
  bool accesses = false;
  bool memory = false;  // guarded (runtime/memory/guard.h)
  bool debug = false;
  bool places = false;

  bool operator==(const Settings&) const = default;
};

enum class OptionKind : uint8_t {
  kChoice,  // one of `values`
  kSet,     // some of `values`, joined by ',' or '+'; alone: all of them
  kNumber,  // at most `max`
  kFlag,    // on, off, 1, 0, yes, no, true, false
  kText,    // anything, as a path
};

enum class OptionUse : uint8_t {
  kEverywhere,
  kByHand,   // only for a program started by hand
  kStarter,  // only for whoever starts programs, not for people
};

struct Option {
  Text key{};
  OptionKind kind{};
  Text values{};  // kChoice, kSet: joined by '|', in the order of the enumeration; else what stands for a value in help
  Text fallback{};  // the default, in words
  Text help{};
  void (*store)(Settings& settings, uint64_t number, Text text) = nullptr;  // where the value goes
  Text tsan{};  // the key of TSAN_OPTIONS that means the same
  uint64_t max = 0xffffffff;
  OptionUse use = OptionUse::kEverywhere;
};

// A value as it was read: a text, or a number (of a choice its place, of a set its bits).
inline void assign(Text& to, uint64_t /*number*/, Text text) { to = text; }
inline void assign(bool& to, uint64_t number, Text /*text*/) { to = number != 0; }
template <class Value>
void assign(Value& to, uint64_t number, Text /*text*/) {
  to = static_cast<Value>(number);
}
template <auto kMember>
void store_in(Settings& settings, uint64_t number, Text text) {
  assign(settings.*kMember, number, text);
}
void store_strict(Settings& settings, uint64_t number, Text text);

inline constexpr Option kOptions[] = {
    {.key = "engine",
     .kind = OptionKind::kChoice,
     .values = kEngineNames,
     .fallback = "hybrid",
     .help = "what makes a race: happens-before and locks (hybrid), happens-before alone (hb: no predictions), or the "
             "memory state machines for short and long runs",
     .store = &store_in<&Settings::engine>},
    {.key = "cv",
     .kind = OptionKind::kChoice,
     .values = "off|lost|wr",
     .fallback = "wr",
     .help = "how waits on condition variables order threads: by the wake-up alone (off), lost signals too (lost), or "
             "by what the signaller wrote and the waiter read (wr)",
     .store = &store_in<&Settings::cv>},
    {.key = "spin",
     .kind = OptionKind::kNumber,
     .values = "N",
     .fallback = "7",
     .help = "longest loop, in basic blocks, taken for a spinning wait; 0 is off",
     .store = &store_in<&Settings::spin>,
     .max = 1000},
    {.key = "handover",
     .kind = OptionKind::kFlag,
     .values = "on|off",
     .fallback = "on",
     .help = "whether who reads under a lock what another wrote under it is ordered after that; off: such order counts "
             "as an accident, and more is predicted",
     .store = &store_in<&Settings::handover>},
    {.key = "history",
     .kind = OptionKind::kChoice,
     .values = "short|full",
     .fallback = "short",
     .help = "how many accesses a location remembers for predictions alone, those that only locks put before a later "
             "one: the newest two, or all",
     .store = &store_in<&Settings::history>},
    {.key = "lib",
     .kind = OptionKind::kFlag,
     .values = "on|off",
     .fallback = "on",
     .help = "whether the thread library's primitives are known; off: only loops order threads",
     .store = &store_in<&Settings::lib>},
    {.key = "new_memory",
     .kind = OptionKind::kFlag,
     .values = "on|off",
     .fallback = "on",
     .help = "whether what a thread does to memory that it has just allocated comes before all that others do to it; "
             "off: more is predicted",
     .store = &store_in<&Settings::new_memory>},
    {.key = "own_rules",
     .kind = OptionKind::kFlag,
     .values = "on|off",
     .fallback = "on",
     .help = "whether races that the C++ library's own headers are known to have are passed over",
     .store = &store_in<&Settings::own_rules>},
    {.key = "flags",
     .kind = OptionKind::kChoice,
     .values = "note|race",
     .fallback = "note",
     .help = "what a variable is that a loop waits for though it is not atomic: worth a note, or a race",
     .store = &store_in<&Settings::flags>},
    {.key = "strict",
     .kind = OptionKind::kFlag,
     .values = "on|off",
     .fallback = "off",
     .help = "judge by the language and POSIX alone: spin=0, cv=off, handover=off, new_memory=off, own_rules=off, "
             "flags=race",
     .store = &store_strict},
    {.key = "dump_cfg",
     .kind = OptionKind::kText,
     .values = "FILE",
     .fallback = "none",
     .help = "write the loops that wait, as they were compiled, for graphviz",
     .store = &store_in<&Settings::dump_cfg>},
    {.key = "fail_on",
     .kind = OptionKind::kChoice,
     .values = "any|observed|confirmed|none",
     .fallback = "observed",
     .help = "the weakest race that changes the exit status (observed: proved ones, too)",
     .store = &store_in<&Settings::fail_on>},
    {.key = "exitcode",
     .kind = OptionKind::kNumber,
     .values = "N",
     .fallback = "66",
     .help = "the exit status for races; 0 leaves the program's own",
     .store = &store_in<&Settings::exitcode>,
     .tsan = "exitcode",
     .max = 255},
    {.key = "halt_on_error",
     .kind = OptionKind::kFlag,
     .values = "on|off",
     .fallback = "off",
     .help = "end the program at the first race",
     .store = &store_in<&Settings::halt_on_error>,
     .tsan = "halt_on_error"},
    {.key = "suppressions",
     .kind = OptionKind::kText,
     .values = "FILE",
     .fallback = "none",
     .help = "rules for races not to report, in TSan's or Valgrind's format",
     .store = &store_in<&Settings::suppressions>,
     .tsan = "suppressions"},
    {.key = "color",
     .kind = OptionKind::kChoice,
     .values = "auto|always|never",
     .fallback = "auto",
     .help = "colour in text reports",
     .store = &store_in<&Settings::color>,
     .tsan = "color"},
    {.key = "log_path",
     .kind = OptionKind::kText,
     .values = "FILE",
     .fallback = "stderr",
     .help = "where a program started by hand writes its report; its pid is appended",
     .store = &store_in<&Settings::log_path>,
     .tsan = "log_path",
     .use = OptionUse::kByHand},
    {.key = "verbose",
     .kind = OptionKind::kSet,
     .values = "suppressions|options|stats|loops",
     .fallback = "none",
     .help = "say more about these",
     .store = &store_in<&Settings::verbose>},
    {.key = "hazards",
     .kind = OptionKind::kSet,
     .values = "lock-order|atomicity|misuse|thread-leak|signals",
     .fallback = "lock-order,misuse,thread-leak,signals",
     .help = "what else may go wrong: locks taken in different orders, regions of a lock that should be one "
             "(atomicity: the program then runs one thread at a time), locks used as they must not be, threads that "
             "nobody joins, handlers that call what is not safe there or change errno",
     .store = &store_in<&Settings::hazards>},
    {.key = "what_if",
     .kind = OptionKind::kText,
     .values = "FILE:LINE",
     .fallback = "none",
     .help = "what if the lock that is taken in this line were not taken, or the barrier not waited at: it is not; "
             "several are joined by ','",
     .store = &store_in<&Settings::what_if>},
    {.key = "memory_limit",
     .kind = OptionKind::kNumber,
     .values = "MB",
     .fallback = "0",
     .help = "how much memory the history of accesses may take, about; what is oldest is forgotten then; 0: what the "
             "shadow takes",
     .store = &store_in<&Settings::memory_limit>,
     .tsan = "memory_limit_mb",
     .max = 1u << 24},
    {.key = "findings",
     .kind = OptionKind::kText,
     .values = "PATH",
     .fallback = "none",
     .help = "where findings are recorded: a file, or fd:N",
     .store = &store_in<&Settings::findings>,
     .use = OptionUse::kStarter},
    {.key = "record",
     .kind = OptionKind::kText,
     .values = "DIRECTORY",
     .fallback = "none",
     .help = "where every process writes its trace: an existing directory",
     .store = &store_in<&Settings::record>,
     .use = OptionUse::kStarter},
    {.key = "schedule",
     .kind = OptionKind::kChoice,
     .values = schedule::kStrategyNames,
     .fallback = "off",
     .help = "run one thread at a time, chosen by this strategy",
     .store = &store_in<&Settings::schedule>,
     .use = OptionUse::kStarter},
    {.key = "seed",
     .kind = OptionKind::kNumber,
     .values = "N",
     .fallback = "0",
     .help = "of the schedule",
     .store = &store_in<&Settings::seed>,
     .max = 0xffffffff,
     .use = OptionUse::kStarter},
    {.key = "order",
     .kind = OptionKind::kNumber,
     .values = "N",
     .fallback = "0",
     .help = "which meeting of the candidate is resolved how (schedule/strategies/two_orders.h)",
     .store = &store_in<&Settings::order>,
     .max = ~uint64_t{0},
     .use = OptionUse::kStarter},
    {.key = "sites",
     .kind = OptionKind::kText,
     .values = "A,B",
     .fallback = "none",
     .help =
         "the statements to bring together: identities in hexadecimal, or FILE@LINE; +C: the first one only after this",
     .store = &store_in<&Settings::sites>,
     .use = OptionUse::kStarter},
    {.key = "outcome",
     .kind = OptionKind::kText,
     .values = "FILE",
     .fallback = "none",
     .help = "where a controlled run counts what happened",
     .store = &store_in<&Settings::outcome>,
     .use = OptionUse::kStarter},
    {.key = "decisions",
     .kind = OptionKind::kText,
     .values = "FILE",
     .fallback = "none",
     .help = "where a controlled run logs what was decided",
     .store = &store_in<&Settings::decisions>,
     .use = OptionUse::kStarter},
    {.key = "expected",
     .kind = OptionKind::kText,
     .values = "FILE",
     .fallback = "none",
     .help = "a log of decisions to compare with, and to follow with schedule=replay",
     .store = &store_in<&Settings::expected>,
     .use = OptionUse::kStarter},
    {.key = "guide",
     .kind = OptionKind::kText,
     .values = "TEXT",
     .fallback = "none",
     .help = "of reads-from: pairs of statements WRITE>READ that are wanted, or not (!WRITE>READ); of frontier: the "
             "schedule to begin with, THREAD.STEPS-…",
     .store = &store_in<&Settings::guide>,
     .use = OptionUse::kStarter},
    {.key = "states",
     .kind = OptionKind::kText,
     .values = "FILE",
     .fallback = "none",
     .help = "where a controlled run says in which states it was",
     .store = &store_in<&Settings::states>,
     .use = OptionUse::kStarter},
    {.key = "capture",
     .kind = OptionKind::kText,
     .values = "FILE",
     .fallback = "none",
     .help = "where a controlled run keeps what it writes, stream by stream",
     .store = &store_in<&Settings::capture>,
     .use = OptionUse::kStarter},
    {.key = "predicate",
     .kind = OptionKind::kText,
     .values = "FILE",
     .fallback = "none",
     .help = "what must hold at each point of a controlled run, compiled",
     .store = &store_in<&Settings::predicate>,
     .use = OptionUse::kStarter},
    {.key = "predicate_text",
     .kind = OptionKind::kText,
     .values = "EXPRESSION",
     .fallback = "none",
     .help = "the same in words",
     .store = &store_in<&Settings::predicate_text>,
     .use = OptionUse::kStarter},
    {.key = "depth",
     .kind = OptionKind::kNumber,
     .values = "N",
     .fallback = "3",
     .help = "of pct: one more than its change points",
     .store = &store_in<&Settings::depth>,
     .max = 16,
     .use = OptionUse::kStarter},
    {.key = "length",
     .kind = OptionKind::kNumber,
     .values = "N",
     .fallback = "1000",
     .help = "of pct: how many decisions a run has, about",
     .store = &store_in<&Settings::length>,
     .max = 0xffffffff,
     .use = OptionUse::kStarter},
    {.key = "accesses",
     .kind = OptionKind::kFlag,
     .values = "on|off",
     .fallback = "off",
     .help = "threads may be switched at each access, not only at those of interest",
     .store = &store_in<&Settings::accesses>,
     .use = OptionUse::kStarter},
    {.key = "memory",
     .kind = OptionKind::kFlag,
     .fallback = "off",
     .help = "whether a controlled run ends at a use of freed memory or one beyond a block's end",
     .store = &store_in<&Settings::memory>,
     .use = OptionUse::kStarter},
    {.key = "places",
     .kind = OptionKind::kFlag,
     .values = "on|off",
     .fallback = "off",
     .help = "a controlled run says what the sites in its log are called",
     .store = &store_in<&Settings::places>,
     .use = OptionUse::kStarter},
    {.key = "debug",
     .kind = OptionKind::kFlag,
     .values = "on|off",
     .fallback = "off",
     .help = "a controlled run stops for a debugger where the candidate's statements meet, or at a deadlock",
     .store = &store_in<&Settings::debug>,
     .use = OptionUse::kStarter},
};

struct OptionError {
  char bytes[256] = {};
  size_t size = 0;
  [[nodiscard]] Text message() const { return {bytes, size}; }
};

// The option of that name, null if there is none.
[[nodiscard]] const Option* find_option(Text key);

// The option that a key of TSAN_OPTIONS means, null if none.
[[nodiscard]] const Option* find_tsan_option(Text key);

// Sets one option. On false nothing changed, and `error` is one line that says what is wrong and what is meant.
[[nodiscard]] bool set_option(Settings& settings, Text key, Text value, OptionError& error);

// Sets all options of a list. On false, those before the wrong one were set.
[[nodiscard]] bool parse_options(Settings& settings, Text list, OptionError& error);

// Sets what a value of TSAN_OPTIONS means here. Its other known keys are passed over; for a key that even TSan does
// not know, `unknown` is called with the words to say. Never an error: the variable may be meant for other programs.
void parse_tsan_options(Settings& settings, Text list, void (*unknown)(void* context, Text message), void* context);

// Takes the next `key=value` off `list`; false at its end.
[[nodiscard]] bool next_option(Text& list, Text& key, Text& value, bool commas_separate = false);

// The names of a list joined by '|', in words: "hybrid, hb or msm-short".
void put_names(Text names, Sink sink);

// The one of `names` (joined by '|') that `word` was most likely meant to be; empty if none is near.
[[nodiscard]] Text nearest_name(Text word, Text names);
[[nodiscard]] Text nearest_option(Text key);

// How many insertions, deletions, replacements and swaps of neighbours lead from a to b. Words are cut at 64 bytes.
[[nodiscard]] size_t edit_distance(Text a, Text b);

}  // namespace norn::options
