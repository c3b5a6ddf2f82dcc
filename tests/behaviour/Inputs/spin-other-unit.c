// Of spin-other-unit-ok.c.
volatile int first, second;

int is_first_set(void) { return first; }
int is_second_set(void) { return second; }
