import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { object, type Values } from '../component/field.ts';
import { string } from '../component/field-types.ts';
import type { ServerAddress } from '../component/server-address.ts';

export const authFields = object('Logins with keys and tokens; a user and a password are part of a URL.', {
  nkey_file: string('A file with the seed of an NKey.').or('').localOnly(),
  user_credentials_file: string('A file with a JWT of a user and the seed of its NKey.').or('').localOnly(),
  user_jwt: string('The JWT of a user.').or('').secret(),
  user_nkey_seed: string('The seed of the NKey of this user.').or('').secret(),
}).advanced();

type Auth = Values<{ auth: typeof authFields }>['auth'];

/** What `CONNECT` says about who connects. The server chose the nonce. */
export async function loginOf(
  auth: Auth,
  { username, password }: Pick<ServerAddress, 'username' | 'password'>,
  nonce: string,
): Promise<Readonly<Record<string, string>>> {
  const { nkey_file, user_credentials_file, user_jwt, user_nkey_seed } = auth;
  if (nkey_file !== '') {
    const key = keyOf(await readFile(nkey_file, 'utf8'));
    return { nkey: key.publicKey, sig: key.sign(nonce) };
  }
  if (user_credentials_file !== '') {
    const text = await readFile(user_credentials_file, 'utf8');
    const [jwt, seed] = [...text.matchAll(/-{3,}[^\n]*BEGIN[^\n]*\n([^-]+)\n-{3,}/g)].map(([, block]) =>
      block!.trim(),
    );
    if (jwt === undefined || seed === undefined)
      throw new Error(`${user_credentials_file} is no file of credentials: it needs a JWT and a seed`);
    return { jwt, sig: keyOf(seed).sign(nonce) };
  }
  if (user_jwt !== '') return { jwt: user_jwt, sig: keyOf(user_nkey_seed).sign(nonce) };
  if (username === '') return {};
  // A URL with one name has a token.
  return password === '' ? { auth_token: username } : { user: username, pass: password };
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** What PKCS 8 has before the 32 bytes of a key of Ed25519. */
const derPrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const seedPrefix = 18 << 3;
const userPrefix = 20 << 3;

/** The key of a user, of its seed (`SU…`). Errors do not repeat the seed. */
export function keyOf(text: string): { readonly publicKey: string; sign(nonce: string): string } {
  const [found = ''] = /\bSU[A-Z2-7]{56}\b/.exec(text) ?? [];
  const bytes = fromBase32(found);
  const body = bytes.subarray(0, -2);
  const isSeed =
    bytes.length === 36 &&
    (bytes[0]! & 0xf8) === seedPrefix &&
    (((bytes[0]! & 7) << 5) | (bytes[1]! >> 3)) === userPrefix &&
    crc16(body) === bytes.readUInt16LE(34);
  if (!isSeed) throw new Error('the seed is none of the NKey of a user; it begins with SU');
  const key = createPrivateKey({
    key: Buffer.concat([derPrefix, body.subarray(2)]),
    format: 'der',
    type: 'pkcs8',
  });
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  const named = Buffer.concat([Buffer.of(userPrefix), raw]);
  const check = Buffer.alloc(2);
  check.writeUInt16LE(crc16(named));
  return {
    publicKey: toBase32(Buffer.concat([named, check])),
    sign: (nonce) => sign(null, Buffer.from(nonce), key).toString('base64url'),
  };
}

function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  for (const sign of text) {
    bits = ((bits << 5) | alphabet.indexOf(sign)) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 0xff);
  }
  return Buffer.from(bytes);
}

function toBase32(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff;
    count += 8;
    for (; count >= 5; count -= 5) text += alphabet[(bits >> (count - 5)) & 31];
  }
  return count === 0 ? text : text + alphabet[(bits << (5 - count)) & 31];
}

/** CRC-16/XMODEM. */
function crc16(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc;
}
