// Stages as loop nests:
//
//     parallel i0:2048
//       fold f0 = maximum over i2:2048 of arg0[i0, i2]
//       fold f1 = add over i3:2048 of exponential(arg0[i0, i3] - f0)
//       parallel i1:2048
//         x0 = exponential(arg0[i0, i1] - f0)
//         result0[i0, i1] = x0 / f1
//
// A line stands inside of the axes that it depends on. x are expressions that are used more than
// once, f folds (f0.1 is the second result), s accumulators and results of special ops, r numbers
// that the kernel reads first (r0: its device), t tables.
#include "codegen/plan/attention.h"
#include "codegen/plan/print/print.h"
#include "codegen/plan/print/print_expr.h"
#include "codegen/plan/space.h"

#include <stdio.h>

// ---- lines

static void line_begin(const StagePrint *p) { strbuf_indent(p->out, p->indent); }

static void count_uses(StagePrint *p, const Expr *x) {
    intptr_t count = (intptr_t)ptr_map_get(&p->counts, x);
    ptr_map_set(&p->counts, x, (void *)(count + 1));
    if (count) return;
    for (int i = 0; i < x->operand_count; i++)
        count_uses(p, x->operands[i]);
    if (!x->fold) return;
    for (int i = 0; i < x->fold->count; i++) {
        count_uses(p, x->fold->start[i]);
        count_uses(p, x->fold->step[i]);
    }
}

static bool has_own_line(StagePrint *p, const Expr *x) {
    if (x->kind == EXPR_FOLD) return true;
    return x->operand_count > 0 && (intptr_t)ptr_map_get(&p->counts, x) > 1;
}

// How many parts the text of x has without lines of shared expressions, or many.
static intptr_t text_parts(PtrMap *known, const Expr *x) {
    enum { MANY = 1 << 20 };
    intptr_t parts = (intptr_t)ptr_map_get(known, x);
    if (parts) return parts;
    parts = 1;
    for (int i = 0; i < x->operand_count; i++)
        parts += text_parts(known, x->operands[i]);
    parts = parts < MANY ? parts : MANY;
    ptr_map_set(known, x, (void *)parts);
    return parts;
}

static void print_lines_of(StagePrint *p, const Expr *x, intptr_t level, PtrMap *seen);

// Shared expressions inside of a fold that would be too long without: each could be twice as long
// as the one inside it.
static void print_lines_in(StagePrint *p, const Fold *fold) {
    enum { MOST_PARTS = 200 };
    PtrMap known = ptr_map(p->scratch), seen = ptr_map(p->scratch);
    for (int i = 0; i < fold->count; i++) {
        if (text_parts(&known, fold->step[i]) > MOST_PARTS)
            print_lines_of(p, fold->step[i], ANY_LEVEL, &seen);
    }
}

// Lines of folds and shared expressions inside of x that belong to this level, inner ones first.
// (What only a choice uses is computed when it is taken.)
static void print_lines_of(StagePrint *p, const Expr *x, intptr_t level, PtrMap *seen) {
    if (ptr_map_has(seen, x)) return;
    ptr_map_set(seen, x, p);
    for (int i = 0; i < x->operand_count; i++)
        print_lines_of(p, x->operands[i], level, seen);
    for (int i = 0; x->fold && i < x->fold->count; i++) {
        print_lines_of(p, x->fold->start[i], level, seen);
        print_lines_of(p, x->fold->step[i], level, seen);
    }
    const void *thing = x->fold ? (const void *)x->fold : (const void *)x;
    bool is_here = level == ANY_LEVEL || print_level_of(p, x) == level;
    if (!is_here || !has_own_line(p, x) || ptr_map_has(&p->names, thing)) return;
    if (x->fold) print_lines_in(p, x->fold);
    line_begin(p);
    int number = x->fold ? p->f_count++ : p->x_count++;
    strbuf_printf(p->out, x->fold ? "fold f%d = " : "x%d = ", number);
    if (x->fold)
        print_fold(p, x->fold);
    else
        print_expr(p, x);
    ptr_map_set(&p->names, thing, (void *)(intptr_t)(number + 1));
    strbuf_putc(p->out, '\n');
}

static void print_level(StagePrint *p, intptr_t level) {
    PtrMap seen = ptr_map(p->scratch);
    for (int i = 0; i < p->stage->store_count; i++)
        print_lines_of(p, p->stage->stores[i].value, level, &seen);
}

static void print_numbers(StagePrint *p) {
    const ExprBuilder *b = p->stage->exprs;
    for (int64_t i = 1; i < b->runtimes.count; i++) {
        const RuntimeNumber *number = &b->runtimes.data[i];
        if (number->low == number->high) continue;
        line_begin(p);
        strbuf_printf(p->out, "r%lld = ", (long long)i);
        print_expr(p, number->x);
        strbuf_printf(
            p->out, " in %lld .. %lld\n", (long long)number->low, (long long)number->high);
    }
}

