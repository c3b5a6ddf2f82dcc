#include "tests/script/script.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <stdexcept>

#include "core/engine/engines.h"

namespace norn::script {
namespace {

// What follows the verb of a statement.
enum class Shape {
  kNothing,
  kThread,       // t2
  kAccess,       // x+3:2
  kRead,         // x+3:2 [counting]
  kSpinRead,     // x+3:2 [in-loop]
  kBlock,        // buf:64
  kTwoBlocks,    // buf:64 buf2:128
  kAtomic,       // f acquire
  kFence,        // seq_cst
  kObject,       // m
  kWaitEnter,    // cv m [in-loop]
  kWaitLeave,    // cv m [in-loop] [timed-out]
  kBarrierInit,  // b 2
  kIgnore,       // reads|writes|sync|all
  kLock,         // m [using]
  kForkAfter,    // t2 c
};

struct Verb {
  std::string_view word;
  EventKind kind;
  Shape shape;
  LockMode mode = LockMode::kExclusive;
  LockAttempt attempt = LockAttempt::kBlocking;
};

using K = EventKind;
using S = Shape;
constexpr auto kShared = LockMode::kShared;
constexpr auto kExclusive = LockMode::kExclusive;
constexpr std::array kVerbs = {
    Verb{"fork", K::kThreadFork, S::kThread},
    Verb{"start", K::kThreadStart, S::kNothing},
    Verb{"exit", K::kThreadExit, S::kNothing},
    Verb{"join", K::kThreadJoin, S::kThread},
    Verb{"detach", K::kThreadDetach, S::kThread},
    Verb{"read", K::kRead, S::kRead},
    Verb{"write", K::kWrite, S::kAccess},
    Verb{"alloc", K::kAllocate, S::kBlock},
    Verb{"free", K::kFree, S::kBlock},
    Verb{"realloc", K::kReallocate, S::kTwoBlocks},
    Verb{"load", K::kAtomicLoad, S::kAtomic},
    Verb{"store", K::kAtomicStore, S::kAtomic},
    Verb{"rmw", K::kAtomicRmw, S::kAtomic},
    Verb{"fence", K::kFence, S::kFence},
    Verb{"lock", K::kLockAcquire, S::kLock},
    Verb{"lock-shared", K::kLockAcquire, S::kLock, kShared},
    Verb{"trylock", K::kLockAcquire, S::kLock, kExclusive, LockAttempt::kTry},
    Verb{"trylock-shared", K::kLockAcquire, S::kLock, kShared, LockAttempt::kTry},
    Verb{"timedlock", K::kLockAcquire, S::kLock, kExclusive, LockAttempt::kTimed},
    Verb{"timedlock-shared", K::kLockAcquire, S::kLock, kShared, LockAttempt::kTimed},
    Verb{"unlock", K::kLockRelease, S::kObject},
    Verb{"unlock-shared", K::kLockRelease, S::kObject, kShared},
    Verb{"destroy", K::kLockDestroy, S::kObject},
    Verb{"refused", K::kLockRefused, S::kObject},
    Verb{"signal", K::kSignal, S::kObject},
    Verb{"broadcast", K::kBroadcast, S::kObject},
    Verb{"wait-enter", K::kWaitEnter, S::kWaitEnter},
    Verb{"wait-leave", K::kWaitLeave, S::kWaitLeave},
    Verb{"wait-loop-leave", K::kWaitLoopLeave, S::kObject},
    Verb{"barrier-init", K::kBarrierInit, S::kBarrierInit},
    Verb{"barrier-enter", K::kBarrierEnter, S::kObject},
    Verb{"barrier-leave", K::kBarrierLeave, S::kObject},
    Verb{"post", K::kSemaphorePost, S::kObject},
    Verb{"sem-wait", K::kSemaphoreWait, S::kObject},
    Verb{"once-done", K::kOnceDone, S::kObject},
    Verb{"once-seen", K::kOnceSeen, S::kObject},
    Verb{"sync-destroy", K::kSyncDestroy, S::kObject},
    Verb{"spin-read", K::kSpinRead, S::kSpinRead},
    Verb{"spin-leave", K::kSpinLeave, S::kNothing},
    Verb{"cut", K::kCut, S::kNothing},
    Verb{"hb", K::kHappensBefore, S::kObject},
    Verb{"ha", K::kHappensAfter, S::kObject},
    Verb{"ignore-begin", K::kIgnoreBegin, S::kIgnore},
    Verb{"ignore-end", K::kIgnoreEnd, S::kIgnore},
    Verb{"benign", K::kBenignRange, S::kBlock},
    Verb{"fork-after", K::kForkAfter, S::kForkAfter},
    Verb{"begin-again", K::kBeginAgain, S::kObject},
    Verb{"release", K::kClockRelease, S::kObject},
    Verb{"acquire", K::kClockAcquire, S::kObject},
    Verb{"clear", K::kClockClear, S::kObject},
    Verb{"renew", K::kRenew, S::kBlock},
    Verb{"map", K::kMap, S::kBlock},
    Verb{"unmap", K::kUnmap, S::kBlock},
    Verb{"birth", K::kBirth, S::kNothing},
    Verb{"forget", K::kForget, S::kBlock},
    Verb{"use", K::kUse, S::kObject},
    Verb{"unsampled-before", K::kUnsampledBefore, S::kAtomic},
    Verb{"unsampled-after", K::kUnsampledAfter, S::kAtomic},
    Verb{"look", K::kLook, S::kAccess},
    Verb{"leave-by-atomic", K::kLeaveByAtomic, S::kObject},
    Verb{"come-after-all", K::kComeAfterAll, S::kNothing},
    Verb{"expect-spins", K::kExpectSpins, S::kNothing},
    Verb{"expect-conditions", K::kExpectConditions, S::kNothing},
    Verb{"observe-only", K::kObserveOnly, S::kNothing},
    Verb{"use-epoch", K::kUseEpoch, S::kNothing},
};

template <typename T>
struct Word {
  std::string_view word;
  T value;
};

constexpr std::array kOrders = {Word{"relaxed", MemoryOrder::kRelaxed}, Word{"acquire", MemoryOrder::kAcquire},
                                Word{"release", MemoryOrder::kRelease}, Word{"acq_rel", MemoryOrder::kAcqRel},
                                Word{"seq_cst", MemoryOrder::kSeqCst}};
constexpr std::array kEngineWords = [] {
  std::array<Word<EngineKind>, std::size(kEngines)> words{};
  for (size_t i = 0; i < words.size(); ++i) words[i] = {kEngines[i].name, kEngines[i].kind};
  return words;
}();
constexpr std::array kConditionModes = {Word{"off", ConditionMode::kOff}, Word{"lost", ConditionMode::kLost},
                                        Word{"wr", ConditionMode::kWriteRead}};
constexpr std::array kSwitches = {Word{"on", true}, Word{"off", false}};
constexpr std::array kIgnorable = {Word<uint64_t>{"reads", kIgnoreReads}, Word<uint64_t>{"writes", kIgnoreWrites},
                                   Word<uint64_t>{"sync", kIgnoreSync},
                                   Word<uint64_t>{"all", kIgnoreReads | kIgnoreWrites | kIgnoreSync}};
constexpr std::array kWhats = {Word{"none", Expectation::What::kNone}, Word{"observed", Expectation::What::kObserved},
                               Word{"predicted", Expectation::What::kPredicted},
                               Word{"race", Expectation::What::kRace}};
constexpr std::array<std::string_view, 9> kStates = {"New",  "Excl-R", "Excl-W", "Excl-RW", "Sh-R",
                                                     "Sh-M", "Sh-M1",  "Sh-M2",  "Race"};

template <typename T, size_t N>
std::optional<T> look_up(const std::array<Word<T>, N>& words, std::string_view word) {
  for (const auto& entry : words)
    if (entry.word == word) return entry.value;
  return std::nullopt;
}

template <typename T, size_t N>
std::string_view word_for(const std::array<Word<T>, N>& words, T value) {
  for (const auto& entry : words)
    if (entry.value == value) return entry.word;
  return "?";
}

template <typename T, size_t N>
std::string choices(const std::array<Word<T>, N>& words) {
  std::string all;
  for (const auto& entry : words) all += (all.empty() ? "" : ", ") + std::string(entry.word);
  return all;
}

struct Token {
  std::string_view text;
  size_t line;
  size_t column;
};

using Statement = std::vector<Token>;

std::vector<Statement> split(std::string_view text) {
  std::vector<Statement> statements(1);
  size_t line = 1;
  size_t line_start = 0;
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    if (c == '#') {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (c == '\n' || c == ';') {
      if (!statements.back().empty()) statements.emplace_back();
      ++i;
      if (c == '\n') {
        ++line;
        line_start = i;
      }
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++i;
    } else {
      size_t end = text.find_first_of(" \t\r\n;#", i);
      if (end == std::string_view::npos) end = text.size();
      statements.back().push_back({text.substr(i, end - i), line, i - line_start + 1});
      i = end;
    }
  }
  if (statements.back().empty()) statements.pop_back();
  return statements;
}

bool is_name(std::string_view text) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (text.empty() || !letter(text[0])) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; });
}

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<ThreadId> thread_number(std::string_view text) {
  if (text.size() < 2 || text[0] != 't') return std::nullopt;
  auto value = number(text.substr(1));
  if (!value || *value >= kNoThread) return std::nullopt;
  return static_cast<ThreadId>(*value);
}

