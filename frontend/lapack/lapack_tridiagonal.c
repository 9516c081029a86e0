// lapack_tridiagonal: eigenvalues and eigenvectors of large symmetric matrices as texts (see
// lapack_routines.h): reduction to tridiagonal form, which is solved by halves, small
// parts in one loop.
//
// A tridiagonal matrix T is two halves, each less |rho| at the end where they meet, and |rho| w w^T
// with w = (0.., 1, +-1, 0..), where rho is the element between them. With the halves' eigenvalues
// d and vectors Q that is Q (D + rho z z^T) Q^T, whose eigenvalues lie between those of D (the
// largest beyond), where 1 + rho sum z(i)^2 / (d(i) - x) = 0.
//
// Nothing is deflated, so that shapes do not depend on numbers. Instead equal d(i), and small z(i)
// and rho, are moved by less than the precision of T: d(i) by its rank times $gap, where
// differences are made and not in d itself, so any gap can be written; z(i) is at least $floor.
// An eigenvalue is kept as its distance from the nearer d(i), which is found to the precision of
// the sum, however small it is. The vectors are orthogonal since z is made anew so that the
// eigenvalues found are those of D + rho z z^T.
//
// Sources: Cuppen, A divide and conquer method for the symmetric tridiagonal eigenproblem, 1981;
// Gu, Eisenstat, A divide-and-conquer algorithm for the symmetric tridiagonal eigenproblem, 1995
// (z anew).
#include "frontend/lapack/lapack_routines.h"

#include <stddef.h>

// clang-format off

// %values and %vectors of %scaled. $c: the number of matrices in the batch.
const char *const lapack_eigh_reduced[] = {
    "%reduced:4 = stablehlo.custom_call @shardc.tridiagonal(%scaled) : ($(n,n)) -> ($(n,n), $(n)r, $(k)r, $(k))",
    // sizes near one
    "%d_sizes = stablehlo.abs %reduced#1 : $(n)r",
    "%e_sizes = stablehlo.abs %reduced#2 : $(k)r",
    "%d_most = stablehlo.reduce(%d_sizes init: %zero_r) applies stablehlo.maximum across dimensions = [$row] : ($(n)r, $0r) -> $()r",
    "%e_most = stablehlo.reduce(%e_sizes init: %zero_r) applies stablehlo.maximum across dimensions = [$row] : ($(k)r, $0r) -> $()r",
    "%most = stablehlo.maximum %d_most, %e_most : $()r",
    "%size = stablehlo.maximum %most, %least : $()r",
    "%size_n = stablehlo.broadcast_in_dim %size, dims = [$batches] : ($()r) -> $(n)r",
    "%e_n = stablehlo.pad %reduced#2, %zero_r, low = [$none0], high = [$none1], interior = [$none0] : ($(k)r, $0r) -> $(n)r",
    "%d_scaled = stablehlo.divide %reduced#1, %size_n : $(n)r",
    "%e_scaled = stablehlo.divide %e_n, %size_n : $(n)r",
    "%d_1 = stablehlo.reshape %d_scaled : ($(n)r) -> $(1,n)r",
    "%e_1 = stablehlo.reshape %e_scaled : ($(n)r) -> $(1,n)r",
    "%diagonals = stablehlo.concatenate %d_1, %e_1, dim = $row : ($(1,n)r, $(1,n)r) -> $(2,n)r",
    "%flat = stablehlo.reshape %diagonals : ($(2,n)r) -> $[c,2,n]r",
    "%solved:2 = stablehlo.custom_call @shardc.tridiagonal_vectors(%flat) : ($[c,2,n]r) -> ($[c,n]r, $[c,n,n]r)",
    "%values_scaled = stablehlo.reshape %solved#0 : ($[c,n]r) -> $(n)r",
    "%values = stablehlo.multiply %values_scaled, %size_n : $(n)r",
    // Q times the vectors; Q leaves the first row
    "%solved_r = stablehlo.reshape %solved#1 : ($[c,n,n]r) -> $(n,n)r",
    "%solved_t = stablehlo.convert %solved_r : ($(n,n)r) -> $(n,n)",
    "%first = stablehlo.slice %solved_t [$all0:1, 0:$n] : ($(n,n)) -> $(1,n)",
    "%others = stablehlo.slice %solved_t [$all1:$n, 0:$n] : ($(n,n)) -> $(k,n)",
    "%reflectors = stablehlo.slice %reduced#0 [$all1:$n, 0:$k] : ($(n,n)) -> $(k,k)",
    "%reflected = stablehlo.custom_call @shardc.reflect(%reflectors, %reduced#3, %others) {backend_config = \"N\"} : ($(k,k), $(k), $(k,n)) -> $(k,n)",
    "%vectors = stablehlo.concatenate %first, %reflected, dim = $row : ($(1,n), $(k,n)) -> $(n,n)",
    NULL};

