// make_control: loops, branches and calls of random programs, whose bodies are drawn like the
// program; and Shardy's annotating ops.
#include "random_program.h"

#include <math.h>

static bool is_carry(const RandomValue *value) {
    return value->bounds.error == 0 && value->shape.kind != ELEMENT_F8E8M0FNU;
}

// What holds for a carry in every turn: it is clamped to that at the end of the body.
static ValueBounds carry_bounds(const RandomValue *value) {
    ElementType kind = value->shape.kind;
    ValueBounds bounds = value->bounds;
    bounds.grid = bounds.grid >= 1 && floor(bounds.grid) == bounds.grid;
    if (!kind_is_float(kind)) return (ValueBounds){.bound = kind_exact(kind), .grid = 1};
    bounds.loose_zero = bounds.loose_nan = true;
    if (!isinf(bounds.bound)) bounds.bound = fmax(ceil(bounds.bound), 4);
    return bounds;
}

static bool fits_carry(const RandomValue *value, const Shape *shape, const ValueBounds *bounds) {
    if (!shape_equal(&value->shape, shape) || value->bounds.error > 0 || value->bounds.relative > 0)
        return false;
    return bounds->grid == 0 ||
           (value->bounds.grid >= 1 && floor(value->bounds.grid) == value->bounds.grid);
}

// The last value of the body that can be a carry's next, now and then another carry; the
// carry itself when there is none.
static int next_carry(Maker *m, int first, int carry) {
    const RandomValue *value = value_at(m, carry);
    bool takes_carries = draw_percent(m, 25);
    for (int i = m->program->value_count - 1; i >= first; i--) {
        const RandomValue *next = value_at(m, i);
        if (next->scope == value->scope && i != carry && next->is_argument == takes_carries &&
            fits_carry(next, &value->shape, &value->bounds))
            return i;
    }
    return carry;
}

// Lines that bring a carry's next value back within its bound; *name is what the body returns.
static const char *clamp_text(Maker *m, int carry, int next, const char **name) {
    const RandomValue *value = value_at(m, carry), *x = value_at(m, next);
    *name = arena_printf(m->arena, "%%v%d", next);
    if (!kind_is_float(value->shape.kind) || x->bounds.bound <= value->bounds.bound) return "";
    if (kind_is_complex(value->shape.kind)) return NULL;
    const char *low = new_name(m), *high = new_name(m), *k = kind_text(value->shape.kind),
               *type = type_of(m, carry);
    const char *inside = new_name(m);
    int64_t bound = (int64_t)value->bounds.bound;
    const char *operand = *name;
    *name = inside;
    // not a number stays one: anything else is within the bounds
    if (isinf(x->bounds.bound) && !isinf(value->bounds.bound)) return NULL;
    return arena_printf(
        m->arena,
        "      %s = stablehlo.constant dense<-%lld.0> : tensor<%s>\n"
        "      %s = stablehlo.constant dense<%lld.0> : tensor<%s>\n"
        "      %s = stablehlo.clamp %s, %s, %s : (tensor<%s>, %s, tensor<%s>) -> %s\n",
        low, (long long)bound, k, high, (long long)bound, k, inside, low, operand, high, k, type, k,
        type);
}

enum { MAX_CARRIES = 4, MAX_STACKS = 3, MAX_STACKED = 4000 };

// Each round stores a value of the body as a slice of an array.
typedef struct Stack {
    int value, axis;
    Shape shape, slice;
    const char *name, *next;
} Stack;

typedef struct Loop {
    int carry_count, carries[MAX_CARRIES], inside[MAX_CARRIES], counter;
    const char *body, *next[MAX_CARRIES];
    int rounds; // 0 = as many as a value says, and no stacks
    int stack_count;
    Stack stacks[MAX_STACKS];
} Loop;

static Shape with_axis(const Shape *shape, int axis, int64_t size) {
    Shape wide = {.kind = shape->kind, .rank = shape->rank + 1};
    for (int d = 0; d < wide.rank; d++)
        wide.dims[d] = d == axis ? size : shape->dims[d - (d > axis)];
    return wide;
}

