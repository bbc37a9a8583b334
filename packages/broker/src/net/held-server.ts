import type { RequestServer } from '../requests/request-server.ts';

/**
 * A server whose requests wait until the agent is registered with its cluster: before that it has no node id to return
 * to clients. The agent must listen earlier, because it registers its address.
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
