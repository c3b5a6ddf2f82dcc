#include "runtime/control/what_if.h"

#include "base/sink.h"
#include "norn/site.h"
#include "report/race.h"
#include "runtime/control/decisions.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/process/settings.h"
#include "runtime/process/state.h"

namespace norn::rt {

constinit bool asks_what_if = false;

namespace {

struct Place {
  Text file;
  uint32_t line = 0;
};
constexpr uint32_t kMostPlaces = 16;
constinit Place places[kMostPlaces];
constinit uint32_t place_count = 0;
constinit Text function;  // only looked for, if it is not empty

constexpr uint32_t kMostLeftOut = 32;
struct LeftOut {
  const volatile void* locks[kMostLeftOut];
  uint32_t count;
  bool takes_all;
};
NORN_TLS __thread LeftOut mine = {};

// "deposit" or "Bank::deposit" for "Bank::deposit(Account&, int)".
bool is_called(Text name, Text wanted) {
  size_t end = 0;
  while (end < name.size && name[end] != '(' && name[end] != '<') ++end;
  name = name.part(0, end);
  if (name.size < wanted.size || !(name.part(name.size - wanted.size) == wanted)) return false;
  return name.size == wanted.size || name[name.size - wanted.size - 1] == ':';
}

bool is_named(const norn_site& own) {
  for (uint32_t i = 0; i < place_count; ++i) {
    if (own.line == places[i].line && report::base_name(own.file) == places[i].file) return true;
  }
  return false;
}

constinit SpinMutex mutex;

void note(const norn_site& own) {
  using schedule::Outcome;
  const SpinLock lock(mutex);
  Outcome& outcome = *control::outcome;
  const Text file = report::base_name(own.file);
  for (uint32_t i = 0; i < outcome.taken_count; ++i) {
    Outcome::Taken& taken = outcome.taken[i];
    if (taken.line != own.line || !(Text(taken.file) == file)) continue;
    ++taken.count;
    return;
  }
  if (outcome.taken_count == Outcome::kMostTaken) return;
  Outcome::Taken& taken = outcome.taken[outcome.taken_count];
  Buffer name(taken.file, sizeof(taken.file) - 1);
  name.sink().put(file);
  taken.file[name.text().size] = '\0';
  taken.line = own.line;
  taken.count = 1;
  ++outcome.taken_count;
}

}  // namespace

void start_what_if() {
  Text list = rt::start.settings.what_if;
  asks_what_if = !list.empty();
  while (!list.empty()) {
    size_t end = 0, colon = 0;
    for (; end < list.size && list[end] != ','; ++end) colon = list[end] == ':' ? end : colon;
    const Text word = list.part(0, end);
    list = list.part(end + 1);
    const bool is_place = colon != 0 && colon + 1 < word.size && word[colon + 1] >= '0' && word[colon + 1] <= '9';
    if (!is_place) {
      function = word;
      continue;
    }
    if (place_count == kMostPlaces) continue;
    Place& place = places[place_count++];
    place.file = report::base_name(word.part(0, colon));
    for (const char c : word.part(colon + 1)) place.line = place.line * 10 + static_cast<uint32_t>(c - '0');
  }
}

bool has_left_out() { return control::outcome->left_out != 0; }

bool is_left_out(const volatile void* object, const norn_site& site, bool is_lock) {
  const Inspection here;
  if (!here || mine.takes_all || (is_lock && mine.count == kMostLeftOut)) return false;
  // A program's own wrapper of the operation is called from the line that is meant.
  constexpr unsigned kMostWrappers = 2;
  unsigned frames = 0;
  bool named = false;
  const norn_site* inside = nullptr;
  for_each_site(stack_id(*here, &site), [&](const norn_site& at) {
    if ((at.flags & NORN_SITE_LIBRARY) != 0 || at.file == nullptr) return true;
    named = named || is_named(at);
    const bool is_wanted = is_lock && !function.empty() && at.function != nullptr && is_called(at.function, function);
    if (is_wanted && inside == nullptr) inside = &at;
    return ++frames <= kMostWrappers;
  });
  if (inside != nullptr) note(*inside);
  if (!named) return false;
  __atomic_fetch_add(&control::outcome->left_out, 1, __ATOMIC_RELAXED);
  if (is_lock) mine.locks[mine.count++] = object;
  return true;
}

bool was_left_out(const volatile void* lock) {
  for (uint32_t i = mine.count; i-- > 0;) {
    if (mine.locks[i] != lock) continue;
    mine.locks[i] = mine.locks[--mine.count];
    return true;
  }
  return false;
}

TakesAll::TakesAll() { mine.takes_all = true; }
TakesAll::~TakesAll() { mine.takes_all = false; }

}  // namespace norn::rt
