// row_forms: which kernels can run on one block of rows after the other; see row_blocks.h.
//
// An array's rows are its leading dimensions. A kernel fits where the number of the row that it
// makes is, as an index expression, the number of each row that it reads.
#include "codegen/plan/blocks/row_forms.h"

#include "codegen/plan/space.h"

typedef const IndexExpr *Index;

enum { BY_ROWS = 1, WHOLE = 2 }; // how parts store an array: complete with the last block

int row_rank(const RowSpace *space, int rank, const int64_t *dims) {
    int64_t count = 1;
    bool has_outer = space->outer == 1;
    for (int d = 0; d < rank; d++) {
        count *= dims[d];
        has_outer = has_outer || count == space->outer;
        if (has_outer && count == space->outer * space->rows) return d + 1;
    }
    return -1;
}

static RowFit worse(RowFit a, RowFit b) { return a > b ? a : b; }

// ---- what is read

static RowFit fit_of_load(const RowSpace *space, ExprBuilder *b, const Expr *load, Index row) {
    const Type *type = load->stored->type;
    intptr_t kind = (intptr_t)ptr_map_get(&space->arrays, load->stored);
    if (!kind) return ROWS_APART;
    int rank = row_rank(space, type->rank, type->dims);
    bool fits = kind == BY_ROWS && !load->device && row &&
                index_linear(b->index, rank, type->dims, load->index) == row;
    return fits ? ROWS_FIT : ROWS_MISFIT;
}

// row: the number of the row that is made; NULL: none of theirs may be read.
static RowFit fit_of_uses(const RowSpace *space, ExprBuilder *b, const IndexUses *uses, Index row) {
    RowFit fit = ROWS_APART;
    for (int64_t i = 0; i < uses->count; i++) {
        const IndexUse *use = &uses->data[i];
        if (use->kind == USE_ADDRESS && use->stored)
            fit = worse(fit, fit_of_load(space, b, use->load, row));
    }
    return fit;
}

static bool stores_fit(
    const RowSpace *space, ExprBuilder *b, int count, const Store *stores, Index row) {
    for (int i = 0; i < count; i++) {
        const Type *type = stores[i].output->type;
        int rank = row_rank(space, type->rank, type->dims);
        if (rank < 0 || stores[i].device ||
            index_linear(b->index, rank, type->dims, stores[i].index) != row)
            return false;
    }
    return true;
}

// ---- maps, folds and rows

static RowFit fit_of_stage(const RowSpace *space, const Stage *stage) {
    ExprBuilder *b = stage->exprs;
    int64_t dims[MAX_RANK];
    Index index[MAX_RANK];
    bool is_plain = stage->kind == STAGE_MAP || stage->kind == STAGE_FOLD ||
                    (stage->kind == STAGE_ROWS && stage->rows->columns == 0);
    if (!is_plain) return ROWS_MISFIT;
    for (int a = 0; a < stage->axis_count; a++) {
        dims[a] = stage->axes[a].extent;
        index[a] = index_variable(b->index, stage->axes[a].variable, dims[a]);
    }
    int rank = row_rank(space, stage->axis_count, dims);
    if (rank < 0) return ROWS_MISFIT;
    Index row = index_linear(b->index, rank, dims, index);
    IndexUses uses = {0};
    UseWalk walk = use_walk(b, &uses);
    Substitution same = substitution(b, b);
    stage_uses(&walk, &same, stage);
    if (!stores_fit(space, b, stage->store_count, stage->stores, row)) return ROWS_MISFIT;
    for (int p = 0; stage->rows && p < stage->rows->pass_count; p++) {
        const RowPass *pass = &stage->rows->passes[p];
        if (!stores_fit(space, b, pass->store_count, pass->stores, row)) return ROWS_MISFIT;
        pass_uses_around(&walk, pass);
    }
    return fit_of_uses(space, b, &uses, row);
}

// Places of a row's dimensions that come after dimension d.
static int64_t places_behind(const Space *loops, int rank, int d) {
    int64_t count = 1;
    for (d++; d < rank; d++)
        count *= loops->dims[d];
    return count;
}

