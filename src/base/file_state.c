/* The state of folders that hold what the user keeps, for who holds on to what was read of them. */
#include <sys/stat.h>

#include "base/file.h"

enum { WATCHED_MOST = 4096 };

typedef struct watch {
    uint64_t hash;
    unsigned seen;
    ridge_arena arena;
} watch;

static void mix(watch *w, uint64_t word)
{
    static const ridge_hash_key key = {0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u};
    w->hash = ridge_hash_word(w->hash, word, key);
}

static void look_at(watch *w, const char *path)
{
    struct stat s;
    if (w->seen++ > WATCHED_MOST || stat(path, &s) != 0)
        return;
    mix(w, (uint64_t)s.st_ino);
    mix(w, (uint64_t)s.st_size);
    mix(w, (uint64_t)s.st_mtim.tv_sec * 1000000000u + (uint64_t)s.st_mtim.tv_nsec);
    mix(w, (uint64_t)s.st_ctim.tv_sec * 1000000000u + (uint64_t)s.st_ctim.tv_nsec);
}

static void look_into(watch *w, const char *folder)
{
    char **paths;
    size_t count = 0;
    if (!folder || !ridge_file_is_folder(folder) || ridge_file_list(&paths, &count, folder, "", &w->arena, NULL))
        return;
    look_at(w, folder);
    for (size_t i = 0; i < count; i++)
        look_at(w, paths[i]);
}

uint64_t ridge_file_user_state(const char *const *names)
{
    watch w = {.hash = 1};
    ridge_arena_init(&w.arena);
    for (; *names; names++)
        look_into(&w, ridge_file_user_data(*names, &w.arena));
    ridge_arena_free(&w.arena);
    return w.hash;
}
