//! Remote write queue and packetizer, wired together.

use ports::finepack::{packetizer, remote_write_queue as queue};

use super::{In, Out};
use crate::block::Block;
use crate::state::State;

/// The two blocks of FinePack's egress (specification 1). Wiring only: each body may be the model,
/// the RTL or both in lockstep.
#[derive(Clone, Debug)]
pub struct FinePackPath<Q, P> {
    queue: Q,
    packetizer: P,
    timeout: u16,
    acct: u8,
}

impl<Q, P> FinePackPath<Q, P> {
    /// Wires two bodies. `timeout` and `acct` are the queue's static inputs.
    pub fn new(queue: Q, packetizer: P, timeout: u16, acct: u8) -> Self {
        Self { queue, packetizer, timeout, acct }
    }

    /// Their inputs in a cycle in which nothing comes.
    pub fn idle_inputs(&self, self_id: u8) -> (queue::In, packetizer::In) {
        let (timeout, acct) = (self.timeout, self.acct);
        let queue = queue::In { self_id, timeout, acct, ..queue::In::default() };
        (queue, packetizer::In { self_id, ..packetizer::In::default() })
    }

    /// The remote write queue.
    pub fn queue(&self) -> &Q {
        &self.queue
    }

    /// The remote write queue, for what its body reports.
    pub fn queue_mut(&mut self) -> &mut Q {
        &mut self.queue
    }

    /// The packetizer, for what its body reports.
    pub fn packetizer_mut(&mut self) -> &mut P {
        &mut self.packetizer
    }
}

fn joined(q: queue::Out, p: packetizer::Out) -> Out {
    let queue::Out { req_ready, drain: _, rel, occ, avail, err, evt } = q;
    Out { req_ready, tlp: p.tlp, rel, st: None, st_dest: 0, err, evt, occ, avail }
}

impl<Q, P> Block for FinePackPath<Q, P>
where
    Q: Block<In = queue::In, Out = queue::Out>,
    P: Block<In = packetizer::In, Out = packetizer::Out>,
{
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        joined(self.queue.outputs(), self.packetizer.outputs())
    }

    fn tick(&mut self, i: &In) -> Out {
        let (q, p) = (self.queue.outputs(), self.packetizer.outputs());
        let &In { req, tlp_ready, cpl, self_id } = i;
        let (timeout, acct) = (self.timeout, self.acct);
        self.queue.tick(&queue::In {
            req,
            drain_ready: p.drain_ready,
            cpl,
            self_id,
            timeout,
            acct,
        });
        self.packetizer.tick(&packetizer::In { drain: q.drain, tlp_ready, self_id });
        joined(q, p)
    }

    fn is_idle(&self) -> bool {
        self.queue.is_idle() && self.packetizer.is_idle()
    }

    fn quiet_cycles(&self) -> u64 {
        self.queue.quiet_cycles().min(self.packetizer.quiet_cycles())
    }

    fn failed(&self) -> bool {
        self.queue.failed() || self.packetizer.failed()
    }

    fn write_failure(&self, report: &mut dyn std::fmt::Write) -> std::fmt::Result {
        self.queue.write_failure(report)?;
        self.packetizer.write_failure(report)
    }

    fn show_state(&self, state: &mut State) {
        state.part("queue", |state| self.queue.show_state(state));
        state.part("packetizer", |state| self.packetizer.show_state(state));
    }
}
