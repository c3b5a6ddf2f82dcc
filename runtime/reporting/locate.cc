#include "runtime/reporting/locate.h"

#include <algorithm>

#include "norn/abi.h"
#include "report/race.h"
#include "report/words/member_names.h"
#include "runtime/hooks/code_sites.h"
#include "runtime/intercept/threading/threads.h"
#include "runtime/process/modules.h"
#include "runtime/process/state.h"

namespace norn::rt {
namespace {

// Thread-local variables lie at the same distance from each thread's pointer.
bool thread_local_owner(const norn_global& global, Address address, Address& begin, ThreadId& owner) {
  const ThreadState* self = current_state;
  if (self == nullptr || global.address == nullptr) return false;
  const auto mine = address_of(reinterpret_cast<void* (*)()>(const_cast<void*>(global.address))());
  if (address >= mine && address < mine + global.size) {
    begin = mine;
    owner = self->id;
    return true;
  }
  const Address distance = mine - self->thread_pointer;
  constexpr Address kStaticBlock = Address{1} << 24;  // farther away it is a block of its own
  if (distance + kStaticBlock > 2 * kStaticBlock) return false;
  for (const ThreadState* state = first_state(); state != nullptr; state = state->next) {
    if (!state->live.load(std::memory_order_relaxed)) continue;
    const Address theirs = state->thread_pointer + distance;
    if (address < theirs || address >= theirs + global.size) continue;
    begin = theirs;
    owner = state->id;
    return true;
  }
  return false;
}

// The entry of a local variable that a word points to.
const norn_local* local_of(uintptr_t word) {
  for (const Module* module = first_module(); module != nullptr; module = module->next) {
    if (module->tables == nullptr) continue;
    const auto begin = reinterpret_cast<uintptr_t>(module->tables->locals_begin);
    const auto end = reinterpret_cast<uintptr_t>(module->tables->locals_end);
    if (word < begin || word >= end || (word - begin) % sizeof(norn_local) != 0) continue;
    const auto* local = reinterpret_cast<const norn_local*>(word);
    return local->name == nullptr ? nullptr : local;
  }
  return nullptr;
}

// Whether the function has not returned, as far as the thread's stack of calls tells: what a function has marked stays
// there when it has returned.
bool is_in_call_of(const ThreadState& state, Text function) {
  const ThreadState* self = current_state;
  if (self == nullptr || state.running == nullptr) return false;
  const Address distance = address_of(&__norn_stack) - self->thread_pointer;
  const auto* place = reinterpret_cast<const norn_site** const*>(state.thread_pointer + distance);
  const norn_site* const* top = __atomic_load_n(place, __ATOMIC_RELAXED);
  const CallStack& calls = *state.running;
  if (top <= calls.begin || top > calls.end) return false;
  while (top > calls.begin) {
    --top;
    const norn_site* site = CallStack::site_of(__atomic_load_n(top, __ATOMIC_RELAXED));
    if (site == nullptr) continue;
    while (site->inlined_at != nullptr) site = site->inlined_at;
    if (site->function != nullptr && Text(site->function) == function) return true;
  }
  return false;
}

bool is_live(const norn_local& local, const ThreadState& owner, List<SeenStack> seen) {
  const Text function = local.frame_function;
  for (const SeenStack& stack : seen) {
    if (stack.thread != owner.id) continue;
    for (const report::Frame& frame : stack.frames) {
      if (frame.function == function) return true;
    }
  }
  return is_in_call_of(owner, function);
}

}  // namespace

bool locate_local(Address address, uint64_t size, List<SeenStack> seen, report::Location& location,
                  report::Frame& frame, TextPool& pool) {
  Address end = 0;
  const ThreadState* owner = live_owner_of_stack(address, end);
  if (owner == nullptr) return false;
  constexpr Address kWord = sizeof(uintptr_t);
  uintptr_t lowest = ~uintptr_t{0};
  uintptr_t highest = 0;
  for (const Module* module = first_module(); module != nullptr; module = module->next) {
    if (module->tables == nullptr || module->tables->locals_begin == module->tables->locals_end) continue;
    lowest = std::min(lowest, reinterpret_cast<uintptr_t>(module->tables->locals_begin));
    highest = std::max(highest, reinterpret_cast<uintptr_t>(module->tables->locals_end));
  }
  for (Address at = address & ~(kWord - 1); at + kWord <= end; at += kWord) {
    const uintptr_t word = __atomic_load_n(reinterpret_cast<const uintptr_t*>(at), __ATOMIC_RELAXED);
    if (word < lowest || word >= highest) continue;
    const norn_local* local = local_of(word);
    if (local == nullptr) continue;
    const Address begin = at - ((local->size + kWord - 1) & ~(kWord - 1));
    if (address < begin || address >= begin + local->size || !is_live(*local, *owner, seen)) continue;
    location.kind = report::LocationKind::kStack;
    location.object = local->name;
    location.object_size = local->size;
    location.offset = address - begin;
    const List<norn_member> members{local->members, local->member_count};
    if (!report::is_storage(members, address - begin, size))
      location.name = report::name_of_byte(local->name, members, address - begin, pool);
    if (local->file != nullptr) location.declared_at.file = local->file;
    if (local->directory != nullptr) location.declared_at.directory = local->directory;
    location.declared_at.line = local->line;
    frame = location.declared_at;
    frame.function = local->function;
    location.allocated_at = {&frame, 1};
    return true;
  }
  return false;
}

bool locate_global(Address address, uint64_t size, report::Location& location, TextPool& pool) {
  for (const Module* module = first_module(); module != nullptr; module = module->next) {
    if (module->tables == nullptr) continue;
    for (const norn_global* global = module->tables->globals_begin; global < module->tables->globals_end; ++global) {
      if (global->name == nullptr) continue;  // padding, or a table entry of a variable that was left out
      Address begin = address_of(global->address);
      const bool is_thread_local = (global->flags & NORN_GLOBAL_THREAD_LOCAL) != 0;
      ThreadId owner = kNoThread;
      if (is_thread_local ? !thread_local_owner(*global, address, begin, owner)
                          : address < begin || address >= begin + global->size) {
        continue;
      }
      location.kind = is_thread_local ? report::LocationKind::kTls : report::LocationKind::kGlobal;
      location.object = global->name;
      location.object_size = global->size;
      location.offset = address - begin;
      const List<norn_member> members{global->members, global->member_count};
      if (!report::is_storage(members, address - begin, size))
        location.name = report::name_of_byte(global->name, members, address - begin, pool);
      location.declared_at.file = global->file;
      if (global->directory != nullptr) location.declared_at.directory = global->directory;
      location.declared_at.line = global->line;
      if (module->path != nullptr) location.declared_at.module = module->path;
      location.has_owner = is_thread_local;
      if (is_thread_local) location.owner = owner;
      return true;
    }
  }
  return locate_in_code(address, location, pool);
}

}  // namespace norn::rt
