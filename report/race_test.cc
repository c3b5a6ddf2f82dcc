#include "report/race.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/sink.h"
#include "report/race_id.h"

namespace norn::report {
namespace {

TEST(RaceId, IsTheSameInBothOrders) {
  EXPECT_EQ(race_id(1, 2), race_id(2, 1));
  EXPECT_EQ(race_id(~0ull, 0), race_id(0, ~0ull));
}

TEST(RaceId, IsTwelveHexDigits) {
  const RaceId id = race_id(0, 0);
  ASSERT_EQ(id.text().size, 12u);
  for (const char c : id.text()) EXPECT_TRUE((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')) << c;
}

TEST(RaceId, TellsPairsApart) {
  std::set<std::string> ids;
  for (uint64_t a = 0; a < 200; ++a)
    for (uint64_t b = a; b < 200; ++b) ids.insert(race_id(a, b).hex);
  EXPECT_EQ(ids.size(), 200u * 201 / 2);
}

TEST(RaceId, IsStableOverReleases) { EXPECT_STREQ(race_id(0x1234, 0x5678).hex, "283507342e76"); }

TEST(SiteOf, PassesLibraryFramesOver) {
  const Frame stack[] = {{.function = "memcpy", .library = true}, {.function = "copy_name"}};
  EXPECT_EQ(site_of({.stack = stack}).function, Text("copy_name"));
  EXPECT_EQ(site_of({.site = {.function = "told"}, .stack = stack}).function, Text("told"));
  EXPECT_EQ(site_of({.stack = List<Frame>(stack, 1)}).function, Text("memcpy"));
  EXPECT_FALSE(site_of({}).known());
}

TEST(LiesIn, OfVariables) {
  const Location whole{.object = "account", .address = 0x100, .size = 8, .kind = LocationKind::kGlobal};
  Location part = whole;
  EXPECT_TRUE(lies_in(whole, whole));
  part.address = 0x104, part.size = 4;
  EXPECT_TRUE(lies_in(part, whole));
  EXPECT_FALSE(lies_in(whole, part));
  part.size = 5;
  EXPECT_FALSE(lies_in(part, whole)) << "a byte beyond";
  part.size = 0;
  EXPECT_FALSE(lies_in(part, whole)) << "nobody knows how much";
  for (const LocationKind kind : {LocationKind::kStack, LocationKind::kTls}) {
    Location other = whole;
    other.kind = kind;
    EXPECT_FALSE(lies_in(other, other));
  }
}

TEST(LiesIn, OfBlocksAllocatedInTheSamePlace) {
  const Frame here[] = {{.function = "make", .line = 3}}, there[] = {{.function = "make", .line = 4}};
  const Location block{
      .address = 0x110, .size = 4, .object_size = 32, .offset = 16, .kind = LocationKind::kHeap, .allocated_at = here};
  EXPECT_TRUE(lies_in(block, block));
  Location other = block;
  other.allocated_at = there;
  EXPECT_FALSE(lies_in(other, block));
  other = block;
  other.offset = 0;
  EXPECT_FALSE(lies_in(other, block)) << "another block there";
  other = block;
  other.object_size = 48;
  EXPECT_FALSE(lies_in(other, block));
  other = block;
  other.allocated_at = {};
  EXPECT_FALSE(lies_in(other, other)) << "nobody knows whose";
}

TEST(SameVariable, IsOneMemberOfOneVariable) {
  const Location cell{.name = "table.cells[3].x",
                      .object = "table",
                      .address = 0x100,
                      .size = 4,
                      .kind = LocationKind::kGlobal,
                      .declared_at = {.file = "table.c", .line = 7}};
  Location other = cell;
  other.address = 0x180;
  other.name = "table.cells[14].x";
  EXPECT_TRUE(same_variable(cell, other)) << "another element";
  other.name = "table.cells[3].y";
  EXPECT_FALSE(same_variable(cell, other)) << "another member";
  other.name = "table.cells[3].xy";
  EXPECT_FALSE(same_variable(cell, other));
  other = cell;
  other.address = 0x180;
  other.declared_at.line = 8;
  EXPECT_FALSE(same_variable(cell, other)) << "a variable of the same name";
}

TEST(SameVariable, OfAStackIsOfOneFunction) {
  const Frame here[] = {{.function = "main"}}, there[] = {{.function = "other"}};
  const Location local{.name = "pool.stop", .object = "pool", .kind = LocationKind::kStack, .allocated_at = here};
  Location other = local;
  EXPECT_TRUE(same_variable(local, other));
  other.allocated_at = there;
  EXPECT_FALSE(same_variable(local, other));
  other = local;
  other.object = {};
  EXPECT_FALSE(same_variable(other, other)) << "nobody knows which";
}

TEST(SameVariable, OfBlocksIsOfOneAllocation) {
  const Frame here[] = {{.function = "make", .line = 3}}, there[] = {{.function = "make", .line = 4}};
  const Location block{.name = "node->next",
                       .address = 0x110,
                       .size = 8,
                       .object_size = 32,
                       .offset = 16,
                       .kind = LocationKind::kHeap,
                       .allocated_at = here};
  Location other = block;
  other.address = 0x1010;
  EXPECT_TRUE(same_variable(block, other)) << "another node";
  other.name = "this->next";
  EXPECT_TRUE(same_variable(block, other)) << "the same bytes in other words";
  other.offset = 24;
  EXPECT_FALSE(same_variable(block, other));
  other.name = block.name;
  EXPECT_TRUE(same_variable(block, other)) << "the next element";
  other.allocated_at = there;
  EXPECT_FALSE(same_variable(block, other));
}

TEST(BaseName, IsTheLastComponent) {
  EXPECT_EQ(base_name("/usr/lib/libc.so.6"), Text("libc.so.6"));
  EXPECT_EQ(base_name("bank"), Text("bank"));
  EXPECT_EQ(base_name("dir/"), Text(""));
}

TEST(Decimal, GroupsThousands) {
  EXPECT_EQ(Decimal(0, true).text(), Text("0"));
  EXPECT_EQ(Decimal(999, true).text(), Text("999"));
  EXPECT_EQ(Decimal(1998, true).text(), Text("1,998"));
  EXPECT_EQ(Decimal(~0ull, true).text(), Text("18,446,744,073,709,551,615"));
  EXPECT_EQ(Decimal(~0ull).text(), Text("18446744073709551615"));
}

TEST(Hex, HasNoLeadingZeros) {
  EXPECT_EQ(Hex(0).text(), Text("0x0"));
  EXPECT_EQ(Hex(0xdeadbeef).text(), Text("0xdeadbeef"));
  EXPECT_EQ(Hex(~0ull).text(), Text("0xffffffffffffffff"));
}

TEST(Buffer, RemembersOverflow) {
  char bytes[4];
  Buffer buffer(bytes, sizeof(bytes));
  buffer.sink().put("abcd");
  EXPECT_FALSE(buffer.overflowed());
  buffer.sink().put("e");
  EXPECT_TRUE(buffer.overflowed());
  EXPECT_EQ(buffer.text(), Text("abcd"));
}

}  // namespace
}  // namespace norn::report
