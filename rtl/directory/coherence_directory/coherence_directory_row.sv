`include "duet_assert.svh"
`include "coherence_directory_entry.svh"

/// A set of the array: lookup of the line of the request in S1, and the updated row. Variants
/// baseline, hmg and rec. Combinational.
module coherence_directory_row  // rule: Entry layout
  import coherence_directory_pkg::*;
#(
  parameter int unsigned Variant      = VariantRec,
  parameter int unsigned Gpus         = 4,
  parameter int unsigned Ways         = 8,
  parameter int unsigned Line         = 64,
  parameter int unsigned Range        = 1024,
  parameter int unsigned AddressWidth = 48,
  localparam int unsigned Sharers   = Gpus - 1,
  localparam int unsigned Positions = Range / Line,
  localparam int unsigned PositionW = (Positions > 1) ? $clog2(Positions) : 1,
  localparam int unsigned Groups    = (Variant == VariantRec) ? Positions : 1,
  localparam int unsigned BaseW     = AddressWidth - $clog2(Range),
  localparam int unsigned BaseBits  = base_bits(Variant, AddressWidth, Range),
  localparam int unsigned GroupBits = group_bits(Variant, Gpus, Positions),
  localparam int unsigned EntryW    = 1 + BaseBits + GroupBits,
  localparam int unsigned OrderW    = (Ways > 1) ? Ways * (Ways - 1) / 2 : 1,
  localparam int unsigned RowWidth  = OrderW + Ways * EntryW
) (
  input  logic                           clk_i,  // for the assertions only
  input  logic                           rst_ni,
  input  logic [RowWidth-1:0]            row_i,
  // look: lookup of a line
  input  logic                           look_i,
  input  logic [BaseW-1:0]               base_i,       // address / Range
  input  logic [PositionW-1:0]           pos_i,        // line in the range
  output logic                           present_o,    // an entry covers the line
  output logic                           tracked_o,    // the line has sharers
  output logic [Sharers-1:0]             slots_o,      // its sharers; 0 when not tracked
  output logic                           full_o,       // no way is free
  output logic                           duplicate_o,  // two entries cover it
  // the entry found or, if none, the victim
  output logic [BaseW-1:0]               whole_base_o,
  output logic [Positions-1:0]           whole_pos_o,
  output logic [Groups-1:0][Sharers-1:0] whole_slots_o,
  // row update, see coherence_directory_decide
  input  logic                           alloc_i,
  input  logic                           line_i,
  input  logic [Sharers-1:0]             slots_i,
  input  logic                           drop_i,
  input  logic                           use_i,
  output logic                           wr_o,
  output logic [RowWidth-1:0]            row_o
);
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1;
  // The baseline stores the whole address: its base is followed by the bits of the line, which are
  // 0.
  localparam int unsigned Pad = BaseBits - BaseW;

  typedef `DIRECTORY_ENTRY_T(BaseBits, GroupBits) entry_t;
  typedef struct packed {
    logic [OrderW-1:0]  order;
    entry_t [Ways-1:0]  entries;
  } row_t;

  row_t old;
  assign old = row_i;

  // Which entries cover the line.
  wire [BaseBits-1:0] tag = BaseBits'(base_i) << Pad;
  logic [Ways-1:0] valid, match;
  always_comb begin : compare  // rule: Transition table
    valid = '0;
    match = '0;
    if (look_i) begin
      for (int unsigned w = 0; w < Ways; w++) begin
        valid[w] = old.entries[w].valid;
        match[w] = old.entries[w].valid && old.entries[w].base == tag;
      end
    end
  end
  assign present_o   = (match != '0);
  assign full_o      = (valid == '1);
  assign duplicate_o = !$onehot0(match);  // rule: 8

  // The way of the request: the lowest that matches, else the lowest that is free, else the
  // oldest.
  logic [Ways-1:0]   oldest, choice;
  logic [WayW-1:0]   way;
  logic [OrderW-1:0] order;
  always_comb begin : choose  // rule: 11
    choice = oldest;
    if (!full_o) choice = ~valid;
    if (present_o) choice = match;
    way = '0;
    for (int unsigned w = Ways; w > 0; w--) if (choice[w-1]) way = WayW'(w - 1);
  end

  coherence_directory_order #(  // rule: 10
    .Ways(Ways)
  ) u_order (
    .order_i (old.order),
    .oldest_o(oldest),
    .use_i   (use_i),
    .way_i   (way),
    .order_o (order)
  );

  entry_t               entry;
  logic [GroupBits-1:0] groups_new;
  always_comb begin : select
    entry = '0;
    if (look_i) entry = old.entries[way];
  end
  assign whole_base_o = BaseW'(entry.base >> Pad);

  if (Variant == VariantRec) begin : gen_groups
    typedef struct packed {
      logic [Sharers-1:0] slots;
      logic               pos;
    } group_t;
    group_t [Positions-1:0] groups, next;
    group_t                 group;
    assign groups    = entry.groups;
    assign group     = groups[pos_i];
    assign tracked_o = present_o && group.pos;  // rule: 7
    assign slots_o   = present_o ? group.slots : '0;  // rule: 7

    always_comb begin : split
      whole_pos_o   = '0;
      whole_slots_o = '0;
      if (look_i) begin
        for (int unsigned k = 0; k < Positions; k++) begin
          whole_pos_o[k]   = groups[k].pos;
          whole_slots_o[k] = groups[k].slots;
        end
      end
    end

    always_comb begin : update
      next = '0;
      if (!alloc_i && !drop_i) next = groups;
      if (line_i) next[pos_i] = '{slots: slots_i, pos: slots_i != '0};
    end
    assign groups_new = next;

`ifdef DUET_SIMULATION
    // A line has its position bit exactly while it has a sharer. Only the selected entry is
    // checked: the others are unchanged since their last check.
    logic consistent;
    always_comb begin : check
      consistent = 1'b1;
      if (look_i) begin
        for (int unsigned k = 0; k < Positions; k++) begin
          if (groups[k].pos != (groups[k].slots != '0)) consistent = 1'b0;
        end
      end
    end
`endif
    `DUET_ASSERT(PositionIsSharer, consistent, "position bit without a sharer or sharer without it")
  end else begin : gen_sharers
    // All lines have one sharer field.
    wire unused_rec = ^{pos_i, alloc_i};
    assign tracked_o        = present_o;
    assign slots_o          = present_o ? entry.groups : '0;
    assign whole_pos_o      = '1;
    assign whole_slots_o[0] = entry.groups;
    assign groups_new       = slots_i;  // 0 unless line_i
  end

  // An entry without sharers becomes invalid; its base is then undefined.
  row_t updated;
  assign wr_o = line_i || drop_i;
  always_comb begin : write_back  // rule: Transition table
    updated = old;
    if (wr_o) begin
      updated.order        = order;  // rule: 10
      updated.entries[way] = '{valid: groups_new != '0, base: tag, groups: groups_new};
    end
  end
  assign row_o = updated;

  `DUET_ASSERT(OneMatch, $onehot0(match), "two ways of a set have the same base")
  // Only with look_i: before the first read, row_i is undefined.
  `DUET_ASSERT(ValidIsTracked, !look_i || entry.valid == (entry.groups != '0),
               "valid entry without a line or line without it")
  `DUET_ASSERT(OneOldest, !look_i || $onehot(oldest), "order matrix has no oldest way")
  `DUET_ASSERT(OnlyAfterLook, look_i || !(wr_o || use_i), "row changes without a request")
endmodule
