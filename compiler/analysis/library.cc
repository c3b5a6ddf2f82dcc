#include "compiler/analysis/library.h"

#include <algorithm>
#include <iterator>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace norn::compiler {
namespace {

// In order.
constexpr llvm::StringRef kAllocating[] = {
    "_Znam",
    "_ZnamRKSt9nothrow_t",
    "_ZnamSt11align_val_t",
    "_ZnamSt11align_val_tRKSt9nothrow_t",
    "_Znwm",
    "_ZnwmRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZnwmSt11align_val_tRKSt9nothrow_t",
    "aligned_alloc",
    "calloc",
    "malloc",
    "memalign",
    "strdup",
    "strndup",
};

constexpr llvm::StringRef kLooking[] = {
    "acos", "asin",  "atan",   "atan2",  "bcmp",   "cos",     "exp",     "exp2",    "expf",   "fmod", "fmodf",
    "log",  "log10", "log2",   "logf",   "memchr", "memcmp",  "memrchr", "pow",     "powf",   "sin",  "sinf",
    "sqrt", "sqrtf", "strchr", "strcmp", "strlen", "strncmp", "strnlen", "strrchr", "strstr", "tan",
};

// Beside those that have a role above, by families; a blank between two.
constexpr llvm::StringRef kCreatingNone =
    // Ends, and what is done then.
    "_Exit _exit abort exit atexit __cxa_atexit __assert_fail __stack_chk_fail _ZSt9terminatev "
    // Exceptions, and variables that are initialised when they are reached.
    "_Unwind_Resume __cxa_allocate_exception __cxa_begin_catch __cxa_free_exception __cxa_pure_virtual __cxa_rethrow "
    "__cxa_throw __cxa_throw_bad_array_new_length __cxa_guard_abort __cxa_guard_acquire __cxa_guard_release "
    // Streams of C.
    "fclose feof ferror fflush fgetc fgets fileno fopen fopen64 fprintf fputc fputs fread fscanf fseek fseeko ftell "
    "ftello fwrite getc getchar getdelim getline perror printf putc putchar puts rewind scanf setbuf setlinebuf "
    "setvbuf "
    "snprintf sprintf sscanf ungetc vfprintf vprintf vsnprintf vsprintf __fgets_chk __fprintf_chk __fread_chk "
    "__printf_chk __snprintf_chk __sprintf_chk __vfprintf_chk __vprintf_chk __vsnprintf_chk __isoc23_fscanf "
    "__isoc23_scanf __isoc23_sscanf __isoc99_fscanf __isoc99_scanf __isoc99_sscanf "
    // Strings, numbers, characters, blocks of memory.
    "atof atoi atol atoll strtod strtof strtol strtold strtoll strtoul strtoull __isoc23_strtol __isoc23_strtoll "
    "__isoc23_strtoul __isoc23_strtoull memcpy memmove mempcpy memset stpcpy strcasecmp strcat strcpy strcspn strerror "
    "strncasecmp strncat strncpy strpbrk strspn strtok strtok_r __memcpy_chk __memmove_chk __memset_chk __strcat_chk "
    "__strcpy_chk __strncpy_chk isalnum isalpha isdigit islower isprint ispunct isspace isupper isxdigit tolower "
    "toupper __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __errno_location posix_memalign "
    "drand48 erand48 lrand48 mrand48 nrand48 rand rand_r random srand srand48 srandom "
    // The process and its environment, files, time.
    "getcwd getenv geteuid gethostname getopt getopt_long getopt_long_only getpagesize getpid getppid getrlimit "
    "getrusage getuid isatty setlocale sysconf access close fstat lseek lstat madvise memfd_create mkdir mmap mprotect "
    "munmap open "
    "open64 read readlink stat unlink write chdir dup dup2 fcntl fdatasync fsync ftruncate getsubopt mlockall msync "
    "pipe pipe2 pread pread64 pwrite pwrite64 readv rename setgid setrlimit setsid setuid umask writev "
    "accept accept4 bind connect epoll_create epoll_create1 epoll_ctl epoll_wait eventfd getpeername getsockname "
    "getsockopt inet_addr inet_ntoa inet_ntop inet_pton listen poll recv recvfrom recvmsg select send sendmsg sendto "
    "setsockopt shutdown socket socketpair clock clock_getres clock_gettime gettimeofday gmtime_r localtime_r mktime "
    "nanosleep sched_yield sleep strftime time usleep "
    // What is made before there are threads.
    "pthread_attr_destroy pthread_attr_getstacksize pthread_attr_init pthread_attr_setdetachstate "
    "pthread_attr_setscope pthread_attr_setstacksize pthread_barrier_destroy pthread_barrier_init "
    "pthread_barrierattr_destroy pthread_barrierattr_init pthread_barrierattr_setpshared pthread_cond_broadcast "
    "pthread_cond_destroy pthread_cond_init pthread_cond_signal pthread_condattr_destroy pthread_condattr_init "
    "pthread_condattr_setclock pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock pthread_mutex_trylock "
    "pthread_mutex_unlock pthread_mutexattr_destroy pthread_mutexattr_init pthread_mutexattr_setprotocol "
    "pthread_mutexattr_setpshared pthread_mutexattr_settype pthread_rwlock_destroy pthread_rwlock_init "
    "pthread_rwlock_rdlock pthread_rwlock_unlock pthread_rwlock_wrlock pthread_self pthread_spin_destroy "
    "pthread_spin_init pthread_spin_lock pthread_spin_unlock sem_destroy sem_init sem_post sem_trywait sem_wait "
    // What containers have outside of their headers, and clocks.
    "_ZSt11_Hash_bytesPKvmm _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base "
    "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base "
    "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_ "
    "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_ _ZNSt6chrono3_V212steady_clock3nowEv "
    "_ZNSt6chrono3_V212system_clock3nowEv _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm "
    "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm _ZNSt8__detail15_List_node_base7_M_hookEPS0_ "
    "_ZNSt8__detail15_List_node_base9_M_unhookEv _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_";

// Members of streams, locales and their parts: buffers and facets may be the program's own.
constexpr llvm::StringRef kCallingBack[] = {
    "_ZNKSt5ctypeIcE",
    "_ZNSi",
    "_ZNSo",
    "_ZNSt12__basic_fileIcE",
    "_ZNSt13basic_filebufIcSt11char_traitsIcEE",
    "_ZNSt13basic_fstreamIcSt11char_traitsIcEE",
    "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE",
    "_ZNSt14basic_ofstreamIcSt11char_traitsIcEE",
    "_ZNSt6localeC",
    "_ZNSt6localeD",
    "_ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE",
    "_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE",
    "_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE",
    "_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE",
    "_ZNSt8ios_base4InitC",
    "_ZNSt8ios_base4InitD",
    "_ZNSt8ios_baseC",
    "_ZNSt8ios_baseD",
    "_ZNSt9basic_iosIcSt11char_traitsIcEE",
    "_ZSt16__ostream_insertIcSt11char_traitsIcEE",
    "_ZSt4endlIcSt11char_traitsIcEE",
    "_ZSt5flushIcSt11char_traitsIcEE",
    "_ZSt7getlineIcSt11char_traitsIcESaIcEE",
    "_ZStlsISt11char_traitsIcEERSt13basic_ostream",
    "_ZStrsIcSt11char_traitsIcE",
    "_ZStrsISt11char_traitsIcEERSt13basic_istream",
};

template <size_t N>
bool has(const llvm::StringRef (&sorted)[N], llvm::StringRef symbol) {
  return std::binary_search(std::begin(sorted), std::end(sorted), symbol);
}

}  // namespace

