// lower_custom: custom calls. One chunk: one lane of the device's team makes the call,
// with addresses of dense arrays.
//
// An operand or result that does not lie dense in memory (a tile of the caller's array, a value
// that is computed where it is used) passes through the scratch.
#include "codegen/emit/emit_state.h"
#include "codegen/emit/lower.h"
#include "runtime/abi.h"

typedef const IndexExpr *Index;

enum { SCRATCH_ALIGNMENT = 64 };

static const Value *array_at(const Op *op, int i) {
    return i < op->operand_count ? op_operand(op, i) : op_result(op, i - op->operand_count);
}

static bool is_dense(const Kernel *kernel, const Value *value) {
    int k = kernel_operand(kernel, value);
    if (k < 0) return false;
    const KernelOperand *operand =
        k < kernel->output_count ? &kernel->outputs[k] : &kernel->inputs[k - kernel->output_count];
    return operand->buffer->is_dense && !operand->buffer->extents && !operand->is_remote;
}

// Where arrays lie in the scratch: -1 = not there. Returns the bytes of all.
static int64_t place_arrays(const Kernel *kernel, int64_t *offsets) {
    const Op *op = kernel->root;
    int64_t bytes = 0;
    for (int i = 0; i < op->operand_count + op->result_count; i++) {
        const Value *value = array_at(op, i);
        bool is_staged = value->type->kind == TYPE_TENSOR && !is_dense(kernel, value);
        if (offsets) offsets[i] = is_staged ? bytes : -1;
        if (!is_staged) continue;
        bytes += ((int64_t)type_bytes(value->type) + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT *
                 SCRATCH_ALIGNMENT;
    }
    return bytes;
}

void custom_grid(Kernel *kernel, const Target *target) {
    (void)target;
    kernel->grid = 1;
    kernel->scratch_bytes = place_arrays(kernel, NULL);
}

// Every element from the operand to the scratch, or from the scratch to the result.
static void copy_array(Emit *e, const Value *value, LLVMValueRef scratch, bool is_result) {
    const Type *type = value->type;
    EmitLoop *loops[MAX_RANK] = {NULL};
    Index at[MAX_RANK] = {NULL};
    if (type_element_count(type) == 0) return;
    for (int d = 0; d < type->rank; d++) {
        loops[d] = emit_loop_constant(e, type->dims[d], d + 1 == type->rank);
        at[d] = loops[d]->index;
    }
    LLVMValueRef number = emit_index(e, index_linear(e->index, type->rank, type->dims, at));
    if (is_result) {
        Scalar x = emit_private_load(e, type->element, scratch, number);
        emit_store(e, value, emit_address(e, value, at), x);
    } else {
        Scalar x = emit_element(e, value, at);
        if (!e->failed) emit_private_store(e, type->element, scratch, number, x);
    }
    for (int d = type->rank - 1; d >= 0; d--) {
        emit_loop_end(e, loops[d]);
    }
}

static void call_runtime(Emit *e, LLVMValueRef buffers) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMTypeRef parameters[] = {pointer, emit_i64(e), pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), parameters, 3, false);
    LLVMValueRef function = LLVMAddFunction(e->module, "shardc_rt_custom", type);
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    LLVMValueRef arguments[] = {e->lane, emit_i64_constant(e, e->kernel->custom_call), buffers};
    LLVMBuildCall2(e->builder, type, function, arguments, 3, "");
}

bool custom_emit(Emit *e) {
    const Op *op = e->kernel->root;
    int count = op->operand_count + op->result_count;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
    int64_t *offsets = ARENA_ARRAY(e->arena, int64_t, count);
    LLVMValueRef *places = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    (void)place_arrays(e->kernel, offsets);
    LLVMValueRef buffers = emit_alloca(e, pointer, count > 0 ? count : 1, 8);
    EmitLoop *chunk = emit_chunk_loop(e);
    for (int i = 0; i < count && !e->failed; i++) {
        const Value *value = array_at(op, i);
        if (value->type->kind != TYPE_TENSOR) {
            places[i] = LLVMConstNull(pointer); // tokens
        } else {
            places[i] = offsets[i] >= 0 ? emit_scratch(e, offsets[i]) : emit_base(e, value);
        }
        if (i < op->operand_count && offsets[i] >= 0) copy_array(e, value, places[i], false);
    }
    for (int i = 0; i < count && !e->failed; i++) {
        LLVMValueRef at = emit_i64_constant(e, i);
        LLVMBuildStore(
            e->builder, places[i], LLVMBuildInBoundsGEP2(e->builder, pointer, buffers, &at, 1, ""));
    }
    if (!e->failed) call_runtime(e, buffers);
    for (int i = op->operand_count; i < count && !e->failed; i++) {
        if (offsets[i] >= 0) copy_array(e, array_at(op, i), places[i], true);
    }
    emit_loop_end(e, chunk);
    return !e->failed;
}
