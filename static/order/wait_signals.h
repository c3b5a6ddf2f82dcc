// Order without locks: one thread waits for what another stores.
//
//     T1: data = 1;  ready = 1;            T2: while (!ready) …;  use(data);
//
// A cell is a variable of which there is one, that is always accessed as a whole. Its first values are what it has
// before there is a second thread. Whoever goes on only because it read a value that is none of these (a branch on a
// load of the cell) waited: it comes after one of the stores of other values, the signals of the cell. If all signals
// are of one thread, it comes after whatever that thread does before the first of them. This holds for
//
//     atomics, if the load acquires and all signals release;
//     plain variables that a loop waits for, as runs take them (docs/design/loops.md): flags;
//     variables that are loaded and signalled under one lock, waits for condition variables among them;
//     semaphores that begin with 0: sem_post signals, and who comes out of sem_wait waited.
//
// Others may store signals, too, if they do so only after they waited for the cell themselves: consumers that take one
// away of what they waited for (`while (count == 0) …; count--;`). The first signal of all is then the one thread's,
// and whoever waited comes after it, through what orders the others. That they waited is assumed, and looked at once it
// is known what is held where (confirm).
//
// relative_locks.h carries what was waited for through the program, as a lock that is never given back.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "static/order/relative_locks.h"
#include "static/order/thread_tree.h"

namespace norn::statics {

class Signals final {
 public:
  Signals(const PointsTo& points_to, const Threads& threads, const Locks& locks);

  // What is waited for where.
  [[nodiscard]] const Waits& waits() const { return waits_; }
  // Whether all that was assumed holds, by what is held with these waits. If not, waits() has changed: call it again
  // with what is held with those.
  [[nodiscard]] bool confirm(const Locks& with_waits);

  // Whether what a thread does there comes before every signal of the cell, whenever the cell is signalled at all.
  [[nodiscard]] bool precedes(unsigned cell, int thread, const llvm::Instruction& instruction) const;
  [[nodiscard]] size_t cells() const { return cells_.size(); }
  // Whether who waits for the cell waits by an atomic.
  [[nodiscard]] bool is_atomic(unsigned cell) const { return cells_[cell].is_atomic; }
  // Who waited for these cells waited for those, too, that all their signallers had waited for.
  void close(std::set<unsigned>& waited, const Locks& with_waits) const;

 private:
  struct Signal {
    int thread;
    const llvm::Instruction* instruction;
  };
  struct Cell {
    ObjectId object = 0;
    int64_t offset = 0;
    uint64_t size = 0;
    bool is_cell = true;
    bool is_semaphore = false;
    bool is_atomic = false;
    std::vector<llvm::APInt> first{};
    std::vector<Signal> signals{};  // once it is waited for: of one thread
    std::vector<Signal> later{};    // of others, after they waited
    std::vector<int> not_tried{};   // threads that the signals may be of
    std::vector<const llvm::Instruction*> loads{};
  };
  using Place = std::pair<ObjectId, int64_t>;

  void collect();
  void collect(int thread, const llvm::Instruction& instruction);
  void add_store(int thread, const llvm::Instruction& instruction, const llvm::Value* address, uint64_t size,
                 const llvm::ConstantInt* value);
  void spoil(const llvm::Value* address);
  void find_wanted();
  [[nodiscard]] bool is_wanted(const PointedTo& to) const { return wanted_[to.object]; }
  [[nodiscard]] bool is_one(ObjectId object) const;
  [[nodiscard]] bool is_ordered(const Cell& cell, const llvm::Instruction& load) const;
  [[nodiscard]] bool choose_signaller(Cell& cell) const;
  [[nodiscard]] bool share_a_lock(const Cell& cell, const llvm::Instruction& load) const;
  void find_waits();
  [[nodiscard]] const Region& after(int thread, const llvm::Instruction& instruction) const;

  const PointsTo& points_to_;
  const Threads& threads_;
  const Locks& locks_;
  std::map<Place, Cell> by_place_;
  std::vector<bool> wanted_;                         // objects in which somebody may wait for one place
  std::set<const std::vector<PointedTo>*> spoiled_;  // what addresses point to of which this was said
  std::set<std::pair<const std::vector<PointedTo>*, uint64_t>> loaded_;  // and which was loaded, in so many bytes
  std::set<ObjectId> cleared_;
  std::vector<Cell> cells_;  // those that somebody waits for
  Waits waits_;
  mutable std::map<std::pair<int, const llvm::Instruction*>, std::set<unsigned>> held_;  // locks that are one object
  mutable std::map<std::pair<int, const llvm::Instruction*>, Region> after_;
};

}  // namespace norn::statics
