// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/lookahead/targets.h"

#include <elf.h>

#include "valgrind/debug_info/symbols.h"
#include "valgrind/lookahead/growing_array.h"
#include "valgrind/tool/private.h"

namespace norn::vg {
namespace {

bool is_readable(Address address, SizeT size) { return VG_(am_is_valid_for_client)(address, size, VKI_PROT_READ); }

template <class T>
const T* at(Address address) {
  return is_readable(address, sizeof(T)) ? reinterpret_cast<const T*>(address) : nullptr;
}

// The word that a stub jumps through: [endbr64] [bnd] jmp *offset(%rip). 0: it is no stub.
Address slot_of_stub(Address code) {
  constexpr unsigned kLongest = 11;
  if (!VG_(am_is_valid_for_client)(code, kLongest, VKI_PROT_READ | VKI_PROT_EXEC)) return 0;
  const auto* bytes = reinterpret_cast<const uint8_t*>(code);
  unsigned i = 0;
  if (bytes[0] == 0xf3 && bytes[1] == 0x0f && bytes[2] == 0x1e && bytes[3] == 0xfa) i = 4;
  if (bytes[i] == 0xf2) ++i;
  if (bytes[i] != 0xff || bytes[i + 1] != 0x25) return 0;
  int32_t offset = 0;
  VG_(memcpy)(&offset, bytes + i + 2, sizeof(offset));
  return code + i + 6 + static_cast<Address>(static_cast<int64_t>(offset));
}

// What of a module's dynamic section is needed here, as addresses.
struct Module {
  Address base = 0;  // of the mapping that begins with the file's header
  Address bias = 0;
  Address symbols = 0;
  Address strings = 0;
  Address relocations[2] = {};  // of stubs, and of all other things
  uint64_t sizes[2] = {};
};

bool read_dynamic(Module& module) {
  const auto* header = at<Elf64_Ehdr>(module.base);
  if (header == nullptr || VG_(memcmp)(header->e_ident, ELFMAG, SELFMAG) != 0) return false;
  const Elf64_Dyn* dynamic = nullptr;
  bool has_bias = false;
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const auto* segment = at<Elf64_Phdr>(module.base + header->e_phoff + i * sizeof(Elf64_Phdr));
    if (segment == nullptr) return false;
    if (segment->p_type == PT_LOAD && !has_bias) {
      module.bias = module.base - (segment->p_vaddr - segment->p_offset);
      has_bias = true;
    }
    if (segment->p_type == PT_DYNAMIC) dynamic = at<Elf64_Dyn>(module.bias + segment->p_vaddr);
  }
  if (dynamic == nullptr) return false;
  // The dynamic linker has made addresses of offsets, in most modules.
  const auto address = [&](uint64_t value) { return value < module.bias ? value + module.bias : value; };
  for (; is_readable(reinterpret_cast<Address>(dynamic), sizeof(*dynamic)) && dynamic->d_tag != DT_NULL; ++dynamic) {
    switch (dynamic->d_tag) {
      case DT_SYMTAB:
        module.symbols = address(dynamic->d_un.d_ptr);
        break;
      case DT_STRTAB:
        module.strings = address(dynamic->d_un.d_ptr);
        break;
      case DT_JMPREL:
        module.relocations[0] = address(dynamic->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        module.sizes[0] = dynamic->d_un.d_val;
        break;
      case DT_RELA:
        module.relocations[1] = address(dynamic->d_un.d_ptr);
        break;
      case DT_RELASZ:
        module.sizes[1] = dynamic->d_un.d_val;
        break;
      default:
        break;
    }
  }
  return module.symbols != 0 && module.strings != 0;
}

// The mapping of the same file that begins with its header.
Address module_base(Address code) {
  const NSegment* here = VG_(am_find_nsegment)(code);
  if (here == nullptr || here->kind != SkFileC) return 0;
  for (Address address = here->start; address != 0;) {
    const NSegment* segment = VG_(am_find_nsegment)(address);
    if (segment == nullptr) return 0;
    if (segment->kind == SkFileC && segment->dev == here->dev && segment->ino == here->ino && segment->offset == 0) {
      return segment->start;
    }
    if (segment->start == 0) return 0;
    address = segment->start - 1;
  }
  return 0;
}

// Who is meant by the word that a stub jumps through.
Text name_of_slot(Address stub, Address slot) {
  Module module;
  module.base = module_base(stub);
  if (module.base == 0 || !read_dynamic(module)) return {};
  for (unsigned table = 0; table < 2; ++table) {
    const uint64_t count = module.sizes[table] / sizeof(Elf64_Rela);
    if (count == 0 || !is_readable(module.relocations[table], module.sizes[table])) continue;
    const auto* relocations = reinterpret_cast<const Elf64_Rela*>(module.relocations[table]);
    for (uint64_t i = 0; i < count; ++i) {
      if (relocations[i].r_offset + module.bias != slot) continue;
      const auto* symbol = at<Elf64_Sym>(module.symbols + ELF64_R_SYM(relocations[i].r_info) * sizeof(Elf64_Sym));
      if (symbol == nullptr || symbol->st_name == 0 || !is_readable(module.strings + symbol->st_name, 1)) return {};
      return Text(reinterpret_cast<const char*>(module.strings + symbol->st_name));
    }
  }
  return {};
}

Text without_version(Text name) {
  size_t end = 0;
  while (end < name.size && name[end] != '@') ++end;
  return name.part(0, end);
}

Text symbol_at(Address code) {
  const char* name = linkage_name(code);
  return name == nullptr ? Text() : without_version(name);
}

Address target_of_slot(Address stub, Address slot) {
  const auto* word = at<Address>(slot);
  if (word == nullptr) return 0;
  // Not bound yet: it leads back to the stub, or to its neighbour that asks the dynamic linker.
  const NSegment* here = VG_(am_find_nsegment)(stub);
  const bool unbound = here != nullptr && *word >= here->start && *word <= here->end && slot_of_stub(*word) == 0 &&
                       symbol_at(*word).empty();
  return unbound ? 0 : *word;
}

constexpr const char* kNoReturn[] = {
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "__assert_fail",
    "__stack_chk_fail",
    "__fortify_fail",
    "__chk_fail",
    "pthread_exit",
    "thrd_exit",
    "_Unwind_Resume",
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_bad_cast",
    "__cxa_throw_bad_array_new_length",
    "_ZSt9terminatev",
    "__clang_call_terminate",
    "longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "err",
    "errx",
};

}  // namespace

bool is_stub(Address code) { return slot_of_stub(code) != 0; }

Text target_name(Address code) {
  if (code == 0) return {};
  if (const Address slot = slot_of_stub(code); slot != 0) {
    if (const Text name = name_of_slot(code, slot); !name.empty()) return name;
    code = target_of_slot(code, slot);
    if (code == 0) return {};
  }
  return symbol_at(code);
}

Address target_of(Address code) {
  const Address slot = code == 0 ? 0 : slot_of_stub(code);
  return slot == 0 ? code : target_of_slot(code, slot);
}

bool is_no_return(Address code) {
  const Text name = target_name(code);
  if (name.empty()) return false;
  if (name.starts_with("_ZSt") && !name.starts_with("_ZSt9terminate")) {
    // std::__throw_…
    size_t digits = 4;
    while (digits < name.size && name[digits] >= '0' && name[digits] <= '9') ++digits;
    return name.part(digits).starts_with("__throw_");
  }
  for (const char* known : kNoReturn) {
    if (name == Text(known)) return true;
  }
  return false;
}

bool is_failure(Address code) {
  constexpr const char* kInGoodOrder[] = {"exit",      "_exit",   "_Exit",      "quick_exit",   "pthread_exit",
                                          "thrd_exit", "longjmp", "siglongjmp", "__longjmp_chk"};
  if (!is_no_return(code)) return false;
  const Text name = target_name(code);
  for (const char* known : kInGoodOrder) {
    if (name == Text(known)) return false;
  }
  return true;
}

bool returns(GuestCode& code, Address function, unsigned depth) {
  constexpr unsigned kMostBlocks = 300;
  constexpr unsigned kDeepest = 4;
  static constinit struct {
    Address function;
    bool returns;
  } known[1024] = {};
  if (is_no_return(function)) return false;
  function = target_of(function);
  if (function == 0 || depth == kDeepest || is_opaque(function)) return true;
  auto& entry = known[(function >> 4) % 1024];
  if (entry.function == function) return entry.returns;
  List<Address> blocks;
  blocks.add(function);
  bool found = false;
  for (uint32_t i = 0; i < blocks.size() && !found; ++i) {
    const IRSB* block = code.block(blocks[i]);
    if (block == nullptr || i == kMostBlocks) {
      found = true;
      break;
    }
    Address last = 0;
    Address end = 0;
    List<Address> ahead;
    for (Int k = 0; k < block->stmts_used; ++k) {
      const IRStmt* statement = block->stmts[k];
      if (statement->tag == Ist_IMark) {
        last = statement->Ist.IMark.addr;
        end = last + statement->Ist.IMark.len;
      }
      if (statement->tag == Ist_Exit && statement->Ist.Exit.jk == Ijk_Boring)
        ahead.add(statement->Ist.Exit.dst->Ico.U64);
    }
    const bool constant = block->next->tag == Iex_Const;
    const Address next = constant ? block->next->Iex.Const.con->Ico.U64 : 0;
    if (block->jumpkind == Ijk_Ret || (block->jumpkind == Ijk_Boring && !constant)) {
      found = true;
    } else if (block->jumpkind == Ijk_Call) {
      if (!constant || returns(code, next, depth + 1)) ahead.add(end);  // the block is no more
    } else if (constant) {
      ahead.add(next);
    }
    for (const Address to : ahead) {
      if (!blocks.contains(to)) blocks.add(to);
    }
  }
  entry = {function, found};
  return found;
}

KnownTarget known_target(Address code) {
  const Text name = target_name(code);
  if (!name.empty()) {
    for (const loops::KnownCall& known : loops::kKnownCalls) {
      if (name == Text(known.name)) return {true, known.kind};
    }
  }
  return {false, loops::CallKind::kUnresolved};
}

}  // namespace norn::vg
