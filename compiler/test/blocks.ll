; RUN: %instrument %s | FileCheck %s
; Memory intrinsics: short ones stay, with hooks before them; others are done by the runtime.
target triple = "x86_64-pc-linux-gnu"
@table = constant [64 x i8] zeroinitializer

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
declare void @takes(ptr byval([3 x i64]))

; CHECK-LABEL: @short(
; CHECK: call void @__norn_read_range(ptr %q, i64 24,
; CHECK: call void @__norn_write_range(ptr %p, i64 24,
; CHECK: call void @llvm.memcpy
; CHECK: call void @__norn_write16(ptr %r,
; CHECK: call void @llvm.memset
define void @short(ptr %p, ptr %q, ptr %r) {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 24, i1 false)
  call void @llvm.memset.p0.i64(ptr %r, i8 0, i64 16, i1 false)
  ret void
}

; CHECK-LABEL: @long(
; CHECK: call ptr @__norn_memcpy(ptr %p, ptr %q, i64 %n, ptr @norn.site{{[.0-9]*}}, ptr @norn.site
; CHECK: call ptr @__norn_memmove(ptr %p, ptr %q, i64 8, ptr @norn.site{{[.0-9]*}}, ptr @norn.site
; CHECK: call ptr @__norn_memset(ptr %p, i32 255, i64 100, ptr @norn.site
; CHECK-NOT: llvm.mem
; CHECK: ret void
define void @long(ptr %p, ptr %q, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 8, i1 false)
  call void @llvm.memset.p0.i32(ptr %p, i8 -1, i32 100, i1 false)
  ret void
}

; One side that needs no check has no site; two such sides need no hook, unless the library's function would be called.
; CHECK-LABEL: @one_side(
; CHECK: call ptr @__norn_memcpy(ptr %p, ptr @table, i64 64, ptr @norn.site{{[.0-9]*}}, ptr null)
; CHECK: call void @llvm.memcpy
define void @one_side(ptr %p) {
  %local = alloca [64 x i8]
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @table, i64 64, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr @table, i64 64, i1 false)
  ret void
}

; CHECK-LABEL: @unseen(
; CHECK: call ptr @__norn_memset(ptr %local, i32 0, i64 %n, ptr null)
; CHECK: call ptr @__norn_memset(ptr %local, i32 0, i64 129, ptr null)
; CHECK: call void @llvm.memset
define void @unseen(i64 %n) {
  %local = alloca [256 x i8]
  call void @llvm.memset.p0.i64(ptr %local, i8 0, i64 %n, i1 false)
  call void @llvm.memset.p0.i64(ptr %local, i8 0, i64 129, i1 false)
  call void @llvm.memset.p0.i64(ptr %local, i8 0, i64 128, i1 false)
  ret void
}

; CHECK-LABEL: @by_value(
; CHECK: call void @__norn_read_range(ptr %p, i64 24,
; CHECK: call void @takes
define void @by_value(ptr %p) {
  call void @takes(ptr byval([3 x i64]) %p)
  ret void
}
