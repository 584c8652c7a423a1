`include "duet_assert.svh"
`include "duet_loop.svh"
`include "stc_types.svh"

/// The blocked store queue (BSQ): the stores that wait for the epoch of their band (STC, sections
/// 4.2 and 7.2; specification 5.4). An entry's number is its slot of the coalescing buffer; its
/// bank is the slot modulo BsqBanks. After a change of epoch a scan looks at BsqRd entries of each
/// bank per cycle and releases those that the epoch grants; what it releases in cycle t is chosen
/// in t+1 at the earliest. Entries that wait for long go first: those of a batch, which is what the
/// queue held at some change.
module epoch_agent_queue  // rule: Registers _queue
  import stc_pkg::*;
#(
  parameter int unsigned BandBits = 4,
  parameter int unsigned BsqN     = 256,
  parameter int unsigned BsqBanks = 16,
  parameter int unsigned BsqRd    = 2,
  localparam int unsigned Bands = 1 << BandBits,
  localparam int unsigned SlotW = $clog2(BsqN),
  localparam type chg_t = `STC_CHG_T(Bands),
  localparam type st_t  = `STC_ST_T(SlotW)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  chg_t                        cer_i,
  input  logic                        change_i,     // a new epoch begins
  input  logic                        scan_i,       // it has, and stores are not drained
  // a store that is blocked
  input  logic                        wr_i,
  input  st_t                         wr_st_i,
  input  logic                        wr_rel_i,     // its band is granted all the same
  input  logic                        wr_scanned_i,
  // the store to issue
  output logic                        rel_o,        // some entry is released
  output st_t                         rel_st_o,     // the one that goes first
  input  logic                        take_i,
  // what the scan finds blocked: bands, each with the lowest slot of this cycle
  output logic                        scanning_o,   // an entry is examined
  output logic [Bands-1:0]            miss_o,
  output logic [Bands-1:0][SlotW-1:0] miss_slot_o,
  // address of an entry
  input  logic [SlotW-1:0]            addr_slot_i,
  output logic [31:0]                 addr_o,
  // is an entry valid
  input  logic [SlotW-1:0]            use_slot_i,
  output logic                        use_o,
  output logic [SlotW:0]              occ_o         // valid entries
);
  localparam int unsigned Rows  = BsqN / BsqBanks;  // entries of a bank
  localparam int unsigned RowW  = $clog2(at_least(2, Rows));
  localparam int unsigned Parts = at_least(1, BsqN / 16);  // of sixteen slots

  // Bit s of entry s. The bits that stand beside v_q mean nothing while that is 0, nor does addr_q.
  logic [BsqN-1:0] v_q;
  logic [BsqN-1:0] rel_q;      // its band is granted: it may be issued
  logic [BsqN-1:0] scanned_q;  // rel_q is up to date
  logic [BsqN-1:0] batch_q;
  logic [31:0]     addr_q [BsqN];
  logic [SlotW:0]  occ_q;

  // -----------------------------------------------------------------------------------------------
  // The store to issue: the lowest slot of the batch, else the lowest of all that are released
  wire [BsqN-1:0] released = v_q & rel_q;

  logic [16*Parts-1:0] choice;
  logic [15:0]         part;  // the lowest with one of them
  logic [SlotW-1:0]    slot;
  always_comb begin : choose
    choice = (16 * Parts)'(released);
    if ((released & batch_q) != '0) choice = (16 * Parts)'(released & batch_q);
    part   = '0;
    slot   = '0;
    if (released != '0) begin
      for (int unsigned p = Parts; p > 0; p--) begin
        if (choice[16*(p-1)+:16] != '0) begin
          part = choice[16*(p-1)+:16];
          slot = SlotW'(16 * (p - 1));
        end
      end
      part &= ~part + 1'b1;
      for (int unsigned k = 0; k < 16; k++) if (part[k]) slot |= SlotW'(k);
    end
  end
  assign rel_o    = (released != '0);
  assign rel_st_o = '{slot: slot, addr: addr_q[slot]};

  // -----------------------------------------------------------------------------------------------
  // Scan: each read port of all banks in turn, bit b of a row is bank b
  logic [BsqN-1:0]               left;     // entries that no port before has taken
  logic [BsqN-1:0]               taken;
  logic [BsqN-1:0]               granted;
  logic [BsqBanks-1:0]           first, seen;
  logic [RowW-1:0][BsqBanks-1:0] row;      // where: bit j of the row's number, for all banks
  logic [SlotW-1:0]              at;
  logic [BandBits-1:0]           number;

  assign scanning_o = scan_i && (v_q & ~scanned_q) != '0;
  always_comb begin : scan
    left        = '0;
    taken       = '0;
    granted     = '0;
    first       = '0;
    seen        = '0;
    row         = '0;
    at          = '0;
    number      = '0;
    miss_o      = '0;
    miss_slot_o = '0;
    if (scanning_o) begin
      left = v_q & ~scanned_q;
      `DUET_LOOP
      for (int unsigned port = 0; port < BsqRd; port++) begin
        if (left != '0) begin
          // The first entry of each bank.
          seen  = '0;
          row   = '0;
          taken = '0;
          for (int unsigned r = 0; r < Rows; r++) begin
            first = left[r*BsqBanks+:BsqBanks] & ~seen;
            seen |= first;
            taken[r*BsqBanks+:BsqBanks] = first;
            for (int unsigned j = 0; j < RowW; j++) if (((r >> j) & 1) != 0) row[j] |= first;
          end
          left &= ~taken;
          // Released, or blocked as well as before.
          for (int unsigned b = 0; b < BsqBanks; b++) begin
            at = SlotW'(b);
            for (int unsigned j = 0; j < RowW; j++) begin
              if (row[j][b]) at |= SlotW'(BsqBanks << j);
            end
            number = BandBits'(band(addr_q[at], cer_i.seb));
            if (seen[b]) begin
              if (cer_i.gvec[number]) begin
                granted[at] = 1'b1;
              end else if (!miss_o[number] || at < miss_slot_o[number]) begin
                miss_o[number]      = 1'b1;
                miss_slot_o[number] = at;
              end
            end
          end
        end
      end
    end
  end

  // -----------------------------------------------------------------------------------------------
  // Entries
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      v_q   <= '0;
      occ_q <= '0;
    end else begin
      if (take_i) v_q[slot] <= 1'b0;
      if (wr_i) v_q[wr_st_i.slot] <= 1'b1;
      occ_q <= occ_q + (SlotW + 1)'(wr_i) - (SlotW + 1)'(take_i);
    end
  end

  // v_q covers these.
  always_ff @(posedge clk_i) begin
    if (scanning_o) begin
      rel_q     <= rel_q | granted;
      scanned_q <= ~left;
    end
    if (change_i) begin
      rel_q     <= '0;
      scanned_q <= '0;
      // The next batch, when the last is used up.
      if ((v_q & batch_q) == '0) batch_q <= v_q;
    end
    if (wr_i) begin
      rel_q[wr_st_i.slot]     <= wr_rel_i;
      scanned_q[wr_st_i.slot] <= wr_scanned_i;
      batch_q[wr_st_i.slot]   <= 1'b0;
      addr_q[wr_st_i.slot]    <= wr_st_i.addr;
    end
  end

  assign addr_o = addr_q[addr_slot_i];
  assign use_o  = v_q[use_slot_i];  // rule: 1
  assign occ_o  = occ_q;  // rule: Ports empty_o

  `DUET_ASSERT(Count, 32'(occ_q) == 32'($countones(v_q)), "occ_q is not the number of entries")
  `DUET_ASSERT(WriteFree, !wr_i || !v_q[wr_st_i.slot], "store written over another one")
  `DUET_ASSERT(ClearOnly, !change_i || !(wr_i && (wr_rel_i || wr_scanned_i)),
               "entry released at a change of epoch")
endmodule
