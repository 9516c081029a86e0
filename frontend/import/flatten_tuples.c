// flatten_tuples: what is behind the reader knows no tuples.
//
//   In      a verified module. Arguments, results and operands of functions and ops
//           may be tuples, also of tuples.
//   Out     no tuple but as result of an asynchronous op: a tuple stands as its parts, in order,
//           wherever it stood. The parts of a text mhlo.sharding = "{{..}, {..}}" go with them.
//   Fails   on tuples of very many parts
//
//   before  %1 = stablehlo.while(%a = %t) : tuple<tensor<i32>, tensor<4xf32>> ..
//   after   %1:2 = stablehlo.while(%a = %i, %b = %x) : tensor<i32>, tensor<4xf32> ..
//
// Every op that takes or gives a tuple is rewritten alone: it takes the parts (get_tuple_element)
// and gives parts, from which `tuple` makes what its users know. Then get_tuple_element of tuple is
// the part, and nothing uses the tuples.

#include "base/vec.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum { MAX_PARTS = 1 << 21 }; // that one program's values have in all

typedef VEC(const Type *) Types;
typedef VEC(Value *) Values;

typedef struct Flattener {
    Module *module;
    PassContext *pass;
    int64_t parts_left;
    bool failed;
} Flattener;

static bool has_tuples(const Type *const *types, int count) {
    for (int i = 0; i < count; i++) {
        if (types[i]->kind == TYPE_TUPLE) return true;
    }
    return false;
}

// ---- parts ----

// How many types the type is written with; more than `limit` are not counted.
static int64_t written_size(const Type *type, int64_t limit) {
    int64_t size = 1;
    for (int i = 0; type->kind == TYPE_TUPLE && i < type->part_count && size <= limit; i++)
        size += written_size(type->parts[i], limit - size);
    return size;
}

static int leaf_count(const Type *type) {
    if (type->kind != TYPE_TUPLE) return 1;
    int count = 0;
    for (int i = 0; i < type->part_count; i++)
        count += leaf_count(type->parts[i]);
    return count;
}

static void push_leaves(Flattener *flattener, const Type *type, Types *types) {
    if (type->kind != TYPE_TUPLE) {
        vec_push(flattener->pass->scratch, types, type);
        return;
    }
    for (int i = 0; i < type->part_count; i++)
        push_leaves(flattener, type->parts[i], types);
}

// Counts a value's parts in; false with a diagnostic when they are too many.
static bool may_flatten(Flattener *flattener, const Op *op, const Type *type) {
    flattener->parts_left -= written_size(type, flattener->parts_left);
    if (flattener->parts_left > 0) return true;
    if (!flattener->failed)
        diag_unsupported(
            flattener->pass->diags, op->loc,
            "tuples of more than %d parts in all are not supported", MAX_PARTS);
    flattener->failed = true;
    return false;
}

// The arrays of a tuple, by get_tuple_element.
static void take_apart(Flattener *flattener, Builder *builder, Value *value, Values *leaves) {
    const Type *type = value->type;
    if (type->kind != TYPE_TUPLE) {
        vec_push(flattener->pass->scratch, leaves, value);
        return;
    }
    for (int i = 0; i < type->part_count; i++) {
        Op *part = build_op(builder, OP_GET_TUPLE_ELEMENT, 1, &value, 1, &type->parts[i], 0);
        op_set_attr(
            flattener->module, part, NAME_INDEX,
            attr_int(flattener->module->context, i, ELEMENT_I32));
        take_apart(flattener, builder, op_result(part, 0), leaves);
    }
}

// The tuple of the arrays from *next on.
static Value *put_together(Builder *builder, Arena *arena, const Type *type, Value ***next) {
    if (type->kind != TYPE_TUPLE) return *(*next)++;
    Value **parts = ARENA_ARRAY(arena, Value *, type->part_count + 1);
    for (int i = 0; i < type->part_count; i++)
        parts[i] = put_together(builder, arena, type->parts[i], next);
    return op_result(build_op(builder, OP_TUPLE, type->part_count, parts, 1, &type, 0), 0);
}

