#include "casebook/casebook.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "casebook/postgres.h"
#include "casebook/schema.h"
#include "casebook/times.h"
#include "report/record.h"
#include "report/record_reader.h"
#include "report/testing/example.h"

namespace norn::casebook {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using report::Detection;

report::Race race_of(unsigned number, Detection detection = Detection::kObserved) {
  report::Race race = report::example::bank_race();
  race.id = {};
  snprintf(race.id.hex, sizeof(race.id.hex), "%08x", number);
  race.detection = detection;
  race.count = 1;
  return race;
}

std::string id_of(unsigned number) { return std::string(view(race_of(number).id.text())); }

report::Findings findings_with(const std::vector<report::Race>& races) {
  report::Findings findings;
  findings.run = report::example::bank_run();
  findings.races = races;
  return findings;
}

std::string words_of_failure(const std::function<void()>& body) {
  try {
    body();
  } catch (const CasebookError& error) {
    return error.what();
  }
  return "nothing was wrong";
}

std::string bytes_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class CasebookFile : public testing::Test {
 protected:
  CasebookFile() {
    // In memory: how fast a disk is must not decide whether writers wait too long for each other.
    const fs::path parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : fs::temp_directory_path();
    std::string name = (parent / "norn-casebook-test-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~CasebookFile() override { fs::remove_all(directory_); }

  [[nodiscard]] std::string path(const std::string& name = "casebook.db") const { return directory_ / name; }
  [[nodiscard]] Casebook open(const std::string& name = "casebook.db") const {
    return Casebook(path(name), Access::kWrite);
  }
  // A run of the bank, at a time, of a build.
  static int64_t add(Casebook& casebook, const std::vector<report::Race>& races, int64_t started = 1000,
                     const std::string& build = "one", const std::string& program = "./bank") {
    const report::Findings findings = findings_with(races);
    return casebook.add_run({.verb = "run",
                             .command = {program, "100"},
                             .directory = "/home/ann",
                             .build = Build{.mark = "hash:" + build, .path = "/home/ann/bank", .modified = 900},
                             .started = started},
                            &findings);
  }

  fs::path directory_;
};

std::vector<std::string> ids(const std::vector<KnownRace>& races, const Filter& filter = {}) {
  std::vector<std::string> found;
  for (const KnownRace& race : races)
    if (filter.passes(race)) found.push_back(race.id);
  return found;
}
using Ids = std::vector<std::string>;

std::string json_of(const Casebook& casebook) {
  return collect([&](Sink sink) { casebook.write_json(sink); });
}

// ---- facts ----

TEST_F(CasebookFile, KnowsARaceOverRuns) {
  Casebook casebook = open();
  EXPECT_TRUE(casebook.is_new());
  report::Race seldom = race_of(1, Detection::kPredicted);
  report::Race often = race_of(1);
  often.count = 7;
  add(casebook, {seldom}, 1000);
  add(casebook, {often}, 2000);
  add(casebook, {seldom}, 1500);
  const std::vector<KnownRace> races = casebook.races();
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].variable, "account.balance");
  EXPECT_EQ(races[0].accesses[0], "bank.cpp:14 write");
  EXPECT_EQ(races[0].accesses[1], "bank.cpp:19 read");
  EXPECT_EQ(races[0].first, 1000);
  EXPECT_EQ(races[0].last, 2000);
  EXPECT_EQ(races[0].runs, 3u);
  EXPECT_EQ(races[0].count, 9u);
  EXPECT_EQ(races[0].standing(), report::Standing::kObserved);
  EXPECT_EQ(races[0].program, "bank");
  EXPECT_FALSE(open().is_new());
}

TEST_F(CasebookFile, KeepsHazards) {
  Casebook casebook = open();
  report::Findings findings = findings_with({});
  findings.hazards.push_back(report::example::bank_hazard());
  casebook.add_run({.verb = "run", .command = {"./bank"}, .started = 1000}, &findings);
  const std::vector<KnownRace> known = casebook.races();
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known[0].kind, "lock-order");
  EXPECT_FALSE(known[0].is_race());
  const auto again = casebook.findings_of(known[0].id);
  ASSERT_TRUE(again);
  ASSERT_EQ(again->hazards.size(), 1u);
  EXPECT_EQ(view(again->hazards[0].title), "lock order: savings.lock, account.lock");
}

