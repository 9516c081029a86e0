// JSON writer.
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH_LIMIT = 64 };

Json json_writer(StrBuf *out) { return (Json){.out = out}; }

static void separate(Json *json) {
    if (json->needs_comma[json->depth]) strbuf_putc(json->out, ',');
    json->needs_comma[json->depth] = true;
}

static void begin(Json *json, char bracket) {
    separate(json);
    strbuf_putc(json->out, bracket);
    assert(json->depth + 1 < DEPTH_LIMIT);
    json->depth++;
    json->needs_comma[json->depth] = false;
}

static void end(Json *json, char bracket) {
    assert(json->depth > 0);
    json->depth--;
    strbuf_putc(json->out, bracket);
}

void json_begin_object(Json *json) { begin(json, '{'); }
void json_end_object(Json *json) { end(json, '}'); }
void json_begin_array(Json *json) { begin(json, '['); }
void json_end_array(Json *json) { end(json, ']'); }

static void put_quoted(StrBuf *out, StrView text) {
    strbuf_putc(out, '"');
    for (size_t i = 0; i < text.size;) {
        size_t size = strview_utf8((StrView){text.data + i, text.size - i});
        unsigned char c = (unsigned char)text.data[i];
        if (size == 0)
            strbuf_puts(out, "\xEF\xBF\xBD");
        else if (c == '"' || c == '\\')
            strbuf_printf(out, "\\%c", c);
        else if (c == '\n')
            strbuf_puts(out, "\\n");
        else if (c == '\t')
            strbuf_puts(out, "\\t");
        else if (c < 0x20 || c == 0x7F)
            strbuf_printf(out, "\\u%04x", (unsigned)c);
        else
            strbuf_append(out, (StrView){text.data + i, size});
        i += size ? size : 1;
    }
    strbuf_putc(out, '"');
}

void json_key(Json *json, const char *key) {
    separate(json);
    put_quoted(json->out, strview(key));
    strbuf_putc(json->out, ':');
    json->needs_comma[json->depth] = false; // the value follows
}

void json_string(Json *json, StrView text) {
    separate(json);
    put_quoted(json->out, text);
}

void json_int(Json *json, int64_t number) {
    separate(json);
    strbuf_printf(json->out, "%lld", (long long)number);
}

void json_double(Json *json, double number) {
    if (!isfinite(number)) {
        json_null(json);
        return;
    }
    separate(json);
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    for (char *c = text; *c; c++) {
        if (*c == ',') *c = '.'; // the program's locale
    }
    strbuf_puts(json->out, text);
}

void json_bool(Json *json, bool value) {
    separate(json);
    strbuf_puts(json->out, value ? "true" : "false");
}

void json_null(Json *json) {
    separate(json);
    strbuf_puts(json->out, "null");
}
