// What ThreadSanitizer's own options exempt is not instrumented.
//
// A list of clang's, also by its old name and from its right section only; the last word counts.
// RUN: echo '[thread]' > %t.list && echo 'fun:*listed*' >> %t.list
// RUN: echo '[undefined]' > %t.other && echo 'fun:*listed*' >> %t.other
// RUN: echo 'src:*no_sanitize.cpp' > %t.file
// RUN: %norn-c++ -Werror -O2 -fsanitize-ignorelist=%t.list -S -emit-llvm %s -o %t.1.ll
// RUN: %sites %t.1.ll | FileCheck %s --check-prefixes=MAIN,LISTED
// RUN: %norn-c++ -Werror -O0 -fsanitize-blacklist=%t.list -S -emit-llvm %s -o %t.2.ll
// RUN: %sites %t.2.ll | FileCheck %s --check-prefixes=MAIN,LISTED
// RUN: %norn-c++ -Werror -fsanitize-ignorelist=%t.other -S -emit-llvm %s -o %t.3.ll
// RUN: %sites %t.3.ll | FileCheck %s --check-prefixes=BOTH
// RUN: %norn-c++ -Werror -fsanitize-ignorelist=%t.list -fno-sanitize-ignorelist -S -emit-llvm %s -o %t.4.ll
// RUN: %sites %t.4.ll | FileCheck %s --check-prefixes=BOTH
// RUN: %norn-c++ -Werror -fsanitize-ignorelist=%t.file -S -emit-llvm %s -o %t.5.ll && not grep __norn_write %t.5.ll
// RUN: not %norn-c++ -fsanitize-ignorelist=%t.missing -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: norn: skip list {{.*}}.missing: No such file
//
// A whole file, and the last word again. What is linked has the runtime: other files may need it.
// RUN: %norn-c++ -Werror -fno-sanitize=thread -c %s -o %t.plain.o && llvm-nm %t.plain.o | not grep norn
// RUN: %norn-c++ -Werror -fsanitize=thread -fno-sanitize=undefined,thread -c %s -o %t.plain.o
// RUN: llvm-nm %t.plain.o | not grep norn
// RUN: %norn-c++ -Werror -fno-sanitize=all -c %s -o %t.plain.o && llvm-nm %t.plain.o | not grep norn
// RUN: %norn-c++ -Werror -fno-sanitize=thread -E %s | FileCheck %s --check-prefix=FEATURE-OFF
// RUN: %norn-c++ -Werror -fsanitize=thread -fno-sanitize=thread -E %s | FileCheck %s --check-prefix=FEATURE-OFF
// RUN: %norn-c++ -Werror -fno-sanitize=thread -fsanitize=thread -E %s | FileCheck %s --check-prefix=FEATURE-ON
// RUN: %norn-c++ -Werror -fno-sanitize=thread -fsanitize=thread -c %s -o %t.o && llvm-nm %t.o | grep __norn_write4
// RUN: %norn-c++ -Werror -fno-sanitize=undefined -c %s -o %t.o && llvm-nm %t.o | grep __norn_write4
// RUN: %norn-c++ -Werror -fno-sanitize=thread %t.o -o %t.linked && llvm-nm %t.linked | grep __norn_write4
// RUN: env QUIET=1 %t.linked
// RUN: %norn-c++ -Werror -fno-sanitize=thread -flto -fnorn-whole-program %s -o %t.whole && llvm-objdump -d %t.whole --disassemble-symbols=main | not grep __norn_
#if __has_feature(thread_sanitizer)
int feature = 1;
#else
int feature = 0;
#endif
// FEATURE-ON: feature = 1
// FEATURE-OFF: feature = 0
int x;
__attribute__((noinline)) static void listed() { x = 4; }
// LISTED-NOT: listed
// MAIN: write 4 x in main
// LISTED-NOT: listed
// BOTH-DAG: write 4 x in main
// BOTH-DAG: write 4 x in listed
int main() {
  x = 0;
  listed();
}
