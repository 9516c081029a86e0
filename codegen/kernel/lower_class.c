// What the code generator does with each op, from the rows of ir/dialects.
#include "codegen/kernel/lower_class.h"

// The lowering of CODEGEN in ops.def. A collective's class depends on the op: see lower_class.
typedef enum LowerColumn {
    COLUMN_absent,
    COLUMN_none,
    COLUMN_control,
    COLUMN_pointwise,
    COLUMN_map,
    COLUMN_bitcast,
    COLUMN_constant,
    COLUMN_index_map,
    COLUMN_gather,
    COLUMN_identity,
    COLUMN_device_id,
    COLUMN_collective,
    COLUMN_reduce,
    COLUMN_update,
    COLUMN_contract,
    COLUMN_conv,
    COLUMN_window,
    COLUMN_select_and_scatter,
    COLUMN_scatter,
    COLUMN_sort,
    COLUMN_fft,
    COLUMN_cholesky,
    COLUMN_triangular_solve,
    COLUMN_random,
    COLUMN_custom_call
} LowerColumn;

static const LowerColumn columns[OP_COUNT] = {
#define CODEGEN(lower, cost) COLUMN_##lower
#define NO_CODEGEN           COLUMN_absent
#define OP(                                                                                   \
    name, dialect, text, traits, operands, results, regions, attributes, form, ir, partition, \
    codegen, ...)                                                                             \
    [OP_##name] = codegen,
#include "ir/dialects/ops.def"
};

// The cost of CODEGEN in ops.def.
#undef CODEGEN
#undef NO_CODEGEN
static const float costs[OP_COUNT] = {
#define CODEGEN(lower, cost) (float)(cost)
#define NO_CODEGEN           1
#define OP(                                                                                   \
    name, dialect, text, traits, operands, results, regions, attributes, form, ir, partition, \
    codegen, ...)                                                                             \
    [OP_##name] = codegen,
#include "ir/dialects/ops.def"
};

double op_code_cost(OpCode code) { return (double)costs[code]; }

LowerClass lower_class(const Op *op, KernelKind *kind) {
    KernelKind unused;
    if (!kind) kind = &unused;
    *kind = KERNEL_LOOP;
    switch (columns[op->code]) {
    case COLUMN_absent: return LOWER_ABSENT;
    case COLUMN_none: return LOWER_NONE;
    case COLUMN_control: return LOWER_CONTROL;
    case COLUMN_pointwise:
    case COLUMN_map:
    case COLUMN_bitcast:
    case COLUMN_constant:
    case COLUMN_index_map:
    case COLUMN_gather:
    case COLUMN_identity:
    case COLUMN_device_id: return LOWER_ELEMENT;
    case COLUMN_collective:
        if (op->code != OP_ALL_REDUCE && op->code != OP_REDUCE_SCATTER) return LOWER_ELEMENT;
        *kind = KERNEL_REDUCE;
        return LOWER_REDUCE;
    case COLUMN_reduce: *kind = KERNEL_REDUCE; return LOWER_REDUCE;
    case COLUMN_update: *kind = KERNEL_UPDATE; return LOWER_UPDATE;
    case COLUMN_contract: *kind = KERNEL_CONTRACT; return LOWER_KERNEL;
    case COLUMN_conv: *kind = KERNEL_CONV; return LOWER_KERNEL;
    case COLUMN_window: *kind = KERNEL_WINDOW; return LOWER_KERNEL;
    case COLUMN_select_and_scatter: *kind = KERNEL_SELECT_SCATTER; return LOWER_KERNEL;
    case COLUMN_scatter: *kind = KERNEL_SCATTER; return LOWER_KERNEL;
    case COLUMN_sort: *kind = KERNEL_SORT; return LOWER_KERNEL;
    case COLUMN_fft: *kind = KERNEL_FFT; return LOWER_KERNEL;
    case COLUMN_cholesky: *kind = KERNEL_CHOLESKY; return LOWER_KERNEL;
    case COLUMN_triangular_solve: *kind = KERNEL_SOLVE; return LOWER_KERNEL;
    case COLUMN_random: *kind = KERNEL_RANDOM; return LOWER_KERNEL;
    case COLUMN_custom_call: *kind = KERNEL_CUSTOM; return LOWER_KERNEL;
    }
    return LOWER_ABSENT;
}

bool lower_stores_operand(const Op *op, int operand) {
    (void)operand;
    switch (op->code) {
    case OP_FFT:
    case OP_CHOLESKY:
    case OP_TRIANGULAR_SOLVE:
    case OP_CUSTOM_CALL: return true;
    default: return false; // the others read elements through emit_element
    }
}

bool op_is_in_place(const Op *op) {
    return op->code == OP_DYNAMIC_UPDATE_SLICE || op->code == OP_SCATTER;
}
