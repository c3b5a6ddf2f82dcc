#include "casebook/runs.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "report/record.h"
#include "report/record_reader.h"
#include "report/testing/example.h"
#include "schedule/log_file.h"

namespace norn::casebook {
namespace {

namespace fs = std::filesystem;

// A run in a directory of its own that has found one race.
class Runs : public testing::Test {
 protected:
  Runs() {
    std::string name = (fs::temp_directory_path() / "norn-runs-test-XXXXXX").string();
    run_.directory = mkdtemp(name.data());
    append(collect([](Sink sink) {
      write_start(report::example::bank_run(), sink);
      write_race(report::example::bank_race(), report::example::bank_run().pid, sink);
    }));
  }
  ~Runs() override { fs::remove_all(run_.directory); }

  void append(const std::string& text) const { std::ofstream(run_.findings(), std::ios::app) << text; }
  [[nodiscard]] bool keep(const report::Confirmation& confirmation) const {
    return keep_confirmation(run_, report::example::bank_race().id, confirmation);
  }
  [[nodiscard]] report::Race race() const {
    std::string error;
    findings_ = load_findings(run_, error);
    return findings_ && findings_->races.size() == 1 ? findings_->races[0] : report::Race{};
  }

  KeptRun run_;
  mutable std::optional<report::Findings> findings_;  // what race() points into
};

TEST_F(Runs, KeepWhatWasConfirmed) {
  EXPECT_FALSE(race().confirmation.tried());
  ASSERT_TRUE(keep({.runs = 20, .confirmed = 18, .token = "n2abc", .strategy = "pct"}));
  EXPECT_EQ(standing_of(race()), report::Standing::kConfirmed);
  EXPECT_EQ(race().detection, report::Detection::kObserved);
  EXPECT_EQ(view(race().confirmation.token), "n2abc");
  EXPECT_EQ(view(race().confirmation.strategy), "pct");
}

TEST_F(Runs, HalfALineSpoilsNoConfirmation) {
  append("{\"record\":\"race\",\"pid\":1,\"id\":\"00");
  ASSERT_TRUE(keep({.runs = 20}));
  EXPECT_EQ(race().confirmation.runs, 20u);
}

TEST_F(Runs, ConfirmationsSideBySideAreAllKept) {
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([this] {
      for (int k = 0; k < 25; ++k) EXPECT_TRUE(keep({.runs = 3, .confirmed = 1, .token = "n2abc"}));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(race().confirmation.runs, 600u);
  EXPECT_EQ(race().confirmation.confirmed, 200u);
}

TEST_F(Runs, WhatIsGoneCannotBeAddedTo) {
  fs::remove(run_.findings());
  EXPECT_FALSE(keep({.runs = 20}));
  EXPECT_EQ(errno, ENOENT);
}

TEST(Schedules, AreKeptWithWhatTheirSitesAreCalled) {
  std::string home = (fs::temp_directory_path() / "norn-schedules-test-XXXXXX").string();
  ASSERT_NE(mkdtemp(home.data()), nullptr);
  setenv("NORN_DIR", home.c_str(), 1);
  const std::string log = home + "/log";
  ASSERT_TRUE(schedule::write_log(log, {{.thread = 1, .op = 6, .enabled = 2, .site = 0x1f}}));
  const std::string records = collect([](Sink sink) {
    write_start(report::example::bank_run(), sink);
    report::write_place(0x1f, "bank.cpp:14 deposit()", 7, sink);
  });
  keep_schedule("n2abc", log, records);
  EXPECT_EQ(schedule::read_log(kept_schedule("n2abc")).size(), 1u);
  EXPECT_EQ(kept_places("n2abc"), (std::map<uint32_t, std::string>{{0x1f, "bank.cpp:14 deposit()"}}));
  EXPECT_EQ(kept_schedule("n2other"), "");
  EXPECT_TRUE(kept_places("n2other").empty());
  unsetenv("NORN_DIR");
  fs::remove_all(home);
}

}  // namespace
}  // namespace norn::casebook
