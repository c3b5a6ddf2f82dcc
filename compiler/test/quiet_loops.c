// Iterations that cannot race with each other are emitted once, before their loop; others each.
// RUN: %norn-cc -O1 -fopenmp -S -emit-llvm %s -o %t.ll && FileCheck %s < %t.ll
// RUN: %norn-cc -O0 -fopenmp -S -emit-llvm %s -o %t.0.ll && grep -c 'call void @__norn_omp_iteration' %t.0.ll | grep '^8$'
#include <math.h>

double w, out[100];
extern void unknown(void);
extern volatile int flag;
static double part(double x) {
  double parts[2] = {x, 1 / (x * x + w)};
  return parts[0] + parts[1];
}
static double waits(const double* x) {
  while (*x == 0) {
  }
  return *x;
}

// What is read is read once for all: the loop itself has no call.
// CHECK-LABEL: define internal void @reduces.omp_outlined
// CHECK: call void @__norn_omp_iteration
// CHECK: [[LOOP:[0-9]+]]: {{ *}}; preds = {{.*}}%[[LOOP]]{{(,|$)}}
// CHECK-NOT: call {{.*}}@__norn
// CHECK: br i1 {{.*}}label %[[LOOP]]
double reduces(long n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (long i = 0; i < n; i++) {
    double x = (i + .5) * w;
    s += 1 / (x * x + 1);
  }
  return s;
}

// CHECK-LABEL: define internal void @calls.omp_outlined
// CHECK: call void @__norn_omp_iteration
// CHECK: [[LOOP:[0-9]+]]: {{ *}}; preds = {{.*}}%[[LOOP]]{{(,|$)}}
// CHECK-NOT: __norn_omp
// CHECK: br i1 {{.*}}label %[[LOOP]]
double calls(long n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s) schedule(dynamic, 16)
  for (long i = 0; i < n; i++) s += part(i) + sqrt(w + i);
  return s;
}

// Each of these begins its iterations itself.
// CHECK-LABEL: define internal void @writes.omp_outlined
// CHECK: phi i64
// CHECK: call void @__norn_omp_iteration
void writes(long n) {
#pragma omp parallel for
  for (long i = 0; i < n; i++) out[i % 100] = i;
}

// CHECK-LABEL: define internal void @calls_unknown.omp_outlined
// CHECK: phi i64
// CHECK: call void @__norn_omp_iteration
void calls_unknown(long n) {
#pragma omp parallel for
  for (long i = 0; i < n; i++) unknown();
}

// CHECK-LABEL: define internal void @looks_at_a_flag.omp_outlined
// CHECK: phi i64
// CHECK: call void @__norn_omp_iteration
int looks_at_a_flag(long n) {
  int s = 0;
#pragma omp parallel for reduction(+ : s)
  for (long i = 0; i < n; i++) s += flag;
  return s;
}

// CHECK-LABEL: define internal void @may_wait.omp_outlined
// CHECK: phi i64
// CHECK: call void @__norn_omp_iteration
double may_wait(long n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (long i = 0; i < n; i++) s += waits(&w);
  return s;
}

// CHECK-LABEL: define internal void @may_wait_itself.omp_outlined
// CHECK: phi i64
// CHECK: call void @__norn_omp_iteration
double may_wait_itself(long n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (long i = 0; i < n; i++) {
    while (out[i] < 1) s += 1;
  }
  return s;
}

// CHECK-LABEL: define internal void @asks_which_thread.omp_outlined
// CHECK: phi i64
// CHECK: call void @__norn_omp_iteration
_Thread_local double own;
double asks_which_thread(long n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (long i = 0; i < n; i++) s += own;
  return s;
}
