// Plays an instrumented program for the tests of the command line: it takes NORN_OPTIONS as the runtime does and
// records what its arguments say, in order:
//
//   race=N        a race with id 0000000N        predicted=N   the same, predicted
//   elsewhere=N   predicted, of other bytes      stripped=N    observed, without lines
//   note=WORDS
//   count=N,C     that race was seen C times
//   end           the end record                 half          half a record, as if killed while writing
//   lost=N        races found no room            resumed       it goes on behind an end record
//   exec=PROGRAM  becomes another program
//   foreign       something that is no record    fork          a child that finds race 99 and exits with 7
//   print=WORDS   to stdout                      options       NORN_OPTIONS to stdout
//   closed=012    exits with 121 unless these descriptors, and no others, were closed when it started
//   exit=N        ends                           signal=N      kills itself
//   wait          says "ready", then sleeps until a signal; on SIGTERM exits with 9
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/string_sink.h"
#include "options/options.h"
#include "report/record.h"
#include "report/record_reader.h"
#include "report/testing/example.h"

// What norn run knows an instrumented program by.
__attribute__((section("norn_sites"), used)) static const char g_sites[64] = "";

namespace {

using namespace norn::options;
using namespace norn::report;
using norn::collect;
using norn::Sink;

int g_findings = -1;
std::string g_closed;  // of 0, 1 and 2, at the start

void append(const std::string& line) {
  if (g_findings >= 0 && write(g_findings, line.data(), line.size()) < 0) _exit(120);
}

Race race_of(int number, Detection detection = Detection::kObserved) {
  Race race = example::bank_race();
  race.id = {};
  snprintf(race.id.hex, sizeof(race.id.hex), "%08d", number % 100000000);
  race.detection = detection;
  race.count = 1;
  return race;
}

RunSummary summary() {
  RunSummary run = example::bank_run();
  run.pid = static_cast<uint32_t>(getpid());
  run.parent = static_cast<uint32_t>(getppid());
  return run;
}

void start() {
  append(collect([](Sink sink) { write_start(summary(), sink); }));
}

void find(const Race& race) {
  append(collect([&](Sink sink) { write_race(race, static_cast<uint32_t>(getpid()), sink); }));
}

void act(const std::string& what, const std::string& value) {
  const int number = std::atoi(value.c_str());
  if (what == "race") find(race_of(number));
  if (what == "predicted") find(race_of(number, Detection::kPredicted));
  if (what == "elsewhere") {
    Race race = race_of(number, Detection::kPredicted);
    race.location.address += 4;
    race.location.name = "account.limit";
    find(race);
  }
  if (what == "stripped") {
    Race race = race_of(number);
    for (Access& access : race.accesses) {
      access.stack = {};
      access.site = {.module = "bank", .offset = static_cast<uint64_t>(number)};
    }
    find(race);
  }
  if (what == "count") {
    Race race = race_of(number);
    race.count = static_cast<uint64_t>(std::atoi(value.substr(value.find(',') + 1).c_str()));
    append(collect([&](Sink sink) { write_count(race, static_cast<uint32_t>(getpid()), sink); }));
  }
  if (what == "note")
    append(collect([&](Sink sink) { write_note(text_of(value), static_cast<uint32_t>(getpid()), sink); }));
  if (what == "end") append(collect([](Sink sink) { write_end(summary(), sink); }));
  if (what == "lost")
    append(
        collect([&](Sink sink) { write_lost(static_cast<uint64_t>(number), static_cast<uint32_t>(getpid()), sink); }));
  if (what == "resumed") append(collect([](Sink sink) { write_resumed(static_cast<uint32_t>(getpid()), sink); }));
  if (what == "exec") {
    RunSummary run = summary();
    run.becomes_another = true;
    append(collect([&](Sink sink) { write_end(run, sink); }));
    execl(value.c_str(), value.c_str(), nullptr);
  }
  if (what == "half") append("{\"record\":\"race\",\"pid\":1,\"id\":\"00");
  if (what == "foreign" && g_findings >= 0 && ftruncate(g_findings, 0) == 0) append("this is no record\n");
  if (what == "print") puts(value.c_str());
  if (what == "options") puts(getenv("NORN_OPTIONS"));
  if (what == "closed" && value != g_closed) exit(121);
  if (what == "exit") exit(number);
  if (what == "signal") {
    signal(number, SIG_DFL);
    raise(number);
  }
  if (what == "fork") {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      start();
      find(race_of(99));
      _exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child exited with %d\n", WEXITSTATUS(status));
  }
  if (what == "wait") {
    signal(SIGTERM, [](int) { _exit(9); });
    puts("ready");
    fflush(stdout);
    while (true) pause();
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (fcntl(descriptor, F_GETFD) < 0) g_closed += static_cast<char>('0' + descriptor);
  Settings settings;
  OptionError error;
  const char* list = getenv("NORN_OPTIONS");
  if (!parse_options(settings, list, error)) {
    fprintf(stderr, "fake program: %.*s\n", static_cast<int>(error.size), error.bytes);
    return 2;
  }
  const std::string path(view(settings.findings));
  if (!path.empty()) g_findings = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  start();
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = std::min(argument.find('='), argument.size());
    act(argument.substr(0, equals), argument.substr(std::min(equals + 1, argument.size())));
  }
  return 0;
}