TEST_F(CasebookFile, KnowsWhatWasConfirmedAndTells) {
  Casebook casebook = open();
  add(casebook, {race_of(1, Detection::kPredicted), race_of(2)});
  const int64_t run = casebook.add_run({.verb = "confirm", .command = {"./bank", "1 0"}, .started = 2000}, nullptr);
  casebook.add_confirmation(run, id_of(1), 2000, {.runs = 20, .strategy = "pct"}, "");
  EXPECT_EQ(casebook.races(id_of(1))[0].standing(), report::Standing::kPredicted) << "not met takes nothing away";
  casebook.add_confirmation(run, id_of(1), 2001, {.runs = 20, .confirmed = 18, .token = "n2abc"}, "crash");
  const KnownRace race = casebook.races(id_of(1))[0];
  EXPECT_EQ(race.standing(), report::Standing::kConfirmed);
  EXPECT_EQ(race.confirmation.runs, 40u);
  EXPECT_EQ(race.token, "n2abc");
  const auto findings = casebook.findings_of(id_of(1));
  ASSERT_TRUE(findings);
  ASSERT_EQ(findings->races.size(), 1u);
  EXPECT_EQ(findings->races[0].confirmation.confirmed, 18u);
  EXPECT_EQ(findings->races[0].accesses[0].stack.size, 2u);

  EXPECT_TRUE(casebook.add_replay({.verb = "replay", .started = 2002}, "n2abc", true));
  EXPECT_FALSE(casebook.add_replay({.verb = "replay", .started = 2002}, "n2xyz", true)) << "of nothing that is known";
  casebook.add_class(run, id_of(1), 2003, {.name = "output-differs", .consequence = "crash", .k = 10, .evidence = "e"});
  casebook.add_note(id_of(1), 2004, "ann", "the audit may wait");
  casebook.add_acceptance(id_of(1), {.time = 2005, .author = "ann", .reason = "goes away", .until = "2030-01-01"});
  Ids words;
  for (const Event& event : casebook.history(id_of(1))) words.push_back(event.words);
  EXPECT_EQ(words, (Ids{"predicted once: ./bank 100  (build one)", "not met in 20 runs (pct)",
                        "confirmed in 18 of 20 runs, crash; norn replay n2abc -- ./bank '1 0'",
                        "replayed, with the same decisions", "classified: output-differs, crash (k = 10)",
                        "note by ann: the audit may wait", "accepted by ann until 2030-01-01: goes away"}));
}

TEST_F(CasebookFile, AcceptedUntilItsDay) {
  Casebook casebook = open();
  add(casebook, {race_of(1)});
  casebook.add_acceptance(id_of(1), {.time = 1, .reason = "old", .until = "2027-03-01"});
  const Acceptance accepted = casebook.acceptances().at(id_of(1));
  EXPECT_TRUE(accepted.in_force("2027-02-28"));
  EXPECT_FALSE(accepted.in_force("2027-03-01"));
  casebook.add_acceptance(id_of(1), {.time = 2, .withdrawn = true});
  EXPECT_FALSE(casebook.acceptances().at(id_of(1)).in_force("2026-01-01"));
  casebook.add_acceptance(id_of(1), {.time = 3, .reason = "for ever"});
  EXPECT_TRUE(casebook.acceptances().at(id_of(1)).in_force("9999-12-31"));
  // The last word counts, also of what is said within one second.
  for (int i = 0; i < 20; ++i) {
    casebook.add_acceptance(id_of(1), {.time = 4, .reason = "yes", .withdrawn = i % 2 == 0});
    EXPECT_EQ(casebook.acceptances().at(id_of(1)).in_force("2026-01-01"), i % 2 != 0) << i;
  }
}

