//! The firmware as a synchroniser: packets into its slots, messages out of its mailbox.

use cosim::cpelide::{self, Conf, Native};
use duet_tests::firmware::driver::Driver;
use duet_tests::firmware::{Core, Host, most_compared};
use firmware::Layout;
use firmware::image::Image;
use hwmodel::cpelide::chiplet_coherence_table::{
    Dispatch, Hidden, Outcome, Parameters, Share, SyncMode,
};

use crate::synchroniser::Synchroniser;

/// Bytes that no packet slot has.
const TOO_LONG: usize = 5000;

/// CONF of these parameters; `ahead`: launches are decided while the kernel before runs.
pub fn conf(parameters: &Parameters, ahead: bool) -> Conf {
    Conf {
        chiplets: parameters.chiplets as u32,
        sync_mode: match parameters.sync_mode {
            SyncMode::None => cpelide::SyncMode::None,
            SyncMode::Baseline => cpelide::SyncMode::Baseline,
            SyncMode::Cpelide => cpelide::SyncMode::Cpelide,
            SyncMode::Hmg => cpelide::SyncMode::Hmg,
        },
        home_forward: parameters.hidden != Hidden::Nothing,
        several_gpus: parameters.hidden == Hidden::OfSystem,
        max_structs: parameters.max_structs as u32,
        table_entries: parameters.table_entries as u32,
        long_lines: parameters.line == 128,
        home_aware: parameters.home_aware,
        ahead,
    }
}

/// The firmware on a host.
pub struct Firmware<H> {
    driver: Driver<H>,
    /// Words of the table's image.
    words: usize,
}

impl<L: Layout> Firmware<Native<L>> {
    /// Called directly.
    pub fn native(parameters: &Parameters) -> Self {
        Self::on(Native::new(conf(parameters, false).bits()), parameters)
    }
}

impl Firmware<Core> {
    /// An image on the command processor: model and RTL in lockstep where there is RTL.
    pub fn core(image: &Image, parameters: &Parameters) -> Self {
        let conf = conf(parameters, false).bits();
        Self::on(Core::new(most_compared(), "small", image, conf), parameters)
    }
}

impl<H: Host> Firmware<H> {
    fn on(host: H, parameters: &Parameters) -> Self {
        let n = parameters.chiplets;
        let words = (2 + 2 * n + usize::from(n == 16)) * parameters.table_entries;
        Self { driver: Driver::new(host, &conf(parameters, false)), words }
    }

    /// Runs until it waits; operations are done at once.
    fn settle(&mut self) -> Outcome {
        let (operations, started) = self.driver.settle();
        let host = &mut self.driver.host;
        assert_eq!(host.exit(), None, "halted");
        let signals = host.signals();
        assert!(signals.len() <= 1, "{signals:x?}");
        let mut outcome = Outcome {
            release: operations.release,
            acquire: operations.acquire,
            signal: signals.first().map_or(0, |&signal| signal),
            errors: host.errors(),
            ..Outcome::default()
        };
        if let Some(started) = started {
            let share = |(chiplet, first, groups)| Share { chiplet, first, groups };
            outcome.tag = Some(started.tag);
            outcome.shares = started.shares.into_iter().map(share).collect();
        }
        outcome
    }
}

impl<H: Host> Synchroniser for Firmware<H> {
    fn launch(&mut self, dispatch: &Dispatch) -> Outcome {
        let conservative = self.counters()[7];
        let mut extension = dispatch.extension.to_vec();
        if dispatch.truncated {
            extension.resize(TOO_LONG, 0);
        }
        let Dispatch { packet, stream, chiplets, .. } = dispatch;
        self.driver.host.submit(packet, &extension, *stream, *chiplets);
        let mut outcome = self.settle();
        outcome.conservative = self.counters()[7] != conservative;
        outcome.rejected = outcome.tag.is_none() && !outcome.errors.is_empty();
        outcome
    }

    fn done_on(&mut self, tag: u8, chiplets: u16) {
        self.driver.done_on(tag, chiplets);
        let outcome = self.settle();
        assert_eq!(outcome, Outcome::default(), "a kernel still runs on some chiplets");
    }

    fn finish(&mut self, tag: u8) -> Outcome {
        if !self.driver.runs(tag) {
            return Outcome::default();
        }
        self.driver.done(tag);
        self.settle()
    }

    fn image(&self) -> Vec<u8> {
        let words = &self.driver.host.private()[..self.words];
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn every(&self) -> Option<bool> {
        self.driver.host.every()
    }

    fn counters(&self) -> [u32; 16] {
        let mut counters = self.driver.host.counters();
        // Cycles.
        counters[8] = 0;
        counters
    }
}
