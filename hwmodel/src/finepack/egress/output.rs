//! What the paths that send TLPs one by one share: request port, output register, releases, errors.

use ports::finepack::types::{LineData, Req, op};

use super::front::{Front, fault, line_addr};
use super::release::Releases;
use super::sender::Sender;
use super::{Config, In, Out};
use crate::finepack::tlp_header::{self, OPERATIONS};

/// Registers common to the paths.
#[derive(Clone, Debug)]
pub(super) struct Output {
    pub cfg: Config,
    pub front: Front,
    pub sender: Sender,
    pub releases: Releases,
    err: Option<u8>,
}

impl Output {
    pub fn new(cfg: &Config) -> Self {
        Self {
            sender: Sender::new(cfg.beat),
            cfg: cfg.clone(),
            front: Front::default(),
            releases: Releases::default(),
            err: None,
        }
    }

    pub fn outputs(&self) -> Out {
        Out {
            req_ready: self.front.ready(),
            tlp: self.sender.beat(),
            rel: self.releases.done(),
            err: self.err,
            ..Out::default()
        }
    }

    pub fn is_idle(&self) -> bool {
        self.front.is_empty()
            && self.sender.is_free()
            && self.releases.is_idle()
            && self.err.is_none()
    }

    /// Start of the cycle. Returns the legal request at the head; an illegal one is dropped. While
    /// MARKs wait they come first, because they belong to a request before the head.
    pub fn begin(&mut self, i: &In) -> Option<Req> {
        self.sender.advance(i.tlp_ready);
        self.releases.begin(i, &self.cfg);
        self.err = self.releases.error;
        if let Some((dest, id)) = self.releases.mark() {
            if self.sender.is_free() {
                self.sender.load(dest, self.headers(i).mark(id), 0);
                self.releases.mark_sent();
            }
            return None;
        }
        let req = *self.front.head()?;
        let Some(code) = fault(&req, i.self_id, &self.cfg) else { return Some(req) };
        self.err = Some(self.err.map_or(code, |other| other.min(code)));
        self.front.pop();
        None
    }

    /// End of the cycle that showed `out`.
    pub fn end(&mut self, i: &In, out: &Out) {
        self.front.accept(i, out.req_ready);
    }

    pub fn headers(&self, i: &In) -> tlp_header::Sender {
        tlp_header::Sender { gpu: i.self_id, ecrc: self.cfg.ecrc == 1 }
    }

    /// Sends `len` bytes from byte `first` of a line as a plain write.
    pub fn send_write(
        &mut self,
        i: &In,
        dest: u8,
        line: u64,
        (first, len): (u32, u32),
        data: &LineData,
    ) {
        let addr = line + u64::from(first);
        let hdr = self.headers(i).write(0, addr, len);
        let payload = self.sender.load(dest, hdr, 4 * hdr.length_dw() as usize);
        let (lead, first, len) = (first as usize % 4, first as usize, len as usize);
        payload[lead..lead + len].copy_from_slice(&data.0[first..first + len]);
    }

    /// Performs a LOAD, ATOMIC or release whose earlier stores have been sent, if the output
    /// register and the releases permit.
    pub fn other(&mut self, i: &In, req: &Req) {
        let line = line_addr(req, &self.cfg);
        let done = match req.op {
            op::RELEASE_SYS => self.releases.system_scope(req.id),
            op::RELEASE_GPU => self.releases.gpu_scope(req.id),
            _ if !self.sender.is_free() => false,
            op::LOAD => {
                let hdr = self.headers(i).read(req.id, line, req.mask);
                self.sender.load(req.dest, hdr, 0);
                true
            }
            _ => {
                let operation = &OPERATIONS[usize::from(req.aop & 7)];
                let hdr = self.headers(i).atomic(req.id, line, req.mask, operation);
                let len = operation.operand_bytes(req.mask) as usize;
                self.sender.load(req.dest, hdr, len).copy_from_slice(&req.data.0[..len]);
                self.releases.touch(req.dest);
                true
            }
        };
        if done {
            self.front.pop();
        }
    }
}
