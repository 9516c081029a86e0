// multiply_together: products with few rows read an operand that devices share once.
//
//   In      a device program whose @main says which arguments the devices hold alike.
//   Out     rows       few rows of each device, multiplied with what a group of devices hold alike
//                      (weights of a model whose batch is sharded): the rows of all are one product
//           columns    few rows that a group holds alike, multiplied with each device's columns of
//                      an argument's rows (weights that are sharded along their rows): all columns
//                      are one product, so that the array is read in long pieces
//           Each device takes its part of the result. The product is alike on the group: its
//           devices share the work (buffers/make_once.c).
//   Keeps   what the program computes, but for the order of summation.
//
//   before  dot_general(%x [M, K], %w [K, N])                                      %w alike
//   after   dynamic_slice(dot_general(all_gather(%x) [G M, K], %w), own M) [M, N]
//
// What constant arguments decide is packed once instead (share_panels.c).
#include "codegen/passes/constant_values.h"
#include "codegen/passes/together.h"
#include "codegen/target/target.h"
#include "ir/pass/passes.h"

// Rows of a device, and of a group; up to FEW_ROWS take no longer than what they are multiplied
// with takes to be read. Shorter pieces of rows are read at less than the memory's speed.
enum { FEW_ROWS = 8, MOST_ROWS = 32, MOST_ROWS_OF_ALL = 256, LONG_PIECE = 4 << 10 };

typedef struct Multiply {
    Module *module;
    Arena *arena;
    Replicas replicas;
    ConstantValues constants;
    int64_t cache; // bytes of the second level
    bool reads_whole_arrays;
} Multiply;

// ---- which products

// The only free dimension of more than one element; -1 = none, or several.
static int free_dim(const Op *dot, int side) {
    const DotDims *dims = op_attr(dot, NAME_DOT_DIMENSION_NUMBERS)->dot;
    IntSpan contracting = side ? dims->rhs_contracting : dims->lhs_contracting;
    const Type *type = op_operand_type(dot, side);
    int found = -1;
    for (int d = 0; d < type->rank; d++) {
        if (ints_contain(contracting, d) || type->dims[d] == 1) continue;
        if (found >= 0) return -1;
        found = d;
    }
    return found;
}

// Where rows of one element each may be gathered.
static int any_free_dim(const Op *dot, int side) {
    const DotDims *dims = op_attr(dot, NAME_DOT_DIMENSION_NUMBERS)->dot;
    IntSpan contracting = side ? dims->rhs_contracting : dims->lhs_contracting;
    int rank = op_operand_type(dot, side)->rank;
    for (int d = 0; d < rank; d++)
        if (!ints_contain(contracting, d)) return d;
    return -1;
}

static int64_t free_elements(const Op *dot, int side) {
    const DotDims *dims = op_attr(dot, NAME_DOT_DIMENSION_NUMBERS)->dot;
    IntSpan contracting = side ? dims->rhs_contracting : dims->lhs_contracting;
    const Type *type = op_operand_type(dot, side);
    int64_t elements = 1;
    for (int d = 0; d < type->rank; d++)
        if (!ints_contain(contracting, d)) elements *= type->dims[d];
    return elements;
}

// The dimension of the result that the operand's free dimension is.
static int result_dim(const Op *dot, int side, int dim) {
    const DotDims *dims = op_attr(dot, NAME_DOT_DIMENSION_NUMBERS)->dot;
    IntSpan contracting = side ? dims->rhs_contracting : dims->lhs_contracting;
    int at = side ? op_operand_type(dot, 0)->rank - dims->lhs_contracting.count : 0;
    for (int d = 0; d < dim; d++)
        at += !ints_contain(contracting, d);
    return at;
}

// Is it an argument of the program, or a part of one?
static bool is_of_argument(const Multiply *multiply, const Value *value) {
    while (value->def && (value->def->code == OP_RESHAPE || value->def->code == OP_SLICE ||
                          value->def->code == OP_DYNAMIC_SLICE))
        value = op_operand(value->def, 0);
    return !value->def && value->region->owner == module_entry(multiply->module, (StrView){0});
}

