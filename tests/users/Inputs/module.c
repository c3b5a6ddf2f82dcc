// A module for dlopen, built under several names.
int MODULE_COUNT;

void write_one(void) { MODULE_COUNT = 1; }

void write_two(void) { MODULE_COUNT = 2; }
