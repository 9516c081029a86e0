// opt_passes: the passes that shardc-opt offers by name, with their options.
#include "tools/opt_passes.h"

#include "frontend/flatten_tuples.h"
#include "frontend/import_calls.h"
#include "frontend/import_lapack.h"
#include "frontend/import_mhlo.h"
#include "frontend/import_shardings.h"
#include "ir/verify.h"
#include "partition/partition.h"

#include <string.h>

// The passes outside partition/, under MLIR's names where it has them.
static const Pass other_passes[] = {
    {"shardc-import-shardings", pass_import_shardings,
     "Makes XLA's annotations (mhlo.sharding, xla.sdy.*) Shardy's attributes and ops"},
    {"shardc-flatten-tuples", pass_flatten_tuples, "Makes every tuple the list of its arrays"},
    {"shardc-import-mhlo", pass_import_mhlo, "Makes XLA's calls of functions CHLO's ops"},
    {"shardc-import-calls", pass_import_calls,
     "Makes XLA's ApproxTopK a sort, and calls that mark a value the value"},
    {"shardc-import-lapack", pass_import_lapack, "Makes calls of LAPACK's routines core ops"},
    {"stablehlo-aggressive-simplification", pass_canonicalize,
     "Canonical form and algebra that keeps every bit"},
    {"cse", pass_cse, "Merges equal pure ops"},
    {"symbol-dce", pass_dce, "Erases unused ops and private functions"},
    {"inline", pass_inline, "Inlines calls, composites and named computations"},
    {"shardc-fold", pass_fold, "Computes small constant expressions"},
    {"stablehlo-refine-shapes", pass_refine_shapes,
     "Gives the entry's values the shapes that follow from its arguments'"},
    {"stablehlo-legalize-quant-to-math", pass_legalize_quantized,
     "Makes quantised tensors their stored integers"},
    {"chlo-legalize-to-stablehlo", pass_legalize_chlo,
     "Makes chlo ops and dynamic ops with constants core ops"},
};

enum { OTHER_PASSES = sizeof other_passes / sizeof other_passes[0] };

int opt_pass_count(void) { return partition_pass_count() + OTHER_PASSES; }

const Pass *opt_pass(int i) {
    int count = partition_pass_count();
    return i < count ? partition_pass(i) : &other_passes[i - count];
}

static const Pass *find_pass(StrView name) {
    for (int i = 0; i < opt_pass_count(); i++) {
        if (strview_is(name, opt_pass(i)->name)) return opt_pass(i);
    }
    return NULL;
}

// The size of the option at the start of a text: up to a blank, quotes and braces in between skipped.
static size_t option_size(StrView text) {
    int depth = 0;
    char quote = 0;
    size_t size = 0;
    for (; size < text.size; size++) {
        char c = text.data[size];
        if (quote) {
            if (c == quote) quote = 0;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '{') {
            depth++;
        } else if (c == '}') {
            depth--;
        } else if (c == ' ' && depth <= 0) {
            break;
        }
    }
    return size;
}

static StrView unquoted(StrView text) {
    char first = text.size >= 2 ? text.data[0] : 0;
    char last = text.size >= 2 ? text.data[text.size - 1] : 0;
    bool quoted = (first == '\'' && last == '\'') || (first == '"' && last == '"') ||
                  (first == '{' && last == '}');
    return quoted ? (StrView){text.data + 1, text.size - 2} : text;
}

static bool parse_options(PassCall *call, StrView text) {
    while (text.size > 0) {
        StrView rest = {text.data, option_size(text)};
        text.data += rest.size;
        text.size -= rest.size;
        if (rest.size == 0) { // a blank
            text.data++;
            text.size--;
            continue;
        }
        if (call->option_count == MAX_PASS_OPTIONS) return false;
        PassOption *option = &call->options[call->option_count++];
        const char *equals = memchr(rest.data, '=', rest.size);
        size_t name_size = equals ? (size_t)(equals - rest.data) : rest.size;
        option->name = (StrView){rest.data, name_size};
        option->value =
            equals ? unquoted((StrView){equals + 1, rest.size - name_size - 1}) : SV("true");
    }
    return true;
}

const char *opt_pass_call(StrView text, PassCall *call) {
    const char *equals = memchr(text.data, '=', text.size);
    size_t name_size = equals ? (size_t)(equals - text.data) : text.size;
    *call = (PassCall){.pass = find_pass((StrView){text.data, name_size})};
    if (!call->pass) return "unknown pass or option";
    if (equals && !parse_options(call, (StrView){equals + 1, text.size - name_size - 1}))
        return "too many options";
    return NULL;
}

bool opt_pass_run(const PassCall *call, Module *module, Diags *diags) {
    PassContext context = {
        .scratch = arena_child(module->arena),
        .diags = diags,
        .option_count = call->option_count,
        .options = call->options};
    return pass_run(call->pass, module, &context) && verify_module(module, diags);
}
