#include "textflag.h"

// func blockBracket(b []byte, s *brackets) int
//
// SI is the text, AX the place in it, CX the last place at which a block fits. DI is
// the depth, DX 1 if the byte at AX is escaped, R11 all ones if it is inside a string.
TEXT ·blockBracket(SB), NOSPLIT, $0-40
	MOVQ b_base+0(FP), SI
	MOVQ b_len+8(FP), CX
	MOVQ s+24(FP), BX
	SUBQ $64, CX
	XORQ AX, AX
	MOVQ 0(BX), DI
	MOVQ 8(BX), DX
	MOVQ 16(BX), R11
	MOVQ $0x2222222222222222, R8 // quotes
	VMOVQ R8, X0
	VPBROADCASTQ X0, Y0
	MOVQ $0x5c5c5c5c5c5c5c5c, R8 // backslashes
	VMOVQ R8, X1
	VPBROADCASTQ X1, Y1
	MOVQ $0x7b7b7b7b7b7b7b7b, R8 // opening brackets, once their bit 5 is set
	VMOVQ R8, X8
	VPBROADCASTQ X8, Y8
	MOVQ $0x7d7d7d7d7d7d7d7d, R8 // closing ones
	VMOVQ R8, X9
	VPBROADCASTQ X9, Y9
	MOVQ $0x2020202020202020, R8
	VMOVQ R8, X10
	VPBROADCASTQ X10, Y10
	VPCMPEQB X11, X11, X11 // all ones

block:
	CMPQ AX, CX
	JGT  none
	VMOVDQU (SI)(AX*1), Y2
	VMOVDQU 32(SI)(AX*1), Y3

	// R8 gets a bit for each quote that is not escaped, as in blockQuote.
	VPCMPEQB  Y0, Y2, Y4
	VPCMPEQB  Y0, Y3, Y5
	VPCMPEQB  Y1, Y2, Y6
	VPCMPEQB  Y1, Y3, Y7
	VPMOVMSKB Y4, R8
	VPMOVMSKB Y5, R9
	VPMOVMSKB Y6, R10
	VPMOVMSKB Y7, R12
	SHLQ      $32, R9
	ORQ       R9, R8
	SHLQ      $32, R12
	ORQ       R12, R10
	MOVQ      $0xaaaaaaaaaaaaaaaa, R13
	MOVQ      DX, R9
	NOTQ      R9
	ANDQ      R10, R9
	LEAQ      (R9)(R9*1), R12
	ORQ       R13, R12
	SUBQ      R9, R12
	XORQ      R13, R12
	MOVQ      R10, R9
	ORQ       DX, R9
	XORQ      R12, R9
	NOTQ      R9
	ANDQ      R9, R8
	ANDQ      R10, R12
	SHRQ      $63, R12
	MOVQ      R12, DX

	// R8 becomes what is inside strings: each place gets the sum of all quotes up to
	// it, which is a product without carries by all ones.
	VMOVQ      R8, X4
	VPCLMULQDQ $0, X11, X4, X4
	VMOVQ      X4, R8
	XORQ       R11, R8
	MOVQ       R8, R11
	SARQ       $63, R11
	NOTQ       R8
	TESTQ      R10, R8 // outside of them, a backslash escapes nothing
	JNZ        odd

	// R9 are the brackets outside of them that open, R10 those that close.
	VPOR      Y10, Y2, Y2
	VPOR      Y10, Y3, Y3
	VPCMPEQB  Y8, Y2, Y4
	VPCMPEQB  Y8, Y3, Y5
	VPCMPEQB  Y9, Y2, Y6
	VPCMPEQB  Y9, Y3, Y7
	VPMOVMSKB Y4, R9
	VPMOVMSKB Y5, R12
	VPMOVMSKB Y6, R10
	VPMOVMSKB Y7, R13
	SHLQ      $32, R12
	ORQ       R12, R9
	SHLQ      $32, R13
	ORQ       R13, R10
	ANDQ      R8, R9
	ANDQ      R8, R10
	ORQ       R9, R10

	// R10 are both. One after the other is taken from the lowest bit.
bracket:
	TESTQ R10, R10
	JZ    next
	BSFQ  R10, R12
	LEAQ  -1(R10), R13
	ANDQ  R13, R10
	BTQ   R12, R9
	JCS   opens
	SUBQ  $1, DI
	JNZ   bracket
	ADDQ  R12, AX
	MOVQ  AX, ret+32(FP)
	VZEROUPPER
	RET

opens:
	ADDQ $1, DI
	JMP  bracket

next:
	ADDQ $64, AX
	JMP  block

odd:
	MOVQ $-2, ret+32(FP)
	VZEROUPPER
	RET

none:
	MOVQ DI, 0(BX)
	MOVQ DX, 8(BX)
	MOVQ R11, 16(BX)
	MOVQ $-1, ret+32(FP)
	VZEROUPPER
	RET
