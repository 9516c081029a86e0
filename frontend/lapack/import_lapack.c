// import_lapack: custom calls of LAPACK's routines as core ops and loops of them.
//
//   In      a verified module. Custom calls @lapack_{s,d,c,z}ROUTINE_ffi as JAX writes them:
//           potrf, trsm, getrf, geqrf, geqp3, orgqr and ungqr, ormqr and unmqr, gehrd, sytrd and
//           hetrd, gtsv, syevd and heevd, gesdd, geev, gees of complex matrices. XLA's own, as
//           PyTorch/XLA and JAX for other platforms write them: @Qr,
//           @ProductOfElementaryHouseholderReflectors, @LuDecomposition, @Eigh.
//   Out     import_lapack: stablehlo.cholesky, triangular_solve; empty constants for matrices
//           without elements. The others stay, and say of how many dimensions the batch is: they
//           are partitioned as calls, so that what is cut along the batch stays so.
//           expand_lapack, on one device's program: none is left. LU with partial pivoting by
//           halves down to blocks; these, Householder QR and reductions to Hessenberg and
//           tridiagonal form as loops over columns; symmetric eigenvalues by halves of the
//           tridiagonal form; singular values of f32 by the squares in f64, of f64 by the polar
//           form; Jacobi's methods for the smallest matrices; shifted QR steps for others
//   Keeps   calls of other routines
//   Cost    of getrf min(m, n) passes over a block of columns, and products; of geqrf, geqp3,
//           orgqr, ormqr, gehrd, sytrd: min(m, n) passes over the matrix; of symmetric eigenvalues
//           those of sytrd and a few products; of Jacobi's method n passes for each of 5 to 12
//           sweeps
#include "frontend/import/custom_calls.h"
#include "frontend/lapack/lapack_routines.h"
#include "frontend/lapack/lapack_text.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"
#include "ir/print/print.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

// ---- the routines ----

// What the call's attributes are read as.
typedef enum RoutineKind {
    KIND_PLAIN,
    KIND_POTRF,
    KIND_TRSM,
    KIND_LU,
    KIND_QR,
    KIND_ORGQR,
    KIND_ORMQR,
    KIND_SYEVD,
    KIND_EIGH,
    KIND_GEHRD,
    KIND_SYTRD,
    KIND_GTSV,
    KIND_GESDD,
    KIND_GEEV,
    KIND_GEES,
    KIND_HESSENBERG,
    KIND_SCHUR,
    KIND_TRIDIAGONAL,
    KIND_TRIDIAGONAL_VECTORS,
    KIND_REFLECT
} RoutineKind;

typedef struct Routine {
    // behind lapack_ and the letter of the type; of XLA's own, and parts of others here, all of it
    const char *name;
    int operand_count, result_count;
    bool is_square, is_xla;
    RoutineKind kind;
    const char *const *texts[LAPACK_MAX_TEXTS];
} Routine;

#define JACOBI_EIGH                                                                       \
    lapack_eigh, lapack_scale, lapack_eigh_sweeps, lapack_jacobi_order, lapack_eigh_loop, \
        lapack_jacobi_rotation, lapack_eigh_turn, lapack_eigh_sort

#define TRIDIAGONAL                                                                        \
    lapack_reflect_begin, lapack_sytrd_begin, lapack_sytrd_loop, lapack_reflector,         \
        lapack_sytrd_step, lapack_sytrd_columns, lapack_sytrd_update, lapack_reflect_next, \
        lapack_sytrd_done

