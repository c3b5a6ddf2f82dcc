// Records of the image: what is packed comes back; what was damaged is refused, wherever it was.
#include "image/image_record.h"

#include <gtest/gtest.h>

namespace norn::image {
namespace {

const std::vector<Field> kFields{
    {"source", "a.c"}, {"flag", "-O2"}, {"flag", "-g"}, {"bitcode", std::string(300, 'x')}};

std::string why_refused(std::string_view section) {
  std::string error;
  return unpacked(section, error) ? "" : error;
}

TEST(Record, ComesBackAsItWas) {
  std::string error;
  const auto records = unpacked(packed(RecordKind::kModule, kFields), error);
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 1U);
  EXPECT_EQ(records->front().value("source"), "a.c");
  EXPECT_EQ(records->front().values("flag"), (std::vector<std::string>{"-O2", "-g"}));
  EXPECT_EQ(records->front().value("bitcode"), std::string(300, 'x'));
  EXPECT_EQ(records->front().value("nothing"), "");
}

TEST(Record, AreSeveralInASectionWithZerosBetween) {
  std::string error;
  const std::string one = packed(RecordKind::kModule, kFields);
  const auto records = unpacked(one + std::string(13, '\0') + packed(RecordKind::kRecipe, {}) + one + '\0', error);
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 3U);
  EXPECT_EQ((*records)[1].kind, RecordKind::kRecipe);
}

TEST(Record, OfTheSameFieldsIsTheSameBytes) {
  EXPECT_EQ(packed(RecordKind::kModule, kFields), packed(RecordKind::kModule, kFields));
}

TEST(Record, IsRefusedWhateverByteIsChanged) {
  const std::string whole = packed(RecordKind::kModule, kFields);
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_NE(why_refused(damaged), "") << "byte " << i;
  }
}

TEST(Record, IsRefusedWhereverItEnds) {
  const std::string whole = packed(RecordKind::kModule, kFields);
  for (size_t i = 1; i < whole.size(); ++i) EXPECT_EQ(why_refused(whole.substr(0, i)), "ends too early") << i;
}

TEST(Record, OfAnotherVersionSaysSo) {
  std::string other = packed(RecordKind::kModule, kFields);
  other[8] = 7;
  EXPECT_EQ(why_refused(other), "has version 7, this norn reads version 1");
}

}  // namespace
}  // namespace norn::image
