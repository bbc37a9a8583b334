/**
 * The client side of SCRAM-SHA-256 and SCRAM-SHA-512 (RFC 5802). The password is not sent, and the server has to prove
 * that it knows the stored credentials. Names and passwords are not normalized, as in Kafka's clients.
 */

import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { clientLimits } from '../limits.ts';
import { type SaslConversation, SaslRefused } from './conversation.ts';

const derive = promisify(pbkdf2);

/** The hash of a mechanism. */
const hashes = {
  'SCRAM-SHA-256': { digest: 'sha256', digestBytes: 32 },
  'SCRAM-SHA-512': { digest: 'sha512', digestBytes: 64 },
} as const;

/** No channel binding and no authorization identity. */
const gs2Header = 'n,,';

/**
 * Fewer iterations would help a fake server to find the password by brute force; RFC 7677 requires at least this many.
 */
const iterationsMin = 4096;

export function scramConversation(
  username: string,
  password: string,
  nonce: string = randomBytes(24).toString('base64url'),
  mechanism: keyof typeof hashes = 'SCRAM-SHA-512',
): SaslConversation {
  const { digest, digestBytes } = hashes[mechanism];
  const hmac = (key: Buffer, text: string) => createHmac(digest, key).update(text).digest();
  const clientFirstBare = `n=${escapeName(username)},r=${nonce}`;
  let expectedSignature: Buffer | undefined;

  async function proveTo(serverFirst: string): Promise<Buffer> {
    const { serverNonce, salt, iterations } = readServerFirst(serverFirst, nonce);
    const salted = await derive(password, salt, iterations, digestBytes, digest);
    const clientKey = hmac(salted, 'Client Key');
    const storedKey = createHash(digest).update(clientKey).digest();
    const binding = Buffer.from(gs2Header).toString('base64');
    const withoutProof = `c=${binding},r=${serverNonce}`;
    const authMessage = `${clientFirstBare},${serverFirst},${withoutProof}`;
    expectedSignature = hmac(hmac(salted, 'Server Key'), authMessage);
    const clientSignature = hmac(storedKey, authMessage);
    const proof = clientKey.map((byte, index) => byte ^ clientSignature[index]!);
    return Buffer.from(`${withoutProof},p=${Buffer.from(proof).toString('base64')}`);
  }

  function checkProof(serverFinal: string, expected: Buffer): undefined {
    const attributes = readAttributes(serverFinal);
    const error = attributes.get('e');
    if (error !== undefined) throw new SaslRefused('refused', `the server responded ${error}`);
    const signature = Buffer.from(attributes.get('v') ?? '', 'base64');
    const isProven = signature.length === expected.length && timingSafeEqual(signature, expected);
    if (!isProven) throw unproven('its signature is wrong');
  }

  return {
    first: () => Buffer.from(gs2Header + clientFirstBare),
    async answer(challenge) {
      const message = challenge.toString();
      return expectedSignature === undefined ? proveTo(message) : checkProof(message, expectedSignature);
    },
  };
}

interface ServerFirst {
  readonly serverNonce: string;
  readonly salt: Buffer;
  readonly iterations: number;
}

function readServerFirst(message: string, nonce: string): ServerFirst {
  const attributes = readAttributes(message);
  const error = attributes.get('e');
  if (error !== undefined) throw new SaslRefused('refused', `the server responded ${error}`);
  // RFC 5802: an unknown mandatory extension must fail the exchange.
  if (attributes.has('m')) throw unproven('it requires an unknown SCRAM extension');
  const serverNonce = attributes.get('r') ?? '';
  if (!serverNonce.startsWith(nonce) || serverNonce.length === nonce.length) {
    throw unproven('its nonce does not match');
  }
  const salt = Buffer.from(attributes.get('s') ?? '', 'base64');
  if (salt.length === 0) throw unproven('it sends no salt');
  const iterations = Number(attributes.get('i'));
  if (
    !Number.isInteger(iterations) ||
    iterations < iterationsMin ||
    iterations > clientLimits.scramIterationsMax
  ) {
    throw unproven(
      `it requires ${attributes.get('i')} iterations; ${iterationsMin} to ${clientLimits.scramIterationsMax} are allowed`,
    );
  }
  return { serverNonce, salt, iterations };
}

/** Parses `r=…,s=…,i=4096` by letter. Values may contain equals signs, as base64 does. */
function readAttributes(message: string): ReadonlyMap<string, string> {
  return new Map(message.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
}

function escapeName(name: string): string {
  return name.replaceAll('=', '=3D').replaceAll(',', '=2C');
}

function unproven(what: string): SaslRefused {
  return new SaslRefused('server unproven', `the server failed to prove that it knows the password: ${what}`);
}
