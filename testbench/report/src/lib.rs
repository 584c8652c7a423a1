//! Pages and timelines of runs, for people.
//!
//! [`Run`] holds what is shown of a run. A page, [`page`], shows one run or several side by side,
//! and holds them as data, so that pages can be joined. A timeline, [`timeline`], is in the
//! trace-event format of Chrome's tracing and of Perfetto.

mod chart;
mod collect;
mod data;
mod levels;
mod page;
mod parts;
mod timeline;
mod words;

pub use collect::{Packets, collect};
pub use data::{Group, Kernel, Launch, Level, Point, Recorded, Run};
pub use levels::levels;
pub use page::{STYLE, document, page, runs_of};
pub use timeline::{MOST_EVENTS, sampled, timeline};
