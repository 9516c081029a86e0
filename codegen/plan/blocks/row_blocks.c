// row_blocks: finds kernels that run block by block, and makes one of them; see row_blocks.h.
//
// A group begins with a product whose result would not stay in the second-level cache. The kernels
// behind it join where each row that they make is made of the same row of what the group stores, or
// where they contract its rows. Steps between them move before the group, or behind it if they need
// something of it; a kernel that needs such a step stays out. No step passes a call of the caller's
// functions, which have effects.
//
// It pays where a large array that only the group uses is not stored any more, and the columns and
// sums that every block meets are fewer bytes than what the group's own arrays save.
#include "codegen/plan/blocks/row_blocks.h"

#include "codegen/element/element.h"
#include "codegen/kernel/offsets.h"
#include "codegen/plan/blocks/row_forms.h"
#include "codegen/plan/kernel_stage.h"
#include "codegen/plan/space.h"

#include <string.h>

enum {
    MOST_STEPS = 64, // that are looked at behind the first product
    LEAST_OUTER = 8, // each is one lane's
    LEAST_BUSY = 75, // per cent of the lanes
    MOST_ROWS = 128,
    LEAST_ROWS = 16,
    ROWS_OF_TILES = 32,
    ROWS_OF_VECTORS = 2,
    LINE = 64,
    LONG_ROW = 1024 // bytes
};

typedef struct Member {
    Kernel *kernel;
    RowBlock block;
    int64_t step;
    bool is_tentative; // a product that reads nothing of the others
} Member;

typedef struct Search {
    Plan *plan;
    Arena *arena;
    StepList *list;
    int64_t first; // the first product's step
    RowSpace space;
    VEC(Member) members;
    VEC(const Kernel *) behind; // kernels that need the group, or another of these
    VEC(BlockLocal) locals;
    int64_t rows; // of a block
} Search;

// ---- the order of steps

static const Buffer *memory_of(const Search *search, const Buffer *buffer) {
    return buffer_donated_memory(search->plan, buffer);
}

// Does one of them write what the other reads or writes?
static bool conflict(const Search *search, const Kernel *a, const Kernel *b) {
    for (int i = 0; i < a->output_count; i++) {
        const Buffer *written = memory_of(search, a->outputs[i].buffer);
        for (int k = 0; k < b->output_count; k++)
            if (memory_of(search, b->outputs[k].buffer) == written) return true;
        for (int k = 0; k < b->input_count; k++)
            if (memory_of(search, b->inputs[k].buffer) == written) return true;
    }
    for (int i = 0; i < a->input_count; i++) {
        const Buffer *read = memory_of(search, a->inputs[i].buffer);
        for (int k = 0; k < b->output_count; k++)
            if (memory_of(search, b->outputs[k].buffer) == read) return true;
    }
    return false;
}

static bool waits(const Search *search, const Kernel *kernel) {
    for (int64_t i = 0; i < search->behind.count; i++)
        if (conflict(search, search->behind.data[i], kernel)) return true;
    return false;
}

static bool needs_member(const Search *search, const Kernel *kernel) {
    for (int64_t i = 0; i < search->members.count; i++)
        if (conflict(search, search->members.data[i].kernel, kernel)) return true;
    return false;
}

// ---- members

static void add_member(Search *search, int64_t step, RowBlock block, bool is_tentative) {
    Kernel *kernel = search->list->steps.data[step]->kernel;
    Member member = {kernel, block, step, is_tentative};
    vec_push(search->arena, &search->members, member);
    row_space_add(&search->space, kernel, &block);
}

static bool is_row_product(const Search *search, const Kernel *kernel) {
    return kernel->kind == KERNEL_CONTRACT && row_product_fits(&search->space, kernel) &&
           (int64_t)type_bytes(kernel->outputs[0].value->type) >= search->plan->target->l2_bytes;
}

