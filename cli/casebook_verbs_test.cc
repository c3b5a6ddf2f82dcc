// The verbs about the casebook, and what the others add to it.
#include <fmt/format.h>

#include <ctime>

#include "casebook/database.h"
#include "cli/test/run_norn.h"

namespace norn::cli::tests {
namespace {

std::string day_in(int days) {
  const std::time_t then = std::time(nullptr) + std::time_t{days} * 24 * 60 * 60;
  char text[16];
  std::strftime(text, sizeof(text), "%Y-%m-%d", std::localtime(&then));
  return text;
}

class CasebookVerbs : public Cli {};

TEST_F(CasebookVerbs, ListWhatAllRunsFound) {
  run({}, {"race=1", "predicted=2", "end"});
  run({}, {"race=1", "race=3", "count=3,5000", "end"});
  const Result all = norn({"list"});
  EXPECT_EQ(all.exit, 0);
  EXPECT_EQ(lines(all.out), 4u) << all.out;
  EXPECT_TRUE(has(all.out, "R00000001  observed       2×  ")) << all.out;
  EXPECT_TRUE(has(all.out, "R00000003  observed   5,000×  ")) << all.out;
  EXPECT_TRUE(has(all.out, "account.balance  bank.cpp:14 write / bank.cpp:19 read\n")) << all.out;
  EXPECT_TRUE(all.out.ends_with("norn: 3 races; of one: norn show R…\n")) << all.out;
  const std::string predicted = norn({"list", "--standing=predicted"}).out;
  EXPECT_TRUE(predicted.starts_with("R00000002  predicted")) << predicted;
  EXPECT_TRUE(has(predicted, "norn: 1 race of 3 that are known; ")) << predicted;
  EXPECT_TRUE(has(norn({"list", "--file=bank.cpp"}).out, "norn: 3 races;"));
  EXPECT_TRUE(has(norn({"list", "--file=pool.cpp"}).out, "norn: 0 races of 3 that are known; "));
  EXPECT_TRUE(has(norn({"list", "--new", "--class=none", "--since=" + day_in(0)}).out, "norn: 3 races;"));
  EXPECT_TRUE(has(norn({"list", "--since=" + day_in(2)}).out, "norn: 0 races"));
}

TEST_F(CasebookVerbs, WhatAUserCanGetWrong) {
  const Result none = norn({"list"});
  EXPECT_EQ(none.exit, 2);
  EXPECT_TRUE(has(none.err, "/.norn/casebook.db; norn run -- ./program begins one\n")) << none.err;
  EXPECT_EQ(lines(none.err), 1u);
  EXPECT_FALSE(fs::exists(directory_ / ".norn"));
  run({}, {"race=11", "race=12", "end"});
  expect_misuse({"list", "--since=monday"}, "--since=monday is no date like 2026-03-01 or '2026-03-01 12:00'");
  expect_misuse({"list", "--standing=seen"},
                "--standing=seen is not one of static, predicted, proved, observed or confirmed");
  expect_misuse({"list", "--class=bad"},
                "--class=bad is not one of spec-violated, output-differs, k-witness-harmless, "
                "single-ordering or none");
  expect_misuse({"list", "R00000011"}, "norn list takes options only; of one race: norn show R00000011");
  expect_misuse({"note", "R00000011"}, "say of which race, and what: norn note R… \"the audit may wait\"");
  expect_misuse({"note", "R0000001", "hm"},
                "R0000001 is the beginning of 2 races; say more of it: R00000011, R00000012");
  const Result unknown = norn({"note", "R00000013", "hm"});
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_TRUE(has(unknown.err, "casebook.db; the nearest: R00000011 (norn list has all)\n")) << unknown.err;
  expect_misuse({"accept", "R00000011"},
                "say why: --reason=\"goes away with the cache\"; whoever reads it next year wants to know");
  expect_misuse({"accept", "R00000011", "--reason=x", "--until=soon"}, "--until=soon is no date like 2027-03-01");
  expect_misuse({"accept", "R00000011", "--reason=x", "--until=2020-01-01"},
                "--until=2020-01-01 is not in the future: the race would count at once");
  expect_misuse({"accept", "R00000011", "--withdraw"}, "R00000011 was never accepted: there is nothing to withdraw");
  expect_misuse({"diff"}, "say what to compare with: norn diff main.db, or norn diff 12 (a run)");
  expect_misuse({"diff", "nowhere.db"}, "nowhere.db: No such file or directory");
  expect_misuse({"merge"}, "say what to add: norn merge ci/casebook.db old/findings.jsonl");
}

TEST_F(CasebookVerbs, ShowARaceWithItsHistory) {
  run({}, {"race=1", "end"});
  EXPECT_EQ(norn({"note", "R00000001", "the", "audit may wait"}).exit, 0);
  const Result shown = norn({"show", "R00000001"});
  EXPECT_TRUE(has(shown.out, "pthread_create"));
  EXPECT_TRUE(has(shown.out, "\n  history (")) << shown.out;
  EXPECT_TRUE(has(shown.out, "observed once, run 1: " FAKE_PROGRAM " race=1 end  (build ")) << shown.out;
  EXPECT_TRUE(has(shown.out, ": the audit may wait\n")) << shown.out;
  // Runs that are kept no longer are not needed for it.
  for (int i = 0; i < 11; ++i) run({}, {"race=2", "end"});
  const Result before = norn({"show", "R00000001"});
  EXPECT_EQ(before.exit, 0) << before.err;
  EXPECT_TRUE(has(before.out, "norn: race on account.balance")) << before.out;
  EXPECT_TRUE(has(before.out, "pthread_create"));
  EXPECT_TRUE(has(before.out, ": the audit may wait\n"));
  fs::remove_all(directory_ / ".norn/runs");
  EXPECT_EQ(norn({"show", "R00000001"}).out, before.out);
}

TEST_F(CasebookVerbs, AnAcceptedRaceDoesNotCount) {
  EXPECT_EQ(run({}, {"race=1", "end"}).exit, 66);
  const Result accepted = norn({"accept", "R00000001", "--reason=goes away", "--owner=ann", "--until=" + day_in(30)});
  EXPECT_EQ(accepted.exit, 0) << accepted.err;
  EXPECT_TRUE(has(accepted.out, "R00000001 on account.balance is accepted until " + day_in(30))) << accepted.out;
  const Result again = run({"--json=r.json", "--sarif=r.sarif"}, {"race=1", "end", "exit=4"});
  EXPECT_EQ(again.exit, 4) << again.err;
  EXPECT_TRUE(has(again.err, "norn: 1 accepted race not counted; norn list --accepted says why\n")) << again.err;
  EXPECT_TRUE(has(again.err, "norn: no other races;")) << again.err;
  EXPECT_TRUE(Json::parse(read_file(directory_ / "r.json"))["races"][0]["suppressed"]);
  EXPECT_TRUE(has(read_file(directory_ / "r.sarif"), "norn accept: goes away, owner: ann, until " + day_in(30)));
  EXPECT_EQ(run({}, {"race=1", "race=2", "end"}).exit, 66) << "others do";
  EXPECT_TRUE(has(norn({"list", "--accepted"}).out, "(accepted: goes away, owner: ann, until " + day_in(30) + ")\n"));
  EXPECT_TRUE(has(norn({"report"}).out, "norn: 1 accepted race not counted"));
  // A rule says so itself.
  write("my.supp", "race:deposit\n");
  const Result rule = run({"--suppressions=my.supp"}, {"race=1", "end"});
  EXPECT_TRUE(has(rule.err, "norn: no races, 1 suppressed;")) << rule.err;
  EXPECT_FALSE(has(rule.err, "accepted"));
  EXPECT_EQ(norn({"accept", "R00000001", "--withdraw"}).exit, 0);
  EXPECT_EQ(run({}, {"race=1", "end"}).exit, 66);
  EXPECT_TRUE(has(norn({"show", "R00000001"}).out, "accepted no longer by "));
}

TEST_F(CasebookVerbs, AnAcceptanceEnds) {
  run({}, {"race=1", "end"});
  ASSERT_EQ(norn({"accept", "R00000001", "--reason=for now", "--until=" + day_in(2)}).exit, 0);
  EXPECT_EQ(run({}, {"race=1", "end"}).exit, 0);
  // As if the days had passed.
  casebook::Database(directory_ / ".norn/casebook.db", casebook::Access::kWrite)
      .execute("UPDATE acceptances SET until = '2020-01-01'");
  EXPECT_EQ(run({}, {"race=1", "end"}).exit, 66);
}

TEST_F(CasebookVerbs, DiffSaysWhatIsNew) {
  run({}, {"race=1", "race=2", "end"});
  fs::copy_file(directory_ / ".norn/casebook.db", directory_ / "main.db");
  run({}, {"race=2", "predicted=3", "end"});
  const Result runs = norn({"diff", "1"});
  EXPECT_EQ(runs.exit, 0) << "what is predicted does not fail";
  EXPECT_TRUE(has(runs.out, "new    R00000003  predicted")) << runs.out;
  EXPECT_TRUE(has(runs.out, "gone   R00000001  observed")) << runs.out;
  EXPECT_TRUE(has(runs.out, "still  R00000002  observed")) << runs.out;
  EXPECT_TRUE(has(runs.out, "norn: 1 new, 1 gone, 1 still there since run 1 (now: the last run)\n")) << runs.out;
  EXPECT_EQ(norn({"diff", "1", "--fail-on=any"}).exit, 66);
  EXPECT_EQ(norn({"diff", "2", "1"}).exit, 66) << "race 1 is new there";
  EXPECT_TRUE(has(norn({"diff", "main.db"}).out, "norn: 1 new, 0 gone, 2 still there since main.db"));
  EXPECT_EQ(norn({"diff", "main.db", ".norn/runs/2/findings.jsonl", "--casebook=none"}).exit, 0);
  run({}, {"race=4", "end"});
  EXPECT_EQ(norn({"diff", "main.db"}).exit, 66);
  ASSERT_EQ(norn({"accept", "R00000004", "--reason=x"}).exit, 0);
  EXPECT_EQ(norn({"diff", "main.db"}).exit, 0);
  expect_misuse({"diff", "99"},
                "no run 99 in " + (directory_ / ".norn/casebook.db").string() + "; norn show --runs lists them");
}

TEST_F(CasebookVerbs, MergeAndExport) {
  run({"--casebook=a.db"}, {"race=1", "end"});
  run({"--casebook=b.db"}, {"race=1", "race=2", "end"});
  EXPECT_FALSE(fs::exists(directory_ / ".norn/casebook.db"));
  EXPECT_EQ(norn({"merge", "--casebook=c.db", "a.db", "b.db"}).out, "norn: 2 races in c.db, 2 of them new\n");
  const std::string once = norn({"export", "--casebook=c.db"}).out;
  EXPECT_EQ(norn({"merge", "--casebook=c.db", "b.db", ".norn/runs/1/findings.jsonl"}).exit, 0);
  EXPECT_EQ(norn({"export", "--casebook=c.db"}).out, once) << "what is known is not added again";
  const Json json = Json::parse(once);
  EXPECT_EQ(json["runs"].size(), 2u);
  EXPECT_EQ(json["runs"][0]["verb"], "run");
  EXPECT_EQ(json["detections"].size(), 3u);
  EXPECT_EQ(json["builds"].size(), 1u);
  EXPECT_EQ(norn({"export", "--casebook=c.db", "--output=c.json"}).exit, 0);
  EXPECT_EQ(read_file(directory_ / "c.json"), once);
  expect_misuse({"merge", "--casebook=c.db", "c.db"}, "c.db: that is this casebook");
  environment_ = {{"NORN_CASEBOOK", "c.db"}};
  EXPECT_TRUE(has(norn({"list"}).out, "norn: 2 races;"));
  environment_ = {{"NORN_CASEBOOK", "none"}};
  run({}, {"race=3", "end"});
  EXPECT_FALSE(fs::exists(directory_ / ".norn/casebook.db"));
}

// What an earlier norn left in .norn is the beginning of the casebook.
TEST_F(CasebookVerbs, BeginWithTheRunsThatAreKept) {
  run({"--casebook=none"}, {"race=1", "end"});
  run({"--casebook=none"}, {"race=2", "end"});
  run({}, {"race=3", "end"});
  EXPECT_TRUE(has(norn({"list"}).out, "norn: 3 races;"));
  const Json json = Json::parse(norn({"export"}).out);
  ASSERT_EQ(json["runs"].size(), 3u);
  EXPECT_EQ(std::count_if(json["runs"].begin(), json["runs"].end(), [](const Json& r) { return r["verb"] == "run"; }),
            1);
}

// Whatever is wrong with the casebook: one line, and the run is as without it.
TEST_F(CasebookVerbs, ARunGoesOnWithoutACasebook) {
  write("text.db", "this is no casebook, but somebody's text\n");
  run({"--casebook=newer.db"}, {"end"});
  casebook::Database(directory_ / "newer.db", casebook::Access::kWrite).execute("PRAGMA user_version = 99");
  fs::create_directory(directory_ / "dir.db");
  for (const auto& [name, words] :
       {std::pair("text.db", "text.db: not a casebook; nothing was written to it; what was found is not in it"),
        std::pair("newer.db",
                  "newer.db: the casebook is of a newer norn (version 99, this one knows 4); nothing was "
                  "written to it; what was found is not in it"),
        std::pair("dir.db", "dir.db: the casebook cannot be opened: "),
        std::pair("nowhere/x.db",
                  "nowhere/x.db: the casebook cannot be opened: No such file or directory; what was "
                  "found is not in it")}) {
    const std::string before = fs::is_regular_file(directory_ / name) ? read_file(directory_ / name) : "";
    const Result result = run({std::string("--casebook=") + name}, {"race=1", "end", "print=hello"});
    EXPECT_EQ(result.exit, 66) << result.err;
    EXPECT_EQ(result.out, "hello\n");
    EXPECT_TRUE(result.err.starts_with(std::string("norn: ") + words)) << result.err;
    EXPECT_TRUE(has(result.err, "norn: 1 race (1 observed"));
    EXPECT_TRUE(has(norn({"show"}).out, "R00000001"));
    if (!before.empty()) {
      EXPECT_EQ(read_file(directory_ / name), before) << name;
      EXPECT_EQ(norn({"list", std::string("--casebook=") + name}).exit, 2);
    }
  }
}

// Thirty-two at once, and every second norn is killed when its program has found something and it has told nobody yet.
TEST_F(CasebookVerbs, ParallelRunsLoseNothing) {
  constexpr int kRuns = 32;
  const auto name_of = [](int i) { return "race=" + std::to_string(i); };
  std::vector<pid_t> ending, killed;
  for (int i = 1; i <= kRuns; ++i) {
    const bool ends = i % 2 == 0;
    Words words = {NORN_PROGRAM, "run", "--", FAKE_PROGRAM, name_of(i), "race=99"};
    for (const std::string& word : ends ? Words{"end"} : Words{"note=it waits", "wait"}) words.push_back(word);
    (ends ? ending : killed).push_back(start(words));
  }
  const auto programs_that_wait = [&] {
    std::vector<pid_t> programs;
    std::error_code error;  // there may be no run yet
    for (const auto& entry : fs::directory_iterator(directory_ / ".norn/runs", error)) {
      const std::string findings = read_file(entry.path() / "findings.jsonl");
      if (!has(findings, "it waits")) continue;
      programs.push_back(Json::parse(findings.substr(0, findings.find('\n')))["pid"].get<pid_t>());
    }
    return programs;
  };
  std::vector<pid_t> programs;
  for (int i = 0; i < 3000 && programs.size() < killed.size(); ++i, programs = programs_that_wait())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(programs.size(), killed.size());
  for (const pid_t pid : killed) kill(pid, SIGKILL);
  for (const pid_t pid : programs) kill(pid, SIGKILL);
  for (const pid_t pid : killed) finish(pid);
  for (const pid_t pid : ending) EXPECT_EQ(finish(pid).exit, 66);
  const Json json = Json::parse(norn({"export"}).out);
  EXPECT_EQ(json["runs"].size(), size_t{kRuns});
  EXPECT_EQ(json["detections"].size(), size_t{2 * kRuns});
  const std::string all = norn({"list"}).out;
  EXPECT_TRUE(has(all, "R00000099  observed   32×")) << all;
  for (int i = 1; i <= kRuns; ++i) EXPECT_TRUE(has(all, fmt::format("R{:08}", i))) << i;
  // What was not told was kept beyond ten runs; the others are removed as ever.
  const std::string runs = norn({"show", "--runs"}).out;
  size_t untold = 0;
  for (size_t at = 0; (at = runs.find("  (its norn was killed)\n", at)) != std::string::npos; ++at) ++untold;
  EXPECT_EQ(untold, killed.size()) << runs;
  run({}, {"end"});
  EXPECT_LE(std::distance(fs::directory_iterator(directory_ / ".norn/runs"), {}), 10);
}

// What the casebook could not be told when it was found is told by whoever can use it next, to the same casebook.
TEST_F(CasebookVerbs, ARunThatCouldNotTellIsToldLater) {
  fs::create_directory(directory_ / ".norn");
  write(".norn/casebook.db", "this is no casebook, but somebody's text\n");
  EXPECT_EQ(run({}, {"race=1", "end"}).exit, 66);
  run({"--casebook=none"}, {"race=2", "end"});
  fs::remove(directory_ / ".norn/casebook.db");
  run({"--casebook=other.db"}, {"race=3", "end"});
  EXPECT_TRUE(has(norn({"list", "--casebook=other.db"}).out, "norn: 1 race;"));
  const std::string all = norn({"list"}).out;
  EXPECT_TRUE(has(all, "R00000001")) << all;
  EXPECT_TRUE(has(all, "norn: 1 race;")) << all;
}

TEST_F(CasebookVerbs, HelpTeaches) {
  for (const char* verb : {"list", "note", "accept", "diff", "merge", "export"}) {
    EXPECT_TRUE(has(norn({"--help"}).out, std::string("\n  ") + verb + " ")) << verb;
    const Result help = norn({verb, "--help"});
    EXPECT_EQ(help.exit, 0);
    EXPECT_TRUE(has(help.out, "--casebook=FILE")) << help.out;
    EXPECT_TRUE(has(help.out, std::string("Examples:\n  norn ") + verb)) << help.out;
  }
}

}  // namespace
}  // namespace norn::cli::tests
