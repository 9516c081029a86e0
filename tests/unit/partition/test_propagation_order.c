// Propagation without conflicts reaches one fixed point, whatever the order of independent ops.
//
// Random programs over indices a, b, c ... as in sums by Einstein's convention: every dimension is
// one index, every axis of the mesh belongs to one index at most, so no two ops can want different
// things of a value. Each program is written in several orders.
#include "ir/analysis/data_flow.h"
#include "tests/unit/partition/partition_fixture.h"

#include <stdio.h>
#include <string.h>

enum { INDICES = 5, AXES = 4, MAX_ARRAYS = 14, PROGRAMS = 60, ORDERS = 4, MAX_DIMS = 3 };

typedef struct Array {
    int rank, dims[MAX_DIMS]; // indices
    int operand_count, operands[2];
    char text[400]; // the op; of an argument its sharding
} Array;

typedef struct Program {
    uint64_t state;
    int sizes[INDICES], owner[AXES]; // of an axis: its index, or -1
    int count, argument_count;
    Array arrays[MAX_ARRAYS];
} Program;

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
static int below(Program *p, int count) {
    uint64_t z = (p->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int)((z ^ (z >> 31)) % (uint64_t)count);
}

static const char *type_text(const Program *p, const Array *array, char *text) {
    size_t used = (size_t)sprintf(text, "tensor<");
    for (int d = 0; d < array->rank; d++) {
        used += (size_t)sprintf(text + used, "%dx", p->sizes[array->dims[d]]);
    }
    sprintf(text + used, "f32>");
    return text;
}

// The first axes of each dimension's index; open or closed; now and then a priority.
static void draw_sharding(Program *p, Array *array) {
    size_t used = (size_t)sprintf(array->text, " {sdy.sharding = #sdy.sharding<@mesh, [");
    for (int d = 0; d < array->rank; d++) {
        bool is_open = below(p, 4) > 0, has_axes = false;
        used += (size_t)sprintf(array->text + used, "%s{", d ? ", " : "");
        for (int axis = 0; axis < AXES && below(p, 3) > 0; axis++) {
            if (p->owner[axis] != array->dims[d]) continue;
            used +=
                (size_t)sprintf(array->text + used, "%s\"%c\"", has_axes ? ", " : "", 'w' + axis);
            has_axes = true;
        }
        used += (size_t)sprintf(array->text + used, "%s}", is_open ? has_axes ? ", ?" : "?" : "");
        if ((is_open || has_axes) && below(p, 6) == 0)
            used += (size_t)sprintf(array->text + used, "p%d", below(p, 2));
    }
    sprintf(array->text + used, "]>}");
}

static int place_of(const Array *array, int index) {
    for (int d = 0; d < array->rank; d++) {
        if (array->dims[d] == index) return d;
    }
    return -1;
}

static void add_argument(Program *p) {
    Array *array = &p->arrays[p->count++];
    *array = (Array){.rank = 1 + below(p, MAX_DIMS)};
    for (int d = 0; d < array->rank;) {
        int index = below(p, INDICES);
        bool is_taken = false;
        for (int k = 0; k < d; k++) {
            is_taken = is_taken || array->dims[k] == index;
        }
        if (!is_taken) array->dims[d++] = index;
    }
    if (below(p, 3) > 0) draw_sharding(p, array);
    p->argument_count++;
}

static void make_move(Program *p, const Array *x, int from, Array *out) {
    char type[64], to[64];
    int turn = below(p, 2);
    *out = *x;
    out->operand_count = 1;
    out->operands[0] = from;
    if (turn == 0 || x->rank < 2) {
        sprintf(out->text, "stablehlo.negate %%v%d : %s", from, type_text(p, x, type));
        return;
    }
    out->dims[0] = x->dims[1];
    out->dims[1] = x->dims[0];
    sprintf(
        out->text, "stablehlo.transpose %%v%d, dims = [1, 0%s] : (%s) -> %s", from,
        x->rank > 2 ? ", 2" : "", type_text(p, x, type), type_text(p, out, to));
}

