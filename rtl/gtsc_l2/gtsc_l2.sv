`include "duet_assert.svh"
`include "timestamp_types.svh"
`include "gtsc_l2_types.svh"

/// A bank of the L2 under G-TSC: write-back, lends lines in logical time (Tabbakh, thesis, chapter
/// 3; specification 5.4, 5.5). All outputs are functions of registers. A request accepted in cycle
/// t can act in t+1; a hit is answered in t+4, a request to memory shows in t+2. One action in
/// L2Div cycles.
module gtsc_l2
  import timestamp_pkg::*;
#(
  parameter int unsigned NSm     = 16,   // SMs, 1..32
  parameter int unsigned TsW     = 16,   // bits of a timestamp, 5..32
  parameter int unsigned Lease   = 10,   // logical time for which a line is lent, 1..2^(TsW-2)
  parameter int unsigned Line    = 128,  // bytes of a line: 16, 32, 64, 128
  parameter int unsigned LineW   = 25,   // bits of its address, 8..40
  parameter int unsigned L2Banks = 8,    // banks, a power of 2, 1..16
  parameter int unsigned L2Sets  = 128,  // sets of this one, a power of 2, 1..1024
  parameter int unsigned L2Ways  = 8,    // ways of a set, 1..16
  parameter int unsigned L2Mshr  = 32,   // lines that are waited for, 1..64
  parameter int unsigned L2Wait  = 4,    // requests that wait for one of them, 1..16
  parameter int unsigned L2Div   = 2,    // cycles from one action to the next, 1..4
  localparam type bus_req_t  = `TIMESTAMP_BUS_REQ_T(Line, LineW, TsW),
  localparam type bus_rsp_t  = `TIMESTAMP_BUS_RSP_T(Line, TsW),
  localparam type dram_req_t = `TIMESTAMP_DRAM_REQ_T(Line, LineW),
  localparam type dram_rsp_t = `TIMESTAMP_DRAM_RSP_T(Line, LineW),
  localparam type ask_t      = `TIMESTAMP_ASK_T(LineW, L2Ways),
  localparam type pick_t     = `TIMESTAMP_PICK_T,
  localparam type event_t    = `TIMESTAMP_EVENT_T(LineW),
  localparam type cnt_t      = `GTSC_L2_CNT_T
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
  // all timestamps begin anew
  output logic       ovf_o,       // a timestamp would not fit
  input  logic       halt_i,      // stand still
  output logic       halted_o,
  input  logic       rst_i,       // leases begin anew
  output logic       rst_done_o,
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
  localparam int unsigned TsWP     = clamp(5, 32, TsW);
  localparam int unsigned LeaseP   = clamp(1, 1 << (TsWP - 2), Lease);
  localparam int unsigned LineP    = legal_line(Line);
  localparam int unsigned LineWP   = clamp(8, 40, LineW);
  localparam int unsigned L2BanksP = legal_power(16, L2Banks);
  localparam int unsigned L2SetsP  = legal_power(clamp(1, 1024, (1 << clamp(0, 30, LineWP - 1))
                                                                / L2BanksP), L2Sets);
  localparam int unsigned L2WaysP  = clamp(1, 16, L2Ways);
  localparam int unsigned L2MshrP  = clamp(1, 64, L2Mshr);
  localparam int unsigned L2WaitP  = clamp(1, 16, L2Wait);
  localparam int unsigned L2DivP   = clamp(1, 4, L2Div);

  localparam int unsigned BankW = $clog2(L2BanksP);
  localparam int unsigned MshrW = (L2MshrP > 1) ? $clog2(L2MshrP) : 1;
  localparam int unsigned SetW  = (L2SetsP > 1) ? $clog2(L2SetsP) : 1;
  localparam logic [TsWP:0] Max = {1'b0, {TsWP{1'b1}}} - 1'b1;

  typedef `TIMESTAMP_BUS_REQ_T(LineP, LineWP, TsWP) req_t;
  typedef `TIMESTAMP_BUS_RSP_T(LineP, TsWP) rsp_t;
  typedef `TIMESTAMP_DRAM_REQ_T(LineP, LineWP) mem_req_t;
  typedef `TIMESTAMP_DRAM_RSP_T(LineP, LineWP) mem_rsp_t;
  typedef logic [LineWP-1:0]  line_t;
  typedef logic [8*LineP-1:0] data_t;
  typedef logic [TsWP-1:0]    ts_t;
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
    ActMiss,     // B5
    ActAsk       // the policy, before B5
  } act_e;

  function automatic set_t set_of(line_t line);
    return set_t'(line >> BankW) & set_t'(L2SetsP - 1);
  endfunction

  logic       ovf_d, ovf_q;
  logic       halted_q;
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
  logic               idle, match, full, mshr_free, fill_match, keep, last;
  logic [L2MshrP-1:0] filled, unused_writes;
  logic [MshrW-1:0]   unused_mshr, fill_mshr;
  logic [3:0]         mshr_way;
  req_t               oldest;
  logic               present;
  logic [3:0]         present_way, victim;
  ways_t              valid, dirty, reserved;
  logic               sync, acquire, last_set;
  set_t               sync_set;
  logic               asked, picked, pick_keep, pick_wrong;
  logic [3:0]         pick_way;
  ways_t              ask_ways;
  logic               request_bad;

  assign request_bad = (head.op > BusAtom) || (head.op == BusAtom && head.aop > AopXchg)
                       || 32'(head.sm) >= NSmP;

  always_comb begin : look
    todo = ActNone;
    if (asked) begin
      if (picked) todo = ActMiss;
    end else if (filled != '0) begin
      todo = ActServe;
    end else if (fill_valid) begin
      todo = fill_match ? ActFill : ActDropFill;
    end else if (sync) begin
      if (idle) todo = (dirty != '0) ? ActWriteOut : ActPass;
    end else if (req_valid) begin
      if (request_bad)   todo = ActDrop;
      else if (match)    todo = ActAppend;
      else if (present)  todo = ActHit;
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
  ts_t        wts, rts, new_wts, new_rts, mem_ts;

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
      ActWriteOut: at_way = 4'(lowest(64'(dirty)));
      ActHit:      at_way = present_way;
      ActMiss:     at_way = picked ? pick_way : victim;
      default: ;
    endcase
  end
  assign at_set = (todo == ActWriteOut) ? sync_set : set_of(at_line);

  // -----------------------------------------------------------------------------------------------
  // The request that is performed
  logic       performs, over, renews, writes, leaves, mem_over;
  logic [1:0] rep;  // own generation
  req_t       request;
  rsp_t       answer;

  assign performs = (todo == ActServe || todo == ActHit);
  assign request  = (todo == ActServe) ? oldest : head;
  // The last request of an MSHR takes the line with it that is not to be kept.
  assign leaves   = (todo == ActServe && last && !keep);
  assign mem_over = ({1'b0, mem_ts} + (TsWP + 1)'(LeaseP) > Max);

  gtsc_l2_perform #(
    .TsW  (TsWP),
    .Lease(LeaseP),
    .Line (LineP),
    .req_t(req_t),
    .rsp_t(rsp_t)
  ) u_perform (
    .clk_i,
    .rst_ni,
    .valid_i(performs),
    .req_i  (request),
    .rep_i  (rep),
    .wts_i  (wts),
    .rts_i  (rts),
    .data_i (at_data),
    .old_i  (old_data),
    .over_o (over),
    .renew_o(renews),
    .write_o(writes),
    .wts_o  (new_wts),
    .rts_o  (new_rts),
    .rsp_o  (answer)
  );

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
  logic       may, can, refused, rsp_room, from_head;
  logic [2:0] dram_room;
  logic       leaves_dirty;

  assign leaves_dirty = leaves && (at_dirty || writes);
  assign may          = !halt_i && !rst_i && !ovf_q && pause_q == '0;

  always_comb begin : room
    can = 1'b1;
    unique case (todo)
      ActNone:          can = 1'b0;
      ActServe, ActHit: can = rsp_room && (!leaves_dirty || dram_room != '0);
      ActWriteOut:      can = (dram_room != '0);
      ActAppend:        can = !full;
      ActMiss: begin
        can = mshr_free && (picked || reserved != '1) && 32'(dram_room) > 32'(at_dirty);
      end
      ActAsk:           can = mshr_free && reserved != '1 && dram_room >= 3'd2;
      default: ;
    endcase
  end
  // An action whose timestamp does not fit changes nothing.
  assign refused   = may && can && ((performs && over) || (todo == ActFill && mem_over));
  assign act       = (may && can && !refused) ? todo : ActNone;
  assign from_head = (todo inside {ActAppend, ActHit, ActMiss, ActAsk});

  assign req_pop  = (act inside {ActDrop, ActAppend, ActHit, ActMiss});
  assign fill_pop = (act inside {ActFill, ActDropFill});

  // -----------------------------------------------------------------------------------------------
  // Lines, leases, MSHRs
  logic       begins, sweep;
  set_t       sweep_set;
  logic       performed, updates, gone, goes, evicts;

  assign performed = (act == ActServe || act == ActHit);
  assign updates   = performed && writes;
  assign gone      = (act == ActServe && leaves);
  assign evicts    = (act == ActMiss && at_valid);
  assign goes      = gone || evicts;

  duet_l2_ways #(
    .Line (LineP),
    .LineW(LineWP),
    .Banks(L2BanksP),
    .Sets (L2SetsP),
    .Ways (L2WaysP)
  ) u_ways (
    .clk_i,
    .rst_ni,
    .set_i     (sync && !asked ? sync_set : set_of(head.line)),
    .line_i    (head.line),
    .present_o (present),
    .way_o     (present_way),
    .valid_o   (valid),
    .dirty_o   (dirty),
    .reserved_o(reserved),
    .may_go_i  (~reserved),
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
    .reserve_i (act == ActMiss),
    .release_i (act == ActServe && last),
    .fill_i    (act == ActFill),
    .write_i   (updates),
    .clean_i   (act == ActWriteOut),
    .go_i      (gone),
    .data_i    ((act == ActFill) ? fill.data : new_data)
  );

  gtsc_l2_leases #(
    .TsW  (TsWP),
    .Lease(LeaseP),
    .Sets (L2SetsP),
    .Ways (L2WaysP)
  ) u_leases (
    .clk_i,
    .rst_ni,
    .at_set_i   (at_set),
    .at_way_i   (at_way),
    .wts_o      (wts),
    .rts_o      (rts),
    .write_i    (performed || act == ActFill),
    .wts_i      ((act == ActFill) ? mem_ts : new_wts),
    .rts_i      ((act == ActFill) ? mem_ts + ts_t'(LeaseP) : new_rts),
    .go_i       (goes),
    .go_rts_i   (gone ? new_rts : rts),
    .set_i      (sync_set),
    .valid_i    (valid),
    .empty_i    (act == ActPass && acquire),
    .begin_i    (begins),
    .sweep_i    (sweep),
    .sweep_set_i(sweep_set),
    .mem_ts_o   (mem_ts)
  );

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
    .writes_o     (unused_writes),
    .req_i        (head),
    .match_o      (match),
    .full_o       (full),
    .append_i     (act == ActAppend),
    .free_o       (mshr_free),
    .free_mshr_o  (unused_mshr),
    .take_i       (act == ActMiss),
    .take_filled_i(1'b0),
    .take_way_i   (at_way),
    .take_keep_i  (!picked || pick_keep),
    .fill_line_i  (fill.line),
    .fill_match_o (fill_match),
    .fill_mshr_o  (fill_mshr),
    .fill_i       (act == ActFill),
    .mshr_i       ((filled != '0) ? MshrW'(lowest(64'(filled))) : fill_mshr),
    .way_o        (mshr_way),
    .keep_o       (keep),
    .oldest_o     (oldest),
    .last_o       (last),
    .pop_i        (act == ActServe)
  );

  // -----------------------------------------------------------------------------------------------
  // What goes
  logic     write_out, read_in;
  mem_req_t out, in;

  assign write_out = (act == ActWriteOut) || (evicts && at_dirty) || (gone && leaves_dirty);
  assign read_in   = (act == ActMiss);
  always_comb begin : memory
    out = '0;
    in  = '0;
    if (write_out) out = '{we: 1'b1, line: old_line, data: gone ? new_data : at_data};
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
  // The reset of timestamps, syncs, the policy
  gtsc_l2_sweep #(
    .Sets(L2SetsP)
  ) u_sweep (
    .clk_i,
    .rst_ni,
    .rst_i,
    .rst_done_o,
    .begin_o(begins),
    .sweep_o(sweep),
    .set_o  (sweep_set),
    .rep_o  (rep)
  );

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
    .ways_i  (~reserved),
    .pick_valid_i,
    .pick_i,
    .done_i  (act == ActMiss),
    .ask_o   (ask_valid_o),
    .ways_o  (ask_ways),
    .busy_o  (asked),
    .picked_o(picked),
    .way_o   (pick_way),
    .keep_o  (pick_keep),
    .wrong_o (pick_wrong)
  );
  always_comb begin : offer
    ask_o = '0;
    if (ask_valid_o) ask_o = '{sm: head.sm, line: head.line, ways: ask_ways};
  end

  // -----------------------------------------------------------------------------------------------
  // Next state
  always_comb begin : next_state
    ovf_d   = (ovf_q || refused) && !begins;
    pause_d = (pause_q == '0) ? '0 : pause_q - 2'd1;
    if (act != ActNone) pause_d = 2'(L2DivP - 1);
  end

  always_comb begin : tell
    event_valid_d = 1'b1;
    event_d       = '{kind: EventUsed, way: at_way, line: old_line};
    unique case (act)
      ActServe, ActHit: event_d.kind = gone ? EventGone : EventUsed;
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
    if (performed) begin
      unique case (request.op)
        BusRd:   cnt_d.busrd = cnt_q.busrd + 32'd1;
        BusWr:   cnt_d.buswr = cnt_q.buswr + 32'd1;
        default: cnt_d.busatom = cnt_q.busatom + 32'd1;
      endcase
      if (!writes && !renews) cnt_d.fills_sent = cnt_q.fills_sent + 32'd1;
      if (renews) cnt_d.renews_sent = cnt_q.renews_sent + 32'd1;
    end
    if (read_in) cnt_d.dram_reads = cnt_q.dram_reads + 32'd1;
    if (write_out) cnt_d.writebacks = cnt_q.writebacks + 32'd1;
    if (goes) cnt_d.evictions = cnt_q.evictions + 32'd1;
    if (may && from_head && !can) cnt_d.hold_cycles = cnt_q.hold_cycles + 32'd1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ovf_q         <= 1'b0;
      halted_q      <= 1'b0;
      pause_q       <= '0;
      event_valid_q <= 1'b0;
      err_q         <= ErrNone;
      cnt_q         <= '0;
    end else begin
      ovf_q         <= ovf_d;
      halted_q      <= halt_i;
      pause_q       <= pause_d;
      event_valid_q <= event_valid_d;
      err_q         <= err_d;
      cnt_q         <= cnt_d;
    end
  end

  // event_valid_q covers it.
  always_ff @(posedge clk_i) if (event_valid_d) event_q <= event_d;

  assign ovf_o         = ovf_q;
  assign halted_o      = halted_q;
  assign event_valid_o = event_valid_q;
  assign event_o       = event_valid_q ? event_q : '0;
  assign err_valid_o   = (err_q != ErrNone);
  assign err_code_o    = err_q;
  assign cnt_o         = cnt_q;

  `DUET_ASSERT_PARAM(NSmLegal, NSm >= 1 && NSm <= 32, "NSm must be 1..32")
  `DUET_ASSERT_PARAM(TsWLegal, TsW >= 5 && TsW <= 32, "TsW must be 5..32")
  `DUET_ASSERT_PARAM(LeaseLegal, Lease == LeaseP, "Lease must be 1..2^(TsW-2)")
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

  // Specification section 8.1.
  `DUET_ASSERT(StandsStill, !(halt_i || rst_i || ovf_q) || act == ActNone, "action while halted")
  `DUET_ASSERT(OverflowLasts, !$past(ovf_q) || ovf_q || $past(begins),
               "overflow forgotten before the leases began anew")
  `TIMESTAMP_ASSERT_INPUT(NoError, err_d == ErrNone, "bad input, see err_code_o")
endmodule
