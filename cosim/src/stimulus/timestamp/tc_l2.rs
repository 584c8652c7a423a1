//! Requests, memory and a policy for an L2 bank of TC.

use hwmodel::timestamp::tc_l2::TcL2;
use hwmodel::{Block, Model};
use ports::timestamp::tc_l2::{Config, In, Out};
use ports::timestamp::types::{TC_TS_W, Timestamp};

use crate::blocks;
use crate::stimulus::timestamp::timestamp_l2::{Around, Shown, Sizes};
use crate::stimulus::{NewStimulus, Reached, Statics, Stimulus};

crate::pair!(TcL2: ports::timestamp::types::Timestamp);

inventory::submit! { blocks::entry::<Inputs>("TC: an L2 bank with leases in cycles") }

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    around: Around,
    /// Says what the bank does.
    shadow: TcL2,
}

fn shadow(config: &Config) -> TcL2 {
    TcL2::new(config).expect("legal parameters")
}

impl Stimulus for Inputs {
    type Model = TcL2;

    fn restart(&mut self, cycles: u64) {
        self.around.restart(cycles);
        self.shadow = shadow(&self.config);
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
        let driven = self.around.inputs(&shown, 0);
        let input = In {
            bus_req: driven.bus_req,
            bus_rsp_ready: driven.bus_rsp_ready,
            dram_req_ready: driven.dram_req_ready,
            dram_rsp: driven.dram_rsp,
            sync: driven.sync,
            policy: driven.policy,
            pick: driven.pick,
        };
        self.shadow.tick(&input);
        self.around.did(self.shadow.did());
        self.around.counted(out.cnt.stall_lease);
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
        let Config { n_sm, line, line_w, l2_banks, proto, tc_lease, .. } = *config;
        let Config { l2_sets, l2_ways, l2_mshr, l2_wait, l2_div, .. } = *config;
        let own = Timestamp { n_sm, line, line_w, l2_banks, proto, tc_lease, ..Timestamp::LEGAL };
        let all = Timestamp { l2_sets, l2_ways, l2_mshr, l2_wait, l2_div, ..own };
        Self {
            config: config.clone(),
            around: Around::new(Sizes { all, is_tc: true, ts_w: TC_TS_W }, seed),
            shadow: shadow(config),
        }
    }
}
