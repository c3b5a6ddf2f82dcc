#include "hive/agent/agent.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "hive/agent/spool.h"
#include "hive/agent/wire_results.h"
#include "hive/api/api_json.h"
#include "hive/hive_client.h"
#include "hive/tokens.h"
#include "runtime/probe/doorbell.h"

namespace norn::hive {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
namespace wire = probe::wire;

constexpr size_t kPrograms = 1'000;  // at once
constexpr size_t kBuilds = 100;      // that are asked about at once
constexpr int kMessages = 10'000;    // of one program; one that says more is no program of norn's
constexpr size_t kBatch = 500;       // results in a request
constexpr int kBetweenLooks = 100;   // milliseconds
constexpr auto kRemembered = std::chrono::hours(1);

// A task as a program has it.
struct Given {
  uint64_t number = 0;
  Task task{};
  uint32_t round = 0;
  uint8_t facts = 0;
  uint64_t held = 0;       // microseconds, as far as they were told
  Clock::time_point told;  // when the hive was told of it last
  bool is_final = false;
  bool is_sent = false;
};

struct Program {
  int descriptor = -1;
  probe::DoorbellPage* doorbell = nullptr;
  bool greeted = false;
  std::string build{};
  std::string execution{};
  int messages = 0;
  std::vector<Given> given{};
};

// What is known of a build here.
struct Build {
  Clock::time_point seen;
  bool asked = false;
  std::optional<Task> task{};
};

bool same_round(const Task& a, const Task& b) {
  return a.tau == b.tau && a.order == b.order && a.detect == b.detect && a.steer == b.steer;
}

int64_t since(Clock::time_point then) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - then).count();
}

}  // namespace

struct Agent::Inside {
  explicit Inside(const AgentOptions& given) : options(given), spool(given.spool_bytes) {}

  AgentOptions options;
  int listener = -1;
  int wake = -1;  // eventfd: the socket's thread has something to look at
  std::map<int, Program> programs{};
  uint64_t next_number = 0;

  std::mutex mutex{};
  std::condition_variable changed{};
  Spool spool;                                // under the mutex
  std::map<std::string, Build> builds{};      // likewise
  bool asks = false;                          // the hive is to be asked at once; likewise
  bool stopping = false;                      // likewise
  uint64_t looks_wanted = 0, looks_done = 0;  // at all programs, by the socket's thread; likewise
  size_t connected = 0;                       // likewise

  void ring() const {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(wake, &one, sizeof(one));
  }

  // ---- the socket's thread ----
  void accept_programs();
  // False: the program is to be forgotten.
  bool receive(Program& program);
  void receive_all();
  bool greet(Program& program, const wire::Hello& hello, int descriptor);
  void hear(Program& program, const wire::Result& result);
  void say(Program& program, Given& given, Result result);
  void end(Program& program);
  void give_tasks();
  // Whether any program has an open task. Those look again when they are rung (docs/design/production.md).
  bool ring_again();
  void give(Program& program, const std::optional<Task>& task);
  template <class Message>
  static bool send(Program& program, const Message& message);

  // ---- the hive's thread ----
  void speak();
  // Whether the hive answered.
  bool send_results(HiveClient& client, size_t& batch);
  bool fetch_tasks(HiveClient& client, int64_t& poll);
};

// ---- the socket's thread ----

void Agent::Inside::accept_programs() {
  for (;;) {
    const int descriptor = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return;
    ucred peer{};
    socklen_t size = sizeof(peer);
    const bool known = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    const bool welcome = known && (options.all_users || peer.uid == geteuid());
    if (!welcome || programs.size() >= kPrograms) {
      close(descriptor);
      continue;
    }
    Program& program = programs[descriptor];
    program.descriptor = descriptor;
    program.execution = new_id();
  }
}

bool Agent::Inside::receive(Program& program) {
  for (;;) {
    uint8_t bytes[wire::kLargest + 1];
    alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))];
    iovec part{bytes, sizeof(bytes)};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    const ssize_t got = recvmsg(program.descriptor, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    // Descriptors that nobody asked for are closed like the one that was.
    std::vector<int> descriptors;
    for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
      if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
      const size_t number = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (size_t i = 0; i < number; ++i) {
        int descriptor = -1;
        std::memcpy(&descriptor, CMSG_DATA(each) + i * sizeof(int), sizeof(int));
        descriptors.push_back(descriptor);
      }
    }
    wire::Message message;
    bool goes_on = got > 0 && wire::read(bytes, static_cast<size_t>(got), message) && ++program.messages <= kMessages;
    if (goes_on && message.type == wire::Type::kHello) {
      goes_on = !program.greeted && greet(program, message.hello, descriptors.empty() ? -1 : descriptors[0]);
    } else if (goes_on) {
      goes_on = program.greeted && message.type == wire::Type::kResult;
      if (goes_on) hear(program, message.result);
    }
    for (const int descriptor : descriptors) close(descriptor);
    if (!goes_on) return false;
  }
}

