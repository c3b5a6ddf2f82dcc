// The heap: the host's allocator, and what its blocks mean.
//
// A block that is handed out is new memory; giving one back is a write to it. Both count only while there are several
// threads, but who allocated a block, and where, is remembered always: a report may be about it later.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include <new>

#include "core/shadow/shadow.h"
#include "runtime/control/control.h"
#include "runtime/hooks/sampling.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/interpose.h"
#include "runtime/memory/allocator_calls.h"
#include "runtime/memory/blocks.h"
#include "runtime/memory/guard.h"
#include "runtime/openmp/openmp.h"
#include "runtime/process/emit.h"
#include "runtime/process/emit_inline.h"
#include "runtime/process/mode.h"
#include "runtime/process/modules.h"
#include "runtime/reporting/misuse.h"

namespace norn::rt {
namespace {

// --- memory for those who ask before the host's allocator can be found -------------------------------------------

constexpr size_t kEarlyBytes = size_t{1} << 18;
alignas(64) constinit char early[kEarlyBytes] = {};
constinit std::atomic<size_t> early_used{0};

bool is_early(const void* block) { return block >= early && block < early + kEarlyBytes; }

void* early_allocate(size_t size, size_t alignment) {
  if (alignment < 16) alignment = 16;
  const size_t wanted = size + 16 + alignment;
  size_t at = early_used.fetch_add(wanted, std::memory_order_relaxed) + 16;
  if (at + size + alignment > kEarlyBytes) return nullptr;
  at = (at + alignment - 1) & ~(alignment - 1);
  *reinterpret_cast<size_t*>(early + at - 16) = size;
  return early + at;
}

size_t early_size(const void* block) { return *reinterpret_cast<const size_t*>(static_cast<const char*>(block) - 16); }

}  // namespace

}  // namespace norn::rt

using namespace norn;
using namespace norn::rt;

// What lies between the size asked for and this is the program's to use, too.
NORN_INTERPOSE_OPTIONAL(size_t, malloc_usable_size, (void* block)) {
  if (is_early(block)) return early_size(block);
  if (phase.load(std::memory_order_acquire) != Phase::kReady || real_malloc_usable_size == nullptr) return 0;
  const size_t usable = real_malloc_usable_size(block);
  if (block == nullptr) return usable;
  if (const Inspection here; here) {
    Block whole;
    if (end_block(address_of(block), whole)) {
      const uint64_t size = whole.size;
      if (is_watching() && usable > size) emit.allocate(here.thread(), address_of(block) + size, usable - size);
      if (usable > size) whole.size = usable;
      add_block({whole.address, whole.size, here->id, stack_id(*here, &site_malloc_usable_size), whole.birth, false,
                 whole.quiet});
    }
  }
  return usable;
}

