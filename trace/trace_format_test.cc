#include "trace/trace_format.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace norn::trace {
namespace {

std::string string_of(Text text) { return {text.data == nullptr ? "" : text.data, text.size}; }

Item random_item(std::mt19937_64& random) {
  const auto number = [&](uint64_t below) { return random() % below; };
  const auto size = [&] { return random() >> number(64); };
  Item item;
  item.event.thread = static_cast<ThreadId>(1 + number(5));
  switch (number(9)) {
    case 8:
      item.kind = ItemKind::kFlag;
      item.event.kind = number(2) != 0 ? EventKind::kRead : EventKind::kAtomicLoad;
      item.event.where = static_cast<StackId>(number(1000));
      item.event.address = size();
      item.event.size = size();
      break;
    case 0:
      item.kind = ItemKind::kBlock;
      item.quiet = number(2) != 0;
      item.born = number(2) != 0;
      item.event.where = static_cast<StackId>(number(1000));
      item.event.address = size();
      item.event.size = size();
      break;
    case 1:
      item.kind = ItemKind::kBlockEnd;
      item.event.address = size();
      break;
    case 2:
      item.kind = ItemKind::kRegion;
      item.step = static_cast<RegionStep>(number(kRegionSteps));
      item.event.other = number(200);
      item.event.size = number(65536);
      break;
    case 3:
    case 4: {
      item.event.kind = number(2) != 0 ? EventKind::kRead : EventKind::kWrite;
      item.event.size = number(3) == 0 ? size() : uint64_t{1} << number(5);
      item.event.address = number(4) == 0 ? size() : 0x7f0000000000 + number(4096);
      item.event.where = static_cast<StackId>(number(1000));
      item.event.counts = number(2) != 0;
      item.own = number(2) != 0;
      break;
    }
    default:
      item.event.kind = static_cast<EventKind>(number(kEventKinds));
      if (number(8) == 0) item.event.thread = kNoThread;
      item.event.mode = static_cast<LockMode>(number(2));
      item.event.attempt = static_cast<LockAttempt>(number(3));
      item.event.order = static_cast<MemoryOrder>(number(5));
      item.event.in_loop = number(2) != 0;
      item.event.timed_out = number(2) != 0;
      item.event.counts = number(2) != 0;
      item.event.uses = number(2) != 0;
      item.own = number(2) != 0;
      item.event.where = static_cast<StackId>(size());
      item.event.address = size();
      item.event.size = size();
      item.event.other = size();
      item.event.other_size = size();
      break;
  }
  return item;
}

TEST(TraceFormat, ItemsAreReadAsTheyWereWritten) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint8_t> bytes(4096);
    ItemWriter writer;
    uint64_t timestamp = random() % 1000;
    const ThreadId first = 1 + static_cast<ThreadId>(random() % 5);
    const uint64_t begin = timestamp;
    const bool untimed = round % 2 != 0;
    writer.begin(bytes.data(), bytes.size(), first, timestamp, untimed);
    std::vector<Item> items;
    while (writer.has_room()) {
      Item item = random_item(random);
      if (random() % 3 == 0) timestamp += random() % 1000;
      item.timestamp = timestamp;
      item.untimed = untimed && is_plain_access(item);
      if (!item.untimed) ++timestamp;
      writer.put(item);
      items.push_back(item);
    }
    ItemReader reader(bytes.data(), writer.used(), first, begin, untimed);
    for (const Item& item : items) {
      Item read;
      ASSERT_EQ(reader.next(read), Read::kItem);
      ASSERT_TRUE(read == item) << static_cast<int>(item.kind) << ' ' << static_cast<int>(item.event.kind);
    }
    Item none;
    EXPECT_EQ(reader.next(none), Read::kEnd);
  }
}

TEST(TraceFormat, TheSmallestAccessTakesTwoBytes) {
  uint8_t bytes[256];
  ItemWriter writer;
  writer.begin(bytes, sizeof(bytes), 1, 0);
  Item item;
  item.event = {.kind = EventKind::kWrite, .thread = 1, .where = 7, .address = 64, .size = 8};
  writer.put(item);
  const size_t first = writer.used();
  item.timestamp = 1;
  item.event.address = 72;
  writer.put(item);
  EXPECT_EQ(writer.used() - first, 2u);
}

TEST(TraceFormat, EveryPrefixEndsCleanlyOrIsDamaged) {
  std::mt19937_64 random(2);
  std::vector<uint8_t> bytes(2048);
  ItemWriter writer;
  writer.begin(bytes.data(), bytes.size(), 1, 0);
  for (uint64_t i = 0; writer.has_room(); ++i) {
    Item item = random_item(random);
    item.timestamp = i;
    writer.put(item);
  }
  for (size_t size = 0; size <= writer.used(); ++size) {
    ItemReader reader(bytes.data(), size, 1, 0);
    Item item;
    while (reader.next(item) == Read::kItem) {
    }
  }
}

