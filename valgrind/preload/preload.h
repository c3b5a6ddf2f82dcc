// SPDX-License-Identifier: GPL-2.0-or-later
// How what is loaded into the program speaks to the tool.
#pragma once

#include "pub_tool_redir.h"
#include "valgrind.h"
#include "valgrind/tool/client_events.h"

#ifdef __cplusplus
#define NORN_C extern "C"
#else
#define NORN_C
#endif

NORN_C long norn_event(long code, long a, long b, long c);

#define TELL(code, a, b, c) norn_event((code), (long)(a), (long)(b), (long)(c))

// WRAP_IN(soname, type, name, (parameters), (arguments)): a function of the library's, under its plain and its
// versioned name, is name##_wrapped, which gets the original as `fn` before the arguments.
#define WRAP_AS(soname, symbol, type, name, parameters, arguments) \
  NORN_C type VG_WRAP_FUNCTION_ZZ(soname, symbol) parameters;      \
  NORN_C type VG_WRAP_FUNCTION_ZZ(soname, symbol) parameters {     \
    OrigFn fn;                                                     \
    VALGRIND_GET_ORIG_FN(fn);                                      \
    return name##_wrapped arguments;                               \
  }
#define WRAP_IN(soname, type, name, parameters, arguments)              \
  WRAP_AS(soname, name, type, name, parameters, REST(UNPACK arguments)) \
  WRAP_AS(soname, name##ZAZa, type, name, parameters, REST(UNPACK arguments))
#define REST(...) (fn __VA_OPT__(, ) __VA_ARGS__)
#define WRAPPED(...) (OrigFn fn __VA_OPT__(, ) __VA_ARGS__)
#define UNPACK(...) __VA_ARGS__
#define DECLARE(type, name, parameters) \
  static inline __attribute__((always_inline)) type name##_wrapped WRAPPED(UNPACK parameters)
// WRAP(type, name, (parameters), (arguments)) { body }. Wherever the function lives: the C library, or libpthread
// before glibc 2.34.
#define WRAP(type, name, parameters, arguments)                 \
  DECLARE(type, name, parameters);                              \
  WRAP_IN(libcZdsoZa, type, name, parameters, arguments)        \
  WRAP_IN(libpthreadZdsoZd0, type, name, parameters, arguments) \
  DECLARE(type, name, parameters)

#define CALL1(result, a) CALL_FN_W_W(result, fn, a)
#define CALL2(result, a, b) CALL_FN_W_WW(result, fn, a, b)
#define CALL3(result, a, b, c) CALL_FN_W_WWW(result, fn, a, b, c)
#define CALL4(result, a, b, c, d) CALL_FN_W_WWWW(result, fn, a, b, c, d)
