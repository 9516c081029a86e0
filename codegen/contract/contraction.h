// Contractions: dot_general and convolution seen as C[b, m, n] = sum over k of A[b, m, k] * B[b, k,
// n], each of b, m, n, k a list of dimensions.
#ifndef SHARDC_CODEGEN_CONTRACTION_H
#define SHARDC_CODEGEN_CONTRACTION_H

#include "codegen/emit/emit.h"

// One of the index spaces b, m, n, k.
typedef struct IndexSpace {
    int rank;
    int64_t dims[MAX_RANK];
    int64_t size; // product
} IndexSpace;

// The window of a convolution in one spatial dimension.
typedef struct WindowDim {
    int64_t stride, pad_low, lhs_dilation, rhs_dilation, size;
    bool is_reversed;
} WindowDim;

typedef struct Contraction {
    const Op *op; // OP_DOT_GENERAL or OP_CONVOLUTION
    const Value *lhs, *rhs, *result;
    IndexSpace batch, m, n, k;
    ElementType accumulator;            // in which products are summed
    const ContractRow *how;             // how the CPU multiplies these elements
    bool in_tiles;                      // by its tile registers (AMX)
    ElementType lhs_packed, rhs_packed; // in which the operands are multiplied
    bool is_turned;                     // lhs and rhs are the operation's right and left operand
    int64_t panel_columns;              // rhs is panels of so many columns already; 0 = it is not
    bool lhs_is_raised; // packed is lhs + 128: the instruction wants a number without sign
    RowBlock block;     // of m, or with is_depth of k; rows = 0: the kernel is no part of others
    // bytes from row to row of A, where it may be multiplied as it lies in memory; 0 = it may not
    int64_t row_bytes;
    // dot_general: the operands' dimensions that make up each space
    int lhs_batch[MAX_RANK], lhs_m[MAX_RANK], lhs_k[MAX_RANK];
    int rhs_batch[MAX_RANK], rhs_n[MAX_RANK], rhs_k[MAX_RANK];
    // convolution: batch = [groups]; m = [image, spatial...] (or [spatial..., image] where images
    // are neighbours in memory, as in a filter's gradient); n = [feature in group];
    // k = [window..., input feature in group], of which the last zero_features do not exist
    const ConvDims *conv;
    int64_t zero_features;
    int spatial;
    int m_image, m_spatial; // places in m of the image, of the first spatial dimension
    WindowDim windows[MAX_RANK];
    bool is_inside; // the window's border has been checked: every element of the image exists
    // batch_group_count > 1: groups cut the image dimension of lhs instead of its features
    bool groups_split_batch;
} Contraction;

// False when the element types have no fast form (complex).
bool contraction_of(const Op *op, const Target *target, Contraction *c);

// Multiplies by tile registers, if the CPU has them for these elements.
bool contraction_take_tiles(Contraction *c, const Target *target);
// Exchanges the operands where tile registers multiply few rows with many columns that lie along k:
// these are copied as rows of A, while as columns of B they would have to be transposed.
void contraction_turn(Contraction *c, const Target *target);
// Exchanges the operands of a dot_general.
void contraction_exchange(Contraction *c, const Target *target);
// k's that fill a row of a tile register.
int64_t contraction_full_step(const Contraction *c);
// k's that are multiplied at once. Of a convolution by tile registers, in which one row of them
// holds 64 bytes: equal parts of the features of a place, or all features of a row of the window.
int64_t contraction_step(const Contraction *c);
// Are `count` rows of A, from a multiple of it on, neighbours in the images of a convolution, and
// the k's of a group neighbours in its features? Then they exist all together, or none does.
bool contraction_has_rows_of_images(const Contraction *c, int64_t count);
// Multiplies in the accumulator's type, whatever else the CPU could do.
void contraction_widen(Contraction *c, const Target *target);

// Sets row_bytes.
void contraction_find_rows(const Kernel *kernel, Contraction *c);

// Rounds a convolution's features up to what is multiplied at once: the filter has zeros there.
void contraction_round_features(Contraction *c);

// Elements at these indices of the spaces (lists of IndexExpr), converted to the packed
// type; outside the padded image: 0.
Scalar contraction_lhs(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *m,
    const IndexExpr *const *k);
