// Functions, calls, control flow, tuples and tokens.
#include "ir/infer/infer.h"

static const Type **terminator_types(Infer *infer, const Region *region, int *count) {
    const Op *end = region_terminator(region);
    *count = end ? end->operand_count : 0;
    const Type **types = ARENA_ARRAY(infer->diags->arena, const Type *, *count + 1);
    for (int i = 0; i < *count; i++)
        types[i] = op_operand_type(end, i);
    return types;
}

static const Type **operand_types(Infer *infer, const Op *op) {
    const Type **types = ARENA_ARRAY(infer->diags->arena, const Type *, op->operand_count + 1);
    for (int i = 0; i < op->operand_count; i++)
        types[i] = op_operand_type(op, i);
    return types;
}

static const Type **arg_types(Infer *infer, const Region *region) {
    const Type **types = ARENA_ARRAY(infer->diags->arena, const Type *, region->arg_count + 1);
    for (int i = 0; i < region->arg_count; i++)
        types[i] = region->args[i]->type;
    return types;
}

static bool lists_fit(int count_a, const Type *const *a, int count_b, const Type *const *b) {
    if (count_a != count_b) return false;
    for (int i = 0; i < count_a; i++) {
        if (!types_fit(a[i], b[i])) return false;
    }
    return true;
}

bool infer_func(Infer *infer, const Op *op) {
    const Attr *attr = op_attr(op, NAME_FUNCTION_TYPE);
    const Type *type = attr->type;
    const Region *body = func_body(op);
    int result_count = type->part_count - type->input_count;
    const Attr *arg_attrs = op_attr(op, NAME_ARG_ATTRS), *res_attrs = op_attr(op, NAME_RES_ATTRS);
    if (arg_attrs && (arg_attrs->kind != ATTR_ARRAY || arg_attrs->count != type->input_count))
        return infer_fail(
            infer, op,
            "expects argument attribute array to have the same number of elements as the number of "
            "function arguments");
    if (res_attrs && (res_attrs->kind != ATTR_ARRAY || res_attrs->count != result_count))
        return infer_fail(
            infer, op,
            "expects result attribute array to have the same number of elements as the number of "
            "function results");
    if (!body->first) { // a declaration
        if (func_is_private(op)) return true;
        return infer_fail(infer, op, "symbol declaration cannot have public visibility");
    }
    if (body->arg_count != type->input_count)
        return infer_fail(
            infer, op, "entry block must have %d arguments to match function signature",
            type->input_count);
    for (int i = 0; i < body->arg_count; i++) {
        if (body->args[i]->type != type->parts[i])
            return infer_fail(
                infer, op,
                "type of entry block argument #%d('%s') must match the type of the corresponding "
                "argument in "
                "function signature('%s')",
                i, infer_type_text(infer, body->args[i]->type),
                infer_type_text(infer, type->parts[i]));
    }
    const Op *end = region_terminator(body);
    StrView name = func_name(op);
    if (end->code != OP_FUNC_RETURN) return true; // the structure check reports it
    if (end->operand_count != result_count)
        return infer_fail(
            infer, end, "has %d operands, but enclosing function (@%.*s) returns %d",
            end->operand_count, SV_ARG(name), result_count);
    for (int i = 0; i < result_count; i++) {
        const Type *returned = op_operand_type(end, i),
                   *expected = type->parts[type->input_count + i];
        if (returned != expected)
            return infer_fail(
                infer, end,
                "type of return operand %d ('%s') doesn't match function result type ('%s') in "
                "function "
                "@%.*s",
                i, infer_type_text(infer, returned), infer_type_text(infer, expected),
                SV_ARG(name));
    }
    return true;
}

static const Type *callee_type(Infer *infer, const Op *op, StrView callee) {
    const Op *func = infer_find_func(infer, callee);
    const Attr *type = func ? op_attr(func, NAME_FUNCTION_TYPE) : NULL;
    if (type && type->kind == ATTR_TYPE && type->type->kind == TYPE_FUNCTION) return type->type;
    infer_report(infer, op, "'%.*s' does not reference a valid function", SV_ARG(callee));
    return NULL;
}

