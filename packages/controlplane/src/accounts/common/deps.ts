import type { Clock, Log, Random } from '@weir/core';
import type { PasswordCost } from '../secrets/password-hash.ts';
import type { SecretBox } from '../secrets/secret-box.ts';

/** What the stores need of the world. */
export interface AccountsDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** For ids, which are no secrets. */
  readonly random: Random;
  /** For secrets: cryptographically secure. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** What a guess of a password costs. */
  readonly passwordCost: PasswordCost;
  /** For secrets that have to be sent to a third party. Without it none can be stored. */
  readonly secretBox?: SecretBox | undefined;
}
