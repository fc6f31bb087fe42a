#include "input/pickle_stack.h"

#include <inttypes.h>

#include "input/weights.h"

enum { STEPS_MOST = 50000000, TEXT_MOST = 1 << 24, LINE_MOST = 4096 };

/* ---- what would be called ---- */

static ridge_status push_object(ridge_unpickler *m, ridge_pickle_value *made_by, ridge_pickle_value *arguments)
{
    return ridge_unpickler_push_new(m, (ridge_pickle_value){.kind = RIDGE_PICKLE_OBJECT, .u.of = {made_by, arguments, NULL}});
}

/* callable, arguments -> object; `more`: NEWOBJ_EX has named arguments on top of them */
static ridge_status reduce(ridge_unpickler *m, bool more)
{
    ridge_pickle_value *named = NULL, *arguments = NULL, *made_by = NULL;
    ridge_status st = more ? ridge_unpickler_pop(&named, m) : RIDGE_OK;
    if (st || (st = ridge_unpickler_pop(&arguments, m)) || (st = ridge_unpickler_pop(&made_by, m)))
        return st;
    if (arguments->kind != RIDGE_PICKLE_TUPLE)
        return ridge_unpickler_bad(m, RIDGE_TYPE, "the arguments of a call are no tuple");
    if (!(st = push_object(m, made_by, arguments)) && named)
        m->stack[m->depth - 1]->u.of.state = named; /* what is in them is not lost */
    return st;
}

/* MARK class arguments OBJ; INST has the class as text */
static ridge_status instance(ridge_unpickler *m, ridge_pickle_value *made_by)
{
    ridge_status st = ridge_unpickler_collect(m, RIDGE_PICKLE_TUPLE);
    ridge_pickle_value *all = NULL;
    if (st || (st = ridge_unpickler_pop(&all, m)))
        return st;
    if (!made_by) {
        if (!all->count)
            return ridge_unpickler_bad(m, RIDGE_SYNTAX, "a call of nothing");
        made_by = all->items[0];
        all->items++;
        all->count--;
        all->cap--;
    }
    return push_object(m, made_by, all);
}

static ridge_status build(ridge_unpickler *m)
{
    ridge_pickle_value *state = NULL, *object = NULL;
    ridge_status st = ridge_unpickler_pop(&state, m);
    if (st || (st = ridge_unpickler_top(&object, m)))
        return st;
    if (object->kind == RIDGE_PICKLE_OBJECT) /* others keep no state that a tensor is in */
        object->u.of.state = state;
    return RIDGE_OK;
}

static ridge_status push_global(ridge_unpickler *m, ridge_str module, ridge_str name)
{
    char *text = ridge_arena_alloc(m->arena, module.n + name.n + 2);
    if (!text)
        return ridge_no_memory(m->err);
    memcpy(text, module.p, module.n);
    text[module.n] = '.';
    memcpy(text + module.n + 1, name.p, name.n);
    return ridge_unpickler_push_new(m, (ridge_pickle_value){.kind = RIDGE_PICKLE_GLOBAL, .u.text = {text, module.n + 1 + name.n}});
}

static ridge_status stack_global(ridge_unpickler *m)
{
    ridge_pickle_value *name = NULL, *module = NULL;
    ridge_status st = ridge_unpickler_pop(&name, m);
    if (st || (st = ridge_unpickler_pop(&module, m)))
        return st;
    if (name->kind != RIDGE_PICKLE_TEXT || module->kind != RIDGE_PICKLE_TEXT)
        return ridge_unpickler_bad(m, RIDGE_TYPE, "a global is named by what is no text");
    return push_global(m, module->u.text, name->u.text);
}

/* ---- numbers and texts ---- */

static ridge_status read_number(uint64_t *out, ridge_unpickler *m, size_t n)
{
    uint8_t byte;
    *out = 0;
    for (size_t i = 0; i < n; i++) {
        ridge_status st = ridge_cursor_u8(&byte, m->c, "a pickle", m->err);
        if (st)
            return st;
        *out |= (uint64_t)byte << (8 * i);
    }
    return RIDGE_OK;
}

static ridge_status read_line(ridge_str *out, ridge_unpickler *m)
{
    char line[LINE_MOST];
    size_t n = 0;
    for (uint8_t byte = 0;; line[n++] = (char)byte) {
        ridge_status st = ridge_cursor_u8(&byte, m->c, "a line of a pickle", m->err);
        if (st)
            return st;
        if (byte == '\n')
            break;
        if (n == sizeof line)
            return ridge_unpickler_bad(m, RIDGE_LIMIT, "a line of more than 4,096 bytes");
    }
    char *copy = ridge_arena_strdup(m->arena, (ridge_str){line, n});
    *out = (ridge_str){copy, n};
    return copy ? RIDGE_OK : ridge_no_memory(m->err);
}

