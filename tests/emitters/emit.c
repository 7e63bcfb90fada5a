/* The C emitter: every function of NVTX's core, threads, forks, exec, and bad luck.
 *
 *   emit tour | threads THREADS RANGES | short COUNT | fork | exec | loop COUNT | kill COUNTER
 *        | extended | fill PAIRS | closefds PAIRS FILE | signals PAIRS
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#if __has_include(<nvtx3/nvToolsExtPayload.h>)
#include <nvtx3/nvToolsExtPayload.h>
#define HAS_PAYLOADS
#endif
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <wchar.h>

#include "truth.h"

static int failures;

static void expect_level(const char *what, int level, int wanted) {
    if (level != wanted) {
        fprintf(stderr, "%s returned level %d instead of %d\n", what, level, wanted);
        failures++;
    }
}

static nvtxEventAttributes_t attributes(void) {
    nvtxEventAttributes_t a;
    memset(&a, 0, sizeof a);
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    return a;
}

static nvtxEventAttributes_t named(const char *name) {
    nvtxEventAttributes_t a = attributes();
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = name;
    return a;
}

static void payloads(nvtxDomainHandle_t domain) {
    nvtxEventAttributes_t a = named("payload");
    /* What is beside a 32-bit value in the union must not be taken for part of it. */
#define PAYLOAD(type_, field_, value_, json_)                                                      \
    memset(&a.payload, 0xee, sizeof a.payload);                                                    \
    a.payloadType = type_;                                                                         \
    a.payload.field_ = value_;                                                                     \
    DO(nvtxDomainMarkEx(domain, &a), "mark", "work", "payload", 0, json_)
    PAYLOAD(NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, ullValue, 18446744073709551615ull, "{\"payload\":[\"u64\",18446744073709551615]}");
    PAYLOAD(NVTX_PAYLOAD_TYPE_INT64, llValue, -9007199254740993ll, "{\"payload\":[\"i64\",-9007199254740993]}");
    PAYLOAD(NVTX_PAYLOAD_TYPE_DOUBLE, dValue, 0.1, "{\"payload\":[\"f64\",0.1]}");
    PAYLOAD(NVTX_PAYLOAD_TYPE_UNSIGNED_INT32, uiValue, 4294967295u, "{\"payload\":[\"u32\",4294967295]}");
    PAYLOAD(NVTX_PAYLOAD_TYPE_INT32, iValue, -5, "{\"payload\":[\"i32\",-5]}");
    PAYLOAD(NVTX_PAYLOAD_TYPE_FLOAT, fValue, 0.5f, "{\"payload\":[\"f32\",0.5]}");
}

