// The verifier: structure of the whole module, and of each op what its row of the table says.
#include "ir/verify/verify.h"

#include "ir/print/asm_format.h"
#include "ir/verify/verify_internal.h"

// The only place where an op meets its infer function.
static InferFn *const infer_functions[OP_COUNT] = {
#define IR(infer, eval, scalar, convert) infer_##infer
#define OP(name, dialect, text, traits, operands, results, regions, attributes, form, ir, ...) \
    [OP_##name] = ir,
#include "ir/dialects/ops.def"
};

// How deep regions may nest.
enum { MAX_NESTING = 1024 };

typedef struct Verifier {
    Infer infer;
    uint32_t *scopes; // value number -> the isolated scope that sees it; 0 = not visible
    uint32_t scope_count;
    uint32_t scope;        // the current one
    const Op *isolated_by; // the op that opened it
    bool ok;
} Verifier;

static bool check_count(Infer *infer, const Op *op, const char *what, int actual, int expected) {
    if (expected < 0 || actual == expected) return true;
    if (expected == 1)
        return infer_fail(
            infer, op, actual == 0 ? "requires one %s" : "requires a single %s", what);
    return infer_fail(infer, op, "expected %d %ss, but found %d", expected, what, actual);
}

// Operands in segments are as many as the segments say.
static bool check_segments(Infer *infer, const Op *op) {
    IntSpan segments = op_ints(op, NAME_OPERAND_SEGMENT_SIZES);
    if (segments.count == 0) return true;
    int64_t sum = 0;
    for (int i = 0; i < segments.count; i++) {
        if (segments.data[i] < 0 || segments.data[i] > INT32_MAX)
            return infer_fail(
                infer, op, "has a segment of %lld values", (long long)segments.data[i]);
        sum += segments.data[i];
    }
    return sum == op->operand_count ||
           infer_fail(
               infer, op,
               "operand count (%d) does not match with the total size (%lld) specified in "
               "attribute 'operandSegmentSizes'",
               op->operand_count, (long long)sum);
}

static bool check_least_operands(Infer *infer, const Op *op) {
    int least = op_code_least_operands(op->code);
    return op_code_operands(op->code) >= 0 || op->operand_count >= least ||
           infer_fail(
               infer, op, "expected %d or more operands, but found %d", least, op->operand_count);
}

static bool check_counts(Infer *infer, const Op *op) {
    return check_least_operands(infer, op) &&
           check_count(infer, op, "operand", op->operand_count, op_code_operands(op->code)) &&
           check_count(infer, op, "result", op->result_count, op_code_results(op->code)) &&
           check_count(infer, op, "region", op->region_count, op_code_regions(op->code));
}

// What a region of the op must end with; OP_COUNT: anything, or no terminator at all.
static OpCode terminator_of(OpCode code, int region) {
    if (code == OP_MODULE || code == OP_UNREGISTERED) return OP_COUNT;
    if (code == OP_FUNC) return OP_FUNC_RETURN;
    if (code == OP_SDY_MANUAL || code == OP_SDY_NAMED) return OP_SDY_RETURN;
    switch (op_code_dialect(code)) {
    case DIALECT_LINALG: return OP_LINALG_YIELD;
    case DIALECT_TENSOR: return OP_TENSOR_YIELD;
    case DIALECT_SCF: return code == OP_SCF_WHILE && region == 0 ? OP_SCF_CONDITION : OP_SCF_YIELD;
    default: return OP_RETURN;
    }
}

static bool check_terminators(Infer *infer, const Op *op) {
    for (int i = 0; i < op->region_count; i++) {
        OpCode expected = terminator_of(op->code, i);
        if (expected == OP_COUNT) return true;
        const Op *end = region_terminator(op->regions[i]);
        if (!end && op->code == OP_FUNC) continue; // a declaration
        if (!end)
            return infer_fail(
                infer, op, "region #%d ('') failed to verify constraint: region with 1 blocks", i);
        if (end->code == expected) continue;
        StrView found = end->name, wanted = op_code_text(expected);
        return infer_fail(
            infer, op, "expects regions to end with '%.*s', found '%.*s'", SV_ARG(wanted),
            SV_ARG(found));
    }
    return true;
}

// Where the op stands: symbols at the top, terminators at the end.
static bool check_place(Infer *infer, const Op *op) {
    const Op *parent = op_parent_op(op);
    if (!parent) return true;
    bool at_top = parent->code == OP_MODULE;
    bool is_symbol = op_has(op, TRAIT_SYMBOL);
    if (op->code == OP_SDY_MESH && !at_top)
        return infer_fail(infer, op, "expects parent op 'builtin.module'");
    if (is_symbol && !at_top) return infer_fail(infer, op, "must be directly in the module");
    if (at_top && !is_symbol && op->code != OP_UNREGISTERED)
        return infer_fail(infer, op, "must be in a function");
    if (op_has(op, TRAIT_TERMINATOR) && op->next)
        return infer_fail(infer, op, "must be the last operation in the parent block");
    if (op_has(op, TRAIT_TERMINATOR) && parent->code != OP_UNREGISTERED &&
        terminator_of(parent->code, op->parent->index) != op->code)
        return infer_fail(infer, op, "is no terminator of '%.*s'", SV_ARG(parent->name));
    return true;
}

// The sharding of one argument or result; what is no sharding is in its dictionary.
static bool check_func_sharding(
    Infer *infer, const Op *func, const char *what, int i, const Sharding *sharding,
    const Attr *dict, const Type *type) {
    if (!sharding && !attr_dict_get(dict, SV("sdy.sharding"))) return true;
    const char *prefix = arena_printf(infer->diags->arena, "%s %d - ", what, i);
    if (sharding) return infer_check_sharding(infer, func, prefix, sharding, type);
    return infer_fail(
        infer, func, "%sshould have a sharding attribute of type TensorShardingAttr", prefix);
}

static bool check_func_shardings(Infer *infer, const Op *func) {
    const Region *body = func_body(func);
    for (int i = 0; i < body->arg_count; i++) {
        if (!check_func_sharding(
                infer, func, "arg", i, body->args[i]->sharding, func_arg_attrs(func, i),
                body->args[i]->type))
            return false;
    }
    const Type *type = op_attr(func, NAME_FUNCTION_TYPE)->type;
    for (int i = 0; i + type->input_count < type->part_count; i++) {
        const Sharding *sharding = func->result_shardings ? func->result_shardings[i] : NULL;
        if (!check_func_sharding(
                infer, func, "result", i, sharding, func_result_attrs(func, i),
                type->parts[type->input_count + i]))
            return false;
    }
    return true;
}

static const Type *const *result_types(Infer *infer, const Op *op) {
    const Type **types = ARENA_ARRAY(infer->diags->arena, const Type *, op->result_count);
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);
    return types;
}

