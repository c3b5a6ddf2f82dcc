#include "hive/api/hive_api.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "casebook/casebook.h"
#include "hive/api/embedded.h"

namespace norn::hive {
namespace {

using nlohmann::json;

constexpr const char* kBuild = "0123456789abcdef";
constexpr const char* kRecords =
    R"({"record":"start","norn":1,"pid":1,"program":"bank","engine":"static","front_end":"static"}
{"record":"race","pid":1,"id":"00aa00aa00aa","standing":"static","location":{"name":"balance","kind":"global"},"accesses":[{"op":"write","site":{"function":"deposit","file":"bank.c","line":14},"site_id":"0xa1"},{"op":"read","site":{"function":"report","file":"bank.c","line":19},"site_id":"0xb1"}]}
{"record":"race","pid":1,"id":"00bb00bb00bb","standing":"static","location":{"name":"total","kind":"global"},"accesses":[{"op":"write","site":{"function":"deposit","file":"bank.c","line":15},"site_id":"0xa2"},{"op":"write","site":{"function":"deposit","file":"bank.c","line":15},"site_id":"0xa2"}]}
{"record":"flag","pid":1,"id":"00cc00cc00cc","standing":"static","location":{"name":"stop","kind":"global"},"accesses":[{"op":"read","site":{"function":"wait","file":"bank.c","line":30},"site_id":"0xa3"},{"op":"write","site":{"function":"main","file":"bank.c","line":40},"site_id":"0xb3"}]}
{"record":"end","pid":1,"exit":0}
)";

class HiveApiTest : public testing::Test {
 protected:
  HiveApiTest() {
    char name[] = "/tmp/norn-hive-api-XXXXXX";
    directory_ = mkdtemp(name);
    database_ = directory_ + "/hive.db";
    limits_.longest_request = 5'000;
    api_ = std::make_unique<HiveApi>(database_, Policy{}, limits_, 1, [this] { return now_; });
    admin_ = token(Role::kAdmin, "boss");
    developer_ = token(Role::kDeveloper, "ann");
    site_ = token(Role::kSite, "desk");
  }
  ~HiveApiTest() override { std::filesystem::remove_all(directory_); }

  std::string token(Role role, const std::string& name) {
    return Store(database_, {}).add_token(role, name, now_, ids_[name]);
  }
  Reply ask(const std::string& method, const std::string& path, const std::string& who, const std::string& body = "") {
    return api_->answer(
        {.method = method, .path = path, .token = who, .peer = "::1", .length = body.size(), .body = body});
  }
  json get(const std::string& path) {
    const Reply reply = ask("GET", path, developer_);
    EXPECT_EQ(reply.status, 200) << path << reply.body;
    return json::parse(reply.body);
  }
  void submit() {
    const json body{
        {"build", kBuild},
        {"program", "bank"},
        {"label", "1.0"},
        {"records", kRecords},
        {"sources",
         {{"00aa00aa00aa", {{{"file", "bank.c"}, {"line", 14}, {"first", 13}, {"lines", {"{", "b += a;"}}}}}}}};
    ASSERT_EQ(ask("POST", "/api/v1/versions", developer_, body.dump()).status, 201);
  }
  // The task of a site, which may have none.
  json task(const std::string& who) {
    const json reply = json::parse(ask("POST", "/api/v1/tasks", who, json{{"builds", {kBuild}}}.dump()).body);
    return reply["tasks"].empty() ? json() : reply["tasks"][0];
  }
  json result(const std::string& race, const std::string& kind, const std::string& order = "none") {
    const std::string number = std::to_string(++said_);
    return {{"id", number},   {"build", kBuild}, {"race", race}, {"execution", number}, {"kind", kind},
            {"order", order}, {"tau", 1000},     {"spent", 5},   {"lived", 100}};
  }
  Reply say(const std::string& who, const json& result) {
    return ask("POST", "/api/v1/results", who, json{{"results", {result}}}.dump());
  }
  json candidate(const std::string& race) {
    return get(std::string("/api/v1/versions/") + kBuild + "/candidates/" + race);
  }

