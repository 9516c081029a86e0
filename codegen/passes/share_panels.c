// share_panels: columns that are multiplied with often are packed once.
//
//   In      a device program whose @main says which arguments the devices hold alike, and the
//           machine that code is made for.
//   Out     a right operand that a loop does not change is brought into the order in which the
//           micro-kernel reads it before the loop; one that a group of devices hold alike, and
//           multiply few different rows with, before the product. Each device of the group packs
//           a part of the columns, and all read the parts where they lie (contract/panels.c).
//           Weights of a recurrent network are such operands, and those of a model whose batch is
//           sharded. One that constant arguments alone decide is packed once for many executions
//           (keep_values.c); where a loop takes it from a stack of them, layer by layer, all
//           layers are.
//   Keeps   what the program computes.
//
//   before  dot_general(%x [M, K], %w [K, N])
//   after   %1 = reshape(%w) [K, N / NR, NR]
//           %2 = transpose(slice of %1 [K, N / NR / devices, NR]) [N / NR / devices, K, NR]
//           reshape(dot_general(%x, all_gather(%2)) [M, N / NR, NR]) [M, N]
//
// A convolution has K = window x features and reads the panels as its filter, an index map:
// reshape(transpose(all_gather(%2))).
// Where a group of k's is multiplied at once, the panels are [N / NR, K / group, NR, group]; those
// of a stack have its layers in front.
#include "codegen/fuse/fuse.h"
#include "codegen/fuse/replicas.h"
#include "codegen/passes/constant_values.h"
#include "codegen/passes/together.h"
#include "codegen/target/target.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

// Fewer rows are multiplied without packing; with more of them packing does not matter.
enum {
    LEAST_ROWS = 33,
    MOST_ROWS = 1024,
    MOST_SHARED_ROWS = 256,
    MOST_GATHERED_ROWS = 128,
    LEAST_BYTES = 256 << 10
};
// Kept panels cost nothing but their memory; beyond so many rows nobody notices them. Fewer rows
// than FEW are multiplied without panels as fast as memory is read, where single elements are
// multiplied up to PLAIN of them.
enum { FEW_KEPT_ROWS = 8, PLAIN_KEPT_ROWS = 12, MOST_KEPT_ROWS = 512, LEAST_KEPT_BYTES = 16 << 10 };

// The dimensions of panels.
enum { LAYER, PANEL, STEP, COLUMN, GROUP, PANEL_RANK };

// The device's part of panels that are kept: others multiply with them, too.
typedef struct KeptPanels {
    const IntSpan *rhs_k;
    bool is_shared; // by a group of devices
    Value *part;
} KeptPanels;

typedef struct Panels {
    Module *module;
    Arena *arena;
    Replicas replicas;
    ConstantValues constants;
    const Target *target;
    PtrMap kept; // right operand -> KeptPanels
    bool changed;
} Panels;

typedef struct Product {
    Op *op;
    const ContractRow *how;
    const ConvDims *conv;        // NULL: dot_general
    const DotDims *dims;         // dot_general: the contracted dimensions
    int64_t rows, K, N, columns; // columns of a panel
    Together together;           // devices that pack together; no groups: each packs all
    bool is_kept;                // the right operand is constant, or a layer of what is
    Layer layer;                 // that it is; none: layer.slice = NULL
} Product;

// ---- which products

// How the CPU multiplies the elements, if its panels hold them as they are.
static const ContractRow *plain_row(const Target *target, const Op *op) {
    ElementType element = op_operand_type(op, 1)->element;
    bool is_usual = element == ELEMENT_F32 || element == ELEMENT_F64 || element == ELEMENT_BF16 ||
                    element == ELEMENT_F16;
    if (!is_usual || op_operand_type(op, 0)->element != element ||
        element_class(op_result_type(op, 0)->element) != CLASS_FLOAT)
        return NULL;
    bool is_wide = element == ELEMENT_F64 || op_result_type(op, 0)->element == ELEMENT_F64;
    ElementType accumulator = is_wide ? ELEMENT_F64 : ELEMENT_F32;
    const ContractRow *how = target_contract(target, element, element, accumulator, CONTRACT_TILES);
    ElementType packed = how->packed_rhs == ELEMENT_COUNT ? accumulator : how->packed_rhs;
    return how->product != PRODUCT_TILES && packed == element ? how : NULL;
}

static int64_t last_k(const DotDims *dims) {
    return dims->rhs_contracting.data[dims->rhs_contracting.count - 1];
}

