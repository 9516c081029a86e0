// LAPACK's routines, which JAX calls for linear algebra on CPUs, and XLA's own become StableHLO.
#ifndef SHARDC_FRONTEND_IMPORT_LAPACK_H
#define SHARDC_FRONTEND_IMPORT_LAPACK_H

#include "ir/pass/pass.h"

// import_lapack: custom calls of LAPACK's routines as core ops and loops of them.
//
//   In      a verified module. Custom calls @lapack_{s,d,c,z}ROUTINE_ffi as JAX writes them: potrf, trsm, getrf, geqrf, geqp3,
//           orgqr and ungqr, ormqr and unmqr, gehrd, sytrd and hetrd, gtsv, syevd and heevd, gesdd, geev, gees of complex matrices.
//           XLA's own, as PyTorch/XLA and JAX for other platforms write them: @Qr, @ProductOfElementaryHouseholderReflectors,
//           @LuDecomposition, @Eigh.
//   Out     stablehlo.cholesky, triangular_solve; LU with partial pivoting, Householder QR and reductions to Hessenberg and tridiagonal
//           form as loops over columns; Jacobi's method for symmetric eigenvalues and singular values, shifted QR steps for others; empty constants for matrices without elements
//   Keeps   calls of other routines
//   Cost    of getrf, geqrf, geqp3, orgqr, ormqr, gehrd, sytrd: min(m, n) passes over the matrix; of eigenvalues n passes for each of 5 to 12 sweeps
PassFn pass_import_lapack;

#endif
