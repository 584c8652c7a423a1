`include "duet_assert.svh"

/// The command processor of one chiplet: executes the global one's requests on this chiplet's L2,
/// invalidates the L1s before a kernel, hands out its work groups and reports the end (CPElide,
/// MICRO'24, sections II-B, III-C). All outputs are registered. A SYNC_REQ accepted in t is on
/// `l2_sync` in t+1; done in d, its ACK is on `tx` in d+1. A LAUNCH_EN accepted in t is on
/// `l1_inv_o` in t+1; done in i, the first work group is on `wg` in i+1.
module local_command_processor  // rule: Cycle rules
  import cpelide_pkg::*;
#(
  parameter int unsigned TagW = 8  // bits of a kernel's tag that are looked at, 1..8
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // rx, tx: messages from and to the crossbar
  input  logic        rx_valid_i,
  output logic        rx_ready_o,
  input  msg_t        rx_i,
  output logic        tx_valid_o,
  input  logic        tx_ready_i,
  output msg_t        tx_o,
  // l2_sync: one operation at a time, until its done pulse
  output logic        l2_sync_valid_o,
  input  logic        l2_sync_ready_i,
  output logic [1:0]  l2_sync_op_o,     // bit 0 release, bit 1 acquire
  input  logic        l2_sync_done_i,
  input  logic [31:0] l2_sync_wb_i,     // lines written back
  // l1_inv: pulses
  output logic        l1_inv_o,
  input  logic        l1_inv_done_i,
  // wg: work groups for the CUs, and the tags of those that end
  output logic        wg_valid_o,
  input  logic        wg_ready_i,
  output wg_t         wg_o,
  input  logic        wg_done_valid_i,
  input  logic [7:0]  wg_done_i
);
  typedef struct packed {
    logic        taken;   // SYNC_REQ: the L2 has it
    logic        done;    // SYNC_REQ: its ACK waits
    logic [31:0] wb;      // lines of that ACK
    logic        pulsed;  // LAUNCH_EN: l1_inv_o was shown
    logic        up_valid;
    msg_t        up;      // message to send
  } regs_t;
  regs_t regs_d, regs_q;

  localparam int unsigned TagWP = (TagW >= 1 && TagW <= 8) ? TagW : 8;
  typedef logic [TagWP-1:0] tag_t;

  logic head_valid, pop;
  msg_t head;
  logic [$clog2(LocalQueue+1)-1:0] queued;
  assign rx_ready_o = 32'(queued) < LocalQueue;  // rule: 1
  assign head_valid = queued != '0;
  duet_fifo #(  // rule: 1
    .T    (msg_t),
    .Depth(LocalQueue)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .push_i (rx_valid_i && rx_ready_o),
    .data_i (rx_i),
    .pop_i  (pop),
    .head_o (head),
    .count_o(queued)
  );

  logic        running, ready;
  logic        describe, count, launch, launched;
  tag_t        head_tag, wg_tag, wg_done_tag, done_tag;
  logic [7:0]  wg_slot;
  logic [31:0] wg_first, wg_number, wg_done_left;
  logic        wg_done_counts;
  logic        done_valid, done_take;
  assign head_tag    = tag_t'(head.tag);  // rule: 13
  assign wg_done_tag = tag_t'(wg_done_i);  // rule: 13
  local_command_processor_tags #(  // rule: Registers described_q
    .TagW(TagWP)
  ) u_tags (
    .clk_i,
    .rst_ni,
    .tag_i           (head_tag),
    .running_o       (running),
    .ready_o         (ready),
    .describe_i      (describe),
    .slot_i          (head.a[7:0]),
    .count_i         (count),
    .value_i         (head.b),
    .launch_i        (launch),
    .launched_o      (launched),
    .wg_tag_i        (wg_tag),
    .wg_slot_o       (wg_slot),
    .wg_first_o      (wg_first),
    .wg_number_o     (wg_number),
    .wg_done_valid_i,
    .wg_done_i       (wg_done_tag),
    .wg_done_left_o  (wg_done_left),
    .wg_done_counts_o(wg_done_counts),
    .done_valid_o    (done_valid),
    .done_tag_o      (done_tag),
    .done_take_i     (done_take)
  );

  local_command_processor_dispatch #(  // rule: 9
    .TagW(TagWP)
  ) u_dispatch (
    .clk_i,
    .rst_ni,
    .launch_i      (launched),
    .launch_tag_i  (head_tag),
    .tag_o         (wg_tag),
    .slot_i        (wg_slot),
    .first_i       (wg_first),
    .number_i      (wg_number),
    .wg_valid_o,
    .wg_ready_i,
    .wg_o,
    .wg_done_i     (wg_done_counts),
    .wg_done_tag_i (wg_done_tag),
    .wg_done_left_i(wg_done_left)
  );

  // -----------------------------------------------------------------------------------------------
  // The head
  logic        legal;    // what may be asked of this tag now
  logic        refused;
  logic        is_sync, is_launch;
  logic        answer;   // there is one in this cycle
  logic        up_free;
  logic [31:0] wb;
  logic [1:0]  op;
  wire [11:0]  unused_head = {head.chiplet, head.a[15:8]};  // carried for others
  wire         unused_done = ^wg_done_i;                    // rule 13

  assign op = head.a[1:0];  // rule: 4

  always_comb begin : head_work  // rule: 8
    unique case (head.kind)
      KindSyncReq:             legal = 1'b1;
      KindWgDesc, KindWgCount: legal = !running;
      KindLaunchEn:            legal = regs_q.pulsed || (!running && ready);
      default:                 legal = 1'b0;
    endcase
    refused   = head_valid && !legal;
    is_sync   = head_valid && legal && head.kind == KindSyncReq;
    is_launch = head_valid && legal && head.kind == KindLaunchEn;
    describe  = head_valid && legal && head.kind == KindWgDesc;  // rule: 6
    count     = head_valid && legal && head.kind == KindWgCount;  // rule: 6
  end

  always_comb begin : head_end  // rule: 4
    wb = regs_q.done ? regs_q.wb : l2_sync_wb_i;  // rule: 12
    if (op == '0) wb = '0;  // rule: 3
    answer  = refused || (is_sync && (op == '0 || regs_q.done || (regs_q.taken && l2_sync_done_i)));
    launch  = is_launch && l1_inv_done_i;  // rule: 7
    up_free = !regs_q.up_valid || tx_ready_i;  // rule: 11
    pop     = describe || count || launch || (answer && up_free);  // rule: 2
  end

  assign done_take = up_free && !answer && done_valid;  // rule: 11

  always_comb begin : next_state
    regs_d = regs_q;
    if (l2_sync_valid_o && l2_sync_ready_i) regs_d.taken = 1'b1;  // rule: 4
    if (answer && is_sync) begin  // rule: 12
      regs_d.done = 1'b1;
      regs_d.wb   = wb;
    end
    if (is_launch) regs_d.pulsed = 1'b1;  // rule: 7
    if (pop) begin  // rule: 2
      regs_d.taken  = 1'b0;
      regs_d.done   = 1'b0;
      regs_d.pulsed = 1'b0;
    end
    if (up_free) begin  // rule: 11
      regs_d.up_valid = answer || done_valid;
      if (answer && refused) begin  // rule: 8
        regs_d.up = '{kind: KindNack, chiplet: '0, tag: head.tag, a: 16'(ErrProtocol), b: '0};
      end else if (answer) begin  // rule: 5
        regs_d.up = '{kind: KindAck, chiplet: '0, tag: head.tag, a: 16'(op), b: wb};
      end else if (done_valid) begin
        regs_d.up = '{kind: KindDone, chiplet: '0, tag: 8'(done_tag), a: '0, b: '0};
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) regs_q <= '0;
    else         regs_q <= regs_d;
  end

  assign l2_sync_valid_o = is_sync && op != '0 && !regs_q.taken;  // rule: 4
  assign l2_sync_op_o    = op;  // rule: 4
  assign l1_inv_o        = is_launch && !regs_q.pulsed;  // rule: 7
  assign tx_valid_o      = regs_q.up_valid;  // rule: 11
  assign tx_o            = regs_q.up;  // rule: 11

  `DUET_ASSERT_PARAM(TagWLegal, TagW >= 1 && TagW <= 8, "TagW must be 1..8")
  `DUET_ASSERT_STABLE(TxStable, tx_valid_o, tx_ready_i, tx_o)
  `DUET_ASSERT_STABLE(L2SyncStable, l2_sync_valid_o, l2_sync_ready_i, l2_sync_op_o)
  `DUET_ASSERT(DoneIsNew, !regs_q.done || regs_q.taken || op == '0,
               "ACK of an operation that the L2 has not taken")
  // README.md, rule 10: only work groups that were taken end.
  `DUET_PROMISE(DoneOfTaken, !wg_done_counts || !u_dispatch.waiting_q[wg_done_tag]
                             || (u_dispatch.oldest_ends
                                 && wg_done_left > wg_number - u_dispatch.issued_q))
endmodule
