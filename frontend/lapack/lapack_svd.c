// lapack_svd: singular values and vectors as texts (see lapack_routines.h). The tall matrix A [m,
// n] is the operand or its adjoint.
//
// A = Q1 R by Householder's reflectors.
//
// Few columns: Jacobi's one-sided method in parallel order rotates pairs of columns of W = R^H
// until all are orthogonal: R^H J = W. With the columns in the order of their lengths, W = V S,
// which a second QR turns into orthonormal V also where lengths are zero: A = (Q1 J) S V^H.
//
// Others of f32: the eigenvectors of A^H A in f64 are V, since f64 has more than twice the digits
// of f32; A V = U S, which a QR makes orthonormal also where lengths are zero.
//
// Others of f64: a second QR makes R = L Q2^H. L = U H with U unitary and H positive, whose
// eigenvalues and eigenvectors are S and V: A = (Q1 U V) S (Q2 V)^H. U comes from L by dynamically
// weighted Halley steps, which are products and factorisations alone. (From R, QR without pivots
// would not be stable: the columns of L are in the order of their sizes, or nearly.)
//
// Columns that Q1 has beyond the n-th make U square.
//
// Sources: Golub, Van Loan, Matrix Computations, 4th ed., 8.6.3 (one-sided Jacobi); Drmac,
// Veselic, New fast and accurate Jacobi SVD algorithm I, 2008 (QR first, the transposed
// factor, the stopping criterion); Nakatsukasa, Higham, Stable and efficient spectral divide and
// conquer algorithms for the symmetric eigenvalue decomposition and the SVD, 2013 (the steps, the
// forms with QR and with Cholesky).
#include "frontend/lapack/lapack_routines.h"

#include <stddef.h>

// clang-format off

const char *const lapack_svd_tall[] = {
    "%given = stablehlo.reshape %operand0 : ($(p,q)) -> $(m,n)",
    NULL};
const char *const lapack_svd_wide[] = {
    "%transposed = stablehlo.transpose %operand0, dims = [$swap] : ($(p,q)) -> $(m,n)",
    "%given = chlo.conj %transposed : $(m,n) -> $(m,n)",
    NULL};

const char *const lapack_svd[] = {
    "%zero = stablehlo.constant dense<0> : tensor<i32>",
    "%one = stablehlo.constant dense<1> : tensor<i32>",
    "%zero_t = stablehlo.constant dense<$nil> : $0",
    "%zero_r = stablehlo.constant dense<0.0> : $0r",
    "%no = stablehlo.constant dense<false> : tensor<i1>",
    "%zeros = stablehlo.constant dense<$nil> : $(n,n)",
    NULL};

// A = Q1 R
const char *const lapack_svd_qr[] = {
    "%qr:2 = stablehlo.custom_call @Qr(%scaled) : ($(m,n)) -> ($(m,n), $(n))",
    "%reflectors = stablehlo.pad %qr#0, %zero_t, low = [$none0, 0], high = [$none0, $more], interior = [$none0, 0]",
    "    : ($(m,n), $0) -> $(m,t)",
    "%q1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%reflectors, %qr#1) : ($(m,t), $(n)) -> $(m,t)",
    "%square = stablehlo.slice %qr#0 [$all0:$n, 0:$n] : ($(m,n)) -> $(n,n)",
    "%rows = stablehlo.iota dim = $row : $(n,n)i",
    "%cols = stablehlo.iota dim = $col : $(n,n)i",
    "%is_upper_part = stablehlo.compare LE, %rows, %cols : ($(n,n)i, $(n,n)i) -> $(n,n)b",
    "%is_diagonal = stablehlo.compare EQ, %rows, %cols : ($(n,n)i, $(n,n)i) -> $(n,n)b",
    "%r_factor = stablehlo.select %is_upper_part, %square, %zeros : $(n,n)b, $(n,n)",
    NULL};

// The columns of J stand as rows.
const char *const lapack_svd_pairs[] = {
    "%r_turned = stablehlo.transpose %r_factor, dims = [$swap] : ($(n,n)) -> $(n,n)",
    "%w0 = chlo.conj %r_turned : $(n,n) -> $(n,n)",
    "%j0 = stablehlo.convert %is_diagonal : ($(n,n)b) -> $(n,n)",
    // a column of zeros makes pairs of an odd number
    "%y0 = stablehlo.pad %w0, %zero_t, low = [$none0, 0], high = [$none0, $pad], interior = [$none0, 0]",
    "    : ($(n,n), $0) -> $(n,e)",
    "%v0 = stablehlo.pad %j0, %zero_t, low = [$none0, 0], high = [$none$pad, 0], interior = [$none0, 0]",
    "    : ($(n,n), $0) -> $(e,n)",
    "%no_h = stablehlo.constant dense<false> : $()b",
    "%yes_h = stablehlo.constant dense<true> : $()b",
    // |q|^2 up to this times p r is rounding: a sum of n products
    "%precision = stablehlo.constant dense<$small> : $(h)r",
    "%count = stablehlo.constant dense<$n.0> : $(h)r",
    "%limit = stablehlo.multiply %precision, %count : $(h)r",
    "%sweeps = stablehlo.constant dense<$attributes> : tensor<i32>",
    "%zeros_ht = stablehlo.constant dense<$nil> : $(h)",
    NULL};