static void look_at(Search *search, int64_t step) {
    const Kernel *kernel = search->list->steps.data[step]->kernel;
    RowBlock block = {0};
    RowFit fit = row_fit(&search->space, kernel, &block);
    bool may_join = !waits(search, kernel);
    if (may_join && fit == ROWS_FIT)
        add_member(search, step, block, false);
    else if (
        may_join && fit == ROWS_APART && !needs_member(search, kernel) &&
        is_row_product(search, kernel))
        add_member(search, step, (RowBlock){0}, true);
    else if (!may_join || needs_member(search, kernel))
        vec_push(search->arena, &search->behind, kernel);
}

static bool reads(const Kernel *kernel, const Value *value) {
    for (int i = 0; i < kernel->input_count; i++)
        if (kernel->inputs[i].value == value) return true;
    return false;
}

static bool is_read_by_members(const Search *search, const Kernel *kernel) {
    for (int64_t i = 0; i < search->members.count; i++) {
        for (int o = 0; o < kernel->output_count; o++)
            if (reads(search->members.data[i].kernel, kernel->outputs[o].value)) return true;
    }
    return false;
}

static void drop_unread_products(Search *search) {
    int64_t kept = 0;
    for (int64_t i = 0; i < search->members.count; i++) {
        Member member = search->members.data[i];
        if (member.is_tentative && !is_read_by_members(search, member.kernel)) continue;
        search->members.data[kept++] = member;
    }
    search->members.count = kept;
}

// ---- arrays that only the group uses

static bool is_member(const Search *search, const Kernel *kernel) {
    for (int64_t i = 0; i < search->members.count; i++)
        if (search->members.data[i].kernel == kernel) return true;
    return false;
}

static bool touches(const Kernel *kernel, const Buffer *memory) {
    for (int i = 0; i < kernel->output_count; i++)
        if (buffer_memory(kernel->outputs[i].buffer) == memory) return true;
    for (int i = 0; i < kernel->input_count; i++)
        if (buffer_memory(kernel->inputs[i].buffer) == memory) return true;
    return false;
}

static bool tests(const StepList *list, const Buffer *memory) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        const Step *step = list->steps.data[i];
        if (step->test && buffer_memory(step->test) == memory) return true;
        for (int b = 0; b < step_body_count(step); b++)
            if (tests(step->bodies[b], memory)) return true;
    }
    return false;
}

static bool is_local(const Search *search, const Buffer *buffer) {
    const Plan *plan = search->plan;
    if (buffer->kind != BUFFER_ARENA || buffer->base || tests(plan->steps, buffer)) return false;
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        const Kernel *kernel = plan->kernels.data[i];
        if (!is_member(search, kernel) && touches(kernel, buffer)) return false;
    }
    for (int64_t i = 0; i < plan->all_buffers.count; i++)
        if (plan->all_buffers.data[i]->base == buffer) return false;
    return true;
}

// Rows of whole lines, an odd number of them: rows side by side lie in different sets of a cache.
static int64_t row_bytes_of(const Search *search, const Buffer *buffer) {
    int rank = row_rank(&search->space, buffer->rank, buffer->dims);
    int64_t bytes = (int64_t)element_bytes(buffer->element);
    for (int d = rank; d < buffer->rank; d++)
        bytes *= buffer->dims[d];
    if (bytes < LONG_ROW) return bytes;
    int64_t lines = (bytes + LINE - 1) / LINE;
    return (lines + (lines % 2 == 0)) * LINE;
}

static void find_locals(Search *search) {
    for (int64_t i = 0; i < search->members.count; i++) {
        const Member *member = &search->members.data[i];
        bool by_rows = !member->block.is_depth && !member->block.is_turned;
        for (int o = 0; by_rows && o < member->kernel->output_count; o++) {
            Buffer *buffer = member->kernel->outputs[o].buffer;
            if (!is_local(search, buffer)) continue;
            BlockLocal local = {
                .buffer = buffer, .row_bytes = row_bytes_of(search, buffer), .first = -1};
            for (int64_t k = 0; k < search->members.count; k++) {
                if (!touches(search->members.data[k].kernel, buffer)) continue;
                if (local.first < 0) local.first = (int)k;
                local.last = (int)k;
            }
            if (local.first == i) vec_push(search->arena, &search->locals, local);
        }
    }
}

