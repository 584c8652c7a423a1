//! What holds for every workload through every path, and that wrong runs are found.

use machine::egress_path::PathKind;
use ports::common::finepack_types::FinePack;
use traces::workloads::{Kernel, NAMES, Replica, Workload};

use super::burst::Burst;
use super::egress_run::{Record, RunError, Setup};
use super::figures::two_decimals;
use super::sweeps::{BurstBytes, Input, generation};
use super::{run, sweeps};
use crate::figure::alone;

fn paper() -> FinePack {
    cosim::settings::named(super::CONFIG).unwrap()
}

fn setup() -> Setup {
    Setup { parameters: paper(), link_latency: 500 }
}

fn inputs() -> [Input; 3] {
    NAMES.map(|workload| Input { workload, size: 2000, iterations: 5 })
}

fn everything(setup: &Setup) -> Vec<Record> {
    sweeps::all(setup, &inputs(), &PathKind::ALL).unwrap()
}

#[test]
fn memories_are_right_after_each_release_of_every_workload_and_path() {
    let records = everything(&setup());
    assert_eq!(records.len(), 18);
    for r in &records {
        assert!(r.iterations >= 3 && r.stores > 0 && r.useful > 0, "{r:?}");
        assert_eq!(r.memories_compared, u64::from(4 * r.iterations));
    }
}

#[test]
fn parts_of_the_wire_bytes_add_up() {
    for setup in [setup(), generation(&setup(), 6)] {
        for r in everything(&setup) {
            let w = &r.wire;
            let parts = w.data + w.sub_headers + w.headers_framing + w.padding;
            assert_eq!(parts, w.total, "{r:?}");
            if setup.parameters.pcie_generation == 4 {
                // 28 B for each TLP, but 10 B where the receiver knows the header.
                let bare = if r.path == PathKind::ConfigPacket { r.packets } else { 0 };
                assert_eq!(w.headers_framing, 28 * (r.tlps - bare) + 10 * bare, "{r:?}");
                let marks = if r.path == PathKind::ConfigPacket { 0 } else { r.tlps - r.packets };
                assert!(w.total - w.stores >= 28 * marks, "{r:?}");
            }
            match r.path {
                PathKind::Infinite => assert_eq!(w.total, 0),
                // Everything that left a link has arrived.
                _ => assert_eq!(w.data, r.useful + r.wasted, "{r:?}"),
            }
            assert!(r.sent_again <= r.wasted);
            if r.path != PathKind::Dma {
                assert_eq!(r.store_bytes, r.useful + r.wasted + r.coalesced, "{r:?}");
            }
        }
    }
}

#[test]
fn paths_deliver_the_same_useful_bytes() {
    let records = everything(&setup());
    for of_workload in records.chunks(PathKind::ALL.len()) {
        for r in of_workload.iter().filter(|r| r.path != PathKind::Dma) {
            assert_eq!(r.useful, of_workload[0].useful, "{r:?}");
            assert_eq!(
                (r.stores, r.iterations),
                (of_workload[0].stores, of_workload[0].iterations)
            );
        }
    }
}

#[test]
fn average_packet_gains_what_worked_example_4_says() {
    let cases = [(4, 408, 1344, 3.29), (8, 576, 1512, 2.63), (16, 912, 1848, 2.03)];
    for (len, packed, raw, gain) in cases.into_iter().chain([(32, 1584, 2520, 1.59)]) {
        let b = BurstBytes::measure(&setup(), 42, len).unwrap();
        assert_eq!((b.finepack, b.p2p, b.packets), (packed, raw, 1), "{len} B");
        assert_eq!(two_decimals(b.gain()), gain, "{len} B");
    }
}

#[test]
fn config_packets_lose_what_worked_example_6_says() {
    let b = BurstBytes::measure(&setup(), 42, 40).unwrap();
    assert_eq!((b.finepack, b.config_packet), (1920, 2338));
    assert_eq!(b.config_packet_extra(28), 10.0);
}

