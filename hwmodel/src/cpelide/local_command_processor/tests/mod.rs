//! Directed tests of the rules in `rtl/cpelide/local_command_processor/README.md`; figures come
//! from the specification's text and worked examples.

mod example;
mod kernels;
mod random;
mod sync;

use ports::cpelide::types::WorkGroup;

use super::*;

/// A block, the inputs of its next cycle, and the outputs of all cycles.
struct Bench {
    block: LocalCommandProcessor,
    /// Pulses and `rx` are cleared after each cycle.
    next: In,
    out: Vec<Out>,
}

impl Bench {
    fn new() -> Self {
        let block = LocalCommandProcessor::new(&Config { tag_w: 8 }).expect("legal");
        let next = In { tx_ready: true, l2_sync_ready: true, wg_ready: true, ..In::default() };
        Self { block, next, out: Vec::new() }
    }

    fn tick(&mut self) -> Out {
        let shown = self.block.outputs();
        let out = self.block.tick(&self.next);
        assert_eq!(shown, out);
        self.out.push(out);
        let In { tx_ready, l2_sync_ready, wg_ready, .. } = self.next;
        self.next = In { tx_ready, l2_sync_ready, wg_ready, ..In::default() };
        out
    }

    fn run(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.tick();
        }
    }

    /// Offers a message in the next cycle, in which it is taken.
    fn send(&mut self, message: Message) {
        self.next.rx = Some(message);
        assert!(self.tick().rx_ready);
    }

    /// Describes, counts and launches; the L1s answer in the cycle of the pulse.
    fn launch(&mut self, tag: u8, first: u32, number: u32) {
        self.send(desc(tag, first));
        self.send(count(tag, number));
        self.send(enable(tag));
        self.next.l1_inv_done = true;
        assert!(self.tick().l1_inv);
    }

    fn cycle(&self) -> usize {
        self.out.len()
    }

    /// Cycles and messages of all transfers on `tx`, while `tx_ready` is 1.
    fn sent(&self) -> Vec<(usize, Message)> {
        let sent = self.out.iter().enumerate();
        sent.filter_map(|(cycle, out)| Some((cycle, out.tx?))).collect()
    }

    fn groups(&self) -> Vec<(usize, WorkGroup)> {
        let groups = self.out.iter().enumerate();
        groups.filter_map(|(cycle, out)| Some((cycle, out.wg?))).collect()
    }
}

fn message(kind: u8, tag: u8, a: u16, b: u32) -> Message {
    // The destination is not looked at.
    Message { kind, chiplet: 3, tag, a, b }
}

fn sync(tag: u8, op: u8) -> Message {
    message(kind::SYNC_REQ, tag, op.into(), 0)
}

fn desc(tag: u8, first: u32) -> Message {
    message(kind::WG_DESC, tag, 2, first)
}

fn count(tag: u8, number: u32) -> Message {
    message(kind::WG_COUNT, tag, 0, number)
}

fn enable(tag: u8) -> Message {
    message(kind::LAUNCH_EN, tag, 0, 0)
}

fn answer(kind: u8, tag: u8, a: u16, b: u32) -> Message {
    Message { kind, chiplet: 0, tag, a, b }
}
