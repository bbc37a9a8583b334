import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { buildJava, shortLivedJava } from '../apache/build.ts';
import type { Lifetime } from '../brokers/weir-process.ts';

/** One JVM with Apache's applications in it; `Applications.java` has the commands. */
export interface Applications {
  ask<Answer = unknown>(command: string, args: Readonly<Record<string, unknown>>): Promise<Answer>;
}

/** Enough for every application here, and small enough for several of them on a small machine. */
const heap = '-Xmx256m';

/** The command line of a Java program. */
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
    const asked = waiting.get(id);
    waiting.delete(id);
    if (failure === undefined) asked?.resolve(answer);
    else asked?.reject(new Error(failure));
  });
  java.on('close', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the applications ended with ${code}`));
  });
  lifetime.after(async () => {
    // An application that a failed test has left in the middle of something would wait for it.
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
