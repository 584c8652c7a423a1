//! Requests to a remote write queue.

use std::collections::VecDeque;
use std::ops::Range;

use ports::finepack::types::{Req, gpu_of, op};

use super::random::MaskForm;
use super::{Random, masked_bytes};
use crate::draws;

/// Who asks, and which addresses are in use.
#[derive(Clone, Debug)]
pub struct Requester {
    /// This GPU.
    pub self_id: u8,
    /// GPUs of the system.
    pub num_gpus: u32,
    /// Entries of a bank.
    pub entries: u32,
    /// Bytes of a line.
    pub line: u32,
    /// Bits of an offset: a window has `2^offset_width` bytes.
    pub offset_width: u32,
    /// Address windows, by number. The first is the usual one.
    pub windows: Range<u64>,
    /// Lines in use at each end of a window.
    pub lines_per_end: u64,
    /// Bytes of a sub-header.
    pub sub_header_bytes: u32,
    /// Most payload bytes of a packet.
    pub max_payload: u32,
}

impl Requester {
    /// Any other GPU.
    pub fn dest(&self, r: &mut Random) -> u8 {
        gpu_of(r.below(self.num_gpus - 1) as usize, self.self_id)
    }

    /// A STORE of these bytes of a line of a window.
    pub(super) fn store(
        &self,
        r: &mut Random,
        dest: u8,
        window: u64,
        place: u64,
        mask: u128,
    ) -> Req {
        Req {
            op: op::STORE,
            id: r.word() as u8,
            dest,
            addr: (window << self.offset_width) + place * u64::from(self.line),
            mask,
            data: masked_bytes(r, self.line, mask),
            ..Default::default()
        }
    }

    /// A release, then stores to lines of their own whose costs are together the largest payload,
    /// or as near to it as the entries allow; behind them one for which there is no room, in
    /// whatever way.
    pub fn full_packet(&self, r: &mut Random) -> VecDeque<Req> {
        let dest = self.dest(r);
        let costs = costs(r, self.line, self.sub_header_bytes, self.max_payload, self.entries);
        let mut all = VecDeque::with_capacity(costs.len() + 2);
        all.push_back(Req { op: op::RELEASE_SYS, id: r.word() as u8, ..Default::default() });
        for (place, mask) in (0..).zip(&costs) {
            all.push_back(self.store(r, dest, self.windows.start, place, *mask));
        }
        let (last, mask) = (costs.len() as u64, r.mask(self.line, None));
        let far = self.windows.start + 1;
        let (window, place) = r.pick(&[(self.windows.start, last), (far, 0), (far, last)]);
        all.push_back(self.store(r, dest, window, place % self.lines_per_end, mask));
        all
    }
}

/// Bytes of a payload that a line takes at most: every other byte enabled, and one more.
pub(super) fn dearest(line: u32, sub_header: u32) -> u32 {
    line / 2 * (1 + sub_header) + 1
}

/// The masks of a packet's entries, at most so many, whose payload is `payload` bytes; less where
/// that many entries hold less. As few entries as will do, as many as may be, or any number
/// between.
pub(super) fn costs(
    r: &mut Random,
    line: u32,
    sub_header: u32,
    payload: u32,
    entries: u32,
) -> Vec<u128> {
    let (least, most) = (sub_header + 1, dearest(line, sub_header));
    let payload = payload.min(entries * most);
    let (few, many) = (payload.div_ceil(most), entries.min(payload / least));
    let between = few + r.below(many - few + 1);
    let mut left = r.pick(&[few, between, many]);
    let mut rest = payload;
    let mut masks = Vec::with_capacity(left as usize);
    while left > 0 {
        left -= 1;
        // What the others can take up, and what they need.
        let low = rest.saturating_sub(left * most).max(least);
        let high = (rest - left * least).min(most);
        let first = low + r.below(high - low + 1);
        // A few costs have no mask.
        let made = (first..=high).chain(low..first).find_map(|cost| {
            let mask = r.mask_of_cost(line, sub_header, cost)?;
            Some((mask, cost))
        });
        let Some((mask, cost)) = made else { break };
        masks.push(mask);
        rest -= cost;
    }
    masks
}

