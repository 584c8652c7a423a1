//! Each error of the specification's section 12 that a packet can have, with its code.

use hwmodel::cpelide::chiplet_coherence_table::{Outcome, Parameters};

use crate::directed::{Bench, LENGTH, barrier, kernel, on_each, on_reference, place, read, write};
use crate::packets;
use crate::program::{Item, Kind, Label, Labels};

const ALL: u16 = 0b1111;
/// Places in a packet.
const TYPE: usize = 0;
const SIZE_Y: usize = 6;
const GRID_X: usize = 12;
/// Places in a block of one structure.
const VERSION: usize = 4;
const BYTES: usize = 6;
const STRUCTURES: usize = 8;
const SCHEDULED: usize = 9;
const RANGES: usize = 10;
const BASE: usize = 16;
const BYTES_OF_STRUCTURE: usize = 24;
const FIRST_RANGE: usize = 34;

/// A labelled kernel with the bytes of its block changed.
fn with_block(bench: &mut Bench, item: &Item, at: usize, bytes: &[u8]) -> Outcome {
    let mut block = packets::extension(item);
    block[at..at + bytes.len()].copy_from_slice(bytes);
    bench.raw(packets::packet(item), &block, item.chiplets)
}

fn with_packet(bench: &mut Bench, item: &Item, at: usize, bytes: &[u8]) -> Outcome {
    let mut packet = packets::packet(item);
    packet[at..at + bytes.len()].copy_from_slice(bytes);
    bench.raw(packet, &packets::extension(item), item.chiplets)
}

/// X by chunks: the block has a structure and four ranges.
fn chunks() -> Item {
    kernel(vec![write(place(0)).chunks(0)])
}

/// The launch is conservative, with these codes and on these chiplets.
fn is_conservative(outcome: &Outcome, errors: &[u8], chiplets: &[u8]) {
    assert_eq!(outcome.errors, errors);
    assert!(outcome.conservative && !outcome.rejected);
    assert_eq!((outcome.release, outcome.acquire), (ALL, ALL));
    assert!(outcome.tag.is_some());
    let shares: Vec<_> = outcome.shares.iter().map(|share| share.chiplet).collect();
    assert_eq!(shares, chiplets);
}

fn is_rejected(outcome: &Outcome, code: u8, item: &Item) {
    let signal = packets::signal(item);
    let errors = vec![code];
    assert_eq!(*outcome, Outcome { errors, rejected: true, signal, ..Outcome::default() });
}

#[test]
fn block_that_cannot_be_read_is_code_1() {
    let changes: [(&str, usize, &[u8]); 6] = [
        ("magic", 0, b"CPE2"),
        ("version", VERSION, &[2]),
        ("more than 4032 bytes", BYTES, &4033u16.to_le_bytes()),
        ("structures beyond the bytes", STRUCTURES, &[4]),
        ("ranges beyond the bytes", RANGES, &[5, 0]),
        ("ranges of a structure beyond all ranges", FIRST_RANGE, &[1, 0]),
    ];
    for (name, at, bytes) in changes {
        on_each(Parameters::DEFAULT, |mut bench| {
            println!("{name}");
            let outcome = with_block(&mut bench, &chunks(), at, bytes);
            is_conservative(&outcome, &[1], &[0, 1, 2, 3]);
            bench.every_is(true);
        });
    }
}

/// Who has the block in a packet slot does not see how many bytes of it there were: the reference
/// alone does.
#[test]
fn block_that_is_shorter_than_it_says_is_code_1() {
    on_reference(Parameters::DEFAULT, |mut bench| {
        let item = chunks();
        let outcome = with_block(&mut bench, &item, BYTES, &4032u16.to_le_bytes());
        is_conservative(&outcome, &[1], &[0, 1, 2, 3]);
        for bytes in [0, 15] {
            let block = &packets::extension(&item)[..bytes];
            let outcome = bench.raw(packets::packet(&item), block, item.chiplets);
            is_conservative(&outcome, &[1], &[0, 1, 2, 3]);
        }
    });
}