// The sharding of every result. Ops whose sharding is an attribute of their own check it
// themselves.
static bool check_result_shardings(Infer *infer, const Op *op) {
    if (op_own_sharding_text(op->code).size > 0) return true;
    if (op->result_count == 0 && op->own_sharding)
        return infer_check_value_shardings(infer, op, "result", 1, &op->own_sharding, 0, NULL);
    enum { FEW = 8 };
    const Sharding *few[FEW];
    int count = op->result_count;
    const Sharding **shardings =
        count <= FEW ? few : ARENA_ARRAY(infer->diags->arena, const Sharding *, count);
    bool any = false;
    for (int i = 0; i < count; i++) {
        shardings[i] = op_result(op, i)->sharding;
        any = any || shardings[i];
    }
    return !any || infer_check_value_shardings(
                       infer, op, "result", count, shardings, count, result_types(infer, op));
}

// Shardy's attributes among those that we keep by name: shardings of functions and
// ops that we do not know, edges.
static bool check_extra(Infer *infer, const Op *op, StrView name, const Attr *attr) {
    if (!strview_is(name, "sdy.sharding")) return infer_check_edges(infer, op, name, attr);
    if (attr->kind != ATTR_SHARDINGS)
        return infer_fail(
            infer, op, "should have a sharding attribute of type TensorShardingPerValueAttr");
    return infer_check_value_shardings(
        infer, op, "result", attr->count, attr->shardings, op->result_count,
        result_types(infer, op));
}

// Shardy's attributes on any op, by name.
static bool check_discardable(Infer *infer, const Op *op) {
    for (int i = 0; op->extra && i < op->extra->count; i++) {
        if (!check_extra(infer, op, op->extra->names[i], op->extra->items[i])) return false;
    }
    if (op->code == OP_FUNC && !check_func_shardings(infer, op)) return false;
    if (!check_result_shardings(infer, op)) return false;
    const Attr *rule = op_attr(op, NAME_SHARDING_RULE);
    if (rule && rule->kind != ATTR_RULE)
        return infer_fail(
            infer, op,
            "should have a sharding rule attribute of type OpShardingRuleAttr for attr named "
            "'sdy.sharding_rule'");
    if (rule && !infer_check_rule(infer, op, rule->rule)) return false;
    return true;
}

