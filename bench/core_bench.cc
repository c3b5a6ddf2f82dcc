// Events per second of the core alone, by engine, with one and several threads in it at once, and what it costs in
// memory. Names: what is done / engine / threads.
#include <benchmark/benchmark.h>

#include <memory>
#include <mutex>
#include <vector>

#include "base/string_sink.h"
#include "core/detector.h"
#include "core/engine/engines.h"
#include "core/testing/test_arena.h"

namespace norn {
namespace {

constexpr Address kBase = 0x10000000;

// One detector for all threads of a benchmark; made by the first, which is also the root.
struct World {
  std::unique_ptr<TestingArena> memory;
  std::unique_ptr<Detector> detector;
  std::vector<Thread*> threads;
  std::mutex lock;
};
World world;

void set_up(const benchmark::State& state) {
  world.memory = std::make_unique<TestingArena>();
  world.detector = std::make_unique<Detector>();
  Options options;
  options.engine = kEngines[state.range(0)].kind;
  if (!world.detector->init(options, {})) std::abort();
  Thread* root = world.detector->add_root(0);
  world.threads.clear();
  for (int i = 0; i < state.threads(); ++i) {
    world.threads.push_back(world.detector->fork(*root, static_cast<ThreadId>(i + 1)));
  }
}

void tear_down(const benchmark::State&) {
  world.detector.reset();
  world.memory.reset();
}

// The same words again and again in one segment: what the inline check must make free.
void same_segment(benchmark::State& state) {
  Thread& thread = *world.threads[static_cast<size_t>(state.thread_index())];
  const Address own = kBase + static_cast<Address>(state.thread_index()) * 0x100000;
  Address i = 0;
  for (auto _ : state) {
    world.detector->write(thread, own + i % 1024 * 8, 8, 1);
    ++i;
  }
  state.SetItemsProcessed(state.iterations());
}

// Every word for the first time.
void first_touch(benchmark::State& state) {
  Thread& thread = *world.threads[static_cast<size_t>(state.thread_index())];
  const Address own = kBase + static_cast<Address>(state.thread_index()) * 0x40000000;
  Address i = 0;
  for (auto _ : state) {
    world.detector->write(thread, own + i % 0x1000000 * 8, 8, 1);
    ++i;
  }
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() == 0) {
    const double application = static_cast<double>(i < 0x1000000 ? i * 8 : 0x8000000) * state.threads();
    state.counters["shadow/byte"] = static_cast<double>(world.detector->shadow_bytes()) / application;
    state.counters["history/byte"] = static_cast<double>(world.detector->history_bytes()) / application;
  }
}

// All threads read the same array: read-shared data.
void read_shared(benchmark::State& state) {
  Thread& thread = *world.threads[static_cast<size_t>(state.thread_index())];
  Address i = 0;
  for (auto _ : state) {
    world.detector->read(thread, kBase + i % 4096 * 8, 8, 1);
    ++i;
  }
  state.SetItemsProcessed(state.iterations());
}

// Short critical sections: lock, four accesses to one of many records, unlock.
void critical_section(benchmark::State& state) {
  Thread& thread = *world.threads[static_cast<size_t>(state.thread_index())];
  uint64_t random = static_cast<uint64_t>(state.thread_index()) * 7919 + 1;
  for (auto _ : state) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const Address record = kBase + (random >> 40) % 4096 * 64;
    const std::lock_guard guard(world.lock);
    world.detector->lock_acquire(thread, 0x900, LockMode::kExclusive, 1);
    world.detector->read(thread, record, 8, 1);
    world.detector->read(thread, record + 8, 8, 2);
    world.detector->write(thread, record + 8, 8, 3);
    world.detector->write(thread, record + 16, 4, 4);
    world.detector->lock_release(thread, 0x900, LockMode::kExclusive);
  }
  state.SetItemsProcessed(state.iterations() * 6);
}

// A release store and an acquire load of one flag a round.
void atomics(benchmark::State& state) {
  Thread& thread = *world.threads[static_cast<size_t>(state.thread_index())];
  for (auto _ : state) {
    world.detector->atomic(thread, kBase, 8, 1,
                           [] { return Detector::AtomicOutcome{EventKind::kAtomicStore, MemoryOrder::kRelease}; });
    world.detector->atomic(thread, kBase, 8, 2,
                           [] { return Detector::AtomicOutcome{EventKind::kAtomicLoad, MemoryOrder::kAcquire}; });
  }
  state.SetItemsProcessed(state.iterations() * 2);
}

// A copy of 64 KiB.
void range(benchmark::State& state) {
  Thread& thread = *world.threads[static_cast<size_t>(state.thread_index())];
  const Address own = kBase + static_cast<Address>(state.thread_index()) * 0x100000;
  for (auto _ : state) {
    world.detector->read(thread, own, 65536, 1);
    world.detector->write(thread, own + 0x80000, 65536, 1);
    world.detector->happens_before(thread, 0x700);  // a new segment
  }
  state.SetBytesProcessed(state.iterations() * 131072);
}

// Blocks of a clock's size, from the arena and back, eight at a time.
Arena* arena = nullptr;

void set_up_arena(const benchmark::State&) {
  world.memory = std::make_unique<TestingArena>();
  arena = new Arena;
}

void tear_down_arena(const benchmark::State&) {
  delete arena;
  world.memory.reset();
}

void allocate(benchmark::State& state) {
  void* blocks[8];
  for (auto _ : state) {
    for (void*& block : blocks) block = arena->allocate(272);
    for (void* block : blocks) arena->release(block, 272);
  }
  state.SetItemsProcessed(state.iterations() * 8);
}

void register_all() {
  benchmark::RegisterBenchmark("allocate", allocate)
      ->Setup(set_up_arena)
      ->Teardown(tear_down_arena)
      ->ThreadRange(1, 4)
      ->MinTime(0.05)
      ->UseRealTime();
  struct Kernel {
    const char* name;
    void (*run)(benchmark::State&);
  };
  for (const Kernel& kernel :
       {Kernel{"same_segment", same_segment}, Kernel{"first_touch", first_touch}, Kernel{"read_shared", read_shared},
        Kernel{"critical_section", critical_section}, Kernel{"atomics", atomics}, Kernel{"range", range}}) {
    for (const EngineRow& engine : kEngines) {
      benchmark::RegisterBenchmark((std::string(kernel.name) + "/" + engine.name).c_str(), kernel.run)
          ->Arg(static_cast<int>(engine.kind))
          ->Setup(set_up)
          ->Teardown(tear_down)
          ->ThreadRange(1, 4)
          ->MinTime(0.05)
          ->UseRealTime();
    }
  }
}

}  // namespace
}  // namespace norn

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  norn::register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
