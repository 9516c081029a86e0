// Rows of fused values in the scratch: see Kernel.row_cached.
//
//     for each row i
//         m = max over j of x[i, j]                                 row_cached: v = exp(x - m)
//         for j: row[j] = exp(x[i, j] - m)                          made before the first loop that reads v
//         s = sum over j of row[j]
//         for j: out[i, j] = row[j] / s
#include "codegen/emit_state.h"

#include <string.h>

static int64_t row_bytes(const Type *type) {
    int64_t bytes = type->dims[type->rank - 1] * (int64_t)element_bytes(type->element);
    return (bytes + 63) / 64 * 64;
}

int64_t row_cache_bytes(const Kernel *kernel) {
    int64_t bytes = 0;
    for (int i = 0; i < kernel->row_cached_count; i++)
        bytes += row_bytes(kernel->row_cached[i]->type);
    return bytes;
}

// Is the scope still open?
static bool is_open(const Emit *e, const EmitScope *scope) {
    for (const EmitScope *s = e->state->scope; s; s = s->outer) {
        if (s == scope) return true;
    }
    return false;
}

static int cached_number(const Emit *e, const Value *value) {
    for (int i = 0; i < e->kernel->row_cached_count; i++) {
        if (e->kernel->row_cached[i] == value) return i;
    }
    return -1;
}

// Computes the row at index[] (its last entry aside) in the current scope.
static LLVMValueRef fill_row(Emit *e, int i, const IndexExpr *const *index) {
    const Value *value = e->kernel->row_cached[i];
    const Type *type = value->type;
    int64_t offset = 0;
    for (int k = 0; k < i; k++)
        offset += row_bytes(e->kernel->row_cached[k]->type);
    LLVMValueRef row = emit_scratch(e, offset);
    const IndexExpr *at[MAX_RANK];
    memcpy(at, index, (size_t)type->rank * sizeof index[0]);
    EmitLoop *loop = emit_loop_constant(e, type->dims[type->rank - 1], true);
    at[type->rank - 1] = loop->index;
    Scalar x = emit_element_anew(e, value, at);
    if (!e->failed) emit_private_store(e, type->element, row, loop->phi, x);
    emit_loop_end(e, loop);
    return row;
}

bool row_cache_load(Emit *e, const Value *value, const IndexExpr *const *index, Scalar *result) {
    int i = cached_number(e, value), last = value->type->rank - 1;
    if (i < 0 || last < 0) return false;
    LLVMValueRef row = emit_known_address(e, value, ADDRESS_ROW, last, index);
    if (!row) {
        EmitLoop *loop;
        EmitScope *target = emit_target_scope(e, last, index, e->state->device, &loop);
        if (!e->state->row_scopes)
            e->state->row_scopes = (EmitScope **)arena_alloc_array(
                e->arena, e->kernel->row_cached_count, sizeof(EmitScope *));
        EmitScope **home = &e->state->row_scopes[i];
        if (!loop || (*home && is_open(e, *home)))
            return false; // no loop to be outside of; another row lies there
        *home = target;
        EmitExcursion excursion = emit_excursion_begin(e, target, loop);
        row = fill_row(e, i, index);
        emit_remember_address(e, value, ADDRESS_ROW, last, index, row);
        emit_excursion_end(e, &excursion);
        if (e->failed) return false;
    }
    emit_record_use(e, (IndexUse){.kind = USE_NUMBER, .index = index[last]});
    *result = emit_private_load(e, value->type->element, row, emit_index(e, index[last]));
    return true;
}