TEST(TraceFormat, RandomBytesAreNoTrouble) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bytes(random() % 300);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    ItemReader reader(bytes.data(), bytes.size(), 1, 0);
    Item item;
    while (reader.next(item) == Read::kItem) {
    }
    ByteReader table(bytes.data(), bytes.size());
    TableItem entry;
    while (next_table_item(table, entry) == Read::kItem) {
      SiteEntry site;
      StackEntry stack;
      ThreadEntry thread;
      EndEntry end;
      ProcessEntry process;
      VariableEntry variable;
      Text words[4];
      MemberEntry members[4];
      (void)read(entry.body, site);
      (void)read(entry.body, stack);
      (void)read(entry.body, thread);
      (void)read(entry.body, end);
      (void)read(entry.body, process, words, 4);
      (void)read(entry.body, variable, members, 4);
    }
  }
}

TEST(TraceFormat, TablesAreReadAsTheyWereWritten) {
  static TableWriter writer;
  const auto body = [](Text item) {
    ByteReader bytes(reinterpret_cast<const uint8_t*>(item.data), item.size);
    TableItem found;
    EXPECT_EQ(next_table_item(bytes, found), Read::kItem);
    EXPECT_TRUE(bytes.at_end());
    return found.body;
  };
  SiteEntry site;
  ASSERT_TRUE(read(body(writer.site({.number = 3,
                                     .file = "a.c",
                                     .directory = "/d",
                                     .function = "f(int)",
                                     .expression = "x->y",
                                     .inlined = 2,
                                     .line = 10,
                                     .column = 4,
                                     .hash = 0x123456789abcdef0,
                                     .kind = 1,
                                     .order = 2,
                                     .size = 8,
                                     .flags = 4,
                                     .module = "m"})),
                   site));
  EXPECT_EQ(site.number, 3u);
  EXPECT_EQ(string_of(site.file), "a.c");
  EXPECT_EQ(string_of(site.directory), "/d");
  EXPECT_EQ(string_of(site.function), "f(int)");
  EXPECT_EQ(string_of(site.expression), "x->y");
  EXPECT_EQ(site.inlined, 2u);
  EXPECT_EQ(site.line, 10u);
  EXPECT_EQ(site.column, 4u);
  EXPECT_EQ(site.hash, 0x123456789abcdef0u);
  EXPECT_EQ(site.kind, 1);
  EXPECT_EQ(site.order, 2);
  EXPECT_EQ(site.size, 8);
  EXPECT_EQ(site.flags, 4u);
  EXPECT_EQ(string_of(site.module), "m");

  const Text words[] = {"a", "bc"};
  ProcessEntry process;
  Text arguments[8];
  ASSERT_TRUE(read(body(writer.process({.pid = 7,
                                        .parent = 6,
                                        .program = "/p",
                                        .directory = "/w",
                                        .options = "engine=hb",
                                        .command = words,
                                        .origin = "6.raw",
                                        .forked_at = 99})),
                   process, arguments, 8));
  EXPECT_EQ(process.pid, 7u);
  EXPECT_EQ(process.parent, 6u);
  EXPECT_EQ(string_of(process.program), "/p");
  EXPECT_EQ(string_of(process.options), "engine=hb");
  ASSERT_EQ(process.command.size, 2u);
  EXPECT_EQ(string_of(arguments[1]), "bc");
  EXPECT_EQ(string_of(process.origin), "6.raw");
  EXPECT_EQ(process.forked_at, 99u);

  const MemberEntry members[] = {{".next", 8, 8, 16, 4}};
  VariableEntry variable;
  MemberEntry kept[4];
  ASSERT_TRUE(read(body(writer.variable({.address = 0x1000,
                                         .size = 64,
                                         .name = "v",
                                         .file = "a.c",
                                         .directory = "",
                                         .line = 5,
                                         .module = "m",
                                         .members = members})),
                   variable, kept, 4));
  EXPECT_EQ(variable.address, 0x1000u);
  ASSERT_EQ(variable.members.size, 1u);
  EXPECT_EQ(string_of(kept[0].path), ".next");
  EXPECT_EQ(kept[0].stride, 16u);

  ThreadEntry thread;
  ASSERT_TRUE(read(body(writer.thread({4, 1, 17, 2, 0x100, 0x200, "worker"})), thread));
  EXPECT_EQ(thread.host, 2u);
  EXPECT_EQ(thread.stack_end, 0x200u);
  EXPECT_EQ(string_of(thread.name), "worker");

  EndEntry end;
  ASSERT_TRUE(read(body(writer.end({-1, 55, 66})), end));
  EXPECT_EQ(end.exit, -1);
  EXPECT_EQ(end.timestamp, 66u);
}

TEST(TraceFormat, TextsThatAreTooLongAreCut) {
  static TableWriter writer;
  const std::string text(5000, 'x');
  std::vector<Text> words(100, Text(text.data(), text.size()));
  const Text item = writer.process(
      {.program = {text.data(), text.size()}, .command = {words.data(), words.size()}, .origin = "origin.raw"});
  EXPECT_LT(item.size, TableWriter::kRoom);
  ByteReader bytes(reinterpret_cast<const uint8_t*>(item.data), item.size);
  TableItem found;
  ASSERT_EQ(next_table_item(bytes, found), Read::kItem);
  std::vector<Text> arguments(TableWriter::kMaxParts);
  ProcessEntry process;
  ASSERT_TRUE(read(found.body, process, arguments.data(), arguments.size()));
  EXPECT_EQ(process.program.size, kMaxText);
  EXPECT_EQ(string_of(process.origin), "origin.raw");
}

}  // namespace
}  // namespace norn::trace
