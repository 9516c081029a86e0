// select_entry: one function becomes the program's only public one, so that
// only what it calls is compiled.
//
//   In      any verified module; the option entry names the function, else it
//           is @main or the only public one
//   Out     every other function is private. symbol-dce then erases what the entry does not call.
//   Fails   where there is no such function, or only its declaration, or where it takes or gives
//           what is no array
#include "ir/analysis/data_flow.h"
#include "partition/passes.h"

PassResult pass_select_entry(Module *module, PassContext *pass) {
    StrView name = pass_option(pass, "entry");
    Op *entry = module_entry(module, name);
    bool has_functions = false;
    for (const Op *op = module->body->first; op; op = op->next)
        has_functions = has_functions || op->code == OP_FUNC;
    if (!has_functions) {
        diag_error(pass->diags, module->op->loc, "the program has no functions");
        return PASS_FAILED;
    }
    if (!entry) {
        diag_error(
            pass->diags, module->op->loc, "the program has no function @%.*s",
            SV_ARG(name.size ? name : SV("main")));
        return PASS_FAILED;
    }
    if (!func_body(entry)->first) {
        diag_error(
            pass->diags, entry->loc, "function @%.*s has no body, only its declaration is there",
            SV_ARG(func_name(entry)));
        return PASS_FAILED;
    }
    if (!check_entry_types(entry, pass->diags)) return PASS_FAILED;
    const Attr *private = attr_string(module->context, SV("private"));
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC && op != entry)
            op_set_attr(module, op, NAME_SYM_VISIBILITY, private);
    }
    op_set_attr(module, entry, NAME_SYM_VISIBILITY, NULL);
    return PASS_CHANGED;
}
