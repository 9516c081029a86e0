// api_write: modules in the notations that programs come in.
#include "api/build/api_build.h"
#include "frontend/bytecode/bytecode.h"
#include "frontend/export/hlo_writer.h"
#include "ir/pass/passes.h"
#include "ir/print/print.h"

#include <stdlib.h>
#include <string.h>

typedef struct Write {
    shardc_notation notation;
    char **bytes;
    size_t *size;
} Write;

// A copy of the module has GSPMD's shardings, for HLO knows no others.
static bool append_hlo(Call *call, StrBuf *out) {
    PassContext pass = {
        .module = module_clone(call->module->module, call->scratch),
        .scratch = arena_child(call->scratch),
        .diags = call->diags};
    return pass_run(&export_gspmd_pass, &pass) != PASS_FAILED &&
           write_hlo(pass.module, arena_child(call->scratch), out, call->diags);
}

static bool append_notation(Call *call, shardc_notation notation, StrBuf *out) {
    const Module *module = call->module->module;
    int target;
    switch (notation) {
    case SHARDC_NOTATION_MLIR: print_module(out, module, NULL); return true;
    case SHARDC_NOTATION_BYTECODE:
        return bytecode_target(SV("current"), &target) &&
               write_bytecode(module, call->scratch, target, out, call->diags);
    case SHARDC_NOTATION_HLO: return append_hlo(call, out);
    }
    return build_error(call, "notation is none: %d", (int)notation);
}

static bool write_module(Call *call, void *arguments) {
    const Write *write = arguments;
    if (!build_need(call, "bytes", write->bytes) || !build_need(call, "size", write->size))
        return false;
    StrBuf out = strbuf(call->scratch);
    if (!append_notation(call, write->notation, &out)) return false;
    char *made = malloc(out.size + 1);
    if (!made) return build_error(call, "there is no memory for %zu bytes", out.size);
    memcpy(made, out.data, out.size);
    made[out.size] = 0;
    *write->bytes = made;
    *write->size = out.size;
    return true;
}

shardc_status *shardc_module_write(
    shardc_module *module, shardc_notation notation, char **bytes, size_t *size) {
    if (bytes) *bytes = NULL;
    if (size) *size = 0;
    Write write = {notation, bytes, size};
    return call_module(__func__, module, write_module, &write);
}