const char *const lapack_svd_loop[] = {
    "%out:4 = stablehlo.while(%sweep = %zero, %is_on = %yes_h, %y = %y0, %v = %v0)",
    "    : tensor<i32>, $()b, $(n,e), $(e,n)",
    "cond {",
    "  %is_any = stablehlo.reduce(%is_on init: %no) applies stablehlo.or across dimensions = [$batches]",
    "      : ($()b, tensor<i1>) -> tensor<i1>",
    "  %may = stablehlo.compare LT, %sweep, %sweeps : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "  %more = stablehlo.and %is_any, %may : tensor<i1>",
    "  stablehlo.return %more : tensor<i1>",
    "} do {",
    // a matrix that is done stays as it is, however long the others take
    "  %turns_on = stablehlo.broadcast_in_dim %is_on, dims = [$batches] : ($()b) -> $(h)b",
    "  %in:4 = stablehlo.while(%round = %zero, %turns = %no_h, %x = %y, %u = %v)",
    "      : tensor<i32>, $()b, $(n,e), $(e,n)",
    "  cond {",
    "    %is_more = stablehlo.compare LT, %round, %last_round : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "    stablehlo.return %is_more : tensor<i1>",
    "  } do {",
    // the products of the pairs of columns of W
    "    %left = stablehlo.slice %x [$all0:$n, 0:$h] : ($(n,e)) -> $(n,h)",
    "    %right = stablehlo.slice %x [$all0:$n, $h:$e] : ($(n,e)) -> $(n,h)",
    "    %left_sizes = \"stablehlo.abs\"(%left) : ($(n,h)) -> $(n,h)r",
    "    %left_squares = stablehlo.multiply %left_sizes, %left_sizes : $(n,h)r",
    "    %p = stablehlo.reduce(%left_squares init: %zero_r) applies stablehlo.add across dimensions = [$row] {shardc.in_order} : ($(n,h)r, $0r) -> $(h)r",
    "    %right_sizes = \"stablehlo.abs\"(%right) : ($(n,h)) -> $(n,h)r",
    "    %right_squares = stablehlo.multiply %right_sizes, %right_sizes : $(n,h)r",
    "    %r = stablehlo.reduce(%right_squares init: %zero_r) applies stablehlo.add across dimensions = [$row] {shardc.in_order} : ($(n,h)r, $0r) -> $(h)r",
    "    %left_conj = chlo.conj %left : $(n,h) -> $(n,h)",
    "    %products = stablehlo.multiply %left_conj, %right : $(n,h)",
    "    %q_any = stablehlo.reduce(%products init: %zero_t) applies stablehlo.add across dimensions = [$row] {shardc.in_order} : ($(n,h), $0) -> $(h)",
    "    %q = stablehlo.select %turns_on, %q_any, %zeros_ht : $(h)b, $(h)",
    NULL};

