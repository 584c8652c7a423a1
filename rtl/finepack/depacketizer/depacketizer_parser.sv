/// Decides what is done with the oldest packet in this cycle: one access, one error, or nothing
/// (rules 6 to 11 of the README). Combinational, from registers only.
module depacketizer_parser #(  // rule: Cycle rules Parsing
  parameter int unsigned Line           = 128,
  parameter int unsigned SubHeaderBytes = 5,
  parameter int unsigned WindowBytes    = 200,
  localparam int unsigned IdxW = $clog2(Line),
  localparam int unsigned CntW = $clog2(WindowBytes + 1)
) (
  // The oldest packet.
  input  logic                        live_i,
  input  logic [63:0]                 addr_i,
  input  logic [12:0]                 rem_i,
  input  logic [CntW-1:0]             have_i,
  input  logic                        bad_i,
  input  logic                        is_pack_i,
  input  logic                        is_write_i,
  input  logic                        is_read_i,
  input  logic                        fault_i,
  input  logic [3:0]                  fault_code_i,
  input  logic [8*SubHeaderBytes-1:0] sub_i,   // the oldest bytes of the window
  input  logic                        room_i,  // the output buffer takes an access
  output logic                        err_o,
  output logic [3:0]                  err_code_o,
  output logic                        push_o,
  output logic [CntW-1:0]             take_o,  // bytes that leave the window
  // The access.
  output logic [63:0]                 addr_o,  // of its first byte
  output logic [IdxW:0]               len_o    // its payload bytes; a read has none
);
  import finepack_pkg::*;

  // Sub-header.
  logic [9:0]  sub_len;
  logic [64:0] sub_addr;
  logic [10:0] sub_bytes;  // of the sub-packet
  logic        overflow, illegal, beyond;
  assign sub_len   = sub_i[9:0];  // rule: 7
  assign sub_addr  = {1'b0, addr_i} + 65'(sub_i[8*SubHeaderBytes-1:10]);  // rule: 7
  assign sub_bytes = 11'(sub_len) + 11'(SubHeaderBytes);  // rule: 7
  assign overflow  = sub_addr[64];  // rule: 7
  assign illegal   = sub_len == 10'd0 || 11'(sub_len) + 11'(sub_addr[IdxW-1:0]) > 11'(Line);
  assign beyond    = 13'(sub_bytes) > rem_i;  // rule: 7

  // Part of a plain write: up to the end of the line or of the packet.
  logic [IdxW:0] part;
  always_comb begin  // rule: 8
    part = (IdxW + 1)'(Line) - (IdxW + 1)'(addr_i[IdxW-1:0]);
    if (rem_i < 13'(part)) part = (IdxW + 1)'(rem_i);
  end

  logic            whole;  // all bytes of the access are in the window
  logic [CntW-1:0] bytes;  // those bytes, with the sub-header
  always_comb begin
    err_o      = 1'b0;
    err_code_o = ErrTruncated;
    whole      = 1'b0;
    bytes      = '0;
    addr_o     = addr_i;
    len_o      = '0;
    if (live_i) begin
      if (fault_i) begin  // rule: 6
        err_o      = 1'b1;
        err_code_o = fault_code_i;
      end else if (is_read_i) begin  // rule: 9
        whole = !bad_i;
        err_o = bad_i;
      end else if (rem_i == 13'd0) begin  // rule: 10
        // All that the header promised is out; what came behind it broke a rule.
        err_o = bad_i;
      end else if (is_pack_i) begin  // rule: 7
        addr_o = sub_addr[63:0];
        len_o  = (IdxW + 1)'(sub_len);
        bytes  = CntW'(sub_bytes);
        if (rem_i < 13'(SubHeaderBytes)) begin
          err_o = 1'b1;
        end else if (have_i < CntW'(SubHeaderBytes)) begin
          err_o = bad_i;
        end else if (overflow || illegal || beyond) begin
          err_o = 1'b1;
          if (overflow)     err_code_o = ErrAddrOverflow;
          else if (illegal) err_code_o = ErrBadSubheader;
        end else begin
          whole = have_i >= bytes;
          err_o = !whole && bad_i;
        end
      end else begin  // rule: 8
        // A part of a plain write, or all operands of an atomic.
        len_o = is_write_i ? part : (IdxW + 1)'(rem_i);
        bytes = CntW'(len_o);
        whole = have_i >= bytes;
        err_o = !whole && bad_i;
      end
    end
  end

  assign push_o = whole && room_i;  // rule: 14
  assign take_o = err_o ? have_i : push_o ? bytes : '0;  // rule: 11
endmodule
