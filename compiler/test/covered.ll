; RUN: %instrument %s | FileCheck %s
; An access that another of the block covers is not told twice.
target triple = "x86_64-pc-linux-gnu"
declare void @other()

; CHECK-LABEL: @read_then_write(
; CHECK-NOT: __norn_read
; CHECK: call void @__norn_write4
; CHECK-NOT: __norn
; CHECK: ret void
define void @read_then_write(ptr %p) {
  %a = load i32, ptr %p
  %b = add i32 %a, 1
  store i32 %b, ptr %p
  %c = load i32, ptr %p
  store i32 %b, ptr %p
  ret void
}

; CHECK-LABEL: @a_call_between(
; CHECK: call void @__norn_read4
; CHECK: call void @other
; CHECK: call void @__norn_write4
; CHECK: ret void
define void @a_call_between(ptr %p) {
  %a = load i32, ptr %p
  call void @other()
  store i32 %a, ptr %p
  ret void
}

; CHECK-LABEL: @an_atomic_between(
; CHECK: call void @__norn_write4
; CHECK: call i32 @__norn_atomic32_load
; CHECK: call void @__norn_write4
; CHECK: ret void
define void @an_atomic_between(ptr %p, ptr %flag) {
  store i32 1, ptr %p
  %f = load atomic i32, ptr %flag acquire, align 4
  store i32 2, ptr %p
  ret void
}

; A wider access is not covered by a narrower one, and a volatile one never.
; CHECK-LABEL: @wider(
; CHECK: call void @__norn_write4
; CHECK: call void @__norn_read8
; CHECK: call void @__norn_read4
; CHECK: ret void
define void @wider(ptr %p) {
  store i32 1, ptr %p
  %a = load i64, ptr %p
  %b = load volatile i32, ptr %p
  ret void
}
