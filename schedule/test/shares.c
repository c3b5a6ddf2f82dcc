// The schedules of a search are divided: each share makes its own numbers, whoever makes it, and what they found is put
// together from their files.
// RUN: %norn-cc %s -o %t
// RUN: for k in 1 2 3; do %norn confirm --explore --strategy=random --runs=30 --jobs=1 --share=$k/3 --fail-on=none --json=%t.$k.json -- %t || exit 1; done
// RUN: %norn confirm --collect %t.1.json %t.2.json %t.3.json --json=%t.all.json > %t.text; test $? = 66
// RUN: FileCheck %s < %t.text
// CHECK: norn: something went wrong in [[N:[0-9]+]] of 30 runs
// CHECK: exit status in [[N]] of them
// CHECK: norn replay n2
// As many as one search finds alone.
// RUN: %norn confirm --explore --strategy=random --runs=30 --jobs=1 --fail-on=none --json=%t.one.json -- %t
// RUN: grep '"confirmed"' %t.one.json > %t.one && grep '"confirmed"' %t.all.json | cmp - %t.one
// RUN: env OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3 %norn confirm --explore --strategy=random --runs=30 --jobs=1 --share=env --fail-on=none --json=%t.rank.json -- %t
// RUN: cmp %t.rank.json %t.2.json
// RUN: %norn confirm --collect %t.1.json %t.3.json > %t.text 2>&1; test $? = 66 && FileCheck --check-prefix=MISSING %s < %t.text
// MISSING: norn: of 3 shares 2 is missing: this is not the whole search
// RUN: %norn confirm --explore --share=4/3 -- %t 2> %t.text; test $? = 2 && FileCheck --check-prefix=NONE %s < %t.text
// NONE: norn: --share=4/3: say which share of how many, from 1/N to N/N, or env
// RUN: %norn confirm --collect %t 2> %t.text; test $? = 2 && FileCheck --check-prefix=OTHER %s < %t.text
// OTHER: these are no verdicts
#include <pthread.h>
#include <stdatomic.h>

static atomic_int order, first;

static void* goes(void* number) {
  int none = 0;
  atomic_compare_exchange_strong(&first, &none, (int)(long)number);
  atomic_fetch_add(&order, 1);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], 0, goes, (void*)(i + 1));
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return atomic_load(&first) == 2 ? 7 : 0;
}
