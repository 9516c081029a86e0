// opt_passes: the passes that shardc-opt offers by name, with their options.
#include "tools/opt_passes.h"

#include "frontend/import/flatten_tuples.h"
#include "frontend/import/import_calls.h"
#include "frontend/import/import_lapack.h"
#include "frontend/import/import_mhlo.h"
#include "frontend/import/import_ragged.h"
#include "frontend/import/import_shardings.h"
#include "ir/verify/verify.h"
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
    {"shardc-import-ragged", pass_import_ragged,
     "Makes ragged_all_to_all all_gathers and a loop over the pieces"},
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

bool opt_has_pass(StrView name) { return find_pass(name) != NULL; }

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

// ---- the options that passes know

typedef enum OptionValue {
    VALUE_FLAG,
    VALUE_COUNT,
    VALUE_STRATEGY,
    VALUE_PATTERNS,
    VALUE_TEXT
} OptionValue;

#define PROPAGATION                                                           \
    "sdy-basic-propagate sdy-aggressive-propagate sdy-op-priority-propagate " \
    "sdy-user-priority-propagate"

static const struct {
    const char *name;
    OptionValue value;
    const char *passes;
} known_options[] = {
    {"conservative-propagation", VALUE_FLAG, "sdy-populate-op-sharding-rules " PROPAGATION},
    {"keep-sharding-rules", VALUE_FLAG,
     "sdy-export-pipeline sdy-propagation-pipeline " PROPAGATION},
    {"propagation-strategy", VALUE_STRATEGY,
     "sdy-aggressive-propagate sdy-op-priority-propagate sdy-user-priority-propagate"},
    {"debug-sharding-origins", VALUE_FLAG, "sdy-apply-sharding-constraints " PROPAGATION},
    {"debug-propagation-edge-sharding", VALUE_FLAG, "sdy-apply-sharding-constraints " PROPAGATION},
    {"sink-debug-sharding-origins", VALUE_FLAG, "sdy-sink-data-flow-edges"},
    {"sink-debug-propagation-edge-sharding", VALUE_FLAG, "sdy-sink-data-flow-edges"},
    {"add-data-flow-edges-on-named-computations", VALUE_FLAG, "sdy-import-func-calls"},
    {"dedup-functions-fully", VALUE_FLAG,
     "sdy-import-pipeline sdy-propagation-pipeline sdy-unflatten-call-graph"},
    {"update-non-divisible-input-output-shardings", VALUE_FLAG,
     "sdy-export-pipeline sdy-propagation-pipeline"},
    {"enable-insert-explicit-collectives", VALUE_FLAG,
     "sdy-export-pipeline sdy-propagation-pipeline"},
    {"remove-all-gather-reduce-scatter-for-cmv1", VALUE_FLAG,
     "sdy-export-pipeline sdy-propagation-pipeline"},
    {"inline-meshes", VALUE_FLAG, "sdy-export-pipeline sdy-propagation-pipeline"},
    {"enable-full-version", VALUE_FLAG, "sdy-insert-explicit-reshards"},
    {"reductions", VALUE_FLAG, "sdy-insert-explicit-reshards"},
    {"cheapest", VALUE_FLAG, "sdy-reshard-to-collectives"},
    {"keep-redundant-reshards", VALUE_FLAG, "sdy-reshard-to-collectives"},
    {"enabled-patterns", VALUE_PATTERNS, "canonicalize"},
    {"per-dim-all-gather", VALUE_FLAG, "sdy-convert-global-to-local"},
    {"combine-multi-dimension-reduce-scatter", VALUE_FLAG, "sdy-convert-global-to-local"},
    {"enable-rgv3", VALUE_FLAG, "sdy-convert-global-to-local"},
    {"enable-halo-exchange", VALUE_FLAG,
     "sdy-resolve-permutation-factors sdy-per-instruction-partitioning"},
    {"filter", VALUE_TEXT, "sdy-per-instruction-partitioning"},
    {"replica-count", VALUE_COUNT,
     "sdy-convert-global-to-local sdy-resolve-permutation-factors sdy-insert-explicit-reshards "
     "sdy-per-instruction-partitioning sdy-resolve-single-device-sharding"},
    {"partition-count", VALUE_COUNT,
     "sdy-convert-global-to-local sdy-resolve-permutation-factors sdy-insert-explicit-reshards "
     "sdy-per-instruction-partitioning sdy-resolve-single-device-sharding"},
};

static bool is_word(const char *words, StrView word) {
    for (const char *at = words; *at;) {
        size_t size = strcspn(at, " ");
        if (strview_equal((StrView){at, size}, word)) return true;
        at += size + (at[size] == ' ');
    }
    return false;
}

static bool is_valid(OptionValue kind, StrView value) {
    int64_t count;
    switch (kind) {
    case VALUE_FLAG: return is_word("true false 1 0 True False TRUE FALSE", value);
    case VALUE_COUNT: return strview_to_int64(value, &count) && count >= 1;
    case VALUE_STRATEGY: return is_word("basic aggressive basic-then-aggressive", value);
    case VALUE_PATTERNS: return is_word("reshard collective", value);
    case VALUE_TEXT: return true;
    }
    return false;
}

static const char *check_option(const Pass *pass, const PassOption *option) {
    enum { OPTIONS = sizeof known_options / sizeof known_options[0] };
    for (int i = 0; i < OPTIONS; i++) {
        if (!strview_is(option->name, known_options[i].name) ||
            !is_word(known_options[i].passes, strview(pass->name)))
            continue;
        return is_valid(known_options[i].value, option->value) ? NULL
                                                               : "a wrong value of an option in";
    }
    return "an unknown option of the pass in";
}

static const char *check_options(const PassCall *call) {
    for (int i = 0; i < call->option_count; i++) {
        const char *problem = check_option(call->pass, &call->options[i]);
        for (int j = 0; j < i && !problem; j++) {
            if (strview_equal(call->options[i].name, call->options[j].name))
                problem = "an option is given twice in";
        }
        if (problem) return problem;
    }
    return NULL;
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
    return check_options(call);
}

bool opt_pass_run(const PassCall *call, Module *module, PassLog *log, Diags *diags) {
    PassContext context = {
        .scratch = arena_child(module->arena),
        .diags = diags,
        .log = log,
        .option_count = call->option_count,
        .options = call->options};
    return pass_run(call->pass, module, &context) && verify_module(module, diags);
}
