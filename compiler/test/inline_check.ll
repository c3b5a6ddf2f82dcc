; RUN: opt -load-pass-plugin=%plugin -load=%plugin -norn-checks=inline -passes=norn,verify -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; Fewer bytes than a granule has look at two of its shadow words, with one branch.
; CHECK-LABEL: define i32 @word(
; CHECK: %[[FAST:.*]] = load ptr, ptr @__norn_fast
; CHECK: shl i64 1006632960, %
; CHECK: or i64 %{{.*}}, -17112760321
; CHECK-NOT: br i1
; CHECK: %[[OTHERS:.*]] = getelementptr inbounds i8, ptr %[[FAST]], i64 40
; CHECK: load volatile i64, ptr %[[OTHERS]]
; CHECK: call i64 @llvm.umin.i64(
; CHECK: br i1 %{{.*}}, label %[[SLOW:.*]], label %[[ON:.*]], !prof
; CHECK: call preserve_mostcc void @__norn_slow_read4(ptr %p, ptr @
; CHECK-NEXT: br label
; CHECK: %v = load i32, ptr %p
define i32 @word(ptr %p) {
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

; The byte decides the bit.
; CHECK-LABEL: define void @byte(
; CHECK: and i64 %{{.*}}, 7
; CHECK: shl i64 67108864, %
; CHECK: call preserve_mostcc void @__norn_slow_write1(
define void @byte(ptr %p) {
  store i8 1, ptr %p, align 1
  ret void
}

; All bytes of a granule: nothing to choose from.
; CHECK-LABEL: define void @two_words(
; CHECK-NOT: 67108864
; CHECK: and i64 %{{.*}}, -8388608
; CHECK: br i1
; CHECK-NOT: br i1
; CHECK: call preserve_mostcc void @__norn_slow_write8(
define void @two_words(ptr %p) {
  store i64 1, ptr %p, align 8
  ret void
}

; What lies across granules makes the call.
; CHECK-LABEL: define i32 @unaligned(
; CHECK: %[[LAST:.*]] = add i64 %{{.*}}, 3
; CHECK: %[[OVER:.*]] = and i64 %[[LAST]], 8
; CHECK: or i64 %{{.*}}, %[[OVER]]
; CHECK: call preserve_mostcc void @__norn_slow_read4(
; CHECK: ret
define i32 @unaligned(ptr %p) {
  %v = load i32, ptr %p, align 2
  ret i32 %v
}

; Two granules, or three.
; CHECK-LABEL: define <4 x i32> @vector(
; CHECK: %[[LAST:.*]] = add i64 %{{.*}}, 7
; CHECK: and i64 %[[LAST]], 8
; CHECK: call preserve_mostcc void @__norn_slow_read16(
define <4 x i32> @vector(ptr %p) {
  %v = load <4 x i32>, ptr %p, align 4
  ret <4 x i32> %v
}

; Rare code is not made longer.
; CHECK-LABEL: define i32 @rare(
; CHECK: call void @__norn_read4(
define i32 @rare(ptr %p) cold {
  %v = load i32, ptr %p, align 4
  ret i32 %v
}
