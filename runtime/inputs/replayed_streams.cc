// Connections to others, in a run where there are no others: each leads to a socket of the runtime's own, which gives
// what the others gave, as soon as the program has written as much as it had then. So everything that waits for
// descriptors waits for real ones, in any schedule.
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/sink.h"
#include "base/spin_mutex.h"
#include "runtime/control/decisions.h"
#include "runtime/control/turn.h"
#include "runtime/control/written_files.h"
#include "runtime/inputs/inputs.h"
#include "runtime/inputs/peers.h"
#include "runtime/inputs/replayed_inputs.h"
#include "runtime/intercept/signals.h"
#include "runtime/process/settings.h"
#include "runtime/process/state.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/reporter.h"

namespace norn::rt::inputs {
namespace {

using schedule::InputKind;
using schedule::InputRecord;

// What is to come, in the order of the recorded run.
struct Event {
  const InputRecord* record = nullptr;
  const char* bytes = nullptr;
  uint64_t sent = 0;  // of its bytes
  uint32_t next = 0;  // of its stream; 0: none
  bool is_done = false;
};

struct Stream {
  uint32_t opening = 0;  // its first event; 0: there is no such stream
  uint32_t next = 0;     // what comes next; 0: nothing
  int other = -1;        // the runtime's end
  bool is_gone = false;  // it leads into the program itself, or nobody can open it any more
};

constinit Event* events = nullptr;  // from 1
constinit uint32_t event_count = 0;
constinit uint32_t done_up_to = 1;    // all before it are done
constinit Stream* streams = nullptr;  // from 1
constinit uint32_t stream_count = 0;
constinit bool ends_by_itself = false;
constinit uint32_t quiet = 0;  // times nobody could go on since something came

constinit SpinMutex mutex;  // of what follows, which interceptors use; the scheduler's is taken first, if at all

struct Bound {
  int fd = 0;
  socklen_t size = 0;
  sockaddr_storage address{};
};
constinit Bound bounds[kMostListeners];
constinit uint32_t bound_count = 0;

Bound* bound_of(int fd) {
  for (uint32_t i = 0; i < bound_count; ++i)
    if (bounds[i].fd == fd) return &bounds[i];
  return nullptr;
}

constinit int gate = -1;  // where the program's own connections arrive

long size_of_family() { return static_cast<long>(sizeof(sa_family_t)); }

long unix_socket(int flags) { return sys::call(__NR_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0); }

// A name of its own that no file has.
bool bind_anywhere(int fd) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  return sys::call(__NR_bind, fd, sys::as_long(&address), size_of_family()) == 0;
}

// What the runtime's end of a stream is called, so that the program's is known by it.
socklen_t name_of_stream(uint32_t stream, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  Buffer buffer(address.sun_path + 1, sizeof(address.sun_path) - 1);
  buffer.sink().put("norn.");
  buffer.sink().put(Decimal(sys::pid()).text());
  buffer.sink().put('.');
  buffer.sink().put(Decimal(stream).text());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + buffer.text().size);
}

// 0: none.
uint32_t stream_named(const sockaddr_un& address, socklen_t size) {
  if (size <= offsetof(sockaddr_un, sun_path) + 1) return 0;
  const Text name(address.sun_path + 1, size - offsetof(sockaddr_un, sun_path) - 1);
  for (uint32_t i = 1; i <= stream_count; ++i) {
    sockaddr_un own;
    const socklen_t own_size = name_of_stream(i, own);
    if (own_size == size && Text(own.sun_path + 1, name.size) == name) return i;
  }
  return 0;
}

int descriptor_of_listener(uint64_t number) {
  for (int fd = 0; fd < kMostDescriptors; ++fd)
    if (descriptors[fd].listener.load(std::memory_order_relaxed) == number + 1) return fd;
  return -1;
}

void done(Event& event) {
  event.is_done = true;
  ++control::outcome->inputs_came;
  while (done_up_to <= event_count && events[done_up_to].is_done) ++done_up_to;
}