const char *const lapack_svd_turn[] = {
    "    %size_square = stablehlo.multiply %size, %size : $(h)r",
    "    %lengths = stablehlo.multiply %p, %r : $(h)r",
    "    %may_be = stablehlo.multiply %lengths, %limit : $(h)r",
    "    %is_large = stablehlo.compare GT, %size_square, %may_be : ($(h)r, $(h)r) -> $(h)b",
    "    %any_large = stablehlo.reduce(%is_large init: %no) applies stablehlo.or across dimensions = [$row] : ($(h)b, tensor<i1>) -> $()b",
    "    %next_turns = stablehlo.or %turns, %any_large : $()b",
    "    %c_row = stablehlo.reshape %c_t : ($(h)) -> $(1,h)",
    "    %z_row = stablehlo.reshape %z : ($(h)) -> $(1,h)",
    "    %zc_row = stablehlo.reshape %z_conj : ($(h)) -> $(1,h)",
    "    %c_cols = stablehlo.broadcast_in_dim %c_row, dims = [$dims] : ($(1,h)) -> $(n,h)",
    "    %z_cols = stablehlo.broadcast_in_dim %z_row, dims = [$dims] : ($(1,h)) -> $(n,h)",
    "    %zc_cols = stablehlo.broadcast_in_dim %zc_row, dims = [$dims] : ($(1,h)) -> $(n,h)",
    "    %c_left = stablehlo.multiply %c_cols, %left : $(n,h)",
    "    %z_right = stablehlo.multiply %zc_cols, %right : $(n,h)",
    "    %new_left = stablehlo.subtract %c_left, %z_right : $(n,h)",
    "    %z_left = stablehlo.multiply %z_cols, %left : $(n,h)",
    "    %c_right = stablehlo.multiply %c_cols, %right : $(n,h)",
    "    %new_right = stablehlo.add %z_left, %c_right : $(n,h)",
    // the next pairs
    "    %x_0 = stablehlo.slice %new_left [$all0:$n, 0:1] : ($(n,h)) -> $(n,1)",
    "    %x_1 = stablehlo.slice %new_right [$all0:$n, 0:1] : ($(n,h)) -> $(n,1)",
    "    %x_2 = stablehlo.slice %new_left [$all0:$n, 1:$f] : ($(n,h)) -> $(n,g)",
    "    %x_3 = stablehlo.slice %new_right [$all0:$n, 1:$h] : ($(n,h)) -> $(n,f)",
    "    %x_4 = stablehlo.slice %new_left [$all0:$n, $f:$h] : ($(n,h)) -> $(n,1)",
    "    %next_x = stablehlo.concatenate %x_0, %x_1, %x_2, %x_3, %x_4, dim = $col",
    "        : ($(n,1), $(n,1), $(n,g), $(n,f), $(n,1)) -> $(n,e)",
    // J's columns
    "    %c_col = stablehlo.reshape %c_t : ($(h)) -> $(h,1)",
    "    %z_col = stablehlo.reshape %z : ($(h)) -> $(h,1)",
    "    %zc_col = stablehlo.reshape %z_conj : ($(h)) -> $(h,1)",
    "    %c_rows = stablehlo.broadcast_in_dim %c_col, dims = [$dims] : ($(h,1)) -> $(h,n)",
    "    %z_rows = stablehlo.broadcast_in_dim %z_col, dims = [$dims] : ($(h,1)) -> $(h,n)",
    "    %zc_rows = stablehlo.broadcast_in_dim %zc_col, dims = [$dims] : ($(h,1)) -> $(h,n)",
    "    %top = stablehlo.slice %u [$all0:$h, 0:$n] : ($(e,n)) -> $(h,n)",
    "    %bottom = stablehlo.slice %u [$all$h:$e, 0:$n] : ($(e,n)) -> $(h,n)",
    "    %c_top = stablehlo.multiply %c_rows, %top : $(h,n)",
    "    %z_bottom = stablehlo.multiply %zc_rows, %bottom : $(h,n)",
    "    %new_top = stablehlo.subtract %c_top, %z_bottom : $(h,n)",
    "    %z_top = stablehlo.multiply %z_rows, %top : $(h,n)",
    "    %c_bottom = stablehlo.multiply %c_rows, %bottom : $(h,n)",
    "    %new_bottom = stablehlo.add %z_top, %c_bottom : $(h,n)",
    "    %u_0 = stablehlo.slice %new_top [$all0:1, 0:$n] : ($(h,n)) -> $(1,n)",
    "    %u_1 = stablehlo.slice %new_bottom [$all0:1, 0:$n] : ($(h,n)) -> $(1,n)",
    "    %u_2 = stablehlo.slice %new_top [$all1:$f, 0:$n] : ($(h,n)) -> $(g,n)",
    "    %u_3 = stablehlo.slice %new_bottom [$all1:$h, 0:$n] : ($(h,n)) -> $(f,n)",
    "    %u_4 = stablehlo.slice %new_top [$all$f:$h, 0:$n] : ($(h,n)) -> $(1,n)",
    "    %next_u = stablehlo.concatenate %u_0, %u_1, %u_2, %u_3, %u_4, dim = $row",
    "        : ($(1,n), $(1,n), $(g,n), $(f,n), $(1,n)) -> $(e,n)",
    "    %next_round = stablehlo.add %round, %one : tensor<i32>",
    "    stablehlo.return %next_round, %next_turns, %next_x, %next_u : tensor<i32>, $()b, $(n,e), $(e,n)",
    "  }",
    "  %next_sweep = stablehlo.add %sweep, %one : tensor<i32>",
    "  stablehlo.return %next_sweep, %in#1, %in#2, %in#3 : tensor<i32>, $()b, $(n,e), $(e,n)",
    "}",
    // the longest column first
    "%w = stablehlo.slice %out#2 [$all0:$n, 0:$n] : ($(n,e)) -> $(n,n)",
    "%j_turned = stablehlo.slice %out#3 [$all0:$n, 0:$n] : ($(e,n)) -> $(n,n)",
    "%j = stablehlo.transpose %j_turned, dims = [$swap] : ($(n,n)) -> $(n,n)",
    "%w_sizes = \"stablehlo.abs\"(%w) : ($(n,n)) -> $(n,n)r",
    "%w_squares = stablehlo.multiply %w_sizes, %w_sizes : $(n,n)r",
    "%w_sums = stablehlo.reduce(%w_squares init: %zero_r) applies stablehlo.add across dimensions = [$row] {shardc.in_order} : ($(n,n)r, $0r) -> $(n)r",
    "%norms = stablehlo.sqrt %w_sums : $(n)r",
    NULL};

// The longest of %norms first.
const char *const lapack_svd_sort[] = {
    "%places = stablehlo.iota dim = $row : $(n)i",
    "%sorted:2 = \"stablehlo.sort\"(%norms, %places) <{dimension = $row : i64, is_stable = true}> ({",
    "^bb0(%k0: $0r, %k1: $0r, %l0: tensor<i32>, %l1: tensor<i32>):",
    "  %is_greater = stablehlo.compare GT, %k0, %k1, TOTALORDER : ($0r, $0r) -> tensor<i1>",
    "  stablehlo.return %is_greater : tensor<i1>",
    "}) : ($(n)r, $(n)i) -> ($(n)r, $(n)i)",
    "%order = stablehlo.reshape %sorted#1 : ($(n)i) -> $(n,1)i",
    "%scales = stablehlo.broadcast_in_dim %scale, dims = [$batches] : ($()r) -> $(n)r",
    "%numbers = stablehlo.broadcast_in_dim %is_number, dims = [$batches] : ($()r) -> $(n)r",
    "%values_s = stablehlo.multiply %sorted#0, %scales : $(n)r",
    "%values = stablehlo.multiply %values_s, %numbers : $(n)r",
    "%info = stablehlo.constant dense<0> : $()i",
    NULL};