Scalar contraction_rhs(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *k,
    const IndexExpr *const *n);
// The same of a line, in m or n, and a linear k; by linear numbers of both.
Scalar contraction_element_of(
    Emit *e, const Contraction *c, bool is_lhs, const IndexExpr *const *b,
    const IndexExpr *const *line, const IndexExpr *k);
Scalar contraction_element(
    Emit *e, const Contraction *c, bool is_lhs, const IndexExpr *const *b, const IndexExpr *line,
    const IndexExpr *k);
// Does the element of A exist in the unpadded image of a convolution? i1
LLVMValueRef contraction_inside(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *line,
    const IndexExpr *k);
// The result's index from those of the spaces.
void contraction_result_index(
    const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *m,
    const IndexExpr *const *n, const IndexExpr **index);
// The same for a convolution.
void conv_result_index(
    Emit *e, const Contraction *c, const IndexExpr *const *b, const IndexExpr *const *m,
    const IndexExpr *const *n, const IndexExpr **index);
// Which space's last dimension runs along the operand's contiguous memory? True: k; false: m (or
// n).
bool contraction_k_is_contiguous(const Emit *e, const Contraction *c, bool is_lhs);
// Does the result's last dimension belong to n (else to m)?
bool contraction_n_is_contiguous(const Contraction *c);

// Where an operand's elements lie: the element (line, k) of a batch entry is element number
// `at` of a stored value, converted.
typedef struct OperandPlace {
    const Value *stored;     // NULL = computed, or on several devices
    const IndexExpr *at;     // in terms of the two variables
    const IndexExpr *device; // that has it; NULL = the own one
    int line_variable, k_variable;
    int64_t line_stride, k_stride; // elements
} OperandPlace;
// Is the operand a stored float in another shape, at most converted, or a narrow integer like the
// other operand?
bool contraction_is_plain(const Kernel *kernel, const Contraction *c, bool is_lhs);
// False when the operand does not lie on a grid of lines and k's.
bool contraction_place(
    Emit *e, const Contraction *c, bool is_lhs, const IndexExpr *const *b, OperandPlace *place);
LLVMValueRef contraction_place_address(
    Emit *e, const OperandPlace *place, const IndexExpr *line, const IndexExpr *k);
// The element of a dot_general's operand as an expression.
const Expr *contraction_expr(
    Emit *e, const Contraction *c, bool is_lhs, const IndexExpr *const *b, const IndexExpr *line,
    const IndexExpr *k);

// --- prefetch.c
// An element of memory: number `at` of a stored value, on a device (NULL = the own one).
typedef struct StoredElement {
    const Value *stored;
    const IndexExpr *at, *device;
} StoredElement;
enum { MOST_STORED_ELEMENTS = 4 };
typedef struct StoredElements {
    StoredElement list[MOST_STORED_ELEMENTS];
    int count, visits;
} StoredElements;
void stored_elements_add(StoredElements *all, StoredElement x);
// The first elements that an expression always loads.
void stored_elements_find(StoredElements *all, const Expr *x);
// Asks for the cache line so many bytes behind the address, which need not exist.
void contract_prefetch(Emit *e, LLVMValueRef address, LLVMValueRef bytes);
// Runs of memory that a loop asks for while it multiplies: with each number some steps of each.
enum { MOST_RUNS = 2 * MOST_STORED_ELEMENTS };
typedef struct PrefetchRuns {
    LLVMValueRef from[MOST_RUNS];
    int64_t step[MOST_RUNS];     // bytes
    int64_t together[MOST_RUNS]; // steps
    int count;
} PrefetchRuns;
void prefetch_runs_add(PrefetchRuns *runs, LLVMValueRef from, int64_t step, int64_t together);
void prefetch_runs(Emit *e, const PrefetchRuns *runs, const IndexExpr *number);
// Asks for what `count` elements from (line, k) on, along k or along the lines, are computed from
// `ahead` lines, or k's, later: if that is memory in the same order.
void contraction_prefetch(
    Emit *e, const Contraction *c, bool is_lhs, const IndexExpr *const *b, const IndexExpr *line,
    const IndexExpr *k, bool along_k, int64_t ahead, int64_t count);
