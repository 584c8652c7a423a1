//! SASS opcodes: which of them access global memory, how, and how wide.
//!
//! The names are those of the "Instruction Set Reference" of NVIDIA's *CUDA Binary Utilities*, for
//! Kepler to Blackwell, and of Accel-Sim's `ISA_Def`. Graphics opcodes are not listed, because no
//! CUDA kernel has them.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What an opcode means for a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Reads global memory.
    Load(Space),
    /// Writes global memory.
    Store(Space),
    /// Read-modify-write of global memory.
    Atomic(Space),
    /// All warps of the thread block meet.
    Barrier,
    /// Orders accesses.
    Fence,
    /// Moves no data of memory.
    Nothing,
    /// The import leaves it out and counts it.
    LeftOut,
    /// It accesses global memory in a way that the trace's lines do not hold: why.
    Refused(&'static str),
}

/// What an address may belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Global memory.
    Global,
    /// Global memory, or shared or local memory through a window.
    Generic,
}

use Class::{Atomic, Barrier, Fence, LeftOut, Load, Nothing, Refused, Store};
use Space::{Generic, Global};

const TEXTURE: Class = Refused("texture memory: the trace holds no addresses");
const SURFACE: Class = Refused("surface memory: the trace holds no addresses");
const BULK: Class = Refused("a bulk copy of the Tensor Memory Accelerator");
const MULTIMEM: Class = Refused("multimem: one address stands for memory of several GPUs");
const UNIFORM: Class = Refused("a release of the uniform datapath: the trace holds no addresses");

/// Opcodes of a class. `NAME.MODIFIER` is the class of the opcode with that modifier.
pub const OPCODES: &[(Class, &str)] = &[
    (Load(Global), "LDG"),
    (Load(Generic), "LD"),
    (Store(Global), "STG"),
    (Store(Generic), "ST"),
    (Atomic(Global), "ATOMG REDG"),
    (Atomic(Generic), "ATOM RED"),
    (Barrier, "BAR"),
    (Fence, "MEMBAR"),
    // Shared memory. STAS and REDAS write that of other thread blocks of the cluster.
    (LeftOut, "LDS LDSM LDSLK LDTRAM STS STSM STSCUL ATOMS STAS REDAS UMEMSETS"),
    // Local memory.
    (LeftOut, "LDL STL"),
    // Constant memory.
    (LeftOut, "LDC LDCU ULDC"),
    // Tensor memory.
    (LeftOut, "LDT LDTM STT STTM UTCCP UTCSHIFT"),
    // Asynchronous copies from global to shared memory, by address.
    (LeftOut, "LDGSTS"),
    // Prefetches.
    (LeftOut, "CCTL.PF1 CCTL.PF2 UBLKPF UTMAPF"),
    // Arrivals that do not wait, barriers in shared memory, barriers of clusters.
    (LeftOut, "BAR.ARV ARRIVES SYNCS UTCBAR"),
    (LeftOut, "CGABAR_ARV CGABAR_GET CGABAR_SET CGABAR_WAIT"),
    (LeftOut, "UCGABAR_ARV UCGABAR_GET UCGABAR_SET UCGABAR_WAIT"),
    (TEXTURE, "TEX TEXS TLD TLDS TLD4 TLD4S TXA TXD"),
    (SURFACE, "SULD SULDB SULDGA SUST SUSTB SUSTGA SUATOM SURED"),
    (BULK, "UBLKCP UBLKRED UTMALDG UTMASTG UTMAREDG"),
    (MULTIMEM, "LDGMC"),
    (UNIFORM, "USTGR UREDGR"),
    // Order and caches: a MEMBAR stands before them where accesses of threads are ordered.
    (Nothing, "CCTL CCTLL CCTLT CGAERRBAR DEPBAR ERRBAR FENCE LDGDEPBAR TEXDEPBAR"),
    (Nothing, "UTMACCTL UTMACMDFLUSH"),
    // Queries.
    (Nothing, "FOOTPRINT QSPC SUQUERY TMML TXQ"),
    // Floating point, 32 bits.
    (Nothing, "FADD FADD2 FADD32I FCHK FCMP FFMA FFMA2 FFMA32I FMNMX FMNMX3 FMUL FMUL2 FMUL32I"),
    (Nothing, "FSEL FSET FSETP FSWZ FSWZADD MUFU RRO"),
    // Floating point, 16 bits.
    (Nothing, "HADD2 HADD2_32I HADD2_F32 HFMA2 HFMA2_32I HFMA2_MMA HMNMX2 HMUL2 HMUL2_32I HSET2"),
    (Nothing, "HSETP2 VHMNMX"),
    // Floating point, 64 bits.
    (Nothing, "DADD DFMA DMNMX DMUL DSET DSETP"),
    // Matrices.
    (Nothing, "BGMMA BMMA DMMA HGMMA HMMA IGMMA IMMA OMMA QGMMA QMMA"),
    (Nothing, "GATHER GENMETADATA SCATTER SPMETADATA"),
    (Nothing, "UTCATOMSWS UTCHMMA UTCIMMA UTCMXQMMA UTCOMMA UTCQMMA"),
    // Integers.
    (Nothing, "BFE BFI BMSK BREV CLMAD FLO IABS IADD IADD2 IADD3 IADD32I ICMP IDE IDP IDP4A IMAD"),
    (Nothing, "IMAD32I IMADSP IMNMX IMUL IMUL32I ISAD ISCADD ISCADD32I ISET ISETP ISUB LEA LOP"),
    (Nothing, "LOP3 LOP32I POPC SHF SHL SHR VABSDIFF VABSDIFF4 VADD VIADD VIADDMNMX VIMNMX"),
    (Nothing, "VIMNMX3 VMAD VMNMX VSET VSETP VSHL VSHR XMAD"),
    // Conversion.
    (Nothing, "F2F F2FP F2I F2IP FRND I2F I2FP I2I I2IP"),
    // Movement and predicates.
    (Nothing, "MATCH MOV MOV32I MOVM PRMT SEL SGXT SHFL"),
    (Nothing, "CSET CSETP P2R PLOP3 PSET PSETP R2P"),
    // Uniform datapath.
    (Nothing, "CREDUX CS2UR R2UR REDUX S2UR UBMSK UBREV UCLEA UF2F UF2FP UF2I UF2IP UFADD UFFMA"),
    (Nothing, "UFLO UFMNMX UFMUL UFRND UFSEL UFSET UFSETP UGETNEXTWORKID UI2F UI2FP UI2I UI2IP"),
    (Nothing, "UIABS UIADD3 UIMAD UIMNMX UISETP ULEA ULEPC ULOP ULOP3 ULOP32I UMOV UP2UR UPLOP3"),
    (Nothing, "UPOPC UPRMT UPSETP UR2UP USEL USETMAXREG USETSHMSZ USGXT USHF USHL USHR UVIADD"),
    (Nothing, "UVIMNMX UVIRTCOUNT VOTEU"),
    // Control.
    (Nothing, "ACQBULK ACQSHMINIT BMOV BPT BRA BREAK BRK BRX BRXU BSSY BSYNC CAL CALL CONT ELECT"),
    (Nothing, "ENDCOLLECTIVE EXIT JCAL JMP JMX JMXU KIL KILL LONGJMP NANOSLEEP NANOTRAP PBK PCNT"),
    (Nothing, "PEXIT PLONGJMP PREEXIT PRET RAM RET RPCMOV RTT SAM SSY SYNC WARPGROUP WARPGROUPSET"),
    (Nothing, "WARPSYNC YIELD"),
    // The rest.
    (Nothing, "B2R CS2R CSMTEST GETLMEMBASE LEPC NOP PMTRIG R2B S2R SETCTAID SETLMEMBASE STP VOTE"),
    (Nothing, "VOTE_VTG"),
];