// The larger or smaller one of x and another value; -1 = none.
static int add_choice(Maker *m, int x) {
    int y = value_like(m, value_at(m, x)->shape);
    if (y < 0 || value_at(m, y)->bounds.relative > 0 || value_at(m, x)->bounds.relative > 0)
        return -1;
    RandomValue v = {
        .shape = value_at(m, x)->shape, .before = "", .functions = "", .donated_to = -1};
    v.bounds = bounds_either(&value_at(m, x)->bounds, &value_at(m, y)->bounds);
    v.bounds.loose_zero = v.bounds.loose_nan = true;
    v.right = arena_printf(
        m->arena, "stablehlo.%s %%v%d, %%v%d : %s", draw_percent(m, 50) ? "maximum" : "minimum", x,
        y, type_of(m, x));
    use(&v, x);
    use(&v, y);
    return add_value(m, &v);
}

// Values that change from round to round, of which one is made of the other.
static void add_choices(Maker *m, const Loop *loop) {
    int x = loop->inside[0];
    for (int64_t i = draw_between(m, 1, 3); loop->rounds > 0 && i > 0 && x >= 0; i--)
        x = add_choice(m, x);
}

static void draw_stacks(Maker *m, Loop *loop, int first) {
    int most = MAX_CARRIES + 1 - loop->carry_count; // further results
    for (int i = m->program->value_count - 1; i >= first && loop->rounds > 0; i--) {
        const RandomValue *value = value_at(m, i);
        bool is_own = value->scope == m->scopes[m->scope_count - 1] && !value->is_argument;
        bool fits = is_own && value->shape.rank < MAX_VALUE_RANK && value->bounds.relative == 0 &&
                    shape_count(&value->shape) * loop->rounds <= MAX_STACKED;
        if (!fits || loop->stack_count == MAX_STACKS || loop->stack_count == most ||
            draw_percent(m, 30))
            continue;
        Stack *stack = &loop->stacks[loop->stack_count++];
        stack->value = i;
        Shape shape = value->shape;
        if (draw_percent(m, 20)) // in another shape
            shape = (Shape){.kind = shape.kind, .rank = 1, .dims = {shape_count(&value->shape)}};
        stack->axis = draw_percent(m, 70) ? 0 : (int)draw_between(m, 0, shape.rank);
        stack->shape = with_axis(&shape, stack->axis, loop->rounds + (draw_percent(m, 20) ? 1 : 0));
        stack->slice = with_axis(&shape, stack->axis, 1);
        stack->name = new_name(m);
        stack->next = new_name(m);
    }
}

// The stacks as they enter, and the lines that store a round's slices.
static const char *stack_text(Maker *m, RandomValue *v, Loop *loop, StrBuf *starts) {
    StrBuf out = strbuf(m->arena), before = strbuf(m->arena);
    const char *zero = constant_before(m, v, ELEMENT_I32, "0"),
               *last = constant_before(
                   m, v, ELEMENT_I32, arena_printf(m->arena, "%d", loop->rounds - 1));
    for (int i = 0; i < loop->stack_count; i++) {
        const Stack *stack = &loop->stacks[i];
        const char *type = shape_text(m->arena, &stack->shape),
                   *slice = shape_text(m->arena, &stack->slice);
        const char *none =
            constant_before(m, v, stack->shape.kind, scalar_text(m->arena, stack->shape.kind, 0));
        const char *empty = new_name(m), *part = new_name(m),
                   *at = arena_printf(m->arena, "%%v%d", loop->counter);
        strbuf_printf(
            &before, "    %s = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<%s>) -> %s\n",
            empty, none, kind_text(stack->shape.kind), type);
        strbuf_printf(starts, ", %s = %s", stack->name, empty);
        if (draw_percent(m, 40)) { // downwards
            const char *number = new_name(m);
            strbuf_printf(
                &out, "      %s = stablehlo.subtract %s, %s : tensor<i32>\n", number, last, at);
            at = number;
        }
        strbuf_printf(
            &out,
            "      %s = stablehlo.reshape %%v%d : (%s) -> %s\n"
            "      %s = stablehlo.dynamic_update_slice %s, %s",
            part, stack->value, type_of(m, stack->value), slice, stack->next, stack->name, part);
        for (int d = 0; d < stack->shape.rank; d++)
            strbuf_printf(&out, ", %s", d == stack->axis ? at : zero);
        strbuf_printf(&out, " : (%s, %s", type, slice);
        for (int d = 0; d < stack->shape.rank; d++)
            strbuf_puts(&out, ", tensor<i32>");
        strbuf_printf(&out, ") -> %s\n", type);
    }
    v->before = arena_printf(m->arena, "%s%s", v->before, strbuf_cstring(&before));
    return strbuf_cstring(&out);
}

