//! Infinite bandwidth between GPUs: the bound that other paths are measured against.

use ports::finepack::types::{Ingress, Req, ingress_kind, op, requester_id};

use super::front::{fault, line_addr};
use super::release::Releases;
use super::{Config, In, Out};
use crate::block::Block;
use crate::finepack::tlp_header::OPERATIONS;

/// Every access is at its destination (`st`) in the cycle after it was accepted; no bytes on the
/// link (specification 7, `infinite`; FinePack section V). MARKs go the same way, one per cycle;
/// the request port is closed while they do and while a release waits for an earlier one.
#[derive(Clone, Debug)]
pub struct Infinite {
    cfg: Config,
    releases: Releases,
    held: Option<Req>, // a release that cannot start yet
    st: Option<(u8, Ingress)>,
    err: Option<u8>,
}

impl Infinite {
    /// The state after reset.
    pub fn new(cfg: &Config) -> Self {
        Self { cfg: cfg.clone(), releases: Releases::default(), held: None, st: None, err: None }
    }

    fn access(&mut self, req: &Req, self_id: u8) {
        let mut st = Ingress {
            kind: ingress_kind::WRITE,
            src: requester_id(self_id),
            addr: line_addr(req, &self.cfg),
            mask: req.mask,
            ..Ingress::default()
        };
        match req.op {
            op::STORE => {
                let bytes = st.data.0.iter_mut().zip(&req.data.0).enumerate();
                bytes
                    .filter(|(k, _)| req.mask >> k & 1 == 1)
                    .for_each(|(_, (to, from))| *to = *from);
                self.releases.touch(req.dest);
            }
            op::LOAD => (st.kind, st.tag) = (ingress_kind::READ, req.id),
            _ => {
                let len = OPERATIONS[usize::from(req.aop & 7)].operand_bytes(req.mask) as usize;
                (st.kind, st.tag, st.aop) = (ingress_kind::ATOMIC, req.id, req.aop);
                st.data.0[..len].copy_from_slice(&req.data.0[..len]);
                self.releases.touch(req.dest);
            }
        }
        self.st = Some((req.dest, st));
    }
}

impl Block for Infinite {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        Out {
            req_ready: self.held.is_none() && self.releases.mark().is_none(),
            rel: self.releases.done(),
            st: self.st.map(|(_, st)| st),
            st_dest: self.st.map_or(0, |(dest, _)| dest),
            err: self.err,
            ..Out::default()
        }
    }

    fn tick(&mut self, i: &In) -> Out {
        let out = self.outputs();
        self.releases.begin(i, &self.cfg);
        (self.st, self.err) = (None, self.releases.error);
        if let Some((dest, tag)) = self.releases.mark() {
            let src = requester_id(i.self_id);
            let mark = Ingress { kind: ingress_kind::MARK, src, tag, ..Ingress::default() };
            self.st = Some((dest, mark));
            self.releases.mark_sent();
        }
        let Some(req) = self.held.take().or(i.req.filter(|_| out.req_ready)) else { return out };
        if let Some(code) = fault(&req, i.self_id, &self.cfg) {
            self.err = Some(self.err.map_or(code, |other| other.min(code)));
            return out;
        }
        let done = match req.op {
            op::RELEASE_SYS => self.releases.system_scope(req.id),
            op::RELEASE_GPU => self.releases.gpu_scope(req.id),
            _ => {
                self.access(&req, i.self_id);
                true
            }
        };
        if !done {
            self.held = Some(req);
        }
        out
    }

    fn is_idle(&self) -> bool {
        self.held.is_none() && self.releases.is_idle() && self.st.is_none() && self.err.is_none()
    }
}
