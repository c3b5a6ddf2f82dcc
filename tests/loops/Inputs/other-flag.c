// A flag that only these functions touch.
#include "other-flag.h"

static volatile int flag;

void other_flag_set(void) { flag = 1; }

int other_flag_is_set(void) { return flag; }
