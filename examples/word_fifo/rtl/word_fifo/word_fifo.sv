`include "duet_assert.svh"

/// A FIFO of words (README.md has the cycle rules). All outputs are functions of registers.
module word_fifo #(
  parameter int unsigned Depth     = 4,  // words, 1..16
  parameter int unsigned DataWidth = 8   // bits of a word, 1..64
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // push: words that enter
  input  logic                 push_valid_i,
  output logic                 push_ready_o,
  input  logic [DataWidth-1:0] push_data_i,
  // pop: the oldest word
  output logic                 pop_valid_o,
  input  logic                 pop_ready_i,
  output logic [DataWidth-1:0] pop_data_o,
  // words that are held
  output logic [4:0]           count_o
);
  localparam int unsigned PointerWidth = (Depth > 1) ? $clog2(Depth) : 1;

  logic [DataWidth-1:0]    word_q [Depth];
  logic [PointerWidth-1:0] write_q, read_q;  // entries of the next push and pop
  logic [4:0]              count_q;

  logic push, pop;
  assign push = push_valid_i && push_ready_o;  // rule: 2
  assign pop  = pop_valid_o && pop_ready_i;  // rule: 5

  assign push_ready_o = count_q < 5'(Depth);  // rule: 1
  assign pop_valid_o  = count_q != 0;  // rule: 4
  assign pop_data_o   = word_q[read_q];  // rule: 4
  assign count_o      = count_q;  // rule: 6

  function automatic logic [PointerWidth-1:0] after(logic [PointerWidth-1:0] pointer);
    return (32'(pointer) == Depth - 1) ? '0 : pointer + 1'b1;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin  // rule: 7
      write_q <= '0;
      read_q  <= '0;
      count_q <= '0;
    end else begin
      if (push) write_q <= after(write_q);  // rule: 3
      if (pop) read_q <= after(read_q);  // rule: 5
      count_q <= count_q + 5'(push) - 5'(pop);  // rule: 6
    end
  end

  // Not reset: count_q says which entries are valid.
  always_ff @(posedge clk_i) begin
    if (push) word_q[write_q] <= push_data_i;  // rule: 3
  end

  `DUET_ASSERT_PARAM(DepthLegal, Depth >= 1 && Depth <= 16, "Depth must be 1..16")
  `DUET_ASSERT_PARAM(DataWidthLegal, DataWidth >= 1 && DataWidth <= 64, "DataWidth must be 1..64")
  `DUET_ASSERT_STABLE(PopStable, pop_valid_o, pop_ready_i, pop_data_o)
  `DUET_ASSERT(CountLegal, count_q <= 5'(Depth), "more words than entries")
endmodule
