#include "image/recipe.h"

#include <elf.h>

#include "image/image_record.h"

namespace norn::image {
namespace {

template <class Structure>
std::string_view bytes_of(const Structure& structure) {
  return {reinterpret_cast<const char*>(&structure), sizeof structure};
}

}  // namespace

std::string field_of(const AttachedFile& file) { return file.name + '\0' + file.bytes; }

AttachedFile file_of(std::string_view field) {
  const size_t end = field.find('\0');
  if (end == std::string_view::npos) return {};
  return {std::string(field.substr(0, end)), std::string(field.substr(end + 1))};
}

std::string recipe_object(std::string_view record) {
  // Sections: none, the recipe, an empty list of constructors, the mark that the stack need not be executable, names.
  constexpr size_t kSections = 5;
  std::string names(1, '\0');
  const auto name = [&](const char* text) {
    const auto at = static_cast<Elf64_Word>(names.size());
    names += text;
    names += '\0';
    return at;
  };
  const auto section = [](Elf64_Word at_name, Elf64_Xword flags, Elf64_Word type, size_t offset, size_t size) {
    Elf64_Shdr header{};
    header.sh_name = at_name;
    header.sh_type = type;
    header.sh_flags = flags;
    header.sh_offset = offset;
    header.sh_size = size;
    header.sh_addralign = 1;
    return header;
  };
  const Elf64_Word recipe_name = name(kRecipeSection);
  const Elf64_Word constructors_name = name(".init_array");
  const Elf64_Word stack_name = name(".note.GNU-stack");
  const Elf64_Word names_name = name(".shstrtab");
  const size_t names_at = sizeof(Elf64_Ehdr) + record.size();
  const size_t headers_at = (names_at + names.size() + 7) / 8 * 8;

  Elf64_Ehdr file{};
  std::string_view(ELFMAG).copy(reinterpret_cast<char*>(file.e_ident), SELFMAG);
  file.e_ident[EI_CLASS] = ELFCLASS64;
  file.e_ident[EI_DATA] = ELFDATA2LSB;
  file.e_ident[EI_VERSION] = EV_CURRENT;
  file.e_type = ET_REL;
  file.e_machine = EM_X86_64;
  file.e_version = EV_CURRENT;
  file.e_shoff = headers_at;
  file.e_ehsize = sizeof(Elf64_Ehdr);
  file.e_shentsize = sizeof(Elf64_Shdr);
  file.e_shnum = kSections;
  file.e_shstrndx = kSections - 1;

  std::string object(bytes_of(file));
  object += record;
  object += names;
  object.resize(headers_at, '\0');
  object += bytes_of(Elf64_Shdr{});
  object += bytes_of(section(recipe_name, 0, SHT_PROGBITS, sizeof(Elf64_Ehdr), record.size()));
  // With --gc-sections GNU ld keeps sections that are not loaded only of objects that add something to memory.
  // Constructors are always kept.
  object += bytes_of(section(constructors_name, SHF_ALLOC | SHF_WRITE, SHT_INIT_ARRAY, names_at, 0));
  object += bytes_of(section(stack_name, 0, SHT_PROGBITS, names_at, 0));
  object += bytes_of(section(names_name, 0, SHT_STRTAB, names_at, names.size()));
  return object;
}

}  // namespace norn::image
