// make_manual: manual computations with one collective over one axis between drawn ops, for random
// programs. Now and then with a second operand, which the collective does not see, and a second
// result, any value of the body.
#include "random_program.h"

#include <math.h>

static bool can_be_summed(const RandomValue *value) {
    return value->shape.rank > 0 && can_add(value);
}

// Which axis splits each dimension. Axes that split nothing hold copies.
typedef struct Layout {
    int axis[MAX_VALUE_RANK][MAX_PROGRAM_AXES]; // major to minor
    int count[MAX_VALUE_RANK];
} Layout;

static int64_t split(const Maker *m, const Layout *layout, int d) {
    int64_t size = 1;
    for (int i = 0; i < layout->count[d]; i++) {
        size *= m->program->axis_sizes[layout->axis[d][i]];
    }
    return size;
}

static void add_axis(Layout *layout, int d, int axis) {
    layout->axis[d][layout->count[d]++] = axis;
}

static bool has_axis(const Layout *layout, int rank, int axis) {
    for (int d = 0; d < rank; d++) {
        for (int i = 0; i < layout->count[d]; i++) {
            if (layout->axis[d][i] == axis) return true;
        }
    }
    return false;
}

// Gives manual axes to dimensions that they divide.
static void draw_layout(
    Maker *m, const Shape *shape, int except, const bool *is_manual, Layout *layout) {
    *layout = (Layout){.count = {0}};
    for (int axis = 0; axis < m->program->axis_count; axis++) {
        int d = (int)draw_below(m, shape->rank);
        if (axis == except || !is_manual[axis] || draw_percent(m, 40)) continue;
        int64_t size = split(m, layout, d) * m->program->axis_sizes[axis];
        if (shape->dims[d] % size == 0) add_axis(layout, d, axis);
    }
}

static const char *layout_text(const Maker *m, const Layout *layout, int rank) {
    StrBuf out = strbuf(m->arena);
    strbuf_puts(&out, "<@mesh, [");
    for (int d = 0; d < rank; d++) {
        strbuf_puts(&out, d ? ", {" : "{");
        for (int i = 0; i < layout->count[d]; i++) {
            strbuf_printf(&out, "%s\"%c\"", i ? ", " : "", 'w' + layout->axis[d][i]);
        }
        strbuf_putc(&out, '}');
    }
    strbuf_puts(&out, "]>");
    return strbuf_cstring(&out);
}

static Shape local_of(const Maker *m, const Shape *shape, const Layout *layout) {
    Shape local = *shape;
    for (int d = 0; d < shape->rank; d++) {
        local.dims[d] /= split(m, layout, d);
    }
    return local;
}

// Devices along the axis, one group per place on the other axes: [[0, 2], [1, 3]].
static const char *groups_text(const Maker *m, int axis, const char **type) {
    const RandomProgram *p = m->program;
    int64_t stride = 1, devices = 1, size = p->axis_sizes[axis];
    for (int a = 0; a < p->axis_count; a++) {
        devices *= p->axis_sizes[a];
        if (a > axis) stride *= p->axis_sizes[a];
    }
    StrBuf out = strbuf(m->arena);
    strbuf_putc(&out, '[');
    for (int64_t first = 0; first < devices; first++) {
        if (first / stride % size != 0) continue;
        strbuf_puts(&out, first ? ", [" : "[");
        for (int64_t i = 0; i < size; i++) {
            int64_t device = first + i * stride;
            strbuf_printf(&out, "%s%lld", i ? ", " : "", (long long)device);
        }
        strbuf_putc(&out, ']');
    }
    strbuf_putc(&out, ']');
    *type = arena_printf(
        m->arena, "tensor<%lldx%lldxi64>", (long long)(devices / size), (long long)size);
    return strbuf_cstring(&out);
}

// Everybody sends to the next along the axis; the last one to the first, or to nobody.
static const char *pairs_text(Maker *m, int axis, bool is_ring, const char **type) {
    const RandomProgram *p = m->program;
    int64_t stride = 1, devices = 1, size = p->axis_sizes[axis], count = 0;
    for (int a = 0; a < p->axis_count; a++) {
        devices *= p->axis_sizes[a];
        if (a > axis) stride *= p->axis_sizes[a];
    }
    StrBuf out = strbuf(m->arena);
    strbuf_putc(&out, '[');
    for (int64_t device = 0; device < devices; device++) {
        bool is_last = device / stride % size == size - 1;
        if (is_last && !is_ring) continue;
        int64_t to = is_last ? device - (size - 1) * stride : device + stride;
        strbuf_printf(
            &out, "%s[%lld, %lld]", count++ ? ", " : "", (long long)device, (long long)to);
    }
    strbuf_putc(&out, ']');
    *type = arena_printf(m->arena, "tensor<%lldx2xi64>", (long long)count);
    return count ? strbuf_cstring(&out) : NULL;
}