// clang-format off
static const Routine routines[] = {
    {"potrf", 1, 2, true, false, KIND_POTRF, {lapack_potrf}},
    {"trsm", 2, 1, true, false, KIND_TRSM, {lapack_trsm}},
    {"getrf", 1, 3, false, false, KIND_PLAIN, {lapack_getrf}},
    {"geqrf", 1, 2, false, false, KIND_QR, {lapack_reflect_begin, lapack_geqrf_loop, lapack_reflector, lapack_reflect, lapack_reflect_next, lapack_geqrf_end}},
    {"geqp3", 2, 3, false, false, KIND_PLAIN, {lapack_reflect_begin, lapack_geqp3_loop, lapack_reflector, lapack_reflect, lapack_reflect_next, lapack_geqp3_end}},
    {"orgqr", 2, 1, false, false, KIND_ORGQR, {lapack_orgqr}},
    {"ungqr", 2, 1, false, false, KIND_ORGQR, {lapack_orgqr}},
    {"ormqr", 3, 1, false, false, KIND_ORMQR, {lapack_ormqr}},
    {"unmqr", 3, 1, false, false, KIND_ORMQR, {lapack_ormqr}},
    {"gehrd", 1, 3, true, false, KIND_GEHRD,
        {lapack_reflect_begin, lapack_gehrd_loop, lapack_reflector, lapack_reflect, lapack_reflect_next, lapack_reflect_right, lapack_gehrd_end}},
    {"sytrd", 1, 5, true, false, KIND_SYTRD,
        {TRIDIAGONAL, lapack_sytrd_end}},
    {"hetrd", 1, 5, true, false, KIND_SYTRD,
        {TRIDIAGONAL, lapack_sytrd_end}},
    {"gtsv", 4, 5, false, false, KIND_GTSV, {lapack_gtsv}},
    {"syevd", 1, 3, true, false, KIND_SYEVD, {JACOBI_EIGH, lapack_syevd_end}},
    {"heevd", 1, 3, true, false, KIND_SYEVD, {JACOBI_EIGH, lapack_syevd_end}},
    {"gesdd", 1, 5, false, false, KIND_GESDD,
        {lapack_svd_tall, lapack_svd, lapack_scale, lapack_svd_qr, lapack_svd_polar, lapack_svd_polar_loop, lapack_svd_sort,
         lapack_svd_polar_vectors, lapack_svd_u}},
    {"geev", 1, 5, true, false, KIND_GEEV, {lapack_geev}},
    {"geev", 1, 4, true, false, KIND_GEEV, {lapack_geev}},
    {"gees", 1, 5, true, false, KIND_GEES, {lapack_geev, lapack_gees_end}},
    {"Eigh", 1, 2, true, true, KIND_EIGH, {JACOBI_EIGH, lapack_eigh_end}},
    {"shardc.tridiagonal", 1, 4, true, true, KIND_TRIDIAGONAL, {TRIDIAGONAL, lapack_tridiagonal_end}},
    {"shardc.tridiagonal_vectors", 1, 2, false, true, KIND_TRIDIAGONAL_VECTORS,
        {lapack_tridiagonal_begin, lapack_tridiagonal_halves, lapack_tridiagonal_merge, lapack_tridiagonal_root, lapack_tridiagonal_vectors,
         lapack_tridiagonal_halves_end}},
    {"shardc.reflect", 3, 1, false, true, KIND_REFLECT,
        {lapack_block_begin, lapack_reflect_blocks, lapack_block, lapack_reflect_blocks_end}},
    {"LuDecomposition", 1, 3, false, true, KIND_LU, {lapack_lu}},
    {"shardc.lu", 1, 3, false, true, KIND_LU, {lapack_lu}},
    {"Qr", 1, 2, false, true, KIND_QR, {lapack_reflect_begin, lapack_geqrf_loop, lapack_reflector, lapack_reflect, lapack_reflect_next, lapack_geqrf_end}},
    {"shardc.hessenberg", 1, 3, true, true, KIND_HESSENBERG,
        {lapack_reflect_begin, lapack_gehrd_loop, lapack_reflector, lapack_reflect, lapack_reflect_next, lapack_reflect_right, lapack_gehrd_end}},
    {"shardc.schur", 1, 3, true, true, KIND_SCHUR, {lapack_schur_begin, lapack_scale, lapack_schur}},
    {"shardc.triangle_vectors", 2, 1, true, true, KIND_PLAIN, {lapack_triangle_vectors}},
    {"ProductOfElementaryHouseholderReflectors", 2, 1, false, true, KIND_ORGQR, {lapack_orgqr}},
};
// clang-format on

