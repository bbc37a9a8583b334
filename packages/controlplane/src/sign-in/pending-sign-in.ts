import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '@weir/core';
import type { CodeAttempt } from '@weir/oidc';
import type { SecretBox } from '../accounts/secrets/secret-box.ts';
import { freshToken } from '../accounts/secrets/secrets.ts';

/** A sign-in whose user is at the identity provider. */
export interface PendingSignIn extends CodeAttempt {
  /** Of the connection. */
  readonly connectionId: string;
  /** Where he goes afterwards. */
  readonly returnPath: string;
  /** The session that his browser had, which ends when he comes back. */
  readonly replacedToken: string | undefined;
  readonly endMs: number;
}

/** Nobody takes longer to find his password. */
export const pendingMsMax = 10 * 60_000;

const purpose = 'a sign-in that is under way';

/**
 * What is known of a sign-in that is under way is kept by the browser, sealed, and by nobody else. So any process can end what another
 * has begun, and whoever begins a million sign-ins fills no table.
 */
export class PendingSignIns {
  readonly #box: SecretBox;
  readonly #clock: Clock;
  readonly #randomBytes: (count: number) => Uint8Array;

  constructor(box: SecretBox, clock: Clock, randomBytes: (count: number) => Uint8Array) {
    this.#box = box;
    this.#clock = clock;
    this.#randomBytes = randomBytes;
  }

  begin(about: Pick<PendingSignIn, 'connectionId' | 'returnPath' | 'replacedToken'>): PendingSignIn {
    const fresh = () => freshToken(this.#randomBytes);
    return {
      ...about,
      state: fresh(),
      nonce: fresh(),
      codeVerifier: fresh(),
      endMs: this.#clock.nowMs() + pendingMsMax,
    };
  }

  seal(pending: PendingSignIn): string {
    return this.#box.seal(JSON.stringify(pending), purpose);
  }

  /** The sign-in that a browser keeps, if it is the one that has this state and its time is not over. */
  open(sealed: string | undefined, state: string | null): PendingSignIn | undefined {
    if (sealed === undefined || state === null) return undefined;
    try {
      const pending = JSON.parse(this.#box.open(sealed, purpose)) as PendingSignIn;
      return pending.endMs > this.#clock.nowMs() && isSame(pending.state, state) ? pending : undefined;
    } catch {
      return undefined;
    }
  }
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