/* Everything once. */
static void tour(void) {
    char longest[20001];
    nvtxRangeId_t id, other;
    int level;
    nvtxDomainHandle_t work, wide;
    nvtxStringHandle_t text, wide_text;
    nvtxEventAttributes_t a;

    nvtxNameOsThreadA(thread_id(), "main thread");
    DO(level = nvtxRangePushA("A"), "push", DEFAULT, "A", 0, NULL);
    expect_level("push", level, 0);
    DO(level = nvtxRangePushA("A::A1"), "push", DEFAULT, "A::A1", 0, NULL);
    expect_level("push", level, 1);
    DO(nvtxMarkA("inside"), "mark", DEFAULT, "inside", 0, NULL);
    DO(level = nvtxRangePop(), "pop", DEFAULT, "", 0, NULL);
    expect_level("pop", level, 1);
    DO(nvtxRangePushW(L"weit \x00e4\x20ac\x1f680"), "push", DEFAULT, "weit \xc3\xa4\xe2\x82\xac\xf0\x9f\x9a\x80", 0, NULL);
    DO(nvtxRangePop(), "pop", DEFAULT, "", 0, NULL);
    DO(level = nvtxRangePop(), "pop", DEFAULT, "", 0, NULL);
    expect_level("pop", level, 0);

    DO(id = nvtxRangeStartA("first"), "start", DEFAULT, "first", id, NULL);
    DO(other = nvtxRangeStartW(L"second"), "start", DEFAULT, "second", other, NULL);
    DO(nvtxRangeEnd(id), "end", DEFAULT, "", id, NULL);
    DO(nvtxRangeEnd(other), "end", DEFAULT, "", other, NULL);
    DO(nvtxMarkW(L"wide mark"), "mark", DEFAULT, "wide mark", 0, NULL);

    work = nvtxDomainCreateA("work");
    wide = nvtxDomainCreateW(L"Domäne");
    text = nvtxDomainRegisterStringA(work, "registered");
    wide_text = nvtxDomainRegisterStringW(wide, L"registriert ß");
    nvtxDomainNameCategoryA(work, 7, "seven");
    nvtxDomainNameCategoryW(wide, 8, L"acht");
    nvtxNameCategoryA(9, "nine");
    nvtxNameCategoryW(10, L"zehn");
    a = attributes();
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = text;
    a.category = 7;
    a.colorType = NVTX_COLOR_ARGB;
    a.color = 0xff102030;
    DO(level = nvtxDomainRangePushEx(work, &a), "push", "work", "registered", 0,
       "{\"category\":7,\"category_name\":\"seven\",\"color\":4279246896}");
    expect_level("push in a domain", level, 0);
    a = attributes();
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = wide_text;
    a.category = 8;
    DO(nvtxDomainRangePushEx(wide, &a), "push", "Domäne", "registriert ß", 0,
       "{\"category\":8,\"category_name\":\"acht\"}");
    a = named("with category");
    a.category = 9;
    DO(nvtxMarkEx(&a), "mark", DEFAULT, "with category", 0, "{\"category\":9,\"category_name\":\"nine\"}");
    a.category = 10;
    DO(nvtxRangePushEx(&a), "push", DEFAULT, "with category", 0, "{\"category\":10,\"category_name\":\"zehn\"}");
    DO(nvtxRangePop(), "pop", DEFAULT, "", 0, NULL);
    /* The stacks of domains are separate, so they may be popped in any order. */
    DO(nvtxDomainRangePop(work), "pop", "work", "", 0, NULL);
    DO(nvtxDomainRangePop(wide), "pop", "Domäne", "", 0, NULL);
    a = named("domain range");
    DO(id = nvtxDomainRangeStartEx(work, &a), "start", "work", "domain range", id, NULL);
    DO(nvtxDomainRangeEnd(work, id), "end", "work", "", id, NULL);
    a = attributes();
    a.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    a.message.unicode = L"breit";
    DO(id = nvtxRangeStartEx(&a), "start", DEFAULT, "breit", id, NULL);
    DO(nvtxRangeEnd(id), "end", DEFAULT, "", id, NULL);
    payloads(work);

    /* Hostile names. */
    DO(nvtxRangePushA(""), "push", DEFAULT, "", 0, NULL);
    DO(nvtxRangePop(), "pop", DEFAULT, "", 0, NULL);
    a = attributes();
    DO(nvtxRangePushEx(&a), "push", DEFAULT, "", 0, NULL);
    DO(nvtxRangePop(), "pop", DEFAULT, "", 0, NULL);
    DO(nvtxRangePushA("\x1b[31mred\n\xff"), "push", DEFAULT, "\x1b[31mred\n\xef\xbf\xbd", 0, NULL);
    DO(nvtxRangePop(), "pop", DEFAULT, "", 0, NULL);
    memset(longest, 'x', sizeof longest - 1);
    longest[20000] = 0;
    DO(nvtxRangePushA(longest), "push", DEFAULT, "@16384x", 0, NULL);
    DO(nvtxRangePop(), "pop", DEFAULT, "", 0, NULL);

    /* Unbalanced ranges. */
    DO(nvtxRangePop(), "pop", DEFAULT, "", 0, NULL);
    DO(nvtxRangeEnd(999999), "end", DEFAULT, "", 999999, NULL);
    DO(nvtxRangePushA("never popped"), "push", DEFAULT, "never popped", 0, NULL);
    DO(id = nvtxRangeStartA("never ended"), "start", DEFAULT, "never ended", id, NULL);
    nvtxDomainDestroy(wide);
}