static bool make_broadcast(Program *p, const Array *x, int from, Array *out) {
    char type[64], to[64];
    int index = below(p, INDICES);
    if (x->rank == MAX_DIMS || place_of(x, index) >= 0) return false;
    *out = *x;
    out->operand_count = 1;
    out->operands[0] = from;
    out->dims[out->rank++] = index;
    sprintf(
        out->text, "stablehlo.broadcast_in_dim %%v%d, dims = [%s] : (%s) -> %s", from,
        x->rank == 0   ? ""
        : x->rank == 1 ? "0"
                       : "0, 1",
        type_text(p, x, type), type_text(p, out, to));
    return true;
}

// Indices of both are batch dimensions, or summed; the result has the others too.
static bool make_product(Program *p, int a, int b, Array *out) {
    const Array *x = &p->arrays[a], *y = &p->arrays[b];
    char batch[2][32] = {"", ""}, summed[2][32] = {"", ""}, types[3][64];
    *out = (Array){.operand_count = 2, .operands = {a, b}};
    int free_dims[2 * MAX_DIMS], free_count = 0;
    bool has_batch = false;
    for (int d = 0; d < x->rank; d++) {
        int other = place_of(y, x->dims[d]);
        bool is_batch = other >= 0 && below(p, 2) == 0;
        if (other < 0) free_dims[free_count++] = x->dims[d];
        if (is_batch && out->rank == MAX_DIMS) return false;
        if (is_batch) out->dims[out->rank++] = x->dims[d];
        if (other < 0) continue;
        char *left = is_batch ? batch[0] : summed[0], *right = is_batch ? batch[1] : summed[1];
        sprintf(left + strlen(left), "%s%d", left[0] ? ", " : "", d);
        sprintf(right + strlen(right), "%s%d", right[0] ? ", " : "", other);
        has_batch = has_batch || is_batch;
    }
    for (int d = 0; d < y->rank; d++) {
        if (place_of(x, y->dims[d]) < 0) free_dims[free_count++] = y->dims[d];
    }
    if (out->rank + free_count > MAX_DIMS) return false;
    for (int i = 0; i < free_count; i++) {
        out->dims[out->rank++] = free_dims[i];
    }
    char dims[160] = "";
    if (has_batch) sprintf(dims, ", batching_dims = [%s] x [%s]", batch[0], batch[1]);
    sprintf(
        out->text,
        "stablehlo.dot_general %%v%d, %%v%d%s, contracting_dims = [%s] x [%s] : (%s, %s) -> %s", a,
        b, dims, summed[0], summed[1], type_text(p, x, types[0]), type_text(p, y, types[1]),
        type_text(p, out, types[2]));
    return true;
}

static bool make_sum(Program *p, int a, int b, Array *out) {
    char type[64];
    const Array *x = &p->arrays[a], *y = &p->arrays[b];
    if (x->rank != y->rank || memcmp(x->dims, y->dims, (size_t)x->rank * sizeof x->dims[0]) != 0)
        return false;
    *out = *x;
    out->operand_count = 2;
    out->operands[0] = a;
    out->operands[1] = b;
    sprintf(out->text, "stablehlo.add %%v%d, %%v%d : %s", a, b, type_text(p, x, type));
    return true;
}

static void draw_program(Program *p, uint64_t seed) {
    *p = (Program){.state = seed * 0x2545f4914f6cdd1du + 1};
    for (int i = 0; i < INDICES; i++) {
        p->sizes[i] = 16 * (1 + below(p, 3));
    }
    for (int axis = 0; axis < AXES; axis++) {
        p->owner[axis] = below(p, INDICES + 1) - 1;
    }
    int arguments = 2 + below(p, 3);
    for (int i = 0; i < arguments; i++) {
        add_argument(p);
    }
    for (int attempt = 0; attempt < 60 && p->count < MAX_ARRAYS; attempt++) {
        Array out;
        int a = below(p, p->count), b = below(p, p->count);
        bool is_made = true;
        switch (below(p, 4)) {
        case 0: make_move(p, &p->arrays[a], a, &out); break;
        case 1: is_made = make_broadcast(p, &p->arrays[a], a, &out); break;
        case 2: is_made = make_sum(p, a, b, &out); break;
        default: is_made = make_product(p, a, b, &out); break;
        }
        if (is_made) p->arrays[p->count++] = out;
    }
}

