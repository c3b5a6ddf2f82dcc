#include "runtime/intercept/reals.h"

#include <dlfcn.h>

extern "C" {
extern const norn::rt::RealFunction __start_norn_reals[] __attribute__((visibility("hidden")));
extern const norn::rt::RealFunction __stop_norn_reals[] __attribute__((visibility("hidden")));
// A static program may have no dynamic linker to ask.
void* dlsym(void* handle, const char* name) noexcept __attribute__((weak));
void* dlvsym(void* handle, const char* name, const char* version) noexcept __attribute__((weak));
}

namespace norn::rt {

void find_real_functions() {
  for (const RealFunction* function = __start_norn_reals; function < __stop_norn_reals; ++function) {
    void* found = function->linked;
    if (found == nullptr && function->version != nullptr && dlvsym != nullptr) {
      found = dlvsym(RTLD_NEXT, function->name, function->version);
    }
    if (found == nullptr && dlsym != nullptr) found = dlsym(RTLD_NEXT, function->name);
    *function->place = found;
  }
}

}  // namespace norn::rt
