import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Lifetime } from '../brokers/weir-process.ts';
import { javaCommand } from './application.ts';
import { pause } from './members.ts';

/** A Java program in a separate process that reports its work as lines of JSON. */
export interface Program<Event> {
  readonly events: readonly Event[];
  /** What else it has printed, line by line. */
  readonly lines: readonly string[];
  /** Waits until the condition holds. Fails if the program ends before. */
  until(isReached: (events: readonly Event[]) => boolean | Promise<boolean>): Promise<void>;
  /** Waits until it ends by itself, and fails on a nonzero status. */
  end(): Promise<void>;
  /** Stops it with SIGTERM and waits. */
  stop(): Promise<void>;
  /** Kills it, as a machine crash would. */
  kill(): Promise<void>;
}

export function startProgram<Event>(
  lifetime: Lifetime,
  main: string,
  args: readonly string[],
  flags: readonly string[] = [],
): Program<Event> {
  const child = spawn('java', [...flags, ...javaCommand(main, args)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  const events: Event[] = [];
  const lines: string[] = [];
  let err = '';
  let isGone = false;
  createInterface({ input: child.stdout }).on('line', (line) => {
    // Kafka Streams prints its topologies in braces, too.
    if (line.startsWith('{"')) {
      events.push(JSON.parse(line) as Event);
      return;
    }
    lines.push(line);
    err += `${line}\n`;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  ended.then(() => {
    isGone = true;
  });
  const signalled = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  lifetime.after(() => signalled('SIGKILL'));
  return {
    events,
    lines,
    async until(isReached) {
      while (!(await isReached(events))) {
        if (isGone) throw new Error(`${main} ended too soon: ${err.slice(-4_000)}`);
        await pause(20);
      }
    },
    async end() {
      const [code, signal] = await ended;
      if (code !== 0) throw new Error(`${main} ended with ${signal ?? code}: ${err.slice(-4_000)}`);
    },
    stop: () => signalled('SIGTERM'),
    kill: () => signalled('SIGKILL'),
  };
}
