// The words of the columns OPERANDS and RESULTS (ops.def): classes of elements and kinds of
// values, as bits, then what their shapes must be. Included only where these columns are
// expanded, since the words are short.
#ifndef SHARDC_IR_VALUE_CLASSES_H
#define SHARDC_IR_VALUE_CLASSES_H

#include <stdint.h>

enum {
    PRED = 1 << 0,
    SINT = 1 << 1,
    UINT = 1 << 2,
    FLOAT = 1 << 3,
    COMPLEX = 1 << 4,
    QUANT = 1 << 5, // per tensor
    AXIS = 1 << 6,  // quantised per axis
    INDEX = 1 << 7,
    REAL = 1 << 8, // f32 and f64 alone
    I32 = 1 << 9,
    U32 = 1 << 10,
    TOKEN = 1 << 11,
    TUPLE = 1 << 12,
    FUTURE = 1 << 13,
    SCALAR = 1 << 14,
    ONE_D = 1 << 15,
    TWO_D = 1 << 16,
    STATIC = 1 << 17,
    BOUNDED = 1 << 18, // static, or one bounded dimension
    UNRANKED = 1 << 19,
    VARIADIC = 1 << 20,
    SINGLE = 1 << 21, // one value; but how many there are, the op's own check says
    BUFFER = 1 << 22, // memref
    // tuples too, as XLA's older programs have them: flatten_tuples takes them apart
    PARTED = 1 << 23,
    ANYTHING = 1 << 24, // of any type
    NONE = 0,
    INT = SINT | UINT,
    PLAIN = PRED | INT | FLOAT | COMPLEX,
    TENSOR = PLAIN | QUANT,
    ANY_TENSOR = TENSOR | AXIS | INDEX,
    SIZES = INT | INDEX | ONE_D,
    STATIC_SIZES = SIZES | STATIC,
    NO_TENSOR = TOKEN | TUPLE | FUTURE | BUFFER | ANYTHING
};

enum { MAX_ITEMS = 5 }; // of one op

#endif
