// Rules for races not to report, from the files people already have. Freestanding: parsing and matching allocate
// nothing; the rules point into the file's text, which the caller keeps.
//
// ThreadSanitizer's format, a rule a line:
//
//   race:PATTERN             a frame of one of the two stacks, of a thread's creation, or the variable
//   race_top:PATTERN         the innermost frame of one of the two stacks
//   called_from_lib:PATTERN  the module of one of the two statements
//   mutex: thread: signal: deadlock:   accepted; they are not about races
//
// PATTERN is searched in function, file, module and "module+0xoffset" (so that stripped frames can be named); '*' is
// anything, '^' and '$' hold it to the start and the end. norn's own rule
//
//   id:R3f9c1a02             the race of that id (or beginning of one, 6 digits at least)
//
// Valgrind's format:
//
//   {
//      a name
//      Helgrind:Race         or DRD:ConflictingAccess; rules of other tools are passed over
//      fun:PATTERN           one line a frame, innermost first: fun:, obj:, src:FILE[:LINE]; `...` is any frames
//   }
//
// PATTERN is a whole name here, with '*' and '?'.
//
// What a rule is for can be said in a comment behind it, or on the lines right above it where TSan and Valgrind
// themselves must read the file too:
//
//   race:OldCache::get  # reason: goes away with the cache  owner: ann  expires: 2027-03-01
//
// From its expiry day on a rule no longer suppresses.
#pragma once

#include "base/list.h"
#include "base/sink.h"
#include "report/race_fwd.h"

namespace norn::report {

// Days since 1970-01-01.
using Day = int32_t;
inline constexpr Day kNever = 0x7fffffff;

enum class RuleKind : uint8_t { kRace, kRaceTop, kCalledFromLib, kId, kValgrind, kOther };

struct Rule {
  RuleKind kind{};
  Text pattern{};  // kValgrind: the lines of its frames
  Text name{};     // as people know it: "race:OldCache::get", or a Valgrind rule's name
  Text reason{};
  Text owner{};
  Day expires = kNever;
  Text expires_text{};
  uint32_t line = 0;
  uint64_t hits = 0;  // races it suppressed
};

struct SuppressionError {
  uint32_t line = 0;
  char bytes[200] = {};
  size_t size = 0;
  [[nodiscard]] Text message() const { return {bytes, size}; }
};

// A set of rules in memory of the caller's.
class Suppressions {
 public:
  Suppressions(Rule* rules, size_t capacity, Day today) : rules_(rules), capacity_(capacity), today_(today) {}

  // Adds the rules of a file. On false, `error` says in one line what is wrong and where.
  [[nodiscard]] bool parse(Text contents, SuppressionError& error);

  // The first rule in force that the race falls under, null if none; it counts the hit.
  [[nodiscard]] const Rule* match(const Race& race);

  [[nodiscard]] List<Rule> rules() const { return {rules_, count_}; }
  [[nodiscard]] bool expired(const Rule& rule) const { return rule.expires <= today_; }
  // In force, about races, and of no use in this run.
  [[nodiscard]] bool stale(const Rule& rule) const {
    return rule.hits == 0 && rule.kind != RuleKind::kOther && !expired(rule);
  }

 private:
  [[nodiscard]] Rule* add(uint32_t line, SuppressionError& error);

  Rule* rules_;
  size_t capacity_;
  size_t count_ = 0;  // <= capacity_
  Day today_;
};

// How many rules a file can have at most: memory for Suppressions.
[[nodiscard]] size_t count_rules_at_most(Text contents);

[[nodiscard]] bool matches(const Rule& rule, const Race& race);

// TSan's patterns: found anywhere unless anchored.
[[nodiscard]] bool search_pattern(Text pattern, Text text);
// Valgrind's: the whole text.
[[nodiscard]] bool whole_pattern(Text pattern, Text text);

// "2027-03-01"; false if it is no day.
[[nodiscard]] bool parse_day(Text text, Day& day);

}  // namespace norn::report
