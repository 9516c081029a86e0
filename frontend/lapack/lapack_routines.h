// The routines of linear algebra as texts of StableHLO ops in which the matrix's types are left
// open. Private to lapack/, whose only doors are its passes (ir/pass/passes.def).
//
// %operand0 .. are the call's operands, what `return` names are its results. For a matrix
// [B.., m, n] of elements T (B.. are batches):
//
//   $(m,1)        tensor<B..x m x1xT>; with a letter behind, of other elements: i = i32, b = i1,
//                 r = the real part of T, u = an integer of its size, z = complex,
//                 w = T with parts of f64, d = f64.
//                 $()i: tensor<B..xi32>
//   $[m,1]i       the same without the batches
//   $0 $0r        tensor<T>, tensor of its real part
//   $nil $unit    0 and 1 as T
//   $m $n         the sizes of the matrix
//   $k $t         the number of steps (min(m, n), or n - 1), the number of reflectors
//   $p $q         the sizes of operand 2; of LU, the columns of the first half and the others; of
//                 a tridiagonal matrix its rows with one more where needed, and how many more
//   $c            those columns that are worked on; matrices of a batch; of the polar form, 2 n
//   $h $e         n / 2 rounded up, at least 2, and twice that: half of the columns, and all in
//                 pairs; $f $g: h - 1, h - 2
//   $pad          e - n
//   $row $col     the numbers of the matrix's dimensions
//   $dims         0, 1, .. of all dimensions; $batches of B..; $most: all but the last;
//                 $swap: with rows and columns exchanged
//   $at $batch    what dynamic_slice has for the batches: starts and sizes, each with a comma
//   $index        the types of all starts
//   $all $none    of slice and pad: 0:B and 0 for each of the batches, each with a comma
//   $each         1 for each of the batches, with a comma: what a gather takes of them
//   $rows $columns   the dimension numbers of a gather of rows or columns, by indices (.., k, 1)i
//   $b            the type of operand 1
//   $u $v         the types of results 2 and 3
//   $more         t - n
//   $order $tau $attributes   what the call's attributes say
//   $tiny $huge   sizes that still have an inverse and a square
//   $small        the square of T's precision
//   $gap $floor   less than T's precision by far, and by a little (lapack_tridiagonal.c)
//   $precision $least   of T: its precision, its smallest normal number or nearly
//   $bound        what singular values of a matrix of norm one are above, as far as T can tell
//   $newton $steps   steps of Newton's method; these and the bits of T without the sign
#ifndef SHARDC_FRONTEND_LAPACK_ROUTINES_H
#define SHARDC_FRONTEND_LAPACK_ROUTINES_H

// Lines, then NULL. A routine may be several texts, one after the other.
extern const char *const lapack_potrf[];
extern const char *const lapack_trsm[];
extern const char *const lapack_getrf[];
extern const char *const lapack_lu[];
extern const char *const lapack_lu_halves[];
extern const char *const lapack_scale[];
extern const char *const lapack_jacobi_order[];
extern const char *const lapack_jacobi_rotation[];
extern const char *const lapack_eigh[];
extern const char *const lapack_eigh_sweeps[];
extern const char *const lapack_eigh_loop[];
extern const char *const lapack_eigh_turn[];
extern const char *const lapack_eigh_reduced[];
extern const char *const lapack_eigh_sort[];
extern const char *const lapack_eigh_end[];
extern const char *const lapack_tridiagonal_begin[];
extern const char *const lapack_tridiagonal_halves[];
extern const char *const lapack_tridiagonal_halves_end[];
extern const char *const lapack_tridiagonal_levels[];
extern const char *const lapack_tridiagonal_levels_end[];
extern const char *const lapack_tridiagonal_merge[];
extern const char *const lapack_tridiagonal_root[];
extern const char *const lapack_tridiagonal_vectors[];
extern const char *const lapack_block_begin[];
extern const char *const lapack_block[];
extern const char *const lapack_reflect_blocks[];
extern const char *const lapack_reflect_blocks_end[];
extern const char *const lapack_geqrf_blocks[];
extern const char *const lapack_geqrf_blocks_step[];
extern const char *const lapack_geqrf_blocks_end[];
extern const char *const lapack_orgqr_blocks[];
extern const char *const lapack_ormqr_blocks[];
extern const char *const lapack_syevd_end[];
extern const char *const lapack_svd_tall[];
extern const char *const lapack_svd_wide[];
extern const char *const lapack_svd[];
extern const char *const lapack_svd_qr[];
extern const char *const lapack_svd_pairs[];
extern const char *const lapack_svd_loop[];
extern const char *const lapack_svd_turn[];
extern const char *const lapack_svd_sort[];
extern const char *const lapack_svd_vectors[];
extern const char *const lapack_svd_squares[];
extern const char *const lapack_svd_squares_vectors[];
extern const char *const lapack_svd_polar[];
extern const char *const lapack_svd_polar_loop[];
extern const char *const lapack_svd_polar_vectors[];
extern const char *const lapack_svd_u[];
extern const char *const lapack_svd_tall_end[];
extern const char *const lapack_svd_wide_end[];
extern const char *const lapack_svd_values_end[];
extern const char *const lapack_schur_begin[];
extern const char *const lapack_schur[];
extern const char *const lapack_schur_of_one[];
extern const char *const lapack_triangle_vectors[];
extern const char *const lapack_geev[];
extern const char *const lapack_geev_left[];
extern const char *const lapack_geev_no_left[];
extern const char *const lapack_geev_right[];
extern const char *const lapack_geev_no_right[];
extern const char *const lapack_geev_complex_end[];
extern const char *const lapack_geev_real_end[];
extern const char *const lapack_gees_end[];
extern const char *const lapack_reflect_begin[];
extern const char *const lapack_geqrf_loop[];
extern const char *const lapack_reflector[];
extern const char *const lapack_reflect[];
extern const char *const lapack_reflect_next[];
extern const char *const lapack_geqrf_end[];
extern const char *const lapack_geqp3_loop[];
extern const char *const lapack_geqp3_end[];
extern const char *const lapack_gehrd_loop[];
extern const char *const lapack_reflect_right[];
extern const char *const lapack_gehrd_end[];
extern const char *const lapack_sytrd_begin[];
extern const char *const lapack_sytrd_loop[];
extern const char *const lapack_sytrd_step[];
extern const char *const lapack_sytrd_rows[];
extern const char *const lapack_sytrd_columns[];
extern const char *const lapack_sytrd_update[];
extern const char *const lapack_sytrd_done[];
extern const char *const lapack_tridiagonal_end[];
extern const char *const lapack_sytrd_end[];
extern const char *const lapack_gtsv[];
extern const char *const lapack_orgqr[];
extern const char *const lapack_ormqr_left[];
extern const char *const lapack_ormqr_right[];
extern const char *const lapack_ormqr[];
extern const char *const lapack_ormqr_left_end[];
extern const char *const lapack_ormqr_right_end[];

#endif