bool infer_call(Infer *infer, const Op *op) {
    const Attr *callee = op_attr(op, NAME_CALLEE);
    const Type *type = callee_type(infer, op, callee->text);
    if (!type) return false;
    if (op->operand_count != type->input_count)
        return infer_fail(infer, op, "incorrect number of operands for callee");
    for (int i = 0; i < op->operand_count; i++) {
        if (op_operand_type(op, i) != type->parts[i])
            return infer_fail(
                infer, op,
                "operand type mismatch: expected operand type '%s', but provided '%s' for operand "
                "number %d",
                infer_type_text(infer, type->parts[i]),
                infer_type_text(infer, op_operand_type(op, i)), i);
    }
    if (op->result_count != type->part_count - type->input_count)
        return infer_fail(infer, op, "incorrect number of results for callee");
    for (int i = 0; i < op->result_count; i++) {
        const Type *expected = type->parts[type->input_count + i];
        if (op_result_type(op, i) != expected)
            return infer_fail(
                infer, op, "result type mismatch at index %d: expected '%s', but got '%s'", i,
                infer_type_text(infer, expected), infer_type_text(infer, op_result_type(op, i)));
    }
    return true;
}

// "dialect.op"
static bool is_op_name(StrView name) {
    if (!name.data) return false;
    const char *dot = memchr(name.data, '.', name.size);
    if (!dot || dot == name.data || dot + 1 == name.data + name.size) return false;
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool other = (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
        if (!letter && (i == 0 || !other)) return false;
    }
    return true;
}

bool infer_composite(Infer *infer, const Op *op) {
    const Attr *name = op_attr(op, NAME_NAME);
    const Attr *decomposition = op_attr(op, NAME_DECOMPOSITION);
    if (!is_op_name(name->text))
        return infer_fail(infer, op, "name must be a valid namespaced op name");
    const Type *type = callee_type(infer, op, decomposition->text);
    if (!type) return false;
    int result_count = type->part_count - type->input_count;
    if (op->operand_count != type->input_count)
        return infer_fail(
            infer, op, "has %d operand(s), but decomposition has %d", op->operand_count,
            type->input_count);
    for (int i = 0; i < op->operand_count; i++) {
        if (!types_fit(op_operand_type(op, i), type->parts[i]))
            return infer_fail(
                infer, op, "operand at index %d has type '%s', but decomposition has type '%s'", i,
                infer_type_text(infer, op_operand_type(op, i)),
                infer_type_text(infer, type->parts[i]));
    }
    if (op->result_count != result_count)
        return infer_fail(
            infer, op, "has %d result(s), but decomposition has %d", op->result_count,
            result_count);
    for (int i = 0; i < op->result_count; i++) {
        const Type *expected = type->parts[type->input_count + i];
        if (!types_fit(op_result_type(op, i), expected))
            return infer_fail(
                infer, op, "result at index %d has type '%s', but decomposition has type '%s'", i,
                infer_type_text(infer, op_result_type(op, i)), infer_type_text(infer, expected));
    }
    return true;
}

bool infer_while(Infer *infer, const Op *op) {
    const Region *condition = op->regions[0], *body = op->regions[1];
    const Type **operands = operand_types(infer, op);
    int count = op->operand_count, outputs;
    if (op->result_count != count)
        return infer_fail(infer, op, "expects %d results, but has %d", count, op->result_count);
    const Type **args = arg_types(infer, condition);
    if (!lists_fit(count, operands, condition->arg_count, args))
        return infer_fail(
            infer, op,
            "expect operands to be compatible with condition block arguments but got %s vs %s",
            infer_types_text(infer, count, operands),
            infer_types_text(infer, condition->arg_count, args));
    args = arg_types(infer, body);
    if (!lists_fit(count, operands, body->arg_count, args))
        return infer_fail(
            infer, op,
            "expect operands to be compatible with body block arguments but got %s vs %s",
            infer_types_text(infer, count, operands),
            infer_types_text(infer, body->arg_count, args));
    const Type **returned = terminator_types(infer, body, &outputs);
    if (!lists_fit(count, operands, outputs, returned))
        return infer_fail(
            infer, op,
            "expect operands to be compatible with body block return types but got %s vs %s",
            infer_types_text(infer, count, operands), infer_types_text(infer, outputs, returned));
    returned = terminator_types(infer, condition, &outputs);
    if (outputs != 1)
        return infer_fail(
            infer, op, "expect condition body returns a single value but got %d", outputs);
    if (returned[0] != type_scalar(infer->context, ELEMENT_I1))
        return infer_fail(
            infer, op, "expect condition block return a zero-ranked tensor of i1 but got '%s'",
            infer_type_text(infer, returned[0]));
    for (int i = 0; i < count; i++)
        infer_set(infer, i, operands[i]);
    return true;
}

