//! What a report holds, on small inputs.

use std::sync::LazyLock;

use super::burst::BurstBytes;
use super::figures::two_decimals;
use super::{FinePack, INPUTS, Report, points};
use crate::experiment::{Attempt, Input, Record, input};
use crate::figure::alone;
use crate::paper;

/// A program whose GPUs read of their neighbours, and one whose GPUs read of all.
const SMALL: [Input; 2] =
    [input("jacobi_band", "Jacobi", 4096, 2), input("tomography", "CT", 2048, 2)];

static REPORT: LazyLock<Report> = LazyLock::new(|| {
    paper::run::<FinePack>(points::SCALE, &SMALL, 0, &Attempt::default()).unwrap()
});

fn record(program: &str, machine: &str) -> &'static Record {
    REPORT.runs.record(program, machine)
}

#[test]
fn every_program_runs_on_every_machine_with_all_loads_checked() {
    REPORT.checks_all_loads(1000);
}

/// What a machine is compared with differs in nothing but egress path and copies, but for those
/// whose names say what else.
#[test]
fn machines_differ_in_what_their_names_say_alone() {
    let all = points::all();
    let base = &all.iter().find(|p| p.name == "finepack").unwrap().system;
    let rest = ["one-gpu", "infinite", "-quarter", "-pcie5", "-pcie6", "-16", "sub-headers-"];
    for point in &all {
        let mut same = point.system.clone();
        same.name.clone_from(&base.name);
        same.egress.design.clone_from(&base.egress.design);
        same.placement.policy.clone_from(&base.placement.policy);
        let is_other = rest.iter().any(|part| point.name.contains(part));
        assert_eq!(same != *base, is_other, "{}", point.name);
        let path = point.name.split('-').next().unwrap();
        if ["p2p", "finepack", "dma"].contains(&path) {
            assert_eq!(point.system.egress.design, path, "{}", point.name);
        }
    }
}

#[test]
fn stores_go_where_copies_are() {
    let arrived = |program, machine| REPORT.count(program, machine, "ingress.stores");
    // The band ends in the neighbours' rows.
    let line = arrived("jacobi_band", "p2p");
    assert!(line > 0 && arrived("jacobi_band", "p2p-all") > 4 * line);
    // All GPUs read of all.
    assert_eq!(arrived("tomography", "p2p"), arrived("tomography", "p2p-all"));
    for Input { program, .. } in SMALL {
        assert_eq!(arrived(program, "one-gpu"), 0);
        assert_eq!(REPORT.count(program, "infinite", "gpu_link.wire_bytes"), 0);
        assert!(arrived(program, "infinite") > 0);
        assert!(REPORT.count(program, "finepack", "gpu_link.packets") > 0);
    }
}

#[test]
fn wire_bytes_are_the_sum_of_their_parts() {
    for r in &REPORT.runs.records {
        let names = ["data", "header", "subheader", "padding", "framing"];
        let parts = names.map(|name| r.counter(&format!("gpu_link.{name}_bytes")));
        assert_eq!(parts.iter().sum::<f64>(), r.counter("gpu_link.wire_bytes"), "{r:?}");
        assert!(r.counter("gpu_link.small_writes") <= r.counter("gpu_link.store_tlps"));
    }
}

#[test]
fn figures_are_those_of_the_runs() {
    let cycles = |program, machine| record(program, machine).cycles as f64;
    let mean = |machine, over| {
        let of = |program| cycles(program, over) / cycles(program, machine);
        (of("jacobi_band") * of("tomography")).sqrt()
    };
    let close = |id, name: &str, value: f64| {
        let ours = REPORT.figure(id).values[name];
        assert!((ours - value).abs() < 1e-9, "{id} {name}: {ours} {value}");
    };
    close("F1", "mean", mean("infinite", "one-gpu"));
    close("F2", "mean", mean("finepack", "one-gpu"));
    close("F2", "of_infinite", mean("finepack", "infinite"));
    close("F3", "dma.mean", mean("finepack", "dma"));
    close("F3", "p2p.mean", mean("finepack", "p2p"));
    close("F4", "p2p.mean", mean("dma", "p2p"));
    close("F12", "dma.mean", mean("finepack-16", "dma-16"));
    close("F13", "mean", mean("finepack", "gps"));
    close("F15", "mean", mean("p2p", "one-gpu"));
    let packed = |program| {
        let packets = record(program, "finepack").counter("gpu_link.packets");
        record(program, "infinite").counter("ingress.stores") / packets
    };
    close("F6", "mean", (packed("jacobi_band") + packed("tomography")) / 2.0);
    // Voxels are single words in random order; a band's rows are whole lines.
    close("F7", "percent.tomography", 100.0);
    close("F7", "percent.jacobi_band", 0.0);
    let storage = &REPORT.figure("F14").values;
    assert_eq!((storage["entries"], storage["entry_bytes"]), (192.0, 144.0));
    assert_eq!((storage["data_kib"], storage["data_kib_16_gpus_1_bank"]), (48.0, 120.0));
}

#[test]
fn report_has_every_figure_with_the_papers_numbers_beside_ours() {
    assert_eq!(alone(&REPORT.figures), [""; 0]);
    assert!(REPORT.summary.ratios > 10, "{}", REPORT.summary);
    let ids: Vec<String> = REPORT.figures.iter().map(|f| f.id.clone()).collect();
    let papers = (1..=15).map(|n| format!("F{n}"));
    let others = ["E4", "copies", "links"].map(String::from);
    assert_eq!(ids, papers.chain(others).collect::<Vec<_>>());
    for f in &REPORT.figures {
        assert!(f.ours.is_some() && f.values.values().all(|v| v.is_finite()), "{f:?}");
    }
    assert!(REPORT.to_string().lines().all(|line| line.chars().count() <= 132));
    let built_in =
        |input: &Input| traces::kernels::NAMES.iter().any(|(name, _)| *name == input.program);
    assert!(INPUTS.iter().all(built_in));
}

#[test]
fn average_packet_gains_what_worked_example_4_says() {
    let cases = [(4, 408, 1344, 3.29), (8, 576, 1512, 2.63), (16, 912, 1848, 2.03)];
    for (len, packed, raw, gain) in cases.into_iter().chain([(32, 1584, 2520, 1.59)]) {
        let b = BurstBytes::measure(42, len).unwrap();
        assert_eq!((b.finepack, b.p2p, b.packets), (packed, raw, 1), "{len} B");
        assert_eq!(two_decimals(b.gain()), gain, "{len} B");
    }
}

#[test]
fn config_packets_lose_what_worked_example_6_says() {
    let b = BurstBytes::measure(42, 40).unwrap();
    assert_eq!((b.finepack, b.config_packet), (1920, 2338));
    assert_eq!(b.config_packet_extra(28), 10.0);
}
