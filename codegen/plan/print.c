// Stages as loop nests:
//
//     parallel i0:2048
//       fold f0 = maximum over i2:2048 of arg0[i0, i2]
//       fold f1 = add over i3:2048 of exponential(arg0[i0, i3] - f0)
//       parallel i1:2048
//         x0 = exponential(arg0[i0, i1] - f0)
//         result0[i0, i1] = x0 / f1
//
// A line stands inside of the axes that it depends on. x are expressions that are used more than once, f folds (f0.1 is the second result), s accumulators
// and results of special ops, r numbers that the kernel reads first (r0: its device), t tables.
#include "codegen/plan/attention.h"
#include "codegen/plan/space.h"
#include "ir/scalar/scalar.h"

typedef struct StagePrint {
    StrBuf *out;
    Arena *scratch;
    const Stage *stage;
    PtrMap levels;  // Expr, Fold: 1 + number of the innermost axis + 1; ALONE inside of a fold
    PtrMap counts;  // Expr: how often it is used
    PtrMap names;   // Expr, Fold: 1 + number, of those that were printed
    PtrMap scalars; // Expr: the text of a result of a pass
    int x_count, f_count;
    int indent;
} StagePrint;

enum { ALONE = 1000 }; // level of what depends on a fold's axis or accumulator

static void print_expr(StagePrint *p, const Expr *x);

// ---- levels: which axes does it need?

static intptr_t larger(intptr_t a, intptr_t b) { return a > b ? a : b; }

static intptr_t level_of(StagePrint *p, const Expr *x);

static intptr_t index_level(StagePrint *p, const IndexExpr *x) {
    intptr_t level = 0;
    for (int i = 0; x && i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (atom->of) level = larger(level, index_level(p, atom->of));
        if (atom->kind == INDEX_RUNTIME) {
            const Expr *number = p->stage->exprs->runtimes.data[atom->id].x;
            if (number) level = larger(level, level_of(p, number));
        }
        if (atom->kind != INDEX_VARIABLE) continue;
        intptr_t own = ALONE;
        for (int d = 0; d < p->stage->axis_count; d++) {
            if (p->stage->axes[d].variable == atom->id) own = d + 1;
        }
        level = larger(level, own);
    }
    return level;
}

static intptr_t list_level(StagePrint *p, int count, const Expr *const *list) {
    intptr_t level = 0;
    for (int i = 0; i < count; i++)
        level = larger(level, level_of(p, list[i]));
    return level;
}

static intptr_t guards_level(StagePrint *p, int count, const Guard *guards) {
    intptr_t level = 0;
    for (int i = 0; i < count; i++)
        level = larger(level, index_level(p, guards[i].x));
    return level;
}

// A fold's level is that of what is not its own: of its start, steps and guards, with its axes and accumulators, and those of the folds inside, as nothing.
typedef struct OwnWalk {
    StagePrint *p;
    VEC(const Fold *) own;
    PtrMap seen;
    intptr_t level;
} OwnWalk;

static bool is_own_variable(const OwnWalk *walk, int id) {
    for (int64_t i = 0; i < walk->own.count; i++) {
        const Fold *fold = walk->own.data[i];
        for (int k = 0; k < fold->axis_count; k++) {
            if (fold->axes[k].variable == id) return true;
        }
    }
    return false;
}

static bool is_own_scalar(const OwnWalk *walk, const Expr *x) {
    for (int64_t i = 0; i < walk->own.count; i++) {
        const Fold *fold = walk->own.data[i];
        for (int k = 0; k < fold->count; k++) {
            if (fold->accumulators[k] == x) return true;
        }
    }
    return false;
}

static void walk_index(OwnWalk *walk, const IndexExpr *x) {
    for (int i = 0; x && i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        const IndexExpr one = {.term_count = 1, .atoms = &x->atoms[i], .factors = &x->factors[i]};
        bool is_own = atom->kind == INDEX_VARIABLE && is_own_variable(walk, atom->id);
        if (atom->of)
            walk_index(walk, atom->of);
        else if (!is_own)
            walk->level = larger(walk->level, index_level(walk->p, &one));
    }
}

static void walk_fold(OwnWalk *walk, const Fold *fold);

static void walk_expr(OwnWalk *walk, const Expr *x) {
    if (ptr_map_has(&walk->seen, x)) return;
    ptr_map_set(&walk->seen, x, walk);
    if (x->kind == EXPR_SCALAR && !is_own_scalar(walk, x))
        walk->level = larger(walk->level, level_of(walk->p, x));
    walk_index(walk, x->at);
    walk_index(walk, x->device);
    for (int i = 0; i < x->guard_count; i++)
        walk_index(walk, x->guards[i].x);
    for (int i = 0; i < x->operand_count; i++)
        walk_expr(walk, x->operands[i]);
    if (x->fold) walk_fold(walk, x->fold);
}

