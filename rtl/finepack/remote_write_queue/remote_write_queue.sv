`include "duet_assert.svh"
`include "finepack_types.svh"

/// Collects a GPU's stores to other GPUs, one partition for each destination, overwrites repeated
/// bytes in place and hands each packet's entries to the packetizer (FinePack, HPCA'23, section
/// IV-B, figure 8).
/// All outputs are registered. A request accepted in cycle t is decided on in t+2, its effects are
/// visible in t+3, a packet that it causes starts in t+4. One request per cycle.
module remote_write_queue #(  // rule: Cycle rules
  parameter int unsigned NumGpus         = 4,     // GPUs of the system, 2..16
  parameter int unsigned Entries         = 64,    // entries of a bank, 2..64, power of 2
  parameter int unsigned Line            = 128,   // bytes of a line, 16..128, power of 2
  parameter int unsigned Banks           = 2,     // banks of a partition, 1 or 2
  parameter int unsigned SubHeaderBytes  = 5,     // bytes of a sub-header, 2..6
  parameter int unsigned OffsetWidth     = 30,    // bits of an offset, 8 * SubHeaderBytes - 10
  parameter int unsigned MaxPayload      = 4096,  // largest payload of a packet in bytes
  parameter int unsigned OrderQueueDepth = 4,     // places of a partition's order queue, 2..16
  localparam int unsigned Parts = NumGpus - 1,
  localparam type req_t   = `FINEPACK_REQ_T(Line),
  localparam type drain_t = `FINEPACK_DRAIN_T(Line),
  localparam type evt_t   = `FINEPACK_EVT_T(Parts)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // req: requests of this GPU
  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  req_t                   req_i,
  // drain: beats to the packetizer
  output logic                   drain_valid_o,
  input  logic                   drain_ready_i,
  output drain_t                 drain_o,
  // cpl: completion of a MARK, always accepted
  input  logic                   cpl_valid_i,
  input  logic [3:0]             cpl_dest_i,
  // rel: pulse, the release with this id is complete
  output logic                   rel_done_o,
  output logic [7:0]             rel_id_o,
  // static from reset
  input  logic [3:0]             self_id_i,
  input  logic [15:0]            timeout_i,  // cycles without a STORE, 0 is never
  input  logic                   acct_i,     // 0 EXACT, 1 PAPER
  // filling banks
  output logic [Parts-1:0][6:0]  occ_o,    // entries in use
  output logic [Parts-1:0][12:0] avail_o,  // payload bytes left
  // err: pulse
  output logic                   err_valid_o,
  output logic [3:0]             err_code_o,
  output evt_t                   evt_o  // what S2 did one cycle ago
);
  localparam int unsigned PartW     = (Parts > 1) ? $clog2(Parts) : 1;
  localparam int unsigned Rows      = Parts * Banks;
  localparam int unsigned RowW      = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int unsigned IdxW      = $clog2(Entries);
  localparam int unsigned SlotW     = $clog2(OrderQueueDepth);
  localparam int unsigned LineW     = $clog2(Line);
  localparam int unsigned BaseWidth = 64 - OffsetWidth;
  // Bits of a line number inside its window. A window of one line has none: its tag is a bit 0.
  localparam int unsigned TagBits  = (OffsetWidth > LineW) ? OffsetWidth - LineW : 0;
  localparam int unsigned TagWidth = (TagBits > 0) ? TagBits : 1;

  // S2
  logic                 s2_valid, s2_leave;
  logic [2:0]           s2_op;
  logic [7:0]           s2_id;
  logic [3:0]           s2_aop;
  logic [63-LineW:0]    s2_line;
  logic [Line-1:0]      s2_mask;
  logic [Line-1:0][7:0] s2_data;
  logic [PartW-1:0]     s2_part;
  logic [9:0]           s2_cost;
  logic [3:1]           s2_fault;
  wire [BaseWidth-1:0] s2_base = BaseWidth'(s2_line >> TagBits);  // rule: 15
  wire [TagWidth-1:0]  s2_tag  = (TagBits > 0) ? TagWidth'(s2_line) : '0;  // rule: 15

  // Partitions
  logic [Parts-1:0]     fill_bank, dirty, expired, busy, free1, free2, drained;
  logic [6:0]           count        [Parts];
  logic [12:0]          avail      [Parts];
  logic [12:0]          sum        [Parts];
  logic [BaseWidth-1:0] base       [Parts];
  logic [6:0]           drain_count  [Parts];
  logic [12:0]          drain_sum  [Parts];
  logic [BaseWidth-1:0] drain_base [Parts];
  logic [7:0]           tag        [Parts];

  // Order queues
  logic [Parts-1:0] head_valid, pop;
  logic [1:0]       head_kind [Parts];
  logic [7:0]       head_id   [Parts];
  logic [SlotW-1:0] head_slot [Parts];
  logic [SlotW-1:0] op_slot   [Parts];

  // Table
  logic                 look, look_hit, look_overlap;
  logic [RowW-1:0]      look_row, wr_row, rd_row;
  logic [6:0]           look_count;
  logic [12:0]          look_sum;
  logic [7:0]           look_common;
  logic signed [10:0]   look_delta;
  logic                 rd;
  logic [IdxW-1:0]      rd_idx;
  logic [TagWidth-1:0]  rd_tag;
  logic [Line-1:0]      rd_mask;
  logic [Line-1:0][7:0] rd_data;

  // Decision
  logic [Parts-1:0]      flush, push_mark;
  logic                  wr, wr_first, wr_hit, push_raw, rel_last, rel_now;
  logic                  rel_waiting, give_way;
  logic [3:1]            fault;
  logic [Parts-1:0][2:0] flush_cause;
  logic [1:0]            stall;
  logic [7:0]            overwritten;
  logic                  err_lost;
  wire       s2_atomic = (s2_op == finepack_pkg::OpAtomic);
  wire [1:0] raw_kind  = s2_atomic ? finepack_pkg::DrainAtomic : finepack_pkg::DrainRead;

  remote_write_queue_input #(  // rule: 1
    .NumGpus       (NumGpus),
    .Line          (Line),
    .SubHeaderBytes(SubHeaderBytes)
  ) u_input (
    .clk_i,
    .rst_ni,
    .self_id_i,
    .req_valid_i,
    .req_ready_o,
    .req_i,
    .s2_leave_i(s2_leave),
    .s2_valid_o(s2_valid),
    .s2_op_o   (s2_op),
    .s2_id_o   (s2_id),
    .s2_aop_o  (s2_aop),
    .s2_line_o (s2_line),
    .s2_mask_o (s2_mask),
    .s2_data_o (s2_data),
    .s2_part_o (s2_part),
    .s2_cost_o (s2_cost),
    .s2_fault_o(s2_fault)
  );

  remote_write_queue_decide #(  // rule: Cycle rules
    .Parts    (Parts),
    .Entries  (Entries),
    .Banks    (Banks),
    .BaseWidth(BaseWidth)
  ) u_decide (
    .clk_i,
    .rst_ni,
    .s2_valid_i    (s2_valid),
    .s2_op_i       (s2_op),
    .s2_part_i     (s2_part),
    .s2_base_i     (s2_base),
    .s2_cost_i     (s2_cost),
    .s2_fault_i    (s2_fault),
    .s2_leave_o    (s2_leave),
    .fill_bank_i   (fill_bank),
    .count_i         (count),
    .avail_i       (avail),
    .sum_i         (sum),
    .base_i        (base),
    .dirty_i       (dirty),
    .expired_i     (expired),
    .busy_i        (busy),
    .free1_i       (free1),
    .free2_i       (free2),
    .look_o        (look),
    .look_row_o    (look_row),
    .look_count_o    (look_count),
    .look_sum_o    (look_sum),
    .look_hit_i    (look_hit),
    .look_overlap_i(look_overlap),
    .look_common_i (look_common),
    .rel_waiting_i (rel_waiting),
    .give_way_i    (give_way),
    .flush_o       (flush),
    .wr_o          (wr),
    .wr_first_o    (wr_first),
    .wr_hit_o      (wr_hit),
    .wr_row_o      (wr_row),
    .push_raw_o    (push_raw),
    .push_mark_o   (push_mark),
    .rel_last_o    (rel_last),
    .rel_now_o     (rel_now),
    .fault_o       (fault),
    .flush_cause_o (flush_cause),
    .stall_o       (stall),
    .overwritten_o (overwritten)
  );

  remote_write_queue_table #(  // rule: Registers table, tag_q
    .Rows          (Rows),
    .Entries       (Entries),
    .Line          (Line),
    .SubHeaderBytes(SubHeaderBytes),
    .TagWidth      (TagWidth)
  ) u_table (
    .clk_i,
    .rst_ni,
    .look_i        (look),
    .look_row_i    (look_row),
    .look_tag_i    (s2_tag),
    .look_count_i    (look_count),
    .look_mask_i   (s2_mask),
    .look_hit_o    (look_hit),
    .look_overlap_o(look_overlap),
    .look_common_o (look_common),
    .look_delta_o  (look_delta),
    .wr_i          (wr),
    .wr_row_i      (wr_row),
    .wr_first_i    (wr_first),
    .wr_hit_i      (wr_hit),
    .wr_cost_i     (s2_cost),
    .wr_data_i     (s2_data),
    .rd_i          (rd),
    .rd_row_i      (rd_row),
    .rd_idx_i      (rd_idx),
    .rd_tag_o      (rd_tag),
    .rd_mask_o     (rd_mask),
    .rd_data_o     (rd_data),
    .look_sum_i    (look_sum)
  );

  for (genvar p = 0; p < Parts; p++) begin : gen_part
    wire addressed = (32'(s2_part) == p);

    remote_write_queue_partition #(  // rule: Registers partition, fill_q
      .Entries   (Entries),
      .Banks     (Banks),
      .MaxPayload(MaxPayload),
      .BaseWidth (BaseWidth)
    ) u_partition (
      .clk_i,
      .rst_ni,
      .timeout_i,
      .acct_i,
      .flush_i     (flush[p]),
      .wr_i        (wr && addressed),
      .wr_first_i  (wr_first),
      .wr_hit_i    (wr_hit),
      .wr_cost_i   (s2_cost),
      .wr_delta_i  (look_delta),
      .wr_base_i   (s2_base),
      .atomic_i    (push_raw && s2_atomic && addressed),
      .mark_i      (push_mark[p]),
      .drained_i   (drained[p]),
      .fill_bank_o (fill_bank[p]),
      .count_o       (count[p]),
      .avail_o     (avail[p]),
      .sum_o       (sum[p]),
      .base_o      (base[p]),
      .dirty_o     (dirty[p]),
      .expired_o   (expired[p]),
      .busy_o      (busy[p]),
      .drain_count_o (drain_count[p]),
      .drain_sum_o (drain_sum[p]),
      .drain_base_o(drain_base[p]),
      .tag_o       (tag[p])
    );

    remote_write_queue_order_queue #(  // rule: 12
      .OrderQueueDepth(OrderQueueDepth)
    ) u_order_queue (
      .clk_i,
      .rst_ni,
      .push_drain_i(flush[p]),
      .push_op_i   (push_mark[p] || (push_raw && addressed)),
      .op_kind_i   (push_mark[p] ? finepack_pkg::DrainMark : raw_kind),
      .op_id_i     (s2_id),
      .op_slot_o   (op_slot[p]),
      .free1_o     (free1[p]),
      .free2_o     (free2[p]),
      .pop_i       (pop[p]),
      .head_valid_o(head_valid[p]),
      .head_kind_o (head_kind[p]),
      .head_id_o   (head_id[p]),
      .head_slot_o (head_slot[p])
    );

    assign occ_o[p]   = count[p];  // rule: 11
    assign avail_o[p] = avail[p];  // rule: 11
  end

  remote_write_queue_drain #(  // rule: 15
    .NumGpus        (NumGpus),
    .Entries        (Entries),
    .Line           (Line),
    .Banks          (Banks),
    .OffsetWidth    (OffsetWidth),
    .MaxPayload     (MaxPayload),
    .OrderQueueDepth(OrderQueueDepth),
    .TagWidth       (TagWidth)
  ) u_drain (
    .clk_i,
    .rst_ni,
    .self_id_i,
    .raw_wr_i     (push_raw),
    .raw_part_i   (s2_part),
    .raw_atomic_i (s2_atomic),
    .raw_aop_i    (s2_aop),
    .raw_line_i   (s2_line),
    .raw_mask_i   (s2_mask),
    .raw_operand_i(s2_data[15:0]),
    .raw_slot_i   (op_slot),
    .head_valid_i (head_valid),
    .head_kind_i  (head_kind),
    .head_id_i    (head_id),
    .head_slot_i  (head_slot),
    .pop_o        (pop),
    .fill_bank_i  (fill_bank),
    .drain_count_i  (drain_count),
    .drain_sum_i  (drain_sum),
    .drain_base_i (drain_base),
    .tag_i        (tag),
    .drained_o    (drained),
    .rd_o         (rd),
    .rd_row_o     (rd_row),
    .rd_idx_o     (rd_idx),
    .rd_tag_i     (rd_tag),
    .rd_mask_i    (rd_mask),
    .rd_data_i    (rd_data),
    .drain_valid_o,
    .drain_ready_i,
    .drain_o
  );

  remote_write_queue_release #(  // rule: 9
    .NumGpus(NumGpus)
  ) u_release (
    .clk_i,
    .rst_ni,
    .self_id_i,
    .cpl_valid_i,
    .cpl_dest_i,
    .s2_id_i    (s2_id),
    .push_mark_i(push_mark),
    .rel_last_i (rel_last),
    .rel_now_i  (rel_now),
    .fault_i    (fault),
    .waiting_o  (rel_waiting),
    .give_way_o (give_way),
    .rel_done_o,
    .rel_id_o,
    .err_valid_o,
    .err_code_o,
    .err_lost_o (err_lost)
  );

  assign evt_o = '{  // rule: Ports evt_o
      flush_cause: flush_cause,
      stall:       stall,
      overwritten: overwritten,
      err_lost:    err_lost
  };

  `DUET_ASSERT_PARAM(NumGpusLegal, NumGpus >= 2 && NumGpus <= 16, "NumGpus must be 2..16")
  `DUET_ASSERT_PARAM(EntriesLegal, Entries >= 2 && Entries <= 64 && (Entries & (Entries - 1)) == 0,
                     "Entries must be a power of 2 in 2..64")
  `DUET_ASSERT_PARAM(LineLegal, Line >= 16 && Line <= 128 && (Line & (Line - 1)) == 0,
                     "Line must be a power of 2 in 16..128")
  `DUET_ASSERT_PARAM(BanksLegal, Banks == 1 || Banks == 2, "Banks must be 1 or 2")
  `DUET_ASSERT_PARAM(SubHeaderBytesLegal, SubHeaderBytes >= 2 && SubHeaderBytes <= 6,
                     "SubHeaderBytes must be 2..6")
  `DUET_ASSERT_PARAM(OffsetWidthLegal, OffsetWidth == 8 * SubHeaderBytes - 10,
                     "OffsetWidth must be 8 * SubHeaderBytes - 10")
  `DUET_ASSERT_PARAM(LineInWindow, 64'(Line) <= (64'd1 << OffsetWidth),
                     "Line must be at most 2^OffsetWidth")
  `DUET_ASSERT_PARAM(MaxPayloadLegal,
                     MaxPayload <= 4096 && MaxPayload % 4 == 0
                     && MaxPayload >= (Line / 2) * (1 + SubHeaderBytes) + 4,
                     "MaxPayload must be a multiple of 4 in (Line/2)*(1+SubHeaderBytes)+4 .. 4096")
  `DUET_ASSERT_PARAM(OrderQueueDepthLegal, OrderQueueDepth >= 2 && OrderQueueDepth <= 16,
                     "OrderQueueDepth must be 2..16")

  `DUET_PROMISE(SelfIdLegal, 32'(self_id_i) < NumGpus)
  `DUET_PROMISE_STATIC(Static, {self_id_i, timeout_i, acct_i})
endmodule
