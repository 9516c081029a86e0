// api_passes: the passes of all folders, for those that name them.
#include "api/api_passes.h"

static const Pass *const all[] = {
#define PASS(name, text, options, help)            &name##_pass,
#define PHASE(name, text, print, help)             &name##_pass,
#define PIPELINE(name, text, options, steps, help) &name##_pass,
#include "ir/pass/passes.def"
};

enum { ALL_PASSES = sizeof all / sizeof all[0] };

int pass_list_count(void) { return ALL_PASSES; }

const Pass *pass_list(int i) { return all[i]; }

const Pass *pass_find(StrView name) {
    for (int i = 0; i < ALL_PASSES; i++) {
        if (strview_is(name, all[i]->name)) return all[i];
    }
    return NULL;
}

void pass_names(StrBuf *out) {
    for (int i = 0; i < ALL_PASSES; i++)
        strbuf_printf(out, "%s%s", i ? ", " : "", all[i]->name);
}
