// What a program asks of a report while it is made (__tsan_on_report): ThreadSanitizer's functions over norn's
// own model of a race.
//
// norn has no program counters: it knows sites. A trace is an array of their addresses, and __sanitizer_symbolize_pc
// (sanitizer.cc) knows them. The size of a trace is a number of entries, as in ThreadSanitizer's implementation.
#include "core/candidate.h"
#include "report/race.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/interpose.h"
#include "runtime/memory/blocks.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/locate.h"
#include "runtime/reporting/reporter.h"

using namespace norn;
using namespace norn::rt;

namespace {

constexpr unsigned long kAccesses = 2;

const CurrentReport* as_report(const void* report) { return static_cast<const CurrentReport*>(report); }

const RacingAccess& access_of(const CurrentReport& report, unsigned long index) {
  return index == 0 ? report.candidate->first.later : report.candidate->first.earlier;
}

void copy_trace(StackId where, void** trace, unsigned long size) {
  unsigned long count = 0;
  for_each_site(where, [&](const norn_site& site) {
    if (count == size) return false;
    trace[count++] = const_cast<norn_site*>(&site);
    return true;
  });
}

template <class T>
void put(T* place, T value) {
  if (place != nullptr) *place = value;
}

const char* type_of(report::LocationKind kind) {
  switch (kind) {
    case report::LocationKind::kGlobal:
      return "global";
    case report::LocationKind::kHeap:
      return "heap";
    case report::LocationKind::kStack:
      return "stack";
    case report::LocationKind::kTls:
      return "tls";
    default:
      return "unknown";
  }
}

const report::LockHeld* lock_of(const CurrentReport& report, unsigned long index) {
  for (const report::Access& access : report.race->accesses) {
    if (index < access.locks.size) return &access.locks[index];
    index -= access.locks.size;
  }
  return nullptr;
}

}  // namespace

NORN_EXPORT void* __tsan_get_current_report(void) { return const_cast<CurrentReport*>(current_report()); }

NORN_EXPORT int __tsan_get_report_data(void* report, const char** description, int* count, int* stacks, int* accesses,
                                       int* locations, int* mutexes, int* threads, int* unique_threads, void** sleep,
                                       unsigned long sleep_size) {
  const CurrentReport& now = *as_report(report);
  put(description, "data-race");
  put(count, static_cast<int>(now.race->count));
  put(stacks, 0);
  put(accesses, 2);
  put(locations, 1);
  put(mutexes, static_cast<int>(now.race->accesses[0].locks.size + now.race->accesses[1].locks.size));
  put(threads, 2);
  put(unique_threads, 2);
  if (sleep != nullptr && sleep_size != 0) sleep[0] = nullptr;
  return 1;
}

NORN_EXPORT int __tsan_get_report_tag(void* /*report*/, uintptr_t* tag) {
  put(tag, uintptr_t{0});
  return 1;
}

// All stacks of a race belong to an access, a location or a thread.
NORN_EXPORT int __tsan_get_report_stack(void* /*report*/, unsigned long /*index*/, void** /*trace*/,
                                        unsigned long /*size*/) {
  return 0;
}

NORN_EXPORT int __tsan_get_report_mop(void* report, unsigned long index, int* thread, void** address, int* size,
                                      int* write, int* atomic, void** trace, unsigned long trace_size) {
  if (index >= kAccesses) return 0;
  const CurrentReport& now = *as_report(report);
  const RacingAccess& access = access_of(now, index);
  const report::Access& described = now.race->accesses[index];
  put(thread, static_cast<int>(access.thread));
  put(address, reinterpret_cast<void*>(now.candidate->first.address));
  put(size, static_cast<int>(described.size));
  put(write, described.op == report::Op::kRead || described.op == report::Op::kAtomicRead ? 0 : 1);
  put(atomic, described.op == report::Op::kAtomicRead || described.op == report::Op::kAtomicWrite ? 1 : 0);
  copy_trace(access.where, trace, trace_size);
  return 1;
}

