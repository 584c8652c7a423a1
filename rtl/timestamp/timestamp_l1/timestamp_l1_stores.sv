`include "duet_assert.svh"

/// Table of stores and atomics that await an acknowledgement. One entry is read, freed or allocated
/// in a cycle.
module timestamp_l1_stores #(  // rule: Registers _stores
  parameter bit          Gtsc    = 1'b1,  // stores lock their line
  parameter int unsigned  Stq    = 4,
  parameter int unsigned  LineW  = 10,
  localparam int unsigned EntryW = (Stq > 1) ? $clog2(Stq) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [5:0]       entry_i,  // read; may lie outside of the table
  output logic             there_o,  // the entry is in use: warp_o to locks_o are valid
  output logic [5:0]       warp_o,
  output logic [7:0]       id_o,
  output logic [LineW-1:0] line_o,
  output logic             locks_o,  // the store has locked its line
  input  logic             free_i,   // entry_i is freed
  output logic             room_o,
  output logic [5:0]       next_o,   // the entry to allocate
  input  logic             make_i,
  input  logic [5:0]       warp_i,
  input  logic [7:0]       id_i,
  input  logic [LineW-1:0] line_i,
  input  logic             lock_i,   // the store locks its line
  input  logic             flush_i   // no store has a lock any more
);
  // A flush clears lock_q: the specification's `stale` of an entry only disables its lock.
  logic [Stq-1:0]   valid_d, valid_q;
  logic [Stq-1:0]   lock_d, lock_q;
  logic [5:0]       warp_q [Stq];
  logic [7:0]       id_q [Stq];
  logic [LineW-1:0] line_q [Stq];

  logic [EntryW-1:0] entry, next;

  assign entry   = (32'(entry_i) < Stq) ? EntryW'(entry_i) : '0;  // rule: 3
  assign there_o = 32'(entry_i) < Stq && valid_q[entry];  // rule: 3
  assign warp_o  = warp_q[entry];
  assign id_o    = id_q[entry];
  assign line_o  = Gtsc ? line_q[entry] : '0;
  assign locks_o = Gtsc && lock_q[entry];
  assign room_o  = (valid_q != '1);
  assign next_o  = 6'(next);

  always_comb begin : lowest
    next = '0;
    for (int unsigned e = Stq; e > 0; e--) begin
      if (!valid_q[e-1]) next = EntryW'(e - 1);
    end
  end

  always_comb begin : next_state
    valid_d = valid_q;
    lock_d  = lock_q;
    if (free_i) valid_d[entry] = 1'b0;
    if (make_i) begin
      valid_d[next] = 1'b1;
      lock_d[next]  = lock_i;
    end
    if (flush_i) lock_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= valid_d;
  end

  // Undefined until valid_q is set.
  always_ff @(posedge clk_i) begin
    lock_q <= lock_d;
    if (make_i) begin
      warp_q[next] <= warp_i;
      id_q[next]   <= id_i;
      line_q[next] <= line_i;
    end
  end

`ifdef DUET_SIMULATION
  // Stores that hold the lock of a line, for assertions of the block.
  function automatic int unsigned holders(logic [LineW-1:0] line);
    holders = 0;
    for (int unsigned e = 0; e < Stq; e++) begin
      if (valid_q[e] && lock_q[e] && line_q[e] == line) holders++;
    end
  endfunction
`endif

  `DUET_ASSERT(FreeOfThere, !free_i || there_o, "an entry is freed that is free")
  `DUET_ASSERT(MakeFits, !make_i || room_o, "more stores than entries")
endmodule
