//! The links of all GPUs and the switch between them. Wiring only.

use ports::ConfigError;
use ports::common::finepack_types::Tlp;

use super::link::{Config, In, Out, TlpLink};
use super::switch::Switch;

/// One link for each GPU and the switch.
#[derive(Clone, Debug)]
pub struct Fabric {
    links: Vec<TlpLink>,
    switch: Switch,
    outs: Vec<Out>,
    shown: Vec<Option<Tlp>>,
}

impl Fabric {
    /// Links and switch for `gpus` GPUs; the switch holds as many beats for each pair of GPUs as a
    /// link's input buffer.
    pub fn new(gpus: usize, cfg: &Config) -> Result<Self, ConfigError> {
        Ok(Self {
            links: (0..gpus).map(|g| TlpLink::new(cfg, g as u8)).collect::<Result<_, _>>()?,
            switch: Switch::new(gpus, cfg.input_beats as usize),
            outs: vec![Out::default(); gpus],
            shown: vec![None; gpus],
        })
    }

    /// The link of GPU `source` takes a beat in this cycle.
    pub fn tlp_ready(&self, source: usize) -> bool {
        self.links[source].outputs().tlp_ready
    }

    /// The beat shown to GPU `dest` in this cycle.
    pub fn tlp(&self, dest: usize) -> Option<&Tlp> {
        self.switch.output(dest)
    }

    /// The links, for counters.
    pub fn links(&self) -> &[TlpLink] {
        &self.links
    }

    /// The links, for [`TlpLink::drain_sent`].
    pub fn links_mut(&mut self) -> &mut [TlpLink] {
        &mut self.links
    }

    /// True when no TLP is anywhere between the GPUs.
    pub fn is_empty(&self) -> bool {
        self.switch.is_empty() && self.links.iter().all(TlpLink::is_empty)
    }

    /// Lets `cycles` cycles pass in which no TLP is anywhere, as so many ticks would.
    pub fn skip(&mut self, cycles: u64) {
        self.links.iter_mut().for_each(|link| link.skip(cycles));
    }

    /// One clock edge. `tlp[s]`: beat of GPU `s`'s egress path; `ready[d]`: GPU `d` takes the beat
    /// shown to it; bit `s` of `crc_error`: injected fault on the link of GPU `s`.
    pub fn tick(&mut self, tlp: &[Option<Tlp>], ready: &[bool], crc_error: u32) {
        for (link, out) in self.links.iter().zip(&mut self.outs) {
            *out = link.outputs();
        }
        for (source, link) in self.links.iter_mut().enumerate() {
            let shown = self.outs[source].tlp;
            let tlp_ready = shown.is_some_and(|b| self.switch.ready(source, b.dest.into()));
            let crc_error = crc_error >> source & 1 == 1;
            link.tick(&In { tlp: tlp[source], tlp_ready, crc_error });
            self.shown[source] = shown;
        }
        self.switch.tick(&self.shown, ready);
    }
}
