//! What the firmware says of packets that it cannot run, or not as they are (specification 12), on
//! each host.

use cosim::body::{BodyError, BodyKind};
use cosim::cpelide::packet::{Access, Dispatch, Labels, Range, Scope, barrier};
use cosim::cpelide::{Conf, Fault, Native, SyncMode};

use duet_tests::firmware::driver::{Driver, LINE, MACHINE, NONE, kernel, labels, operations};
use duet_tests::firmware::{Core, Host, bodies, images};
use firmware::Cached;
use firmware::image::Image;
use firmware::map::message::{ACK, DONE, NACK};
use firmware::map::{MAILBOX, reg};
use ports::cpelide::types::Retired;

use super::hosts::each;

const X: u64 = 0x10_0000;
const ALL: u16 = 15;
const SIGNAL: u64 = 0x1_2345_6780;
/// Place in a block of the number of chiplets.
const SCHEDULED: usize = 9;

/// A message of a chiplet.
fn message(kind: u32, chiplet: u32) -> u64 {
    u64::from(kind | chiplet << 4)
}

#[test]
fn packets_that_cannot_run_are_rejected_with_their_signal() {
    each(&MACHINE, |driver| {
        let reject_with = |packet, block: &[u8], chiplets, code, driver: &mut Driver<_>| {
            let host: &mut &mut dyn Host = &mut driver.host;
            host.submit(&packet, block, 0, chiplets);
            assert_eq!(driver.settle(), (NONE, None));
            assert_eq!(driver.host.errors(), [code]);
            assert_eq!(driver.host.signals(), [SIGNAL]);
        };
        let reject = |packet: [u8; 64], chiplets: u16, code: u8, driver: &mut Driver<_>| {
            reject_with(packet, &[], chiplets, code, driver);
        };
        let kernel = Dispatch { completion_signal: SIGNAL, ..kernel() };
        let mut unknown = kernel.encode();
        unknown[0] = 4;
        reject(unknown, ALL, 5, driver);
        reject(Dispatch { grid_size: [512, 0, 1], ..kernel }.encode(), ALL, 5, driver);
        reject(Dispatch { workgroup_size: [0, 1, 1], ..kernel }.encode(), ALL, 5, driver);
        let absurd = Dispatch { workgroup_size: [1; 3], grid_size: [1 << 31, 2, 1], ..kernel };
        reject(absurd.encode(), ALL, 5, driver);
        reject(kernel.encode(), 0, 3, driver);
        // No chiplet is asked for either: what a scheduler that has seen no packet yet must not
        // take for the same again.
        let empty = Labels::new(0).encode().expect("it is short");
        reject_with(Dispatch { extension: 1, ..kernel }.encode(), &empty, 0, 3, driver);
        let mut depends = barrier(Scope::None, Scope::None, SIGNAL);
        depends[8] = 1;
        reject(depends, ALL, 5, driver);
        // It goes on as if nothing had been.
        assert_eq!(driver.run(&labels(X, 64, Access::Read, &[])), NONE);
        assert_eq!(driver.host.exit(), None);
    });
}

#[test]
fn labels_that_cannot_be_are_conservative_or_mended() {
    each(&MACHINE, |driver| {
        let range = |chiplet, start, end| Range { chiplet, start, end };
        // Beyond the structure: all of it, everywhere, so that chiplets write the same lines.
        let outside = [range(0, X, X + 64 * LINE)];
        let write = labels(X, 64, Access::ReadWrite, &outside);
        assert_eq!(driver.run(&write), NONE);
        assert_eq!(driver.host.errors(), [2]);
        assert!(driver.entry(0).vector == 0xaa && driver.entry(0).mixed);
        // A chiplet that there is not.
        let absent = labels(X, 64, Access::Read, &[range(9, X, X + 63)]);
        assert_eq!(driver.run(&absent), operations(ALL, ALL));
        assert_eq!(driver.host.errors(), [3]);
        // Beyond 2^44.
        assert_eq!(driver.run(&labels(1 << 44, 64, Access::Read, &[])), operations(ALL, ALL));
        assert_eq!(driver.host.errors(), [4]);
        // No magic.
        let mut block = labels(X, 64, Access::Read, &[]).encode().expect("it is short");
        block[0] = 0;
        let packet = Dispatch { extension: 1, ..kernel() }.encode();
        driver.host.submit(&packet, &block, 0, ALL);
        let (done, started) = driver.settle();
        assert_eq!((done, driver.host.errors()), (operations(ALL, ALL), vec![1]));
        assert_eq!(driver.end(started.expect("it runs all the same").tag), NONE);
        assert_eq!(driver.host.counters()[7], 3);
    });
}

