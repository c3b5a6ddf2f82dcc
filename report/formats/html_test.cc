#include "report/formats/html.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "report/formats/page_template.h"
#include "report/record_reader.h"
#include "report/testing/example.h"

namespace norn::report {
namespace {

std::string render(const Race& race, const PageFacts& facts = {.version = "0.1.0"}) {
  Findings findings;
  findings.run = example::bank_run();
  findings.races.push_back(race);
  SourceFiles sources;
  return render_html(findings, facts, sources);
}

// What the page's script reads.
nlohmann::json model_in(const std::string& page) {
  constexpr std::string_view kBegin = "id=\"findings\">";
  const size_t begin = page.find(kBegin) + kBegin.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(Html, TheTemplateHasEachPartThatIsReplacedOnce) {
  const std::string page(page_template());
  for (const char* part :
       {"<title>norn</title>", "<!-- norn: what can be read without scripts -->", "id=\"findings\">null</script>"}) {
    const size_t at = page.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    EXPECT_EQ(page.find(part, at + 1), std::string::npos) << part;
  }
}

TEST(Html, TheModelSaysEverything) {
  Race race = example::bank_race();
  race.confirmation = {.runs = 20, .confirmed = 3, .token = "n2abc", .strategy = "pct"};
  const std::string id(view(race.id.text()));
  const std::string page = render(
      race,
      {.version = "0.1.0",
       .base = "/home/ann",
       .started = "2026-03-01 12:00:00",
       .build = "build-id:12",
       .commit = "abc",
       .history = {{id, {{"2026-03-01 12:00", "observed"}}}},
       .classes = {{id, {.name = "output-differs", .consequence = "output", .k = 16, .evidence = "n2def"}}},
       .schedules = {{"n2abc",
                      {.decisions = 7,
                       .steps = {{.thread = 2, .operation = "access", .place = "a.c:3", .site = 0x1f, .enabled = 2},
                                 {.thread = 1, .operation = "access", .enabled = 1}}}}}});
  const auto model = model_in(page);
  EXPECT_EQ(model["base"], "/home/ann/");
  EXPECT_EQ(model["run"]["command"], nlohmann::json::array({"./bank"}));
  EXPECT_EQ(model["run"]["started"], "2026-03-01 12:00:00");
  EXPECT_EQ(model["run"]["commit"], "abc");
  const auto& finding = model["findings"][0];
  EXPECT_EQ(finding["title"], "account.balance");
  EXPECT_EQ(finding["standing"], "confirmed");
  EXPECT_EQ(finding["words"], "confirmed in 3 of 20 runs");
  EXPECT_EQ(finding["confirmation"]["token"], "n2abc");
  EXPECT_EQ(finding["class"]["name"], "output-differs");
  EXPECT_EQ(finding["class"]["k"], 16);
  EXPECT_EQ(finding["class"]["evidence"], "n2def");
  EXPECT_EQ(finding["history"][0]["words"], "observed");
  EXPECT_EQ(finding["record"]["count"], 1998);
  EXPECT_EQ(finding["record"]["accesses"][0]["thread_name"], "teller-2");
  EXPECT_EQ(finding["record"]["accesses"][1]["locks"][0]["name"], "audit_mutex");
  const auto& schedule = model["schedules"]["n2abc"];
  EXPECT_EQ(schedule["decisions"], 7);
  EXPECT_EQ(schedule["operations"], nlohmann::json::array({"access"}));
  EXPECT_EQ(schedule["steps"], nlohmann::json::parse(R"([[2,0,0,"1f",2],[1,0,-1,"",1]])"));
  EXPECT_NE(page.find("<title>1 race in bank</title>"), std::string::npos);
}

// What was found out of this run's race says more than what the casebook knows of it.
TEST(Html, TheClassIsThatOfTheFindings) {
  Race race = example::bank_race();
  race.classification = {.name = "spec-violated", .consequence = "crash", .k = 2, .evidence = "n2new"};
  const std::string id(view(race.id.text()));
  const auto model = model_in(render(race, {.version = "0.1.0", .classes = {{id, {.name = "output-differs"}}}}));
  EXPECT_EQ(model["findings"][0]["class"],
            nlohmann::json::parse(R"({"name":"spec-violated","consequence":"crash","k":2,"evidence":"n2new"})"));
}

TEST(Html, HazardsStandBehindTheRaces) {
  Findings findings;
  findings.run = example::bank_run();
  findings.races.push_back(example::bank_race());
  findings.hazards.push_back(example::bank_hazard());
  findings.hazards[0].confirmation = {.runs = 20, .confirmed = 2, .token = "n2abc"};
  SourceFiles sources;
  const auto model = model_in(render_html(findings, {}, sources));
  const auto& finding = model["findings"][1];
  EXPECT_EQ(finding["record"]["record"], "hazard");
  EXPECT_EQ(finding["words"], "confirmed in 2 of 20 runs");
  EXPECT_NE(finding["title"].get<std::string>().find("possible deadlock"), std::string::npos);
  EXPECT_EQ(finding["record"]["steps"][0]["thread_name"], "teller-2");
  EXPECT_NE(finding["variable"], model["findings"][0]["variable"]);
}

TEST(Html, CanBeReadWithoutScripts) {
  const std::string page = render(example::bank_race());
  const size_t begin = page.find("<noscript>");
  ASSERT_NE(begin, std::string::npos);
  const std::string text = page.substr(begin, page.find("</noscript>") - begin);
  for (const char* part : {"race on account.balance", "deposit(Account&amp;, int)", "bank.cpp:14", "audit_mutex"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(Html, NeedsNothingElse) {
  const std::string page = render(example::bank_race());
  for (const char* outside : {"src=\"", "<link", "@import", "url("})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
}

TEST(Html, EscapesWhatTheProgramSays) {
  Race race = example::bank_race();
  race.location.name = "<script>alert(1)</script>";
  race.accesses[0].thread_name = "\"><img onerror=x>";
  const std::string page = render(race);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(model_in(page)["findings"][0]["title"], "<script>alert(1)</script>");
}

TEST(Html, ShowsTheSource) {
  const auto directory = std::filesystem::temp_directory_path() / "norn-html-test";
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "a.cpp") << "int one;\nint two;\nint three = a < b;\nint four;\n";
  const std::string where = directory.string();
  const Frame stack[] = {{.function = "f()", .file = "a.cpp", .directory = text_of(where), .line = 3}};
  Race race = example::bank_race();
  race.accesses[0].stack = stack;
  const std::string page = render(race, {.base = where});
  std::filesystem::remove_all(directory);
  const auto lines = model_in(page)["sources"][where + "/a.cpp"];
  EXPECT_EQ(lines,
            nlohmann::json::parse(R"({"1":"int one;","2":"int two;","3":"int three = a < b;","4":"int four;"})"));
}

}  // namespace
}  // namespace norn::report
