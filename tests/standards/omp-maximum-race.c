// The largest of an array: each thread looks first whether its number is larger, outside of the critical section, to
// save entering it. That look is a plain read, and races with the writes inside (OpenMP 5.0, 1.4.1, 2.17.1 critical).
// FLAGS: -fopenmp
// RUN: %check %s

enum { kNumbers = 400 };

int main(void) {
  int numbers[kNumbers];
  int maximum = -1;
  for (int i = 0; i < kNumbers; i++) numbers[i] = i * 37 % kNumbers;
#pragma omp parallel for num_threads(3) shared(numbers, maximum)
  for (int i = 0; i < kNumbers; i++) {
    if (numbers[i] > maximum) {  // RACE: observed maximum
#pragma omp critical
      {
        if (numbers[i] > maximum) maximum = numbers[i];  // RACE: observed maximum
      }
    }
  }
  return maximum < 0;
}
