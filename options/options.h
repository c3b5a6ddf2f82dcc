// Every option of a run, as data: one table (option_table.cc) for the command line (--fail-on=any), for NORN_OPTIONS
// (fail_on=any), for the keys of TSAN_OPTIONS that mean something here, and for the manual. Freestanding.
//
// A list of options is `key=value` joined by ':' or white space (in TSAN_OPTIONS also by ','). A value that has a
// separator in it stands in quotes: 'a:b' or "a:b". A key without a value is a flag that is on. Of a key said twice the
// last one counts. In a key '-' is the same as '_'.
#pragma once

#include "base/list.h"
#include "base/sink.h"
#include "options/run_settings.h"

namespace norn::options {

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
