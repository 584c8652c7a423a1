//! The SMs: requests as their L1s would send them, and others; and what they are answered.

use ports::timestamp::timestamp_l2::Config;
use ports::timestamp::types::{BusReq, BusRsp, MAX_LINE, aop, bus_op, rsp_op};

use super::rows::Seen;
use super::{Phase, bytes, is_gtsc, max_ts};
use crate::stimulus::Random;

/// Lines whose copies an SM remembers.
const COPIES: usize = 16;

/// What an SM has sent, and what is not answered yet.
#[derive(Clone, Copy, Debug)]
struct Sent {
    line: u64,
    wts: u32,
    warp_ts: u32,
    full: bool,
    rep: u8,
}

/// One SM.
#[derive(Clone, Debug)]
struct Sm {
    rep: u8,
    ts: u32,
    /// When its copies of lines were written.
    copies: [(u64, u32); COPIES],
    next: u8,
    sent: Box<[Option<Sent>; 256]>,
}

impl Sm {
    fn new() -> Self {
        Self { rep: 0, ts: 1, copies: [(0, 0); COPIES], next: 0, sent: Box::new([None; 256]) }
    }

    /// Place of a line.
    fn place(line: u64) -> usize {
        (line ^ line >> 4 ^ line >> 8) as usize % COPIES
    }

    fn copy(&self, line: u64) -> u32 {
        let (of, wts) = self.copies[Self::place(line)];
        if of == line { wts } else { 0 }
    }

    fn flush(&mut self, rep: u8) {
        (self.rep, self.ts, self.copies) = (rep, 1, [(0, 0); COPIES]);
    }
}

/// All of them.
#[derive(Clone, Debug)]
pub(super) struct Sms {
    sms: Vec<Sm>,
    /// The last of the lines that go through the sets.
    far: u64,
}

impl Sms {
    pub fn new(n: u32) -> Self {
        Self { sms: (0..n).map(|_| Sm::new()).collect(), far: 0 }
    }

    /// A request, while the bank has this generation.
    pub fn request(&mut self, r: &mut Random, p: &Phase, s: &Config, rep: u8) -> BusReq {
        let at = r.below(s.n_sm);
        let sm = &mut self.sms[at as usize];
        if sm.rep != rep {
            sm.flush(rep);
        }
        let low = u64::MAX >> (64 - s.line_w);
        let far = r.chance(p.far) && !p.is_new();
        let line = match far {
            true if p.in_turn => {
                self.far = self.far.wrapping_add(s.l2_banks.into());
                self.far & low
            }
            true => r.word() & low,
            false => p.base.wrapping_add(u64::from(r.below(p.lines)) * p.stride) & low,
        };
        let any_ts = r.word() as u32 & (u32::MAX >> (32 - s.ts_bits()));
        let near = max_ts(s) + 1 - u64::from(r.below(2 * s.lease + 4)).min(max_ts(s));
        let wts = match () {
            () if r.chance(p.copy) => sm.copy(line),
            () if r.chance(p.odd) => any_ts,
            () => 0,
        };
        let warp_ts = match () {
            () if r.chance(p.high) => near as u32,
            () if r.chance(p.any) => any_ts,
            () => sm.ts,
        };
        let rep = if r.chance(p.old) { r.below(4) as u8 } else { rep };
        sm.next = sm.next.wrapping_add(1);
        let writes = far && p.far_writes;
        let op = match r.weighted(&p.kinds) as u8 {
            _ if p.is_new() => bus_op::RD,
            _ if writes => bus_op::WR,
            op => op,
        };
        let sz = r.chance(128);
        let mask = match op {
            bus_op::ATOM => elements(r, s.line, sz),
            _ if r.chance(p.full) => u128::MAX >> (128 - s.line),
            _ if r.chance(p.empty) => 0,
            _ => r.mask(s.line, p.form),
        };
        let req = BusReq {
            op,
            aop: r.below(9) as u8,
            sz,
            rep,
            sm: at as u8,
            id: sm.next,
            line,
            wts,
            warp_ts,
            mask,
            data: match r.chance(p.alike) {
                true => alike(r, p.base, s.line),
                false => bytes(r, s.line),
            },
        };
        let req = if is_gtsc(s) { req } else { BusReq { rep: r.below(4) as u8, ..req } };
        if r.chance(p.fault) { strange(r, s, req) } else { req }
    }

