// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/tool/private.h"

#include "base/sink.h"
#include "report/race.h"
#include "valgrind/debug_info/lines.h"
#include "valgrind/tool/tool_reporter.h"

// coregrind/pub_core_demangle.h (3.19)
extern "C" void vgPlain_demangle(Bool do_cxx_demangling, Bool do_z_demangling, const HChar* orig, const HChar** result);
// coregrind/pub_core_transtab.h (3.19)
extern "C" void vgPlain_discard_translations(Addr start, ULong range, const HChar* who);
// coregrind/pub_core_debuginfo.h (3.19)
extern "C" Bool vgPlain_get_fnname_raw(DiEpoch epoch, Addr address, const HChar** name);
extern "C" Bool vgPlain_get_inst_offset_in_function(DiEpoch epoch, Addr address, PtrdiffT* offset);
// The same; the linker puts ours in its place (--wrap).
extern "C" ULong __real_vgPlain_di_notify_mmap(Addr address, Bool valgrinds_own, Int fd);  // NOLINT: the linker's name
extern "C" ULong __wrap_vgPlain_di_notify_mmap(Addr address, Bool valgrinds_own, Int fd);  // NOLINT: the linker's name
// coregrind/m_debuginfo/priv_readdwarf.h, priv_readdwarf3.h and priv_readelf.h (3.19): the readers of debug
// information. The slices are as they stand on the stack; how many the second takes makes no difference to whoever
// hands them on.
struct ManySections {
  norn::vg::DebugSection sections[16];
};
#define NORN_READER(result, name, parameters)                                               \
  extern "C" result __real_vgModuleLocal_##name parameters; /* NOLINT: the linker's name */ \
  extern "C" result __wrap_vgModuleLocal_##name parameters  /* NOLINT: the linker's name */
NORN_READER(void, read_debuginfo_dwarf3, (DebugInfo * info, norn::vg::DebugSections sections));
NORN_READER(void, new_dwarf3_reader, (DebugInfo * info, ManySections sections));
NORN_READER(void, read_callframe_info_dwarf3,
            (DebugInfo * info, norn::vg::DebugSection section, Addr address, Bool is_eh_frame));
NORN_READER(Bool, read_elf_debug_info, (DebugInfo * info));
// coregrind/m_debuginfo/priv_image.h and priv_storage.h (3.19)
extern "C" UChar vgModuleLocal_img_get_UChar(void* image, ULong offset);
extern "C" UInt vgModuleLocal_addFnDn(DebugInfo* info, const HChar* file, const HChar* directory);
extern "C" void vgModuleLocal_addLineInfo(DebugInfo* info, UInt file, Addr begin, Addr end, Int line, Int entry);
// How Valgrind ends when it cannot go on.
extern "C" [[noreturn]] void __real_vgPlain_exit(Int status);  // NOLINT: the linker's name
extern "C" [[noreturn]] void __wrap_vgPlain_exit(Int status);  // NOLINT: the linker's name
// coregrind/pub_core_options.h (3.19)
extern "C" Int vgPlain_safe_fd(Int fd);

extern "C" Bool vgPlain_clo_read_var_info;
// VEX/priv/main_util.h (3.19)
extern "C" HChar* private_LibVEX_alloc_first;
extern "C" HChar* private_LibVEX_alloc_curr;
// VEX/priv/main_globals.h (3.19)
extern "C" VexControl vex_control;

