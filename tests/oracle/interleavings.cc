#include "tests/oracle/interleavings.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace norn::oracle {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  std::istringstream in(text);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

enum class Phase { kStart, kInside, kWaiting, kDone };  // within a step

struct Runner {
  size_t step = 0;
  Phase phase = Phase::kStart;
  bool signalled = false;
};

struct State {
  std::vector<Runner> threads;
  std::map<std::string, size_t> holders;  // lock -> thread
  std::set<std::string> flags;
  int spurious = 0;
  bool waited = false;
  std::vector<std::string> history;
};

class Enumerator {
 public:
  Enumerator(const Program& program, const InterleavingOptions& options,
             const std::function<void(const Interleaving&)>& visit)
      : options_(options), visit_(visit) {
    for (const auto& thread : program) {
      steps_.emplace_back();
      for (const std::string& step : thread) steps_.back().push_back(words_of(step));
    }
  }

  InterleavingCount run() {
    State state;
    state.threads.resize(steps_.size());
    state.spurious = options_.spurious;
    explore(state, steps_.size());
    return count_;
  }

 private:
  void explore(const State& state, size_t last) {
    if (options_.switching == Switching::kOutsideLocks && last < steps_.size() && holds_a_lock(state, last)) {
      auto next = successors(state, last);
      if (!next.empty()) {
        for (const State& s : next) explore(s, last);
        return;
      }
    }
    bool any = false;
    bool all_done = true;
    for (size_t t = 0; t < steps_.size(); ++t) {
      all_done = all_done && state.threads[t].step == steps_[t].size();
      for (const State& s : successors(state, t)) {
        any = true;
        explore(s, t);
      }
    }
    if (any) return;
    if (!all_done) {
      ++count_.stuck;
      return;
    }
    ++count_.complete;
    std::string text;
    for (const std::string& line : state.history) text += line + "\n";
    visit_({script::parse_or_throw(text), state.waited});
  }

  [[nodiscard]] static bool holds_a_lock(const State& state, size_t t) {
    return std::any_of(state.holders.begin(), state.holders.end(), [&](const auto& h) { return h.second == t; });
  }

  // What thread t may do next; none if it is blocked or at its end.
  [[nodiscard]] std::vector<State> successors(const State& state, size_t t) const {
    const Runner& runner = state.threads[t];
    if (runner.step == steps_[t].size()) return {};
    const Words& words = steps_[t][runner.step];
    const std::string& verb = words[0];
    State s = state;
    auto say = [&](const std::string& what) { s.history.push_back("t" + std::to_string(t + 1) + " " + what); };
    auto go_on = [&]() -> std::vector<State> {
      ++s.threads[t].step;
      s.threads[t].phase = Phase::kStart;
      return {s};
    };
    auto enter = [&](Phase phase) -> std::vector<State> {
      s.threads[t].phase = phase;
      return {s};
    };

    if (verb == "set") {
      s.flags.insert(words[1]);
      say("write " + words[1] + rest(words, 2));
      return go_on();
    }
    if (verb == "if") {
      say("read " + words[1]);
      if (s.flags.contains(words[1])) say(words[2] + rest(words, 3));
      return go_on();
    }
    if (verb == "spin-until") {
      // Reading again what is still unset changes nothing: once is enough.
      bool set = s.flags.contains(words[1]);
      if (runner.phase == Phase::kInside && !set) return {};
      say("spin-read " + words[1]);
      if (!set) return enter(Phase::kInside);
      say("spin-leave");
      return go_on();
    }
    if (verb == "until") return wait_loop(s, t, words[1], words[2], words[3]);
    if (verb == "wait") {
      if (runner.phase == Phase::kStart) return {enter_wait(s, t, words[1], words[2], "")};
      if (!may_wake(s, t, words[2])) return {};
      leave_wait(s, t, words[1], words[2], "");
      return go_on();
    }
    if (verb == "lock") {
      if (s.holders.contains(words[1])) return {};
      s.holders[words[1]] = t;
    }
    if (verb == "unlock") s.holders.erase(words[1]);
    say(verb + rest(words, 1));
    if (verb == "signal" || verb == "broadcast") return notify(s, t, words[1], verb == "broadcast");
    return go_on();
  }

