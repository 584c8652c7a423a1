`include "duet_assert.svh"

/// Lets all leases begin anew while rst_i is 1, one set after the other (specification 5.5).
module gtsc_l2_sweep #(  // rule: 5
  parameter int unsigned Sets = 128,
  localparam int unsigned SetW = (Sets > 1) ? $clog2(Sets) : 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            rst_i,
  output logic            rst_done_o,
  output logic            begin_o,  // the first cycle
  output logic            sweep_o,  // the set is written
  output logic [SetW-1:0] set_o,
  output logic [1:0]      rep_o     // own generation
);
  logic            on_q;            // rst_i of the cycle before
  logic            done_d, done_q;
  logic [SetW-1:0] set_d, set_q;    // written next
  logic [1:0]      rep_q;

  assign begin_o = rst_i && !on_q;
  assign sweep_o = rst_i && (begin_o || !done_q);
  assign set_o   = begin_o ? '0 : set_q;

  always_comb begin : next_state
    set_d  = set_q;
    done_d = done_q && rst_i;
    if (sweep_o) begin
      set_d  = set_o + 1'b1;
      done_d = (32'(set_o) == Sets - 1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      on_q   <= 1'b0;
      done_q <= 1'b0;
      rep_q  <= '0;
    end else begin
      on_q   <= rst_i;
      done_q <= done_d;
      if (begin_o) rep_q <= rep_q + 2'd1;  // rule: Registers _sweep
    end
  end

  // Written by the first cycle of each sweep.
  always_ff @(posedge clk_i) set_q <= set_d;

  assign rst_done_o = done_q;  // rule: Ports rst_i
  assign rep_o      = rep_q;  // rule: Registers _sweep

  `DUET_ASSERT(DoneInSweep, !done_q || on_q, "sweep complete that has not begun")
endmodule
