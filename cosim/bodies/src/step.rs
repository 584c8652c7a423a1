//! Progress of the builds of bodies, for display.

use std::sync::RwLock;

use super::request::Request;

/// What happens while bodies are made, for a person who waits.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// It is not in the cache, and is being built.
    Building(&'a Request),
    /// Another process builds it.
    Waiting(&'a Request),
    /// It was built, in so many seconds.
    Built(&'a Request, f64),
}

/// The listener of steps.
type Listener = fn(Step);

static LISTENER: RwLock<Option<Listener>> = RwLock::new(None);

/// Notifies `listener` of each step from now on.
pub fn on_step(listener: Listener) {
    *LISTENER.write().unwrap_or_else(|e| e.into_inner()) = Some(listener);
}

pub(super) fn tell(step: Step) {
    if let Some(listener) = *LISTENER.read().unwrap_or_else(|e| e.into_inner()) {
        listener(step);
    }
}
