# quickstarted/sandbox-node:local, the stand-in for node images where no registry can be reached:
# sandbox-python with Debian's Node 20, npm from the npm registry, and curl.
#
# Build args: BASE (quickstarted/sandbox-python:local), APT_MIRROR, BUILD (marks the stage).
# Context:    apt-install.sh and ca.pem (certificates that the building machine trusts).
ARG BASE
FROM ${BASE} AS work
ARG APT_MIRROR
COPY apt-install.sh ca.pem /build/
RUN sh /build/apt-install.sh nodejs curl
# Debian's npm is 300 packages; the tarball is what Node's own images carry. npm 10 is the line of Node 20.
ARG NPM_VERSION=10.9.4
ARG NPM_SHA512=3a7506f37e85c1ba1021baad79f0cd9724748131f321fc117c4dc3ba235ec01be7327584a41d15117c01945560aa9373220628fcc1e1dddd877a5fe9b336a900
RUN cd /build \
 && curl --silent --show-error --fail --retry 3 --cacert ca.pem --output npm.tgz \
      "https://registry.npmjs.org/npm/-/npm-${NPM_VERSION}.tgz" \
 && echo "${NPM_SHA512}  npm.tgz" | sha512sum --check --quiet \
 && mkdir -p /usr/local/lib/node_modules/npm \
 && tar -xzf npm.tgz -C /usr/local/lib/node_modules/npm --strip-components=1 --no-same-owner \
 && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
 && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
 && echo 'prefix = /usr/local' > /usr/local/lib/node_modules/npm/npmrc \
 && rm -rf /build /tmp/* /root/.npm
ARG BUILD
LABEL quickstarted.build=${BUILD}

# One layer, so that the certificates of the building machine are in none.
FROM scratch
COPY --from=work / /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    LANG=C.UTF-8
CMD ["node"]
