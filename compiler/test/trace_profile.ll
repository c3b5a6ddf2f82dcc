; The trace profile: one copy, nothing left out, and the runtime is told which regions are executed.
; RUN: opt -load-pass-plugin=%plugin -load=%plugin -norn-profile=trace -norn-prune=none -passes=norn,verify -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

@x = global i32 0
@constant = constant i32 7

; CHECK: @[[LOOP:norn.region[.0-9]*]] = private global i32 0, align 4
; CHECK: @[[FUNCTION:norn.region[.0-9]*]] = private global i32 0, align 4

; CHECK-LABEL: define void @loop(
; CHECK: call void @__norn_region(ptr @[[FUNCTION]], i32 0)
; CHECK: body.norn.again:
; CHECK-NEXT: call void @__norn_region(ptr @[[LOOP]], i32 3)
; CHECK: body:
; CHECK: call void @__norn_write4(ptr @x
; CHECK: out.norn.left:
; CHECK-NEXT: call void @__norn_region(ptr @[[LOOP]], i32 5)
; CHECK: call void @__norn_region(ptr null, i32 6)
; CHECK-NEXT: ret void
define void @loop(i32 %n) sanitize_thread {
  br label %body
body:
  %i = phi i32 [ 0, %0 ], [ %next, %body ]
  store i32 %i, ptr @x
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %out, label %body
out:
  ret void
}

; What is constant or was read before is an access all the same.
; CHECK-LABEL: define i32 @reads(
; CHECK: call void @__norn_read4(ptr @constant
; CHECK: call void @__norn_read4(ptr @x
; CHECK: call void @__norn_read4(ptr @x
; CHECK: ret i32
define i32 @reads() sanitize_thread {
  %c = load i32, ptr @constant
  %a = load i32, ptr @x
  %b = load i32, ptr @x
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  ret i32 %abc
}

; A tail call that must be one ends the function.
; CHECK-LABEL: define void @tail(
; CHECK: call void @__norn_region(ptr null, i32 6)
; CHECK-NEXT: musttail call void @tail(
; CHECK-NEXT: ret void
define void @tail(i32 %n) sanitize_thread {
  store i32 %n, ptr @x
  musttail call void @tail(i32 %n)
  ret void
}

; The sampling profile has one copy of it: it is always checked.
; CHECK-LABEL: define void @twice(
; CHECK: call void @__norn_region(ptr @{{norn.region[.0-9]*}}, i32 1)
declare i32 @setjmp(ptr) returns_twice
define void @twice(ptr %p) sanitize_thread {
  %r = call i32 @setjmp(ptr %p)
  ret void
}
