// convert_linalg: structured ops with bodies: the body computes whole tensors of the iteration
// space; then its reduction loops are reduced.
#include "ir/scalar/scalar.h"
#include "ir/source/source.h"

typedef struct Structured {
    Legalizer *legalizer;
    Builder builder;
    Op *op;
    int ins;
    Loops loops;
    int64_t extents[MAX_LOOPS];
    PtrMap values; // of the body to tensors of the iteration space
} Structured;

static bool find_extents(Structured *s) {
    for (int d = 0; d < s->loops.count; d++)
        s->extents[d] = -1;
    for (int i = 0; i < s->op->operand_count; i++) {
        const Type *type = op_operand_type(s->op, i);
        if (type->kind != TYPE_TENSOR || !type_is_static(type)) return false;
        const LoopMap *map = &s->loops.maps[i];
        if (map->count != type->rank) return false;
        for (int r = 0; r < map->count; r++) {
            int64_t *extent = &s->extents[map->results[r]];
            if (*extent >= 0 && *extent != type->dims[r]) return false;
            *extent = type->dims[r];
        }
    }
    for (int d = 0; d < s->loops.count; d++) {
        if (s->extents[d] < 0) return false;
    }
    return true;
}

static const Type *space_type(const Structured *s, ElementType element) {
    return type_tensor(s->legalizer->module->context, element, s->loops.count, s->extents);
}

// The operand in the iteration space.
static Value *spread(Structured *s, Value *value, const LoopMap *map) {
    int64_t dims[MAX_LOOPS], order[MAX_LOOPS];
    int count = 0;
    for (int d = 0; d < s->loops.count; d++) { // its dimensions in the order of the loops
        for (int r = 0; r < map->count; r++) {
            if (map->results[r] != d) continue;
            order[count] = r;
            dims[count++] = d;
        }
    }
    bool is_in_order = true;
    for (int i = 0; i < count; i++)
        is_in_order = is_in_order && order[i] == i;
    if (!is_in_order) value = build_transpose(&s->builder, value, order);
    if (count == s->loops.count) return value;
    return build_broadcast_in_dim(&s->builder, value, space_type(s, value->type->element), dims);
}

static Value *mapped(Structured *s, Value *value) {
    Value *known = ptr_map_get(&s->values, value);
    if (known) return known;
    bool is_scalar = value->type->kind == TYPE_TENSOR && value->type->rank == 0;
    if (!is_scalar) return NULL; // of the region around, and no scalar
    known = source_broadcast(&s->builder, value, space_type(s, value->type->element));
    ptr_map_set(&s->values, value, known);
    return known;
}

// One op of the body on tensors of the iteration space; NULL where that is not possible.
static Value *compute_inner(Structured *s, const Op *inner) {
    if (inner->result_count != 1 || inner->region_count > 0) return NULL;
    const Type *scalar = op_result_type(inner, 0);
    if (scalar->kind != TYPE_TENSOR || scalar->rank != 0) return NULL;
    const Type *type = space_type(s, scalar->element);
    if (inner->code == OP_LINALG_INDEX) {
        int64_t dim = op_int(inner, NAME_DIM, -1);
        if (dim < 0 || dim >= s->loops.count) return NULL;
        return build_iota(&s->builder, type, (int)dim);
    }
    if (inner->operand_count == 0) { // a constant
        Op *clone = op_clone(&s->builder, inner, &s->values);
        return source_broadcast(&s->builder, op_result(clone, 0), type);
    }
    Value *operands[4] = {NULL};
    if (inner->operand_count > 3) return NULL;
    for (int i = 0; i < inner->operand_count; i++) {
        operands[i] = mapped(s, op_operand(inner, i));
        if (!operands[i]) return NULL;
    }
    Dialect dialect = op_dialect(inner);
    bool is_compare = inner->code == OP_ARITH_CMPF || inner->code == OP_ARITH_CMPI;
    bool is_core = op_has(inner, TRAIT_POINTWISE);
    if (is_compare || is_core) {
        PtrMap values = ptr_map(s->legalizer->pass->scratch);
        for (int i = 0; i < inner->operand_count; i++)
            ptr_map_set(&values, op_operand(inner, i), operands[i]);
        Op *clone = op_clone(&s->builder, inner, &values);
        op_result(clone, 0)->type = type;
        return op_result(clone, 0);
    }
    if (dialect != DIALECT_ARITH && dialect != DIALECT_MATH) return NULL;
    return source_compute(&s->builder, inner, operands, type);
}

// Does the value of the body follow from the value `from` of it?
static bool depends_on(const Value *value, const Value *from, int depth) {
    if (value == from) return true;
    if (!value->def || depth == 0) return depth == 0;
    for (int i = 0; i < value->def->operand_count; i++) {
        if (depends_on(op_operand(value->def, i), from, depth - 1)) return true;
    }
    return false;
}

