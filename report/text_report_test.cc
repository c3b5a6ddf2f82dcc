#include "report/text_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/string_sink.h"
#include "report/record_reader.h"
#include "report/testing/example.h"
#include "report/words/columns.h"

namespace norn::report {
namespace {

size_t bank_source(void*, const Frame& frame, char* buffer, size_t capacity) {
  std::string_view line;
  if (frame.line == 14) line = "  account.balance += amount;";
  if (frame.line == 19) line = "\tprint(account.balance);\r";
  return line.copy(buffer, capacity);
}

std::string render(const Race& race, TextOptions options = {.read_source = bank_source}) {
  return collect([&](Sink sink) { render_text(race, example::bank_run(), options, sink); });
}

size_t widest(const std::string& text) {
  std::istringstream stream(text);
  size_t width = 0;
  for (std::string line; std::getline(stream, line);) width = std::max(width, columns(text_of(line)));
  return width;
}

// The report of the manual, to the letter.
TEST(Text, Golden) {
  EXPECT_EQ(render(example::bank_race()),
            R"(norn: race on account.balance                      observed · 1,998 times · R3f9c1a02
  bank.cpp:14  account.balance += amount;
    write, 4 bytes   thread 2 "teller-2"   no locks held
      deposit(Account&, int)   bank.cpp:14
      teller(int)              bank.cpp:22
      created in main          bank.cpp:31
  bank.cpp:19  print(account.balance);
    read, 4 bytes    thread 1 "teller-1"   holds audit_mutex (taken at bank.cpp:18)
      report(Account&)         bank.cpp:19
      main                     bank.cpp:33
  account: global in bank.cpp:5, offset 0
  next: norn confirm R3f9c1a02 -- ./bank

)");
}

TEST(Text, GoldenHeapWithLibraryFramesAndLocks) {
  const Frame allocated[] = {{.function = "operator new(unsigned long)", .module = "libnorn.so", .library = true},
                             {.function = "make_node(int)", .file = "list.cpp", .line = 9}};
  const Frame library[] = {
      {.function = "std::_Rb_tree_insert_and_rebalance",
       .module = "/lib/libstdc++.so.6",
       .offset = 0x10,
       .library = true},
      {.function = "std::map<int, int>::operator[](int const&)",
       .file = "/usr/include/map",
       .line = 500,
       .library = true},
      {.function = "std::thread::_State_impl<F>::_M_run()", .file = "/usr/include/thread", .line = 7, .library = true},
      {.function = "insert(int)", .file = "list.cpp", .line = 30},
      {.function = "start_thread", .module = "/lib/libc.so.6", .offset = 0x89044, .library = true},
  };
  const LockHeld locks[] = {{.name = "first_rather_long_name_of_a_mutex", .taken_at = {.file = "list.cpp", .line = 28}},
                            {.address = 0x7ffe10, .mode = HeldMode::kShared}};
  Race race = example::bank_race();
  race.detection = Detection::kPredicted;
  race.count = 1;
  race.location = {.size = 8,
                   .object_size = 40,
                   .offset = 16,
                   .kind = LocationKind::kHeap,
                   .allocated_at = allocated,
                   .has_owner = true,
                   .owner = 0,
                   .owner_name = "main"};
  race.accesses[0] = {.op = Op::kAtomicWrite,
                      .size = 8,
                      .thread = 3,
                      .stack = library,
                      .locks = locks,
                      .values = {.has_value = true, .has_old_value = true, .value = 6, .old_value = 5}};
  race.accesses[1] = {.op = Op::kFree,
                      .size = 40,
                      .thread = 0,
                      .thread_name = "main",
                      .site = allocated[1],
                      .stack_lost = true,
                      .expression = "*node"};
  race.suppressed = true;
  race.suppressed_by = "race:insert";
  EXPECT_EQ(render(race, {.width = 91, .next = Next::kShow}),
            R"(norn: race on 8 bytes in a heap block              predicted, suppressed · once · R3f9c1a02
  list.cpp:30
    atomic write, 8 bytes, 5 → 6   thread 3          holds 2 locks
      holds first_rather_long_name_of_a_mutex (taken at list.cpp:28)
      holds lock 0x7ffe10 shared
      … 3 library frames
      insert(int)                   list.cpp:30
      start_thread                  libc.so.6+0x89044
  list.cpp:9  *node
    free, 40 bytes                 thread 0 "main"   no locks held
      make_node(int)                list.cpp:9
      … the callers are not known
  heap block of 40 bytes, offset 16, allocated by thread 0 "main"
      operator new(unsigned long)   libnorn.so+0x0
      make_node(int)                list.cpp:9
  suppressed by race:insert
  next: norn show R3f9c1a02

)");
}

TEST(Text, TellsPredictionsOnTheSameBytesInALine) {
  Race prediction = example::bank_race();
  prediction.detection = Detection::kPredicted;
  prediction.id.hex[0] = '4';
  prediction.accesses[1].op = Op::kWrite;
  const Race* also[] = {&prediction, &prediction};
  const std::string text = collect([&](Sink sink) {
    render_text(example::bank_race(), example::bank_run(), {}, sink, {.races = also, .left_out = 3});
  });
  const std::string line = "  also predicted: bank.cpp:14 write / bank.cpp:19 write · R4f9c1a02\n";
  EXPECT_NE(text.find("  account: global in bank.cpp:5, offset 0\n" + line + line +
                      "  also 3 more pairs; to see: norn show\n"
                      "  next: norn confirm"),
            std::string::npos)
      << text;
}

TEST(Text, SaysWhatTheSchedulerShowed) {
  Race race = example::bank_race();
  race.confirmation = {.runs = 20};
  std::string text = render(race);
  EXPECT_NE(text.find("observed · not met in 20 runs · 1,998 times · R3f9c1a02\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  next: norn confirm R3f9c1a02 -- ./bank\n"), std::string::npos) << text;
  race.confirmation = {.runs = 20, .confirmed = 18, .token = "n2abc"};
  text = render(race);
  EXPECT_NE(text.find("confirmed in 18 of 20 runs · 1,998 times · R3f9c1a02\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  next: norn replay n2abc -- ./bank\n"), std::string::npos) << text;
  EXPECT_NE(render(race, {.next = Next::kNone}).find("  replay: n2abc\n"), std::string::npos);
}

TEST(Text, SaysWhatTheSchedulerShowedOfHazards) {
  Hazard hazard = example::bank_hazard();
  const auto text = [&] { return collect([&](Sink sink) { render_text(hazard, sink); }); };
  hazard.confirmation = {.runs = 20};
  EXPECT_NE(text().find("possible deadlock · predicted · not met in 20 runs · R5e1f0b77\n"), std::string::npos)
      << text();
  hazard.kind = HazardKind::kAtomicity;
  EXPECT_NE(text().find(" · predicted · no harm in 20 runs · R5e1f0b77\n"), std::string::npos) << text();
  hazard.confirmation = {.runs = 20, .confirmed = 2, .token = "n2h"};
  EXPECT_NE(text().find(" · confirmed in 2 of 20 runs · R5e1f0b77\n"), std::string::npos) << text();
  EXPECT_TRUE(text().ends_with("\n  replay: n2h\n")) << text();
}

TEST(Text, Summary) {
  RunSummary run = example::bank_run();
  const auto line = [&](const RaceCounts& counts) {
    return collect([&](Sink sink) { render_text_summary(run, counts, {}, sink); });
  };
  RaceCounts counts;
  EXPECT_EQ(line(counts), "norn: no races; 4,021 accesses by 3 threads in 0.12 s\n");
  counts.add(example::bank_race());
  EXPECT_EQ(line(counts), "norn: 1 race (1 observed, 0 predicted); 4,021 accesses by 3 threads in 0.12 s\n");
  Race confirmed = example::bank_race(), hidden = example::bank_race();
  confirmed.confirmation = {.runs = 1, .confirmed = 1};
  hidden.suppressed = true;
  counts.add(confirmed);
  counts.add(hidden);
  const Text notes[] = {"arena full: oldest history forgotten"};
  run.notes = notes;
  run.stats = {};
  EXPECT_EQ(line(counts),
            "norn: note: arena full: oldest history forgotten\n"
            "norn: 2 races (1 confirmed, 1 observed, 0 predicted), 1 suppressed\n");
}

// Where nothing ran, nothing is known not to race.
TEST(Text, SummaryOfCandidates) {
  RunSummary run = example::bank_run();
  run.engine = "static";
  const auto line = [&](const RaceCounts& counts) {
    return collect([&](Sink sink) { render_text_summary(run, counts, {}, sink); });
  };
  RaceCounts counts;
  EXPECT_EQ(line(counts),
            "norn: no candidates; nothing was run; 4,021 shared accesses of 3 threads, analysed in 0.12 s\n");
  counts.add(example::bank_race());
  EXPECT_EQ(line(counts),
            "norn: 1 candidate; nothing was run; 4,021 shared accesses of 3 threads, analysed in 0.12 s\n");
}

TEST(Text, FitsTheTerminal) {
  const Frame deep[] = {
      {.function = "void boost::asio::detail::executor_op<std::_Bind<void (Session::*(std::shared_ptr<Session>))(std::"
                   "error_code, unsigned long)>, std::allocator<void>, boost::asio::detail::scheduler_operation>::do_"
                   "complete(void*, boost::asio::detail::scheduler_operation*, std::error_code const&, unsigned long)",
       .file = "include/boost/asio/detail/executor_op.hpp",
       .line = 70},
      {.function = "Session::on_read(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > "
                   "const&, unsigned long)",
       .file = "session.cpp",
       .line = 4},
  };
  Race race = example::bank_race();
  race.accesses[0].stack = deep;
  for (const uint32_t width : {80u, 100u, 120u}) {
    const std::string text = render(race, {.width = width});
    EXPECT_LE(widest(text), width) << text;
  }
}

TEST(Text, LongTitlesBreak) {
  Race race = example::bank_race();
  race.location.name = "server.sessions[].connections[].outgoing_buffers[].first_free_block->next";
  const std::string text = render(race);
  EXPECT_TRUE(
      text.starts_with("norn: race on server.sessions[].connections[].outgoing_buffers[].first_free_block->next\n"
                       "      observed · 1,998 times · R3f9c1a02\n"))
      << text;
}

TEST(Text, FoldsRecursion) {
  const std::vector<Frame> deep(1000, example::kDepositStack[0]);
  Race race = example::bank_race();
  race.accesses[0].stack = list_of(deep);
  const std::string text = render(race);
  EXPECT_NE(text.find("      … 984 more frames\n"), std::string::npos) << text;
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 40);
  EXPECT_GT(std::count_if(text.begin(), text.end(), [](char c) { return c == '\n'; }), 20);
  const std::string full = render(race, {.full = true});
  EXPECT_GT(std::count(full.begin(), full.end(), '\n'), 1000);
}

TEST(Text, NeverSendsControlCharacters) {
  Race race = example::bank_race();
  race.accesses[0].thread_name = "\033[2Jevil\a";
  race.location.name = "x\033]0;title\a";
  race.suppressed_by = "\033c";
  race.suppressed = true;
  const Frame stack[] = {{.function = "f\033[1m", .file = "a\033.cpp", .line = 1}};
  race.accesses[0].stack = stack;
  const std::string text = render(race);
  for (const char c : text) EXPECT_TRUE(static_cast<uint8_t>(c) >= 0x20 || c == '\n');
}

TEST(Text, ColorsOnlyWhenAsked) {
  EXPECT_EQ(render(example::bank_race()).find('\033'), std::string::npos);
  const std::string colored = render(example::bank_race(), {.color = true, .read_source = bank_source});
  std::string plain;
  for (size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] != '\033') {
      plain += colored[i];
    } else {
      while (colored[i] != 'm') ++i;
    }
  }
  EXPECT_EQ(plain, render(example::bank_race()));
}

