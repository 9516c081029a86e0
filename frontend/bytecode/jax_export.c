// jax_export: see jax_export.h.
//
// A flatbuffer's table begins with the distance back to its vtable: u16 size of the vtable, u16
// size of the table, then for each field where it is in the table (0: it is absent). What a
// field refers to lies forward, at a u32 distance; a vector begins with its u32 count. All
// numbers are little-endian. Every access is checked against the file's size. Fields are
// numbered as in JAX's serialization.fbs.
#include "frontend/bytecode/jax_export.h"

#include "frontend/bytecode/bytecode.h"
#include "ir/builder.h"

enum ExportedField {
    FIELD_DEVICES_16 = 6,
    FIELD_PLATFORMS = 9,
    FIELD_MODULE = 13,
    FIELD_DEVICES = 18
};

enum { MAX_PLATFORMS = 64 };

// ---- flatbuffers ----

typedef struct Flatbuffer {
    StrView bytes;
} Flatbuffer;

// The number of `size` bytes at `at`; false beyond the file.
static bool get_number(const Flatbuffer *buffer, uint64_t at, unsigned size, uint64_t *number) {
    if (at > buffer->bytes.size || size > buffer->bytes.size - at) return false;
    *number = 0;
    for (unsigned i = 0; i < size; i++)
        *number |= (uint64_t)(unsigned char)buffer->bytes.data[at + i] << (8 * i);
    return true;
}

// Where what the reference at `at` refers to lies.
static bool follow(const Flatbuffer *buffer, uint64_t at, uint64_t *target) {
    uint64_t distance;
    if (!get_number(buffer, at, 4, &distance)) return false;
    *target = at + distance;
    return distance > 0 && *target < buffer->bytes.size;
}

// Where field i of the table lies; false when it is absent.
static bool find_field(const Flatbuffer *buffer, uint64_t table, unsigned i, uint64_t *at) {
    uint64_t back, size, offset;
    if (!get_number(buffer, table, 4, &back)) return false;
    int64_t vtable = (int64_t)table - (int32_t)(uint32_t)back;
    if (vtable < 0 || !get_number(buffer, (uint64_t)vtable, 2, &size)) return false;
    uint64_t entry = 4 + 2 * (uint64_t)i;
    if (entry + 2 > size || !get_number(buffer, (uint64_t)vtable + entry, 2, &offset)) return false;
    *at = table + offset;
    return offset > 0;
}

// The vector in field i: where its elements begin, which have `size` bytes each.
static bool find_vector(
    const Flatbuffer *buffer, uint64_t table, unsigned i, unsigned size, uint64_t *at,
    uint64_t *count) {
    uint64_t field, vector;
    if (!find_field(buffer, table, i, &field) || !follow(buffer, field, &vector) ||
        !get_number(buffer, vector, 4, count))
        return false;
    *at = vector + 4;
    return *count <= (buffer->bytes.size - *at) / size;
}

static bool get_string(const Flatbuffer *buffer, uint64_t at, StrView *text) {
    uint64_t string, size;
    if (!follow(buffer, at, &string) || !get_number(buffer, string, 4, &size) ||
        size > buffer->bytes.size - string - 4)
        return false;
    *text = (StrView){buffer->bytes.data + string + 4, (size_t)size};
    return true;
}

// ---- the file ----

bool jax_export_open(Arena *arena, StrView contents, JaxExport *file) {
    Flatbuffer buffer = {contents};
    uint64_t root, at, count, devices = 0;
    *file = (JaxExport){0};
    if (contents.size < 16 || !follow(&buffer, 0, &root) ||
        !find_vector(&buffer, root, FIELD_MODULE, 1, &at, &count))
        return false;
    file->module = (StrView){contents.data + at, (size_t)count};
    if (!is_bytecode(file->module)) return false;
    if (find_field(&buffer, root, FIELD_DEVICES, &at))
        (void)get_number(&buffer, at, 4, &devices);
    else if (find_field(&buffer, root, FIELD_DEVICES_16, &at))
        (void)get_number(&buffer, at, 2, &devices);
    file->devices = (int64_t)devices;
    if (!find_vector(&buffer, root, FIELD_PLATFORMS, 4, &at, &count)) return true;
    if (count > MAX_PLATFORMS) return false;
    StrView *platforms = ARENA_ARRAY(arena, StrView, (int64_t)count + 1);
    for (uint64_t i = 0; i < count; i++) {
        if (!get_string(&buffer, at + 4 * i, &platforms[i])) return false;
    }
    file->platform_count = (int)count;
    file->platforms = platforms;
    return true;
}

