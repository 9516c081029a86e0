// lapack_factor: Cholesky, triangular solve, LU and QR as texts (see lapack_routines.h).
//
// Sources: Golub, Van Loan, Matrix Computations, 4th ed., algorithms 3.4.1 (LU by outer products,
// partial pivoting), 5.1.1 and 5.2.1 (Householder vectors, QR); signs, scaling and layouts as
// LAPACK's descriptions of xGETRF, xGEQRF, xORGQR and xORMQR.
#include "frontend/lapack/lapack_routines.h"

#include <stddef.h>

// clang-format off

// info = 1 where the factor has a diagonal element that is no number: the
// matrix is not positive definite.
const char *const lapack_potrf[] = {
    "%factor = stablehlo.cholesky %operand0, lower = $attributes : $(m,n)",
    "%real = \"stablehlo.real\"(%factor) : ($(m,n)) -> $(m,n)r",
    "%zero = stablehlo.constant dense<0.0> : $(m,n)r",
    "%good = stablehlo.compare GT, %real, %zero : ($(m,n)r, $(m,n)r) -> $(m,n)b",
    "%other = stablehlo.not %good : $(m,n)b", // a pivot that is zero, or the root of a negative one
    "%rows = stablehlo.iota dim = $row : $(m,n)i",
    "%cols = stablehlo.iota dim = $col : $(m,n)i",
    "%diagonal = stablehlo.compare EQ, %rows, %cols : ($(m,n)i, $(m,n)i) -> $(m,n)b",
    "%bad = stablehlo.and %other, %diagonal : $(m,n)b",
    "%no = stablehlo.constant dense<false> : tensor<i1>",
    "%any = stablehlo.reduce(%bad init: %no) applies stablehlo.or across dimensions = [$row, $col]",
    "    : ($(m,n)b, tensor<i1>) -> $()b",
    "%info = stablehlo.convert %any : ($()b) -> $()i",
    "return %factor, %info : $(m,n), $()i",
    NULL};

const char *const lapack_trsm[] = {
    "%x = \"stablehlo.triangular_solve\"(%operand0, %operand1) <{$attributes}> : ($(m,n), $b) -> $b",
    "return %x : $b",
    NULL};