// [2, n]: the diagonal, and what is below it, with a zero at the end. To values, the smallest
// first, and vectors. One more row, if [p] has one, has a value beyond all others.
const char *const lapack_tridiagonal_begin[] = {
    "%zero = stablehlo.constant dense<0> : tensor<i32>",
    "%one = stablehlo.constant dense<1> : tensor<i32>",
    "%zero_t = stablehlo.constant dense<0.0> : $0",
    "%one_t = stablehlo.constant dense<1.0> : $0",
    "%no = stablehlo.constant dense<false> : tensor<i1>",
    "%zeros_p = stablehlo.constant dense<0.0> : $(p)",
    "%ones_p = stablehlo.constant dense<1.0> : $(p)",
    "%minus_p = stablehlo.constant dense<-1.0> : $(p)",
    "%half_p = stablehlo.constant dense<0.5> : $(p)",
    "%gap_p = stablehlo.constant dense<$gap> : $(p)",
    "%one_number = stablehlo.constant dense<1> : $(p)i",
    "%zeros = stablehlo.constant dense<0.0> : $(p,p)",
    "%ones = stablehlo.constant dense<1.0> : $(p,p)",
    "%gaps = stablehlo.constant dense<$gap> : $(p,p)",
    "%number = stablehlo.iota dim = 1 : $(p)i",
    "%next_number = stablehlo.add %number, %one_number : $(p)i",
    "%i = stablehlo.iota dim = 1 : $(p,p)i",
    "%j = stablehlo.iota dim = 2 : $(p,p)i",
    "%sizes = stablehlo.abs %operand0 : $(2,n)",
    "%largest = stablehlo.reduce(%sizes init: %zero_t) applies stablehlo.maximum across dimensions = [1, 2] : ($(2,n), $0) -> $()",
    "%four = stablehlo.constant dense<4.0> : $()",
    "%one_b = stablehlo.constant dense<1.0> : $()",
    "%four_times = stablehlo.multiply %largest, %four : $()",
    "%beyond = stablehlo.add %four_times, %one_b : $()",
    "%beyond_p = stablehlo.broadcast_in_dim %beyond, dims = [0] : ($()) -> $(p)",
    "%both = stablehlo.pad %operand0, %zero_t, low = [0, 0, 0], high = [0, 0, $q], interior = [0, 0, 0] : ($(2,n), $0) -> $(2,p)",
    "%d_row = stablehlo.slice %both [$all0:1, 0:$p] : ($(2,p)) -> $(1,p)",
    "%e_row = stablehlo.slice %both [$all1:2, 0:$p] : ($(2,p)) -> $(1,p)",
    "%d_part = stablehlo.reshape %d_row : ($(1,p)) -> $(p)",
    "%off = stablehlo.reshape %e_row : ($(1,p)) -> $(p)",
    "%count = stablehlo.constant dense<$n> : $(p)i",
    "%is_more = stablehlo.compare GE, %number, %count : ($(p)i, $(p)i) -> $(p)b",
    "%d_given = stablehlo.select %is_more, %beyond_p, %d_part : $(p)b, $(p)",
    NULL};

