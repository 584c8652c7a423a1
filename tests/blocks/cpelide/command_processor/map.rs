//! Address map, loading, halting (rules 4, 11 to 13, 33, 35).

use duet_tests::parameters;
use hwmodel::cpelide::command_processor::CommandProcessor;
use ports::cpelide::command_processor::Config;
use ports::cpelide::types::{Command, error_code};

use super::assembler::*;
use super::machine::{MAILBOX, Machine};
use super::on_bodies;

fn config() -> Config {
    (&parameters::<Command>("small")).into()
}

/// Runs a program in configuration `small` until it halts.
fn run(code: &Code, check: impl Fn(u32, Machine)) {
    on_bodies::<CommandProcessor>("small", |body| {
        let mut machine = Machine::new(body, &config(), code, &Code::default());
        let status = machine.run_to_exit();
        check(status, machine);
    });
}

#[test]
fn memories_keep_the_bytes_that_are_enabled() {
    for base in [0x0800_0000, 0x0800_3FF0, 0x1000_0000, 0x1000_FFF0] {
        let code = Code::default()
            .set(9, base)
            .set(1, 0x8899_AABB)
            .words(&[lw(2, 0, 9), sw(1, 0, 9), sw(1, 4, 9), lw(2, 0, 9)])
            .words(&[store(0, 1, 1, 9), lw(2, 0, 9), store(1, 1, 3, 9), lw(2, 0, 9), lw(2, 4, 9)])
            .words(&[sw(1, 9, 9), lw(2, 8, 9), lw(2, 12, 9), lw(2, 9, 9)])
            .words(&[load(1, 2, 11, 9), load(5, 2, 11, 9), load(0, 2, 12, 9), load(4, 2, 12, 9)]);
        run(&code.exit(0), |_, machine| {
            let expected = [
                0,
                0x8899_AABB,
                0x8899_BBBB,
                0xBB99_BBBB,
                0x8899_AAAA,
                0x99AA_BB00,
                0x0000_0088,
                0x8899_AABB,
                0xFFFF_8899,
                0x0000_8899,
                0xFFFF_FF88,
                0x0000_0088,
            ];
            assert_eq!(machine.values(), expected, "{base:x}");
        });
    }
}

#[test]
fn trace_shows_what_an_access_reads_and_writes_and_nothing_of_others() {
    let code = Code::default()
        .set(9, 0x0800_0000)
        .set(1, 0x8899_AABB)
        .words(&[sw(1, 5, 9), store(1, 1, 3, 9), store(0, 1, 7, 9)])
        .words(&[lw(0, 5, 9), load(5, 2, 3, 9), load(0, 2, 7, 9), add(2, 1, 9), beq(0, 0, 4)])
        .halves(&[C_SW, C_LW]);
    run(&code.exit(0), |_, machine| {
        let trace = machine.trace().into_iter().skip(4).take(10).map(|(_, record)| record);
        let told: Vec<_> = trace
            .map(|r| {
                (r.mem_addr, r.mem_rmask, r.mem_rdata, r.mem_wmask, r.mem_wdata, r.rd, r.wdata)
            })
            .collect();
        let base = 0x0800_0000;
        let expected = [
            (base + 5, 0, 0, 15, 0x8899_AABB, 0, 0),
            (base + 3, 0, 0, 3, 0xAABB, 0, 0),
            (base + 7, 0, 0, 1, 0xBB, 0, 0),
            (base + 5, 15, 0x88BB_AABB, 0, 0, 0, 0),
            (base + 3, 3, 0xAABB, 0, 0, 2, 0xAABB),
            (base + 7, 1, 0xFFFF_FFBB, 0, 0, 2, 0xFFFF_FFBB),
            (0, 0, 0, 0, 0, 2, 0x9099_AABB),
            (0, 0, 0, 0, 0, 0, 0),
            (base, 0, 0, 15, 0, 0, 0), // x8
            (base, 15, 0, 0, 0, 8, 0),
        ];
        assert_eq!(told, expected);
    });
}

#[test]
fn code_can_be_read_as_data() {
    let code = Code::default().words(&[lw(2, 0x80, 0), load(5, 2, 0x83, 0)]);
    let image = code.clone().exit(0).image();
    run(&code.exit(0), |_, machine| {
        assert_eq!(machine.values(), [image[0], (image[0] >> 24) | (image[1] & 0xFF) << 8]);
    });
}

