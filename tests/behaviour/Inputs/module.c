// A module for dlopen: a variable and two functions that write it.
int module_count;

void write_one(void) { module_count = 1; }

void write_two(void) { module_count = 2; }
