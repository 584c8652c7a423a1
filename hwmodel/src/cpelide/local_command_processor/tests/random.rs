//! Random kernels and operations: nothing is lost, and an idle block may be left alone.

use std::collections::VecDeque;

use super::*;
use crate::common::random::Random;

/// What a chiplet owes: a number for each kind and tag.
#[derive(Debug, Default, PartialEq, Eq)]
struct Account {
    acks: Vec<(u8, u32)>,
    groups: Vec<(u8, u32)>,
    done: Vec<u8>,
}

#[test]
fn every_request_is_answered_and_every_work_group_handed_out_once() {
    for seed in 1..60 {
        let mut r = Random::new(seed);
        let mut b = Bench::new();
        let (mut expected, mut got) = (Account::default(), Account::default());
        let mut messages = VecDeque::new();
        for n in 0..200 {
            let tag = n as u8;
            if r.below(3) == 0 {
                messages.push_back(sync(tag, r.below(4) as u8));
            } else {
                let (first, number) = (r.word(), r.below(5) * r.below(2));
                messages.extend([desc(tag, first), count(tag, number), enable(tag)]);
                expected.groups.extend((0..number).map(|i| (tag, first.wrapping_add(i))));
                expected.done.push(tag);
            }
        }
        let mut running: Vec<u8> = Vec::new();
        let (mut syncing, mut invalidating) = (false, false);
        for _ in 0..6000 {
            let slow = 1 + r.below(4);
            b.next.tx_ready = r.below(slow) == 0;
            b.next.wg_ready = r.below(slow) == 0;
            b.next.l2_sync_ready = r.below(slow) == 0;
            b.next.rx = messages.front().copied().filter(|_| r.below(2) == 0);
            let shown = b.block.outputs();
            if syncing && r.below(3) == 0 {
                b.next.l2_sync_done = Some(r.word());
                syncing = false;
            }
            if (invalidating || shown.l1_inv) && r.below(3) == 0 {
                b.next.l1_inv_done = true;
                invalidating = false;
            } else {
                invalidating |= shown.l1_inv;
            }
            if !running.is_empty() && r.below(3) == 0 {
                let at = r.below(running.len() as u32) as usize;
                b.next.wg_done = Some(running.swap_remove(at));
            }
            let inputs = b.next;
            let (idle, before) = (b.block.is_idle(), b.block.clone());
            let out = b.tick();
            let quiet = inputs.rx.is_none() && inputs.l2_sync_done.is_none();
            if idle && quiet && inputs.wg_done.is_none() && !inputs.l1_inv_done {
                assert_eq!(before.outputs(), b.block.outputs());
            }
            if inputs.rx.is_some() && out.rx_ready {
                let message = messages.pop_front().expect("it was offered");
                if message.kind == kind::SYNC_REQ && message.a & 3 == 0 {
                    expected.acks.push((message.tag, 0));
                }
            }
            syncing |= out.l2_sync.is_some() && inputs.l2_sync_ready;
            if let Some(lines) = inputs.l2_sync_done {
                // Requests are answered in their order: the tag is known when the answer is.
                let tag = before.queue.front().expect("it waits").tag;
                expected.acks.push((tag, lines));
            }
            if let (Some(wg), true) = (out.wg, inputs.wg_ready) {
                got.groups.push((wg.tag, wg.group));
                running.push(wg.tag);
            }
            match out.tx.filter(|_| inputs.tx_ready) {
                Some(m) if m.kind == kind::ACK => got.acks.push((m.tag, m.b)),
                Some(m) if m.kind == kind::DONE => got.done.push(m.tag),
                Some(m) => panic!("{m:?}"),
                None => {}
            }
        }
        got.done.sort_unstable();
        got.acks.sort_unstable();
        expected.acks.sort_unstable();
        assert_eq!(got, expected, "seed {seed}");
    }
}
