// Asynchronous input and output of POSIX. The kernel or the C library uses the buffer from the call that asks for it
// until the operation is complete. So there are two accesses: by who asks, and by who learns first that it is complete.
// Who asks comes before who learns, and who learns first before those who learn later.
//
// Of operations that end in a signal or in a call of the program's there is none: what the signal's handler or the
// function does with the buffer comes after the operation, which nothing here would say.
#include <aio.h>
#include <errno.h>

#include "runtime/control/control.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/hooks/check_state.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"

using namespace norn;
using namespace norn::rt;

namespace {

enum class Operation : uint8_t { kNone, kRead, kWrite };

// An operation that nobody knows to be complete.
struct Pending {
  const void* block;
  void* buffer;
  size_t size;
  Operation operation;
  Pending* next;
};
constinit SpinMutex mutex;
constinit Pending* pending = nullptr;

void use(Operation operation, void* buffer, size_t size, const norn_site& site) {
  if (operation == Operation::kRead) observe_write(buffer, size, site);
  if (operation == Operation::kWrite) observe_read(buffer, size, site);
}

bool take(const void* block, Pending& found) {
  const SpinLock lock(mutex);
  for (Pending** link = &pending; *link != nullptr; link = &(*link)->next) {
    if ((*link)->block != block) continue;
    Pending* taken = *link;
    *link = taken->next;
    found = *taken;
    memory.destroy(taken);
    return true;
  }
  return false;
}

template <class Block>
void asking(const Block* block, Operation operation, const norn_site& site) {
  if (block == nullptr) return;
  begin_watching();  // there is another thread, of the library's
  control::expect_callbacks();
  observe_read(block, sizeof(*block), site);
  const sigevent& end = block->aio_sigevent;
  const bool is_silent = end.sigev_notify == SIGEV_NONE || (end.sigev_notify == SIGEV_SIGNAL && end.sigev_signo == 0);
  auto* const buffer = const_cast<void*>(block->aio_buf);
  if (is_silent) use(operation, buffer, block->aio_nbytes, site);
  Pending old;
  take(block, old);  // it was asked for and nobody wanted to know
  const Inspection here;
  if (!here) return;
  emit.happens_before(here.thread(), address_of(block));
  if (!is_silent) return;
  const SpinLock lock(mutex);
  auto* made = memory.create<Pending>();
  if (made == nullptr) return;
  *made = {block, buffer, block->aio_nbytes, operation, pending};
  pending = made;
}

template <class Block>
void asking_all(Block* const* blocks, int count, const norn_site& site) {
  for (int i = 0; i < count; ++i) {
    if (blocks[i] == nullptr || blocks[i]->aio_lio_opcode == LIO_NOP) continue;
    asking(blocks[i], blocks[i]->aio_lio_opcode == LIO_READ ? Operation::kRead : Operation::kWrite, site);
  }
}

void completed(const void* block, const norn_site& site) {
  if (!is_watching()) return;
  if (const Inspection here; here) emit.happens_after(here.thread(), address_of(block));
  Pending found;
  if (!take(block, found)) return;
  use(found.operation, found.buffer, found.size, site);
  if (const Inspection here; here) emit.happens_before(here.thread(), address_of(block));
}

}  // namespace

NORN_INTERPOSE(int, aio_read, (aiocb * block)) {
  if (!has_started()) return -1;
  asking(block, Operation::kRead, site_aio_read);
  return real_aio_read(block);
}

NORN_INTERPOSE(int, aio_read64, (aiocb64 * block)) {
  if (!has_started()) return -1;
  asking(block, Operation::kRead, site_aio_read64);
  return real_aio_read64(block);
}

NORN_INTERPOSE(int, aio_write, (aiocb * block)) {
  if (!has_started()) return -1;
  asking(block, Operation::kWrite, site_aio_write);
  return real_aio_write(block);
}

NORN_INTERPOSE(int, aio_write64, (aiocb64 * block)) {
  if (!has_started()) return -1;
  asking(block, Operation::kWrite, site_aio_write64);
  return real_aio_write64(block);
}

NORN_INTERPOSE_VERSION(int, lio_listio, "GLIBC_2.34", (int mode, aiocb* const* blocks, int count, sigevent* event)) {
  if (!has_started()) return -1;
  asking_all(blocks, count, site_lio_listio);
  const int result = [&] {
    const control::Outside outside;
    return real_lio_listio(mode, blocks, count, event);
  }();
  for (int i = 0; mode == LIO_WAIT && i < count; ++i) {
    if (blocks[i] != nullptr) completed(blocks[i], site_lio_listio);
  }
  return result;
}

NORN_INTERPOSE_VERSION(int, lio_listio64, "GLIBC_2.34",
                       (int mode, aiocb64* const* blocks, int count, sigevent* event)) {
  if (!has_started()) return -1;
  asking_all(blocks, count, site_lio_listio64);
  const int result = [&] {
    const control::Outside outside;
    return real_lio_listio64(mode, blocks, count, event);
  }();
  for (int i = 0; mode == LIO_WAIT && i < count; ++i) {
    if (blocks[i] != nullptr) completed(blocks[i], site_lio_listio64);
  }
  return result;
}

NORN_INTERPOSE(int, aio_error, (const aiocb* block)) {
  if (!has_started()) return EINVAL;
  const int error = real_aio_error(block);
  if (error != EINPROGRESS) completed(block, site_aio_error);
  return error;
}

NORN_INTERPOSE(int, aio_error64, (const aiocb64* block)) {
  if (!has_started()) return EINVAL;
  const int error = real_aio_error64(block);
  if (error != EINPROGRESS) completed(block, site_aio_error64);
  return error;
}

NORN_INTERPOSE(ssize_t, aio_return, (aiocb * block)) {
  if (!has_started()) return -1;
  completed(block, site_aio_return);
  return real_aio_return(block);
}

NORN_INTERPOSE(ssize_t, aio_return64, (aiocb64 * block)) {
  if (!has_started()) return -1;
  completed(block, site_aio_return64);
  return real_aio_return64(block);
}

NORN_INTERPOSE(int, aio_suspend, (const aiocb* const* blocks, int count, const timespec* timeout)) {
  if (!has_started()) return -1;
  const int result = [&] {
    const control::Outside outside;
    return real_aio_suspend(blocks, count, timeout);
  }();
  for (int i = 0; result == 0 && i < count; ++i) {
    if (blocks[i] != nullptr && real_aio_error(blocks[i]) != EINPROGRESS) completed(blocks[i], site_aio_suspend);
  }
  return result;
}

NORN_INTERPOSE(int, aio_suspend64, (const aiocb64* const* blocks, int count, const timespec* timeout)) {
  if (!has_started()) return -1;
  const int result = [&] {
    const control::Outside outside;
    return real_aio_suspend64(blocks, count, timeout);
  }();
  for (int i = 0; result == 0 && i < count; ++i) {
    if (blocks[i] != nullptr && real_aio_error64(blocks[i]) != EINPROGRESS) completed(blocks[i], site_aio_suspend64);
  }
  return result;
}
