import { createHmac, randomBytes } from 'node:crypto';
import { isPasswordOf } from '@weir/cluster';
import { RecentlyUsed } from '@weir/core';
import { securityLimits } from '../limits.ts';
import type { LoginQueue } from './login-queue.ts';
import type { KnownCredential } from './scram.ts';

interface PasswordCheckOptions {
  readonly credentialOf: (user: string) => KnownCredential;
  readonly turns: LoginQueue;
}

interface PasswordToCheck {
  readonly user: string;
  readonly password: string;
  /** Address of the client, for fairness between addresses. */
  readonly remoteAddress: string;
}

/**
 * Checks passwords against SCRAM credentials. A check takes milliseconds, so the result is cached, right or wrong, for
 * as long as the credential is unchanged: a client that reconnects is accepted at once, and one that repeats a wrong
 * password costs nothing. The cache key is a digest with a random key of this process. The time of a check does not
 * reveal whether a user exists.
 */
export class PasswordCheck {
  readonly #options: PasswordCheckOptions;
  readonly #digestKey = randomBytes(32);
  readonly #right = new RecentlyUsed<true>(securityLimits.rememberedLoginsMax);
  /** Separate, so that guessing cannot evict correct logins. */
  readonly #wrong = new RecentlyUsed<true>(securityLimits.rememberedLoginsMax);
  /** Checks in flight: clients that connect together with the same password share one check. */
  readonly #running = new Map<string, Promise<boolean | 'busy'>>();

  constructor(options: PasswordCheckOptions) {
    this.#options = options;
  }

  async check({ user, password, remoteAddress }: PasswordToCheck): Promise<'right' | 'wrong' | 'busy'> {
    const known = this.#options.credentialOf(user);
    const digest = this.#digestOf(user, password, known);
    if (this.#right.find(digest) !== undefined) return 'right';
    if (this.#wrong.find(digest) !== undefined) return 'wrong';
    let running = this.#running.get(digest);
    if (running === undefined) {
      running = this.#options.turns.run(remoteAddress, user, async () => {
        // A decoy credential matches no password, and checking it takes as long.
        return (await isPasswordOf(password, known.credential)) && known.isReal;
      });
      this.#running.set(digest, running);
      void running
        .finally(() => this.#running.delete(digest))
        // The callers that await `running` get the error.
        .catch(() => undefined);
    }
    const isRight = await running;
    if (isRight === 'busy') return 'busy';
    (isRight ? this.#right : this.#wrong).of(digest, () => true);
    return isRight ? 'right' : 'wrong';
  }

  /** Each part is prefixed with its length, so that no two inputs have the same encoding. */
  #digestOf(user: string, password: string, { credential, isReal }: KnownCredential): string {
    const digest = createHmac('sha256', this.#digestKey);
    const { storedKey, salt, iterations } = credential;
    for (const part of [Buffer.from(user), Buffer.from(password), salt, storedKey]) {
      digest.update(`${part.length}:`).update(part);
    }
    return digest.update(`${iterations}:${isReal}`).digest('base64');
  }
}
