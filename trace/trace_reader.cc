#include "trace/trace_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace norn::trace {
namespace {

bool read_at(int fd, void* into, size_t size, uint64_t offset) {
  auto* bytes = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t got = pread(fd, bytes, size, static_cast<off_t>(offset));
    if (got <= 0) {
      if (got < 0 && errno == EINTR) continue;
      return false;
    }
    bytes += got;
    size -= static_cast<size_t>(got);
    offset += static_cast<uint64_t>(got);
  }
  return true;
}

constexpr std::string_view kRaw = ".raw";
constexpr std::string_view kTrace = ".trace";

}  // namespace

// --- tables ------------------------------------------------------------------------------------------------------

const SiteEntry* Tables::site(uint32_t number) const {
  const auto found = sites.find(number);
  return found == sites.end() ? nullptr : &found->second;
}

const StackEntry* Tables::stack(StackId id) const {
  if (id == kNoStack) return nullptr;
  const auto found = stacks.find(id);
  return found == stacks.end() ? nullptr : &found->second;
}

void Tables::add_missing(const Tables& other) {
  // Sites are numbered anew in each file; stacks are not.
  constexpr uint32_t kOthers = 1u << 31;
  for (const auto& [number, entry] : other.sites) {
    SiteEntry moved = entry;
    moved.number = number | kOthers;
    if (moved.inlined != 0) moved.inlined = ((moved.inlined - 1) | kOthers) + 1;
    sites.emplace(moved.number, moved);
  }
  for (const auto& [id, entry] : other.stacks) {
    StackEntry moved = entry;
    moved.site |= kOthers;
    stacks.emplace(id, moved);
  }
  threads.insert(other.threads.begin(), other.threads.end());
  variables.insert(other.variables.begin(), other.variables.end());
}

// --- files -------------------------------------------------------------------------------------------------------

std::unique_ptr<TraceFile> TraceFile::open(const std::string& path, std::string& error) {
  std::unique_ptr<TraceFile> file(new TraceFile);
  file->path_ = path;
  file->fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (file->fd_ < 0 || fstat(file->fd_, &status) != 0) {
    error = path + " cannot be read: " + std::strerror(errno);
    return nullptr;
  }
  file->size_ = static_cast<uint64_t>(status.st_size);
  FileHeader header;
  if (!S_ISREG(status.st_mode) || file->size_ < sizeof(header) || !read_at(file->fd_, &header, sizeof(header), 0) ||
      std::memcmp(header.magic, kMagic, sizeof(header.magic)) != 0) {
    error = path + " is not a trace of norn";
    return nullptr;
  }
  if (header.version < kOldestVersion || header.version > kVersion) {
    error = path + " is a trace of version " + std::to_string(header.version) + "; this norn reads versions " +
            std::to_string(kOldestVersion) + " to " + std::to_string(kVersion);
    return nullptr;
  }
  if (header.first_chunk < kFileHeader || header.first_chunk > kMappedHeader) {
    error = path + " is damaged: its first chunk is nowhere";
    return nullptr;
  }
  file->chunks_.clear();
  file->find_chunks();
  file->read_tables();
  return file;
}

TraceFile::~TraceFile() {
  if (fd_ >= 0) close(fd_);
}

void TraceFile::find_chunks() {
  FileHeader header;
  if (!read_at(fd_, &header, sizeof(header), 0)) return;
  uint64_t at = header.first_chunk;
  while (at + kChunkHeader <= size_) {
    Chunk chunk;
    if (!read_at(fd_, &chunk.header, sizeof(chunk.header), at)) break;
    const ChunkHeader& found = chunk.header;
    if (found.magic == 0) return;  // there was no more
    if (found.magic != kChunkMagic || found.stored > kMaxStored || found.used > kMaxUsed ||
        static_cast<uint8_t>(found.kind) > static_cast<uint8_t>(ChunkKind::kEvents) ||
        (found.flags & ~(kCompressed | kUntimedAccesses)) != 0) {
      damage_ = "there is no chunk at byte " + std::to_string(at);
      return;
    }
    chunk.offset = at + kChunkHeader;
    chunk.available = static_cast<uint32_t>(std::min<uint64_t>(found.stored, size_ - chunk.offset));
    if (chunk.available < found.stored) damage_ = "the file is shorter than it was";
    chunks_.push_back(chunk);
    at = chunk.offset + found.stored;
  }
  if ((at < size_ || size_ < header.size) && damage_.empty()) damage_ = "the file is shorter than it was";
}

