// lapack_blocks: QR of many columns, and products with many reflectors, by blocks of $q as texts
// (see lapack_routines.h): most of the work is in matrix products then.
//
// The product of a block of reflectors is I - V T V^H, where the inverse of T is the upper triangle
// of V^H V with 1 / tau on its diagonal. A reflector with tau = 0 is one with v = 0.
//
// Source: Schreiber, Van Loan, A storage-efficient WY representation for products of Householder
// transformations, 1989; Puglisi, Modification of the Householder method based on the compact WY
// representation, 1992 (the inverse of T).
#include "frontend/lapack/lapack_routines.h"

#include <stddef.h>

// clang-format off

const char *const lapack_block_begin[] = {
    "%block = stablehlo.constant dense<$q> : tensor<i32>",
    "%none_q = stablehlo.constant dense<$nil> : $(m,q)",
    "%units_q = stablehlo.constant dense<$unit> : $(m,q)",
    "%none_1 = stablehlo.constant dense<$nil> : $(1,q)",
    "%units_1 = stablehlo.constant dense<$unit> : $(1,q)",
    "%none_qq = stablehlo.constant dense<$nil> : $(q,q)",
    "%rows_q = stablehlo.iota dim = $row : $(m,q)i",
    "%cols_q = stablehlo.iota dim = $col : $(m,q)i",
    "%rows_qq = stablehlo.iota dim = $row : $(q,q)i",
    "%cols_qq = stablehlo.iota dim = $col : $(q,q)i",
    "%is_upper_qq = stablehlo.compare LT, %rows_qq, %cols_qq : ($(q,q)i, $(q,q)i) -> $(q,q)b",
    "%is_diagonal_qq = stablehlo.compare EQ, %rows_qq, %cols_qq : ($(q,q)i, $(q,q)i) -> $(q,q)b",
    NULL};

// %x less V T V^H %x, or T^H, for the columns %part and %taus_part that begin with number %first:
// %reflected. $order: how the triangular solve takes T's inverse.
const char *const lapack_block[] = {
    "  %firsts = stablehlo.broadcast_in_dim %first, dims = [] : (tensor<i32>) -> $(m,q)i",
    "  %places_q = stablehlo.add %cols_q, %firsts : $(m,q)i",
    "  %is_below_q = stablehlo.compare GT, %rows_q, %places_q : ($(m,q)i, $(m,q)i) -> $(m,q)b",
    "  %is_place_q = stablehlo.compare EQ, %rows_q, %places_q : ($(m,q)i, $(m,q)i) -> $(m,q)b",
    "  %is_none = stablehlo.compare EQ, %taus_part, %none_1 : ($(1,q), $(1,q)) -> $(1,q)b",
    "  %is_none_q = stablehlo.broadcast_in_dim %is_none, dims = [$dims] : ($(1,q)b) -> $(m,q)b",
    "  %below_q = stablehlo.select %is_below_q, %part, %none_q : $(m,q)b, $(m,q)",
    "  %whole_q = stablehlo.select %is_place_q, %units_q, %below_q : $(m,q)b, $(m,q)",
    "  %v_q = stablehlo.select %is_none_q, %none_q, %whole_q : $(m,q)b, $(m,q)",
    "  %v_q_conj = chlo.conj %v_q : $(m,q) -> $(m,q)",
    "  %tau_safe = stablehlo.select %is_none, %units_1, %taus_part : $(1,q)b, $(1,q)",
    "  %tau_inverse = stablehlo.divide %units_1, %tau_safe : $(1,q)",
    "  %tau_inverse_q = stablehlo.broadcast_in_dim %tau_inverse, dims = [$dims] : ($(1,q)) -> $(q,q)",
    "  %v_v = stablehlo.dot_general %v_q_conj, %v_q, batching_dims = [$batches] x [$batches], contracting_dims = [$row] x [$row] : ($(m,q), $(m,q)) -> $(q,q)",
    "  %upper_qq = stablehlo.select %is_upper_qq, %v_v, %none_qq : $(q,q)b, $(q,q)",
    "  %t_inverse = stablehlo.select %is_diagonal_qq, %tau_inverse_q, %upper_qq : $(q,q)b, $(q,q)",
    "  %v_x = stablehlo.dot_general %v_q_conj, %x, batching_dims = [$batches] x [$batches], contracting_dims = [$row] x [$row] : ($(m,q), $(m,c)) -> $(q,c)",
    "  %t_v_x = \"stablehlo.triangular_solve\"(%t_inverse, %v_x) <{left_side = true, lower = false,",
    "      transpose_a = #stablehlo<transpose $order>, unit_diagonal = false}> : ($(q,q), $(q,c)) -> $(q,c)",
    "  %v_t_v_x = stablehlo.dot_general %v_q, %t_v_x, batching_dims = [$batches] x [$batches], contracting_dims = [$col] x [$row] : ($(m,q), $(q,c)) -> $(m,c)",
    "  %reflected_x = stablehlo.subtract %x, %v_t_v_x : $(m,c)",
    NULL};

