// Compiled by clang for ThreadSanitizer.
void call_back(void (*function)(int), int rounds);

static volatile int rounds_done;

__attribute__((noinline)) void call_back(void (*function)(int), int rounds) {
  for (int i = 0; i < rounds; ++i) {
    function(i);
  }
  (void)rounds_done;
}
