// Functions of the C library that put what they find into memory of the program, or into memory of their own that all
// their callers share.
#include <dirent.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "runtime/hooks/access_hooks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/text_length.h"
#include "runtime/process/mode.h"

using namespace norn;
using namespace norn::rt;

namespace {

void read_text(const char* text, const norn_site& site) {
  if (text != nullptr && is_watching()) observe_read(text, length_of(text) + 1, site);
}

template <class T>
T* wrote(T* result, const norn_site& site) {
  if (result != nullptr) observe_write(result, sizeof(*result), site);
  return result;
}

char* wrote_text(char* text, const norn_site& site) {
  if (text != nullptr && is_watching()) observe_write(text, length_of(text) + 1, site);
  return text;
}

}  // namespace

// --- calendar ----------------------------------------------------------------------------------------------------

NORN_INTERPOSE(tm*, localtime, (const time_t* time)) {
  if (!has_started()) return nullptr;
  observe_read(time, sizeof(*time), site_localtime);
  return wrote(real_localtime(time), site_localtime);
}

NORN_INTERPOSE(tm*, gmtime, (const time_t* time)) {
  if (!has_started()) return nullptr;
  observe_read(time, sizeof(*time), site_gmtime);
  return wrote(real_gmtime(time), site_gmtime);
}

NORN_INTERPOSE(tm*, localtime_r, (const time_t* time, tm* result)) {
  if (!has_started()) return nullptr;
  observe_read(time, sizeof(*time), site_localtime_r);
  return wrote(real_localtime_r(time, result), site_localtime_r);
}

NORN_INTERPOSE(tm*, gmtime_r, (const time_t* time, tm* result)) {
  if (!has_started()) return nullptr;
  observe_read(time, sizeof(*time), site_gmtime_r);
  return wrote(real_gmtime_r(time, result), site_gmtime_r);
}

NORN_INTERPOSE(char*, ctime, (const time_t* time)) {
  if (!has_started()) return nullptr;
  observe_read(time, sizeof(*time), site_ctime);
  return wrote_text(real_ctime(time), site_ctime);
}

NORN_INTERPOSE(char*, ctime_r, (const time_t* time, char* to)) {
  if (!has_started()) return nullptr;
  observe_read(time, sizeof(*time), site_ctime_r);
  return wrote_text(real_ctime_r(time, to), site_ctime_r);
}

NORN_INTERPOSE(char*, asctime, (const tm* time)) {
  if (!has_started()) return nullptr;
  observe_read(time, sizeof(*time), site_asctime);
  return wrote_text(real_asctime(time), site_asctime);
}

NORN_INTERPOSE(char*, asctime_r, (const tm* time, char* to)) {
  if (!has_started()) return nullptr;
  observe_read(time, sizeof(*time), site_asctime_r);
  return wrote_text(real_asctime_r(time, to), site_asctime_r);
}

NORN_INTERPOSE(time_t, mktime, (tm * time)) {
  if (!has_started()) return -1;
  observe_read(time, sizeof(*time), site_mktime);
  const time_t result = real_mktime(time);
  wrote(time, site_mktime);
  return result;
}

NORN_INTERPOSE(size_t, strftime, (char* to, size_t room, const char* format, const tm* time)) {
  if (!has_started()) return 0;
  read_text(format, site_strftime);
  observe_read(time, sizeof(*time), site_strftime);
  const size_t size = real_strftime(to, room, format, time);
  if (size != 0) observe_write(to, size + 1, site_strftime);
  return size;
}

// --- texts -------------------------------------------------------------------------------------------------------

// The message may be one that the library has; the buffer is the call's all the same.
NORN_INTERPOSE(char*, strerror_r, (int error, char* to, size_t room)) {
  if (!has_started()) return to;
  char* message = real_strerror_r(error, to, room);
  if (room > 0) observe_write(to, message == to ? length_of(to, room - 1) + 1 : 1, site_strerror_r);
  return message;
}

NORN_INTERPOSE(int, __xpg_strerror_r, (int error, char* to, size_t room)) {
  if (!has_started()) return -1;
  const int result = real___xpg_strerror_r(error, to, room);
  if (room > 0) observe_write(to, length_of(to, room - 1) + 1, site___xpg_strerror_r);
  return result;
}

NORN_INTERPOSE(char*, getcwd, (char* to, size_t room)) {
  if (!has_started()) return nullptr;
  return wrote_text(real_getcwd(to, room), site_getcwd);
}

NORN_INTERPOSE(char*, realpath, (const char* path, char* to)) {
  if (!has_started()) return nullptr;
  read_text(path, site_realpath);
  return wrote_text(real_realpath(path, to), site_realpath);
}

NORN_INTERPOSE(ssize_t, readlink, (const char* path, char* to, size_t room)) {
  if (!has_started()) return -1;
  read_text(path, site_readlink);
  const ssize_t size = real_readlink(path, to, room);
  if (size > 0) observe_write(to, static_cast<size_t>(size), site_readlink);
  return size;
}