/* Payloads that a schema describes: ranges are recorded, what they carry is not. */
static void extended(void) {
#ifdef HAS_PAYLOADS
    uint64_t value = 5;
    nvtxDomainHandle_t domain = nvtxDomainCreateA("extended");
    nvtxPayloadData_t data = {NVTX_PAYLOAD_ENTRY_TYPE_UINT64, sizeof value, &value};
    nvtxEventAttributes_t a = named("attributes");
    nvtxRangeId_t id;
    if (nvtxDomainIsEnabled(domain) != 1) failures++;
    DO(nvtxRangePushPayload(domain, &data, 1), "push", "extended", "", 0, NULL);
    DO(nvtxMarkPayload(domain, &data, 1), "mark", "extended", "", 0, NULL);
    DO(id = nvtxRangeStartPayload(domain, &data, 1), "start", "extended", "", id, NULL);
    DO(nvtxRangePopPayload(domain, &data, 1), "pop", "extended", "", 0, NULL);
    DO(nvtxRangeEndPayload(domain, id, &data, 1), "end", "extended", "", id, NULL);
    a.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    a.reserved0 = 1;
    a.payload.ullValue = (uint64_t)(uintptr_t)&data;
    DO(nvtxDomainMarkEx(domain, &a), "mark", "extended", "attributes", 0, "{\"payload\":[\"other\",3753705481]}");
#else
    DO(nvtxMarkA("none"), "mark", DEFAULT, "none", 0, NULL);
#endif
}

/* --- threads ---------------------------------------------------------------------------------- */

static int ranges;
static nvtxRangeId_t handed_over;

static void *ranges_of_thread(void *argument) {
    char name[32];
    nvtxRangeId_t id = 0;
    (void)argument;
    for (int i = 0; i < ranges; ++i) {
        snprintf(name, sizeof name, "range %d", i % 5);
        DO(nvtxRangePushA(name), "push", DEFAULT, name, 0, NULL);
        DO(nvtxRangePushA("inner"), "push", DEFAULT, "inner", 0, NULL);
        if (i % 10 == 0) DO(id = nvtxRangeStartA("async"), "start", DEFAULT, "async", id, NULL);
        DO(nvtxRangePop(), "pop", DEFAULT, "", 0, NULL);
        if (i % 10 == 9) DO(nvtxRangeEnd(id), "end", DEFAULT, "", id, NULL);
        DO(nvtxRangePop(), "pop", DEFAULT, "", 0, NULL);
    }
    return NULL;
}

static void *end_of_other(void *argument) {
    (void)argument;
    DO(nvtxRangeEnd(handed_over), "end", DEFAULT, "", handed_over, NULL);
    return NULL;
}

static void join_all(int count, void *(*function)(void *)) {
    pthread_t threads[64];
    for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, function, NULL);
    for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}

static void threads(int count) {
    open_truth();
    DO(handed_over = nvtxRangeStartA("across threads"), "start", DEFAULT, "across threads", handed_over, NULL);
    join_all(count, ranges_of_thread);
    join_all(1, end_of_other);
}

/* --- processes -------------------------------------------------------------------------------- */