struct Location {
  Address address = 0;
  uint64_t size = 0;
  bool whole = false;  // no offset and no size were given
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  ParseResult run() {
    for (const Statement& statement : split(text_)) {
      rest_ = statement;
      next_ = 0;
      parse_statement();
      if (!error_ && next_ < rest_.size())
        fail(rest_[next_], "'" + std::string(rest_[next_].text) + "' is one word too many");
      if (error_) break;
    }
    return {std::move(script_), std::move(error_)};
  }

 private:
  void parse_statement() {
    Token first = take();
    introducing_ = first.text != "expect" && first.text != "state";
    if (auto thread = thread_number(first.text)) return parse_event(*thread, first);
    if (first.text == "engine") return parse_engines(first);
    if (first.text == "cv") {
      script_.cv = choose(kConditionModes, "a condition mode");
    } else if (first.text == "spin") {
      script_.spin = choose(kSwitches, "on or off");
    } else if (first.text == "handover") {
      script_.handover = choose(kSwitches, "on or off");
    } else if (first.text == "lib") {
      script_.lib = choose(kSwitches, "on or off");
    } else if (first.text == "expect") {
      parse_expectation(first);
    } else if (first.text == "state") {
      parse_state(first);
    } else {
      fail(first,
           "a statement starts with a thread (t1), engine, cv, spin, handover, lib, expect or state, not with '" +
               std::string(first.text) + "'");
    }
  }

