/* A program that makes it hard for the recorder: signals, cancellation, forks, and recordings that are
 * cut or removed while they are written. Every mode prints "survived" and a count of events at its end.
 *
 *   trouble storm ROUNDS KEYS | altstack ROUNDS | handlers PAIRS | cancel THREADS | vfork ROUNDS
 *         | cut LENGTH|half|loop PAIRS plain|blocked|later|earlier | own-fault HOW | remove PAIRS
 *         | many THREADS | names COUNT
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_long events;

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(9);
}

static void pairs(long count) {
    errno = 77;
    for (long i = 0; i < count; ++i) {
        nvtxRangePushA("block.conv1");
        nvtxRangePop();
    }
    events += 2 * count;
    if (errno != 77) fail("errno changed");
}

static void handle(int signal, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    if (sigaction(signal, &action, NULL)) fail("sigaction");
}

/* --- the first event of a thread, in a handler that interrupts the allocator ---------------------- */

static atomic_int stop, ready, handled;

static void mark(int number) {
    (void)number;
    errno = 77;
    nvtxMarkA("in a handler");
    if (errno != 77) abort();
    events++;
    handled = 1;
}

static void *allocate(void *argument) {
    unsigned seed = (unsigned)(uintptr_t)argument;
    void *kept[64] = {0};
    ready = 1;
    for (unsigned i = 0; !stop; ++i) {
        int at = rand_r(&seed) % 64;
        free(kept[at]);
        kept[at] = malloc(1500 + rand_r(&seed) % 3000);
    }
    for (int i = 0; i < 64; ++i) free(kept[i]);
    return NULL;
}

static void storm(long rounds, int keys) {
    for (pthread_key_t key; keys > 0; --keys) pthread_key_create(&key, NULL);
    pairs(1);
    handle(SIGUSR1, mark, SA_RESTART);
    for (long i = 0; i < rounds; ++i) {
        pthread_t thread;
        stop = ready = handled = 0;
        pthread_create(&thread, NULL, allocate, (void *)(uintptr_t)(i + 1));
        while (!ready) sched_yield();
        for (volatile long spin = 0; spin < 2000 + i * 97 % 5000; ++spin) {}
        pthread_kill(thread, SIGUSR1);
        while (!handled) sched_yield();
        stop = 1;
        pthread_join(thread, NULL);
    }
}

/* The same on a stack as small as a handler's may be, with nothing below it. */
static void *small_stack(void *argument) {
    long page = sysconf(_SC_PAGESIZE), least = sysconf(_SC_MINSIGSTKSZ) + page;
    long len = (least + page - 1) / page * page;
    char *memory = mmap(NULL, len + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack = {.ss_sp = memory + page, .ss_size = len};
    (void)argument;
    if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) || sigaltstack(&stack, NULL)) fail("stack");
    pthread_kill(pthread_self(), SIGUSR1);
    if (!handled) fail("not handled");
    return NULL;
}

static void altstack(long rounds) {
    pairs(1);
    handle(SIGUSR1, mark, SA_ONSTACK);
    while (rounds-- > 0) {
        pthread_t thread;
        handled = 0;
        pthread_create(&thread, NULL, small_stack, NULL);
        pthread_join(thread, NULL);
    }
}

/* --- handlers in the middle of events that fork and use NVTX ---------------------------------------- */

static volatile sig_atomic_t is_child, children;

static void fork_in_handler(int number) {
    (void)number;
    if (is_child || children == 40) return;
    children++;
    if (fork() != 0) return;
    is_child = 1;
    nvtxMarkA("in a child");
    if (children % 2) _exit(0);
}

static void handlers(long count) {
    struct itimerval every = {.it_interval = {.tv_usec = 3000}, .it_value = {.tv_usec = 3000}};
    struct itimerval never = {.it_value = {.tv_usec = 0}};
    int status, bad = 0, after = 0;
    pairs(1);
    handle(SIGVTALRM, fork_in_handler, SA_RESTART);
    setitimer(ITIMER_VIRTUAL, &every, NULL);
    for (long i = 0; i < count; ++i) {
        pairs(1);
        /* Every other child goes on where its parent was interrupted. */
        if (is_child && ++after == 1000) _exit(0);
    }
    setitimer(ITIMER_VIRTUAL, &never, NULL);
    while (wait(&status) > 0) bad += status != 0;
    if (bad) fail("a child was killed");
    printf("children %d\n", (int)children);
}

/* --- cancellation ------------------------------------------------------------------------------------ */

static void *never_cancelled(void *argument) {
    (void)argument;
    while (!stop) sched_yield();
    /* A cancellation waits for the first function that allows it, which no event does. */
    pairs(2000);
    return (void *)1;
}

static void cancel(long threads) {
    pairs(1);
    while (threads-- > 0) {
        pthread_t thread;
        void *end;
        stop = 0;
        pthread_create(&thread, NULL, never_cancelled, NULL);
        pthread_cancel(thread);
        stop = 1;
        pthread_join(thread, &end);
        if (end != (void *)1) fail("a thread was cancelled in an event");
    }
}

/* --- vfork ------------------------------------------------------------------------------------------- */

