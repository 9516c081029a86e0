// The words of the column traits (ops.def): OpTrait without TRAIT_. Included only where the column is expanded.
#ifndef SHARDC_IR_TRAITS_H
#define SHARDC_IR_TRAITS_H

#include "ir/op.h"

enum {
    POINTWISE = TRAIT_POINTWISE,
    COMMUTES = TRAIT_COMMUTES,
    VIEW = TRAIT_VIEW,
    CONSTANT = TRAIT_CONSTANT,
    COLLECTIVE = TRAIT_COLLECTIVE,
    TERMINATOR = TRAIT_TERMINATOR,
    ISOLATED = TRAIT_ISOLATED,
    SYMBOL = TRAIT_SYMBOL,
    EFFECT = TRAIT_EFFECT,
    DYNAMIC = TRAIT_DYNAMIC,
    LINEAR = TRAIT_LINEAR,
    IDENTITY = TRAIT_IDENTITY
};

#endif