/// Bytes of each lane's access that a modifier means. Without one it is 4.
pub const WIDTHS: &[(u8, &str)] = &[
    (1, "8 U8 S8"),
    (2, "16 U16 S16 F16 BF16"),
    (4, "32 U32 S32 F32 F16x2 BF16x2 BF16_V2"),
    (8, "64 U64 S64 F64 F32x2 F16x4 BF16x4"),
    (16, "128 F32x4 F16x8 BF16x8"),
    (32, "256"),
];

/// Modifiers with a digit in them that are no width: hints to caches.
const HINTS: &[&str] = &["LTC64B", "LTC128B", "LTC256B", "ENL2"];

/// An opcode without its modifiers, as the table has it.
#[derive(Default)]
struct Entry {
    class: Option<Class>,
    /// Modifiers that make another class of it, and the name to count it by.
    with: Vec<(&'static str, Class, &'static str)>,
}

static TABLE: LazyLock<HashMap<&'static str, (&'static str, Entry)>> = LazyLock::new(|| {
    let mut table: HashMap<&'static str, (&'static str, Entry)> = HashMap::new();
    for &(class, names) in OPCODES {
        for name in names.split(' ') {
            let (stem, modifier) = name.split_once('.').unzip();
            let entry = &mut table.entry(stem.unwrap_or(name)).or_default().1;
            match modifier {
                Some(modifier) => entry.with.push((modifier, class, name)),
                None => entry.class = Some(class),
            }
        }
    }
    for (stem, (name, _)) in &mut table {
        *name = stem;
    }
    table
});

/// The class of an opcode with its modifiers, and the table's name for it. None: the table does not
/// have it.
pub fn class(opcode: &str) -> Option<(Class, &'static str)> {
    let (stem, modifiers) = opcode.split_once('.').unwrap_or((opcode, ""));
    let (name, Entry { class, with }) = TABLE.get(stem)?;
    let found = with.iter().find(|(modifier, ..)| modifiers.split('.').any(|m| m == *modifier));
    match found {
        Some(&(_, class, name)) => Some((class, name)),
        None => Some(((*class)?, name)),
    }
}