draws! {
    /// What the requests of one phase have in common. Chances are parts of 256.
    pub struct Pattern(r: &mut Random, from: &Requester) {
        /// Chance that a request is not a store.
        other: u32 = r.pick(&[0, 0, 2, 24, 96]),
        /// Chance of a request that must be dropped.
        pub fault: u32 = r.pick(&[0, 0, 4, 40]),
        form: Option<MaskForm> = r.form(),
        lines: u32 = r.pick(&[1, 2, from.entries / 2, from.entries, 4 * from.entries]),
        /// Chance of another window than the usual one.
        far: u32 = r.pick(&[0, 0, 1, 32]),
        /// Chance that a packet of the largest payload begins.
        full: u32 = r.pick(&[0, 0, 1, 4]),
        dest: Option<u8> = if r.chance(96) { Some(from.dest(r)) } else { None },
        /// Requests that come before any other.
        script: VecDeque<Req> = VecDeque::new(),
    }
}

impl Pattern {
    /// Draws a request.
    pub fn request(&mut self, r: &mut Random, from: &Requester) -> Req {
        if self.script.is_empty() && r.chance(self.full) {
            self.script = from.full_packet(r);
        }
        self.script.pop_front().unwrap_or_else(|| self.draw_request(r, from))
    }

    fn draw_request(&self, r: &mut Random, from: &Requester) -> Req {
        let Requester { line, offset_width, ref windows, .. } = *from;
        let count = (windows.end - windows.start) as u32;
        let window = match r.chance(self.far) {
            // Its number differs in one bit.
            true if r.chance(64) => windows.start ^ 1 << r.below(64 - offset_width),
            true => windows.start + u64::from(r.below(count)),
            false => windows.start,
        };
        let near = u64::from(r.below(self.lines)) % from.lines_per_end;
        let lines = (1u64 << offset_width) / u64::from(line);
        let place = if r.chance(8) { lines - 1 - near } else { near };
        let mut req = Req {
            id: r.word() as u8,
            dest: self.dest.unwrap_or_else(|| from.dest(r)),
            addr: (window << offset_width) + place * u64::from(line) + u64::from(r.below(line)),
            mask: r.mask(line, self.form),
            op: op::STORE,
            ..Default::default()
        };
        if r.chance(self.other) {
            req.op = r.pick(&[
                op::LOAD,
                op::LOAD,
                op::ATOMIC,
                op::ATOMIC,
                op::RELEASE_SYS,
                op::RELEASE_GPU,
            ]);
        }
        match req.op {
            op::STORE => req.data = masked_bytes(r, line, req.mask),
            op::ATOMIC => {
                req.mask = r.atomic_mask(line);
                req.aop = r.below(8) as u8;
                req.data = masked_bytes(r, 16, 0xffff);
            }
            _ => {}
        }
        if r.chance(self.fault) {
            spoil(&mut req, r, from);
        }
        req
    }
}

/// Breaks a request in one way or in several at once; now and then it stays legal.
fn spoil(req: &mut Req, r: &mut Random, from: &Requester) {
    if req.op == op::ATOMIC && r.chance(96) {
        // An operand of 8 bytes that is aligned to 4 alone, and nothing else is wrong.
        req.mask = 0xff << (4 + 8 * r.below(from.line / 8 - 1));
        return;
    }
    if r.chance(96) {
        req.mask = 0;
    }
    if r.chance(96) {
        req.dest = r.pick(&[from.self_id, from.num_gpus as u8 & 15, 15]);
    }
    match r.below(6) {
        0 => req.op = 5 + r.below(3) as u8,
        1 => req.aop = 8 + r.below(8) as u8,
        2 => req.mask &= 0x0ff0_0ff7,
        3 => req.mask <<= 1,
        _ => {}
    }
    req.mask &= u128::MAX >> (128 - from.line);
}
