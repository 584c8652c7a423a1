//! Bytes add up on the links between GPUs. (Inside a GPU: beside the machine, `run/tests.rs`.)

use std::cell::RefCell;
use std::rc::Rc;

use machine::{Bodies, Machine, Options};
use traces::workloads::program::{Kernel, Labels, Place, Program, Step, What, Who};

use super::{all, built_in, system};

/// What an observer of the links has seen: TLPs, bytes of headers and payloads.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    tlps: u64,
    bytes: u64,
    /// By sending and receiving GPU.
    between: [[u64; 4]; 4],
}

#[test]
fn bytes_on_links_between_gpus_are_the_sum_of_their_parts() {
    let mut params = traces::kernels::program::<()>("pagerank_push").unwrap().params();
    (params.size, params.iterations) = (256, 1);
    let program = built_in("pagerank_push", &params);
    for egress in all("egress.design").into_iter().filter(|design| design != "infinite") {
        let system = system("finepack-4gpu-small", &[("egress.design", &egress)]);
        let bodies = Bodies::default();
        let options = Options::default();
        let mut machine =
            Machine::new(&system, &bodies, program.reopen().unwrap(), options).unwrap();
        let seen = Rc::new(RefCell::new(Seen::default()));
        let counter = seen.clone();
        machine.on_tlp(move |sent| {
            // 4 DWs where bit 5 of the first byte says so, else 3 (PCIe base specification, 2.2.1).
            let header = if sent.header[0] >> 5 & 1 == 1 { 16 } else { 12 };
            let mut seen = counter.borrow_mut();
            seen.tlps += 1;
            let bytes = header + sent.payload.len() as u64;
            seen.bytes += bytes;
            seen.between[usize::from(sent.src)][usize::from(sent.dest)] += bytes;
        });
        machine.run().unwrap();
        let all = machine.statistics();
        let count = |name: &str| all.iter().find(|(n, _)| n == name).map_or(0, |(_, v)| *v);
        let parts = ["header", "subheader", "data", "padding"];
        let inside: u64 = parts.iter().map(|p| count(&format!("gpu_link.{p}_bytes"))).sum();
        let seen = *seen.borrow();
        assert_eq!(seen.tlps, count("gpu_link.tlps"), "{egress}");
        if egress == "config-packet" {
            // Headers that the receiver knows are not on the wire.
            assert!(inside <= seen.bytes, "{egress}");
        } else {
            assert_eq!(inside, seen.bytes, "{egress}");
        }
        let framing = count("gpu_link.framing_bytes");
        assert_eq!(count("gpu_link.wire_bytes"), inside + framing, "{egress}");
        // Of each pair of GPUs: at least what its TLPs carry, and nothing without a TLP of either.
        let pairs = machine.traffic().gpus;
        let reverse = ["completion", "coherence"].map(|p| count(&format!("gpu_link.{p}_bytes")));
        let whole = count("gpu_link.wire_bytes") + reverse.iter().sum::<u64>();
        let sum: u64 = pairs.iter().flatten().sum();
        // Each pair is rounded up to a byte.
        assert!((whole..whole + 16).contains(&sum), "{egress}: {sum}, {whole}");
        for (from, to) in (0..4).flat_map(|from| (0..4).map(move |to| (from, to))) {
            let (bytes, back) = (seen.between[from][to], seen.between[to][from]);
            if egress != "config-packet" {
                assert!(pairs[from][to] >= bytes, "{egress}, {from} to {to}");
            }
            assert_eq!(pairs[from][to] > 0, bytes + back > 0, "{egress}, {from} to {to}");
        }
        assert!(framing > 0 && count("gpu_link.data_bytes") > 0, "{egress}");
        for kind in ["loads", "atomics"] {
            assert!(count(&format!("ingress.{kind}")) >= count(&format!("egress.{kind}")));
        }
        assert_eq!(count("egress.releases"), 4 * u64::from(machine.kernels()), "{egress}");
    }
}

/// All other GPUs store to GPU 1 alone: all TLPs go there, and for the release of each GPU one
/// completion comes back (12 bytes of header, 8 of framing, 4 of ECRC).
#[test]
fn bytes_between_gpus_stand_in_the_row_of_their_sender() {
    let place = Place { page: 1, offset: 0, per_item: 4, per_group: 256, page_by_group: false };
    let access = |what| Step::Access { what, who: Who::All, place, size: 4, aligned: true, gap: 0 };
    let kernel = Kernel {
        labels: Labels::None,
        writes: vec![(0, 8192)],
        groups: 4,
        items: 64,
        steps: vec![access(What::Store)],
        read: false,
    };
    let trace = Program(vec![kernel]).record();
    // Pages take turns: page 1 is GPU 1's. Work-groups too: each GPU has one.
    let set = [("machine.chiplets", "1"), ("placement.policy", "interleave")];
    let system = system("finepack-4gpu-small", &set);
    let mut machine = Machine::new(&system, &Bodies::default(), trace, Options::default()).unwrap();
    machine.run().unwrap();
    let all = machine.statistics();
    let wire = all.iter().find(|(name, _)| name == "gpu_link.wire_bytes").unwrap().1;
    let pairs = machine.traffic().gpus;
    let to_1: u64 = [0, 2, 3].map(|from| pairs[from][1]).iter().sum();
    assert!(wire > 0 && (wire..wire + 3).contains(&to_1), "{wire}: {pairs:?}");
    for other in [0, 2, 3] {
        assert!(pairs[other][1] > 0, "{pairs:?}");
        assert_eq!(pairs[1][other], 24, "{pairs:?}");
        assert!([0, 2, 3].iter().all(|to| pairs[other][*to] == 0), "{pairs:?}");
    }
    assert_eq!(pairs[1][1], 0);
}
