// Stages on arrays: see evaluate.h. What an expression was is remembered until a variable or
// scalar that it depends on changes.
#include "codegen/plan/evaluate.h"

#include "codegen/expr/needs.h"
#include "codegen/plan/attention.h"
#include "ir/scalar/scalar.h"

#include <math.h>
#include <string.h>

// An element as it is stored: up to a complex<f64>.
typedef struct Cell {
    char bytes[16];
} Cell;

typedef struct Known {
    Cell cell;
    int64_t time; // when it was found; 0 = never
} Known;

typedef struct Machine {
    Arena *arena;
    const Stage *stage;
    const ExprBuilder *b;
    const StageMemory *memory;
    int64_t device;
    int64_t now;                         // counts changes
    int64_t *variables, *variable_times; // by id
    Cell *scalars;                       // by id
    int64_t *scalar_times;
    Cell **locals;           // of STAGE_ROWS: by number
    bool has_late;           // there is a row before, whose last pass is not made yet:
    int64_t *late_variables; // its axes and scalars, by id
    Cell *late_scalars;
    int64_t valid_from; // what was found before counts no more
    Needs needs;
    Known *known; // by Expr.number
    bool failed;
} Machine;

static Cell evaluate(Machine *m, const Expr *x);

static bool is_scan(const Machine *m, const Fold *fold) {
    return m->stage->kind == STAGE_SCAN && fold == m->stage->fold;
}

// ---- what is known

static bool is_valid(Machine *m, const Expr *x) {
    const Known *known = &m->known[x->number];
    if (!known->time || known->time < m->valid_from) return false;
    const uint64_t *needs = needs_of(&m->needs, x);
    int variables = m->b->variable_count;
    for (int i = 0; i < variables + m->b->scalar_count; i++) {
        if (!needs_has(needs, i)) continue;
        int64_t time = i < variables ? m->variable_times[i] : m->scalar_times[i - variables];
        if (time > known->time) return false;
    }
    return true;
}

static void set_variable(Machine *m, int id, int64_t number) {
    m->variables[id] = number;
    m->variable_times[id] = ++m->now;
}

static void set_scalar(Machine *m, const Expr *scalar, Cell cell) {
    m->scalars[scalar->id] = cell;
    m->scalar_times[scalar->id] = ++m->now;
}

// ---- indices

static int64_t floor_div(int64_t x, int64_t by) { return x / by - (x % by < 0); }

static int64_t integer_of(const Cell *cell, ElementType element) {
    int64_t number = 0;
    scalar_load_int(element, cell->bytes, 1, 1, &number);
    // what does not fit is larger than every index
    bool is_beyond = element_class(element) == CLASS_UINT && number < 0;
    return is_beyond ? INT64_MAX : number;
}

static int64_t evaluate_index(Machine *m, const IndexExpr *x);

static int64_t evaluate_atom(Machine *m, const IndexAtom *atom) {
    switch (atom->kind) {
    case INDEX_VARIABLE: return m->variables[atom->id];
    case INDEX_RUNTIME: {
        const RuntimeNumber *number = &m->b->runtimes.data[atom->id];
        if (!number->x) return m->device;
        Cell cell = evaluate(m, number->x);
        int64_t i = integer_of(&cell, number->x->element);
        return i < number->low ? number->low : i > number->high ? number->high : i;
    }
    case INDEX_DIV: return floor_div(evaluate_index(m, atom->of), atom->by);
    case INDEX_MOD: {
        int64_t i = evaluate_index(m, atom->of);
        return i - floor_div(i, atom->by) * atom->by;
    }
    case INDEX_TABLE: {
        const IndexTable *table = &m->b->tables.data[atom->id];
        int64_t i = evaluate_index(m, atom->of);
        return i >= 0 && i < table->count ? table->numbers[i] : 0;
    }
    }
    return 0;
}

static int64_t evaluate_index(Machine *m, const IndexExpr *x) {
    int64_t sum = x->constant;
    for (int i = 0; i < x->term_count; i++)
        sum += x->factors[i] * evaluate_atom(m, x->atoms[i]);
    return sum;
}

