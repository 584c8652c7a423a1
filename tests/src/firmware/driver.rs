//! A host of the firmware with chiplets that execute commands at once.

use cosim::cpelide::packet::{Access, Dispatch, Labels, Range, Scope, barrier};
use cosim::cpelide::{Conf, Sent};
use firmware::map::message;

use super::Host;

/// Pages of 4 KiB, lines of 64 bytes.
pub const LINE: u64 = 64;

/// L2 operations, a bit for each chiplet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// L2s to write back.
    pub release: u16,
    /// L2s to invalidate.
    pub acquire: u16,
}

/// No operation.
pub const NONE: Operations = Operations { release: 0, acquire: 0 };

/// Operations on these chiplets.
pub fn operations(release: u16, acquire: u16) -> Operations {
    Operations { release, acquire }
}

/// A kernel that has started: its tag, and what each chiplet was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Started {
    /// Of its messages.
    pub tag: u8,
    /// Chiplet, first work-group, number.
    pub shares: Vec<(u8, u32, u32)>,
}

/// The default machine of the specification: four chiplets, 64 entries, 8 structures.
pub const MACHINE: Conf = Conf::DEFAULT;

/// A host with chiplets.
pub struct Driver<H> {
    /// The host.
    pub host: H,
    all: u16,
    chiplets: u32,
    running: Vec<Running>,
}

/// A kernel that was started and has not ended.
#[derive(Clone, Copy, Debug)]
struct Running {
    tag: u8,
    chiplets: u16,
    /// Those that have not said DONE.
    missing: u16,
}

impl<H: Host> Driver<H> {
    /// A host that has just started, with this register CONF.
    pub fn new(host: H, machine: &Conf) -> Self {
        let all = (u32::MAX >> (32 - machine.chiplets)) as u16;
        Self { host, all, chiplets: machine.chiplets, running: Vec::new() }
    }

    /// Runs until the firmware waits for something else than acknowledgements, which come when it
    /// waits for them. Gives the operations and the kernel that has started.
    pub fn settle(&mut self) -> (Operations, Option<Started>) {
        let mut all = NONE;
        let mut started = Started::default();
        let mut launched = None;
        loop {
            let sent = self.host.run();
            if sent.is_empty() {
                return (all, launched);
            }
            let mut now = NONE;
            for Sent { message: bits, chiplets, broadcast } in sent {
                assert!(chiplets & !self.all == 0, "there is no such chiplet: {chiplets:#x}");
                assert!(!broadcast || chiplets == self.all, "not all: {chiplets:#x}");
                let (tag, a, b) = ((bits >> 8) as u8, bits >> 16 & 0xffff, bits >> 32);
                match bits as u32 & 15 {
                    message::SYNC_REQ => {
                        assert!(launched.is_none(), "operations after LAUNCH_EN");
                        now.release |= if a & 1 == 1 { chiplets } else { 0 };
                        now.acquire |= if a & 2 == 2 { chiplets } else { 0 };
                        for i in (0..self.chiplets).filter(|i| chiplets >> i & 1 == 1) {
                            let ack = u64::from(message::ACK | i << 4);
                            self.host.receive(ack | u64::from(tag) << 8 | a << 16);
                        }
                    }
                    message::WG_DESC => {
                        started.shares.push((chiplets.trailing_zeros() as u8, b as u32, 0))
                    }
                    message::WG_COUNT => {
                        let share = started.shares.last_mut().expect("WG_DESC comes first");
                        share.2 = b as u32;
                    }
                    message::LAUNCH_EN => {
                        assert_eq!(now, NONE, "LAUNCH_EN before the operations are acknowledged");
                        started.tag = tag;
                        assert!(!self.runs(tag), "tag {tag} of a kernel that runs");
                        self.running.push(Running { tag, chiplets, missing: chiplets });
                        launched = Some(std::mem::take(&mut started));
                    }
                    other => panic!("message of type {other}"),
                }
            }
            // What a running kernel fetches again must be what the others have written back.
            let in_use = self.running.iter().any(|kernel| kernel.chiplets & now.acquire != 0);
            assert!(!in_use || now.release & !all.release == 0, "acquired before the releases");
            all = operations(all.release | now.release, all.acquire | now.acquire);
        }
    }

    /// Launches a kernel. Gives the operations before it, and its tag.
    pub fn launch(&mut self, dispatch: &Dispatch, labels: Option<&Labels>) -> (Operations, u8) {
        self.launch_on(dispatch, labels, 0, self.all)
    }

