#pragma once

// Sets the cells that are 0.
void fill(int* cells, int count);
