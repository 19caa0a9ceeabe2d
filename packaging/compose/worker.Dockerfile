# A machine that works on approved improvements: trimtab, git, an agent, and what the tests of
# your projects need, which only you know. Put it in the place of Go here.
ARG TRIMTAB_IMAGE=ghcr.io/trimtab/trimtab:0.1.0
FROM ${TRIMTAB_IMAGE} AS trimtab
FROM node:24-bookworm-slim
RUN apt-get update \
	&& apt-get install -y --no-install-recommends bubblewrap ca-certificates git golang-go make \
	&& rm -rf /var/lib/apt/lists/* \
	&& npm install --global @anthropic-ai/claude-code \
	&& useradd --uid 65532 --home-dir /data --shell /usr/sbin/nologin trimtab \
	&& install -d -o trimtab -g trimtab -m 0700 /data
COPY --from=trimtab /usr/bin/trimtab /usr/bin/trimtab-hook /usr/bin/
ENV HOME=/data TRIMTAB_DATA=/data
USER 65532:65532
WORKDIR /data
VOLUME /data
ENTRYPOINT ["/usr/bin/trimtab"]
CMD ["improve", "run", "--stay"]
