//! Turn-based spatiotemporal coherence (STC, TACO 20(3) art. 33; STC specification): an epoch
//! manager in the GPU, an epoch agent before each L1, and an L1 that obeys them.

mod agent;
mod cache;
mod counted;
mod manager;
mod parameters;
mod slots;
mod systems;

use ports::message;

use crate::config::memory_model::Fences;
use crate::config::registry::registered;
use crate::l1::{Design, SRC};
pub use parameters::SECTION;
use parameters::check;

const NV: Design = Design {
    name: "stc-nv",
    about: "STC: epochs in a fixed order; an L1 keeps lines outside the granted epoch",
    fences: Fences::Gpu,
    sections: &[SECTION],
    asks_policy: false,
    check,
    core: agent::new,
    unit: Some(manager::new),
    ..SRC
};
const ES: Design =
    Design { name: "stc-es", about: "as `stc-nv`; epochs without a demand are skipped", ..NV };
const AB: Design = Design {
    name: "stc-ab",
    about: "as `stc-es`; conflicts move the address bits that select the \
                                     epoch",
    ..NV
};
const MB: Design = Design {
    name: "stc-mb",
    about: "as `stc-ab`; several epochs are granted at \
                                                    once",
    ..NV
};

inventory::submit! { registered(NV) }
inventory::submit! { registered(ES) }
inventory::submit! { registered(AB) }
inventory::submit! { registered(MB) }

message! {
    /// What an agent sees of the manager (specification 3.1).
    struct Down(bands: u32) {
        dmd_ack: bool = 1,
        prep: bool = 1,
        chg: bool = 1,
        chg_info: ports::stc::types::Epoch = (bands,),
    }
}

message! {
    /// What the manager sees of an agent.
    struct Up() {
        ready: bool = 1,
        done: bool = 1,
        req_valid: bool = 1,
        req: ports::stc::types::Req = (),
    }
}
