// Diagnostics: collecting, and printing with the source line and a caret.
#include "base/diag.h"

enum {
    LINE_WIDTH = 160, // bytes of the source line that are shown around the column
    LEAD = 100        // of these, at most so many before the column
};

Diags *diags_create(Arena *arena) {
    Diags *diags = ARENA_NEW(arena, Diags);
    diags->arena = arena;
    return diags;
}

// Appends text without control characters and without bytes that are no UTF-8: those become \xNN.
static void append_visible(StrBuf *out, StrView text) {
    for (size_t i = 0; i < text.size;) {
        size_t size = strview_utf8((StrView){text.data + i, text.size - i});
        unsigned char c = (unsigned char)text.data[i];
        if (c == '\t')
            strbuf_putc(out, ' ');
        else if (size == 0 || c < 0x20 || c == 0x7F)
            strbuf_printf(out, "\\x%02x", (unsigned)c);
        else
            strbuf_append(out, (StrView){text.data + i, size});
        i += size ? size : 1;
    }
}

__attribute__((format(printf, 5, 0))) static void add(
    Diags *diags, Severity severity, bool unsupported, const Loc *loc, const char *format,
    va_list arguments) {
    if (severity == SEVERITY_ERROR) {
        diags->error_count++;
        diags->has_unsupported |= unsupported;
    }
    bool beyond_limit = diags->error_count > DIAG_LIMIT;
    if (beyond_limit && (severity == SEVERITY_ERROR || severity == SEVERITY_NOTE)) return;
    StrBuf raw = strbuf(diags->arena), message = strbuf(diags->arena);
    strbuf_vprintf(&raw, format, arguments);
    append_visible(&message, strbuf_view(&raw));
    Diag *diag = ARENA_NEW(diags->arena, Diag);
    *diag = (Diag){severity, unsupported, loc, strbuf_view(&message), NULL};
    if (diags->last)
        diags->last->next = diag;
    else
        diags->first = diag;
    diags->last = diag;
}

void diag_error(Diags *diags, const Loc *loc, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(diags, SEVERITY_ERROR, false, loc, format, arguments);
    va_end(arguments);
}

void diag_warning(Diags *diags, const Loc *loc, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(diags, SEVERITY_WARNING, false, loc, format, arguments);
    va_end(arguments);
}

void diag_note(Diags *diags, const Loc *loc, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(diags, SEVERITY_NOTE, false, loc, format, arguments);
    va_end(arguments);
}

void diag_remark(Diags *diags, const Loc *loc, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(diags, SEVERITY_REMARK, false, loc, format, arguments);
    va_end(arguments);
}

void diag_unsupported(Diags *diags, const Loc *loc, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(diags, SEVERITY_ERROR, true, loc, format, arguments);
    va_end(arguments);
}

__attribute__((format(printf, 5, 6))) static void add_as(
    Diags *diags, Severity severity, bool unsupported, const Loc *loc, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(diags, severity, unsupported, loc, format, arguments);
    va_end(arguments);
}

void diags_append(Diags *diags, const Diags *from) {
    for (const Diag *diag = from->first; diag; diag = diag->next)
        add_as(diags, diag->severity, diag->unsupported, diag->loc, "%.*s", SV_ARG(diag->message));
}

static const char *severity_word(Severity severity) {
    switch (severity) {
    case SEVERITY_ERROR: return "error";
    case SEVERITY_WARNING: return "warning";
    case SEVERITY_NOTE: return "note";
    case SEVERITY_REMARK: return "remark";
    }
    return "error";
}

// "FILE:LINE:COL: ", as much of it as is known; "FILE:byte N: " of a binary file.
static void print_place(StrBuf *out, StrView file, int32_t line, int32_t column, int64_t offset) {
    if (file.size)
        append_visible(out, file);
    else
        strbuf_puts(out, "<program>");
    if (line <= 0 && offset > 0) strbuf_printf(out, ":byte %lld", (long long)offset);
    if (line > 0) strbuf_printf(out, ":%d", line);
    if (line > 0 && column > 0) strbuf_printf(out, ":%d", column);
    strbuf_puts(out, ": ");
}

static StrView find_line(StrView text, int32_t line) {
    const char *start = text.data, *end = text.data + text.size;
    for (int32_t i = 1; start && i < line; i++) {
        const char *newline = memchr(start, '\n', (size_t)(end - start));
        start = newline ? newline + 1 : NULL;
    }
    if (!start || start == end) return (StrView){0};
    const char *newline = memchr(start, '\n', (size_t)(end - start));
    size_t size = (size_t)((newline ? newline : end) - start);
    if (size && start[size - 1] == '\r') size--;
    return (StrView){start, size};
}

static size_t visible_columns(StrView text) {
    size_t columns = 0;
    for (size_t i = 0; i < text.size; i++)
        columns += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    return columns;
}

static bool is_continuation(StrView text, size_t i) {
    return i < text.size && ((unsigned char)text.data[i] & 0xC0) == 0x80;
}

// The source line, cut to LINE_WIDTH bytes around the column, and a caret below the column.
static void print_source(StrBuf *out, StrView line, int32_t column) {
    size_t place = column > 0 ? (size_t)column - 1 : 0;
    if (place > line.size) place = line.size;
    size_t from = place > LEAD && line.size > LINE_WIDTH ? place - LEAD : 0;
    size_t to = line.size - from > LINE_WIDTH ? from + LINE_WIDTH : line.size;
    for (int i = 0; i < 3 && is_continuation(line, from) && from < place; i++)
        from++;
    for (int i = 0; i < 3 && is_continuation(line, to); i++)
        to++;
    size_t start = out->size;
    strbuf_puts(out, from ? "  ..." : "  ");
    append_visible(out, (StrView){line.data + from, place - from});
    StrView lead = {out->data + start, out->size - start};
    size_t caret = visible_columns(lead);
    append_visible(out, (StrView){line.data + place, to - place});
    strbuf_puts(out, to < line.size ? "...\n" : "\n");
    if (column <= 0) return;
    for (size_t i = 0; i < caret; i++)
        strbuf_putc(out, ' ');
    strbuf_puts(out, "^\n");
}

void diag_print(StrBuf *out, const Diags *diags, const Diag *diag) {
    const Loc *loc = diag->loc;
    const LocTexts *texts = loc_texts(loc);
    if (loc)
        print_place(
            out, texts->file.size ? texts->file : diags->file, loc->line, loc->column, loc->offset);
    else if (diags->file.size)
        print_place(out, diags->file, 0, 0, 0);
    strbuf_printf(out, "%s: ", severity_word(diag->severity));
    append_visible(out, diag->message);
    strbuf_putc(out, '\n');
    if (!loc) return;
    bool same_file = texts->file.size == 0 || strview_equal(texts->file, diags->file);
    if (loc->line > 0 && same_file && diags->text.size) {
        StrView line = find_line(diags->text, loc->line);
        if (line.size) print_source(out, line, loc->column);
    }
    if (texts->model_file.size) {
        print_place(out, texts->model_file, texts->model_line, texts->model_column, 0);
        strbuf_puts(out, "note: written here");
        if (texts->name.size) {
            strbuf_puts(out, " (");
            append_visible(out, texts->name);
            strbuf_putc(out, ')');
        }
        strbuf_putc(out, '\n');
    }
}
