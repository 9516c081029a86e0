// run_inputs: where the inputs of `shardc run` come from: files, by place or by name, archives, a
// folder; or drawn from the seed.
#include "base/file.h"
#include "base/float_formats.h"
#include "frontend/frontend.h"
#include "ir/legalize/refine_ops.h"
#include "ir/refine/refine.h"
#include "tools/npy/npy.h"
#include "tools/npy/npz.h"
#include "tools/run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void *tool_alloc_array(Tool *tool, const Type *type) {
    if (type->kind == TYPE_TOKEN) return NULL;
    size_t bytes = type_bytes(type);
    void *data = arena_alloc_aligned(tool->arena, bytes + 64, pages_alignment(bytes));
    pages_prepare(data, bytes);
    memset(data, 0, bytes); // fresh pages would cost more than the arithmetic
    return data;
}

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double next_uniform(uint64_t *state) {
    return ((double)(next_random(state) >> 11) + 0.5) * 0x1p-53;
}

// Normal with deviation 0.1, by Box and Muller.
static double next_normal(uint64_t *state) {
    double radius = sqrt(-2 * log(next_uniform(state)));
    return 0.1 * radius * cos(6.283185307179586 * next_uniform(state));
}

static void store_float(ElementType element, void *data, int64_t i, double number) {
    uint64_t bits = float_encode(element_float_format(element), number);
    switch (element_bytes(element)) {
    case 1: ((uint8_t *)data)[i] = (uint8_t)bits; break;
    case 2: ((uint16_t *)data)[i] = (uint16_t)bits; break;
    case 4: ((uint32_t *)data)[i] = (uint32_t)bits; break;
    default: ((uint64_t *)data)[i] = bits; break;
    }
}

static void draw(const Type *type, void *data, uint64_t seed) {
    uint64_t state = seed;
    int64_t count = type_element_count(type);
    ElementType real = element_real_part(type->element);
    int64_t parts = real == type->element ? 1 : 2;
    for (int64_t i = 0; i < count * parts; i++) {
        if (element_is_float(real)) {
            store_float(real, data, i, next_normal(&state));
            continue;
        }
        size_t bytes = element_bytes(real);
        uint64_t mask = element_class(real) == CLASS_BOOL || element_bits(real) <= 2 ? 1 : 7;
        uint64_t number = next_random(&state) >> 32 & mask;
        memcpy((char *)data + (size_t)i * bytes, &number, bytes); // little endian
    }
}

// ---- tuples

static int leaf_count(const Type *type) {
    if (type->kind != TYPE_TUPLE) return 1;
    int count = 0;
    for (int i = 0; i < type->part_count; i++)
        count += leaf_count(type->parts[i]);
    return count;
}

// name[0], name[1] ... of a tuple.
static RunArray *append_leaves(Tool *tool, RunArray *to, const Type *type, const char *name) {
    if (type->kind != TYPE_TUPLE) {
        *to = (RunArray){.type = type, .name = name};
        return to + 1;
    }
    for (int i = 0; i < type->part_count; i++)
        to = append_leaves(tool, to, type->parts[i], arena_printf(tool->arena, "%s[%d]", name, i));
    return to;
}

RunArray *run_leaves(Tool *tool, const RunArray *values, int count, int *leaves) {
    *leaves = 0;
    for (int i = 0; i < count; i++)
        *leaves += leaf_count(values[i].type);
    RunArray *arrays = ARENA_ARRAY(tool->arena, RunArray, *leaves + 1), *end = arrays;
    for (int i = 0; i < count; i++)
        end = append_leaves(tool, end, values[i].type, values[i].name);
    return arrays;
}

// ---- files

// A file's bytes for an input.
typedef struct Binding {
    const char *origin; // its name; NULL: the input has none yet
    StrView contents;
} Binding;

// Files that were read: a pipe gives its bytes only once, and a program may be bound twice.
typedef struct KnownFile {
    const char *path;
    StrView contents;
    struct KnownFile *next;
} KnownFile;

// Who the files are for.
typedef struct Binder {
    Tool *tool;
    KnownFile **known;
    const RunArray *inputs;
    int count, next; // inputs; where the next file without a name goes
    Binding *bindings;
} Binder;

