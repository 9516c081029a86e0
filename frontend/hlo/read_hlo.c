// read_hlo: programs in HLO become StableHLO; every instruction by the function of its
// opcode's row in hlo_opcodes.def.
#include "frontend/hlo/hlo_import.h"
#include "frontend/hlo/proto/hlo_proto.h"
#include "frontend/hlo/text/hlo_parser.h"

enum {
    FREE_COPIES = 1 << 16, // values that copies of computations may make in any program
    COPIES_PER_VALUE = 64  // and more by the program's size
};

typedef struct OpcodeRow {
    const char *text;
    OpCode code;
    HloImportFn *function;
} OpcodeRow;

// The column HLO of ops.def, by op: no text where HLO has no opcode for it.
#define HLO(text, function) \
    { text, hlo_##function }
#define NO_HLO \
    { NULL, NULL }

static const struct {
    const char *text;
    HloImportFn *function;
} opcodes[OP_COUNT] = {
#define OP(                                                                                   \
    name, dialect, text, traits, operands, results, regions, attributes, form, ir, partition, \
    codegen, vhlo, hlo)                                                                       \
    [OP_##name] = hlo,
#include "ir/dialects/ops.def"
};

// The opcodes that are no op's own.
static const OpcodeRow others[] = {
#define HLO_OTHER(text, code, function) {text, OP_##code, hlo_##function},
#include "frontend/hlo/hlo_opcodes.def"
};

static bool find_row(StrView opcode, OpcodeRow *row) {
    for (int code = 0; code < OP_COUNT; code++) {
        *row = (OpcodeRow){opcodes[code].text, (OpCode)code, opcodes[code].function};
        if (row->text && strview_is(opcode, row->text)) return true;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        *row = others[i];
        if (strview_is(opcode, row->text)) return true;
    }
    bool is_start = strview_ends_with(opcode, SV("-start"));
    bool is_done =
        strview_ends_with(opcode, SV("-done")) || strview_ends_with(opcode, SV("-update"));
    *row = (OpcodeRow){"", OP_UNREGISTERED, is_start ? hlo_async_start : hlo_async_done};
    return is_start || is_done;
}

static bool import_instr(HloImporter *importer, HloInstr *instr, HloValues *results) {
    OpcodeRow row;
    if (!find_row(instr->opcode, &row)) {
        diag_unsupported(
            importer->source->diags, instr->loc, "HLO's opcode '%.*s' is not supported",
            SV_ARG(instr->opcode));
        return false;
    }
    return row.function(importer, instr, row.code, results);
}

// ---- the module ----

bool is_hlo_text(StrView text) {
    HloSource source = {0};
    HloLexer lexer = hlo_lexer(&source, text);
    return hlo_looks_at(&lexer, "HloModule");
}

typedef HloModule *HloReader(const HloSource *source, StrView contents);

static Module *read_hlo(
    Context *context, Arena *arena, StrView contents, HloReader *reader, const ReadOptions *options,
    Diags *diags) {
    Arena *scratch = arena_child(arena);
    const LocTexts texts = {.file = options->file};
    const HloSource source = {
        context, arena, diags, loc_texts_intern(context->interner, &texts), options->first_line};
    HloImporter importer = {
        .import_instr = import_instr,
        .source = &source,
        .context = context,
        .arena = scratch,
        .module = module_create(context, arena),
        .hlo = reader(&source, contents)};
    importer.func_names = str_map(scratch);
    Op *main = NULL;
    if (importer.hlo) {
        importer.budget = FREE_COPIES + COPIES_PER_VALUE * importer.hlo->instr_count;
        importer.module->op->loc = importer.hlo->loc;
        main = hlo_func(&importer, importer.hlo->entry, true);
    }
    bool ok = main && hlo_module_attrs(&importer, main);
    arena_reset(scratch);
    return ok ? importer.module : NULL;
}

Module *read_hlo_text(
    Context *context, Arena *arena, StrView text, const ReadOptions *options, Diags *diags) {
    return read_hlo(context, arena, text, hlo_parse, options, diags);
}

Module *read_hlo_proto(
    Context *context, Arena *arena, StrView bytes, const ReadOptions *options, Diags *diags) {
    return read_hlo(context, arena, bytes, hlo_decode, options, diags);
}
