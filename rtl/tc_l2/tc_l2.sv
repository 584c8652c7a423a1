`include "duet_assert.svh"
`include "timestamp_types.svh"
`include "tc_l2_types.svh"

/// A bank of the L2 under temporal coherence: write-back, lends lines until a cycle, and holds all
/// lines that L1s hold (Tabbakh, thesis, section 3.2.1; specification 5.4, 5.8). All outputs are
/// functions of registers. A request accepted in cycle t can act in t+1; a hit is answered in t+4,
/// a request to memory shows in t+2. One action in L2Div cycles.
module tc_l2
  import timestamp_pkg::*;
#(
  parameter int unsigned NSm     = 16,   // SMs, 1..32
  parameter int unsigned Line    = 128,  // bytes of a line: 16, 32, 64, 128
  parameter int unsigned LineW   = 25,   // bits of its address, 8..40
  parameter int unsigned L2Banks = 8,    // banks, a power of 2, 1..16
  parameter int unsigned L2Sets  = 128,  // sets of this one, a power of 2, 1..1024
  parameter int unsigned L2Ways  = 8,    // ways of a set, 1..16
  parameter int unsigned L2Mshr  = 32,   // lines that are waited for, 1..64
  parameter int unsigned L2Wait  = 4,    // requests that wait for one of them, 1..16
  parameter int unsigned L2Div   = 2,    // cycles from one action to the next, 1..4
  parameter int unsigned Proto   = 0,    // 0 TC-Strong, 1 TC-Weak
  parameter int unsigned TcLease = 100,  // cycles for which a line is lent, 1..65535
  localparam type bus_req_t  = `TIMESTAMP_BUS_REQ_T(Line, LineW, TcTsW),
  localparam type bus_rsp_t  = `TIMESTAMP_BUS_RSP_T(Line, TcTsW),
  localparam type dram_req_t = `TIMESTAMP_DRAM_REQ_T(Line, LineW),
  localparam type dram_rsp_t = `TIMESTAMP_DRAM_RSP_T(Line, LineW),
  localparam type ask_t      = `TIMESTAMP_ASK_T(LineW, L2Ways),
  localparam type pick_t     = `TIMESTAMP_PICK_T,
  localparam type event_t    = `TIMESTAMP_EVENT_T(LineW),
  localparam type cnt_t      = `TC_L2_CNT_T
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // bus: requests of the L1s, and answers
  input  logic       bus_req_valid_i,
  input  bus_req_t   bus_req_i,
  output logic       bus_req_ready_o,
  output logic       bus_rsp_valid_o,
  output bus_rsp_t   bus_rsp_o,
  input  logic       bus_rsp_ready_i,
  // dram: requests to memory, and lines that were read
  output logic       dram_req_valid_o,
  output dram_req_t  dram_req_o,
  input  logic       dram_req_ready_i,
  input  logic       dram_rsp_valid_i,
  input  dram_rsp_t  dram_rsp_i,
  output logic       dram_rsp_ready_o,
  // sync: a release or an acquire
  input  logic       sync_valid_i,
  input  logic       sync_i,
  output logic       sync_ready_o,
  output logic       sync_done_o, // pulse
  // a policy says which way a line takes
  input  logic       policy_i,    // static
  output logic       ask_valid_o, // until pick_valid_i
  output ask_t       ask_o,
  input  logic       pick_valid_i,
  input  pick_t      pick_i,
  // event: what the action of the cycle before did to a line
  output logic       event_valid_o,
  output event_t     event_o,
  // err: pulse
  output logic       err_valid_o,
  output logic [3:0] err_code_o,
  output cnt_t       cnt_o        // events since reset
);
  // Parameters of the parts. Illegal ones are not passed on: the assertions below tell of them.
  localparam int unsigned NSmP     = clamp(1, 32, NSm);
  localparam int unsigned LineP    = legal_line(Line);
  localparam int unsigned LineWP   = clamp(8, 40, LineW);
  localparam int unsigned L2BanksP = legal_power(16, L2Banks);
  localparam int unsigned L2SetsP  = legal_power(clamp(1, 1024, (1 << clamp(0, 30, LineWP - 1))
                                                                / L2BanksP), L2Sets);
  localparam int unsigned L2WaysP  = clamp(1, 16, L2Ways);
  localparam int unsigned L2MshrP  = clamp(1, 64, L2Mshr);
  localparam int unsigned L2WaitP  = clamp(1, 16, L2Wait);
  localparam int unsigned L2DivP   = clamp(1, 4, L2Div);
  localparam int unsigned TcLeaseP = clamp(1, 65535, TcLease);

  // A write waits for the end of its line's lease.
  localparam bit Strong = (Proto == ProtoTcs);

  localparam int unsigned BankW = $clog2(L2BanksP);
  localparam int unsigned MshrW = (L2MshrP > 1) ? $clog2(L2MshrP) : 1;
  localparam int unsigned SetW  = (L2SetsP > 1) ? $clog2(L2SetsP) : 1;

  typedef `TIMESTAMP_BUS_REQ_T(LineP, LineWP, TcTsW) req_t;
  typedef `TIMESTAMP_BUS_RSP_T(LineP, TcTsW) rsp_t;
  typedef `TIMESTAMP_DRAM_REQ_T(LineP, LineWP) mem_req_t;
  typedef `TIMESTAMP_DRAM_RSP_T(LineP, LineWP) mem_rsp_t;
  typedef logic [LineWP-1:0]  line_t;
  typedef logic [8*LineP-1:0] data_t;
  typedef logic [SetW-1:0]    set_t;
  typedef logic [L2WaysP-1:0] ways_t;

  // What is done in a cycle.
  typedef enum logic [3:0] {
    ActNone,
    ActServe,    // B1: the oldest request of an MSHR
    ActFill,     // B2
    ActDropFill, // a line that nobody waits for
    ActWriteOut, // a step of a sync: a dirty line
    ActPass,     // or a set without one
    ActDrop,     // a request that cannot be
    ActAppend,   // B3
    ActHit,      // B4
    ActWait,     // a write that finds its line lent
    ActMiss,     // B5
    ActAsk       // the policy, before B5
  } act_e;

  function automatic set_t set_of(line_t line);
    return set_t'(line >> BankW) & set_t'(L2SetsP - 1);
  endfunction

  logic [1:0] pause_d, pause_q;    // cycles until an action may come
  logic       event_valid_d, event_valid_q;
  event_t     event_d, event_q;
  logic [3:0] err_d, err_q;

  // -----------------------------------------------------------------------------------------------
  // What comes
  logic [1:0] req_count, fill_count;
  logic       req_valid, fill_valid, req_pop, fill_pop;
  req_t       head;
  mem_rsp_t   fill;

  duet_fifo #(
    .T    (req_t),
    .Depth(2)
  ) u_requests (
    .clk_i,
    .rst_ni,
    .push_i (bus_req_valid_i && bus_req_ready_o),
    .data_i (bus_req_i),
    .pop_i  (req_pop),
    .head_o (head),
    .count_o(req_count)
  );
  assign bus_req_ready_o = (32'(req_count) < 2);
  assign req_valid       = (req_count != '0);

  duet_fifo #(
    .T    (mem_rsp_t),
    .Depth(2)
  ) u_fills (
    .clk_i,
    .rst_ni,
    .push_i (dram_rsp_valid_i && dram_rsp_ready_o),
    .data_i (dram_rsp_i),
    .pop_i  (fill_pop),
    .head_o (fill),
    .count_o(fill_count)
  );
  assign dram_rsp_ready_o = (32'(fill_count) < 2);
  assign fill_valid       = (fill_count != '0);

  // -----------------------------------------------------------------------------------------------
  // What is there to do, by priority
  act_e               todo, act;
  logic               idle, match, full, mshr_free, fill_match, unused_keep, last;
  logic [L2MshrP-1:0] filled, first_writes, mshr_over, waiting, ready;
  logic [MshrW-1:0]   free_mshr, fill_mshr, serve_mshr;
  logic [3:0]         mshr_way;
  req_t               oldest;
  logic               present;
  logic [3:0]         present_way, victim;
  ways_t              valid, dirty, reserved, over, may_go;
  logic               sync, acquire, last_set;
  set_t               sync_set;
  logic               asked, picked, unused_pick_keep, pick_wrong;
  logic [3:0]         pick_way;
  ways_t              ask_ways;
  logic               request_bad;
  logic               lent;  // the line that is touched

  assign waiting = Strong ? filled & first_writes & ~mshr_over : '0;
  assign ready   = filled & ~waiting;
  // What an L1 may hold stays.
  assign may_go  = ~reserved & (~valid | over);

  assign request_bad = (head.op > BusAtom) || (head.op == BusAtom && head.aop > AopXchg)
                       || 32'(head.sm) >= NSmP;

  always_comb begin : look
    todo = ActNone;
    if (asked) begin
      if (picked) todo = ActMiss;
    end else if (ready != '0) begin
      todo = ActServe;
    end else if (fill_valid) begin
      todo = fill_match ? ActFill : ActDropFill;
    end else if (sync) begin
      if (idle && dirty != '0) todo = ActWriteOut;
      else if (idle && (!acquire || (valid & ~over) == '0)) todo = ActPass;
    end else if (req_valid) begin
      if (request_bad)   todo = ActDrop;
      else if (match)    todo = ActAppend;
      else if (present)  todo = (Strong && head.op != BusRd && lent) ? ActWait : ActHit;
      else if (policy_i) todo = ActAsk;
      else               todo = ActMiss;
    end
  end

  // -----------------------------------------------------------------------------------------------
  // The line that it touches
  line_t      at_line, old_line;
  logic [3:0] at_way;
  set_t       at_set;
  logic       at_valid, at_dirty;
  data_t      at_data, new_data, old_data;

  always_comb begin : touch
    at_line = head.line;
    at_way  = '0;
    unique case (todo)
      ActServe: begin
        at_line = oldest.line;
        at_way  = mshr_way;
      end
      ActFill: begin
        at_line = fill.line;
        at_way  = mshr_way;
      end
      ActWriteOut:     at_way = 4'(lowest(64'(dirty)));
      ActHit, ActWait: at_way = present_way;
      ActMiss:         at_way = picked ? pick_way : victim;
      default: ;
    endcase
  end
  assign at_set = (todo == ActWriteOut) ? sync_set : set_of(at_line);

  // -----------------------------------------------------------------------------------------------
  // The request that is performed
  logic        performs, reads;
  req_t        request;
  rsp_t        answer;
  logic [31:0] now, exp, longer, new_exp;

  assign performs = (todo == ActServe || todo == ActHit);
  assign request  = (todo == ActServe) ? oldest : head;
  assign reads    = (request.op == BusRd);
  assign longer   = now + 32'(TcLeaseP);
  assign new_exp  = (reads && longer > exp) ? longer : exp;
  wire unused_request = ^{request.rep, request.line, request.wts, request.warp_ts};

  always_comb begin : respond
    answer = '0;
    if (performs) begin
      answer.sm                = request.sm;
      answer.id                = request.id;
      {answer.wts, answer.rts} = new_exp;
      unique case (request.op)
        BusRd: begin
          answer.op   = RspFill;
          answer.data = at_data;
        end
        BusWr:   answer.op = RspWrAck;
        default: begin
          answer.op   = RspAtomAck;
          answer.data = old_data;
        end
      endcase
    end
  end

  duet_l2_update #(
    .Line(LineP)
  ) u_update (
    .write_i  (performs && request.op == BusWr),
    .atomic_i (performs && request.op == BusAtom),
    .aop_i    (request.aop),
    .wide_i   (request.sz),
    .mask_i   (request.mask),
    .operand_i(request.data),
    .line_i   (at_data),
    .line_o   (new_data),
    .old_o    (old_data)
  );

  // -----------------------------------------------------------------------------------------------
  // Whether it is done
  logic       may, can, rsp_room;
  logic [2:0] dram_room;

  assign may = (pause_q == '0);

  always_comb begin : room
    can = 1'b1;
    unique case (todo)
      ActNone:          can = 1'b0;
      ActServe, ActHit: can = rsp_room;
      ActWriteOut:      can = (dram_room != '0);
      ActAppend:        can = !full;
      ActWait:          can = mshr_free;
      ActMiss: begin
        can = mshr_free && (picked || may_go != '0) && 32'(dram_room) > 32'(at_dirty);
      end
      ActAsk:           can = mshr_free && may_go != '0 && dram_room >= 3'd2;
      default: ;
    endcase
  end
  assign act = (may && can) ? todo : ActNone;

  assign req_pop  = (act inside {ActDrop, ActAppend, ActHit, ActWait, ActMiss});
  assign fill_pop = (act inside {ActFill, ActDropFill});

  // -----------------------------------------------------------------------------------------------
  // Lines, leases, MSHRs
  set_t set;  // that is looked at
  logic performed, evicts;

  assign set       = (sync && !asked) ? sync_set : set_of(head.line);
  assign performed = (act == ActServe || act == ActHit);
  assign evicts    = (act == ActMiss && at_valid);

  duet_l2_ways #(
    .Line (LineP),
    .LineW(LineWP),
    .Banks(L2BanksP),
    .Sets (L2SetsP),
    .Ways (L2WaysP)
  ) u_ways (
    .clk_i,
    .rst_ni,
    .set_i     (set),
    .line_i    (head.line),
    .present_o (present),
    .way_o     (present_way),
    .valid_o   (valid),
    .dirty_o   (dirty),
    .reserved_o(reserved),
    .may_go_i  (may_go),
    .victim_o  (victim),
    .empty_i   (act == ActPass && acquire),
    .at_set_i  (at_set),
    .at_way_i  (at_way),
    .at_valid_o(at_valid),
    .at_dirty_o(at_dirty),
    .at_line_o (old_line),
    .at_data_o (at_data),
    .use_i     (performed || act == ActFill),
    .take_i    (act == ActMiss),
    .reserve_i (act == ActMiss || act == ActWait),
    .release_i (act == ActServe && last),
    .fill_i    (act == ActFill),
    .write_i   (performed && !reads),
    .clean_i   (act == ActWriteOut),
    .go_i      (1'b0),
    .data_i    ((act == ActFill) ? fill.data : new_data)
  );

  tc_l2_leases #(
    .Sets(L2SetsP),
    .Ways(L2WaysP),
    .Mshr(L2MshrP)
  ) u_leases (
    .clk_i,
    .rst_ni,
    .now_o       (now),
    .at_set_i    (at_set),
    .at_way_i    (at_way),
    .exp_o       (exp),
    .write_i     (performed || act == ActFill),
    .exp_i       ((act == ActFill) ? '0 : (act == ActWait) ? exp : new_exp),
    .mshr_write_i(act == ActServe || act == ActFill || act == ActWait),
    .mshr_i      ((act == ActWait) ? free_mshr : serve_mshr),
    .set_i       (set),
    .over_o      (over),
    .mshr_over_o (mshr_over)
  );
  assign lent       = ((ways_t'(16'd1 << present_way) & ~over) != '0);
  assign serve_mshr = (ready != '0) ? MshrW'(lowest(64'(ready))) : fill_mshr;

  duet_l2_misses #(
    .req_t(req_t),
    .LineW(LineWP),
    .Mshr (L2MshrP),
    .Wait (L2WaitP)
  ) u_misses (
    .clk_i,
    .rst_ni,
    .idle_o       (idle),
    .filled_o     (filled),
    .writes_o     (first_writes),
    .req_i        (head),
    .match_o      (match),
    .full_o       (full),
    .append_i     (act == ActAppend),
    .free_o       (mshr_free),
    .free_mshr_o  (free_mshr),
    .take_i       (act == ActMiss || act == ActWait),
    .take_filled_i(act == ActWait),
    .take_way_i   (at_way),
    .take_keep_i  (1'b1),
    .fill_line_i  (fill.line),
    .fill_match_o (fill_match),
    .fill_mshr_o  (fill_mshr),
    .fill_i       (act == ActFill),
    .mshr_i       (serve_mshr),
    .way_o        (mshr_way),
    .keep_o       (unused_keep),
    .oldest_o     (oldest),
    .last_o       (last),
    .pop_i        (act == ActServe)
  );

  // -----------------------------------------------------------------------------------------------
  // What goes
  logic     write_out, read_in;
  mem_req_t out, in;

  assign write_out = (act == ActWriteOut) || (evicts && at_dirty);
  assign read_in   = (act == ActMiss);
  always_comb begin : memory
    out = '0;
    in  = '0;
    if (write_out) out = '{we: 1'b1, line: old_line, data: at_data};
    if (read_in)   in = '{we: 1'b0, line: head.line, data: '0};
  end

  duet_delay_fifo #(
    .T    (rsp_t),
    .Depth(8)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .room_o (rsp_room),
    .push_i (performed),
    .data_i (answer),
    .valid_o(bus_rsp_valid_o),
    .ready_i(bus_rsp_ready_i),
    .data_o (bus_rsp_o)
  );

  duet_pair_fifo #(
    .T    (mem_req_t),
    .Depth(4)
  ) u_memory (
    .clk_i,
    .rst_ni,
    .room_o       (dram_room),
    .push_i       (write_out || read_in),
    .data_i       (write_out ? out : in),
    .second_i     (write_out && read_in),
    .second_data_i(in),
    .valid_o      (dram_req_valid_o),
    .ready_i      (dram_req_ready_i),
    .data_o       (dram_req_o)
  );

  // -----------------------------------------------------------------------------------------------
  // Syncs, the policy
  duet_l2_sync #(
    .Sets(L2SetsP)
  ) u_sync (
    .clk_i,
    .rst_ni,
    .sync_valid_i,
    .sync_i,
    .sync_ready_o,
    .sync_done_o,
    .busy_o   (sync),
    .acquire_o(acquire),
    .set_o    (sync_set),
    .last_o   (last_set),
    .pass_i   (act == ActPass)
  );

  duet_l2_ask #(
    .Ways(L2WaysP)
  ) u_ask (
    .clk_i,
    .rst_ni,
    .ask_i   (act == ActAsk),
    .ways_i  (may_go),
    .pick_valid_i,
    .pick_i,
    .done_i  (act == ActMiss),
    .ask_o   (ask_valid_o),
    .ways_o  (ask_ways),
    .busy_o  (asked),
    .picked_o(picked),
    .way_o   (pick_way),
    .keep_o  (unused_pick_keep),
    .wrong_o (pick_wrong)
  );
  always_comb begin : offer
    ask_o = '0;
    if (ask_valid_o) ask_o = '{sm: head.sm, line: head.line, ways: ask_ways};
  end

  // -----------------------------------------------------------------------------------------------
  // Next state
  always_comb begin : next_state
    pause_d = (pause_q == '0) ? '0 : pause_q - 2'd1;
    if (act != ActNone) pause_d = 2'(L2DivP - 1);
  end

  always_comb begin : tell
    event_valid_d = 1'b1;
    event_d       = '{kind: EventUsed, way: at_way, line: old_line};
    unique case (act)
      ActServe, ActHit: event_d.kind = EventUsed;
      ActFill:          event_d.kind = EventCame;
      ActMiss: begin
        event_valid_d = evicts;
        event_d.kind  = EventGone;
      end
      ActPass: begin
        event_valid_d = acquire && last_set;
        event_d       = '{kind: EventAllGone, default: '0};
      end
      default: event_valid_d = 1'b0;
    endcase

    err_d = ErrNone;
    if (pick_wrong)         err_d = ErrL2Pick;
    if (act == ActDropFill) err_d = ErrL2Fill;
    if (act == ActDrop)     err_d = ErrL2Request;
  end

  cnt_t cnt_d, cnt_q;
  always_comb begin : count
    cnt_d = cnt_q;
    if (waiting != '0) cnt_d.stall_lease = cnt_q.stall_lease + 32'd1;
    if (may && (todo inside {ActMiss, ActAsk}) && !picked && may_go == '0) begin
      cnt_d.stall_evict = cnt_q.stall_evict + 32'd1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pause_q       <= '0;
      event_valid_q <= 1'b0;
      err_q         <= ErrNone;
      cnt_q         <= '0;
    end else begin
      pause_q       <= pause_d;
      event_valid_q <= event_valid_d;
      err_q         <= err_d;
      cnt_q         <= cnt_d;
    end
  end

  // event_valid_q covers it.
  always_ff @(posedge clk_i) if (event_valid_d) event_q <= event_d;

  assign event_valid_o = event_valid_q;
  assign event_o       = event_valid_q ? event_q : '0;
  assign err_valid_o   = (err_q != ErrNone);
  assign err_code_o    = err_q;
  assign cnt_o         = cnt_q;

  `DUET_ASSERT_PARAM(NSmLegal, NSm >= 1 && NSm <= 32, "NSm must be 1..32")
  `DUET_ASSERT_PARAM(LineLegal, Line == LineP, "Line must be 16, 32, 64 or 128")
  `DUET_ASSERT_PARAM(LineWLegal, LineW >= 8 && LineW <= 40, "LineW must be 8..40")
  `DUET_ASSERT_PARAM(L2BanksLegal, L2Banks == L2BanksP,
                     "L2Banks must be a power of 2 of at most 16")
  `DUET_ASSERT_PARAM(L2SetsLegal, L2Sets == L2SetsP,
                     "L2Sets must be a power of 2 of at most 1024, and of 2^(LineW-1) / L2Banks")
  `DUET_ASSERT_PARAM(L2WaysLegal, L2Ways >= 1 && L2Ways <= 16, "L2Ways must be 1..16")
  `DUET_ASSERT_PARAM(L2MshrLegal, L2Mshr >= 1 && L2Mshr <= 64, "L2Mshr must be 1..64")
  `DUET_ASSERT_PARAM(L2WaitLegal, L2Wait >= 1 && L2Wait <= 16, "L2Wait must be 1..16")
  `DUET_ASSERT_PARAM(L2DivLegal, L2Div >= 1 && L2Div <= 4, "L2Div must be 1..4")
  `DUET_ASSERT_PARAM(ProtoLegal, Proto <= ProtoTcw, "Proto must be 0 or 1")
  `DUET_ASSERT_PARAM(TcLeaseLegal, TcLease >= 1 && TcLease <= 65535, "TcLease must be 1..65535")

  // Specification section 8.1.
  `DUET_ASSERT(AfterEveryLease, !(Strong && performed && !reads) || now >= exp,
               "store inside a lease")
  `DUET_ASSERT(LentStays, !evicts || now >= exp, "line goes that an L1 may hold")
  `TIMESTAMP_ASSERT_INPUT(NoError, err_d == ErrNone, "bad input, see err_code_o")
endmodule
