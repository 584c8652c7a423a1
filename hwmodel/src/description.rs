//! What the build and the reports need to know of a block, without its types.

use crate::block::Model;
use crate::ports::{Port, Ports};

/// A block's name, RTL parameters and ports, for one configuration.
#[derive(Clone, Debug)]
pub struct Description {
    /// [`Model::NAME`].
    pub name: &'static str,
    /// RTL parameters, in order.
    pub parameters: Vec<(&'static str, u64)>,
    /// Input ports, in image order.
    pub inputs: Vec<Port>,
    /// Output ports, in image order.
    pub outputs: Vec<Port>,
}

impl Description {
    /// Describes `M` with this configuration.
    pub fn of<M: Model>(config: &M::Config) -> Self {
        Self {
            name: M::NAME,
            parameters: M::rtl_parameters(config),
            inputs: M::In::declare(config),
            outputs: M::Out::declare(config),
        }
    }
}
