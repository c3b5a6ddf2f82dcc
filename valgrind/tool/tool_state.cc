// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/tool/tool_state.h"

#include "base/hash.h"
#include "core/emitter_inline.h"
#include "hazards/hazard_listener.h"
#include "valgrind/tool/client.h"
#include "valgrind/tool/client_openmp.h"
#include "valgrind/tool/guest_stacks.h"
#include "valgrind/tool/private.h"
#include "valgrind/tool/tool_recording.h"
#include "valgrind/tool/waiting.h"

namespace norn::vg {

constinit Detector detector;
constinit hazards::Hazards hazard_listener;
constinit Emitter<detector, hazard_listener> emit;
constinit Arena memory;
constinit ThreadState* current = nullptr;
constinit FastCheck* current_check = nullptr;
constinit uint64_t atomic_changes = 0;
constinit bool watching = false;
constinit bool checks_itself = false;
constinit ForeignStack foreign_stack = {~Address{0}, 0};

namespace {

constexpr size_t kCalls = size_t{1} << 16;
constexpr Address kMainStack = Address{8} << 20;

constinit uintptr_t shadow_at = 0;
// What a check finds before it was settled.
constinit const Granule kNothing[2] = {};

constinit ThreadState** states = nullptr;  // by Valgrind's number
constinit ThreadState* living = nullptr;
constinit ThreadState* idle = nullptr;

// --- what is kept of every thread --------------------------------------------------------------------------------

constexpr unsigned kInfoChunk = 1024;
constexpr unsigned kInfoChunks = 1u << 16;
constinit ThreadInfo** infos = nullptr;
constinit ::norn::ThreadId next_id = 0;

// --- which number a pthread_t has --------------------------------------------------------------------------------

struct Handle {
  Address pthread;
  ::norn::ThreadId id;
  Handle* next;
};
constexpr unsigned kBuckets = 1024;
constinit Handle* handles[kBuckets] = {};

Handle** bucket_of(Address pthread) { return &handles[hash_word(pthread >> 6) >> 54]; }

ThreadState* new_state() {
  ThreadState* state = idle;
  Call* calls = nullptr;
  LoopState* loops = nullptr;
  if (state != nullptr) {
    idle = state->next;
    calls = state->calls_begin;
    loops = state->loops;
  } else {
    state = memory.create<ThreadState>();
    loops = memory.create<LoopState>();
    calls = static_cast<Call*>(VG_(am_shadow_alloc)(kCalls * sizeof(Call)));
    tl_assert2(state != nullptr && loops != nullptr && calls != nullptr, "norn: no memory for another thread\n");
  }
  *state = {};
  *loops = {};
  state->loops = loops;
  state->calls_begin = state->calls = state->top = calls;
  state->calls_end = calls + kCalls;
  return state;
}

// Parts of memory that are known to have no stack; nothing is known when another thread begins.
constexpr unsigned kPartBits = 16;
constexpr unsigned kParts = 256;
constinit Address parts_without_stack[kParts] = {};

// Below the stack pointer lies the red zone, which functions use without saying so.
constexpr Address kRedZone = VG_STACK_REDZONE_SZB;

void show_foreign_stack(const ThreadState& self) {
  foreign_stack = self.foreign_end == 0 ? ForeignStack{~Address{0}, 0}
                                        : ForeignStack{self.foreign_begin, self.foreign_end + kRedZone};
}

}  // namespace

bool start_watching(ThreadState& self) {
  if (watching || checks_itself) return false;
  const Address end = VG_(thread_get_stack_max)(self.host);
  thread_has_stack(self, end > kMainStack ? end - kMainStack : 0, end);
  watching = true;
  hazard_listener.lock_order.watch(true);
  hazard_listener.atomicity.watch(true);  // Valgrind runs one thread at a time, as it wants it
  emit.settle();
  // The first thread's own variables are in memory of the dynamic linker's, below its control block.
  constexpr Address kBelow = 4096;
  constexpr Address kAbove = 2304;
  UWord control = 0;
  VG_(get_shadow_regs_area)(self.host, reinterpret_cast<UChar*>(&control), 0,
                            offsetof(VexGuestAMD64State, guest_FS_CONST), sizeof(control));
  self.own_begin = control > kBelow ? control - kBelow : 0;
  self.own_end = control + kAbove;
  return true;
}

::norn::ThreadId new_thread_number() { return next_id++; }

void prepare_core(Thread& core) {
  core.fast.mask = 0;
  core.fast.granules = kNothing;
}

void run_as(ThreadState& self, Thread& core) {
  if (self.core == &core) return;
  self.core = &core;
  self.poll = {};
  if (current == &self) current_check = &core.fast;
}

void renew_stack(ThreadState& self) {
  const Address end = VG_(get_SP)(self.host) - kRedZone;
  if (!watching || end <= self.stack_begin || end >= self.stack_end) return;
  emit.allocate(*self.core, end, kRedZone);
  self.foreign_begin = self.stack_begin;
  if (self.foreign_end < end) self.foreign_end = end;
  show_foreign_stack(self);
}

bool init_state() {
  states =
      static_cast<ThreadState**>(memory.allocate_forever(((VG_N_THREADS + 1) * sizeof(*states) + 15) & ~size_t{15}));
  infos = static_cast<ThreadInfo**>(memory.allocate_forever(kInfoChunks * sizeof(*infos)));
  return states != nullptr && infos != nullptr;
}

uintptr_t reserve_shadow() {
  // Valgrind keeps its own and the program's memory far below.
  constexpr uintptr_t kAt = uintptr_t{1} << 44;
  static_assert(kAt >= Shadow::kFlatLow && kAt + Shadow::kFlatBytes <= Shadow::kFlatMiddle);
  shadow_at = map_exactly(kAt, Shadow::kFlatBytes) ? kAt : 0;
  discard_shadow = &unfill_exactly;
  return shadow_at;
}

void settle_check(Thread& thread) {
  if (shadow_at == 0 || emit.wants_every_access()) return;
  thread.fast.mask = Shadow::kFlatMask;
  thread.fast.granules = reinterpret_cast<const void*>(shadow_at + thread.slot % 2 * sizeof(uint64_t));
}

Granule* granule_with_words(Address address) {
  if (shadow_at == 0 || !Shadow::is_flat(address) || is_state_machine(detector.options().engine)) return nullptr;
  return reinterpret_cast<Granule*>(shadow_at + (address & Shadow::kFlatMask) * (sizeof(Granule) / kGranuleBytes));
}

ThreadState* state_of(HostThread host) { return host < VG_N_THREADS ? states[host] : nullptr; }
ThreadState* first_state() { return living; }

ThreadInfo* thread_info(::norn::ThreadId id) {
  if (id >= next_id) return nullptr;
  ThreadInfo*& chunk = infos[id / kInfoChunk];
  if (chunk == nullptr) chunk = static_cast<ThreadInfo*>(memory.allocate_forever(kInfoChunk * sizeof(ThreadInfo)));
  return chunk == nullptr ? nullptr : &chunk[id % kInfoChunk];
}

::norn::ThreadId thread_of_stack(Address address) {
  for (const ThreadState* state = living; state != nullptr; state = state->next) {
    if (address >= state->stack_begin && address < state->stack_end) return state->id;
  }
  for (::norn::ThreadId id = next_id; id > 0; --id) {
    const ThreadInfo* info = thread_info(id - 1);
    if (info != nullptr && address >= info->stack_begin && address < info->stack_end) return id - 1;
  }
  return kNoThread;
}

void thread_has_stack(ThreadState& state, Address begin, Address end) {
  state.stack_begin = begin;
  state.stack_end = end;
  if (ThreadInfo* info = thread_info(state.id); info != nullptr) {
    info->stack_begin = begin;
    info->stack_end = end;
    info->carrier = state.id;
  }
  for (Address& part : parts_without_stack) part = 0;
}

void set_thread_name(::norn::ThreadId id, const char* name) {
  ThreadInfo* info = thread_info(id);
  if (info == nullptr) return;
  size_t i = 0;
  for (; name[i] != '\0' && i + 1 < ThreadInfo::kNameSize; ++i) info->name[i] = name[i];
  info->name[i] = '\0';
}

void thread_is_created(HostThread parent, HostThread child) {
  ThreadState* creator = state_of(parent);
  ThreadState* state = new_state();
  state->id = new_thread_number();
  state->host = child;
  if (creator != nullptr) {
    // The first child. The code that was translated without looking at accesses goes.
    if (start_watching(*creator)) discard_translations();
    state->core = emit.fork(*creator->core, state->id);
    state->routine = creator->routine;
    state->argument = creator->argument;
    creator->created = state;
    creator->routine = 0;
    if (ThreadInfo* info = thread_info(state->id); info != nullptr) {
      info->parent = creator->id;
      info->created_at = creator->created_at != kNoStack ? creator->created_at : place(*creator, 0);
    }
    creator->created_at = kNoStack;
    if (creator->creates_detached && state->core != nullptr) emit.detach(*creator->core, state->id);
    creator->creates_detached = false;
  } else {
    state->core = emit.add_root(state->id);
    current = state;
    current_check = &state->core->fast;
  }
  tl_assert2(state->core != nullptr, "norn: no memory for another thread\n");
  prepare_core(*state->core);
  states[child] = state;
  state->next = living;
  living = state;
}

void thread_ends(HostThread host) {
  ThreadState* state = state_of(host);
  if (state == nullptr) return;
  forget_openmp(*state);
  // Who dies with a robust mutex hands it on. Nobody gets one that is not robust, so giving it up orders nothing.
  while (state->core->held_count > 0) {
    const Held& held = state->core->held[state->core->held_count - 1];
    emit.lock_release(*state->core, held.address, held.mode);
  }
  if (ThreadInfo* info = thread_info(state->id); info != nullptr) {
    info->stack_begin = state->stack_begin;
    info->stack_end = state->stack_end;
  }
  if (state->core->detached.load(std::memory_order_relaxed)) forget_handle(state->pthread, state->id);
  emit.exit(*state->core);
  end_recording_of(*state);
  for (ThreadState** at = &living; *at != nullptr; at = &(*at)->next) {
    if (*at != state) continue;
    *at = state->next;
    break;
  }
  for (ThreadState* other = living; other != nullptr; other = other->next) {
    if (other->created == state) other->created = nullptr;
  }
  states[host] = nullptr;
  if (current == state) current = nullptr;
  state->next = idle;
  idle = state;
}

void thread_runs(HostThread host) {
  current = state_of(host);
  if (current == nullptr) return;
  current_check = &current->core->fast;
  show_foreign_stack(*current);
}

void thread_has_handle(ThreadState& state, Address pthread) {
  state.pthread = pthread;
  Handle** bucket = bucket_of(pthread);
  for (Handle* handle = *bucket; handle != nullptr; handle = handle->next) {
    if (handle->pthread != pthread) continue;
    handle->id = state.id;
    return;
  }
  auto* made = memory.create<Handle>();
  if (made == nullptr) return;
  *made = {pthread, state.id, *bucket};
  *bucket = made;
}

::norn::ThreadId thread_of_handle(Address pthread) {
  for (const Handle* handle = *bucket_of(pthread); handle != nullptr; handle = handle->next) {
    if (handle->pthread == pthread) return handle->id;
  }
  return kNoThread;
}

void forget_handle(Address pthread, ::norn::ThreadId id) {
  for (Handle** place = bucket_of(pthread); *place != nullptr; place = &(*place)->next) {
    Handle* handle = *place;
    if (handle->pthread != pthread || handle->id != id) continue;
    *place = handle->next;
    memory.destroy(handle);
    return;
  }
}

void forget_other_threads(HostThread host) {
  ThreadState* self = state_of(host);
  if (self == nullptr) return;
  for (ThreadState* other = living; other != nullptr;) {
    ThreadState* next = other->next;
    if (other != self) {
      emit.join(*self->core, other->id);
      forget_handle(other->pthread, other->id);
      states[other->host] = nullptr;
      other->next = idle;
      idle = other;
    }
    other = next;
  }
  self->next = nullptr;
  self->created = nullptr;
  living = self;
}

// --- accesses ----------------------------------------------------------------------------------------------------

namespace {

// Whether the part of memory with the address may have some of a thread's stack.
bool may_be_stack(Address address) {
  const Address part = address >> kPartBits;
  Address& known = parts_without_stack[part % kParts];
  if (known == part) return false;
  for (const ThreadState* owner = living; owner != nullptr; owner = owner->next) {
    if (part >= owner->stack_begin >> kPartBits && part <= owner->stack_end >> kPartBits) return true;
  }
  known = part;
  return false;
}

ThreadState* owner_of_stack(Address address) {
  if (!may_be_stack(address)) return nullptr;
  ThreadState* owner = living;
  while (owner != nullptr && (address < owner->stack_begin || address >= owner->stack_end)) owner = owner->next;
  return owner;
}

void widen_foreign(ThreadState& owner, Address address, uint64_t size) {
  if (owner.foreign_end == 0 || address < owner.foreign_begin) owner.foreign_begin = address;
  if (address + size > owner.foreign_end) owner.foreign_end = address + size;
}

}  // namespace

void note_foreign_stack(const ThreadState& self, Address address, uint64_t size) {
  if (address >= self.stack_begin && address < self.stack_end) return;
  if (ThreadState* owner = owner_of_stack(address); owner != nullptr) widen_foreign(*owner, address, size);
}

void note_atomic_on_stack(ThreadState& self, Address address, uint64_t size) {
  ThreadState* owner = owner_of_stack(address);
  if (owner == nullptr) return;
  widen_foreign(*owner, address, size);
  if (owner == &self) return show_foreign_stack(self);
  // Its owner's loads and stores were taken for those of a local variable (atomic_access).
  become_atomic(self, address, size);
}

namespace {

// Whether the thread loaded this atomic last, and nothing has happened since: it is polled.
bool is_polled_again(ThreadState& self, Address address, uint64_t size) {
  if (emit.wants_every_access()) return false;
  const uint64_t word = self.core->fast.read.load(std::memory_order_relaxed);
  const ThreadState::Poll poll = {address, size, atomic_changes, word, self.core->ignoring};
  if (word != ShadowWord::nobody().bits() && !self.core->recording && poll == self.poll) return true;
  self.poll = poll;
  return false;
}

void load_or_store(ThreadState& self, AccessKind kind, Address address, uint64_t size, Address ip) {
  const bool reads = kind == AccessKind::kRead;
  if (!reads) {
    ++atomic_changes;
  } else if (is_polled_again(self, address, size)) {
    return;
  }
  emit.atomic(*self.core, address, size, place(self, ip), [reads] {
    return reads ? Detector::AtomicOutcome{EventKind::kAtomicLoad, MemoryOrder::kAcquire}
                 : Detector::AtomicOutcome{EventKind::kAtomicStore, MemoryOrder::kRelease};
  });
}

}  // namespace

bool is_own_of(::norn::ThreadId host, Address address) {
  for (const ThreadState* state = living; state != nullptr; state = state->next) {
    if (state->id == host) return address >= state->own_begin && address < state->own_end;
  }
  return false;
}

void stack_moved(Address old, Address fresh) {
  ThreadState& self = *current;
  // What a frame had is gone with it; what lies below is new when the stack comes there. So is the red zone of before:
  // who came here through code that is not looked at has it in its frame, and nobody who moves the stack keeps anything
  // in it.
  const bool grows = fresh < old;
  Address begin = grows ? fresh - kRedZone : old;
  Address end = grows ? old : fresh;
  if (begin < self.foreign_begin) begin = self.foreign_begin;
  if (end > self.foreign_end) end = self.foreign_end;
  if (begin >= end) return;
  emit.allocate(*self.core, begin, end - begin);
  // What is left of where others have been.
  if (end == self.foreign_end) {
    self.foreign_end = begin > self.foreign_begin ? begin : 0;
  } else if (begin == self.foreign_begin) {
    self.foreign_begin = end;
  }
  show_foreign_stack(self);
}

void access(AccessKind kind, Address address, uint64_t size, Address ip, bool counts) {
  ThreadState& self = *current;
  // x86 loads and stores of atomics look like any other. Where a LOCK-prefixed instruction showed that there is an
  // atomic, they are taken for acquire and release (docs/design/valgrind.md).
  if (size <= 8 && detector.holds_atomic(address)) return load_or_store(self, kind, address, size, ip);
  note_foreign_stack(self, address, size);
  emit.access(*self.core, kind, address, size, [&] { return place(self, ip); }, counts);
}

void atomic_access(AccessKind kind, Address address, uint64_t size, Address ip) {
  ThreadState& self = *current;
  // Without optimisation the atomics' own functions have local variables.
  const bool is_local = address >= self.stack_begin && address < self.stack_end;
  if (is_local && !detector.holds_atomic(address)) return access(kind, address, size, ip);
  note_atomic_on_stack(self, address, size);
  load_or_store(self, kind, address, size, ip);
}

constinit bool is_by_call = false;

void access_range(ThreadState& state, AccessKind kind, Address address, uint64_t size, StackId where) {
  if (size == 0) return;
  note_foreign_stack(state, address, size);
  is_by_call = true;
  emit.access(*state.core, kind, address, size, where);
  is_by_call = false;
}

}  // namespace norn::vg

// For all who do not see its functions (core/emitter.h).
template class norn::Emitter<norn::vg::detector, norn::vg::hazard_listener>;
