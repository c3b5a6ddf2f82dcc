#include "runtime/reporting/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/hash.h"
#include "base/sink.h"
#include "core/order/thread.h"
#include "norn/abi.h"
#include "options/judging_options.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/signals.h"
#include "runtime/openmp/openmp.h"
#include "runtime/process/emit.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/reporter.h"
#include "trace/event_log.h"

namespace norn::rt {

constinit bool recording = false;

namespace {

constinit trace::EventLog event_log;
constinit uint32_t region_count = 0;

// --- turns -------------------------------------------------------------------------------------------------------

constinit std::atomic<bool> taken{false};
constinit std::atomic<bool> without_turns{false};  // for good
NORN_TLS __thread unsigned turns = 0;
constexpr uint64_t kPatience = 5000000;  // microseconds

void begin_turn(void* /*context*/) {
  if (without_turns.load(std::memory_order_relaxed)) return;
  if (turns++ != 0) return;
  unsigned tries = 0;
  uint64_t since = 0;
  while (taken.exchange(true, std::memory_order_acquire)) {
    if (++tries % 64 != 0) {
      __builtin_ia32_pause();
      continue;
    }
    sys::yield();
    if (without_turns.load(std::memory_order_relaxed)) return;
    if (tries % (64 * 64) != 0) continue;
    const uint64_t now = sys::now();
    if (since == 0) since = now;
    if (now - since < kPatience) continue;
    event_log.writer().stop("a thread did not come back while it recorded");
    break;
  }
}

void end_turn(void* /*context*/) {
  if (without_turns.load(std::memory_order_relaxed)) return;
  if (--turns == 0) taken.store(false, std::memory_order_release);
}

// --- the file ----------------------------------------------------------------------------------------------------

bool may_grow_to(uint64_t size) {
  rlimit limit{};
  return sys::call(__NR_getrlimit, RLIMIT_FSIZE, sys::as_long(&limit)) == 0 && size <= limit.rlim_cur;
}

// A stream, and what is not in it yet: the locks that its thread took and holds, where to take them brought nothing
// new.
struct OwnStream : trace::Stream {
  static constexpr unsigned kMost = 8;
  unsigned unwritten_count = 0;
  Event unwritten[kMost] = {};
};

uint8_t* map_chunk(const char* path, uint64_t offset) {
  if (sys::restricted.load(std::memory_order_relaxed)) return nullptr;
  if (!may_grow_to(offset + trace::kChunkBytes)) return nullptr;
  const int fd = sys::open_file(path, O_RDWR);
  if (fd < 0) return nullptr;
  // The blocks are there before they are written: a full disk is no fault of the program's.
  long result = sys::call(__NR_fallocate, fd, 0, static_cast<long>(offset), trace::kChunkBytes);
  if (result == -EOPNOTSUPP) result = sys::call(__NR_ftruncate, fd, static_cast<long>(offset + trace::kChunkBytes));
  if (!sys::failed(result)) {
    result =
        sys::call(__NR_mmap, 0, trace::kChunkBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<long>(offset));
  }
  sys::close_file(fd);
  return sys::failed(result) ? nullptr : reinterpret_cast<uint8_t*>(result);
}

trace::EventLog::Made make_file(const char* path, const void* bytes, size_t size) {
  const long fd =
      sys::call(__NR_openat, AT_FDCWD, sys::as_long(path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0644);
  if (fd == -EEXIST) return trace::EventLog::Made::kExists;
  if (sys::failed(fd)) return trace::EventLog::Made::kFailed;
  const bool written = write_all_quietly(static_cast<int>(fd), static_cast<const char*>(bytes), size);
  sys::close_file(static_cast<int>(fd));
  return written ? trace::EventLog::Made::kDone : trace::EventLog::Made::kFailed;
}

constexpr trace::EventLog::Host kHost = {
    .make = &make_file,
    .map = &map_chunk,
    .unmap = [](uint8_t* chunk) { sys::unmap(chunk, trace::kChunkBytes); },
    .new_stream = []() -> trace::Stream* { return memory.create<OwnStream>(); },
};

bool make_file() {
  return event_log.make_file(kHost, start.settings.record, start.pid) == trace::EventLog::Made::kDone;
}

// --- stacks and sites --------------------------------------------------------------------------------------------

// Which are in the tables, by where they stand in memory.
struct KnownSite {
  const norn_site* site;
  uint32_t number;
};
constinit std::atomic<uint64_t>* known_stacks = nullptr;
constinit KnownSite* known_sites = nullptr;  // open addressing
constinit size_t known_capacity = 0;
constinit uint32_t known_count = 0;
constinit uint32_t next_site = 0;
constinit uint32_t unloads_seen = 0;

KnownSite* place_of(KnownSite* sites, size_t capacity, const norn_site* site) {
  for (size_t i = hash_word(reinterpret_cast<uintptr_t>(site) >> 3) >> 20;; ++i) {
    KnownSite& entry = sites[i & (capacity - 1)];
    if (entry.site == site || entry.site == nullptr) return &entry;
  }
}

bool make_room_for_sites() {
  if (known_count * 2 < known_capacity) return true;
  const size_t capacity = known_capacity == 0 ? 1 << 14 : known_capacity * 2;
  auto* sites = static_cast<KnownSite*>(sys::map(capacity * sizeof(KnownSite)));
  if (sites == nullptr) return false;
  for (size_t i = 0; i < known_capacity; ++i)
    if (known_sites[i].site != nullptr) *place_of(sites, capacity, known_sites[i].site) = known_sites[i];
  if (known_sites != nullptr) sys::unmap(known_sites, known_capacity * sizeof(KnownSite));
  known_sites = sites;
  known_capacity = capacity;
  return true;
}

void forget_known_sites() {
  for (size_t i = 0; i < known_capacity; ++i) known_sites[i] = {};
  known_count = 0;
}

Text text_or_nothing(const char* text) { return text == nullptr ? Text() : Text(text); }

uint32_t number_of(trace::EventLog::Tables& tables, const norn_site* site) {
  if (site == nullptr) return 0;
  site = named_site(site);
  // The memory of what was unloaded may have another's sites now.
  if (const uint32_t gone = unloads.load(std::memory_order_relaxed); gone != unloads_seen) {
    unloads_seen = gone;
    forget_known_sites();
  }
  if (!make_room_for_sites()) return 0;
  if (const KnownSite* known = place_of(known_sites, known_capacity, site); known->site != nullptr) {
    return known->number;
  }
  trace::SiteEntry entry;
  entry.inlined = site->inlined_at == nullptr ? 0 : number_of(tables, site->inlined_at) + 1;
  if (!make_room_for_sites()) return 0;
  entry.number = next_site++;
  entry.file = text_or_nothing(site->file);
  entry.directory = text_or_nothing(site->directory);
  entry.function = text_or_nothing(site->function);
  entry.expression = text_or_nothing(site->expression);
  entry.line = site->line;
  entry.column = site->column;
  entry.hash = site->hash;
  entry.kind = site->kind;
  entry.order = site->order;
  entry.size = site->size;
  entry.flags = site->flags;
  entry.module = text_or_nothing(module_of(site));
  tables.put(tables.writer().site(entry));
  *place_of(known_sites, known_capacity, site) = {site, entry.number};
  ++known_count;
  return entry.number;
}

void put_stack(trace::EventLog::Tables& tables, StackId stack) {
  tables.put_stack(stack, [&](StackId at, trace::StackEntry& entry) {
    const StackNode* node = stack_node(at);
    if (node == nullptr) return false;
    entry = {at, node->parent, number_of(tables, node->site.load(std::memory_order_acquire))};
    return true;
  });
}

void know_stack(StackId stack) {
  if (event_log.is_known(stack)) [[likely]]
    return;
  trace::EventLog::Tables tables(event_log);
  put_stack(tables, stack);
}

void put_thread(ThreadId id) {
  const ThreadInfo* info = thread_info(id);
  if (info == nullptr) return;
  trace::EventLog::Tables tables(event_log);
  put_stack(tables, info->created_at);
  tables.put(tables.writer().thread({id, info->parent, info->created_at, info->host, info->stack_begin, info->stack_end,
                                     text_or_nothing(info->name)}));
}

// --- events ------------------------------------------------------------------------------------------------------

void put_item(const trace::Item& item) {
  ThreadState* state = current_state;
  state == nullptr ? event_log.put(item) : event_log.put(state->stream, item);
}

void record_event(void* /*context*/, const Event& event);

constinit Recorder recorder = {nullptr, &record_event, &begin_turn, &end_turn};

// A sampled program is judged by what synchronization orders alone: when it is heard of, in the middle of the
// operation, is enough (docs/design/trace.md). The caller has the turn; whoever waits for it goes on.
void do_without_turns() {
  if (without_turns.load(std::memory_order_relaxed)) return;
  event_log.writer().untime_accesses();
  __atomic_store_n(&recorder.begin, nullptr, __ATOMIC_RELAXED);
  __atomic_store_n(&recorder.end, nullptr, __ATOMIC_RELAXED);
  without_turns.store(true, std::memory_order_release);
}

void put_event(const Event& event) {
  know_stack(event.where);
  trace::Item item;
  item.event = event;
  item.own = trace::may_be_own(event.kind) && is_own_memory(event.address);
  put_item(item);
}

// Whether the event need not be in the trace: the detector found nothing new in it, nor will an analysis, which hears
// all that was new (docs/design/trace.md). A lock that is held is written before the next thing that is, because what
// is accessed under it is said to be; where it is given up before that, it never was taken.
bool is_left_out(const Event& event) {
  ThreadState* state = current_state;
  if (state == nullptr || state->stream == nullptr || state->core->id != event.thread) return false;
  auto& stream = static_cast<OwnStream&>(*state->stream);
  if (state->core->brought_nothing) {
    switch (event.kind) {
      case EventKind::kLockAcquire:
        if (event.where != kNoStack || event.uses || stream.unwritten_count == OwnStream::kMost) break;
        stream.unwritten[stream.unwritten_count++] = event;
        return true;
      case EventKind::kLockRelease:
        for (unsigned i = stream.unwritten_count; i > 0; --i) {
          if (stream.unwritten[i - 1].address != event.address) continue;
          for (--stream.unwritten_count; i <= stream.unwritten_count; ++i)
            stream.unwritten[i - 1] = stream.unwritten[i];
          return true;
        }
        break;
      case EventKind::kUnsampledBefore:
      case EventKind::kUnsampledAfter:
      case EventKind::kRenew:
      case EventKind::kAllocate:
        return true;
      default:
        break;
    }
  }
  for (unsigned i = 0; i < stream.unwritten_count; ++i) put_event(stream.unwritten[i]);
  stream.unwritten_count = 0;
  return false;
}

void record_event(void* /*context*/, const Event& event) {
  if (!event_log.is_writing()) return;
  if (without_turns.load(std::memory_order_relaxed) && is_left_out(event)) return;
  put_event(event);
  if (event.kind == EventKind::kThreadFork || event.kind == EventKind::kForkAfter) [[unlikely]] {
    put_thread(static_cast<ThreadId>(event.other));
  } else if (event.kind == EventKind::kObserveOnly) [[unlikely]] {
    do_without_turns();
  }
}

// The options are what an analysis does if nothing else is said.
bool begin_file(Text origin, uint64_t forked_at) {
  auto* stacks = static_cast<std::atomic<uint64_t>*>(sys::map(trace::EventLog::kStackBytes));
  if (stacks == nullptr || sys::restricted.load(std::memory_order_relaxed) || !make_file()) return false;
  static constinit char bytes[512] = {};
  Buffer list(bytes, sizeof(bytes));
  options::put_judging_options(start.settings, list.sink());
  trace::ProcessEntry entry;
  entry.pid = start.pid;
  entry.parent = start.parent;
  entry.program = start.program;
  entry.directory = start.directory;
  entry.options = list.text();
  entry.command = {start.command, start.command_count};
  entry.origin = origin;
  entry.forked_at = forked_at;
  known_stacks = stacks;
  event_log.begin(stacks, entry);
  return event_log.is_writing();
}

}  // namespace

void start_recording() {
  if (start.settings.record.empty()) return;
  if (!begin_file({}, 0)) refuse("cannot write a trace into ", start.settings.record);
  recording = true;
  emit.set_recorder(recorder);
}

// Nobody else is there, and nobody was in a turn.
void restart_recording() {
  if (!recording) return;
  static constinit char parents_file[NAME_MAX + 1] = {};
  const uint64_t forked_at = event_log.writer().timestamps();
  Buffer name(parents_file, NAME_MAX);
  name.sink().put(event_log.file_name());
  turns = 0;
  taken.store(false, std::memory_order_relaxed);
  event_log.forget();
  for (ThreadState* state = first_state(); state != nullptr; state = state->next) state->stream = nullptr;
  forget_known_sites();
  sys::unmap(known_stacks, trace::EventLog::kStackBytes);
  if (!begin_file(name.text(), forked_at)) {
    return report_note("a forked process could not record: there is no trace of it");
  }
  for (ThreadId id = 1; id < thread_numbers(); ++id) put_thread(id);
  for (const Module* module = first_module(); module != nullptr; module = module->next) record_module(*module);
}

void record_thread(ThreadId id) {
  if (!recording) return;
  const RecordingTurn turn;
  put_thread(id);
}

void record_module(const Module& module) {
  if (!recording || module.tables == nullptr) return;
  static constinit trace::MemberEntry members[trace::TableWriter::kMaxParts] = {};
  const RecordingTurn turn;
  trace::EventLog::Tables tables(event_log);
  const norn_module& contents = *module.tables;
  for (const norn_global* global = contents.globals_begin; global < contents.globals_end; ++global) {
    if (global->name == nullptr || (global->flags & NORN_GLOBAL_THREAD_LOCAL) != 0) continue;
    size_t count = 0;
    for (; count < global->member_count && count < trace::TableWriter::kMaxParts; ++count) {
      const norn_member& member = global->members[count];
      members[count] = {text_or_nothing(member.path), member.offset, member.size, member.stride, member.count};
    }
    tables.put(tables.writer().variable({address_of(global->address),
                                         global->size,
                                         global->name,
                                         text_or_nothing(global->file),
                                         text_or_nothing(global->directory),
                                         global->line,
                                         text_or_nothing(module.path),
                                         {members, count}}));
  }
}

void record_block_begin(const Block& block) {
  if (!recording) return;
  const RecordingTurn turn;
  if (!event_log.is_writing()) return;
  know_stack(block.where);
  put_item(trace::block_item(block.thread, block.where, block.address, block.size, block.quiet, block.birth.time != 0));
}

void record_block_end(Address address) {
  if (!recording) return;
  const RecordingTurn turn;
  put_item(trace::block_end_item(current_state == nullptr ? 0 : current_state->id, address));
}

void record_region(uint32_t* region, trace::RegionStep step, uint64_t depth) {
  const RecordingTurn turn;
  if (!event_log.is_writing()) return;
  if (region != nullptr && __atomic_load_n(region, __ATOMIC_RELAXED) == 0) {
    const trace::EventLog::Tables tables(event_log);
    if (*region == 0) __atomic_store_n(region, ++region_count, __ATOMIC_RELAXED);
  }
  trace::Item item;
  item.kind = trace::ItemKind::kRegion;
  item.step = step;
  item.event.thread = current_state->id;
  item.event.size = region == nullptr ? 0 : *region;
  item.event.other = depth;
  put_item(item);
}

void record_flag(AccessKind kind, Address address, uint64_t size, StackId where) {
  if (!recording || !event_log.is_writing()) return;
  know_stack(where);
  trace::Item item;
  item.kind = trace::ItemKind::kFlag;
  item.event.kind = kind == AccessKind::kAtomicRead ? EventKind::kAtomicLoad : EventKind::kRead;
  item.event.thread = current_state->id;
  item.event.where = where;
  item.event.address = address;
  item.event.size = size;
  put_item(item);
}

void end_recording_of(ThreadState& state) {
  if (!recording || state.stream == nullptr) return;
  const RecordingTurn turn;
  if (state.stream != nullptr) static_cast<OwnStream*>(state.stream)->unwritten_count = 0;
  event_log.give_back(state.stream);
}

void record_end(int exit_status) {
  if (!recording) return;
  trace::EventLog::Tables tables(event_log);
  tables.put(tables.writer().end({exit_status, sys::now() - start.time, event_log.writer().timestamps()}));
}

RecordingTurn::RecordingTurn() {
  if (recording) begin_turn(nullptr);
}
RecordingTurn::~RecordingTurn() {
  if (recording) end_turn(nullptr);
}

}  // namespace norn::rt
