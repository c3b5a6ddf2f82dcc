// What all sanitizers have in common (<sanitizer/common_interface_defs.h>, <sanitizer/allocator_interface.h>), as far
// as it means something here. All of it is weak: a program may have another sanitizer beside norn, whose own comes
// first.
#include <dlfcn.h>

#include "norn/site.h"
#include "report/race.h"
#include "report/text_report.h"
#include "runtime/interface/annotations.h"
#include "runtime/memory/blocks.h"
#include "runtime/process/modules.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/locate.h"
#include "runtime/reporting/reporter.h"

#define NORN_SANITIZER extern "C" __attribute__((weak, visibility("default"), used))

using namespace norn;
using namespace norn::rt;

NORN_REAL(int, dladdr, (const void* address, Dl_info* info))

namespace {

// A place that the program names, by a site (tsan_report.cc) or by a real program counter.
struct Symbol {
  Text function = "??";
  Text file;
  uint32_t line = 0;
  uint32_t column = 0;
  Text module;
  uintptr_t offset = 0;
};

Symbol symbol_at(const void* address) {
  Symbol symbol;
  const auto* site = static_cast<const norn_site*>(address);
  if (const char* module = module_of(site); module != nullptr) {
    if (site->function != nullptr) symbol.function = site->function;
    if (site->file != nullptr) symbol.file = site->file;
    symbol.line = site->line;
    symbol.column = site->column;
    symbol.module = module;
    return symbol;
  }
  Dl_info info{};
  if (real_dladdr == nullptr || real_dladdr(address, &info) == 0) return symbol;
  if (info.dli_sname != nullptr) symbol.function = info.dli_sname;
  if (info.dli_fname != nullptr) symbol.module = info.dli_fname;
  symbol.offset = address_of(address) - address_of(info.dli_fbase);
  return symbol;
}

void put_place(Sink sink, const Symbol& symbol) {
  if (!symbol.file.empty()) {
    sink.put(symbol.file);
    sink.put(':');
    sink.put(Decimal(symbol.line).text());
    return;
  }
  sink.put('(');
  sink.put(symbol.module);
  sink.put('+');
  sink.put(Hex(symbol.offset).text());
  sink.put(')');
}

void put_symbol(Sink sink, const Symbol& symbol, const void* address, Text format) {
  for (size_t i = 0; i < format.size; ++i) {
    if (format[i] != '%' || i + 1 == format.size) {
      sink.put(format[i]);
      continue;
    }
    switch (format[++i]) {
      case '%':
        sink.put('%');
        break;
      case 'n':
        sink.put('0');
        break;
      case 'p':
        sink.put(Hex(address_of(address)).text());
        break;
      case 'm':
        sink.put(symbol.module);
        break;
      case 'o':
        sink.put(Hex(symbol.offset).text());
        break;
      case 'f':
        sink.put(symbol.function);
        break;
      case 'F':
        sink.put("in ");
        sink.put(symbol.function);
        break;
      case 's':
        sink.put(symbol.file);
        break;
      case 'l':
        sink.put(Decimal(symbol.line).text());
        break;
      case 'c':
        sink.put(Decimal(symbol.column).text());
        break;
      case 'S':
      case 'L':
      case 'M':
        put_place(sink, symbol);
        break;
      default:
        break;
    }
  }
}

void copy_out(Text text, char* out, size_t size) {
  if (size == 0) return;
  size_t length = 0;
  for (; length + 1 < size && length < text.size; ++length) out[length] = text[length];
  out[length] = '\0';
  if (length + 1 < size) out[length + 1] = '\0';  // several frames follow each other: this is the last
}

constexpr Text kFrame = "    #0 %p %F %L";

Text format_or(const char* format, Text otherwise) {
  const Text given = format == nullptr ? Text() : Text(format);
  return given.empty() || given == "DEFAULT" ? otherwise : given;
}

void say(Text text) { sys::write_all(2, text.data, text.size); }

}  // namespace

// --- reports -----------------------------------------------------------------------------------------------------

NORN_SANITIZER void __sanitizer_set_report_path(const char* path) {
  const Inspection here;
  if (!here || path == nullptr) return;
  const size_t size = length_of(path);
  auto* copy = static_cast<char*>(memory.allocate_forever((size + 16) & ~size_t{15}));
  if (copy == nullptr) return;
  for (size_t i = 0; i <= size; ++i) copy[i] = path[i];
  start.settings.log_path = {copy, size};
}
// A descriptor as a pointer: 1 and 2 have names.
NORN_SANITIZER void __sanitizer_set_report_fd(void* fd) {
  const auto number = reinterpret_cast<uintptr_t>(fd);
  if (number == 1) start.settings.log_path = "stdout";
  if (number == 2) start.settings.log_path = "stderr";
  if (number <= 2) return;
  char path[32];
  Buffer name(path, sizeof(path) - 1);
  name.sink().put("/proc/self/fd/");
  name.sink().put(Decimal(number).text());
  path[name.text().size] = '\0';
  __sanitizer_set_report_path(path);
}
NORN_SANITIZER const char* __sanitizer_get_report_path(void) {
  return start.settings.log_path.empty() ? "stderr" : start.settings.log_path.data;
}
NORN_SANITIZER void __sanitizer_report_error_summary(const char* summary) {
  say("SUMMARY: ");
  say(summary);
  say("\n");
}
NORN_SANITIZER void __sanitizer_set_death_callback(void (*callback)()) { death_callback = callback; }
// Whoever gets true is the one who reports a crash.
NORN_SANITIZER int __sanitizer_acquire_crash_state(void) {
  static constinit std::atomic<bool> taken{false};
  return taken.exchange(true, std::memory_order_relaxed) ? 0 : 1;
}
// The findings file is open before a sandbox closes.
NORN_SANITIZER void __sanitizer_sandbox_on_notify(void* /*arguments*/) {}

