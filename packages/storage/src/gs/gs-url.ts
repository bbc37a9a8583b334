import type { Environment } from '@weir/core';
import { StoreError } from '../store/store-error.ts';
import { isServer } from '../store-http/endpoint.ts';

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
  const subject = `gs://${url.host}`;
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    throw new StoreError(
      'invalid',
      subject,
      `there is no parameter ${unknown}, only ${parameters.join(', ')}`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new StoreError('invalid', 'gs://', 'a bucket URL has no user: set GOOGLE_APPLICATION_CREDENTIALS');
  }
  if (url.pathname.length > 1) {
    throw new StoreError(
      'invalid',
      subject,
      'a folder inside the bucket is named by prefix=, not by the path',
    );
  }
  if (!isBucketName(url.host)) {
    throw new StoreError(
      'invalid',
      subject,
      'a bucket name has 3 to 63 lower-case letters, digits, dots, hyphens and underscores',
    );
  }
  const named = url.searchParams.get('endpoint');
  const endpoint = named === null ? undefined : serverOf(named, 'https');
  if (named !== null && endpoint === undefined) {
    throw new StoreError('invalid', subject, 'endpoint= is no host and no URL');
  }
  const anonymous = url.searchParams.get('anonymous') ?? 'false';
  if (anonymous !== 'true' && anonymous !== 'false') {
    throw new StoreError('invalid', subject, 'anonymous is true or false');
  }
  return { bucket: url.host, endpoint, isAnonymous: anonymous === 'true' || isPlain(endpoint) };
}

/** The location of a URL, on the emulator that `STORAGE_EMULATOR_HOST` names unless the URL names a server. */
export function locate(url: URL, { STORAGE_EMULATOR_HOST: emulator = '' }: Environment): GsLocation {
  const location = parseGsUrl(url);
  if (location.endpoint !== undefined || emulator === '') return location;
  const endpoint = serverOf(emulator, 'http');
  if (endpoint === undefined) {
    throw new StoreError('invalid', 'STORAGE_EMULATOR_HOST', 'it is no host and no URL');
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

function serverOf(text: string, scheme: 'http' | 'https'): string | undefined {
  const url = (/^https?:\/\//.test(text) ? text : `${scheme}://${text}`).replace(/\/$/, '');
  return isServer(url) ? url : undefined;
}

/** A token is never sent in clear text. */
function isPlain(endpoint: string | undefined): boolean {
  return endpoint?.startsWith('http:') === true;
}
