//! A program of one kernel: GPU 0 stores once to each of a few places in GPU 1.

use ports::common::finepack_types::{Req, op};
use traces::workloads::{BASE, BlockCopy, Kernel, Replica, Workload};

/// Stores of equal length to lines that are two apart, so that no two meet in a line or join; then
/// a release. All bytes are read.
#[derive(Clone, Debug)]
pub struct Burst {
    kernels: Vec<Kernel>,
    memory: Vec<Replica>,
    len: u32,
    begun: bool,
}

impl Burst {
    /// `count` stores of `len` bytes each, 1 to `line`, in a system of `gpus` GPUs.
    pub fn new(gpus: usize, count: u32, len: u32, line: u32) -> Self {
        assert!((1..=line).contains(&len), "len = {len}: must be 1 to {line}");
        let stride = 2 * u64::from(line);
        let mut kernels = vec![Kernel::default(); gpus];
        for k in 0..u64::from(count) {
            let mask = u128::MAX >> (128 - len);
            let mut req =
                Req { op: op::STORE, dest: 1, addr: BASE + k * stride, mask, ..Req::default() };
            let bytes = req.data.0[..len as usize].iter_mut().enumerate();
            bytes.for_each(|(i, byte)| *byte = (7 * k as u8).wrapping_add(i as u8) | 1);
            kernels[0].requests.push(req);
            kernels[1].reads.push(req.addr..req.addr + u64::from(len));
        }
        let all = BASE..BASE + u64::from(count) * stride;
        kernels[0].copies.push(BlockCopy { dest: 1, range: all.clone() });
        kernels[0].own = all;
        for kernel in &mut kernels {
            kernel.requests.push(Req { op: op::RELEASE_SYS, ..Req::default() });
        }
        let bytes = (u64::from(count) * stride) as usize;
        Self { kernels, memory: vec![Replica::new(bytes, line); gpus], len, begun: false }
    }
}

impl Workload for Burst {
    fn name(&self) -> &'static str {
        "burst"
    }

    fn step(&mut self) -> bool {
        if self.begun {
            return false;
        }
        self.begun = true;
        let [own, other, ..] = &mut self.memory[..] else { panic!("two GPUs") };
        for req in &self.kernels[0].requests {
            own.apply(req);
            other.apply(req);
        }
        true
    }

    fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    fn memory(&self) -> &[Replica] {
        &self.memory
    }

    fn element_bytes(&self) -> usize {
        self.len as usize
    }
}
