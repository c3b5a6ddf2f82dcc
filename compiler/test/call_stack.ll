; RUN: %instrument %s | FileCheck %s
; CHECK: @__norn_stack = external thread_local(initialexec) global ptr
; How functions tell which call they are in.
target triple = "x86_64-pc-linux-gnu"
@x = global i32 0
declare void @g()
declare i32 @pure(i32) memory(none) nounwind
declare void @fails() noreturn
declare i32 @setjmp(ptr) returns_twice
declare i32 @personality(...)

; CHECK-LABEL: @no_calls(
; CHECK-NOT: __norn_stack
; CHECK: ret
define i32 @no_calls() {
  %v = load i32, ptr @x
  %w = call i32 @pure(i32 %v)
  ret i32 %w
}

; CHECK-LABEL: @one_call(
; CHECK-NEXT: %norn.sp = load ptr, ptr @__norn_stack
; CHECK-NEXT: store volatile ptr @norn.site{{[.0-9]*}}, ptr %norn.sp
; CHECK-NEXT: %[[UP:.*]] = getelementptr inbounds ptr, ptr %norn.sp, i64 1
; CHECK-NEXT: store volatile ptr %[[UP]], ptr @__norn_stack
; CHECK-NEXT: call void @g()
; CHECK-NEXT: store volatile ptr %norn.sp, ptr @__norn_stack
; CHECK-NEXT: ret void
define void @one_call() {
  call void @g()
  ret void
}

; Between two calls with no hook in between, nobody looks.
; CHECK-LABEL: @two_calls(
; CHECK: call void @g()
; CHECK-NOT: store volatile ptr %norn.sp, ptr @__norn_stack
; CHECK: call void @g()
; CHECK-NEXT: store volatile ptr %norn.sp, ptr @__norn_stack
; CHECK: call void @__norn_write4
define void @two_calls() {
  call void @g()
  call void @g()
  store i32 1, ptr @x
  ret void
}

; A fast path without calls pays nothing.
; CHECK-LABEL: @slow_path(
; CHECK-NOT: __norn_stack
; CHECK: slow:
; CHECK-NEXT: load ptr, ptr @__norn_stack
; CHECK: call void @fails()
; CHECK-NEXT: unreachable
define void @slow_path(i1 %bad) {
  br i1 %bad, label %slow, label %fast
slow:
  call void @fails()
  unreachable
fast:
  ret void
}

; Loaded once, before the loop.
; CHECK-LABEL: @loop(
; CHECK: entry:
; CHECK-NEXT: load ptr, ptr @__norn_stack
; CHECK: again:
; CHECK-NOT: load ptr, ptr @__norn_stack
define void @loop(i1 %more) {
entry:
  br label %again
again:
  call void @g()
  br i1 %more, label %again, label %done
done:
  ret void
}

; CHECK-LABEL: @throws(
; CHECK: invoke void @g()
; CHECK: ok:
; CHECK-NEXT: store volatile ptr %norn.sp, ptr @__norn_stack
; CHECK: pad:
; CHECK-NEXT: landingpad
; CHECK-NEXT: cleanup
; CHECK-NEXT: store volatile ptr %norn.sp, ptr @__norn_stack
define void @throws() personality ptr @personality {
  invoke void @g() to label %ok unwind label %pad
ok:
  ret void
pad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
}

; The restoring store must not run on the way that made no call.
; CHECK-LABEL: @shared_successor(
; CHECK: join:
; CHECK-NOT: store volatile
; CHECK: ret i32
define i32 @shared_successor(i1 %c) personality ptr @personality {
  br i1 %c, label %calls, label %join
calls:
  invoke void @g() to label %join unwind label %pad
join:
  %v = phi i32 [ 0, %0 ], [ 1, %calls ]
  ret i32 %v
pad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
}

; CHECK-LABEL: @again(
; CHECK-NEXT: load ptr, ptr @__norn_stack
; CHECK: call i32 @setjmp
; CHECK-NEXT: store volatile ptr %norn.sp, ptr @__norn_stack
define void @again(ptr %buffer) {
  %r = call i32 @setjmp(ptr %buffer) returns_twice
  call void @g()
  ret void
}

; CHECK-LABEL: @tail(
; CHECK-NEXT: musttail call void @g()
; CHECK-NEXT: ret void
define void @tail() {
  musttail call void @g()
  ret void
}

