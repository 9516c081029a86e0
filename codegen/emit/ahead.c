// Reading ahead: see ahead.h.
#include "codegen/emit/ahead.h"

#include <string.h>

// Rows that lie nearer than that to each other are read some rows ahead.
enum { LEAST_DISTANCE = 4096, STEPS = 16 };

typedef struct AheadLoad {
    const Value *stored;
    LLVMValueRef load;
    int64_t distance; // bytes
    int pass;
} AheadLoad;

typedef struct Ahead {
    int row, pass;          // row: variable
    int64_t rows, elements; // what is read ahead lies so far behind; 0: it is a row of the passes
    VEC(AheadLoad) loads;
} Ahead;

// The variable of the innermost loop around the current place; -1 = none.
static int innermost(const Emit *e) {
    const EmitScope *scope = e->state->scope;
    while (scope && !scope->loop)
        scope = scope->outer;
    return scope ? scope->loop->variable : -1;
}

// The variable that goes from one row to the next: the finest of the last axis that has one;
// -1 = none.
static int row_variable(int axis_count, const IndexExpr *const *row) {
    int variable = -1;
    int64_t least = INT64_MAX;
    for (int d = axis_count - 1; d >= 0 && variable < 0; d--) {
        for (int i = 0; i < row[d]->term_count; i++) {
            if (row[d]->atoms[i]->kind != INDEX_VARIABLE || row[d]->factors[i] <= 0) continue;
            if (row[d]->factors[i] >= least) continue;
            least = row[d]->factors[i];
            variable = row[d]->atoms[i]->id;
        }
    }
    return variable;
}

void ahead_begin(Emit *e, int axis_count, const IndexExpr *const *row) {
    e->state->ahead = NULL;
    Ahead ahead = {.row = row_variable(axis_count, row)};
    if (ahead.row < 0) return;
    e->state->ahead = ARENA_NEW(e->arena, Ahead);
    *e->state->ahead = ahead;
}

void ahead_next_pass(Emit *e) {
    if (e->state->ahead) e->state->ahead->pass++;
}

static bool is_fixed(const Ahead *ahead) { return ahead->rows > 0 || ahead->elements > 0; }

// Bytes from a row to the one that is read ahead; 0 = none: the row is too large for the
// cache, or the operand stays in it.
static int64_t distance_of(const Emit *e, const Expr *x) {
    int64_t rows = 0, elements = 0, size = (int64_t)element_bytes(x->stored->type->element);
    int step = innermost(e);
    if (step < 0 || step == e->state->ahead->row || x->at->low < 0) return 0;
    bool has_rows = e->state->ahead->row >= 0;
    if (has_rows && (!index_is_affine_in(x->at, e->state->ahead->row, &rows) || rows <= 0))
        return 0;
    if (!index_is_affine_in(x->at, step, &elements) || elements != 1) return 0;
    if ((int64_t)type_bytes(x->stored->type) < e->target->l2_bytes) return 0;
    int64_t distance = rows * size;
    const Ahead *ahead = e->state->ahead;
    if (is_fixed(ahead)) return distance * ahead->rows + ahead->elements * size;
    if (rows > e->target->l2_bytes / 4 / size) return 0;
    return distance * ((LEAST_DISTANCE + distance - 1) / distance);
}

void ahead_note(Emit *e, const Expr *x, Scalar loaded) {
    Ahead *ahead = e->state->ahead;
    if (!ahead || !loaded.value || !LLVMIsALoadInst(loaded.value)) return;
    int64_t distance = distance_of(e, x);
    if (distance == 0) return;
    AheadLoad load = {x->stored, loaded.value, distance, ahead->pass};
    vec_push(e->arena, &ahead->loads, load);
}

// Does a later pass read the same?
static bool is_read_later(const Ahead *ahead, const AheadLoad *load) {
    for (int64_t i = 0; i < ahead->loads.count; i++) {
        const AheadLoad *other = &ahead->loads.data[i];
        if (other->stored == load->stored && other->pass > load->pass) return true;
    }
    return false;
}

// Adds a scope to those of the load, which the vectoriser hands on to the vectors.
static void mark(Emit *e, const Ahead *ahead, const AheadLoad *load) {
    unsigned kind = LLVMGetMDKindIDInContext(e->context, "alias.scope", 11);
    const char *name = arena_printf(
        e->arena, "%s%lld%s", AHEAD_SCOPE, (long long)load->distance,
        ahead->row < 0 ? AHEAD_NEAR : "");
    LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(e->context, name, strlen(name)), NULL};
    parts[1] = LLVMMDNodeInContext2(e->context, parts, 1); // a domain of its own
    LLVMValueRef own = LLVMGetMetadata(load->load, kind), scopes[1];
    if (!own || LLVMGetMDNodeNumOperands(own) != 1) return;
    LLVMGetMDNodeOperands(own, scopes);
    LLVMMetadataRef both[2] = {
        LLVMValueAsMetadata(scopes[0]), LLVMMDNodeInContext2(e->context, parts, 2)};
    LLVMMetadataRef list = LLVMMDNodeInContext2(e->context, both, 2);
    LLVMSetMetadata(load->load, kind, LLVMMetadataAsValue(e->context, list));
}

void ahead_begin_steps(Emit *e, int variable, int count) {
    e->state->ahead = ARENA_NEW(e->arena, Ahead);
    *e->state->ahead = (Ahead){.row = variable, .rows = STEPS / count};
}

void ahead_begin_tile(Emit *e, int variable, int64_t rows, int64_t elements) {
    e->state->ahead = ARENA_NEW(e->arena, Ahead);
    *e->state->ahead = (Ahead){.row = variable, .rows = rows, .elements = elements};
}

void ahead_begin_line(Emit *e, int64_t elements) {
    e->state->ahead = ARENA_NEW(e->arena, Ahead);
    *e->state->ahead = (Ahead){.row = -1, .elements = elements};
}

void ahead_end(Emit *e) {
    Ahead *ahead = e->state->ahead;
    e->state->ahead = NULL;
    if (!ahead || (ahead->pass < 2 && !is_fixed(ahead))) return; // one pass reads all the time
    for (int64_t i = 0; i < ahead->loads.count; i++) {
        if (!is_read_later(ahead, &ahead->loads.data[i])) mark(e, ahead, &ahead->loads.data[i]);
    }
}
