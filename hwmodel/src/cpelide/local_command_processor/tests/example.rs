//! Worked example 10 of the specification: crossbar, local processors and the L2s' operations.

use std::array::from_fn;

use ports::cpelide::cp_crossbar;
use ports::cpelide::types::{Tx, sync_op};

use super::*;
use crate::Block;
use crate::cpelide::cp_crossbar::CpCrossbar;

/// Cycles of a release of 1000 dirty lines of 64 B: 256 for the walk, and 1000 * 64 / 426 rounded
/// up.
const RELEASE: u64 = 256 + 151;

#[test]
fn release_on_two_chiplets_then_launch_on_all() {
    let config = cp_crossbar::Config { chiplets: 4, unicast_latency: 65, broadcast_latency: 100 };
    let mut xbar = CpCrossbar::new(&config).expect("legal parameters");
    let mut local: [_; 4] =
        from_fn(|_| LocalCommandProcessor::new(&Config { tag_w: 8 }).expect("legal"));
    let mut done = [None; 4];
    let (mut started, mut acks, mut pulses) = (Vec::new(), Vec::new(), Vec::new());
    let (mut launch_sent, mut launched) = (None, Vec::new());
    for cycle in 0..800 {
        let send = |kind, dst, bcast| {
            let msg = Message { kind, a: sync_op::REL.into(), ..Message::default() };
            Some(Tx { bcast, dst, msg })
        };
        let mut into = cp_crossbar::In { rx_ready: true, ..Default::default() };
        into.tx = match cycle {
            0 => send(kind::SYNC_REQ, 0b0110, false),
            _ if acks.len() == 2 && launch_sent.is_none() => {
                launch_sent = Some(cycle);
                send(kind::LAUNCH_EN, 0b1111, true)
            }
            _ => None,
        };
        let shown = xbar.outputs();
        for (c, block) in local.iter_mut().enumerate() {
            let out = block.outputs();
            if out.l2_sync.is_some() {
                started.push((cycle, c));
                done[c] = Some(cycle + RELEASE);
            }
            if out.l1_inv {
                pulses.push((cycle, c));
            }
            if let Some(message) = out.tx {
                into.up_valid |= 1 << c;
                into.up[c] = message;
            }
            into.down_ready |= u16::from(out.rx_ready) << c;
            block.tick(&In {
                rx: (shown.down_valid & 1 << c != 0).then_some(shown.down[c]),
                tx_ready: shown.up_ready & 1 << c != 0,
                l2_sync_ready: true,
                l2_sync_done: (done[c] == Some(cycle)).then_some(1000),
                ..In::default()
            });
        }
        if let Some(message) = xbar.tick(&into).rx
            && message.kind == kind::ACK
        {
            acks.push((cycle, message.chiplet, message.b));
        }
        if shown.down_valid == 0b1111 {
            launched.push(cycle);
        }
    }
    assert_eq!(started, [(66, 1), (67, 2)]);
    assert_eq!(done, [None, Some(473), Some(474), None]);
    assert_eq!(acks, [(539, 1, 1000), (540, 2, 1000)]);
    assert_eq!((launch_sent, launched), (Some(541), vec![641]));
    // Its tag was not described: the local processors refuse it.
    assert!(pulses.is_empty());
}
