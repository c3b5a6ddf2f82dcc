; RUN: %instrument %s | FileCheck %s
; Loads and stores by size; other sizes as a range; nothing for what no other thread can reach.
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

@shared = global i32 0
@fixed = constant i32 7
declare void @escape(ptr)

; CHECK-LABEL: @sizes(
define void @sizes(ptr %p, ptr %q) {
; CHECK: call void @__norn_read1(ptr %p, ptr @norn.site
; CHECK-NEXT: load i8, ptr %p
  %a = load i8, ptr %p
; CHECK: call void @__norn_write2(ptr %q,
  store i16 1, ptr %q
  %p4 = getelementptr i8, ptr %p, i64 4
; CHECK: call void @__norn_read4(ptr %p4,
  %b = load float, ptr %p4
  %q8 = getelementptr i8, ptr %q, i64 8
; CHECK: call void @__norn_write8(ptr %q8,
  store ptr %p, ptr %q8
  %p16 = getelementptr i8, ptr %p, i64 16
; CHECK: call void @__norn_read16(ptr %p16,
  %c = load <4 x i32>, ptr %p16
  %p32 = getelementptr i8, ptr %p, i64 32
; CHECK: call void @__norn_read_range(ptr %p32, i64 32,
  %d = load <8 x i32>, ptr %p32
  %q16 = getelementptr i8, ptr %q, i64 16
; CHECK: call void @__norn_write_range(ptr %q16, i64 10,
  store x86_fp80 0xK00000000000000000000, ptr %q16
  ret void
}

; CHECK-LABEL: @unreachable_by_others(
; CHECK-NOT: __norn
; CHECK: ret i32
define i32 @unreachable_by_others(ptr byval(i32) %own) {
  %local = alloca [4 x i32]
  %element = getelementptr [4 x i32], ptr %local, i64 0, i64 2
  store i32 1, ptr %element
  %a = load i32, ptr %element
  %b = load i32, ptr @fixed
  %c = load i32, ptr %own
  %sum = add i32 %a, %b
  ret i32 %sum
}

; CHECK-LABEL: @escapes(
define void @escapes() {
  %local = alloca i32
; Published by what follows, which orders nothing: others may race with it.
; CHECK: call void @__norn_write4(ptr %local,
  store i32 1, ptr %local
  call void @escape(ptr %local)
  ret void
}

; CHECK-LABEL: @exempt(
; CHECK-NOT: __norn
; CHECK: ret void
define void @exempt(ptr %p) disable_sanitizer_instrumentation {
  store i32 1, ptr %p
  ret void
}

; CHECK: define linkonce_odr hidden void @__norn_module_ctor()
; CHECK: call void @__norn_module_init_v8(ptr @__norn_module)
; CHECK-NOT: sanitize_thread
