// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/tool/tool_recording.h"

#include "core/order/thread.h"
#include "norn/abi.h"
#include "options/judging_options.h"
#include "report/race.h"
#include "trace/trace_writer.h"
#include "valgrind/debug_info/symbols.h"
#include "valgrind/tool/guest_stacks.h"
#include "valgrind/tool/private.h"
#include "valgrind/tool/tool_reporter.h"

namespace norn::vg {
namespace {

constinit bool recording = false;
constinit trace::TraceWriter trace_writer;
constinit trace::TableWriter table;
constinit trace::Stream nobodys_stream;
constinit trace::Stream* idle_streams = nullptr;  // of threads that ended
constinit char trace_path[4096] = {};

// --- the file ----------------------------------------------------------------------------------------------------

// Chunks are mapped where Valgrind has no business, one behind the other; what is not written any more is given back.
constexpr uintptr_t kChunksAt = uintptr_t{3} << 45;
constexpr size_t kMostChunkBytes = size_t{1} << 43;

uint8_t* take_chunk(void* /*context*/, uint64_t number) {
  const Int fd = VG_(fd_open)(trace_path, VKI_O_RDWR, 0);
  if (fd < 0) return nullptr;
  const uint64_t offset = trace::kMappedHeader + number * trace::kChunkBytes;
  const uintptr_t at = kChunksAt + number * trace::kChunkBytes;
  const bool mapped = map_file_exactly(at, trace::kChunkBytes, fd, offset);
  VG_(close)(fd);
  return mapped ? reinterpret_cast<uint8_t*>(at) : nullptr;
}

void give_chunk_back(void* /*context*/, uint8_t* chunk) { unmap_exactly(chunk, trace::kChunkBytes); }

// A process that becomes another by exec has several files.
bool create_file() {
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    Buffer name(trace_path, sizeof(trace_path) - 1);
    name.sink().put(settings().record);
    name.sink().put('/');
    name.sink().put(Decimal(static_cast<uint64_t>(VG_(getpid)())).text());
    if (attempt != 0) {
      name.sink().put('-');
      name.sink().put(Decimal(attempt).text());
    }
    name.sink().put(".raw");
    if (name.overflowed()) return false;
    trace_path[name.text().size] = '\0';
    const SysRes made = VG_(open)(trace_path, VKI_O_RDWR | VKI_O_CREAT | VKI_O_EXCL, 0644);
    if (sr_isError(made)) {
      if (sr_Err(made) == VKI_EEXIST) continue;
      return false;
    }
    const auto fd = static_cast<Int>(sr_Res(made));
    trace::FileHeader header;
    header.first_chunk = trace::kMappedHeader;
    const bool written = VG_(write)(fd, &header, sizeof(header)) == static_cast<Int>(sizeof(header));
    VG_(close)(fd);
    return written;
  }
  return false;
}

Text name_of_file(const char* path) {
  const Text whole(path);
  for (size_t i = whole.size; i > 0; --i)
    if (whole[i - 1] == '/') return whole.part(i);
  return whole;
}

// --- stacks and sites --------------------------------------------------------------------------------------------

// Which are in the trace already.
constexpr size_t kStackBits = size_t{1} << 28;
constinit uint64_t* known_stacks = nullptr;
constinit uint32_t next_site = 0;

// The frames of one instruction; each stack has sites of its own, of which the innermost has the stack's identity.
uint32_t record_site(StackId where, const Place& place) {
  static constinit char bytes[1 << 14] = {};
  static constinit TextPool pool(bytes, sizeof(bytes));
  static constinit report::Frame frames[16] = {};
  const uint64_t identity = place_identity(where);
  pool.clear();
  const size_t count = frames_at(place, frames, 16, pool);
  uint32_t outer = 0;
  for (size_t i = count; i > 0; --i) {
    const report::Frame& frame = frames[i - 1];
    trace::SiteEntry entry;
    entry.number = next_site++;
    entry.file = frame.file;
    entry.directory = frame.directory;
    entry.function = frame.function;
    entry.inlined = outer;
    entry.line = frame.line;
    entry.column = frame.column;
    entry.hash = identity;
    entry.flags = trace::kSiteOfStack | (frame.library ? NORN_SITE_LIBRARY : 0u);
    entry.module = frame.module;
    trace_writer.put(table.site(entry));
    outer = entry.number + 1;
  }
  return outer == 0 ? 0 : outer - 1;
}

void know_stack(StackId stack) {
  while (stack != kNoStack && stack < kStackBits) {
    uint64_t& bits = known_stacks[stack / 64];
    const uint64_t bit = uint64_t{1} << stack % 64;
    if ((bits & bit) != 0) return;
    const Place* place = place_at(stack);
    if (place == nullptr) return;
    bits |= bit;
    const StackId parent = place->parent;
    const uint32_t site = record_site(stack, *place);
    trace_writer.put(table.stack({stack, parent, site}));
    stack = parent;
  }
}

// --- events ------------------------------------------------------------------------------------------------------

trace::Stream& stream_here() {
  if (current == nullptr) return nobodys_stream;
  if (current->stream == nullptr) {
    trace::Stream* stream = idle_streams;
    if (stream != nullptr) {
      idle_streams = stream->next;
    } else {
      stream = memory.create<trace::Stream>();
    }
    current->stream = stream;
  }
  return current->stream == nullptr ? nobodys_stream : *current->stream;
}

void put_thread(::norn::ThreadId id) {
  const ThreadInfo* info = thread_info(id);
  if (info == nullptr) return;
  know_stack(info->created_at);
  // Numbers begin with 0 here, and 0 is nobody there.
  const ::norn::ThreadId host = (info->stack_end == 0 ? id : info->carrier) + 1;
  trace_writer.put(
      table.thread({id, info->parent, info->created_at, host, info->stack_begin, info->stack_end, Text(info->name)}));
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
  if (is_access(event.kind) && current != nullptr && current->openmp != nullptr) {
    const ThreadInfo* info = thread_info(event.thread);
    item.own = info != nullptr && is_own_of(info->carrier, event.address);
  }
  trace_writer.put(stream_here(), item);
}

constexpr Recorder kRecorder = {nullptr, &record_event, nullptr, nullptr};

void begin_file(Text origin, uint64_t forked_at) {
  static constinit char bytes[512] = {};
  trace_writer.begin({nullptr, &take_chunk, &give_chunk_back});
  Buffer list(bytes, sizeof(bytes));
  options::put_judging_options(settings(), list.sink());
  trace::ProcessEntry entry;
  entry.pid = static_cast<uint32_t>(VG_(getpid)());
  entry.parent = static_cast<uint32_t>(VG_(getppid)());
  entry.command = command_line();
  entry.program = entry.command.empty() ? Text("?") : entry.command[0];
  entry.directory = VG_(get_startup_wd)();
  entry.options = list.text();
  entry.origin = origin;
  entry.forked_at = forked_at;
  trace_writer.put(table.process(entry));
}

}  // namespace

