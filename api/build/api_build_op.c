// api_build_op: one op that is asked for, or several as text.
#include "api/build/api_build.h"
#include "frontend/frontend.h"
#include "ir/verify/verify.h"

// Ops.

static bool find_code(Call *call, const char *parameter, const char *name, OpCode *code) {
    if (!build_need(call, parameter, name)) return false;
    if (!op_code_from_text(strview(name), code) || *code == OP_UNREGISTERED)
        return build_error(call, "there is no op '%.80s'", name);
    if (*code == OP_MODULE || op_code_has(*code, TRAIT_SYMBOL))
        return build_error(call, "'%s' does not belong in a function", name);
    if (op_code_has(*code, TRAIT_TERMINATOR))
        return build_error(call, "'%s' is made by what ends its region", name);
    return true;
}

// The type that the request describes by operand 0 and its dims or elements.
static const Type *shaped_type(Call *call, const Request *request, const Type *operand) {
    Context *context = call->module->module->context;
    if (operand->kind != TYPE_TENSOR || operand->unranked) {
        build_error(call, "'%s' needs a tensor", request->name);
        return NULL;
    }
    if (request->dtype) {
        ElementType element;
        if (element_from_text(strview(shardc_dtype_name(request->dtype)), &element))
            return type_with_element(context, operand, element);
        build_error(call, "dtype is no element type: %d", (int)request->dtype);
        return NULL;
    }
    if (request->rank < 0 || request->rank > MAX_RANK) {
        build_error(call, "rank is %d, expected 0 to %d dimensions", request->rank, MAX_RANK);
        return NULL;
    }
    if (request->rank && !build_need(call, "dims", request->dims)) return NULL;
    for (int d = 0; d < request->rank; d++) {
        if (request->dims[d] >= 0) continue;
        build_error(call, "dims[%d] is negative: %lld", d, (long long)request->dims[d]);
        return NULL;
    }
    return type_with_dims(context, operand, request->rank, request->dims);
}

// The results' types; *inferred: they are only there to have some, and follow from the op.
static const Type **result_types(
    Call *call, const Request *request, Value *const *operands, bool *inferred) {
    *inferred = false;
    if (request->result_types) {
        return build_read_types(
            call, "result_types", "result_count", request->result_count, request->result_types);
    }
    if (!build_need_list(call, "results", "result_count", request->result_count, "")) return NULL;
    const Type **types = ARENA_ARRAY(call->scratch, const Type *, request->result_count + 1);
    if (request->has_shape || request->dtype) {
        types[0] = shaped_type(call, request, operands[0]->type);
        return types[0] ? types : NULL;
    }
    *inferred = request->result_count > 0;
    for (int i = 0; i < request->result_count; i++)
        types[i] = type_scalar(call->module->module->context, ELEMENT_F32);
    return types;
}

static void print_list(StrBuf *out, const IntList *list, bool is_dot) {
    strbuf_printf(out, is_dot ? "%s = [" : "%s = array<i64", list->name);
    for (int i = 0; i < list->count; i++)
        strbuf_printf(out, "%s%lld", i ? ", " : is_dot ? "" : ": ", (long long)list->values[i]);
    strbuf_puts(out, is_dot ? "]" : ">");
}

static bool set_attributes(Call *call, const Request *request, Op *op) {
    StrBuf text = strbuf(call->scratch);
    if (request->is_dot) strbuf_puts(&text, "dot_dimension_numbers = #stablehlo.dot<");
    const char *separator = "";
    for (int i = 0; i < 4; i++) {
        const IntList *list = &request->lists[i];
        if (!list->name) continue;
        if (list->count < 0 || list->count > MAX_RANK) {
            return build_error(
                call, "%s is %d, expected 0 to %d", list->count_name, list->count, MAX_RANK);
        }
        if (list->count && !build_need(call, list->parameter, list->values)) return false;
        strbuf_puts(&text, separator);
        print_list(&text, list, request->is_dot);
        separator = ", ";
    }
    if (request->is_dot) strbuf_putc(&text, '>');
    if (request->attributes && *request->attributes) {
        strbuf_puts(&text, separator);
        strbuf_puts(&text, request->attributes);
    }
    if (request->sharding) {
        const Sharding *sharding = build_read_sharding(call, request->sharding);
        if (!sharding) return false;
        op_result(op, 0)->sharding = sharding;
    }
    Module *module = call->module->module;
    return text.size == 0 ||
           frontend_read_attrs(op, module, call->scratch, strbuf_view(&text), call->diags);
}