static bool draw_loop_body(Maker *m, RandomValue *v, Loop *loop) {
    int first = m->program->value_count;
    if (!body_open(m, false)) return false;
    loop->counter =
        body_argument(m, (Shape){.kind = ELEMENT_I32}, (ValueBounds){.bound = 5, .grid = 1});
    bool good = loop->counter >= 0;
    for (int i = 0; good && i < loop->carry_count; i++) {
        const RandomValue *value = value_at(m, loop->carries[i]);
        loop->inside[i] = body_argument(m, value->shape, carry_bounds(value));
        good = loop->inside[i] >= 0;
    }
    StrBuf body = strbuf(m->arena);
    if (good) body_draw(m, (int)draw_between(m, 1, 4));
    if (good) add_choices(m, loop);
    int nexts[MAX_CARRIES + MAX_STACKS] = {0};
    for (int i = 0; good && i < loop->carry_count; i++) {
        nexts[i] = next_carry(m, first, loop->inside[i]);
    }
    if (good) draw_stacks(m, loop, first);
    for (int i = 0; i < loop->stack_count; i++)
        nexts[loop->carry_count + i] = loop->stacks[i].value;
    int needed = loop->carry_count + loop->stack_count;
    if (good) strbuf_puts(&body, body_lines(m, first, needed, nexts, "      "));
    for (int i = 0; good && i < loop->carry_count; i++) {
        const char *lines = clamp_text(m, loop->inside[i], nexts[i], &loop->next[i]);
        if (!lines) {
            loop->next[i] = arena_printf(m->arena, "%%v%d", loop->inside[i]);
            lines = "";
        }
        strbuf_puts(&body, lines);
    }
    loop->body = strbuf_cstring(&body);
    good = good && use_outer(m, v, first);
    body_close(m);
    return good;
}

// Up to five turns; one to four carries beside the counter, and stacks where their number is known.
static bool make_while(Maker *m, RandomValue *v) {
    Loop loop = {.carry_count = (int)draw_between(m, 1, draw_percent(m, 60) ? 2 : MAX_CARRIES)};
    for (int i = 0; i < loop.carry_count; i++) {
        loop.carries[i] = draw_value(m, is_carry);
        if (loop.carries[i] < 0) return false;
    }
    if (draw_percent(m, 50)) loop.rounds = (int)draw_between(m, 1, 5);
    int limit = loop.rounds ? 0 : value_like(m, (Shape){.kind = ELEMENT_I32});
    if (limit < 0 || (!loop.rounds && value_at(m, limit)->bounds.bound > 5)) return false;
    if (!loop.rounds) use(v, limit);
    const char *end =
        loop.rounds ? constant_before(m, v, ELEMENT_I32, arena_printf(m->arena, "%d", loop.rounds))
                    : arena_printf(m->arena, "%%v%d", limit);
    for (int i = 0; i < loop.carry_count; i++) {
        use(v, loop.carries[i]);
    }
    const char *zero = constant_before(m, v, ELEMENT_I32, "0"),
               *one = constant_before(m, v, ELEMENT_I32, "1");
    if (!draw_loop_body(m, v, &loop)) return false;
    StrBuf starts = strbuf(m->arena), types = strbuf(m->arena), results = strbuf(m->arena);
    for (int i = 0; i < loop.carry_count; i++) {
        strbuf_printf(&starts, ", %%v%d = %%v%d", loop.inside[i], loop.carries[i]);
        strbuf_printf(&types, ", %s", type_of(m, loop.carries[i]));
        strbuf_printf(&results, ", %s", loop.next[i]);
    }
    const char *stores = stack_text(m, v, &loop, &starts);
    for (int i = 0; i < loop.stack_count; i++) {
        strbuf_printf(&types, ", %s", shape_text(m->arena, &loop.stacks[i].shape));
        strbuf_printf(&results, ", %s", loop.stacks[i].next);
    }
    const char *all = new_name(m), *go = new_name(m), *next = new_name(m);
    v->before = arena_printf(
        m->arena,
        "%s    %s:%d = stablehlo.while(%%v%d = %s%s) : tensor<i32>%s\n"
        "     cond {\n      %s = stablehlo.compare LT, %%v%d, %s, SIGNED : (tensor<i32>, "
        "tensor<i32>) -> "
        "tensor<i1>\n      stablehlo.return %s : tensor<i1>\n    } do {\n%s%s"
        "      %s = stablehlo.add %%v%d, %s : tensor<i32>\n      stablehlo.return %s%s : "
        "tensor<i32>%s\n    }\n",
        v->before, all, 1 + loop.carry_count + loop.stack_count, loop.counter, zero,
        strbuf_cstring(&starts), strbuf_cstring(&types), go, loop.counter, end, go, loop.body,
        stores, next, loop.counter, one, next, strbuf_cstring(&results), strbuf_cstring(&types));
    for (int i = 0; i < loop.carry_count; i++) {
        const RandomValue *value = value_at(m, loop.carries[i]);
        const char *type = type_of(m, loop.carries[i]);
        if (i > 0) add_extra(m, all, i + 1, value->shape, carry_bounds(value));
        if (i > 0) continue;
        v->shape = value->shape;
        v->bounds = carry_bounds(value);
        v->right = arena_printf(m->arena, "stablehlo.reshape %s#1 : (%s) -> %s", all, type, type);
    }
    for (int i = 0; i < loop.stack_count; i++)
        add_extra(
            m, all, 1 + loop.carry_count + i, loop.stacks[i].shape,
            value_at(m, loop.stacks[i].value)->bounds);
    return true;
}