static void forks(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("before fork"), later;
    nvtxStringHandle_t text = nvtxDomainRegisterStringA(domain, "registered before fork");
    nvtxEventAttributes_t a = attributes();
    nvtxDomainNameCategoryA(domain, 3, "three");
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = text;
    a.category = 3;
    const char *expected = "{\"category\":3,\"category_name\":\"three\"}";
    DO(nvtxDomainRangePushEx(domain, &a), "push", "before fork", "registered before fork", 0, expected);
    for (int child = 0; child < 2; ++child) {
        if (fork() == 0) {
            DO(nvtxDomainRangePushEx(domain, &a), "push", "before fork", "registered before fork", 0, expected);
            /* The parent gives the same handle to another name at the same time. */
            later = nvtxDomainCreateA("of the child");
            a.message.registered = nvtxDomainRegisterStringA(later, "child's own");
            a.category = 0;
            DO(nvtxDomainMarkEx(later, &a), "mark", "of the child", "child's own", 0, NULL);
            if (child == 0 && fork() == 0) {
                DO(nvtxDomainMarkEx(later, &a), "mark", "of the child", "child's own", 0, NULL);
                a.message.registered = text;
                DO(nvtxDomainMarkEx(domain, &a), "mark", "before fork", "registered before fork", 0, NULL);
                fflush(truth_file);
                _exit(0);
            }
            if (child == 0) wait(NULL);
            DO(nvtxDomainRangePop(domain), "pop", "before fork", "", 0, NULL);
            fflush(truth_file);
            _exit(0);
        }
    }
    later = nvtxDomainCreateA("of the parent");
    a.message.registered = nvtxDomainRegisterStringA(later, "parent's own");
    a.category = 0;
    DO(nvtxDomainMarkEx(later, &a), "mark", "of the parent", "parent's own", 0, NULL);
    DO(nvtxDomainRangePop(domain), "pop", "before fork", "", 0, NULL);
    while (wait(NULL) > 0) {}
}

/* --- bad luck --------------------------------------------------------------------------------- */

/* Counts in a file how many events were done; that is all that is left after a SIGKILL. */
static void until_killed(const char *path) {
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    volatile uint64_t *done;
    char name[32];
    if (ftruncate(file, 4096)) exit(9);
    done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    for (uint64_t i = 0;; i += 2) {
        snprintf(name, sizeof name, "%llu", (unsigned long long)i);
        nvtxRangePushA(name);
        *done = i + 1;
        nvtxRangePop();
        *done = i + 2;
    }
}

static void pairs(long count) {
    errno = 77;
    for (long i = 0; i < count; ++i) {
        nvtxRangePushA("block.conv1");
        nvtxRangePop();
    }
    if (errno != 77) {
        fprintf(stderr, "errno became %d\n", errno);
        exit(8);
    }
}

/* A daemon closes every descriptor it finds, and opens its own files at the same numbers. */
static void close_descriptors(long count, const char *path) {
    int file;
    pairs(1);
    for (int i = 3; i < 256; ++i) close(i);
    for (int i = 0; i < 32; ++i) file = open(path, O_RDWR | O_CREAT, 0644);
    (void)!write(file, "mine", 4);
    pairs(count);
}

static atomic_long marks;

static void mark_in_handler(int number) {
    (void)number;
    nvtxMarkA("in a signal handler");
    marks++;
}

static void signals(long count) {
    struct sigaction action = {.sa_handler = mark_in_handler, .sa_flags = SA_RESTART};
    struct itimerval every = {.it_interval = {.tv_usec = 50}, .it_value = {.tv_usec = 50}};
    struct itimerval never = {.it_value = {.tv_usec = 0}};
    nvtxRangePushA("warm");
    nvtxRangePop();
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    pairs(count);
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%ld\n", (long)marks);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "tour";
    long number = argc > 2 ? atol(argv[2]) : 0;
    if (!strcmp(mode, "tour")) tour();
    else if (!strcmp(mode, "extended")) extended();
    else if (!strcmp(mode, "threads")) ranges = argc > 3 ? atoi(argv[3]) : 10, threads((int)number);
    else if (!strcmp(mode, "short"))
        for (ranges = 1; number > 0; --number) join_all(1, ranges_of_thread);
    else if (!strcmp(mode, "fork")) forks();
    else if (!strcmp(mode, "exec")) {
        DO(nvtxMarkA("before exec"), "mark", DEFAULT, "before exec", 0, NULL);
        execl("/proc/self/exe", argv[0], "tour", (char *)NULL);
    } else if (!strcmp(mode, "kill")) until_killed(argv[2]);
    else if (!strcmp(mode, "fill")) nvtxInitialize(NULL), pairs(number), printf("survived\n");
    else if (!strcmp(mode, "closefds")) close_descriptors(number, argv[3]);
    else if (!strcmp(mode, "signals")) signals(number);
    else return 2;
    return failures ? 1 : 0;
}
