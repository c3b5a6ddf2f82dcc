; RUN: opt -load-pass-plugin=%plugin -load=%plugin -norn-checks=inline -passes=norn,verify -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%plugin -load=%plugin -norn-checks=inline -norn-prune=inline -passes=norn,verify -S %s | FileCheck %s --check-prefix=OFF
; RUN: %instrument %s | FileCheck %s --check-prefix=OFF
; RUN: opt -load-pass-plugin=%plugin -load=%plugin -norn-checks=inline -norn-profile=sampling -passes=norn,verify -S %s | FileCheck %s --check-prefix=OFF
target triple = "x86_64-unknown-linux-gnu"

; OFF-NOT: __norn_run_

; Of n turns, if they are enough, the hook is told; then the copy has no checks.
; CHECK-LABEL: define internal double @total(
; CHECK: %[[LONG:.*]] = icmp uge i64 %n, 8
; CHECK: br i1 %[[LONG]], label %[[TELL:.*]], label
; CHECK: {{^}}loop.unchecked:
; CHECK-NOT: __norn_slow
; CHECK: [[TELL]]:
; CHECK: %[[TOLD:.*]] = call i64 @__norn_run_read(ptr %p, i64 %n, i64 8, i64 8, ptr @
; CHECK: %[[ALL:.*]] = icmp ne i64 %[[TOLD]], 0
; CHECK: br i1 %[[ALL]], label %{{.*}}.unchecked, label
; CHECK: call preserve_mostcc void @__norn_slow_read8(
; CHECK: ret double
define internal double @total(ptr %p, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr double, ptr %p, i64 %i
  %v = load double, ptr %at, align 8
  %more = fadd double %sum, %v
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret double %more
}

; The loop comes to each element as p[i + 1] first. Backwards the last is the first.
; CHECK-LABEL: define void @neighbours(
; CHECK: %[[AFTER:.*]] = getelementptr i8, ptr %p, i64 8
; CHECK: %[[TIME:.*]] = call i64 @__norn_run_read(ptr %[[AFTER]], i64 %n, i64 8, i64 8,
; CHECK: %[[TOLD:.*]] = icmp ne i64 %[[TIME]], 0
; CHECK: %[[OTHER:.*]] = call i64 @__norn_run_write(ptr %p, i64 %n, i64 8, i64 8,
; CHECK: %[[SAME:.*]] = icmp eq i64 %[[OTHER]], %[[TIME]]
; CHECK: and i1 %[[TOLD]], %[[SAME]]
define void @neighbours(ptr %p, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %here = getelementptr double, ptr %p, i64 %i
  %next = add nuw i64 %i, 1
  %there = getelementptr double, ptr %p, i64 %next
  %v = load double, ptr %there, align 8
  store double %v, ptr %here, align 8
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}

; CHECK-LABEL: define internal double @backwards(
; CHECK: %[[FIRST:.*]] = getelementptr i8, ptr %p, i64 -8176
; CHECK: call i64 @__norn_run_read(ptr %[[FIRST]], i64 512, i64 16, i64 8,
define internal double @backwards(ptr %p) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr [2 x double], ptr %p, i64 %i
  %v = load double, ptr %at, align 8
  %more = fadd double %sum, %v
  %next = add nsw i64 %i, -1
  %done = icmp eq i64 %next, -512
  br i1 %done, label %out, label %loop
out:
  ret double %more
}

; What is done in some turns only keeps its check, in both copies.
; CHECK-LABEL: define void @sometimes(
; CHECK: call preserve_mostcc void @__norn_slow_read8(ptr %there.unchecked,
; CHECK-NOT: __norn_slow
; CHECK: call i64 @__norn_run_read(ptr %p,
; CHECK: call preserve_mostcc void @__norn_slow_read8(ptr %at,
; CHECK: call preserve_mostcc void @__norn_slow_read8(ptr %there,
; CHECK-NOT: __norn_slow
; CHECK: }
define void @sometimes(ptr %p, ptr %q, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %on ]
  %at = getelementptr double, ptr %p, i64 %i
  %v = load double, ptr %at, align 8
  %odd = trunc i64 %i to i1
  br i1 %odd, label %other, label %on
other:
  %there = getelementptr double, ptr %q, i64 %i
  %w = load double, ptr %there, align 8
  br label %on
on:
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}

; Somebody may wait for a number that is whole: the hook says whether they do.
; CHECK-LABEL: define void @flags(
; CHECK: call i64 @__norn_run_write(ptr %p, i64 %n, i64 8, i64 8,
; CHECK: ret void
define void @flags(ptr %p, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i64, ptr %p, i64 %i
  store i64 1, ptr %at, align 8
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}

; Such a loop is told of as a whole or not at all.
; CHECK-LABEL: define void @flags_and_some(
; CHECK-NOT: __norn_run_
; CHECK: ret void
define void @flags_and_some(ptr %p, ptr %q, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %index = getelementptr i64, ptr %q, i64 %i
  %there = load i64, ptr %index, align 8
  %other = getelementptr double, ptr %q, i64 %there
  store double 1.0, ptr %other, align 8
  %at = getelementptr i64, ptr %p, i64 %i
  store i64 1, ptr %at, align 8
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}

; It may be left before its end.
; CHECK-LABEL: define void @search(
; CHECK-NOT: __norn_run_
; CHECK: ret void
define void @search(ptr %p, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %on ]
  %at = getelementptr double, ptr %p, i64 %i
  %v = load double, ptr %at, align 8
  %found = fcmp oeq double %v, 0.0
  br i1 %found, label %out, label %on
on:
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}

; It synchronizes.
; CHECK-LABEL: define void @counts(
; CHECK-NOT: __norn_run_
; CHECK: ret void
define void @counts(ptr %p, ptr %c, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr double, ptr %p, i64 %i
  store double 1.0, ptr %at, align 8
  %old = atomicrmw add ptr %c, i64 1 seq_cst
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}
