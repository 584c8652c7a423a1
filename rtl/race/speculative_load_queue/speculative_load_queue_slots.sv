`include "duet_assert.svh"
`include "race_types.svh"

/// The ring of slots, oldest first (specification 5.4). Counts are stored as bit planes, so that an
/// answer decrements those of all slots at once.
module speculative_load_queue_slots #(  // rule: Registers _slots
  parameter int unsigned SlqN   = 64,
  parameter int unsigned VLanes = 4,
  localparam int unsigned SlotW = (SlqN > 1) ? $clog2(SlqN) : 1,
  localparam int unsigned CountW = $clog2(SlqN + 1),
  localparam type alloc_t = `RACE_ALLOC_T,
  localparam type load_t  = `RACE_LOAD_T
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  // a new entry; only while a slot is free
  input  logic                         alloc_i,
  input  alloc_t                       load_i,
  input  logic [7:0]                   count_i,    // answers that it waits for
  input  logic                         dec_i,      // an answer: decrements all counts
  // the oldest slot
  output logic                         live_o,     // it has a live entry
  output logic                         ready_o,    // all its answers have arrived
  output logic                         fail_o,     // it failed a test
  output load_t                        head_o,
  input  logic                         pop_i,
  input  logic                         drop_i,     // kills all entries of its warp
  // one query per lane, of consecutive slots from query_slot_i on; these slots
  input  logic [SlotW-1:0]             query_slot_i,
  output logic [VLanes-1:0]            query_live_o,
  output logic [VLanes-1:0][34:0]      query_o,
  output logic [VLanes-1:0][SlotW-1:0] slot_o,
  // entries that fail, by slot
  input  logic [VLanes-1:0]            fail_i,
  input  logic [VLanes-1:0][SlotW-1:0] fail_slot_i,
  output logic [SlotW-1:0]             next_head_o, // the oldest slot of the next cycle
  output logic [CountW-1:0]            next_occ_o,  // slots occupied in it
  output logic [CountW-1:0]            occ_o
);
  logic [SlotW-1:0]  head_d, head_q, tail_d, tail_q;
  logic [CountW-1:0] occ_d, occ_q;
  logic [SlqN-1:0]   live_d, live_q;
  logic [SlqN-1:0]   fail_d, fail_q;
  logic [SlqN-1:0]   count_d [8];
  logic [SlqN-1:0]   count_q [8];       // answers that entries wait for
  logic [5:0]        warp_q [SlqN];
  logic [15:0]       tag_q [SlqN];
  logic [34:0]       access_q [SlqN]; // size, address

  // The slot `by` positions younger in the ring.
  function automatic logic [SlotW-1:0] after(logic [SlotW-1:0] slot, int unsigned by);
    int unsigned at;
    at = 32'(slot) + by % SlqN;
    return (at >= SlqN) ? SlotW'(at - SlqN) : SlotW'(at);
  endfunction

  // -----------------------------------------------------------------------------------------------
  // The oldest slot, and queries
  logic [7:0] head_count;
  always_comb begin : oldest
    for (int unsigned b = 0; b < 8; b++) head_count[b] = count_q[b][head_q];
  end
  // live_q of a slot that is not occupied is 0.
  assign live_o  = live_q[head_q];
  assign ready_o = live_o && head_count == '0;  // rule: States live, count = 0, fail = 0
  assign fail_o  = fail_q[head_q];
  assign head_o  = '{warp: warp_q[head_q], tag: tag_q[head_q]};

  always_comb begin : queries  // rule: States Validation
    for (int unsigned v = 0; v < VLanes; v++) begin
      slot_o[v]       = after(query_slot_i, v);
      query_live_o[v] = live_q[slot_o[v]];
      query_o[v]      = access_q[slot_o[v]];
    end
  end

  // -----------------------------------------------------------------------------------------------
  // Next state
  logic [SlqN-1:0] borrow;

  always_comb begin : counts  // rule: 3
    count_d  = count_q;
    borrow = '0;
    if (dec_i && occ_q != '0) begin
      for (int unsigned b = 0; b < 8; b++) borrow |= count_q[b];
      for (int unsigned b = 0; b < 8; b++) begin
        count_d[b] = count_q[b] ^ borrow;
        borrow   = borrow & ~count_q[b];
      end
    end
    if (alloc_i) for (int unsigned b = 0; b < 8; b++) count_d[b][tail_q] = count_i[b];
  end

  always_comb begin : entries
    live_d = live_q;
    fail_d = fail_q;
    if (drop_i) begin  // rule: States live, count = 0, fail = 1
      for (int unsigned s = 0; s < SlqN; s++) if (warp_q[s] == head_o.warp) live_d[s] = 1'b0;
    end
    if (pop_i) live_d[head_q] = 1'b0;
    for (int unsigned v = 0; v < VLanes; v++) if (fail_i[v]) fail_d[fail_slot_i[v]] = 1'b1;
    if (alloc_i) begin
      live_d[tail_q] = 1'b1;
      fail_d[tail_q] = 1'b0;
    end
    head_d = pop_i ? after(head_q, 1) : head_q;
    tail_d = alloc_i ? after(tail_q, 1) : tail_q;
    occ_d  = occ_q + CountW'(alloc_i) - CountW'(pop_i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      occ_q  <= '0;
      live_q <= '0;
    end else begin
      head_q <= head_d;
      tail_q <= tail_d;
      occ_q  <= occ_d;
      live_q <= live_d;
    end
  end

  // No reset: an allocation sets them before live_q.
  always_ff @(posedge clk_i) begin
    fail_q <= fail_d;
    count_q  <= count_d;
    if (alloc_i) begin
      warp_q[tail_q]   <= load_i.warp;
      tag_q[tail_q]    <= load_i.tag;
      access_q[tail_q] <= {load_i.size, load_i.addr};
    end
  end

  assign next_head_o = head_d;
  assign next_occ_o  = occ_d;
  assign occ_o       = occ_q;

  `DUET_ASSERT(Room, !alloc_i || 32'(occ_q) < SlqN, "entry made without a slot")
  `DUET_ASSERT(PopOccupied, !pop_i || occ_q != '0, "pop of an empty queue")
`ifdef DUET_SIMULATION
  // A younger entry waits for at least the answers of an older one (specification 8). A check of
  // each new entry against the youngest slot suffices, as an answer decrements all counts alike.
  logic [SlotW-1:0] youngest;
  logic [7:0]       youngest_count;
  assign youngest = (tail_q == '0) ? SlotW'(SlqN - 1) : tail_q - 1'b1;
  always_comb begin : look
    for (int unsigned b = 0; b < 8; b++) youngest_count[b] = count_q[b][youngest];
  end
  `DUET_ASSERT(CountsRise, !alloc_i || occ_q == '0
                           || 32'(youngest_count) <= 32'(count_i) + 32'(dec_i),
               "younger entry waits for fewer answers")
`endif
endmodule