  std::string directory_, database_;
  Limits limits_{};
  int64_t now_ = 1'000'000;
  std::map<std::string, std::string> ids_{};
  std::unique_ptr<HiveApi> api_;
  std::string admin_, developer_, site_;
  int said_ = 0;
};

TEST_F(HiveApiTest, ADescriptionOfExactlyTheseRoutes) {
  const json description = json::parse(open_api());
  std::set<std::string> described, served;
  for (const auto& [path, methods] : description["paths"].items())
    for (const auto& [method, operation] : methods.items()) {
      std::string upper = method;
      std::transform(upper.begin(), upper.end(), upper.begin(), ::toupper);
      described.insert(upper + " " + path + " " + operation.value("x-role", "anybody"));
      EXPECT_EQ(operation.contains("requestBody"), upper == "POST" || upper == "PUT") << path;
    }
  for (const Route& route : HiveApi::routes()) {
    if (std::string_view(route.path) == "/") continue;
    served.insert(std::string(route.method) + " " + route.path + " " +
                  std::string(route.role ? name_of(*route.role) : "anybody"));
  }
  EXPECT_EQ(described, served);
}

// Every route, by every role and by nobody.
TEST_F(HiveApiTest, RolesMayWhatTheyMayAndNothingElse) {
  const std::map<Role, std::string> tokens{
      {Role::kSite, site_}, {Role::kDeveloper, developer_}, {Role::kAdmin, admin_}};
  for (const Route& route : HiveApi::routes()) {
    if (!route.role) continue;
    const std::string said = std::string(route.method) + " " + route.path;
    EXPECT_EQ(ask(route.method, route.path, "").status, 401) << said;
    EXPECT_EQ(ask(route.method, route.path, "norn_admin_0123").status, 401) << said;
    for (const auto& [role, token] : tokens) {
      const int status = ask(route.method, route.path, token).status;
      EXPECT_EQ(status == 403, !may(role, *route.role)) << said << " " << name_of(role) << " " << status;
      EXPECT_NE(status, 401) << said;
    }
  }
}

TEST_F(HiveApiTest, PathsAndMethodsThatAreNone) {
  EXPECT_EQ(ask("GET", "/api/v1/nothing", admin_).status, 404);
  EXPECT_EQ(ask("GET", "/api/v1/versions/x/candidates/y/z", admin_).status, 404);
  EXPECT_EQ(ask("DELETE", "/api/v1/versions", admin_).status, 405);
  EXPECT_EQ(ask("GET", "/api/v1/versions/beef/candidates", admin_).status, 404);
  EXPECT_EQ(ask("GET", "/api/v1/versions/../candidates", admin_).status, 404);
  EXPECT_EQ(ask("DELETE", "/api/v1/tokens/nobody", admin_).status, 404);
}

TEST_F(HiveApiTest, ASubmittedVersionIsThereWithItsCandidates) {
  submit();
  const json version = get("/api/v1/versions")["versions"][0];
  EXPECT_EQ(version["program"], "bank");
  EXPECT_EQ(version["verdicts"], (json{{"true-race", 0}, {"likely-false-positive", 0}, {"unknown", 2}, {"flags", 1}}));
  const json all = get(std::string("/api/v1/versions/") + kBuild + "/candidates")["candidates"];
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0]["variable"], "balance");
  EXPECT_EQ(all[0]["sites"], (json{"a1", "b1"}));
  EXPECT_EQ(all[0]["accesses"][0], "bank.c:14 write");
  EXPECT_TRUE(all[2]["flag"]);
  const json one = candidate("00aa00aa00aa");
  EXPECT_EQ(one["source"][0]["lines"][1], "b += a;");
  EXPECT_EQ(one["record"]["id"], "00aa00aa00aa");
  // Again: nothing is there twice.
  EXPECT_EQ(ask("POST", "/api/v1/versions", developer_,
                json{{"build", kBuild}, {"program", "bank"}, {"label", "1.1"}, {"records", kRecords}}.dump())
                .status,
            200);
  EXPECT_EQ(get("/api/v1/versions")["versions"].size(), 1U);
  EXPECT_EQ(get("/api/v1/versions")["versions"][0]["label"], "1.1");
}

TEST_F(HiveApiTest, AFileIsStoredAndReadAgain) {
  submit();
  const std::string path = std::string("/api/v1/versions/") + kBuild + "/file";
  EXPECT_EQ(ask("GET", path, developer_).status, 404);
  std::string file;
  for (int i = 0; i < 9'000'000; ++i) file += static_cast<char>(i * i >> 7);
  EXPECT_EQ(ask("PUT", path, developer_, file).status, 200);
  EXPECT_TRUE(ask("GET", path, developer_).body == file);
  EXPECT_EQ(ask("PUT", "/api/v1/versions/beef/file", developer_, "x").status, 404);
}

