#include "runtime/probe/stacks.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

extern "C" {
struct _Unwind_Context;
// Weak: who has no unwinder gets none by this.
__attribute__((weak)) int _Unwind_Backtrace(int (*visit)(_Unwind_Context*, void*), void* argument);
__attribute__((weak)) uintptr_t _Unwind_GetIP(_Unwind_Context* context);
// Takes no lock (glibc 2.35): it can be asked in a signal's handler.
__attribute__((weak)) int _dl_find_object(void* address, dl_find_object* result) noexcept;
}

namespace norn::probe {
namespace {

constexpr int kGoOn = 0;
constexpr int kStop = 4;
constexpr unsigned kDeepest = 64;

struct Walk {
  uintptr_t innermost;
  Addresses* stack;
  unsigned depth;
  bool found;
};

int visit(_Unwind_Context* context, void* argument) {
  auto* walk = static_cast<Walk*>(argument);
  const uintptr_t at = _Unwind_GetIP(context);
  walk->found |= at == walk->innermost;
  if (walk->found && at != 0) walk->stack->frames[walk->stack->count++] = at;
  return ++walk->depth < kDeepest && walk->stack->count < wire::kFrames ? kGoOn : kStop;
}

uint8_t module_of(wire::Result& result, const char* path) {
  char name[wire::kModuleBytes] = {};
  put_name(path, name, sizeof(name));
  for (uint8_t i = 0; i < result.module_count; ++i) {
    if (strcmp(result.modules[i], name) == 0) return i;
  }
  if (result.module_count == wire::kModules) return wire::kUnknownModule;
  strcpy(result.modules[result.module_count], name);
  return result.module_count++;
}

}  // namespace

Addresses stack_from(const void* innermost) {
  const auto from = reinterpret_cast<uintptr_t>(innermost);
  Addresses stack;
  if (_Unwind_Backtrace != nullptr && _Unwind_GetIP != nullptr) {
    Walk walk{from, &stack, 0, from == 0};
    _Unwind_Backtrace(&visit, &walk);
  }
  if (stack.count == 0 && from != 0) stack.frames[stack.count++] = from;
  return stack;
}

void put_first(Addresses& stack, uintptr_t address) {
  if (stack.count == wire::kFrames) --stack.count;
  for (unsigned i = stack.count; i > 0; --i) stack.frames[i] = stack.frames[i - 1];
  stack.frames[0] = address;
  ++stack.count;
}

void put_stack(wire::Result& result, unsigned side, const Addresses& stack) {
  wire::Stack& to = result.stacks[side];
  to.count = stack.count;
  for (unsigned i = 0; i < stack.count; ++i) {
    dl_find_object found{};
    if (_dl_find_object == nullptr || _dl_find_object(reinterpret_cast<void*>(stack.frames[i]), &found) != 0) {
      to.frames[i] = {wire::kUnknownModule, 0};
      continue;
    }
    const link_map* map = found.dlfo_link_map;
    const bool is_program = map == nullptr || map->l_name == nullptr || map->l_name[0] == '\0';
    const uint8_t module = module_of(result, is_program ? program_name() : map->l_name);
    const uintptr_t base = map == nullptr ? 0 : map->l_addr;
    to.frames[i] = {module, module == wire::kUnknownModule ? 0 : stack.frames[i] - base};
  }
}

void put_name(const char* path, char* to, size_t room) {
  const char* slash = strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  strncpy(to, name, room - 1);
  to[room - 1] = '\0';
}

const char* program_name() {
  const auto* path = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return path == nullptr ? "" : path;
}

}  // namespace norn::probe
