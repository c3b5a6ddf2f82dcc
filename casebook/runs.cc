#include "casebook/runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/string_sink.h"
#include "base/text_hash.h"
#include "casebook/builds.h"
#include "casebook/times.h"
#include "report/record.h"
#include "report/record_reader.h"
#include "report/whole_file.h"
#include "schedule/log_file.h"

namespace norn::casebook {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr size_t kRunsKept = 10;
constexpr size_t kUntoldKept = 200;  // of those that their casebook does not know: it may never be there again

int number_of(const std::string& name) {
  if (name.empty() || name.size() > 9 || name.find_first_not_of("0123456789") != std::string::npos) return 0;
  return std::atoi(name.c_str());
}

// The numbers of the runs in a home, the latest first.
std::vector<int> run_numbers(const std::string& home) {
  std::vector<int> numbers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(home + "/runs", error))
    if (const int number = number_of(entry.path().filename().string()); number > 0) numbers.push_back(number);
  std::sort(numbers.rbegin(), numbers.rend());
  return numbers;
}

}  // namespace

std::string home_directory() {
  const char* named = std::getenv("NORN_DIR");
  std::error_code error;
  return fs::absolute(named != nullptr && *named != '\0' ? named : ".norn", error).string();
}

KeptRun kept_run(const std::string& directory) {
  KeptRun run{.number = number_of(fs::path(directory).filename().string()), .directory = directory};
  std::string error;
  const Json json =
      Json::parse(report::read_whole_file(run.directory + "/run.json", error).value_or(""), nullptr, false);
  if (!json.is_object()) return run;
  try {
    run.command = json.value("command", std::vector<std::string>());
    run.started = json.value("started", "");
    run.started_in = json.value("directory", "");
    run.commit = json.value("commit", "");
    run.build = json.value("build", "");
    run.casebook = json.value("casebook", "");
    run.ended = json.contains("exit");
    run.end.exit = json.value("exit", 0);
    run.end.signal = json.value("signal", 0);
    run.end.timed_out = json.value("timed_out", false);
    run.end.seconds = json.value("seconds", 0.0);
  } catch (const Json::exception&) {
    run.command.clear();  // someone else's file: what the findings say is enough
  }
  return run;
}