// Few rows take panels where their sums run in the order of the products without: not along k.
static bool has_rows(const Product *product) {
    int64_t rows = product->rows;
    if (!product->is_kept) return rows >= LEAST_ROWS && rows <= MOST_ROWS;
    bool is_few = rows < LEAST_ROWS;
    if (is_few && rows < (product->how->group > 1 ? FEW_KEPT_ROWS : PLAIN_KEPT_ROWS)) return false;
    if (is_few && lies_along(op_operand(product->op, 1), (int)last_k(product->dims))) return false;
    return rows <= MOST_KEPT_ROWS;
}

static void set_columns(const Panels *panels, Product *product) {
    int bits = product->how->accumulator == ELEMENT_F64 ? 64 : 32;
    product->columns = (int64_t)product->how->vectors * panels->target->vector_bits / bits;
}

// Contracted dimensions, no batch, and sizes that are whole panels.
static bool has_shape(const Panels *panels, Product *product) {
    const Op *op = product->op;
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    int count = dims->rhs_contracting.count;
    if (dims->lhs_batch.count > 0 || count == 0) return false;
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    int64_t least_bytes = product->is_kept ? LEAST_KEPT_BYTES : LEAST_BYTES;
    if (lhs->rank + 2 > MAX_RANK || count + PANEL_RANK > MAX_RANK ||
        (int64_t)type_bytes(rhs) < least_bytes)
        return false;
    product->how = plain_row(panels->target, op);
    if (!product->how) return false;
    product->dims = dims;
    product->K = 1;
    for (int i = 0; i < count; i++)
        product->K *= rhs->dims[dims->rhs_contracting.data[i]];
    product->N = type_element_count(rhs) / product->K;
    product->rows = type_element_count(lhs) / product->K;
    set_columns(panels, product);
    return has_rows(product) && rhs->dims[last_k(dims)] % product->how->group == 0 &&
           product->columns > 0 && product->N % product->columns == 0;
}

// Pixels of one image of a convolution's result.
static int64_t pixels_of(const Op *op, const ConvDims *dims) {
    int64_t pixels = 1;
    for (int i = 0; i < dims->output_spatial.count; i++)
        pixels *= op_result_type(op, 0)->dims[dims->output_spatial.data[i]];
    return pixels;
}

// A convolution of one group, whose image has no fewer results than its window has places: others
// read the filter in another way. None is too small, as all filters are packed.
static bool has_filter(const Panels *panels, Product *product) {
    const Op *op = product->op;
    const ConvDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    const Type *rhs = op_operand_type(op, 1);
    if (op_int(op, NAME_FEATURE_GROUP_COUNT, 1) != 1 ||
        op_int(op, NAME_BATCH_GROUP_COUNT, 1) != 1 || rhs->rank + 2 > MAX_RANK ||
        (int64_t)type_bytes(rhs) < LEAST_BYTES)
        return false;
    product->conv = dims;
    product->how = plain_row(panels->target, op);
    if (!product->how) return false;
    int64_t features = rhs->dims[dims->kernel_input_feature];
    product->N = rhs->dims[dims->kernel_output_feature];
    product->K = type_element_count(rhs) / product->N;
    product->rows = type_element_count(op_result_type(op, 0)) / product->N;
    set_columns(panels, product);
    return product->rows <= MOST_ROWS && features % product->how->group == 0 &&
           pixels_of(op, dims) >= product->K / features && product->N % product->columns == 0;
}

// What the panels are made of: the right operand, or the stack that it is a layer of.
static Value *source_of(const Product *product) {
    return op_operand(
        product->layer.slice ? product->layer.slice : product->op, product->layer.slice ? 0 : 1);
}

// Groups of devices that hold the right operand alike, of equal size, but not the left one.
static bool find_groups(Panels *panels, Product *product) {
    const Replicas *r = &panels->replicas;
    const Value *lhs = op_operand(product->op, 0), *rhs = source_of(product);
    if (rhs->number >= r->values || lhs->number >= r->values) return false;
    Together groups = together_alike(panels->module, panels->arena, r, replicas_of(r, rhs));
    if (!groups.groups || product->N / product->columns % groups.size != 0) return false;
    product->together = groups;
    return !replicas_are_alike(r, lhs, groups.groups) &&
           together_meet_in(r, value_region(rhs), groups.groups);
}

// ---- the rewriting

