// RUN: %norn-c++ -std=c++20 -O0 -S -emit-llvm %s -o %t.0.ll
// RUN: %sites %t.0.ll | FileCheck %s --check-prefixes=CHECK,O0
// RUN: %norn-c++ -std=c++20 -O2 -S -emit-llvm %s -o %t.2.ll
// RUN: %sites %t.2.ll | FileCheck %s --check-prefixes=CHECK,O2
// RUN: %norn-c++ -std=c++20 -g -O3 -S -emit-llvm %s -o %t.3.ll
// RUN: %sites %t.3.ll | FileCheck %s --check-prefixes=CHECK,O2
// What is accessed is named as the programmer wrote it.
#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct Inner {
  int a;
  short b[4];
};
struct Base {
  int of_base;
};
struct Object : Base {
  Inner in;
  union {
    int as_int;
    float as_float;
  };
  unsigned ready : 3, done : 5;
  virtual void call();
  double last;
};
struct Tree {
  Tree *left, *right;
  int key;
};
struct Message {
  int length;
  char text[];
};
namespace space {
int inside;
struct Class {
  static int total;
};
int Class::total;
}  // namespace space
Object object, objects[4];
int matrix[3][5];
Inner* inner;
Message* message;
thread_local Tree mine;

// CHECK-DAG: [[#@LINE+1]] write 4 object.of_base in members()
void members() { object.of_base = 1;
  // CHECK-DAG: [[#@LINE+1]] write 4 object.in.a in members()
  object.in.a = 2;
  // CHECK-DAG: [[#@LINE+1]] write 4 object.as_int in members()
  object.as_int = 3;
  // CHECK-DAG: [[#@LINE+1]] write 1 object.{ready,done} in members()
  object.done = 4;
  // CHECK-DAG: [[#@LINE+1]] write 8 object.last in members()
  object.last = 5;
  // CHECK-DAG: [[#@LINE+1]] write 4 inside in members()
  space::inside = 6;
  // CHECK-DAG: [[#@LINE+1]] write 4 Class::total in members()
  space::Class::total = 7;
  static int calls;
  // CHECK-DAG: [[#@LINE+1]] write 4 calls in members()
  calls++;
  // CHECK-DAG: [[#@LINE+1]] write 4 mine.key in members()
  mine.key++;
}

void arrays(int i, int j) {
  // CHECK-DAG: [[#@LINE+1]] write 4 matrix[][] in arrays(int, int)
  matrix[i][j] = 1;
  // CHECK-DAG: [[#@LINE+1]] write 4 matrix[1][2] in arrays(int, int)
  matrix[1][2] = 7;
  // CHECK-DAG: [[#@LINE+1]] write 2 objects[].in.b[2] in arrays(int, int)
  objects[i].in.b[2] = 1;
  // CHECK-DAG: [[#@LINE+1]] write 2 object.in.b[] in arrays(int, int)
  object.in.b[j] = 1;
}

void pointers(Tree* tree, int** pp, Inner& r, int n) {
  // CHECK-DAG: [[#@LINE+2]] read 8 tree->left in pointers(
  // CHECK-DAG: [[#@LINE+1]] write 4 tree->left->key in pointers(
  tree->left->key = 1;
  // CHECK-DAG: [[#@LINE+1]] write 4 **pp in pointers(
  **pp = 2;
  // CHECK-DAG: [[#@LINE+1]] write 4 (*pp)[] in pointers(
  (*pp)[n] = 3;
  // CHECK-DAG: [[#@LINE+1]] write 2 r.b[1] in pointers(
  r.b[1] = 4;
  // CHECK-DAG: [[#@LINE+1]] write 4 inner[].a in pointers(
  inner[n].a = 7;
  // CHECK-DAG: [[#@LINE+1]] write 4 inner[2].a in pointers(
  inner[2].a = 8;
  // CHECK-DAG: [[#@LINE+1]] write 1 message->text[] in pointers(
  message->text[n] = 9;
  while (tree) {
    // CHECK-DAG: [[#@LINE+1]] write 4 tree->key in pointers(
    tree->key++;
    tree = tree->right;
  }
}

struct Counter {
  int value, limit;
  Counter* peer;
  void add(int amount) {
    // CHECK-DAG: [[#@LINE+1]] write 4 this->value in Counter::add(int)
    value += amount;
    // CHECK-DAG: [[#@LINE+1]] write 4 this->peer->value in Counter::add(int)
    peer->value = 1;
    // CHECK-DAG: [[#@LINE+1]] write 4 this->limit in Counter::add(int)::'lambda'()::operator()() const
    [this] { limit = 2; }();
  }
  void caller();
};
void Counter::caller() { add(1); }

__attribute__((noinline)) void apply(auto f) { f(); }
void keep(int&);
void lambdas(int& r) {
  int local = 0;
  keep(local);
  // CHECK-DAG: [[#@LINE+2]] write 4 local in lambdas(int&)::$_0::operator()() const
  // CHECK-DAG: [[#@LINE+1]] write 4 r in lambdas(int&)::$_0::operator()() const
  apply([&] { local++; r = 2; });
}

std::unique_ptr<Tree> owner;
std::shared_ptr<Tree> shared;
std::vector<Tree> trees;
std::string name;
std::array<int, 4> four;
std::atomic<long> total;
void library(int i, std::vector<int>& numbers, std::span<int> span) {
  // CHECK-DAG: [[#@LINE+1]] write 4 owner->key in library(
  owner->key = 1;
  // CHECK-DAG: [[#@LINE+1]] write 4 shared->key in library(
  shared->key = 2;
  // CHECK-DAG: [[#@LINE+1]] write 4 trees[].key in library(
  trees[i].key = 3;
  // CHECK-DAG: [[#@LINE+1]] write 1 name[] in library(
  name[i] = 'x';
  // CHECK-DAG: [[#@LINE+1]] write 4 four[] in library(
  four[i] = 4;
  // CHECK-DAG: [[#@LINE+1]] write 4 span[] in library(
  span[i] = 5;
  // CHECK-DAG: [[#@LINE+1]] {{write (4|16)}} {{number|numbers\[\]}} in library(
  for (int& number : numbers) number++;
  // CHECK-DAG: [[#@LINE+1]] write 4 it->key in library(
  for (auto it = trees.begin(); it != trees.end(); ++it) it->key = 6;
}

static void deposit(Inner& to, int amount) {
  // The variable that an inlined function works on is named itself.
  // O0-DAG: [[#@LINE+2]] write 4 to.a in deposit(Inner&, int)
  // O2-DAG: [[#@LINE+1]] write 4 object.in.a in deposit(Inner&, int) at teller():[[#@LINE+2]]
  to.a += amount; }
void teller() { deposit(object.in, 5); }

Tree* find(int);
void calls() {
  // CHECK-DAG: [[#@LINE+1]] write 4 {{(\*find\(\))|(find\(\)->key)}} in calls()
  find(1)->key = 1;
}

void blocks(Object* o, char* a, char* b, unsigned long n) {
  // CHECK-DAG: [[#@LINE+2]] range-read 12 object.in in blocks(
  // CHECK-DAG: [[#@LINE+1]] range-write 12 o->in in blocks(
  o->in = object.in;
  // CHECK-DAG: [[#@LINE+2]] range-write 0 *a in blocks(
  // CHECK-DAG: [[#@LINE+1]] range-read 0 *b in blocks(
  __builtin_memcpy(a, b, n);
}

void atomics(Tree* tree) {
  // CHECK-DAG: [[#@LINE+1]] atomic-rmw 4 tree->key in atomics(Tree*)
  __atomic_fetch_add(&tree->key, 1, 0);
}