// ---- the calls ----

#define LAPACK_TEXT SV("<lapack>") // where the ops stand, for locations

// A letter or a bool among the call's attributes: JAX writes characters as ui8. 0: there is none.
static int64_t setting(const Op *op, const char *name) {
    const Attr *config = op_extra(op, "mhlo.backend_config");
    if (!config) config = op_attr(op, NAME_BACKEND_CONFIG);
    if (!config || config->kind != ATTR_DICT) return 0;
    const Attr *value = attr_dict_get(config, strview(name));
    return value && (value->kind == ATTR_INT || value->kind == ATTR_BOOL) ? value->integer : 0;
}

static bool set_trsm(Arena *arena, LapackDraft *draft) {
    const Op *op = draft->op;
    int64_t uplo = setting(op, "uplo"), side = setting(op, "side"), diag = setting(op, "diag");
    int64_t trans = setting(op, "trans_x");
    const char *transpose = trans == 'N' ? "NO_TRANSPOSE" : trans == 'T' ? "TRANSPOSE" : "ADJOINT";
    draft->attributes = strview(arena_printf(
        arena,
        "left_side = %s, lower = %s, transpose_a = #stablehlo<transpose %s>, unit_diagonal = %s",
        side == 'L' ? "true" : "false", uplo == 'L' ? "true" : "false", transpose,
        diag == 'U' ? "true" : "false"));
    return (uplo == 'L' || uplo == 'U') && (side == 'L' || side == 'R') &&
           (diag == 'U' || diag == 'N') && (trans == 'N' || trans == 'T' || trans == 'C');
}

// A step changes the whole matrix, so what has many columns is done by halves: most of the work is
// in products then. Of whole blocks, which are few, since each has kernels of its own; the halves'
// calls say how wide a block is.
static void set_lu(Arena *arena, LapackDraft *draft) {
    enum { BLOCK = 32, MOST_BLOCKS = 8 };
    const Attr *config = op_attr(draft->op, NAME_BACKEND_CONFIG);
    int64_t block;
    if (!config || config->kind != ATTR_STRING || !strview_to_int64(config->text, &block))
        block = (draft->k + BLOCK * MOST_BLOCKS - 1) / (BLOCK * MOST_BLOCKS) * BLOCK;
    if (draft->k <= block) return;
    draft->p = (draft->k / 2 + block - 1) / block * block;
    draft->q = draft->n - draft->p;
    draft->c = draft->m - draft->p;
    draft->t = draft->k - draft->p;
    draft->attributes = strview(arena_printf(arena, "%lld", (long long)block));
    draft->texts[0] = lapack_lu_halves;
}

// A block of reflectors; more of them go by blocks.
enum { REFLECTORS = 32 };

static int64_t whole_blocks(int64_t reflectors) {
    return (reflectors + REFLECTORS - 1) / REFLECTORS * REFLECTORS;
}

// Blocks work on whole columns, so that all have the same shape.
static void set_qr(Arena *arena, LapackDraft *draft) {
    static const char *const *const blocks[LAPACK_MAX_TEXTS] = {
        lapack_reflect_begin,     lapack_block_begin, lapack_geqrf_blocks,    lapack_reflector,
        lapack_geqrf_blocks_step, lapack_block,       lapack_geqrf_blocks_end};
    if (draft->k <= REFLECTORS) return;
    memcpy(draft->texts, blocks, sizeof blocks);
    draft->q = REFLECTORS;
    draft->t = whole_blocks(draft->k);
    draft->c = draft->n > draft->t ? draft->n : draft->t;
    draft->order = SV("ADJOINT");
    draft->attributes = strview(arena_printf(arena, "%lld", (long long)(draft->c - draft->n)));
}

