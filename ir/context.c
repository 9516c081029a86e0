// The context: one arena, one interner, and the map from structural keys to interned objects.
#include "ir/context.h"

#include <stdarg.h>

Context *context_create(Arena *arena) {
    Context *context = ARENA_NEW(arena, Context);
    context->arena = arena;
    context->interner = interner_create(arena);
    context->objects = ptr_map(arena);
    context->key = strbuf(arena);
    return context;
}

StrView context_name(Context *context, StrView text) { return intern(context->interner, text); }

StrView context_name_printf(Context *context, const char *format, ...) {
    StrBuf *text = &context->key; // the memory of keys serves here too: no key is open
    text->size = 0;
    va_list arguments;
    va_start(arguments, format);
    strbuf_vprintf(text, format, arguments);
    va_end(arguments);
    return intern(context->interner, strbuf_view(text));
}

void context_key_begin(Context *context, KeyKind kind) {
    context->key.size = 0;
    strbuf_putc(&context->key, (char)kind);
}

void context_key_bytes(Context *context, const void *data, size_t size) {
    strbuf_append(&context->key, (StrView){(const char *)&size, sizeof size});
    if (size) strbuf_append(&context->key, (StrView){data, size});
}

void context_key_int(Context *context, int64_t number) {
    strbuf_append(&context->key, (StrView){(const char *)&number, sizeof number});
}

void context_key_double(Context *context, double number) {
    strbuf_append(&context->key, (StrView){(const char *)&number, sizeof number});
}

void context_key_pointer(Context *context, const void *pointer) {
    strbuf_append(&context->key, (StrView){(const char *)&pointer, sizeof pointer});
}

const void *context_key_find(Context *context, const void **key) {
    StrView view = strbuf_view(&context->key);
    *key = intern_bytes(context->interner, view.data, view.size);
    return ptr_map_get(&context->objects, *key);
}

void context_key_bind(Context *context, const void *key, void *object) {
    ptr_map_set(&context->objects, key, object);
}
