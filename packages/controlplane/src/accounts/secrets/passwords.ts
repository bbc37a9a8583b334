import { ApiError } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { controlPlaneLimits } from '../../limits.ts';
import { hashPassword, isOutdated, isPasswordOf, type PasswordCost } from './password-hash.ts';

/** Long passwords need no rules about their characters. */
const passwordCharsMin = 12;

interface PasswordsOptions {
  readonly cost: PasswordCost;
  readonly randomBytes: (count: number) => Uint8Array;
}

/**
 * Hashes passwords, few at a time: each takes megabytes and a thread of the pool that file access and DNS lookups need
 * too. Requests beyond the queue are refused.
 */
export class Passwords {
  readonly #options: PasswordsOptions;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /** A hash that no password matches, at the current cost. Made early, so that its first use does not take longer. */
  #dummy: Promise<string> | undefined;

  constructor(options: PasswordsOptions) {
    this.#options = options;
    this.#dummyHash().catch(() => {});
  }

  async hash(password: string): Promise<string> {
    if (password.length < passwordCharsMin || password.length > apiLimits.passwordCharsMax)
      throw new ApiError(
        'invalid_request',
        `A password has ${passwordCharsMin} to ${apiLimits.passwordCharsMax} characters.`,
      );
    return this.#inTurn(() => hashPassword(password, this.#options.cost, this.#options.randomBytes));
  }

  /** Without a hash the result is false, after the same work: the time does not reveal which users have a password. */
  async isRight(password: string, stored: string | null): Promise<boolean> {
    if (password.length > apiLimits.passwordCharsMax) return false;
    const compared = stored ?? (await this.#dummyHash());
    const isSame = await this.#inTurn(() => isPasswordOf(password, compared));
    return isSame && stored !== null;
  }

  /** Whether the password should be hashed again, now that it is available. */
  isOutdated(stored: string): boolean {
    return isOutdated(stored, this.#options.cost);
  }

  #dummyHash(): Promise<string> {
    this.#dummy ??= this.hash(Buffer.from(this.#options.randomBytes(32)).toString('hex')).catch((error) => {
      this.#dummy = undefined;
      throw error;
    });
    return this.#dummy;
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= controlPlaneLimits.passwordHashesRunningMax) {
      if (this.#waiting.length >= controlPlaneLimits.passwordHashesWaitingMax)
        throw new ApiError('rate_limited', 'Too many people sign in at the moment. Try again soon.');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await work();
    } finally {
      // Passes the slot to the next waiter, or frees it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
