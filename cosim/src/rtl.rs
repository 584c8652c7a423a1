//! The Verilated body of a block.

use std::fmt::{self, Write};

use bodies::ffi;
use bodies::{Request, Variant};
use cxx::UniquePtr;
use hwmodel::{Block, Model};
use ports::{Ports, image_words};

use crate::report::differences;

pub use bodies::VerilatedError as RtlError;

/// What a body is to be beside its block and parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RtlOptions {
    /// The variant.
    pub variant: Variant,
    /// Registers hold random values of this seed before the first reset; 0 in all where it is 0.
    pub registers: u32,
}

/// An RTL body behind the same ports as model `M`.
pub struct Rtl<M: Model> {
    config: M::Config,
    input: Vec<u32>,
    /// Outputs after the last edge.
    output: Vec<u32>,
    /// Outputs before it.
    before: Vec<u32>,
    /// What failed assertions have printed.
    messages: String,
    failed: bool,
    /// Outputs before an edge, with its inputs: those of the check of registered outputs.
    settled: Vec<u32>,
    /// Cycles since reset.
    cycles: u64,
    is_flipped: bool,
    body: UniquePtr<ffi::Body>,
}

/// Cycles after reset in which outputs are checked to be functions of registers, and of the later
/// ones one in this many: what is combinational shows soon, and an evaluation takes time.
const CHECKED: u64 = 4096;
const CHECKED_LATER: u64 = 64;

impl<M: Model> Rtl<M> {
    /// The body with these parameters, after reset; built first where it is not in the cache.
    /// Errors: it cannot be built.
    pub fn new(config: &M::Config) -> Result<Self, RtlError> {
        Self::with(config, &RtlOptions::default())
    }

    /// Likewise, as the options say.
    pub fn with(config: &M::Config, options: &RtlOptions) -> Result<Self, RtlError> {
        let request = Request::new(M::describe(config), options.variant.clone());
        let input = vec![0; image_words(&request.block.inputs)];
        let output = vec![0; image_words(&request.block.outputs)];
        // Verilator takes 31 bits.
        let seed = (options.registers & 0x7fff_ffff) as i32;
        let body = bodies::body(&request)?.make(seed);
        let (config, messages) = (config.clone(), String::new());
        let mut rtl = Self {
            config,
            input,
            before: output.clone(),
            settled: output.clone(),
            output,
            messages,
            failed: false,
            cycles: 0,
            is_flipped: false,
            body,
        };
        rtl.reset();
        Ok(rtl)
    }

    /// Holds the reset for two edges while the inputs of the last cycle stand.
    pub fn reset(&mut self) {
        self.cycles = 0;
        ffi::reset(self.body.pin_mut(), &self.input, &mut self.output);
        self.collect_messages();
    }

    /// Inverts bit `bit` of word `word` of the output image until the next edge: a self-test of
    /// the comparison.
    pub fn flip(&mut self, word: usize, bit: u32) {
        self.output[word] ^= 1 << bit;
        self.is_flipped = true;
    }

    /// What the outputs would show with these inputs and no clock edge. Equal to `outputs()` in a
    /// block whose outputs are registered.
    pub fn settle(&mut self, inputs: &M::In) -> M::Out {
        inputs.store(&self.config, &mut self.input);
        let mut output = self.output.clone();
        ffi::settle(self.body.pin_mut(), &self.input, &mut output);
        M::Out::load(&self.config, &output)
    }

    /// A tick, and whether the outputs of it are these.
    #[inline]
    pub(crate) fn tick_and_compare(&mut self, inputs: &M::In, expected: &M::Out) -> bool {
        self.drive(inputs);
        let equal = expected.equals(&self.config, &self.output);
        self.edge();
        equal
    }

    /// The outputs of the last tick.
    pub(crate) fn last_outputs(&self) -> M::Out {
        M::Out::load(&self.config, &self.before)
    }

    /// Keeps the images of the last tick; of the outputs it takes the other image in exchange.
    #[inline]
    pub(crate) fn keep_last(&mut self, input: &mut [u32], output: &mut Vec<u32>) {
        input.copy_from_slice(&self.input);
        std::mem::swap(output, &mut self.before);
    }

