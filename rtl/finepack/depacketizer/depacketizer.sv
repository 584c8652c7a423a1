`include "duet_assert.svh"
`include "finepack_types.svh"

/// Takes TLPs apart into accesses for the destination's memory system (FinePack section IV-B).
/// One sub-packet per cycle. A beat accepted in cycle t is parsed from t+1; its access is on `st`
/// in t+2 when the buffer is empty, its error on `err` in t+2 (a beat without a packet: t+1).
/// All outputs are functions of registers.
module depacketizer #(  // rule: Cycle rules
  parameter int unsigned Line           = 128,  // bytes of a line, 16..128, a power of 2
  parameter int unsigned SubHeaderBytes = 5,    // bytes of a sub-header, 2..6
  parameter int unsigned OffsetWidth    = 30,   // bits of an offset, 8*SubHeaderBytes - 10
  parameter int unsigned Beat           = 32,   // bytes of a beat: 8, 16, 32, 64 or 128
  parameter int unsigned OutputDepth    = 64,   // accesses that the output buffer holds, 2..64
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
  localparam int unsigned WindowBytes = 8 * ((2 * Beat + SubHeaderBytes + Line + 7) / 8);
  localparam int unsigned CntW        = $clog2(WindowBytes + 1);
  localparam int unsigned IdxW        = $clog2(Line);
  localparam int unsigned LowBytes    = SubHeaderBytes + Line;  // most bytes that one access takes

  // The beat from the link.
  logic                  keep;   // its bytes enter the window
  logic [CntW-1:0]       pos;    // behind this many
  logic                  stray;  // it belongs to no packet
  logic [8*LowBytes-1:0] low;    // the oldest bytes of the window
  wire unused_dest = ^tlp_i.dest;  // the link has used it

  // The oldest packet, see depacketizer_slots.
  logic            live, bad;
  logic [7:0][7:0] info;
  logic [63:0]     addr;
  logic [12:0]     total, rem;
  logic [CntW-1:0] have;

  // Its header, see depacketizer_header.
  logic          is_pack, is_write, is_read, is_atomic, is_mark, fault, one_dw;
  logic [3:0]    fault_code, aop, size;
  logic [IdxW:0] read_len;

  // What is done with it in this cycle, see depacketizer_parser.
  logic            err, push, good;
  logic [3:0]      code;
  logic [CntW-1:0] take;
  logic [63:0]     at;    // address of the access's first byte
  logic [IdxW:0]   len;   // its payload bytes
  logic            room;  // the output buffer takes it
  logic [1:0]      kind;
  logic [Line-1:0]      mask;
  logic [Line-1:0][7:0] data;
  ingress_t             access;

  depacketizer_slots #(.Beat(Beat), .WindowBytes(WindowBytes)) u_slots (
    .clk_i, .rst_ni,
    .tlp_valid_i, .tlp_ready_o,
    .sop_i(tlp_i.sop), .eop_i(tlp_i.eop), .hdr_i(tlp_i.hdr), .nbytes_i(tlp_i.nbytes),
    .keep_o(keep), .pos_o(pos), .stray_o(stray),  // rule: Cycle rules Acceptance
    .err_i(err), .push_i(push), .take_i(take), .write_i(is_write), .good_o(good),
    .live_o(live), .info_o(info), .addr_o(addr), .total_o(total), .rem_o(rem), .have_o(have),
    .bad_o(bad)
  );

  depacketizer_window #(.Beat(Beat), .WindowBytes(WindowBytes), .LowBytes(LowBytes)) u_window (
    .clk_i, .rst_ni,
    .take_i(take), .keep_i(keep), .pos_i(pos), .nbytes_i(tlp_i.nbytes), .data_i(tlp_i.data),
    .low_o(low)
  );  // rule: Registers bytes_q

  depacketizer_header #(.Line(Line)) u_header (  // rule: 5
    .info_i(info), .lo_i(addr[IdxW-1:0]),
    .is_pack_o(is_pack), .is_write_o(is_write), .is_read_o(is_read), .is_atomic_o(is_atomic),
    .is_mark_o(is_mark), .fault_o(fault), .fault_code_o(fault_code),
    .aop_o(aop), .size_o(size), .read_len_o(read_len), .one_dw_o(one_dw)
  );

  depacketizer_parser #(  // rule: Cycle rules Parsing
    .Line(Line), .SubHeaderBytes(SubHeaderBytes), .WindowBytes(WindowBytes)
  ) u_parser (
    .live_i(live), .addr_i(addr), .rem_i(rem), .have_i(have), .bad_i(bad),
    .is_pack_i(is_pack), .is_write_i(is_write), .is_read_i(is_read),
    .fault_i(fault), .fault_code_i(fault_code),
    .sub_i(low[8*SubHeaderBytes-1:0]), .room_i(room),
    .err_o(err), .err_code_o(code), .push_o(push), .take_o(take), .addr_o(at), .len_o(len)
  );

  depacketizer_align #(.Line(Line), .SubHeaderBytes(SubHeaderBytes)) u_align (  // rule: 8
    .en_i(push), .low_i(low), .skip_i(is_pack),
    .len_i(len), .lo_i(is_atomic ? '0 : at[IdxW-1:0]),
    .mask_len_i(is_atomic ? (IdxW + 1)'(size) : is_read ? read_len : len), .mask_lo_i(at[IdxW-1:0]),
    .first_i(is_read || (is_write && rem == total)), .first_be_i(info[7][3:0]),
    .last_i(!one_dw && (is_read || (is_write && rem == 13'(len)))), .last_be_i(info[7][7:4]),
    .mask_o(mask), .data_o(data)
  );

  always_comb begin  // rule: 9
    kind = finepack_pkg::IngressWrite;
    if (is_read) kind = finepack_pkg::IngressRead;
    if (is_atomic) kind = finepack_pkg::IngressAtomic;
    if (is_mark) kind = finepack_pkg::IngressMark;
  end
  assign access = '{  // rule: 15
    kind: kind, aop: aop, src: {info[4], info[5]}, tag: info[6],
    addr: {at[63:IdxW], IdxW'(0)}, mask: mask, data: data
  };

  depacketizer_fifo #(.Line(Line), .Depth(OutputDepth)) u_fifo (  // rule: 14
    .clk_i, .rst_ni,
    .push_i(push), .access_i(access), .room_o(room),
    .st_valid_o, .st_ready_i, .st_o
  );

  depacketizer_error u_error (  // rule: 13
    .clk_i, .rst_ni,
    .parse_i(err), .code_i(code), .stray_i(stray),
    .err_valid_o, .err_code_o
  );

  `DUET_ASSERT_PARAM(LineLegal, Line >= 16 && Line <= 128 && $onehot(Line),
                     "Line must be a power of 2 in 16..128")
  `DUET_ASSERT_PARAM(SubHeaderBytesLegal, SubHeaderBytes >= 2 && SubHeaderBytes <= 6,
                     "SubHeaderBytes must be 2..6")
  `DUET_ASSERT_PARAM(OffsetWidthLegal, OffsetWidth == 8 * SubHeaderBytes - 10,
                     "OffsetWidth must be 8*SubHeaderBytes - 10")
  `DUET_ASSERT_PARAM(LineInRange, $clog2(Line) <= OffsetWidth,
                     "Line must not exceed 2**OffsetWidth")
  `DUET_ASSERT_PARAM(BeatLegal, Beat >= 8 && Beat <= 128 && $onehot(Beat),
                     "Beat must be a power of 2 in 8..128")
  `DUET_ASSERT_PARAM(OutputDepthLegal, OutputDepth >= 2 && OutputDepth <= 64,
                     "OutputDepth must be 2..64")

`ifdef DUET_SIMULATION
  // Byte conservation: the bytes of a good packet's stores and its sub-headers are its payload.
  logic [12:0] out_q, out_d;  // those of the oldest packet so far
  always_comb begin
    out_d = out_q;
    if (push && is_pack) out_d = out_q + 13'($countones(mask)) + 13'(SubHeaderBytes);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_q <= '0;
    else         out_q <= (good || err) ? '0 : out_d;
  end
`endif
  `DUET_ASSERT(BytesConserved, !(good && is_pack) || out_d == total,
               "stores and sub-headers are not the packet's payload")
  `DUET_ASSERT(OneAction, !(err && push), "error and access in one cycle")
  `DUET_ASSERT_STABLE(StStable, st_valid_o, st_ready_i, st_o)
endmodule
