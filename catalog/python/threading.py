"""threading: there is one thread."""


class local:
    pass


class Lock:
    def acquire(self, blocking=True, timeout=-1):
        return True

    def release(self):
        pass

    def locked(self):
        return False

    def __enter__(self):
        return True

    def __exit__(self, kind, value, traceback):
        return None


RLock = Semaphore = BoundedSemaphore = Condition = Lock


class Event:
    def __init__(self):
        self.on = False

    def set(self):
        self.on = True

    def clear(self):
        self.on = False

    def is_set(self):
        return self.on

    def wait(self, timeout=None):
        return self.on


class Thread:
    name = "MainThread"
    daemon = True

    def __init__(self, *args, **kwargs):
        pass

    def start(self):
        pass

    def join(self, timeout=None):
        pass

    def is_alive(self):
        return False


Timer = Thread
_main = Thread()


def current_thread():
    return _main


main_thread = current_thread


def get_ident():
    return 1


get_native_id = get_ident


def active_count():
    return 1