static void walk_fold(OwnWalk *walk, const Fold *fold) {
    vec_push(walk->p->scratch, &walk->own, fold);
    for (int i = 0; i < fold->guard_count; i++)
        walk_index(walk, fold->guards[i].x);
    for (int i = 0; i < fold->count; i++) {
        walk_expr(walk, fold->start[i]);
        walk_expr(walk, fold->step[i]);
    }
}

static intptr_t fold_level(StagePrint *p, const Fold *fold) {
    void *known = ptr_map_get(&p->levels, fold);
    if (known) return (intptr_t)known - 1;
    OwnWalk walk = {.p = p, .seen = ptr_map(p->scratch)};
    walk_fold(&walk, fold);
    ptr_map_set(&p->levels, fold, (void *)(walk.level + 1));
    return walk.level;
}

static intptr_t level_of(StagePrint *p, const Expr *x) {
    // of a special stage it is the op's result
    if (x->kind == EXPR_SCALAR)
        return p->stage->kind == STAGE_SPECIAL ? p->stage->axis_count : ALONE;
    void *known = ptr_map_get(&p->levels, x);
    if (known) return (intptr_t)known - 1;
    intptr_t level = larger(index_level(p, x->at), index_level(p, x->device));
    level = larger(level, guards_level(p, x->guard_count, x->guards));
    level = larger(level, list_level(p, x->operand_count, x->operands));
    if (x->fold) level = larger(level, fold_level(p, x->fold));
    ptr_map_set(&p->levels, x, (void *)(level + 1));
    return level;
}

// ---- pieces

static void print_index(const StagePrint *p, const IndexExpr *x) { index_print(p->out, x); }

static void print_indices(StagePrint *p, int rank, const IndexExpr *const *index) {
    strbuf_putc(p->out, '[');
    for (int d = 0; d < rank; d++) {
        if (d) strbuf_puts(p->out, ", ");
        print_index(p, index[d]);
    }
    strbuf_putc(p->out, ']');
}

static void print_operand(StagePrint *p, const Value *value) {
    const Kernel *kernel = p->stage->exprs->kernel;
    int k = kernel_operand(kernel, value);
    if (k < 0) {
        strbuf_puts(p->out, "value");
        return;
    }
    buffer_print_name(
        p->out, k < kernel->output_count ? kernel->outputs[k].buffer
                                         : kernel->inputs[k - kernel->output_count].buffer);
}

static void print_list(StagePrint *p, int count, const Expr *const *list) {
    strbuf_putc(p->out, '(');
    for (int i = 0; i < count; i++) {
        if (i) strbuf_puts(p->out, ", ");
        print_expr(p, list[i]);
    }
    strbuf_putc(p->out, ')');
}

static void print_guards(StagePrint *p, int count, const Guard *guards) {
    for (int i = 0; i < count; i++) {
        if (i) strbuf_puts(p->out, " and ");
        const Guard *g = &guards[i];
        if (g->x->low < g->low) strbuf_printf(p->out, "%lld <= ", (long long)g->low);
        print_index(p, g->x);
        if (g->x->high >= g->high) strbuf_printf(p->out, " < %lld", (long long)g->high);
    }
}

static StrView short_name(OpCode code) {
    StrView name = op_code_text(code);
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '.') return (StrView){name.data + i + 1, name.size - i - 1};
    }
    return name;
}

static const char *infix(OpCode code) {
    switch (code) { // NOLINT(hicpp-multiway-paths-covered): the others are functions
    case OP_ADD: return " + ";
    case OP_SUBTRACT: return " - ";
    case OP_MULTIPLY: return " * ";
    case OP_DIVIDE: return " / ";
    default: return NULL;
    }
}

static void print_op(StagePrint *p, const Expr *x) {
    static const char *const directions[] = {
        [DIRECTION_EQ] = " == ", [DIRECTION_NE] = " != ", [DIRECTION_GE] = " >= ",
        [DIRECTION_GT] = " > ",  [DIRECTION_LE] = " <= ", [DIRECTION_LT] = " < "};
    const char *sign = infix(x->code);
    if (x->code == OP_COMPARE)
        sign = directions[op_int(x->op, NAME_COMPARISON_DIRECTION, DIRECTION_EQ)];
    if (sign && x->operand_count == 2) {
        strbuf_putc(p->out, '(');
        print_expr(p, x->operands[0]);
        strbuf_puts(p->out, sign);
        print_expr(p, x->operands[1]);
        strbuf_putc(p->out, ')');
        return;
    }
    strbuf_append(p->out, x->code == OP_CONVERT ? element_text(x->element) : short_name(x->code));
    print_list(p, x->operand_count, x->operands);
}

