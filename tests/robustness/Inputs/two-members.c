// A region whose end orders what its members did.
int values[2];

int main(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 2; ++i) values[i] = i;
  return values[0] + values[1] - 1;
}
