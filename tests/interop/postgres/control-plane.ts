import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Environment } from '@weir/core';
import { pause } from '../brokers/waiting.ts';
import {
  type Lifetime,
  lastFirst,
  startWeir,
  temporaryFolder,
  type WeirProcess,
} from '../brokers/weir-process.ts';
import { postgresFor } from './server.ts';

/** A database and a folder for control planes. Without PostgreSQL the test is skipped, and there is none. */
export async function postgresStage(t: TestContext) {
  const lifetime = lastFirst(t);
  const database = await postgresFor(lifetime);
  if ('missing' in database) {
    t.skip(database.missing);
    return undefined;
  }
  const folder = temporaryFolder(lifetime);
  const startWith = (variables: Environment, name: string, ...more: readonly string[]) =>
    startPlane(lifetime, database.url, join(folder, name), more, variables);
  const start = (name: string, ...more: readonly string[]) => startWith({}, name, ...more);
  return { lifetime, folder, start, startWith };
}

/** Starts a control plane on the database and returns it once it serves. */
export function startControlPlane(
  lifetime: Lifetime,
  databaseUrl: string,
  dataDir: string,
  ...more: readonly string[]
): Promise<WeirProcess> {
  return startPlane(lifetime, databaseUrl, dataDir, more, {});
}

async function startPlane(
  lifetime: Lifetime,
  databaseUrl: string,
  dataDir: string,
  more: readonly string[],
  variables: Environment,
): Promise<WeirProcess> {
  const plane = await startWeir(
    [
      ...['control-plane', '-databaseURL', databaseUrl, '-dataDir', dataDir],
      ...['-bindAddress', '127.0.0.1', '-consolePort', '0', ...more],
    ],
    ['control plane'],
    variables,
  );
  lifetime.after(() => plane.stop());
  while (!/^ {2}serves /m.test(plane.output.out)) await pause();
  return plane;
}
