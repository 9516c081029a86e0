#define _GNU_SOURCE
#include "peer.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct Peer {
    FILE *to, *from;
    pid_t process;
};

Peer *peer_start(const char *python, const char *script, int threads) {
    int commands[2], answers[2];
    if (pipe(commands) || pipe(answers)) return NULL;
    char count[16];
    snprintf(count, sizeof count, "%d", threads);
    signal(SIGPIPE, SIG_IGN);
    pid_t process = fork();
    if (process == 0) {
        dup2(commands[0], STDIN_FILENO);
        dup2(answers[1], STDOUT_FILENO);
        close(commands[1]);
        close(answers[0]);
        execlp(python, python, script, count, (char *)NULL);
        perror(python);
        _exit(127);
    }
    close(commands[0]);
    close(answers[1]);
    Peer *peer = malloc(sizeof *peer);
    if (process < 0 || !peer) return NULL;
    *peer = (Peer){fdopen(commands[1], "w"), fdopen(answers[0], "r"), process};
    return peer;
}

void peer_end(Peer *peer) {
    if (!peer) return;
    fclose(peer->to);
    fclose(peer->from);
    waitpid(peer->process, NULL, 0);
    free(peer);
}

static double answer(Peer *peer) {
    char line[256];
    fflush(peer->to);
    return fgets(line, sizeof line, peer->from) ? strtod(line, NULL) : 0;
}

bool peer_program(Peer *peer, const char *text, size_t size) {
    fprintf(peer->to, "program %zu\n", size);
    fwrite(text, 1, size, peer->to);
    return answer(peer) > 0;
}

double peer_time(Peer *peer) {
    fputs("time\n", peer->to);
    return answer(peer);
}