    /// A request is accepted.
    pub fn sent(&mut self, req: &BusReq, seen: &mut Seen, s: &Config) {
        let Some(sm) = self.sms.get_mut(usize::from(req.sm)) else {
            seen.strange[2] += 1;
            return;
        };
        let all = u128::MAX >> (128 - s.line);
        let &BusReq { line, wts, warp_ts, mask, rep, .. } = req;
        match req.op {
            bus_op::RD | bus_op::WR => seen.aop_of_others += u64::from(req.aop > aop::XCHG),
            bus_op::ATOM if req.aop <= aop::XCHG => {
                seen.atomic[2 * usize::from(req.aop) + usize::from(req.sz)] += 1;
                let (size, whole) = if req.sz { (8, 0xff) } else { (4, 0xf) };
                let elements = || (0..s.line).step_by(size).map(|at| mask >> at & whole);
                let several = elements().filter(|&e| e == whole).count() > 1;
                seen.several_elements += u64::from(several);
                seen.part_of_element += u64::from(elements().any(|e| e != 0 && e != whole));
            }
            bus_op::ATOM => seen.strange[1] += 1,
            _ => seen.strange[0] += 1,
        }
        if req.op == bus_op::WR {
            seen.mask[if mask == 0 {
                0
            } else if mask == all {
                2
            } else {
                1
            }] += 1;
        }
        let full = mask == all;
        sm.sent[usize::from(req.id)] = Some(Sent { line, wts, warp_ts, full, rep });
    }

    /// An answer is taken, while the bank has this generation.
    pub fn answered(&mut self, rsp: &BusRsp, rep: u8, seen: &mut Seen, s: &Config) {
        seen.rsp_op[usize::from(rsp.op)] += 1;
        seen.exp_beyond_16_bits += u64::from(!is_gtsc(s) && rsp.wts > 0);
        let sm = &mut self.sms[usize::from(rsp.sm)];
        let Some(sent) = sm.sent[usize::from(rsp.id)].take() else { return };
        if !is_gtsc(s) {
            return;
        }
        let own = sent.rep == rsp.rep;
        seen.old_request += u64::from(!own);
        seen.old_request_with_wts += u64::from(!own && sent.wts != 0);
        seen.old_answer += u64::from(rsp.rep != rep);
        match rsp.op {
            rsp_op::WR_ACK => {
                let why = match () {
                    () if rsp.ok && !sent.full => 0,
                    () if rsp.ok => 1,
                    () if sent.wts == 0 => 2,
                    () => 3,
                };
                seen.ok[why] += 1;
                seen.written_at[usize::from(own && rsp.wts == sent.warp_ts)] += 1;
            }
            rsp_op::FILL => seen.fill_of_other_copy += u64::from(own && sent.wts != 0),
            _ => {}
        }
        if rsp.rep != sm.rep {
            return;
        }
        let copy = &mut sm.copies[Sm::place(sent.line)];
        match rsp.op {
            rsp_op::FILL => *copy = (sent.line, rsp.wts),
            rsp_op::WR_ACK if rsp.ok => *copy = (sent.line, rsp.wts),
            rsp_op::RNW => {}
            _ => copy.1 = 0,
        }
        if rsp.op != rsp_op::RNW {
            sm.ts = sm.ts.max(rsp.wts);
        }
    }
}

/// Words that differ from this one in a bit, of the lower ones more often.
fn alike(r: &mut Random, word: u64, line: u32) -> ports::Bytes<MAX_LINE> {
    let mut data = ports::Bytes::default();
    for chunk in data.0[..line as usize].chunks_exact_mut(8) {
        let bit = r.below(64) & r.below(64);
        chunk.copy_from_slice(&(word ^ (1u64 << bit)).to_le_bytes());
    }
    data
}

/// Whole elements, or some bytes.
fn elements(r: &mut Random, line: u32, sz: bool) -> u128 {
    let size = if sz { 8 } else { 4 };
    if r.chance(24) {
        return r.mask(line, None);
    }
    let several = r.chance(64);
    let all = (0..line).step_by(size);
    let one = r.below(line / size as u32) * size as u32;
    let element = (1 << size) - 1;
    all.filter(|&at| at == one || several && r.chance(128)).map(|at| element << at).sum()
}

/// A request that cannot be, or one that only seems so.
fn strange(r: &mut Random, s: &Config, req: BusReq) -> BusReq {
    let n_sm = s.n_sm;
    match r.below(4) {
        0 => BusReq { op: 3, ..req },
        1 => BusReq { op: bus_op::ATOM, aop: 9 + r.below(7) as u8, ..req },
        2 if n_sm < 32 => BusReq { sm: (n_sm + r.below(32 - n_sm)) as u8, ..req },
        _ => BusReq { op: r.below(2) as u8, aop: 9 + r.below(7) as u8, ..req },
    }
}