// ---- regions ----

static bool flatten_args(Flattener *flattener, Region *region) {
    Module *module = flattener->module;
    Arena *arena = flattener->pass->scratch;
    int count = region->arg_count;
    bool has_any = false;
    for (int i = 0; i < count; i++)
        has_any = has_any || region->args[i]->type->kind == TYPE_TUPLE;
    if (!has_any) return true;
    Builder builder = builder_at_end(module, region);
    builder.before = region->first;
    for (int i = 0; i < count; i++) {
        Value *old = region->args[i];
        Types types = {0};
        Values values = {0};
        if (!may_flatten(flattener, region->owner, old->type)) return false;
        push_leaves(flattener, old->type, &types);
        for (int64_t k = 0; k < types.count; k++)
            vec_push(arena, &values, region_add_arg(module, region, types.data[k], old->loc));
        if (types.count == 1) values.data[0]->sharding = old->sharding;
        builder.loc = old->loc;
        Value **next = values.data;
        value_replace_uses(old, put_together(&builder, arena, old->type, &next));
    }
    for (int i = count - 1; i >= 0; i--)
        region_remove_arg(region, i);
    return true;
}

// ---- custom calls ----

// Where the part that the indices lead to begins among the arrays of the type, which becomes the
// part's.
static int leaf_offset(const Type **type, IntSpan indices) {
    int offset = 0;
    for (int i = 0; i < indices.count; i++) {
        for (int64_t k = 0; k < indices.data[i]; k++)
            offset += leaf_count((*type)->parts[k]);
        *type = (*type)->parts[indices.data[i]];
    }
    return offset;
}

static int leaves_before(const Type *const *types, int64_t end) {
    int count = 0;
    for (int64_t i = 0; i < end; i++)
        count += leaf_count(types[i]);
    return count;
}

// output_operand_aliases by arrays instead of parts of tuples. Types are those before.
static void flatten_aliases(
    Flattener *flattener, Op *op, const Type *const *operands, const Type *const *results,
    int result_count, int new_results) {
    Context *context = flattener->module->context;
    const Attr *aliases = op_attr(op, NAME_OUTPUT_OPERAND_ALIASES);
    VEC(const Attr *) made = {0};
    for (int i = 0; aliases && i < aliases->count; i++) {
        const OperandAlias *alias = aliases->items[i]->alias;
        const Type *operand = operands[alias->operand_index];
        int from = leaves_before(operands, alias->operand_index) +
                   leaf_offset(&operand, alias->operand_tuple_indices);
        IntSpan path = alias->output_tuple_indices;
        int64_t result = 0;
        if (result_count > 1) {
            result = path.data[0];
            path = (IntSpan){path.data + 1, path.count - 1};
        }
        const Type *output = results[result];
        int64_t to = leaves_before(results, result) + leaf_offset(&output, path);
        for (int k = 0; k < leaf_count(output); k++, to++) {
            OperandAlias leaf = {
                .output_tuple_indices = {&to, new_results > 1}, .operand_index = from + k};
            const Attr prototype = {.kind = ATTR_ALIAS, .alias = &leaf};
            vec_push(flattener->pass->scratch, &made, attr_intern(context, &prototype));
        }
    }
    if (aliases)
        op_set_attr(
            flattener->module, op, NAME_OUTPUT_OPERAND_ALIASES,
            attr_array(context, (int)made.count, made.data));
}

// ---- ops ----

static const Type **operand_types(Arena *arena, const Op *op) {
    const Type **types = ARENA_ARRAY(arena, const Type *, op->operand_count + 1);
    for (int i = 0; i < op->operand_count; i++)
        types[i] = op_operand_type(op, i);
    return types;
}

static const Type **result_types(Arena *arena, const Op *op) {
    const Type **types = ARENA_ARRAY(arena, const Type *, op->result_count + 1);
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);
    return types;
}