// Somebody connects. False: the program does not listen there.
bool open_stream(uint32_t number) {
  Stream& stream = streams[number];
  Event& event = events[stream.opening];
  if (listen_calls.load(std::memory_order_acquire) <= event.record->number) return false;
  const int listener = descriptor_of_listener(event.record->number);
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (listener < 0 || sys::call(__NR_getsockname, listener, sys::as_long(&address), sys::as_long(&size)) != 0) {
    return false;
  }
  const long made = unix_socket(SOCK_NONBLOCK);
  if (sys::failed(made)) return false;
  const int other = moved_up(static_cast<int>(made));
  sockaddr_un own;
  const socklen_t own_size = name_of_stream(number, own);
  if (sys::call(__NR_bind, other, sys::as_long(&own), own_size) != 0 ||
      sys::call(__NR_connect, other, sys::as_long(&address), size) != 0) {
    sys::close_file(other);
    return false;
  }
  stream.other = other;
  done(event);
  return true;
}

// As much of it as there is room for.
bool send_event(Stream& stream, Event& event) {
  const InputRecord& record = *event.record;
  if (record.kind == InputKind::kEnd) {
    constexpr long kNoMore = 1;  // SHUT_WR
    sys::call(__NR_shutdown, stream.other, kNoMore);
  }
  const uint64_t before = event.sent;
  while (record.kind == InputKind::kData && event.sent < record.size) {
    const long sent = sys::call(__NR_sendto, stream.other, sys::as_long(event.bytes + event.sent),
                                static_cast<long>(record.size - event.sent), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent == -EAGAIN) return event.sent > before;
    if (sys::failed(sent)) break;  // the program has closed its end
    event.sent += static_cast<uint64_t>(sent);
  }
  stream.next = event.next;
  done(event);
  return true;
}

bool all_written(const InputRecord& record) { return written_to_all.load(std::memory_order_relaxed) >= record.before; }

// The run was ended from outside when it had got as far as this.
[[noreturn]] void end_run() {
  control::outcome->ended = 1;
  finish_report(0);
  sys::exit_process(0);
}

// One event, if its time has come; `anyway`: whatever the program has written.
bool come(uint32_t number, bool anyway) {
  Event& event = events[number];
  if (event.is_done) return false;
  const InputRecord& record = *event.record;
  if (record.kind == InputKind::kSignal) {
    if (!anyway && (done_up_to != number || !all_written(record))) return false;
    done(event);
    if (!has_handler(static_cast<int>(record.number))) end_run();
    sys::call(__NR_kill, sys::pid(), static_cast<long>(record.number));
    return true;
  }
  Stream& stream = streams[record.stream];
  if (record.kind == InputKind::kAccepted) {
    return (anyway || (done_up_to == number && all_written(record))) && open_stream(record.stream);
  }
  if (record.kind == InputKind::kConnected || stream.other < 0 || stream.next != number) return false;
  if (!anyway && written[record.stream].load(std::memory_order_relaxed) < record.before) return false;
  return send_event(stream, event);
}

bool come_next() {
  for (uint32_t i = done_up_to; i <= event_count; ++i)
    if (come(i, true)) return true;
  return false;
}

bool is_over() { return done_up_to > event_count; }

void skip(Event& event) { event.is_done = true; }

void add(const InputRecord& record, const char* bytes) {
  Event& event = events[++event_count];
  event.record = &record;
  event.bytes = bytes;
  const bool begins =
      record.kind == InputKind::kPipe || record.kind == InputKind::kAccepted || record.kind == InputKind::kConnected;
  const bool belongs = record.kind == InputKind::kData || record.kind == InputKind::kEnd;
  if (record.stream > stream_count) return skip(event);
  Stream& stream = streams[record.stream];
  if (begins) {
    stream.opening = event_count;
    if (record.kind == InputKind::kPipe) {
      add_pipe(record.stream, {bytes, record.size});
      stream.is_gone = true;
    }
  }
  if (record.kind == InputKind::kInside) {
    stream.is_gone = true;
    for (uint32_t i = 1; i <= event_count; ++i)
      if (events[i].record->stream == record.stream) skip(events[i]);
  }
  if (record.kind == InputKind::kExit) ends_by_itself = true;
  if (belongs && stream.is_gone) {
    if (record.kind == InputKind::kData) add_to_pipe(record.stream, {bytes, record.size});
    return skip(event);
  }
  if (belongs && stream.opening != 0) {
    uint32_t* last = &stream.next;
    if (*last != 0) {
      uint32_t at = *last;
      while (events[at].next != 0) at = events[at].next;
      last = &events[at].next;
    }
    *last = event_count;
    return;
  }
  if (record.kind != InputKind::kAccepted && record.kind != InputKind::kConnected && record.kind != InputKind::kSignal)
    skip(event);
}

