; RUN: %instrument %s | FileCheck %s
; RUN: %instrument -load=%plugin -norn-prune=none %s | FileCheck %s --check-prefix=NONE
; What a check covers on other blocks, and what ends it.
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @other()
@flag = global i32 0

; NONE-LABEL: @on_both_paths(
; NONE-COUNT-3: call void @__norn_read4(
; CHECK-LABEL: @on_both_paths(
; CHECK: a:
; CHECK: call void @__norn_read4(
; CHECK: b:
; CHECK: call void @__norn_write4(
; CHECK: join:
; CHECK-NOT: __norn_{{read|write}}
; CHECK: ret i32
; (Each calls something, so that it is no accessor that the condition of a loop might call.)
define i32 @on_both_paths(ptr %p, i1 %c) {
  call void @other()
  %p0 = load i32, ptr @flag
  br i1 %c, label %a, label %b
a:
  %r = load i32, ptr %p
  br label %join
b:
  store i32 1, ptr %p
  br label %join
join:
  %v = load i32, ptr %p
  ret i32 %v
}

; On one of the ways nothing was checked.
; CHECK-LABEL: @on_one_path(
; CHECK: join:
; CHECK: call void @__norn_read4(
; CHECK: ret i32
define i32 @on_one_path(ptr %p, i1 %c) {
  br i1 %c, label %a, label %join
a:
  %r = load i32, ptr %p
  br label %join
join:
  %v = load i32, ptr %p
  ret i32 %v
}

; A read does not cover a write.
; CHECK-LABEL: @too_weak(
; CHECK: call void @__norn_read4(
; CHECK: later:
; CHECK: call void @__norn_write4(
define void @too_weak(ptr %p, i1 %c) {
  %v = load i32, ptr %p
  br i1 %c, label %later, label %end
later:
  store i32 %v, ptr %p
  br label %end
end:
  ret void
}

; Members by constant offsets of the same pointer: one wide check, many narrow accesses.
; CHECK-LABEL: @parts(
; CHECK: call void @__norn_read8(ptr %p,
; CHECK-NOT: __norn_{{read|write}}
; CHECK: ret i32
define i32 @parts(ptr %p) {
  call void @other()
  %all = load i64, ptr %p
  %second = getelementptr i8, ptr %p, i64 4
  %v = load i32, ptr %second
  ret i32 %v
}

; Once before the loop is enough.
; CHECK-LABEL: @loop(
; CHECK: call void @__norn_read4(
; CHECK: body:
; CHECK-NOT: __norn_{{read|write}}
; CHECK: ret void
define void @loop(ptr %p, i32 %n) {
entry:
  %first = load i32, ptr %p
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %again = load i32, ptr %p
  %next = add i32 %i, %again
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %end
end:
  ret void
}

; The pointer is another one in each turn.
; CHECK-LABEL: @moving(
; CHECK: body:
; CHECK: call void @__norn_read4(
define void @moving(ptr %p, ptr %end) {
entry:
  br label %body
body:
  %at = phi ptr [ %p, %entry ], [ %next, %body ]
  %v = load i32, ptr %at
  %next = getelementptr i8, ptr %at, i64 4
  %more = icmp ne ptr %next, %end
  br i1 %more, label %body, label %done
done:
  ret void
}

; Something may synchronize in the loop.
; CHECK-LABEL: @loop_with_call(
; CHECK: body:
; CHECK: call void @__norn_read4(
define void @loop_with_call(ptr %p, i32 %n) {
entry:
  %first = load i32, ptr %p
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %again = load i32, ptr %p
  call void @other()
  %next = add i32 %i, %again
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %end
end:
  ret void
}

; Who waits for @flag in a loop is ordered after the first read, not after the second.
; CHECK-LABEL: @a_store_between(
; CHECK: call void @__norn_read4(ptr %p,
; CHECK: call void @__norn_write4(ptr @flag,
; CHECK: call void @__norn_read4(ptr %p,
define void @a_store_between(ptr %p) {
  %a = load i32, ptr %p
  store i32 1, ptr @flag
  %b = load i32, ptr %p
  ret void
}

; Nobody waits for a number with a fraction.
; CHECK-LABEL: @a_fraction_between(
; CHECK-COUNT-1: call void @__norn_read4(ptr %p,
; CHECK-NOT: __norn_read
; CHECK: ret void
define void @a_fraction_between(ptr %p, ptr %q) {
  %a = load i32, ptr %p
  store double 1.0, ptr %q
  %b = load i32, ptr %p
  ret void
}

; The write after it says more, whatever lies between; on one way only, it does not.
; CHECK-LABEL: @read_then_write_later(
; CHECK-NOT: __norn_read4(ptr %p,
; CHECK: call void @__norn_write4(ptr @flag,
; CHECK: next:
; CHECK: call void @__norn_write4(ptr %p,
; CHECK: ret void
define void @read_then_write_later(ptr %p) {
  %a = load i32, ptr %p
  store i32 1, ptr @flag
  br label %next
next:
  store i32 %a, ptr %p
  ret void
}

; CHECK-LABEL: @read_then_maybe_write(
; CHECK: call void @__norn_read4(ptr %p,
; CHECK: call void @__norn_write4(ptr %p,
define void @read_then_maybe_write(ptr %p) {
  %a = load i32, ptr %p
  %zero = icmp eq i32 %a, 0
  br i1 %zero, label %set, label %end
set:
  store i32 1, ptr %p
  br label %end
end:
  ret void
}

; A loop may never end.
; CHECK-LABEL: @write_after_loop(
; CHECK: call void @__norn_read4(ptr %p,
; CHECK: done:
; CHECK: call void @__norn_write4(ptr %p,
define void @write_after_loop(ptr %p, ptr %q) {
  %a = load i32, ptr %p
  br label %loop
loop:
  %c = load i1, ptr %q
  br i1 %c, label %loop, label %done
done:
  store i32 1, ptr %p
  ret void
}

; A wider read is not told by a narrower write.
; CHECK-LABEL: @narrower(
; CHECK: call void @__norn_read8(ptr %p,
; CHECK: call void @__norn_write4(ptr %p,
define void @narrower(ptr %p) {
  %a = load i64, ptr %p
  store i32 1, ptr %p
  ret void
}

; Nor an earlier write by a later one: somebody may have waited for the first.
; CHECK-LABEL: @two_writes(
; CHECK: call void @__norn_write4(ptr %p,
; CHECK: call void @__norn_write8(ptr %p,
define void @two_writes(ptr %p) {
  store i32 1, ptr %p
  store i64 2, ptr %p
  ret void
}

declare i32 @_setjmp(ptr) returns_twice
; CHECK-LABEL: @returns_twice(
; CHECK: call void @__norn_read4(ptr %p,
; CHECK: call void @__norn_read4(ptr %p,
define void @returns_twice(ptr %p, ptr %buffer) {
  %x = call i32 @_setjmp(ptr %buffer) returns_twice
  %a = load i32, ptr %p
  %b = load i32, ptr %p
  ret void
}
