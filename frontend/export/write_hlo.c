// write_hlo: see hlo_writer.h. Every function and every region is a computation, written before the
// one that calls it. Values that a region takes from outside become parts of a tuple; constants are
// written again where they are used.
#include "frontend/export/hlo_writer.h"
#include "frontend/hlo/module/hlo_module.h"
#include "ir/scalar/scalar.h"

#include <stdio.h>

enum { MAX_NESTING = 200, MAX_SPLAT = 64 };

// The computation that is being written.
typedef struct Scope {
    StrBuf text;
    PtrMap names; // Value -> StrView
    const Region *region;
} Scope;

typedef VEC(Value *) Values;

// ---- words ----

static StrView new_name(HloWriter *writer, StrView hint) {
    StrBuf text = strbuf(writer->arena);
    for (size_t i = 0; i < hint.size; i++) {
        char c = hint.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool is_part = is_letter || (i > 0 && ((c >= '0' && c <= '9') || c == '.' || c == '-'));
        strbuf_putc(&text, is_part ? c : '_');
    }
    strbuf_printf(&text, ".%lld", (long long)writer->next++);
    return strbuf_view(&text);
}

static StrView opcode_of(OpCode code) {
    static const char *const texts[OP_COUNT] = {
#define HLO(text, function) text
#define NO_HLO              NULL
#define OP(                                                                                   \
    name, dialect, text, traits, operands, results, regions, attributes, form, ir, partition, \
    codegen, vhlo, hlo)                                                                       \
    [OP_##name] = hlo,
#include "ir/dialects/ops.def"
    };
    if (code == OP_CREATE_TOKEN) return SV("after-all");
    return strview(texts[code] ? texts[code] : "");
}

// ---- instructions ----

static void begin(Scope *scope, StrView name, int count, const Type *const *types) {
    strbuf_puts(&scope->text, "  ");
    strbuf_append(&scope->text, name);
    strbuf_puts(&scope->text, " = ");
    hlo_write_types(&scope->text, count, types);
    strbuf_putc(&scope->text, ' ');
}

static StrView add_constant(HloWriter *writer, Scope *scope, const Value *value) {
    const Attr *elements = op_attr(value->def, NAME_VALUE);
    int64_t count = type_element_count(value->type), next = 0;
    StrView name = new_name(writer, SV("constant"));
    if (elements->is_splat && count > MAX_SPLAT) {
        const Type *scalar = type_tensor(writer->module->context, value->type->element, 0, NULL);
        StrView whole = new_name(writer, SV("broadcast"));
        begin(scope, name, 1, &scalar);
        strbuf_puts(&scope->text, "constant(");
        hlo_write_number(&scope->text, value->type->element, attr_element(elements, 0));
        strbuf_puts(&scope->text, ")\n");
        begin(scope, whole, 1, &value->type);
        strbuf_printf(&scope->text, "broadcast(%.*s), dimensions={}\n", SV_ARG(name));
        return whole;
    }
    begin(scope, name, 1, &value->type);
    strbuf_puts(&scope->text, "constant(");
    hlo_write_elements(&scope->text, elements, 0, &next);
    strbuf_puts(&scope->text, ")\n");
    return name;
}

static void set_name(HloWriter *writer, Scope *scope, const Value *value, StrView name) {
    ptr_map_set(&scope->names, value, arena_copy(writer->arena, &name, sizeof name));
}

static StrView name_of(HloWriter *writer, Scope *scope, const Value *value) {
    const StrView *name = ptr_map_get(&scope->names, value);
    if (name) return *name;
    StrView again = add_constant(writer, scope, value); // nothing else is left unnamed
    set_name(writer, scope, value, again);
    return again;
}

static void write_operands(HloWriter *writer, Scope *scope, int count, Value *const *values) {
    for (int i = 0; i < count; i++) {
        strbuf_puts(&scope->text, i ? ", " : "");
        strbuf_append(&scope->text, name_of(writer, scope, values[i]));
    }
}

