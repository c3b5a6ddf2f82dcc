#include "report/formats/html.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "report/testing/example.h"

namespace norn::report {
namespace {

std::string render(const Race& race, const std::string& base = "") {
  Findings findings;
  findings.run = example::bank_run();
  findings.races.push_back(race);
  SourceFiles sources;
  return render_html(findings, "0.1.0", base, sources);
}

TEST(Html, SaysEverything) {
  const std::string page = render(example::bank_race());
  for (const char* part : {"<title>1 race in bank</title>", "account.balance", "observed", "1,998 times", "R3f9c1a02",
                           "deposit(Account&amp;, int)", "bank.cpp:14", "created in main", "thread 2 “teller-2”",
                           "audit_mutex", "taken at bank.cpp:18"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(Html, HazardsStandBehindTheRaces) {
  Findings findings;
  findings.run = example::bank_run();
  findings.hazards.push_back(example::bank_hazard());
  findings.hazards[0].confirmation = {.runs = 20, .confirmed = 2, .token = "n2abc"};
  SourceFiles sources;
  const std::string page = render_html(findings, "0.1.0", "", sources);
  for (const char* part :
       {"No races</span>; 1 other hazard", "id=\"R5e1f0b77\"", "possible deadlock", "confirmed in 2 of 20 runs",
        "thread 2 “teller-2”", "holds savings.lock (taken at bank.cpp:40) and takes account.lock", "bank.cpp:19",
        "replay: <code>n2abc</code>"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(Html, NeedsNothingElse) {
  const std::string page = render(example::bank_race());
  for (const char* outside : {"http://", "https://", "src=", "@import", "url("})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
}

TEST(Html, EscapesWhatTheProgramSays) {
  Race race = example::bank_race();
  race.location.name = "<script>alert(1)</script>";
  race.accesses[0].thread_name = "\"><img onerror=x>";
  const std::string page = render(race);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
}

TEST(Html, ShowsTheSource) {
  const auto directory = std::filesystem::temp_directory_path() / "norn-html-test";
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "a.cpp") << "int one;\nint two;\nint three = a < b;\nint four;\n";
  const std::string where = directory.string();
  const Frame stack[] = {{.function = "f()", .file = "a.cpp", .directory = text_of(where), .line = 3}};
  Race race = example::bank_race();
  race.accesses[0].stack = stack;
  const std::string page = render(race, where);
  std::filesystem::remove_all(directory);
  EXPECT_NE(page.find("<span data-line=\"3\" class=\"hit\">int three = a &lt; b;</span>"), std::string::npos);
  EXPECT_NE(page.find("<span data-line=\"1\">int one;</span>"), std::string::npos);
  EXPECT_NE(page.find(">a.cpp:3<"), std::string::npos);
}

}  // namespace
}  // namespace norn::report
