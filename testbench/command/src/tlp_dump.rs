//! The TLPs that the links carry, as text: one line for each, with cycle of the links, source,
//! destination, header and payload, for any tool that reads PCIe.

use std::fmt::{self, Display, Formatter};

use hwmodel::finepack::tlp_link::Sent;

/// A TLP as a line.
pub struct Line<'a> {
    /// It.
    pub sent: &'a Sent<'a>,
    /// The cycle in which its system came out of reset.
    pub first_cycle: u64,
}

impl Display for Line<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Sent { cycle, src, dest, header, payload, .. } = self.sent;
        write!(f, "{} {src} {dest} ", self.first_cycle + cycle)?;
        header.iter().try_for_each(|b| write!(f, "{b:02x}"))?;
        f.write_str(" ")?;
        if payload.is_empty() {
            f.write_str("-")?;
        }
        payload.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}