void Agent::Inside::receive_all() {
  for (auto each = programs.begin(); each != programs.end();) {
    if (receive(each->second)) {
      ++each;
    } else {
      end(each->second);
      each = programs.erase(each);
    }
  }
}

bool Agent::Inside::greet(Program& program, const wire::Hello& hello, int descriptor) {
  program.build = build_of(hello);
  if (program.build.empty() || descriptor < 0) return false;
  program.doorbell = probe::take_doorbell(descriptor);
  if (program.doorbell == nullptr) return false;
  program.greeted = true;
  std::optional<Task> task;
  {
    const std::lock_guard<std::mutex> hold(mutex);
    const bool is_new = !builds.contains(program.build);
    if (is_new && builds.size() >= kBuilds) return false;
    Build& build = builds[program.build];
    build.seen = Clock::now();
    task = build.task;
    if (is_new) asks = true;
  }
  changed.notify_all();
  give(program, task);
  return true;
}

void Agent::Inside::say(Program& program, Given& given, Result result) {
  result.id = new_id();
  result.build = program.build;
  result.race = given.task.race;
  result.execution = program.execution;
  result.lived = std::max<int64_t>(since(given.told), 0);
  given.told = Clock::now();
  {
    const std::lock_guard<std::mutex> hold(mutex);
    spool.add(write_json(json_of(result)));
  }
  changed.notify_all();
}

void Agent::Inside::hear(Program& program, const wire::Result& result) {
  const auto given = std::find_if(program.given.begin(), program.given.end(),
                                  [&](const Given& each) { return each.number == result.task; });
  // What is late for its round is as true, but its round is over.
  if (given == program.given.end() || (given->is_final && given->round == result.round)) return;
  given->facts |= result.facts;
  if (result.kind == wire::ResultKind::kProgress) return;
  if (wire::is_final(result.kind) && result.round == given->round) given->is_final = true;
  Result told = result_of(result);
  told.spent =
      result.held > given->held ? static_cast<int64_t>(std::min<uint64_t>(result.held - given->held, 1U << 31)) : 0;
  given->held = std::max(given->held, result.held);
  say(program, *given, std::move(told));
}

void Agent::Inside::end(Program& program) {
  for (Given& given : program.given) {
    if (given.is_final || !given.is_sent) continue;
    Result result;
    result.kind = kind_of_facts(given.facts);
    result.tau = given.task.tau;
    result.detail = "{}";
    say(program, given, std::move(result));
  }
  if (program.doorbell != nullptr) munmap(static_cast<void*>(program.doorbell), probe::kDoorbellBytes);
  close(program.descriptor);
}

template <class Message>
bool Agent::Inside::send(Program& program, const Message& message) {
  uint8_t bytes[wire::kLargest];
  const size_t size = wire::write(message, bytes);
  if (size == 0 || ::send(program.descriptor, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL) != static_cast<ssize_t>(size))
    return false;
  probe::ring(*program.doorbell);
  return true;
}

// What is not sent now, because the program does not read, is tried again when the hive was asked next.
void Agent::Inside::give(Program& program, const std::optional<Task>& task) {
  for (Given& given : program.given)
    if (given.is_sent && !given.is_final && (!task || given.task.race != task->race))
      static_cast<void>(send(program, wire::Drop{.task = given.number}));
  if (!task) return;
  auto given = std::find_if(program.given.begin(), program.given.end(),
                            [&](const Given& each) { return each.task.race == task->race; });
  if (given != program.given.end() && given->is_sent && same_round(given->task, *task)) return;
  if (given == program.given.end()) {
    given = program.given.insert(program.given.end(), Given{.number = ++next_number, .told = Clock::now()});
  } else {
    ++given->round;
  }
  given->task = *task;
  given->is_final = false;
  given->is_sent = send(program, wire_task(*task, given->number, given->round, options.steer, options.ask));
}