// Rows have seconds, and keys that say nothing of their order.
TEST_F(CasebookFile, TheLastWordOfOneSecondCounts) {
  Casebook casebook = open();
  add(casebook, {race_of(1)});
  for (int i = 0; i < 20; ++i) {
    casebook.add_acceptance(id_of(1), {.time = 7, .reason = "old"});
    EXPECT_TRUE(casebook.acceptances().at(id_of(1)).in_force("2026-01-01")) << i;
    casebook.add_acceptance(id_of(1), {.time = 7, .withdrawn = true});
    EXPECT_FALSE(casebook.acceptances().at(id_of(1)).in_force("2026-01-01")) << i;
  }
}

TEST_F(CasebookFile, ListsWhatIsAskedFor) {
  Casebook casebook = open();
  report::Race elsewhere = race_of(3, Detection::kPredicted);
  const report::Frame frame{.file = "src/pool.cpp", .directory = "/home/ann", .line = 3};
  elsewhere.accesses[0].site = frame;
  add(casebook, {race_of(1), race_of(2)}, 1000, "one");
  add(casebook, {race_of(2), elsewhere}, 2000, "two");
  add(casebook, {race_of(4)}, 500, "other", "./server");
  casebook.add_class(0, id_of(2), 1, {.name = "single-ordering"});
  casebook.add_class(0, id_of(2), 2, {.name = "output-differs"});
  casebook.add_acceptance(id_of(1), {.reason = "old"});
  const std::vector<KnownRace> all = casebook.races();
  EXPECT_EQ(ids(all), (Ids{id_of(1), id_of(2), id_of(3), id_of(4)}));
  EXPECT_EQ(ids(all, {.is_new = true}), (Ids{id_of(3), id_of(4)})) << "by the latest build of each program alone";
  EXPECT_EQ(ids(all, {.is_new = true, .since = 900}), (Ids{id_of(1), id_of(2), id_of(3)}));
  EXPECT_EQ(ids(all, {.since = 1500}), (Ids{id_of(2), id_of(3)}));
  EXPECT_EQ(ids(all, {.standings = {"predicted", "confirmed"}}), (Ids{id_of(3)}));
  EXPECT_EQ(ids(all, {.classes = {"output-differs"}}), (Ids{id_of(2)}));
  EXPECT_EQ(ids(all, {.classes = {"single-ordering"}}), Ids{}) << "the latest word counts";
  EXPECT_EQ(ids(all, {.classes = {"none"}}), (Ids{id_of(1), id_of(3), id_of(4)}));
  EXPECT_EQ(ids(all, {.file = "pool.cpp"}), (Ids{id_of(3)}));
  EXPECT_EQ(ids(all, {.file = "src/*.cpp"}), (Ids{id_of(3)}));
  EXPECT_EQ(ids(all, {.file = "ool.cpp"}), Ids{});
  EXPECT_EQ(ids(all, {.accepted = true, .today = "2026-01-01"}), (Ids{id_of(1)}));
}

TEST_F(CasebookFile, ComparesRunsAndWhatWasNotRun) {
  Casebook casebook = open();
  const int64_t before = add(casebook, {race_of(1), race_of(2)}, 1000);
  const int64_t after = add(casebook, {race_of(2), race_of(3)}, 2000);
  const std::vector<KnownRace> base = casebook.races("", before), now = casebook.races("", after);
  const auto ids_of = [](const std::vector<const KnownRace*>& races) {
    Ids found;
    for (const KnownRace* race : races) found.push_back(race->id);
    return found;
  };
  const Difference difference = compare(base, now, casebook.programs(after));
  EXPECT_EQ(ids_of(difference.added), (Ids{id_of(3)}));
  EXPECT_EQ(ids_of(difference.gone), (Ids{id_of(1)}));
  EXPECT_EQ(ids_of(difference.stayed), (Ids{id_of(2)}));
  EXPECT_EQ(ids_of(compare(base, now, {"server"}).unseen), (Ids{id_of(1)})) << "nobody looked";
  EXPECT_EQ(casebook.find_run(std::nullopt), after);
}