static bool flatten_operands(Flattener *flattener, Op *op) {
    int count = op->operand_count;
    Builder builder = builder_before(flattener->module, op);
    Values leaves = {0};
    for (int i = 0; i < count; i++) {
        if (!may_flatten(flattener, op, op_operand_type(op, i))) return false;
        take_apart(flattener, &builder, op_operand(op, i), &leaves);
    }
    for (int64_t i = 0; i < leaves.count; i++)
        op_add_operand(flattener->module, op, leaves.data[i]);
    for (int i = count - 1; i >= 0; i--)
        op_remove_operand(op, i);
    return true;
}

// The op with arrays as results; *op becomes the new one.
static bool flatten_results(Flattener *flattener, Op **op) {
    Arena *arena = flattener->pass->scratch;
    int count = (*op)->result_count;
    const Type **types = result_types(arena, *op);
    Types flat = {0};
    int *map = ARENA_ARRAY(arena, int, count + 1), *first = ARENA_ARRAY(arena, int, count + 1);
    Value **stand_ins = ARENA_ARRAY(arena, Value *, count + 1);
    const Sharding **shardings = ARENA_ARRAY(arena, const Sharding *, count + 1);
    Builder builder = builder_after(flattener->module, *op);
    for (int i = 0; i < count; i++) {
        if (!may_flatten(flattener, *op, types[i])) return false;
        first[i] = (int)flat.count;
        push_leaves(flattener, types[i], &flat);
        map[i] = types[i]->kind == TYPE_TUPLE ? -1 : first[i];
        if (map[i] >= 0) continue;
        stand_ins[i] = op_result(build_op(&builder, OP_TUPLE, 0, NULL, 1, &types[i], 0), 0);
        value_replace_uses(op_result(*op, i), stand_ins[i]);
        shardings[i] = op_result(*op, i)->sharding;
    }
    Op *made = op_with_results(flattener->module, *op, (int)flat.count, flat.data, map);
    Value **results = ARENA_ARRAY(arena, Value *, flat.count + 1);
    for (int i = 0; i < made->result_count; i++)
        results[i] = op_result(made, i);
    builder = builder_after(flattener->module, made);
    for (int i = 0; i < count; i++) {
        if (map[i] >= 0) continue;
        if (leaf_count(types[i]) == 1) results[first[i]]->sharding = shardings[i];
        Value **next = results + first[i];
        value_replace_uses(stand_ins[i], put_together(&builder, arena, types[i], &next));
    }
    for (int i = 0; i < count; i++) { // last: the builder stands before the first of them
        if (map[i] < 0) op_erase(stand_ins[i]->def);
    }
    *op = made;
    return true;
}

static bool flatten_op(Flattener *flattener, Op *op) {
    Arena *arena = flattener->pass->scratch;
    const Type **operands = operand_types(arena, op), **results = result_types(arena, op);
    int operand_count = op->operand_count, result_count = op->result_count;
    for (int i = 0; i < op->region_count; i++) {
        if (!flatten_args(flattener, op->regions[i])) return false;
    }
    if (has_tuples(operands, operand_count) && !flatten_operands(flattener, op)) return false;
    if (has_tuples(results, result_count) && !flatten_results(flattener, &op)) return false;
    flatten_aliases(flattener, op, operands, results, result_count, op->result_count);
    return true;
}

// ---- functions ----

// "{{..}, {..}}" as its parts; false when it has another number of them.
static bool split_sharding(StrView text, int count, StrView *parts) {
    int depth = 0, found = 0;
    bool quoted = false;
    size_t start = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '{' && ++depth == 2) start = i;
        if (c != '}' || depth-- != 2) continue;
        if (found == count) return false;
        parts[found++] = (StrView){text.data + start, i + 1 - start};
    }
    return found == count && count > 0;
}

