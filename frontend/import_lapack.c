// import_lapack: see import_lapack.h.
//
// A routine is a text of StableHLO ops in which the matrix's types are left open: %operand0 .. are the call's operands, what `return`
// names are its results. For a matrix [B.., m, n] of elements T (B.. are batches):
//
//   $(m,1)     tensor<B..x m x1xT>; with a letter behind, of other elements: i = i32, b = i1, r = the real part of T. $()i: tensor<B..xi32>
//   $0 $0r     tensor<T>, tensor of its real part     $nil $unit   0 and 1 as T
//   $m $n $k $t   m, n, min(m, n), the number of reflectors     $row $col   the numbers of their dimensions     $dims   0, 1, .. of all dimensions
//   $at $batch what dynamic_slice has for the batches: starts and sizes, each with a comma; $index: the types of all starts
//   $? $b      what the call's attributes say; the type of operand 1
//
// Sources: Golub, Van Loan, Matrix Computations, 4th ed., algorithms 3.4.1 (LU by outer products, partial pivoting), 5.1.1 and 5.2.1
// (Householder vectors, QR); signs, scaling and layouts as LAPACK's descriptions of xGETRF, xGEQRF and xORGQR.
#include "frontend/import_lapack.h"

#include "base/vec.h"
#include "frontend/frontend.h"
#include "ir/builder.h"
#include "ir/print.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

// ---- the routines ----

// clang-format off

// info = 1 where the factor has a diagonal element that is no number: the matrix is not positive definite.
static const char *const potrf[] = {
    "%factor = stablehlo.cholesky %operand0, lower = $? : $(m,n)",
    "%real = \"stablehlo.real\"(%factor) : ($(m,n)) -> $(m,n)r",
    "%nan = stablehlo.compare NE, %real, %real : ($(m,n)r, $(m,n)r) -> $(m,n)b",
    "%rows = stablehlo.iota dim = $row : $(m,n)i",
    "%cols = stablehlo.iota dim = $col : $(m,n)i",
    "%diagonal = stablehlo.compare EQ, %rows, %cols : ($(m,n)i, $(m,n)i) -> $(m,n)b",
    "%bad = stablehlo.and %nan, %diagonal : $(m,n)b",
    "%no = stablehlo.constant dense<false> : tensor<i1>",
    "%any = stablehlo.reduce(%bad init: %no) applies stablehlo.or across dimensions = [$row, $col]",
    "    : ($(m,n)b, tensor<i1>) -> $()b",
    "%info = stablehlo.convert %any : ($()b) -> $()i",
    "return %factor, %info : $(m,n), $()i",
    NULL};

static const char *const trsm[] = {
    "%x = \"stablehlo.triangular_solve\"(%operand0, %operand1) <{$?}> : ($(m,n), $b) -> $b",
    "return %x : $b",
    NULL};

// Step k: the largest element of column k at or below the diagonal comes to the diagonal, what is below is divided by it, the product of
// column and row is subtracted from the rest. Pivots count from 1; info: the first step whose pivot is zero.
static const char *const getrf[] = {
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
    "%fine = stablehlo.constant dense<0> : $(1,1)i",
    "%out:4 = stablehlo.while(%k = %zero, %a = %operand0, %pivots = %no_pivots, %info = %fine)",
    "    : tensor<i32>, $(m,n), $(k,1)i, $(1,1)i",
    "cond {",
    "  %more = stablehlo.compare LT, %k, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "  stablehlo.return %more : tensor<i1>",
    "} do {",
    "  %k_matrix = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> $(m,n)i",
    "  %k_column = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> $(m,1)i",
    "  %k_places = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> $(k,1)i",
    // the pivot: the first row with the largest element; the last one if there is no largest because of NaN
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
    "  %number = stablehlo.add %pivot, %ones : $(1,1)i",
    "  %numbers = stablehlo.broadcast_in_dim %number, dims = [$dims] : ($(1,1)i) -> $(k,1)i",
    "  %is_place = stablehlo.compare EQ, %places, %k_places : ($(k,1)i, $(k,1)i) -> $(k,1)b",
    "  %next_pivots = stablehlo.select %is_place, %numbers, %pivots : $(k,1)b, $(k,1)i",
    "  %next_k = stablehlo.add %k, %one : tensor<i32>",
    "  %step = stablehlo.broadcast_in_dim %next_k, dims = [] : (tensor<i32>) -> $(1,1)i",
    "  %was_fine = stablehlo.compare EQ, %info, %fine : ($(1,1)i, $(1,1)i) -> $(1,1)b",
    "  %is_news = stablehlo.and %was_fine, %is_singular : $(1,1)b",
    "  %next_info = stablehlo.select %is_news, %step, %info : $(1,1)b, $(1,1)i",
    "  stablehlo.return %next_k, %next, %next_pivots, %next_info : tensor<i32>, $(m,n), $(k,1)i, $(1,1)i",
    "}",
    "%flat = stablehlo.reshape %out#2 : ($(k,1)i) -> $(k)i",
    "%first_zero = stablehlo.reshape %out#3 : ($(1,1)i) -> $()i",
    "return %out#1, %flat, %first_zero : $(m,n), $(k)i, $()i",
    NULL};