// The ops from the layer on to the right operand, done with all layers: [layers, ...].
static Value *with_all_layers(Builder *builder, const Product *product, const Value *value) {
    const Op *op = value->def;
    int64_t dims[MAX_RANK];
    int rank = value->type->rank;
    dims[0] = source_of(product)->type->dims[product->layer.dim];
    for (int d = 0; d < rank; d++)
        dims[d + 1] = value->type->dims[d];
    if (op == product->layer.slice) {
        int64_t permutation[MAX_RANK] = {product->layer.dim};
        for (int d = 0, next = 1; d < rank; d++)
            if (d != product->layer.dim) permutation[next++] = d;
        Value *stack = build_transpose(builder, source_of(product), permutation);
        return build_reshape(builder, stack, rank + 1, dims);
    }
    Value *x = with_all_layers(builder, product, op_operand(op, 0));
    if (op->code == OP_RESHAPE) return build_reshape(builder, x, rank + 1, dims);
    if (op->code == OP_CONVERT) return build_convert(builder, x, value->type->element);
    IntSpan order = op_ints(op, NAME_PERMUTATION);
    int64_t permutation[MAX_RANK] = {0};
    for (int d = 0; d < rank; d++)
        permutation[d + 1] = order.data[d] + 1;
    return build_transpose(builder, x, permutation);
}

// The dimensions of a filter: result's features, window, image's features.
static void filter_order(const ConvDims *dims, int64_t *order) {
    int count = 0;
    order[count++] = dims->kernel_output_feature;
    for (int i = 0; i < dims->kernel_spatial.count; i++)
        order[count++] = dims->kernel_spatial.data[i];
    order[count] = dims->kernel_input_feature;
}

// [columns.., K] in the order of the operand's other dimensions, behind the layers.
static Value *with_k_last(Builder *builder, const Product *product) {
    Value *rhs = op_operand(product->op, 1);
    if (product->conv) {
        int64_t order[MAX_RANK];
        filter_order(product->conv, order);
        return build_transpose(builder, rhs, order);
    }
    int first = product->layer.slice ? 1 : 0;
    if (first) rhs = with_all_layers(builder, product, rhs);
    int rank = rhs->type->rank, count = 0;
    IntSpan k = product->dims->rhs_contracting;
    int64_t permutation[MAX_RANK];
    for (int d = 0; d < rank; d++)
        if (ints_find(k, d - first) < 0) permutation[count++] = d;
    for (int i = 0; i < k.count; i++)
        permutation[count++] = k.data[i] + first;
    bool is_same = true;
    for (int d = 0; d < rank; d++)
        is_same = is_same && permutation[d] == d;
    return is_same ? rhs : build_transpose(builder, rhs, permutation);
}

// The device's part of the panels; without layers, the dimensions from PANEL on.
static Value *own_panels(Panels *panels, Builder *builder, const Product *product) {
    int64_t group = product->how->group, all = product->N / product->columns;
    Value *form = with_k_last(builder, product);
    int64_t layers = product->layer.slice ? form->type->dims[0] : 1;
    int64_t dims[] = {layers, all, product->columns, product->K / group, group};
    int64_t permutation[] = {0, 1, 3, 2, 4};
    int first = product->layer.slice ? 0 : 1; // without layers the first dimension goes
    form = build_reshape(builder, form, PANEL_RANK - first, dims + first);
    for (int d = 0; d < PANEL_RANK; d++)
        permutation[d] -= first;
    if (!product->together.groups) return build_transpose(builder, form, permutation + first);
    dims[PANEL] = all / product->together.size;
    Value *start =
        together_place(builder, panels->arena, &panels->replicas, &product->together, dims[PANEL]);
    Value *zero = build_splat_int(builder, start->type, 0);
    Value *starts[PANEL_RANK] = {zero, start, zero, zero, zero};
    Value *part = build_dynamic_slice(builder, form, starts + first, dims + first);
    return build_transpose(builder, part, permutation + first);
}

// The panels of the layer that the product is in.
static Value *own_layer(Builder *builder, const Product *product, Value *whole) {
    if (!product->layer.slice) return whole;
    Value *zero = build_splat_int(builder, product->layer.number->type, 0);
    Value *starts[PANEL_RANK] = {product->layer.number, zero, zero, zero, zero};
    int64_t sizes[PANEL_RANK] = {1};
    memcpy(sizes + 1, whole->type->dims + 1, (PANEL_RANK - 1) * sizeof *sizes);
    Value *layer = build_dynamic_slice(builder, whole, starts, sizes);
    return build_reshape(builder, layer, PANEL_RANK - 1, sizes + 1);
}

// The left operand with its last contracted dimension as steps of groups.
static Value *in_steps(Builder *builder, const Product *product) {
    Value *lhs = op_operand(product->op, 0);
    IntSpan k = product->dims->lhs_contracting;
    int64_t dims[MAX_RANK], group = product->how->group;
    int rank = 0;
    for (int d = 0; d < lhs->type->rank; d++) {
        bool is_last = d == k.data[k.count - 1];
        dims[rank++] = is_last ? lhs->type->dims[d] / group : lhs->type->dims[d];
        if (is_last) dims[rank++] = group;
    }
    return build_reshape(builder, lhs, rank, dims);
}