// Tokens have no array.
static bool takes_file(const RunArray *input) { return input->type->kind != TYPE_TOKEN; }

static int file_count(const RunArray *inputs, int count) {
    int files = 0;
    for (int i = 0; i < count; i++)
        files += takes_file(&inputs[i]);
    return files;
}

static bool has_files(const RunOptions *options) {
    return options->in.count > 0 || options->in_dir != NULL;
}

static bool read_once(Binder *binder, const char *path, StrView *contents, const char **error) {
    for (const KnownFile *file = *binder->known; file; file = file->next) {
        if (strcmp(file->path, path) != 0) continue;
        *contents = file->contents;
        return true;
    }
    if (!file_read(binder->tool->arena, path, contents, error)) return false;
    KnownFile *file = ARENA_NEW(binder->tool->arena, KnownFile);
    *file = (KnownFile){path, *contents, *binder->known};
    *binder->known = file;
    return true;
}

// "w" of input w, or "arg2", "in2", "arr_2" of input 2.
static int find_input(const Binder *binder, StrView name) {
    for (int i = 0; i < binder->count; i++) {
        if (strview_is(name, binder->inputs[i].name) && takes_file(&binder->inputs[i])) return i;
    }
    static const char *const prefixes[] = {"arg", "in", "arr_"};
    for (int k = 0; k < 3; k++) {
        StrView prefix = strview(prefixes[k]);
        int64_t number;
        if (!strview_starts_with(name, prefix)) continue;
        StrView rest = {name.data + prefix.size, name.size - prefix.size};
        bool is_number = rest.size > 0 && rest.data[0] >= '0' && rest.data[0] <= '9';
        if (is_number && strview_to_int64(rest, &number) && number < binder->count &&
            takes_file(&binder->inputs[number]))
            return (int)number;
    }
    return -1;
}

static bool bind(Binder *binder, int input, const char *origin, StrView contents) {
    Binding *binding = &binder->bindings[input];
    if (binding->origin) {
        fprintf(
            stderr, "shardc: error: input %d (%s) is given twice: %s and %s\n", input,
            binder->inputs[input].name, binding->origin, origin);
        return false;
    }
    *binding = (Binding){origin, contents};
    return true;
}

static bool no_input(const Binder *binder, const char *origin, StrView name) {
    StrBuf names = strbuf(binder->tool->arena);
    enum { MOST = 20 };
    for (int i = 0; i < binder->count && i < MOST; i++) {
        if (i > 0) strbuf_puts(&names, ", ");
        strbuf_puts(&names, binder->inputs[i].name);
    }
    if (binder->count > MOST) strbuf_puts(&names, ", ...");
    fprintf(
        stderr, "shardc: error: %s: there is no input '%.*s': the program has %s\n", origin,
        SV_ARG(name), binder->count ? strbuf_cstring(&names) : "none");
    return false;
}

static bool bind_archive(Binder *binder, const char *path, StrView file) {
    Arena *arena = binder->tool->arena;
    NpzEntry *entries;
    int count;
    const char *problem = npz_entries(arena, file, &entries, &count);
    for (int i = 0; i < count && !problem; i++) {
        StrView contents;
        int input = find_input(binder, entries[i].name);
        if (input < 0) return no_input(binder, path, entries[i].name);
        const char *origin = arena_printf(arena, "%s[%.*s]", path, SV_ARG(entries[i].name));
        problem = npz_extract(arena, &entries[i], &contents);
        if (!problem && !bind(binder, input, origin, contents)) return false;
    }
    if (problem) fprintf(stderr, "shardc: error: %s: %s\n", path, problem);
    return !problem;
}

// NAME=FILE, where an input has that name; names may contain '='. A path that exists is one as a
// whole.
static int named_input(const Binder *binder, const char *text, const char **path) {
    *path = text;
    if (access(text, F_OK) == 0) return -1;
    for (const char *at = strchr(text, '='); at; at = strchr(at + 1, '=')) {
        int input = find_input(binder, (StrView){text, (size_t)(at - text)});
        if (input < 0) continue;
        *path = at + 1;
        return input;
    }
    return -1;
}

