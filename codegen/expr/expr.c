// Construction of expressions: interning, and simplification of what is known.
#include "codegen/expr/expr.h"

#include <string.h>

enum { EXPR_BUCKETS = 512 };

typedef struct ExprEntry {
    Expr expr; // first
    uint64_t hash;
    struct ExprEntry *next;
} ExprEntry;

typedef struct FoldEntry {
    Fold fold; // first
    uint64_t hash;
    struct FoldEntry *next;
} FoldEntry;

ExprBuilder *expr_builder_with(
    Arena *arena, const DeviceProgram *program, const Kernel *kernel, int64_t only_device,
    FindElementFn *find_element, Diags *diags) {
    ExprBuilder *b = ARENA_NEW(arena, ExprBuilder);
    b->arena = arena;
    b->program = program;
    b->kernel = kernel;
    b->index = index_builder_create(arena);
    b->diags = diags;
    b->find_element = find_element;
    b->exprs = (ExprEntry **)arena_alloc_array(arena, EXPR_BUCKETS, sizeof(ExprEntry *));
    b->folds = (FoldEntry **)arena_alloc_array(arena, EXPR_BUCKETS, sizeof(FoldEntry *));
    b->elements =
        (struct ElementEntry **)arena_alloc_array(arena, EXPR_BUCKETS, sizeof(ExprEntry *));
    RuntimeNumber own = {.low = 0, .high = program->device_count - 1};
    if (only_device >= 0) own.low = own.high = only_device;
    b->device_folds = ptr_map(arena);
    vec_push(arena, &b->runtimes, own);
    return b;
}

ExprBuilder *expr_builder_after(Arena *arena, const ExprBuilder *from, Diags *diags) {
    ExprBuilder *b =
        expr_builder_with(arena, from->program, from->kernel, -1, from->find_element, diags);
    b->runtimes.data[0] = from->runtimes.data[0];
    for (int i = 0; i < from->variable_count; i++)
        expr_new_variable(b, from->is_fold_variable.data[i]);
    b->scalar_count = from->scalar_count;
    return b;
}

// ---- interning

static bool same_bytes(const void *x, const void *y, int64_t count, size_t size) {
    return count == 0 || (x && y && memcmp(x, y, (size_t)count * size) == 0);
}

static bool same_guards(const Guard *x, const Guard *y, int count) {
    for (int i = 0; x && y && i < count; i++) {
        if (x[i].x != y[i].x || x[i].low != y[i].low || x[i].high != y[i].high) return false;
    }
    return true;
}

static uint64_t mix(uint64_t hash, int64_t number) {
    return hash_bytes(&number, sizeof number, hash);
}

static uint64_t expr_hash(const Expr *x) {
    int64_t key[6] = {
        (int64_t)x->kind,
        (int64_t)x->element,
        (int64_t)x->code,
        x->id,
        x->stored ? x->stored->number : -1,
        x->at ? x->at->number : -1};
    uint64_t hash = hash_bytes(key, sizeof key, 0);
    hash = hash_bytes(&x->real, sizeof x->real, hash);
    hash = mix(hash, x->op ? x->op->number : -1);
    hash = mix(hash, x->fold ? x->fold->number : -1);
    for (int i = 0; i < x->rank; i++)
        hash = mix(hash, x->index[i]->number);
    for (int i = 0; i < x->operand_count; i++)
        hash = mix(hash, x->operands[i]->number);
    for (int i = 0; i < x->guard_count; i++)
        hash = mix(mix(mix(hash, x->guards[i].x->number), x->guards[i].low), x->guards[i].high);
    return hash;
}

static bool same_expr(const Expr *x, const Expr *y) {
    return x->kind == y->kind && x->element == y->element && x->code == y->code && x->op == y->op &&
           x->id == y->id && memcmp(&x->real, &y->real, sizeof x->real) == 0 &&
           x->elements == y->elements && x->stored == y->stored && x->device == y->device &&
           x->at == y->at && x->fold == y->fold && x->rank == y->rank &&
           x->operand_count == y->operand_count && x->guard_count == y->guard_count &&
           same_bytes(x->index, y->index, x->rank, sizeof x->index[0]) &&
           same_bytes(x->operands, y->operands, x->operand_count, sizeof x->operands[0]) &&
           same_guards(x->guards, y->guards, x->guard_count);
}