// ---- two casebooks ----

TEST_F(CasebookFile, MergesToTheSameInEitherOrder) {
  Casebook ann = open("ann.db"), bob = open("bob.db");
  add(ann, {race_of(1), race_of(2)}, 1000);
  report::Race moved = race_of(2);
  moved.location.name = "account.limit";
  add(bob, {moved, race_of(3)}, 2000);
  ann.add_note(id_of(1), 1, "ann", "one");
  bob.add_acceptance(id_of(2), {.time = 2, .reason = "two"});
  Casebook left = open("left.db"), right = open("right.db");
  left.merge(ann), left.merge(bob), left.merge(ann);
  right.merge(bob), right.merge(ann);
  EXPECT_EQ(json_of(left), json_of(right));
  EXPECT_EQ(left.races().size(), 3u);
  EXPECT_EQ(left.races(id_of(2))[0].count, 2u);
  EXPECT_EQ(left.races(id_of(2))[0].variable, "account.limit") << "as the latest run says";
  const Json json = Json::parse(json_of(left));
  EXPECT_EQ(json["casebook"], kVersion);
  EXPECT_EQ(json["notes"].size(), 1u);
  EXPECT_EQ(json["acceptances"][0]["reason"], "two");
  EXPECT_EQ(json["runs"][0]["command"], (Json{"./bank", "100"}));
  EXPECT_EQ(json["runs"][0]["started"], "1970-01-01T00:16:40Z");
}

TEST_F(CasebookFile, ImportsFindings) {
  // As the first version of the format had them: no confirmation is known, and no run.json stands beside.
  std::ofstream(path("old.jsonl")) << collect([](Sink sink) {
    write_start(report::example::bank_run(), sink);
    write_race(race_of(1), report::example::bank_run().pid, sink);
    write_race(race_of(2), report::example::bank_run().pid, sink);
    write_confirmation(race_of(2).id, {.runs = 20, .confirmed = 1, .token = "n2abc"}, 7, sink);
  });
  Casebook casebook = open();
  casebook.import_findings(path("old.jsonl"));
  const std::string once = json_of(casebook);
  casebook.import_findings(path("old.jsonl"));
  EXPECT_EQ(json_of(casebook).size(), once.size());
  EXPECT_EQ(Json::parse(json_of(casebook))["runs"].size(), 1u);
  EXPECT_EQ(casebook.races().size(), 2u);
  EXPECT_EQ(casebook.races(id_of(2))[0].standing(), report::Standing::kConfirmed);
  EXPECT_EQ(casebook.races(id_of(2))[0].confirmation.runs, 20u) << "twice is as once";
  std::ofstream(path("foreign")) << "hello\n";
  EXPECT_EQ(words_of_failure([&] { casebook.import_findings(path("foreign")); }),
            path("foreign") + ": not a file of norn's findings");
}

TEST_F(CasebookFile, KnowsAKeptRunWhateverTellsOfIt) {
  fs::create_directories(directory_ / "runs/12");
  std::ofstream(path("runs/12/run.json")) << R"({"norn":1,"command":["./bank"],"directory":"/home/ann",)"
                                          << R"("started":"2026-03-01 12:00:00","exit":0,"seconds":0.125})";
  std::ofstream(path("runs/12/findings.jsonl")) << collect([](Sink sink) {
    write_start(report::example::bank_run(), sink);
    write_race(race_of(1), report::example::bank_run().pid, sink);
  });
  Casebook casebook = open();
  casebook.import_findings(path("runs/12/findings.jsonl"));
  const int64_t key = key_of(kept_run(path("runs/12")));
  EXPECT_EQ(casebook.find_run(12), key);
  const report::Findings findings = findings_with({race_of(1)});
  casebook.add_run({.key = key, .verb = "run", .number = 12, .command = {"./bank"}, .started = 1000}, &findings);
  casebook.import_findings(path("runs/12/findings.jsonl"));
  const Json runs = Json::parse(json_of(casebook))["runs"];
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0]["verb"], "run") << "norn's own word is the better one";
  EXPECT_EQ(casebook.races()[0].count, 1u);
}

