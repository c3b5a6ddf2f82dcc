// Thread-local storage of a module: the loader allocates it when a thread first comes here, and frees it when that
// ends.
_Thread_local int mine[1000];

void use_own(void) {
  for (int i = 0; i < 1000; i++) mine[i]++;
}

int* own_address(void) { return mine; }
