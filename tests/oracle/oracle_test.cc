// The oracle against verdicts derived by hand from docs/design/order.md.
#include "tests/oracle/oracle.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/script/script.h"

namespace norn::oracle {
namespace {

Verdict judge_text(std::string_view text) {
  script::Script s = script::parse_or_throw(text);
  return judge(s.events, {s.cv, s.spin, s.handover, s.lib});
}

// "x observed, y predicted": the strongest standing of each region, in the order of the names' appearance.
std::string races(std::string_view text) {
  script::Script s = script::parse_or_throw(text);
  Verdict v = judge(s.events, {s.cv, s.spin, s.handover, s.lib});
  std::map<Address, Standing> regions;
  for (const auto& [byte, verdict] : v.bytes) {
    Address region = byte - (byte - script::kFirstRegion) % script::kRegionStride;
    auto [it, fresh] = regions.try_emplace(region, verdict.standing);
    if (!fresh && it->second < verdict.standing) it->second = verdict.standing;
  }
  std::string all;
  for (const auto& [region, standing] : regions)
    all += (all.empty() ? "" : ", ") + s.place(region) + " " + std::string(script::name_of(standing));
  return all.empty() ? "none" : all;
}

bool full(std::string_view text, size_t a, size_t b) {
  script::Script s = script::parse_or_throw(text);
  return order_events(s.events, {s.cv, s.spin, s.handover, s.lib}).full.before(a, b);
}

bool strong(std::string_view text, size_t a, size_t b) {
  script::Script s = script::parse_or_throw(text);
  return order_events(s.events, {s.cv, s.spin, s.handover, s.lib}).strong.before(a, b);
}

TEST(Oracle, RelationIsStrictAndTransitive) {
  Relation r(130);
  r.add_edge(0, 70);
  r.add_edge(70, 129);
  r.close();
  EXPECT_TRUE(r.before(0, 129));
  EXPECT_FALSE(r.before(129, 0));
  EXPECT_FALSE(r.before(0, 0));
  EXPECT_FALSE(r.before(1, 129));
}

TEST(Oracle, TwoRootsAreUnordered) { EXPECT_EQ(races("t1 write x; t2 write x"), "x observed"); }
TEST(Oracle, ReadsDoNotConflict) { EXPECT_EQ(races("t1 read x; t2 read x"), "none"); }
TEST(Oracle, AThreadDoesNotRaceWithItself) { EXPECT_EQ(races("t1 write x; t1 write x"), "none"); }

TEST(Oracle, ForkAndJoinOrder) {
  EXPECT_EQ(races("t1 write x; t1 fork t2; t2 write x; t2 exit; t1 join t2; t1 write x"), "none");
  EXPECT_EQ(races("t1 fork t2; t1 write x; t2 write x"), "x observed");
  EXPECT_EQ(races("t1 fork t2; t2 write x; t2 exit; t1 write x; t1 join t2"), "x observed");
}

TEST(Oracle, OrderPassesThroughThirdThreads) {
  EXPECT_EQ(
      races("t1 write x; t1 fork t2; t2 fork t3; t3 write x; t3 exit; t2 join t3; t2 exit; t1 join t2; t1 read x"),
      "none");
}

TEST(Oracle, ACommonLockProtects) {
  EXPECT_EQ(races("t1 lock m; t1 write x; t1 unlock m; t2 lock m; t2 write x; t2 unlock m"), "none");
}

TEST(Oracle, LockHandOverAloneIsPredicted) {
  constexpr auto kText = "t1 write x; t1 lock m; t1 unlock m; t2 lock m; t2 unlock m; t2 write x";
  EXPECT_EQ(races(kText), "x predicted");
  EXPECT_TRUE(full(kText, 0, 5));
  EXPECT_FALSE(strong(kText, 0, 5));
}

TEST(Oracle, TheOtherOrderIsObserved) {
  EXPECT_EQ(races("t2 lock m; t2 unlock m; t2 write x; t1 write x; t1 lock m; t1 unlock m"), "x observed");
}

TEST(Oracle, DifferentLocksDoNotProtect) {
  EXPECT_EQ(races("t1 lock m; t1 write x; t1 unlock m; t2 lock n; t2 write x; t2 unlock n"), "x observed");
}

TEST(Oracle, SharedHoldersDoNotProtectEachOther) {
  EXPECT_EQ(races("t1 lock-shared m; t2 lock-shared m; t1 write x; t2 write x"), "x observed");
  // Shared release then shared acquire is no edge either.
  EXPECT_EQ(races("t1 lock-shared m; t1 write x; t1 unlock-shared m; t2 lock-shared m; t2 write x"), "x observed");
}

TEST(Oracle, SharedAgainstExclusiveProtects) {
  EXPECT_EQ(races("t1 lock-shared m; t1 read x; t1 unlock-shared m; t2 lock m; t2 write x; t2 unlock m"), "none");
  EXPECT_EQ(races("t1 lock m; t1 write x; t1 unlock m; t2 lock-shared m; t2 read x; t2 unlock-shared m"), "none");
}

TEST(Oracle, AWriteUnderASharedLockIsPredictedAcrossAThirdLock) {
  EXPECT_EQ(races("t1 lock-shared m; t1 write x; t1 unlock-shared m; t1 lock n; t1 unlock n;"
                  "t2 lock n; t2 unlock n; t2 lock-shared m; t2 write x"),
            "x predicted");
}

TEST(Oracle, OnlyTheOutermostReleaseOfARecursiveLockOrders) {
  EXPECT_EQ(races("t1 write x; t1 lock m; t1 lock m; t1 unlock m; t2 lock m; t2 write x"), "x observed");
  EXPECT_EQ(races("t1 lock m; t1 lock m; t1 unlock m; t1 write x; t1 unlock m; t2 lock m; t2 write x"), "none");
}

TEST(Oracle, ReleasingWhatIsNotHeldIsIgnored) {
  EXPECT_EQ(races("t1 write x; t1 unlock m; t2 lock m; t2 write x"), "x observed");
}

TEST(Oracle, AnUnlockReleasesWhateverModeIsHeld) {
  EXPECT_EQ(races("t1 lock-shared m; t1 read x; t1 unlock m; t2 lock m; t2 write x"), "none");
  EXPECT_EQ(races("t1 lock-shared m; t1 write x; t1 unlock m; t2 lock-shared m; t2 read x"), "x observed");
}

TEST(Oracle, ADestroyedLockHasNoPast) {
  EXPECT_EQ(races("t1 lock m; t1 write x; t1 unlock m; t2 destroy m; t2 lock m; t2 write x"), "x observed");
  EXPECT_EQ(races("t1 lock b+8; t1 write x; t1 unlock b+8; t2 free b:16; t2 lock b+8; t2 write x"), "x observed");
}

TEST(Oracle, LocksAreHeldOnEachSideOfTheAccessOnly) {
  EXPECT_EQ(races("t1 lock m; t1 unlock m; t1 write x; t1 lock m; t1 unlock m; t2 lock m; t2 write x"), "x predicted");
}

TEST(Oracle, SemaphoresOrderPostBeforeEveryLaterWait) {
  EXPECT_EQ(races("t1 write x; t1 post s; t2 sem-wait s; t2 write x"), "none");
  EXPECT_EQ(races("t1 write x; t2 post s; t1 post s; t3 sem-wait s; t3 write x"), "none");
  EXPECT_EQ(races("t1 post s; t1 write x; t2 sem-wait s; t2 write x"), "x observed");
  EXPECT_EQ(races("t1 write x; t1 post s; t2 sync-destroy s; t2 sem-wait s; t2 write x"), "x observed");
}

TEST(Oracle, OnceAndAnnotationsOrder) {
  EXPECT_EQ(races("t1 write x; t1 once-done o; t2 once-seen o; t2 read x; t3 once-seen o; t3 read x"), "none");
  EXPECT_EQ(races("t1 write x; t1 hb a; t2 ha a; t2 write x"), "none");
  EXPECT_EQ(races("t1 write x; t1 hb a; t2 ha b; t2 write x"), "x observed");
  EXPECT_EQ(races("t2 ha a; t1 write x; t1 hb a; t2 write x"), "x observed");
}

TEST(Oracle, BarrierGenerationsDoNotMerge) {
  // t3 enters the second generation before t2 leaves the first: its write is not before t2's.
  constexpr auto kText =
      "t1 barrier-init b 2; t1 barrier-enter b; t2 barrier-enter b; t1 barrier-leave b; t3 write x; t3 barrier-enter b;"
      "t2 barrier-leave b; t2 write x";
  EXPECT_EQ(races(kText), "x observed");
  EXPECT_EQ(races("t1 barrier-init b 2; t1 write x; t1 barrier-enter b; t2 barrier-enter b; t2 barrier-leave b;"
                  "t2 write x"),
            "none");
}

TEST(Oracle, BarriersOfUnknownCountEndAtTheFirstLeave) {
  EXPECT_EQ(races("t1 write x; t1 barrier-enter b; t2 barrier-enter b; t2 barrier-leave b; t2 write x"), "none");
  EXPECT_EQ(races("t1 barrier-enter b; t2 barrier-enter b; t1 barrier-leave b; t1 write x; t1 barrier-enter b;"
                  "t2 barrier-leave b; t2 write x"),
            "x observed");
}

TEST(Oracle, SignalOrdersAWaitThatWasEnteredBefore) {
  EXPECT_EQ(races("t2 lock m; t2 wait-enter cv m; t1 write x; t1 signal cv; t2 wait-leave cv m; t2 write x"), "none");
  EXPECT_EQ(races("t1 write x; t1 signal cv; t2 lock m; t2 wait-enter cv m; t2 wait-leave cv m; t2 write x"),
            "x observed");
  EXPECT_EQ(races("t2 lock m; t2 wait-enter cv m; t1 write x; t1 signal cv; t2 wait-leave cv m timed-out; t2 write x"),
            "x observed");
}

TEST(Oracle, AWaitReleasesAndTakesItsMutex) {
  EXPECT_EQ(races("t2 lock m; t2 write x; t2 wait-enter cv m; t1 lock m; t1 write x; t1 unlock m;"
                  "t2 wait-leave cv m timed-out; t2 write x"),
            "none");
}

TEST(Oracle, LostSignalsAreFoundAtTheLoopsEnd) {
  constexpr auto kTail =
      "t1 write x; t1 lock m; t1 write f; t1 signal cv; t1 unlock m;"
      "t2 lock m; t2 read f; t2 wait-loop-leave cv; t2 unlock m; t2 write x";
  EXPECT_EQ(races(std::string("cv off; handover off;") + kTail), "x predicted");
  EXPECT_EQ(races(std::string("cv lost;") + kTail), "none");
  EXPECT_EQ(races(std::string("cv wr;") + kTail), "none");
}

TEST(Oracle, WhatIsReadUnderTheLockItWasWrittenUnderIsHandedOver) {
  const std::string first = "t1 write x; t1 lock m; t1 write f; t1 unlock m; t2 lock m; ";
  const std::string last = " t2 unlock m; t2 write x";
  EXPECT_EQ(races(first + "t2 read f;" + last), "none");
  EXPECT_EQ(races(first + "t2 read f counting; t2 write f;" + last), "x predicted");
  EXPECT_EQ(races(first + "t2 write f; t2 read f;" + last), "x predicted");
  EXPECT_EQ(races("handover off;" + first + "t2 read f;" + last), "x predicted");
}

TEST(Oracle, TheWriteReadRelationPicksTheRightSignaller) {
  constexpr auto kText =
      "t1 write x; t1 lock m; t1 write f; t1 signal cv; t1 unlock m;"
      "t2 write y; t2 lock m; t2 write g; t2 signal cv; t2 unlock m;"
      "t3 lock m; t3 read g; t3 wait-loop-leave cv; t3 unlock m; t3 read y; t3 read x";
  EXPECT_EQ(races(std::string("cv lost;") + kText), "none");
  EXPECT_EQ(races(std::string("cv wr;") + kText), "x predicted");
}

TEST(Oracle, AWaitInALoopOrdersNothingByItselfUnderWr) {
  constexpr auto kText =
      "t2 lock m; t2 wait-enter cv m in-loop; t1 write x; t1 lock m; t1 signal cv; t1 unlock m; t2 wait-leave cv m;"
      "t2 write x";
  EXPECT_EQ(races(std::string("cv off;") + kText), "none");
  EXPECT_EQ(races(std::string("cv wr;") + kText), "x predicted");
  EXPECT_EQ(races(std::string("cv wr;") +
                  "t2 lock m; t2 wait-enter cv m; t1 write x; t1 signal cv; t2 wait-leave cv m; t2 write x"),
            "none")
      << "without in-loop, and with nothing bound, the table's rule remains";
}

TEST(Oracle, ASignalAfterTheUnlockStillBindsWhatWasWritten) {
  EXPECT_EQ(races("cv wr; t1 write x; t1 lock m; t1 write f; t1 unlock m; t1 signal cv; t3 write y; t3 signal cv;"
                  "t2 lock m; t2 read f; t2 wait-loop-leave cv; t2 unlock m; t2 read x; t2 read y"),
            "y observed");
}

TEST(Oracle, RecordsStartAfreshWithTheFirstLock) {
  // t1's second critical section writes only g: the signal is not bound to f.
  EXPECT_EQ(races("cv wr; t1 write x; t1 lock m; t1 write f; t1 unlock m; t1 lock m; t1 write g; t1 signal cv;"
                  "t1 unlock m; t3 lock m; t3 write f; t3 signal cv; t3 unlock m;"
                  "t2 lock m; t2 read f; t2 wait-loop-leave cv; t2 unlock m; t2 read x"),
            "x predicted");
}

TEST(Oracle, ReleaseAcquire) {
  EXPECT_EQ(races("t1 write x; t1 store f release; t2 load f acquire; t2 read x"), "none");
  EXPECT_EQ(races("t1 write x; t1 store f relaxed; t2 load f acquire; t2 read x"), "x observed");
  EXPECT_EQ(races("t1 write x; t1 store f release; t2 load f relaxed; t2 read x"), "x observed");
  EXPECT_EQ(races("t1 write x; t1 store f seq_cst; t2 load f seq_cst; t2 read x"), "none");
  EXPECT_EQ(races("t2 load f acquire; t1 write x; t1 store f release; t2 read x"), "x observed");
}

TEST(Oracle, ReleaseSequences) {
  EXPECT_EQ(races("t1 write x; t1 store f release; t3 rmw f relaxed; t2 load f acquire; t2 read x"), "none");
  EXPECT_EQ(races("t1 write x; t1 store f release; t3 store f relaxed; t2 load f acquire; t2 read x"), "x observed");
  // C++20: a relaxed store ends the sequence even in the releasing thread.
  EXPECT_EQ(races("t1 write x; t1 store f release; t1 store f relaxed; t2 load f acquire; t2 read x"), "x observed");
  EXPECT_EQ(
      races("t1 write x; t1 store f release; t3 write y; t3 rmw f release; t2 load f acquire; t2 read x; t2 read y"),
      "none");
  // An rmw that does not acquire is not itself ordered after the head.
  EXPECT_EQ(races("t1 write x; t1 store f release; t3 rmw f release; t3 read x"), "x observed");
}

TEST(Oracle, Fences) {
  EXPECT_EQ(races("t1 write x; t1 fence release; t1 store f relaxed; t2 load f relaxed; t2 fence acquire; t2 read x"),
            "none");
  EXPECT_EQ(races("t1 write x; t1 fence release; t1 store f relaxed; t2 load f acquire; t2 read x"), "none");
  EXPECT_EQ(races("t1 write x; t1 store f release; t2 load f relaxed; t2 fence acquire; t2 read x"), "none");
  EXPECT_EQ(races("t1 write x; t1 store f relaxed; t1 fence release; t2 load f acquire; t2 read x"), "x observed");
  EXPECT_EQ(races("t1 fence release; t1 write x; t1 store f relaxed; t2 load f acquire; t2 read x"), "x observed");
  EXPECT_EQ(races("t1 write x; t1 store f release; t2 fence acquire; t2 load f relaxed; t2 read x"), "x observed");
  EXPECT_EQ(races("t1 write x; t1 fence seq_cst; t2 fence seq_cst; t2 read x"), "x observed");
}

TEST(Oracle, MessagesEndWithPlainWritesAndReuse) {
  EXPECT_EQ(races("t1 write x; t1 store f release; t1 write f; t2 load f acquire; t2 read x"),
            "x observed, f observed");
  EXPECT_EQ(races("t1 write x; t1 store f release; t3 alloc f:8; t2 load f acquire; t2 read x"),
            "x observed, f observed");
}

TEST(Oracle, MessagesBelongToAnAddress) {
  EXPECT_EQ(races("t1 write x; t1 store f release; t3 store f+2:4 relaxed; t2 load f acquire; t2 read x"), "none");
  EXPECT_EQ(races("t1 write x; t1 store f:8 release; t2 load f:4 acquire; t2 read x"), "none");
  EXPECT_EQ(races("t1 write x; t1 store f:8 release; t3 store f:4 relaxed; t2 load f:8 acquire; t2 read x"),
            "x observed");
  EXPECT_EQ(races("t1 write x; t1 store f:8 release; t1 write f+6:1; t1 fork t2; t2 load f:4 acquire; t2 read x"),
            "none");
  EXPECT_EQ(races("t1 write x; t1 store f:8 release; t1 write f+6:1; t2 load f:4 acquire; t2 read x"), "x observed");
  EXPECT_EQ(races("t1 write x; t1 store f:4 release; t1 write f+6:1; t2 load f:4 acquire; t2 read x"), "none");
}

TEST(Oracle, AMessageReachesAsFarAsTheLastAtomicWrittenThere) {
  EXPECT_EQ(
      races("t1 write x; t1 store f:4 release; t1 rmw f:8 relaxed; t1 write f+6:1; t2 load f:4 acquire; t2 read x"),
      "x observed");
}

TEST(Oracle, ALockInReusedMemoryIsAnotherLock) {
  constexpr auto kEdge = "t1 lock n; t1 unlock n; t2 lock n; t2 unlock n;";
  EXPECT_EQ(races(std::string("t1 lock b+8; t1 write x; t1 unlock b+8; t1 free b:16;") + kEdge +
                  "t2 alloc b:16; t2 lock b+8; t2 write x"),
            "x predicted");
  EXPECT_EQ(races(std::string("t1 lock m; t1 write x; t1 unlock m; t1 destroy m;") + kEdge + "t2 lock m; t2 write x"),
            "none");
}

TEST(Oracle, AtomicsConflictWithPlainAccesses) {
  EXPECT_EQ(races("t1 store f relaxed; t2 store f relaxed; t3 rmw f relaxed; t4 load f relaxed"), "none");
  EXPECT_EQ(races("t1 store f relaxed; t2 read f"), "f observed");
  EXPECT_EQ(races("t1 load f relaxed; t2 read f"), "none");
  EXPECT_EQ(races("t1 load f relaxed; t2 write f"), "f observed");
  EXPECT_EQ(races("t1 rmw f relaxed; t2 read f"), "f observed");
}

TEST(Oracle, BytesAreExact) {
  Verdict v = judge_text("t1 write x:8; t2 write x+6:8; t3 read x+20:4");
  ASSERT_EQ(v.bytes.size(), 2u);
  EXPECT_EQ(v.bytes.begin()->first, script::kFirstRegion + 6);
  EXPECT_EQ(v.pairs.size(), 1u);
  EXPECT_EQ(races("t1 write x+3:1; t2 write x+4:1"), "none");
}

TEST(Oracle, FreeIsAWriteAndAllocationStartsAnew) {
  EXPECT_EQ(races("t1 alloc b:16; t1 write b; t2 free b:16"), "b observed");
  EXPECT_EQ(races("t1 write b; t1 free b:16; t2 alloc b:16; t2 write b"), "none");
  EXPECT_EQ(races("t1 free b:16; t2 read b"), "b observed");
}

TEST(Oracle, ReallocationsReadFreeAllocateAndWrite) {
  EXPECT_EQ(races("t2 write b; t1 realloc b:16 c:32"), "b observed");
  EXPECT_EQ(races("t1 realloc b:16 c:32; t2 read b"), "b observed");
  EXPECT_EQ(races("t2 write c; t1 realloc b:16 c:32"), "none");
  Verdict moved = judge_text("t1 realloc b:16 c:32; t2 read c:32");
  EXPECT_EQ(moved.bytes.size(), 16u) << "only what was copied was written";
  EXPECT_EQ(races("t2 read b; t1 realloc b:16 b:32"), "none");
  EXPECT_EQ(races("t2 read b+12; t1 realloc b:16 b:8"), "b observed");
  EXPECT_EQ(races("t2 read b+20; t1 realloc b:16 b:32; t2 write b+20"), "b observed") << "t2 knew what lay there";
  EXPECT_EQ(races("t2 read b; t1 realloc b:16 b:32; t2 write b+20"), "none");
}

TEST(Oracle, IgnoredAccessesAreNone) {
  EXPECT_EQ(races("t1 ignore-begin writes; t1 write x; t1 ignore-end writes; t2 write x"), "none");
  EXPECT_EQ(races("t1 ignore-begin reads; t1 write x; t1 ignore-end reads; t2 write x"), "x observed");
  EXPECT_EQ(races("t1 ignore-begin all; t1 ignore-begin all; t1 ignore-end all; t1 write x; t2 write x"), "none");
}

TEST(Oracle, IgnoredSynchronizationOrdersNothing) {
  EXPECT_EQ(races("t1 write x; t1 ignore-begin sync; t1 post s; t1 ignore-end sync; t2 sem-wait s; t2 write x"),
            "x observed");
  EXPECT_EQ(races("t1 ignore-begin sync; t1 lock m; t1 write x; t1 unlock m; t2 lock m; t2 write x"), "x observed");
  EXPECT_EQ(races("t1 lock m; t1 write x; t1 ignore-begin sync; t1 unlock m; t2 lock m; t2 write x"), "none");
  EXPECT_EQ(races("t1 write x; t1 ignore-begin sync; t1 fork t2; t2 write x"), "none");
}

TEST(Oracle, BenignBytesAreNotReported) {
  EXPECT_EQ(races("t1 benign x:4; t1 write x:8; t2 write x"), "none");
  EXPECT_EQ(races("t1 benign x:4; t1 write x:8; t2 write x:8"), "x observed");
  EXPECT_EQ(races("t1 write x; t2 write x; t1 benign x:4"), "x observed");
}

TEST(Oracle, SpinsOrderTheReaderAfterTheCounterpart) {
  EXPECT_EQ(races("t1 write x; t1 write f; t2 spin-read f; t2 spin-leave; t2 read x"), "none");
  EXPECT_EQ(races("t2 spin-read f; t1 write x; t1 write f; t2 spin-read f; t2 spin-leave; t2 read x"), "none");
  EXPECT_EQ(races("t2 spin-read f; t1 write x; t1 write f; t2 spin-leave; t2 read x"), "x observed")
      << "the last read of the loop is the one that saw the write";
  EXPECT_EQ(races("t1 write x; t1 write f; t2 spin-read f; t2 read x"), "x observed");
  EXPECT_EQ(races("spin off; t1 write x; t1 write f; t2 spin-read f; t2 spin-leave; t2 read x"),
            "x observed, f observed");
}

TEST(Oracle, OtherPairsOnASpinWordAreReported) {
  EXPECT_EQ(races("t1 write f; t2 spin-read f; t2 spin-leave; t3 write f"), "f observed");
}

TEST(Oracle, IncrementsAreAllWaitedFor) {
  EXPECT_EQ(races("t3 spin-read c; t1 write x; t1 lock m; t1 read c; t1 write c; t1 unlock m;"
                  "t2 write y; t2 lock m; t2 read c; t2 write c; t2 unlock m; t3 spin-read c; t3 spin-leave;"
                  "t3 read x; t3 read y"),
            "none");
  EXPECT_EQ(races("t3 spin-read c; t1 write x; t1 write c; t2 write y; t2 write c; t3 spin-read c; t3 spin-leave;"
                  "t3 read y; t3 read x"),
            "c observed, x observed");
  EXPECT_EQ(races("t3 spin-read c; t1 write x; t1 rmw c relaxed; t2 rmw c relaxed; t3 spin-read c; t3 spin-leave;"
                  "t3 read x"),
            "none");
}

TEST(Oracle, ReuseEndsASpin) {
  EXPECT_EQ(races("t1 write x; t1 write f; t3 alloc f:8; t2 spin-read f; t2 spin-leave; t2 read x"), "x observed");
}

TEST(Oracle, WithoutTheLibraryOnlyForkJoinAndSpinsOrder) {
  EXPECT_EQ(races("lib off; t1 lock m; t1 write x; t1 unlock m; t2 lock m; t2 write x; t2 unlock m"), "x observed");
  EXPECT_EQ(races("lib off; t1 write x; t1 store f release; t2 load f acquire; t2 read x"), "x observed");
  EXPECT_EQ(races("lib off; t1 write x; t1 write f; t2 spin-read f; t2 spin-leave; t2 read x"), "none");
  EXPECT_EQ(races("lib off; t1 write x; t1 fork t2; t2 read x; t2 exit; t1 join t2; t1 write x"), "none");
}

TEST(Oracle, TheStandingOfAByteIsTheStrongestAndHasAWitness) {
  Verdict v = judge_text("t1 write x; t1 lock m; t1 unlock m; t2 lock m; t2 unlock m; t2 write x; t3 write x");
  const ByteVerdict& byte = v.bytes.at(script::kFirstRegion);
  EXPECT_EQ(byte.standing, Standing::kObserved);
  EXPECT_EQ(byte.first, 0u);
  EXPECT_EQ(byte.second, 6u);
  EXPECT_EQ(v.pairs.size(), 3u);
}

}  // namespace
}  // namespace norn::oracle