// Blocks that come later read what is outside of the group: no block may have changed that.
static bool leaves_inputs(const Search *search) {
    for (int64_t m = 0; m < search->members.count; m++) {
        const Kernel *reader = search->members.data[m].kernel;
        for (int i = 0; i < reader->input_count; i++) {
            if (ptr_map_has(&search->space.arrays, reader->inputs[i].value)) continue;
            const Buffer *read = memory_of(search, reader->inputs[i].buffer);
            for (int64_t w = 0; w < search->members.count; w++) {
                const Kernel *writer = search->members.data[w].kernel;
                for (int o = 0; o < writer->output_count; o++)
                    if (memory_of(search, writer->outputs[o].buffer) == read) return false;
            }
        }
    }
    return true;
}

// ---- does it pay?

// Bytes of the locals for blocks of so many rows; sets their places.
static int64_t place_locals(Arena *arena, int64_t count, BlockLocal *locals, int64_t rows) {
    PlacedArray *arrays = ARENA_ARRAY(arena, PlacedArray, count + 1);
    for (int64_t i = 0; i < count; i++)
        arrays[i] = (PlacedArray){
            .number = (int)i,
            .begin = locals[i].first,
            .end = locals[i].last,
            .single_end = locals[i].last,
            .size = (locals[i].row_bytes * rows + LINE - 1) / LINE * LINE};
    int64_t total = 0, alive = 0;
    if (!place_arrays(arena, arrays, count, &total, &alive)) return INT64_MAX;
    for (int64_t i = 0; i < count; i++)
        locals[arrays[i].number].at = arrays[i].offset;
    return total;
}

static int64_t columns_bytes(const Member *member, int64_t outer) {
    const Op *op = member->kernel->root;
    int side = member->block.is_turned ? 0 : 1;
    int64_t bytes = (int64_t)type_bytes(op_operand_type(op, side));
    if (member->block.is_depth) // the sums, which are read and written
        bytes = 2 * type_element_count(op_result_type(op, 0)) * (int64_t)sizeof(float);
    return bytes / outer;
}

// Bytes that pass through a block beside its rows, and those of its locals that do not pass through
// memory.
static bool saves_memory(Search *search, int64_t rows) {
    int64_t beside = 0, saved = 0, share = search->plan->target->l2_bytes / 2;
    for (int64_t i = 0; i < search->members.count; i++) {
        const Member *member = &search->members.data[i];
        if (member->kernel->kind == KERNEL_CONTRACT)
            beside += columns_bytes(member, search->space.outer);
        for (int64_t k = 0; k < search->locals.count; k++)
            if (touches(member->kernel, search->locals.data[k].buffer))
                saved += search->locals.data[k].row_bytes * rows;
    }
    return beside <= share || beside < saved;
}

static int64_t row_unit(const Search *search) {
    const Target *target = search->plan->target;
    for (int64_t i = 0; i < search->members.count; i++) {
        const Kernel *kernel = search->members.data[i].kernel;
        if (kernel->kind != KERNEL_CONTRACT) continue;
        const Op *op = kernel->root;
        const ContractRow *row = target_contract(
            target, op_operand_type(op, 0)->element, op_operand_type(op, 1)->element, ELEMENT_F32,
            CONTRACT_TILES);
        if (row->product == PRODUCT_TILES) return ROWS_OF_TILES;
    }
    return ROWS_OF_VECTORS;
}

// The most rows of a block so that the locals leave room in the second-level cache; where these are
// too few, the fewest that pay, though the locals are twice as large. 0 = none.
static int64_t choose_rows(Search *search) {
    int64_t all = search->space.rows, unit = row_unit(search), best = 0;
    int64_t cache = search->plan->target->l2_bytes, room = cache - cache / 8;
    for (int64_t rows = unit; rows <= MOST_ROWS && rows <= all; rows += unit) {
        if (all % rows != 0 || rows < LEAST_ROWS || !saves_memory(search, rows)) continue;
        int64_t bytes =
            place_locals(search->arena, search->locals.count, search->locals.data, rows);
        if (bytes <= room || (bytes <= 2 * cache && !best)) best = rows;
    }
    return best;
}

