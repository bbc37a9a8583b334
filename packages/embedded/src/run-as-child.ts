import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Environment, systemEnvironment } from '@weir/core';
import type { TestClusterOptions } from './cluster.ts';
import { type Addresses, localFlags, type RunningCluster } from './running-cluster.ts';

const program = fileURLToPath(new URL('../../../bin/weir', import.meta.url));

/**
 * What runs beside the cluster: prints where it is, and ends with its input. So the cluster ends with this process,
 * however this one ends.
 */
const script = [
  'printf "%s\\n" "$KAFKA_BOOTSTRAP_SERVERS" "$SCHEMA_REGISTRY_URL" "$SERVICE_API_URL" "$SERVICE_API_KEY"',
  'exec cat',
].join('\n');

const stderrCharsMax = 4096;

/** `weir local`, with the Node that comes with it. */
export async function runAsChild({ flags = [], heapMib }: TestClusterOptions): Promise<RunningCluster> {
  const child = spawn(program, ['local', ...localFlags(flags), '--', 'sh', '-c', script], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: childEnvironment(heapMib),
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrCharsMax);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (code, signal) => resolve(stderr.trim() || `it ended with ${signal ?? code}`));
  });
  const addresses = await Promise.race([
    addressesFrom(child),
    ended.then((reason) => Promise.reject(new Error(`weir: failed to start a cluster: ${reason}`))),
  ]);
  keepsNothingAlive(child);
  return {
    addresses,
    async stop() {
      child.ref();
      child.stdin.end();
      await ended;
    },
  };
}

/**
 * What the shell and Node need, and none of the settings that a developer may have for other clusters. Without HOME the
 * cluster is not listed as one of this machine's, which tools would find.
 */
function childEnvironment(heapMib: number | undefined): Environment {
  const kept = ['PATH', 'TMPDIR', 'NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS'];
  const found = kept.flatMap((name) => {
    const value = systemEnvironment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(found),
    ...(heapMib === undefined ? {} : { SERVICE_MEMORY_LIMIT_MIB: String(heapMib) }),
  };
}

async function addressesFrom(child: ChildProcess): Promise<Addresses> {
  let printed = '';
  for await (const chunk of child.stdout!) {
    printed += String(chunk);
    const lines = printed.split('\n');
    const [bootstrapServers, schemaRegistryUrl, apiUrl, apiKey] = lines;
    if (lines.length > 4)
      return {
        bootstrapServers: bootstrapServers!,
        schemaRegistryUrl: schemaRegistryUrl!,
        apiUrl: apiUrl!,
        apiKey: apiKey!,
      };
  }
  // Whatever ended it says why.
  return await new Promise<never>(() => {});
}

/** A test that forgets to stop its cluster ends all the same, and the cluster with it. */
function keepsNothingAlive(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr])
    (stream as unknown as { unref(): void }).unref();
}
