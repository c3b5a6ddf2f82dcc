// norn doctor: can this machine run everything, and if not, what to type.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "experiment/binary.h"
#include "options/run_settings.h"
#include "report/whole_file.h"

namespace norn::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRacyProgram = R"(#include <pthread.h>
int counter;
static void* count(void* unused) {
  for (int i = 0; i < 1000; ++i) counter++;
  return unused;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, count, 0);
  pthread_create(&two, 0, count, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
)";

// The address space that shadow memory is laid out in.
constexpr size_t kReservation = size_t{1} << 42;

struct Captured {
  int status = -1;  // as of a shell: 127 if it is not there
  std::string output;
};

// Runs a command without input; stdout and stderr together.
Captured capture(const std::vector<std::string>& command) {
  Captured captured;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return captured;
  const pid_t pid = fork();
  if (pid == 0) {
    std::vector<char*> argv;
    argv.reserve(command.size() + 1);
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, 0);
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  char block[4096];
  for (ssize_t got = 0; (got = read(ends[0], block, sizeof(block))) > 0;)
    captured.output.append(block, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  if (pid > 0 && waitpid(pid, &status, 0) == pid)
    captured.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return captured;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string own_path() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).string();
}

class Doctor {
 public:
  Doctor() : self_(own_path()), color_(wants_color(1, options::ColorMode::kAuto)) {}

  int examine() {
    compilers();
    parts();
    machine();
    real_race();
    optional_tools();
    fmt::print("\n{}\n", ill_ == 0 ? "norn can run everything here." : fmt::format("{} to fix.", ill_));
    return ill_ == 0 ? 0 : 1;
  }

 private:
  void line(const char* mark, const char* code, const std::string& words) const {
    fmt::print("{}{}{} {}\n", color_ ? code : "", mark, color_ ? "\033[0m" : "", words);
    std::fflush(stdout);
  }
  void good(const std::string& words) const { line("✓", "\033[32m", words); }
  void bad(const std::string& words, const std::string& remedy) {
    ++ill_;
    line("✗", "\033[31m", words);
    fmt::print("    type: {}\n", remedy);
  }
  // Not there, and norn goes on without it.
  void missing(const std::string& words, const std::string& remedy) const {
    line("–", "\033[33m", words);
    fmt::print("    type: {}\n", remedy);
  }

  void compilers() {
    const Captured clang = capture({"clang-19", "--version"});
    if (clang.status == 0) {
      good(first_line(clang.output));
    } else {
      bad("clang-19 is not installed", "apt-get install clang-19");
    }
  }

  void parts() {
    const fs::path bin = fs::path(self_).parent_path();
    for (const char* driver : {"norn-cc", "norn-c++"}) {
      if (access((bin / driver).c_str(), X_OK) == 0) {
        good(fmt::format("{} is beside norn", driver));
      } else {
        bad(fmt::format("{} is not in {}", driver, bin.string()), "make build (or make install)");
      }
    }
    const fs::path lib = bin.parent_path() / "lib" / "norn";
    std::string absent;
    std::error_code error;
    for (const char* part : {"libnorn-plugin.so", "libnorn-frontend.so", "libnorn-rt.a"})
      if (!fs::exists(lib / part, error)) absent += (absent.empty() ? "" : ", ") + std::string(part);
    const std::string where = lib.lexically_normal().string();
    if (absent.empty()) {
      good(fmt::format("the compiler's plugins and the runtime are in {}", where));
    } else {
      bad(fmt::format("not in {}: {}", where, absent), "make build (or make install)");
    }
    if (experiment::has_binary_front_end()) {
      good("the Valgrind front end for unmodified programs is there");
    } else {
      missing("norn was built without valgrind 3.19: unmodified programs cannot be checked",
              "apt-get install valgrind && make build");
    }
  }

