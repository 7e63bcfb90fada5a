/* What an emitter did, written down by itself: one JSON object a line, with the time before and
 * after every call. The file is named by TRUTH, with the process id appended. */
#ifndef TRUTH_H
#define TRUTH_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static FILE *truth_file;
static pid_t truth_pid;

static inline unsigned long long now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static inline unsigned thread_id(void) { return (unsigned)syscall(SYS_gettid); }

static inline void open_truth(void) {
    char path[4096];
    if (truth_pid == getpid()) return;
    truth_pid = getpid();
    snprintf(path, sizeof path, "%s.%d", getenv("TRUTH") ? getenv("TRUTH") : "/dev/null", truth_pid);
    truth_file = fopen(path, "a");
    if (!truth_file) {
        perror(path);
        exit(9);
    }
    setvbuf(truth_file, NULL, _IOLBF, 0);
}

/* The name is written as hexadecimal UTF-8, so that anything can be in it. */
static inline void tell(unsigned long long before, unsigned long long after, const char *action,
                        const char *domain, const char *name, unsigned long long id,
                        const char *attributes) {
    char line[65536];
    int at;
    open_truth();
    at = snprintf(line, sizeof line,
                  "{\"before\":%llu,\"after\":%llu,\"tid\":%u,\"action\":\"%s\",\"domain\":\"%s\","
                  "\"id\":%llu,\"attributes\":%s,\"name\":\"",
                  before, after, thread_id(), action, domain, id, attributes ? attributes : "null");
    for (; name && *name; ++name) at += snprintf(line + at, sizeof line - at, "%02x", (unsigned char)*name);
    snprintf(line + at, sizeof line - at, "\"}\n");
    fputs(line, truth_file);
}

/* Makes a call, checks that it leaves errno alone, and tells of it. */
#define DO(call, action, domain, name, id, attributes)                                             \
    do {                                                                                           \
        errno = 77;                                                                                \
        unsigned long long before_ = now_ns();                                                     \
        call;                                                                                      \
        unsigned long long after_ = now_ns();                                                      \
        if (errno != 77) {                                                                         \
            fprintf(stderr, "%s changed errno to %d\n", #call, errno);                             \
            exit(8);                                                                               \
        }                                                                                          \
        tell(before_, after_, action, domain, name, id, attributes);                               \
    } while (0)

#define DEFAULT "<default domain>"

#endif