static bool guards_hold(Machine *m, int count, const Guard *guards) {
    for (int i = 0; i < count; i++) {
        int64_t x = evaluate_index(m, guards[i].x);
        if (x < guards[i].low || x >= guards[i].high) return false;
    }
    return true;
}

// ---- expressions

static char *element_address(const Machine *m, const Value *value, int64_t device, int64_t at) {
    const Kernel *kernel = m->b->kernel;
    int count = kernel->output_count + kernel->input_count, k = kernel_operand(kernel, value);
    return m->memory->operands[device * count + k] +
           at * (int64_t)element_bytes(value->type->element);
}

static Cell cell_of_real(ElementType element, double number) {
    Cell cell = {{0}};
    double _Complex z = complex_of(number, 0);
    int64_t integer = (int64_t)number;
    switch (element_class(element)) {
    case CLASS_FLOAT: scalar_store_real(element, &number, 1, cell.bytes); break;
    case CLASS_COMPLEX: scalar_store_complex(element, &z, 1, cell.bytes); break;
    case CLASS_BOOL:
    case CLASS_SINT:
    case CLASS_UINT: scalar_store_int(element, &integer, 1, cell.bytes); break;
    }
    return cell;
}

static Cell cell_at(const void *data, ElementType element) {
    Cell cell = {{0}};
    memcpy(cell.bytes, data, element_bytes(element));
    return cell;
}

static Cell evaluate_load(Machine *m, const Expr *x) {
    int64_t device = x->device ? evaluate_index(m, x->device) : m->device;
    return cell_at(element_address(m, x->stored, device, evaluate_index(m, x->at)), x->element);
}

static Cell evaluate_op(Machine *m, const Expr *x) {
    Cell operands[3], result = {{0}};
    ScalarArg arguments[3];
    for (int i = 0; i < x->operand_count; i++) {
        operands[i] = evaluate(m, x->operands[i]);
        arguments[i] = (ScalarArg){operands[i].bytes, x->operands[i]->element, false};
    }
    if (!scalar_apply(x->code, x->op, 1, arguments, x->element, result.bytes)) m->failed = true;
    return result;
}

static Cell convert_cell(ElementType from, const Cell *cell, ElementType to) {
    Cell result = {{0}};
    scalar_convert(from, cell->bytes, to, result.bytes, 1);
    return result;
}

static Cell evaluate_number(Machine *m, const Expr *x) {
    Cell number = {{0}};
    int64_t at = evaluate_index(m, x->at);
    memcpy(number.bytes, &at, sizeof at);
    return convert_cell(ELEMENT_I64, &number, x->element);
}

// Bits from the operands, the first lowest. Elements of less than a byte lie in bytes of their own.
static Cell evaluate_bits(Machine *m, const Expr *x) {
    Cell result = {{0}};
    int64_t first = x->at ? evaluate_index(m, x->at) : 0;
    int bits = element_bits(x->operands[0]->element);
    for (int64_t i = 0; i < element_bits(x->element); i++) {
        int64_t part = (first + i) / bits, bit = (first + i) % bits;
        Cell cell = evaluate(m, x->operands[part]);
        int is_set = cell.bytes[bit / 8] >> (bit % 8) & 1;
        result.bytes[i / 8] = (char)(result.bytes[i / 8] | is_set << (i % 8));
    }
    return result;
}

static bool is_true(const Cell *cell) { return (cell->bytes[0] & 1) != 0; }

static bool choice_holds(Machine *m, const Expr *x) {
    if (!guards_hold(m, x->guard_count, x->guards)) return false;
    if (x->operand_count < 3) return true;
    Cell condition = evaluate(m, x->operands[2]);
    return is_true(&condition);
}

static void fold_steps(Machine *m, const Fold *fold, int k, Cell *sums) {
    if (k < fold->axis_count) {
        for (int64_t i = 0; i < fold->axes[k].extent; i++) {
            set_variable(m, fold->axes[k].variable, i);
            fold_steps(m, fold, k + 1, sums);
        }
        return;
    }
    if (!guards_hold(m, fold->guard_count, fold->guards)) return;
    Cell *next = ARENA_ARRAY(m->arena, Cell, fold->count);
    for (int i = 0; i < fold->count; i++)
        next[i] = evaluate(m, fold->step[i]);
    for (int i = 0; i < fold->count; i++)
        set_scalar(m, fold->accumulators[i], sums[i] = next[i]);
}

