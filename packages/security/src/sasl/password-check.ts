import { createHmac, randomBytes } from 'node:crypto';
import { matchingPassword } from '@weir/cluster';
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

/** A login with a right password. */
export interface PasswordLogin {
  readonly user: string;
  /** Whether it was the password that a rotation replaced. */
  readonly hasOldPassword: boolean;
}

/** `old` is right too: the password that a rotation replaced. `busy`: too many checks wait. */
export type PasswordAnswer = 'right' | 'old' | 'wrong' | 'busy';

/**
 * Checks passwords against SCRAM credentials. A check takes milliseconds, so the result is cached, right or wrong, for
 * as long as its passwords are unchanged: a client that reconnects is accepted at once, and one that repeats a wrong
 * password costs nothing. The cache key is a digest with a random key of this process. The time of a check does not
 * reveal whether a user exists.
 */
export class PasswordCheck {
  readonly #options: PasswordCheckOptions;
  readonly #digestKey = randomBytes(32);
  readonly #right = new RecentlyUsed<'right' | 'old'>(securityLimits.rememberedLoginsMax);
  /** Separate, so that guessing cannot evict correct logins. */
  readonly #wrong = new RecentlyUsed<true>(securityLimits.rememberedLoginsMax);
  /** Checks in flight: clients that connect together with the same password share one check. */
  readonly #running = new Map<string, Promise<PasswordAnswer>>();

  constructor(options: PasswordCheckOptions) {
    this.#options = options;
  }

  async check({ user, password, remoteAddress }: PasswordToCheck): Promise<PasswordAnswer> {
    const known = this.#options.credentialOf(user);
    const digest = this.#digestOf(user, password, known);
    const remembered = this.#right.find(digest);
    if (remembered !== undefined) return remembered;
    if (this.#wrong.find(digest) !== undefined) return 'wrong';
    let running = this.#running.get(digest);
    if (running === undefined) {
      running = this.#options.turns.run(remoteAddress, user, () => answerOf(password, known));
      this.#running.set(digest, running);
      void running
        .finally(() => this.#running.delete(digest))
        // The callers that await `running` get the error.
        .catch(() => undefined);
    }
    const answer = await running;
    if (answer === 'wrong') this.#wrong.of(digest, () => true);
    else if (answer !== 'busy') this.#right.of(digest, () => answer);
    return answer;
  }

  /** Each part is prefixed with its length, so that no two inputs have the same encoding. */
  #digestOf(user: string, password: string, { credential, old, isReal }: KnownCredential): string {
    const digest = createHmac('sha256', this.#digestKey);
    const { storedKey, salt, iterations } = credential;
    const oldKey = old?.storedKey ?? noKey;
    for (const part of [Buffer.from(user), Buffer.from(password), salt, storedKey, oldKey]) {
      digest.update(`${part.length}:`).update(part);
    }
    return digest.update(`${iterations}:${isReal}`).digest('base64');
  }
}

const noKey = Buffer.alloc(0);

/** A decoy credential matches no password, and checking it takes as long. */
async function answerOf(password: string, known: KnownCredential): Promise<'right' | 'old' | 'wrong'> {
  const matching = await matchingPassword(password, known.credential, known.old);
  if (matching === undefined || !known.isReal) return 'wrong';
  return matching === 'current' ? 'right' : 'old';
}