void Agent::Inside::give_tasks() {
  std::map<std::string, Build> known;
  {
    const std::lock_guard<std::mutex> hold(mutex);
    known = builds;
  }
  for (auto& [descriptor, program] : programs)
    if (program.greeted && known[program.build].asked) give(program, known[program.build].task);
}

bool Agent::Inside::ring_again() {
  bool any = false;
  for (auto& [descriptor, program] : programs) {
    const bool is_open = std::any_of(program.given.begin(), program.given.end(),
                                     [](const Given& given) { return given.is_sent && !given.is_final; });
    if (is_open) probe::ring(*program.doorbell);
    any |= is_open;
  }
  return any;
}

void Agent::serve() {
  Inside& inside = *inside_;
  std::thread speaker([&] { inside.speak(); });
  Clock::time_point rung = Clock::now();
  bool has_tasks = false;
  for (;;) {
    std::vector<pollfd> waits{{inside.wake, POLLIN, 0}, {inside.listener, POLLIN, 0}};
    for (const auto& [descriptor, program] : inside.programs) waits.push_back({descriptor, POLLIN, 0});
    if (poll(waits.data(), waits.size(), has_tasks ? kBetweenLooks : -1) < 0) {
      if (errno == EINTR) continue;
      break;
    }
    const bool woken = waits[0].revents != 0;
    uint64_t look = 0;
    if (woken) {
      uint64_t count = 0;
      [[maybe_unused]] const ssize_t got = read(inside.wake, &count, sizeof(count));
      const std::lock_guard<std::mutex> hold(inside.mutex);
      if (inside.stopping) break;
      look = inside.looks_wanted;
    }
    if (woken) inside.give_tasks();
    if (woken || waits[1].revents != 0) inside.accept_programs();
    inside.receive_all();
    if (!has_tasks || Clock::now() - rung >= std::chrono::milliseconds(kBetweenLooks)) {
      has_tasks = inside.ring_again();
      rung = Clock::now();
    }
    const std::lock_guard<std::mutex> hold(inside.mutex);
    inside.connected = inside.programs.size();
    if (woken) inside.looks_done = look;
    inside.changed.notify_all();
  }
  for (auto& [descriptor, program] : inside.programs) inside.end(program);
  inside.programs.clear();
  {
    const std::lock_guard<std::mutex> hold(inside.mutex);
    inside.stopping = true;
    inside.connected = 0;
  }
  inside.changed.notify_all();
  speaker.join();
}

// ---- the hive's thread ----

bool Agent::Inside::send_results(HiveClient& client, size_t& batch) {
  for (;;) {
    std::vector<std::string> lines;
    uint64_t end = 0;
    {
      const std::lock_guard<std::mutex> hold(mutex);
      lines = spool.oldest(batch, end);
    }
    if (lines.empty()) return true;
    std::string body = "{\"results\":[";
    for (size_t i = 0; i < lines.size(); ++i) body += (i == 0 ? "" : ",") + lines[i];
    body += "]}";
    const Answer answer = client.post("/api/v1/results", body);
    // One that the hive does not understand would stop all behind it: it is found, alone, and left out.
    const bool refused = answer.status == 400 || answer.status == 413;
    if (refused && lines.size() > 1) {
      batch = 1;
      continue;
    }
    if (!answer.ok() && !refused) return false;
    batch = kBatch;
    {
      const std::lock_guard<std::mutex> hold(mutex);
      spool.taken(end);
      asks = true;  // what was said may have changed the task
    }
    changed.notify_all();
  }
}

bool Agent::Inside::fetch_tasks(HiveClient& client, int64_t& poll) {
  json names = json::array();
  {
    const std::lock_guard<std::mutex> hold(mutex);
    asks = false;
    std::erase_if(builds, [](const auto& entry) { return Clock::now() - entry.second.seen > kRemembered; });
    for (const auto& [name, build] : builds) names.push_back(name);
  }
  if (names.empty()) return true;
  const Answer answer = client.post("/api/v1/tasks", json{{"builds", names}}.dump());
  if (!answer.ok()) return false;
  std::map<std::string, Task> tasks;
  try {
    const json body = json_in(answer.body);
    poll = number_in(body, "poll", 1, 3600);
    if (!body.contains("tasks") || !body["tasks"].is_array()) return false;
    for (const json& each : body["tasks"]) {
      const Task task = task_in(each);
      tasks[task.build] = task;
    }
  } catch (const BadRequest&) {
    return false;
  }
  {
    const std::lock_guard<std::mutex> hold(mutex);
    for (const json& name : names) {
      Build& build = builds[name];
      const auto task = tasks.find(name);
      build.task = task == tasks.end() ? std::nullopt : std::optional(task->second);
      build.asked = true;
    }
  }
  changed.notify_all();
  ring();
  return true;
}