bool row_loops_fit(const RowSpace *space, const Stage *stage) {
    const Space *loops = stage->space;
    int64_t rest = space->outer * space->rows;
    if (!loops || loops->tile >= 0 || loops->shared >= 0 || loops->block || loops->by_columns)
        return false;
    int rank = row_rank(space, loops->rank, loops->dims);
    if (rank < 0) return false;
    bool is_alone = loops->axis_count == 1 && loops->inner == 0 && loops->axes[0].extent == rest;
    for (int a = 0; a < loops->axis_count && rest > 1; a++) {
        const SpaceAxis *axis = &loops->axes[a];
        if (a == loops->inner && !is_alone) continue;
        for (int p = axis->first; p < axis->first + axis->count; p++) {
            const SpacePart *part = &loops->parts[p];
            rest /= part->extent;
            if (part->dim >= rank || part->stride * places_behind(loops, rank, part->dim) != rest)
                return false;
        }
    }
    return rest == 1;
}

// ---- products

typedef struct DimList {
    int count;
    int dims[2 * MAX_RANK];
    int64_t size, outer; // places of all, of the batch
} DimList;

static void add_dim(DimList *list, const Type *type, int d) {
    list->dims[list->count++] = d;
    list->size *= type->dims[d];
}

// The batch's dimensions of an operand, and its contracted or its free ones.
static DimList dims_of(const Op *op, int side, bool contracted) {
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Type *type = op_operand_type(op, side);
    IntSpan batch = side ? dims->rhs_batch : dims->lhs_batch,
            inner = side ? dims->rhs_contracting : dims->lhs_contracting;
    DimList list = {.size = 1};
    for (int i = 0; i < batch.count; i++)
        add_dim(&list, type, (int)batch.data[i]);
    list.outer = list.size;
    for (int i = 0; contracted && i < inner.count; i++)
        add_dim(&list, type, (int)inner.data[i]);
    for (int d = 0; !contracted && d < type->rank; d++) {
        if (!ints_contain(batch, d) && !ints_contain(inner, d)) add_dim(&list, type, d);
    }
    return list;
}

static bool are_rows(const RowSpace *space, const DimList *list) {
    return list->outer == space->outer && list->size == space->outer * space->rows;
}

// Of an operand whose rows are these dimensions.
static RowFit fit_of_operand(
    const RowSpace *space, const Stage *stage, int side, const DimList *list) {
    const StageOperand *operand = &stage->operands[side];
    ExprBuilder *b = stage->exprs;
    if (!operand->element) {
        const Type *type = operand->value->type;
        intptr_t kind = (intptr_t)ptr_map_get(&space->arrays, operand->value);
        if (!kind) return ROWS_APART;
        int rank = row_rank(space, type->rank, type->dims);
        if (kind != BY_ROWS || !are_rows(space, list) || rank > list->count) return ROWS_MISFIT;
        for (int i = 0; i < list->count; i++) {
            if (list->dims[i] != i && (i < rank || type->dims[list->dims[i]] != 1))
                return ROWS_MISFIT;
        }
        return ROWS_FIT;
    }
    IndexUses uses = {0};
    UseWalk walk = use_walk(b, &uses);
    uses_of_expr(&walk, operand->element);
    int64_t dims[2 * MAX_RANK];
    Index index[2 * MAX_RANK];
    for (int i = 0; i < list->count; i++) {
        const Axis *axis = &operand->axes[list->dims[i]];
        dims[i] = axis->extent;
        index[i] = index_variable(b->index, axis->variable, axis->extent);
    }
    Index row = are_rows(space, list) ? index_linear(b->index, list->count, dims, index) : NULL;
    return fit_of_uses(space, b, &uses, row);
}

static bool is_float_product(const Kernel *kernel) {
    const Op *op = kernel->root;
    if (kernel->kind != KERNEL_CONTRACT || op->code != OP_DOT_GENERAL) return false;
    if (op_extra(op, PANEL_COLUMNS) || !kernel->stage || kernel->stage->operand_count < 2)
        return false;
    for (int i = 0; i < 3; i++) {
        const Type *type = i < 2 ? op_operand_type(op, i) : op_result_type(op, 0);
        if (!element_is_float(type->element) || type_element_count(type) == 0) return false;
    }
    return true;
}

