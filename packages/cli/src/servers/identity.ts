import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshKeySecret } from '@weir/controlplane/process';
import { Failure } from '@weir/core';
import { makeDirectory } from '@weir/journal';
import { explaining } from './data-directory.ts';

/** The identity of a self-contained process: the cluster it serves, the agent it runs, and the key between the two. */
export interface Identity {
  readonly clusterId: string;
  readonly agentId: string;
  readonly agentKey: string;
  /** The key with which the user's tools call the API. */
  readonly applicationKey: string;
  /** The key that creates keys and MCP configurations: `weir cli create-key`, `weir cli mcp-config`. */
  readonly accountKey: string;
  /** Whether the account key was just added to the identity of an earlier release. */
  readonly isAccountKeyNew?: boolean;
}

export function newIdentity(): Identity {
  return {
    clusterId: `vci_${randomUUID().replaceAll('-', '_')}`,
    agentId: randomUUID(),
    agentKey: freshKeySecret(randomBytes),
    applicationKey: freshKeySecret(randomBytes),
    accountKey: freshKeySecret(randomBytes),
  };
}

/**
 * The identity in a data directory, created if the directory is new. Only its owner may read it, because it contains
 * keys.
 */
export function identityIn(dataDir: string): Identity {
  return explaining(dataDir, () => {
    makeDirectory(dataDir);
    const path = join(dataDir, 'identity.json');
    if (existsSync(path)) return readIdentity(path);
    const identity = newIdentity();
    // A second process that starts at the same time must not replace an identity that the first already uses.
    try {
      writeFileSync(path, printed(identity), { flag: 'wx', mode: 0o600 });
      return identity;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return readIdentity(path);
    }
  });
}

/** Creates the identity of a cluster that was restored: its own id, and new keys. */
export function restoredIdentityIn(dataDir: string, clusterId: string): void {
  explaining(dataDir, () => {
    const identity = { ...newIdentity(), clusterId };
    writeFileSync(join(dataDir, 'identity.json'), printed(identity), { flag: 'wx', mode: 0o600 });
  });
}

function readIdentity(path: string): Identity {
  const found = parse(readFileSync(path, 'utf8'));
  const { clusterId, agentId, agentKey, ...rest } = found;
  if (clusterId === undefined || agentId === undefined || agentKey === undefined)
    throw new Failure(
      `${path}: not a valid identity file; restore it from a backup, or remove it to create a new one`,
    );
  const { applicationKey, accountKey } = rest;
  if (applicationKey !== undefined && accountKey !== undefined)
    return { clusterId, agentId, agentKey, applicationKey, accountKey };
  // Files of earlier releases lack keys for the API, and their databases do not have such keys yet.
  const completed = {
    clusterId,
    agentId,
    agentKey,
    applicationKey: applicationKey ?? freshKeySecret(randomBytes),
    accountKey: accountKey ?? freshKeySecret(randomBytes),
  };
  writeFileSync(`${path}.new`, printed(completed), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return { ...completed, isAccountKeyNew: accountKey === undefined };
}

/** The members that are strings. An unreadable file has none. */
function parse(text: string): Partial<Record<keyof Identity, string>> {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return {};
  }
  if (typeof found !== 'object' || found === null) return {};
  return Object.fromEntries(Object.entries(found).filter(([, value]) => typeof value === 'string'));
}

function printed(identity: Identity): string {
  return `${JSON.stringify(identity, null, 2)}\n`;
}
