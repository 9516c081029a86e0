// spread_maps: elementwise kernels that the devices of a group make together.
//
//   In      kernels as data; each device makes the elements of its own results.
//   Out     where that saves passes over memory, each device of a group makes an n-th part of what
//           all of them store, and puts it where it belongs:
//             copies  all store the same (replicas.c, or the same expressions): each part is made
//                     once, and stored where somebody keeps it
//             rows    their results are parts of the rows of the caller's arrays: rows are made
//                     whole, in the order in which they lie
//             lines   what they read lies in the same lines of memory: a part is read once, and
//                     stored where each of its elements belongs
//   Keeps   what is stored: results of the program, made of its arguments (or of what the
//           kernel read from other devices before). Nobody reads them, or they are so long that
//           the barrier in front of the reader costs little beside them.
#include "codegen/expr/uses.h"
#include "codegen/expr/whole_array.h"
#include "codegen/fuse/replicas.h"
#include "codegen/fuse/spread_groups.h"

#include <string.h>

enum {
    MOST_DEVICES = 256,
    LEAST_BYTES = 256, // of a device's results
    LONG_RUN =
        128 << 10, // bytes of a tile that lie together: enough for the hardware to read ahead
    WORTH_A_BARRIER = 1 << 20, // bytes of a device's result
    LINE = 64
};

typedef const IndexExpr *Index;

typedef struct Spread {
    Plan *plan;
    Kernel *kernel;
    Stage *stage;
    Replicas *replicas;
    Arena *scratch;
    int64_t devices;
    SpreadGroup group;
    int split; // the axis of which each device makes a part
} Spread;

// ---- which kernels

static bool is_read(const Plan *plan, const Buffer *buffer) {
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        const Kernel *kernel = plan->kernels.data[i];
        for (int k = 0; k < kernel->input_count; k++) {
            if (buffer_memory(kernel->inputs[k].buffer) == buffer) return true;
        }
    }
    return false;
}

static bool may_spread(const Spread *spread) {
    const Plan *plan = spread->plan;
    const Kernel *kernel = spread->kernel;
    const Stage *stage = spread->stage;
    bool is_map = stage && stage->kind == STAGE_MAP &&
                  (kernel->kind == KERNEL_LOOP || kernel->kind == KERNEL_REDUCE);
    // what stands in a branch, other devices may not come to
    if (!is_map || kernel->root->parent != func_body(plan->program->main)) return false;
    size_t bytes = 0;
    for (int i = 0; i < kernel->output_count; i++) {
        const KernelOperand *output = &kernel->outputs[i];
        const Buffer *buffer = output->buffer;
        bool is_plain = buffer->kind == BUFFER_RESULT && !buffer->may_alias && !buffer->extents &&
                        !buffer->base && !output->made;
        size_t own = type_bytes(output->value->type);
        if (!is_plain || (own < WORTH_A_BARRIER && is_read(plan, buffer))) return false;
        bytes += own;
    }
    for (int i = 0; i < kernel->input_count; i++) {
        if (kernel->inputs[i].shares) return false;
    }
    return bytes >= LEAST_BYTES;
}

// Does the axis decide between cases? Loops are cut at them only while the axis is whole.
static bool decides(Arena *scratch, const Stage *stage, int axis) {
    ExprBuilder *b = expr_builder_after(scratch, stage->exprs, stage->exprs->diags);
    IndexUses uses = {0};
    UseWalk walk = use_walk(b, &uses);
    Substitution s = substitution(b, stage->exprs);
    for (int i = 0; i < stage->store_count; i++)
        uses_of_expr(&walk, expr_substitute(&s, stage->stores[i].value));
    for (int64_t u = 0; u < uses.count; u++) {
        if (uses.data[u].kind == USE_CONDITION &&
            index_depends_on(uses.data[u].index, stage->axes[axis].variable))
            return true;
    }
    return false;
}

// The outermost axis that can be cut in as many parts, if possible one that decides nothing;
// -1 = none.
static int divisible_axis(Arena *scratch, const Stage *stage, int64_t parts) {
    int first = -1;
    for (int d = 0; d < stage->axis_count; d++) {
        if (stage->axes[d].extent < parts || stage->axes[d].extent % parts != 0) continue;
        if (!decides(scratch, stage, d)) return d;
        if (first < 0) first = d;
    }
    return first;
}

