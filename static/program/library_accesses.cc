#include "static/program/library_accesses.h"

#include "compiler/analysis/library.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"

namespace norn::statics {
namespace {

// For each argument: r reads, w writes, b both, another letter neither; + alone: does_more().
llvm::StringRef pattern_of(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases("memcpy", "memmove", "mempcpy", "__memcpy_chk", "__memmove_chk", "__mempcpy_chk", "wr")
      .Cases("memset", "bzero", "__memset_chk", "w")
      .Cases("memcmp", "bcmp", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strstr", "strspn", "strcspn", "rr")
      .Cases("strlen", "strnlen", "strchr", "strrchr", "memchr", "memrchr", "atoi", "atol", "puts", "rr")
      .Cases("strcpy", "strncpy", "stpcpy", "strcat", "strncat", "__strcpy_chk", "__strncpy_chk", "__strcat_chk", "wr")
      .Cases("stpncpy", "__stpcpy_chk", "__stpncpy_chk", "__strncat_chk", "wr")
      .Cases("getcwd", "__getcwd_chk", "erand48", "nrand48", "jrand48", "readdir", "readdir64", "mktime", "b")
      .Cases("strtol", "strtoul", "strtoll", "strtoull", "strtod", "strtof", "rw")
      .Cases("localtime_r", "gmtime_r", "asctime_r", "ctime_r", "realpath", "rw")
      .Case("strftime", "w-rr")
      .Case("getline", "bb")
      .Cases("strdup", "strndup", "r")
      .Cases("snprintf", "__snprintf_chk", "vsnprintf", "w-rrrrrrrr")
      .Cases("sprintf", "__sprintf_chk", "wrrrrrrrr")
      .Cases("printf", "__printf_chk", "rrrrrrrr")
      .Cases("fprintf", "__fprintf_chk", "-rrrrrrrr")
      .Cases("fputs", "fwrite", "r")
      .Cases("fgets", "fread", "w")
      .Cases("read", "recv", "recvfrom", "pread", "pread64", "-w")
      .Cases("write", "send", "sendto", "pwrite", "pwrite64", "-r")
      .Cases("poll", "ppoll", "b")
      .Cases("time", "gettimeofday", "w")
      .Cases("clock_gettime", "stat", "fstat", "lstat", "-w")
      .Cases("sscanf", "__isoc99_sscanf", "__isoc23_sscanf", "rrwwwwwww")
      .Cases("fscanf", "__isoc99_fscanf", "__isoc23_fscanf", "-rwwwwwww")
      .Cases("scanf", "__isoc99_scanf", "__isoc23_scanf", "rwwwwwww")
      .Cases("aio_read", "aio_read64", "aio_write", "aio_write64", "lio_listio", "lio_listio64", "+")
      .Cases("readv", "preadv", "preadv64", "preadv2", "preadv64v2", "+")
      .Cases("writev", "pwritev", "pwritev64", "pwritev2", "pwritev64v2", "+")
      .Cases("tsearch", "tdelete", "insque", "remque", "__norn_moves", "+")
      .Default("");
}

// The size that operator delete is told, 0 if none.
uint64_t deleted_size(const llvm::CallBase& call) {
  if (!call.getCalledFunction()->getName().starts_with("_Zd") || call.arg_size() < 2) return 0;
  const auto* size = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
  return size != nullptr && size->getType()->isIntegerTy(64) ? size->getZExtValue() : 0;
}

}  // namespace

std::vector<LibraryAccess> library_accesses(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return {};
  const llvm::StringRef name = callee->getName();
  const compiler::LibraryRole role = compiler::library_role(name);
  if (role == compiler::LibraryRole::kFrees) return {{0, deleted_size(call), true, true}};
  if (role == compiler::LibraryRole::kReallocates) return {{0, 0, true, true}};
  if (name == "munmap") return {{0, 0, true, true}};
  std::vector<LibraryAccess> accesses;
  const llvm::StringRef pattern = pattern_of(name);
  for (unsigned i = 0; i < pattern.size() && i < call.arg_size(); ++i) {
    const llvm::Value* argument = call.getArgOperand(i);
    if (!argument->getType()->isPointerTy() || llvm::isa<llvm::ConstantData>(argument)) continue;
    uint64_t size = 0;
    if (name.starts_with("mem") && call.arg_size() > 2) {
      if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2))) size = number->getZExtValue();
    }
    if (pattern[i] == 'r' || pattern[i] == 'b') accesses.push_back({i, size, false, false});
    if (pattern[i] == 'w' || pattern[i] == 'b') accesses.push_back({i, size, true, false});
  }
  return accesses;
}

bool does_more(llvm::StringRef function) { return pattern_of(function) == "+"; }

}  // namespace norn::statics
