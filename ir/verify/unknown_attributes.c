// unknown_attributes: names of discardable attributes against those that have a meaning.
#include "ir/verify/unknown_attributes.h"

// Names that are read or written somewhere. Those of other namespaces stand here when a
// misspelt one changes what is compiled.
static const char *const known[] = {
    "sdy.sharding",
    "sdy.sharding_rule",
    "sdy.sharding_origins",
    "sdy.sharding_origin_name",
    "sdy.block_arg_sharding_origins",
    "sdy.result_sharding_origins",
    "sdy.propagation_edges",
    "sdy.block_arg_propagation_edges",
    "sdy.result_propagation_edges",
    "sdy.original_func_name",
    "sdy.func_manual_axes",
    "mhlo.sharding",
    "mhlo.frontend_attributes",
    "mhlo.layout_mode",
    "mhlo.num_partitions",
    "mhlo.num_replicas",
    "tf.aliasing_output",
    "jax.buffer_donor",
};

enum { LONGEST = 64 };

// Levenshtein's distance; LONGEST for long names.
static int edit_distance(StrView a, StrView b) {
    int row[LONGEST + 1];
    if (a.size > LONGEST || b.size > LONGEST) return LONGEST;
    for (int j = 0; j <= (int)b.size; j++)
        row[j] = j;
    for (int i = 1; i <= (int)a.size; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= (int)b.size; j++) {
            int change = corner + (a.data[i - 1] != b.data[j - 1]);
            int shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            corner = row[j];
            row[j] = change < shorter ? change : shorter;
        }
    }
    return row[b.size];
}

static void check_name(Diags *diags, const Loc *loc, StrView name) {
    bool is_sdy = strview_starts_with(name, SV("sdy."));
    int nearest = 0, distance = LONGEST;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        int own = edit_distance(name, strview(known[i]));
        if (own == 0) return;
        if (own >= distance) continue;
        distance = own;
        nearest = (int)i;
    }
    bool is_close = distance <= (is_sdy ? 4 : 2);
    if (is_close) {
        diag_warning(
            diags, loc, "attribute '%.*s' is unknown and has no effect: did you mean '%s'?",
            SV_ARG(name), known[nearest]);
    } else if (is_sdy) {
        diag_warning(diags, loc, "attribute '%.*s' is unknown and has no effect", SV_ARG(name));
    }
}

static void check_dict(Diags *diags, const Loc *loc, const Attr *dict) {
    for (int i = 0; dict && dict->kind == ATTR_DICT && i < dict->count; i++)
        check_name(diags, loc, dict->names[i]);
}

static bool check_op(Op *op, void *user) {
    Diags *diags = user;
    check_dict(diags, op->loc, op->extra);
    if (op->code != OP_FUNC) return true;
    const Type *type = op_attr(op, NAME_FUNCTION_TYPE)->type;
    for (int i = 0; i < func_body(op)->arg_count; i++)
        check_dict(diags, func_body(op)->args[i]->loc, func_arg_attrs(op, i));
    for (int i = 0; i + type->input_count < type->part_count; i++)
        check_dict(diags, op->loc, func_result_attrs(op, i));
    return true;
}

void warn_unknown_attributes(const Module *module, Diags *diags) {
    check_dict(diags, module->op->loc, module->op->extra);
    region_walk(module->body, check_op, diags);
}
