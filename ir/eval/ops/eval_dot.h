// Dot algorithms in the evaluator: see eval_dot_algorithm.c.
#ifndef SHARDC_IR_EVAL_DOT_H
#define SHARDC_IR_EVAL_DOT_H

#include "ir/eval/eval_internal.h"

enum { MAX_DOT_PARTS = 3 };

// Which part of the left operand is multiplied by which part of the right one.
typedef struct DotProduct {
    int lhs, rhs;
} DotProduct;

int dot_parts(const DotAlgorithm *algorithm); // of an operand
// in order of summation
int dot_products(const DotAlgorithm *algorithm, const DotProduct **products);
// Takes the next part out of `rest`, of which as much is left as the part does not hold.
// parts: of the operand, all together.
void dot_take_part(
    int parts, ElementType precision, bool is_tf32, int64_t count, double *rest, double *part);
// Rounds sums to the accumulation type.
void dot_round_sums(const DotAlgorithm *algorithm, int64_t count, double *sums);

#endif
