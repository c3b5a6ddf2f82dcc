// Files by their names, where a name may mean what a recorded run found there (runtime/inputs/). Who opens one by
// `open` and the like is in descriptors.cc.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/inputs/inputs.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/mode.h"

using namespace norn::rt;

namespace {

template <class Open>
FILE* open_stream(const char* path, const char* mode, Open open) {
  if (!inputs::is_concerned()) return open(path);
  const inputs::Path where(AT_FDCWD, path, inputs::Path::flags_of(mode));
  FILE* file = open(where.text());
  where.opened(file == nullptr ? -1 : file->_fileno);
  return file;
}

// What a link leads to stands for the link: files in memory are none.
template <class Look>
int look_at(int directory, const char* path, Look look) {
  if (!inputs::is_concerned()) return look(path, false);
  const inputs::Path where(directory, path, inputs::kLookedAt);
  const int result = look(where.text(), where.text() != path);
  where.looked_at(result == 0);
  return result;
}

}  // namespace

NORN_INTERPOSE(FILE*, fopen, (const char* path, const char* mode)) {
  if (!has_started()) return nullptr;
  return open_stream(path, mode, [=](const char* where) { return real_fopen(where, mode); });
}

NORN_INTERPOSE(FILE*, fopen64, (const char* path, const char* mode)) {
  if (!has_started()) return nullptr;
  return open_stream(path, mode, [=](const char* where) { return real_fopen64(where, mode); });
}

NORN_INTERPOSE(FILE*, freopen, (const char* path, const char* mode, FILE* file)) {
  if (!has_started()) return nullptr;
  if (path == nullptr) return real_freopen(path, mode, file);
  return open_stream(path, mode, [=](const char* where) { return real_freopen(where, mode, file); });
}

NORN_INTERPOSE(FILE*, freopen64, (const char* path, const char* mode, FILE* file)) {
  if (!has_started()) return nullptr;
  if (path == nullptr) return real_freopen64(path, mode, file);
  return open_stream(path, mode, [=](const char* where) { return real_freopen64(where, mode, file); });
}

NORN_INTERPOSE(int, stat, (const char* path, struct stat* status)) {
  if (!has_started()) return -1;
  return look_at(AT_FDCWD, path, [=](const char* where, bool) { return real_stat(where, status); });
}

NORN_INTERPOSE(int, stat64, (const char* path, struct stat64* status)) {
  if (!has_started()) return -1;
  return look_at(AT_FDCWD, path, [=](const char* where, bool) { return real_stat64(where, status); });
}

NORN_INTERPOSE(int, lstat, (const char* path, struct stat* status)) {
  if (!has_started()) return -1;
  return look_at(AT_FDCWD, path, [=](const char* where, bool replayed) {
    return replayed ? real_stat(where, status) : real_lstat(where, status);
  });
}

NORN_INTERPOSE(int, lstat64, (const char* path, struct stat64* status)) {
  if (!has_started()) return -1;
  return look_at(AT_FDCWD, path, [=](const char* where, bool replayed) {
    return replayed ? real_stat64(where, status) : real_lstat64(where, status);
  });
}

NORN_INTERPOSE(int, fstatat, (int directory, const char* path, struct stat* status, int flags)) {
  if (!has_started()) return -1;
  return look_at(directory, path, [=](const char* where, bool replayed) {
    return real_fstatat(directory, where, status, replayed ? 0 : flags);
  });
}

NORN_INTERPOSE(int, fstatat64, (int directory, const char* path, struct stat64* status, int flags)) {
  if (!has_started()) return -1;
  return look_at(directory, path, [=](const char* where, bool replayed) {
    return real_fstatat64(directory, where, status, replayed ? 0 : flags);
  });
}

NORN_INTERPOSE(int, statx, (int directory, const char* path, int flags, unsigned wanted, struct statx* status)) {
  if (!has_started()) return -1;
  return look_at(directory, path, [=](const char* where, bool replayed) {
    return real_statx(directory, where, replayed ? 0 : flags, wanted, status);
  });
}

NORN_INTERPOSE(int, access, (const char* path, int how)) {
  if (!has_started()) return -1;
  return look_at(AT_FDCWD, path, [=](const char* where, bool) { return real_access(where, how); });
}

NORN_INTERPOSE(int, faccessat, (int directory, const char* path, int how, int flags)) {
  if (!has_started()) return -1;
  return look_at(directory, path,
                 [=](const char* where, bool) { return real_faccessat(directory, where, how, flags); });
}
