// The content of a stage as bytes: equal for stages that one function can serve, and the same in
// every process. No address, no name and no number of the module is part of it: ids are counted
// in the order of the first visit.
#include "codegen/plan/attention.h"
#include "codegen/plan/space.h"

typedef struct Key {
    StrBuf *out;
    const ExprBuilder *b;
    PtrMap numbers;  // Expr, Fold, Value to 1 + number
    PtrMap runtimes; // RuntimeNumber to itself, when it was spelled out
    int64_t next_number;
} Key;

static void key_int(Key *key, int64_t number) {
    strbuf_append(key->out, (StrView){(const char *)&number, sizeof number});
}

static void key_type(Key *key, const Type *type) {
    type_print(key->out, type);
    strbuf_putc(key->out, ';');
}

// Writes the number of something known; false: it is new and has a number now.
static bool key_known(Key *key, const void *thing) {
    void *number = ptr_map_get(&key->numbers, thing);
    key_int(key, (int64_t)(intptr_t)number);
    if (number) return true;
    ptr_map_set(&key->numbers, thing, (void *)(intptr_t)++key->next_number);
    return false;
}

static void key_attr(Key *key, const Attr *attr) {
    if (attr->kind != ATTR_ELEMENTS) {
        attr_print(key->out, attr);
        strbuf_putc(key->out, ';');
        return;
    }
    key_type(key, attr->type);
    key_int(key, attr->is_splat);
    key_int(key, (int64_t)attr->data_size);
    strbuf_append(key->out, (StrView){attr->data, attr->data_size});
}

static void key_attrs(Key *key, const Op *op) {
    for (int i = 0; i < op->attr_count; i++) {
        if (op->attrs[i].name == NAME_CHANNEL_HANDLE || op->attrs[i].name == NAME_CHANNEL_ID)
            continue;
        key_int(key, op->attrs[i].name);
        key_attr(key, op->attrs[i].value);
    }
    key_int(key, -1);
}

static void key_expr(Key *key, const Expr *x);

static void key_axes(Key *key, int count, const FoldAxis *axes) {
    key_int(key, count);
    for (int i = 0; i < count; i++) {
        key_int(key, axes[i].variable);
        key_int(key, axes[i].extent);
    }
}

static void key_index(Key *key, const IndexExpr *x) {
    key_int(key, x->constant);
    key_int(key, x->term_count);
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        int64_t number[5] = {(int64_t)atom->kind, atom->id, atom->by, atom->high, x->factors[i]};
        strbuf_append(key->out, (StrView){(const char *)number, sizeof number});
        if (atom->of) key_index(key, atom->of);
        if (atom->kind == INDEX_TABLE) {
            const IndexTable *table = &key->b->tables.data[atom->id];
            key_int(key, table->count);
            strbuf_append(
                key->out, (StrView){(const char *)table->numbers, (size_t)table->count * 8});
        }
        const RuntimeNumber *number_of =
            atom->kind == INDEX_RUNTIME ? &key->b->runtimes.data[atom->id] : NULL;
        if (!number_of || !number_of->x || ptr_map_has(&key->runtimes, number_of)) continue;
        ptr_map_set(&key->runtimes, number_of, (void *)(uintptr_t)number_of);
        key_expr(key, number_of->x);
    }
}

static void key_guards(Key *key, int count, const Guard *guards) {
    key_int(key, count);
    for (int i = 0; i < count; i++) {
        key_index(key, guards[i].x);
        key_int(key, guards[i].low);
        key_int(key, guards[i].high);
    }
}

static void key_fold(Key *key, const Fold *fold) {
    if (key_known(key, fold)) return;
    key_axes(key, fold->axis_count, fold->axes);
    key_int(key, fold->count);
    for (int i = 0; i < fold->count; i++) {
        key_expr(key, fold->accumulators[i]);
        key_expr(key, fold->start[i]);
        key_expr(key, fold->step[i]);
    }
    key_guards(key, fold->guard_count, fold->guards);
    key_int(key, fold->result_count);
    for (int i = 0; i < fold->result_count; i++)
        key_expr(key, fold->result[i]);
    key_int(key, fold->in_lanes + 2 * fold->is_sum + 4 * fold->unroll + 8 * !!fold->choice);
}

static void key_expr(Key *key, const Expr *x) {
    if (key_known(key, x)) return;
    key_int(key, (int64_t)x->kind);
    key_int(key, (int64_t)x->element);
    key_int(key, (int64_t)x->code);
    key_int(key, x->id);
    strbuf_append(key->out, (StrView){(const char *)&x->real, sizeof x->real});
    if (x->op) key_attrs(key, x->op);
    if (x->elements) key_attr(key, x->elements);
    if (x->stored) key_int(key, kernel_operand(key->b->kernel, x->stored));
    key_int(key, x->device != NULL);
    if (x->device) key_index(key, x->device);
    if (x->at) key_index(key, x->at);
    key_guards(key, x->guard_count, x->guards);
    key_int(key, x->operand_count);
    for (int i = 0; i < x->operand_count; i++)
        key_expr(key, x->operands[i]);
    if (x->fold) key_fold(key, x->fold);
}

// ---- special ops