namespace norn::rt {
namespace {

// --- events ------------------------------------------------------------------------------------------------------

// Of a large block the beginning: whoever uses freed memory mostly does so there, and the rest is looked at when it is
// handed out again.
constexpr uint64_t kFreedBytes = 4096;

// Whether the C library got the block from the system by itself, and gives it back as soon as it is freed. Such a block
// begins 16 bytes behind a page's beginning, where its size stands with a mark (glibc, malloc/malloc.c: IS_MMAPPED).
// With another allocator a block can hardly look like that; if one does, what is known of it goes when it is freed, and
// not when it is handed out again: a use of freed memory behind its beginning may be missed.
bool is_mapping(Address block) {
  constexpr Address kPage = 4096;
  constexpr uint64_t kMapped = 2;
  constexpr uint64_t kMarks = 7;
  if (block % kPage != 16) return false;
  const auto* header = reinterpret_cast<const uint64_t*>(block - 16);
  return header[0] == 0 && (header[1] & kMarks) == kMapped && (header[1] & ~kMarks) % kPage == 0;
}

// With what is left of its last granule, which is nobody else's: whole granules are simpler.
uint64_t rounded(uint64_t size) {
  const uint64_t whole = (size + kGranuleBytes - 1) & ~(kGranuleBytes - 1);
  return whole < size ? size : whole;
}

// `counts`: whoever knows the address from an earlier life of the memory races with it.
void begin_memory(const Inspection& here, Address block, uint64_t size, StackId where, bool counts) {
  size = rounded(size);
  if (is_mapping(block)) return emit.map(here.thread(), block, size);
  counts ? emit.bear(here.thread(), block, size, where) : emit.allocate(here.thread(), block, size);
}

// Before the host may give it to others.
void end_memory(const Inspection& here, const Block& ended, StackId where) {
  const uint64_t size = rounded(ended.size);
  const uint64_t freed = size < kFreedBytes ? size : kFreedBytes;
  if (freed != 0) emit.free(here.thread(), ended.address, freed, where);
  if (is_mapping(ended.address)) emit.unmap(here.thread(), ended.address + freed, size - freed);
}

size_t usable_size(void* block) { return real_malloc_usable_size == nullptr ? 0 : real_malloc_usable_size(block); }

// Where nobody looks, nobody remembers who allocated a block; but it is new memory all the same, as much of it as the
// program may come to use.
void allocated_unsampled(const Inspection& here, void* block, size_t size) {
  if (!is_watching()) return;
  const size_t usable = usable_size(block);
  begin_memory(here, address_of(block), usable < size ? size : usable, kNoStack, false);
}

// `quiet`: it is the loader's.
[[gnu::always_inline]] inline void emit_allocated(const Inspection& here, void* block, size_t size,
                                                  const norn_site& site, bool quiet = false) {
  here->last_block = address_of(block);
  if (here->openmp == nullptr && !quiet && is_called_unsampled()) {
    allocated_unsampled(here, block, size);
    return;
  }
  Epoch birth;
  const StackId where = cached_stack_id(*here, &site);
  if (is_watching()) {
    begin_memory(here, address_of(block), size, where, !quiet && !called_by_openmp());
    if (!is_sampled()) birth = emit.birth(here.thread());  // for predictions
  }
  add_block({address_of(block), size, here->id, where, birth, false, quiet});
  if (is_guarding()) [[unlikely]]
    guard_block(address_of(block));
  if (here->openmp != nullptr) got_block(*here, address_of(block), size);
}

// What the host's allocator gives, and what that means. The thread is inside meanwhile, and signals wait: a handler
// that found the gate closed while its thread holds the allocator's lock, which the forking thread wants, would wait
// for ever.
template <class Call>
[[gnu::always_inline]] inline void* allocate(size_t size, const norn_site& site, Call call, bool quiet = false) {
  check_safe_call(site);
  const Inspection here{Inspection::Started()};
  void* block = call();
  if (block != nullptr && here) emit_allocated(here, block, size, site, quiet);
  return block;
}

// The block is not one any more. False: that is no event.
bool end_at(Address block, bool emits, Block& ended) {
  if (end_block(block, ended)) return emits && !ended.quiet;
  if (!emits || !is_sampled()) return false;
  // One of the many that were allocated where nobody looked.
  ended.address = block;
  ended.size = usable_size(reinterpret_cast<void*>(block));
  return true;
}

}  // namespace

void allocated(const Inspection& here, void* block, size_t size, const norn_site& site) {
  emit_allocated(here, block, size, site);
}

void freeing(const Inspection& here, void* block, const norn_site& site, bool counts) {
  if (here->openmp != nullptr) gave_block(*here, address_of(block));
  // What is mapped goes back to the system: that is rare, and always an event.
  const bool emits = counts && (!is_called_unsampled() || is_mapping(address_of(block)));
  Block ended;
  if (end_at(address_of(block), emits, ended)) end_memory(here, ended, cached_stack_id(*here, &site));
}

}  // namespace norn::rt

// While the runtime starts, and before, there is nobody to ask but `early`.
#define NORN_NOT_READY(name) (phase.load(std::memory_order_acquire) != Phase::kReady || real_##name == nullptr)

NORN_INTERPOSE(void*, malloc, (size_t size)) {
  if (NORN_NOT_READY(malloc)) return early_allocate(size, 16);
  return allocate(size, site_malloc, [&] { return real_malloc(with_margin(size)); }, called_by_loader());
}

constinit CodeRange norn::rt::allocator_code;

void norn::rt::find_allocator() {
  const CodeRange code = code_around(reinterpret_cast<const void*>(real_malloc));
  if (!code.contains(reinterpret_cast<const void*>(&find_allocator))) allocator_code = code;
}

NORN_INTERPOSE(void*, calloc, (size_t count, size_t size)) {
  if (NORN_NOT_READY(calloc)) return early_allocate(count * size, 16);
  return allocate(
      count * size, site_calloc,
      [&] {
        const bool guarded = is_guarding() && size != 0 && count < ~size_t{0} / size;
        return guarded ? real_calloc(1, with_margin(count * size)) : real_calloc(count, size);
      },
      called_by_loader());
}

NORN_INTERPOSE(void, free, (void* block)) {
  if (is_early(block) || NORN_NOT_READY(free)) return;
  if (block == nullptr) return;
  check_safe_call(site_free);
  const bool counts = is_watching() && !called_by_openmp() && !called_by_loader();
  if (is_controlled() && counts) {
    control::access(AccessKind::kFree, block, size_of_block(address_of(block)), &site_free);
  }
  const Inspection here{Inspection::Started()};  // as in allocate()
  const bool gives_back = !is_guarding() || may_give_back(address_of(block), &site_free);
  if (here) freeing(here, block, site_free, counts);
  if (gives_back) real_free(block);
}