// Step k: the largest element of column k at or below the diagonal comes to the diagonal, what is
// below is divided by it, the product of column and row is subtracted from the rest. As XLA calls
// it, pivots count from 0, and the order in which the rows come is a result.
const char *const lapack_lu[] = {
    "%zero = stablehlo.constant dense<0> : tensor<i32>",
    "%one = stablehlo.constant dense<1> : tensor<i32>",
    "%steps = stablehlo.constant dense<$k> : tensor<i32>",
    "%height = stablehlo.constant dense<$m> : tensor<i32>",
    "%zero_t = stablehlo.constant dense<$nil> : $0",
    "%less_r = stablehlo.constant dense<-1.0> : $0r",
    "%rows = stablehlo.iota dim = $row : $(m,n)i",
    "%cols = stablehlo.iota dim = $col : $(m,n)i",
    "%column_rows = stablehlo.iota dim = $row : $(m,1)i",
    "%places = stablehlo.iota dim = $row : $(k,1)i",
    "%no_pivots = stablehlo.constant dense<0> : $(k,1)i",
    "%column_zeros = stablehlo.constant dense<0> : $(m,1)i",
    "%out:4 = stablehlo.while(%k = %zero, %a = %operand0, %pivots = %no_pivots, %order = %column_rows)",
    "    : tensor<i32>, $(m,n), $(k,1)i, $(m,1)i",
    "cond {",
    "  %more = stablehlo.compare LT, %k, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "  stablehlo.return %more : tensor<i1>",
    "} do {",
    "  %k_matrix = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> $(m,n)i",
    "  %k_column = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> $(m,1)i",
    "  %k_places = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> $(k,1)i",
    // the pivot: the first row with the largest element; the last one if there is no largest
    // because of NaN
    "  %column = stablehlo.dynamic_slice %a, $at%zero, %k, sizes = [$batch$m, 1] : ($(m,n), $index) -> $(m,1)",
    "  %size = \"stablehlo.abs\"(%column) : ($(m,1)) -> $(m,1)r",
    "  %is_open = stablehlo.compare GE, %column_rows, %k_column : ($(m,1)i, $(m,1)i) -> $(m,1)b",
    "  %less = stablehlo.broadcast_in_dim %less_r, dims = [] : ($0r) -> $(m,1)r",
    "  %sizes = stablehlo.select %is_open, %size, %less : $(m,1)b, $(m,1)r",
    "  %most = stablehlo.reduce(%sizes init: %less_r) applies stablehlo.maximum across dimensions = [$row]",
    "      : ($(m,1)r, $0r) -> $(1)r",
    "  %most_1 = stablehlo.reshape %most : ($(1)r) -> $(1,1)r",
    "  %most_m = stablehlo.broadcast_in_dim %most_1, dims = [$dims] : ($(1,1)r) -> $(m,1)r",
    "  %is_most = stablehlo.compare EQ, %sizes, %most_m : ($(m,1)r, $(m,1)r) -> $(m,1)b",
    "  %beyond = stablehlo.broadcast_in_dim %height, dims = [] : (tensor<i32>) -> $(m,1)i",
    "  %candidates = stablehlo.select %is_most, %column_rows, %beyond : $(m,1)b, $(m,1)i",
    "  %first = stablehlo.reduce(%candidates init: %height) applies stablehlo.minimum across dimensions = [$row]",
    "      : ($(m,1)i, tensor<i32>) -> $(1)i",
    "  %first_1 = stablehlo.reshape %first : ($(1)i) -> $(1,1)i",
    "  %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<i32>) -> $(1,1)i",
    "  %heights = stablehlo.broadcast_in_dim %height, dims = [] : (tensor<i32>) -> $(1,1)i",
    "  %bottom = stablehlo.subtract %heights, %ones : $(1,1)i",
    "  %pivot = stablehlo.minimum %first_1, %bottom : $(1,1)i",
    // rows k and pivot change places
    "  %pivot_matrix = stablehlo.broadcast_in_dim %pivot, dims = [$dims] : ($(1,1)i) -> $(m,n)i",
    "  %is_pivot = stablehlo.compare EQ, %rows, %pivot_matrix : ($(m,n)i, $(m,n)i) -> $(m,n)b",
    "  %is_k = stablehlo.compare EQ, %rows, %k_matrix : ($(m,n)i, $(m,n)i) -> $(m,n)b",
    "  %row_k = stablehlo.dynamic_slice %a, $at%k, %zero, sizes = [$batch1, $n] : ($(m,n), $index) -> $(1,n)",
    "  %nothing = stablehlo.broadcast_in_dim %zero_t, dims = [] : ($0) -> $(m,n)",
    "  %only = stablehlo.select %is_pivot, %a, %nothing : $(m,n)b, $(m,n)",
    "  %sum = stablehlo.reduce(%only init: %zero_t) applies stablehlo.add across dimensions = [$row] : ($(m,n), $0) -> $(n)",
    "  %row_pivot = stablehlo.reshape %sum : ($(n)) -> $(1,n)",
    "  %rows_k = stablehlo.broadcast_in_dim %row_k, dims = [$dims] : ($(1,n)) -> $(m,n)",
    "  %rows_pivot = stablehlo.broadcast_in_dim %row_pivot, dims = [$dims] : ($(1,n)) -> $(m,n)",
    "  %half = stablehlo.select %is_pivot, %rows_k, %a : $(m,n)b, $(m,n)",
    "  %swapped = stablehlo.select %is_k, %rows_pivot, %half : $(m,n)b, $(m,n)",
    // elimination; nothing is divided by a pivot of zero
    "  %d = stablehlo.dynamic_slice %row_pivot, $at%zero, %k, sizes = [$batch1, 1] : ($(1,n), $index) -> $(1,1)",
    "  %zeros = stablehlo.broadcast_in_dim %zero_t, dims = [] : ($0) -> $(1,1)",
    "  %is_singular = stablehlo.compare EQ, %d, %zeros : ($(1,1), $(1,1)) -> $(1,1)b",
    "  %unit = stablehlo.constant dense<$unit> : $(1,1)",
    "  %divisor = stablehlo.select %is_singular, %unit, %d : $(1,1)b, $(1,1)",
    "  %divisors = stablehlo.broadcast_in_dim %divisor, dims = [$dims] : ($(1,1)) -> $(m,1)",
    "  %column_k = stablehlo.dynamic_slice %swapped, $at%zero, %k, sizes = [$batch$m, 1] : ($(m,n), $index) -> $(m,1)",
    "  %l = stablehlo.divide %column_k, %divisors : $(m,1)",
    "  %ls = stablehlo.broadcast_in_dim %l, dims = [$dims] : ($(m,1)) -> $(m,n)",
    "  %is_below = stablehlo.compare GT, %rows, %k_matrix : ($(m,n)i, $(m,n)i) -> $(m,n)b",
    "  %is_behind = stablehlo.compare GT, %cols, %k_matrix : ($(m,n)i, $(m,n)i) -> $(m,n)b",
    "  %is_column = stablehlo.compare EQ, %cols, %k_matrix : ($(m,n)i, $(m,n)i) -> $(m,n)b",
    "  %is_l = stablehlo.and %is_below, %is_column : $(m,n)b",
    "  %is_rest = stablehlo.and %is_below, %is_behind : $(m,n)b",
    "  %with_l = stablehlo.select %is_l, %ls, %swapped : $(m,n)b, $(m,n)",
    "  %product = stablehlo.multiply %ls, %rows_pivot : $(m,n)",
    "  %rest = stablehlo.subtract %swapped, %product : $(m,n)",
    "  %next = stablehlo.select %is_rest, %rest, %with_l : $(m,n)b, $(m,n)",
    // the books
    "  %numbers = stablehlo.broadcast_in_dim %pivot, dims = [$dims] : ($(1,1)i) -> $(k,1)i",
    "  %is_place = stablehlo.compare EQ, %places, %k_places : ($(k,1)i, $(k,1)i) -> $(k,1)b",
    "  %next_pivots = stablehlo.select %is_place, %numbers, %pivots : $(k,1)b, $(k,1)i",
    "  %pivot_column = stablehlo.broadcast_in_dim %pivot, dims = [$dims] : ($(1,1)i) -> $(m,1)i",
    "  %is_pivot_row = stablehlo.compare EQ, %column_rows, %pivot_column : ($(m,1)i, $(m,1)i) -> $(m,1)b",
    "  %is_row_k = stablehlo.compare EQ, %column_rows, %k_column : ($(m,1)i, $(m,1)i) -> $(m,1)b",
    "  %here = stablehlo.dynamic_slice %order, $at%k, %zero, sizes = [$batch1, 1] : ($(m,1)i, $index) -> $(1,1)i",
    "  %heres = stablehlo.broadcast_in_dim %here, dims = [$dims] : ($(1,1)i) -> $(m,1)i",
    "  %only_order = stablehlo.select %is_pivot_row, %order, %column_zeros : $(m,1)b, $(m,1)i",
    "  %there = stablehlo.reduce(%only_order init: %zero) applies stablehlo.add across dimensions = [$row]",
    "      : ($(m,1)i, tensor<i32>) -> $(1)i",
    "  %there_1 = stablehlo.reshape %there : ($(1)i) -> $(1,1)i",
    "  %theres = stablehlo.broadcast_in_dim %there_1, dims = [$dims] : ($(1,1)i) -> $(m,1)i",
    "  %half_order = stablehlo.select %is_pivot_row, %heres, %order : $(m,1)b, $(m,1)i",
    "  %next_order = stablehlo.select %is_row_k, %theres, %half_order : $(m,1)b, $(m,1)i",
    "  %next_k = stablehlo.add %k, %one : tensor<i32>",
    "  stablehlo.return %next_k, %next, %next_pivots, %next_order : tensor<i32>, $(m,n), $(k,1)i, $(m,1)i",
    "}",
    "%flat = stablehlo.reshape %out#2 : ($(k,1)i) -> $(k)i",
    "%rows_in_order = stablehlo.reshape %out#3 : ($(m,1)i) -> $(m)i",
    "return %out#1, %flat, %rows_in_order : $(m,n), $(k)i, $(m)i",
    NULL};