// Q C and C Q^H begin with the last reflector.
static bool set_ormqr(LapackDraft *draft) {
    const Op *op = draft->op;
    const Type *c = op_operand_type(op, 2);
    int rank = draft->matrix->rank;
    bool is_left = setting(op, "left") != 0, is_adjoint = setting(op, "transpose") != 0;
    if (!type_is_static(c) || c->rank != rank || type_element_count(c) == 0) return false;
    draft->p = c->dims[rank - 2];
    draft->q = c->dims[rank - 1];
    draft->c = is_left ? draft->q : draft->p;
    if (draft->m != (is_left ? draft->p : draft->q)) return false;
    const bool turns = is_left == is_adjoint;
    draft->texts[0] = is_left ? lapack_ormqr_left : lapack_ormqr_right;
    if (draft->t > REFLECTORS) {
        draft->order = turns ? SV("C") : SV("N");
        draft->texts[1] = lapack_ormqr_blocks;
    } else {
        draft->order = turns ? SV("add %zero") : SV("subtract %last");
        draft->tau = turns ? SV("%tau_conj") : SV("%tau");
        draft->texts[1] = lapack_ormqr;
    }
    draft->texts[2] = is_left ? lapack_ormqr_left_end : lapack_ormqr_right_end;
    return true;
}

// Rows of matrices whose eigenvalues Jacobi's method finds, and of tridiagonal ones that one loop
// solves; columns whose singular values Jacobi's method finds.
enum { MOST_WHOLE = 8, MOST_HALF = 64, MOST_ROTATED = 24 };

static int64_t batch_count(const LapackDraft *draft) {
    int64_t count = 1;
    for (int d = 0; d < draft->batch_rank; d++)
        count *= draft->matrix->dims[d];
    return count;
}

static void set_symmetric(LapackDraft *draft, const char *const *end) {
    static const char *const *const reduced[LAPACK_MAX_TEXTS] = {
        lapack_eigh, lapack_scale, lapack_eigh_reduced, lapack_eigh_sort};
    if (draft->n <= MOST_WHOLE) return;
    memcpy(draft->texts, reduced, sizeof reduced);
    draft->texts[4] = end;
    draft->k = draft->n - 1;
    draft->c = batch_count(draft);
}

static void set_tridiagonal_vectors(Arena *arena, LapackDraft *draft) {
    draft->c = 2 * batch_count(draft);
    bool is_small = draft->n <= MOST_HALF;
    draft->p = is_small ? draft->n : 2 * ((draft->n + 1) / 2);
    draft->q = draft->p - draft->n;
    if (!is_small) return;
    int levels = 0;
    while ((int64_t)1 << levels < draft->n)
        levels++;
    draft->texts[1] = lapack_tridiagonal_levels;
    draft->texts[5] = lapack_tridiagonal_levels_end;
    draft->attributes = strview(arena_printf(arena, "%d", levels));
}

static bool set_reflect(Arena *arena, LapackDraft *draft) {
    const Type *x = op_operand_type(draft->op, 2);
    const Attr *config = op_attr(draft->op, NAME_BACKEND_CONFIG);
    if (!config || config->kind != ATTR_STRING) return false;
    bool is_adjoint = strview_is(config->text, "C");
    draft->c = x->dims[x->rank - 1];
    draft->q = REFLECTORS;
    draft->p = whole_blocks(draft->n);
    draft->order = is_adjoint ? SV("ADJOINT") : SV("NO_TRANSPOSE");
    draft->tau = is_adjoint ? SV("add %zero") : SV("subtract %last");
    draft->attributes = strview(arena_printf(arena, "%lld", (long long)(draft->p - draft->n)));
    return true;
}