#[test]
fn more_than_32_structures_are_code_1() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let structures = |n: u64| (0..n).map(|i| read(place(i))).collect();
        bench.runs(&kernel(structures(32)), 0, 0);
        let outcome = bench.launch(&kernel(structures(33)));
        is_conservative(&outcome, &[1], &[0, 1, 2, 3]);
    });
}

/// 5.1 step 2: conservative, and nothing is wrong with them.
#[test]
fn launches_without_labels_have_no_code() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let two = |labels: Labels| {
            let mut item = chunks().labelled(labels);
            if let Kind::Kernel(kernel) = &mut item.kind {
                kernel.scheduled = 2;
                kernel.structures[0].ranges.truncate(2);
            }
            item
        };
        is_conservative(&bench.launch(&two(Labels::NoExtension)), &[], &[0, 1, 2, 3]);
        is_conservative(&bench.launch(&two(Labels::Unknown)), &[], &[0, 1]);
        is_conservative(&bench.launch(&two(Labels::Truncated)), &[], &[0, 1]);
    });
}

#[test]
fn range_outside_its_structure_is_code_2_and_means_all_of_it() {
    let x = place(0);
    let ranges = [
        ("before", (1, x - 1, x + 63)),
        ("behind", (1, x, x + LENGTH)),
        ("end before start", (1, x + 64, x + 63)),
        ("far", (1, x, u64::MAX)),
    ];
    for (name, range) in ranges {
        on_each(Parameters::DEFAULT, |mut bench| {
            println!("{name}");
            let label = Label { ranges: vec![(0, x, x + 63), range], ..read(x) };
            let outcome = bench.launch(&kernel(vec![label]).on(0b0111));
            assert_eq!(outcome.errors, [2]);
            assert!(!outcome.conservative);
            assert_eq!(bench.vector(x), 0b01_01_01);
            for chiplet in 0..3 {
                assert_eq!(bench.lines(x, chiplet), Some((0, 32767)));
            }
        });
    }
}

#[test]
fn chiplets_that_the_stream_does_not_have_are_code_3() {
    on_each(Parameters::DEFAULT, |mut bench| {
        for scheduled in [0, 5, 255] {
            let outcome = with_block(&mut bench, &chunks(), SCHEDULED, &[scheduled]);
            is_conservative(&outcome, &[3], &[0, 1, 2, 3]);
        }
        // Ranges of logical chiplets 2 and 3.
        let outcome = with_block(&mut bench, &chunks(), SCHEDULED, &[2]);
        is_conservative(&outcome, &[3], &[0, 1]);
    });
}

#[test]
fn stream_without_chiplets_is_code_3_and_rejected() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let item = chunks();
        let (packet, block) = (packets::packet(&item), packets::extension(&item));
        // The second has chiplets that the GPU does not have.
        for chiplets in [0, 0xfff0] {
            is_rejected(&bench.raw(packet, &block, chiplets), 3, &item);
        }
        assert_eq!(bench.table.counters(), [0; 16]);
    });
}

#[test]
fn addresses_beyond_44_bits_are_code_4() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let top = 1u64 << 44;
        let item = kernel(vec![read(place(0))]);
        for base in [top, top - LENGTH + 4096, u64::MAX - 4095] {
            let outcome = with_block(&mut bench, &item, BASE, &base.to_le_bytes());
            is_conservative(&outcome, &[4], &[0, 1, 2, 3]);
        }
    });
    on_each(Parameters::DEFAULT, |mut bench| {
        let item = kernel(vec![read(place(0))]);
        let last = (1u64 << 44) - LENGTH;
        let outcome = with_block(&mut bench, &item, BASE, &last.to_le_bytes());
        assert_eq!(outcome.errors, []);
        assert_eq!(bench.lines(last, 0), Some((0, 32767)));
    });
}

#[test]
fn lines_beyond_28_bits_are_code_4() {
    const REACH: u64 = 64 << 28;
    on_each(Parameters::DEFAULT, |mut bench| {
        let item = kernel(vec![read(place(0))]);
        let at = BYTES_OF_STRUCTURE;
        let outcome = with_block(&mut bench, &item, at, &REACH.to_le_bytes());
        assert_eq!(outcome.errors, []);
        assert_eq!(bench.lines(place(0), 0), Some((0, (1 << 28) - 1)));
        let outcome = with_block(&mut bench, &item, at, &(REACH + 1).to_le_bytes());
        is_conservative(&outcome, &[4], &[0, 1, 2, 3]);
    });
}

