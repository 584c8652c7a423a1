//! The bits of a key (specification 5.1).

use super::*;

/// Bits of signatures, and those of four keys in them, as printed.
type Table = [(u32, [[u32; 6]; 4]); 4];

const KEYS: [u32; 4] = [0, 1, 0x12345, 0xDEAD_BEEF >> 7];
const TABLE: Table = [
    (
        256,
        [
            [0, 32, 64, 96, 128, 160],
            [217, 235, 19, 59, 69, 121],
            [132, 178, 207, 224, 21, 47],
            [71, 103, 154, 165, 223, 254],
        ],
    ),
    (
        1024,
        [
            [0, 128, 256, 384, 512, 640],
            [793, 1003, 83, 155, 357, 409],
            [580, 722, 847, 928, 21, 207],
            [295, 423, 602, 645, 799, 958],
        ],
    ),
    (
        8192,
        [
            [0, 1024, 2048, 3072, 4096, 5120],
            [6681, 7787, 851, 1819, 2277, 3225],
            [4804, 5202, 7119, 8096, 149, 1871],
            [2343, 3495, 4826, 5125, 6175, 8126],
        ],
    ),
    (
        16384,
        [
            [0, 2048, 4096, 6144, 8192, 10240],
            [13849, 14955, 1875, 3867, 4325, 7321],
            [9924, 11346, 13263, 16288, 1173, 3919],
            [5415, 7591, 9946, 11269, 12319, 15294],
        ],
    ),
];

#[test]
fn keys_set_the_bits_of_the_table() {
    on_both(|body| {
        for (m, rows) in TABLE {
            for (key, mut expected) in KEYS.into_iter().zip(rows) {
                let mut bench = Bench::new(body, &Config { m, ..config() });
                bench.send(0, 0, [write(1, key)]);
                bench.send(4, 1, [read(2, key)]);
                bench.finish();
                expected.sort();
                assert_eq!(bench.signature(1, 0), expected, "key {key:#x}, {m} bits");
                assert_eq!(bits(m, &[key]), expected, "the tests' own hash");
            }
        }
    });
}