// "lower,sort_eigenvalues,max_sweeps,tolerance": eigenvalues are sorted in any case,
// and as precise as they can be.
static bool set_eigh(Arena *arena, LapackDraft *draft) {
    enum { MOST_SWEEPS = 1000 };
    const Attr *config = op_attr(draft->op, NAME_BACKEND_CONFIG);
    if (!config || config->kind != ATTR_STRING) return false;
    StrView rest = config->text;
    int64_t numbers[3] = {0};
    for (int i = 0; i < 3; i++) {
        const char *comma = rest.size ? memchr(rest.data, ',', rest.size) : NULL;
        if (!comma) return false;
        size_t size = (size_t)(comma - rest.data);
        if (!strview_to_int64((StrView){rest.data, size}, &numbers[i])) return false;
        rest = (StrView){comma + 1, rest.size - size - 1};
    }
    if (numbers[2] < 0 || numbers[2] > MOST_SWEEPS) numbers[2] = MOST_SWEEPS;
    draft->order = numbers[0] != 0 ? SV("GT") : SV("LT");
    draft->attributes = strview(arena_printf(arena, "%lld", (long long)numbers[2]));
    set_symmetric(draft, lapack_eigh_end);
    return true;
}

static void set_tridiagonal(LapackDraft *draft) {
    if (draft->n > MOST_HALF) {
        for (int i = 0; i < LAPACK_MAX_TEXTS; i++)
            if (draft->texts[i] == lapack_sytrd_columns) draft->texts[i] = lapack_sytrd_rows;
    }
    draft->k = draft->n - 1;
    draft->tau = SV("%whole");
    draft->order = draft->attributes = SV("");
}

// The matrix that is reduced, and what has to be reversed for it.
static bool set_sytrd(Arena *arena, LapackDraft *draft) {
    int64_t uplo = setting(draft->op, "uplo");
    int row = draft->matrix->rank - 2;
    set_tridiagonal(draft);
    if (uplo == 'U') {
        draft->order = strview(arena_printf(arena, "%d, %d", row, row + 1));
        draft->attributes = strview(arena_printf(arena, "%d", row));
    }
    return uplo == 'L' || uplo == 'U';
}

// m and n become those of the tall matrix. Mode A: square U and V; S: min(m, n) columns of
// the larger one; N: values alone.
static bool set_gesdd(LapackDraft *draft) {
    static const char *const *const rotated[LAPACK_MAX_TEXTS] = {
        lapack_svd_tall,  lapack_svd,          lapack_scale,       lapack_svd_qr,
        lapack_svd_pairs, lapack_jacobi_order, lapack_svd_loop,    lapack_jacobi_rotation,
        lapack_svd_turn,  lapack_svd_sort,     lapack_svd_vectors, lapack_svd_u};
    static const char *const *const squares[LAPACK_MAX_TEXTS] = {
        lapack_svd_tall,    lapack_svd,      lapack_scale,
        lapack_svd_squares, lapack_svd_sort, lapack_svd_squares_vectors};
    int64_t mode = setting(draft->op, "mode");
    bool is_tall = draft->m >= draft->n;
    draft->p = draft->m;
    draft->q = draft->n;
    draft->m = is_tall ? draft->p : draft->q;
    draft->n = draft->k;
    draft->t = mode == 'A' ? draft->m : draft->n;
    draft->c = 2 * draft->n;
    if (draft->n <= MOST_ROTATED) {
        draft->attributes = SV("60"); // more sweeps than any matrix needs
        memcpy(draft->texts, rotated, sizeof rotated);
    } else if (element_real_part(draft->matrix->element) == ELEMENT_F32) {
        memcpy(draft->texts, squares, sizeof squares);
    }
    if (!is_tall) draft->texts[0] = lapack_svd_wide;
    int end = 0; // of the values, then of all
    while (draft->texts[end] != lapack_svd_sort)
        end++;
    if (mode == 'N') {
        draft->texts[end + 1] = lapack_svd_values_end;
        draft->texts[end + 2] = NULL;
        return true;
    }
    while (draft->texts[end])
        end++;
    draft->texts[end] = is_tall ? lapack_svd_tall_end : lapack_svd_wide_end;
    return mode == 'A' || mode == 'S';
}

