// The context: one arena, one interner of names, and the tables of interned objects.
#include "ir/context.h"

#include <stdarg.h>

typedef struct ObjectSlot {
    const void *object; // NULL = free
    uint64_t hash;
} ObjectSlot;

Context *context_create(Arena *arena) {
    Context *context = ARENA_NEW(arena, Context);
    context->arena = arena;
    context->interner = interner_create(arena);
    context->key = strbuf(arena);
    context->other = strbuf(arena);
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

// The first slot for the hash; the table is not full.
static uint64_t first_slot(const ObjectTable *table, uint64_t hash) {
    return hash & (table->capacity - 1);
}

static uint64_t next_slot(const ObjectTable *table, uint64_t slot) {
    return (slot + 1) & (table->capacity - 1);
}

// Is the object's key the one in context->key?
static bool has_key(Context *context, KeyWriter *write, const void *object) {
    StrBuf key = context->key;
    context->key = context->other;
    context->key.size = 0;
    write(context, object);
    context->other = context->key;
    context->key = key;
    return strview_equal(strbuf_view(&context->other), strbuf_view(&key));
}

const void *context_find(
    Context *context, KeyKind kind, KeyWriter *write, const void *prototype, uint64_t *hash) {
    context->key.size = 0;
    write(context, prototype);
    *hash = hash_bytes(context->key.data, context->key.size, 0);
    const ObjectTable *table = &context->objects[kind];
    if (table->count == 0) return NULL;
    for (uint64_t i = first_slot(table, *hash); table->slots[i].object; i = next_slot(table, i)) {
        const ObjectSlot *slot = &table->slots[i];
        if (slot->hash == *hash && has_key(context, write, slot->object)) return slot->object;
    }
    return NULL;
}

static void put(ObjectTable *table, const ObjectSlot *slot) {
    uint64_t i = first_slot(table, slot->hash);
    while (table->slots[i].object)
        i = next_slot(table, i);
    table->slots[i] = *slot;
    table->count++;
}

static void grow(Arena *arena, ObjectTable *table) {
    ObjectTable grown = {.capacity = table->capacity ? table->capacity * 2 : 32};
    grown.slots = ARENA_ARRAY(arena, ObjectSlot, (int64_t)grown.capacity);
    for (uint64_t i = 0; i < table->capacity; i++) {
        if (table->slots[i].object) put(&grown, &table->slots[i]);
    }
    arena_give_back(arena, table->slots, (size_t)table->capacity * sizeof *table->slots);
    *table = grown;
}

void context_add(Context *context, KeyKind kind, uint64_t hash, const void *object) {
    ObjectTable *table = &context->objects[kind];
    if (table->count >= table->capacity - table->capacity / 4) grow(context->arena, table);
    const ObjectSlot slot = {object, hash};
    put(table, &slot);
}
