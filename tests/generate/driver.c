/* driver.c - asks the generated C: a line of "quantity, path, word, .." with tabs between, a line of the number or "! why" for each. */
#include "generated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 16, WORDS = 128 };

static void answer(char *line)
{
    static const char *const quantities[] = {"flops", "reads", "writes", "intermediates", "parameters"};
    const char *words[WORDS];
    size_t count = 0;
    char error[512], number[41];
    gm_int n;
    for (char *word = strtok(line, "\t\n"); word && count < WORDS; word = strtok(NULL, "\t\n"))
        words[count++] = word;
    size_t quantity = 0;
    while (quantity < 4 && strcmp(quantities[quantity], words[0]) != 0)
        quantity++;
    if (gm_compute(&n, (gm_quantity)quantity, words[1], words + 2, count - 2, error, sizeof error) != 0) {
        for (char *p = error; *p; p++)
            *p = *p < ' ' && *p > 0 ? ' ' : *p;
        printf("! %s\n", error);
        return;
    }
    gm_print(number, n);
    puts(number);
}

int main(void)
{
    char *line = malloc(LINE);
    while (line && fgets(line, LINE, stdin))
        answer(line);
    free(line);
    return 0;
}
