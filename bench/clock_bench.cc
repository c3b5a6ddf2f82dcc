// Which representation for vector clocks? Three, on the operations that synchronization does: a release copies the
// thread's clock into an object, an acquire joins the object's into the thread's. docs/design/clocks.md has the
// conclusion.
//   chunks   core/order/clock.h: copy-on-write chunks of 16
//   flat     an array of all slots
//   tree     a tree clock (Mathur, Pavlogiannis, Tunç, Viswanathan, ASPLOS 2022): joins visit only what is news
#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <vector>

#include "core/order/clock.h"
#include "core/testing/test_arena.h"

namespace norn {
namespace {

class Chunks {
 public:
  Chunks(Arena& arena, unsigned) : arena_(arena) {}
  Chunks(const Chunks&) = delete;
  ~Chunks() { clock_.clear(arena_); }
  void tick(unsigned self) { (void)clock_.raise(arena_, static_cast<Slot>(self), ++own_); }
  void join(const Chunks& other) { (void)clock_.join(arena_, other.clock_); }
  void copy(const Chunks& other) { (void)clock_.assign(arena_, other.clock_); }
  [[nodiscard]] ClockValue get(unsigned slot) const { return clock_.get(static_cast<Slot>(slot)); }

 private:
  Arena& arena_;
  VectorClock clock_;
  ClockValue own_ = 0;
};

class Flat {
 public:
  Flat(Arena&, unsigned slots) : times_(slots) {}
  void tick(unsigned self) { ++times_[self]; }
  void join(const Flat& other) {
    for (size_t i = 0; i < times_.size(); ++i) times_[i] = std::max(times_[i], other.times_[i]);
  }
  void copy(const Flat& other) { times_ = other.times_; }
  [[nodiscard]] ClockValue get(unsigned slot) const { return times_[slot]; }

 private:
  std::vector<ClockValue> times_;
};

class Tree {
 public:
  Tree(Arena&, unsigned slots) : nodes_(slots) {}
  void tick(unsigned self) {
    if (root_ < 0) {
      root_ = static_cast<int>(self);
      nodes_[self].present = true;
    }
    ++nodes_[self].time;
  }
  // The operand's root goes under this root; below it only subtrees with news are moved.
  void join(const Tree& other) {
    if (other.root_ < 0 || get(static_cast<unsigned>(other.root_)) >= other.node(other.root_).time) return;
    std::vector<int> news;
    collect(other, other.root_, news);
    for (const int n : news) detach(n);
    for (const int n : news) {
      Node& mine = nodes_[static_cast<size_t>(n)];
      const Node& theirs = other.node(n);
      mine.time = theirs.time;
      mine.present = true;
      if (n == root_) continue;
      const int parent = n == other.root_ ? root_ : theirs.parent;
      mine.attached = n == other.root_ ? nodes_[static_cast<size_t>(root_)].time : theirs.attached;
      push(parent, n);
    }
  }
  void copy(const Tree& other) {
    nodes_ = other.nodes_;
    root_ = other.root_;
  }
  [[nodiscard]] ClockValue get(unsigned slot) const { return nodes_[slot].time; }

 private:
  struct Node {
    ClockValue time = 0;
    ClockValue attached = 0;  // the parent's time when it learnt of this subtree
    int parent = -1, first = -1, next = -1, previous = -1;
    bool present = false;
  };
  [[nodiscard]] const Node& node(int n) const { return nodes_[static_cast<size_t>(n)]; }
  void collect(const Tree& other, int n, std::vector<int>& news) const {
    const ClockValue known = get(static_cast<unsigned>(n));
    news.push_back(n);
    for (int c = other.node(n).first; c >= 0; c = other.node(c).next) {
      if (get(static_cast<unsigned>(c)) < other.node(c).time) {
        collect(other, c, news);
      } else if (other.node(c).attached <= known) {
        break;  // children are ordered by when they were attached: the rest is old
      }
    }
  }
  void detach(int n) {
    Node& node = nodes_[static_cast<size_t>(n)];
    if (!node.present || node.parent < 0) return;
    if (node.previous >= 0) nodes_[static_cast<size_t>(node.previous)].next = node.next;
    if (node.next >= 0) nodes_[static_cast<size_t>(node.next)].previous = node.previous;
    if (nodes_[static_cast<size_t>(node.parent)].first == n) nodes_[static_cast<size_t>(node.parent)].first = node.next;
    node.parent = node.next = node.previous = -1;
  }
  void push(int parent, int n) {
    Node& p = nodes_[static_cast<size_t>(parent)];
    Node& c = nodes_[static_cast<size_t>(n)];
    c.parent = parent;
    c.previous = -1;
    c.next = p.first;
    if (p.first >= 0) nodes_[static_cast<size_t>(p.first)].previous = n;
    p.first = n;
  }

  std::vector<Node> nodes_;
  int root_ = -1;
};

// `threads` threads hand `locks` locks around at random; or, with groups, each only among eight neighbours.
template <class Representation>
void hand_over(benchmark::State& state, bool neighbours) {
  const auto threads = static_cast<unsigned>(state.range(0));
  const TestingArena memory;
  Arena arena;
  std::vector<std::unique_ptr<Representation>> clocks;
  std::vector<std::unique_ptr<Representation>> locks;
  for (unsigned i = 0; i < threads; ++i) {
    clocks.push_back(std::make_unique<Representation>(arena, threads));
    locks.push_back(std::make_unique<Representation>(arena, threads));
    clocks[i]->tick(i);
  }
  std::mt19937 random(1);
  for (auto _ : state) {
    const unsigned t = random() % threads;
    const unsigned l = neighbours ? t / 8 * 8 + random() % 8 % threads : random() % threads;
    clocks[t]->join(*locks[l % threads]);
    locks[l % threads]->copy(*clocks[t]);
    clocks[t]->tick(t);
  }
  benchmark::DoNotOptimize(clocks[0]->get(0));
  state.SetItemsProcessed(state.iterations() * 2);
}

template <class Representation>
void everyone(benchmark::State& state) {
  hand_over<Representation>(state, false);
}
template <class Representation>
void neighbours(benchmark::State& state) {
  hand_over<Representation>(state, true);
}

BENCHMARK(everyone<Chunks>)->Arg(2)->Arg(16)->Arg(64)->Arg(1024);
BENCHMARK(everyone<Flat>)->Arg(2)->Arg(16)->Arg(64)->Arg(1024);
BENCHMARK(everyone<Tree>)->Arg(2)->Arg(16)->Arg(64)->Arg(1024);
BENCHMARK(neighbours<Chunks>)->Arg(16)->Arg(64)->Arg(1024)->Arg(4096);
BENCHMARK(neighbours<Flat>)->Arg(16)->Arg(64)->Arg(1024)->Arg(4096);
BENCHMARK(neighbours<Tree>)->Arg(16)->Arg(64)->Arg(1024)->Arg(4096);

}  // namespace
}  // namespace norn

BENCHMARK_MAIN();
