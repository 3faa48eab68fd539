# The sidecar with its tests: `python tests/addon/run.py` builds and runs it.
#
# Build args: BASE (the sidecar's image).
# Context:    requirements.txt and the tests as tests/, ca.pem (certificates that the building
#             machine trusts; may be empty).
ARG BASE
FROM ${BASE}
USER root
COPY requirements.txt ca.pem /build/
RUN if [ -s /build/ca.pem ]; then export PIP_CERT=/build/ca.pem; fi \
 && python3 -m pip --python /opt/sidecar/bin/python install --quiet --no-cache-dir \
      --disable-pip-version-check --root-user-action=ignore --no-deps -r /build/requirements.txt
COPY tests/ /tests/
ENV PYTHONPATH=/tests PYTHONDONTWRITEBYTECODE=1
WORKDIR /tests
ENTRYPOINT ["/opt/sidecar/bin/python", "-m", "pytest", "--import-mode=importlib", \
            "--strict-markers", "-ra", "-p", "no:cacheprovider", "-W", "error", "--timeout", "120"]
CMD ["/tests"]
