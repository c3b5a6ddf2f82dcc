// SPDX-License-Identifier: GPL-2.0-or-later
// Blocks of the heap. A block that is handed out is new memory; giving one back is a write to it.
#include "valgrind/client.h"
#include "valgrind/where.h"

extern "C" {
#include "pub_tool_hashtable.h"
}

namespace norn::vg {
namespace {

struct Node {
  Node* next;  // VG_(HashTable)'s
  UWord address;
  uint64_t size;
  ::norn::ThreadId thread;
  Where where;
};

constinit VgHashTable* blocks = nullptr;
// What was freed lately: a report may speak of it.
constexpr unsigned kFreed = 1024;
constinit Block freed[kFreed] = {};
constinit unsigned freed_count = 0;

Where here(ThreadState& self) { return place(self, VG_(get_IP)(self.host)); }

void* allocated(HostThread host, void* block, SizeT size) {
  ThreadState* self = state_of(host);
  if (block == nullptr || self == nullptr) return block;
  const auto address = reinterpret_cast<Address>(block);
  if (watching) detector.allocate(*self->core, address, size);
  auto* node = static_cast<Node*>(VG_(malloc)("norn.block", sizeof(Node)));
  *node = {nullptr, address, size, self->id, here(*self)};
  VG_(HT_add_node)(blocks, node);
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

void forget(Node* node) {
  freed[freed_count++ % kFreed] = {node->address, node->size, node->thread, node->where};
  VG_(HT_remove)(blocks, node->address);
  VG_(free)(node);
}

void give_back(ThreadState& self, const Node& node, Where where) {
  if (!watching || node.size == 0) return;
  detector.free(*self.core, node.address, node.size < kFreedBytes ? node.size : kFreedBytes, where);
}

void on_free(HostThread host, void* block) {
  auto* node = static_cast<Node*>(VG_(HT_lookup)(blocks, reinterpret_cast<UWord>(block)));
  if (node == nullptr) return;  // not a block: nothing to do with races
  if (ThreadState* self = state_of(host); self != nullptr) give_back(*self, *node, here(*self));
  forget(node);
  VG_(cli_free)(block);
}

void on_aligned_free(HostThread host, void* block, SizeT /*alignment*/) { on_free(host, block); }

// In place if it shrinks a little or fits.
void* on_realloc(HostThread host, void* old, SizeT size) {
  if (old == nullptr) return on_malloc(host, size);
  ThreadState* self = state_of(host);
  auto* node = static_cast<Node*>(VG_(HT_lookup)(blocks, reinterpret_cast<UWord>(old)));
  if (node == nullptr || self == nullptr || static_cast<SSizeT>(size) < 0) return nullptr;
  if (size == 0) {
    on_free(host, old);
    return nullptr;
  }
  const Where where = here(*self);
  const SizeT kept = node->size < size ? node->size : size;
  void* fresh = VG_(cli_malloc)(VG_(clo_alignment), size);
  if (fresh == nullptr) return nullptr;
  VG_(memcpy)(fresh, old, kept);
  if (watching && kept != 0) detector.read(*self->core, node->address, kept, where);
  give_back(*self, *node, where);
  forget(node);
  allocated(host, fresh, size);
  if (watching && kept != 0) detector.write(*self->core, reinterpret_cast<Address>(fresh), kept, where);
  VG_(cli_free)(old);
  return fresh;
}

// What lies between the size asked for and the usable size is not handed out.
SizeT on_usable_size(HostThread /*host*/, void* block) {
  const auto* node = static_cast<Node*>(VG_(HT_lookup)(blocks, reinterpret_cast<UWord>(block)));
  return node == nullptr ? 0 : node->size;
}

bool holds(Address begin, uint64_t size, Address address) {
  return address >= begin && address - begin < (size == 0 ? 1 : size);
}

}  // namespace

void register_heap() {
  blocks = VG_(HT_construct)("norn.blocks");
  VG_(needs_malloc_replacement)(on_malloc, on_malloc, on_aligned_new, on_malloc, on_aligned_new, on_memalign, on_calloc,
                                on_free, on_free, on_aligned_free, on_free, on_aligned_free, on_realloc, on_usable_size,
                                0);
}

bool find_block(Address address, Block& found) {
  VG_(HT_ResetIter)(blocks);
  while (const auto* node = static_cast<const Node*>(VG_(HT_Next)(blocks))) {
    if (!holds(node->address, node->size, address)) continue;
    found = {node->address, node->size, node->thread, node->where};
    return true;
  }
  for (unsigned i = 0; i < kFreed && i < freed_count; ++i) {
    const Block& block = freed[(freed_count - 1 - i) % kFreed];
    if (!holds(block.address, block.size, address)) continue;
    found = block;
    return true;
  }
  return false;
}

}  // namespace norn::vg
