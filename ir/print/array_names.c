// array_names: see array_names.h.
#include "ir/print/array_names.h"

#include "base/map.h"
#include "ir/attr.h"

enum { NAME_LIMIT = 1000 };

static bool is_digits(StrView text) {
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') return false;
    }
    return true;
}

// Numbers say nothing, and "arg1" could be the name that another argument is given.
static bool says_something(StrView name) {
    if (name.size == 0 || name.size > NAME_LIMIT || is_digits(name)) return false;
    static const char *const words[] = {"arg", "result"};
    for (int i = 0; i < 2; i++) {
        StrView word = strview(words[i]);
        if (strview_starts_with(name, word) &&
            is_digits((StrView){name.data + word.size, name.size - word.size}))
            return false;
    }
    for (size_t i = 0; i < name.size; i++) {
        if ((unsigned char)name.data[i] < ' ') return false;
    }
    return true;
}

static StrView own_argument_name(const Op *func, int i) {
    const Loc *loc = func_body(func)->args[i]->loc;
    const LocTexts *texts = loc_texts(loc);
    if (says_something(texts->name)) return texts->name;
    return says_something(texts->value_name) ? texts->value_name : (StrView){0};
}

static StrView own_result_name(const Op *func, int i) {
    const Attr *dict = func_result_attrs(func, i);
    const Attr *info = dict ? attr_dict_get(dict, SV("jax.result_info")) : NULL;
    StrView name = info && info->kind == ATTR_STRING ? info->text : (StrView){0};
    return says_something(name) ? name : (StrView){0};
}

typedef StrView OwnNameFn(const Op *func, int i);

static const char **unique_names(
    Arena *arena, const Op *func, int count, OwnNameFn *own_name, const char *otherwise) {
    const char **names = ARENA_ARRAY(arena, const char *, count + 1);
    int *first = ARENA_ARRAY(arena, int, count + 1); // the argument or result that has a name
    StrMap owners = str_map(arena);                  // a name to its place in first
    for (int i = 0; i < count; i++) {
        StrView name = own_name(func, i);
        if (name.size == 0) continue;
        int *owner = str_map_get(&owners, name);
        if (owner) {
            names[*owner] = NULL; // several have it
            continue;
        }
        first[i] = i;
        names[i] = arena_cstring(arena, name);
        str_map_set(&owners, name, &first[i]);
    }
    for (int i = 0; i < count; i++) {
        if (!names[i]) names[i] = arena_printf(arena, "%s%d", otherwise, i);
    }
    return names;
}

const char **argument_names(Arena *arena, const Op *func) {
    return unique_names(arena, func, func_body(func)->arg_count, own_argument_name, "arg");
}

const char **result_names(Arena *arena, const Op *func) {
    int count = region_terminator(func_body(func))->operand_count;
    return unique_names(arena, func, count, own_result_name, "result");
}
