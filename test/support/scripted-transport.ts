import type { Transport, TransportRequest } from "../../src/adapters/delivery/transport.js";

export interface ScriptedTransport extends Transport {
  /** In the order of the attempts' starts. */
  readonly sent: readonly TransportRequest[];
}

/**
 * A network without sockets: answers with the status of `statusOf` after the turns of the event loop of `turnsOf`. The latency is always 0, so that
 * runs repeat.
 */
export function createScriptedTransport(
  statusOf: (request: TransportRequest, index: number) => number,
  turnsOf: () => number = () => 0,
): ScriptedTransport {
  const sent: TransportRequest[] = [];
  return {
    sent,
    async send(request) {
      const status = statusOf(request, sent.push(request) - 1);
      for (let turn = turnsOf(); turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
      const error = status < 300 ? null : `status ${status} is not 2xx`;
      return { status, error, latencyMs: 0, response: { headers: {}, body: "" } };
    },
    close: async () => undefined,
  };
}