static ridge_status push_text(ridge_unpickler *m, size_t length_bytes)
{
    uint64_t n;
    ridge_pickle_value v = {.kind = RIDGE_PICKLE_TEXT};
    ridge_status st = read_number(&n, m, length_bytes);
    if (st || (st = ridge_cursor_text(&v.u.text, m->c, n, TEXT_MOST, "a text of a pickle", m->arena, m->err)))
        return st;
    return ridge_unpickler_push_new(m, v);
}

/* bytes of any number: they are passed over */
static ridge_status push_bytes(ridge_unpickler *m, size_t length_bytes)
{
    uint64_t n;
    ridge_status st = read_number(&n, m, length_bytes);
    if (st || (st = ridge_cursor_skip(m->c, n, "bytes of a pickle", m->err)))
        return st;
    return ridge_unpickler_push_new(m, (ridge_pickle_value){.kind = RIDGE_PICKLE_OTHER});
}

/* LONG1, LONG4: two's complement */
static ridge_status push_long(ridge_unpickler *m, size_t length_bytes)
{
    uint64_t n;
    ridge_str text;
    ridge_status st = read_number(&n, m, length_bytes);
    if (st || (st = ridge_cursor_text(&text, m->c, n, LINE_MOST, "a number of a pickle", m->arena, m->err)))
        return st;
    if (n > 8)
        return ridge_unpickler_push_new(m, (ridge_pickle_value){.kind = RIDGE_PICKLE_OTHER, .u.text = text});
    uint64_t bits = n && ((unsigned char)text.p[n - 1] & 0x80) ? UINT64_MAX : 0;
    for (size_t i = (size_t)n; i-- > 0;)
        bits = bits << 8 | (unsigned char)text.p[i];
    return ridge_unpickler_push_whole(m, RIDGE_PICKLE_WHOLE, (int64_t)bits);
}

/* INT, LONG: "01" and "00" are booleans, "12L" a number */
static ridge_status push_decimal(ridge_unpickler *m, bool booleans)
{
    ridge_str s;
    ridge_status st = read_line(&s, m);
    if (st)
        return st;
    if (booleans && (ridge_str_is(s, "00") || ridge_str_is(s, "01")))
        return ridge_unpickler_push_whole(m, RIDGE_PICKLE_BOOL, s.p[1] - '0');
    uint64_t v = 0;
    const bool minus = s.n && s.p[0] == '-';
    size_t i = minus;
    for (; i < s.n && ridge_is_digit(s.p[i]) && v <= (INT64_MAX - 9) / 10; i++)
        v = v * 10 + (uint64_t)(s.p[i] - '0');
    const size_t left = s.n - i;
    if (i == (size_t)minus || left > 1 || (left == 1 && s.p[i] != 'L'))
        return ridge_unpickler_push_new(m, (ridge_pickle_value){.kind = RIDGE_PICKLE_OTHER, .u.text = s});
    return ridge_unpickler_push_whole(m, RIDGE_PICKLE_WHOLE, minus ? -(int64_t)v : (int64_t)v);
}

/* STRING: quotes as Python's repr writes them; UNICODE: without. Escapes stay as they are written. */
static ridge_status push_line(ridge_unpickler *m, ridge_pickle_kind kind, bool quoted)
{
    ridge_pickle_value v = {.kind = kind};
    ridge_status st = read_line(&v.u.text, m);
    if (st)
        return st;
    if (quoted && v.u.text.n >= 2)
        v.u.text = (ridge_str){v.u.text.p + 1, v.u.text.n - 2};
    return ridge_unpickler_push_new(m, v);
}

/* ---- the memo ---- */

static ridge_status memo_at(ridge_unpickler *m, size_t number_bytes, bool get)
{
    uint64_t number;
    ridge_status st = read_number(&number, m, number_bytes);
    return st ? st : get ? ridge_unpickler_recall(m, number) : ridge_unpickler_remember(m, number);
}

static ridge_status memo_line(ridge_unpickler *m, bool get)
{
    ridge_status st = push_decimal(m, false);
    ridge_pickle_value *v = NULL;
    if (st || (st = ridge_unpickler_pop(&v, m)))
        return st;
    if (v->kind != RIDGE_PICKLE_WHOLE || v->u.whole < 0)
        return ridge_unpickler_bad(m, RIDGE_SYNTAX, "a memo number that is none");
    return get ? ridge_unpickler_recall(m, (uint64_t)v->u.whole) : ridge_unpickler_remember(m, (uint64_t)v->u.whole);
}

