import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { buildJavaClient, shortLivedJava } from '../apache/build.ts';
import { missingTool } from '../apache/tools.ts';
import { type Lifetime, startLocal } from './weir-process.ts';

/** Partition, offset, timestamp, key, value and headers (`name=value`) of a record. */
export type JavaRecord = readonly [
  partition: number,
  offset: string,
  timestamp: string,
  key: string | null,
  value: string,
  headers: readonly string[],
];

/** Apache's clients in a separate process; `Client.java` documents the commands. */
export interface JavaClient {
  ask<Answer>(command: string, servers: string, ...args: readonly (string | number)[]): Promise<Answer>;
}

/** Opens the Java client. `properties` are JVM system properties, which some client settings need. */
export function openJavaClient(
  lifetime: Lifetime,
  properties: Readonly<Record<string, string>> = {},
): JavaClient {
  const defined = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`);
  const java = spawn(
    'java',
    [...shortLivedJava, ...defined, '-cp', buildJavaClient(), 'weir.interop.JavaClient', 'client'],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const ended = once(java, 'close');
  const waiting: PromiseWithResolvers<string>[] = [];
  createInterface({ input: java.stdout }).on('line', (line) => waiting.shift()?.resolve(line));
  java.on('close', (code) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`the client ended with ${code}`));
  });
  lifetime.after(async () => {
    // Kills the JVM, because a client that a failed test has left unfinished would block its exit.
    java.kill('SIGKILL');
    await ended;
  });
  return {
    async ask<Answer>(command: string, servers: string, ...args: readonly (string | number)[]) {
      const answer = Promise.withResolvers<string>();
      waiting.push(answer);
      java.stdin.write(`${[command, servers, ...args].join(' ')}\n`);
      const line = await answer.promise;
      if (!line.startsWith('OK ')) throw new Error(`${command}: ${line}`);
      return JSON.parse(line.slice('OK '.length)) as Answer;
    },
  };
}

/** A broker of its own and Apache's clients, which a test asks for one command at a time. */
export async function javaOnLocal(lifetime: Lifetime) {
  const skip = missingTool();
  const broker = skip ? '' : (await startLocal(lifetime)).address('Kafka');
  const java = skip ? undefined! : openJavaClient(lifetime);
  const ask = <Answer>(command: string, ...args: readonly (string | number)[]) =>
    java.ask<Answer>(command, broker, ...args);
  return { ask, bounded: { skip, timeout: 180_000 } };
}
