import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { buildJudge, shortLivedJava } from '../apache/build.ts';
import type { Lifetime } from './weir-process.ts';

/** Partition, offset, timestamp, key, value and headers (`name=value`) of a record. */
export type JavaRecord = readonly [
  partition: number,
  offset: string,
  timestamp: string,
  key: string | null,
  value: string,
  headers: readonly string[],
];

/** Apache's clients in a process of their own; `Client.java` says what the commands mean. */
export interface JavaClient {
  ask<Answer>(command: string, servers: string, ...args: readonly (string | number)[]): Promise<Answer>;
}

/** `properties` are those of the machine, which some settings of clients want. */
export function openJavaClient(
  lifetime: Lifetime,
  properties: Readonly<Record<string, string>> = {},
): JavaClient {
  const defined = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`);
  const java = spawn(
    'java',
    [...shortLivedJava, ...defined, '-cp', buildJudge(), 'weir.judge.Judge', 'client'],
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
    // A client that a failed test has left in the middle of something would wait for it.
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