  std::vector<State> wait_loop(State s, size_t t, const std::string& flag, const std::string& cv,
                               const std::string& mutex) const {
    Runner& me = s.threads[t];
    auto say = [&](const std::string& what) { s.history.push_back("t" + std::to_string(t + 1) + " " + what); };
    switch (me.phase) {
      case Phase::kStart:
        say("read " + flag);
        me.phase = s.flags.contains(flag) ? Phase::kDone : Phase::kInside;
        return {s};
      case Phase::kInside:
        return {enter_wait(std::move(s), t, cv, mutex, " in-loop")};
      case Phase::kWaiting:
        if (!may_wake(s, t, mutex)) return {};
        leave_wait(s, t, cv, mutex, " in-loop");
        me.phase = Phase::kStart;
        return {s};
      case Phase::kDone:
        say("wait-loop-leave " + cv);
        ++me.step;
        me.phase = Phase::kStart;
        return {s};
    }
    return {};
  }

  static State enter_wait(State s, size_t t, const std::string& cv, const std::string& mutex, const char* how) {
    s.history.push_back("t" + std::to_string(t + 1) + " wait-enter " + cv + " " + mutex + how);
    s.holders.erase(mutex);
    s.threads[t].phase = Phase::kWaiting;
    s.threads[t].signalled = false;
    s.waited = true;
    return s;
  }

  static bool may_wake(const State& s, size_t t, const std::string& mutex) {
    return (s.threads[t].signalled || s.spurious > 0) && !s.holders.contains(mutex);
  }

  static void leave_wait(State& s, size_t t, const std::string& cv, const std::string& mutex, const char* how) {
    if (!s.threads[t].signalled) --s.spurious;
    s.history.push_back("t" + std::to_string(t + 1) + " wait-leave " + cv + " " + mutex + how);
    s.holders[mutex] = t;
  }

  [[nodiscard]] std::vector<State> notify(State s, size_t t, const std::string& cv, bool all) const {
    ++s.threads[t].step;
    std::vector<size_t> waiting;
    for (size_t other = 0; other < steps_.size(); ++other) {
      const Runner& r = s.threads[other];
      if (r.phase != Phase::kWaiting || r.signalled) continue;
      const Words& words = steps_[other][r.step];
      if (words[words.size() - 2] == cv) waiting.push_back(other);
    }
    if (all)
      for (size_t other : waiting) s.threads[other].signalled = true;
    if (all || waiting.empty()) return {s};
    std::vector<State> choices;
    for (size_t other : waiting) {
      choices.push_back(s);
      choices.back().threads[other].signalled = true;
    }
    return choices;
  }

  static std::string rest(const Words& words, size_t from) {
    std::string text;
    for (size_t i = from; i < words.size(); ++i) text += " " + words[i];
    return text;
  }

  InterleavingOptions options_;
  const std::function<void(const Interleaving&)>& visit_;
  std::vector<std::vector<Words>> steps_;
  InterleavingCount count_;
};

}  // namespace

InterleavingCount for_each_interleaving(const Program& program, const InterleavingOptions& options,
                                        const std::function<void(const Interleaving&)>& visit) {
  return Enumerator(program, options, visit).run();
}

Program figure_6_1() {
  return {{"write DATA @sender", "lock m", "set FLAG", "signal CV", "unlock m"},
          {"lock m", "until FLAG CV m", "unlock m", "write DATA @receiver"}};
}

Program figure_6_3() {
  return {{"write X @s1", "lock m", "set FLAG1", "broadcast CV", "unlock m"},
          {"write Y @s2", "lock m", "set FLAG2", "broadcast CV", "unlock m"},
          {"lock m", "until FLAG1 CV m", "unlock m", "read X @w1"},
          {"lock m", "until FLAG2 CV m", "unlock m", "read Y @w2", "read X @harmful"}};
}

Program figure_6_7() {
  return {{"lock m", "write QUEUE", "unlock m", "write TASK @put", "signal CV"},
          {"lock m", "wait CV m", "unlock m", "read TASK @get"}};
}

Program figure_7_2() { return {{"write DATA @before", "set FLAG @flag"}, {"spin-until FLAG", "write DATA @after"}}; }

Program racefuzzer_fig_1() {
  return {{"write x @1", "lock L", "set y", "unlock L", "read z @5"},
          {"write z @7", "lock L", "if y read x @10", "unlock L"}};
}

}  // namespace norn::oracle
