// base/file.c
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "tests/unit/cmocka_all.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Folder {
    Arena *arena;
    char path[64];
} Folder;

static Folder folder;

static int setup(void **state) {
    (void)state;
    folder.arena = arena_create(NULL, NULL);
    memcpy(folder.path, "/tmp/shardc-test-XXXXXX", 24);
    return folder.arena == NULL || mkdtemp(folder.path) == NULL;
}

static const char *in_folder(const char *name) {
    return arena_printf(folder.arena, "%s/%s", folder.path, name);
}

static int entries(void) {
    DIR *directory = opendir(folder.path);
    int count = -2; // . and ..
    // NOLINTNEXTLINE(concurrency-mt-unsafe): its own stream
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static int teardown(void **state) {
    (void)state;
    const char *names[] = {"a", "b", "link"};
    for (int i = 0; i < 3; i++)
        (void)unlink(in_folder(names[i]));
    int left = rmdir(folder.path);
    arena_free(folder.arena);
    return left;
}

static void what_is_written_is_read(void **state) {
    (void)state;
    const size_t sizes[] = {0, 1, 1000, 65536, 1000000}; // read and mapped
    const char *error = NULL;
    for (int i = 0; i < 5; i++) {
        char *data = arena_alloc(folder.arena, sizes[i]);
        for (size_t j = 0; j < sizes[i]; j++)
            data[j] = (char)(j * 31 + j / 256);
        StrView contents = {data, sizes[i]}, back;
        assert_true(file_write(folder.arena, in_folder("a"), contents, &error));
        assert_true(file_read(folder.arena, in_folder("a"), &back, &error));
        assert_true(strview_equal(contents, back));
    }
    assert_int_equal(entries(), 1);
}

static void mapped_text_outlives_replacing_the_file(void **state) {
    (void)state;
    const char *error = NULL;
    char *old = arena_alloc(folder.arena, 200000);
    memset(old, 'o', 200000);
    StrView back;
    assert_true(file_write(folder.arena, in_folder("a"), (StrView){old, 200000}, &error));
    assert_true(file_read(folder.arena, in_folder("a"), &back, &error));
    assert_true(file_write(folder.arena, in_folder("a"), SV("new"), &error));
    assert_int_equal(back.data[199999], 'o');
}

static void failures_say_why_and_leave_nothing(void **state) {
    (void)state;
    const char *error = NULL;
    StrView back;
    int before = entries();
    assert_false(file_read(folder.arena, in_folder("absent"), &back, &error));
    assert_non_null(strstr(error, "cannot open"));
    assert_non_null(strstr(error, "No such file"));
    assert_false(file_read(folder.arena, folder.path, &back, &error));
    assert_non_null(strstr(error, "directory"));
    assert_false(file_write(folder.arena, folder.path, SV("x"), &error));
    assert_false(file_write(folder.arena, in_folder("no/such/folder"), SV("x"), &error));
    assert_false(file_write(folder.arena, "/dev/full", SV("x"), &error));
    assert_non_null(strstr(error, "No space"));
    assert_int_equal(entries(), before);
}

static void links_and_modes_are_kept(void **state) {
    (void)state;
    const char *error = NULL;
    assert_true(file_write(folder.arena, in_folder("b"), SV("1"), &error));
    assert_int_equal(chmod(in_folder("b"), 0750), 0);
    assert_int_equal(symlink("b", in_folder("link")), 0);
    assert_true(file_write(folder.arena, in_folder("link"), SV("2"), &error));
    struct stat status;
    assert_int_equal(lstat(in_folder("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat(in_folder("b"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640); // data is not executed
    StrView back;
    assert_true(file_read(folder.arena, in_folder("b"), &back, &error));
    assert_true(strview_is(back, "2"));
    assert_true(file_write(folder.arena, "/dev/null", SV("x"), &error)); // written to, not replaced
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

// What the file has after `first`, then `second` written to it by name, while standard output goes
// to it.
static void standard_output_is_not_replaced(void **state) {
    (void)state;
    const char *error = NULL, *path = in_folder("a");
    StrView back = {NULL, 0};
    int saved = dup(STDOUT_FILENO), file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(saved >= 0 && file >= 0);
    assert_int_equal(dup2(file, STDOUT_FILENO), STDOUT_FILENO);
    bool written = write(STDOUT_FILENO, "first ", 6) == 6 &&
                   file_write(folder.arena, "/dev/stdout", SV("second "), &error) &&
                   file_write(folder.arena, path, SV("third"), &error);
    (void)dup2(saved, STDOUT_FILENO);
    assert_true(written);
    close(saved);
    close(file);
    assert_true(file_read(folder.arena, path, &back, &error));
    assert_string_equal(arena_cstring(folder.arena, back), "first second third");
}

static void a_link_to_no_name_is_not_replaced(void **state) {
    (void)state;
    const char *error = NULL, *path = in_folder("a");
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0 && unlink(path) == 0);
    const char *name = arena_printf(folder.arena, "/proc/self/fd/%d", file);
    (void)unlink(in_folder("link"));
    assert_int_equal(symlink(name, in_folder("link")), 0);
    assert_false(file_write(folder.arena, in_folder("link"), SV("text"), &error));
    assert_non_null(strstr(error, "cannot write"));
    struct stat status;
    assert_int_equal(lstat(in_folder("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    close(file);
    assert_int_equal(unlink(in_folder("link")), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(mapped_text_outlives_replacing_the_file),
        cmocka_unit_test(failures_say_why_and_leave_nothing),
        cmocka_unit_test(links_and_modes_are_kept),
        cmocka_unit_test(standard_output_is_not_replaced),
        cmocka_unit_test(a_link_to_no_name_is_not_replaced),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