namespace {

KeptRun describe(const std::string& home, int number) { return kept_run(fmt::format("{}/runs/{}", home, number)); }

// Whether a process has the findings mapped (report/record.h). Where locks do not work, any may.
bool is_written(const std::string& findings) {
  const int file = open(findings.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool taken = flock(file, LOCK_EX | LOCK_NB) != 0;
  close(file);
  return taken;
}

// Cuts the empty lines off that were room for more, unless somebody may still want it.
void trim(const std::string& findings) {
  const int file = open(findings.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status{};
  if (file < 0) return;
  if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    off_t end = status.st_size;
    char block[4096];
    for (bool empty = true; empty && end > 0;) {
      const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(sizeof(block)));
      const ssize_t got = pread(file, block, static_cast<size_t>(end - begin), begin);
      if (got != end - begin) break;
      while (end > begin && block[end - begin - 1] == '\n') --end;
      empty = end == begin;
    }
    [[maybe_unused]] const bool ok = end + 1 >= status.st_size || ftruncate(file, end == 0 ? 0 : end + 1) == 0;
  }
  close(file);
}

// While one exists, nobody else makes or removes runs there: a new one is not yet locked, and would be taken for one
// that is over. Where directories cannot be locked, there is none.
class RunsLock {
 public:
  explicit RunsLock(const std::string& home)
      : directory_(open((home + "/runs").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (directory_ >= 0 && flock(directory_, LOCK_EX) != 0 && errno == EINTR) continue;
  }
  ~RunsLock() {
    if (directory_ >= 0) close(directory_);
  }
  RunsLock(const RunsLock&) = delete;
  RunsLock& operator=(const RunsLock&) = delete;

 private:
  int directory_;
};

}  // namespace

bool is_going_on(const KeptRun& run) {
  const int lock = open((run.directory + "/run.json").c_str(), O_RDONLY | O_CLOEXEC);
  const bool has_norn = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0;
  if (lock >= 0) close(lock);
  return has_norn || is_written(run.findings());
}

namespace {

std::string told_mark(const KeptRun& run) { return run.directory + "/told"; }

// It found something that its casebook is to know and may not.
bool is_untold(const KeptRun& run) {
  std::error_code error;
  return !run.casebook.empty() && !fs::exists(told_mark(run), error) && fs::exists(run.findings(), error);
}

void remove_old(const std::string& home) {
  const RunsLock alone(home);
  const std::vector<int> numbers = run_numbers(home);
  for (size_t i = kRunsKept; i < numbers.size(); ++i) {
    const KeptRun run = describe(home, numbers[i]);
    std::error_code error;
    if (!is_going_on(run) && (i >= kUntoldKept || !is_untold(run))) fs::remove_all(run.directory, error);
  }
}

}  // namespace

NewRun::NewRun(const std::vector<std::string>& command, const std::string& program, const std::string& casebook) {
  std::error_code unknown;
  run_.command = command;
  run_.casebook = casebook;
  run_.started = local_time(now(), true);
  run_.started_in = fs::current_path(unknown).string();
  run_.commit = commit_of(run_.started_in);
  if (const auto build = program.empty() ? std::nullopt : build_of(program); build) run_.build = build->mark;
  const std::string home = home_directory();
  if (create(home)) return;
  const int reason = errno;
  std::error_code error;
  std::string temporary = (fs::temp_directory_path(error) / "norn-XXXXXX").string();
  if (mkdtemp(temporary.data()) != nullptr && create(temporary)) {
    trouble_ = fmt::format("{} cannot be written ({}); this run's findings are in {}", home, std::strerror(reason),
                           run_.directory);
    return;
  }
  trouble_ = fmt::format(
      "neither {} nor a temporary directory can be written ({}): the run is not kept, and there are no reports but "
      "what "
      "the program prints itself",
      home, std::strerror(reason));
}

bool NewRun::create(const std::string& home) {
  std::error_code error;
  fs::create_directories(home + "/runs", error);
  if (error) {
    errno = error.value();
    return false;
  }
  // What programs found is not for version control.
  if (!fs::exists(home + "/.gitignore", error)) std::ofstream(home + "/.gitignore") << "*\n";
  const RunsLock alone(home);
  const std::vector<int> numbers = run_numbers(home);
  for (int number = numbers.empty() ? 1 : numbers[0] + 1;; ++number) {
    run_.directory = fmt::format("{}/runs/{}", home, number);
    if (mkdir(run_.directory.c_str(), 0777) == 0) {
      run_.number = number;
      break;
    }
    if (errno != EEXIST) return false;
  }
  lock_ = open((run_.directory + "/run.json").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) return false;
  flock(lock_, LOCK_EX);
  home_ = home;
  if (write_description()) return true;
  const int reason = errno;
  close(lock_);
  lock_ = -1;
  fs::remove_all(run_.directory, error);
  errno = reason;
  return false;
}

NewRun::~NewRun() {
  if (lock_ < 0) return;
  if (!is_untold_) mark_told(run_);
  close(lock_);
}

bool NewRun::write_description() const {
  Json json = {
      {"norn", 1},           {"command", run_.command},   {"directory", run_.started_in}, {"commit", run_.commit},
      {"build", run_.build}, {"casebook", run_.casebook}, {"started", run_.started}};
  if (run_.ended) {
    json["exit"] = run_.end.exit;
    json["signal"] = run_.end.signal;
    json["timed_out"] = run_.end.timed_out;
    json["seconds"] = run_.end.seconds;
  }
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return ftruncate(lock_, 0) == 0 && pwrite(lock_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

void NewRun::finish(const RunEnd& end) {
  run_.end = end;
  run_.ended = true;
  trim(run_.findings());
  [[maybe_unused]] const bool ok = write_description();  // what was found is more than how it ended
  // A link is replaced in one step by renaming another over it.
  const std::string link = fmt::format("{}/last.{}", home_, getpid());
  std::error_code error;
  fs::remove(link, error);
  fs::create_symlink(fmt::format("runs/{}", run_.number), link, error);
  fs::rename(link, home_ + "/last", error);
  remove_old(home_);
}

std::vector<KeptRun> untold_runs(const std::string& casebook) {
  const std::string home = home_directory();
  const RunsLock alone(home);
  std::vector<KeptRun> runs;
  for (const int number : run_numbers(home)) {
    KeptRun run = describe(home, number);
    if (run.casebook == casebook && is_untold(run) && !is_going_on(run)) runs.push_back(std::move(run));
  }
  return runs;
}

void mark_told(const KeptRun& run) {
  std::error_code error;
  if (fs::exists(run.directory, error)) std::ofstream(told_mark(run)).flush();
}

namespace {

constexpr size_t kSchedulesKept = 400;  // files

std::string schedule_file(const std::string& token, const char* ending) {
  return fmt::format("{}/schedules/{:016x}.{}", home_directory(), text_hash(report::text_of(token)), ending);
}

std::string inputs_file(uint64_t hash) { return fmt::format("{}/inputs/{:016x}", home_directory(), hash); }

void remove_all_but_newest(const fs::path& directory, size_t count) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> all;
  for (const auto& entry : fs::directory_iterator(directory, error))
    all.emplace_back(entry.last_write_time(error), entry.path());
  std::sort(all.rbegin(), all.rend());
  for (size_t i = count; i < all.size(); ++i) fs::remove(all[i].second, error);
}

constexpr std::string_view kPlaceRecord = "{\"record\":\"place\"";

}  // namespace

void keep_schedule(const std::string& token, const std::string& log, const std::string& findings) {
  const fs::path kept = schedule_file(token, "log");
  std::error_code error;
  fs::create_directories(kept.parent_path(), error);
  if (error) return;
  // The log is as long as it may become; only its beginning is used.
  if (!schedule::write_log(kept, schedule::read_log(log))) return;
  std::ofstream places(schedule_file(token, "places"), std::ios::trunc);
  std::istringstream lines(findings);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(kPlaceRecord)) places << line << '\n';
  places.close();
  remove_all_but_newest(kept.parent_path(), kSchedulesKept);
}

std::string keep_inputs(const KeptRun& run) {
  constexpr size_t kInputsKept = 40;  // files
  std::error_code error;
  if (!fs::exists(run.inputs(), error)) return "";
  const fs::path kept = inputs_file(report::hash_of_file(run.inputs()));
  fs::create_directories(kept.parent_path(), error);
  if (fs::exists(kept, error)) return kept;
  const fs::path made = kept.string() + fmt::format(".{}", getpid());
  if (!fs::copy_file(run.inputs(), made, fs::copy_options::overwrite_existing, error)) return "";
  fs::rename(made, kept, error);
  remove_all_but_newest(kept.parent_path(), kInputsKept);
  return error ? "" : kept;
}

std::string kept_inputs(uint64_t hash) {
  const std::string path = inputs_file(hash);
  std::error_code error;
  return fs::exists(path, error) ? path : "";
}

std::string keep_schedule_file(const std::string& id, const std::string& text) {
  const fs::path path = fmt::format("{}/schedules/R{}.schedule", home_directory(), id.empty() ? "explored" : id);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream stream(path, std::ios::trunc);
  stream << text;
  stream.close();
  return stream.fail() ? "" : fs::relative(path, error).string();
}

std::string kept_schedule(const std::string& token) {
  std::string path = schedule_file(token, "log");
  std::error_code error;
  return fs::exists(path, error) ? path : "";
}

std::map<uint32_t, std::string> kept_places(const std::string& token) {
  std::string error;
  return places_in(report::read_whole_file(schedule_file(token, "places"), error).value_or(""));
}

std::map<uint32_t, std::string> places_in(const std::string& findings) {
  std::map<uint32_t, std::string> places;
  std::istringstream lines(findings);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kPlaceRecord)) continue;
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    const auto text_of = [&](const char* key) {
      return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
    };
    places[static_cast<uint32_t>(std::strtoul(text_of("site").c_str(), nullptr, 16))] = text_of("text");
  }
  return places;
}