// The panels with K as the contracted dimensions: [panels, k.., k / group, columns, group].
static Value *with_contracted(Builder *builder, const Product *product, Value *whole) {
    IntSpan k = product->dims->rhs_contracting;
    if (k.count == 1) return whole;
    const Type *rhs = op_operand_type(product->op, 1);
    int64_t dims[MAX_RANK] = {whole->type->dims[0]}, group = product->how->group;
    for (int i = 0; i < k.count; i++)
        dims[1 + i] = rhs->dims[k.data[i]] / (i == k.count - 1 ? group : 1);
    dims[k.count + 1] = product->columns;
    dims[k.count + 2] = group;
    return build_reshape(builder, whole, k.count + 3, dims);
}

// Those dimensions of both operands: the last one's steps, then the groups.
static const Attr *contracted(const Panels *panels, const Product *product) {
    IntSpan k = product->dims->lhs_contracting;
    int64_t last = k.data[k.count - 1], lhs_k[MAX_RANK], rhs_k[MAX_RANK];
    for (int i = 0; i < k.count; i++) {
        lhs_k[i] = k.data[i] + (k.data[i] > last);
        rhs_k[i] = 1 + i;
    }
    lhs_k[k.count] = last + 1;
    rhs_k[k.count] = k.count + 2;
    DotDims dims = {
        .lhs_contracting = {lhs_k, k.count + 1}, .rhs_contracting = {rhs_k, k.count + 1}};
    Attr numbers = {.kind = ATTR_DOT_DIMS, .dot = &dims};
    return attr_intern(panels->module->context, &numbers);
}

// The panels [panels, K / group, columns, group] as the filter that they are made of.
static void convolve_panels(Panels *panels, const Product *product, Value *whole) {
    Module *module = panels->module;
    Builder builder = builder_before(module, product->op);
    const Type *type = op_operand_type(product->op, 1);
    const int64_t columns_first[] = {0, 2, 1, 3};
    int64_t order[MAX_RANK], back[MAX_RANK], dims[MAX_RANK];
    filter_order(product->conv, order);
    for (int d = 0; d < type->rank; d++) {
        dims[d] = type->dims[order[d]];
        back[order[d]] = d;
    }
    Value *filter = build_transpose(&builder, whole, columns_first);
    filter = build_reshape(&builder, filter, type->rank, dims);
    op_set_operand(product->op, 1, build_transpose(&builder, filter, back));
    op_set_extra(
        module, product->op, context_name(module->context, SV(PANEL_COLUMNS)),
        attr_int(module->context, product->columns, ELEMENT_I64));
}

static void multiply_panels(Panels *panels, const Product *product, Value *whole) {
    Module *module = panels->module;
    Op *op = product->op;
    Builder builder = builder_before(module, op);
    const Type *type = op_result_type(op, 0);
    int64_t sizes[MAX_RANK];
    int rank = op_operand_type(op, 0)->rank - product->dims->lhs_contracting.count;
    for (int d = 0; d < rank; d++)
        sizes[d] = type->dims[d];
    sizes[rank++] = product->N / product->columns;
    sizes[rank++] = product->columns;
    PtrMap values = ptr_map(panels->arena);
    Value *lhs = in_steps(&builder, product);
    whole = with_contracted(&builder, product, own_layer(&builder, product, whole));
    Op *copy = op_clone(&builder, op, &values);
    op_set_operand(copy, 0, lhs);
    op_set_operand(copy, 1, whole);
    op_set_attr(module, copy, NAME_DOT_DIMENSION_NUMBERS, contracted(panels, product));
    op_set_extra(
        module, copy, context_name(module->context, SV(PANEL_COLUMNS)),
        attr_int(module->context, product->columns, ELEMENT_I64));
    op_result(copy, 0)->type = type_with_dims(module->context, type, rank, sizes);
    Value *result = build_reshape(&builder, op_result(copy, 0), type->rank, type->dims);
    value_replace_uses(op_result(op, 0), result);
    op_erase(op);
}

// The op that the packing stands before, in the region of what is packed: a loop, or the product
// itself.
static Op *place_of(const Product *product) {
    return region_ancestor_of(value_region(source_of(product)), product->op);
}

static Value *pack(Panels *panels, Builder *builder, const Product *product) {
    Module *module = panels->module;
    Context *context = module->context;
    Value *part = own_panels(panels, builder, product);
    op_set_extra(
        module, part->def, context_name(context, SV(PANEL_COLUMNS)),
        attr_int(context, product->columns, ELEMENT_I64));
    if (product->is_kept)
        op_set_extra(module, part->def, context_name(context, SV(KEPT)), attr_unit(context));
    return part;
}

