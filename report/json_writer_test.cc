#include "report/json_writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/string_sink.h"

namespace norn::report {
namespace {

std::string escaped(std::string_view text) {
  return collect([&](Sink sink) { JsonWriter(sink).string({text.data(), text.size()}); });
}

TEST(JsonWriter, EscapesWhatMustBe) {
  EXPECT_EQ(escaped("a\"b\\c\n\t\x01\x7f"), R"("a\"b\\c\n\t\u0001\u007f")");
  EXPECT_EQ(escaped(std::string_view("nul\0x", 5)), R"("nul\u0000x")");
}

TEST(JsonWriter, KeepsUtf8) { EXPECT_EQ(escaped("Grüße · → 🧵"), "\"Grüße · → 🧵\""); }

TEST(JsonWriter, ReplacesWhatIsNotUtf8) {
  constexpr const char* kReplacement = "\xef\xbf\xbd";
  for (const std::string bad : {"\xff", "\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80",
                                "\xf0\x8f\xbf\xbf", "\xe2\x82", "\xc3"}) {
    const std::string json = escaped("a" + bad);
    EXPECT_TRUE(nlohmann::json::accept(json)) << json;
    EXPECT_TRUE(json.starts_with(std::string("\"a") + kReplacement)) << json;
  }
}

// Every pair of bytes, at the end of a string and within: the output is always valid.
TEST(JsonWriter, IsAlwaysValid) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second)};
      ASSERT_TRUE(nlohmann::json::accept(escaped(text))) << first << " " << second;
      ASSERT_TRUE(nlohmann::json::accept(escaped(text + "\x80z"))) << first << " " << second;
    }
  }
}

TEST(JsonWriter, Nests) {
  const auto write = [](JsonWriter json) {
    json.begin_object();
    json.key("empty");
    json.begin_array();
    json.end_array();
    json.key("list");
    json.begin_array();
    json.number(1);
    json.signed_number(-2);
    json.begin_object();
    json.field_bool("yes", true);
    json.end_object();
    json.null();
    json.end_array();
    json.key("seconds");
    json.micros_as_seconds(1000002);
    json.end_object();
  };
  const std::string line = collect([&](Sink sink) { write(JsonWriter(sink)); });
  EXPECT_EQ(line, R"({"empty":[],"list":[1,-2,{"yes":true},null],"seconds":1.000002})");
  const std::string pretty = collect([&](Sink sink) { write(JsonWriter(sink, 2)); });
  EXPECT_EQ(nlohmann::json::parse(pretty), nlohmann::json::parse(line));
  EXPECT_TRUE(pretty.starts_with("{\n  \"empty\": [],\n  \"list\": [\n    1,\n")) << pretty;
}

TEST(JsonWriter, WritesTheSmallestNumber) {
  const std::string json = collect([](Sink sink) { JsonWriter(sink).signed_number(INT64_MIN); });
  EXPECT_EQ(json, "-9223372036854775808");
}

}  // namespace
}  // namespace norn::report
