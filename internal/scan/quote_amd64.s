#include "textflag.h"

// func blockQuote(b []byte) int
//
// SI is the text, AX the place in it, CX the last place at which a block fits. DX is
// 1 if the byte at that place is escaped by the block before, else 0.
TEXT ·blockQuote(SB), NOSPLIT, $0-32
	MOVQ b_base+0(FP), SI
	MOVQ b_len+8(FP), CX
	SUBQ $64, CX
	XORQ AX, AX
	XORQ DX, DX
	MOVQ $0x2222222222222222, R8 // quotes
	VMOVQ R8, X0
	VPBROADCASTQ X0, Y0
	MOVQ $0x5c5c5c5c5c5c5c5c, R8 // backslashes
	VMOVQ R8, X1
	VPBROADCASTQ X1, Y1
	MOVQ $0xaaaaaaaaaaaaaaaa, R13 // the odd places

block:
	CMPQ AX, CX
	JGT  none

	// R8 gets a bit for each quote, R10 one for each backslash.
	VMOVDQU   (SI)(AX*1), Y2
	VMOVDQU   32(SI)(AX*1), Y3
	VPCMPEQB  Y0, Y2, Y4
	VPCMPEQB  Y0, Y3, Y5
	VPCMPEQB  Y1, Y2, Y6
	VPCMPEQB  Y1, Y3, Y7
	VPMOVMSKB Y4, R8
	VPMOVMSKB Y5, R9
	VPMOVMSKB Y6, R10
	VPMOVMSKB Y7, R11
	SHLQ      $32, R9
	ORQ       R9, R8
	SHLQ      $32, R11
	ORQ       R11, R10

	// R11 are the backslashes that no block before escapes. Taking them from the
	// places behind them, with all odd places set, borrows through a run to its
	// beginning: what then differs from the odd places is every second backslash
	// of a run, from its first on, and the place behind a run of odd length.
	MOVQ DX, R11
	NOTQ R11
	ANDQ R10, R11
	LEAQ (R11)(R11*1), R12
	ORQ  R13, R12
	SUBQ R11, R12
	XORQ R13, R12

	// BX are the places that are escaped: those, but for the backslashes that
	// escape, with the ones that are escaped themselves.
	MOVQ R10, BX
	ORQ  DX, BX
	XORQ R12, BX
	NOTQ BX
	ANDQ R8, BX
	JNZ  found
	ADDQ $64, AX

	// The run at the end of the block is odd if what stands before it has an even
	// place. This way the next block need not wait for the sum above.
	XORQ $-1, R10
	JZ   block // nothing but backslashes: DX stays
	BSRQ R10, R10
	MOVQ R10, DX
	NOTQ DX
	ANDQ $1, DX
	JMP  block

found:
	BSFQ BX, BX
	ADDQ BX, AX
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET

none:
	ADDQ DX, AX
	NOTQ AX
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET
