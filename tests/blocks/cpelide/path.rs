//! Crossbar and local command processors wired together: worked example 10 of the command-processor
//! specification.

use duet_tests::{Bench, Body, has_rtl_of, model, rtl};
use hwmodel::Block;
use hwmodel::cpelide::cp_crossbar::CpCrossbar;
use hwmodel::cpelide::local_command_processor::LocalCommandProcessor;
use ports::cpelide::cp_crossbar;
use ports::cpelide::local_command_processor;
use ports::cpelide::types::{Message, Tx, kind, sync_op};

const CONFIG: &str = "paper";
const CHIPLETS: usize = 4;
/// L2 walk of 256 cycles, and 1000 lines of 64 B at 426 B per cycle (specification 5.7).
const L2_CYCLES: usize = 256 + 151;

/// A crossbar, a local command processor on each chiplet, and what was seen of them, by cycle.
struct Path {
    crossbar: Bench<Body<CpCrossbar>>,
    locals: Vec<Bench<Body<LocalCommandProcessor>>>,
    /// Cycle in which the L2 operation of a chiplet is done.
    busy: [Option<usize>; CHIPLETS],
}

impl Path {
    /// One cycle; each block sees what the others show in it.
    fn cycle(&mut self, tx: Option<Tx>) {
        let now = self.crossbar.out.len();
        let shown = self.crossbar.body.outputs();
        let mut inputs = cp_crossbar::In { tx, rx_ready: true, ..Default::default() };
        for (c, local) in self.locals.iter_mut().enumerate() {
            let out = local.body.outputs();
            inputs.down_ready |= u16::from(out.rx_ready) << c;
            inputs.up_valid |= u16::from(out.tx.is_some()) << c;
            inputs.up[c] = out.tx.unwrap_or_default();
            let l2_sync_done = (self.busy[c] == Some(now)).then_some(1000);
            if out.l2_sync.is_some() {
                self.busy[c] = Some(now + L2_CYCLES);
            }
            local.cycle(&local_command_processor::In {
                rx: (shown.down_valid >> c & 1 == 1).then_some(shown.down[c]),
                tx_ready: shown.up_ready >> c & 1 == 1,
                l2_sync_ready: true,
                l2_sync_done,
                ..Default::default()
            });
        }
        self.crossbar.cycle(&inputs);
    }

    /// The cycles in which a local command processor shows this.
    fn cycles_of(
        &self,
        chiplet: usize,
        shows: impl Fn(&local_command_processor::Out) -> bool,
    ) -> Vec<usize> {
        let out = &self.locals[chiplet].out;
        (0..out.len()).filter(|&cycle| shows(&out[cycle])).collect()
    }
}

#[test]
fn release_of_two_chiplets_takes_its_cycles_in_the_models() {
    release_of_two_chiplets_takes_its_cycles(Box::new(model::<CpCrossbar>(CONFIG)), || {
        Box::new(model::<LocalCommandProcessor>(CONFIG))
    });
}

#[test]
fn release_of_two_chiplets_takes_its_cycles_in_the_rtl() {
    if has_rtl_of::<CpCrossbar>() {
        release_of_two_chiplets_takes_its_cycles(Box::new(rtl::<CpCrossbar>(CONFIG)), || {
            Box::new(rtl::<LocalCommandProcessor>(CONFIG))
        });
    }
}

fn release_of_two_chiplets_takes_its_cycles(
    crossbar: Body<CpCrossbar>,
    local: impl Fn() -> Body<LocalCommandProcessor>,
) {
    let locals = (0..CHIPLETS).map(|_| Bench::new(local())).collect();
    let crossbar = Bench::new(crossbar);
    let mut path = Path { crossbar, locals, busy: [None; CHIPLETS] };
    let request = Message { kind: kind::SYNC_REQ, a: sync_op::REL.into(), ..Message::default() };
    path.cycle(Some(Tx { bcast: false, dst: 0b0110, msg: request }));
    // The last ACK is back in 540; LAUNCH_EN follows in the cycle after, to a tag that no
    // described.
    for _ in 1..541 {
        path.cycle(None);
    }
    let launch = Message { kind: kind::LAUNCH_EN, ..Message::default() };
    path.cycle(Some(Tx { bcast: true, dst: 0b1111, msg: launch }));
    for _ in 0..110 {
        path.cycle(None);
    }
    let arrivals = |chiplet: usize| -> Vec<usize> {
        let out = path.crossbar.out.iter().enumerate();
        out.filter(|(_, out)| out.down_valid >> chiplet & 1 == 1).map(|(cycle, _)| cycle).collect()
    };
    assert_eq!((arrivals(1), arrivals(2)), (vec![65, 641], vec![66, 641]));
    assert_eq!((arrivals(0), arrivals(3)), (vec![641], vec![641]));
    assert_eq!(path.cycles_of(1, |out| out.l2_sync.is_some()), [66]);
    assert_eq!(path.cycles_of(2, |out| out.l2_sync.is_some()), [67]);
    let acks = |out: &local_command_processor::Out| out.tx.is_some_and(|tx| tx.kind == kind::ACK);
    assert_eq!(path.cycles_of(1, acks), [474]);
    assert_eq!(path.cycles_of(2, acks), [475]);
    let back = path.crossbar.out.iter().enumerate();
    let back: Vec<_> = back.filter_map(|(cycle, out)| Some((cycle, out.rx?))).take(2).collect();
    let ack =
        |chiplet| Message { kind: kind::ACK, chiplet, a: sync_op::REL.into(), b: 1000, tag: 0 };
    assert_eq!(back, [(539, ack(1)), (540, ack(2))]);
}
