// LAPACK's routines, which JAX calls for linear algebra on CPUs, become StableHLO.
#ifndef SHARDC_FRONTEND_IMPORT_LAPACK_H
#define SHARDC_FRONTEND_IMPORT_LAPACK_H

#include "ir/pass.h"

// import_lapack: custom calls of LAPACK's routines as core ops and loops of them.
//
//   In      a verified module. Custom calls @lapack_{s,d,c,z}ROUTINE_ffi as JAX writes them: potrf, trsm, getrf, geqrf, orgqr and ungqr.
//   Out     stablehlo.cholesky, triangular_solve; LU with partial pivoting and Householder QR as loops over columns
//   Keeps   calls of other routines, and of matrices without elements
//   Cost    of getrf, geqrf, orgqr: min(m, n) passes over the matrix
PassFn pass_import_lapack;

#endif
