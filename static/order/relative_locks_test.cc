// Locksets beside a naive computation, on random modules: what is held wherever control can come, state by state.
#include "static/order/relative_locks.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "static/program/linked_program.h"

namespace norn::statics {
namespace {

constexpr unsigned kMutexes = 3;
constexpr unsigned kTimes = 5;  // that a mutex may be held, none among them; more count as the most
constexpr unsigned kStates = kTimes * kTimes * kTimes;
using States = std::array<bool, kStates>;

constexpr unsigned place_of(unsigned mutex) { return mutex == 0 ? 1 : kTimes * place_of(mutex - 1); }
unsigned times_held(unsigned state, unsigned mutex) { return state / place_of(mutex) % kTimes; }
unsigned taken(unsigned state, unsigned mutex) {
  return times_held(state, mutex) + 1 < kTimes ? state + place_of(mutex) : state;
}
unsigned given(unsigned state, unsigned mutex) {
  return times_held(state, mutex) > 0 ? state - place_of(mutex) : state;
}

struct Operation {
  enum class Kind { kLock, kUnlock, kCall, kMark } kind;
  unsigned number;  // of the mutex, of the function, of the mark
};
struct Block {
  std::vector<Operation> operations;
  std::vector<unsigned> next;  // none: it returns
};
using Function = std::vector<Block>;

// Functions call those behind them only. Marks are numbered through all.
struct RandomModule {
  std::vector<Function> functions;
  unsigned marks = 0;
  bool relocking_ends;  // who takes a mutex that it holds comes no further

  RandomModule(uint32_t seed, unsigned count, bool ends) : relocking_ends(ends) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    for (unsigned number = 0; number < count; ++number) {
      Function function(2 + below(4));
      for (unsigned at = 0; at < function.size(); ++at) {
        for (unsigned i = below(4); i > 0; --i) {
          const unsigned choice = below(number + 1 < count ? 4 : 3);
          if (choice == 0) function[at].operations.push_back({Operation::Kind::kLock, below(kMutexes)});
          if (choice == 1) function[at].operations.push_back({Operation::Kind::kUnlock, below(kMutexes)});
          if (choice == 2) function[at].operations.push_back({Operation::Kind::kMark, marks++});
          if (choice == 3)
            function[at].operations.push_back({Operation::Kind::kCall, number + 1 + below(count - number - 1)});
        }
        if (at + 1 == function.size()) continue;
        function[at].next.push_back(at + 1);
        // Another way, back or forth; never into the first block, which LLVM wants for itself.
        if (below(2) == 0) function[at].next.push_back(1 + below(static_cast<unsigned>(function.size()) - 1));
      }
      functions.push_back(std::move(function));
    }
  }

  [[nodiscard]] std::string text() const {
    std::string out =
        "@mark = global i32 0\n@any = global i1 0\n@m0 = global i64 0\n@m1 = global i64 0\n"
        "@m2 = global i64 0\ndeclare i32 @pthread_mutex_lock(ptr)\n"
        "declare i32 @pthread_mutex_unlock(ptr)\ndeclare void @__norn_fork(ptr, ptr, ptr)\n"
        "define void @__norn_main() {\n  %handle = alloca i64\n"
        "  call void @__norn_fork(ptr @f0, ptr null, ptr %handle)\n"
        "  store i32 0, ptr @any\n  ret void\n}\n";
    unsigned value = 0;
    for (size_t number = 0; number < functions.size(); ++number) {
      out += "define void @f" + std::to_string(number) + "() {\n";
      for (size_t at = 0; at < functions[number].size(); ++at) {
        const Block& block = functions[number][at];
        out += "b" + std::to_string(at) + ":\n";
        for (const Operation& operation : block.operations) {
          const std::string which = std::to_string(operation.number);
          const std::string name = "  %v" + std::to_string(value++);
          switch (operation.kind) {
            case Operation::Kind::kLock:
              out += name + " = call i32 @pthread_mutex_lock(ptr @m" + which + ")\n";
              break;
            case Operation::Kind::kUnlock:
              out += name + " = call i32 @pthread_mutex_unlock(ptr @m" + which + ")\n";
              break;
            case Operation::Kind::kCall:
              out += "  call void @f" + which + "()\n";
              break;
            case Operation::Kind::kMark:
              out += "  store i32 " + which + ", ptr @mark\n";
              break;
          }
        }
        if (block.next.empty()) {
          out += "  ret void\n";
        } else if (block.next.size() == 1) {
          out += "  br label %b" + std::to_string(block.next[0]) + "\n";
        } else {
          const std::string name = "%v" + std::to_string(value++);
          out += "  " + name + " = load i1, ptr @any\n  br i1 " + name + ", label %b" + std::to_string(block.next[0]) +
                 ", label %b" + std::to_string(block.next[1]) + "\n";
        }
      }
      out += "}\n";
    }
    return out;
  }

