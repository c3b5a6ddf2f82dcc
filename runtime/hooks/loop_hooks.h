// Loops that wait: what the compiler says of them (abi.h), and what becomes of it.
//
// A condition is read many times before its loop is left. What counts is the last evaluation, and only once the loop is
// left: a hook stands before its access, so the value that ends a loop may have been written after it. So the reads of
// a condition are kept, by exit, and emitted on the way out, when whoever wrote what was read has emitted its write
// before. In between only one event is emitted, and once: that the word is being waited for, so that its writers are
// known more exactly from then on.
#pragma once

#include "norn/abi.h"
#include "runtime/hooks/sampling.h"
#include "runtime/process/emit.h"
#include "runtime/process/state.h"

namespace norn::rt {

// A module's table; `--verbose=loops` and `--dump-cfg` show it. `thread` loads it; null: it is not followed.
void add_loops(const norn_module& tables, Thread* thread);

// Whether the calling thread's wait on `condition` stands in a loop whose leaving will be emitted, with nothing but the
// loop's condition after it. Remembers the condition variable for that.
[[nodiscard]] bool waits_in_loop(const void* condition);

// A try to take a lock failed; if a condition is being evaluated, that is what it found.
void note_refusal(const void* lock, const norn_site& site);
// Remembers an address that the condition being evaluated reads.
void note_spin(Address address, size_t size, const norn_site* site, bool atomically);
// Whether the exit waits by spinning: its reads are no accesses.
[[nodiscard]] bool is_spin(const norn_loop* exit);
// Whether leaving by it is ordered after the counterparts of what it read: by spins, and by the exits of loops around
// waits, whose reads are accesses all the same (they are under the mutex, or race).
[[nodiscard]] bool is_ordered_by_reads(const norn_loop* exit);

// Whether what a test-and-set found may have been put there by a plain write that nothing orders: an atomic write
// orders by its memory order and no more.
[[nodiscard]] bool is_given_up_plainly(Thread& thread, Address address, size_t size);

// An atomic as a loop's condition synchronizes as ever but is no access that can race. One that wrote is a test-and-set
// and is left on the spot: it holds what it waited for, or will try again and wait for more.
template <class Perform>
void spin_by_atomic(Thread& thread, Address address, size_t size, StackId stack, const norn_site* site,
                    Perform perform) {
  if (!is_spin(__norn_spinning)) {
    emit.atomic(thread, address, size, stack, perform);
    if (is_ordered_by_reads(__norn_spinning)) note_spin(address, size, site, true);
    return;
  }
  bool wrote = false;
  emit.ignore_begin(thread, kIgnoreReads | kIgnoreWrites);
  emit.atomic(thread, address, size, stack, [&] {
    const AtomicOutcome outcome = perform();
    wrote = outcome.kind != EventKind::kAtomicLoad;
    return outcome;
  });
  emit.ignore_end(thread, kIgnoreReads | kIgnoreWrites);
  if (wrote) {
    const bool is_ordered = is_given_up_plainly(thread, address, size);
    emit.spin_read(thread, address, size, stack, !is_ordered);
    if (is_ordered) emit.spin_leave(thread);
    if (is_sampled()) emit.leave_by_atomic(thread, address);
  } else {
    note_spin(address, size, site, true);
  }
}

}  // namespace norn::rt
