# Code without bitcode.
	.globl fee
	.type fee, @function
fee:
	xorl %eax, %eax
	ret
	.size fee, .-fee
	.section .note.GNU-stack,"",@progbits