bool infer_branches(Infer *infer, const Op *op) {
    const Type *selector = op_operand_type(op, 0);
    bool is_if = op->code == OP_IF;
    if (selector != type_scalar(infer->context, is_if ? ELEMENT_I1 : ELEMENT_I32))
        return infer_fail(
            infer, op, "operand #0 must be 0D tensor of %s values, but got '%s'",
            is_if ? "bool" : "32-bit signless integer", infer_type_text(infer, selector));
    if (op->region_count == 0) return infer_fail(infer, op, "expect at least one branch");
    if (is_if && op->region_count != 2)
        return infer_fail(infer, op, "requires two regions, but has %d", op->region_count);
    int first_count;
    const Type **first = terminator_types(infer, op->regions[0], &first_count);
    for (int b = 0; b < op->region_count; b++) {
        if (op->regions[b]->arg_count)
            return infer_fail(
                infer, op, "branch %d must have 0 arguments, but found %d", b,
                op->regions[b]->arg_count);
        int count;
        const Type **types = terminator_types(infer, op->regions[b], &count);
        if (!lists_fit(first_count, first, count, types))
            return infer_fail(
                infer, op, "branch 0 and branch %d have mismatched return types: %s vs %s", b,
                infer_types_text(infer, first_count, first), infer_types_text(infer, count, types));
    }
    if (first_count != op->result_count)
        return infer_fail(
            infer, op, "branches return %d values, but the op has %d results", first_count,
            op->result_count);
    for (int i = 0; i < first_count; i++) {
        if (first[i]->kind == TYPE_OPAQUE)
            return infer_fail(
                infer, op,
                "result #%d must be variadic of ranked tensor of any values or token, but got '%s'",
                i, infer_type_text(infer, first[i]));
        infer_set(infer, i, first[i]);
    }
    return true;
}

bool infer_tuple(Infer *infer, const Op *op) {
    const Type **types = operand_types(infer, op);
    infer_set(infer, 0, type_tuple(infer->context, op->operand_count, types));
    return true;
}

bool infer_get_tuple_element(Infer *infer, const Op *op) {
    const Type *tuple = op_operand_type(op, 0);
    if (tuple->kind != TYPE_TUPLE)
        return infer_fail(
            infer, op, "operand #0 must be nested tuple, but got '%s'",
            infer_type_text(infer, tuple));
    int64_t index = op_int(op, NAME_INDEX, 0);
    if (index >= tuple->part_count)
        return infer_fail(
            infer, op, "index %lld is out of bounds of operand with size %d", (long long)index,
            tuple->part_count);
    infer_set(infer, 0, tuple->parts[index]);
    return true;
}

bool infer_token(Infer *infer, const Op *op) {
    const Type *token = type_token(infer->context);
    for (int i = 0; i < op->operand_count; i++) {
        if (op_operand_type(op, i) != token)
            return infer_fail(
                infer, op, "operand #%d must be variadic of token, but got '%s'", i,
                infer_type_text(infer, op_operand_type(op, i)));
    }
    infer_set(infer, 0, token);
    return true;
}

// Results are tensors and, last, a token.
static bool check_token_last(Infer *infer, const Op *op) {
    if (op->result_count == 0)
        return infer_fail(infer, op, "result is expected to be at least of size 1, but got 0");
    for (int i = 0; i + 1 < op->result_count; i++) {
        const Type *type = op_result_type(op, i);
        if (type->kind != TYPE_TENSOR)
            return infer_fail(
                infer, op,
                "all elements of result types, except the last element, are expected to be of "
                "tensor "
                "type, but got '%s'",
                infer_type_text(infer, type));
    }
    const Type *last = op_result_type(op, op->result_count - 1);
    if (last->kind == TYPE_TOKEN) return true;
    return infer_fail(
        infer, op, "last element of result types is expected to be of token type, but got '%s'",
        infer_type_text(infer, last));
}

