// Functions of the C library that the program's calls reach through the runtime.
//
//   NORN_INTERPOSE(int, pthread_mutex_lock, (pthread_mutex_t * mutex)) {
//     …
//     const int result = real_pthread_mutex_lock(mutex);
//     …
//   }
//
// defines the symbol `pthread_mutex_lock` in the executable, where the dynamic linker finds it before the C library's
// own, and the pointer `real_pthread_mutex_lock` to that one, filled in when the runtime starts. The definition is
// weak, so that a program's own function of that name (an allocator, say) takes its place.
//
// A statically linked program has no dynamic linker. There the archive libnorn-rt-static.a has the same functions as
// `__wrap_NAME`, for the linker's --wrap=NAME, and the originals are `__real_NAME`: docs/design/runtime.md.
#pragma once

#include "base/bytes_hash.h"
#include "norn/site.h"

namespace norn::rt {

struct RealFunction {
  const char* name;
  const char* version;  // null: the default one
  void** place;
  void* linked;  // where the linker knows it; else null
};

// The frame that a report shows for a function of the library.
consteval norn_site library_site(const char* function) {
  norn_site site{};
  site.function = function;
  site.hash = norn::bytes_hash(function, __builtin_strlen(function));
  site.kind = NORN_SITE_CALL;
  site.flags = NORN_SITE_LIBRARY;
  return site;
}

}  // namespace norn::rt

#define NORN_EXPORT extern "C" __attribute__((visibility("default"), used))

// The symbol by which the linker knows an original begins with `__real_` or `__linked_`. In a static program the linker
// must be asked for the function, or the archive's member stays out. In a dynamic one the linker must not insist:
// archive.sh makes these references weak in libnorn-rt.a. The table is retained: with --gc-sections lld drops what only
// __start_norn_reals and __stop_norn_reals refer to (-z start-stop-gc).
#define NORN_REAL_AS(result, name, version, linkage, symbol, parameters)                                         \
  extern "C" linkage __attribute__((visibility("default"))) result norn_linked_##name parameters asm(symbol);    \
  [[maybe_unused]] static constinit result(*real_##name) parameters = nullptr;                                   \
  __attribute__((section("norn_reals"), used, retain)) static const norn::rt::RealFunction norn_entry_##name = { \
      #name, version, reinterpret_cast<void**>(&real_##name), reinterpret_cast<void*>(&norn_linked_##name)};

// The C library's function alone, for the runtime's own use. It is interposed nowhere.
#define NORN_REAL(result, name, parameters) NORN_REAL_AS(result, name, nullptr, , "__linked_" #name, parameters)

// The same of one that is interposed, in another file.
#define NORN_REAL_INTERPOSED(result, name, parameters) \
  NORN_REAL_AS(result, name, nullptr, , "__real_" #name, parameters)

#define NORN_INTERPOSE_AS(result, name, version, linkage, symbol, parameters)                                         \
  NORN_REAL_AS(result, name, version, linkage, "__real_" #name, parameters)                                           \
  [[maybe_unused]] static constexpr norn_site site_##name = norn::rt::library_site(#name);                            \
  extern "C" __attribute__((weak, visibility("default"), used)) result norn_interposed_##name parameters asm(symbol); \
  extern "C" result norn_interposed_##name parameters

#define NORN_INTERPOSE(result, name, parameters) NORN_INTERPOSE_AS(result, name, nullptr, , #name, parameters)
#define NORN_INTERPOSE_VERSION(result, name, version, parameters) \
  NORN_INTERPOSE_AS(result, name, version, , #name, parameters)
// Of a library that the program may not have.
#define NORN_INTERPOSE_OPTIONAL(result, name, parameters) \
  NORN_INTERPOSE_AS(result, name, nullptr, __attribute__((weak)), #name, parameters)
// Not in static programs: of a library that they may do without, or that the linker had better not be asked for.
#define NORN_INTERPOSE_DYNAMIC(result, name, parameters) \
  NORN_INTERPOSE_AS(result, name, nullptr, __attribute__((weak)), "__norn_dynamic_" #name, parameters)
// Of what compilers call by themselves. The archive's build renames `__norn_interposed_NAME` to NAME, and all calls of
// NAME by the runtime and the core to `__norn_plain_NAME` (plain.cc).
#define NORN_INTERPOSE_BUILTIN(result, name, parameters) \
  NORN_INTERPOSE_AS(result, name, nullptr, , "__norn_interposed_" #name, parameters)
