#include "report/findings_writer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/string_sink.h"
#include "core/testing/test_arena.h"
#include "report/record_reader.h"

namespace norn::report {
namespace {

constexpr Address kGlobal = 0x10000;
constexpr Address kBlock = 0x20000;
constexpr Address kStack = 0x30000;
constexpr Address kFile = 0x40000;
constexpr Address kMutex = 0x50000;

// A program in a few lines: a stack id is the line of a statement, which `main` of demo.c has; 100 + n is the same
// called by library code.
struct World {
  Detector detector;
  std::string file;
  std::string printed;
  size_t room = ~size_t{0};  // records that can be appended
  unsigned lost = 0;
  uint32_t pid = 7;
};
World* world = nullptr;

struct TestFront {
  static constexpr Text kName = "test";
  static constexpr size_t kTextBytes = 4096;
  struct Block {
    Address address;
    uint64_t size;
    ThreadId thread;
    StackId where;
  };
  static Detector& detector() { return world->detector; }
  static const Thread* current_thread() { return nullptr; }
  static Process process() { return {.program = "demo", .pid = world->pid, .parent = 1, .engine = EngineKind::kHb}; }
  static List<Frame> frames_of(StackId where, Frame* frames, size_t most, TextPool& pool) {
    size_t count = 0;
    if (where > 100) frames[count++] = {.function = pool.keep("copy"), .file = "library.h", .line = 1, .library = true};
    if (where != kNoStack && count < most)
      frames[count++] = {.function = "main", .file = "demo.c", .line = where % 100};
    return {frames, count};
  }
  static Text expression_of(StackId where) { return where == 3 ? "*p" : ""; }
  static uint64_t size_of(StackId where) { return where == 4 ? 8 : 0; }
  static uint64_t site_id(StackId where) { return where; }
  static Text thread_name(ThreadId id) { return id == 1 ? "worker" : ""; }
  static StackId created_at(ThreadId id) { return id == 0 ? kNoStack : 9; }
  static bool locate_special(Address address, Location& location, TextPool& pool) {
    if (address != kFile) return false;
    location.name = pool.keep("file descriptor 3");
    return true;
  }
  static bool locate_variable(Address address, uint64_t /*size*/, const Access (& /*accesses*/)[2], Location& location,
                              TextPool& /*pool*/) {
    if (address != kGlobal && address != kMutex) return false;
    location.kind = LocationKind::kGlobal;
    location.object = address == kMutex ? "mutex" : "counter";
    return true;
  }
  static bool find_block(Address address, Block& block) {
    block = {kBlock, 64, 1, 8};
    return address >= kBlock && address < kBlock + 64;
  }
  static ThreadId thread_of_stack(Address address) { return address == kStack ? 1 : kNoThread; }
  static Text object_name(Address address, StackId /*where*/, TextPool& pool) {
    return pool.keep(address == kMutex ? "mutex" : "other");
  }
  static uint64_t identity_of(StackId where) { return where; }
  static void measure(Stats& stats) { stats.peak_rss = 4096; }
  static bool append(Text line) {
    if (world->room == 0) return false;
    --world->room;
    world->file += view(line);
    return true;
  }
  static bool append_last(Text line) { return world->file += view(line), true; }
  static void count_lost(const Race& /*race*/) { ++world->lost; }
  static TextOptions text_options() { return {}; }
  static void print(Text text) { world->printed += view(text); }
};

class FindingsWriterTest : public testing::Test {
 protected:
  using Writer = FindingsWriter<TestFront>;

  FindingsWriterTest() {
    world = &world_;
    Listener listener;
    listener.context = this;
    listener.candidate = [](void* self, const Candidate& candidate) {
      auto& test = *static_cast<FindingsWriterTest*>(self);
      Race race;
      test.writer_.build(candidate, race);
      test.writer_.suppress(race);
      test.writer_.put(race);
    };
    Options options;
    options.engine = EngineKind::kHb;
    EXPECT_TRUE(world_.detector.init(options, listener));
    main_ = world_.detector.add_root(0);
    other_ = world_.detector.fork(*main_, 1);
  }

  void race(Address address, StackId first, StackId second) {
    world_.detector.write(*main_, address, 4, first);
    world_.detector.write(*other_, address, 4, second);
  }

  [[nodiscard]] Findings findings() const {
    std::string error;
    auto merged = merge_findings({{"test", world_.file}}, error);
    EXPECT_TRUE(merged.has_value()) << error;
    return merged ? std::move(*merged) : Findings();
  }