// Asks for what `count` features of some places of an image are computed from, if that is memory in
// the same order: size[0] rows and size[1] columns of the last two dimensions in space, from the
// element with these indices on. They need not exist.
void contraction_prefetch_image(
    Emit *e, const Contraction *c, const IndexExpr *const *first, const int64_t *size,
    int64_t count);

// How an operand is packed: [panel][k / group][line][k % group], lines being the rows of A or the
// columns of B; incomplete panels and steps are filled with zeros.
typedef struct PanelForm {
    ElementType element;
    int64_t width;  // lines of a panel
    int64_t group;  // neighbouring k's of a line that lie together
    int64_t k_step; // k's that the micro-kernel multiplies at once, a multiple of group
} PanelForm;

// Blocking of one contraction on a target; everything follows from shapes and target (blocking.c).
typedef struct ContractBlocks {
    Tile tile;          // MR, NR
    PanelForm lhs, rhs; // widths MR, NR
    int64_t mc, nc,
        kc; // multiples of MR, NR; kc, a multiple of k_step, divides the work on K into k_blocks
    int64_t k_padded;      // K, rounded up to steps
    int64_t chunk_columns; // of a chunk: nc, or where one block has all rows, a part of it
    int64_t m_blocks, n_blocks, k_blocks; // n_blocks: of chunk_columns
    int64_t strip; // blocks of A that meet a block of B before the next block of K
    // the columns of B are packed over all of K before their products; else one block of K at a
    // time
    bool keeps_rhs;
    bool rows_first; // a panel of A meets all panels of B before the next panel of A
    bool keeps_lhs; // all blocks of A stay packed until the batch entry is done; else one at a time
    int64_t lhs_stride; // elements from a block of A that stays to the next one
    int64_t lhs_bytes, rhs_bytes, tile_bytes, excess_bytes; // of the parts of the scratch
} ContractBlocks;
int contract_lanes(const Contraction *c, const Target *target); // elements of a vector
// Of rows that lie so many bytes apart: how many of their first lines at most meet in a set of the
// first-level cache, which has room for LEAST_WAYS on all CPUs.
enum { LEAST_WAYS = 8 };
int64_t lines_in_a_set(int64_t rows, int64_t bytes);
Tile contract_tile(const Contraction *c, const Target *target); // of registers
Tile contract_tiles(int64_t M, int64_t N);                      // of tile registers
// May the micro-kernel read so many rows of A that lie so many bytes apart in memory? A product of
// few columns for which packing would take long does it.
bool contract_reads_rows(const Contraction *c, const Target *target, Tile tile, int64_t row_bytes);
// May the micro-kernel multiply vectors of B as they are stored, if its columns are neighbours in
// memory? They are whole vectors, or the CPU reads a part of the last one.
bool contract_reads_vectors(const Contraction *c, const Target *target);
// Does the second-level cache hold all of B, so that the tiles may read it where it lies?
bool contract_rhs_is_near(const Contraction *c, const Target *target, Tile tile);
// How many k's have the same place in the first contracted dimension, along which the operands may
// lie on several devices, or at a convolution's window; 0 = it does not matter.
int64_t contraction_run(const Contraction *c, const PanelForm *form);
ContractBlocks contract_blocks(const Contraction *c, const Target *target);

// What the vector micro-kernel prefetches, some bytes with every second step: the k's that follow
// in the panels of A (lhs) and B (rhs), the sums of the next tile, which lies behind this one, and
// a part of the next panel of B, from the address `soon` on. And every few steps, `lines` cache
// lines of one row of each of `places` in memory.
//
// The micro-kernel of tile registers asks with every step for the lines of a row of each place, and
// for `block_lines` of each of `blocks` runs of memory, which follow the places.
typedef struct Ahead {
    bool lhs, rhs, sums, panel;
    int places, lines;
    int blocks, block_lines;
} Ahead;
enum { MOST_ROW_PLACES = 8, MOST_AHEAD_BLOCKS = 2 };

// Numbers behind the offsets that the micro-kernel reads: it looks two steps ahead, by pairs.
enum { OFFSETS_BEHIND = 3 };

