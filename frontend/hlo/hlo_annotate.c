// hlo_annotate: shardings, frontend attributes, donations: what XLA's own conversion to StableHLO keeps as mhlo.* attributes, for the
// importer of XLA's annotations to read.
#include "frontend/import/gspmd.h"
#include "frontend/hlo/hlo_import.h"

static const char sharding_key[] = "mhlo.sharding";
static const char frontend_key[] = "mhlo.frontend_attributes";

// ---- shardings ----

// An instruction's sharding: one for all its values, or one for each.
typedef struct Shardings {
    StrView whole; // empty: there is none
    VEC(StrView) parts;
    bool is_tuple;
} Shardings;

static bool read_shardings(HloImporter *importer, HloInstr *instr, Shardings *shardings) {
    *shardings = (Shardings){0};
    const HloAttr *attr = hlo_attr(instr, "sharding");
    if (!attr) return true;
    HloLexer value = attr->value;
    shardings->whole = hlo_text(&value);
    if (!hlo_expect(&value, "{")) return false;
    if (!hlo_looks_at(&value, "{") && !hlo_looks_at(&value, "}")) return true;
    StrBuf text = strbuf(importer->arena); // comments left out
    shardings->is_tuple = true;
    strbuf_putc(&text, '{');
    bool more = !hlo_accept(&value, "}");
    while (more) {
        HloLexer part;
        if (!hlo_read_raw(&value, &part)) return false;
        if (shardings->parts.count > 0) strbuf_puts(&text, ", ");
        strbuf_append(&text, hlo_text(&part));
        vec_push(importer->arena, &shardings->parts, hlo_text(&part));
        more = hlo_accept(&value, ",");
        if (!more && !hlo_expect(&value, "}")) return false;
    }
    strbuf_putc(&text, '}');
    shardings->whole = strbuf_view(&text);
    return true;
}

// That of value i of `count`; empty when there is none. False when there is another number of them.
static bool sharding_of(
    HloImporter *importer, const HloInstr *instr, const Shardings *shardings, int i, int count,
    StrView *text) {
    *text = shardings->whole;
    if (!shardings->is_tuple) return true;
    if (shardings->parts.count != count) {
        if (count == 0) return true; // an empty tuple has one
        return hlo_fail(
            importer, instr, "has %lld shardings for %d values", (long long)shardings->parts.count,
            count);
    }
    *text = shardings->parts.data[i];
    return true;
}

// ---- frontend attributes ----

// {a="text", b={anything}} as a dictionary of strings; *dict NULL when there is nothing in it.
static bool read_frontend(HloImporter *importer, HloLexer value, const Attr **dict) {
    VEC(StrView) names = {0};
    VEC(const Attr *) items = {0};
    StrMap seen = str_map(importer->arena);
    *dict = NULL;
    if (!hlo_expect(&value, "{")) return false;
    bool more = !hlo_accept(&value, "}");
    while (more) {
        StrView name, text = SV("");
        HloLexer raw;
        if (!hlo_read_word(&value, &name, "a name") || !hlo_expect(&value, "=")) return false;
        bool is_string = hlo_looks_at(&value, "\"");
        if (is_string ? !hlo_read_string(&value, &text) : !hlo_read_raw(&value, &raw)) return false;
        if (!is_string) text = hlo_text(&raw);
        bool is_known = strview_is(name, "xla.sdy.use_tuple_args"); // here they are none
        if (!is_known && !str_map_get(&seen, name)) {
            vec_push(importer->arena, &names, context_name(importer->context, name));
            vec_push(importer->arena, &items, attr_string(importer->context, text));
            str_map_set(&seen, name, importer);
        }
        more = hlo_accept(&value, ",");
        if (!more && !hlo_expect(&value, "}")) return false;
    }
    if (names.count > 0)
        *dict = attr_dict(importer->context, (int)names.count, names.data, items.data);
    return true;
}

static bool frontend_of(HloImporter *importer, HloInstr *instr, const Attr **dict) {
    const HloAttr *attr = hlo_attr(instr, "frontend_attributes");
    *dict = NULL;
    return !attr || read_frontend(importer, attr->value, dict);
}

// ---- instructions ----

// Is this sharding worth a constraint? Manual and unknown ones say nothing of a value alone.
static bool constrains(HloImporter *importer, StrView text) {
    GspmdSharding sharding;
    const char *problem;
    if (!gspmd_parse(importer->arena, text, &sharding, &problem)) return true; // refused there
    bool is_tiled = sharding.kind == GSPMD_TILED || sharding.kind == GSPMD_REPLICATED;
    for (int i = 0; i < sharding.group_count; i++)
        is_tiled = is_tiled && sharding.groups[i] != GSPMD_MANUAL;
    return is_tiled;
}

