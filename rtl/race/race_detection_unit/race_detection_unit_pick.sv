`include "duet_assert.svh"

/// Which SM's request goes next: SMs take turns (specification 5.2).
module race_detection_unit_pick #(  // rule: States pick
  parameter int unsigned NSm = 16,
  localparam int unsigned SmW = $clog2(NSm)
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           pick_i,   // there is room for one
  input  logic [NSm-1:0] ready_i,  // SMs that have one
  output logic           valid_o,  // one is picked
  output logic [SmW-1:0] sm_o      // whose
);
  logic [SmW-1:0] next_d, next_q;  // the first to be asked
  logic [NSm-1:0] behind, from, lowest;

  always_comb begin : search
    behind  = '0;
    from    = '0;
    lowest  = '0;
    sm_o    = '0;
    valid_o = pick_i && ready_i != '0;
    next_d  = next_q;
    if (valid_o) begin
      behind = ready_i & ({NSm{1'b1}} << next_q);
      from   = (behind != '0) ? behind : ready_i;
      lowest = from & (~from + 1'b1);
      for (int unsigned i = 0; i < NSm; i++) if (lowest[i]) sm_o |= SmW'(i);
      next_d = (32'(sm_o) == NSm - 1) ? '0 : sm_o + 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) next_q <= '0;
    else         next_q <= next_d;
  end

  `DUET_ASSERT(NextRange, 32'(next_q) < NSm, "turn of an SM that is not there")
endmodule
