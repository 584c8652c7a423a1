//! Who owns an element, and who reads it.

use std::ops::Range;

use super::LANES;

/// Blocks of elements, one for each GPU, and the GPUs that read each element.
#[derive(Clone, Debug)]
pub struct Partition {
    starts: Vec<usize>,
    readers: Vec<u16>, // bit g: GPU g reads the element and does not own it
}

impl Partition {
    /// `n` elements over `gpus` GPUs in equal blocks that start at a whole warp. `reads(v)` gives
    /// the elements from which element `v` is computed, by its owner.
    pub fn new<I>(n: usize, gpus: usize, reads: impl Fn(usize) -> I) -> Self
    where
        I: IntoIterator<Item = usize>,
    {
        assert!((1..=16).contains(&gpus), "gpus = {gpus}: must be 1 to 16");
        let starts = (0..=gpus).map(|g| (n * g / gpus).next_multiple_of(LANES).min(n)).collect();
        let mut this = Self { starts, readers: vec![0; n] };
        for gpu in 0..gpus {
            for v in this.block(gpu) {
                reads(v).into_iter().for_each(|u| this.readers[u] |= 1 << gpu);
            }
        }
        for gpu in 0..gpus {
            let block = this.block(gpu);
            this.readers[block].iter_mut().for_each(|r| *r &= !(1 << gpu));
        }
        this
    }

    /// Number of GPUs.
    pub fn gpus(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.readers.len()
    }

    /// True without elements.
    pub fn is_empty(&self) -> bool {
        self.readers.is_empty()
    }

    /// Elements that `gpu` owns.
    pub fn block(&self, gpu: usize) -> Range<usize> {
        self.starts[gpu]..self.starts[gpu + 1]
    }

    /// True where `gpu` reads element `v` and does not own it.
    pub fn is_read_by(&self, v: usize, gpu: usize) -> bool {
        self.readers[v] >> gpu & 1 == 1
    }

    /// True where `gpu` reads some element of `owner`.
    pub fn talks_to(&self, owner: usize, gpu: usize) -> bool {
        self.block(owner).any(|v| self.is_read_by(v, gpu))
    }

    /// Elements of others that `gpu` reads, as ascending ranges.
    pub fn read_by(&self, gpu: usize) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for v in (0..self.len()).filter(|&v| self.is_read_by(v, gpu)) {
            match ranges.last_mut() {
                Some(last) if last.end == v => last.end = v + 1,
                _ => ranges.push(v..v + 1),
            }
        }
        ranges
    }
}
