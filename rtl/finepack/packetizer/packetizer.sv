`include "duet_assert.svh"
`include "finepack_types.svh"

/// Turns drained entries into the bytes of one TLP (FinePack sections IV-A, IV-B, tables I, II).
/// One run and one beat per cycle. A drain beat accepted in cycle t is held in t+1; its first TLP
/// beat is valid in t+2 at the earliest. All outputs are functions of registers.
module packetizer #(  // rule: Cycle rules
  parameter int unsigned Line           = 128,  // bytes of a line, 16..128, a power of 2
  parameter int unsigned SubHeaderBytes = 5,    // bytes of a sub-header, 2..6
  parameter int unsigned OffsetWidth    = 30,   // bits of an offset, 8*SubHeaderBytes - 10
  parameter int unsigned Beat           = 32,   // bytes of a beat: 8, 16, 32, 64 or 128
  parameter int unsigned Ecrc           = 1,    // 1 sets TD in every header
  localparam type drain_t = `FINEPACK_DRAIN_T(Line),
  localparam type tlp_t   = `FINEPACK_TLP_T(Beat)
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // drain: beats from the remote write queue
  input  logic       drain_valid_i,
  output logic       drain_ready_o,
  input  drain_t     drain_i,
  // tlp: beats to the link
  output logic       tlp_valid_o,
  input  logic       tlp_ready_i,
  output tlp_t       tlp_o,
  input  logic [3:0] self_id_i  // this GPU; static
);
  localparam int unsigned IdxW = $clog2(Line);
  localparam int unsigned LenW = $clog2(Line + SubHeaderBytes + 1);

  drain_t          ent;        // the entry that is held
  logic [Line-1:0] mask;       // its bytes that have not been appended
  logic            room;       // the accumulator takes a run
  logic            append;     // the lowest run moves into the accumulator
  logic            first;      // it belongs to the packet's first entry
  logic [IdxW-1:0] run_start;  // its first byte
  logic [IdxW:0]   run_len;    // its bytes
  logic [Line-1:0] run_rest;   // mask without it
  logic            run_final;  // the entry has no other
  assign first = append && ent.sop;  // rule: 4

  logic [LenW-1:0]                    chunk_len;
  logic [8*(Line+SubHeaderBytes)-1:0] chunk;
  logic [15:0][7:0]                   hdr;

  packetizer_entry #(.Line(Line)) u_entry (  // rule: 1
    .clk_i, .rst_ni,
    .drain_valid_i, .drain_ready_o, .drain_i,
    .room_i(room), .run_final_i(run_final), .run_rest_i(run_rest),
    .append_o(append), .ent_o(ent), .mask_o(mask)
  );

  packetizer_run #(.Line(Line)) u_run (  // rule: 2
    .pack_i(ent.kind == finepack_pkg::DrainPack), .mask_i(mask),
    .start_o(run_start), .len_o(run_len), .rest_o(run_rest), .final_o(run_final)
  );

  packetizer_chunk #(  // rule: 2
    .Line(Line), .SubHeaderBytes(SubHeaderBytes), .OffsetWidth(OffsetWidth)
  ) u_chunk (
    .en_i(append), .kind_i(ent.kind), .aop_i(ent.aop), .line_i(ent.line), .data_i(ent.data),
    .start_i(run_start), .len_i(run_len),
    .chunk_len_o(chunk_len), .chunk_o(chunk)
  );

  packetizer_header #(.Line(Line), .Ecrc(Ecrc)) u_header (  // rule: 5
    .en_i(first), .kind_i(ent.kind), .id_i(ent.id), .aop_i(ent.aop), .base_i(ent.base),
    .plen_i(ent.plen), .line_i(ent.line), .mask_i(ent.mask),
    .start_i(run_start), .len_i(run_len), .self_id_i,
    .hdr_o(hdr)
  );

  packetizer_accumulator #(  // rule: 3
    .Line(Line), .SubHeaderBytes(SubHeaderBytes), .Beat(Beat)
  ) u_accumulator (
    .clk_i, .rst_ni,
    .append_i(append), .first_i(first), .last_i(run_final && ent.eop),
    .chunk_len_i(chunk_len), .chunk_i(chunk), .hdr_i(hdr), .dest_i(ent.dest),
    .room_o(room),
    .tlp_valid_o, .tlp_ready_i, .tlp_o
  );

  `DUET_ASSERT_PARAM(LineLegal, Line >= 16 && Line <= 128 && $onehot(Line),
                     "Line must be a power of 2 in 16..128")
  `DUET_ASSERT_PARAM(SubHeaderBytesLegal, SubHeaderBytes >= 2 && SubHeaderBytes <= 6,
                     "SubHeaderBytes must be 2..6")
  `DUET_ASSERT_PARAM(OffsetWidthLegal, OffsetWidth == 8 * SubHeaderBytes - 10,
                     "OffsetWidth must be 8*SubHeaderBytes - 10")
  `DUET_ASSERT_PARAM(LineInRange, $clog2(Line) <= OffsetWidth,
                     "Line must not exceed 2**OffsetWidth")
  `DUET_ASSERT_PARAM(BeatLegal, Beat >= 8 && Beat <= 128 && $onehot(Beat),
                     "Beat must be a power of 2 in 8..128")
  `DUET_ASSERT_PARAM(EcrcLegal, Ecrc <= 1, "Ecrc must be 0 or 1")

