// constant_arguments: which arguments the caller declares constant, from a text to a mark on @main.
//
//     ITEM,ITEM...    ITEM: a name; NAME*: all names that begin so; a number, from 0;
//                     FIRST-LAST; all (that are not donated)
//
// Commas inside of brackets and quotes belong to a name ("params['a,b']"). A name comes before what
// else the item may mean.
#include "codegen/compile.h"
#include "ir/print/array_names.h"

typedef struct ArgumentList {
    const DeviceProgram *program;
    const char *const *names;
    bool *constant; // [arguments]
    Diags *diags;
    StrView text; // all of it
} ArgumentList;

// What is before the next comma that separates items; *rest is what follows it.
static StrView next_item(StrView text, StrView *rest) {
    int depth = 0;
    char quote = 0;
    size_t size = 0;
    for (; size < text.size; size++) {
        char c = text.data[size];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (c == '[' || c == '(')
            depth++;
        else if (c == ']' || c == ')')
            depth--;
        else if (c == ',' && depth <= 0)
            break;
    }
    *rest = size < text.size ? (StrView){text.data + size + 1, text.size - size - 1} : (StrView){0};
    return (StrView){text.data, size};
}

static StrView trimmed(StrView text) {
    while (text.size && text.data[0] == ' ')
        text = (StrView){text.data + 1, text.size - 1};
    while (text.size && text.data[text.size - 1] == ' ')
        text.size--;
    return text;
}

// The names that there are, as far as a message has room for them.
static const char *all_names(const ArgumentList *list) {
    enum { MOST_NAMES = 20 };
    int count = list->program->arg_count;
    StrBuf text = strbuf(list->diags->arena);
    if (count == 0) return "the program has none";
    strbuf_puts(&text, "there are ");
    for (int i = 0; i < count && i < MOST_NAMES; i++)
        strbuf_printf(&text, "%s%d %s", i ? ", " : "", i, list->names[i]);
    if (count > MOST_NAMES) strbuf_printf(&text, " ... %d %s", count - 1, list->names[count - 1]);
    return strbuf_cstring(&text);
}

static bool refuse(const ArgumentList *list, StrView item, const char *why) {
    diag_error(
        list->diags, list->program->main->loc, "constant arguments '%.*s': '%.*s' %s",
        SV_ARG(list->text), SV_ARG(item), why);
    return false;
}

static bool is_donated(const ArgumentList *list, int i) {
    const GlobalLayout *layout = &list->program->args[i];
    return layout->donated || layout->alias >= 0;
}

static bool choose(ArgumentList *list, StrView item, int64_t first, int64_t last) {
    for (int64_t i = first; i <= last; i++) {
        if (is_donated(list, (int)i)) {
            const char *why = arena_printf(
                list->diags->arena, "is donated, and may be overwritten: argument %lld, %s",
                (long long)i, list->names[i]);
            return refuse(list, item, why);
        }
        list->constant[i] = true;
    }
    return true;
}

// All names, or beginnings of names, that are the item.
static bool choose_named(ArgumentList *list, StrView item, bool *found) {
    bool is_beginning = item.size > 1 && item.data[item.size - 1] == '*';
    StrView beginning = {item.data, item.size - is_beginning};
    *found = false;
    for (int i = 0; i < list->program->arg_count; i++) {
        StrView name = strview(list->names[i]);
        bool fits =
            strview_equal(name, item) || (is_beginning && strview_starts_with(name, beginning));
        if (!fits) continue;
        *found = true;
        if (!choose(list, item, i, i)) return false;
    }
    return true;
}

static bool choose_all(ArgumentList *list) {
    for (int i = 0; i < list->program->arg_count; i++)
        list->constant[i] = !is_donated(list, i);
    return true;
}

// "3" or "2-5".
static bool read_range(StrView item, int64_t *first, int64_t *last) {
    for (size_t i = 0; i < item.size; i++) {
        char c = item.data[i];
        if ((c < '0' || c > '9') && (c != '-' || i == 0)) return false;
    }
    const char *dash = memchr(item.data, '-', item.size);
    if (!dash) return strview_to_int64(item, first) && strview_to_int64(item, last);
    size_t before = (size_t)(dash - item.data);
    return strview_to_int64((StrView){item.data, before}, first) &&
           strview_to_int64((StrView){dash + 1, item.size - before - 1}, last);
}

static bool add_item(ArgumentList *list, StrView item) {
    int64_t first, last;
    bool found;
    if (item.size == 0) return refuse(list, item, "is empty: a name, a number, FIRST-LAST or all");
    if (!choose_named(list, item, &found)) return false;
    if (found) return true;
    if (strview_is(item, "all")) return choose_all(list);
    if (!read_range(item, &first, &last)) {
        const char *why = arena_printf(list->diags->arena, "is no argument: %s", all_names(list));
        return refuse(list, item, why);
    }
    if (last >= list->program->arg_count) {
        const char *why =
            arena_printf(list->diags->arena, "is beyond the last argument: %s", all_names(list));
        return refuse(list, item, why);
    }
    if (first > last) return refuse(list, item, "ends before it begins");
    return choose(list, item, first, last);
}

bool mark_constant_arguments(const Compile *compile) {
    const DeviceProgram *program = compile->program;
    Module *module = program->module;
    StrView mark = context_name(module->context, SV(CONSTANT_ARGUMENTS));
    op_set_extra(module, program->main, mark, NULL); // the caller says it, no text
    if (!compile->options->constant_arguments) return true;
    Arena *arena = compile->arena;
    ArgumentList list = {
        .program = program,
        .names = argument_names(arena, program->main),
        .constant = ARENA_ARRAY(arena, bool, program->arg_count + 1),
        .diags = compile->diags,
        .text = strview(compile->options->constant_arguments),
    };
    StrView rest = list.text;
    do {
        StrView item = trimmed(next_item(rest, &rest));
        if (!add_item(&list, item)) return false;
    } while (rest.data);
    int64_t *numbers = ARENA_ARRAY(arena, int64_t, program->arg_count + 1);
    int count = 0;
    for (int i = 0; i < program->arg_count; i++) {
        if (list.constant[i]) numbers[count++] = i;
    }
    op_set_extra(
        module, program->main, mark, count ? attr_ints(module->context, count, numbers) : NULL);
    return true;
}
