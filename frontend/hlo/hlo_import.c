// hlo_import: HLO's computations as functions and regions; every opcode by the function of its row in hlo_opcodes.def.
#include "frontend/hlo/hlo_import.h"

#include "frontend/hlo/hlo_parser.h"
#include "frontend/hlo/hlo_proto.h"

#include <stdarg.h>

enum {
    MAX_DEPTH =
        200, // of computations in computations: regions are not deeper than MLIR text may have them
    FREE_COPIES = 1 << 16, // values that copies of computations may make in any program
    COPIES_PER_VALUE = 64  // and more by the program's size
};

typedef struct OpcodeRow {
    const char *text;
    OpCode code;
    HloImportFn *function;
} OpcodeRow;

// The column HLO of ops.def, by op: no text where HLO has no opcode for it.
#define HLO(text, function) \
    { text, hlo_##function }
#define NO_HLO \
    { NULL, NULL }

static const struct {
    const char *text;
    HloImportFn *function;
} opcodes[OP_COUNT] = {
#define OP(                                                                                   \
    name, dialect, text, traits, operands, results, regions, attributes, form, ir, partition, \
    codegen, vhlo, hlo)                                                                       \
    [OP_##name] = hlo,
#include "ir/dialects/ops.def"
};

// The opcodes that are no op's own.
static const OpcodeRow others[] = {
#define HLO_OTHER(text, code, function) {text, OP_##code, hlo_##function},
#include "frontend/hlo/hlo_opcodes.def"
};

// ---- diagnostics ----

__attribute__((format(printf, 4, 0))) static bool report(
    HloImporter *importer, const HloInstr *instr, bool is_unsupported, const char *format,
    va_list arguments) {
    StrBuf text = strbuf(importer->arena);
    strbuf_printf(&text, "'%.*s' op ", SV_ARG(instr->opcode));
    strbuf_vprintf(&text, format, arguments);
    if (is_unsupported) {
        diag_unsupported(importer->source->diags, instr->loc, "%s", strbuf_cstring(&text));
    } else {
        diag_error(importer->source->diags, instr->loc, "%s", strbuf_cstring(&text));
    }
    return false;
}

bool hlo_fail(HloImporter *importer, const HloInstr *instr, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)report(importer, instr, false, format, arguments);
    va_end(arguments);
    return false;
}

bool hlo_refuse(HloImporter *importer, const HloInstr *instr, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)report(importer, instr, true, format, arguments);
    va_end(arguments);
    return false;
}

// ---- values ----

static const Type **push_leaves(const Type *type, const Type **out) {
    if (type->kind != TYPE_TUPLE) {
        *out = type;
        return out + 1;
    }
    for (int i = 0; i < type->part_count; i++)
        out = push_leaves(type->parts[i], out);
    return out;
}

void hlo_leaf_types(const Type *type, const Type **types) { (void)push_leaves(type, types); }

const Type **hlo_result_types(HloImporter *importer, const HloInstr *instr, int *count) {
    *count = hlo_leaf_count(instr->shape.type);
    const Type **types = ARENA_ARRAY(importer->arena, const Type *, *count + 1);
    hlo_leaf_types(instr->shape.type, types);
    return types;
}

HloValues hlo_values(HloImporter *importer, int count) {
    return (HloValues){ARENA_ARRAY(importer->arena, Value *, count + 1), count};
}

const HloInstr *hlo_operand(const HloImporter *importer, const HloInstr *instr, int i) {
    return &importer->computation->instrs[instr->operands[i]];
}

HloValues hlo_operand_values(const HloImporter *importer, const HloInstr *instr, int i) {
    return importer->values[instr->operands[i]];
}

HloValues hlo_all_operands(HloImporter *importer, const HloInstr *instr) {
    int64_t count = 0;
    for (int i = 0; i < instr->operand_count; i++)
        count += hlo_operand_values(importer, instr, i).count;
    HloValues all = hlo_values(importer, (int)count);
    all.count = 0;
    for (int i = 0; i < instr->operand_count; i++) {
        HloValues values = hlo_operand_values(importer, instr, i);
        for (int k = 0; k < values.count; k++)
            all.data[all.count++] = values.data[k];
    }
    importer->budget -= all.count;
    return all;
}

bool hlo_check_operands(HloImporter *importer, const HloInstr *instr, int count) {
    if (instr->operand_count == count) return true;
    return hlo_fail(
        importer, instr, "expected %d operand%s, but found %d", count, count == 1 ? "" : "s",
        instr->operand_count);
}