#[test]
fn refused_message_halts_with_status_6_and_an_unrequested_one_is_reported() {
    each(&MACHINE, |driver| {
        // DONE of a kernel that does not run.
        driver.host.receive(message(DONE, 0) | 77 << 8);
        assert!(driver.host.run().is_empty());
        assert_eq!((driver.host.errors(), driver.host.exit()), (vec![7], None));
        driver.host.receive(message(NACK, 0) | 6 << 16);
        assert!(driver.host.run().is_empty());
        assert_eq!((driver.host.errors(), driver.host.exit()), (vec![6], Some(6)));
    });
}

#[test]
fn kernel_cannot_end_before_it_was_launched() {
    each(&MACHINE, |driver| {
        driver.host.submit(&kernel().encode(), &[], 0, ALL);
        assert!(!driver.host.run().is_empty(), "operations, as it has no labels");
        (0..4).for_each(|chiplet| driver.host.receive(message(DONE, chiplet)));
        (0..4).for_each(|chiplet| driver.host.receive(message(ACK, chiplet)));
        assert_eq!(driver.host.run().len(), 1, "LAUNCH_EN");
        assert_eq!(driver.host.errors(), [7; 4]);
        (0..4).for_each(|chiplet| driver.host.receive(message(DONE, chiplet)));
        assert!(driver.host.run().is_empty());
        assert_eq!(driver.host.errors(), []);
    });
}

/// A block that cannot be read is reported where its labels are not needed, too.
#[test]
fn wrong_header_is_reported_without_a_table() {
    for sync_mode in [SyncMode::None, SyncMode::Baseline, SyncMode::Hmg] {
        each(&Conf { sync_mode, ..MACHINE }, |driver| {
            for (at, code) in [(0, 1), (SCHEDULED, 3)] {
                let mut block = labels(X, 64, Access::Read, &[]).encode().expect("it is short");
                block[at] = 9;
                let packet = Dispatch { extension: 1, ..kernel() }.encode();
                driver.host.submit(&packet, &block, 0, ALL);
                let started = driver.settle().1.expect("it runs all the same");
                assert_eq!(driver.host.errors(), [code]);
                assert_eq!(started.shares.len(), 4);
                driver.done(started.tag);
                driver.settle();
            }
        });
    }
}

/// Too many chiplets, fewer entries than a kernel has structures, more entries than the private
/// memory holds.
#[test]
fn machines_that_cannot_be_halt_with_status_8() {
    let machines = [
        Conf { chiplets: 0, ..MACHINE },
        Conf { chiplets: 17, ..MACHINE },
        Conf { table_entries: 7, ..MACHINE },
        Conf { table_entries: 257, ..MACHINE },
        Conf { max_structs: 0, ..MACHINE },
        Conf { max_structs: 17, ..MACHINE },
    ];
    for machine in machines {
        let mut native = Native::<Cached>::new(machine.bits());
        native.poll();
        assert_eq!((native.take_errors(), native.exit()), (vec![8], Some(8)), "{machine:?}");
        for (name, image) in images() {
            for kind in bodies() {
                let error = Core::start(kind, "small", &image, machine.bits()).err();
                let halts = matches!(error, Some(BodyError::Image(Fault::Exit(8, _))));
                assert!(halts, "{name}, {}: {machine:?}: {error:?}", kind.name());
            }
        }
    }
}

