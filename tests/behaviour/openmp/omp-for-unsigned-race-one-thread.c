// Loops that count with unsigned numbers, of one width and another.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

#include <stddef.h>
#include <stdint.h>

int a, b, c, d;

int main(void) {
#pragma omp parallel for num_threads(1)
  for (size_t i = 0; i < 16; ++i) a += 1;  // RACE: observed a
#pragma omp parallel for num_threads(1) schedule(dynamic)
  for (unsigned i = 4; i < 64; i += 3) b += 1;  // RACE: observed b
#pragma omp parallel for num_threads(1) collapse(2)
  for (uint8_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j <= 4; ++j) c += 1;  // RACE: observed c
  }
#pragma omp parallel for num_threads(1)
  for (size_t i = 16; i > 0; --i) d += 1;  // RACE: observed d
}
