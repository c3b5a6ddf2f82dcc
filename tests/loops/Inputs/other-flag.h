#pragma once

void other_flag_set(void);
int other_flag_is_set(void);
