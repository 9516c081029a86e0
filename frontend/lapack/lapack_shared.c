// lapack_shared: what the methods for eigenvalues (lapack_eigh.c, lapack_eig.c) and
// singular values (lapack_svd.c) share.
#include "frontend/lapack/lapack_routines.h"

#include <stddef.h>

// clang-format off

// The matrix %given with sizes near one: %scaled, and the %scale that was taken out.
const char *const lapack_scale[] = {
    // sizes near one, so that squares are numbers; of a matrix that is not finite all results are
    // NaN
    "%sizes = \"stablehlo.abs\"(%given) : ($(m,n)) -> $(m,n)r",
    "%largest = stablehlo.reduce(%sizes init: %zero_r) applies stablehlo.maximum across dimensions = [$row, $col]",
    "    : ($(m,n)r, $0r) -> $()r",
    "%least = stablehlo.constant dense<$tiny> : $()r",
    "%scale = stablehlo.maximum %largest, %least : $()r",
    "%ones_b = stablehlo.constant dense<1.0> : $()r",
    "%inverse = stablehlo.divide %ones_b, %scale : $()r",
    "%is_number = stablehlo.divide %scale, %scale : $()r",
    "%is_number_t = stablehlo.convert %is_number : ($()r) -> $()",
    "%inverse_t = stablehlo.convert %inverse : ($()r) -> $()",
    "%inverses = stablehlo.broadcast_in_dim %inverse_t, dims = [$batches] : ($()) -> $(m,n)",
    "%scaled = stablehlo.multiply %given, %inverses : $(m,n)",
    NULL};

// Of e = 2h columns, round by round, other pairs (i, h + i): after e - 1 rounds all have
// met and stand where they were. Column 0 stays; 1 comes from h; in the left half i from i - 1; in
// the right half i from i + 1, the last from h - 1: five pieces, so no column is looked up.
const char *const lapack_jacobi_order[] = {
    "%zeros_h = stablehlo.constant dense<0.0> : $(h)r",
    "%ones_h = stablehlo.constant dense<1.0> : $(h)r",
    "%rounds = stablehlo.constant dense<$e> : tensor<i32>",
    "%last_round = stablehlo.subtract %rounds, %one : tensor<i32>",
    NULL};

// The rotations J = [[c, z], [-conj(z), c]] that make the Hermitian 2x2 matrices [[p, q], [conj(q),
// r]] diagonal, from p, q and r.
const char *const lapack_jacobi_rotation[] = {
    // t = tan of the smaller angle, with |q| in the place of q
    "    %size = \"stablehlo.abs\"(%q) : ($(h)) -> $(h)r",
    "    %is_nil = stablehlo.compare EQ, %size, %zeros_h : ($(h)r, $(h)r) -> $(h)b",
    "    %safe = stablehlo.select %is_nil, %ones_h, %size : $(h)b, $(h)r",
    "    %twice = stablehlo.add %safe, %safe : $(h)r",
    "    %gap = stablehlo.subtract %r, %p : $(h)r",
    "    %tau = stablehlo.divide %gap, %twice : $(h)r",
    "    %tau_size = stablehlo.abs %tau : $(h)r",
    "    %tau_square = stablehlo.multiply %tau, %tau : $(h)r",
    "    %tau_one = stablehlo.add %tau_square, %ones_h : $(h)r",
    "    %root = stablehlo.sqrt %tau_one : $(h)r",
    "    %sum = stablehlo.add %tau_size, %root : $(h)r",
    "    %t_size = stablehlo.divide %ones_h, %sum : $(h)r",
    "    %t_minus = stablehlo.negate %t_size : $(h)r",
    "    %is_up = stablehlo.compare GE, %tau, %zeros_h : ($(h)r, $(h)r) -> $(h)b",
    "    %t_any = stablehlo.select %is_up, %t_size, %t_minus : $(h)b, $(h)r",
    "    %t = stablehlo.select %is_nil, %zeros_h, %t_any : $(h)b, $(h)r",
    "    %t_square = stablehlo.multiply %t, %t : $(h)r",
    "    %t_one = stablehlo.add %t_square, %ones_h : $(h)r",
    "    %secant = stablehlo.sqrt %t_one : $(h)r",
    "    %c = stablehlo.divide %ones_h, %secant : $(h)r",
    "    %s = stablehlo.multiply %t, %c : $(h)r",
    // J = [[c, z], [-conj(z), c]] with z = s q / |q|
    "    %phase = stablehlo.sign %q : $(h)",
    "    %s_t = stablehlo.convert %s : ($(h)r) -> $(h)",
    "    %z = stablehlo.multiply %phase, %s_t : $(h)",
    "    %c_t = stablehlo.convert %c : ($(h)r) -> $(h)",
    "    %z_conj = chlo.conj %z : $(h) -> $(h)",
    NULL};

// clang-format on