// Step k: H = I - tau v v^H with v = (0.., 1, v'..) makes column k below the diagonal zero: H^H A. beta comes to the diagonal, v' below it.
static const char *const geqrf[] = {
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
    "%out:3 = stablehlo.while(%k = %zero, %a = %operand0, %taus = %no_taus) : tensor<i32>, $(m,n), $(k,1)",
    "cond {",
    "  %more = stablehlo.compare LT, %k, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "  stablehlo.return %more : tensor<i1>",
    "} do {",
    "  %k_column = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> $(m,1)i",
    "  %k_matrix = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> $(m,n)i",
    "  %k_places = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> $(k,1)i",
    "  %column = stablehlo.dynamic_slice %a, $at%zero, %k, sizes = [$batch$m, 1] : ($(m,n), $index) -> $(m,1)",
    "  %alpha = stablehlo.dynamic_slice %column, $at%k, %zero, sizes = [$batch1, 1] : ($(m,1), $index) -> $(1,1)",
    "  %is_below = stablehlo.compare GT, %rows, %k_column : ($(m,1)i, $(m,1)i) -> $(m,1)b",
    "  %is_k = stablehlo.compare EQ, %rows, %k_column : ($(m,1)i, $(m,1)i) -> $(m,1)b",
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
    "  %safe_m = stablehlo.broadcast_in_dim %safe, dims = [$dims] : ($(1,1)r) -> $(m,1)r",
    "  %scaled = stablehlo.divide %sizes, %safe_m : $(m,1)r",
    "  %squares = stablehlo.multiply %scaled, %scaled : $(m,1)r",
    "  %sum = stablehlo.reduce(%squares init: %zero_r) applies stablehlo.add across dimensions = [$row]",
    "      : ($(m,1)r, $0r) -> $(1)r",
    "  %sum_1 = stablehlo.reshape %sum : ($(1)r) -> $(1,1)r",
    "  %scaled_alpha = stablehlo.divide %size, %safe : $(1,1)r",
    "  %square = stablehlo.multiply %scaled_alpha, %scaled_alpha : $(1,1)r",
    "  %all = stablehlo.add %sum_1, %square : $(1,1)r",
    "  %root = stablehlo.sqrt %all : $(1,1)r",
    "  %norm = stablehlo.multiply %root, %safe : $(1,1)r",
    // beta with the other sign than alpha; a column that is zero already, below a real alpha, stays
    "  %minus = stablehlo.negate %norm : $(1,1)r",
    "  %is_positive = stablehlo.compare GE, %re, %zeros_r : ($(1,1)r, $(1,1)r) -> $(1,1)b",
    "  %signed = stablehlo.select %is_positive, %minus, %norm : $(1,1)b, $(1,1)r",
    "  %no_tail = stablehlo.compare EQ, %largest_1, %zeros_r : ($(1,1)r, $(1,1)r) -> $(1,1)b",
    "  %no_im = stablehlo.compare EQ, %im, %zeros_r : ($(1,1)r, $(1,1)r) -> $(1,1)b",
    "  %stays = stablehlo.and %no_tail, %no_im : $(1,1)b",
    "  %beta_t = stablehlo.convert %signed : ($(1,1)r) -> $(1,1)",
    "  %beta = stablehlo.select %stays, %alpha, %beta_t : $(1,1)b, $(1,1)",
    "  %difference = stablehlo.subtract %beta, %alpha : $(1,1)",
    "  %divisor = stablehlo.select %stays, %unit, %beta : $(1,1)b, $(1,1)",
    "  %tau = stablehlo.divide %difference, %divisor : $(1,1)",
    "  %length = stablehlo.negate %difference : $(1,1)",
    "  %length_1 = stablehlo.select %stays, %unit, %length : $(1,1)b, $(1,1)",
    "  %length_m = stablehlo.broadcast_in_dim %length_1, dims = [$dims] : ($(1,1)) -> $(m,1)",
    "  %rest = stablehlo.divide %tail, %length_m : $(m,1)",
    "  %v = stablehlo.select %is_k, %units, %rest : $(m,1)b, $(m,1)",
    // A - conj(tau) v (v^H A) behind column k
    "  %vs = stablehlo.broadcast_in_dim %v, dims = [$dims] : ($(m,1)) -> $(m,n)",
    "  %conj_vs = chlo.conj %vs : $(m,n) -> $(m,n)",
    "  %terms = stablehlo.multiply %conj_vs, %a : $(m,n)",
    "  %w = stablehlo.reduce(%terms init: %zero_t) applies stablehlo.add across dimensions = [$row] : ($(m,n), $0) -> $(n)",
    "  %w_1 = stablehlo.reshape %w : ($(n)) -> $(1,n)",
    "  %conj_tau = chlo.conj %tau : $(1,1) -> $(1,1)",
    "  %taus_n = stablehlo.broadcast_in_dim %conj_tau, dims = [$dims] : ($(1,1)) -> $(1,n)",
    "  %tau_w = stablehlo.multiply %taus_n, %w_1 : $(1,n)",
    "  %ws = stablehlo.broadcast_in_dim %tau_w, dims = [$dims] : ($(1,n)) -> $(m,n)",
    "  %product = stablehlo.multiply %vs, %ws : $(m,n)",
    "  %reflected = stablehlo.subtract %a, %product : $(m,n)",
    "  %is_behind = stablehlo.compare GT, %cols, %k_matrix : ($(m,n)i, $(m,n)i) -> $(m,n)b",
    "  %behind = stablehlo.select %is_behind, %reflected, %a : $(m,n)b, $(m,n)",
    // column k: beta on the diagonal, v below
    "  %betas = stablehlo.broadcast_in_dim %beta, dims = [$dims] : ($(1,1)) -> $(m,1)",
    "  %lower = stablehlo.select %is_below, %rest, %column : $(m,1)b, $(m,1)",
    "  %new = stablehlo.select %is_k, %betas, %lower : $(m,1)b, $(m,1)",
    "  %news = stablehlo.broadcast_in_dim %new, dims = [$dims] : ($(m,1)) -> $(m,n)",
    "  %is_column = stablehlo.compare EQ, %cols, %k_matrix : ($(m,n)i, $(m,n)i) -> $(m,n)b",
    "  %next = stablehlo.select %is_column, %news, %behind : $(m,n)b, $(m,n)",
    "  %tau_k = stablehlo.broadcast_in_dim %tau, dims = [$dims] : ($(1,1)) -> $(k,1)",
    "  %is_place = stablehlo.compare EQ, %places, %k_places : ($(k,1)i, $(k,1)i) -> $(k,1)b",
    "  %next_taus = stablehlo.select %is_place, %tau_k, %taus : $(k,1)b, $(k,1)",
    "  %next_k = stablehlo.add %k, %one : tensor<i32>",
    "  stablehlo.return %next_k, %next, %next_taus : tensor<i32>, $(m,n), $(k,1)",
    "}",
    "%flat = stablehlo.reshape %out#2 : ($(k,1)) -> $(k)",
    "return %out#1, %flat : $(m,n), $(k)",
    NULL};