  // What may be held when the function returns; at marks, `at_marks` has it.
  States run(unsigned number, unsigned entry, std::vector<States>& at_marks) const {
    const Function& function = functions[number];
    std::vector<States> before(function.size(), States{});
    before[0][entry] = true;
    States returned{};
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t at = 0; at < function.size(); ++at) {
        States now = before[at];
        for (const Operation& operation : function[at].operations) now = step(operation, now, at_marks);
        for (unsigned state = 0; state < kStates; ++state) {
          if (!now[state]) continue;
          if (function[at].next.empty()) returned[state] = true;
          for (const unsigned next : function[at].next) {
            changed |= !before[next][state];
            before[next][state] = true;
          }
        }
      }
    }
    return returned;
  }

  States step(const Operation& operation, const States& before, std::vector<States>& at_marks) const {
    States after{};
    for (unsigned state = 0; state < kStates; ++state) {
      if (!before[state]) continue;
      switch (operation.kind) {
        case Operation::Kind::kLock:
          if (!relocking_ends || times_held(state, operation.number) == 0) after[taken(state, operation.number)] = true;
          break;
        case Operation::Kind::kUnlock:
          after[given(state, operation.number)] = true;
          break;
        case Operation::Kind::kMark:
          at_marks[operation.number][state] = true;
          after[state] = true;
          break;
        case Operation::Kind::kCall: {
          const States back = run(operation.number, state, at_marks);
          for (unsigned each = 0; each < kStates; ++each) after[each] = after[each] || back[each];
        }
      }
    }
    return after;
  }
};

// The number of marks at which less is found than there is; what is found is never more.
unsigned compare(const RandomModule& random) {
  Program program;
  std::string error;
  EXPECT_TRUE(program.load_text(random.text(), error)) << error << random.text();
  std::vector<States> at_marks(random.marks, States{});
  (void)random.run(0, 0, at_marks);
  const PointsTo points_to(program.module());
  const Threads threads(program.module(), points_to);
  EXPECT_EQ(threads.all().size(), 2U);
  const Waits none;
  const Locks locks(program.module(), points_to, threads, none);
  unsigned less = 0;
  for (const llvm::Function* function : threads.all()[1].functions) {
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (store == nullptr || store->getPointerOperand()->getName() != "mark") continue;
      const auto mark = llvm::cast<llvm::ConstantInt>(store->getValueOperand())->getZExtValue();
      unsigned surely = (1U << kMutexes) - 1;
      bool reached = false;
      for (unsigned state = 0; state < kStates; ++state) {
        if (!at_marks[mark][state]) continue;
        for (unsigned mutex = 0; mutex < kMutexes; ++mutex) {
          if (times_held(state, mutex) == 0) surely &= ~(1U << mutex);
        }
        reached = true;
      }
      if (!reached) continue;
      unsigned found = 0;
      for (const Locks::Guard& guard : locks.guards(locks.held(1, instruction))) {
        const auto& origin = *points_to.object(static_cast<ObjectId>(guard.a)).origin;
        found |= 1U << (origin.getName().back() - '0');
      }
      EXPECT_EQ(found & ~surely, 0U) << "mark " << mark << " of\n" << random.text();
      less += found != surely ? 1 : 0;
    }
  }
  return less;
}

unsigned modules() { return std::getenv("NORN_TEST_FULL") != nullptr ? 20000 : 500; }

TEST(RelativeLocks, AgreeWithEveryStateOfOneFunction) {
  for (uint32_t seed = 1; seed <= modules() && !HasFailure(); ++seed)
    EXPECT_EQ(compare(RandomModule(seed, 1, false)), 0U);
}

// A summary says of each lock whether it may be given back; a function that gives it back and takes it again loses it.
// A caller keeps what a function takes and gives back itself: with a recursive mutex it does, and with others nobody
// comes so far.
TEST(RelativeLocks, NeverHoldMoreThanEveryStateThroughCalls) {
  unsigned less = 0;
  for (uint32_t seed = 1; seed <= modules() && !HasFailure(); ++seed) less += compare(RandomModule(seed, 4, true));
  EXPECT_LT(less, modules());
}

}  // namespace
}  // namespace norn::statics