// Of many columns the first $p, then the others, $q: their rows move as those of the first did, and
// what the first take from them is a triangular solve and one product. $c are the rows that are
// left, $t their steps.
const char *const lapack_lu_halves[] = {
    "%left = stablehlo.slice %operand0 [$all0:$m, 0:$p] : ($(m,n)) -> $(m,p)",
    "%right = stablehlo.slice %operand0 [$all0:$m, $p:$n] : ($(m,n)) -> $(m,q)",
    "%first:3 = stablehlo.custom_call @shardc.lu(%left) {backend_config = \"$attributes\"} : ($(m,p)) -> ($(m,p), $(p)i, $(m)i)",
    "%from = stablehlo.reshape %first#2 : ($(m)i) -> $(m,1)i",
    "%moved = \"stablehlo.gather\"(%right, %from) <{$rows, slice_sizes = array<i64: $each1, $q>}>",
    "    : ($(m,q), $(m,1)i) -> $(m,q)",
    "%top_left = stablehlo.slice %first#0 [$all0:$p, 0:$p] : ($(m,p)) -> $(p,p)",
    "%below = stablehlo.slice %first#0 [$all$p:$m, 0:$p] : ($(m,p)) -> $(c,p)",
    "%beside = stablehlo.slice %moved [$all0:$p, 0:$q] : ($(m,q)) -> $(p,q)",
    "%rest = stablehlo.slice %moved [$all$p:$m, 0:$q] : ($(m,q)) -> $(c,q)",
    "%top_right = \"stablehlo.triangular_solve\"(%top_left, %beside) <{left_side = true, lower = true,",
    "    transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : ($(p,p), $(p,q)) -> $(p,q)",
    "%product = \"stablehlo.dot_general\"(%below, %top_right) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [$batches],",
    "    rhs_batching_dimensions = [$batches], lhs_contracting_dimensions = [$col], rhs_contracting_dimensions = [$row]>}>",
    "    : ($(c,p), $(p,q)) -> $(c,q)",
    "%less = stablehlo.subtract %rest, %product : $(c,q)",
    "%second:3 = stablehlo.custom_call @shardc.lu(%less) {backend_config = \"$attributes\"} : ($(c,q)) -> ($(c,q), $(t)i, $(c)i)",
    "%from_rest = stablehlo.reshape %second#2 : ($(c)i) -> $(c,1)i",
    "%below_moved = \"stablehlo.gather\"(%below, %from_rest) <{$rows, slice_sizes = array<i64: $each1, $p>}>",
    "    : ($(c,p), $(c,1)i) -> $(c,p)",
    "%top = stablehlo.concatenate %top_left, %top_right, dim = $col : ($(p,p), $(p,q)) -> $(p,n)",
    "%bottom = stablehlo.concatenate %below_moved, %second#0, dim = $col : ($(c,p), $(c,q)) -> $(c,n)",
    "%factors = stablehlo.concatenate %top, %bottom, dim = $row : ($(p,n), $(c,n)) -> $(m,n)",
    "%before = stablehlo.constant dense<$p> : $(t)i",
    "%second_pivots = stablehlo.add %second#1, %before : $(t)i",
    "%pivots = stablehlo.concatenate %first#1, %second_pivots, dim = $row : ($(p)i, $(t)i) -> $(k)i",
    "%order_top = stablehlo.slice %first#2 [$all0:$p] : ($(m)i) -> $(p)i",
    "%order_rest = stablehlo.slice %from [$all$p:$m, 0:1] : ($(m,1)i) -> $(c,1)i",
    "%order_moved = \"stablehlo.gather\"(%order_rest, %from_rest) <{$rows, slice_sizes = array<i64: $each1, 1>}>",
    "    : ($(c,1)i, $(c,1)i) -> $(c,1)i",
    "%order_bottom = stablehlo.reshape %order_moved : ($(c,1)i) -> $(c)i",
    "%order = stablehlo.concatenate %order_top, %order_bottom, dim = $row : ($(p)i, $(c)i) -> $(m)i",
    "return %factors, %pivots, %order : $(m,n), $(k)i, $(m)i",
    NULL};