// Values that no op of their own carries (elements of tuples, copies) get constraints.
static void constrain(HloImporter *importer, Value **value, StrView sharding) {
    if ((*value)->type->kind != TYPE_TENSOR || !constrains(importer, sharding)) return;
    const Type *type = (*value)->type;
    Op *op = build_op(&importer->builder, OP_CUSTOM_CALL, 1, value, 1, &type, 0);
    hlo_set(importer, op, NAME_CALL_TARGET_NAME, attr_string(importer->context, SV("Sharding")));
    op_set_extra(
        importer->module, op, strview(sharding_key), attr_string(importer->context, sharding));
    *value = op_result(op, 0);
}

static Op *own_op(HloValues values, int64_t made) {
    Op *op = values.count > 0 ? values.data[0]->def : NULL;
    bool is_own = op && op->number >= made && op->result_count == values.count;
    for (int i = 0; i < values.count && is_own; i++)
        is_own = values.data[i] == op_result(op, i);
    return is_own ? op : NULL;
}

bool hlo_annotate(HloImporter *importer, HloInstr *instr, int64_t made, HloValues *results) {
    Shardings shardings;
    const Attr *frontend;
    if (!read_shardings(importer, instr, &shardings) || !frontend_of(importer, instr, &frontend))
        return false;
    Op *op = own_op(*results, made);
    if (!op && results->count == 0 && importer->builder.region->last &&
        importer->builder.region->last->number >= made)
        op = importer->builder.region->last; // an op without results
    if (op && frontend) op_set_extra(importer->module, op, strview(frontend_key), frontend);
    if (shardings.whole.size == 0) return true;
    if (op) {
        op_set_extra(
            importer->module, op, strview(sharding_key),
            attr_string(importer->context, shardings.whole));
        return true;
    }
    bool is_root = instr == &importer->computation->instrs[importer->computation->root];
    if (instr->parameter >= 0 || (is_root && importer->computation->func)) return true;
    HloValues copies = hlo_values(importer, results->count);
    for (int i = 0; i < copies.count; i++) {
        StrView text;
        if (!sharding_of(importer, instr, &shardings, i, copies.count, &text)) return false;
        copies.data[i] = results->data[i];
        constrain(importer, &copies.data[i], text);
    }
    *results = copies;
    return true;
}

// ---- functions ----

// The dictionaries of the instruction's values, as arguments or results.
static bool value_dicts(
    HloImporter *importer, HloInstr *instr, bool is_arg, const Attr **dicts, int count) {
    Shardings shardings;
    const Attr *frontend = NULL;
    if (!read_shardings(importer, instr, &shardings) ||
        (is_arg && !frontend_of(importer, instr, &frontend)))
        return false;
    for (int i = 0; i < count; i++) {
        StrView names[2];
        const Attr *items[2];
        int entries = 0;
        StrView text;
        if (!sharding_of(importer, instr, &shardings, i, count, &text)) return false;
        if (text.size > 0) {
            names[entries] = context_name(importer->context, strview(sharding_key));
            items[entries++] = attr_string(importer->context, text);
        }
        if (frontend) {
            names[entries] = context_name(importer->context, strview(frontend_key));
            items[entries++] = frontend;
        }
        dicts[i] = attr_dict(importer->context, entries, names, items);
    }
    return true;
}

static void set_dicts(
    HloImporter *importer, Op *func, AttrName name, const Attr *const *dicts, int count) {
    bool any = false;
    for (int i = 0; i < count; i++)
        any = any || dicts[i]->count > 0;
    if (any) hlo_set(importer, func, name, attr_array(importer->context, count, dicts));
}

bool hlo_annotate_func(HloImporter *importer, HloComputation *computation, Op *func) {
    int args = func_body(func)->arg_count;
    HloInstr *root = &computation->instrs[computation->root];
    int results = hlo_leaf_count(root->shape.type);
    int most = args > results ? args : results;
    const Attr **dicts = ARENA_ARRAY(importer->arena, const Attr *, most + 1);
    int first = 0;
    for (int i = 0; i < computation->parameter_count; i++) {
        HloInstr *parameter = &computation->instrs[computation->parameters[i]];
        int count = hlo_leaf_count(parameter->shape.type);
        if (!value_dicts(importer, parameter, true, dicts + first, count)) return false;
        first += count;
    }
    set_dicts(importer, func, NAME_ARG_ATTRS, dicts, args);
    if (!value_dicts(importer, root, false, dicts, results)) return false;
    set_dicts(importer, func, NAME_RES_ATTRS, dicts, results);
    return true;
}

