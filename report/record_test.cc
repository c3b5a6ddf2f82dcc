#include "report/record.h"

#include <gtest/gtest.h>

#include "base/string_sink.h"
#include "report/json.h"
#include "report/record_reader.h"
#include "report/testing/example.h"
#include "report/text_report.h"

namespace norn::report {
namespace {

std::string start_line(uint32_t pid) {
  RunSummary run = example::bank_run();
  run.pid = pid;
  return collect([&](Sink sink) { write_start(run, sink); });
}
std::string race_line(const Race& race, uint32_t pid) {
  return collect([&](Sink sink) { write_race(race, pid, sink); });
}
std::string count_line(Race race, uint32_t pid, uint64_t count, Detection detection = Detection::kObserved) {
  race.count = count;
  race.detection = detection;
  return collect([&](Sink sink) { write_count(race, pid, sink); });
}
std::string end_line(uint32_t pid) {
  RunSummary run = example::bank_run();
  run.pid = pid;
  return collect([&](Sink sink) { write_end(run, sink); });
}

Race with_id(const char* hex) {
  Race race = example::bank_race();
  race.id = {};
  std::copy_n(hex, std::string_view(hex).size(), race.id.hex);
  return race;
}

std::optional<Findings> try_read(const std::string& contents, std::string* error = nullptr) {
  std::string words;
  auto findings = merge_findings({{"findings.jsonl", contents}}, words);
  if (error != nullptr) *error = words;
  return findings;
}

Findings read(const std::string& contents) {
  std::string error;
  auto findings = try_read(contents, &error);
  EXPECT_TRUE(findings) << error;
  return std::move(findings).value_or(Findings());
}

TEST(Record, AFlagIsNoRace) {
  Race flag = example::bank_race();
  flag.is_flag = true;
  const std::string line = race_line(flag, 1);
  EXPECT_TRUE(line.starts_with("{\"record\":\"flag\""));
  const Findings findings = read(start_line(1) + line + line);
  EXPECT_TRUE(findings.races.empty());
  EXPECT_EQ(findings.counts().total(), 0u);
  ASSERT_EQ(findings.flags.size(), 1u);
  EXPECT_EQ(race_line(findings.flags[0], 1), line);
}

TEST(Record, AHazardComesBackAsItWasWritten) {
  const auto line_of = [](const Hazard& hazard) {
    std::vector<char> bytes(1 << 16);
    return std::string(view(format_hazard(hazard, 1, bytes.data(), bytes.size())));
  };
  const std::string line = line_of(example::bank_hazard());
  const Findings findings = read(start_line(1) + line);
  ASSERT_EQ(findings.hazards.size(), 1u);
  EXPECT_EQ(line_of(findings.hazards[0]), line);
  EXPECT_FALSE(findings.deadlocked());
  EXPECT_EQ(
      collect([&](Sink sink) { render_text(findings.hazards[0], sink); }),
      "norn: lock order: savings.lock, account.lock are taken in different orders: possible deadlock · R5e1f0b77\n"
      "  thread 2 \"teller-2\" holds savings.lock (taken at bank.cpp:40) and takes account.lock\n"
      "    bank.cpp:14  deposit(Account&, int)\n    bank.cpp:22  teller(int)\n"
      "  thread 3 holds account.lock (taken at bank.cpp:18) and takes savings.lock\n"
      "    bank.cpp:19  report(Account&)\n    bank.cpp:33  main\n");
}

TEST(Record, ADeadlockHappened) {
  Hazard hazard = example::bank_hazard();
  hazard.kind = HazardKind::kDeadlock;
  hazard.sites = {};
  std::vector<char> bytes(1 << 16);
  const Findings findings =
      read(start_line(1) + std::string(view(format_hazard(hazard, 1, bytes.data(), bytes.size()))));
  EXPECT_TRUE(findings.deadlocked());
  EXPECT_EQ(standing_of(findings.hazards[0]), Standing::kObserved);
}

TEST(Record, AHazardThatIsTooLongLosesOuterFrames) {
  std::vector<char> bytes(1 << 16);
  const size_t whole = format_hazard(example::bank_hazard(), 1, bytes.data(), bytes.size()).size;
  const Findings cut =
      read(start_line(1) + std::string(view(format_hazard(example::bank_hazard(), 1, bytes.data(), whole - 1))));
  ASSERT_EQ(cut.hazards.size(), 1u);
  EXPECT_EQ(cut.hazards[0].steps[0].stack.size, 1u);
}

TEST(Record, ComesBackAsItWasWritten) {
  Race race = example::bank_race();
  race.accesses[0].values = {.has_value = true, .has_old_value = true, .value = ~0ull, .old_value = 5};
  race.accesses[1].stack_lost = true;
  race.location.has_owner = true;
  race.location.owner = 7;
  const std::string line = race_line(race, 1);
  const Findings findings = read(start_line(1) + line);
  ASSERT_EQ(findings.races.size(), 1u);
  // The writer is the witness: what is read writes the same line again.
  EXPECT_EQ(race_line(findings.races[0], 1), line);
}

TEST(Record, IsOneLineEach) {
  Race race = example::bank_race();
  race.location.name = "two\nlines";
  for (const std::string& line : {start_line(1), race_line(race, 1), count_line(race, 1, 2), end_line(1)}) {
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
  }
}

TEST(Record, SumsCountsOverProcesses) {
  const Race race = example::bank_race();
  const Findings findings =
      read(start_line(1) + race_line(race, 1) + count_line(race, 1, 10) + count_line(race, 1, 30) + start_line(2) +
           race_line(race, 2) + count_line(race, 2, 5) + end_line(2) + end_line(1));
  ASSERT_EQ(findings.races.size(), 1u);
  EXPECT_EQ(findings.races[0].count, 35u);
  EXPECT_EQ(findings.processes, 2u);
  EXPECT_EQ(findings.run.stats.accesses, 2 * 4021u);
  EXPECT_EQ(findings.run.stats.microseconds, 120000u);
  EXPECT_EQ(findings.run.pid, 1u);
}

TEST(Record, CountsAnExecAsAnotherImage) {
  const Race race = example::bank_race();
  const Findings findings = read(start_line(1) + race_line(race, 1) + count_line(race, 1, 10) + start_line(1) +
                                 race_line(race, 1) + count_line(race, 1, 5));
  EXPECT_EQ(findings.races[0].count, 15u);
}

TEST(Record, AnExecThatFailsDoesNotCountTwice) {
  const Findings findings = read(start_line(1) + end_line(1) + end_line(1));
  EXPECT_EQ(findings.run.stats.accesses, 4021u);
  EXPECT_EQ(findings.run.stats.events, 5000u);
  EXPECT_EQ(findings.run.stats.threads, 3u);
  ASSERT_EQ(findings.run.stats.sync.size, 2u);
  EXPECT_EQ(findings.run.stats.sync[0].count, example::kSync[0].count);
}

TEST(Record, SecondsBeforeAndAfterAnExecAreSummed) {
  const Findings findings =
      read(start_line(1) + end_line(1) + start_line(1) + end_line(1) + start_line(2) + end_line(2));
  EXPECT_EQ(findings.run.stats.microseconds, 240000u);
  EXPECT_TRUE(findings.run.ended);
}

TEST(Record, IsCompleteIfEveryProcessSaysHowItEnded) {
  const std::string resumed = collect([](Sink sink) { write_resumed(1, sink); });
  EXPECT_TRUE(read(start_line(1) + end_line(1)).run.ended);
  EXPECT_FALSE(read(start_line(1)).run.ended);
  EXPECT_FALSE(read(start_line(1) + end_line(1) + resumed).run.ended);
  EXPECT_TRUE(read(start_line(1) + end_line(1) + resumed + end_line(1)).run.ended);
  const Findings findings = read(start_line(1) + start_line(2) + end_line(1));
  EXPECT_FALSE(findings.run.ended);
  EXPECT_TRUE(findings.first_ended);
  EXPECT_EQ(findings.unended, std::vector<uint32_t>{2});
  EXPECT_FALSE(read("").run.checked);
}

TEST(Record, RoomForMoreIsPassedOver) {
  const std::string lost = collect([](Sink sink) { write_lost(7, 1, sink); });
  const std::string room(1000, '\n');
  const Findings findings = read(lost + room + start_line(1) + end_line(1) + room);
  EXPECT_EQ(findings.processes, 1u);
  EXPECT_EQ(findings.lost, 7u);
  EXPECT_EQ(findings.run.notes.size, 0u);
}

TEST(Record, KeepsTheStrongestDetection) {
  Race race = example::bank_race();
  race.detection = Detection::kPredicted;
  const Findings findings = read(start_line(1) + race_line(race, 1) + count_line(race, 1, 2, Detection::kObserved) +
                                 count_line(race, 1, 3, Detection::kPredicted));
  EXPECT_EQ(findings.races[0].detection, Detection::kObserved);
  EXPECT_EQ(findings.races[0].count, 3u);
}

TEST(Record, ShowsThePairThatProvesMost) {
  Race predicted = example::bank_race();
  predicted.detection = Detection::kPredicted;
  predicted.location.name = "predicted";
  Race observed = example::bank_race();
  observed.detection = Detection::kObserved;
  observed.location.name = "observed";
  for (const auto& [first, second] : {std::pair{predicted, observed}, std::pair{observed, predicted}}) {
    const Findings findings = read(start_line(1) + race_line(first, 1) + race_line(second, 1));
    ASSERT_EQ(findings.races.size(), 1u);
    EXPECT_EQ(findings.races[0].detection, Detection::kObserved);
    EXPECT_EQ(view(findings.races[0].location.name), "observed");
  }
}

std::string confirmation_line(const RaceId& id, const Confirmation& confirmation) {
  return collect([&](Sink sink) { write_confirmation(id, confirmation, 77, sink); });
}

TEST(Record, OrdersRacesForReading) {
  Race predicted = with_id("00000001"), rare = with_id("00000002"), often = with_id("00000003"),
       same = with_id("00000000"), hidden = with_id("00000004");
  predicted.detection = Detection::kPredicted;
  predicted.count = 1000000;
  rare.count = same.count = 1;
  often.count = 50;
  hidden.suppressed = true;
  hidden.count = 5000;
  std::string contents = start_line(1);
  for (const Race& race : {hidden, predicted, rare, often, same}) contents += race_line(race, 1);
  const Findings findings = read(contents);
  std::string order;
  for (const Race& race : findings.races) order += race.id.hex[7];
  EXPECT_EQ(order, "23014") << "the strongest first, and then as they were found";
  contents += confirmation_line(rare.id, {.runs = 20});
  contents += confirmation_line(predicted.id, {.runs = 20, .confirmed = 1});
  order.clear();
  const Findings confirmed = read(contents);
  for (const Race& race : confirmed.races) order += race.id.hex[7];
  EXPECT_EQ(order, "12304") << "what was tried in vain stays where it was";
}

// The values are those of one schedule, the latest token's, in whatever order the two went there.
TEST(Record, BothAccessesAreToldWhatTheyDidInTheScheduleThatConfirms) {
  Race race = example::bank_race();
  race.accesses[0].site_id = 0x1'0000'000a;
  race.accesses[1].site_id = 0x1'0000'000b;
  race.accesses[0].values = {.has_old_value = true, .old_value = 77};
  const uint64_t size = race.accesses[0].size = race.accesses[1].size = 4;
  const auto did = [&](uint32_t site, uint64_t old_value) {
    return MetAccess{.site = site, .size = size, .values = {.has_old_value = true, .old_value = old_value}};
  };
  const auto shown = [&](const std::vector<Confirmation>& confirmations) {
    std::string records = start_line(1) + race_line(race, 1);
    for (const Confirmation& confirmation : confirmations) records += confirmation_line(race.id, confirmation);
    const Findings findings = read(records + end_line(1));
    std::string words;
    for (const Access& access : findings.races[0].accesses)
      words += shown_values(access).has_old_value ? std::to_string(shown_values(access).old_value) + " " : "- ";
    EXPECT_EQ(findings.races[0].accesses[0].values.old_value, 77u) << "what was detected is a fact of its own";
    return words;
  };
  const Confirmation in_order{
      .runs = 1, .confirmed = 1, .token = "a", .has_met = true, .met = {did(11, 1), did(10, 2)}};
  const Confirmation other{.runs = 1, .confirmed = 1, .token = "b", .has_met = true, .met = {did(10, 3), did(11, 4)}};
  EXPECT_EQ(shown({}), "77 - ");
  EXPECT_EQ(shown({in_order}), "2 1 ");
  EXPECT_EQ(shown({other}), "3 4 ");
  EXPECT_EQ(shown({in_order, other}), "3 4 ");
  EXPECT_EQ(shown({in_order, {.runs = 20}}), "2 1 ") << "in vain: the token stays";
  EXPECT_EQ(shown({in_order, {.runs = 20, .confirmed = 1, .token = "c"}}), "77 - ") << "nothing is known of its token";
  Confirmation half = in_order;
  half.met[1].values = {};
  EXPECT_EQ(shown({half}), "- 1 ") << "the one that was detected is of another run";
  Confirmation elsewhere = in_order;
  elsewhere.met[0].site = 12;
  EXPECT_EQ(shown({elsewhere}), "77 - ");
  elsewhere = in_order;
  elsewhere.met[0].size = 8;
  EXPECT_EQ(shown({elsewhere}), "77 - ");
  half.met[1].size = 8;
  EXPECT_EQ(shown({half}), "- 1 ") << "how much a function of the library writes matters to nobody";
  // A race of a statement with itself: who went first came before.
  race.accesses[0].site_id = 0x1'0000'000b;
  EXPECT_EQ(shown({{.runs = 1, .confirmed = 1, .token = "a", .has_met = true, .met = {did(11, 5), did(11, 6)}}}),
            "6 5 ");
}

// A file that nobody confirmed anything of says so; and whoever tried is no process of the run.
TEST(Record, ConfirmationsAreFactsBesideWhatWasDetected) {
  const Race race = example::bank_race();
  const std::string found = start_line(1) + race_line(race, 1) + end_line(1);
  EXPECT_FALSE(read(found).races[0].confirmation.tried());
  const Findings vain = read(found + "\n" + confirmation_line(race.id, {.runs = 20, .strategy = "pct"}));
  EXPECT_EQ(standing_of(vain.races[0]), Standing::kObserved);
  EXPECT_EQ(vain.races[0].confirmation.runs, 20u);
  EXPECT_EQ(view(vain.races[0].confirmation.strategy), "pct");
  EXPECT_EQ(vain.processes, 1u);
  EXPECT_TRUE(vain.run.ended);
  EXPECT_EQ(vain.run.notes.size, 0u);
  // In front of what it is about, too: files are merged in any order.
  const Findings met = read(confirmation_line(race.id, {.runs = 5, .confirmed = 4, .token = "n2abc"}) + found);
  EXPECT_EQ(standing_of(met.races[0]), Standing::kConfirmed);
  EXPECT_EQ(met.races[0].detection, Detection::kObserved);
  EXPECT_EQ(view(met.races[0].confirmation.token), "n2abc");
}

TEST(Record, ConfirmationsAddUp) {
  Race race = example::bank_race();
  race.detection = Detection::kPredicted;
  const Findings findings = read(start_line(1) + race_line(race, 1) + confirmation_line(race.id, {.runs = 20}) +
                                 confirmation_line(race.id, {.runs = 20, .confirmed = 3, .token = "first"}) +
                                 confirmation_line(race.id, {.runs = 10, .confirmed = 1, .token = "second"}) +
                                 confirmation_line(race.id, {.runs = 50}) +
                                 confirmation_line(with_id("0000000a").id, {.runs = 1, .confirmed = 1}));
  ASSERT_EQ(findings.races.size(), 1u);
  const Confirmation& confirmation = findings.races[0].confirmation;
  EXPECT_EQ(confirmation.runs, 100u);
  EXPECT_EQ(confirmation.confirmed, 4u);
  EXPECT_EQ(view(confirmation.token), "second");
  EXPECT_EQ(standing_of(findings.races[0]), Standing::kConfirmed);
}

std::string classification_line(const RaceId& id, const Classification& classification) {
  return collect([&](Sink sink) { write_classification(id, classification, 77, sink); });
}

TEST(Record, TheLatestClassCountsOfRacesAndFlags) {
  const Race race = example::bank_race();
  Race flag = with_id("0000000f");
  flag.is_flag = true;
  const std::string found = start_line(1) + race_line(race, 1) + race_line(flag, 1) + end_line(1);
  EXPECT_FALSE(read(found).races[0].classification.known());
  const Findings findings = read(
      classification_line(race.id, {.name = "k-witness-harmless", .k = 4}) + found +
      classification_line(race.id, {.name = "spec-violated", .consequence = "crash", .k = 16, .evidence = "n2abc"}) +
      classification_line(flag.id, {.name = "single-ordering"}) +
      classification_line(with_id("0000000a").id, {.name = "single-ordering"}));
  ASSERT_EQ(findings.races.size(), 1u);
  const Classification& what = findings.races[0].classification;
  EXPECT_EQ(view(what.name), "spec-violated");
  EXPECT_EQ(view(what.consequence), "crash");
  EXPECT_EQ(what.k, 16u);
  EXPECT_EQ(view(what.evidence), "n2abc");
  EXPECT_EQ(findings.processes, 1u);
  ASSERT_EQ(findings.flags.size(), 1u);
  EXPECT_EQ(view(findings.flags[0].classification.name), "single-ordering");
}

TEST(Record, AHazardIsConfirmedLikewise) {
  std::vector<char> bytes(1 << 16);
  const std::string line(view(format_hazard(example::bank_hazard(), 1, bytes.data(), bytes.size())));
  const RaceId id = example::bank_hazard().id;
  EXPECT_EQ(standing_of(read(start_line(1) + line + confirmation_line(id, {.runs = 9})).hazards[0]),
            Standing::kPredicted);
  const Findings met = read(start_line(1) + line + confirmation_line(id, {.runs = 9, .confirmed = 9, .token = "n2h"}));
  EXPECT_EQ(standing_of(met.hazards[0]), Standing::kConfirmed);
  EXPECT_EQ(view(met.hazards[0].confirmation.token), "n2h");
}

TEST(Record, PassesOverDamagedConfirmations) {
  const Race race = example::bank_race();
  for (const char* damaged : {"\"runs\":0", "\"runs\":2,\"confirmed\":3", "\"runs\":-1", "\"runs\":[]", "\"run"}) {
    const std::string line =
        "{\"record\":\"confirmation\",\"pid\":1,\"id\":\"3f9c1a02\"," + std::string(damaged) + "}\n";
    const Findings findings = read(start_line(1) + race_line(race, 1) + line);
    EXPECT_FALSE(findings.races[0].confirmation.tried()) << damaged;
    EXPECT_EQ(findings.run.notes.size, 1u) << damaged;
  }
}

// A killed program: the file may end at any byte.
TEST(Record, ToleratesATruncatedLastLine) {
  const Race race = example::bank_race();
  const std::string first = start_line(1) + race_line(race, 1);
  const std::string contents = first + race_line(with_id("0000000a"), 1);
  for (size_t size = first.size() + 1; size + 1 < contents.size(); ++size) {
    const Findings findings = read(contents.substr(0, size));
    ASSERT_EQ(findings.races.size(), 1u) << size;
    ASSERT_EQ(findings.run.notes.size, 1u) << size;
  }
  EXPECT_EQ(read(contents.substr(0, contents.size() - 1)).races.size(), 2u);  // only its '\n' is missing
  for (size_t size = 10; size < start_line(1).size() - 1; ++size)
    ASSERT_TRUE(try_read(contents.substr(0, size))) << size;
}

TEST(Record, FindsTheRecordBehindHalfALine) {
  const std::string half = race_line(with_id("0000000a"), 2).substr(0, 300);
  const Findings findings = read(start_line(1) + half + race_line(example::bank_race(), 1) + end_line(1));
  EXPECT_EQ(findings.races.size(), 1u);
  EXPECT_TRUE(findings.run.ended);
  ASSERT_EQ(findings.run.notes.size, 1u);
  EXPECT_EQ(view(findings.run.notes[0]), "a damaged line in the findings passed over");
}

TEST(Record, RefusesForeignFiles) {
  for (const std::string& foreign : {std::string("\x7f"
                                                 "ELF\x02\x01"),
                                     std::string("hello\nworld\n"), std::string("{}\n"), std::string("[1,2]\n"),
                                     std::string("{\"norn\":1,\"races\":[]}\n")}) {
    std::string error;
    EXPECT_FALSE(try_read(foreign, &error)) << foreign;
    EXPECT_EQ(error, "findings.jsonl: not a file of norn's findings");
  }
}

TEST(Record, RefusesNewerFormats) {
  std::string error;
  EXPECT_FALSE(try_read("{\"record\":\"start\",\"norn\":2,\"pid\":1}\n", &error));
  EXPECT_EQ(error, "findings.jsonl:1: written by a newer norn (format 2); this one reads format 1");
}

TEST(Record, PassesOverWhatItDoesNotKnow) {
  const Findings findings = read(start_line(1) + "{\"record\":\"weather\",\"pid\":1,\"sun\":true}\n" + end_line(1));
  EXPECT_TRUE(findings.run.ended);
  EXPECT_EQ(findings.run.notes.size, 0u);
}

TEST(Record, EmptyIsNoFindings) {
  const Findings findings = read("");
  EXPECT_EQ(findings.processes, 0u);
}

// Valid JSON of the wrong shapes must be refused or passed over, never crash.
TEST(Record, SurvivesWrongTypes) {
  const std::string line = race_line(example::bank_race(), 1);
  for (size_t at = line.find(':'); at != std::string::npos; at = line.find(':', at + 1)) {
    for (const char* value : {"null", "[]", "{}", "-1", "\"x\"", "true"}) {
      // Replaces the value behind this colon, if what results is JSON.
      for (size_t end = at + 1; end < line.size(); ++end) {
        if (line[end] != ',' && line[end] != '}') continue;
        (void)try_read(start_line(1) + line.substr(0, at + 1) + value + line.substr(end));
        break;
      }
    }
  }
}

TEST(FormatRace, LeavesOutFramesUntilItFits) {
  Race race = example::bank_race();
  std::vector<Frame> deep(500, example::kDepositStack[0]);
  race.accesses[0].stack = list_of(deep);
  std::vector<char> buffer(16384);
  const Text line = format_race(race, 1, buffer.data(), buffer.size());
  ASSERT_FALSE(line.empty());
  EXPECT_EQ(line[line.size - 1], '\n');
  const Findings findings = read(start_line(1) + std::string(view(line)));
  EXPECT_EQ(findings.races[0].accesses[0].stack.size, 64u);
  EXPECT_TRUE(format_race(race, 1, buffer.data(), 100).empty());
}

}  // namespace
}  // namespace norn::report
