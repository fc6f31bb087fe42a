"""time: it stands still."""


def time():
    return 0.0


perf_counter = monotonic = process_time = thread_time = time


def time_ns():
    return 0


perf_counter_ns = monotonic_ns = time_ns


def sleep(seconds):
    pass


def strftime(format, *args):
    return ""


def localtime(*args):
    return None


gmtime = localtime
