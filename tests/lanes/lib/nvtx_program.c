/* A program that opens NVTX ranges and writes down what it opened.
 *
 *     nvtx_program LOG SEED STEPS THREADS CHILDREN
 *
 * Threads open and close ranges at random: push/pop and start/end, in three domains, with messages in the call,
 * in attributes, wide and registered; some start/end ranges are ended by another thread, some ranges never. Marks,
 * categories and thread names are made too, and are no ranges. Children are the same program with other seeds.
 *
 * A line of the log: open ID PID TID KIND DOMAIN REGISTERED NAME, or close ID TID, with tabs between; IDs are the
 * process' own, lines of a thread are in their order.
 */
#include <locale.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#define DOMAINS 3
#define NAMES 7
#define DEEPEST 12
#define SLOTS 8

static const char *domain_names[DOMAINS] = {"<default domain>", "LLM", "data loader"};
static nvtxDomainHandle_t domains[DOMAINS];
static const char *names[NAMES] = {"prefill", "decode", "layers.0.attn", "A::A1", "with space, comma \"quote\"",
                                   "Größe", ""};
/* nsys cannot import a report with an empty wide message. */
static const wchar_t *wide_names[NAMES] = {L"prefill", L"decode", L"layers.0.attn", L"A::A1",
                                           L"with space, comma \"quote\"", L"Gr\u00f6\u00dfe", NULL};
static nvtxStringHandle_t registered[DOMAINS][NAMES];

static FILE *logfile;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_id;
static int steps;

/* Start/end ranges that any thread may end. */
static struct slot {
    int id;
    nvtxRangeId_t range;
    int domain;
} slots[SLOTS];

static unsigned draw(uint64_t *state, unsigned below) {
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((*state >> 33) % below);
}

static int log_open(const char *kind, int domain, int is_registered, const char *name) {
    pthread_mutex_lock(&lock);
    int id = next_id++;
    fprintf(logfile, "open\t%d\t%d\t%ld\t%s\t%s\t%d\t%s\n", id, getpid(), syscall(SYS_gettid), kind,
            domain_names[domain], is_registered, name);
    pthread_mutex_unlock(&lock);
    return id;
}

static void log_close(int id) {
    pthread_mutex_lock(&lock);
    fprintf(logfile, "close\t%d\t%d\t%ld\n", id, getpid(), syscall(SYS_gettid));
    pthread_mutex_unlock(&lock);
}

/* Attributes with a message of some kind; returns whether it is a registered one. */
static int fill(nvtxEventAttributes_t *event, uint64_t *state, int domain, int name) {
    memset(event, 0, sizeof *event);
    event->version = NVTX_VERSION;
    event->size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event->category = draw(state, 3);
    if (draw(state, 2)) {
        event->colorType = NVTX_COLOR_ARGB;
        event->color = 0xff00ff00u;
        event->payloadType = NVTX_PAYLOAD_TYPE_INT64;
        event->payload.llValue = -5;
    }
    unsigned kind = draw(state, 3);
    switch (kind == 1 && !wide_names[name] ? 0 : kind) {
    case 0:
        event->messageType = NVTX_MESSAGE_TYPE_ASCII;
        event->message.ascii = names[name];
        return 0;
    case 1:
        event->messageType = NVTX_MESSAGE_TYPE_UNICODE;
        event->message.unicode = wide_names[name];
        return 0;
    default:
        event->messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        event->message.registered = registered[domain][name];
        return 1;
    }
}