// Does every device read only what the caller gave, or constants? Then others may read it, too.
static bool reads_arguments(const Kernel *kernel, bool or_others) {
    for (int i = 0; i < kernel->input_count; i++) {
        const KernelOperand *input = &kernel->inputs[i];
        const Buffer *memory = buffer_memory(input->buffer);
        bool is_fixed = memory->kind == BUFFER_CONSTANT ||
                        (memory->kind == BUFFER_ARGUMENT && !memory->may_alias);
        if (!is_fixed && !(or_others && input->is_remote)) return false;
    }
    return true;
}

// ---- the kernel in its new form

static Index member_index(const Spread *spread, const int64_t *table, int64_t size, Index at) {
    ExprBuilder *b = spread->stage->exprs;
    Index own = index_scale(b->index, expr_own_device(b), size);
    return expr_table(b, spread->devices * size, table, index_add(b->index, own, at));
}

// The stage's axes for a new stage; the device's part of one of them.
static void split_axes(const Spread *spread, Index *index) {
    ExprBuilder *b = spread->stage->exprs;
    int64_t part = spread->stage->axes[spread->split].extent / spread->group.size;
    Index own = expr_table(b, spread->devices, spread->group.position, expr_own_device(b));
    index[spread->split] =
        index_add(b->index, index[spread->split], index_scale(b->index, own, part));
}

static int64_t part_extent(const Spread *spread, int axis) {
    int64_t extent = spread->stage->axes[axis].extent;
    return axis == spread->split ? extent / spread->group.size : extent;
}

static void add_axis(ExprBuilder *b, Stage *stage, int64_t extent, Index *index) {
    int variable = expr_new_variable(b, false);
    stage->axes[stage->axis_count++] = (Axis){extent, AXIS_PARALLEL, variable};
    *index = index_variable(b->index, variable, extent);
}

// The device of the store at the substitution's place, which is made for that one.
static Index store_device(Substitution *s, const Store *store, Index device) {
    return store->device ? expr_substitute_index(s, store->device) : device;
}

static void add_store(Stage *into, Substitution *s, const Store *from, Index device) {
    ExprBuilder *b = into->exprs;
    Store store = *from;
    for (int d = 0; d < store.output->type->rank; d++)
        store.index[d] = expr_substitute_index(s, store.index[d]);
    Index at = store_device(s, from, device);
    store.device = whole_array_place(b, store.output, at, store.index);
    store.at = expr_element_number(b, store.output, store.index);
    store.value = expr_substitute(s, store.value);
    into->stores[into->store_count++] = store;
}

// The stage's stores at the substitution's place, on that device.
static void add_stores(const Spread *spread, Stage *into, Substitution *s, Index device) {
    for (int i = 0; i < spread->stage->store_count; i++)
        add_store(into, s, &spread->stage->stores[i], device);
}

static Stage *new_stage(const Spread *spread, int64_t places) {
    Stage *stage =
        stage_create(spread->stage->exprs, STAGE_MAP, (int)(spread->stage->store_count * places));
    return stage;
}

static void set_operands(const Spread *spread, Stage *stage, bool reads_others) {
    Plan *plan = spread->plan;
    Kernel *kernel = spread->kernel;
    int32_t *first = ARENA_ARRAY(spread->scratch, int32_t, spread->devices);
    for (int64_t d = 0; d < spread->devices; d++)
        first[d] = (int32_t)spread->group.members[d * spread->group.size];
    int groups = barrier_groups_intern(plan, first);
    kernel->stage = stage;
    for (int i = 0; i < kernel->output_count; i++) {
        KernelOperand *output = &kernel->outputs[i];
        output->groups =
            output->is_remote ? barrier_groups_join(plan, output->groups, groups) : groups;
        output->is_remote = true;
    }
    for (int i = 0; i < kernel->input_count; i++) {
        KernelOperand *input = &kernel->inputs[i];
        input->same_index = false;
        if (!reads_others || buffer_memory(input->buffer)->kind != BUFFER_ARGUMENT) continue;
        input->groups =
            input->is_remote ? barrier_groups_join(plan, input->groups, groups) : groups;
        input->is_remote = true;
    }
}

// ---- copies