static void fold_begin(Machine *m, const Fold *fold, Cell *sums) {
    for (int i = 0; i < fold->count; i++)
        sums[i] = evaluate(m, fold->start[i]);
    for (int i = 0; i < fold->count; i++)
        set_scalar(m, fold->accumulators[i], sums[i]);
}

static Cell evaluate_fold(Machine *m, const Expr *x) {
    const Fold *fold = x->fold;
    if (is_scan(m, fold)) // its steps are the stage's
        return evaluate(m, fold->result[x->id]);
    Cell *sums = ARENA_ARRAY(m->arena, Cell, fold->count);
    fold_begin(m, fold, sums);
    fold_steps(m, fold, 0, sums);
    return evaluate(m, fold->result[x->id]);
}

static Cell evaluate_anew(Machine *m, const Expr *x) {
    switch (x->kind) {
    case EXPR_REAL: return cell_of_real(x->element, x->real);
    case EXPR_CONSTANT: return cell_at(attr_element(x->elements, x->id), x->element);
    case EXPR_TABLE:
        return cell_at(attr_element(x->elements, evaluate_index(m, x->at)), x->element);
    case EXPR_LOAD: return evaluate_load(m, x);
    case EXPR_NUMBER: return evaluate_number(m, x);
    case EXPR_TEST:
        return cell_of_real(ELEMENT_I1, guards_hold(m, x->guard_count, x->guards) ? 1 : 0);
    case EXPR_OP:
    case EXPR_ARITHMETIC: return evaluate_op(m, x);
    case EXPR_CONVERT: {
        Cell cell = evaluate(m, x->operands[0]);
        return convert_cell(x->operands[0]->element, &cell, x->element);
    }
    case EXPR_BITS: return evaluate_bits(m, x);
    case EXPR_SELECT: {
        Cell condition = evaluate(m, x->operands[0]);
        return evaluate(m, x->operands[is_true(&condition) ? 1 : 2]);
    }
    case EXPR_CHOICE: return evaluate(m, x->operands[choice_holds(m, x) ? 0 : 1]);
    case EXPR_FOLD: return evaluate_fold(m, x);
    case EXPR_LOCAL: return m->locals[x->id][evaluate_index(m, x->at)];
    case EXPR_SCALAR: return m->scalars[x->id];
    }
    return (Cell){{0}};
}

static Cell evaluate(Machine *m, const Expr *x) {
    if (x->kind == EXPR_SCALAR) return m->scalars[x->id];
    Known *known = &m->known[x->number];
    if (is_valid(m, x)) return known->cell;
    known->cell = evaluate_anew(m, x);
    known->time = ++m->now;
    return known->cell;
}

// ---- stages

static void store_all(Machine *m, int count, const Store *stores) {
    Cell *values = ARENA_ARRAY(m->arena, Cell, count);
    for (int i = 0; i < count; i++)
        values[i] = evaluate(m, stores[i].value);
    for (int i = 0; i < count; i++) {
        const Store *store = &stores[i];
        int64_t device = store->device ? evaluate_index(m, store->device) : m->device;
        char *to = element_address(m, store->output, device, evaluate_index(m, store->at));
        memcpy(to, values[i].bytes, element_bytes(store->output->type->element));
    }
}

static void scan_steps(Machine *m, const Axis *axis) {
    const Fold *fold = m->stage->fold;
    Cell *sums = ARENA_ARRAY(m->arena, Cell, fold->count);
    fold_begin(m, fold, sums);
    for (int64_t i = 0; i < axis->extent; i++) {
        set_variable(m, axis->variable, m->stage->is_reversed ? axis->extent - 1 - i : i);
        fold_steps(m, fold, 0, sums);
        store_all(m, m->stage->store_count, m->stage->stores);
    }
}

// ---- rows, whose last pass may come late