  void parse_engines(const Token& first) {
    script_.engines.clear();
    do {
      if (next_ == rest_.size()) return fail_after(first, "expected an engine: " + choices(kEngineWords));
      script_.engines.push_back(choose(kEngineWords, "an engine"));
    } while (!error_ && next_ < rest_.size());
  }

  void parse_event(ThreadId thread, const Token& first) {
    if (next_ == rest_.size()) return fail_after(first, "expected what the thread does");
    Token word = take();
    const Verb* verb = std::find_if(kVerbs.begin(), kVerbs.end(), [&](const Verb& v) { return v.word == word.text; });
    if (verb == kVerbs.end()) return fail(word, "no thread can '" + std::string(word.text) + "'");
    Event event;
    event.kind = verb->kind;
    event.mode = verb->mode;
    event.attempt = verb->attempt;
    event.thread = thread;
    parse_arguments(*verb, event);
    if (error_) return;
    script_.sites.emplace_back();
    event.where = static_cast<StackId>(script_.sites.size());
    if (next_ < rest_.size() && rest_[next_].text[0] == '@') {
      script_.sites.pop_back();
      event.where = parse_site();
    }
    script_.events.push_back(event);
    script_.lines.push_back(first.line);
  }

  void parse_arguments(const Verb& verb, Event& event) {
    switch (verb.shape) {
      case S::kNothing:
        break;
      case S::kThread:
        event.other = parse_thread();
        break;
      case S::kForkAfter:
        event.other = parse_thread();
        if (!error_) event.address = parse_object();
        break;
      case S::kLock:
        event.address = parse_object();
        event.uses = take_if("using");
        break;
      case S::kAccess:
        set_location(event, parse_location(kDefaultSize));
        break;
      case S::kRead:
        set_location(event, parse_location(kDefaultSize));
        event.counts = take_if("counting");
        break;
      case S::kSpinRead:
        set_location(event, parse_location(kDefaultSize));
        event.in_loop = take_if("in-loop");
        break;
      case S::kBlock:
        set_location(event, parse_location(kRegionSize));
        break;
      case S::kTwoBlocks: {
        set_location(event, parse_location(kRegionSize));
        if (error_) return;
        Location to = parse_location(kRegionSize);
        event.other = to.address;
        event.other_size = to.size;
        break;
      }
      case S::kAtomic:
        set_location(event, parse_location(kDefaultSize));
        if (!error_) event.order = choose(kOrders, "a memory order");
        break;
      case S::kFence:
        event.order = choose(kOrders, "a memory order");
        break;
      case S::kObject:
        event.address = parse_object();
        break;
      case S::kWaitEnter:
      case S::kWaitLeave:
        event.address = parse_object();
        if (!error_) event.other = parse_object();
        while (!error_ && next_ < rest_.size() && rest_[next_].text[0] != '@') {
          Token flag = take();
          if (flag.text == "in-loop") {
            event.in_loop = true;
          } else if (flag.text == "timed-out" && verb.shape == S::kWaitLeave) {
            event.timed_out = true;
          } else {
            fail(flag, "a " + std::string(verb.word) + " cannot be '" + std::string(flag.text) + "'");
          }
        }
        break;
      case S::kBarrierInit: {
        event.address = parse_object();
        Token token = take_or_fail("how many threads make a generation");
        if (error_) return;
        auto count = number(token.text);
        if (!count) return fail(token, "expected a number, not '" + std::string(token.text) + "'");
        event.other = *count;
        break;
      }
      case S::kIgnore:
        event.other = choose(kIgnorable, "what to ignore");
        break;
    }
  }

