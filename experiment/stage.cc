#include "experiment/stage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "experiment/child.h"
#include "experiment/fork_server.h"
#include "experiment/program.h"
#include "report/whole_file.h"
#include "schedule/input_log.h"
#include "schedule/log.h"
#include "schedule/strategies.h"

namespace norn::experiment {
namespace {

namespace fs = std::filesystem;
constexpr uint64_t kLogEntries = uint64_t{1} << 20;
constexpr size_t kMostOutput = size_t{1} << 20;  // that is compared and quoted

// A file of this size that begins with the header; what is behind it in a file that is there already stays, since its
// reader knows from the header how much of it counts.
template <class Header>
void prepare_file(const std::string& path, const Header& header, uint64_t size) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  [[maybe_unused]] const bool ok = write(fd, static_cast<const void*>(&header), sizeof(header)) == sizeof(header) &&
                                   ftruncate(fd, static_cast<off_t>(size)) == 0;
  close(fd);
}

// As much as there is, up to kMostOutput. Most runs write little, and there are many runs.
std::string read_beginning(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  std::string text;
  constexpr size_t kPiece = 4096;
  for (ssize_t got = 1; got > 0 && text.size() < kMostOutput;) {
    const size_t before = text.size();
    text.resize(before + std::min(std::max(before, kPiece), kMostOutput - before));
    got = read(fd, text.data() + before, text.size() - before);
    text.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
  }
  close(fd);
  return text;
}

// A file as input is read by each run from its beginning; anything else would be shared between them.
std::string input_file() {
  struct stat status{};
  return fstat(0, &status) == 0 && S_ISREG(status.st_mode) ? "/proc/self/fd/0" : "/dev/null";
}

bool read_into(schedule::Outcome& outcome, const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  stream.read(static_cast<char*>(static_cast<void*>(&outcome)), sizeof(outcome));
  return stream.gcount() == sizeof(outcome);
}

// Of use to the strategy that is guided by them, and without a candidate: then every place is as good as another.
bool marks_states(const Plan& plan) {
  return schedule::guided_by(plan.strategy) == schedule::GuidedBy::kStates && plan.sites.empty();
}

std::vector<schedule::StateMark> read_states(const std::string& path, uint64_t decisions) {
  std::vector<schedule::StateMark> marks(std::min<uint64_t>(decisions, schedule::kMarkedDecisions));
  std::ifstream stream(path, std::ios::binary);
  stream.read(static_cast<char*>(static_cast<void*>(marks.data())),
              static_cast<std::streamsize>(marks.size() * sizeof(schedule::StateMark)));
  marks.resize(static_cast<size_t>(std::max<std::streamsize>(stream.gcount(), 0)) / sizeof(schedule::StateMark));
  return marks;
}

// Grows while a controlled run gets on.
uint64_t progress_in(const std::string& path) {
  schedule::Outcome outcome;
  return read_into(outcome, path) ? outcome.decisions + outcome.accesses : 0;
}

// Stops where the candidate's threads meet or at a deadlock, and shows the program's frames, not norn's.
constexpr const char* kGdbScript = R"gdb(set breakpoint pending on
break __norn_on_meeting
break __norn_on_deadlock
python
class ProgramFrames:
    name, priority, enabled = "norn", 100, True
    def filter(self, frames):
        for frame in frames:
            where = gdb.execute("info symbol %d" % frame.inferior_frame().pc(), to_string=True)
            if "in section norn_text" not in where:
                yield frame
gdb.frame_filters["norn"] = ProgramFrames()
end
run
python
if gdb.selected_thread() and gdb.selected_frame().name() == "__norn_on_meeting":
    print("norn: its threads %s and %s stand before their statements; %s goes first"
          % (gdb.parse_and_eval("$edi"), gdb.parse_and_eval("$esi"), gdb.parse_and_eval("$edi")))
end
thread apply all backtrace 12
)gdb";