static bool bind_file(Binder *binder, const char *text) {
    const char *path, *error = NULL;
    StrView file;
    int input = named_input(binder, text, &path);
    const char *equals = strchr(text, '=');
    if (input < 0 && equals && access(text, F_OK) != 0)
        return no_input(binder, text, (StrView){text, (size_t)(equals - text)});
    if (!read_once(binder, path, &file, &error)) {
        int number = input < 0 ? binder->next : input;
        fprintf(stderr, "shardc: error: input %d: %s\n", number, error);
        return false;
    }
    if (npz_is_archive(file) && input < 0) return bind_archive(binder, path, file);
    if (input >= 0) return bind(binder, input, path, file);
    while (binder->next < binder->count &&
           (binder->bindings[binder->next].origin || !takes_file(&binder->inputs[binder->next])))
        binder->next++;
    if (binder->next < binder->count) return bind(binder, binder->next++, path, file);
    binder->next++; // one too many: the caller counts
    return true;
}

// NAME.npy, or argN.npy, or inN.npy.
static bool bind_folder(Binder *binder, const char *folder) {
    Arena *arena = binder->tool->arena;
    for (int i = 0; i < binder->count; i++) {
        if (binder->bindings[i].origin || !takes_file(&binder->inputs[i])) continue;
        const char *name = binder->inputs[i].name;
        const char *const paths[] = {
            arena_printf(arena, "%s/%s.npy", folder, name),
            arena_printf(arena, "%s/arg%d.npy", folder, i),
            arena_printf(arena, "%s/in%d.npy", folder, i)};
        int found = strchr(name, '/') ? 1 : 0; // the name of an array is no path
        while (found < 2 && access(paths[found], F_OK) != 0)
            found++;
        StrView file;
        const char *error = NULL;
        if (!read_once(binder, paths[found], &file, &error)) {
            fprintf(
                stderr, "shardc: error: input %d: %s (%s.npy and arg%d.npy were looked for, too)\n",
                i, error, name, i);
            return false;
        }
        if (!bind(binder, i, paths[found], file)) return false;
    }
    return true;
}

// Every input gets a file. False after printing what is wrong.
static bool bind_inputs(
    Tool *tool, const RunOptions *options, const RunArray *inputs, int count, Binding *bindings) {
    Binder binder = {
        .tool = tool,
        .known = options->known_files,
        .inputs = inputs,
        .count = count,
        .bindings = bindings};
    // those with names first: what has none takes the places that are left
    for (int by_place = 0; by_place < 2; by_place++) {
        for (int i = 0; i < options->in.count; i++) {
            const char *path;
            bool has_name = named_input(&binder, options->in.items[i], &path) >= 0;
            if (has_name == (by_place == 0) && !bind_file(&binder, options->in.items[i]))
                return false;
        }
    }
    if (options->in_dir && !bind_folder(&binder, options->in_dir)) return false;
    int given = 0, missing = -1;
    for (int i = count - 1; i >= 0; i--) {
        given += bindings[i].origin != NULL;
        if (!bindings[i].origin && takes_file(&inputs[i])) missing = i;
    }
    int over = binder.next > count ? binder.next - count : 0;
    if (missing < 0 && over == 0) return true;
    fprintf(
        stderr, "shardc: error: %d inputs were given, the program has %d", given + over,
        file_count(inputs, count));
    if (missing >= 0) fprintf(stderr, "; input %d (%s) is missing", missing, inputs[missing].name);
    fputc('\n', stderr);
    return false;
}

bool run_inputs(Tool *tool, const RunOptions *options, RunArray *inputs, int count) {
    Binding *bindings = ARENA_ARRAY(tool->arena, Binding, count + 1);
    if (has_files(options) && !bind_inputs(tool, options, inputs, count, bindings)) return false;
    for (int i = 0; i < count; i++) {
        RunArray *input = &inputs[i];
        if (!takes_file(input)) continue;
        if (!type_is_static(input->type)) {
            fprintf(
                stderr,
                "shardc: error: the shape of argument %d is not known: give its file (--in) or "
                "--input-types\n",
                i);
            return false;
        }
        input->origin = bindings[i].origin;
        if (!input->origin) {
            input->data = tool_alloc_array(tool, input->type);
            draw(input->type, input->data, (uint64_t)options->seed * 1000003u + (uint64_t)i);
            continue;
        }
        const char *error = NULL;
        if (!npy_read(
                tool->arena, bindings[i].contents, input->origin, input->type, &input->data,
                &error)) {
            fprintf(stderr, "shardc: error: input %d: %s\n", i, error);
            return false;
        }
    }
    return true;
}

