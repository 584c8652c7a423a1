`include "duet_assert.svh"

/// The processor's clock as a pattern of cycles of `clk_i`: the first `ClockOn` of each `ClockOf`
/// from reset on are enabled (README.md, rule 1).
module command_processor_clock #(  // rule: 1
  parameter int unsigned ClockOn = 5,
  parameter int unsigned ClockOf = 6
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic enabled_o
);
  localparam int unsigned PhaseW = (ClockOf > 1) ? $clog2(ClockOf) : 1;

  logic [PhaseW-1:0] phase_d, phase_q;  // number of the cycle in the pattern

  assign phase_d   = (32'(phase_q) == ClockOf - 1) ? '0 : phase_q + 1'b1;
  assign enabled_o = (32'(phase_q) < ClockOn);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) phase_q <= '0;
    else         phase_q <= phase_d;
  end

  `DUET_ASSERT(PhaseLegal, 32'(phase_q) < ClockOf, "clock pattern left")
endmodule
