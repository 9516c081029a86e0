// arith_predicate: keywords of comparisons and their numbers.
#include "ir/print/arith_predicate.h"

// By their numbers; 0 is `false` and 15 `true`, which compare nothing.
static const int of_floats[] = {
    -1,
    ARITH_PREDICATE_oeq,
    ARITH_PREDICATE_ogt,
    ARITH_PREDICATE_oge,
    ARITH_PREDICATE_olt,
    ARITH_PREDICATE_ole,
    ARITH_PREDICATE_one,
    ARITH_PREDICATE_ord,
    ARITH_PREDICATE_ueq,
    ARITH_PREDICATE_ugt,
    ARITH_PREDICATE_uge,
    ARITH_PREDICATE_ult,
    ARITH_PREDICATE_ule,
    ARITH_PREDICATE_une,
    ARITH_PREDICATE_uno};
static const int of_integers[] = {ARITH_PREDICATE_eq,  ARITH_PREDICATE_ne,  ARITH_PREDICATE_slt,
                                  ARITH_PREDICATE_sle, ARITH_PREDICATE_sgt, ARITH_PREDICATE_sge,
                                  ARITH_PREDICATE_ult, ARITH_PREDICATE_ule, ARITH_PREDICATE_ugt,
                                  ARITH_PREDICATE_uge};

static const int *predicates(OpCode code, int *count) {
    bool is_float = code == OP_ARITH_CMPF;
    *count = is_float ? (int)(sizeof of_floats / sizeof *of_floats)
                      : (int)(sizeof of_integers / sizeof *of_integers);
    return is_float ? of_floats : of_integers;
}

int64_t arith_predicate_number(OpCode code, int64_t predicate) {
    int count;
    const int *list = predicates(code, &count);
    for (int i = 0; i < count; i++) {
        if (list[i] == predicate) return i;
    }
    return -1;
}

int arith_predicate_from_number(OpCode code, int64_t number) {
    int count;
    const int *list = predicates(code, &count);
    return number >= 0 && number < count ? list[number] : -1;
}
