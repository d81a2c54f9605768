"""Django middleware for the tests: a request waits before the view has it, for as many seconds as its header says."""
import time


def lingering(get_response):
    def answer(request):
        time.sleep(float(request.headers.get("X-Linger", "0")))
        return get_response(request)

    return answer
