// What the evaluator says about an op that it cannot compute, and the two functions
// of ops without one of their own.
#include "ir/eval/eval_internal.h"

#include <stdarg.h>

bool eval_fail(Eval *eval, const Op *op, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    StrBuf text = strbuf(eval->diags->arena);
    strbuf_vprintf(&text, format, arguments);
    va_end(arguments);
    diag_error(eval->diags, op->loc, "'%.*s' op %s", SV_ARG(op->name), strbuf_cstring(&text));
    return false;
}

bool eval_unsupported(Eval *eval, const Op *op, const char *what) {
    diag_unsupported(
        eval->diags, op->loc, "'%.*s' op %s is not supported by the evaluator", SV_ARG(op->name),
        what);
    return false;
}

bool eval_absent(Eval *eval, const Op *op) {
    diag_unsupported(
        eval->diags, op->loc, "'%.*s' op is not supported by the evaluator", SV_ARG(op->name));
    return false;
}

bool eval_none(Eval *eval, const Op *op) {
    (void)eval;
    (void)op;
    return true;
}
