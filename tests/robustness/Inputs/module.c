// A module for dlopen: a variable, a constructor and two functions that write it.
int module_count;

__attribute__((constructor)) static void begins(void) { module_count = 0; }

__attribute__((destructor)) static void ends(void) { module_count = -1; }

void write_one(void) { module_count = 1; }

void write_two(void) { module_count = 2; }