// The devices of each group that keep the output: all if kernels read it, else those whose results
// are the caller's, if it has any of them.
static int64_t find_targets(const Spread *spread, const Value *output, int64_t *target) {
    const DeviceProgram *program = spread->plan->program;
    const SpreadGroup *group = &spread->group;
    int k = kernel_operand(spread->kernel, output);
    const Buffer *buffer = spread->kernel->outputs[k].buffer;
    const GlobalLayout *layout = &program->results[buffer->index];
    int64_t all = 0, count = 0;
    bool is_even = !program->is_tiled && !is_read(spread->plan, buffer);
    for (int64_t d = 0; d < spread->devices && is_even; d++) {
        int64_t before = all;
        for (int64_t m = 0; m < group->size; m++) {
            int64_t member = group->members[d * group->size + m];
            if (layout_is_owner(layout, member)) target[all++] = member;
        }
        if (d == 0) count = all;
        is_even = count > 0 && all - before == count;
    }
    if (is_even) return count;
    memcpy(target, group->members, (size_t)(spread->devices * group->size) * sizeof *target);
    return group->size;
}

// The devices whose outputs are equal numbers: the values are, or what computes them.
static bool find_copies(Spread *spread) {
    Replicas *r = spread->replicas;
    const int32_t *equal = r->uniform;
    for (int i = 0; i < spread->kernel->output_count; i++)
        equal = replicas_meet(r, equal, replicas_of(r, spread->kernel->outputs[i].value));
    int64_t *class = ARENA_ARRAY(spread->scratch, int64_t, spread->devices);
    for (int64_t d = 0; d < spread->devices; d++)
        class[d] = equal[d];
    if (spread_group_of_classes(spread->scratch, spread->devices, class, &spread->group))
        return true;
    return spread_find_copies(spread->scratch, spread->stage, class) &&
           spread_group_of_classes(spread->scratch, spread->devices, class, &spread->group);
}

static bool spread_copies(Spread *spread) {
    const Stage *stage = spread->stage;
    ExprBuilder *b = stage->exprs;
    if (!find_copies(spread)) return false;
    int64_t size = spread->group.size;
    spread->split = divisible_axis(spread->scratch, stage, size);
    if (spread->split < 0 || size * stage->store_count > SPREAD_MOST_STORES) return false;
    Stage *into = new_stage(spread, size);
    Index index[MAX_RANK];
    for (int d = 0; d < stage->axis_count; d++)
        add_axis(b, into, part_extent(spread, d), &index[d]);
    split_axes(spread, index);
    Substitution s = substitution(b, b);
    stage_set_axes(&s, stage, index);
    int64_t *target = ARENA_ARRAY(spread->scratch, int64_t, spread->devices * size);
    for (int i = 0; i < stage->store_count; i++) {
        int64_t count = find_targets(spread, stage->stores[i].output, target);
        for (int64_t k = 0; k < count; k++) {
            Index device = member_index(spread, target, count, index_constant(b->index, k));
            add_store(into, &s, &stage->stores[i], device);
        }
    }
    set_operands(spread, into, false);
    return true;
}

// ---- lines

// The devices that the kernel's inputs are read from.
static bool find_readers(Spread *spread) {
    int groups = 0;
    for (int i = 0; i < spread->kernel->input_count; i++) {
        const KernelOperand *input = &spread->kernel->inputs[i];
        if (!input->is_remote) continue;
        if (groups && input->groups != groups) return false;
        groups = input->groups;
    }
    if (groups == 0) return false;
    int64_t *class = ARENA_ARRAY(spread->scratch, int64_t, spread->devices);
    for (int64_t d = 0; d < spread->devices; d++)
        class[d] = spread->plan->barriers.data[groups].group[d];
    return spread_group_of_classes(spread->scratch, spread->devices, class, &spread->group);
}

static bool is_within_line(Index at, int variable, ElementType element) {
    int64_t factor, size = (int64_t)element_bytes(element);
    return index_is_affine_in(at, variable, &factor) && factor != 0 &&
           (factor < 0 ? -factor : factor) * size < LINE;
}