const char* start_recording() {
  if (settings().record.empty()) return nullptr;
  known_stacks = static_cast<uint64_t*>(memory.allocate_forever(kStackBits / 8));
  if (known_stacks == nullptr) return "not enough memory to record";
  if (!create_file()) return "cannot write a trace there: ";
  begin_file({}, 0);
  if (!trace_writer.is_writing()) return "cannot write a trace there: ";
  recording = true;
  emit.set_recorder(kRecorder);
  return nullptr;
}

void restart_recording() {
  if (!recording) return;
  static constinit char parents_file[256] = {};
  const uint64_t forked_at = trace_writer.timestamps();
  Buffer name(parents_file, sizeof(parents_file));
  name.sink().put(name_of_file(trace_path));
  // The chunks are the parent's.
  nobodys_stream.chunk = nullptr;
  nobodys_stream.number = 0;
  for (ThreadState* state = first_state(); state != nullptr; state = state->next) state->stream = nullptr;
  idle_streams = nullptr;
  unmap_exactly(reinterpret_cast<void*>(kChunksAt), kMostChunkBytes);
  for (size_t i = 0; i < kStackBits / 64; ++i)
    if (known_stacks[i] != 0) known_stacks[i] = 0;
  if (!create_file()) {
    trace_writer.begin({});
    return add_note("a forked process could not record: there is no trace of it");
  }
  begin_file(name.text(), forked_at);
  for (::norn::ThreadId id = 0; thread_info(id) != nullptr; ++id) put_thread(id);
}

void record_block_begin(const Block& block) {
  if (!recording || !trace_writer.is_writing()) return;
  know_stack(block.where);
  trace::Item item;
  item.kind = trace::ItemKind::kBlock;
  item.born = block.birth.time != 0;
  item.event.thread = block.thread;
  item.event.where = block.where;
  item.event.address = block.address;
  item.event.size = block.size;
  trace_writer.put(stream_here(), item);
}

void record_block_end(Address address) {
  if (!recording) return;
  trace::Item item;
  item.kind = trace::ItemKind::kBlockEnd;
  item.event.thread = current == nullptr ? 0 : current->id;
  item.event.address = address;
  trace_writer.put(stream_here(), item);
}

void record_variable(const report::Location& location) {
  if (!recording || location.kind != report::LocationKind::kGlobal || location.object.empty()) return;
  const report::Frame& declared = location.declared_at;
  trace_writer.put(table.variable({.address = location.address - location.offset,
                                   .size = location.object_size != 0 ? location.object_size : location.size,
                                   .name = location.object,
                                   .file = declared.file,
                                   .directory = declared.directory,
                                   .line = declared.line,
                                   .module = declared.module}));
}

void record_benign(Address address, uint64_t size) {
  if (!recording || current == nullptr) return;
  trace::Item item;
  item.event = {.kind = EventKind::kBenignRange, .thread = current->core->id, .address = address, .size = size};
  trace_writer.put(stream_here(), item);
}

void end_recording_of(ThreadState& state) {
  if (!recording) return;
  put_thread(state.id);
  if (state.stream == nullptr) return;
  state.stream->next = idle_streams;
  idle_streams = state.stream;
  state.stream = nullptr;
}

void record_end(int exit_status) {
  if (!recording) return;
  for (const ThreadState* state = first_state(); state != nullptr; state = state->next) put_thread(state->id);
  trace_writer.put(table.end({exit_status, 0, trace_writer.timestamps()}));
}

}  // namespace norn::vg