// All names first: a constant that is written again is a line of its own.
static void name_all(HloWriter *writer, Scope *scope, int count, Value *const *values) {
    for (int i = 0; i < count; i++)
        (void)name_of(writer, scope, values[i]);
}

static StrView add_tuple(
    HloWriter *writer, Scope *scope, int count, Value *const *values, bool is_root) {
    StrView name = new_name(writer, SV("tuple"));
    name_all(writer, scope, count, values);
    if (is_root) strbuf_puts(&scope->text, "  ROOT");
    strbuf_puts(&scope->text, is_root ? " " : "  ");
    strbuf_append(&scope->text, name);
    strbuf_puts(&scope->text, " = (");
    for (int i = 0; i < count; i++) {
        strbuf_puts(&scope->text, i ? ", " : "");
        hlo_write_shape(&scope->text, values[i]->type, NULL);
    }
    strbuf_puts(&scope->text, ") tuple(");
    write_operands(writer, scope, count, values);
    strbuf_putc(&scope->text, ')');
    if (!is_root) strbuf_putc(&scope->text, '\n');
    return name;
}

static void add_part(
    HloWriter *writer, Scope *scope, StrView tuple, int index, const Value *value) {
    StrView name = new_name(writer, SV("part"));
    begin(scope, name, 1, &value->type);
    strbuf_printf(&scope->text, "get-tuple-element(%.*s), index=%d\n", SV_ARG(tuple), index);
    set_name(writer, scope, value, name);
}

// The values as the computation's result; the line is not ended.
static void add_root(HloWriter *writer, Scope *scope, int count, Value *const *values) {
    if (count != 1) {
        (void)add_tuple(writer, scope, count, values, true);
        return;
    }
    StrView from = name_of(writer, scope, values[0]);
    strbuf_puts(&scope->text, "  ROOT ");
    strbuf_append(&scope->text, new_name(writer, SV("root")));
    strbuf_puts(&scope->text, " = ");
    hlo_write_shape(&scope->text, values[0]->type, NULL);
    strbuf_printf(&scope->text, " copy(%.*s)", SV_ARG(from));
}

// ---- computations ----

static bool write_op(HloWriter *writer, Scope *scope, const Op *op);

static Scope open_scope(HloWriter *writer, const Region *region) {
    return (Scope){
        .text = strbuf(writer->arena), .names = ptr_map(writer->arena), .region = region};
}

static StrView close_scope(HloWriter *writer, Scope *scope, StrView name, bool is_entry) {
    strbuf_puts(writer->out, is_entry ? "ENTRY " : "");
    strbuf_append(writer->out, name);
    strbuf_puts(writer->out, " {\n");
    strbuf_append(writer->out, strbuf_view(&scope->text));
    strbuf_puts(writer->out, "}\n\n");
    return name;
}

static bool write_ops(HloWriter *writer, Scope *scope, const Region *region) {
    if (writer->depth == MAX_NESTING)
        return hlo_write_refuse(writer, region->owner, "is nested too deep for HLO");
    writer->depth++;
    bool ok = true;
    for (const Op *op = region->first; ok && op && op != region->last; op = op->next)
        ok = write_op(writer, scope, op);
    writer->depth--;
    return ok;
}

static void add_parameter(
    HloWriter *writer, Scope *scope, int number, const Value *value, const Attr *dict) {
    StrView own = loc_texts(value->loc)->value_name;
    StrView hint = own.size > 0 ? own : SV("p");
    StrView name = new_name(writer, hint);
    begin(scope, name, 1, &value->type);
    strbuf_printf(&scope->text, "parameter(%d)", number);
    hlo_write_annotations(&scope->text, dict);
    if (dict) hlo_write_metadata(&scope->text, value->loc);
    strbuf_putc(&scope->text, '\n');
    set_name(writer, scope, value, name);
}

static bool end_with(HloWriter *writer, Scope *scope, const Op *end) {
    Values values = {0};
    for (int i = 0; i < end->operand_count; i++)
        vec_push(writer->arena, &values, op_operand(end, i));
    add_root(writer, scope, (int)values.count, values.data);
    return true;
}

