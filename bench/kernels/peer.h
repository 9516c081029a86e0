// A peer: a process (peer.py) that runs the same programs on XLA:CPU, when it is told to.
#ifndef SHARDC_BENCH_PEER_H
#define SHARDC_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Peer Peer;

// Starts `python script threads`; NULL if it does not start. peer_end ends it.
Peer *peer_start(const char *python, const char *script, int threads);
void peer_end(Peer *peer);

// Hands a program over; false if the peer cannot compile it.
bool peer_program(Peer *peer, const char *text, size_t size);
// Seconds of one execution; 0 if it failed.
double peer_time(Peer *peer);

#endif