// LAPACK's pivots count from 1; info: the first step whose pivot is zero.
const char *const lapack_getrf[] = {
    "%lu:3 = stablehlo.custom_call @LuDecomposition(%operand0) : ($(m,n)) -> ($(m,n), $(k)i, $(m)i)",
    "%each_one = stablehlo.constant dense<1> : $(k)i",
    "%from_1 = stablehlo.add %lu#1, %each_one : $(k)i",
    "%square = stablehlo.slice %lu#0 [$all0:$k, 0:$k] : ($(m,n)) -> $(k,k)",
    "%rows = stablehlo.iota dim = $row : $(k,k)i",
    "%cols = stablehlo.iota dim = $col : $(k,k)i",
    "%is_diagonal = stablehlo.compare EQ, %rows, %cols : ($(k,k)i, $(k,k)i) -> $(k,k)b",
    "%zeros = stablehlo.constant dense<$nil> : $(k,k)",
    "%is_zero = stablehlo.compare EQ, %square, %zeros : ($(k,k), $(k,k)) -> $(k,k)b",
    "%is_singular = stablehlo.and %is_diagonal, %is_zero : $(k,k)b",
    "%ones = stablehlo.constant dense<1> : $(k,k)i",
    "%steps = stablehlo.add %rows, %ones : $(k,k)i",
    "%none = stablehlo.constant dense<2147483647> : $(k,k)i",
    "%candidates = stablehlo.select %is_singular, %steps, %none : $(k,k)b, $(k,k)i",
    "%most = stablehlo.constant dense<2147483647> : tensor<i32>",
    "%first = stablehlo.reduce(%candidates init: %most) applies stablehlo.minimum across dimensions = [$row, $col]",
    "    : ($(k,k)i, tensor<i32>) -> $()i",
    "%nones = stablehlo.constant dense<2147483647> : $()i",
    "%fine = stablehlo.constant dense<0> : $()i",
    "%is_fine = stablehlo.compare EQ, %first, %nones : ($()i, $()i) -> $()b",
    "%info = stablehlo.select %is_fine, %fine, %first : $()b, $()i",
    "return %lu#0, %from_1, %info : $(m,n), $(k)i, $()i",
    NULL};

// Step k: H = I - tau v v^H with v = (0.., 1, v'..) makes column k below row r zero: H^H A. beta
// comes to row r, v' below it. For QR, r = k. In parts, since reductions to other forms do the same
// with more around it: the constants and the step are theirs, too.
const char *const lapack_reflect_begin[] = {
    "%zero = stablehlo.constant dense<0> : tensor<i32>",
    "%one = stablehlo.constant dense<1> : tensor<i32>",
    "%steps = stablehlo.constant dense<$k> : tensor<i32>",
    "%zero_t = stablehlo.constant dense<$nil> : $0",
    "%zero_r = stablehlo.constant dense<0.0> : $0r",
    "%zeros = stablehlo.constant dense<$nil> : $(1,1)",
    "%zeros_r = stablehlo.constant dense<0.0> : $(1,1)r",
    "%unit = stablehlo.constant dense<$unit> : $(1,1)",
    "%units = stablehlo.constant dense<$unit> : $(m,1)",
    "%none = stablehlo.constant dense<$nil> : $(m,1)",
    "%rows = stablehlo.iota dim = $row : $(m,1)i",
    "%cols = stablehlo.iota dim = $col : $(m,n)i",
    "%places = stablehlo.iota dim = $row : $(k,1)i",
    "%no_taus = stablehlo.constant dense<$nil> : $(k,1)",
    NULL};