// ---- what the file knows ----

static bool is_platform_index(const Op *func) {
    const Attr *dict = func_body(func)->arg_count > 0 ? func_arg_attrs(func, 0) : NULL;
    const Attr *name = dict ? attr_dict_get(dict, SV("jax.global_constant")) : NULL;
    return name && name->kind == ATTR_STRING && strview_is(name->text, "_platform_index");
}

// Argument 0 leaves the signature.
static void drop_first_arg(Module *module, Arena *scratch, Op *func) {
    Context *context = module->context;
    const Type *type = op_attr(func, NAME_FUNCTION_TYPE)->type;
    const Attr *dicts = op_attr(func, NAME_ARG_ATTRS);
    int inputs = type->input_count - 1, results = type->part_count - type->input_count;
    region_remove_arg(func_body(func), 0);
    if (dicts) {
        const Attr **kept = ARENA_ARRAY(scratch, const Attr *, dicts->count + 1);
        for (int i = 1; i < dicts->count; i++)
            kept[i - 1] = dicts->items[i];
        op_set_attr(
            module, func, NAME_ARG_ATTRS, inputs > 0 ? attr_array(context, inputs, kept) : NULL);
    }
    const Type *made =
        type_function(context, inputs, type->parts + 1, results, type->parts + type->input_count);
    op_set_attr(module, func, NAME_FUNCTION_TYPE, attr_type(context, made));
}

// A program for several platforms is told as its first argument on which it runs: "cpu" of the
// list.
static bool choose_platform(
    Module *module, Arena *scratch, const JaxExport *file, Op *func, Diags *diags) {
    int cpu = 0;
    while (cpu < file->platform_count && !strview_is(file->platforms[cpu], "cpu"))
        cpu++;
    if (cpu == file->platform_count) {
        StrBuf names = strbuf(scratch);
        for (int i = 0; i < file->platform_count; i++)
            strbuf_printf(&names, "%s%.*s", i ? ", " : "", SV_ARG(file->platforms[i]));
        diag_unsupported(
            diags, func->loc,
            "the program was exported for the platforms %.*s: add \"cpu\" to them",
            SV_ARG(strbuf_view(&names)));
        return false;
    }
    Value *index = func_body(func)->args[0];
    if (index->type->kind != TYPE_TENSOR || index->type->rank != 0 ||
        index->type->element != ELEMENT_I32) {
        diag_error(diags, func->loc, "the platform's index must be a tensor<i32>");
        return false;
    }
    Builder builder = builder_at_end(module, func_body(func));
    builder.before = func_body(func)->first;
    builder.loc = func->loc;
    value_replace_uses(index, build_splat_int(&builder, index->type, cpu));
    drop_first_arg(module, scratch, func);
    return true;
}

// Programs with symbolic dimensions call the function whose arguments have names.
static void name_args(Module *module, const Op *func) {
    Region *body = func_body(func);
    for (int i = 0; i < body->arg_count; i++) {
        Value *arg = body->args[i];
        for (const Use *use = arg->uses; use && loc_texts(arg->loc)->name.size == 0;
             use = use->next) {
            if (use->owner->code != OP_CALL) continue;
            const Op *callee = module_find_func(module, op_text(use->owner, NAME_CALLEE));
            if (callee && use_index(use) < func_body(callee)->arg_count &&
                loc_texts(func_body(callee)->args[use_index(use)]->loc)->name.size > 0)
                arg->loc = func_body(callee)->args[use_index(use)]->loc;
        }
    }
}

bool jax_export_finish(Module *module, Arena *scratch, const JaxExport *file, Diags *diags) {
    Op *func = module_entry(module, SV(""));
    if (!func || !func_body(func)) return true;
    if (is_platform_index(func) && !choose_platform(module, scratch, file, func, diags))
        return false;
    name_args(module, func);
    if (file->devices > 1 && module_device_count(module) == 1)
        op_set_extra(
            module, module->op, SV("mhlo.num_partitions"),
            attr_int(module->context, file->devices, ELEMENT_I32));
    return true;
}