// V from W = V S; U = Q1 J, and what else Q1 has.
const char *const lapack_svd_vectors[] = {
    "%sorted_w = \"stablehlo.gather\"(%w, %order) <{$columns, slice_sizes = array<i64: $each$n, 1>}>",
    "    : ($(n,n), $(n,1)i) -> $(n,n)",
    "%sorted_j = \"stablehlo.gather\"(%j, %order) <{$columns, slice_sizes = array<i64: $each$n, 1>}>",
    "    : ($(n,n), $(n,1)i) -> $(n,n)",
    "%qr_w:2 = stablehlo.custom_call @Qr(%sorted_w) : ($(n,n)) -> ($(n,n), $(n))",
    "%q2 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%qr_w#0, %qr_w#1) : ($(n,n), $(n)) -> $(n,n)",
    "%only = stablehlo.select %is_diagonal, %qr_w#0, %zeros : $(n,n)b, $(n,n)",
    "%diagonal_t = stablehlo.reduce(%only init: %zero_t) applies stablehlo.add across dimensions = [$row] : ($(n,n), $0) -> $(n)",
    "%diagonal = \"stablehlo.real\"(%diagonal_t) : ($(n)) -> $(n)r",
    "%nils = stablehlo.constant dense<0.0> : $(n)r",
    "%plus = stablehlo.constant dense<1.0> : $(n)r",
    "%minus = stablehlo.constant dense<-1.0> : $(n)r",
    "%is_minus = stablehlo.compare LT, %diagonal, %nils : ($(n)r, $(n)r) -> $(n)b",
    "%signs = stablehlo.select %is_minus, %minus, %plus : $(n)b, $(n)r",
    "%signs_n = stablehlo.multiply %signs, %numbers : $(n)r",
    "%signs_t = stablehlo.convert %signs_n : ($(n)r) -> $(n)",
    "%signs_1 = stablehlo.reshape %signs_t : ($(n)) -> $(1,n)",
    "%signs_2 = stablehlo.broadcast_in_dim %signs_1, dims = [$dims] : ($(1,n)) -> $(n,n)",
    "%v = stablehlo.multiply %q2, %signs_2 : $(n,n)",
    "%u_of_q1 = stablehlo.reshape %sorted_j : ($(n,n)) -> $(n,n)",
    NULL};

// f32: all but the results is of f64.
const char *const lapack_svd_squares[] = {
    "%a_w = stablehlo.convert %scaled : ($(m,n)) -> $(m,n)w",
    "%a_conj = chlo.conj %a_w : $(m,n)w -> $(m,n)w",
    "%gram = stablehlo.dot_general %a_conj, %a_w, batching_dims = [$batches] x [$batches], contracting_dims = [$row] x [$row] : ($(m,n)w, $(m,n)w) -> $(n,n)w",
    "%eigen:2 = stablehlo.custom_call @Eigh(%gram) {backend_config = \"1,1,100,1e-6\"} : ($(n,n)w) -> ($(n,n)w, $(n)d)",
    "%w = stablehlo.dot_general %a_w, %eigen#0, batching_dims = [$batches] x [$batches], contracting_dims = [$col] x [$row] : ($(m,n)w, $(n,n)w) -> $(m,n)w",
    "%w_sizes = \"stablehlo.abs\"(%w) : ($(m,n)w) -> $(m,n)d",
    "%w_squares = stablehlo.multiply %w_sizes, %w_sizes : $(m,n)d",
    "%zero_d = stablehlo.constant dense<0.0> : tensor<f64>",
    "%w_sums = stablehlo.reduce(%w_squares init: %zero_d) applies stablehlo.add across dimensions = [$row] {shardc.in_order} : ($(m,n)d, tensor<f64>) -> $(n)d",
    "%w_norms = stablehlo.sqrt %w_sums : $(n)d",
    "%norms = stablehlo.convert %w_norms : ($(n)d) -> $(n)r",
    NULL};

