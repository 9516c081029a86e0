// random_program: drawing programs, printing them, making them smaller.
#include "random_program.h"

#include "base/float_formats.h"

#include <math.h>
#include <string.h>

// ---- element types

typedef struct KindFacts {
    const char *text;
    int64_t bytes;
    bool is_float;
    double exact, epsilon;
} KindFacts;

static const KindFacts facts[KIND_COUNT] = {
    [F32] = {"f32", 4, true, 0x1p24, 0x1p-22},
    [F64] = {"f64", 8, true, 0x1p53, 0x1p-50},
    [BF16] = {"bf16", 2, true, 0x1p8, 0x1p-7},
    [F16] = {"f16", 2, true, 0x1p11, 0x1p-9},
    [I32] = {"i32", 4, false, 2147483647., 0},
    [I64] = {"i64", 8, false, 9.2e18, 0},
    [I8] = {"i8", 1, false, 127, 0},
    [U8] = {"ui8", 1, false, 255, 0},
    [U32] = {"ui32", 4, false, 4294967295., 0},
    [I1] = {"i1", 1, false, 1, 0},
};

const char *kind_text(Kind kind) { return facts[kind].text; }
int64_t kind_bytes(Kind kind) { return facts[kind].bytes; }
bool kind_is_float(Kind kind) { return facts[kind].is_float; }
double kind_exact(Kind kind) { return facts[kind].exact; }
double kind_epsilon(Kind kind) { return facts[kind].epsilon; }

int64_t shape_count(const Shape *shape) {
    int64_t count = 1;
    for (int d = 0; d < shape->rank; d++) {
        count *= shape->dims[d];
    }
    return count;
}

bool shape_equal(const Shape *a, const Shape *b) {
    if (a->kind != b->kind || a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++) {
        if (a->dims[d] != b->dims[d]) return false;
    }
    return true;
}

const char *shape_text(Arena *arena, const Shape *shape) {
    StrBuf out = strbuf(arena);
    strbuf_puts(&out, "tensor<");
    for (int d = 0; d < shape->rank; d++) {
        strbuf_printf(&out, "%lldx", (long long)shape->dims[d]);
    }
    strbuf_printf(&out, "%s>", kind_text(shape->kind));
    return strbuf_cstring(&out);
}

double rounded(const Shape *shape, double bound, double error) {
    if (!kind_is_float(shape->kind)) return 0;
    if (error == 0 && bound <= kind_exact(shape->kind)) return 0;
    return error + kind_epsilon(shape->kind) * bound;
}