const InputRecord* opening_of(int fd) {
  const uint32_t stream = stream_of(fd);
  return stream == 0 || streams[stream].opening == 0 ? nullptr : events[streams[stream].opening].record;
}

void give_address(const void* address, size_t known, sockaddr* to, socklen_t room, socklen_t* size) {
  if (size == nullptr) return;
  const size_t given = known < room ? known : room;
  for (size_t i = 0; to != nullptr && i < given; ++i) {
    reinterpret_cast<char*>(to)[i] = static_cast<const char*>(address)[i];
  }
  *size = static_cast<socklen_t>(known);
}

uint16_t port_of(const sockaddr* address, size_t size) {
  if (address->sa_family == AF_INET && size >= sizeof(sockaddr_in))
    return reinterpret_cast<const sockaddr_in*>(address)->sin_port;
  if (address->sa_family == AF_INET6 && size >= sizeof(sockaddr_in6))
    return reinterpret_cast<const sockaddr_in6*>(address)->sin6_port;
  return 0;
}

// A descriptor of the program itself that listens there; -1: none.
int own_listener(const sockaddr* to, socklen_t size) {
  const uint16_t port = port_of(to, size);
  for (uint32_t i = 0; i < bound_count; ++i) {
    if (descriptors[bounds[i].fd].listener.load(std::memory_order_relaxed) == 0) continue;
    const auto* address = reinterpret_cast<const sockaddr*>(&bounds[i].address);
    if (port != 0 && port_of(address, bounds[i].size) == port) return bounds[i].fd;
  }
  return -1;
}

uint32_t recorded_connection(const sockaddr* to, socklen_t size) {
  const Text wanted(reinterpret_cast<const char*>(to), size);
  for (uint32_t i = 1; i <= stream_count; ++i) {
    const Stream& stream = streams[i];
    if (stream.opening == 0 || stream.is_gone || stream.other >= 0) continue;
    const Event& event = events[stream.opening];
    if (event.record->kind != InputKind::kConnected || event.is_done) continue;
    if (Text(event.bytes, event.record->size) == wanted) return i;
  }
  return 0;
}

int result_of(long result) {
  if (!sys::failed(result)) return static_cast<int>(result);
  errno = static_cast<int>(-result);
  return -1;
}

int connect_to_recorded(int fd, uint32_t stream) {
  if (gate < 0) {
    const long made = unix_socket(0);
    constexpr long kWaiting = 16;
    if (sys::failed(made) || !bind_anywhere(static_cast<int>(made)) || sys::call(__NR_listen, made, kWaiting) != 0) {
      errno = ECONNREFUSED;
      return -1;
    }
    gate = moved_up(static_cast<int>(made));
  }
  sockaddr_un address{};
  socklen_t size = sizeof(address);
  sys::call(__NR_getsockname, gate, sys::as_long(&address), sys::as_long(&size));
  const long result = sys::call(__NR_connect, fd, sys::as_long(&address), size);
  if (sys::failed(result)) return result_of(result);
  const long other = sys::call(__NR_accept4, gate, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (sys::failed(other)) return result_of(-ECONNREFUSED);
  streams[stream].other = moved_up(static_cast<int>(other));
  descriptors[fd].stream.store(stream, std::memory_order_relaxed);
  done(events[streams[stream].opening]);
  return 0;
}

}  // namespace