static const void *copied(Arena *arena, const void *data, int64_t count, size_t size) {
    return count ? arena_copy(arena, data, (size_t)count * size) : NULL;
}

const Expr *expr_intern(ExprBuilder *b, Expr x) {
    uint64_t hash = expr_hash(&x);
    ExprEntry **bucket = &b->exprs[hash % EXPR_BUCKETS];
    for (ExprEntry *entry = *bucket; entry; entry = entry->next) {
        if (entry->hash == hash && same_expr(&entry->expr, &x)) return &entry->expr;
    }
    ExprEntry *entry = ARENA_NEW(b->arena, ExprEntry);
    x.index = copied(b->arena, x.index, x.rank, sizeof x.index[0]);
    x.operands = copied(b->arena, x.operands, x.operand_count, sizeof x.operands[0]);
    x.guards = copied(b->arena, x.guards, x.guard_count, sizeof x.guards[0]);
    x.number = b->expr_count++;
    *entry = (ExprEntry){x, hash, *bucket};
    *bucket = entry;
    return &entry->expr;
}

static uint64_t fold_hash(const Fold *f) {
    int64_t key[4] = {f->axis_count, f->count, f->result_count, f->guard_count};
    uint64_t hash = hash_bytes(key, sizeof key, 0);
    for (int i = 0; i < f->axis_count; i++)
        hash = mix(mix(hash, f->axes[i].variable), f->axes[i].extent);
    for (int i = 0; i < f->count; i++)
        hash = mix(mix(hash, f->start[i]->number), f->step[i]->number);
    return hash;
}

static bool same_fold(const Fold *x, const Fold *y) {
    if (x->axis_count != y->axis_count || x->count != y->count ||
        x->result_count != y->result_count || x->guard_count != y->guard_count ||
        x->in_lanes != y->in_lanes || x->is_sum != y->is_sum || x->unroll != y->unroll ||
        x->choice != y->choice)
        return false;
    for (int i = 0; i < x->axis_count; i++) {
        if (x->axes[i].variable != y->axes[i].variable || x->axes[i].extent != y->axes[i].extent)
            return false;
    }
    size_t size = sizeof(Expr *);
    return same_bytes(x->accumulators, y->accumulators, x->count, size) &&
           same_bytes(x->start, y->start, x->count, size) &&
           same_bytes(x->step, y->step, x->count, size) &&
           same_bytes(x->result, y->result, x->result_count, size) &&
           same_guards(x->guards, y->guards, x->guard_count);
}

const Fold *expr_intern_fold(ExprBuilder *b, const Fold *fold) {
    uint64_t hash = fold_hash(fold);
    FoldEntry **bucket = &b->folds[hash % EXPR_BUCKETS];
    for (FoldEntry *entry = *bucket; entry; entry = entry->next) {
        if (entry->hash == hash && same_fold(&entry->fold, fold)) return &entry->fold;
    }
    FoldEntry *entry = ARENA_NEW(b->arena, FoldEntry);
    *entry = (FoldEntry){*fold, hash, *bucket};
    Fold *f = &entry->fold;
    f->axes = copied(b->arena, fold->axes, fold->axis_count, sizeof fold->axes[0]);
    f->accumulators = copied(b->arena, fold->accumulators, fold->count, sizeof(Expr *));
    f->start = copied(b->arena, fold->start, fold->count, sizeof(Expr *));
    f->step = copied(b->arena, fold->step, fold->count, sizeof(Expr *));
    f->result = copied(b->arena, fold->result, fold->result_count, sizeof(Expr *));
    f->guards = copied(b->arena, fold->guards, fold->guard_count, sizeof fold->guards[0]);
    f->number = b->fold_count++;
    *bucket = entry;
    return f;
}

// ---- leaves

const Expr *expr_real(ExprBuilder *b, ElementType element, double real) {
    return expr_intern(b, (Expr){.kind = EXPR_REAL, .element = element, .real = real});
}

const Expr *expr_constant(ExprBuilder *b, const Attr *elements, const IndexExpr *at) {
    Expr x = {.kind = EXPR_CONSTANT, .element = elements->type->element, .elements = elements};
    if (!elements->is_splat && !index_is_constant(at)) {
        x.kind = EXPR_TABLE;
        x.at = at;
    } else if (!elements->is_splat) {
        x.id = at->constant;
    }
    return expr_intern(b, x);
}

