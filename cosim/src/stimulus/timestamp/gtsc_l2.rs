//! Requests, memory, a policy and resets for an L2 bank of G-TSC.

use hwmodel::timestamp::gtsc_l2::GtscL2;
use hwmodel::{Block, Model};
use ports::timestamp::gtsc_l2::{Config, In, Out};
use ports::timestamp::types::Timestamp;

use crate::blocks;
use crate::stimulus::timestamp::timestamp_l2::{Around, Resets, Shown, Sizes};
use crate::stimulus::{NewStimulus, Reached, Statics, Stimulus};

crate::pair!(GtscL2: ports::timestamp::types::Timestamp);

inventory::submit! { blocks::entry::<Inputs>("G-TSC: an L2 bank with leases in logical time") }

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    around: Around,
    /// Says what the bank does.
    shadow: GtscL2,
    resets: Resets,
}

fn shadow(config: &Config) -> GtscL2 {
    GtscL2::new(config).expect("legal parameters")
}

impl Stimulus for Inputs {
    type Model = GtscL2;

    fn restart(&mut self, cycles: u64) {
        self.around.restart(cycles);
        self.shadow = shadow(&self.config);
        self.resets = Resets::default();
    }

    fn inputs(&mut self, out: &Out) -> In {
        let shown = Shown {
            bus_req_ready: out.bus_req_ready,
            bus_rsp: out.bus_rsp.as_ref(),
            dram_req: out.dram_req.as_ref(),
            dram_rsp_ready: out.dram_rsp_ready,
            sync_ready: out.sync_ready,
            sync_done: out.sync_done,
            ask: out.ask,
            event: out.event,
            err: out.err,
        };
        let driven = self.around.inputs(&shown, self.resets.rep());
        let (halt, rst) = self.resets.inputs(&mut self.around, out);
        let input = In {
            bus_req: driven.bus_req,
            bus_rsp_ready: driven.bus_rsp_ready,
            dram_req_ready: driven.dram_req_ready,
            dram_rsp: driven.dram_rsp,
            halt,
            rst,
            sync: driven.sync,
            policy: driven.policy,
            pick: driven.pick,
        };
        self.shadow.tick(&input);
        self.around.did(self.shadow.did());
        input
    }

    fn seen(&self) -> &dyn Reached {
        self.around.seen()
    }

    fn can_reach(&self, row: &str) -> bool {
        self.around.can_reach(row)
    }
}

impl NewStimulus for Inputs {
    fn unstarted(config: &Config, _statics: &Statics, seed: u64) -> Self {
        let Config { n_sm, ts_w, lease, line, line_w, .. } = *config;
        let Config { l2_banks, l2_sets, l2_ways, l2_mshr, l2_wait, l2_div, .. } = *config;
        let own = Timestamp { n_sm, ts_w, lease, line, line_w, l2_banks, ..Timestamp::LEGAL };
        let all = Timestamp { l2_sets, l2_ways, l2_mshr, l2_wait, l2_div, ..own };
        Self {
            config: config.clone(),
            around: Around::new(Sizes { all, is_tc: false, ts_w }, seed),
            shadow: shadow(config),
            resets: Resets::default(),
        }
    }
}
