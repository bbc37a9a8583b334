import { createHmac, randomBytes } from 'node:crypto';
import { isPasswordOf } from '@weir/cluster';
import { RecentlyUsed } from '@weir/core';
import { agentLimits } from '../../limits.ts';
import type { LoginQueue } from './login-queue.ts';
import type { KnownCredential } from './scram.ts';

interface PasswordCheckOptions {
  readonly credentialOf: (user: string) => KnownCredential;
  readonly turns: LoginQueue;
}

interface PasswordToCheck {
  readonly user: string;
  readonly password: string;
  /** Where the client is: addresses take turns. */
  readonly remoteAddress: string;
}

/**
 * Checks passwords against what SCRAM keeps of them. That takes milliseconds, so that the answer is remembered, right or wrong, for as
 * long as the credential is the same: a client that connects again is let in at once, and one that goes on with a wrong password
 * costs nothing. What is remembered is a digest under a key that lives and dies with the process. Nobody can see by the time that it
 * takes whether a user exists.
 */
export class PasswordCheck {
  readonly #options: PasswordCheckOptions;
  readonly #digestKey = randomBytes(32);
  readonly #right = new RecentlyUsed<true>(agentLimits.rememberedLoginsMax);
  /** Apart, so that nobody can push out what was right by guessing. */
  readonly #wrong = new RecentlyUsed<true>(agentLimits.rememberedLoginsMax);
  /** Clients of one kind come together, and are checked once. */
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
        // Nothing fits those of users that do not exist, and asking takes as long.
        return (await isPasswordOf(password, known.credential)) && known.isReal;
      });
      this.#running.set(digest, running);
      void running
        .finally(() => this.#running.delete(digest))
        // Whoever asked is told of it.
        .catch(() => undefined);
    }
    const isRight = await running;
    if (isRight === 'busy') return 'busy';
    (isRight ? this.#right : this.#wrong).of(digest, () => true);
    return isRight ? 'right' : 'wrong';
  }

  /** Lengths go before what has any length, so that no two questions have the same digest. */
  #digestOf(user: string, password: string, { credential, isReal }: KnownCredential): string {
    const digest = createHmac('sha256', this.#digestKey);
    const { storedKey, salt, iterations } = credential;
    for (const part of [Buffer.from(user), Buffer.from(password), salt, storedKey]) {
      digest.update(`${part.length}:`).update(part);
    }
    return digest.update(`${iterations}:${isReal}`).digest('base64');
  }
}
