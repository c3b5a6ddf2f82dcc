#include "compiler/naming/names.h"

#include <cstdlib>
#include <memory>

#include "compiler/naming/type_layout.h"
#include "llvm/Demangle/Demangle.h"

namespace norn::compiler {
namespace {

using Buffer = std::unique_ptr<char, decltype(&std::free)>;

std::string taken(char* text) {
  const Buffer buffer(text, &std::free);
  return buffer == nullptr ? std::string() : std::string(buffer.get());
}

void replace_all(std::string& text, llvm::StringRef from, llvm::StringRef to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// The standard library's inline namespaces and default arguments are not what anybody wrote.
std::string as_written(std::string name) {
  for (const char* space : {"std::__cxx11::", "std::__n4861::", "std::__1::"}) replace_all(name, space, "std::");
  replace_all(name, "std::basic_string<char, std::char_traits<char>, std::allocator<char>>", "std::string");
  return name;
}

}  // namespace

std::string function_name(llvm::StringRef symbol) {
  llvm::ItaniumPartialDemangler demangler;
  const std::string mangled = symbol.str();
  if (demangler.partialDemangle(mangled.c_str()) || !demangler.isFunction() || demangler.isSpecialName()) {
    return as_written(llvm::demangle(mangled));
  }
  const std::string name = taken(demangler.getFunctionName(nullptr, nullptr));
  if (name.empty()) return as_written(llvm::demangle(mangled));
  std::string full = name + taken(demangler.getFunctionParameters(nullptr, nullptr));
  if (demangler.hasFunctionQualifiers() && llvm::StringRef(llvm::demangle(mangled)).ends_with(" const")) {
    full += " const";
  }
  return as_written(full);
}

std::string function_name(const llvm::DISubprogram* function) {
  if (!function->getLinkageName().empty()) return function_name(function->getLinkageName());
  return function->getName().str();
}

std::string base_name(llvm::StringRef symbol) {
  llvm::ItaniumPartialDemangler demangler;
  std::string mangled = symbol.str();
  if (demangler.partialDemangle(mangled.c_str()) || !demangler.isFunction()) return mangled;
  return taken(demangler.getFunctionBaseName(nullptr, nullptr));
}

bool is_library_function(const llvm::DISubprogram* function) {
  if (function == nullptr) return false;
  if (is_library_scope(function->getScope())) return true;
  const llvm::StringRef file = function->getFilename();
  return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/") || file.contains("/include/c++/");
}

}  // namespace norn::compiler