// The first item that is no integer; NULL when all are.
static const Attr *find_no_integer(const Attr *list) {
    for (int i = 0; i < list->count; i++) {
        if (list->items[i]->kind != ATTR_INT) return list->items[i];
    }
    return NULL;
}

bool infer_infeed(Infer *infer, const Op *op) {
    if (!check_token_last(infer, op)) return false;
    const Attr *layout = op_attr(op, NAME_LAYOUT);
    if (!layout) return true;
    if (layout->kind != ATTR_ARRAY)
        return infer_fail(infer, op, "layout-attribute expected to be of array type");
    if (layout->count != op->result_count - 1)
        return infer_fail(
            infer, op,
            "layout-attribute size must be %d (which is the number of op-results - 1 (for token "
            "result)), but "
            "got %d",
            op->result_count - 1, layout->count);
    for (int i = 0; i < layout->count; i++) {
        const Attr *item = layout->items[i];
        const Attr *leaf = item->kind == ATTR_ARRAY ? find_no_integer(item) : NULL;
        if (item->kind == ATTR_ARRAY && !leaf) continue;
        StrBuf text = strbuf(infer->diags->arena);
        attr_print(&text, leaf ? leaf : item);
        if (leaf)
            return infer_fail(
                infer, op,
                "layout-attribute's leaf elements are expected to be of type integer, but got %s",
                strbuf_cstring(&text));
        return infer_fail(
            infer, op, "layout-attribute expected to have elements of type array, but got %s",
            strbuf_cstring(&text));
    }
    return true;
}

// The channel's type says where the other end is.
bool infer_send_recv(Infer *infer, const Op *op) {
    enum { DEVICE_TO_DEVICE = 1, DEVICE_TO_HOST = 2, HOST_TO_DEVICE = 3 };
    bool is_send = op->code == OP_SEND;
    bool is_host = op_int(op, NAME_IS_HOST_TRANSFER, 0) != 0;
    const Attr *channel = op_attr(op, NAME_CHANNEL_HANDLE);
    int64_t type = channel && channel->kind == ATTR_CHANNEL && channel->ints ? channel->ints[1] : 0;
    int64_t expected = !is_host ? DEVICE_TO_DEVICE : is_send ? DEVICE_TO_HOST : HOST_TO_DEVICE;
    const char *names[] = {"", "DEVICE_TO_DEVICE", "DEVICE_TO_HOST", "HOST_TO_DEVICE"};
    if (type != expected)
        return infer_fail(
            infer, op, "channel_type should be %s when is_host_transfer is %s", names[expected],
            is_host ? "true" : "false");
    return is_send || check_token_last(infer, op);
}

static bool is_asynchronous(OpCode code) {
    static const OpCode codes[] = {OP_ALL_GATHER,         OP_ALL_REDUCE,
                                   OP_ALL_TO_ALL,         OP_COLLECTIVE_BROADCAST,
                                   OP_COLLECTIVE_PERMUTE, OP_COLLECTIVE_REDUCE,
                                   OP_DYNAMIC_SLICE,      OP_DYNAMIC_UPDATE_SLICE,
                                   OP_REDUCE_SCATTER,     OP_SLICE};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i] == code) return true;
    }
    return false;
}

// An async op runs the one op of its region; its result is a future of that op's results.
bool infer_async_start(Infer *infer, const Op *op) {
    const Region *body = op->regions[0];
    bool one_op = body->first && body->first != body->last && body->first->next == body->last;
    if (!one_op)
        return infer_fail(infer, op, "region must contain exactly one operation and a return");
    if (!is_asynchronous(body->first->code))
        return infer_fail(infer, op, "region must contain a collective or slice operation");
    if (body->arg_count != op->operand_count)
        return infer_fail(
            infer, op, "number of operands (%d) must match number of region arguments (%d)",
            op->operand_count, body->arg_count);
    for (int i = 0; i < op->operand_count; i++) {
        if (op_operand_type(op, i) != body->args[i]->type)
            return infer_fail(
                infer, op, "operand type '%s' at index %d must match region argument type '%s'",
                infer_type_text(infer, op_operand_type(op, i)), i,
                infer_type_text(infer, body->args[i]->type));
    }
    int count;
    const Type **types = terminator_types(infer, body, &count);
    if (count != 1)
        return infer_fail(infer, op, "region must return exactly one value, but got %d", count);
    if (op->result_count != 1) return infer_fail(infer, op, "expects one result");
    infer_set(
        infer, 0,
        type_intern(
            infer->context, &(Type){.kind = TYPE_FUTURE, .part_count = count, .parts = types}));
    return true;
}

