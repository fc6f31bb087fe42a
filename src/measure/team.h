/* team.h - what measuring needs of a team beyond measure.h: a sample as one job, who sleeps, how a team is placed.
 * In: a team, a work, how many calls. Out: seconds of them all and whether every thread had its core for itself. */
#ifndef RIDGE_MEASURE_TEAM_H
#define RIDGE_MEASURE_TEAM_H

#include "measure/measure.h"

/* Runs calls first, first + 1, ... and times them between two barriers of the team, as thread 0 sees it. *clean: no thread was
 * preempted or kept waiting (statistics.h). */
double ridge_team_time(bool *clean, ridge_team *team, const ridge_work *work, uint64_t first, uint64_t calls);
unsigned ridge_team_threads(const ridge_team *team);
/* how many of the other threads sleep: they spin for about a millisecond after the last run, then block */
unsigned ridge_team_sleepers(const ridge_team *team);
/* more threads than CPUs to run on: barriers yield instead of spinning, and hardly a sample is clean */
bool ridge_team_oversubscribed(const ridge_team *team);

#endif