// Exchanges this row's axes and scalars with those of the row before.
static void swap_rows(Machine *m) {
    for (int d = 0; d < m->stage->axis_count; d++) {
        int id = m->stage->axes[d].variable;
        int64_t number = m->variables[id];
        set_variable(m, id, m->late_variables[id]);
        m->late_variables[id] = number;
    }
    for (int i = 0; i < m->b->scalar_count; i++) {
        Cell cell = m->scalars[i];
        m->scalars[i] = m->late_scalars[i];
        m->late_scalars[i] = cell;
    }
    m->valid_from = ++m->now;
}

static void store_late(Machine *m) {
    const RowPass *last = &m->stage->rows->passes[m->stage->rows->pass_count - 1];
    swap_rows(m);
    store_all(m, last->store_count, last->stores);
    swap_rows(m);
}

// One place of a pass. The values come before what the folds and stores change.
static void pass_place(Machine *m, const RowPass *pass, Cell **sums) {
    Cell *kept = ARENA_ARRAY(m->arena, Cell, pass->keep_count);
    for (int i = 0; i < pass->keep_count; i++)
        kept[i] = evaluate(m, pass->keeps[i].value);
    for (int i = 0; i < pass->fold_count; i++)
        fold_steps(m, pass->folds[i].fold, 0, sums[i]);
    store_all(m, pass->store_count, pass->stores);
    const Rows *rows = m->stage->rows;
    if (m->has_late && pass == &rows->passes[rows->late - 1]) store_late(m);
    for (int i = 0; i < pass->keep_count; i++)
        m->locals[pass->keeps[i].local][evaluate_index(m, pass->keeps[i].at)] = kept[i];
}

static void pass_places(Machine *m, const RowPass *pass, int k, Cell **sums) {
    if (k == pass->axis_count) {
        pass_place(m, pass, sums);
        return;
    }
    for (int64_t i = 0; i < pass->axes[k].extent && !m->failed; i++) {
        set_variable(m, pass->axes[k].variable, i);
        pass_places(m, pass, k + 1, sums);
    }
}

static void run_pass(Machine *m, const RowPass *pass) {
    Cell **sums = ARENA_ARRAY(m->arena, Cell *, pass->fold_count);
    m->valid_from = ++m->now;
    for (int i = 0; i < pass->fold_count; i++) {
        sums[i] = ARENA_ARRAY(m->arena, Cell, pass->folds[i].fold->count);
        fold_begin(m, pass->folds[i].fold, sums[i]);
    }
    pass_places(m, pass, 0, sums);
    for (int i = 0; i < pass->fold_count; i++) {
        const RowFold *fold = &pass->folds[i];
        for (int r = 0; r < fold->fold->result_count; r++)
            set_scalar(m, fold->results[r], evaluate(m, fold->fold->result[r]));
    }
}

// All passes over the row; of late ones, the last one's turn is when the next row is made.
static void run_row(Machine *m) {
    const Rows *rows = m->stage->rows;
    for (int p = 0; p < rows->pass_count - (rows->late > 0); p++)
        run_pass(m, &rows->passes[p]);
    if (!rows->late) return;
    m->has_late = true;
    memcpy(m->late_scalars, m->scalars, (size_t)m->b->scalar_count * sizeof m->scalars[0]);
    memcpy(m->late_variables, m->variables, (size_t)m->b->variable_count * sizeof(int64_t));
}

static void end_rows(Machine *m) {
    if (!m->has_late) return;
    m->has_late = false;
    swap_rows(m);
    run_pass(m, &m->stage->rows->passes[m->stage->rows->pass_count - 1]);
}

static void make_locals(Machine *m) {
    const Rows *rows = m->stage->rows;
    m->locals = ARENA_ARRAY(m->arena, Cell *, rows ? rows->local_count : 0);
    for (int i = 0; rows && i < rows->local_count; i++)
        m->locals[i] = ARENA_ARRAY(m->arena, Cell, rows->locals[i].count);
}

// ---- attention: every row as attention.h defines it, not by blocks

static double evaluate_real(Machine *m, const Expr *x) {
    Cell cell = evaluate(m, x);
    double number = 0;
    scalar_load_real(x->element, cell.bytes, 1, 1, &number);
    return number;
}

static void set_real(Machine *m, const Expr *scalar, double number) {
    set_scalar(m, scalar, cell_of_real(scalar->element, number));
}

