; RUN: %instrument %s | FileCheck %s
; The hook of a write is given what is written, in 64 bits, where that is one value. The site says so (32), and what the
; value is, as far as the code says that (3 << 8: a floating-point number, 6 << 8: a pointer).
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; The last of a site's members are its kind, order, size and flags.
; CHECK-DAG: @[[BYTE:norn.site[.0-9]*]] = {{.*}}, i8 1, i8 0, i16 1, i32 32 }
; CHECK-DAG: @[[FLOAT:norn.site[.0-9]*]] = {{.*}}, i8 1, i8 0, i16 4, i32 800 }
; CHECK-DAG: @[[DOUBLE:norn.site[.0-9]*]] = {{.*}}, i8 1, i8 0, i16 8, i32 800 }
; CHECK-DAG: @[[POINTER:norn.site[.0-9]*]] = {{.*}}, i8 1, i8 0, i16 8, i32 1568 }
; CHECK-DAG: @[[VOLATILE:norn.site[.0-9]*]] = {{.*}}, i8 1, i8 0, i16 2, i32 33 }
; CHECK-DAG: @[[PAIR:norn.site[.0-9]*]] = {{.*}}, i8 1, i8 0, i16 {{[48]}}, i32 0 }

; CHECK-LABEL: @values(
define void @values(ptr %p, i8 %byte, i16 %short, float %float, double %double, ptr %pointer, <2 x float> %pair) {
; CHECK: [[WIDE:%.*]] = zext i8 %byte to i64
; CHECK: call void @__norn_write1(ptr %p, ptr @[[BYTE]], i64 [[WIDE]])
  store i8 %byte, ptr %p
  %f = getelementptr i8, ptr %p, i64 8
; CHECK: [[BITS:%.*]] = bitcast float %float to i32
; CHECK: [[WIDE:%.*]] = zext i32 [[BITS]] to i64
; CHECK: call void @__norn_write4(ptr %f, ptr @[[FLOAT]], i64 [[WIDE]])
  store float %float, ptr %f
  %d = getelementptr i8, ptr %p, i64 16
; CHECK: [[BITS:%.*]] = bitcast double %double to i64
; CHECK: call void @__norn_write8(ptr %d, ptr @[[DOUBLE]], i64 [[BITS]])
  store double %double, ptr %d
  %q = getelementptr i8, ptr %p, i64 24
; CHECK: [[BITS:%.*]] = ptrtoint ptr %pointer to i64
; CHECK: call void @__norn_write8(ptr %q, ptr @[[POINTER]], i64 [[BITS]])
  store ptr %pointer, ptr %q
  %v = getelementptr i8, ptr %p, i64 32
; CHECK: [[WIDE:%.*]] = zext i16 %short to i64
; CHECK: call void @__norn_write2(ptr %v, ptr @[[VOLATILE]], i64 [[WIDE]])
  store volatile i16 %short, ptr %v
  %two = getelementptr i8, ptr %p, i64 40
; CHECK: call void @__norn_write8(ptr %two, ptr @[[PAIR]], i64 poison)
  store <2 x float> %pair, ptr %two
  ret void
}
