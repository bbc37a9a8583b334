import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { buildJava, shortLivedJava } from '../apache/build.ts';
import type { Lifetime } from '../brokers/weir-process.ts';

/** One JVM with Apache's applications; `Applications.java` documents the commands. */
export interface Applications {
  ask<Answer = unknown>(command: string, args: Readonly<Record<string, unknown>>): Promise<Answer>;
}

/** Enough for every application here, and small enough to run several on a small machine. */
const heap = '-Xmx256m';

/** Returns the arguments for a Java program. */
export function javaCommand(main: string, args: readonly string[]): readonly string[] {
  return [heap, ...shortLivedJava, '-cp', buildJava(import.meta.dirname), main, ...args];
}

export function openApplications(lifetime: Lifetime): Applications {
  const java = spawn('java', javaCommand('weir.applications.Applications', []), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(java, 'close');
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  createInterface({ input: java.stdout }).on('line', (line) => {
    const { id, answer, failure } = JSON.parse(line) as { id: number; answer?: unknown; failure?: string };
    const request = waiting.get(id);
    waiting.delete(id);
    if (failure === undefined) request?.resolve(answer);
    else request?.reject(new Error(failure));
  });
  java.on('close', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the applications ended with ${code}`));
  });
  lifetime.after(async () => {
    // Kills the JVM, because an application that a failed test has left unfinished would block its exit.
    java.kill('SIGKILL');
    await ended;
  });
  return {
    ask<Answer>(command: string, args: Readonly<Record<string, unknown>>) {
      const answer = Promise.withResolvers<unknown>();
      const id = ++lastId;
      waiting.set(id, answer);
      java.stdin.write(`${JSON.stringify({ id, command, arguments: args })}\n`);
      return answer.promise as Promise<Answer>;
    },
  };
}
