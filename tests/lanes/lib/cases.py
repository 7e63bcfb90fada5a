"""Cases of a lane that makes programs do something and looks at what came of it."""

CASES = {}


class Mismatch(Exception):
    pass


def case(function):
    CASES[function.__name__] = function
    return function


def check(condition, text):
    if not condition:
        raise Mismatch(text)


def until_it_succeeds(attempt, tries=3):
    """What `attempt` gives, unless it raises a `RuntimeError`; the last one is raised again.

    For nsys: under load, and where another nsys of the same version runs, `nsys profile` at times ends with 1 before the
    program has begun ("sem_open: No such file or directory", "Local Endpoint is not available"), and leaves whatever
    report had that name before.
    """
    for left in reversed(range(tries)):
        try:
            return attempt()
        except RuntimeError:
            if not left:
                raise
