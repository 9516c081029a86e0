// What shardc.h promises of arguments, for every public function and each of its pointers: the
// table below has a row for every function that the library exports and the headers declare, and
// the rows' parameters are those of the headers.
#define _GNU_SOURCE // dladdr, mkdtemp
#include "calls.h"
#include "calls_build.h"
#include "calls_events.h"
#include "calls_registered.h"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>

// A row: the function's pointers in order, and what happens when one is NULL: '!' it is refused and
// named, '?' it may be, '0' there is no status, and the caller has checked the answer.
typedef struct Row {
    const char *function;
    Caller *call;
    const char *pointers;
} Row;

#define ROW(function, pointers) \
    { #function, call_##function, pointers }
static const Row rows[] = {
    ROW(shardc_array_dtype, "array0"),
    ROW(shardc_buffer_bytes, "buffer0"),
    ROW(shardc_buffer_create, "dims! buffer!"),
    ROW(shardc_buffer_data, "buffer0"),
    ROW(shardc_buffer_dims, "buffer0"),
    ROW(shardc_buffer_dtype, "buffer0"),
    ROW(shardc_buffer_free, "owned0"),
    ROW(shardc_buffer_rank, "buffer0"),
    ROW(shardc_buffer_wrap, "dims! strides? data! buffer!"),
    ROW(shardc_build_binary, "func! op! result?"),
    ROW(shardc_build_broadcast_in_dim, "func! dims! dimensions! result?"),
    ROW(shardc_build_compare, "func! direction! result?"),
    ROW(shardc_build_concatenate, "func! operands! result?"),
    ROW(shardc_build_constant, "func! type! data! result?"),
    ROW(shardc_build_convert, "func! result?"),
    ROW(shardc_build_dot_general, "func! dims! result?"),
    ROW(shardc_build_gradient,
        "func! name! operands! attributes? results! gradients! operand_gradients!"),
    ROW(shardc_build_iota, "func! type! result?"),
    ROW(shardc_build_mesh, "module! name! axes! sizes!"),
    ROW(shardc_build_op, "func! name! operands! attributes? result_types? results?"),
    ROW(shardc_build_reduce, "func! body! dimensions! result?"),
    ROW(shardc_build_reshape, "func! dims! result?"),
    ROW(shardc_build_select, "func! result?"),
    ROW(shardc_build_sharding_constraint, "func! sharding! result?"),
    ROW(shardc_build_slice, "func! start! limit! stride? result?"),
    ROW(shardc_build_splat, "func! type! result?"),
    ROW(shardc_build_text, "func! text! operands! results!"),
    ROW(shardc_build_transpose, "func! permutation! result?"),
    ROW(shardc_build_unary, "func! op! result?"),
    ROW(shardc_bytes_free, "owned0"),
    ROW(shardc_compile, "module! options? executable!"),
    ROW(shardc_compile_to_file, "module! options? path!"),
    ROW(shardc_compile_to_text, "module! options? text!"),
    ROW(shardc_context_create, "allocator? context!"),
    ROW(shardc_context_free, "owned0"),
    ROW(shardc_dtype_name, ""),
    ROW(shardc_dtype_size, ""),
    ROW(shardc_event_await, "event0"),
    ROW(shardc_event_create, "event!"),
    ROW(shardc_event_free, "owned0"),
    ROW(shardc_event_is_done, "event0"),
    ROW(shardc_event_on_done, "event! function! user?"),
    ROW(shardc_event_retain, "event0"),
    ROW(shardc_event_set, "event0 status?"),
    ROW(shardc_event_status, "event0"),
    ROW(shardc_event_wait, "event!"),
    ROW(shardc_executable_deserialize, "context? bytes! options? executable!"),
    ROW(shardc_executable_counters, "executable0 counters0"),
    ROW(shardc_executable_device_bytes, "executable0"),
    ROW(shardc_executable_free, "owned0"),
    ROW(shardc_executable_load, "path! options? executable!"),
    ROW(shardc_executable_load_custom, "context! path! options? executable!"),
    ROW(shardc_executable_model, "executable0"),
    ROW(shardc_executable_printed, "executable0"),
    ROW(shardc_executable_rebind, "executable0"),
    ROW(shardc_executable_serialize, "executable! bytes! size!"),
    ROW(shardc_execute, "executable! inputs! outputs!"),
    ROW(shardc_execute_async, "executable! inputs! outputs! event!"),
    ROW(shardc_execute_buffers, "executable! inputs! outputs!"),
    ROW(shardc_execute_tiles, "executable! inputs! outputs! options?"),
    ROW(shardc_execute_tiles_async, "executable! inputs! outputs! options? event!"),
    ROW(shardc_explain, "module! options? explain? explanation!"),
    ROW(shardc_explain_options_init, "options0"),
    ROW(shardc_explanation_free, "owned0"),
    ROW(shardc_func_argument, "func0"),
    ROW(shardc_func_begin, "module! name! types! shardings? donated? func!"),
    ROW(shardc_func_finish, "func! results! shardings?"),
    ROW(shardc_module_create, "context! name? module!"),
    ROW(shardc_module_diagnostics, "module0 count0"),
    ROW(shardc_module_free, "owned0"),
    ROW(shardc_module_parse, "context! name? text! module!"),
    ROW(shardc_module_parse_file, "context! path! module!"),
    ROW(shardc_module_parse_with, "context! options? text! module!"),
    ROW(shardc_module_text, "module! text!"),
    ROW(shardc_module_write, "module! bytes! size!"),
    ROW(shardc_options_init, "options0"),
    ROW(shardc_profile_free, "owned0"),
    ROW(shardc_profile_reset, "executable0"),
    ROW(shardc_profile_text, "executable! text!"),
    ROW(shardc_region_begin, "func! types! arguments!"),
    ROW(shardc_region_end, "func! results!"),
    ROW(shardc_register_custom, "context! name! function! parameters! user?"),
    ROW(shardc_register_op, "context! name! definition!"),
    ROW(shardc_set_custom_resolver, "context! resolver?"),
    ROW(shardc_set_partitioner, "context! partitioner?"),
    ROW(shardc_list_sharding_options, "module! options!"),
    ROW(shardc_sharding_options_free, "owned0"),
    ROW(shardc_status_create, "message?"),
    ROW(shardc_status_code, "status0"),
    ROW(shardc_status_diagnostics, "status0 count0"),
    ROW(shardc_status_free, "owned0"),
    ROW(shardc_status_line, "status0 column0"),
    ROW(shardc_status_message, "status0"),
    ROW(shardc_status_report, "status0"),
    ROW(shardc_value_type, "func! type!"),
    ROW(shardc_version, ""),
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static int find_row(const char *function) {
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].function, function) == 0) return i;
    }
    print_error("%s has no row\n", function);
    return -1;
}

