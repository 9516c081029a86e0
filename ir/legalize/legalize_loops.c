// scan as a while loop; asynchronous ops as what they start.
#include "ir/legalize/legalize.h"

// ---- scan ----

typedef struct Scan {
    Legalizer *legalizer;
    const Op *op;
    int inputs, carries, outputs;
    int64_t dimension, steps;
    bool is_reverse;
} Scan;

static bool read_scan(Scan *scan) {
    const Op *op = scan->op;
    IntSpan operands = op_ints(op, NAME_OPERAND_SEGMENT_SIZES),
            results = op_ints(op, NAME_RESULT_SEGMENT_SIZES);
    if (operands.count != 2 || results.count != 2 || operands.data[0] < 1) return false;
    scan->inputs = (int)operands.data[0];
    scan->carries = (int)operands.data[1];
    scan->outputs = (int)results.data[0];
    scan->dimension = op_int(op, NAME_DIMENSION, 0);
    scan->is_reverse = op_int(op, NAME_IS_REVERSE, 0) != 0;
    scan->steps = op_operand_type(op, 0)->dims[scan->dimension];
    for (int i = 0; i < op->operand_count; i++) {
        if (!type_is_static(op_operand_type(op, i))) return false;
    }
    for (int i = 0; i < op->result_count; i++) {
        if (!type_is_static(op_result_type(op, i))) return false;
    }
    const Region *body = op->regions[0];
    return body->arg_count == op->operand_count && body->last &&
           body->last->operand_count == op->result_count;
}

static Value *index_constant(Builder *builder, int64_t number) {
    return build_splat_int(
        builder, type_tensor(builder->module->context, ELEMENT_I32, 0, NULL), number);
}

// Start indices: `at` along the dimension, else zero.
static void start_indices(const Scan *scan, Builder *builder, int rank, Value *at, Value **starts) {
    Value *zero = index_constant(builder, 0);
    for (int d = 0; d < rank; d++)
        starts[d] = d == scan->dimension ? at : zero;
}

static Value *element_at(
    const Scan *scan, Builder *builder, Value *whole, const Type *part, Value *at) {
    Value *starts[MAX_RANK];
    int64_t sizes[MAX_RANK];
    start_indices(scan, builder, whole->type->rank, at, starts);
    for (int d = 0; d < whole->type->rank; d++)
        sizes[d] = d == scan->dimension ? 1 : whole->type->dims[d];
    Value *slice = build_dynamic_slice(builder, whole, starts, sizes);
    return build_reshape(builder, slice, part->rank, part->dims);
}

static Value *with_element(
    const Scan *scan, Builder *builder, Value *whole, Value *part, Value *at) {
    Value *starts[MAX_RANK];
    int64_t sizes[MAX_RANK];
    start_indices(scan, builder, whole->type->rank, at, starts);
    for (int d = 0; d < whole->type->rank; d++)
        sizes[d] = d == scan->dimension ? 1 : whole->type->dims[d];
    Value *slice = build_reshape(builder, part, whole->type->rank, sizes);
    return build_dynamic_update_slice(builder, whole, slice, starts);
}

// Arguments of the loop's regions: the step, outputs so far, carries.
static void add_loop_args(const Scan *scan, Region *region, const Type *const *types) {
    for (int i = 0; i < 1 + scan->outputs + scan->carries; i++)
        region_add_arg(scan->legalizer->module, region, types[i], scan->op->loc);
}

static void build_condition(const Scan *scan, Region *region) {
    Builder builder = builder_at_end(scan->legalizer->module, region);
    builder.loc = scan->op->loc;
    Value *more = build_compare(
        &builder, DIRECTION_LT, region->args[0], index_constant(&builder, scan->steps));
    build_return(&builder, OP_RETURN, 1, &more);
}

