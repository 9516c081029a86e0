// kernel_build: buffers, kernels and steps from what fuse_values.c decided, in program order.
//
//   In      infos and roots.
//   Out     plan->buffers: every stored value has a buffer; carries of a while (init, arguments,
//           results) share one, so do values that are updated in place, what the branches return
//           and the results of if and case.
//           plan->steps: a kernel stands where the op of its last member stands.
#include "codegen/fuse/cost.h"
#include "codegen/fuse/fuse.h"

#include <stdlib.h>

typedef struct Build {
    Fusion *fusion;
    Plan *plan;
    Arena *arena;
    FusionRoot **root_at;        // by position: the kernel that is made there; NULL = none
    uint8_t *collective_counted; // by Op.number
    // of the kernel in the making
    Kernel *kernel;
    uint8_t *visited;     // by Value.number: VISITED_* bits
    VEC(int64_t) touched; // numbers to clear
    VEC(KernelOperand) inputs;
    VEC(const Op *) ops; // for the name
    int64_t flops;
} Build;

enum { VISITED_SAME = 1, VISITED_MOVED = 2, VISITED_OUTPUT = 4 };

// ---- buffers

static Buffer *new_buffer(Build *build, BufferKind kind, const Type *type) {
    Buffer *buffer = ARENA_NEW(build->arena, Buffer);
    buffer->number = (int)build->plan->all_buffers.count;
    buffer->kind = kind;
    buffer->element = type->element;
    buffer->rank = type->rank;
    buffer->is_dense = true;
    int64_t stride = 1;
    for (int d = type->rank - 1; d >= 0; d--) {
        buffer->dims[d] = type->dims[d];
        buffer->strides[d] = stride;
        stride *= type->dims[d] > 0 ? type->dims[d] : 1;
    }
    buffer->bytes = type_bytes(type);
    vec_push(build->plan->arena, &build->plan->all_buffers, buffer);
    return buffer;
}

static Buffer *new_tile(
    Build *build, BufferKind kind, int index, const Type *type, const GlobalLayout *layout) {
    Buffer *buffer = new_buffer(build, kind, type);
    buffer->index = index;
    int64_t stride = 1;
    bool is_tiled = build->plan->program->is_tiled; // the strides of the tile
    for (int d = layout->global->rank - 1; d >= 0 && !is_tiled; d--) {
        if (layout->global->dims[d] != layout->local->dims[d] && d > 0) buffer->is_dense = false;
        buffer->strides[d] = stride;
        stride *= layout->global->dims[d] > 0 ? layout->global->dims[d] : 1;
    }
    int64_t device_count = build->plan->program->device_count;
    if (layout_is_uneven(layout, device_count)) {
        int64_t *extents = ARENA_ARRAY(build->arena, int64_t, device_count * type->rank);
        for (int64_t device = 0; device < device_count; device++) {
            for (int d = 0; d < type->rank; d++) {
                int of = layout->order ? (int)layout->order[d] : d;
                extents[device * type->rank + d] = layout_extent(layout, device, of);
            }
        }
        buffer->extents = extents;
    }
    return buffer;
}

static void set_buffer(Build *build, const Value *value, Buffer *buffer) {
    ptr_map_set(&build->plan->buffers, value, buffer);
}

static Buffer *buffer_of(Build *build, const Value *value) {
    Buffer *buffer = ptr_map_get(&build->plan->buffers, value);
    if (buffer) return buffer;
    const Op *def = value->def;
    if (def && (def->code == OP_CONSTANT || def->code == OP_CHLO_CONSTANT)) {
        const Attr *elements = op_attr(def, NAME_VALUE);
        buffer = new_buffer(build, BUFFER_CONSTANT, value->type);
        buffer->constant = elements->data;
    } else {
        buffer = new_buffer(build, BUFFER_ARENA, value->type);
    }
    set_buffer(build, value, buffer);
    return buffer;
}

// The part of a buffer that a static slice reads.
static Buffer *part_of(Build *build, const Value *slice) {
    Buffer *buffer = ptr_map_get(&build->plan->buffers, slice);
    if (buffer) return buffer;
    Buffer *base = buffer_of(build, op_operand(slice->def, 0));
    buffer = new_buffer(build, base->kind, slice->type);
    buffer->index = base->index;
    buffer->constant = base->constant;
    buffer->base = base;
    buffer->part = slice->def;
    buffer_place_part(buffer);
    set_buffer(build, slice, buffer);
    return buffer;
}

