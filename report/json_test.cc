#include "report/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/string_sink.h"
#include "report/testing/example.h"

namespace norn::report {
namespace {

using Json = nlohmann::json;

std::set<std::string> keys(const Json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}
using Keys = std::set<std::string>;

Json render(const Race& race) {
  return Json::parse(collect([&](Sink sink) { render_json(example::bank_run(), {&race, 1}, {}, {}, sink); }));
}

// The fields are a promise to programs.
TEST(Json, HasExactlyItsFields) {
  const Json json = render(example::bank_race());
  EXPECT_EQ(keys(json), (Keys{"norn", "program", "engine", "front_end", "exit", "complete", "notes", "races", "hazards",
                              "flags", "stats"}));
  const Json& race = json["races"][0];
  EXPECT_EQ(keys(race), (Keys{"id", "standing", "detection", "confirmation", "classification", "location", "accesses",
                              "count", "suppressed", "witness", "replay"}));
  EXPECT_EQ(keys(race["location"]), (Keys{"name", "address", "size", "kind", "allocated_at"}));
  for (const Json& access : race["accesses"]) {
    EXPECT_EQ(keys(access), (Keys{"op", "thread", "thread_created_at", "site", "site_id", "stack", "locks",
                                  "value_type", "values", "count"}));
    for (const Json& frame : access["stack"])
      EXPECT_EQ(keys(frame), (Keys{"function", "file", "line", "column", "module", "offset"}));
  }
  EXPECT_EQ(keys(json["stats"]), (Keys{"events", "accesses", "sync", "threads", "seconds", "peak_rss"}));
}

TEST(Json, SaysWhatIsKnown) {
  Race race = example::bank_race();
  race.detection = Detection::kPredicted;
  race.confirmation = {.runs = 20, .confirmed = 18, .token = "token", .strategy = "race-directed"};
  const Json json = render(race);
  EXPECT_EQ(json["norn"], 1);
  EXPECT_EQ(json["races"][0]["id"], "3f9c1a02");
  EXPECT_EQ(json["races"][0]["standing"], "confirmed");
  EXPECT_EQ(json["races"][0]["detection"], (Json{{"standing", "predicted"}}));
  EXPECT_EQ(json["races"][0]["confirmation"],
            (Json{{"runs", 20}, {"confirmed", 18}, {"token", "token"}, {"strategy", "race-directed"}}));
  EXPECT_TRUE(json["races"][0]["classification"].is_null());
  race.classification = {.name = "output-differs", .consequence = "output", .k = 16, .evidence = "n2abc"};
  EXPECT_EQ(render(race)["races"][0]["classification"],
            (Json{{"class", "output-differs"}, {"consequence", "output"}, {"k", 16}, {"evidence", "n2abc"}}));
  race.classification = {.name = "single-ordering"};
  EXPECT_EQ(render(race)["races"][0]["classification"],
            (Json{{"class", "single-ordering"}, {"consequence", nullptr}, {"k", 0}, {"evidence", nullptr}}));
  EXPECT_EQ(json["races"][0]["replay"], "token");
  EXPECT_EQ(json["races"][0]["location"]["address"], "0x404060");
  EXPECT_EQ(json["races"][0]["accesses"][0]["site"]["function"], "deposit(Account&, int)");
  EXPECT_EQ(json["races"][0]["accesses"][0]["locks"], Json::array());
  EXPECT_EQ(json["races"][0]["accesses"][1]["locks"], Json::array({"audit_mutex"}));
  EXPECT_EQ(json["races"][0]["accesses"][0]["values"], nullptr);
  EXPECT_EQ(json["stats"]["sync"]["locks"], 12);
  EXPECT_EQ(json["stats"]["seconds"], 0.12);
}

TEST(Json, NullWithoutReplay) { EXPECT_TRUE(render(example::bank_race())["races"][0]["replay"].is_null()); }

TEST(Json, NobodyTriedIsNotNotMet) {
  Race race = example::bank_race();
  EXPECT_TRUE(render(race)["races"][0]["confirmation"].is_null());
  race.confirmation = {.runs = 20, .strategy = "pct"};
  const Json json = render(race)["races"][0];
  EXPECT_EQ(json["standing"], "observed");
  EXPECT_EQ(json["confirmation"], (Json{{"runs", 20}, {"confirmed", 0}, {"token", nullptr}, {"strategy", "pct"}}));
}

TEST(Json, HazardsHaveTheSameFacts) {
  Hazard hazard = example::bank_hazard();
  hazard.confirmation = {.runs = 3, .confirmed = 3, .token = "n2h", .strategy = "race-directed"};
  const Json json = Json::parse(
      collect([&](Sink sink) { render_json(example::bank_run(), {}, {&hazard, 1}, {}, sink); }))["hazards"][0];
  EXPECT_EQ(json["standing"], "confirmed");
  EXPECT_EQ(json["detection"]["standing"], "predicted");
  EXPECT_EQ(json["confirmation"]["token"], "n2h");
  EXPECT_TRUE(json["classification"].is_null());
  EXPECT_EQ(json["replay"], "n2h");
}

TEST(Json, NoRaces) {
  const Json json = Json::parse(collect([](Sink sink) { render_json({}, {}, {}, {}, sink); }));
  EXPECT_EQ(json["flags"], Json::array());
  EXPECT_EQ(json["races"], Json::array());
}

}  // namespace
}  // namespace norn::report
