//! Launches of kernels, and ends of work-groups, also on SMs that have none.

use hwmodel::sharing::cta_scheduler::CtaScheduler;
use ports::sharing::cta_scheduler::{Config, In, Out, err};
use ports::sharing::types::{Launch, MAX_SMS, mode};

use crate::stimulus::{Driver, LONG, Random, Stimulus};
use crate::{blocks, phase, seen};

crate::family!(ports::sharing::types::Sharing, "sharing");
crate::pair!(CtaScheduler: ports::sharing::types::Sharing);

inventory::submit! {
    blocks::entry::<Inputs>("sharing-aware: assigns groups of consecutive work-groups to CUs")
}

seen! {
    transfers: launch, assignment, err;
    rows:
        mode["mode_rr", "mode_q", "mode_adpt", "mode_bcs"], no_work_groups, last_group_short, huge,
        fewer_groups_than_sms,
        given_by_the_test, burst["burst_of_1", "burst_of_2", "burst_of_more"],
        several_done, all_done, done_and_assigned, assignment_held, launch_held, launch_done,
        launch_while_assignment_stays, err_group, err_slots, err_done, counter_beyond_16_bits,
}

phase! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(r: &mut Random) {
        left: u32 = 16 + r.below(500),
        launch: u32 = r.pick(&[256, 64, 8]),
        ready: u32 = r.pick(&[256, 256, 64, 8]),
        /// Chance that an SM's work-group ends; that one ends on every SM with work-groups.
        done: u32 = r.pick(&[256, 64, 8, 1]),
        together: u32 = r.pick(&[0, 0, 16]),
        /// Chance of an end on an SM, with or without work-groups.
        strange: u32 = r.pick(&[0, 0, 0, 4, 64]),
        /// Chance of an illegal launch; upper limits of a legal one.
        illegal: u32 = r.pick(&[0, 0, 64]),
        most: u32 = r.pick(&[1, 4, 40, 400, 1500]),
        group: u32 = r.pick(&[1, 4, 16, 500]),
        /// Chance of a kernel too long to end before the next reset.
        huge: u32 = r.pick(&[0, 64, 256]),
    }
}

/// Only an episode of fewer cycles launches kernels too long to end before the next reset.
const SHORT: u64 = 2_000;

/// The stimulus.
#[derive(Default)]
pub struct Inputs {
    /// The running kernel.
    runs: Launch,
    /// Work-groups on each SM; work-groups taken of the open burst.
    on: [u32; MAX_SMS],
    burst: usize,
}

/// Mask of the bits of `total` that count.
fn all_ctas(c: &Config) -> u32 {
    u32::MAX >> (32 - c.cta_w)
}

impl Inputs {
    fn new_launch(d: &mut Driver<Self>) -> Launch {
        let Driver { config: c, phase: p, random: r, .. } = d;
        let mut launch = Launch {
            mode: r.below(4) as u8,
            total: r.below(p.most),
            group: 1 + r.below(p.group) as u16,
            slots: 1 + r.below(c.slots) as u8,
        };
        // The next reset comes soon.
        if d.length < SHORT && r.chance(p.huge) {
            // If the RTL loses the highest bit, the kernel ends early, which the run detects.
            launch.total = 1 << r.below(c.cta_w) | r.below(16);
            launch.group = match r.chance(128) {
                true => 1 << r.below(16) | r.below(4) as u16,
                false => (r.word() as u16).max(1),
            };
        }
        if r.chance(p.illegal) {
            match r.below(3) {
                0 => launch.group = 0,
                1 => launch.slots = 0,
                _ => launch.slots = c.slots as u8 + 1 + r.below(8) as u8,
            }
            launch.slots &= 31;
            // The block ignores these bits.
            launch.total ^= r.word() as u32 & !all_ctas(c);
        }
        launch
    }

    fn done(&self, d: &mut Driver<Self>) -> u16 {
        let together = d.random.chance(d.phase.together);
        let ends = d.bits(d.config.n_sm, |p, s| match self.on[s as usize] {
            0 => 0,
            _ if together => 256,
            _ => p.done,
        });
        (ends | d.bits(d.config.n_sm, |p, _| p.strange)) as u16
    }