// ---- the module ----

// The entry's arguments, and what is said of their memory.
typedef struct Donation {
    HloImporter *importer;
    const HloComputation *entry;
    PtrMap leaves;   // of a tuple type: [part_count] the first leaf of each part
    int *first;      // [parameter_count] the first argument of each parameter
    bool *has_alias; // by argument
    FuncDicts args;
} Donation;

static const Type *parameter_type(const HloComputation *entry, int i) {
    return entry->instrs[entry->parameters[i]].shape.type;
}

static Donation donation_open(HloImporter *importer, Op *func) {
    const HloComputation *entry = importer->hlo->entry;
    Donation donation = {
        .importer = importer,
        .entry = entry,
        .leaves = ptr_map(importer->arena),
        .first = ARENA_ARRAY(importer->arena, int, entry->parameter_count),
        .args = func_dicts_open(importer->module, func, true, importer->arena),
    };
    int count = 0;
    for (int i = 0; i < entry->parameter_count; i++) {
        donation.first[i] = count;
        count += hlo_leaf_count(parameter_type(entry, i));
    }
    donation.has_alias = ARENA_ARRAY(importer->arena, bool, donation.args.count);
    return donation;
}

static const int *tuple_leaves(Donation *donation, const Type *type) {
    int *first = ptr_map_get(&donation->leaves, type);
    if (first) return first;
    first = ARENA_ARRAY(donation->importer->arena, int, (int64_t)type->part_count + 1);
    for (int i = 0; i < type->part_count; i++)
        first[i + 1] = first[i] + hlo_leaf_count(type->parts[i]);
    ptr_map_set(&donation->leaves, type, first);
    return first;
}

// The value that tuple indices {1, 0} lead to, counted in leaves; -1 when they lead to none or to a tuple.
static int leaf_at(Donation *donation, const Type *type, IntSpan indices) {
    int leaf = 0;
    for (int i = 0; i < indices.count; i++) {
        int64_t part = indices.data[i];
        if (type->kind != TYPE_TUPLE || part < 0 || part >= type->part_count) return -1;
        leaf += tuple_leaves(donation, type)[part];
        type = type->parts[part];
    }
    return type->kind == TYPE_TUPLE ? -1 : leaf;
}

// (0, {1}, may-alias): the argument of the function; -1 after an error.
static int read_argument(Donation *donation, HloLexer *lexer) {
    const HloComputation *entry = donation->entry;
    HloLexer at = *lexer;
    int64_t number;
    IntSpan indices;
    StrView kind;
    if (!hlo_expect(lexer, "(") || !hlo_read_int(lexer, &number) || !hlo_expect(lexer, ",") ||
        !hlo_read_ints(donation->importer, lexer, &indices))
        return -1;
    if (hlo_accept(lexer, ",") && !hlo_read_word(lexer, &kind, "may-alias or must-alias"))
        return -1;
    if (!hlo_expect(lexer, ")")) return -1;
    bool is_known = number >= 0 && number < entry->parameter_count;
    int leaf = is_known ? leaf_at(donation, parameter_type(entry, (int)number), indices) : -1;
    if (leaf >= 0) return donation->first[number] + leaf;
    (void)hlo_error(&at, "there is no such argument");
    return -1;
}

static void set_arg(Donation *donation, int arg, const char *name, const Attr *value) {
    Context *context = donation->importer->context;
    func_dicts_set(&donation->args, arg, context_name(context, strview(name)), value);
}

// { {0}: (0, {}, may-alias), {1}: (2, {}) }: result 0 may take the memory of argument 0.
static bool import_aliases(HloImporter *importer, Op *entry, HloLexer value) {
    Donation donation = donation_open(importer, entry);
    const Type *results = donation.entry->instrs[donation.entry->root].shape.type;
    if (!hlo_expect(&value, "{")) return false;
    bool more = !hlo_accept(&value, "}");
    while (more) {
        IntSpan indices;
        HloLexer at = value;
        if (!hlo_read_ints(importer, &value, &indices) || !hlo_expect(&value, ":")) return false;
        int arg = read_argument(&donation, &value);
        int result = leaf_at(&donation, results, indices);
        if (arg < 0) return false;
        if (result < 0) return hlo_error(&at, "there is no such result");
        if (donation.has_alias[arg])
            return hlo_error(&at, "argument %d is given to two results", arg);
        donation.has_alias[arg] = true;
        set_arg(
            &donation, arg, "tf.aliasing_output", attr_int(importer->context, result, ELEMENT_I32));
        more = hlo_accept(&value, ",");
        if (!more && !hlo_expect(&value, "}")) return false;
    }
    func_dicts_close(&donation.args);
    return true;
}