// The dictionary of part i of a tuple that had `dict`.
static const Attr *part_dict(
    Flattener *flattener, const Attr *dict, const Type *whole, int part, int parts) {
    static const char sharding_key[] = "mhlo.sharding";
    Context *context = flattener->module->context;
    const Attr *text = dict ? attr_dict_get(dict, strview(sharding_key)) : NULL;
    if (whole->kind != TYPE_TUPLE || !text || text->kind != ATTR_STRING) return dict;
    StrView *views = ARENA_ARRAY(flattener->pass->scratch, StrView, parts);
    if (!split_sharding(text->text, parts, views)) return dict;
    return attr_dict_set(context, dict, strview(sharding_key), attr_string(context, views[part]));
}

// Donation names a result by its number.
static const Attr *renumber_donation(
    Flattener *flattener, const Attr *dict, const Type *const *results, int result_count) {
    static const char key[] = "tf.aliasing_output";
    Context *context = flattener->module->context;
    const Attr *number = dict ? attr_dict_get(dict, strview(key)) : NULL;
    if (!number || number->kind != ATTR_INT) return dict;
    int64_t i = number->integer;
    const Attr *renumbered = NULL;
    if (i >= 0 && i < result_count && results[i]->kind != TYPE_TUPLE)
        renumbered = attr_int(context, leaves_before(results, i), ELEMENT_I32);
    return attr_dict_set(context, dict, strview(key), renumbered);
}

static void flatten_dicts(Flattener *flattener, Op *func, const Type *type, bool are_args) {
    Context *context = flattener->module->context;
    AttrName name = are_args ? NAME_ARG_ATTRS : NAME_RES_ATTRS;
    int results = type->part_count - type->input_count,
        count = are_args ? type->input_count : results;
    const Type *const *types = type->parts + (are_args ? 0 : type->input_count);
    VEC(const Attr *) dicts = {0};
    if (!op_attr(func, name)) return;
    for (int i = 0; i < count; i++) {
        int parts = leaf_count(types[i]);
        const Attr *dict = are_args ? func_arg_attrs(func, i) : func_result_attrs(func, i);
        if (are_args)
            dict = renumber_donation(flattener, dict, type->parts + type->input_count, results);
        for (int k = 0; k < parts; k++) {
            const Attr *part = part_dict(flattener, dict, types[i], k, parts);
            if (!part) part = attr_dict(context, 0, NULL, NULL);
            vec_push(flattener->pass->scratch, &dicts, part);
        }
    }
    const Attr *flat = dicts.count ? attr_array(context, (int)dicts.count, dicts.data) : NULL;
    op_set_attr(flattener->module, func, name, flat);
}

static bool flatten_func(Flattener *flattener, Op *func) {
    Module *module = flattener->module;
    const Type *type = op_attr(func, NAME_FUNCTION_TYPE)->type;
    if (!has_tuples(type->parts, type->part_count)) return true;
    if (!flatten_args(flattener, func_body(func))) return false;
    Types flat = {0};
    VEC(const Sharding *) shardings = {0};
    int inputs = leaves_before(type->parts, type->input_count);
    for (int i = 0; i < type->part_count; i++) {
        if (!may_flatten(flattener, func, type->parts[i])) return false;
        int64_t first = flat.count, result = i - type->input_count;
        push_leaves(flattener, type->parts[i], &flat);
        for (int64_t k = first; result >= 0 && k < flat.count; k++)
            vec_push(
                module->arena, &shardings,
                flat.count - first == 1 ? func->result_shardings[result] : NULL);
    }
    flatten_dicts(flattener, func, type, true);
    flatten_dicts(flattener, func, type, false);
    func->result_shardings = shardings.data;
    const Type *made = type_function(
        module->context, inputs, flat.data, (int)flat.count - inputs,
        flat.data ? flat.data + inputs : NULL);
    op_set_attr(module, func, NAME_FUNCTION_TYPE, attr_type(module->context, made));
    return true;
}

// ---- the tuples that are left ----