double processor_seconds(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Files that are made, mapped and read in each run are best kept where no disk is: that saves a run a tenth of its
// time. (What the program writes can be long, and stays where temporary files belong.)
std::string make_directory(const fs::path& parent) {
  std::string name = (parent / "norn-runs-XXXXXX").string();
  return mkdtemp(name.data()) == nullptr ? "" : name;
}

std::string make_fast_directory() {
  constexpr const char* kMemory = "/dev/shm";
  constexpr uintmax_t kEnough = uintmax_t{1} << 30;
  std::error_code error;
  const fs::space_info space = fs::space(kMemory, error);
  return error || space.available < kEnough ? "" : make_directory(kMemory);
}

}  // namespace

uint32_t hash_of_file(const std::string& path) {
  const uint64_t hash = report::hash_of_file(path);
  return static_cast<uint32_t>(hash ^ hash >> 32);
}

Stage::Stage(std::string path, std::vector<std::string> command, const options::OptionList& options)
    : path_(std::move(path)), command_(std::move(command)), options_(options), program_hash_(hash_of_file(path_)) {
  std::error_code error;
  directory_ = make_directory(fs::temp_directory_path(error));
  fast_directory_ = make_fast_directory();
  if (fast_directory_.empty()) fast_directory_ = directory_;
  // Whoever is started from here has its memory always at the same addresses. Where that is not allowed, a program that
  // depends on them may not replay, and is noticed.
  personality(ADDR_NO_RANDOMIZE | static_cast<unsigned long>(personality(0xffffffff)));
  Program program;
  std::string none;
  serves_ = find_program(path_, program, none) && program.kind == ProgramKind::kInstrumented;
}

Stage::~Stage() {
  std::error_code error;
  for (const std::string& directory : {directory_, fast_directory_})
    if (!directory.empty()) fs::remove_all(directory, error);
}

std::string Stage::fast_file(const char* name, unsigned worker) const {
  return fmt::format("{}/{}.{}", fast_directory_, name, worker);
}

std::string Stage::file(const char* name, unsigned worker) const {
  return fmt::format("{}/{}.{}", directory_, name, worker);
}

std::string Stage::options_for(const Plan& plan, unsigned worker, const std::string& expected) const {
  options::OptionList options = options_;
  options.set("exitcode", "0");
  options.set("findings", fast_file("findings", worker));
  options.set("schedule", std::string(name_of(plan.strategy)));
  options.set("seed", std::to_string(plan.seed));
  options.set("depth", std::to_string(plan.depth));
  options.set("length", std::to_string(std::max(plan.length, 1u)));
  options.set("accesses", plan.accesses ? "on" : "off");
  if (plan.memory) options.set("memory", "on");
  options.set("places", "on");
  if (!plan.sites.empty()) options.set("sites", plan.sites);
  if (!plan.guide.empty()) options.set("guide", plan.guide);
  if (!predicate_.empty()) {
    options.set("predicate", file("predicate", 0));
    options.set("predicate_text", predicate_);
  }
  if (!inputs_.empty()) options.set("inputs", inputs_);
  if (plan.order != 0) options.set("order", std::to_string(plan.order));
  options.set("outcome", fast_file("outcome", worker));
  options.set("decisions", fast_file("log", worker));
  if (!expected.empty()) options.set("expected", fs::absolute(expected).string());
  if (capture_ && prepare_capture(file("capture", worker))) options.set("capture", file("capture", worker));
  prepare_file(fast_file("outcome", worker), schedule::Outcome(), sizeof(schedule::Outcome));
  prepare_file(fast_file("log", worker), schedule::LogHeader(),
               sizeof(schedule::LogHeader) + kLogEntries * sizeof(schedule::LogEntry));
  if (marks_states(plan)) {
    options.set("states", fast_file("states", worker));
    prepare_file(fast_file("states", worker), schedule::StateMark(),
                 schedule::kMarkedDecisions * sizeof(schedule::StateMark));
  }
  std::error_code error;
  fs::remove(fast_file("findings", worker), error);
  return options.list();
}

