// Every member of the model is described, and comes back from a record and from a report as it was written.
#include "report/model.h"

#include <gtest/gtest.h>

#include <set>

#include "base/string_sink.h"
#include "report/json.h"
#include "report/race_id.h"
#include "report/record.h"
#include "report/record_reader.h"

namespace norn::report {
namespace {

// --- how many members a struct has: as many as there are initializers that it takes; an array takes one an item ---

struct Anything {
  template <class T>
  operator T() const;  // NOLINT: whatever the member is
};

template <class T, class... Given>
constexpr size_t members_of() {
  if constexpr (requires { T{Given()..., Anything()}; }) {
    return members_of<T, Given..., Anything>();
  } else {
    return sizeof...(Given);
  }
}

struct Small {
  int a = 1;
  Text b{};
  bool c[2]{};
};
static_assert(members_of<Small>() == 4);

// --- an archive that gives each member a value of its own, as large as one that is neither empty nor another's, and
// --- knows which it met ---

class Filler {
 public:
  explicit Filler(Pool& pool) : pool_(pool) {}

  template <class T>
  void field(Text /*name*/, T&& value, unsigned /*where*/ = kBoth) {
    fill(value);
  }
  template <class T>
  void optional(Text name, bool& has, T&& value, unsigned /*where*/) {
    fill(has);
    field(name, value);
  }
  template <class T>
  void derived(Text /*name*/, const T& /*value*/) {}

  [[nodiscard]] size_t met() const { return met_.size(); }

 private:
  // True: for the first time.
  bool meet(const void* member) { return met_.insert(member).second; }
  template <class N>
  void count(N& number) {
    if (meet(&number)) number = static_cast<N>(++last_);
  }

  void fill(Text& text) {
    if (meet(&text)) text = pool_.keep("text " + std::to_string(++last_));
  }
  void fill(bool& flag) {
    meet(&flag);
    flag = true;
  }
  void fill(uint32_t& number) { count(number); }
  void fill(uint64_t& number) { count(number); }
  void fill(int32_t& number) { count(number); }
  void fill(AsHex<uint64_t> number) {
    if (meet(&number.value)) number.value = ~uint64_t{0} - ++last_;
  }
  void fill(AsHex<uint32_t> number) {
    if (meet(&number.value)) number.value = ~uint32_t{0} - static_cast<uint32_t>(++last_);
  }
  void fill(AsSeconds<uint64_t> time) { count(time.micros); }
  void fill(OrNull<Text> text) { fill(text.text); }
  void fill(DetectionFact<Detection> fact) { fill(fact.standing); }
  template <class T>
  void fill(Shown<T> value) {
    fill(value.stored);
  }
  void fill(RaceId& id) {
    if (meet(&id)) id = race_id(++last_, 0);
  }
  void fill(Confirmation& confirmation) {
    if (!meet(&confirmation)) return;
    Filler filler(pool_);
    describe(filler, confirmation);
  }
  void fill(Classification& classification) {
    if (!meet(&classification)) return;
    Filler filler(pool_);
    describe(filler, classification);
  }
  void fill(NamedCount& named) { named = {pool_.keep("name " + std::to_string(++last_)), ++last_}; }
  template <class T>
  void fill(List<T>& list) {
    if (!meet(&list)) return;
    std::vector<T> items(2);
    for (T& item : items) {
      Filler filler(pool_);
      filler.last_ = last_ += 100;
      filler.fill(item);
    }
    list = pool_.keep(std::move(items));
  }
  template <class T, size_t N>
  void fill(T (&items)[N]) {
    for (T& item : items) fill(item);
  }
  template <class T>
  void fill(T& value) {
    if (!meet(&value)) return;
    if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(count_of(value) - 1);
    } else {
      Filler filler(pool_);
      filler.last_ = last_ += 1000;
      describe(filler, value);
    }
  }

