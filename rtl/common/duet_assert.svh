// Assertions: one text for simulation (Verilator --assert) and for proof (a boolean with $past and
// `!a || b`). They stand at the foot of a module. Macro arguments begin with __, because Verilator
// replaces them inside strings too.
//
// Synthesis defines SYNTHESIS. It sees no assertion, and nothing that only assertions need: that
// stands between `ifdef DUET_SIMULATION and `endif. Verilator simulates whatever is defined: for
// command_processor SYNTHESIS is, as Ibex's own checks go by it (ibex.f).
`ifndef DUET_ASSERT_SVH
`define DUET_ASSERT_SVH

`ifndef SYNTHESIS
`define DUET_SIMULATION
`elsif VERILATOR
`define DUET_SIMULATION
`endif

`ifdef DUET_SIMULATION
// `__prop` holds at every rising edge outside reset; `__why` is for whoever broke it.
`define DUET_ASSERT(__name, __prop, __why) \
  __name: assert property (@(posedge clk_i) disable iff (!rst_ni) (__prop)) \
    else $error("%s", __why);

// The same of what an array holds. yosys cannot read that where arrays are memories.
`ifdef DUET_MEMORIES
`define DUET_ASSERT_OF_ARRAY(__name, __prop, __why)
`else
`define DUET_ASSERT_OF_ARRAY(__name, __prop, __why) `DUET_ASSERT(__name, __prop, __why)
`endif

// What a module's user owes it: a proof of the module alone assumes it (prove.py). DUET_PROMISE is
// for what no simulation checks.
`ifdef DUET_PROVE
`define DUET_ASSUME(__name, __prop, __why) \
  __name: assume property (@(posedge clk_i) disable iff (!rst_ni) (__prop));
`define DUET_PROMISE(__name, __prop) `DUET_ASSUME(__name, __prop, "")
`else
`define DUET_ASSUME(__name, __prop, __why) `DUET_ASSERT(__name, __prop, __why)
`define DUET_PROMISE(__name, __prop)
`endif

// An input is static from reset.
`define DUET_PROMISE_STATIC(__name, __input) \
  `DUET_PROMISE(__name, !$past(rst_ni) || (__input) == $past(__input))

// A channel's valid and payload hold until they are taken.
`define DUET_ASSERT_STABLE(__name, __valid, __ready, __data) \
  `DUET_ASSERT(__name``Valid, !$past((__valid) && !(__ready)) || (__valid), \
               "valid fell before ready") \
  `DUET_ASSERT(__name``Data, !$past((__valid) && !(__ready)) || (__data) == $past(__data), \
               "payload changed before ready")

// A parameter is legal; checked when simulation starts.
`define DUET_ASSERT_PARAM(__name, __cond, __why) \
  initial begin : __name assert (__cond) else $fatal(1, "%s", __why); end
`else
`define DUET_ASSERT(__name, __prop, __why)
`define DUET_ASSERT_OF_ARRAY(__name, __prop, __why)
`define DUET_ASSUME(__name, __prop, __why)
`define DUET_PROMISE(__name, __prop)
`define DUET_PROMISE_STATIC(__name, __input)
`define DUET_ASSERT_STABLE(__name, __valid, __ready, __data)
// An illegal parameter ends the elaboration.
`define DUET_ASSERT_PARAM(__name, __cond, __why) \
  if (!(__cond)) begin : __name $fatal(1, __why); end
`endif

`endif