static void assign_main(Build *build) {
    const DeviceProgram *program = build->plan->program;
    const Region *body = func_body(program->main);
    Buffer **arguments = ARENA_ARRAY(build->arena, Buffer *, program->arg_count);
    for (int i = 0; i < program->arg_count; i++) {
        if (!type_is_stored(body->args[i]->type)) continue;
        arguments[i] = new_tile(build, BUFFER_ARGUMENT, i, body->args[i]->type, &program->args[i]);
        set_buffer(build, body->args[i], arguments[i]);
    }
    const Op *terminator = region_terminator(body);
    for (int i = 0; i < program->result_count; i++) {
        const Value *value = op_operand(terminator, i);
        if (!type_is_stored(value->type)) continue;
        Buffer *buffer = new_tile(build, BUFFER_RESULT, i, value->type, &program->results[i]);
        set_buffer(build, value, buffer);
        int alias = program->results[i].alias;
        if (alias >= 0 && alias < program->arg_count && arguments[alias]) {
            buffer->may_alias = 1 + arguments[alias]->number;
            arguments[alias]->may_alias = 1 + buffer->number;
        }
    }
}

static void assign_returned(Build *build, const Region *region, const Op *owner) {
    const Op *terminator = region_terminator(region);
    for (int i = 0; terminator && i < owner->result_count && i < terminator->operand_count; i++) {
        if (!type_is_stored(op_result(owner, i)->type)) continue;
        set_buffer(build, op_operand(terminator, i), buffer_of(build, op_result(owner, i)));
    }
}

// Values that are made where loops stack them.
static void assign_stacked(Build *build) {
    for (int64_t i = 0; i < build->fusion->roots.count; i++) {
        const FusionRoot *root = build->fusion->roots.data[i];
        if (!root->stacks) continue;
        Buffer *stack = buffer_of(build, op_result(root->op, 0));
        Buffer *part = new_buffer(build, stack->kind, root->stacks->type);
        part->index = stack->index;
        part->base = stack;
        part->part = root->op;
        buffer_place_part(part);
        set_buffer(build, root->stacks, part);
    }
}

static void assign_region(Build *build, const Region *region);

static void assign_control(Build *build, const Op *op) {
    for (int r = 0; r < op->region_count; r++) {
        const Region *region = op->regions[r];
        if (op->code != OP_WHILE || r == 1) assign_returned(build, region, op);
        for (int i = 0; op->code == OP_WHILE && i < region->arg_count; i++) {
            if (!type_is_stored(region->args[i]->type)) continue;
            set_buffer(build, region->args[i], buffer_of(build, op_result(op, i)));
        }
    }
    for (int i = 0; op->code == OP_WHILE && i < op->operand_count; i++) {
        if (!type_is_stored(op_operand(op, i)->type)) continue;
        set_buffer(build, op_operand(op, i), buffer_of(build, op_result(op, i)));
    }
    for (int r = 0; r < op->region_count; r++) {
        assign_region(build, op->regions[r]);
    }
}

// From the last op to the first: an op that works in place takes its operand's place from its
// result.
static void assign_region(Build *build, const Region *region) {
    for (const Op *op = region->last; op; op = op->prev) {
        if (lower_class(op, NULL) == LOWER_CONTROL) {
            assign_control(build, op);
        } else if (op_is_in_place(op)) {
            for (int i = 0; i < op->result_count; i++) {
                set_buffer(build, op_operand(op, i), buffer_of(build, op_result(op, i)));
            }
        }
    }
}

// ---- inputs

typedef struct Path {
    bool same_index;  // only elementwise ops since the output
    int groups;       // -1 = on the own device; else the groups of the collective
    int64_t elements; // at most so many are read
} Path;

static void visit_value(Build *build, const Value *value, Path path);

