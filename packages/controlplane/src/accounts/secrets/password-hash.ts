import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** The cost of computing a hash, and so of a guess by a thief. */
export interface PasswordCost {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** The cost that OWASP recommends for Argon2id: some 30 ms and 19 MiB. */
export const defaultPasswordCost: PasswordCost = { memoryKiB: 19_456, passes: 2, parallelism: 1 };

const saltBytes = 16;
const tagBytes = 32;
/**
 * Limits on the parameters of a stored hash. The hashes are ours; the limits prevent a manipulated one from stalling
 * the process.
 */
const memoryKiBMax = 1024 * 1024;
const passesMax = 100;
const parallelismMax = 16;

const computeArgon2 = promisify(argon2);

/** Returns an Argon2id hash in PHC format: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`. */
export async function hashPassword(
  password: string,
  cost: PasswordCost,
  randomBytes: (count: number) => Uint8Array,
): Promise<string> {
  const salt = randomBytes(saltBytes);
  const tag = await compute(password, cost, salt, tagBytes);
  const { memoryKiB, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

/** Takes as long for a wrong password as for the right one. */
export async function isPasswordOf(password: string, stored: string): Promise<boolean> {
  const { cost, salt, tag } = parse(stored);
  return timingSafeEqual(await compute(password, cost, salt, tag.length), tag);
}

/** Whether the cost of a hash differs from the current one. */
export function isOutdated(stored: string, { memoryKiB, passes, parallelism }: PasswordCost): boolean {
  const { cost } = parse(stored);
  return cost.memoryKiB !== memoryKiB || cost.passes !== passes || cost.parallelism !== parallelism;
}

function compute(
  password: string,
  { memoryKiB, passes, parallelism }: PasswordCost,
  salt: Uint8Array,
  tagLength: number,
): Promise<Buffer> {
  // Keyboards encode the same character in different ways.
  const message = Buffer.from(password.normalize('NFKC'));
  return computeArgon2('argon2id', {
    message,
    nonce: salt,
    parallelism,
    tagLength,
    memory: memoryKiB,
    passes,
  });
}

const phcPattern =
  /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;

interface ParsedHash {
  readonly cost: PasswordCost;
  readonly salt: Uint8Array;
  readonly tag: Uint8Array;
}

function parse(stored: string): ParsedHash {
  const parts = phcPattern.exec(stored);
  if (parts === null) throw new Error('accounts: a stored password is not in the format of Argon2id');
  const [memoryKiB, passes, parallelism] = parts.slice(1, 4).map(Number) as [number, number, number];
  if (memoryKiB > memoryKiBMax || passes > passesMax || parallelism > parallelismMax)
    throw new Error('accounts: a stored password asks for more work than any that was made here');
  return {
    cost: { memoryKiB, passes, parallelism },
    salt: Buffer.from(parts[4]!, 'base64'),
    tag: Buffer.from(parts[5]!, 'base64'),
  };
}

/** PHC writes base64 without padding. */
function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}
