//! Twins keep what the scaling rule says.

use machine::System;
use machine::systems;

use super::{full, preset};

fn twin(name: &str) -> System {
    systems::load(&format!("{name}-small"), &[]).unwrap()
}

/// `a / b` is `c / d` within so many per cent.
fn near((a, b): (u64, u64), (c, d): (u64, u64), percent: u64, what: &str) {
    let (left, right) = (u128::from(a) * u128::from(d), u128::from(c) * u128::from(b));
    let most = left.max(right) * u128::from(percent) / 100;
    assert!(left.abs_diff(right) <= most, "{what}: {a} / {b} against {c} / {d}");
}

#[test]
fn twins_keep_capacities_and_bandwidths_for_each_cu() {
    for name in full() {
        let (f, t) = (preset(&name), twin(&name));
        let by = u64::from(t.scale);
        let cus = |s: &System| u64::from(s.machine.cus);
        assert_eq!(cus(&t) * by, cus(&f), "{name}: CUs divide evenly");
        // Whole sets: at most one set of each part is lost.
        let sets = u64::from(t.l2.ways * t.machine.line) * u64::from(t.l2.banks);
        assert!(t.l2.bytes <= f.l2.bytes / by && t.l2.bytes + sets > f.l2.bytes / by, "{name}");
        if f.l3.bytes == 0 {
            assert_eq!(t.l3.bytes, 0, "{name}");
        } else {
            near((t.l3.bytes * by, 1), (f.l3.bytes, 1), 25, &format!("{name}: l3"));
        }
        let banks = |s: &System| u64::from(s.l2.banks) * s.network.bytes_per_cycle;
        near((banks(&t), cus(&t)), (banks(&f), cus(&f)), 2, &format!("{name}: L2 bandwidth"));
        let memory = |s: &System| u64::from(s.l3.slices) * s.memory.bytes;
        let (left, right) = (memory(&t) * by * f.memory.cycles, memory(&f) * t.memory.cycles);
        assert_eq!(left, right, "{name}: memory bandwidth is exact");
        if f.machine.gpus > 1 {
            let rate = |s: &System| s.gpu_link.bytes_per_ns.millionths();
            assert!((rate(&t) * by).abs_diff(rate(&f)) <= by / 2, "{name}: GPU link");
        }
        let (l, k) = (&t.chiplet_link, &f.chiplet_link);
        assert_eq!(l.bytes * by * k.cycles, k.bytes * l.cycles, "{name}: link bandwidth is exact");
    }
}

#[test]
fn twins_keep_lines_ways_shape_and_clock() {
    for name in full() {
        let (f, t) = (preset(&name), twin(&name));
        assert_eq!((t.name, f.scale), (format!("{name}-small"), 1));
        assert_eq!(
            (t.machine.gpus, t.machine.chiplets, t.machine.line, t.machine.clock_mhz),
            (f.machine.gpus, f.machine.chiplets, f.machine.line, f.machine.clock_mhz)
        );
        assert_eq!((t.l2.ways, t.l1, t.cu), (f.l2.ways, f.l1, f.cu), "{name}");
    }
}

#[test]
fn l2s_of_twins_are_of_the_size_of_captured_programs() {
    for name in full() {
        let t = twin(&name);
        assert!((128 << 10..=480 << 10).contains(&t.l2.bytes), "{name}: {}", t.l2.bytes);
    }
}

#[test]
fn members_of_a_family_differ_in_chiplets_and_share_l3_and_memory() {
    let four = preset("cpelide-4");
    for (name, chiplets) in
        [("cpelide-2", 2), ("cpelide-6", 6), ("cpelide-7", 7), ("cpelide-8", 8), ("cpelide-16", 16)]
    {
        let system = preset(name);
        assert_eq!(system.machine.chiplets, chiplets);
        near((system.l3.bytes, 1), (16 << 20, 1), 1, name);
        let all = |s: &System| s.memory.bytes * u64::from(s.machine.chiplets);
        assert_eq!(all(&system) * four.memory.cycles, all(&four) * system.memory.cycles, "{name}");
        let (mut same, mut base) = (system.clone(), four.clone());
        for s in [&mut same, &mut base] {
            (s.machine.chiplets, s.l3.bytes, s.memory.bytes, s.memory.cycles) = (0, 0, 0, 0);
            s.name.clear();
        }
        assert_eq!(same, base);
    }
}

#[test]
fn members_of_stc_differ_in_cus_alone() {
    let base = preset("stc-8cu");
    for (name, cus) in [("stc-16cu", 16), ("stc-32cu", 32)] {
        let mut system = preset(name);
        assert_eq!((&system.name[..], system.machine.cus), (name, cus));
        (system.name, system.machine.cus) = (base.name.clone(), base.machine.cus);
        assert_eq!(system, base);
    }
}

/// Section VI-B: PCIe 6.0, four times PCIe 4.0, for bytes and for what the blocks take.
#[test]
fn finepacks_16_gpus_differ_from_4_in_links_alone() {
    let (base, mut system) = (preset("finepack-4gpu"), preset("finepack-16gpu"));
    assert_eq!((&system.name[..], system.machine.gpus), ("finepack-16gpu", 16));
    let link = &mut system.gpu_link;
    assert_eq!((link.generation, link.bytes_per_ns), (6, 128.into()));
    assert_eq!(link.clock_mhz, 4 * base.gpu_link.clock_mhz);
    (system.name, system.machine.gpus) = (base.name.clone(), base.machine.gpus);
    system.gpu_link = base.gpu_link.clone();
    assert_eq!(system, base);
}