// The numbers that say where the memory begins.
static void visit_starts(Build *build, const Buffer *buffer) {
    for (; buffer; buffer = buffer->base) {
        if (!buffer_is_stacked(buffer)) continue;
        for (int i = 2; i < buffer->part->operand_count; i++)
            visit_value(build, op_operand(buffer->part, i), (Path){false, -1, 1});
    }
}

static void add_input(Build *build, const Value *value, Path path) {
    for (int64_t i = 0; i < build->inputs.count; i++) {
        KernelOperand *input = &build->inputs.data[i];
        if (input->value != value) continue;
        input->same_index = input->same_index && path.same_index;
        if (path.groups >= 0) {
            input->groups = input->is_remote
                                ? barrier_groups_join(build->plan, input->groups, path.groups)
                                : path.groups;
            input->is_remote = true;
        }
        return;
    }
    bool is_part = !value_info(build->fusion, value)->is_stored;
    Buffer *buffer = is_part ? part_of(build, value) : buffer_of(build, value);
    KernelOperand input = {
        .value = value, .buffer = buffer, .same_index = path.same_index && !is_part};
    if (path.groups >= 0) {
        input.is_remote = true;
        input.groups = path.groups;
    }
    vec_push(build->arena, &build->inputs, input);
    visit_starts(build, buffer);
}

// Collectives that the kernel contains, and what it reads from other devices: of a part of the
// elements, all that may lie there.
static void count_collective(Build *build, const Op *op, int64_t elements) {
    Kernel *kernel = build->kernel;
    int64_t size = collective_group_size(op), read = 0;
    if (!kernel->remote_of) kernel->remote_of = op_result(op, 0);
    if (op_extra(op, SPREAD_OVER)) return;
    for (int i = 0; i < op->result_count; i++) {
        int64_t bytes = (int64_t)type_bytes(op_result_type(op, i));
        bool is_counted = build->collective_counted[op->number] || op_extra(op, UNCOUNTED);
        if (!is_counted) kernel->collective_bytes += bytes;
        if (op->code == OP_ALL_REDUCE || op->code == OP_REDUCE_SCATTER) bytes *= size;
        int64_t moved = op->code == OP_COLLECTIVE_PERMUTE ? bytes : bytes / size * (size - 1);
        bool is_part = lower_class(op, NULL) == LOWER_ELEMENT &&
                       elements < type_element_count(op_result_type(op, i));
        int64_t part =
            is_part ? elements * (int64_t)element_bytes(op_result_type(op, i)->element) : moved;
        read += part < moved ? part : moved;
    }
    kernel->moved_bytes += read;
    build->collective_counted[op->number] = 1;
}

// A reduction that was one of parts of the rows and a sum over devices, a product that was one of
// parts of K, or rows of a table that were a sum of each device's.
static void count_spread(Build *build, const Op *op) {
    const Attr *over = op_extra(op, SPREAD_OVER);
    if (!over || op_has(op, TRAIT_COLLECTIVE) || build->collective_counted[op->number]) return;
    int64_t bytes = (int64_t)type_bytes(op_result_type(op, 0)) * over->integer;
    build->kernel->collective_bytes += bytes;
    build->kernel->moved_bytes += bytes * (over->integer - 1);
    build->collective_counted[op->number] = 1;
}

// How many elements of operand i are read for some of the result's: where each follows from one,
// not more.
static int64_t elements_read(const Op *op, int i, int64_t of_result) {
    int64_t all = type_element_count(op_operand_type(op, i));
    bool is_one = lower_class(op, NULL) == LOWER_ELEMENT && op->code != OP_BITCAST_CONVERT &&
                  !(op->code == OP_GATHER && i == 1);
    return is_one && of_result < all ? of_result : all;
}

// Who reads each other's operands: another collective may read the result from other devices.
static int groups_of_collective(Build *build, const Op *op, Path path) {
    int groups = collective_groups(build->plan, op);
    return path.groups < 0 ? groups : barrier_groups_join(build->plan, groups, path.groups);
}

