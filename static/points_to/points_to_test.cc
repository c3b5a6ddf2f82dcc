// Small modules, as text: what pointers may point to. Written ones first; then random ones, which a naive solver that
// does every statement again and again until nothing changes must agree with.
#include "static/points_to/points_to.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "static/program/linked_program.h"

namespace norn::statics {
namespace {

const llvm::Value* value_named(llvm::Module& module, llvm::StringRef name) {
  for (llvm::Function& function : module) {
    for (llvm::Argument& argument : function.args()) {
      if (argument.getName() == name) return &argument;
    }
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (instruction.getName() == name) return &instruction;
    }
  }
  return nullptr;
}

using Targets = std::set<std::pair<std::string, int64_t>>;

Targets targets_of(const PointsTo& points_to, const llvm::Value* value) {
  Targets found;
  for (const PointedTo& to : points_to.of(value))
    found.emplace(points_to.object(to.object).origin->getName().str(), to.offset);
  return found;
}

// What the value of that name in the module points to.
Targets pointed_to(const std::string& text, llvm::StringRef name) {
  Program program;
  std::string error;
  EXPECT_TRUE(program.load_text(text, error)) << error;
  const PointsTo points_to(program.module());
  const llvm::Value* value = value_named(program.module(), name);
  EXPECT_NE(value, nullptr);
  return targets_of(points_to, value);
}

constexpr const char* kCallers = R"(
@x = global i32 0
@y = global i32 0
@table = global [2 x ptr] [ptr @takes_pointer, ptr @takes_number]
define void @takes_pointer(ptr %pointer) {
  ret void
}
define void @takes_number(i32 %number, ptr %other) {
  ret void
}
define i32 @main(i64 %which) {
  %slot = getelementptr [2 x ptr], ptr @table, i64 0, i64 %which
  %function = load ptr, ptr %slot
)";

TEST(PointsTo, CallThroughAPointerMeansFunctionsThatTakeWhatIsGiven) {
  const std::string text = std::string(kCallers) + R"(
  call void %function(ptr @x)
  call void %function(i32 1, ptr @y)
  ret i32 0
}
)";
  EXPECT_EQ(pointed_to(text, "pointer"), (Targets{{"x", 0}}));
  EXPECT_EQ(pointed_to(text, "other"), (Targets{{"y", 0}}));
}

TEST(PointsTo, CallThroughAPointerWithoutParametersMeansAll) {
  const std::string text = std::string(kCallers) + R"(
  call void (...) %function(ptr @x, ptr @y)
  ret i32 0
}
)";
  EXPECT_EQ(pointed_to(text, "pointer"), (Targets{{"x", 0}}));
  EXPECT_EQ(pointed_to(text, "other"), (Targets{{"y", 0}}));
}

TEST(PointsTo, LibraryCallsWhatItIsGivenUnlessItIsKnownNotTo) {
  const auto call = [](const std::string& name) {
    return R"(
@x = global i32 0
@kept = global ptr @called
declare i32 @)" +
           name + R"((ptr, ptr)
define void @called(ptr %pointer) {
  ret void
}
define i32 @main() {
  %function = load ptr, ptr @kept
  %ignored = call i32 @)" +
           name + R"((ptr %function, ptr @x)
  ret i32 0
}
)";
  };
  EXPECT_EQ(pointed_to(call("unknown"), "pointer"), (Targets{{"x", 0}, {"called", 0}}));
  EXPECT_EQ(pointed_to(call("strcmp"), "pointer"), Targets{});
  EXPECT_EQ(pointed_to(call("inet_ntop"), "pointer"), Targets{});
}

TEST(PointsTo, NumbersThatAreComputedAreNoPointers) {
  const std::string text = R"(
@x = global [4 x i64] zeroinitializer
@cell = global ptr @x
define i32 @main() {
  %number = load i64, ptr @cell
  %more = add i64 %number, 8
  store i64 %more, ptr @cell
  %pointer = load ptr, ptr @cell
  ret i32 0
}
)";
  EXPECT_EQ(pointed_to(text, "pointer"), (Targets{{"x", 0}}));
}

TEST(PointsTo, NumbersThatBecomePointersAre) {
  const std::string text = R"(
@x = global [4 x i64] zeroinitializer
@cell = global ptr @x
define i32 @main() {
  %number = load i64, ptr @cell
  %more = add i64 %number, 8
  %masked = and i64 %more, -2
  %pointer = inttoptr i64 %masked to ptr
  ret i32 0
}
)";
  EXPECT_EQ(pointed_to(text, "pointer"), (Targets{{"x", 8}}));
}