// ---- drawing

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
static uint64_t mix(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t draw_below(Maker *maker, int64_t count) {
    return (int64_t)(mix(&maker->state) % (uint64_t)count);
}

int64_t draw_between(Maker *maker, int64_t low, int64_t high) {
    return low + draw_below(maker, high - low + 1);
}

bool draw_percent(Maker *maker, int percent) { return draw_below(maker, 100) < percent; }

const RandomValue *value_at(const Maker *maker, int value) {
    return &maker->program->values[value];
}

void use(RandomValue *value, int operand) { value->operands[value->operand_count++] = operand; }

int draw_value(Maker *maker, bool (*accepts)(const RandomValue *value)) {
    int count = maker->program->value_count;
    for (int attempt = 0; attempt < 12; attempt++) {
        // the later half more often: programs become deep
        int value = (int)draw_below(maker, count);
        if (draw_percent(maker, 50)) value = count - 1 - (int)draw_below(maker, (count + 1) / 2);
        if (!accepts || accepts(value_at(maker, value))) return value;
    }
    return -1;
}

static int64_t draw_dim(Maker *maker) {
    static const int64_t small[] = {1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9, 12, 13, 16};
    if (draw_percent(maker, 2)) return 0;
    if (draw_percent(maker, maker->is_large ? 40 : 6))
        return draw_between(maker, 17, maker->is_large ? 200 : 70);
    return small[draw_below(maker, (int64_t)(sizeof small / sizeof small[0]))];
}

Shape draw_shape(Maker *maker, Kind kind) {
    static const int ranks[] = {0, 1, 1, 2, 2, 2, 2, 3, 3, 4};
    Shape shape = {.kind = kind, .rank = ranks[draw_below(maker, 10)]};
    for (int d = 0; d < shape.rank; d++) {
        shape.dims[d] = draw_dim(maker);
    }
    while (shape_count(&shape) > (maker->is_large ? 60000 : 6000)) {
        shape.dims[draw_below(maker, shape.rank)] = draw_between(maker, 1, 5);
    }
    return shape;
}

static Kind draw_kind(Maker *maker) {
    static const Kind kinds[] = {F32, F32, F32, F32, F32, F32, F64, BF16, BF16,
                                 F16, I32, I32, I64, I8,  U8,  U32, I1};
    return kinds[draw_below(maker, (int64_t)(sizeof kinds / sizeof kinds[0]))];
}

const char *new_name(Maker *maker) {
    return arena_printf(maker->arena, "%%h%d", maker->next_name++);
}

const char *text_list(Arena *arena, int count, const int64_t *numbers) {
    StrBuf out = strbuf(arena);
    strbuf_putc(&out, '[');
    for (int i = 0; i < count; i++) {
        strbuf_printf(&out, "%s%lld", i ? ", " : "", (long long)numbers[i]);
    }
    strbuf_putc(&out, ']');
    return strbuf_cstring(&out);
}

const char *scalar_text(Arena *arena, Kind kind, int64_t number) {
    if (kind == I1) return number ? "true" : "false";
    if (kind_is_float(kind)) return arena_printf(arena, "%lld.0", (long long)number);
    return arena_printf(arena, "%lld", (long long)number);
}

// ---- shardings

// Axes of the mesh, each given to a dimension or to none; sometimes a half of an axis; dimensions sometimes open.
static const char *draw_sharding(Maker *maker, int rank) {
    const RandomProgram *program = maker->program;
    StrBuf dims[MAX_VALUE_RANK + 1];
    for (int d = 0; d < rank; d++) {
        dims[d] = strbuf(maker->arena);
    }
    int start = (int)draw_below(maker, program->axis_count);
    for (int i = 0; rank > 0 && i < program->axis_count; i++) {
        int axis = (start + i) % program->axis_count; // the order varies
        if (draw_percent(maker, 40)) continue;
        StrBuf *dim = &dims[draw_below(maker, rank)];
        int64_t size = program->axis_sizes[axis];
        strbuf_printf(dim, "%s\"%c\"", dim->size ? ", " : "", 'x' + axis);
        if (size % 2 == 0 && size > 2 && draw_percent(maker, 15)) {
            strbuf_puts(dim, size % 4 == 0 && draw_percent(maker, 50) ? ":(2)2" : ":(1)2");
        }
    }
    bool is_closed = draw_percent(maker, 60);
    StrBuf out = strbuf(maker->arena);
    strbuf_puts(&out, "<@mesh, [");
    for (int d = 0; d < rank; d++) {
        bool is_open = !is_closed && draw_percent(maker, 60);
        strbuf_printf(
            &out, "%s{%s%s}", d ? ", " : "", strbuf_cstring(&dims[d]),
            is_open ? dims[d].size ? ", ?" : "?" : "");
    }
    strbuf_puts(&out, "]>");
    return strbuf_cstring(&out);
}

static void draw_mesh(Maker *maker) {
    static const int64_t sizes[][MAX_PROGRAM_AXES] = {{2},    {3},       {4},    {8},    {2, 2},
                                                      {4, 2}, {2, 4},    {2, 3}, {3, 2}, {2, 2, 2},
                                                      {1, 4}, {2, 1, 3}, {5},    {6}};
    RandomProgram *program = maker->program;
    if (draw_percent(maker, 8)) return; // one device
    const int64_t *chosen = sizes[draw_below(maker, (int64_t)(sizeof sizes / sizeof sizes[0]))];
    StrBuf out = strbuf(maker->arena);
    strbuf_puts(&out, "<[");
    int64_t devices = 1;
    for (int a = 0; a < MAX_PROGRAM_AXES && chosen[a]; a++) {
        strbuf_printf(&out, "%s\"%c\"=%lld", a ? ", " : "", 'x' + a, (long long)chosen[a]);
        program->axis_sizes[program->axis_count++] = chosen[a];
        devices *= chosen[a];
    }
    strbuf_putc(&out, ']');
    program->is_iota = true;
    if (devices > 2 && draw_percent(maker, 15)) { // another order of the devices
        int64_t ids[64];
        for (int64_t i = 0; i < devices; i++) {
            ids[i] = i;
        }
        for (int64_t i = devices - 1; i > 0; i--) {
            int64_t other = draw_below(maker, i + 1), id = ids[i];
            ids[i] = ids[other];
            ids[other] = id;
        }
        for (int64_t i = 0; i < devices; i++) {
            program->is_iota = program->is_iota && ids[i] == i;
        }
        if (!program->is_iota) {
            strbuf_printf(&out, ", device_ids=%s", text_list(maker->arena, (int)devices, ids));
        }
    }
    strbuf_putc(&out, '>');
    program->mesh = strbuf_cstring(&out);
}

// ---- values

static int add_value(Maker *maker, const RandomValue *value) {
    RandomProgram *program = maker->program;
    if (program->value_count == MAX_VALUES) return -1;
    program->values[program->value_count] = *value;
    return program->value_count++;
}

int new_argument(Maker *maker, Shape shape) {
    if (maker->argument_count >= 10) return -1;
    maker->argument_count++;
    RandomValue value = {
        .shape = shape, .is_argument = true, .before = "", .right = "", .donated_to = -1};
    value.bound = shape.kind == I1 ? 1 : 3;
    if (maker->program->mesh && draw_percent(maker, 60)) {
        value.sharding = draw_sharding(maker, shape.rank);
    }
    return add_value(maker, &value);
}

static int new_constant(Maker *maker, Shape shape) {
    bool is_signed =
        kind_is_float(shape.kind) || shape.kind == I32 || shape.kind == I64 || shape.kind == I8;
    int64_t number =
        shape.kind == I1 ? draw_below(maker, 2) : draw_between(maker, is_signed ? -2 : 0, 2);
    const char *type = shape_text(maker->arena, &shape);
    const char *text = scalar_text(maker->arena, shape.kind, number);
    RandomValue value = {
        .shape = shape, .before = "", .bound = fabs((double)number), .donated_to = -1};
    value.right = shape_count(&shape) == 0
                      ? arena_printf(maker->arena, "stablehlo.constant dense<> : %s", type)
                      : arena_printf(maker->arena, "stablehlo.constant dense<%s> : %s", text, type);
    return add_value(maker, &value);
}

int value_like(Maker *maker, Shape shape) {
    int count = maker->program->value_count;
    if (draw_percent(maker, 70)) {
        int start = (int)draw_below(maker, count);
        for (int i = 0; i < count; i++) {
            int value = (start + i) % count;
            if (shape_equal(&value_at(maker, value)->shape, &shape)) return value;
        }
    }
    if (draw_percent(maker, 20)) return new_constant(maker, shape);
    int argument = new_argument(maker, shape);
    return argument >= 0 ? argument : new_constant(maker, shape);
}

typedef struct MakerTable {
    const OpMaker *makers;
    int count;
} MakerTable;

// One kind of op, by weight.
static const OpMaker *draw_maker(Maker *maker) {
    const MakerTable tables[] = {
        {simple_makers, simple_maker_count},
        {complex_makers, complex_maker_count},
        {manual_makers, manual_maker_count},
    };
    int64_t weights = 0, at = -1;
    for (int round = 0; round < 2; round++) {
        if (round == 1) at = draw_below(maker, weights);
        for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
            for (int i = 0; i < tables[t].count; i++) {
                const OpMaker *op = &tables[t].makers[i];
                if (round == 0) {
                    weights += op->weight;
                } else if ((at -= op->weight) < 0) {
                    return op;
                }
            }
        }
    }
    return NULL;
}