// Do the members read elements of the same lines, and write others?
static bool shares_lines(const Spread *spread) {
    const Stage *stage = spread->stage;
    ExprBuilder *b = expr_builder_after(spread->scratch, stage->exprs, stage->exprs->diags);
    int variable = expr_new_variable(b, false);
    Substitution s = substitution(b, stage->exprs);
    Index own = index_scale(b->index, expr_own_device(b), spread->group.size);
    Index at = index_add(b->index, own, index_variable(b->index, variable, spread->group.size));
    s.device = expr_table(b, spread->devices * spread->group.size, spread->group.members, at);
    IndexUses uses = {0};
    UseWalk walk = use_walk(b, &uses);
    for (int i = 0; i < stage->store_count; i++) {
        const Store *store = &stage->stores[i];
        Index index[MAX_RANK];
        for (int d = 0; d < store->output->type->rank; d++)
            index[d] = expr_substitute_index(&s, store->index[d]);
        whole_array_place(b, store->output, store_device(&s, store, s.device), index);
        Index place = expr_element_number(b, store->output, index);
        if (is_within_line(place, variable, store->output->type->element)) return false;
        uses_of_expr(&walk, expr_substitute(&s, store->value));
    }
    for (int64_t u = 0; u < uses.count; u++) {
        const IndexUse *use = &uses.data[u];
        if (use->kind == USE_ADDRESS && use->stored &&
            is_within_line(use->index, variable, use->stored->type->element))
            return true;
    }
    return false;
}

static bool spread_lines(Spread *spread) {
    const Stage *stage = spread->stage;
    ExprBuilder *b = stage->exprs;
    if (!reads_arguments(spread->kernel, true) || !find_readers(spread)) return false;
    int64_t size = spread->group.size;
    spread->split = divisible_axis(spread->scratch, stage, size);
    if (spread->split < 0 || size * stage->store_count > SPREAD_MOST_STORES ||
        !shares_lines(spread))
        return false;
    Stage *into = new_stage(spread, size);
    Index index[MAX_RANK];
    for (int d = 0; d < stage->axis_count; d++)
        add_axis(b, into, part_extent(spread, d), &index[d]);
    split_axes(spread, index);
    for (int64_t k = 0; k < size; k++) {
        Substitution s = substitution(b, b);
        stage_set_axes(&s, stage, index);
        s.device = member_index(spread, spread->group.members, size, index_constant(b->index, k));
        add_stores(spread, into, &s, s.device);
    }
    set_operands(spread, into, true);
    return true;
}

// ---- rows

// Where the devices' tiles of the outputs begin, which is the same for all of them;
// NULL = they are no parts of whole arrays.
static const int64_t *tile_origins(const Spread *spread) {
    const Stage *stage = spread->stage;
    const Type *type = stage->stores[0].output->type;
    const int64_t *first = whole_array_origins(stage->exprs, stage->stores[0].output);
    if (!first || type->rank != stage->axis_count) return NULL;
    size_t size = (size_t)(spread->devices * type->rank) * sizeof *first;
    for (int i = 0; i < stage->store_count; i++) {
        const Value *output = stage->stores[i].output;
        const int64_t *origins = whole_array_origins(stage->exprs, output);
        if (!origins || !type_same_shape(output->type, type) || memcmp(origins, first, size) != 0)
            return NULL;
    }
    return first;
}

static int64_t tiles_along(const Spread *spread, const int64_t *origins, int d) {
    int64_t last = 0, extent = spread->stage->axes[d].extent;
    for (int64_t i = 0; i < spread->devices; i++) {
        int64_t origin = origins[d * spread->devices + i];
        if (origin > last) last = origin;
    }
    return last / extent + 1;
}

// The device of this one's group whose tile has these places along the
// dimensions behind the split one.
static int64_t device_at(
    const Spread *spread, const int64_t *origins, int64_t device, const int64_t *place) {
    for (int64_t other = 0; other < spread->devices; other++) {
        bool fits = true;
        for (int d = 0; d < spread->stage->axis_count && fits; d++) {
            const int64_t *origin = &origins[d * spread->devices];
            int64_t wanted =
                d > spread->split ? place[d] * spread->stage->axes[d].extent : origin[device];
            fits = origin[other] == wanted;
        }
        if (fits) return other;
    }
    return -1;
}

