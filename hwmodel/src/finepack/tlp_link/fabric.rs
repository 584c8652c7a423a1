//! The links of all GPUs and the switch between them. Wiring only.

use ports::ConfigError;
use ports::finepack::types::Tlp;

use super::counters::Counters;
use super::link::{Config, In, Sent, TlpLink};
use super::switch::Switch;
use crate::common::bits::ones;

/// One link for each GPU and the switch. A link is ticked only in cycles in which something happens
/// on it.
#[derive(Clone, Debug)]
pub struct Fabric {
    links: Vec<TlpLink>,
    switch: Switch,
    now: u64,
    due: Vec<u64>, // cycle of the next event on each link, without a new beat
    next: u64,     // the first of these
    shown: Vec<Option<Tlp>>,
}

impl Fabric {
    /// Links and switch for `gpus` GPUs; the switch holds as many beats for each pair of GPUs as a
    /// link's input buffer.
    pub fn new(gpus: usize, cfg: &Config) -> Result<Self, ConfigError> {
        Ok(Self {
            links: (0..gpus).map(|g| TlpLink::new(cfg, g as u8)).collect::<Result<_, _>>()?,
            switch: Switch::new(gpus, cfg.input_beats as usize),
            now: 0,
            due: vec![u64::MAX; gpus],
            next: u64::MAX,
            shown: vec![None; gpus],
        })
    }

    /// The link of GPU `source` takes a beat in this cycle.
    #[inline]
    pub fn tlp_ready(&self, source: usize) -> bool {
        self.links[source].tlp_ready()
    }

    /// The beat shown to GPU `dest` in this cycle.
    #[inline]
    pub fn tlp(&self, dest: usize) -> Option<&Tlp> {
        self.switch.output(dest)
    }

    /// The GPUs to which a beat is shown in this cycle, a bit for each.
    #[inline]
    pub fn shown(&self) -> u32 {
        self.switch.shown()
    }

    /// Sums of each link up to cycle `now`, at most [`Self::quiet_cycles`] ahead.
    pub fn counters_at(&self, now: u64) -> impl Iterator<Item = Counters> {
        self.links.iter().map(move |link| link.counters_at(now))
    }

    /// Sums of each link since reset.
    pub fn counters(&self) -> impl Iterator<Item = Counters> {
        self.counters_at(self.now)
    }

    /// Each TLP is to be seen by [`Self::drain_sent`].
    pub fn observe(&mut self) {
        self.links.iter_mut().for_each(TlpLink::observe);
    }

    /// Shows the TLPs whose last byte has left since the last call, by source.
    pub fn drain_sent(&mut self, mut see: impl FnMut(&Sent)) {
        self.links.iter_mut().for_each(|link| link.drain_sent(&mut see));
    }

    /// Cycles from now on in which nothing happens without a new beat; `u64::MAX` until one comes.
    #[inline]
    pub fn quiet_cycles(&self) -> u64 {
        if !self.switch.is_empty() {
            return 0;
        }
        if self.next == u64::MAX { u64::MAX } else { self.next.saturating_sub(self.now) }
    }

    /// The same as `cycles` ticks without a beat, at most [`Self::quiet_cycles`].
    #[inline]
    pub fn skip(&mut self, cycles: u64) {
        self.now += cycles;
    }

    /// One clock edge. `tlp[s]`: beat of GPU `s`'s egress path, where bit `s` of `with_beat` is
    /// set; `ready[d]`: GPU `d` takes the beat shown to it; bit `s` of `crc_error`: injected fault
    /// on the link of GPU `s`.
    pub fn tick(&mut self, tlp: &[Option<Tlp>], with_beat: u32, ready: &[bool], crc_error: u32) {
        let mut active = with_beat;
        if self.next <= self.now {
            for (source, due) in self.due.iter().enumerate() {
                active |= u32::from(*due <= self.now) << source;
            }
        }
        let mut shown = 0;
        for source in ones(active) {
            let link = &mut self.links[source];
            link.skip(self.now - link.now());
            let dest = link.tlp().map(|beat| beat.dest);
            let tlp_ready = dest.is_some_and(|dest| self.switch.ready(source, dest.into()));
            let crc_error = crc_error >> source & 1 == 1;
            self.shown[source] = link.tick(&In { tlp: tlp[source], tlp_ready, crc_error }).tlp;
            self.due[source] = link.quiet_cycles().saturating_add(link.now());
            shown |= u32::from(dest.is_some()) << source;
        }
        if active != 0 {
            self.next = self.due.iter().copied().min().unwrap_or(u64::MAX);
        }
        if shown != 0 || !self.switch.is_empty() {
            self.switch.tick(&self.shown, shown, ready);
        }
        self.now += 1;
    }
}
