#include "runtime/process/serve.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "base/text.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "schedule/serving.h"

namespace norn::rt {
namespace {

using schedule::ForkServerAnswer;
using schedule::ForkServerHello;
using schedule::kForkServerRequest;
using schedule::kForkServerTexts;

constexpr Text kVariable = "NORN_OPTIONS=";
constexpr Text kServe = "NORN_OPTIONS=serve=";

// The entry of the environment that has the options; null: there is none.
char** find_options(char** environment) {
  for (; environment != nullptr && *environment != nullptr; ++environment)
    if (Text(*environment).starts_with(kVariable)) return environment;
  return nullptr;
}

// What the C library told the kernel of this thread, and a copy has to tell it again.
struct ThreadFacts {
  int* tid = nullptr;
  void* robust_list = nullptr;
  size_t robust_size = 0;

  [[nodiscard]] bool find() {
    return sys::call(__NR_prctl, PR_GET_TID_ADDRESS, sys::as_long(&tid)) == 0 && tid != nullptr &&
           sys::call(__NR_get_robust_list, 0, sys::as_long(&robust_list), sys::as_long(&robust_size)) == 0;
  }
};

// The C library's fork() without what only matters if threads or handlers could be there.
long make_copy(const ThreadFacts& facts) {
  constexpr long kFlags = CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
  const long result = sys::call(__NR_clone, kFlags, 0, 0, sys::as_long(facts.tid), 0);
  if (result == 0 && facts.robust_list != nullptr) {
    sys::call(__NR_set_robust_list, sys::as_long(facts.robust_list), static_cast<long>(facts.robust_size));
  }
  return result;
}

// The ends of the texts in a request. False: it is none.
bool find_texts(char* request, long size, char* (&texts)[kForkServerTexts]) {
  size_t count = 0;
  for (long i = 0; i < size && count < kForkServerTexts; ++i)
    if (i == 0 || request[i - 1] == '\0') texts[count++] = request + i;
  return count == kForkServerTexts && request[size - 1] == '\0';
}

void open_as(int wanted, const char* path, int flags) {
  const long fd = sys::call(__NR_open, sys::as_long(path), flags, 0600);
  if (sys::failed(fd)) refuse("cannot open ", Text(path));
  if (fd == wanted) return;
  sys::call(__NR_dup2, fd, wanted);
  sys::close_file(static_cast<int>(fd));
}

void begin_run(char* const (&texts)[kForkServerTexts], char** options) {
  sys::call(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL);
  sys::call(__NR_setpgid, 0, 0);
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
  open_as(0, texts[1], O_RDONLY);
  open_as(1, texts[2], kWrite);
  open_as(2, texts[3], kWrite);
  *options = texts[0];
}

}  // namespace

bool is_to_serve(char** environment) {
  char** options = find_options(environment);
  return options != nullptr && Text(*options).starts_with(kServe);
}

void serve_forks(char** environment) {
  char** options = find_options(environment);
  int socket = 0;
  for (const char* c = *options + kServe.size; *c >= '0' && *c <= '9'; ++c) socket = socket * 10 + (*c - '0');
  ThreadFacts facts;
  if (!facts.find()) sys::exit_process(2);
  static constinit char request[kForkServerRequest] = {};
  ForkServerHello hello;
  hello.pid = sys::pid();
  sys::call(__NR_sendto, socket, sys::as_long(&hello), sizeof(hello), MSG_NOSIGNAL);
  for (;;) {
    long size = 0;
    do size = sys::call(__NR_recvfrom, socket, sys::as_long(request), sizeof(request));
    while (size == sys::kInterrupted);
    char* texts[kForkServerTexts] = {};
    if (size <= 0 || !find_texts(request, size, texts)) sys::exit_process(0);
    const long copy = make_copy(facts);
    if (copy == 0) {
      sys::close_file(socket);
      return begin_run(texts, options);
    }
    ForkServerAnswer answer;
    (sys::failed(copy) ? answer.error : answer.pid) = static_cast<int32_t>(sys::failed(copy) ? -copy : copy);
    sys::call(__NR_sendto, socket, sys::as_long(&answer), sizeof(answer), MSG_NOSIGNAL);
  }
}

}  // namespace norn::rt
