// operator new and delete, so that reports name them. The standard library's own do the work: they end in malloc and
// free, which make the events. A program's own operators take their place.
#include <stddef.h>

#include "runtime/interpose.h"
#include "runtime/state.h"

using namespace norn::rt;

namespace {

// The operator as a frame of the call stack, for what malloc and free say. If the operator throws, whoever catches has
// restored the stack.
class Frame {
 public:
  explicit Frame(const norn_site& site) : top_(__norn_stack) {
    const ThreadState* state = current_state;
    known_ = state != nullptr && top_ >= state->running->begin && top_ < state->running->end;
    if (!known_) return;
    const uintptr_t unseen = is_called_unseen() ? NORN_UNSEEN_CALL : 0;
    *top_ = reinterpret_cast<const norn_site*>(reinterpret_cast<uintptr_t>(&site) | unseen);
    __norn_stack = top_ + 1;
  }
  ~Frame() {
    if (known_) __norn_stack = top_;
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

 private:
  const norn_site** top_;
  bool known_;
};

extern "C" void* norn_plain_new(size_t size) asm("malloc");
extern "C" void norn_plain_delete(void* block) asm("free");
extern "C" void* norn_plain_aligned(size_t alignment, size_t size) asm("aligned_alloc");

}  // namespace

#define NORN_NEW(symbol, words, parameters, arguments, otherwise)     \
  NORN_INTERPOSE_OPTIONAL(void*, symbol, parameters) {                \
    static constexpr norn_site site = library_site(words);            \
    if (!has_started() || real_##symbol == nullptr) return otherwise; \
    const Frame frame(site);                                          \
    return real_##symbol arguments;                                   \
  }

NORN_NEW(_Znwm, "operator new", (size_t size), (size), norn_plain_new(size))
NORN_NEW(_Znam, "operator new[]", (size_t size), (size), norn_plain_new(size))
NORN_NEW(_ZnwmRKSt9nothrow_t, "operator new", (size_t size, const void* nothrow), (size, nothrow), norn_plain_new(size))
NORN_NEW(_ZnamRKSt9nothrow_t, "operator new[]", (size_t size, const void* nothrow), (size, nothrow),
         norn_plain_new(size))
NORN_NEW(_ZnwmSt11align_val_t, "operator new", (size_t size, size_t alignment), (size, alignment),
         norn_plain_aligned(alignment, size))
NORN_NEW(_ZnamSt11align_val_t, "operator new[]", (size_t size, size_t alignment), (size, alignment),
         norn_plain_aligned(alignment, size))
NORN_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, "operator new", (size_t size, size_t alignment, const void* nothrow),
         (size, alignment, nothrow), norn_plain_aligned(alignment, size))
NORN_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, "operator new[]", (size_t size, size_t alignment, const void* nothrow),
         (size, alignment, nothrow), norn_plain_aligned(alignment, size))

#define NORN_DELETE(symbol, words, parameters, arguments)  \
  NORN_INTERPOSE_OPTIONAL(void, symbol, parameters) {      \
    static constexpr norn_site site = library_site(words); \
    if (!has_started() || real_##symbol == nullptr) {      \
      norn_plain_delete(block);                            \
      return;                                              \
    }                                                      \
    const Frame frame(site);                               \
    real_##symbol arguments;                               \
  }

NORN_DELETE(_ZdlPv, "operator delete", (void* block), (block))
NORN_DELETE(_ZdaPv, "operator delete[]", (void* block), (block))
NORN_DELETE(_ZdlPvm, "operator delete", (void* block, size_t size), (block, size))
NORN_DELETE(_ZdaPvm, "operator delete[]", (void* block, size_t size), (block, size))
NORN_DELETE(_ZdlPvRKSt9nothrow_t, "operator delete", (void* block, const void* nothrow), (block, nothrow))
NORN_DELETE(_ZdaPvRKSt9nothrow_t, "operator delete[]", (void* block, const void* nothrow), (block, nothrow))
NORN_DELETE(_ZdlPvSt11align_val_t, "operator delete", (void* block, size_t alignment), (block, alignment))
NORN_DELETE(_ZdaPvSt11align_val_t, "operator delete[]", (void* block, size_t alignment), (block, alignment))
NORN_DELETE(_ZdlPvmSt11align_val_t, "operator delete", (void* block, size_t size, size_t alignment),
            (block, size, alignment))
NORN_DELETE(_ZdaPvmSt11align_val_t, "operator delete[]", (void* block, size_t size, size_t alignment),
            (block, size, alignment))