static void key_region(Key *key, const Region *region) {
    for (int i = 0; i < region->arg_count; i++) {
        key_known(key, region->args[i]);
        key_type(key, region->args[i]->type);
    }
    for (const Op *op = region->first; op; op = op->next) {
        key_int(key, (int64_t)op->code);
        for (int i = 0; i < op->operand_count; i++)
            key_known(key, op_operand(op, i));
        key_attrs(key, op);
        for (int r = 0; r < op->region_count; r++)
            key_region(key, op->regions[r]);
        for (int i = 0; i < op->result_count; i++) {
            key_known(key, op_result(op, i));
            key_type(key, op_result_type(op, i));
        }
    }
    key_int(key, -3);
}

static void key_special(Key *key, const Stage *stage) {
    const Op *op = stage->op;
    key_int(key, (int64_t)op->code);
    if (op->code == OP_RNG) key_int(key, op->number); // each has numbers of its own
    key_attrs(key, op);
    for (int i = 0; i < stage->operand_count; i++) {
        const StageOperand *operand = &stage->operands[i];
        key_type(key, operand->value->type);
        key_int(key, kernel_operand(key->b->kernel, operand->value));
        key_int(key, operand->element != NULL);
        if (operand->element) key_expr(key, operand->element);
    }
    for (int r = 0; r < op->region_count; r++)
        key_region(key, op->regions[r]);
    for (int i = 0; i < op->result_count; i++) {
        key_type(key, op_result_type(op, i));
        key_int(key, kernel_operand(key->b->kernel, op_result(op, i)));
    }
}

static void key_axis(Key *key, const Axis *axis) {
    key_int(key, axis->extent);
    key_int(key, (int64_t)axis->role);
    key_int(key, axis->variable);
}

static void key_attention(Key *key, const Attention *a) {
    const Axis *axes[] = {&a->outer, &a->query, &a->key, &a->depth, &a->column};
    const Expr *exprs[] = {a->raw,  a->maximum, a->e,     a->sum,     a->y,     a->queries,
                           a->keys, a->values,  a->score, a->summand, a->weight};
    for (int i = 0; i < 5; i++)
        key_axis(key, axes[i]);
    for (int i = 0; i < 11; i++)
        key_expr(key, exprs[i]);
    key_int(key, a->offset != NULL);
    if (a->offset) key_expr(key, a->offset);
    key_int(key, (int64_t)a->accumulator);
    key_int(key, (int64_t)a->weighted);
    key_int(key, a->mask_count);
    for (int i = 0; i < a->mask_count; i++) {
        key_expr(key, a->masks[i].condition);
        key_int(key, a->masks[i].kept);
    }
    strbuf_append(key->out, (StrView){(const char *)&a->threshold, sizeof a->threshold});
    const Type *types[] = {
        op_operand_type(a->scores, 0), op_operand_type(a->scores, 1), op_result_type(a->scores, 0),
        op_operand_type(a->product, 0), op_operand_type(a->product, 1)};
    for (int i = 0; i < 5; i++)
        key_type(key, types[i]);
}

static void key_stores(Key *key, int count, const Store *stores) {
    key_int(key, count);
    for (int i = 0; i < count; i++) {
        key_int(key, kernel_operand(key->b->kernel, stores[i].output));
        key_int(key, stores[i].device != NULL);
        if (stores[i].device) key_index(key, stores[i].device);
        key_index(key, stores[i].at);
        key_expr(key, stores[i].value);
    }
}

static void key_rows(Key *key, const Rows *rows) {
    key_int(key, rows->columns);
    key_int(key, rows->columns ? rows->place : 0);
    key_int(key, rows->late);
    key_int(key, rows->local_count);
    for (int i = 0; i < rows->local_count; i++) {
        key_int(key, (int64_t)rows->locals[i].element);
        key_int(key, rows->locals[i].count);
        key_int(key, rows->locals[i].offset);
    }
    key_int(key, rows->pass_count);
    for (int p = 0; p < rows->pass_count; p++) {
        const RowPass *pass = &rows->passes[p];
        key_axes(key, pass->axis_count, pass->axes);
        key_int(key, pass->keep_count);
        for (int i = 0; i < pass->keep_count; i++) {
            key_int(key, pass->keeps[i].local);
            key_index(key, pass->keeps[i].at);
            key_expr(key, pass->keeps[i].value);
        }
        key_int(key, pass->fold_count);
        for (int i = 0; i < pass->fold_count; i++) {
            key_fold(key, pass->folds[i].fold);
            for (int r = 0; r < pass->folds[i].fold->result_count; r++)
                key_expr(key, pass->folds[i].results[r]);
        }
        key_stores(key, pass->store_count, pass->stores);
    }
}

static void key_starts(Key *key, const Stage *stage) {
    const Kernel *kernel = key->b->kernel;
    key_int(key, stage->starts != NULL);
    for (int k = 0; stage->starts && k < kernel->output_count + kernel->input_count; k++)
        key_index(key, stage->starts[k]);
}

void stage_key(StrBuf *out, const Stage *stage) {
    Key key = {.out = out, .b = stage->exprs};
    key.numbers = ptr_map(out->arena);
    key.runtimes = ptr_map(out->arena);
    key_int(&key, (int64_t)stage->kind);
    key_int(&key, stage->axis_count);
    for (int d = 0; d < stage->axis_count; d++)
        key_axis(&key, &stage->axes[d]);
    key_int(&key, stage->is_reversed);
    key_int(&key, stage->space && stage->space->by_lines);
    if (stage->fold) key_fold(&key, stage->fold);
    if (stage->rows) key_rows(&key, stage->rows);
    key_stores(&key, stage->store_count, stage->stores);
    if (stage->attention) key_attention(&key, stage->attention);
    if (stage->op) key_special(&key, stage);
    key_starts(&key, stage);
}
