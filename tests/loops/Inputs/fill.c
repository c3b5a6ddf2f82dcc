#include "fill.h"

void fill(int* cells, int count) {
  for (int i = 0; i < count; ++i) {
    if (cells[i] == 0) cells[i] = 1;
  }
}
