#include "runtime/probe/wire.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace norn::probe::wire {
namespace {

struct Bytes {
  uint8_t bytes[kLargest] = {};
  size_t size = 0;
  [[nodiscard]] uint64_t number(size_t at, size_t count) const {
    uint64_t value = 0;
    for (size_t i = 0; i < count; ++i) value |= uint64_t{bytes[at + i]} << (8 * i);
    return value;
  }
};

template <class Body>
Bytes written(const Body& body) {
  Bytes result;
  result.size = write(body, result.bytes);
  return result;
}

Hello some_hello() {
  Hello hello{.pid = 4711, .probes = 12, .build = {}, .build_size = 16, .program = "pbzip2"};
  for (uint8_t i = 0; i < 16; ++i) hello.build[i] = static_cast<uint8_t>(0xa0 + i);
  return hello;
}

Result some_result() {
  Result result;
  result.task = 0x0102030405060708;
  result.round = 3;
  result.kind = ResultKind::kRace;
  result.order = Order::kAlternate;
  result.facts = kReachedA | kReachedB | kShared;
  result.stages = kInfer | kDetect;
  result.tau = 50'000;
  result.reached[0] = 7;
  result.reached[1] = 9;
  result.held = 1234;
  result.synchronizations = 5678;
  result.watched = 2;
  result.stacks[0].count = 2;
  result.stacks[0].frames[0] = {0, 0x1234};
  result.stacks[0].frames[1] = {1, 0x5678};
  result.stacks[1].count = 1;
  result.stacks[1].frames[0] = {kUnknownModule, 0x9abc};
  std::strcpy(result.modules[0], "pbzip2");
  std::strcpy(result.modules[1], "libc.so.6");
  result.module_count = 2;
  return result;
}

TEST(Wire, HelloIsAsSpecified) {
  const Bytes hello = written(some_hello());
  ASSERT_EQ(hello.size, 124U);
  EXPECT_EQ(hello.number(0, 4), uint64_t{'n'} | 1U << 8 | 1U << 16);
  EXPECT_EQ(hello.number(4, 4), 124U);
  EXPECT_EQ(hello.number(8, 4), 4711U);
  EXPECT_EQ(hello.number(12, 4), 12U);
  EXPECT_EQ(hello.bytes[16], 0xa0);
  EXPECT_EQ(hello.bytes[36], 16U);
  EXPECT_STREQ(reinterpret_cast<const char*>(hello.bytes + 40), "pbzip2");
}

TEST(Wire, ResultIsAsSpecified) {
  const Bytes result = written(some_result());
  ASSERT_EQ(result.size, 472U);
  EXPECT_EQ(result.bytes[2], 2);
  EXPECT_EQ(result.number(8, 8), 0x0102030405060708U);
  EXPECT_EQ(result.number(16, 4), 3U);
  EXPECT_EQ(result.bytes[20], 3);
  EXPECT_EQ(result.bytes[21], 2);
  EXPECT_EQ(result.bytes[22], 19);
  EXPECT_EQ(result.bytes[23], 3);
  EXPECT_EQ(result.number(24, 4), 50'000U);
  EXPECT_EQ(result.number(32, 8), 7U);
  EXPECT_EQ(result.number(40, 8), 9U);
  EXPECT_EQ(result.number(48, 8), 1234U);
  EXPECT_EQ(result.number(56, 8), 5678U);
  EXPECT_EQ(result.number(64, 4), 2U);
  EXPECT_EQ(result.number(68, 4), 0x00020102U);
  EXPECT_EQ(result.number(72, 8), 0x1234U);
  EXPECT_EQ(result.number(80, 8), uint64_t{1} << 56 | 0x5678U);
  EXPECT_EQ(result.number(200, 8), uint64_t{255} << 56 | 0x9abcU);
  EXPECT_STREQ(reinterpret_cast<const char*>(result.bytes + 360), "libc.so.6");
}

TEST(Wire, TaskIsAsSpecified) {
  const Bytes task = written(Task{.task = 5,
                                  .sites = {0xaaaa, 0xbbbb},
                                  .round = 1,
                                  .tau = 1000,
                                  .instance = 2,
                                  .stages = kInfer | kSteer,
                                  .order = Order::kAlternate});
  ASSERT_EQ(task.size, 56U);
  EXPECT_EQ(task.bytes[2], 4);
  EXPECT_EQ(task.number(8, 8), 5U);
  EXPECT_EQ(task.number(16, 8), 0xaaaaU);
  EXPECT_EQ(task.number(24, 8), 0xbbbbU);
  EXPECT_EQ(task.number(32, 4), 1U);
  EXPECT_EQ(task.number(36, 4), 1000U);
  EXPECT_EQ(task.number(40, 4), 2U);
  EXPECT_EQ(task.bytes[44], 5);
  EXPECT_EQ(task.bytes[45], 2);
}

TEST(Wire, WhatIsWrittenIsRead) {
  Message message;
  const Bytes hello = written(some_hello());
  ASSERT_TRUE(read(hello.bytes, hello.size, message));
  EXPECT_EQ(message.type, Type::kHello);
  EXPECT_STREQ(message.hello.program, "pbzip2");
  EXPECT_EQ(message.hello.build[15], 0xaf);

  const Bytes result = written(some_result());
  ASSERT_TRUE(read(result.bytes, result.size, message));
  EXPECT_EQ(message.type, Type::kResult);
  EXPECT_EQ(message.result.kind, ResultKind::kRace);
  EXPECT_EQ(message.result.order, Order::kAlternate);
  EXPECT_EQ(message.result.stacks[0].frames[1].module, 1);
  EXPECT_EQ(message.result.stacks[0].frames[1].offset, 0x5678U);
  EXPECT_EQ(message.result.stacks[1].frames[0].module, kUnknownModule);

  const Bytes bye = written(Bye{End::kQuickExit});
  ASSERT_TRUE(read(bye.bytes, bye.size, message));
  EXPECT_EQ(message.bye.end, End::kQuickExit);
  const Bytes drop = written(Drop{99});
  ASSERT_TRUE(read(drop.bytes, drop.size, message));
  EXPECT_EQ(message.type, Type::kDrop);
  EXPECT_EQ(message.drop.task, 99U);
}

TEST(Wire, OtherSizesAreRefused) {
  Message message;
  for (const Bytes& whole :
       {written(some_hello()), written(some_result()), written(Bye{}), written(Task{}), written(Drop{})}) {
    ASSERT_GT(whole.size, 0U);
    for (size_t size = 0; size < whole.size; ++size) EXPECT_FALSE(read(whole.bytes, size, message)) << size;
    uint8_t longer[kLargest + 8] = {};
    std::memcpy(longer, whole.bytes, whole.size);
    EXPECT_FALSE(read(longer, whole.size + 1, message));
  }
}

TEST(Wire, OtherVersionsAreRefused) {
  Message message;
  Bytes task = written(Task{});
  task.bytes[1] = 2;
  EXPECT_FALSE(read(task.bytes, task.size, message));
}

TEST(Wire, NumbersOutOfRangeAreRefused) {
  const auto refuses = [](Bytes bytes, size_t at, uint8_t value) {
    Message message;
    bytes.bytes[at] = value;
    return !read(bytes.bytes, bytes.size, message);
  };
  const Bytes task = written(Task{});
  EXPECT_TRUE(refuses(task, 2, 6));
  EXPECT_TRUE(refuses(task, 3, 1));
  EXPECT_TRUE(refuses(task, 39, 1));   // τ above its bound
  EXPECT_TRUE(refuses(task, 44, 16));  // a stage that there is not
  EXPECT_TRUE(refuses(task, 45, 0));   // an order has to be said
  EXPECT_TRUE(refuses(task, 45, 3));
  EXPECT_TRUE(refuses(task, 46, 1));
  const Bytes hello = written(some_hello());
  EXPECT_TRUE(refuses(hello, 36, 21));
  EXPECT_TRUE(refuses(hello, 103, 'x'));  // a text without end
  const Bytes result = written(some_result());
  EXPECT_TRUE(refuses(result, 20, 0));
  EXPECT_TRUE(refuses(result, 20, 12));
  EXPECT_TRUE(refuses(result, 21, 4));
  EXPECT_TRUE(refuses(result, 22, 32));
  EXPECT_TRUE(refuses(result, 28, 65));
  EXPECT_TRUE(refuses(result, 68, 17));
  EXPECT_TRUE(refuses(result, 70, 5));
  EXPECT_TRUE(refuses(result, 79, 2));  // a frame in a module that is not in the list
  EXPECT_TRUE(refuses(result, 359, 'x'));
  EXPECT_TRUE(refuses(written(Bye{}), 8, 3));
}

TEST(Wire, WhatBreaksTheRulesIsNotWritten) {
  uint8_t bytes[kLargest];
  Task task;
  task.tau = kLongestTau + 1;
  EXPECT_EQ(write(task, bytes), 0U);
  Result result = some_result();
  result.stacks[0].frames[0].module = 2;
  EXPECT_EQ(write(result, bytes), 0U);
}

// Whatever arrives, it is refused or means one message: written again, it is the same bytes.
TEST(Wire, RandomBytesAreRefusedOrReadWell) {
  std::mt19937 random(1);
  const Bytes seeds[] = {written(some_hello()), written(some_result()), written(Bye{}), written(Task{}),
                         written(Drop{})};
  unsigned accepted = 0;
  for (unsigned round = 0; round < 20'000; ++round) {
    Bytes bytes = seeds[random() % std::size(seeds)];
    for (unsigned i = random() % 3; i > 0; --i) bytes.bytes[random() % bytes.size] = static_cast<uint8_t>(random());
    Message message;
    if (!read(bytes.bytes, bytes.size, message)) continue;
    ++accepted;
    const Bytes again = message.type == Type::kHello    ? written(message.hello)
                        : message.type == Type::kResult ? written(message.result)
                        : message.type == Type::kBye    ? written(message.bye)
                        : message.type == Type::kTask   ? written(message.task)
                                                        : written(message.drop);
    ASSERT_EQ(again.size, bytes.size);
    ASSERT_EQ(std::memcmp(again.bytes, bytes.bytes, bytes.size), 0);
  }
  EXPECT_GT(accepted, 1000U);
}

}  // namespace
}  // namespace norn::probe::wire
