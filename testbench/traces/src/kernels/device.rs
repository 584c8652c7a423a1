//! The host's side: buffers, copies and launches, in the order in which the program does them.

use crate::trace::Record;

use super::buffer::{Buffer, Element};
use super::group::{Group, Tape};
use super::launch::Launch;

/// Most bytes of one host write, so that an event stays small.
const PIECE: usize = 1 << 20;

/// A device on which a program runs, while `R` takes down what it does.
pub struct Device<'r, R> {
    record: &'r mut R,
}

impl<'r, R: Record> Device<'r, R> {
    /// A device without buffers.
    pub fn new(record: &'r mut R) -> Self {
        Self { record }
    }

    /// A buffer of `len` zeros, at least 1.
    pub fn alloc<T: Element>(&mut self, name: &str, len: usize) -> Result<Buffer<T>, R::Error> {
        Ok(Buffer::new(self.record.alloc(name, (len * T::BYTES) as u64)?, len))
    }

    /// A buffer that the host has filled.
    pub fn upload<T: Element>(&mut self, name: &str, from: &[T]) -> Result<Buffer<T>, R::Error> {
        let buffer = self.alloc(name, from.len())?;
        self.write(&buffer, 0, from)?;
        Ok(buffer)
    }

    /// The host writes `from` at an element and behind it.
    pub fn write<T: Element>(
        &mut self,
        buffer: &Buffer<T>,
        at: usize,
        from: &[T],
    ) -> Result<(), R::Error> {
        let step = PIECE / T::BYTES;
        let mut bytes = Vec::with_capacity(from.len().min(step) * T::BYTES);
        for (k, piece) in from.chunks(step).enumerate() {
            let first = at + k * step;
            bytes.clear();
            for (value, cell) in piece.iter().zip(&buffer.cells()[first..]) {
                let mut encoded = [0; 16];
                value.encode(&mut encoded);
                bytes.extend_from_slice(&encoded[..T::BYTES]);
                cell.set(*value);
            }
            self.record.host_write(buffer.addr(first), &bytes)?;
        }
        Ok(())
    }

    /// The host reads all of it.
    pub fn read<T: Element>(&mut self, buffer: &Buffer<T>) -> Result<Vec<T>, R::Error> {
        self.record.host_read(buffer.addr(0), (buffer.len() * T::BYTES) as u64)?;
        Ok(buffer.cells().iter().map(|c| c.get()).collect())
    }

    /// Runs a kernel: `body` once for each work-group, in order.
    pub fn launch(
        &mut self,
        launch: Launch,
        mut body: impl FnMut(&Group<R>),
    ) -> Result<(), R::Error> {
        let (shape, spec) = launch.into_parts();
        self.record.begin_kernel(spec)?;
        let tape = Tape::new(&mut *self.record, shape.items());
        for index in 0..shape.groups() {
            tape.begin_group()?;
            body(&Group::new(&tape, &shape, index));
            tape.end_group()?;
        }
        self.record.end_kernel()
    }
}
