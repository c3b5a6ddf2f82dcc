// The address of the first inner loop is used behind the second one, and its base moves with the outer loop.
// STDOUT: a29e54b95898324a
// NORACE

#include <stdio.h>
__attribute__((noinline)) static long f(int* a, int* end) {
  long s = 0;
  while (a < end) {
    long i = 0, j = 0;
    while (a[i] > 1) i++;
    while (a[j] > 2) j++;
    a[i] = 1;
    s += i;
    a += j + 1;
  }
  return s;
}
int main() {
  static int a[1001];
  for (int k = 0; k < 1000; k++) a[k] = 1 + k * 7 % 13;
  unsigned long h = 0;
  for (int k = 0; k < 100; k++) h = h * 31 + f(a, a + 1000);
  for (int k = 0; k < 1000; k++) h = h * 31 + (unsigned)a[k];
  printf("%lx\n", h);
}