NORN_EXPORT int __tsan_get_report_loc(void* report, unsigned long index, const char** type, void** address,
                                      void** begin, unsigned long* size, int* thread, int* file, int* suppressable,
                                      void** trace, unsigned long trace_size) {
  if (index != 0) return 0;
  const report::Location& location = as_report(report)->race->location;
  put(type, type_of(location.kind));
  put(address, reinterpret_cast<void*>(location.address));
  put(begin, reinterpret_cast<void*>(location.address - location.offset));
  put(size, static_cast<unsigned long>(location.object_size));
  put(thread, location.has_owner ? static_cast<int>(location.owner) : 0);
  put(file, 0);
  put(suppressable, 0);
  if (Block block; location.kind == report::LocationKind::kHeap && find_block(location.address, block)) {
    copy_trace(block.where, trace, trace_size);
  }
  return 1;
}

NORN_EXPORT int __tsan_get_report_loc_object_type(void* /*report*/, unsigned long index, const char** type) {
  put(type, "");
  return index == 0 ? 1 : 0;
}

NORN_EXPORT int __tsan_get_report_mutex(void* report, unsigned long index, uint64_t* id, void** address, int* destroyed,
                                        void** trace, unsigned long trace_size) {
  const report::LockHeld* lock = lock_of(*as_report(report), index);
  if (lock == nullptr) return 0;
  put(id, uint64_t{index});
  put(address, reinterpret_cast<void*>(lock->address));
  put(destroyed, 0);
  if (trace_size != 0) trace[0] = nullptr;
  return 1;
}

NORN_EXPORT int __tsan_get_report_thread(void* report, unsigned long index, int* thread, uint64_t* system_thread,
                                         int* running, const char** name, int* parent, void** trace,
                                         unsigned long trace_size) {
  if (index >= kAccesses) return 0;
  const ThreadId id = access_of(*as_report(report), index).thread;
  const ThreadInfo* info = thread_info(id);
  put(thread, static_cast<int>(id));
  put(system_thread, uint64_t{0});
  put(running, info != nullptr && !info->ended ? 1 : 0);
  put(name, info == nullptr ? "" : info->name);
  put(parent, info == nullptr ? 0 : static_cast<int>(info->parent));
  if (info != nullptr) copy_trace(info->created_at, trace, trace_size);
  return 1;
}

NORN_EXPORT int __tsan_get_report_unique_tid(void* report, unsigned long index, int* thread) {
  if (index >= kAccesses) return 0;
  put(thread, static_cast<int>(access_of(*as_report(report), index).thread));
  return 1;
}

// --- about addresses, for debuggers ------------------------------------------------------------------------------

NORN_EXPORT const char* __tsan_locate_address(uintptr_t address, char* name, size_t name_size, uintptr_t* begin,
                                              size_t* size) {
  const Inspection here;
  if (!here) return "unknown";
  static constinit SpinMutex mutex;
  static constinit char texts[4096] = {};
  const SpinLock lock(mutex);
  TextPool pool(texts, sizeof(texts));
  report::Location location;
  if (name_size != 0) name[0] = '\0';
  if (locate_global(address, 1, location, pool)) {
    size_t length = 0;
    for (; length + 1 < name_size && length < location.object.size; ++length) name[length] = location.object[length];
    if (name_size != 0) name[length] = '\0';
    put(begin, uintptr_t{address - location.offset});
    put(size, size_t{location.object_size});
    return type_of(location.kind);
  }
  if (Block block; find_block(address, block)) {
    put(begin, uintptr_t{block.address});
    put(size, size_t{block.size});
    return "heap";
  }
  return "unknown";
}

NORN_EXPORT int __tsan_get_alloc_stack(uintptr_t address, uintptr_t* trace, size_t size, int* thread,
                                       uint64_t* system_thread) {
  const Inspection here;
  Block block;
  if (!here || !find_block(address, block)) return 0;
  copy_trace(block.where, reinterpret_cast<void**>(trace), size);
  put(thread, static_cast<int>(block.thread));
  put(system_thread, uint64_t{0});
  return 1;
}
