// The formats of eight bits and fewer to and from f32 (and from f64), round to nearest even, as
// base/float_formats.h defines them.
#include "codegen/emit/emit_state.h"

// A source format in registers: f32 or f64.
typedef struct Carrier {
    LLVMTypeRef real, bits;
    int width, mantissa_bits, bias;
} Carrier;

static Carrier carrier_of(Emit *e, LLVMTypeRef type) {
    Carrier c = {.real = type, .width = 32, .mantissa_bits = 23, .bias = 127};
    if (type == LLVMDoubleTypeInContext(e->context)) {
        c.width = 64;
        c.mantissa_bits = 52;
        c.bias = 1023;
    }
    c.bits = LLVMIntTypeInContext(e->context, (unsigned)c.width);
    return c;
}

static LLVMValueRef number(LLVMTypeRef type, uint64_t bits) { return LLVMConstInt(type, bits, 0); }

static uint64_t low_bits(int count) { return ((uint64_t)1 << count) - 1; }

// The largest finite magnitude, the pattern of infinity (or of what lies above the largest), and
// NaN.
typedef struct Patterns {
    uint64_t sign, infinity, largest, nan;
} Patterns;

static Patterns patterns_of(const FloatFormat *f) {
    Patterns p = {.sign = f->is_unsigned ? 0 : (uint64_t)1 << (f->bits - 1)};
    uint64_t all = low_bits(f->exponent_bits + f->mantissa_bits);
    p.infinity = low_bits(f->exponent_bits) << f->mantissa_bits;
    p.largest = f->has_infinity                       ? p.infinity - 1
                : !f->has_nan || f->nan_is_minus_zero ? all
                                                      : all - 1;
    if (f->nan_is_minus_zero || !f->has_nan)
        p.nan = p.sign;
    else
        p.nan = f->has_infinity ? p.infinity | (uint64_t)1 << (f->mantissa_bits - 1) : all;
    return p;
}

LLVMValueRef emit_decode_float(Emit *e, ElementType element, LLVMValueRef byte) {
    const FloatFormat *f = element_float_format(element);
    Patterns p = patterns_of(f);
    LLVMBuilderRef b = e->builder;
    Carrier c = carrier_of(e, LLVMFloatTypeInContext(e->context));
    LLVMValueRef bits = LLVMBuildZExt(b, byte, c.bits, "");
    LLVMValueRef nan = LLVMConstReal(c.real, (double)__builtin_nanf(""));
    if (f->is_unsigned) { // 2^(bits - 127); the smallest is no normal f32
        LLVMValueRef power = LLVMBuildShl(b, bits, number(c.bits, 23), "");
        LLVMValueRef is_smallest = LLVMBuildICmp(b, LLVMIntEQ, bits, number(c.bits, 0), "");
        power = LLVMBuildSelect(b, is_smallest, number(c.bits, 0x00400000), power, "");
        LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntEQ, bits, number(c.bits, 0xFF), "");
        return LLVMBuildSelect(b, is_nan, nan, LLVMBuildBitCast(b, power, c.real, ""), "");
    }
    // The pattern shifted into place is the number but for the bias, also
    // below the smallest normal number.
    LLVMValueRef magnitude = LLVMBuildAnd(b, bits, number(c.bits, p.sign - 1), "");
    LLVMValueRef shifted =
        LLVMBuildShl(b, magnitude, number(c.bits, (uint64_t)(23 - f->mantissa_bits)), "");
    LLVMValueRef scale = LLVMConstReal(c.real, (double)(__builtin_ldexpf(1.0F, 127 - f->bias)));
    LLVMValueRef x = LLVMBuildFMul(b, LLVMBuildBitCast(b, shifted, c.real, ""), scale, "");
    if (f->has_infinity) {
        LLVMValueRef infinity = LLVMConstReal(c.real, (double)__builtin_inff());
        LLVMValueRef is_infinity =
            LLVMBuildICmp(b, LLVMIntEQ, magnitude, number(c.bits, p.infinity), "");
        x = LLVMBuildSelect(b, is_infinity, infinity, x, "");
    }
    if (f->has_nan && !f->nan_is_minus_zero) {
        uint64_t above = f->has_infinity ? p.infinity : p.largest;
        LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, magnitude, number(c.bits, above), "");
        x = LLVMBuildSelect(b, is_nan, nan, x, "");
    }
    LLVMValueRef sign = LLVMBuildAnd(b, bits, number(c.bits, p.sign), "");
    sign = LLVMBuildShl(b, sign, number(c.bits, (uint64_t)(32 - f->bits)), "");
    x = LLVMBuildBitCast(
        b, LLVMBuildOr(b, LLVMBuildBitCast(b, x, c.bits, ""), sign, ""), c.real, "");
    if (f->nan_is_minus_zero) {
        LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntEQ, bits, number(c.bits, p.nan), "");
        x = LLVMBuildSelect(b, is_nan, nan, x, "");
    }
    return x;
}

