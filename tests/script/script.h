// Event scripts: executions written down by hand.
//
//   t1 fork t2
//   t1 lock m; t1 write x @a; t1 unlock m
//   t2 write x @b                              # a comment
//   expect observed x @a @b
//
// One statement per line or `;`. `tN` is the thread of number N. Every other name is a region of memory of its
// own, 64-byte aligned and far from all others: `x` is its first 4 bytes, `x+3` the 4 bytes from its third on,
// `x+3:2` only 2 of them; a synchronization object lies at its first byte (or at `m+16`). `alloc`, `free`,
// `realloc` and `benign` without a size mean the whole region, 256 bytes. `@a` names a site. An event without a
// site has one of its own. docs/design/order.md says what each event means, tests/README.md lists the statements.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/engines.h"
#include "core/event.h"

namespace norn::script {

inline constexpr Address kFirstRegion = 0x100000;
inline constexpr Address kRegionStride = 0x10000;  // a range may be larger than the region's nominal size
inline constexpr uint64_t kRegionSize = 256;
inline constexpr uint64_t kDefaultSize = 4;

// `expect [ENGINE:] none|observed|predicted|race [LOCATION [@a @b]]`.
struct Expectation {
  enum class What { kNone, kObserved, kPredicted, kRace };
  What what{};
  std::optional<EngineKind> engine;  // none: every engine of the script that knows this standing
  bool anywhere = false;             // `expect none` without a location
  bool exact_bytes = false;          // the location was given with an offset or size: each of its bytes is meant
  Address address = 0;
  uint64_t size = 0;
  std::optional<std::pair<StackId, StackId>> sites;
  size_t line = 0;
  std::string text;
};

// `state [ENGINE:] LOCATION NAME`: what a state machine says of the location's first byte after `after` events.
struct StateExpectation {
  std::optional<EngineKind> engine;
  Address address = 0;
  std::string state;
  size_t after = 0;
  size_t line = 0;
};

struct Script {
  std::vector<Event> events;
  std::vector<size_t> lines;         // of each event
  std::vector<std::string> regions;  // region i starts at kFirstRegion + i * kRegionStride
  std::vector<std::string> sites;    // the site of Where w is sites[w - 1]; empty: the event's own
  std::vector<EngineKind> engines{EngineKind::kHb, EngineKind::kHybrid};
  ConditionMode cv = ConditionMode::kOff;
  bool spin = true;
  bool handover = true;
  bool lib = true;
  std::vector<Expectation> expectations;
  std::vector<StateExpectation> states;

  [[nodiscard]] std::string place(Address address) const;  // "x+3"
  [[nodiscard]] std::string site(StackId where) const;     // "@a", or "line 7"
};

struct ScriptError {
  std::string message;  // file:line:column: what is wrong
};

struct ParseResult {
  Script script;
  std::optional<ScriptError> error;
};

[[nodiscard]] ParseResult parse(std::string_view text, std::string_view file = "script");

// The same, for tests that write their scripts literally: throws std::invalid_argument with the message.
[[nodiscard]] Script parse_or_throw(std::string_view text);

// The events as a script that can be pasted into a test. parse(print(s)) has the events of s.
[[nodiscard]] std::string print(const Script& script);

// Names for events that come from elsewhere: a region per 64 KiB touched. The addresses stay as they are only if
// they already lie as a script lays them out; otherwise they are moved, region by region.
[[nodiscard]] Script from_events(std::span<const Event> events);

[[nodiscard]] std::string_view name_of(EngineKind engine);
[[nodiscard]] std::string_view name_of(MemoryOrder order);
[[nodiscard]] std::string_view name_of(Standing standing);
[[nodiscard]] std::string_view name_of(ConditionMode mode);

}  // namespace norn::script
