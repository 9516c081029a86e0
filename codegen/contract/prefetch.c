// prefetch: asks for memory that a contraction reads soon.
//
// A CPU foresees streams. Packing across the memory's order reads short runs of many rows, and few
// rows of products several places at once: both leave each place before it has become a stream, so
// what comes next is named here.
#include "codegen/contract/contraction.h"
#include "codegen/element/element.h"
#include "codegen/emit/emit_state.h"

enum { CACHE_LINE = 64 };

void contract_prefetch(Emit *e, LLVMValueRef address, LLVMValueRef bytes) {
    LLVMTypeRef i8 = LLVMInt8TypeInContext(e->context);
    LLVMValueRef at = LLVMBuildGEP2(e->builder, i8, address, &bytes, 1, "");
    emit_prefetch(e, at, false, PREFETCH_SECOND);
}

void prefetch_runs_add(PrefetchRuns *runs, LLVMValueRef from, int64_t step, int64_t together) {
    if (runs->count == MOST_RUNS) return;
    runs->from[runs->count] = from;
    runs->step[runs->count] = step;
    runs->together[runs->count++] = together;
}

void prefetch_runs(Emit *e, const PrefetchRuns *runs, const IndexExpr *number) {
    IndexBuilder *b = e->index;
    for (int i = 0; i < runs->count; i++) {
        int64_t step = runs->step[i], together = runs->together[i];
        const IndexExpr *first = index_scale(b, number, together * step);
        for (int64_t k = 0; k < together; k++) {
            const IndexExpr *at = index_add_constant(b, first, k * step);
            contract_prefetch(e, runs->from[i], emit_index(e, at));
        }
    }
}

void stored_elements_add(StoredElements *all, StoredElement x) {
    for (int i = 0; i < all->count; i++) {
        const StoredElement *known = &all->list[i];
        if (known->stored == x.stored && known->at == x.at && known->device == x.device) return;
    }
    if (all->count < MOST_STORED_ELEMENTS) all->list[all->count++] = x;
}

void stored_elements_find(StoredElements *all, const Expr *x) {
    enum { MOST_VISITS = 64 };
    if (all->visits++ > MOST_VISITS || x->kind == EXPR_CHOICE) return;
    if (x->kind == EXPR_LOAD)
        stored_elements_add(all, (StoredElement){x->stored, x->at, x->device});
    for (int i = 0; i < x->operand_count; i++)
        stored_elements_find(all, x->operands[i]);
}

void contraction_prefetch(
    Emit *e, const Contraction *c, bool is_lhs, const IndexExpr *const *b, const IndexExpr *line,
    const IndexExpr *k, bool along_k, int64_t ahead, int64_t count) {
    if (c->conv) return;
    int line_variable = expr_new_variable(e->exprs, false),
        k_variable = expr_new_variable(e->exprs, false);
    const Expr *x = contraction_expr(
        e, c, is_lhs, b, index_variable(e->index, line_variable, is_lhs ? c->m.size : c->n.size),
        index_variable(e->index, k_variable, c->k.size));
    StoredElements loads = {.count = 0};
    stored_elements_find(&loads, x);
    Substitution here = substitution(e->exprs, e->exprs); // in numbers that are loaded, too
    here.variables[line_variable] = line;
    here.variables[k_variable] = k;
    for (int i = 0; i < loads.count; i++) {
        const StoredElement *load = &loads.list[i];
        int64_t of_line, of_k, bytes = (int64_t)element_bytes(load->stored->type->element);
        // lines that lie in several runs of memory have no one distance
        bool in_runs = !index_is_affine_in(load->at, line_variable, &of_line);
        if (!index_is_affine_in(load->at, k_variable, &of_k)) continue;
        if (along_k ? in_runs || of_k != 1 : !in_runs && of_line != 1) continue;
        const IndexExpr *device = load->device ? expr_substitute_index(&here, load->device) : NULL;
        LLVMValueRef number = emit_index(e, expr_substitute_index(&here, load->at));
        LLVMValueRef address = LLVMBuildGEP2(
            e->builder, emit_memory_type(e, load->stored->type->element),
            emit_operand_base(e, load->stored, device), &number, 1, "");
        for (int64_t at = 0; at < count * bytes; at += CACHE_LINE)
            contract_prefetch(
                e, address, emit_i64_constant(e, (along_k ? of_line : of_k) * ahead * bytes + at));
    }
}

// The lines of memory of one load.
static void prefetch_places(
    Emit *e, const StoredElement *load, const int64_t *strides, const int64_t *size,
    int64_t count) {
    int64_t bytes = (int64_t)element_bytes(load->stored->type->element);
    LLVMValueRef number = emit_index(e, load->at);
    LLVMValueRef address = LLVMBuildGEP2(
        e->builder, emit_memory_type(e, load->stored->type->element),
        emit_operand_base(e, load->stored, NULL), &number, 1, "");
    for (int64_t row = 0; row < size[0]; row++) {
        // neighbouring places may be one piece of memory
        bool is_run = strides[1] == count;
        int64_t pieces = is_run ? 1 : size[1], length = (is_run ? size[1] : 1) * count * bytes;
        for (int64_t piece = 0; piece < pieces; piece++) {
            int64_t from = (row * strides[0] + piece * strides[1]) * bytes;
            for (int64_t at = 0; at < length; at += CACHE_LINE)
                contract_prefetch(e, address, emit_i64_constant(e, from + at));
        }
    }
}

void contraction_prefetch_image(
    Emit *e, const Contraction *c, const IndexExpr *const *first, const int64_t *size,
    int64_t count) {
    enum { ROW, COLUMN, FEATURE, PLACES };
    const ConvDims *dims = c->conv;
    const int64_t place[PLACES] = {
        dims->input_spatial.data[c->spatial - 2], dims->input_spatial.data[c->spatial - 1],
        dims->input_feature};
    const IndexExpr *index[MAX_RANK];
    int variables[PLACES];
    for (int d = 0; d < c->lhs->type->rank; d++)
        index[d] = first[d];
    for (int i = 0; i < PLACES; i++) {
        variables[i] = expr_new_variable(e->exprs, false);
        index[place[i]] = index_variable(e->index, variables[i], c->lhs->type->dims[place[i]]);
    }
    StoredElements loads = {.count = 0};
    stored_elements_find(&loads, expr_of(e->exprs, c->lhs, index));
    Substitution here = substitution(e->exprs, e->exprs);
    for (int i = 0; i < PLACES; i++)
        here.variables[variables[i]] = first[place[i]];
    for (int i = 0; i < loads.count; i++) {
        StoredElement load = loads.list[i];
        int64_t strides[PLACES];
        bool is_affine = true;
        for (int d = 0; d < PLACES; d++)
            is_affine = is_affine && index_is_affine_in(load.at, variables[d], &strides[d]);
        // the places need not exist, and so have no device
        if (!is_affine || strides[FEATURE] != 1 || load.device) continue;
        load.at = expr_substitute_index(&here, load.at);
        prefetch_places(e, &load, strides, size, count);
    }
}
