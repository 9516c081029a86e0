// LAPACK's routines, which JAX calls for linear algebra on CPUs, and XLA's own become StableHLO.
#ifndef SHARDC_FRONTEND_IMPORT_LAPACK_H
#define SHARDC_FRONTEND_IMPORT_LAPACK_H

#include "ir/pass.h"

// import_lapack: custom calls of LAPACK's routines as core ops and loops of them.
//
//   In      a verified module. Custom calls @lapack_{s,d,c,z}ROUTINE_ffi as JAX writes them: potrf, trsm, getrf, geqrf, orgqr and ungqr,
//           ormqr and unmqr, syevd and heevd. XLA's own, as PyTorch/XLA and JAX for other platforms write them: @Qr,
//           @ProductOfElementaryHouseholderReflectors, @LuDecomposition, @Eigh.
//   Out     stablehlo.cholesky, triangular_solve; LU with partial pivoting and Householder QR as loops over columns; Jacobi's method for
//           eigenvalues
//   Keeps   calls of other routines, and of matrices without elements
//   Cost    of getrf, geqrf, orgqr, ormqr: min(m, n) passes over the matrix; of eigenvalues n passes for each of 5 to 12 sweeps
PassFn pass_import_lapack;

#endif
