//! Accesses of neighbouring lanes to one run of bytes are classed at once: as each lane's by itself
//! would be.

use proptest::prelude::*;

use crate::trace::limits::PAGE;
use crate::trace::{Access, AccessKind, Event, KernelSpec, Key, Reader, Record, Recorder};

/// Bytes of the programs' buffer: some on each side of a page's end.
const BYTES: u64 = PAGE + 64;

/// What some work-items do, one behind the other, before a barrier or not.
#[derive(Clone, Copy, Debug)]
struct Step {
    is_store: bool,
    first: u32,
    items: u32,
    at: u64,
    size: usize,
    value: u8,
    barrier: bool,
}

type Kernel = Vec<Vec<Step>>;

fn steps() -> impl Strategy<Value = Step> {
    let place = prop_oneof![0..48u64, PAGE - 48..PAGE];
    let who = (prop::sample::select(vec![0u32, 1, 64, 66]), 1..6u32);
    (any::<bool>(), who, place, 0..4u32, 0..3u8, prop::bool::weighted(0.2)).prop_map(
        |(is_store, (first, items), at, log, value, barrier)| {
            let size = 1 << log;
            // Most are aligned.
            let at = if value == 0 { at } else { at / size as u64 * size as u64 };
            Step { is_store, first, items, at, size, value, barrier }
        },
    )
}

/// What the classes of each kernel are, and how many loads are determined. `apart`: no two
/// work-items are in one instruction.
fn classes(kernels: &[Kernel], apart: bool) -> (Vec<String>, u64, u64) {
    let mut recorder = Recorder::in_memory("runs").unwrap();
    let base = recorder.alloc("buffer", BYTES).unwrap();
    for groups in kernels {
        let spec = KernelSpec { local: [80, 1, 1], ..KernelSpec::default() };
        recorder.begin_kernel(spec).unwrap();
        for group in groups {
            recorder.begin_group().unwrap();
            for (pc, step) in (0..).zip(group) {
                let kind = if step.is_store { AccessKind::Store } else { AccessKind::Load };
                for i in 0..step.items {
                    let key = Key { pc, iteration: [if apart { i } else { 0 }, 0, 0, 0] };
                    let addr = base + step.at + u64::from(i) * step.size as u64;
                    let bytes = &[step.value; 8][..step.size];
                    let item = step.first + i;
                    recorder
                        .access(&Access { item, key, kind, addr, bytes, ..Access::default() })
                        .unwrap();
                }
                if step.barrier {
                    recorder.barrier().unwrap();
                }
            }
            recorder.end_group().unwrap();
        }
        recorder.end_kernel().unwrap();
    }
    let totals = recorder.totals();
    let (determined, carried) = (totals.loads_determined, totals.loads_racy_carried);
    let mut reader = Reader::from_bytes(recorder.into_bytes().unwrap(), "runs").unwrap();
    let mut heads = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        if let Event::Kernel(head) = event {
            heads.push(format!("{:?}", head.racy));
        }
    }
    (heads, determined, carried)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_run_is_classed_as_its_lanes_by_themselves(
        kernels in prop::collection::vec(
            prop::collection::vec(prop::collection::vec(steps(), 0..5), 1..3), 1..4),
    ) {
        prop_assert_eq!(classes(&kernels, false), classes(&kernels, true));
    }
}
