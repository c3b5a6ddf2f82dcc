// Every option of a run, as data: one table for the command line (--fail-on=any), for NORN_OPTIONS (fail_on=any), for
// the keys of TSAN_OPTIONS that mean something here, and for the manual. Freestanding.
//
// A list of options is `key=value` joined by ':' or white space (in TSAN_OPTIONS also by ','). A value that has a
// separator in it stands in quotes: 'a:b' or "a:b". A key without a value is a flag that is on. Of a key said twice the
// last one counts. In a key '-' is the same as '_'.
#pragma once

#include "base/sink.h"
#include "core/event.h"

namespace norn::options {

enum class FailOn : uint32_t { kAny, kObserved, kConfirmed, kNone };
enum class ColorMode : uint32_t { kAuto, kAlways, kNever };
enum class Flags : uint32_t { kNote, kRace };
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
  bool lib = true;
  bool new_memory = true;
  bool own_rules = true;
  Flags flags = Flags::kNote;
  FailOn fail_on = FailOn::kObserved;
  uint32_t exitcode = 66;  // 0: the program's own status is never changed
  bool halt_on_error = false;
  Text findings{};  // a path, or "fd:N"; empty: the program renders text itself
  Text suppressions{};
  Text dump_cfg{};
  Text log_path{};  // empty: stderr
  ColorMode color = ColorMode::kAuto;
  uint32_t verbose = 0;                  // a set of Verbose
  uint32_t hazards = kHazardsByDefault;  // a set of Hazards
  uint32_t memory_limit = 0;             // MB of history; 0: as much as the shadow takes
  // Controlled execution (docs/design/schedule.md). Off: the program's threads run as they like.
  uint32_t schedule = 0;  // schedule::StrategyKind
  uint32_t seed = 0;
  Text sites{};      // of the candidate: identities in hex or file@line, joined by ','
  Text outcome{};    // a file for schedule::Outcome
  Text decisions{};  // a file for the log
  Text expected{};   // a log to compare with, and to follow with schedule=replay
  uint32_t depth = 3;
  uint32_t length = 1000;
  bool accesses = false;
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
  Text key;
  OptionKind kind;
  Text values;    // kChoice, kSet: joined by '|', in the order of the enumeration; else what stands for a value in help
  Text fallback;  // the default, in words
  Text help;
  Text tsan{};  // the key of TSAN_OPTIONS that means the same
  uint64_t max = ~uint64_t{0};
  OptionUse use = OptionUse::kEverywhere;
};