// Two halves. $c: the number of halves of the batch.
const char *const lapack_tridiagonal_halves[] = {
    "%first = stablehlo.constant dense<0> : $(p)i",
    "%end = stablehlo.constant dense<$p> : $(p)i",
    "%far = stablehlo.constant dense<1.0> : $(p,p)",
    "%is_in = stablehlo.constant dense<true> : $(p,p)b",
    "%is_out = stablehlo.constant dense<false> : $(p,p)b",
    "%rho_1 = stablehlo.slice %off [$all$f:$h] : ($(p)) -> $(1)",
    "%rho_given = stablehlo.broadcast_in_dim %rho_1, dims = [0, 1] : ($(1)) -> $(p)",
    "%rho_size = stablehlo.abs %rho_given : $(p)",
    "%at_f = stablehlo.constant dense<$f> : $(p)i",
    "%at_h = stablehlo.constant dense<$h> : $(p)i",
    "%is_f = stablehlo.compare EQ, %number, %at_f : ($(p)i, $(p)i) -> $(p)b",
    "%is_h = stablehlo.compare EQ, %number, %at_h : ($(p)i, $(p)i) -> $(p)b",
    "%is_end_of_half = stablehlo.or %is_f, %is_h : $(p)b",
    "%d_less = stablehlo.subtract %d_given, %rho_size : $(p)",
    "%d_cut = stablehlo.select %is_end_of_half, %d_less, %d_given : $(p)b, $(p)",
    "%e_cut = stablehlo.select %is_f, %zeros_p, %off : $(p)b, $(p)",
    "%d_halves = stablehlo.reshape %d_cut : ($(p)) -> $(2,1,h)",
    "%e_halves = stablehlo.reshape %e_cut : ($(p)) -> $(2,1,h)",
    "%halves = stablehlo.concatenate %d_halves, %e_halves, dim = 2 : ($(2,1,h), $(2,1,h)) -> $(2,2,h)",
    "%flat = stablehlo.reshape %halves : ($(2,2,h)) -> $[c,2,h]",
    "%parts:2 = stablehlo.custom_call @shardc.tridiagonal_vectors(%flat) : ($[c,2,h]) -> ($[c,h], $[c,h,h])",
    "%d = stablehlo.reshape %parts#0 : ($[c,h]) -> $(p)",
    "%q = stablehlo.reshape %parts#1 : ($[c,h,h]) -> $(2,h,h)",
    // the last row of the first half's vectors, the first row of the second's
    "%row_f = stablehlo.slice %q [$all0:1, $f:$h, 0:$h] : ($(2,h,h)) -> $(1,1,h)",
    "%row_h = stablehlo.slice %q [$all1:2, 0:1, 0:$h] : ($(2,h,h)) -> $(1,1,h)",
    "%z_f = stablehlo.reshape %row_f : ($(1,1,h)) -> $(h)",
    "%z_h = stablehlo.reshape %row_h : ($(1,1,h)) -> $(h)",
    "%z_given = stablehlo.concatenate %z_f, %z_h, dim = 1 : ($(h), $(h)) -> $(p)",
    "%is_first_half = stablehlo.compare LT, %number, %at_h : ($(p)i, $(p)i) -> $(p)b",
    NULL};

const char *const lapack_tridiagonal_halves_end[] = {
    "%u_halves = stablehlo.reshape %u : ($(p,p)) -> $(2,h,p)",
    "%v_halves = stablehlo.dot_general %q, %u_halves, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : ($(2,h,h), $(2,h,p)) -> $(2,h,p)",
    "%v = stablehlo.reshape %v_halves : ($(2,h,p)) -> $(p,p)",
    "%vectors = stablehlo.slice %v [$all0:$n, 0:$n] : ($(p,p)) -> $(n,n)",
    "%values = stablehlo.slice %values_p [$all0:$n] : ($(p)) -> $(n)",
    "return %values, %vectors : $(n), $(n,n)",
    NULL};