const char *const lapack_geqrf_loop[] = {
    "%out:3 = stablehlo.while(%k = %zero, %a = %operand0, %taus = %no_taus) : tensor<i32>, $(m,n), $(k,1)",
    "cond {",
    "  %more = stablehlo.compare LT, %k, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "  stablehlo.return %more : tensor<i1>",
    "} do {",
    "  %r = stablehlo.add %k, %zero : tensor<i32>",
    "  %column = stablehlo.dynamic_slice %a, $at%zero, %k, sizes = [$batch$m, 1] : ($(m,n), $index) -> $(m,1)",
    NULL};

// %v and %tau for %column, whose element %r becomes %beta.
const char *const lapack_reflector[] = {
    "  %r_column = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<i32>) -> $(m,1)i",
    "  %alpha = stablehlo.dynamic_slice %column, $at%r, %zero, sizes = [$batch1, 1] : ($(m,1), $index) -> $(1,1)",
    "  %is_below = stablehlo.compare GT, %rows, %r_column : ($(m,1)i, $(m,1)i) -> $(m,1)b",
    "  %is_r = stablehlo.compare EQ, %rows, %r_column : ($(m,1)i, $(m,1)i) -> $(m,1)b",
    "  %tail = stablehlo.select %is_below, %column, %none : $(m,1)b, $(m,1)",
    // the norm, of elements that are divided by the largest
    "  %sizes = \"stablehlo.abs\"(%tail) : ($(m,1)) -> $(m,1)r",
    "  %largest = stablehlo.reduce(%sizes init: %zero_r) applies stablehlo.maximum across dimensions = [$row]",
    "      : ($(m,1)r, $0r) -> $(1)r",
    "  %largest_1 = stablehlo.reshape %largest : ($(1)r) -> $(1,1)r",
    "  %re = \"stablehlo.real\"(%alpha) : ($(1,1)) -> $(1,1)r",
    "  %im = \"stablehlo.imag\"(%alpha) : ($(1,1)) -> $(1,1)r",
    "  %size = \"stablehlo.abs\"(%alpha) : ($(1,1)) -> $(1,1)r",
    "  %scale = stablehlo.maximum %largest_1, %size : $(1,1)r",
    "  %is_zero = stablehlo.compare EQ, %scale, %zeros_r : ($(1,1)r, $(1,1)r) -> $(1,1)b",
    "  %unit_r = \"stablehlo.real\"(%unit) : ($(1,1)) -> $(1,1)r",
    "  %safe = stablehlo.select %is_zero, %unit_r, %scale : $(1,1)b, $(1,1)r",
    // by a product, as a quotient of very small complex numbers is not precise; first they are made
    // such that the scale has an inverse
    "  %tiny_r = stablehlo.constant dense<$tiny> : $(1,1)r",
    "  %huge_r = stablehlo.constant dense<$huge> : $(1,1)r",
    "  %is_tiny = stablehlo.compare LT, %safe, %tiny_r : ($(1,1)r, $(1,1)r) -> $(1,1)b",
    "  %is_huge = stablehlo.compare GT, %safe, %huge_r : ($(1,1)r, $(1,1)r) -> $(1,1)b",
    "  %lift_down = stablehlo.select %is_huge, %tiny_r, %unit_r : $(1,1)b, $(1,1)r",
    "  %lift = stablehlo.select %is_tiny, %huge_r, %lift_down : $(1,1)b, $(1,1)r",
    "  %safe_lifted = stablehlo.multiply %safe, %lift : $(1,1)r",
    "  %inverse = stablehlo.divide %unit_r, %safe_lifted : $(1,1)r",
    "  %lift_t = stablehlo.convert %lift : ($(1,1)r) -> $(1,1)",
    "  %inverse_t = stablehlo.convert %inverse : ($(1,1)r) -> $(1,1)",
    "  %lift_m = stablehlo.broadcast_in_dim %lift_t, dims = [$dims] : ($(1,1)) -> $(m,1)",
    "  %inverse_m = stablehlo.broadcast_in_dim %inverse_t, dims = [$dims] : ($(1,1)) -> $(m,1)",
    "  %alpha_lifted = stablehlo.multiply %alpha, %lift_t : $(1,1)",
    "  %alpha_scaled = stablehlo.multiply %alpha_lifted, %inverse_t : $(1,1)",
    "  %tail_lifted = stablehlo.multiply %tail, %lift_m : $(m,1)",
    "  %tail_scaled = stablehlo.multiply %tail_lifted, %inverse_m : $(m,1)",
    "  %scaled = \"stablehlo.abs\"(%tail_scaled) : ($(m,1)) -> $(m,1)r",
    "  %squares = stablehlo.multiply %scaled, %scaled : $(m,1)r",
    "  %sum = stablehlo.reduce(%squares init: %zero_r) applies stablehlo.add across dimensions = [$row] {shardc.in_order}",
    "      : ($(m,1)r, $0r) -> $(1)r",
    "  %sum_1 = stablehlo.reshape %sum : ($(1)r) -> $(1,1)r",
    "  %scaled_alpha = \"stablehlo.abs\"(%alpha_scaled) : ($(1,1)) -> $(1,1)r",
    "  %square = stablehlo.multiply %scaled_alpha, %scaled_alpha : $(1,1)r",
    "  %all = stablehlo.add %sum_1, %square : $(1,1)r",
    "  %root = stablehlo.sqrt %all : $(1,1)r",
    // beta with the other sign than alpha; a column that is zero already, below a real alpha,
    // stays. tau and v are made of what was divided: other numbers may have lost their digits
    "  %minus = stablehlo.negate %root : $(1,1)r",
    "  %is_positive = stablehlo.compare GE, %re, %zeros_r : ($(1,1)r, $(1,1)r) -> $(1,1)b",
    "  %signed = stablehlo.select %is_positive, %minus, %root : $(1,1)b, $(1,1)r",
    "  %no_tail = stablehlo.compare EQ, %largest_1, %zeros_r : ($(1,1)r, $(1,1)r) -> $(1,1)b",
    "  %no_im = stablehlo.compare EQ, %im, %zeros_r : ($(1,1)r, $(1,1)r) -> $(1,1)b",
    "  %stays = stablehlo.and %no_tail, %no_im : $(1,1)b",
    "  %safe_t = stablehlo.convert %safe : ($(1,1)r) -> $(1,1)",
    "  %beta_scaled = stablehlo.convert %signed : ($(1,1)r) -> $(1,1)",
    "  %beta_t = stablehlo.multiply %beta_scaled, %safe_t : $(1,1)",
    "  %beta = stablehlo.select %stays, %alpha, %beta_t : $(1,1)b, $(1,1)",
    "  %difference_any = stablehlo.subtract %beta_scaled, %alpha_scaled : $(1,1)",
    "  %difference = stablehlo.select %stays, %zeros, %difference_any : $(1,1)b, $(1,1)",
    "  %divisor = stablehlo.select %stays, %unit, %beta_scaled : $(1,1)b, $(1,1)",
    "  %tau = stablehlo.divide %difference, %divisor : $(1,1)",
    "  %length = stablehlo.negate %difference : $(1,1)",
    "  %length_1 = stablehlo.select %stays, %unit, %length : $(1,1)b, $(1,1)",
    "  %length_m = stablehlo.broadcast_in_dim %length_1, dims = [$dims] : ($(1,1)) -> $(m,1)",
    "  %rest = stablehlo.divide %tail_scaled, %length_m : $(m,1)",
    "  %v = stablehlo.select %is_r, %units, %rest : $(m,1)b, $(m,1)",
    NULL};

