`include "duet_assert.svh"
`include "coherence_directory_types.svh"
`include "coherence_directory_entry.svh"

/// Records which other GPUs hold copies of the lines whose home is this GPU, and makes the
/// invalidations when a line is written or its entry is evicted (REC, J. Systems Architecture 160,
/// 2025, sections 2.3 and 4). All outputs are registered. A request accepted in cycle t is in S1 in
/// t+1; its response, its error code and the first line of its job are visible in t+2. One request
/// per cycle.
module coherence_directory  // rule: Cycle rules
  import coherence_directory_pkg::*;
#(
  parameter int unsigned Variant      = VariantRec,      // 0 baseline, 1 hmg, 2 rec, 3 ideal
  parameter int unsigned Gpus         = 4,               // GPUs of the system, 2..16
  parameter int unsigned Entries      = 8192,            // Ways times a power of 2
  parameter int unsigned Ways         = 8,               // entries of a set, 1..16
  parameter int unsigned Line         = 64,              // bytes of a line, 64 or 128
  parameter int unsigned Range        = 1024,            // bytes that an entry covers
  parameter int unsigned AddressWidth = 48,              // bits of an address, 16..52
  parameter int unsigned Replacement  = ReplacementLru,  // 0 FIFO, 1 LRU
  parameter int unsigned Jobs         = 8,               // invalidation jobs held, 2..64
  parameter int unsigned Responses    = 4,               // responses held, 3..16
  parameter int unsigned IdealLines   = 65536,           // lines of ideal: a power of 2, from 64 on
  localparam int unsigned Positions = at_least(Line, Range) / Line,
  localparam type req_t = `DIRECTORY_REQ_T(AddressWidth),
  localparam type rsp_t = `DIRECTORY_RSP_T,
  localparam type inv_t = `DIRECTORY_INV_T(AddressWidth),
  localparam type counters_t = `DIRECTORY_CNT_T
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // req: requests, in the order in which the L2 accesses its data
  input  logic       req_valid_i,
  output logic       req_ready_o,
  input  req_t       req_i,
  // rsp: one response per request, in order
  output logic       rsp_valid_o,
  input  logic       rsp_ready_i,
  output rsp_t       rsp_o,
  // inv: one line per cycle, to all its destinations
  output logic       inv_valid_o,
  input  logic       inv_ready_i,
  output inv_t       inv_o,
  // static from reset
  input  logic [3:0] self_id_i,
  output logic       idle_o,       // no request, job or response is held
  // err: pulse
  output logic       err_valid_o,
  output logic [3:0] err_code_o,
  output counters_t       counters_o,        // events since reset
  // hist: one bin of the eviction histogram, a cycle later
  input  logic [5:0]  hist_sel_i,
  output logic [31:0] hist_o
);
  // Parameters of the parts, raised to the least legal value: the assertions below report others.
  localparam int unsigned GpusP      = at_least(2, Gpus);
  localparam int unsigned WaysP      = at_least(1, Ways);
  localparam int unsigned RangeP     = at_least(Line, Range);
  localparam int unsigned JobsP      = at_least(2, Jobs);
  localparam int unsigned ResponsesP = at_least(3, Responses);

  localparam int unsigned Sharers    = GpusP - 1;
  localparam int unsigned Groups     = (Variant == VariantRec) ? Positions : 1;
  localparam int unsigned LineW      = $clog2(Line);
  localparam int unsigned CoverW     = $clog2(RangeP);
  localparam int unsigned BaseW      = AddressWidth - CoverW;
  localparam int unsigned PositionW  = (Positions > 1) ? $clog2(Positions) : 1;
  localparam int unsigned JobsWidth  = $clog2(JobsP + 1);
  localparam int unsigned ResponsesW = $clog2(ResponsesP + 1);
  // Age of the oldest job, in requests, at which requests stall: their numbers have 8 bits.
  localparam logic [7:0]  MaxAge  = 8'd96;

  // The array: sets of entries, or rows of lines.
  localparam bit          Ideal     = (Variant == VariantIdeal);
  localparam int unsigned Sets      = at_least(1, Entries / WaysP);
  localparam int unsigned Rows      = Ideal ? at_least(1, IdealLines / IdealRow) : Sets;
  // Lowest address bit of the index.
  localparam int unsigned RowLow    = Ideal ? LineW + $clog2(IdealRow) : CoverW;
  localparam int unsigned RowIdxW   = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int unsigned OrderW    = (WaysP > 1) ? WaysP * (WaysP - 1) / 2 : 1;
  localparam int unsigned BaseBits  = Ideal ? 1 : base_bits(Variant, AddressWidth, RangeP);
  localparam int unsigned GroupBits = group_bits(Variant, GpusP, Positions);
  typedef `DIRECTORY_ENTRY_T(BaseBits, GroupBits) entry_t;
  localparam int unsigned EntryW   = $bits(entry_t);
  localparam int unsigned RowWidth = Ideal ? IdealRow * Sharers : OrderW + WaysP * EntryW;

  // What the sweep writes.
