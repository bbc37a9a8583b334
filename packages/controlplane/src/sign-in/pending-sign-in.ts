import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '@weir/core';
import type { CodeAttempt } from '@weir/oidc';
import type { SecretBox } from '../accounts/secrets/secret-box.ts';
import { freshToken } from '../accounts/secrets/secrets.ts';

/** A sign-in whose user is at the identity provider. */
export interface PendingSignIn extends CodeAttempt {
  /** Of the connection. */
  readonly connectionId: string;
  /** Where the browser goes afterwards. */
  readonly returnPath: string;
  /** The previous session of the browser, which ends when it comes back. */
  readonly replacedToken: string | undefined;
  readonly endMs: number;
}

/** Longer than any user takes to sign in. */
export const pendingMsMax = 10 * 60_000;

const purpose = 'a sign-in that is under way';

/**
 * The state of a pending sign-in is only in the browser, sealed. So any process can finish what another began, and a
 * million pending sign-ins fill no table.
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

  /** Opens the pending sign-in of a browser, if it has this state and has not expired. */
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