static bool pays(Search *search) {
    int products = 0;
    int64_t largest = 0;
    for (int64_t i = 0; i < search->members.count; i++)
        products += search->members.data[i].kernel->kind == KERNEL_CONTRACT;
    if (products < 2 || search->members.data[0].step != search->first || !leaves_inputs(search))
        return false;
    find_locals(search);
    for (int64_t i = 0; i < search->locals.count; i++) {
        int64_t bytes = search->locals.data[i].row_bytes * search->space.rows * search->space.outer;
        largest = bytes > largest ? bytes : largest;
    }
    if (largest < search->plan->target->l2_bytes) return false;
    search->rows = choose_rows(search);
    return search->rows > 0;
}

// ---- the parts

static void set_strides(const Search *search, const BlockLocal *local, bool is_local) {
    Buffer *buffer = local->buffer;
    int rank = row_rank(&search->space, buffer->rank, buffer->dims);
    int64_t stride = 1, row = local->row_bytes / (int64_t)element_bytes(buffer->element);
    buffer->kind = is_local ? BUFFER_LOCAL : BUFFER_ARENA;
    buffer->is_dense = true;
    for (int d = buffer->rank - 1; d >= 0; d--) {
        if (d == rank - 1 && is_local && rank < buffer->rank) {
            buffer->is_dense = buffer->is_dense && row == stride;
            stride = row;
        }
        buffer->strides[d] = stride;
        stride *= buffer->dims[d];
    }
}

// The stage and loops once more, as the addresses have changed.
static bool plan_again(Search *search, const Kernel *kernel, Stage **stage) {
    const Plan *plan = search->plan;
    *stage = stage_of_kernel(plan->arena, plan->program, kernel, plan->target, plan->diags);
    if (!*stage) return false;
    stage_add_starts(*stage);
    if ((*stage)->kind == STAGE_SPECIAL) return true;
    (*stage)->space = space_plan(*stage, arena_child(search->arena));
    return row_loops_fit(&search->space, *stage);
}

static bool make_parts(Search *search) {
    int64_t count = search->members.count, done = 0;
    for (int64_t i = 0; i < search->locals.count; i++)
        set_strides(search, &search->locals.data[i], true);
    Stage **stages = (Stage **)arena_alloc_array(search->arena, count, sizeof(Stage *));
    while (done < count && plan_again(search, search->members.data[done].kernel, &stages[done]))
        done++;
    for (int64_t i = 0; done < count && i < search->locals.count; i++)
        set_strides(search, &search->locals.data[i], false);
    for (int64_t i = 0; done == count && i < count; i++) {
        Member *member = &search->members.data[i];
        member->block.rows = search->rows;
        member->block.count = search->space.rows / search->rows;
        member->kernel->block = member->block;
        member->kernel->stage = stages[i];
        member->kernel->grid = search->space.outer * member->block.count;
    }
    return done == count;
}

// ---- the kernel of all

typedef struct Operands {
    VEC(KernelOperand) outputs, inputs;
} Operands;

static int operand_number(const Operands *all, const Value *value) {
    for (int64_t i = 0; i < all->outputs.count; i++)
        if (all->outputs.data[i].value == value) return (int)i;
    for (int64_t i = 0; i < all->inputs.count; i++)
        if (all->inputs.data[i].value == value) return (int)(all->outputs.count + i);
    return -1;
}

static int local_number(const RowBlocks *blocks, const Buffer *buffer) {
    for (int i = 0; i < blocks->local_count; i++)
        if (blocks->locals[i].buffer == buffer) return i;
    return -1;
}

static KernelOperand plain_operand(const KernelOperand *of_part) {
    return (KernelOperand){.value = of_part->value, .buffer = of_part->buffer};
}