// ---- branches

enum { MAX_BRANCH_RESULTS = 3 };

// The last value of the open body that has this shape, or one from outside or a new one.
static int branch_result(Maker *m, int first, Shape shape) {
    for (int i = m->program->value_count - 1; i >= first; i--) {
        const RandomValue *inner = value_at(m, i);
        bool is_own = inner->scope == m->scopes[m->scope_count - 1] && inner->bounds.relative == 0;
        if (is_own && shape_equal(&inner->shape, &shape)) return i;
    }
    return value_like(m, shape);
}

// A branch that returns arrays of these shapes.
static const char *draw_branch(
    Maker *m, RandomValue *v, int count, const Shape *shapes, ValueBounds *bounds) {
    int first = m->program->value_count, results[MAX_BRANCH_RESULTS];
    if (!body_open(m, false)) return NULL;
    body_draw(m, (int)draw_between(m, 0, 3));
    StrBuf names = strbuf(m->arena), types = strbuf(m->arena);
    bool good = true;
    for (int i = 0; good && i < count; i++) {
        results[i] = branch_result(m, first, shapes[i]);
        good = results[i] >= 0;
        if (!good) break;
        bounds[i] = value_at(m, results[i])->bounds;
        strbuf_printf(&names, "%s%%v%d", i ? ", " : "", results[i]);
        strbuf_printf(&types, "%s%s", i ? ", " : "", shape_text(m->arena, &shapes[i]));
    }
    good = good && use_outer(m, v, first);
    for (int i = 0; good && i < count; i++) {
        if (results[i] >= first) continue;
        good = v->operand_count < MAX_VALUE_OPERANDS;
        if (good) use(v, results[i]);
    }
    const char *lines = good ? body_lines(m, first, count, results, "      ") : "";
    body_close(m);
    if (!good) return NULL;
    return arena_printf(
        m->arena, "{\n%s      stablehlo.return %s : %s\n    }", lines, strbuf_cstring(&names),
        strbuf_cstring(&types));
}

