// What an allocator's calls mean, whatever they are called. Whoever emits is inside while the allocator works, so that
// what that does for itself (locks, mappings, copies) is nobody's.
#pragma once

#include "runtime/process/modules.h"
#include "runtime/process/state.h"

namespace norn::rt {

// A block was handed out: new memory.
void allocated(const Inspection& here, void* block, size_t size, const norn_site& site);

// A block is about to be given back. `counts`: that is a write to it.
void freeing(const Inspection& here, void* block, const norn_site& site, bool counts);

// A block is resized by a call that may move it.
struct Resizing {
  void* (*call)(const void* what, void* old, size_t size);
  const void* what;
};
void* resize(void* old, size_t size, const norn_site& site, Resizing real);

// The same by real(old, size).
template <class Call>
void* resize(void* old, size_t size, const norn_site& site, const Call& real) {
  constexpr auto kCall = [](const void* what, void* block, size_t wanted) {
    return (*static_cast<const Call*>(what))(block, wanted);
  };
  return resize(old, size, site, Resizing{kCall, &real});
}

// The code of the allocator, if it is a library of its own. What it does with its memory, it does under locks that
// nobody sees.
extern constinit CodeRange allocator_code;
void find_allocator();
[[gnu::always_inline]] inline bool called_by_allocator() {
  return allocator_code.contains(__builtin_return_address(0));
}

}  // namespace norn::rt
