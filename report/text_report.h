// The text report: what a user sees first. Freestanding.
//
//   norn: race on account.balance                      observed · 1,998 times · R3f9c1a02
//     bank.cpp:14  account.balance += amount;
//       write, 4 bytes   thread 2 "teller-2"   no locks held
//         deposit(Account&, int)   bank.cpp:14
//         teller(int)              bank.cpp:22
//         created in main          bank.cpp:31
//     …
//     also predicted: bank.cpp:19 read / bank.cpp:27 write · R51b8e7d4
//
// Functions stand in one column over the whole race, so that the eye runs down the file names; a name too long for
// its column loses template arguments first, then parameters, then its outermost scopes. Bytes that come from the
// program (thread names, source lines) never reach the terminal as control characters.
#pragma once

#include "base/list.h"
#include "base/sink.h"
#include "report/race_fwd.h"

namespace norn::report {

// Puts the source line of a frame into the buffer, without its end; returns how many bytes, 0 if it cannot be had.
using ReadSourceLine = size_t (*)(void* context, const Frame& frame, char* buffer, size_t capacity);

// Which command a report tells the reader to type next.
enum class Next : uint8_t { kNone, kConfirm, kShow, kRun, kReport };

struct TextOptions {
  bool color = false;
  bool full = false;     // nothing folded, nothing shortened
  uint32_t width = 100;  // columns
  Text base{};           // a directory whose files are named relative to it
  ReadSourceLine read_source = nullptr;
  void* source_context = nullptr;
  Next next = Next::kConfirm;
};

struct RaceCounts {
  uint64_t of[kStandings] = {};  // by Standing, without the suppressed ones
  uint64_t suppressed = 0;
  uint64_t accepted = 0;   // so many more are known and do not count
  uint64_t variables = 0;  // so many have races; 0: nobody counted

  void add(const Race& race);
  [[nodiscard]] constexpr uint64_t operator[](Standing standing) const { return of[static_cast<size_t>(standing)]; }
  [[nodiscard]] constexpr uint64_t total() const {
    uint64_t sum = 0;
    for (const uint64_t count : of) sum += count;
    return sum;
  }
};

// The standing as people read it, with what the scheduler showed: "observed", "observed · not met in 20 runs",
// "confirmed in 18 of 20 runs".
void put_standing(const Race& race, Sink sink);
void put_standing(const Hazard& hazard, Sink sink);
// "spec-violated: crash", behind `before`; nothing if nobody classified it.
void put_class(const Race& race, Text before, Sink sink);
// How "confirmed in" begins when no run was: of a race, the statements did not meet; of two regions of a lock, which
// may well meet, nothing came of it.
[[nodiscard]] constexpr Text not_met_words(bool is_atomicity) { return is_atomicity ? "no harm in " : "not met in "; }

// What is shown with a race, in a line each: others on the same variable.
struct Also {
  List<const Race*> races{};
  size_t left_out = 0;  // so many more are only counted
};

// One race, ended by an empty line.
void render_text(const Race& race, const RunSummary& run, const TextOptions& options, Sink sink, Also also = {});

// What the summary says of variables that are used as flags: so many, and the first of them, each as put_flag() has it.
void put_flags(uint64_t count, List<Text> first, Sink sink);
// "stop (pool.cpp:12)": the variable, and where a loop waits for it.
void put_flag(const Race& flag, const TextOptions& options, Sink sink);

// One hazard, without an empty line.
void render_text(const Hazard& hazard, Sink sink);

// The notes, each on a line, and the line that closes a run.
void render_text_summary(const RunSummary& run, const RaceCounts& races, const TextOptions& options, Sink sink);

// What a race is on, in words: "account.balance", or "4 bytes in a heap block".
void put_location_name(const Location& location, Sink sink);

// A word of a command to type, in quotes where a shell needs them.
void put_shell_word(Text word, Sink sink);

}  // namespace norn::report
