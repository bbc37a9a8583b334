import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshKeySecret } from '@weir/controlplane/process';

/** Who a process of its own is: the cluster it serves, the agent it runs, and the key between the two. */
export interface Identity {
  readonly clusterId: string;
  readonly agentId: string;
  readonly agentKey: string;
  /** With which tools of its user call the API. */
  readonly applicationKey: string;
}

export function newIdentity(): Identity {
  return {
    clusterId: `vci_${randomUUID().replaceAll('-', '_')}`,
    agentId: randomUUID(),
    agentKey: freshKeySecret(randomBytes),
    applicationKey: freshKeySecret(randomBytes),
  };
}

/** The identity that a data directory holds, made when it is new. Only its owner may read it, for there is a key in it. */
export function identityIn(dataDir: string): Identity {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'identity.json');
  if (existsSync(path)) return parse(readFileSync(path, 'utf8'), path);
  const identity = newIdentity();
  // A second process that starts at the same moment must not replace what the first has begun to use.
  try {
    writeFileSync(path, printed(identity), { flag: 'wx', mode: 0o600 });
    return identity;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return parse(readFileSync(path, 'utf8'), path);
  }
}

function parse(text: string, path: string): Identity {
  const found = JSON.parse(text) as Partial<Identity>;
  const { clusterId, agentId, agentKey, applicationKey } = found;
  if (clusterId === undefined || agentId === undefined || agentKey === undefined) {
    throw new Error(`${path} does not hold an identity; remove it to begin anew`);
  }
  if (applicationKey !== undefined) return { clusterId, agentId, agentKey, applicationKey };
  // Files of earlier releases have no key for the API, and their databases have no accounts that would know it.
  const completed = { clusterId, agentId, agentKey, applicationKey: freshKeySecret(randomBytes) };
  writeFileSync(`${path}.new`, printed(completed), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return completed;
}

function printed(identity: Identity): string {
  return `${JSON.stringify(identity, null, 2)}\n`;
}