constexpr const char* kWrappers = R"(
@x = global i32 0
@y = global i32 0
@free_blocks = global ptr null
@pool = global [64 x ptr] zeroinitializer
declare ptr @malloc(i64)
declare ptr @realloc(ptr, i64)
define ptr @inner(i64 %size) {
  %block = call ptr @malloc(i64 %size)
  %behind = getelementptr i8, ptr %block, i64 8
  ret ptr %behind
}
define ptr @outer(i64 %count) {
  %size = mul i64 %count, 8
  %got = call ptr @inner(i64 %size)
  ret ptr %got
}
define ptr @grow(ptr %old, i64 %size) {
  %new = call ptr @realloc(ptr %old, i64 %size)
  ret ptr %new
}
define ptr @pool_alloc(i64 %size) {
  %head = load ptr, ptr @free_blocks
  %next = load ptr, ptr %head
  store ptr %next, ptr @free_blocks
  ret ptr %head
}
define ptr @first_of_pool(i64 %size) {
  %head = load ptr, ptr @free_blocks
  ret ptr %head
}
define void @pool_free(ptr %block) {
  %head = load ptr, ptr @free_blocks
  store ptr %head, ptr %block
  store ptr %block, ptr @free_blocks
  ret void
}
define void @put_back(ptr %block) {
  %head = load ptr, ptr @free_blocks
  store ptr %head, ptr %block
  store ptr %block, ptr @free_blocks
  ret void
}
)";

TEST(PointsTo, EachCallOfAWrapperHasItsOwnObject) {
  const std::string text = std::string(kWrappers) + R"(
define i32 @main() {
  %one = call ptr @outer(i64 2)
  %two = call ptr @outer(i64 2)
  store ptr @x, ptr %one
  store ptr @y, ptr %two
  %of_one = load ptr, ptr %one
  %past = getelementptr i8, ptr %one, i64 64
  ret i32 0
}
)";
  EXPECT_EQ(pointed_to(text, "one"), (Targets{{"one", 8}}));
  EXPECT_EQ(pointed_to(text, "of_one"), (Targets{{"x", 0}}));
  EXPECT_EQ(pointed_to(text, "block"), (Targets{{"one", 0}, {"two", 0}}));
  EXPECT_EQ(pointed_to(text, "got"), (Targets{{"one", 8}, {"two", 8}}));
  EXPECT_EQ(pointed_to(text, "past"), Targets{});  // it has 16 bytes
}

TEST(PointsTo, WrapperThatMovesReturnsWhatThisCallGave) {
  const std::string text = std::string(kWrappers) + R"(
define i32 @main() {
  %one = call ptr @grow(ptr @x, i64 8)
  %two = call ptr @grow(ptr @y, i64 8)
  ret i32 0
}
)";
  EXPECT_EQ(pointed_to(text, "one"), (Targets{{"one", 0}, {"x", 0}}));
  EXPECT_EQ(pointed_to(text, "new"), (Targets{{"one", 0}, {"two", 0}, {"x", 0}, {"y", 0}}));
}

TEST(PointsTo, PoolsAreTrustedByTheirNames) {
  const auto text = [](const std::string& get, const std::string& put) {
    return std::string(kWrappers) + R"(
define i32 @main() {
  %one = call ptr @)" +
           get + R"((i64 8)
  call void @)" +
           put + R"((ptr @x)
  call void @)" +
           put + R"((ptr @y)
  %of_x = load ptr, ptr @x
  ret i32 0
}
)";
  };
  EXPECT_EQ(pointed_to(text("pool_alloc", "pool_free"), "one"), (Targets{{"one", 0}}));
  EXPECT_EQ(pointed_to(text("first_of_pool", "put_back"), "one"), (Targets{{"x", 0}, {"y", 0}}));
}

TEST(PointsTo, IndirectCallOfAWrapperHasItsOwnObject) {
  const std::string text = std::string(kWrappers) + R"(
@method = global ptr @inner
define i32 @main() {
  %function = load ptr, ptr @method
  %one = call ptr %function(i64 16)
  %two = call ptr @inner(i64 16)
  ret i32 0
}
)";
  EXPECT_EQ(pointed_to(text, "one"), (Targets{{"one", 8}}));
  EXPECT_EQ(pointed_to(text, "two"), (Targets{{"two", 8}}));
}