const Expr *expr_number(ExprBuilder *b, ElementType element, const IndexExpr *at) {
    return expr_intern(b, (Expr){.kind = EXPR_NUMBER, .element = element, .at = at});
}

bool guard_add(Guard *list, int *count, Guard guard) {
    IndexTruth truth = index_in_range(guard.x, guard.low, guard.high);
    if (truth == INDEX_SOMETIMES) list[(*count)++] = guard;
    return truth != INDEX_NEVER;
}

const Expr *expr_test(ExprBuilder *b, int guard_count, const Guard *guards) {
    Guard *kept = ARENA_ARRAY(b->arena, Guard, guard_count + 1);
    Expr x = {.kind = EXPR_TEST, .element = ELEMENT_I1, .guards = kept};
    for (int i = 0; i < guard_count; i++) {
        if (!guard_add(kept, &x.guard_count, guards[i])) return expr_real(b, ELEMENT_I1, 0);
    }
    return x.guard_count ? expr_intern(b, x) : expr_real(b, ELEMENT_I1, 1);
}

const Expr *expr_scalar(ExprBuilder *b, ElementType element, int id) {
    return expr_intern(b, (Expr){.kind = EXPR_SCALAR, .element = element, .id = id});
}

const Expr *expr_local(ExprBuilder *b, ElementType element, int id, const IndexExpr *at) {
    return expr_intern(b, (Expr){.kind = EXPR_LOCAL, .element = element, .id = id, .at = at});
}

const Expr *expr_new_scalar(ExprBuilder *b, ElementType element) {
    return expr_scalar(b, element, b->scalar_count++);
}

const Expr *expr_fold(ExprBuilder *b, const Fold *fold, int result) {
    return expr_intern(
        b, (Expr){
               .kind = EXPR_FOLD,
               .element = fold->result[result]->element,
               .fold = fold,
               .id = result});
}

// ---- operations

// An integer that the device decides, or that is a constant, as an index; NULL = it is none.
static const IndexExpr *known_index(ExprBuilder *b, const Expr *x) {
    if (x->kind == EXPR_CONSTANT && element_class(x->element) == CLASS_SINT)
        return index_constant(b->index, attr_element_int(x->elements, x->id));
    return x->kind == EXPR_NUMBER && index_is_of_device(x->at) ? x->at : NULL;
}

// The sum of two numbers of which one follows from the device alone; NULL = it is no such sum, or
// might wrap.
static const Expr *sum_with_device(ExprBuilder *b, const Expr *x, const Expr *y) {
    enum { LEAST_BITS = 32, LIMIT = 1 << 30 };
    if (x->kind != EXPR_NUMBER || y->kind != EXPR_NUMBER || element_bits(x->element) < LEAST_BITS ||
        !element_is_integer(x->element))
        return NULL;
    if (!index_is_of_device(x->at) && !index_is_of_device(y->at)) return NULL;
    const IndexExpr *at = index_add(b->index, x->at, y->at);
    int64_t low = element_class(x->element) == CLASS_SINT ? -LIMIT : 0;
    return at->low >= low && at->high <= LIMIT ? expr_number(b, x->element, at) : NULL;
}

const Expr *expr_op(ExprBuilder *b, const Op *op, const Expr *const *operands) {
    if (op->code == OP_CONVERT && known_index(b, operands[0]))
        return expr_convert(b, operands[0], op_result_type(op, 0)->element);
    if (op->code == OP_SELECT && operands[0]->kind == EXPR_TEST)
        return expr_select(b, operands[0], operands[1], operands[2]);
    if (op->code == OP_ADD) {
        const Expr *sum = sum_with_device(b, operands[0], operands[1]);
        if (sum) return sum;
    }
    Expr x = {.kind = EXPR_OP, .element = op_result_type(op, 0)->element, .code = op->code};
    x.op = op;
    x.operand_count = op->operand_count;
    x.operands = operands;
    return expr_intern(b, x);
}

const Expr *expr_arithmetic(ExprBuilder *b, OpCode code, const Expr *x, const Expr *y) {
    const Expr *both[2] = {x, y};
    Expr result = {.kind = EXPR_ARITHMETIC, .element = x->element, .code = code};
    result.operand_count = 2;
    result.operands = both;
    return expr_intern(b, result);
}

