/* glyphs.h - the characters that the fonts of this machine can draw.
 * In: the words of a scene. Out: the same words, with '?' for what no font has: gnuplot's terminals draw a missing glyph as a box larger
 * than the picture, and emoji of several colours no better. Asks fontconfig's fc-list; where that is not there, letters of Latin, Greek and
 * Cyrillic alone are drawn. Nothing fails. */
#ifndef RIDGE_REPORT_PLOT_GLYPHS_H
#define RIDGE_REPORT_PLOT_GLYPHS_H

#include "report/plot/scene.h"

enum { RIDGE_GLYPHS_MOST = 64 };

/* the rare characters of a scene that can be drawn */
typedef struct ridge_glyphs {
    uint32_t there[RIDGE_GLYPHS_MOST];
    size_t count;
} ridge_glyphs;

void ridge_glyphs_find(ridge_glyphs *out, const ridge_scene *scene, ridge_arena *arena);
/* the text as it can be drawn; "" where memory runs out */
const char *ridge_glyphs_text(const ridge_glyphs *glyphs, const char *text, ridge_arena *arena);

#endif