NORN_INTERPOSE(int, gethostname, (char* to, size_t room)) {
  if (!has_started()) return -1;
  const int result = real_gethostname(to, room);
  if (result == 0 && room > 0) observe_write(to, length_of(to, room - 1) + 1, site_gethostname);
  return result;
}

NORN_INTERPOSE(int, uname, (utsname * to)) {
  if (!has_started()) return -1;
  const int result = real_uname(to);
  if (result == 0) wrote(to, site_uname);
  return result;
}

// --- files -------------------------------------------------------------------------------------------------------

#define NORN_STATUS(name, parameters, arguments, path) \
  NORN_INTERPOSE(int, name, parameters) {              \
    if (!has_started()) return -1;                     \
    read_text(path, site_##name);                      \
    const int result = real_##name arguments;          \
    if (result == 0) wrote(to, site_##name);           \
    return result;                                     \
  }

NORN_STATUS(stat, (const char* path, struct stat* to), (path, to), path)
NORN_STATUS(lstat, (const char* path, struct stat* to), (path, to), path)
NORN_STATUS(fstat, (int fd, struct stat* to), (fd, to), nullptr)
NORN_STATUS(stat64, (const char* path, struct stat64* to), (path, to), path)
NORN_STATUS(lstat64, (const char* path, struct stat64* to), (path, to), path)
NORN_STATUS(fstat64, (int fd, struct stat64* to), (fd, to), nullptr)

// Each call moves the stream on, and its entry may lie where an earlier one was.
NORN_INTERPOSE(dirent*, readdir, (DIR * directory)) {
  if (!has_started()) return nullptr;
  observe_write(directory, 1, site_readdir);
  dirent* entry = real_readdir(directory);
  if (entry != nullptr) observe_write(entry, entry->d_reclen, site_readdir);
  return entry;
}

NORN_INTERPOSE(dirent64*, readdir64, (DIR * directory)) {
  if (!has_started()) return nullptr;
  observe_write(directory, 1, site_readdir64);
  dirent64* entry = real_readdir64(directory);
  if (entry != nullptr) observe_write(entry, entry->d_reclen, site_readdir64);
  return entry;
}

// --- accounts and names ------------------------------------------------------------------------------------------
//
// Each call's entry lies where the last one's was. A static program that asks for these is told by its linker that it
// needs shared libraries all the same: norn does not ask for it.

#define NORN_ENTRY(type, name, parameters, arguments) \
  NORN_INTERPOSE_DYNAMIC(type*, name, parameters) {   \
    if (!has_started()) return nullptr;               \
    return wrote(real_##name arguments, site_##name); \
  }

NORN_ENTRY(passwd, getpwnam, (const char* name), (name))
NORN_ENTRY(passwd, getpwuid, (uid_t id), (id))
NORN_ENTRY(passwd, getpwent, (), ())
NORN_ENTRY(group, getgrnam, (const char* name), (name))
NORN_ENTRY(group, getgrgid, (gid_t id), (id))
NORN_ENTRY(group, getgrent, (), ())
NORN_ENTRY(hostent, gethostbyname, (const char* name), (name))
NORN_ENTRY(servent, getservbyname, (const char* name, const char* protocol), (name, protocol))
NORN_ENTRY(servent, getservbyport, (int port, const char* protocol), (port, protocol))
NORN_ENTRY(protoent, getprotobyname, (const char* name), (name))
NORN_ENTRY(protoent, getprotobynumber, (int number), (number))

// --- sorting -----------------------------------------------------------------------------------------------------

// What it compares, the program's own function reads; what it moves nobody else sees.
NORN_INTERPOSE(void, qsort, (void* elements, size_t count, size_t size, int (*compare)(const void*, const void*))) {
  if (!has_started()) return;
  real_qsort(elements, count, size, compare);
  if (count > 1) observe_write(elements, count * size, site_qsort);
}

NORN_INTERPOSE(void, qsort_r,
               (void* elements, size_t count, size_t size, int (*compare)(const void*, const void*, void*),
                void* argument)) {
  if (!has_started()) return;
  real_qsort_r(elements, count, size, compare, argument);
  if (count > 1) observe_write(elements, count * size, site_qsort_r);
}

// --- trees -------------------------------------------------------------------------------------------------------
//
// They have no lock of their own: what a call changes is written at the tree's root. The elements are compared by the
// program's own function.

// Adding may turn nodes on the way down, also where the key is there already.
NORN_INTERPOSE(void*, tsearch, (const void* key, void** root, int (*compare)(const void*, const void*))) {
  if (!has_started()) return nullptr;
  if (root != nullptr) observe_write(root, sizeof(*root), site_tsearch);
  return real_tsearch(key, root, compare);
}

NORN_INTERPOSE(void*, tfind, (const void* key, void* const* root, int (*compare)(const void*, const void*))) {
  if (!has_started()) return nullptr;
  if (root != nullptr) observe_read(root, sizeof(*root), site_tfind);
  return real_tfind(key, root, compare);
}

NORN_INTERPOSE(void*, tdelete, (const void* key, void** root, int (*compare)(const void*, const void*))) {
  if (!has_started()) return nullptr;
  if (root != nullptr) observe_write(root, sizeof(*root), site_tdelete);
  return real_tdelete(key, root, compare);
}
