`include "duet_assert.svh"

/// Takes messages from the global command processor and injects each into the links of its
/// destinations: one destination per cycle, lowest first, from the cycle of its acceptance on; a
/// broadcast into all at once (README.md, rules 1 to 6, 12).
module cp_crossbar_inject  // rule: 3
  import cpelide_pkg::*;
#(
  parameter int unsigned Chiplets = 4
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                tx_valid_i,
  output logic                tx_ready_o,
  input  tx_t                 tx_i,
  // links
  input  logic [Chiplets-1:0] full_i,
  input  logic                nack_full_i,
  output logic [Chiplets-1:0] push_o,
  output logic                bcast_o,      // what is pushed is a broadcast
  output msg_t                msg_o,        // its chiplet is still the sender's
  output logic                nack_push_o,
  output msg_t                nack_o,
  // err: pulse
  output logic                err_valid_o
);
  localparam logic [15:0] All = 16'((32'd1 << Chiplets) - 1);

  typedef struct packed {
    logic [15:0] rest;   // destinations that are left of the message held
    logic        bcast;  // it is a broadcast
    msg_t        msg;
    logic        err;
  } regs_t;
  regs_t regs_d, regs_q;

  assign tx_ready_o = (regs_q.rest == '0);  // rule: 1
  wire accept = tx_valid_i && tx_ready_o;  // rule: 1

  // The message at work: the one held, or the one that is accepted.
  logic        bcast;
  logic [15:0] rest, lowest, done;
  logic [3:0]  number;  // of the lowest destination
  msg_t        msg;
  always_comb begin : at_work
    rest  = regs_q.rest;
    bcast = regs_q.bcast;
    msg   = regs_q.msg;
    if (tx_ready_o) begin
      rest  = tx_valid_i ? tx_i.dst : '0;
      bcast = tx_i.bcast && tx_i.dst == All;  // rule: 2
      msg   = tx_i.msg;
    end
    lowest = rest & (~rest + 16'd1);
    number = '0;
    for (int unsigned c = 0; c < 16; c++) if (lowest[c]) number |= 4'(c);  // rule: 6
  end

  always_comb begin : inject
    done        = '0;
    push_o      = '0;
    nack_push_o = 1'b0;
    if (bcast) begin  // rule: 4
      if (full_i == '0) done = rest;
      push_o = Chiplets'(done);
    end else if ((lowest & All) != '0) begin
      if ((lowest & 16'(full_i)) == '0) done = lowest;  // rule: 4; 8
      push_o = Chiplets'(done);
    end else if (lowest != '0 && !nack_full_i) begin  // rule: 6
      done        = lowest;
      nack_push_o = 1'b1;
    end
  end

  assign bcast_o = bcast;
  assign msg_o   = msg;
  assign nack_o  = '{  // rule: 6
      kind: KindNack, chiplet: number, tag: msg.tag, a: 16'(ErrAbsentChiplet), b: '0
  };

  always_comb begin : next_state
    regs_d       = regs_q;
    regs_d.rest  = rest & ~done;
    regs_d.bcast = bcast;  // rule: 2
    regs_d.msg   = msg;
    regs_d.err   = accept && tx_i.bcast && tx_i.dst != All;  // rule: 12; 2
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) regs_q <= '0;
    else         regs_q <= regs_d;
  end

  assign err_valid_o = regs_q.err;  // rule: 12

  `DUET_ASSERT(PushedOnce, bcast || $onehot0({push_o, nack_push_o}),
               "two destinations in one cycle")
  `DUET_ASSERT(BroadcastToAll, !bcast || push_o == '0 || push_o == '1, "broadcast to some")
endmodule
