; RUN: %instrument %s | FileCheck %s
; Code for anything but x86-64 is left as it is.
target triple = "nvptx64-nvidia-cuda"
; CHECK-NOT: __norn
define void @f(ptr %p) {
  store i32 1, ptr %p
  ret void
}