static bool has_few_rows(const Multiply *multiply, const Op *dot) {
    const DotDims *dims = op_attr(dot, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Value *lhs = op_operand(dot, 0), *rhs = op_operand(dot, 1);
    return dims->lhs_batch.count == 0 && lhs->number < multiply->replicas.values &&
           rhs->number < multiply->replicas.values && free_elements(dot, 0) <= MOST_ROWS &&
           !constant_values_have(&multiply->constants, rhs) &&
           !constant_layer_of(&multiply->constants, rhs).slice;
}

static bool has_short_pieces(const Multiply *multiply, const Op *dot) {
    const Value *rhs = op_operand(dot, 1);
    int dim = free_dim(dot, 1);
    return multiply->reads_whole_arrays && dim >= 0 && lies_along(rhs, dim) &&
           rhs->type->dims[dim] * (int64_t)element_bytes(rhs->type->element) < LONG_PIECE &&
           is_of_argument(multiply, rhs);
}

// ---- the rewriting

// Gathers the operand `side` along dimension dim; each device takes its part of the result.
static void multiply_together(
    Multiply *multiply, Op *dot, int side, int dim, const Together *together) {
    Module *module = multiply->module;
    Builder builder = builder_before(module, dot);
    const Type *type = op_result_type(dot, 0);
    Value *part = op_operand(dot, side);
    int at = result_dim(dot, side, dim);
    int64_t dims[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        dims[d] = type->dims[d] * (d == at ? together->size : 1);
    PtrMap values = ptr_map(multiply->arena);
    Value *whole = together_gather(&builder, part, dim, together);
    Op *all = op_clone(&builder, dot, &values);
    op_set_operand(all, side, whole);
    op_result(all, 0)->type = type_with_dims(module->context, type, type->rank, dims);
    Value *own =
        together_place(&builder, multiply->arena, &multiply->replicas, together, type->dims[at]);
    Value *zero = build_splat_int(&builder, own->type, 0), *starts[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        starts[d] = d == at ? own : zero;
    Value *result = build_dynamic_slice(&builder, op_result(all, 0), starts, type->dims);
    value_replace_uses(op_result(dot, 0), result);
    op_erase(dot);
}

// What stays in the second-level cache is read again and again in little time.
static bool is_worth_reading_once(
    const Multiply *multiply, const Op *dot, int side, int64_t devices) {
    int64_t rows = free_elements(dot, 0), bytes = (int64_t)type_bytes(op_operand_type(dot, 1));
    if (side == 1) return bytes * devices >= multiply->cache / 4;
    return devices * rows <= MOST_ROWS_OF_ALL &&
           bytes >= (rows <= FEW_ROWS ? multiply->cache / 4 : multiply->cache);
}

// Gathers the operand `side`, if groups of devices hold the other one alike and this one apart.
static bool try_side(Multiply *multiply, Op *dot, int side, int dim) {
    const Replicas *r = &multiply->replicas;
    const int32_t *alike = replicas_of(r, op_operand(dot, 1 - side));
    const int32_t *apart = replicas_of(r, op_operand(dot, side));
    Together together = together_apart(multiply->module, multiply->arena, r, alike, apart);
    if (dim < 0 || !together.groups || !together_meet_in(r, dot->parent, together.groups))
        return false;
    if (!is_worth_reading_once(multiply, dot, side, together.size)) return false;
    multiply_together(multiply, dot, side, dim, &together);
    return true;
}

static bool try_product(Op *op, void *user) {
    Multiply *multiply = user;
    if (op->code != OP_DOT_GENERAL || !has_few_rows(multiply, op)) return false;
    if (try_side(multiply, op, 0, any_free_dim(op, 0))) return true;
    return has_short_pieces(multiply, op) && try_side(multiply, op, 1, free_dim(op, 1));
}

PassResult pass_multiply_together(Module *module, PassContext *pass) {
    const Op *main = module_entry(module, (StrView){0});
    Multiply multiply = {.module = module, .arena = pass->scratch};
    if (!main || !replicas_find_marked(module, main, pass->scratch, &multiply.replicas) ||
        multiply.replicas.devices < 2)
        return PASS_UNCHANGED;
    enum { USUAL_CACHE = 1 << 20 };
    multiply.cache = pass->target ? pass->target->l2_bytes : USUAL_CACHE;
    multiply.constants = constant_values_find(module, main, pass->scratch);
    multiply.reads_whole_arrays = op_extra(main, WHOLE_ARRAYS) != NULL;
    return pass_over_main(module, try_product, &multiply);
}
