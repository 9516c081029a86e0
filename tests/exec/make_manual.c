// make_manual: manual computations with one collective over one axis between drawn ops, for random programs.
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
    COLLECTIVE_COUNT
} Collective;

typedef struct Manual {
    Collective what;
    bool is_manual[MAX_PROGRAM_AXES]; // the other axes stay free
    bool has_split;                   // the axis splits dimension d of the operand
    int axis, d, to;                  // to: the other dimension of an all-to-all
    Layout in, out;
    Shape result; // whole
    Shape local, local_result;
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
        if (plan->what == ALL_REDUCE) plan->result.dims[plan->d] /= size; // the parts are summed
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

static const char *collective_text(Maker *m, const Manual *plan, int part) {
    static const char channel[] =
        "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
    const char *of_groups = NULL, *k = kind_text(plan->local.kind);
    const char *groups = groups_text(m, plan->axis, &of_groups);
    const char *body = arena_printf(
        m->arena,
        "({\n      ^bb0(%%left: tensor<%s>, %%right: tensor<%s>):\n        %%sum = stablehlo.add "
        "%%left, %%right : "
        "tensor<%s>\n"
        "        stablehlo.return %%sum : tensor<%s>\n      })",
        k, k, k, k);
    switch (plan->what) {
    case ALL_REDUCE:
        return arena_printf(
            m->arena,
            "\"stablehlo.all_reduce\"(%%v%d) <{%s, replica_groups = dense<%s> : %s, "
            "use_global_device_ids}> %s",
            part, channel, groups, of_groups, body);
    case REDUCE_SCATTER:
        return arena_printf(
            m->arena,
            "\"stablehlo.reduce_scatter\"(%%v%d) <{%s, replica_groups = dense<%s> : %s, "
            "scatter_dimension = %d : i64, "
            "use_global_device_ids}> %s",
            part, channel, groups, of_groups, plan->d, body);
    case ALL_GATHER:
        return arena_printf(
            m->arena,
            "\"stablehlo.all_gather\"(%%v%d) <{all_gather_dim = %d : i64, %s, replica_groups = "
            "dense<%s> : %s, "
            "use_global_device_ids}>",
            part, plan->d, channel, groups, of_groups);
    case ALL_TO_ALL:
        return arena_printf(
            m->arena,
            "\"stablehlo.all_to_all\"(%%v%d) <{%s, concat_dimension = %d : i64, replica_groups = "
            "dense<%s> : %s, "
            "split_count = %lld : i64, split_dimension = %d : i64}>",
            part, channel, plan->d, groups, of_groups,
            (long long)m->program->axis_sizes[plan->axis], plan->to);
    case PERMUTE: {
        // copies must stay equal
        bool is_ring = !plan->has_split || draw_percent(m, 50);
        const char *of_pairs = NULL, *pairs = pairs_text(m, plan->axis, is_ring, &of_pairs);
        if (!pairs) return NULL;
        return arena_printf(
            m->arena,
            "\"stablehlo.collective_permute\"(%%v%d) <{%s, source_target_pairs = dense<%s> : "
            "%s}>",
            part, channel, pairs, of_pairs);
    }
    case COLLECTIVE_COUNT: break;
    }
    return NULL;
}

// The last value of the open body that has this shape; -1 when there is none.
static int last_of(const Maker *m, int first, const Shape *shape) {
    for (int i = m->program->value_count - 1; i >= first; i--) {
        const RandomValue *value = value_at(m, i);
        bool is_own = value->scope == m->scopes[m->scope_count - 1] && value->facts.relative == 0;
        if (is_own && shape_equal(&value->shape, shape)) return i;
    }
    return -1;
}

static Facts collective_facts(const Maker *m, const Manual *plan, const RandomValue *x) {
    ElementType kind = x->shape.kind;
    if (plan->what != ALL_REDUCE && plan->what != REDUCE_SCATTER) {
        Facts facts = x->facts;
        if (plan->what == PERMUTE) facts.loose_zero = true;
        return facts;
    }
    int64_t terms = m->program->axis_sizes[plan->axis];
    if (!kind_is_float(kind)) return (Facts){.bound = kind_exact(kind), .grid = 1};
    return facts_summed(
        kind, (double)terms * x->facts.bound, (double)terms * x->facts.error, x->facts.grid, terms);
}

// Ops on a device's part, the collective, ops on its result. Returns the body's result, -1 when nothing fits.
static int draw_body(
    Maker *m, const Manual *plan, const Facts *facts, int *argument, const char **lines) {
    int first = m->program->value_count;
    *argument = body_argument(m, plan->local, *facts);
    if (*argument < 0) return -1;
    body_draw(m, (int)draw_below(m, 3));
    int part = last_of(m, first, &plan->local);
    if (!can_be_summed(value_at(m, part))) part = *argument;
    const char *collective = collective_text(m, plan, part);
    if (!collective) return -1;
    RandomValue moved = {
        .shape = plan->local_result, .before = "", .functions = "", .donated_to = -1};
    moved.facts = collective_facts(m, plan, value_at(m, part));
    moved.right = arena_printf(
        m->arena, "%s : (%s) -> %s", collective, type_of(m, part),
        shape_text(m->arena, &plan->local_result));
    use(&moved, part);
    if (!facts_are_good(moved.shape.kind, &moved.facts)) return -1;
    int after = add_value(m, &moved);
    if (after < 0) return -1;
    body_draw(m, (int)draw_below(m, 3));
    int result = last_of(m, after, &plan->local_result);
    if (result >= 0) *lines = body_lines(m, first, 1, &result, "      ");
    return result;
}

static bool make_manual(Maker *m, RandomValue *v) {
    if (!m->program->mesh || !m->program->is_iota || m->is_manual) return false;
    int a = draw_value(m, can_be_summed);
    if (a < 0) return false;
    Manual plan = {0};
    if (!plan_manual(m, &value_at(m, a)->shape, &plan)) return false;
    const char *lines = "";
    int argument = -1, first = m->program->value_count;
    if (!body_open(m, true)) return false;
    m->is_manual = true;
    int result = draw_body(m, &plan, &value_at(m, a)->facts, &argument, &lines);
    m->is_manual = false;
    if (result >= 0 && !use_outer(m, v, first)) result = -1;
    body_close(m);
    if (result < 0) return false;
    StrBuf axes = strbuf(m->arena);
    for (int i = 0; i < m->program->axis_count; i++) {
        if (plan.is_manual[i]) strbuf_printf(&axes, "%s\"%c\"", axes.size ? ", " : "", 'w' + i);
    }
    v->shape = plan.result;
    int rank = plan.local.rank;
    const char *local = shape_text(m->arena, &plan.local),
               *to = shape_text(m->arena, &plan.local_result);
    v->right = arena_printf(
        m->arena,
        "sdy.manual_computation(%%v%d) in_shardings=[%s] out_shardings=[%s] manual_axes={%s} "
        "(%%v%d: %s) {\n%s      sdy.return %%v%d : %s\n    } : (%s) -> %s",
        a, layout_text(m, &plan.in, rank), layout_text(m, &plan.out, rank), strbuf_cstring(&axes),
        argument, local, lines, result, to, type_of(m, a), shape_text(m->arena, &v->shape));
    use(v, a);
    v->facts = value_at(m, result)->facts;
    return true;
}

const OpMaker manual_makers[] = {
    {"manual", 5, make_manual},
};
const int manual_maker_count = sizeof manual_makers / sizeof manual_makers[0];