// Computes the ops that `wanted` needs, but for `skipped`.
static bool compute_body(Structured *s, const Op *skipped) {
    const Region *body = s->op->regions[0];
    for (const Op *inner = body->first; inner != body->last; inner = inner->next) {
        if (inner == skipped) continue;
        Value *value = compute_inner(s, inner);
        if (!value) return false;
        ptr_map_set(&s->values, op_result(inner, 0), value);
    }
    return true;
}

// The op that the body combines its result so far with what is new by: combine(x, out) or
// combine(out, x). NULL where there is none.
static const Op *combiner(const Structured *s, int output, Value **fresh) {
    const Region *body = s->op->regions[0];
    const Value *out = body->args[s->ins + output];
    const Op *op = op_operand(body->last, output)->def;
    enum { DEPTH = 64 };
    if (!op || op->parent != body || op->operand_count != 2) return NULL;
    for (int i = 0; i < 2; i++) {
        *fresh = op_operand(op, 1 - i);
        if (op_operand(op, i) == out && !depends_on(*fresh, out, DEPTH)) return op;
    }
    return NULL;
}

static OpCode combining_code(const Op *op) {
    bool is_bit = op_result_type(op, 0)->element == ELEMENT_I1;
    if (op_has(op, TRAIT_UNSIGNED) && !is_bit) return OP_COUNT;
    switch (op_code_scalar(
        op->code)) { // NOLINT(hicpp-multiway-paths-covered): those that combine in any order
    case SCALAR_add:
    case SCALAR_multiply:
    case SCALAR_maximum:
    case SCALAR_minimum:
    case SCALAR_and:
    case SCALAR_or:
    case SCALAR_xor: return source_scalar_op(op);
    default: return OP_COUNT;
    }
}

// From the iteration space to the dimensions of the output.
static Value *settle(Structured *s, Value *value, int output) {
    const LoopMap *map = &s->loops.maps[s->ins + output];
    int64_t places[MAX_LOOPS], permutation[MAX_LOOPS];
    int64_t next = 0;
    bool is_in_order = true;
    for (int d = 0; d < s->loops.count; d++)
        places[d] = s->loops.is_reduction[d] ? -1 : next++;
    for (int r = 0; r < map->count; r++) {
        permutation[r] = places[map->results[r]];
        is_in_order = is_in_order && permutation[r] == r;
    }
    return is_in_order ? value : build_transpose(&s->builder, value, permutation);
}

static char *put_letters(char *p, const LoopMap *map) {
    for (int i = 0; i < map->count; i++)
        *p++ = (char)('a' + map->results[i]);
    return p;
}

// Sums of products of two operands are one product.
static Value *try_contract(Structured *s) {
    if (s->ins != 2 || s->op->result_count != 1) return NULL;
    Value *fresh;
    const Op *sum = combiner(s, 0, &fresh);
    const Region *body = s->op->regions[0];
    const Op *product = sum && combining_code(sum) == OP_ADD ? fresh->def : NULL;
    if (!product || combining_code(product) != OP_MULTIPLY || body->first != product ||
        product->next != sum || sum->next != body->last)
        return NULL;
    bool fits =
        (op_operand(product, 0) == body->args[0] && op_operand(product, 1) == body->args[1]) ||
        (op_operand(product, 0) == body->args[1] && op_operand(product, 1) == body->args[0]);
    bool any = false;
    for (int d = 0; d < s->loops.count; d++) { // each in both, or in one and the result
        bool in[3] = {false};
        for (int i = 0; i < 3; i++) {
            for (int r = 0; r < s->loops.maps[i].count; r++)
                in[i] = in[i] || s->loops.maps[i].results[r] == d;
        }
        fits = fits && (in[2] ? in[0] || in[1] : in[0] && in[1]);
        any = any || !in[2];
    }
    if (!fits || !any) return NULL;
    char spec[3 * MAX_LOOPS + 8];
    char *p = put_letters(spec, &s->loops.maps[0]);
    *p++ = ',';
    p = put_letters(p, &s->loops.maps[1]);
    *p++ = '-';
    *p++ = '>';
    *put_letters(p, &s->loops.maps[2]) = 0;
    Value *value = source_contract(
        &s->builder, spec, op_operand(s->op, 0), op_operand(s->op, 1), op_result_type(s->op, 0));
    return source_add(&s->builder, value, op_operand(s->op, 2));
}

