`include "duet_assert.svh"

/// The two header slots, and the rules of acceptance (rules 1 to 5, 11 and 12 of the README).
/// A beat is accepted only while at most one slot is in use, so an open packet is always the oldest
/// when a beat arrives, and the window then holds bytes of no other.
module depacketizer_slots #(  // rule: Cycle rules Acceptance
  parameter int unsigned Beat        = 32,
  parameter int unsigned WindowBytes = 200,  // bytes of the window
  localparam int unsigned CntW = $clog2(WindowBytes + 1)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // The beat from the link, without its data.
  input  logic             tlp_valid_i,
  output logic             tlp_ready_o,
  input  logic             sop_i,
  input  logic             eop_i,
  input  logic [15:0][7:0] hdr_i,
  input  logic [7:0]       nbytes_i,
  output logic             keep_o,    // its bytes enter the window
  output logic [CntW-1:0]  pos_o,     // behind this many that stay
  output logic             stray_o,   // it belongs to no packet
  // What the parser does with the oldest packet in this cycle.
  input  logic             err_i,     // drops the rest of it
  input  logic             push_i,    // one access is made of it
  input  logic [CntW-1:0]  take_i,    // bytes that leave the window
  input  logic             write_i,   // it is a plain write
  output logic             good_o,    // with this access it is whole
  // The oldest packet.
  output logic             live_o,    // it is there and no error of it has been found
  output logic [7:0][7:0]  info_o,    // bytes 0..7 of its header
  output logic [63:0]      addr_o,    // address of its header, or of the next part of a plain write
  output logic [12:0]      total_o,   // payload bytes that its header promises
  output logic [12:0]      rem_o,     // those that have not been taken
  output logic [CntW-1:0]  have_o,    // its bytes in the window
  output logic             bad_o      // it broke a rule of acceptance
);
  typedef struct packed {
    logic            valid;
    logic            closed;  // eop, or a sop that ended it, has been accepted
    logic            bad;     // broke a rule; its later beats are dropped
    logic            dead;    // its error has been found; waits for its end only
    logic [7:0][7:0] info;
    logic [63:0]     addr;
    logic [12:0]     total;
    logic [12:0]     left;    // payload bytes that have not been accepted
    logic [12:0]     rem;
    logic [CntW-1:0] have;
  } slot_t;
  slot_t old_q, old_d;      // the oldest packet; all 0 when there is none
  slot_t young_q, young_d;  // the one behind it, likewise

  assign tlp_ready_o = old_q.have <= CntW'(WindowBytes - Beat) && !young_q.valid;
  assign live_o      = old_q.valid && !old_q.dead;  // rule: Cycle rules Parsing
  assign info_o      = old_q.info;  // rule: Cycle rules Parsing
  assign addr_o      = old_q.addr;  // rule: Cycle rules Parsing
  assign total_o     = old_q.total;  // rule: Cycle rules Parsing
  assign rem_o       = old_q.rem;  // rule: Cycle rules Parsing
  assign have_o      = old_q.have;  // rule: Cycle rules Parsing
  assign bad_o       = old_q.bad;  // rule: Cycle rules Parsing

  // The beat. `breaks` and `short` mean something for a first beat and for one of an open packet.
  logic        accept, open, body, breaks, short;
  logic [12:0] first_total, left, nbytes;
  depacketizer_length u_length (  // rule: 4
    .fmt_type_i(hdr_i[0]), .length_i({hdr_i[2][1:0], hdr_i[3]}), .last_be_i(hdr_i[7][7:4]),
    .total_o(first_total)
  );
  assign accept      = tlp_valid_i && tlp_ready_o;
  assign open        = old_q.valid && !old_q.closed;  // rule: 1
  assign stray_o     = accept && !sop_i && !open;  // rule: 1
  assign nbytes      = 13'(nbytes_i);  // rule: 2
  assign left        = sop_i ? first_total : old_q.left;  // rule: 2
  assign breaks      = nbytes > 13'(Beat) || (!eop_i && nbytes != 13'(Beat)) || nbytes > left
                       || (!sop_i && nbytes == 13'd0 && left == 13'd0);  // rule: 2
  assign short       = eop_i && nbytes != left;  // rule: 3
  // A later beat of a packet with which nothing is wrong yet.
  assign body        = accept && !sop_i && open && !old_q.bad && !old_q.dead && !err_i;  // rule: 2
  assign keep_o      = ((accept && sop_i) || body) && !breaks;  // rule: 2
  assign pos_o       = old_q.have - take_i;  // rule: Registers bytes_q

  slot_t fresh;  // the slot that a sop opens
  always_comb begin  // rule: 1
    fresh.valid  = 1'b1;
    fresh.closed = eop_i;
    fresh.bad    = breaks || short;  // rule: 3
    fresh.dead   = 1'b0;
    fresh.info   = hdr_i[7:0];
    // Address bits 1 and 0 are not part of the header's address field.
    fresh.addr   = {hdr_i[8], hdr_i[9], hdr_i[10], hdr_i[11], hdr_i[12], hdr_i[13], hdr_i[14],
                    hdr_i[15][7:2], 2'b00};
    fresh.total  = first_total;  // rule: 4
    fresh.left   = first_total - nbytes;  // rule: 4
    fresh.rem    = first_total;  // rule: 4
    fresh.have   = breaks ? '0 : CntW'(nbytes);  // rule: 2
  end
  wire unused_hdr = ^hdr_i[15][1:0];

  slot_t cur;    // the oldest packet after this cycle, if it stays
  logic  freed;  // it does not
  always_comb begin
    cur = old_q;
    // The parser.
    cur.dead = old_q.dead || err_i;  // rule: 12
    cur.have = old_q.have - take_i;  // rule: 11
    if (push_i) begin
      cur.rem = old_q.rem - 13'(take_i);  // rule: Cycle rules Parsing
      if (write_i) cur.addr = old_q.addr + 64'(take_i);  // rule: 8
    end
    // The beat.
    if (body) begin
      if (breaks) begin  // rule: 2
        cur.bad = 1'b1;
      end else begin
        cur.bad  = short;  // rule: 3
        cur.have = cur.have + CntW'(nbytes);  // rule: Registers .total
        cur.left = old_q.left - nbytes;  // rule: Registers .total
      end
    end
    if (accept && open && (sop_i || eop_i)) cur.closed = 1'b1;  // rule: 12
    // A sop ends an open packet as if it was truncated.
    if (accept && open && sop_i) cur.bad = 1'b1;  // rule: 1
  end

  // A good packet ends only after its eop: without one, a beat that breaks a rule is still to come.
  assign good_o = push_i && cur.rem == 13'd0 && old_q.closed && !old_q.bad;  // rule: 12
  assign freed  = good_o || (old_q.valid && cur.dead && cur.closed);  // rule: 12

  always_comb begin  // rule: 12
    old_d   = cur;
    young_d = young_q;
    if (freed || !old_q.valid) begin
      old_d   = young_q;
      young_d = '0;
      if (accept && sop_i) old_d = fresh;  // rule: 1
    end else if (accept && sop_i) begin
      young_d = fresh;  // rule: 1
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      old_q   <= '0;
      young_q <= '0;
    end else begin
      old_q   <= old_d;
      young_q <= young_d;
    end
  end

  `DUET_ASSERT(InOrder, old_q.valid || !young_q.valid, "younger slot without an older one")
  `DUET_ASSERT(TakeWhatIsThere, take_i <= old_q.have, "more bytes taken than the window holds")
  `DUET_ASSERT(OldIsClosed, !young_q.valid || old_q.closed, "packet opened behind an open one")
endmodule
