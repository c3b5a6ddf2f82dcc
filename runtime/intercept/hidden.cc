#include "runtime/intercept/hidden.h"

#include <getopt.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "report/race.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/text_length.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"

namespace norn::rt {
namespace {

// Beside the descriptors (files.cc).
constexpr Address kStates = Address{1} << 47 | Address{1} << 40;
constexpr Address kStateBytes = 8;

constexpr size_t kStateOfRand48 = 3 * sizeof(unsigned short);

constexpr const char* kNames[] = {
    "the environment (getenv, setenv)", "what strtok remembers", "the state of drand48",
    "the locale (setlocale)",           "the table of hsearch",  "what getopt remembers (optind)",
};

void access(AccessKind kind, Hidden state, const norn_site& site) {
  if (!is_watching() || is_called_unsampled()) return;
  const Address address = kStates + static_cast<Address>(state) * kStateBytes;
  if (is_controlled()) control::access(kind, reinterpret_cast<const void*>(address), kStateBytes, &site);
  if (is_only_scheduled()) return;
  const Inspection here;
  if (!here) return;
  const StackId stack = stack_id(*here, &site);
  kind == AccessKind::kWrite ? emit.write(here.thread(), address, kStateBytes, stack)
                             : emit.read(here.thread(), address, kStateBytes, stack);
}

}  // namespace

void use_hidden(Hidden state, const norn_site& site) { access(AccessKind::kRead, state, site); }
void change_hidden(Hidden state, const norn_site& site) { access(AccessKind::kWrite, state, site); }

bool locate_hidden(Address address, report::Location& location) {
  if (address < kStates || address >= kStates + sizeof(kNames) / sizeof(*kNames) * kStateBytes) return false;
  const char* name = kNames[(address - kStates) / kStateBytes];
  location.name = {name, length_of(name)};
  return true;
}

}  // namespace norn::rt

using namespace norn;
using namespace norn::rt;

// --- the environment ---------------------------------------------------------------------------------------------

NORN_INTERPOSE(char*, getenv, (const char* name)) {
  if (!has_started()) return nullptr;
  use_hidden(Hidden::kEnvironment, site_getenv);
  return real_getenv(name);
}

NORN_INTERPOSE(char*, secure_getenv, (const char* name)) {
  if (!has_started()) return nullptr;
  use_hidden(Hidden::kEnvironment, site_secure_getenv);
  return real_secure_getenv(name);
}

NORN_INTERPOSE(int, setenv, (const char* name, const char* value, int overwrite)) {
  if (!has_started()) return -1;
  change_hidden(Hidden::kEnvironment, site_setenv);
  return real_setenv(name, value, overwrite);
}

NORN_INTERPOSE(int, unsetenv, (const char* name)) {
  if (!has_started()) return -1;
  change_hidden(Hidden::kEnvironment, site_unsetenv);
  return real_unsetenv(name);
}

NORN_INTERPOSE(int, putenv, (char* text)) {
  if (!has_started()) return -1;
  change_hidden(Hidden::kEnvironment, site_putenv);
  return real_putenv(text);
}

NORN_INTERPOSE(int, clearenv, ()) {
  if (!has_started()) return -1;
  change_hidden(Hidden::kEnvironment, site_clearenv);
  return real_clearenv();
}

// --- others ------------------------------------------------------------------------------------------------------

NORN_INTERPOSE(char*, strtok, (char* text, const char* separators)) {
  if (!has_started()) return nullptr;
  change_hidden(Hidden::kStrtok, site_strtok);
  if (is_watching()) observe_read(separators, length_of(separators) + 1, site_strtok);
  char* token = real_strtok(text, separators);
  if (token != nullptr && is_watching()) observe_write(token, length_of(token) + 1, site_strtok);
  return token;
}

NORN_INTERPOSE(char*, setlocale, (int category, const char* name)) {
  if (!has_started()) return nullptr;
  name == nullptr ? use_hidden(Hidden::kLocale, site_setlocale) : change_hidden(Hidden::kLocale, site_setlocale);
  return real_setlocale(category, name);
}

NORN_INTERPOSE(double, drand48, ()) {
  if (!has_started()) return 0;
  change_hidden(Hidden::kDrand48, site_drand48);
  return real_drand48();
}

NORN_INTERPOSE(long, lrand48, ()) {
  if (!has_started()) return 0;
  change_hidden(Hidden::kDrand48, site_lrand48);
  return real_lrand48();
}

NORN_INTERPOSE(long, mrand48, ()) {
  if (!has_started()) return 0;
  change_hidden(Hidden::kDrand48, site_mrand48);
  return real_mrand48();
}

NORN_INTERPOSE(void, srand48, (long seed)) {
  if (!has_started()) return;
  change_hidden(Hidden::kDrand48, site_srand48);
  real_srand48(seed);
}

// The state is the caller's.
NORN_INTERPOSE(double, erand48, (unsigned short* state)) {
  if (!has_started()) return 0;
  observe_write(state, kStateOfRand48, site_erand48);
  return real_erand48(state);
}

NORN_INTERPOSE(long, nrand48, (unsigned short* state)) {
  if (!has_started()) return 0;
  observe_write(state, kStateOfRand48, site_nrand48);
  return real_nrand48(state);
}

NORN_INTERPOSE(long, jrand48, (unsigned short* state)) {
  if (!has_started()) return 0;
  observe_write(state, kStateOfRand48, site_jrand48);
  return real_jrand48(state);
}

NORN_INTERPOSE(int, rand_r, (unsigned* state)) {
  if (!has_started()) return 0;
  observe_write(state, sizeof(*state), site_rand_r);
  return real_rand_r(state);
}

NORN_INTERPOSE(int, getopt, (int count, char* const* words, const char* letters)) {
  if (!has_started()) return -1;
  change_hidden(Hidden::kGetopt, site_getopt);
  return real_getopt(count, words, letters);
}

NORN_INTERPOSE(int, getopt_long,
               (int count, char* const* words, const char* letters, const option* options, int* index)) {
  if (!has_started()) return -1;
  change_hidden(Hidden::kGetopt, site_getopt_long);
  return real_getopt_long(count, words, letters, options, index);
}

NORN_INTERPOSE(int, getopt_long_only,
               (int count, char* const* words, const char* letters, const option* options, int* index)) {
  if (!has_started()) return -1;
  change_hidden(Hidden::kGetopt, site_getopt_long_only);
  return real_getopt_long_only(count, words, letters, options, index);
}

NORN_INTERPOSE(int, hcreate, (size_t count)) {
  if (!has_started()) return 0;
  change_hidden(Hidden::kHashTable, site_hcreate);
  return real_hcreate(count);
}

NORN_INTERPOSE(ENTRY*, hsearch, (ENTRY item, ACTION action)) {
  if (!has_started()) return nullptr;
  action == ENTER ? change_hidden(Hidden::kHashTable, site_hsearch) : use_hidden(Hidden::kHashTable, site_hsearch);
  if (is_watching()) observe_read(item.key, length_of(item.key) + 1, site_hsearch);
  return real_hsearch(item, action);
}

NORN_INTERPOSE(void, hdestroy, ()) {
  if (!has_started()) return;
  change_hidden(Hidden::kHashTable, site_hdestroy);
  real_hdestroy();
}
