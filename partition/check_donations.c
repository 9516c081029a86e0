// check_donations: what a program says of arguments whose memory may become a result's can
// be: tf.aliasing_output names a result of as many bytes, which no other argument names,
// and jax.buffer_donor is a bool.
#include "ir/analysis/data_flow.h"
#include "partition/passes.h"

typedef struct Donations {
    const Op *func;
    const Type *type; // of the function
    int result_count;
    int *givers; // [result_count] 1 + the argument that names the result; 0 = none
    Diags *diags;
} Donations;

static const char alias_name[] = "tf.aliasing_output", donor_name[] = "jax.buffer_donor";

static bool check_types(const Donations *d, int argument, int result) {
    const Value *value = func_body(d->func)->args[argument];
    const Type *from = value->type, *to = d->type->parts[d->type->input_count + result];
    if (from == to) return true;
    StrBuf text = strbuf(d->diags->arena);
    type_print(&text, from);
    strbuf_printf(&text, " and result %d ", result);
    type_print(&text, to);
    StrView types = strbuf_view(&text);
    bool fits = from->kind == TYPE_TENSOR && to->kind == TYPE_TENSOR && type_is_static(from) &&
                type_is_static(to) && type_bytes(from) == type_bytes(to);
    if (fits) {
        diag_warning(
            d->diags, value->loc,
            "argument %d keeps its memory: it is %.*s, which %s does not join", argument,
            SV_ARG(types), alias_name);
        return true;
    }
    diag_error(
        d->diags, value->loc, "argument %d: %s needs a result of its size, but it is %.*s",
        argument, alias_name, SV_ARG(types));
    return false;
}

static bool check_alias(const Donations *d, int argument, const Attr *alias) {
    const Loc *loc = func_body(d->func)->args[argument]->loc;
    if (alias->kind != ATTR_INT) {
        diag_error(d->diags, loc, "argument %d: %s must be an integer", argument, alias_name);
        return false;
    }
    int64_t result = alias->integer;
    if (result < 0 || result >= d->result_count) {
        diag_error(
            d->diags, loc, "argument %d: %s names result %lld, but the function has %d results",
            argument, alias_name, (long long)result, d->result_count);
        return false;
    }
    if (d->givers[result]) {
        diag_error(
            d->diags, loc, "argument %d: %s names result %lld, which argument %d names already",
            argument, alias_name, (long long)result, d->givers[result] - 1);
        return false;
    }
    d->givers[result] = 1 + argument;
    return check_types(d, argument, (int)result);
}

static bool check(const Op *func, Arena *arena, Diags *diags) {
    const Region *body = func_body(func);
    int results = func_result_count(func);
    const Donations d = {
        func, op_attr(func, NAME_FUNCTION_TYPE)->type, results, ARENA_ARRAY(arena, int, results),
        diags};
    bool ok = true;
    for (int i = 0; i < body->arg_count; i++) {
        const Attr *dict = func_arg_attrs(func, i);
        const Attr *alias = attr_dict_get(dict, strview(alias_name));
        const Attr *donor = attr_dict_get(dict, strview(donor_name));
        if (alias && !check_alias(&d, i, alias)) ok = false;
        if (!donor || donor->kind == ATTR_BOOL) continue;
        diag_error(
            diags, body->args[i]->loc, "argument %d: %s must be true or false", i, donor_name);
        ok = false;
    }
    return ok;
}

PassResult pass_check_donations(Module *module, PassContext *pass) {
    const Op *entry = module_entry(module, (StrView){0});
    return !entry || check(entry, pass->scratch, pass->diags) ? PASS_UNCHANGED : PASS_FAILED;
}
