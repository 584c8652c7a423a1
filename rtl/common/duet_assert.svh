// Assertions: one text for simulation (Verilator --assert) and for proof (a boolean with $past and
// `!a || b`). They stand at the foot of a module. Macro arguments begin with __, because Verilator
// replaces them inside strings too.
`ifndef DUET_ASSERT_SVH
`define DUET_ASSERT_SVH

// `__prop` holds at every rising edge outside reset; `__why` is for whoever broke it.
`define DUET_ASSERT(__name, __prop, __why) \
  __name: assert property (@(posedge clk_i) disable iff (!rst_ni) (__prop)) \
    else $error("%s", __why);

// A channel's valid and payload hold until they are taken.
`define DUET_ASSERT_STABLE(__name, __valid, __ready, __data) \
  `DUET_ASSERT(__name``Valid, !$past((__valid) && !(__ready)) || (__valid), \
               "valid fell before ready") \
  `DUET_ASSERT(__name``Data, !$past((__valid) && !(__ready)) || (__data) == $past(__data), \
               "payload changed before ready")

// A parameter is legal; checked when simulation starts.
`define DUET_ASSERT_PARAM(__name, __cond, __why) \
  initial begin : __name assert (__cond) else $fatal(1, "%s", __why); end

`endif