// A - conj(tau) v (v^H A) behind column k.
const char *const lapack_reflect[] = {
    "  %k_matrix = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> $(m,n)i",
    "  %vs = stablehlo.broadcast_in_dim %v, dims = [$dims] : ($(m,1)) -> $(m,n)",
    "  %conj_vs = chlo.conj %vs : $(m,n) -> $(m,n)",
    "  %terms = stablehlo.multiply %conj_vs, %a : $(m,n)",
    "  %w = stablehlo.reduce(%terms init: %zero_t) applies stablehlo.add across dimensions = [$row] {shardc.in_order} : ($(m,n), $0) -> $(n)",
    "  %w_1 = stablehlo.reshape %w : ($(n)) -> $(1,n)",
    "  %conj_tau = chlo.conj %tau : $(1,1) -> $(1,1)",
    "  %taus_n = stablehlo.broadcast_in_dim %conj_tau, dims = [$dims] : ($(1,1)) -> $(1,n)",
    "  %tau_w = stablehlo.multiply %taus_n, %w_1 : $(1,n)",
    "  %ws = stablehlo.broadcast_in_dim %tau_w, dims = [$dims] : ($(1,n)) -> $(m,n)",
    "  %product = stablehlo.multiply %vs, %ws : $(m,n)",
    "  %reflected = stablehlo.subtract %a, %product : $(m,n)",
    "  %is_behind = stablehlo.compare GT, %cols, %k_matrix : ($(m,n)i, $(m,n)i) -> $(m,n)b",
    "  %behind = stablehlo.select %is_behind, %reflected, %a : $(m,n)b, $(m,n)",
    // column k: beta in row r, v below
    "  %betas = stablehlo.broadcast_in_dim %beta, dims = [$dims] : ($(1,1)) -> $(m,1)",
    "  %lower = stablehlo.select %is_below, %rest, %column : $(m,1)b, $(m,1)",
    "  %new = stablehlo.select %is_r, %betas, %lower : $(m,1)b, $(m,1)",
    "  %news = stablehlo.broadcast_in_dim %new, dims = [$dims] : ($(m,1)) -> $(m,n)",
    "  %is_column = stablehlo.compare EQ, %cols, %k_matrix : ($(m,n)i, $(m,n)i) -> $(m,n)b",
    "  %next = stablehlo.select %is_column, %news, %behind : $(m,n)b, $(m,n)",
    NULL};