// The op's operands, as its result is read along the path.
static void visit_op(Build *build, const Op *op, Path path, bool first_time) {
    bool collective = op_has(op, TRAIT_COLLECTIVE);
    if (first_time) {
        vec_push(build->arena, &build->ops, op);
        if (collective) count_collective(build, op, path.elements);
        count_spread(build, op);
        bool has_elements = op->result_count > 0 && type_is_stored(op_result_type(op, 0));
        double elements = has_elements ? (double)type_element_count(op_result_type(op, 0)) : 0;
        build->flops += (int64_t)(elements * cost_of_op(op));
    }
    for (int i = 0; i < op->operand_count; i++) {
        const Value *operand = op_operand(op, i);
        if (!type_is_stored(operand->type)) continue;
        if (op_is_in_place(op) && i < op->result_count) continue; // it is the output already
        bool same = path.same_index && op->result_count == 1 &&
                    type_same_shape(operand->type, op_result_type(op, 0)) &&
                    (op_has(op, TRAIT_POINTWISE) || op->code == OP_MAP || op->code == OP_RESHAPE ||
                     op->code == OP_ALL_REDUCE);
        bool is_shape =
            op->result_count == 1 && value_info(build->fusion, op_result(op, 0))->is_remote_shape;
        bool is_start = op->code == OP_DYNAMIC_SLICE && i > 0; // the same on all devices
        int groups = is_shape && !is_start ? path.groups : -1;
        if (collective) groups = groups_of_collective(build, op, path);
        visit_value(build, operand, (Path){same, groups, elements_read(op, i, path.elements)});
    }
}

// A static slice of a value in memory is memory as well. (Constants may become tables
// of the kernel: they stay whole. So do arrays of which every second element is read: what lies
// between them may be read beside them, and vectors have both.)
static bool is_part_of_stored(Build *build, const Value *value) {
    if (!value->def || value->def->code != OP_SLICE) return false;
    IntSpan strides = op_ints(value->def, NAME_STRIDES);
    if (strides.count > 0 && strides.data[strides.count - 1] > 1) return false;
    const Value *whole = op_operand(value->def, 0);
    if (whole->def && op_has(whole->def, TRAIT_CONSTANT)) return false;
    return value_info(build->fusion, whole)->is_stored &&
           !(build->visited[whole->number] & VISITED_OUTPUT);
}

static void visit_value(Build *build, const Value *value, Path path) {
    uint8_t *visited = &build->visited[value->number];
    uint8_t bit = path.same_index ? VISITED_SAME : VISITED_MOVED;
    const ValueInfo *info = value_info(build->fusion, value);
    bool is_leaf = info->is_stored && !(*visited & VISITED_OUTPUT);
    if (is_leaf || (!*visited && is_part_of_stored(build, value))) {
        add_input(build, value, path);
        return;
    }
    if ((*visited & bit) && path.groups < 0) return;
    bool first_time = !(*visited & (VISITED_SAME | VISITED_MOVED));
    if (!*visited) vec_push(build->arena, &build->touched, value->number);
    *visited |= bit;
    visit_op(build, value->def, path, first_time);
}

// ---- kernels

static int compare_ops(const void *a, const void *b) {
    const Op *x = *(const Op *const *)a, *y = *(const Op *const *)b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static StrView short_name(const Op *op) {
    StrView name = op->name;
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '.') return (StrView){name.data + i + 1, name.size - i - 1};
    }
    return name;
}

// "dot_general+add+tanh": the kernel's ops but views and constants; each once, at most six.
static void name_kernel(Build *build) {
    Kernel *kernel = build->kernel;
    StrBuf text = strbuf(build->arena);
    if (build->ops.count > 1)
        qsort(build->ops.data, (size_t)build->ops.count, sizeof *build->ops.data, compare_ops);
    const Op *named[6];
    int count = 0;
    for (int64_t i = 0; i < build->ops.count && count < 6; i++) {
        const Op *op = build->ops.data[i];
        bool skip = op_has(op, TRAIT_CONSTANT) || (op_has(op, TRAIT_VIEW) && op != kernel->root);
        for (int j = 0; j < count && !skip; j++) {
            skip = named[j]->code == op->code;
        }
        if (skip) continue;
        if (count > 0) strbuf_putc(&text, '+');
        strbuf_append(&text, short_name(op));
        named[count++] = op;
    }
    if (count == 0) strbuf_puts(&text, kernel->root->code == OP_RESHAPE ? "copy" : "move");
    kernel->name = strbuf_cstring(&text);
}