void Agent::Inside::speak() {
  HiveClient client(options.hive, options.token, options.authority);
  constexpr int64_t kLongestPause = 60;
  int64_t poll = 5, pause = 1;
  size_t batch = kBatch;
  Clock::time_point due = Clock::now();
  for (;;) {
    const bool sent = send_results(client, batch);
    bool asked = true;
    bool now = false;
    {
      const std::lock_guard<std::mutex> hold(mutex);
      now = asks || Clock::now() >= due;
    }
    if (sent && now) {
      asked = fetch_tasks(client, poll);
      due = Clock::now() + std::chrono::seconds(poll);
    }
    std::unique_lock<std::mutex> hold(mutex);
    if (stopping) return;
    if (!sent || !asked) {
      // Nobody answers: less and less often.
      changed.wait_for(hold, std::chrono::seconds(pause), [&] { return stopping; });
      pause = std::min(2 * pause, kLongestPause);
    } else {
      pause = 1;
      changed.wait_until(hold, due, [&] { return stopping || asks || !spool.empty(); });
    }
    if (stopping && spool.empty()) return;
    if (stopping && (!sent || !asked)) return;
  }
}

// ---- from outside ----

Agent::Agent(const AgentOptions& options) : inside_(std::make_unique<Inside>(options)) {
  // Numbers that no agent before gave.
  inside_->next_number = std::strtoull(new_id().c_str(), nullptr, 16) >> 16 << 16;
}

Agent::~Agent() {
  if (inside_->listener >= 0) {
    close(inside_->listener);
    unlink(inside_->options.socket.c_str());
  }
  if (inside_->wake >= 0) close(inside_->wake);
}

bool Agent::open(std::string& error) {
  const std::string& path = inside_->options.socket;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    error = fmt::format("{} is too long for the name of a socket", path);
    return false;
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  if (!inside_->spool.open(inside_->options.spool, error)) return false;
  std::error_code code;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), code);
  const auto* name = reinterpret_cast<const sockaddr*>(&address);
  // One that was killed left its socket.
  const int probe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const bool answers = probe >= 0 && connect(probe, name, sizeof(address)) == 0;
  if (probe >= 0) close(probe);
  if (answers) {
    error = fmt::format("{}: an agent is there already", path);
    return false;
  }
  struct stat about{};
  if (lstat(path.c_str(), &about) == 0 && S_ISSOCK(about.st_mode)) unlink(path.c_str());
  inside_->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  inside_->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const mode_t before = umask(inside_->options.all_users ? 0111 : 0177);
  const bool bound = bind(inside_->listener, name, sizeof(address)) == 0;
  const int reason = errno;
  umask(before);
  if (!bound || listen(inside_->listener, 128) != 0) {
    error = fmt::format("no socket can be made at {}: {}", path, std::strerror(reason));
    close(inside_->listener);
    inside_->listener = -1;
    return false;
  }
  return true;
}

void Agent::stop() {
  {
    const std::lock_guard<std::mutex> hold(inside_->mutex);
    inside_->stopping = true;
  }
  inside_->ring();
  inside_->changed.notify_all();
}

void Agent::expect(const std::string& build, int milliseconds) {
  std::unique_lock<std::mutex> hold(inside_->mutex);
  inside_->builds[build].seen = Clock::now();
  inside_->builds[build].asked = false;
  inside_->asks = true;
  inside_->changed.notify_all();
  inside_->changed.wait_for(hold, std::chrono::milliseconds(milliseconds),
                            [&] { return inside_->builds[build].asked; });
}

bool Agent::drain(int milliseconds) {
  std::unique_lock<std::mutex> hold(inside_->mutex);
  const uint64_t look = ++inside_->looks_wanted;
  inside_->ring();
  return inside_->changed.wait_for(hold, std::chrono::milliseconds(milliseconds), [&] {
    return inside_->looks_done >= look && inside_->connected == 0 && inside_->spool.empty();
  });
}

std::string default_socket() {
  if (const char* named = std::getenv("NORN_HIVE_SOCKET"); named != nullptr && *named != '\0') return named;
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  return runtime != nullptr && *runtime != '\0' ? std::string(runtime) + "/norn/hive.socket" : "/run/norn/hive.socket";
}

}  // namespace norn::hive
