//! What a timeline shows of a run: when work-groups ran on CUs, and the paths of sampled requests.
//! Both are bounded. What is left out depends on the program and machine alone, not on the order in
//! which components are visited.

mod groups;
mod paths;

pub use groups::{GroupSpan, Groups};
pub use paths::{Part, Paths, Request, Wait, is_request};

/// What is recorded for a timeline.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    /// Work-groups.
    pub groups: Groups,
    /// Requests.
    pub paths: Paths,
}
