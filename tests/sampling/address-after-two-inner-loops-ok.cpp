// An address computed in one inner loop and used behind the next one; its base is a variable of the outer loop.
// STDOUT: 7ed21788c35cf0c
// NORACE

#include <stdio.h>
__attribute__((noinline)) static void f(int* a, long n) {
  while (n > 1) {
    int p = a[n / 2];
    long i = 0, j = n - 1;
    while (i <= j) {
      while (a[i] < p) i++;
      while (a[j] > p) j--;
      if (i <= j) {
        int t = a[i];
        a[i] = a[j];
        a[j] = t;
        i++;
        j--;
      }
    }
    if (j + 1 < n - i) {
      a += i;
      n -= i;
    } else
      n = j + 1;
  }
}
int main() {
  static int a[1000];
  for (int k = 0; k < 1000; k++) a[k] = k * 7919 % 1009;
  for (int k = 0; k < 20; k++) f(a, 1000);
  unsigned long h = 0;
  for (int k = 0; k < 1000; k++) h = h * 31 + (unsigned)a[k];
  printf("%lx\n", h);
}