// Q = H(1) .. H(t) I, from the last reflector to the first; column i of the operand holds v(i) below the diagonal.
static const char *const orgqr[] = {
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
    "  %w = stablehlo.reduce(%terms init: %zero_t) applies stablehlo.add across dimensions = [$row] : ($(m,n), $0) -> $(n)",
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

// clang-format on

typedef struct Routine {
    const char *name; // behind lapack_ and the letter of the type
    int operand_count, result_count;
    bool is_square;
    const char *const *text; // lines, then NULL
} Routine;

static const Routine routines[] = {
    {"potrf", 1, 2, true, potrf},  {"trsm", 2, 1, true, trsm},    {"getrf", 1, 3, false, getrf},
    {"geqrf", 1, 2, false, geqrf}, {"orgqr", 2, 1, false, orgqr}, {"ungqr", 2, 1, false, orgqr},
};

// ---- the text of a call ----

typedef struct Draft {
    const Op *op;
    const Type *matrix; // [B.., m, n]
    int batch_rank;
    int64_t m, n, k, t; // t: number of reflectors
    StrBuf text;
} Draft;

static void put_tensor(Draft *draft, const char *sizes, char kind) {
    ElementType element = draft->matrix->element;
    StrBuf *text = &draft->text;
    strbuf_append(text, SV("tensor<"));
    if (*sizes != '0') {
        for (int d = 0; d < draft->batch_rank; d++)
            strbuf_printf(text, "%lldx", (long long)draft->matrix->dims[d]);
    }
    for (; *sizes && *sizes != '0'; sizes++) {
        if (*sizes == ',') continue;
        int64_t size = *sizes == 'm'   ? draft->m
                       : *sizes == 'n' ? draft->n
                       : *sizes == 'k' ? draft->k
                       : *sizes == 't' ? draft->t
                                       : 1;
        strbuf_printf(text, "%lldx", (long long)size);
    }
    if (kind == 'i') element = ELEMENT_I32;
    if (kind == 'b') element = ELEMENT_I1;
    if (kind == 'r') element = element_real_part(element);
    strbuf_append(text, element_text(element));
    strbuf_putc(text, '>');
}

static bool is_letter_kind(char c, char after) {
    return (c == 'i' || c == 'b' || c == 'r') && !isalpha((unsigned char)after);
}

// A type behind the dollar: "(m,1)i" or "0r". Returns what follows.
static const char *put_type(Draft *draft, const char *at) {
    char sizes[8] = "0";
    if (*at == '(') {
        const char *end = strchr(at, ')');
        size_t size = (size_t)(end - at - 1);
        assert(size < sizeof sizes);
        memcpy(sizes, at + 1, size);
        sizes[size] = 0;
        at = end;
    }
    at++;
    char kind = is_letter_kind(at[0], at[0] ? at[1] : 0) ? *at++ : ' ';
    put_tensor(draft, sizes, kind);
    return at;
}

static void put_dims(StrBuf *text, int count) {
    for (int d = 0; d < count; d++)
        strbuf_printf(text, "%s%d", d ? ", " : "", d);
}

static void put_word(Draft *draft, StrView word, StrView attributes) {
    StrBuf *text = &draft->text;
    int rank = draft->matrix->rank;
    ElementType element = draft->matrix->element;
    bool is_complex = element != element_real_part(element);
    if (strview_is(word, "m")) {
        strbuf_printf(text, "%lld", (long long)draft->m);
    } else if (strview_is(word, "n")) {
        strbuf_printf(text, "%lld", (long long)draft->n);
    } else if (strview_is(word, "k")) {
        strbuf_printf(text, "%lld", (long long)draft->k);
    } else if (strview_is(word, "t")) {
        strbuf_printf(text, "%lld", (long long)draft->t);
    } else if (strview_is(word, "row")) {
        strbuf_printf(text, "%d", rank - 2);
    } else if (strview_is(word, "col")) {
        strbuf_printf(text, "%d", rank - 1);
    } else if (strview_is(word, "dims")) {
        put_dims(text, rank);
    } else if (strview_is(word, "at")) {
        for (int d = 0; d < draft->batch_rank; d++)
            strbuf_append(text, SV("%zero, "));
    } else if (strview_is(word, "batch")) {
        for (int d = 0; d < draft->batch_rank; d++)
            strbuf_printf(text, "%lld, ", (long long)draft->matrix->dims[d]);
    } else if (strview_is(word, "index")) {
        for (int d = 0; d < rank; d++)
            strbuf_append(text, d ? SV(", tensor<i32>") : SV("tensor<i32>"));
    } else if (strview_is(word, "nil")) {
        strbuf_append(text, is_complex ? SV("(0.0, 0.0)") : SV("0.0"));
    } else if (strview_is(word, "unit")) {
        strbuf_append(text, is_complex ? SV("(1.0, 0.0)") : SV("1.0"));
    } else if (strview_is(word, "b")) {
        type_print(text, op_operand_type(draft->op, 1));
    } else {
        assert(strview_is(word, ""));
        strbuf_append(text, attributes);
    }
}

// A line of the routine for the call; attributes in the place of `$?`.
static void put_line(Draft *draft, const char *line, StrView attributes) {
    for (const char *at = line; *at;) {
        if (*at != '$') {
            strbuf_putc(&draft->text, *at++);
            continue;
        }
        at++;
        if (*at == '(' || *at == '0') {
            at = put_type(draft, at);
            continue;
        }
        size_t size = 0;
        while (islower((unsigned char)at[size]))
            size++;
        put_word(draft, (StrView){at, size}, attributes);
        at += size ? size : 1;
    }
    strbuf_putc(&draft->text, '\n');
}

// ---- the calls ----

// A letter among the call's attributes: JAX writes characters as ui8. 0: there is none.
static int64_t letter(const Op *op, const char *name) {
    const Attr *config = op_extra(op, "mhlo.backend_config");
    if (!config) config = op_attr(op, NAME_BACKEND_CONFIG);
    if (!config || config->kind != ATTR_DICT) return 0;
    const Attr *value = attr_dict_get(config, strview(name));
    return value && value->kind == ATTR_INT ? value->integer : 0;
}

// What stands for `$?`. False: the call's attributes are not as the routine has them.
static bool attributes_of(Arena *arena, const Op *op, const Routine *routine, StrView *attributes) {
    *attributes = SV("");
    int64_t uplo = letter(op, "uplo"), side = letter(op, "side"), diag = letter(op, "diag");
    int64_t trans = letter(op, "trans_x");
    bool has_uplo = uplo == 'L' || uplo == 'U';
    if (routine->text == potrf) {
        *attributes = uplo == 'L' ? SV("true") : SV("false");
        return has_uplo;
    }
    if (routine->text != trsm) return true;
    const char *transpose = trans == 'N' ? "NO_TRANSPOSE" : trans == 'T' ? "TRANSPOSE" : "ADJOINT";
    *attributes = strview(arena_printf(
        arena,
        "left_side = %s, lower = %s, transpose_a = #stablehlo<transpose %s>, unit_diagonal = %s",
        side == 'L' ? "true" : "false", uplo == 'L' ? "true" : "false", transpose,
        diag == 'U' ? "true" : "false"));
    return has_uplo && (side == 'L' || side == 'R') && (diag == 'U' || diag == 'N') &&
           (trans == 'N' || trans == 'T' || trans == 'C');
}

static bool is_matrix(const Type *type) {
    return type_is_static(type) && type->rank >= 2 && type_element_count(type) > 0;
}

static bool fits(const Op *op, const Routine *routine, char letter_of_type) {
    static const struct {
        char letter;
        ElementType element;
    } types[] = {{'s', ELEMENT_F32}, {'d', ELEMENT_F64}, {'c', ELEMENT_C64}, {'z', ELEMENT_C128}};
    if (op->operand_count != routine->operand_count || op->result_count != routine->result_count)
        return false;
    const Type *matrix = op_operand_type(op, 0);
    if (!is_matrix(matrix)) return false;
    if (routine->is_square && matrix->dims[matrix->rank - 1] != matrix->dims[matrix->rank - 2])
        return false;
    if (op->operand_count == 2 && !type_is_static(op_operand_type(op, 1))) return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].letter == letter_of_type) return matrix->element == types[i].element;
    }
    return false;
}

