// grouped_products: the products of convolutions of many small groups (lower_conv_grouped.c).
//
// The sums of some pixels of a row, for one vector of features, stay in registers over the window.
// What they are made of comes from the slab; or from the image in memory, if features are its last
// dimension and have the type that is multiplied. Then places in the border are left out: the
// window's rows by the bounds of their loop, its columns by code of their own for the first and the
// last pixels of a row.
#include "codegen/contract/conv/conv_grouped.h"
#include "codegen/element/element.h"
#include "codegen/emit/emit_state.h"

static EmitLoop *loop(Grouped *g, int64_t count) { return emit_loop_constant(g->e, count, false); }

// ---- the image where it lies

// Which pixels of a row these are: places in the border before the first one, or behind the last
// one, are left out.
typedef struct Edges {
    bool first, last;
} Edges;

static int64_t image_size(const Contraction *c, int d) {
    int i = d - (SLAB_RANK - c->spatial);
    return i < 0 ? 1 : c->lhs->type->dims[c->conv->input_spatial.data[i]];
}

static int64_t pad_low(const Contraction *c, int d) {
    int i = d - (SLAB_RANK - c->spatial);
    return i < 0 ? 0 : c->windows[i].pad_low;
}

// The column of the image that the window's column number `column` is for a pixel of the result.
static int64_t image_column(const Grouped *g, const Contraction *c, int64_t pixel, int64_t column) {
    const ConvSizes *sizes = &g->sizes;
    return pixel * sizes->stride[COLUMN] + column * sizes->dilation[COLUMN] - pad_low(c, COLUMN);
}

// All but the first pixels that are summed together, and the last, are away from the border.
static bool borders_are_narrow(const Grouped *g, const Contraction *c) {
    int64_t groups = ceil_div(g->sizes.out[COLUMN], g->pixels), last = g->sizes.window[COLUMN] - 1;
    if (g->sizes.out[COLUMN] < g->pixels) return false;
    return groups <= 1 ||
           (image_column(g, c, g->pixels, 0) >= 0 &&
            image_column(g, c, (groups - 1) * g->pixels - 1, last) < image_size(c, COLUMN));
}

bool grouped_may_read_image(const Grouped *g, const Contraction *c, const Kernel *kernel) {
    enum { MOST_PRODUCTS = 96 }; // of a row of the window: there are up to three forms of them
    bool is_stored = kernel_operand(kernel, c->lhs) >= kernel->output_count;
    if (!is_stored || c->lhs->type->element != c->accumulator || g->pair > 1) return false;
    if (c->groups_split_batch || c->conv->input_feature != c->lhs->type->rank - 1) return false;
    for (int d = 0; d < c->spatial; d++) {
        if (c->windows[d].lhs_dilation > 1) return false;
    }
    int64_t products = g->sizes.window[COLUMN] * g->ins;
    if (products > MOST_UNROLLED || products * g->pixels > MOST_PRODUCTS) return false;
    return g->features % g->used == 0 && borders_are_narrow(g, c);
}

void grouped_find_image(Grouped *g) {
    Emit *e = g->e;
    const Contraction *c = &g->c;
    const Type *type = c->lhs->type;
    ImagePlace place = {.image_variable = expr_new_variable(e->exprs, false)};
    place.feature_variable = expr_new_variable(e->exprs, false);
    const IndexExpr *index[MAX_RANK];
    int spatial[MAX_RANK];
    int image = (int)c->conv->input_batch, feature = (int)c->conv->input_feature;
    index[image] = index_variable(e->index, place.image_variable, type->dims[image]);
    index[feature] = index_variable(e->index, place.feature_variable, type->dims[feature]);
    for (int d = 0; d < c->spatial; d++) {
        int64_t at = c->conv->input_spatial.data[d];
        spatial[d] = expr_new_variable(e->exprs, false);
        index[at] = index_variable(e->index, spatial[d], type->dims[at]);
    }
    const Expr *x = expr_of(e->exprs, c->lhs, index);
    int64_t step = 0;
    if (e->exprs->failed || x->kind != EXPR_LOAD || x->device) return;
    if (x->stored->type->element != type->element) return;
    if (!index_is_affine_in(x->at, place.feature_variable, &step) || step != 1) return;
    Substitution first = substitution(e->exprs, e->exprs);
    for (int d = 0; d < c->spatial; d++) {
        int64_t *pitch = &place.pitch[d + SLAB_RANK - c->spatial];
        if (!index_is_affine_in(x->at, spatial[d], pitch)) return;
        first.variables[spatial[d]] = index_constant(e->index, 0);
    }
    place.stored = x->stored;
    place.at = expr_substitute_index(&first, x->at);
    g->image = place;
}

