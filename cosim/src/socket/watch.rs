//! What is observed of a body, and inverted in one of two, in cycles of its clock.

use crate::flip::Flip;

/// Cycles of the system in a window whose end is not given.
pub const WINDOW: u64 = 2000;

/// Cycles that are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The first; else that of the first transfer.
    pub from: Option<u64>,
    /// Behind the last; else [`WINDOW`] cycles after the first.
    pub to: Option<u64>,
}

/// What happens to a window before a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Opens,
    Closes,
}

/// A window, and a flip that is to come.
#[derive(Debug, Default)]
pub(super) struct Watch {
    pub flip: Option<Flip>,
    window: Option<Window>,
    /// Cycles of one whose end is not given.
    length: u64,
    open: bool,
}

impl Watch {
    /// The window is this one from now on, whether there was another or not; it has `length` cycles
    /// where its end is not given.
    pub fn set_window(&mut self, window: Window, length: u64) {
        (self.window, self.length) = (Some(window), length);
    }

    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Nothing is wanted any more.
    pub fn is_over(&self) -> bool {
        self.flip.is_none() && self.window.is_none()
    }

    /// Of so many quiet cycles from `cycle` on, those up to the next that must be seen.
    pub fn quiet(&self, quiet: u64, cycle: u64) -> u64 {
        let flip = self.flip.as_ref().map(|flip| flip.cycle);
        let from = self.window.and_then(|window| window.from);
        let next = flip.into_iter().chain(from).min().unwrap_or(u64::MAX);
        quiet.min(next.saturating_sub(cycle))
    }

    /// Before `cycle`, in which something is transferred or not.
    pub fn step(&mut self, cycle: u64, moves: bool) -> Option<Change> {
        let Window { from, to } = self.window?;
        if !self.open {
            self.open = from.map_or(moves, |from| cycle >= from);
            if self.open {
                self.window =
                    Some(Window { from, to: to.or(Some(from.unwrap_or(cycle) + self.length)) });
                return Some(Change::Opens);
            }
        } else if to.is_some_and(|to| cycle >= to) {
            (self.open, self.window) = (false, None);
            return Some(Change::Closes);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(window: Window) -> Watch {
        Watch { window: Some(window), length: 2000, ..Watch::default() }
    }

    #[test]
    fn window_without_a_first_cycle_opens_with_a_transfer_and_closes_2000_cycles_later() {
        let mut watch = watch(Window::default());
        assert_eq!(watch.step(5, false), None);
        assert_eq!(watch.step(6, true), Some(Change::Opens));
        assert_eq!((watch.step(7, true), watch.step(2005, false)), (None, None));
        assert_eq!(watch.step(2006, true), Some(Change::Closes));
        assert!(watch.is_over());
    }

    #[test]
    fn first_cycle_that_is_given_must_be_seen() {
        let mut watch = watch(Window { from: Some(9), to: Some(11) });
        assert_eq!((watch.quiet(u64::MAX, 4), watch.quiet(3, 4)), (5, 3));
        assert_eq!(watch.step(4, true), None);
        assert_eq!(watch.step(9, false), Some(Change::Opens));
        assert_eq!(watch.step(11, false), Some(Change::Closes));
    }
}
