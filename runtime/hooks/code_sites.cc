#include "runtime/hooks/code_sites.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <utility>

#include "base/hash.h"
#include "base/text_hash.h"
#include "base/text_pool.h"
#include "report/race.h"
#include "runtime/debug_info/dwarf_reader.h"
#include "runtime/hooks/code_module.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"

namespace norn::rt {
namespace {

NORN_REAL(int, dl_iterate_phdr, (int (*callback)(dl_phdr_info*, size_t, void*), void* data))

constinit std::atomic<CodeModule*> modules{nullptr};
constinit SpinMutex modules_mutex;
constinit SpinMutex naming_mutex;  // around the reader and what it fills in

// --- the table of sites ----------------------------------------------------------------------------------------------

// Open addressing, without a lock. A key is a counter and a kind: one call of memcpy reads and writes.
struct Entry {
  std::atomic<uint64_t> key;  // 0: free
  std::atomic<CodeSite*> site;
};
constexpr unsigned kEntryBits = 19;
constexpr unsigned kMostSteps = 256;
constexpr uint64_t kGone = 1;  // its module was unloaded
constinit std::atomic<Entry*> entries{nullptr};
constinit norn_site lost_site = {nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0, 0, NORN_SITE_CALL, 0, 0, 0};

constexpr uint64_t key_of(Address counter, norn_site_kind kind) { return counter | uint64_t{kind} << 56; }
constexpr Address counter_of(uint64_t key) { return key & ((uint64_t{1} << 56) - 1); }

template <class Found>
Entry* find_entry(uint64_t key, Found found) {
  Entry* table = entries.load(std::memory_order_acquire);
  if (table == nullptr) return nullptr;
  size_t at = hash_word(key) >> (64 - kEntryBits);
  for (unsigned i = 0; i < kMostSteps; ++i, at = (at + 1) & ((size_t{1} << kEntryBits) - 1)) {
    if (found(table[at])) return &table[at];
  }
  return nullptr;
}

// The calling thread is inside.
const norn_site* make_site(Address counter, norn_site_kind kind, uint16_t size, uint32_t flags) {
  const uint64_t key = key_of(counter, kind);
  Entry* entry = find_entry(key, [&](Entry& at) {
    uint64_t free = 0;
    return at.key.load(std::memory_order_acquire) == key ||
           at.key.compare_exchange_strong(free, key, std::memory_order_acq_rel) || free == key;
  });
  if (entry == nullptr) return &lost_site;
  CodeSite* known = entry->site.load(std::memory_order_acquire);
  if (known != nullptr) return &known->site;
  auto* fresh = memory.create<CodeSite>();
  if (fresh == nullptr) return &lost_site;
  fresh->site.kind = kind;
  fresh->site.size = size;
  fresh->site.flags = flags | kCodeSite;
  fresh->module = code_module(counter);
  fresh->counter = counter;
  if (entry->site.compare_exchange_strong(known, fresh, std::memory_order_acq_rel)) return &fresh->site;
  memory.destroy(fresh);
  return &known->site;
}

// --- names -----------------------------------------------------------------------------------------------------------

const char* keep(Text text) {
  if (text.empty()) return nullptr;
  auto* copy = static_cast<char*>(memory.allocate(text.size + 1));
  if (copy == nullptr) return nullptr;
  for (size_t i = 0; i < text.size; ++i) copy[i] = text[i];
  copy[text.size] = '\0';
  return copy;
}

bool is_system_file(Text file) { return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/"); }

uint64_t hash_number(uint64_t number, uint64_t seed) {
  return text_hash({reinterpret_cast<const char*>(&number), sizeof(number)}, seed);
}

// Of function, file, line and kind; of code that has no lines, of the place in its file.
uint64_t identity_of(const CodeSite& code) {
  const norn_site& site = code.site;
  if (site.file != nullptr) {
    uint64_t hash = text_hash(report::base_name(site.file));
    if (site.function != nullptr) hash = text_hash(site.function, hash);
    return hash_number(site.line | uint64_t{site.kind} << 32, hash);
  }
  const uint64_t hash = text_hash(code.module == nullptr ? Text() : report::base_name(code.module->path));
  return hash_number((code.module == nullptr ? 0 : code.counter - code.module->bias) | uint64_t{site.kind} << 56, hash);
}

// A chain of sites, as a compiler's table would have it.
const norn_site* make_names(const CodeSite& code) {
  constexpr size_t kMostFrames = 32;
  static constinit debug_info::DwarfReader reader;
  static constinit const CodeModule* opened = nullptr;
  static constinit debug_info::SourceFrame frames[kMostFrames] = {};
  static constinit char texts[1 << 14] = {};
  TextPool pool(texts, sizeof(texts));
  size_t count = 0;
  const CodeModule* module = code.module;
  if (module != nullptr && module->has_file) {
    if (opened != module) reader.open(module->file);
    opened = module;
    const Address address = code.counter - 1 - module->bias;
    count = reader.find(address, frames, kMostFrames, pool);
    if (count == 0) frames[0] = {};
    if (debug_info::Symbol symbol; frames[count == 0 ? 0 : count - 1].function.empty() &&
                                   module->file.find_symbol(address, debug_info::ElfFile::Kind::kFunction, symbol)) {
      frames[count == 0 ? 0 : count - 1].function = symbol.name;
    }
  } else {
    frames[0] = {};
  }
  if (count == 0) count = 1;
  const norn_site* outer = nullptr;
  for (size_t i = count; i-- > 0;) {
    auto* named = memory.create<CodeSite>();
    if (named == nullptr) return &lost_site;
    const debug_info::SourceFrame& frame = frames[i];
    named->module = module;
    named->counter = code.counter;
    named->site = code.site;
    if (i != 0) {
      named->site.kind = NORN_SITE_CALL;
      named->site.size = 0;
      named->site.flags = kCodeSite;
    }
    named->site.function = keep(frame.function);
    named->site.file = keep(frame.file);
    named->site.directory = keep(frame.directory);
    named->site.line = frame.line;
    named->site.column = frame.column;
    if (is_system_file(frame.file)) named->site.flags |= NORN_SITE_LIBRARY;
    named->site.inlined_at = outer;
    named->site.hash = identity_of(*named);
    named->named.store(&named->site, std::memory_order_relaxed);
    outer = &named->site;
  }
  return outer;
}

// --- modules ---------------------------------------------------------------------------------------------------------

void map_file(CodeModule& module) {
  const int fd = sys::open_file(module.path, O_RDONLY);
  if (fd < 0) return;
  struct stat status{};
  if (sys::call(__NR_fstat, fd, sys::as_long(&status)) == 0 && status.st_size > 0) {
    const auto size = static_cast<size_t>(status.st_size);
    const long bytes = sys::call(__NR_mmap, 0, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (!sys::failed(bytes)) {
      module.mapped = {reinterpret_cast<const uint8_t*>(bytes), size};
      module.has_file = module.file.open(module.mapped.data, size);
    }
  }
  sys::close_file(fd);
}

void unmap_file(const CodeModule& module) {
  if (module.mapped.data != nullptr) sys::unmap(const_cast<uint8_t*>(module.mapped.data), module.mapped.size);
}

// The executable has the hooks, so it may have code that calls them; a library names them.
bool may_call_hooks(const CodeModule& module, bool is_program) {
  return is_program || (module.has_file && module.file.names("__tsan_func_entry"));
}

// The loader put another module where this one was: what is known of its code gets its names, and stays.
void retire(const CodeModule& gone) {
  Entry* table = entries.load(std::memory_order_acquire);
  for (size_t i = 0; table != nullptr && i < size_t{1} << kEntryBits; ++i) {
    const Address counter = counter_of(table[i].key.load(std::memory_order_relaxed));
    if (counter < gone.begin || counter >= gone.end) continue;
    const CodeSite* site = table[i].site.load(std::memory_order_acquire);
    if (site != nullptr) name_code_site(&site->site);
    table[i].key.store(kGone, std::memory_order_release);
  }
}

}  // namespace

const CodeModule* code_module(Address address) {
  for (const CodeModule* module = modules.load(std::memory_order_acquire); module != nullptr; module = module->next) {
    if (address >= module->begin && address < module->end) return module;
  }
  return nullptr;
}

namespace {

bool is_same(const CodeModule& one, const CodeModule& other) {
  return one.begin == other.begin && one.end == other.end && Text(one.path) == Text(other.path);
}

// The mutex is held. Whether such code was loaded anew.
bool add_module(CodeModule found, bool is_program) {
  for (CodeModule* known = modules.load(std::memory_order_relaxed); known != nullptr; known = known->next) {
    if (is_same(*known, found)) return std::exchange(known->is_closed, false);
  }
  map_file(found);
  if (!may_call_hooks(found, is_program)) {
    unmap_file(found);
    return false;
  }
  for (const CodeModule* known = modules.load(std::memory_order_relaxed); known != nullptr; known = known->next) {
    if (found.begin < known->end && known->begin < found.end) retire(*known);
  }
  auto* module = memory.create<CodeModule>();
  if (module == nullptr) return false;
  *module = found;
  module->path = keep(found.path);
  module->next = modules.load(std::memory_order_relaxed);
  modules.store(module, std::memory_order_release);
  return !is_program;
}

bool is_program(const dl_phdr_info& info) { return info.dlpi_name == nullptr || info.dlpi_name[0] == '\0'; }

CodeModule module_of(const dl_phdr_info* info) {
  CodeModule here = {};
  here.begin = ~Address{0};
  here.bias = info->dlpi_addr;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const Address begin = info->dlpi_addr + segment.p_vaddr;
    if (begin < here.begin) here.begin = begin;
    if (begin + segment.p_memsz > here.end) here.end = begin + segment.p_memsz;
  }
  here.path = is_program(*info) ? start.program.data : info->dlpi_name;
  return here;
}

struct Look {
  uint64_t changes;  // of the list of modules, as it was looked at last
  Thread* thread;    // which opens what is new
};

int look_at_module(dl_phdr_info* info, size_t /*size*/, void* data) {
  const auto& look = *static_cast<const Look*>(data);
  // Nothing is new if nothing changed.
  if (look.changes == info->dlpi_adds + info->dlpi_subs) return 1;
  const CodeModule here = module_of(info);
  if (here.begin >= here.end || here.path == nullptr || !add_module(here, is_program(*info)) || !is_watching())
    return 0;
  // The loader may have put it where another one was.
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0)
      emit.allocate(*look.thread, info->dlpi_addr + segment.p_vaddr, segment.p_memsz);
  }
  return 0;
}

// Leaves those marked as closed that nobody finds.
int find_open(dl_phdr_info* info, size_t /*size*/, void* /*data*/) {
  const CodeModule here = module_of(info);
  for (CodeModule* known = modules.load(std::memory_order_relaxed); known != nullptr; known = known->next) {
    if (here.path != nullptr && is_same(*known, here)) known->is_closed = false;
  }
  return 0;
}

int count_changes(dl_phdr_info* info, size_t /*size*/, void* changes) {
  *static_cast<uint64_t*>(changes) = info->dlpi_adds + info->dlpi_subs;
  return 1;
}

}  // namespace