// A region whose arguments are the parameters; what it takes from outside must be constants.
static bool write_scalar_region(HloWriter *writer, const Region *region, StrView *name) {
    Scope scope = open_scope(writer, region);
    for (int i = 0; i < region->arg_count; i++)
        add_parameter(writer, &scope, i, region->args[i], NULL);
    if (!write_ops(writer, &scope, region) || !end_with(writer, &scope, region->last)) return false;
    strbuf_putc(&scope.text, '\n');
    *name = close_scope(writer, &scope, new_name(writer, SV("region")), false);
    return true;
}

// ---- what regions take from outside ----

typedef struct Capture {
    HloWriter *writer;
    const Region *region;
    PtrMap seen;
    Values values;
} Capture;

static bool is_outside(const Region *region, const Value *value) {
    if (value->region)
        return value->region != region && !region_contains(region, value->region->owner);
    return !region_contains(region, value->def);
}

static bool capture_op(Op *op, void *user) {
    Capture *capture = user;
    for (int i = 0; i < op->operand_count; i++) {
        Value *value = op_operand(op, i);
        bool is_constant = value->def && value->def->code == OP_CONSTANT;
        if (is_constant || ptr_map_has(&capture->seen, value) ||
            !is_outside(capture->region, value))
            continue;
        ptr_map_set(&capture->seen, value, value);
        vec_push(capture->writer->arena, &capture->values, value);
    }
    return true;
}

static void capture_region(HloWriter *writer, Region *region, Capture *capture) {
    if (!capture->writer) *capture = (Capture){.writer = writer, .seen = ptr_map(writer->arena)};
    capture->region = region;
    (void)region_walk(region, capture_op, capture);
}

// A region whose only parameter is a tuple: of its arguments, then of what it takes from outside.
// carries: these are parts of its result, too.
static bool write_tuple_region(
    HloWriter *writer, const Region *region, const Values *outside, bool carries, bool is_single,
    StrView *name) {
    Scope scope = open_scope(writer, region);
    StrView tuple = new_name(writer, SV("arg"));
    Values parts = {0};
    for (int i = 0; i < region->arg_count; i++)
        vec_push(writer->arena, &parts, region->args[i]);
    for (int64_t i = 0; i < outside->count; i++)
        vec_push(writer->arena, &parts, outside->data[i]);
    strbuf_puts(&scope.text, "  ");
    strbuf_append(&scope.text, tuple);
    strbuf_puts(&scope.text, " = (");
    for (int64_t i = 0; i < parts.count; i++) {
        strbuf_puts(&scope.text, i ? ", " : "");
        hlo_write_shape(&scope.text, parts.data[i]->type, NULL);
    }
    strbuf_puts(&scope.text, ") parameter(0)\n");
    for (int64_t i = 0; i < parts.count; i++)
        add_part(writer, &scope, tuple, (int)i, parts.data[i]);
    if (!write_ops(writer, &scope, region)) return false;
    Values results = {0};
    for (int i = 0; i < region->last->operand_count; i++)
        vec_push(writer->arena, &results, op_operand(region->last, i));
    for (int64_t i = 0; carries && i < outside->count; i++)
        vec_push(writer->arena, &results, outside->data[i]);
    if (is_single)
        add_root(writer, &scope, (int)results.count, results.data);
    else
        (void)add_tuple(writer, &scope, (int)results.count, results.data, true);
    strbuf_putc(&scope.text, '\n');
    *name = close_scope(writer, &scope, new_name(writer, SV("region")), false);
    return true;
}

// ---- control flow ----

static void name_results(
    HloWriter *writer, Scope *scope, const Op *op, StrView name, bool is_tuple) {
    if (!is_tuple) {
        set_name(writer, scope, op_result(op, 0), name);
        return;
    }
    for (int i = 0; i < op->result_count; i++)
        add_part(writer, scope, name, i, op_result(op, i));
}