// { (0, {}), (1, {2}) }
static bool import_donors(HloImporter *importer, Op *entry, HloLexer value) {
    Donation donation = donation_open(importer, entry);
    if (!hlo_expect(&value, "{")) return false;
    bool more = !hlo_accept(&value, "}");
    while (more) {
        int arg = read_argument(&donation, &value);
        if (arg < 0) return false;
        set_arg(&donation, arg, "jax.buffer_donor", attr_bool(importer->context, true));
        more = hlo_accept(&value, ",");
        if (!more && !hlo_expect(&value, "}")) return false;
    }
    func_dicts_close(&donation.args);
    return true;
}

static bool import_count(HloImporter *importer, const char *name, HloLexer value) {
    int64_t count;
    HloLexer at = value;
    if (!hlo_read_int(&value, &count)) return false;
    if (count < 1 || count > INT32_MAX) return hlo_error(&at, "the number must be positive");
    Module *module = importer->module;
    op_set_extra(
        module, module->op, context_name(importer->context, strview(name)),
        attr_int(importer->context, count, ELEMENT_I32));
    return true;
}

// Says nothing of what the program computes, or of how its arrays are sharded at its border.
static bool is_harmless_module_attr(StrView name) {
    static const char *const names[] = {
        "is_scheduled",
        "entry_computation_layout",
        "alias_passthrough_params",
        "allow_spmd_sharding_propagation_to_parameters",
        "allow_spmd_sharding_propagation_to_output",
        "origin_recovery_table"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strview_is(name, names[i])) return true;
    }
    return false;
}

static bool import_module_attr(HloImporter *importer, Op *entry, const HloAttr *attr) {
    Module *module = importer->module;
    if (strview_is(attr->name, "num_partitions"))
        return import_count(importer, "mhlo.num_partitions", attr->value);
    if (strview_is(attr->name, "replica_count"))
        return import_count(importer, "mhlo.num_replicas", attr->value);
    if (strview_is(attr->name, "input_output_alias"))
        return import_aliases(importer, entry, attr->value);
    if (strview_is(attr->name, "buffer_donor")) return import_donors(importer, entry, attr->value);
    if (strview_is(attr->name, "frontend_attributes")) {
        const Attr *dict;
        if (!read_frontend(importer, attr->value, &dict)) return false;
        if (dict) op_set_extra(module, module->op, strview(frontend_key), dict);
        return true;
    }
    return is_harmless_module_attr(attr->name) ||
           hlo_unsupported(
               &attr->value, "the module's attribute '%.*s' is not supported", SV_ARG(attr->name));
}

bool hlo_module_attrs(HloImporter *importer, Op *entry) {
    for (int i = 0; i < importer->hlo->attr_count; i++) {
        if (!import_module_attr(importer, entry, &importer->hlo->attrs[i])) return false;
    }
    return true;
}

// ---- what nobody has read ----

// Layouts, schedules, threads and the configurations of back ends: nothing that changes what an op computes.
static bool is_harmless(StrView name) {
    static const char *const names[] = {
        "metadata",
        "backend_config",
        "control-predecessors",
        "original_value",
        "origin",
        "statistics",
        "outer_dimension_partitions",
        "parameter_replication",
        "async_execution_thread",
        "schedule",
        "custom_call_schedule",
        "operand_layout_constraints",
        "constrain_layout",
        "outfeed_shape",
        "kind",
        "is_composite",
        "cross_program_prefetch_index"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strview_is(name, names[i])) return true;
    }
    return false;
}

bool hlo_check_attrs(HloImporter *importer, HloInstr *instr) {
    for (int i = 0; i < instr->attr_count; i++) {
        const HloAttr *attr = &instr->attrs[i];
        if (!attr->is_used && !is_harmless(attr->name))
            return hlo_refuse(
                importer, instr, "attribute '%.*s' is not supported", SV_ARG(attr->name));
    }
    return true;
}
