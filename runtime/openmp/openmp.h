// OpenMP: which of a thread's work is whose. docs/design/openmp.md says which construct orders what.
#pragma once

#include "runtime/process/modules.h"
#include "runtime/process/state.h"

namespace norn {
struct RacingPair;
}

namespace norn::rt {

// Where the code of the OpenMP runtime lies, once it has reported itself.
extern constinit CodeRange openmp_code;

// Asked by a function that is interposed: is its caller OpenMP's runtime? How that synchronizes its own threads and
// where it keeps its own memory is an accident of this run.
[[gnu::always_inline]] inline bool called_by_openmp() { return openmp_code.contains(__builtin_return_address(0)); }

// Code creates a thread. If it is that of an OpenMP runtime that has no OMPT, that is said, once.
void note_unheard_runtime(const void* code);

// OpenMP's runtime fills memory that it uses for something new.
void renewed(void* memory, size_t size);

// What OpenMP's runtime does while one exists are no accesses of the thread: it calls back what the compiler made of
// reductions, on the copies of several threads, in an order of its own.
class Unseen {
 public:
  Unseen();
  ~Unseen();
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;

 private:
  Thread* thread_ = nullptr;
};

// Whether two accesses are of one variable that several threads can reach. Inside the core.
[[nodiscard]] bool can_race(const RacingPair& pair);
// Whether it is the present task's own: its iterations do not race there.
[[nodiscard]] bool is_own_memory(Address address);

// A thread that works for OpenMP got a block of the heap, or gave one back. Inside.
void got_block(ThreadState& state, Address begin, uint64_t size);
void gave_block(ThreadState& state, Address begin);

// The tasks that the present one creates from now on run at once, as parts of it.
void create_undeferred(bool undeferred);

// Ordered regions follow each other in the order of their iterations.
void begin_ordered();
void end_ordered();

// The present work knows which thread it runs on: it is ordered after what ran on it before and knew it, too.
void thread_number_asked();

}  // namespace norn::rt