static const Expr *converted_index(
    ExprBuilder *b, const IndexExpr *at, ElementType from, ElementType to) {
    enum { LIMIT_BITS = 31 };
    const int64_t limit = INT64_C(1) << LIMIT_BITS;
    bool is_truth = to == ELEMENT_I1 && at->low >= 0 && at->high <= 1;
    const Guard guard = {at, 1, 2};
    if (is_truth) return expr_test(b, 1, &guard);
    bool is_wide = element_class(from) == CLASS_SINT && element_class(to) == CLASS_SINT &&
                   element_bits(to) > LIMIT_BITS;
    return is_wide && at->low >= -limit && at->high < limit ? expr_number(b, to, at) : NULL;
}

const Expr *expr_convert(ExprBuilder *b, const Expr *x, ElementType element) {
    if (x->element == element) return x;
    const IndexExpr *at = known_index(b, x);
    const Expr *number = at ? converted_index(b, at, x->element, element) : NULL;
    if (number) return number;
    return expr_intern(
        b, (Expr){.kind = EXPR_CONVERT, .element = element, .operand_count = 1, .operands = &x});
}

const Expr *expr_bits(
    ExprBuilder *b, ElementType element, int count, const Expr *const *parts, const IndexExpr *at) {
    if (count == 1 && parts[0]->element == element) return parts[0];
    Expr x = {.kind = EXPR_BITS, .element = element, .at = at};
    x.operand_count = count;
    x.operands = parts;
    return expr_intern(b, x);
}

const Expr *expr_select(ExprBuilder *b, const Expr *condition, const Expr *x, const Expr *y) {
    if (condition->kind == EXPR_REAL) return condition->real != 0 ? x : y;
    bool is_of_device = condition->kind == EXPR_TEST;
    for (int i = 0; is_of_device && i < condition->guard_count; i++)
        is_of_device = index_is_of_device(condition->guards[i].x);
    if (is_of_device) return expr_choice(b, condition->guard_count, condition->guards, NULL, x, y);
    const Expr *operands[3] = {condition, x, y};
    Expr result = {.kind = EXPR_SELECT, .element = x->element, .operand_count = 3};
    result.operands = operands;
    return expr_intern(b, result);
}

const Expr *expr_choice(
    ExprBuilder *b, int guard_count, const Guard *guards, const Expr *condition, const Expr *inside,
    const Expr *outside) {
    Guard *kept = ARENA_ARRAY(b->arena, Guard, guard_count + 1);
    Expr x = {.kind = EXPR_CHOICE, .element = inside->element, .guards = kept};
    for (int i = 0; i < guard_count; i++) {
        if (!guard_add(kept, &x.guard_count, guards[i])) return outside;
    }
    if (condition && condition->kind == EXPR_REAL) {
        if (condition->real == 0) return outside;
        condition = NULL;
    }
    if (x.guard_count == 0 && !condition) return inside;
    const Expr *operands[3] = {inside, outside, condition};
    x.operand_count = condition ? 3 : 2;
    x.operands = operands;
    return expr_intern(b, x);
}

// ---- indices

int expr_new_variable(ExprBuilder *b, bool is_fold) {
    while (b->is_fold_variable.count <= b->variable_count)
        vec_push(b->arena, &b->is_fold_variable, false);
    b->is_fold_variable.data[b->variable_count] = is_fold;
    return b->variable_count++;
}

const IndexExpr *expr_own_device(ExprBuilder *b) {
    const RuntimeNumber *own = &b->runtimes.data[0];
    return index_runtime(b->index, 0, own->low, own->high);
}

const IndexExpr *expr_current_device(ExprBuilder *b) {
    return b->device ? b->device : expr_own_device(b);
}

const IndexExpr *expr_runtime(ExprBuilder *b, const Expr *x, int64_t low, int64_t high) {
    if (high < low) high = low;
    if (x->kind == EXPR_NUMBER && x->at->low >= low && x->at->high <= high) return x->at;
    if (x->kind == EXPR_CONSTANT && element_class(x->element) == CLASS_SINT) {
        int64_t known = attr_element_int(x->elements, x->id);
        return index_constant(b->index, known < low ? low : known > high ? high : known);
    }
    RuntimeNumber number = {x, low, high};
    int64_t id = 1;
    for (; id < b->runtimes.count; id++) {
        const RuntimeNumber *r = &b->runtimes.data[id];
        if (r->x == x && r->low == number.low && r->high == number.high) break;
    }
    if (id == b->runtimes.count) vec_push(b->arena, &b->runtimes, number);
    return index_runtime(b->index, (int)id, number.low, number.high);
}