static void find_operands(Arena *arena, const RowBlocks *blocks, Operands *all) {
    for (int p = 0; p < blocks->part_count; p++) {
        const Kernel *part = blocks->parts[p].kernel;
        for (int i = 0; i < part->output_count; i++)
            if (local_number(blocks, part->outputs[i].buffer) < 0)
                vec_push(arena, &all->outputs, plain_operand(&part->outputs[i]));
    }
    for (int p = 0; p < blocks->part_count; p++) {
        const Kernel *part = blocks->parts[p].kernel;
        for (int i = 0; i < part->input_count; i++)
            if (local_number(blocks, part->inputs[i].buffer) < 0 &&
                operand_number(all, part->inputs[i].value) < 0)
                vec_push(arena, &all->inputs, plain_operand(&part->inputs[i]));
    }
}

static void number_operands(Arena *arena, const RowBlocks *blocks, const Operands *all) {
    for (int p = 0; p < blocks->part_count; p++) {
        const Kernel *part = blocks->parts[p].kernel;
        int count = part->output_count + part->input_count;
        int *numbers = ARENA_ARRAY(arena, int, count);
        for (int i = 0; i < count; i++) {
            const KernelOperand *operand =
                i < part->output_count ? &part->outputs[i] : &part->inputs[i - part->output_count];
            int local = local_number(blocks, operand->buffer);
            numbers[i] = local < 0 ? operand_number(all, operand->value) : -1 - local;
        }
        blocks->parts[p].operands = numbers;
    }
}

static Kernel *make_kernel(Search *search) {
    Plan *plan = search->plan;
    RowBlocks *blocks = ARENA_NEW(plan->arena, RowBlocks);
    Kernel *kernel = ARENA_NEW(plan->arena, Kernel);
    blocks->outer = search->space.outer;
    blocks->rows = search->rows;
    blocks->count = search->space.rows / search->rows;
    blocks->part_count = (int)search->members.count;
    blocks->parts = ARENA_ARRAY(plan->arena, BlockPart, blocks->part_count);
    blocks->local_count = (int)search->locals.count;
    blocks->locals = arena_copy(
        plan->arena, search->locals.data, (size_t)search->locals.count * sizeof(BlockLocal));
    for (int p = 0; p < blocks->part_count; p++) {
        Kernel *part = search->members.data[p].kernel;
        blocks->parts[p].kernel = part;
        kernel->flops += part->flops;
    }
    Operands all = {{0}, {0}};
    find_operands(plan->arena, blocks, &all);
    number_operands(plan->arena, blocks, &all);
    kernel->kind = KERNEL_BLOCKS;
    kernel->number = (int)plan->kernels.count;
    kernel->root = blocks->parts[0].kernel->root;
    kernel->loc = kernel->root->loc;
    kernel->output_count = (int)all.outputs.count;
    kernel->outputs = all.outputs.data;
    kernel->input_count = (int)all.inputs.count;
    kernel->inputs = all.inputs.data;
    for (int i = 0; i < kernel->output_count; i++)
        kernel->bytes += (int64_t)type_bytes(kernel->outputs[i].value->type);
    for (int i = 0; i < kernel->input_count; i++)
        kernel->bytes += (int64_t)type_bytes(kernel->inputs[i].value->type);
    kernel->grid = blocks->outer;
    kernel->name = arena_printf(
        plan->arena, "%s+%d more", blocks->parts[0].kernel->name, blocks->part_count - 1);
    kernel->blocks = blocks;
    kernel->stage = stage_create(
        expr_builder_create(
            plan->arena, plan->program, kernel, plan->target->only_device, plan->diags),
        STAGE_SPECIAL, 0);
    vec_push(plan->arena, &plan->kernels, kernel);
    return kernel;
}

void row_blocks_lay_out(Plan *plan, Kernel *kernel) {
    const RowBlocks *blocks = kernel->blocks;
    Arena *scratch = arena_child(plan->arena);
    int64_t at = place_locals(scratch, blocks->local_count, blocks->locals, blocks->rows);
    arena_reset(scratch);
    for (int p = 0; p < blocks->part_count; p++) {
        blocks->parts[p].scratch_at = at;
        at += (blocks->parts[p].kernel->scratch_bytes + LINE - 1) / LINE * LINE;
    }
    kernel->scratch_bytes = at;
    if (at > (int64_t)plan->scratch_bytes) plan->scratch_bytes = (size_t)at;
}