TEST_F(HiveApiTest, AResultSentTwiceCountsOnce) {
  submit();
  const json given = task(site_);
  const json said = result(given["race"], "race", "primary");
  EXPECT_EQ(json::parse(say(site_, said).body), (json{{"taken", 1}, {"known", 0}, {"refused", 0}}));
  EXPECT_EQ(json::parse(say(site_, said).body), (json{{"taken", 0}, {"known", 1}, {"refused", 0}}));
  EXPECT_EQ(candidate(given["race"])["results"]["race"], (json{{"count", 1}, {"sites", 1}}));
  EXPECT_EQ(candidate(given["race"])["verdict"], "true-race");
}

TEST_F(HiveApiTest, NobodySaysAnythingOfWhatTheyWereNotAsked) {
  submit();
  const std::string other = token(Role::kSite, "other");
  const json given = task(site_);
  EXPECT_EQ(json::parse(say(other, result(given["race"], "race", "both")).body)["refused"], 1);
  EXPECT_EQ(candidate(given["race"])["verdict"], "unknown");
}

TEST_F(HiveApiTest, WithdrawingASiteTakesBackWhatItSaid) {
  submit();
  const std::string race = task(site_)["race"];
  EXPECT_EQ(say(site_, result(race, "race", "primary")).status, 200);
  EXPECT_EQ(candidate(race)["verdict"], "true-race");
  EXPECT_EQ(ask("DELETE", "/api/v1/tokens/" + ids_["desk"], admin_).status, 200);
  EXPECT_EQ(candidate(race)["verdict"], "unknown");
  EXPECT_EQ(say(site_, result(race, "race", "primary")).status, 401);
  EXPECT_TRUE(candidate(race)["history"][0]["withdrawn"]);
  EXPECT_EQ(ask("PUT", "/api/v1/tokens/" + ids_["desk"], admin_, "{}").status, 200);
  EXPECT_EQ(candidate(race)["verdict"], "true-race");
}

// A site that uses another's numbers says something of its own, and takes nothing away.
TEST_F(HiveApiTest, AHostileSiteChangesNothingOfOthers) {
  submit();
  const std::string hostile = token(Role::kSite, "hostile");
  std::string race = task(site_)["race"];
  const json truth = result(race, "race", "primary");
  EXPECT_EQ(say(site_, truth).status, 200);
  for (int i = 0; i < 20 && task(hostile)["race"] != race; ++i)
    static_cast<void>(say(hostile, result(task(hostile)["race"], "no-race")));
  json lie = truth;
  lie["kind"] = "no-race";
  lie["order"] = "none";
  static_cast<void>(say(hostile, lie));
  const json after = candidate(race);
  EXPECT_EQ(after["verdict"], "true-race");
  EXPECT_EQ(after["results"]["race"], (json{{"count", 1}, {"sites", 1}}));
}

TEST_F(HiveApiTest, MalformedBodiesAreRefusedWithOneLine) {
  submit();
  const std::string race = task(site_)["race"];
  const auto broken = [&](const char* name, const json& value) {
    json body = result(race, "race", "primary");
    if (value.is_discarded()) {
      body.erase(name);
    } else {
      body[name] = value;
    }
    return body;
  };
  const json absent(json::value_t::discarded);
  const std::vector<json> all{broken("id", "not hex"),
                              broken("id", std::string(33, 'a')),
                              broken("id", 1),
                              broken("id", absent),
                              broken("build", 7),
                              broken("race", "'; DROP TABLE results; --"),
                              broken("kind", "verdict"),
                              broken("order", "both ways"),
                              broken("order", "none"),
                              broken("tau", -1),
                              broken("tau", 1.5),
                              broken("tau", 1e300),
                              broken("spent", int64_t{1} << 60),
                              broken("lived", "long"),
                              broken("detail", json::array()),
                              broken("detail", {{"stacks", {{{{"module", 1}, {"offset", "0"}}}}}}),
                              broken("detail", {{"stacks", {{}, {}, {}}}}),
                              broken("detail", {{"facts", {std::string(100, 'x')}}}),
                              broken("detail", {{"signal", -1}}),
                              json("text"),
                              json::array()};
  for (const json& each : all) {
    const Reply reply = say(site_, each);
    EXPECT_EQ(reply.status, 400) << each;
    EXPECT_EQ(json::parse(reply.body)["error"].get<std::string>().find('\n'), std::string::npos);
  }
  const std::vector<std::string> bodies{"",
                                        "{",
                                        "[]",
                                        "{}",
                                        "null",
                                        "\xff\xfe",
                                        R"({"results":{}})",
                                        R"({"results":[]})",
                                        "{\"results\":" + std::string(1000, '[') + std::string(1000, ']') + "}",
                                        std::string(2000, '[')};
  for (const std::string& body : bodies) EXPECT_EQ(ask("POST", "/api/v1/results", site_, body).status, 400) << body;
  EXPECT_EQ(candidate(race)["verdict"], "unknown");
  EXPECT_EQ(candidate(race)["history"].size(), 0U);
}