// The functions that the library exports, from its own file.
static void the_table_has_all_that_the_library_exports(void **state) {
    (void)state;
    Dl_info info = {0};
    const char *(*version)(void) = shardc_version;
    void *address = NULL;
    memcpy(&address, &version, sizeof address);
    assert_true(dladdr(address, &info) != 0);
    FILE *file = fopen(info.dli_fname, "rb");
    assert_non_null(file);
    Elf64_Ehdr header;
    assert_int_equal(fread(&header, sizeof header, 1, file), 1);
    Elf64_Shdr *sections = calloc(header.e_shnum, sizeof *sections);
    fseek(file, (long)header.e_shoff, SEEK_SET);
    assert_int_equal(fread(sections, sizeof *sections, header.e_shnum, file), header.e_shnum);
    int found[ROWS] = {0}, unknown = 0;
    for (int s = 0; s < header.e_shnum; s++) {
        if (sections[s].sh_type != SHT_DYNSYM) continue;
        const Elf64_Shdr *names = &sections[sections[s].sh_link];
        size_t count = sections[s].sh_size / sizeof(Elf64_Sym);
        Elf64_Sym *symbols = calloc(count, sizeof *symbols);
        char *text = calloc(names->sh_size + 1, 1);
        fseek(file, (long)sections[s].sh_offset, SEEK_SET);
        assert_int_equal(fread(symbols, sizeof *symbols, count, file), count);
        fseek(file, (long)names->sh_offset, SEEK_SET);
        assert_int_equal(fread(text, 1, names->sh_size, file), names->sh_size);
        for (size_t i = 0; i < count; i++) {
            const char *name = text + symbols[i].st_name;
            if (symbols[i].st_shndx == SHN_UNDEF || strncmp(name, "shardc_", 7) != 0) continue;
            int row = find_row(name);
            if (row < 0) unknown++;
            if (row >= 0) found[row]++;
        }
        free(symbols);
        free(text);
    }
    free(sections);
    fclose(file);
    for (int i = 0; i < ROWS; i++) {
        if (!found[i]) print_error("%s is not exported\n", rows[i].function);
        unknown += !found[i];
    }
    assert_int_equal(unknown, 0);
}