// The ops in an order that their operands allow; every array is returned, in the order of their
// numbers.
static const char *program_text(Arena *arena, Program *p) {
    StrBuf out = strbuf(arena);
    char type[64];
    bool is_written[MAX_ARRAYS] = {false};
    strbuf_puts(
        &out, "sdy.mesh @mesh = <[\"w\"=2, \"x\"=2, \"y\"=2, \"z\"=2]>\nfunc.func public @main(");
    for (int i = 0; i < p->argument_count; i++) {
        const Array *array = &p->arrays[i];
        strbuf_printf(
            &out, "%s%%v%d: %s%s", i ? ", " : "", i, type_text(p, array, type), array->text);
        is_written[i] = true;
    }
    strbuf_puts(&out, ") -> (");
    for (int i = 0; i < p->count; i++) {
        strbuf_printf(&out, "%s%s", i ? ", " : "", type_text(p, &p->arrays[i], type));
    }
    strbuf_puts(&out, ") {\n");
    for (int left = p->count - p->argument_count; left > 0;) {
        int i = p->argument_count + below(p, p->count - p->argument_count);
        bool is_ready = !is_written[i];
        for (int k = 0; k < p->arrays[i].operand_count; k++) {
            is_ready = is_ready && is_written[p->arrays[i].operands[k]];
        }
        if (!is_ready) continue;
        strbuf_printf(&out, "  %%v%d = %s\n", i, p->arrays[i].text);
        is_written[i] = true;
        left--;
    }
    strbuf_puts(&out, "  return ");
    for (int i = 0; i < p->count; i++) {
        strbuf_printf(&out, "%s%%v%d", i ? ", " : "", i);
    }
    for (int i = 0; i < p->count; i++) {
        strbuf_printf(&out, "%s%s", i ? ", " : " : ", type_text(p, &p->arrays[i], type));
    }
    strbuf_puts(&out, "\n}\n");
    return strbuf_cstring(&out);
}

// The shardings of all arrays after propagation.
static const char *fixed_point(Arena *arena, const char *text) {
    Fixture fixture = fixture_read(text);
    PassContext pass = fixture_pass(&fixture);
    assert_true(fixture_propagate(&pass));
    StrBuf out = strbuf(arena);
    const Op *end = region_terminator(func_body(fixture_main(&fixture)));
    for (int i = 0; i < end->operand_count; i++) {
        const Sharding *sharding = value_sharding(fixture.module, op_operand(end, i));
        strbuf_printf(&out, "%%v%d ", i);
        if (sharding) sharding_print_body(&out, sharding);
        strbuf_putc(&out, '\n');
    }
    arena_free(fixture.arena);
    return strbuf_cstring(&out);
}

static void the_order_of_ops_does_not_matter(void **state) {
    (void)state;
    const char *first = getenv("SEED"); // NOLINT(concurrency-mt-unsafe): one thread
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1;
    for (uint64_t i = 0; i < PROGRAMS; i++) {
        Arena *arena = arena_create(NULL, NULL);
        Program *p = ARENA_NEW(arena, Program);
        draw_program(p, seed + i);
        const char *text = program_text(arena, p), *expected = fixed_point(arena, text);
        for (int order = 1; order < ORDERS; order++) {
            const char *other = program_text(arena, p), *found = fixed_point(arena, other);
            if (strcmp(found, expected) == 0) continue;
            fprintf(
                stderr, "seed %llu:\n%s%s\n%s%s", (unsigned long long)(seed + i), text, expected,
                other, found);
            fail();
        }
        arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_ops_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