Value *hlo_array(HloImporter *importer, const HloInstr *instr, int i) {
    if (i < instr->operand_count) {
        HloValues values = hlo_operand_values(importer, instr, i);
        if (values.count == 1 && values.data[0]->type->kind == TYPE_TENSOR) return values.data[0];
    }
    (void)hlo_fail(importer, instr, "expected operand %d to be an array", i);
    return NULL;
}

const Type *hlo_array_type(HloImporter *importer, const HloInstr *instr) {
    if (instr->shape.type->kind == TYPE_TENSOR) return instr->shape.type;
    (void)hlo_fail(importer, instr, "expected the result to be an array");
    return NULL;
}

// ---- ops ----

Op *hlo_emit(
    HloImporter *importer, const HloInstr *instr, OpCode code, HloValues operands, int regions,
    HloValues *results) {
    int count;
    const Type **types = hlo_result_types(importer, instr, &count);
    int expected = op_code_operands(code);
    if (expected >= 0 && expected != operands.count) {
        (void)hlo_fail(
            importer, instr, "expected %d operand%s, but found %d", expected,
            expected == 1 ? "" : "s", operands.count);
        return NULL;
    }
    if (op_code_results(code) >= 0 && op_code_results(code) != count) {
        (void)hlo_fail(
            importer, instr, "expected %d result%s, but found %d", op_code_results(code),
            op_code_results(code) == 1 ? "" : "s", count);
        return NULL;
    }
    Op *op =
        build_op(&importer->builder, code, operands.count, operands.data, count, types, regions);
    *results = hlo_values(importer, count);
    for (int i = 0; i < count; i++)
        results->data[i] = op_result(op, i);
    return op;
}

void hlo_set(HloImporter *importer, Op *op, AttrName name, const Attr *value) {
    op_set_attr(importer->module, op, name, value);
}

// ---- instructions ----

static bool ends_with(StrView text, const char *end) {
    return strview_ends_with(text, strview(end));
}

static bool find_row(StrView opcode, OpcodeRow *row) {
    for (int code = 0; code < OP_COUNT; code++) {
        *row = (OpcodeRow){opcodes[code].text, (OpCode)code, opcodes[code].function};
        if (row->text && strview_is(opcode, row->text)) return true;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        *row = others[i];
        if (strview_is(opcode, row->text)) return true;
    }
    bool is_start = ends_with(opcode, "-start");
    bool is_done = ends_with(opcode, "-done") || ends_with(opcode, "-update");
    *row = (OpcodeRow){"", OP_UNREGISTERED, is_start ? hlo_async_start : hlo_async_done};
    return is_start || is_done;
}

// What an instruction's ops give must be what it says. What is started has other types than what comes of it.
static bool check_results(HloImporter *importer, const HloInstr *instr, HloValues results) {
    bool is_started = ends_with(instr->opcode, "-start") || ends_with(instr->opcode, "-update") ||
                      strview_is(instr->opcode, "send") || strview_is(instr->opcode, "recv");
    if (is_started) return true;
    int count;
    const Type **types = hlo_result_types(importer, instr, &count);
    bool same = count == results.count;
    for (int i = 0; i < count && same; i++)
        same = types[i] == results.data[i]->type;
    return same || hlo_fail(importer, instr, "the result has another type than its operands give");
}

bool hlo_import_instr(HloImporter *importer, HloInstr *instr, HloValues *results) {
    OpcodeRow row;
    if (!find_row(instr->opcode, &row)) {
        diag_unsupported(
            importer->source->diags, instr->loc, "HLO's opcode '%.*s' is not supported",
            SV_ARG(instr->opcode));
        return false;
    }
    return row.function(importer, instr, row.code, results);
}

static bool import_one(HloImporter *importer, int index) {
    HloInstr *instr = &importer->computation->instrs[index];
    HloValues *results = &importer->values[index];
    int64_t made = importer->module->next_op_number;
    importer->builder.loc = instr->loc;
    if (!hlo_import_instr(importer, instr, results) || !check_results(importer, instr, *results))
        return false;
    importer->budget -= 1 + results->count;
    if (importer->budget < 0)
        return hlo_fail(
            importer, instr,
            "the program grows too large where computations are copied to their uses");
    return hlo_annotate(importer, instr, made, results) && hlo_check_attrs(importer, instr);
}

// ---- computations ----

