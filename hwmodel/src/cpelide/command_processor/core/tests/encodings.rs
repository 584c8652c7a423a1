//! Encodings, written down from the manual's listings and checked with an assembler.

use super::super::{compressed, decode::Op};
use super::*;

#[test]
fn compressed_instructions_stand_for_these() {
    let pairs = [
        (0x0001, 0x0000_0013), // c.nop               addi zero, zero, 0
        (0x1800, 0x0301_0413), // c.addi4spn s0, 48   addi s0, sp, 48
        (0x1ffc, 0x3fc1_0793), // c.addi4spn a5, 1020 addi a5, sp, 1020
        (0x4188, 0x0005_a503), // c.lw a0, 0(a1)      lw a0, 0(a1)
        (0x5ffc, 0x07c7_a783), // c.lw a5, 124(a5)    lw a5, 124(a5)
        (0xc188, 0x00a5_a023), // c.sw a0, 0(a1)      sw a0, 0(a1)
        (0xdffc, 0x06f7_ae23), // c.sw a5, 124(a5)    sw a5, 124(a5)
        (0x1141, 0xff01_0113), // c.addi sp, -16      addi sp, sp, -16
        (0x157d, 0xfff5_0513), // c.addi a0, -1       addi a0, a0, -1
        (0x2001, 0x0000_00ef), // c.jal 0             jal ra, 0
        (0x3ffd, 0xffff_f0ef), // c.jal -2            jal ra, -2
        (0x4501, 0x0000_0513), // c.li a0, 0          addi a0, zero, 0
        (0x557d, 0xfff0_0513), // c.li a0, -1         addi a0, zero, -1
        (0x7179, 0xfd01_0113), // c.addi16sp -48      addi sp, sp, -48
        (0x617d, 0x1f01_0113), // c.addi16sp 496      addi sp, sp, 496
        (0x6505, 0x0000_1537), // c.lui a0, 1         lui a0, 1
        (0x757d, 0xffff_f537), // c.lui a0, 0xfffff   lui a0, 0xfffff
        (0x8105, 0x0015_5513), // c.srli a0, 1        srli a0, a0, 1
        (0x85fd, 0x41f5_d593), // c.srai a1, 31       srai a1, a1, 31
        (0x9979, 0xffe5_7513), // c.andi a0, -2       andi a0, a0, -2
        (0x8d0d, 0x40b5_0533), // c.sub a0, a1        sub a0, a0, a1
        (0x8d2d, 0x00b5_4533), // c.xor a0, a1        xor a0, a0, a1
        (0x8d4d, 0x00b5_6533), // c.or a0, a1         or a0, a0, a1
        (0x8d6d, 0x00b5_7533), // c.and a0, a1        and a0, a0, a1
        (0xa001, 0x0000_006f), // c.j 0               jal zero, 0
        (0xaffd, 0x7fe0_006f), // c.j 2046            jal zero, 2046
        (0xb001, 0x801f_f06f), // c.j -2048           jal zero, -2048
        (0xc101, 0x0005_0063), // c.beqz a0, 0        beq a0, zero, 0
        (0xdd7d, 0xfe05_0fe3), // c.beqz a0, -2       beq a0, zero, -2
        (0xed7d, 0x0e05_1f63), // c.bnez a0, 254      bne a0, zero, 254
        (0x050a, 0x0025_1513), // c.slli a0, 2        slli a0, a0, 2
        (0x40b2, 0x00c1_2083), // c.lwsp ra, 12       lw ra, 12(sp)
        (0x50fe, 0x0fc1_2083), // c.lwsp ra, 252      lw ra, 252(sp)
        (0x8082, 0x0000_8067), // c.jr ra             jalr zero, 0(ra)
        (0x852e, 0x00b0_0533), // c.mv a0, a1         add a0, zero, a1
        (0x9002, 0x0010_0073), // c.ebreak            ebreak
        (0x9502, 0x0005_00e7), // c.jalr a0           jalr ra, 0(a0)
        (0x952e, 0x00b5_0533), // c.add a0, a1        add a0, a0, a1
        (0xc606, 0x0011_2623), // c.swsp ra, 12       sw ra, 12(sp)
        (0xdf86, 0x0e11_2e23), // c.swsp ra, 252      sw ra, 252(sp)
    ];
    for (c, word) in pairs {
        let expanded = compressed::expand(c);
        assert_eq!(expanded, Some(word), "{c:#06x}: {:08x}", expanded.unwrap_or(0));
    }
}

#[test]
fn reserved_compressed_encodings_are_illegal_and_hints_are_not() {
    let illegal = [
        0x0000, // all zero
        0x2000, 0x6000, 0x8000, 0xa000, 0xe000, // floating point, reserved
        0x6501, // c.lui with immediate 0
        0x6101, // c.addi16sp with immediate 0
        0x9105, 0x95fd, // shifts by 32 and more
        0x9d0d, 0x9d2d, 0x9d4d, 0x9d6d, // RV64
        0x150a, // shift by 34
        0x4032, // c.lwsp to register 0
        0x8002, // c.jr zero
        0x2002, 0x6002, 0xa002, 0xe002, // floating point
    ];
    for c in illegal {
        assert_eq!(compressed::expand(c), None, "{c:#06x}");
    }
    // c.addi a0, 0; c.li zero; c.lui zero, 1; c.slli zero; c.mv zero, a1; c.add zero, a1; c.srli
    // a0, 0
    for c in [0x0501, 0x4001, 0x6005, 0x0002 | 4 << 2, 0x802e, 0x902e, 0x8101] {
        assert!(compressed::expand(c).is_some(), "{c:#06x}");
    }
}

