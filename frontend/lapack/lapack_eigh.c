// lapack_eigh: eigenvalues and eigenvectors of symmetric and Hermitian matrices as
// texts (see lapack_routines.h).
//
// Jacobi's method in parallel order: the matrix, padded to an even size e = 2h, has h pairs
// (i, h + i) of rows. A round rotates all pairs at once so that a(i, h + i) becomes zero, then
// moves rows and columns so that other pairs meet; after e - 1 rounds, a sweep, all have met and
// stand where they were. Sweeps end when what is off the diagonal is below the precision of the
// whole, or after the most sweeps allowed.
//
// Sources: Golub, Van Loan, Matrix Computations, 4th ed., 8.5 (the rotation 8.5.2, parallel order
// 8.5.5); Brent, Luk, The solution of singular-value and symmetric eigenvalue problems on
// multiprocessor arrays, 1985 (the order).
#include "frontend/lapack/lapack_routines.h"

#include <stddef.h>

// clang-format off

const char *const lapack_eigh[] = {
    "%zero = stablehlo.constant dense<0> : tensor<i32>",
    "%one = stablehlo.constant dense<1> : tensor<i32>",
    "%zero_t = stablehlo.constant dense<$nil> : $0",
    "%zero_r = stablehlo.constant dense<0.0> : $0r",
    "%no = stablehlo.constant dense<false> : tensor<i1>",
    // the whole matrix from the triangle that counts ($order: GT, the lower one); its diagonal is
    // real
    "%rows = stablehlo.iota dim = $row : $(n,n)i",
    "%cols = stablehlo.iota dim = $col : $(n,n)i",
    "%is_part = stablehlo.compare $order, %rows, %cols : ($(n,n)i, $(n,n)i) -> $(n,n)b",
    "%is_diagonal = stablehlo.compare EQ, %rows, %cols : ($(n,n)i, $(n,n)i) -> $(n,n)b",
    "%zeros = stablehlo.constant dense<$nil> : $(n,n)",
    "%part = stablehlo.select %is_part, %operand0, %zeros : $(n,n)b, $(n,n)",
    "%turned = stablehlo.transpose %part, dims = [$swap] : ($(n,n)) -> $(n,n)",
    "%other = chlo.conj %turned : $(n,n) -> $(n,n)",
    "%real = \"stablehlo.real\"(%operand0) : ($(n,n)) -> $(n,n)r",
    "%real_t = stablehlo.convert %real : ($(n,n)r) -> $(n,n)",
    "%diagonal = stablehlo.select %is_diagonal, %real_t, %zeros : $(n,n)b, $(n,n)",
    "%triangles = stablehlo.add %part, %other : $(n,n)",
    "%given = stablehlo.add %triangles, %diagonal : $(n,n)",
    NULL};

const char *const lapack_eigh_sweeps[] = {
    "%a0 = stablehlo.pad %scaled, %zero_t, low = [$none0, 0], high = [$none$pad, $pad], interior = [$none0, 0]",
    "    : ($(n,n), $0) -> $(e,e)",
    "%rows_e = stablehlo.iota dim = $row : $(e,e)i",
    "%cols_e = stablehlo.iota dim = $col : $(e,e)i",
    "%is_diagonal_e = stablehlo.compare EQ, %rows_e, %cols_e : ($(e,e)i, $(e,e)i) -> $(e,e)b",
    "%v0 = stablehlo.convert %is_diagonal_e : ($(e,e)b) -> $(e,e)",
    // what is small: the square of the precision times the squares of all elements
    "%sizes_0 = \"stablehlo.abs\"(%a0) : ($(e,e)) -> $(e,e)r",
    "%squares_0 = stablehlo.multiply %sizes_0, %sizes_0 : $(e,e)r",
    "%norm = stablehlo.reduce(%squares_0 init: %zero_r) applies stablehlo.add across dimensions = [$row, $col] {shardc.in_order}",
    "    : ($(e,e)r, $0r) -> $()r",
    "%small = stablehlo.constant dense<$small> : $()r",
    "%limit = stablehlo.multiply %norm, %small : $()r",
    "%zeros_r = stablehlo.constant dense<0.0> : $(e,e)r",
    "%sweeps = stablehlo.constant dense<$attributes> : tensor<i32>",
    // masks of the halves: rows i of the upper half and h + i of the lower one, with columns i and
    // h + i
    "%half_rows = stablehlo.iota dim = $row : $(h,e)i",
    "%half_cols = stablehlo.iota dim = $col : $(h,e)i",
    "%half = stablehlo.constant dense<$h> : $(h,e)i",
    "%half_behind = stablehlo.add %half_rows, %half : $(h,e)i",
    "%is_left = stablehlo.compare EQ, %half_rows, %half_cols : ($(h,e)i, $(h,e)i) -> $(h,e)b",
    "%is_right = stablehlo.compare EQ, %half_behind, %half_cols : ($(h,e)i, $(h,e)i) -> $(h,e)b",
    // where the pairs' elements are
    "%number = stablehlo.iota dim = 0 : $[h,1]i",
    "%half_1 = stablehlo.constant dense<$h> : $[h,1]i",
    "%number_behind = stablehlo.add %number, %half_1 : $[h,1]i",
    "%at_p = stablehlo.concatenate %number, %number, dim = 1 : ($[h,1]i, $[h,1]i) -> $[h,2]i",
    "%at_q = stablehlo.concatenate %number, %number_behind, dim = 1 : ($[h,1]i, $[h,1]i) -> $[h,2]i",
    "%at_r = stablehlo.concatenate %number_behind, %number_behind, dim = 1 : ($[h,1]i, $[h,1]i) -> $[h,2]i",
    "%zeros_he = stablehlo.constant dense<$nil> : $(h,e)",
    "%zeros_ht = stablehlo.constant dense<$nil> : $(h)",
    NULL};