// All levels as steps of one loop, from single rows on: the blocks of a level, of 2, 4, 8 .. rows,
// lie along the diagonal of matrices [p, p]; poles of other blocks are infinitely far away. The
// last block may have less than two halves. $attributes: the number of levels.
const char *const lapack_tridiagonal_levels[] = {
    "%far = stablehlo.divide %ones, %zeros : $(p,p)",
    "%is_diagonal = stablehlo.compare EQ, %i, %j : ($(p,p)i, $(p,p)i) -> $(p,p)b",
    "%identity = stablehlo.convert %is_diagonal : ($(p,p)b) -> $(p,p)",
    "%off_size = stablehlo.abs %off : $(p)",
    "%off_before = stablehlo.pad %off_size, %zero_t, low = [0, 1], high = [0, -1], interior = [0, 0] : ($(p), $0) -> $(p)",
    "%d_less = stablehlo.subtract %d_given, %off_size : $(p)",
    "%d_cut = stablehlo.subtract %d_less, %off_before : $(p)",
    "%all = stablehlo.constant dense<$p> : $(p)i",
    "%levels = stablehlo.constant dense<$attributes> : tensor<i32>",
    "%out:3 = stablehlo.while(%level = %zero, %d = %d_cut, %q = %identity) : tensor<i32>, $(p), $(p,p)",
    "cond {",
    "  %more = stablehlo.compare LT, %level, %levels : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "  stablehlo.return %more : tensor<i1>",
    "} do {",
    // the block of a row or column, its first row, and the first row of its second half
    "  %half_size = stablehlo.shift_left %one, %level : tensor<i32>",
    "  %next_level = stablehlo.add %level, %one : tensor<i32>",
    "  %half_sizes = stablehlo.broadcast_in_dim %half_size, dims = [] : (tensor<i32>) -> $(p)i",
    "  %shifts = stablehlo.broadcast_in_dim %next_level, dims = [] : (tensor<i32>) -> $(p)i",
    "  %block = stablehlo.shift_right_logical %number, %shifts : $(p)i",
    "  %first = stablehlo.shift_left %block, %shifts : $(p)i",
    "  %middle_row = stablehlo.add %first, %half_sizes : $(p)i",
    "  %end_any = stablehlo.add %middle_row, %half_sizes : $(p)i",
    "  %end = stablehlo.minimum %end_any, %all : $(p)i",
    "  %row_before = stablehlo.subtract %middle_row, %one_number : $(p)i",
    "  %is_first_half = stablehlo.compare LT, %number, %middle_row : ($(p)i, $(p)i) -> $(p)b",
    "  %row = stablehlo.select %is_first_half, %row_before, %middle_row : $(p)b, $(p)i",
    "  %block_i = stablehlo.broadcast_in_dim %block, dims = [0, 1] : ($(p)i) -> $(p,p)i",
    "  %block_j = stablehlo.broadcast_in_dim %block, dims = [0, 2] : ($(p)i) -> $(p,p)i",
    "  %is_in = stablehlo.compare EQ, %block_i, %block_j : ($(p,p)i, $(p,p)i) -> $(p,p)b",
    "  %is_out = stablehlo.compare NE, %block_i, %block_j : ($(p,p)i, $(p,p)i) -> $(p,p)b",
    // the last row of the first half's vectors, the first row of the second's
    "  %row_before_j = stablehlo.broadcast_in_dim %row_before, dims = [0, 2] : ($(p)i) -> $(p,p)i",
    "  %is_row_before = stablehlo.compare EQ, %i, %row_before_j : ($(p,p)i, $(p,p)i) -> $(p,p)b",
    "  %off_i = stablehlo.broadcast_in_dim %off, dims = [0, 1] : ($(p)) -> $(p,p)",
    "  %off_there = stablehlo.select %is_row_before, %off_i, %zeros : $(p,p)b, $(p,p)",
    "  %rho_given = stablehlo.reduce(%off_there init: %zero_t) applies stablehlo.add across dimensions = [1] {shardc.in_order} : ($(p,p), $0) -> $(p)",
    "  %rho_size = stablehlo.abs %rho_given : $(p)",
    "  %row_j = stablehlo.broadcast_in_dim %row, dims = [0, 2] : ($(p)i) -> $(p,p)i",
    "  %is_row = stablehlo.compare EQ, %i, %row_j : ($(p,p)i, $(p,p)i) -> $(p,p)b",
    "  %q_there = stablehlo.select %is_row, %q, %zeros : $(p,p)b, $(p,p)",
    "  %z_given = stablehlo.reduce(%q_there init: %zero_t) applies stablehlo.add across dimensions = [1] {shardc.in_order} : ($(p,p), $0) -> $(p)",
    NULL};

const char *const lapack_tridiagonal_levels_end[] = {
    "  %next_q = stablehlo.dot_general %q, %u, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ($(p,p), $(p,p)) -> $(p,p)",
    "  stablehlo.return %next_level, %values_p, %next_q : tensor<i32>, $(p), $(p,p)",
    "}",
    "%vectors = stablehlo.slice %out#2 [$all0:$n, 0:$n] : ($(p,p)) -> $(n,n)",
    "%values = stablehlo.slice %out#1 [$all0:$n] : ($(p)) -> $(n)",
    "return %values, %vectors : $(n), $(n,n)",
    NULL};