void add_code() {
  static constinit Look look = {~uint64_t{0}, nullptr};
  if (!has_started() || real_dl_iterate_phdr == nullptr) return;
  const Inspection here;
  if (!here) return;
  const SpinLock lock(modules_mutex);
  if (entries.load(std::memory_order_relaxed) == nullptr) {
    entries.store(static_cast<Entry*>(sys::map(sizeof(Entry) << kEntryBits)), std::memory_order_release);
  }
  look.thread = &here.thread();
  real_dl_iterate_phdr(&look_at_module, &look);
  real_dl_iterate_phdr(&count_changes, &look.changes);
}

void note_closed_code() {
  if (modules.load(std::memory_order_acquire) == nullptr || real_dl_iterate_phdr == nullptr) return;
  const Inspection here;
  if (!here) return;
  const SpinLock lock(modules_mutex);
  for (CodeModule* known = modules.load(std::memory_order_relaxed); known != nullptr; known = known->next)
    known->is_closed = true;
  real_dl_iterate_phdr(&find_open, nullptr);
}

const norn_site* code_site(Address counter, norn_site_kind kind, uint16_t size, uint32_t flags) {
  const uint64_t key = key_of(counter, kind);
  const Entry* entry = find_entry(key, [&](const Entry& at) {
    const uint64_t found = at.key.load(std::memory_order_acquire);
    return found == key || found == 0;
  });
  if (entry != nullptr) {
    const CodeSite* known = entry->site.load(std::memory_order_acquire);
    if (known != nullptr) return &known->site;
  }
  const ThreadState* state = current_state;
  if (state != nullptr && state->depth.load(std::memory_order_relaxed) != 0)
    return make_site(counter, kind, size, flags);
  const Inspection here;
  return here ? make_site(counter, kind, size, flags) : &lost_site;
}