/// 5.8: so is a hull that coarsening makes.
#[test]
fn hull_beyond_28_bits_is_code_4() {
    on_each(Parameters { max_structs: 1, ..Parameters::DEFAULT }, |mut bench| {
        let far = place(0) + (64 << 28);
        bench.runs(&kernel(vec![read(place(0)), read(far - LENGTH)]), 0, 0);
        let outcome = bench.launch(&kernel(vec![read(place(0)), read(far)]));
        is_conservative(&outcome, &[4], &[0, 1, 2, 3]);
        assert_eq!(bench.entries(), []);
    });
}

#[test]
fn base_inside_a_page_is_code_4_and_rounded_down() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let label = Label { base: place(0) + 100, length: 4096, ..read(place(0)) };
        let outcome = bench.launch(&kernel(vec![label]).on(0b01));
        assert_eq!(outcome.errors, [4]);
        assert!(!outcome.conservative);
        // Bytes 0 to 4195 of the page.
        assert_eq!(bench.lines(place(0), 0), Some((0, 65)));
    });
}

#[test]
fn structure_without_bytes_is_ignored() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let empty = Label { base: u64::MAX, length: 0, ..read(0) };
        let outcome = bench.launch(&kernel(vec![empty, read(place(0))]));
        assert_eq!(outcome.errors, []);
        assert_eq!(bench.entries().len(), 1);
    });
}

#[test]
fn unknown_types_and_empty_grids_are_code_5_and_rejected() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let item = chunks();
        for packet_type in [0, 1, 4, 5, 255] {
            is_rejected(&with_packet(&mut bench, &item, TYPE, &[packet_type]), 5, &item);
        }
        is_rejected(&with_packet(&mut bench, &item, SIZE_Y, &[0, 0]), 5, &item);
        is_rejected(&with_packet(&mut bench, &item, GRID_X, &[0; 4]), 5, &item);
        // 2^32 work-groups: more than a message can say.
        let mut packet = packets::packet(&item);
        packet[4..6].copy_from_slice(&1u16.to_le_bytes());
        packet[12..20].copy_from_slice(&[0, 0, 1, 0, 0, 0, 1, 0]);
        is_rejected(&bench.raw(packet, &[], item.chiplets), 5, &item);
        assert_eq!(bench.table.counters(), [0; 16]);
    });
}

#[test]
fn barrier_with_dependencies_is_code_5_and_rejected() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let item = barrier(true, true);
        for at in [8, 47] {
            is_rejected(&with_packet(&mut bench, &item, at, &[1]), 5, &item);
        }
        // Reserved fields mean nothing.
        for at in [2, 4, 48] {
            assert_eq!(with_packet(&mut bench, &item, at, &[1]).errors, []);
        }
    });
}

/// Of several faults those count that come before the first that makes the launch conservative.
#[test]
fn faults_are_reported_in_the_order_of_the_block() {
    on_each(Parameters::DEFAULT, |mut bench| {
        let (x, y, z) = (place(0), place(1), place(2));
        let labels = vec![
            Label { ranges: vec![(0, x, x - 1), (0, x, x - 2)], ..read(x) },
            Label { base: y + 1, ..read(y) },
            Label { ranges: vec![(0, z, z - 1)], ..read(z) },
        ];
        let outcome = bench.launch(&kernel(labels.clone()));
        assert_eq!((outcome.errors, outcome.conservative), (vec![2, 4, 2], false));
        let mut labels = labels;
        labels[1].ranges = vec![(0, y + 1, y), (0, y + 1, y)];
        labels[2].ranges = vec![(4, z, z + 63), (0, z, z - 1)];
        let outcome = bench.launch(&kernel(labels.clone()));
        assert_eq!((outcome.errors, outcome.conservative), (vec![2, 4, 2, 3], true));
        // In one structure too.
        labels[1].ranges.push((4, y, y + 63));
        let outcome = bench.launch(&kernel(labels));
        assert_eq!((outcome.errors, outcome.conservative), (vec![2, 4, 2, 3], true));
    });
}