static bool write_while(HloWriter *writer, Scope *scope, const Op *op) {
    Capture capture = {0};
    StrView condition, body;
    capture_region(writer, op->regions[0], &capture);
    capture_region(writer, op->regions[1], &capture);
    if (!write_tuple_region(writer, op->regions[0], &capture.values, false, true, &condition) ||
        !write_tuple_region(writer, op->regions[1], &capture.values, true, false, &body))
        return false;
    Values state = {0};
    for (int i = 0; i < op->operand_count; i++)
        vec_push(writer->arena, &state, op_operand(op, i));
    for (int64_t i = 0; i < capture.values.count; i++)
        vec_push(writer->arena, &state, capture.values.data[i]);
    StrView tuple = add_tuple(writer, scope, (int)state.count, state.data, false);
    StrView name = new_name(writer, SV("while"));
    strbuf_printf(&scope->text, "  %.*s = (", SV_ARG(name));
    for (int64_t i = 0; i < state.count; i++) {
        strbuf_puts(&scope->text, i ? ", " : "");
        hlo_write_shape(&scope->text, state.data[i]->type, NULL);
    }
    strbuf_printf(
        &scope->text, ") while(%.*s), condition=%.*s, body=%.*s", SV_ARG(tuple), SV_ARG(condition),
        SV_ARG(body));
    hlo_write_metadata(&scope->text, op->loc);
    strbuf_putc(&scope->text, '\n');
    name_results(writer, scope, op, name, true);
    return true;
}

static bool write_branches(HloWriter *writer, Scope *scope, const Op *op) {
    StrView *names = ARENA_ARRAY(writer->arena, StrView, op->region_count + 1);
    StrView *tuples = ARENA_ARRAY(writer->arena, StrView, op->region_count + 1);
    bool is_single = op->result_count == 1;
    for (int i = 0; i < op->region_count; i++) {
        Capture capture = {0};
        capture_region(writer, op->regions[i], &capture);
        if (!write_tuple_region(
                writer, op->regions[i], &capture.values, false, is_single, &names[i]))
            return false;
        tuples[i] = add_tuple(writer, scope, (int)capture.values.count, capture.values.data, false);
    }
    StrView selector = name_of(writer, scope, op_operand(op, 0));
    StrView name = new_name(writer, SV("conditional"));
    const Type **types = ARENA_ARRAY(writer->arena, const Type *, op->result_count + 1);
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);
    begin(scope, name, op->result_count, types);
    strbuf_printf(&scope->text, "conditional(%.*s", SV_ARG(selector));
    for (int i = 0; i < op->region_count; i++)
        strbuf_printf(&scope->text, ", %.*s", SV_ARG(tuples[i]));
    if (op->code == OP_IF) {
        strbuf_printf(
            &scope->text, "), true_computation=%.*s, false_computation=%.*s", SV_ARG(names[0]),
            SV_ARG(names[1]));
    } else {
        strbuf_puts(&scope->text, "), branch_computations={");
        for (int i = 0; i < op->region_count; i++)
            strbuf_printf(&scope->text, "%s%.*s", i ? ", " : "", SV_ARG(names[i]));
        strbuf_putc(&scope->text, '}');
    }
    hlo_write_metadata(&scope->text, op->loc);
    strbuf_putc(&scope->text, '\n');
    name_results(writer, scope, op, name, !is_single);
    return true;
}

static bool write_func(HloWriter *writer, const Op *func, bool is_entry, StrView *name);

// ---- every op ----

