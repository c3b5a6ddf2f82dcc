// SPDX-License-Identifier: GPL-2.0-or-later
// Blocks of the heap. A block that is handed out is new memory; giving one back is a write to it.
#include "core/order/thread.h"
#include "valgrind/tool/client.h"
#include "valgrind/tool/guest_stacks.h"
#include "valgrind/tool/tool_recording.h"

extern "C" {
#include "pub_tool_oset.h"
}

namespace norn::vg {
namespace {

constinit OSet* blocks = nullptr;  // of Block, by its address
// What was freed lately: a report may speak of it.
constexpr unsigned kFreed = 1024;
constinit Block freed[kFreed] = {};
constinit unsigned freed_count = 0;

// Valgrind takes a larger block from the system by itself, and gives it back when it is freed, or the next one is
// (coregrind/m_mallocfree.c, 3.19: unsplittable superblocks). Not if it was to be aligned; of such a block a use of
// freed memory behind its beginning may be missed.
bool is_mapping(SizeT size) { return size > SizeT{4} << 20; }

StackId here(ThreadState& self) { return place(self, VG_(get_IP)(self.host)); }

void* allocated(HostThread host, void* block, SizeT size) {
  ThreadState* self = state_of(host);
  if (block == nullptr || self == nullptr) return block;
  const auto address = reinterpret_cast<Address>(block);
  Epoch birth;
  const StackId where = here(*self);
  if (watching) {
    is_mapping(size) ? emit.map(*self->core, address, size) : emit.bear(*self->core, address, size, where);
    birth = emit.birth(*self->core);
  }
  auto* made = static_cast<Block*>(VG_(OSetGen_AllocNode)(blocks, sizeof(Block)));
  *made = {address, size, self->core->id, where, birth};
  VG_(OSetGen_Insert)(blocks, made);
  record_block_begin(*made);
  return block;
}

void* allocate(HostThread host, SizeT alignment, SizeT size) {
  return static_cast<SSizeT>(size) < 0 ? nullptr : allocated(host, VG_(cli_malloc)(alignment, size), size);
}

void* on_malloc(HostThread host, SizeT size) { return allocate(host, VG_(clo_alignment), size); }
void* on_aligned_new(HostThread host, SizeT size, SizeT alignment) { return allocate(host, alignment, size); }
void* on_memalign(HostThread host, SizeT alignment, SizeT size) { return allocate(host, alignment, size); }

void* on_calloc(HostThread host, SizeT count, SizeT size) {
  SizeT bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes) || static_cast<SSizeT>(bytes) < 0) return nullptr;
  void* block = VG_(cli_malloc)(VG_(clo_alignment), bytes);
  if (block != nullptr) VG_(memset)(block, 0, bytes);
  return allocated(host, block, bytes);
}

Block* block_at(const void* begin) {
  const auto address = reinterpret_cast<Address>(begin);
  return static_cast<Block*>(VG_(OSetGen_Lookup)(blocks, &address));
}

void forget(Block* block) {
  record_block_end(block->address);
  freed[freed_count++ % kFreed] = *block;
  VG_(OSetGen_FreeNode)(blocks, VG_(OSetGen_Remove)(blocks, &block->address));
}

void give_back(ThreadState& self, const Block& block, StackId where) {
  if (!watching || block.size == 0) return;
  // What OpenMP's library gives back, it got for itself and lent to tasks.
  if (is_called_by_openmp(self, 0)) return emit.allocate(*self.core, block.address, block.size);
  const SizeT emitted = block.size < kFreedBytes ? block.size : kFreedBytes;
  emit.free(*self.core, block.address, emitted, where);
  if (is_mapping(block.size)) emit.unmap(*self.core, block.address + emitted, block.size - emitted);
}

void on_free(HostThread host, void* block) {
  Block* found = block_at(block);
  if (found == nullptr) return;  // not a block: nothing to do with races
  if (ThreadState* self = state_of(host); self != nullptr) give_back(*self, *found, here(*self));
  forget(found);
  VG_(cli_free)(block);
}

void on_aligned_free(HostThread host, void* block, SizeT /*alignment*/) { on_free(host, block); }

// In place if it shrinks a little or fits.
void* on_realloc(HostThread host, void* old, SizeT size) {
  if (old == nullptr) return on_malloc(host, size);
  ThreadState* self = state_of(host);
  Block* found = block_at(old);
  if (found == nullptr || self == nullptr || static_cast<SSizeT>(size) < 0) return nullptr;
  if (size == 0) {
    on_free(host, old);
    return nullptr;
  }
  const StackId where = here(*self);
  const SizeT kept = found->size < size ? found->size : size;
  void* fresh = VG_(cli_malloc)(VG_(clo_alignment), size);
  if (fresh == nullptr) return nullptr;
  VG_(memcpy)(fresh, old, kept);
  if (watching && kept != 0) emit.read(*self->core, found->address, kept, where);
  give_back(*self, *found, where);
  forget(found);
  allocated(host, fresh, size);
  if (watching && kept != 0) emit.write(*self->core, reinterpret_cast<Address>(fresh), kept, where);
  VG_(cli_free)(old);
  return fresh;
}

// What lies between the size asked for and the usable size is not handed out.
SizeT on_usable_size(HostThread /*host*/, void* block) {
  const Block* found = block_at(block);
  return found == nullptr ? 0 : found->size;
}

// -1: the address is before the block, 1: after it.
Word compare(const void* key, const void* element) {
  const Address address = *static_cast<const Address*>(key);
  const Block& block = *static_cast<const Block*>(element);
  if (address < block.address) return -1;
  return address - block.address < (block.size == 0 ? 1 : block.size) ? 0 : 1;
}

const Block* block_with(Address address) {
  return static_cast<const Block*>(VG_(OSetGen_LookupWithCmp)(blocks, &address, compare));
}

}  // namespace

void register_heap() {
  constexpr SizeT kPool = 1024;
  blocks = VG_(OSetGen_Create_With_Pool)(offsetof(Block, address), nullptr, VG_(malloc), "norn.blocks", VG_(free),
                                         kPool, sizeof(Block));
  VG_(needs_malloc_replacement)(on_malloc, on_malloc, on_aligned_new, on_malloc, on_aligned_new, on_memalign, on_calloc,
                                on_free, on_free, on_aligned_free, on_free, on_aligned_free, on_realloc, on_usable_size,
                                0);
}

bool find_block(Address address, Block& found) {
  if (const Block* block = block_with(address); block != nullptr) {
    found = *block;
    return true;
  }
  for (unsigned i = 0; i < kFreed && i < freed_count; ++i) {
    const Block& block = freed[(freed_count - 1 - i) % kFreed];
    if (compare(&address, &block) != 0) continue;
    found = block;
    return true;
  }
  return false;
}

Address fresh_until(Address byte, Epoch birth) {
  const Block* block = block_with(byte);
  return block != nullptr && block->birth == birth ? block->address + block->size : 0;
}

}  // namespace norn::vg
