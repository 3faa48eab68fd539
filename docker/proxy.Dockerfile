# quickstarted/sidecar, the proxy between a sandbox and the network. How its container must be
# created is in proxy/quickstarted_proxy/README.md.
#
# Build args: BASE   an image with Python 3.13 as `python3` and its pip: python:3.13-slim, or
#                    quickstarted/sandbox-python:local;
#             BUILD  marks the stage that may be removed after the build.
# Context:    proxy-requirements.txt (pinned, hashed), quickstarted_proxy/ (the package), and
#             ca.pem (certificates that the building machine trusts; may be empty).
ARG BASE
FROM ${BASE} AS work
COPY proxy-requirements.txt ca.pem /build/
# mitmproxy's web interface and command-line tools are never imported.
RUN python3 -c 'import sys; assert sys.version_info[:2] == (3, 13), sys.version' \
 && python3 -m venv --without-pip /opt/sidecar \
 && if [ -s /build/ca.pem ]; then export PIP_CERT=/build/ca.pem; fi \
 && python3 -m pip --python /opt/sidecar/bin/python install --quiet --no-cache-dir \
      --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
      --no-compile -r /build/proxy-requirements.txt \
 && cd /opt/sidecar/lib/python3.13/site-packages \
 && rm -rf mitmproxy/tools /opt/sidecar/bin/mitm* /opt/sidecar/share
COPY quickstarted_proxy/ /opt/sidecar/lib/python3.13/site-packages/quickstarted_proxy/
# Compiled now: the file system is read-only at run time, and nothing changes any more.
RUN /opt/sidecar/bin/python -m compileall -q -j 0 --invalidation-mode unchecked-hash \
      /opt/sidecar/lib/python3.13/site-packages
ARG BUILD
LABEL quickstarted.build=${BUILD}

FROM ${BASE}
COPY --from=work /opt/sidecar /opt/sidecar
# Without these, buffers of a large download are taken from the kernel and given back each time.
ENV MALLOC_MMAP_THRESHOLD_=4194304 MALLOC_TRIM_THRESHOLD_=33554432
# A new volume takes its owner from here.
RUN install -d -o 65532 -g 65532 -m 0755 /var/cache/quickstarted
USER 65532:65532
WORKDIR /
ENTRYPOINT ["/opt/sidecar/bin/python", "-I", "-m", "quickstarted_proxy"]
CMD []
