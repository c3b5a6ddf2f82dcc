// The C library's trees and tables. They have no lock of their own: what a call changes is written at the tree's root
// or at a byte that stands for the one hash table of the process. The elements themselves are compared by the program's
// own function.
#include <search.h>

#include "runtime/hooks/access_hooks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/text_length.h"
#include "runtime/process/mode.h"

using namespace norn;
using namespace norn::rt;

namespace {

constinit char hash_table = 0;

}  // namespace

// Adding may turn nodes on the way down, also where the key is there already.
NORN_INTERPOSE(void*, tsearch, (const void* key, void** root, int (*compare)(const void*, const void*))) {
  if (!has_started()) return nullptr;
  if (root != nullptr) observe_write(root, sizeof(*root), site_tsearch);
  return real_tsearch(key, root, compare);
}

NORN_INTERPOSE(void*, tfind, (const void* key, void* const* root, int (*compare)(const void*, const void*))) {
  if (!has_started()) return nullptr;
  if (root != nullptr) observe_read(root, sizeof(*root), site_tfind);
  return real_tfind(key, root, compare);
}

NORN_INTERPOSE(void*, tdelete, (const void* key, void** root, int (*compare)(const void*, const void*))) {
  if (!has_started()) return nullptr;
  if (root != nullptr) observe_write(root, sizeof(*root), site_tdelete);
  return real_tdelete(key, root, compare);
}

NORN_INTERPOSE(int, hcreate, (size_t most)) {
  if (!has_started()) return 0;
  observe_write(&hash_table, 1, site_hcreate);
  return real_hcreate(most);
}

NORN_INTERPOSE(void, hdestroy, ()) {
  if (!has_started()) return;
  observe_write(&hash_table, 1, site_hdestroy);
  real_hdestroy();
}

NORN_INTERPOSE(ENTRY*, hsearch, (ENTRY item, ACTION action)) {
  if (!has_started()) return nullptr;
  if (action == ENTER) {
    observe_write(&hash_table, 1, site_hsearch);
  } else {
    observe_read(&hash_table, 1, site_hsearch);
  }
  if (is_watching()) observe_read(item.key, length_of(item.key) + 1, site_hsearch);
  return real_hsearch(item, action);
}
