// mpi_function: functions that take or return shardings pass on their tensors instead.
//
//   before  func.func @f(%s: !shard.sharding) -> !shard.sharding { return %s : !shard.sharding }
//   after   func.func @f(%a: tensor<?x?xi16>, %h: tensor<?x?xi64>, %o: tensor<?x?xi64>)
//               -> (tensor<?x?xi16>, tensor<?x?xi64>, tensor<?x?xi64>) { return %a, %h, %o : ... }
#include "base/vec.h"
#include "ir/spmd/mpi.h"

typedef struct Expander {
    Mpi *m;
    PtrMap parts;       // of a sharding, to its tensors (Value **)
    VEC(Op *) replaced; // ops whose results are parts by now, erased at the end
} Expander;

// The types with three tensors in the place of each sharding; *count of them.
static const Type **expanded_types(Mpi *m, int *count, const Type *const *types) {
    const Type **result =
        ARENA_ARRAY(m->module->arena, const Type *, *count *MPI_SHARDING_PARTS + 1);
    int made = 0;
    for (int i = 0; i < *count; i++) {
        for (int part = 0; part < MPI_SHARDING_PARTS && mpi_is_sharding(types[i]); part++)
            result[made++] = mpi_part_type(m, part);
        if (!mpi_is_sharding(types[i])) result[made++] = types[i];
    }
    *count = made;
    return result;
}

// The dictionaries of arguments or results: those of a sharding's tensors are empty.
static void expand_dicts(Mpi *m, Op *func, AttrName name, int count, const Type *const *types) {
    const Attr *dicts = op_attr(func, name);
    if (!dicts || dicts->kind != ATTR_ARRAY || dicts->count != count) return;
    const Attr **items = ARENA_ARRAY(m->pass->scratch, const Attr *, count *MPI_SHARDING_PARTS + 1);
    int made = 0;
    for (int i = 0; i < count; i++) {
        bool is_one = !mpi_is_sharding(types[i]);
        for (int part = 0; part < (is_one ? 1 : MPI_SHARDING_PARTS); part++)
            items[made++] = is_one ? dicts->items[i] : attr_dict(m->module->context, 0, NULL, NULL);
    }
    op_set_attr(m->module, func, name, attr_array(m->module->context, made, items));
}

static void expand_arguments(Expander *e, Op *func) {
    Mpi *m = e->m;
    Region *body = func_body(func);
    int old_count = body->arg_count, made = 0;
    Value **order = ARENA_ARRAY(m->module->arena, Value *, old_count * MPI_SHARDING_PARTS + 1);
    for (int i = 0; i < old_count; i++) {
        Value *arg = body->args[i];
        if (!mpi_is_sharding(arg->type)) {
            order[made++] = arg;
            continue;
        }
        for (int part = 0; part < MPI_SHARDING_PARTS; part++)
            order[made++] = region_add_arg(m->module, body, mpi_part_type(m, part), arg->loc);
        ptr_map_set(&e->parts, arg, order + made - MPI_SHARDING_PARTS);
    }
    body->args = order;
    body->arg_count = made;
    for (int i = 0; i < made; i++)
        order[i]->index = i;
}

static void expand_function(Expander *e, Op *func) {
    Mpi *m = e->m;
    const Type *type = op_attr(func, NAME_FUNCTION_TYPE)->type;
    int inputs = type->input_count, results = type->part_count - inputs;
    const Type *const *old_inputs = type->parts, *const *old_results = type->parts + inputs;
    bool any = false;
    for (int i = 0; i < type->part_count; i++)
        any = any || mpi_is_sharding(type->parts[i]);
    if (!any) return;
    expand_dicts(m, func, NAME_ARG_ATTRS, inputs, old_inputs);
    expand_dicts(m, func, NAME_RES_ATTRS, results, old_results);
    const Type **in = expanded_types(m, &inputs, old_inputs);
    const Type **out = expanded_types(m, &results, old_results);
    op_set_attr(
        m->module, func, NAME_FUNCTION_TYPE,
        attr_type(m->module->context, type_function(m->module->context, inputs, in, results, out)));
    func->result_shardings = NULL; // a program of buffers and MPI has none
    if (func_body(func)->arg_count > 0) expand_arguments(e, func);
    m->changed = true;
}

// The tensors of a sharding; NULL after a diagnostic.
static Value *const *tensors_of(Expander *e, const Op *user, Value *sharding) {
    Mpi *m = e->m;
    Value **parts = ptr_map_get(&e->parts, sharding);
    if (parts) return parts;
    parts = ARENA_ARRAY(m->pass->scratch, Value *, MPI_SHARDING_PARTS);
    if (!sharding->def || sharding->def->code != OP_SHARD_SHARDING) {
        mpi_fail(
            m, user, "needs a shard.sharding as its sharding, not one that comes from elsewhere");
        return NULL;
    }
    if (!mpi_sharding_tensors(m, sharding->def, parts)) return NULL;
    ptr_map_set(&e->parts, sharding, parts);
    return parts;
}

// A call or return with three operands and results for each sharding.
static bool expand_op(Op *op, void *user) {
    Expander *e = user;
    Mpi *m = e->m;
    if (op->code != OP_CALL && op->code != OP_FUNC_RETURN) return true;
    bool any = false;
    int operands = 0, results = op->result_count;
    Value **values =
        ARENA_ARRAY(m->pass->scratch, Value *, op->operand_count * MPI_SHARDING_PARTS + 1);
    const Type **types = ARENA_ARRAY(m->pass->scratch, const Type *, results + 1);
    for (int i = 0; i < op->operand_count; i++) {
        Value *value = op_operand(op, i);
        bool is_one = !mpi_is_sharding(value->type);
        Value *const *parts = is_one ? &value : tensors_of(e, op, value);
        if (!parts) return false;
        for (int part = 0; part < (is_one ? 1 : MPI_SHARDING_PARTS); part++)
            values[operands++] = parts[part];
        any = any || !is_one;
    }
    for (int i = 0; i < results; i++) {
        types[i] = op_result_type(op, i);
        any = any || mpi_is_sharding(types[i]);
    }
    if (!any) return true;
    types = expanded_types(m, &results, types);
    Builder builder = builder_before(m->module, op);
    Op *made = build_op(&builder, op->code, operands, values, results, types, 0);
    for (int i = 0; i < op->attr_count; i++)
        op_set_attr(m->module, made, op->attrs[i].name, op->attrs[i].value);
    made->extra = op->extra;
    for (int i = 0, at = 0; i < op->result_count; i++) {
        Value *result = op_result(op, i);
        bool is_one = !mpi_is_sharding(result->type);
        Value **parts = ARENA_ARRAY(m->pass->scratch, Value *, MPI_SHARDING_PARTS);
        for (int part = 0; part < (is_one ? 1 : MPI_SHARDING_PARTS); part++)
            parts[part] = op_result(made, at++);
        if (is_one)
            value_replace_uses(result, parts[0]);
        else
            ptr_map_set(&e->parts, result, parts);
    }
    vec_push(m->pass->scratch, &e->replaced, op);
    m->changed = true;
    return true;
}

void mpi_expand_shardings(Mpi *m) {
    Expander e = {.m = m, .parts = ptr_map(m->pass->scratch)};
    for (Op *op = m->module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC) expand_function(&e, op);
    }
    if (!region_walk(m->module->body, expand_op, &e)) return;
    for (int64_t i = e.replaced.count - 1; i >= 0; i--)
        op_erase(e.replaced.data[i]);
}
