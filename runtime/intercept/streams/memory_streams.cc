#include "runtime/intercept/streams/memory_streams.h"

#include <wchar.h>

#include "runtime/hooks/access_hooks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"

using namespace norn;
using namespace norn::rt;

// As the program calls them.
extern "C" void norn_flockfile_symbol(FILE* file) asm("flockfile");
extern "C" void norn_funlockfile_symbol(FILE* file) asm("funlockfile");

namespace {

struct MemoryStream {
  FILE* file = nullptr;
  void* buffer = nullptr;  // the pointers that the program gave
  size_t* size = nullptr;
  MemoryStream* next = nullptr;
};
constinit SpinMutex mutex;
constinit MemoryStream* streams = nullptr;

// The pointer to it; to null if the stream is no stream in memory. Under the mutex.
MemoryStream** find(FILE* file) {
  MemoryStream** link = &streams;
  while (*link != nullptr && (*link)->file != file) link = &(*link)->next;
  return link;
}

FILE* opened(FILE* file, void* buffer, size_t* size) {
  if (file == nullptr) return file;
  const Inspection here;  // no signal comes meanwhile
  if (!here) return file;
  const SpinLock lock(mutex);
  if (auto* stream = memory.create<MemoryStream>(); stream != nullptr) {
    *stream = {file, buffer, size, streams};
    streams = stream;
  }
  return file;
}

}  // namespace

NORN_INTERPOSE(FILE*, open_memstream, (char** buffer, size_t* size)) {
  if (!has_started()) return nullptr;
  observe_write(buffer, sizeof(*buffer), site_open_memstream);
  observe_write(size, sizeof(*size), site_open_memstream);
  return opened(real_open_memstream(buffer, size), buffer, size);
}

NORN_INTERPOSE(FILE*, open_wmemstream, (wchar_t * *buffer, size_t* size)) {
  if (!has_started()) return nullptr;
  observe_write(buffer, sizeof(*buffer), site_open_wmemstream);
  observe_write(size, sizeof(*size), site_open_wmemstream);
  return opened(real_open_wmemstream(buffer, size), buffer, size);
}

// What the library writes for one thread is written under the stream's lock, so for two it is ordered.
MemoryStreamUse::MemoryStreamUse(FILE* file, const norn_site& site) : file_(nullptr) {
  MemoryStream found;
  {
    const Inspection here;
    if (!here) return;
    const SpinLock lock(mutex);
    const MemoryStream* known = *find(file);
    if (known == nullptr) return;
    found = *known;
  }
  file_ = file;
  norn_flockfile_symbol(file);
  observe_write(found.buffer, sizeof(void*), site);
  observe_write(found.size, sizeof(*found.size), site);
}

void MemoryStreamUse::closes() {
  if (file_ == nullptr) return;
  norn_funlockfile_symbol(file_);
  const Inspection here;
  const SpinLock lock(mutex);
  MemoryStream** link = find(file_);
  MemoryStream* stream = *link;
  file_ = nullptr;
  if (stream == nullptr) return;
  *link = stream->next;
  memory.destroy(stream);
}

MemoryStreamUse::~MemoryStreamUse() {
  if (file_ == nullptr) return;
  norn_funlockfile_symbol(file_);
}