    /// Gives the inputs to the image. Between the words that this stores and C++'s wider loads of
    /// the same words lies what the caller does with the outputs: the processor cannot forward a
    /// store to a wider load, and would wait.
    #[inline(always)]
    fn drive(&mut self, inputs: &M::In) {
        inputs.store(&self.config, &mut self.input);
    }

    /// The clock edge.
    #[inline]
    fn edge(&mut self) {
        if (self.cycles < CHECKED || self.cycles.is_multiple_of(CHECKED_LATER)) && !self.is_flipped
        {
            self.check_registered();
        }
        (self.cycles, self.is_flipped) = (self.cycles + 1, false);
        std::mem::swap(&mut self.output, &mut self.before);
        if ffi::tick(self.body.pin_mut(), &self.input, &mut self.output) {
            self.collect_messages();
        }
    }

    /// Checks that the outputs do not follow inputs of the same cycle: a comparison of registered
    /// outputs would see them a cycle late, and could pass.
    fn check_registered(&mut self) {
        self.settled.copy_from_slice(&self.output);
        ffi::settle(self.body.pin_mut(), &self.input, &mut self.settled);
        if self.settled != self.output {
            self.report_combinational();
        }
    }

    #[cold]
    fn report_combinational(&mut self) {
        let block = M::describe(&self.config);
        let fields = differences(&block.outputs, &self.output, &self.settled);
        let fields: Vec<_> = fields.iter().map(|difference| difference.field.as_str()).collect();
        if let [first, ..] = fields[..] {
            self.messages += &format!(
                "%Error: Assertion failed in {}.RegisteredOutputs: outputs must be functions of \
                 registers; an input changes {first} in the same cycle{}\n",
                M::NAME,
                if fields.len() > 1 { ", and others" } else { "" }
            );
            self.failed = true;
        }
    }

    /// What failed assertions have printed so far; empty while none has failed.
    pub fn messages(&self) -> &str {
        &self.messages
    }

    /// From now on the body's signals are added to [`Rtl::take_trace`] in each cycle, or no longer.
    /// False in a body that was not built for it.
    pub fn set_trace(&mut self, on: bool) -> bool {
        ffi::set_trace(self.body.pin_mut(), on)
    }

    /// The text of a VCD since the last call: its header once, then the changes of each cycle.
    pub fn take_trace(&mut self) -> String {
        ffi::take_trace(self.body.pin_mut())
    }

    /// The header of that text, where the body was built for it.
    pub fn trace_header(&mut self) -> Option<String> {
        let has_trace = self.set_trace(true);
        let header = self.take_trace();
        self.set_trace(false);
        has_trace.then_some(header)
    }

    /// Not on the path of a cycle in which nothing is wrong.
    #[cold]
    fn collect_messages(&mut self) {
        let told = ffi::take_messages(self.body.pin_mut());
        // Verilator begins each with its own count of time; cycles are counted elsewhere.
        let line = |line: &str| match line.strip_prefix('[').and_then(|rest| rest.split_once("] "))
        {
            Some((time, rest)) if time.bytes().all(|b| b.is_ascii_digit()) => rest.to_string(),
            _ => line.to_string(),
        };
        told.lines().for_each(|text| self.messages += &(line(text) + "\n"));
        self.failed |= ffi::errors(&self.body) > 0;
    }
}

impl<M: Model> Block for Rtl<M> {
    type In = M::In;
    type Out = M::Out;

    fn outputs(&self) -> M::Out {
        M::Out::load(&self.config, &self.output)
    }

    fn tick(&mut self, inputs: &M::In) -> M::Out {
        self.drive(inputs);
        let outputs = M::Out::load(&self.config, &self.output);
        self.edge();
        outputs
    }

    fn failed(&self) -> bool {
        self.failed
    }

    fn write_failure(&self, report: &mut dyn Write) -> fmt::Result {
        if self.failed { write!(report, "{}", self.messages) } else { Ok(()) }
    }
}