/* ---- opcodes ---- */

static ridge_status persistent(ridge_unpickler *m, bool line)
{
    ridge_status st = line ? push_line(m, RIDGE_PICKLE_TEXT, false) : RIDGE_OK;
    ridge_pickle_value *id = NULL;
    if (st || (st = ridge_unpickler_pop(&id, m)))
        return st;
    return ridge_unpickler_push_new(m, (ridge_pickle_value){.kind = RIDGE_PICKLE_PERSISTENT, .u.of = {.arguments = id}});
}

static ridge_status global_lines(ridge_unpickler *m)
{
    ridge_str module, name;
    ridge_status st = read_line(&module, m);
    return st || (st = read_line(&name, m)) ? st : push_global(m, module, name);
}

static ridge_status instance_lines(ridge_unpickler *m)
{
    ridge_pickle_value *made_by = NULL;
    const size_t marks = m->mark_count;
    ridge_status st = global_lines(m);
    if (st)
        return st;
    made_by = m->stack[--m->depth];
    return marks ? instance(m, made_by) : ridge_unpickler_bad(m, RIDGE_SYNTAX, "a mark is wanted, and there is none");
}

/* APPENDS, SETITEMS, ADDITEMS */
static ridge_status put_marked(ridge_unpickler *m, bool pairs)
{
    ridge_pickle_value **items = NULL, *into = NULL;
    size_t count = 0;
    ridge_status st = ridge_unpickler_pop_mark(&items, &count, m);
    return st || (st = ridge_unpickler_top(&into, m)) ? st : ridge_unpickler_put(m, into, items, count, pairs);
}

static ridge_status put_one(ridge_unpickler *m, bool pairs)
{
    ridge_pickle_value *items[2] = {NULL}, *into = NULL;
    ridge_status st = ridge_unpickler_pop(&items[pairs ? 1 : 0], m);
    if (st || (pairs && (st = ridge_unpickler_pop(&items[0], m))) || (st = ridge_unpickler_top(&into, m)))
        return st;
    return ridge_unpickler_put(m, into, items, pairs ? 2 : 1, pairs);
}

static ridge_status pop_to_mark(ridge_unpickler *m)
{
    ridge_pickle_value **items;
    size_t count;
    return ridge_unpickler_pop_mark(&items, &count, m);
}

static ridge_status duplicate(ridge_unpickler *m)
{
    ridge_pickle_value *v = NULL;
    ridge_status st = ridge_unpickler_top(&v, m);
    return st ? st : ridge_unpickler_push(m, v);
}

/* a number of n bytes, with a sign where it has four */
static ridge_status push_int(ridge_unpickler *m, size_t n)
{
    uint64_t v;
    ridge_status st = read_number(&v, m, n);
    return st ? st : ridge_unpickler_push_whole(m, RIDGE_PICKLE_WHOLE, n == 4 ? (int32_t)(uint32_t)v : (int64_t)v);
}

static ridge_status skip(ridge_unpickler *m, uint64_t n)
{
    return ridge_cursor_skip(m->c, n, "a pickle", m->err);
}

static ridge_status push_double(ridge_unpickler *m)
{
    ridge_status st = skip(m, 8);
    return st ? st : ridge_unpickler_push_new(m, (ridge_pickle_value){.kind = RIDGE_PICKLE_OTHER});
}

static ridge_status protocol(ridge_unpickler *m)
{
    uint64_t number;
    ridge_status st = read_number(&number, m, 1);
    return st || number <= 5 ? st : ridge_unpickler_bad(m, RIDGE_VALUE, "a protocol above 5");
}

static ridge_status unknown(const ridge_unpickler *m, uint8_t opcode)
{
    return ridge_fail(m->err, RIDGE_SYNTAX, "%s: the pickle at byte %" PRIu64 ": 0x%02x is no opcode that is read", m->c->file->path, m->at,
                      opcode);
}