static Value *reduce_output(Structured *s, int output, OpCode code, Value *fresh) {
    int64_t dims[MAX_LOOPS];
    int count = 0;
    for (int d = 0; d < s->loops.count; d++) {
        if (s->loops.is_reduction[d]) dims[count++] = d;
    }
    Value *value = settle(s, build_reduce(&s->builder, code, fresh, count, dims), output);
    Value *init = op_operand(s->op, s->ins + output);
    if (code == OP_ADD) return source_add(&s->builder, value, init);
    return build_binary(&s->builder, code, init, value);
}

static bool has_reduction(const Structured *s) {
    bool any = false;
    for (int d = 0; d < s->loops.count; d++)
        any = any || s->loops.is_reduction[d];
    return any;
}

// One result with reductions: the body but for its last op, which combines.
static Value *compute_reduction(Structured *s) {
    Value *fresh = NULL;
    const Op *last = s->op->result_count == 1 ? combiner(s, 0, &fresh) : NULL;
    OpCode code = last ? combining_code(last) : OP_COUNT;
    if (code == OP_COUNT || !compute_body(s, last)) return NULL;
    Value *value = mapped(s, fresh);
    return value ? reduce_output(s, 0, code, value) : NULL;
}

static bool replace_structured(Structured *s) {
    Op *op = s->op;
    const Region *body = op->regions[0];
    Value *results[MAX_LOOPS];
    Value *product = has_reduction(s) ? try_contract(s) : NULL;
    if (product) return legalize_replace_one(s->legalizer, op, product);
    for (int i = 0; i < body->arg_count; i++) {
        Value *operand = op_operand(op, i);
        bool is_used = body->args[i]->uses != NULL;
        if (i >= s->ins && has_reduction(s)) break;
        if (is_used) ptr_map_set(&s->values, body->args[i], spread(s, operand, &s->loops.maps[i]));
    }
    if (has_reduction(s)) {
        Value *value = compute_reduction(s);
        return value && legalize_replace_one(s->legalizer, op, value);
    }
    if (!compute_body(s, NULL)) return false;
    for (int i = 0; i < op->result_count; i++) {
        Value *value = mapped(s, op_operand(body->last, i));
        if (!value) return false;
        results[i] = settle(s, value, i);
    }
    return legalize_replace(s->legalizer, op, results);
}

bool convert_linalg_generic(Legalizer *legalizer, Op *op) {
    Structured s = {.legalizer = legalizer, .op = op};
    s.ins = (int)op_ints(op, NAME_OPERAND_SEGMENT_SIZES).data[0];
    const Region *body = op->regions[0];
    bool has_outs = body->arg_count == op->operand_count;
    bool is_map = op->code == OP_LINALG_MAP && body->arg_count == s.ins;
    if ((!has_outs && !is_map) || op->result_count != op->operand_count - s.ins || !body->last ||
        body->last->operand_count != op->result_count || !loops_of_linalg(op, &s.loops) ||
        !find_extents(&s))
        return false;
    s.builder = builder_before(legalizer->module, op);
    s.values = ptr_map(legalizer->pass->scratch);
    return replace_structured(&s);
}

bool convert_linalg_transpose(Legalizer *legalizer, Op *op) {
    Value *x = op_operand(op, 0);
    IntSpan permutation = op_ints(op, NAME_PERMUTATION);
    Loops loops;
    if (!loops_of_linalg(op, &loops) || x->type->kind != TYPE_TENSOR || !type_is_static(x->type) ||
        permutation.count != x->type->rank || op->result_count != 1)
        return false;
    Builder builder = builder_before(legalizer->module, op);
    return legalize_replace_one(legalizer, op, build_transpose(&builder, x, permutation.data));
}

bool convert_linalg_broadcast(Legalizer *legalizer, Op *op) {
    Value *x = op_operand(op, 0);
    const Type *result = op->result_count == 1 ? op_result_type(op, 0) : NULL;
    Loops loops;
    if (!result || !loops_of_linalg(op, &loops) || !type_is_static(result)) return false;
    int64_t dims[MAX_LOOPS];
    for (int i = 0; i < loops.maps[0].count; i++)
        dims[i] = loops.maps[0].results[i];
    Builder builder = builder_before(legalizer->module, op);
    return legalize_replace_one(legalizer, op, build_broadcast_in_dim(&builder, x, result, dims));
}

bool convert_linalg_fill(Legalizer *legalizer, Op *op) {
    const Type *result = op->result_count == 1 ? op_result_type(op, 0) : NULL;
    Value *x = op_operand(op, 0);
    if (!result || !type_is_static(result) || x->type->kind != TYPE_TENSOR || x->type->rank != 0)
        return false;
    Builder builder = builder_before(legalizer->module, op);
    bool converts = x->type->element != result->element;
    Value *value = converts ? build_convert(&builder, x, result->element) : x;
    return legalize_replace_one(legalizer, op, source_broadcast(&builder, value, result));
}