// ---- versions and damage ----

// All that version 1 could say is still known, and more can be said.
TEST_F(CasebookFile, MigratesFromTheFirstVersion) {
  {
    Database old(path(), Access::kWrite);
    EXPECT_TRUE(migrate(old, 1));
    old.execute(
        "INSERT INTO runs VALUES(5,'run',3,'bank','[\"./bank\"]','/home/ann',0,1000,0.5,0,0,0,'hb','native',1)");
    old.execute("INSERT INTO races VALUES('00000001','race','x','a.c:1 write','a.c:2 read','a.c','a.c',1000,5)");
    old.execute("INSERT INTO detections VALUES('00000001',5,'observed',4,'')");
    old.execute("INSERT INTO confirmations VALUES(8,'00000001',5,1001,20,3,'n2abc','pct','crash')");
    old.execute("INSERT INTO notes VALUES(9,'00000001',1001,'ann','hm')");
    EXPECT_EQ(old.number("PRAGMA user_version"), 1);
  }
  const std::string before = bytes_of(path());
  {
    const Casebook reader(path(), Access::kRead);
    EXPECT_EQ(reader.races()[0].count, 4u);
    EXPECT_EQ(bytes_of(path()), before) << "who only looks changes nothing";
  }
  Casebook casebook = open();
  EXPECT_FALSE(casebook.is_new());
  EXPECT_EQ(casebook.races()[0].count, 4u);
  casebook.add_class(5, "00000001", 1002, {.name = "output-differs"});
  EXPECT_EQ(casebook.history("00000001").size(), 4u);
  EXPECT_EQ(casebook.races()[0].token, "n2abc");
  EXPECT_EQ(Database(path(), Access::kRead).number("PRAGMA user_version"), kVersion);
}

TEST_F(CasebookFile, LeavesWhatItCannotUseAsItIs) {
  {
    Casebook casebook = open("newer.db");
    Database(path("newer.db"), Access::kWrite).execute("PRAGMA user_version = 99");
  }
  {
    Database(path("other.db"), Access::kWrite).execute("CREATE TABLE t(x)");
  }
  {
    Casebook casebook = open("cut.db");
    std::vector<report::Race> races;
    for (unsigned i = 0; i < 50; ++i) races.push_back(race_of(i));
    add(casebook, races);
  }
  fs::resize_file(path("cut.db"), fs::file_size(path("cut.db")) - 5000);
  std::ofstream(path("text.db")) << "hello\n";
  std::ofstream(path("long.db")) << std::string(5000, 'x');
  for (const auto& [name, words] :
       {std::pair("newer.db",
                  "the casebook is of a newer norn (version 99, this one knows 4); nothing was written to "
                  "it"),
        std::pair("other.db", "a database, but not a casebook; nothing was written to it"),
        std::pair("cut.db",
                  "the casebook is damaged and was left as it is; move it away, or try: sqlite3 FILE .recover"),
        std::pair("text.db", "not a casebook; nothing was written to it"),
        std::pair("long.db", "not a casebook; nothing was written to it")}) {
    const std::string before = bytes_of(path(name));
    for (const Access access : {Access::kRead, Access::kWrite}) {
      EXPECT_EQ(words_of_failure([&] { Casebook(path(name), access); }), path(name) + ": " + words);
      EXPECT_EQ(bytes_of(path(name)), before) << name;
    }
  }
  EXPECT_EQ(words_of_failure([&] { Casebook(path("none.db"), Access::kRead); }),
            path("none.db") + ": the casebook cannot be opened: No such file or directory");
  EXPECT_FALSE(fs::exists(path("none.db")));
}