bool TraceFile::read(const Chunk& chunk, std::vector<uint8_t>& bytes) const {
  bytes.clear();
  const bool compressed = (chunk.header.flags & kCompressed) != 0;
  const size_t wanted = compressed ? chunk.header.stored : chunk.header.used;
  std::vector<uint8_t> stored(std::min<size_t>(wanted, chunk.available));
  if (!read_at(fd_, stored.data(), stored.size(), chunk.offset)) return false;
  if (!compressed) {
    bytes = std::move(stored);
    return bytes.size() == chunk.header.used;
  }
  bytes.resize(chunk.header.used);
  const size_t got = ZSTD_decompress(bytes.data(), bytes.size(), stored.data(), stored.size());
  if (ZSTD_isError(got) != 0 || got != chunk.header.used) {
    bytes.clear();
    return false;
  }
  return true;
}

Text TraceFile::keep(Text text) {
  if (text.empty()) return {};
  const std::string& kept = tables_.texts->emplace_back(text.data, text.size);
  return {kept.data(), kept.size()};
}

void TraceFile::read_tables() {
  for (const Chunk& chunk : chunks_)
    if (chunk.header.kind == ChunkKind::kTable) read_table(chunk);
}

void TraceFile::read_table(const Chunk& chunk) {
  std::vector<uint8_t> bytes;
  if (!read(chunk, bytes)) damage_ = "a table cannot be read";
  ByteReader reader(bytes.data(), bytes.size());
  TableItem item;
  Read status = Read::kEnd;
  bool ok = true;
  while (ok && (status = next_table_item(reader, item)) == Read::kItem) {
    switch (item.kind) {
      case TableKind::kProcess: {
        std::vector<Text> command(TableWriter::kMaxParts);
        ProcessEntry entry;
        ok = trace::read(item.body, entry, command.data(), command.size());
        if (!ok) break;
        entry.program = keep(entry.program);
        entry.directory = keep(entry.directory);
        entry.options = keep(entry.options);
        entry.origin = keep(entry.origin);
        command.resize(entry.command.size);
        for (Text& word : command) word = keep(word);
        tables_.command = std::move(command);
        entry.command = {tables_.command.data(), tables_.command.size()};
        tables_.process = entry;
        break;
      }
      case TableKind::kSite: {
        SiteEntry entry;
        ok = trace::read(item.body, entry);
        if (!ok) break;
        for (Text* text : {&entry.file, &entry.directory, &entry.function, &entry.expression, &entry.module})
          *text = keep(*text);
        tables_.sites[entry.number] = entry;
        break;
      }
      case TableKind::kStack: {
        StackEntry entry;
        ok = trace::read(item.body, entry);
        if (ok) tables_.stacks[entry.id] = entry;
        break;
      }
      case TableKind::kThread: {
        ThreadEntry entry;
        ok = trace::read(item.body, entry);
        if (!ok) break;
        entry.name = keep(entry.name);
        tables_.threads[entry.id] = entry;
        break;
      }
      case TableKind::kVariable: {
        Variable variable;
        variable.members.resize(TableWriter::kMaxParts);
        ok = trace::read(item.body, variable.entry, variable.members.data(), variable.members.size());
        if (!ok) break;
        variable.members.resize(variable.entry.members.size);
        VariableEntry& entry = variable.entry;
        for (Text* text : {&entry.name, &entry.file, &entry.directory, &entry.module}) *text = keep(*text);
        for (MemberEntry& member : variable.members) member.path = keep(member.path);
        Variable& kept = tables_.variables[entry.address] = std::move(variable);
        kept.entry.members = {kept.members.data(), kept.members.size()};
        break;
      }
      case TableKind::kEnd: {
        EndEntry entry;
        ok = trace::read(item.body, entry);
        if (ok) tables_.end = entry;
        break;
      }
      case TableKind::kStopped: {
        const Text why = item.body.text();
        tables_.stopped.assign(why.data == nullptr ? "" : why.data, why.size);
        break;
      }
      default:
        break;  // of a later version
    }
  }
  if (!ok || status == Read::kDamaged) damage_ = "a table is damaged";
}

// --- merging -----------------------------------------------------------------------------------------------------

