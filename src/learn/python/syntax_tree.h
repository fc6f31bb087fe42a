/* syntax_tree.h - a Python text as tree-sitter reads it, in one array: a node's children follow it, then its next sibling.
 * In: text. Out: nodes in malloc'd memory, comments left out; ridge_syntax_tree_free. Fails with LIMIT where the grammar takes too long or
 * too much memory. */
#ifndef RIDGE_LEARN_PYTHON_SYNTAX_TREE_H
#define RIDGE_LEARN_PYTHON_SYNTAX_TREE_H

#include "learn/python/syntax.h"

/* the grammar's named nodes, as it calls them */
#define RIDGE_SYNTAX_TOKEN_LIST(X)                                                                                                         \
    X(aliased_import)                                                                                                                      \
    X(argument_list)                                                                                                                       \
    X(as_pattern) X(as_pattern_target) X(assert_statement) X(assignment) X(attribute) X(augmented_assignment) X(await) X(binary_operator)  \
        X(block) X(boolean_operator) X(break_statement) X(call) X(case_clause) X(case_pattern) X(class_definition) X(class_pattern)        \
            X(comment) X(comparison_operator) X(complex_pattern) X(concatenated_string) X(conditional_expression) X(constrained_type)      \
                X(continue_statement) X(decorated_definition) X(decorator) X(default_parameter) X(delete_statement) X(dict_pattern) X(     \
                    dictionary) X(dictionary_comprehension) X(dictionary_splat) X(dictionary_splat_pattern) X(dotted_name) X(elif_clause)  \
                    X(ellipsis) X(else_clause) X(except_clause) X(except_group_clause) X(expression_list) X(expression_statement) X(false) \
                        X(finally_clause) X(float) X(for_in_clause) X(for_statement) X(format_expression) X(format_specifier)              \
                            X(function_definition) X(future_import_statement) X(generator_expression) X(generic_type) X(global_statement)  \
                                X(identifier) X(if_clause) X(if_statement) X(import_from_statement) X(import_prefix) X(import_statement)   \
                                    X(integer) X(interpolation) X(keyword_argument) X(keyword_pattern) X(keyword_separator) X(lambda)      \
                                        X(lambda_parameters) X(line_continuation) X(list) X(list_comprehension) X(list_pattern)            \
                                            X(list_splat) X(list_splat_pattern) X(match_statement) X(member_type) X(module)                \
                                                X(named_expression) X(none) X(nonlocal_statement) X(not_operator) X(pair) X(parameters)    \
                                                    X(parenthesized_expression) X(pass_statement) X(pattern_list) X(positional_separator)  \
                                                        X(raise_statement) X(relative_import) X(return_statement) X(set)                   \
                                                            X(set_comprehension) X(slice) X(splat_pattern) X(splat_type) X(string)         \
                                                                X(string_end) X(string_start) X(subscript) X(true) X(try_statement)        \
                                                                    X(tuple) X(tuple_pattern) X(type) X(type_alias_statement)              \
                                                                        X(type_conversion) X(type_parameter) X(typed_default_parameter)    \
                                                                            X(typed_parameter) X(unary_operator) X(union_pattern)          \
                                                                                X(union_type) X(while_statement) X(wildcard_import)        \
                                                                                    X(with_clause) X(with_item) X(with_statement) X(yield)

/* the names that it gives to children */
#define RIDGE_SYNTAX_FIELD_LIST(X)                                                                                                         \
    X(alias)                                                                                                                               \
    X(alternative)                                                                                                                         \
    X(argument) X(arguments) X(attribute) X(body) X(cause) X(condition) X(consequence) X(definition) X(expression) X(format_specifier)     \
        X(function) X(guard) X(key) X(left) X(module_name) X(name) X(object) X(operator) X(operators) X(parameters) X(right) X(subject)    \
            X(subscript) X(superclasses) X(type) X(type_conversion) X(value)

typedef enum ridge_syntax_token {
    RIDGE_SYNTAX_other, /* punctuation, words, what is not listed */
#define X(name) RIDGE_SYNTAX_##name,
    RIDGE_SYNTAX_TOKEN_LIST(X)
#undef X
        RIDGE_SYNTAX_count
} ridge_syntax_token;

typedef enum ridge_syntax_field {
    RIDGE_FIELD_none,
#define X(name) RIDGE_FIELD_##name,
    RIDGE_SYNTAX_FIELD_LIST(X)
#undef X
} ridge_syntax_field;

enum { RIDGE_SYNTAX_NO_OPERATOR = 255 };

typedef struct ridge_syntax_node {
    uint32_t start, end;              /* bytes of the text */
    uint32_t line, column, last_line; /* 1-based */
    uint32_t after;                   /* the node that follows it and all below it */
    uint8_t token, field;
    uint8_t op;     /* of punctuation: ridge_py_operator */
    bool comma;     /* it is one */
    bool named;     /* no punctuation, no word of the language */
    bool error;     /* the grammar could not read it, or misses it */
    bool has_error; /* it or something below it */
} ridge_syntax_node;

typedef struct ridge_syntax_tree {
    ridge_syntax_node *nodes; /* the module is the first */
    uint32_t count, cap;
} ridge_syntax_tree;

ridge_status ridge_syntax_tree_read(ridge_syntax_tree *out, ridge_str text, const char *file, ridge_err *err);
void ridge_syntax_tree_free(ridge_syntax_tree *tree);

#endif
