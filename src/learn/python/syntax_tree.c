#if __has_include("ridge_build.h") /* made by meson: RIDGE_LEARN */
#include "ridge_build.h"
#endif

#include "learn/python/syntax_tree.h"

#include <stdlib.h>

#ifdef RIDGE_LEARN
#include <tree_sitter/api.h>

#include "learn/python/syntax_memory.h"

const TSLanguage *tree_sitter_python(void);

enum {
    ERROR_SYMBOL = UINT16_MAX, /* what the library gives to what the grammar could not read */
    SYMBOLS_MAX = 1024,
    FIELDS_MAX = 128,
    TREE_BYTES = 512, /* of tree-sitter's tree for a byte of text: ordinary source takes 60 */
    TREE_LEAST = 16 << 20,
    SLOWEST_BYTES_PER_S = 250000, /* ordinary source takes a hundredth of that time */
};

typedef struct vocabulary {
    uint8_t token[SYMBOLS_MAX], op[SYMBOLS_MAX], field[FIELDS_MAX];
    bool comma[SYMBOLS_MAX];
} vocabulary;

static const char *const token_names[] = {
#define X(name) #name,
    RIDGE_SYNTAX_TOKEN_LIST(X)
#undef X
};
static const char *const field_names[] = {
#define X(name) #name,
    RIDGE_SYNTAX_FIELD_LIST(X)
#undef X
};

static int compare_name(const void *key, const void *element)
{
    return strcmp(key, *(const char *const *)element);
}

/* its place in a sorted list, from 1; 0 where it is not in it */
static uint8_t place_of(const char *name, const char *const *list, size_t count)
{
    const char *const *at = bsearch(name, list, count, sizeof *list, compare_name);
    return at ? (uint8_t)(at - list + 1) : 0;
}

/* "+", and the "+=" of an augmented assignment */
static uint8_t operator_of(const char *text)
{
    static const char *const texts[] = {
#define X(code, text, method, reflected, in_place) text,
        RIDGE_PY_OPERATOR_LIST(X)
#undef X
    };
    size_t n = strlen(text);
    for (size_t op = 0; op < sizeof texts / sizeof *texts; op++)
        if (strcmp(texts[op], text) == 0)
            return (uint8_t)op;
    for (size_t op = 0; op <= RIDGE_PY_OP_BITXOR; op++)
        if (n == strlen(texts[op]) + 1 && text[n - 1] == '=' && memcmp(texts[op], text, n - 1) == 0)
            return (uint8_t)op;
    return RIDGE_SYNTAX_NO_OPERATOR;
}

/* the numbers that this version of the grammar gives to names */
static bool learn_words(vocabulary *words, const TSLanguage *language)
{
    const uint32_t symbols = ts_language_symbol_count(language), fields = ts_language_field_count(language);
    if (symbols > SYMBOLS_MAX || fields >= FIELDS_MAX)
        return false;
    for (uint32_t i = 0; i < symbols; i++) {
        const char *name = ts_language_symbol_name(language, (TSSymbol)i);
        bool named = ts_language_symbol_type(language, (TSSymbol)i) == TSSymbolTypeRegular;
        words->token[i] = named ? place_of(name, token_names, sizeof token_names / sizeof *token_names) : 0;
        words->op[i] = named ? RIDGE_SYNTAX_NO_OPERATOR : operator_of(name);
        words->comma[i] = strcmp(name, ",") == 0;
    }
    for (uint32_t i = 1; i <= fields; i++)
        words->field[i] =
            place_of(ts_language_field_name_for_id(language, (TSFieldId)i), field_names, sizeof field_names / sizeof *field_names);
    return true;
}

/* The children of what is no node of the grammar have no names; to look for them takes long. */
static ridge_syntax_node copy_node(TSTreeCursor *cursor, const vocabulary *words, bool has_name)
{
    TSNode from = ts_tree_cursor_current_node(cursor);
    TSPoint begin = ts_node_start_point(from), end = ts_node_end_point(from);
    TSSymbol symbol = ts_node_symbol(from);
    bool error = symbol == ERROR_SYMBOL || ts_node_is_missing(from);
    return (ridge_syntax_node){
        .start = ts_node_start_byte(from),
        .end = ts_node_end_byte(from),
        .line = begin.row + 1,
        .column = begin.column + 1,
        .last_line = end.row + (end.column > 0 || end.row == begin.row),
        .token = symbol == ERROR_SYMBOL ? 0 : words->token[symbol],
        .op = symbol == ERROR_SYMBOL ? RIDGE_SYNTAX_NO_OPERATOR : words->op[symbol],
        .comma = symbol != ERROR_SYMBOL && words->comma[symbol],
        .named = ts_node_is_named(from),
        .field = has_name ? words->field[ts_tree_cursor_current_field_id(cursor)] : RIDGE_FIELD_none,
        .error = error,
        .has_error = error || ts_node_has_error(from),
    };
}

