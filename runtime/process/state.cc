#include "runtime/process/state.h"

#include <pthread.h>
#include <sys/mman.h>

#include "norn/site.h"
#include "runtime/hooks/check_state.h"
#include "runtime/intercept/threading/threads.h"
#include "runtime/process/emit.h"
#include "runtime/process/emit_inline.h"
#include "runtime/process/mode.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/recording.h"

namespace {

// Where threads push their calls that the runtime has never seen.
constexpr size_t kScratchSlots = size_t{1} << 20;
constinit const norn_site* scratch[kScratchSlots] = {};

}  // namespace

__attribute__((visibility("default"))) NORN_TLS __thread const norn_site** __norn_stack = scratch;

// The core's one source of memory.
extern "C" void* norn_arena_map(size_t bytes) { return norn::rt::sys::map(bytes); }

namespace norn::rt {

constinit Detector detector;
constinit Arena memory;
constinit hazards::Hazards hazard_listener;
constinit Emitter<detector, hazard_listener> emit;
constinit std::atomic<bool> gate{false};
NORN_TLS __thread ThreadState* current_state = nullptr;
NORN_TLS __thread bool current_ended = false;
constinit std::atomic<Phase> phase{Phase::kNotStarted};
constinit std::atomic<bool> watching{false};

namespace {

constexpr unsigned kInfoChunk = 1024;
constexpr unsigned kInfoChunks = 1u << 16;
constinit std::atomic<ThreadInfo*>* info_chunks = nullptr;
constinit std::atomic<ThreadId> next_number{1};  // the first thread is thread 1
constinit SpinMutex states_mutex;
constinit std::atomic<ThreadState*> states{nullptr};
constinit ThreadState* idle_states = nullptr;

constexpr size_t kPage = 4096;

size_t stack_id_bytes(size_t call_bytes) {
  return (call_bytes / sizeof(norn_site*) * sizeof(StackId) + kPage - 1) & ~(kPage - 1);
}

}  // namespace

// A frame that pushes takes 16 bytes of native stack at least, and 8 here: half the native stack is enough.
bool CallStack::create(size_t native_stack_bytes) {
  size_t bytes = (native_stack_bytes / 2 + 2 * kPage) & ~(kPage - 1);
  void* slots = nullptr;
  for (; bytes >= 4 * kPage; bytes = bytes / 2 & ~(kPage - 1)) {
    slots = sys::map(bytes + kPage + stack_id_bytes(bytes));
    if (slots != nullptr) break;
  }
  if (slots == nullptr) return false;
  mapped = bytes + kPage;
  stack_ids = reinterpret_cast<StackId*>(static_cast<char*>(slots) + mapped);
  sys::call(__NR_mprotect, sys::as_long(static_cast<char*>(slots) + bytes), kPage, PROT_NONE);
  begin = static_cast<const norn_site**>(slots);
  end = begin + bytes / sizeof(*begin);
  return true;
}

bool CallStack::add_foreign() {
  foreign = static_cast<Foreign*>(sys::map(static_cast<size_t>(end - begin) * sizeof(Foreign)));
  return foreign != nullptr;
}

void CallStack::destroy() {
  if (foreign != nullptr) sys::unmap(foreign, static_cast<size_t>(end - begin) * sizeof(Foreign));
  foreign = nullptr;
  if (begin != nullptr) sys::unmap(begin, mapped + stack_id_bytes(mapped - kPage));
  begin = end = nullptr;
  stack_ids = nullptr;
  mapped = 0;
}

ThreadState* first_state() { return states.load(std::memory_order_acquire); }

ThreadState* make_state(ThreadId id, Thread* core, size_t native_stack_bytes) {
  ThreadState* state = nullptr;
  {
    const SpinLock lock(states_mutex);
    state = idle_states;
    if (state != nullptr) idle_states = state->next_idle;
  }
  if (state == nullptr) {
    state = memory.create<ThreadState>();
    if (state == nullptr) return nullptr;
    const SpinLock lock(states_mutex);
    state->next = states.load(std::memory_order_relaxed);
    states.store(state, std::memory_order_release);
  }
  const size_t wanted = native_stack_bytes / 2;
  if (state->calls.begin != nullptr && state->calls.mapped < wanted) state->calls.destroy();
  if (state->calls.begin == nullptr && !state->calls.create(native_stack_bytes)) {
    release_state(*state);
    return nullptr;
  }
  state->id = id;
  state->core = core;
  state->running = &state->calls;
  state->fiber = nullptr;
  state->openmp = nullptr;
  state->lowest_frame = 0;
  state->exit_rounds = 0;
  state->once_frame = nullptr;
  state->kept_signals.store(0, std::memory_order_relaxed);
  state->live.store(true, std::memory_order_release);
  return state;
}

void release_state(ThreadState& state) {
  state.live.store(false, std::memory_order_release);
  state.depth.store(0, std::memory_order_relaxed);
  const SpinLock lock(states_mutex);
  state.next_idle = idle_states;
  idle_states = &state;
}

ThreadId new_thread_number() { return next_number.fetch_add(1, std::memory_order_relaxed); }
ThreadId thread_numbers() { return next_number.load(std::memory_order_relaxed); }

ThreadInfo* thread_info(ThreadId id) {
  if (id / kInfoChunk >= kInfoChunks) return nullptr;
  if (info_chunks == nullptr) {  // by the first thread, before there are others
    info_chunks =
        static_cast<std::atomic<ThreadInfo*>*>(memory.allocate_forever(kInfoChunks * sizeof(std::atomic<ThreadInfo*>)));
    if (info_chunks == nullptr) return nullptr;
  }
  std::atomic<ThreadInfo*>& place = info_chunks[id / kInfoChunk];
  ThreadInfo* chunk = place.load(std::memory_order_acquire);
  if (chunk == nullptr) {
    const SpinLock lock(states_mutex);
    chunk = place.load(std::memory_order_acquire);
    if (chunk == nullptr) {
      chunk = static_cast<ThreadInfo*>(memory.allocate_forever(kInfoChunk * sizeof(ThreadInfo)));
      if (chunk == nullptr) return nullptr;
      place.store(chunk, std::memory_order_release);
    }
  }
  return &chunk[id % kInfoChunk];
}

void set_thread_name(ThreadId id, const char* name) {
  ThreadInfo* info = thread_info(id);
  if (info == nullptr || name == nullptr) return;
  size_t i = 0;
  for (; i + 1 < ThreadInfo::kNameSize && name[i] != '\0'; ++i) info->name[i] = name[i];
  info->name[i] = '\0';
  record_thread(id);
}

ThreadState* adopt_thread() {
  if (current_ended) return nullptr;
  // Nobody created this thread that the runtime knows of: it is a root, ordered with nobody.
  begin_watching();
  const ThreadId id = new_thread_number();
  ThreadState* state = make_state(id, nullptr, size_t{64} << 10);
  if (state == nullptr) {
    current_ended = true;
    return nullptr;
  }
  state->depth.store(1, std::memory_order_relaxed);
  current_state = state;
  state->core = emit.add_root(id);
  if (state->core == nullptr) {
    current_state = nullptr;
    current_ended = true;
    release_state(*state);
    return nullptr;
  }
  begin_thread(*state);
  leave(*state);
  return state;
}

bool close_gate() {
  if (gate.exchange(true, std::memory_order_seq_cst)) return false;
  detector.gate().store(true, std::memory_order_seq_cst);
  return true;
}

void open_gate() {
  detector.gate().store(false, std::memory_order_seq_cst);
  gate.store(false, std::memory_order_seq_cst);
}

// A handler may have interrupted the C library while it held a lock that the forking thread wants: it waits longer than
// any fork takes, and then goes on unseen.
bool wait_at_gate(ThreadState& state) {
  constexpr unsigned kLongEnough = 2000;
  unsigned rounds = 0;
  while (gate.load(std::memory_order_acquire)) {
    state.depth.store(0, std::memory_order_seq_cst);
    while (gate.load(std::memory_order_acquire)) {
      if (state.handlers != 0 && ++rounds > kLongEnough) return false;
      sys::yield();
    }
    state.depth.store(1, std::memory_order_seq_cst);
  }
  return true;
}

}  // namespace norn::rt

// For all who do not see its functions (core/emitter.h).
template class norn::Emitter<norn::rt::detector, norn::rt::hazard_listener>;
