#include "compiler/driver/arguments.h"

#include <cstring>
#include <fstream>

namespace norn::compiler {
namespace {

// Options whose value is the next argument. Those not listed here that take one are unknown to clang 19's C, C++ and
// linker options.
constexpr std::string_view kWithValue[] = {
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-F",
    "-T",
    "-B",
    "-z",
    "-e",
    "-u",
    "-h",
    "-A",
    "-G",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xanalyzer",
    "-Xarch_host",
    "-Xarch_device",
    "-Xopenmp-target",
    "-Xcuda-fatbinary",
    "-Xcuda-ptxas",
    "-mllvm",
    "-mmlir",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-isystem-after",
    "-ivfsoverlay",
    "-include-pch",
    "-iframework",
    "-iframeworkwithsysroot",
    "-cxx-isystem",
    "-c-isystem",
    "-framework",
    "-arch",
    "-target",
    "--target",
    "-gcc-toolchain",
    "--gcc-toolchain",
    "--sysroot",
    "--param",
    "-param",
    "-rpath",
    "-soname",
    "-dyld-prefix",
    "-working-directory",
    "-resource-dir",
    "-aux-info",
    "-serialize-diagnostics",
    "--serialize-diagnostics",
    "-dependency-file",
    "-dependency-dot",
    "-plugin-arg",
    "-fplugin-arg",
    "-ccc-gcc-name",
    "-ccc-install-dir",
    "-install_name",
    "-bundle_loader",
    "-undefined",
    "-read_only_relocs",
    "--config",
    "-mthread-model",
    "-segprot",
    "-filelist",
    "-index-store-path",
    "-stdlib++-isystem",
    "-meabi",
    "-allowable_client",
    "-current_version",
    "-compatibility_version",
    "--output",
    "--include",
    "--language",
    "--library-directory",
    "--include-directory",
    "--define-macro",
    "--undefine-macro",
    "--assert",
    "--prefix",
    "-fmodules-user-build-path",
    "-fmodules-cache-path",
    "-main-file-name",
    "--for-linker",
    "-dumpdir",
};

// Splits as GNU tools do: blanks separate, quotes and backslashes protect.
Arguments split(const std::string& text) {
  Arguments words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (strchr(" \t\r\n\v\f", c) != nullptr) {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

Arguments expand_within(const Arguments& arguments, int depth) {
  constexpr int kDeepest = 20;
  Arguments expanded;
  for (const std::string& argument : arguments) {
    if (argument.size() > 1 && argument[0] == '@' && depth < kDeepest) {
      std::ifstream file(argument.substr(1), std::ios::binary);
      if (file) {
        const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        for (std::string& inner : expand_within(split(text), depth + 1)) expanded.push_back(std::move(inner));
        continue;
      }
    }
    expanded.push_back(argument);
  }
  return expanded;
}

}  // namespace

bool takes_value(std::string_view option) { return is_one_of(option, kWithValue); }

Arguments expand(const Arguments& arguments) { return expand_within(arguments, 0); }

}  // namespace norn::compiler