std::string corpus_file(uint32_t program) {
  const fs::path path = fmt::format("{}/corpus/{:08x}", home_directory(), program);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  return path;
}

namespace {

// Adds a record to what a run found.
bool append_record(const KeptRun& run, const std::string& record) {
  const int file = open(run.findings().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return false;
  flock(file, LOCK_SH);  // or what is being trimmed away could take it along
  // A process that was killed may have left half a line: what follows it begins on its own.
  const std::string line = "\n" + record;
  const ssize_t written = write(file, line.data(), line.size());
  const int reason = written < 0 ? errno : ENOSPC;
  close(file);
  errno = reason;
  return written == static_cast<ssize_t>(line.size());
}

}  // namespace

bool keep_confirmation(const KeptRun& run, const report::RaceId& id, const report::Confirmation& confirmation) {
  return append_record(run, collect([&](Sink sink) {
                         report::write_confirmation(id, confirmation, static_cast<uint32_t>(getpid()), sink);
                       }));
}

bool keep_classification(const KeptRun& run, const report::RaceId& id, const report::Classification& classification) {
  return append_record(run, collect([&](Sink sink) {
                         report::write_classification(id, classification, static_cast<uint32_t>(getpid()), sink);
                       }));
}

std::vector<KeptRun> kept_runs() {
  const std::string home = home_directory();
  std::vector<KeptRun> runs;
  for (const int number : run_numbers(home)) runs.push_back(describe(home, number));
  return runs;
}

std::optional<KeptRun> find_run(std::optional<int> number, std::string& error) {
  const std::string home = home_directory();
  std::error_code code;
  if (!number) {
    const int last = number_of(fs::read_symlink(home + "/last", code).filename().string());
    const std::vector<int> numbers = run_numbers(home);
    if (last > 0 && std::find(numbers.begin(), numbers.end(), last) != numbers.end()) return describe(home, last);
    if (!numbers.empty()) return describe(home, numbers[0]);
    error = fmt::format("no runs in {}; type: norn run -- ./program", home);
    return std::nullopt;
  }
  if (fs::exists(fmt::format("{}/runs/{}", home, *number), code)) return describe(home, *number);
  error = fmt::format("run {} is not kept in {}; norn show --runs lists what is", *number, home);
  return std::nullopt;
}

std::optional<KeptRun> last_run_of(const std::string& program) {
  for (KeptRun& run : kept_runs())
    if (!run.command.empty() && fs::path(run.command[0]).filename() == fs::path(program).filename())
      return std::move(run);
  return std::nullopt;
}

namespace {

bool is_alive(uint32_t pid) { return kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM; }

std::string process_words(const std::vector<uint32_t>& pids) {
  if (pids.size() == 1) return fmt::format("process {}", pids[0]);
  if (pids.size() > 5) return fmt::format("{} processes", pids.size());
  return fmt::format("processes {}", fmt::join(pids, ", "));
}

// How the first process ended, if that says something about what is known.
std::string own_end(const KeptRun& run, const report::Findings& findings) {
  const std::string until = findings.first_ended ? "" : ": what was found until then is all that is known";
  if (run.end.timed_out)
    return fmt::format("the program did not end in time (--timeout) and was ended after {:.1f} s{}", run.end.seconds,
                       until);
  if (run.end.signal != 0) {
    const char* name = sigabbrev_np(run.end.signal);
    return fmt::format("the program was killed by SIG{} after {:.1f} s{}", name != nullptr ? name : "?",
                       run.end.seconds, until);
  }
  // A trace that is cut, or of which a share is missing, has a note that says so.
  if (!findings.first_ended && view(findings.run.front_end) != "trace")
    return fmt::format("the program ended (status {}) in a way that left no time for its report{}", run.end.exit,
                       until);
  return "";
}

void add_ends(const KeptRun& run, report::Findings& findings) {
  if (findings.processes == 0) return;
  std::vector<std::string> words;
  const bool mapped = is_written(run.findings());
  const bool written = mapped || view(findings.run.front_end) == "valgrind";
  std::vector<uint32_t> alive, dead;
  for (const uint32_t pid : findings.unended) {
    if (written && is_alive(pid)) {
      alive.push_back(pid);
    } else if (pid != findings.run.pid || !run.ended) {
      dead.push_back(pid);
    }
  }
  const bool first_lives = std::find(alive.begin(), alive.end(), findings.run.pid) != alive.end();
  if (run.ended && !first_lives) words.push_back(own_end(run, findings));
  // It would have gone on, or it did, unseen.
  if (run.end.signal != 0 || run.end.timed_out || findings.became_another) findings.run.ended = false;
  if (!alive.empty())
    words.push_back(fmt::format("still running{} as {}; findings go to {}: norn show tells",
                                run.ended ? " in the background" : "", process_words(alive), run.findings()));
  if (mapped && alive.empty()) {
    // A fork of whoever ended: it has only begun.
    words.push_back(fmt::format("still running in the background; findings go to {}: norn show tells", run.findings()));
    findings.run.ended = false;
  }
  if (!dead.empty())
    words.push_back(fmt::format("{} ended without a report, killed or otherwise: what was found until then is known",
                                process_words(dead)));
  if (findings.became_another)
    words.emplace_back("the program became another one by exec, which was not built with norn: that was not checked");
  if (findings.lost > 0)
    words.push_back(fmt::format("{} race{} could not be recorded; the program printed {} itself", findings.lost,
                                findings.lost == 1 ? "" : "s", findings.lost == 1 ? "it" : "them"));
  std::vector<Text> notes(findings.run.notes.begin(), findings.run.notes.end());
  for (const std::string& line : words)
    if (!line.empty()) notes.push_back(findings.pool.keep(line));
  findings.run.notes = findings.pool.keep(std::move(notes));
}

}  // namespace

std::optional<report::Findings> load_findings(const KeptRun& run, std::string& error) {
  std::string contents;
  std::error_code code;
  // A program that never reached its runtime leaves no file.
  if (fs::exists(run.findings(), code)) {
    auto read = report::read_whole_file(run.findings(), error);
    if (!read) return std::nullopt;
    contents = std::move(*read);
  }
  auto findings = report::merge_findings({{run.findings(), std::move(contents)}}, error);
  if (!findings) return std::nullopt;
  if (!run.command.empty()) {
    std::vector<Text> command;
    command.reserve(run.command.size());
    for (const std::string& argument : run.command) command.push_back(findings->pool.keep(argument));
    findings->run.program = command[0];
    findings->run.command = findings->pool.keep(std::move(command));
  }
  if (run.ended) findings->run.exit = run.end.exit;
  add_ends(run, *findings);
  return findings;
}

}  // namespace norn::casebook
