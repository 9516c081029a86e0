// dot algorithms: the parts into which operands are cut, and which products of parts are summed.
//
// With one primitive operation operands are rounded to the algorithm's precision. With more of them
// an operand is a sum of parts, each the leading bits of what the parts before it leave (bf16: cut
// off towards zero; tf32: to nearest), as XLA has it:
//
//   operations  parts  products of parts (0 = the largest), summed in this order
//   3           2      10 01 00
//   6           3      11 20 02 10 01 00
//   9           3      22 21 12 11 20 02 10 01 00
//
// A product with an infinite operand has NaN in its small products; they count as
// zero, so that the last one decides.
#include "ir/eval/ops/eval_dot.h"

#include <math.h>

int dot_parts(const DotAlgorithm *algorithm) {
    return algorithm->primitive_operations >= 6 ? 3 : algorithm->primitive_operations >= 3 ? 2 : 1;
}

int dot_products(const DotAlgorithm *algorithm, const DotProduct **products) {
    static const DotProduct all[] = {{2, 2}, {2, 1}, {1, 2}, {1, 1}, {2, 0},
                                     {0, 2}, {1, 0}, {0, 1}, {0, 0}};
    int64_t operations = algorithm->primitive_operations;
    int count = operations >= 9 ? 9 : operations >= 6 ? 6 : operations >= 3 ? 3 : 1;
    *products = all + (9 - count);
    return count;
}

static double masked(double number, uint32_t dropped, bool to_nearest) {
    float x = (float)number;
    if (!isfinite(x)) return (double)x;
    uint32_t bits = 0;
    memcpy(&bits, &x, sizeof bits);
    if (to_nearest) bits += (dropped >> 1) + ((bits & (dropped + 1)) != 0);
    bits &= ~dropped;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

static double rounded(double number, ElementType precision, bool is_tf32) {
    if (is_tf32) return masked(number, 0x1FFF, true);
    if (!element_is_float(precision)) return number;
    uint64_t narrow = 0;
    scalar_store_real(precision, &number, 1, &narrow);
    scalar_load_real(precision, &narrow, 1, 1, &number);
    return number;
}

void dot_take_part(
    int parts, ElementType precision, bool is_tf32, int64_t count, double *rest, double *part) {
    bool is_cut = parts > 1 && !is_tf32 && precision == ELEMENT_BF16;
    for (int64_t i = 0; i < count; i++) {
        part[i] = is_cut ? masked(rest[i], 0xFFFF, false) : rounded(rest[i], precision, is_tf32);
        rest[i] -= part[i];
    }
}

void dot_round_sums(const DotAlgorithm *algorithm, int64_t count, double *sums) {
    for (int64_t i = 0; i < count; i++)
        sums[i] = rounded(sums[i], algorithm->accumulation, algorithm->accumulation_is_tf32);
}