// Members in the order of their tiles.
static bool group_by_rows(
    Spread *spread, const int64_t *origins, const int64_t *tiles, int64_t size) {
    int64_t *members = ARENA_ARRAY(spread->scratch, int64_t, spread->devices * size);
    int64_t *position = ARENA_ARRAY(spread->scratch, int64_t, spread->devices);
    for (int64_t device = 0; device < spread->devices; device++) {
        for (int64_t k = 0; k < size; k++) {
            int64_t place[MAX_RANK], rest = k;
            for (int d = spread->stage->axis_count - 1; d > spread->split; d--) {
                place[d] = rest % tiles[d];
                rest /= tiles[d];
            }
            int64_t member = device_at(spread, origins, device, place);
            if (member < 0) return false;
            if (member == device) position[device] = k;
            members[device * size + k] = member;
        }
    }
    spread->group = (SpreadGroup){size, members, position};
    return true;
}

// An axis of which each device takes a part, so that all behind it is whole.
static bool find_rows(Spread *spread, const int64_t *origins, int64_t *tiles) {
    const Stage *stage = spread->stage;
    int64_t run = (int64_t)element_bytes(stage->stores[0].output->type->element);
    int inner = stage->axis_count - 1;
    for (int d = 0; d < stage->axis_count; d++)
        tiles[d] = tiles_along(spread, origins, d);
    while (inner > 0 && tiles[inner] == 1)
        run *= stage->axes[inner--].extent;
    if (inner <= 0 || run * stage->axes[inner].extent >= LONG_RUN) return false;
    for (spread->split = 0; spread->split < inner; spread->split++) {
        int64_t size = 1, extent = stage->axes[spread->split].extent;
        for (int d = spread->split + 1; d < stage->axis_count; d++)
            size *= tiles[d];
        if (extent > 1 && size > 1 && extent % size == 0 &&
            !decides(spread->scratch, stage, spread->split))
            return group_by_rows(spread, origins, tiles, size);
    }
    return false;
}

static bool spread_rows_of_arrays(Spread *spread) {
    const Stage *stage = spread->stage;
    ExprBuilder *b = stage->exprs;
    int64_t tiles[MAX_RANK];
    const int64_t *origins = tile_origins(spread);
    if (!origins || 2 * stage->axis_count > MAX_RANK || !reads_arguments(spread->kernel, false) ||
        !find_rows(spread, origins, tiles))
        return false;
    Stage *into = new_stage(spread, 1);
    Index index[MAX_RANK], member = index_constant(b->index, 0);
    for (int d = 0; d < stage->axis_count; d++) {
        if (d > spread->split && tiles[d] > 1) {
            Index tile;
            add_axis(b, into, tiles[d], &tile);
            member = index_add(b->index, index_scale(b->index, member, tiles[d]), tile);
        }
        add_axis(b, into, part_extent(spread, d), &index[d]);
    }
    split_axes(spread, index);
    Substitution s = substitution(b, b);
    stage_set_axes(&s, stage, index);
    s.device = member_index(spread, spread->group.members, spread->group.size, member);
    add_stores(spread, into, &s, s.device);
    set_operands(spread, into, true);
    return true;
}

void spread_maps(Plan *plan) {
    int64_t devices = plan->program->device_count;
    bool is_alone = plan->target->only_device >= 0 || devices < 2 || devices > MOST_DEVICES;
    Arena *scratch = arena_child(plan->arena);
    Replicas replicas = {0};
    for (int64_t i = 0; i < plan->kernels.count && !is_alone; i++) {
        Kernel *kernel = plan->kernels.data[i];
        Stage *stage = kernel->stage;
        Spread spread = {plan, kernel, stage, &replicas, scratch, devices, {0}, 0};
        if (!may_spread(&spread)) continue;
        if (!replicas.classes) replicas = replicas_find(plan->program, arena_child(plan->arena));
        if (spread_copies(&spread)) spread.stage = kernel->stage;
        if (!spread_lines(&spread) && spread.stage == stage) spread_rows_of_arrays(&spread);
        arena_reset(scratch);
    }
}

void mark_spread_results(DeviceProgram *program) {
    Module *module = program->module;
    int64_t *devices = ARENA_ARRAY(module->arena, int64_t, program->result_count + 1);
    for (int i = 0; i < program->result_count; i++) {
        const GlobalLayout *layout = &program->results[i];
        bool may_spread = layout->alias < 0 && !layout_is_uneven(layout, program->device_count);
        devices[i] = may_spread ? program->device_count : 0;
    }
    op_set_extra(
        module, program->main, context_name(module->context, SV(SPREAD_RESULTS)),
        attr_ints(module->context, program->result_count, devices));
}