// The micro-kernel as a function that kernels share, with the arguments of MicrokernelCall:
//
//   a   packed panel of A's form, or with has_offsets: step k of row i begins at
//       a[offsets[k] + i * row_stride]. OFFSETS_BEHIND numbers behind the offsets are read, too
//   b   packed panel of B's form;  c  [rows][columns] tile, both 64-byte aligned
//   k   steps of k_step k's
//   c = (add ? c : 0) + sum over k of A[i][k] * B[k][j], products in the order of k
//   soon    the memory of ahead.panel
//   rows    {address, bytes to the next row}[ahead.places], i64: the addresses move on
//   mask    a row is asked for where (steps left & mask) == 0, looked at with every second step
//
// Where A is stored plus 128, 128 times the sums of B's columns are taken off: with has_excess they
// are excess[columns], aligned as c, else the micro-kernel sums them beside its products.
typedef struct Microkernel {
    Tile tile;
    int vectors;                  // of the tile's columns that are made; 0 = all
    ElementType element;          // of c
    const ContractRow *how;       // tile registers: microkernel_tiles.c
    PanelForm lhs, rhs;           // what a and b are
    bool has_offsets, has_excess; // not both
    bool streams_rhs; // b comes from memory, for few rows: prefetches what follows; in tile
                      // registers: b, and not a, is not to stay in the first-level cache
    Ahead ahead;
    int64_t row_stride; // elements
    // vectors: elements from k to k of B, which is read where it lies; 0 = it is packed
    int64_t rhs_stride;
    int last_lanes; // of B where it lies: how many lanes of the last vector exist; 0 = all
    // A's rows in so many parts, one for each tile register, part_stride elements apart; 0 = all of
    // them are row_stride apart
    int parts;
    int64_t part_stride;
} Microkernel;
bool microkernel_is_raised(const Microkernel *microkernel);

// Vectors of sums and what is multiplied for them.
typedef struct ContractVectors {
    Emit *e;
    LLVMBuilderRef builder;
    const ContractRow *how;
    ElementType accumulator, operand; // operand: of groups
    int lanes;
    LLVMTypeRef scalar, vector; // of the accumulator
    // what is multiplied: an element, or neighbouring k's as i32; one, and one for each lane
    LLVMTypeRef group, groups;
} ContractVectors;
// Zero where the mask is.
LLVMValueRef contract_masked_load(
    Emit *e, LLVMTypeRef type, LLVMValueRef address, unsigned alignment, LLVMValueRef mask);
ContractVectors contract_vectors(
    Emit *e, LLVMBuilderRef builder, const ContractRow *how, ElementType accumulator,
    ElementType operand);
// sum + x * y in every lane.
LLVMValueRef contract_multiply_add(
    const ContractVectors *v, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum);
LLVMValueRef contract_splat(const ContractVectors *v, LLVMValueRef group); // in all lanes
// sum + 128 times the groups of a row of B.
LLVMValueRef contract_add_excess(const ContractVectors *v, LLVMValueRef row, LLVMValueRef sum);
// the function's body with tile registers
void microkernel_emit_tiles(Emit *e, const Microkernel *microkernel);
// Around all calls in a kernel: takes the CPU's tile registers, and gives them back. Nothing
// without them.
void microkernel_begin(Emit *e, const Microkernel *microkernel);
void microkernel_end(Emit *e, const Microkernel *microkernel);
// NULL: what the micro-kernel does not use.
typedef struct MicrokernelCall {
    LLVMValueRef a, b, c, k;
    LLVMValueRef add;  // i1; NULL: no
    LLVMValueRef last; // offsets[k] i64, or the excess
    LLVMValueRef soon, rows, mask;
} MicrokernelCall;
// The function's parameters, in the order of MicrokernelCall.
enum {
    PARAMETER_A,
    PARAMETER_B,
    PARAMETER_C,
    PARAMETER_K,
    PARAMETER_ADD,
    PARAMETER_LAST,
    PARAMETER_SOON,
    PARAMETER_ROWS,
    PARAMETER_MASK,
    PARAMETERS
};
void microkernel_call(Emit *e, const Microkernel *microkernel, const MicrokernelCall *call);

// Packing of rows of A, columns of B, and k's: first/count say which, count in
// run-time numbers, at most the extents.
typedef struct PackRange {
    const IndexExpr *first; // linear number of the first row (column, k)
    LLVMValueRef count;     // how many
    int64_t extent;         // at most
} PackRange;
// elements behind the panels that packing may overwrite
int64_t pack_slack(int lanes, int64_t width);
void pack_lhs(
    Emit *e, const Contraction *c, const PanelForm *form, const IndexExpr *const *b, PackRange m,
    PackRange k, LLVMValueRef to);