Merge::Merge(const TraceFile& file) : file_(file), cut_(file.damage()), damaged_(!cut_.empty()) {
  std::unordered_map<uint32_t, size_t> numbers;
  for (size_t i = 0; i < file.chunks().size(); ++i) {
    const TraceFile::Chunk& chunk = file.chunks()[i];
    if (chunk.header.kind != ChunkKind::kEvents) continue;
    const auto [found, is_new] = numbers.emplace(chunk.header.stream, streams_.size());
    if (is_new) streams_.emplace_back();
    streams_[found->second].chunks.push_back(i);
  }
  for (size_t i = 0; i < streams_.size(); ++i)
    if (advance(i)) heads_.push(head_of(i));
}

bool Merge::advance(size_t number) {
  StreamState& stream = streams_[number];
  for (;;) {
    switch (stream.reader.next(stream.head)) {
      case Read::kItem:
        return true;
      case Read::kDamaged:
        damaged_ = true;
        return false;
      case Read::kEnd:
        break;
    }
    if (stream.at == stream.chunks.size()) {
      stream.bytes = {};
      return false;
    }
    const TraceFile::Chunk& chunk = file_.chunks()[stream.chunks[stream.at++]];
    if (!file_.read(chunk, stream.bytes)) damaged_ = true;
    stream.reader = ItemReader(stream.bytes.data(), stream.bytes.size(), chunk.header.thread, chunk.header.timestamp,
                               (chunk.header.flags & kUntimedAccesses) != 0);
  }
}

bool Merge::choose() {
  if (heads_.empty()) return current_ != kNone;
  if (current_ != kNone) {
    const Head head = head_of(current_);
    if (!(head < heads_.top())) return true;
    heads_.push(head);
  }
  current_ = heads_.top().stream;
  heads_.pop();
  return true;
}

bool Merge::next(Item& item) {
  if (ended_) return false;
  const bool any = choose();
  if (!any || streams_[current_].head.timestamp != expected_) {
    ended_ = true;
    if (any) damaged_ = true;
    if (damaged_)
      cut_ = "the trace is cut after event " + std::to_string(expected_) + (cut_.empty() ? "" : ": " + cut_);
    return false;
  }
  item = streams_[current_].head;
  if (!item.untimed) ++expected_;
  if (!advance(current_)) current_ = kNone;
  return true;
}

// --- compression -------------------------------------------------------------------------------------------------

bool compress_trace(const std::string& raw, std::string& error) {
  const std::unique_ptr<TraceFile> file = TraceFile::open(raw, error);
  if (!file) return false;
  const std::string base = raw.ends_with(kRaw) ? raw.substr(0, raw.size() - kRaw.size()) : raw;
  const std::string made = base + std::string(kTrace);
  const std::string unfinished = made + ".new";
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  FileHeader header;
  out.write(reinterpret_cast<const char*>(&header), sizeof(header));
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> packed(ZSTD_compressBound(kMaxUsed));
  for (const TraceFile::Chunk& chunk : file->chunks()) {
    if (!file->read(chunk, bytes)) continue;
    constexpr int kLevel = 3;
    const size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kLevel);
    if (ZSTD_isError(size) != 0) {
      error = raw + " cannot be compressed: " + ZSTD_getErrorName(size);
      return false;
    }
    ChunkHeader changed = chunk.header;
    changed.flags |= kCompressed;
    changed.stored = static_cast<uint32_t>(size);
    out.write(reinterpret_cast<const char*>(&changed), sizeof(changed));
    out.write(reinterpret_cast<const char*>(packed.data()), static_cast<std::streamsize>(size));
  }
  header.size = static_cast<uint64_t>(out.tellp());
  out.seekp(0);
  out.write(reinterpret_cast<const char*>(&header), sizeof(header));
  out.close();
  std::error_code code;
  if (!out) {
    error = unfinished + " cannot be written; the trace stays as the program wrote it";
    std::filesystem::remove(unfinished, code);
    return false;
  }
  std::filesystem::rename(unfinished, made, code);
  if (code) {
    error = made + " cannot be written: " + code.message();
    return false;
  }
  std::filesystem::remove(raw, code);
  return true;
}

std::vector<std::string> traces_in(const std::string& directory) {
  std::vector<std::string> found;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(directory, code)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(kTrace) || name.ends_with(kRaw)) found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  // What is there twice was being compressed.
  std::erase_if(found, [&](const std::string& path) {
    if (!path.ends_with(kRaw)) return false;
    const std::string other = path.substr(0, path.size() - kRaw.size()) + std::string(kTrace);
    return std::filesystem::exists(other, code);
  });
  return found;
}

}  // namespace norn::trace
