import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildJava, shortLivedJava } from '../../apache/build.ts';

/** How a test of the kit ended. */
export interface KitResult {
  readonly test: string;
  readonly outcome: 'successful' | 'failed' | 'aborted' | 'skipped';
  readonly reason: string;
}

interface KitSettings {
  readonly uri: string;
  readonly token?: string;
  /** Without, tests make their tables in namespaces that they do not create first. */
  readonly createsNamespaces: boolean;
}

/** Runs the tests of catalogs of Iceberg's compatibility kit against a server; results by the names of tests. */
export async function runCompatibilityKit({
  uri,
  token,
  createsNamespaces,
}: KitSettings): Promise<ReadonlyMap<string, KitResult>> {
  const classPath = buildJava(join(import.meta.dirname, '../rest-server'));
  const main = 'org.apache.iceberg.rest.CompatibilityKit';
  const properties = {
    uri,
    ...(token !== undefined && { token }),
    // The kit would start a server of its own.
    'rck.local': 'false',
    'rck.requires-namespace-create': `${createsNamespaces}`,
    'rck.purge-test-namespaces': `${createsNamespaces}`,
    'org.slf4j.simpleLogger.defaultLogLevel': 'off',
  };
  const given = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`);
  const child = spawn('java', [...shortLivedJava, ...given, '-Xmx512m', '-cp', classPath, main], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const results = new Map<string, KitResult>();
  for await (const line of createInterface({ input: child.stdout })) {
    const result = JSON.parse(line) as KitResult;
    results.set(result.test, result);
  }
  return results;
}