inline constexpr Option kOptions[] = {
    {"engine", OptionKind::kChoice, "hybrid|hb|msm-short|msm-long", "hybrid",
     "what makes a race: happens-before and locks (hybrid), happens-before alone (hb: no predictions), or the memory "
     "state machines for short and long runs"},
    {"cv", OptionKind::kChoice, "off|lost|wr", "wr",
     "how waits on condition variables order threads: by the wake-up alone (off), lost signals too (lost), or by what "
     "the signaller wrote and the waiter read (wr)"},
    {"spin",
     OptionKind::kNumber,
     "N",
     "7",
     "longest loop, in basic blocks, taken for a spinning wait; 0 is off",
     {},
     1000},
    {"handover", OptionKind::kFlag, "on|off", "on",
     "whether who reads under a lock what another wrote under it is ordered after that; off: such order counts as an "
     "accident, and more is predicted"},
    {"lib", OptionKind::kFlag, "on|off", "on",
     "whether the thread library's primitives are known; off: only loops order threads"},
    {"new_memory", OptionKind::kFlag, "on|off", "on",
     "whether what a thread does to memory that it has just allocated comes before all that others do to it; off: more "
     "is predicted"},
    {"own_rules", OptionKind::kFlag, "on|off", "on",
     "whether races that the C++ library's own headers are known to have are passed over"},
    {"flags", OptionKind::kChoice, "note|race", "note",
     "what a variable is that a loop waits for though it is not atomic: worth a note, or a race"},
    {"strict", OptionKind::kFlag, "on|off", "off",
     "judge by the language and POSIX alone: spin=0, cv=off, handover=off, new_memory=off, own_rules=off, flags=race"},
    {"dump_cfg", OptionKind::kText, "FILE", "none", "write the loops that wait, as they were compiled, for graphviz"},
    {"fail_on", OptionKind::kChoice, "any|observed|confirmed|none", "observed",
     "the weakest race that changes the exit status"},
    {"exitcode", OptionKind::kNumber, "N", "66", "the exit status for races; 0 leaves the program's own", "exitcode",
     255},
    {"halt_on_error", OptionKind::kFlag, "on|off", "off", "end the program at the first race", "halt_on_error"},
    {"suppressions", OptionKind::kText, "FILE", "none", "rules for races not to report, in TSan's or Valgrind's format",
     "suppressions"},
    {"color", OptionKind::kChoice, "auto|always|never", "auto", "colour in text reports", "color"},
    {"log_path", OptionKind::kText, "FILE", "stderr",
     "where a program started by hand writes its report; its pid is appended", "log_path", ~uint64_t{0},
     OptionUse::kByHand},
    {"verbose", OptionKind::kSet, "suppressions|options|stats|loops", "none", "say more about these"},
    {"hazards", OptionKind::kSet, "lock-order|atomicity|misuse|thread-leak|signals",
     "lock-order,misuse,thread-leak,signals",
     "what else may go wrong: locks taken in different orders, regions of a lock that should be one (atomicity: the "
     "program then runs one thread at a time), locks used as they must not be, threads that nobody joins, handlers "
     "that "
     "call what is not safe there or change errno"},
    {"memory_limit", OptionKind::kNumber, "MB", "0",
     "how much memory the history of accesses may take, about; what is oldest is forgotten then; 0: what the shadow "
     "takes",
     "memory_limit_mb", 1u << 24},
    {"findings",
     OptionKind::kText,
     "PATH",
     "none",
     "where findings are recorded: a file, or fd:N",
     {},
     ~uint64_t{0},
     OptionUse::kStarter},
    {"schedule",
     OptionKind::kChoice,
     "off|random|race-directed|pct|pos|rr|replay",
     "off",
     "run one thread at a time, chosen by this strategy",
     {},
     ~uint64_t{0},
     OptionUse::kStarter},
    {"seed", OptionKind::kNumber, "N", "0", "of the schedule", {}, 0xffffffff, OptionUse::kStarter},
    {"sites",
     OptionKind::kText,
     "A,B",
     "none",
     "the statements to bring together: identities in hexadecimal, or FILE@LINE; +C: the first one only after this",
     {},
     ~uint64_t{0},
     OptionUse::kStarter},
    {"outcome",
     OptionKind::kText,
     "FILE",
     "none",
     "where a controlled run counts what happened",
     {},
     ~uint64_t{0},
     OptionUse::kStarter},
    {"decisions",
     OptionKind::kText,
     "FILE",
     "none",
     "where a controlled run logs what was decided",
     {},
     ~uint64_t{0},
     OptionUse::kStarter},
    {"expected",
     OptionKind::kText,
     "FILE",
     "none",
     "a log of decisions to compare with, and to follow with schedule=replay",
     {},
     ~uint64_t{0},
     OptionUse::kStarter},
    {"depth", OptionKind::kNumber, "N", "3", "of pct: one more than its change points", {}, 16, OptionUse::kStarter},
    {"length",
     OptionKind::kNumber,
     "N",
     "1000",
     "of pct: how many decisions a run has, about",
     {},
     0xffffffff,
     OptionUse::kStarter},
    {"accesses",
     OptionKind::kFlag,
     "on|off",
     "off",
     "threads may be switched at each access, not only at those of interest",
     {},
     ~uint64_t{0},
     OptionUse::kStarter},
    {"places",
     OptionKind::kFlag,
     "on|off",
     "off",
     "a controlled run says what the sites in its log are called",
     {},
     ~uint64_t{0},
     OptionUse::kStarter},
    {"debug",
     OptionKind::kFlag,
     "on|off",
     "off",
     "a controlled run stops for a debugger where the candidate's statements meet, or at a deadlock",
     {},
     ~uint64_t{0},
     OptionUse::kStarter},
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

// The one of `names` (joined by '|') that `word` was most likely meant to be; empty if none is near.
[[nodiscard]] Text nearest_name(Text word, Text names);
[[nodiscard]] Text nearest_option(Text key);

// How many insertions, deletions, replacements and swaps of neighbours lead from a to b. Words are cut at 64 bytes.
[[nodiscard]] size_t edit_distance(Text a, Text b);

}  // namespace norn::options