// ---- lists of steps

static bool is_behind(const Search *search, const Kernel *kernel) {
    for (int64_t i = 0; i < search->behind.count; i++)
        if (search->behind.data[i] == kernel) return true;
    return false;
}

// Puts the kernel in the place of its parts' steps.
static void replace_steps(Search *search, Kernel *kernel, int64_t end) {
    StepList *list = search->list;
    VEC(Step *) before = {0}, behind = {0};
    Step *group = list->steps.data[search->first];
    for (int64_t i = search->first; i < end; i++) {
        Step *step = list->steps.data[i];
        if (is_member(search, step->kernel)) continue;
        if (is_behind(search, step->kernel))
            vec_push(search->arena, &behind, step);
        else
            vec_push(search->arena, &before, step);
    }
    int64_t next = search->first;
    for (int64_t i = 0; i < before.count; i++)
        list->steps.data[next++] = before.data[i];
    group->kernel = kernel;
    list->steps.data[next++] = group;
    for (int64_t i = 0; i < behind.count; i++)
        list->steps.data[next++] = behind.data[i];
    for (int64_t i = end; i < list->steps.count; i++)
        list->steps.data[next++] = list->steps.data[i];
    list->steps.count = next;
}

// Do the outer places occupy most lanes of a device, whose CPUs all devices share?
static bool occupies_lanes(const Plan *plan, int64_t outer) {
    int64_t lanes = plan->target->cpus / plan->program->device_count;
    if (lanes < 1) lanes = 1;
    int64_t rounds = (outer + lanes - 1) / lanes;
    return outer >= LEAST_OUTER && 100 * outer >= LEAST_BUSY * rounds * lanes;
}

static bool set_space(Search *search, const Kernel *kernel) {
    if (kernel->kind != KERNEL_CONTRACT || kernel->root->code != OP_DOT_GENERAL) return false;
    const DotDims *dims = op_attr(kernel->root, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Type *lhs = op_operand_type(kernel->root, 0);
    int64_t outer = 1, depth = 1;
    for (int i = 0; i < dims->lhs_batch.count; i++)
        outer *= lhs->dims[dims->lhs_batch.data[i]];
    for (int i = 0; i < dims->lhs_contracting.count; i++)
        depth *= lhs->dims[dims->lhs_contracting.data[i]];
    if (!occupies_lanes(search->plan, outer) || depth == 0) return false;
    search->space = (RowSpace){
        .outer = outer,
        .rows = type_element_count(lhs) / outer / depth,
        .arrays = ptr_map(search->arena),
        .memories = ptr_map(search->arena)};
    return search->space.rows >= LEAST_ROWS && is_row_product(search, kernel);
}

// Makes a group that begins with the step, if one does.
static void try_step(Plan *plan, StepList *list, int64_t first) {
    Arena *arena = arena_child(plan->arena);
    Search *search = ARENA_NEW(arena, Search);
    *search = (Search){.plan = plan, .arena = arena, .list = list, .first = first};
    int64_t end = first + 1;
    if (set_space(search, list->steps.data[first]->kernel)) {
        add_member(search, first, (RowBlock){0}, true);
        for (; end < list->steps.count && end - first < MOST_STEPS; end++) {
            const Step *step = list->steps.data[end];
            if (step->kind != STEP_KERNEL || step->kernel->kind == KERNEL_CUSTOM) break;
            look_at(search, end);
        }
        drop_unread_products(search);
        if (search->members.count > 0 && pays(search) && make_parts(search))
            replace_steps(search, make_kernel(search), end);
    }
    arena_reset(arena);
}

static void find_in_list(Plan *plan, StepList *list) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        const Step *step = list->steps.data[i];
        for (int b = 0; b < step_body_count(step); b++)
            find_in_list(plan, step->bodies[b]);
        if (step->kind == STEP_KERNEL && step->kernel->kind == KERNEL_CONTRACT)
            try_step(plan, list, i);
    }
}

void plan_row_blocks(Plan *plan) {
    if (!plan->target->reference_kernels) find_in_list(plan, plan->steps);
}