const norn_site* name_code_site(const norn_site* site) {
  auto& code = *const_cast<CodeSite*>(reinterpret_cast<const CodeSite*>(site));
  const norn_site* named = code.named.load(std::memory_order_acquire);
  if (named != nullptr) return named;
  const SpinLock lock(naming_mutex);
  named = code.named.load(std::memory_order_relaxed);
  if (named != nullptr) return named;
  named = make_names(code);
  code.named.store(named, std::memory_order_release);
  return named;
}

// --- calls -----------------------------------------------------------------------------------------------------------

namespace {

constexpr Address kUnknownFunction = 1;

Address function_of(const norn_site* site) {
  if ((site->flags & kCodeSite) == 0) return kUnknownFunction;
  auto& code = *const_cast<CodeSite*>(reinterpret_cast<const CodeSite*>(site));
  Address function = code.function.load(std::memory_order_relaxed);
  if (function != 0) return function;
  debug_info::Symbol symbol;
  const bool found =
      code.module != nullptr && code.module->has_file &&
      code.module->file.find_symbol(code.counter - 1 - code.module->bias, debug_info::ElfFile::Kind::kFunction, symbol);
  function = found ? symbol.begin + code.module->bias : kUnknownFunction;
  code.function.store(function, std::memory_order_relaxed);
  return function;
}

}  // namespace

