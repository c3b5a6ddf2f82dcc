// What an annotation does, whatever interface it belongs to.
#pragma once

#include "runtime/hooks/access_hooks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/text_length.h"
#include "runtime/intercept/threading/locks.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"

namespace norn::rt {

// Annotations of locks are known by their address, like the C library's own.
inline void begin_ignoring(uint8_t what) {
  if (const Inspection here; here) emit.ignore_begin(here.thread(), what);
}
inline void end_ignoring(uint8_t what) {
  if (const Inspection here; here) emit.ignore_end(here.thread(), what);
}

inline void release(const volatile void* tag) {
  if (const Inspection here; here) emit.happens_before(here.thread(), address_of(tag));
}
inline void acquire(const volatile void* tag) {
  if (const Inspection here; here) emit.happens_after(here.thread(), address_of(tag));
}

inline void benign(const volatile void* address, size_t size) {
  if (const Inspection here; here) emit.benign_range(here.thread(), address_of(address), size);
}

inline void new_memory(const volatile void* address, size_t size) {
  if (const Inspection here; here && is_watching()) emit.allocate(here.thread(), address_of(address), size);
}

// The call on top of the stack is the annotation's own.
inline void access(AccessKind kind, const volatile void* address, size_t size) {
  if (is_watching() && size != 0) observe(kind, address, size, nullptr);
}

}  // namespace norn::rt
