// status: immutable error objects of the C API, and the lists of diagnostics
// that statuses and modules have.
#include "api/api_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shardc_status {
    shardc_code code;
    int line, column;
    atomic_int owners;
    char *message, *report; // in the same allocation
    Diagnostics diagnostics;
};

static char out_of_memory_text[] = "out of memory";
static char out_of_memory_report[] = "error: out of memory\n";
static shardc_diagnostic out_of_memory_diagnostic = {
    SHARDC_ERROR, 0, 0, "", out_of_memory_text, out_of_memory_report};
static struct shardc_status out_of_memory = {
    .code = SHARDC_OUT_OF_MEMORY,
    .message = out_of_memory_text,
    .report = out_of_memory_report,
    .diagnostics = {1, &out_of_memory_diagnostic}};

shardc_status *status_out_of_memory(void) { return &out_of_memory; }

shardc_status *status_share(const shardc_status *status) {
    const union {
        const shardc_status *given;
        shardc_status *shared;
    } pointer = {status}; // nobody sees that a status has more owners
    if (status && pointer.shared != &out_of_memory) atomic_fetch_add(&pointer.shared->owners, 1);
    return pointer.shared;
}

// One allocation holds the struct and both texts.
static shardc_status *status_make(
    shardc_code code, int line, int column, StrView message, StrView report) {
    shardc_status *status = malloc(sizeof *status + message.size + report.size + 2);
    if (!status) return status_out_of_memory();
    *status = (shardc_status){.code = code, .line = line, .column = column, .owners = 1};
    status->message = (char *)(status + 1);
    memcpy(status->message, message.data, message.size);
    status->message[message.size] = 0;
    status->report = status->message + message.size + 1;
    memcpy(status->report, report.data, report.size);
    status->report[report.size] = 0;
    return status;
}

// Gives the status its only diagnostic, of which nobody knows the place.
static shardc_status *with_one_diagnostic(shardc_status *status) {
    shardc_diagnostic *only = malloc(sizeof *only);
    if (!only) {
        shardc_status_free(status);
        return status_out_of_memory();
    }
    *only = (shardc_diagnostic){SHARDC_ERROR, 0, 0, "", status->message, status->report};
    status->diagnostics = (Diagnostics){1, only};
    return status;
}

shardc_status *status_create(shardc_code code, const char *format, ...) {
    static const char prefix[] = "error: ";
    enum { PREFIX = sizeof prefix - 1 };
    char report[8192]; // the names of all passes are 2,500 bytes
    memcpy(report, prefix, sizeof prefix);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report + PREFIX, sizeof report - PREFIX - 1, format, arguments);
    va_end(arguments);
    size_t size = strlen(report);
    StrView message = {report + PREFIX, size - PREFIX};
    report[size] = '\n';
    shardc_status *status = status_make(code, 0, 0, message, (StrView){report, size + 1});
    return status == &out_of_memory ? status : with_one_diagnostic(status);
}

shardc_status *shardc_status_create(shardc_code code, const char *message) {
    return status_create(code, "%s", message ? message : "");
}

shardc_status *status_null(const char *call, const char *parameter) {
    return status_create(SHARDC_INVALID_INPUT, "%s: %s is NULL", call, parameter);
}

static shardc_severity severity_of(const Diag *diag) {
    switch (diag->severity) {
    case SEVERITY_ERROR: return SHARDC_ERROR;
    case SEVERITY_WARNING: return SHARDC_WARNING;
    case SEVERITY_NOTE: return SHARDC_NOTE;
    case SEVERITY_REMARK: return SHARDC_REMARK;
    }
    return SHARDC_ERROR;
}

// Copies a text, with a NUL, to where *room points, and moves *room behind it.
static const char *put_text(char **room, StrView text) {
    char *copy = *room;
    if (text.size) memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    *room += text.size + 1;
    return copy;
}

static StrView file_of(const Diags *diags, const Diag *diag) {
    StrView file = loc_file(diag->loc);
    return file.size ? file : diags->file;
}

// The texts are made in the list's arena, which may run out of memory, before there is anything to
// lose.
bool diagnostics_copy(const Diags *diags, Diagnostics *copy) {
    *copy = (Diagnostics){0};
    size_t size = 0, count = 0;
    for (const Diag *diag = diags->first; diag; diag = diag->next) {
        size += sizeof(shardc_diagnostic) + diag->message.size + file_of(diags, diag).size + 3;
        count++;
    }
    if (count == 0) return true;
    StrBuf text = strbuf(diags->arena);
    size_t *ends = ARENA_ARRAY(diags->arena, size_t, (int64_t)count);
    size_t i = 0, start = 0;
    for (const Diag *diag = diags->first; diag; diag = diag->next) {
        diag_print(&text, diags, diag);
        ends[i++] = text.size;
    }
    copy->items = malloc(size + text.size);
    if (!copy->items) return false;
    char *room = (char *)(copy->items + count);
    for (const Diag *diag = diags->first; diag; diag = diag->next) {
        const Loc *loc = diag->loc;
        StrView report = {text.data + start, ends[copy->count] - start};
        copy->items[copy->count] = (shardc_diagnostic){
            .severity = severity_of(diag),
            .line = loc ? loc->line : 0,
            .column = loc ? loc->column : 0,
            .file = put_text(&room, file_of(diags, diag)),
            .message = put_text(&room, diag->message),
            .report = put_text(&room, report)};
        start = ends[copy->count++];
    }
    return true;
}

void diagnostics_free(Diagnostics *diagnostics) {
    free(diagnostics->items);
    *diagnostics = (Diagnostics){0};
}

const shardc_diagnostic *diagnostics_list(const Diagnostics *diagnostics, size_t *count) {
    if (count) *count = diagnostics ? diagnostics->count : 0;
    return diagnostics && count ? diagnostics->items : NULL;
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
    Diagnostics diagnostics;
    if (!diagnostics_copy(diags, &diagnostics)) return status_out_of_memory();
    shardc_status *status = status_make(
        code_of(diags, first), first->loc ? first->loc->line : 0,
        first->loc ? first->loc->column : 0, first->message, strbuf_view(&report));
    if (status == &out_of_memory) {
        diagnostics_free(&diagnostics);
    } else {
        status->diagnostics = diagnostics;
    }
    return status;
}

const shardc_diagnostic *shardc_status_diagnostics(const shardc_status *status, size_t *count) {
    return diagnostics_list(status ? &status->diagnostics : NULL, count);
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
    if (!owned || owned == &out_of_memory || atomic_fetch_sub(&owned->owners, 1) > 1) return;
    diagnostics_free(&owned->diagnostics);
    free(owned);
}