/// Every instruction, with immediates of all signs.
#[test]
fn listings_of_the_manual_decode_to_these_fields() {
    let op = |kind, rd, rs1, rs2, imm: i32| (kind, rd, rs1, rs2, imm as u32);
    let table = [
        (0xfff0_0093_u32, op(Kind::Addi, 1, 0, 0, -1)),
        (0x7ff1_2093, op(Kind::Slti, 1, 2, 0, 2047)),
        (0x8001_3093, op(Kind::Sltiu, 1, 2, 0, -2048)),
        (0x00f1_4093, op(Kind::Xori, 1, 2, 0, 15)),
        (0x00f1_6093, op(Kind::Ori, 1, 2, 0, 15)),
        (0x00f1_7093, op(Kind::Andi, 1, 2, 0, 15)),
        (0x01f1_1093, op(Kind::Slli, 1, 2, 0, 31)),
        (0x0011_5093, op(Kind::Srli, 1, 2, 0, 1)),
        (0x0031_00b3, op(Kind::Add, 1, 2, 3, 0)),
        (0x4031_00b3, op(Kind::Sub, 1, 2, 3, 0)),
        (0x0231_50b3, op(Kind::Divu, 1, 2, 3, 0)),
        (0x0231_60b3, op(Kind::Rem, 1, 2, 3, 0)),
        (0xdead_b0b7, op(Kind::Lui, 1, 0, 0, 0xdead_b000_u32 as i32)),
        (0x0000_1097, op(Kind::Auipc, 1, 0, 0, 0x1000)),
        (0xffdf_f0ef, op(Kind::Jal, 1, 0, 0, -4)),
        (0x7fff_f06f, op(Kind::Jal, 0, 0, 0, 0xf_fffe)),
        (0xffc1_00e7, op(Kind::Jalr, 1, 2, 0, -4)),
        (0xfe20_8ee3, op(Kind::Beq, 0, 1, 2, -4)),
        (0x7e20_9fe3, op(Kind::Bne, 0, 1, 2, 4094)),
        (0x8020_c063, op(Kind::Blt, 0, 1, 2, -4096)),
        (0x0020_d463, op(Kind::Bge, 0, 1, 2, 8)),
        (0x0020_e463, op(Kind::Bltu, 0, 1, 2, 8)),
        (0x0020_f463, op(Kind::Bgeu, 0, 1, 2, 8)),
        (0xff81_0083, op(Kind::Lb, 1, 2, 0, -8)),
        (0x0081_1083, op(Kind::Lh, 1, 2, 0, 8)),
        (0x0081_2083, op(Kind::Lw, 1, 2, 0, 8)),
        (0x0081_4083, op(Kind::Lbu, 1, 2, 0, 8)),
        (0x0081_5083, op(Kind::Lhu, 1, 2, 0, 8)),
        (0xfe11_0c23, op(Kind::Sb, 0, 2, 1, -8)),
        (0x0011_1423, op(Kind::Sh, 0, 2, 1, 8)),
        (0x7e11_2fa3, op(Kind::Sw, 0, 2, 1, 2047)),
        (0x0ff0_000f, op(Kind::Fence, 0, 0, 0, 0)),
        (0x0000_100f, op(Kind::FenceI, 0, 0, 0, 0)),
        (0x0000_0073, op(Kind::Ecall, 0, 0, 0, 0)),
        (0x0010_0073, op(Kind::Ebreak, 0, 0, 0, 0)),
        (0x3020_0073, op(Kind::Mret, 0, 0, 0, 0)),
        (0x1050_0073, op(Kind::Wfi, 0, 0, 0, 0)),
        (0x3401_10f3, op(Kind::Csrw, 1, 2, 0, 0x340)),
        (0xb000_20f3, op(Kind::Csrs, 1, 0, 0, 0xb00)),
        (0x3411_30f3, op(Kind::Csrc, 1, 2, 0, 0x341)),
        (0x340f_d073, op(Kind::Csrwi, 0, 31, 0, 0x340)),
        (0x3400_e073, op(Kind::Csrsi, 0, 1, 0, 0x340)),
        (0x3400_f073, op(Kind::Csrci, 0, 1, 0, 0x340)),
    ];
    for (word, fields) in table {
        let op = Op::decode(word as u16, Some((word >> 16) as u16));
        assert_eq!((op.kind, op.rd, op.rs1, op.rs2, op.imm), fields, "{word:#010x}");
        assert_eq!((op.raw, op.bytes), (word, 4));
    }
}

#[test]
fn reserved_encodings_are_illegal() {
    for word in [
        0xffff_ffff_u32,
        0x0000_1067, // jalr with funct3 1
        0x0000_2063, // branch with funct3 2
        0x0000_3063,
        0x0000_3003, // ld
        0x0000_6003, // lwu
        0x0000_7003,
        0x0000_3023, // sd
        0x0000_4023,
        0x0200_1013, // slli by 32
        0x0200_5013,
        0x4000_1013, // shift left with bit 30
        0x4000_1033, // sll with bit 30
        0x0400_0033, // funct7 2
        0x4200_0033,
        0x0000_200f, // fence with funct3 2
        0x0020_0073, // uret
        0x1020_0073, // sret
        0x0000_00f3, // ecall with rd 1
        0x3020_8073, // mret with rs1 1
        0x0000_4073, // CSR instruction with funct3 4
        0x0000_002f, // atomics
        0x0000_0007, // floating point
        0x0000_001b, // addiw
        0x0000_003b, // addw
    ] {
        let op = Op::decode(word as u16, Some((word >> 16) as u16));
        assert_eq!(op.kind, Kind::Illegal, "{word:#010x}");
    }
}
