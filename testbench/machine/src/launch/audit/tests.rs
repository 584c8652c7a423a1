//! A firmware that decides wrongly, played by the test on two chiplets.

use cosim::cpelide::packet::{self, Access, Labels, Range, Scope};
use ports::Bytes;
use ports::cpelide::command_processor::Out;
use ports::cpelide::local_command_processor as local;

use super::*;

const BASE: u64 = 0x10_0000;
const PART: u64 = 0x1000;

/// The auditor, and the counters that the firmware shows.
struct Bench {
    auditor: Auditor,
    now: Cycle,
    counters: [u32; 16],
}

impl Bench {
    fn new() -> Self {
        let conf = Conf { chiplets: 2, ..Conf::DEFAULT };
        Self { auditor: Auditor::new(0, &conf), now: 0, counters: [0; 16] }
    }

    /// Hands over a kernel in which chiplet i touches part `parts[i]` of a structure.
    fn submit(&mut self, access: Access, parts: [u64; 2]) {
        let mut labels = Labels::new(2);
        let ranges = [0, 1].map(|chiplet: u8| {
            let start = BASE + parts[usize::from(chiplet)] * PART;
            Range { chiplet, start, end: start + PART - 1 }
        });
        labels.set_access_mode_range(BASE, 2 * PART, access, &ranges);
        let dispatch = packet::Dispatch {
            workgroup_size: [1; 3],
            grid_size: [2, 1, 1],
            extension: 1,
            completion_signal: 1,
            ..packet::Dispatch::default()
        };
        let aql = Aql { mask: 0b11, stream: 0, packet: Bytes(dispatch.encode()) };
        let kernel = Kernel { number: 7, ..Kernel::default() };
        self.auditor.submit(self.now, &aql, &labels.encode().unwrap(), kernel);
    }

    fn see(&mut self, host: Out, rx: Option<Message>) -> Result<(), String> {
        self.now += 1;
        let crossbar =
            ports::cpelide::cp_crossbar::Out { tx_ready: true, rx, ..Default::default() };
        let host = Out { rx_ready: true, counters: self.counters, ..host };
        let shown = Outputs { host, crossbar, locals: vec![local::Out::default(); 2] };
        self.auditor.see(self.now, &shown)
    }

    fn sends(&mut self, kind: u8, tag: u8, a: u16) -> Result<(), String> {
        let msg = Message { kind, tag, a, ..Message::default() };
        let tx = Some(Tx { bcast: true, dst: 0b11, msg });
        self.see(Out { tx, ..Out::default() }, None)
    }

    /// Starts the kernel, after telling each chiplet the number of its work-groups.
    fn launches(&mut self, groups: [u32; 2]) -> Result<(), String> {
        let mut first = 0;
        for (chiplet, groups) in groups.into_iter().enumerate() {
            for (kind, b) in [(kind::WG_DESC, first), (kind::WG_COUNT, groups)] {
                let msg = Message { kind, b, ..Message::default() };
                let tx = Some(Tx { bcast: false, dst: 1 << chiplet, msg });
                self.see(Out { tx, ..Out::default() }, None)?;
            }
            first += groups;
        }
        self.sends(kind::LAUNCH_EN, 0, 0)
    }

    fn signals(&mut self, err: Option<u8>) -> Result<(), String> {
        for chiplet in 0..2 {
            let done = Message { kind: kind::DONE, chiplet, ..Message::default() };
            self.see(Out::default(), Some(done))?;
        }
        self.see(Out { sig: Some(1), err, ..Out::default() }, None)
    }

    /// The first kernel writes, each chiplet its own part: no operations, and one entry.
    fn begun() -> Self {
        let mut bench = Self::new();
        bench.submit(Access::ReadWrite, [0, 1]);
        bench.launches([1, 1]).unwrap();
        (bench.counters[0], bench.counters[2], bench.counters[4], bench.counters[5]) = (1, 2, 2, 1);
        bench
    }

    /// Then each chiplet reads what the other has written: D + remote R, which releases both.
    fn shifted() -> Self {
        let mut bench = Self::begun();
        bench.signals(None).unwrap();
        bench.submit(Access::Read, [1, 0]);
        bench
    }
}

