//! Litmus tests on the full GPU: files are read (`parse`), what a memory model allows is found by
//! trying all ways (`model`), and machines of each design run them thousands of times (`run`).

mod meeting;
pub mod model;
mod parse;
mod run;
pub mod shapes;
mod test;

pub use model::{Promise, allowed};
pub use parse::{ParseError, parse};
pub use run::{Design, Error, Forbidden, Job, Row, Sizes, designs_with, run};
pub use test::Test;
