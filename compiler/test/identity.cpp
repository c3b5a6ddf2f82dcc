// RUN: mkdir -p %t.dir/elsewhere && cp %s %t.dir/elsewhere/identity.cpp
// RUN: %norn-c++ -O0 -S -emit-llvm %s -o %t.1.ll && %sites %t.1.ll -h | grep -o '#.*' > %t.1
// RUN: sed -i '1i int added;' %t.dir/elsewhere/identity.cpp
// RUN: %norn-c++ -O0 -g -S -emit-llvm %t.dir/elsewhere/identity.cpp -o %t.2.ll && %sites %t.2.ll -h | grep -o '#.*' > %t.2
// RUN: diff %t.1 %t.2
// RUN: sort -u %t.1 | wc -l | FileCheck %s
// A site keeps its hash when the file moves, lines are added above, or debug information is asked for. Equal accesses
// in one function are told apart.
// CHECK: 3
int x, y;
void g();
void f() {
  x = 1;
  g();
  x = 2;
  y = 3;
}

// RUN: %norn-c++ -O2 -DINLINED -S -emit-llvm %s -o %t.3.ll && %sites %t.3.ll -h | FileCheck %s --check-prefix=INLINED
#ifdef INLINED
// Nor does it matter into what a function is inlined, though the names differ.
struct Account {
  int id, balance;
};
static void deposit(Account& to) { to.balance++; }
Account one, other;
__attribute__((noinline)) void by_reference(Account& mine) { deposit(mine); }
// INLINED: write 4 one.balance in deposit(Account&) #[[HASH:[-0-9]+]]
// INLINED: write 4 other.balance in deposit(Account&) #[[HASH]]
// INLINED: write 4 to.balance in deposit(Account&) #[[HASH]]
int main() {
  deposit(one);
  deposit(other);
  by_reference(one);
}
#endif
