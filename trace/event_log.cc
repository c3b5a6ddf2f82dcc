#include "trace/event_log.h"

#include "base/sink.h"

namespace norn::trace {

EventLog::Made EventLog::make_file(const Host& host, Text directory, uint64_t pid) {
  host_ = host;
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    Buffer name(path_, sizeof(path_) - 1);
    name.sink().put(directory);
    name.sink().put('/');
    name.sink().put(Decimal(pid).text());
    if (attempt != 0) {
      name.sink().put('-');
      name.sink().put(Decimal(attempt).text());
    }
    name.sink().put(".raw");
    if (name.overflowed()) return Made::kFailed;
    path_[name.text().size] = '\0';
    FileHeader header;
    header.first_chunk = kMappedHeader;
    const Made made = host_.make(path_, &header, sizeof(header));
    if (made != Made::kExists) return made;
  }
  return Made::kExists;
}

Text EventLog::file_name() const {
  const Text path(path_);
  for (size_t i = path.size; i > 0; --i)
    if (path[i - 1] == '/') return path.part(i);
  return path;
}

void EventLog::begin(std::atomic<uint64_t>* stacks, const ProcessEntry& process) {
  stacks_ = stacks;
  writer_.begin({this,
                 [](void* context, uint64_t number) {
                   const auto* self = static_cast<EventLog*>(context);
                   return self->host_.map(self->path_, kMappedHeader + number * kChunkBytes);
                 },
                 [](void* context, uint8_t* chunk) { static_cast<EventLog*>(context)->host_.unmap(chunk); }});
  Tables(*this).put(table_.process(process));
}

void EventLog::forget() {
  writer_.begin({});
  nobodys_.chunk = nullptr;
  nobodys_.number = 0;
  idle_ = nullptr;
}

void EventLog::put(Stream*& stream, const Item& item) {
  if (stream == nullptr) [[unlikely]] {
    const SpinLock lock(streams_mutex_);
    stream = idle_;
    if (stream != nullptr) {
      idle_ = stream->next;
    } else {
      stream = host_.new_stream();
    }
  }
  stream == nullptr ? put(item) : writer_.put(*stream, item);
}

void EventLog::put(const Item& item) {
  const SpinLock lock(nobodys_mutex_);
  writer_.put(nobodys_, item);
}

void EventLog::give_back(Stream*& stream) {
  if (stream == nullptr) return;
  const SpinLock lock(streams_mutex_);
  stream->next = idle_;
  idle_ = stream;
  stream = nullptr;
}

Item block_item(ThreadId thread, StackId where, Address address, uint64_t size, bool quiet, bool born) {
  Item item;
  item.kind = ItemKind::kBlock;
  item.quiet = quiet;
  item.born = born;
  item.event.thread = thread;
  item.event.where = where;
  item.event.address = address;
  item.event.size = size;
  return item;
}

Item block_end_item(ThreadId thread, Address address) {
  Item item;
  item.kind = ItemKind::kBlockEnd;
  item.event.thread = thread;
  item.event.address = address;
  return item;
}

}  // namespace norn::trace