// The header without comments; the caller frees it.
static char *read_header(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    size_t size = fread(text, 1, (1 << 20) - 1, file), kept = 0;
    fclose(file);
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '/' && text[i + 1] == '*') {
            const char *end = strstr(text + i + 2, "*/");
            assert_non_null(end);
            i = (size_t)(end - text) + 1;
        } else {
            text[kept++] = text[i];
        }
    }
    text[kept] = 0;
    return text;
}

// The declaration's name, and the names of its pointers: "a b c".
static void read_declaration(const char *from, const char *end, char *name, char *pointers) {
    const char *open = memchr(from, '(', (size_t)(end - from));
    assert_non_null(open);
    const char *start = open;
    while (start > from && (isalnum((unsigned char)start[-1]) || start[-1] == '_'))
        start--;
    snprintf(name, 128, "%.*s", (int)(open - start), start);
    *pointers = 0;
    for (const char *at = open + 1; at < end;) {
        const char *comma = at;
        while (comma < end && *comma != ',' && *comma != ')')
            comma++;
        const char *last = comma;
        while (last > at && (isalnum((unsigned char)last[-1]) || last[-1] == '_'))
            last--;
        if (memchr(at, '*', (size_t)(comma - at))) {
            size_t used = strlen(pointers);
            snprintf(
                pointers + used, 256 - used, "%s%.*s", used ? " " : "", (int)(comma - last), last);
        }
        at = comma + 1;
    }
}

static int check_header(const char *path) {
    char *text = read_header(path);
    int wrong = 0;
    for (const char *at = strstr(text, "SHARDC_API "); at; at = strstr(at + 1, "SHARDC_API ")) {
        const char *line = at;
        while (line > text && line[-1] != '\n')
            line--;
        if (*line == '#') continue;
        const char *end = strchr(at, ';');
        char name[128], pointers[256], expected[256] = "";
        read_declaration(at, end, name, pointers);
        int row = find_row(name);
        for (const char *p = row < 0 ? "" : rows[row].pointers; *p; p++) {
            if (!strchr("!?0", *p)) strncat(expected, p, 1);
        }
        if (row >= 0 && strcmp(pointers, expected) == 0) continue;
        print_error("%s: %s has the pointers '%s', its row '%s'\n", path, name, pointers, expected);
        wrong++;
    }
    free(text);
    return wrong;
}

static void the_rows_have_all_pointers_of_the_headers(void **state) {
    (void)state;
    DIR *folder = opendir("include/shardc");
    assert_non_null(folder);
    int wrong = 0, headers = 0;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): its own stream
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!strstr(entry->d_name, ".h")) continue;
        char path[512];
        snprintf(path, sizeof path, "include/shardc/%s", entry->d_name);
        wrong += check_header(path);
        headers++;
    }
    closedir(folder);
    assert_true(headers >= 10);
    assert_int_equal(wrong, 0);
}