// The regions that wait get their terminators and go into the op, and back when it is refused.
static void take_regions(Module *module, const Frame *frame, Op *op) {
    bool is_sdy = op->code == OP_SDY_MANUAL || op->code == OP_SDY_NAMED;
    int i = 0;
    for (const PendingRegion *pending = frame->pending; pending; pending = pending->next) {
        Builder builder = builder_at_end(module, pending->region);
        builder.loc = op->loc;
        build_return(
            &builder, is_sdy ? OP_SDY_RETURN : OP_RETURN, pending->count, pending->results);
        region_take(op->regions[i++], pending->region);
    }
}

static void give_back_regions(const Frame *frame, Op *op) {
    int i = 0;
    for (const PendingRegion *pending = frame->pending; pending; pending = pending->next) {
        Region *region = op->regions[i++];
        op_erase(region_terminator(region));
        region_take(pending->region, region);
    }
}

static bool infer_types(Call *call, Op *op) {
    const Type **types = ARENA_ARRAY(call->scratch, const Type *, op->result_count);
    bool inferred;
    if (!infer_result_types(call->module->module, op, types, &inferred, call->diags)) {
        diag_note(call->diags, NULL, "the types of its results were not given");
        return false;
    }
    if (!inferred) {
        return build_error(
            call, "the types of the results of '%.*s' do not follow from its operands: give them",
            SV_ARG(op->name));
    }
    for (int i = 0; i < op->result_count; i++)
        op_result(op, i)->type = types[i];
    return true;
}

// Attributes, types and all checks of an op that is in its place.
static bool complete_op(Call *call, const Request *request, Op *op, bool inferred) {
    if (request->sharding && op->result_count != 1)
        return build_error(call, "'%s' has no result for the sharding", request->name);
    if (!set_attributes(call, request, op)) return false;
    call->diags->file = call->module->file;
    call->diags->text = (StrView){NULL, 0};
    if (inferred && !infer_types(call, op)) return false;
    return verify_op(call->module->module, op, call->diags);
}

static bool add_op(
    Call *call, const Request *request, OpCode code, int count, Value *const *operands) {
    Module *module = call->module->module;
    Frame *frame = call->func->frame;
    bool inferred;
    const Type **types = result_types(call, request, operands, &inferred);
    if (!types) return false;
    Builder builder = builder_at_end(module, frame->region);
    builder.loc = build_loc(call->module);
    Op *op = build_op(
        &builder, code, count, operands, request->result_count, types, frame->pending_count);
    take_regions(module, frame, op);
    if (!complete_op(call, request, op, inferred)) {
        give_back_regions(frame, op);
        op_erase(op);
        return false;
    }
    frame->pending = frame->last_pending = NULL;
    frame->pending_count = 0;
    for (int i = 0; i < op->result_count; i++) {
        shardc_value number = build_new_value(call->func, op_result(op, i));
        if (request->results) request->results[i] = number;
    }
    return true;
}

// A reduction's body waits as a region of its own; the start value is made where none is given.
static bool add_reduce(Call *call, const Request *request, Value *x) {
    Module *module = call->module->module;
    Frame *frame = call->func->frame;
    OpCode body;
    if (frame->pending) return build_error(call, "a region waits for its op");
    if (!find_code(call, "body", request->body, &body)) return false;
    if (op_code_operands(body) != 2 || !op_code_has(body, TRAIT_COMMUTES))
        return build_error(call, "'%s' cannot be the body of a reduction", request->body);
    if (x->type->kind != TYPE_TENSOR || x->type->unranked || x->type->quant)
        return build_error(call, "a reduction needs a tensor");
    Value *operands[2] = {x, NULL};
    Op *neutral = NULL;
    if (request->operands[1]) {
        if (!build_find_value(call, request->operands[1], "operand", 1, &operands[1])) return false;
    } else {
        const Type *scalar = type_scalar(module->context, x->type->element);
        Builder builder = builder_at_end(module, frame->region);
        builder.loc = build_loc(call->module);
        operands[1] = build_constant(&builder, reduction_neutral(module->context, body, scalar));
        neutral = operands[1]->def;
    }
    Region *region = ARENA_NEW(module->arena, Region);
    build_reduction_body(module, region, body, x->type->element, build_loc(call->module));
    if (!verify_op(module, region->first, call->diags)) {
        if (neutral) op_erase(neutral);
        return false;
    }
    Op *end = region_terminator(region);
    PendingRegion *pending = ARENA_NEW(module->arena, PendingRegion);
    pending->region = region;
    pending->count = 1;
    pending->results = ARENA_NEW(module->arena, Value *);
    pending->results[0] = op_operand(end, 0);
    op_erase(end);
    frame->pending = frame->last_pending = pending;
    frame->pending_count = 1;
    bool ok = add_op(call, request, OP_REDUCE, 2, operands);
    frame->pending = frame->last_pending = NULL;
    frame->pending_count = 0;
    if (!ok && neutral) op_erase(neutral);
    return ok;
}