// A random program of one function: variables of a few words, and statements on values that are pointers. It is kept
// as statements, which the naive solver reads, and as text, which the other one does.
class RandomModule {
 public:
  explicit RandomModule(unsigned seed) : chance_(seed) {
    const unsigned variables = 2 + below(5);
    for (unsigned i = 0; i < variables; ++i) words_.push_back(1 + static_cast<int64_t>(below(4)));
    for (unsigned i = 0; i < variables; ++i) {
      text_ += "  %v" + std::to_string(i) + " = alloca [" + std::to_string(words_[i]) + " x ptr]\n";
      statements_.push_back({Kind::kAddress, values_++, i, 0});
    }
    const unsigned statements = 6 + below(30);
    for (unsigned i = 0; i < statements; ++i) add_statement();
    text_ = "define void @f() {\n" + text_ + "  ret void\n}\n";
  }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] unsigned values() const { return values_; }
  [[nodiscard]] std::string name(unsigned value) const {
    return value < words_.size() ? "v" + std::to_string(value) : "p" + std::to_string(value);
  }

  // Of each value what it may point to: each statement again, until nothing changes.
  [[nodiscard]] std::vector<Targets> solve() const {
    using Place = std::pair<unsigned, int64_t>;
    std::vector<std::set<Place>> of(values_);
    std::map<Place, std::set<Place>> memory;
    const auto is_inside = [&](const Place& place) {
      return place.second >= 0 && place.second < words_[place.first] * 8;
    };
    for (bool changed = true; changed;) {
      changed = false;
      const auto take = [&](std::set<Place>& to, const std::set<Place>& from) {
        for (const Place& place : std::set<Place>(from)) changed |= to.insert(place).second;
      };
      for (const Statement& s : statements_) {
        switch (s.kind) {
          case Kind::kAddress:
            take(of[s.to], {{s.from, 0}});
            break;
          case Kind::kChoice:
            take(of[s.to], of[s.from]);
            take(of[s.to], of[static_cast<unsigned>(s.number)]);
            break;
          case Kind::kStep:
            for (const Place& place : std::set<Place>(of[s.from])) {
              const int64_t there = place.second + s.number;
              if (there >= -16 && there <= words_[place.first] * 8 + 16) take(of[s.to], {{place.first, there}});
            }
            break;
          case Kind::kLoad:
            for (const Place& place : std::set<Place>(of[s.from])) {
              if (is_inside(place)) take(of[s.to], memory[place]);
            }
            break;
          case Kind::kStore:
            for (const Place& place : std::set<Place>(of[s.to])) {
              if (is_inside(place)) take(memory[place], of[s.from]);
            }
            break;
          case Kind::kCopy:
            for (const Place& source : std::set<Place>(of[s.from])) {
              for (const Place& target : std::set<Place>(of[s.to])) {
                if (!is_inside(source) || !is_inside(target)) continue;
                for (int64_t at = 0; at < s.number; at += 8) {
                  const Place from{source.first, source.second + at};
                  const Place to{target.first, target.second + at};
                  if (is_inside(from) && is_inside(to)) take(memory[to], memory[from]);
                }
              }
            }
            break;
        }
      }
    }
    std::vector<Targets> result(values_);
    for (unsigned value = 0; value < values_; ++value) {
      for (const Place& place : of[value]) {
        if (is_inside(place)) result[value].emplace("v" + std::to_string(place.first), place.second);
      }
    }
    return result;
  }

 private:
  enum class Kind : uint8_t { kAddress, kChoice, kStep, kLoad, kStore, kCopy };
  struct Statement {
    Kind kind;
    unsigned to;
    unsigned from;
    int64_t number;  // of a step: bytes; of a copy: size; of a choice: the other value
  };

  unsigned below(unsigned bound) { return static_cast<unsigned>(chance_() % bound); }

  void add_statement() {
    const unsigned one = below(values_);
    const unsigned other = below(values_);
    const std::string p = "%" + name(one);
    const std::string q = "%" + name(other);
    const auto made = [&](Kind kind, int64_t number, const std::string& right) {
      statements_.push_back({kind, values_, one, number});
      text_ += "  %" + name(values_) + " = " + right + "\n";
      ++values_;
    };
    switch (below(8)) {
      case 0:
        return made(Kind::kChoice, other, "select i1 undef, ptr " + p + ", ptr " + q);
      case 1:
      case 2: {
        const int64_t bytes = 8 * (static_cast<int64_t>(below(5)) - 2);
        return made(Kind::kStep, bytes, "getelementptr i8, ptr " + p + ", i64 " + std::to_string(bytes));
      }
      case 3:
      case 4:
        return made(Kind::kLoad, 0, "load ptr, ptr " + p);
      case 5:
      case 6:
        statements_.push_back({Kind::kStore, one, other, 0});
        text_ += "  store ptr " + q + ", ptr " + p + "\n";
        return;
      default: {
        const int64_t size = 8 * (1 + static_cast<int64_t>(below(3)));
        statements_.push_back({Kind::kCopy, one, other, size});
        text_ += "  call void @llvm.memmove.p0.p0.i64(ptr " + p + ", ptr " + q + ", i64 " + std::to_string(size) +
                 ", i1 false)\n";
      }
    }
  }

  std::mt19937 chance_;
  std::vector<int64_t> words_;
  std::vector<Statement> statements_;
  std::string text_;
  unsigned values_ = 0;
};

TEST(PointsTo, AgreesWithTheNaiveSolverOnRandomModules) {
  const char* more = std::getenv("NORN_TEST_FULL");
  const unsigned count = more != nullptr && *more == '1' ? 20'000 : 1'000;
  size_t pairs = 0;
  for (unsigned seed = 1; seed <= count; ++seed) {
    const RandomModule random(seed);
    Program program;
    std::string error;
    ASSERT_TRUE(program.load_text("declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)\n" + random.text(), error))
        << error;
    const PointsTo points_to(program.module());
    const std::vector<Targets> expected = random.solve();
    for (unsigned value = 0; value < random.values(); ++value) {
      const llvm::Value* named = value_named(program.module(), random.name(value));
      ASSERT_NE(named, nullptr);
      ASSERT_EQ(targets_of(points_to, named), expected[value])
          << "seed " << seed << ", %" << random.name(value) << " in\n"
          << random.text();
      pairs += expected[value].size();
    }
  }
  EXPECT_GT(pairs, count * 10) << "the modules have next to no pointers";
}

}  // namespace
}  // namespace norn::statics
