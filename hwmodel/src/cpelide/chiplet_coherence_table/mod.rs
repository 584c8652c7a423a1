//! The reference of the chiplet coherence table (CPElide, MICRO'24, section III; the project's
//! specification of CPElide, sections 3.6, 4, 5, 6, 7, 9 and 12): which chiplets' L2s a kernel's
//! launch must release and acquire.
//!
//! Written for reading. The firmware is compared with it after every call: releases, acquires,
//! shares and errors of the [`Outcome`], [`ReferenceTable::counters`], and
//! [`ReferenceTable::image`] byte by byte. It is no block: it has no clock, and the time that the
//! firmware takes is not its business.
//!
//! # Where the specification leaves a choice
//!
//! Launches:
//! - While a kernel runs on an acquired chiplet, all releases of a launch are done before its
//!   acquires: it could fetch lines again that another L2 has not yet written back (5.1 step 8;
//!   `docs/errata.md`).
//! - EVERY and the acquire scope add to the masks before step 3, and take effect in step 7 with the
//!   others: "the effects of all masks". Step 6 adds nothing for EVERY, which has released all
//!   chiplets.
//! - A row that a record overlaps in step 4 stays the record's, even where the effects leave
//!   nothing of it at the record's lines. An entry that the effects leave all NP is removed and
//!   made anew (5.8: effects, removal, update).
//! - New entries take slots in address order ("entry order"). The base of an entry also becomes the
//!   lower one where a record of a lower base is entered: offsets cannot be negative.
//! - A pair is in use on all chiplets that its kernel was scheduled on: the list of 5.5 has one
//!   mask for each kernel.
//! - "The stored range of an in-use D pair" (5.5) is that from before the launch. Only the bit that
//!   a launch finds is resolved: one that its own remote events set is not.
//! - A kernel that has ended is off the list before its own system release (5.6).
//! - A barrier with release scope system is the end of the program when no kernel runs; otherwise
//!   it releases, and with acquire scope system acquires, as 5.6 says of kernels. Without these
//!   scopes it does nothing.
//!
//! HOME_AWARE (5.9):
//! - EVERY is set after the operations of an unlabelled launch. So what its acquire scope asks for
//!   is what it asks of a labelled one that touches nothing: chiplets without D are not released
//!   unless EVERY was set before.
//! - Without an acquire scope nothing is acquired, so an unlabelled launch forgets no pair: 5.1
//!   step 2 removes them because all L2s are acquired.
//! - Releases for EVERY before an acquire are those of step 6, also for counter 9. Unlabelled
//!   launches are conservative ones for counter 7.
//! - The end of the program releases and acquires all chiplets where 5.9 has all acquired "whatever
//!   the table". Elsewhere the L2s are empty.
//!
//! Packets:
//! - Faults are reported in the order of the block, each as often as structures have it; nothing is
//!   read behind one that makes the launch conservative. A range of a chiplet that is not scheduled
//!   is such a fault, also behind ranges outside their structure. Magic, version and counts come
//!   first, then `n_sched`, then UNKNOWN and truncated blocks, which have no code; a header that is
//!   cut off has none either.
//! - A conservative kernel runs on the chiplets that its block asks for, where header and `n_sched`
//!   are good, otherwise on all of its stream. `n_sched` = 0 is code 3. Chiplets that the GPU does
//!   not have do not count.
//! - What 44 bits and 2^28 lines must hold is the whole structure, labelled or not. A base inside a
//!   page is rounded down, the end stays; ranges may begin where the structure then begins.
//! - A mode other than 0 is R/W; scope 3 is system. Each dimension counts, whatever `setup` says;
//!   2^32 work-groups are too many for a message: code 5.
//!
//! Counters:
//! - 2 and 4 are n times the launches less what was sent, at least 0. 6 counts joins because of
//!   MAX_STRUCTS and of the full table, not those of steps 1 and 4. 9 counts chiplets, 10 entries,
//!   11 ranges that a launch makes longer.
//! - In modes without a table no launch is conservative.

mod bytes;
mod coarsen;
mod counters;
mod entry;
mod error;
mod events;
mod extension;
mod launch;
mod lines;
mod masks;
mod outcome;
mod packet;
mod parameters;
mod reasons;
mod reference;
mod running;
mod table;
mod transition;
mod weakness;

pub use entry::Entry;
pub use lines::Lines;
pub use outcome::{Outcome, Share};
pub use packet::Dispatch;
pub use parameters::{Hidden, Parameters, SyncMode};
pub use reasons::{Cause, Pair, Reason, Unlabelled};
pub use reference::ReferenceTable;
pub use transition::{Mode, State};
#[doc(hidden)]
pub use weakness::Weakness;