`ifdef DUET_SIMULATION
  // What the remote write queue promises (specification section 8). The assertions read single bits
  // out of a procedure, because Verilator copies whatever they read on every evaluation, and
  // drain_i is wide.
  logic plen_ok, mask_ok, whole_ok, window_ok, base_ok;
  always_comb begin
    plen_ok   = 1'b1;
    mask_ok   = 1'b1;
    whole_ok  = 1'b1;
    window_ok = 1'b1;
    base_ok   = 1'b1;
    if (drain_valid_i && drain_ready_o) begin
      if (drain_i.kind != finepack_pkg::DrainMark) mask_ok = drain_i.mask != '0;
      if (drain_i.kind != finepack_pkg::DrainPack) begin
        whole_ok = drain_i.sop && drain_i.eop;
      end else begin
        plen_ok   = drain_i.plen != 0 && drain_i.plen <= 4096;
        window_ok = {drain_i.line, IdxW'(0)} >> OffsetWidth == drain_i.base >> OffsetWidth;
        base_ok   = drain_i.base[OffsetWidth-1:0] == 0;
      end
    end
  end
`endif
  `DUET_ASSUME(DrainPlen, plen_ok, "packet payload is not 1..4096 bytes")
  `DUET_ASSUME(DrainMask, mask_ok, "entry without enabled bytes")
  `DUET_ASSUME(DrainWhole, whole_ok, "a raw access is not one beat")
  `DUET_ASSUME(OffsetsFit, window_ok, "line outside the packet's window")
  `DUET_ASSUME(BaseAligned, base_ok, "base is not aligned to the window")

`ifdef DUET_PROVE
  // The rest of what it promises; a simulation sees EmittedIsPlen fail.
  function automatic logic [12:0] cost(logic [Line-1:0] enabled);
    return 13'($countones(enabled))
           + 13'(SubHeaderBytes) * 13'($countones(enabled & ~(enabled << 1)));
  endfunction
  logic        inside_q;         // beats of a packet have been accepted, its eop beat has not
  logic [12:0] sum_q, sum;       // payload of those
  logic [12:0] plen_of_first_q;  // what its first beat said
  logic        accept, pack;
  assign accept = drain_valid_i && drain_ready_o;
  assign pack   = drain_i.kind == finepack_pkg::DrainPack;
  assign sum    = (inside_q ? sum_q : '0) + cost(drain_i.mask);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
    end else if (accept) begin
      inside_q        <= !drain_i.eop;
      sum_q           <= sum;
      plen_of_first_q <= drain_i.plen;
    end
  end
`endif
  `DUET_PROMISE_STATIC(SelfIdStatic, self_id_i)
  `DUET_PROMISE(PacketWhole, !accept || drain_i.sop == !inside_q)
  `DUET_PROMISE(OnePlen, !accept || !inside_q || (pack && drain_i.plen == plen_of_first_q))
  `DUET_PROMISE(PlenExact, !accept || !pack
                           || (drain_i.eop ? sum == drain_i.plen : sum < drain_i.plen))
  `DUET_PROMISE(OperandSize, !accept || drain_i.kind != finepack_pkg::DrainAtomic
                             || $countones(drain_i.mask) <= 8)

`ifdef DUET_SIMULATION
  // Emitted bytes equal plen at eop.
  logic        pack_q;     // the packet in the accumulator is a FinePack packet
  logic [12:0] plen_q;     // its payload
  logic [12:0] emitted_q;  // its bytes in beats that were taken
  logic        tlp_taken;
  assign tlp_taken = tlp_valid_o && tlp_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pack_q    <= 1'b0;
      plen_q    <= '0;
      emitted_q <= '0;
    end else begin
      if (append) pack_q <= ent.kind == finepack_pkg::DrainPack;
      if (append) plen_q <= ent.plen;
      if (tlp_taken) emitted_q <= tlp_o.eop ? '0 : emitted_q + 13'(tlp_o.nbytes);
    end
  end
`endif
  `DUET_ASSERT(EmittedIsPlen, !(tlp_taken && tlp_o.eop && pack_q)
                              || emitted_q + 13'(tlp_o.nbytes) == plen_q,
               "emitted bytes differ from plen")
  `DUET_ASSERT_STABLE(TlpStable, tlp_valid_o, tlp_ready_i, tlp_o)
endmodule
