// RUN: %norn-c++ -O0 -S -emit-llvm %s -o %t.0.ll && %sites %t.0.ll | FileCheck %s --check-prefixes=CHECK,TABLE
// RUN: %norn-c++ -O2 -S -emit-llvm %s -o %t.2.ll && %sites %t.2.ll | FileCheck %s --check-prefixes=CHECK,TABLE
// RUN: %sites %t.0.ll | grep area_of | not grep ' read '
// RUN: %norn-c++ -O1 %s -DMAIN -o %t && %t 2>&1 | FileCheck %s --check-prefix=SAID
// Accesses to the pointer to the virtual table have hooks of their own; the tables themselves are constant.
struct Shape {
  virtual ~Shape();
  virtual int area();
  int sides;
};
// CHECK-DAG: [[#@LINE+2]] vptr-write 8 this->vptr in Shape::~Shape()
// SAID: vptr-same(this->vptr) < Shape::~Shape()
Shape::~Shape() { sides = 0; }
int Shape::area() { return sides; }
// CHECK-DAG: [[#@LINE+1]] vptr-read 8 shape->vptr in area_of(Shape*)
int area_of(Shape* shape) { return shape->area(); }
#ifdef MAIN
Shape* volatile kept;
int main() {
  kept = new Shape;
  area_of(kept);
  delete kept;
}
#endif

// A table of functions that the program made itself is data like any other.
struct Operations {
  int (*run)();
};
struct Device {
  Operations* vptr;
};
// TABLE-DAG: [[#@LINE+2]] read 8 device->vptr in run_by_hand(Device*)
// TABLE-DAG: [[#@LINE+1]] read 8 device->vptr->run in run_by_hand(Device*)
int run_by_hand(Device* device) { return device->vptr->run(); }
