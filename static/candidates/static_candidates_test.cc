// Small modules, as text: what no other thread can know yet, what each of several threads has for itself, and what an
// argument is when one thread gives it.
#include "static/candidates/static_candidates.h"

#include <gtest/gtest.h>

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace norn::statics {
namespace {

struct Analysed {
  explicit Analysed(const std::string& body) {
    std::string error;
    EXPECT_TRUE(program.load_text(R"(
@shared = global ptr null
declare noalias ptr @malloc(i64) allocsize(0)
declare void @__norn_fork(ptr, ptr, ptr)
)" + body,
                                  error))
        << error;
    points_to.emplace(program.module());
    threads.emplace(program.module(), *points_to);
  }
  // The only store of that number.
  [[nodiscard]] const llvm::StoreInst& store(uint64_t number) const {
    for (const llvm::Function& function : program.module()) {
      for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        const auto* value = store == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(store->getValueOperand());
        if (value != nullptr && value->getZExtValue() == number) return *store;
      }
    }
    ADD_FAILURE() << "no store of " << number;
    std::abort();
  }
  [[nodiscard]] bool is_unpublished(int thread, uint64_t number) const {
    Publication publication(*points_to, *threads);
    return publication.is_unpublished(thread, store(number), store(number).getPointerOperand());
  }

  Program program;
  std::optional<PointsTo> points_to;
  std::optional<Threads> threads;
};

TEST(Publication, EndsWhereTheAddressIsStored) {
  const Analysed analysed(R"(
define void @__norn_main() {
  %p = call ptr @malloc(i64 8)
  store i64 1, ptr %p
  store ptr %p, ptr @shared
  store i64 2, ptr %p
  ret void
}
)");
  EXPECT_TRUE(analysed.is_unpublished(0, 1));
  EXPECT_FALSE(analysed.is_unpublished(0, 2));
}

TEST(Publication, EachTurnHasMemoryOfItsOwn) {
  const Analysed analysed(R"(
define void @__norn_main() {
  %once = call ptr @malloc(i64 8)
  br label %loop
loop:
  %each = call ptr @malloc(i64 8)
  store i64 1, ptr %each
  store i64 2, ptr %once
  store ptr %each, ptr @shared
  store ptr %once, ptr @shared
  br label %loop
}
)");
  EXPECT_TRUE(analysed.is_unpublished(0, 1));
  EXPECT_FALSE(analysed.is_unpublished(0, 2));
}

TEST(Publication, IsFollowedIntoWhatIsCalled) {
  const Analysed analysed(R"(
define void @fill(ptr nocapture %p) {
  store i64 1, ptr %p
  ret void
}
define void @keep(ptr %p) {
  store ptr %p, ptr @shared
  store i64 2, ptr %p
  ret void
}
define void @__norn_main() {
  %p = call ptr @malloc(i64 8)
  call void @fill(ptr %p)
  store i64 3, ptr %p
  call void @keep(ptr %p)
  store i64 4, ptr %p
  ret void
}
)");
  EXPECT_TRUE(analysed.is_unpublished(0, 1));
  EXPECT_FALSE(analysed.is_unpublished(0, 2));
  EXPECT_TRUE(analysed.is_unpublished(0, 3));
  EXPECT_FALSE(analysed.is_unpublished(0, 4));
}

TEST(Publication, IsAskedOfAllCallers) {
  const Analysed analysed(R"(
define void @fill(ptr nocapture %p) {
  store i64 1, ptr %p
  ret void
}
define void @__norn_main() {
  %p = call ptr @malloc(i64 8)
  call void @fill(ptr %p)
  %q = load ptr, ptr @shared
  call void @fill(ptr %q)
  ret void
}
)");
  EXPECT_FALSE(analysed.is_unpublished(0, 1));
}

TEST(ArgumentContexts, AreThoseOfTheThread) {
  const Analysed analysed(R"(
@a = global i64 0
@b = global i64 0
define void @put(ptr %p) {
  store i64 1, ptr %p
  ret void
}
define ptr @run(ptr %argument) {
  call void @put(ptr @b)
  ret ptr null
}
define void @__norn_main() {
  %handle = alloca i64
  call void @__norn_fork(ptr @run, ptr null, ptr %handle)
  call void @put(ptr @a)
  ret void
}
)");
  const ArgumentContexts contexts(*analysed.points_to, *analysed.threads);
  const AddressSources sources = sources_of(analysed.store(1).getPointerOperand());
  const auto only = [&](const char* name) {
    ObjectSet set;
    set.set(analysed.points_to->objects_of(analysed.program.module().getNamedValue(name)).front());
    return set;
  };
  EXPECT_TRUE(contexts.objects(0, sources) == only("a"));
  EXPECT_TRUE(contexts.objects(1, sources) == only("b"));
}

}  // namespace
}  // namespace norn::statics
