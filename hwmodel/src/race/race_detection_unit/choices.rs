//! What the specification decides, as constants that the protocol reads. Tests run the protocol
//! with one of them changed (`rule.rs`).

use ports::race::types::rsp_kind::{NORACE, RACE, WACK};

/// How a request is answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    /// The kind if no granule is in the signature of the SM, and if one is.
    pub clean: u8,
    pub race: u8,
}

impl Answer {
    /// The signature of the SM is tested.
    #[inline(always)]
    pub fn is_check(self) -> bool {
        self.clean != self.race
    }
}

/// Which request of a queue is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Oldest,
    Youngest,
}

/// One field for each choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choices {
    pub order: Order,
    /// By kind: RDCHK, HITCHK, WRITE, ATOM.
    pub answers: [Answer; 4],
    /// A check is of all granules of the line, not of those of the mask.
    pub whole_line: bool,
    /// Inserts of a cycle are in the signatures that are forced in it.
    pub inserts_first: bool,
    /// Inserts do not change a copy that is sent.
    pub copy_apart: bool,
}

impl Choices {
    /// How a request of this kind is answered.
    #[inline(always)]
    pub fn answer(&self, kind: u8) -> Answer {
        self.answers[usize::from(kind & 3)]
    }
}

/// Specification 5.2.
pub(super) const SPECIFICATION: Choices = Choices {
    order: Order::Oldest,
    answers: [
        Answer { clean: NORACE, race: RACE },
        Answer { clean: NORACE, race: RACE },
        Answer { clean: WACK, race: WACK },
        Answer { clean: WACK, race: WACK },
    ],
    whole_line: true,
    inserts_first: true,
    copy_apart: true,
};
