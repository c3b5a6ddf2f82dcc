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
  EXPECT_EQ(keys(race), (Keys{"id", "standing", "location", "accesses", "count", "suppressed", "replay"}));
  EXPECT_EQ(keys(race["location"]), (Keys{"name", "address", "size", "kind", "allocated_at"}));
  for (const Json& access : race["accesses"]) {
    EXPECT_EQ(keys(access), (Keys{"op", "thread", "thread_created_at", "site", "site_id", "stack", "locks", "count"}));
    for (const Json& frame : access["stack"])
      EXPECT_EQ(keys(frame), (Keys{"function", "file", "line", "column", "module", "offset"}));
  }
  EXPECT_EQ(keys(json["stats"]), (Keys{"events", "accesses", "sync", "threads", "seconds", "peak_rss"}));
}

TEST(Json, SaysWhatIsKnown) {
  Race race = example::bank_race();
  race.replay = "token";
  const Json json = render(race);
  EXPECT_EQ(json["norn"], 1);
  EXPECT_EQ(json["races"][0]["id"], "3f9c1a02");
  EXPECT_EQ(json["races"][0]["standing"], "observed");
  EXPECT_EQ(json["races"][0]["replay"], "token");
  EXPECT_EQ(json["races"][0]["location"]["address"], "0x404060");
  EXPECT_EQ(json["races"][0]["accesses"][0]["site"]["function"], "deposit(Account&, int)");
  EXPECT_EQ(json["races"][0]["accesses"][0]["locks"], Json::array());
  EXPECT_EQ(json["races"][0]["accesses"][1]["locks"], Json::array({"audit_mutex"}));
  EXPECT_EQ(json["stats"]["sync"]["locks"], 12);
  EXPECT_EQ(json["stats"]["seconds"], 0.12);
}

TEST(Json, NullWithoutReplay) { EXPECT_TRUE(render(example::bank_race())["races"][0]["replay"].is_null()); }

TEST(Json, NoRaces) {
  const Json json = Json::parse(collect([](Sink sink) { render_json({}, {}, {}, {}, sink); }));
  EXPECT_EQ(json["flags"], Json::array());
  EXPECT_EQ(json["races"], Json::array());
}

}  // namespace
}  // namespace norn::report