const char *const lapack_eigh_loop[] = {
    "%out:3 = stablehlo.while(%sweep = %zero, %a = %a0, %v = %v0) : tensor<i32>, $(e,e), $(e,e)",
    "cond {",
    "  %sizes_a = \"stablehlo.abs\"(%a) : ($(e,e)) -> $(e,e)r",
    "  %off = stablehlo.select %is_diagonal_e, %zeros_r, %sizes_a : $(e,e)b, $(e,e)r",
    "  %squares = stablehlo.multiply %off, %off : $(e,e)r",
    "  %rest = stablehlo.reduce(%squares init: %zero_r) applies stablehlo.add across dimensions = [$row, $col] {shardc.in_order}",
    "      : ($(e,e)r, $0r) -> $()r",
    "  %is_large = stablehlo.compare GT, %rest, %limit : ($()r, $()r) -> $()b",
    "  %is_any = stablehlo.reduce(%is_large init: %no) applies stablehlo.or across dimensions = [$batches]",
    "      : ($()b, tensor<i1>) -> tensor<i1>",
    "  %may = stablehlo.compare LT, %sweep, %sweeps : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "  %more = stablehlo.and %is_any, %may : tensor<i1>",
    "  stablehlo.return %more : tensor<i1>",
    "} do {",
    // a matrix that is done stays as it is, however long the others take
    "  %sizes_a = \"stablehlo.abs\"(%a) : ($(e,e)) -> $(e,e)r",
    "  %off = stablehlo.select %is_diagonal_e, %zeros_r, %sizes_a : $(e,e)b, $(e,e)r",
    "  %squares = stablehlo.multiply %off, %off : $(e,e)r",
    "  %rest = stablehlo.reduce(%squares init: %zero_r) applies stablehlo.add across dimensions = [$row, $col] {shardc.in_order}",
    "      : ($(e,e)r, $0r) -> $()r",
    "  %is_large = stablehlo.compare GT, %rest, %limit : ($()r, $()r) -> $()b",
    "  %is_on = stablehlo.broadcast_in_dim %is_large, dims = [$batches] : ($()b) -> $(h)b",
    "  %in:3 = stablehlo.while(%round = %zero, %x = %a, %y = %v) : tensor<i32>, $(e,e), $(e,e)",
    "  cond {",
    "    %is_more = stablehlo.compare LT, %round, %last_round : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "    stablehlo.return %is_more : tensor<i1>",
    "  } do {",
    // the 2x2 matrices [[p, q], [conj(q), r]] of the pairs
    "    %top = stablehlo.slice %x [$all0:$h, 0:$e] : ($(e,e)) -> $(h,e)",
    "    %bottom = stablehlo.slice %x [$all$h:$e, 0:$e] : ($(e,e)) -> $(h,e)",
    "    %p_t = \"stablehlo.gather\"(%x, %at_p) <{dimension_numbers = #stablehlo.gather<offset_dims = [$batches],",
    "        collapsed_slice_dims = [$row, $col], start_index_map = [$row, $col], index_vector_dim = 1>,",
    "        slice_sizes = array<i64: $batch1, 1>}> : ($(e,e), $[h,2]i) -> $(h)",
    "    %q_any = \"stablehlo.gather\"(%x, %at_q) <{dimension_numbers = #stablehlo.gather<offset_dims = [$batches],",
    "        collapsed_slice_dims = [$row, $col], start_index_map = [$row, $col], index_vector_dim = 1>,",
    "        slice_sizes = array<i64: $batch1, 1>}> : ($(e,e), $[h,2]i) -> $(h)",
    "    %q = stablehlo.select %is_on, %q_any, %zeros_ht : $(h)b, $(h)",
    "    %r_t = \"stablehlo.gather\"(%x, %at_r) <{dimension_numbers = #stablehlo.gather<offset_dims = [$batches],",
    "        collapsed_slice_dims = [$row, $col], start_index_map = [$row, $col], index_vector_dim = 1>,",
    "        slice_sizes = array<i64: $batch1, 1>}> : ($(e,e), $[h,2]i) -> $(h)",
    "    %p = \"stablehlo.real\"(%p_t) : ($(h)) -> $(h)r",
    "    %r = \"stablehlo.real\"(%r_t) : ($(h)) -> $(h)r",
    NULL};

