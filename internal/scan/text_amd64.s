#include "textflag.h"

// func blockText(out, v []byte) (i, n int)
//
// SI is v and AX the place in it, DI is out and BX the place in that. CX and DX are
// the last places at which a block fits: of v, one byte more is looked at, since a
// backslash that ends a block is not the end of its escape.
TEXT ·blockText(SB), NOSPLIT, $0-64
	MOVQ out_base+0(FP), DI
	MOVQ out_len+8(FP), DX
	MOVQ v_base+24(FP), SI
	MOVQ v_len+32(FP), CX
	SUBQ $32, DX
	SUBQ $33, CX
	XORQ AX, AX
	XORQ BX, BX
	LEAQ ·simple(SB), R10
	MOVQ $0x5c5c5c5c5c5c5c5c, R8 // backslashes
	VMOVQ R8, X1
	VPBROADCASTQ X1, Y1
	VPXOR Y0, Y0, Y0 // NUL bytes

block:
	CMPQ AX, CX
	JGT  done
	CMPQ BX, DX
	JGT  done

	// All is copied, up to what must be looked at. The rest is overwritten.
	VMOVDQU   (SI)(AX*1), Y2
	VMOVDQU   Y2, (DI)(BX*1)
	VPCMPEQB  Y1, Y2, Y3
	VPCMPEQB  Y0, Y2, Y4
	VPOR      Y3, Y4, Y3
	VPOR      Y2, Y3, Y3 // the top bit of what is not ASCII is set already
	VPMOVMSKB Y3, R8
	TESTL     R8, R8
	JZ        plain
	BSFL      R8, R8
	ADDQ      R8, AX
	ADDQ      R8, BX

	// An escape of one letter; anything else is for the caller.
	CMPB    (SI)(AX*1), $0x5c
	JNE     done
	MOVBLZX 1(SI)(AX*1), R9
	MOVBLZX (R10)(R9*1), R9
	TESTL   R9, R9
	JZ      done
	MOVB    R9, (DI)(BX*1)
	ADDQ    $2, AX
	INCQ    BX
	JMP     block

plain:
	ADDQ $32, AX
	ADDQ $32, BX
	JMP  block

done:
	MOVQ AX, i+48(FP)
	MOVQ BX, n+56(FP)
	VZEROUPPER
	RET
