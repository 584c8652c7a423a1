//! The list of a block's ports, and the trait of the structs that hold one cycle of them.

use super::signal::{Leaf, Signal, SvType};

/// Which way a port points, seen from the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dir {
    /// An input: RTL suffix `_i`.
    In,
    /// An output: RTL suffix `_o`.
    Out,
}

/// One RTL port as declared in Rust.
#[derive(Clone, Debug)]
pub struct Port {
    /// RTL name, suffix included.
    pub name: String,
    /// Name of the field in the Rust struct.
    pub field: &'static str,
    /// Direction.
    pub dir: Dir,
    /// Bits.
    pub width: u32,
    /// First 32-bit word in the image.
    pub word: usize,
    /// Named runs of bits, least significant first.
    pub leaves: Vec<Leaf>,
    /// Struct type, if it has one.
    pub sv_type: Option<SvType>,
    /// Index of the valid bit's port, when this port is a payload.
    pub valid: Option<usize>,
}

/// Collects ports in declaration order and gives each its words in the image.
pub struct Declare {
    dir: Dir,
    ports: Vec<Port>,
    words: usize,
}

impl Declare {
    /// Starts a list of ports of one direction.
    pub fn new(dir: Dir) -> Self {
        Self { dir, ports: Vec::new(), words: 0 }
    }

    /// Adds a port that is always compared.
    pub fn port<T: Signal>(&mut self, name: &'static str, shape: T::Shape) {
        self.add::<T>(name, name, shape, None);
    }

    /// Adds a valid bit and the payload that means something while it is 1.
    pub fn channel<T: Signal>(
        &mut self,
        field: &'static str,
        valid: &str,
        payload: &str,
        shape: T::Shape,
    ) {
        self.add::<bool>(field, valid, 1, None);
        self.add::<T>(field, payload, shape, Some(self.ports.len() - 1));
    }

    fn add<T: Signal>(
        &mut self,
        field: &'static str,
        name: &str,
        shape: T::Shape,
        valid: Option<usize>,
    ) {
        let suffix = match self.dir {
            Dir::In => "i",
            Dir::Out => "o",
        };
        let mut leaves = Vec::new();
        T::leaves(shape, "", 0, &mut leaves);
        let width = T::width(shape);
        self.ports.push(Port {
            name: format!("{name}_{suffix}"),
            field,
            dir: self.dir,
            width,
            word: self.words,
            leaves,
            sv_type: T::sv_type(shape),
            valid,
        });
        self.words += width.div_ceil(32) as usize;
    }

    /// The finished list.
    pub fn finish(self) -> Vec<Port> {
        self.ports
    }
}

/// Number of 32-bit words in the image of these ports.
pub fn image_words(ports: &[Port]) -> usize {
    ports.last().map_or(0, |p| p.word + p.width.div_ceil(32) as usize)
}

/// All ports of a block in one direction. Made by [`ports!`].
pub trait Ports: Copy + Default + PartialEq + std::fmt::Debug {
    /// The block's parameters: widths depend on them.
    type Config;
    /// Names, widths and order.
    fn declare(config: &Self::Config) -> Vec<Port>;
    /// Writes the image. The payload words of an absent channel keep what they held.
    fn store(&self, config: &Self::Config, image: &mut [u32]);
    /// Valids and plain bits that are 1, one bit for each field in their order.
    fn handshakes(&self) -> u32;
    /// Whether an image shows these values: that [`Ports::load`] of it would equal them.
    fn equals(&self, config: &Self::Config, image: &[u32]) -> bool;
    /// Reads an image.
    fn load(config: &Self::Config, image: &[u32]) -> Self;
}
