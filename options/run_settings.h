// What the options of a run say (options/options.h reads them). Freestanding.
#pragma once

#include "base/text.h"
#include "core/engine/engines.h"
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

}  // namespace norn::options
