/* Measures push/pop pairs: nanoseconds a pair by the clock on the wall and by the thread's own time
 * on a processor, each the mean over the threads.
 *
 *   bench THREADS PAIRS
 */
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long pairs;
static pthread_barrier_t together;

struct result {
    double wall, cpu;
};

static double now_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void *measure(void *argument) {
    struct result *result = argument;
    double wall, cpu;
    for (long i = 0; i < 1000; ++i) {
        nvtxRangePushA("warm-up");
        nvtxRangePop();
    }
    pthread_barrier_wait(&together);
    wall = now_ns(CLOCK_MONOTONIC);
    cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
    for (long i = 0; i < pairs; ++i) {
        nvtxRangePushA("block.conv1");
        nvtxRangePop();
    }
    result->cpu = (now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu) / pairs;
    result->wall = (now_ns(CLOCK_MONOTONIC) - wall) / pairs;
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[64];
    struct result results[64];
    double wall = 0, cpu = 0;
    int count = argc > 1 ? atoi(argv[1]) : 1;
    pairs = argc > 2 ? atol(argv[2]) : 1000000;
    if (count < 1 || count > 64 || pairs < 1) return 2;
    pthread_barrier_init(&together, NULL, count);
    for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, measure, &results[i]);
    for (int i = 0; i < count; ++i) {
        pthread_join(threads[i], NULL);
        wall += results[i].wall;
        cpu += results[i].cpu;
    }
    printf("%.2f %.2f\n", wall / count, cpu / count);
    return 0;
}