// The chunk's image and feature number `feature` of the chunk, at a place that need not exist.
static LLVMValueRef image_address(
    Grouped *g, const IndexExpr *const *place, const IndexExpr *feature) {
    Emit *e = g->e;
    IndexBuilder *b = e->index;
    const IndexExpr *block = index_scale(b, index_div(b, g->first, g->block), g->image_block);
    Substitution here = substitution(e->exprs, e->exprs);
    here.variables[g->image.image_variable] = g->matmul->m_outer[0];
    here.variables[g->image.feature_variable] = index_add(b, block, feature);
    const IndexExpr *at = expr_substitute_index(&here, g->image.at);
    for (int d = 0; d < SLAB_RANK; d++)
        at = index_add(b, at, index_scale(b, place[d], g->image.pitch[d]));
    LLVMValueRef number = emit_index(e, at);
    return LLVMBuildGEP2(
        e->builder, g->math.group, emit_operand_base(e, g->image.stored, NULL), &number, 1, "");
}

// The window's places in one dimension, of which those exist that lie in the image: `first` is the
// place of the image that its first one is.
static EmitLoop *window_loop(Grouped *g, int d, const IndexExpr *first) {
    Emit *e = g->e;
    int64_t size = g->sizes.window[d], step = g->sizes.dilation[d], all = image_size(&g->c, d);
    bool exist = !g->image.stored || (first->low >= 0 && first->high + (size - 1) * step < all);
    if (exist) return loop(g, size);
    IndexBuilder *b = e->index;
    // floor((x + step - 1) / step) of what lies before the image, and of what is left of it
    const IndexExpr *before = index_sub(b, index_constant(b, step - 1), first);
    const IndexExpr *left = index_sub(b, index_constant(b, all + step - 1), first);
    LLVMValueRef zero = emit_number(e, 0), most = emit_number(e, size);
    LLVMValueRef from =
        emit_intrinsic_of_two(e, "llvm.smax", emit_index(e, index_div(b, before, step)), zero);
    LLVMValueRef to =
        emit_intrinsic_of_two(e, "llvm.smin", emit_index(e, index_div(b, left, step)), most);
    return emit_loop_begin(e, from, to, 1, size, false);
}

// ---- a row of the window

// What one row of the window adds to the sums of some pixels.
typedef struct RowOfWindow {
    Grouped *g;
    LLVMValueRef from, filter; // elements of the first pixel's first place and of the window's
    LLVMValueRef *image;       // vectors at the places that have been loaded
    int64_t pitch;             // words from place to place
    Edges edges;
    LLVMValueRef sums[MOST_PIXELS];
} RowOfWindow;

// The base need not exist.
static LLVMValueRef word_at(Grouped *g, LLVMValueRef base, int64_t at) {
    LLVMValueRef index = emit_number(g->e, at);
    return LLVMBuildGEP2(g->e->builder, g->math.group, base, &index, 1, "");
}

static LLVMValueRef load(Grouped *g, LLVMValueRef base, int64_t at, int64_t count) {
    LLVMTypeRef type = LLVMVectorType(g->math.group, (unsigned)count);
    LLVMValueRef x = LLVMBuildLoad2(g->e->builder, type, word_at(g, base, at), "");
    LLVMSetAlignment(x, (unsigned)element_bytes(g->math.accumulator));
    return x;
}