static bool make_branches(Maker *m, RandomValue *v) {
    Shape shapes[MAX_BRANCH_RESULTS];
    ValueBounds bounds[MAX_BRANCH_RESULTS], branch_bounds[MAX_BRANCH_RESULTS];
    int results = draw_percent(m, 60) ? 1 : (int)draw_between(m, 2, MAX_BRANCH_RESULTS);
    StrBuf types = strbuf(m->arena);
    for (int i = 0; i < results; i++) {
        int a = draw_value(m, NULL);
        if (a < 0) return false;
        shapes[i] = value_at(m, a)->shape;
        strbuf_printf(&types, "%s%s", i ? ", " : "", type_of(m, a));
    }
    bool is_if = draw_percent(m, 40);
    int index = value_like(m, (Shape){.kind = is_if ? ELEMENT_I1 : ELEMENT_I32});
    if (index < 0) return false;
    use(v, index);
    int count = is_if ? 2 : (int)draw_between(m, 1, 3);
    StrBuf regions = strbuf(m->arena);
    for (int b = 0; b < count; b++) {
        const char *branch = draw_branch(m, v, results, shapes, branch_bounds);
        if (!branch) return false;
        for (int i = 0; i < results; i++)
            bounds[i] = b ? bounds_either(&bounds[i], &branch_bounds[i]) : branch_bounds[i];
        strbuf_printf(&regions, "%s%s", b ? ", " : "", branch);
    }
    const char *type = shape_text(m->arena, &shapes[0]);
    v->shape = shapes[0];
    v->bounds = bounds[0];
    v->right = arena_printf(
        m->arena, "\"stablehlo.%s\"(%%v%d) (%s) : (tensor<%s>) -> (%s)", is_if ? "if" : "case",
        index, strbuf_cstring(&regions), is_if ? "i1" : "i32", strbuf_cstring(&types));
    if (results == 1) return true;
    const char *all = new_name(m);
    v->before = arena_printf(m->arena, "%s    %s:%d = %s\n", v->before, all, results, v->right);
    v->right = arena_printf(m->arena, "stablehlo.reshape %s#0 : (%s) -> %s", all, type, type);
    for (int i = 1; i < results; i++)
        add_extra(m, all, i, shapes[i], bounds[i]);
    return true;
}

// ---- calls

typedef struct Callee {
    int count, arguments[3], inside[3];
    int result_count, results[2];
    const char *lines;
} Callee;

// An isolated body over one to three values.
static bool draw_callee(Maker *m, RandomValue *v, Callee *callee) {
    *callee = (Callee){.count = (int)draw_between(m, 1, 3)};
    for (int i = 0; i < callee->count; i++) {
        callee->arguments[i] = draw_value(m, NULL);
        if (callee->arguments[i] < 0) return false;
        use(v, callee->arguments[i]);
    }
    int first = m->program->value_count;
    if (!body_open(m, true)) return false;
    bool good = true;
    for (int i = 0; good && i < callee->count; i++) {
        const RandomValue *argument = value_at(m, callee->arguments[i]);
        callee->inside[i] = body_argument(m, argument->shape, argument->bounds);
        good = callee->inside[i] >= 0;
    }
    if (good) body_draw(m, (int)draw_between(m, 1, 4));
    int most = draw_percent(m, 30) ? 2 : 1;
    for (int i = m->program->value_count - 1; good && i >= first; i--) {
        const RandomValue *inner = value_at(m, i);
        bool is_own = inner->scope == m->scopes[m->scope_count - 1] && !inner->is_argument;
        if (is_own && inner->bounds.relative == 0 && callee->result_count < most)
            callee->results[callee->result_count++] = i;
    }
    if (good && callee->result_count == 0)
        callee->results[callee->result_count++] = callee->inside[0];
    if (good) callee->lines = body_lines(m, first, callee->result_count, callee->results, "      ");
    good = good && use_outer(m, v, first);
    body_close(m);
    if (!good) return false;
    v->shape = value_at(m, callee->results[0])->shape;
    v->bounds = value_at(m, callee->results[0])->bounds;
    return true;
}

// "%v1, %v2" of what a body returns, and the types.
static void returned_texts(Maker *m, const Callee *callee, StrBuf *names, StrBuf *types) {
    for (int i = 0; i < callee->result_count; i++) {
        strbuf_printf(names, "%s%%v%d", i ? ", " : "", callee->results[i]);
        strbuf_printf(types, "%s%s", i ? ", " : "", type_of(m, callee->results[i]));
    }
}

// v becomes the first result of the op that its right side says, a further value the second one.
static void split_results(Maker *m, RandomValue *v, const Callee *callee) {
    if (callee->result_count == 1) return;
    const char *all = new_name(m), *type = shape_text(m->arena, &v->shape);
    const RandomValue *second = value_at(m, callee->results[1]);
    v->before = arena_printf(m->arena, "%s    %s:2 = %s\n", v->before, all, v->right);
    v->right = arena_printf(m->arena, "stablehlo.reshape %s#0 : (%s) -> %s", all, type, type);
    add_extra(m, all, 1, second->shape, second->bounds);
}

