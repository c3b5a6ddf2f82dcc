#include "casebook/builds.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/hash.h"
#include "base/string_sink.h"
#include "base/text_hash.h"
#include "report/whole_file.h"

namespace norn::casebook {
namespace {

// Bytes of a file, empty if they are not all there.
std::string bytes_at(std::ifstream& file, uint64_t offset, uint64_t size) {
  constexpr uint64_t kMost = 1 << 20;  // of headers and notes
  if (size > kMost) return "";
  std::string bytes(size, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  return file ? bytes : "";
}

template <class Header>
bool read_header(std::string_view bytes, size_t offset, Header& header) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(header)) return false;
  std::memcpy(&header, bytes.data() + offset, sizeof(header));
  return true;
}

// The NT_GNU_BUILD_ID of a segment of notes, in hex; empty if there is none.
std::string build_id_in(std::string_view notes) {
  const auto padded = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
  Elf64_Nhdr note{};
  for (size_t at = 0; read_header(notes, at, note);) {
    const uint64_t name = at + sizeof(note);
    const uint64_t description = name + padded(note.n_namesz);
    const uint64_t end = description + padded(note.n_descsz);
    if (end > notes.size()) return "";
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(name, note.n_namesz) == std::string_view("GNU\0", 4)) {
      std::string hex;
      for (const char byte : notes.substr(description, note.n_descsz))
        hex += fmt::format("{:02x}", static_cast<uint8_t>(byte));
      return hex;
    }
    at = end;
  }
  return "";
}

std::string build_id_of(std::ifstream& file) {
  Elf64_Ehdr header{};
  if (!read_header(bytes_at(file, 0, sizeof(header)), 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr))
    return "";
  const std::string segments = bytes_at(file, header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  Elf64_Phdr segment{};
  for (size_t i = 0; read_header(segments, i * sizeof(segment), segment); ++i) {
    if (segment.p_type != PT_NOTE) continue;
    if (std::string id = build_id_in(bytes_at(file, segment.p_offset, segment.p_filesz)); !id.empty()) return id;
  }
  return "";
}

}  // namespace

int64_t Build::key() const { return static_cast<int64_t>(hash_well(text_hash(text_of(mark))) >> 1) | 1; }

std::optional<Build> build_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  const std::string id = build_id_of(file);
  std::error_code error;
  return Build{.mark = id.empty() ? fmt::format("hash:{:016x}", report::hash_of_file(path)) : "build-id:" + id,
               .path = std::filesystem::absolute(path, error).lexically_normal().string(),
               .modified = status.st_mtim.tv_sec};
}

namespace {

// The first line of a file, empty if it cannot be read.
std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// What a reference stands for: a file of its own, or a line of packed-refs (gitrepository-layout(5)).
std::string commit_of_reference(const std::filesystem::path& git, const std::string& name) {
  if (const std::string loose = first_line(git / name); !loose.empty()) return loose;
  std::ifstream packed(git / "packed-refs");
  for (std::string line; std::getline(packed, line);)
    if (line.ends_with(' ' + name)) return line.substr(0, line.find(' '));
  return "";
}

}  // namespace

std::string commit_of(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (fs::path at = directory; !at.empty(); at = at.parent_path()) {
    fs::path git = at / ".git";
    if (fs::exists(git, error)) {
      // Of a work tree that is not the only one, .git is a file that says where its state is.
      constexpr std::string_view kGitDirectory = "gitdir: ", kReference = "ref: ", kCommon = "commondir";
      if (fs::is_regular_file(git, error)) {
        const std::string line = first_line(git);
        if (!line.starts_with(kGitDirectory)) return "";
        git = at / line.substr(kGitDirectory.size());
      }
      std::string commit = first_line(git / "HEAD");
      if (commit.starts_with(kReference)) {
        const std::string common = first_line(git / kCommon);
        commit = commit_of_reference(common.empty() ? git : git / common, commit.substr(kReference.size()));
      }
      return commit.find_first_not_of("0123456789abcdef") == std::string::npos ? commit : "";
    }
    if (at == at.root_path()) break;
  }
  return "";
}

}  // namespace norn::casebook
