// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/debug_info/symbols.h"

#include "base/sink.h"
#include "report/race.h"
#include "valgrind/tool/private.h"

namespace norn::vg {
namespace {

using report::Frame;

constexpr Text kPreload = "vgpreload_";

DiEpoch epoch_of(const Place& place) {
  DiEpoch epoch;
  epoch.n = place.epoch;
  return epoch;
}

bool is_system_path(Text path) {
  return path.starts_with("/usr/lib") || path.starts_with("/lib") || path.starts_with("/usr/include") ||
         path.starts_with("/usr/libexec");
}

bool is_decimal(Text text) {
  for (const char c : text)
    if (c < '0' || c > '9') return false;
  return !text.empty();
}

// Valgrind's words for a frame: "0x401136: f(int) (a.cpp:12)" or "0x4005: f (in /lib/x.so)" or "0x4005: ???".
void read_description(Text line, Frame& frame, TextPool& pool) {
  size_t at = 0;
  while (at < line.size && line[at] != ' ') ++at;
  Text rest = line.part(at + 1);
  size_t open = rest.size;
  if (rest.size > 0 && rest[rest.size - 1] == ')') {
    // The last parenthesis opened at depth 0 tells the place.
    size_t depth = 0;
    for (size_t i = rest.size; i > 0; --i) {
      if (rest[i - 1] == ')') ++depth;
      if (rest[i - 1] == '(' && --depth == 0) {
        open = i - 1;
        break;
      }
    }
  }
  Text function = rest;
  if (open < rest.size) {
    const Text inside = rest.part(open + 1, rest.size - open - 2);
    size_t colon = inside.size;
    while (colon > 0 && inside[colon - 1] != ':') --colon;
    const bool is_place = colon > 0 && is_decimal(inside.part(colon));
    if (is_place || inside.starts_with("in ")) function = rest.part(0, open > 0 ? open - 1 : 0);
    if (is_place) {
      frame.file = pool.keep(inside.part(0, colon - 1));
      for (const char c : inside.part(colon)) frame.line = frame.line * 10 + static_cast<uint32_t>(c - '0');
    }
  }
  if (!(function == Text("???"))) frame.function = pool.keep(function);
}

void complete(const Place& place, Frame& frame, TextPool& pool) {
  const HChar* module = nullptr;
  if (VG_(get_objname)(epoch_of(place), place.ip, &module)) frame.module = pool.keep(module);
  if (const DebugInfo* info = VG_(find_DebugInfo)(epoch_of(place), place.ip); info != nullptr) {
    frame.offset = place.ip - static_cast<Address>(VG_(DebugInfo_get_text_bias)(info));
  }
  if (report::base_name(frame.module).starts_with(kPreload)) {
    frame.library = true;
    frame.file = {};
    frame.line = 0;
    return;
  }
  frame.library = is_system_path(frame.file) || is_system_path(frame.module);
}

// Of a stripped program: "python3.11+0xa69de0", the same in every run.
bool locate_static_data(Address address, report::Location& location, TextPool& pool) {
  const HChar* module = nullptr;
  const VgSectKind kind = VG_(DebugInfo_sect_kind)(&module, address);
  if ((kind != Vg_SectData && kind != Vg_SectBSS) || module == nullptr) return false;
  for (const DebugInfo* info = VG_(next_DebugInfo)(nullptr); info != nullptr; info = VG_(next_DebugInfo)(info)) {
    if (!(Text(VG_(DebugInfo_get_filename)(info)) == Text(module))) continue;
    char bytes[512];
    Buffer name(bytes, sizeof(bytes));
    name.sink().put(report::base_name(module));
    name.sink().put('+');
    name.sink().put(Hex(address - static_cast<Address>(VG_(DebugInfo_get_text_bias)(info))).text());
    location.kind = report::LocationKind::kGlobal;
    location.name = location.object = pool.keep(name.text());
    return true;
  }
  return false;
}

// Where threads and the program itself start: of no interest.
bool is_start(const Frame& frame) {
  return frame.function == Text("_start") || frame.function == Text("(below main)") ||
         (frame.library && (frame.function.empty() || report::base_name(frame.module).starts_with("libc.so") ||
                            report::base_name(frame.module).starts_with("libpthread") ||
                            report::base_name(frame.module).starts_with("ld-linux") ||
                            report::base_name(frame.module).starts_with(kPreload)));
}

}  // namespace

bool is_preload(Address code) {
  const DebugInfo* info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), code);
  return info != nullptr && report::base_name(VG_(DebugInfo_get_filename)(info)).starts_with(kPreload);
}

namespace {

bool is_openmp_library(Text so) {
  return so.starts_with("libgomp.so.") || so.starts_with("libomp.so.") || so.starts_with("libiomp5.so");
}

}  // namespace