// Draws one op that fits; false when none of some attempts did.
static bool add_op(Maker *maker) {
    for (int attempt = 0; attempt < 30; attempt++) {
        RandomValue value = {.before = "", .donated_to = -1};
        const OpMaker *op = draw_maker(maker);
        if (!op || !op->make(maker, &value)) continue;
        bool is_float = kind_is_float(value.shape.kind);
        if (value.bound > (is_float ? 1e4 : 1e18) || value.error > 0.02 * fmax(value.bound, 1))
            continue;
        if (shape_count(&value.shape) > (maker->is_large ? 200000 : 20000)) continue;
        if (!is_float) value.bound = fmin(value.bound, kind_exact(value.shape.kind));
        if (maker->program->mesh && draw_percent(maker, 15)) {
            value.sharding = draw_sharding(maker, value.shape.rank);
        }
        return add_value(maker, &value) >= 0;
    }
    return false;
}

static void choose_results(Maker *maker) {
    RandomProgram *program = maker->program;
    bool is_used[MAX_VALUES] = {false};
    for (int i = 0; i < program->value_count; i++) {
        for (int k = 0; k < program->values[i].operand_count; k++) {
            is_used[program->values[i].operands[k]] = true;
        }
    }
    for (int i = program->value_count - 1; i >= 0 && program->result_count < MAX_PROGRAM_RESULTS;
         i--) {
        bool is_end = !is_used[i] && !program->values[i].is_argument;
        if (!is_end && !draw_percent(maker, 15)) continue;
        int r = program->result_count++;
        program->results[r] = i;
        if (program->mesh && draw_percent(maker, 50)) {
            program->result_shardings[r] = draw_sharding(maker, program->values[i].shape.rank);
        }
    }
    for (int i = 0; i < program->value_count;
         i++) { // donation: some arguments give a result their memory
        RandomValue *value = &program->values[i];
        for (int r = 0; value->is_argument && r < program->result_count; r++) {
            bool is_taken = false;
            for (int k = 0; k < i; k++) {
                is_taken = is_taken ||
                           (program->values[k].is_argument && program->values[k].donated_to == r);
            }
            if (is_taken ||
                !shape_equal(&value->shape, &program->values[program->results[r]].shape))
                continue;
            if (!draw_percent(maker, 40)) continue;
            program->result_shardings[r] = value->sharding; // as JAX: both lie alike
            value->donated_to = r;
            break;
        }
    }
}

