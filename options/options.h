// Every option of a run, as data: one table (option_table.cc) for the command line (--fail-on=any), for NORN_OPTIONS
// (fail_on=any), for the keys of TSAN_OPTIONS that mean something here, and for the manual. Freestanding.
//
// A list of options is `key=value` joined by ':' or white space (in TSAN_OPTIONS also by ','). A value that has a
// separator in it stands in quotes: 'a:b' or "a:b". A key without a value is a flag that is on. Of a key said twice the
// last one counts. In a key '-' is the same as '_'.
#pragma once

#include "base/list.h"
#include "base/sink.h"
#include "core/engine/engine_kind.h"
#include "schedule/strategy_kind.h"

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
  Text keep_inputs{};  // a file for what comes from outside (schedule/input_log.h)
  Text inputs{};       // one that a run has kept: nothing comes from outside but that
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

// All of them, one row each (option_table.cc).
[[nodiscard]] List<Option> all_options();

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
