//! How the blocks number the CUs and the L2 banks of their GPU.

use crate::build::make::Make;
use crate::context::Context;
use crate::context::layout::{Layout, Site};
use crate::context::message::Unit;

/// Number of the CU beside which something is made.
pub fn sm_of(make: &Make) -> usize {
    usize::from(make.chiplet * make.system.machine.cus + make.number)
}

/// The CU of a number.
pub fn core(layout: &Layout, sm: usize) -> Unit {
    let cores = usize::from(layout.cores);
    layout.core((sm / cores) as u16, (sm % cores) as u16)
}

/// Number of a bank.
pub fn bank_number(ctx: &Context, bank: Unit) -> usize {
    let Site::Bank(chiplet, number) = ctx.layout.site(bank) else { unreachable!("a bank") };
    usize::from(chiplet * ctx.layout.banks + number)
}
