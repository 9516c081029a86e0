// Functions of real numbers in f32 and f64.
#include "codegen/emit_state.h"

static const char *libm_name(OpCode code) {
    switch (code) { // NOLINT(hicpp-multiway-paths-covered): what libm has
    case OP_CBRT: return "cbrt";
    case OP_COSINE: return "cos";
    case OP_EXPONENTIAL: return "exp";
    case OP_EXPONENTIAL_MINUS_ONE: return "expm1";
    case OP_LOG: return "log";
    case OP_LOG_PLUS_ONE: return "log1p";
    case OP_SINE: return "sin";
    case OP_TAN:
    case OP_CHLO_TAN: return "tan";
    case OP_TANH: return "tanh";
    case OP_CHLO_ACOS: return "acos";
    case OP_CHLO_ACOSH: return "acosh";
    case OP_CHLO_ASIN: return "asin";
    case OP_CHLO_ASINH: return "asinh";
    case OP_CHLO_ATAN: return "atan";
    case OP_CHLO_ATANH: return "atanh";
    case OP_CHLO_COSH: return "cosh";
    case OP_CHLO_ERF: return "erf";
    case OP_CHLO_ERFC: return "erfc";
    case OP_CHLO_SINH: return "sinh";
    case OP_POWER: return "pow";
    case OP_ATAN2: return "atan2";
    case OP_CHLO_LGAMMA: return "lgamma";
    default: return NULL;
    }
}

LLVMValueRef emit_math(Emit *e, OpCode code, ElementType element, LLVMValueRef x, LLVMValueRef y) {
    (void)element;
    const char *name = libm_name(code);
    if (!name) return NULL;
    LLVMValueRef both[2] = {x, y};
    return emit_libm(e, name, LLVMTypeOf(x), y ? 2 : 1, both);
}
