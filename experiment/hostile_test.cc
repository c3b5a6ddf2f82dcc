// Whatever norn reads may be damaged, cut off, or made to harm: it is read or refused with one line, in bounded time
// and memory, and what is read can be shown. Valid files with a few random changes, the same ones each time.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/string_sink.h"
#include "experiment/candidates.h"
#include "report/formats/html.h"
#include "report/formats/sarif.h"
#include "report/formats/valgrind_xml.h"
#include "report/json.h"
#include "report/record.h"
#include "report/record_reader.h"
#include "report/source.h"
#include "report/suppression.h"
#include "report/testing/example.h"
#include "report/text_report.h"
#include "schedule/log_file.h"
#include "schedule/token.h"

namespace norn::experiment {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kRounds = 400;

std::string valid_findings() {
  return collect([](Sink sink) {
    const report::RunSummary run = report::example::bank_run();
    const report::Race race = report::example::bank_race();
    report::write_start(run, sink);
    report::write_race(race, run.pid, sink);
    report::write_count(race, run.pid, sink);
    report::write_note("a note", run.pid, sink);
    report::write_lost(3, run.pid, sink);
    report::write_resumed(run.pid, sink);
    report::write_end(run, sink);
  });
}

std::string valid_json() {
  const report::Race race = report::example::bank_race();
  const report::Hazard hazard = report::example::bank_hazard();
  return collect(
      [&](Sink sink) { report::render_json(report::example::bank_run(), {&race, 1}, {&hazard, 1}, {}, sink); });
}

constexpr const char* kTsanText =
    "==================\n"
    "WARNING: ThreadSanitizer: data race (pid=7)\n"
    "  Write of size 4 at 0x55d0c0de by thread T2:\n"
    "    #0 deposit(Account&, int) bank.cpp:14:19 (bank+0x1234) (BuildId: 12ab)\n"
    "\n"
    "  Previous atomic read of size 4 at 0x55d0c0de by thread T1 (mutexes: write M0):\n"
    "    #0 __tsan_atomic32_load <null> (bank+0x99)\n"
    "    #1 report(Account&) /home/user/bank.cpp:19 (bank+0x1299)\n"
    "\n"
    "==================\n";

constexpr const char* kRules =
    "# rules\n"
    "race:deposit*  # reason: known owner: me expires: 2031-01-01\n"
    "race_top:^std::ctype\n"
    "id:R3f9c1a02\n"
    "{\n  a name\n  norn:Race\n  fun:main\n  ...\n  obj:*/libc.so*\n}\n";

// The same changes in every run.
class Mutations {
 public:
  std::string of(std::string text) {
    const unsigned changes = 1 + below(4);
    for (unsigned i = 0; i < changes; ++i) change(text);
    return text;
  }

 private:
  unsigned below(size_t bound) { return static_cast<unsigned>(random_() % std::max<size_t>(bound, 1)); }

  void change(std::string& text) {
    const size_t at = below(text.size());
    const size_t some = below(40);
    switch (below(10)) {
      case 0:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 1:
        text.erase(at, some);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), some));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.insert(at, some, '\0');
        break;
      case 5:
        text.insert(at, "123456789012345678901234567890");
        break;
      case 6:
        text.insert(at, 60000, 'a');
        break;
      case 7:
        text.insert(at, 20000, below(2) == 0 ? '[' : '{');
        break;
      case 8:
        replace_value(text, at);
        break;
      default:
        if (!text.empty()) text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1u << below(8)));
    }
  }
  // Of the next field, if it is JSON: by one of another type.
  void replace_value(std::string& text, size_t at) {
    constexpr const char* kValues[] = {"null", "[]", "{}", "-1", "1e400", "\"\"", "true", "18446744073709551616"};
    const size_t colon = text.find("\":", at);
    if (colon == std::string::npos) return;
    const size_t end = text.find_first_of(",}\n", colon + 2);
    text.replace(colon + 2, end == std::string::npos ? end : end - colon - 2, kValues[below(std::size(kValues))]);
  }

  std::mt19937 random_{1};
};

// As norn report and norn show would.
void show(const report::Findings& findings) {
  report::SourceFiles sources;
  size_t size = collect([&](Sink sink) {
                  for (const report::Race& race : findings.races) report::render_text(race, findings.run, {}, sink);
                  for (const report::Hazard& hazard : findings.hazards) report::render_text(hazard, sink);
                  report::render_text_summary(findings.run, findings.counts(), {}, sink);
                }).size();
  size += collect([&](Sink sink) {
            report::render_json(findings.run, report::list_of(findings.races), report::list_of(findings.hazards),
                                report::list_of(findings.flags), sink);
          }).size();
  size += report::render_sarif(findings, "1", "/").size();
  size += report::render_valgrind_xml(findings, "1").size();
  size += report::render_html(findings, {}, sources).size();
  size += candidates_of(findings).size();
  EXPECT_GT(size, 0u);
}

bool is_one_line(const std::string& words) { return !words.empty() && words.find('\n') == std::string::npos; }