LibraryRole library_role(llvm::StringRef symbol) {
  if (has(kAllocating, symbol)) return LibraryRole::kAllocates;
  if (has(kLooking, symbol)) return LibraryRole::kLooks;
  if (symbol == "realloc") return LibraryRole::kReallocates;
  if (symbol == "free" || symbol.starts_with("_ZdlPv") || symbol.starts_with("_ZdaPv")) return LibraryRole::kFrees;
  // libstdc++'s string of plain characters.
  constexpr llvm::StringRef kMember = "St7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
  llvm::StringRef rest = symbol;
  if ((rest.consume_front("_ZNK") || rest.consume_front("_ZN")) && rest.consume_front(kMember)) {
    // swap, and what takes another string by &&.
    return rest.contains("swap") || rest.contains("EOS") ? LibraryRole::kStringMoves : LibraryRole::kString;
  }
  return LibraryRole::kUnknown;
}

ThreadRole thread_role(llvm::StringRef symbol) {
  if (library_role(symbol) != LibraryRole::kUnknown) return ThreadRole::kCreatesNone;
  static const llvm::StringSet<> creating_none = [] {
    llvm::StringSet<> names;
    for (const llvm::StringRef name : llvm::split(kCreatingNone, ' ')) names.insert(name);
    return names;
  }();
  if (creating_none.contains(symbol)) return ThreadRole::kCreatesNone;
  // libstdc++'s throwing functions: std::__throw_length_error(char const*) and kin.
  if (symbol.starts_with("_ZSt") && symbol.contains("__throw_")) return ThreadRole::kCreatesNone;
  const bool streams = llvm::any_of(kCallingBack, [&](llvm::StringRef start) { return symbol.starts_with(start); }) &&
                       !symbol.contains("EPF");  // calls what it is given: out << manipulator
  return streams || symbol == "__cxa_end_catch" ? ThreadRole::kCallsBack : ThreadRole::kMayCreate;
}

}  // namespace norn::compiler