const char *const lapack_eigh_turn[] = {
    "    %change = stablehlo.multiply %t, %size : $(h)r",
    "    %p_new = stablehlo.subtract %p, %change : $(h)r",
    "    %r_new = stablehlo.add %r, %change : $(h)r",
    // rows: J^H X
    "    %c_col = stablehlo.reshape %c_t : ($(h)) -> $(h,1)",
    "    %z_col = stablehlo.reshape %z : ($(h)) -> $(h,1)",
    "    %zc_col = stablehlo.reshape %z_conj : ($(h)) -> $(h,1)",
    "    %c_rows = stablehlo.broadcast_in_dim %c_col, dims = [$dims] : ($(h,1)) -> $(h,e)",
    "    %z_rows = stablehlo.broadcast_in_dim %z_col, dims = [$dims] : ($(h,1)) -> $(h,e)",
    "    %zc_rows = stablehlo.broadcast_in_dim %zc_col, dims = [$dims] : ($(h,1)) -> $(h,e)",
    "    %c_top = stablehlo.multiply %c_rows, %top : $(h,e)",
    "    %z_bottom = stablehlo.multiply %z_rows, %bottom : $(h,e)",
    "    %new_top = stablehlo.subtract %c_top, %z_bottom : $(h,e)",
    "    %z_top = stablehlo.multiply %zc_rows, %top : $(h,e)",
    "    %c_bottom = stablehlo.multiply %c_rows, %bottom : $(h,e)",
    "    %new_bottom = stablehlo.add %z_top, %c_bottom : $(h,e)",
    "    %turned_rows = stablehlo.concatenate %new_top, %new_bottom, dim = $row : ($(h,e), $(h,e)) -> $(e,e)",
    // columns of Y, which stand as rows: Y J
    "    %y_top = stablehlo.slice %y [$all0:$h, 0:$e] : ($(e,e)) -> $(h,e)",
    "    %y_bottom = stablehlo.slice %y [$all$h:$e, 0:$e] : ($(e,e)) -> $(h,e)",
    "    %c_y_top = stablehlo.multiply %c_rows, %y_top : $(h,e)",
    "    %z_y_bottom = stablehlo.multiply %zc_rows, %y_bottom : $(h,e)",
    "    %new_y_top = stablehlo.subtract %c_y_top, %z_y_bottom : $(h,e)",
    "    %z_y_top = stablehlo.multiply %z_rows, %y_top : $(h,e)",
    "    %c_y_bottom = stablehlo.multiply %c_rows, %y_bottom : $(h,e)",
    "    %new_y_bottom = stablehlo.add %z_y_top, %c_y_bottom : $(h,e)",
    // columns: (J^H X) J
    "    %c_row = stablehlo.reshape %c_t : ($(h)) -> $(1,h)",
    "    %z_row = stablehlo.reshape %z : ($(h)) -> $(1,h)",
    "    %zc_row = stablehlo.reshape %z_conj : ($(h)) -> $(1,h)",
    "    %c_cols = stablehlo.broadcast_in_dim %c_row, dims = [$dims] : ($(1,h)) -> $(e,h)",
    "    %z_cols = stablehlo.broadcast_in_dim %z_row, dims = [$dims] : ($(1,h)) -> $(e,h)",
    "    %zc_cols = stablehlo.broadcast_in_dim %zc_row, dims = [$dims] : ($(1,h)) -> $(e,h)",
    "    %left = stablehlo.slice %turned_rows [$all0:$e, 0:$h] : ($(e,e)) -> $(e,h)",
    "    %right = stablehlo.slice %turned_rows [$all0:$e, $h:$e] : ($(e,e)) -> $(e,h)",
    "    %c_left = stablehlo.multiply %c_cols, %left : $(e,h)",
    "    %z_right = stablehlo.multiply %zc_cols, %right : $(e,h)",
    "    %new_left = stablehlo.subtract %c_left, %z_right : $(e,h)",
    "    %z_left = stablehlo.multiply %z_cols, %left : $(e,h)",
    "    %c_right = stablehlo.multiply %c_cols, %right : $(e,h)",
    "    %new_right = stablehlo.add %z_left, %c_right : $(e,h)",
    "    %turned_both = stablehlo.concatenate %new_left, %new_right, dim = $col : ($(e,h), $(e,h)) -> $(e,e)",
    // what is known of the pairs without rounding
    "    %p_new_t = stablehlo.convert %p_new : ($(h)r) -> $(h)",
    "    %r_new_t = stablehlo.convert %r_new : ($(h)r) -> $(h)",
    "    %p_col = stablehlo.reshape %p_new_t : ($(h)) -> $(h,1)",
    "    %r_col = stablehlo.reshape %r_new_t : ($(h)) -> $(h,1)",
    "    %p_rows = stablehlo.broadcast_in_dim %p_col, dims = [$dims] : ($(h,1)) -> $(h,e)",
    "    %r_rows = stablehlo.broadcast_in_dim %r_col, dims = [$dims] : ($(h,1)) -> $(h,e)",
    "    %upper = stablehlo.slice %turned_both [$all0:$h, 0:$e] : ($(e,e)) -> $(h,e)",
    "    %lower = stablehlo.slice %turned_both [$all$h:$e, 0:$e] : ($(e,e)) -> $(h,e)",
    "    %upper_0 = stablehlo.select %is_right, %zeros_he, %upper : $(h,e)b, $(h,e)",
    "    %upper_p = stablehlo.select %is_left, %p_rows, %upper_0 : $(h,e)b, $(h,e)",
    "    %lower_0 = stablehlo.select %is_left, %zeros_he, %lower : $(h,e)b, $(h,e)",
    "    %lower_r = stablehlo.select %is_right, %r_rows, %lower_0 : $(h,e)b, $(h,e)",
    // the next pairs: rows and columns of X and rows of Y move
    "    %x_0 = stablehlo.slice %upper_p [$all0:1, 0:$e] : ($(h,e)) -> $(1,e)",
    "    %x_1 = stablehlo.slice %lower_r [$all0:1, 0:$e] : ($(h,e)) -> $(1,e)",
    "    %x_2 = stablehlo.slice %upper_p [$all1:$f, 0:$e] : ($(h,e)) -> $(g,e)",
    "    %x_3 = stablehlo.slice %lower_r [$all1:$h, 0:$e] : ($(h,e)) -> $(f,e)",
    "    %x_4 = stablehlo.slice %upper_p [$all$f:$h, 0:$e] : ($(h,e)) -> $(1,e)",
    "    %moved_x = stablehlo.concatenate %x_0, %x_1, %x_2, %x_3, %x_4, dim = $row",
    "        : ($(1,e), $(1,e), $(g,e), $(f,e), $(1,e)) -> $(e,e)",
    "    %moved_left = stablehlo.slice %moved_x [$all0:$e, 0:$h] : ($(e,e)) -> $(e,h)",
    "    %moved_right = stablehlo.slice %moved_x [$all0:$e, $h:$e] : ($(e,e)) -> $(e,h)",
    "    %x_5 = stablehlo.slice %moved_left [$all0:$e, 0:1] : ($(e,h)) -> $(e,1)",
    "    %x_6 = stablehlo.slice %moved_right [$all0:$e, 0:1] : ($(e,h)) -> $(e,1)",
    "    %x_7 = stablehlo.slice %moved_left [$all0:$e, 1:$f] : ($(e,h)) -> $(e,g)",
    "    %x_8 = stablehlo.slice %moved_right [$all0:$e, 1:$h] : ($(e,h)) -> $(e,f)",
    "    %x_9 = stablehlo.slice %moved_left [$all0:$e, $f:$h] : ($(e,h)) -> $(e,1)",
    "    %next_x = stablehlo.concatenate %x_5, %x_6, %x_7, %x_8, %x_9, dim = $col",
    "        : ($(e,1), $(e,1), $(e,g), $(e,f), $(e,1)) -> $(e,e)",
    "    %y_0 = stablehlo.slice %new_y_top [$all0:1, 0:$e] : ($(h,e)) -> $(1,e)",
    "    %y_1 = stablehlo.slice %new_y_bottom [$all0:1, 0:$e] : ($(h,e)) -> $(1,e)",
    "    %y_2 = stablehlo.slice %new_y_top [$all1:$f, 0:$e] : ($(h,e)) -> $(g,e)",
    "    %y_3 = stablehlo.slice %new_y_bottom [$all1:$h, 0:$e] : ($(h,e)) -> $(f,e)",
    "    %y_4 = stablehlo.slice %new_y_top [$all$f:$h, 0:$e] : ($(h,e)) -> $(1,e)",
    "    %next_y = stablehlo.concatenate %y_0, %y_1, %y_2, %y_3, %y_4, dim = $row",
    "        : ($(1,e), $(1,e), $(g,e), $(f,e), $(1,e)) -> $(e,e)",
    "    %next_round = stablehlo.add %round, %one : tensor<i32>",
    "    stablehlo.return %next_round, %next_x, %next_y : tensor<i32>, $(e,e), $(e,e)",
    "  }",
    "  %next_sweep = stablehlo.add %sweep, %one : tensor<i32>",
    "  stablehlo.return %next_sweep, %in#1, %in#2 : tensor<i32>, $(e,e), $(e,e)",
    "}",
    // without the pad
    "%done = stablehlo.slice %out#1 [$all0:$n, 0:$n] : ($(e,e)) -> $(n,n)",
    "%only = stablehlo.select %is_diagonal, %done, %zeros : $(n,n)b, $(n,n)",
    "%values_t = stablehlo.reduce(%only init: %zero_t) applies stablehlo.add across dimensions = [$row] : ($(n,n), $0) -> $(n)",
    "%values = \"stablehlo.real\"(%values_t) : ($(n)) -> $(n)r",
    "%vectors_turned = stablehlo.slice %out#2 [$all0:$n, 0:$n] : ($(e,e)) -> $(n,n)",
    "%vectors = stablehlo.transpose %vectors_turned, dims = [$swap] : ($(n,n)) -> $(n,n)",
    NULL};

