// The door of mlir/syntax: the reader of MLIR's text form: tokens, names, types,
// attributes, regions, and the draft of an op. The parts of the grammar that belong
// to a dialect are in mlir/forms.
//
// Every read_* function looks at reader->token (the next token), consumes what it reads and returns
// false (or NULL) after an error, with a diagnostic. Operands, attributes, types and numbers of the
// op that is being read are kept on stacks of the reader: a nested op pushes and pops above them,
// so nothing is allocated per op but the op itself.
#ifndef SHARDC_FRONTEND_MLIR_READER_H
#define SHARDC_FRONTEND_MLIR_READER_H

#include "base/map.h"
#include "base/vec.h"
#include "frontend/frontend.h"
#include "frontend/mlir/syntax/mlir_lexer.h"
#include "ir/builder.h"
#include "ir/print/asm_format.h"

enum { MAX_NESTING = 256 }; // of regions, attributes and types

// A %name in sight: one value, or the first of `count` results (%name#0 ...).
typedef struct Binding {
    const char *name; // in the text
    uint32_t size, hash;
    Value *first; // NULL: nothing, its scope has ended
    int count;
    int depth;                // of the scope that it belongs to
    struct Binding *shadowed; // what the name meant outside
    struct Binding *next;     // in the same scope
} Binding;

// The latest binding of each name: open addressing with linear probing, at most 3/4 full, a power
// of two of slots. A program has one name per op, so the slots hold nothing but an address.
typedef struct Names {
    Binding **slots;
    int64_t count, capacity;
} Names;

typedef struct Scope {
    Binding *bindings;
    int visible_depth; // of the enclosing scope
} Scope;

typedef struct Operand {
    Value *value;
    Token token;
} Operand;

typedef struct ReadAttr {
    StrView name; // interned
    const Attr *value;
    Token token;
} ReadAttr;

typedef struct ResultName {
    Token token;
    int count;
} ResultName;

// #name or !name = ...
typedef struct Alias {
    const Attr *attr;
    const Type *type;
    const Loc *loc; // model location only
    int64_t weight; // types and attributes in it, what aliases in it stand for included
} Alias;

// An op whose loc(#name) comes before the definition of #name.
typedef struct PendingLoc {
    Loc *loc; // NULL: not needed
    Token token;
} PendingLoc;

typedef struct Reader Reader;

// Parts of the grammar that contain themselves: types have attributes, attributes are those of
// a dialect, regions have ops. The lower part is read through these functions, so that its
// file does not need the others.
typedef struct Grammar {
    const Attr *(*attr)(Reader *reader);
    const Attr *(*sdy_attr)(Reader *reader, StrView name);
    const Attr *(*stablehlo_attr)(Reader *reader, StrView name, bool is_chlo);
    const Attr *(*source_attr)(Reader *reader, StrView dialect, StrView name);
    bool (*op)(Reader *reader, Region *region, Scope *scope);
} Grammar;

struct Reader {
    const Grammar *grammar;
    Context *context;
    Arena *arena;   // ops, regions, locations
    Arena *scratch; // what is needed while reading alone
    Module *module;
    Diags *diags;
    const ReadOptions *options;
    StrView file, text;
    const LocTexts *file_texts; // of locations that say no more
    Lexer lexer;
    Token token; // the next one
    int nesting;
    int64_t weight;    // types and attributes read so far in an alias's definition, as Alias.weight
    int depth;         // of scopes
    int visible_depth; // scopes below it are hidden by an isolated region
    bool in_module;    // inside `module { }`
    StrView custom_op; // the op whose own syntax is being read; empty otherwise
    Names names;       // %name
    StrMap aliases;    // #name, !name to Alias
    StrMap tensor_types; // texts of tensor types to Type
    StrMap resources;    // dense_resource blobs: name to StrView of the hex text
    bool resources_read;
    VEC(Operand) operands;
    VEC(const Type *) types;
    VEC(ReadAttr) attrs;
    VEC(int64_t) ints;
    VEC(Region *) regions;
    VEC(ResultName) results;
    VEC(PendingLoc) pending_locs;
    VEC(const Attr *) attr_items;
    unsigned char *dense_buffer; // of the last dense constant
    size_t dense_capacity;
};

// An op that is being read; its parts begin at these places of the stacks.
typedef struct Draft {
    OpCode code;
    StrView name;
    Token token;
    int64_t operands, types, attrs, regions;
} Draft;

