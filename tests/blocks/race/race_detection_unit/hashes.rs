//! The bits of a key (specification 5.1).

use duet_tests::configs;
use ports::race::types::RaceDetection;

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

/// Writes each key for SM 0; SM 1 reads its line and gets the signature.
fn assert_bits(body: Make, config: &Config, keys: impl IntoIterator<Item = (u32, Vec<u32>)>) {
    for (key, mut expected) in keys {
        let addr = key * config.gran;
        let mut bench = Bench::new(body, config);
        bench.send(0, 0, [Req { mask: 1 << (addr % 128), ..write(1, addr >> 7) }]);
        bench.send(4, 1, [read(2, addr >> 7)]);
        bench.finish();
        expected.sort();
        assert_eq!(bench.signature(1, 0), expected, "key {key:#x}, {config:?}");
    }
}

#[test]
fn keys_set_the_bits_of_the_table() {
    on_both(|body| {
        // Of each size, and of each granule that has all keys.
        for ((m, rows), name) in TABLE.into_iter().zip(["small", "small-byte", "paper", "wide"]) {
            let config: Config = (&named(name)).into();
            assert_eq!(config.m, m);
            let rows = rows.map(|row| row.to_vec());
            assert_bits(body, &config, KEYS.into_iter().zip(rows));
        }
    });
}

/// The check values, and the table, of the definition that these tests compare with.
#[test]
fn tests_have_the_matrix_and_the_bits_of_the_table() {
    let found =
        [(0, 0), (0, 1), (5, 0), (6, 0), (6, 31)].map(|(j, i): (usize, usize)| matrix()[j][i]);
    assert_eq!(found, [0x510C_4619, 0xE02E_553E, 0x52E8_8499, 0xFBEE_CFFE, 0xDF20_43EA]);
    for (m, rows) in TABLE {
        for (key, mut expected) in KEYS.into_iter().zip(rows) {
            expected.sort();
            assert_eq!(bits(m, &[key]), expected, "key {key:#x}, {m} bits");
        }
    }
}

/// The maps are linear: the keys of one bit determine them. The last key is that of the highest
/// address.
#[test]
fn keys_set_their_bits_in_all_sizes_of_granules_of_all() {
    let keys = |Config { m, gran, .. }: &Config| {
        let (m, width) = (*m, 32 - gran.trailing_zeros());
        let keys = (0..width).map(|bit| 1 << bit).chain([0, u32::MAX >> (32 - width)]);
        keys.map(move |key| (key, bits(m, &[key])))
    };
    on_both(|body| {
        for name in configs::<RaceDetection>() {
            let config: Config = (&named(&name)).into();
            assert_bits(body, &config, keys(&config));
        }
    });
    for m in [256, 1024, 2048, 4096, 8192, 16384] {
        for gran in [1, 4, 128, 512] {
            let config = Config { m, gran, ..config() };
            assert_bits(MODELS.unit, &config, keys(&config));
        }
    }
}