// Word i of every lane's group.
static LLVMValueRef in_lanes(Grouped *g, LLVMValueRef x, int64_t i) {
    if (g->ins == 1 && g->outs == 1) return x;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(g->e->context);
    LLVMValueRef from[MAX_LANES];
    for (int lane = 0; lane < g->lanes; lane++) {
        int64_t feature = lane < g->used ? lane / g->outs * g->ins + i : 0;
        from[lane] = LLVMConstInt(i32, (unsigned)feature, 0);
    }
    return LLVMBuildShuffleVector(
        g->e->builder, x, x, LLVMConstVector(from, (unsigned)g->lanes), "");
}

// Does the place lie in the border beside the image?
static bool is_missing(const RowOfWindow *row, int pixel, int64_t column) {
    const Grouped *g = row->g;
    const Contraction *c = &g->c;
    int64_t behind = g->sizes.out[COLUMN] - g->pixels + pixel;
    return (row->edges.first && image_column(g, c, pixel, column) < 0) ||
           (row->edges.last && image_column(g, c, behind, column) >= image_size(c, COLUMN));
}

// The products of one place of the row.
static void add_place(RowOfWindow *row, int64_t column, int64_t i) {
    Grouped *g = row->g;
    int64_t step = g->sizes.stride[2], span = g->per_vector * g->ins;
    LLVMValueRef weights =
        load(g, row->filter, (column * g->ins + i) * g->vectors * g->lanes, g->lanes);
    for (int p = 0; p < g->pixels; p++) {
        int64_t place = p * step + column * g->sizes.dilation[2];
        if (is_missing(row, p, column)) continue;
        if (!row->image[place]) row->image[place] = load(g, row->from, place * row->pitch, span);
        row->sums[p] = contract_multiply_add(
            &g->math, in_lanes(g, row->image[place], i), weights, row->sums[p]);
    }
}

static void get_sums(RowOfWindow *row, LLVMValueRef *locals) {
    for (int p = 0; p < row->g->pixels; p++)
        row->sums[p] = LLVMBuildLoad2(row->g->e->builder, row->g->math.vector, locals[p], "");
}

static void set_sums(RowOfWindow *row, LLVMValueRef *locals) {
    for (int p = 0; p < row->g->pixels; p++)
        LLVMBuildStore(row->g->e->builder, row->sums[p], locals[p]);
}

static void add_row(RowOfWindow *row, LLVMValueRef *locals) {
    Grouped *g = row->g;
    Emit *e = g->e;
    int64_t columns = g->sizes.window[2];
    int64_t places =
        (g->pixels - 1) * g->sizes.stride[2] + (columns - 1) * g->sizes.dilation[2] + 1;
    row->image = ARENA_ARRAY(e->arena, LLVMValueRef, places);
    memset(row->image, 0, (size_t)places * sizeof *row->image);
    if (columns * g->ins <= MOST_UNROLLED) {
        get_sums(row, locals);
        for (int64_t i = 0; i < g->ins; i++) {
            for (int64_t column = 0; column < columns; column++)
                add_place(row, column, i);
        }
        set_sums(row, locals);
        return;
    }
    EmitLoop *column = loop(g, columns);
    LLVMValueRef from = row->from, filter = row->filter;
    IndexBuilder *b = e->index;
    LLVMValueRef moved =
        emit_index(e, index_scale(b, column->index, g->sizes.dilation[2] * row->pitch));
    row->from = LLVMBuildInBoundsGEP2(e->builder, g->math.group, from, &moved, 1, "");
    moved = emit_index(e, index_scale(b, column->index, g->ins * g->vectors * g->lanes));
    row->filter = LLVMBuildInBoundsGEP2(e->builder, g->math.group, filter, &moved, 1, "");
    get_sums(row, locals);
    for (int64_t i = 0; i < g->ins; i++)
        add_place(row, 0, i);
    set_sums(row, locals);
    emit_loop_end(e, column);
}