// Tokens and errors (mlir_tokens.c).
void reader_advance(Reader *reader);
bool reader_error_at(Reader *reader, const Token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));              // always false
bool reader_expected(Reader *reader, const char *what); // "expected WHAT, found ..."; always false
// The same, with "custom op 'x' " in front while an op's own syntax is read.
bool reader_custom_error(Reader *reader, const Token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool reader_unsupported(Reader *reader, const Token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
Loc *reader_loc(Reader *reader, const Token *token);
void reader_set_texts(Reader *reader, Loc *loc, const LocTexts *texts); // a copy
bool reader_enter(Reader *reader); // one level deeper; false with a diagnostic at the limit
void reader_leave(Reader *reader);

static inline bool at_punctuation(const Reader *reader, char c) {
    return reader->token.kind == TOKEN_PUNCTUATION && reader->token.punctuation == c;
}
static inline bool at_word(const Reader *reader, const char *word) {
    return reader->token.kind == TOKEN_WORD && strview_is(reader->token.text, word);
}
bool accept_punctuation(Reader *reader, char c);
bool accept_word(Reader *reader, const char *word);
bool expect_punctuation(Reader *reader, char c);
bool expect_word(Reader *reader, const char *word);
bool expect_arrow(Reader *reader);
bool read_int64(Reader *reader, int64_t *number); // with an optional sign
bool read_double(Reader *reader, double *number); // with an optional sign; integers too
// "[" n, n, ... "]": pushed on reader->ints. Dimension sizes may be `?` where dynamic is set.
bool read_int_list(Reader *reader, char open, char close, bool dynamic);
bool read_string(Reader *reader, StrView *text); // unescaped, interned
bool read_symbol(Reader *reader, StrView *name); // @name, interned without @
StrView string_unescape(Reader *reader, StrView quoted);
// The number of an integer token; false when it does not fit 64 bits. Hexadecimal too.
bool token_to_uint64(StrView text, uint64_t *number);
// Text up to the bracket that closes the current one, brackets included: the current token is
// `open`.
bool read_balanced(Reader *reader, StrView *text);

// Types and attributes.
const Type *read_type(Reader *reader);
// A type of the types that were read since reader->types had `base`; they are taken off.
const Type *reader_type_of_parts(Reader *reader, TypeKind kind, int64_t base);
const Type *read_function_type(Reader *reader); // (T, ...) -> T | (T, ...)
bool read_type_list(Reader *reader);            // T, T, ...: pushed on reader->types
bool read_type_list_parens(Reader *reader);     // (T, ...)
bool element_from_word(StrView word, ElementType *element);
const Attr *read_attr(Reader *reader);
const Attr *read_attr_of_type(Reader *reader, ElementType element); // a number without its type
bool read_attr_dict(Reader *reader); // {a = b, ...}: pushed on reader->attrs
const Attr *read_dict_attr(Reader *reader);
const Attr *read_dense(Reader *reader);
const Attr *read_dense_resource(Reader *reader);
const Attr *dense_from_hex(Reader *reader, const Token *at, StrView hex, const Type *type);
// The elements of a static tensor type from their bytes: all of them, or one for all.
// is_packed: i1 has eight to a byte.
const Attr *dense_from_bytes(
    Reader *reader, const Token *at, StrView bytes, const Type *type, bool is_packed);
bool check_scales(Reader *reader, const Token *at, const QuantParams *quant);
const Type *finish_tensor(Reader *reader, const Token *at, const Type *type); // checks and interns
IntSpan ints_from(const Reader *reader, int64_t base); // borrowed until the next push

// Locations.
int32_t loc_number(int64_t number); // a line or column, clamped
bool resolve_pending_locs(Reader *reader);
// A location that is being read.
typedef struct LocDraft {
    Loc *loc; // that gets the texts, which aliases complete later. NULL: read and dropped
    LocTexts texts;
} LocDraft;
bool read_loc(Reader *reader, LocDraft *draft); // what stands inside loc( )
// What stands behind an op, when there is something (pretty_loc_reader.c): loc(...), or as
// locations are printed for people, "name"(#loc1), file.py:3:4, [unknown].
bool read_loc_trailer(Reader *reader, Loc *loc);
// What `#loc1 = ` defines as it is printed for people, when it is that.
bool read_pretty_loc_alias(Reader *reader, StrView name, Alias *alias, bool *found);

// Values and scopes.
Scope scope_open(Reader *reader, bool isolated);
void scope_close(Reader *reader, Scope *scope);
bool bind_value(Reader *reader, Scope *scope, const Token *name, Value *first, int count);
bool read_operand(Reader *reader);         // %x: pushed on reader->operands
bool read_operand_list(Reader *reader);    // %x, %y: as far as it goes, may be empty
bool read_operands_parens(Reader *reader); // (%x, ...)
// Are operands [first, ...) of the draft of these types? Pushes nothing.
bool check_operand_types(Reader *reader, int64_t first, int count, const Type *const *types);
bool check_operand_type(Reader *reader, int64_t operand, const Type *type);

// Regions and ops.
// The code of an op's name; OP_UNREGISTERED where that is allowed.
bool find_op(Reader *reader, const Token *at, StrView name, OpCode *code);
Region *region_detached(Reader *reader);
// { ... } with ^bb0(...) allowed when the region has no arguments yet. The
// scope already holds the arguments.
bool read_region_body(Reader *reader, Region *region, Scope *scope);
bool read_region(Reader *reader, Region *region, bool isolated);
// ({ ... }, { ... }), when there are some: pushed on reader->regions
bool read_generic_regions(Reader *reader);
// (%a: T, ...) { ... }, pushed on reader->regions; without the list as read_region_body
bool read_region_with_args(Reader *reader);
Draft draft_begin(Reader *reader, OpCode code, StrView name, const Token *token);
void draft_attr(Reader *reader, AttrName name, const Attr *value);
void draft_drop(Reader *reader, const Draft *draft); // takes its parts off the stacks
Op *draft_build(Reader *reader, Draft *draft, Region *region, const Loc *loc);
// : (T) -> T against operands; pushes results
bool read_functional_type(Reader *reader, const Draft *draft);

// Attributes of a func (or of its generic form) to where the module keeps them.
bool func_set_attrs(Reader *reader, Op *func, int64_t attrs);
// Shardings: `attr` is the value of an sdy.sharding attribute of the op.
void op_set_shardings(Reader *reader, Op *op, const Attr *attr);
// Gives the attributes on the stack from `base` on to the op: inherent ones, shardings, all others.
bool op_set_attrs(Reader *reader, Op *op, int64_t base);

#endif