static bool write_plain(HloWriter *writer, Scope *scope, const Op *op, StrView opcode) {
    StrView called[2] = {SV(""), SV("")};
    StrView callee = SV("");
    for (int i = 0; i < op->region_count && i < 2; i++) {
        if (!write_scalar_region(writer, op->regions[i], &called[i])) return false;
    }
    if (op->code == OP_CALL) {
        const Op *func = module_find_func(writer->module, op_text(op, NAME_CALLEE));
        if (!func || !write_func(writer, func, false, &callee)) return false;
    }
    Values operands = {0};
    int count = op->code == OP_RNG ? 2 : op->operand_count; // the shape is the result's
    for (int i = 0; i < count; i++)
        vec_push(writer->arena, &operands, op_operand(op, i));
    name_all(writer, scope, count, operands.data);
    bool is_barrier = op->code == OP_OPTIMIZATION_BARRIER && op->result_count != 1;
    StrView tuple = SV("");
    if (is_barrier) tuple = add_tuple(writer, scope, count, operands.data, false);
    StrView name = new_name(writer, opcode);
    const Type **types = ARENA_ARRAY(writer->arena, const Type *, op->result_count + 1);
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);
    const Attr *layouts = op_attr(op, NAME_RESULT_LAYOUTS);
    strbuf_printf(&scope->text, "  %.*s = ", SV_ARG(name));
    if (layouts && layouts->count == 1 && op->result_count == 1)
        hlo_write_shape(&scope->text, types[0], layouts->items[0]);
    else
        hlo_write_types(&scope->text, op->result_count, types);
    strbuf_printf(&scope->text, " %.*s(", SV_ARG(opcode));
    if (is_barrier)
        strbuf_append(&scope->text, tuple);
    else
        write_operands(writer, scope, count, operands.data);
    strbuf_putc(&scope->text, ')');
    if (!hlo_write_attrs(writer, &scope->text, op)) return false;
    if (op->code == OP_SELECT_AND_SCATTER)
        strbuf_printf(
            &scope->text, ", select=%.*s, scatter=%.*s", SV_ARG(called[0]), SV_ARG(called[1]));
    else if (op->region_count == 1)
        strbuf_printf(&scope->text, ", to_apply=%.*s", SV_ARG(called[0]));
    if (op->code == OP_CALL) strbuf_printf(&scope->text, ", to_apply=%.*s", SV_ARG(callee));
    hlo_write_annotations(&scope->text, op->extra);
    hlo_write_metadata(&scope->text, op->loc);
    strbuf_putc(&scope->text, '\n');
    name_results(writer, scope, op, name, op->result_count != 1);
    return true;
}

static bool write_op(HloWriter *writer, Scope *scope, const Op *op) {
    for (int i = 0; i < op->result_count; i++) {
        if (!hlo_check_type(writer, op, op_result_type(op, i))) return false;
    }
    switch (op->code) {
    case OP_CONSTANT:
        set_name(writer, scope, op_result(op, 0), add_constant(writer, scope, op_result(op, 0)));
        return true;
    case OP_WHILE: return write_while(writer, scope, op);
    case OP_IF:
    case OP_CASE: return write_branches(writer, scope, op);
    case OP_INFEED:
    case OP_OUTFEED:
    case OP_SEND:
    case OP_RECV: return hlo_write_refuse(writer, op, "is not written as HLO");
    default: break;
    }
    StrView opcode = opcode_of(op->code);
    if (opcode.size == 0) return hlo_write_refuse(writer, op, "has no opcode in HLO");
    return write_plain(writer, scope, op, opcode);
}

// ---- functions ----

static StrView computation_name(HloWriter *writer, StrView wanted) {
    StrView name = wanted;
    for (int64_t i = 0; str_map_get(&writer->taken, name); i++) {
        StrBuf text = strbuf(writer->arena);
        strbuf_printf(&text, "%.*s_%lld", SV_ARG(wanted), (long long)i);
        name = strbuf_view(&text);
    }
    str_map_set(&writer->taken, name, writer);
    return name;
}

// The results' shardings, as the root's: one, or a tuple.
static void write_result_shardings(StrBuf *out, const Op *func, int count) {
    bool any = false;
    for (int i = 0; i < count; i++)
        any = any || attr_dict_get(func_result_attrs(func, i), SV("mhlo.sharding"));
    if (!any) return;
    strbuf_puts(out, count == 1 ? ", sharding=" : ", sharding={");
    for (int i = 0; i < count; i++) {
        const Attr *text = attr_dict_get(func_result_attrs(func, i), SV("mhlo.sharding"));
        strbuf_puts(out, i ? ", " : "");
        strbuf_append(out, text && text->kind == ATTR_STRING ? text->text : SV("{unknown}"));
    }
    strbuf_puts(out, count == 1 ? "" : "}");
}

