//! Goes through a work-group from barrier to barrier.

use super::{Cursor, Error, Group, Instr, InstrKind};

/// The order of warps between two barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// That of the file.
    File,
    /// Last warp first.
    Opposite,
}

/// Where all warps of a work-group are.
#[derive(Clone, Debug)]
pub struct Walk {
    cursors: Vec<Cursor>,
    order: Order,
    /// Visits loads, too.
    loads: bool,
}

impl Walk {
    /// At the start.
    pub fn new(group: &Group, order: Order) -> Self {
        let cursors = (0..group.warps()).map(|warp| group.cursor(warp)).collect();
        Self { cursors, order, loads: true }
    }

    /// The same, of all but loads, in the order of the file.
    pub fn but_loads(group: &Group) -> Self {
        Self { loads: false, ..Self::new(group, Order::File) }
    }

    /// True when every warp is at its end.
    pub fn at_end(&self) -> bool {
        self.cursors.iter().all(Cursor::at_end)
    }

    /// Visits what each warp does up to its next barrier, one warp after another: warp, number of
    /// the instruction in it, instruction.
    pub fn segment(
        &mut self,
        group: &Group,
        instr: &mut Instr,
        mut visit: impl FnMut(usize, u32, &Instr),
    ) -> Result<(), Error> {
        for i in 0..self.cursors.len() {
            let warp = match self.order {
                Order::File => i,
                Order::Opposite => self.cursors.len() - 1 - i,
            };
            let cursor = &mut self.cursors[warp];
            loop {
                let index = cursor.index();
                let is_one = match self.loads {
                    true => cursor.next(group, instr)?,
                    false => cursor.next_but_loads(group, instr)?,
                };
                if !is_one || instr.kind == InstrKind::Barrier {
                    break;
                }
                visit(warp, index, instr);
            }
        }
        Ok(())
    }
}
