#include "runtime/process/modules.h"

#include <link.h>

#include "norn/abi.h"
#include "runtime/hooks/code_sites.h"
#include "runtime/hooks/loop_hooks.h"
#include "runtime/hooks/sampling.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/process/settings.h"
#include "runtime/reporting/recording.h"

namespace norn::rt {
namespace {

NORN_REAL(int, dl_iterate_phdr, (int (*callback)(dl_phdr_info*, size_t, void*), void* data))

constinit std::atomic<Module*> modules{nullptr};
constinit SpinMutex mutex;
constinit std::atomic<int> closing{0};

// The module that an address lies in, and the memory it may write to.
struct Search {
  uintptr_t address;
  const char* name;
  static constexpr unsigned kSegments = 8;
  uintptr_t begin[kSegments];
  size_t size[kSegments];
  unsigned count;
};

int look_into(dl_phdr_info* info, size_t /*size*/, void* data) {
  auto* search = static_cast<Search*>(data);
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || search->address < begin || search->address >= begin + segment.p_memsz) continue;
    search->name = info->dlpi_name;
  }
  if (search->name == nullptr) return 0;
  for (unsigned i = 0; i < info->dlpi_phnum && search->count < Search::kSegments; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    search->begin[search->count] = info->dlpi_addr + segment.p_vaddr;
    search->size[search->count++] = segment.p_memsz;
  }
  return 1;
}

struct CodeSearch {
  const void* inside;
  CodeRange found;
};

int look_for_code(dl_phdr_info* info, size_t /*size*/, void* data) {
  auto* search = static_cast<CodeSearch*>(data);
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const CodeRange range = {info->dlpi_addr + segment.p_vaddr, segment.p_memsz};
    if (range.contains(search->inside)) search->found = range;
  }
  return search->found.size != 0 ? 1 : 0;
}

const char* file_of(const Search& search) {
  if (search.name == nullptr || search.name[0] == '\0') return start.program.data;
  size_t size = 0;
  while (search.name[size++] != '\0') {
  }
  auto* copy = static_cast<char*>(memory.allocate(size));
  for (size_t i = 0; copy != nullptr && i < size; ++i) copy[i] = search.name[i];
  return copy;
}

}  // namespace

const Module* first_module() { return modules.load(std::memory_order_acquire); }

const char* module_of(const norn_site* site) {
  for (const Module* module = first_module(); module != nullptr; module = module->next) {
    const norn_module* tables = module->tables;
    if (tables != nullptr && site >= tables->sites_begin && site < tables->sites_end) return module->path;
  }
  return nullptr;
}

Address program_bias() {
  Address bias = 0;
  if (real_dl_iterate_phdr == nullptr) return bias;
  real_dl_iterate_phdr(
      [](dl_phdr_info* info, size_t /*size*/, void* found) {
        *static_cast<Address*>(found) = info->dlpi_addr;
        return 1;  // the program is the first
      },
      &bias);
  return bias;
}

constinit CodeRange loader_code;

CodeRange code_around(const void* code) {
  CodeSearch search = {code, {}};
  if (real_dl_iterate_phdr != nullptr) real_dl_iterate_phdr(&look_for_code, &search);
  return search.found;
}

// A program without a loader has the functions of one, and no base of it.
void find_loader() {
  if (_r_debug.r_ldbase != 0) loader_code = code_around(reinterpret_cast<const void*>(_r_debug.r_brk));
}

namespace {

// What the loader calls the module that an address lies in: one text for each.
const char* loaded_name(const void* address) {
  Search search = {};
  search.address = reinterpret_cast<uintptr_t>(address);
  if (real_dl_iterate_phdr != nullptr) real_dl_iterate_phdr(&look_into, &search);
  return search.name;
}

}  // namespace

bool is_programs_code(const void* code) {
  const char* name = code == nullptr ? nullptr : loaded_name(code);
  if (name == nullptr) return false;
  if (code_module(address_of(code)) != nullptr) return true;
  for (const Module* module = first_module(); module != nullptr; module = module->next) {
    if (module->tables != nullptr && loaded_name(module->tables) == name) return true;
  }
  return lies_in_library(code, "libstdc++.so");
}

bool lies_in_library(const void* code, Text name) {
  for (const char* at = loaded_name(code); at != nullptr && *at != '\0'; ++at) {
    size_t same = 0;
    while (same < name.size && at[same] == name.data[same]) ++same;
    if (same == name.size) return true;
  }
  return false;
}

}  // namespace norn::rt

using namespace norn::rt;

// Modules come from constructors, so the loader's lock is ours already: asking it for names cannot block.
NORN_EXPORT void __norn_module_init(const norn_module* tables) {
  if (!has_started()) return;
  Search search = {};
  search.address = reinterpret_cast<uintptr_t>(tables);
  if (real_dl_iterate_phdr != nullptr) real_dl_iterate_phdr(&look_into, &search);
  const Inspection here;
  const norn::SpinLock lock(mutex);
  for (const Module* known = first_module(); known != nullptr; known = known->next) {
    if (known->tables == tables) return;
  }
  // The loader may have put it where another one was.
  for (unsigned i = 0; i < search.count && here && is_watching(); ++i) {
    emit.allocate(here.thread(), search.begin[i], search.size[i]);
  }
  auto* module = memory.create<Module>();
  if (module == nullptr) return;
  *module = {tables, file_of(search), modules.load(std::memory_order_relaxed)};
  modules.store(module, std::memory_order_release);
  record_module(*module);
  // Regions first: they decide how the rest is judged.
  add_regions(*tables);
  if (tables->conditions != nullptr) emit.expect_conditions();
  add_loops(*tables, here ? &here.thread() : nullptr);
}

NORN_EXPORT void __norn_module_fini(const norn_module* tables) {
  // At the program's end the module stays where it is, and there is more to be reported.
  if (closing.load(std::memory_order_relaxed) == 0 || phase.load(std::memory_order_acquire) != Phase::kReady) return;
  const Inspection here;
  if (!here) return;
  const norn::SpinLock lock(mutex);
  for (Module* known = modules.load(std::memory_order_acquire); known != nullptr; known = known->next) {
    if (known->tables != tables) continue;
    known->tables = nullptr;
    forget_sites(tables->sites_begin, tables->sites_end);
  }
}

NORN_INTERPOSE(int, dlclose, (void* handle)) {
  if (!has_started()) return 0;
  closing.fetch_add(1, std::memory_order_relaxed);
  const int result = real_dlclose(handle);
  closing.fetch_sub(1, std::memory_order_relaxed);
  note_closed_code();
  return result;
}