  Pool& pool_;
  std::set<const void*> met_;
  uint64_t last_ = 0;
};

template <class T>
T filled(Pool& pool) {
  Filler filler(pool);
  T value{};
  describe(filler, value);
  return value;
}
RunSummary filled_run(Pool& pool) {
  Filler filler(pool);
  RunSummary run;
  describe_start(filler, run);
  describe_end(filler, run);
  run.pid = 4711;
  return run;
}

// How many members of T the description met.
template <class T>
size_t described() {
  Pool pool;
  Filler filler(pool);
  T value{};
  if constexpr (std::is_same_v<T, RunSummary>) {
    describe_start(filler, value);
    describe_end(filler, value);
  } else {
    describe(filler, value);
  }
  return filler.met();
}

TEST(Model, EveryMemberIsDescribed) {
  EXPECT_EQ(described<Frame>(), members_of<Frame>());
  EXPECT_EQ(described<LockHeld>(), members_of<LockHeld>());
  // Of `values` the members are described; `met` is a confirmation's.
  EXPECT_EQ(described<Access>(), members_of<Access>() - 3 + members_of<Values>());
  EXPECT_EQ(described<Location>(), members_of<Location>());
  EXPECT_EQ(described<Confirmation>(), members_of<Confirmation>());
  EXPECT_EQ(described<Classification>(), members_of<Classification>());
  EXPECT_EQ(described<HazardStep>(), members_of<HazardStep>());
  EXPECT_EQ(described<Hazard>(), members_of<Hazard>());
  EXPECT_EQ(described<Stats>(), members_of<Stats>());
  // `rank` is the reader's, and is_flag is said by the record's name.
  EXPECT_EQ(described<Race>(), members_of<Race>() - 2);
  // The pid is every record's; `checked` is what a reader makes of all records.
  EXPECT_EQ(described<RunSummary>(), members_of<RunSummary>() - 2);
}

std::string record_of(const Race& race) {
  return collect([&](Sink sink) { write_race(race, 4711, sink); });
}
std::string record_of(const Hazard& hazard) {
  std::vector<char> bytes(1 << 16);
  return std::string(view(format_hazard(hazard, 4711, bytes.data(), bytes.size())));
}
std::string record_of(const RaceId& id, const Confirmation& confirmation) {
  return collect([&](Sink sink) { write_confirmation(id, confirmation, 4711, sink); });
}
std::string start_of(const RunSummary& run) {
  return collect([&](Sink sink) { write_start(run, sink); });
}
std::string end_of(const RunSummary& run) {
  return collect([&](Sink sink) { write_end(run, sink); });
}

// How often it stands there.
size_t count_in(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Model, ComesBackFromRecords) {
  Pool pool;
  Race race = filled<Race>(pool), flag = race;
  flag.is_flag = true;
  Hazard hazard = filled<Hazard>(pool);
  hazard.id = race_id(1, 2);
  hazard.confirmation = {};  // a record of its own
  const RunSummary run = filled_run(pool);
  const Confirmation confirmation{.runs = 7, .confirmed = 5, .token = "token", .strategy = "pct"};
  std::string error;
  const std::string records = start_of(run) + record_of(race) + record_of(flag) + record_of(hazard) +
                              record_of(race.id, confirmation) + end_of(run);
  const auto findings = merge_findings({{"findings.jsonl", records}}, error);
  ASSERT_TRUE(findings) << error;
  ASSERT_EQ(findings->races.size(), 1u);
  ASSERT_EQ(findings->flags.size(), 1u);
  ASSERT_EQ(findings->hazards.size(), 1u);
  EXPECT_EQ(record_of(findings->races[0]), record_of(race));
  EXPECT_EQ(record_of(findings->flags[0]), record_of(flag));
  EXPECT_EQ(record_of(findings->hazards[0]), record_of(hazard));
  EXPECT_EQ(record_of(race.id, findings->races[0].confirmation), record_of(race.id, confirmation));
  EXPECT_EQ(start_of(findings->run), start_of(run));
  RunSummary read = findings->run;
  read.becomes_another = findings->became_another;
  EXPECT_EQ(end_of(read), end_of(run));
  // Nothing was left out for being empty.
  EXPECT_EQ(count_in(record_of(race), "\"directory\":"), count_in(record_of(race), "\"function\":"));
  EXPECT_EQ(count_in(record_of(race), "\"old_value\":"), 2u);
}

TEST(Model, ComesBackFromReports) {
  Pool pool;
  const Race race = filled<Race>(pool);
  Race flag = race;
  flag.is_flag = true;
  Race untried = race;
  untried.id = race_id(7, 8);  // a report has each once
  untried.confirmation = {};
  untried.classification = {};
  untried.detection = Detection::kPredicted;
  const Race races[] = {race, untried};
  const Hazard hazard = filled<Hazard>(pool);
  const RunSummary run = filled_run(pool);
  const auto render = [](const RunSummary& of, List<Race> all, List<Hazard> hazards, List<Race> flags) {
    return collect([&](Sink sink) { render_json(of, all, hazards, flags, sink); });
  };
  const std::string written = render(run, races, {&hazard, 1}, {&flag, 1});
  std::string error;
  const auto findings = read_report(written, error);
  ASSERT_TRUE(findings) << error;
  EXPECT_EQ(render(findings->run, list_of(findings->races), list_of(findings->hazards), list_of(findings->flags)),
            written);
}

// What was written before reports told facts apart.
TEST(Model, ReadsOlderReports) {
  std::string error;
  const auto findings = read_report(
      R"({"norn":1,"races":[{"id":"3f9c1a02","standing":"confirmed","accesses":[{},{}]},
                            {"id":"3f9c1a03","standing":"unconfirmed","accesses":[{},{}]}],
          "hazards":[{"id":"5e1f0b77","kind":"of a newer norn"}]})",
      error);
  ASSERT_TRUE(findings) << error;
  ASSERT_EQ(findings->races.size(), 2u);
  EXPECT_EQ(findings->races[0].detection, Detection::kObserved);
  EXPECT_EQ(findings->races[1].detection, Detection::kPredicted);
  EXPECT_TRUE(findings->hazards.empty());
}

}  // namespace
}  // namespace norn::report
