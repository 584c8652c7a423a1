//! What blocks have done.

use crate::body::BodyKind;

/// How much a block did, all its instances together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockUse {
    /// Name.
    pub name: &'static str,
    /// Which body; `None` where there are several.
    pub body: Option<BodyKind>,
    /// Instances.
    pub instances: u32,
    /// Cycles of its clock from reset to the end.
    pub cycles: u64,
    /// Of these, cycles with a transfer, summed over instances.
    pub busy: u64,
    /// The last cycle with a transfer.
    pub last_transfer: Option<u64>,
    /// Transfers on each channel, summed over instances.
    pub transfers: Vec<(&'static str, u64)>,
}

impl BlockUse {
    /// Adds an instance.
    pub fn add(&mut self, other: Self) {
        self.body = self.body.filter(|_| self.body == other.body);
        self.instances += other.instances;
        self.busy += other.busy;
        self.last_transfer = self.last_transfer.max(other.last_transfer);
        for (sum, (_, count)) in self.transfers.iter_mut().zip(other.transfers) {
            sum.1 += count;
        }
    }
}