    fn follow(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        let all_ctas = all_ctas(&d.config);
        let seen = &mut d.seen;
        let all = d.config.n_sm;
        if let Some(mut launch) = input.launch.filter(|_| out.launch_ready) {
            launch.total &= all_ctas;
            seen.launch += 1;
            seen.mode[usize::from(launch.mode)] += 1;
            seen.no_work_groups += u64::from(launch.total == 0);
            seen.huge += u64::from(launch.total > u32::from(u16::MAX));
            let (total, group) = (launch.total, u32::from(launch.group.max(1)));
            let is_short = launch.mode == mode::Q && total > 0 && total % group != 0;
            seen.last_group_short += u64::from(is_short);
            let is_few = launch.mode == mode::ADPT && total > 0 && total.div_ceil(group) < all;
            seen.fewer_groups_than_sms += u64::from(is_few);
            seen.launch_while_assignment_stays +=
                u64::from(out.assignment.is_some() && !input.assignment_ready);
            self.runs = launch;
        }
        seen.launch_held += u64::from(input.launch.is_some() && !out.launch_ready);
        seen.several_done += u64::from(input.done.count_ones() > 1);
        seen.all_done += u64::from(input.done.count_ones() == all);
        for s in 0..all as usize {
            self.on[s] = self.on[s].saturating_sub(u32::from(input.done >> s & 1));
        }
        if let Some(assignment) = out.assignment {
            seen.done_and_assigned += u64::from(input.done >> assignment.sm & 1);
            seen.assignment_held += u64::from(!input.assignment_ready);
            if input.assignment_ready {
                seen.assignment += 1;
                self.on[usize::from(assignment.sm)] += 1;
                self.burst += 1;
                if !assignment.more {
                    let of_bcs = u64::from(self.runs.mode == mode::BCS);
                    seen.burst[self.burst.min(3) - 1] += of_bcs;
                    self.burst = 0;
                }
            }
        }
        let given = out.counters.rr_phase_ctas != d.before.counters.rr_phase_ctas;
        seen.given_by_the_test += u64::from(given);
        seen.launch_done += u64::from(out.launch_done);
        seen.err += u64::from(out.err.is_some());
        seen.err_group += u64::from(out.err == Some(err::GROUP));
        seen.err_slots += u64::from(out.err == Some(err::SLOTS));
        seen.err_done += u64::from(out.err == Some(err::DONE));
        seen.counter_beyond_16_bits += u64::from(out.counters.idle_sm_cycles > u32::from(u16::MAX));
    }
}

impl Stimulus for Inputs {
    type Model = CtaScheduler;

    type Phase = Phase;
    type Seen = Seen;

    fn start(_: &mut Driver<Self>) -> Self {
        Self::default()
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::draw(&mut d.random)
    }

    /// A kernel of one work-group that never ends: `idle_sm_cycles` passes 16 bits.
    fn long_phase(&mut self, d: &mut Driver<Self>) -> Option<Phase> {
        Some(Phase {
            left: LONG as u32,
            launch: 256,
            most: 2,
            ready: 256,
            done: 0,
            together: 0,
            strange: 0,
            illegal: 0,
            ..Phase::draw(&mut d.random)
        })
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let (last, ready) = (d.last.launch, d.before.launch_ready);
        let launch = d.offer(last, ready, d.phase.launch, Self::new_launch);
        let done = self.done(d);
        let input = In { launch, done, assignment_ready: d.random.chance(d.phase.ready) };
        self.follow(d, &input, out);
        input
    }

    fn can_reach(d: &Driver<Self>, row: &str) -> bool {
        let Config { n_sm, slots, cta_w } = d.config;
        match row {
            "huge" => cta_w > 16,
            "burst_of_2" => slots > 1,
            "burst_of_more" => slots > 2,
            "several_done" | "counter_beyond_16_bits" => n_sm > 1,
            // One SM: no kernel has fewer groups than SMs, and `thr` is 0.
            "given_by_the_test" | "fewer_groups_than_sms" => n_sm > 1,
            _ => true,
        }
    }
}