namespace norn::vg {
namespace {

constexpr SizeT kLongestInstruction = 16;

constinit uint64_t device_of_variables = 0;
constinit uint64_t inode_of_variables = 0;  // 0: of no file

// --- reading debug information -----------------------------------------------------------------------------------

// Who reads. Where a file is not as Valgrind's readers expect, they end the process; here they end what they read.
struct Reader {
  VG_MINIMAL_JMP_BUF(back);
  Reader* outer;
};
constinit Reader* reader = nullptr;
// The reader of variables and inlined calls, once interrupted, cannot be used again.
constinit bool has_variable_reader = true;

template <class Read>
__attribute__((noinline)) bool try_to_read(Read read) {
  Reader here;
  here.outer = reader;
  reader = &here;
  const bool done = VG_MINIMAL_SETJMP(here.back) == 0;
  if (done) read();
  reader = here.outer;
  return done;
}

void read_unit(DebugInfo* info, const DebugSections& sections, uint64_t at, const Unit& unit) {
  if (unit.foreign) {
    if (unit.has_lines) read_lines(sections, unit.lines, DebugLines(info));
    return;
  }
  DebugSections one = sections;
  one.units.offset += at;
  one.units.size = unit.size;
  if (at != 0) one.types = {};
  __real_vgModuleLocal_read_debuginfo_dwarf3(info, one);
}

// Unit by unit: what is wrong with one is not the others' fault.
bool read_units(DebugInfo* info, const DebugSections& sections) {
  bool all = true;
  for (uint64_t at = 0; at < sections.units.size;) {
    Unit unit = {};
    if (!try_to_read([&] { unit = unit_at(sections, at); })) return false;
    all = try_to_read([&] { read_unit(info, sections, at, unit); }) && all;
    at += unit.size;
  }
  return all;
}

Bool chase_nothing(void* /*opaque*/, Addr /*address*/) { return False; }
UInt check_nothing(void* /*opaque*/, VexRegisterUpdates* /*control*/, const VexGuestExtents* /*extents*/) { return 0; }

}  // namespace

int out_of_reach(int fd) { return vgPlain_safe_fd(fd); }

const char* demangled(const char* name) {
  const HChar* result = name;
  vgPlain_demangle(True, True, name, &result);
  return result;
}

Address function_begin(Address code) {
  PtrdiffT offset = 0;
  if (!vgPlain_get_inst_offset_in_function(VG_(current_DiEpoch)(), code, &offset)) return 0;
  return code - static_cast<Address>(offset);
}

const char* linkage_name(Address code) {
  const HChar* name = nullptr;
  if (function_begin(code) != code) return nullptr;
  return vgPlain_get_fnname_raw(VG_(current_DiEpoch)(), code, &name) ? name : nullptr;
}

void read_variables_of(uint64_t device, uint64_t inode) {
  device_of_variables = device;
  inode_of_variables = inode;
}

void give_up() {
  tl_assert(reader != nullptr);
  VG_MINIMAL_LONGJMP(reader->back);
}

uint8_t byte_at(const DebugSection& section, uint64_t at) {
  if (section.image == nullptr || at >= section.size) give_up();
  return vgModuleLocal_img_get_UChar(section.image, section.offset + at);
}

unsigned DebugLines::add_file(const char* name, const char* directory) const {
  return vgModuleLocal_addFnDn(info_, name, directory);
}

void DebugLines::add_line(unsigned file, Address begin, Address end, int line) const {
  const auto bias = static_cast<Address>(VG_(DebugInfo_get_text_bias)(info_));
  vgModuleLocal_addLineInfo(info_, file, begin + bias, end + bias, line, 0);
}

void discard_translations() { vgPlain_discard_translations(Addr{0x1000}, ~ULong{0xfff}, "norn"); }

namespace {

constexpr long kFixedNoReplace = 0x100000;

long system_call(long number, long a, long b, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result = number;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

bool map_at(uintptr_t address, size_t size, long flags, int fd, uint64_t offset) {
  const long result =
      system_call(__NR_mmap, static_cast<long>(address), static_cast<long>(size), VKI_PROT_READ | VKI_PROT_WRITE,
                  flags | kFixedNoReplace, fd, static_cast<long>(offset));
  return static_cast<uintptr_t>(result) == address;
}

}  // namespace

bool map_exactly(uintptr_t address, size_t size) {
  return map_at(address, size, VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS | VKI_MAP_NORESERVE, -1, 0);
}

bool map_file_exactly(uintptr_t address, size_t size, int fd, uint64_t offset) {
  // The blocks are there before they are written: a full disk is no fault of the program's.
  constexpr long kNotSupported = 95;
  long made = system_call(__NR_fallocate, fd, 0, static_cast<long>(offset), static_cast<long>(size));
  if (made == -kNotSupported) made = system_call(__NR_ftruncate, fd, static_cast<long>(offset + size));
  return made == 0 && map_at(address, size, VKI_MAP_SHARED, fd, offset);
}

void unmap_exactly(void* memory, size_t size) {
  system_call(__NR_munmap, reinterpret_cast<long>(memory), static_cast<long>(size));
}

bool unfill_exactly(void* memory, size_t size) {
  constexpr long kDontNeed = 4;
  return system_call(__NR_madvise, reinterpret_cast<long>(memory), static_cast<long>(size), kDontNeed) == 0;
}

GuestCode::GuestCode(const VexArchInfo& host)
    : host_(host),
      saved_size_(static_cast<size_t>(private_LibVEX_alloc_curr - private_LibVEX_alloc_first)),
      unrolling_(vex_control.iropt_unroll_thresh),
      longest_(vex_control.guest_max_insns) {
  saved_ = static_cast<char*>(VG_(malloc)("norn.lookahead", saved_size_ + 1));
  VG_(memcpy)(saved_, private_LibVEX_alloc_first, saved_size_);
  vex_control.iropt_unroll_thresh = 0;
}

GuestCode::~GuestCode() {
  VG_(memcpy)(private_LibVEX_alloc_first, saved_, saved_size_);
  private_LibVEX_alloc_curr = private_LibVEX_alloc_first + saved_size_;
  vex_control.iropt_unroll_thresh = unrolling_;
  VG_(free)(saved_);
}

IRSB* GuestCode::block(Address address, unsigned instructions) {
  if (!VG_(am_is_valid_for_client)(address, kLongestInstruction, VKI_PROT_READ | VKI_PROT_EXEC)) return nullptr;
  static VexGuestExtents extents;
  static UChar nowhere[1];
  Int used = 0;
  VexTranslateArgs arguments;
  VG_(memset)(&arguments, 0, sizeof(arguments));
  arguments.arch_guest = VexArchAMD64;
  arguments.archinfo_guest = host_;
  arguments.arch_host = VexArchAMD64;
  arguments.archinfo_host = host_;
  LibVEX_default_VexAbiInfo(&arguments.abiinfo_both);
  // As coregrind/m_translate.c says for amd64-linux.
  arguments.abiinfo_both.guest_stack_redzone_size = VG_STACK_REDZONE_SZB;
  arguments.abiinfo_both.guest_amd64_assume_fs_is_const = True;
  arguments.abiinfo_both.guest_amd64_assume_gs_is_const = True;
  arguments.guest_bytes = reinterpret_cast<const UChar*>(address);
  arguments.guest_bytes_addr = address;
  arguments.chase_into_ok = chase_nothing;
  arguments.guest_extents = &extents;
  arguments.host_bytes = nowhere;
  arguments.host_bytes_used = &used;
  arguments.needs_self_check = check_nothing;
  arguments.disp_cp_xassisted = nowhere;
  VexTranslateResult result;
  VexRegisterUpdates control = VexRegUpdUnwindregsAtMemAccess;
  if (instructions != 0) vex_control.guest_max_insns = static_cast<Int>(instructions);
  IRSB* block = LibVEX_FrontEnd(&arguments, &result, &control);
  vex_control.guest_max_insns = longest_;
  return block;
}

}  // namespace norn::vg

// Part of a file was mapped.
ULong __wrap_vgPlain_di_notify_mmap(Addr address, Bool valgrinds_own, Int fd) {
  using namespace norn::vg;
  const NSegment* segment = VG_(am_find_nsegment)(address);
  const bool wanted = segment != nullptr && inode_of_variables != 0 && segment->ino == inode_of_variables &&
                      segment->dev == device_of_variables;
  vgPlain_clo_read_var_info = wanted ? True : False;
  return __real_vgPlain_di_notify_mmap(address, valgrinds_own, fd);
}

// Valgrind cannot go on.
void __wrap_vgPlain_exit(Int status) {
  using namespace norn::vg;
  if (reader != nullptr) give_up();
  __real_vgPlain_exit(status);
}

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(DebugInfo* info, norn::vg::DebugSections sections) {
  using namespace norn::vg;
  if (!read_units(info, sections)) note_unread(VG_(DebugInfo_get_filename)(info));
}

void __wrap_vgModuleLocal_new_dwarf3_reader(DebugInfo* info, ManySections sections) {
  using namespace norn::vg;
  if (!has_variable_reader) return;
  if (try_to_read([&] { __real_vgModuleLocal_new_dwarf3_reader(info, sections); })) return;
  has_variable_reader = false;
  note_unread(VG_(DebugInfo_get_filename)(info));
}

void __wrap_vgModuleLocal_read_callframe_info_dwarf3(DebugInfo* info, norn::vg::DebugSection section, Addr address,
                                                     Bool is_eh_frame) {
  using namespace norn::vg;
  const auto read = [&] { __real_vgModuleLocal_read_callframe_info_dwarf3(info, section, address, is_eh_frame); };
  if (!try_to_read(read)) note_unread(VG_(DebugInfo_get_filename)(info));
}

Bool __wrap_vgModuleLocal_read_elf_debug_info(DebugInfo* info) {
  using namespace norn::vg;
  Bool done = False;
  if (!try_to_read([&] { done = __real_vgModuleLocal_read_elf_debug_info(info); })) {
    note_unread(VG_(DebugInfo_get_filename)(info));
  }
  return done;
}