void pack_rhs(
    Emit *e, const Contraction *c, const PanelForm *form, const IndexExpr *const *b, PackRange n,
    PackRange k, LLVMValueRef to);

// Where panels of B lie that were packed before (panels.c): the element of a panel's first column
// at the first k of a step.
typedef struct PanelPlace {
    const Expr *load;           // NULL = they are packed here
    int panel, column, step, k; // its variables
} PanelPlace;

// One blocked kernel under construction (lower_matmul.c); matmul_finish.c has its
// write-back, which other forms share.
typedef struct Matmul {
    Emit *e;
    Contraction c;
    ContractBlocks blocks;
    Microkernel microkernel;
    const IndexExpr *batch[MAX_RANK];
    const IndexExpr *m_outer[MAX_RANK]; // direct convolution: all indices of m but the last
    bool is_direct;
    // the row after the last one that is stored; NULL = m's. direct: rows count pixels of the last
    // two dimensions of m together; NULL = of the last one alone
    LLVMValueRef row_stop;
    bool streams;        // results go around the caches:
    LLVMValueRef lines;  // a tile of them waits here; NULL = in the place of its sums
    bool tile_is_turned; // finished tiles are [column][row]
    LLVMValueRef turned; // the tile that is being finished as [column][turned_rows]; or NULL
    int64_t turned_rows;
    const IndexExpr *m_block, *m_first, *n_first; // of the current blocks of A and B
    LLVMValueRef m_count, n_count;
    const IndexExpr *strip_block;                // number of the block of A in its strip
    int64_t lhs_at, rhs_at, tiles_at, excess_at; // offsets in the scratch, bytes
    PanelPlace panels;
    bool reads_rhs;      // B is read where it lies, and not packed
    bool reads_lhs;      // A is read where it lies, and not packed,
    bool asks_for_rows;  // and its next rows are prefetched
    LLVMValueRef counts; // i1, of a part that skips zeros: are A's rows worth multiplying?
} Matmul;
// matmul_products.c: sets reads_lhs, reads_rhs where that pays; packs A's rows, B's columns of the
// current blocks for these k's; all tiles of the blocks of A and B for one block of K, and the end
// of tiles after the last one.
void matmul_read_lhs(Matmul *x);
void matmul_read_rhs(Matmul *x);
void matmul_pack_rows(Matmul *x, PackRange k);
void matmul_pack_columns(Matmul *x, PackRange k);
void matmul_multiply_block(
    Matmul *x, const IndexExpr *k_block, const IndexExpr *k_first, LLVMValueRef k_count);
// matmul_blocks.c: the product as a part of a KERNEL_BLOCKS: a chunk is a block of rows.
void matmul_emit_blocks(Matmul *x);
// matmul_zeros.c: of some of these what is zero is not multiplied (RowBlock.skips_zeros), and sums
// begin as 0. Is there anything else in A's rows for these k's, in what is to be multiplied with
// B's panel of this number? i1
bool matmul_skips_zeros(const Matmul *x);
LLVMValueRef matmul_rows_count(Matmul *x, PackRange k);
LLVMValueRef matmul_counts(Matmul *x, const IndexExpr *panel);
// Are B's panels in memory as the micro-kernel reads them?
PanelPlace panels_find(Emit *e, const Contraction *c);
// The address of panel number `panel` at a k that begins a step.
LLVMValueRef panels_address(
    Emit *e, const Contraction *c, const PanelPlace *place, const IndexExpr *panel,
    const IndexExpr *k);
// Is the result so large, and multiplied so fast, that writing it matters, and are rows of a tile
// whole lines of it? Then sets x->streams.
void matmul_stream(Matmul *x);
// Writes a finished tile back: rows row.. of m (of its last dimension when is_direct), columns
// column.. of n, as many as exist. `tile`: element number of the tile in the scratch's tiles.
void matmul_finish_tile(
    Matmul *x, const IndexExpr *tile, const IndexExpr *row, const IndexExpr *column);
