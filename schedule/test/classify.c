// What each race does, by norn classify: which says it, keeps it, and gives tokens that show it. Without a run it makes
// one itself. Another input may do other things.
// RUN: %norn-cc -g -O1 %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: not %norn classify --all --json=all.json -- %t > all.txt
// RUN: FileCheck %s --check-prefix=ALL --input-file=all.txt
// RUN: FileCheck %s --check-prefix=JSON --input-file=all.json
// RUN: %norn show | FileCheck %s --check-prefix=SHOW
// RUN: %norn list --class=spec-violated | FileCheck %s --check-prefix=LIST
// RUN: %norn list --class=k-witness-harmless | FileCheck %s --check-prefix=HARMLESS
// RUN: %norn report --json | FileCheck %s --check-prefix=REPORT
// RUN: not %norn replay $(sed -n 's/^  *replay: norn replay \(n2[^ ]*\) .*/\1/p' all.txt | head -1) -- %t 2>&1 | FileCheck %s --check-prefix=REPLAY
// RUN: %norn replay $(sed -n 's/.*the other order.*norn replay \(n2[^ ]*\) .*/\1/p' all.txt | head -1) -- %t 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %norn classify --all --fail-on=none -- %t
// RUN: not %norn check --budget=30 --runs=10 -- %t 2>&1 | FileCheck %s --check-prefix=CHECK
// RUN: %norn classify --all --args=3 --fail-on=none -- %t | FileCheck %s --check-prefix=INPUTS
//
// The most harmful first.
// ALL: norn: race on block
// ALL-NEXT: classify.c:{{[0-9]+}} {{.*}} / classify.c:{{[0-9]+}}
// ALL-NEXT: spec-violated: memory-error: read of 4 bytes at classify.c:{{[0-9]+}}, after the free of a block of 64 bytes; not in the other order
// ALL: norn: race on hits
// ALL-NEXT: classify.c
// ALL-NEXT: k-witness-harmless: both orders end alike, k = {{[0-9]+}}, with 1 input
// ALL: norn: {{[0-9]+}} races to classify: 1 spec-violated, 1 k-witness-harmless
// ALL: norn: 1 of 5 inputs
// JSON: "class": "spec-violated"
// JSON: "consequence": "memory-error"
// JSON: "evidence": "n2{{.+}}"
// SHOW: spec-violated: memory-error, k = {{[0-9]+}}; replay: norn replay n2
// LIST: block
// LIST-NOT: hits
// HARMLESS: hits
// REPORT-DAG: "class": "spec-violated"
// REPORT-DAG: "consequence": "memory-error"
// REPLAY: replayed identically
// OTHER: done
// OTHER: replayed identically
// CHECK: spec-violated: memory-error
// INPUTS: norn: race on hits
// INPUTS: output-differs: output: standard output, line 1: "
// INPUTS: norn: 2 of 5 inputs
//
// What it is asked for wrongly.
// RUN: not %norn classify -- %t 2>&1 | FileCheck %s --check-prefix=WHICH
// RUN: not %norn classify --all 2>&1 | FileCheck %s --check-prefix=PROGRAM
// RUN: not %norn classify --all --input=gone -- %t 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: not %norn classify --all --paths=1 --args=3 -- %t 2>&1 | FileCheck %s --check-prefix=PATHS
// RUN: not %norn classify --all --args=3 --args=4 --args=5 --args=6 --args=7 -- %t 2>&1 | FileCheck %s --check-prefix=MANY
// WHICH: say what to classify
// PROGRAM: say which program to run
// GONE: --input=gone: no such file
// PATHS: 2 inputs were given; --paths=2 takes them all
// MANY: 6 inputs were given; --paths=6 takes them all

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int* block;
static int hits;
static volatile int seen;

static void* reads(void* unused) {
  hits = hits + 1;
  seen = block[1];
  return unused;
}

static void* frees(void* unused) {
  usleep(50000);
  hits = hits + 1;
  free(block);
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  block = calloc(16, sizeof(int));
  pthread_t first, second;
  pthread_create(&first, NULL, reads, NULL);
  pthread_create(&second, NULL, frees, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  if (argc > 1) printf("%d hits\n", hits);
  printf("done\n");
  return 0;
}
