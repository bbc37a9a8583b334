/** The server side of SASL for tests, written from the RFCs and independent of the client. */

import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';

export interface FakeSaslOptions {
  readonly mechanisms: readonly string[];
  /** Passwords by user. */
  readonly users?: Readonly<Record<string, string>>;
  /** The valid tokens. */
  readonly tokens?: ReadonlySet<string>;
  /** Whether connections without a login are closed. */
  readonly isRequired?: boolean;
  /** How long a login is valid. */
  readonly sessionLifetimeMs?: number;
  /** Corrupts a message of the server. */
  readonly spoil?: (message: string) => string;
  readonly iterations?: number;
  /** Whether the signed message of AWS_MSK_IAM is right. */
  readonly acceptsSigned?: (message: string) => boolean;
}

type FakeSaslReply = { readonly bytes: Buffer; readonly isDone: boolean } | { readonly refuse: string };

/** One login on one connection. */
export class FakeSaslLogin {
  readonly #options: FakeSaslOptions;
  readonly #mechanism: string;
  #clientFirstBare = '';
  #serverFirst = '';
  #salted = Buffer.alloc(0);
  #isTokenRefused = false;

  constructor(options: FakeSaslOptions, mechanism: string) {
    this.#options = options;
    this.#mechanism = mechanism;
  }

  get #digest(): 'sha256' | 'sha512' {
    return this.#mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha512';
  }

  get #digestBytes(): number {
    return this.#digest === 'sha256' ? 32 : 64;
  }

  reply(token: Buffer): FakeSaslReply {
    if (this.#mechanism === 'PLAIN') return this.#plain(token.toString());
    if (this.#mechanism === 'OAUTHBEARER') return this.#token(token.toString());
    if (this.#mechanism === 'AWS_MSK_IAM')
      return this.#options.acceptsSigned?.(token.toString())
        ? done('{"version":"2020_10_22","request-id":"1"}')
        : { refuse: 'Access denied' };
    return this.#serverFirst === '' ? this.#scramFirst(token.toString()) : this.#scramFinal(token.toString());
  }

  #plain(message: string): FakeSaslReply {
    const [authorization, user, password, ...rest] = message.split('\0');
    const isRight = authorization === '' && rest.length === 0 && this.#options.users?.[user!] === password;
    return isRight ? done('') : { refuse: 'wrong user or password' };
  }

  #token(message: string): FakeSaslReply {
    if (this.#isTokenRefused) return { refuse: message === '\u0001' ? 'bad token' : 'no goodbye' };
    const [header, authorization = '', ...rest] = message.split('\u0001');
    const token = authorization.replace(/^auth=Bearer /, '');
    const isWellFormed = header === 'n,,' && token !== authorization && rest.join() === ',';
    if (isWellFormed && this.#options.tokens?.has(token)) return done('');
    this.#isTokenRefused = true;
    return { bytes: Buffer.from('{"status":"invalid_token"}'), isDone: false };
  }

  #scramFirst(message: string): FakeSaslReply {
    const [, bare = '', name = '', nonce = ''] = /^n,,(n=([^,]*),r=([^,]+))$/.exec(message) ?? [];
    const password = this.#options.users?.[name.replaceAll('=2C', ',').replaceAll('=3D', '=')];
    if (password === undefined) return { refuse: 'wrong user or password' };
    const { iterations = 4096, spoil = (text: string) => text } = this.#options;
    const salt = createHash('sha256').update(name).digest();
    this.#salted = pbkdf2Sync(password, salt, iterations, this.#digestBytes, this.#digest);
    this.#clientFirstBare = bare;
    this.#serverFirst = `r=${nonce}server,s=${salt.toString('base64')},i=${iterations}`;
    return { bytes: Buffer.from(spoil(this.#serverFirst)), isDone: false };
  }

  #scramFinal(message: string): FakeSaslReply {
    const [, withoutProof = '', proof = ''] = /^(c=biws,r=[^,]+),p=(.+)$/.exec(message) ?? [];
    const authMessage = `${this.#clientFirstBare},${this.#serverFirst},${withoutProof}`;
    const hmac = (key: Buffer, text: string) => createHmac(this.#digest, key).update(text).digest();
    const clientKey = hmac(this.#salted, 'Client Key');
    const signature = hmac(createHash(this.#digest).update(clientKey).digest(), authMessage);
    const expected = Buffer.from(clientKey.map((byte, index) => byte ^ signature[index]!));
    if (expected.toString('base64') !== proof) return { refuse: 'wrong user or password' };
    const { spoil = (text: string) => text } = this.#options;
    return done(spoil(`v=${hmac(hmac(this.#salted, 'Server Key'), authMessage).toString('base64')}`));
  }
}

function done(message: string): FakeSaslReply {
  return { bytes: Buffer.from(message), isDone: true };
}
