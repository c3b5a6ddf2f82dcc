#include "image/object_file.h"

#include <ar.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "image/image_record.h"

namespace norn::image {
namespace {

std::string_view text_of(const char* text) { return text == nullptr ? std::string_view() : std::string_view(text); }

std::optional<std::string_view> bytes_of(Elf_Scn* section) {
  const Elf_Data* data = elf_rawdata(section, nullptr);
  if (data == nullptr) return std::nullopt;
  return std::string_view(static_cast<const char*>(data->d_buf), data->d_buf == nullptr ? 0 : data->d_size);
}

void read_functions(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, Object& object) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  std::string file;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr) return;
    const std::string_view name = text_of(elf_strptr(elf, header.sh_link, symbol.st_name));
    const auto type = GELF_ST_TYPE(symbol.st_info);
    if (type == STT_FILE) file = name;
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF || name.empty()) continue;
    const bool local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
    object.functions.push_back({std::string(name), local ? file : std::string()});
  }
}

void read_dynamic(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, Object& object) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, i, &entry) == nullptr || entry.d_tag == DT_NULL) return;
    std::string_view text = text_of(elf_strptr(elf, header.sh_link, entry.d_un.d_val));
    if (entry.d_tag == DT_NEEDED) object.needed.emplace_back(text);
    if (entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH) continue;
    while (!text.empty()) {
      const size_t end = std::min(text.find(':'), text.size());
      object.library_path.emplace_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
}

bool is_bitcode(std::string_view bytes) { return bytes.starts_with("BC\xC0\xDE"); }

Object object_of(Elf* elf, bool with_functions) {
  Object object;
  size_t size = 0;
  if (const char* raw = elf_rawfile(elf, &size); raw != nullptr) object.bytes = {raw, size};
  size_t names = 0;
  GElf_Ehdr file_header;
  if (gelf_getehdr(elf, &file_header) == nullptr || elf_getshdrstrndx(elf, &names) != 0) {
    object.damaged = true;
    return object;
  }
  object.is_shared = file_header.e_type == ET_DYN || file_header.e_type == ET_EXEC;
  size_t sections = 0;
  object.damaged = elf_getshdrnum(elf, &sections) != 0 || (file_header.e_shoff != 0 && sections == 0);
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) {
      object.damaged = true;
      continue;
    }
    const std::string_view name = text_of(elf_strptr(elf, names, header.sh_name));
    if (name == kModuleSection || name == kRecipeSection) {
      const std::optional<std::string_view> bytes = bytes_of(section);
      object.damaged |= !bytes.has_value();
      (name == kModuleSection ? object.modules : object.recipe) = bytes.value_or(std::string_view());
    }
    if (header.sh_type == SHT_SYMTAB) {
      object.has_symbols = true;
      if (with_functions) read_functions(elf, section, header, object);
    }
    if (header.sh_type == SHT_DYNAMIC) read_dynamic(elf, section, header, object);
  }
  return object;
}

}  // namespace

struct ObjectFile::Contents {
  int descriptor = -1;
  Elf* elf = nullptr;
  std::vector<Elf*> members{};
  Contents() = default;
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;
  ~Contents() {
    for (Elf* member : members) elf_end(member);
    if (elf != nullptr) elf_end(elf);
    if (descriptor >= 0) close(descriptor);
  }
};

ObjectFile::ObjectFile() = default;
ObjectFile::~ObjectFile() = default;

bool ObjectFile::read(const std::string& path, bool with_functions, std::string& error) {
  error.clear();
  objects_.clear();
  contents_ = std::make_unique<Contents>();
  elf_version(EV_CURRENT);
  contents_->descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (contents_->descriptor < 0) {
    error = std::strerror(errno);
    return false;
  }
  if (std::error_code code; std::filesystem::is_directory(path, code)) {
    error = std::strerror(EISDIR);
    return false;
  }
  contents_->elf = elf_begin(contents_->descriptor, ELF_C_READ_MMAP, nullptr);
  if (contents_->elf == nullptr) return false;
  is_archive_ = elf_kind(contents_->elf) == ELF_K_AR;
  if (elf_kind(contents_->elf) == ELF_K_ELF) {
    objects_.push_back(object_of(contents_->elf, with_functions));
    return true;
  }
  if (!is_archive_) return false;
  Elf_Cmd command = ELF_C_READ_MMAP;
  while (Elf* member = elf_begin(contents_->descriptor, command, contents_->elf)) {
    contents_->members.push_back(member);
    const Elf_Arhdr* header = elf_getarhdr(member);
    const std::string_view name = header == nullptr ? std::string_view() : text_of(header->ar_name);
    if (elf_kind(member) == ELF_K_ELF) {
      objects_.push_back(object_of(member, with_functions));
      objects_.back().name = name;
    } else if (!name.starts_with('/')) {
      // A member that is LLVM's bitcode (-flto) has its image inside, where only a linker sees it.
      Object object;
      size_t size = 0;
      if (const char* raw = elf_rawfile(member, &size); raw != nullptr) object.bytes = {raw, size};
      if (is_bitcode(object.bytes)) object.modules = std::string_view();
      object.name = name;
      objects_.push_back(std::move(object));
    }
    command = elf_next(member);
  }
  return true;
}

std::vector<std::string> thin_members(const std::string& path) {
  // ar(5): a line of magic, then headers; only the tables of symbols ("/") and of long names ("//") follow theirs.
  std::ifstream file(path, std::ios::binary);
  std::string magic(8, '\0');
  if (!file.read(magic.data(), 8) || magic != "!<thin>\n") return {};
  std::vector<std::string> members;
  std::string long_names;
  ar_hdr header;
  while (file.read(reinterpret_cast<char*>(&header), sizeof header)) {
    const std::string_view field(header.ar_name, sizeof header.ar_name);
    const std::string name(field.substr(0, field.find_last_not_of(' ') + 1));
    if (name == "/" || name == "//" || name == "/SYM64/") {
      std::string table(std::strtoul(header.ar_size, nullptr, 10), '\0');
      if (!file.read(table.data(), static_cast<std::streamsize>(table.size()))) break;
      if (name == "//") long_names = table;
      if (table.size() % 2 == 1) file.ignore();
      continue;
    }
    const bool is_long = name.starts_with('/');
    const size_t at = is_long ? std::strtoul(name.c_str() + 1, nullptr, 10) : 0;
    const std::string& names = is_long ? long_names : name;
    if (at >= names.size()) break;
    const std::filesystem::path member = names.substr(at, names.find(is_long ? "/\n" : "/", at) - at);
    members.push_back((std::filesystem::path(path).parent_path() / member).string());
  }
  return members;
}

}  // namespace norn::image
