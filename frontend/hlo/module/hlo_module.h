// The door of hlo/module: an HLO module as it was written, with typed attributes: what the
// readers of text (hlo_parser.h) and of protobufs (hlo_proto.h) leave, and the importer
// (hlo_import.h) turns into StableHLO.
#ifndef SHARDC_FRONTEND_HLO_MODULE_H
#define SHARDC_FRONTEND_HLO_MODULE_H

#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/attr.h"
#include "ir/context.h"
#include "ir/type.h"

// What all pieces of one program share; borrowed by its readers.
typedef struct HloSource {
    Context *context;
    Arena *arena;
    Diags *diags;
    const LocTexts *texts; // the file
    int first_line;        // lines of the file before the text
} HloSource;

// One array, token or tuple.
typedef struct HloShape {
    const Type *type;
    const int64_t *layout;        // of arrays: dimensions, the fastest first; NULL = row-major
    bool is_tiled;                // the layout has tiles or other things that move elements
    const struct HloShape *parts; // of tuples: type->part_count of them
} HloShape;

// ---- attributes ----

typedef enum HloAttrName {
#define HLO_ATTR(text, name, kind) HLO_##name,
#include "frontend/hlo/module/hlo_attrs.def"
    HLO_ATTR_COUNT // an attribute that is not known
} HloAttrName;

typedef enum HloAttrKind {
    HLO_KIND_INT,
    HLO_KIND_BOOL,
    HLO_KIND_REAL,
    HLO_KIND_WORD,   // a keyword, as it is written
    HLO_KIND_WORDS,  // {high,default}
    HLO_KIND_STRING, // unescaped
    HLO_KIND_CONFIG, // a string, or text in brackets
    HLO_KIND_INTS,   // {1,2}
    HLO_KIND_COMPUTATIONS,
    HLO_KIND_WINDOW,
    HLO_KIND_SLICE,   // start, limit and stride of each dimension
    HLO_KIND_PADDING, // low, high and interior of each dimension
    HLO_KIND_LABELS,
    HLO_KIND_GROUPS,
    HLO_KIND_SHAPES,
    HLO_KIND_ALIASES,
    HLO_KIND_SHARDING,
    HLO_KIND_PAIRS,
    HLO_KIND_METADATA, // becomes the instruction's location
    HLO_KIND_SKIPPED,
    HLO_KIND_OTHER
} HloAttrKind;

typedef struct HloWindow {
    int rank;
    // padding: low and high of each dimension
    int64_t size[MAX_RANK], stride[MAX_RANK], padding[2 * MAX_RANK];
    int64_t base_dilation[MAX_RANK], window_dilation[MAX_RANK], reversal[MAX_RANK];
} HloWindow;

// Three numbers for each dimension.
typedef struct HloTriples {
    int rank;
    int64_t numbers[3][MAX_RANK];
} HloTriples;

// A matrix of devices: one group a row, short rows filled with -1.
typedef struct HloGroups {
    int count, size;
    const int64_t *ids; // NULL: all devices are one group
} HloGroups;

typedef struct HloWords {
    const StrView *data;
    int count;
} HloWords;

typedef struct HloShapes {
    const HloShape *data;
    int count;
} HloShapes;

// Of a call: result {0} takes the memory of operand 2 {}. Of the module: of the entry's
// parameter 2. A donor has no result.
typedef struct HloAlias {
    IntSpan result, part; // indices into tuples
    int64_t operand;
} HloAlias;

typedef struct HloAliases {
    const HloAlias *data;
    int64_t count;
} HloAliases;

typedef struct HloCalls {
    struct HloComputation **data;
    int count;
} HloCalls;

// An instruction's sharding in GSPMD's text: one for all its values, or one for each.
typedef struct HloSharding {
    StrView whole; // empty: there is none
    const StrView *parts;
    int part_count;
    bool is_tuple;
} HloSharding;

typedef struct HloPairs {
    const StrView *names, *texts;
    int count;
} HloPairs;

typedef struct HloAttr {
    HloAttrName name;
    bool is_used;   // the importer has read it
    bool is_string; // CONFIG
    union {
        int64_t number;              // INT
        bool flag;                   // BOOL
        double real;                 // REAL
        StrView text;                // WORD, STRING, CONFIG; of an unknown attribute its name
        HloWords words;              // WORDS
        IntSpan ints;                // INTS
        HloCalls calls;              // COMPUTATIONS
        HloGroups groups;            // GROUPS
        HloShapes shapes;            // SHAPES
        HloAliases aliases;          // ALIASES
        HloPairs pairs;              // PAIRS
        const HloWindow *window;     // WINDOW
        const HloTriples *triples;   // SLICE, PADDING
        ConvDims *labels;            // LABELS
        const HloSharding *sharding; // SHARDING
    };
} HloAttr;

// ---- programs ----

typedef struct HloInstr {
    StrView name, opcode;
    const Loc *loc; // with what its metadata says
    HloShape shape;
    int64_t parameter;     // its number; -1 of everything but parameters
    const Attr **literals; // of a constant: the elements of each of its arrays
    int *operands;         // instructions of the same computation, all before this one
    int operand_count;
    HloAttr *attrs;
    int attr_count;
} HloInstr;

typedef struct HloComputation {
    StrView name;
    const Loc *loc;
    HloInstr *instrs;
    int instr_count;
    int root;
    int *parameters; // instructions by parameter number
    int parameter_count;
    bool is_open;    // being translated: a call of it would be a recursion
    struct Op *func; // what calls of it call; NULL until there is one
} HloComputation;

typedef struct HloModule {
    StrView name;
    const Loc *loc;
    HloComputation *entry;
    int64_t instr_count;
    int64_t partition_count, replica_count; // 0: not said
    const Loc *counts_loc;
    HloAliases aliases, donors;
    const Loc *aliases_loc, *donors_loc; // of the attributes
    HloPairs frontend;
} HloModule;

HloAttrKind hlo_attr_kind(HloAttrName name);
StrView hlo_attr_text(HloAttrName name);
int hlo_leaf_count(const Type *type); // arrays and tokens in it
// Finds the parameters, which are numbered from 0 without gaps; false with a diagnostic.
bool hlo_number_parameters(const HloSource *source, HloComputation *computation);
StrView hlo_without_number(StrView name); // "x" of "x.20": XLA numbers its instructions
// [count,size] rows of 0, 1, .. in the shape of dims, transposed; false when they
// are no arrangement of devices.
bool hlo_iota_groups(
    Arena *arena, int64_t count, int64_t size, int rank, const int64_t *dims, const int64_t *order,
    HloGroups *groups);
// Rows of devices as a matrix; false when there are too many.
bool hlo_row_groups(Arena *arena, int64_t count, const IntSpan *rows, HloGroups *groups);
// Adds a dimension to a tensor of *bytes bytes; NULL, or what is wrong with it.
const char *hlo_add_dim(Type *type, int64_t *bytes, int64_t size);
bool hlo_element_from_word(StrView word, ElementType *element);
StrView hlo_element_word(ElementType element); // empty when HLO has no such type
// Dense elements, also where all are equal.
const Attr *hlo_elements(Context *context, const Type *type, const void *data);

#endif