// Is the table looked at in one of the texts?
static bool is_read(const StrBuf *texts, int count, int64_t table) {
    char name[32];
    (void)snprintf(name, sizeof name, "t%lld(", (long long)table);
    for (int i = 0; i < count; i++)
        if (strview_contains(strbuf_view(&texts[i]), strview(name))) return true;
    return false;
}

static void print_tables(StagePrint *p, const StrBuf *texts, int count) {
    const ExprBuilder *b = p->stage->exprs;
    for (int64_t i = 0; i < b->tables.count; i++) {
        const IndexTable *table = &b->tables.data[i];
        if (!is_read(texts, count, i)) continue;
        line_begin(p);
        strbuf_printf(p->out, "t%lld =", (long long)i);
        for (int64_t k = 0; k < table->count && k < 16; k++)
            strbuf_printf(p->out, " %lld", (long long)table->numbers[k]);
        strbuf_puts(p->out, table->count > 16 ? " ...\n" : "\n");
    }
}

static void print_starts(StagePrint *p) {
    const Kernel *kernel = p->stage->exprs->kernel;
    int outputs = kernel->output_count;
    for (int k = 0; p->stage->starts && k < outputs + kernel->input_count; k++) {
        const IndexExpr *start = p->stage->starts[k];
        if (index_is_constant(start)) continue;
        const KernelOperand *operand =
            k < outputs ? &kernel->outputs[k] : &kernel->inputs[k - outputs];
        line_begin(p);
        print_operand(p, operand->value);
        strbuf_puts(p->out, " from ");
        print_index_expr(p, start);
        strbuf_putc(p->out, '\n');
    }
}

static void print_stores(StagePrint *p, int count, const Store *stores) {
    for (int i = 0; i < count; i++) {
        const Store *store = &stores[i];
        line_begin(p);
        print_operand(p, store->output);
        print_device(p, store->device);
        print_index_list(p, store->output->type->rank, store->index);
        strbuf_puts(p->out, " = ");
        print_expr(p, store->value);
        strbuf_putc(p->out, '\n');
    }
}

// ---- passes

// What the pass uses more than once, as lines.
static void print_shared(StagePrint *p, const RowPass *pass) {
    PtrMap seen = ptr_map(p->scratch);
    p->counts = ptr_map(p->scratch);
    p->names = ptr_map(p->scratch);
    p->x_count = 0;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < pass->keep_count + pass->fold_count + pass->store_count; i++) {
            int f = i - pass->keep_count, s = f - pass->fold_count;
            const Fold *fold = f >= 0 && s < 0 ? pass->folds[f].fold : NULL;
            for (int k = 0; k < (fold ? fold->count : 1); k++) {
                const Expr *x = fold    ? fold->step[k]
                                : f < 0 ? pass->keeps[i].value
                                        : pass->stores[s].value;
                if (round == 0)
                    count_uses(p, x);
                else
                    print_lines_of(p, x, ALONE, &seen);
            }
        }
    }
}

// The loops, and where they are cut.
static void print_space(StrBuf *out, const Space *space, int indent) {
    strbuf_indent(out, indent);
    strbuf_puts(out, "loops");
    for (int a = 0; a < space->axis_count; a++) {
        const SpaceAxis *axis = &space->axes[a];
        strbuf_puts(out, a ? ", " : " ");
        for (int k = 0; k < axis->count; k++) {
            const SpacePart *part = &space->parts[axis->first + k];
            strbuf_printf(out, "%s%d", k ? "*" : "", part->dim);
            if (part->stride != 1) strbuf_printf(out, "/%lld", (long long)part->stride);
        }
        strbuf_printf(out, ":%lld", (long long)axis->extent);
        if (a == space->inner) strbuf_puts(out, " lanes");
        if (a == space->tile) strbuf_puts(out, " tile");
        if (a == space->inner && space->by_lines) strbuf_puts(out, " of a line");
        if (space->block && a == space->written)
            strbuf_printf(out, " by %lld", (long long)space->block);
        for (int k = 1; k < axis->cut_count; k++)
            strbuf_printf(out, "%s%lld", k == 1 ? " cut " : " ", (long long)axis->cuts[k]);
    }
    if (space->shared >= 0 && space->tile < 0) strbuf_puts(out, ", lines shared");
    if (space->by_columns) strbuf_puts(out, ", fold by columns");
    strbuf_puts(out, space->steps_in_order ? ", step by step\n" : "\n");
}

