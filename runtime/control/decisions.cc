#include "runtime/control/decisions.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/sink.h"
#include "runtime/control/turn.h"
#include "runtime/control/values.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "schedule/state_mark.h"
#include "schedule/strategies.h"

// For a debugger: both threads of the candidate stand before their statements; the caller's goes first.
NORN_EXPORT __attribute__((noinline)) void __norn_on_meeting(uint32_t first, uint32_t second) {
  asm volatile("" : : "r"(first), "r"(second) : "memory");
}

namespace norn::rt::control {
namespace {

using schedule::LogEntry;
using schedule::Outcome;

constinit Outcome own_outcome;  // where there is no file
struct Log {
  schedule::LogHeader* header = nullptr;
  LogEntry* entries = nullptr;
};
constinit Log written;
constinit Log expected;
constinit schedule::StateMark* marks = nullptr;
constinit uint64_t most_marks = 0;
constinit schedule::Looks looks;

Log map_log(Text path, bool write) {
  size_t size = 0;
  auto* header = static_cast<schedule::LogHeader*>(map_file(path, size, write));
  if (size < sizeof(*header) || header->magic != schedule::LogHeader::kMagic) refuse("not a log of decisions: ", path);
  const uint64_t room = (size - sizeof(*header)) / sizeof(LogEntry);
  if (write) header->capacity = room;
  if (header->count > room) refuse("a log that was cut off: ", path);
  return {header, reinterpret_cast<LogEntry*>(header + 1)};
}

}  // namespace

void* map_file(Text path, size_t& size, bool write) {
  char name[4096];
  Buffer buffer(name, sizeof(name) - 1);
  buffer.sink().put(path);
  name[buffer.text().size] = '\0';
  const int fd = sys::open_file(name, write ? O_RDWR : O_RDONLY);
  if (fd < 0) refuse("cannot open ", path);
  size = static_cast<size_t>(sys::call(__NR_lseek, fd, 0, SEEK_END));
  const long mapped = sys::call(__NR_mmap, 0, static_cast<long>(size), write ? PROT_READ | PROT_WRITE : PROT_READ,
                                write ? MAP_SHARED : MAP_PRIVATE, fd, 0);
  sys::close_file(fd);
  if (sys::failed(mapped)) refuse("cannot map ", path);
  return reinterpret_cast<void*>(mapped);
}

constinit Outcome* outcome = &own_outcome;

bool open_decisions() {
  const options::Settings& settings = rt::start.settings;
  if (!settings.outcome.empty()) {
    size_t size = 0;
    outcome = static_cast<Outcome*>(map_file(settings.outcome, size, true));
    if (size < sizeof(Outcome) || outcome->magic != Outcome::kMagic) refuse("not an outcome: ", settings.outcome);
    uint32_t nobody = 0;
    const uint32_t pid = sys::pid();
    if (!outcome->pid.compare_exchange_strong(nobody, pid) && nobody != pid) return false;
  }
  if (!settings.decisions.empty()) written = map_log(settings.decisions, true);
  if (!settings.expected.empty()) expected = map_log(settings.expected, false);
  if (!settings.states.empty()) {
    size_t size = 0;
    marks = static_cast<schedule::StateMark*>(map_file(settings.states, size, true));
    most_marks = size / sizeof(schedule::StateMark);
  }
  return true;
}

void add_expected(schedule::Plan& plan) {
  if (expected.header == nullptr) return;
  plan.log = expected.entries;
  plan.log_count = expected.header->count;
}

void mark_state(const schedule::Enabled& enabled) {
  if (outcome->decisions < most_marks) marks[outcome->decisions] = looks.mark_of(enabled);
}

void note_look(const schedule::Step& step) {
  if (marks != nullptr) looks.note(step);
}

void record(const LogEntry& entry) {
  const uint64_t number = outcome->decisions++;
  outcome->hash = schedule::extend_hash(outcome->hash, entry);
  if (written.header != nullptr && number < written.header->capacity) {
    written.entries[number] = entry;
    written.header->count = number + 1;
  }
  if (expected.header == nullptr || expected.entries[0].op == schedule::kSegment) return;
  if (outcome->differs_at != Outcome::kNever) return;
  if (number < expected.header->count && !(expected.entries[number] == entry)) outcome->differs_at = number;
}

uint32_t pick(uint32_t count) {
  if (count < 2) return 0;
  const uint32_t picked = strategy->pick(count);
  if (outcome->decisions < most_marks) marks[outcome->decisions] = {};
  record({static_cast<uint16_t>(picked), LogEntry::kPick, static_cast<uint8_t>(count < 255 ? count : 255), 0});
  return picked;
}

void record_meeting(const schedule::Step& first, const schedule::Step& second, ThreadId first_id, ThreadId second_id) {
  ++outcome->meetings;
  const auto stand = [&](uint8_t a, uint8_t b) { return (first.sites & a) != 0 && (second.sites & b) != 0; };
  if (stand(schedule::kFirstSite, schedule::kSecondSite)) outcome->orders |= Outcome::kFirstThenSecond;
  if (stand(schedule::kSecondSite, schedule::kFirstSite)) outcome->orders |= Outcome::kSecondThenFirst;
  if (outcome->first_meeting == Outcome::kNever) {
    outcome->first_meeting = outcome->decisions;
    note_met(first, second);
  }
  if (rt::start.settings.debug) __norn_on_meeting(first_id, second_id);
}

void record_statement(const schedule::Step& step) {
  if (step.sites == 0) return;
  constexpr uint32_t kRemembered = 32;
  static constinit schedule::Step executed[kRemembered] = {};
  static constinit uint32_t next = 0;
  for (const schedule::Step& before : executed) {
    if (before.sites == 0 || !conflict(before, step)) continue;
    const auto came = [&](uint8_t a, uint8_t b) { return (before.sites & a) != 0 && (step.sites & b) != 0; };
    if (came(schedule::kFirstSite, schedule::kSecondSite)) outcome->sequences |= Outcome::kFirstThenSecond;
    if (came(schedule::kSecondSite, schedule::kFirstSite)) outcome->sequences |= Outcome::kSecondThenFirst;
  }
  executed[next++ % kRemembered] = step;
}

}  // namespace norn::rt::control
