//! What somebody wants to see of blocks with two bodies, and to invert in one of them.

use cosim::body::Body;
use cosim::runner::Flip;

use super::engine::Cycle;

/// Cycles of a window whose end is not given.
pub const WINDOW: Cycle = 2000;

/// Cycles of the machine in which blocks are shown, all of them in the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The first; else that of the first transfer of the blocks that are shown first.
    pub from: Option<Cycle>,
    /// Behind the last; else [`WINDOW`] cycles after the first.
    pub to: Option<Cycle>,
}

/// A window, and where it stands.
#[derive(Debug)]
struct Watch {
    window: Window,
    open: bool,
    /// The images are those of this visit.
    fresh: bool,
}

impl Watch {
    /// Before cycle `now`, in which the first transfer may come: whether the bodies are to be
    /// traced from now on, where that changes. After `false` the window is over.
    fn step(&mut self, now: Cycle, transfer: bool) -> Option<bool> {
        let Window { from, to } = self.window;
        let opens = !self.open && from.map_or(transfer, |from| now >= from);
        if opens {
            self.window.to = Some(to.unwrap_or(from.unwrap_or(now) + WINDOW));
        }
        self.open |= opens;
        let over = self.open && self.window.to.is_some_and(|to| now >= to);
        self.fresh = self.open && !over;
        if over { Some(false) } else { opens.then_some(true) }
    }
}

/// A window of some blocks, and a flip in one of them.
#[derive(Debug, Default)]
pub struct Watched {
    watch: Option<Watch>,
    /// A bit of an output, and its block.
    flip: Option<(String, Flip)>,
}

impl Watched {
    /// Shows a window from now on.
    pub fn watch(&mut self, window: Window) {
        self.watch = Some(Watch { window, open: false, fresh: false });
    }

    /// The window is this one from now on, whether it has been open or not.
    pub fn set_window(&mut self, window: Window) {
        if let Some(watch) = &mut self.watch {
            watch.window = window;
        }
    }

    /// The window, once it is open.
    pub fn opened(&self) -> Option<Window> {
        self.watch.as_ref().filter(|watch| watch.open).map(|watch| watch.window)
    }

    /// Inverts a bit of an output of the first block of this name, on the RTL's side, once.
    pub fn flip(&mut self, block: &str, flip: Flip) {
        self.flip = Some((block.to_string(), flip));
    }

    /// The flip that is still to come.
    pub fn pending_flip(&self) -> Option<&Flip> {
        self.flip.as_ref().map(|(_, flip)| flip)
    }

    /// True where [`Watched::prepare`] is to be called.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.watch.is_some() || self.flip.is_some()
    }

    /// True within the window.
    pub fn is_open(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.open)
    }

    /// Before cycle `now`, in which there is a transfer or not. `each` calls what it gets with each
    /// of the bodies.
    #[cold]
    pub fn prepare(
        &mut self,
        now: Cycle,
        transfer: bool,
        each: impl FnOnce(&mut dyn FnMut(&mut dyn Body)),
    ) {
        let change = self.watch.as_mut().and_then(|watch| watch.step(now, transfer));
        let mut flip = self.flip.take();
        each(&mut |body| {
            let due = |(block, flip): &mut (String, Flip)| {
                now >= flip.cycle && body.description().name == block && body.flip(flip)
            };
            if flip.as_mut().is_some_and(due) {
                flip = None;
            }
            if let Some(on) = change {
                body.trace(on);
            }
        });
        self.flip = flip;
        self.watch = self.watch.take().filter(|_| change != Some(false));
    }

    /// Whether a cycle has ended within the window since the last call.
    pub fn take_fresh(&mut self) -> bool {
        self.watch.as_mut().is_some_and(|watch| std::mem::take(&mut watch.fresh))
    }
}