/// The access in the third instruction, whose first cycle is 6, halts the core.
#[test]
fn access_outside_of_the_map_halts_at_once() {
    let reads = [
        0x0001_0000,
        0x07FF_FFFC,
        0x0800_4000,
        0x0FFF_FFFC,
        0x1001_0000,
        0x2000_4000,
        0x4000_00C4,
        0x4000_0100,
        0x4001_0000,
        0x8000_0000,
        0xFFFF_FFFC,
        MAILBOX + 0x0C,
        MAILBOX + 0x28,
        MAILBOX + 0x2C,
        MAILBOX + 0x64,
        MAILBOX + 0x7C,
    ];
    let read_only = [0x00, 0x04, 0x08, 0x10, 0x18, 0x24, 0x3C, 0x40, 0x44, 0x48, 0x4C, 0x58];
    let writes = [0, 0xFFFC, 0x2000_0000, 0x2000_3FFC].into_iter();
    let writes = writes.chain(read_only.map(|offset| MAILBOX + offset)).chain(reads);
    let accesses = reads.map(|addr| (addr, lw(2, 0, 1))).into_iter();
    let accesses = accesses.chain(writes.map(|addr| (addr, sw(2, 0, 1))));
    // Parts of a register cannot be written.
    let parts = [(0, store(0, 2, 0, 1)), (2, store(1, 2, 0, 1)), (1, sw(2, 0, 1))];
    let parts = parts.map(|(at, access)| (MAILBOX + 0x80 + at, access));
    for (addr, access) in accesses.chain(parts) {
        run(&Code::default().set(1, addr).words(&[access, nop()]), |status, machine| {
            assert_eq!(status, u32::from(error_code::HALT), "{addr:x} {access:x}");
            let halted = machine.shown(|out| out.halted.then_some(()));
            assert_eq!(halted[0].0, 7, "{addr:x} {access:x}");
            assert_eq!(machine.shown(|out| out.err), [(7, error_code::HALT)], "{addr:x}");
            assert_eq!(machine.trace().len(), 2, "{addr:x}");
        });
    }
}

#[test]
fn last_words_of_the_regions_can_be_read() {
    let last = [0xFFFC, 0x0800_3FFC, 0x1000_FFFC, 0x2000_3FFC, 0x4000_00C0];
    let code = last
        .into_iter()
        .fold(Code::default(), |code, addr| code.set(1, addr).words(&[lw(2, 0, 1)]));
    run(&code.exit(3), |status, machine| {
        assert_eq!((status, machine.values()), (3, vec![0; 5]));
    });
}

#[test]
fn first_word_of_a_crossing_store_is_written_though_the_second_halts() {
    // The private memory keeps what it holds when the core is started again: shown by the address
    // alone.
    let code = Code::default().set(1, 0x0800_3FFE).set(2, 0x1234_5678).words(&[sw(2, 0, 1)]);
    run(&code, |status, machine| {
        assert_eq!(status, u32::from(error_code::HALT));
        // Granted in 8, answered in 9, in which the second word is granted.
        assert_eq!(machine.shown(|out| out.err), [(10, error_code::HALT)]);
    });
}

#[test]
fn exit_halts_in_the_cycle_after_it_acts() {
    // First cycle of the store: 10. It acts in 13.
    let code = Code::with_bases().write(0x60, 77).words(&[nop()]);
    run(&code, |status, mut machine| {
        assert_eq!(status, 77);
        machine.inputs.aql = Some(Default::default());
        machine.inputs.ext = Some(Default::default());
        machine.inputs.rx = Some(Default::default());
        machine.run(20);
        let halted = machine.shown(|out| out.halted.then_some(out.exit));
        assert_eq!(halted[0], (14, Some(77)));
        assert_eq!(halted.len(), 21);
        assert_eq!(machine.trace().len(), 6);
        let ready =
            machine.shown(|out| (out.aql_ready || out.ext_ready || out.rx_ready).then_some(()));
        assert_eq!(ready.last().map(|(cycle, ())| *cycle), Some(13));
    });
}

#[test]
fn imem_is_loaded_while_the_core_is_held_and_at_no_other_time() {
    on_bodies::<CommandProcessor>("small", |body| {
        let mut machine = Machine::held(body, &config());
        let read = Code::default().words(&[lw(1, 0x200, 0)]).exit(1);
        machine.load(super::machine::START, &read);
        machine.load(0x200, &Code::default().words(&[1, 2]));
        machine.load(0x200, &Code::default().words(&[3]));
        machine.go();
        machine.load(0x200, &Code::default().words(&[4]));
        machine.run_to_exit();
        assert_eq!(machine.values(), [3]);
    });
}

