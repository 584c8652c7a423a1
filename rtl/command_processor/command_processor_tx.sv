`include "duet_assert.svh"

/// Queue of messages to the crossbar. The core appends in the processor's cycles, the crossbar takes in any: a message
/// that is appended at an edge shows in the cycle of `clk_i` after it (README.md, rules 20 to 24).
module command_processor_tx
  import command_pkg::*;
#(
  localparam int unsigned CountW = $clog2(TxQueue + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              push_i,  // only while free_o is not 0
  input  tx_t               push_tx_i,
  output logic [CountW-1:0] free_o,  // free places
  output logic              tx_valid_o,
  input  logic              tx_ready_i,
  output tx_t               tx_o
);
  localparam int unsigned PtrW = $clog2(TxQueue);

  tx_t               mem_q [TxQueue];  // not reset: count_q says what means something
  logic [PtrW-1:0]   wr_d, wr_q, rd_d, rd_q;
  logic [CountW-1:0] count_d, count_q;
  logic              pop;

  assign tx_valid_o = (count_q != '0);
  assign tx_o       = mem_q[rd_q];
  assign free_o     = CountW'(TxQueue) - count_q;
  assign pop        = tx_valid_o && tx_ready_i;

  // Pointers wrap: the number of places is a power of 2.
  assign wr_d    = wr_q + PtrW'(push_i);
  assign rd_d    = rd_q + PtrW'(pop);
  assign count_d = count_q + CountW'(push_i) - CountW'(pop);

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
    if (push_i) mem_q[wr_q] <= push_tx_i;
  end

  `DUET_ASSERT(NoOverflow, !push_i || free_o != '0, "message pushed into a full TX queue")
  `DUET_ASSERT_STABLE(TxStable, tx_valid_o, tx_ready_i, tx_o)
endmodule
