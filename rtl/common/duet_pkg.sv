/// Functions that blocks of several families use.
package duet_pkg;
  // Number of the lowest bit that is 1; 63 of 0.
  function automatic logic [5:0] lowest(logic [63:0] bits);
    logic [5:0]  at;
    logic [63:0] rest;
    rest  = bits;
    at[5] = (rest[31:0] == '0);
    if (at[5]) rest = rest >> 32;
    at[4] = (rest[15:0] == '0);
    if (at[4]) rest = rest >> 16;
    at[3] = (rest[7:0] == '0);
    if (at[3]) rest = rest >> 8;
    at[2] = (rest[3:0] == '0);
    if (at[2]) rest = rest >> 4;
    at[1] = (rest[1:0] == '0);
    if (at[1]) rest = rest >> 2;
    at[0] = !rest[0];
    return at;
  endfunction

  // The same of twice as many; 127 of 0.
  function automatic logic [6:0] lowest_of_128(logic [127:0] bits);
    logic above;
    above = (bits[63:0] == '0);
    return {above, lowest(above ? bits[127:64] : bits[63:0])};
  endfunction
endpackage