  TestingArena memory_;
  World world_;
  Writer writer_;
  Thread* main_ = nullptr;
  Thread* other_ = nullptr;
};

TEST_F(FindingsWriterTest, ARunIsWrittenAndReadAgain) {
  writer_.put_start();
  world_.detector.lock_acquire(*other_, kMutex, LockMode::kExclusive, 6);
  race(kGlobal, 2, 104);
  writer_.put_note("half of it was not seen");
  EXPECT_TRUE(writer_.finish());
  writer_.put_end(3);
  const Findings found = findings();
  ASSERT_EQ(found.races.size(), 1u);
  const Race& read = found.races[0];
  EXPECT_EQ(view(read.location.name), "counter");
  EXPECT_EQ(read.location.size, 4u);
  const Access& later = read.accesses[0];
  EXPECT_EQ(view(later.thread_name), "worker");
  ASSERT_EQ(later.stack.size, 2u);
  EXPECT_EQ(later.site.line, 4u);  // not the library's frame
  EXPECT_EQ(later.site_id, 104u);
  ASSERT_EQ(later.thread_created_at.size, 1u);
  EXPECT_EQ(later.thread_created_at[0].line, 9u);
  ASSERT_EQ(later.locks.size, 1u);
  EXPECT_EQ(view(later.locks[0].name), "mutex");
  EXPECT_EQ(later.locks[0].taken_at.line, 6u);
  EXPECT_TRUE(read.accesses[1].locks.empty());
  EXPECT_TRUE(read.accesses[1].thread_created_at.empty());
  EXPECT_EQ(view(found.run.front_end), "test");
  EXPECT_EQ(view(found.run.engine), "hb");
  EXPECT_EQ(found.run.exit, 3);
  EXPECT_TRUE(found.run.ended);
  EXPECT_EQ(found.run.stats.threads, 2u);
  EXPECT_EQ(found.run.stats.peak_rss, 4096u);
  ASSERT_EQ(found.run.notes.size, 1u);
  EXPECT_EQ(view(found.run.notes[0]), "half of it was not seen");
  EXPECT_FALSE(writer_.finish());
  EXPECT_EQ(world_.printed, "");
}

TEST_F(FindingsWriterTest, LocationsAreNamedByWhatIsKnown) {
  writer_.put_start();
  race(kBlock + 8, 3, 4);
  race(kStack, 11, 12);
  race(kFile, 13, 14);
  writer_.put_end(0);
  const Findings found = findings();
  ASSERT_EQ(found.races.size(), 3u);
  const Location& block = found.races[0].location;
  EXPECT_EQ(block.kind, LocationKind::kHeap);
  EXPECT_EQ(view(block.name), "*p");  // what the statement calls it
  EXPECT_EQ(block.size, 8u);          // what the statement accesses
  EXPECT_EQ(block.offset, 8u);
  EXPECT_EQ(block.object_size, 64u);
  ASSERT_EQ(block.allocated_at.size, 1u);
  EXPECT_EQ(block.allocated_at[0].line, 8u);
  EXPECT_EQ(view(block.owner_name), "worker");
  EXPECT_EQ(found.races[1].location.kind, LocationKind::kStack);
  EXPECT_EQ(found.races[1].location.owner, 1u);
  EXPECT_EQ(found.races[2].location.kind, LocationKind::kUnknown);
  EXPECT_EQ(view(found.races[2].location.name), "file descriptor 3");
}

TEST_F(FindingsWriterTest, WhatCannotBeRecordedIsPrinted) {
  writer_.put_start();
  world_.room = 0;
  race(kGlobal, 2, 5);
  writer_.put_note("no room");
  EXPECT_EQ(world_.lost, 1u);
  EXPECT_NE(world_.printed.find("counter"), std::string::npos) << world_.printed;
  EXPECT_NE(world_.printed.find("norn: no room\n"), std::string::npos);
  EXPECT_TRUE(findings().races.empty());
}

TEST_F(FindingsWriterTest, RulesAreTheUsersAndItsOwn) {
  constexpr Text kRules = "race:counter\n";
  Rule rules[8];
  ASSERT_LE(Writer::count_rules(kRules), std::size(rules));
  SuppressionError error;
  ASSERT_TRUE(writer_.read_suppressions(kRules, true, rules, 0, error)) << view(error.message());
  writer_.put_start();
  race(kGlobal, 2, 5);
  race(kStack, 2, 5);
  const Findings found = findings();
  ASSERT_EQ(found.races.size(), 1u);  // one pair of sites: the first location stands for both
  EXPECT_TRUE(found.races[0].suppressed);
  EXPECT_EQ(view(found.races[0].suppressed_by), "race:counter");
  Race own;
  const Frame frames[] = {{.function = "std::ctype<char>::_M_widen_init() const"}};
  own.accesses[0].stack = frames;
  EXPECT_NE(writer_.suppress(own), nullptr);
  EXPECT_TRUE(own.suppressed);
}

// What a forked child has from its parent is the parent's to report.
TEST_F(FindingsWriterTest, ALockOrderIsToldOnce) {
  writer_.put_start();
  const hazards::LockEdge edges[] = {{0, kMutex, kFile, 11, 12}, {1, kFile, kMutex, 13, 114}};
  const hazards::LockEdge turned[] = {edges[1], edges[0]};
  writer_.put_lock_order(edges, 2);
  writer_.put_lock_order(turned, 2);
  const Findings found = findings();
  ASSERT_EQ(found.hazards.size(), 1u);
  EXPECT_EQ(world_.file.find("\"hazard\""), world_.file.rfind("\"hazard\""));
  const Hazard& hazard = found.hazards[0];
  EXPECT_EQ(view(hazard.title), "lock order: mutex, other");
  EXPECT_EQ(view(hazard.places), "demo.c:12 / demo.c:14");
  ASSERT_EQ(hazard.steps.size, 2u);
  EXPECT_EQ(view(hazard.steps[1].thread_name), "worker");
  EXPECT_EQ(view(hazard.steps[1].does), "holds other (taken at demo.c:13) and takes mutex");
  ASSERT_EQ(hazard.steps[1].stack.size, 1u);  // without the library's frame
  EXPECT_EQ(hazard.steps[1].stack[0].line, 14u);
}

TEST_F(FindingsWriterTest, AChildCountsFromZero) {
  race(kGlobal, 2, 5);
  world_.file.clear();
  world_.pid = 8;
  writer_.finish();
  uint64_t counts[1] = {};
  writer_.restart(counts);
  EXPECT_FALSE(writer_.is_finished());
  writer_.put_end(0);
  EXPECT_EQ(world_.file.find("\"count\""), std::string::npos) << world_.file;
  const Findings found = findings();
  EXPECT_TRUE(found.races.empty());
  EXPECT_EQ(found.run.pid, 8u);
}

}  // namespace
}  // namespace norn::report
