#include "hive/store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>

namespace norn::hive {
namespace {

constexpr const char* kBuild = "0123456789abcdef";

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    char name[] = "/tmp/norn-hive-store-XXXXXX";
    directory_ = mkdtemp(name);
    // The same tests on a PostgreSQL server: tests/hive/postgres.py says where it is. Each begins with an empty one.
    const char* server = std::getenv("NORN_TEST_POSTGRESQL");
    database_ = server != nullptr ? server : directory_ + "/hive.db";
    if (server != nullptr)
      casebook::Database(database_, casebook::Access::kWrite)
          .execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    store_ = std::make_unique<Store>(database_, policy_);
  }
  ~StoreTest() override { std::filesystem::remove_all(directory_); }

  void submit(int number) {
    std::vector<Candidate> candidates;
    candidates.reserve(static_cast<size_t>(number));
    for (int i = 0; i < number; ++i)
      candidates.push_back({.race = "race" + std::to_string(i), .sites = {"a" + std::to_string(i), "b"}});
    store_->add_version({.build = kBuild, .program = "bank", .label = "1.0", .submitted = 1}, 7, candidates);
  }
  std::string site(const std::string& name) {
    std::string id;
    const std::string token = store_->add_token(Role::kSite, name, now_, id);
    EXPECT_TRUE(store_->find_token(token, now_));  // it was seen
    return id;
  }
  std::optional<Task> ask(const std::string& id) {
    Fleet fleet = store_->fleet(kBuild, now_);
    return store_->next_task(id, kBuild, fleet, now_);
  }
  Added say(const std::string& id, const std::string& race, ResultKind kind, Order order = Order::kNone,
            int64_t tau = 0) {
    ++said_;
    return store_->add_results(id,
                               {{.id = std::to_string(said_),
                                 .build = kBuild,
                                 .race = race,
                                 .execution = "e" + std::to_string(said_),
                                 .kind = kind,
                                 .order = order,
                                 .tau = tau,
                                 .spent = 10,
                                 .lived = 1000,
                                 .detail = "{}"}},
                               now_);
  }
  State state_of(const std::string& race) {
    const Fleet fleet = store_->fleet(kBuild, now_);
    for (const CandidateLoad& each : fleet.loads)
      if (each.race == race) return each.state;
    ADD_FAILURE() << "no " << race;
    return State::kUnknown;
  }

  std::string directory_;
  std::string database_;
  Policy policy_{};
  std::unique_ptr<Store> store_;
  int64_t now_ = 1'000'000;
  int said_ = 0;
};

TEST_F(StoreTest, ATokenIsKnownByItsHashAlone) {
  std::string id;
  const std::string token = store_->add_token(Role::kDeveloper, "ann", now_, id);
  const auto found = store_->find_token(token, now_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->role, Role::kDeveloper);
  EXPECT_EQ(found->name, "ann");
  EXPECT_FALSE(store_->find_token(hash_of(token), now_));
  EXPECT_FALSE(store_->find_token(token + "x", now_));
  EXPECT_TRUE(store_->withdraw(id, now_));
  EXPECT_FALSE(store_->find_token(token, now_));
  EXPECT_FALSE(store_->withdraw("nobody", now_));
}