#[test]
fn plain_registers_show_what_they_are_written() {
    let code = Code::with_bases()
        .reads(&[0x00, 0x04])
        .write(0x30, 0x1111_2222)
        .write(0x34, 0xFFFF_FFFF)
        .reads(&[0x30, 0x34])
        .write(0x80, 5)
        .write(0xBC, 6)
        .reads(&[0x80, 0x84, 0xBC])
        // What is write-only reads 0.
        .write(0x50, 7)
        .write(0x14, 7)
        .reads(&[0x14, 0x38, 0x50, 0x54, 0x5C, 0x60])
        // A part of a register is read with the whole of it.
        .words(&[load(4, 29, 0x33, 31), load(1, 29, 0x32, 31)]);
    run(&code.exit(0), |_, machine| {
        let expected = [0x4350_4531, 0x0123_4567, 0x1111_2222, 0x1_FFFF, 5, 0, 6];
        let values = machine.values();
        assert_eq!(values[..7], expected);
        assert_eq!(values[7..], [0, 0, 0, 0, 0, 0, 0x11, 0x1111]);
        let counters = machine.bench.out.last().unwrap().counters;
        assert_eq!((counters[0], counters[15], counters[1..15].iter().sum::<u32>()), (5, 6, 0));
    });
}

#[test]
fn cycle_register_counts_from_reset_and_cnt8_between_two_writes() {
    let code = Code::with_bases()
        .reads(&[0x08, 0x08])
        .write(0xC0, 0xFFFF_FFFF)
        .wait(10)
        .read(0xA0)
        .read(0xC0)
        .write(0xC0, 0)
        .reads(&[0xA0, 0xA0, 0xC0]);
    on_bodies::<CommandProcessor>("small", |body| {
        let mut machine = Machine::new(body, &config(), &code.clone().exit(0), &Code::default());
        let before = machine.bench.out.len();
        machine.run_to_exit();
        let loads = machine.loads();
        // A load acts two cycles before it shows.
        for (shown, value) in &loads[..2] {
            assert_eq!(*value as usize, before + shown - 2);
        }
        let trace = machine.trace();
        let acted: Vec<_> =
            trace.iter().filter(|(_, r)| r.mem_wmask != 0).map(|(c, _)| c - 2).collect();
        // From the cycle after the write on.
        assert_eq!(loads[2].1 as usize, loads[2].0 - 2 - acted[0] - 1);
        assert_eq!(loads[3].1, 1);
        assert_eq!(loads[4].1 as usize, acted[1] - acted[0]);
        assert_eq!((loads[5].1, loads[6].1), (loads[4].1, 0));
        assert_eq!(machine.bench.out.last().unwrap().counters[8], loads[4].1);
    });
}

#[test]
fn write_to_cnt8_wins_over_the_count() {
    let code =
        Code::with_bases().write(0xC0, 1).write(0xA0, 100).read(0xA0).write(0xC0, 0).read(0xA0);
    run(&code.exit(0), |_, machine| {
        let trace = machine.trace();
        let acted: Vec<_> =
            trace.iter().filter(|(_, r)| r.mem_wmask != 0).map(|(c, _)| c - 2).collect();
        let loads = machine.loads();
        // 100 from the cycle after the write on.
        assert_eq!(loads[0].1 as usize, 100 + (loads[0].0 - 2) - (acted[1] + 1));
        assert_eq!(loads[1].1 as usize, 100 + acted[2] - acted[1]);
    });
}

#[test]
fn error_and_completion_signal_show_in_the_cycle_after_they_act() {
    let code = Code::with_bases()
        .write(0x5C, 0xABC)
        .write(0x50, 0x1111_1111)
        .write(0x54, 0x2222_2222)
        .write(0x54, 0x3333_3333);
    run(&code.exit(0), |_, machine| {
        let trace = machine.trace();
        let shown: Vec<_> =
            trace.iter().filter(|(_, r)| r.mem_wmask != 0).map(|(c, _)| c - 1).collect();
        assert_eq!(machine.shown(|out| out.err), [(shown[0], 0xBC)]);
        let sig = [(shown[2], 0x2222_2222_1111_1111), (shown[3], 0x3333_3333_1111_1111)];
        assert_eq!(machine.shown(|out| out.sig), sig);
    });
}
