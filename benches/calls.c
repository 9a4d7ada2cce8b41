/*
 * Makes the system calls that a run of built-in hooks makes, and decides nothing: what is above
 * this, and no more, is hookman's own work.
 *
 * Usage: calls PLAN MANIFEST SWITCHES JOURNAL <PAYLOAD
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INPUT = 16384, PLAN = 4096, LINE = 885 };

int main(int count, char **arguments) {
    static char input[INPUT], plan[PLAN], line[LINE];
    char random[16];
    struct stat seen;
    struct pollfd standard_input = {STDIN_FILENO, POLLIN, 0};
    if (count < 5) {
        return 2;
    }
    mmap(NULL, 568, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    poll(&standard_input, 1, 5000);
    if (read(STDIN_FILENO, input, INPUT) < 1) {
        return 1;
    }
    getppid();
    int file = open(arguments[1], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (read(file, plan, PLAN) < 1) {
        return 1;
    }
    close(file);
    stat(arguments[2], &seen);
    open(arguments[3], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    getrandom(random, sizeof random, GRND_INSECURE);
    memset(line, ' ', LINE - 1);
    line[LINE - 1] = '\n';
    file = open(arguments[4], O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0600);
    fcntl(file, F_SETFD, FD_CLOEXEC);
    if (write(file, line, LINE) < LINE) {
        return 1;
    }
    close(file);
    return 0;
}
