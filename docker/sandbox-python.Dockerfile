# quickstarted/sandbox-python:local, the stand-in for python:3.13-slim where no registry can be
# reached: Debian trixie, Python 3.13 and pip, certificates; no compiler, no curl, no git.
#
# Build args: BASE (the imported Debian base), APT_MIRROR, BUILD (marks the stage for removal).
# Context:    apt-install.sh and ca.pem (certificates that the building machine trusts).
ARG BASE
FROM ${BASE} AS work
ARG APT_MIRROR
COPY apt-install.sh ca.pem /build/
# pip comes from the wheel that Debian bundles for venv, not from python3-pip: it lands in
# /usr/local with its RECORD, so `pip install --upgrade pip` works as it does in the public image.
RUN sh /build/apt-install.sh python3 python3-venv ca-certificates \
 && rm -f /usr/lib/python3*/EXTERNALLY-MANAGED \
 && ln -s python3 /usr/bin/python \
 && wheel=$(ls /usr/share/python-wheels/pip-*.whl) \
 && python3 "$wheel/pip" install --quiet --no-index --no-cache-dir --root-user-action=ignore "$wheel" \
 && rm -rf /build /tmp/* /root/.cache
ARG BUILD
LABEL quickstarted.build=${BUILD}

# One layer, so that the certificates of the building machine are in none.
FROM scratch
COPY --from=work / /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    LANG=C.UTF-8
CMD ["python3"]