// --- names -------------------------------------------------------------------------------------------------------

NORN_SANITIZER void __sanitizer_symbolize_pc(void* address, const char* format, char* out, size_t size) {
  char bytes[2048];
  Buffer text(bytes, sizeof(bytes));
  put_symbol(text.sink(), symbol_at(address), address, format_or(format, kFrame));
  copy_out(text.text(), out, size);
}
NORN_SANITIZER void __sanitizer_symbolize_global(void* address, const char* /*format*/, char* out, size_t size) {
  copy_out({}, out, size);
  const Inspection here;
  if (!here) return;
  char texts[2048];
  TextPool pool(texts, sizeof(texts));
  report::Location location;
  if (locate_global(address_of(address), 1, location, pool)) copy_out(location.object, out, size);
}
NORN_SANITIZER int __sanitizer_get_module_and_offset_for_pc(void* address, char* path, size_t size, void** offset) {
  const Symbol symbol = symbol_at(address);
  if (symbol.module.empty()) return 0;
  copy_out(symbol.module, path, size);
  if (offset != nullptr) *offset = reinterpret_cast<void*>(symbol.offset);
  return 1;
}
NORN_SANITIZER void __sanitizer_print_stack_trace(void) {
  StackId where = kNoStack;
  if (const Inspection here; here) where = stack_id(*here, nullptr);
  unsigned number = 0;
  for_each_site(where, [&](const norn_site& site) {
    char bytes[2048];
    Buffer text(bytes, sizeof(bytes));
    text.sink().put("    #");
    text.sink().put(Decimal(number++).text());
    put_symbol(text.sink(), symbol_at(&site), &site, " %p %F %L\n");
    say(text.text());
    return true;
  });
}

// --- accesses without alignment ----------------------------------------------------------------------------------

#define NORN_UNALIGNED(bits, type)                                                   \
  NORN_SANITIZER type __sanitizer_unaligned_load##bits(const void* address) {        \
    access(AccessKind::kRead, address, sizeof(type));                                \
    type value;                                                                      \
    __builtin_memcpy(&value, address, sizeof(type));                                 \
    return value;                                                                    \
  }                                                                                  \
  NORN_SANITIZER void __sanitizer_unaligned_store##bits(void* address, type value) { \
    access(AccessKind::kWrite, address, sizeof(type));                               \
    __builtin_memcpy(address, &value, sizeof(type));                                 \
  }
NORN_UNALIGNED(16, uint16_t)
NORN_UNALIGNED(32, uint32_t)
NORN_UNALIGNED(64, uint64_t)

// --- the heap ----------------------------------------------------------------------------------------------------

NORN_SANITIZER size_t __sanitizer_get_estimated_allocated_size(size_t size) { return size; }
NORN_SANITIZER int __sanitizer_get_ownership(const volatile void* block) {
  const Inspection here;
  return here && size_of_block(address_of(block)) != 0 ? 1 : 0;
}
NORN_SANITIZER const void* __sanitizer_get_allocated_begin(const void* address) {
  const Inspection here;
  Block block;
  return here && find_block(address_of(address), block) && !block.freed ? reinterpret_cast<const void*>(block.address)
                                                                        : nullptr;
}
NORN_SANITIZER size_t __sanitizer_get_allocated_size(const volatile void* block) {
  const Inspection here;
  return here ? size_of_block(address_of(block)) : 0;
}
NORN_SANITIZER size_t __sanitizer_get_allocated_size_fast(const volatile void* block) {
  return __sanitizer_get_allocated_size(block);
}
// norn leaves the heap to whoever provides it and counts no bytes of it.
NORN_SANITIZER size_t __sanitizer_get_current_allocated_bytes(void) { return 0; }
NORN_SANITIZER size_t __sanitizer_get_heap_size(void) { return 0; }
NORN_SANITIZER size_t __sanitizer_get_free_bytes(void) { return 1; }
NORN_SANITIZER size_t __sanitizer_get_unmapped_bytes(void) { return 1; }
NORN_SANITIZER void __sanitizer_purge_allocator(void) {}
// 0: there is no place for them.
NORN_SANITIZER int __sanitizer_install_malloc_and_free_hooks(void (* /*allocated*/)(const volatile void*, size_t),
                                                             void (* /*freed*/)(const volatile void*)) {
  return 0;
}