static bool compare_types(Infer *infer, const Op *op) {
    bool fits = true;
    for (int i = 0; i < op->result_count; i++) {
        const Type *type = infer->types[i];
        bool is_tuple = type && type->kind == TYPE_TUPLE; // of exactly these types
        fits = fits && (!type || type == op_result_type(op, i) ||
                        (!is_tuple && types_fit(type, op_result_type(op, i))));
    }
    if (fits) return true;
    const Type **written =
        ARENA_ARRAY(infer->diags->arena, const Type *, 2 * (int64_t)op->result_count);
    const Type **inferred = written + op->result_count;
    for (int i = 0; i < op->result_count; i++) {
        written[i] = op_result_type(op, i);
        inferred[i] = infer->types[i] ? infer->types[i] : written[i];
    }
    return infer_fail(
        infer, op, "inferred type(s) %s are incompatible with return type(s) of operation %s",
        infer_types_text(infer, op->result_count, inferred),
        infer_types_text(infer, op->result_count, written));
}

static bool has_unranked(const Op *op) {
    for (int i = 0; i < op->operand_count; i++) {
        if (op_operand_type(op, i)->unranked) return true;
    }
    for (int i = 0; i < op->result_count; i++) {
        if (op_result_type(op, i)->unranked) return true;
    }
    return false;
}

// Of unranked tensors not much is known: an elementwise op of one operand has them as
// operand and result, or not at all.
static bool check_unranked(Infer *infer, const Op *op) {
    if (op->code == OP_CHLO_SCAN || op->code == OP_CHLO_RAGGED_DOT)
        return infer_fail(infer, op, "has an operand or result that is not ranked");
    if (op->code == OP_CHLO_TOP_K && !infer->results_unknown &&
        op_result_type(op, 1)->element != ELEMENT_I32)
        return infer_fail(infer, op, "requires indices of type i32");
    bool is_unary = op_has(op, TRAIT_POINTWISE) && op->operand_count == 1;
    if (op->operand_count == 2 && infer_has_one_class(op->code)) {
        const Type *lhs = op_operand_type(op, 0);
        bool fits = elements_fit(lhs, op_operand_type(op, 1)) &&
                    (infer->results_unknown || elements_fit(lhs, op_result_type(op, 0)));
        if (!fits)
            return infer_fail(
                infer, op, "requires the same element type for all operands and results");
    }
    if (!is_unary) return true;
    bool fits = true;
    for (int i = 0; i < op->operand_count; i++)
        fits = fits && op_operand_type(op, i)->unranked;
    for (int i = 0; i < op->result_count && !infer->results_unknown; i++)
        fits = fits && op_result_type(op, i)->unranked;
    return fits ||
           infer_fail(
               infer, op, "all non-scalar operands/results must have the same shape and base type");
}

// Runs the op's infer function; infer->types is its room for the results' types.
static bool run_infer(Infer *infer, const Op *op, const Type **types) {
    infer->types = types;
    for (int i = 0; i < op->result_count; i++)
        types[i] = NULL;
    if (has_unranked(op) && !infer_takes_anything(op->code)) return check_unranked(infer, op);
    return infer_functions[op->code](infer, op);
}

static bool verify_one(Infer *infer, const Op *op) {
    if (!check_counts(infer, op) || !check_place(infer, op) || !check_terminators(infer, op))
        return false;
    for (int i = 0; i < op->result_count; i++) {
        if (!infer_check_type(infer, op, op_result_type(op, i))) return false;
    }
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->arg_count; i++) {
            if (!infer_check_type(infer, op, op->regions[r]->args[i]->type)) return false;
        }
    }
    if (!infer_check_attrs(infer, op) || !check_segments(infer, op) ||
        !check_discardable(infer, op) || !infer_check_tensors(infer, op))
        return false;
    enum { FEW = 8 };
    const Type *few[FEW];
    const Type **types = few;
    if (op->result_count > FEW)
        types = ARENA_ARRAY(infer->diags->arena, const Type *, op->result_count);
    return run_infer(infer, op, types) && compare_types(infer, op);
}

bool verify_op(const Module *module, const Op *op, Diags *diags) {
    Infer infer = {.module = module, .context = module->context, .diags = diags};
    return verify_one(&infer, op);
}

bool verify_sharding(
    const Module *module, const Op *op, const char *prefix, const Sharding *sharding,
    const Type *type, Diags *diags) {
    Infer infer = {.module = module, .context = module->context, .diags = diags};
    return infer_check_sharding(&infer, op, prefix, sharding, type);
}

