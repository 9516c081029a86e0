// Makes the threads of a team.
#ifndef SHARDC_RUNTIME_THREADS_H
#define SHARDC_RUNTIME_THREADS_H

#include "runtime/team/team.h"

// Enters the team's OpenMP region; false when the team got no member that can work.
bool rt_team_start(RtTeam *team);

#endif