typedef struct TupleOps {
    Arena *arena;
    VEC(Op *) flattened, tuples; // ops that take, give or hold tuples; tuple and get_tuple_element
} TupleOps;

static bool find_tuples(Op *op, void *user) {
    TupleOps *found = user;
    if (op->code == OP_TUPLE || op->code == OP_GET_TUPLE_ELEMENT) {
        vec_push(found->arena, &found->tuples, op);
        return true;
    }
    if (op->code == OP_ASYNC_START || op->code == OP_ASYNC_DONE || op->code == OP_UNREGISTERED)
        return true;
    bool has_any = op->code == OP_FUNC;
    for (int i = 0; i < op->operand_count; i++)
        has_any = has_any || op_operand_type(op, i)->kind == TYPE_TUPLE;
    for (int i = 0; i < op->result_count; i++)
        has_any = has_any || op_result_type(op, i)->kind == TYPE_TUPLE;
    for (int i = 0; i < op->region_count; i++) {
        for (int k = 0; k < op->regions[i]->arg_count; k++)
            has_any = has_any || op->regions[i]->args[k]->type->kind == TYPE_TUPLE;
    }
    if (has_any) vec_push(found->arena, &found->flattened, op);
    return true;
}

// A part with a sharding of its own keeps it as a constraint.
static Value *constrained(Flattener *flattener, Op *get, Value *part) {
    Module *module = flattener->module;
    const Attr *text = op_extra(get, "mhlo.sharding");
    const Sharding *sharding = op_result(get, 0)->sharding;
    if ((!text && !sharding) || part->type->kind != TYPE_TENSOR) return part;
    Builder builder = builder_before(module, get);
    if (sharding) {
        part = build_unary(&builder, OP_SDY_CONSTRAINT, part);
        part->sharding = sharding;
    }
    if (text) {
        Op *op = build_op(&builder, OP_CUSTOM_CALL, 1, &part, 1, &part->type, 0);
        op_set_attr(
            module, op, NAME_CALL_TARGET_NAME, attr_string(module->context, SV("Sharding")));
        op_set_extra(module, op, SV("mhlo.sharding"), text);
        part = op_result(op, 0);
    }
    return part;
}

static void resolve_tuples(Flattener *flattener, const TupleOps *found) {
    for (int64_t i = 0; i < found->tuples.count; i++) {
        Op *op = found->tuples.data[i];
        if (op->code != OP_GET_TUPLE_ELEMENT) continue;
        const Op *tuple = op_operand(op, 0)->def;
        if (!tuple || tuple->code != OP_TUPLE) continue;
        Value *part = op_operand(tuple, (int)op_int(op, NAME_INDEX, 0));
        value_replace_uses(op_result(op, 0), constrained(flattener, op, part));
    }
    for (int64_t i = found->tuples.count - 1; i >= 0; i--) {
        Op *op = found->tuples.data[i];
        if (!op_result(op, 0)->uses) op_erase(op);
    }
}

PassResult pass_flatten_tuples(Module *module, PassContext *pass) {
    Flattener flattener = {.module = module, .pass = pass, .parts_left = MAX_PARTS};
    TupleOps found = {.arena = pass->scratch}, left = {.arena = pass->scratch};
    bool changed = false;
    region_walk(module->body, find_tuples, &found);
    for (int64_t i = 0; i < found.flattened.count && !flattener.failed; i++) {
        Op *op = found.flattened.data[i];
        if (op->code == OP_FUNC) {
            const Type *type = op_attr(op, NAME_FUNCTION_TYPE)->type;
            changed = changed || has_tuples(type->parts, type->part_count);
            flatten_func(&flattener, op);
        } else {
            changed = true;
            flatten_op(&flattener, op);
        }
    }
    if (flattener.failed) return PASS_FAILED;
    if (!changed && found.tuples.count == 0) return PASS_UNCHANGED;
    region_walk(module->body, find_tuples, &left);
    resolve_tuples(&flattener, &left);
    return PASS_CHANGED;
}