// tau at its place.
const char *const lapack_reflect_next[] = {
    "  %k_places = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> $(k,1)i",
    "  %tau_k = stablehlo.broadcast_in_dim %tau, dims = [$dims] : ($(1,1)) -> $(k,1)",
    "  %is_place = stablehlo.compare EQ, %places, %k_places : ($(k,1)i, $(k,1)i) -> $(k,1)b",
    "  %next_taus = stablehlo.select %is_place, %tau_k, %taus : $(k,1)b, $(k,1)",
    "  %next_k = stablehlo.add %k, %one : tensor<i32>",
    NULL};

const char *const lapack_geqrf_end[] = {
    "  stablehlo.return %next_k, %next, %next_taus : tensor<i32>, $(m,n), $(k,1)",
    "}",
    "%flat = stablehlo.reshape %out#2 : ($(k,1)) -> $(k)",
    "return %out#1, %flat : $(m,n), $(k)",
    NULL};

// Q = H(1) .. H(t) I, from the last reflector to the first; column i of the operand
// holds v(i) below the diagonal.
const char *const lapack_orgqr[] = {
    "%zero = stablehlo.constant dense<0> : tensor<i32>",
    "%one = stablehlo.constant dense<1> : tensor<i32>",
    "%last = stablehlo.constant dense<$t> : tensor<i32>",
    "%zero_t = stablehlo.constant dense<$nil> : $0",
    "%units = stablehlo.constant dense<$unit> : $(m,1)",
    "%none = stablehlo.constant dense<$nil> : $(m,1)",
    "%column_rows = stablehlo.iota dim = $row : $(m,1)i",
    "%rows = stablehlo.iota dim = $row : $(m,n)i",
    "%cols = stablehlo.iota dim = $col : $(m,n)i",
    "%is_diagonal = stablehlo.compare EQ, %rows, %cols : ($(m,n)i, $(m,n)i) -> $(m,n)b",
    "%identity = stablehlo.convert %is_diagonal : ($(m,n)b) -> $(m,n)",
    "%taus = stablehlo.reshape %operand1 : ($(t)) -> $(t,1)",
    "%out:2 = stablehlo.while(%left = %last, %q = %identity) : tensor<i32>, $(m,n)",
    "cond {",
    "  %more = stablehlo.compare GT, %left, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "  stablehlo.return %more : tensor<i1>",
    "} do {",
    "  %i = stablehlo.subtract %left, %one : tensor<i32>",
    "  %i_column = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> $(m,1)i",
    "  %column = stablehlo.dynamic_slice %operand0, $at%zero, %i, sizes = [$batch$m, 1] : ($(m,n), $index) -> $(m,1)",
    "  %is_below = stablehlo.compare GT, %column_rows, %i_column : ($(m,1)i, $(m,1)i) -> $(m,1)b",
    "  %is_i = stablehlo.compare EQ, %column_rows, %i_column : ($(m,1)i, $(m,1)i) -> $(m,1)b",
    "  %below = stablehlo.select %is_below, %column, %none : $(m,1)b, $(m,1)",
    "  %v = stablehlo.select %is_i, %units, %below : $(m,1)b, $(m,1)",
    "  %tau = stablehlo.dynamic_slice %taus, $at%i, %zero, sizes = [$batch1, 1] : ($(t,1), $index) -> $(1,1)",
    "  %vs = stablehlo.broadcast_in_dim %v, dims = [$dims] : ($(m,1)) -> $(m,n)",
    "  %conj_vs = chlo.conj %vs : $(m,n) -> $(m,n)",
    "  %terms = stablehlo.multiply %conj_vs, %q : $(m,n)",
    "  %w = stablehlo.reduce(%terms init: %zero_t) applies stablehlo.add across dimensions = [$row] {shardc.in_order} : ($(m,n), $0) -> $(n)",
    "  %w_1 = stablehlo.reshape %w : ($(n)) -> $(1,n)",
    "  %taus_n = stablehlo.broadcast_in_dim %tau, dims = [$dims] : ($(1,1)) -> $(1,n)",
    "  %tau_w = stablehlo.multiply %taus_n, %w_1 : $(1,n)",
    "  %ws = stablehlo.broadcast_in_dim %tau_w, dims = [$dims] : ($(1,n)) -> $(m,n)",
    "  %product = stablehlo.multiply %vs, %ws : $(m,n)",
    "  %next = stablehlo.subtract %q, %product : $(m,n)",
    "  stablehlo.return %i, %next : tensor<i32>, $(m,n)",
    "}",
    "return %out#1 : $(m,n)",
    NULL};

