// The lives of a team's threads. Private to teams.c and threads.c.
#ifndef SHARDC_RUNTIME_MEMBERS_H
#define SHARDC_RUNTIME_MEMBERS_H

#include "runtime/team/team.h"

void rt_team_lead(RtTeam *team);                  // of member 0
void rt_team_serve(RtTeam *team, int32_t member); // of the others
void rt_team_end(RtTeam *team);                   // asks all of them to leave

#endif
