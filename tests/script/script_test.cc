#include "tests/script/script.h"

#include <gtest/gtest.h>

namespace norn::script {
namespace {

std::string error_of(std::string_view text) {
  ParseResult result = parse(text, "f");
  return result.error ? result.error->message : "no error";
}

TEST(Script, ReadsStatementsSeparatedBySemicolonsAndLines) {
  Script s = parse_or_throw("t1 fork t2; t1 write x @a # and a comment; t1 read x\n\nt2 read x+3:2 @b\n");
  ASSERT_EQ(s.events.size(), 3u);
  EXPECT_EQ(s.events[0].kind, EventKind::kThreadFork);
  EXPECT_EQ(s.events[0].other, 2u);
  EXPECT_EQ(s.events[1].kind, EventKind::kWrite);
  EXPECT_EQ(s.events[1].size, 4u);
  EXPECT_EQ(s.events[2].address, s.events[1].address + 3);
  EXPECT_EQ(s.events[2].size, 2u);
  EXPECT_EQ(s.lines, (std::vector<size_t>{1, 1, 3}));
  EXPECT_EQ(s.site(s.events[2].where), "@b");
}

TEST(Script, RegionsAreAlignedAndApart) {
  Script s = parse_or_throw("t1 write x; t1 write y; t1 lock m");
  EXPECT_EQ(s.events[0].address % 64, 0u);
  EXPECT_GE(s.events[1].address - s.events[0].address, kRegionSize);
  EXPECT_GE(s.events[2].address - s.events[1].address, kRegionSize);
}

TEST(Script, EventsWithoutASiteHaveOneOfTheirOwn) {
  Script s = parse_or_throw("t1 write x; t2 write x; t1 write x @a; t2 write y @a");
  EXPECT_NE(s.events[0].where, s.events[1].where);
  EXPECT_EQ(s.events[2].where, s.events[3].where);
}

TEST(Script, ReadsEveryVerb) {
  Script s = parse_or_throw(
      "t1 fork t2; t2 start; t2 exit; t1 join t2; t1 detach t2; t1 read x; t1 write x; t1 alloc b:64; t1 free b:64;"
      "t1 realloc b:64 c:128; t1 load f acquire; t1 store f release; t1 rmw f acq_rel; t1 fence seq_cst; t1 lock m;"
      "t1 lock-shared m; t1 trylock m; t1 trylock-shared m; t1 timedlock m; t1 timedlock-shared m; t1 refused m; t1 "
      "unlock m;"
      "t1 unlock-shared m; t1 destroy m; t1 signal cv; t1 broadcast cv; t1 wait-enter cv m in-loop;"
      "t1 wait-leave cv m timed-out; t1 wait-loop-leave cv; t1 barrier-init b 2; t1 barrier-enter b;"
      "t1 barrier-leave b; t1 post s; t1 sem-wait s; t1 once-done o; t1 once-seen o; t1 sync-destroy s;"
      "t1 spin-read f; t1 spin-read f in-loop @r; t1 spin-leave; t1 cut; t1 hb a; t1 ha a; t1 ignore-begin reads; t1 "
      "ignore-end all; t1 benign x:4; t1 release c; t1 acquire c; t1 fork-after t3 c; t1 begin-again c; t1 clear c;"
      "t1 renew b:64; t1 map b; t1 unmap b; t1 birth; t1 forget b; t1 use m; t1 lock m using; t1 unsampled-before f "
      "release; t1 unsampled-after f acquire; t1 look x; t1 leave-by-atomic f; t1 come-after-all; t1 expect-spins;"
      "t1 expect-conditions; t1 observe-only; t1 use-epoch");
  std::vector<bool> seen(kEventKinds);
  for (const Event& e : s.events) seen[static_cast<size_t>(e.kind)] = true;
  for (size_t kind = 0; kind < seen.size(); ++kind) EXPECT_TRUE(seen[kind]) << "event kind " << kind;
}

TEST(Script, ReadsDirectivesAndExpectations) {
  Script s = parse_or_throw(
      "engine msm-short hybrid; cv wr; spin off; lib off; t1 write x @a; state x Excl-W; t2 write x @b\n"
      "expect observed x @a @b; expect msm-short: race x; expect none; expect predicted x+1:2");
  EXPECT_EQ(s.engines, (std::vector<EngineKind>{EngineKind::kMsmShort, EngineKind::kHybrid}));
  EXPECT_EQ(s.cv, ConditionMode::kWriteRead);
  EXPECT_FALSE(s.spin);
  EXPECT_FALSE(s.lib);
  ASSERT_EQ(s.states.size(), 1u);
  EXPECT_EQ(s.states[0].after, 1u);
  ASSERT_EQ(s.expectations.size(), 4u);
  EXPECT_TRUE(s.expectations[0].sites.has_value());
  EXPECT_EQ(s.expectations[1].engine, EngineKind::kMsmShort);
  EXPECT_TRUE(s.expectations[2].anywhere);
  EXPECT_TRUE(s.expectations[3].exact_bytes);
  EXPECT_EQ(s.expectations[3].size, 2u);
}

TEST(Script, ErrorsNameLineAndColumn) {
  EXPECT_EQ(error_of("t1 write x\n  t1 jump x"), "f:2:6: no thread can 'jump'");
  EXPECT_EQ(error_of("write x"),
            "f:1:1: a statement starts with a thread (t1), engine, cv, spin, handover, lib, expect or state, not with "
            "'write'");
  EXPECT_EQ(error_of("t1"), "f:1:3: expected what the thread does");
  EXPECT_EQ(error_of("t1 write"), "f:1:9: expected a location");
  EXPECT_EQ(error_of("t1 write x+"), "f:1:12: expected an offset in bytes after '+'");
  EXPECT_EQ(error_of("t1 write x:a"), "f:1:12: expected a size in bytes after ':'");
  EXPECT_EQ(error_of("t1 write 3x"), "f:1:10: expected a location such as x or x+3:2, not '3x'");
  EXPECT_EQ(error_of("t1 write x:99999"), "f:1:10: the location ends beyond its region (65536 bytes)");
  EXPECT_EQ(error_of("t1 write x y"), "f:1:12: 'y' is one word too many");
  EXPECT_EQ(error_of("t1 fork x"), "f:1:9: expected a thread such as t2, not 'x'");
  EXPECT_EQ(error_of("t1 lock m:4"), "f:1:9: a synchronization object has no size");
  EXPECT_EQ(error_of("t1 load f consume"),
            "f:1:11: expected a memory order (relaxed, acquire, release, acq_rel, seq_cst), not 'consume'");
  EXPECT_EQ(error_of("t1 wait-enter cv m timed-out"), "f:1:20: a wait-enter cannot be 'timed-out'");
  EXPECT_EQ(error_of("t1 barrier-init b two"), "f:1:19: expected a number, not 'two'");
  EXPECT_EQ(error_of("engine"), "f:1:7: expected an engine: hybrid, hb, msm-short, msm-long");
  EXPECT_EQ(error_of("t1 write x @a\nexpect observed x @a"), "f:2:21: expected a second site");
  EXPECT_EQ(error_of("t1 write x @a\nexpect observed x @a @b"), "f:2:22: no event above has the site '@b'");
  EXPECT_EQ(error_of("t1 write x @a\nexpect observed y"), "f:2:17: no event above names 'y'");
  EXPECT_EQ(error_of("t1 write x\nstate x Shared"), "f:2:9: no machine has a state 'Shared'");
  EXPECT_EQ(error_of("t1 write x\nexpect eraser: none"), "f:2:8: no engine is called 'eraser'");
}

TEST(Script, PrintedScriptsReadTheSame) {
  Script s = parse_or_throw(
      "cv lost; spin off; t1 write x+3:2 @a; t1 free b:64; t1 realloc b c:128; t1 trylock-shared m; t1 unlock-shared m;"
      "t1 wait-enter cv m in-loop; t1 wait-leave cv m timed-out @w; t1 rmw f:8 seq_cst; t1 barrier-init b+8 3;"
      "t1 ignore-begin sync; t2 join t3; t1 benign x+4:1");
  std::string text = print(s);
  Script again = parse_or_throw(text);
  EXPECT_EQ(print(again), text);
  ASSERT_EQ(again.events.size(), s.events.size());
  EXPECT_EQ(again.events[0].address, s.events[0].address);
  EXPECT_EQ(again.events[5].other, s.events[5].other);
  EXPECT_EQ(again.cv, ConditionMode::kLost);
}

TEST(Script, EventsFromElsewhereGetNames) {
  Event e;
  e.kind = EventKind::kWrite;
  e.thread = 1;
  e.address = 0x7fff12345678;
  e.size = 8;
  EXPECT_EQ(print(from_events(std::span(&e, 1))), "engine hb hybrid\nt1 write r0+22136:8\n");
}

}  // namespace
}  // namespace norn::script