// Q C or Q^H C, Q = H(1) .. H(n): the last block first, or the first. $p: reflectors of whole
// blocks, of which $attributes are none. $tau: the first reflector of a step's block.
const char *const lapack_reflect_blocks[] = {
    "%zero = stablehlo.constant dense<0> : tensor<i32>",
    "%end = stablehlo.constant dense<$p> : tensor<i32>",
    "%last = stablehlo.subtract %end, %block : tensor<i32>",
    "%zero_t = stablehlo.constant dense<$nil> : $0",
    "%all = stablehlo.pad %operand0, %zero_t, low = [$none0, 0], high = [$none0, $attributes], interior = [$none0, 0] : ($(m,n), $0) -> $(m,p)",
    "%taus = stablehlo.pad %operand1, %zero_t, low = [$none0], high = [$none$attributes], interior = [$none0] : ($(n), $0) -> $(p)",
    "%taus_1 = stablehlo.reshape %taus : ($(p)) -> $(1,p)",
    "%out:2 = stablehlo.while(%done = %zero, %x = %operand2) : tensor<i32>, $(m,c)",
    "cond {",
    "  %more = stablehlo.compare LT, %done, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "  stablehlo.return %more : tensor<i1>",
    "} do {",
    "  %first = stablehlo.$tau, %done : tensor<i32>",
    "  %part = stablehlo.dynamic_slice %all, $at%zero, %first, sizes = [$batch$m, $q] : ($(m,p), $index) -> $(m,q)",
    "  %taus_part = stablehlo.dynamic_slice %taus_1, $at%zero, %first, sizes = [$batch1, $q] : ($(1,p), $index) -> $(1,q)",
    NULL};

const char *const lapack_reflect_blocks_end[] = {
    "  %next_done = stablehlo.add %done, %block : tensor<i32>",
    "  stablehlo.return %next_done, %reflected_x : tensor<i32>, $(m,c)",
    "}",
    "return %out#1 : $(m,c)",
    NULL};

// QR: a block of columns by itself, and the columns behind it. $c: the columns, $attributes more
// so that the last block is whole; $t: the reflectors of whole blocks.
const char *const lapack_geqrf_blocks[] = {
    "%whole = stablehlo.pad %operand0, %zero_t, low = [$none0, 0], high = [$none0, $attributes], interior = [$none0, 0] : ($(m,n), $0) -> $(m,c)",
    "%no_taus_t = stablehlo.constant dense<$nil> : $(1,t)",
    "%cols_1 = stablehlo.iota dim = $col : $(1,q)i",
    "%cols_c = stablehlo.iota dim = $col : $(m,c)i",
    "%out:3 = stablehlo.while(%first = %zero, %x = %whole, %taus = %no_taus_t) : tensor<i32>, $(m,c), $(1,t)",
    "cond {",
    "  %more = stablehlo.compare LT, %first, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "  stablehlo.return %more : tensor<i1>",
    "} do {",
    "  %given = stablehlo.dynamic_slice %x, $at%zero, %first, sizes = [$batch$m, $q] : ($(m,c), $index) -> $(m,q)",
    "  %left = stablehlo.subtract %steps, %first : tensor<i32>",
    "  %count = stablehlo.minimum %left, %block : tensor<i32>",
    "  %in:3 = stablehlo.while(%k = %zero, %a = %given, %taus_q = %none_1) : tensor<i32>, $(m,q), $(1,q)",
    "  cond {",
    "    %more_k = stablehlo.compare LT, %k, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    "    stablehlo.return %more_k : tensor<i1>",
    "  } do {",
    "  %r = stablehlo.add %k, %first : tensor<i32>",
    "  %column = stablehlo.dynamic_slice %a, $at%zero, %k, sizes = [$batch$m, 1] : ($(m,q), $index) -> $(m,1)",
    NULL};