TEST_F(StoreTest, EachSiteHasOneTaskAndKeepsIt) {
  submit(3);
  std::set<std::string> races;
  for (const char* name : {"a", "b", "c"}) {
    const std::string id = site(name);
    const auto task = ask(id);
    ASSERT_TRUE(task);
    races.insert(task->race);
    EXPECT_EQ(ask(id)->race, task->race);
    EXPECT_EQ(task->tau, 1'000);
    EXPECT_FALSE(task->detect) << "context inference comes first";
  }
  EXPECT_EQ(races.size(), 3U);
}

TEST_F(StoreTest, ContextPromotesForAllSites) {
  submit(1);
  const std::string a = site("a"), b = site("b");
  EXPECT_FALSE(ask(a)->detect);
  EXPECT_FALSE(ask(b)->detect);
  say(a, "race0", ResultKind::kContext);
  EXPECT_EQ(state_of("race0"), State::kContext);
  EXPECT_TRUE(ask(a)->detect);
  EXPECT_TRUE(ask(b)->detect);
  EXPECT_TRUE(ask(b)->steer);
}

TEST_F(StoreTest, ARaceIsSettledByTwoSitesAndLeavesEveryList) {
  submit(1);
  const std::string a = site("a"), b = site("b"), c = site("c");
  (void)ask(a);
  (void)ask(b);
  say(a, "race0", ResultKind::kRace, Order::kPrimary);
  EXPECT_EQ(state_of("race0"), State::kPrimary);
  EXPECT_FALSE(ask(a)) << "it has seen it";
  EXPECT_TRUE(ask(c)) << "one site may lie";
  say(b, "race0", ResultKind::kRace, Order::kAlternate);
  EXPECT_EQ(state_of("race0"), State::kBoth);
  EXPECT_FALSE(ask(c));
}

TEST_F(StoreTest, WithdrawingASiteRestoresTheVerdicts) {
  submit(2);
  const std::string liar = site("liar"), honest = site("honest");
  const std::string race = ask(liar)->race;
  (void)ask(honest);
  const std::string other = race == "race0" ? "race1" : "race0";
  say(honest, other, ResultKind::kNoRace);
  say(liar, race, ResultKind::kRace, Order::kBoth);
  EXPECT_EQ(state_of(race), State::kBoth);
  ASSERT_TRUE(store_->withdraw(liar, now_));
  EXPECT_EQ(state_of(race), State::kUnknown);
  EXPECT_EQ(state_of(other), State::kSynchronized);
  ASSERT_TRUE(store_->withdraw(liar, 0));
  EXPECT_EQ(state_of(race), State::kBoth);
}

TEST_F(StoreTest, ResultsAreTakenOnce) {
  submit(1);
  const std::string a = site("a"), b = site("b");
  (void)ask(a);
  (void)ask(b);
  const Result result{.id = "1",
                      .build = kBuild,
                      .race = "race0",
                      .execution = "e",
                      .kind = ResultKind::kTimeout,
                      .order = Order::kNone,
                      .tau = 1'000,
                      .spent = 5,
                      .lived = 9,
                      .detail = "{}"};
  EXPECT_EQ(store_->add_results(a, {result, result}, now_).taken, 1U);
  EXPECT_EQ(store_->add_results(a, {result}, now_).known, 1U);
  EXPECT_EQ(ask(a)->tau, 51'000) << "counted once";
  // Another site's number for its own result is its own.
  EXPECT_EQ(store_->add_results(b, {result}, now_).taken, 1U);
  EXPECT_EQ(store_->results(kBuild, "race0", {}, 100).size(), 2U);
}

TEST_F(StoreTest, OnlyWhatASiteWasAskedIsTaken) {
  submit(2);
  const std::string a = site("a");
  const std::string race = ask(a)->race;
  EXPECT_EQ(say(a, race == "race0" ? "race1" : "race0", ResultKind::kRace, Order::kBoth).refused, 1U);
  EXPECT_EQ(say(a, "no such race", ResultKind::kRace).refused, 1U);
  EXPECT_EQ(state_of("race0"), State::kUnknown);
  EXPECT_EQ(state_of("race1"), State::kUnknown);
}

TEST_F(StoreTest, TauGrowsWithTimeoutsAndThenOthersGetTheTask) {
  submit(1);
  const std::string a = site("a"), b = site("b");
  std::vector<int64_t> taus;
  while (const auto task = ask(a)) {
    taus.push_back(task->tau);
    say(a, "race0", ResultKind::kTimeout, Order::kNone, task->tau);
    ASSERT_LT(taus.size(), 10U);
  }
  EXPECT_EQ(taus, (std::vector<int64_t>{1'000, 51'000, 101'000, 151'000, 200'000}));
  EXPECT_EQ(state_of("race0"), State::kTimeout);
  EXPECT_TRUE(ask(b)) << "a likely false positive stays in validation";
}

TEST_F(StoreTest, ASiteThatDoesNotSeeItsCandidateGetsAnother) {
  submit(2);
  const std::string a = site("a");
  const std::string race = ask(a)->race;
  for (int i = 0; i < 3; ++i) say(a, race, ResultKind::kNotSeen);
  EXPECT_NE(ask(a)->race, race);
}

TEST_F(StoreTest, AfterAResultTheOtherOrderIsWanted) {
  submit(1);
  const std::string a = site("a");
  EXPECT_EQ(ask(a)->order, Order::kPrimary);
  say(a, "race0", ResultKind::kNoRace);
  EXPECT_EQ(ask(a)->order, Order::kAlternate);
}

TEST_F(StoreTest, FlagsAreToldAndNotValidated) {
  store_->add_version({.build = kBuild, .program = "bank", .label = ""}, 7,
                      {{.race = "flag", .sites = {"a", "b"}, .is_flag = true}});
  EXPECT_FALSE(ask(site("a")));
  EXPECT_EQ(store_->fleet(kBuild, now_).candidates.size(), 1U);
}

TEST_F(StoreTest, AProgramsFileComesBackAsItWas) {
  submit(1);
  store_->set_file(kBuild, 5, {"one", "two"});
  EXPECT_EQ(store_->file(kBuild), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(store_->version(kBuild)->size, 5);
  EXPECT_TRUE(store_->file("other").empty());
}

TEST_F(StoreTest, TwoServersAreOne) {
  submit(1);
  Store other(database_, policy_);
  const std::string a = site("a"), b = site("b");
  Fleet fleet = other.fleet(kBuild, now_);
  ASSERT_TRUE(other.next_task(a, kBuild, fleet, now_));
  say(a, "race0", ResultKind::kContext);
  EXPECT_EQ(other.fleet(kBuild, now_).loads[0].state, State::kContext);
  EXPECT_TRUE(ask(b)->detect);
}

}  // namespace
}  // namespace norn::hive
