# A node in a container. docs/installing.md tells how to build and run it.

# The package as npm packs it. Only what is in the package goes on to the second stage.
FROM node:26-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY runtime/package.json runtime/
COPY examples/iou-desk/package.json examples/iou-desk/
COPY examples/runners/node-test/package.json examples/runners/node-test/
COPY examples/runners/playwright/package.json examples/runners/playwright/
COPY examples/runners/vitest/package.json examples/runners/vitest/
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm pack --pack-destination /tmp \
  && mkdir /opt/tallystick \
  && tar --extract --gzip --file /tmp/tallystick-*.tgz --directory /opt/tallystick --strip-components 1 --no-same-owner

FROM node:26-slim
COPY --from=build /opt/tallystick /opt/tallystick
RUN ln -s /opt/tallystick/bin/tallystick /usr/local/bin/tallystick && mkdir --mode 0700 /data && chown 65534:65534 /data

# Starts once, so that the code which V8 compiles is in the image: the node's account cannot write to the package. This
# saves time at later starts and nothing else, so the build goes on when it fails.
RUN cache=/opt/tallystick/node_modules/.cache \
  && mkdir --parents $cache \
  && chown 65534:65534 $cache \
  && (setpriv --reuid 65534 --regid 65534 --clear-groups timeout 10 tallystick start --memory --port 0 || true) > /dev/null 2>&1 \
  && chown -R root:root $cache \
  && chmod -R a+rX $cache

# nobody, as a number, so that an orchestrator can see that it is not root.
USER 65534:65534
# Every command finds the ledger in .tallystick of its working folder.
WORKDIR /data
VOLUME /data
ENV TALLYSTICK_HTTP_HOST=0.0.0.0
EXPOSE 6865 7575
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "--eval", \
  "fetch(`http://127.0.0.1:${process.env.TALLYSTICK_HTTP_PORT ?? 7575}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tallystick"]
CMD ["start"]