typedef enum Collective {
    ALL_REDUCE,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL,
    PERMUTE,
    BROADCAST,
    COLLECTIVE_COUNT
} Collective;

typedef struct Manual {
    Collective what;
    bool is_manual[MAX_PROGRAM_AXES]; // the other axes stay free
    bool has_split;                   // the axis splits dimension d of the operand
    int axis, d, to;                  // to: the other dimension of an all-to-all
    const char *reducer;
    Layout in, out;
    Shape result; // whole
    Shape local, local_result;
    int argument, value;            // inside: the operand's part; what is returned
    int body, joined, joined_count; // the body's first value, the collective's first result
    // The second operand and the second result; numbers are -1 where there is none.
    int side_operand, side_argument, side_value;
    Layout side_in, side_out;
    Shape side_result;
} Manual;

// Layouts before and after; the axis is the last that splits its dimension.
static bool plan_manual(Maker *m, const Shape *shape, Manual *plan) {
    plan->what = (Collective)draw_below(m, COLLECTIVE_COUNT);
    plan->axis = (int)draw_below(m, m->program->axis_count);
    bool has_free = draw_percent(m, 35);
    for (int axis = 0; axis < m->program->axis_count; axis++) {
        plan->is_manual[axis] = axis == plan->axis || !has_free || draw_percent(m, 40);
    }
    plan->d = (int)draw_below(m, shape->rank);
    plan->to = (int)draw_below(m, shape->rank);
    int64_t size = m->program->axis_sizes[plan->axis];
    draw_layout(m, shape, plan->axis, plan->is_manual, &plan->in);
    plan->out = plan->in;
    plan->result = *shape;
    bool has_split = plan->what == ALL_GATHER || plan->what == ALL_TO_ALL || draw_percent(m, 50);
    if (plan->what == REDUCE_SCATTER) has_split = false;
    plan->has_split = has_split;
    if (has_split) {
        if (shape->dims[plan->d] % (split(m, &plan->in, plan->d) * size) != 0) return false;
        add_axis(&plan->in, plan->d, plan->axis);
        bool is_one = plan->what == ALL_REDUCE || plan->what == BROADCAST;
        if (is_one) plan->result.dims[plan->d] /= size; // the parts become one
        if (plan->what == PERMUTE) plan->out = plan->in;
    }
    int to = plan->what == ALL_TO_ALL ? plan->to : plan->d;
    if (plan->what == ALL_TO_ALL && plan->to == plan->d) return false;
    if (plan->what == REDUCE_SCATTER || plan->what == ALL_TO_ALL) {
        if (shape->dims[to] % (split(m, &plan->out, to) * size) != 0) return false;
        add_axis(&plan->out, to, plan->axis);
    }
    plan->local = local_of(m, shape, &plan->in);
    plan->local_result = local_of(m, &plan->result, &plan->out);
    return shape_count(&plan->local) > 0;
}

static const char *permute_text(
    Maker *m, const Manual *plan, const char *operands, const char *channel) {
    bool is_ring = !plan->has_split || draw_percent(m, 50); // copies must stay equal
    const char *of_pairs = NULL, *pairs = pairs_text(m, plan->axis, is_ring, &of_pairs);
    if (!pairs) return NULL;
    return arena_printf(
        m->arena,
        "\"stablehlo.collective_permute\"(%s) <{%s, source_target_pairs = dense<%s> : %s}>",
        operands, channel, pairs, of_pairs);
}

