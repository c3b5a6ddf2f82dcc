#include "runtime/intercept/rights.h"

#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "runtime/intercept/interpose.h"
#include "runtime/process/state.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/findings_file.h"

namespace norn::rt {
namespace {

// After it, system calls may be refused, or end the thread or the process.
bool installs_filter(long number, long first) {
  return (number == __NR_prctl && first == PR_SET_SECCOMP) ||
         (number == __NR_seccomp && (first == SECCOMP_SET_MODE_STRICT || first == SECCOMP_SET_MODE_FILTER));
}

// After it, files may be out of reach.
bool changes_files(long number) {
  switch (number) {
    case __NR_setuid:
    case __NR_setreuid:
    case __NR_setresuid:
    case __NR_setfsuid:
    case __NR_capset:
    case __NR_chroot:
    case __NR_pivot_root:
    case __NR_unshare:
    case __NR_setns:
    case __NR_landlock_restrict_self:
      return true;
    default:
      return false;
  }
}

}  // namespace

RightsGivenUp::RightsGivenUp(long number, long first)
    : filters_(installs_filter(number, first) && !sys::restricted.load(std::memory_order_relaxed)) {
  if (!filters_ && !changes_files(number)) return;
  if (const Inspection here; here) reserve_findings();
  // Before the call: a filter may be for all threads.
  if (filters_) sys::restricted.store(true, std::memory_order_relaxed);
}

void RightsGivenUp::done(long result) {
  if (filters_ && result < 0) sys::restricted.store(false, std::memory_order_relaxed);
}

}  // namespace norn::rt

using namespace norn::rt;

NORN_INTERPOSE(int, chroot, (const char* path)) {
  if (!has_started()) return -1;
  const RightsGivenUp rights(__NR_chroot, 0);
  return real_chroot(path);
}

NORN_INTERPOSE(int, setuid, (uid_t user)) {
  if (!has_started()) return -1;
  const RightsGivenUp rights(__NR_setuid, 0);
  return real_setuid(user);
}

NORN_INTERPOSE(int, seteuid, (uid_t user)) {
  if (!has_started()) return -1;
  const RightsGivenUp rights(__NR_setresuid, 0);
  return real_seteuid(user);
}

NORN_INTERPOSE(int, setreuid, (uid_t real, uid_t effective)) {
  if (!has_started()) return -1;
  const RightsGivenUp rights(__NR_setreuid, 0);
  return real_setreuid(real, effective);
}

NORN_INTERPOSE(int, setresuid, (uid_t real, uid_t effective, uid_t saved)) {
  if (!has_started()) return -1;
  const RightsGivenUp rights(__NR_setresuid, 0);
  return real_setresuid(real, effective, saved);
}

NORN_INTERPOSE(int, unshare, (int flags)) {
  if (!has_started()) return -1;
  const RightsGivenUp rights(__NR_unshare, 0);
  return real_unshare(flags);
}

NORN_INTERPOSE(int, setns, (int fd, int kind)) {
  if (!has_started()) return -1;
  const RightsGivenUp rights(__NR_setns, 0);
  return real_setns(fd, kind);
}