TEST(Hostile, Findings) {
  Mutations mutations;
  const std::string valid = valid_findings();
  for (unsigned i = 0; i < kRounds; ++i) {
    std::string error;
    const auto findings = report::merge_findings({{"findings.jsonl", mutations.of(valid)}}, error);
    if (findings) {
      show(*findings);
    } else {
      EXPECT_TRUE(is_one_line(error)) << error;
    }
  }
}

TEST(Hostile, CandidatesInJson) {
  Mutations mutations;
  const std::string valid = valid_json();
  std::string error;
  ASSERT_TRUE(candidates_in_json(valid, error)) << error;
  for (unsigned i = 0; i < kRounds; ++i) {
    error.clear();
    if (!candidates_in_json(mutations.of(valid), error)) EXPECT_TRUE(is_one_line(error)) << error;
  }
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

TEST(Hostile, PlacesHideNothingFromATerminal) {
  std::string error;
  const auto candidates = candidates_in_json(with(valid_json(), "bank.cpp", R"(\u001b[2Jbank\n.cpp)"), error);
  ASSERT_TRUE(candidates) << error;
  ASSERT_FALSE(candidates->empty());
  EXPECT_TRUE((*candidates)[0].places.starts_with("?[2Jbank?.cpp:")) << (*candidates)[0].places;
}

TEST(Hostile, ARaceWithoutAnIdIsNone) {
  std::string error;
  EXPECT_FALSE(candidates_in_json(R"({"norn":1,"races":[{"accesses":[{},{}]}]})", error));
  EXPECT_EQ(error, "a race in it has no id");
  const std::string race = R"({"id":"3f9c1a02","accesses":[{},{}]})";
  const auto candidates = candidates_in_json(R"({"norn":1,"races":[)" + race + "," + race + "]}", error);
  ASSERT_TRUE(candidates) << error;
  EXPECT_EQ(candidates->size(), 1u) << "the same race twice is one";
}

TEST(Hostile, CandidatesInTsanText) {
  const auto races = candidates_in_tsan_text(kTsanText);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].sites, "bank.cpp@14,bank.cpp@19");
  EXPECT_EQ(races[0].places, "bank.cpp:14 write / bank.cpp:19 read");
  Mutations mutations;
  for (unsigned i = 0; i < kRounds; ++i) (void)candidates_in_tsan_text(mutations.of(kTsanText));
}

TEST(Hostile, Suppressions) {
  Mutations mutations;
  for (unsigned i = 0; i < kRounds; ++i) {
    const std::string text = mutations.of(kRules);
    std::vector<report::Rule> memory(report::count_rules_at_most(report::text_of(text)));
    report::Suppressions rules(memory.data(), memory.size(), 0);
    report::SuppressionError error;
    if (rules.parse(report::text_of(text), error)) {
      (void)rules.match(report::example::bank_race());
    } else {
      EXPECT_GT(error.message().size, 0u);
    }
  }
}

TEST(Hostile, Tokens) {
  schedule::Token token;
  token.strategy = schedule::StrategyKind::kRaceDirected;
  token.sites = "3f9c1a02,77aa0001";
  const std::string valid = schedule::encode(token);
  std::string error;
  ASSERT_TRUE(schedule::decode(valid, error)) << error;
  Mutations mutations;
  for (unsigned i = 0; i < kRounds; ++i) {
    error.clear();
    if (!schedule::decode(mutations.of(valid), error)) EXPECT_FALSE(error.empty());
  }
}

class HostileFile : public testing::Test {
 protected:
  HostileFile() {
    std::string name = (fs::temp_directory_path() / "norn-hostile-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~HostileFile() override { fs::remove_all(directory_); }

  std::string path(const char* name) const { return (directory_ / name).string(); }
  void expect_refused(const std::string& file, const std::string& why) const {
    std::string error;
    EXPECT_FALSE(candidates_in_file(file, error));
    EXPECT_EQ(error, file + ": " + why);
  }

  fs::path directory_;
};

TEST_F(HostileFile, IsNoFile) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  expect_refused(path("pipe"), "it is a pipe or a socket, not a file");
  expect_refused(directory_.string(), "it is a directory, not a file");
  expect_refused(path("none"), "No such file or directory");
}

TEST_F(HostileFile, IsTooLarge) {
  std::ofstream(path("huge")) << "{";
  fs::resize_file(path("huge"), uintmax_t{1} << 30);
  expect_refused(path("huge"), "it is larger than 512 MB");
}

TEST_F(HostileFile, HasANameOf60000Characters) {
  std::string text = kTsanText;
  text.insert(text.find("bank.cpp"), 60000, 'b');
  std::ofstream(path("tsan")) << text;
  expect_refused(path("tsan"), "a race in it has a name of 60023 characters");
}

TEST_F(HostileFile, IsALogThatSaysItIsLonger) {
  schedule::LogHeader header;
  header.count = uint64_t{1} << 30;
  const schedule::LogEntry entry{};
  std::ofstream(path("log"), std::ios::binary)
      .write(static_cast<const char*>(static_cast<const void*>(&header)), sizeof(header))
      .write(static_cast<const char*>(static_cast<const void*>(&entry)), sizeof(entry));
  EXPECT_EQ(schedule::read_log(path("log")).size(), 1u);
}

}  // namespace
}  // namespace norn::experiment
