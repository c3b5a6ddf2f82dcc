#include "report/suppression.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "report/record_reader.h"
#include "report/testing/example.h"

namespace norn::report {
namespace {

constexpr Day kToday = 20000;  // 2024-10-04

// The rules of a file, in memory that lives as long as they do.
struct File {
  explicit File(std::string text) : contents(std::move(text)), memory(count_rules_at_most(text_of(contents))) {
    ok = rules.parse(text_of(contents), error);
  }
  std::string contents;
  std::vector<Rule> memory;
  Suppressions rules{memory.data(), memory.size(), kToday};
  SuppressionError error;
  bool ok = false;
  std::string message() const { return std::to_string(error.line) + ": " + std::string(view(error.message())); }
};

bool suppresses(const std::string& text) {
  File file(text);
  EXPECT_TRUE(file.ok) << text << " " << file.message();
  return file.rules.match(example::bank_race()) != nullptr;
}

std::string error_of(const std::string& text) {
  const File file(text);
  return file.ok ? "" : file.message();
}

TEST(SearchPattern, IsTsans) {
  EXPECT_TRUE(search_pattern("bar", "foobarbaz"));
  EXPECT_FALSE(search_pattern("^bar", "foobarbaz"));
  EXPECT_TRUE(search_pattern("^foo", "foobarbaz"));
  EXPECT_TRUE(search_pattern("baz$", "foobarbaz"));
  EXPECT_FALSE(search_pattern("bar$", "foobarbaz"));
  EXPECT_TRUE(search_pattern("foo*baz", "foobarbaz"));
  EXPECT_FALSE(search_pattern("baz*foo", "foobarbaz"));
  EXPECT_TRUE(search_pattern("^foo*baz$", "foobarbaz"));
  EXPECT_TRUE(search_pattern("^*$", "x"));
  EXPECT_FALSE(search_pattern("^foo$", "foofoo"));
  EXPECT_TRUE(search_pattern("foo$", "foofoo"));
  EXPECT_FALSE(search_pattern("foo*foo$", "foo"));
  EXPECT_FALSE(search_pattern("x", ""));
}

TEST(WholePattern, IsValgrinds) {
  EXPECT_TRUE(whole_pattern("foo*", "foobar"));
  EXPECT_FALSE(whole_pattern("foo", "foobar"));
  EXPECT_TRUE(whole_pattern("f?o*r", "foobar"));
  EXPECT_TRUE(whole_pattern("*a*b*c*", "xxaxxbxxcxx"));
  EXPECT_FALSE(whole_pattern("*a*b*c", "xxaxxbxxcxx"));
  EXPECT_TRUE(whole_pattern("*", "x"));
}

TEST(Suppression, Tsan) {
  EXPECT_TRUE(suppresses("race:deposit"));
  EXPECT_TRUE(suppresses("race:^teller$"));  // parameters don't count against an anchor
  EXPECT_FALSE(suppresses("race:^tell$"));
  EXPECT_TRUE(suppresses("race:bank.cpp"));
  EXPECT_TRUE(suppresses("race:/home/ann/*"));
  EXPECT_TRUE(suppresses("race:account.balance"));
  EXPECT_TRUE(suppresses("race:pthread_create"));  // creation stacks count, as TSan has it
  EXPECT_FALSE(suppresses("race:withdraw"));
  EXPECT_TRUE(suppresses("race_top:deposit"));
  EXPECT_FALSE(suppresses("race_top:teller"));
  EXPECT_TRUE(suppresses("called_from_lib:bank"));
  EXPECT_FALSE(suppresses("called_from_lib:libfoo"));
  EXPECT_FALSE(suppresses("mutex:deposit\nthread:deposit\nsignal:deposit\ndeadlock:deposit\n"));
  EXPECT_TRUE(suppresses("# comment\n\n  race:withdraw\r\n  race:deposit  \r\n"));
}

TEST(Suppression, StrippedFramesById) {
  EXPECT_TRUE(suppresses("race:bank+0x11a4"));
  EXPECT_TRUE(suppresses("race:/home/ann/bank+0x11a4"));
  EXPECT_FALSE(suppresses("race:bank+0x11a"));
  EXPECT_TRUE(suppresses("race:bank+0x11*"));
  EXPECT_TRUE(suppresses("id:R3f9c1a02"));
  EXPECT_TRUE(suppresses("id:3f9c1a"));
  EXPECT_FALSE(suppresses("id:R3f9c1a03"));
}

std::string valgrind(const std::string& frames, const std::string& kind = "Helgrind:Race") {
  return "{\n   a name\n   " + kind + "\n" + frames + "}\n";
}

TEST(Suppression, Valgrind) {
  EXPECT_TRUE(suppresses(valgrind("   fun:_Z7depositR7Accounti\n")));
  EXPECT_TRUE(suppresses(valgrind("   fun:deposit*\n   fun:_Z6teller*\n")));
  EXPECT_FALSE(suppresses(valgrind("   fun:teller*\n")));  // the first line is the innermost frame
  EXPECT_TRUE(suppresses(valgrind("   ...\n   fun:teller*\n")));
  EXPECT_TRUE(suppresses(valgrind("   obj:*/bank\n   src:bank.cpp:22\n")));
  EXPECT_FALSE(suppresses(valgrind("   obj:*/bank\n   src:bank.cpp:23\n")));
  EXPECT_TRUE(suppresses(valgrind("   fun:report*\n   fun:main\n")));  // the other access
  EXPECT_TRUE(suppresses(valgrind("   fun:deposit*\n", "DRD:ConflictingAccess")));
  EXPECT_TRUE(suppresses(valgrind("   fun:deposit*\n", "Helgrind,DRD:Race")));
  EXPECT_FALSE(suppresses(valgrind("   fun:deposit*\n", "Helgrind:LockOrder")));
  EXPECT_FALSE(suppresses(valgrind("   write(buf)\n   fun:deposit*\n", "Memcheck:Param")));
  EXPECT_TRUE(suppresses(valgrind("   ...\n")));
  EXPECT_TRUE(suppresses(valgrind("   ...\n   fun:main\n   ...\n")));
  EXPECT_FALSE(suppresses(valgrind("   ...\n   fun:main\n   ...\n   fun:teller*\n")));
  EXPECT_TRUE(suppresses(valgrind("   ...\n   ...\n   fun:teller*\n   fun:clone\n")));
  EXPECT_FALSE(suppresses(valgrind("   fun:clone\n")));
}

// A file made with --gen-suppressions goes on below what our stacks show.
TEST(Suppression, ValgrindThreadStart) {
  EXPECT_TRUE(
      suppresses(valgrind("   fun:deposit*\n   fun:teller*\n   fun:mythread_wrapper\n   fun:start_thread\n"
                          "   fun:clone\n")));
  EXPECT_FALSE(suppresses(valgrind("   fun:deposit*\n   fun:teller*\n   fun:other\n")));
}

TEST(Suppression, Fields) {
  File file(
      "race:deposit  # reason: goes away with the cache  owner: ann  expires: 2024-10-05\n"
      "# owner: bob\n# expires: 2024-10-04\nrace:teller\n"
      "{\n  old\n  # owner: eve reason: known\n  Helgrind:Race\n  fun:x\n}\n");
  ASSERT_TRUE(file.ok) << file.message();
  const List<Rule> rules = file.rules.rules();
  ASSERT_EQ(rules.size, 3u);
  EXPECT_EQ(view(rules[0].name), "race:deposit");
  EXPECT_EQ(view(rules[0].reason), "goes away with the cache");
  EXPECT_EQ(view(rules[0].owner), "ann");
  EXPECT_EQ(view(rules[0].expires_text), "2024-10-05");
  EXPECT_FALSE(file.rules.expired(rules[0]));
  EXPECT_EQ(view(rules[1].owner), "bob");
  EXPECT_TRUE(file.rules.expired(rules[1]));
  EXPECT_EQ(view(rules[2].owner), "eve");
  EXPECT_EQ(view(rules[2].name), "old");
  EXPECT_EQ(rules[2].line, 5u);
}

TEST(Suppression, ExpiredNoLongerSuppresses) {
  EXPECT_FALSE(suppresses("race:deposit # expires: 2024-10-04"));
  EXPECT_FALSE(suppresses("race:deposit # expires: 1999-01-01"));
  EXPECT_TRUE(suppresses("race:deposit # expires: 2024-10-05"));
}

TEST(Suppression, StaleOnesAreKnown) {
  File file("race:deposit\nrace:nothing\nmutex:m\nrace:old # expires: 2000-01-01\n");
  ASSERT_TRUE(file.ok);
  EXPECT_NE(file.rules.match(example::bank_race()), nullptr);
  const List<Rule> rules = file.rules.rules();
  EXPECT_FALSE(file.rules.stale(rules[0]));
  EXPECT_EQ(rules[0].hits, 1u);
  EXPECT_TRUE(file.rules.stale(rules[1]));
  EXPECT_FALSE(file.rules.stale(rules[2]));
  EXPECT_FALSE(file.rules.stale(rules[3]));
}

TEST(Suppression, MalformedFilesSayWhere) {
  EXPECT_EQ(error_of("race:x\nrase:y\n"), "2: unknown kind of rule, did you mean race?");
  EXPECT_EQ(error_of("hello world"), "1: not a rule like race:PATTERN: hello world");
  EXPECT_EQ(error_of("weather:y").substr(0, 32), "1: unknown kind of rule: weather");
  EXPECT_EQ(error_of("race:\n"), "1: a rule without a pattern would hide every race: race:");
  EXPECT_EQ(error_of("race:x # expires: tomorrow"), "1: expires: is not a day like 2027-03-01: tomorrow");
  EXPECT_EQ(error_of("race:x # expires: 2023-02-29"), "1: expires: is not a day like 2027-03-01: 2023-02-29");
  EXPECT_EQ(error_of("\n{\n  name\n  Helgrind:Race\n  fun:x\n"), "2: the rule that begins here has no '}'");
  EXPECT_EQ(error_of("{\n  name\n}\n"), "1: a rule needs a name and a kind like Helgrind:Race");
  EXPECT_EQ(error_of("{\n  name\n  Helgrind:Race\n  fun\n}\n"),
            "4: not a frame like fun:NAME, obj:FILE, src:FILE:LINE or ...: fun");
  EXPECT_EQ(error_of("{\n  name\n  Helgrind:Race\n}\n"),
            "1: a rule without frames would hide every race; say at least fun:NAME");
  EXPECT_EQ(error_of("id:xyz"), "1: not the id of a race like R3f9c1a02: xyz");
}

TEST(Suppression, AnyBytesAreParsedOrRefused) {
  using namespace std::string_literals;
  uint64_t state = 1;
  const std::string alphabet = "race:{}#*^$\n fun:...HelgrindRace\xff\0x0\t"s;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = 0; i < 40; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      text += alphabet[(state >> 33) % alphabet.size()];
    }
    File file(text);
    if (file.ok) (void)file.rules.match(example::bank_race());
  }
}

TEST(ParseDay, AgreesWithTheCalendar) {
  for (int days = 0; days < 80000; ++days) {
    const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
    char text[16];
    snprintf(text, sizeof(text), "%04d-%02u-%02u", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
             static_cast<unsigned>(date.day()));
    Day day = 0;
    ASSERT_TRUE(parse_day(text, day)) << text;
    ASSERT_EQ(day, days) << text;
  }
  Day day = 0;
  for (const char* wrong : {"", "2024-13-01", "2024-00-01", "2024-01-00", "2024-1-1", "24-01-01", "2024/01/01"})
    EXPECT_FALSE(parse_day(wrong, day)) << wrong;
}

}  // namespace
}  // namespace norn::report
