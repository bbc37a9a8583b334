import { open } from 'node:fs/promises';
import type { ObjectStore } from '@weir/storage';
import { securityLimits } from '../limits.ts';

/** PEM files of a TLS listener. */
export interface TlsMaterial {
  /** The certificate of the server and its intermediate certificates. */
  readonly certificate: string;
  readonly privateKey: string;
  /** Authorities for certificates of clients and of other agents; `undefined` trusts those of the system. */
  readonly authorities: string | undefined;
}

/** Source of the files. It is polled, because certificates are replaced while an agent runs. */
export interface TlsSource {
  /** For log entries. */
  readonly name: string;
  readonly intervalMs: number;
  read(): Promise<TlsMaterial>;
}

interface TlsFiles {
  readonly certificatePath: string;
  readonly privateKeyPath: string;
  readonly authoritiesPath: string | undefined;
}

const fileIntervalMs = 5_000;
/** Longer than for files, because requests to a bucket cost money. */
const bucketIntervalMs = 60_000;

/** Objects in a bucket, relative to its prefix. */
export const tlsObjects = {
  certificate: 'server.crt',
  privateKey: 'server.key',
  authorities: 'client-ca.crt',
} as const;

/**
 * Reads whole files at each poll, because modification times are unreliable: a Kubernetes mount replaces a symbolic
 * link to a folder whose files may be older than the previous ones.
 */
export function tlsFiles({ certificatePath, privateKeyPath, authoritiesPath }: TlsFiles): TlsSource {
  return {
    name: certificatePath,
    intervalMs: fileIntervalMs,
    async read() {
      return {
        certificate: await readTextFile(certificatePath),
        privateKey: await readTextFile(privateKeyPath),
        authorities: authoritiesPath === undefined ? undefined : await readTextFile(authoritiesPath),
      };
    },
  };
}

/** The caller closes the store. */
export function tlsBucket(store: ObjectStore): TlsSource {
  return {
    name: tlsObjects.certificate,
    intervalMs: bucketIntervalMs,
    async read() {
      const hasAuthorities = (await store.head(tlsObjects.authorities)) !== undefined;
      return {
        certificate: await readObject(store, tlsObjects.certificate),
        privateKey: await readObject(store, tlsObjects.privateKey),
        authorities: hasAuthorities ? await readObject(store, tlsObjects.authorities) : undefined,
      };
    },
  };
}

async function readTextFile(path: string): Promise<string> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(securityLimits.tlsFileBytesMax + 1);
    let filled = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled);
      filled += bytesRead;
      if (bytesRead === 0 || filled === bytes.length) return textOf(path, bytes.subarray(0, filled));
    }
  } finally {
    await file.close();
  }
}

async function readObject(store: ObjectStore, key: string): Promise<string> {
  return textOf(key, await store.getRange(key, 0, securityLimits.tlsFileBytesMax + 1));
}

function textOf(name: string, bytes: Buffer): string {
  if (bytes.length > securityLimits.tlsFileBytesMax) {
    throw new Error(`${name} exceeds ${securityLimits.tlsFileBytesMax} bytes; use a PEM certificate file`);
  }
  return bytes.toString('latin1');
}
