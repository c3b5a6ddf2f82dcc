#include "report/formats/review.h"

#include <gtest/gtest.h>

#include "report/record_reader.h"
#include "report/testing/example.h"

namespace norn::report {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Race elsewhere(Detection detection) {
  Race race = example::bank_race();
  static constexpr Frame kPlace{.file = "src/a,b.cpp", .directory = "/work", .line = 7, .column = 3};
  race.accesses[0].site = kPlace;
  race.location.name = "a|b<c>";
  race.detection = detection;
  race.id.hex[0] = '4';
  return race;
}

Findings bank() {
  Findings findings;
  findings.run = example::bank_run();
  findings.races = {example::bank_race(), elsewhere(Detection::kPredicted)};
  findings.hazards = {example::bank_hazard()};
  return findings;
}

TEST(Junit, FailsForWhatHappened) {
  const std::string xml = render_junit(bank(), "/work");
  EXPECT_TRUE(has(xml, R"x(<testsuite name="norn: bank" tests="3" failures="1" errors="0" skipped="2" time="0.120">)x"))
      << xml;
  EXPECT_TRUE(has(xml, R"x(<testcase classname="bank.cpp" name="race on account.balance (R3f9c1a02)" file="bank.cpp" )x"
                       R"x(line="14">)x"))
      << xml;
  EXPECT_TRUE(has(xml,
                  R"x(<failure type="observed" message="race on account.balance">bank.cpp:14: write by thread 2 )x"
                  R"x(&quot;teller-2&quot;, no locks held races with read by thread 1 &quot;teller-1&quot;, holds )x"
                  R"x(audit_mutex at bank.cpp:19 (observed; R3f9c1a02)</failure>)x"))
      << xml;
  EXPECT_TRUE(has(xml, R"x(name="race on a|b&lt;c&gt; (R4f9c1a02)" file="src/a,b.cpp" line="7">)x")) << xml;
}

TEST(Review, SaysWhatARaceDoes) {
  Findings findings = bank();
  findings.races[0].classification = {.name = "spec-violated", .consequence = "crash", .k = 2, .evidence = "n2abc"};
  EXPECT_TRUE(has(render_junit(findings, "/work"), "(observed; spec-violated: crash; R3f9c1a02)</failure>"));
  EXPECT_TRUE(has(render_annotations(findings, "/work"), "(observed; spec-violated: crash; R3f9c1a02)\n"));
  SourceFiles sources;
  const std::string markdown = render_markdown(findings, "/work", sources);
  EXPECT_TRUE(has(markdown, "| observed, spec\\-violated: crash | race on account.balance |")) << markdown;
  EXPECT_TRUE(has(markdown, "observed · spec-violated: crash · 1,998 times · R3f9c1a02")) << markdown;
}

TEST(Junit, PassesOnlyWhatWasChecked) {
  Findings findings;
  findings.run = example::bank_run();
  EXPECT_TRUE(has(render_junit(findings, ""), R"x(tests="1" failures="0" errors="0" skipped="0")x"));
  findings.run.ended = false;
  EXPECT_TRUE(has(render_junit(findings, ""), R"x(tests="1" failures="0" errors="0" skipped="1")x"));
}

TEST(Annotations, AreALineEach) {
  const std::string text = render_annotations(bank(), "/work");
  EXPECT_TRUE(
      text.starts_with("::error file=bank.cpp,line=14,col=19,title=race on account.balance::write by thread 2 "))
      << text;
  EXPECT_TRUE(has(text, "\n::warning file=src/a%2Cb.cpp,line=7,col=3,title=race on a|b<c>::")) << text;
  EXPECT_TRUE(has(text, "\n::warning file=bank.cpp,line=14,col=19,title=lock order%3A savings.lock%2C account.lock"))
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  Findings hidden = bank();
  hidden.races[0].suppressed = true;
  EXPECT_FALSE(has(render_annotations(hidden, ""), "::error"));
  hidden.races[1].accesses[0].thread_name = "a\n::error::b";
  EXPECT_FALSE(has(render_annotations(hidden, ""), "\n::error"));
}

TEST(Markdown, HasATableAndTheReports) {
  SourceFiles sources;
  const std::string text = render_markdown(bank(), "/work", sources);
  EXPECT_TRUE(text.starts_with("### norn: 2 races in bank\n\n| standing | what |")) << text;
  EXPECT_TRUE(has(text, "| observed | race on account.balance | bank.cpp:14 write | bank.cpp:19 read | R3f9c1a02 |\n"))
      << text;
  EXPECT_TRUE(has(text, "| predicted | race on a\\|b\\<c\\> | src/a,b.cpp:7 write |")) << text;
  EXPECT_TRUE(has(text, "<details><summary>race on a|b&lt;c&gt; (R4f9c1a02)</summary>\n\n```text\nnorn: race on "))
      << text;
  Findings findings = bank();
  findings.races[0].location.name = "a```b";
  EXPECT_TRUE(has(render_markdown(findings, "", sources), "````text\nnorn: race on a```b"));
  findings.races[0].suppressed = true;
  EXPECT_TRUE(has(render_markdown(findings, "", sources), "\n1 suppressed or accepted, not counted.\n"));
}

}  // namespace
}  // namespace norn::report
