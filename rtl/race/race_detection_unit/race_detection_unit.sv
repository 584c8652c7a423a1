`include "duet_assert.svh"
`include "race_types.svh"
`include "race_detection_unit_types.svh"

/// Keeps for each SM a signature of what the others have written since its last synchronisation,
/// puts all writes and checked reads in one order, and tells an SM when it must synchronise
/// (Tabbakh, thesis, chapter 4; specification 5.2). All outputs are functions of registers. A
/// request accepted in cycle t is picked in t+1 at the earliest; its answer and its token show in
/// t+4 when it takes one step.
module race_detection_unit  // rule: Cycle rules
  import race_pkg::*;
#(
  parameter int unsigned NSm    = 16,    // SMs, 2..16
  parameter int unsigned M      = 8192,  // bits of a signature: 256, or 1024 to 16384
  parameter int unsigned NSat   = 1024,  // inserts after which it is sent unasked, 1..M/8
  parameter int unsigned Gran   = 128,   // bytes of a granule: 1, 4, 128, 512
  parameter int unsigned EpochW = 5,     // bits of an epoch, 2..5
  parameter int unsigned RqN    = 16,    // places of an SM's queue, 1..64
  parameter int unsigned Lanes  = 4,     // granules in a cycle: 1, 2, 4, 8
  localparam type tok_t = `RACE_TOK_T,
  localparam type counters_t = `RACE_DETECTION_UNIT_CNT_T
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // req: bit and element i of SM i
  input  logic [NSm-1:0]        req_valid_i,
  input  logic [NSm-1:0][169:0] req_i,
  // tok: the order of all writes and checked reads
  input  logic                  tok_ready_i,
  // rsp
  input  logic [NSm-1:0]        rsp_ready_i,
  output logic [NSm-1:0]        req_ready_o,
  output logic                  tok_valid_o,
  output tok_t                  tok_o,
  output logic [NSm-1:0]        rsp_valid_o,
  output logic [NSm-1:0][280:0] rsp_o,
  output logic                  idle_o,       // nothing is under way, and no signature is due
  output counters_t                  counters_o         // events since reset
);
  // Parameters of the parts. Illegal ones are not passed on: the assertions below tell of them.
  localparam int unsigned NSmP    = clamp(2, 16, NSm);
  localparam int unsigned MP      = legal_m(M);
  localparam int unsigned NSatP   = clamp(1, MP / 8, NSat);
  localparam int unsigned GranP   = legal_gran(Gran);
  localparam int unsigned EpochWP = clamp(2, 5, EpochW);
  localparam int unsigned RqNP    = clamp(1, 64, RqN);

  localparam int unsigned Chunks   = MP / BeatBits;
  localparam int unsigned IndexW   = $clog2(MP);
  localparam int unsigned Granules = granules(GranP);  // of a line
  // No more lanes than granules.
  localparam int unsigned LanesP = clamp(1, Granules, legal_lanes(Lanes));
  localparam int unsigned SmW    = $clog2(NSmP);
  localparam int unsigned CountW = $clog2(RqNP + 1);

  typedef `RACE_REQ_T req_t;
  typedef `RACE_RSP_T rsp_t;

  // Stage B: the hash.
  logic                b_valid_d, b_valid_q;
  logic [SmW-1:0]      b_sm_q;
  req_t                b_q;
  // Stage C: the signatures. The order of its last steps is the order of memory.
  logic                c_valid_d, c_valid_q;
  logic [SmW-1:0]      c_sm_q;
  logic [1:0]          c_kind_q;
  logic [7:0]          c_id_q;
  logic [31:0]         c_addr_q;
  hash_t               c_hash_q;           // of the line's first granule
  logic [Granules-1:0] c_left_d, c_left_q; // granules
  logic                c_race_d, c_race_q; // of the steps before
  // Token
  logic                tok_valid_d, tok_valid_q;
  tok_t                tok_q;

  // -----------------------------------------------------------------------------------------------
  // What moves
  logic [NSmP-1:0]     queued, push, pop;   // by SM: its queue has a request
  logic [NSmP-1:0]     beat_free, beat_taken, beat_hdr, force_pend;
  logic [NSmP-1:0]     busy, free, forced;
  logic [Granules-1:0] left;                // granules after this step
  logic                check, last, tok_free, step, c_done, b_moves, b_free;
  logic                pick;
  logic [SmW-1:0]      pick_sm;

  assign check    = (c_kind_q == ReqRdchk || c_kind_q == ReqHitchk);  // rule: 10
  assign last     = (left == '0);  // rule: States step
  assign tok_free = !tok_valid_q || tok_ready_i;  // rule: States step; 10
  assign step     = c_valid_q && (!last || tok_free);  // rule: States step
  assign c_done   = c_valid_q && last && tok_free;  // rule: States B moves
  assign b_moves  = b_valid_q && (!c_valid_q || c_done);  // rule: States B moves
  assign b_free   = !b_valid_q || b_moves;  // rule: States pick

  // At most one request of an SM in B and C, and none while its answer is on its way: the SM may
  // have to synchronise before its next check.
  always_comb begin : free_sms  // rule: States free(i)
    busy = '0;
    if (b_valid_q) busy |= NSmP'(16'd1 << b_sm_q);
    if (c_valid_q) busy |= NSmP'(16'd1 << c_sm_q);
  end
  assign free   = ~busy & beat_free;  // rule: States free(i)
  assign forced = force_pend & free;  // rule: States forced(i)

  race_detection_unit_pick #(  // rule: States pick
    .NSm(NSmP)
  ) u_pick (
    .clk_i,
    .rst_ni,
    .pick_i (b_free),
    .ready_i(queued & free & ~force_pend),
    .valid_o(pick),
    .sm_o   (pick_sm)
  );

  // -----------------------------------------------------------------------------------------------
  // Queues
  req_t head [NSmP];

  assign push = req_valid_i & req_ready_o;  // rule: Ports req_valid_i
  assign pop  = pick ? NSmP'(16'd1 << pick_sm) : '0;  // rule: States pick

  for (genvar i = 0; i < NSmP; i++) begin : gen_queue
    logic [CountW-1:0] count;
    duet_fifo #(  // rule: Ports req_valid_i
      .T    (req_t),
      .Depth(RqNP)
    ) u_fifo (
      .clk_i,
      .rst_ni,
      .push_i (push[i]),
      .data_i (req_i[i]),
      .pop_i  (pop[i]),
      .head_o (head[i]),
      .count_o(count)
    );
    assign queued[i]      = (count != '0);  // rule: States pick
    assign req_ready_o[i] = (32'(count) < RqNP);  // rule: Ports req_valid_i
  end

  // -----------------------------------------------------------------------------------------------
  // Stages B and C
  logic [LanesP-1:0]                         lane;
  logic [LanesP-1:0][Hashes-1:0][IndexW-1:0] bits;
  logic [LanesP-1:0][Hashes-1:0]             fresh;
  logic [NSmP-1:0]                           hits;
  logic                                      hit, race;
  hash_t                                     b_hash;
  logic [Granules-1:0]                       b_left;

  always_comb begin : prepare  // rule: 2
    b_hash = '0;
    b_left = '0;
    if (b_moves) begin
      // A granule may be larger than a line.
      b_hash = hash({b_q.addr[31:7], 7'd0} >> $clog2(GranP));  // rule: Registers stage C
      if (b_q.kind == ReqRdchk || b_q.kind == ReqHitchk) begin
        b_left = '1;
      end else begin
        for (int unsigned g = 0; g < Granules; g++) begin
          b_left[g] = (b_q.mask[g*(LineBytes/Granules) +: LineBytes/Granules] != '0);
        end
      end
    end
  end

  race_detection_unit_step #(  // rule: 3
    .M       (MP),
    .Granules(Granules),
    .Lanes   (LanesP)
  ) u_step (
    .valid_i(c_valid_q),
    .hash_i (c_hash_q),
    .left_i (c_left_q),
    .left_o (left),
    .lane_o (lane),
    .index_o(bits),
    .fresh_o(fresh)
  );
  assign hit  = (hits != '0);  // rule: Registers stage C
  assign race = c_race_q || hit;  // rule: Registers stage C

  always_comb begin : stages
    b_valid_d = b_free ? pick : 1'b1;  // rule: States pick
    c_valid_d = b_moves || (c_valid_q && !c_done);  // rule: States B moves
    c_left_d  = c_left_q;
    c_race_d  = c_race_q;
    if (step) begin  // rule: States step
      c_left_d = left;
      c_race_d = race;
    end
    if (b_moves) begin  // rule: Registers stage C
      c_left_d = b_left;
      c_race_d = 1'b0;
    end
    tok_valid_d = (tok_valid_q && !tok_ready_i) || (c_done && c_kind_q != ReqHitchk);  // rule: 10
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_valid_q   <= 1'b0;
      c_valid_q   <= 1'b0;
      tok_valid_q <= 1'b0;
    end else begin
      b_valid_q   <= b_valid_d;
      c_valid_q   <= c_valid_d;
      tok_valid_q <= tok_valid_d;
    end
  end

  // The valid bits cover these.
  always_ff @(posedge clk_i) begin
    if (pick) begin  // rule: States pick
      b_sm_q <= pick_sm;
      b_q    <= head[pick_sm];
    end
    if (b_moves) begin  // rule: States B moves
      c_sm_q   <= b_sm_q;
      c_kind_q <= b_q.kind;
      c_id_q   <= b_q.id;
      c_addr_q <= b_q.addr;
      c_hash_q <= b_hash;
    end
    c_left_q <= c_left_d;  // rule: Registers stage C
    c_race_q <= c_race_d;  // rule: Registers stage C
    if (c_done && c_kind_q != ReqHitchk) tok_q <= '{sm: 4'(c_sm_q), addr: c_addr_q};  // rule: 10
  end

  // -----------------------------------------------------------------------------------------------
  // Signatures and answers
  logic [2:0]      answer;  // to the request whose last step this is
  logic            sync;
  logic [NSmP-1:0] at_c, answered, snapshot;

  assign at_c     = c_valid_q ? NSmP'(16'd1 << c_sm_q) : '0;  // rule: Ports rsp_valid_o
  assign answered = c_done ? at_c : '0;  // rule: Ports rsp_valid_o
  assign answer   = !check ? RspWack : race ? RspRace : RspNorace;  // rule: Ports rsp_valid_o
  assign sync     = !check || race;  // rule: Ports rsp_valid_o
  assign snapshot = forced | (sync ? answered : '0);  // rule: States forced(i)

  for (genvar i = 0; i < NSmP; i++) begin : gen_sm
    logic [Chunks-1:0] chunks;
    logic              read;
    logic [5:0]        chunk;
    logic [255:0]      data;
    rsp_t              rsp;

    race_detection_unit_signature #(  // rule: Registers _signature
      .M    (MP),
      .NSat (NSatP),
      .Lanes(LanesP)
    ) u_signature (
      .clk_i,
      .rst_ni,
      .check_i   (at_c[i] && check),
      // The writer synchronises: it needs not be told of its own writes.
      .insert_i  (step && !check && !at_c[i]),
      .lane_i    (lane),
      .index_i   (bits),
      .fresh_i   (fresh),
      .hit_o     (hits[i]),
      .snapshot_i(snapshot[i]),
      .force_o   (force_pend[i]),
      .chunks_o  (chunks),
      .read_i    (read),
      .chunk_i   (chunk),
      .data_o    (data)
    );

    race_detection_unit_response #(  // rule: Registers _response
      .Chunks(Chunks),
      .EpochW(EpochWP)
    ) u_response (
      .clk_i,
      .rst_ni,
      .make_i     (forced[i] || answered[i]),
      .kind_i     (forced[i] ? RspForced : answer),
      .id_i       (forced[i] ? 8'd0 : c_id_q),
      .sync_i     (snapshot[i]),
      .free_o     (beat_free[i]),
      .taken_o    (beat_taken[i]),
      .chunks_i   (chunks),
      .read_o     (read),
      .chunk_o    (chunk),
      .data_i     (data),
      .rsp_valid_o(rsp_valid_o[i]),
      .rsp_ready_i(rsp_ready_i[i]),
      .rsp_o      (rsp)
    );
    assign rsp_o[i]    = rsp;
    assign beat_hdr[i] = rsp.hdr;
  end

  assign tok_valid_o = tok_valid_q;  // rule: 10
  assign tok_o       = tok_valid_q ? tok_q : '0;  // rule: 8
  assign idle_o      = !b_valid_q && !c_valid_q && !tok_valid_q && queued == '0
                       && rsp_valid_o == '0 && force_pend == '0;  // rule: Ports idle_o

  // -----------------------------------------------------------------------------------------------
  // Counters
  counters_t       counters_d, counters_q;
  logic [3:0] stepped;  // granules of this step

  always_comb begin : count  // rule: Ports counters_o
    counters_d   = counters_q;
    stepped = 4'($countones(lane));
    if (c_done) begin
      unique case (c_kind_q)
        ReqRdchk:  counters_d.reads = counters_q.reads + 32'd1;
        ReqHitchk: counters_d.hit_checks = counters_q.hit_checks + 32'd1;
        ReqWrite:  counters_d.writes = counters_q.writes + 32'd1;
        default:   counters_d.atomics = counters_q.atomics + 32'd1;
      endcase
      if (check && race) counters_d.races = counters_q.races + 32'd1;  // rule: 7
    end
    if (step && check) begin  // rule: 1
      counters_d.granules_checked = counters_q.granules_checked + 32'(stepped);
      counters_d.check_steps      = counters_q.check_steps + 32'd1;
    end
    if (step && !check)
      counters_d.inserts = counters_q.inserts + 32'(stepped) * (NSmP - 1);  // rule: 1
    if (c_valid_q && last && !tok_free) counters_d.token_stall = counters_q.token_stall + 32'd1;
    counters_d.forced       = counters_q.forced + 32'($countones(forced));  // rule: 4
    counters_d.header_beats =
        counters_q.header_beats + 32'($countones(beat_taken & beat_hdr));  // rule: 6
    counters_d.chunk_beats =
        counters_q.chunk_beats + 32'($countones(beat_taken & ~beat_hdr));  // rule: 6
    counters_d.queue_full =
        counters_q.queue_full + 32'($countones(req_valid_i & ~req_ready_o));  // rule: 5
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) counters_q <= '0;
    else         counters_q <= counters_d;
  end
  assign counters_o = counters_q;  // rule: Ports counters_o

  `DUET_ASSERT_PARAM(NSmLegal, NSm >= 2 && NSm <= 16, "NSm must be 2..16")
  `DUET_ASSERT_PARAM(MLegal, M == MP, "M must be 256, or a power of 2 from 1024 to 16384")
  `DUET_ASSERT_PARAM(NSatLegal, NSat >= 1 && NSat <= M / 8, "NSat must be 1..M/8")
  `DUET_ASSERT_PARAM(GranLegal, Gran == GranP, "Gran must be 1, 4, 128 or 512")
  `DUET_ASSERT_PARAM(EpochWLegal, EpochW >= 2 && EpochW <= 5, "EpochW must be 2..5")
  `DUET_ASSERT_PARAM(RqNLegal, RqN >= 1 && RqN <= 64, "RqN must be 1..64")
  `DUET_ASSERT_PARAM(LanesLegal, Lanes == legal_lanes(Lanes), "Lanes must be 1, 2, 4 or 8")

  // Specification section 8.
  `DUET_ASSERT_STABLE(TokStable, tok_valid_o, tok_ready_i, tok_o)
  `DUET_ASSERT(OneInside, !(b_valid_q && c_valid_q && b_sm_q == c_sm_q),
               "two requests of an SM in B and C")
  `DUET_ASSERT(ForcedOutside, (forced & (busy | pop)) == '0,
               "forced synchronisation of an SM that is being checked")
`ifdef DUET_SIMULATION
  logic [NSmP-1:0][7:0] req_ids;
  for (genvar i = 0; i < NSmP; i++) begin : gen_id
    assign req_ids[i] = req_i[i][167:160];
  end

  race_detection_unit_shadow #(
    .NSm     (NSmP),
    .Granules(Granules)
  ) u_shadow (
    .clk_i,
    .rst_ni,
    .accept_i   (push),
    .accept_id_i(req_ids),
    .step_i     (step),
    .last_i     (last),
    .check_i    (check),
    .sm_i       (c_sm_q),
    .id_i       (c_id_q),
    .line_i     (25'((GranP > LineBytes) ? c_addr_q >> $clog2(GranP) : c_addr_q >> 7)),
    .granules_i (c_left_q & ~left),
    .hit_i      (hit),
    .snapshot_i (snapshot)
  );
`endif
endmodule
