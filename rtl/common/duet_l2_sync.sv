`include "duet_assert.svh"

/// A release or an acquire of an L2 bank: which set it is at.
module duet_l2_sync  // rule: gtsc_l2 9
  import timestamp_pkg::*;
#(
  parameter int unsigned Sets = 128,
  localparam int unsigned SetW = (Sets > 1) ? $clog2(Sets) : 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            sync_valid_i,
  input  logic            sync_i,
  output logic            sync_ready_o,
  output logic            sync_done_o,  // pulse
  output logic            busy_o,       // one is under way
  output logic            acquire_o,    // an acquire
  output logic [SetW-1:0] set_o,        // 0 while none is
  output logic            last_o,       // it is the last set
  input  logic            pass_i        // the set is passed
);
  logic            busy_d, busy_q, kind_q, done_q;
  logic [SetW-1:0] set_d, set_q;
  logic            start;

  assign start = sync_valid_i && !busy_q;

  always_comb begin : next_state
    busy_d = busy_q;
    set_d  = set_q;
    if (start) busy_d = 1'b1;
    if (pass_i) begin
      busy_d = !last_o;
      set_d  = last_o ? '0 : set_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      done_q <= 1'b0;
      set_q  <= '0;
    end else begin
      busy_q <= busy_d;
      done_q <= pass_i && last_o;
      set_q  <= set_d;
    end
  end

  // busy_q covers it.
  always_ff @(posedge clk_i) begin
    if (start) kind_q <= sync_i;
  end

  assign sync_ready_o = !busy_q;
  assign sync_done_o  = done_q;
  assign busy_o       = busy_q;
  assign acquire_o    = (kind_q == SyncAcquire);
  assign set_o        = set_q;
  assign last_o       = (32'(set_q) == Sets - 1);

  `DUET_ASSERT(PassBusy, !pass_i || busy_q, "set passed while nothing is under way")
endmodule