typedef struct FinishRange {
    LLVMValueRef from, to;
    int64_t extent; // 0 <= from, to <= extent
} FinishRange;
// The same for row + i, column + j of these ranges; the sum of i = j = 0 is element `tile`.
void matmul_finish_part(
    Matmul *x, const IndexExpr *tile, const IndexExpr *row, const IndexExpr *column,
    FinishRange rows, FinishRange columns);
// The same for a tile whose rows are those from in_run on of a run of so many rows, which begins at
// row `first`.
void matmul_finish_run(
    Matmul *x, const IndexExpr *tile, const IndexExpr *first, const IndexExpr *in_run, int64_t run,
    const IndexExpr *column);
// Multiplies the tile: where column, its first one, is near the last column of B, only the vectors
// that exist.
void matmul_multiply_tile(Matmul *x, const MicrokernelCall *call, const IndexExpr *column);
// Has the micro-kernel ask for the memory that matmul_finish_tile writes and reads there, while it
// multiplies at most so many steps; is_last: only if this i1 holds, NULL = always.
void matmul_ask_for_rows(
    Matmul *x, const IndexExpr *row, const IndexExpr *column, int64_t steps, LLVMValueRef is_last,
    MicrokernelCall *call);
// address of an element
LLVMValueRef matmul_scratch(Matmul *x, int64_t offset, ElementType type, const IndexExpr *element);

// The blocked kernel: does it apply (nothing is empty), its grid, its body.
bool matmul_applies(const Contraction *c);
void matmul_set_costs(Kernel *kernel, const Contraction *c);
void matmul_set_grid(Kernel *kernel, const Contraction *c, const Target *target);
bool matmul_emit_blocked(Emit *e, const Contraction *c);
// The same for convolutions whose rows are long enough to be read without packing.
bool direct_conv_applies(const Contraction *c, const Target *target);
void direct_conv_set_grid(Kernel *kernel, const Contraction *c, const Target *target);
bool direct_conv_emit(Emit *e, const Contraction *c);
// The same for windows larger than the result, as in a filter's gradient.
bool filter_conv_applies(const Contraction *c, const Target *target);
void filter_conv_set_grid(Kernel *kernel, const Contraction *c, const Target *target);
bool filter_conv_emit(Emit *e, const Contraction *c);
// The same by tile registers, if the image's features lie together and the filter has no stride.
bool filter_tiles_applies(const Contraction *c, const Target *target);
void filter_tiles_set_grid(Kernel *kernel, const Contraction *c, const Target *target);
bool filter_tiles_emit(Emit *e, const Contraction *c);
// The same for many groups of few features.
bool grouped_conv_applies(const Contraction *c, const Target *target);
void grouped_conv_set_grid(Kernel *kernel, const Contraction *c, const Target *target);
bool grouped_conv_emit(Emit *e, const Contraction *c);

// The same where the image's pixels lie side by side in memory.
bool planes_conv_applies(const Contraction *c, const Target *target);
void planes_conv_set_grid(Kernel *kernel, const Contraction *c, const Target *target);
bool planes_conv_emit(Emit *e, const Contraction *c);
// The same for the gradients of their filters.
bool group_filter_conv_applies(const Contraction *c, const Target *target);
void group_filter_conv_set_grid(Kernel *kernel, const Contraction *c, const Target *target);
bool group_filter_conv_emit(Emit *e, const Contraction *c);
// Whether every element of the image has a part in at most one result.
bool conv_reads_once(const Contraction *c);

// The same for few rows or columns, which are not worth packing.
bool few_rows_apply(const Kernel *kernel, const Contraction *c, const Target *target);
void few_rows_set_grid(Kernel *kernel, const Contraction *c);
bool few_rows_emit(Emit *e, const Contraction *c);

// Small services of the contract kernels.
static inline int64_t ceil_div(int64_t x, int64_t by) { return (x + by - 1) / by; }
static inline int64_t round_up(int64_t x, int64_t to) { return ceil_div(x, to) * to; }
LLVMValueRef emit_number(Emit *e, int64_t number);                  // i64
LLVMValueRef emit_minimum(Emit *e, LLVMValueRef x, LLVMValueRef y); // signed i64
// min(extent, total - first): how many of `extent` remain from `first` on.
LLVMValueRef emit_remaining(Emit *e, const IndexExpr *first, int64_t extent, int64_t total);

#endif
