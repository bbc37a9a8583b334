import type { Environment } from '@weir/core';
import { StoreError } from '../store/store-error.ts';
import { BucketUrl, serverOf } from '../store-http/bucket-url.ts';

/** The location of a bucket, and whether requests to it carry credentials. */
export interface GsLocation {
  readonly bucket: string;
  /** `undefined` for Google itself. */
  readonly endpoint: string | undefined;
  readonly isAnonymous: boolean;
}

const parameters = ['prefix', 'endpoint', 'anonymous'];

/** Parses `gs://bucket?prefix=…&endpoint=…&anonymous=…`. The prefix is handled elsewhere. */
export function parseGsUrl(url: URL): GsLocation {
  const given = new BucketUrl(url, parameters);
  given.requireNoUser('GOOGLE_APPLICATION_CREDENTIALS');
  const { bucket } = given;
  if (!isBucketName(bucket)) {
    throw given.refusal(
      'a bucket name has 3 to 63 lower-case letters, digits, dots, hyphens and underscores',
    );
  }
  const endpoint = given.server('endpoint', 'https');
  return { bucket, endpoint, isAnonymous: given.flag('anonymous') || isPlain(endpoint) };
}

/** The location of a URL, on the emulator that `STORAGE_EMULATOR_HOST` names unless the URL names a server. */
export function locate(url: URL, { STORAGE_EMULATOR_HOST: emulator = '' }: Environment): GsLocation {
  const location = parseGsUrl(url);
  if (location.endpoint !== undefined || emulator === '') return location;
  const endpoint = serverOf(emulator, 'http');
  if (endpoint === undefined) {
    throw new StoreError('invalid', 'STORAGE_EMULATOR_HOST', 'it must be a host or the URL of a server');
  }
  return { ...location, endpoint, isAnonymous: true };
}

/** Dotted names have up to 222 characters, 63 in each part. */
function isBucketName(name: string): boolean {
  return (
    name.length <= 222 &&
    /^[a-z\d][a-z\d._-]+[a-z\d]$/.test(name) &&
    /^[^.]{1,63}(?:\.[^.]{1,63})*$/.test(name)
  );
}

/** A token is never sent in clear text. */
function isPlain(endpoint: string | undefined): boolean {
  return endpoint?.startsWith('http:') === true;
}