/// The trap vector of the image: the store that sends the first message becomes an instruction that
/// there is not.
#[test]
fn illegal_instruction_halts_with_status_8() {
    for (name, mut image) in images() {
        let packet = kernel().encode();
        let mut core = Core::new(BodyKind::Model, "small", &image, MACHINE.bits());
        core.submit(&packet, &[], 0, ALL);
        let sends = |retired: &Retired| retired.mem_addr == MAILBOX + reg::TX_HI;
        let mut retires = (0..100_000).filter_map(|_| core.tick(&core.nothing()).trace);
        let pc = retires.find(sends).expect("a message within 100000 cycles").pc as usize;
        let word = &mut image.words[pc / 4];
        *word &= if pc.is_multiple_of(4) { 0xffff_0000 } else { 0x0000_ffff };
        for kind in bodies() {
            let mut core = Core::new(kind, "small", &image, MACHINE.bits());
            core.submit(&packet, &[], 0, ALL);
            assert_eq!(core.run(), [], "{name}, {}", kind.name());
            assert_eq!((core.errors(), core.exit()), (vec![8], Some(8)));
            let Some(Fault::Trap(said)) = core.fault() else { panic!("{:?}", core.fault()) };
            let first = format!("traps at pc {pc:#x} in ");
            assert!(said.starts_with(&first) && said.contains("mcause 2, illegal"), "{said}");
            assert!(said.contains("firmware::"), "{said}");
        }
    }
}

/// An image of these instructions in place of the first one's.
fn image_of(code: &[u32]) -> Option<Image> {
    let (_, mut image) = images().into_iter().next()?;
    image.words.truncate(32);
    image.words.extend(code);
    Some(image)
}

/// What the trace port shows is all that is known, so each body knows the same.
#[test]
fn image_that_cannot_go_on_is_described_alike_by_each_body() {
    let cases: [(&[u32], &str); 6] = [
        (&[0x73], "traps at pc 0x80"),
        // lui t0, 0x10; jr t0
        (&[0x0001_02b7, 0x0002_8067], "traps at pc 0x10000: mcause 1, instruction access fault"),
        // lui t0, 0x90000; lw t1, 4(t0)
        (&[0x9000_02b7, 0x0042_a303], "load of a word at 0x90000004, outside the memory map"),
        // lui t0, 0x40000; sw t1, 1(t0)
        (&[0x4000_02b7, 0x0062_a0a3], "store of a word at 0x40000001, which is no access"),
        (&[0x2023], "store of a word at 0x0, the instruction memory"),
        (&[0x6f], "does not wait for a packet within 100000 cycles"),
    ];
    for (code, expected) in cases {
        let Some(image) = image_of(code) else { return };
        let said = bodies().into_iter().map(|kind| {
            let error = Core::start(kind, "small", &image, MACHINE.bits()).err();
            error.expect("it does not start").to_string()
        });
        let said: Vec<_> = said.collect();
        assert!(said[0].contains(expected), "{code:x?}: {}", said[0]);
        assert!(said.iter().all(|one| *one == said[0]), "{said:#?}");
    }
}

/// It waits for a packet, and then for nothing: lui t0, 0x40000; lw t1, 0x58(t0); j .
#[test]
fn endless_loop_behind_a_packet_is_found() {
    let Some(image) = image_of(&[0x4000_02b7, 0x0582_a303, 0x6f]) else { return };
    let mut core = Core::new(BodyKind::Model, "small", &image, MACHINE.bits());
    core.submit(&kernel().encode(), &[], 0, ALL);
    let is_found = (0..1 << 25).any(|_| {
        core.tick(&core.nothing());
        core.is_lost()
    });
    assert!(is_found);
    let Some(Fault::Endless(said)) = core.fault() else { panic!("{:?}", core.fault()) };
    assert!(said.contains("without an access to the mailbox"), "{said}");
    assert!(said.contains("last retired: pc 0x88"), "{said}");
}
