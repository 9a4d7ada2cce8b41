/*
 * Starts programs in turns, so that whatever else the machine does meets all of them
 * alike, and prints for each the median and the smallest time in milliseconds, the
 * median of its page faults, and its name, with tabs between them.
 *
 * Usage: starts ROUNDS PAYLOAD (NAME HOME 'PROGRAM ARGUMENT...')...
 *
 * Each start has the payload as its standard input, and a home and a state directory
 * of its own; what it prints is thrown away.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WARM_UP = 20, MOST_ARGUMENTS = 16 };

struct row {
    const char *name;
    char *arguments[MOST_ARGUMENTS + 1];
    char *environment[4];
    double *milliseconds;
    double *faults;
};

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static char *joined(const char *first, const char *second, const char *third) {
    char *text;
    if (asprintf(&text, "%s%s%s", first, second, third) < 0) {
        fail("asprintf");
    }
    return text;
}

static struct row read_row(char **words, int rounds) {
    struct row row = {.name = words[0]};
    row.environment[0] = joined("HOME=", words[1], "");
    row.environment[1] = joined("HOOKMAN_STATE_DIR=", words[1], "/state");
    row.environment[2] = "PATH=/usr/local/bin:/usr/bin:/bin";
    char *word = strtok(words[2], " ");
    for (int at = 0; word && at < MOST_ARGUMENTS; at++) {
        row.arguments[at] = word;
        word = strtok(NULL, " ");
    }
    row.milliseconds = calloc(rounds, sizeof *row.milliseconds);
    row.faults = calloc(rounds, sizeof *row.faults);
    if (!row.milliseconds || !row.faults) {
        fail("calloc");
    }
    return row;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void start(struct row *row, const char *payload, int round) {
    int input = open(payload, O_RDONLY | O_CLOEXEC);
    int output = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (input < 0 || output < 0) {
        fail(payload);
    }
    double before = now();
    pid_t child = vfork();
    if (child == 0) {
        dup2(input, 0);
        dup2(output, 1);
        dup2(output, 2);
        execve(row->arguments[0], row->arguments, row->environment);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) < 0) {
        fail("wait4");
    }
    double after = now();
    close(input);
    close(output);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "%s: it fails\n", row->name);
        exit(1);
    }
    if (round >= 0) {
        row->milliseconds[round] = after - before;
        row->faults[round] = usage.ru_minflt;
    }
}

static int by_size(const void *first, const void *second) {
    double difference = *(const double *)first - *(const double *)second;
    return (difference > 0) - (difference < 0);
}

int main(int count, char **words) {
    int rounds = count > 1 ? atoi(words[1]) : 0;
    int rows = (count - 3) / 3;
    if (rounds < 1 || rows < 1 || count != 3 + 3 * rows) {
        fputs("usage: starts ROUNDS PAYLOAD (NAME HOME 'PROGRAM ARGUMENT...')...\n", stderr);
        return 2;
    }
    struct row *all = calloc(rows, sizeof *all);
    for (int at = 0; at < rows; at++) {
        all[at] = read_row(words + 3 + 3 * at, rounds);
    }
    for (int round = -WARM_UP; round < rounds; round++) {
        for (int at = 0; at < rows; at++) {
            start(&all[at], words[2], round);
        }
    }
    for (int at = 0; at < rows; at++) {
        struct row *row = &all[at];
        qsort(row->milliseconds, rounds, sizeof *row->milliseconds, by_size);
        qsort(row->faults, rounds, sizeof *row->faults, by_size);
        printf("%.3f\t%.3f\t%.0f\t%s\n", row->milliseconds[rounds / 2], row->milliseconds[0],
               row->faults[rounds / 2], row->name);
    }
    return 0;
}
