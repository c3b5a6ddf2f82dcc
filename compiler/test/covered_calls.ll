; RUN: %instrument %s | FileCheck %s
; Calls of what surely does not synchronize do not end what is covered.
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @other()
declare i64 @strlen(ptr)
declare void @pthread_mutex_lock(ptr)

define internal i32 @quiet(ptr %q, i32 %n) {
  %v = load i32, ptr %q
  %done = icmp eq i32 %n, 0
  br i1 %done, label %end, label %again
again:
  %less = sub i32 %n, 1
  %r = call i32 @quiet(ptr %q, i32 %less)
  br label %end
end:
  ret i32 %v
}
define internal void @stores(ptr %q) {
  store i32 1, ptr %q
  ret void
}
define internal void @locks(ptr %q) {
  call void @pthread_mutex_lock(ptr %q)
  ret void
}
define internal void @fences() {
  fence release
  ret void
}
define linkonce void @replaceable() {
  ret void
}

; CHECK-LABEL: @past_quiet(
; CHECK-COUNT-1: call void @__norn_read4(ptr %p,
; CHECK-NOT: __norn_read4(ptr %p,
; CHECK: ret void
define void @past_quiet(ptr %p, ptr %q) {
  %a = load i32, ptr %p
  %x = call i32 @quiet(ptr %q, i32 3)
  %y = call i64 @strlen(ptr %q)
  %b = load i32, ptr %p
  ret void
}

; CHECK-LABEL: @past_a_store(
; CHECK: call void @__norn_read4(ptr %p,
; CHECK: call void @__norn_read4(ptr %p,
define void @past_a_store(ptr %p, ptr %q) {
  %a = load i32, ptr %p
  call void @stores(ptr %q)
  %b = load i32, ptr %p
  ret void
}

; CHECK-LABEL: @past_a_lock(
; CHECK: call void @__norn_read4(ptr %p,
; CHECK: call void @__norn_read4(ptr %p,
define void @past_a_lock(ptr %p, ptr %q) {
  %a = load i32, ptr %p
  call void @locks(ptr %q)
  %b = load i32, ptr %p
  ret void
}

; CHECK-LABEL: @past_a_fence(
; CHECK: call void @__norn_read4(ptr %p,
; CHECK: call void @__norn_read4(ptr %p,
define void @past_a_fence(ptr %p) {
  %a = load i32, ptr %p
  call void @fences()
  %b = load i32, ptr %p
  ret void
}

; The linker may choose another one.
; CHECK-LABEL: @past_replaceable(
; CHECK: call void @__norn_read4(ptr %p,
; CHECK: call void @__norn_read4(ptr %p,
define void @past_replaceable(ptr %p) {
  %a = load i32, ptr %p
  call void @replaceable()
  %b = load i32, ptr %p
  ret void
}
