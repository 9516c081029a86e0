// Expressions and folds as text, and the innermost axis that each needs.
#include "codegen/plan/print/print_expr.h"

#include "ir/scalar/scalar.h"

static intptr_t larger(intptr_t a, intptr_t b) { return a > b ? a : b; }

static intptr_t index_level(StagePrint *p, const IndexExpr *x) {
    intptr_t level = 0;
    for (int i = 0; x && i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (atom->of) level = larger(level, index_level(p, atom->of));
        if (atom->kind == INDEX_RUNTIME) {
            const Expr *number = p->stage->exprs->runtimes.data[atom->id].x;
            if (number) level = larger(level, print_level_of(p, number));
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
        level = larger(level, print_level_of(p, list[i]));
    return level;
}

static intptr_t guards_level(StagePrint *p, int count, const Guard *guards) {
    intptr_t level = 0;
    for (int i = 0; i < count; i++)
        level = larger(level, index_level(p, guards[i].x));
    return level;
}

// A fold's level is that of what is not its own: of its start, steps and guards, with its axes and
// accumulators, and those of the folds inside, as nothing.
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
        walk->level = larger(walk->level, print_level_of(walk->p, x));
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

intptr_t print_level_of(StagePrint *p, const Expr *x) {
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

void print_index_expr(const StagePrint *p, const IndexExpr *x) { index_print(p->out, x); }

void print_index_list(StagePrint *p, int rank, const IndexExpr *const *index) {
    strbuf_putc(p->out, '[');
    for (int d = 0; d < rank; d++) {
        if (d) strbuf_puts(p->out, ", ");
        print_index_expr(p, index[d]);
    }
    strbuf_putc(p->out, ']');
}

void print_operand(StagePrint *p, const Value *value) {
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
        print_index_expr(p, g->x);
        if (g->x->high >= g->high) strbuf_printf(p->out, " < %lld", (long long)g->high);
    }
}

StrView print_op_name(OpCode code) {
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
    strbuf_append(
        p->out, x->code == OP_CONVERT ? element_text(x->element) : print_op_name(x->code));
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

void print_device(StagePrint *p, const IndexExpr *device) {
    if (!device) return;
    strbuf_puts(p->out, "@(");
    print_index_expr(p, device);
    strbuf_putc(p->out, ')');
}

static void print_load(StagePrint *p, const Expr *x) {
    print_operand(p, x->stored);
    print_device(p, x->device);
    print_index_list(p, x->rank, x->index);
}

void print_fold_axes(StagePrint *p, int count, const FoldAxis *axes) {
    for (int k = 0; k < count; k++)
        strbuf_printf(
            p->out, "%si%d:%lld", k ? ", " : "", axes[k].variable, (long long)axes[k].extent);
}

// "add over i3:16 of x from start", or all accumulators.
void print_fold(StagePrint *p, const Fold *fold) {
    const Expr *step = fold->step[0];
    bool is_simple = fold->count == 1 && fold->guard_count == 0 && step->kind == EXPR_ARITHMETIC &&
                     step->operands[0] == fold->accumulators[0];
    if (is_simple) {
        strbuf_append(p->out, print_op_name(step->code));
        if (fold->axis_count) strbuf_puts(p->out, " over ");
        print_fold_axes(p, fold->axis_count, fold->axes);
        strbuf_puts(p->out, " of ");
        print_expr(p, step->operands[1]);
        strbuf_puts(p->out, " from ");
        print_expr(p, fold->start[0]);
        return;
    }
    strbuf_puts(p->out, "over ");
    print_fold_axes(p, fold->axis_count, fold->axes);
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

void print_expr(StagePrint *p, const Expr *x) {
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
        print_index_list(p, 1, &x->at);
        break;
    case EXPR_LOAD: print_load(p, x); break;
    case EXPR_NUMBER:
        strbuf_append(p->out, element_text(x->element));
        strbuf_putc(p->out, '(');
        print_index_expr(p, x->at);
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
        print_index_list(p, 1, &x->at);
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