static const Routine *routine_of(const Op *op) {
    StrView name = op->code == OP_CUSTOM_CALL ? op_text(op, NAME_CALL_TARGET_NAME) : SV("");
    const StrView prefix = SV("lapack_");
    if (name.size <= prefix.size || !strview_starts_with(name, prefix)) return NULL;
    char type = name.data[prefix.size];
    StrView rest = {name.data + prefix.size + 1, name.size - prefix.size - 1};
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
        size_t size = strlen(routines[i].name);
        if (!strview_starts_with(rest, strview(routines[i].name))) continue;
        if (!strview_is((StrView){rest.data + size, rest.size - size}, "_ffi")) continue;
        return fits(op, &routines[i], type) ? &routines[i] : NULL;
    }
    return NULL;
}

// A result that stood in the program stays what it was to its users: with its type and sharding.
static bool replace_results(Op *op, const Op *returned) {
    for (int i = 0; i < op->result_count; i++) {
        if (op_operand(returned, i)->type != op_result_type(op, i)) return false;
    }
    for (int i = 0; i < op->result_count; i++) {
        Value *value = op_operand(returned, i);
        value->sharding = op_result(op, i)->sharding;
        value_replace_uses(op_result(op, i), value);
    }
    return true;
}

static bool set_place(Op *op, void *user) {
    op->loc = user;
    return true;
}

