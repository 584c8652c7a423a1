`include "duet_assert.svh"
`include "finepack_types.svh"

/// Takes TLPs apart into accesses for the destination's memory system (FinePack section IV-B).
/// One sub-packet per cycle. A beat accepted in cycle t is parsed from t+1; its access is on `st` in t+2
/// when the buffer is empty, its error on `err` in t+2 (a beat without a packet: t+1).
/// All outputs are functions of registers.
module depacketizer #(
  parameter int unsigned Line = 128,  // bytes of a line, 16..128, a power of 2
  parameter int unsigned Sh   = 5,    // bytes of a sub-header, 2..6
  parameter int unsigned OffB = 30,   // bits of an offset, 8*Sh - 10
  parameter int unsigned Beat = 32,   // bytes of a beat: 8, 16, 32, 64 or 128
  parameter int unsigned Dq   = 64,   // accesses that the output buffer holds, 2..64
  localparam type tlp_t     = `FINEPACK_TLP_T(Beat),
  localparam type ingress_t = `FINEPACK_INGRESS_T(Line)
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // tlp: beats from the link
  input  logic       tlp_valid_i,
  output logic       tlp_ready_o,
  input  tlp_t       tlp_i,
  // st: accesses for the destination's memory system
  output logic       st_valid_o,
  input  logic       st_ready_i,
  output ingress_t   st_o,
  // err: one-cycle pulse, specification 12
  output logic       err_valid_o,
  output logic [3:0] err_code_o
);
  localparam int unsigned Cap  = 8 * ((2 * Beat + Sh + Line + 7) / 8);  // bytes of the window
  localparam int unsigned CntW = $clog2(Cap + 1);
  localparam int unsigned IdxW = $clog2(Line);
  localparam int unsigned LowB = Sh + Line;  // most bytes that one access takes

  // The oldest packet.
  logic            live;    // it is there and nothing is wrong with it yet
  logic [7:0][7:0] info;    // bytes 0..7 of its header
  logic [63:0]     addr;    // address of its header, of the next part of a plain write
  logic [12:0]     total;   // payload bytes that its header promises
  logic [12:0]     rem;     // those that have not been taken
  logic [CntW-1:0] have;    // its bytes in the window
  logic            bad;     // it broke a rule at its acceptance
  logic            closed;  // its last beat has been accepted

  // Its header, decoded.
  logic       is_pack, is_write, is_atomic, is_mark, has_fault;
  logic [3:0] fault_code, aop;
  logic [3:0] size;       // bytes that an atomic works on
  logic [9:0] read_len;   // bytes from the first to the last DW of a read
  logic       one_dw;     // Length is 1

  // What is done with it in this cycle.
  logic            err, push;
  logic [3:0]      code;
  logic [CntW-1:0] take;   // bytes that leave the window
  ingress_t        access;  // mask and data come from the aligner
  logic [IdxW-1:0] lo, data_lo;
  logic [IdxW:0]   len, data_len;
  logic            first_dw, last_dw;
  logic [Line-1:0]      mask;
  logic [Line-1:0][7:0] data;

  // Acceptance.
  logic            keep;   // the bytes of the beat enter the window
  logic            stray;  // a beat without a packet
  logic            good;   // the oldest packet ends without an error
  logic [CntW-1:0] pos;    // place of the beat in the window
  logic [8*LowB-1:0] low;  // the oldest bytes of the window
  logic            room;   // the buffer takes an access

  depacketizer_slots #(.Beat(Beat), .Cap(Cap)) u_slots (
    .clk_i, .rst_ni,
    .tlp_valid_i, .tlp_ready_o,
    .sop_i(tlp_i.sop), .eop_i(tlp_i.eop), .hdr_i(tlp_i.hdr), .nbytes_i(tlp_i.nbytes),
    .keep_o(keep), .pos_o(pos), .stray_o(stray),
    .err_i(err), .push_i(push), .take_i(take), .write_i(is_write), .good_o(good),
    .live_o(live), .info_o(info), .addr_o(addr), .total_o(total), .rem_o(rem), .have_o(have),
    .bad_o(bad), .closed_o(closed)
  );
  wire unused_dest = ^tlp_i.dest;  // the link has used it

  depacketizer_header #(.Line(Line)) u_header (
    .info_i(info), .addr_i(addr),
    .is_pack_o(is_pack), .is_write_o(is_write), .is_atomic_o(is_atomic), .is_mark_o(is_mark),
    .has_fault_o(has_fault), .fault_code_o(fault_code), .aop_o(aop), .size_o(size),
    .read_len_o(read_len), .one_dw_o(one_dw)
  );
