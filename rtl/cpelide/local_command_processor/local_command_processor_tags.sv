`include "duet_assert.svh"

/// The table of kernel tags: what was said of each, and how many of its work groups are left. A
/// tag's last work group that is finished in cycle w makes the tag finished in w, and not running
/// from w+1 on (README.md, rules 6, 7, 10).
module local_command_processor_tags #(  // rule: Registers described_q
  parameter int unsigned TagW = 8,
  localparam type tag_t       = logic [TagW-1:0]
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // the head's tag
  input  tag_t        tag_i,
  output logic        running_o,
  output logic        ready_o,        // described and counted
  input  logic        describe_i,
  input  logic [7:0]  slot_i,
  input  logic        count_i,
  input  logic [31:0] value_i,        // first work group, or their number
  input  logic        launch_i,
  output logic        launched_o,     // and there is a work group: it runs
  // the tag whose work groups are handed out
  input  tag_t        wg_tag_i,
  output logic [7:0]  wg_slot_o,
  output logic [31:0] wg_first_o,
  output logic [31:0] wg_number_o,
  // work groups that end
  input  logic        wg_done_valid_i,
  input  tag_t        wg_done_i,
  output logic [31:0] wg_done_left_o, // of this tag, before
  output logic        wg_done_counts_o,
  // the lowest finished tag, one that finishes in this cycle included
  output logic        done_valid_o,
  output tag_t        done_tag_o,
  input  logic        done_take_i
);
  localparam int unsigned Tags = 1 << TagW;
  typedef logic [Tags-1:0] tags_t;  // a bit for each tag
  typedef struct packed {
    tags_t described;
    tags_t counted;
    tags_t running;
    tags_t finished;
  } regs_t;
  regs_t regs_d, regs_q;

  // Not reset: the bits say what means something.
  logic [7:0]  slot_q   [Tags];
  logic [31:0] first_q  [Tags];
  logic [31:0] number_q [Tags];
  logic [31:0] left_q   [Tags];

  wire empty = (number_q[tag_i] == '0);  // rule: 7
  wire last  = (wg_done_left_o == 32'd1);  // rule: 10

  assign running_o        = regs_q.running[tag_i];  // rule: 2; 10
  assign ready_o          = regs_q.described[tag_i] && regs_q.counted[tag_i];  // rule: 8
  assign launched_o       = launch_i && !empty;  // rule: 7
  assign wg_slot_o        = slot_q[wg_tag_i];  // rule: 9
  assign wg_first_o       = first_q[wg_tag_i];  // rule: 9
  assign wg_number_o      = number_q[wg_tag_i];  // rule: 9
  assign wg_done_left_o   = left_q[wg_done_i];  // rule: 10
  assign wg_done_counts_o = wg_done_valid_i && regs_q.running[wg_done_i];  // rule: 10

  // Bit b of the number of each tag.
  typedef tags_t [TagW-1:0] masks_t;
  function automatic masks_t masks();
    for (int unsigned tag = 0; tag < Tags; tag++) begin
      for (int unsigned b = 0; b < TagW; b++) masks[b][tag] = 1'(tag >> b);
    end
  endfunction
  localparam masks_t Masks = masks();

  tags_t finished, lowest;
  always_comb begin : find_finished
    finished = regs_q.finished;
    if (launch_i && empty) finished[tag_i] = 1'b1;  // rule: 7
    if (wg_done_counts_o && last) finished[wg_done_i] = 1'b1;  // rule: 10
    lowest       = finished & (~finished + tags_t'(1));  // rule: 11
    done_valid_o = (finished != '0);  // rule: 11
    for (int unsigned b = 0; b < TagW; b++) done_tag_o[b] = |(lowest & Masks[b]);  // rule: 11
  end

  always_comb begin : next_state
    regs_d          = regs_q;
    regs_d.finished = done_take_i ? finished & ~lowest : finished;  // rule: 11
    if (describe_i) regs_d.described[tag_i] = 1'b1;  // rule: 6
    if (count_i)    regs_d.counted[tag_i]   = 1'b1;  // rule: 6
    if (launch_i) begin  // rule: 7
      regs_d.described[tag_i] = 1'b0;
      regs_d.counted[tag_i]   = 1'b0;
      regs_d.running[tag_i]   = !empty;
    end
    if (wg_done_counts_o && last) regs_d.running[wg_done_i] = 1'b0;  // rule: 10
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) regs_q <= '0;
    else         regs_q <= regs_d;
  end

  always_ff @(posedge clk_i) begin
    if (describe_i) begin  // rule: 6
      slot_q[tag_i]  <= slot_i;
      first_q[tag_i] <= value_i;
    end
    if (count_i) number_q[tag_i] <= value_i;  // rule: 6
    if (launch_i) left_q[tag_i] <= number_q[tag_i];  // rule: 7
    if (wg_done_counts_o) left_q[wg_done_i] <= wg_done_left_o - 32'd1;  // rule: 10
  end

  `DUET_ASSERT(LaunchedOnce, !launch_i || !regs_q.running[tag_i], "running tag launched")
  `DUET_ASSERT(RunningHasWork, !wg_done_counts_o || wg_done_left_o != '0,
               "running tag without a work group left")
endmodule