// Asks for places that are read later: those behind this band that the next one reads, as those of
// these pixels and this vector lie in this band, or of an image that is read where it lies, those
// of a later row. Memory answers while there are products to be made.
static void prefetch_image(
    Grouped *g, const IndexExpr *vector, const IndexExpr *row, const IndexExpr *pixel) {
    enum { LINE = 64, PRODUCTS = 4, ROWS_AHEAD = 1 }; // products: at least, for each line
    Emit *e = g->e;
    IndexBuilder *b = e->index;
    const Contraction *c = &g->c;
    const Type *type = c->lhs->type;
    int64_t size[2] = {g->sizes.stride[1], g->pixels * g->sizes.stride[2]},
            count = g->per_vector * g->ins * g->pair;
    int64_t bytes = (int64_t)element_bytes(type->element);
    if (c->spatial != 2 || c->groups_split_batch) return;
    if (c->windows[0].lhs_dilation > 1 || c->windows[1].lhs_dilation > 1) return;
    if ((int64_t)type_bytes(type) <= e->target->l2_bytes / 2) return; // it is there
    int64_t products = g->pixels * g->sizes.window[1] * g->sizes.window[2] * g->ins;
    if (PRODUCTS * size[0] * size[1] * ceil_div(count * bytes, LINE) > products) return;
    const IndexExpr *index[MAX_RANK];
    index[c->conv->input_batch] = g->matmul->m_outer[0];
    const IndexExpr *block = index_scale(b, index_div(b, g->first, g->block), g->vectors);
    index[c->conv->input_feature] = index_scale(b, index_add(b, block, vector), count);
    const IndexExpr *y = index_scale(b, index_add(b, g->first_out[1], row), g->sizes.stride[1]),
                    *x = index_scale(b, index_add(b, g->first_out[2], pixel), g->sizes.stride[2]);
    int64_t window = (g->sizes.window[1] - 1) * g->sizes.dilation[1] + 1;
    int64_t ahead = g->image.stored ? window + ROWS_AHEAD * g->sizes.stride[1] : g->size[1];
    y = index_add_constant(b, y, ahead - c->windows[0].pad_low);
    index[c->conv->input_spatial.data[0]] = y;
    index[c->conv->input_spatial.data[1]] = index_add_constant(b, x, -c->windows[1].pad_low);
    contraction_prefetch_image(e, c, index, size, count);
}

// Asks for the memory that the sums of these pixels and this vector go to. Pixels behind the row's
// last one lie in the next row.
static void prefetch_result(
    Grouped *g, const IndexExpr *vector, const IndexExpr *row, const IndexExpr *pixel) {
    Emit *e = g->e;
    IndexBuilder *b = e->index;
    Matmul *x = g->matmul;
    const Contraction *c = &g->c;
    const Value *output = e->kernel->outputs[0].value;
    if (!type_same_shape(output->type, c->result->type) || e->kernel->outputs[0].is_remote) return;
    const IndexExpr *m[MAX_RANK], *n[1], *index[MAX_RANK];
    n[0] = index_add(b, g->first, index_scale(b, vector, g->used));
    m[0] = x->m_outer[0];
    if (c->spatial == SLAB_RANK) m[1] = g->first_out[0];
    if (c->spatial > 1) m[c->spatial - 1] = index_add(b, g->first_out[1], row);
    for (int p = 0; p < g->pixels; p++) {
        m[c->spatial] = index_add_constant(b, index_add(b, g->first_out[2], pixel), p);
        conv_result_index(e, c, x->batch, m, n, index);
        const IndexExpr *at = expr_element_number(e->exprs, output, index);
        contract_prefetch(e, emit_address_at(e, output, at, NULL), emit_number(e, 0));
    }
}

// Where the row of the window lies for the first of these pixels, and one vector.
static LLVMValueRef slab_address(
    Grouped *g, const IndexExpr *z, const IndexExpr *row, const IndexExpr *pixel,
    const IndexExpr *feature) {
    IndexBuilder *b = g->e->index;
    const IndexExpr *at = index_scale(b, z, g->sizes.dilation[PLANE] * g->size[ROW]);
    at = index_scale(b, index_add(b, at, row), g->size[COLUMN]);
    at = index_add(b, at, index_scale(b, pixel, g->sizes.stride[COLUMN]));
    at = index_add(b, index_scale(b, at, g->image_block), feature);
    return matmul_scratch(g->matmul, 0, g->math.accumulator, at);
}