static bool is_same_k(const IntSpan *a, const IntSpan *b) {
    return (!a && !b) || (a && b && a->count == b->count &&
                          memcmp(a->data, b->data, (size_t)a->count * sizeof *a->data) == 0);
}

// The panels of a constant operand that is multiplied with several times are the same: the target
// has one form for its elements, and the operand one partition of the devices.
static Value *kept_panels(Panels *panels, Builder *builder, const Product *product) {
    const Value *rhs = op_operand(product->op, 1);
    KeptPanels *kept = ptr_map_get(&panels->kept, rhs);
    bool is_shared = product->together.groups != NULL;
    const IntSpan *k = product->conv ? NULL : &product->dims->rhs_contracting;
    if (kept && is_same_k(kept->rhs_k, k) && kept->is_shared == is_shared) return kept->part;
    kept = ARENA_NEW(panels->arena, KeptPanels);
    *kept = (KeptPanels){k, is_shared, pack(panels, builder, product)};
    ptr_map_set(&panels->kept, rhs, kept);
    return kept->part;
}

// Each product gathers for itself: that is an index map then, which nobody stores.
static void pack_before(Panels *panels, const Product *product) {
    Builder builder = builder_before(panels->module, place_of(product));
    Value *part =
        product->is_kept ? kept_panels(panels, &builder, product) : pack(panels, &builder, product);
    int panel = part->type->rank == PANEL_RANK ? PANEL : 0;
    Value *whole = product->together.groups
                       ? together_gather(&builder, part, panel, &product->together)
                       : part;
    if (product->conv)
        convolve_panels(panels, product, whole);
    else
        multiply_panels(panels, product, whole);
    panels->changed = true;
}

// Is packing much of the work? An operand with several contracted dimensions is mostly gathered, a
// part from each device: it is read from there in either case, and sharing saves less.
static bool has_few_rows(const Product *product) {
    bool is_gathered = product->dims && product->dims->rhs_contracting.count > 1;
    return product->how->group == 1 &&
           product->rows <= (is_gathered ? MOST_GATHERED_ROWS : MOST_SHARED_ROWS);
}

// Is it worth it? Then groups and devices are set.
static bool is_used_often(Panels *panels, Product *product) {
    bool in_loop = place_of(product)->code == OP_WHILE;
    bool is_shared =
        find_groups(panels, product) && (product->is_kept || in_loop || has_few_rows(product));
    if (is_shared) return true;
    product->together = (Together){0};
    return product->is_kept || in_loop;
}

// Is the right operand constant, or a layer of what is?
static void find_constant(const Panels *panels, Product *product) {
    const Value *rhs = op_operand(product->op, 1);
    product->is_kept = constant_values_have(&panels->constants, rhs);
    if (product->is_kept || rhs->type->rank >= MAX_RANK) return;
    product->layer = constant_layer_of(&panels->constants, rhs);
    product->is_kept = product->layer.slice != NULL;
}

static void share_in_region(Panels *panels, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        Product product = {.op = op};
        if (lower_class(op, NULL) == LOWER_CONTROL) {
            for (int r = 0; r < op->region_count; r++)
                share_in_region(panels, op->regions[r]);
        } else if (op->code == OP_DOT_GENERAL) {
            find_constant(panels, &product);
            bool fits = has_shape(panels, &product);
            if (!fits && product.is_kept) { // as any other
                product = (Product){.op = op};
                fits = has_shape(panels, &product);
            }
            if (fits && is_used_often(panels, &product)) pack_before(panels, &product);
        } else if (op->code == OP_CONVOLUTION) {
            bool fits = has_filter(panels, &product);
            if (fits && is_used_often(panels, &product)) pack_before(panels, &product);
        }
    }
}

PassResult pass_share_panels(Module *module, PassContext *pass) {
    const Op *main = module_entry(module, (StrView){0});
    Panels panels = {.module = module, .arena = pass->scratch, .target = pass->target};
    if (!main || !panels.target || panels.target->reference_kernels) return PASS_UNCHANGED;
    if (!replicas_find_marked(module, main, pass->scratch, &panels.replicas))
        panels.replicas.values = 0; // nothing is known to be alike
    panels.constants = constant_values_find(module, main, pass->scratch);
    panels.kept = ptr_map(pass->scratch);
    share_in_region(&panels, func_body(main));
    return panels.changed ? PASS_CHANGED : PASS_UNCHANGED;
}