static RowFit fit_of_product(const RowSpace *space, const Kernel *kernel, RowBlock *block) {
    const Stage *stage = kernel->stage;
    if (!is_float_product(kernel)) return ROWS_MISFIT;
    IndexUses uses = {0};
    UseWalk walk = use_walk(stage->exprs, &uses);
    Substitution same = substitution(stage->exprs, stage->exprs);
    stage_uses(&walk, &same, stage); // the epilogue
    if (fit_of_uses(space, stage->exprs, &uses, NULL) != ROWS_APART) return ROWS_MISFIT;
    RowFit of_rows[2], of_depth[2];
    for (int side = 0; side < 2; side++) {
        DimList free = dims_of(kernel->root, side, false),
                depth = dims_of(kernel->root, side, true);
        of_rows[side] = fit_of_operand(space, stage, side, &free);
        of_depth[side] = fit_of_operand(space, stage, side, &depth);
    }
    bool reads_left = of_rows[0] != ROWS_APART, reads_right = of_rows[1] != ROWS_APART;
    if (!reads_left && !reads_right) return ROWS_MISFIT; // for an index
    if (of_depth[0] != ROWS_MISFIT && of_depth[1] != ROWS_MISFIT) {
        // the rows as columns of the product are packed as they lie
        *block = (RowBlock){
            .is_depth = true, .is_turned = reads_left && !reads_right, .skips_zeros = true};
        return ROWS_FIT;
    }
    for (int side = 0; side < 2; side++) {
        if (of_rows[side] != ROWS_FIT || of_rows[1 - side] != ROWS_APART) continue;
        *block = (RowBlock){.is_turned = side == 1, .skips_zeros = true};
        return ROWS_FIT;
    }
    return ROWS_MISFIT;
}

// ---- kernels

// Does it read and write memory of its own device, and nothing that parts wrote once more?
static bool is_own(const RowSpace *space, const Kernel *kernel) {
    for (int i = 0; i < kernel->output_count; i++) {
        const KernelOperand *output = &kernel->outputs[i];
        if (output->is_remote || output->made ||
            ptr_map_has(&space->memories, buffer_memory(output->buffer)))
            return false;
    }
    for (int i = 0; i < kernel->input_count; i++) {
        if (kernel->inputs[i].is_remote || kernel->inputs[i].shares) return false;
    }
    return true;
}

RowFit row_fit(const RowSpace *space, const Kernel *kernel, RowBlock *block) {
    bool reads = false, reads_parts = false;
    for (int i = 0; i < kernel->input_count; i++) {
        const KernelOperand *input = &kernel->inputs[i];
        bool is_array = ptr_map_has(&space->arrays, input->value);
        reads = reads || is_array;
        reads_parts = reads_parts ||
                      (!is_array && ptr_map_has(&space->memories, buffer_memory(input->buffer)));
    }
    if (reads_parts) return ROWS_MISFIT;
    if (!reads) return ROWS_APART;
    *block = (RowBlock){0};
    if (!is_own(space, kernel) || !kernel->stage || kernel->grid == 0) return ROWS_MISFIT;
    if (kernel->kind == KERNEL_CONTRACT) return fit_of_product(space, kernel, block);
    bool is_stage = kernel->kind == KERNEL_LOOP || kernel->kind == KERNEL_REDUCE;
    return is_stage ? fit_of_stage(space, kernel->stage) : ROWS_MISFIT;
}

bool row_product_fits(const RowSpace *space, const Kernel *kernel) {
    if (!is_float_product(kernel) || !is_own(space, kernel) || kernel->grid == 0) return false;
    DimList left = dims_of(kernel->root, 0, false);
    for (int i = 0; i < kernel->output_count; i++) {
        const Type *type = kernel->outputs[i].value->type;
        if (row_rank(space, type->rank, type->dims) < 0) return false;
    }
    return are_rows(space, &left);
}

void row_space_add(RowSpace *space, const Kernel *kernel, const RowBlock *block) {
    for (int i = 0; i < kernel->output_count; i++) {
        const KernelOperand *output = &kernel->outputs[i];
        const Type *type = output->value->type;
        bool by_rows =
            !block->is_depth && !block->is_turned && row_rank(space, type->rank, type->dims) >= 0;
        ptr_map_set(&space->arrays, output->value, (void *)(intptr_t)(by_rows ? BY_ROWS : WHOLE));
        ptr_map_set(&space->memories, buffer_memory(output->buffer), space);
    }
}