  void parse_expectation(const Token& first) {
    Expectation expectation;
    expectation.line = first.line;
    for (const Token& token : rest_)
      expectation.text += (expectation.text.empty() ? "" : " ") + std::string(token.text);
    expectation.engine = parse_engine_prefix();
    if (error_) return;
    expectation.what = choose(kWhats, "what to expect");
    if (error_) return;
    if (next_ == rest_.size()) {
      if (expectation.what != Expectation::What::kNone) return fail_after(rest_.back(), "expected a location");
      expectation.anywhere = true;
    } else {
      Location location = parse_location(kRegionStride);
      if (error_) return;
      expectation.address = location.address;
      expectation.size = location.whole ? kRegionStride : location.size;
      expectation.exact_bytes = !location.whole;
      if (next_ < rest_.size()) {
        StackId a = parse_site();
        if (error_) return;
        if (next_ == rest_.size()) return fail_after(rest_.back(), "expected a second site");
        expectation.sites = {a, parse_site()};
      }
    }
    script_.expectations.push_back(std::move(expectation));
  }

  void parse_state(const Token& first) {
    StateExpectation state;
    state.line = first.line;
    state.after = script_.events.size();
    state.engine = parse_engine_prefix();
    if (error_) return;
    state.address = parse_location(kDefaultSize).address;
    Token token = take_or_fail("a state");
    if (error_) return;
    if (std::find(kStates.begin(), kStates.end(), token.text) == kStates.end())
      return fail(token, "no machine has a state '" + std::string(token.text) + "'");
    state.state = std::string(token.text);
    script_.states.push_back(std::move(state));
  }