HloComputation *hlo_computation_attr(
    HloImporter *importer, const HloInstr *instr, HloAttrName name) {
    const HloAttr *attr = hlo_need_attr(importer, instr, name);
    if (!attr) return NULL;
    if (attr->calls.count == 1) return attr->calls.data[0];
    (void)hlo_fail(
        importer, instr, "attribute '%.*s' must name one computation", SV_ARG(hlo_attr_text(name)));
    return NULL;
}

static bool fail_at(HloImporter *importer, const Loc *loc, const char *message) {
    diag_error(importer->source->diags, loc, "%s", message);
    return false;
}

// Where the parameters' values begin in `args`; what is missing is an error.
static bool bind_parameters(
    HloImporter *importer, const HloComputation *computation, HloValues args, HloValues *values) {
    int first = 0;
    for (int i = 0; i < computation->parameter_count; i++) {
        int index = computation->parameters[i];
        const HloInstr *instr = &computation->instrs[index];
        int count;
        const Type **types = hlo_result_types(importer, instr, &count);
        bool fits = count <= args.count - first;
        for (int k = 0; k < count && fits; k++)
            fits = args.data[first + k]->type == types[k];
        if (!fits)
            return hlo_fail(
                importer, instr, "parameter %d has another type than the value that it stands for",
                i);
        values[index] = (HloValues){args.data + first, count};
        first += count;
    }
    if (first == args.count) return true;
    diag_error(
        importer->source->diags, computation->loc,
        "the computation has %d values as parameters, but is given %d", first, args.count);
    return false;
}

// All instructions, the parameters' values being args; the importer is as before afterwards but for its builder's place.
static bool import_body(
    HloImporter *importer, HloComputation *computation, HloValues args, HloValues *results) {
    if (computation->is_open)
        return fail_at(importer, computation->loc, "the computation calls itself");
    if (importer->depth == MAX_DEPTH)
        return fail_at(importer, computation->loc, "computations are nested too deep");
    HloComputation *outer = importer->computation;
    HloValues *outer_values = importer->values;
    importer->values = ARENA_ARRAY(importer->arena, HloValues, computation->instr_count);
    if (!bind_parameters(importer, computation, args, importer->values)) return false;
    importer->computation = computation;
    importer->depth++;
    computation->is_open = true;
    bool ok = true;
    for (int i = 0; i < computation->instr_count && ok; i++)
        ok = import_one(importer, i);
    if (ok) *results = importer->values[computation->root];
    computation->is_open = false;
    importer->depth--;
    importer->computation = outer;
    importer->values = outer_values;
    return ok;
}

bool hlo_inline(
    HloImporter *importer, const HloInstr *instr, HloComputation *computation, HloValues args,
    HloValues *results) {
    bool ok = import_body(importer, computation, args, results);
    importer->builder.loc = instr->loc;
    return ok;
}

// The region's or function's arguments: the leaves of the parameters.
static HloValues add_args(
    HloImporter *importer, const HloComputation *computation, Region *region) {
    for (int i = 0; i < computation->parameter_count; i++) {
        const HloInstr *parameter = &computation->instrs[computation->parameters[i]];
        int count;
        const Type **types = hlo_result_types(importer, parameter, &count);
        for (int k = 0; k < count; k++)
            (void)region_add_arg(importer->module, region, types[k], parameter->loc);
    }
    importer->budget -= region->arg_count;
    HloValues args = hlo_values(importer, region->arg_count);
    for (int i = 0; i < args.count; i++)
        args.data[i] = region->args[i];
    return args;
}

bool hlo_region(
    HloImporter *importer, const HloInstr *instr, HloComputation *computation, Region *region,
    const HloValues *args) {
    Builder outer = importer->builder;
    importer->builder = builder_at_end(importer->module, region);
    HloValues own = args ? *args : add_args(importer, computation, region);
    HloValues results;
    bool ok = import_body(importer, computation, own, &results);
    if (ok) {
        importer->builder.loc = instr->loc;
        build_return(&importer->builder, OP_RETURN, results.count, results.data);
    }
    importer->builder = outer;
    return ok;
}

bool hlo_region_attr(
    HloImporter *importer, const HloInstr *instr, Op *op, int i, HloAttrName name) {
    if (!op) return false;
    HloComputation *computation = hlo_computation_attr(importer, instr, name);
    if (!computation) return false;
    importer->scalar_depth++;
    bool ok = hlo_region(importer, instr, computation, op->regions[i], NULL);
    importer->scalar_depth--;
    return ok;
}