// From the eigenvalues %d of the halves of blocks, %rho_given and %z_given to those of the blocks,
// %values_p, and the vectors %u of D + rho z z^T. %first and %end are those of a column's block.
const char *const lapack_tridiagonal_merge[] = {
    // z, of length one
    "%rho_sign = stablehlo.sign %rho_given : $(p)",
    "%z_sign = stablehlo.select %is_first_half, %ones_p, %rho_sign : $(p)b, $(p)",
    "%z_both = stablehlo.multiply %z_given, %z_sign : $(p)",
    "%half_root = stablehlo.constant dense<0.70710678118654757> : $(p)",
    "%z_scaled = stablehlo.multiply %z_both, %half_root : $(p)",
    "%z_abs = stablehlo.abs %z_scaled : $(p)",
    "%z_least = stablehlo.constant dense<$floor> : $(p)",
    "%z = stablehlo.maximum %z_abs, %z_least : $(p)",
    "%is_minus = stablehlo.compare LT, %z_scaled, %zeros_p : ($(p), $(p)) -> $(p)b",
    "%squares = stablehlo.multiply %z, %z : $(p)",
    "%rho_twice = stablehlo.add %rho_size, %rho_size : $(p)",
    "%rho = stablehlo.maximum %rho_twice, %gap_p : $(p)",
    // the ranks of d, and d in their order
    "%d_i = stablehlo.broadcast_in_dim %d, dims = [0, 1] : ($(p)) -> $(p,p)",
    "%d_j = stablehlo.broadcast_in_dim %d, dims = [0, 2] : ($(p)) -> $(p,p)",
    "%is_less = stablehlo.compare LT, %d_j, %d_i : ($(p,p), $(p,p)) -> $(p,p)b",
    "%is_same = stablehlo.compare EQ, %d_j, %d_i : ($(p,p), $(p,p)) -> $(p,p)b",
    "%is_earlier = stablehlo.compare LT, %j, %i : ($(p,p)i, $(p,p)i) -> $(p,p)b",
    "%is_tie = stablehlo.and %is_same, %is_earlier : $(p,p)b",
    "%is_any_before = stablehlo.or %is_less, %is_tie : $(p,p)b",
    "%is_before = stablehlo.and %is_any_before, %is_in : $(p,p)b",
    "%before = stablehlo.convert %is_before : ($(p,p)b) -> $(p,p)i",
    "%rank_in = stablehlo.reduce(%before init: %zero) applies stablehlo.add across dimensions = [2] : ($(p,p)i, tensor<i32>) -> $(p)i",
    "%rank = stablehlo.add %first, %rank_in : $(p)i",
    "%rank_i = stablehlo.broadcast_in_dim %rank, dims = [0, 1] : ($(p)i) -> $(p,p)i",
    "%is_own = stablehlo.compare EQ, %rank_i, %j : ($(p,p)i, $(p,p)i) -> $(p,p)b",
    "%d_own = stablehlo.select %is_own, %d_i, %zeros : $(p,p)b, $(p,p)",
    "%sorted = stablehlo.reduce(%d_own init: %zero_t) applies stablehlo.add across dimensions = [1] {shardc.in_order} : ($(p,p), $0) -> $(p)",
    "%next = stablehlo.pad %sorted, %zero_t, low = [0, -1], high = [0, 1], interior = [0, 0] : ($(p), $0) -> $(p)",
    // from every d to the next; the last eigenvalue is at most rho beyond the last d
    "%distance = stablehlo.subtract %next, %sorted : $(p)",
    "%between = stablehlo.add %distance, %gap_p : $(p)",
    "%reach = stablehlo.constant dense<2.5> : $(p)",
    "%beyond_last = stablehlo.multiply %rho, %reach : $(p)",
    "%is_last = stablehlo.compare EQ, %next_number, %end : ($(p)i, $(p)i) -> $(p)b",
    "%width = stablehlo.select %is_last, %beyond_last, %between : $(p)b, $(p)",
    "%half_width = stablehlo.multiply %width, %half_p : $(p)",
    // poles(i, j) = d(i) - sorted(j); the sum halfway to the next d says which one is nearer
    "%sorted_j = stablehlo.broadcast_in_dim %sorted, dims = [0, 2] : ($(p)) -> $(p,p)",
    "%poles_d = stablehlo.subtract %d_i, %sorted_j : $(p,p)",
    "%ranks = stablehlo.subtract %rank_i, %j : $(p,p)i",
    "%ranks_t = stablehlo.convert %ranks : ($(p,p)i) -> $(p,p)",
    "%moves = stablehlo.multiply %ranks_t, %gaps : $(p,p)",
    "%poles_in = stablehlo.add %poles_d, %moves : $(p,p)",
    "%poles = stablehlo.select %is_in, %poles_in, %far : $(p,p)b, $(p,p)",
    "%halfway = stablehlo.broadcast_in_dim %half_width, dims = [0, 2] : ($(p)) -> $(p,p)",
    "%from_halfway = stablehlo.subtract %poles, %halfway : $(p,p)",
    "%squares_i = stablehlo.broadcast_in_dim %squares, dims = [0, 1] : ($(p)) -> $(p,p)",
    "%terms = stablehlo.divide %squares_i, %from_halfway : $(p,p)",
    "%sum = stablehlo.reduce(%terms init: %zero_t) applies stablehlo.add across dimensions = [1] {shardc.in_order} : ($(p,p), $0) -> $(p)",
    "%rho_sum = stablehlo.multiply %rho, %sum : $(p)",
    "%f = stablehlo.add %rho_sum, %ones_p : $(p)",
    "%is_positive = stablehlo.compare GE, %f, %zeros_p : ($(p), $(p)) -> $(p)b",
    "%is_lower = stablehlo.or %is_positive, %is_last : $(p)b",
    "%sign = stablehlo.select %is_lower, %ones_p, %minus_p : $(p)b, $(p)",
    "%nearer = stablehlo.select %is_lower, %sorted, %next : $(p)b, $(p)",
    "%nearer_number = stablehlo.select %is_lower, %number, %next_number : $(p)b, $(p)i",
    "%nearer_j = stablehlo.broadcast_in_dim %nearer, dims = [0, 2] : ($(p)) -> $(p,p)",
    "%nearer_number_j = stablehlo.broadcast_in_dim %nearer_number, dims = [0, 2] : ($(p)i) -> $(p,p)i",
    "%origins_d = stablehlo.subtract %d_i, %nearer_j : $(p,p)",
    "%origin_ranks = stablehlo.subtract %rank_i, %nearer_number_j : $(p,p)i",
    "%origin_ranks_t = stablehlo.convert %origin_ranks : ($(p,p)i) -> $(p,p)",
    "%origin_moves = stablehlo.multiply %origin_ranks_t, %gaps : $(p,p)",
    "%origins_in = stablehlo.add %origins_d, %origin_moves : $(p,p)",
    "%origins = stablehlo.select %is_in, %origins_in, %far : $(p,p)b, $(p,p)",
    NULL};