/* Lib/pickletools.py's list of opcodes; extensions and buffers outside the pickle, which no checkpoint has, are refused */
static ridge_status step(ridge_unpickler *m, uint8_t opcode)
{
    switch (opcode) {
    case 0x80:
        return protocol(m);
    case 0x95: /* FRAME: how many bytes follow; a hint */
        return skip(m, 8);
    case '(':
        return ridge_unpickler_mark(m);
    case '0':
        return ridge_unpickler_pop_one(m);
    case '1':
        return pop_to_mark(m);
    case '2':
        return duplicate(m);
    case 'N':
        return ridge_unpickler_push_whole(m, RIDGE_PICKLE_NONE, 0);
    case 0x88:
    case 0x89:
        return ridge_unpickler_push_whole(m, RIDGE_PICKLE_BOOL, opcode == 0x88);
    case 'K':
        return push_int(m, 1);
    case 'M':
        return push_int(m, 2);
    case 'J':
        return push_int(m, 4);
    case 'I':
    case 'L':
        return push_decimal(m, opcode == 'I');
    case 0x8a:
        return push_long(m, 1);
    case 0x8b:
        return push_long(m, 4);
    case 'G':
        return push_double(m);
    case 'F':
        return push_line(m, RIDGE_PICKLE_OTHER, false);
    case 'S':
    case 'V':
        return push_line(m, RIDGE_PICKLE_TEXT, opcode == 'S');
    case 'U': /* texts of Python 2 */
    case 0x8c:
        return push_text(m, 1);
    case 'T':
    case 'X':
        return push_text(m, 4);
    case 0x8d:
        return push_text(m, 8);
    case 'C':
        return push_bytes(m, 1);
    case 'B':
        return push_bytes(m, 4);
    case 0x8e:
    case 0x96:
        return push_bytes(m, 8);
    case ']':
    case 0x8f:
        return ridge_unpickler_push_of(m, RIDGE_PICKLE_LIST, NULL, 0);
    case '}':
        return ridge_unpickler_push_of(m, RIDGE_PICKLE_DICT, NULL, 0);
    case ')':
        return ridge_unpickler_push_of(m, RIDGE_PICKLE_TUPLE, NULL, 0);
    case 0x85:
    case 0x86:
    case 0x87:
        return ridge_unpickler_small_tuple(m, opcode - 0x84u);
    case 't':
        return ridge_unpickler_collect(m, RIDGE_PICKLE_TUPLE);
    case 'l':
    case 0x91: /* FROZENSET */
        return ridge_unpickler_collect(m, RIDGE_PICKLE_LIST);
    case 'd':
        return ridge_unpickler_collect(m, RIDGE_PICKLE_DICT);
    case 'a':
    case 's':
        return put_one(m, opcode == 's');
    case 'e':
    case 'u':
    case 0x90:
        return put_marked(m, opcode == 'u');
    case 'c':
        return global_lines(m);
    case 0x93:
        return stack_global(m);
    case 'R':
    case 0x81:
        return reduce(m, false);
    case 0x92:
        return reduce(m, true);
    case 'o':
        return instance(m, NULL);
    case 'i':
        return instance_lines(m);
    case 'b':
        return build(m);
    case 'Q':
    case 'P':
        return persistent(m, opcode == 'P');
    case 'g':
    case 'p':
        return memo_line(m, opcode == 'g');
    case 'h':
    case 'q':
        return memo_at(m, 1, opcode == 'h');
    case 'j':
    case 'r':
        return memo_at(m, 4, opcode == 'j');
    case 0x94:
        return ridge_unpickler_remember(m, m->memo_count);
    default:
        return unknown(m, opcode);
    }
}

ridge_status ridge_pickle_read(ridge_pickle_value **out, ridge_cursor *c, ridge_arena *arena, ridge_err *err)
{
    ridge_unpickler m = {.c = c, .arena = arena, .err = err};
    for (size_t steps = 0;; steps++) {
        uint8_t opcode;
        m.at = c->at;
        if (steps > STEPS_MOST)
            return ridge_unpickler_bad(&m, RIDGE_LIMIT, "more than 50,000,000 opcodes");
        ridge_status st = ridge_cursor_u8(&opcode, c, "a pickle", err);
        if (st)
            return st;
        if (opcode == '.') {
            if (m.mark_count)
                return ridge_unpickler_bad(&m, RIDGE_SYNTAX, "it ends behind a mark");
            return ridge_unpickler_pop(out, &m);
        }
        if ((st = step(&m, opcode)))
            return st;
    }
}

ridge_pickle_value *ridge_pickle_get(const ridge_pickle_value *dict, const char *key)
{
    const bool pairs = dict->kind == RIDGE_PICKLE_DICT || (dict->kind == RIDGE_PICKLE_OBJECT && dict->pairs);
    for (uint32_t i = 0; pairs && i + 1 < dict->count; i += 2)
        if (dict->items[i]->kind == RIDGE_PICKLE_TEXT && ridge_str_is(dict->items[i]->u.text, key))
            return dict->items[i + 1];
    return NULL;
}