static bool add_node(ridge_syntax_tree *out, ridge_syntax_node node)
{
    if (out->count == out->cap) {
        uint32_t cap = out->cap ? out->cap * 2 : 4096;
        ridge_syntax_node *nodes = out->cap > UINT32_MAX / 2 ? NULL : realloc(out->nodes, cap * sizeof *nodes);
        if (!nodes)
            return false;
        out->nodes = nodes;
        out->cap = cap;
    }
    out->nodes[out->count++] = node;
    return true;
}

/* Comments and continued lines may stand between any two nodes. Inside of strings, which are read by their places, they are none. */
static bool is_left_out(const ridge_syntax_node *node)
{
    return node->token == RIDGE_SYNTAX_comment || node->token == RIDGE_SYNTAX_line_continuation;
}

/* The open nodes are found again by `after`, which holds the parent's place until the node is closed: no depth is too deep. */
static bool flatten(ridge_syntax_tree *out, TSTreeCursor *cursor, const vocabulary *words)
{
    uint32_t parent = UINT32_MAX;
    for (;;) {
        ridge_syntax_node node = copy_node(cursor, words, parent != UINT32_MAX && !out->nodes[parent].error);
        uint32_t at = out->count;
        bool kept = !is_left_out(&node);
        node.after = parent;
        if (kept && !add_node(out, node))
            return false;
        if (kept && ts_tree_cursor_goto_first_child(cursor)) {
            parent = at;
            continue;
        }
        if (kept)
            out->nodes[at].after = out->count;
        while (!ts_tree_cursor_goto_next_sibling(cursor)) {
            if (parent == UINT32_MAX || !ts_tree_cursor_goto_parent(cursor))
                return true;
            uint32_t above = out->nodes[parent].after;
            out->nodes[parent].after = out->count;
            if (out->count > parent + 1) /* without the comments that the grammar counts to a block */
                out->nodes[parent].last_line = out->nodes[out->count - 1].last_line;
            parent = above;
        }
    }
}

static bool parse(ridge_syntax_tree *out, bool *late, ridge_str text)
{
    const TSLanguage *language = tree_sitter_python();
    vocabulary words = {0};
    TSParser *parser = ts_parser_new();
    if (!parser || !ts_parser_set_language(parser, language) || !learn_words(&words, language))
        return false;
    ts_parser_set_timeout_micros(parser, 2000000 + (uint64_t)text.n * 1000000 / SLOWEST_BYTES_PER_S);
    TSTree *tree = ts_parser_parse_string(parser, NULL, text.p, (uint32_t)text.n);
    *late = !tree;
    if (!tree)
        return true;
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
    return flatten(out, &cursor, &words);
}

ridge_status ridge_syntax_tree_read(ridge_syntax_tree *out, ridge_str text, const char *file, ridge_err *err)
{
    ridge_syntax_guard guard;
    bool late = false;
    *out = (ridge_syntax_tree){0};
    ridge_syntax_guard_begin(&guard, TREE_LEAST + (size_t)TREE_BYTES * text.n);
    /* what tree-sitter allocated, its parser and its tree among it, goes with the guard */
    bool fine = setjmp(guard.out) == 0 && parse(out, &late, text);
    ridge_syntax_guard_end(&guard);
    if (fine && !late)
        return RIDGE_OK;
    if (late || guard.over_limit)
        return ridge_fail_at(err, RIDGE_LIMIT, file, 1, 1, "the grammar takes too %s to read it", late ? "long" : "much memory");
    return ridge_no_memory(err);
}
#else
ridge_status ridge_syntax_tree_read(ridge_syntax_tree *out, ridge_str text, const char *file, ridge_err *err)
{
    (void)text;
    *out = (ridge_syntax_tree){0};
    return ridge_fail_at(err, RIDGE_UNKNOWN, file, 1, 1,
                         "this build reads no Python: it was made without tree-sitter or its grammar, which scripts/setup.sh installs");
}
#endif

void ridge_syntax_tree_free(ridge_syntax_tree *tree)
{
    free(tree->nodes);
    *tree = (ridge_syntax_tree){0};
}
