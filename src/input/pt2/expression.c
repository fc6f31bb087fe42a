/* Sizes as expressions. PyTorch 2.1 to 2.6 writes str(expr), "s0 + 1"; since then sympy.srepr(expr), "Add(Symbol('s0', positive=True,
 * integer=True), Integer(1))", which is read here and printed as str() would, but for the order of terms, which stays.
 *
 * expr = ["-"] NAME [ "(" [ arg { "," arg } ] ")" ];  arg = expr | ["-"] DIGITS ["." DIGITS] | "'" text "'" | NAME "=" arg */
#include "input/pt2/parts.h"

enum { TEXT_MOST = 1 << 16, DEPTH_MOST = 64 };

/* how tight the outermost operation of a printed text binds; MINUS: "-2", "-2*s0" */
typedef enum binding { SUM, MINUS, PRODUCT, POWER, ATOM } binding;

typedef struct parser {
    const char *p, *end;
    unsigned depth;
} parser;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_space(parser *ps)
{
    while (ps->p < ps->end && *ps->p == ' ')
        ps->p++;
}

static bool take(parser *ps, char c)
{
    skip_space(ps);
    if (ps->p == ps->end || *ps->p != c)
        return false;
    ps->p++;
    return true;
}

static ridge_str take_word(parser *ps)
{
    skip_space(ps);
    const char *begin = ps->p;
    while (ps->p < ps->end && (is_letter(*ps->p) || (ps->p > begin && ridge_is_digit(*ps->p))))
        ps->p++;
    return (ridge_str){begin, (size_t)(ps->p - begin)};
}

/* ["-"] digits ["." digits]; n == 0: there is none */
static ridge_str take_number(parser *ps)
{
    skip_space(ps);
    const char *begin = ps->p, *p = begin + (begin < ps->end && *begin == '-');
    const char *digits = p;
    while (p < ps->end && (ridge_is_digit(*p) || (*p == '.' && p > digits)))
        p++;
    if (p > digits)
        ps->p = p;
    return (ridge_str){begin, (size_t)(ps->p - begin)};
}

static bool take_quoted(ridge_str *out, parser *ps)
{
    if (!take(ps, '\''))
        return false;
    const char *begin = ps->p, *end = begin < ps->end ? memchr(begin, '\'', (size_t)(ps->end - begin)) : NULL;
    if (!end)
        return false;
    *out = (ridge_str){begin, (size_t)(end - begin)};
    ps->p = end + 1;
    return true;
}

static void add_tight(ridge_buf *out, const ridge_buf *text, binding has, binding wants)
{
    const bool loose = has < wants;
    ridge_buf_addz(out, loose ? "(" : "");
    ridge_buf_add(out, (ridge_str){text->p, text->n});
    ridge_buf_addz(out, loose ? ")" : "");
}

static bool print(ridge_buf *out, binding *has, parser *ps);

/* Symbol('s0', positive=True, integer=True): the name; what it is assumed to be says nothing here */
static bool print_symbol(ridge_buf *out, parser *ps)
{
    ridge_str name, word;
    if (!take_quoted(&name, ps) || !name.n || !is_letter(name.p[0]))
        return false;
    for (size_t i = 0; i < name.n; i++)
        if (!is_letter(name.p[i]) && !ridge_is_digit(name.p[i]))
            return false;
    ridge_buf_add(out, name);
    while (take(ps, ',')) {
        word = take_word(ps);
        if (!word.n || !take(ps, '=') || (!take_word(ps).n && !take_number(ps).n))
            return false;
    }
    return take(ps, ')');
}

/* Integer(-1), Rational(1, 2), Float('0.5', precision=53) */
static bool print_number(ridge_buf *out, binding *has, parser *ps, ridge_str kind)
{
    ridge_str number;
    *has = ATOM;
    if (ridge_str_is(kind, "Float")) {
        if (!take_quoted(&number, ps) || (take(ps, ',') && (!take_word(ps).n || !take(ps, '=') || !take_number(ps).n)))
            return false;
    } else {
        number = take_number(ps);
    }
    if (!number.n)
        return false;
    if (number.p[0] == '-')
        *has = MINUS;
    ridge_buf_add(out, number);
    if (ridge_str_is(kind, "Rational")) {
        if (!take(ps, ',') || !(number = take_number(ps)).n)
            return false;
        ridge_buf_addc(out, '/');
        ridge_buf_add(out, number);
        *has = SUM; /* "(1/2)*s0" */
    }
    return take(ps, ')');
}

