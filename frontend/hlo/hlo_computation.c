// hlo_computation: HLO's computations as functions and regions.
#include "frontend/hlo/hlo_import.h"

enum {
    // Of computations in computations: regions are not deeper than MLIR text may have them.
    MAX_DEPTH = 200
};

static bool ends_with(StrView text, const char *end) {
    return strview_ends_with(text, strview(end));
}

// What an instruction's ops give must be what it says. What is started has
// other types than what comes of it.
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

static bool import_one(HloImporter *importer, int index) {
    HloInstr *instr = &importer->computation->instrs[index];
    HloValues *results = &importer->values[index];
    int64_t made = importer->module->next_op_number;
    importer->builder.loc = instr->loc;
    if (!importer->import_instr(importer, instr, results) ||
        !check_results(importer, instr, *results))
        return false;
    importer->budget -= 1 + results->count;
    if (importer->budget < 0)
        return hlo_fail(
            importer, instr,
            "the program grows too large where computations are copied to their uses");
    return hlo_annotate(importer, instr, made, results) && hlo_check_attrs(importer, instr);
}

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

// All instructions, the parameters' values being args; the importer is as before
// afterwards but for its builder's place.
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
