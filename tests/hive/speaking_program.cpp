// Has a race for norn static to find, and plays a program in the production profile that sees each race it is asked
// about: for norn hive run and simulate. With an argument it says that something orders the two.
#include <elf.h>
#include <link.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "runtime/probe/doorbell.h"
#include "runtime/probe/wire.h"

namespace wire = norn::probe::wire;

int balance = 0;

static int find_build(dl_phdr_info* info, size_t, void* context) {
  auto& hello = *static_cast<wire::Hello*>(context);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (const char* end = at + info->dlpi_phdr[i].p_memsz; at < end;) {
      const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const char* name = at + sizeof(*note);
      const char* bytes = name + ((note->n_namesz + 3) & ~3U);
      if (note->n_type == NT_GNU_BUILD_ID && std::memcmp(name, "GNU", 4) == 0) {
        hello.build_size = static_cast<uint8_t>(note->n_descsz);
        std::memcpy(hello.build, bytes, note->n_descsz);
      }
      at = bytes + ((note->n_descsz + 3) & ~3U);
    }
  }
  return 1;  // the program's own file comes first
}

static void speak(bool ordered) {
  const char* path = std::getenv("NORN_HIVE_SOCKET");
  if (path == nullptr) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
  const int agent = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  if (connect(agent, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) return;
  const int memory = memfd_create("doorbell", MFD_ALLOW_SEALING);
  if (ftruncate(memory, norn::probe::kDoorbellBytes) != 0) return;
  fcntl(memory, F_ADD_SEALS, norn::probe::kDoorbellSeals);
  wire::Hello hello;
  dl_iterate_phdr(find_build, &hello);
  uint8_t bytes[wire::kLargest];
  iovec part{bytes, wire::write(hello, bytes)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  cmsghdr* rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &memory, sizeof(int));
  if (sendmsg(agent, &header, 0) < 0) return;
  pollfd waits{agent, POLLIN, 0};
  wire::Message message;
  if (poll(&waits, 1, 5'000) != 1) return;
  const ssize_t size = recv(agent, bytes, sizeof(bytes), 0);
  if (size <= 0 || !wire::read(bytes, static_cast<size_t>(size), message)) return;
  if (message.type != wire::Type::kTask) return;
  wire::Result result;
  result.task = message.task.task;
  result.round = message.task.round;
  result.kind = ordered ? wire::ResultKind::kNoRace : wire::ResultKind::kRace;
  result.order = ordered ? wire::Order::kNone : message.task.order;
  result.facts = wire::kAllFacts;
  if (send(agent, bytes, wire::write(result, bytes), 0) < 0) return;
  if (send(agent, bytes, wire::write(wire::Bye{}, bytes), 0) < 0) return;
}

int main(int argc, char**) {
  // Never done: the probes that it gets when it is built for production have nothing to say beside it.
  if (argc > 5) {
    std::thread other([] { balance += 1; });
    balance += 2;
    other.join();
  }
  speak(argc > 1);
  return 7;
}
