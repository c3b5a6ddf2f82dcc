// Names that other allocators have for malloc and its family besides the C library's: mimalloc's, tcmalloc's,
// jemalloc's. A program that calls them gets blocks like any other.
#include <stddef.h>

#include "runtime/intercept/interpose.h"
#include "runtime/memory/allocator_calls.h"
#include "runtime/process/mode.h"
#include "runtime/process/state.h"

using namespace norn;
using namespace norn::rt;

namespace {

template <class Call>
void* get(size_t size, const norn_site& site, Call call) {
  const Inspection here;
  void* block = call();
  if (block != nullptr && here) allocated(here, block, size, site);
  return block;
}

// Of a call that may throw: the thread must not be inside then.
template <class Call>
void* get_or_throw(size_t size, const norn_site& site, Call call) {
  void* block = call();
  if (const Inspection here; block != nullptr && here) allocated(here, block, size, site);
  return block;
}

template <class Call>
void give(void* block, const norn_site& site, Call call) {
  const Inspection here;
  if (block != nullptr && here) freeing(here, block, site, is_watching());
  call();
}

template <class Call>
void* change(void* block, size_t size, const norn_site& site, Call call) {
  if (block == nullptr) return get(size, site, [&] { return call(nullptr, size); });
  return resize(block, size, site, call);
}

}  // namespace

// The allocator as an archive is linked only if the program needs something of it that is not defined here: without it
// the C library's does.
namespace {

extern "C" void* norn_other_malloc(size_t size) asm("malloc");
extern "C" void* norn_other_calloc(size_t count, size_t size) asm("calloc");
extern "C" void* norn_other_realloc(void* block, size_t size) asm("realloc");
extern "C" void norn_other_free(void* block) asm("free");
extern "C" size_t norn_other_usable_size(void* block) asm("malloc_usable_size");
extern "C" int norn_other_aligned(void** block, size_t alignment, size_t size) asm("posix_memalign");

void* plain_aligned(size_t alignment, size_t size) {
  void* block = nullptr;
  return norn_other_aligned(&block, alignment < sizeof(void*) ? sizeof(void*) : alignment, size) == 0 ? block : nullptr;
}

void* plain_aligned_zeroed(size_t alignment, size_t size) {
  void* block = plain_aligned(alignment, size);
  if (block != nullptr) __builtin_memset(block, 0, size);
  return block;
}

// jemalloc's flags: the alignment's logarithm, and whether the block is to be zero.
constexpr int kAlignmentFlags = 63;
constexpr int kZeroFlag = 64;
void* plain_by_flags(size_t size, int flags) {
  const size_t alignment = size_t{1} << (flags & kAlignmentFlags);
  return (flags & kZeroFlag) != 0 ? plain_aligned_zeroed(alignment, size) : plain_aligned(alignment, size);
}

void* plain_resized_by_flags(void* block, size_t size, int flags) {
  if (flags == 0) return norn_other_realloc(block, size);
  void* moved = plain_by_flags(size, flags);
  if (moved == nullptr || block == nullptr) return moved;
  const size_t old = norn_other_usable_size(block);
  __builtin_memcpy(moved, block, old < size ? old : size);
  norn_other_free(block);
  return moved;
}

}  // namespace