const char *const lapack_svd_squares_vectors[] = {
    "%sorted_w = \"stablehlo.gather\"(%w, %order) <{$columns, slice_sizes = array<i64: $each$m, 1>}>",
    "    : ($(m,n)w, $(n,1)i) -> $(m,n)w",
    "%sorted_v = \"stablehlo.gather\"(%eigen#0, %order) <{$columns, slice_sizes = array<i64: $each$n, 1>}>",
    "    : ($(n,n)w, $(n,1)i) -> $(n,n)w",
    "%numbers_v = stablehlo.broadcast_in_dim %is_number_t, dims = [$batches] : ($()) -> $(n,n)",
    "%v_t = stablehlo.convert %sorted_v : ($(n,n)w) -> $(n,n)",
    "%v = stablehlo.multiply %v_t, %numbers_v : $(n,n)",
    "%zero_w = stablehlo.convert %zero_d : (tensor<f64>) -> $0w",
    "%qr:2 = stablehlo.custom_call @Qr(%sorted_w) : ($(m,n)w) -> ($(m,n)w, $(n)w)",
    "%reflectors = stablehlo.pad %qr#0, %zero_w, low = [$none0, 0], high = [$none0, $more], interior = [$none0, 0]",
    "    : ($(m,n)w, $0w) -> $(m,t)w",
    "%q1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%reflectors, %qr#1) : ($(m,t)w, $(n)w) -> $(m,t)w",
    // a column has the sign of the diagonal
    "%rows = stablehlo.iota dim = $row : $(m,t)i",
    "%cols = stablehlo.iota dim = $col : $(m,t)i",
    "%is_diagonal = stablehlo.compare EQ, %rows, %cols : ($(m,t)i, $(m,t)i) -> $(m,t)b",
    "%factors_d = \"stablehlo.real\"(%reflectors) : ($(m,t)w) -> $(m,t)d",
    "%zeros_d = stablehlo.constant dense<0.0> : $(m,t)d",
    "%only = stablehlo.select %is_diagonal, %factors_d, %zeros_d : $(m,t)b, $(m,t)d",
    "%diagonal = stablehlo.reduce(%only init: %zero_d) applies stablehlo.add across dimensions = [$row] : ($(m,t)d, tensor<f64>) -> $(t)d",
    "%nils = stablehlo.constant dense<0.0> : $(t)d",
    "%plus = stablehlo.constant dense<1.0> : $(t)d",
    "%minus = stablehlo.constant dense<-1.0> : $(t)d",
    "%is_minus = stablehlo.compare LT, %diagonal, %nils : ($(t)d, $(t)d) -> $(t)b",
    "%signs_d = stablehlo.select %is_minus, %minus, %plus : $(t)b, $(t)d",
    "%signs_w = stablehlo.convert %signs_d : ($(t)d) -> $(t)w",
    "%signs_1 = stablehlo.reshape %signs_w : ($(t)w) -> $(1,t)w",
    "%signs = stablehlo.broadcast_in_dim %signs_1, dims = [$dims] : ($(1,t)w) -> $(m,t)w",
    "%u_w = stablehlo.multiply %q1, %signs : $(m,t)w",
    "%u_t = stablehlo.convert %u_w : ($(m,t)w) -> $(m,t)",
    "%u_numbers = stablehlo.broadcast_in_dim %is_number_t, dims = [$batches] : ($()) -> $(m,t)",
    "%u = stablehlo.multiply %u_t, %u_numbers : $(m,t)",
    NULL};

// What U H is made of: L, of norm one. The smallest numbers that its diagonal may have are at its
// precision, so that it has an inverse. $c: 2 n.
const char *const lapack_svd_polar[] = {
    "%one_r = stablehlo.constant dense<1.0> : $0r",
    "%yes_b = stablehlo.constant dense<true> : $()b",
    "%identity = stablehlo.convert %is_diagonal : ($(n,n)b) -> $(n,n)",
    // R = L Q2^H
    "%r_turned = stablehlo.transpose %r_factor, dims = [$swap] : ($(n,n)) -> $(n,n)",
    "%r_adjoint = chlo.conj %r_turned : $(n,n) -> $(n,n)",
    "%qr2:2 = stablehlo.custom_call @Qr(%r_adjoint) : ($(n,n)) -> ($(n,n), $(n))",
    "%q2 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%qr2#0, %qr2#1) : ($(n,n), $(n)) -> $(n,n)",
    "%l_adjoint = stablehlo.select %is_upper_part, %qr2#0, %zeros : $(n,n)b, $(n,n)",
    "%l_conj = chlo.conj %l_adjoint : $(n,n) -> $(n,n)",
    "%l_factor = stablehlo.transpose %l_conj, dims = [$swap] : ($(n,n)) -> $(n,n)",
    "%l_sizes = \"stablehlo.abs\"(%l_factor) : ($(n,n)) -> $(n,n)r",
    "%l_squares = stablehlo.multiply %l_sizes, %l_sizes : $(n,n)r",
    "%l_sums = stablehlo.reduce(%l_squares init: %zero_r) applies stablehlo.add across dimensions = [$row] {shardc.in_order} : ($(n,n)r, $0r) -> $(n)r",
    "%l_sum = stablehlo.reduce(%l_sums init: %zero_r) applies stablehlo.add across dimensions = [$row] {shardc.in_order} : ($(n)r, $0r) -> $()r",
    "%l_root = stablehlo.sqrt %l_sum : $()r",
    "%l_norm = stablehlo.maximum %l_root, %least : $()r",
    "%l_inverse = stablehlo.divide %ones_b, %l_norm : $()r",
    "%l_inverse_t = stablehlo.convert %l_inverse : ($()r) -> $()",
    "%l_inverses = stablehlo.broadcast_in_dim %l_inverse_t, dims = [$batches] : ($()) -> $(n,n)",
    "%l_scaled = stablehlo.multiply %l_factor, %l_inverses : $(n,n)",
    "%l_scaled_sizes = \"stablehlo.abs\"(%l_scaled) : ($(n,n)) -> $(n,n)r",
    "%deltas = stablehlo.constant dense<$precision> : $(n,n)r",
    "%is_small = stablehlo.compare LT, %l_scaled_sizes, %deltas : ($(n,n)r, $(n,n)r) -> $(n,n)b",
    "%is_gone = stablehlo.and %is_small, %is_diagonal : $(n,n)b",
    "%deltas_t = stablehlo.convert %deltas : ($(n,n)r) -> $(n,n)",
    "%l = stablehlo.select %is_gone, %deltas_t, %l_scaled : $(n,n)b, $(n,n)",
    // a lower bound of the singular values of X, as far as rounding lets it be known
    "%bound_begin = stablehlo.constant dense<$bound> : $0r",
    "%steps = stablehlo.constant dense<40> : tensor<i32>",
    "%precision = stablehlo.constant dense<$precision> : $()r",
    "%near = stablehlo.cbrt %precision : $()r",
    "%near_square = stablehlo.multiply %near, %near : $()r",
    NULL};

