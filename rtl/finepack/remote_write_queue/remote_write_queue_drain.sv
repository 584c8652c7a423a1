`include "duet_assert.svh"
`include "finepack_types.svh"

/// Sequencer: round robin over the order queues, one packet or single beat at a time.
/// A token that is the head of an idle sequencer's queue in cycle a has its first beat in a+1, then
/// 1 entry per cycle; the cycle after an eop beat has no beat.
module remote_write_queue_drain  // rule: 15
  import finepack_pkg::*;
#(
  parameter int unsigned  NumGpus         = 4,
  parameter int unsigned  Entries         = 64,
  parameter int unsigned  Line            = 128,
  parameter int unsigned  Banks           = 2,
  parameter int unsigned  OffsetWidth     = 30,
  parameter int unsigned  MaxPayload      = 4096,
  parameter int unsigned  OrderQueueDepth = 4,
  parameter int unsigned  TagWidth        = 23,
  localparam type         drain_t         = `FINEPACK_DRAIN_T(Line),
  localparam int unsigned Parts           = NumGpus - 1,
  localparam int unsigned PartW           = (Parts > 1) ? $clog2(Parts) : 1,
  localparam int unsigned RowW            = (Parts * Banks > 1) ? $clog2(Parts * Banks) : 1,
  localparam int unsigned IdxW            = $clog2(Entries),
  localparam int unsigned SlotW           = $clog2(OrderQueueDepth),
  localparam int unsigned LineW           = $clog2(Line),
  localparam int unsigned BaseWidth       = 64 - OffsetWidth
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [3:0]           self_id_i,
  // raw: what S2 keeps of a READ or ATOMIC, under the slot of its token
  input  logic                 raw_wr_i,
  input  logic [PartW-1:0]     raw_part_i,
  input  logic                 raw_atomic_i,
  input  logic [3:0]           raw_aop_i,
  input  logic [63-LineW:0]    raw_line_i,
  input  logic [Line-1:0]      raw_mask_i,
  input  logic [15:0][7:0]     raw_operand_i,
  input  logic [SlotW-1:0]     raw_slot_i  [Parts],
  // heads of the order queues
  input  logic [Parts-1:0]     head_valid_i,
  input  logic [1:0]           head_kind_i [Parts],
  input  logic [7:0]           head_id_i   [Parts],
  input  logic [SlotW-1:0]     head_slot_i [Parts],
  output logic [Parts-1:0]     pop_o,
  // banks that are sent
  input  logic [Parts-1:0]     fill_bank_i,
  input  logic [6:0]           drain_count_i   [Parts],
  input  logic [12:0]          drain_sum_i   [Parts],
  input  logic [BaseWidth-1:0] drain_base_i  [Parts],
  input  logic [7:0]           tag_i       [Parts],
  output logic [Parts-1:0]     drained_o,
  // rd: read port of the table, data one cycle later
  output logic                 rd_o,
  output logic [RowW-1:0]      rd_row_o,
  output logic [IdxW-1:0]      rd_idx_o,
  input  logic [TagWidth-1:0]  rd_tag_i,
  input  logic [Line-1:0]      rd_mask_i,
  input  logic [Line-1:0][7:0] rd_data_i,
  // drain: beats to the packetizer
  output logic                 drain_valid_o,
  input  logic                 drain_ready_i,
  output drain_t               drain_o
);
  // Bits of a line number inside its window.
  localparam int unsigned TagBits = (OffsetWidth > LineW) ? OffsetWidth - LineW : 0;

  // READ and ATOMIC tokens. MARKs need nothing from here.
  typedef struct packed {
    logic [3:0]        aop;
    logic [63-LineW:0] line;
    logic [Line-1:0]   mask;
    logic [15:0][7:0]  operand;
  } raw_t;

  // What stays the same on all beats of a packet. valid = 0: the sequencer is idle.
  typedef struct packed {
    logic                 valid;
    logic                 sop;
    logic                 eop;
    logic [1:0]           kind;
    logic [PartW-1:0]     part;
    logic [3:0]           dest;
    logic [7:0]           id;
    logic [BaseWidth-1:0] base;
    logic [12:0]          plen;
    logic [6:0]           count;
    logic [6:0]           idx;  // entry of the beat
  } beat_t;

  raw_t             raw_q [Parts][OrderQueueDepth];
  raw_t             raw_beat_q;  // 0 for a PACK and a MARK
  beat_t            beat_d, beat_q;
  logic [PartW-1:0] rr_d, rr_q;

  // Selection: the first partition with a token at or after rr_q, else the first of all.
  logic             start;
  logic [PartW-1:0] sel;
  always_comb begin : select  // rule: Registers drain, beat_q
    sel = '0;
    for (int p = int'(Parts) - 1; p >= 0; p--) if (head_valid_i[p]) sel = PartW'(p);
    for (int p = int'(Parts) - 1; p >= 0; p--) begin
      if (head_valid_i[p] && PartW'(p) >= rr_q) sel = PartW'(p);
    end
    start = !beat_q.valid && (head_valid_i != '0);
    pop_o = '0;
    pop_o[sel] = start;  // rule: 12
  end

  wire [1:0] sel_kind  = head_kind_i[sel];
  wire       start_raw = start && (sel_kind inside {DrainRead, DrainAtomic});
  wire       taken     = beat_q.valid && drain_ready_i;
  wire       advance   = taken && !beat_q.eop;

  always_comb begin : next_beat
    beat_d = beat_q;
    rr_d   = rr_q;
    if (start) begin
      rr_d   = (32'(sel) == Parts - 1) ? '0 : sel + 1'b1;  // rule: Registers drain, beat_q
      beat_d = '{
          valid: 1'b1,
          sop:   1'b1,
          eop:   1'b1,
          kind:  sel_kind,
          part:  sel,
          dest:  (4'(sel) < self_id_i) ? 4'(sel) : 4'(sel) + 4'd1,
          id:    head_id_i[sel],
          base:  '0,
          plen:  '0,
          count:   7'd1,
          idx:   '0
      };
      if (sel_kind == DrainPack) begin
        beat_d.eop  = (drain_count_i[sel] == 7'd1);
        beat_d.id   = tag_i[sel];
        beat_d.base = drain_base_i[sel];
        beat_d.plen = drain_sum_i[sel];
        beat_d.count  = drain_count_i[sel];
      end
    end else if (advance) begin
      beat_d.sop = 1'b0;
      beat_d.eop = (beat_q.idx + 7'd2 == beat_q.count);
      beat_d.idx = beat_q.idx + 7'd1;
    end else if (taken) begin
      beat_d.valid = 1'b0;
    end
  end

  // The bank is free once its last entry is taken.
  always_comb begin : finish  // rule: 13
    drained_o = '0;
    drained_o[beat_q.part] = taken && beat_q.eop && (beat_q.kind == DrainPack);
  end

  // Read port. Its address is a function of registers; the handshake only enables it.
  wire [PartW-1:0] rd_part = beat_q.valid ? beat_q.part : sel;  // rule: Registers table, rd_tag_q
  assign rd_o     = (start && sel_kind == DrainPack) || advance;  // rule: Registers table, rd_tag_q
  assign rd_idx_o = beat_q.valid ? IdxW'(beat_q.idx + 7'd1) : '0;
  assign rd_row_o = (Banks == 2) ? RowW'({rd_part, !fill_bank_i[rd_part]}) : RowW'(rd_part);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q     <= '0;
      rr_q       <= '0;
      raw_beat_q <= '0;
    end else begin
      beat_q <= beat_d;
      rr_q   <= rr_d;
      if (start) raw_beat_q <= start_raw ? raw_q[sel][head_slot_i[sel]] : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (raw_wr_i) begin  // rule: Registers drain, raw_q
      raw_q[raw_part_i][raw_slot_i[raw_part_i]] <= '{
          aop:     raw_atomic_i ? raw_aop_i : '0,
          line:    raw_line_i,
          mask:    raw_mask_i,
          operand: raw_atomic_i ? raw_operand_i : '0
      };
    end
  end

  // Beat. An entry's line is its tag below its window's base.
  wire                    pack      = (beat_q.kind == DrainPack);
  wire [63-LineW:0]       pack_line = ((64 - LineW)'(beat_q.base) << TagBits)
                                    | (64 - LineW)'(rd_tag_i);
  wire [63-LineW:0] line = pack ? pack_line : raw_beat_q.line;
  wire [Line-1:0]   mask = pack ? rd_mask_i : raw_beat_q.mask;
  wire [63:0]       base = {beat_q.base, {OffsetWidth{1'b0}}};

  assign drain_valid_o = beat_q.valid;
  assign drain_o = '{
      sop:  beat_q.sop,
      eop:  beat_q.eop,
      kind: beat_q.kind,
      dest: beat_q.dest,
      id:   beat_q.id,
      aop:  raw_beat_q.aop,
      base: base,
      plen: beat_q.plen,
      line: line,
      mask: mask,
      data: pack ? rd_data_i : (8 * Line)'(raw_beat_q.operand)
  };

  // The data is not sampled each cycle: it comes from a register that only `rd_o` writes.
  `DUET_ASSERT_STABLE(DrainStable, drain_valid_o, drain_ready_i, {beat_q, line, mask})
  `DUET_ASSERT(DataStable, !rd_o || !beat_q.valid || drain_ready_i,
               "entry read over a waiting beat")
  `DUET_ASSERT(PlenLegal,
               !drain_valid_o || !pack || (beat_q.plen != '0 && 32'(beat_q.plen) <= MaxPayload),
               "packet larger than MaxPayload, or empty")
  `DUET_ASSERT(EntryNotEmpty, !drain_valid_o || !pack || rd_mask_i != '0,
               "entry without a byte sent")
  `DUET_ASSERT(OffsetFits,
               !drain_valid_o || !pack || ({line, {LineW{1'b0}}} - base) >> OffsetWidth == '0,
               "line outside its packet's window")
  `DUET_ASSERT(EntryInBank, !drain_valid_o || beat_q.idx < beat_q.count,
               "beat beyond the bank's entries")
endmodule
