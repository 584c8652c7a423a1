`include "duet_assert.svh"

/// First in, first out: one write and one read port. What is pushed in cycle t can be the head from
/// t+1 on.
module duet_fifo #(
  parameter type          T      = logic,
  parameter int unsigned  Depth  = 4,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              push_i,  // only while count_o < Depth
  input  T                  data_i,
  input  logic              pop_i,   // only while count_o is not 0
  output T                  head_o,  // the oldest; means nothing while count_o is 0
  output logic [CountW-1:0] count_o  // values held
);
  localparam int unsigned PtrW = (Depth > 1) ? $clog2(Depth) : 1;

  T                  mem_q [Depth];  // not reset: count_q says what means something
  logic [PtrW-1:0]   wr_d, wr_q, rd_d, rd_q;
  logic [CountW-1:0] count_d, count_q;

  assign head_o  = mem_q[rd_q];
  assign count_o = count_q;

  function automatic logic [PtrW-1:0] after(logic [PtrW-1:0] ptr);
    return (32'(ptr) == Depth - 1) ? '0 : ptr + 1'b1;
  endfunction
  always_comb begin : next_state
    wr_d    = push_i ? after(wr_q) : wr_q;
    rd_d    = pop_i ? after(rd_q) : rd_q;
    count_d = count_q + CountW'(push_i) - CountW'(pop_i);
  end

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
    if (push_i) mem_q[wr_q] <= data_i;
  end

  `DUET_ASSERT(NoOverflow, !push_i || 32'(count_q) < Depth, "push into a full FIFO")
  `DUET_ASSERT(NoUnderflow, !pop_i || count_q != '0, "pop of an empty FIFO")
endmodule