// Where 1 + rho sum z(i)^2 / (origins(i, j) - x) = 0 for x between 0 and %half_width, times %sign.
// Newton's method for x times that function, which has no pole at 0; its step leads from x to x D /
// (f + D) with D = x f'. Where that is outside of what is known of x, the pattern of its number is
// halved; after $newton steps it always is, so that the search ends. An x stays that is as good as
// the sum is precise, or whose limits are neighbours.
const char *const lapack_tridiagonal_root[] = {
    "%precision_1 = stablehlo.constant dense<$precision> : $(p)",
    "%eight_p = stablehlo.constant dense<8.0> : $(p)",
    "%precision = stablehlo.multiply %precision_1, %eight_p : $(p)",
    "%least_t = stablehlo.constant dense<$least> : $(p)",
    "%low_0 = stablehlo.bitcast_convert %least_t : ($(p)) -> $(p)u",
    "%high_0 = stablehlo.bitcast_convert %half_width : ($(p)) -> $(p)u",
    "%one_u = stablehlo.constant dense<1> : $(p)u",
    "%yes_p = stablehlo.constant dense<true> : $(p)b",
    "%steps = stablehlo.constant dense<$steps> : tensor<i32>",
    "%newton_steps = stablehlo.constant dense<$newton> : tensor<i32>",
    "%found:5 = stablehlo.while(%step = %zero, %low = %low_0, %high = %high_0, %at = %high_0, %is_open = %yes_p)",
    "    : tensor<i32>, $(p)u, $(p)u, $(p)u, $(p)b",
    "cond {",
    "  %is_any = stablehlo.reduce(%is_open init: %no) applies stablehlo.or across dimensions = [0, 1] : ($(p)b, tensor<i1>) -> tensor<i1>",
    "  %may = stablehlo.compare LT, %step, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "  %is_more_to_do = stablehlo.and %is_any, %may : tensor<i1>",
    "  stablehlo.return %is_more_to_do : tensor<i1>",
    "} do {",
    "  %x_size = stablehlo.bitcast_convert %at : ($(p)u) -> $(p)",
    "  %x = stablehlo.multiply %x_size, %sign : $(p)",
    "  %x_j = stablehlo.broadcast_in_dim %x, dims = [0, 2] : ($(p)) -> $(p,p)",
    "  %from_x = stablehlo.subtract %origins, %x_j : $(p,p)",
    "  %inverses = stablehlo.divide %ones, %from_x : $(p,p)",
    "  %x_terms = stablehlo.multiply %squares_i, %inverses : $(p,p)",
    "  %x_parts = stablehlo.multiply %x_j, %inverses : $(p,p)",
    "  %slopes = stablehlo.multiply %x_terms, %x_parts : $(p,p)",
    "  %x_sum = stablehlo.reduce(%x_terms init: %zero_t) applies stablehlo.add across dimensions = [1] {shardc.in_order} : ($(p,p), $0) -> $(p)",
    "  %slope_sum = stablehlo.reduce(%slopes init: %zero_t) applies stablehlo.add across dimensions = [1] {shardc.in_order} : ($(p,p), $0) -> $(p)",
    "  %rho_x_sum = stablehlo.multiply %rho, %x_sum : $(p)",
    "  %f_x = stablehlo.add %rho_x_sum, %ones_p : $(p)",
    "  %f_away = stablehlo.multiply %f_x, %sign : $(p)",
    "  %is_farther = stablehlo.compare LT, %f_away, %zeros_p : ($(p), $(p)) -> $(p)b",
    "  %low_new = stablehlo.select %is_farther, %at, %low : $(p)b, $(p)u",
    "  %high_new = stablehlo.select %is_farther, %high, %at : $(p)b, $(p)u",
    "  %range = stablehlo.subtract %high_new, %low_new : $(p)u",
    "  %half_range = stablehlo.shift_right_logical %range, %one_u : $(p)u",
    "  %middle = stablehlo.add %low_new, %half_range : $(p)u",
    "  %slope = stablehlo.multiply %rho, %slope_sum : $(p)",
    "  %f_slope = stablehlo.add %f_x, %slope : $(p)",
    "  %ratio = stablehlo.divide %slope, %f_slope : $(p)",
    "  %x_newton = stablehlo.multiply %x_size, %ratio : $(p)",
    "  %low_t = stablehlo.bitcast_convert %low_new : ($(p)u) -> $(p)",
    "  %high_t = stablehlo.bitcast_convert %high_new : ($(p)u) -> $(p)",
    "  %is_above = stablehlo.compare GT, %x_newton, %low_t : ($(p), $(p)) -> $(p)b",
    "  %is_below = stablehlo.compare LT, %x_newton, %high_t : ($(p), $(p)) -> $(p)b",
    "  %is_between = stablehlo.and %is_above, %is_below : $(p)b",
    "  %is_early = stablehlo.compare LT, %step, %newton_steps : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "  %is_early_p = stablehlo.broadcast_in_dim %is_early, dims = [] : (tensor<i1>) -> $(p)b",
    "  %is_step = stablehlo.and %is_between, %is_early_p : $(p)b",
    "  %newton = stablehlo.bitcast_convert %x_newton : ($(p)) -> $(p)u",
    "  %next_at = stablehlo.select %is_step, %newton, %middle : $(p)b, $(p)u",
    // what rounding can make of f
    "  %rho_x_size = stablehlo.abs %rho_x_sum : $(p)",
    "  %slope_size = stablehlo.abs %slope : $(p)",
    "  %sizes_x = stablehlo.add %rho_x_size, %slope_size : $(p)",
    "  %f_size = stablehlo.add %sizes_x, %ones_p : $(p)",
    "  %f_limit = stablehlo.multiply %f_size, %precision : $(p)",
    "  %f_x_size = stablehlo.abs %f_x : $(p)",
    "  %is_far = stablehlo.compare GT, %f_x_size, %f_limit : ($(p), $(p)) -> $(p)b",
    "  %is_wide = stablehlo.compare GT, %range, %one_u : ($(p)u, $(p)u) -> $(p)b",
    "  %is_unknown = stablehlo.and %is_far, %is_wide : $(p)b",
    "  %open_new = stablehlo.and %is_open, %is_unknown : $(p)b",
    "  %low_kept = stablehlo.select %is_open, %low_new, %low : $(p)b, $(p)u",
    "  %high_kept = stablehlo.select %is_open, %high_new, %high : $(p)b, $(p)u",
    "  %at_kept = stablehlo.select %open_new, %next_at, %at : $(p)b, $(p)u",
    "  %next_step = stablehlo.add %step, %one : tensor<i32>",
    "  stablehlo.return %next_step, %low_kept, %high_kept, %at_kept, %open_new : tensor<i32>, $(p)u, $(p)u, $(p)u, $(p)b",
    "}",
    "%mu_size = stablehlo.bitcast_convert %found#3 : ($(p)u) -> $(p)",
    "%mu = stablehlo.multiply %mu_size, %sign : $(p)",
    "%values_p = stablehlo.add %nearer, %mu : $(p)",
    NULL};

