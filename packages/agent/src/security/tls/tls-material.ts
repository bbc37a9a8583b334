import { open } from 'node:fs/promises';
import type { ObjectStore } from '@weir/storage';
import { agentLimits } from '../../limits.ts';

/** What a listener needs to speak TLS, each as PEM. */
export interface TlsMaterial {
  /** The certificate of the server, and those between it and its authority. */
  readonly certificate: string;
  readonly privateKey: string;
  /** Who may sign certificates of clients and of other agents; `undefined` trusts the authorities of the system. */
  readonly authorities: string | undefined;
}

/** Where the material comes from. It is read again from time to time, because certificates are replaced while an agent runs. */
export interface TlsSource {
  /** For the log. */
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
/** Requests to a bucket cost something. */
const bucketIntervalMs = 60_000;

/** The objects of a bucket, below its prefix. */
export const tlsObjects = {
  certificate: 'server.crt',
  privateKey: 'server.key',
  authorities: 'client-ca.crt',
} as const;

/**
 * Whole contents are compared rather than times of change: a mount of Kubernetes replaces a symbolic link to the folder, whose
 * files may well be older than those before.
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

/** The store is the caller's to close. */
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
    const bytes = Buffer.alloc(agentLimits.tlsFileBytesMax + 1);
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
  return textOf(key, await store.getRange(key, 0, agentLimits.tlsFileBytesMax + 1));
}

function textOf(name: string, bytes: Buffer): string {
  if (bytes.length > agentLimits.tlsFileBytesMax) {
    throw new Error(`${name} has more than ${agentLimits.tlsFileBytesMax} bytes, which no certificates take`);
  }
  return bytes.toString('latin1');
}