// (aI + b X^H X) (I + c X^H X)^-1 X, whose singular values are nearer to one. X stays when X^H X is
// I but for the third root of the precision: the step that found it has done the rest.
const char *const lapack_svd_polar_loop[] = {
    "%polar:4 = stablehlo.while(%step = %zero, %bound = %bound_begin, %x = %l, %is_on = %yes_b)",
    "    : tensor<i32>, $0r, $(n,n), $()b",
    "cond {",
    "  %is_any = stablehlo.reduce(%is_on init: %no) applies stablehlo.or across dimensions = [$batches]",
    "      : ($()b, tensor<i1>) -> tensor<i1>",
    "  %may = stablehlo.compare LT, %step, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "  %more = stablehlo.and %is_any, %may : tensor<i1>",
    "  stablehlo.return %more : tensor<i1>",
    "} do {",
    // a, b and c of the bound
    "  %two = stablehlo.constant dense<2.0> : $0r",
    "  %four = stablehlo.constant dense<4.0> : $0r",
    "  %eight = stablehlo.constant dense<8.0> : $0r",
    "  %half = stablehlo.constant dense<0.5> : $0r",
    "  %bound_2 = stablehlo.multiply %bound, %bound : $0r",
    "  %bound_4 = stablehlo.multiply %bound_2, %bound_2 : $0r",
    "  %one_less = stablehlo.subtract %one_r, %bound_2 : $0r",
    "  %four_less = stablehlo.multiply %four, %one_less : $0r",
    "  %cube = stablehlo.divide %four_less, %bound_4 : $0r",
    "  %d = stablehlo.cbrt %cube : $0r",
    "  %d_1 = stablehlo.add %d, %one_r : $0r",
    "  %root = stablehlo.sqrt %d_1 : $0r",
    "  %two_less = stablehlo.subtract %two, %bound_2 : $0r",
    "  %eight_two = stablehlo.multiply %eight, %two_less : $0r",
    "  %bound_root = stablehlo.multiply %bound_2, %root : $0r",
    "  %inner_part = stablehlo.divide %eight_two, %bound_root : $0r",
    "  %four_d = stablehlo.multiply %four, %d : $0r",
    "  %eight_less = stablehlo.subtract %eight, %four_d : $0r",
    "  %inner = stablehlo.add %eight_less, %inner_part : $0r",
    "  %inner_root = stablehlo.sqrt %inner : $0r",
    "  %inner_half = stablehlo.multiply %half, %inner_root : $0r",
    "  %a = stablehlo.add %root, %inner_half : $0r",
    "  %a_less = stablehlo.subtract %a, %one_r : $0r",
    "  %a_half = stablehlo.multiply %a_less, %half : $0r",
    "  %b = stablehlo.multiply %a_half, %a_half : $0r",
    "  %a_b = stablehlo.add %a, %b : $0r",
    "  %c = stablehlo.subtract %a_b, %one_r : $0r",
    "  %b_bound = stablehlo.multiply %b, %bound_2 : $0r",
    "  %a_bound = stablehlo.add %a, %b_bound : $0r",
    "  %top = stablehlo.multiply %bound, %a_bound : $0r",
    "  %c_bound = stablehlo.multiply %c, %bound_2 : $0r",
    "  %c_bound_1 = stablehlo.add %c_bound, %one_r : $0r",
    "  %bound_any = stablehlo.divide %top, %c_bound_1 : $0r",
    "  %next_bound = stablehlo.minimum %bound_any, %one_r : $0r",
    // the step is q X + (a - q) times the rest, q = b / c
    "  %q = stablehlo.divide %b, %c : $0r",
    "  %rest = stablehlo.subtract %a, %q : $0r",
    "  %hundred = stablehlo.constant dense<100.0> : $0r",
    "  %is_steep = stablehlo.compare GT, %c, %hundred : ($0r, $0r) -> tensor<i1>",
    "  %turned:3 = \"stablehlo.if\"(%is_steep) ({",
    // sqrt(c) X above I is Q R: the rest is Q's upper half times its lower one, over sqrt(c)
    "    %c_root = stablehlo.sqrt %c : $0r",
    "    %c_roots_r = stablehlo.broadcast_in_dim %c_root, dims = [] : ($0r) -> $(n,n)r",
    "    %c_roots = stablehlo.convert %c_roots_r : ($(n,n)r) -> $(n,n)",
    "    %x_scaled = stablehlo.multiply %x, %c_roots : $(n,n)",
    "    %stack = stablehlo.concatenate %x_scaled, %identity, dim = $row : ($(n,n), $(n,n)) -> $(c,n)",
    "    %factors:2 = stablehlo.custom_call @Qr(%stack) : ($(c,n)) -> ($(c,n), $(n))",
    "    %both = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%factors#0, %factors#1) : ($(c,n), $(n)) -> $(c,n)",
    "    %upper = stablehlo.slice %both [$all0:$n, 0:$n] : ($(c,n)) -> $(n,n)",
    "    %lower = stablehlo.slice %both [$all$n:$c, 0:$n] : ($(c,n)) -> $(n,n)",
    "    %lower_conj = chlo.conj %lower : $(n,n) -> $(n,n)",
    "    %both_halves = stablehlo.dot_general %upper, %lower_conj, batching_dims = [$batches] x [$batches], contracting_dims = [$col] x [$col] : ($(n,n), $(n,n)) -> $(n,n)",
    "    %rest_of_root = stablehlo.divide %rest, %c_root : $0r",
    "    stablehlo.return %both_halves, %rest_of_root, %yes_b : $(n,n), $0r, $()b",
    "  }, {",
    // the rest is X (L L^H)^-1, L L^H = I + c X^H X
    "    %x_conj = chlo.conj %x : $(n,n) -> $(n,n)",
    "    %gram = stablehlo.dot_general %x_conj, %x, batching_dims = [$batches] x [$batches], contracting_dims = [$row] x [$row] : ($(n,n), $(n,n)) -> $(n,n)",
    "    %difference = stablehlo.subtract %gram, %identity : $(n,n)",
    "    %difference_sizes = \"stablehlo.abs\"(%difference) : ($(n,n)) -> $(n,n)r",
    "    %difference_squares = stablehlo.multiply %difference_sizes, %difference_sizes : $(n,n)r",
    "    %difference_sums = stablehlo.reduce(%difference_squares init: %zero_r) applies stablehlo.add across dimensions = [$row] {shardc.in_order} : ($(n,n)r, $0r) -> $(n)r",
    "    %difference_sum = stablehlo.reduce(%difference_sums init: %zero_r) applies stablehlo.add across dimensions = [$row] {shardc.in_order} : ($(n)r, $0r) -> $()r",
    "    %is_far = stablehlo.compare GT, %difference_sum, %near_square : ($()r, $()r) -> $()b",
    "    %cs_r = stablehlo.broadcast_in_dim %c, dims = [] : ($0r) -> $(n,n)r",
    "    %cs = stablehlo.convert %cs_r : ($(n,n)r) -> $(n,n)",
    "    %c_gram = stablehlo.multiply %gram, %cs : $(n,n)",
    "    %positive = stablehlo.add %identity, %c_gram : $(n,n)",
    "    %triangle = stablehlo.cholesky %positive, lower = true : $(n,n)",
    "    %x_half = \"stablehlo.triangular_solve\"(%triangle, %x) <{left_side = false, lower = true,",
    "        transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : ($(n,n), $(n,n)) -> $(n,n)",
    "    %x_whole = \"stablehlo.triangular_solve\"(%triangle, %x_half) <{left_side = false, lower = true,",
    "        transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : ($(n,n), $(n,n)) -> $(n,n)",
    "    stablehlo.return %x_whole, %rest, %is_far : $(n,n), $0r, $()b",
    "  }) : (tensor<i1>) -> ($(n,n), $0r, $()b)",
    "  %qs_r = stablehlo.broadcast_in_dim %q, dims = [] : ($0r) -> $(n,n)r",
    "  %qs = stablehlo.convert %qs_r : ($(n,n)r) -> $(n,n)",
    "  %rests_r = stablehlo.broadcast_in_dim %turned#1, dims = [] : ($0r) -> $(n,n)r",
    "  %rests = stablehlo.convert %rests_r : ($(n,n)r) -> $(n,n)",
    "  %x_part = stablehlo.multiply %x, %qs : $(n,n)",
    "  %x_rest = stablehlo.multiply %turned#0, %rests : $(n,n)",
    "  %x_new = stablehlo.add %x_part, %x_rest : $(n,n)",
    // a matrix that is done stays as it is, however long the others take
    "  %on_all = stablehlo.broadcast_in_dim %is_on, dims = [$batches] : ($()b) -> $(n,n)b",
    "  %next_x = stablehlo.select %on_all, %x_new, %x : $(n,n)b, $(n,n)",
    "  %next_on = stablehlo.and %is_on, %turned#2 : $()b",
    "  %next_step = stablehlo.add %step, %one : tensor<i32>",
    "  stablehlo.return %next_step, %next_bound, %next_x, %next_on : tensor<i32>, $0r, $(n,n), $()b",
    "}",
    // H, and its eigenvectors: V
    "%x_end = stablehlo.reshape %polar#2 : ($(n,n)) -> $(n,n)",
    "%x_end_conj = chlo.conj %x_end : $(n,n) -> $(n,n)",
    "%h_any = stablehlo.dot_general %x_end_conj, %l, batching_dims = [$batches] x [$batches], contracting_dims = [$row] x [$row] : ($(n,n), $(n,n)) -> $(n,n)",
    "%h_turned = stablehlo.transpose %h_any, dims = [$swap] : ($(n,n)) -> $(n,n)",
    "%h_conj = chlo.conj %h_turned : $(n,n) -> $(n,n)",
    "%h_twice = stablehlo.add %h_any, %h_conj : $(n,n)",
    "%halves = stablehlo.constant dense<0.5> : $(n,n)r",
    "%halves_t = stablehlo.convert %halves : ($(n,n)r) -> $(n,n)",
    "%h = stablehlo.multiply %h_twice, %halves_t : $(n,n)",
    "%eigen:2 = stablehlo.custom_call @Eigh(%h) {backend_config = \"1,1,100,1e-6\"} : ($(n,n)) -> ($(n,n), $(n)r)",
    "%lengths = stablehlo.abs %eigen#1 : $(n)r",
    "%l_norms = stablehlo.broadcast_in_dim %l_norm, dims = [$batches] : ($()r) -> $(n)r",
    "%norms = stablehlo.multiply %lengths, %l_norms : $(n)r",
    NULL};

