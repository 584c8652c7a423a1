//! Model against RTL under random stimulus, and what compares and shows them.

mod assertions;
mod coverage;
mod declaration;
mod foreign;
mod lockstep;
mod random;
mod report;
mod shrinking;
mod storage;
mod waves;
