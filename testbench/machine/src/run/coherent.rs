//! Compares what L1s promise to hold as their L2 does.

use std::collections::HashMap;

use crate::context::Context;
use crate::l2::L2;
use crate::masks;
use crate::message::Unit;
use crate::part::Part;

/// Errors: a line that differs. Bytes that the L2 has evicted, or not yet fetched, are not looked
/// at.
pub(super) fn compare(ctx: &Context, parts: &[Part]) -> Result<(), String> {
    let mut banks: HashMap<Unit, &dyn L2> = HashMap::new();
    for part in parts {
        if let Part::Bank(bank) = part {
            banks.insert(bank.unit(), &**bank);
        }
    }
    let mut result = Ok(());
    for part in parts {
        let Part::Core(core) = part else { continue };
        core.l1().promised_lines(&mut |addr, held| {
            let server = ctx.server(core.unit(), addr);
            let Some((valid, line)) = banks.get(&server).and_then(|bank| bank.line(addr)) else {
                return;
            };
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
