// RUN: %norn-cc -O2 -c %s -o %t.o && llvm-readelf -S %t.o | FileCheck %s --check-prefix=NONE
// RUN: %norn-cc -g -g0 -c %s -o %t.o && llvm-readelf -S %t.o | FileCheck %s --check-prefix=NONE
// RUN: %norn-cc -gline-tables-only -c %s -o %t.o && llvm-dwarfdump --debug-info %t.o | FileCheck %s --check-prefix=LINES
// RUN: %norn-cc -gdwarf-4 -O1 -c %s -o %t.o && llvm-dwarfdump --debug-info %t.o | FileCheck %s --check-prefix=FULL
// RUN: %norn-cc -O2 -S -emit-llvm %s -o %t.ll && %sites %t.ll | FileCheck %s
// The site table needs debug information; the object has only what was asked for.
// NONE-NOT: .debug_
// LINES: DW_TAG_compile_unit
// LINES-NOT: DW_TAG_formal_parameter
// FULL: version = 0x0004
// FULL: DW_TAG_formal_parameter
struct Account { int id, balance; };
// CHECK: [[#@LINE+1]] write 4 account->balance in deposit
void deposit(struct Account* account, int amount) { account->balance += amount; }
