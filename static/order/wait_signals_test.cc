// Small modules, as text: which accesses come after a wait, and which pointers stay apart.
#include "static/order/wait_signals.h"

#include <gtest/gtest.h>

#include <memory>

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "static/program/linked_program.h"

namespace norn::statics {
namespace {

// Two threads: @signals, and @waits, which is created after it. The one stores to @data first.
std::string two_threads(const std::string& signals, const std::string& waits, const char* first = "0") {
  return R"(
@data = global i32 0
@cell = global i32 )" +
         std::string(first) + R"(
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
define ptr @signals(ptr %argument) {
  store i32 1, ptr @data
)" + signals +
         R"(  ret ptr null
}
define ptr @waits(ptr %argument) {
  br label %loop
loop:
)" + waits +
         R"(left:
  store i32 2, ptr @data
  ret ptr null
}
define i32 @main() {
  %one = alloca i64
  %two = alloca i64
  %a = call i32 @pthread_create(ptr %one, ptr null, ptr @signals, ptr null)
  %b = call i32 @pthread_create(ptr %two, ptr null, ptr @waits, ptr null)
  ret i32 0
}
)";
}

constexpr const char* kAcquires = R"(  %value = load atomic i32, ptr @cell acquire, align 4
  %ready = icmp ne i32 %value, 0
  br i1 %ready, label %left, label %loop
)";

// Whether all stores of 1 come before whoever stores 2.
bool is_ordered(const std::string& text) {
  Program program;
  std::string error;
  EXPECT_TRUE(program.load_text(text, error)) << error;
  program.prepare();
  const PointsTo points_to(program.module());
  const Threads threads(program.module(), points_to);
  EXPECT_EQ(threads.all().size(), 3U);
  const Waits none;
  const Locks without_waits(program.module(), points_to, threads, none);
  Signals signals(points_to, threads, without_waits);
  auto with_waits = std::make_unique<Locks>(program.module(), points_to, threads, signals.waits());
  while (!signals.confirm(*with_waits))
    with_waits = std::make_unique<Locks>(program.module(), points_to, threads, signals.waits());
  const Locks& locks = *with_waits;
  std::set<unsigned> waited;
  std::set<unsigned> precedes;
  for (unsigned cell = 0; cell < signals.cells(); ++cell) precedes.insert(cell);
  for (size_t number = 1; number < threads.all().size(); ++number) {
    const auto thread = static_cast<int>(number);
    for (const llvm::Function* function : threads.all()[number].functions) {
      for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
        const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        if (store == nullptr || store->isAtomic() || store->getPointerOperand()->getName() != "data") continue;
        if (llvm::cast<llvm::ConstantInt>(store->getValueOperand())->isOne()) {
          std::erase_if(precedes, [&](unsigned cell) { return !signals.precedes(cell, thread, instruction); });
        } else {
          waited = locks.waited(locks.held(thread, instruction));
        }
      }
    }
  }
  return std::any_of(waited.begin(), waited.end(), [&](unsigned cell) { return precedes.contains(cell); });
}

TEST(Signals, AcquireAfterReleaseOrders) {
  EXPECT_TRUE(is_ordered(two_threads("  store atomic i32 1, ptr @cell release, align 4\n", kAcquires)));
}

TEST(Signals, RelaxedStoreDoesNot) {
  EXPECT_FALSE(is_ordered(two_threads("  store atomic i32 1, ptr @cell monotonic, align 4\n", kAcquires)));
}

TEST(Signals, RelaxedLoadDoesNot) {
  EXPECT_FALSE(is_ordered(two_threads("  store atomic i32 1, ptr @cell release, align 4\n",
                                      R"(  %value = load atomic i32, ptr @cell monotonic, align 4
  %ready = icmp ne i32 %value, 0
  br i1 %ready, label %left, label %loop
)")));
}

TEST(Signals, FirstValueThatIsEnoughMeansNoWait) {
  EXPECT_FALSE(is_ordered(two_threads("  store atomic i32 1, ptr @cell release, align 4\n", kAcquires, "1")));
}

TEST(Signals, OtherBranchIsNoWait) {
  EXPECT_FALSE(is_ordered(two_threads("  store atomic i32 1, ptr @cell release, align 4\n",
                                      R"(  %value = load atomic i32, ptr @cell acquire, align 4
  %ready = icmp eq i32 %value, 0
  br i1 %ready, label %left, label %loop
)")));
}

TEST(Signals, WhatFollowsTheSignalIsNotOrdered) {
  EXPECT_FALSE(is_ordered(
      two_threads("  store atomic i32 1, ptr @cell release, align 4\n  store i32 1, ptr @data\n", kAcquires)));
}

TEST(Signals, TwoConditionsAreBothWaitedFor) {
  EXPECT_TRUE(is_ordered(two_threads("  store atomic i32 3, ptr @cell release, align 4\n",
                                     R"(  %value = load atomic i32, ptr @cell acquire, align 4
  %odd = trunc i32 %value to i1
  %more = icmp sgt i32 %value, 2
  %ready = and i1 %odd, %more
  br i1 %ready, label %left, label %loop
)")));
}

// A consumer's own stores are no first signals, if it waited before.
std::string consumer(const std::string& before, const std::string& after) {
  return two_threads("  %more = atomicrmw add ptr @cell, i32 1 acq_rel\n",
                     before + R"(  %value = load atomic i32, ptr @cell acquire, align 4
  %ready = icmp ne i32 %value, 0
  br i1 %ready, label %take, label %loop
take:
)" + after + "  br label %left\n");
}

TEST(Signals, WhoTakesAwayWhatItWaitedForStoresNoFirstSignal) {
  EXPECT_TRUE(is_ordered(consumer("", "  %less = atomicrmw sub ptr @cell, i32 1 acq_rel\n")));
}

TEST(Signals, WhoTakesAwayBeforeItWaitsMayBeTheFirst) {
  EXPECT_FALSE(is_ordered(consumer("  %less = atomicrmw sub ptr @cell, i32 1 acq_rel\n", "")));
}

TEST(Signals, WhoTakesAwayWithoutOrderHandsNothingOn) {
  EXPECT_FALSE(is_ordered(consumer("", "  %less = atomicrmw sub ptr @cell, i32 1 acquire\n")));
}

}  // namespace
}  // namespace norn::statics
