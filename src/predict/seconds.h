/* seconds.h - the arithmetic of times that the files of this folder share. */
#ifndef RIDGE_PREDICT_SECONDS_H
#define RIDGE_PREDICT_SECONDS_H

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* at an unknown rate work takes no time: it counts by its bytes alone */
static inline double seconds(double work, double per_s)
{
    return per_s > 0 ? work / per_s : 0;
}

#endif
