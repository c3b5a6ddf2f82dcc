// The largest of an array: each thread looks first whether its number is larger, atomically, and only then enters the
// critical section, where it looks again and writes, atomically (OpenMP 5.0, 2.17.7 atomic, 2.17.1 critical; 1.4.1: two
// atomic operations of one variable do not race).
// NORACE
// FLAGS: -fopenmp
// RUN: %check %s

enum { kNumbers = 400 };

int main(void) {
  int numbers[kNumbers];
  int maximum = -1;
  for (int i = 0; i < kNumbers; i++) numbers[i] = i * 37 % kNumbers;
#pragma omp parallel for num_threads(3) shared(numbers, maximum)
  for (int i = 0; i < kNumbers; i++) {
    int seen;
#pragma omp atomic read
    seen = maximum;
    if (numbers[i] > seen) {
#pragma omp critical
      {
        if (numbers[i] > maximum) {
#pragma omp atomic write
          maximum = numbers[i];
        }
      }
    }
  }
  return maximum != kNumbers - 1;
}