// V, and U of Q1: a column has the other sign where rounding made its eigenvalue negative.
const char *const lapack_svd_polar_vectors[] = {
    "%v_sorted = \"stablehlo.gather\"(%eigen#0, %order) <{$columns, slice_sizes = array<i64: $each$n, 1>}>",
    "    : ($(n,n), $(n,1)i) -> $(n,n)",
    "%numbers_t = stablehlo.broadcast_in_dim %is_number_t, dims = [$batches] : ($()) -> $(n,n)",
    "%v_turned_back = stablehlo.dot_general %q2, %v_sorted, batching_dims = [$batches] x [$batches], contracting_dims = [$col] x [$row] : ($(n,n), $(n,n)) -> $(n,n)",
    "%v = stablehlo.multiply %v_turned_back, %numbers_t : $(n,n)",
    "%nils = stablehlo.constant dense<0.0> : $(n)r",
    "%plus = stablehlo.constant dense<1.0> : $(n)r",
    "%minus = stablehlo.constant dense<-1.0> : $(n)r",
    "%is_minus = stablehlo.compare LT, %eigen#1, %nils : ($(n)r, $(n)r) -> $(n)b",
    "%signs_r = stablehlo.select %is_minus, %minus, %plus : $(n)b, $(n)r",
    "%signs_t = stablehlo.convert %signs_r : ($(n)r) -> $(n)",
    "%signs_1 = stablehlo.reshape %signs_t : ($(n)) -> $(1,n)",
    "%signs = stablehlo.broadcast_in_dim %signs_1, dims = [$dims] : ($(1,n)) -> $(n,n)",
    "%vectors_signed = stablehlo.multiply %eigen#0, %signs : $(n,n)",
    "%x_vectors = stablehlo.dot_general %x_end, %vectors_signed, batching_dims = [$batches] x [$batches], contracting_dims = [$col] x [$row] : ($(n,n), $(n,n)) -> $(n,n)",
    "%u_of_q1 = \"stablehlo.gather\"(%x_vectors, %order) <{$columns, slice_sizes = array<i64: $each$n, 1>}>",
    "    : ($(n,n), $(n,1)i) -> $(n,n)",
    NULL};

