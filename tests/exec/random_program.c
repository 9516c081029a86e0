// random_program: drawing programs: values, arguments, results.
#include "random_program.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- drawing

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
static uint64_t mix(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t draw_below(Maker *maker, int64_t count) {
    assert(count > 0);
    return (int64_t)(mix(&maker->state) % (uint64_t)count);
}

int64_t draw_between(Maker *maker, int64_t low, int64_t high) {
    return low + draw_below(maker, high - low + 1);
}

bool draw_percent(Maker *maker, int percent) { return draw_below(maker, 100) < percent; }

void shuffle(Maker *maker, int count, int64_t *numbers) {
    for (int i = 0; i < count; i++) {
        numbers[i] = i;
    }
    for (int i = count - 1; i > 0; i--) {
        int64_t other = draw_below(maker, i + 1), number = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = number;
    }
}

const RandomValue *value_at(const Maker *maker, int value) {
    return &maker->program->values[value];
}

void use(RandomValue *value, int operand) { value->operands[value->operand_count++] = operand; }

static bool is_visible(const Maker *maker, const RandomValue *value) {
    if (value->bounds.relative > 0) return false;
    for (int i = maker->first_scope; i < maker->scope_count; i++) {
        if (maker->scopes[i] == value->scope) return true;
    }
    return false;
}

int draw_value(Maker *maker, bool (*accepts)(const RandomValue *value)) {
    int visible[MAX_VALUES], count = 0;
    for (int i = 0; i < maker->program->value_count; i++) {
        if (is_visible(maker, value_at(maker, i))) visible[count++] = i;
    }
    for (int attempt = 0; count > 0 && attempt < 12; attempt++) {
        // the later half more often: programs become deep
        int value = (int)draw_below(maker, count);
        if (draw_percent(maker, 50)) value = count - 1 - (int)draw_below(maker, (count + 1) / 2);
        if (!accepts || accepts(value_at(maker, visible[value]))) return visible[value];
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

Shape draw_shape(Maker *maker, ElementType kind) {
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

ElementType draw_kind(Maker *maker) {
    static const ElementType common[] = {ELEMENT_F32,  ELEMENT_F32, ELEMENT_F32, ELEMENT_F32,
                                         ELEMENT_F64,  ELEMENT_I32, ELEMENT_I32, ELEMENT_I1,
                                         ELEMENT_BF16, ELEMENT_F16, ELEMENT_C64, ELEMENT_I8};
    if (draw_percent(maker, 65))
        return common[draw_below(maker, (int64_t)(sizeof common / sizeof common[0]))];
    return (ElementType)draw_below(maker, ELEMENT_INDEX); // the last one is not an array's
}

ElementType draw_sum_kind(Maker *m, ElementType kind) {
    if (draw_percent(m, 50) || kind_is_complex(kind) || element_bits(kind) > 16) return kind;
    if (kind_is_real(kind))
        return draw_percent(m, 80) ? ELEMENT_F32 : element_bits(kind) < 16 ? ELEMENT_BF16 : kind;
    return kind_is_signed(kind) ? ELEMENT_I32 : kind_is_unsigned(kind) ? ELEMENT_UI32 : kind;
}

const char *new_name(Maker *maker) {
    return arena_printf(maker->arena, "%%h%d", maker->next_name++);
}

// ---- values

int add_value(Maker *maker, const RandomValue *value) {
    RandomProgram *program = maker->program;
    if (program->value_count == MAX_VALUES) return -1;
    program->values[program->value_count] = *value;
    program->values[program->value_count].scope = maker->scopes[maker->scope_count - 1];
    return program->value_count++;
}

// Small integers; or numbers with fractions; or anything.
static ValueBounds draw_bounds(Maker *maker, ElementType kind) {
    ValueBounds bounds = {.bound = kind == ELEMENT_I1 ? 1 : 3, .grid = 1};
    if (kind == ELEMENT_F8E8M0FNU) bounds = (ValueBounds){.bound = 4};
    if (draw_percent(maker, 70) || kind == ELEMENT_I1) return bounds;
    if (kind_is_float(kind) && draw_percent(maker, 50)) return (ValueBounds){.bound = 3};
    return (ValueBounds){
        .bound = kind_is_float(kind) ? (double)INFINITY : kind_exact(kind),
        .grid = !kind_is_float(kind)};
}

static RandomValue argument_value(Shape shape) {
    return (RandomValue){
        .shape = shape,
        .is_argument = true,
        .before = "",
        .right = "",
        .functions = "",
        .donated_to = -1};
}

int new_argument(Maker *maker, Shape shape) {
    if (maker->argument_count >= 10 || maker->scope_count > 1) return -1;
    maker->argument_count++;
    RandomValue value = argument_value(shape);
    value.bounds = draw_bounds(maker, shape.kind);
    if (maker->program->mesh && draw_percent(maker, 60)) {
        value.sharding = draw_sharding(maker, shape.rank, false);
    }
    return add_value(maker, &value);
}

static int new_constant(Maker *maker, Shape shape) {
    bool is_signed = kind_is_float(shape.kind) || kind_is_signed(shape.kind);
    int64_t number = shape.kind == ELEMENT_I1 ? draw_below(maker, 2)
                                              : draw_between(maker, is_signed ? -2 : 0, 2);
    if (shape.kind == ELEMENT_F8E8M0FNU) number = draw_between(maker, 1, 2);
    if (shape.kind == ELEMENT_I2 && number == 2) number = 1;
    const char *type = shape_text(maker->arena, &shape);
    const char *text = scalar_text(maker->arena, shape.kind, number);
    RandomValue value = {.shape = shape, .before = "", .functions = "", .donated_to = -1};
    value.bounds = (ValueBounds){.bound = fabs((double)number), .grid = 1};
    value.right = shape_count(&shape) == 0
                      ? arena_printf(maker->arena, "stablehlo.constant dense<> : %s", type)
                      : arena_printf(maker->arena, "stablehlo.constant dense<%s> : %s", text, type);
    return add_value(maker, &value);
}

int value_like(Maker *maker, Shape shape) {
    int count = maker->program->value_count;
    if (draw_percent(maker, 70) && count > 0) {
        int start = (int)draw_below(maker, count);
        for (int i = 0; i < count; i++) {
            int value = (start + i) % count;
            if (is_visible(maker, value_at(maker, value)) &&
                shape_equal(&value_at(maker, value)->shape, &shape))
                return value;
        }
    }
    if (draw_percent(maker, 20)) return new_constant(maker, shape);
    int argument = new_argument(maker, shape);
    return argument >= 0 ? argument : new_constant(maker, shape);
}

// ---- ops

typedef struct MakerTable {
    const OpMaker *makers;
    int count;
} MakerTable;

// One kind of op, by weight.
static const OpMaker *draw_maker(Maker *maker) {
    const MakerTable tables[] = {
        {pointwise_makers, pointwise_maker_count}, {move_makers, move_maker_count},
        {reduce_makers, reduce_maker_count},       {gather_makers, gather_maker_count},
        {control_makers, control_maker_count},     {algebra_makers, algebra_maker_count},
        {manual_makers, manual_maker_count},       {convolution_makers, convolution_maker_count},
        {shorthand_makers, shorthand_maker_count}, {row_makers, row_maker_count},
        {update_makers, update_maker_count},
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

void add_extra(Maker *maker, const char *all, int number, Shape shape, ValueBounds bounds) {
    RandomValue extra = {
        .shape = shape, .bounds = bounds, .before = "", .functions = "", .donated_to = -1};
    const char *type = shape_text(maker->arena, &shape);
    extra.right =
        arena_printf(maker->arena, "stablehlo.reshape %s#%d : (%s) -> %s", all, number, type, type);
    maker->extras[maker->extra_count++] = extra;
}

// The op's results become values, if they are worth comparing.
static bool add_results(Maker *maker, RandomValue *value) {
    ValueBounds *bounds = &value->bounds;
    if (!bounds_are_good(value->shape.kind, bounds)) return false;
    if (shape_count(&value->shape) > (maker->is_large ? 200000 : 20000)) return false;
    if (!kind_is_float(value->shape.kind))
        bounds->bound = fmin(bounds->bound, kind_exact(value->shape.kind));
    bool can_constrain = maker->program->mesh && !maker->is_manual && bounds->relative == 0;
    if (can_constrain && draw_percent(maker, 15)) {
        value->sharding = draw_constraint(maker, value->shape.rank, can_add(value));
        if (strstr(value->sharding, "unreduced")) bounds->loose_zero = true; // -0 plus zeros
    }
    int first = add_value(maker, value);
    for (int i = 0; first >= 0 && i < maker->extra_count; i++) {
        RandomValue *extra = &maker->extras[i];
        if (!bounds_are_good(extra->shape.kind, &extra->bounds)) continue;
        use(extra, first);
        add_value(maker, extra);
    }
    return first >= 0;
}

bool add_op(Maker *maker) {
    for (int attempt = 0; attempt < 30 && maker->program->value_count < MAX_VALUES - 30;
         attempt++) {
        RandomValue value = {.before = "", .functions = "", .donated_to = -1};
        const OpMaker *op = draw_maker(maker);
        if (!op) return false;
        bool is_made = op->make(maker, &value);
        if (is_made && add_results(maker, &value)) {
            maker->extra_count = 0;
            return true;
        }
        maker->extra_count = 0;
    }
    return false;
}

// ---- the program

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
        if (program->values[i].scope != 0) continue;
        bool is_end = !is_used[i] && !program->values[i].is_argument;
        if (!is_end && !draw_percent(maker, 15)) continue;
        int r = program->result_count++;
        bool is_twice = r > 0 && draw_percent(maker, 4);
        program->results[r] = is_twice ? program->results[r - 1] : i;
        if (program->mesh && draw_percent(maker, 50)) {
            program->result_shardings[r] =
                draw_sharding(maker, program->values[program->results[r]].shape.rank, false);
        }
    }
}

// Some arguments give a result their memory.
static void donate(Maker *maker) {
    RandomProgram *program = maker->program;
    bool is_taken[MAX_PROGRAM_RESULTS] = {false};
    for (int i = 0; i < program->value_count; i++) {
        RandomValue *value = &program->values[i];
        for (int r = 0; value->is_argument && value->scope == 0 && r < program->result_count; r++) {
            if (is_taken[r] ||
                !shape_equal(&value->shape, &program->values[program->results[r]].shape))
                continue;
            if (!draw_percent(maker, 40)) continue;
            program->result_shardings[r] = value->sharding; // as JAX: both lie alike
            value->donated_to = r;
            is_taken[r] = true;
            break;
        }
    }
}

RandomProgram *random_program(Arena *arena, uint64_t seed) {
    RandomProgram *program = ARENA_NEW(arena, RandomProgram);
    program->seed = seed;
    Maker maker = {.arena = arena, .program = program, .state = seed * 0x2545f4914f6cdd1du + 1};
    maker.scope_count = 1;
    maker.next_scope = 1;
    maker.is_large = seed % 12 == 0; // the blocked kernels and the borders of their blocks
    draw_mesh(&maker);
    int first = (int)draw_between(&maker, 1, 3);
    for (int i = 0; i < first; i++) {
        ElementType kind = draw_kind(&maker);
        new_argument(&maker, draw_shape(&maker, kind));
    }
    int ops = (int)draw_between(&maker, 1, draw_percent(&maker, 25) ? 24 : 9);
    for (int i = 0; i < ops; i++) {
        if (!add_op(&maker)) break;
    }
    choose_results(&maker);
    donate(&maker);
    return program;
}

// ---- scopes

bool body_open(Maker *maker, bool is_isolated) {
    if (maker->scope_count == MAX_SCOPES) return false;
    maker->scopes[maker->scope_count] = maker->next_scope++;
    maker->outer_first[maker->scope_count] = maker->first_scope;
    if (is_isolated) maker->first_scope = maker->scope_count;
    maker->scope_count++;
    return true;
}

void body_close(Maker *maker) { maker->first_scope = maker->outer_first[--maker->scope_count]; }

int body_argument(Maker *maker, Shape shape, ValueBounds bounds) {
    RandomValue value = argument_value(shape);
    value.bounds = bounds;
    return add_value(maker, &value);
}

const char *body_lines(Maker *maker, int first, int count, const int *results, const char *indent) {
    StrBuf out = strbuf(maker->arena);
    int scope = maker->scopes[maker->scope_count - 1];
    bool is_needed[MAX_VALUES] = {false}, keeps_all = draw_percent(maker, 20);
    for (int i = 0; i < count; i++) {
        is_needed[results[i]] = true;
    }
    for (int i = maker->program->value_count - 1; i >= first; i--) {
        const RandomValue *value = value_at(maker, i);
        for (int k = 0; is_needed[i] && k < value->operand_count; k++) {
            is_needed[value->operands[k]] = true;
        }
    }
    for (int i = first; i < maker->program->value_count; i++) {
        const RandomValue *value = value_at(maker, i);
        if (value->scope != scope || value->is_argument || !(is_needed[i] || keeps_all)) continue;
        strbuf_printf(&out, "%s%s", value->before, indent);
        if (value->sharding) {
            strbuf_printf(
                &out, "%%u%d = %s\n%s%%v%d = sdy.sharding_constraint %%u%d %s : %s\n", i,
                value->right, indent, i, i, value->sharding, type_of(maker, i));
        } else {
            strbuf_printf(&out, "%%v%d = %s\n", i, value->right);
        }
    }
    return strbuf_cstring(&out);
}

void body_draw(Maker *maker, int count) {
    for (int i = 0; i < count; i++) {
        if (!add_op(maker)) break;
    }
}

bool use_outer(Maker *maker, RandomValue *value, int first) {
    for (int i = first; i < maker->program->value_count; i++) {
        const RandomValue *inner = value_at(maker, i);
        if (inner->scope != maker->scopes[maker->scope_count - 1]) continue; // its op has that
        for (int k = 0; k < inner->operand_count; k++) {
            bool is_new = inner->operands[k] < first;
            for (int other = 0; other < value->operand_count; other++) {
                is_new = is_new && value->operands[other] != inner->operands[k];
            }
            if (!is_new) continue;
            if (value->operand_count == MAX_VALUE_OPERANDS) return false;
            use(value, inner->operands[k]);
        }
        if (inner->functions[0])
            value->functions =
                arena_printf(maker->arena, "%s%s", value->functions, inner->functions);
    }
    return true;
}
