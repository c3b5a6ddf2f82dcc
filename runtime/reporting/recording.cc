#include "runtime/reporting/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/sink.h"
#include "options/judging_options.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/signals.h"
#include "runtime/openmp/openmp.h"
#include "runtime/process/emit.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/reporter.h"
#include "trace/trace_writer.h"

namespace norn::rt {

constinit bool recording = false;

namespace {

constinit trace::TraceWriter trace_writer;
constinit trace::TableWriter table;
constinit trace::Stream nobodys_stream;           // of who has no ThreadState
constinit trace::Stream* idle_streams = nullptr;  // of threads that ended
constinit uint32_t region_count = 0;
constinit char trace_path[PATH_MAX] = {};

// --- turns -------------------------------------------------------------------------------------------------------

constinit std::atomic<bool> taken{false};
NORN_TLS __thread unsigned turns = 0;
constexpr uint64_t kPatience = 5000000;  // microseconds

void begin_turn(void* /*context*/) {
  if (turns++ != 0) return;
  unsigned tries = 0;
  uint64_t since = 0;
  while (taken.exchange(true, std::memory_order_acquire)) {
    if (++tries % 64 != 0) {
      __builtin_ia32_pause();
      continue;
    }
    sys::yield();
    if (tries % (64 * 64) != 0) continue;
    const uint64_t now = sys::now();
    if (since == 0) since = now;
    if (now - since < kPatience) continue;
    trace_writer.stop("a thread did not come back while it recorded");
    break;
  }
}

void end_turn(void* /*context*/) {
  if (--turns == 0) taken.store(false, std::memory_order_release);
}

// --- the file ----------------------------------------------------------------------------------------------------

bool may_grow_to(uint64_t size) {
  rlimit limit{};
  return sys::call(__NR_getrlimit, RLIMIT_FSIZE, sys::as_long(&limit)) == 0 && size <= limit.rlim_cur;
}

uint8_t* take_chunk(void* /*context*/, uint64_t number) {
  if (sys::restricted.load(std::memory_order_relaxed)) return nullptr;
  const uint64_t offset = trace::kMappedHeader + number * trace::kChunkBytes;
  if (!may_grow_to(offset + trace::kChunkBytes)) return nullptr;
  const int fd = sys::open_file(trace_path, O_RDWR);
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

void give_chunk_back(void* /*context*/, uint8_t* chunk) { sys::unmap(chunk, trace::kChunkBytes); }

// 0 or an errno. A process that becomes another by exec has several files.
int create_file() {
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    Buffer name(trace_path, sizeof(trace_path) - 1);
    name.sink().put(start.settings.record);
    name.sink().put('/');
    name.sink().put(Decimal(start.pid).text());
    if (attempt != 0) {
      name.sink().put('-');
      name.sink().put(Decimal(attempt).text());
    }
    name.sink().put(".raw");
    if (name.overflowed()) return ENAMETOOLONG;
    trace_path[name.text().size] = '\0';
    const long fd = sys::call(__NR_openat, AT_FDCWD, sys::as_long(trace_path),
                              O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0644);
    if (fd == -EEXIST) continue;
    if (sys::failed(fd)) return static_cast<int>(-fd);
    trace::FileHeader header;
    header.first_chunk = trace::kMappedHeader;
    const bool written =
        write_all_quietly(static_cast<int>(fd), reinterpret_cast<const char*>(&header), sizeof(header));
    sys::close_file(static_cast<int>(fd));
    return written ? 0 : ENOSPC;
  }
  return EEXIST;
}

Text name_of_file(const char* path) {
  Text name(path);
  for (size_t i = name.size; i > 0; --i)
    if (name[i - 1] == '/') return name.part(i);
  return name;
}

// --- stacks and sites --------------------------------------------------------------------------------------------

// Which are in the trace already.
constexpr size_t kStackBits = size_t{1} << 28;
constinit uint64_t* known_stacks = nullptr;

struct KnownSite {
  const norn_site* site;
  uint32_t number;
};
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

uint32_t number_of(const norn_site* site) {
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
  entry.inlined = site->inlined_at == nullptr ? 0 : number_of(site->inlined_at) + 1;
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
  trace_writer.put(table.site(entry));
  *place_of(known_sites, known_capacity, site) = {site, entry.number};
  ++known_count;
  return entry.number;
}

void know_stack(StackId stack) {
  while (stack != kNoStack && stack < kStackBits) {
    uint64_t& bits = known_stacks[stack / 64];
    const uint64_t bit = uint64_t{1} << stack % 64;
    if ((bits & bit) != 0) return;
    const StackNode* node = stack_node(stack);
    if (node == nullptr) return;
    bits |= bit;
    const uint32_t site = number_of(node->site.load(std::memory_order_acquire));
    trace_writer.put(table.stack({stack, node->parent, site}));
    stack = node->parent;
  }
}

// --- events ------------------------------------------------------------------------------------------------------

trace::Stream& stream_here() {
  ThreadState* state = current_state;
  if (state == nullptr) return nobodys_stream;
  if (state->stream == nullptr) {
    trace::Stream* stream = idle_streams;
    if (stream != nullptr) {
      idle_streams = stream->next;
    } else {
      stream = memory.create<trace::Stream>();
    }
    state->stream = stream;
  }
  return state->stream == nullptr ? nobodys_stream : *state->stream;
}

void put_thread(ThreadId id) {
  const ThreadInfo* info = thread_info(id);
  if (info == nullptr) return;
  know_stack(info->created_at);
  trace_writer.put(table.thread({id, info->parent, info->created_at, info->host, info->stack_begin, info->stack_end,
                                 text_or_nothing(info->name)}));
}

bool is_access(EventKind kind) {
  return kind == EventKind::kRead || kind == EventKind::kWrite || kind == EventKind::kAtomicLoad ||
         kind == EventKind::kAtomicStore || kind == EventKind::kAtomicRmw;
}

void record_event(void* /*context*/, const Event& event) {
  if (!trace_writer.is_writing()) return;
  know_stack(event.where);
  trace::Item item;
  item.event = event;
  item.own = is_access(event.kind) && is_own_memory(event.address);
  trace_writer.put(stream_here(), item);
  if (event.kind == EventKind::kThreadFork || event.kind == EventKind::kForkAfter) {
    put_thread(static_cast<ThreadId>(event.other));
  }
}

constexpr Recorder kRecorder = {nullptr, &record_event, &begin_turn, &end_turn};

// What an analysis does if nothing else is said.
void put_process(Text origin, uint64_t forked_at) {
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
  trace_writer.put(table.process(entry));
}

void begin_file(Text origin, uint64_t forked_at) {
  trace_writer.begin({nullptr, &take_chunk, &give_chunk_back});
  put_process(origin, forked_at);
}

}  // namespace

void start_recording() {
  if (start.settings.record.empty()) return;
  known_stacks = static_cast<uint64_t*>(sys::map(kStackBits / 8));
  if (known_stacks == nullptr) refuse("not enough memory to record");
  if (create_file() != 0) refuse("cannot write a trace into ", start.settings.record);
  begin_file({}, 0);
  if (!trace_writer.is_writing()) refuse("cannot write a trace into ", start.settings.record);
  recording = true;
  emit.set_recorder(kRecorder);
}

// Nobody else is there, and nobody was in a turn.
void restart_recording() {
  if (!recording) return;
  static constinit char parents_file[NAME_MAX + 1] = {};
  const uint64_t forked_at = trace_writer.timestamps();
  Buffer name(parents_file, NAME_MAX);
  name.sink().put(name_of_file(trace_path));
  turns = 0;
  taken.store(false, std::memory_order_relaxed);
  // The chunks are the parent's.
  nobodys_stream.chunk = nullptr;
  nobodys_stream.number = 0;
  for (ThreadState* state = first_state(); state != nullptr; state = state->next) state->stream = nullptr;
  idle_streams = nullptr;
  forget_known_sites();
  sys::unmap(known_stacks, kStackBits / 8);
  known_stacks = static_cast<uint64_t*>(sys::map(kStackBits / 8));
  const bool can_write = known_stacks != nullptr && !sys::restricted.load(std::memory_order_relaxed);
  if (!can_write || create_file() != 0) {
    trace_writer.begin({});
    return report_note("a forked process could not record: there is no trace of it");
  }
  begin_file(name.text(), forked_at);
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
  const norn_module& tables = *module.tables;
  for (const norn_global* global = tables.globals_begin; global < tables.globals_end; ++global) {
    if (global->name == nullptr || (global->flags & NORN_GLOBAL_THREAD_LOCAL) != 0) continue;
    size_t count = 0;
    for (; count < global->member_count && count < trace::TableWriter::kMaxParts; ++count) {
      const norn_member& member = global->members[count];
      members[count] = {text_or_nothing(member.path), member.offset, member.size, member.stride, member.count};
    }
    trace_writer.put(table.variable({address_of(global->address),
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
  if (!trace_writer.is_writing()) return;
  know_stack(block.where);
  trace::Item item;
  item.kind = trace::ItemKind::kBlock;
  item.quiet = block.quiet;
  item.born = block.birth.time != 0;
  item.event.thread = block.thread;
  item.event.where = block.where;
  item.event.address = block.address;
  item.event.size = block.size;
  trace_writer.put(stream_here(), item);
}

void record_block_end(Address address) {
  if (!recording) return;
  const RecordingTurn turn;
  trace::Item item;
  item.kind = trace::ItemKind::kBlockEnd;
  item.event.thread = current_state == nullptr ? 0 : current_state->id;
  item.event.address = address;
  trace_writer.put(stream_here(), item);
}

void record_region(uint32_t* region, trace::RegionStep step, uint64_t depth) {
  const RecordingTurn turn;
  if (!trace_writer.is_writing()) return;
  // Numbers are given in turns.
  if (region != nullptr && *region == 0) *region = ++region_count;
  trace::Item item;
  item.kind = trace::ItemKind::kRegion;
  item.step = step;
  item.event.thread = current_state->id;
  item.event.size = region == nullptr ? 0 : *region;
  item.event.other = depth;
  trace_writer.put(stream_here(), item);
}

void end_recording_of(ThreadState& state) {
  if (!recording || state.stream == nullptr) return;
  const RecordingTurn turn;
  state.stream->next = idle_streams;
  idle_streams = state.stream;
  state.stream = nullptr;
}

void record_end(int exit_status) {
  if (!recording) return;
  trace_writer.put(table.end({exit_status, sys::now() - start.time, trace_writer.timestamps()}));
}

RecordingTurn::RecordingTurn() {
  if (recording) begin_turn(nullptr);
}
RecordingTurn::~RecordingTurn() {
  if (recording) end_turn(nullptr);
}

}  // namespace norn::rt
