import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { writeCredentialRecord } from '@weir/cluster';
import type { TestCluster } from '@weir/metadata/testing';
import type { ResponseBody } from './test-agent-server.ts';
import type { TestClient } from './test-client.ts';

/** The minimum that is allowed, so that tests are fast. */
const iterations = 4096;

/** Adds a user with a password, and optionally a credential name and superuser flag. */
export function addUser(
  cluster: TestCluster,
  user: string,
  password: string,
  credential?: { readonly name: string; readonly isSuperuser: boolean },
): void {
  const salt = randomBytes(16);
  const { storedKey, serverKey } = scramKeys(password, salt, iterations);
  const secrets = [salt, storedKey, serverKey].map((secret) => secret.toString('base64'));
  cluster.putRecord('scramCredential', user, [iterations, ...secrets]);
  if (credential !== undefined) {
    const record = writeCredentialRecord({
      id: 'cci_1',
      createdMs: 1,
      isFromFile: false,
      ...credential,
    });
    cluster.putRecord('credential', user, JSON.parse(record.toString()) as object);
  }
}

export function scramKeys(password: string, salt: Uint8Array, rounds: number) {
  const salted = pbkdf2Sync(password, salt, rounds, 64, 'sha512');
  const clientKey = createHmac('sha512', salted).update('Client Key').digest();
  return {
    clientKey,
    storedKey: createHash('sha512').update(clientKey).digest(),
    serverKey: createHmac('sha512', salted).update('Server Key').digest(),
  };
}

export function plainToken(user: string, password: string, actAs = ''): Buffer {
  return Buffer.from(`${actAs}\0${user}\0${password}`);
}

export function bearerToken(token: string, { actAs = '', extensions = {} } = {}): Buffer {
  const pairs = Object.entries({ auth: `Bearer ${token}`, ...extensions });
  const header = actAs === '' ? 'n,,' : `n,a=${actAs},`;
  return Buffer.from(`${header}\x01${pairs.map(([key, value]) => `${key}=${value}\x01`).join('')}\x01`);
}

/** The client's side of SCRAM-SHA-512, written from the RFC and independent of our server. */
export class ScramClient {
  readonly #password: string;
  readonly #bare: string;
  readonly first: string;
  #serverSignature = '';

  constructor(user: string, password: string, nonce = randomBytes(12).toString('hex'), extension = '') {
    this.#password = password;
    this.#bare = `n=${user.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=${nonce}${extension}`;
    this.first = `n,,${this.#bare}`;
  }

  /** Returns the second message, in reply to the server's first. */
  final(serverFirst: string): string {
    const [nonce, salt, rounds] = serverFirst.split(',').map((part) => part.slice(2));
    const keys = scramKeys(this.#password, Buffer.from(salt!, 'base64'), Number(rounds));
    const withoutProof = `c=biws,r=${nonce}`;
    const signed = `${this.#bare},${serverFirst},${withoutProof}`;
    const signature = createHmac('sha512', keys.storedKey).update(signed).digest();
    const proof = Buffer.from(keys.clientKey.map((byte, index) => byte ^ signature[index]!));
    this.#serverSignature = createHmac('sha512', keys.serverKey).update(signed).digest('base64');
    return `${withoutProof},p=${proof.toString('base64')}`;
  }

  /** Whether the server has proven that it knows the password too. */
  trusts(serverFinal: string): boolean {
    return serverFinal === `v=${this.#serverSignature}`;
  }
}

export type SaslAnswer = ResponseBody<'SaslAuthenticate'>;

/** Chooses a mechanism and sends tokens, each built from the answer to the previous one. Returns the last answer. */
export async function logIn(
  client: TestClient,
  mechanism: string,
  ...tokens: (Buffer | ((challenge: string) => Buffer))[]
): Promise<SaslAnswer> {
  const { errorCode } = await client.call('SaslHandshake', 1, { mechanism });
  if (errorCode !== 0) throw new Error(`SaslHandshake was answered with ${errorCode}`);
  let answer: SaslAnswer | undefined;
  for (const token of tokens) {
    const authBytes = typeof token === 'function' ? token(answer!.authBytes.toString()) : token;
    answer = await client.call('SaslAuthenticate', 2, { authBytes });
    if (answer.errorCode !== 0) break;
  }
  return answer!;
}

export function logInByPassword(client: TestClient, user: string, password: string): Promise<SaslAnswer> {
  return logIn(client, 'PLAIN', plainToken(user, password));
}

/** Logs in with a delegation token. */
export function logInByToken(client: TestClient, tokenId: string, hmac: Uint8Array): Promise<SaslAnswer> {
  const password = Buffer.from(hmac).toString('base64');
  const scram = new ScramClient(tokenId, password, undefined, ',tokenauth=true');
  return logIn(client, 'SCRAM-SHA-512', Buffer.from(scram.first), (challenge) =>
    Buffer.from(scram.final(challenge)),
  );
}

export function logInByScram(client: TestClient, user: string, password: string): Promise<SaslAnswer> {
  const scram = new ScramClient(user, password);
  return logIn(client, 'SCRAM-SHA-512', Buffer.from(scram.first), (challenge) =>
    Buffer.from(scram.final(challenge)),
  );
}