#define NORN_GET_BY(how, name, parameters, arguments, bytes, otherwise)    \
  NORN_INTERPOSE_OPTIONAL(void*, name, parameters) {                       \
    if (!has_started() || real_##name == nullptr) return otherwise;        \
    return how(bytes, site_##name, [&] { return real_##name arguments; }); \
  }
#define NORN_GET(name, parameters, arguments, bytes, otherwise) \
  NORN_GET_BY(get, name, parameters, arguments, bytes, otherwise)
#define NORN_GET_OR_THROW(name, parameters, arguments, bytes, otherwise) \
  NORN_GET_BY(get_or_throw, name, parameters, arguments, bytes, otherwise)
#define NORN_CHANGE(name, parameters, arguments, bytes, otherwise)                                  \
  NORN_INTERPOSE_OPTIONAL(void*, name, parameters) {                                                \
    if (!has_started() || real_##name == nullptr) return otherwise;                                 \
    return change(block, bytes, site_##name, [&](void*, size_t) { return real_##name arguments; }); \
  }
#define NORN_GIVE(name, parameters, arguments)                                   \
  NORN_INTERPOSE_OPTIONAL(void, name, parameters) {                              \
    if (!has_started() || real_##name == nullptr) return norn_other_free(block); \
    give(block, site_##name, [&] { real_##name arguments; });                    \
  }

// --- mimalloc ----------------------------------------------------------------------------------------------------

NORN_GET(mi_malloc, (size_t size), (size), size, norn_other_malloc(size))
NORN_GET(mi_malloc_small, (size_t size), (size), size, norn_other_malloc(size))
NORN_GET(mi_zalloc, (size_t size), (size), size, norn_other_calloc(1, size))
NORN_GET(mi_zalloc_small, (size_t size), (size), size, norn_other_calloc(1, size))
NORN_GET(mi_calloc, (size_t count, size_t size), (count, size), (count * size), norn_other_calloc(count, size))
NORN_GET(mi_mallocn, (size_t count, size_t size), (count, size), (count * size), norn_other_malloc((count * size)))
NORN_GET(mi_malloc_aligned, (size_t size, size_t alignment), (size, alignment), size, plain_aligned(alignment, size))
NORN_GET(mi_zalloc_aligned, (size_t size, size_t alignment), (size, alignment), size,
         plain_aligned_zeroed(alignment, size))
NORN_GET(mi_calloc_aligned, (size_t count, size_t size, size_t alignment), (count, size, alignment), (count * size),
         plain_aligned_zeroed(alignment, (count * size)))
NORN_GET(mi_aligned_alloc, (size_t alignment, size_t size), (alignment, size), size, plain_aligned(alignment, size))
NORN_GET(mi_memalign, (size_t alignment, size_t size), (alignment, size), size, plain_aligned(alignment, size))
NORN_GET(mi_valloc, (size_t size), (size), size, plain_aligned(4096, size))
NORN_GET_OR_THROW(mi_new, (size_t size), (size), size, norn_other_malloc(size))
NORN_GET_OR_THROW(mi_new_aligned, (size_t size, size_t alignment), (size, alignment), size,
                  plain_aligned(alignment, size))
NORN_GET(mi_new_nothrow, (size_t size), (size), size, norn_other_malloc(size))
NORN_GET(mi_new_aligned_nothrow, (size_t size, size_t alignment), (size, alignment), size,
         plain_aligned(alignment, size))
NORN_GET_OR_THROW(mi_new_n, (size_t count, size_t size), (count, size), (count * size),
                  norn_other_malloc((count * size)))
NORN_CHANGE(mi_realloc, (void* block, size_t size), (block, size), size, norn_other_realloc(block, size))
NORN_CHANGE(mi_reallocn, (void* block, size_t count, size_t size), (block, count, size), (count * size),
            norn_other_realloc(block, (count * size)))
NORN_GIVE(mi_free, (void* block), (block))
NORN_GIVE(mi_free_size, (void* block, size_t size), (block, size))
NORN_GIVE(mi_free_aligned, (void* block, size_t alignment), (block, alignment))
NORN_GIVE(mi_free_size_aligned, (void* block, size_t size, size_t alignment), (block, size, alignment))
NORN_GIVE(mi_cfree, (void* block), (block))

// --- tcmalloc ----------------------------------------------------------------------------------------------------

NORN_GET(tc_malloc, (size_t size), (size), size, norn_other_malloc(size))
NORN_GET(tc_malloc_skip_new_handler, (size_t size), (size), size, norn_other_malloc(size))
NORN_GET(tc_calloc, (size_t count, size_t size), (count, size), (count * size), norn_other_calloc(count, size))
NORN_GET(tc_memalign, (size_t alignment, size_t size), (alignment, size), size, plain_aligned(alignment, size))
NORN_GET(tc_valloc, (size_t size), (size), size, plain_aligned(4096, size))
NORN_GET_OR_THROW(tc_new, (size_t size), (size), size, norn_other_malloc(size))
NORN_GET_OR_THROW(tc_newarray, (size_t size), (size), size, norn_other_malloc(size))
NORN_CHANGE(tc_realloc, (void* block, size_t size), (block, size), size, norn_other_realloc(block, size))
NORN_GIVE(tc_free, (void* block), (block))
NORN_GIVE(tc_free_sized, (void* block, size_t size), (block, size))
NORN_GIVE(tc_cfree, (void* block), (block))
NORN_GIVE(tc_delete, (void* block), (block))
NORN_GIVE(tc_deletearray, (void* block), (block))

// --- jemalloc ----------------------------------------------------------------------------------------------------

NORN_GET(mallocx, (size_t size, int flags), (size, flags), size, plain_by_flags(size, flags))
NORN_CHANGE(rallocx, (void* block, size_t size, int flags), (block, size, flags), size,
            plain_resized_by_flags(block, size, flags))
NORN_GIVE(dallocx, (void* block, int flags), (block, flags))
NORN_GIVE(sdallocx, (void* block, size_t size, int flags), (block, size, flags))