// ---- the shapes of dynamic arguments

// The file's shape in the place of the dimensions that are open.
static const Type *type_of_file(Tool *tool, const Type *type, const Binding *binding) {
    int rank = 0;
    int64_t dims[MAX_RANK];
    const char *error = NULL;
    if (!npy_shape(tool->arena, binding->contents, binding->origin, &rank, dims, &error)) {
        fprintf(stderr, "shardc: error: %s\n", error);
        return NULL;
    }
    const Type *found = type_tensor(tool->context, type->element, rank, dims);
    const Type *merged = refine_merge(tool->context, type, found);
    if (merged) return merged;
    StrBuf text = strbuf(tool->arena);
    type_print(&text, type);
    strbuf_puts(&text, ", the file has ");
    type_print(&text, found);
    fprintf(
        stderr, "shardc: error: %s: the program takes %s\n", binding->origin,
        strbuf_cstring(&text));
    return NULL;
}

// The argument's type, or its value where shapes may depend on it.
static bool append_argument_type(
    Tool *tool, StrBuf *out, const Type *type, const Binding *binding) {
    enum { MAX_SHAPE = 16 };
    bool is_small = element_is_integer(type->element) && type_is_static(type) && type->rank <= 1 &&
                    type_element_count(type) <= MAX_SHAPE;
    if (!is_small) {
        type_print(out, type);
        return true;
    }
    void *data;
    const char *error = NULL;
    if (!npy_read(tool->arena, binding->contents, binding->origin, type, &data, &error)) {
        fprintf(stderr, "shardc: error: %s\n", error);
        return false;
    }
    attr_print(out, attr_elements(tool->context, type, false, data, type_bytes(type)));
    return true;
}

static bool types_of_text(
    Tool *tool, Module *module, const Op *entry, const char *text, RunArray *inputs) {
    Diags *diags = diags_create(tool->arena);
    const char *list = arena_printf(tool->arena, "[%s]", text);
    const Attr *types = frontend_read_attr(module, tool->arena, strview(list), diags);
    const KnownArgument *arguments_known = NULL;
    if (!types || !known_arguments(tool->arena, entry, types, &arguments_known, diags)) {
        tool_print_diags(diags);
        return false;
    }
    for (int i = 0; i < types->count; i++) {
        const Type *merged = refine_merge(tool->context, inputs[i].type, arguments_known[i].type);
        if (merged) inputs[i].type = merged; // else the compiler says what is wrong
    }
    return true;
}

bool run_argument_types(
    Tool *tool, Module *module, const Op *entry, const RunOptions *options, RunArray *inputs,
    const char **text) {
    const Region *body = func_body(entry);
    *text = options->compile.input_types;
    for (int i = 0; i < body->arg_count; i++)
        inputs[i].type = body->args[i]->type;
    if (*text) return types_of_text(tool, module, entry, *text, inputs);
    if (!module_is_dynamic(module) || !has_files(options)) return true;
    int leaves;
    RunArray *arrays = run_leaves(tool, inputs, body->arg_count, &leaves);
    Binding *bindings = ARENA_ARRAY(tool->arena, Binding, leaves + 1);
    if (!bind_inputs(tool, options, arrays, leaves, bindings)) return false;
    StrBuf out = strbuf(tool->arena);
    for (int i = 0, leaf = 0; i < body->arg_count; i++) {
        if (i > 0) strbuf_puts(&out, ", ");
        const Binding *binding = &bindings[leaf];
        leaf += leaf_count(inputs[i].type);
        if (inputs[i].type->kind != TYPE_TENSOR) {
            strbuf_puts(&out, "none");
            continue;
        }
        inputs[i].type = type_of_file(tool, inputs[i].type, binding);
        if (!inputs[i].type || !append_argument_type(tool, &out, inputs[i].type, binding))
            return false;
    }
    *text = strbuf_cstring(&out);
    return true;
}
