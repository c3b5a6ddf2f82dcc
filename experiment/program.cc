#include "experiment/program.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace norn::experiment {
namespace {

// A file's bytes, with every access checked: the file may be anything. Mapped, because programs can be large.
class Image {
 public:
  explicit Image(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status{};
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      const auto size = static_cast<size_t>(status.st_size);
      void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
      if (memory != MAP_FAILED) bytes_ = {static_cast<const char*>(memory), size};
    }
    if (file >= 0) close(file);
  }
  ~Image() {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  template <class T>
  [[nodiscard]] bool read(uint64_t offset, T& value) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return false;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return true;
  }
  [[nodiscard]] bool holds(uint64_t offset, uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }
  [[nodiscard]] std::string_view c_string(uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const std::string_view rest = bytes_.substr(offset);
    return rest.substr(0, rest.find('\0'));
  }

 private:
  std::string_view bytes_;  // empty: it cannot be read
};

// The compiler leaves a section of sites, which strip(1) keeps; a program that only links an instrumented static
// library still refers to the runtime.
bool is_instrumented(const Image& image, const Elf64_Ehdr& header) {
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  for (size_t i = 0; i < sections.size(); ++i)
    if (!image.read(header.e_shoff + i * sizeof(Elf64_Shdr), sections[i])) return false;
  if (header.e_shstrndx >= sections.size()) return false;
  for (const Elf64_Shdr& section : sections) {
    if (image.c_string(sections[header.e_shstrndx].sh_offset + section.sh_name) == "norn_sites") return true;
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections.size()) continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      if (!image.read(section.sh_offset + at, symbol)) break;
      const std::string_view name = image.c_string(sections[section.sh_link].sh_offset + symbol.st_name);
      if (name.starts_with("__norn_module_init")) return true;
    }
  }
  return false;
}

Linkage linkage_of(const std::string& path) {
  const Image image(path);
  Elf64_Ehdr header;
  if (!image.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return Linkage::kNone;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) return Linkage::kForeign;
  Linkage linkage = Linkage::kStatic;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!image.read(header.e_phoff + i * sizeof(segment), segment)) return Linkage::kDamaged;
    if (segment.p_type == PT_LOAD && !image.holds(segment.p_offset, segment.p_filesz)) return Linkage::kDamaged;
    if (segment.p_type == PT_INTERP) linkage = Linkage::kDynamic;
  }
  return linkage;
}

ProgramKind kind_of(const std::string& path) {
  const Image image(path);
  Elf64_Ehdr header;
  if (!image.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return ProgramKind::kScript;  // or not readable: let the kernel decide
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return ProgramKind::kPlain;
  return is_instrumented(image, header) ? ProgramKind::kInstrumented : ProgramKind::kPlain;
}

// #!/usr/bin/env python3 -u: the words behind the mark, as the kernel would use them; `env` itself is left out, it
// would only start the next one.
std::vector<std::string> interpreter_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line(256, '\0');  // the kernel reads no more
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (!line.starts_with("#!")) return {};
  line.resize(std::min(line.find('\n'), line.size()));
  std::istringstream words(line.substr(2));
  std::vector<std::string> interpreter;
  for (std::string word; words >> word;) interpreter.push_back(word);
  if (interpreter.size() > 1 && interpreter[0].ends_with("/env")) {
    interpreter.erase(interpreter.begin());
    if (interpreter[0] == "-S" && interpreter.size() > 1) interpreter.erase(interpreter.begin());
  }
  return interpreter;
}

bool is_file(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Whatever runs a script is the program; the script is its argument. What runs it may be a script again: the kernel
// follows four.
void find_interpreter(Program& program) {
  constexpr unsigned kMostSteps = 4;
  std::vector<std::string> words;
  Program runs;
  runs.path = program.path;
  for (unsigned step = 0; step < kMostSteps; ++step) {
    std::vector<std::string> line = interpreter_of(runs.path);
    if (line.empty()) return;
    runs = {};
    runs.script = program.path;  // its own interpreter is looked for here
    std::string error;
    if (!find_program(line[0], runs, error)) return;
    line[0] = runs.path;
    words.insert(words.begin(), line.begin(), line.end());
    if (runs.kind == ProgramKind::kScript) continue;
    program.linkage = runs.linkage;
    program.script = program.path;
    program.interpreter = std::move(words);
    return;
  }
}

}  // namespace

bool find_program(const std::string& name, Program& program, std::string& error) {
  if (name.find('/') != std::string::npos) {
    struct stat status{};
    if (stat(name.c_str(), &status) != 0) {
      error = fmt::format("{}: {}", name, std::strerror(errno));
      return false;
    }
    if (S_ISDIR(status.st_mode)) {
      error = fmt::format("{} is a directory, not a program", name);
      return false;
    }
    if (access(name.c_str(), X_OK) != 0) {
      error = fmt::format("{} is not executable; type: chmod +x {}", name, name);
      return false;
    }
    program.path = name;
  } else {
    const char* variable = std::getenv("PATH");
    std::string_view path = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
    while (program.path.empty()) {
      const size_t end = std::min(path.find(':'), path.size());
      const std::string directory(path.substr(0, end));
      const std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
      if (is_file(candidate) && access(candidate.c_str(), X_OK) == 0) program.path = candidate;
      if (end == path.size()) break;
      path.remove_prefix(end + 1);
    }
    if (program.path.empty()) {
      error = is_file(name) ? fmt::format("{}: not found in PATH; for the file here type ./{}", name, name)
                            : fmt::format("{}: not found in PATH", name);
      return false;
    }
  }
  program.kind = kind_of(program.path);
  program.linkage = linkage_of(program.path);
  if (program.kind == ProgramKind::kScript && program.script.empty()) find_interpreter(program);
  return true;
}

bool Program::is_shell_script() const {
  if (interpreter.empty()) return false;
  const std::string_view shell = interpreter[0];
  const std::string_view name = shell.substr(shell.rfind('/') + 1);
  return name == "sh" || name == "bash" || name == "dash" || name == "ksh" || name == "zsh";
}

}  // namespace norn::experiment
