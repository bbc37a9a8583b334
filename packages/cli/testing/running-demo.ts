import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { apiKeyHeader, createClient } from '@weir/api';
import type { DemoUnderTest } from './demo-promises.ts';

const executable = join(import.meta.dirname, '../../../bin/weir');

export interface RunningDemo extends DemoUnderTest {
  readonly child: ChildProcess;
  readonly kafkaPort: string;
  /** The commands that it prints, each without `weir`. */
  readonly commands: readonly string[];
  stdout(): string;
  stderr(): string;
  /** Its exit status, when it has ended. */
  readonly ended: Promise<number | null>;
  /** Stops it as Ctrl-C does, and returns its exit status. */
  stop(): Promise<number | null>;
}

/** Starts `weir demo` as a process of its own on free ports, and waits until it is ready. */
export async function startDemo(flags: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<RunningDemo> {
  const ports = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];
  const child = spawn(executable, ['demo', ...ports, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/bin:/bin', ...env },
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
      if (stdout.includes('Ctrl-C stops it.')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${stdout}${stderr}`)));
  });
  const found = (pattern: RegExp) => {
    const text = pattern.exec(stdout)?.[1];
    if (text === undefined) throw new Error(`${pattern} is not in ${stdout}`);
    return text;
  };
  const client = createClient({
    baseUrl: found(/control plane +(\S+)/),
    fetch,
    headers: { [apiKeyHeader]: found(/events search .* -api-key (\S+)/) },
  });
  const { virtual_clusters } = await client.call('list_virtual_clusters', {});
  return {
    child,
    client,
    clusterId: virtual_clusters[0]!.id,
    kafkaPort: found(/Kafka +localhost:(\d+)/),
    commands: [...stdout.matchAll(/^ {2}\S*weir (cli .*)$/gm)].map(([, command]) => command!),
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    stop() {
      child.kill('SIGINT');
      return ended;
    },
  };
}