static void *work(void *argument) {
    uint64_t state = (uint64_t)(uintptr_t)argument;
    int ids[DOMAINS][DEEPEST], depth[DOMAINS] = {0};
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "worker");
    for (int step = 0; step < steps; step++) {
        int domain = (int)draw(&state, DOMAINS), name = (int)draw(&state, NAMES);
        nvtxEventAttributes_t event;
        switch (draw(&state, 8)) {
        case 0:
        case 1:
        case 2: /* push */
            if (depth[domain] == DEEPEST) break;
            if (domain == 0 && draw(&state, 2)) {
                ids[domain][depth[domain]++] = log_open("push_pop", domain, 0, names[name]);
                draw(&state, 2) || !wide_names[name] ? nvtxRangePushA(names[name]) : nvtxRangePushW(wide_names[name]);
            } else {
                int is_registered = fill(&event, &state, domain, name);
                ids[domain][depth[domain]++] = log_open("push_pop", domain, is_registered, names[name]);
                domain == 0 ? nvtxRangePushEx(&event) : nvtxDomainRangePushEx(domains[domain], &event);
            }
            break;
        case 3:
        case 4:
        case 5: /* pop */
            if (depth[domain] == 0) break;
            domain == 0 ? nvtxRangePop() : nvtxDomainRangePop(domains[domain]);
            log_close(ids[domain][--depth[domain]]);
            break;
        case 6: { /* start, or end what some thread has started */
            struct slot mine, *slot = &slots[draw(&state, SLOTS)];
            int is_registered = fill(&event, &state, domain, name);
            pthread_mutex_lock(&lock);
            mine = *slot;
            slot->range = 0;
            pthread_mutex_unlock(&lock);
            if (mine.range) {
                mine.domain == 0 ? nvtxRangeEnd(mine.range) : nvtxDomainRangeEnd(domains[mine.domain], mine.range);
                log_close(mine.id);
                break;
            }
            mine.domain = domain;
            mine.id = log_open("start_end", domain, is_registered, names[name]);
            mine.range = domain == 0 ? nvtxRangeStartEx(&event) : nvtxDomainRangeStartEx(domains[domain], &event);
            pthread_mutex_lock(&lock);
            if (slot->range == 0) {
                *slot = mine;
                mine.range = 0;
            }
            pthread_mutex_unlock(&lock);
            if (mine.range) { /* another thread was faster */
                domain == 0 ? nvtxRangeEnd(mine.range) : nvtxDomainRangeEnd(domains[domain], mine.range);
                log_close(mine.id);
            }
            break;
        }
        default:
            fill(&event, &state, domain, name);
            domain == 0 ? nvtxMarkEx(&event) : nvtxDomainMarkEx(domains[domain], &event);
            usleep(20);
        }
    }
    /* Threads with an even seed leave their push/pop ranges open. */
    for (int domain = 0; ((uintptr_t)argument & 1) && domain < DOMAINS; domain++)
        while (depth[domain] > 0) {
            domain == 0 ? nvtxRangePop() : nvtxDomainRangePop(domains[domain]);
            log_close(ids[domain][--depth[domain]]);
        }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 6) return 2;
    unsigned long seed = strtoul(argv[2], NULL, 10);
    int threads = atoi(argv[4]), children = atoi(argv[5]);
    steps = atoi(argv[3]);
    setlocale(LC_ALL, "C.UTF-8");
    if (!(logfile = fopen(argv[1], "a"))) return 3;
    for (int child = 0; child < children; child++) {
        char path[4096], number[32];
        snprintf(path, sizeof path, "%s.%d", argv[1], child);
        snprintf(number, sizeof number, "%lu", seed * 31 + child + 1);
        if (fork() == 0) {
            execl(argv[0], argv[0], path, number, argv[3], argv[4], "0", (char *)NULL);
            _exit(4);
        }
    }
    /* Domains are numbered in the order in which a process makes them. */
    for (int i = 1; i < DOMAINS; i++) {
        int domain = seed % 2 ? i : DOMAINS - i;
        domains[domain] = nvtxDomainCreateA(domain_names[domain]);
        nvtxDomainNameCategoryA(domains[domain], 1, "category");
    }
    for (int domain = 0; domain < DOMAINS; domain++)
        for (int name = 0; name < NAMES; name++)
            registered[domain][name] = nvtxDomainRegisterStringA(domains[domain], names[name]);
    pthread_t running[64];
    for (int thread = 0; thread < threads && thread < 64; thread++)
        pthread_create(&running[thread], NULL, work, (void *)(uintptr_t)(seed * 64 + thread + 1));
    for (int thread = 0; thread < threads && thread < 64; thread++) pthread_join(running[thread], NULL);
    work((void *)(uintptr_t)(seed * 64 + 63));
    while (wait(NULL) > 0) {
    }
    fclose(logfile);
    puts("program ended");
    return 0;
}
