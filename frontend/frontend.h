// The only door of the readers: text or bytes of any format to a Module.
#ifndef SHARDC_FRONTEND_FRONTEND_H
#define SHARDC_FRONTEND_FRONTEND_H

#include "ir/module.h"
#include "ir/pass/pass_log.h"

// Larger files are no programs.
#define PROGRAM_LIMIT ((int64_t)4 << 30)

// One flag per argument or result; a single one holds for all, none for nothing.
typedef struct FlagList {
    const unsigned char *flags;
    size_t count;
} FlagList;

typedef struct ReadOptions {
    StrView file;            // the name to print in diagnostics
    bool allow_unregistered; // keep ops of dialects that we do not know (OP_UNREGISTERED)
    bool skip_verify;        // only syntax: the caller verifies
    // XLA's shardings (GSPMD's, Shardy's round-trip form) stay as they are written; else the
    // pipeline shardc-import runs
    bool keep_annotations;
    PassLog *log; // of its passes; NULL = none
    // What a program is compiled for, where it does not say it itself (import/target_devices.c).
    int partition_count, replica_count; // 0: not known
    FlagList whole_inputs, whole_results;
    // lines of the file before the text that is given (frontend_split): added to every line number
    int first_line;
} ReadOptions;

// Reads one program; the format is found from its content: MLIR text, MLIR bytecode (also as
// jax.export writes it), HLO as text or protobuf. The text is borrowed while the module
// lives (source lines of diagnostics; diags->text is set to it unless the caller has set the whole
// file's text). NULL with diagnostics after an error; readers go on after an error where they can.
// The module is verified unless options say otherwise.
Module *frontend_read(
    Context *context, Arena *arena, StrView contents, const ReadOptions *options, Diags *diags);

// What a text is that holds no program: it is empty, or all of it is blanks and comments; NULL when
// there is more. Read as MLIR it is an empty module, which frontend_read gives only where
// annotations are kept: to those who look at modules, not at programs.
const char *frontend_emptiness(StrView contents);

// Cuts a text at lines that begin with `// -----` (binary files are one section); section k keeps
// its line numbers (the lines before it are left out of the view, *first_line says how many).
// Returns the number of sections.
int frontend_split(Arena *arena, StrView contents, StrView **sections, int **first_line);

// Pieces of a program, for those who build one in memory. What is read goes to the module's
// context; `scratch` is needed no longer than the call. Nothing but the piece may stand in the
// text. NULL or false with diagnostics after an error, where the text is the source of diags.
const Type *frontend_read_type(Module *module, Arena *scratch, StrView text, Diags *diags);
// <@mesh, [{"x"}, {?}]>, with or without #sdy.sharding in front.
const Sharding *frontend_read_sharding(Module *module, Arena *scratch, StrView text, Diags *diags);
// Any attribute: #sdy.mesh<["x"=2]>, {a = 1 : i64}, dense<0> : tensor<2xi32>.
const Attr *frontend_read_attr(Module *module, Arena *scratch, StrView text, Diags *diags);
// dimensions = array<i64: 0>, ...: what stands between the braces; given to the op.
bool frontend_read_attrs(Op *op, Module *module, Arena *scratch, StrView text, Diags *diags);
// Ops at the end of `region`, in which argument i of the region is %operand<i>.
// nesting: of the place where they are to stand. After an error the region holds what
// was read so far, and is good for nothing.
bool frontend_read_ops(
    Module *module, Region *region, StrView file, StrView text, int nesting, Diags *diags);

#endif
