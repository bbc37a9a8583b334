import type { Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { refuseUnreadable, securityHeaders } from './http-answers.ts';

/** A request that makes no progress for this long is cut off. */
export const socketDeadlineMs = 15_000;

/** The certificate of a server, which may be replaced while it runs. */
export interface CertificateSource {
  readonly context: SecureContextOptions;
  /** Calls `run` after each replacement. Returns a function that ends that. */
  onChange(run: () => void): () => void;
}

/** Options that every HTTP server of an agent has. */
export const serverLimits = {
  headersTimeout: socketDeadlineMs,
  // How often deadlines are looked at: a client that sends its headers byte by byte is cut off not much later.
  connectionsCheckingInterval: 5_000,
  // Node.js would answer by itself, without the headers that every answer has.
  requireHostHeader: false,
};

/** Sets deadlines, and answers what is no request. Returns what sets the headers that every answer has. */
export function applyHttpDefaults(server: Server, isByTls: boolean): (response: ServerResponse) => void {
  const headers = securityHeaders(isByTls);
  const secure = (response: ServerResponse) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  };
  server.setTimeout(socketDeadlineMs);
  server.on('checkExpectation', (_request, response) => {
    secure(response);
    response.setHeader('connection', 'close');
    response.writeHead(417).end();
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseUnreadable(error, socket, headers),
  );
  return secure;
}

/** Follows changes of the certificate, and reports handshakes that failed. */
export function applyTlsDefaults(
  server: SecureServer,
  certificates: CertificateSource,
  onFailure: (socket: TLSSocket, problem: string) => void,
): void {
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    const { authorizationError } = socket;
    // Port probes disconnect without a handshake; they are not logged.
    if (authorizationError || error.code !== 'ECONNRESET')
      onFailure(socket, authorizationError ? String(authorizationError) : error.message);
    socket.destroy();
  });
  server.on(
    'close',
    certificates.onChange(() => server.setSecureContext(certificates.context)),
  );
}

/** Resolves when the port is open. */
export function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