// "%v1, %v2" of what is passed, "%v7: tensor<..>" of what the body sees, and the types.
static void callee_texts(
    Maker *m, const Callee *callee, const int *passed, StrBuf *names, StrBuf *inside,
    StrBuf *types) {
    for (int i = 0; i < callee->count; i++) {
        const char *comma = i ? ", " : "", *type = type_of(m, callee->inside[i]);
        strbuf_printf(names, "%s%%v%d", comma, passed[i]);
        strbuf_printf(inside, "%s%%v%d: %s", comma, callee->inside[i], type);
        strbuf_printf(types, "%s%s", comma, type);
    }
}

static bool is_within(const ValueBounds *a, const ValueBounds *b) {
    return a->bound <= b->bound && a->error <= b->error && a->grid >= b->grid &&
           (b->grid == 0 || fmod(a->grid, b->grid) == 0) && a->loose_zero <= b->loose_zero &&
           a->loose_nan <= b->loose_nan;
}

// Other values that the function can be called with.
static bool draw_other_arguments(Maker *m, const Callee *callee, int *passed) {
    bool is_other = false;
    for (int i = 0; i < callee->count; i++) {
        const RandomValue *formal = value_at(m, callee->inside[i]);
        passed[i] = value_like(m, formal->shape);
        if (passed[i] < 0 || !is_within(&value_at(m, passed[i])->bounds, &formal->bounds))
            passed[i] = callee->arguments[i];
        is_other = is_other || passed[i] != callee->arguments[i];
    }
    return is_other;
}

static bool make_call(Maker *m, RandomValue *v) {
    Callee callee;
    if (!draw_callee(m, v, &callee)) return false;
    StrBuf names = strbuf(m->arena), inside = strbuf(m->arena), types = strbuf(m->arena),
           returned = strbuf(m->arena), to = strbuf(m->arena);
    callee_texts(m, &callee, callee.arguments, &names, &inside, &types);
    returned_texts(m, &callee, &returned, &to);
    const char *function = arena_printf(m->arena, "f%d", m->next_name++);
    v->functions = arena_printf(
        m->arena, "%s  func.func private @%s(%s) -> (%s) {\n%s    return %s : %s\n  }\n",
        v->functions, function, strbuf_cstring(&inside), strbuf_cstring(&to), callee.lines,
        strbuf_cstring(&returned), strbuf_cstring(&to));
    if (draw_percent(m, 25)) {
        v->right = arena_printf(
            m->arena, "stablehlo.composite \"random.%s\" %s {decomposition = @%s} : (%s) -> (%s)",
            function, strbuf_cstring(&names), function, strbuf_cstring(&types),
            strbuf_cstring(&to));
        split_results(m, v, &callee);
        return true;
    }
    v->right = arena_printf(
        m->arena, "func.call @%s(%s) : (%s) -> (%s)", function, strbuf_cstring(&names),
        strbuf_cstring(&types), strbuf_cstring(&to));
    split_results(m, v, &callee);
    int passed[3];
    if (!draw_percent(m, 50) || !draw_other_arguments(m, &callee, passed)) return true;
    RandomValue second = {
        .shape = v->shape, .bounds = v->bounds, .before = "", .functions = "", .donated_to = -1};
    StrBuf others = strbuf(m->arena), skipped = strbuf(m->arena), again = strbuf(m->arena);
    callee_texts(m, &callee, passed, &others, &skipped, &again);
    for (int i = 0; i < callee.count; i++) {
        use(&second, passed[i]);
    }
    const char *all = new_name(m), *type = shape_text(m->arena, &v->shape);
    second.before = arena_printf(
        m->arena, "    %s:%d = func.call @%s(%s) : (%s) -> (%s)\n", all, callee.result_count,
        function, strbuf_cstring(&others), strbuf_cstring(&types), strbuf_cstring(&to));
    second.right = arena_printf(m->arena, "stablehlo.reshape %s#0 : (%s) -> %s", all, type, type);
    m->extras[m->extra_count++] = second;
    return true;
}

