// The comparison of samplers on hand-made traces.
#include "analyze/sampler_comparison.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "trace/trace_writer.h"

namespace norn::analyze {
namespace {

namespace fs = std::filesystem;
using trace::Item;
using trace::ItemKind;
using trace::RegionStep;

// A trace that is written by hand: two threads, of which the first forked the second.
class HandMade : public testing::Test {
 protected:
  static constexpr StackId kCold[] = {0, 1, 2};
  static constexpr StackId kHot[] = {0, 3, 4};

  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "norn-hand-made-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
    writer_.begin({this, &take, nullptr});
    writer_.put(table_.process({.pid = 9, .program = "hand", .options = "engine=hb"}));
    for (StackId stack = 1; stack <= 8; ++stack) {
      writer_.put(table_.site({.number = stack, .file = "a.c", .function = "f", .line = stack, .hash = stack * 1000}));
      writer_.put(table_.stack({stack, 0, stack}));
    }
    for (ThreadId id = 1; id <= 2; ++id)
      writer_.put(table_.thread({.id = id, .stack_begin = 0x100000 * id, .stack_end = 0x100000 * id + 0x1000}));
    put({.kind = EventKind::kThreadStart, .thread = 1});
    put({.kind = EventKind::kThreadFork, .thread = 1, .other = 2});
  }
  void TearDown() override { fs::remove_all(directory_); }

  void put(const Event& event) {
    Item item;
    item.event = event;
    writer_.put(streams_[event.thread], item);
  }
  void step(ThreadId thread, RegionStep step, uint32_t region) {
    Item item;
    item.kind = ItemKind::kRegion;
    item.step = step;
    item.event.thread = thread;
    item.event.size = region;
    item.event.other = 1;
    writer_.put(streams_[thread], item);
  }
  void write(ThreadId thread, Address address, StackId where) {
    put({.kind = EventKind::kWrite, .thread = thread, .where = where, .address = address, .size = 4});
  }
  void call(ThreadId thread, uint32_t function, Address address, StackId where) {
    step(thread, RegionStep::kFunction, function);
    write(thread, address, where);
    step(thread, RegionStep::kReturn, 0);
  }
  std::string finish() {
    writer_.put(table_.end({0, 1, writer_.timestamps()}));
    const std::string path = directory_ / "9.raw";
    std::ofstream out(path, std::ios::binary);
    std::string header(trace::kMappedHeader, '\0');
    trace::FileHeader begin;
    begin.first_chunk = trace::kMappedHeader;
    std::memcpy(header.data(), &begin, sizeof(begin));
    out << header;
    for (const auto& chunk : chunks_) out.write(reinterpret_cast<const char*>(chunk->data()), trace::kChunkBytes);
    return path;
  }
  Execution compare(bool pages = false) {
    Execution execution;
    std::string error;
    EXPECT_TRUE(compare_samplers({finish()}, {.seed = 3, .pages = pages, .workers = 2}, execution, error)) << error;
    return execution;
  }
  static bool finds(const Execution& execution, const char* sampler, const std::string& id) {
    for (const SamplerLog& log : execution.samplers)
      if (log.sampler == sampler) return std::count(log.found.begin(), log.found.end(), id) != 0;
    return false;
  }

  static uint8_t* take(void* context, uint64_t /*number*/) {
    auto& chunks = static_cast<HandMade*>(context)->chunks_;
    chunks.push_back(std::make_unique<std::vector<uint8_t>>(trace::kChunkBytes));
    return chunks.back()->data();
  }

