#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <vector>

#include "loops/loop.h"

namespace norn::loops {
namespace {

// A loop written down: blocks first, then values in them. Values of outside are kNone and leave no trace.
class Draft {
 public:
  explicit Draft(Index blocks) : blocks_(blocks) {}

  Index value(Kind kind, Index block, std::initializer_list<Index> operands = {}, Index location = kNone) {
    values_.push_back({kind, block, static_cast<Index>(operands_.size()), 0, location});
    const auto index = static_cast<Index>(values_.size() - 1);
    for (const Index operand : operands) {
      if (operand != kNone) {
        operands_.push_back(operand);
        ++values_.back().operand_count;
      }
    }
    return index;
  }
  // A merge whose operands are known only later.
  void complete(Index merge, std::initializer_list<Index> operands) {
    values_[merge].first_operand = static_cast<Index>(operands_.size());
    values_[merge].operand_count = static_cast<Index>(operands.size());
    operands_.insert(operands_.end(), operands);
  }
  void go(Index block, std::initializer_list<Index> successors, Index guard = kNone) {
    blocks_[block] = {static_cast<Index>(successors_.size()), static_cast<Index>(successors.size()), guard};
    successors_.insert(successors_.end(), successors);
  }
  void writes(Index location) { written_.push_back(location); }
  Value& at(Index value) { return values_[value]; }

  Judgement judge(Index block, Index condition) {
    const Loop loop = {values_, operands_, blocks_, successors_, written_};
    std::vector<uint32_t> scratch(scratch_words(loop));
    in_condition_ = std::make_unique<bool[]>(values_.size());
    return loops::judge(loop, {block, condition}, scratch, {in_condition_.get(), values_.size()});
  }
  [[nodiscard]] bool in_condition(Index value) const { return in_condition_[value]; }