/* one more term, factor or operand behind what is there */
typedef void joiner(ridge_buf *out, const ridge_buf *one, binding has, bool first);

static void add_term(ridge_buf *out, const ridge_buf *one, binding has, bool first)
{
    const bool minus = !first && one->n && one->p[0] == '-';
    (void)has;
    ridge_buf_addz(out, first ? "" : minus ? " - " : " + ");
    ridge_buf_add(out, minus ? (ridge_str){one->p + 1, one->n - 1} : (ridge_str){one->p, one->n});
}

/* of -1 the minus alone stays; a product that is -1 and nothing else is none */
static void add_factor(ridge_buf *out, const ridge_buf *one, binding has, bool first)
{
    if (first && ridge_str_is((ridge_str){one->p, one->n}, "-1")) {
        ridge_buf_addc(out, '-');
        return;
    }
    ridge_buf_addz(out, first || ridge_str_is((ridge_str){out->p, out->n}, "-") ? "" : "*");
    add_tight(out, one, has, first ? MINUS : PRODUCT);
}

static void add_exponent(ridge_buf *out, const ridge_buf *one, binding has, bool first)
{
    ridge_buf_addz(out, first ? "" : "**");
    add_tight(out, one, has, ATOM);
}

static void add_divisor(ridge_buf *out, const ridge_buf *one, binding has, bool first)
{
    ridge_buf_addz(out, first ? "(" : "//");
    add_tight(out, one, has, ATOM);
    ridge_buf_addz(out, first ? "" : ")");
}

static const struct joined {
    const char *name;
    joiner *add;
    binding has;
    size_t least, most;
} joined[] = {
    {"Add", add_term, SUM, 1, SIZE_MAX},   {"Mul", add_factor, PRODUCT, 2, SIZE_MAX}, {"Pow", add_exponent, POWER, 2, 2},
    {"FloorDiv", add_divisor, ATOM, 2, 2}, {"CleanDiv", add_divisor, ATOM, 2, 2},
};

static bool print_joined(ridge_buf *out, binding *has, parser *ps, const struct joined *j)
{
    bool fine = true, more = true;
    size_t count = 0;
    ridge_buf all = {0};
    for (; more && fine; count++) {
        ridge_buf one = {0};
        binding binds;
        fine = print(&one, &binds, ps) && count < j->most;
        if (fine)
            j->add(&all, &one, binds, count == 0);
        more = fine && take(ps, ',');
        all.failed |= one.failed;
        ridge_buf_free(&one);
    }
    *has = j->has == PRODUCT && all.n && all.p[0] == '-' ? MINUS : j->has;
    ridge_buf_add(out, (ridge_str){all.p, all.n});
    out->failed |= all.failed;
    ridge_buf_free(&all);
    return fine && count >= j->least && take(ps, ')');
}

/* Max(1, s0), Mod(s0, 2), and whatever else has arguments */
static bool print_function(ridge_buf *out, parser *ps, ridge_str name)
{
    bool more = !take(ps, ')'), fine = true;
    ridge_buf_add(out, name);
    ridge_buf_addc(out, '(');
    if (!more) {
        ridge_buf_addc(out, ')');
        return true;
    }
    while (more && fine) {
        binding has;
        fine = print(out, &has, ps);
        more = fine && take(ps, ',');
        ridge_buf_addz(out, more ? ", " : ")");
    }
    return fine && take(ps, ')');
}