fn says(result: Result<(), String>, text: &str) {
    let error = result.unwrap_err();
    assert!(error.starts_with("the decision of GPU 0's firmware differs"), "{error}");
    assert!(error.ends_with(text), "{error}");
}

#[test]
fn right_decisions_pass_and_have_their_reasons() {
    let mut bench = Bench::shifted();
    bench.sends(kind::SYNC_REQ, 0, 1).unwrap();
    bench.launches([1, 1]).unwrap();
    (bench.counters[0], bench.counters[2], bench.counters[3], bench.counters[4]) = (2, 4, 2, 2);
    // The hulls of what each chiplet has touched grow.
    bench.counters[11] = 2;
    bench.signals(None).unwrap();
    let packet = bench.auditor.take().unwrap();
    let told: Vec<_> = packet.before.reasons.iter().map(|r| (r.chiplet, r.to_string())).collect();
    let rules = [(0, "D + remote R"), (1, "D + remote R"), (0, "V + local R"), (1, "V + local R")];
    assert_eq!(told, rules.map(|(chiplet, rule)| (chiplet, rule.to_string())));
    assert_eq!((packet.sent(), packet.number, packet.kernel), ([2, 0], 1, Some(7)));
    assert_eq!(bench.auditor.take(), None);
}

#[test]
fn release_that_was_not_sent_is_found_at_the_launch() {
    let result = Bench::shifted().sends(kind::LAUNCH_EN, 0, 0);
    says(result, "packet 1, kernel 7: releases - and acquires - before it, must be 0-1 and -");
}

#[test]
fn acquire_that_was_not_needed_is_found_too() {
    let mut bench = Bench::shifted();
    bench.sends(kind::SYNC_REQ, 0, 3).unwrap();
    let result = bench.sends(kind::LAUNCH_EN, 0, 0);
    says(result, "releases 0-1 and acquires 0-1 before it, must be 0-1 and -");
}

#[test]
fn operations_after_a_kernel_are_compared_at_its_signal() {
    let mut bench = Bench::begun();
    bench.sends(kind::SYNC_REQ, 0, 1).unwrap();
    says(bench.signals(None), "releases 0-1 and acquires - after it, must be - and -");
}

#[test]
fn tag_error_codes_and_counters_are_compared() {
    let mut bench = Bench::new();
    bench.submit(Access::Read, [0, 1]);
    says(bench.sends(kind::LAUNCH_EN, 3, 0), "tag 3, must be 0");
    says(Bench::begun().signals(Some(4)), "error codes [4], must be []");
    let mut bench = Bench::begun();
    bench.counters[5] = 2;
    says(bench.signals(None), "CNT[5] = 2, must be 1");
}

#[test]
fn work_groups_of_a_wrong_chiplet_are_found_at_the_launch() {
    let mut bench = Bench::new();
    bench.submit(Access::Read, [0, 1]);
    says(
        bench.launches([2, 0]),
        "chiplets 0-1 with work-groups 0: 0 + 2, 1: 2 + 0, must be 0: 0 + 1, 1: 1 + 1",
    );
    let mut bench = Bench::new();
    bench.submit(Access::Read, [0, 1]);
    says(
        bench.sends(kind::LAUNCH_EN, 0, 0),
        "chiplets 0-1 with work-groups -, must be 0: 0 + 1, 1: 1 + 1",
    );
}

#[test]
fn barrier_is_compared_at_its_signal() {
    let mut bench = Bench::begun();
    bench.signals(None).unwrap();
    let packet = packet::barrier(Scope::Agent, Scope::System, 1);
    let aql = Aql { mask: 0b11, stream: 0, packet: Bytes(packet) };
    bench.auditor.submit(bench.now, &aql, &[], Kernel::default());
    let result = bench.see(Out { sig: Some(1), ..Out::default() }, None);
    says(result, "a barrier: releases - and acquires - before it, must be 0-1 and 0-1");
}

#[test]
fn chiplets_are_listed_as_runs() {
    let told = [0, 0b1, 0b1011, 0xffff, 0x8006].map(|mask| Chiplets(mask).to_string());
    assert_eq!(told, ["-", "0", "0-1,3", "0-15", "1-2,15"]);
}
