`include "duet_assert.svh"
`include "race_types.svh"
`include "access_validation_unit_types.svh"

/// Says of each lookup of a load in the L1 whether the line may be used: by the epoch in which it
/// was fetched, and by the signature that came with the last synchronisation (Tabbakh, thesis,
/// section 4.2.2; specification 5.3). All outputs are functions of registers. The result of a
/// lookup or query of cycle t shows in t+1, and so does the effect of a beat.
module access_validation_unit  // rule: Cycle rules
  import race_pkg::*;
#(
  parameter int unsigned M      = 8192,  // bits of a signature: 256, or 1024 to 16384
  parameter int unsigned Gran   = 128,   // bytes of a granule: 1, 4, 128, 512
  parameter int unsigned EpochW = 5,     // bits of an epoch, 2..5
  parameter int unsigned Lines  = 128,   // lines of the L1, 1..256
  parameter int unsigned Hits   = 4,     // hits of a line without a check, 1..7
  parameter int unsigned VLanes = 4,     // queries in a cycle, 1..8
  localparam type rsp_t  = `RACE_RSP_T,
  localparam type lk_t   = `RACE_LK_T,
  localparam type fill_t = `RACE_FILL_T,
  localparam type done_t = `RACE_DONE_T,
  localparam type counters_t  = `ACCESS_VALIDATION_UNIT_CNT_T
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // rsp: beats from the race detection unit
  input  logic                    rsp_valid_i,
  input  rsp_t                    rsp_i,
  output logic                    rsp_ready_o,
  // lk: a load is looked up in the L1; rs: the result, one cycle later
  input  logic                    lk_valid_i,
  input  lk_t                     lk_i,
  output logic                    lk_ready_o,
  output logic                    rs_valid_o,
  output logic [2:0]              rs_o,
  // a line is installed; the check of a line is answered
  input  logic                    fill_valid_i,
  input  fill_t                   fill_i,
  input  logic                    hc_clr_valid_i,
  input  logic [7:0]              hc_clr_i,
  // q: queries of the speculative load queue
  input  logic [VLanes-1:0]       q_valid_i,
  input  logic [VLanes-1:0][34:0] q_i,
  output logic [VLanes-1:0]       q_member_o,
  input  logic                    slq_busy_i,   // it validates
  output logic [4:0]              epoch_o,
  // an answer is complete and in force: pulse
  output logic                    done_valid_o,
  output done_t                   done_o,
  // err: pulse
  output logic                    err_valid_o,
  output logic [3:0]              err_code_o,
  output counters_t                    counters_o         // events since reset
);
  // Parameters of the parts. Illegal ones are not passed on: the assertions below tell of them.
  localparam int unsigned MP      = legal_m(M);
  localparam int unsigned GranP   = legal_gran(Gran);
  localparam int unsigned EpochWP = clamp(2, 5, EpochW);
  localparam int unsigned LinesP  = clamp(1, 256, Lines);
  localparam int unsigned HitsP   = clamp(1, 7, Hits);

  localparam int unsigned Chunks = MP / BeatBits;

  typedef logic [EpochWP-1:0] epoch_t;
  typedef `RACE_Q_T           q_t;

  // The header of an answer whose chunks are loaded.
  typedef struct packed {
    logic [2:0] kind;
    logic [7:0] id;
    epoch_t     epoch;
  } header_t;

  epoch_t            epoch_d, epoch_q;
  logic              loading_d, loading_q;
  header_t           header_q;
  logic              rs_valid_q;
  logic [2:0]        rs_q;
  logic [VLanes-1:0] member_q;
  logic              done_valid_q;
  done_t             done_d, done_q;
  // What rsp_ready_o waits for: the synchronisation of the cycle before, the queue in it.
  logic              synced_q, busy_q;
  logic [3:0]        err_d, err_q;

  assign rsp_ready_o = !((done_valid_q && done_q.sync) || synced_q || busy_q);  // rule: 11
  assign lk_ready_o  = !loading_q;  // rule: 9

  // -----------------------------------------------------------------------------------------------
  // Beats
  logic       beat, done, sync, clear, wr;
  logic [3:0] beat_err;
  epoch_t     expected;  // epoch after the header
  logic       kind_legal;

  assign beat       = rsp_valid_i && rsp_ready_o;  // rule: 1
  assign expected   = epoch_q + epoch_t'(rsp_i.sync);  // rule: States Sync
  assign kind_legal = (rsp_i.kind == RspNorace) ? (!rsp_i.sync && rsp_i.last)  // rule: Errors
                                                : (rsp_i.kind <= RspForced && rsp_i.sync);

  always_comb begin : take_beat
    beat_err  = ErrNone;
    done      = 1'b0;
    sync      = 1'b0;
    clear     = 1'b0;
    wr        = 1'b0;
    loading_d = loading_q;
    epoch_d   = epoch_q;
    done_d    = '{kind: rsp_i.kind, id: rsp_i.id, epoch: rsp_i.epoch, sync: rsp_i.sync};  // rule: 3
    if (beat && loading_q) begin
      if (rsp_i.hdr) begin  // rule: States loading header
        beat_err = ErrHeader;
      end else begin
        // Data that have no place are dropped; the answer ends all the same.
        if (32'(rsp_i.chunk) < Chunks) wr = 1'b1;  // rule: States loading chunk, last = 0
        else beat_err = ErrIndex;  // rule: 2
        if (rsp_i.last) begin  // rule: States loading chunk, last = 1; 2
          loading_d = 1'b0;
          done      = 1'b1;
          sync      = 1'b1;
          epoch_d   = header_q.epoch;
          done_d    = '{  // rule: 3
            kind: header_q.kind, id: header_q.id, epoch: 5'(header_q.epoch), sync: 1'b1
          };
        end
      end
    end else if (beat) begin
      if (!rsp_i.hdr) begin  // rule: States idle chunk
        beat_err = ErrChunk;
      end else if (!kind_legal) begin  // rule: Errors
        beat_err = ErrKind;
      end else if (rsp_i.epoch != 5'(expected)) begin  // rule: 4
        beat_err = ErrEpoch;
      end else begin
        clear     = rsp_i.sync;  // rule: States idle header, sync = 1, last = 0
        loading_d = !rsp_i.last;  // rule: States idle header, sync = 1, last = 0
        done      = rsp_i.last;  // rule: States idle header, sync = 0
        sync      = rsp_i.sync && rsp_i.last;  // rule: States idle header, sync = 1, last = 1
        if (sync) epoch_d = expected;  // rule: States idle header, sync = 1, last = 1
      end
    end
  end

  // -----------------------------------------------------------------------------------------------
  // Lookups
  logic       lookup, present, live, full, tested, member;
  epoch_t     line_epoch, age;
  logic [2:0] result;

  assign lookup  = lk_valid_i && lk_ready_o;  // rule: 1
  assign present = lk_i.tag_hit && 32'(lk_i.line) < LinesP;  // rule: States tag_hit
  assign age     = epoch_q - line_epoch;  // rule: States age 1
  assign tested  = lookup && present && live && age == epoch_t'(1);  // rule: States age 1; 6

  always_comb begin : judge
    result = RsHit;  // rule: States else
    if (!present) result = RsMissCold;  // rule: States tag_hit
    else if (!live || age >= epoch_t'(2)) result = RsMissExpired;  // rule: States not live
    else if (member) result = RsMissAvu;  // rule: States age 1
    else if (full) result = RsHitNeedchk;  // rule: States hits used up
  end

  // -----------------------------------------------------------------------------------------------
  // Lines and signature
  logic              fill, hc_clr;
  logic [8:0]        wrapped;
  logic [VLanes-1:0] members;

  assign fill   = fill_valid_i && 32'(fill_i.line) < LinesP;  // rule: Errors
  assign hc_clr = hc_clr_valid_i && 32'(hc_clr_i) < LinesP;  // rule: Errors
  // The upper bits of a fill's epoch are 0.
  wire unused_epoch = ^fill_i.epoch;

  access_validation_unit_lines #(  // rule: States For the hits
    .EpochW(EpochWP),
    .Lines (LinesP),
    .Hits  (HitsP)
  ) u_lines (
    .clk_i,
    .rst_ni,
    .line_i      (present ? lk_i.line : '0),
    .live_o      (live),
    .epoch_o     (line_epoch),
    .full_o      (full),
    .hit_i       (lookup && result == RsHit),
    .fill_i      (fill),
    .fill_line_i (fill_i.line),
    .fill_epoch_i(epoch_t'(fill_i.epoch)),
    .clear_i     (hc_clr),
    .clear_line_i(hc_clr_i),
    .sync_i      (sync),
    .sync_epoch_i(epoch_d),
    .wrapped_o   (wrapped)
  );

  access_validation_unit_signature #(  // rule: States age 1
    .M    (MP),
    .Gran (GranP),
    .Tests(VLanes + 1)
  ) u_signature (
    .clk_i,
    .rst_ni,
    .clear_i (clear),
    .wr_i    (wr),
    .chunk_i (rsp_i.chunk),
    .data_i  (rsp_i.data),
    .test_i  ({q_valid_i, tested}),
    .access_i({q_i, q_t'{size: lk_i.size, addr: lk_i.addr}}),
    .member_o({members, member})
  );

  // -----------------------------------------------------------------------------------------------
  // Errors and counters
  counters_t counters_d, counters_q;

  always_comb begin : error  // rule: Errors
    err_d = ErrNone;
    if ((lookup && lk_i.tag_hit && !present) || (fill_valid_i && !fill)
        || (hc_clr_valid_i && !hc_clr)) begin
      err_d = ErrLine;
    end
    if (beat_err != ErrNone) err_d = beat_err;
  end

  always_comb begin : count  // rule: Ports
    counters_d = counters_q;
    if (lookup) begin
      unique case (result)
        RsHit: begin
          if (age == '0) counters_d.hit_age0 = counters_q.hit_age0 + 32'd1;  // rule: 8
          else counters_d.hit_age1 = counters_q.hit_age1 + 32'd1;  // rule: 8
        end
        RsHitNeedchk:  counters_d.needchk = counters_q.needchk + 32'd1;  // rule: 8
        RsMissCold:    counters_d.miss_cold = counters_q.miss_cold + 32'd1;
        RsMissExpired: counters_d.miss_expired = counters_q.miss_expired + 32'd1;
        default:       counters_d.miss_avu = counters_q.miss_avu + 32'd1;
      endcase
    end
    counters_d.signature_tests =
        counters_q.signature_tests + 32'(tested) + 32'($countones(q_valid_i));
    if (sync) counters_d.syncs = counters_q.syncs + 32'd1;
    if (loading_q) counters_d.load_cycles = counters_q.load_cycles + 32'd1;  // rule: 9
    counters_d.wrapped = counters_q.wrapped + 32'(wrapped);  // rule: 7
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      epoch_q      <= '0;
      loading_q    <= 1'b0;
      rs_valid_q   <= 1'b0;
      member_q     <= '0;
      done_valid_q <= 1'b0;
      synced_q     <= 1'b0;
      busy_q       <= 1'b0;
      err_q        <= ErrNone;
      counters_q        <= '0;
    end else begin
      epoch_q      <= epoch_d;
      loading_q    <= loading_d;
      rs_valid_q   <= lookup;  // rule: Ports rs_valid_o
      member_q     <= members;  // rule: Ports q_valid_i
      done_valid_q <= done;  // rule: Ports done_valid_o
      synced_q     <= done_valid_q && done_q.sync;  // rule: 11
      busy_q       <= slq_busy_i;  // rule: 11
      err_q        <= err_d;
      counters_q        <= counters_d;
    end
  end

  // loading_q, rs_valid_q and done_valid_q cover these.
  always_ff @(posedge clk_i) begin
    if (clear) header_q <= '{kind: rsp_i.kind, id: rsp_i.id, epoch: expected};  // rule: 3
    if (lookup) rs_q <= result;  // rule: Ports rs_valid_o
    if (done) done_q <= done_d;  // rule: 3
  end

  assign rs_valid_o   = rs_valid_q;  // rule: 12
  assign rs_o         = rs_valid_q ? rs_q : '0;  // rule: 12
  assign q_member_o   = member_q;  // rule: Ports q_valid_i
  assign epoch_o      = 5'(epoch_q);  // rule: States Sync
  assign done_valid_o = done_valid_q;  // rule: Ports done_valid_o
  assign done_o       = done_valid_q ? done_q : '0;  // rule: 12
  assign err_valid_o  = (err_q != ErrNone);  // rule: Errors
  assign err_code_o   = err_q;  // rule: Errors
  assign counters_o        = counters_q;  // rule: Ports

  `DUET_ASSERT_PARAM(MLegal, M == MP, "M must be 256, or a power of 2 from 1024 to 16384")
  `DUET_ASSERT_PARAM(GranLegal, Gran == GranP, "Gran must be 1, 4, 128 or 512")
  `DUET_ASSERT_PARAM(EpochWLegal, EpochW >= 2 && EpochW <= 5, "EpochW must be 2..5")
  `DUET_ASSERT_PARAM(LinesLegal, Lines >= 1 && Lines <= 256, "Lines must be 1..256")
  `DUET_ASSERT_PARAM(HitsLegal, Hits >= 1 && Hits <= 7, "Hits must be 1..7")
  `DUET_ASSERT_PARAM(VLanesLegal, VLanes >= 1 && VLanes <= 8, "VLanes must be 1..8")

  // Specification section 8.
  `DUET_ASSERT(EpochStep, !(done_valid_o && done_o.sync && $past(rst_ni))
                          || epoch_o == 5'(epoch_t'($past(epoch_q) + 1'b1)),
               "epoch does not follow the one before")
  `DUET_ASSERT(EpochStatic, !$past(rst_ni) || epoch_q == $past(epoch_q)
                            || (done_valid_o && done_o.sync), "epoch changed outside a sync")
  `DUET_ASSERT(ExpiredNeverHits, !(rs_valid_o && rs_o <= RsHitNeedchk)
                                 || $past(age) < epoch_t'(2), "hit of an expired line")
  `DUET_ASSERT(NoLookupWhileLoading, !rs_valid_o || !$past(loading_q),
               "lookup while a signature is loaded")
  `RACE_ASSERT_INPUT(SignatureStable, q_valid_i == '0 || !beat,
                     "signature changes while it is tested")
  `RACE_ASSERT_INPUT(NoError, !err_valid_o, "bad input: err_code_o")
endmodule
