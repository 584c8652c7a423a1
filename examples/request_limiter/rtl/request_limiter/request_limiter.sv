`include "duet_assert.svh"

/// A token bucket: lets a request pass each Period cycles, in bursts of up to Burst. The output is
/// a function of registers.
module request_limiter #(
  parameter int unsigned Burst  = 4,  // tokens, 1..16
  parameter int unsigned Period = 4   // cycles, 1..256
) (
  input  logic clk_i,
  input  logic rst_ni,
  // request: takes a token
  input  logic request_valid_i,
  output logic request_ready_o
);
  logic [4:0] tokens_q;  // requests that may pass
  logic [7:0] wait_q;    // cycles before the one in which a token is added

  logic take, refill;
  assign take   = request_valid_i && request_ready_o;  // rule: 3
  assign refill = wait_q == 0;  // rule: 4

  assign request_ready_o = tokens_q != 0;  // rule: 2

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin  // rule: 1
      tokens_q <= 5'(Burst);
      wait_q   <= 8'(Period - 1);
    end else begin
      wait_q <= refill ? 8'(Period - 1) : wait_q - 1;  // rule: 4
      if (take && !refill) begin
        tokens_q <= tokens_q - 1;  // rule: 3
      end else if (refill && !take && tokens_q != 5'(Burst)) begin
        tokens_q <= tokens_q + 1;  // rule: 5
      end
    end
  end

  `DUET_ASSERT_PARAM(BurstLegal, Burst >= 1 && Burst <= 16, "Burst must be 1..16")
  `DUET_ASSERT_PARAM(PeriodLegal, Period >= 1 && Period <= 256, "Period must be 1..256")
  `DUET_ASSERT(TokensLegal, tokens_q <= 5'(Burst), "more tokens than Burst")
endmodule
