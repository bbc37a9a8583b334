import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ScramCredential } from '@weir/cluster';
import { coreLimits, utf8Text } from '@weir/core';
import {
  type Conversation,
  challenge,
  done,
  misspoken,
  refused,
  type Step,
} from '../session/conversation.ts';
import { type ClientFirst, readClientFinal, readClientFirst } from './scram-messages.ts';

/** The credential against which a login is checked. */
export interface KnownCredential {
  readonly credential: ScramCredential;
  /** The keys of the password that a rotation replaced, while it is accepted. */
  readonly old?: ScramKeys | undefined;
  /** Whether the user exists. Other users get a decoy that looks real and matches no password. */
  readonly isReal: boolean;
}

type ScramKeys = Pick<ScramCredential, 'storedKey' | 'serverKey'>;

/** Minimum of RFC 7677. */
const iterationsMin = 4096;
const hash = 'sha512';
const keyBytes = 64;

/** Returns a new nonce for each login, which prevents replay. */
function freshNonce(): string {
  return randomBytes(24).toString('base64url');
}

/** The credential of a delegation token. */
export interface KnownToken extends KnownCredential {
  /** As whom the client acts. */
  readonly owner: string;
  readonly expiresMs: number;
}

interface ScramOptions {
  readonly credentialOf: (user: string) => KnownCredential;
  /** Those of delegation tokens by id. A token that does not exist, or has expired, gets a decoy. */
  readonly tokenOf: (tokenId: string) => KnownToken;
  readonly nonce?: () => string;
}

/** State after the first two messages. */
interface Begun {
  readonly first: ClientFirst;
  readonly nonce: string;
  readonly serverFirst: string;
}

/**
 * SCRAM-SHA-512 (RFC 5802): the client proves that it has the password, and the server that it has the keys derived
 * from it; neither is sent. Names and passwords are not normalized, as in Kafka. A user that does not exist gets a salt
 * and iterations like any other, always the same, and fails at the same step as a wrong password: at the proof. During
 * a rotation the proof may be that of either password, and the signature is made with the keys of the same one.
 *
 * With the extension `tokenauth=true` the user is the id of a delegation token, and the client acts as its owner.
 *
 * ```
 *  client   n,,n=user,r=<nonce of the client>
 *  server   r=<nonces of both>,s=<salt>,i=<iterations>
 *  client   c=<the header again>,r=<nonces of both>,p=<proof>
 *  server   v=<signature>
 * ```
 */
export class ScramConversation implements Conversation {
  readonly #options: ScramOptions;
  #begun: Begun | undefined;

  constructor(options: ScramOptions) {
    this.#options = options;
  }

  step(token: Buffer): Step {
    const text = utf8Text(token);
    if (text === undefined) return misspoken('SCRAM message is not UTF-8');
    return this.#begun === undefined ? this.#begin(text) : this.#end(text, this.#begun);
  }

  #begin(text: string): Step {
    const first = readClientFirst(text);
    if ('problem' in first) return misspoken(first.problem);
    if (first.user.length > coreLimits.principalNameCharsMax) return misspoken('user name is too long');
    const known = this.#knownBy(first);
    const { salt, iterations } = known.credential;
    if (iterations < iterationsMin) {
      return refused(
        first.user,
        `credential has ${iterations} iterations, below the minimum of ${iterationsMin}`,
      );
    }
    const nonce = `${first.nonce}${(this.#options.nonce ?? freshNonce)()}`;
    const serverFirst = `r=${nonce},s=${Buffer.from(salt).toString('base64')},i=${iterations}`;
    this.#begun = { first, nonce, serverFirst };
    return challenge(serverFirst);
  }

  #end(text: string, { first, nonce, serverFirst }: Begun): Step {
    const final = readClientFinal(text);
    const { user } = first;
    if ('problem' in final) return misspoken(final.problem, user);
    if (final.channelBinding !== Buffer.from(first.gs2Header).toString('base64')) {
      return misspoken('channel binding differs from the first message', user);
    }
    // librdkafka before 2.6.1 repeats its own nonce. The result contains the nonce of the server and is covered by the
    // proof, so it is as safe.
    if (final.nonce !== nonce && final.nonce !== `${first.nonce}${nonce}`) {
      return misspoken('nonce does not match', user);
    }
    const signed = `${first.bare},${serverFirst},${final.withoutProof}`;
    // Read again, so that a client that waits in between cannot use a password that ended.
    const known = this.#knownBy(first);
    const { credential, old, isReal } = known;
    const proven = [credential, old].find((keys) => keys && isProof(final.proof, keys.storedKey, signed));
    if (proven === undefined || !isReal) return refused(user, isReal ? 'wrong proof' : 'unknown user');
    const token = `v=${mac(proven.serverKey, signed).toString('base64')}`;
    if (!('owner' in known)) return done(user, { token, hasOldPassword: proven === old });
    return done(known.owner, { token, validUntilMs: known.expiresMs, isToken: true });
  }

  #knownBy({ user, isToken }: ClientFirst): KnownCredential | KnownToken {
    return isToken ? this.#options.tokenOf(user) : this.#options.credentialOf(user);
  }
}

function isProof(proof: Buffer, storedKey: Uint8Array, signed: string): boolean {
  if (proof.length !== keyBytes || storedKey.length !== keyBytes) return false;
  const signature = mac(storedKey, signed);
  const clientKey = Buffer.from(proof.map((byte, index) => byte ^ signature[index]!));
  return timingSafeEqual(createHash(hash).update(clientKey).digest(), storedKey);
}

function mac(key: Uint8Array, text: string): Buffer {
  return createHmac(hash, key).update(text).digest();
}
