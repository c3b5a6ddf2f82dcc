#include "tests/oracle/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "tests/oracle/oracle.h"

namespace norn::oracle {
namespace {

// Could a program have had this execution? Written apart from the generator's own model; empty if yes.
std::string complaint(const script::Script& s) {
  struct Lock {
    std::map<ThreadId, int> exclusive;
    std::map<ThreadId, int> shared;
  };
  std::map<Address, Lock> locks;
  std::map<Address, int> posts;
  std::map<Address, size_t> barrier_enters;
  std::map<Address, size_t> barrier_sizes;
  std::map<std::pair<ThreadId, Address>, size_t> entered_as;  // which enter of the barrier the thread's was
  std::set<Address> done;
  std::set<ThreadId> forked;
  std::set<ThreadId> ended;
  std::set<ThreadId> acted;
  std::map<ThreadId, Address> waiting;
  std::map<Address, uint64_t> blocks;
  auto bad = [&](size_t i, const char* why) { return "event " + std::to_string(i) + ": " + why; };

  for (size_t i = 0; i < s.events.size(); ++i) {
    const Event& e = s.events[i];
    if (ended.contains(e.thread)) return bad(i, "a thread acts after its end");
    acted.insert(e.thread);
    if (waiting.contains(e.thread) && e.kind != EventKind::kWaitLeave) return bad(i, "a waiting thread acts");
    auto acquire = [&](Address m, LockMode mode) -> std::optional<std::string> {
      Lock& l = locks[m];
      for (auto& [who, depth] : l.exclusive)
        if (depth > 0 && (who != e.thread || mode == LockMode::kShared)) return bad(i, "the lock is taken");
      if (mode == LockMode::kExclusive)
        for (auto& [who, depth] : l.shared)
          if (depth > 0) return bad(i, "the lock is shared");
      ++(mode == LockMode::kExclusive ? l.exclusive : l.shared)[e.thread];
      return std::nullopt;
    };
    auto release = [&](Address m) {
      Lock& l = locks[m];
      if (l.exclusive[e.thread] > 0) return --l.exclusive[e.thread], true;
      if (l.shared[e.thread] > 0) return --l.shared[e.thread], true;
      return false;
    };
    switch (e.kind) {
      case EventKind::kThreadFork: {
        auto child = static_cast<ThreadId>(e.other);
        if (acted.contains(child) || !forked.insert(child).second) return bad(i, "a thread is born twice");
        break;
      }
      case EventKind::kThreadExit:
        ended.insert(e.thread);
        break;
      case EventKind::kThreadJoin:
        if (!ended.contains(static_cast<ThreadId>(e.other))) return bad(i, "a join before the end");
        break;
      case EventKind::kLockAcquire:
        if (auto why = acquire(e.address, e.mode)) return *why;
        break;
      case EventKind::kLockRelease:
        if (!release(e.address)) return bad(i, "an unlock of what is not held");
        break;
      case EventKind::kWaitEnter:
        if (!release(e.other)) return bad(i, "a wait without the mutex");
        waiting[e.thread] = e.address;
        break;
      case EventKind::kWaitLeave:
        if (!waiting.contains(e.thread) || waiting[e.thread] != e.address) return bad(i, "a leave without an enter");
        waiting.erase(e.thread);
        if (auto why = acquire(e.other, LockMode::kExclusive)) return *why;
        break;
      case EventKind::kBarrierInit:
        barrier_sizes[e.address] = e.other;
        break;
      case EventKind::kBarrierEnter:
        entered_as[{e.thread, e.address}] = barrier_enters[e.address]++;
        break;
      case EventKind::kBarrierLeave:
        if (size_t n = barrier_sizes[e.address]; n > 0) {
          size_t generation = entered_as[{e.thread, e.address}] / n;
          if (barrier_enters[e.address] < (generation + 1) * n) return bad(i, "the generation is not complete");
        }
        break;
      case EventKind::kSemaphorePost:
        ++posts[e.address];
        break;
      case EventKind::kSemaphoreWait:
        if (--posts[e.address] < 0) return bad(i, "a wait without a post");
        break;
      case EventKind::kSyncDestroy:
        posts[e.address] = 0;
        break;
      case EventKind::kOnceDone:
        done.insert(e.address);
        break;
      case EventKind::kOnceSeen:
        if (!done.contains(e.address)) return bad(i, "seen before done");
        break;
      case EventKind::kAllocate:
        if (!blocks.emplace(e.address, e.size).second) return bad(i, "allocated twice");
        break;
      case EventKind::kFree:
      case EventKind::kReallocate:
        if (!blocks.contains(e.address) || blocks[e.address] != e.size) return bad(i, "not a live block");
        blocks.erase(e.address);
        for (auto& [m, l] : locks) {
          if (m < e.address || m >= e.address + e.size) continue;
          for (auto& holders : {l.exclusive, l.shared})
            for (auto& [who, depth] : holders)
              if (depth > 0 && e.address != e.other) return bad(i, "a held lock is freed");
        }
        if (e.kind == EventKind::kReallocate && !blocks.emplace(e.other, e.other_size).second)
          return bad(i, "allocated twice");
        break;
      default:
        break;
    }
  }
  return "";
}

GeneratorOptions everything() {
  GeneratorOptions o;
  o.max_threads = 8;
  o.max_locks = 12;
  o.spins = true;
  return o;
}

TEST(Generator, ScriptsAreValid) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    script::Script s = play(make_plan(seed, everything()));
    ASSERT_EQ(complaint(s), "") << script::print(s);
  }
}

