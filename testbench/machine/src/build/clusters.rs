//! Where several CUs share a combiner: it stands between them and the networks of their chiplet.

use super::part::Part;
use super::wiring::{Net, Wiring};
use crate::context::layout::Site;
use crate::context::message::Unit;
use crate::engine::{ComponentId, InletId, OutletId};
use crate::l1::combiner::{self, Combiner, StoreSpec};

/// What a combiner stands between.
#[derive(Debug)]
pub struct Cluster {
    ports: combiner::Ports,
    /// Each CU's end: what it sends to, and what it receives from.
    cores: Vec<(OutletId, InletId)>,
}

impl Wiring<'_> {
    /// The combiners of all chiplets, in the order of their numbers.
    pub(super) fn take_combiners(&mut self) -> impl Iterator<Item = Part> {
        let all = std::mem::take(&mut self.combiners);
        all.into_iter().map(|cluster| Part::Combiner(Box::new(Combiner::new(cluster.ports))))
    }

    /// CUs that share a combiner; 0: there are none.
    pub(super) fn cluster(&self) -> u16 {
        let layout = &self.numbers.layout;
        u16::try_from(self.numbers.combiners)
            .map_or(0, |n| layout.cores.checked_div(n).unwrap_or(0))
    }

    /// Connects the CUs of a chiplet with their combiners, which take the CUs' ends of networks.
    pub(super) fn combine(&mut self, chiplet: u16) {
        let (layout, cluster) = (self.numbers.layout.clone(), self.cluster());
        for number in 0..self.numbers.combiners {
            let own = self.numbers.combiner(chiplet, number);
            let first = number as u16 * cluster;
            let unit = layout.core(chiplet, first);
            let below = self.outlet(Net::Request, chiplet, unit);
            let answers = self.inlet(Net::Answer, chiplet, unit);
            let n = &self.system.network;
            let interval = n.combine_store_cycles.millionths();
            let capacity = n.queue as usize;
            let stores = (interval > 0).then_some(StoreSpec { interval, capacity });
            let window = n.combine_cycles.into();
            let cores = Vec::new();
            let mut ports = combiner::Ports { first: unit, window, stores, cores, below, answers };
            let mut cores = Vec::new();
            for unit in (first..first + cluster).map(|core| layout.core(chiplet, core)) {
                let (core, name) = (self.numbers.unit(unit), layout.name(unit));
                let queue = self.system.network.queue + self.system.network.latency;
                let rate = self.port(Net::Request, unit);
                let to = self.channel_with(format!("{name}.request"), (core, own), 1, queue, rate);
                let rate = self.port(Net::Answer, unit);
                let name = format!("{name}.combiner.answer");
                let from = self.channel_with(name, (own, core), 1, queue, rate);
                ports.cores.push(combiner::CorePort { requests: to.1, answers: from.0 });
                cores.push((to.0, from.1));
            }
            self.combiners.push(Cluster { ports, cores });
        }
    }

    /// A CU's ends of its combiner, where it has one, instead of those of networks.
    pub(super) fn combined(&self, net: Net, unit: Unit) -> Option<(OutletId, InletId)> {
        let Site::Core(chiplet, core) = self.numbers.layout.site(unit) else { return None };
        let cluster = self.cluster();
        let number = core.checked_div(cluster)?;
        debug_assert!(matches!(net, Net::Request | Net::Answer), "CUs are in these networks");
        let at = usize::from(chiplet) * self.numbers.combiners as usize + usize::from(number);
        Some(self.combiners.get(at)?.cores[usize::from(core % cluster)])
    }

    /// The combiner of a CU, where it has one, and whether the CU is the first of those that share
    /// it.
    pub(super) fn combiner_of(&self, unit: Unit) -> Option<(ComponentId, bool)> {
        let Site::Core(chiplet, core) = self.numbers.layout.site(unit) else { return None };
        let cluster = self.cluster();
        let number = core.checked_div(cluster)?;
        Some((self.numbers.combiner(chiplet, number.into()), core % cluster == 0))
    }
}