  void machine() {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    if (limit.rlim_cur == RLIM_INFINITY) {
      good("address space is not limited");
    } else {
      bad(fmt::format("address space is limited to {} MB (ulimit -v); shadow memory does not fit",
                      limit.rlim_cur >> 20),
          "ulimit -v unlimited");
    }
    std::ifstream overcommit_file("/proc/sys/vm/overcommit_memory");
    std::string overcommit = "?";
    overcommit_file >> overcommit;
    void* reserved = mmap(nullptr, kReservation, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved != MAP_FAILED) {
      munmap(reserved, kReservation);
      good(fmt::format("shadow memory can be reserved (vm.overcommit_memory={})", overcommit));
    } else {
      bad(fmt::format("{} TB of address space cannot be reserved (vm.overcommit_memory={})", kReservation >> 40,
                      overcommit),
          "sysctl vm.overcommit_memory=0");
    }
    std::ifstream randomize_file("/proc/sys/kernel/randomize_va_space");
    std::ifstream bits_file("/proc/sys/vm/mmap_rnd_bits");
    std::string randomize = "?", bits = "?";
    randomize_file >> randomize;
    bits_file >> bits;
    const bool off = (personality(0xffffffff) & ADDR_NO_RANDOMIZE) != 0;
    good(fmt::format("addresses are {} (kernel.randomize_va_space={}, vm.mmap_rnd_bits={}); norn takes either",
                     off || randomize == "0" ? "not randomized" : "randomized", randomize, bits));
  }

  // The whole way: compile, run, detect, name the variable.
  void real_race() {
    std::string directory = (fs::temp_directory_path() / "norn-doctor-XXXXXX").string();
    if (mkdtemp(directory.data()) == nullptr) {
      bad(fmt::format("{} cannot be written", fs::temp_directory_path().string()), "export TMPDIR=DIRECTORY");
      return;
    }
    examine_race(directory);
    std::error_code error;
    fs::remove_all(directory, error);
  }

  void examine_race(const std::string& directory) {
    const std::string source = directory + "/race.c", program = directory + "/race", json = directory + "/race.json";
    std::ofstream(source) << kRacyProgram;
    const std::string compiler = (fs::path(self_).parent_path() / "norn-cc").string();
    const Captured compiled = capture({compiler, "-g", "-O1", source, "-o", program, "-lpthread"});
    if (compiled.status != 0) {
      bad(fmt::format("a small program does not compile with norn-cc: {}",
                      compiled.output.empty() ? "it does not start" : first_line(compiled.output)),
          "make build, then norn doctor again");
      return;
    }
    for (const char* name : {"NORN_OPTIONS", "TSAN_OPTIONS"}) unsetenv(name);
    setenv("NORN_DIR", (directory + "/.norn").c_str(), 1);
    const Captured ran = capture({self_, "run", "--json=" + json, "--", program});
    std::string error;
    const auto contents = report::read_whole_file(json, error);
    const auto report = nlohmann::json::parse(contents.value_or(""), nullptr, false);
    bool found = false;
    if (report.is_object() && report.contains("races"))
      for (const auto& race : report["races"]) found = found || race["location"]["name"] == "counter";
    if (found && ran.status == 66) {
      good("a race was compiled, run and found: counter, exit status 66");
    } else {
      bad(fmt::format("the race of a small program was not found (exit status {}): {}", ran.status,
                      first_line(ran.output)),
          "norn run --verbose -- a program of yours, and tell us what it says");
    }
  }

  void optional_tools() const {
    const Captured gdb = capture({"gdb", "--version"});
    if (gdb.status == 0) {
      good(first_line(gdb.output));
    } else {
      missing("gdb is not installed: no stopping at a race", "apt-get install gdb");
    }
  }

  std::string self_;
  bool color_;
  int ill_ = 0;
};

}  // namespace

int doctor(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  if (!app.remaining().empty()) {
    complain("norn doctor takes no words: it looks at the machine, not at a program");
    return kMisuse;
  }
  return Doctor().examine();
}

}  // namespace norn::cli
