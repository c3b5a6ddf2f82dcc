// RUN: %norn-c++ -E %s | FileCheck %s --check-prefix=NO
// RUN: %norn-c++ -fnorn-as-tsan -E %s | FileCheck %s --check-prefix=YES
// RUN: %norn-c++ -fsanitize=undefined,thread -E %s | FileCheck %s --check-prefix=YES
// RUN: %norn-c++ -fnorn-as-tsan -O2 %s -o %t && %t 2>&1 | FileCheck %s
// RUN: llvm-nm %t | FileCheck %s --check-prefix=NM
// Code can be told that it is checked for races; only norn checks it.
#if __has_feature(thread_sanitizer)
int answer = 1;
#else
int answer = 0;
#endif
// NO: answer = 0
// YES: answer = 1
// NM-NOT: tsan
__attribute__((no_sanitize("thread"))) void skipped() { answer = 4; }
inline void by_inline() { answer = 3; }
int main() {
  skipped();
  // CHECK: write(answer) 4 bytes < by_inline():{{[0-9]+}} < main:[[#@LINE+2]]
  // CHECK-NOT: write
  by_inline();
}
