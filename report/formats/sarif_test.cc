#include "report/formats/sarif.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/record_reader.h"
#include "report/testing/example.h"

namespace norn::report {
namespace {

using Json = nlohmann::json;

Findings bank_findings(const Race& race) {
  Findings findings;
  findings.run = example::bank_run();
  findings.races.push_back(race);
  return findings;
}

TEST(Sarif, HasWhatServicesNeed) {
  Race race = example::bank_race();
  race.suppressed = true;
  race.suppressed_by = "race:deposit";
  const Json sarif = Json::parse(render_sarif(bank_findings(race), "0.1.0", "/home/ann"));
  EXPECT_EQ(sarif["version"], "2.1.0");
  const Json& run = sarif["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "norn");
  EXPECT_EQ(run["originalUriBaseIds"]["SRCROOT"]["uri"], "file:///home/ann/");
  const Json& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "norn.race.observed");
  EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
  EXPECT_EQ(result["level"], "error");
  EXPECT_EQ(result["partialFingerprints"]["nornRaceId/v1"], "3f9c1a02");
  EXPECT_EQ(result["partialFingerprints"]["primaryLocationLineHash"], "3f9c1a02:1");
  EXPECT_EQ(result["occurrenceCount"], 1998);
  EXPECT_EQ(result["message"]["text"],
            "Data race on account.balance: write of 4 bytes by thread 2 (teller-2) with no locks held, and [read of 4 "
            "bytes by thread 1 (teller-1) holding audit_mutex](1).");
  const Json& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "bank.cpp");
  EXPECT_EQ(place["region"]["startLine"], 14);
  EXPECT_EQ(place["region"]["startColumn"], 19);
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 19);
  EXPECT_EQ(result["suppressions"][0]["kind"], "external");
  EXPECT_EQ(result["suppressions"][0]["justification"], "race:deposit");
  // Both stacks, from the access outwards.
  ASSERT_EQ(result["stacks"].size(), 2u);
  const Json& frames = result["stacks"][1]["frames"];
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0]["location"]["physicalLocation"]["region"]["startLine"], 19);
  EXPECT_EQ(frames[1]["location"]["logicalLocations"][0]["fullyQualifiedName"], "main");
  EXPECT_EQ(frames[1]["module"], "bank");
  // Two flows, each from the outermost call to the access.
  const Json& flows = result["codeFlows"][0]["threadFlows"];
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0]["locations"].back()["location"]["physicalLocation"]["region"]["startLine"], 14);
  EXPECT_EQ(flows[1]["locations"].front()["location"]["physicalLocation"]["region"]["startLine"], 33);
}

TEST(Sarif, UrisAreEncodedAndRelativeToTheBase) {
  const Frame stack[] = {{.function = "f", .file = "../my src/ä.cpp", .directory = "/home/ann/build", .line = 1}};
  Race race = example::bank_race();
  race.accesses[0].stack = stack;
  const Json inside = Json::parse(render_sarif(bank_findings(race), "0", "/home/ann"));
  EXPECT_EQ(inside["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "my%20src/%C3%A4.cpp");
  const Json outside = Json::parse(render_sarif(bank_findings(race), "0", "/other"));
  EXPECT_EQ(outside["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "file:///home/ann/my%20src/%C3%A4.cpp");
}

TEST(Sarif, IsUtf8WhateverTheProgramSays) {
  Race race = example::bank_race();
  race.location.name = "\xff\xfe";
  race.accesses[0].thread_name = "\xc3";
  const Frame stack[] = {{.function = "\x80", .file = "\xff.cpp", .line = 1}};
  race.accesses[0].stack = stack;
  EXPECT_TRUE(Json::accept(render_sarif(bank_findings(race), "0", "")));
}

TEST(Sarif, HazardsAreResultsWithTheirThreads) {
  Findings findings;
  findings.run = example::bank_run();
  findings.hazards.push_back(example::bank_hazard());
  findings.hazards.push_back(example::bank_hazard());
  findings.hazards[1].confirmation = {.runs = 20, .confirmed = 3, .token = "n2abc"};
  const Json sarif = Json::parse(render_sarif(findings, "0.1.0", "/home/ann"));
  const Json& run = sarif["runs"][0];
  const Json& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "norn.lock-order");
  EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
  EXPECT_EQ(result["level"], "warning");
  EXPECT_EQ(result["message"]["text"],
            "lock order: savings.lock, account.lock are taken in different orders: possible deadlock. thread 2 "
            "(teller-2) holds savings.lock (taken at bank.cpp:40) and takes account.lock; thread 3 holds account.lock "
            "(taken at bank.cpp:18) and takes savings.lock");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"]["startLine"], 14);
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 19);
  EXPECT_EQ(result["partialFingerprints"]["nornRaceId/v1"], "5e1f0b77");
  const Json& flows = result["codeFlows"][0]["threadFlows"];
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0]["locations"].front()["location"]["physicalLocation"]["region"]["startLine"], 22);
  EXPECT_EQ(flows[0]["locations"].back()["location"]["physicalLocation"]["region"]["startLine"], 14);
  EXPECT_EQ(run["results"][1]["level"], "error");
  EXPECT_EQ(run["results"][1]["properties"]["replay"], "n2abc");
  EXPECT_EQ(run["results"][1]["properties"]["confirmation"], (Json{{"runs", 20}, {"confirmed", 3}}));
}

