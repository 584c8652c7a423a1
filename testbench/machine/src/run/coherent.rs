//! Compares what L1s promise to hold as their L2 does.

use crate::build::part::Part;
use crate::context::Context;
use crate::context::masks;
use crate::l2::L2;

/// Errors: a line that differs. Bytes that the L2 has evicted, or not yet fetched, are not looked
/// at.
pub(super) fn compare(ctx: &Context, parts: &[Part]) -> Result<(), String> {
    let mut banks: Vec<Option<&dyn L2>> = vec![None; ctx.layout.units().into()];
    for part in parts {
        if let Part::Bank(bank) = part {
            banks[usize::from(bank.unit().0)] = Some(&**bank);
        }
    }
    let mut result = Ok(());
    for part in parts {
        let Part::Core(core) = part else { continue };
        core.l1().promised_lines(&mut |addr, held| {
            let server = ctx.server(core.unit(), addr);
            let bank = banks[usize::from(server.0)];
            let Some((valid, line)) = bank.and_then(|bank| bank.line(addr)) else { return };
            let differs = masks::differences(held, line, valid);
            if differs != 0 {
                let k = differs.trailing_zeros() as usize;
                result = Err(format!(
                    "cycle {}: {} holds line {addr:#x} with byte {k} = {:#04x}, and its L2, {}, \
                     has {:#04x}",
                    ctx.now,
                    ctx.layout.name(core.unit()),
                    held[k],
                    ctx.layout.name(server),
                    line[k]
                ));
            }
        });
    }
    result
}
