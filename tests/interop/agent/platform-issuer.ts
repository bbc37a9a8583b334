import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { systemClock } from '@weir/core';
import type { TestCa } from '../../../packages/security/testing/test-ca.ts';

/** Listens on loopback until the test is over, and returns the port. */
export async function listening(t: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/**
 * Starts an OIDC issuer like that of an EKS cluster: discovery document and keys. Tokens are built by hand, so that
 * jose is tested against another implementation.
 */
export async function startIssuer(t: TestContext, ca: TestCa) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { certificate, privateKey: tlsKey } = await ca.issueServer();
  const kid = createHash('sha256').update(randomBytes(8)).digest('hex');
  const server = createServer({ cert: certificate, key: tlsKey }, (request, response) => {
    const answers: Record<string, unknown> = {
      '/id/1/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
      '/id/1/keys': { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }] },
    };
    const answer = answers[request.url!];
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer));
  });
  const issuer = `https://127.0.0.1:${await listening(t, server)}/id/1`;
  const token = (sub: string) => {
    const nowSeconds = Math.floor(systemClock.nowMs() / 1000);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = [
      part({ alg: 'RS256', kid }),
      part({
        iss: issuer,
        sub,
        aud: ['sts.amazonaws.com'],
        iat: nowSeconds,
        exp: nowSeconds + 3600,
        'kubernetes.io': { namespace: 'stream', serviceaccount: { name: 'weir' } },
      }),
    ].join('.');
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  };
  return { issuer, token };
}