static bool make_named(Maker *m, RandomValue *v) {
    Callee callee;
    if (!m->program->mesh || m->is_manual || !draw_callee(m, v, &callee)) return false;
    StrBuf names = strbuf(m->arena), inside = strbuf(m->arena), types = strbuf(m->arena),
           returned = strbuf(m->arena), to = strbuf(m->arena), shardings = strbuf(m->arena);
    callee_texts(m, &callee, callee.arguments, &names, &inside, &types);
    returned_texts(m, &callee, &returned, &to);
    if (draw_percent(m, 40)) {
        for (int i = 0; i < callee.count; i++) {
            strbuf_printf(
                &shardings, "%s%s", i ? ", " : " in_shardings=[",
                draw_sharding(m, value_at(m, callee.inside[i])->shape.rank, false));
        }
        for (int i = 0; i < callee.result_count; i++) {
            strbuf_printf(
                &shardings, "%s%s", i ? ", " : "] out_shardings=[",
                draw_sharding(m, value_at(m, callee.results[i])->shape.rank, false));
        }
        strbuf_putc(&shardings, ']');
    }
    v->right = arena_printf(
        m->arena,
        "sdy.named_computation<\"n%d\">(%s)%s (%s) {\n%s      sdy.return %s : %s\n    } : (%s) "
        "-> (%s)",
        m->next_name++, strbuf_cstring(&names), strbuf_cstring(&shardings), strbuf_cstring(&inside),
        callee.lines, strbuf_cstring(&returned), strbuf_cstring(&to), strbuf_cstring(&types),
        strbuf_cstring(&to));
    split_results(m, v, &callee);
    return true;
}

// ---- tuples, tokens, annotations

static bool make_tuple(Maker *m, RandomValue *v) {
    int a = draw_value(m, NULL), b = draw_value(m, NULL);
    if (a < 0 || b < 0) return false;
    const char *tuple = new_name(m), *token = new_name(m), *both = new_name(m);
    const char *types = arena_printf(m->arena, "tuple<%s, %s>", type_of(m, a), type_of(m, b));
    int which = (int)draw_below(m, 2), from = which ? b : a;
    v->shape = value_at(m, from)->shape;
    v->bounds = value_at(m, from)->bounds;
    use(v, a);
    use(v, b);
    if (draw_percent(m, 60)) {
        v->before = arena_printf(
            m->arena, "    %s = stablehlo.tuple %%v%d, %%v%d : %s\n", tuple, a, b, types);
        v->right = arena_printf(
            m->arena, "stablehlo.get_tuple_element %s[%d] : (%s) -> %s", tuple, which, types,
            type_of(m, from));
    } else {
        v->before = arena_printf(
            m->arena,
            "    %s = stablehlo.after_all : !stablehlo.token\n"
            "    %s:3 = stablehlo.optimization_barrier %%v%d, %s, %%v%d : %s, !stablehlo.token, "
            "%s\n",
            token, both, a, token, b, type_of(m, a), type_of(m, b));
        v->right = arena_printf(
            m->arena, "stablehlo.reshape %s#%d : (%s) -> %s", both, which ? 2 : 0, type_of(m, from),
            type_of(m, from));
    }
    return true;
}

// A barrier of the propagation, a reshard, or a group of values that are sharded alike.
static bool make_annotation(Maker *m, RandomValue *v) {
    static const char *const directions[] = {"NONE", "FORWARD", "BACKWARD"};
    int a = draw_value(m, NULL);
    if (a < 0 || !m->program->mesh || m->scope_count > 1) return false;
    const char *type = type_of(m, a);
    v->shape = value_at(m, a)->shape;
    v->bounds = value_at(m, a)->bounds;
    use(v, a);
    switch (draw_below(m, 3)) {
    case 0:
        v->right = arena_printf(
            m->arena, "sdy.propagation_barrier %%v%d allowed_direction=%s : %s", a,
            directions[draw_below(m, 3)], type);
        return true;
    case 1:
        v->right = arena_printf(
            m->arena, "sdy.reshard %%v%d %s : %s", a, draw_sharding(m, v->shape.rank, true), type);
        return true;
    default: {
        int b = value_like(m, v->shape), group = m->next_name++;
        if (b < 0 || b == a) return false;
        use(v, b);
        v->before = arena_printf(
            m->arena,
            "    sdy.sharding_group %%v%d group_id=%d : %s\n    sdy.sharding_group %%v%d "
            "group_id=%d : %s\n",
            a, group, type, b, group, type);
        v->right = arena_printf(m->arena, "stablehlo.optimization_barrier %%v%d : %s", b, type);
        v->bounds = value_at(m, b)->bounds;
        return true;
    }
    }
}

const OpMaker control_makers[] = {
    {"while", 4, make_while}, {"branches", 3, make_branches}, {"call", 3, make_call},
    {"named", 2, make_named}, {"tuple", 1, make_tuple},       {"annotation", 3, make_annotation},
};
const int control_maker_count = sizeof control_makers / sizeof control_makers[0];