bool verify_unreduced_transition(
    const Module *module, const Op *op, const UnreducedChange *change, Diags *diags) {
    Infer infer = {.module = module, .context = module->context, .diags = diags};
    return infer_check_unreduced(&infer, op, change);
}

bool infer_result_types(
    const Module *module, const Op *op, const Type **types, bool *inferred, Diags *diags) {
    Infer infer = {
        .module = module, .context = module->context, .diags = diags, .results_unknown = true};
    *inferred = false;
    if (!check_counts(&infer, op) || !check_terminators(&infer, op) ||
        !infer_check_attrs(&infer, op) || !infer_check_tensors(&infer, op) ||
        !run_infer(&infer, op, types))
        return false;
    *inferred = true;
    for (int i = 0; i < op->result_count; i++)
        *inferred = *inferred && types[i] != NULL;
    return true;
}

static void fail(Verifier *verifier) { verifier->ok = false; }

static void define(Verifier *verifier, const Value *value) {
    verifier->scopes[value->number] = verifier->scope;
}

static void check_operands(Verifier *verifier, const Op *op) {
    for (int i = 0; i < op->operand_count; i++) {
        uint32_t scope = verifier->scopes[op_operand(op, i)->number];
        if (scope == verifier->scope) continue;
        fail(verifier);
        if (scope == 0) {
            infer_report(&verifier->infer, op, "operand #%d does not dominate this use", i);
            continue;
        }
        infer_report(&verifier->infer, op, "using value defined outside the region");
        diag_note(
            verifier->infer.diags, verifier->isolated_by->loc,
            "required by region isolation constraints");
    }
}

static void verify_region(Verifier *verifier, const Region *region, int depth);

static void verify_op_and_regions(Verifier *verifier, const Op *op, int depth) {
    check_operands(verifier, op);
    if (!verify_one(&verifier->infer, op)) fail(verifier);
    uint32_t scope = verifier->scope;
    const Op *isolated_by = verifier->isolated_by;
    if (op_has(op, TRAIT_ISOLATED)) {
        verifier->scope = ++verifier->scope_count;
        verifier->isolated_by = op;
    }
    for (int i = 0; i < op->region_count; i++)
        verify_region(verifier, op->regions[i], depth + 1);
    verifier->scope = scope;
    verifier->isolated_by = isolated_by;
    for (int i = 0; i < op->result_count; i++)
        define(verifier, op_result(op, i));
}

static void verify_region(Verifier *verifier, const Region *region, int depth) {
    if (depth > MAX_NESTING) {
        infer_report(
            &verifier->infer, region->owner, "is nested more than %d deep", (int)MAX_NESTING);
        fail(verifier);
        return;
    }
    for (int i = 0; i < region->arg_count; i++)
        define(verifier, region->args[i]);
    for (const Op *op = region->first; op; op = op->next)
        verify_op_and_regions(verifier, op, depth);
    // What the region defined ends with it.
    for (int i = 0; i < region->arg_count; i++)
        verifier->scopes[region->args[i]->number] = 0;
    for (const Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->result_count; i++)
            verifier->scopes[op_result(op, i)->number] = 0;
    }
}

// Fills the table of symbols and checks the meshes, on which everything else relies.
static bool check_symbols(Infer *infer, const Module *module, StrMap *symbols) {
    bool ok = true;
    for (Op *op = module->body->first; op; op = op->next) {
        if (!op_has(op, TRAIT_SYMBOL)) continue;
        StrView name = op_text(op, NAME_SYM_NAME);
        if (name.size == 0) {
            ok = infer_fail(infer, op, "requires attribute 'sym_name'");
        } else if (str_map_get(symbols, name)) {
            diag_error(infer->diags, op->loc, "redefinition of symbol named '%.*s'", SV_ARG(name));
            ok = false;
        } else {
            str_map_set(symbols, name, op);
        }
        if (op->code == OP_SDY_MESH && !verify_one(infer, op)) ok = false;
    }
    return ok;
}

bool verify_module(const Module *module, Diags *diags) {
    StrMap symbols = str_map(diags->arena);
    Verifier verifier = {
        .infer = {.module = module, .context = module->context, .diags = diags},
        .scopes = ARENA_ARRAY(diags->arena, uint32_t, module->next_value_number + 1),
        .scope_count = 1,
        .scope = 1,
        .ok = true};
    if (!check_symbols(&verifier.infer, module, &symbols)) return false;
    verifier.infer.symbols = &symbols;
    verify_region(&verifier, module->body, 0);
    return verifier.ok;
}
