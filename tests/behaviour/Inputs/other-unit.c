// The second translation unit of globals-several-units.c and its race-free brother.
int shared_count;

void write_in_other_unit(void) { shared_count = 2; }