void start_replaying() {
  const Text path = rt::start.settings.inputs;
  if (path.empty()) return;
  size_t size = 0;
  const auto* file = static_cast<const char*>(control::map_file(path, size, false));
  uint32_t count = 0;
  const bool is_one = schedule::visit_inputs(file, size, [&](const InputRecord& record, const char*) {
    ++count;
    if (record.stream > stream_count && record.stream < kMostStreams) stream_count = record.stream;
  });
  if (!is_one) refuse("not a file of inputs: ", path);
  events = static_cast<Event*>(memory.allocate_zeroed((count + 1) * sizeof(Event)));
  streams = static_cast<Stream*>(memory.allocate_zeroed((stream_count + 1) * sizeof(Stream)));
  if (events == nullptr || streams == nullptr || !make_files(count))
    refuse("there is no memory for the inputs in ", path);
  for (uint32_t i = 1; i <= stream_count; ++i) streams[i].other = -1;
  schedule::visit_inputs(file, size, [](const InputRecord& record, const char* bytes) {
    add_file(record, bytes);
    add(record, bytes);
  });
  while (done_up_to <= event_count && events[done_up_to].is_done) ++done_up_to;
  for (uint32_t i = 1; i <= event_count; ++i) control::outcome->inputs += events[i].is_done ? 0 : 1;
  open_standard_input();
  [[maybe_unused]] const bool is_seen = intercept_stdio();  // where it is not, nothing of its was kept
  replaying = true;
}

void come() {
  if (is_over()) return;
  bool came = come(done_up_to, false);
  for (uint32_t i = 1; i <= stream_count; ++i)
    while (streams[i].next != 0 && come(streams[i].next, false)) came = true;
  if (came) quiet = 0;
}

bool come_to_idle() {
  constexpr uint32_t kPatience = 16;  // whoever sleeps may still write what is waited for
  constexpr uint32_t kPatienceAtTheEnd = 64;
  if (is_over() && ends_by_itself) return false;
  if (++quiet < (is_over() ? kPatienceAtTheEnd : kPatience)) return false;
  quiet = 0;
  if (come_next()) return true;
  if (!ends_by_itself) end_run();
  return false;
}

bool come_to_stop() {
  quiet = 0;
  if (come_next()) return true;
  if (!ends_by_itself) end_run();
  return false;
}

void note_difference(Text what, Text detail) {
  char* words = control::outcome->inputs_differ;
  if (words[0] != '\0') return;
  Buffer buffer(words, sizeof(control::outcome->inputs_differ) - 1);
  const ThreadState* self = current_state;
  buffer.sink().put("thread ");
  buffer.sink().put(Decimal(self == nullptr ? 0 : self->id).text());
  buffer.sink().put(": ");
  buffer.sink().put(what);
  buffer.sink().put(detail);
}

bool replays_write(int fd, const iovec* buffers, size_t count, ssize_t& result) {
  const uint32_t stream = stream_of(fd);
  if (stream == 0) return false;
  size_t size = 0;
  for (size_t i = 0; i < count; ++i) {
    control::note_sent(stream, {static_cast<const char*>(buffers[i].iov_base), buffers[i].iov_len});
    size += buffers[i].iov_len;
  }
  result = static_cast<ssize_t>(size);
  return true;
}

bool replays_sendfile(int to, int from, off64_t* offset, size_t size, ssize_t& result) {
  if (!replaying || stream_of(to) == 0) return false;
  char bytes[4096];
  size_t done = 0;
  while (done < size) {
    const auto most = static_cast<long>(size - done < sizeof(bytes) ? size - done : sizeof(bytes));
    const long got = offset != nullptr ? sys::call(__NR_pread64, from, sys::as_long(bytes), most, *offset)
                                       : sys::call(__NR_read, from, sys::as_long(bytes), most);
    if (sys::failed(got) && done == 0) return result = result_of(got), true;
    if (sys::failed(got) || got == 0) break;
    control::note_sent(stream_of(to), {bytes, static_cast<size_t>(got)});
    done += static_cast<size_t>(got);
    if (offset != nullptr) *offset += got;
  }
  result = static_cast<ssize_t>(done);
  return true;
}