static void print_constant(StagePrint *p, const Expr *x) {
    const char *data = attr_element(x->elements, x->id);
    double _Complex number = 0;
    scalar_load_complex(x->element, data, 1, 1, &number);
    int64_t integer = 0;
    if (element_class(x->element) == CLASS_COMPLEX) {
        strbuf_printf(p->out, "(%g, %g)", creal(number), cimag(number));
    } else if (element_class(x->element) == CLASS_FLOAT) {
        strbuf_printf(p->out, "%g", creal(number));
    } else {
        scalar_load_int(x->element, data, 1, 1, &integer);
        strbuf_printf(p->out, "%lld", (long long)integer);
    }
}

static void print_load(StagePrint *p, const Expr *x) {
    print_operand(p, x->stored);
    if (x->device) {
        strbuf_puts(p->out, "@(");
        print_index(p, x->device);
        strbuf_putc(p->out, ')');
    }
    print_indices(p, x->rank, x->index);
}

// ---- folds

static void print_axes(StagePrint *p, int count, const FoldAxis *axes) {
    for (int k = 0; k < count; k++)
        strbuf_printf(
            p->out, "%si%d:%lld", k ? ", " : "", axes[k].variable, (long long)axes[k].extent);
}

// "add over i3:16 of x from start", or all accumulators.
static void print_fold(StagePrint *p, const Fold *fold) {
    const Expr *step = fold->step[0];
    bool is_simple = fold->count == 1 && fold->guard_count == 0 && step->kind == EXPR_ARITHMETIC &&
                     step->operands[0] == fold->accumulators[0];
    if (is_simple) {
        strbuf_append(p->out, short_name(step->code));
        if (fold->axis_count) strbuf_puts(p->out, " over ");
        print_axes(p, fold->axis_count, fold->axes);
        strbuf_puts(p->out, " of ");
        print_expr(p, step->operands[1]);
        strbuf_puts(p->out, " from ");
        print_expr(p, fold->start[0]);
        return;
    }
    strbuf_puts(p->out, "over ");
    print_axes(p, fold->axis_count, fold->axes);
    if (fold->guard_count) {
        strbuf_puts(p->out, " where ");
        print_guards(p, fold->guard_count, fold->guards);
    }
    for (int i = 0; i < fold->count; i++) {
        strbuf_printf(p->out, "%s s%lld = ", i ? ";" : ":", (long long)fold->accumulators[i]->id);
        print_expr(p, fold->step[i]);
        strbuf_puts(p->out, " from ");
        print_expr(p, fold->start[i]);
    }
}

static void print_fold_result(StagePrint *p, const Expr *x) {
    void *name = ptr_map_get(&p->names, x->fold);
    const Expr *result = x->fold->result[x->id];
    if (name) {
        strbuf_printf(p->out, "f%lld", (long long)(intptr_t)name - 1);
        if (x->fold->result_count > 1) strbuf_printf(p->out, ".%lld", (long long)x->id);
    } else {
        strbuf_puts(p->out, "(fold ");
        print_fold(p, x->fold);
        strbuf_putc(p->out, ')');
    }
    if (result->kind == EXPR_CONVERT) {
        strbuf_puts(p->out, ":");
        strbuf_append(p->out, element_text(result->element));
    }
}

// ---- expressions

static void print_choice(StagePrint *p, const Expr *x) {
    strbuf_putc(p->out, '(');
    print_guards(p, x->guard_count, x->guards);
    if (x->operand_count > 2) print_expr(p, x->operands[2]);
    strbuf_puts(p->out, " ? ");
    print_expr(p, x->operands[0]);
    strbuf_puts(p->out, " : ");
    print_expr(p, x->operands[1]);
    strbuf_putc(p->out, ')');
}

static void print_expr(StagePrint *p, const Expr *x) {
    void *name = x->kind == EXPR_FOLD ? NULL : ptr_map_get(&p->names, x);
    if (name) {
        strbuf_printf(p->out, "x%lld", (long long)(intptr_t)name - 1);
        return;
    }
    switch (x->kind) {
    case EXPR_REAL: strbuf_printf(p->out, "%g", x->real); break;
    case EXPR_CONSTANT: print_constant(p, x); break;
    case EXPR_TABLE:
        strbuf_puts(p->out, "constant");
        print_indices(p, 1, &x->at);
        break;
    case EXPR_LOAD: print_load(p, x); break;
    case EXPR_NUMBER:
        strbuf_append(p->out, element_text(x->element));
        strbuf_putc(p->out, '(');
        print_index(p, x->at);
        strbuf_putc(p->out, ')');
        break;
    case EXPR_TEST:
        strbuf_putc(p->out, '(');
        print_guards(p, x->guard_count, x->guards);
        strbuf_putc(p->out, ')');
        break;
    case EXPR_OP:
    case EXPR_ARITHMETIC: print_op(p, x); break;
    case EXPR_CONVERT:
        strbuf_append(p->out, element_text(x->element));
        print_list(p, 1, x->operands);
        break;
    case EXPR_BITS:
        strbuf_puts(p->out, "bits:");
        strbuf_append(p->out, element_text(x->element));
        print_list(p, x->operand_count, x->operands);
        break;
    case EXPR_SELECT:
        strbuf_puts(p->out, "select");
        print_list(p, 3, x->operands);
        break;
    case EXPR_CHOICE: print_choice(p, x); break;
    case EXPR_FOLD: print_fold_result(p, x); break;
    case EXPR_LOCAL:
        strbuf_printf(p->out, "l%lld", (long long)x->id);
        print_indices(p, 1, &x->at);
        break;
    case EXPR_SCALAR: {
        const char *text = ptr_map_get(&p->scalars, x);
        if (text)
            strbuf_puts(p->out, text);
        else
            strbuf_printf(p->out, "s%lld", (long long)x->id);
        break;
    }
    }
}

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

