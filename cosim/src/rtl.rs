//! The Verilated body of a block.

use std::fmt::{self, Write};

use hwmodel::ports::{Ports, image_words};
use hwmodel::{Block, Model};

/// Why there is no RTL body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RtlError {
    /// This build has none at all.
    #[error(
        "{block}: this build has no RTL bodies, because no Verilator was found; run `make setup` and build again, or set VERILATOR to its path"
    )]
    NoVerilator {
        /// The block that was asked for.
        block: &'static str,
    },
    /// This build has none of this block, which instantiates Ibex.
    #[error(
        "{block}: this build has no RTL body of it, because no Ibex was found; run `make setup` and build again, or set IBEX to its folder"
    )]
    NoIbex {
        /// The block that was asked for.
        block: &'static str,
    },
    /// None with these parameters.
    #[error("{block}: no RTL body was built for configuration {config}; built: {built}")]
    NotBuilt {
        /// The block that was asked for.
        block: &'static str,
        /// The configuration that was asked for.
        config: String,
        /// The configurations that there are.
        built: String,
    },
}

impl RtlError {
    /// The build has no such body for want of a tool or a package.
    pub fn is_missing_tool(&self) -> bool {
        matches!(self, Self::NoVerilator { .. } | Self::NoIbex { .. })
    }
}

/// An RTL body behind the same ports as model `M`.
pub struct Rtl<M: Model> {
    config: M::Config,
    input: Vec<u32>,
    /// Outputs after the last edge.
    output: Vec<u32>,
    /// What failed assertions have printed.
    messages: String,
    failed: bool,
    #[cfg(rtl_bodies)]
    body: cxx::UniquePtr<crate::bridge::ffi::Body>,
}

impl<M: Model> Rtl<M> {
    /// The body that was built for the named configuration, after reset. `config` must be that
    /// configuration. Errors: there is none.
    pub fn new(name: &str, config: &M::Config) -> Result<Self, RtlError> {
        let input = vec![0; image_words(&M::In::declare(config))];
        let output = vec![0; image_words(&M::Out::declare(config))];
        #[cfg(rtl_bodies)]
        {
            let body = crate::bridge::ffi::make_body(M::NAME, name);
            if body.is_null() {
                let built = crate::built_configs(M::NAME);
                if built.is_empty() {
                    return Err(RtlError::NoIbex { block: M::NAME });
                }
                let (config, built) = (name.to_string(), built.join(", "));
                return Err(RtlError::NotBuilt { block: M::NAME, config, built });
            }
            let (config, messages) = (config.clone(), String::new());
            let mut rtl = Self { config, input, output, messages, failed: false, body };
            rtl.body.pin_mut().reset(&mut rtl.output);
            Ok(rtl)
        }
        #[cfg(not(rtl_bodies))]
        {
            let _ = (name, input, output);
            Err(RtlError::NoVerilator { block: M::NAME })
        }
    }

    /// Inverts bit `bit` of word `word` of the output image until the next edge: a self-test of
    /// whoever compares.
    pub fn flip(&mut self, word: usize, bit: u32) {
        self.output[word] ^= 1 << bit;
    }

    /// What the outputs would show with these inputs and no clock edge. Equal to `outputs()` in a block
    /// whose outputs are registered.
    pub fn settle(&mut self, inputs: &M::In) -> M::Out {
        inputs.store(&self.config, &mut self.input);
        #[cfg_attr(not(rtl_bodies), allow(unused_mut))]
        let mut output = self.output.clone();
        #[cfg(rtl_bodies)]
        self.body.pin_mut().settle(&self.input, &mut output);
        M::Out::load(&self.config, &output)
    }

    /// What failed assertions have printed so far; empty while none has failed.
    pub fn messages(&self) -> &str {
        &self.messages
    }

    /// Not on the path of a cycle in which nothing is wrong.
    #[cfg(rtl_bodies)]
    #[cold]
    fn collect_messages(&mut self) {
        self.messages += &crate::bridge::ffi::take_messages();
        self.failed |= self.body.errors() > 0;
    }
}

impl<M: Model> Block for Rtl<M> {
    type In = M::In;
    type Out = M::Out;

    fn outputs(&self) -> M::Out {
        M::Out::load(&self.config, &self.output)
    }

    fn tick(&mut self, inputs: &M::In) -> M::Out {
        // Between the words that `store` writes and C++'s wider loads of the same words lies the work
        // of `load`: the processor cannot forward a store to a wider load, and would wait.
        inputs.store(&self.config, &mut self.input);
        let outputs = M::Out::load(&self.config, &self.output);
        #[cfg(rtl_bodies)]
        if self.body.pin_mut().tick(&self.input, &mut self.output) {
            self.collect_messages();
        }
        outputs
    }

    fn failed(&self) -> bool {
        self.failed
    }

    fn write_failure(&self, report: &mut dyn Write) -> fmt::Result {
        if self.failed { write!(report, "{}", self.messages) } else { Ok(()) }
    }
}