// A block that moved or changed its size, or did not. The old block is given up before the host can hand it to
// another thread; if it turns out that nothing happened, it was not.
void* norn::rt::resize(void* old, size_t size, const norn_site& site, Resizing real) {
  check_safe_call(site);
  const Inspection here;
  if (!here) return real.call(real.what, old, size);
  Block ended;
  const bool known = end_block(address_of(old), ended);
  const uint64_t old_size = ended.size;
  const StackId where = stack_id(*here, &site);
  const uint64_t moved = old_size < size ? old_size : size;
  if (known && is_watching()) {
    if (moved != 0 && !ended.quiet) emit.read(here.thread(), address_of(old), moved, where);
    if (!ended.quiet) end_memory(here, ended, where);
  }
  void* block = real.call(real.what, old, size);
  if (block == nullptr) {
    if (known && size != 0) add_block({address_of(old), old_size, here->id, where, {}, false, ended.quiet});
    return block;
  }
  Epoch birth;
  if (is_watching()) {
    begin_memory(here, address_of(block), size, where, !ended.quiet);
    if (block != old) birth = emit.birth(here.thread());  // in place, others may know it
    if (moved != 0 && !ended.quiet) emit.write(here.thread(), address_of(block), moved, where);
  }
  add_block({address_of(block), size, here->id, where, birth, false, ended.quiet});
  if (here->openmp != nullptr) {
    gave_block(*here, address_of(old));
    got_block(*here, address_of(block), size);
  }
  return block;
}

NORN_INTERPOSE(void*, realloc, (void* block, size_t size)) {
  if (is_early(block)) {
    const size_t old = early_size(block);
    void* moved = norn_interposed_malloc(size);
    if (moved != nullptr) __builtin_memcpy(moved, block, old < size ? old : size);
    return moved;
  }
  if (NORN_NOT_READY(realloc)) return block == nullptr ? early_allocate(size, 16) : nullptr;
  if (is_guarding() && block != nullptr && size != 0) {
    const uint64_t old = size_of_block(address_of(block));
    void* moved = norn_interposed_malloc(size);
    if (moved == nullptr) return nullptr;
    const size_t known = old != 0 ? old : real_malloc_usable_size == nullptr ? 0 : real_malloc_usable_size(block);
    __builtin_memcpy(moved, block, known < size ? known : size);
    norn_interposed_free(block);
    return moved;
  }
  if (block == nullptr) return allocate(size, site_realloc, [&] { return real_realloc(block, with_margin(size)); });
  return resize(block, size, site_realloc, [](void* old, size_t wanted) { return real_realloc(old, wanted); });
}

NORN_INTERPOSE_OPTIONAL(void*, reallocarray, (void* block, size_t count, size_t size)) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return norn_interposed_realloc(block, bytes);
}

NORN_INTERPOSE_OPTIONAL(void*, memalign, (size_t alignment, size_t size)) {
  if (NORN_NOT_READY(memalign)) return early_allocate(size, alignment);
  return allocate(size, site_memalign, [&] { return real_memalign(alignment, with_margin(size)); });
}

NORN_INTERPOSE_OPTIONAL(void*, aligned_alloc, (size_t alignment, size_t size)) {
  if (NORN_NOT_READY(aligned_alloc)) return early_allocate(size, alignment);
  return allocate(size, site_aligned_alloc, [&] { return real_aligned_alloc(alignment, with_margin(size)); });
}

NORN_INTERPOSE_OPTIONAL(int, posix_memalign, (void** result, size_t alignment, size_t size)) {
  if (NORN_NOT_READY(posix_memalign)) {
    *result = early_allocate(size, alignment);
    return *result == nullptr ? ENOMEM : 0;
  }
  int error = 0;
  allocate(size, site_posix_memalign, [&] {
    error = real_posix_memalign(result, alignment, with_margin(size));
    return error == 0 ? *result : nullptr;
  });
  return error;
}

NORN_INTERPOSE_OPTIONAL(void*, valloc, (size_t size)) {
  if (NORN_NOT_READY(valloc)) return early_allocate(size, 4096);
  return allocate(size, site_valloc, [&] { return real_valloc(with_margin(size)); });
}

NORN_INTERPOSE_OPTIONAL(void*, pvalloc, (size_t size)) {
  const size_t whole = (size + 4095) & ~size_t{4095};
  if (NORN_NOT_READY(pvalloc)) return early_allocate(whole, 4096);
  return allocate(whole, site_pvalloc, [&] { return real_pvalloc(with_margin(size)); });
}
