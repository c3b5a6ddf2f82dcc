#include "report/formats/tsan_text.h"

#include <gtest/gtest.h>

#include "report/record_reader.h"
#include "report/testing/example.h"

namespace norn::report {
namespace {

Findings findings_with(const Race& race) {
  Findings findings;
  findings.run = example::bank_run();
  findings.races.push_back(race);
  return findings;
}

TEST(TsanText, IsAsThreadSanitizerWritesIt) {
  EXPECT_EQ(render_tsan_text(findings_with(example::bank_race())), R"(==================
WARNING: ThreadSanitizer: data race (pid=4711)
  Write of size 4 at 0x000000404060 by thread T1:
    #0 deposit(Account&, int) bank.cpp:14:19 (bank+0x11a4)
    #1 teller(int) bank.cpp:22:5 (bank+0x1210)

  Previous read of size 4 at 0x000000404060 by main thread (mutexes: write M0):
    #0 report(Account&) bank.cpp:19:9 (bank+0x11c8)
    #1 main bank.cpp:33:3 (bank+0x12f0)

  Location is global 'account' of size 16 at 0x000000404060

  Mutex M0 (0x000000004040) taken at:
    #0 report(Account&) bank.cpp:18 (bank+0x11b0)

  Thread T1 'teller-2' created at:
    #0 pthread_create <null> (libc.so.6+0x8f8ec)
    #1 main bank.cpp:31:3 (bank+0x12c0)

SUMMARY: ThreadSanitizer: data race bank.cpp:14:19 in deposit(Account&, int)
==================
ThreadSanitizer: reported 1 warnings
)");
}

TEST(TsanText, HasNoWordForWhatDidNotHappen) {
  Race race = example::bank_race();
  race.detection = Detection::kPredicted;
  EXPECT_EQ(render_tsan_text(findings_with(race)), "");
  race.confirmation = {.runs = 20, .confirmed = 1};
  EXPECT_NE(render_tsan_text(findings_with(race)), "");
  race.suppressed = true;
  EXPECT_EQ(render_tsan_text(findings_with(race)), "");
}

TEST(TsanText, NamesHazardsAsThreadSanitizerDoes) {
  Findings findings;
  findings.run = example::bank_run();
  findings.hazards.push_back(example::bank_hazard());
  const std::string text = render_tsan_text(findings);
  EXPECT_TRUE(
      text.starts_with("==================\nWARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) "
                       "(pid=4711)\n  holds savings.lock"))
      << text;
  EXPECT_NE(text.find("SUMMARY: ThreadSanitizer: lock-order-inversion (potential deadlock) bank.cpp:14:19 in deposit("),
            std::string::npos);
}

TEST(TsanText, SurvivesWhatAProgramCallsThings) {
  Race race = example::bank_race();
  race.accesses[0].thread_name = "a\nWARNING: b";
  race.accesses[1].stack = {};
  const std::string text = render_tsan_text(findings_with(race));
  EXPECT_EQ(text.find("\nWARNING: b"), std::string::npos);
  EXPECT_NE(text.find("    [failed to restore the stack]\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace norn::report
