// array_names: see array_names.h.
#include "ir/print/array_names.h"

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
    if (loc && says_something(loc->name)) return loc->name;
    return loc && says_something(loc->value_name) ? loc->value_name : (StrView){0};
}

static StrView own_result_name(const Op *func, int i) {
    const Attr *dict = func_result_attrs(func, i);
    const Attr *info = dict ? attr_dict_get(dict, SV("jax.result_info")) : NULL;
    StrView name = info && info->kind == ATTR_STRING ? info->text : (StrView){0};
    return says_something(name) ? name : (StrView){0};
}

typedef StrView OwnNameFn(const Op *func, int i);

static const char *unique_name(
    Arena *arena, const Op *func, int i, int count, OwnNameFn *own_name, const char *otherwise) {
    StrView name = own_name(func, i);
    for (int j = 0; j < count && name.size; j++) {
        if (j != i && strview_equal(own_name(func, j), name)) name.size = 0;
    }
    return name.size ? arena_cstring(arena, name) : arena_printf(arena, "%s%d", otherwise, i);
}

const char *argument_name(Arena *arena, const Op *func, int i) {
    int count = func_body(func)->arg_count;
    return unique_name(arena, func, i, count, own_argument_name, "arg");
}

const char *result_name(Arena *arena, const Op *func, int i) {
    int count = region_terminator(func_body(func))->operand_count;
    return unique_name(arena, func, i, count, own_result_name, "result");
}
