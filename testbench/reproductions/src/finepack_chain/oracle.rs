//! The plain in-order machine that the chain is compared with.
//!
//! Each GPU writes its own ranges of every other GPU's memory, so that the order between GPUs,
//! which nothing defines, does not matter.

use std::collections::VecDeque;
use std::ops::Range;

use ports::common::finepack_types::{FinePack, LineData, Req, aop, op};

use super::gpus::Returned;
use super::memory::{Memory, OutOfRange};

/// Windows of `2^offset_width` bytes that GPU `source` writes in each destination, by number.
pub fn windows(source: usize) -> Range<u64> {
    let first = 1 + 3 * source as u64;
    first..first + 3
}

/// Lines in use at each end of a window.
pub fn lines_per_end(p: &FinePack) -> u64 {
    let in_window = (1u64 << p.offset_width) / u64::from(p.line);
    (4 * u64::from(p.entries)).min(in_window / 2)
}

/// What a load or an atomic must bring back.
#[derive(Clone, Copy, Debug)]
struct Expected {
    id: u8,
    mask: u128,
    data: LineData,
}

/// The in-order machine.
pub struct Oracle {
    parameters: FinePack,
    memories: Vec<Memory>,
    /// `[source * gpus + dest]`: loads and atomics under way, oldest first.
    expected: Vec<VecDeque<Expected>>,
}

impl Oracle {
    /// Memories of zeros.
    pub fn new(p: &FinePack) -> Self {
        let gpus = p.num_gpus as usize;
        let bytes = (lines_per_end(p) * u64::from(p.line)) as usize;
        let mut memory = Memory::default();
        for window in (0..gpus).flat_map(windows) {
            memory.add_range(window << p.offset_width, bytes);
            memory.add_range(((window + 1) << p.offset_width) - bytes as u64, bytes);
        }
        Self {
            parameters: p.clone(),
            memories: vec![memory; gpus],
            expected: vec![VecDeque::new(); gpus * gpus],
        }
    }

    /// The memories, by GPU.
    pub fn memories(&self) -> &[Memory] {
        &self.memories
    }

    /// True when the chain must drop this request (specification 12).
    fn is_faulty(&self, source: usize, req: &Req) -> bool {
        let dest = usize::from(req.dest);
        let bad_dest = dest == source || dest >= self.memories.len();
        match req.op {
            op::STORE | op::LOAD => req.mask == 0 || bad_dest,
            op::ATOMIC => {
                let (at, size) = (req.mask.trailing_zeros(), req.mask.count_ones());
                let whole =
                    (size == 4 || size == 8) && at % size == 0 && req.mask >> at == (1 << size) - 1;
                !whole || bad_dest || req.aop > aop::XOR
            }
            _ => true,
        }
    }

    /// Applies a request that GPU `source`'s path has accepted.
    pub fn accept(&mut self, source: usize, req: &Req) -> Result<(), OutOfRange> {
        if self.is_faulty(source, req) {
            return Ok(());
        }
        let line = req.addr & !(u64::from(self.parameters.line) - 1);
        let dest = usize::from(req.dest);
        let memory = &mut self.memories[dest];
        let data = match req.op {
            op::STORE => return memory.write(line, req.mask, &req.data),
            op::LOAD => memory.read(line, req.mask)?,
            _ => memory.atomic(line, req.mask, req.aop, &req.data)?,
        };
        let queue = &mut self.expected[source * self.memories.len() + dest];
        queue.push_back(Expected { id: req.id, mask: req.mask, data });
        Ok(())
    }

    /// Checks what came back to GPU `source`. Errors: what is wrong.
    pub fn check_returned(&mut self, source: usize, returned: &Returned) -> Result<(), String> {
        let Returned { from, tag, data } = returned;
        let queue = &mut self.expected[source * self.memories.len() + from];
        let Some(expected) = queue.pop_front() else {
            return Err(format!(
                "GPU {source} gets data from GPU {from} (tag {tag}) that it did not ask for"
            ));
        };
        if expected.id != *tag {
            return Err(format!(
                "GPU {source} gets tag {tag} from GPU {from} before tag {}",
                expected.id
            ));
        }
        // A read brings whole DWs; the requester drops the rest.
        for i in (0..self.parameters.line as usize).filter(|i| expected.mask >> i & 1 == 1) {
            let (got, want) = (data.0[i], expected.data.0[i]);
            if got != want {
                return Err(format!(
                    "GPU {source} reads {got:#04x} in byte {i} from GPU {from} (tag {tag}), in \
                     order it is {want:#04x}"
                ));
            }
        }
        Ok(())
    }

    /// Compares memories: the ranges that `source` writes, or all. Errors: the first difference.
    pub fn compare(&self, memories: &[Memory], source: Option<usize>) -> Result<(), String> {
        let offset = self.parameters.offset_width;
        let is_meant =
            |base| source.is_none_or(|source| windows(source).contains(&(base >> offset)));
        for (gpu, (have, want)) in memories.iter().zip(&self.memories).enumerate() {
            if let Some((addr, have, want)) = have.first_difference(want, is_meant) {
                return Err(format!(
                    "GPU {gpu} holds {have:#04x} at {addr:#x}, in order it is {want:#04x}"
                ));
            }
        }
        Ok(())
    }
}