static bool import_call(Module *module, Arena *scratch, Op *op, const Routine *routine) {
    const Type *matrix = op_operand_type(op, 0);
    int rank = matrix->rank;
    Draft draft = {
        .op = op,
        .matrix = matrix,
        .batch_rank = rank - 2,
        .m = matrix->dims[rank - 2],
        .n = matrix->dims[rank - 1],
        .text = strbuf(scratch)};
    draft.k = draft.m < draft.n ? draft.m : draft.n;
    StrView attributes;
    if (!attributes_of(scratch, op, routine, &attributes)) return false;
    if (routine->text == orgqr) {
        const Type *taus = op_operand_type(op, 1);
        if (taus->rank != rank - 1) return false;
        draft.t = taus->dims[rank - 2];
    }
    for (const char *const *line = routine->text; *line; line++)
        put_line(&draft, *line, attributes);
    StrView text = arena_strview(module->arena, strbuf_view(&draft.text));
    Region *region = ARENA_NEW(module->arena, Region);
    for (int i = 0; i < op->operand_count; i++)
        region_add_arg(module, region, op_operand_type(op, i), op->loc);
    Diags *diags =
        diags_create(scratch); // of wrong operands: the call stays and is refused where it is used
    if (!frontend_read_ops(module, region, SV("<lapack>"), text, 0, diags)) return false;
    Op *end = region_terminator(region);
    region_walk(region, set_place, (void *)(uintptr_t)op->loc);
    if (!end || !replace_results(op, end)) return false;
    for (int i = 0; i < op->operand_count; i++)
        value_replace_uses(region->args[i], op_operand(op, i));
    for (Op *made = region->first, *next; made != end; made = next) {
        next = made->next;
        op_move_before(made, op);
    }
    op_erase(end);
    op_erase(op);
    return true;
}

// ---- the pass ----

typedef struct Calls {
    Arena *arena;
    VEC(Op *) ops;
} Calls;

static bool collect(Op *op, void *user) {
    Calls *calls = user;
    if (routine_of(op)) vec_push(calls->arena, &calls->ops, op);
    return true;
}

PassResult pass_import_lapack(Module *module, PassContext *pass) {
    Calls calls = {.arena = pass->scratch};
    bool changed = false;
    region_walk(module->body, collect, &calls);
    for (int64_t i = 0; i < calls.ops.count; i++) {
        Op *op = calls.ops.data[i];
        if (import_call(module, pass->scratch, op, routine_of(op))) changed = true;
    }
    return changed ? PASS_CHANGED : PASS_UNCHANGED;
}
