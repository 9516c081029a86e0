// check_divisibility: inputs and outputs of the program lie in equal tiles: where a size does not
// divide, a written sharding is cut to what does (update_non_divisible_shardings), which this
// says beforehand. Changes nothing.
#include "ir/analysis/data_flow.h"
#include "ir/print/sharding_print.h"
#include "partition/passes.h"

static void warn_of_sharding(
    const Module *module, Diags *diags, const char *what, int i, const Loc *loc, const Type *type,
    const Sharding *sharding) {
    const Sharding *left = dividing_sharding(module, module->arena, type, sharding);
    if (left == sharding) return;
    const Mesh *mesh = sharding_mesh(module, sharding);
    StrBuf text = strbuf(module->arena);
    for (int d = 0; d < sharding->rank; d++) {
        int64_t parts = sharding_dim_size(mesh, sharding, d);
        if (parts == sharding_dim_size(mesh, left, d)) continue;
        strbuf_printf(
            &text, "%sdimension %d of size %lld does not divide into %lld parts",
            text.size ? ", " : "", d, (long long)type->dims[d], (long long)parts);
    }
    strbuf_puts(&text, ": it is sharded as ");
    sharding_print_body(&text, left);
    strbuf_puts(&text, " instead of ");
    sharding_print_body(&text, sharding);
    StrView said = strbuf_view(&text);
    diag_warning(diags, loc, "%s %d: %.*s", what, i, SV_ARG(said));
}

PassResult pass_check_divisibility(Module *module, PassContext *pass) {
    const Op *entry = module_entry(module, (StrView){0});
    if (!entry) return PASS_UNCHANGED;
    const Region *body = func_body(entry);
    for (int i = 0; i < body->arg_count; i++) {
        const Value *arg = body->args[i];
        warn_of_sharding(module, pass->diags, "argument", i, arg->loc, arg->type, arg->sharding);
    }
    const Type *type = op_attr(entry, NAME_FUNCTION_TYPE)->type;
    for (int i = 0; entry->result_shardings && i < func_result_count(entry); i++) {
        warn_of_sharding(
            module, pass->diags, "result", i, entry->loc, type->parts[type->input_count + i],
            entry->result_shardings[i]);
    }
    return PASS_UNCHANGED;
}
