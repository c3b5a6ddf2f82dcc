// A hazard that is accepted does not count, nor does the deadlock that it makes when norn check explores.
// RUN: %norn-cc -g %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: NORN_OPTIONS=schedule=rr not %norn check --runs=20 -- %t 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: %norn accept $(%norn list | sed -n 's/^\(R[0-9a-f]*\) .*lock order.*/\1/p') --reason=known | FileCheck %s --check-prefix=ACCEPT
// RUN: NORN_OPTIONS=schedule=rr %norn check --runs=20 -- %t > after.txt 2>&1
// RUN: FileCheck %s --check-prefix=AFTER --input-file=after.txt
// RUN: NORN_OPTIONS=schedule=rr %norn run -- %t > run.txt 2>&1
// RUN: FileCheck %s --check-prefix=TEXT --input-file=run.txt
// RUN: %norn list --accepted | FileCheck %s --check-prefix=LIST
// RUN: %norn accept $(%norn list | sed -n 's/^\(R[0-9a-f]*\) .*/\1/p') --withdraw
// RUN: NORN_OPTIONS=schedule=rr not %norn check --runs=20 -- %t 2>&1 | FileCheck %s --check-prefix=BEFORE
//
// BEFORE: lock order: {{.*}}: confirmed in
// ACCEPT: R{{[0-9a-f]+}}, lock order: {{.*}} is accepted: it does not change the exit status
// AFTER: not counted: R{{[0-9a-f]+}} does the same (lock order: {{.*}}), and is accepted or suppressed
// AFTER: 1 accepted hazard not counted
// TEXT-NOT: are taken in different orders
// TEXT: 1 accepted hazard not counted; norn list --accepted says why
// LIST: lock order: {{.*}}(accepted: known)
#include "deadlock.c"