// from_values(i, j) = d(i) - value(j). z(i)^2 is the product of all from_values(i, j) / poles(i,
// j), and of from_values(i, rank(i)); in two factors, as that one may be tiny.
const char *const lapack_tridiagonal_vectors[] = {
    "%mu_j = stablehlo.broadcast_in_dim %mu, dims = [0, 2] : ($(p)) -> $(p,p)",
    "%from_values = stablehlo.subtract %origins, %mu_j : $(p,p)",
    "%own = stablehlo.select %is_own, %from_values, %zeros : $(p,p)b, $(p,p)",
    "%own_value = stablehlo.reduce(%own init: %zero_t) applies stablehlo.add across dimensions = [2] : ($(p,p), $0) -> $(p)",
    // the quotients stand as (j, i): columns are multiplied side by side, in order
    "%to_row = stablehlo.transpose %from_values, dims = [0, 2, 1] : ($(p,p)) -> $(p,p)",
    "%poles_to_row = stablehlo.transpose %poles, dims = [0, 2, 1] : ($(p,p)) -> $(p,p)",
    "%is_no_factor = stablehlo.or %is_own, %is_out : $(p,p)b",
    "%is_none_to_row = stablehlo.transpose %is_no_factor, dims = [0, 2, 1] : ($(p,p)b) -> $(p,p)b",
    "%tops = stablehlo.select %is_none_to_row, %ones, %to_row : $(p,p)b, $(p,p)",
    "%bottoms = stablehlo.select %is_none_to_row, %ones, %poles_to_row : $(p,p)b, $(p,p)",
    "%quotients = stablehlo.divide %tops, %bottoms : $(p,p)",
    "%product = stablehlo.reduce(%quotients init: %one_t) applies stablehlo.multiply across dimensions = [1] {shardc.in_order} : ($(p,p), $0) -> $(p)",
    "%product_size = stablehlo.abs %product : $(p)",
    "%own_size = stablehlo.abs %own_value : $(p)",
    "%product_root = stablehlo.sqrt %product_size : $(p)",
    "%own_root = stablehlo.sqrt %own_size : $(p)",
    "%z_size = stablehlo.multiply %product_root, %own_root : $(p)",
    "%z_minus = stablehlo.negate %z_size : $(p)",
    "%z_new = stablehlo.select %is_minus, %z_minus, %z_size : $(p)b, $(p)",
    // the vectors z(i) / from_values(i, j), of length one
    "%mu_size_j = stablehlo.broadcast_in_dim %mu_size, dims = [0, 2] : ($(p)) -> $(p,p)",
    "%parts_of_mu = stablehlo.divide %mu_size_j, %from_values : $(p,p)",
    "%z_i = stablehlo.broadcast_in_dim %z_new, dims = [0, 1] : ($(p)) -> $(p,p)",
    "%u_long = stablehlo.multiply %z_i, %parts_of_mu : $(p,p)",
    "%u_squares = stablehlo.multiply %u_long, %u_long : $(p,p)",
    "%u_sum = stablehlo.reduce(%u_squares init: %zero_t) applies stablehlo.add across dimensions = [1] {shardc.in_order} : ($(p,p), $0) -> $(p)",
    "%u_norm = stablehlo.sqrt %u_sum : $(p)",
    "%u_norm_j = stablehlo.broadcast_in_dim %u_norm, dims = [0, 2] : ($(p)) -> $(p,p)",
    "%u = stablehlo.divide %u_long, %u_norm_j : $(p,p)",
    NULL};

// clang-format on
