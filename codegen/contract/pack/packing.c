// What all forms of packing use.
#include "codegen/contract/pack/packing.h"

#include "codegen/emit/emit_state.h"

const IndexSpace *packing_lines(const Packing *p) { return p->is_lhs ? &p->c->m : &p->c->n; }

Scalar packing_element(Packing *p, const IndexExpr *line, const IndexExpr *k) {
    IndexBuilder *x = p->e->index;
    k = index_add(x, p->k.first, k);
    if (!p->run_shift) {
        line = index_add(x, p->line_first, line);
        return contraction_element(p->e, p->c, p->is_lhs, p->batch, line, k);
    }
    p->run[packing_lines(p)->rank - 1] = index_sub(x, line, p->run_shift);
    return contraction_element_of(p->e, p->c, p->is_lhs, p->batch, p->run, k);
}

EmitLoop *packing_panels_begin(Packing *p) {
    Emit *e = p->e;
    int64_t width = p->form.width, most = (p->range.extent + width - 1) / width;
    EmitLoop *loop = emit_loop_begin(e, p->first, p->stop, 1, most, false);
    p->panel = loop->index;
    p->line_first = index_add(e->index, p->range.first, index_scale(e->index, loop->index, width));
    if (!p->is_ragged) return loop;
    LLVMValueRef before = LLVMBuildNSWMul(e->builder, loop->phi, emit_number(e, width), "");
    LLVMValueRef left = LLVMBuildNSWSub(e->builder, p->range.count, before, "");
    p->lines = emit_minimum(e, left, emit_number(e, width));
    return loop;
}

void packing_put_word(Packing *p, LLVMValueRef array, const IndexExpr *at, LLVMValueRef word) {
    emit_private_store(
        p->e, ELEMENT_I32, array, emit_index(p->e, at),
        (Scalar){.element = ELEMENT_I32, .value = word});
}

LLVMValueRef packing_word(Packing *p, const IndexExpr *line, const IndexExpr *k) {
    LLVMBuilderRef b = p->e->builder;
    IndexBuilder *x = p->e->index;
    int bits = element_bits(p->form.element);
    LLVMTypeRef narrow = LLVMIntTypeInContext(p->e->context, (unsigned)bits);
    LLVMValueRef all = NULL;
    for (int i = 0; i < p->per_word; i++) {
        const IndexExpr *at = index_add_constant(x, index_scale(x, k, p->per_word), i);
        LLVMValueRef one = LLVMBuildBitCast(b, packing_element(p, line, at).value, narrow, "");
        one = LLVMBuildZExt(b, one, p->word, "");
        if (i > 0) one = LLVMBuildShl(b, one, LLVMConstInt(p->word, (unsigned)(i * bits), 0), "");
        all = all ? LLVMBuildOr(b, all, one, "") : one;
    }
    return all;
}