// %values and %vectors of %scaled, as those of the matrix that was given, the smallest first.
const char *const lapack_eigh_sort[] = {
    "%scales = stablehlo.broadcast_in_dim %scale, dims = [$batches] : ($()r) -> $(n)r",
    "%numbers = stablehlo.broadcast_in_dim %is_number, dims = [$batches] : ($()r) -> $(n)r",
    "%values_s = stablehlo.multiply %values, %scales : $(n)r",
    "%values_n = stablehlo.multiply %values_s, %numbers : $(n)r",
    "%numbers_t = stablehlo.broadcast_in_dim %is_number_t, dims = [$batches] : ($()) -> $(n,n)",
    "%vectors_n = stablehlo.multiply %vectors, %numbers_t : $(n,n)",
    "%places = stablehlo.iota dim = $row : $(n)i",
    "%sorted:2 = \"stablehlo.sort\"(%values_n, %places) <{dimension = $row : i64, is_stable = true}> ({",
    "^bb0(%k0: $0r, %k1: $0r, %l0: tensor<i32>, %l1: tensor<i32>):",
    "  %is_less = stablehlo.compare LT, %k0, %k1, TOTALORDER : ($0r, $0r) -> tensor<i1>",
    "  stablehlo.return %is_less : tensor<i1>",
    "}) : ($(n)r, $(n)i) -> ($(n)r, $(n)i)",
    "%order = stablehlo.reshape %sorted#1 : ($(n)i) -> $(n,1)i",
    "%sorted_vectors = \"stablehlo.gather\"(%vectors_n, %order) <{$columns, slice_sizes = array<i64: $each$n, 1>}>",
    "    : ($(n,n), $(n,1)i) -> $(n,n)",
    NULL};

const char *const lapack_eigh_end[] = {
    "return %sorted_vectors, %sorted#0 : $(n,n), $(n)r",
    NULL};
// info is zero: the method always ends.
const char *const lapack_syevd_end[] = {
    "%info = stablehlo.constant dense<0> : $()i",
    "return %sorted_vectors, %sorted#0, %info : $(n,n), $(n)r, $()i",
    NULL};

// clang-format on
