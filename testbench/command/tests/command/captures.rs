//! Captures of real programs convert and verify whole. The captures are not part of the project:
//! they are looked for in `../shared/traces` beside the project's root, or in
//! `$DUET_SHARED/traces`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use traces::trace::{Reader, Recorder, Totals, capture, verify};

/// Name, kernels, loads, stores, atomics.
const CAPTURES: [(&str, u64, u64, u64, u64); 9] = [
    ("bfs4k", 16, 162_840, 35_860, 0),
    ("backprop1k", 2, 132_176, 50_208, 0),
    ("hotspot64", 4, 56_448, 16_384, 0),
    ("kmeans100", 9, 275_400, 4_200, 0),
    ("srad64", 12, 196_672, 73_796, 0),
    ("streamcluster64", 336, 86_964, 102_980, 0),
    ("p_mis", 16, 96_540, 23_615, 0),
    ("p_pagerank", 41, 1_070_020, 84_000, 316_680),
    ("pb_jacobi2D", 8, 381_024, 127_008, 0),
];

fn captures() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("DUET_SHARED").map(PathBuf::from);
    shared.unwrap_or(root.join("../shared")).join("traces")
}

#[test]
fn captures_of_real_programs_convert_and_verify_whole() {
    let folder = captures();
    if !folder.is_dir() {
        eprintln!("skipped: no captures in {}", folder.display());
        return;
    }
    let work = tempfile::tempdir().unwrap();
    let work = work.path();
    for (name, kernels, loads, stores, atomics) in CAPTURES {
        let archive = folder.join(format!("{name}.tar.xz"));
        let tar = Command::new("tar").arg("-C").arg(work).arg("-xJf").arg(&archive).status();
        assert!(tar.unwrap().success(), "{}", archive.display());
        let path = work.join(format!("{name}.trace"));
        let mut recorder = Recorder::create(&path, name).unwrap();
        let converted = capture::convert(&work.join(name), &mut recorder).unwrap();
        assert_eq!(converted.left_out, 0, "{name}");
        recorder.save().unwrap();
        let mut reader = Reader::open(&path).unwrap();
        let totals = *reader.totals();
        let found = (totals.kernels, totals.loads, totals.stores, totals.atomics);
        assert_eq!(found, (kernels, loads, stores, atomics), "{name}");
        let outcome = verify(&mut reader).unwrap();
        assert_eq!(outcome.wrong, 0, "{name}: {:#?}", outcome.described);
        assert_eq!(outcome.loads_determined, totals.loads_determined, "{name}");
        assert_eq!(outcome.loads_racy, totals.loads_racy(), "{name}");
        check_share(name, &totals);
        for ending in ["bin", "meta", "blob", "trace"] {
            fs::remove_file(work.join(format!("{name}.{ending}"))).unwrap();
        }
    }
}

/// Counted independently: every load is determined, but for PageRank's sums, which are loops of
/// compare-and-swap.
fn check_share(name: &str, totals: &Totals) {
    let (all, within) = (totals.share_determined(), totals.share_determined_within_kernels());
    println!("{name:<16} {all:.3} of the loads determined, {within:.3} within kernels");
    let expected = if name == "p_pagerank" { (0.667, 0.704) } else { (1.0, 1.0) };
    let near = |a: f64, b: f64| (a - b).abs() < 0.0005;
    assert!(near(all, expected.0) && near(within, expected.1), "{name}: {all} {within}");
}