  fs::path directory_;
  std::vector<std::unique_ptr<std::vector<uint8_t>>> chunks_;
  trace::TraceWriter writer_;
  trace::TableWriter table_;
  trace::Stream streams_[3];
};

TEST_F(HandMade, ColdRacesAreRareAndFoundWhereThreadsSeldomAre) {
  // A race in a function that each thread calls once, and that others made hot; one in hot code, which both execute all
  // the time; and accesses under a lock, which do not race.
  constexpr Address kLock = 0x7000;
  for (int i = 0; i < 400; ++i) {
    for (ThreadId thread = 1; thread <= 2; ++thread) {
      put({.kind = EventKind::kLockAcquire, .thread = thread, .address = kLock});
      call(thread, 1, 0x5000, 5);
      put({.kind = EventKind::kLockRelease, .thread = thread, .address = kLock});
    }
  }
  for (int i = 0; i < 3000; ++i) {
    for (ThreadId thread = 1; thread <= 2; ++thread) {
      // A lock of its own orders nothing, but what comes next is another epoch, and so counts once more.
      put({.kind = EventKind::kLockAcquire, .thread = thread, .address = kLock + 64 * thread});
      call(thread, 2, 0x6000, kHot[thread]);
      put({.kind = EventKind::kLockRelease, .thread = thread, .address = kLock + 64 * thread});
    }
  }
  call(1, 3, 0x8000, kCold[1]);
  for (int i = 0; i < 45; ++i) call(1, 3, 0x9000, 6);
  call(2, 3, 0x8000, kCold[2]);
  const Execution execution = compare();
  ASSERT_EQ(execution.races.size(), 2u);
  EXPECT_EQ(execution.accesses, 800u + 6000 + 47);
  EXPECT_EQ(execution.non_stack, execution.accesses);
  const auto is_cold = [](const SeenRace& race) { return race.count == 1; };
  const SeenRace& cold = is_cold(execution.races[0]) ? execution.races[0] : execution.races[1];
  const SeenRace& hot = is_cold(execution.races[0]) ? execution.races[1] : execution.races[0];
  EXPECT_EQ(cold.count, 1u);
  EXPECT_GT(hot.count, 2900u);
  for (const char* sampler : {"TL-Ad", "TL-Fx", "norn"}) EXPECT_TRUE(finds(execution, sampler, cold.id)) << sampler;
  for (const char* sampler : {"G-Ad", "G-Fx", "UCP"}) EXPECT_FALSE(finds(execution, sampler, cold.id)) << sampler;
  for (const SamplerLog& log : execution.samplers) {
    const bool is_random = log.sampler.starts_with("Rnd");
    EXPECT_TRUE(is_random || finds(execution, log.sampler.c_str(), hot.id)) << log.sampler;
    for (const std::string& id : log.found) EXPECT_TRUE(id == cold.id || id == hot.id) << "nothing is invented";
    if (log.sampler == "TL-Ad") EXPECT_EQ(log.logged, 2 * 20 + 2 * 30 + 11u);
    if (log.sampler == "UCP") EXPECT_EQ(log.logged, 2 * 390 + 2 * 2990 + 36u);
  }
}

TEST_F(HandMade, RareIsFewerThanThreePerMillionThatAreNoStacks) {
  Execution execution{"p", 2000000, 1000000};
  EXPECT_TRUE(is_rare({"r", "", 2}, execution));
  EXPECT_FALSE(is_rare({"r", "", 3}, execution));
  write(1, 0x5000, 5);
  write(1, 0x100010, 5);
  write(2, 0x200010, 5);
  execution = compare();
  EXPECT_EQ(execution.accesses, 3u);
  EXPECT_EQ(execution.non_stack, 1u);
}

TEST_F(HandMade, AllocationOnPagesHidesRaces) {
  // Who allocates on a page comes after who freed on it: the race before that is hidden.
  write(1, 0x5000, 1);
  put({.kind = EventKind::kAllocate, .thread = 1, .where = 5, .address = 0x30000, .size = 16});
  put({.kind = EventKind::kAllocate, .thread = 2, .where = 6, .address = 0x30100, .size = 16});
  write(2, 0x5000, 2);
  // On another page nothing is.
  write(1, 0x6000, 3);
  put({.kind = EventKind::kAllocate, .thread = 1, .where = 5, .address = 0x40000, .size = 16});
  put({.kind = EventKind::kAllocate, .thread = 2, .where = 6, .address = 0x50100, .size = 16});
  write(2, 0x6000, 4);
  const Execution execution = compare(true);
  EXPECT_EQ(execution.races.size(), 2u);
  ASSERT_TRUE(execution.pages.has_value());
  EXPECT_EQ(execution.pages->races, 1u);
  EXPECT_EQ(execution.pages->hidden, 1u);
}

// LiteRace §4.2: a compare-exchange and its timestamp must be one step. Two threads take turns with a lock of their
// own; the log of the second trace has the timestamps as they are if each is taken after the operation, by whoever
// comes first: the second thread's success stands before the release that it saw.
TEST_F(HandMade, ATimestampThatIsTakenApartFromItsOperationMakesFalseRaces) {
  constexpr Address kLock = 0x7000;
  const auto exchange = [&](ThreadId thread) {
    put({.kind = EventKind::kAtomicRmw,
         .order = MemoryOrder::kAcqRel,
         .thread = thread,
         .where = 7,
         .address = kLock,
         .size = 4});
  };
  for (Address data = 0x5000; data < 0x5000 + 100 * 64; data += 64) {
    exchange(1);
    write(1, data, 1);
    exchange(1);
    exchange(2);
    write(2, data, 2);
    exchange(2);
  }
  EXPECT_EQ(compare().races.size(), 0u);

  chunks_.clear();
  for (trace::Stream& stream : streams_) stream = {};
  SetUp();
  for (Address data = 0x5000; data < 0x5000 + 100 * 64; data += 64) {
    exchange(1);
    write(1, data, 1);
    exchange(2);  // it came second
    exchange(1);
    write(2, data, 2);
    exchange(2);
  }
  const Execution execution = compare();
  ASSERT_EQ(execution.races.size(), 1u) << "a false race";
  EXPECT_EQ(execution.races[0].count, 100u);
}

TEST(Comparison, RatesAreMeansOfExecutionsAndMediansOfCounts) {
  const auto execution = [](const char* program, uint64_t accesses, size_t races, size_t found) {
    Execution made{program, accesses, accesses};
    for (size_t i = 0; i < races; ++i) made.races.push_back({"r" + std::to_string(i), "", i % 2 == 0 ? 1u : 1000000u});
    for (const char* name : {"TL-Ad", "TL-Fx", "G-Ad", "G-Fx", "Rnd10", "Rnd25", "UCP", "norn"}) {
      made.samplers.push_back({name, accesses / 10, {}});
      for (size_t i = 0; i < found; ++i) made.samplers.back().found.push_back("r" + std::to_string(i));
    }
    return made;
  };
  std::vector<Execution> executions = {execution("a", 10000000, 4, 4), execution("a", 10000000, 2, 1),
                                       execution("b", 1000000, 0, 0)};
  executions[2].samplers[0].logged = 1000000;
  Comparison comparison = summarize(executions);
  ASSERT_EQ(comparison.programs.size(), 2u);
  EXPECT_EQ(comparison.programs[0].races, 3);
  EXPECT_EQ(comparison.programs[0].rare, 1.5);
  EXPECT_DOUBLE_EQ(*comparison.programs[0].samplers[0].all, 0.75);
  EXPECT_DOUBLE_EQ(*comparison.programs[0].samplers[0].rare, 1.0);
  EXPECT_DOUBLE_EQ(*comparison.programs[0].samplers[0].frequent, 0.5);
  EXPECT_FALSE(comparison.programs[1].samplers[0].all.has_value());
  EXPECT_DOUBLE_EQ(comparison.means[0].logged, (0.1 + 1.0) / 2);
  EXPECT_NEAR(comparison.weighted[0], 3.0 / 21, 1e-9);

  std::string error;
  std::vector<Execution> again;
  ASSERT_TRUE(read_executions(json_of(executions), again, error)) << error;
  EXPECT_EQ(json_of(again), json_of(executions));
  EXPECT_FALSE(read_executions("{}", again, error));
  const std::string picture = picture_of(comparison);
  EXPECT_NE(picture.find("Rare races found"), std::string::npos);
  EXPECT_NE(tables_of(comparison, executions).find("| TL-Ad |"), std::string::npos);
}

}  // namespace
}  // namespace norn::analyze