// The word is certainly a return address of this function if it points into the function: nothing else that a function
// keeps there does.
const norn_site* call_under_way(const CallStack& calls, size_t slot) {
  if (!is_foreign(calls, slot)) return nullptr;
  const CallStack::Foreign& function = calls.foreign[slot];
  if (function.returns == nullptr) return nullptr;
  const Address counter = __atomic_load_n(function.returns, __ATOMIC_RELAXED);
  const CodeModule* module = code_module(function.entry);
  if (module == nullptr || counter < module->begin || counter >= module->end) return nullptr;
  const norn_site* call = code_site(counter, NORN_SITE_CALL, 0, 0);
  const Address own = function_of(code_site(function.entry, NORN_SITE_CALL, 0, 0));
  return own != kUnknownFunction && function_of(call) == own ? call : nullptr;
}

// --- variables -------------------------------------------------------------------------------------------------------

namespace {

// "_ZN4bank5totalE" as "bank::total", "_ZL5count" as "count"; other names as they are.
Text plain_name(Text name, TextPool& pool) {
  if (!name.starts_with("_Z")) return name;
  size_t at = 2;
  const bool nested = at < name.size && name[at] == 'N';
  if (nested) ++at;
  char* bytes = pool.bytes();
  size_t used = 0;
  while (at < name.size && name[at] != 'E') {
    if (name[at] == 'L') ++at;
    size_t length = 0;
    while (at < name.size && name[at] >= '0' && name[at] <= '9')
      length = length * 10 + static_cast<size_t>(name[at++] - '0');
    if (length == 0 || length > name.size - at || used + length + 3 > pool.room()) return name;
    if (used != 0) bytes[used++] = ':', bytes[used++] = ':';
    const Text part = name.part(at, length);
    const Text shown = part.starts_with("_GLOBAL__N_") ? Text("(anonymous namespace)") : part;
    if (used + shown.size + 1 > pool.room()) return name;
    for (const char c : shown) bytes[used++] = c;
    at += length;
    if (!nested && at != name.size) return name;
  }
  pool.take(used);
  return {bytes, used};
}

}  // namespace

bool locate_in_code(Address address, report::Location& location, TextPool& pool) {
  const CodeModule* module = code_module(address);
  debug_info::Symbol symbol;
  if (module == nullptr || !module->has_file ||
      !module->file.find_symbol(address - module->bias, debug_info::ElfFile::Kind::kObject, symbol)) {
    return false;
  }
  location.kind = report::LocationKind::kGlobal;
  location.object = plain_name(symbol.name, pool);
  location.object_size = symbol.size;
  location.offset = address - module->bias - symbol.begin;
  location.declared_at.module = module->path;
  return true;
}

}  // namespace norn::rt
