#include "runtime/debug_info/elf_file.h"

#include <elf.h>

namespace norn::debug_info {
namespace {

// Whether `count` bytes from `offset` on lie in so many.
constexpr bool lies_in(uint64_t offset, uint64_t count, size_t size) {
  return offset <= size && count <= size - offset;
}

// A text in a table of texts; empty if it does not end there.
Text text_at(Section table, uint64_t offset) {
  for (uint64_t end = offset; end < table.size; ++end) {
    if (table.data[end] == 0) return {reinterpret_cast<const char*>(table.data) + offset, end - offset};
  }
  return {};
}

template <class T>
T entry(Section table, size_t index) {
  T copy;
  __builtin_memcpy(&copy, table.data + index * sizeof(T), sizeof(T));
  return copy;
}

}  // namespace

bool ElfFile::open(const uint8_t* data, size_t size) {
  if (size < sizeof(Elf64_Ehdr)) return false;
  const auto header = entry<Elf64_Ehdr>({data, size}, 0);
  const bool is_elf = header.e_ident[EI_MAG0] == ELFMAG0 && header.e_ident[EI_MAG1] == ELFMAG1 &&
                      header.e_ident[EI_MAG2] == ELFMAG2 && header.e_ident[EI_MAG3] == ELFMAG3;
  if (!is_elf || header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != EM_X86_64 || header.e_shentsize != sizeof(Elf64_Shdr)) {
    return false;
  }
  const uint64_t bytes = uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  if (!lies_in(header.e_shoff, bytes, size)) return false;
  data_ = data;
  size_ = size;
  headers_ = {data + header.e_shoff, static_cast<size_t>(bytes)};
  const size_t count = header.e_shnum;
  const auto contents = [&](const Elf64_Shdr& section) {
    const bool is_there = section.sh_type != SHT_NOBITS && (section.sh_flags & SHF_COMPRESSED) == 0 &&
                          lies_in(section.sh_offset, section.sh_size, size_);
    return is_there ? Section{data_ + section.sh_offset, static_cast<size_t>(section.sh_size)} : Section{};
  };
  if (header.e_shstrndx < count) names_ = contents(entry<Elf64_Shdr>(headers_, header.e_shstrndx));
  const auto table_of = [&](unsigned type, Section& table, Section& names) {
    for (size_t i = 0; i < count && table.data == nullptr; ++i) {
      const auto section = entry<Elf64_Shdr>(headers_, i);
      if (section.sh_type != type || section.sh_link >= count) continue;
      table = contents(section);
      names = contents(entry<Elf64_Shdr>(headers_, section.sh_link));
    }
  };
  table_of(SHT_SYMTAB, symbols_, symbol_names_);
  table_of(SHT_DYNSYM, dynamic_symbols_, dynamic_names_);
  if (symbols_.data == nullptr) {  // stripped
    symbols_ = dynamic_symbols_;
    symbol_names_ = dynamic_names_;
  }
  return true;
}

Section ElfFile::section(Text name) const {
  for (size_t i = 0; i < headers_.size / sizeof(Elf64_Shdr); ++i) {
    const auto header = entry<Elf64_Shdr>(headers_, i);
    if (!(text_at(names_, header.sh_name) == name)) continue;
    if (header.sh_type == SHT_NOBITS || (header.sh_flags & SHF_COMPRESSED) != 0) return {};
    if (!lies_in(header.sh_offset, header.sh_size, size_)) return {};
    return {data_ + header.sh_offset, static_cast<size_t>(header.sh_size)};
  }
  return {};
}

bool ElfFile::names(Text name) const {
  for (size_t i = 0; i < dynamic_symbols_.size / sizeof(Elf64_Sym); ++i) {
    if (text_at(dynamic_names_, entry<Elf64_Sym>(dynamic_symbols_, i).st_name) == name) return true;
  }
  return false;
}

bool ElfFile::find_symbol(uint64_t address, Kind kind, Symbol& symbol) const {
  const unsigned wanted = kind == Kind::kFunction ? STT_FUNC : STT_OBJECT;
  for (size_t i = 0; i < symbols_.size / sizeof(Elf64_Sym); ++i) {
    const auto at = entry<Elf64_Sym>(symbols_, i);
    if (ELF64_ST_TYPE(at.st_info) != wanted || at.st_shndx == SHN_UNDEF) continue;
    if (address < at.st_value || address - at.st_value >= at.st_size) continue;
    symbol = {at.st_value, at.st_size, text_at(symbol_names_, at.st_name)};
    return true;
  }
  return false;
}

}  // namespace norn::debug_info
