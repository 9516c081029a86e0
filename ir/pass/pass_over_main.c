// pass_over_main: a pass that changes one op of the entry function after the other.
#include "ir/pass/pass.h"

typedef struct Walk {
    bool (*change)(Op *op, void *user);
    void *user;
    PassResult result;
} Walk;

static bool visit(Op *op, void *user) {
    Walk *walk = user;
    if (walk->change(op, walk->user)) walk->result = PASS_CHANGED;
    return true;
}

PassResult pass_over_main(Module *module, bool (*change)(Op *op, void *user), void *user) {
    const Op *main = module_entry(module, (StrView){0});
    Walk walk = {change, user, PASS_UNCHANGED};
    if (main) region_walk(func_body(main), visit, &walk);
    return walk.result;
}
