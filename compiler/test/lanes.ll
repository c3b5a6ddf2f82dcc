; RUN: %instrument %s | FileCheck %s
; Vector accesses under a mask are told lane by lane.
target triple = "x86_64-pc-linux-gnu"
declare <2 x i32> @llvm.masked.load.v2i32.p0(ptr, i32, <2 x i1>, <2 x i32>)
declare void @llvm.masked.store.v2i64.p0(<2 x i64>, ptr, i32, <2 x i1>)
declare <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x i32>)
declare <4 x i32> @llvm.masked.expandload.v4i32(ptr, <4 x i1>, <4 x i32>)

; CHECK-LABEL: @load(
; CHECK: %[[M0:.*]] = extractelement <2 x i1> %m, i64 0
; CHECK: br i1 %[[M0]]
; CHECK: call void @__norn_read4(ptr %p,
; CHECK: %[[M1:.*]] = extractelement <2 x i1> %m, i64 1
; CHECK: br i1 %[[M1]]
; CHECK: %[[A:.*]] = getelementptr inbounds i32, ptr %p, i64 1
; CHECK: call void @__norn_read4(ptr %[[A]],
; CHECK: call <2 x i32> @llvm.masked.load
define <2 x i32> @load(ptr %p, <2 x i1> %m) {
  %v = call <2 x i32> @llvm.masked.load.v2i32.p0(ptr %p, i32 4, <2 x i1> %m, <2 x i32> zeroinitializer)
  ret <2 x i32> %v
}

; CHECK-LABEL: @store(
; CHECK-NOT: br
; CHECK: call void @__norn_write8
; CHECK-NOT: __norn
; CHECK: call void @llvm.masked.store
define void @store(ptr %p) {
  call void @llvm.masked.store.v2i64.p0(<2 x i64> zeroinitializer, ptr %p, i32 8, <2 x i1> <i1 false, i1 true>)
  ret void
}

; CHECK-LABEL: @gather(
; CHECK: %[[A:.*]] = extractelement <2 x ptr> %p, i64 0
; CHECK: call void @__norn_read4(ptr %[[A]],
define <2 x i32> @gather(<2 x ptr> %p, <2 x i1> %m) {
  %v = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> %p, i32 4, <2 x i1> %m, <2 x i32> zeroinitializer)
  ret <2 x i32> %v
}

; CHECK-LABEL: @expand(
; CHECK: call i4 @llvm.ctpop
; CHECK: call void @__norn_read_range(ptr %p, i64 %
define <4 x i32> @expand(ptr %p, <4 x i1> %m) {
  %v = call <4 x i32> @llvm.masked.expandload.v4i32(ptr %p, <4 x i1> %m, <4 x i32> zeroinitializer)
  ret <4 x i32> %v
}
