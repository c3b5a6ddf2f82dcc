// Teams of OpenMP, as text: what barriers, `single` and shared loops say of two threads.
#include "static/order/team_phases.h"

#include <gtest/gtest.h>

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "static/candidates/loop_shares.h"
#include "static/program/linked_program.h"

namespace norn::statics {
namespace {

struct Team {
  explicit Team(const std::string& body) {
    std::string error;
    EXPECT_TRUE(program.load_text(R"(
@where = private constant i64 0
@x = global i32 0
@y = global [65 x i32] zeroinitializer
declare void @__kmpc_fork_call(ptr, i32, ptr, ...)
declare void @__kmpc_barrier(ptr, i32)
declare i32 @pthread_mutex_trylock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @omp_get_thread_num()
declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare i1 @any()
define void @__norn_main() {
  call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr @where, i32 0, ptr @team)
  ret void
}
define void @team(ptr %gtid, ptr %btid) {
)" + body + "}",
                                  error))
        << error;
    points_to.emplace(program.module());
    threads.emplace(program.module(), *points_to);
  }
  [[nodiscard]] const llvm::StoreInst& store(uint64_t number) const {
    for (const llvm::Instruction& instruction : llvm::instructions(*program.module().getFunction("team"))) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      const auto* value = store == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(store->getValueOperand());
      if (value != nullptr && value->getZExtValue() == number) return *store;
    }
    ADD_FAILURE() << "no store of " << number;
    std::abort();
  }
  [[nodiscard]] bool parallel(uint64_t a, uint64_t b) const { return threads->parallel(1, store(a), 1, store(b)); }
  // Whether different threads surely store to different bytes.
  [[nodiscard]] bool is_apart(uint64_t a, uint64_t b) const {
    LoopShares shares(*threads);
    const auto one = shares.of(1, store(a), store(a).getPointerOperand(), 4);
    const auto other = shares.of(1, store(b), store(b).getPointerOperand(), 4);
    return one && other && one->is_apart(*other);
  }

  Program program;
  std::optional<PointsTo> points_to;
  std::optional<Threads> threads;
};

TEST(TeamPhases, BarrierKeepsApart) {
  const Team team(R"(
  store i32 1, ptr @x
  call void @__kmpc_barrier(ptr @where, i32 0)
  store i32 2, ptr @x
  ret void
)");
  EXPECT_TRUE(team.parallel(1, 1));
  EXPECT_TRUE(team.parallel(2, 2));
  EXPECT_FALSE(team.parallel(1, 2));
}

TEST(TeamPhases, BarrierThatSomeGoRoundDoesNot) {
  const Team team(R"(
  store i32 1, ptr @x
  %is = call i1 @any()
  br i1 %is, label %wait, label %go
wait:
  call void @__kmpc_barrier(ptr @where, i32 0)
  br label %go
go:
  store i32 2, ptr @x
  ret void
)");
  EXPECT_TRUE(team.parallel(1, 2));
}

TEST(TeamPhases, OneBarrierInALoopLeavesTheNextTurn) {
  const Team team(R"(
  br label %turn
turn:
  store i32 1, ptr @x
  call void @__kmpc_barrier(ptr @where, i32 0)
  store i32 2, ptr @x
  %is = call i1 @any()
  br i1 %is, label %turn, label %end
end:
  ret void
)");
  EXPECT_TRUE(team.parallel(1, 2));
}

constexpr char kSingle[] = R"(
  %tried = call i32 @pthread_mutex_trylock(ptr @where)
  %got = icmp eq i32 %tried, 0
  br i1 %got, label %single, label %behind
single:
  store i32 1, ptr @x
  %given = call i32 @pthread_mutex_unlock(ptr @where)
  br label %behind
behind:
)";

TEST(TeamPhases, SingleIsOneThreads) {
  const Team team(std::string(kSingle) + R"(
  store i32 2, ptr @x
  call void @__kmpc_barrier(ptr @where, i32 0)
  ret void
)");
  EXPECT_FALSE(team.parallel(1, 1));
  EXPECT_TRUE(team.parallel(1, 2));
}

TEST(TeamPhases, SingleInALoopWithoutBarrierIsSeveral) {
  const Team team(std::string("  br label %turn\nturn:\n") + kSingle + R"(
  %is = call i1 @any()
  br i1 %is, label %turn, label %end
end:
  ret void
)");
  EXPECT_TRUE(team.parallel(1, 1));
}

std::string shared_loop(const std::string& before, const std::string& behind) {
  return R"(
  %last = alloca i32
  %low = alloca i32
  %high = alloca i32
  %step = alloca i32
)" + before +
         R"(
  call void @__kmpc_for_static_init_4(ptr @where, i32 0, i32 34, ptr %last, ptr %low, ptr %high, ptr %step, i32 1, i32 1)
  %first = load i32, ptr %low
  %end = load i32, ptr %high
  br label %turn
turn:
  %i = phi i32 [ %first, %REPLACED ], [ %next, %turn ]
  %wide = sext i32 %i to i64
  %mine = getelementptr [65 x i32], ptr @y, i64 0, i64 %wide
  store i32 1, ptr %mine
  %next = add nsw i32 %i, 1
  %beside = sext i32 %next to i64
  %other = getelementptr [65 x i32], ptr @y, i64 0, i64 %beside
  store i32 2, ptr %other
  %more = icmp slt i32 %i, %end
  br i1 %more, label %turn, label %behind
behind:
)" + behind;
}

std::string with_entry(std::string text, const std::string& block) {
  constexpr std::string_view kMark = "%REPLACED";
  return text.replace(text.find(kMark), kMark.size(), block);
}

TEST(LoopShares, ElementsOfIterationsAreApart) {
  const Team team(with_entry(shared_loop("", "  ret void\n"), "%0"));
  EXPECT_TRUE(team.is_apart(1, 1));
  EXPECT_TRUE(team.is_apart(2, 2));
  EXPECT_FALSE(team.is_apart(1, 2));
}

TEST(LoopShares, LoopThatIsBegunAgainWithoutBarrierIsNot) {
  const Team team(
      with_entry(shared_loop("  br label %again\nagain:\n",
                             "  %is = call i1 @any()\n  br i1 %is, label %again, label %out\nout:\n  ret void\n"),
                 "%again"));
  EXPECT_FALSE(team.is_apart(1, 1));
}

TEST(LoopShares, ElementOfTheThreadsNumberIsItsOwn) {
  const Team team(R"(
  %me = call i32 @omp_get_thread_num()
  %wide = sext i32 %me to i64
  %mine = getelementptr [65 x i32], ptr @y, i64 0, i64 %wide
  store i32 1, ptr %mine
  %me.again = call i32 @omp_get_thread_num()
  %right = add i32 %me.again, 1
  %right.wide = sext i32 %right to i64
  %neighbour = getelementptr [65 x i32], ptr @y, i64 0, i64 %right.wide
  store i32 2, ptr %neighbour
  ret void
)");
  EXPECT_TRUE(team.is_apart(1, 1));
  EXPECT_FALSE(team.is_apart(1, 2));
}

}  // namespace
}  // namespace norn::statics
