// Compiled by gcc for ThreadSanitizer.
long total;

void add_gcc(int amount);

__attribute__((noinline)) void add_gcc(int amount) {
  // The racing statement.
  total = amount;
}
