`include "duet_assert.svh"

/// Queue of messages from the crossbar. A message that is accepted in cycle t can be the head from t+1 on (README.md,
/// rule 1).
module local_command_processor_queue
  import command_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  input  logic rx_valid_i,
  output logic rx_ready_o,
  input  msg_t rx_i,
  output logic head_valid_o,
  output msg_t head_o,
  input  logic pop_i         // the head leaves
);
  localparam int unsigned PtrW   = $clog2(LocalQueue);
  localparam int unsigned CountW = $clog2(LocalQueue + 1);

  msg_t              mem_q [LocalQueue];  // not reset: count_q says what means something
  logic [PtrW-1:0]   wr_d, wr_q, rd_d, rd_q;
  logic [CountW-1:0] count_d, count_q;
  logic              push;

  assign rx_ready_o   = (32'(count_q) < LocalQueue);
  assign head_valid_o = (count_q != '0);
  assign head_o       = mem_q[rd_q];
  assign push         = rx_valid_i && rx_ready_o;

  // Pointers wrap: the number of places is a power of 2.
  assign wr_d    = wr_q + PtrW'(push);
  assign rd_d    = rd_q + PtrW'(pop_i);
  assign count_d = count_q + CountW'(push) - CountW'(pop_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wr_q    <= '0;
      rd_q    <= '0;
      count_q <= '0;
    end else begin
      wr_q    <= wr_d;
      rd_q    <= rd_d;
      count_q <= count_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) mem_q[wr_q] <= rx_i;
  end

  `DUET_ASSERT(NoUnderflow, !pop_i || head_valid_o, "head of an empty queue taken")
endmodule
