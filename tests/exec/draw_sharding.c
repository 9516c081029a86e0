// draw_sharding: meshes and shardings of random programs.
#include "random_program.h"

void draw_mesh(Maker *maker) {
    static const int64_t sizes[][MAX_PROGRAM_AXES] = {
        {2},    {3},    {4},       {8},       {2, 2},    {4, 2},      {2, 4},
        {2, 3}, {3, 2}, {2, 2, 2}, {1, 4},    {2, 1, 3}, {5},         {6},
        {7},    {12},   {16},      {4, 4},    {2, 8},    {8, 2},      {2, 6},
        {3, 4}, {3, 3}, {2, 2, 3}, {4, 2, 2}, {2, 2, 4}, {2, 2, 2, 2}};
    RandomProgram *program = maker->program;
    if (draw_percent(maker, 8)) return; // one device
    // large meshes cost time: half of the draws are among the small ones
    int64_t count = (int64_t)(sizeof sizes / sizeof sizes[0]);
    const int64_t *chosen = sizes[draw_below(maker, draw_percent(maker, 50) ? 14 : count)];
    StrBuf out = strbuf(maker->arena);
    strbuf_puts(&out, "<[");
    int64_t devices = 1;
    for (int a = 0; a < MAX_PROGRAM_AXES && chosen[a]; a++) {
        strbuf_printf(&out, "%s\"%c\"=%lld", a ? ", " : "", 'w' + a, (long long)chosen[a]);
        program->axis_sizes[program->axis_count++] = chosen[a];
        devices *= chosen[a];
    }
    strbuf_putc(&out, ']');
    program->is_iota = true;
    if (devices > 2 && draw_percent(maker, 15)) { // another order of the devices
        int64_t ids[64];
        shuffle(maker, (int)devices, ids);
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

// A part of the axis: "x" or "x":(2)4.
static const char *draw_axis(Maker *maker, int axis) {
    int64_t size = maker->program->axis_sizes[axis];
    char name = (char)('w' + axis);
    if (size % 2 != 0 || size <= 2 || !draw_percent(maker, 15))
        return arena_printf(maker->arena, "\"%c\"", name);
    int64_t half = size / 2;
    switch (draw_below(maker, 3)) {
    case 0: return arena_printf(maker->arena, "\"%c\":(1)2", name);
    case 1: return arena_printf(maker->arena, "\"%c\":(2)%lld", name, (long long)half);
    default: return arena_printf(maker->arena, "\"%c\":(1)%lld", name, (long long)half);
    }
}

static void put_axes(StrBuf *out, const char *open, int count, const char *const *axes) {
    const char *separator = open;
    for (int axis = 0; axis < count; axis++) {
        if (!axes[axis]) continue;
        strbuf_printf(out, "%s%s", separator, axes[axis]);
        separator = ", ";
    }
    if (separator != open) strbuf_putc(out, '}');
}

// is_sum: axes without a dimension may hold parts of a sum.
static const char *draw_any_sharding(Maker *maker, int rank, bool is_closed, bool is_sum) {
    const RandomProgram *program = maker->program;
    const char *unreduced[MAX_PROGRAM_AXES] = {NULL};
    StrBuf dims[MAX_VALUE_RANK + 1];
    const char *replicated[MAX_PROGRAM_AXES] = {NULL};
    for (int d = 0; d < rank; d++) {
        dims[d] = strbuf(maker->arena);
    }
    int start = (int)draw_below(maker, program->axis_count);
    for (int i = 0; i < program->axis_count; i++) {
        int axis = (start + i) % program->axis_count; // the order varies
        if (rank == 0 || draw_percent(maker, 40)) {
            if (is_sum && draw_percent(maker, 60)) {
                unreduced[axis] = draw_axis(maker, axis);
            } else if (draw_percent(maker, 10)) {
                replicated[axis] = draw_axis(maker, axis);
            }
            continue;
        }
        StrBuf *dim = &dims[draw_below(maker, rank)];
        strbuf_printf(dim, "%s%s", dim->size ? ", " : "", draw_axis(maker, axis));
    }
    is_closed = is_closed || draw_percent(maker, 60);
    bool has_priorities = !is_closed && draw_percent(maker, 20);
    StrBuf out = strbuf(maker->arena);
    strbuf_puts(&out, "<@mesh, [");
    for (int d = 0; d < rank; d++) {
        bool is_open = !is_closed && draw_percent(maker, 60), has_axes = dims[d].size > 0;
        strbuf_printf(
            &out, "%s{%s%s}", d ? ", " : "", strbuf_cstring(&dims[d]),
            is_open ? has_axes ? ", ?" : "?" : "");
        // only what has axes or is open may have a priority
        if (has_priorities && (is_open || has_axes) && draw_percent(maker, 60))
            strbuf_printf(&out, "p%d", (int)draw_below(maker, 3));
    }
    strbuf_putc(&out, ']');
    put_axes(&out, ", replicated={", program->axis_count, replicated);
    put_axes(&out, ", unreduced={", program->axis_count, unreduced);
    strbuf_putc(&out, '>');
    return strbuf_cstring(&out);
}

const char *draw_sharding(Maker *maker, int rank, bool is_closed) {
    return draw_any_sharding(maker, rank, is_closed, false);
}

const char *draw_constraint(Maker *maker, int rank, bool can_add) {
    return draw_any_sharding(maker, rank, false, can_add && draw_percent(maker, 10));
}