`ifdef DUET_DUPLICATE
  // For tests of code 4 only, a corrupt set: line 0 of base 0 is tracked for the first slot, twice.
  localparam entry_t Corrupt = '{
      valid: 1'b1, base: '0, groups: GroupBits'((Variant == VariantRec) ? 3 : 1)
  };
  localparam logic [RowWidth-1:0] InitRow = RowWidth'({Corrupt, Corrupt});
`else
  localparam logic [RowWidth-1:0] InitRow = '0;
`endif

  // -----------------------------------------------------------------------------------------------
  // Acceptance
  logic                  swept, accept;
  logic [7:0]            seq_d, seq_q;                // number of the next request
  logic [JobsWidth-1:0]  job_credit_d, job_credit_q;  // jobs that requests may still make
  logic [ResponsesW-1:0] rsp_credit_d, rsp_credit_q;
  logic [JobsWidth-1:0]  job_count;
  logic [ResponsesW-1:0] rsp_count;
  logic [7:0]            head_seq;
  logic                  too_old;   // the oldest job's age is MaxAge or more
  logic                  job_done;  // the oldest job's last line is taken
  logic                  s1_free;   // the request in S1 makes no job
  logic                  rsp_pop;

  assign too_old     = (job_count != '0) && (seq_q - head_seq >= MaxAge);  // rule: 3
  assign req_ready_o = swept && job_credit_q != '0 && rsp_credit_q != '0 && !too_old;  // rule: 3
  assign accept      = req_valid_i && req_ready_o;  // rule: 1
  assign rsp_pop     = rsp_valid_o && rsp_ready_i;

  always_comb begin : credits
    seq_d        = seq_q + 8'(accept);  // rule: 2
    job_credit_d = job_credit_q + JobsWidth'(s1_free) + JobsWidth'(job_done) - JobsWidth'(accept);
    rsp_credit_d = rsp_credit_q + ResponsesW'(rsp_pop) - ResponsesW'(accept);  // rule: 4
  end

  // -----------------------------------------------------------------------------------------------
  // S1: the request and its fault
  logic       s1_valid_q;
  req_t       s1_req_q;
  logic [7:0] s1_seq_q;
  logic [3:0] self_q;  // static: a register only so that all of S1 depends on registers alone

  wire [BaseW-1:0]     s1_base = BaseW'(s1_req_q.addr >> CoverW);  // rule: Entry layout
  wire [PositionW-1:0] s1_pos  = (Positions > 1) ? PositionW'(s1_req_q.addr >> LineW) : '0;
  wire [RowIdxW-1:0]   s1_row  = (Rows > 1) ? RowIdxW'(s1_req_q.addr >> RowLow) : '0;
  wire [RowIdxW-1:0]   req_row = (Rows > 1) ? RowIdxW'(req_i.addr >> RowLow) : '0;
  wire [LineW-1:0]     unused_addr_in_line = s1_req_q.addr[LineW-1:0];

  logic       remote, local_, fence;
  logic [3:0] fault;  // error code of a refused request
  logic       exec, look;
  always_comb begin : check  // rule: 8
    remote = (s1_req_q.op inside {OpRrd, OpRwr});
    local_ = (s1_req_q.op inside {OpLrd, OpLwr});
    fence  = (s1_req_q.op == OpFence);
    fault  = ErrNone;
    if (Ideal && !fence && (64'(s1_req_q.addr) >> LineW) >= 64'(IdealLines)) fault = ErrAddr;
    if (32'(s1_req_q.src) >= GpusP
        || (remote && s1_req_q.src == self_q)
        || (local_ && s1_req_q.src != self_q)) fault = ErrSrc;
    if (s1_req_q.op > OpFence) fault = ErrOp;
    exec = s1_valid_q && fault == ErrNone;
    look = exec && !fence;
  end

  // -----------------------------------------------------------------------------------------------
  // Row lookup, decision, row update
  logic [RowWidth-1:0]            row, new_row;
  logic                           row_wr;
  logic                           present, tracked, full, duplicate;
  logic [Sharers-1:0]             slots, src_slot, line_slots, job_slots;
  logic                           alloc, line_wr, drop, use_way;
  logic                           job_write, job_evict, job_fence;
  logic [BaseW-1:0]               whole_base;
  logic [Positions-1:0]           whole_pos;
  logic [Groups-1:0][Sharers-1:0] whole_slots;

  assign src_slot = Sharers'(slots_of_gpus(16'h1 << s1_req_q.src, self_q));  // rule: 15
  assign s1_free  = s1_valid_q && !(job_write || job_evict || job_fence);  // rule: 4

  coherence_directory_table #(  // rule: 14
    .Rows    (Rows),
    .RowWidth(RowWidth),
    .InitRow (InitRow)
  ) u_table (
    .clk_i,
    .rst_ni,
    .ready_o (swept),
    .rd_i    (accept),
    .rd_idx_i(req_row),
    .row_o   (row),
    .wr_i    (row_wr),
    .wr_idx_i(s1_row),
    .wr_row_i(new_row)
  );

  if (Ideal) begin : gen_flat
    coherence_directory_flat #(  // rule: 6
      .Gpus(GpusP)
    ) u_flat (
      .clk_i,
      .rst_ni,
      .row_i    (row),
      .look_i   (look),
      .idx_i    ($clog2(IdealRow)'(s1_req_q.addr >> LineW)),
      .tracked_o(tracked),
      .slots_o  (slots),
      .line_i   (line_wr),
      .slots_i  (line_slots),
      .wr_o     (row_wr),
      .row_o    (new_row)
    );
    assign present     = tracked;
    assign full        = 1'b0;
    assign duplicate   = 1'b0;
    assign whole_base  = '0;
    assign whole_pos   = '0;
    assign whole_slots = '0;
    wire unused_entry_actions = &{drop, use_way};
  end else begin : gen_row
    coherence_directory_row #(  // rule: 11
      .Variant     (Variant),
      .Gpus        (GpusP),
      .Ways        (WaysP),
      .Line        (Line),
      .Range       (RangeP),
      .AddressWidth(AddressWidth)
    ) u_row (
      .clk_i,
      .rst_ni,
      .row_i        (row),
      .look_i       (look),
      .base_i       (s1_base),
      .pos_i        (s1_pos),
      .present_o    (present),
      .tracked_o    (tracked),
      .slots_o      (slots),
      .full_o       (full),
      .duplicate_o  (duplicate),
      .whole_base_o (whole_base),
      .whole_pos_o  (whole_pos),
      .whole_slots_o(whole_slots),
      .alloc_i      (alloc),
      .line_i       (line_wr),
      .slots_i      (line_slots),
      .drop_i       (drop),
      .use_i        (use_way),
      .wr_o         (row_wr),
      .row_o        (new_row)
    );
  end

  coherence_directory_decide #(  // rule: Transition table
    .Variant    (Variant),
    .Replacement(Replacement),
    .Gpus       (GpusP)
  ) u_decide (
    .clk_i,
    .rst_ni,
    .exec_i     (exec),
    .op_i       (s1_req_q.op),
    .src_i      (src_slot),
    .present_i  (present),
    .tracked_i  (tracked),
    .full_i     (full),
    .slots_i    (slots),
    .alloc_o    (alloc),
    .line_o     (line_wr),
    .slots_o    (line_slots),
    .drop_o     (drop),
    .use_o      (use_way),
    .job_write_o(job_write),
    .job_slots_o(job_slots),
    .job_evict_o(job_evict),
    .job_fence_o(job_fence)
  );

  // -----------------------------------------------------------------------------------------------
  // Jobs, responses, counters and errors
  coherence_directory_jobs #(  // rule: 5
    .Variant     (Variant),
    .Gpus        (GpusP),
    .Line        (Line),
    .Range       (RangeP),
    .AddressWidth(AddressWidth),
    .Jobs        (JobsP)
  ) u_jobs (
    .clk_i,
    .rst_ni,
    .self_i       (self_q),
    .write_i      (job_write),
    .evict_i      (job_evict),
    .fence_i      (job_fence),
    .seq_i        (s1_seq_q),
    .base_i       (s1_base),
    .pos_i        (s1_pos),
    .slots_i      (job_slots),
    .whole_base_i (whole_base),
    .whole_pos_i  (whole_pos),
    .whole_slots_i(whole_slots),
    .count_o      (job_count),
    .head_seq_o   (head_seq),
    .done_o       (job_done),
    .inv_valid_o,
    .inv_ready_i,
    .inv_o
  );

  rsp_t rsp;
  assign rsp = '{  // rule: 7
      seq:      s1_seq_q,
      sharers:  gpus_of_slots(16'(slots), self_q),
      reserved: '0,
      err:      fault != ErrNone,
      evicted:  job_evict,
      alloc:    alloc,
      hit:      tracked,
      id:       s1_req_q.id
  };

  coherence_directory_responses #(  // rule: Ports rsp_valid_o
    .Responses(ResponsesP)
  ) u_responses (
    .clk_i,
    .rst_ni,
    .push_i    (s1_valid_q),
    .push_rsp_i(rsp),
    .count_o   (rsp_count),
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o
  );

  coherence_directory_counters #(  // rule: 12
    .Positions(Positions),
    .JobsWidth(JobsWidth)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .exec_i (exec),
    .op_i   (s1_req_q.op),
    .hit_i  (tracked),
    .alloc_i(alloc),
    .evict_i(job_evict),
    .lines_i(whole_pos),
    .inv_i  (inv_valid_o && inv_ready_i),
    .cause_i(inv_o.cause),
    .dest_i (inv_o.dest),
    .wait_i (swept && !req_ready_o),
    .jobs_i (job_count),
    .counters_o,
    .hist_sel_i,
    .hist_o
  );

  logic [3:0] err_d, err_q;
  always_comb begin : error  // rule: 8
    err_d = ErrNone;
    if (s1_valid_q) err_d = fault;
    if (duplicate) err_d = ErrDuplicate;  // the request is executed
  end
  assign err_valid_o = (err_q != ErrNone);  // rule: 9
  assign err_code_o  = err_q;  // rule: 9

  assign idle_o = swept && !s1_valid_q && job_count == '0 && rsp_count == '0;  // rule: 13

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      seq_q        <= '0;
      job_credit_q <= JobsWidth'(Jobs);
      rsp_credit_q <= ResponsesW'(Responses);
      s1_valid_q   <= 1'b0;
      err_q        <= ErrNone;
    end else begin
      seq_q        <= seq_d;
      job_credit_q <= job_credit_d;
      rsp_credit_q <= rsp_credit_d;
      s1_valid_q   <= accept;
      err_q        <= err_d;
    end
  end

  // Without reset: s1_valid_q qualifies S1, and self_q is set during the sweep.
  always_ff @(posedge clk_i) begin
    self_q <= self_id_i;  // rule: Registers top
    if (accept) begin  // rule: 1
      s1_req_q <= req_i;
      s1_seq_q <= seq_q;  // rule: 2
    end
  end

  `DUET_ASSERT_PARAM(VariantLegal, Variant <= VariantIdeal, "Variant must be 0..3")
  `DUET_ASSERT_PARAM(GpusLegal, Gpus >= 2 && Gpus <= 16, "Gpus must be 2..16")
  `DUET_ASSERT_PARAM(WaysLegal, Ways >= 1 && Ways <= 16, "Ways must be 1..16")
  `DUET_ASSERT_PARAM(EntriesLegal, Entries == WaysP * Sets && $onehot(Sets),
                     "Entries must be Ways times a power of 2")
  `DUET_ASSERT_PARAM(LineLegal, Line == 64 || Line == 128, "Line must be 64 or 128")
  `DUET_ASSERT_PARAM(RangeOfLine, Variant inside {VariantHmg, VariantRec} || Range == Line,
                     "Range must be Line in baseline and ideal")
  `DUET_ASSERT_PARAM(RangeOfHmg, Variant != VariantHmg || Range == 4 * Line,
                     "Range must be 4 Line in hmg")
  `DUET_ASSERT_PARAM(RangeOfRec, Variant != VariantRec
                                 || Range inside {2 * Line, 4 * Line, 16 * Line, 64 * Line},
                     "Range must be 2, 4, 16 or 64 Line in rec")
  `DUET_ASSERT_PARAM(AddressWidthLegal, AddressWidth >= 16 && AddressWidth <= 52,
                     "AddressWidth must be 16..52")
  `DUET_ASSERT_PARAM(SetsInAddr, 64'(Range) * 64'(Sets) <= 64'd1 << AddressWidth,
                     "Entries must be so few that each set has an address below 2^AddressWidth")
  `DUET_ASSERT_PARAM(ReplacementLegal,
                     Replacement == ReplacementFifo || Replacement == ReplacementLru,
                     "Replacement must be 0 or 1")
  `DUET_ASSERT_PARAM(JobsLegal, Jobs >= 2 && Jobs <= 64, "Jobs must be 2..64")
  `DUET_ASSERT_PARAM(ResponsesLegal, Responses >= 3 && Responses <= 16, "Responses must be 3..16")
  `DUET_ASSERT_PARAM(IdealLinesLegal, IdealLines >= IdealRow && $onehot(IdealLines),
                     "IdealLines must be a power of 2, at least 64")
  `DUET_ASSERT_PARAM(IdealInAddr, 64'(IdealLines) * 64'(Line) <= 64'd1 << AddressWidth,
                     "IdealLines must be so few that all lines lie below 2^AddressWidth")
`ifdef DUET_DUPLICATE
  `DUET_ASSERT_PARAM(DuplicateLegal, Ways > 1 && !Ideal,
                     "DUET_DUPLICATE needs two ways and a variant other than ideal")
`endif

  `DUET_ASSUME(SelfIdLegal, 32'(self_id_i) < Gpus, "self_id_i must be below Gpus")
  `DUET_ASSUME(SelfIdStatic, !$past(rst_ni) || self_id_i == $past(self_id_i), "self_id_i changed")
  `DUET_ASSERT(JobCredits, 32'(job_credit_q) + 32'(job_count) + 32'(s1_valid_q) == Jobs,
               "job credit lost or made")
  `DUET_ASSERT(RspCredits, 32'(rsp_credit_q) + 32'(rsp_count) + 32'(s1_valid_q) == Responses,
               "response credit lost or made")
  `DUET_ASSERT(Latency, !$past(s1_valid_q) || rsp_valid_o, "no response two cycles after a request")
  `DUET_ASSERT(FaultsDoNothing, exec || !(row_wr || job_write || job_evict || job_fence),
               "request with a fault has an effect")
endmodule
