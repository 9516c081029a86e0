// codegen/target/object_cache.c: entries that are whole or not there, whatever happens to the
// folder.
#define _POSIX_C_SOURCE 200809L
#include "codegen/target/object_cache.h"
#include "tests/unit/cmocka_all.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[64];
static Arena *arena;

static int set_up(void **state) {
    (void)state;
    strcpy(folder, "/tmp/shardc-cache-XXXXXX");
    arena = arena_create(NULL, NULL);
    return mkdtemp(folder) ? 0 : -1;
}

// Files of the folder; the last one's path.
static int file_count(const char **path) {
    int count = 0;
    DIR *all = opendir(folder);
    assert_non_null(all);
    for (const struct dirent *file; (file = readdir(all));) {
        if (file->d_name[0] == '.') continue;
        count++;
        if (path) *path = arena_printf(arena, "%s/%s", folder, file->d_name);
    }
    (void)closedir(all);
    return count;
}

static int tear_down(void **state) {
    (void)state;
    const char *path;
    while (file_count(&path))
        (void)unlink(path);
    (void)rmdir(folder);
    arena_free(arena);
    return 0;
}

static bool finds(const char *key, const char *expected) {
    StrView object;
    ObjectCache *cache = object_cache_open(arena, folder);
    if (!object_cache_find(cache, arena, strview(key), &object)) return false;
    assert_true(strview_equal(object, strview(expected)));
    return true;
}

static void store(const char *key, const char *object) {
    object_cache_store(object_cache_open(arena, folder), strview(key), strview(object));
}

static void what_was_stored_is_found_by_its_key_alone(void **state) {
    (void)state;
    assert_false(finds("key", ""));
    store("key", "object");
    store("other", "thing");
    assert_true(finds("key", "object"));
    assert_true(finds("other", "thing"));
    assert_false(finds("kez", ""));
    store("key", "object"); // by a process that compiled the same at the same time
    assert_int_equal(file_count(NULL), 2);
    assert_null(object_cache_open(arena, NULL));
    assert_null(object_cache_open(arena, ""));
}

static void damaged_entries_are_not_found(void **state) {
    (void)state;
    store("key", "the object");
    const char *path;
    assert_int_equal(file_count(&path), 1);
    FILE *file = fopen(path, "rb");
    char good[256];
    size_t size = fread(good, 1, sizeof good, file);
    (void)fclose(file);
    for (size_t i = 0; i <= size; i++) { // each byte changed, every length
        for (int cut = 0; cut < 2; cut++) {
            char bad[256];
            memcpy(bad, good, size);
            if (i < size) bad[i] ^= 4;
            file = fopen(path, "wb");
            (void)fwrite(cut ? good : bad, 1, cut ? i : size, file);
            (void)fclose(file);
            if (i < size) assert_false(finds("key", ""));
        }
    }
    store("key", "the object");
    assert_true(finds("key", "the object"));
}

static void folders_of_others_are_not_used(void **state) {
    (void)state;
    store("key", "object");
    assert_int_equal(chmod(folder, 0777), 0);
    assert_false(finds("key", ""));
    store("other", "object");
    assert_int_equal(file_count(NULL), 1);
    StrBuf text = strbuf(arena);
    object_cache_print(object_cache_open(arena, folder), &text);
    assert_non_null(strstr(strbuf_cstring(&text), "others may write to it"));
    assert_int_equal(chmod(folder, 0700), 0);
    assert_true(finds("key", "object"));
}

static void a_full_disk_leaves_nothing(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        (void)signal(SIGXFSZ, SIG_IGN);
        struct rlimit none = {16, 16};
        (void)setrlimit(RLIMIT_FSIZE, &none);
        store("key", "object");
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(file_count(NULL), 0);
}

static void what_was_not_used_for_longest_goes_first(void **state) {
    (void)state;
    char object[1000];
    memset(object, 'x', sizeof object);
    object[999] = 0;
    ObjectCache *cache = object_cache_open(arena, folder);
    for (int i = 0; i < 8; i++) {
        object_cache_store(cache, strview(arena_printf(arena, "key %d", i)), strview(object));
        (void)nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    assert_true(finds("key 0", object));
    object_cache_trim(object_cache_open(arena, folder), arena, 100); // stored nothing itself
    assert_int_equal(file_count(NULL), 8);
    object_cache_trim(cache, arena, 100000);
    assert_int_equal(file_count(NULL), 8);
    object_cache_trim(cache, arena, 6000);
    assert_int_equal(file_count(NULL), 4);
    assert_true(finds("key 0", object));
    assert_false(finds("key 1", ""));
    assert_true(finds("key 7", object));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            what_was_stored_is_found_by_its_key_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_entries_are_not_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders_of_others_are_not_used, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            what_was_not_used_for_longest_goes_first, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
