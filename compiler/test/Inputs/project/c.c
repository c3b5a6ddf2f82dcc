static int counter;
int in_c(void) { return counter++; }