int domain_of_socket(int domain, int type) {
  constexpr int kTypes = 15;
  const bool is_outside = domain == AF_INET || domain == AF_INET6;
  return replaying && is_outside && (type & kTypes) == SOCK_STREAM ? AF_UNIX : domain;
}

void made_socket(int fd, int asked, int domain) {
  if (asked != domain && descriptor(fd) != nullptr) descriptors[fd].stands_for.store(static_cast<uint16_t>(asked));
}

bool replays_option(int fd) {
  const Descriptor* known = descriptor(fd);
  return replaying && known != nullptr && known->stands_for.load(std::memory_order_relaxed) != 0;
}

bool replays_bind(int fd, const sockaddr* to, socklen_t size, int& result) {
  if (!replays_option(fd)) return false;
  const Inspection here;
  const SpinLock lock(mutex);
  result = bind_anywhere(fd) ? 0 : result_of(-EADDRINUSE);
  if (result != 0 || size > sizeof(sockaddr_storage)) return true;
  Bound* bound = bound_of(fd);  // of a socket that had the number before
  if (bound == nullptr && bound_count < kMostListeners) bound = &bounds[bound_count++];
  if (bound == nullptr) return true;
  bound->fd = fd;
  give_address(to, size, reinterpret_cast<sockaddr*>(&bound->address), sizeof(bound->address), &bound->size);
  return true;
}

bool replays_connect(int fd, const sockaddr* to, socklen_t size, int& result) {
  if (!replays_option(fd) || to == nullptr) return false;
  const Inspection here;
  const SpinLock lock(mutex);
  if (const int listener = own_listener(to, size); listener >= 0) {
    sockaddr_un address{};
    socklen_t address_size = sizeof(address);
    sys::call(__NR_getsockname, listener, sys::as_long(&address), sys::as_long(&address_size));
    result = result_of(sys::call(__NR_connect, fd, sys::as_long(&address), address_size));
    return true;
  }
  if (const uint32_t stream = recorded_connection(to, size); stream != 0) {
    result = connect_to_recorded(fd, stream);
    return true;
  }
  note_difference("it connected where the recorded run did not", {});
  result = result_of(-ECONNREFUSED);
  return true;
}

bool replays_name(int fd, bool of_peer, sockaddr* name, socklen_t* size) {
  if (!replays_option(fd) || size == nullptr) return false;
  const Inspection here;
  const SpinLock lock(mutex);
  const socklen_t room = *size;
  const InputRecord* opening = opening_of(fd);
  if (of_peer && opening != nullptr) {
    give_address(opening + 1, opening->size, name, room, size);
    return true;
  }
  if (const Bound* bound = of_peer ? nullptr : bound_of(fd); bound != nullptr) {
    give_address(&bound->address, bound->size, name, room, size);
    return true;
  }
  sockaddr_storage none{};
  none.ss_family = descriptors[fd].stands_for.load(std::memory_order_relaxed);
  give_address(&none, none.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6), name, room, size);
  return true;
}

void replay_accepted(int listener, int fd, sockaddr* from, socklen_t room, socklen_t* size) {
  sockaddr_un peer{};
  socklen_t peer_size = sizeof(peer);
  if (descriptor(fd) == nullptr || descriptor(listener) == nullptr) return;
  if (sys::call(__NR_getpeername, fd, sys::as_long(&peer), sys::as_long(&peer_size)) != 0) return;
  const Inspection here;
  const SpinLock lock(mutex);
  const uint32_t stream = stream_named(peer, peer_size);
  descriptors[fd].stands_for.store(descriptors[listener].stands_for.load());
  descriptors[fd].stream.store(stream, std::memory_order_relaxed);
  const InputRecord* opening = opening_of(fd);
  if (opening != nullptr) give_address(opening + 1, opening->size, from, room, size);
}

}  // namespace norn::rt::inputs