TEST(Text, NamesFilesRelativeToTheBase) {
  const Frame stack[] = {{.function = "f()", .file = "../src/./a.cpp", .directory = "/home/ann/bank/build", .line = 3},
                         {.function = "g()", .file = "/home/ann/bank/src/b.cpp", .line = 4},
                         {.function = "h()", .file = "/home/ann/banker/c.cpp", .line = 5},
                         {.function = "i()", .file = "d.cpp", .directory = "/elsewhere", .line = 6}};
  Race race = example::bank_race();
  race.accesses[0].stack = stack;
  const std::string text = render(race, {.base = "/home/ann/bank"});
  EXPECT_NE(text.find(" src/a.cpp:3\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" src/b.cpp:4\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" /home/ann/banker/c.cpp:5\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" d.cpp:6\n"), std::string::npos) << text;
}

TEST(Text, QuotesTheCommandToType) {
  const Text command[] = {"./a b", "it's", "--x=1", ""};
  RunSummary run = example::bank_run();
  run.command = command;
  const std::string text =
      collect([&](Sink sink) { render_text(example::bank_race(), run, {.next = Next::kRun}, sink); });
  EXPECT_NE(text.find("next: norn run -- './a b' 'it'\\''s' --x=1 ''\n"), std::string::npos) << text;
}

TEST(Text, SurvivesKnowingNothing) {
  const std::string text = render(Race{}, {});
  EXPECT_NE(text.find("at an unknown place"), std::string::npos) << text;
}

}  // namespace
}  // namespace norn::report