// Some pixels of a row: row and pixel count from the chunk's first ones.
typedef struct Pixels {
    const IndexExpr *row, *pixel;
    Edges edges;
} Pixels;

// Adds the products of a plane of the window, number z, to the sums of one vector.
static void multiply_plane(
    Grouped *g, const Pixels *pixels, const IndexExpr *z, const IndexExpr *vector,
    LLVMValueRef *locals) {
    IndexBuilder *b = g->e->index;
    const ConvSizes *sizes = &g->sizes;
    const IndexExpr *first[SLAB_RANK] = {// of the image
                                         g->first_out[PLANE],
                                         index_add(b, g->first_out[ROW], pixels->row),
                                         index_add(b, g->first_out[COLUMN], pixels->pixel)};
    for (int d = 0; d < SLAB_RANK; d++) {
        first[d] = index_scale(b, first[d], sizes->stride[d]);
        first[d] = index_add_constant(b, first[d], -pad_low(&g->c, d));
    }
    first[PLANE] = index_add(b, first[PLANE], index_scale(b, z, sizes->dilation[PLANE]));
    EmitLoop *y = window_loop(g, ROW, first[ROW]);
    const IndexExpr *below = index_scale(b, y->index, sizes->dilation[ROW]);
    first[ROW] = index_add(b, first[ROW], below);
    const IndexExpr *row = index_add(b, index_scale(b, pixels->row, sizes->stride[ROW]), below);
    const IndexExpr *feature = index_scale(b, vector, g->per_vector * g->ins);
    const IndexExpr *from = index_add(b, index_scale(b, z, sizes->window[ROW]), y->index);
    from = index_scale(b, from, sizes->window[COLUMN] * g->ins * g->vectors);
    from = index_scale(b, index_add(b, from, vector), g->lanes);
    bool is_image = g->image.stored;
    RowOfWindow window = {
        .g = g,
        .from = is_image ? image_address(g, first, feature)
                         : slab_address(g, z, row, pixels->pixel, feature),
        .filter = matmul_scratch(g->matmul, g->matmul->rhs_at, g->math.accumulator, from),
        .pitch = is_image ? g->image.pitch[COLUMN] : g->image_block,
        .edges = pixels->edges};
    add_row(&window, locals);
    emit_loop_end(g->e, y);
}

// All sums of some pixels, into the scratch.
static void multiply_pixels(Grouped *g, const Pixels *pixels, LLVMValueRef *locals) {
    Emit *e = g->e;
    IndexBuilder *b = e->index;
    Matmul *x = g->matmul;
    int64_t all = ceil_div(g->features, g->used);
    LLVMValueRef count = emit_remaining(e, index_div(b, g->first, g->used), g->vectors, all);
    EmitLoop *vector = emit_loop_begin(e, emit_number(e, 0), count, 1, g->vectors, false);
    prefetch_image(g, vector->index, pixels->row, pixels->pixel);
    prefetch_result(g, vector->index, pixels->row, pixels->pixel);
    for (int p = 0; p < g->pixels; p++)
        LLVMBuildStore(e->builder, LLVMConstNull(g->math.vector), locals[p]);
    const IndexExpr *plane = index_scale(b, g->first_out[PLANE], g->sizes.stride[PLANE]);
    EmitLoop *z = window_loop(g, PLANE, index_add_constant(b, plane, -pad_low(&g->c, PLANE)));
    multiply_plane(g, pixels, z->index, vector->index, locals);
    emit_loop_end(e, z);
    const IndexExpr *to = index_scale(b, vector->index, g->used);
    LLVMValueRef sums = matmul_scratch(x, x->tiles_at, g->math.accumulator, to);
    for (int p = 0; p < g->pixels; p++) {
        LLVMValueRef sum = LLVMBuildLoad2(e->builder, g->math.vector, locals[p], "");
        LLVMValueRef store = LLVMBuildStore(e->builder, sum, word_at(g, sums, p * g->width));
        LLVMSetAlignment(store, (unsigned)element_bytes(g->math.accumulator));
    }
    emit_loop_end(e, vector);
}

// ---- rows of results

