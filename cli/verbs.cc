// The table of verbs, and what all of them share: help and the parsing of arguments.
#include <fmt/format.h>

#include <algorithm>

#include "base/string_sink.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "options/run_settings.h"

namespace norn::cli {
namespace {

constexpr Verb kVerbs[] = {
    {"run", "[options] -- program [arguments]", "run a program and report its data races",
     "Runs a program that was built with norn-cc or norn-c++ and reports the data races it shows.\n"
     "\n"
     "The program's output, input and signals are its own. The report goes to stderr when it ends, whatever way it\n"
     "ends, and stays in .norn/ for `norn show` and `norn report`. The exit status is the program's own, or 66 if\n"
     "there were races (see --fail-on); 2 if norn itself was asked for something it cannot do.",
     "norn run -- ./bank 100               run, report, exit with 66 if it races\n"
     "norn run --sarif=races.sarif -- ./t  also write a file for code scanning\n"
     "norn run --suppressions=tsan.supp -- ./server\n"
     "norn run --format=tsan -- ./t        for scripts that read ThreadSanitizer's reports\n"
     "norn run --fail-on=none -- ./t       report, but keep the program's exit status\n"
     "norn run --launcher -- make check    make is not instrumented, what it starts is",
     run},
    {"show", "[race] [options]", "show what is known of the races of the last run",
     "Without a race: one line for each race of the run. With the id of one (or its beginning): everything that is\n"
     "known of it, with whole stacks and nothing folded, and its history: when it was seen, confirmed, accepted, and\n"
     "what people said of it. A race that the last run did not show is shown as the casebook knows it.",
     "norn show                            the races of the last run\n"
     "norn show R3f9c                      one of them, in full\n"
     "norn show --flags                    the variables used as flags without being atomic\n"
     "norn show --runs                     the runs that are kept\n"
     "norn show --run=12                   the races of an earlier run",
     show},
    {"report", "[options] [file...]", "render findings as text, JSON, SARIF, XML, HTML, Markdown and more",
     "Renders what runs have found, without running anything again: of the last run, or of the findings files given\n"
     "(of several processes, machines or days: the same race is one race). Without =FILE a rendering goes to stdout.",
     "norn report --html=races.html        a page of the last run\n"
     "norn report --json | jq .races       for programs\n"
     "norn report --markdown=races.md      for a pull request\n"
     "norn report --text ci/*.jsonl        several runs as one",
     report},
    {"check", "[options] -- program [arguments]", "run, confirm everything found, explore; one verdict for each race",
     "Runs the program as `norn run` does, then confirms each race it found as `norn confirm` does, and explores "
     "other\n"
     "schedules with the time that is left: one verdict for each race, the most harmful first, with a token to replay\n"
     "it. It ends within its budget, a minute if nothing else is said, and earlier if schedules show nothing new. The\n"
     "exit status is the program's own, or 66 if a race was observed or confirmed, or a schedule went wrong (see\n"
     "--fail-on).",
     "norn check -- ./bank 100\n"
     "norn check --budget=600 --fail-on=confirmed -- ./bank\n"
     "norn check --runs=100 --json=races.json -- ./bank",
     check},
    {"confirm", "RACE...|--all|--explore [options] -- program [arguments]",
     "bring the two statements of a race together, and see what it does",
     "Runs the program again, many times, one thread at a time, with schedules that hold a thread back at one of the\n"
     "race's statements until another thread stands at the other one. Then the race is real: it is confirmed, and\n"
     "goes on in one order or the other. What the runs did is told: crashes, failed assertions, other output. Each\n"
     "such run has a token that `norn replay` takes. The exit status is 66 if anything was confirmed.\n"
     "\n"
     "Races are those of the last `norn run`, or of the file given by --from. --explore looks for crashes, failed\n"
     "assertions and deadlocks in schedules of its own. Unless a strategy is named, all of them take turns and share\n"
     "what each has seen; exploring ends after a minute, or when 300 schedules have shown nothing new.",
     "norn confirm R3f9c -- ./bank 100     one race of the last run\n"
     "norn confirm --all --runs=100 -- ./bank\n"
     "norn confirm --from=tsan.log --all -- ./bank\n"
     "norn confirm R3f9c --minimize -- ./bank\n"
     "norn confirm --explore --budget=600 -- ./bank\n"
     "norn confirm --explore --strategy=pct --runs=1000 -- ./bank",
     confirm},
    {"classify", "RACE...|--all [options] -- program [arguments]", "say what a race does to the program, with evidence",
     "Brings the two accesses of a race together, as `norn confirm` does, and runs the program to its end in both\n"
     "orders, under the same schedules. Four classes, the most harmful first: spec-violated (one order crashes, uses\n"
     "freed memory, deadlocks, hangs, fails an assertion), output-differs, k-witness-harmless (k pairs of runs ended\n"
     "alike), single-ordering (only one order is possible). What shows it has a token that `norn replay` takes. What "
     "is\n"
     "not known is said to be not classified, and why. The exit status is 66 if a race is spec-violated.\n"
     "\n"
     "Races are those of the program's last run, which is made if there is none. Other inputs may show other things:\n"
     "each --input (its standard input) and each --args is one more. What else must hold, a --predicate over global\n"
     "variables or a --judge of the output says. --what-if asks which races follow if a lock is not taken.",
     "norn classify R3f9c -- ./bank 100    one race of the last run\n"
     "norn classify --all -- ./bank 100\n"
     "norn classify --all --args=\"7 -v\" --args=\"0\" -- ./bank 100\n"
     "norn classify --all --input=small.txt --input=large.txt -- ./parse\n"
     "norn classify --all --predicate='total == 100 || moving' -- ./bank 100\n"
     "norn classify --what-if=bank.cpp:16 -- ./bank 100\n"
     "norn classify --all --json=classes.json -- ./bank 100",
     classify_races},
    {"replay", "TOKEN [options] -- program [arguments]", "run a schedule again that norn confirm found",
     "Runs the program with the schedule that the token stands for, in front of you: its input, output and exit "
     "status\n"
     "are the program's. Says whether the same decisions were taken at the same places, or which one was the first\n"
     "that differs. A token belongs to one build of one program.",
     "norn replay n2AgAB... -- ./bank 100\n"
     "norn replay n2AgAB... --gdb -- ./bank 100\n"
     "norn replay .norn/schedules/R3f9c1a02.schedule -- ./bank 100",
     replay},
    {"list", "[options]", "list the races that are known, over all runs",
     "One line for each race in the casebook, which every norn run, check, confirm and replay adds to: how it stands,\n"
     "how often it was seen, when last, on what and where. The strongest come first, of these the latest.",
     "norn list                            all races that are known\n"
     "norn list --new                      only what the latest build has brought\n"
     "norn list --since=2026-03-01 --standing=observed,confirmed\n"
     "norn list --file=src/pool.cpp\n"
     "norn list --accepted                 what does not count, and why",
     list},
    {"note", "RACE TEXT", "keep what you know of a race",
     "Adds a note to a race in the casebook, with your name and the time; `norn show RACE` tells it.",
     "norn note R3f9c \"only at shutdown; see the pull request about the pool\"", note},
    {"accept", "RACE --reason=TEXT [options]", "let a race or hazard not count, for a reason, until a day",
     "An accepted race is still recorded, but it does not change the exit status, and reports count it apart. With\n"
     "--until it counts again from that day on. Everything that was said of it stays in its history.",
     "norn accept R3f9c --reason=\"goes away with the cache\" --owner=ann --until=2027-03-01\n"
     "norn accept R3f9c --withdraw         it counts again",
     accept},
    {"diff", "BASE [NOW]", "which races are new, gone, or still there",
     "Compares two sides: a casebook file (or a findings file), or the number of a run. Without NOW: with a file, all\n"
     "that the casebook here knows; with a run, the last one. The exit status is 66 if there are new races (see\n"
     "--fail-on), accepted and suppressed ones not counted. A race counts as gone only if its program was run again.",
     "norn diff main.db                    what this branch brought, in CI\n"
     "norn diff 12                         the last run beside run 12\n"
     "norn diff 12 14                      run 14 beside run 12",
     diff},
    {"merge", "FILE...", "add what other casebooks and findings files know",
     "Adds all facts of other casebooks to this one, and those of findings files (findings.jsonl, also of earlier\n"
     "versions). A fact that is known already is not added again, so that a file may be merged twice.",
     "norn merge ci-1/casebook.db ci-2/casebook.db\n"
     "norn merge --casebook=all.db */.norn/casebook.db\n"
     "norn merge old/.norn/runs/*/findings.jsonl",
     merge},
    {"export", "[options]", "write the whole casebook as JSON",
     "Everything that the casebook has, table by table (docs/casebook.md). The same facts make the same bytes; times\n"
     "are universal.",
     "norn export | jq '.races[].variable'\n"
     "norn export --casebook=main.db --output=main.json",
     export_all},
    {"image", "[options] PROGRAM", "what a program carries of itself: modules, recipe, holes",
     "A program or library built by norn-cc or norn-c++ has its own bitcode and the recipe of its link in its file "
     "(never\n"
     "in memory). This verb checks it and tells the modules it was made of, how it was linked, and which of its\n"
     "functions have no bitcode: those of foreign objects and of assembly. Objects and archives have images, too.",
     "norn image ./bank\n"
     "norn image --holes ./bank            all functions without bitcode\n"
     "norn image --json build/libbank.so   for programs",
     image},
    {"build", "[options] PROGRAM -o FILE", "build a program again from its image, for another use",
     "Compiles and links the program again from its own image: no source, no build directory is needed, only the "
     "system's\n"
     "libraries. Statements keep their identity, so races are the same races in every build of one image.",
     "norn build --profile=sampling ./server -o server.sampling\n"
     "norn build --profile=production ./server -o server.plain",
     build},
    {"completion", "bash|zsh|fish", "what a shell needs to complete norn's verbs and options",
     "Writes a script for the shell: verbs, their options and values, and the ids of races that are known here.",
     "norn completion bash > ~/.local/share/bash-completion/completions/norn\n"
     "norn completion zsh > ~/.zfunc/_norn                         with fpath+=~/.zfunc in .zshrc\n"
     "norn completion fish > ~/.config/fish/completions/norn.fish",
     completion},
    {"record", "[options] -- program [arguments]", "run a program and keep every event of it, for norn analyze",
     "Runs a program as `norn run` does, and writes what it did into a trace: every access, every synchronization, in\n"
     "the order in which they happened, with all that reports need. `norn analyze` judges it later, with any engine, "
     "as\n"
     "often as you like: one and the same execution. A program that is killed loses nothing that it did. Recording is\n"
     "slow: threads take turns. Programs built with -fnorn-profile=sampling record what they look at.",
     "norn record -- ./bank 100\n"
     "norn record --out=bank.trace -- ./bank 100\n"
     "norn analyze --engine=hb bank.trace",
     record},
    {"analyze", "[options] [DIR]", "find the races of a recorded program",
     "Applies an engine to the trace that `norn record` wrote (without DIR: in the last run) and reports as `norn "
     "run`\n"
     "does: the same races have the same names, and go into the casebook. Without --engine, the engine and the "
     "options\n"
     "are those of the recorded run, and so are the races. A trace that is cut is analysed up to there, which is "
     "said.\n"
     "--engine=sync-preserving, which judges traces alone, proves races: a reordering of the trace, which the program "
     "can\n"
     "do as well, has the two accesses side by side. --witness=FILE writes these reorderings.",
     "norn analyze                         the trace of the last run\n"
     "norn analyze --engine=hb bank.trace\n"
     "norn analyze --engine=sync-preserving --witness=bank.witness bank.trace\n"
     "norn analyze --engine=msm-long --json=races.json bank.trace",
     analyze_trace},
    {"trace", "stat|dump|check|export DIR, import FILE DIR, witness FILE", "look at a trace; to and from other tools",
     "stat says what is in a trace: events by kind, threads, size, how it ended. dump prints every event in order, "
     "with\n"
     "where it happened. check reads all of it and says whether anything is missing (exit status 1 if so). export "
     "prints\n"
     "it in the STD format of RAPID (T0|r(V1)|loc), import makes a trace of such a text. witness checks what\n"
     "`norn analyze --witness=FILE` wrote (exit status 1 if a reordering is none of its trace).",
     "norn trace stat bank.trace\n"
     "norn trace dump bank.trace | grep lock-acquire\n"
     "norn trace check bank.trace\n"
     "norn trace export bank.trace > bank.std\n"
     "norn trace import account.std account.trace && norn analyze account.trace",
     trace_tool},
    {"samplers", "[options] DIR...", "what samplers would have logged and found of full traces",
     "Of executions that were recorded in full (built with -fnorn-profile=trace): what the samplers that LiteRace was\n"
     "compared with, and norn's own sampling profile, would have logged, and which races they would have found. Each\n"
     "DIR is one execution, or a file that --json wrote. Executions of one program are taken together: means of "
     "rates,\n"
     "medians of numbers of races.",
     "norn-c++ -g -O1 -fnorn-profile=trace bank.cpp -o bank\n"
     "norn record --out=bank.trace -- ./bank && norn samplers bank.trace\n"
     "norn samplers --json=1.json --name=bank bank.trace\n"
     "norn samplers --svg=samplers.svg *.json",
     compare_samplers},
    {"static", "[options] PROGRAM", "what may race, from the program's image; nothing is run",
     "Analyses the whole program from its image (see norn image), and its libraries that have one: which pairs of\n"
     "statements may access the same memory at the same time, at least one of them writing, without a common lock. "
     "Each\n"
     "has the identity that the race would have in norn run, and what speaks for it: the object, the threads, the "
     "locks\n"
     "held, a way to each access. The likeliest come first, those of one variable together. Most are no races: what\n"
     "orders threads without locks is mostly not seen. What the analysis cannot see is named.",
     "norn static ./server\n"
     "norn static --json ./server | jq '.races | length'\n"
     "norn static --verbose=threads ./server   which threads it has, and who creates them",
     static_races},
    {"hive", "VERB [options]", "races validated in production, by those who run the program",
     "run      validate a program's candidates on this machine, without set-up\n"
     "simulate a fleet on one machine\n"
     "agent    between the programs of this machine and their hive\n"
     "serve    the server: gives tasks, takes results, tells verdicts\n"
     "token    who may speak to it, and as what\n"
     "submit   give it a program to validate\n"
     "status   what it knows: programs, verdicts, sites\n"
     "\n"
     "A hive knows what may race in a program (norn static). Those who run the program validate it, each a little:\n"
     "a site is given one candidate, and says what it saw. docs/hive.md shows how to begin.",
     "norn help hive serve\n"
     "norn hive serve\n"
     "norn hive status",
     hive},
    {"doctor", "", "can this machine run everything, and if not, what to type",
     "Checks the compiler, norn's own parts, the machine's settings, and finds a race in a small program. Exits with\n"
     "0 if all that norn needs is there, with 1 if not.",
     "norn doctor", doctor},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

const Verb* find_verb(std::string_view name) {
  for (const Verb& verb : kVerbs)
    if (verb.name == name) return &verb;
  return nullptr;
}

}  // namespace norn::cli