/// Bytes of each lane's access. Errors: modifiers that say different widths, or a modifier with a
/// digit that no list has, which may be a width.
pub fn width(opcode: &str) -> Result<u8, String> {
    let mut found = None;
    for modifier in opcode.split('.').skip(1) {
        let known = WIDTHS.iter().find(|(_, names)| names.split(' ').any(|name| name == modifier));
        let Some(&(bytes, _)) = known else {
            let width = modifier.contains(|c: char| c.is_ascii_digit());
            if width && !HINTS.contains(&modifier) {
                return Err(format!("a width that is known, found {modifier} in {opcode}"));
            }
            continue;
        };
        if found.is_some_and(|other| other != bytes) {
            return Err(format!("one width, found several in {opcode}"));
        }
        found = Some(bytes);
    }
    Ok(found.unwrap_or(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opcode_stands_in_the_table_once() {
        let mut names: Vec<&str> = OPCODES.iter().flat_map(|(_, names)| names.split(' ')).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!((names.len(), names.contains(&"")), (all, false));
        // A modifier changes the class of an opcode that is there.
        for name in names {
            let stem = name.split('.').next().unwrap();
            assert!(class(stem).is_some(), "{name}");
        }
        let mut widths: Vec<&str> = WIDTHS.iter().flat_map(|(_, names)| names.split(' ')).collect();
        let all = widths.len();
        widths.sort_unstable();
        widths.dedup();
        assert_eq!(widths.len(), all);
    }

    #[test]
    fn classes_are_found_by_name_and_modifier() {
        for (opcode, expected) in [
            ("LDG.E.128.CONSTANT.SYS", Load(Global)),
            ("LD.E.64", Load(Generic)),
            ("STG.E.U8", Store(Global)),
            ("ST.E.STRONG.SYS", Store(Generic)),
            ("ATOM.E.ADD.STRONG.GPU", Atomic(Generic)),
            ("RED.E.ADD.STRONG.GPU", Atomic(Generic)),
            ("ATOMG.E.CAS.STRONG.GPU", Atomic(Global)),
            ("REDG.E.ADD.STRONG.GPU", Atomic(Global)),
            ("BAR.SYNC.DEFER_BLOCKING", Barrier),
            ("BAR.RED.POPC", Barrier),
            ("BAR.ARV", LeftOut),
            ("MEMBAR.SC.GPU", Fence),
            ("LDS.U.128", LeftOut),
            ("LDSM.16.MT88.4", LeftOut),
            ("LDGSTS.E.BYPASS.LTC128B.128", LeftOut),
            ("SYNCS.ARRIVE.TRANS64.A1T0", LeftOut),
            ("UCGABAR_WAIT", LeftOut),
            ("CCTL.IVALL", Nothing),
            ("CCTL.E.PF2", LeftOut),
            ("REDUX.SUM", Nothing),
            ("FENCE.VIEW.ASYNC", Nothing),
            ("ERRBAR", Nothing),
            ("HFMA2.MMA", Nothing),
        ] {
            assert_eq!(class(opcode).map(|found| found.0), Some(expected), "{opcode}");
        }
        for opcode in ["TEX.SCR.LL", "SULD.D.BA.2D.STRONG.SM", "UBLKCP.S.G", "UTMALDG.2D"] {
            assert!(matches!(class(opcode), Some((Refused(_), _))), "{opcode}");
        }
        for opcode in ["", "BARRIER", "LDQ.E", "ldg", "LDG2"] {
            assert_eq!(class(opcode), None, "{opcode}");
        }
        assert_eq!(class("BAR.ARV").map(|found| found.1), Some("BAR.ARV"));
        assert_eq!(class("LDS.U").map(|found| found.1), Some("LDS"));
    }

    #[test]
    fn widths_follow_from_modifiers() {
        for (opcode, bytes) in [
            ("LDG.E", 4),
            ("LDG.E.SYS", 4),
            ("LDG.E.CONSTANT", 4),
            ("LDG.E.S8", 1),
            ("LDG.E.U8.CONSTANT", 1),
            ("LDG.E.U16", 2),
            ("LDG.E.64.STRONG.GPU", 8),
            ("LDG.E.LTC128B.128", 16),
            ("LDG.E.128.CONSTANT.SYS", 16),
            ("LDG.E.ENL2.256", 32),
            ("RED.E.ADD.F16x2.RN.STRONG.GPU", 4),
            ("RED.E.ADD.F32.FTZ.RN.STRONG.GPU", 4),
            ("RED.E.ADD.F64.RN.STRONG.GPU", 8),
            ("RED.E.MAX.S64.STRONG.GPU", 8),
            ("REDG.E.ADD.F32x2.RN.STRONG.GPU", 8),
            ("REDG.E.ADD.F32x4.RN.STRONG.GPU", 16),
            ("ATOMG.E.CAS.64.STRONG.SYS", 8),
            ("ATOMG.E.EXCH.STRONG.GPU", 4),
        ] {
            assert_eq!(width(opcode), Ok(bytes), "{opcode}");
        }
        for opcode in ["LDG.E.96", "LDG.E.B128", "LDG.E.512", "LDG.E.U8.64", "RED.E.ADD.F128"] {
            assert!(width(opcode).unwrap_err().contains(opcode), "{opcode}");
        }
    }
}