StagedRun Stage::start(const std::string& options, unsigned worker, ForkServer* server) const {
  StagedRun run;
  const RunFiles files = {input_.empty() ? input_file() : input_, file("output", worker), file("errors", worker)};
  const auto begin = std::chrono::steady_clock::now();
  pid_t pid = server == nullptr ? 0 : server->start(options, files);
  if (pid == 0) pid = execute(options, files, run.start_error);
  if (pid == 0) return run;
  run.started = run.start_error == 0;

  const Waited waited = await_end(pid, worker);
  run.timed_out = waited == Waited::kHangs;
  run.cut = waited == Waited::kNoTime;
  if (waited != Waited::kEnded) kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  kill(-pid, SIGKILL);  // what it left behind would go on in the next run
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (WIFSIGNALED(status)) {
    run.signal = waited != Waited::kEnded ? 0 : WTERMSIG(status);
  } else {
    run.exit = WEXITSTATUS(status);
  }
  run.output = read_beginning(files.output);
  run.errors = read_beginning(files.errors);
  return run;
}

// A process that executes the program, or could not: then `error` says why. 0: there is no process either.
pid_t Stage::execute(const std::string& options, const RunFiles& files, int& error) const {
  const std::vector<std::string> variables = environment_with(options, environment_);
  const std::vector<char*> environment = pointers(variables);
  const std::vector<char*> arguments = pointers(command_);
  int trouble[2];
  if (pipe2(trouble, O_CLOEXEC) != 0) return error = errno, 0;
  const pid_t pid = fork();
  if (pid == 0) {
    // Only what is allowed after a fork of a program with threads.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    restore_failed_writes();
    const int in = open(files.input.c_str(), O_RDONLY);
    const int out = open(files.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    const int err = open(files.errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (in >= 0 && out >= 0 && err >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2) {
      for (const int fd : {in, out, err})
        if (fd > 2) close(fd);
      execve(path_.c_str(), arguments.data(), environment.data());
    }
    const int why = errno;
    [[maybe_unused]] const ssize_t written = write(trouble[1], &why, sizeof(why));
    _exit(127);
  }
  if (pid < 0) error = errno;
  close(trouble[1]);
  if (pid > 0) [[maybe_unused]]
    const ssize_t got = read(trouble[0], &error, sizeof(error));
  close(trouble[0]);
  return std::max(pid, 0);
}

ForkServer* Stage::server_for(unsigned worker) const {
  if (!serves_ || !is_controlled_) return nullptr;
  const std::lock_guard lock(servers_mutex_);
  std::unique_ptr<ForkServer>& server = servers_[worker];
  if (server == nullptr) server = std::make_unique<ForkServer>(path_, command_, environment_);
  return server.get();
}

Stage::Waited Stage::await_end(int pid, unsigned worker) const {
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  pollfd ends = {process, POLLIN, 0};
  const auto seconds_since = [](auto begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto begin = std::chrono::steady_clock::now();
  auto moved = begin;
  uint64_t before = 0;
  Waited waited = Waited::kHangs;
  for (;;) {
    const double silence = seconds_since(strictly_ ? begin : moved);
    if (silence >= timeout_ || (!strictly_ && processor_seconds(pid) >= timeout_)) break;
    constexpr double kLook = 1;
    const double left = -seconds_since(deadline_);
    if (left <= 0) {
      waited = Waited::kNoTime;
      break;
    }
    if (poll(&ends, 1, static_cast<int>(std::min({timeout_ - silence, kLook, left}) * 1000) + 1) != 0) {
      waited = Waited::kEnded;
      break;
    }
    const uint64_t now = progress_in(fast_file("outcome", worker));
    if (now == before) continue;
    before = now;
    moved = std::chrono::steady_clock::now();
  }
  close(process);
  return waited;
}

void Stage::read_outcome(const Plan& plan, unsigned worker, StagedRun& run) const {
  schedule::Outcome outcome;
  run.controlled = read_into(outcome, fast_file("outcome", worker)) && outcome.pid.load() != 0;
  run.decisions = outcome.decisions;
  run.hash = outcome.hash;
  run.preemptions = outcome.preemptions;
  run.meetings = outcome.meetings;
  run.orders = outcome.orders;
  run.sequences = outcome.sequences;
  run.enforced = outcome.enforced;
  run.let_go = outcome.let_go;
  run.memory_error.assign(outcome.memory_error, strnlen(outcome.memory_error, sizeof(outcome.memory_error)));
  run.violated.assign(outcome.violated, strnlen(outcome.violated, sizeof(outcome.violated)));
  run.predicates = outcome.predicates;
  run.held = outcome.held;
  run.left_out = outcome.left_out;
  for (uint32_t i = 0; i < std::min(outcome.taken_count, schedule::Outcome::kMostTaken); ++i)
    run.taken.push_back(fmt::format("{}:{}", outcome.taken[i].file, outcome.taken[i].line));
  run.deadlocked = outcome.deadlocked;
  run.pollers = outcome.pollers;
  run.taken_away = outcome.taken_away;
  run.kernel_returns = outcome.kernel_returns;
  run.first_meeting = outcome.first_meeting;
  std::copy(std::begin(outcome.met), std::end(outcome.met), run.met);
  run.differs_at = outcome.differs_at;
  run.inputs = outcome.inputs;
  run.inputs_came = outcome.inputs_came;
  run.inputs_differ.assign(outcome.inputs_differ, strnlen(outcome.inputs_differ, sizeof(outcome.inputs_differ)));
  run.slept = static_cast<double>(outcome.slept) / 1e9;
  for (const schedule::ReadsFromPair& pair : outcome.pairs)
    if (!pair.is_none()) run.pairs.push_back(pair);
  if (marks_states(plan) && run.controlled) run.states = read_states(fast_file("states", worker), run.decisions);
  if (capture_) {
    run.streams = read_capture(file("capture", worker), directory_);
    run.wrote_files = std::any_of(run.streams.begin(), run.streams.end(),
                                  [](const WrittenStream& stream) { return stream.name.starts_with('/'); });
    run.streams.push_back(stream_of("standard output", run.output));
    run.streams.push_back(stream_of("standard error", run.errors));
  }
  run.findings = read_beginning(fast_file("findings", worker));
}

void Stage::judge(unsigned worker, StagedRun& run) const {
  if (judge_.empty() || !run.started || run.cut || run.failed()) return;
  const std::string output = file("judged", worker);
  const std::string words = fmt::format("( {}\n) < {} > {} 2>&1", judge_, file("output", worker), output);
  const int status = std::system(words.c_str());
  if (status == 0) return;
  const std::string said = read_beginning(output);
  const std::string how =
      WIFEXITED(status) ? fmt::format("status {}", WEXITSTATUS(status)) : fmt::format("signal {}", WTERMSIG(status));
  run.violated = fmt::format("the judge \"{}\" rejects the output: {}{}{}", judge_, how, said.empty() ? "" : ", ",
                             said.substr(0, said.find('\n')));
}

bool Stage::set_predicate(const std::string& expression, const PredicateCode& code) {
  predicate_ = expression;
  const schedule::PredicateHeader header{.count = code.size()};
  std::ofstream out(file("predicate", 0), std::ios::binary);
  out.write(reinterpret_cast<const char*>(&header), sizeof(header));
  out.write(reinterpret_cast<const char*>(code.data()), static_cast<std::streamsize>(code.size() * sizeof(code[0])));
  return out.flush().good();
}

bool Stage::set_inputs(const std::string& path) {
  std::string error;
  const auto file = report::read_whole_file(path, error);
  std::vector<std::string> variables;
  const auto note = [&](const schedule::InputRecord& record, const char* bytes) {
    if (record.kind == schedule::InputKind::kVariable) variables.emplace_back(bytes, record.size);
  };
  if (!file || !schedule::visit_inputs(file->data(), file->size(), note)) return false;
  inputs_ = fs::absolute(path).string();
  inputs_hash_ = report::hash_of_file(path);
  environment_ = std::move(variables);
  return true;
}

std::string Stage::token_of(const Plan& plan, const StagedRun& run) const {
  Plan token = plan;
  token.hash = static_cast<uint32_t>(run.hash);
  token.decisions = run.decisions;
  token.program = program_hash_;
  token.predicate = predicate_;
  token.what_if = what_if_;
  token.inputs = inputs_hash_;
  return encode(token);
}

StagedRun Stage::run_plain(unsigned worker) const {
  options::OptionList options = options_;
  options.set("exitcode", "0");
  options.set("findings", "/dev/null");
  StagedRun run = start(options.list(), worker, nullptr);
  judge(worker, run);
  return run;
}

StagedRun Stage::run_detecting(unsigned worker, uint32_t seed) const {
  options::OptionList options = options_;
  options.set("exitcode", "0");
  options.set("findings", fast_file("findings", worker));
  if (!inputs_.empty()) {
    options.set("inputs", inputs_);
    options.set("schedule", std::string(name_of(schedule::StrategyKind::kRandom)));
    options.set("seed", std::to_string(seed));
  }
  std::error_code error;
  fs::remove(fast_file("findings", worker), error);
  StagedRun run = start(options.list(), worker, nullptr);
  run.findings = read_beginning(fast_file("findings", worker));
  return run;
}

StagedRun Stage::run_quietly() const {
  Plan plan;
  plan.strategy = schedule::StrategyKind::kRoundRobin;
  return run(plan, 0);
}

StagedRun Stage::run(const Plan& plan, unsigned worker, const std::string& expected) const {
  const auto run_by = [&](ForkServer* server) {
    StagedRun run = start(options_for(plan, worker, expected), worker, server);
    read_outcome(plan, worker, run);
    return run;
  };
  ForkServer* server = server_for(worker);
  StagedRun run = run_by(server);
  // A copy that did not come so far says nothing about the program.
  if (server != nullptr && !run.controlled && !run.cut) run = run_by(nullptr);
  if (run.controlled) is_controlled_ = true;
  judge(worker, run);
  return run;
}

namespace {

StagedRun of_child(const ChildEnd& end) {
  StagedRun run;
  run.started = end.started;
  run.start_error = end.start_error;
  run.exit = end.exit;
  run.signal = end.signal;
  return run;
}

}  // namespace

StagedRun Stage::perform(const Plan& plan, const std::string& expected) const {
  StagedRun run =
      of_child(run_child(path_, command_, {{"NORN_OPTIONS", options_for(plan, 0, expected)}}, 0, environment_));
  read_outcome(plan, 0, run);
  return run;
}

StagedRun Stage::debug(const Plan& plan, const std::string& expected) const {
  const std::string script = file("gdb", 0);
  std::ofstream out(script);
  if (!environment_.empty()) out << "set confirm off\nunset environment\n";
  for (const std::string& variable : environment_)
    if (variable.find('\n') == std::string::npos) out << "set environment " << variable << '\n';
  if (!environment_.empty()) out << "set environment NORN_OPTIONS=" << options_for(plan, 0, expected) << ":debug=on\n";
  out << kGdbScript;
  out.close();
  std::vector<std::string> words = {"gdb", "-q", "-x", script, "--args", path_};
  words.insert(words.end(), command_.begin() + 1, command_.end());
  Program gdb;
  std::string error;
  StagedRun run;
  if (!find_program("gdb", gdb, error)) return run.start_error = ENOENT, run;
  return of_child(run_child(gdb.path, words, {{"NORN_OPTIONS", options_for(plan, 0, expected) + ":debug=on"}}));
}

}  // namespace norn::experiment