  std::optional<EngineKind> parse_engine_prefix() {
    if (next_ == rest_.size() || rest_[next_].text.back() != ':') return std::nullopt;
    Token token = take();
    auto engine = look_up(kEngineWords, token.text.substr(0, token.text.size() - 1));
    if (!engine) fail(token, "no engine is called '" + std::string(token.text.substr(0, token.text.size() - 1)) + "'");
    return engine;
  }

  ThreadId parse_thread() {
    Token token = take_or_fail("a thread");
    if (error_) return 0;
    auto other = thread_number(token.text);
    if (!other) fail(token, "expected a thread such as t2, not '" + std::string(token.text) + "'");
    return other.value_or(0);
  }

  StackId parse_site() {
    Token token = take();
    if (token.text.size() < 2 || token.text[0] != '@') {
      fail(token, "expected a site such as @a, not '" + std::string(token.text) + "'");
      return kNoStack;
    }
    std::string name(token.text.substr(1));
    auto [it, fresh] = site_numbers_.try_emplace(name, kNoStack);
    if (fresh && !introducing_) {
      fail(token, "no event above has the site '" + std::string(token.text) + "'");
      return kNoStack;
    }
    if (fresh) {
      script_.sites.push_back(name);
      it->second = static_cast<StackId>(script_.sites.size());
    }
    return it->second;
  }

  // name[+offset][:size]
  Location parse_location(uint64_t default_size) {
    Token token = take_or_fail("a location");
    if (error_) return {};
    std::string_view text = token.text;
    Location location;
    location.size = default_size;
    location.whole = true;
    if (size_t colon = text.find(':'); colon != std::string_view::npos) {
      auto size = number(text.substr(colon + 1));
      if (!size) {
        fail_at(token, colon + 1, "expected a size in bytes after ':'");
        return {};
      }
      location.size = *size;
      location.whole = false;
      text = text.substr(0, colon);
    }
    uint64_t offset = 0;
    if (size_t plus = text.find('+'); plus != std::string_view::npos) {
      auto value = number(text.substr(plus + 1));
      if (!value) {
        fail_at(token, plus + 1, "expected an offset in bytes after '+'");
        return {};
      }
      offset = *value;
      if (location.whole) location.size = std::min(default_size, kDefaultSize);
      location.whole = false;
      text = text.substr(0, plus);
    }
    if (!is_name(text) || thread_number(text)) {
      fail(token, "expected a location such as x or x+3:2, not '" + std::string(token.text) + "'");
      return {};
    }
    bool known = std::find(script_.regions.begin(), script_.regions.end(), text) != script_.regions.end();
    if (!known && !introducing_) {
      fail(token, "no event above names '" + std::string(text) + "'");
      return {};
    }
    if (offset > kRegionStride || location.size > kRegionStride - offset) {
      fail(token, "the location ends beyond its region (" + std::to_string(kRegionStride) + " bytes)");
      return {};
    }
    location.address = region(text) + offset;
    return location;
  }

  Address parse_object() {
    if (next_ < rest_.size() && rest_[next_].text.find(':') != std::string_view::npos) {
      fail(rest_[next_], "a synchronization object has no size");
      return 0;
    }
    return parse_location(kDefaultSize).address;
  }

  Address region(std::string_view name) {
    auto it = std::find(script_.regions.begin(), script_.regions.end(), name);
    if (it == script_.regions.end()) it = script_.regions.insert(it, std::string(name));
    return kFirstRegion + kRegionStride * static_cast<Address>(it - script_.regions.begin());
  }