static void print_pass(StagePrint *p, const RowPass *pass) {
    line_begin(p);
    strbuf_puts(p->out, "pass ");
    print_fold_axes(p, pass->axis_count, pass->axes);
    strbuf_putc(p->out, '\n');
    p->indent += 2;
    print_shared(p, pass);
    for (int i = 0; i < pass->keep_count; i++) {
        line_begin(p);
        strbuf_printf(p->out, "l%d[", pass->keeps[i].local);
        print_index_expr(p, pass->keeps[i].at);
        strbuf_puts(p->out, "] = ");
        print_expr(p, pass->keeps[i].value);
        strbuf_putc(p->out, '\n');
    }
    for (int i = 0; i < pass->fold_count; i++) {
        const RowFold *fold = &pass->folds[i];
        line_begin(p);
        strbuf_printf(p->out, "%s f%d = ", fold->fold->count ? "fold" : "number", p->f_count);
        if (fold->fold->count)
            print_fold(p, fold->fold);
        else
            print_expr(p, fold->fold->result[0]);
        strbuf_putc(p->out, '\n');
        int count = fold->fold->result_count;
        for (int r = 0; r < count; r++) {
            const char *text = count > 1 ? arena_printf(p->scratch, "f%d.%d", p->f_count, r)
                                         : arena_printf(p->scratch, "f%d", p->f_count);
            ptr_map_set(&p->scalars, fold->results[r], (void *)(uintptr_t)text);
        }
        p->f_count++;
    }
    print_stores(p, pass->store_count, pass->stores);
    p->indent -= 2;
    if (pass->space) print_space(p->out, pass->space, p->indent + 2);
}

static void print_rows(StagePrint *p, const Rows *rows) {
    if (rows->columns) {
        line_begin(p);
        strbuf_printf(p->out, "columns i%d:%lld together\n", rows->place, (long long)rows->columns);
    }
    for (int i = 0; i < rows->local_count; i++) {
        const RowLocal *local = &rows->locals[i];
        line_begin(p);
        strbuf_printf(
            p->out, "local l%d[%lld]%.*s at %lld\n", i, (long long)local->count,
            SV_ARG(element_text(local->element)), (long long)local->offset);
    }
    for (int i = 0; i < rows->pass_count; i++) {
        print_pass(p, &rows->passes[i]);
        if (i + 1 != rows->pass_count || !rows->late) continue;
        line_begin(p);
        strbuf_printf(p->out, "  beside pass %d of the next row\n", rows->late);
    }
    p->names = ptr_map(p->scratch);
}

static void print_special(StagePrint *p) {
    const Stage *stage = p->stage;
    line_begin(p);
    if (stage->store_count) strbuf_puts(p->out, "s0 = ");
    strbuf_append(p->out, print_op_name(stage->op->code));
    strbuf_putc(p->out, '\n');
    p->indent += 2;
    PtrMap seen = ptr_map(p->scratch);
    for (int i = 0; i < stage->operand_count; i++) {
        const StageOperand *operand = &stage->operands[i];
        if (!operand->element) continue;
        count_uses(p, operand->element);
        print_lines_of(p, operand->element, ANY_LEVEL, &seen);
        line_begin(p);
        strbuf_printf(p->out, "operand %d[", i);
        for (int d = 0; d < operand->value->type->rank; d++)
            strbuf_printf(p->out, "%si%d", d ? ", " : "", operand->axes[d].variable);
        strbuf_puts(p->out, "] = ");
        print_expr(p, operand->element);
        strbuf_putc(p->out, '\n');
    }
    p->indent -= 2;
}

static void print_blocks(StagePrint *p, const Attention *a) {
    const AttentionBlocks *blocks = &a->blocks;
    line_begin(p);
    strbuf_printf(
        p->out, "parallel i%d:%lld in %lld blocks of %lld panels of %d\n", a->query.variable,
        (long long)a->query.extent, (long long)blocks->query_blocks, (long long)blocks->panels,
        blocks->scores.columns);
    p->indent += 2;
    line_begin(p);
    strbuf_printf(
        p->out, "serial i%d:%lld in %lld blocks of %lld", a->key.variable, (long long)a->key.extent,
        (long long)blocks->key_blocks, (long long)blocks->keys);
    for (int i = 0; i < a->mask_count; i++) {
        strbuf_puts(p->out, i ? " or " : ", but where never ");
        if (!a->masks[i].kept) strbuf_puts(p->out, "not ");
        print_expr(p, a->masks[i].condition);
    }
    strbuf_putc(p->out, '\n');
    p->indent += 2;
}