#[test]
fn report_has_every_figure_and_is_the_same_again() {
    let inputs = NAMES.map(|workload| Input { workload, size: 1000, iterations: 2 });
    let report = run(&paper(), &inputs).unwrap();
    assert_eq!(alone(&report.figures), [""; 0]);
    assert!(report.score.compared > 5, "{}", report.score);
    let ids: Vec<String> = report.figures.iter().map(|f| f.id.clone()).collect();
    let expected: Vec<String> =
        (1..=15).map(|n| format!("F{n}")).chain(["E4".to_string()]).collect();
    assert_eq!(ids, expected);
    for f in &report.figures {
        assert_eq!(f.ours.is_none(), f.values.is_empty(), "{}", f.id);
        assert_eq!(f.ours.is_none(), f.note.starts_with("not yet"), "{}", f.id);
        assert!(f.values.values().all(|v| v.is_finite()), "{f:?}");
    }
    let storage = &report.figures[13].values;
    assert_eq!((storage["entries"], storage["entry_bytes"]), (192.0, 144.0));
    assert_eq!((storage["data_kib"], storage["data_kib_16_gpus_1_bank"]), (48.0, 120.0));
    assert_eq!(report, run(&paper(), &inputs).unwrap());
    assert!(report.to_string().lines().all(|line| line.chars().count() <= 132));
}

/// A [`Burst`] whose kernels are changed, but not what is expected of them.
struct Changed {
    kernels: Vec<Kernel>,
    before: Vec<Replica>,
    after: Vec<Replica>,
    begun: bool,
}

impl Changed {
    fn new(change: impl Fn(&mut [Kernel])) -> Self {
        let mut burst = Burst::new(4, 42, 4, 128);
        let mut kernels = burst.kernels().to_vec();
        change(&mut kernels);
        let before = burst.memory().to_vec();
        burst.step();
        Self { kernels, before, after: burst.memory().to_vec(), begun: false }
    }
}

impl Workload for Changed {
    fn name(&self) -> &'static str {
        "changed"
    }

    fn step(&mut self) -> bool {
        !std::mem::replace(&mut self.begun, true)
    }

    fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    fn memory(&self) -> &[Replica] {
        if self.begun { &self.after } else { &self.before }
    }

    fn element_bytes(&self) -> usize {
        4
    }
}

#[test]
fn byte_that_nobody_expects_is_a_wrong_value() {
    for path in PathKind::ALL.into_iter().filter(|p| *p != PathKind::Dma) {
        let mut changed = Changed::new(|k| k[0].requests[7].data.0[2] ^= 0x10);
        let req = changed.kernels[0].requests[7];
        let error = setup().run(path, &mut changed).unwrap_err();
        let RunError::WrongValue { what, .. } = error else { panic!("{error}") };
        let (found, addr) = (req.data.0[2], req.addr + 2);
        let must = found ^ 0x10;
        let text =
            format!("GPU 1 has {found:#04x} at {addr:#x}, must be {must:#04x}; 1 bytes differ");
        assert_eq!(what, text);
    }
}

#[test]
fn missing_store_is_a_wrong_value() {
    for path in PathKind::ALL.into_iter().filter(|p| *p != PathKind::Dma) {
        let mut changed = Changed::new(|k| {
            k[0].requests.remove(41);
        });
        let error = setup().run(path, &mut changed).unwrap_err();
        assert!(error.to_string().ends_with("4 bytes differ"), "{error}");
    }
}

#[test]
fn kernel_without_release_is_stuck() {
    let mut changed = Changed::new(|k| k[2].requests.clear());
    let error = setup().run(PathKind::FinePack, &mut changed).unwrap_err();
    let RunError::Stuck { what, .. } = error else { panic!("{error}") };
    assert_eq!(what, "1 releases wait; requests left: GPU 0 0, GPU 1 0, GPU 2 0, GPU 3 0");
}

#[test]
fn request_that_a_path_refuses_is_an_error() {
    let mut changed = Changed::new(|k| k[0].requests[3].dest = 0);
    let error = setup().run(PathKind::P2p, &mut changed).unwrap_err();
    assert!(error.to_string().ends_with("GPU 0: egress error 2"), "{error}");
}
