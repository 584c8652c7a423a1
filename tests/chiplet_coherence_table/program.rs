//! Programs: packets of several streams, and what their kernels really touch.

use std::fmt;

use hwmodel::cpelide::chiplet_coherence_table::Parameters;

use crate::bytes::{Footprint, Mask, span};

/// A random program. Kernels touch few lines, the *spots*, so that they meet.
#[derive(Clone, Debug)]
pub struct Program {
    pub seed: u64,
    pub parameters: Parameters,
    /// First byte of each spot.
    pub spots: Vec<u64>,
    /// Stores fetch the rest of their line.
    pub fetches_on_write: bool,
    /// Where lines have homes, as under policy `home_forward`; otherwise L2s are private.
    pub homes: Option<Homes>,
    pub items: Vec<Item>,
}

/// Which chiplet is the home of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Homes {
    /// That which touches it first.
    FirstTouch,
    /// Each in turn.
    Interleaved,
}

/// A packet, and what happens around it.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its number in the program as drawn, and source of its random choices.
    pub number: usize,
    pub stream: u8,
    /// The chiplets bound to its stream.
    pub chiplets: u16,
    /// Acquire scope system.
    pub acquires: bool,
    /// Release scope system.
    pub releases: bool,
    /// What the host writes just before, if the acquire scope is system.
    pub host_writes: Vec<Access>,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Kernel(Kernel),
    Barrier,
    /// A packet that is not carried out, because of its type or its grid.
    Malformed {
        packet_type: u8,
    },
}

#[derive(Clone, Debug)]
pub struct Kernel {
    /// Chiplets it asks for, `n_sched`.
    pub scheduled: u8,
    pub groups: u32,
    pub labels: Labels,
    pub structures: Vec<Label>,
    /// Launches after its own by which it has ended.
    pub life: u32,
    /// In order for each chiplet; chiplets run side by side.
    pub accesses: Vec<Access>,
}

/// Whether the packet says what the kernel touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    Known,
    NoExtension,
    Unknown,
    Truncated,
    BadMagic,
    TooManyChiplets,
}

/// What an extension block says of a structure.
#[derive(Clone, Debug)]
pub struct Label {
    pub base: u64,
    pub length: u64,
    pub writes: bool,
    /// Logical chiplet, first and last byte. None: each chiplet may touch all of it.
    pub ranges: Vec<(u8, u64, u64)>,
}

/// Loads or stores of one chiplet within one spot.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Physical chiplet.
    pub chiplet: u8,
    pub spot: u16,
    /// Bytes of the line.
    pub first: u8,
    pub last: u8,
    pub write: bool,
}

impl Access {
    pub fn mask(&self) -> Mask {
        span(usize::from(self.first), usize::from(self.last))
    }

    pub fn spot(&self) -> usize {
        usize::from(self.spot)
    }
}

impl Kernel {
    pub fn footprint(&self, spots: usize) -> Footprint {
        let mut footprint = Footprint::new(spots);
        for access in &self.accesses {
            footprint.add(access.spot(), access.mask(), access.write);
        }
        footprint
    }

    /// The physical chiplets that it runs on, logical chiplet 0 first. With a block that cannot be
    /// used it runs on all of its stream.
    pub fn runs_on(&self, bound: u16) -> Vec<u8> {
        let bound: Vec<u8> = (0..16).filter(|i| bound >> i & 1 == 1).collect();
        match self.labels {
            Labels::Known | Labels::Unknown | Labels::Truncated => {
                bound[..usize::from(self.scheduled)].to_vec()
            }
            Labels::NoExtension | Labels::BadMagic | Labels::TooManyChiplets => bound,
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Parameters {
            chiplets,
            table_entries,
            max_structs,
            line,
            sync_mode,
            hidden,
            home_aware,
        } = self.parameters;
        writeln!(
            f,
            "seed {}: {chiplets} chiplets, {table_entries} entries, {max_structs} structures, \
             lines of {line} B, {sync_mode:?}, homes {:?}, hidden {hidden:?}{}{}",
            self.seed,
            self.homes,
            if home_aware { ", home-aware" } else { "" },
            if self.fetches_on_write { ", stores fetch" } else { "" }
        )?;
        for item in &self.items {
            self.fmt_item(item, f)?;
        }
        Ok(())
    }
}

impl Program {
    fn fmt_access(&self, access: &Access, f: &mut fmt::Formatter) -> fmt::Result {
        let Access { spot, first, last, write, .. } = *access;
        let at = self.spots[usize::from(spot)];
        let verb = if write { "W" } else { "R" };
        write!(f, " {verb} {at:x}[{first}..={last}]")
    }

    fn fmt_item(&self, item: &Item, f: &mut fmt::Formatter) -> fmt::Result {
        let Item { number, stream, chiplets, acquires, releases, host_writes, kind } = item;
        let scope = |is_system: bool| if is_system { "system" } else { "agent" };
        write!(f, "{number}: stream {stream}, chiplets {chiplets:b}, ")?;
        write!(f, "acquire {}, release {}, ", scope(*acquires), scope(*releases))?;
        match kind {
            Kind::Barrier => writeln!(f, "barrier")?,
            Kind::Malformed { packet_type } => writeln!(f, "malformed, type {packet_type}")?,
            Kind::Kernel(kernel) => {
                let Kernel { scheduled, labels, life, .. } = kernel;
                writeln!(f, "kernel on {scheduled}, labels {labels:?}, life {life}")?;
            }
        }
        if !host_writes.is_empty() {
            write!(f, "    host before:")?;
            host_writes.iter().try_for_each(|access| self.fmt_access(access, f))?;
            writeln!(f)?;
        }
        let Kind::Kernel(kernel) = kind else { return Ok(()) };
        for Label { base, length, writes, ranges } in &kernel.structures {
            write!(f, "    {} {base:x}+{length:x}", if *writes { "R/W" } else { "R" })?;
            for (logical, start, end) in ranges {
                write!(f, " {logical}:{start:x}..={end:x}")?;
            }
            writeln!(f)?;
        }
        for chiplet in 0..16 {
            let own = |access: &&Access| access.chiplet == chiplet;
            if kernel.accesses.iter().any(|access| own(&access)) {
                write!(f, "    chiplet {chiplet}:")?;
                let mut accesses = kernel.accesses.iter().filter(own);
                accesses.try_for_each(|access| self.fmt_access(access, f))?;
                writeln!(f)?;
            }
        }
        Ok(())
    }
}