// `operands`: "%v1, %v2".
static const char *collective_text(Maker *m, const Manual *plan, const char *operands) {
    static const char channel[] =
        "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
    const char *of_groups = NULL, *k = kind_text(plan->local.kind);
    const char *groups = groups_text(m, plan->axis, &of_groups);
    const char *body = arena_printf(
        m->arena,
        "({\n      ^bb0(%%left: tensor<%s>, %%right: tensor<%s>):\n        %%sum = stablehlo.%s "
        "%%left, %%right : "
        "tensor<%s>\n"
        "        stablehlo.return %%sum : tensor<%s>\n      })",
        k, k, plan->reducer, k, k);
    switch (plan->what) {
    case ALL_REDUCE:
        return arena_printf(
            m->arena,
            "\"stablehlo.all_reduce\"(%s) <{%s, replica_groups = dense<%s> : %s, "
            "use_global_device_ids}> %s",
            operands, channel, groups, of_groups, body);
    case REDUCE_SCATTER:
        return arena_printf(
            m->arena,
            "\"stablehlo.reduce_scatter\"(%s) <{%s, replica_groups = dense<%s> : %s, "
            "scatter_dimension = %d : i64, "
            "use_global_device_ids}> %s",
            operands, channel, groups, of_groups, plan->d, body);
    case ALL_GATHER:
        return arena_printf(
            m->arena,
            "\"stablehlo.all_gather\"(%s) <{all_gather_dim = %d : i64, %s, replica_groups = "
            "dense<%s> : %s, "
            "use_global_device_ids}>",
            operands, plan->d, channel, groups, of_groups);
    case ALL_TO_ALL:
        return arena_printf(
            m->arena,
            "\"stablehlo.all_to_all\"(%s) <{%s, concat_dimension = %d : i64, replica_groups = "
            "dense<%s> : %s, "
            "split_count = %lld : i64, split_dimension = %d : i64}>",
            operands, channel, plan->d, groups, of_groups,
            (long long)m->program->axis_sizes[plan->axis], plan->to);
    case PERMUTE: return permute_text(m, plan, operands, channel);
    case BROADCAST:
        return arena_printf(
            m->arena,
            "\"stablehlo.collective_broadcast\"(%s) <{%s, replica_groups = dense<%s> : %s}>",
            operands, channel, groups, of_groups);
    case COLLECTIVE_COUNT: break;
    }
    return NULL;
}

static bool is_returnable(const Maker *m, int i, const Shape *shape) {
    const RandomValue *value = value_at(m, i);
    bool is_own = value->scope == m->scopes[m->scope_count - 1] && value->bounds.relative == 0;
    return is_own && shape_equal(&value->shape, shape);
}

// The last value of the open body that has this shape; -1 when there is none.
static int last_of(const Maker *m, int first, const Shape *shape) {
    for (int i = m->program->value_count - 1; i >= first; i--)
        if (is_returnable(m, i, shape)) return i;
    return -1;
}

// May the value differ between devices along the collective's axis that its results do not?
static bool reads_around_collective(const Maker *m, const Manual *plan, int i) {
    if (i < plan->body) return false;
    if (i < plan->joined) return true;
    if (i < plan->joined + plan->joined_count) return false;
    const RandomValue *value = value_at(m, i);
    for (int k = 0; k < value->operand_count; k++)
        if (reads_around_collective(m, plan, value->operands[k])) return true;
    return false;
}

// What the body returns: after the collective, and where the result is not laid out along an axis
// that lays out the operand, of what the collective made of the parts alone.
static int returned_value(const Maker *m, const Manual *plan) {
    int rank = plan->local.rank;
    bool is_joined =
        has_axis(&plan->in, rank, plan->axis) && !has_axis(&plan->out, rank, plan->axis);
    for (int i = m->program->value_count - 1; i >= plan->joined; i--) {
        if (!is_returnable(m, i, &plan->local_result)) continue;
        if (!is_joined || !reads_around_collective(m, plan, i)) return i;
    }
    return -1;
}

static ValueBounds collective_bounds(const Maker *m, const Manual *plan, const RandomValue *x) {
    ElementType kind = x->shape.kind;
    ValueBounds bounds = x->bounds;
    if (plan->what == PERMUTE) bounds.loose_zero = true;
    if (plan->what != ALL_REDUCE && plan->what != REDUCE_SCATTER) return bounds;
    int64_t terms = m->program->axis_sizes[plan->axis];
    if (!kind_is_float(kind)) return (ValueBounds){.bound = kind_exact(kind), .grid = 1};
    if (plan->reducer[0] == 'm') {
        bounds.loose_zero = true;
        return bounds;
    }
    return bounds_summed(
        kind, (double)terms * x->bounds.bound, (double)terms * x->bounds.error, x->bounds.grid,
        terms);
}

