# The service, one process in one image:
#   docker build -t citestream .
#   docker run -p 127.0.0.1:8000:8000 -v citestream:/data citestream
# Every setting is an environment variable (-e CITESTREAM_PORT=9000 -p 127.0.0.1:9000:9000).
# All packages are installed by their hashes from requirements/.

FROM python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1
WORKDIR /build
COPY requirements/build.txt requirements/run.txt requirements/
RUN pip install --require-hashes -r requirements/build.txt \
    && python -m venv --without-pip /opt/citestream \
    && pip --python /opt/citestream/bin/python install --require-hashes -r requirements/run.txt
COPY pyproject.toml README.md LICENSE ./
COPY app/ app/
RUN pip wheel --no-index --no-deps --no-build-isolation --wheel-dir dist . \
    && pip --python /opt/citestream/bin/python install --no-index --no-deps dist/*.whl

FROM python:3.13-slim
COPY --from=build /opt/citestream /opt/citestream
RUN install -d -o 10001 -g 10001 /data
ENV PATH=/opt/citestream/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    CITESTREAM_HOST=0.0.0.0 \
    CITESTREAM_PORT=8000 \
    CITESTREAM_STORE_URL=sqlite:////data/citestream.db
# A number, so that a cluster can see that the user is not root.
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
# http.client and not urllib, because a proxy in the environment must not be asked about this machine.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["python", "-c", \
    "import os; from http.client import HTTPConnection as C; c = C('127.0.0.1', int(os.environ['CITESTREAM_PORT']), timeout=2); c.request('GET', '/livez'); raise SystemExit(c.getresponse().status != 200)"]
# The command is process 1 and gets the signal itself. It stops within the 10 s of `docker stop`.
STOPSIGNAL SIGTERM
ENTRYPOINT ["citestream"]
CMD ["serve"]