bool infer_async_done(Infer *infer, const Op *op) {
    const Type *future = op->operand_count == 1 ? op_operand_type(op, 0) : NULL;
    if (!future || future->kind != TYPE_FUTURE)
        return infer_fail(infer, op, "expects one operand, a future");
    if (future->part_count != 1)
        return infer_fail(
            infer, op, "future must have exactly one type parameter, but got %d",
            future->part_count);
    if (future->part_count != op->result_count)
        return infer_fail(
            infer, op, "expects %d results, but has %d", future->part_count, op->result_count);
    for (int i = 0; i < op->result_count; i++)
        infer_set(infer, i, future->parts[i]);
    return true;
}

// ---- interpreter.run_parallel ----

static const Op *find_program(Infer *infer, const Op *op, const Attr *symbol) {
    if (symbol->kind != ATTR_SYMBOL) {
        infer_report(infer, op, "names functions that are no symbols");
        return NULL;
    }
    const Op *func = infer_find_func(infer, symbol->text);
    if (!func) infer_report(infer, op, "Function \"%.*s\" not found", SV_ARG(symbol->text));
    return func;
}

// Functions that give the infeed's data return one tensor each.
static bool check_infeed(Infer *infer, const Op *op) {
    const Attr *queue = op_attr(op, NAME_INFEED);
    if (!queue) return true;
    if (queue->kind != ATTR_ARRAY || queue->count == 0)
        return infer_fail(infer, op, "infeed attribute is optional or should not be empty");
    for (int i = 0; i < queue->count; i++) {
        const Op *func = find_program(infer, op, queue->items[i]);
        if (!func) return false;
        const Type *type = op_attr(func, NAME_FUNCTION_TYPE)->type;
        int results = type->part_count - type->input_count;
        if (results != 1)
            return infer_fail(
                infer, op, "Function \"%.*s\" should return 1 tensor but returns %d",
                SV_ARG(queue->items[i]->text), results);
        const Type *result = type->parts[type->input_count];
        if (result->kind != TYPE_TENSOR)
            return infer_fail(
                infer, op,
                "Function \"%.*s\" should return a tensor type, but instead returns '%s'",
                SV_ARG(queue->items[i]->text), infer_type_text(infer, result));
    }
    return true;
}

// programs: for each replica the functions of its partitions. Operands and results: those of all
// functions, one after the other.
bool infer_run_parallel(Infer *infer, const Op *op) {
    const Attr *programs = op_attr(op, NAME_PROGRAMS);
    int partitions = 0;
    int64_t inputs = 0, results = 0;
    for (int r = 0; r < programs->count; r++) {
        const Attr *replica = programs->items[r];
        if (replica->kind != ATTR_ARRAY)
            return infer_fail(infer, op, "`programs` attribute must hold lists of functions");
        if (r == 0) partitions = replica->count;
        if (replica->count != partitions)
            return infer_fail(
                infer, op, "Sizes of second dimension of `programs` should all match %d but got %d",
                partitions, replica->count);
        for (int p = 0; p < partitions; p++) {
            const Op *func = find_program(infer, op, replica->items[p]);
            if (!func) return false;
            const Type *type = op_attr(func, NAME_FUNCTION_TYPE)->type;
            inputs += type->input_count;
            results += type->part_count - type->input_count;
        }
    }
    if (partitions == 0) return infer_fail(infer, op, "`programs` attribute cannot be empty");
    if (inputs != op->operand_count)
        return infer_fail(
            infer, op,
            "Number of inputs (%d) should match the sum of the number of inputs of all programs "
            "(%lld)",
            op->operand_count, (long long)inputs);
    if (results != op->result_count)
        return infer_fail(
            infer, op,
            "Number of results (%d) should match the sum of the number of results of all programs "
            "(%lld)",
            op->result_count, (long long)results);
    return check_infeed(infer, op);
}