// The collective on one or two parts of one shape; its results become values. Returns the first
// one's number, -1 when nothing fits.
static int add_collective(Maker *m, const Manual *plan, int count, const int *parts) {
    StrBuf names = strbuf(m->arena), from = strbuf(m->arena), to = strbuf(m->arena);
    const char *type = shape_text(m->arena, &plan->local_result), *all = new_name(m);
    RandomValue moved = {
        .shape = plan->local_result, .before = "", .functions = "", .donated_to = -1};
    for (int i = 0; i < count; i++) {
        strbuf_printf(&names, "%s%%v%d", i ? ", " : "", parts[i]);
        strbuf_printf(&from, "%s%s", i ? ", " : "", type_of(m, parts[i]));
        strbuf_printf(&to, "%s%s", i ? ", " : "", type);
        use(&moved, parts[i]);
    }
    const char *collective = collective_text(m, plan, strbuf_cstring(&names));
    if (!collective) return -1;
    const char *text = arena_printf(
        m->arena, "%s : (%s) -> (%s)", collective, strbuf_cstring(&from), strbuf_cstring(&to));
    int first = -1;
    for (int i = 0; i < count; i++) {
        moved.bounds = collective_bounds(m, plan, value_at(m, parts[i]));
        if (!bounds_are_good(moved.shape.kind, &moved.bounds)) return -1;
        moved.right = text;
        if (count > 1) {
            moved.before = i ? "" : arena_printf(m->arena, "      %s:%d = %s\n", all, count, text);
            moved.right =
                arena_printf(m->arena, "stablehlo.reshape %s#%d : (%s) -> %s", all, i, type, type);
        }
        int added = add_value(m, &moved);
        if (added < 0) return -1;
        if (i > 0) continue;
        first = added;
        moved.operand_count = 0;
        use(&moved, first);
    }
    return first;
}

// A value of the body that becomes the second result: any one with a dimension
// to lay the devices' parts along.
static void draw_side_result(Maker *m, int first, Manual *plan) {
    int values[MAX_VALUES], count = 0;
    for (int i = first; i < m->program->value_count; i++) {
        const RandomValue *value = value_at(m, i);
        bool is_own = value->scope == m->scopes[m->scope_count - 1] && value->bounds.relative == 0;
        if (is_own && value->shape.rank > 0 && i != plan->value) values[count++] = i;
    }
    if (count == 0) return;
    plan->side_value = values[draw_below(m, count)];
    plan->side_result = value_at(m, plan->side_value)->shape;
    int order = (int)draw_below(m, m->program->axis_count);
    for (int i = 0; i < m->program->axis_count; i++) {
        int axis = (order + i) % m->program->axis_count,
            d = (int)draw_below(m, plan->side_result.rank);
        bool varies = axis == plan->axis || has_axis(&plan->in, plan->local.rank, axis);
        if (!plan->is_manual[axis] || (!varies && draw_percent(m, 60))) continue;
        add_axis(&plan->side_out, d, axis);
        plan->side_result.dims[d] *= m->program->axis_sizes[axis];
    }
    if (shape_count(&plan->side_result) > 20000) plan->side_value = -1;
}

// Ops on a device's part, the collective, ops on its result.
static bool draw_body(Maker *m, Manual *plan, const ValueBounds *bounds, const char **lines) {
    int first = m->program->value_count, parts[2];
    plan->argument = body_argument(m, plan->local, *bounds);
    if (plan->argument < 0) return false;
    if (plan->side_operand >= 0) {
        const RandomValue *side = value_at(m, plan->side_operand);
        plan->side_argument =
            body_argument(m, local_of(m, &side->shape, &plan->side_in), side->bounds);
        if (plan->side_argument < 0) return false;
    }
    body_draw(m, (int)draw_below(m, 3));
    parts[0] = last_of(m, first, &plan->local);
    if (!can_be_summed(value_at(m, parts[0]))) parts[0] = plan->argument;
    bool can_be_two = plan->what != PERMUTE && plan->what != BROADCAST;
    parts[1] = plan->argument;
    plan->body = first;
    plan->joined_count = can_be_two && draw_percent(m, 25) ? 2 : 1;
    plan->joined = add_collective(m, plan, plan->joined_count, parts);
    if (plan->joined < 0) return false;
    body_draw(m, (int)draw_below(m, 3));
    plan->value = returned_value(m, plan);
    if (plan->value < 0) return false;
    if (draw_percent(m, 30)) draw_side_result(m, first, plan);
    const int results[2] = {plan->value, plan->side_value};
    *lines = body_lines(m, first, plan->side_value >= 0 ? 2 : 1, results, "      ");
    return true;
}

// Another operand, laid out along axes that lay out the first one and both results.
static void draw_side_operand(Maker *m, Manual *plan) {
    int a = draw_value(m, NULL);
    if (a < 0) return;
    const Shape *shape = &value_at(m, a)->shape;
    plan->side_operand = a;
    for (int axis = 0; axis < m->program->axis_count && shape->rank > 0; axis++) {
        int d = (int)draw_below(m, shape->rank);
        bool is_both = has_axis(&plan->in, plan->local.rank, axis) &&
                       has_axis(&plan->out, plan->local.rank, axis);
        if (!is_both || axis == plan->axis || draw_percent(m, 30)) continue;
        int64_t size = split(m, &plan->side_in, d) * m->program->axis_sizes[axis];
        if (shape->dims[d] % size == 0) add_axis(&plan->side_in, d, axis);
    }
}