static bool is_any_missing(Grouped *g, Edges edges) {
    RowOfWindow row = {.g = g, .edges = edges};
    for (int p = 0; p < g->pixels; p++) {
        for (int64_t column = 0; column < g->sizes.window[COLUMN]; column++) {
            if (is_missing(&row, p, column)) return true;
        }
    }
    return false;
}

// The sums of these pixels, by the code for where in the row they are.
static void multiply_at_edges(Grouped *g, Pixels pixels, LLVMValueRef *locals) {
    Emit *e = g->e;
    int64_t last = g->sizes.out[COLUMN] - g->pixels;
    Edges first_only = {.first = true}, last_only = {.last = true};
    bool cuts_first = g->image.stored && is_any_missing(g, first_only),
         cuts_last = g->image.stored && is_any_missing(g, last_only);
    if (last == 0) pixels.edges = (Edges){cuts_first, cuts_last};
    if (last == 0 || (!cuts_first && !cuts_last)) {
        multiply_pixels(g, &pixels, locals);
        return;
    }
    LLVMValueRef at = emit_index(e, index_add(e->index, g->first_out[COLUMN], pixels.pixel));
    EmitIf is_first, is_last;
    if (cuts_first) {
        is_first = emit_if(e, LLVMBuildICmp(e->builder, LLVMIntEQ, at, emit_number(e, 0), ""));
        pixels.edges = first_only;
        multiply_pixels(g, &pixels, locals);
        emit_else(e, &is_first);
    }
    if (cuts_last) {
        is_last = emit_if(e, LLVMBuildICmp(e->builder, LLVMIntEQ, at, emit_number(e, last), ""));
        pixels.edges = last_only;
        multiply_pixels(g, &pixels, locals);
        emit_else(e, &is_last);
    }
    pixels.edges = (Edges){false, false};
    multiply_pixels(g, &pixels, locals);
    if (cuts_last) emit_end_if(e, &is_last);
    if (cuts_first) emit_end_if(e, &is_first);
}

void grouped_multiply_band(Grouped *g) {
    const IndexExpr *first_row = g->first_out[ROW], *first_pixel = g->first_out[COLUMN];
    Emit *e = g->e;
    IndexBuilder *b = e->index;
    Matmul *x = g->matmul;
    int64_t columns = g->sizes.out[COLUMN];
    LLVMValueRef locals[MOST_PIXELS];
    for (int p = 0; p < g->pixels; p++)
        locals[p] = emit_alloca(e, g->math.vector, 1, 64);
    LLVMValueRef zero = emit_number(e, 0);
    EmitLoop *row = emit_loop_begin(
        e, zero, emit_remaining(e, first_row, g->band, g->sizes.out[ROW]), 1, g->band, false);
    LLVMValueRef count = emit_remaining(e, first_pixel, g->strip, columns);
    EmitLoop *group = emit_loop_begin(e, zero, count, g->pixels, g->strip, false);
    const IndexExpr *pixel = group->index;
    FinishRange pixels = {zero, emit_number(e, g->pixels), g->pixels};
    if (!g->image.stored) {
        pixels.to = emit_remaining(e, index_add(b, first_pixel, pixel), g->pixels, columns);
    } else if (columns % g->pixels != 0) { // the last ones begin earlier
        const IndexExpr *last = index_sub(b, index_constant(b, columns - g->pixels), first_pixel);
        LLVMValueRef at = emit_index(e, pixel);
        LLVMValueRef first = emit_intrinsic_of_two(e, "llvm.smin", at, emit_index(e, last));
        pixels.from = LLVMBuildNSWSub(e->builder, at, first, "");
        pixel = emit_variable(e, first, g->strip);
    }
    multiply_at_edges(g, (Pixels){.row = row->index, .pixel = pixel}, locals);
    if (g->c.spatial > 1) x->m_outer[g->c.spatial - 1] = index_add(b, first_row, row->index);
    FinishRange lanes = {zero, emit_remaining(e, g->first, g->block, g->features), g->block};
    matmul_finish_part(
        x, index_constant(b, 0), index_add(b, first_pixel, pixel), g->first, pixels, lanes);
    emit_loop_end(e, group);
    emit_loop_end(e, row);
}