// ---- functions ----

// The computation's name, or one like it where it is taken.
static StrView func_symbol(HloImporter *importer, StrView wanted) {
    StrView name = context_name(importer->context, wanted);
    for (int i = 0; str_map_get(&importer->func_names, name); i++)
        name = context_name_printf(importer->context, "%.*s_%d", SV_ARG(wanted), i);
    str_map_set(&importer->func_names, name, importer);
    return name;
}

static Op *make_func(HloImporter *importer, HloComputation *computation, bool is_entry) {
    const HloInstr *root = &computation->instrs[computation->root];
    Builder builder = builder_at_end(importer->module, importer->module->body);
    builder.loc = computation->loc;
    Op *func = build_op(&builder, OP_FUNC, 0, NULL, 0, NULL, 1);
    HloValues args = add_args(importer, computation, func_body(func));
    const Type **inputs = ARENA_ARRAY(importer->arena, const Type *, args.count + 1);
    for (int i = 0; i < args.count; i++)
        inputs[i] = args.data[i]->type;
    int count;
    const Type **outputs = hlo_result_types(importer, root, &count);
    const Type *type = type_function(importer->context, args.count, inputs, count, outputs);
    StrView name = func_symbol(importer, is_entry ? SV("main") : computation->name);
    hlo_set(importer, func, NAME_SYM_NAME, attr_string(importer->context, name));
    hlo_set(importer, func, NAME_FUNCTION_TYPE, attr_type(importer->context, type));
    if (!is_entry)
        hlo_set(importer, func, NAME_SYM_VISIBILITY, attr_string(importer->context, SV("private")));
    func->result_shardings = ARENA_ARRAY(importer->module->arena, const Sharding *, count);
    return func;
}

Op *hlo_func(HloImporter *importer, HloComputation *computation, bool is_entry) {
    if (computation->func && !computation->is_open) return computation->func;
    Op *func = make_func(importer, computation, is_entry);
    computation->func = func;
    if (!hlo_annotate_func(importer, computation, func)) return NULL;
    Builder outer = importer->builder;
    int scalar_depth = importer->scalar_depth;
    importer->scalar_depth = 0;
    importer->builder = builder_at_end(importer->module, func_body(func));
    HloValues args = hlo_values(importer, func_body(func)->arg_count);
    for (int i = 0; i < args.count; i++)
        args.data[i] = func_body(func)->args[i];
    HloValues results = {0};
    bool ok = import_body(importer, computation, args, &results);
    if (ok) {
        importer->builder.loc = computation->instrs[computation->root].loc;
        build_return(&importer->builder, OP_FUNC_RETURN, results.count, results.data);
    }
    importer->builder = outer;
    importer->scalar_depth = scalar_depth;
    return ok ? func : NULL;
}

// ---- the module ----

bool is_hlo_text(StrView text) {
    HloSource source = {0};
    HloLexer lexer = hlo_lexer(&source, text);
    return hlo_looks_at(&lexer, "HloModule");
}

typedef HloModule *HloReader(const HloSource *source, StrView contents);

static Module *read_hlo(
    Context *context, Arena *arena, StrView contents, HloReader *reader, const ReadOptions *options,
    Diags *diags) {
    Arena *scratch = arena_child(arena);
    const HloSource source = {context, arena, diags, options->file, options->first_line};
    HloImporter importer = {
        .source = &source,
        .context = context,
        .arena = scratch,
        .module = module_create(context, arena),
        .hlo = reader(&source, contents)};
    importer.func_names = str_map(scratch);
    Op *main = NULL;
    if (importer.hlo) {
        importer.budget = FREE_COPIES + COPIES_PER_VALUE * importer.hlo->instr_count;
        importer.module->op->loc = importer.hlo->loc;
        main = hlo_func(&importer, importer.hlo->entry, true);
    }
    bool ok = main && hlo_module_attrs(&importer, main);
    arena_reset(scratch);
    return ok ? importer.module : NULL;
}

Module *read_hlo_text(
    Context *context, Arena *arena, StrView text, const ReadOptions *options, Diags *diags) {
    return read_hlo(context, arena, text, hlo_parse, options, diags);
}

Module *read_hlo_proto(
    Context *context, Arena *arena, StrView bytes, const ReadOptions *options, Diags *diags) {
    return read_hlo(context, arena, bytes, hlo_decode, options, diags);
}