TEST(Generator, SimplerPlansAreValid) {
  for (uint64_t seed = 0; seed < 40; ++seed)
    for (const Plan& plan : simpler(make_plan(seed, everything()))) {
      script::Script s = play(plan);
      ASSERT_EQ(complaint(s), "") << script::print(s);
    }
}

TEST(Generator, ScriptsPrintAndParse) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    script::Script s = play(make_plan(seed, everything()));
    std::string text = script::print(s);
    auto again = script::parse(text);
    ASSERT_FALSE(again.error) << again.error->message;
    ASSERT_EQ(script::print(again.script), text);
  }
}

TEST(Generator, SameSeedSameScript) {
  EXPECT_EQ(script::print(play(make_plan(7, {}))), script::print(play(make_plan(7, {}))));
  EXPECT_NE(script::print(play(make_plan(7, {}))), script::print(play(make_plan(8, {}))));
}

// What front ends do for constructs of their own, and what they find out of a program while it runs.
constexpr bool is_front_ends_own(EventKind kind) {
  using enum EventKind;
  switch (kind) {
    case kThreadStart:
    case kForkAfter:
    case kBeginAgain:
    case kRenew:
    case kMap:
    case kUnmap:
    case kBirth:
    case kForget:
    case kUse:
    case kUnsampledBefore:
    case kUnsampledAfter:
    case kClockRelease:
    case kClockAcquire:
    case kClockClear:
    case kLook:
    case kLeaveByAtomic:
    case kComeAfterAll:
    case kExpectSpins:
    case kExpectConditions:
    case kObserveOnly:
    case kUseEpoch:
      return true;
    default:
      return false;
  }
}

TEST(Generator, EveryEventKindTurnsUp) {
  std::set<EventKind> seen;
  std::set<MemoryOrder> orders;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    for (const Event& e : play(make_plan(seed, everything())).events) {
      seen.insert(e.kind);
      if (e.kind == EventKind::kAtomicRmw) orders.insert(e.order);
    }
  }
  for (size_t kind = 0; kind < kEventKinds; ++kind) {
    auto k = static_cast<EventKind>(kind);
    if (!is_front_ends_own(k)) EXPECT_TRUE(seen.contains(k)) << "event kind " << kind;
  }
  EXPECT_EQ(orders.size(), 5u);
}

// A generator whose scripts all race, or never do, would test little.
TEST(Generator, StandingsAreMixed) {
  struct Mode {
    const char* name;
    GeneratorOptions options;
  };
  GeneratorOptions wr;
  wr.cv = ConditionMode::kWriteRead;
  GeneratorOptions spins;
  spins.spins = true;
  GeneratorOptions universal = spins;
  universal.lib = false;
  universal.conditions = false;
  GeneratorOptions many;
  many.min_threads = 5;
  many.max_threads = 8;
  many.max_locks = 12;
  for (const Mode& mode : {Mode{"plain", {}}, Mode{"cv=wr", wr}, Mode{"spins", spins}, Mode{"lib=off", universal},
                           Mode{"many threads", many}}) {
    int none = 0;
    int only_predicted = 0;
    int observed = 0;
    size_t events = 0;
    constexpr int kScripts = 2000;
    for (uint64_t seed = 0; seed < kScripts; ++seed) {
      Plan plan = make_plan(seed, mode.options);
      script::Script s = play(plan);
      events += s.events.size();
      Verdict v = judge(s.events, {.cv = plan.cv, .spin = plan.spin, .lib = plan.lib});
      bool seen = std::any_of(v.bytes.begin(), v.bytes.end(),
                              [](const auto& b) { return b.second.standing == Standing::kObserved; });
      ++(v.bytes.empty() ? none : seen ? observed : only_predicted);
    }
    std::printf("%-12s none %4.1f %%, only predicted %4.1f %%, observed %4.1f %%; %.0f events\n", mode.name,
                100.0 * none / kScripts, 100.0 * only_predicted / kScripts, 100.0 * observed / kScripts,
                static_cast<double>(events) / kScripts);
    EXPECT_GT(none, kScripts / 20) << mode.name;
    EXPECT_GT(observed, kScripts / 10) << mode.name;
    if (mode.options.lib) EXPECT_GT(only_predicted, kScripts / 20) << mode.name;
  }
}

}  // namespace
}  // namespace norn::oracle
