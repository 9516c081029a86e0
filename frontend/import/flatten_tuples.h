// flatten_tuples: every tuple becomes the list of its arrays.
#ifndef SHARDC_FRONTEND_FLATTEN_TUPLES_H
#define SHARDC_FRONTEND_FLATTEN_TUPLES_H

#include "ir/pass/pass.h"

// flatten_tuples: what is behind the reader knows no tuples.
//
//   In      a verified module. Arguments, results and operands of functions and ops may be tuples, also of tuples.
//   Out     no tuple but as result of an asynchronous op: a tuple stands as its parts, in order, wherever it stood. The parts of a text
//           mhlo.sharding = "{{..}, {..}}" go with them.
//   Fails   on tuples of very many parts
//
//   before  %1 = stablehlo.while(%a = %t) : tuple<tensor<i32>, tensor<4xf32>> ..
//   after   %1:2 = stablehlo.while(%a = %i, %b = %x) : tensor<i32>, tensor<4xf32> ..
PassFn pass_flatten_tuples;

#endif
