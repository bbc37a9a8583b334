import type { Clock, Log, Random } from '@weir/core';
import type { PasswordCost } from '../secrets/password-hash.ts';
import type { SecretBox } from '../secrets/secret-box.ts';

/** External dependencies of the stores. */
export interface AccountsDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** For ids, which are not secret. */
  readonly random: Random;
  /** For secrets: cryptographically secure. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** The cost of hashing a password, and so of a guess. */
  readonly passwordCost: PasswordCost;
  /** Seals secrets that have to be sent to a third party. Without it none can be stored. */
  readonly secretBox?: SecretBox | undefined;
}