    /// The same of a stream on some chiplets.
    pub fn launch_on(
        &mut self,
        dispatch: &Dispatch,
        labels: Option<&Labels>,
        stream: u8,
        chiplets: u16,
    ) -> (Operations, u8) {
        let extension = labels.map(|labels| labels.encode().expect("it is short"));
        let dispatch = Dispatch { extension: extension.is_some().into(), ..*dispatch };
        let extension = extension.unwrap_or_default();
        self.host.submit(&dispatch.encode(), &extension, stream, chiplets);
        let (operations, started) = self.settle();
        (operations, started.expect("it is launched").tag)
    }

    /// The kernel has started and not ended.
    pub fn runs(&self, tag: u8) -> bool {
        self.running.iter().any(|kernel| kernel.tag == tag)
    }

    /// All work-groups of a kernel end. Gives the operations after it.
    pub fn end(&mut self, tag: u8) -> Operations {
        self.done(tag);
        let (operations, started) = self.settle();
        assert_eq!(started, None);
        operations
    }

    /// Each chiplet says that its work-groups of a kernel have ended, but those that have said so
    /// before.
    pub fn done(&mut self, tag: u8) {
        self.done_on(tag, u16::MAX);
    }

    /// The same of these chiplets alone. With the last one the kernel has ended.
    pub fn done_on(&mut self, tag: u8, chiplets: u16) {
        let at = self.running.iter().position(|kernel| kernel.tag == tag).expect("it runs");
        let kernel = &mut self.running[at];
        let now = kernel.missing & chiplets;
        kernel.missing &= !chiplets;
        if kernel.missing == 0 {
            self.running.remove(at);
        }
        for i in (0..16).filter(|i| now >> i & 1 == 1) {
            self.host.receive(u64::from(message::DONE) | i << 4 | u64::from(tag) << 8);
        }
    }

    /// Launches a kernel, and ends it; nothing is done after it.
    pub fn run(&mut self, labels: &Labels) -> Operations {
        let (operations, tag) = self.launch(&kernel(), Some(labels));
        assert_eq!(self.end(tag), NONE);
        operations
    }

    /// The end of the program.
    pub fn finish(&mut self) -> Operations {
        self.host.submit(&barrier(Scope::None, Scope::System, 0), &[], 0, self.all);
        self.settle().0
    }

    /// The entry in a slot of the table.
    pub fn entry(&self, slot: usize) -> Entry {
        let n = self.chiplets as usize;
        let stride = 2 + 2 * n + usize::from(n == 16);
        let words = &self.host.private()[slot * stride..][..stride];
        Entry {
            base: words[0],
            ranges: (0..n).map(|i| (words[1 + 2 * i], words[2 + 2 * i])).collect(),
            vector: words[1 + 2 * n] & (u32::MAX >> (32 - 2 * n)),
            mixed: words[stride - 1] >> 30 & 1 == 1,
            write: words[stride - 1] >> 31 == 1,
        }
    }
}

/// A table entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Page.
    pub base: u32,
    /// First and last line of each chiplet.
    pub ranges: Vec<(u32, u32)>,
    /// Two bits for each chiplet.
    pub vector: u32,
    /// The mixed bit.
    pub mixed: bool,
    /// The last kernel had it R/W.
    pub write: bool,
}

/// A kernel of 8 work-groups.
pub fn kernel() -> Dispatch {
    Dispatch { workgroup_size: [64, 1, 1], grid_size: [512, 1, 1], ..Dispatch::default() }
}

/// The ranges of a structure of `lines` lines of which each chiplet touches these; `None` for none.
pub fn ranges(base: u64, lines: &[Option<(u64, u64)>]) -> Vec<Range> {
    let of = |(chiplet, lines): (usize, &Option<(u64, u64)>)| {
        let (first, last) = (*lines)?;
        let (start, end) = (base + first * LINE, base + last * LINE + LINE - 1);
        Some(Range { chiplet: chiplet as u8, start, end })
    };
    lines.iter().enumerate().filter_map(of).collect()
}

/// A structure whose chunk i goes to chiplet `i`.
pub fn chunks(base: u64, lines: u64, chiplets: u64) -> Vec<Range> {
    let chunk = lines / chiplets;
    let of = |i| Some((i * chunk, i * chunk + chunk - 1));
    ranges(base, &(0..chiplets).map(of).collect::<Vec<_>>())
}

/// Labels of one structure.
pub fn labels(base: u64, lines: u64, access: Access, ranges: &[Range]) -> Labels {
    let mut labels = Labels::new(4);
    labels.set_access_mode_range(base, lines * LINE, access, ranges);
    labels
}