const char *const lapack_geqrf_blocks_step[] = {
    // A - conj(tau) v (v^H A) behind column k; beta and v in it
    "  %vs = stablehlo.broadcast_in_dim %v, dims = [$dims] : ($(m,1)) -> $(m,q)",
    "  %conj_vs = chlo.conj %vs : $(m,q) -> $(m,q)",
    "  %terms = stablehlo.multiply %conj_vs, %a : $(m,q)",
    "  %w = stablehlo.reduce(%terms init: %zero_t) applies stablehlo.add across dimensions = [$row] {shardc.in_order} : ($(m,q), $0) -> $(q)",
    "  %w_1 = stablehlo.reshape %w : ($(q)) -> $(1,q)",
    "  %conj_tau = chlo.conj %tau : $(1,1) -> $(1,1)",
    "  %taus_n = stablehlo.broadcast_in_dim %conj_tau, dims = [$dims] : ($(1,1)) -> $(1,q)",
    "  %tau_w = stablehlo.multiply %taus_n, %w_1 : $(1,q)",
    "  %ws = stablehlo.broadcast_in_dim %tau_w, dims = [$dims] : ($(1,q)) -> $(m,q)",
    "  %product = stablehlo.multiply %vs, %ws : $(m,q)",
    "  %turned = stablehlo.subtract %a, %product : $(m,q)",
    "  %k_matrix = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> $(m,q)i",
    "  %is_behind = stablehlo.compare GT, %cols_q, %k_matrix : ($(m,q)i, $(m,q)i) -> $(m,q)b",
    "  %behind = stablehlo.select %is_behind, %turned, %a : $(m,q)b, $(m,q)",
    "  %betas = stablehlo.broadcast_in_dim %beta, dims = [$dims] : ($(1,1)) -> $(m,1)",
    "  %lower = stablehlo.select %is_below, %rest, %column : $(m,1)b, $(m,1)",
    "  %new = stablehlo.select %is_r, %betas, %lower : $(m,1)b, $(m,1)",
    "  %news = stablehlo.broadcast_in_dim %new, dims = [$dims] : ($(m,1)) -> $(m,q)",
    "  %is_column = stablehlo.compare EQ, %cols_q, %k_matrix : ($(m,q)i, $(m,q)i) -> $(m,q)b",
    "  %next_a = stablehlo.select %is_column, %news, %behind : $(m,q)b, $(m,q)",
    "  %k_1 = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> $(1,q)i",
    "  %is_k = stablehlo.compare EQ, %cols_1, %k_1 : ($(1,q)i, $(1,q)i) -> $(1,q)b",
    "  %tau_1 = stablehlo.broadcast_in_dim %tau, dims = [$dims] : ($(1,1)) -> $(1,q)",
    "  %next_taus_q = stablehlo.select %is_k, %tau_1, %taus_q : $(1,q)b, $(1,q)",
    "  %next_k = stablehlo.add %k, %one : tensor<i32>",
    "    stablehlo.return %next_k, %next_a, %next_taus_q : tensor<i32>, $(m,q), $(1,q)",
    "  }",
    "  %part = stablehlo.reshape %in#1 : ($(m,q)) -> $(m,q)",
    "  %taus_part = stablehlo.reshape %in#2 : ($(1,q)) -> $(1,q)",
    NULL};

const char *const lapack_geqrf_blocks_end[] = {
    "  %next_first = stablehlo.add %first, %block : tensor<i32>",
    "  %next_firsts = stablehlo.broadcast_in_dim %next_first, dims = [] : (tensor<i32>) -> $(m,c)i",
    "  %is_later = stablehlo.compare GE, %cols_c, %next_firsts : ($(m,c)i, $(m,c)i) -> $(m,c)b",
    "  %others = stablehlo.select %is_later, %reflected_x, %x : $(m,c)b, $(m,c)",
    "  %next_x = stablehlo.dynamic_update_slice %others, %part, $at%zero, %first : ($(m,c), $(m,q), $index) -> $(m,c)",
    "  %next_taus = stablehlo.dynamic_update_slice %taus, %taus_part, $at%zero, %first : ($(1,t), $(1,q), $index) -> $(1,t)",
    "  stablehlo.return %next_first, %next_x, %next_taus : tensor<i32>, $(m,c), $(1,t)",
    "}",
    "%factors = stablehlo.slice %out#1 [$all0:$m, 0:$n] : ($(m,c)) -> $(m,n)",
    "%taus_k = stablehlo.slice %out#2 [$all0:1, 0:$k] : ($(1,t)) -> $(1,k)",
    "%flat = stablehlo.reshape %taus_k : ($(1,k)) -> $(k)",
    "return %factors, %flat : $(m,n), $(k)",
    NULL};

const char *const lapack_orgqr_blocks[] = {
    "%rows = stablehlo.iota dim = $row : $(m,n)i",
    "%cols = stablehlo.iota dim = $col : $(m,n)i",
    "%is_diagonal = stablehlo.compare EQ, %rows, %cols : ($(m,n)i, $(m,n)i) -> $(m,n)b",
    "%identity = stablehlo.convert %is_diagonal : ($(m,n)b) -> $(m,n)",
    "%reflectors = stablehlo.slice %operand0 [$all0:$m, 0:$t] : ($(m,n)) -> $(m,t)",
    "%q = stablehlo.custom_call @shardc.reflect(%reflectors, %operand1, %identity) {backend_config = \"N\"} : ($(m,t), $(t), $(m,n)) -> $(m,n)",
    "return %q : $(m,n)",
    NULL};

const char *const lapack_ormqr_blocks[] = {
    "%reflectors = stablehlo.slice %operand0 [$all0:$m, 0:$t] : ($(m,n)) -> $(m,t)",
    "%out = stablehlo.custom_call @shardc.reflect(%reflectors, %operand1, %turned) {backend_config = \"$order\"} : ($(m,t), $(t), $(m,c)) -> $(m,c)",
    NULL};

// clang-format on