  static void set_location(Event& event, const Location& location) {
    event.address = location.address;
    event.size = location.size;
  }

  template <typename T, size_t N>
  T choose(const std::array<Word<T>, N>& words, const char* what) {
    Token token = take_or_fail(what);
    if (error_) return {};
    auto value = look_up(words, token.text);
    if (!value)
      fail(token, "expected " + std::string(what) + " (" + choices(words) + "), not '" + std::string(token.text) + "'");
    return value.value_or(T{});
  }

  Token take() { return rest_[next_++]; }

  bool take_if(std::string_view word) {
    const bool found = !error_ && next_ < rest_.size() && rest_[next_].text == word;
    if (found) take();
    return found;
  }

  Token take_or_fail(const std::string& what) {
    if (next_ < rest_.size()) return take();
    fail_after(rest_.back(), "expected " + what);
    return {};
  }

  void fail(const Token& token, const std::string& message) { fail_at(token, 0, message); }
  void fail_after(const Token& token, const std::string& message) { fail_at(token, token.text.size(), message); }
  void fail_at(const Token& token, size_t offset, const std::string& message) {
    if (error_) return;
    error_ = ScriptError{std::string(file_) + ":" + std::to_string(token.line) + ":" +
                         std::to_string(token.column + offset) + ": " + message};
  }

  std::string_view text_;
  std::string_view file_;
  Statement rest_;
  size_t next_ = 0;
  bool introducing_ = true;  // may this statement name new regions and sites?
  Script script_;
  std::map<std::string, StackId> site_numbers_;
  std::optional<ScriptError> error_;
};

size_t region_index(Address address) { return static_cast<size_t>((address - kFirstRegion) / kRegionStride); }

std::string location_text(const Script& script, Address address, uint64_t size, uint64_t default_size) {
  std::string text = script.place(address);
  return size == default_size && text.find('+') == std::string::npos ? text : text + ":" + std::to_string(size);
}

std::string event_text(const Script& script, const Event& event) {
  const Verb* verb = std::find_if(kVerbs.begin(), kVerbs.end(), [&](const Verb& v) {
    bool lock = v.kind == K::kLockAcquire || v.kind == K::kLockRelease;
    return v.kind == event.kind && (!lock || v.mode == event.mode) &&
           (v.kind != K::kLockAcquire || v.attempt == event.attempt);
  });
  std::string text = "t" + std::to_string(event.thread) + " " + std::string(verb->word);
  switch (verb->shape) {
    case S::kNothing:
      break;
    case S::kThread:
      text += " t" + std::to_string(event.other);
      break;
    case S::kAccess:
      text += " " + location_text(script, event.address, event.size, kDefaultSize);
      break;
    case S::kRead:
      text += " " + location_text(script, event.address, event.size, kDefaultSize);
      if (event.counts) text += " counting";
      break;
    case S::kSpinRead:
      text += " " + location_text(script, event.address, event.size, kDefaultSize);
      if (event.in_loop) text += " in-loop";
      break;
    case S::kBlock:
      text += " " + location_text(script, event.address, event.size, kRegionSize);
      break;
    case S::kTwoBlocks:
      text += " " + location_text(script, event.address, event.size, kRegionSize) + " " +
              location_text(script, event.other, event.other_size, kRegionSize);
      break;
    case S::kAtomic:
      text += " " + location_text(script, event.address, event.size, kDefaultSize) + " " +
              std::string(name_of(event.order));
      break;
    case S::kFence:
      text += " " + std::string(name_of(event.order));
      break;
    case S::kObject:
      text += " " + script.place(event.address);
      break;
    case S::kLock:
      text += " " + script.place(event.address);
      if (event.uses) text += " using";
      break;
    case S::kForkAfter:
      text += " t" + std::to_string(event.other) + " " + script.place(event.address);
      break;
    case S::kWaitEnter:
    case S::kWaitLeave:
      text += " " + script.place(event.address) + " " + script.place(event.other);
      if (event.in_loop) text += " in-loop";
      if (event.timed_out) text += " timed-out";
      break;
    case S::kBarrierInit:
      text += " " + script.place(event.address) + " " + std::to_string(event.other);
      break;
    case S::kIgnore:
      // A set that has no word of its own is not something a script can say; `all` is the nearest.
      text +=
          " " + std::string(look_up(kIgnorable, word_for(kIgnorable, event.other)) ? word_for(kIgnorable, event.other)
                                                                                   : "all");
      break;
  }
  if (event.where >= 1 && event.where <= script.sites.size() && !script.sites[event.where - 1].empty())
    text += " @" + script.sites[event.where - 1];
  return text;
}

}  // namespace

