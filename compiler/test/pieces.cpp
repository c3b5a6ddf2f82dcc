// RUN: %norn-c++ -std=c++20 -O1 -S -emit-llvm %s -o %t.ll && %sites %t.ll | FileCheck %s
// The optimiser sets several members at once, and notes where that piece of the variable lies: what is read there later
// is one of the members.
// CHECK-NOT: read{{.*}}s.{
// CHECK: read 8 s.samples.begin in main
// CHECK-NEXT: read 8 s.samples.end in main
// CHECK-NOT: read{{.*}}s.{
struct Samples {
  int* begin = nullptr;
  int* end = nullptr;
};
struct Sampler {
  void* first[2];
  Samples samples;
  int ticks = 0;
};
void start(Sampler&);

int main() {
  Sampler s;
  start(s);
  return s.samples.begin != s.samples.end;
}
