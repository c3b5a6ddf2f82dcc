// SPDX-License-Identifier: GPL-2.0-or-later
// What the tool knows of the program and its threads. Valgrind runs one thread at a time, so nothing here is locked.
#pragma once

#include "core/emitter.h"
#include "core/storage/arena.h"
#include "valgrind/tool/host.h"

namespace norn {
struct FastCheck;
struct Granule;
}  // namespace norn
namespace norn::hazards {
class Hazards;
}
namespace norn::trace {
struct Stream;
}

namespace norn::vg {

// A call that has not returned. The program's own stack pointer tells which calls were left by longjmp or an exception.
struct Call {
  Address sp;     // where the return address lies
  Address site;   // of the call instruction
  StackId where;  // kNoStack: not asked for yet
  uint32_t unused;
};
static_assert(sizeof(Call) == 24);

struct LoopState;     // waiting.h
struct OpenMpThread;  // openmp.h

struct ThreadState {
  Thread* core;
  LoopState* loops;
  OpenMpThread* openmp;   // null: it has had nothing to do with OpenMP
  trace::Stream* stream;  // what it records goes here; null: nothing yet
  ::norn::ThreadId id;
  HostThread host;

  Call* calls_begin;  // of their memory
  Call* calls;        // the outermost; of an OpenMP task that runs
  Call* calls_end;    // of their memory
  Call* top;          // one past the innermost; while the thread runs, `call_top` is the one that counts

  // The last load of an atomic, and what was the case then: as long as it is, another one says the same.
  struct Poll {
    Address address;
    uint64_t size;
    uint64_t changes;  // atomic_changes
    uint64_t word;     // of the thread's present time
    uint8_t ignoring;
    bool operator==(const Poll&) const = default;
  } poll;

  Address pthread;
  Address stack_begin;
  Address stack_end;
  Address own_begin;  // its own variables (TLS), from here to own_end
  Address own_end;
  // Where other threads touched this stack: what is below the stack pointer becomes new when it is used again.
  Address foreign_begin;
  Address foreign_end;  // 0: nowhere

  // Between the call of pthread_create and the birth of the thread.
  Address routine;
  Address argument;
  Address once_routine;  // between the call of pthread_once and that of its routine
  Address once_control;
  bool creates_detached;
  ThreadState* created;  // the last one
  StackId created_at;

  ThreadState* next;  // all that live; or idle ones
};

// Kept for ever, by number: reports speak of threads that ended long ago.
struct ThreadInfo {
  static constexpr size_t kNameSize = 24;
  Address stack_begin;
  Address stack_end;
  StackId created_at;
  ::norn::ThreadId parent;
  ::norn::ThreadId carrier;  // of an OpenMP task: the thread that runs it; of a thread: itself
  char name[kNameSize];
};

extern constinit Detector detector;
extern constinit hazards::Hazards hazard_listener;
// Each event of the program, once.
extern constinit Emitter<detector, hazard_listener> emit;
extern constinit Arena memory;              // of the tool's own tables
extern constinit ThreadState* current;      // the thread whose code runs
extern constinit FastCheck* current_check;  // its
extern constinit uint64_t atomic_changes;   // how often any thread stored to an atomic
// Accesses count. Off while there is one thread: what it did is ordered before all that its children do.
extern constinit bool watching;
extern constinit bool checks_itself;  // the program, which norn built: nothing is watched
// The present thread's foreign part of its stack, for the code that looks at it when the stack moves; empty: (~0, 0).
struct ForeignStack {
  Address begin;
  Address end;
};
extern constinit ForeignStack foreign_stack;

bool init_state();
// Memory for the shadow of all that the program can have, none of which counts until it is touched; 0: there is none.
uintptr_t reserve_shadow();
// The thread's check looks where its shadow words are.
void settle_check(Thread& thread);
// The shadow of an address; null: it is not in that memory, or the engine keeps no shadow words there.
Granule* granule_with_words(Address address);
ThreadState* state_of(HostThread host);
ThreadState* first_state();
ThreadInfo* thread_info(::norn::ThreadId id);
::norn::ThreadId thread_of_stack(Address address);
void set_thread_name(::norn::ThreadId id, const char* name);

// The life of threads, as Valgrind and the wrappers tell it.
void thread_is_created(HostThread parent, HostThread child);
void thread_has_stack(ThreadState& state, Address begin, Address end);
void thread_ends(HostThread host);
void thread_runs(HostThread host);
void thread_has_handle(ThreadState& state, Address pthread);
::norn::ThreadId thread_of_handle(Address pthread);
void forget_handle(Address pthread, ::norn::ThreadId id);
// In the child of a fork: only the caller is left.
void forget_other_threads(HostThread host);

// From here on accesses count. False: they did already. The caller has all code translated anew.
bool start_watching(ThreadState& self);
// A number for another thread of the core.
::norn::ThreadId new_thread_number();
// Before a new thread of the core runs.
void prepare_core(Thread& core);
// The current thread of the host is this thread of the core from here on.
void run_as(ThreadState& self, Thread& core);
// What lies below the stack pointer of the current thread is new when it is used next: others used it.
void renew_stack(ThreadState& self);

// The current thread's stack pointer went from `old` to `fresh`.
void stack_moved(Address old, Address fresh);

// Whether this is memory of the thread's own, which it has for itself whatever tasks it runs.
bool is_own_of(::norn::ThreadId host, Address address);

// A thread accesses what may be another's stack: what it does there must not count for whatever lies there after the
// frame was left.
void note_foreign_stack(const ThreadState& self, Address address, uint64_t size);
// The same for an atomic on anybody's stack, its own thread's too: it ends with its frame.
void note_atomic_on_stack(ThreadState& self, Address address, uint64_t size);

// An access of the current thread that may be anything: to an atomic, to another's stack, or nothing special. `counts`:
// a read that only counts.
void access(AccessKind kind, Address address, uint64_t size, Address ip, bool counts = false);
// One that is known to be of an atomic.
void atomic_access(AccessKind kind, Address address, uint64_t size, Address ip);
void access_range(ThreadState& state, AccessKind kind, Address address, uint64_t size, StackId where);
// A call does the access that is emitted now, not an instruction that is about to run: it may be done already.
extern bool is_by_call;

}  // namespace norn::vg
