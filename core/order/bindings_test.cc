#include "core/order/bindings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "core/testing/test_arena.h"

namespace norn {
namespace {

constexpr Address kAt = 0x5000;

// Releases are times of slot 0, each of which knows no other: a binding's are those slots that its clock has.
class BindingsTest : public testing::Test {
 protected:
  void bind(Bytes run, bool adds, Slot release) {
    VectorClocks clocks;
    ASSERT_TRUE(clocks.raise(arena_, release, 1));
    ASSERT_TRUE(bindings_->bind(arena_, run, adds, clocks));
    clocks.clear(arena_);
    ASSERT_TRUE(bindings_->check_invariants());
  }
  std::set<Slot> releases_of(Bytes run) {
    std::set<Slot> found;
    Bindings::for_each(bindings_->of(run), [&](unsigned i) {
      for (unsigned slot = 0; slot < kSlots; ++slot) {
        if (bindings_->clocks(i).full.get(static_cast<Slot>(slot)) != 0) found.insert(static_cast<Slot>(slot));
      }
    });
    return found;
  }

  static constexpr unsigned kSlots = 4096;
  TestingArena scope_;
  Arena arena_;
  Bindings* bindings_ = arena_.create<Bindings>();
};

TEST_F(BindingsTest, BytesBelongToTheNewest) {
  bind({kAt, kAt + 8}, false, 1);
  bind({kAt + 8, kAt + 16}, false, 2);
  EXPECT_EQ(releases_of({kAt, kAt + 16}), (std::set<Slot>{1, 2}));
  bind({kAt + 4, kAt + 12}, false, 3);
  EXPECT_EQ(releases_of({kAt, kAt + 4}), (std::set<Slot>{1}));
  EXPECT_EQ(releases_of({kAt + 3, kAt + 13}), (std::set<Slot>{1, 2, 3}));
  EXPECT_EQ(releases_of({kAt + 5, kAt + 6}), (std::set<Slot>{3}));
  bind({kAt, kAt + 16}, false, 4);
  EXPECT_EQ(releases_of({kAt, kAt + 16}), (std::set<Slot>{4}));
  EXPECT_EQ(bindings_->all(), bindings_->of({kAt, kAt + 16}));
}

TEST_F(BindingsTest, AnIncrementIsBoundToWhatWasBoundBefore) {
  bind({kAt, kAt + 4}, true, 1);
  bind({kAt, kAt + 4}, true, 2);
  EXPECT_EQ(releases_of({kAt, kAt + 4}), (std::set<Slot>{1, 2}));
  bind({kAt, kAt + 8}, true, 3);
  EXPECT_EQ(releases_of({kAt + 6, kAt + 7}), (std::set<Slot>{1, 2, 3}));
  bind({kAt, kAt + 4}, false, 4);
  EXPECT_EQ(releases_of({kAt, kAt + 4}), (std::set<Slot>{4}));
}

TEST_F(BindingsTest, TheOldestIsForgotten) {
  for (unsigned i = 0; i < Bindings::kMax; ++i) bind({kAt + i * 8, kAt + i * 8 + 8}, false, static_cast<Slot>(i + 1));
  bind({kAt, kAt + 8}, false, 100);  // which makes the second the oldest
  bind({kAt - 8, kAt}, true, 101);
  EXPECT_EQ(releases_of({kAt, kAt + 8}), (std::set<Slot>{100}));
  EXPECT_TRUE(releases_of({kAt + 8, kAt + 16}).empty());
  // What is forgotten for it counts for an increment still.
  bind({kAt + 20, kAt + 28}, true, 102);
  EXPECT_EQ(releases_of({kAt + 20, kAt + 28}), (std::set<Slot>{3, 4, 102}));
  EXPECT_TRUE(releases_of({kAt + 16, kAt + 20}).empty());
}

TEST_F(BindingsTest, MemoryIsUsedAgain) {
  for (unsigned i = 0; i < 200; ++i) bind({kAt + i * 8, kAt + i * 8 + 8}, false, static_cast<Slot>(i));
  const size_t used = arena_.in_use();
  for (unsigned i = 0; i < 200; ++i) bind({kAt + i * 8, kAt + i * 8 + 12}, false, 1);
  EXPECT_LE(arena_.in_use(), used);
  bindings_->clear(arena_);
  EXPECT_TRUE(bindings_->check_invariants());
  arena_.destroy(bindings_);
  EXPECT_EQ(arena_.in_use(), 0u);
}

// A byte at a time.
class Plainly {
 public:
  void bind(Bytes run, bool adds, Slot release) {
    std::set<Slot> releases = {release};
    if (adds) releases.merge(of(run));
    for (Bound& bound : all_) {
      for (Address byte = run.begin; byte < run.end; ++byte) bound.visible.erase(byte);
    }
    std::erase_if(all_, [&](const Bound& bound) { return run.begin <= bound.run.begin && bound.run.end <= run.end; });
    if (all_.size() == Bindings::kMax) all_.pop_front();
    all_.push_back({run, {}, releases});
    for (Address byte = run.begin; byte < run.end; ++byte) all_.back().visible.insert(byte);
  }
  [[nodiscard]] std::set<Slot> of(Bytes run) const {
    std::set<Slot> found;
    for (const Bound& bound : all_) {
      const auto first = bound.visible.lower_bound(run.begin);
      if (first != bound.visible.end() && *first < run.end) found.insert(bound.releases.begin(), bound.releases.end());
    }
    return found;
  }

 private:
  struct Bound {
    Bytes run;
    std::set<Address> visible;
    std::set<Slot> releases;
  };
  std::deque<Bound> all_;
};

TEST_F(BindingsTest, AgreesWithWhatIsWrittenPlainly) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
    auto run = [&] {
      const Address begin = kAt + below(seed % 2 == 0 ? 100 : 2000);
      const unsigned sizes[] = {1, 4, 8, 8, 8, 16, 40, 200};
      return Bytes{begin, begin + sizes[below(8)]};
    };
    bindings_->clear(arena_);
    Plainly plainly;
    for (unsigned i = 0; i < 400; ++i) {
      const Bytes bound = run();
      const bool adds = below(3) == 0;
      const auto release = static_cast<Slot>(below(seed % 3 == 0 ? 8 : 400));
      bind(bound, adds, release);
      plainly.bind(bound, adds, release);
      const Bytes read = run();
      ASSERT_EQ(releases_of(read), plainly.of(read)) << "seed " << seed << ", step " << i;
    }
  }
}

}  // namespace
}  // namespace norn