// Q C or Q^H C with Q = H(1) .. H(t), one reflector after the other; from the right as Q^H C^H, and
// so on: %turned is C or C^H. $order: which reflector is the next; $tau: its tau or the conjugate.
const char *const lapack_ormqr_left[] = {
    "%turned = stablehlo.reshape %operand2 : ($(p,q)) -> $(m,c)",
    NULL};
const char *const lapack_ormqr_right[] = {
    "%transposed = stablehlo.transpose %operand2, dims = [$swap] : ($(p,q)) -> $(m,c)",
    "%turned = chlo.conj %transposed : $(m,c) -> $(m,c)",
    NULL};
const char *const lapack_ormqr[] = {
    "%zero = stablehlo.constant dense<0> : tensor<i32>",
    "%one = stablehlo.constant dense<1> : tensor<i32>",
    "%end = stablehlo.constant dense<$t> : tensor<i32>",
    "%last = stablehlo.subtract %end, %one : tensor<i32>",
    "%zero_t = stablehlo.constant dense<$nil> : $0",
    "%units = stablehlo.constant dense<$unit> : $(m,1)",
    "%none = stablehlo.constant dense<$nil> : $(m,1)",
    "%column_rows = stablehlo.iota dim = $row : $(m,1)i",
    "%taus = stablehlo.reshape %operand1 : ($(t)) -> $(t,1)",
    "%loop:2 = stablehlo.while(%step = %zero, %x = %turned) : tensor<i32>, $(m,c)",
    "cond {",
    "  %more = stablehlo.compare LT, %step, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "  stablehlo.return %more : tensor<i1>",
    "} do {",
    "  %i = stablehlo.$order, %step : tensor<i32>",
    "  %i_column = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> $(m,1)i",
    "  %column = stablehlo.dynamic_slice %operand0, $at%zero, %i, sizes = [$batch$m, 1] : ($(m,n), $index) -> $(m,1)",
    "  %is_below = stablehlo.compare GT, %column_rows, %i_column : ($(m,1)i, $(m,1)i) -> $(m,1)b",
    "  %is_i = stablehlo.compare EQ, %column_rows, %i_column : ($(m,1)i, $(m,1)i) -> $(m,1)b",
    "  %below = stablehlo.select %is_below, %column, %none : $(m,1)b, $(m,1)",
    "  %v = stablehlo.select %is_i, %units, %below : $(m,1)b, $(m,1)",
    "  %tau = stablehlo.dynamic_slice %taus, $at%i, %zero, sizes = [$batch1, 1] : ($(t,1), $index) -> $(1,1)",
    "  %tau_conj = chlo.conj %tau : $(1,1) -> $(1,1)",
    "  %vs = stablehlo.broadcast_in_dim %v, dims = [$dims] : ($(m,1)) -> $(m,c)",
    "  %conj_vs = chlo.conj %vs : $(m,c) -> $(m,c)",
    "  %terms = stablehlo.multiply %conj_vs, %x : $(m,c)",
    "  %w = stablehlo.reduce(%terms init: %zero_t) applies stablehlo.add across dimensions = [$row] {shardc.in_order} : ($(m,c), $0) -> $(c)",
    "  %w_1 = stablehlo.reshape %w : ($(c)) -> $(1,c)",
    "  %taus_c = stablehlo.broadcast_in_dim $tau, dims = [$dims] : ($(1,1)) -> $(1,c)",
    "  %tau_w = stablehlo.multiply %taus_c, %w_1 : $(1,c)",
    "  %ws = stablehlo.broadcast_in_dim %tau_w, dims = [$dims] : ($(1,c)) -> $(m,c)",
    "  %product = stablehlo.multiply %vs, %ws : $(m,c)",
    "  %next = stablehlo.subtract %x, %product : $(m,c)",
    "  %next_step = stablehlo.add %step, %one : tensor<i32>",
    "  stablehlo.return %next_step, %next : tensor<i32>, $(m,c)",
    "}",
    "%out = stablehlo.reshape %loop#1 : ($(m,c)) -> $(m,c)",
    NULL};
const char *const lapack_ormqr_left_end[] = {
    "return %out : $(p,q)",
    NULL};
const char *const lapack_ormqr_right_end[] = {
    "%transposed_out = stablehlo.transpose %out, dims = [$swap] : ($(m,c)) -> $(p,q)",
    "%back = chlo.conj %transposed_out : $(p,q) -> $(p,q)",
    "return %back : $(p,q)",
    NULL};

// clang-format on
