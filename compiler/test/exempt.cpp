// RUN: echo '[thread]' > %t.skip && echo 'fun:*listed*' >> %t.skip && echo 'fun:*list_names*' >> %t.skip && echo 'src:*nowhere*' >> %t.skip
// RUN: %norn-c++ -O0 -fnorn-skip=%t.skip -S -emit-llvm %s -o %t.0.ll && %sites %t.0.ll | FileCheck %s
// RUN: %norn-c++ -O2 -fnorn-skip=%t.skip -S -emit-llvm %s -o %t.2.ll && %sites %t.2.ll | FileCheck %s
// RUN: echo 'src:*exempt.cpp' > %t.all && %norn-c++ -fnorn-skip=%t.all -S -emit-llvm %s -o %t.all.ll
// RUN: not grep __norn_write %t.all.ll
// RUN: not %norn-c++ -fnorn-skip=%t.missing -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: norn: skip list {{.*}}.missing: No such file
// RUN: FileCheck --check-prefix=ATOMICS %s < %t.0.ll && FileCheck --check-prefix=ATOMICS %s < %t.2.ll
// What the source or a skip list exempts is not instrumented, also where it is called. But for atomics, which may be how
// a lock is made, as ThreadSanitizer has it: only disable_sanitizer_instrumentation means these, too.
int atomic;
// ATOMICS: define {{.*}}orders
// ATOMICS: call i32 @__norn_atomic32_exchange
// ATOMICS: {{^}}}
__attribute__((noinline, no_sanitize("thread"))) int orders() { return __atomic_exchange_n(&atomic, 1, __ATOMIC_ACQUIRE); }
// ATOMICS: define {{.*}}list_names_orders
// ATOMICS: call i32 @__norn_atomic32_load
// ATOMICS: {{^}}}
__attribute__((noinline)) int list_names_orders() { return __atomic_load_n(&atomic, __ATOMIC_ACQUIRE); }
// ATOMICS: define {{.*}}by_any_not_even
// ATOMICS-NOT: __norn_atomic
// ATOMICS: {{^}}}
__attribute__((noinline, disable_sanitizer_instrumentation)) int by_any_not_even() {
  return __atomic_load_n(&atomic, __ATOMIC_ACQUIRE);
}
int x;
// CHECK-NOT: by_
// CHECK-NOT: listed
__attribute__((no_sanitize("thread"))) static inline void by_attribute() { x = 1; }
__attribute__((no_sanitize_thread)) static inline void by_old_attribute() { x = 2; }
__attribute__((disable_sanitizer_instrumentation)) static inline void by_any() { x = 3; }
template <class T>
[[clang::no_sanitize("thread")]] void by_template(T t) {
  x = t;
}
struct Class {
  __attribute__((no_sanitize("thread"))) void by_member() { x = 5; }
};
static inline void listed() { x = 4; }
// CHECK: [[#@LINE+2]] write 4 x in main
int main() {
  x = 0;
  by_attribute();
  by_old_attribute();
  by_any();
  by_template(1);
  Class().by_member();
  listed();
  // Only the attribute of the lambda's call operator counts for it.
  [&]() __attribute__((no_sanitize("thread"))) { x = 6; }();
}
// CHECK-NOT: by_
// CHECK-NOT: operator()
