import { hash } from 'node:crypto';

/** 256 random bits cannot be guessed, so a fast hash is enough, and a copy of the tables reveals nothing. */
const secretBytes = 32;

/** Returns a secret for a cookie or a link. It is shown once and not stored. */
export function freshToken(randomBytes: (count: number) => Uint8Array): string {
  return Buffer.from(randomBytes(secretBytes)).toString('base64url');
}

const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

export function isToken(text: string): boolean {
  return tokenPattern.test(text);
}

/** Returns a key, `aks_<64 hex>`. It is shown once and not stored. */
export function freshKeySecret(randomBytes: (count: number) => Uint8Array): string {
  return `aks_${Buffer.from(randomBytes(secretBytes)).toString('hex')}`;
}

const keySecretPattern = /^aks_[0-9a-f]{64}$/;

export function isKeySecret(text: string): boolean {
  return keySecretPattern.test(text);
}

/** Returns the stored form of a secret: its SHA-256 in hex. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}
