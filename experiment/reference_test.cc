#include "experiment/reference.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace norn::experiment {
namespace {

StagedRun ended(int status) {
  StagedRun run;
  run.started = true;
  run.exit = status;
  return run;
}

std::vector<int> usual_of(std::initializer_list<StagedRun> runs) {
  UsualStatuses statuses;
  for (const StagedRun& run : runs) statuses.add(run);
  return statuses.usual();
}

TEST(Reference, SuccessIsTheOnlyUsualStatusWhereThereIsOne) {
  EXPECT_EQ(usual_of({ended(3), ended(0), ended(3)}), std::vector<int>{0});
}

TEST(Reference, WithoutSuccessWhateverWasSeenIsUsual) {
  EXPECT_EQ(usual_of({ended(3), ended(1), ended(3)}), (std::vector<int>{1, 3}));
}

TEST(Reference, RunsThatFailTeachNothing) {
  StagedRun crash = ended(0), hang = ended(0), deadlock = ended(1), standstill = ended(1), cut = ended(0);
  crash.signal = SIGSEGV;
  hang.timed_out = true;
  deadlock.deadlocked = 2;
  standstill.pollers = 1;
  cut.cut = true;
  EXPECT_TRUE(usual_of({crash, hang, deadlock, standstill, cut}).empty());
  EXPECT_EQ(usual_of({crash, ended(2), deadlock}), std::vector<int>{2});
}

TEST(Reference, AStatusIsHarmOnlyIfItIsNotUsual) {
  Reference reference;
  reference.statuses = {1, 4};
  EXPECT_EQ(consequence_of(ended(1), reference).harm, Harm::kNone);
  EXPECT_EQ(consequence_of(ended(4), reference).harm, Harm::kNone);
  EXPECT_EQ(consequence_of(ended(0), reference).harm, Harm::kNone);
  EXPECT_EQ(consequence_of(ended(3), reference).harm, Harm::kStatus);
  // Nobody ended by itself: nothing is known of any status.
  reference.statuses.clear();
  EXPECT_EQ(consequence_of(ended(3), reference).harm, Harm::kNone);
}

TEST(Reference, AStandstillIsAHangThatItsStateTells) {
  StagedRun run = ended(1);
  run.pollers = 2;
  const Consequence seen = consequence_of(run, Reference());
  EXPECT_EQ(seen.harm, Harm::kHang);
  EXPECT_TRUE(seen.detail.starts_with("by its state: 2 threads only look")) << seen.detail;
  run = ended(0);
  run.timed_out = true;
  EXPECT_TRUE(consequence_of(run, Reference()).detail.starts_with("by the clock"))
      << consequence_of(run, Reference()).detail;
}

TEST(Reference, WhereNoRunEndsTheClockShowsNoHang) {
  Reference reference;
  reference.never_ends = true;
  StagedRun run = ended(0);
  run.timed_out = true;
  EXPECT_EQ(consequence_of(run, reference).harm, Harm::kNone);
  run.pollers = 1;
  EXPECT_EQ(consequence_of(run, reference).harm, Harm::kHang);
  run = ended(0);
  run.signal = SIGSEGV;
  EXPECT_EQ(consequence_of(run, reference).harm, Harm::kCrash);
}

}  // namespace
}  // namespace norn::experiment
