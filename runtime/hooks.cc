// The hooks of plain accesses.
#include "runtime/hooks.h"

#include "runtime/fast.h"
#include "runtime/interpose.h"

using namespace norn;
using namespace norn::rt;

namespace {

template <AccessKind Kind>
bool reads_too(const norn_site* site) {
  return Kind == AccessKind::kWrite && (site->flags & NORN_SITE_READS_TOO) != 0;
}

template <AccessKind Kind, unsigned Size>
inline void access(const void* address, const norn_site* site) {
  if (!is_watching()) return;
  observe(Kind, address, Size, site, reads_too<Kind>(site));
}

// The program's own check did not let it pass.
template <AccessKind Kind, unsigned Size>
inline void slow_access(const void* address, const norn_site* site) {
  if (!is_watching()) [[unlikely]] {
    const Inspection here;
    if (here) settle_check(here.thread());
    return;
  }
  if (is_controlled()) [[unlikely]] {
    if (!pass_control(Kind, address, Size, site, reads_too<Kind>(site))) return;
  }
  const Inspection here{Inspection::Started()};
  if (!here) return;
  Thread& thread = here.thread();
  if (thread.fast.mask == 0) [[unlikely]]
    settle_check(thread);
  detector.access(thread, Kind, address_of(address), Size, [&] { return place(*here, site); }, reads_too<Kind>(site));
}

}  // namespace

#define NORN_ACCESS_HOOKS(size)                                                                    \
  NORN_EXPORT void __norn_read##size(const void* address, const norn_site* site) {                 \
    access<AccessKind::kRead, size>(address, site);                                                \
  }                                                                                                \
  NORN_EXPORT void __norn_write##size(const void* address, const norn_site* site) {                \
    access<AccessKind::kWrite, size>(address, site);                                               \
  }                                                                                                \
  NORN_EXPORT NORN_SLOW void __norn_slow_read##size(const void* address, const norn_site* site) {  \
    slow_access<AccessKind::kRead, size>(address, site);                                           \
  }                                                                                                \
  NORN_EXPORT NORN_SLOW void __norn_slow_write##size(const void* address, const norn_site* site) { \
    slow_access<AccessKind::kWrite, size>(address, site);                                          \
  }

NORN_ACCESS_HOOKS(1)
NORN_ACCESS_HOOKS(2)
NORN_ACCESS_HOOKS(4)
NORN_ACCESS_HOOKS(8)
NORN_ACCESS_HOOKS(16)

NORN_EXPORT void __norn_read_range(const void* address, size_t size, const norn_site* site) {
  if (is_watching() && size != 0) observe(AccessKind::kRead, address, size, site);
}

NORN_EXPORT void __norn_write_range(const void* address, size_t size, const norn_site* site) {
  if (is_watching() && size != 0) observe(AccessKind::kWrite, address, size, site);
}

NORN_EXPORT void __norn_vptr_read(const void* address, const norn_site* site) {
  access<AccessKind::kRead, sizeof(void*)>(address, site);
}

NORN_EXPORT void __norn_vptr_write(const void* address, const void* value, const norn_site* site) {
  if (!is_watching()) return;
  if (__atomic_load_n(static_cast<const void* const*>(address), __ATOMIC_RELAXED) == value) {
    access<AccessKind::kRead, sizeof(void*)>(address, site);
  } else {
    access<AccessKind::kWrite, sizeof(void*)>(address, site);
  }
}