std::string Script::place(Address address) const {
  size_t index = region_index(address);
  uint64_t offset = (address - kFirstRegion) % kRegionStride;
  std::string text = index < regions.size() ? regions[index] : "r" + std::to_string(index);
  return offset == 0 ? text : text + "+" + std::to_string(offset);
}

std::string Script::site(StackId where) const {
  if (where >= 1 && where <= sites.size() && !sites[where - 1].empty()) return "@" + sites[where - 1];
  for (size_t i = 0; i < events.size(); ++i)
    if (events[i].where == where && i < lines.size()) return "line " + std::to_string(lines[i]);
  return "site " + std::to_string(where);
}

ParseResult parse(std::string_view text, std::string_view file) { return Parser(text, file).run(); }

Script parse_or_throw(std::string_view text) {
  ParseResult result = parse(text);
  if (result.error) throw std::invalid_argument(result.error->message);
  return std::move(result.script);
}

std::string print(const Script& script) {
  std::string text = "engine";
  for (EngineKind engine : script.engines) text += " " + std::string(name_of(engine));
  text += "\n";
  if (script.cv != ConditionMode::kOff) text += "cv " + std::string(name_of(script.cv)) + "\n";
  if (!script.spin) text += "spin off\n";
  if (!script.handover) text += "handover off\n";
  if (!script.lib) text += "lib off\n";
  for (const Event& event : script.events) text += event_text(script, event) + "\n";
  for (const Expectation& expectation : script.expectations) text += expectation.text + "\n";
  return text;
}

Script from_events(std::span<const Event> events) {
  auto has_address = [](const Event& e) { return e.address != 0; };
  auto other_is_address = [](const Event& e) {
    return e.kind == K::kReallocate || e.kind == K::kWaitEnter || e.kind == K::kWaitLeave;
  };
  std::set<Address> bases;
  for (const Event& e : events) {
    if (has_address(e)) bases.insert(e.address / kRegionStride);
    if (other_is_address(e)) bases.insert(e.other / kRegionStride);
  }
  auto moved = [&](Address address) {
    auto index = static_cast<Address>(std::distance(bases.begin(), bases.find(address / kRegionStride)));
    return kFirstRegion + index * kRegionStride + address % kRegionStride;
  };
  Script script;
  for (size_t i = 0; i < bases.size(); ++i) script.regions.push_back("r" + std::to_string(i));
  for (Event e : events) {
    if (has_address(e)) e.address = moved(e.address);
    if (other_is_address(e)) e.other = moved(e.other);
    script.sites.emplace_back();
    e.where = static_cast<StackId>(script.sites.size());
    script.events.push_back(e);
    script.lines.push_back(script.events.size());
  }
  return script;
}

std::string_view name_of(EngineKind engine) { return word_for(kEngineWords, engine); }
std::string_view name_of(MemoryOrder order) { return word_for(kOrders, order); }
std::string_view name_of(Standing standing) { return standing == Standing::kObserved ? "observed" : "predicted"; }
std::string_view name_of(ConditionMode mode) { return word_for(kConditionModes, mode); }

}  // namespace norn::script
