import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

/**
 * Seals secrets that have to be sent to a third party, so that a hash will not do. A copy of the tables, as from a
 * backup, is useless without the key, which is stored elsewhere.
 */
export interface SecretBox {
  /** `purpose` names the place of the secret. A secret that is moved elsewhere does not open. */
  seal(secret: string, purpose: string): string;
  /** Throws if the secret was sealed with a removed key, for another purpose, or not at all. */
  open(sealed: string, purpose: string): string;
}

export const secretKeyBytes = 32;

const saltBytes = 16;
const tagBytes = 16;
const cipherKeyBytes = 32;
const nonceBytes = 12;
const cipherName = 'aes-256-gcm';

interface KnownKey {
  readonly bytes: Uint8Array;
  /** Identifies the key without revealing it. */
  readonly id: string;
}

/** Creates a secret box. The first key seals, and all of them open, so that a key can be replaced. */
export function createSecretBox(
  keys: readonly [Uint8Array, ...Uint8Array[]],
  randomBytes: (count: number) => Uint8Array,
): SecretBox {
  const known = keys.map(
    (bytes): KnownKey => ({ bytes, id: derived(bytes, '', 'key id', 6).toString('hex') }),
  );
  const [sealing] = known;
  return {
    seal(secret, purpose) {
      const salt = randomBytes(saltBytes);
      const { key, nonce } = cipherOf(sealing!, salt);
      const cipher = createCipheriv(cipherName, key, nonce).setAAD(Buffer.from(purpose));
      const parts = [salt, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return `v1.${sealing!.id}.${Buffer.concat(parts).toString('base64url')}`;
    },

    open(sealed, purpose) {
      const [, keyId, text] = /^v1\.([0-9a-f]{12})\.([\w-]+)$/.exec(sealed) ?? [];
      if (keyId === undefined || text === undefined)
        throw new Error('the stored secret is not in the format of a sealed secret');
      const opening = known.find(({ id }) => id === keyId);
      if (opening === undefined)
        throw new Error(`sealed with the key ${keyId}, which the file of sealing keys lacks; add it again`);
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length < saltBytes + tagBytes)
        throw new Error('the stored secret is not in the format of a sealed secret');
      const { key, nonce } = cipherOf(opening, bytes.subarray(0, saltBytes));
      const decipher = createDecipheriv(cipherName, key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-tagBytes));
      try {
        const opened = decipher.update(bytes.subarray(saltBytes, -tagBytes));
        return Buffer.concat([opened, decipher.final()]).toString();
      } catch {
        throw new Error('the sealed text was changed, or sealed for another purpose');
      }
    },
  };
}

/** Every secret has its own derived key and nonce, so that no two secrets share them. */
function cipherOf({ bytes }: KnownKey, salt: Uint8Array): { readonly key: Buffer; readonly nonce: Buffer } {
  const made = derived(bytes, salt, 'sealing', cipherKeyBytes + nonceBytes);
  return { key: made.subarray(0, cipherKeyBytes), nonce: made.subarray(cipherKeyBytes) };
}

function derived(bytes: Uint8Array, salt: Uint8Array | string, use: string, count: number): Buffer {
  return Buffer.from(hkdfSync('sha256', bytes, salt, `weir secret box v1: ${use}`, count));
}
