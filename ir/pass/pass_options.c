// pass_options: how options of passes are written, what they may be, and their values.
#include "ir/pass/pass.h"

#include <assert.h>
#include <string.h>

// ---- reading

// The size of the option at the start of a text: up to a blank, quotes and braces in between
// skipped.
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

int pass_options_read(StrView text, int most, PassOption *options) {
    int count = 0;
    while (text.size > 0) {
        StrView rest = {text.data, option_size(text)};
        text.data += rest.size;
        text.size -= rest.size;
        if (rest.size == 0) { // a blank
            text.data++;
            text.size--;
            continue;
        }
        if (count == most) return -1;
        PassOption *option = &options[count++];
        const char *equals = memchr(rest.data, '=', rest.size);
        size_t name_size = equals ? (size_t)(equals - rest.data) : rest.size;
        option->name = (StrView){rest.data, name_size};
        option->value =
            equals ? unquoted((StrView){equals + 1, rest.size - name_size - 1}) : SV("true");
    }
    return count;
}

// ---- checking

static const PassOptionInfo *find_option(const Pass *pass, StrView name) {
    for (const PassOptionInfo *info = pass->options; info->name; info++) {
        if (strview_is(name, info->name)) return info;
    }
    return NULL;
}

static bool is_word(const char *words, StrView word) {
    for (const char *at = words; *at;) {
        size_t size = strcspn(at, " ");
        if (strview_equal((StrView){at, size}, word)) return true;
        at += size + (at[size] == ' ');
    }
    return false;
}

static const char true_words[] = "true 1 True TRUE";
static const char false_words[] = "false 0 False FALSE";

static bool is_valid(const PassOptionInfo *info, StrView value) {
    int64_t count;
    switch (info->kind) {
    case PASS_FLAG: return is_word(true_words, value) || is_word(false_words, value);
    case PASS_COUNT: return strview_to_int64(value, &count) && count >= 1;
    case PASS_WORD: return is_word(info->words, value);
    case PASS_TEXT: return true;
    }
    return false;
}

static const char *kind_text(const PassOptionInfo *info) {
    switch (info->kind) {
    case PASS_FLAG: return "true or false";
    case PASS_COUNT: return "a number from 1";
    case PASS_WORD: return info->words;
    case PASS_TEXT: return "";
    }
    return "";
}

static void say_unknown(const Pass *pass, StrView name, StrBuf *problem) {
    strbuf_printf(problem, "--%s has no option '%.*s'; ", pass->name, SV_ARG(name));
    strbuf_puts(problem, pass->options->name ? "its options are:" : "it has none");
    for (const PassOptionInfo *info = pass->options; info->name; info++)
        strbuf_printf(problem, "%s %s", info == pass->options ? "" : ",", info->name);
}

bool pass_options_check(const Pass *pass, int count, const PassOption *options, StrBuf *problem) {
    for (int i = 0; i < count; i++) {
        const PassOption *option = &options[i];
        const PassOptionInfo *info = find_option(pass, option->name);
        if (!info) {
            say_unknown(pass, option->name, problem);
            return false;
        }
        if (!is_valid(info, option->value)) {
            strbuf_printf(
                problem, "--%s: the option '%s' cannot be '%.*s'; expected: %s", pass->name,
                info->name, SV_ARG(option->value), kind_text(info));
            return false;
        }
        for (int j = 0; j < i; j++) {
            if (!strview_equal(option->name, options[j].name)) continue;
            strbuf_printf(problem, "--%s: the option '%s' is given twice", pass->name, info->name);
            return false;
        }
    }
    return true;
}

// ---- values

StrView pass_option(const PassContext *pass, const char *name) {
    const PassOptionInfo *info = find_option(pass->pass, strview(name));
    assert(info && "passes.def lists the option");
    for (int i = 0; i < pass->option_count; i++) {
        if (strview_is(pass->options[i].name, name)) return pass->options[i].value;
    }
    return strview(info->otherwise);
}

bool pass_flag(const PassContext *pass, const char *name) {
    return is_word(true_words, pass_option(pass, name));
}

int64_t pass_count(const PassContext *pass, const char *name) {
    int64_t count = 1;
    (void)strview_to_int64(pass_option(pass, name), &count);
    return count;
}