static void fixture_create(Fixture *f) {
    static const char *const axes[] = {"x"}, *const types[] = {"tensor<4xf32>"};
    static const int64_t sizes[] = {2};
    *f = (Fixture){.library = "no such file"};
    shardc_options options;
    shardc_options_init(&options);
    options.profile = 1;
    succeeds(shardc_context_create(NULL, &f->context));
    succeeds(shardc_module_create(f->context, "built", &f->module));
    succeeds(shardc_build_mesh(f->module, "mesh", 1, axes, sizes));
    succeeds(shardc_func_begin(f->module, "main", 1, types, NULL, NULL, &f->func));
    f->x = shardc_func_argument(f->func, 0);
    f->executable = compiled(identity, &options);
    options.tiled = options.keep_code = 1;
    f->tiled = compiled(identity, &options);
    succeeds(shardc_buffer_wrap(SHARDC_F32, 1, four, NULL, f->array, &f->buffer));
    static char library[600];
    snprintf(library, sizeof library, "%s", scratch("identity.so"));
    shardc_module *module = read_identity(f);
    succeeds(shardc_compile_to_file(module, NULL, SHARDC_EMIT_SO, library));
    shardc_module_free(module);
    f->library = library;
}

static void fixture_free(Fixture *f) {
    shardc_buffer_free(f->buffer);
    shardc_executable_free(f->executable);
    shardc_executable_free(f->tiled);
    shardc_module_free(f->module);
    shardc_context_free(f->context);
}

static void check_row(Fixture *fixture, const Row *row) {
    succeeds(row->call(fixture, -1));
    int i = 0;
    for (const char *at = row->pointers; *at; i++) {
        size_t size = strcspn(at, "!?0");
        char kind = at[size], expected[256];
        snprintf(expected, sizeof expected, "%s: %.*s is NULL", row->function, (int)size, at);
        shardc_status *status = row->call(fixture, i);
        if (kind == '!') {
            fails_with(status, SHARDC_INVALID_INPUT, expected);
        } else {
            succeeds(status);
        }
        at += size + 1;
        at += *at == ' ';
    }
}

static void a_missing_pointer_is_refused_by_name_or_allowed(void **state) {
    (void)state;
    Fixture fixture;
    fixture_create(&fixture);
    for (int i = 0; i < ROWS; i++)
        check_row(&fixture, &rows[i]);
    fixture_free(&fixture);
}

static void unknown_numbers_are_refused(void **state) {
    (void)state;
    Fixture fixture, *f = &fixture;
    fixture_create(f);
    const shardc_code bad = SHARDC_INVALID_INPUT;
    shardc_module *module = read_identity(f);
    char *text = NULL;
    shardc_value values[2];
    const char *path = scratch("none");
    static const int wrong[] = {-1, 8, 31, 1000, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const shardc_dtype dtype = (shardc_dtype)(wrong[i] == 8 ? 0 : wrong[i]);
        const int number = wrong[i] > 0 ? -wrong[i] : wrong[i];
        fails_with(shardc_compile_to_file(module, NULL, (shardc_emit)wrong[i], path), bad, "emit");
        fails_with(shardc_compile_to_text(module, NULL, (shardc_emit)wrong[i], &text), bad, "emit");
        fails_with(
            shardc_profile_text(f->executable, (shardc_profile_format)wrong[i], &text), bad,
            "format");
        fails_with(shardc_buffer_create(dtype, 0, NULL, &(shardc_buffer *){NULL}), bad, "dtype");
        fails_with(shardc_build_convert(f->func, f->x, dtype, values), bad, "dtype");
        fails_with(
            shardc_register_custom(
                f->context, "f", nothing, NULL, 0, (shardc_custom_return)wrong[i], NULL),
            bad, "returns");
        fails_with(
            shardc_build_op(f->func, "stablehlo.abs", number, &f->x, NULL, 1, NULL, values), bad,
            "operand_count");
        fails_with(
            shardc_build_op(f->func, "stablehlo.abs", 1, &f->x, NULL, number, NULL, values), bad,
            "result_count");
        fails_with(shardc_region_begin(f->func, number, NULL, values), bad, "argument_count");
        fails_with(shardc_build_text(f->func, "", number, &f->x, 0, values), bad, "operand_count");
        fails_with(shardc_build_text(f->func, "", 0, &f->x, number, values), bad, "result_count");
        fails_with(shardc_build_iota(f->func, "tensor<4xi32>", wrong[i], values), bad, "iota");
        fails_with(shardc_build_concatenate(f->func, 1, &f->x, wrong[i], values), bad, "dimension");
        assert_int_equal(shardc_func_argument(f->func, wrong[i]), 0);
    }
    assert_int_not_equal(access(path, F_OK), 0);
    shardc_module_free(module);
    fixture_free(f);
}