// Which vectors are asked for.
static bool set_geev(LapackDraft *draft) {
    int64_t left = setting(draft->op, "compute_left"), right = setting(draft->op, "compute_right");
    bool is_complex = draft->op->result_count == 4;
    if (is_complex != (draft->matrix->element != element_real_part(draft->matrix->element)))
        return false;
    draft->texts[1] = left == 'V' ? lapack_geev_left : lapack_geev_no_left;
    draft->texts[2] = right == 'V' ? lapack_geev_right : lapack_geev_no_right;
    draft->texts[3] = is_complex ? lapack_geev_complex_end : lapack_geev_real_end;
    return (left == 'V' || left == 'N') && (right == 'V' || right == 'N');
}

static bool set_schur(Arena *arena, LapackDraft *draft) {
    enum { MOST_STEPS = 40 }; // for each eigenvalue; two or three are usual
    draft->k = draft->n - 1;
    draft->c = 2 * draft->n;
    draft->attributes = strview(arena_printf(arena, "%lld", (long long)draft->n * MOST_STEPS));
    if (draft->n == 1) {
        memset(draft->texts, 0, sizeof draft->texts);
        draft->texts[0] = lapack_schur_of_one;
    }
    return true;
}

// What the call's attributes and other operands say. False: they are not as the routine has them.
static bool set_draft(Arena *arena, LapackDraft *draft, const Routine *routine) {
    const Op *op = draft->op;
    int rank = draft->matrix->rank;
    memcpy(draft->texts, routine->texts, sizeof draft->texts);
    draft->k = draft->m < draft->n ? draft->m : draft->n;
    if (routine->kind == KIND_ORGQR || routine->kind == KIND_ORMQR) {
        const Type *taus = op_operand_type(op, 1);
        if (!type_is_static(taus) || taus->rank != rank - 1) return false;
        draft->t = taus->dims[rank - 2];
        if (draft->t < 1 || draft->t > draft->k) return false;
    }
    switch (routine->kind) {
    case KIND_PLAIN:
    case KIND_GTSV: return true;
    case KIND_GEHRD:
        draft->k = draft->n - 1;
        draft->tau = SV("%operand0");
        return setting(op, "low") == 1 && setting(op, "high") == draft->n;
    case KIND_SYTRD: return set_sytrd(arena, draft);
    case KIND_TRIDIAGONAL: set_tridiagonal(draft); return true;
    case KIND_TRIDIAGONAL_VECTORS: set_tridiagonal_vectors(arena, draft); return true;
    case KIND_REFLECT: return set_reflect(arena, draft);
    case KIND_POTRF:
        draft->attributes = setting(op, "uplo") == 'L' ? SV("true") : SV("false");
        return setting(op, "uplo") == 'L' || setting(op, "uplo") == 'U';
    case KIND_TRSM: return set_trsm(arena, draft);
    case KIND_LU: set_lu(arena, draft); return true;
    case KIND_QR: set_qr(arena, draft); return true;
    case KIND_ORGQR:
        if (draft->t > REFLECTORS) draft->texts[0] = lapack_orgqr_blocks;
        return true;
    case KIND_ORMQR: return set_ormqr(draft);
    case KIND_GESDD: return set_gesdd(draft);
    case KIND_GEEV: return set_geev(draft);
    case KIND_GEES: return setting(op, "sort") == 'N';
    case KIND_SCHUR: return set_schur(arena, draft);
    case KIND_HESSENBERG:
        draft->k = draft->n - 1;
        draft->tau = SV("%operand0");
        return true;
    case KIND_EIGH: return set_eigh(arena, draft);
    case KIND_SYEVD:
        draft->order = setting(op, "uplo") == 'L' ? SV("GT") : SV("LT");
        draft->attributes = SV("100");
        set_symmetric(draft, lapack_syevd_end);
        return setting(op, "uplo") == 'L' || setting(op, "uplo") == 'U';
    }
    return false;
}

static bool is_matrix(const Type *type) { return type_is_static(type) && type->rank >= 2; }

