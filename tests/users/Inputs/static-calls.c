// What a static program must not lose: functions that norn calls in the C library's place.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char** words) {
  int verbose = 0, option;
  while ((option = getopt(count, words, "v")) != -1) verbose += option == 'v';
  unsigned short state[3] = {1, 2, 3};
  const unsigned long long drawn = (unsigned long long)arc4random() << 32 | arc4random();
  printf("random %d, below %d, verbose %d, number %d\n", drawn != 0, arc4random_uniform(10) < 10, verbose,
         nrand48(state) > 0);
  return 0;
}
