ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts && find node_modules -type d -empty -delete

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Business Payments Sandbox" \
  org.opencontainers.image.description="A local stand-in for a mobile-money business payments API" \
  org.opencontainers.image.url="https://www.npmjs.com/package/business-payments-sandbox" \
  org.opencontainers.image.documentation="https://www.npmjs.com/package/business-payments-sandbox" \
  org.opencontainers.image.vendor="Business Payments Sandbox" \
  org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
COPY --from=build /app/fixtures ./fixtures
COPY --from=build /app/scenarios ./scenarios
COPY docker/health.mjs ./
# For a store that outlives the container: -v sandbox:/data … start --host 0.0.0.0 --store file:/data/sandbox.json
RUN mkdir /data && chown node:node /data
USER node
EXPOSE 4010
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["node", "/app/health.mjs"]
ENTRYPOINT ["node", "/app/bin/sandbox.js"]
CMD ["start", "--host", "0.0.0.0"]