bool build_request(Call *call, void *arguments) {
    const Request *request = arguments;
    OpCode code = OP_COUNT;
    if (!find_code(call, request->name_parameter, request->name, &code)) return false;
    int count = request->is_reduce ? 1 : request->operand_count;
    Value **operands = build_find_values(call, "operand", count, request->operands);
    if (!operands) return false;
    if (request->is_reduce) return add_reduce(call, request, operands[0]);
    return add_op(call, request, code, count, operands);
}

shardc_status *shardc_build_op(
    shardc_func *func, const char *name, int operand_count, const shardc_value *operands,
    const char *attributes, int result_count, const char *const *result_types,
    shardc_value *results) {
    Request request = {
        .name_parameter = "name",
        .name = name,
        .operand_count = operand_count,
        .operands = operands,
        .attributes = attributes,
        .result_count = result_count,
        .result_types = result_types};
    request.results = results;
    build_clear_values(result_count, results);
    const RegisteredOp *registered = registered_op(func, name);
    if (registered) {
        return build_registered(
            registered, func, operand_count, operands, attributes, result_count, result_types,
            results);
    }
    return call_func(__func__, func, build_request, &request);
}

// Text.

typedef struct TextParts {
    const char *text;
    int operand_count;
    const shardc_value *operands;
    int result_count;
    shardc_value *results;
} TextParts;

typedef struct Check {
    const Module *module;
    Diags *diags;
    const Region *region;
    const Op *end;
} Check;

static bool check_read_op(Op *op, void *user) {
    const Check *check = user;
    if (op == check->end) return true;
    if (op->parent == check->region && op_has(op, TRAIT_SYMBOL)) {
        diag_error(check->diags, op->loc, "'%.*s' does not belong in a function", SV_ARG(op->name));
        return false;
    }
    return verify_op(check->module, op, check->diags);
}

// Reads into a region of its own whose arguments stand for the operands, so
// that a wrong text touches nothing.
static Op *read_ops(Call *call, const TextParts *parts, Region *region) {
    Module *module = call->module->module;
    Diags *diags = call->diags;
    StrView text = strview(parts->text), file = SV("<text>");
    if (!frontend_read_ops(module, region, file, text, call->func->frame->depth, diags))
        return NULL;
    Op *end = region_terminator(region);
    if (!end || end->code != OP_FUNC_RETURN || end->operand_count != parts->result_count) {
        build_error(call, "the text must end with a return of %d values", parts->result_count);
        return NULL;
    }
    Check check = {module, diags, region, end};
    for (const Op *op = region->first; op != end; op = op->next) {
        if (!op_has(op, TRAIT_TERMINATOR)) continue;
        diag_error(diags, op->loc, "'%.*s' must be the last op of the text", SV_ARG(op->name));
        return NULL;
    }
    return region_walk(region, check_read_op, &check) ? end : NULL;
}

static bool build_text(Call *call, void *arguments) {
    const TextParts *parts = arguments;
    Module *module = call->module->module;
    Frame *frame = call->func->frame;
    if (!build_need(call, "text", parts->text) ||
        !build_need_list(call, "results", "result_count", parts->result_count, parts->results))
        return false;
    if (frame->pending) return build_error(call, "a region waits for its op");
    Value **operands = build_find_values(call, "operand", parts->operand_count, parts->operands);
    if (!operands) return false;
    Region *region = ARENA_NEW(module->arena, Region);
    for (int i = 0; i < parts->operand_count; i++)
        region_add_arg(module, region, operands[i]->type, operands[i]->loc);
    Op *end = read_ops(call, parts, region);
    if (!end) return false;
    for (int i = 0; i < parts->operand_count; i++)
        value_replace_uses(region->args[i], operands[i]);
    for (Op *op = region->first, *next; op != end; op = next) {
        next = op->next;
        op_move_to_end(op, frame->region);
    }
    for (int i = 0; i < parts->result_count; i++)
        parts->results[i] = build_new_value(call->func, op_operand(end, i));
    op_erase(end);
    return true;
}

shardc_status *shardc_build_text(
    shardc_func *func, const char *text, int operand_count, const shardc_value *operands,
    int result_count, shardc_value *results) {
    TextParts parts = {text, operand_count, operands, result_count, NULL};
    parts.results = results;
    build_clear_values(result_count, results);
    return call_func(__func__, func, build_text, &parts);
}