static bool print_call(ridge_buf *out, binding *has, parser *ps, ridge_str name)
{
    static const char *const numbers[] = {"Integer", "Rational", "Float"};
    *has = ATOM;
    if (ridge_str_is(name, "Symbol") || ridge_str_is(name, "Dummy"))
        return print_symbol(out, ps);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (ridge_str_is(name, numbers[i]))
            return print_number(out, has, ps, name);
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++)
        if (ridge_str_is(name, joined[i].name))
            return print_joined(out, has, ps, &joined[i]);
    return print_function(out, ps, name);
}

static bool print(ridge_buf *out, binding *has, parser *ps)
{
    const ridge_str number = take_number(ps);
    *has = number.n && number.p[0] == '-' ? MINUS : ATOM;
    ridge_buf_add(out, number);
    if (number.n)
        return true;
    if (take(ps, '-')) { /* -oo */
        ridge_buf_addc(out, '-');
        *has = MINUS;
        const ridge_str word = take_word(ps);
        ridge_buf_add(out, word);
        return word.n > 0;
    }
    const ridge_str name = take_word(ps);
    if (!name.n || ps->depth >= DEPTH_MOST)
        return false;
    if (!take(ps, '(')) {
        ridge_buf_add(out, name);
        return true;
    }
    ps->depth++;
    const bool fine = print_call(out, has, ps, name);
    ps->depth--;
    return fine;
}

static bool has_word(ridge_str text, const char *word)
{
    const ridge_str w = ridge_str_of(word);
    for (size_t i = 0; i + w.n <= text.n; i++)
        if (memcmp(text.p + i, word, w.n) == 0)
            return true;
    return false;
}

static bool is_srepr(ridge_str text)
{
    static const char *const words[] = {"Symbol(", "Integer(", "Rational(", "Dummy(", "Float("};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(text, words[i]))
            return true;
    return false;
}

/* what str(expr) is made of */
static bool is_plain(ridge_str text)
{
    int open = 0;
    for (size_t i = 0; i < text.n; i++) {
        const char c = text.p[i];
        if (!is_letter(c) && !ridge_is_digit(c) && (c == '\0' || !strchr(" +-*/%().,<>=&|~!", c)))
            return false;
        open += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (open < 0)
            return false;
    }
    return text.n > 0 && open == 0;
}

ridge_status pt2_expression(ridge_str *out, pt2_reader *r, const ridge_json *v)
{
    const ridge_str text = v->u.text;
    ridge_buf printed = {0};
    if (text.n > TEXT_MOST)
        return pt2_bad(r, RIDGE_LIMIT, v, "an expression of more than 65,536 bytes");
    bool fine = is_plain(text);
    if (is_srepr(text)) {
        parser ps = {text.p, text.p + text.n, 0};
        binding has;
        fine = print(&printed, &has, &ps);
        skip_space(&ps);
        fine = fine && ps.p == ps.end;
    } else {
        ridge_buf_add(&printed, text);
    }
    ridge_status st = printed.failed ? ridge_no_memory(r->err) : RIDGE_OK;
    if (!st && !fine)
        st = pt2_bad(r, RIDGE_VALUE, v, "the expression '%s' is not understood", pt2_shown(r, text));
    st = st ? st : pt2_keep(out, r, (ridge_str){printed.p, printed.n});
    ridge_buf_free(&printed);
    return st;
}

bool pt2_next_symbol(ridge_str *name, ridge_str expression, size_t *at)
{
    if (*at >= expression.n)
        return false;
    parser ps = {expression.p + *at, expression.p + expression.n, 0};
    while (ps.p < ps.end) {
        if (!is_letter(*ps.p)) { /* of "2e3" the e is no name */
            while (ps.p < ps.end && !is_letter(*ps.p) && !ridge_is_digit(*ps.p))
                ps.p++;
            while (ps.p < ps.end && ridge_is_digit(*ps.p))
                while (ps.p < ps.end && (is_letter(*ps.p) || ridge_is_digit(*ps.p)))
                    ps.p++;
            continue;
        }
        *name = take_word(&ps);
        if (ps.p == ps.end || *ps.p != '(') {
            *at = (size_t)(ps.p - expression.p);
            return true;
        }
    }
    *at = expression.n;
    return false;
}