static void sizes_of_structs_are_checked(void **state) {
    (void)state;
    Fixture fixture, *f = &fixture;
    fixture_create(f);
    shardc_module *module = read_identity(f);
    struct {
        shardc_options options;
        char more[64];
    } longer = {0};
    struct {
        shardc_explain_options options;
        char more[64];
    } explain = {0};
    shardc_executable *executable = NULL;
    shardc_explanation *explanation = NULL;
    static const size_t wrong[] = {0, 1, 7, 5000, SIZE_MAX / 2, SIZE_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        longer.options.struct_size = explain.options.struct_size = wrong[i];
        fails_with(
            shardc_compile(module, &longer.options, &executable), SHARDC_INVALID_INPUT,
            "options->struct_size");
        fails_with(
            shardc_executable_load(f->library, &longer.options, &executable), SHARDC_INVALID_INPUT,
            "options->struct_size");
        fails_with(
            shardc_explain(module, NULL, &explain.options, &explanation), SHARDC_INVALID_INPUT,
            "explain->struct_size");
        shardc_model_counters counters = {.struct_size = wrong[i] > 5000 ? 0 : wrong[i]};
        if (wrong[i] < sizeof counters) shardc_executable_counters(f->executable, &counters);
        assert_int_equal(counters.executions, 0);
    }
    longer.options.struct_size = sizeof longer;
    succeeds(shardc_compile(module, &longer.options, &executable));
    shardc_executable_free(executable);
    longer.more[3] = 1; // an option of a later version
    fails_with(
        shardc_compile(module, &longer.options, &executable), SHARDC_INVALID_INPUT,
        "does not know");
    shardc_module_free(module);
    fixture_free(f);
}

static void a_program_needs_no_nul(void **state) {
    (void)state;
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    succeeds(shardc_context_create(NULL, &context));
    for (size_t size = 0; size < sizeof identity; size++) { // all its beginnings, too
        char *text = malloc(size ? size : 1);
        assert_non_null(text);
        memcpy(text, identity, size);
        shardc_status *status = shardc_module_parse(context, "t", text, size, &module);
        assert_true((status == NULL) == (module != NULL));
        if (size >= sizeof identity - 2) assert_null(status);
        shardc_status_free(status);
        shardc_module_free(module);
        free(text);
    }
    fails_with(
        shardc_module_parse(context, NULL, NULL, 0, &module), SHARDC_INVALID_INPUT,
        "the file is empty");
    assert_null(module);
    shardc_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_all_that_the_library_exports),
        cmocka_unit_test(the_rows_have_all_pointers_of_the_headers),
        cmocka_unit_test(a_missing_pointer_is_refused_by_name_or_allowed),
        cmocka_unit_test(unknown_numbers_are_refused),
        cmocka_unit_test(sizes_of_structs_are_checked),
        cmocka_unit_test(a_program_needs_no_nul),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