static void vforks(long rounds) {
    pairs(1);
    for (long i = 0; i < rounds; ++i) {
        pid_t child = vfork();
        if (child == 0) {
            pairs(100);
            if (i % 3 == 1) execl("/bin/true", "true", (char *)NULL);
            if (i % 3 == 2) kill(getpid(), SIGKILL);
            _exit(0);
        }
        pairs(10);
        waitpid(child, NULL, 0);
    }
}

/* --- recordings that are cut or removed -------------------------------------------------------------- */

static char own_file[4096];

/* Also where it is cut again and again, its name stays. */
static void find_own_file(void) {
    const char *folder = getenv("RANGESCOPE_RECORDING");
    DIR *entries = opendir(folder ? folder : ".");
    struct dirent *entry;
    char prefix[32];
    snprintf(prefix, sizeof prefix, "%d-", getpid());
    while (entries && (entry = readdir(entries)))
        if (!strncmp(entry->d_name, prefix, strlen(prefix)))
            snprintf(own_file, sizeof own_file, "%s/%s", folder, entry->d_name);
    if (entries) closedir(entries);
    if (!*own_file) strcpy(own_file, "/dev/null/none");
}

static void *cut_always(void *argument) {
    (void)argument;
    while (!stop) (void)!truncate(own_file, 0);
    return NULL;
}

static void unexpected(int number) {
    (void)number;
    (void)!write(2, "the program's own handler was called\n", 37);
    _exit(10);
}

static void *pairs_of_thread(void *count) {
    pairs((long)count);
    return NULL;
}

static void cut(const char *how, long count, const char *where) {
    pthread_t threads[2], cutter;
    struct stat before;
    if (!strcmp(where, "blocked")) {
        sigset_t bus;
        sigemptyset(&bus);
        sigaddset(&bus, SIGBUS);
        sigprocmask(SIG_BLOCK, &bus, NULL);
    }
    if (!strcmp(where, "earlier")) handle(SIGBUS, unexpected, 0);
    nvtxInitialize(NULL);
    if (!strcmp(where, "later")) handle(SIGBUS, unexpected, 0);
    pairs(count);
    find_own_file();
    if (!strcmp(how, "loop")) pthread_create(&cutter, NULL, cut_always, NULL);
    else if (!strcmp(how, "half") && !stat(own_file, &before)) (void)!truncate(own_file, before.st_size / 2);
    else (void)!truncate(own_file, atol(how));
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, pairs_of_thread, (void *)count);
    pairs(count);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    if (strcmp(how, "loop")) return;
    stop = 1;
    pthread_join(cutter, NULL);
}

/* --- signals that are the program's own --------------------------------------------------------------- */

static void *volatile touched;

static void own_handler(int number, siginfo_t *information, void *context) {
    sigset_t mask;
    (void)context;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    if (number != SIGBUS || (touched && information->si_addr != touched)) _exit(11);
    if (!sigismember(&mask, SIGBUS) || !sigismember(&mask, SIGUSR2)) _exit(12);
    printf("handled\n");
    fflush(stdout);
    _exit(0);
}

static void own_fault(const char *how) {
    char name[] = "/tmp/rangescope-own-XXXXXX";
    struct sigaction action = {.sa_sigaction = own_handler, .sa_flags = SA_SIGINFO};
    int file = mkstemp(name);
    char *memory;
    unlink(name);
    if (file < 0 || ftruncate(file, 4096)) fail("file");
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    sigaddset(&action.sa_mask, SIGUSR2);
    if (strstr(how, "handler")) sigaction(SIGBUS, &action, NULL);
    if (strstr(how, "ignored")) signal(SIGBUS, SIG_IGN);
    pairs(10);
    if (strstr(how, "sent")) kill(getpid(), SIGBUS);
    if (strstr(how, "touched")) {
        touched = memory + 100;
        (void)!ftruncate(file, 0);
        memory[100] = 1;
    }
}

/* --- much --------------------------------------------------------------------------------------------- */

static pthread_barrier_t together;

static void *few(void *argument) {
    (void)argument;
    pairs(3);
    pthread_barrier_wait(&together);
    return NULL;
}

static void many(long count) {
    pthread_t *threads = calloc(count, sizeof *threads);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_barrier_init(&together, NULL, count);
    for (long i = 0; i < count; ++i)
        if (pthread_create(&threads[i], &attributes, few, NULL)) fail("no more threads");
    for (long i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}

static void names(long count) {
    char name[32];
    for (long i = 0; i < count; ++i) {
        snprintf(name, sizeof name, "name %ld", i);
        nvtxRangePushA(name);
        nvtxRangePop();
    }
    events += 2 * count;
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    long number = argc > 2 ? atol(argv[2]) : 0;
    if (!strcmp(mode, "storm")) storm(number, atoi(argv[3]));
    else if (!strcmp(mode, "altstack")) altstack(number);
    else if (!strcmp(mode, "handlers")) handlers(number);
    else if (!strcmp(mode, "cancel")) cancel(number);
    else if (!strcmp(mode, "vfork")) vforks(number);
    else if (!strcmp(mode, "cut")) cut(argv[2], atol(argv[3]), argv[4]);
    else if (!strcmp(mode, "own-fault")) own_fault(argv[2]);
    else if (!strcmp(mode, "remove")) pairs(number), find_own_file(), unlink(own_file), pairs(number);
    else if (!strcmp(mode, "many")) many(number);
    else if (!strcmp(mode, "names")) names(number);
    else return 2;
    printf("survived %ld\n", (long)events);
    return 0;
}
