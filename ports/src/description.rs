//! What the build and the reports need to know of a block, without its types.

use crate::Port;

/// A block's name, RTL parameters and ports, for one configuration.
#[derive(Clone, Debug)]
pub struct Description {
    /// `snake_case` name: RTL folder and top module.
    pub name: &'static str,
    /// RTL parameters, in order.
    pub parameters: Vec<(&'static str, u64)>,
    /// Input ports, in image order.
    pub inputs: Vec<Port>,
    /// Output ports, in image order.
    pub outputs: Vec<Port>,
}