static void build_body(const Scan *scan, Region *region) {
    const Region *body = scan->op->regions[0];
    Arena *scratch = scan->legalizer->pass->scratch;
    Builder builder = builder_at_end(scan->legalizer->module, region);
    builder.loc = scan->op->loc;
    Value *step = region->args[0], *at = step;
    if (scan->is_reverse)
        at = build_binary(&builder, OP_SUBTRACT, index_constant(&builder, scan->steps - 1), step);
    PtrMap values = ptr_map(scratch);
    for (int i = 0; i < scan->inputs; i++) {
        Value *element =
            element_at(scan, &builder, op_operand(scan->op, i), body->args[i]->type, at);
        ptr_map_set(&values, body->args[i], element);
    }
    for (int i = 0; i < scan->carries; i++)
        ptr_map_set(&values, body->args[scan->inputs + i], region->args[1 + scan->outputs + i]);
    for (const Op *op = body->first; op != body->last; op = op->next)
        op_clone(&builder, op, &values);
    int count = 1 + scan->outputs + scan->carries;
    Value **next = ARENA_ARRAY(scratch, Value *, count);
    next[0] = build_binary(&builder, OP_ADD, step, index_constant(&builder, 1));
    for (int i = 0; i + 1 < count; i++) {
        Value *returned = op_operand(body->last, i), *made = ptr_map_get(&values, returned);
        if (!made) made = returned;
        next[1 + i] =
            i < scan->outputs ? with_element(scan, &builder, region->args[1 + i], made, at) : made;
    }
    build_return(&builder, OP_RETURN, count, next);
}

bool convert_scan(Legalizer *legalizer, Op *op) {
    Scan scan = {.legalizer = legalizer, .op = op};
    if (!read_scan(&scan)) return false;
    Builder builder = builder_before(legalizer->module, op);
    Arena *scratch = legalizer->pass->scratch;
    int count = 1 + scan.outputs + scan.carries;
    Value **initial = ARENA_ARRAY(scratch, Value *, count),
          **results = ARENA_ARRAY(scratch, Value *, count);
    const Type **types = ARENA_ARRAY(scratch, const Type *, count);
    initial[0] = index_constant(&builder, 0);
    for (int i = 0; i < scan.outputs; i++)
        initial[1 + i] = build_splat(&builder, op_result_type(op, i), 0);
    for (int i = 0; i < scan.carries; i++)
        initial[1 + scan.outputs + i] = op_operand(op, scan.inputs + i);
    for (int i = 0; i < count; i++)
        types[i] = initial[i]->type;
    Op *loop = build_op(&builder, OP_WHILE, count, initial, count, types, 2);
    for (int r = 0; r < 2; r++)
        add_loop_args(&scan, loop->regions[r], types);
    build_condition(&scan, loop->regions[0]);
    build_body(&scan, loop->regions[1]);
    for (int i = 0; i + 1 < count; i++)
        results[i] = op_result(loop, 1 + i);
    return legalize_replace(legalizer, op, results);
}

// ---- async_start, async_done ----

// The done op becomes what was started, at the place of the start.
bool convert_async_done(Legalizer *legalizer, Op *op) {
    Op *start = op_operand(op, 0)->def;
    if (!start || start->code != OP_ASYNC_START || start->parent != op->parent) return false;
    const Region *body = start->regions[0];
    Arena *scratch = legalizer->pass->scratch;
    Builder builder = builder_before(legalizer->module, start);
    PtrMap values = ptr_map(scratch);
    for (int i = 0; i < body->arg_count; i++)
        ptr_map_set(&values, body->args[i], op_operand(start, i));
    for (const Op *inner = body->first; inner != body->last; inner = inner->next)
        op_clone(&builder, inner, &values);
    Value **results = ARENA_ARRAY(scratch, Value *, op->result_count + 1);
    for (int i = 0; i < op->result_count; i++) {
        Value *returned = op_operand(body->last, i);
        results[i] = ptr_map_get(&values, returned);
        if (!results[i]) results[i] = returned;
    }
    if (!legalize_replace(legalizer, op, results)) return false;
    if (!op_result(start, 0)->uses) op_erase(start);
    return true;
}