 private:
  std::vector<Value> values_;
  std::vector<Index> operands_;
  std::vector<Block> blocks_;
  std::vector<Index> successors_;
  std::vector<Index> written_;
  std::unique_ptr<bool[]> in_condition_;
};

constexpr Index kFlag = 1;
constexpr Index kOther = 2;
constexpr Index kThird = 3;

// Figures 1.8, 7.2, 7.4: while (!flag);
TEST(Judge, AFlagAlone) {
  Draft d(1);
  const Index flag = d.value(Kind::kRead, 0, {}, kFlag);
  const Index zero = d.value(Kind::kCompute, 0, {flag});
  d.go(0, {kNone, 0}, zero);
  const Judgement j = d.judge(0, zero);
  EXPECT_EQ(j.verdict, Verdict::kSpins);
  EXPECT_EQ(j.blocks, 1u);
  EXPECT_TRUE(j.resolved);
  EXPECT_TRUE(d.in_condition(flag));
}

// Figure 7.6: while (spinlock != 0) sched_yield(); and any other work.
TEST(Judge, AFlagPolledWhileWorking) {
  Draft d(3);
  const Index flag = d.value(Kind::kRead, 0, {}, kFlag);
  d.value(Kind::kChange, 1);
  d.writes(kOther);
  d.go(0, {kNone, 1}, flag);
  d.go(1, {2});
  d.go(2, {0});
  const Judgement j = d.judge(0, flag);
  EXPECT_EQ(j.verdict, Verdict::kSpins);
  EXPECT_EQ(j.blocks, 1u) << "the work is no part of the condition";
}

// while ((n = amount) == 0); sum += n;
TEST(Judge, AValueThatIsUsedOtherwiseIsData) {
  Draft d(1);
  const Index amount = d.value(Kind::kRead, 0, {}, kFlag);
  d.at(amount).reads_plainly = true;
  d.at(amount).used_otherwise = true;
  d.go(0, {kNone, 0}, amount);
  const Judgement j = d.judge(0, amount);
  EXPECT_EQ(j.verdict, Verdict::kData);
  EXPECT_EQ(j.because, amount);
}

// while (!pool->stop) work(pool): what leads to the flag may be used.
TEST(Judge, AnAddressThatIsUsedOtherwise) {
  Draft d(1);
  const Index pool = d.value(Kind::kRead, 0, {}, kOther);
  d.at(pool).reads_plainly = true;
  d.at(pool).used_otherwise = true;
  const Index stop = d.value(Kind::kRead, 0, {pool}, kFlag);
  d.go(0, {kNone, 0}, stop);
  EXPECT_EQ(d.judge(0, stop).verdict, Verdict::kSpins);
  // But not if it decides, too: while (pool == 0 || !pool->stop), as one condition.
  const Index both = d.value(Kind::kCompute, 0, {stop, pool});
  EXPECT_EQ(d.judge(0, both).verdict, Verdict::kData);
}

// A sequence lock's payload, only compared.
TEST(Judge, WhatIsReadPlainlyBesideAnAtomicIsData) {
  Draft d(1);
  const Index sequence = d.value(Kind::kRead, 0, {}, kOther);
  d.at(sequence).reads_atomics = true;
  const Index payload = d.value(Kind::kRead, 0, {}, kFlag);
  d.at(payload).reads_plainly = true;
  const Index both = d.value(Kind::kCompute, 0, {sequence, payload});
  d.go(0, {kNone, 0}, both);
  EXPECT_EQ(d.judge(0, both).verdict, Verdict::kData);
  EXPECT_EQ(d.judge(0, sequence).verdict, Verdict::kSpins);
  EXPECT_EQ(d.judge(0, payload).verdict, Verdict::kSpins);
}

TEST(Judge, AFlagThatTheLoopWrites) {
  Draft d(1);
  const Index flag = d.value(Kind::kRead, 0, {}, kFlag);
  d.writes(kFlag);
  d.go(0, {kNone, 0}, flag);
  const Judgement j = d.judge(0, flag);
  EXPECT_EQ(j.verdict, Verdict::kWritten);
  EXPECT_EQ(j.because, flag);
  EXPECT_TRUE(j.reads_memory);
}

// for (i = 0; i < n; ++i)
TEST(Judge, ACounter) {
  Draft d(1);
  const Index i = d.value(Kind::kMerge, 0);
  const Index next = d.value(Kind::kCompute, 0, {i});
  d.complete(i, {next});
  const Index less = d.value(Kind::kCompute, 0, {next});
  d.go(0, {0, kNone}, less);
  EXPECT_EQ(d.judge(0, less).verdict, Verdict::kChanges);
  EXPECT_FALSE(d.judge(0, less).reads_memory);
}

// while (i < shared_n) ++i: memory and a counter.
TEST(Judge, ACounterAgainstMemory) {
  Draft d(1);
  const Index i = d.value(Kind::kMerge, 0);
  const Index next = d.value(Kind::kCompute, 0, {i});
  d.complete(i, {next});
  const Index n = d.value(Kind::kRead, 0, {}, kFlag);
  const Index less = d.value(Kind::kCompute, 0, {next, n});
  d.go(0, {0, kNone}, less);
  EXPECT_EQ(d.judge(0, less).verdict, Verdict::kChanges);
}

// for (i = 0; i < 100 && !flag; ++i): two exits, each by itself.
TEST(Judge, ABoundedWaitExitByExit) {
  Draft d(2);
  const Index i = d.value(Kind::kMerge, 0);
  const Index less = d.value(Kind::kCompute, 0, {i});
  const Index flag = d.value(Kind::kRead, 1, {}, kFlag);
  const Index next = d.value(Kind::kCompute, 1, {i});
  d.complete(i, {next});
  d.go(0, {1, kNone}, less);
  d.go(1, {kNone, 0}, flag);
  EXPECT_EQ(d.judge(0, less).verdict, Verdict::kChanges);
  EXPECT_EQ(d.judge(1, flag).verdict, Verdict::kSpins);
}

// Figure 7.8: while (runp != NULL) if (runp->handle == handle) break; else runp = runp->next;
TEST(Judge, AListWalk) {
  Draft d(2);
  const Index runp = d.value(Kind::kMerge, 0);
  const Index null = d.value(Kind::kCompute, 0, {runp});
  const Index handle = d.value(Kind::kRead, 1, {runp});
  const Index next = d.value(Kind::kRead, 1, {runp});
  const Index same = d.value(Kind::kCompute, 1, {handle});
  d.complete(runp, {next});
  d.go(0, {kNone, 1}, null);
  d.go(1, {kNone, 0}, same);
  EXPECT_EQ(d.judge(0, null).verdict, Verdict::kChanges);
  EXPECT_EQ(d.judge(1, same).verdict, Verdict::kChanges);
}

// for (i…) if (a[i] == k && enabled) break; the flag decides the exit, but the cursor leads to it.
TEST(Judge, ASearchThatAsksAFlagToo) {
  Draft d(3);
  const Index i = d.value(Kind::kMerge, 0);
  const Index next = d.value(Kind::kCompute, 0, {i});
  d.complete(i, {next});
  const Index element = d.value(Kind::kRead, 0, {i});
  const Index enabled = d.value(Kind::kRead, 1, {}, kFlag);
  d.go(0, {1, 2}, element);
  d.go(1, {kNone, 2}, enabled);
  d.go(2, {0});
  EXPECT_EQ(d.judge(1, enabled).verdict, Verdict::kChanges);
}

// while (!(a && b)): two blocks, one exit.
TEST(Judge, BothOfTwoFlags) {
  Draft d(3);
  const Index a = d.value(Kind::kRead, 0, {}, kFlag);
  const Index b = d.value(Kind::kRead, 1, {}, kOther);
  d.go(0, {1, 2}, a);
  d.go(1, {kNone, 2}, b);
  d.go(2, {0});
  const Judgement j = d.judge(1, b);
  EXPECT_EQ(j.verdict, Verdict::kSpins);
  EXPECT_EQ(j.blocks, 2u);
  EXPECT_TRUE(d.in_condition(a));
  EXPECT_TRUE(d.in_condition(b));
}

// while (a && b): two exits; leaving by one says nothing of the other.
TEST(Judge, EitherOfTwoFlags) {
  Draft d(2);
  const Index a = d.value(Kind::kRead, 0, {}, kFlag);
  const Index b = d.value(Kind::kRead, 1, {}, kOther);
  d.go(0, {1, kNone}, a);
  d.go(1, {0, kNone}, b);
  EXPECT_EQ(d.judge(1, b).verdict, Verdict::kSpins);
  EXPECT_FALSE(d.in_condition(a));
  EXPECT_EQ(d.judge(0, a).verdict, Verdict::kSpins);
  EXPECT_FALSE(d.in_condition(b));
}

// Listing 8.1: while (f1) while (f2) while (f3); seen from the outermost.
TEST(Judge, NestedSpins) {
  Draft d(3);
  const Index f1 = d.value(Kind::kRead, 0, {}, kFlag);
  const Index f2 = d.value(Kind::kRead, 1, {}, kOther);
  const Index f3 = d.value(Kind::kRead, 2, {}, kThird);
  d.go(0, {1, kNone}, f1);
  d.go(1, {2, 0}, f2);
  d.go(2, {2, 1}, f3);
  EXPECT_EQ(d.judge(0, f1).verdict, Verdict::kSpins);
  EXPECT_FALSE(d.in_condition(f2));
}

// Figure 7.10: do { lock(l); c = COND; unlock(l); sleep(1); } while (c);
TEST(Judge, AFlagCopiedUnderALock) {
  Draft d(1);
  d.value(Kind::kChange, 0);
  const Index c = d.value(Kind::kRead, 0, {}, kFlag);
  d.value(Kind::kChange, 0);
  d.go(0, {0, kNone}, c);
  EXPECT_EQ(d.judge(0, c).verdict, Verdict::kSpins);
}

// c = 0; while (!c) c = flag: the copy comes round.
TEST(Judge, ACopyThatComesRound) {
  Draft d(2);
  const Index c = d.value(Kind::kMerge, 0);
  const Index flag = d.value(Kind::kRead, 1, {}, kFlag);
  d.complete(c, {flag});
  d.go(0, {kNone, 1}, c);
  d.go(1, {0});
  EXPECT_EQ(d.judge(0, c).verdict, Verdict::kSpins);
  EXPECT_TRUE(d.in_condition(flag));
}

// done = false; while (!done) if (flag) done = true: constants, chosen by the flag.
TEST(Judge, ALocalSetBecauseOfTheFlag) {
  Draft d(4);
  const Index done = d.value(Kind::kMerge, 0);
  const Index flag = d.value(Kind::kRead, 1, {}, kFlag);
  const Index now = d.value(Kind::kMerge, 3, {done});
  d.complete(done, {now});
  d.go(0, {kNone, 1}, done);
  d.go(1, {2, 3}, flag);
  d.go(2, {3});
  d.go(3, {0});
  const Judgement j = d.judge(0, done);
  EXPECT_EQ(j.verdict, Verdict::kSpins);
  EXPECT_TRUE(d.in_condition(flag));
}

// The same with `if (++i > 9) done = true`.
TEST(Judge, ALocalSetBecauseOfACounter) {
  Draft d(4);
  const Index done = d.value(Kind::kMerge, 0);
  const Index i = d.value(Kind::kMerge, 0);
  const Index next = d.value(Kind::kCompute, 1, {i});
  d.complete(i, {next});
  const Index now = d.value(Kind::kMerge, 3, {done});
  d.complete(done, {now});
  d.go(0, {kNone, 1}, done);
  d.go(1, {2, 3}, next);
  d.go(2, {3});
  d.go(3, {0});
  EXPECT_EQ(d.judge(0, done).verdict, Verdict::kChanges);
}

// The same as one instruction: done = flag ? true : done.
TEST(Judge, ALocalSelectedByTheFlag) {
  Draft d(1);
  const Index done = d.value(Kind::kMerge, 0);
  const Index flag = d.value(Kind::kRead, 0, {}, kFlag);
  const Index now = d.value(Kind::kSelect, 0, {flag, done});
  d.complete(done, {now});
  d.go(0, {kNone, 0}, now);
  EXPECT_EQ(d.judge(0, now).verdict, Verdict::kSpins);
}

// sum += flag; until sum > 3: the loop counts what it reads.
TEST(Judge, AReduction) {
  Draft d(1);
  const Index sum = d.value(Kind::kMerge, 0);
  const Index flag = d.value(Kind::kRead, 0, {}, kFlag);
  const Index next = d.value(Kind::kCompute, 0, {sum, flag});
  d.complete(sum, {next});
  d.go(0, {kNone, 0}, next);
  EXPECT_EQ(d.judge(0, next).verdict, Verdict::kChanges);
}

// while (head->next == NULL): the address is read too, each time from the same place.
TEST(Judge, AnAddressThatIsRead) {
  Draft d(1);
  const Index head = d.value(Kind::kRead, 0, {}, kFlag);
  const Index next = d.value(Kind::kRead, 0, {head});
  d.go(0, {kNone, 0}, next);
  EXPECT_EQ(d.judge(0, next).verdict, Verdict::kSpins);
  EXPECT_TRUE(d.in_condition(head));
}

// do { ready = true; for (i…) if (!flags[i]) ready = false; } while (!ready): the inner cursor starts anew each time.
TEST(Judge, AllFlagsOfAnArray) {
  Draft d(3);  // 0: outer header; 1: inner loop; 2: outer latch
  const Index i = d.value(Kind::kMerge, 1);
  const Index ready = d.value(Kind::kMerge, 1);
  const Index flag = d.value(Kind::kRead, 1, {i});
  const Index next = d.value(Kind::kCompute, 1, {i});
  const Index less = d.value(Kind::kCompute, 1, {next});
  const Index all = d.value(Kind::kCompute, 1, {ready, flag});
  d.complete(i, {next});
  d.complete(ready, {all});
  d.go(0, {1});
  d.go(1, {1, 2}, less);
  d.go(2, {0, kNone}, all);
  EXPECT_EQ(d.judge(2, all).verdict, Verdict::kSpins);
}

// while (!ready()): by a function that only reads, and by one that is known at run time only.
TEST(Judge, ConditionsThatAreCalls) {
  Draft d(1);
  const Index accessor = d.value(Kind::kAccessor, 0);
  d.go(0, {kNone, 0}, accessor);
  EXPECT_EQ(d.judge(0, accessor).verdict, Verdict::kSpins);
  EXPECT_TRUE(d.judge(0, accessor).resolved);

  Draft e(1);
  const Index pointer = e.value(Kind::kUnresolved, 0);
  e.go(0, {kNone, 0}, pointer);
  EXPECT_EQ(e.judge(0, pointer).verdict, Verdict::kSpins);
  EXPECT_FALSE(e.judge(0, pointer).resolved);
}

// while (!done(node)) node = next(node)
TEST(Judge, ACallWithACursor) {
  Draft d(1);
  const Index node = d.value(Kind::kMerge, 0);
  const Index done = d.value(Kind::kAccessor, 0, {node});
  const Index next = d.value(Kind::kAccessor, 0, {node});
  d.complete(node, {next});
  d.go(0, {kNone, 0}, done);
  EXPECT_EQ(d.judge(0, done).verdict, Verdict::kChanges);
}

// Figure 10.1: while (try_lock(MU) == 0) unlock(MU);
TEST(Judge, ATryThatFails) {
  Draft d(2);
  const Index taken = d.value(Kind::kTryLock, 0);
  d.go(0, {1, kNone}, taken);
  d.go(1, {0});
  EXPECT_EQ(d.judge(0, taken).verdict, Verdict::kSpins);
}

// Figure 7.5: while (test_and_set(l)) while (l);
TEST(Judge, ATestAndSetLock) {
  Draft d(2);
  const Index set = d.value(Kind::kTestAndSet, 0, {}, kFlag);
  const Index held = d.value(Kind::kRead, 1, {}, kFlag);
  d.go(0, {1, kNone}, set);
  d.go(1, {1, 0}, held);
  EXPECT_EQ(d.judge(0, set).verdict, Verdict::kSpins);
}

// while (!ready) if (timedwait() == ETIMEDOUT) break;
TEST(Judge, AWaitThatTimesOut) {
  Draft d(2);
  const Index ready = d.value(Kind::kRead, 0, {}, kFlag);
  const Index result = d.value(Kind::kWait, 1);
  d.go(0, {kNone, 1}, ready);
  d.go(1, {kNone, 0}, result);
  EXPECT_EQ(d.judge(0, ready).verdict, Verdict::kSpins);
  EXPECT_EQ(d.judge(1, result).verdict, Verdict::kTimesOut);
}

TEST(Judge, ALoopWithoutACondition) {
  Draft d(1);
  d.go(0, {0});
  EXPECT_EQ(d.judge(0, kNone).verdict, Verdict::kReadsNothing);
}

// if (x) work1(); else work2(); while (!flag): what leads to the condition on every way does not decide it.
TEST(Judge, BranchesOfTheWorkDecideNothing) {
  Draft d(4);
  const Index x = d.value(Kind::kChange, 0);
  const Index flag = d.value(Kind::kRead, 3, {}, kFlag);
  d.go(0, {1, 2}, x);
  d.go(1, {3});
  d.go(2, {3});
  d.go(3, {kNone, 0}, flag);
  const Judgement j = d.judge(3, flag);
  EXPECT_EQ(j.verdict, Verdict::kSpins);
  EXPECT_EQ(j.blocks, 1u);
}

}  // namespace
}  // namespace norn::loops
