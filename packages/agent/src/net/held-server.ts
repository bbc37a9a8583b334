import type { RequestServer } from '../requests/request-server.ts';

/**
 * A server whose requests wait until the agent is known to its cluster: before, it has no node id that it could tell clients. It has to listen
 * before that, because the cluster is told where.
 */
export function heldUntil(known: Promise<void>, server: RequestServer): RequestServer {
  let isKnown = false;
  known.then(
    () => {
      isKnown = true;
    },
    () => {},
  );
  return {
    ...server,
    serve(request) {
      if (isKnown) return server.serve(request);
      return known.then(
        () => server.serve(request),
        () => 'close',
      );
    },
  };
}
