// Sites of code that another compiler made for ThreadSanitizer (docs/design/tsan-objects.md). It has no site table: a
// site of it is a program counter, made when the counter is first met, and named from the file's debug information when
// a report or an identity needs it.
#pragma once

#include "norn/site.h"
#include "report/race_fwd.h"
#include "runtime/process/state.h"

namespace norn {
class TextPool;
}

namespace norn::rt {

struct CodeModule;  // code_module.h

// In norn_site::flags, of sites that are made here.
inline constexpr uint32_t kCodeSite = 1u << 31;

struct CodeSite {
  norn_site site;
  std::atomic<const norn_site*> named;  // null: nobody asked yet
  std::atomic<Address> function;        // where its function begins; 0: nobody asked yet, 1: nobody knows
  const CodeModule* module;             // null: unknown
  Address counter;
};

// Some of the code that is loaded was made for ThreadSanitizer. By a constructor of it: the loader's lock is ours.
// (Which module it is cannot be told by where it was called: gcc jumps there.)
void add_code();
// After dlclose(): modules may be gone.
void note_closed_code();
[[nodiscard]] const CodeModule* code_module(Address address);

// The site of a call or an access: what it returns to.
const norn_site* code_site(Address counter, norn_site_kind kind, uint16_t size, uint32_t flags);

const norn_site* name_code_site(const norn_site* site);
// The site as a report shows it.
inline const norn_site* named_site(const norn_site* site) {
  return site == nullptr || (site->flags & kCodeSite) == 0 ? site : name_code_site(site);
}
[[nodiscard]] inline const CodeSite* as_code_site(const norn_site* site) {
  return (site->flags & kCodeSite) == 0 ? nullptr : reinterpret_cast<const CodeSite*>(site);
}

// --- calls -----------------------------------------------------------------------------------------------------------
//
// A function of such code says that it begins, and not whom it calls. Its slot on the stack of calls is null, and
// beside it stands where its calls leave their return address: the hook that it begins with was called from there.

// The call that the function of a slot is in; null if it cannot be told for certain.
const norn_site* call_under_way(const CallStack& calls, size_t slot);
[[nodiscard]] inline bool is_foreign(const CallStack& calls, size_t slot) {
  return calls.foreign != nullptr && calls.begin[slot] == nullptr;
}

// A variable with static storage of such code.
[[nodiscard]] bool locate_in_code(Address address, report::Location& location, TextPool& pool);

}  // namespace norn::rt
