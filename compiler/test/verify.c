// What norn made of a program is verified where NORN_VERIFY says so, as it does in all tests: after norn's pass, and
// with the link that instruments a whole program, after that one's.
// RUN: %norn-cc -O2 -c %s -o %t.o -Xclang -fdebug-pass-manager 2>&1 | FileCheck %s --check-prefix=ON
// RUN: %norn-cc -O0 -c %s -o %t.o -Xclang -fdebug-pass-manager 2>&1 | FileCheck %s --check-prefix=ON
// RUN: env -u NORN_VERIFY %norn-cc -O2 -c %s -o %t.o -Xclang -fdebug-pass-manager 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: %norn-cc -O2 -flto -fnorn-whole-program %s -o %t -Wl,--lto-debug-pass-manager 2>&1 | FileCheck %s --check-prefix=LINK
// ON: Running pass: norn::compiler::InstrumentPass
// ON: Running pass: VerifierPass
// OFF: Running pass: norn::compiler::InstrumentPass
// OFF-NOT: Running pass: VerifierPass
// LINK: Running pass: norn::compiler::LinkPass
// LINK: Running pass: VerifierPass

int x;
int main(void) { return x++; }