// U, and what else Q1 has.
const char *const lapack_svd_u[] = {
    "%q1_n = stablehlo.slice %q1 [$all0:$m, 0:$n] : ($(m,t)) -> $(m,n)",
    "%u_n = \"stablehlo.dot_general\"(%q1_n, %u_of_q1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [$batches],",
    "    rhs_batching_dimensions = [$batches], lhs_contracting_dimensions = [$col], rhs_contracting_dimensions = [$row]>}>",
    "    : ($(m,n), $(n,n)) -> $(m,n)",
    "%u_t = stablehlo.dynamic_update_slice %q1, %u_n, $at%zero, %zero : ($(m,t), $(m,n), $index) -> $(m,t)",
    "%u_numbers = stablehlo.broadcast_in_dim %is_number_t, dims = [$batches] : ($()) -> $(m,t)",
    "%u = stablehlo.multiply %u_t, %u_numbers : $(m,t)",
    NULL};

const char *const lapack_svd_tall_end[] = {
    "%v_turned = stablehlo.transpose %v, dims = [$swap] : ($(n,n)) -> $(n,n)",
    "%vt = chlo.conj %v_turned : $(n,n) -> $(n,n)",
    "return %operand0, %values, %u, %vt, %info : $(p,q), $(n)r, $(m,t), $(n,n), $()i",
    NULL};
const char *const lapack_svd_wide_end[] = {
    "%u_turned = stablehlo.transpose %u, dims = [$swap] : ($(m,t)) -> $(t,m)",
    "%ut = chlo.conj %u_turned : $(t,m) -> $(t,m)",
    "return %operand0, %values, %v, %ut, %info : $(p,q), $(n)r, $(n,n), $(t,m), $()i",
    NULL};
// Values alone: nobody may look at the vectors.
const char *const lapack_svd_values_end[] = {
    "%no_u = stablehlo.constant dense<$nil> : $u",
    "%no_v = stablehlo.constant dense<$nil> : $v",
    "return %operand0, %values, %no_u, %no_v, %info : $(p,q), $(n)r, $u, $v, $()i",
    NULL};

// clang-format on
