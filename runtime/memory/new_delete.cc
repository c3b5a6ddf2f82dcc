// operator new and delete, so that reports name them. The standard library's own do the work: they end in malloc and
// free, which make the events. Those of another allocator take its memory by themselves: then the events are made here.
// A program's own operators take their place.
#include <stddef.h>

#include "runtime/control/control.h"
#include "runtime/intercept/interpose.h"
#include "runtime/memory/allocator_calls.h"
#include "runtime/process/mode.h"
#include "runtime/process/state.h"

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
    const uintptr_t unsampled = is_called_unsampled() ? NORN_UNSAMPLED_CALL : 0;
    *top_ = reinterpret_cast<const norn_site*>(reinterpret_cast<uintptr_t>(&site) | unsampled);
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

// Where an operator's memory comes from: seen when it is called first.
enum class Source : uint8_t { kUnknown, kMalloc, kOwn };
constinit std::atomic<bool> some_are_own{false};

// After the operator gave a block.
void learn_source(std::atomic<Source>& source, void* block, size_t size, const norn_site& site) {
  const Inspection here;
  if (!here || block == nullptr) return;
  if (here->last_block == address_of(block)) {
    source.store(Source::kMalloc, std::memory_order_relaxed);
    return;
  }
  source.store(Source::kOwn, std::memory_order_relaxed);
  some_are_own.store(true, std::memory_order_relaxed);
  allocated(here, block, size, site);
}

// The form that does not throw, for the thread is inside meanwhile. Null: there is no memory, or it is inside already.
template <class Call>
void* get_own(size_t size, const norn_site& site, Call call) {
  const Inspection here;
  void* block = here ? call() : nullptr;
  if (block != nullptr) allocated(here, block, size, site);
  return block;
}

template <class Call>
bool give_own(void* block, const norn_site& site, Call call) {
  if (!some_are_own.load(std::memory_order_relaxed) || block == nullptr) return false;
  const bool counts = is_watching();
  if (is_controlled() && counts) control::access(norn::AccessKind::kFree, block, 1, &site);
  const Inspection here;
  if (!here) return false;
  freeing(here, block, site, counts);
  call();
  return true;
}

constexpr char kNothrow = 0;  // a std::nothrow_t has nothing in it

extern "C" void* norn_plain_new(size_t size) asm("malloc");
extern "C" void norn_plain_delete(void* block) asm("free");
extern "C" void* norn_plain_aligned(size_t alignment, size_t size) asm("aligned_alloc");

}  // namespace

#define NORN_NEW(symbol, words, parameters, arguments, otherwise, nothrow, nothrow_arguments)               \
  NORN_INTERPOSE_OPTIONAL(void*, symbol, parameters) {                                                      \
    static constexpr norn_site site = library_site(words);                                                  \
    static constinit std::atomic<Source> source{Source::kUnknown};                                          \
    if (!has_started() || real_##symbol == nullptr) return otherwise;                                       \
    if (source.load(std::memory_order_relaxed) == Source::kOwn && real_##nothrow != nullptr) {              \
      void* block = get_own(size, site, [&] { return real_##nothrow nothrow_arguments; });                  \
      if (block != nullptr) return block;                                                                   \
    }                                                                                                       \
    const Frame frame(site);                                                                                \
    if (ThreadState* state = current_state; state != nullptr) state->last_block = 0;                        \
    void* block = real_##symbol arguments;                                                                  \
    if (source.load(std::memory_order_relaxed) != Source::kMalloc) learn_source(source, block, size, site); \
    return block;                                                                                           \
  }

NORN_NEW(_ZnwmRKSt9nothrow_t, "operator new", (size_t size, const void* nothrow), (size, nothrow), norn_plain_new(size),
         _ZnwmRKSt9nothrow_t, (size, nothrow))
NORN_NEW(_ZnamRKSt9nothrow_t, "operator new[]", (size_t size, const void* nothrow), (size, nothrow),
         norn_plain_new(size), _ZnamRKSt9nothrow_t, (size, nothrow))
NORN_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, "operator new", (size_t size, size_t alignment, const void* nothrow),
         (size, alignment, nothrow), norn_plain_aligned(alignment, size), _ZnwmSt11align_val_tRKSt9nothrow_t,
         (size, alignment, nothrow))
NORN_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, "operator new[]", (size_t size, size_t alignment, const void* nothrow),
         (size, alignment, nothrow), norn_plain_aligned(alignment, size), _ZnamSt11align_val_tRKSt9nothrow_t,
         (size, alignment, nothrow))
NORN_NEW(_Znwm, "operator new", (size_t size), (size), norn_plain_new(size), _ZnwmRKSt9nothrow_t, (size, &kNothrow))
NORN_NEW(_Znam, "operator new[]", (size_t size), (size), norn_plain_new(size), _ZnamRKSt9nothrow_t, (size, &kNothrow))
NORN_NEW(_ZnwmSt11align_val_t, "operator new", (size_t size, size_t alignment), (size, alignment),
         norn_plain_aligned(alignment, size), _ZnwmSt11align_val_tRKSt9nothrow_t, (size, alignment, &kNothrow))
NORN_NEW(_ZnamSt11align_val_t, "operator new[]", (size_t size, size_t alignment), (size, alignment),
         norn_plain_aligned(alignment, size), _ZnamSt11align_val_tRKSt9nothrow_t, (size, alignment, &kNothrow))

#define NORN_DELETE(symbol, words, parameters, arguments)                \
  NORN_INTERPOSE_OPTIONAL(void, symbol, parameters) {                    \
    static constexpr norn_site site = library_site(words);               \
    if (!has_started() || real_##symbol == nullptr) {                    \
      norn_plain_delete(block);                                          \
      return;                                                            \
    }                                                                    \
    if (give_own(block, site, [&] { real_##symbol arguments; })) return; \
    const Frame frame(site);                                             \
    real_##symbol arguments;                                             \
  }

NORN_DELETE(_ZdlPv, "operator delete", (void* block), (block))
NORN_DELETE(_ZdaPv, "operator delete[]", (void* block), (block))
NORN_DELETE(_ZdlPvm, "operator delete", (void* block, size_t size), (block, size))
NORN_DELETE(_ZdaPvm, "operator delete[]", (void* block, size_t size), (block, size))
NORN_DELETE(_ZdlPvRKSt9nothrow_t, "operator delete", (void* block, const void* nothrow), (block, nothrow))
NORN_DELETE(_ZdaPvRKSt9nothrow_t, "operator delete[]", (void* block, const void* nothrow), (block, nothrow))
NORN_DELETE(_ZdlPvSt11align_val_t, "operator delete", (void* block, size_t alignment), (block, alignment))
NORN_DELETE(_ZdaPvSt11align_val_t, "operator delete[]", (void* block, size_t alignment), (block, alignment))
NORN_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, "operator delete",
            (void* block, size_t alignment, const void* nothrow), (block, alignment, nothrow))
NORN_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, "operator delete[]",
            (void* block, size_t alignment, const void* nothrow), (block, alignment, nothrow))
NORN_DELETE(_ZdlPvmSt11align_val_t, "operator delete", (void* block, size_t size, size_t alignment),
            (block, size, alignment))
NORN_DELETE(_ZdaPvmSt11align_val_t, "operator delete[]", (void* block, size_t size, size_t alignment),
            (block, size, alignment))
