// run_arrays: inputs and outputs of `shardc run`.
#define _POSIX_C_SOURCE 200809L

#include "base/float_formats.h"
#include "frontend/frontend.h"
#include "ir/refine.h"
#include "tools/npy.h"
#include "tools/tool.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { HUGE_PAGE = 1 << 21 };

void *run_alloc(Tool *tool, const Type *type) {
    if (type->kind == TYPE_TOKEN) return NULL;
    size_t bytes = type_bytes(type);
    size_t alignment = bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : 64;
    void *data = arena_alloc_aligned(tool->arena, bytes + 64, alignment);
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

static double load_float(ElementType element, const void *data, int64_t i) {
    uint64_t bits = 0;
    switch (element_bytes(element)) {
    case 1: bits = ((const uint8_t *)data)[i]; break;
    case 2: bits = ((const uint16_t *)data)[i]; break;
    case 4: bits = ((const uint32_t *)data)[i]; break;
    default: bits = ((const uint64_t *)data)[i]; break;
    }
    return float_decode(element_float_format(element), bits);
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

int run_leaf_count(const Type *type) {
    if (type->kind != TYPE_TUPLE) return 1;
    int count = 0;
    for (int i = 0; i < type->part_count; i++)
        count += run_leaf_count(type->parts[i]);
    return count;
}

RunArray *run_append_leaves(RunArray *to, const Type *type) {
    if (type->kind != TYPE_TUPLE) {
        *to = (RunArray){.type = type};
        return to + 1;
    }
    for (int i = 0; i < type->part_count; i++)
        to = run_append_leaves(to, type->parts[i]);
    return to;
}

// Arrays with files: all but the tokens, those in tuples included.
static int type_file_count(const Type *type) {
    if (type->kind != TYPE_TUPLE) return type->kind != TYPE_TOKEN;
    int files = 0;
    for (int i = 0; i < type->part_count; i++)
        files += type_file_count(type->parts[i]);
    return files;
}

static int file_count(const RunArray *arrays, int count) {
    int files = 0;
    for (int i = 0; i < count; i++)
        files += type_file_count(arrays[i].type);
    return files;
}

bool run_inputs(Tool *tool, RunArray *inputs, int count, const TextList *files, int64_t seed) {
    if (files->count && files->count != file_count(inputs, count)) {
        fprintf(
            stderr, "shardc: error: %d inputs were given, the program has %d\n", files->count,
            file_count(inputs, count));
        return false;
    }
    for (int i = 0, file = 0; i < count; i++) {
        if (inputs[i].type->kind == TYPE_TOKEN) continue;
        if (!type_is_static(inputs[i].type)) {
            fprintf(
                stderr,
                "shardc: error: the shape of argument %d is not known: give its file (--in) or "
                "--input-types\n",
                i);
            return false;
        }
        if (files->count == 0) {
            inputs[i].data = run_alloc(tool, inputs[i].type);
            draw(inputs[i].type, inputs[i].data, (uint64_t)seed * 1000003u + (uint64_t)i);
            continue;
        }
        const char *error = NULL;
        const char *path = files->items[file++];
        if (!npy_read(tool->arena, path, inputs[i].type, &inputs[i].data, &error)) {
            fprintf(stderr, "shardc: error: input %d: %s\n", i, error);
            return false;
        }
    }
    return true;
}

// The file's shape in the place of the dimensions that are open.
static const Type *type_of_file(Tool *tool, const Type *type, const char *path) {
    int rank = 0;
    int64_t dims[MAX_RANK];
    const char *error = NULL;
    if (!npy_shape(tool->arena, path, &rank, dims, &error)) {
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
    fprintf(stderr, "shardc: error: %s: the program takes %s\n", path, strbuf_cstring(&text));
    return NULL;
}

// The argument's type, or its value where shapes may depend on it.
static bool append_fact(Tool *tool, StrBuf *out, const Type *type, const char *path) {
    enum { MAX_SHAPE = 16 };
    bool is_small = element_is_integer(type->element) && type_is_static(type) && type->rank <= 1 &&
                    type_element_count(type) <= MAX_SHAPE;
    if (!is_small) {
        type_print(out, type);
        return true;
    }
    void *data;
    const char *error = NULL;
    if (!npy_read(tool->arena, path, type, &data, &error)) {
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
    const ArgumentFact *facts = NULL;
    if (!types || !argument_facts(tool->arena, entry, types, &facts, diags)) {
        tool_print_diags(diags);
        return false;
    }
    for (int i = 0; i < types->count; i++) {
        const Type *merged = refine_merge(tool->context, inputs[i].type, facts[i].type);
        if (merged) inputs[i].type = merged; // else the compiler says what is wrong
    }
    return true;
}

bool run_argument_types(
    Tool *tool, Module *module, const Op *entry, const char *input_types, const TextList *files,
    RunArray *inputs, const char **text) {
    const Region *body = func_body(entry);
    *text = input_types;
    for (int i = 0; i < body->arg_count; i++)
        inputs[i].type = body->args[i]->type;
    if (input_types) return types_of_text(tool, module, entry, input_types, inputs);
    if (!module_is_dynamic(module) || files->count != file_count(inputs, body->arg_count))
        return true;
    StrBuf out = strbuf(tool->arena);
    for (int i = 0, file = 0; i < body->arg_count; i++) {
        if (i > 0) strbuf_puts(&out, ", ");
        if (inputs[i].type->kind != TYPE_TENSOR) {
            strbuf_puts(&out, "none");
            file += type_file_count(inputs[i].type);
            continue;
        }
        const char *path = files->items[file++];
        inputs[i].type = type_of_file(tool, inputs[i].type, path);
        if (!inputs[i].type || !append_fact(tool, &out, inputs[i].type, path)) return false;
    }
    *text = strbuf_cstring(&out);
    return true;
}

// The differences between two arrays.
typedef struct Difference {
    int64_t count, first; // elements that differ; the first one
    double got, expected; // there (of the part that differs)
    double largest;       // |got - expected|
} Difference;

static bool close_enough(double got, double expected, double rtol, double atol) {
    if (isnan(got) || isnan(expected)) return isnan(got) && isnan(expected);
    if (isinf(got) || isinf(expected)) return got == expected;
    return fabs(got - expected) <= atol + rtol * fabs(expected);
}

static Difference compare(
    const Type *type, const void *got, const void *expected, double rtol, double atol) {
    Difference difference = {0};
    ElementType real = element_real_part(type->element);
    int64_t parts = real == type->element ? 1 : 2;
    int64_t count = type_element_count(type) * parts;
    size_t bytes = element_bytes(real);
    for (int64_t i = 0; i < count; i++) {
        const char *a = (const char *)got + (size_t)i * bytes;
        const char *b = (const char *)expected + (size_t)i * bytes;
        if (memcmp(a, b, bytes) == 0) continue;
        double x = 0, y = 0;
        if (element_is_float(real)) {
            x = load_float(real, got, i);
            y = load_float(real, expected, i);
            double distance = fabs(x - y);
            if (distance > difference.largest) difference.largest = distance;
            if (close_enough(x, y, rtol, atol)) continue;
        } else {
            int64_t p = 0, q = 0;
            memcpy(&p, a, bytes);
            memcpy(&q, b, bytes);
            x = (double)p;
            y = (double)q;
        }
        if (difference.count++ == 0) {
            difference.first = i / parts;
            difference.got = x;
            difference.expected = y;
        }
    }
    return difference;
}

static void print_difference(int output, const Type *type, const Difference *difference) {
    fprintf(
        stderr, "shardc: error: output %d: %lld of %lld elements differ; the first at [", output,
        (long long)difference->count, (long long)type_element_count(type));
    int64_t number = difference->first, below = type_element_count(type);
    for (int d = 0; d < type->rank; d++) {
        below /= type->dims[d];
        fprintf(stderr, "%s%lld", d ? ", " : "", (long long)(number / below));
        number %= below;
    }
    fprintf(
        stderr, "]: got %.9g, expected %.9g; largest difference %.3g\n", difference->got,
        difference->expected, difference->largest);
}

bool run_expect(
    Tool *tool, const RunArray *outputs, int count, const TextList *files, double rtol,
    double atol) {
    if (files->count > file_count(outputs, count)) {
        fprintf(
            stderr, "shardc: error: %d expected outputs were given, the program has %d\n",
            files->count, file_count(outputs, count));
        return false;
    }
    bool good = true;
    for (int i = 0, file = 0; file < files->count; i++) {
        if (outputs[i].type->kind == TYPE_TOKEN) continue;
        void *expected = NULL;
        const char *error = NULL;
        const char *path = files->items[file++];
        if (!npy_read(tool->arena, path, outputs[i].type, &expected, &error)) {
            fprintf(stderr, "shardc: error: expected output %d: %s\n", i, error);
            good = false;
            continue;
        }
        Difference difference = compare(outputs[i].type, outputs[i].data, expected, rtol, atol);
        if (difference.count == 0) continue;
        print_difference(i, outputs[i].type, &difference);
        good = false;
    }
    return good;
}

bool run_write(Tool *tool, const RunArray *outputs, int count, const char *folder) {
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(
            stderr, "shardc: error: cannot make the folder '%s': %s\n", folder,
            strerror(errno)); // NOLINT(concurrency-mt-unsafe): one thread
        return false;
    }
    for (int i = 0, file = 0; i < count; i++) {
        if (outputs[i].type->kind == TYPE_TOKEN) continue;
        const char *error = NULL;
        const char *path = arena_printf(tool->arena, "%s/out%d.npy", folder, file++);
        if (!npy_write(tool->arena, path, outputs[i].type, outputs[i].data, &error)) {
            fprintf(stderr, "shardc: error: %s\n", error);
            return false;
        }
    }
    return true;
}
