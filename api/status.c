// status: immutable error objects of the C API.
#include "api/api_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shardc_status {
    shardc_code code;
    int line, column;
    char *message, *report; // in the same allocation
};

static char out_of_memory_text[] = "out of memory";
static char out_of_memory_report[] = "error: out of memory\n";
static struct shardc_status out_of_memory = {
    SHARDC_OUT_OF_MEMORY, 0, 0, out_of_memory_text, out_of_memory_report};

shardc_status *status_out_of_memory(void) { return &out_of_memory; }

// One allocation holds the struct and both texts.
static shardc_status *status_make(
    shardc_code code, int line, int column, StrView message, StrView report) {
    shardc_status *status = malloc(sizeof *status + message.size + report.size + 2);
    if (!status) return status_out_of_memory();
    *status = (shardc_status){.code = code, .line = line, .column = column};
    status->message = (char *)(status + 1);
    memcpy(status->message, message.data, message.size);
    status->message[message.size] = 0;
    status->report = status->message + message.size + 1;
    memcpy(status->report, report.data, report.size);
    status->report[report.size] = 0;
    return status;
}

shardc_status *status_create(shardc_code code, const char *format, ...) {
    char message[1024];
    char report[1100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(report, sizeof report, "error: %s\n", message);
    return status_make(code, 0, 0, strview(message), strview(report));
}

static shardc_code code_of(const Diags *diags, const Diag *first) {
    if (!diags->has_unsupported) return SHARDC_INVALID_INPUT;
    for (const Diag *diag = first; diag; diag = diag->next) {
        if (diag->severity == SEVERITY_ERROR && !diag->unsupported) return SHARDC_INVALID_INPUT;
    }
    return SHARDC_UNSUPPORTED;
}

shardc_status *status_from_diags(const Diags *diags) {
    const Diag *first = diags->first;
    while (first && first->severity != SEVERITY_ERROR)
        first = first->next;
    if (!first) {
        return status_create(SHARDC_INTERNAL, "a phase failed without a diagnostic");
    }
    StrBuf report = strbuf(diags->arena);
    for (const Diag *diag = diags->first; diag; diag = diag->next) {
        diag_print(&report, diags, diag);
    }
    return status_make(
        code_of(diags, first), first->loc ? first->loc->line : 0,
        first->loc ? first->loc->column : 0, first->message, strbuf_view(&report));
}

shardc_code shardc_status_code(const shardc_status *status) {
    return status ? status->code : SHARDC_OK;
}

const char *shardc_status_message(const shardc_status *status) {
    return status ? status->message : "";
}

const char *shardc_status_report(const shardc_status *status) {
    return status ? status->report : "";
}

int shardc_status_line(const shardc_status *status, int *column) {
    if (column) *column = status ? status->column : 0;
    return status ? status->line : 0;
}

void shardc_status_free(shardc_status *owned) {
    if (owned != &out_of_memory) free(owned);
}