// Powers of two from 2^-127, ties to the even pattern; zero becomes the smallest, what
// is negative or not finite NaN.
static LLVMValueRef encode_power_of_two(Emit *e, LLVMValueRef x) {
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef f32 = LLVMFloatTypeInContext(e->context);
    if (LLVMTypeOf(x) != f32) x = LLVMBuildFPTrunc(b, x, f32, "");
    Carrier c = carrier_of(e, f32);
    LLVMValueRef raw = LLVMBuildBitCast(b, x, c.bits, "");
    LLVMValueRef odd =
        LLVMBuildAnd(b, LLVMBuildLShr(b, raw, number(c.bits, 23), ""), number(c.bits, 1), "");
    LLVMValueRef rounded = LLVMBuildAdd(b, raw, number(c.bits, 0x3FFFFF), "");
    rounded = LLVMBuildLShr(b, LLVMBuildAdd(b, rounded, odd, ""), number(c.bits, 23), "");
    LLVMValueRef is_tiny = LLVMBuildICmp(b, LLVMIntULT, raw, number(c.bits, 0x00800000), "");
    LLVMValueRef is_up = LLVMBuildICmp(b, LLVMIntUGT, raw, number(c.bits, 0x00600000), "");
    LLVMValueRef tiny = LLVMBuildZExt(b, is_up, c.bits, "");
    rounded = LLVMBuildSelect(b, is_tiny, tiny, rounded, "");
    LLVMValueRef is_bad = LLVMBuildICmp(b, LLVMIntUGE, raw, number(c.bits, 0x7F800000), "");
    rounded = LLVMBuildSelect(b, is_bad, number(c.bits, 0xFF), rounded, "");
    return LLVMBuildTrunc(b, rounded, LLVMInt8TypeInContext(e->context), "");
}

LLVMValueRef emit_encode_float(Emit *e, ElementType element, LLVMValueRef x) {
    const FloatFormat *f = element_float_format(element);
    if (f->is_unsigned) return encode_power_of_two(e, x);
    Patterns p = patterns_of(f);
    LLVMBuilderRef b = e->builder;
    Carrier c = carrier_of(e, LLVMTypeOf(x));
    LLVMValueRef raw = LLVMBuildBitCast(b, x, c.bits, "");
    LLVMValueRef size = LLVMBuildAnd(b, raw, number(c.bits, low_bits(c.width - 1)), "");
    // Normal numbers: rounded on the pattern, then the other bias.
    int shift = c.mantissa_bits - f->mantissa_bits;
    LLVMValueRef odd = LLVMBuildLShr(b, size, number(c.bits, (uint64_t)shift), "");
    odd = LLVMBuildAnd(b, odd, number(c.bits, 1), "");
    LLVMValueRef normal =
        LLVMBuildAdd(b, size, number(c.bits, ((uint64_t)1 << (shift - 1)) - 1), "");
    normal =
        LLVMBuildLShr(b, LLVMBuildAdd(b, normal, odd, ""), number(c.bits, (uint64_t)shift), "");
    normal = LLVMBuildSub(
        b, normal, number(c.bits, (uint64_t)(c.bias - f->bias) << f->mantissa_bits), "");
    // Below: adding a number whose last bit is the format's smallest rounds to multiples of it.
    double step = __builtin_ldexp(1.0, 1 - f->bias - f->mantissa_bits + c.mantissa_bits);
    LLVMValueRef magic = LLVMConstReal(c.real, step);
    LLVMValueRef sum = LLVMBuildFAdd(b, LLVMBuildBitCast(b, size, c.real, ""), magic, "");
    LLVMValueRef below = LLVMBuildSub(
        b, LLVMBuildBitCast(b, sum, c.bits, ""), LLVMBuildBitCast(b, magic, c.bits, ""), "");
    uint64_t smallest_normal = (uint64_t)(c.bias + 1 - f->bias) << c.mantissa_bits;
    LLVMValueRef is_below = LLVMBuildICmp(b, LLVMIntULT, size, number(c.bits, smallest_normal), "");
    LLVMValueRef result = LLVMBuildSelect(b, is_below, below, normal, "");
    uint64_t beyond = f->has_infinity ? p.infinity : f->has_nan ? p.nan : p.largest;
    LLVMValueRef is_beyond = LLVMBuildICmp(b, LLVMIntUGT, result, number(c.bits, p.largest), "");
    result = LLVMBuildSelect(b, is_beyond, number(c.bits, beyond), result, "");
    LLVMValueRef sign = LLVMBuildLShr(b, raw, number(c.bits, (uint64_t)(c.width - f->bits)), "");
    sign = LLVMBuildAnd(b, sign, number(c.bits, p.sign), "");
    LLVMValueRef with_sign = LLVMBuildOr(b, result, sign, "");
    if (!f->has_negative_zero) {
        LLVMValueRef is_zero = LLVMBuildICmp(b, LLVMIntEQ, result, number(c.bits, 0), "");
        with_sign = LLVMBuildSelect(b, is_zero, result, with_sign, "");
    }
    LLVMValueRef nan = number(c.bits, p.nan);
    if (f->has_nan && !f->nan_is_minus_zero) nan = LLVMBuildOr(b, nan, sign, "");
    uint64_t infinity = low_bits(c.width - 1 - c.mantissa_bits) << c.mantissa_bits;
    LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, size, number(c.bits, infinity), "");
    with_sign = LLVMBuildSelect(b, is_nan, nan, with_sign, "");
    return LLVMBuildTrunc(b, with_sign, LLVMInt8TypeInContext(e->context), "");
}

LLVMValueRef emit_round_float(Emit *e, ElementType element, LLVMValueRef x) {
    return emit_decode_float(e, element, emit_encode_float(e, element, x));
}