RandomProgram *random_program(Arena *arena, uint64_t seed) {
    RandomProgram *program = ARENA_NEW(arena, RandomProgram);
    program->seed = seed;
    Maker maker = {.arena = arena, .program = program, .state = seed * 0x2545f4914f6cdd1du + 1};
    maker.is_large = seed % 12 == 0; // the blocked kernels and the borders of their blocks
    draw_mesh(&maker);
    int first = (int)draw_between(&maker, 1, 3);
    for (int i = 0; i < first; i++) {
        Kind kind = draw_kind(&maker);
        new_argument(&maker, draw_shape(&maker, kind));
    }
    int ops = (int)draw_between(&maker, 1, draw_percent(&maker, 25) ? 24 : 9);
    for (int i = 0; i < ops && program->value_count < MAX_VALUES - 6; i++) {
        if (!add_op(&maker)) break;
    }
    choose_results(&maker);
    return program;
}

void random_program_fill(const RandomProgram *program, int number, void *data) {
    const RandomValue *value = &program->values[number];
    uint64_t state = program->seed * 977u + (uint64_t)number * 0x9e3779b97f4a7c15u;
    int64_t count = shape_count(&value->shape);
    Kind kind = value->shape.kind;
    bool is_unsigned = kind == U8 || kind == U32 || kind == I1;
    int64_t most = (int64_t)fmin(floor(value->bound), 3);
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = mix(&state);
        int64_t integer = (int64_t)(bits % (uint64_t)(is_unsigned ? most + 1 : 2 * most + 1)) -
                          (is_unsigned ? 0 : most);
        double real = (double)integer;
        if (value->error > 0) real = ((double)(bits >> 11) * 0x1p-52 - 1) * value->bound * 0.999;
        switch (kind) {
        case F32: ((float *)data)[i] = (float)real; break;
        case F64: ((double *)data)[i] = real; break;
        case BF16:
        case F16:
            ((uint16_t *)data)[i] =
                (uint16_t)float_encode(kind == F16 ? &float_format_f16 : &float_format_bf16, real);
            break;
        case I32:
        case U32: ((int32_t *)data)[i] = (int32_t)integer; break;
        case I64: ((int64_t *)data)[i] = integer; break;
        case I8:
        case U8:
        case I1: ((int8_t *)data)[i] = (int8_t)integer; break;
        case KIND_COUNT: break;
        }
    }
}