TEST_F(HiveApiTest, WhatIsTooLongIsRefusedBeforeItIsRead) {
  const Call call{.method = "POST", .path = "/api/v1/results", .token = site_, .peer = "::1", .length = 5'001};
  EXPECT_EQ(api_->admit(call).refusal->status, 413);
  json many = json::array();
  for (int i = 0; i < 1'001; ++i) many.push_back(json());
  EXPECT_EQ(ask("POST", "/api/v1/results", site_, json{{"results", many}}.dump()).status, 413);
}

TEST_F(HiveApiTest, WhoAsksTooOftenWaits) {
  limits_.burst = 3;
  limits_.per_second = 0.001;
  api_ = std::make_unique<HiveApi>(database_, Policy{}, limits_, 1, [this] { return now_; });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask("GET", "/api/v1/sites", developer_).status, 200);
  EXPECT_EQ(ask("GET", "/api/v1/sites", developer_).status, 429);
  EXPECT_EQ(ask("GET", "/api/v1/sites", admin_).status, 200);
}

TEST_F(HiveApiTest, WhoGuessesTokensWaits) {
  for (int i = 0; i < 50; ++i) EXPECT_EQ(ask("GET", "/api/v1/sites", "norn_admin_" + std::to_string(i)).status, 401);
  EXPECT_EQ(ask("GET", "/api/v1/sites", "norn_admin_x").status, 429);
}

TEST_F(HiveApiTest, FailuresOfOneCauseAreOne) {
  submit();
  const std::string other = token(Role::kSite, "other");
  for (const std::string& who : {site_, other})
    for (const char* offset : {"1d0", "1d0", "2e0"}) {
      json crash = result(task(who)["race"], "crash");
      crash["detail"] = {{"signal", 11}, {"stacks", {{{{"module", "bank"}, {"offset", offset}}}}}};
      EXPECT_EQ(say(who, crash).status, 200);
    }
  const json failures = get(std::string("/api/v1/versions/") + kBuild + "/failures")["failures"];
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0]["count"], 4);
  EXPECT_EQ(failures[0]["sites"], 2);
  EXPECT_EQ(failures[0]["cause"], "bank+1d0");
  EXPECT_EQ(failures[1]["count"], 2);
}

TEST_F(HiveApiTest, TheCasebookIsOneThatNornReads) {
  submit();
  const std::string path = directory_ + "/copy.db";
  const Reply reply = ask("GET", "/api/v1/casebook", developer_);
  FILE* file = fopen(path.c_str(), "w");
  ASSERT_EQ(fwrite(reply.body.data(), 1, reply.body.size(), file), reply.body.size());
  fclose(file);
  const casebook::Casebook book(path, casebook::Access::kRead);
  EXPECT_EQ(book.races().size(), 2U);
  // Who has what token, and who said what, is not in it.
  EXPECT_EQ(reply.body.find(hash_of(site_)), std::string::npos);
}

TEST_F(HiveApiTest, ATokenIsMadeByAnAdminAndToldOnce) {
  const json made = json::parse(ask("POST", "/api/v1/tokens", admin_, R"({"role":"site","name":"new"})").body);
  EXPECT_TRUE(Store(database_, {}).find_token(made["token"], now_));
  const Reply list = ask("GET", "/api/v1/tokens", admin_);
  EXPECT_EQ(list.body.find(made["token"].get<std::string>()), std::string::npos);
  EXPECT_NE(list.body.find(made["id"].get<std::string>()), std::string::npos);
  EXPECT_EQ(ask("POST", "/api/v1/tokens", admin_, R"({"role":"god","name":"new"})").status, 400);
}

}  // namespace
}  // namespace norn::hive