static void print_named(StagePrint *p, const char *what, const Expr *scalar, const Expr *x) {
    line_begin(p);
    if (scalar) {
        print_expr(p, scalar);
        strbuf_puts(p->out, " = ");
    }
    strbuf_puts(p->out, what);
    print_expr(p, x);
    strbuf_putc(p->out, '\n');
}

static void print_contract(
    StagePrint *p, const Expr *sum, const Axis *axis, const Expr *x, const Expr *y, Tile tile,
    bool in_place) {
    line_begin(p);
    strbuf_puts(p->out, "contract ");
    print_expr(p, sum);
    strbuf_printf(p->out, " = add over i%d:%lld of ", axis->variable, (long long)axis->extent);
    print_expr(p, x);
    strbuf_puts(p->out, " * ");
    print_expr(p, y);
    strbuf_printf(
        p->out, ", tiles of %dx%d, the left one %s\n", tile.rows, tile.columns,
        in_place ? "in place" : "packed");
}

static void print_attention(StagePrint *p) {
    const Attention *a = p->stage->attention;
    const Expr *exprs[] = {a->keys,    a->queries, a->score, a->offset,
                           a->summand, a->weight,  a->values};
    for (int i = 0; i < 7; i++) {
        if (exprs[i]) count_uses(p, exprs[i]);
    }
    for (int i = 0; i < a->mask_count; i++)
        count_uses(p, a->masks[i].condition);
    line_begin(p);
    strbuf_printf(p->out, "parallel i%d:%lld\n", a->outer.variable, (long long)a->outer.extent);
    p->indent += 2;
    int indent = p->indent;
    for (intptr_t level = 0; level <= ALONE; level = level == 3 ? ALONE : level + 1) {
        PtrMap seen = ptr_map(p->scratch);
        for (int i = 0; i < 7; i++) {
            if (exprs[i]) print_lines_of(p, exprs[i], level, &seen);
        }
    }
    print_blocks(p, a);
    print_contract(
        p, a->raw, &a->depth, a->keys, a->queries, a->blocks.scores, a->blocks.keys_in_place);
    print_named(p, "fold maximum of ", a->maximum, a->score);
    if (a->offset) print_named(p, "offset ", NULL, a->offset);
    line_begin(p);
    print_expr(p, a->e);
    strbuf_puts(p->out, a->offset ? " = exponential(score - offset)\n" : " = exponential(score)\n");
    print_named(p, "fold add of ", a->sum, a->summand);
    print_contract(
        p, a->y, &a->key, a->values, a->weight, a->blocks.product, a->blocks.values_in_place);
    p->indent = indent + 2;
    line_begin(p);
    strbuf_printf(p->out, "parallel i%d:%lld\n", a->column.variable, (long long)a->column.extent);
    p->indent += 2;
}

// The stage without the numbers and tables that it reads.
static void print_body(StagePrint *p) {
    const Stage *stage = p->stage;
    print_starts(p);
    if (stage->op) print_special(p);
    print_level(p, 0);
    if (stage->attention) print_attention(p);
    for (int d = 0; d < stage->axis_count && !stage->attention; d++) {
        const Axis *axis = &stage->axes[d];
        if (axis->extent == 1) {
            print_level(p, d + 1);
            continue;
        }
        line_begin(p);
        strbuf_printf(
            p->out, "%s i%d:%lld%s\n", axis->role == AXIS_SERIAL ? "serial" : "parallel",
            axis->variable, (long long)axis->extent,
            axis->role == AXIS_SERIAL && stage->is_reversed ? " downwards" : "");
        p->indent += 2;
        print_level(p, d + 1);
    }
    if (stage->rows) print_rows(p, stage->rows);
    print_stores(p, stage->store_count, stage->stores);
}

void stage_print(StrBuf *out, const Stage *stage, int indent) {
    Arena *scratch = arena_child(out->arena);
    StagePrint print = {.out = out, .scratch = scratch, .stage = stage}, *p = &print;
    print.indent = indent;
    print.levels = ptr_map(scratch);
    print.counts = ptr_map(scratch);
    print.names = ptr_map(scratch);
    print.scalars = ptr_map(scratch);
    for (int i = 0; i < stage->store_count; i++)
        count_uses(p, stage->stores[i].value);
    StrBuf numbers = strbuf(scratch), rest = strbuf(scratch);
    p->out = &numbers;
    print_numbers(p);
    p->out = &rest;
    print_body(p);
    p->out = out;
    p->indent = indent;
    strbuf_append(out, strbuf_view(&numbers));
    print_tables(p, (const StrBuf[]){numbers, rest}, 2);
    strbuf_append(out, strbuf_view(&rest));
    if (stage->space) print_space(out, stage->space, indent);
    arena_reset(scratch);
}