static int64_t contract_flops(const Op *op) {
    int64_t result = type_element_count(op_result_type(op, 0));
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    int64_t depth = 1;
    if (op->code == OP_DOT_GENERAL) {
        IntSpan dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot->lhs_contracting;
        for (int i = 0; i < dims.count; i++) {
            depth *= lhs->dims[dims.data[i]];
        }
    } else {
        int64_t outputs =
            rhs->dims[op_attr(op, NAME_DIMENSION_NUMBERS)->conv->kernel_output_feature];
        depth = outputs > 0 ? type_element_count(rhs) / outputs : 0;
    }
    return 2 * result * depth;
}

static void measure_kernel(Build *build) {
    Kernel *kernel = build->kernel;
    kernel->flops = build->flops;
    if (kernel->kind == KERNEL_CONTRACT || kernel->kind == KERNEL_CONV)
        kernel->flops += contract_flops(kernel->root);
    for (int i = 0; i < kernel->output_count; i++) {
        kernel->bytes += (int64_t)type_bytes(kernel->outputs[i].value->type);
    }
    for (int i = 0; i < kernel->input_count; i++) {
        kernel->bytes += (int64_t)type_bytes(kernel->inputs[i].value->type);
    }
}

static void find_inputs(Build *build, const FusionRoot *root) {
    Kernel *kernel = build->kernel;
    build->inputs.count = build->touched.count = build->ops.count = 0;
    build->flops = 0;
    for (int i = 0; i < kernel->output_count; i++) {
        const Value *output = kernel_made(&kernel->outputs[i]);
        build->visited[output->number] |= VISITED_OUTPUT;
        vec_push(build->arena, &build->touched, output->number);
    }
    bool by_element = root->kind == KERNEL_LOOP || root->has_epilogue || root->has_rows;
    // other outputs of the row may be stored before this one is read
    bool same_index = (!root->has_rows || kernel->output_count == 1) && !root->sends;
    for (int i = 0; i < kernel->output_count; i++) {
        const Value *output = kernel_made(&kernel->outputs[i]);
        if (by_element) {
            visit_value(build, output, (Path){same_index, -1, type_element_count(output->type)});
        } else if (i == 0) {
            // A reduction over devices reads its operand at the same element; nothing else does.
            visit_op(build, root->op, (Path){root->op->code == OP_ALL_REDUCE, -1, INT64_MAX}, true);
        }
    }
    if (kernel->output_count == 0)
        visit_op(build, root->op, (Path){false, -1, INT64_MAX}, true); // called for its effect
    for (int i = 0; i < kernel->output_count; i++)
        visit_starts(build, kernel->outputs[i].buffer);
    for (int64_t i = 0; i < build->touched.count; i++) {
        build->visited[build->touched.data[i]] = 0;
    }
    kernel->input_count = (int)build->inputs.count;
    kernel->inputs = arena_copy(
        build->plan->arena, build->inputs.data,
        (size_t)build->inputs.count * sizeof(KernelOperand));
}

// The row's axes, and which dimensions of the outputs they are.
static void set_rows(Kernel *kernel, const FusionRoot *root) {
    int number[MAX_RANK];
    kernel->has_rows = root->has_rows;
    kernel->by_columns = root->by_columns;
    for (int a = 0; root->has_rows && a < root->type->rank; a++) {
        number[a] = root->row_axes >> a & 1 ? kernel->row_rank++ : -1;
        if (number[a] >= 0) kernel->row_dims[number[a]] = root->type->dims[a];
    }
    for (int i = 0; root->has_rows && i < kernel->output_count; i++) {
        KernelOperand *output = &kernel->outputs[i];
        int64_t m = 0;
        while (root->members.data[m] != kernel_made(output))
            m++;
        for (int d = 0; d < kernel_made(output)->type->rank; d++) {
            int axis = root->maps.data[m].axis[d];
            output->row_axis[d] = (signed char)(axis >= 0 ? number[axis] : -1);
        }
    }
}

