`include "duet_assert.svh"

/// Hands out the work groups of the launched kernels, oldest kernel first. A kernel that is
/// launched in cycle t shows its first work group from t+1 on when no kernel is before it
/// (README.md, rule 9).
module local_command_processor_dispatch  // rule: 9
  import cpelide_pkg::*;
#(
  parameter int unsigned TagW = 8,
  localparam type tag_t       = logic [TagW-1:0]
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        launch_i,
  input  tag_t        launch_tag_i,
  // the oldest launched kernel, in the table of tags
  output tag_t        tag_o,
  input  logic [7:0]  slot_i,
  input  logic [31:0] first_i,
  input  logic [31:0] number_i,
  output logic        wg_valid_o,
  input  logic        wg_ready_i,
  output wg_t         wg_o,
  // work groups that end, for the assertion on them
  input  logic        wg_done_i,
  input  tag_t        wg_done_tag_i,
  input  logic [31:0] wg_done_left_i
);
  localparam int unsigned Tags = 1 << TagW;

  logic [TagW:0] waits;               // launched kernels
  logic [31:0]   issued_d, issued_q;  // work groups taken of the oldest kernel
  logic          take, pop;

  // As many places as tags.
  duet_fifo #(
    .T    (tag_t),
    .Depth(Tags)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .push_i (launch_i),
    .data_i (launch_tag_i),
    .pop_i  (pop),
    .head_o (tag_o),
    .count_o(waits)
  );
  assign wg_valid_o = (waits != '0);
  assign wg_o       = '{tag: 8'(tag_o), slot: slot_i, group: first_i + issued_q};
  assign take       = wg_valid_o && wg_ready_i;
  assign pop        = take && issued_q + 32'd1 == number_i;

  always_comb begin : next_issued
    issued_d = issued_q;
    if (take) issued_d = issued_q + 32'd1;
    if (pop) issued_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) issued_q <= '0;
    else         issued_q <= issued_d;
  end

`ifdef DUET_SIMULATION
  // Tags in the FIFO: all work groups of the others are taken.
  logic [Tags-1:0] waiting_d, waiting_q;
  always_comb begin : next_waiting
    waiting_d = waiting_q;
    if (launch_i) waiting_d[launch_tag_i] = 1'b1;
    if (pop) waiting_d[tag_o] = 1'b0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waiting_q <= '0;
    else         waiting_q <= waiting_d;
  end
  wire oldest_ends = wg_valid_o && wg_done_tag_i == tag_o;
`endif

  `DUET_ASSERT(WaitsOnce, !launch_i || !waiting_q[launch_tag_i],
               "kernel launched that waits already")
  `DUET_ASSERT(DoneWasTaken, !wg_done_i || !waiting_q[wg_done_tag_i]
                             || (oldest_ends && wg_done_left_i > number_i - issued_q),
               "work group finished that was not taken")
  `DUET_ASSERT_STABLE(WgStable, wg_valid_o, wg_ready_i, wg_o)
endmodule