// A race that was seen is no less of one because no schedule met it.
TEST(Sarif, NotMetTakesNothingAway) {
  Race race = example::bank_race();
  race.confirmation = {.runs = 20};
  Json result = Json::parse(render_sarif(bank_findings(race), "0", ""))["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "norn.race.observed");
  EXPECT_EQ(result["level"], "error");
  EXPECT_EQ(result["properties"]["standing"], "observed");
  EXPECT_EQ(result["properties"]["confirmation"]["confirmed"], 0);
  race.detection = Detection::kPredicted;
  result = Json::parse(render_sarif(bank_findings(race), "0", ""))["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "norn.race.predicted");
  EXPECT_EQ(result["level"], "warning");
}

TEST(Sarif, TheClassSaysTheLevel) {
  const std::pair<Text, const char*> kLevels[] = {{"spec-violated", "error"},
                                                  {"output-differs", "warning"},
                                                  {"k-witness-harmless", "note"},
                                                  {"single-ordering", "note"}};
  for (const auto& [name, level] : kLevels) {
    Race race = example::bank_race();
    race.classification = {.name = name, .consequence = "crash", .k = 4, .evidence = "n2abc"};
    const Json result = Json::parse(render_sarif(bank_findings(race), "0", ""))["runs"][0]["results"][0];
    EXPECT_EQ(result["level"], level);
    EXPECT_EQ(result["properties"]["class"], view(name));
    EXPECT_EQ(result["properties"]["consequence"], "crash");
    EXPECT_EQ(result["properties"]["k"], 4);
    EXPECT_EQ(result["properties"]["evidence"], "n2abc");
  }
}

TEST(Sarif, FlagsAreNotes) {
  Findings findings;
  findings.run = example::bank_run();
  findings.flags.push_back(example::bank_race());
  findings.flags[0].is_flag = true;
  const Json sarif = Json::parse(render_sarif(findings, "0.1.0", "/home/ann"));
  const Json& run = sarif["runs"][0];
  const Json& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "norn.flag");
  EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
  EXPECT_EQ(result["level"], "note");
  EXPECT_TRUE(result["message"]["text"].get<std::string>().starts_with(
      "account.balance is used as a flag without being atomic: "));
}

// A code host refuses a result without a file and a line, and a file with too many results.
TEST(Sarif, KeepsTheLimitsOfCodeHosts) {
  std::vector<Frame> deep(3000, Frame{.function = "again", .file = "a.c", .line = 1});
  const Frame stripped = {.module = "/usr/bin/server", .offset = 0x1234};
  Race race = example::bank_race();
  race.accesses[0].stack = list_of(deep);
  race.accesses[1].stack = {};
  race.accesses[1].site = stripped;
  Findings findings = bank_findings(race);
  for (int i = 0; i < 8; ++i) findings.races.push_back(example::bank_race());
  const Json run = Json::parse(render_sarif(findings, "0", "", 5))["runs"][0];
  EXPECT_EQ(run["results"].size(), 5u);
  EXPECT_EQ(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"],
            "4 more findings were left out: code hosts take no more.");
  const Json& result = run["results"][0];
  size_t locations = 0;
  for (const Json& flow : result["codeFlows"][0]["threadFlows"]) locations += flow["locations"].size();
  EXPECT_LE(locations, 1000u);
  EXPECT_GE(locations, 400u);
  const Json& place = result["relatedLocations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "file:///usr/bin/server");
  EXPECT_EQ(place["address"]["relativeAddress"], 0x1234);
  EXPECT_EQ(place["region"]["startLine"], 1);
}

TEST(Sarif, NoRaces) {
  const Json sarif = Json::parse(render_sarif(Findings{}, "0", ""));
  EXPECT_EQ(sarif["runs"][0]["results"], Json::array());
}

}  // namespace
}  // namespace norn::report