// ---- many at once ----

// Writers are killed at any moment. What one of them was told is kept is kept, and of no run there is a part only.
TEST_F(CasebookFile, KilledWritersLoseNothing) {
  constexpr int kWriters = 32;
  constexpr int kRunsEach = 6;
  constexpr int kKilled = 16;
  const auto write_runs = [&](int writer) {
    std::ofstream told(path("told." + std::to_string(writer) + "." + std::to_string(getpid())));
    for (int i = 0; i < kRunsEach; ++i) {
      Casebook casebook = open();
      told << add(casebook, {race_of(1), race_of(100 + static_cast<unsigned>(writer)), race_of(2)}) << std::endl;
    }
  };
  const auto start = [&](int writer) {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    try {
      write_runs(writer);
    } catch (const CasebookError& error) {
      fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
    _exit(0);
  };
  std::mt19937 random(7);
  std::vector<pid_t> writers;
  for (int i = 0; i < kWriters; ++i) writers.push_back(start(i));
  for (int i = 0; i < kKilled; ++i) {
    usleep(5000 + random() % 20000);
    const int victim = static_cast<int>(random() % kWriters);
    kill(writers[static_cast<size_t>(victim)], SIGKILL);
    int status = 0;
    waitpid(writers[static_cast<size_t>(victim)], &status, 0);
    writers[static_cast<size_t>(victim)] = start(victim);  // and another comes
  }
  for (const pid_t pid : writers) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  std::set<int64_t> told;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    std::ifstream stream(entry.path());
    if (!entry.path().filename().string().starts_with("told")) continue;
    for (int64_t key = 0; stream >> key;) told.insert(key);
  }
  EXPECT_GE(told.size(), size_t{kWriters * kRunsEach});
  Database database(path(), Access::kRead);
  Statement check(database, "PRAGMA integrity_check");
  ASSERT_TRUE(check.step());
  EXPECT_EQ(check.view(0), "ok");
  std::set<int64_t> kept;
  Statement runs(database, "SELECT id, (SELECT count(*) FROM detections WHERE run = id) FROM runs");
  while (runs.step()) {
    kept.insert(runs.integer(0));
    EXPECT_EQ(runs.integer(1), 3);
  }
  EXPECT_TRUE(std::includes(kept.begin(), kept.end(), told.begin(), told.end()));
  // Killed between the commit and saying so: at most one run each.
  EXPECT_LE(kept.size(), told.size() + kKilled);
}

// A hundred thousand races, listed in less than a second of this processor's time.
TEST_F(CasebookFile, ListsAHundredThousandRacesAtOnce) {
  constexpr unsigned kRaces = 100'000;
  {
    Casebook casebook = open();
    std::vector<report::Race> races;
    for (unsigned i = 0; i < kRaces; ++i) {
      report::Race race = race_of(i * 2654435761u);
      for (report::Access& access : race.accesses) access.stack = {access.stack.data, 1}, access.thread_created_at = {};
      races.push_back(race);
    }
    add(casebook, races);
    casebook.add_acceptance(id_of(0), {.reason = "one of them"});
  }
  const std::clock_t before = std::clock();
  const Casebook casebook(path(), Access::kRead);
  const std::vector<KnownRace> races = casebook.races();
  const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_EQ(races.size(), kRaces);
  RecordProperty("seconds", std::to_string(seconds));
#ifdef NORN_SANITIZED
  EXPECT_LT(seconds, 10);
#else
  EXPECT_LT(seconds, 1);
#endif
}

// ---- times and builds ----

TEST(Times, AreLocal) {
  for (const char* text : {"2026-03-01 12:34:56", "2026-07-01T00:00:00"}) {
    const auto seconds = parse_local_time(text);
    ASSERT_TRUE(seconds) << text;
    std::string again = local_time(*seconds, true);
    EXPECT_EQ(again.substr(0, 10), std::string(text).substr(0, 10));
    EXPECT_EQ(again.substr(11), std::string(text).substr(11));
  }
  EXPECT_EQ(local_day(*parse_local_time("2026-03-01")), "2026-03-01");
  for (const char* text : {"", "yesterday", "2026-02-30", "2026-3-1", "2026-03-01 25:00", "2026-03-01 1200",
                           "2026-03-01 12:00:0", "2026-03-01x12:00", "2026-03-01 12:00x00"})
    EXPECT_FALSE(parse_local_time(text)) << text;
}

