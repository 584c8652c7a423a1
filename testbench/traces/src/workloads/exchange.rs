//! What every workload does with the values that it computes: local write, pushes to replicas, the
//! release, and the lists for the DMA paradigm.

use std::ops::Range;

use ports::common::finepack_types::{Req, op};

use super::partition::Partition;
use super::replica::{BASE, Replica};
use super::{BlockCopy, Kernel, LANES, Params, warp};

/// Arrays start at a page.
const PAGE: u64 = 4096;

/// Elements of `N` bytes in one or two arrays that all GPUs hold.
#[derive(Clone, Debug)]
pub(super) struct Exchange<const N: usize> {
    pub partition: Partition,
    pub kernels: Vec<Kernel>,
    pub memory: Vec<Replica>,
    line: u32,
    stride: u64, // bytes from one array to the next
    reads: Vec<Vec<Range<usize>>>,
    local: Vec<(u64, [u8; N])>, // writes of this iteration to the GPU's own block
    arrays: u64,
    current: u64, // array with the results of the last iteration
    iteration: u32,
    iterations: u32,
}

impl<const N: usize> Exchange<N> {
    /// `arrays` arrays, each holding `initial(v)` for each element.
    pub fn new(
        params: &Params,
        partition: Partition,
        arrays: u64,
        initial: impl Fn(usize) -> [u8; N],
    ) -> Self {
        let (n, gpus) = (partition.len(), partition.gpus());
        let stride = ((n * N) as u64).next_multiple_of(PAGE);
        let mut memory = Replica::new((stride * arrays) as usize, params.line);
        for array in 0..arrays {
            (0..n).for_each(|v| memory.write(BASE + array * stride + (v * N) as u64, &initial(v)));
        }
        Self {
            reads: (0..gpus).map(|g| partition.read_by(g)).collect(),
            partition,
            kernels: vec![Kernel::default(); gpus],
            memory: vec![memory; gpus],
            line: params.line,
            stride,
            local: Vec::new(),
            arrays,
            current: 0,
            iteration: 0,
            iterations: params.iterations,
        }
    }

    /// True after the last iteration.
    pub fn is_over(&self) -> bool {
        self.iteration == self.iterations
    }

    /// The array that the iteration under way writes: the arrays take turns.
    fn next(&self) -> u64 {
        (self.current + 1) % self.arrays
    }

    /// Address of element `v` of array `array`.
    fn addr(&self, array: u64, v: usize) -> u64 {
        BASE + array * self.stride + (v * N) as u64
    }

    /// Element `v` of the last iteration as `gpu` sees it.
    pub fn read(&self, gpu: usize, v: usize) -> [u8; N] {
        self.memory[gpu].read(self.addr(self.current, v))
    }

    /// One iteration with a thread for each owned element, which it computes from those of the last
    /// iteration. `element` gives GPU and element their value and their work.
    pub fn iterate(&mut self, element: impl Fn(&Self, usize, usize) -> ([u8; N], usize)) {
        self.begin();
        let mut lanes = Vec::with_capacity(LANES);
        for gpu in 0..self.partition.gpus() {
            let block = self.partition.block(gpu);
            for warp in block.clone().step_by(LANES) {
                lanes.clear();
                for v in warp..(warp + LANES).min(block.end) {
                    let (value, work) = element(self, gpu, v);
                    lanes.push((v, value));
                    self.kernels[gpu].work += work as u64;
                }
                self.store(gpu, &lanes);
            }
        }
        self.end();
    }

    /// Forgets the requests of the last iteration, keeps their room.
    pub fn begin(&mut self) {
        self.kernels.iter_mut().for_each(|k| {
            k.requests.clear();
            k.work = 0;
        });
        self.local.clear();
    }

    /// One static store instruction of a warp of `gpu`: each lane's element goes to its own
    /// replica, and to those of the GPUs that read it. Nobody sees the values before [`Self::end`].
    pub fn store(&mut self, gpu: usize, lanes: &[(usize, [u8; N])]) {
        let array = self.next();
        for dest in (0..self.partition.gpus()).filter(|&d| d != gpu) {
            // The other fields are read while the requests grow.
            let mut requests = std::mem::take(&mut self.kernels[gpu].requests);
            let pushed = lanes.iter().filter(|(v, _)| self.partition.is_read_by(*v, dest));
            let pushed = pushed.map(|&(v, bytes)| (self.addr(array, v), bytes));
            warp::store(self.line, dest, pushed, &mut requests);
            self.kernels[gpu].requests = requests;
        }
        for &(v, bytes) in lanes {
            self.local.push((self.addr(array, v), bytes));
        }
    }

    /// End of all kernels: releases, then every store is in memory.
    pub fn end(&mut self) {
        let array = self.next();
        let gpus = self.partition.gpus();
        let id = self.iteration as u8;
        for (gpu, reads) in self.reads.iter().enumerate() {
            let block = self.partition.block(gpu);
            let range = self.addr(array, block.start)..self.addr(array, block.end);
            let dests = (0..gpus).filter(|&d| self.partition.talks_to(gpu, d));
            let copies = dests.map(|d| BlockCopy { dest: d as u8, range: range.clone() }).collect();
            let reads = reads.iter().map(|r| self.addr(array, r.start)..self.addr(array, r.end));
            let reads = reads.collect();
            let kernel = &mut self.kernels[gpu];
            kernel.requests.push(Req { op: op::RELEASE_SYS, id, ..Req::default() });
            (kernel.copies, kernel.reads, kernel.own) = (copies, reads, range);
        }
        for kernel in &self.kernels {
            kernel.requests.iter().for_each(|req| self.memory[usize::from(req.dest)].apply(req));
        }
        for &(addr, bytes) in &self.local {
            // The array index does not matter for the owner: blocks are the same in each.
            let v = ((addr - BASE) % self.stride) as usize / N;
            let owner = (0..gpus).find(|&g| self.partition.block(g).contains(&v));
            self.memory[owner.expect("every element has an owner")].write(addr, &bytes);
        }
        self.current = array;
        self.iteration += 1;
    }

    /// The results: each element as its owner sees it.
    pub fn results(&self) -> impl Iterator<Item = [u8; N]> + '_ {
        (0..self.partition.gpus())
            .flat_map(move |g| self.partition.block(g).map(move |v| self.read(g, v)))
    }
}