// "sdy.manual_computation(..) ... : (..) -> (..)"
static const char *manual_text(Maker *m, const Manual *plan, int a, const char *lines) {
    StrBuf axes = strbuf(m->arena), in = strbuf(m->arena), out = strbuf(m->arena),
           names = strbuf(m->arena), inside = strbuf(m->arena), returned = strbuf(m->arena),
           types = strbuf(m->arena), from = strbuf(m->arena), to = strbuf(m->arena);
    for (int i = 0; i < m->program->axis_count; i++) {
        if (plan->is_manual[i]) strbuf_printf(&axes, "%s\"%c\"", axes.size ? ", " : "", 'w' + i);
    }
    const int operands[2] = {a, plan->side_operand}, values[2] = {plan->value, plan->side_value},
              arguments[2] = {plan->argument, plan->side_argument};
    const Layout *const ins[2] = {&plan->in, &plan->side_in}, *const outs[2] = {
                                                                  &plan->out, &plan->side_out};
    const Shape *const results[2] = {&plan->result, &plan->side_result};
    for (int i = 0; i < 2; i++) {
        const char *comma = i ? ", " : "";
        if (operands[i] >= 0) {
            int rank = value_at(m, operands[i])->shape.rank;
            strbuf_printf(&in, "%s%s", comma, layout_text(m, ins[i], rank));
            strbuf_printf(&names, "%s%%v%d", comma, operands[i]);
            strbuf_printf(&inside, "%s%%v%d: %s", comma, arguments[i], type_of(m, arguments[i]));
            strbuf_printf(&from, "%s%s", comma, type_of(m, operands[i]));
        }
        if (values[i] >= 0) {
            strbuf_printf(&out, "%s%s", comma, layout_text(m, outs[i], results[i]->rank));
            strbuf_printf(&returned, "%s%%v%d", comma, values[i]);
            strbuf_printf(&types, "%s%s", comma, type_of(m, values[i]));
            strbuf_printf(&to, "%s%s", comma, shape_text(m->arena, results[i]));
        }
    }
    return arena_printf(
        m->arena,
        "sdy.manual_computation(%s) in_shardings=[%s] out_shardings=[%s] manual_axes={%s} "
        "(%s) {\n%s      sdy.return %s : %s\n    } : (%s) -> (%s)",
        strbuf_cstring(&names), strbuf_cstring(&in), strbuf_cstring(&out), strbuf_cstring(&axes),
        strbuf_cstring(&inside), lines, strbuf_cstring(&returned), strbuf_cstring(&types),
        strbuf_cstring(&from), strbuf_cstring(&to));
}

static bool make_manual(Maker *m, RandomValue *v) {
    if (!m->program->mesh || !m->program->is_iota || m->is_manual) return false;
    int a = draw_value(m, can_be_summed);
    if (a < 0) return false;
    Manual plan = {.side_operand = -1, .side_argument = -1, .side_value = -1};
    if (!plan_manual(m, &value_at(m, a)->shape, &plan)) return false;
    if (draw_percent(m, 40)) draw_side_operand(m, &plan);
    bool is_ordered = !kind_is_complex(plan.local.kind);
    plan.reducer = is_ordered && draw_percent(m, 25) ? "maximum" : "add";
    const char *lines = "";
    int first = m->program->value_count;
    if (!body_open(m, true)) return false;
    m->is_manual = true;
    bool good = draw_body(m, &plan, &value_at(m, a)->bounds, &lines);
    m->is_manual = false;
    good = good && use_outer(m, v, first);
    body_close(m);
    if (!good) return false;
    use(v, a);
    if (plan.side_operand >= 0) use(v, plan.side_operand);
    v->shape = plan.result;
    v->bounds = value_at(m, plan.value)->bounds;
    v->right = manual_text(m, &plan, a, lines);
    if (plan.side_value < 0) return true;
    const char *all = new_name(m), *type = shape_text(m->arena, &v->shape);
    v->before = arena_printf(m->arena, "%s    %s:2 = %s\n", v->before, all, v->right);
    v->right = arena_printf(m->arena, "stablehlo.reshape %s#0 : (%s) -> %s", all, type, type);
    add_extra(m, all, 1, plan.side_result, value_at(m, plan.side_value)->bounds);
    return true;
}

const OpMaker manual_makers[] = {
    {"manual", 5, make_manual},
};
const int manual_maker_count = sizeof manual_makers / sizeof manual_makers[0];