TEST(Builds, AreKnownByTheirBytes) {
  const auto self = build_of("/proc/self/exe");
  ASSERT_TRUE(self);
  EXPECT_TRUE(self->mark.starts_with("build-id:") || self->mark.starts_with("hash:")) << self->mark;
  EXPECT_EQ(build_of("/proc/self/exe")->key(), self->key());
  EXPECT_FALSE(build_of("/nowhere"));
  EXPECT_FALSE(build_of("/tmp"));
  std::string name = (fs::temp_directory_path() / "norn-build-test-XXXXXX").string();
  close(mkstemp(name.data()));
  std::ofstream(name) << "#!/bin/sh\n";
  const auto one = build_of(name);
  std::ofstream(name) << "#!/bin/bash\n";
  const auto two = build_of(name);
  fs::remove(name);
  ASSERT_TRUE(one && two);
  EXPECT_TRUE(one->mark.starts_with("hash:"));
  EXPECT_NE(one->mark, two->mark);
}

// As gitrepository-layout(5) has it.
TEST(Builds, TheCommitThatIsCheckedOut) {
  std::string name = (fs::temp_directory_path() / "norn-commit-test-XXXXXX").string();
  const fs::path home = mkdtemp(name.data());
  fs::create_directories(home / "main/.git/refs/heads");
  fs::create_directories(home / "main/src/deep");
  fs::create_directories(home / "main/.git/worktrees/other");
  fs::create_directories(home / "other");
  const std::string one(40, '1'), two(40, '2'), three(40, '3');
  std::ofstream(home / "main/.git/HEAD") << "ref: refs/heads/trunk\n";
  EXPECT_EQ(commit_of(home / "main"), "");  // nothing is committed yet
  std::ofstream(home / "main/.git/packed-refs") << "# pack-refs\n" << two << " refs/heads/trunk\n";
  EXPECT_EQ(commit_of(home / "main/src/deep"), two);
  std::ofstream(home / "main/.git/refs/heads/trunk") << one << "\n";
  EXPECT_EQ(commit_of(home / "main/src/deep"), one);
  std::ofstream(home / "other/.git") << "gitdir: ../main/.git/worktrees/other\n";
  std::ofstream(home / "main/.git/worktrees/other/HEAD") << "ref: refs/heads/trunk\n";
  std::ofstream(home / "main/.git/worktrees/other/commondir") << "../..\n";
  EXPECT_EQ(commit_of(home / "other"), one);
  std::ofstream(home / "main/.git/HEAD") << three << "\n";
  EXPECT_EQ(commit_of(home / "main"), three);
  fs::remove_all(home);
  EXPECT_EQ(commit_of("/"), "");
}

// ---- two kinds of databases ----

TEST(PostgresSql, ValuesHaveNumbers) {
  EXPECT_EQ(numbered_places("SELECT '?' WHERE a = ? AND b = ?"), "SELECT '?' WHERE a = $1 AND b = $2");
  EXPECT_EQ(numbered_places("?1 = 0 OR id = ?1"), "$1 = 0 OR id = $1");
}

TEST(PostgresSql, ColumnsHoldWhatSqliteHolds) {
  EXPECT_EQ(column_types("CREATE TABLE t(a INTEGER, b REAL, c TEXT, PRIMARY KEY(a)) WITHOUT ROWID"),
            "CREATE TABLE t(a BIGINT, b DOUBLE PRECISION, c TEXT COLLATE \"C\", PRIMARY KEY(a))");
}

}  // namespace
}  // namespace norn::casebook