static bool write_func(HloWriter *writer, const Op *func, bool is_entry, StrView *name) {
    const StrView *known = ptr_map_get(&writer->funcs, func);
    if (known) {
        *name = *known;
        return known->size > 0 || hlo_write_refuse(writer, func, "calls itself");
    }
    static const StrView open = {"", 0};
    ptr_map_set(&writer->funcs, func, arena_copy(writer->arena, &open, sizeof open));
    const Region *body = func_body(func);
    if (!body->last) return hlo_write_refuse(writer, func, "has no body");
    Scope scope = open_scope(writer, body);
    for (int i = 0; i < body->arg_count; i++) {
        if (!hlo_check_type(writer, func, body->args[i]->type)) return false;
        add_parameter(writer, &scope, i, body->args[i], func_arg_attrs(func, i));
    }
    if (!write_ops(writer, &scope, body) || !end_with(writer, &scope, body->last)) return false;
    write_result_shardings(&scope.text, func, body->last->operand_count);
    strbuf_putc(&scope.text, '\n');
    *name = close_scope(writer, &scope, computation_name(writer, func_name(func)), is_entry);
    ptr_map_set(&writer->funcs, func, arena_copy(writer->arena, name, sizeof *name));
    return true;
}

// ---- the module ----

static void write_counts(StrBuf *out, const Module *module) {
    static const char *const names[][2] = {
        {"mhlo.num_partitions", "num_partitions"}, {"mhlo.num_replicas", "replica_count"}};
    for (int i = 0; i < 2; i++) {
        const Attr *count = attr_dict_get(module->op->extra, strview(names[i][0]));
        if (count && count->kind == ATTR_INT)
            strbuf_printf(out, ", %s=%lld", names[i][1], (long long)count->integer);
    }
}

// input_output_alias={ {0}: (1, {}, may-alias) }, buffer_donor={ (2, {}) }
static void write_donations(StrBuf *out, const Op *entry) {
    const Region *body = func_body(entry);
    bool is_single = body->last->operand_count == 1;
    int count = 0;
    for (int i = 0; i < body->arg_count; i++) {
        const Attr *alias = attr_dict_get(func_arg_attrs(entry, i), SV("tf.aliasing_output"));
        if (!alias || alias->kind != ATTR_INT) continue;
        strbuf_puts(out, count++ ? ", {" : ", input_output_alias={ {");
        if (!is_single) strbuf_printf(out, "%lld", (long long)alias->integer);
        strbuf_printf(out, "}: (%d, {}, may-alias)", i);
    }
    strbuf_puts(out, count ? " }" : "");
    count = 0;
    for (int i = 0; i < body->arg_count; i++) {
        if (!attr_dict_get(func_arg_attrs(entry, i), SV("jax.buffer_donor"))) continue;
        strbuf_printf(out, "%s(%d, {})", count++ ? ", " : ", buffer_donor={ ", i);
    }
    strbuf_puts(out, count ? " }" : "");
}

bool write_hlo(const Module *module, Arena *scratch, StrBuf *out, Diags *diags) {
    HloWriter writer = {
        .module = module,
        .arena = scratch,
        .diags = diags,
        .out = out,
        .funcs = ptr_map(scratch),
        .taken = str_map(scratch)};
    const Op *entry = module_entry(module, SV(""));
    StrView name;
    if (!entry) {
        diag_error(diags, module->op->loc, "the module has no function that is its entry");
        return false;
    }
    StrView title = op_text(module->op, NAME_SYM_NAME);
    strbuf_puts(out, "HloModule ");
    strbuf_append(out, title.size > 0 ? new_name(&writer, title) : func_name(entry));
    write_counts(out, module);
    if (func_body(entry)->last) write_donations(out, entry);
    strbuf_puts(out, "\n\n");
    return write_func(&writer, entry, true, &name);
}