// The row's scores, and their maximum. A NaN is passed over: it comes back with the weights.
static void attention_scores(Machine *m, const Attention *a, double *scores) {
    double maximum = -(double)INFINITY;
    for (int64_t j = 0; j < a->key.extent; j++) {
        double sum = 0;
        set_variable(m, a->key.variable, j);
        for (int64_t d = 0; d < a->depth.extent; d++) {
            set_variable(m, a->depth.variable, d);
            sum += evaluate_real(m, a->queries) * evaluate_real(m, a->keys);
        }
        set_real(m, a->raw, sum);
        scores[j] = evaluate_real(m, a->score);
        maximum = fmax(maximum, scores[j]);
    }
    set_real(m, a->maximum, maximum);
}

// Scores become weights.
static void attention_weights(Machine *m, const Attention *a, double *scores) {
    double sum = 0, offset = a->offset ? evaluate_real(m, a->offset) : 0;
    for (int64_t j = 0; j < a->key.extent; j++) {
        set_variable(m, a->key.variable, j);
        set_real(m, a->e, exp(scores[j] - offset));
        sum += evaluate_real(m, a->summand);
        Cell weight = evaluate(m, a->weight);
        weight = convert_cell(a->weight->element, &weight, a->weighted);
        scalar_load_real(a->weighted, weight.bytes, 1, 1, &scores[j]);
    }
    set_real(m, a->sum, sum);
}

static void attention_row(Machine *m, const Attention *a, double *scores) {
    attention_scores(m, a, scores);
    attention_weights(m, a, scores);
    for (int64_t n = 0; n < a->column.extent; n++) {
        double y = 0;
        set_variable(m, a->column.variable, n);
        for (int64_t j = 0; j < a->key.extent; j++) {
            set_variable(m, a->key.variable, j);
            y += scores[j] * evaluate_real(m, a->values);
        }
        set_real(m, a->y, y);
        store_all(m, m->stage->store_count, m->stage->stores);
    }
}

static void run_attention(Machine *m, const Attention *a) {
    double *scores = ARENA_ARRAY(m->arena, double, a->key.extent);
    for (int64_t o = 0; o < a->outer.extent; o++) {
        set_variable(m, a->outer.variable, o);
        for (int64_t i = 0; i < a->query.extent && !m->failed; i++) {
            set_variable(m, a->query.variable, i);
            attention_row(m, a, scores);
        }
    }
}

static void run_axes(Machine *m, int d, const Axis *serial) {
    const Stage *stage = m->stage;
    if (d == stage->axis_count) {
        if (stage->rows) run_row(m);
        if (serial)
            scan_steps(m, serial);
        else
            store_all(m, stage->store_count, stage->stores);
        return;
    }
    const Axis *axis = &stage->axes[d];
    if (axis->role == AXIS_SERIAL) {
        run_axes(m, d + 1, axis);
        return;
    }
    for (int64_t i = 0; i < axis->extent && !m->failed; i++) {
        set_variable(m, axis->variable, i);
        run_axes(m, d + 1, serial);
    }
}

bool stage_evaluate(Arena *arena, const Stage *stage, const StageMemory *memory, int64_t device) {
    const ExprBuilder *b = stage->exprs;
    Machine m = {.arena = arena, .stage = stage, .b = b, .memory = memory, .device = device};
    m.variables = ARENA_ARRAY(arena, int64_t, b->variable_count + 1);
    m.variable_times = ARENA_ARRAY(arena, int64_t, b->variable_count + 1);
    m.late_variables = ARENA_ARRAY(arena, int64_t, b->variable_count + 1);
    m.scalars = ARENA_ARRAY(arena, Cell, b->scalar_count + 1);
    m.late_scalars = ARENA_ARRAY(arena, Cell, b->scalar_count + 1);
    m.scalar_times = ARENA_ARRAY(arena, int64_t, b->scalar_count + 1);
    m.needs = needs_create(arena, b);
    m.needs.open = stage->kind == STAGE_SCAN ? stage->fold : NULL;
    make_locals(&m);
    m.known = ARENA_ARRAY(arena, Known, b->expr_count + 1);
    if (stage->attention)
        run_attention(&m, stage->attention);
    else
        run_axes(&m, 0, NULL);
    end_rows(&m);
    return !m.failed;
}