// Lines of folds and shared expressions inside of x that belong to this level, inner ones first. (What only a choice uses is computed when it is
// taken.)
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
    if (!has_own_line(p, x) || level_of(p, x) != level || ptr_map_has(&p->names, thing)) return;
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
    for (int64_t i = 0; i < b->tables.count; i++) {
        const IndexTable *table = &b->tables.data[i];
        line_begin(p);
        strbuf_printf(p->out, "t%lld =", (long long)i);
        for (int64_t k = 0; k < table->count && k < 16; k++)
            strbuf_printf(p->out, " %lld", (long long)table->numbers[k]);
        strbuf_puts(p->out, table->count > 16 ? " ...\n" : "\n");
    }
}

static void print_stores(StagePrint *p, int count, const Store *stores) {
    for (int i = 0; i < count; i++) {
        const Store *store = &stores[i];
        line_begin(p);
        print_operand(p, store->output);
        print_indices(p, store->output->type->rank, store->index);
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

static void print_pass(StagePrint *p, const RowPass *pass) {
    line_begin(p);
    strbuf_puts(p->out, "pass ");
    print_axes(p, pass->axis_count, pass->axes);
    strbuf_putc(p->out, '\n');
    p->indent += 2;
    print_shared(p, pass);
    for (int i = 0; i < pass->keep_count; i++) {
        line_begin(p);
        strbuf_printf(p->out, "l%d[", pass->keeps[i].local);
        print_index(p, pass->keeps[i].at);
        strbuf_puts(p->out, "] = ");
        print_expr(p, pass->keeps[i].value);
        strbuf_putc(p->out, '\n');
    }
    for (int i = 0; i < pass->fold_count; i++) {
        const RowFold *fold = &pass->folds[i];
        line_begin(p);
        strbuf_printf(p->out, "fold f%d = ", p->f_count);
        print_fold(p, fold->fold);
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
    if (pass->space) space_print(p->out, pass->space, p->indent + 2);
}

static void print_rows(StagePrint *p, const Rows *rows) {
    for (int i = 0; i < rows->local_count; i++) {
        const RowLocal *local = &rows->locals[i];
        line_begin(p);
        strbuf_printf(
            p->out, "local l%d[%lld]%.*s at %lld\n", i, (long long)local->count,
            SV_ARG(element_text(local->element)), (long long)local->offset);
    }
    for (int i = 0; i < rows->pass_count; i++)
        print_pass(p, &rows->passes[i]);
    p->names = ptr_map(p->scratch);
}

static void print_special(StagePrint *p) {
    const Stage *stage = p->stage;
    line_begin(p);
    if (stage->store_count) strbuf_puts(p->out, "s0 = ");
    strbuf_append(p->out, short_name(stage->op->code));
    strbuf_putc(p->out, '\n');
    p->indent += 2;
    for (int i = 0; i < stage->operand_count; i++) {
        const StageOperand *operand = &stage->operands[i];
        if (!operand->element) continue;
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
    print_numbers(p);
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
            out, "%s i%d:%lld%s\n", axis->role == AXIS_SERIAL ? "serial" : "parallel",
            axis->variable, (long long)axis->extent,
            axis->role == AXIS_SERIAL && stage->is_reversed ? " downwards" : "");
        p->indent += 2;
        print_level(p, d + 1);
    }
    if (stage->rows) print_rows(p, stage->rows);
    print_stores(p, stage->store_count, stage->stores);
    if (stage->space) space_print(out, stage->space, indent);
    arena_reset(scratch);
}

void space_print(StrBuf *out, const Space *space, int indent) {
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
        for (int k = 1; k < axis->cut_count; k++)
            strbuf_printf(out, "%s%lld", k == 1 ? " cut " : " ", (long long)axis->cuts[k]);
    }
    strbuf_puts(out, space->by_columns ? ", fold by columns\n" : "\n");
}