// Matrices of LAPACK are column-major, all else is row-major; a call without layouts means its
// arrays as they are. Where a dimension has one element its place does not matter, but nobody
// writes such a layout by itself.
static bool has_layouts(const Attr *layouts, int rank) {
    if (!layouts || layouts->kind != ATTR_ARRAY) return true;
    for (int i = 0; i < layouts->count; i++) {
        const Attr *layout = layouts->items[i];
        int count = layout->ints ? (int)layout->count : 0;
        for (int d = 0; d < count; d++) {
            int64_t expected = count - 1 - d;
            if (count == rank && d < 2) expected = rank - 2 + d;
            if (layout->ints[d] != expected) return false;
        }
    }
    return true;
}

// The operand that gives the sizes.
static const Type *matrix_of(const Op *op, const Routine *routine) {
    return op_operand_type(op, routine->kind == KIND_GTSV ? 3 : 0);
}

// letter_of_type: 0: any of the four
static bool fits(const Op *op, const Routine *routine, char letter_of_type) {
    static const struct {
        char letter;
        ElementType element;
    } types[] = {{'s', ELEMENT_F32}, {'d', ELEMENT_F64}, {'c', ELEMENT_C64}, {'z', ELEMENT_C128}};
    if (op->operand_count != routine->operand_count || op->result_count != routine->result_count)
        return false;
    const Type *matrix = matrix_of(op, routine);
    if (!is_matrix(matrix)) return false;
    if (routine->is_square && matrix->dims[matrix->rank - 1] != matrix->dims[matrix->rank - 2])
        return false;
    if (letter_of_type != 0 && (!has_layouts(op_attr(op, NAME_OPERAND_LAYOUTS), matrix->rank) ||
                                !has_layouts(op_attr(op, NAME_RESULT_LAYOUTS), matrix->rank)))
        return false;
    for (int i = 0; i < op->operand_count; i++) {
        if (!type_is_static(op_operand_type(op, i))) return false;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        bool is_type = letter_of_type == 0 || types[i].letter == letter_of_type;
        if (is_type && matrix->element == types[i].element) return true;
    }
    return false;
}

static const Routine *routine_of(const Op *op) {
    StrView name = op->code == OP_CUSTOM_CALL ? op_text(op, NAME_CALL_TARGET_NAME) : SV("");
    const StrView prefix = SV("lapack_");
    bool is_lapack = name.size > prefix.size && strview_starts_with(name, prefix);
    char type = is_lapack ? name.data[prefix.size] : 0;
    if (is_lapack) name = (StrView){name.data + prefix.size + 1, name.size - prefix.size - 1};
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
        size_t size = strlen(routines[i].name);
        if (routines[i].is_xla == is_lapack) continue;
        if (!strview_starts_with(name, strview(routines[i].name))) continue;
        StrView rest = {name.data + size, name.size - size};
        if (!strview_is(rest, is_lapack ? "_ffi" : "")) continue;
        if (fits(op, &routines[i], type)) return &routines[i];
    }
    return NULL;
}

// Nothing but empty arrays to compute, and that all went well. False: there is more.
static bool put_empty_results(LapackDraft *draft) {
    const Op *op = draft->op;
    StrBuf *text = &draft->text;
    bool is_empty = type_element_count(draft->matrix) == 0;
    for (int i = 0; i < op->result_count; i++) {
        const Type *type = op_result_type(op, i);
        if (!type_is_static(type)) return false;
        bool is_info = type->rank == draft->batch_rank && type->element == ELEMENT_I32;
        if (type_element_count(type) > 0 && !(is_empty && is_info)) return false;
    }
    for (int i = 0; i < op->result_count; i++) {
        const Type *type = op_result_type(op, i);
        strbuf_printf(
            text, "%%result%d = stablehlo.constant dense<%s> : ", i,
            type_element_count(type) > 0 ? "0" : "");
        type_print(text, type);
        strbuf_putc(text, '\n');
    }
    for (int i = 0; i < op->result_count; i++)
        strbuf_printf(text, i ? ", %%result%d" : "return %%result%d", i);
    for (int i = 0; i < op->result_count; i++) {
        strbuf_append(text, i ? SV(", ") : SV(" : "));
        type_print(text, op_result_type(op, i));
    }
    return true;
}

