#include "runtime/locate.h"

#include "report/sink.h"
#include "runtime/modules.h"
#include "runtime/state.h"

namespace norn::rt {
namespace {

const norn_member* member_at(const norn_global& global, uint64_t byte) {
  const norn_member* found = nullptr;
  for (uint32_t i = 0; i < global.member_count; ++i) {
    const norn_member& member = global.members[i];
    if (byte < member.offset || member.stride == 0) continue;
    const uint64_t from = byte - member.offset;
    // Of a union's members the first one; of nested entries the last is the innermost.
    if (from / member.stride < member.count && from % member.stride < member.size && found == nullptr) found = &member;
  }
  return found;
}

// "cells[42]", "queue.items[3].next"
report::Text name_of_byte(const norn_global& global, uint64_t byte, TextPool& pool) {
  report::Buffer buffer(pool.bytes(), pool.room());
  const report::Sink sink = buffer.sink();
  sink.put(global.name);
  if (const norn_member* member = member_at(global, byte); member != nullptr) {
    const report::Text path(member->path);
    size_t at = 0;
    while (at + 1 < path.size && !(path[at] == '[' && path[at + 1] == ']')) ++at;
    if (at + 1 < path.size) {
      sink.put(path.part(0, at + 1));
      sink.put(report::Decimal((byte - member->offset) / member->stride).text());
      sink.put(path.part(at + 1));
    } else {
      sink.put(path);
    }
  }
  pool.take(buffer.text().size);
  return buffer.text();
}

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

}  // namespace

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
      // Bytes that are accessed as something larger are storage: what lies there is known to who accesses it.
      const norn_member* member = member_at(*global, address - begin);
      if (member == nullptr || member->size > 1 || size <= 1)
        location.name = name_of_byte(*global, address - begin, pool);
      location.declared_at.file = global->file;
      if (global->directory != nullptr) location.declared_at.directory = global->directory;
      location.declared_at.line = global->line;
      if (module->path != nullptr) location.declared_at.module = module->path;
      location.has_owner = is_thread_local;
      if (is_thread_local) location.owner = owner;
      return true;
    }
  }
  return false;
}

}  // namespace norn::rt
