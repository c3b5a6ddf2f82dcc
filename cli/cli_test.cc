// What a user types and what comes of it: running, reports, help.
#include "cli/test/run_norn.h"

namespace norn::cli::tests {
namespace {

// ---- what a user can get wrong ----

TEST_F(Cli, NoVerb) { expect_misuse({}, "say what to do: norn run -- ./program (norn --help lists the verbs)"); }

TEST_F(Cli, UnknownVerb) {
  expect_misuse({"rnu", "--", "x"}, "unknown verb rnu; did you mean norn run?");
  expect_misuse({"weather"}, "unknown verb weather; norn --help lists the verbs");
  expect_misuse({"--vresion"}, "unknown option --vresion; norn --help lists the verbs");
}

TEST_F(Cli, UnknownOptionNamesTheNearest) {
  expect_misuse({"run", "--engin=hb", "--", FAKE_PROGRAM}, "unknown option --engin; did you mean --engine?");
  expect_misuse({"run", "--failon=any", FAKE_PROGRAM}, "unknown option --failon; did you mean --fail-on?");
  expect_misuse({"run", "--wether", "--", FAKE_PROGRAM}, "unknown option --wether; norn run --help lists them");
  expect_misuse({"report", "--jsno=x"}, "unknown option --jsno; did you mean --json?");
  expect_misuse({"show", "--lsat"}, "unknown option --lsat; did you mean --last?");
}

TEST_F(Cli, WrongValues) {
  expect_misuse({"run", "--engine=hybird", "--", FAKE_PROGRAM},
                "--engine=hybird is not one of hybrid, hb, msm-short or msm-long; did you mean hybrid?");
  expect_misuse({"run", "--fail-on=observd", "--", FAKE_PROGRAM},
                "--fail-on=observd is not one of any, observed, confirmed or none; did you mean observed?");
  expect_misuse({"run", "--spin=lots", "--", FAKE_PROGRAM}, "--spin=lots is not a number from 0 to 1000");
  EXPECT_EQ(norn({"show", "--run=x"}).exit, 2);
}

TEST_F(Cli, WrongEnvironment) {
  environment_ = {{"NORN_OPTIONS", "engine=hb:sipn=3"}};
  expect_misuse({"run", "--", FAKE_PROGRAM}, "NORN_OPTIONS: unknown option sipn; did you mean spin?");
}

TEST_F(Cli, MissingProgram) {
  expect_misuse({"run"}, "say which program to run: norn run -- ./program");
  expect_misuse({"run", "--", "./nowhere"}, "./nowhere: No such file or directory");
  expect_misuse({"run", "--", "no-such-program"}, "no-such-program: not found in PATH");
  write("here", "#!/bin/sh\n");
  expect_misuse({"run", "--", "here"}, "here: not found in PATH; for the file here type ./here");
  expect_misuse({"run", "--", "./here"}, "./here is not executable; type: chmod +x ./here");
  expect_misuse({"run", "--", "/tmp/"}, "/tmp/ is a directory, not a program");
}

// Programs that the Valgrind front end cannot run, whether or not it is there.
TEST_F(Cli, UnfitPrograms) {
  std::string header = read_file("/bin/true").substr(0, 64);
  header[56] = header[57] = 0;  // no segments, so no dynamic linker
  const auto is_refused = [&](const std::string& contents, const std::string& words) {
    write("unfit", contents);
    fs::permissions(directory_ / "unfit", fs::perms::owner_all);
    expect_misuse({"run", "--binary", "--", "./unfit"}, words);
  };
  is_refused(header,
             "./unfit is statically linked: norn cannot see the threads of an unmodified static program; link it "
             "dynamically, or rebuild it with CC=norn-cc CXX=norn-c++");
  header[4] = 1;
  is_refused(header, "./unfit is not a 64-bit x86 program; build it for x86-64 and run it again");
  is_refused("hello", "./unfit is neither an ELF program nor a script with a first line like #!/bin/sh");
}

// Under Valgrind norn's own runtime would be looked at with the program.
TEST_F(Cli, WhatChecksItselfIsNoUnmodifiedProgram) {
  const std::string why = " was built with norn-cc/norn-c++, whose checks would be checked with it: leave ";
  for (const char* option : {"--binary", "--follow"})
    expect_misuse({"run", option, "--", FAKE_PROGRAM}, FAKE_PROGRAM + why + option + " out");
}

// What runs a script is what must be fit, and may be a script itself.
TEST_F(Cli, UnfitInterpreters) {
  std::string header = read_file("/bin/true").substr(0, 64);
  header[56] = header[57] = 0;
  const auto add = [&](const std::string& name, const std::string& contents) {
    write(name, contents);
    fs::permissions(directory_ / name, fs::perms::owner_all);
    return (directory_ / name).string();
  };
  const std::string interpreter = add("interpreter", header);
  const std::string inner = add("inner", "#!" + interpreter + " -x\n");
  add("outer", "#!" + inner + "\n");
  const std::string is_static =
      " is statically linked: norn cannot see the threads of an unmodified static program; link it dynamically, or "
      "rebuild it with CC=norn-cc CXX=norn-c++";
  expect_misuse({"run", "--binary", "--", "./inner"}, interpreter + ", which runs ./inner," + is_static);
  expect_misuse({"run", "--binary", "--", "./outer"}, interpreter + ", which runs ./outer," + is_static);
  const std::string itself = add("itself", "");
  add("itself", "#!" + itself + "\n");
  expect_misuse({"run", "--binary", "--", "./itself"},
                "./itself is neither an ELF program nor a script with a first line like #!/bin/sh");
}

// Whatever the file is, norn looks at it and says so.
TEST_F(Cli, BrokenPrograms) {
  const std::string good = read_file(FAKE_PROGRAM).substr(0, 4096);
  for (const size_t size : std::vector<size_t>{0, 3, 4, 40, 64, 4096}) {
    write("broken", good.substr(0, size));
    fs::permissions(directory_ / "broken", fs::perms::owner_all);
    const Result result = norn({"run", "--", "./broken"});
    EXPECT_EQ(result.exit, 2) << size;
    EXPECT_EQ(lines(result.err), 1u) << result.err;
  }
}

TEST_F(Cli, MalformedSuppressions) {
  write("bad.supp", "race:x\nrase:y\n");
  expect_misuse({"run", "--suppressions=bad.supp", "--", FAKE_PROGRAM},
                "bad.supp:2: unknown kind of rule, did you mean race?");
  expect_misuse({"run", "--suppressions=none.supp", "--", FAKE_PROGRAM}, "none.supp: No such file or directory");
}

// ---- running ----

TEST_F(Cli, ReportsAndFails) {
  const Result result = run({}, {"print=hello", "race=1", "count=1,1998", "end"});
  EXPECT_EQ(result.exit, 66);
  EXPECT_EQ(result.out, "hello\n");
  EXPECT_TRUE(has(result.err, "norn: race on account.balance")) << result.err;
  EXPECT_TRUE(has(result.err, "observed · 1,998 times · R00000001")) << result.err;
  EXPECT_TRUE(has(result.err, "norn: 1 race (1 observed, 0 predicted); 4,021 accesses by 3 threads in 0.12 s\n"));
  EXPECT_FALSE(has(result.err, "\033")) << "colour only on a terminal";
}

TEST_F(Cli, NoRacesKeepsTheStatus) {
  EXPECT_EQ(run({}, {"end"}).exit, 0);
  EXPECT_EQ(run({}, {"end", "exit=5"}).exit, 5);
  EXPECT_TRUE(has(run({}, {"end"}).err, "norn: no races; "));
}

TEST_F(Cli, ARefusalSaysNothingOfRaces) {
  const Result refused = run({}, {"exit=2"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_FALSE(has(refused.err, "races")) << refused.err;
  EXPECT_TRUE(has(run({}, {"end", "exit=2"}).err, "norn: no races; "));
}

// Only the end record says that a program was checked to its end.
TEST_F(Cli, NoRacesIsSaidOnlyAtTheEnd) {
  for (const Words& actions : {Words{}, Words{"signal=9"}, Words{"end", "resumed", "exit=3"}, Words{"fork", "end"},
                               Words{"end", "signal=15"}, Words{"end", "signal=6"}, Words{"exec=/bin/true"}}) {
    const Result result = run({"--json=r.json"}, actions);
    EXPECT_FALSE(has(result.err, "no races")) << result.err;
    EXPECT_TRUE(has(result.err, " so far")) << result.err;
    EXPECT_TRUE(has(result.err, "norn: note: ")) << result.err;
    EXPECT_EQ(Json::parse(read_file(directory_ / "r.json"))["complete"], false);
    EXPECT_FALSE(has(norn({"show"}).out, "no races"));
  }
  EXPECT_TRUE(has(run({}, {"signal=9"}).err, "norn: note: the program was killed by SIGKILL after 0."));
  EXPECT_TRUE(has(run({"--json=r.json"}, {"end"}).err, "norn: no races; "));
  EXPECT_EQ(Json::parse(read_file(directory_ / "r.json"))["complete"], true);
}

TEST_F(Cli, WhatIsLostFails) {
  const Result result = run({}, {"lost=3", "end", "exit=1"});
  EXPECT_EQ(result.exit, 66);
  EXPECT_TRUE(has(result.err, "norn: note: 3 races could not be recorded; the program printed them itself\n"));
  EXPECT_FALSE(has(result.err, "no races")) << result.err;
  EXPECT_EQ(run({"--fail-on=none"}, {"lost=3", "end", "exit=1"}).exit, 1);
}

TEST_F(Cli, BecomesAnotherProgram) {
  const Result result = run({}, {"exec=/bin/true"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_TRUE(has(result.err, "norn: note: the program became another one by exec, which was not built with norn"))
      << result.err;
}

TEST_F(Cli, FailOn) {
  EXPECT_EQ(run({}, {"predicted=1", "end", "exit=3"}).exit, 3);
  EXPECT_EQ(run({"--fail-on=any"}, {"predicted=1", "end"}).exit, 66);
  EXPECT_EQ(run({"--fail-on=observed"}, {"race=1", "end", "exit=3"}).exit, 66);
  EXPECT_EQ(run({"--fail-on=confirmed"}, {"race=1", "end"}).exit, 0);
  EXPECT_EQ(run({"--fail-on=none"}, {"race=1", "end", "exit=3"}).exit, 3);
  EXPECT_EQ(run({"--exitcode=9"}, {"race=1", "end"}).exit, 9);
  EXPECT_EQ(run({"--exitcode=0"}, {"race=1", "end"}).exit, 0);
}

TEST_F(Cli, OptionsReachTheProgram) {
  environment_ = {{"NORN_OPTIONS", "engine=hb:spin=3:halt_on_error"}};
  const Result result = run({"--engine=msm-short", "--lib=off", "--verbose"}, {"options"});
  for (const char* part : {"engine=msm-short", "spin=3", "lib=off", "halt_on_error=on", "verbose=all"})
    EXPECT_TRUE(has(result.out, part)) << part << " in " << result.out;
  EXPECT_FALSE(has(result.out, "engine=hb"));
}

TEST_F(Cli, TsanOptionsAreHeard) {
  write("my.supp", "race:deposit\n");
  environment_ = {{"TSAN_OPTIONS", "suppressions=my.supp exitcode=3,report_bugs=1:supressions=x"}};
  const Result result = run({}, {"race=1", "end"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_TRUE(has(result.err, "norn: TSAN_OPTIONS: unknown key supressions; did you mean suppressions?\n"));
  EXPECT_TRUE(has(result.err, "1 suppressed")) << result.err;
}

// norn run --launcher -- make check, where a test is itself `norn run -- ./t`.
TEST_F(Cli, RunsWithinARun) {
  const Result inner =
      norn({"run", "--fail-on=none", "--launcher", "--", NORN_PROGRAM, "run", "--", FAKE_PROGRAM, "race=1", "end"});
  EXPECT_EQ(inner.exit, 0) << inner.err;
  environment_ = {{"NORN_OPTIONS", "findings=x:exitcode=0:engine=hb"}};
  const Result result = run({}, {"race=1", "options", "end"});
  EXPECT_EQ(result.exit, 66);
  EXPECT_TRUE(has(result.out, "engine=hb"));
  EXPECT_FALSE(has(result.out, "findings=x"));
}

// Everything behind the program's name is the program's.
TEST_F(Cli, ProgramArguments) {
  EXPECT_EQ(norn({"run", FAKE_PROGRAM, "print=a", "--engine=nonsense", "print=b"}).out, "a\nb\n");
  EXPECT_EQ(norn({"run", FAKE_PROGRAM, "print=a", "--", "print=b"}).out, "a\nb\n");
  EXPECT_EQ(norn({"run", "--engine", "hb", "--", FAKE_PROGRAM, "--", "print=--help"}).out, "--help\n");
  EXPECT_EQ(norn({"run", "--halt-on-error", FAKE_PROGRAM, "print=a"}).out, "a\n");
}

TEST_F(Cli, ScriptsAndLaunchers) {
  write("script", std::string("#!/bin/sh\nexec ") + FAKE_PROGRAM + " race=1 end\n");
  fs::permissions(directory_ / "script", fs::perms::owner_all);
  EXPECT_EQ(norn({"run", "--", "./script"}).exit, 66);
  EXPECT_EQ(norn({"run", "--launcher", "--", "sh", "./script"}).exit, 66);
  const Result nothing = norn({"run", "--launcher", "--", "true"});
  EXPECT_EQ(nothing.exit, 0);
  EXPECT_TRUE(has(nothing.err, "norn: note: nothing that ran was built with norn-cc/norn-c++")) << nothing.err;
  EXPECT_TRUE(has(nothing.err, "norn: nothing was checked\n")) << nothing.err;
}

TEST_F(Cli, ForkedChildIsMerged) {
  const Result result = run({}, {"race=1", "fork", "end"});
  EXPECT_EQ(result.out, "child exited with 7\n");
  EXPECT_TRUE(has(result.err, "R00000001"));
  EXPECT_TRUE(has(result.err, "R00000099"));
}

TEST_F(Cli, DiesByTheSameSignalUnlessRacesWereFound) {
  const Result result = run({}, {"race=1", "signal=11"});
  EXPECT_EQ(result.exit, 66);
  EXPECT_TRUE(has(result.err, "R00000001")) << result.err;
  EXPECT_TRUE(has(result.err, "norn: note: the program was killed by SIGSEGV")) << result.err;
  EXPECT_EQ(run({}, {"signal=9"}).signal, SIGKILL);
  EXPECT_EQ(run({}, {"signal=6"}).signal, SIGABRT);
}

TEST_F(Cli, ForwardsSignals) {
  const pid_t pid = start({NORN_PROGRAM, "run", "--", FAKE_PROGRAM, "race=1", "wait"});
  for (int i = 0; i < 1000 && read_file(directory_ / "stdout") != "ready\n"; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  kill(pid, SIGTERM);
  const Result result = finish(pid);
  EXPECT_EQ(result.exit, 66) << "the program left with 9 and had a race";
  EXPECT_TRUE(has(result.err, "R00000001"));
  EXPECT_TRUE(has(read_file(directory_ / ".norn/last/run.json"), "\"exit\":9"));
}

TEST_F(Cli, SignalNobodyHandlesEndsBoth) {
  const pid_t pid = start({NORN_PROGRAM, "run", "--", FAKE_PROGRAM, "race=1", "wait"});
  for (int i = 0; i < 1000 && read_file(directory_ / "stdout") != "ready\n"; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  kill(pid, SIGINT);
  const Result result = finish(pid);
  EXPECT_EQ(result.signal, SIGINT);
  EXPECT_TRUE(has(result.err, "R00000001"));
}

TEST_F(Cli, ClosedStandardDescriptors) {
  const std::string command = std::string("exec ") + NORN_PROGRAM + " run -- " + FAKE_PROGRAM;
  const Result result = finish(start({"/bin/sh", "-c", command + " closed=12 race=1 end 1>&- 2>&-"}));
  EXPECT_EQ(result.exit, 66);
  EXPECT_EQ(Json::parse(read_file(directory_ / ".norn/last/run.json"))["exit"], 0);
  EXPECT_EQ(lines(read_file(directory_ / ".norn/last/findings.jsonl")), 3u);
}

TEST_F(Cli, WhatCouldNotBePrintedFails) {
  ASSERT_EQ(run({}, {"race=1"}).exit, 66);
  for (const std::string verb :
       {"show", "show --runs", "report --json", "report --html", "list", "export", "--help", "--version", "help run"}) {
    const std::string command = NORN_PROGRAM " " + verb;
    ASSERT_EQ(finish(start({"/bin/sh", "-c", command})).exit, 0) << verb;
    const Result full = finish(start({"/bin/sh", "-c", command + " > /dev/full"}));
    EXPECT_EQ(full.exit, 2) << verb;
    EXPECT_EQ(full.err, "norn: stdout: No space left on device\n") << verb;
  }
  EXPECT_EQ(finish(start({"/bin/sh", "-c", NORN_PROGRAM " --help | true"})).err, "");
}

TEST_F(Cli, HalfARecordIsTolerated) {
  const Result result = run({}, {"race=1", "half", "signal=9"});
  EXPECT_EQ(result.exit, 66);
  EXPECT_TRUE(has(result.err, "R00000001"));
  EXPECT_TRUE(has(result.err, "end in the middle of a record")) << result.err;
}

TEST_F(Cli, OrdersRaces) {
  // What was found first comes first, however often the others happened: it may be their cause.
  const Result result = run({}, {"elsewhere=1", "race=3", "race=2", "race=4", "count=4,10", "end"});
  std::vector<size_t> places;
  for (const char* id : {"R00000003\n", "R00000002\n", "R00000004\n", "R00000001\n"})
    places.push_back(result.err.find(id));
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end())) << result.err;
}

TEST_F(Cli, TellsPredictionsWithTheRaceOnTheirBytes) {
  const Result result = run({"--json=r.json"}, {"predicted=1", "elsewhere=2", "race=3", "end"});
  EXPECT_TRUE(has(result.err, "also predicted: bank.cpp:14 write / bank.cpp:19 read · R00000001\n")) << result.err;
  EXPECT_FALSE(has(result.err, "predicted · once · R00000001\n")) << result.err;
  EXPECT_TRUE(has(result.err, "predicted · once · R00000002\n")) << result.err;
  EXPECT_TRUE(has(result.err, "3 races (1 observed, 2 predicted)")) << result.err;
  EXPECT_EQ(Json::parse(read_file(directory_ / "r.json"))["races"].size(), 3u);
  write("my.supp", "race:deposit\n");
  EXPECT_FALSE(has(run({"--suppressions=my.supp"}, {"predicted=1", "race=3", "end"}).err, "also")) << result.err;
  EXPECT_TRUE(has(run({}, {"predicted=1", "end"}).err, "predicted · once · R00000001\n"));
}

TEST_F(Cli, TellsTheRacesOfAVariableInOne) {
  const Result result = run({"--json=r.json"}, {"race=1", "elsewhere=4", "race=2", "race=3", "end"});
  EXPECT_TRUE(has(result.err, "observed · once · R00000001\n")) << result.err;
  for (const char* id : {"R00000002", "R00000003"}) {
    EXPECT_TRUE(has(result.err, std::string("  also observed: bank.cpp:14 write / bank.cpp:19 read · ") + id + "\n"))
        << result.err;
  }
  EXPECT_TRUE(has(result.err, "predicted · once · R00000004\n")) << result.err;
  EXPECT_TRUE(has(result.err, "norn: 4 races (3 observed, 1 predicted) on 2 variables; ")) << result.err;
  EXPECT_EQ(Json::parse(read_file(directory_ / "r.json"))["races"].size(), 4u);
}

TEST_F(Cli, TellsRacesOnTheSameBytesOfAStrippedProgramInOne) {
  const Result result = run({}, {"stripped=1", "stripped=2", "predicted=3", "end"});
  EXPECT_TRUE(has(result.err, "observed · once · R00000001\n")) << result.err;
  EXPECT_TRUE(has(result.err, "  also observed: bank+0x2 write / bank+0x2 read · R00000002\n")) << result.err;
  EXPECT_TRUE(has(result.err, "  also predicted: bank.cpp:14 write / bank.cpp:19 read · R00000003\n")) << result.err;
  EXPECT_TRUE(has(result.err, "3 races (2 observed, 1 predicted)")) << result.err;
}

TEST_F(Cli, Suppressions) {
  write("my.supp", "race:deposit  # owner: ann\nrace:nothing\nrace:old  # expires: 2000-01-01 owner: bob\n");
  const Result result = run({"--suppressions=my.supp"}, {"race=1", "end"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_FALSE(has(result.err, "R00000001"));
  EXPECT_TRUE(has(result.err, "norn: no races, 1 suppressed;")) << result.err;
  EXPECT_TRUE(
      has(result.err, "norn: my.supp:3: race:old (owner: bob) expired on 2000-01-01 and no longer suppresses\n"))
      << result.err;
  EXPECT_FALSE(has(result.err, "stale"));
  const Result verbose = run({"--suppressions=my.supp", "--verbose=suppressions"}, {"race=1", "end"});
  EXPECT_TRUE(has(verbose.err, "norn: my.supp:1: race:deposit (owner: ann) suppressed 1 race\n")) << verbose.err;
  EXPECT_TRUE(has(verbose.err, "norn: my.supp:2: race:nothing is stale: it matched nothing in this run\n"));
}

TEST_F(Cli, Files) {
  const Result result = run({"--json=r.json", "--sarif=r.sarif", "--xml=r.xml", "--html=r.html", "--output=r.txt"},
                            {"race=1", "end", "exit=4"});
  EXPECT_EQ(result.exit, 66);
  EXPECT_EQ(result.err, "");
  const Json json = Json::parse(read_file(directory_ / "r.json"));
  EXPECT_EQ(json["races"][0]["id"], "00000001");
  EXPECT_EQ(json["exit"], 4);
  EXPECT_EQ(json["program"], FAKE_PROGRAM);
  EXPECT_EQ(Json::parse(read_file(directory_ / "r.sarif"))["version"], "2.1.0");
  EXPECT_TRUE(has(read_file(directory_ / "r.xml"), "<protocolversion>4</protocolversion>"));
  EXPECT_TRUE(has(read_file(directory_ / "r.html"), "<!doctype html>"));
  EXPECT_TRUE(has(read_file(directory_ / "r.txt"), "norn: 1 race"));
  const Result unwritable = run({"--json=/nowhere/r.json"}, {"end"});
  EXPECT_EQ(unwritable.exit, 2);
  EXPECT_TRUE(has(unwritable.err, "norn: /nowhere/r.json: No such file or directory\n"));
}

TEST_F(Cli, Formats) {
  const Result github = run({"--format=github", "--junit=r.xml", "--markdown=r.md", "--tsan=r.log"}, {"race=1", "end"});
  EXPECT_EQ(github.exit, 66);
  EXPECT_TRUE(github.err.starts_with("::error file=bank.cpp,line=14,")) << github.err;
  EXPECT_EQ(lines(github.err), 1u);
  EXPECT_TRUE(has(read_file(directory_ / "r.xml"), "<testsuites>"));
  EXPECT_TRUE(has(read_file(directory_ / "r.md"), "| observed | race on account.balance |"));
  EXPECT_TRUE(has(read_file(directory_ / "r.log"), "WARNING: ThreadSanitizer: data race (pid="));
  EXPECT_EQ(norn({"report", "--format=tsan"}).out, read_file(directory_ / "r.log"));
  EXPECT_EQ(norn({"report", "--format=github"}).out, github.err);
  expect_misuse(
      {"run", "--format=tsna", "--", FAKE_PROGRAM},
      "--format=tsna is not one of text, json, sarif, xml, html, tsan, junit, github or markdown; did you mean "
      "tsan?");
}

// ---- afterwards ----

TEST_F(Cli, ShowListsAndShows) {
  run({}, {"race=12", "race=13", "count=13,5000", "end"});
  const Result list = norn({"show"});
  EXPECT_EQ(list.exit, 0);
  EXPECT_TRUE(
      list.out.starts_with("R00000012  observed         1×  account.balance  bank.cpp:14 write / bank.cpp:19 "
                           "read\nR00000013  observed     5,000×"))
      << list.out;
  const Result one = norn({"show", "R00000012"});
  EXPECT_EQ(one.exit, 0);
  EXPECT_TRUE(has(one.out, "pthread_create")) << "nothing is folded: " << one.out;
  expect_misuse({"show", "R0000001"}, "R0000001 is the beginning of 2 races; say more of it: R00000012, R00000013");
  expect_misuse({"show", "Rdeadbeef"},
                "no race Rdeadbeef in this run; the nearest: R00000012, R00000013 (norn show lists all)");
}

// What norn check and norn confirm add to a run's findings stands beside what was detected, and takes nothing away.
TEST_F(Cli, ShowsWhatWasConfirmed) {
  run({}, {"race=1", "race=2", "predicted=3", "race=4", "end"});
  const std::string before = norn({"show"}).out;
  EXPECT_FALSE(has(before, "runs")) << "nobody tried: " << before;
  std::ofstream(directory_ / ".norn/runs/1/findings.jsonl", std::ios::app)
      << R"({"record":"confirmation","pid":7,"id":"00000001","runs":20,"strategy":"pct"})" << "\n\n"
      << R"({"record":"confirmation","pid":7,"id":"00000003","runs":20,"confirmed":18,"token":"n2abc"})" << "\n";
  const std::string after = norn({"show"}).out;
  EXPECT_TRUE(after.starts_with("R00000003  confirmed")) << after;
  EXPECT_TRUE(has(after, "\n    confirmed in 18 of 20 runs; replay: norn replay n2abc -- " FAKE_PROGRAM)) << after;
  EXPECT_TRUE(has(after, "\nR00000001  observed ")) << after;
  EXPECT_TRUE(has(after, "\n    observed · not met in 20 runs\nR00000002  observed ")) << after;
  EXPECT_TRUE(has(after, "norn: 4 races (1 confirmed, 3 observed, 0 predicted)")) << after;
  EXPECT_TRUE(has(norn({"show", "R00000001"}).out, "observed · not met in 20 runs · once · R00000001\n"));
  EXPECT_TRUE(has(norn({"show", "R00000003"}).out, "  next: norn replay n2abc -- " FAKE_PROGRAM));

  const Json races = Json::parse(norn({"report", "--json"}).out)["races"];
  EXPECT_EQ(races[0]["standing"], "confirmed");
  EXPECT_EQ(races[0]["detection"]["standing"], "predicted");
  EXPECT_EQ(races[0]["confirmation"]["token"], "n2abc");
  EXPECT_EQ(races[1]["standing"], "observed");
  EXPECT_EQ(races[1]["confirmation"], (Json{{"runs", 20}, {"confirmed", 0}, {"token", nullptr}, {"strategy", "pct"}}));
  EXPECT_TRUE(races[2]["confirmation"].is_null());
}

TEST_F(Cli, ShowWithoutRuns) {
  const Result result = norn({"show"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_EQ(lines(result.err), 1u);
  EXPECT_TRUE(has(result.err, "type: norn run -- ./program"));
  EXPECT_EQ(norn({"show", "--runs"}).exit, 0);
}

TEST_F(Cli, KeepsTenRuns) {
  for (int i = 1; i <= 13; ++i) run({}, {"race=" + std::to_string(i), "end"});
  size_t kept = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(directory_ / ".norn/runs")) ++kept;
  EXPECT_EQ(kept, 10u);
  EXPECT_TRUE(has(norn({"show"}).out, "R00000013"));
  EXPECT_TRUE(has(norn({"show", "--run=7"}).out, "R00000007"));
  EXPECT_EQ(norn({"show", "--run=3"}).exit, 2);
  EXPECT_EQ(lines(norn({"show", "--runs"}).out), 10u);
  EXPECT_EQ(read_file(directory_ / ".norn/.gitignore"), "*\n");
}

TEST_F(Cli, ParallelRunsDoNotMeet) {
  std::vector<pid_t> pids;
  pids.reserve(12);
  for (int i = 0; i < 12; ++i)
    pids.push_back(start({NORN_PROGRAM, "run", "--", FAKE_PROGRAM, "race=" + std::to_string(i), "end"}));
  for (const pid_t pid : pids) {
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 66);
  }
  for (const auto& entry : fs::directory_iterator(directory_ / ".norn/runs"))
    EXPECT_EQ(lines(read_file(entry.path() / "findings.jsonl")), 3u) << entry.path();
}

TEST_F(Cli, NornDir) {
  environment_ = {{"NORN_DIR", (directory_ / "elsewhere").string()}};
  run({}, {"race=1", "end"});
  EXPECT_TRUE(fs::exists(directory_ / "elsewhere/last/findings.jsonl"));
  EXPECT_FALSE(fs::exists(directory_ / ".norn"));
}

TEST_F(Cli, UnwritableDirectoryIsSaid) {
  write("file", "");
  environment_ = {{"NORN_DIR", (directory_ / "file").string()}, {"TMPDIR", directory_.string()}};
  const Result result = run({}, {"race=1", "end"});
  EXPECT_EQ(result.exit, 66);
  EXPECT_TRUE(has(result.err, "cannot be written (Not a directory); this run's findings are in ")) << result.err;
}

TEST_F(Cli, ReportRendersAgain) {
  run({}, {"race=1", "end"});
  const Result text = norn({"report"});
  EXPECT_EQ(text.exit, 0);
  EXPECT_TRUE(has(text.out, "norn: race on account.balance"));
  const Result json = norn({"report", "--json=-"});
  EXPECT_EQ(Json::parse(json.out)["races"].size(), 1u);
  fs::copy_file(directory_ / ".norn/last/findings.jsonl", directory_ / "a.jsonl");
  run({}, {"race=1", "race=2", "end"});
  fs::copy_file(directory_ / ".norn/last/findings.jsonl", directory_ / "b.jsonl");
  EXPECT_EQ(norn({"report", "--run=1", "--json"}).out, json.out);
  EXPECT_EQ(norn({"report", "--json=r.json", "a.jsonl"}).out, "");
  EXPECT_EQ(Json::parse(read_file(directory_ / "r.json"))["races"].size(), 1u);
  const Json both = Json::parse(norn({"report", "--json", "a.jsonl", "b.jsonl"}).out);
  ASSERT_EQ(both["races"].size(), 2u);
  EXPECT_EQ(both["races"][0]["count"], 2) << "the same race in two runs is one race";
}

TEST_F(Cli, ReportOfForeignFiles) {
  write("foreign", "hello\nworld\n");
  expect_misuse({"report", "foreign"}, "foreign: not a file of norn's findings");
  expect_misuse({"report", "nowhere"}, "nowhere: No such file or directory");
  write("empty", "\n");
  expect_misuse({"report", "empty"}, "empty: it is empty: no findings of norn's");
  const Result foreign = run({}, {"foreign"});
  EXPECT_EQ(foreign.exit, 2);
  EXPECT_TRUE(has(foreign.err, "not a file of norn's findings"));
}

TEST_F(Cli, ReportOfATruncatedFile) {
  run({}, {"race=1", "race=2", "end"});
  const std::string whole = read_file(directory_ / ".norn/last/findings.jsonl");
  write("cut", whole.substr(0, whole.rfind("{\"record\":\"race\"") + 100));
  const Result result = norn({"report", "cut"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_TRUE(has(result.out, "R00000001"));
  EXPECT_FALSE(has(result.out, "R00000002"));
  EXPECT_TRUE(has(result.out, "end in the middle of a record"));
}

// ---- help ----

TEST_F(Cli, Help) {
  const Result help = norn({"--help"});
  EXPECT_EQ(help.exit, 0);
  for (const char* verb : {"run", "show", "report", "doctor"}) {
    EXPECT_TRUE(has(help.out, std::string("\n  ") + verb + " ")) << verb;
    const Result one = norn({verb, "--help"});
    EXPECT_EQ(one.exit, 0);
    EXPECT_TRUE(has(one.out, "Examples:\n")) << one.out;
    EXPECT_EQ(norn({"help", verb}).out, one.out);
  }
  EXPECT_TRUE(has(norn({"run", "--help"}).out, "--engine=hybrid|hb|msm-short|msm-long"));
  EXPECT_TRUE(norn({"--version"}).out.starts_with("norn "));
}

}  // namespace
}  // namespace norn::cli::tests