// The ops that the call is, as text. False: it is not as the routine has it.
static bool put_text(Arena *scratch, LapackDraft *draft, const Routine *routine) {
    if (put_empty_results(draft)) return true;
    if (type_element_count(draft->matrix) == 0 || !set_draft(scratch, draft, routine)) return false;
    for (int i = 0; i < LAPACK_MAX_TEXTS; i++) {
        for (const char *const *line = draft->texts[i]; line && *line; line++)
            lapack_put_line(draft, *line);
    }
    return true;
}

// The routine of the call, and the ops that it is. NULL: not one of these.
static const Routine *draft_call(Arena *scratch, const Op *op, LapackDraft *draft) {
    const Routine *routine = routine_of(op);
    if (!routine) return NULL;
    const Type *matrix = matrix_of(op, routine);
    int rank = matrix->rank;
    *draft = (LapackDraft){
        .op = op,
        .matrix = matrix,
        .batch_rank = rank - 2,
        .m = matrix->dims[rank - 2],
        .n = matrix->dims[rank - 1],
        .text = strbuf(scratch)};
    return put_text(scratch, draft, routine) ? routine : NULL;
}

static bool expand_call(Module *module, Arena *scratch, Op *op) {
    LapackDraft draft;
    return draft_call(scratch, op, &draft) &&
           replace_custom_call(module, scratch, op, LAPACK_TEXT, strbuf_view(&draft.text));
}

// ---- the passes ----

// One op with a sharding rule of its own does it, or there is nothing to do.
static bool is_few_ops(const LapackDraft *draft, const Routine *routine) {
    return routine->kind == KIND_POTRF || routine->kind == KIND_TRSM ||
           type_element_count(draft->matrix) == 0;
}

// Tells of how many dimensions the batch is.
static bool mark_batch(Module *module, Arena *scratch, Op *op, int batch_rank) {
    const StrView list = SV("mhlo.frontend_attributes"), entry = SV("num_batch_dims");
    const Attr *old = op_extra(op, list.data);
    if (batch_rank == 0 || (old && (old->kind != ATTR_DICT || attr_dict_get(old, entry))))
        return false;
    const Attr *number =
        attr_string(module->context, strview(arena_printf(scratch, "%d", batch_rank)));
    op_set_extra(module, op, list, attr_dict_set(module->context, old, entry, number));
    return true;
}

// Keeps the layouts that the routine is recognised by.
static bool mark_layouts(Module *module, Arena *scratch, Op *op, StrView text) {
    bool has_any = op_attr(op, NAME_OPERAND_LAYOUTS) || op_attr(op, NAME_RESULT_LAYOUTS);
    if (!has_any || op_extra(op, CALL_KEEPS_LAYOUTS) ||
        !custom_call_fits(module, scratch, op, LAPACK_TEXT, text))
        return false;
    op_set_extra(module, op, SV(CALL_KEEPS_LAYOUTS), attr_unit(module->context));
    return true;
}

static bool import_call(Module *module, Arena *scratch, Op *op) {
    LapackDraft draft;
    const Routine *routine = draft_call(scratch, op, &draft);
    if (!routine) return false;
    StrView text = strbuf_view(&draft.text);
    if (is_few_ops(&draft, routine))
        return replace_custom_call(module, scratch, op, LAPACK_TEXT, text);
    bool changed = mark_layouts(module, scratch, op, text);
    return mark_batch(module, scratch, op, draft.batch_rank) || changed;
}

PassResult pass_import_lapack(Module *module, PassContext *pass) {
    return import_custom_calls(module, pass, import_call);
}

PassResult pass_expand_lapack(Module *module, PassContext *pass) {
    return import_custom_calls(module, pass, expand_call);
}