bool is_openmp(Address code) {
  const DebugInfo* info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), code);
  const HChar* soname = info == nullptr ? nullptr : VG_(DebugInfo_get_soname)(info);
  return soname != nullptr && is_openmp_library(soname);
}

bool is_opaque(Address code) {
  const DebugInfo* info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), code);
  if (info == nullptr) return false;
  const Text name = report::base_name(VG_(DebugInfo_get_filename)(info));
  const HChar* soname = VG_(DebugInfo_get_soname)(info);
  const Text so = soname == nullptr ? Text() : Text(soname);
  return so.starts_with("libc.so.") || so.starts_with("ld-linux") || so.starts_with("libpthread.so.") ||
         so.starts_with("librt.so.") || so.starts_with("libdl.so.") || so.starts_with("libc_malloc_debug") ||
         is_openmp_library(so) || name.starts_with(kPreload);
}

bool is_cxx_atomic(Address code) {
  const HChar* file = nullptr;
  if (!VG_(get_filename)(VG_(current_DiEpoch)(), code, &file)) return false;
  const Text name = report::base_name(file);
  // A latch or a semaphore is an atomic and nothing else; an optimised test of it has their own line.
  return name == Text("atomic") || name == Text("atomic_base.h") || name == Text("cxx_atomic_impl.h") ||
         name == Text("atomic_wait.h") || name == Text("latch") || name == Text("semaphore_base.h");
}

bool is_standard_stream(Address data) {
  static constinit struct {
    Address data;
    bool is_stream;
  } last = {};
  if (last.data == data) return last.is_stream;
  last = {data, false};
  const HChar* symbol = nullptr;
  PtrdiffT offset = 0;
  if (!VG_(get_datasym_and_offset)(VG_(current_DiEpoch)(), data, &symbol, &offset)) return false;
  const Text name(symbol);
  for (const char* stream :
       {"_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "_ZSt3cin", "_ZSt5wcout", "_ZSt5wcerr", "_ZSt5wclog", "_ZSt4wcin"}) {
    last.is_stream |= name.starts_with(stream);
  }
  return last.is_stream;
}

bool is_opaque_data(Address address) {
  const HChar* object = nullptr;
  const VgSectKind kind = VG_(DebugInfo_sect_kind)(&object, address);
  if (kind == Vg_SectUnknown || object == nullptr) return false;
  const Text name = report::base_name(object);
  return name.starts_with("libc.so") || name.starts_with("libc-2") || name.starts_with("ld-linux") ||
         name.starts_with("ld-2") || name.starts_with("libpthread");
}

size_t frames_at(const Place& place, Frame* frames, size_t most, TextPool& pool) {
  size_t count = 0;
  InlIPCursor* cursor = VG_(new_IIPC)(epoch_of(place), place.ip);
  do {
    Frame& frame = frames[count++];
    frame = {};
    read_description(VG_(describe_IP)(epoch_of(place), place.ip, cursor), frame, pool);
    complete(place, frame, pool);
  } while (count < most && VG_(next_IIPC)(cursor));
  VG_(delete_IIPC)(cursor);
  return count;
}

List<Frame> frames_of(StackId where, Frame* frames, size_t most, TextPool& pool) {
  size_t count = 0;
  for (const Place* at = place_at(where); at != nullptr && count < most; at = place_at(at->parent)) {
    count += frames_at(*at, frames + count, most - count, pool);
    // The way of a wrapper to the tool.
    if (count > 0 && frames[count - 1].function.starts_with("norn_")) --count;
  }
  while (count > 1 && is_start(frames[count - 1])) --count;
  return {frames, count};
}

bool locate_variable(Address address, report::Location& location, TextPool& pool) {
  const HChar* name = nullptr;
  PtrdiffT offset = 0;
  if (!VG_(get_datasym_and_offset)(VG_(current_DiEpoch)(), address, &name, &offset))
    return locate_static_data(address, location, pool);
  location.kind = report::LocationKind::kGlobal;
  // The compiler numbers the statics of functions: counter.0
  char plain[512];
  Text symbol(name);
  size_t end = symbol.size;
  while (end > 0 && symbol[end - 1] >= '0' && symbol[end - 1] <= '9') --end;
  if (end > 0 && end < symbol.size && symbol[end - 1] == '.') symbol = symbol.part(0, end - 1);
  Buffer buffer(plain, sizeof(plain) - 1);
  buffer.sink().put(symbol);
  plain[buffer.text().size] = '\0';
  location.object = pool.keep(demangled(plain));
  location.offset = static_cast<uint64_t>(offset);
  location.name = location.object;
  return true;
}

}  // namespace norn::vg
