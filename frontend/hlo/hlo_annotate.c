// hlo_annotate: shardings, frontend attributes, donations: what XLA's own conversion to StableHLO
// keeps as mhlo.* attributes, for the importer of XLA's annotations to read.
#include "frontend/gspmd/gspmd.h"
#include "frontend/hlo/hlo_import.h"

static const char sharding_key[] = "mhlo.sharding";
static const char frontend_key[] = "mhlo.frontend_attributes";

// ---- shardings ----

static const HloSharding *sharding_attr(const HloInstr *instr) {
    static const HloSharding none;
    const HloAttr *attr = hlo_attr(instr, HLO_SHARDING);
    return attr ? attr->sharding : &none;
}

// That of value i of `count`; empty when there is none. False when there is another number of them.
static bool sharding_of(
    HloImporter *importer, const HloInstr *instr, const HloSharding *shardings, int i, int count,
    StrView *text) {
    *text = shardings->whole;
    if (!shardings->is_tuple) return true;
    if (shardings->part_count != count) {
        if (count == 0) return true; // an empty tuple has one
        return hlo_fail(
            importer, instr, "has %d shardings for %d values", shardings->part_count, count);
    }
    *text = shardings->parts[i];
    return true;
}

// ---- frontend attributes ----

// As a dictionary of strings; NULL when there is nothing in it.
static const Attr *pairs_dict(HloImporter *importer, const HloPairs *pairs) {
    VEC(StrView) names = {0};
    VEC(const Attr *) items = {0};
    StrMap seen = str_map(importer->arena);
    for (int i = 0; i < pairs->count; i++) {
        StrView name = pairs->names[i];
        bool is_known = strview_is(name, "xla.sdy.use_tuple_args"); // here they are none
        if (is_known || str_map_get(&seen, name)) continue;
        vec_push(importer->arena, &names, context_name(importer->context, name));
        vec_push(importer->arena, &items, attr_string(importer->context, pairs->texts[i]));
        str_map_set(&seen, name, importer);
    }
    if (names.count == 0) return NULL;
    return attr_dict(importer->context, (int)names.count, names.data, items.data);
}

