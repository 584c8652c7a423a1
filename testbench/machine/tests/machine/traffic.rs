//! Bytes add up on the links between GPUs. (Inside a GPU: beside the machine, `run/tests.rs`.)

use std::cell::RefCell;
use std::rc::Rc;

use machine::{Bodies, Machine, Options};

use super::{all, built_in, system};

/// What an observer of the links has seen: TLPs, bytes of headers and payloads.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    tlps: u64,
    bytes: u64,
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
            seen.bytes += header + sent.payload.len() as u64;
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
        assert!(framing > 0 && count("gpu_link.data_bytes") > 0, "{egress}");
        for kind in ["loads", "atomics"] {
            assert!(count(&format!("ingress.{kind}")) >= count(&format!("egress.{kind}")));
        }
        assert_eq!(count("egress.releases"), 4 * u64::from(machine.kernels()), "{egress}");
    }
}