// A member's memory, or that on other devices which it is stored in.
static KernelOperand output_of(Build *build, const Value *member) {
    const Value *to = value_info(build->fusion, member)->goes_to;
    if (!to) return (KernelOperand){.value = member, .buffer = buffer_of(build, member)};
    return (KernelOperand){
        .value = to,
        .made = member,
        .buffer = buffer_of(build, to),
        .is_remote = true,
        .groups = collective_groups(build->plan, member->uses->owner)};
}

static Kernel *make_kernel(Build *build, const FusionRoot *root) {
    Kernel *kernel = ARENA_NEW(build->plan->arena, Kernel);
    build->kernel = kernel;
    kernel->kind = root->kind;
    kernel->number = (int)build->plan->kernels.count;
    kernel->root = root->op;
    kernel->loc = root->op->loc;
    kernel->also = root->also.data;
    kernel->also_count = (int)root->also.count;
    kernel->scores = root->scores;
    kernel->has_epilogue = root->has_epilogue && root->kind != KERNEL_LOOP;
    kernel->output_count = (int)root->members.count;
    kernel->outputs = ARENA_ARRAY(build->plan->arena, KernelOperand, root->members.count);
    // Members were added from the last to the first (those of one op in order of its results).
    bool by_op = root->kind != KERNEL_LOOP && !root->has_epilogue;
    for (int64_t i = 0; i < root->members.count; i++) {
        const Value *value = root->members.data[by_op ? i : root->members.count - 1 - i];
        kernel->outputs[i] = output_of(build, value);
    }
    set_rows(kernel, root);
    find_inputs(build, root);
    name_kernel(build);
    measure_kernel(build);
    vec_push(build->plan->arena, &build->plan->kernels, kernel);
    return kernel;
}

// ---- steps

static Step *add_step(Build *build, StepList *list, StepKind kind, const Op *op) {
    Step *step = ARENA_NEW(build->plan->arena, Step);
    step->kind = kind;
    step->op = op;
    vec_push(build->plan->arena, &list->steps, step);
    return step;
}

static StepList *build_steps(Build *build, const Region *region);

static void build_control(Build *build, StepList *list, const Op *op) {
    Step *step = add_step(build, list, op->code == OP_WHILE ? STEP_WHILE : STEP_BRANCH, op);
    step->bodies = ARENA_ARRAY(build->plan->arena, StepList *, op->region_count);
    for (int r = 0; r < op->region_count; r++) {
        step->bodies[r] = build_steps(build, op->regions[r]);
    }
    if (op->code == OP_WHILE) {
        step->test = buffer_of(build, op_operand(region_terminator(op->regions[0]), 0));
    } else {
        step->branch_count = op->region_count;
        step->test = buffer_of(build, op_operand(op, 0));
        step->test_is_bool = op->code == OP_IF;
    }
}

static StepList *build_steps(Build *build, const Region *region) {
    StepList *list = ARENA_NEW(build->plan->arena, StepList);
    for (const Op *op = region->first; op; op = op->next) {
        FusionRoot *root = build->root_at[build->fusion->positions[op->number]];
        if (root && op_extra(root->op, UNWRITTEN)) continue;
        if (root) {
            add_step(build, list, STEP_KERNEL, op)->kernel = make_kernel(build, root);
        } else if (lower_class(op, NULL) == LOWER_CONTROL) {
            build_control(build, list, op);
        }
    }
    return list;
}

bool build_kernels(Fusion *fusion) {
    Plan *plan = fusion->plan;
    Build build = {.fusion = fusion, .plan = plan, .arena = plan->arena};
    build.root_at = ARENA_ARRAY(build.arena, FusionRoot *, fusion->module->next_op_number + 1);
    build.visited = ARENA_ARRAY(build.arena, uint8_t, fusion->module->next_value_number);
    build.collective_counted = ARENA_ARRAY(build.arena, uint8_t, fusion->module->next_op_number);
    for (int64_t i = 0; i < fusion->roots.count; i++) {
        FusionRoot *root = fusion->roots.data[i];
        if (!root->joined && !root->stacks &&
            (root->members.count > 0 || root->kind != KERNEL_LOOP))
            build.root_at[root->position] = root;
    }
    assign_main(&build);
    assign_region(&build, func_body(plan->program->main));
    assign_stacked(&build);
    plan->steps = build_steps(&build, func_body(plan->program->main));
    return true;
}