static const Attr *frontend_of(HloImporter *importer, const HloInstr *instr) {
    const HloAttr *attr = hlo_attr(instr, HLO_FRONTEND);
    return attr ? pairs_dict(importer, &attr->pairs) : NULL;
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
    const HloSharding *shardings = sharding_attr(instr);
    const Attr *frontend = frontend_of(importer, instr);
    Op *op = own_op(*results, made);
    if (!op && results->count == 0 && importer->builder.region->last &&
        importer->builder.region->last->number >= made)
        op = importer->builder.region->last; // an op without results
    if (op && frontend) op_set_extra(importer->module, op, strview(frontend_key), frontend);
    if (shardings->whole.size == 0) return true;
    if (op) {
        op_set_extra(
            importer->module, op, strview(sharding_key),
            attr_string(importer->context, shardings->whole));
        return true;
    }
    bool is_root = instr == &importer->computation->instrs[importer->computation->root];
    if (instr->parameter >= 0 || (is_root && importer->computation->func)) return true;
    HloValues copies = hlo_values(importer, results->count);
    for (int i = 0; i < copies.count; i++) {
        StrView text;
        if (!sharding_of(importer, instr, shardings, i, copies.count, &text)) return false;
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
    const HloSharding *shardings = sharding_attr(instr);
    const Attr *frontend = is_arg ? frontend_of(importer, instr) : NULL;
    for (int i = 0; i < count; i++) {
        StrView names[2];
        const Attr *items[2];
        int entries = 0;
        StrView text;
        if (!sharding_of(importer, instr, shardings, i, count, &text)) return false;
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

// The value that tuple indices {1, 0} lead to, counted in leaves; -1 when they lead to none or to a
// tuple.
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

static bool fail_at(const HloImporter *importer, const Loc *loc, const char *message) {
    diag_error(importer->source->diags, loc, "%s", message);
    return false;
}

// The argument of the function that an alias names; -1 after an error.
static int find_argument(Donation *donation, const HloAlias *alias, const Loc *loc) {
    const HloComputation *entry = donation->entry;
    int64_t number = alias->operand;
    bool is_known = number >= 0 && number < entry->parameter_count;
    int leaf = is_known ? leaf_at(donation, parameter_type(entry, (int)number), alias->part) : -1;
    if (leaf >= 0) return donation->first[number] + leaf;
    (void)fail_at(donation->importer, loc, "there is no such argument");
    return -1;
}

static void set_arg(Donation *donation, int arg, const char *name, const Attr *value) {
    Context *context = donation->importer->context;
    func_dicts_set(&donation->args, arg, context_name(context, strview(name)), value);
}

// Result 0 may take the memory of argument 0.
static bool import_aliases(HloImporter *importer, Op *entry) {
    const HloAliases *aliases = &importer->hlo->aliases;
    const Loc *loc = importer->hlo->aliases_loc;
    if (aliases->count == 0) return true;
    Donation donation = donation_open(importer, entry);
    const Type *results = donation.entry->instrs[donation.entry->root].shape.type;
    for (int64_t i = 0; i < aliases->count; i++) {
        int arg = find_argument(&donation, &aliases->data[i], loc);
        if (arg < 0) return false;
        int result = leaf_at(&donation, results, aliases->data[i].result);
        if (result < 0) return fail_at(importer, loc, "there is no such result");
        if (donation.has_alias[arg]) {
            diag_error(importer->source->diags, loc, "argument %d is given to two results", arg);
            return false;
        }
        donation.has_alias[arg] = true;
        set_arg(
            &donation, arg, "tf.aliasing_output", attr_int(importer->context, result, ELEMENT_I32));
    }
    func_dicts_close(&donation.args);
    return true;
}

static bool import_donors(HloImporter *importer, Op *entry) {
    const HloAliases *donors = &importer->hlo->donors;
    if (donors->count == 0) return true;
    Donation donation = donation_open(importer, entry);
    for (int64_t i = 0; i < donors->count; i++) {
        int arg = find_argument(&donation, &donors->data[i], importer->hlo->donors_loc);
        if (arg < 0) return false;
        set_arg(&donation, arg, "jax.buffer_donor", attr_bool(importer->context, true));
    }
    func_dicts_close(&donation.args);
    return true;
}

// count: 0 when it is not said
static bool import_count(HloImporter *importer, const char *name, int64_t count) {
    if (!importer->hlo->counts_loc || count == 0) return true;
    if (count < 1 || count > INT32_MAX)
        return fail_at(importer, importer->hlo->counts_loc, "the number must be positive");
    Module *module = importer->module;
    op_set_extra(
        module, module->op, context_name(importer->context, strview(name)),
        attr_int(importer->context, count, ELEMENT_I32));
    return true;
}

bool hlo_module_attrs(HloImporter *importer, Op *entry) {
    const HloModule *hlo = importer->hlo;
    const Attr *dict = pairs_dict(importer, &hlo->frontend);
    if (dict) op_set_extra(importer->module, importer->module->op, strview(frontend_key), dict);
    return import_count(importer, "mhlo.num_partitions", hlo->partition_count) &&
           import_count(importer, "mhlo.num_replicas", hlo->replica_count) &&
           import_aliases(importer, entry) && import_donors(importer, entry);
}

// ---- what nobody has read ----

bool hlo_check_attrs(HloImporter *importer, const HloInstr *instr) {
    for (int i = 0; i < instr->attr_count; i++) {
        const HloAttr *attr = &instr->attrs[i];
        // of back ends that are not ours, and layouts where they do not count
        bool is_harmless = attr->name == HLO_BACKEND_CONFIG || attr->name == HLO_OPERAND_LAYOUTS;
        if (attr->is_used || is_harmless) continue;
        StrView name = attr->name == HLO_ATTR_COUNT ? attr->text : hlo_attr_text(attr->name);
        return hlo_refuse(importer, instr, "attribute '%.*s' is not supported", SV_ARG(name));
    }
    return true;
}
